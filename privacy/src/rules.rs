//! What a structure says of its columns, in the catalog's terms: the rules by which every catalog is read.

use catalog::{Column, Mask, MaskRules, MaskedBy, StructureVerdict, Table, TableId};

use crate::finding::{Finding, PersonalKind};
use crate::sensitivity::{Check, Sensitivity};

impl MaskRules for Sensitivity {
    fn verdicts(&self, table: &Table) -> Vec<StructureVerdict> {
        let found = self.by_structure(table).into_iter().zip(&table.columns);
        let of = |(found, column): (Option<Finding>, &Column)| match found {
            Some(found) if found.kind == PersonalKind::Configured => {
                let by = if self.denies_column(table, column) { MaskedBy::Denied } else { MaskedBy::Configuration };
                StructureVerdict::Masked(found.mask(by))
            }
            Some(found) => StructureVerdict::Masked(found.mask(MaskedBy::Structure)),
            None if self.is_kept(table, column) => StructureVerdict::Kept,
            None => StructureVerdict::Open,
        };
        found.map(of).collect()
    }

    fn hides_rows(&self, table: &TableId) -> bool {
        self.denies_table(table)
    }

    fn denies(&self, table: &Table, column: &Column) -> bool {
        self.denies_column(table, column)
    }

    fn masks_names(&self) -> bool {
        self.person_names == Check::On
    }
}

impl Finding {
    /// The mask that it stands for.
    pub fn mask(self, by: MaskedBy) -> Mask {
        let hides_names = self.kind == PersonalKind::Name;
        Mask { by, reason: self.reason, confidence: self.confidence, hides_names }
    }
}
