//! What it costs an agent to find its tables: a simulation of one that does as it is told.
//!
//! The agent lists the tables, then asks for one after the other, whole, until it has seen all that the question needs.
//! Without directives it goes through the list; with them it takes the tables worth looking at, best first, and goes on to
//! those that were marked irrelevant only if something is missing still.

use std::collections::HashSet;

use catalog::Catalog;
use index::estimate_tokens;
use link::Linked;
use serde::Serialize;

/// Tokens of ways to get to the needed tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Exploration {
    /// The whole schema at once.
    pub full_schema: f64,
    /// Listing and asking table by table, in the list's order.
    pub by_list: f64,
    /// The same with directives.
    pub by_directives: f64,
    /// The context that linking gives, whether or not it holds all needed tables.
    pub context: f64,
}

/// What one question costs. `needed` are positions in `linked.tables`.
pub(crate) fn explore(
    catalog: &Catalog,
    linked: &Linked,
    needed: &HashSet<usize>,
    context_tokens: usize,
) -> Exploration {
    let tables = &linked.tables;
    let cost = |place: usize| {
        let entry = catalog.entry(&tables[place].id);
        let whole =
            |entry: &catalog::Entry| link::whole_table(catalog, entry, &entry.table.columns.iter().collect::<Vec<_>>());
        entry.map_or(0, |entry| estimate_tokens(&whole(entry)))
    };
    let list: usize = tables.iter().map(|table| estimate_tokens(&table.id.local()) + 1).sum();
    let until_found = |order: &[usize]| -> usize {
        let mut missing = needed.len();
        let mut tokens = 0;
        for &place in order {
            if missing == 0 {
                break;
            }
            tokens += cost(place);
            missing -= usize::from(needed.contains(&place));
        }
        tokens
    };
    let mut in_order: Vec<usize> = (0..tables.len()).collect();
    let by_rank = in_order.clone();
    in_order.sort_by(|left, right| tables[*left].id.cmp(&tables[*right].id));
    let (mut directed, aside): (Vec<usize>, Vec<usize>) =
        by_rank.iter().partition(|&&place| tables[place].is_relevant());
    let kept: usize = directed.iter().map(|&place| estimate_tokens(&tables[place].id.local()) + 1).sum();
    let is_missing = needed.iter().any(|place| !tables[*place].is_relevant());
    directed.extend(aside);
    Exploration {
        full_schema: in_order.iter().map(|&place| cost(place)).sum::<usize>() as f64,
        by_list: (list + until_found(&in_order)) as f64,
        // What was marked irrelevant has to be listed only when something is missing.
        by_directives: (kept + until_found(&directed) + if is_missing { list - kept } else { 0 }) as f64,
        context: context_tokens as f64,
    }
}

/// The means of these.
pub(crate) fn mean(all: &[Exploration]) -> Exploration {
    let count = all.len().max(1) as f64;
    let of = |tokens: &dyn Fn(&Exploration) -> f64| all.iter().map(tokens).sum::<f64>() / count;
    Exploration {
        full_schema: of(&|one| one.full_schema),
        by_list: of(&|one| one.by_list),
        by_directives: of(&|one| one.by_directives),
        context: of(&|one| one.context),
    }
}
