//! Which columns are personal or secret, decided before anything is read.
//!
//! First by configuration, then by name; a column that neither gives away is caught by the form of its values, and its
//! values are dropped before they are stored. Where only some values give something away, as in remarks and settings,
//! these are dropped and the column stays. Invariant: a column that is sensitive by configuration or name is in no
//! statement that profiling sends.

use std::collections::HashSet;

use catalog::{Column, Mask, Table, TableId};

use crate::finding::{Finding, PersonalKind};
use crate::revealing::Revealed;
use crate::seen::Seen;
use crate::structure;
use crate::values::{self, is_whole_number};

/// What makes a column sensitive.
///
/// The order is: `deny` over `mask` over `keep` over `names` and `values`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sensitivity {
    /// Columns that are sensitive whatever they are called: globs over `table.column` or `schema.table.column`, in any
    /// case, `*` for any characters.
    pub mask: Vec<String>,
    /// Columns that nobody may read, personal or not. They win over everything.
    pub deny: Vec<Denied>,
    /// Columns that are not, whatever they are called and hold; globs as in `mask`.
    pub keep: Vec<String>,
    /// Whether the built-in lists of words for names and comments count.
    pub names: Check,
    /// Whether values in a sensitive form make their column sensitive, or are left out one by one.
    pub values: Check,
    /// Whether names of people count as personal.
    pub person_names: Check,
}

/// What a policy denies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denied {
    /// The source for which it does; every one where there is none.
    pub source: Option<String>,
    /// All columns of the tables of that name, with or without schema, or columns as in [`Sensitivity::mask`].
    pub what: DeniedWhat,
    /// A glob, in any case.
    pub pattern: String,
}

/// What a pattern of [`Denied`] names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeniedWhat {
    /// Tables.
    Tables,
    /// Columns.
    Columns,
}

impl Denied {
    fn names(&self, table: &Table, column: &Column) -> bool {
        let is_named = || match self.what {
            DeniedWhat::Tables => names_of(table).any(|id| self.names_table(id)),
            DeniedWhat::Columns => names_of(table).any(|id| names_column(&self.pattern, id, column)),
        };
        self.is_of_source(&table.id) && is_named()
    }

    fn names_table(&self, table: &TableId) -> bool {
        [&table.name, &table.local()].iter().any(|it| words::matches_glob(&self.pattern, it))
    }

    fn is_of_source(&self, table: &TableId) -> bool {
        self.source.as_ref().is_none_or(|source| *source == table.source)
    }

    /// The key of the configuration that says it.
    fn key(&self) -> &'static str {
        match self.what {
            DeniedWhat::Tables => "guard.deny_tables",
            DeniedWhat::Columns => "guard.deny_columns",
        }
    }
}

/// Whether something is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// It counts.
    On,
    /// It doesn't.
    Off,
}

const BY_CONFIGURATION: &str = "configuration masks";

impl Sensitivity {
    /// The built-in names and the look at values, nothing configured.
    pub fn standard() -> Self {
        Self {
            mask: Vec::new(),
            deny: Vec::new(),
            keep: Vec::new(),
            names: Check::On,
            values: Check::On,
            person_names: Check::On,
        }
    }

    /// Nothing is sensitive.
    pub fn off() -> Self {
        Self {
            mask: Vec::new(),
            deny: Vec::new(),
            keep: Vec::new(),
            names: Check::Off,
            values: Check::Off,
            person_names: Check::Off,
        }
    }

    /// What the structure of a table says of its columns, one for each in their order: the configuration, then names,
    /// types, comments and neighbours. `None` where a column may be read.
    pub fn by_structure(&self, table: &Table) -> Vec<Option<Finding>> {
        let found = match self.names {
            Check::On => structure::findings(table),
            Check::Off => vec![None; table.columns.len()],
        };
        let judged = |(column, found): (&Column, Option<Finding>)| {
            if let Some(denied) = self.deny.iter().find(|denied| denied.names(table, column)) {
                let reason = format!("`{}` denies it", denied.key());
                return Some(Finding { reason, confidence: 1.0, kind: PersonalKind::Configured });
            }
            if let Some(pattern) =
                self.mask.iter().find(|pattern| names_of(table).any(|id| names_column(pattern, id, column)))
            {
                let reason = format!("{BY_CONFIGURATION} `{pattern}`");
                return Some(Finding { reason, confidence: 1.0, kind: PersonalKind::Configured });
            }
            found.filter(|found| self.wants(found) && !self.is_kept(table, column))
        };
        table.columns.iter().zip(found).map(judged).collect()
    }

    /// Whether the configuration denies the table as a whole.
    pub(crate) fn denies_table(&self, table: &TableId) -> bool {
        let mut of_tables = self.deny.iter().filter(|denied| denied.what == DeniedWhat::Tables);
        of_tables.any(|denied| denied.is_of_source(table) && denied.names_table(table))
    }

    /// Whether it denies the column, or its table.
    pub fn denies_column(&self, table: &Table, column: &Column) -> bool {
        self.deny.iter().any(|denied| denied.names(table, column))
    }

