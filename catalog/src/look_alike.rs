//! Copies of tables: `orders`, `orders_v2`, `orders_archive`, and which of them is the one to use.
//!
//! Two tables look alike when their names are equal without words such as `old`, `bak` or `v2` and most of their columns
//! are the same. Which one counts is not decided by the name alone: what people read beats what they don't, by the query logs
//! where there are any, and a `_v2` that is written every day beats the table that it replaced two years ago.

use std::collections::{HashMap, HashSet};

use crate::entry::Entry;
use crate::model::structure::{TableId, TableKind};
use crate::model::usage::{TableUsage, Traffic};

/// Columns that must be shared, of the smaller table's.
const SHARED_COLUMNS: f32 = 0.5;
/// How much later an update must be to count, in days.
const LATER_BY_DAYS: i64 = 30;

/// A table that is read in so many times fewer statements than its look-alike isn't the one that people use, where the other
/// one is read in so many at least.
const TIMES_FEWER: u32 = 5;
const LEAST_READ: u32 = 10;

/// Words that mark a table as another one's past, kept for its own sake.
const ARCHIVE: &[&str] =
    &["arch", "archief", "archiv", "archive", "archived", "hist", "historie", "history", "snapshot"];
/// Words that mark a table as another one's past that nobody should use any more.
const PAST: &[&str] = &[
    "alt",
    "backup",
    "bak",
    "bck",
    "bkp",
    "deprecated",
    "legacy",
    "obsolete",
    "old",
    "orig",
    "original",
    "oud",
    "prev",
    "previous",
    "sicherung",
    "unused",
];
/// Words that mark a table as a draft, a copy or a version of another one.
const VARIANT: &[&str] =
    &["copie", "copy", "dev", "draft", "kopie", "new", "staging", "stage", "stg", "temp", "test", "tmp"];

/// What a table that is another one's copy should say about itself.
#[derive(Clone, Debug, PartialEq)]
pub struct LookAlike {
    /// The table to use instead, by its position in [`crate::Catalog::entries`].
    pub authority: usize,
    /// Words of its name that set it apart; a question that has one of them means this table.
    pub marks: Vec<String>,
    /// Whether its name says that it is kept for old data's sake: an archive, a history.
    pub is_archive: bool,
    /// In plain words why the other one counts.
    pub reason: String,
}

/// For each table, by position, whether it is a copy of another.
pub(crate) fn look_alikes(
    entries: &[Entry],
    by_id: &HashMap<TableId, usize>,
    used: &HashMap<TableId, TableUsage>,
) -> Vec<Option<LookAlike>> {
    let mut groups: HashMap<(&str, Option<&str>, String), Vec<usize>> = HashMap::new();
    for (position, entry) in entries.iter().enumerate() {
        let id = &entry.table.id;
        let (base, _) = base_and_marks(&id.name);
        groups.entry((&id.source, id.schema.as_deref(), base)).or_default().push(position);
    }
    let referenced: HashSet<usize> = entries
        .iter()
        .flat_map(|entry| entry.table.foreign_keys.iter().filter(|key| key.ref_table != entry.table.id))
        .filter_map(|key| by_id.get(&key.ref_table).copied())
        .collect();
    let mut found = vec![None; entries.len()];
    for members in groups.values().filter(|members| members.len() > 1) {
        let reads = |member: usize| used.get(&entries[member].table.id).map(|usage| usage.reads).unwrap_or_default();
        let most = members.iter().map(|&member| reads(member).statements).max().unwrap_or_default();
        let is_used = |member: usize| most < LEAST_READ || reads(member).statements * TIMES_FEWER >= most;
        let Some(&authority) = members.iter().max_by_key(|&&member| {
            let (entry, marks) = (&entries[member], base_and_marks(&entries[member].table.id.name).1);
            let standing = standing(entry, &marks, referenced.contains(&member), members, entries);
            (is_used(member), standing, std::cmp::Reverse(member))
        }) else {
            continue;
        };
        for &member in members.iter().filter(|&&member| member != authority) {
            let (_, marks) = base_and_marks(&entries[member].table.id.name);
            let authority_marks = base_and_marks(&entries[authority].table.id.name).1;
            // A view has the rows of now, whatever step of the way its name says that it is.
            let is_live = entries[member].table.kind == TableKind::View
                && is_used(member)
                && !marks.iter().any(|mark| ARCHIVE.contains(&mark.as_str()));
            if !is_live
                && share_columns(&entries[member], &entries[authority])
                && (!marks.is_empty() || !authority_marks.is_empty())
            {
                let reason = match is_used(member) {
                    true => reason_for(&entries[member], &entries[authority], &marks),
                    false => by_use(&entries[authority], reads(member), reads(authority)),
                };
                let is_archive = marks.iter().any(|mark| ARCHIVE.contains(&mark.as_str()));
                found[member] = Some(LookAlike { authority, marks, is_archive, reason });
            }
        }
    }
    found
}

