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

mod words;

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

/// The kinds of facts. Columns without a table are the table's own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FactKind {
    /// Dates kept as text.
    TextDates {
        /// The column.
        column: String,
        /// How they are written: `DD.MM.YYYY`; `?` where the values leave open which of two numbers is the month.
        form: String,
    },
    /// Times kept as numbers.
    CountedTime {
        /// The column.
        column: String,
        /// What is counted.
        unit: TimeUnit,
    },
    /// One value that stands for "none", far from all others.
    Placeholder {
        /// The column.
        column: String,
        /// The value.
        value: String,
    },
    /// Rows that are marked as deleted or as no longer valid, and stay.
    MarkedDeleted {
        /// The column.
        column: String,
        /// The value that marks them; any value but NULL where there is none.
        value: Option<String>,
    },
    /// Rows that somebody made to try something.
    TestRows {
        /// The column.
        column: String,
        /// The value that marks them, or the word that is in theirs.
        value: String,
        /// Whether longer values begin with it.
        within: bool,
    },
    /// A column that is computed from others.
    Computed {
        /// The result.
        column: String,
        /// How: `net + tax - discount`, over names of columns as the dialect writes them.
        expression: String,
        /// The columns in it.
        from: Vec<String>,
        /// The first and the last day between which all rows lie for which it didn't hold, where that is part of the
        /// table's time: `(column, first, last)`.
        broken: Option<(String, String, String)>,
    },
    /// Several rows for a thing: one for each of these together.
    OneRowPer {
        /// The columns, what the rows are about before the time.
        columns: Vec<String>,
        /// Whether the last one is a day or a period, so that the rows are states at a time.
        over_time: bool,
        /// A quantity that changes little from one time to the next, where there is one.
        #[serde(default)]
        level: Option<String>,
    },
    /// Several rows for a thing, each valid for a time.
    History {
        /// What the rows are about.
        key: String,
        /// Since when.
        from: String,
        /// Until when.
        until: String,
        /// The value of `until` in rows without an end, where there is one.
        open: Option<String>,
        /// Whether rows without an end have NULL there.
        #[serde(default = "yes")]
        has_null: bool,
        /// Whether some end in the future.
        #[serde(default)]
        has_later: bool,
    },
    /// Names and values in rows instead of columns.
    NamedValues {
        /// Holds the names.
        name: String,
        /// Holds the values.
        value: String,
        /// Some of the names.
        names: Vec<String>,
    },
    /// What a column holds depends on another one.
    MeaningBy {
        /// The column.
        column: String,
        /// The other one.
        by: String,
        /// Some of its values.
        values: Vec<String>,
        /// Whether they are units, and else names of tables.
        units: bool,
    },
    /// What is in documents.
    Paths {
        /// The column.
        column: String,
        /// The most frequent ones.
        paths: Vec<DocumentPath>,
    },
    /// Rows that add up other rows.
    TotalRows {
        /// The column that tells them.
        column: String,
        /// By this value.
        value: String,
        /// What they add up.
        measure: String,
    },
    /// A view that leaves rows out.
    Filtered {
        /// The condition, in the view's own words.
        condition: String,
    },
    /// A column that mostly repeats another one.
    Twin {
        /// The column.
        column: String,
        /// The other one.
        of: String,
        /// Share of rows in which the column is empty, 0 to 1.
        empty: f64,
    },
    /// A column that is empty before or after a day.
    FilledWhile {
        /// The column.
        column: String,
        /// The time of a row.
        time: String,
        /// Filled from this day on, where it began.
        since: Option<String>,
        /// Filled up to this day, where it ended.
        until: Option<String>,
    },
    /// Months without rows between months with many.
    Gap {
        /// The time of a row.
        column: String,
        /// The first month without, as `2024-03`.
        from: String,
        /// The last one.
        until: String,
    },
    /// Codes that gave way to others.
    CodesChanged {
        /// The column.
        column: String,
        /// The time of a row.
        time: String,
        /// The first day of the new ones.
        since: String,
        /// The old ones.
        before: Vec<String>,
        /// The new ones.
        after: Vec<String>,
    },
    /// Quantities in another unit from a day on.
    ScaleChanged {
        /// The column.
        column: String,
        /// The time of a row.
        time: String,
        /// The day.
        since: String,
        /// By about how much they are larger since; less than 1 where they are smaller.
        factor: f64,
    },
    /// Quantities without a sign, where another column says whether they come or go.
    SignedBy {
        /// The column.
        column: String,
        /// The other one.
        by: String,
        /// The value that adds and the one that takes away.
        values: Vec<String>,
    },
    /// Few codes that aren't like the others.
    OddForm {
        /// The column.
        column: String,
        /// How the others are made: `AA-000`, a capital, a small letter and a digit by a sign each.
        form: String,
        /// Some that aren't.
        values: Vec<String>,
    },
    /// Several values in one text.
    List {
        /// The column.
        column: String,
        /// What stands between them.
        separator: String,
    },
    /// Numbers as people write them.
    WrittenNumbers {
        /// The column.
        column: String,
        /// One of them.
        example: String,
    },
    /// Clock times that go on past midnight.
    PastMidnight {
        /// The column.
        column: String,
        /// The latest one.
        until: String,
    },
    /// Rows that are the same as another one but for what identifies them.
    Repeated {
        /// What identifies them.
        key: Vec<String>,
    },
    /// Years that don't begin in January.
    OtherYear {
        /// The column.
        column: String,
        /// The time that it is the year of.
        time: String,
        /// The month in which it begins, 2 to 12.
        month: i8,
        /// Whether it is called by the year in which it ends.
        by_end: bool,
    },
    /// Several spellings of one state.
    Spellings {
        /// The column.
        column: String,
        /// Those that mean one thing, together.
        groups: Vec<Vec<String>>,
    },
    /// The same quantity in another unit elsewhere: a value here times `factor` is the one there.
    Scaled {
        /// The quantity here: a column, or a product of columns, as the dialect writes them.
        expression: String,
        /// The columns in it.
        columns: Vec<String>,
        /// Whether it has to be summed over all rows that refer to one there.
        summed: bool,
        /// The other table.
        other: TableId,
        /// Its column.
        other_column: String,
        /// 1 where the unit is the same.
        factor: f64,
    },
    /// Rows up to a day are here and later ones elsewhere. Of the other table's values nothing is kept here.
    Continued {
        /// The time of a row.
        column: String,
        /// The last day here.
        until: String,
        /// The table that goes on.
        by: TableId,
        /// Its time of a row.
        by_column: String,
        /// Whether its first rows are from before that day.
        overlaps: bool,
    },
    /// Rows from a day on are here and earlier ones elsewhere.
    Preceded {
        /// The time of a row.
        column: String,
        /// The first day here.
        since: String,
        /// The table with earlier ones.
        by: TableId,
        /// Its time of a row.
        by_column: String,
        /// Whether its last rows are from after that day.
        overlaps: bool,
    },
    /// Rows that are in another table as well, which goes on.
    CopyOf {
        /// The other one.
        table: TableId,
        /// The key by which the rows were found there.
        column: String,
        /// The same in the other one.
        other_column: String,
        /// The newest day here, where the other one is newer.
        until: Option<String>,
    },
    /// Codes for one thing in another form than elsewhere.
    CodesOtherwise {
        /// The column.
        column: String,
        /// What they are: `country codes of three letters`.
        form: String,
        /// Where they are written in the other form.
        other: TableId,
        /// The column there.
        other_column: String,
        /// What they are there.
        other_form: String,
    },
    /// A column that holds nothing in common with one of the same name elsewhere.
    Homonym {
        /// The column.
        column: String,
        /// The table of the other one.
        other: TableId,
        /// The other one.
        other_column: String,
    },
    /// Codes that a table for many columns explains.
    CodedBy {
        /// The column.
        column: String,
        /// The table of codes.
        table: TableId,
        /// Its column of codes.
        code_column: String,
        /// Its column that says which codes belong together.
        list_column: String,
        /// The value there of those that this column has.
        list: String,
        /// Its column of what they mean.
        meaning_column: String,
        /// Where they are explained in several languages, its column that says which, and the one that is told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        language: Option<(String, String)>,
        /// The codes that are in this column with what they mean.
        meanings: Vec<(String, String)>,
        /// Whether the column holds texts, numbers among them.
        #[serde(default)]
        are_texts: bool,
    },
    /// A reference by codes that are written otherwise than those that it refers to.
    RefersLike {
        /// The column.
        column: String,
        /// The table that it refers to.
        table: TableId,
        /// Its column.
        ref_column: String,
        /// What is different: `with other signs between`.
        differs: Vec<String>,
    },
    /// A reference that isn't spelt as what it refers to.
    RefersAs {
        /// The column.
        column: String,
        /// The table that it refers to.
        table: TableId,
        /// Its column.
        ref_column: String,
        /// What stands before the number: `user_`; empty where only zeros do.
        prefix: String,
        /// To how many digits the number is filled up with zeros; 0 where it isn't.
        digits: u32,
    },
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

