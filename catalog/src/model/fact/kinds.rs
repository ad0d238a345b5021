//! The kinds of facts, with what each says.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::structure::TableId;

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
        /// Which of several forms a row has, where another column decides it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<FormBy>,
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
        /// Others that stand for it as well, in fewer rows.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        others: Vec<String>,
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
    /// A column that is computed from others from a day on, or up to one.
    ComputedWhile {
        /// The result.
        column: String,
        /// How.
        expression: String,
        /// The columns in it.
        from: Vec<String>,
        /// The time of a row.
        time: String,
        /// The first day for which it holds, where it began.
        since: Option<String>,
        /// The last day, where it ended.
        until: Option<String>,
    },
    /// Another column, or two multiplied, times a number that depends on a further one.
    ComputedBy {
        /// The result.
        column: String,
        /// The other column.
        of: String,
        /// What it is multiplied by first, where it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        times: Option<String>,
        /// The one that it depends on.
        by: String,
        /// Its values with the number of each, the most frequent first.
        factors: Vec<(String, f64)>,
    },
    /// Columns of which each row fills just one.
    OneFilled {
        /// They.
        columns: Vec<String>,
    },
    /// Quantities that are negative in rows of some kinds, and in no others.
    NegativeWhere {
        /// The quantity.
        column: String,
        /// The one that tells the kinds apart.
        by: String,
        /// The kinds whose quantities are negative, the most frequent first.
        values: Vec<String>,
    },
    /// Several rows for a thing, numbered in the order in which they were made, or each with the day from which it holds.
    Versions {
        /// The thing.
        key: String,
        /// The number, or the day.
        column: String,
        /// Whether it is a day.
        #[serde(default)]
        dated: bool,
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
        /// A value among the others whose rows are a total of some of them, and not added up.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        without: Option<String>,
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
    /// Several times as many rows a month from one month on as before, or as few.
    RowsChanged {
        /// The time of a row.
        column: String,
        /// The first month with so many, as `2024-03`.
        since: String,
        /// How many times as many.
        factor: f64,
    },
    /// A quantity that is negative up to a day or from one on, and never on the other side.
    NegativeWhile {
        /// The column.
        column: String,
        /// The time of a row.
        time: String,
        /// Negative from this day on, where it began.
        since: Option<String>,
        /// Negative up to this day, where it ended.
        until: Option<String>,
        /// The column and the value of the rows of which this is so, where it is so of one kind of them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        only: Option<(String, String)>,
    },
    /// Months without rows between months with many.
    Gap {
        /// The time of a row.
        column: String,
        /// The first month without, as `2024-03`.
        from: String,
        /// The last one.
        until: String,
        /// Of the rows with this value of another column alone: `(column, value)`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        of: Option<(String, String)>,
        /// Whether some of the rows were looked at, and not all.
        #[serde(default)]
        sampled: bool,
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
        /// The column and the value of the rows of which it is so, where it isn't of the others.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        only: Option<(String, String)>,
    },
    /// One value from a day on, or up to one, where there are others at other times.
    ConstantWhile {
        /// The column.
        column: String,
        /// The time of a row.
        time: String,
        /// The value.
        value: String,
        /// The first day of it, where it is to the end.
        since: Option<String>,
        /// The last day of it, where it is from the beginning.
        until: Option<String>,
    },
    /// One value far more often than any other: what was filled in by default, or when data were taken over.
    Peak {
        /// The column.
        column: String,
        /// The value.
        value: String,
    },
    /// Rows that somebody has set aside: cancelled, or never more than a draft.
    SetAside {
        /// The column.
        column: String,
        /// The value that marks them.
        value: String,
    },
    /// Rows that take the place of others, or take them back, or whose place another one has taken; both stay.
    Replaces {
        /// The column that names the other row.
        column: String,
        /// The key that it names it by.
        key: String,
        /// Whether the other row has taken the place of this one.
        #[serde(default)]
        by_other: bool,
    },
    /// Rows that add up those that name them.
    ParentTotals {
        /// What they add up.
        column: String,
        /// The column by which others name them.
        parent: String,
        /// The key that these name.
        key: String,
        /// A column with the value that it has in these rows and in none of those that name them, where there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        marked: Option<(String, String)>,
    },
    /// An amount of a thing that stands on each of its rows.
    RepeatedAmount {
        /// The amount.
        column: String,
        /// The thing.
        key: String,
    },
    /// Parts of a thing that make up the same whole for each.
    SharesOf {
        /// The part.
        column: String,
        /// The thing.
        key: Vec<String>,
        /// 1, 100 or 1000.
        whole: u32,
    },
    /// Numbers whose digits behind the point are minutes: 7.30 is half past seven, or seven hours and a half.
    HoursMinutes {
        /// The column.
        column: String,
        /// One of them.
        example: String,
    },
    /// Codes that say whether another column has a value.
    CodesWhereFilled {
        /// The codes.
        column: String,
        /// Those of rows that have it.
        values: Vec<String>,
        /// The other column.
        filled: String,
    },
    /// One quantity of a thing several times, each of another kind: planned and actual, by hand and by machine.
    ParallelRows {
        /// The quantity.
        column: String,
        /// What it is a quantity of.
        key: Vec<String>,
        /// The column that tells the rows apart.
        by: String,
        /// Some of its values.
        values: Vec<String>,
    },
    /// An end that is earlier than the beginning where it lies on the next day.
    EndsNextDay {
        /// The column.
        column: String,
        /// The beginning.
        from: String,
    },
    /// An amount whose currency stands in the row that its row refers to.
    CurrencyThere {
        /// The column.
        column: String,
        /// The reference.
        via: String,
        /// The other table.
        other: TableId,
        /// Its column of currencies.
        other_column: String,
        /// Whether that is only likely: the currency is a customer's or a site's, and not a document's.
        #[serde(default)]
        is_likely: bool,
    },
    /// A quantity that is larger where the row that its row refers to is of some kinds, or from a day of that row on, as if in
    /// another unit.
    ScaledThere {
        /// The column.
        column: String,
        /// The reference.
        via: String,
        /// The other table.
        other: TableId,
        /// Its column that tells the kinds apart, or has the day.
        other_column: String,
        /// The kinds whose values are larger, the most frequent first; none where it is a day.
        values: Vec<String>,
        /// The first day of the larger ones, or of the smaller ones where the factor is below 1.
        since: Option<String>,
        /// By about how much.
        factor: f64,
    },
    /// A quantity that is negative where the row that its row refers to is of some kinds, and nowhere else.
    NegativeThere {
        /// The column.
        column: String,
        /// The reference.
        via: String,
        /// The other table.
        other: TableId,
        /// Its column that tells the kinds apart.
        other_column: String,
        /// The kinds that are negative.
        values: Vec<String>,
    },
    /// Codes that are there from a day on alone, or up to one.
    CodesWhile {
        /// The column.
        column: String,
        /// The time of a row.
        time: String,
        /// The codes.
        values: Vec<String>,
        /// The first day with them, where they came.
        since: Option<String>,
        /// The last day with them, where they went.
        until: Option<String>,
    },
    /// Quantities that are larger in rows of some kinds, as if in another unit.
    ScaledBy {
        /// The column.
        column: String,
        /// The one that tells the kinds apart.
        by: String,
        /// The kinds whose values are larger, the most frequent first.
        values: Vec<String>,
        /// By about how much.
        factor: f64,
    },
    /// A count that goes on: of a thing it is never less than before, but where it begins anew.
    RunningTotal {
        /// The column.
        column: String,
        /// What it is counted of.
        key: Vec<String>,
        /// The time of a row.
        time: String,
    },
    /// A mark that at most one of several rows of a thing has.
    MarkedOne {
        /// The column.
        column: String,
        /// The mark.
        value: String,
        /// What the rows are about.
        key: String,
    },
    /// The same moment on another clock.
    OtherClock {
        /// The column.
        column: String,
        /// The other one.
        of: String,
        /// By how many minutes it is ahead of the other one: once, or in winter and in summer.
        ahead: Vec<i32>,
    },
    /// The day of a moment, where days don't begin at midnight.
    OtherDay {
        /// The column.
        column: String,
        /// The moment.
        time: String,
        /// The hour at which the day begins, 1 to 23.
        begins: i8,
        /// Whether the rest of a calendar day from that hour on counts for the next one, rather than what is before it for the
        /// one before.
        is_ahead: bool,
    },
    /// Times on the clock of a place that another column names.
    ClockBy {
        /// The column.
        column: String,
        /// The other one.
        by: String,
        /// Some of its values.
        values: Vec<String>,
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
        /// Columns that are one by what they hold, under other names: here, there.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        columns: Vec<(String, String)>,
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
        /// Columns that are one by what they hold, under other names: here, there.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        columns: Vec<(String, String)>,
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
        /// Columns that are one by what they hold, under other names: here, there.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        columns: Vec<(String, String)>,
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
    /// References to a code that some rows share: one that was given again.
    RefersToSeveral {
        /// The column.
        column: String,
        /// The table that it refers to.
        table: TableId,
        /// Its column.
        ref_column: String,
        /// Some of the codes that several rows have.
        values: Vec<String>,
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

/// What is counted where times are numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimeUnit {
    /// Seconds since 1970.
    Seconds,
    /// Milliseconds since 1970.
    Milliseconds,
    /// Some seconds, some milliseconds since 1970; the latter are a thousand times as large.
    SecondsOrMilliseconds,
    /// Days since 30 December 1899, as spreadsheets count them.
    SheetDays,
}

/// A place in documents, and what is there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DocumentPath {
    /// `$.size.eu`
    pub path: String,
    /// `text`, `number`, `boolean`, `array`, `object`; `number or text` where documents differ, and `number, text from 2024-03-01
    /// on` where they do by the day.
    pub holds: String,
    /// All of few short texts there: the unit of the number beside them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// Share of documents that have it, 0 to 1.
    pub share: f64,
    /// The first day with it, where it came while others had been there before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// The last day with it, where it went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

fn yes() -> bool {
    true
}

/// In which form texts are written, by another column of their row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FormBy {
    /// The other column.
    pub column: String,
    /// Its values, and the form that each has.
    pub forms: Vec<(String, String)>,
}
