//! A table that nobody has written to for over a year, or that is another one's copy, is read only by those who mean it.
//!
//! The abandoned copy answers as readily as the live table does, and that is the danger: nothing fails. So the finding
//! names the tables that share its name and are still written to. An archive is a copy too, but one that is kept to be
//! asked for old data: that is only a hint. So is a list that tables in use refer to, as plans and warehouses: it seldom
//! changes.

use catalog::{Entry, FactKind, TableId};
use sql::TableUse;

use super::{Findings, Rule, RuleContext, Severities};
use crate::finding::Severity;
use crate::rule_name::RuleName;

pub(super) const RULE: Rule = Rule {
    name: RuleName::StaleTable,
    severity: Severities::by_profile(Severity::Warning, Severity::Warning, Severity::Hint),
    fixed: false,
    run,
};

/// Whether a table that is in use refers to this one: then it is a list that seldom changes, not an abandoned copy.
fn is_referred_to(context: &RuleContext<'_>, id: &TableId) -> bool {
    context
        .catalog
        .tables_of(context.source)
        .filter(|entry| entry.table.id != *id && !entry.is_stale())
        .any(|entry| entry.table.foreign_keys.iter().any(|key| key.ref_table == *id))
}

fn run(context: &RuleContext<'_>, findings: &mut Findings) {
    for used in &context.reading.tables {
        if goes_on_elsewhere(context, used, findings) {
            continue;
        }
        let Some(entry) = stale(context, used) else {
            copy(context, used, findings);
            continue;
        };
        let is_in_use = is_referred_to(context, &entry.table.id) || context.catalog.is_read_by_many(entry);
        let most = if is_in_use { Severity::Hint } else { Severity::Warning };
        findings.add_at_most(most, "stale_table", used.span, |finding| {
            let name = entry.table.id.local();
            finding.message = format!("`{name}` {}", entry.staleness().unwrap_or_default());
            finding.why = "It may be an abandoned copy or an archive; what is current would be missing.".to_owned();
            finding.suggestions = live_namesakes(context, entry);
            finding.help = match finding.suggestions.as_slice() {
                [] => "Make sure that old data is what is wanted.".to_owned(),
                names => format!("For current data look at `{}`.", names.join("`, `")),
            };
        });
    }
}

/// Says of a table that ends where another one begins what its rows say: it is no copy, and no less true for its age.
fn goes_on_elsewhere(context: &RuleContext<'_>, used: &TableUse, findings: &mut Findings) -> bool {
    let Some(entry) = used.table.as_ref().and_then(|id| context.catalog.entry(id)) else { return false };
    let Some((fact, by)) = context.catalog.facts(entry).find_map(|fact| match &fact.kind {
        FactKind::Continued { by, .. } => Some((fact, by)),
        _ => None,
    }) else {
        return false;
    };
    if !context.reading.table_ids().contains(&by) {
        findings.add_at_most(Severity::Hint, "copied_table", used.span, |finding| {
            finding.message = format!("`{}`: {}", entry.table.id.local(), fact.in_words(context.dialect));
            finding.why = "Later rows are left out.".to_owned();
            finding.help = format!("Read `{}` as well, unless this time alone is meant.", by.local());
            finding.suggestions = vec![by.local()];
        });
    }
    true
}

/// Says that a table is another one's copy.
fn copy(context: &RuleContext<'_>, used: &TableUse, findings: &mut Findings) {
    let position = used.table.as_ref().and_then(|id| context.catalog.position(id));
    let Some((position, copy)) = position.and_then(|position| Some((position, context.catalog.look_alike(position)?)))
    else {
        if !copied_rows(context, used, findings) {
            old_by_name(context, used, findings);
        }
        return;
    };
    let (entries, most) = (context.catalog.entries(), if copy.is_archive { Severity::Hint } else { Severity::Warning });
    let (name, authority) = (entries[position].table.id.local(), entries[copy.authority].table.id.local());
    // A statement that reads both knows of both.
    if context.reading.table_ids().contains(&&entries[copy.authority].table.id) {
        return;
    }
    findings.add_at_most(most, "copied_table", used.span, |finding| {
        finding.message = format!("`{name}` {}", copy.reason);
        finding.why = "It answers as readily as the table it was copied from, with what was true then.".to_owned();
        finding.help = format!("Look at `{authority}`, unless this one is meant.");
        finding.suggestions = vec![authority];
    });
}

