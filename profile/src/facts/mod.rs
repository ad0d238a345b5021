//! What rows say that names and types don't, found while profiling.
//!
//! What one table says comes from the rows that its profile rests on, what two say together from a hundred rows of each, by
//! key. Invariant: a fact rests on rows that were counted, never on a name alone, and no large table is read for it.

mod across;
mod arithmetic;
mod clocks;
mod coded;
mod columns;
mod counters;
mod dates;
mod documents;
mod filled;
mod gaps;
mod generations;
mod grain;
mod kinds;
mod numbered;
mod parts;
mod ratio;
mod repeats;
mod sheet;
mod switches;
mod texts;
mod there;
mod turns;
mod units;
mod values;
mod words_of;

use catalog::{Dialect, Fact, FactKind, SampleMethod, Table, TableProfile};
use connect::Value;

pub(crate) use self::across::facts as across;
use self::sheet::Sheet;
pub(crate) use self::values::{names_a_row, stem};

/// A share without digits that tell nothing.
fn rounded(share: f64) -> f64 {
    (share * 1000.0).round() / 1000.0
}

/// What the rows of one table say; `rows` have the cells of the columns named in `readable`, in that order, and were `drawn` so.
pub(crate) fn within(
    table: &Table,
    dialect: &Dialect,
    profile: &TableProfile,
    readable: &[String],
    rows: &[Vec<Value>],
    drawn: &SampleMethod,
) -> Vec<Fact> {
    let mut sheet = Sheet::new(table, dialect, profile, readable, rows, drawn);
    let mut facts = columns::facts(&sheet);
    sheet.learn_times(&facts);
    facts.extend(dates::other_years(&sheet));
    facts.extend(clocks::facts(&sheet));
    facts.extend(kinds::signed_by(&sheet));
    facts.extend(kinds::scaled_by(&sheet));
    facts.extend(kinds::marked_one(&sheet));
    facts.extend(kinds::negative_where(&sheet));
    facts.extend(kinds::one_filled(&sheet));
    facts.extend(filled::facts(&sheet));
    facts.extend(repeats::facts(&sheet));
    facts.extend(switches::facts(&sheet));
    facts.extend(counters::facts(&sheet));
    facts.extend(arithmetic::facts(&sheet));
    facts.extend(grain::facts(&sheet));
    facts.extend(gaps::fact(&sheet));
    facts.extend(turns::facts(&sheet));
    facts.extend(parts::facts(&sheet));
    without_weaker(facts)
}

/// Without those that another one of the same column says better: what tests are called explains codes of another form.
fn without_weaker(facts: Vec<Fact>) -> Vec<Fact> {
    let better = |weaker: &Fact| {
        let own = weaker.columns().first().copied();
        facts.iter().any(|fact| {
            let explains = match (&weaker.kind, &fact.kind) {
                (FactKind::OddForm { .. }, FactKind::TestRows { .. } | FactKind::Placeholder { .. })
                | (FactKind::ConstantWhile { .. }, FactKind::CodesChanged { .. } | FactKind::FilledWhile { .. }) => {
                    true
                }
                (FactKind::Placeholder { value, .. }, FactKind::TotalRows { value: total, .. }) => value == total,
                (FactKind::ScaledBy { by, .. }, FactKind::MeaningBy { by: of_unit, .. }) => by == of_unit,
                (FactKind::ScaledBy { by, .. }, FactKind::ComputedBy { by: of_kind, .. }) => by == of_kind,
                // Two systems, one after the other: which one a row came by says it of each row.
                (
                    FactKind::ScaleChanged { factor: of_time, only: None, .. },
                    FactKind::ScaledBy { factor: of_kind, .. },
                ) => (of_time.ln().abs() - of_kind.ln().abs()).abs() < 0.6,
                _ => false,
            };
            let marks = match (&weaker.kind, &fact.kind) {
                (FactKind::CodesWhereFilled { column, .. }, FactKind::ParentTotals { marked: Some((by, _)), .. }) => {
                    column == by
                }
                _ => false,
            };
            marks || explains && fact.columns().first().copied() == own
        })
    };
    let weaker: Vec<bool> = facts.iter().map(better).collect();
    facts.into_iter().zip(weaker).filter(|(_, is_weaker)| !is_weaker).map(|(fact, _)| fact).collect()
}
