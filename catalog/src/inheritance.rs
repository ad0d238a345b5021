//! What columns inherit from those that they are made from: a view of a masked column is masked, whoever reads the catalog.
//!
//! Worked out when a catalog is read, so that a mask that came after a view was profiled closes the view as well.

use std::collections::{HashMap, HashSet};

use crate::entry::Entry;
use crate::model::masks::{DECIDED, Exposure, Lineage, MadeColumn, MadeRows, Mask, MaskedBy, NOT_FOLLOWED};
use crate::model::structure::TableId;
use crate::view::Catalog;

/// A column, by the places of its entry and in its table.
type Place = (usize, usize);

/// A column that somebody hasn't decided about, and that is not masked by itself.
struct Heir {
    place: Place,
    /// `None` for a column that isn't in the catalog, so that nobody has ever looked at it.
    origins: Option<Vec<Option<Place>>>,
}

/// What an entry's made columns inherit.
#[derive(Default)]
pub(crate) struct Inherited {
    /// By their place in the table.
    pub(crate) exposures: Vec<(usize, Exposure)>,
    /// Whether a masked column decides which rows there are.
    pub(crate) rows_are_decided: bool,
    /// The places of columns of which even whether there is a value tells of a masked one.
    pub(crate) computed: Vec<usize>,
}

