//! What codes mean, compared with a column that holds the codes.

use catalog::{FactKind, TableId};

use super::{Compared, Knowledge};
use crate::finding::Severity;
use crate::rules::Findings;

impl Compared<'_> {
    /// What a code means, where the column holds the code.
    pub(super) fn meaning_of_a_code(&self, findings: &mut Findings) -> bool {
        let text = &self.literal.value.text;
        let catalog = self.context.catalog;
        let facts = catalog.entry(&self.literal.column.table).into_iter().flat_map(|entry| catalog.facts(entry));
        let coded = facts.filter_map(|fact| match &fact.kind {
            FactKind::CodedBy { column, table, meanings, .. } if *column == self.column.name => Some((table, meanings)),
            _ => None,
        });
        let means = |(table, meanings): (&'_ TableId, &'_ Vec<(String, String)>)| {
            let is_code = meanings.iter().any(|(code, _)| self.equal(code, text));
            let mut meant = meanings.iter().filter(|(_, meaning)| meaning.to_lowercase() == text.to_lowercase());
            meant.next().filter(|_| !is_code).map(|(code, _)| (table.local(), code.clone()))
        };
        let Some((table, code)) = coded.filter_map(means).next() else { return false };
        let is_certain = self.column.type_class.is_numeric() || self.known_values().1 == Knowledge::All;
        let most = if is_certain { Severity::Error } else { Severity::Warning };
        self.add(findings, "value_meaning", most, |finding| {
            finding.message = format!("{} holds codes, and `{text}` is what one of them means", self.name());
            finding.why = format!("`{table}` explains the codes: the comparison finds nothing, or fails.");
            finding.help = format!("Write {}.", self.written(&code));
            finding.rewrite = self.rewritten(&code);
            finding.suggestions = vec![code];
        });
        true
    }

    /// A code as it is compared.
    fn written(&self, code: &str) -> String {
        match self.column.type_class.is_numeric() {
            true => code.to_owned(),
            false => self.context.dialect.literal(code),
        }
    }
}
