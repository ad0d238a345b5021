//! What a statement is kept as: the tables that it reads and writes, what it asks of them, and no constant of anybody's.

use catalog::{Catalog, Dialect, Entry, Exposure, TableId, UsedColumn};
use regex::RegexBuilder;
use serde::{Deserialize, Serialize};
use sql::{CatalogSchema, Comparison, LiteralKind, LiteralValue, Origin, Restriction, StatementLineage, Test};

/// Statements of more bytes aren't read: they load data, mostly.
const LONGEST_STATEMENT: usize = 256 << 10;
/// Of a column with more different values none is kept.
const MOST_KINDS: u64 = 1_000;
/// Names of more results of a statement aren't kept.
const MOST_MEASURES: usize = 40;

/// Digits of a number in what is computed.
const LONGEST_NUMBER: usize = 5;
/// Names that say nothing of what is computed.
const SAYS_NOTHING: [&str; 10] = ["amount", "cnt", "count", "num", "number", "result", "sum", "total", "val", "value"];
/// How statements begin: a word that is nobody's.
const VERBS: [&str; 24] = [
    "alter", "begin", "call", "copy", "create", "declare", "delete", "do", "drop", "execute", "explain", "fetch",
    "grant", "insert", "lock", "merge", "prepare", "replace", "select", "set", "show", "truncate", "update", "with",
];
/// Characters of a name.
const LONGEST_NAME: usize = 60;
/// What parts of times are called.
const PARTS_OF_TIME: [&str; 8] = ["year", "quarter", "month", "week", "day", "hour", "weekday", "date"];

/// A statement, as far as it is remembered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The tables that it reads.
    pub(crate) reads: Vec<TableRead>,
    /// The tables that it fills or changes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) writes: Vec<TableId>,
    /// What it joins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) joins: Vec<(UsedColumn, UsedColumn)>,
    /// What it computes under a name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) measures: Vec<Measure>,
}

/// A table of a statement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TableRead {
    pub(crate) table: TableId,
    /// See [`sql::Selection::completes`].
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) completes: bool,
    /// See [`sql::Selection::of_one`].
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) of_one: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tests: Vec<Tested>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) named: Vec<String>,
}

impl TableRead {
    /// That of a statement that doesn't read the table.
    pub(crate) fn of_nothing(table: &TableId) -> Self {
        Self { table: table.clone(), completes: false, of_one: false, tests: Vec::new(), named: Vec::new() }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde asks for")]
fn is_false(value: &bool) -> bool {
    !value
}

/// A condition on a column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tested {
    pub(crate) column: String,
    pub(crate) test: KnownTest,
}

/// What a column has to be, by values that the catalog knows; the others are left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum KnownTest {
    OneOf {
        values: Vec<String>,
        untold: bool,
    },
    NoneOf {
        values: Vec<String>,
        untold: bool,
    },
    Null,
    NotNull,
    /// `> 0`.
    Ordered(String),
}

/// What is computed under a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measure {
    /// The name, in lower case.
    pub name: String,
    /// The expression, with columns by their own names.
    pub expression: String,
    /// The columns in it.
    pub columns: Vec<UsedColumn>,
}

/// Reads statements against what is known of a source.
#[derive(Debug)]
pub struct Reader<'a> {
    catalog: &'a Catalog,
    source: &'a str,
    dialect: &'a Dialect,
}

/// What became of a statement.
pub(crate) enum Understood {
    /// It is about tables that are known.
    Of(Record),
    /// It is about none of them: the engine's own, or gone.
    Elsewhere,
    /// It can't be read, and why, without a word of anybody's.
    Nothing(String),
}

impl<'a> Reader<'a> {
    /// Of the statements of that source.
    pub fn new(catalog: &'a Catalog, source: &'a str) -> Self {
        Self { catalog, source, dialect: catalog.dialect(source) }
    }

    pub(crate) fn dialect(&self) -> &Dialect {
        self.dialect
    }

    pub(crate) fn read(&self, sql: &str) -> Understood {
        if sql.len() > LONGEST_STATEMENT {
            return Understood::Nothing(format!("longer than {} KB", LONGEST_STATEMENT >> 10));
        }
        let schema = CatalogSchema::new(self.catalog, self.source);
        let statements = sql::script_lineage(sql, self.dialect, &schema, self.source);
        // The engine refuses what names a column that isn't there.
        let fails = |statement: &StatementLineage| {
            statement.problem.is_some() || statement.unsure.iter().any(|column| column.is_unknown)
        };
        if statements.iter().all(fails) {
            return Understood::Nothing(self.why_not(sql, &statements));
        }
        let mut record = Record::default();
        for statement in &statements {
            self.add(statement, &mut record);
        }
        match record.reads.is_empty() && record.writes.is_empty() {
            true => Understood::Elsewhere,
            false => Understood::Of(record),
        }
    }

