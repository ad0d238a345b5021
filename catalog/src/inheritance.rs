//! What columns inherit from those that they are made from: a view of a masked column is masked, whoever reads the catalog.
//!
//! Worked out when a catalog is read, so that a mask that came after a view was profiled closes the view as well.

use std::collections::{HashMap, HashSet};

use crate::entry::Entry;
use crate::model::masks::{DECIDED, Exposure, Lineage, MadeColumn, MadeRows, Mask, MaskedBy, NOT_FOLLOWED, RowsBy};
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
    for (table, column, mask) in &lineage.held {
        let Some(at) = place(catalog, table, column) else { continue };
        // What a view is made from, its definition says whenever it is asked.
        let is_told = mask.by == MaskedBy::Origin && entry(catalog, at).table.definition.is_some();
        if !is_told && own(catalog, at).mask().is_none() && !entry(catalog, at).is_released(column) {
            found.insert(at, Exposure::Masked(mask.clone()));
        }
    }
    let mut chosen: HashSet<Place> = HashSet::new();
    // It ends, as a column is only ever closed, never opened.
    let decided = loop {
        close_heirs(catalog, &heirs, &mut found);
        let decided = decided(catalog, &lineage.rows, &found);
        let before = chosen.len();
        for Chosen { making, by } in &decided {
            let made = &lineage.rows[*making];
            let reason =
                by.map_or_else(|| DECIDED.to_owned(), |(table, it)| format!("{DECIDED}, `{}.{it}`", table.local()));
            let columns = made.by.columns().iter().filter_map(|column| place(catalog, &made.table, column));
            for at in columns.filter(|at| !entry(catalog, *at).is_released(&column_name(catalog, *at))) {
                if chosen.insert(at) && found.get(&at).is_none_or(|known| known.mask().is_none()) {
                    found.insert(at, masked(reason.clone(), 1.0));
                }
            }
        }
        if chosen.len() == before {
            break decided;
        }
    };
    let computed = computed(catalog, &lineage.columns, &found, chosen);
    let mut inherited: HashMap<usize, Inherited> = HashMap::new();
    for ((entry, column), exposure) in found {
        inherited.entry(entry).or_default().exposures.push((column, exposure));
    }
    for (entry, column) in computed {
        inherited.entry(entry).or_default().computed.push(column);
    }
    for made in decided.into_iter().map(|chosen| &lineage.rows[chosen.making]) {
        let Some(entry) = catalog.position(&made.table) else { continue };
        let is_released = || {
            let entry = &catalog.entries()[entry];
            entry.table.columns.iter().any(|column| entry.is_released(&column.name))
        };
        match made.by {
            RowsBy::Itself => {}
            RowsBy::Making(_) if !is_released() => {}
            RowsBy::Making(_) | RowsBy::Adding(_) | RowsBy::Changing(_) => continue,
        }
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

/// Closes columns for what they are made from. Views of views take a round each.
fn close_heirs(catalog: &Catalog, heirs: &[Heir], found: &mut HashMap<Place, Exposure>) {
    loop {
        let mut changed = false;
        for heir in heirs {
            let known = found.get(&heir.place).cloned().unwrap_or_else(|| own(catalog, heir.place));
            let exposure = closed_by_origins(catalog, found, heir, &known);
            let is_more = |exposure: &Exposure| rank(exposure) > rank(&known) || known.mask().is_some();
            if let Some(exposure) = exposure.filter(is_more) {
                found.insert(heir.place, exposure);
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}

fn column_name(catalog: &Catalog, at: Place) -> String {
    entry(catalog, at).table.columns[at.1].name.clone()
}

fn masked(reason: String, confidence: f64) -> Exposure {
    Exposure::Masked(Mask { by: MaskedBy::Origin, reason, confidence, hides_names: false })
}

/// A making of rows, by its place, over which a masked column decides.
struct Chosen<'l> {
    making: usize,
    /// Which one, where that is known.
    by: Option<&'l (TableId, String)>,
}

/// The makings of rows that a masked column decides over: itself, or over rows that they read. Whoever has
/// released a column of what is read has looked at it. Policies of a table are asked anew of whoever reads it through a view.
fn decided<'l>(catalog: &Catalog, made: &'l [MadeRows], found: &HashMap<Place, Exposure>) -> Vec<Chosen<'l>> {
    let is_masked = |(table, column): &(TableId, String)| {
        place(catalog, table, column)
            .is_some_and(|at| found.get(&at).cloned().unwrap_or_else(|| own(catalog, at)).mask().is_some())
    };
    let any_released = |entry: &Entry| entry.table.columns.iter().any(|column| entry.is_released(&column.name));
    let is_released = |entry: &Entry| {
        // Who has looked at a column hasn't looked at a policy.
        if entry.table.row_policies.is_empty() { any_released(entry) } else { entry.has_released_rows() }
    };
    // Of what a text makes, each column is released by itself.
    let may_be = |at: usize, made: &MadeRows| made.by != RowsBy::Itself || !is_released(&catalog.entries()[at]);
    let makings =
        made.iter().enumerate().filter_map(|(making, made)| Some((making, catalog.position(&made.table)?, made)));
    let makings: Vec<(usize, usize, &MadeRows)> = makings.filter(|(_, at, made)| may_be(*at, made)).collect();
    let is_read_in_full = |entry: usize| {
        let table = &catalog.entries()[entry].table;
        table.definition.is_none() && !table.row_policies.is_empty()
    };
    let mut readers: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut decided: Vec<(usize, Option<&(TableId, String)>)> = Vec::new();
    for (number, (_, _, made)) in makings.iter().enumerate() {
        // A query that can't be followed may ask for anything.
        let by_column = made.deciding.iter().flatten().find(|column| is_masked(column));
        let read: Vec<usize> = made.reads.iter().filter_map(|read| catalog.position(read)).collect();
        if made.deciding.is_none()
            || by_column.is_some()
            || read.iter().any(|read| catalog.entries()[*read].rows_are_hidden())
        {
            decided.push((number, by_column));
        }
        read.into_iter().for_each(|read| readers.entry(read).or_default().push(number));
    }
    let mut seen: HashSet<usize> = decided.iter().map(|(number, _)| *number).collect();
    let mut next = 0;
    while let Some(&(number, by)) = decided.get(next) {
        let (_, at, made) = makings[number];
        next += 1;
        let is_passed_on = match made.by {
            RowsBy::Itself => !is_read_in_full(at),
            RowsBy::Making(_) | RowsBy::Adding(_) => !is_read_in_full(at) && !any_released(&catalog.entries()[at]),
            // What is only changed is told by the columns that are copied.
            RowsBy::Changing(_) => false,
        };
        for reader in readers.get(&at).into_iter().flatten().filter(|_| is_passed_on) {
            if seen.insert(*reader) {
                decided.push((*reader, by));
            }
        }
    }
    decided.into_iter().map(|(number, by)| Chosen { making: makings[number].0, by }).collect()
}

/// The masked columns that are computed from others and stored, or hold values of rows that were chosen, and those that these
/// were copied to.
fn computed(
    catalog: &Catalog,
    made: &[MadeColumn],
    found: &HashMap<Place, Exposure>,
    chosen: HashSet<Place>,
) -> HashSet<Place> {
    let is_masked = |at: &Place| found.get(at).cloned().unwrap_or_else(|| own(catalog, *at)).mask().is_some();
    let masked: Vec<(Place, &MadeColumn)> = made
        .iter()
        .filter_map(|made| Some((place(catalog, &made.table, &made.column)?, made)))
        .filter(|(at, _)| is_masked(at))
        .collect();
    let mut computed: HashSet<Place> = masked.iter().filter(|(_, made)| made.is_computed).map(|(at, _)| *at).collect();
    computed.extend(chosen);
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
    // What its values look like is told of none that is made from what nobody may use.
    let is_decided = own(catalog, at).mask().is_some_and(|mask| mask.by != MaskedBy::Values)
        || entry(catalog, at).is_released(&made.column);
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
    let of = |origin: Place| found.get(&origin).cloned().unwrap_or_else(|| own(catalog, origin));
    if let Some(mask) = known.mask() {
        let mut origins = heir.origins.iter().flatten().flatten().copied();
        let is_denied = |origin: &Place| of(*origin).mask().is_some_and(|mask| mask.by == MaskedBy::Denied);
        let denied = origins.find(is_denied).filter(|_| mask.by == MaskedBy::Values)?;
        return of(denied).mask().map(|mask| from(catalog, denied, mask));
    }
    let Some(origins) = &heir.origins else { return Some(masked(NOT_FOLLOWED.to_owned(), 1.0)) };
    let mut closed = None;
    for origin in origins {
        let Some(origin) = *origin else {
            closed = Some(Exposure::Unexamined);
            continue;
        };
        match of(origin) {
            Exposure::Open => {}
            Exposure::Unexamined => closed = Some(Exposure::Unexamined),
            // A view on the way says only what the table behind it says.
            Exposure::Masked(mask) if mask.by == MaskedBy::Origin => return Some(masked(mask.reason, mask.confidence)),
            Exposure::Masked(mask) => return Some(from(catalog, origin, &mask)),
        }
    }
    closed
}

/// A mask for what is made from that column.
fn from(catalog: &Catalog, origin: Place, mask: &Mask) -> Exposure {
    let table = &entry(catalog, origin).table;
    let name = &table.columns[origin.1].name;
    masked(format!("made from `{}.{name}`, {}", table.id.local(), mask.reason), mask.confidence)
}
