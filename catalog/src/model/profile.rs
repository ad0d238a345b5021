//! What is in the columns, and how we know.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fact::Fact;
use super::masks::{Exposure, Mask, MaskedBy};
use super::structure::{RowCount, Table, TableId};
use super::value_form::ValueForm;
use crate::names::place_of;

/// A table's profile, complete or marked as skipped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TableProfile {
    /// Which table.
    pub table: TableId,
    /// [`crate::Table::fingerprint`] at the time; another one now means the profile is out of date.
    pub fingerprint: String,
    /// Rows at the time.
    pub row_count: Option<RowCount>,
    /// How the rows were chosen.
    pub method: SampleMethod,
    /// How many rows the figures rest on.
    pub rows_seen: u64,
    /// When.
    pub profiled_at: Timestamp,
    /// When another profile of the table was last found to be the same but for its time, the time of the first of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_since: Option<Timestamp>,
    /// What the engine said of writes when the rows were looked at; another one now means that rows have changed.
    #[serde(default)]
    pub write_mark: Option<WriteMark>,
    /// One for each column, in the table's order.
    pub columns: Vec<ColumnProfile>,
    /// 3 to 5 rows chosen to show as many values as possible; masked cells hold `None`. In column order.
    pub sample_rows: Vec<Vec<Option<String>>>,
    /// What its rows say that names and types don't. What may be told of it, [`crate::Catalog::facts`] tells.
    #[serde(default)]
    pub facts: Vec<Fact>,
    /// No change for over a year: ranked down, never hidden.
    pub stale: bool,
    /// Why nothing was profiled, where nothing was: `permission denied`, `stale tables are left out` …
    pub skipped: Option<String>,
}

impl TableProfile {
    /// A profile that says nothing yet of each of the table's columns, for rows chosen by `method`.
    pub fn new(table: &Table, method: SampleMethod, profiled_at: Timestamp) -> Self {
        Self {
            table: table.id.clone(),
            fingerprint: table.fingerprint(),
            row_count: table.row_count,
            method,
            rows_seen: 0,
            profiled_at,
            same_since: None,
            write_mark: None,
            columns: table.columns.iter().map(|column| ColumnProfile::empty(&column.name)).collect(),
            sample_rows: Vec::new(),
            facts: Vec::new(),
            stale: false,
            skipped: None,
        }
    }

    /// The column of that name, in whatever case where only one is meant.
    pub fn column(&self, name: &str) -> Option<&ColumnProfile> {
        place_of(self.columns.iter().map(|column| column.column.as_str()), name)
            .and_then(|place| self.columns.get(place))
    }

    /// Why the database didn't let us read the table: it was left out, and not for its age.
    pub fn unreadable(&self) -> Option<&str> {
        self.skipped.as_deref().filter(|_| !self.stale)
    }

    /// Takes out what may not be shown, whatever was so when it was made.
    pub(crate) fn withhold(&mut self, table: &Table, exposures: &[Exposure]) {
        let is_open =
            |column: &str| table.place_of(column).and_then(|place| exposures.get(place)) == Some(&Exposure::Open);
        // What rests on another table is looked at where that one is known.
        self.facts.retain(|fact| fact.is_open(is_open, |_, _| true));
        for (position, column) in self.columns.iter_mut().enumerate() {
            let place = table.place_of(&column.column);
            let exposure = place.and_then(|place| exposures.get(place));
            column.masked = exposure.and_then(Exposure::mask).cloned();
            if !matches!(exposure, Some(Exposure::Open)) {
                let figures = std::mem::replace(column, ColumnProfile::empty(""));
                *column = figures.without_values();
                for row in &mut self.sample_rows {
                    row.get_mut(position).into_iter().for_each(|cell| *cell = None);
                }
            }
        }
    }

    /// Gives back memory that its lists have room for and don't use: a large catalog holds hundreds of thousands.
    pub(crate) fn shrink_to_fit(&mut self) {
        for column in &mut self.columns {
            column.most_common.shrink_to_fit();
            if let KnownValues::All(values) | KnownValues::Some(values) = &mut column.values {
                values.shrink_to_fit();
            }
        }
    }
}

/// What an engine tells of the writes to a table, without it being read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WriteMark {
    /// Rows inserted, changed and deleted since counting began, where the engine counts them.
    pub rows_written: Option<u64>,
    /// Changes with everything that the count doesn't tell: counting began anew, all rows were replaced, the last write
    /// was at another time.
    pub epoch: String,
}