fn yes() -> bool {
    true
}

/// What is counted where times are numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimeUnit {
    /// Seconds since 1970.
    Seconds,
    /// Milliseconds since 1970.
    Milliseconds,
    /// Days since 30 December 1899, as spreadsheets count them.
    SheetDays,
}

/// A place in documents, and what is there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DocumentPath {
    /// `$.size.eu`
    pub path: String,
    /// `text`, `number`, `boolean`, `array`, `object`, or `mixed`.
    pub holds: String,
    /// Share of documents that have it, 0 to 1.
    pub share: f64,
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
            FactKind::CodesChanged { .. } => "codes_changed",
            FactKind::ScaleChanged { .. } => "scale_changed",
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
            | FactKind::MeaningBy { column, .. }
            | FactKind::Paths { column, .. }
            | FactKind::Twin { column, .. }
            | FactKind::FilledWhile { column, .. }
            | FactKind::CodesChanged { column, .. }
            | FactKind::ScaleChanged { column, .. }
            | FactKind::SignedBy { column, .. }
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
            | FactKind::RefersAs { column, .. } => Some(column),
            FactKind::Scaled { columns, .. } => columns.first().map(String::as_str),
            FactKind::MarkedDeleted { .. }
            | FactKind::TestRows { .. }
            | FactKind::Repeated { .. }
            | FactKind::OneRowPer { .. }
            | FactKind::History { .. }
            | FactKind::NamedValues { .. }
            | FactKind::TotalRows { .. }
            | FactKind::Filtered { .. }
            | FactKind::Gap { .. }
            | FactKind::Continued { .. }
            | FactKind::Preceded { .. }
            | FactKind::CopyOf { .. } => None,
        }
    }

    /// The table's own columns that it rests on.
    pub fn columns(&self) -> Vec<&str> {
        match &self.kind {
            FactKind::TextDates { column, .. }
            | FactKind::CountedTime { column, .. }
            | FactKind::Placeholder { column, .. }
            | FactKind::MarkedDeleted { column, .. }
            | FactKind::TestRows { column, .. }
            | FactKind::Paths { column, .. }
            | FactKind::Gap { column, .. }
            | FactKind::OddForm { column, .. }
            | FactKind::List { column, .. }
            | FactKind::WrittenNumbers { column, .. }
            | FactKind::PastMidnight { column, .. }
            | FactKind::Spellings { column, .. }
            | FactKind::Continued { column, .. }
            | FactKind::Preceded { column, .. }
            | FactKind::CopyOf { column, .. }
            | FactKind::CodesOtherwise { column, .. }
            | FactKind::Homonym { column, .. }
            | FactKind::CodedBy { column, .. }
            | FactKind::RefersLike { column, .. }
            | FactKind::RefersAs { column, .. } => vec![column],
            FactKind::Computed { column, from, broken, .. } => {
                let time = broken.iter().map(|(column, ..)| column.as_str());
                std::iter::once(column.as_str()).chain(from.iter().map(String::as_str)).chain(time).collect()
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
            | FactKind::ScaleChanged { column, time, .. }
            | FactKind::OtherYear { column, time, .. } => vec![column, time],
            FactKind::SignedBy { column, by, .. } => vec![column, by],
            FactKind::Repeated { key } => key.iter().map(String::as_str).collect(),
        }
    }

    /// The column of another table that it rests on.
    pub fn other(&self) -> Option<(&TableId, &str)> {
        match &self.kind {
            FactKind::Scaled { other, other_column, .. }
            | FactKind::CodesOtherwise { other, other_column, .. }
            | FactKind::Homonym { other, other_column, .. } => Some((other, other_column)),
            FactKind::Continued { by, by_column, .. } | FactKind::Preceded { by, by_column, .. } => {
                Some((by, by_column))
            }
            FactKind::CopyOf { table, other_column, .. } => Some((table, other_column)),
            FactKind::CodedBy { table, code_column, .. } => Some((table, code_column)),
            FactKind::RefersAs { table, ref_column, .. } | FactKind::RefersLike { table, ref_column, .. } => {
                Some((table, ref_column))
            }
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
