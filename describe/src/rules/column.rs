//! What a column means, in the words of the rules.
//!
//! The first words are the column's own name spelt out, because that is what questions use; then what part it plays,
//! then what the profile knows. A masked column is described without any value.

use catalog::{ColumnDescription, Encoding, KeyOrigin};

use super::dates;
use super::role::{ColumnFacts, Role, is_unix_time};
use crate::vocabulary::{capitalised, said, singular};

/// Values shown in a line of description.
const VALUES_SHOWN: usize = 12;
/// Characters of one value in a line of description.
const VALUE_CHARACTERS: usize = 60;

/// The rules' description of one column of a table whose rows are `row_noun`s.
pub(crate) fn describe_column(facts: &ColumnFacts<'_>, row_noun: &str) -> ColumnDescription {
    ColumnDescription {
        column: facts.column.name.clone(),
        description: description(facts, row_noun),
        business_meaning: business_meaning(facts, row_noun),
        usage: usage(facts),
        tags: tags(facts),
        encoding: encoding(facts),
        is_authored: false,
    }
}

fn encoding(facts: &ColumnFacts<'_>) -> Option<Encoding> {
    match facts.role {
        Role::Measure if facts.in_cents => Some(Encoding::Cents),
        Role::Timestamp if is_unix_time(facts) => Some(Encoding::UnixTime),
        Role::Timestamp if has_unsorted_dates(facts) => Some(Encoding::UnsortedDates),
        _ => None,
    }
}

fn has_unsorted_dates(facts: &ColumnFacts<'_>) -> bool {
    facts.masked().is_none() && dates::are_unsorted(facts)
}

/// The values the column may hold, for the line "Domain" of the docs: what is known without guessing.
pub(crate) fn domain(facts: &ColumnFacts<'_>) -> Option<Domain> {
    if let Some(reason) = facts.masked() {
        return Some(Domain::Masked(reason.to_owned()));
    }
    if let Some(values) = facts.all_values() {
        return Some(Domain::OneOf(values.iter().map(|value| shortened(value)).collect()));
    }
    let profile = facts.profile?;
    match (&profile.min, &profile.max) {
        (Some(min), Some(max)) if is_ordered(facts) && facts.has_ends => {
            Some(Domain::Range(shortened(min), shortened(max)))
        }
        _ => {
            let examples: Vec<String> = profile.values.as_slice().iter().map(|value| shortened(value)).collect();
            let pattern = profile.pattern.as_ref().map(|pattern| pattern.form.to_string());
            (!examples.is_empty() || pattern.is_some()).then_some(Domain::Like { pattern, examples })
        }
    }
}

/// What values a column may hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Domain {
    /// Hidden, with the reason.
    Masked(String),
    /// These and no others.
    OneOf(Vec<String>),
    /// Smallest and largest.
    Range(String, String),
    /// Values of this form, like these.
    Like { pattern: Option<String>, examples: Vec<String> },
}

fn description(facts: &ColumnFacts<'_>, row_noun: &str) -> String {
    let name = if facts.said.is_empty() { facts.column.name.clone() } else { facts.said.clone() };
    let comment = taken_over(facts.column.comment.as_deref());
    let mut text = match comment {
        Some(comment) => format!("{}: {}", capitalised(&name), comment.trim_end_matches('.')),
        None => format!("{}: {}", capitalised(&name), kind_phrase(facts, row_noun)),
    };
    if let Some(values) = values_phrase(facts) {
        text.push_str(", ");
        text.push_str(&values);
    }
    if let Some(missing) = missing_phrase(facts) {
        text.push_str(", ");
        text.push_str(&missing);
    }
    text.push('.');
    text
}

fn kind_phrase(facts: &ColumnFacts<'_>, row_noun: &str) -> String {
    match facts.role {
        Role::Identifier if facts.in_primary_key => format!("identifies one {row_noun}"),
        Role::Identifier => "identifier".to_owned(),
        Role::ForeignKey => match facts.referenced() {
            Some((table, column)) => format!("refers to {}.{column}", table.local()),
            None => "refers to another table".to_owned(),
        },
        Role::Timestamp => timestamp_phrase(facts, row_noun),
        Role::Measure if facts.in_cents => "amount of money in cents".to_owned(),
        Role::Measure => "number".to_owned(),
        Role::Category => "category".to_owned(),
        Role::Flag => "yes or no".to_owned(),
        Role::Name => format!("what the {row_noun} is called"),
        Role::Code => "code".to_owned(),
        Role::FreeText => "free text".to_owned(),
        Role::Document => "JSON document".to_owned(),
        Role::Binary => "binary data".to_owned(),
        Role::Attribute => format!("attribute of the {row_noun}"),
    }
}

