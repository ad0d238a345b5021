//! Columns that are joined can be equal.
//!
//! A join on columns that share no value finds nothing, or everything a LEFT JOIN lets through, and no engine says a
//! word. The evidence is the profile: other types, other values, other ranges. Two surrogate keys that happen to share
//! numbers are as wrong, and harder to see: there the declared keys tell which columns belong together.

use std::borrow::Cow;
use std::collections::HashSet;

use catalog::{
    Catalog, ColumnProfile, Entry, FactKind, ForeignKey, KeyOrigin, KnownValues, SampleMethod, TableId, TypeClass,
    ValueForm,
};
use sql::{ColumnRef, JoinUse};

use super::{Findings, Rule, RuleContext, Severities};
use crate::finding::Severity;
use crate::rule_name::RuleName;
use crate::values::plain;

pub(super) const RULE: Rule = Rule {
    name: RuleName::JoinMismatch,
    severity: Severities::by_profile(Severity::Error, Severity::Warning, Severity::Warning),
    fixed: false,
    run,
};

fn run(context: &RuleContext<'_>, findings: &mut Findings) {
    for join in &context.reading.joins {
        let (Some(left), Some(right)) = (Side::of(context.catalog, &join.left), Side::of(context.catalog, &join.right))
        else {
            continue;
        };
        if join.left == join.right {
            continue;
        }
        let spelt = spelt_otherwise(context, &join.left, &join.right);
        if let Some(reason) = spelt.or_else(|| spelt_otherwise(context, &join.right, &join.left)) {
            report(context, join, reason, findings);
        } else if let Some(reason) = never(&left, &right) {
            report(context, join, reason, findings);
        } else if let Some(reason) = beside_the_key(context, &left, &right) {
            report(context, join, reason, findings);
        }
    }
}

/// What is wrong with a join.
struct Reason {
    code: &'static str,
    why: String,
    /// The condition to write instead, where it isn't one that a key tells.
    instead: Option<String>,
}

fn report(context: &RuleContext<'_>, join: &JoinUse, reason: Reason, findings: &mut Findings) {
    let name = |column: &ColumnRef| format!("`{}.{}`", column.table.local(), column.column);
    let conditions = match reason.instead {
        Some(condition) => vec![condition],
        None if reason.code == "reference_spelt_otherwise" => Vec::new(),
        None => declared_conditions(context, &join.left, &join.right),
    };
    findings.add(reason.code, join.span, |finding| {
        finding.message = match reason.code {
            "join_beside_the_key" => {
                format!("{} and {} are keys of different things", name(&join.left), name(&join.right))
            }
            _ => format!("{} and {} have no value in common", name(&join.left), name(&join.right)),
        };
        finding.why = reason.why;
        finding.help = match conditions.first() {
            Some(condition) if reason.code == "reference_spelt_otherwise" => format!("Write `{condition}`."),
            Some(condition) => format!("Join by the key instead: `{condition}`."),
            None if reason.code == "reference_spelt_otherwise" => "Bring both into one form first.".to_owned(),
            None => "Look for the column that holds the other table's key.".to_owned(),
        };
        finding.suggestions = conditions;
    });
}

/// One column of a join, with what is known about it.
struct Side<'a> {
    entry: &'a Entry,
    column: &'a catalog::Column,
    profile: Option<&'a ColumnProfile>,
    whole: bool,
}

impl<'a> Side<'a> {
    fn of(catalog: &'a Catalog, column: &ColumnRef) -> Option<Self> {
        let entry = catalog.entry(&column.table)?;
        let profile = entry.profile().filter(|profile| profile.skipped.is_none());
        Some(Self {
            entry,
            column: entry.table.column(&column.column)?,
            profile: profile
                .and_then(|profile| profile.column(&column.column))
                .filter(|profile| profile.masked.is_none()),
            whole: profile.is_some_and(|profile| profile.method == SampleMethod::AllRows),
        })
    }

