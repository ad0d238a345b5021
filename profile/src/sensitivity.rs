//! Which columns are personal or secret, decided before anything is read.
//!
//! First by configuration, then by name; a column that neither gives away is caught by the form of its values, and its
//! values are dropped before they are stored. Where only some values give something away, as in remarks and settings,
//! these are dropped and the column stays. Invariant: a column that is sensitive by configuration or name is in no
//! statement that profiling sends.

use std::collections::HashSet;

use catalog::{Column, Table};

use crate::patterns::Form;
use crate::revealing::Revealed;
use crate::sensitive_names::listed_name;

/// What makes a column sensitive.
///
/// The order is: `mask` over `keep` over `names` and `values`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sensitivity {
    /// Columns that are sensitive whatever they are called: globs over `table.column` or `schema.table.column`, in any
    /// case, `*` for any characters.
    pub mask: Vec<String>,
    /// Columns that are not, whatever they are called and hold; globs as in `mask`.
    pub keep: Vec<String>,
    /// Whether the built-in list of names counts.
    pub names: Check,
    /// Whether values in a sensitive form make their column sensitive, or are left out one by one.
    pub values: Check,
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
const BY_NAME: &str = "name matches";
const BY_ORIGIN: &str = "made from";

/// Share of a column's different values in a sensitive form from which on the column counts as sensitive.
const SHARE: f64 = 0.2;
/// The same for values that hold something sensitive among other words. Fewer are left out one by one.
const REVEALING_SHARE: f64 = 0.5;

impl Sensitivity {
    /// The built-in names and the look at values, nothing configured.
    pub fn standard() -> Self {
        Self { mask: Vec::new(), keep: Vec::new(), names: Check::On, values: Check::On }
    }

    /// Nothing is sensitive.
    pub fn off() -> Self {
        Self { mask: Vec::new(), keep: Vec::new(), names: Check::Off, values: Check::Off }
    }

    /// Why a column must not be read; `None` where it may be.
    pub fn by_name(&self, table: &Table, column: &Column) -> Option<String> {
        if let Some(pattern) = self.mask.iter().find(|pattern| names_column(pattern, table, column)) {
            return Some(format!("{BY_CONFIGURATION} `{pattern}`"));
        }
        if self.names == Check::Off || self.is_kept(table, column) {
            return None;
        }
        let name = listed_name(&column.name, column.type_class)?;
        Some(format!("{BY_NAME} `{name}`"))
    }

    /// The same for a column of a view, which is as sensitive as the columns that it is made from.
    pub(crate) fn by_origins<'t>(
        &self,
        table: &Table,
        column: &Column,
        origins: impl Iterator<Item = (&'t Table, &'t Column)>,
    ) -> Option<String> {
        if self.is_kept(table, column) {
            return None;
        }
        let mut reasons = origins.filter_map(|(table, column)| Some((table, column, self.by_name(table, column)?)));
        let (origin, column, reason) = reasons.next()?;
        Some(format!("{BY_ORIGIN} {}.{}, whose {reason}", origin.id.local(), column.name))
    }

    /// The patterns of `mask` and `keep` that name no column of these tables: most often a misspelt one, which would
    /// leave a column open that somebody believes to be closed.
    pub fn unmatched<'a, 't>(&'a self, tables: impl Iterator<Item = &'t Table> + Clone) -> Vec<&'a str> {
        let names_none = |pattern: &&String| {
            !tables.clone().any(|table| table.columns.iter().any(|column| names_column(pattern, table, column)))
        };
        self.mask.iter().chain(&self.keep).filter(names_none).map(String::as_str).collect()
    }

    /// Why the values that have been read must not be kept; `None` where they may be. `values` are different texts.
    pub fn by_values<'a>(
        &self,
        table: &Table,
        column: &Column,
        values: impl Iterator<Item = &'a str>,
    ) -> Option<String> {
        if !self.looks_at_values(table, column) {
            return None;
        }
        let mut seen = 0_usize;
        let mut counts = [0_usize; Form::SENSITIVE.len()];
        let mut revealing = (0_usize, None);
        for value in values {
            seen += 1;
            // A bare number is a card only among others of the kind, which the forms are counted for.
            if let Some(revealed) = Revealed::in_text(value).filter(|_| !Form::Integer.matches(value)) {
                revealing = (revealing.0 + 1, Some(revealed));
            }
            for (form, count) in Form::SENSITIVE.iter().zip(&mut counts) {
                *count += usize::from(form.matches(value));
            }
        }
        let formed = Form::SENSITIVE
            .iter()
            .zip(counts)
            .find(|(form, count)| *count >= form.least_values() && *count as f64 >= SHARE * seen as f64 && *count > 0);
        if let Some((form, _)) = formed {
            return Some(format!("values look like {}", form.in_words()));
        }
        let (count, revealed) = revealing;
        let revealed = revealed.filter(|_| count as f64 >= REVEALING_SHARE * seen as f64)?;
        Some(format!("values hold {}", revealed.in_words()))
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
        let (numbers, all) = values.clone().fold((0_usize, 0_usize), |(numbers, all), value| {
            (numbers + usize::from(Form::Integer.matches(value)), all + 1)
        });
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

    pub(crate) fn is_kept(&self, table: &Table, column: &Column) -> bool {
        self.keep.iter().any(|pattern| names_column(pattern, table, column))
    }
}