fn timestamp_phrase(facts: &ColumnFacts<'_>, row_noun: &str) -> String {
    const IRREGULAR: [&str; 12] =
        ["begun", "bought", "built", "done", "lost", "made", "met", "paid", "seen", "sent", "sold", "won"];
    // What nobody does to it.
    const BY_ITSELF: [&str; 14] = [
        "appeared",
        "arrived",
        "departed",
        "died",
        "ended",
        "existed",
        "expired",
        "failed",
        "happened",
        "joined",
        "lapsed",
        "matured",
        "occurred",
        "succeeded",
    ];
    let words: Vec<&str> = facts.spoken.split(' ').collect();
    let happened = |word: &str| word.ends_with("ed") || IRREGULAR.contains(&word);
    let text = match words.as_slice() {
        [event, "at" | "on"] if BY_ITSELF.contains(event) => format!("when the {row_noun} {event}"),
        [event, "at" | "on"] if happened(event) => format!("when the {row_noun} was {event}"),
        [.., "date"] => "date".to_owned(),
        _ => "point in time".to_owned(),
    };
    if is_unix_time(facts) { format!("{text}, as Unix time") } else { text }
}

fn values_phrase(facts: &ColumnFacts<'_>) -> Option<String> {
    match domain(facts)? {
        Domain::Masked(_) => Some("values are masked".to_owned()),
        Domain::OneOf(values) => {
            let word = if values.len() == 1 { "always" } else { "one of" };
            Some(format!("{word} {}", first_values(&values)))
        }
        Domain::Range(..) if matches!(facts.role, Role::Identifier | Role::ForeignKey) => None,
        Domain::Range(min, max) => Some(format!("from {min} to {max}")),
        Domain::Like { pattern, examples } => {
            let shown = examples.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
            match (pattern, shown.is_empty() || facts.role == Role::FreeText) {
                (Some(pattern), true) => Some(format!("of the form {pattern}")),
                (Some(pattern), false) => Some(format!("of the form {pattern} such as {shown}")),
                (None, false) => Some(format!("such as {shown}")),
                (None, true) => None,
            }
        }
    }
}

/// `a, b, c and 6 more`.
pub(crate) fn first_values(values: &[String]) -> String {
    let shown = values.iter().take(VALUES_SHOWN).cloned().collect::<Vec<_>>().join(", ");
    match values.len().saturating_sub(VALUES_SHOWN) {
        0 => shown,
        rest => format!("{shown} and {rest} more"),
    }
}

fn missing_phrase(facts: &ColumnFacts<'_>) -> Option<String> {
    let fraction = facts.profile?.null_fraction?;
    match fraction {
        _ if fraction >= 0.9995 => Some("always missing".to_owned()),
        _ if fraction >= 0.005 => Some(format!("missing in {:.0} % of the rows", fraction * 100.0)),
        _ => None,
    }
}

fn business_meaning(facts: &ColumnFacts<'_>, row_noun: &str) -> String {
    match facts.role {
        Role::ForeignKey => match facts.referenced() {
            Some((table, _)) => {
                format!("Which {} the {row_noun} belongs to.", singular(&said(&table.name)))
            }
            None => String::new(),
        },
        Role::Timestamp => format!("Places the {row_noun} in time."),
        Role::Measure => format!("A figure that can be compared and summed up over {row_noun} rows."),
        Role::Category | Role::Flag => format!("Splits the {row_noun} rows into groups."),
        Role::Name => format!("The name by which people know the {row_noun}."),
        _ => String::new(),
    }
}

