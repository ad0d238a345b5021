//! What rows say that names and types don't: a date kept as text, a total that isn't the sum of its parts, two tables of
//! which one goes on where the other ends.
//!
//! A fact is typed, so that who writes or judges a statement can use it, and comes with the counts that it rests on and a
//! query that shows it. Invariant: a fact tells of columns by name, and holds values of columns that it rests on alone, so that it isn't
//! told where one of these may not be shown.

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::structure::TableId;

mod kinds;
mod words;

pub use self::kinds::{DocumentPath, FactKind, FormBy, TimeUnit};

/// Something that the rows of a table say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fact {
    /// What.
    #[serde(flatten)]
    pub kind: FactKind,
    /// Rows, keys or pairs of columns that it held for.
    pub held: u64,
    /// Those that were looked at.
    pub looked_at: u64,
    /// A query that shows it.
    pub proof: String,
    /// Columns of the table that took part in finding it, besides those that it names: where one of them may not be shown, it
    /// isn't told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rests_on: Vec<String>,
    /// The same of the other table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rests_on_there: Vec<String>,
}

/// What somebody said of a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FactJudgement {
    /// It is so, and matters.
    Confirmed,
    /// It isn't so, or doesn't matter: it is told no more, whatever the rows say.
    Dismissed,
}

impl FactJudgement {
    /// As it is stored, at the beginning of what somebody wrote.
    pub fn word(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Dismissed => "dismissed",
        }
    }

    /// What is stored, and shown, of who said it when, and why.
    pub fn said(self, author: &str, on: Date, reason: Option<&str>) -> String {
        let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
        format!("{} by {author} on {on}{reason}", self.word())
    }

    pub(crate) fn of(text: &str) -> Option<Self> {
        [Self::Confirmed, Self::Dismissed].into_iter().find(|judgement| text.starts_with(judgement.word()))
    }
}

/// FNV-1a, folded to 32 bits.
fn fingerprint(text: &str) -> u32 {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3);
    let hash = text.bytes().fold(0xCBF2_9CE4_8422_2325, mix);
    (hash >> 32) as u32 ^ hash as u32
}

impl Fact {
    /// One that rests on the columns that it names.
    pub fn new(kind: FactKind, held: u64, looked_at: u64, proof: String) -> Self {
        Self { kind, held, looked_at, proof, rests_on: Vec::new(), rests_on_there: Vec::new() }
    }

