//! What may be told of a column's values, for whoever shows a table.

use crate::entry::Entry;
use crate::model::masks::Exposure;
use crate::model::profile::{KnownValues, Pattern};
use crate::model::structure::{Column, Index};

/// What is known of a column's values; nothing of those that may not be shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColumnFacts<'e> {
    /// Every value that it can hold, where that is known.
    pub values: Vec<&'e str>,
    /// A few that stand for the others, where not all are known.
    pub examples: Vec<&'e str>,
    /// The smallest and the largest of numbers and times.
    pub range: Option<(&'e str, &'e str)>,
    /// The form that all or nearly all have.
    pub pattern: Option<&'e Pattern>,
    /// Share of rows that are NULL, 0 to 1.
    pub null_fraction: Option<f64>,
    /// Why its values are kept back, where they are.
    pub masked: Option<&'e str>,
}

impl Entry {
    /// What may be told of a column's values.
    pub fn facts(&self, column: &Column) -> ColumnFacts<'_> {
        let profile = self.profile().and_then(|profile| profile.column(&column.name));
        let null_fraction = profile.and_then(|profile| profile.null_fraction);
        match self.exposure(&column.name) {
            Exposure::Masked(mask) => {
                return ColumnFacts { masked: Some(&mask.reason), null_fraction, ..ColumnFacts::default() };
            }
            Exposure::Unexamined => {
                return ColumnFacts { masked: Some(UNEXAMINED), null_fraction, ..ColumnFacts::default() };
            }
            Exposure::Open => {}
        }
        let values = self.all_values(&column.name).unwrap_or_default();
        let some = profile.map(|profile| &profile.values).filter(|_| values.is_empty()).map(KnownValues::as_slice);
        let is_ordered = column.type_class.is_numeric() || column.type_class.is_temporal();
        ColumnFacts {
            values,
            examples: some.into_iter().flatten().map(String::as_str).collect(),
            range: profile.filter(|_| is_ordered).and_then(|it| Some((it.min.as_deref()?, it.max.as_deref()?))),
            pattern: profile.and_then(|profile| profile.pattern.as_ref()),
            null_fraction,
            masked: None,
        }
    }
}

impl Entry {
    /// Its indexes. Where some values may not be shown, those over expressions are left out, which can hold such values.
    pub fn shown_indexes(&self) -> impl Iterator<Item = &Index> {
        let is_open = self.exposures().iter().all(|exposure| *exposure == Exposure::Open);
        let is_plain = |index: &Index| index.columns.iter().all(|name| self.table.column(name).is_some());
        self.table.indexes.iter().filter(move |index| is_open || is_plain(index))
    }
}

/// Why the values of a column are kept back that was never profiled.
pub const UNEXAMINED: &str = "nobody has looked at its values yet";