/// For each entry that has made columns or rows, what these inherit.
pub(crate) fn inherited(catalog: &Catalog, lineage: &Lineage) -> HashMap<usize, Inherited> {
    let heirs: Vec<Heir> = lineage.columns.iter().filter_map(|made| heir(catalog, made)).collect();
    let mut found: HashMap<Place, Exposure> = HashMap::new();
    // Views of views take a round each; it ends, as a column is only ever closed, never opened.
    loop {
        let mut changed = false;
        for heir in &heirs {
            let known = found.get(&heir.place).cloned().unwrap_or_else(|| own(catalog, heir.place));
            let exposure = closed_by_origins(catalog, &found, heir, &known);
            if let Some(exposure) = exposure.filter(|exposure| rank(exposure) > rank(&known)) {
                found.insert(heir.place, exposure);
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let decided = decided(catalog, &lineage.rows, &found);
    let computed = computed(catalog, &lineage.columns, &found);
    let mut inherited: HashMap<usize, Inherited> = HashMap::new();
    for ((entry, column), exposure) in found {
        inherited.entry(entry).or_default().exposures.push((column, exposure));
    }
    for (entry, column) in computed {
        inherited.entry(entry).or_default().computed.push(column);
    }
    for entry in decided {
        let inherited = inherited.entry(entry).or_default();
        inherited.rows_are_decided = true;
        // A count of such rows is made from no column, and tells as much.
        for column in 0..catalog.entries()[entry].table.columns.len() {
            if !inherited.exposures.iter().any(|(place, _)| *place == column) {
                inherited.exposures.push((column, masked(DECIDED.to_owned(), 1.0)));
            }
        }
    }
    inherited
}

fn masked(reason: String, confidence: f64) -> Exposure {
    Exposure::Masked(Mask { by: MaskedBy::Origin, reason, confidence, hides_names: false })
}

/// The entries whose rows follow from a masked column: it decides over them, or over those of a view that they read. Whoever
/// has released a column of such a view has looked at it. Policies of a table are asked anew of whoever reads it through a view.
fn decided(catalog: &Catalog, made: &[MadeRows], found: &HashMap<Place, Exposure>) -> HashSet<usize> {
    let is_masked = |(table, column): &(TableId, String)| {
        place(catalog, table, column)
            .is_some_and(|at| found.get(&at).cloned().unwrap_or_else(|| own(catalog, at)).mask().is_some())
    };
    let is_released = |entry: usize| {
        let entry = &catalog.entries()[entry];
        let any_column = || entry.table.columns.iter().any(|column| entry.is_released(&column.name));
        // Who has looked at a column hasn't looked at a policy.
        if entry.table.row_policies.is_empty() { any_column() } else { entry.has_released_rows() }
    };
    let views = made.iter().filter_map(|made| Some((catalog.position(&made.table)?, made)));
    let views: Vec<(usize, &MadeRows)> = views.filter(|(entry, _)| !is_released(*entry)).collect();
    // A query that can't be followed may ask for anything.
    let is_decided = |made: &MadeRows| made.deciding.as_ref().is_none_or(|columns| columns.iter().any(is_masked));
    let by_columns = views.iter().filter(|(_, made)| is_decided(made));
    let mut decided: HashSet<usize> = by_columns.map(|(entry, _)| *entry).collect();
    let is_read_in_full = |entry: usize| {
        let table = &catalog.entries()[entry].table;
        table.definition.is_none() && !table.row_policies.is_empty()
    };
    loop {
        let reads_one = |made: &MadeRows| {
            let mut read = made.reads.iter().filter_map(|read| catalog.position(read));
            let is_hidden = |read: usize| catalog.entries()[read].rows_are_hidden();
            read.any(|read| is_hidden(read) || decided.contains(&read) && !is_read_in_full(read))
        };
        let more = views.iter().filter(|(entry, made)| !decided.contains(entry) && reads_one(made));
        let more: Vec<usize> = more.map(|(entry, _)| *entry).collect();
        if more.is_empty() {
            return decided;
        }
        decided.extend(more);
    }
}

/// The masked columns that are computed from others and stored, and those that these were copied to.
fn computed(catalog: &Catalog, made: &[MadeColumn], found: &HashMap<Place, Exposure>) -> HashSet<Place> {
    let is_masked = |at: &Place| found.get(at).cloned().unwrap_or_else(|| own(catalog, *at)).mask().is_some();
    let masked: Vec<(Place, &MadeColumn)> = made
        .iter()
        .filter_map(|made| Some((place(catalog, &made.table, &made.column)?, made)))
        .filter(|(at, _)| is_masked(at))
        .collect();
    let mut computed: HashSet<Place> = masked.iter().filter(|(_, made)| made.is_computed).map(|(at, _)| *at).collect();
    if computed.is_empty() {
        return computed;
    }
    loop {
        let copies_one = |made: &MadeColumn| {
            let mut origins = made.origins.iter().flatten().filter_map(|(table, it)| place(catalog, table, it));
            origins.any(|origin| computed.contains(&origin))
        };
        let more = masked.iter().filter(|(at, made)| !computed.contains(at) && copies_one(made));
        let more: Vec<Place> = more.map(|(at, _)| *at).collect();
        if more.is_empty() {
            return computed;
        }
        computed.extend(more);
    }
}

fn heir(catalog: &Catalog, made: &MadeColumn) -> Option<Heir> {
    let at = place(catalog, &made.table, &made.column)?;
    let is_decided = own(catalog, at).mask().is_some() || entry(catalog, at).is_released(&made.column);
    let origins =
        made.origins.as_ref().map(|origins| origins.iter().map(|(table, it)| place(catalog, table, it)).collect());
    (!is_decided).then_some(Heir { place: at, origins })
}

fn place(catalog: &Catalog, table: &TableId, column: &str) -> Option<Place> {
    let entry = catalog.position(table)?;
    Some((entry, catalog.entries()[entry].table.place_of(column)?))
}

fn entry(catalog: &Catalog, place: Place) -> &Entry {
    &catalog.entries()[place.0]
}

/// What a column's own table says of it.
fn own(catalog: &Catalog, place: Place) -> Exposure {
    entry(catalog, place).exposures().get(place.1).cloned().unwrap_or(Exposure::Unexamined)
}

fn rank(exposure: &Exposure) -> u8 {
    match exposure {
        Exposure::Open => 0,
        Exposure::Unexamined => 1,
        Exposure::Masked(_) => 2,
    }
}

/// The most that a column's origins say against showing it, as far as is known by now.
fn closed_by_origins(
    catalog: &Catalog,
    found: &HashMap<Place, Exposure>,
    heir: &Heir,
    known: &Exposure,
) -> Option<Exposure> {
    if known.mask().is_some() {
        return None;
    }
    let Some(origins) = &heir.origins else { return Some(masked(NOT_FOLLOWED.to_owned(), 1.0)) };
    let mut closed = None;
    for origin in origins {
        let Some(origin) = *origin else {
            closed = Some(Exposure::Unexamined);
            continue;
        };
        match found.get(&origin).cloned().unwrap_or_else(|| own(catalog, origin)) {
            Exposure::Open => {}
            Exposure::Unexamined => closed = Some(Exposure::Unexamined),
            // A view on the way says only what the table behind it says.
            Exposure::Masked(mask) if mask.by == MaskedBy::Origin => return Some(masked(mask.reason, mask.confidence)),
            Exposure::Masked(mask) => {
                let table = &entry(catalog, origin).table;
                let name = &table.columns[origin.1].name;
                let reason = format!("made from `{}.{name}`, {}", table.id.local(), mask.reason);
                return Some(masked(reason, mask.confidence));
            }
        }
    }
    closed
}