    /// The same, for which other columns here and in the other table were looked at as well.
    #[must_use]
    pub fn resting_on<'c>(
        mut self,
        here: impl IntoIterator<Item = &'c str>,
        there: impl IntoIterator<Item = &'c str>,
    ) -> Self {
        self.rests_on.extend(here.into_iter().map(str::to_owned));
        self.rests_on_there.extend(there.into_iter().map(str::to_owned));
        self
    }

    /// Whether it may be told, where `here` and `there` say which columns of the table and of the other one may be shown.
    pub(crate) fn is_open(&self, here: impl Fn(&str) -> bool, there: impl Fn(&TableId, &str) -> bool) -> bool {
        let own = self.columns().into_iter().chain(self.rests_on.iter().map(String::as_str));
        let other = self.other().into_iter().flat_map(|(table, column)| {
            let besides = self.rests_on_there.iter().map(String::as_str);
            std::iter::once(column).chain(besides).map(move |column| (table, column))
        });
        own.into_iter().all(here) && other.into_iter().all(|(table, column)| there(table, column))
    }

    /// The share that it held for, 0 to 1.
    pub fn share(&self) -> f64 {
        if self.looked_at == 0 { 0.0 } else { self.held as f64 / self.looked_at as f64 }
    }

    /// Its name: `text_dates`.
    pub fn name(&self) -> &'static str {
        match &self.kind {
            FactKind::TextDates { .. } => "text_dates",
            FactKind::CountedTime { .. } => "counted_time",
            FactKind::Placeholder { .. } => "placeholder",
            FactKind::MarkedDeleted { .. } => "marked_deleted",
            FactKind::TestRows { .. } => "test_rows",
            FactKind::Computed { .. } => "computed",
            FactKind::ComputedWhile { .. } => "computed_while",
            FactKind::ComputedBy { .. } => "computed_by",
            FactKind::OneFilled { .. } => "one_filled",
            FactKind::NegativeWhere { .. } => "negative_where",
            FactKind::Versions { .. } => "versions",
            FactKind::OneRowPer { .. } => "one_row_per",
            FactKind::History { .. } => "history",
            FactKind::NamedValues { .. } => "named_values",
            FactKind::MeaningBy { .. } => "meaning_by",
            FactKind::Paths { .. } => "paths",
            FactKind::TotalRows { .. } => "total_rows",
            FactKind::Filtered { .. } => "filtered",
            FactKind::Twin { .. } => "twin",
            FactKind::FilledWhile { .. } => "filled_while",
            FactKind::Gap { .. } => "gap",
            FactKind::RowsChanged { .. } => "rows_changed",
            FactKind::NegativeWhile { .. } => "negative_while",
            FactKind::CodesChanged { .. } => "codes_changed",
            FactKind::ScaleChanged { .. } => "scale_changed",
            FactKind::ConstantWhile { .. } => "constant_while",
            FactKind::Peak { .. } => "peak",
            FactKind::SetAside { .. } => "set_aside",
            FactKind::Replaces { .. } => "replaces",
            FactKind::ParentTotals { .. } => "parent_totals",
            FactKind::RepeatedAmount { .. } => "repeated_amount",
            FactKind::SharesOf { .. } => "shares_of",
            FactKind::HoursMinutes { .. } => "hours_minutes",
            FactKind::CodesWhereFilled { .. } => "codes_where_filled",
            FactKind::ParallelRows { .. } => "parallel_rows",
            FactKind::EndsNextDay { .. } => "ends_next_day",
            FactKind::CurrencyThere { .. } => "currency_there",
            FactKind::ScaledThere { .. } => "scaled_there",
            FactKind::NegativeThere { .. } => "negative_there",
            FactKind::CodesWhile { .. } => "codes_while",
            FactKind::ScaledBy { .. } => "scaled_by",
            FactKind::RunningTotal { .. } => "running_total",
            FactKind::MarkedOne { .. } => "marked_one",
            FactKind::OtherClock { .. } => "other_clock",
            FactKind::OtherDay { .. } => "other_day",
            FactKind::ClockBy { .. } => "clock_by",
            FactKind::SignedBy { .. } => "signed_by",
            FactKind::OddForm { .. } => "odd_form",
            FactKind::List { .. } => "list",
            FactKind::WrittenNumbers { .. } => "written_numbers",
            FactKind::PastMidnight { .. } => "past_midnight",
            FactKind::Repeated { .. } => "repeated",
            FactKind::OtherYear { .. } => "other_year",
            FactKind::Spellings { .. } => "spellings",
            FactKind::Scaled { .. } => "scaled",
            FactKind::Continued { .. } => "continued",
            FactKind::Preceded { .. } => "preceded",
            FactKind::CopyOf { .. } => "copy_of",
            FactKind::CodesOtherwise { .. } => "codes_otherwise",
            FactKind::Homonym { .. } => "homonym",
            FactKind::CodedBy { .. } => "coded_by",
            FactKind::RefersLike { .. } => "refers_like",
            FactKind::RefersAs { .. } => "refers_as",
            FactKind::RefersToSeveral { .. } => "refers_to_several",
        }
    }

    /// What it is known by when people judge it, in whatever numbers it is told: `text_dates:booked`,
    /// `continued:began>stays.began`.
    pub fn key(&self) -> String {
        let there = self.other().map(|(table, column)| format!(">{}.{column}", table.local()));
        let list = match &self.kind {
            // By which list is told apart, and not which one: the key outlives a mask.
            FactKind::CodedBy { list, .. } => format!("={:08x}", fingerprint(list)),
            _ => String::new(),
        };
        format!("{}:{}{}{list}", self.name(), self.columns().join(","), there.unwrap_or_default())
    }

    /// The key of the override that holds what people say of it.
    pub fn override_key(&self) -> String {
        Self::override_key_of(&self.key())
    }

    /// The same of the fact that has this [`Fact::key`].
    pub fn override_key_of(key: &str) -> String {
        format!("facts.{key}")
    }

    /// The column that it is told beside; `None` where it is about the table.
    pub fn column(&self) -> Option<&str> {
        match &self.kind {
            FactKind::TextDates { column, .. }
            | FactKind::CountedTime { column, .. }
            | FactKind::Placeholder { column, .. }
            | FactKind::Computed { column, .. }
            | FactKind::ComputedWhile { column, .. }
            | FactKind::ComputedBy { column, .. }
            | FactKind::NegativeWhere { column, .. }
            | FactKind::MeaningBy { column, .. }
            | FactKind::Paths { column, .. }
            | FactKind::Twin { column, .. }
            | FactKind::FilledWhile { column, .. }
            | FactKind::NegativeWhile { column, .. }
            | FactKind::CodesChanged { column, .. }
            | FactKind::ScaleChanged { column, .. }
            | FactKind::SignedBy { column, .. }
            | FactKind::ConstantWhile { column, .. }
            | FactKind::CodesWhile { column, .. }
            | FactKind::Peak { column, .. }
            | FactKind::Replaces { column, .. }
            | FactKind::ParentTotals { column, .. }
            | FactKind::RepeatedAmount { column, .. }
            | FactKind::SharesOf { column, .. }
            | FactKind::HoursMinutes { column, .. }
            | FactKind::CodesWhereFilled { column, .. }
            | FactKind::ParallelRows { column, .. }
            | FactKind::EndsNextDay { column, .. }
            | FactKind::CurrencyThere { column, .. }
            | FactKind::ScaledThere { column, .. }
            | FactKind::NegativeThere { column, .. }
            | FactKind::ScaledBy { column, .. }
            | FactKind::RunningTotal { column, .. }
            | FactKind::MarkedOne { column, .. }
            | FactKind::OtherClock { column, .. }
            | FactKind::OtherDay { column, .. }
            | FactKind::ClockBy { column, .. }
            | FactKind::OddForm { column, .. }
            | FactKind::List { column, .. }
            | FactKind::WrittenNumbers { column, .. }
            | FactKind::PastMidnight { column, .. }
            | FactKind::OtherYear { column, .. }
            | FactKind::Spellings { column, .. }
            | FactKind::CodesOtherwise { column, .. }
            | FactKind::Homonym { column, .. }
            | FactKind::CodedBy { column, .. }
            | FactKind::RefersLike { column, .. }
            | FactKind::RefersToSeveral { column, .. }
            | FactKind::RefersAs { column, .. } => Some(column),
            FactKind::Scaled { columns, .. } => columns.first().map(String::as_str),
            FactKind::MarkedDeleted { .. }
            | FactKind::SetAside { .. }
            | FactKind::TestRows { .. }
            | FactKind::Repeated { .. }
            | FactKind::OneRowPer { .. }
            | FactKind::OneFilled { .. }
            | FactKind::Versions { .. }
            | FactKind::History { .. }
            | FactKind::NamedValues { .. }
            | FactKind::TotalRows { .. }
            | FactKind::Filtered { .. }
            | FactKind::Gap { .. }
            | FactKind::RowsChanged { .. }
            | FactKind::Continued { .. }
            | FactKind::Preceded { .. }
            | FactKind::CopyOf { .. } => None,
        }
    }

    /// The table's own columns that it rests on.
    pub fn columns(&self) -> Vec<&str> {
        match &self.kind {
            FactKind::TextDates { column, by, .. } => {
                std::iter::once(column).chain(by.iter().map(|by| &by.column)).map(String::as_str).collect()
            }
            FactKind::CountedTime { column, .. }
            | FactKind::Placeholder { column, .. }
            | FactKind::MarkedDeleted { column, .. }
            | FactKind::SetAside { column, .. }
            | FactKind::Peak { column, .. }
            | FactKind::TestRows { column, .. }
            | FactKind::Paths { column, .. }
            | FactKind::OddForm { column, .. }
            | FactKind::List { column, .. }
            | FactKind::WrittenNumbers { column, .. }
            | FactKind::PastMidnight { column, .. }
            | FactKind::HoursMinutes { column, .. }
            | FactKind::Spellings { column, .. }
            | FactKind::RowsChanged { column, .. }
            | FactKind::Continued { column, .. }
            | FactKind::Preceded { column, .. }
            | FactKind::CopyOf { column, .. }
            | FactKind::CodesOtherwise { column, .. }
            | FactKind::Homonym { column, .. }
            | FactKind::CodedBy { column, .. }
            | FactKind::RefersLike { column, .. }
            | FactKind::RefersToSeveral { column, .. }
            | FactKind::RefersAs { column, .. } => vec![column],
            FactKind::Computed { column, from, broken, .. } => {
                let time = broken.iter().map(|(column, ..)| column.as_str());
                std::iter::once(column.as_str()).chain(from.iter().map(String::as_str)).chain(time).collect()
            }
            FactKind::ComputedWhile { column, from, time, .. } => {
                [column, time].into_iter().chain(from).map(String::as_str).collect()
            }
            FactKind::ComputedBy { column, of, times, by, .. } => {
                [column, of].into_iter().chain(times).chain([by]).map(String::as_str).collect()
            }
            FactKind::OneFilled { columns } => columns.iter().map(String::as_str).collect(),
            FactKind::Versions { key, column, .. } => vec![key, column],
            FactKind::Gap { column, of, .. } => {
                std::iter::once(column).chain(of.iter().map(|(column, _)| column)).map(String::as_str).collect()
            }
            FactKind::OneRowPer { columns, level, .. } => columns.iter().chain(level).map(String::as_str).collect(),
            FactKind::Scaled { columns, .. } => columns.iter().map(String::as_str).collect(),
            FactKind::History { key, from, until, .. } => vec![key, from, until],
            FactKind::NamedValues { name, value, .. } => vec![name, value],
            FactKind::MeaningBy { column, by, .. } => vec![column, by],
            FactKind::TotalRows { column, measure, .. } => vec![column, measure],
            FactKind::Filtered { .. } => Vec::new(),
            FactKind::Twin { column, of, .. } => vec![column, of],
            FactKind::FilledWhile { column, time, .. }
            | FactKind::CodesChanged { column, time, .. }
            | FactKind::OtherYear { column, time, .. } => vec![column, time],
            FactKind::ScaleChanged { column, time, only, .. } | FactKind::NegativeWhile { column, time, only, .. } => {
                [column, time].into_iter().chain(only.iter().map(|(by, _)| by)).map(String::as_str).collect()
            }
            FactKind::SignedBy { column, by, .. }
            | FactKind::NegativeWhere { column, by, .. }
            | FactKind::ScaledBy { column, by, .. }
            | FactKind::ClockBy { column, by, .. } => vec![column, by],
            FactKind::ConstantWhile { column, time, .. }
            | FactKind::CodesWhile { column, time, .. }
            | FactKind::OtherDay { column, time, .. } => vec![column, time],
            FactKind::Replaces { column, key, .. } | FactKind::RepeatedAmount { column, key } => vec![column, key],
            FactKind::SharesOf { column, key, .. } => std::iter::once(column).chain(key).map(String::as_str).collect(),
            FactKind::CodesWhereFilled { column, filled, .. } => vec![column, filled],
            FactKind::ParentTotals { column, parent, key, marked } => {
                let mark = marked.iter().map(|(column, _)| column);
                [column, parent, key].into_iter().chain(mark).map(String::as_str).collect()
            }
            FactKind::ParallelRows { column, key, by, .. } => {
                [column, by].into_iter().chain(key).map(String::as_str).collect()
            }
            FactKind::EndsNextDay { column, from } => vec![column, from],
            FactKind::CurrencyThere { column, via, .. }
            | FactKind::ScaledThere { column, via, .. }
            | FactKind::NegativeThere { column, via, .. } => vec![column, via],
            FactKind::RunningTotal { column, key, time } => {
                [column, time].into_iter().chain(key).map(String::as_str).collect()
            }
            FactKind::MarkedOne { column, key, .. } => vec![column, key],
            FactKind::OtherClock { column, of, .. } => vec![column, of],
            FactKind::Repeated { key } => key.iter().map(String::as_str).collect(),
        }
    }

    /// The column of another table that it rests on.
    pub fn other(&self) -> Option<(&TableId, &str)> {
        match &self.kind {
            FactKind::Scaled { other, other_column, .. }
            | FactKind::CurrencyThere { other, other_column, .. }
            | FactKind::ScaledThere { other, other_column, .. }
            | FactKind::NegativeThere { other, other_column, .. }
            | FactKind::CodesOtherwise { other, other_column, .. }
            | FactKind::Homonym { other, other_column, .. } => Some((other, other_column)),
            FactKind::Continued { by, by_column, .. } | FactKind::Preceded { by, by_column, .. } => {
                Some((by, by_column))
            }
            FactKind::CopyOf { table, other_column, .. } => Some((table, other_column)),
            FactKind::CodedBy { table, code_column, .. } => Some((table, code_column)),
            FactKind::RefersAs { table, ref_column, .. }
            | FactKind::RefersLike { table, ref_column, .. }
            | FactKind::RefersToSeveral { table, ref_column, .. } => Some((table, ref_column)),
            _ => None,
        }
    }

    /// Whether text dates of that form sort as their days do: `YYYY-MM-DD`, `YYYYMMDD`.
    pub fn sorts(form: &str) -> bool {
        let place = |part: &str| form.find(part);
        form.starts_with("YY") && place("MM").zip(place("DD")).is_some_and(|(month, day)| month < day)
    }

    /// Whether two tables had to be looked at for it.
    pub fn is_across(&self) -> bool {
        self.other().is_some() || matches!(self.kind, FactKind::MeaningBy { units: false, .. })
    }
}
