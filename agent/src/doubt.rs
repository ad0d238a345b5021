//! Signs that a candidate is not what was asked for.
//!
//! All of them are read off the statement, its rows, the question and the linked values: a model's own opinion of its
//! SQL is not among them, because a small one believes everything it has written.

use connect::{ResultSet, Value};
use guard::{Finding, RuleName, Severity};
use link::ValueHit;

use crate::candidate::Candidate;
use crate::context::Composed;
use crate::repair::is_about_literal;

/// Why a candidate may be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doubt {
    /// It was refused, or the engine could not run it.
    Broken,
    /// It returned nothing, or nothing but NULL.
    Empty,
    /// It compares a column with a value that the column doesn't hold.
    StrangeLiteral,
    /// It joins nothing with something: a cartesian product.
    Unjoined,
    /// It makes a figure in a way that runs and comes out wrong.
    WrongFigure,
    /// It reads a table that nobody has written to for long.
    Stale,
    /// Somebody has rejected it as an answer to this question.
    Rejected,
    /// The question names a stored value, and the statement doesn't use it.
    UnusedValue,
    /// The question names a number, and the statement doesn't use it.
    UnusedNumber,
    /// The question asks for a figure for each of several things, and the statement gives one for all.
    Ungrouped,
    /// The question asks how many, and the statement counts nothing.
    Uncounted,
}

impl Doubt {
    /// A stable name, as a signal.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Broken => "broken",
            Self::Empty => "empty",
            Self::StrangeLiteral => "strange_literal",
            Self::Unjoined => "unjoined",
            Self::WrongFigure => "wrong_figure",
            Self::Stale => "stale",
            Self::Rejected => "rejected",
            Self::UnusedValue => "unused_value",
            Self::UnusedNumber => "unused_number",
            Self::Ungrouped => "ungrouped",
            Self::Uncounted => "uncounted",
        }
    }

    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Broken => "it can't run",
            Self::Empty => "it returns nothing",
            Self::StrangeLiteral => "it compares with a value that isn't there",
            Self::Unjoined => "it joins tables without a condition",
            Self::WrongFigure => "it makes a figure that comes out wrong",
            Self::Stale => "it reads a table that is out of date",
            Self::Rejected => "somebody has rejected it before",
            Self::UnusedValue => "it leaves out a value that the question names",
            Self::UnusedNumber => "it leaves out a number that the question names",
            Self::Ungrouped => "it gives one figure where the question asks for one each",
            Self::Uncounted => "it counts nothing where the question asks how many",
        }
    }

    /// How many drafts that agree it takes to outweigh it.
    pub(crate) fn weight(self) -> f32 {
        match self {
            Self::Broken => 50.0,
            Self::Rejected => 10.0,
            Self::Empty => 4.0,
            Self::StrangeLiteral | Self::Unjoined | Self::WrongFigure | Self::Stale => 2.0,
            Self::UnusedValue | Self::UnusedNumber | Self::Ungrouped => 1.5,
            Self::Uncounted => 1.0,
        }
    }
}

/// Every doubt about a candidate.
pub(crate) fn doubts(candidate: &Candidate, composed: &Composed, question: &str) -> Vec<Doubt> {
    let findings = &candidate.verdict.findings;
    let reading = &candidate.verdict.reading;
    let rows = candidate.rows();
    let signs = [
        (Doubt::Broken, !candidate.stands()),
        (Doubt::Empty, rows.is_some_and(says_nothing)),
        (Doubt::StrangeLiteral, findings.iter().any(is_about_literal)),
        (Doubt::Unjoined, !reading.unjoined.is_empty()),
        (Doubt::WrongFigure, findings.iter().any(is_about_figures)),
        (Doubt::Stale, findings.iter().any(is_about_stale)),
        (Doubt::Rejected, candidate.rejected.is_some()),
        (Doubt::UnusedValue, leaves_out_a_value(candidate, composed)),
        (Doubt::UnusedNumber, leaves_out_a_number(&candidate.sql, question)),
        (
            Doubt::Ungrouped,
            reading.is_aggregate && rows.is_some_and(|rows| rows.rows.len() == 1) && asks_for_each(question),
        ),
        (Doubt::Uncounted, asks_how_many(question) && !counts(candidate)),
    ];
    signs.into_iter().filter(|(_, holds)| *holds).map(|(doubt, _)| doubt).collect()
}

/// Repaired drafts have none of these left; what is left is for the model to write anew.
fn is_about_figures(finding: &Finding) -> bool {
    [RuleName::IntegerDivision, RuleName::LastDay, RuleName::SummedLevels].contains(&finding.rule)
        && finding.severity >= Severity::Warning
}

fn is_about_stale(finding: &Finding) -> bool {
    finding.rule == RuleName::StaleTable && finding.severity >= Severity::Warning
}

/// Whether the question surely names a stored value that the statement doesn't contain.
fn leaves_out_a_value(candidate: &Candidate, composed: &Composed) -> bool {
    left_out(candidate, composed).next().is_some()
}

/// Where the values stand that the question surely names and the statement doesn't contain, a sentence each.
pub(crate) fn unused_values(candidate: &Candidate, composed: &Composed) -> Vec<String> {
    let place = |value: &ValueHit| {
        format!("`{}` is stored as '{}' in {}.{}.", value.asked, value.stored, value.table.local(), value.column)
    };
    left_out(candidate, composed).map(place).collect()
}