/// Whether a reason that stands in [`catalog::ColumnProfile::masked`] is one of [`Sensitivity::by_name`].
pub(crate) fn is_by_name(reason: &str) -> bool {
    reason.starts_with(BY_CONFIGURATION) || reason.starts_with(BY_NAME) || reason.starts_with(BY_ORIGIN)
}

fn names_column(pattern: &str, table: &Table, column: &Column) -> bool {
    let local = format!("{}.{}", table.id.name, column.name);
    matches_glob(pattern, &local) || matches_glob(pattern, &format!("{}.{}", table.id.local(), column.name))
}

/// Whether `text` has the form of `pattern`, in any case; `*` stands for any characters, also none.
fn matches_glob(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.to_lowercase(), text.to_lowercase());
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(position) => rest = &rest[position + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use catalog::{Column, Table, TableId, TableKind, TypeClass};

    use super::{Check, Sensitivity, matches_glob};

    fn table() -> Table {
        Table {
            id: TableId { source: "s".into(), schema: Some("crm".into()), name: "customers".into() },
            kind: TableKind::Table,
            comment: None,
            definition: None,
            columns: Vec::new(),
            primary_key: Vec::new(),
            foreign_keys: Vec::new(),
            indexes: Vec::new(),
            row_count: None,
            last_update: None,
            reads_from: Vec::new(),
        }
    }

    fn column(name: &str) -> Column {
        Column {
            name: name.into(),
            data_type: "TEXT".into(),
            type_class: TypeClass::Text,
            nullable: true,
            default: None,
            comment: None,
            enum_values: Vec::new(),
            generated: None,
        }
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
            assert_eq!(sensitivity.by_name(&table(), &column(name)).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn patterns_that_name_no_column_are_told() {
        let table = Table { columns: vec![column("geboortedatum"), column("email")], ..table() };
        let sensitivity = Sensitivity {
            mask: vec!["customers.geboortdatum".into(), "*.geboortedatum".into(), "nope.nope".into()],
            keep: vec!["crm.customers.EMAIL".into(), "customers.e-mail".into()],
            ..Sensitivity::standard()
        };
        let unmatched = sensitivity.unmatched(std::iter::once(&table));
        assert_eq!(unmatched, ["customers.geboortdatum", "nope.nope", "customers.e-mail"]);
    }

    #[test]
    fn single_values_are_left_out_where_the_column_stays() {
        let standard = Sensitivity::standard();
        let values = ["gut", "prima", "Call me: jan.bakker@example.nl", "zu spät"];
        assert_eq!(standard.by_values(&table(), &column("remark"), values.into_iter()), None);
        let left_out = standard.revealing(&table(), &column("remark"), values.into_iter());
        assert_eq!(left_out.into_iter().collect::<Vec<_>>(), ["Call me: jan.bakker@example.nl"]);
        let many = ["write to a@example.com", "b@example.com, please", "or c@example.com"];
        let reason = standard.by_values(&table(), &column("remark"), many.into_iter());
        assert_eq!(reason.as_deref(), Some("values hold e-mail addresses"));
        // Order numbers that happen to pass for a card are order numbers.
        let numbers = ["4111111111111111", "4111111111111112", "4111111111111113", "4111111111111114"];
        assert!(standard.revealing(&table(), &column("order_no"), numbers.into_iter()).is_empty());
        let kept = Sensitivity { keep: vec!["*.remark".into()], ..Sensitivity::standard() };
        assert!(kept.revealing(&table(), &column("remark"), values.into_iter()).is_empty());
    }

    #[test]
    fn values_give_sensitive_columns_away() {
        let check = |values: &[&str], expected: Option<&str>| {
            let found = Sensitivity::standard().by_values(&table(), &column("contact"), values.iter().copied());
            assert_eq!(found.as_deref(), expected, "{values:?}");
        };
        check(&["ann@example.com", "n/a", "bob@example.org"], Some("values look like e-mail addresses"));
        check(&["123-45-6789", "987-65-4321", "111-22-3333"], Some("values look like social security numbers"));
        check(
            &["4111 1111 1111 1111", "5500-0000-0000-0004", "340000000000009"],
            Some("values look like card numbers"),
        );
        check(&["GB82 WEST 1234 5698 7654 32"], Some("values look like IBANs"));
        check(&["+44 20 7946 0958", "(555) 010-9999", "555-010-1234"], Some("values look like phone numbers"));
        check(&["$2b$12$abcdefghijklmnopqrstuv"], Some("values look like password hashes"));
        check(&["2020-01-01", "1234567", "ORD-1234-567", "red", "a@b"], None);
        let off = Sensitivity { values: Check::Off, ..Sensitivity::standard() };
        assert_eq!(off.by_values(&table(), &column("c"), ["ann@example.com"].into_iter()), None);
    }

    #[test]
    fn globs_match_as_people_expect() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("a*b*c", "aXbYc", true),
            ("a*b*c", "ac", false),
            ("*b", "ab", true),
            ("ab", "abc", false),
            ("a*a", "a", false),
            ("a**", "ab", true),
        ] {
            assert_eq!(matches_glob(pattern, text), expected, "{pattern} {text}");
        }
    }
}
