//! A value that a column holds in several spellings: `shipped`, `Shipped` and `SHIPPED `.
//!
//! Each system that wrote to the column had its own. A comparison with one of them finds rows, so that nothing looks
//! wrong, and leaves out those of the others.

use catalog::FactKind;
use sql::{Comparison, Folding, LiteralKind, Span};

use super::{Compared, Findings};
use crate::finding::Severity;
use crate::rewrite::replaced;
use crate::values::{same_place, same_spelling};

/// Spellings that are listed.
pub(super) const LISTED: usize = 8;

impl Compared<'_> {
    /// The column holds the value in other spellings as well, and the statement compares it with none of them.
    pub(super) fn several_spellings(&self, findings: &mut Findings) -> bool {
        let text = &self.literal.value.text;
        if self.literal.value.kind != LiteralKind::Text || !self.column.enum_values.is_empty() {
            return false;
        }
        // `lower(trim(state))` folds more than case.
        let subject = self.literal.column_span.map(|span| span.text(self.context.sql)).unwrap_or_default();
        if self.literal.folding != Folding::None && subject.matches('(').count() > 1 {
            return false;
        }
        let common = self.column_profile.map(|profile| profile.most_common.as_slice()).unwrap_or_default();
        let stored: Vec<&String> = self.known_values().0.iter().chain(common.iter().map(|it| &it.value)).collect();
        if !stored.iter().any(|value| self.equal(value, text)) {
            return false;
        }
        let mut missing: Vec<String> = Vec::new();
        for value in stored {
            let written = match self.literal.folding {
                Folding::Lower => value.to_lowercase(),
                Folding::Upper => value.to_uppercase(),
                Folding::None | Folding::IgnoresCase | Folding::Date => value.clone(),
            };
            let same = self.are_one(value, text);
            let found =
                self.equal(value, text) || self.is_equal_to_the_engine(value) || self.is_compared_elsewhere(&written);
            if same && !found && !missing.contains(&written) {
                missing.push(written);
            }
        }
        missing.truncate(LISTED);
        if missing.is_empty() {
            return false;
        }
        // Of single letters, the large one can stand for something else than the small one.
        let most = if text.trim().chars().count() < 2 { Severity::Hint } else { Severity::Warning };
        let excludes = self.literal.operator == Comparison::NotEqual;
        self.add(findings, "value_in_several_spellings", most, |finding| {
            let others: Vec<String> = missing.iter().map(|value| format!("`{value}`")).collect();
            finding.message = format!("{} holds `{text}` also as {}", self.name(), others.join(", "));
            finding.why = match excludes {
                true => "Rows that hold it so are not left out.",
                false => "Rows that hold it so are not found.",
            }
            .to_owned();
            let all: Vec<&str> = std::iter::once(text.as_str()).chain(missing.iter().map(String::as_str)).collect();
            finding.help = format!("Write {} ({}).", if excludes { "NOT IN" } else { "IN" }, self.listed(&all));
            finding.rewrite = self.with_list(&all);
            finding.suggestions = missing;
        });
        true
    }

    /// Whether two values are one thing, spelt otherwise.
    pub(super) fn are_one(&self, one: &str, other: &str) -> bool {
        same_spelling(one, other) || same_place(one, other) || self.are_alike(one, other)
    }

    /// Whether rows say that the two are one state: `cancelled` and `storniert`.
    fn are_alike(&self, one: &str, other: &str) -> bool {
        let Some(entry) = self.context.catalog.entry(&self.literal.column.table) else { return false };
        let has = |group: &[String], text: &str| group.iter().any(|value| value.eq_ignore_ascii_case(text));
        self.context.catalog.facts(entry).any(|fact| match &fact.kind {
            FactKind::Spellings { column, groups } if *column == self.column.name => {
                groups.iter().any(|group| has(group, one) && has(group, other))
            }
            _ => false,
        })
    }

    /// MariaDB's usual collations see neither case nor accents nor blanks at the end.
    fn is_equal_to_the_engine(&self, value: &str) -> bool {
        let blind = self.context.dialect.values().equality_ignores_case || self.literal.folding == Folding::IgnoresCase;
        let plain = |text: &str| crate::values::without_accents(text.trim_end());
        blind && plain(value) == plain(&self.literal.value.text)
    }

    /// Whether the statement compares the column with that value, too.
    fn is_compared_elsewhere(&self, value: &str) -> bool {
        self.context.reading.literals.iter().any(|other| {
            other.column == self.literal.column && other.operator == self.literal.operator && other.value.text == value
        })
    }

    pub(super) fn listed(&self, values: &[&str]) -> String {
        values.iter().map(|value| self.context.dialect.literal(value)).collect::<Vec<_>>().join(", ")
    }

    /// The statement with a list of values in this one's place.
    pub(super) fn with_list(&self, values: &[&str]) -> Option<String> {
        let (column, value) = (self.literal.column_span?, self.literal.span?);
        let operator = self.context.sql.get(column.end..value.start)?.trim().to_lowercase();
        let listed = self.listed(values);
        let list = match operator.as_str() {
            "=" | "==" => "IN",
            "<>" | "!=" => "NOT IN",
            _ if operator.starts_with("in") || operator.starts_with("not in") => {
                return replaced(self.context.sql, value, &listed);
            }
            _ => return None,
        };
        replaced(self.context.sql, Span { start: column.end, end: value.end }, &format!(" {list} ({listed})"))
    }
}