    /// Why nothing can be said of statements of which none can be understood.
    fn why_not(&self, sql: &str, statements: &[StatementLineage]) -> String {
        let mut unknown = statements.iter().flat_map(|statement| &statement.unsure).filter(|column| column.is_unknown);
        if let Some(column) = unknown.next() {
            let known = column.tables.iter().flat_map(|table| self.catalog.find(table, Some(self.source))).next();
            return match known {
                Some(entry) => format!("a column that {} doesn't have", entry.table.id.local()),
                None => "a column that no table of the statement has".to_owned(),
            };
        }
        let first: String = sql.trim_start().chars().take_while(char::is_ascii_alphabetic).collect();
        match VERBS.contains(&first.to_lowercase().as_str()) {
            true => format!("{} statements that can't be read", first.to_uppercase()),
            false => "text that can't be read".to_owned(),
        }
    }

    /// What a statement computes under a name that says something, without constants that may be somebody's; and the
    /// conditions that its rows have to meet, as they are written.
    pub fn computed(&self, sql: &str) -> (Vec<Measure>, Vec<String>) {
        let Understood::Of(record) = self.read(sql) else { return (Vec::new(), Vec::new()) };
        let schema = CatalogSchema::new(self.catalog, self.source);
        let statements = sql::script_lineage(sql, self.dialect, &schema, self.source);
        (record.measures, statements.into_iter().flat_map(|statement| statement.conditions).collect())
    }

    fn add(&self, statement: &StatementLineage, record: &mut Record) {
        for selection in &statement.selections {
            let Some(entry) = self.catalog.entry(&selection.table) else { continue };
            let of_selection = selection.restrictions.iter().filter_map(|it| tested(entry, it)).collect();
            record.reads.push(TableRead {
                table: selection.table.clone(),
                completes: selection.completes,
                of_one: selection.of_one,
                tests: of_selection,
                named: selection.named.iter().filter(|name| entry.table.column(name).is_some()).cloned().collect(),
            });
        }
        let made = statement.made.iter().filter_map(|made| made.table.as_ref());
        for table in made.chain(&statement.changed) {
            if self.catalog.entry(table).is_some() && !record.writes.contains(table) {
                record.writes.push(table.clone());
            }
        }
        let is_known = |column: &sql::ColumnRef| self.catalog.entry(&column.table).is_some();
        let used = |column: &sql::ColumnRef| UsedColumn { table: column.table.clone(), column: column.column.clone() };
        let joins = statement.joins.iter().filter(|(one, other)| is_known(one) && is_known(other));
        record.joins.extend(joins.map(|(one, other)| (used(one), used(other))));
        let columns = statement.made.iter().flat_map(|made| &made.columns);
        record.measures.extend(columns.filter_map(|column| self.measure(column)).take(MOST_MEASURES));
    }

    fn measure(&self, made: &sql::MadeColumn) -> Option<Measure> {
        let name = made.name.as_ref().filter(|_| made.origin != Origin::Column)?;
        let written = made.expression.as_ref()?;
        // What an outer query hands on is computed further in.
        let written = match written.split_once(", over ") {
            Some((outer, inner)) if outer.chars().all(|it| it.is_alphanumeric() || "_.\"`".contains(it)) => inner,
            Some(_) => return None,
            None => written,
        };
        let expression = sql::plain_expression(written, self.dialect)?;
        let name = name.to_lowercase();
        // A name that the engine gives says nothing, nor does one of a column, or of a part of a time that rows are grouped by.
        let is_a_column = expression.chars().all(|it| it.is_alphanumeric() || it == '_');
        let has_parameters = expression.contains(['?', '$']);
        // `100.0` converts; a longer number may be somebody's, and what another query asks for may be anything.
        let digits = expression
            .split(|it: char| !it.is_ascii_alphanumeric())
            .filter(|it| it.bytes().all(|it| it.is_ascii_digit()));
        let has_more =
            digits.map(str::len).max() > Some(LONGEST_NUMBER) || expression.to_lowercase().contains("select ");
        // What is put in quotes may be anything, somebody's name too.
        let is_plain = name.len() <= LONGEST_NAME
            && name.chars().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '_');
        // Which rows an aggregate is over may be told by a number of somebody's.
        let has_numbers = expression
            .split(|it: char| !it.is_alphanumeric() && it != '_')
            .any(|it| it.parse::<f64>().is_ok_and(|it| it > 1.0));
        let tells_rows = expression.contains(" FILTER ") && has_numbers;
        let is_word = is_plain
            && !tells_rows
            && name.chars().filter(|it| it.is_alphabetic()).count() >= 3
            && !expression.starts_with(&format!("{name}("))
            && !PARTS_OF_TIME.contains(&name.as_str())
            && !SAYS_NOTHING.contains(&name.as_str());
        let is_open = |column: &sql::ColumnRef| {
            self.catalog.entry(&column.table).is_some_and(|entry| {
                entry.table.column(&column.column).is_some() && *entry.exposure(&column.column) == Exposure::Open
            })
        };
        if !is_word
            || has_parameters
            || has_more
            || is_a_column
            || made.sources.is_empty()
            || written.ends_with('…')
            || !made.sources.iter().all(is_open)
        {
            return None;
        }
        let is_known_text = |text: &String| {
            made.sources.iter().any(|column| {
                self.catalog
                    .entry(&column.table)
                    .is_some_and(|entry| known(entry, &column.column, text, true).is_some())
            })
        };
        if !sql::texts_in(written, self.dialect).iter().all(is_known_text) {
            return None;
        }
        let columns = made.sources.iter().map(|it| UsedColumn { table: it.table.clone(), column: it.column.clone() });
        Some(Measure { name, expression, columns: columns.collect() })
    }
}

