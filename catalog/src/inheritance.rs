//! What columns inherit from those that they are made from: a view of a masked column is masked, whoever reads the catalog.
//!
//! Worked out when a catalog is read, so that a mask that came after a view was profiled closes the view as well.

use std::collections::HashMap;

use crate::entry::Entry;
use crate::model::masks::{Exposure, MadeColumn, Mask, MaskedBy, NOT_FOLLOWED};
use crate::view::Catalog;

/// A column, by the places of its entry and in its table.
type Place = (usize, usize);

/// A column that somebody hasn't decided about, and that is not masked by itself.
struct Heir {
    place: Place,
    /// `None` for a column that isn't in the catalog, so that nobody has ever looked at it.
    origins: Option<Vec<Option<Place>>>,
}

/// For each entry that has made columns, what these inherit, by their place in the table.
pub(crate) fn inherited(catalog: &Catalog, made: &[MadeColumn]) -> HashMap<usize, Vec<(usize, Exposure)>> {
    let heirs: Vec<Heir> = made.iter().filter_map(|made| heir(catalog, made)).collect();
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
    let mut inherited: HashMap<usize, Vec<(usize, Exposure)>> = HashMap::new();
    for ((entry, column), exposure) in found {
        inherited.entry(entry).or_default().push((column, exposure));
    }
    inherited
}

fn heir(catalog: &Catalog, made: &MadeColumn) -> Option<Heir> {
    let place = |table, column: &str| -> Option<Place> {
        let entry = catalog.position(table)?;
        Some((entry, catalog.entries()[entry].table.place_of(column)?))
    };
    let at = place(&made.table, &made.column)?;
    let is_decided = own(catalog, at).mask().is_some() || entry(catalog, at).is_released(&made.column);
    let origins = made.origins.as_ref().map(|origins| origins.iter().map(|(table, it)| place(table, it)).collect());
    (!is_decided).then_some(Heir { place: at, origins })
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
    let masked = |reason: String, confidence| {
        Exposure::Masked(Mask { by: MaskedBy::Origin, reason, confidence, hides_names: false })
    };
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