/// Says that the rows of a table are in another one as well, whatever the two are called.
fn copied_rows(context: &RuleContext<'_>, used: &TableUse, findings: &mut Findings) -> bool {
    let Some(entry) = used.table.as_ref().and_then(|id| context.catalog.entry(id)) else { return false };
    let copy = context.catalog.facts(entry).find_map(|fact| match &fact.kind {
        FactKind::CopyOf { table, .. } if fact.share() >= MOSTLY => Some((fact, table)),
        _ => None,
    });
    let Some((fact, other)) = copy else { return false };
    if !context.reading.table_ids().contains(&other) {
        findings.add("copied_table", used.span, |finding| {
            finding.message = format!("`{}`: {}", entry.table.id.local(), fact.in_words(context.dialect));
            finding.why = "It answers as readily as the table it was copied from, with what was true then.".to_owned();
            finding.help = format!("Look at `{}`, unless this one is meant.", other.local());
            finding.suggestions = vec![other.local()];
        });
    }
    true
}

/// The share of its rows that another table has, from which one is a copy.
const MOSTLY: f64 = 0.8;

/// Words at the end of a name that say that the table is another one's past.
const PAST: [&str; 8] = ["backup", "bak", "bkp", "deprecated", "legacy", "obsolete", "old", "unused"];

/// Says that a table is somebody's past by its name, whatever it is a copy of.
fn old_by_name(context: &RuleContext<'_>, used: &TableUse, findings: &mut Findings) {
    let Some(entry) = used.table.as_ref().and_then(|id| context.catalog.entry(id)) else { return };
    let words = words::in_identifier(&entry.table.id.name);
    let mut last = words.iter().rev().skip_while(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    let Some(mark) = last.next().filter(|word| PAST.contains(&word.as_str()) && words.len() > 1) else { return };
    let relatives = relatives(context, entry);
    if relatives.iter().any(|id| context.reading.table_ids().contains(id)) {
        return;
    }
    let most = if relatives.is_empty() { Severity::Hint } else { Severity::Warning };
    findings.add_at_most(most, "old_by_name", used.span, |finding| {
        finding.message = format!("`{}` is an old one by its name: it says `{mark}`", entry.table.id.local());
        finding.why = "It answers as readily as the table that is in use, with what was true then.".to_owned();
        finding.suggestions = relatives.iter().map(|id| id.local()).take(3).collect();
        finding.help = match finding.suggestions.as_slice() {
            [] => "Make sure that old data is what is wanted.".to_owned(),
            names => format!("Look at `{}`, unless this one is meant.", names.join("`, `")),
        };
    });
}

/// Tables in use whose name begins with the same word, in singular or plural, and that have two of the columns.
fn relatives<'a>(context: &RuleContext<'a>, old: &Entry) -> Vec<&'a TableId> {
    let first = |id: &TableId| words::in_identifier(&id.name).first().map(|word| words::singular(word));
    let own = first(&old.table.id);
    let others = context.catalog.tables_of(context.source).filter(|entry| entry.table.id != old.table.id);
    let of_the_name = others.filter(|entry| !entry.is_stale() && first(&entry.table.id) == own);
    let shared = |entry: &Entry| old.table.columns.iter().filter(|it| entry.table.column(&it.name).is_some()).count();
    of_the_name.filter(|entry| shared(entry) > 1).map(|entry| &entry.table.id).collect()
}

fn stale<'a>(context: &RuleContext<'a>, used: &TableUse) -> Option<&'a Entry> {
    let entry = context.catalog.entry(used.table.as_ref()?)?;
    entry.is_stale().then_some(entry)
}

/// Tables that this one may be a copy of and that are written to: those whose name it extends (`orders` for
/// `orders_v2`), and those whose name begins alike and that share columns. Plainest name first.
fn live_namesakes(context: &RuleContext<'_>, stale: &Entry) -> Vec<String> {
    let words = |id: &TableId| words::in_identifier(&id.name);
    let own = words(&stale.table.id);
    let mut names: Vec<(usize, String)> = context
        .catalog
        .tables_of(context.source)
        .filter(|entry| entry.table.id != stale.table.id)
        .filter(|entry| entry.profile().is_some_and(|profile| !profile.stale))
        .filter(|entry| {
            let other = words(&entry.table.id);
            let is_extended = !other.is_empty() && own.starts_with(&other);
            is_extended || other.first() == own.first() && shares_columns(entry, stale)
        })
        .map(|entry| (entry.table.id.name.len(), entry.table.id.local()))
        .collect();
    names.sort();
    names.into_iter().map(|(_, name)| name).take(3).collect()
}

/// Whether a quarter of the columns has the same names: a copy, not merely a relative.
fn shares_columns(entry: &Entry, stale: &Entry) -> bool {
    let shared = stale.table.columns.iter().filter(|column| entry.table.column(&column.name).is_some()).count();
    shared * 4 >= stale.table.columns.len()
}
