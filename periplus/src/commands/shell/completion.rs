//! What a person may mean who has typed the beginning: commands, words of SQL, tables, and the columns of those named.

use catalog::{Catalog, Dialect};
use rustyline::completion::{Completer, Pair};
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Helper};

use super::input::is_whole;

const COMMANDS: [&str; 11] = ["approve", "ask", "check", "d", "dt", "link", "q", "reject", "search", "source", "x"];

const WORDS: [&str; 40] = [
    "AND",
    "AS",
    "ASC",
    "AVG(",
    "BETWEEN",
    "CASE",
    "COUNT(*)",
    "CROSS JOIN",
    "DESC",
    "DISTINCT",
    "ELSE",
    "END",
    "EXISTS",
    "EXPLAIN",
    "FROM",
    "GROUP BY",
    "HAVING",
    "IN (",
    "INNER JOIN",
    "IS NOT NULL",
    "IS NULL",
    "JOIN",
    "LEFT JOIN",
    "LIKE",
    "LIMIT",
    "MAX(",
    "MIN(",
    "NOT",
    "NULL",
    "OFFSET",
    "ON",
    "OR",
    "ORDER BY",
    "OVER (",
    "SELECT",
    "SUM(",
    "THEN",
    "UNION ALL",
    "WHEN",
    "WHERE",
];

/// What stands in the catalog, as it is written in a statement.
pub(super) struct Typing {
    dialect: Dialect,
    tables: Vec<Named>,
}

struct Named {
    /// As a statement wants it, with its schema.
    written: String,
    /// Without the schema, for comparison.
    name: String,
    columns: Vec<String>,
}

impl Typing {
    pub(super) fn over(catalog: &Catalog, source: &str) -> Self {
        let dialect = catalog.dialect(source).clone();
        // A terminal obeys what it is sent, and completion is sent as it is.
        let is_plain = |name: &str| shown::visible(name) == name && !name.contains('\n');
        let tables = catalog
            .tables_of(source)
            .map(|entry| &entry.table)
            .filter(|table| is_plain(&table.id.local()))
            .map(|table| Named {
                written: table.id.written(&dialect),
                name: table.id.name.clone(),
                columns: table
                    .columns
                    .iter()
                    .filter(|column| is_plain(&column.name))
                    .map(|column| dialect.identifier(&column.name))
                    .collect(),
            })
            .collect();
        Self { dialect, tables }
    }

    /// What `typed` may become. `before` is the text in front of it, `line` all there is.
    fn candidates(&self, before: &str, typed: &str, line: &str) -> Vec<String> {
        let begins = |candidate: &str| {
            let bare = candidate.trim_start_matches(['"', '`']);
            !typed.is_empty() && bare.get(..typed.len()).is_some_and(|start| start.eq_ignore_ascii_case(typed))
        };
        let named: Vec<&Named> = self.tables.iter().filter(|table| is_named(&table.name, line)).collect();
        let of = |tables: &[&Named]| -> Vec<String> {
            let mut columns: Vec<String> = tables.iter().flat_map(|table| table.columns.iter().cloned()).collect();
            columns.sort();
            columns.dedup();
            columns
        };
        if let Some(qualified) = before.strip_suffix('.') {
            let qualifier = qualified.rsplit(|c: char| !is_name(c)).next().unwrap_or_default();
            let meant: Vec<&Named> =
                self.tables.iter().filter(|table| table.name.eq_ignore_ascii_case(qualifier)).collect();
            // An alias stands for one of the tables that are named.
            let columns = of(if meant.is_empty() { &named } else { &meant });
            let is_wanted = |column: &String| typed.is_empty() || begins(column);
            return columns.into_iter().filter(is_wanted).collect();
        }
        let tables = self.tables.iter().filter(|table| begins(&table.name) || begins(&table.written));
        let mut candidates: Vec<String> = tables.map(|table| table.written.clone()).collect();
        if before.starts_with('\\') {
            return candidates;
        }
        candidates.extend(of(&named).into_iter().filter(|column| begins(column)));
        let is_lower = typed.chars().all(|character| !character.is_uppercase());
        let words = WORDS.iter().filter(|word| begins(word));
        candidates.extend(words.map(|word| if is_lower { word.to_lowercase() } else { (*word).to_owned() }));
        candidates
    }
}

/// Whether a name is among the words of a text.
fn is_named(name: &str, text: &str) -> bool {
    text.split(|character: char| !is_name(character)).any(|word| word.eq_ignore_ascii_case(name))
}

fn is_name(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || character == '$'
}

impl Completer for Typing {
    type Candidate = Pair;

    fn complete(&self, line: &str, position: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let head = line.get(..position).unwrap_or_default();
        let start = head.char_indices().rev().take_while(|(_, character)| is_name(*character)).last();
        let start = start.map_or(position, |(at, _)| at);
        let (before, typed) = head.split_at(start);
        let candidates = match before {
            "\\" => COMMANDS.iter().filter(|name| name.starts_with(typed)).map(|name| (*name).to_owned()).collect(),
            _ => self.candidates(before, typed, line),
        };
        Ok((start, candidates.into_iter().map(|text| Pair { display: text.clone(), replacement: text }).collect()))
    }
}

impl Validator for Typing {
    fn validate(&self, typed: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let is_whole = is_whole(typed.input(), &self.dialect);
        Ok(if is_whole { ValidationResult::Valid(None) } else { ValidationResult::Incomplete })
    }
}

impl Hinter for Typing {
    type Hint = String;
}

impl Highlighter for Typing {}

impl Helper for Typing {}

#[cfg(test)]
mod tests {
    use catalog::Dialect;
    use rustyline::Context;
    use rustyline::completion::Completer;
    use rustyline::history::DefaultHistory;

    use super::Typing;

    /// What the beginning of a line may become, by its end.
    fn completed(line: &str) -> Vec<String> {
        let ddl = "CREATE TABLE customers (id INTEGER, city TEXT, \"Signed up\" TEXT);
                   CREATE TABLE orders (id INTEGER, customer_id INTEGER, cost NUMERIC)";
        let catalog = testkit::catalog_from_ddl(Dialect::Sqlite, "shop", ddl);
        let history = DefaultHistory::new();
        let typing = Typing::over(&catalog, "shop");
        let (_, found) = typing.complete(line, line.len(), &Context::new(&history)).expect("it can't fail");
        found.into_iter().map(|pair| pair.replacement).collect()
    }

    #[test]
    fn names_are_offered_where_they_fit() {
        for (line, expected) in [
            ("\\so", vec!["source"]),
            ("\\d cus", vec!["customers"]),
            ("select * from ord", vec!["orders", "order by"]),
            ("SELECT * FROM orders WHERE CU", vec!["customers", "customer_id"]),
            ("SELECT * FROM customers c WHERE c.c", vec!["city"]),
            ("SELECT * FROM customers WHERE si", vec!["\"Signed up\""]),
            ("SELECT customers.", vec!["\"Signed up\"", "city", "id"]),
            ("SELECT ", Vec::new()),
        ] {
            assert_eq!(completed(line), expected, "{line}");
        }
    }
}