    fn shown_type(&self) -> Cow<'a, str> {
        self.entry.shown_type(self.column)
    }

    /// All values there are.
    fn all_values(&self) -> Option<&'a [String]> {
        match &self.profile?.values {
            KnownValues::All(values) if self.whole && !values.is_empty() => Some(values),
            _ => None,
        }
    }

    fn range(&self) -> Option<(&'a str, &'a str)> {
        let profile = self.profile?;
        Some((profile.min.as_deref()?, profile.max.as_deref()?))
    }

    /// The kind of values, by those that were seen: declared types say little on SQLite.
    fn kind(&self) -> Option<ValueKind> {
        let (min, max) = self.range()?;
        let pattern = self.profile?.pattern.as_ref().filter(|pattern| pattern.share >= 0.95);
        let number = |text: &str| text.trim().parse::<f64>().is_ok();
        match pattern.map(|pattern| &pattern.form) {
            Some(ValueForm::IsoDate | ValueForm::IsoDatetime) => Some(ValueKind::Date),
            Some(ValueForm::Integer | ValueForm::Decimal) => Some(ValueKind::Number),
            // A shape has something besides digits.
            Some(_) if !number(min) && !number(max) => Some(ValueKind::Text),
            _ if self.column.type_class.is_numeric() && number(min) && number(max) => Some(ValueKind::Number),
            _ => self.all_values().filter(|values| !values.iter().any(|value| number(value))).map(|_| ValueKind::Text),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ValueKind {
    Number,
    Date,
    Text,
}

/// Rows say that one column refers to the other, and is spelt otherwise.
fn spelt_otherwise(context: &RuleContext<'_>, from: &ColumnRef, to: &ColumnRef) -> Option<Reason> {
    let entry = context.catalog.entry(&from.table)?;
    let other = context.catalog.entry(&to.table)?.table.column(&to.column)?;
    let called =
        |column: &ColumnRef| format!("{}.{}", called(context, column), context.dialect.identifier(&column.column));
    context.catalog.facts(entry).find_map(|fact| match &fact.kind {
        FactKind::RefersAs { column, table, ref_column, prefix, digits }
            if *column == from.column && *table == to.table && *ref_column == to.column =>
        {
            // Zeros in front are no difference where texts are compared with numbers as numbers.
            let by_number = prefix.is_empty() && other.type_class.is_numeric();
            (!by_number || context.dialect.values().refuses_unlike_types).then(|| Reason {
                code: "reference_spelt_otherwise",
                why: format!("`{}` is {}.", from.column, fact.in_words(context.dialect).trim_start_matches("-> ")),
                instead: Some(format!(
                    "{} = {}",
                    called(from),
                    context.dialect.code_of_number(&called(to), prefix, *digits)
                )),
            })
        }
        FactKind::RefersLike { column, table, ref_column, .. }
            if *column == from.column && *table == to.table && *ref_column == to.column =>
        {
            Some(Reason {
                code: "reference_spelt_otherwise",
                why: format!("`{}` is {}.", from.column, fact.in_words(context.dialect).trim_start_matches("-> ")),
                instead: None,
            })
        }
        _ => None,
    })
}

/// Why two columns can't be equal, if they can't.
fn never(left: &Side<'_>, right: &Side<'_>) -> Option<Reason> {
    if clash(left.column.type_class, right.column.type_class) && (left.profile.is_none() || right.profile.is_none()) {
        let why = format!("One is {}, the other {}.", left.shown_type(), right.shown_type());
        return Some(Reason { code: "join_of_types", why, instead: None });
    }
    if let (Some(one), Some(other)) = (left.kind(), right.kind())
        && one != other
    {
        let example = |side: &Side<'_>| side.range().map_or_else(String::new, |(min, _)| format!("`{min}`"));
        let why = format!("One holds values such as {}, the other such as {}.", example(left), example(right));
        return Some(Reason { code: "join_of_types", why, instead: None });
    }
    if let (Some(one), Some(other)) = (left.all_values(), right.all_values()) {
        let held: HashSet<String> = one.iter().map(|value| normal(value)).collect();
        if other.iter().any(|value| held.contains(&normal(value))) {
            return None;
        }
        let loosely: HashSet<String> = one.iter().map(|value| plain(value)).collect();
        let alike = other.iter().find(|value| loosely.contains(&plain(value)));
        let why = match alike {
            Some(value) => format!("They spell the same values differently: `{value}`."),
            None => format!("One holds {}, the other {}.", listed(one), listed(other)),
        };
        return Some(Reason { code: "join_never_matches", why, instead: None });
    }
    let ((min, max), (other_min, other_max)) = (left.range()?, right.range()?);
    let number = |text: &str| text.parse::<f64>().ok();
    let apart = number(max)? < number(other_min)? || number(other_max)? < number(min)?;
    (apart && left.whole && right.whole).then(|| Reason {
        code: "join_never_matches",
        why: format!("One lies between {min} and {max}, the other between {other_min} and {other_max}."),
        instead: None,
    })
}

/// Types whose values no engine finds equal.
fn clash(left: TypeClass, right: TypeClass) -> bool {
    let group = |class: TypeClass| match class {
        TypeClass::Integer | TypeClass::Real => Some(1),
        TypeClass::Date | TypeClass::Timestamp => Some(2),
        TypeClass::Time => Some(3),
        TypeClass::Uuid => Some(4),
        _ => None,
    };
    matches!((group(left), group(right)), (Some(left), Some(right)) if left != right)
}

/// Numbers by what they are worth, so that `1.0` is `1`.
fn normal(value: &str) -> String {
    value.parse::<f64>().map_or_else(|_| value.to_owned(), |number| number.to_string())
}

fn listed(values: &[String]) -> String {
    let shown: Vec<String> = values.iter().take(3).map(|value| format!("`{value}`")).collect();
    shown.join(", ")
}

/// Two columns are compared that each say by a key which thing is meant, and mean different ones, while another key connects their
/// tables.
fn beside_the_key(context: &RuleContext<'_>, left: &Side<'_>, right: &Side<'_>) -> Option<Reason> {
    let (of_left, of_right) = (things(context.catalog, left), things(context.catalog, right));
    if of_left.is_empty()
        || of_right.is_empty()
        || of_left.iter().any(|thing| of_right.contains(thing))
        || left.entry.table.id == right.entry.table.id
        || left.column.name.eq_ignore_ascii_case(&right.column.name) && left.column.name.len() > 3
    {
        return None;
    }
    let reference =
        |side: &Side<'_>, column: &str| ColumnRef { table: side.entry.table.id.clone(), column: column.to_owned() };
    let conditions =
        declared_conditions(context, &reference(left, &left.column.name), &reference(right, &right.column.name));
    (!conditions.is_empty()).then(|| Reason {
        code: "join_beside_the_key",
        why: "Numbers that are equal by chance are taken to belong together.".to_owned(),
        instead: None,
    })
}

/// The keys that a column's values are ones of: its table's own, if it is that alone, and those it refers to, one behind the
/// other. None of a column that is neither.
fn things<'c>(catalog: &'c Catalog, side: &Side<'c>) -> Vec<(&'c TableId, &'c str)> {
    let mut things: Vec<(&TableId, &str)> = vec![(&side.entry.table.id, side.column.name.as_str())];
    let mut next = 0;
    while let Some(&(table, column)) = things.get(next) {
        next += 1;
        let keys = catalog.entry(table).map(|entry| entry.table.foreign_keys.as_slice()).unwrap_or_default();
        for key in keys.iter().filter(|key| is_believed(key) && key.columns == [column.to_owned()]) {
            let referred = key.ref_columns.first().map(|referred| (&key.ref_table, referred.as_str()));
            things.extend(referred.filter(|referred| !things.contains(referred)));
        }
    }
    let is_own_key = side.entry.table.primary_key == [side.column.name.clone()];
    if is_own_key || things.len() > 1 { things } else { Vec::new() }
}

/// Whether a key is declared, or the values leave hardly a doubt.
fn is_believed(key: &ForeignKey) -> bool {
    const SURE: f64 = 0.9;
    match &key.origin {
        KeyOrigin::Declared => true,
        KeyOrigin::Inferred(evidence) => evidence.confidence >= SURE,
    }
}

/// What the statement calls the column's table by.
fn called(context: &RuleContext<'_>, column: &ColumnRef) -> String {
    let used = context.reading.tables.iter().find(|used| used.table.as_ref() == Some(&column.table));
    used.and_then(|used| used.alias.clone()).unwrap_or_else(|| column.table.written(context.dialect))
}

/// Conditions by the foreign keys between the two tables, with the names that the statement calls them by.
fn declared_conditions(context: &RuleContext<'_>, left: &ColumnRef, right: &ColumnRef) -> Vec<String> {
    let called = |column: &ColumnRef| called(context, column);
    let mut conditions = Vec::new();
    for (from, to) in [(left, right), (right, left)] {
        let Some(entry) = context.catalog.entry(&from.table) else { continue };
        for key in entry.table.foreign_keys.iter().filter(|key| key.ref_table == to.table) {
            let pairs = key.columns.iter().zip(&key.ref_columns);
            let parts: Vec<String> = pairs
                .map(|(own, other)| {
                    let (own, other) = (context.dialect.identifier(own), context.dialect.identifier(other));
                    format!("{}.{own} = {}.{other}", called(from), called(to))
                })
                .collect();
            conditions.push(parts.join(" AND "));
        }
    }
    conditions.dedup();
    conditions.truncate(3);
    conditions
}