    /// Whether such a finding counts.
    fn wants(&self, found: &Finding) -> bool {
        found.kind != PersonalKind::Name || self.person_names == Check::On
    }

    /// The patterns that name no column of these tables, each with the keys of the configuration where it can stand: most
    /// often a misspelt one, which would leave a column open that somebody believes to be closed.
    pub fn unmatched<'a, 't>(
        &'a self,
        tables: impl Iterator<Item = &'t Table> + Clone,
    ) -> Vec<(&'static str, &'a str)> {
        let none = |names: &dyn Fn(&Table, &Column) -> bool| {
            !tables.clone().any(|table| table.columns.iter().any(|column| names(table, column)))
        };
        let patterns = self.mask.iter().chain(&self.keep);
        let names =
            |pattern: &str, table: &Table, column: &Column| names_of(table).any(|id| names_column(pattern, id, column));
        let unmatched = patterns.filter(|pattern| none(&|table, column| names(pattern, table, column)));
        let denied = self.deny.iter().filter(|denied| none(&|table, column| denied.names(table, column)));
        let unmatched = unmatched.map(|pattern| ("profile.sensitive or profile.not_sensitive", pattern.as_str()));
        unmatched.chain(denied.map(|denied| (denied.key(), denied.pattern.as_str()))).collect()
    }

    /// Why the values that have been read of a table's columns must not be kept, one for each of `seen`; `None` where they
    /// may be. [`Sensitivity::is_overruled`] says whether the configuration wants them kept none the less.
    pub fn by_values(&self, table: &Table, seen: &[Seen<'_>]) -> Vec<Option<Finding>> {
        match self.values {
            Check::On => values::findings(table, seen),
            Check::Off => vec![None; seen.len()],
        }
    }

    /// Whether the configuration says that a column may be read for all that its values tell.
    pub fn is_overruled(&self, table: &Table, column: &Column, found: &Mask) -> bool {
        self.is_kept(table, column) || (found.hides_names && self.person_names == Check::Off)
    }

    /// The values among `values`, different texts of a column that may be kept, that may not be kept themselves.
    pub fn revealing<'a>(
        &self,
        table: &Table,
        column: &Column,
        values: impl Iterator<Item = &'a str> + Clone,
    ) -> HashSet<String> {
        if !self.looks_at_values(table, column) || column.type_class.is_numeric() {
            return HashSet::new();
        }
        // Of many long numbers a tenth pass for cards by chance.
        let (numbers, all) = values
            .clone()
            .fold((0_usize, 0_usize), |(numbers, all), value| (numbers + usize::from(is_whole_number(value)), all + 1));
        let are_numbers = numbers * 2 > all;
        values
            .filter(|value| match Revealed::in_text(value) {
                Some(Revealed::CardNumber) => !are_numbers,
                revealed => revealed.is_some(),
            })
            .map(str::to_owned)
            .collect()
    }

    fn looks_at_values(&self, table: &Table, column: &Column) -> bool {
        self.values == Check::On && !self.is_kept(table, column)
    }

    /// Whether the configuration says that the column may be read.
    pub fn is_kept(&self, table: &Table, column: &Column) -> bool {
        // What is said of a part isn't said of the whole.
        self.keep.iter().any(|pattern| names_column(pattern, &table.id, column))
    }
}

/// Whether the pattern means that column, with the table's schema or without.
fn names_column(pattern: &str, table: &TableId, column: &Column) -> bool {
    let local = format!("{}.{}", table.name, column.name);
    words::matches_glob(pattern, &local) || words::matches_glob(pattern, &format!("{}.{}", table.local(), column.name))
}

/// The table and its partitions: rows of one of them come by the whole as well.
fn names_of(table: &Table) -> impl Iterator<Item = &TableId> {
    std::iter::once(&table.id).chain(&table.partitions)
}

#[cfg(test)]
mod tests {
    use catalog::{Column, Table, TableId};

    use super::{Check, Denied, DeniedWhat, Sensitivity};
    use crate::finding::Finding;
    use crate::seen::Seen;

    fn table() -> Table {
        Table::new(TableId { source: "s".into(), schema: Some("crm".into()), name: "customers".into() })
    }

    fn column(name: &str) -> Column {
        Column::new(name, "TEXT")
    }

    fn by_values(sensitivity: &Sensitivity, column: &Column, values: &[&str]) -> Option<Finding> {
        let seen = Seen { column, values: values.to_vec(), different: 1.0 };
        sensitivity.by_values(&table(), &[seen]).into_iter().next().flatten()
    }

