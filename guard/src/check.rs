//! The check: read the statement, ask every rule.

use catalog::{Catalog, Dialect, TableId};
use sql::CatalogSchema;

use crate::aside::aside;
use crate::finding::Verdict;
use crate::policy::Policy;
use crate::rules::{self, Findings, RuleContext};

/// Checks a statement against a catalog and a policy. No connection is used, and nothing is run.
///
/// `source` names the catalog's source that the statement is for; its dialect is the statement's. `context` holds the
/// tables that were shown to whoever wrote the statement: naming another one is then worth a finding.
pub fn check(sql: &str, catalog: &Catalog, source: &str, policy: &Policy, context: Option<&[TableId]>) -> Verdict {
    match sql.len() > QUICK_BYTES {
        true => aside(|| checked(sql, catalog, source, policy, context)),
        false => checked(sql, catalog, source, policy, context),
    }
}

/// Bytes of a statement that is read in no time.
const QUICK_BYTES: usize = 5_000;

fn checked(sql: &str, catalog: &Catalog, source: &str, policy: &Policy, context: Option<&[TableId]>) -> Verdict {
    let dialect =
        catalog.source(source).map_or_else(|| Dialect::Other("unknown".to_owned()), |source| source.dialect.clone());
    let schema = CatalogSchema::new(catalog, source);
    let reading = sql::read(sql, &dialect, &schema);
    let policy = policy.config_of(source);
    let rule_context =
        RuleContext { sql, reading: &reading, catalog, source, dialect: &dialect, policy, shown: context };
    let mut findings = Vec::new();
    for rule in rules::ALL {
        if let Some(severity) = policy.severity(rule) {
            let mut collected = Findings::new(rule.name, severity);
            (rule.run)(&rule_context, &mut collected);
            findings.extend(collected.into_findings());
        }
    }
    Verdict::of(findings, reading)
}
