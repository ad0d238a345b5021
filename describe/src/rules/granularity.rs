//! What kind of table it is in the terms of dimensional modelling, from its keys, columns and size.

use catalog::{Entry, Granularity, TableId};

use super::queries::is_additive;
use super::role::{ColumnFacts, Role};
use crate::vocabulary::singular;

/// A list of codes has at most so many rows.
const LOOKUP_ROWS: u64 = 500;
/// … and at most so many columns.
const LOOKUP_COLUMNS: usize = 5;

/// The kind of the table. `referenced_by` is how many others point to it.
pub(crate) fn granularity(
    entry: &Entry,
    columns: &[ColumnFacts<'_>],
    spoken: &str,
    referenced_by: usize,
) -> Granularity {
    let count = |role: Role| columns.iter().filter(|facts| facts.role == role).count();
    let references = entry.table.foreign_keys.len();
    let has = |words: &[&str]| spoken.split(' ').any(|word| words.contains(&word));
    if references >= 2 && is_bridge(entry, columns) {
        return Granularity::Bridge;
    }
    let prefix = entry.table.id.name.to_ascii_lowercase();
    if prefix.starts_with("fact_") || prefix.starts_with("fct_") {
        return Granularity::Fact;
    }
    if prefix.starts_with("dim_") {
        return Granularity::Dimension;
    }
    let rows = entry.table.row_count.map(|count| count.value);
    let small = rows.is_none_or(|rows| rows <= LOOKUP_ROWS);
    let plain = count(Role::Measure) == 0 && count(Role::Timestamp) == 0;
    let list_name =
        has(&["type", "types", "status", "statuses", "category", "categories", "lookup", "code", "codes", "currency"]);
    if references == 0
        && plain
        && small
        && columns.len() <= LOOKUP_COLUMNS
        && (list_name || (rows.is_some() && referenced_by > 0))
    {
        return Granularity::Lookup;
    }
    let weight = Weight::of(entry, columns, spoken, referenced_by);
    match weight.fact.cmp(&weight.dimension) {
        std::cmp::Ordering::Greater => Granularity::Fact,
        _ if weight.dimension > 1 || referenced_by > 0 => Granularity::Dimension,
        _ if weight.fact == 0 => Granularity::Other,
        _ => Granularity::Dimension,
    }
}

/// What speaks for events and what for things.
struct Weight {
    fact: u32,
    dimension: u32,
}

impl Weight {
    fn of(entry: &Entry, columns: &[ColumnFacts<'_>], spoken: &str, referenced_by: usize) -> Self {
        /// Rows of these happen at a moment.
        const EVENTS: [&str; 40] = [
            "admission",
            "appointment",
            "archive",
            "attendance",
            "audit",
            "bill",
            "booking",
            "call",
            "claim",
            "click",
            "comment",
            "delivery",
            "enrollment",
            "event",
            "history",
            "invoice",
            "item",
            "log",
            "measurement",
            "message",
            "order",
            "payment",
            "purchase",
            "reading",
            "refund",
            "registration",
            "rental",
            "reservation",
            "result",
            "return",
            "review",
            "sale",
            "sales",
            "session",
            "shipment",
            "ticket",
            "transaction",
            "trip",
            "visit",
            "vote",
        ];
        let noun = singular(spoken);
        let last = noun.split(" (").next().unwrap_or_default().rsplit(' ').next().unwrap_or_default();
        let any = |test: &dyn Fn(&ColumnFacts<'_>) -> bool| columns.iter().any(test);
        let points = |holds: bool, points: u32| if holds { points } else { 0 };
        let others = entry.table.foreign_keys.iter().any(|key| key.ref_table != entry.table.id);
        let additive = any(&|facts| facts.role == Role::Measure && is_additive(facts));
        let named = any(&|facts| facts.role == Role::Name);
        // A thing has a name; what has none but happened at a time and points to others is an event.
        let happened = any(&is_event_time);
        let fact = points(happened && others && !named, 1)
            + points(EVENTS.contains(&last), 3)
            + points(additive, 2)
            + points(others, 1)
            + points(happened, 1);
        let dimension = points(named, 2)
            + points(spoken.ends_with(" master"), 2)
            + points(referenced_by > 0, 1)
            + points(referenced_by >= 3, 1)
            + points(!additive, 1);
        Self { fact, dimension }
    }
}

/// A time at which something happened, not one at which a row was made or changed, or from which it holds.
fn is_event_time(facts: &ColumnFacts<'_>) -> bool {
    const BOOKKEEPING: [&str; 18] = [
        "created", "updated", "modified", "changed", "inserted", "loaded", "birth", "valid", "create", "update",
        "start", "starts", "end", "ends", "from", "to", "until", "expires",
    ];
    facts.role == Role::Timestamp && !facts.spoken.split(' ').any(|word| BOOKKEEPING.contains(&word))
}

/// Two or more references, and beside them nothing but keys, times and positions.
fn is_bridge(entry: &Entry, columns: &[ColumnFacts<'_>]) -> bool {
    let mut targets: Vec<&TableId> = entry.table.foreign_keys.iter().map(|key| &key.ref_table).collect();
    targets.sort();
    targets.dedup();
    let own: Vec<&ColumnFacts<'_>> = columns.iter().filter(|facts| facts.reference.is_none()).collect();
    let key_is_links = !entry.table.primary_key.is_empty()
        && columns.iter().filter(|facts| facts.in_primary_key).all(|facts| facts.reference.is_some());
    let allowed = |facts: &&ColumnFacts<'_>| {
        matches!(facts.role, Role::Identifier | Role::Timestamp)
            || ["position", "rank", "sort"].iter().any(|word| facts.spoken.contains(word))
    };
    !targets.is_empty() && own.len() <= 2 && own.iter().all(allowed) && (key_is_links || own.len() <= 1)
}