/// The name without the words that mark copies, and those words. A version (`v2`) is one of them, and so is a year or a
/// date beside one of them (`orders_bak_20230401`).
fn base_and_marks(name: &str) -> (String, Vec<String>) {
    let words = words::in_identifier(name);
    let (mut base, mut marks) = (Vec::new(), Vec::new());
    let mut position = 0;
    while position < words.len() {
        let word = words[position].as_str();
        let next_is_number = words.get(position + 1).is_some_and(|next| next.chars().all(char::is_numeric));
        if (word == "v" || word == "ver" || word == "version") && next_is_number && position > 0 {
            marks.push(format!("{word}{}", words[position + 1]));
            position += 2;
            continue;
        }
        if is_past(word) || VARIANT.contains(&word) {
            marks.push(word.to_owned());
        } else {
            base.push(word.to_owned());
        }
        position += 1;
    }
    if !marks.is_empty() {
        let (dates, rest): (Vec<String>, Vec<String>) =
            base.into_iter().partition(|word| word.len() >= 4 && word.chars().all(|digit| digit.is_ascii_digit()));
        marks.extend(dates);
        base = rest;
    }
    if base.is_empty() { (words.join(" "), Vec::new()) } else { (base.join(" "), marks) }
}

fn is_past(word: &str) -> bool {
    PAST.contains(&word) || ARCHIVE.contains(&word)
}

/// How much speaks for a member of the group, most important first.
fn standing(
    entry: &Entry,
    marks: &[String],
    referenced: bool,
    members: &[usize],
    entries: &[Entry],
) -> (bool, bool, bool, bool, bool, u64) {
    let is_past = marks.iter().any(|mark| is_past(mark));
    let has_rows = entry.table.row_count.is_none_or(|rows| rows.value > 0);
    let newest = members.iter().filter_map(|&member| update_day(&entries[member])).max();
    let is_recent = match (update_day(entry), newest) {
        (Some(day), Some(newest)) => newest - day <= LATER_BY_DAYS,
        _ => true,
    };
    let rows = entry.table.row_count.map_or(0, |rows| rows.value);
    (!is_past, has_rows, !entry.is_stale() && is_recent, referenced, marks.is_empty(), rows)
}

fn update_day(entry: &Entry) -> Option<i64> {
    entry.last_update().map(|update| update.at.as_second() / 86_400)
}

fn share_columns(left: &Entry, right: &Entry) -> bool {
    let names = |entry: &Entry| -> HashSet<String> {
        entry.table.columns.iter().map(|column| column.name.to_lowercase()).collect()
    };
    let (left, right) = (names(left), names(right));
    let smaller = left.len().min(right.len()).max(1);
    left.intersection(&right).count() as f32 >= SHARED_COLUMNS * smaller as f32
}

fn by_use(authority: &Entry, here: Traffic, there: Traffic) -> String {
    let users = if there.users == 0 { String::new() } else { format!(" of {} users", there.users) };
    let name = authority.table.id.local();
    format!(
        "looks like a copy of `{name}`, which {} statements{users} read, and this {}",
        there.statements, here.statements
    )
}

