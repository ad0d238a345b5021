//! Small tables and a model that says what it was told to, for this room's tests.
#![allow(clippy::unwrap_used)]

use std::sync::Mutex;

use async_trait::async_trait;
use catalog::{
    Catalog, Column, ColumnProfile, Dialect, Entry, ForeignKey, Identity, KeyOrigin, SampleMethod, Source, Table,
    TableId, TableKind, TableProfile, TypeClass,
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
        id: TableId::new("s", name),
        kind: TableKind::Table,
        comment: None,
        definition: None,
        columns: columns
            .iter()
            .map(|(name, data_type)| Column {
                name: (*name).to_owned(),
                data_type: (*data_type).to_owned(),
                type_class: TypeClass::of(data_type),
                nullable: true,
                default: None,
                comment: None,
                enum_values: Vec::new(),
                generated: None,
            })
            .collect(),
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
        indexes: Vec::new(),
        row_count: None,
        last_update: None,
        reads_from: Vec::new(),
        identity: Identity::default(),
    }
}

/// A profile of one column that says nothing yet.
pub(crate) fn profile_column(name: &str) -> ColumnProfile {
    ColumnProfile::empty(name)
}

/// The table with a profile of these columns.
pub(crate) fn profiled(table: Table, columns: Vec<ColumnProfile>) -> Entry {
    let profile = TableProfile {
        table: table.id.clone(),
        fingerprint: table.fingerprint(),
        row_count: table.row_count,
        method: SampleMethod::AllRows,
        rows_seen: 3,
        profiled_at: Timestamp::UNIX_EPOCH,
        write_mark: None,
        columns,
        sample_rows: Vec::new(),
        stale: false,
        skipped: None,
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
