//! Small tables and a model that says what it was told to, for this room's tests.
#![allow(clippy::unwrap_used)]

use std::sync::Mutex;

use async_trait::async_trait;
use catalog::{
    Catalog, Column, ColumnProfile, Dialect, Entry, ForeignKey, KeyOrigin, SampleMethod, Source, Table, TableId,
    TableProfile,
};
use jiff::Timestamp;
use llm::{ChatModel, ChatReply, ChatRequest, LlmError, ModelInfo, OnText, StopReason, Usage};

/// A table of the source `s`: columns with types, primary key, declared keys as (column, table, column).
pub(crate) fn table(
    name: &str,
    columns: &[(&str, &str)],
    primary_key: &[&str],
    foreign_keys: &[(&str, &str, &str)],
) -> Table {
    Table {
        columns: columns.iter().map(|(name, data_type)| Column::new(*name, *data_type)).collect(),
        primary_key: primary_key.iter().map(|name| (*name).to_owned()).collect(),
        foreign_keys: foreign_keys
            .iter()
            .map(|(column, table, referenced)| ForeignKey {
                columns: vec![(*column).to_owned()],
                ref_table: TableId::new("s", *table),
                ref_columns: vec![(*referenced).to_owned()],
                origin: KeyOrigin::Declared,
            })
            .collect(),
        ..Table::new(TableId::new("s", name))
    }
}

/// The table with a profile of these columns.
pub(crate) fn profiled(table: Table, columns: Vec<ColumnProfile>) -> Entry {
    let profile = TableProfile {
        rows_seen: 3,
        columns,
        ..TableProfile::new(&table, SampleMethod::AllRows, Timestamp::UNIX_EPOCH)
    };
    Entry::bare(table).with_profile(profile)
}

/// The source `s`.
pub(crate) fn source() -> Source {
    Source::new("s", Dialect::Sqlite, "sqlite:s.db")
}

/// A catalog of the source `s` with these tables.
pub(crate) fn catalog(entries: Vec<Entry>) -> Catalog {
    Catalog::new(vec![source()], entries, Vec::new(), 1)
}

/// Gives these answers one after the other and keeps what it was asked.
pub(crate) struct Scripted {
    info: ModelInfo,
    answers: Mutex<Vec<String>>,
    pub(crate) asked: Mutex<Vec<ChatRequest>>,
}

impl Scripted {
    pub(crate) fn new(answers: &[String]) -> Self {
        let info = ModelInfo {
            name: "test/scripted".into(),
            small: false,
            tools: true,
            json_schema: true,
            context_tokens: 8_000,
        };
        let answers = answers.iter().rev().cloned().collect();
        Self { info, answers: Mutex::new(answers), asked: Mutex::new(Vec::new()) }
    }

    pub(crate) fn requests(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

#[async_trait]
impl ChatModel for Scripted {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    async fn chat(&self, request: &ChatRequest, _: &mut OnText<'_>) -> Result<ChatReply, LlmError> {
        self.asked.lock().unwrap().push(request.clone());
        let text = self.answers.lock().unwrap().pop().unwrap_or_default();
        Ok(ChatReply { text, tool_calls: Vec::new(), usage: Usage::default(), stop: StopReason::End, likelihood: None })
    }
}
