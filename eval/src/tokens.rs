//! What an agent reads until it has seen what a question needs: the tools' replies are replayed, the least of them that it could do
//! with. It asks with the question first, then for each table of which something is missing still; where that one was named nowhere, it
//! lists all tables before.
//!
//! Beside it stands what it would read in the plainest way, the names and types of all columns.

use std::collections::BTreeSet;
use std::future::Future;
use std::io::Write as _;
use std::path::PathBuf;

use anyhow::Context as _;
use catalog::{Catalog, Store};
use index::estimate_tokens;
use serde::Serialize;
use serde_json::{Value, json};

use crate::pack::{Pack, PackDatabase, PackQuestion, profile_into};

/// The tools of a server, as an agent calls them.
pub trait Tools {
    /// The same, for a conversation that nothing was said in yet.
    #[must_use]
    fn anew(&self) -> Self;

    /// The text of a reply.
    fn call(&self, tool: &str, arguments: Value) -> impl Future<Output = String>;
}

/// A run.
#[derive(Clone, Debug)]
pub struct TokensRun {
    /// The pack's folder.
    pub pack: PathBuf,
    /// Whether all databases are one catalog.
    pub pooled: bool,
    /// Where what each question took goes, a JSON line each.
    pub out: PathBuf,
}

/// What a run came to: means over all questions, in estimated tokens.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TokensReport {
    /// How many were asked.
    pub questions: usize,
    /// Of these, those for which the first reply had all that is needed.
    pub by_one_reply: usize,
    /// Those for which something of what is needed was never seen.
    pub never_seen: usize,
    /// Calls a question.
    pub calls: f64,
    /// Tokens a question: what was asked and what came back.
    pub tokens: f64,
    /// Of these, those of the first call.
    pub first: f64,
    /// The names and types of all columns of the question's catalog.
    pub plain: f64,
}

/// What a question took.
#[derive(Debug, Serialize)]
struct Line<'q> {
    id: &'q str,
    calls: usize,
    tokens: usize,
    first: usize,
    plain: usize,
    /// Columns that were never seen, and tables of which none is asked for.
    missing: Vec<String>,
}

/// Replays the calls for each question of a pack. `open` makes the tools over a catalog.
///
/// # Errors
/// Where the pack can't be read, a database can't be profiled, or the file can't be written.
pub async fn run_tokens<T: Tools>(run: &TokensRun, open: impl Fn(Store) -> T) -> anyhow::Result<TokensReport> {
    let pack = Pack::read(&run.pack)?;
    let mut out =
        std::fs::File::create(&run.out).with_context(|| format!("`{}` can't be written", run.out.display()))?;
    let mut report = TokensReport::default();
    let groups: Vec<&[PackDatabase]> = match run.pooled {
        true => vec![&pack.databases],
        false => pack.databases.chunks(1).collect(),
    };
    for databases in groups {
        let is_of_these = |question: &&PackQuestion| databases.iter().any(|database| database.name == question.db);
        let questions: Vec<&PackQuestion> = pack.questions.iter().filter(is_of_these).collect();
        if questions.is_empty() {
            continue;
        }
        let store = Store::in_memory()?;
        for database in databases {
            profile_into(&store, database).await?;
        }
        let plain = estimate_tokens(&plain_listing(&store.catalog()?));
        let tools = open(store);
        for question in questions {
            let line = replay(&tools.anew(), question, plain).await;
            report.questions += 1;
            report.by_one_reply += usize::from(line.calls == 1 && line.missing.is_empty());
            report.never_seen += usize::from(!line.missing.is_empty());
            report.calls += line.calls as f64;
            report.tokens += line.tokens as f64;
            report.first += line.first as f64;
            report.plain += line.plain as f64;
            serde_json::to_writer(&out, &line)?;
            out.write_all(b"\n")?;
        }
    }
    let questions = report.questions.max(1) as f64;
    for sum in [&mut report.calls, &mut report.tokens, &mut report.first, &mut report.plain] {
        *sum /= questions;
    }
    Ok(report)
}