fn left_out<'c>(candidate: &Candidate, composed: &'c Composed) -> impl Iterator<Item = &'c ValueHit> {
    // An alias is the model's own word: `AS overdue` compares nothing.
    let reading = &candidate.verdict.reading;
    let constants: Vec<String> = reading.literals.iter().map(|literal| literal.value.text.to_lowercase()).collect();
    let columns = reading.columns.iter().map(|used| used.column.column.as_str());
    let tables = reading.table_ids().into_iter().map(|id| id.name.as_str());
    let names: Vec<String> = columns.chain(tables).map(str::to_lowercase).collect();
    let is_used = move |text: &str| {
        let text = text.to_lowercase();
        // `OR` is a part of many a word, and `ID` of many a name.
        let is_short = text.chars().count() < SHORT_VALUE;
        // A code that is what the value begins with: `RI` for Riesling.
        let is_code = |used: &String| {
            used.chars().count() > 1 && used.chars().all(char::is_alphabetic) && text.starts_with(used.as_str())
        };
        constants.iter().any(|used| *used == text || is_code(used) || !is_short && used.contains(&text))
            || !is_short && names.iter().any(|name| name.contains(&text))
    };
    composed.values.iter().filter(|value| is_sure(value)).filter(move |value| {
        let same_words = || composed.values.iter().filter(|other| other.asked == value.asked);
        let in_same_column = |other: &&ValueHit| other.table == value.table && other.column == value.column;
        // The same words found in several columns are one value to use, not several; in one column each is another spelling.
        let is_used_elsewhere = same_words().any(|other| !in_same_column(&other) && is_used(&other.stored));
        !is_used(&value.stored)
            && !is_used_elsewhere
            && (same_words().any(|other| is_used(&other.stored)) || !is_used(&value.asked))
    })
}

/// A word in small letters may be a word like any other: what brings us the most revenue isn't the carrier `Bring`.
fn is_sure(value: &ValueHit) -> bool {
    let is_plain_word = value.asked.chars().all(char::is_lowercase) && value.asked != value.stored;
    value.strength >= SURE_VALUE && !is_plain_word
}

/// From this strength on the question surely means the value.
const SURE_VALUE: f32 = 0.8;

/// Values of fewer characters are parts of other words by chance.
const SHORT_VALUE: usize = 4;

/// Whether a number of two or more digits is missing from the statement.
fn leaves_out_a_number(sql: &str, question: &str) -> bool {
    let in_sql = words::in_text(sql);
    question
        .split(|character: char| {
            character.is_whitespace() || matches!(character, ',' | '?' | ';' | '(' | ')' | '"' | '\'')
        })
        .map(|token| token.trim_matches(|character: char| !character.is_alphanumeric()))
        .filter(|token| token.len() >= 2 && token.chars().all(|character| character.is_ascii_digit()))
        .any(|number| !in_sql.iter().any(|word| word == number) && !sql.contains(number))
}

fn asks_for_each(question: &str) -> bool {
    words::in_text(question).iter().any(|word| ["each", "every", "per"].contains(&word.as_str()))
}

fn asks_how_many(question: &str) -> bool {
    words::in_text(question).windows(2).any(|pair| pair == ["how", "many"] || pair == ["number", "of"])
}

/// Whether a statement has a function that makes one figure of many rows.
fn counts(candidate: &Candidate) -> bool {
    candidate
        .verdict
        .reading
        .functions
        .iter()
        .any(|function| ["count", "sum", "avg", "min", "max", "total"].contains(&function.name()))
}

/// Whether a result holds no information: no rows, or one row of nothing but NULL.
pub(crate) fn says_nothing(result: &ResultSet) -> bool {
    result.rows.is_empty()
        || (result.rows.len() == 1 && result.rows[0].iter().all(|value| matches!(value, Value::Null)))
}

/// Whether nothing meets the conditions of a statement: its figures are all nought or NULL.
pub(crate) fn finds_none(candidate: &Candidate) -> bool {
    let is_none = |value: &Value| match value {
        Value::Null => true,
        Value::Integer(number) => *number == 0,
        Value::Real(number) => *number == 0.0,
        other => other.as_text().and_then(|text| text.parse::<f64>().ok()) == Some(0.0),
    };
    let is_figure = |rows: &ResultSet| rows.rows.len() == 1 && rows.rows[0].iter().all(is_none);
    let reading = &candidate.verdict.reading;
    reading.is_aggregate && !reading.literals.is_empty() && candidate.rows().is_some_and(is_figure)
}

#[cfg(test)]
mod tests {
    use super::is_sure;
    use catalog::TableId;
    use link::ValueHit;

    #[test]
    fn a_word_in_small_letters_is_no_sure_name() {
        for (asked, stored, expected) in [
            ("bring", "Bring", false),
            ("Bring", "Bring", true),
            ("web", "web", true),
            ("hiking boots", "Hiking Boots", true),
            ("2014", "2014", true),
        ] {
            let value = ValueHit {
                table: TableId::new("s", "t"),
                column: "c".into(),
                stored: stored.into(),
                asked: asked.into(),
                strength: 0.9,
            };
            assert_eq!(is_sure(&value), expected, "{asked}");
        }
    }
}