fn usage(facts: &ColumnFacts<'_>) -> String {
    let text = match facts.role {
        Role::Identifier if facts.in_primary_key => "Count it, join on it, look up single rows by it.".to_owned(),
        Role::Identifier => "Look up rows by it.".to_owned(),
        Role::ForeignKey => match (facts.referenced(), facts.reference.map(|key| &key.origin)) {
            (Some((table, column)), Some(KeyOrigin::Inferred(evidence))) => format!(
                "Join with {}.{column}; the key is inferred, not declared ({}{:.0} % confidence).",
                table.local(),
                match evidence.joined_in {
                    0 => String::new(),
                    statements => format!("{statements} statements join so, "),
                },
                evidence.confidence * 100.0
            ),
            (Some((table, column)), _) => format!("Join with {}.{column}.", table.local()),
            _ => "Join on it.".to_owned(),
        },
        Role::Timestamp if has_unsorted_dates(facts) => {
            "Its values are text that doesn't sort by time: convert it before comparing or ordering.".to_owned()
        }
        Role::Timestamp => "Filter by period, group by day, month or year, order by it.".to_owned(),
        Role::Measure if facts.in_cents => "Divide by 100.0 for the currency's own unit.".to_owned(),
        Role::Measure => "Sum, average or compare it.".to_owned(),
        Role::Category if facts.all_values().is_some() => {
            "Filter and group by it; values are spelt exactly as listed.".to_owned()
        }
        Role::Category => "Filter and group by it.".to_owned(),
        Role::Flag => "Filter by it.".to_owned(),
        Role::Name => "Show it in results; search by it.".to_owned(),
        Role::Code => "Filter by it; look it up exactly.".to_owned(),
        Role::FreeText | Role::Attribute if facts.column.data_type.eq_ignore_ascii_case("tsvector") => {
            "Search in it with @@ and a text-search query: col @@ websearch_to_tsquery('words').".to_owned()
        }
        Role::FreeText => "Show it; search in it with LIKE.".to_owned(),
        Role::Document => "Take values out of it by path with the dialect's JSON functions.".to_owned(),
        Role::Binary => "Not for analysis.".to_owned(),
        Role::Attribute => "Show it or filter by it.".to_owned(),
    };
    if facts.masked().is_some() { format!("{text} Personal or secret: leave it out of results.") } else { text }
}

fn tags(facts: &ColumnFacts<'_>) -> Vec<String> {
    let mut tags = vec![facts.role.tag()];
    if facts.in_primary_key {
        tags.push("primary key");
        if facts.role != Role::Identifier {
            tags.push("identifier");
        }
    }
    if facts.personal {
        tags.push("personal data");
    }
    if facts.profile.and_then(|profile| profile.null_fraction).is_some_and(|fraction| fraction >= 0.9995) {
        tags.push("empty");
    }
    tags.into_iter().map(str::to_owned).collect()
}

/// Whether any value of the column is known.
fn is_ordered(facts: &ColumnFacts<'_>) -> bool {
    if facts.role == Role::Timestamp && !dates::in_order(facts) {
        return false;
    }
    matches!(facts.role, Role::Timestamp | Role::Measure)
        || facts.column.type_class.is_numeric()
        || facts.column.type_class.is_temporal()
}

/// A comment that a description may begin with.
pub(super) fn taken_over(comment: Option<&str>) -> Option<String> {
    let comment = one_line(comment?);
    (!comment.is_empty() && !shown::reads_like_instructions(&comment)).then_some(comment)
}

/// A sentence with the comment, where it is worded like instructions.
pub(super) fn quoted(subject: &str, comment: Option<&str>) -> Option<String> {
    let comment = one_line(comment?);
    shown::reads_like_instructions(&comment).then(|| {
        let inner: String = comment.chars().map(|character| if character == '”' { '"' } else { character }).collect();
        format!("{} has a comment in the database that is worded like instructions: “{inner}”.", one_line(subject))
    })
}

/// The text on one line, runs of white space and control characters made one space, other hidden ones written out.
pub(crate) fn one_line(text: &str) -> String {
    let line = text
        .split(|character: char| character.is_whitespace() || character.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    match shown::visible(&line) {
        std::borrow::Cow::Borrowed(_) => line,
        std::borrow::Cow::Owned(shown) => shown,
    }
}

/// A value on one line, cut where it is long; the empty string is said in words.
pub(crate) fn shortened(value: &str) -> String {
    let line = one_line(value);
    if line.is_empty() {
        return "(empty)".to_owned();
    }
    if line.chars().count() <= VALUE_CHARACTERS {
        return line;
    }
    let cut: String = line.chars().take(VALUE_CHARACTERS - 1).collect();
    format!("{}…", cut.trim_end())
}
