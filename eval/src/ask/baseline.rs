//! What the same model does by itself: every table of the database in one prompt, one greedy reply, no repair.
//!
//! It is the floor that the agent is measured against, so it is written as well as such a prompt can be: plain
//! `CREATE TABLE` statements with keys, the dialect, and the words that ask for the query alone.

use std::fmt::Write as _;
use std::time::Instant;

use catalog::{Catalog, ForeignKey, KeyOrigin};
use guard::RuleName;
use llm::{ChatModel, ChatRequest, Message};

use super::prepare::Prepared;
use super::{AskQuestion, Prediction, one_line, worded};

const SYSTEM: &str = "You are a SQLite expert. Answer with one SQLite query and nothing else.";
const REPLY_TOKENS: u32 = 320;

/// Asks the model and takes what it says.
pub(super) async fn ask(
    prepared: &Prepared,
    question: &AskQuestion,
    model: &dyn ChatModel,
) -> anyhow::Result<Prediction> {
    let started = Instant::now();
    let user = format!("{}\nQuestion: {}", schema(&prepared.catalog), worded(question));
    let request = ChatRequest {
        max_tokens: REPLY_TOKENS,
        ..ChatRequest::new(vec![Message::system(SYSTEM), Message::user(user)])
    };
    let reply = model.chat(&request, &mut |_| {}).await?;
    let sql = agent::statement_in_reply(&reply.text).unwrap_or_default();
    let source = &prepared.connector.source().name;
    let verdict = guard::check(&sql, &prepared.catalog, source, &guard::Policy::default(), None);
    let unknown =
        verdict.errors().any(|finding| [RuleName::UnknownTable, RuleName::UnknownColumn].contains(&finding.rule));
    Ok(Prediction {
        id: question.id.clone(),
        ok: !sql.is_empty(),
        error: sql.is_empty().then(|| "the reply holds no statement".to_owned()),
        prompt_tokens: reply.usage.prompt_tokens,
        completion_tokens: reply.usage.completion_tokens,
        latency_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        model_calls: 1,
        drafts: vec![one_line(&sql)],
        hallucinated_drafts: usize::from(unknown),
        executed_unknown: usize::from(unknown),
        tables_shown: prepared.catalog.entries().len(),
        tables_total: prepared.catalog.entries().len(),
        sql: one_line(&sql),
        ..Prediction::default()
    })
}

fn schema(catalog: &Catalog) -> String {
    let mut text = String::new();
    for entry in catalog.entries() {
        let table = &entry.table;
        let mut lines: Vec<String> = table
            .columns
            .iter()
            .map(|column| {
                let key = if table.primary_key == [column.name.clone()] { " PRIMARY KEY" } else { "" };
                format!("{} {}{key}", quoted(&column.name), column.data_type).trim_end().to_owned()
            })
            .collect();
        if table.primary_key.len() > 1 {
            lines.push(format!("PRIMARY KEY ({})", listed(&table.primary_key)));
        }
        let declared = |key: &&ForeignKey| key.origin == KeyOrigin::Declared;
        for key in table.foreign_keys.iter().filter(declared) {
            lines.push(format!(
                "FOREIGN KEY ({}) REFERENCES {} ({})",
                listed(&key.columns),
                quoted(&key.ref_table.name),
                listed(&key.ref_columns)
            ));
        }
        let _ = writeln!(text, "CREATE TABLE {} (\n  {}\n);\n", quoted(&table.id.name), lines.join(",\n  "));
    }
    text
}

fn listed(names: &[String]) -> String {
    names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ")
}

fn quoted(name: &str) -> String {
    let plain = name.chars().all(|character| character.is_ascii_alphanumeric() || character == '_')
        && !name.starts_with(|character: char| character.is_ascii_digit());
    if plain && !name.is_empty() { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}