/// A condition with the values in it that the catalog knows; nothing of a column that isn't there, or isn't shown.
fn tested(entry: &Entry, restriction: &Restriction) -> Option<Tested> {
    let column = &restriction.column.column;
    entry.table.column(column)?;
    if *entry.exposure(column) != Exposure::Open {
        return None;
    }
    let of = |literals: &[LiteralValue]| {
        let mut values: Vec<String> = Vec::new();
        let mut untold = literals.is_empty();
        for literal in literals {
            match known_literal(entry, column, literal, restriction.ignores_case) {
                Some(found) => {
                    values.extend(found.into_iter().filter(|value| !values.contains(value)).collect::<Vec<_>>())
                }
                None => untold = true,
            }
        }
        values.sort();
        (values, untold)
    };
    let test = match &restriction.test {
        Test::OneOf(literals) => {
            let (values, untold) = of(literals);
            KnownTest::OneOf { values, untold }
        }
        Test::NoneOf(literals) => {
            let (values, untold) = of(literals);
            KnownTest::NoneOf { values, untold }
        }
        Test::Null => KnownTest::Null,
        Test::NotNull => KnownTest::NotNull,
        Test::Ordered(operator, value) => {
            // A bound that says something of a column for good is one of few: none at all.
            let value = value.as_ref().filter(|value| value.kind == LiteralKind::Number)?;
            let is_zero = value.text.parse::<f64>().is_ok_and(|it| it == 0.0);
            let operator = match operator {
                Comparison::Less => "<",
                Comparison::LessOrEqual => "<=",
                Comparison::Greater => ">",
                Comparison::GreaterOrEqual => ">=",
                _ => return None,
            };
            KnownTest::Ordered(is_zero.then(|| format!("{operator} 0"))?)
        }
        Test::Matches { pattern, is_regular, negated } => {
            let values = matching(entry, column, pattern, *is_regular, restriction.ignores_case)?;
            match negated {
                true => KnownTest::NoneOf { values, untold: false },
                false => KnownTest::OneOf { values, untold: false },
            }
        }
    };
    Some(Tested { column: column.clone(), test })
}

/// The stored values that are of a form; `None` where not all values are known, or there is none.
fn matching(entry: &Entry, column: &str, pattern: &str, is_regular: bool, ignores_case: bool) -> Option<Vec<String>> {
    let regular = match is_regular {
        true => pattern.to_owned(),
        false => {
            let of_character = |it: char| match it {
                '%' => ".*".to_owned(),
                '_' => ".".to_owned(),
                other => regex::escape(&other.to_string()),
            };
            format!("^{}$", pattern.chars().map(of_character).collect::<String>())
        }
    };
    let form = RegexBuilder::new(&regular).case_insensitive(ignores_case).build().ok()?;
    let values = entry.all_values(column)?.into_iter().filter(|value| form.is_match(value));
    let mut values: Vec<String> = values.map(str::to_owned).collect();
    values.sort();
    (!values.is_empty()).then_some(values)
}

/// The stored values that a literal means; `None` where the catalog knows of none.
fn known_literal(entry: &Entry, column: &str, literal: &LiteralValue, ignores_case: bool) -> Option<Vec<String>> {
    let forms: &[&str] = match literal.text.to_ascii_lowercase().as_str() {
        "true" | "t" => &["true", "t", "1"],
        "false" | "f" => &["false", "f", "0"],
        "1" => &["1", "true", "t"],
        "0" => &["0", "false", "f"],
        _ => return known(entry, column, &literal.text, ignores_case),
    };
    forms.iter().find_map(|form| known(entry, column, form, ignores_case))
}

fn known(entry: &Entry, column: &str, value: &str, ignores_case: bool) -> Option<Vec<String>> {
    let profile = entry.profile()?.column(column)?;
    // Of a column with more values, one of them is no kind of row.
    let is_kind = entry.all_values(column).is_some() || profile.distinct_count.is_some_and(|count| count <= MOST_KINDS);
    let all = entry.all_values(column).unwrap_or_default();
    let seen = profile.values.as_slice().iter().chain(profile.most_common.iter().map(|common| &common.value));
    let seen = seen.filter(|_| is_kind);
    let mut found: Vec<String> = Vec::new();
    for stored in all.into_iter().chain(seen.map(String::as_str)) {
        let is_it = stored == value || ignores_case && stored.to_lowercase() == value.to_lowercase();
        if is_it && !found.iter().any(|it| it == stored) {
            found.push(stored.to_owned());
        }
    }
    (!found.is_empty()).then_some(found)
}