fn reason_for(entry: &Entry, authority: &Entry, marks: &[String]) -> String {
    let name = authority.table.id.local();
    let rows = |entry: &Entry| entry.table.row_count.map(|rows| rows.value);
    if let (Some(here), Some(there)) = (update_day(entry), update_day(authority))
        && there - here > LATER_BY_DAYS
    {
        return format!("looks like a copy of `{name}`, which was changed {} days later", there - here);
    }
    if entry.is_stale() && !authority.is_stale() {
        return format!("looks like a copy of `{name}` and hasn't changed for over a year");
    }
    if let Some(mark) = marks.first() {
        return format!("looks like a copy of `{name}`: its name says `{mark}`");
    }
    match (rows(entry), rows(authority)) {
        (Some(here), Some(there)) if here < there => {
            format!("looks like a copy of `{name}`, which has {there} rows where this has {here}")
        }
        _ => format!("looks like a copy of `{name}`"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::{base_and_marks, look_alikes};
    use crate::entry::Entry;
    use crate::model::structure::{Column, Table, TableId, TableKind};
    use crate::model::usage::{TableUsage, Traffic};

    #[test]
    fn a_view_is_no_past_of_what_is_made_from_it() {
        let entry = |name: &str, kind: TableKind| {
            let columns = ["id", "total"].map(|name| Column::new(name, "INTEGER")).to_vec();
            Entry::bare(Table { columns, kind, ..Table::new(TableId::new("s", name)) })
        };
        for (name, kind, is_one) in [
            ("stg_orders", TableKind::View, false),
            ("stg_orders", TableKind::Table, true),
            ("orders_archive", TableKind::View, true),
        ] {
            let entries = vec![entry("orders", TableKind::Table), entry(name, kind)];
            let found = look_alikes(&entries, &HashMap::new(), &HashMap::new());
            assert_eq!((found[0].is_some(), found[1].is_some()), (false, is_one), "{name}");
        }
    }

    #[test]
    fn what_people_read_is_the_one_that_counts() {
        let entry = |name: &str| {
            let columns = ["id", "total"].map(|name| Column::new(name, "INTEGER")).to_vec();
            Entry::bare(Table { columns, ..Table::new(TableId::new("s", name)) })
        };
        let entries = vec![entry("orders"), entry("orders_v2")];
        let by_id: HashMap<TableId, usize> =
            entries.iter().enumerate().map(|(place, entry)| (entry.table.id.clone(), place)).collect();
        let read = |position: usize, statements: u32| {
            let id: &TableId = &entries[position].table.id;
            let reads = Traffic { statements, users: 4, ..Traffic::default() };
            (id.clone(), TableUsage { reads, ..TableUsage::none(id) })
        };
        for (reads, copy, reason) in [
            ([0, 0], 1, "its name says `v2`"),
            ([3, 40], 0, "which 40 statements of 4 users read, and this 3"),
            ([30, 40], 1, "its name says `v2`"),
            ([40, 0], 1, "which 40 statements of 4 users read, and this 0"),
        ] {
            let used: HashMap<TableId, TableUsage> = [read(0, reads[0]), read(1, reads[1])].into();
            let found = look_alikes(&entries, &by_id, &used);
            assert!(found[1 - copy].is_none(), "{reads:?}");
            let told = &found[copy].as_ref().unwrap().reason;
            assert!(told.contains(reason), "{told}");
        }
    }

    #[test]
    fn marks_are_told_from_the_name() {
        for (name, base, marks) in [
            ("orders", "orders", &[][..]),
            ("orders_v2", "orders", &["v2"]),
            ("shp_bak_20230401", "shp", &["bak", "20230401"]),
            ("kunden_alt", "kunden", &["alt"]),
            ("OrdersBackup", "orders", &["backup"]),
            ("sales_2023", "sales 2023", &[]),
            ("backup", "backup", &[]),
        ] {
            let (found, words) = base_and_marks(name);
            assert_eq!(
                (found.as_str(), words),
                (base, marks.iter().map(|mark| (*mark).to_owned()).collect()),
                "{name}"
            );
        }
    }
}
