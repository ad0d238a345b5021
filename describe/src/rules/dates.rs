//! Dates as they are kept: which columns can be compared and ordered as they stand, and which of them says when a row's
//! event happened.

use catalog::TypeClass;

use super::role::{ColumnFacts, Role, is_unix_time};

/// Dates of a person's life, of validity or of a deadline: the newest of them is not the newest row.
const NOT_EVENTS: [&str; 18] = [
    "birth",
    "birthday",
    "birthdate",
    "born",
    "geboortedatum",
    "geburtsdatum",
    "naissance",
    "deceased",
    "died",
    "death",
    "left",
    "nacimiento",
    "valid",
    "until",
    "expires",
    "expiry",
    "expiration",
    "due",
];

/// Whether the order of the values is the order in time: ISO dates and numbers, but not `31.12.2024`. Text whose values
/// are not known is not trusted.
pub(crate) fn in_order(facts: &ColumnFacts<'_>) -> bool {
    let class = facts.column.type_class;
    if class.is_numeric() || class == TypeClass::Time {
        return true;
    }
    let known = known(facts);
    // PostgreSQL's ends of time are in order with the dates between them.
    let is_end = |value: &str| class.is_temporal() && ["infinity", "-infinity"].contains(&value);
    known.iter().all(|value| is_iso(value) || is_end(value)) && (class.is_temporal() || !known.is_empty())
}

/// The values and bounds that are known.
fn known<'f>(facts: &'f ColumnFacts<'_>) -> Vec<&'f str> {
    facts.profile.map_or_else(Vec::new, |profile| {
        let bounds = [&profile.min, &profile.max].into_iter().flatten();
        bounds.chain(profile.values.as_slice()).map(String::as_str).collect()
    })
}

/// Whether there are dates whose order isn't that in time; an empty text is none.
pub(crate) fn are_unsorted(facts: &ColumnFacts<'_>) -> bool {
    let has_others = || known(facts).iter().any(|value| !value.trim().is_empty() && !is_iso(value));
    !in_order(facts) && has_others()
}

fn is_iso(value: &str) -> bool {
    let digits = |part: Option<&str>| {
        part.is_some_and(|part| !part.is_empty() && part.chars().all(|character| character.is_ascii_digit()))
    };
    let unsigned = value.trim();
    digits(Some(unsigned))
        || (digits(unsigned.get(..4)) && unsigned.get(4..5) == Some("-") && digits(unsigned.get(5..7)))
}

/// The first column by which rows can be ordered in time.
pub(crate) fn event_time<'f, 'a>(columns: &'f [ColumnFacts<'a>]) -> Option<&'f ColumnFacts<'a>> {
    columns.iter().find(|facts| {
        facts.role == Role::Timestamp
            && facts.masked().is_none()
            && in_order(facts)
            && !facts.spoken.split(' ').any(|word| NOT_EVENTS.contains(&word))
    })
}

/// The days between which a column's values lie.
pub(crate) fn period(facts: &ColumnFacts<'_>) -> Option<(String, String)> {
    if is_unix_time(facts) || facts.column.type_class == TypeClass::Time || !facts.has_ends {
        return None;
    }
    let profile = facts.profile?;
    let day = |value: &Option<String>| value.as_deref().map(|value| value.chars().take(10).collect::<String>());
    Some((day(&profile.min)?, day(&profile.max)?))
}