    #[test]
    fn configuration_wins_over_names() {
        let sensitivity = Sensitivity {
            mask: vec!["crm.*.note".into(), "customers.SALARY".into()],
            keep: vec!["customers.email".into(), "*.note".into()],
            ..Sensitivity::standard()
        };
        for (name, expected) in [
            ("email", None),
            ("salary", Some("configuration masks `customers.SALARY`")),
            ("gehalt", Some("name matches `gehalt`")),
            ("note", Some("configuration masks `crm.*.note`")),
            ("phone", Some("name matches `phone`")),
        ] {
            let table = Table { columns: vec![column(name)], ..table() };
            let found = sensitivity.by_structure(&table)[0].clone().map(|finding| finding.reason);
            assert_eq!(found.as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn what_is_denied_is_closed_in_its_source_whatever_is_kept() {
        let table = Table { columns: vec![column("email"), column("visits")], ..table() };
        let reasons = |source: &str, what, pattern: &str| {
            let deny = vec![Denied { source: Some(source.into()), what, pattern: pattern.into() }];
            let keep = vec!["*.email".into()];
            let found = Sensitivity { deny, keep, ..Sensitivity::standard() }.by_structure(&table);
            found.into_iter().map(|found| found.map(|found| found.reason)).collect::<Vec<_>>()
        };
        let by = |key: &str| Some(format!("`{key}` denies it"));
        let source = table.id.source.as_str();
        assert_eq!(reasons(source, DeniedWhat::Tables, "Custom*"), [by("guard.deny_tables"), by("guard.deny_tables")]);
        assert_eq!(reasons(source, DeniedWhat::Columns, "*.visits"), [None, by("guard.deny_columns")]);
        assert_eq!(reasons("another", DeniedWhat::Tables, "*"), [None, None]);
    }

    #[test]
    fn patterns_that_name_no_column_are_told() {
        let table = Table { columns: vec![column("geboortedatum"), column("email")], ..table() };
        let sensitivity = Sensitivity {
            mask: vec!["customers.geboortdatum".into(), "*.geboortedatum".into(), "nope.nope".into()],
            keep: vec!["crm.customers.EMAIL".into(), "customers.e-mail".into()],
            ..Sensitivity::standard()
        };
        let denied = |what, pattern: &str| Denied { source: None, what, pattern: pattern.into() };
        let deny = vec![denied(DeniedWhat::Tables, "custom*"), denied(DeniedWhat::Columns, "customers.mail")];
        let sensitivity = Sensitivity { deny, ..sensitivity };
        let unmatched = sensitivity.unmatched(std::iter::once(&table));
        let listed = "profile.sensitive or profile.not_sensitive";
        let expected = ["customers.geboortdatum", "nope.nope", "customers.e-mail"].map(|pattern| (listed, pattern));
        assert_eq!(unmatched[..3], expected);
        assert_eq!(unmatched[3..], [("guard.deny_columns", "customers.mail")]);
    }

    #[test]
    fn single_values_are_left_out_where_the_column_stays() {
        let standard = Sensitivity::standard();
        let values = ["gut", "prima", "Call me: jan.bakker@example.nl", "zu spät"];
        assert_eq!(by_values(&standard, &column("remark"), &values), None);
        let left_out = standard.revealing(&table(), &column("remark"), values.into_iter());
        assert_eq!(left_out.into_iter().collect::<Vec<_>>(), ["Call me: jan.bakker@example.nl"]);
        let many = ["write to a@example.com", "b@example.com, please", "or c@example.com"];
        let reason = by_values(&standard, &column("remark"), &many);
        assert_eq!(reason.map(|found| found.reason).as_deref(), Some("values hold e-mail addresses"));
        // Order numbers that happen to pass for a card are order numbers.
        let numbers = ["4111111111111111", "4111111111111112", "4111111111111113", "4111111111111114"];
        assert!(standard.revealing(&table(), &column("order_no"), numbers.into_iter()).is_empty());
        let kept = Sensitivity { keep: vec!["*.remark".into()], ..Sensitivity::standard() };
        assert!(kept.revealing(&table(), &column("remark"), values.into_iter()).is_empty());
    }

    #[test]
    fn values_give_sensitive_columns_away() {
        let check = |values: &[&str], expected: Option<&str>| {
            let found = by_values(&Sensitivity::standard(), &column("contact"), values);
            assert_eq!(found.map(|found| found.reason).as_deref(), expected, "{values:?}");
        };
        check(&["ann@example.com", "n/a", "bob@example.org"], Some("values look like e-mail addresses"));
        check(&["123-45-6789", "987-65-4321", "111-22-3333"], Some("values look like US social security numbers"));
        check(
            &["4111 1111 1111 1111", "5500-0000-0000-0004", "340000000000009"],
            Some("values look like card numbers"),
        );
        check(&["GB82 WEST 1234 5698 7654 32"], Some("values look like bank accounts"));
        check(&["+44 20 7946 0958", "(555) 010-9999", "555-010-1234"], Some("values look like phone numbers"));
        check(&["$2b$12$abcdefghijklmnopqrstuv"], Some("values look like passwords or keys"));
        check(&["2020-01-01", "1234567", "ORD-1234-567", "red", "a@b"], None);
        let off = Sensitivity { values: Check::Off, ..Sensitivity::standard() };
        assert_eq!(by_values(&off, &column("c"), &["ann@example.com"]), None);
    }
}