/// How the rows behind a profile were chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SampleMethod {
    /// The engine's own statistics; no row was read.
    EngineStatistics,
    /// Every row was read, because there are few.
    AllRows,
    /// Rows found by random values of this index column, between its smallest and largest.
    RandomByKey {
        /// The column.
        column: String,
    },
    /// The first and the last rows in key order; biased where the data is sorted by time.
    FirstAndLast,
    /// Only the first rows, because no key leads to the last ones: large views and virtual tables.
    FirstRows,
    /// The engine's own sampling clause.
    EngineSample,
    /// Sample values that came with a snapshot.
    Snapshot,
    /// Nothing was read.
    Nothing,
}

/// What a column holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ColumnProfile {
    /// Its name.
    pub column: String,
    /// Share of rows that are NULL, 0 to 1.
    pub null_fraction: Option<f64>,
    /// Different values that are not NULL, estimated for the whole table.
    pub distinct_count: Option<u64>,
    /// `distinct_count` over the rows that are not NULL, 0 to 1.
    pub distinct_ratio: Option<f64>,
    /// The most frequent values with their share of all rows, most frequent first, at most 10.
    pub most_common: Vec<ValueFrequency>,
    /// The smallest value, as text.
    pub min: Option<String>,
    /// The largest value, as text.
    pub max: Option<String>,
    /// Mean length of the text form, in characters.
    pub average_length: Option<f64>,
    /// How long the longest text form is that was seen, in bytes; of a large table not all of them are measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longest: Option<u64>,
    /// The form all or nearly all values have.
    pub pattern: Option<Pattern>,
    /// How its numbers or days are distributed, where the rows that were looked at come from everywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub histogram: Option<Histogram>,
    /// The values themselves.
    pub values: KnownValues,
    /// Why the values were left out, for a sensitive column. Then every field above that could tell a value is empty.
    /// Whether a column may be shown is for [`crate::Entry::exposure`] to say.
    pub masked: Option<Mask>,
    /// What the values would be left out for, had a person or the configuration not released them.
    #[serde(default)]
    pub overruled: Option<Mask>,
}

impl ColumnProfile {
    /// A profile that says nothing yet.
    pub fn empty(column: impl Into<String>) -> Self {
        Self {
            column: column.into(),
            null_fraction: None,
            distinct_count: None,
            distinct_ratio: None,
            most_common: Vec::new(),
            min: None,
            max: None,
            average_length: None,
            longest: None,
            pattern: None,
            histogram: None,
            values: KnownValues::Unknown,
            masked: None,
            overruled: None,
        }
    }

    /// Why its values were left out, where they were.
    pub fn masked_because(&self) -> Option<&str> {
        self.masked.as_ref().map(|mask| mask.reason.as_str())
    }

    /// Leaves what tells no value: how many are different, how many are NULL. Of a column that is made from a masked one
    /// even that can be a condition over it. The form of values that differ in their digits alone is their text.
    #[must_use]
    pub fn without_values(self) -> Self {
        // How many rows have a value is told of none that nobody may use at all.
        let is_uncounted =
            self.masked.as_ref().is_some_and(|mask| matches!(mask.by, MaskedBy::Origin | MaskedBy::Denied));
        let counted = if is_uncounted { Self::empty("") } else { self.clone() };
        Self {
            null_fraction: counted.null_fraction,
            distinct_count: counted.distinct_count,
            distinct_ratio: counted.distinct_ratio,
            masked: self.masked,
            overruled: self.overruled,
            ..Self::empty(self.column)
        }
    }
}

/// How numbers or days are distributed: over parts of equal width, of which the first and the last hold what lies farther out as
/// well.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Histogram {
    /// Where the first part begins: a number, or a day.
    pub from: String,
    /// Where the last one ends.
    pub until: String,
    /// The share of all rows in each, 0 to 1.
    pub shares: Vec<f64>,
}

/// A value and how often it occurs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ValueFrequency {
    /// As text, cut at 200 characters.
    pub value: String,
    /// Share of all rows, 0 to 1.
    pub fraction: f64,
}

/// The values of a column that are known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KnownValues {
    /// Not looked at.
    Unknown,
    /// Every different value (fewer than 20), most frequent first. From a sample, unless the method is
    /// [`SampleMethod::AllRows`].
    All(Vec<String>),
    /// 3 to 5 that stand for the others.
    Some(Vec<String>),
}

impl KnownValues {
    /// The values, whichever kind.
    pub fn as_slice(&self) -> &[String] {
        match self {
            Self::Unknown => &[],
            Self::All(values) | Self::Some(values) => values,
        }
    }
}

/// The form of a column's values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pattern {
    /// Which.
    #[serde(rename = "name")]
    pub form: ValueForm,
    /// Share of the values seen that have it, 0 to 1.
    pub share: f64,
}
