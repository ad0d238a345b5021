//! What a structure says of its columns, in the catalog's terms: the rules by which every catalog is read.

use catalog::{Mask, MaskRules, MaskedBy, StructureVerdict, Table};

use crate::sensitivity::{Sensitivity, is_by_configuration};

impl MaskRules for Sensitivity {
    fn verdicts(&self, table: &Table) -> Vec<StructureVerdict> {
        let of = |column| match self.by_name(table, column) {
            Some(reason) => {
                let by = if is_by_configuration(&reason) { MaskedBy::Configuration } else { MaskedBy::Structure };
                StructureVerdict::Masked(Mask { by, reason, confidence: 1.0 })
            }
            None if self.is_kept(table, column) => StructureVerdict::Kept,
            None => StructureVerdict::Open,
        };
        table.columns.iter().map(of).collect()
    }
}
