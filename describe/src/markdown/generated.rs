//! The generated text of every part of a page, from the description and the profile.
//!
//! Nothing in it changes unless the catalog does: no time of writing, no order that depends on anything but names.

use catalog::{
    Catalog, Column, Entry, Exactness, FactJudgement, ForeignKey, Granularity, KeyOrigin, SampleMethod,
    TableDescription,
};
use jiff::Timestamp;

use super::escape::{cell, code, inline, sql_block};
use super::page::{FactLine, ROWS_SAY};
use crate::basis::referencing;
use crate::rules::{self, ColumnFacts, Domain, columns_of, domain};

/// Columns of the table of sample rows.
const SAMPLE_COLUMNS: usize = 10;
/// Rows of it.
const SAMPLE_ROWS: usize = 5;
/// Tables listed as referring to this one.
const REFERRING_SHOWN: usize = 40;

/// All generated texts of one page.
pub(crate) struct Texts<'a> {
    entry: &'a Entry,
    catalog: &'a Catalog,
    description: TableDescription,
    columns: Vec<ColumnFacts<'a>>,
}

impl<'a> Texts<'a> {
    /// From the stored description; where there is none yet, from the rules.
    pub(crate) fn of(entry: &'a Entry, catalog: &'a Catalog) -> Self {
        let description = match entry.description() {
            Some(description) => description.clone(),
            None => rules::by_rules(entry, catalog, Timestamp::UNIX_EPOCH),
        };
        Self { entry, catalog, description, columns: columns_of(entry) }
    }

    /// The text of the section with that key.
    pub(crate) fn section(&self, key: &str) -> String {
        match key {
            "purpose" => self.purpose(),
            "business_context" => self.business_context(),
            ROWS_SAY => self.rows_say(),
            "queries" => self.queries(),
            "relationships" => self.relationships(),
            "examples" => self.examples(),
            "notes" => self.notes(),
            _ => String::new(),
        }
    }

    /// The text of a column's field.
    pub(crate) fn field(&self, column: &str, field: &str) -> String {
        let Some(declared) = self.entry.table.columns.iter().find(|declared| declared.name == column) else {
            return String::new();
        };
        match field {
            "type" => match self.entry.shown_type(declared).trim() {
                "" => "not declared".to_owned(),
                data_type => code(data_type),
            },
            "nullable" => if declared.nullable { "yes" } else { "no" }.to_owned(),
            "description" => {
                self.description.column(column).map_or_else(String::new, |described| inline(&described.description))
            }
            "domain" => self.domain(declared),
            _ => self.column_notes(column),
        }
    }

    fn purpose(&self) -> String {
        let described = &self.description;
        let kind = match described.granularity {
            Granularity::Fact => "fact table",
            Granularity::Dimension => "dimension",
            Granularity::Bridge => "bridge table",
            Granularity::Lookup => "lookup table",
            Granularity::Other => self.entry.table.kind.name(),
        };
        let mut text = inline(&described.summary);
        if !described.purpose.is_empty() && described.purpose != described.summary {
            text.push_str("\n\n");
            text.push_str(&inline(&described.purpose));
        }
        text.push_str(&format!("\n\nGranularity: {}; one row is {}.", inline(kind), inline(&described.row_meaning)));
        if !described.also_called.is_empty() {
            text.push_str(&format!("\n\nAlso called: {}.", inline(&described.also_called.join(", "))));
        }
        bullets(&mut text, "Use it when:", &described.when_to_use);
        text
    }

    fn business_context(&self) -> String {
        let mut text = inline(&self.description.business_context);
        bullets(&mut text, "Typical questions:", &self.description.questions);
        text
    }