async fn replay<'q, T: Tools>(tools: &T, question: &'q PackQuestion, plain: usize) -> Line<'q> {
    let mut reading = Reading { tools, calls: 0, tokens: 0, text: String::new() };
    reading.call("list_tables", json!({ "question": question.question })).await;
    let first = reading.tokens;
    let mut needed = Needed::of(question);
    needed.take_out(&reading.text);
    let mut has_listed = false;
    for table in needed.tables() {
        if !has_listed && !stands_in(&table, &reading.text) {
            reading.call("list_tables", json!({})).await;
            has_listed = true;
        }
        let of_source = json!({ "table": table, "source": question.db });
        reading.call("describe_table", of_source).await;
        needed.take_out(&reading.text);
        let named: Vec<String> = needed.columns_of(&table);
        if !named.is_empty() {
            reading.call("describe_table", json!({ "table": table, "source": question.db, "columns": named })).await;
            needed.take_out(&reading.text);
        }
    }
    let Reading { calls, tokens, .. } = reading;
    Line {
        id: &question.id,
        calls,
        tokens,
        first,
        plain,
        missing: needed.0.into_iter().map(|it| it.join(".")).collect(),
    }
}

/// All that an agent has read.
struct Reading<'t, T> {
    tools: &'t T,
    calls: usize,
    tokens: usize,
    text: String,
}

impl<T: Tools> Reading<'_, T> {
    async fn call(&mut self, tool: &str, arguments: Value) {
        self.tokens += estimate_tokens(tool) + estimate_tokens(&arguments.to_string());
        let reply = self.tools.call(tool, arguments).await;
        self.calls += 1;
        self.tokens += estimate_tokens(&reply);
        self.text.push_str(&reply);
        self.text.push('\n');
    }
}

/// Columns, and tables of which no column is named, that weren't seen yet: names in lower case.
struct Needed(BTreeSet<Vec<String>>);

impl Needed {
    fn of(question: &PackQuestion) -> Self {
        let columns = question.gold_columns.iter().filter_map(|column| column.rsplit_once('.'));
        let columns = columns.map(|(table, column)| vec![table.to_lowercase(), column.to_lowercase()]);
        let tables = question.gold_tables.iter().map(|table| vec![table.to_lowercase()]);
        Self(columns.chain(tables).collect())
    }

    /// Takes out what stands in the schema of a text.
    fn take_out(&mut self, text: &str) {
        let mut table = None;
        for line in text.lines() {
            if let Some(header) = line.strip_prefix("CREATE ").and_then(|line| line.split_once(' ')) {
                let name = header.1.split(" (").next().map(bare).unwrap_or_default();
                self.0.remove(&vec![name.clone()]);
                // In a pool it stands behind its source's name.
                let short = name.rsplit('.').next().map(str::to_owned).unwrap_or_default();
                self.0.remove(&vec![short.clone()]);
                table = Some([name, short]);
            } else if let Some((name, columns)) = line.strip_prefix("-- perhaps: ").and_then(|it| it.split_once(" (")) {
                let name = bare(name);
                let short = name.rsplit('.').next().map(str::to_owned).unwrap_or_default();
                for name in [name, short] {
                    self.0.remove(&vec![name.clone()]);
                    self.take_out_columns(&name, columns.trim_end_matches(')'));
                }
                table = None;
            } else if let (Some(names), Some(column)) = (&table, line.strip_prefix("  ")) {
                for name in names {
                    match column.strip_prefix("-- also: ") {
                        Some(others) => self.take_out_columns(name, others),
                        None => drop(self.0.remove(&vec![name.clone(), bare(first_name(column))])),
                    }
                }
            } else {
                table = None;
            }
        }
    }

