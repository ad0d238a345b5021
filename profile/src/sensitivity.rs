//! Which columns are personal or secret, decided before anything is read.
//!
//! First by configuration, then by name; a column that neither gives away is caught by the form of its values, and its
//! values are dropped before they are stored. Invariant: a column that is sensitive by configuration or name is in no
//! statement that profiling sends.

use catalog::{Column, Table, split_identifier};

use crate::patterns::Form;

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
    /// Names. One without `*` is the last words of a name: `email` stands for `email`, `CustomerEmail` and
    /// `work_email_2`, and not for `email_verified`. One with `*` is a glob over the words joined by `_`.
    pub names: Vec<String>,
    /// Whether values in a sensitive form make their column sensitive.
    pub values: ValueCheck,
}

/// Whether the form of values counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueCheck {
    /// Columns that hold e-mail addresses, card numbers and the like are masked.
    On,
    /// Only names and configuration count.
    Off,
}

/// Names of columns that hold personal data or secrets in most databases. Names of people, streets and cities are not
/// among them: questions are about these, and whoever wants them masked says so.
const NAMES: &[&str] = &[
    "email",
    "emails",
    "e_mail",
    "mail_address",
    "email_address",
    "emailaddress",
    "email_addr",
    "phone",
    "phone_number",
    "phonenumber",
    "phone_no",
    "phone_num",
    "telephone",
    "telephone_number",
    "tel",
    "mobile",
    "mobile_number",
    "mobile_no",
    "cell",
    "cellphone",
    "cell_number",
    "fax",
    "fax_number",
    "ssn",
    "social_security_number",
    "social_security_no",
    "social_security",
    "national_id",
    "national_id_number",
    "tax_id",
    "tax_number",
    "tin",
    "passport",
    "passport_number",
    "passport_no",
    "driver_license",
    "drivers_license",
    "driver_license_number",
    "license_plate",
    "password",
    "passwd",
    "pwd",
    "password_hash",
    "passwordhash",
    "password_salt",
    "hashed_password",
    "passphrase",
    "secret",
    "secret_key",
    "client_secret",
    "private_key",
    "api_key",
    "apikey",
    "access_token",
    "refresh_token",
    "auth_token",
    "session_token",
    "security_answer",
    "iban",
    "bank_account",
    "bank_account_number",
    "account_iban",
    "routing_number",
    "credit_card",
    "creditcard",
    "credit_card_number",
    "card_number",
    "cardnumber",
    "card_no",
    "cc_number",
    "cc_num",
    "cvv",
    "cvc",
    "card_cvv",
    "birth_date",
    "birthdate",
    "date_of_birth",
    "dateofbirth",
    "dob",
    "birthday",
    "birth_day",
];

const BY_CONFIGURATION: &str = "configuration masks";
const BY_NAME: &str = "name matches";

/// Share of a column's different values in a sensitive form from which on the column counts as sensitive.
const SHARE: f64 = 0.2;

impl Sensitivity {
    /// The standard names and the value check, nothing configured.
    pub fn standard() -> Self {
        Self {
            mask: Vec::new(),
            keep: Vec::new(),
            names: NAMES.iter().map(|name| (*name).to_owned()).collect(),
            values: ValueCheck::On,
        }
    }

    /// Nothing is sensitive.
    pub fn off() -> Self {
        Self { mask: Vec::new(), keep: Vec::new(), names: Vec::new(), values: ValueCheck::Off }
    }

    /// Why a column must not be read; `None` where it may be.
    pub fn by_name(&self, table: &Table, column: &Column) -> Option<String> {
        if let Some(pattern) = self.mask.iter().find(|pattern| names_column(pattern, table, column)) {
            return Some(format!("{BY_CONFIGURATION} `{pattern}`"));
        }
        if self.is_kept(table, column) {
            return None;
        }
        let name = normal_name(&column.name);
        let pattern = self.names.iter().find(|pattern| match pattern.contains('*') {
            true => matches_glob(pattern, &name),
            false => name == **pattern || name.strip_suffix(pattern.as_str()).is_some_and(|rest| rest.ends_with('_')),
        })?;
        Some(format!("{BY_NAME} `{pattern}`"))
    }

    /// Why the values that have been read must not be kept; `None` where they may be. `values` are different texts.
    pub fn by_values<'a>(
        &self,
        table: &Table,
        column: &Column,
        values: impl Iterator<Item = &'a str>,
    ) -> Option<String> {
        if self.values == ValueCheck::Off || self.is_kept(table, column) {
            return None;
        }
        let mut seen = 0_usize;
        let mut counts = [0_usize; Form::SENSITIVE.len()];
        for value in values {
            seen += 1;
            for (form, count) in Form::SENSITIVE.iter().zip(&mut counts) {
                *count += usize::from(form.matches(value));
            }
        }
        let (form, _) = Form::SENSITIVE.iter().zip(counts).find(|(form, count)| {
            *count >= form.least_values() && *count as f64 >= SHARE * seen as f64 && *count > 0
        })?;
        Some(format!("values look like {}", form.in_words()))
    }

    fn is_kept(&self, table: &Table, column: &Column) -> bool {
        self.keep.iter().any(|pattern| names_column(pattern, table, column))
    }
}

/// Whether a reason that stands in [`catalog::ColumnProfile::masked`] is one of [`Sensitivity::by_name`].
pub(crate) fn is_by_name(reason: &str) -> bool {
    reason.starts_with(BY_CONFIGURATION) || reason.starts_with(BY_NAME)
}

/// The words of a name joined by `_`, without numbers at the end: `homePhone2` → `home_phone`.
fn normal_name(name: &str) -> String {
    let mut words = split_identifier(name);
    while words.len() > 1 && words.last().is_some_and(|word| word.chars().all(|character| character.is_ascii_digit())) {
        words.pop();
    }
    words.join("_")
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

    use super::{Sensitivity, ValueCheck, matches_glob};

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
        }
    }

    #[test]
    fn names_give_sensitive_columns_away() {
        let standard = Sensitivity::standard();
        for name in [
            "email",
            "CustomerEmail",
            "E-Mail",
            "work_email_2",
            "EMAIL_ADDRESS",
            "dateOfBirth",
            "dob",
            "SSN",
            "pwd",
            "homePhone",
            "credit_card_number",
            "iban",
            "api_key",
        ] {
            assert!(standard.by_name(&table(), &column(name)).is_some(), "{name}");
        }
        for name in [
            "email_verified",
            "phone_type",
            "phone_id",
            "emailed_at",
            "title",
            "birth_country",
            "card_type",
            "cellar",
            "name",
            "address",
            "password_changed_at",
            "mobile_app_id",
        ] {
            assert_eq!(standard.by_name(&table(), &column(name)), None, "{name}");
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
            ("note", Some("configuration masks `crm.*.note`")),
            ("phone", Some("name matches `phone`")),
        ] {
            assert_eq!(sensitivity.by_name(&table(), &column(name)).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn a_name_pattern_with_a_star_is_a_glob() {
        let sensitivity = Sensitivity { names: vec!["*mail*".into()], ..Sensitivity::standard() };
        assert!(sensitivity.by_name(&table(), &column("voicemailBox")).is_some());
        assert!(sensitivity.by_name(&table(), &column("phone")).is_none());
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
        let off = Sensitivity { values: ValueCheck::Off, ..Sensitivity::standard() };
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