    /// A list in which people tick what is so and strike out what isn't.
    fn rows_say(&self) -> String {
        let dialect = self.catalog.dialect(&self.entry.table.id.source);
        let lines = self.catalog.found_facts(self.entry).map(|fact| {
            let told = format!("{} {}", code(&fact.key()), inline(&fact.in_words(dialect)));
            match self.entry.judgement(fact) {
                None => format!("- [ ] {told}"),
                Some(FactJudgement::Confirmed) => format!("- [x] {told}"),
                Some(FactJudgement::Dismissed) => format!("- ~~{told}~~"),
            }
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// What is needed to read that list back.
    pub(crate) fn fact_lines(&self) -> Vec<FactLine> {
        let lines = self
            .catalog
            .found_facts(self.entry)
            .map(|fact| FactLine { override_key: fact.override_key(), name: code(&fact.key()) });
        lines.collect()
    }

    fn queries(&self) -> String {
        let blocks: Vec<String> = self
            .description
            .queries
            .iter()
            .map(|pattern| {
                format!(
                    "### Query Pattern: {}\n\n{}\n\n**Use case:** {}\n**Returns:** {}",
                    inline(&pattern.name),
                    sql_block(&pattern.sql),
                    inline(&pattern.use_case),
                    inline(&pattern.returns)
                )
            })
            .collect();
        blocks.join("\n\n")
    }

    fn relationships(&self) -> String {
        let mut lines = Vec::new();
        for key in &self.entry.table.foreign_keys {
            lines.push(format!("- References {}: {}", code(&key.ref_table.local()), join_text(key)));
        }
        let parents = referencing(self.catalog, &self.entry.table.id);
        for parent in parents.iter().take(REFERRING_SHOWN) {
            for key in parent.table.foreign_keys.iter().filter(|key| key.ref_table == self.entry.table.id) {
                lines.push(format!("- Referenced by {}: {}", code(&parent.table.id.local()), join_text(key)));
            }
        }
        if parents.len() > REFERRING_SHOWN {
            lines.push(format!("- Referenced by {} more tables", parents.len() - REFERRING_SHOWN));
        }
        if let Some(definition) = &self.entry.table.definition {
            lines.push(format!("\nDefined as:\n\n{}", sql_block(definition)));
        }
        if lines.is_empty() { "No keys to or from other tables are known.".to_owned() } else { lines.join("\n") }
    }

    fn examples(&self) -> String {
        let Some(profile) = self.entry.profile().filter(|profile| !profile.sample_rows.is_empty()) else {
            return "No rows were sampled.".to_owned();
        };
        let names: Vec<&str> = profile.columns.iter().map(|column| column.column.as_str()).collect();
        let masked: Vec<bool> = profile.columns.iter().map(|column| column.masked.is_some()).collect();
        let shown = names.len().min(SAMPLE_COLUMNS);
        let header: Vec<String> = names.iter().take(shown).map(|name| cell(name)).collect();
        let mut lines = vec![row(&header), row(&vec!["---".to_owned(); shown])];
        for values in profile.sample_rows.iter().take(SAMPLE_ROWS) {
            let cells: Vec<String> = (0..shown)
                .map(|position| match values.get(position).and_then(Option::as_deref) {
                    _ if masked.get(position) == Some(&true) => "(masked)".to_owned(),
                    Some(value) => cell(&rules::shortened(value)),
                    None => "NULL".to_owned(),
                })
                .collect();
            lines.push(row(&cells));
        }
        if names.len() > shown {
            lines.push(format!("\n{} more columns are not shown.", names.len() - shown));
        }
        lines.join("\n")
    }

    fn notes(&self) -> String {
        let mut lines = Vec::new();
        if !self.description.notes.is_empty() {
            lines.push(format!("- {}", inline(&self.description.notes)));
        }
        if let Some(count) = self.entry.table.row_count {
            let exactness = match count.exactness {
                Exactness::Exact => "counted",
                Exactness::Estimate => "estimated",
            };
            lines.push(format!("- Rows: {} ({exactness})", count.value));
        }
        if let Some(profile) = self.entry.profile() {
            if let Some(way) = sampling(&profile.method) {
                lines.push(format!("- Figures and values come from {} rows, {way}", profile.rows_seen));
            }
            if self.entry.is_stale() {
                lines.push("- Stale: no change for over a year".to_owned());
            }
        }
        if !self.entry.table.indexes.is_empty() {
            let indexes: Vec<String> = self
                .entry
                .table
                .indexes
                .iter()
                .map(|index| {
                    let unique = if index.unique { " unique" } else { "" };
                    format!("{}{unique} ({})", code(&index.name), inline(&index.columns.join(", ")))
                })
                .collect();
            lines.push(format!("- Indexes: {}", indexes.join("; ")));
        }
        lines.join("\n")
    }

    fn domain(&self, column: &Column) -> String {
        let known = self.columns.iter().find(|facts| facts.column.name == column.name).and_then(domain);
        match known {
            None => "not known".to_owned(),
            Some(Domain::Masked(reason)) => format!("masked ({})", inline(&reason)),
            Some(Domain::OneOf(values)) => format!("one of {}", codes(&values)),
            Some(Domain::Range(min, max)) => format!("from {} to {}", code(&min), code(&max)),
            Some(Domain::Like { pattern: Some(pattern), examples }) if examples.is_empty() => {
                format!("of the form {}", code(&pattern))
            }
            Some(Domain::Like { pattern: Some(pattern), examples }) => {
                format!("of the form {}, such as {}", code(&pattern), codes(&examples))
            }
            Some(Domain::Like { pattern: None, examples }) => format!("such as {}", codes(&examples)),
        }
    }

    fn column_notes(&self, column: &str) -> String {
        let Some(described) = self.description.column(column) else { return String::new() };
        let mut parts = Vec::new();
        for sentence in [&described.business_meaning, &described.usage] {
            if !sentence.is_empty() {
                parts.push(inline(sentence));
            }
        }
        if !described.tags.is_empty() {
            parts.push(format!("Tags: {}.", inline(&described.tags.join(", "))));
        }
        parts.join(" ")
    }
}

fn bullets(text: &mut String, heading: &str, items: &[String]) {
    if items.is_empty() {
        return;
    }
    if !text.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(heading);
    text.push('\n');
    for item in items {
        text.push_str(&format!("\n- {}", inline(item)));
    }
}

fn join_text(key: &ForeignKey) -> String {
    let pairs: Vec<String> = key
        .columns
        .iter()
        .zip(&key.ref_columns)
        .map(|(column, referenced)| code(&format!("{column} = {}.{referenced}", key.ref_table.name)))
        .collect();
    let origin = match &key.origin {
        KeyOrigin::Declared => "declared".to_owned(),
        KeyOrigin::Inferred(evidence) => {
            let joined = match evidence.joined_in {
                0 => String::new(),
                statements => format!(", joined so in {statements} statements"),
            };
            format!("inferred, {:.0} % confidence{joined}", evidence.confidence * 100.0)
        }
    };
    format!("{} ({origin})", pairs.join(" and "))
}

fn sampling(method: &SampleMethod) -> Option<String> {
    match method {
        SampleMethod::EngineStatistics => Some("the engine's own statistics".to_owned()),
        SampleMethod::AllRows => Some("all there are".to_owned()),
        SampleMethod::RandomByKey { column } => Some(format!("drawn by random values of {}", code(column))),
        SampleMethod::FirstRows => Some("the first ones; others may hold other values".to_owned()),
        SampleMethod::FirstAndLast => {
            Some("the first and the last ones; those in between may hold other values".to_owned())
        }
        SampleMethod::EngineSample => Some("drawn by the engine".to_owned()),
        SampleMethod::Snapshot => Some("that came with the snapshot".to_owned()),
        SampleMethod::Nothing => None,
    }
}

fn codes(values: &[String]) -> String {
    values.iter().map(|value| code(value)).collect::<Vec<_>>().join(", ")
}

fn row(cells: &[String]) -> String {
    format!("| {} |", cells.join(" | "))
}