    /// Takes out columns that are only named.
    fn take_out_columns(&mut self, table: &str, columns: &str) {
        for column in columns.split(", ") {
            let column = column.rsplit_once(" and ").map_or(column, |(column, _)| column);
            self.0.remove(&vec![table.to_owned(), bare(column)]);
        }
    }

    fn tables(&self) -> BTreeSet<String> {
        self.0.iter().map(|needed| needed[0].clone()).collect()
    }

    fn columns_of(&self, table: &str) -> Vec<String> {
        let of_table = self.0.iter().filter(|needed| needed[0] == table);
        of_table.filter_map(|needed| needed.get(1).cloned()).collect()
    }
}

/// The name that a line begins with, in quotes where it needs them.
fn first_name(line: &str) -> &str {
    let quote = line.chars().next().filter(|letter| "\"`".contains(*letter));
    let end = match quote {
        Some(quote) => line[1..].find(quote).map_or(line.len(), |end| end + 2),
        None => line.find([' ', ',']).unwrap_or(line.len()),
    };
    &line[..end]
}

fn bare(name: &str) -> String {
    name.trim().replace(['"', '`'], "").to_lowercase()
}

fn stands_in(name: &str, text: &str) -> bool {
    let text = text.to_lowercase();
    text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')).any(|word| word == name)
        || text.contains(&format!("`{name}`"))
}

/// What a database's own catalog says: a line for each column.
fn plain_listing(catalog: &Catalog) -> String {
    let lines = catalog.entries().iter().flat_map(|entry| {
        let table = entry.table.id.local();
        entry.table.columns.iter().map(move |column| format!("{table}|{}|{}\n", column.name, column.data_type))
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question() -> PackQuestion {
        let line = r#"{"id": "1", "db": "d", "question": "q", "gold_tables": ["orders", "Odd One"],
            "gold_columns": ["orders.id", "orders.Total", "Odd One.two words"]}"#;
        serde_json::from_str(line).unwrap()
    }

    /// Replies with what it has for a tool.
    struct Scripted(Vec<(&'static str, &'static str)>);

    impl Tools for Scripted {
        fn anew(&self) -> Self {
            Self(self.0.clone())
        }

        async fn call(&self, tool: &str, _arguments: Value) -> String {
            self.0.iter().find(|(name, _)| *name == tool).map_or_else(String::new, |(_, text)| (*text).to_owned())
        }
    }

    const ORDERS: &str = "CREATE TABLE orders ( -- 3 rows\n  id INTEGER PRIMARY KEY,\n  total REAL, -- in cents\n);\n";
    const ODD: &str = "CREATE TABLE \"Odd One\" (\n  \"two words\" TEXT,\n);\n";

    #[tokio::test]
    async fn what_is_only_named_is_seen_as_well() {
        let text = "CREATE TABLE orders (\n  id INTEGER,\n  -- also: total, note and 3 more\n);\n-- perhaps: \"Odd One\" (id, \"two words\" and 2 more)\n";
        let question = question();
        let line = replay(&Scripted(vec![("list_tables", text)]), &question, 9).await;
        assert_eq!((line.calls, line.missing.len()), (1, 0));
    }

    #[tokio::test]
    async fn what_was_seen_is_not_asked_for_again() {
        let question = question();
        let all: &'static str = Box::leak(format!("{ORDERS}{ODD}").into_boxed_str());
        let line = replay(&Scripted(vec![("list_tables", all)]), &question, 9).await;
        assert_eq!((line.calls, line.tokens, line.missing.len()), (1, line.first, 0));
        let line = replay(&Scripted(vec![("list_tables", ORDERS), ("describe_table", ODD)]), &question, 9).await;
        assert_eq!((line.calls, line.missing.len()), (3, 0), "the table was named nowhere, so all are listed");
        let line = replay(&Scripted(vec![("list_tables", ORDERS)]), &question, 9).await;
        assert_eq!(line.missing, ["odd one", "odd one.two words"]);
    }
}
