//! What kind of statement a tree is, and what it does if it is no query.
//!
//! Only queries, and EXPLAIN of queries, are read further. Everything else gets a kind and an effect: it is not the
//! reader's business to say more about a statement that nobody may run.

use sqlparser::ast::{Set, Statement, Value};

use crate::reading::{Effect, EffectKind, StatementKind};

/// The kind of a statement, and the effect of running it, if it has one by its kind alone.
pub(crate) fn classify(statement: &Statement, text: &str) -> (StatementKind, Option<Effect>) {
    let word = first_word(text);
    let effect = |kind, what: &str| Some(Effect { kind, what: what.to_owned(), span: None });
    match statement {
        Statement::Query(_) => (StatementKind::Query, None),
        Statement::Explain { .. } => (StatementKind::Explain, None),
        Statement::ExplainTable { .. } => (StatementKind::Describe, None),
        Statement::ShowTables { .. }
        | Statement::ShowColumns { .. }
        | Statement::ShowCreate { .. }
        | Statement::ShowDatabases { .. }
        | Statement::ShowSchemas { .. }
        | Statement::ShowViews { .. }
        | Statement::ShowVariable { .. }
        | Statement::ShowVariables { .. }
        | Statement::ShowStatus { .. }
        | Statement::ShowFunctions { .. }
        | Statement::ShowCollation { .. }
        | Statement::ShowProcessList { .. }
        | Statement::ShowCharset(_)
        | Statement::ShowCatalogs { .. }
        | Statement::ShowObjects(_) => (StatementKind::Show(after_first_word(text)), None),
        Statement::Pragma { name, value, is_eq } => (
            StatementKind::Pragma {
                name: name.to_string().to_lowercase(),
                argument: value.as_ref().map(|value| literal_text(&value.value)),
                assigned: *is_eq,
            },
            effect(EffectKind::Pragma, "`PRAGMA` reads or changes how the database works"),
        ),
        Statement::Insert(_) | Statement::CopyIntoSnowflake { .. } | Statement::LoadData { .. } => {
            (StatementKind::Insert, effect(EffectKind::Write, "the statement adds rows"))
        }
        Statement::Update(_) => (StatementKind::Update, effect(EffectKind::Write, "the statement changes rows")),
        Statement::Delete(_) => (StatementKind::Delete, effect(EffectKind::Write, "the statement removes rows")),
        Statement::Merge(_) => (StatementKind::Merge, effect(EffectKind::Write, "the statement merges rows")),
        Statement::StartTransaction { .. }
        | Statement::Commit { .. }
        | Statement::Rollback { .. }
        | Statement::Savepoint { .. }
        | Statement::ReleaseSavepoint { .. } => {
            (StatementKind::Transaction, effect(EffectKind::Transaction, "the statement controls a transaction"))
        }
        Statement::Set(Set::SetTransaction { .. }) => {
            (StatementKind::Transaction, effect(EffectKind::Transaction, "the statement controls a transaction"))
        }
        Statement::Set(_) | Statement::Reset(_) | Statement::Use(_) | Statement::AlterSession { .. } => {
            (StatementKind::Setting, effect(EffectKind::Setting, "the statement changes a setting"))
        }
        Statement::AttachDatabase { .. }
        | Statement::AttachDuckDBDatabase { .. }
        | Statement::DetachDuckDBDatabase { .. }
        | Statement::Install { .. }
        | Statement::Load { .. } => (
            StatementKind::Other(word),
            effect(EffectKind::Attach, "the statement attaches a database or loads an extension"),
        ),
        Statement::Lock(_) | Statement::LockTables { .. } | Statement::UnlockTables => {
            (StatementKind::Other(word), effect(EffectKind::Lock, "the statement locks tables"))
        }
        Statement::Copy { .. } | Statement::Directory { .. } | Statement::Unload { .. } | Statement::ExportData(_) => {
            (StatementKind::Other(word), effect(EffectKind::ExternalData, "the statement reads or writes files"))
        }
        _ => by_word(word),
    }
}

/// The many statements that differ only in what they define or control.
fn by_word(word: String) -> (StatementKind, Option<Effect>) {
    let definition = ["CREATE", "ALTER", "DROP", "TRUNCATE", "RENAME", "GRANT", "REVOKE", "DENY", "COMMENT", "REFRESH"];
    if definition.contains(&word.as_str()) {
        let what = format!("`{word}` changes what the database is made of");
        return (StatementKind::Definition, Some(Effect { kind: EffectKind::Definition, what, span: None }));
    }
    let what = format!("`{word}` is a command, not a query");
    (StatementKind::Other(word), Some(Effect { kind: EffectKind::Administration, what, span: None }))
}

/// The first word of the text, in capitals, behind blanks, comments and brackets.
pub(crate) fn first_word(text: &str) -> String {
    let text = without_leading_trivia(text);
    text.chars()
        .take_while(|character| character.is_alphanumeric() || *character == '_')
        .take(40)
        .collect::<String>()
        .to_uppercase()
}

fn after_first_word(text: &str) -> String {
    let text = without_leading_trivia(text);
    let rest = text.trim_start_matches(|character: char| character.is_alphanumeric() || character == '_');
    rest.split_whitespace().collect::<Vec<_>>().join(" ").trim_end_matches(';').trim().to_lowercase()
}

fn without_leading_trivia(text: &str) -> &str {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|character: char| character.is_whitespace() || "(;".contains(character));
        let shorter = if let Some(comment) = rest.strip_prefix("--") {
            comment.find('\n').map(|end| &comment[end..])
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.find("*/").map(|end| &comment[end + 2..])
        } else {
            return rest;
        };
        match shorter {
            Some(shorter) => rest = shorter,
            None => return "",
        }
    }
}

/// A value as text, without quotes.
fn literal_text(value: &Value) -> String {
    value.clone().into_string().unwrap_or_else(|| value.to_string())
}
