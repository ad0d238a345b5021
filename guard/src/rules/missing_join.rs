//! Relations of one FROM are connected by a condition.
//!
//! A forgotten condition multiplies every row with every row: sums come out wrong, and large tables never end.

use super::{Findings, Rule, RuleContext, Severities};
use crate::finding::Severity;
use crate::rule_name::RuleName;

pub(super) const RULE: Rule = Rule {
    name: RuleName::MissingJoin,
    severity: Severities::by_profile(Severity::Error, Severity::Warning, Severity::Warning),
    fixed: false,
    run,
};

fn run(context: &RuleContext<'_>, findings: &mut Findings) {
    for unjoined in &context.reading.unjoined {
        let quoted = |names: &[String]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let (loose, connected) = (quoted(&unjoined.loose), quoted(&unjoined.connected));
        findings.add("cartesian_product", unjoined.span, |finding| {
            finding.message = format!("nothing connects {loose} with {connected}");
            finding.why = "Every row of one is combined with every row of the other.".to_owned();
            finding.suggestions = conditions(context, unjoined);
            finding.help = match finding.suggestions.first() {
                Some(condition) => format!("Add the join condition, probably `{condition}`."),
                None => "Add a join condition, or leave the table out.".to_owned(),
            };
        });
    }
}

/// Join conditions by the keys between the two groups.
fn conditions(context: &RuleContext<'_>, unjoined: &sql::Unjoined) -> Vec<String> {
    let table_of = |called: &String| {
        let used = context.reading.tables.iter().find(|used| {
            used.alias.as_ref().or(used.parts.last()).is_some_and(|name| name.eq_ignore_ascii_case(called))
        })?;
        context.catalog.entry(used.table.as_ref()?).map(|entry| &entry.table)
    };
    let mut conditions = Vec::new();
    for loose in &unjoined.loose {
        for connected in &unjoined.connected {
            let (Some(left), Some(right)) = (table_of(loose), table_of(connected)) else { continue };
            for (from, to, from_name, to_name) in [(left, right, loose, connected), (right, left, connected, loose)] {
                for key in from.foreign_keys.iter().filter(|key| key.ref_table == to.id) {
                    let pairs = key.columns.iter().zip(&key.ref_columns);
                    let parts: Vec<String> =
                        pairs.map(|(own, other)| format!("{from_name}.{own} = {to_name}.{other}")).collect();
                    conditions.push(parts.join(" AND "));
                }
            }
        }
    }
    conditions.dedup();
    conditions.truncate(3);
    conditions
}
