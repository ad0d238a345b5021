//! Small catalogs for this room's tests: tables written in one line each.

#![allow(clippy::unwrap_used, reason = "a broken fixture should stop the test")]

use catalog::{
    Catalog, Column, ColumnProfile, Dialect, Entry, Exactness, ForeignKey, KeyEvidence, KeyOrigin, KnownValues, Memory,
    RowCount, SampleMethod, Source, Table, TableId, TableProfile, TypeClass,
};
use index::Embedder;
use llm::LlmError;

/// An embedder that knows no meaning: each word is a direction of its own. Enough to see what linking does.
pub(crate) struct WordEmbedder;

impl Embedder for WordEmbedder {
    fn name(&self) -> &str {
        "words"
    }

    fn dimensions(&self) -> usize {
        509
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, LlmError> {
        Ok(texts.iter().map(|text| unit_vector(text)).collect())
    }
}

fn unit_vector(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0_f32; 509];
    for word in words::in_text(text) {
        let place = words::singular(&word).bytes().fold(7_usize, |sum, byte| sum.wrapping_mul(31) + usize::from(byte));
        vector[place % 509] += 1.0;
    }
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
    vector.iter().map(|value| value / length).collect()
}

/// A catalog of tables written as `source.table: column type = value|value, …; column -> table.column, column ~> table.column`.
/// `->` is a declared key, `~>` an inferred one.
pub(crate) fn catalog_of(tables: &[&str]) -> Catalog {
    let entries: Vec<Entry> = tables.iter().map(|line| entry_of(line)).collect();
    catalog_with(entries, Vec::new())
}

pub(crate) fn catalog_with(entries: Vec<Entry>, memories: Vec<Memory>) -> Catalog {
    let mut names: Vec<String> = entries.iter().map(|entry| entry.table.id.source.clone()).collect();
    names.sort();
    names.dedup();
    let sources = names.into_iter().map(|name| Source::new(name.as_str(), Dialect::Sqlite, format!("sqlite:{name}")));
    Catalog::new(sources.collect(), entries, memories, 1)
}

pub(crate) fn entry_of(line: &str) -> Entry {
    let (name, rest) = line.split_once(':').unwrap();
    let (source, name) = name.split_once('.').unwrap();
    let (columns, keys) = rest.split_once(';').unwrap_or((rest, ""));
    let id = TableId::new(source, name);
    let mut structures = Vec::new();
    let mut profiles = Vec::new();
    for column in columns.split(',').map(str::trim).filter(|column| !column.is_empty()) {
        let (head, values) = column.split_once('=').unwrap_or((column, ""));
        let (name, data_type) = head.trim().split_once(' ').unwrap_or((head.trim(), "TEXT"));
        structures.push(Column {
            name: name.to_owned(),
            data_type: data_type.trim().to_owned(),
            type_class: TypeClass::of(data_type),
            nullable: true,
            default: None,
            comment: None,
            enum_values: Vec::new(),
            generated: None,
        });
        let values: Vec<String> =
            values.split('|').map(str::trim).filter(|value| !value.is_empty()).map(String::from).collect();
        let known = if values.is_empty() { KnownValues::Unknown } else { KnownValues::All(values) };
        profiles.push(ColumnProfile { values: known, ..ColumnProfile::empty(name) });
    }
    let primary_key = structures.first().map(|column| vec![column.name.clone()]).unwrap_or_default();
    let table = Table {
        columns: structures,
        primary_key,
        foreign_keys: keys.split(',').filter_map(|key| key_of(source, key)).collect(),
        row_count: Some(RowCount { value: 100, exactness: Exactness::Exact }),
        ..Table::new(id.clone())
    };
    let profile = TableProfile {
        rows_seen: 100,
        columns: profiles,
        ..TableProfile::new(&table, SampleMethod::AllRows, jiff::Timestamp::UNIX_EPOCH)
    };
    Entry::bare(table).with_profile(profile)
}

fn key_of(source: &str, text: &str) -> Option<ForeignKey> {
    let (arrow, origin) = if text.contains("~>") {
        let evidence =
            KeyEvidence { name_fit: 0.9, joined_in: 0, inclusion: Some(1.0), values_checked: 10, confidence: 0.8 };
        ("~>", KeyOrigin::Inferred(evidence))
    } else {
        ("->", KeyOrigin::Declared)
    };
    let (column, target) = text.split_once(arrow)?;
    let (table, ref_column) = target.trim().split_once('.')?;
    Some(ForeignKey {
        columns: vec![column.trim().to_owned()],
        ref_table: TableId::new(source, table),
        ref_columns: vec![ref_column.to_owned()],
        origin,
    })
}
