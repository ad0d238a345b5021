//! What it means: descriptions written by rules or by a model, and the parts that people have rewritten.

use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::structure::TableId;

/// What a table means and what it is for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TableDescription {
    /// Which table.
    pub table: TableId,
    /// One or two sentences.
    pub summary: String,
    /// Why the table exists.
    pub purpose: String,
    /// What kind of table it is.
    pub granularity: Granularity,
    /// What one row is: "one order placed by a customer".
    pub row_meaning: String,
    /// What people of the trade call what it holds, where its name says it in other words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also_called: Vec<String>,
    /// When to use it.
    pub when_to_use: Vec<String>,
    /// Business questions it answers.
    pub questions: Vec<String>,
    /// Rules, owners, sensitivity.
    pub business_context: String,
    /// One for each column.
    pub columns: Vec<ColumnDescription>,
    /// Queries people run on it.
    pub queries: Vec<QueryPattern>,
    /// Known issues and history.
    pub notes: String,
    /// Who wrote it.
    pub author: Author,
    /// When.
    pub written_at: Timestamp,
    /// A hash of the structure and the profile it was written from: another one now means it can be written again.
    pub basis: String,
    /// The columns whose values its author couldn't see. Text written before a column was masked can hold its values.
    #[serde(default)]
    pub unseen: Vec<String>,
    /// What went wrong when a model was asked, where it did; the text is then the rules'.
    pub failure: Option<String>,
}

/// Whether a name stands in a text, with nothing of a longer name around it.
fn stands_in(name: &str, text: &str) -> bool {
    let goes_on = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    text.match_indices(name).any(|(start, _)| {
        let end = start + name.len();
        !goes_on(text[..start].chars().next_back()) && !goes_on(text[end..].chars().next())
    })
}

impl TableDescription {
    /// Gives back memory that its lists have room for and don't use.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.columns.iter_mut().for_each(|column| column.tags.shrink_to_fit());
    }

    /// Whether one of these names stands in it as a word.
    pub(crate) fn mentions(&self, names: &[String]) -> bool {
        if names.is_empty() {
            return false;
        }
        let of_columns = self.columns.iter().flat_map(|column| {
            [&column.description, &column.business_meaning, &column.usage].into_iter().chain(&column.tags)
        });
        let of_queries =
            self.queries.iter().flat_map(|query| [&query.name, &query.sql, &query.use_case, &query.returns]);
        let own = [&self.summary, &self.purpose, &self.row_meaning, &self.business_context, &self.notes];
        let lists = self.also_called.iter().chain(&self.when_to_use).chain(&self.questions).chain(&self.failure);
        let mut texts =
            own.into_iter().chain(lists).chain(of_columns).chain(of_queries).map(|text| text.to_lowercase());
        let names: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
        texts.any(|text| names.iter().any(|name| stands_in(name, &text)))
    }

    /// Whether it was written without the values of that column.
    pub(crate) fn is_without(&self, column: &str) -> bool {
        self.unseen.iter().any(|unseen| unseen.eq_ignore_ascii_case(column))
    }

    /// Whether somebody wrote it who knows what names and figures don't say.
    pub fn is_authored(&self) -> bool {
        self.author != Author::Rules
    }

    /// The column of that name, compared without regard to ASCII case.
    pub fn column(&self, name: &str) -> Option<&ColumnDescription> {
        self.columns.iter().find(|column| column.column.eq_ignore_ascii_case(name))
    }
}

/// What a column means.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ColumnDescription {
    /// Its name.
    pub column: String,
    /// One line.
    pub description: String,
    /// Why the business cares.
    pub business_meaning: String,
    /// How it is used in queries.
    pub usage: String,
    /// `identifier`, `timestamp`, `foreign key`, `measure`, `category` …
    pub tags: Vec<String>,
    /// What its numbers or texts stand for, where that isn't what they say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<Encoding>,
    /// Whether the description's author wrote it; else the rules did.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_authored: bool,
}

/// What a column's values stand for, where that isn't what they say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Encoding {
    /// Amounts of money in hundredths of the currency's unit.
    Cents,
    /// Seconds or milliseconds since 1970.
    UnixTime,
    /// Dates as text in an order that isn't that of time.
    UnsortedDates,
}

impl Encoding {
    /// In a few words: `cents`.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Cents => "cents",
            Self::UnixTime => "Unix time",
            Self::UnsortedDates => "dates as text, not sortable",
        }
    }
}

/// A query that people run on a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QueryPattern {
    /// A short name.
    pub name: String,
    /// The statement.
    pub sql: String,
    /// What for.
    pub use_case: String,
    /// What comes back.
    pub returns: String,
}

/// What kind of table it is, in the terms of dimensional modelling.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Granularity {
    /// Events and measures.
    Fact,
    /// Things that facts refer to.
    Dimension,
    /// Only links two tables.
    Bridge,
    /// A short list of codes.
    Lookup,
    /// Not one of these.
    Other,
}

/// Who wrote a description.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// Deterministic rules over names, types, keys, comments and statistics.
    Rules,
    /// A model, by its name.
    Model(String),
    /// An agent that was asked to document the database, by the name that its client gives itself.
    Agent(String),
}

/// What people have written in place of generated text. It wins, and no later run overwrites it.
///
/// Keys name a part of the Markdown file: `purpose`, `business_context`, `notes`, `queries`, `columns.<name>.description` …;
/// values are the text that stands there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Overrides(pub BTreeMap<String, String>);
