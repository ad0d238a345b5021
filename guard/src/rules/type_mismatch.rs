//! Values that are compared are of types that can be compared.
//!
//! PostgreSQL has no operator for a text and a number, and rejects the statement. The other engines turn one into the
//! other without a word; what comes of that is for `literal_value` and `join_mismatch` to say.

use sql::{Argument, ColumnRef, Compared, Comparison, FunctionUse, LiteralKind, LiteralValue, Operand};

use super::{Findings, Rule, RuleContext, Severities};
use crate::finding::Severity;
use crate::rule_name::RuleName;

pub(super) const RULE: Rule =
    Rule { name: RuleName::TypeMismatch, severity: Severities::always(Severity::Error), fixed: false, run };

/// Types between whose values PostgreSQL compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Number,
    Text,
    Boolean,
    /// Dates and points in time.
    Moment,
    Uuid,
}

impl Family {
    /// The family of a declared type, as PostgreSQL spells it; `None` for types that aren't judged.
    fn of(data_type: &str) -> Option<Self> {
        let lower = data_type.to_lowercase();
        // `numeric(10,2)`, `timestamp(3) without time zone`.
        let (name, rest) = lower.split_once('(').unwrap_or((lower.as_str(), ""));
        let behind = rest.split_once(')').map_or("", |(_, behind)| behind);
        if behind.contains('[') {
            return None;
        }
        Some(match name.trim() {
            "smallint" | "integer" | "int" | "bigint" | "int2" | "int4" | "int8" | "numeric" | "decimal" | "real"
            | "double precision" | "float" | "float4" | "float8" => Self::Number,
            "text" | "varchar" | "character varying" | "char" | "character" | "bpchar" => Self::Text,
            "boolean" | "bool" => Self::Boolean,
            "date" | "timestamp" | "timestamptz" | "timestamp without time zone" | "timestamp with time zone" => {
                Self::Moment
            }
            "uuid" => Self::Uuid,
            _ => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Self::Number => "a number",
            Self::Text => "a text",
            Self::Boolean => "true or false",
            Self::Moment => "a date or a time",
            Self::Uuid => "a UUID",
        }
    }

    /// Whether a text in quotes can be read as one of these.
    fn reads(self, text: &str) -> bool {
        let text = text.trim().to_lowercase();
        match self {
            Self::Text => true,
            Self::Number => {
                let digits = text.trim_start_matches(['+', '-']).replace('_', "");
                digits.parse::<f64>().is_ok()
                    || digits.starts_with("0x")
                    || digits.starts_with("0b")
                    || digits.starts_with("0o")
            }
            Self::Boolean => {
                let words = ["true", "false", "yes", "no", "on", "off", "1", "0"];
                !text.is_empty() && words.iter().any(|word| word.starts_with(&text))
            }
            Self::Moment => {
                let words = ["today", "tomorrow", "yesterday", "now", "epoch", "infinity", "-infinity", "allballs"];
                text.contains(|character: char| character.is_ascii_digit()) || words.contains(&text.as_str())
            }
            Self::Uuid => text.chars().filter(char::is_ascii_hexdigit).count() == 32,
        }
    }
}

fn run(context: &RuleContext<'_>, findings: &mut Findings) {
    if !context.dialect.values().refuses_unlike_types {
        return;
    }
    for compared in &context.reading.compared {
        if let Some((left, right)) = incomparable(context, compared) {
            findings.add("incomparable_types", compared.span, |finding| {
                finding.message = format!("{left} can't be compared with {right}");
                finding.why = "The engine has no comparison of the two.".to_owned();
                finding.help = "Compare with a column or a value of the same type, or cast one of them.".to_owned();
            });
        }
    }
    for function in &context.reading.functions {
        let Some((column, expected)) = unfit_argument(context, function) else { continue };
        findings.add("wrong_argument_type", function.span, |finding| {
            finding.message = format!("`{}` is of {expected}, and {} is not", function.name(), shown(context, column));
            finding.why = "The engine has no such function for the column's type.".to_owned();
            finding.help = "Take another column, or cast this one.".to_owned();
        });
    }
    for condition in &context.reading.conditions {
        if family(context, &condition.column).is_none_or(|family| family == Family::Boolean) {
            continue;
        }
        findings.add("not_a_condition", condition.span, |finding| {
            finding.message = format!("{} is no condition", shown(context, &condition.column));
            finding.why = "A condition is true or false.".to_owned();
            finding.help = "Compare the column with a value.".to_owned();
        });
    }
}

/// What a comparison compares, where there is no such comparison.
fn incomparable(context: &RuleContext<'_>, compared: &Compared) -> Option<(String, String)> {
    let (left, right) = (&compared.left, &compared.right);
    let both = || Some((operand(context, left), operand(context, right)));
    let is_pattern =
        matches!(compared.operator, Comparison::Like | Comparison::NotLike | Comparison::ILike | Comparison::Glob);
    match (left, right) {
        (Operand::Literal(literal), of) | (of, Operand::Literal(literal)) => {
            let family = family_of(context, of)?;
            let fits = if is_pattern { family == Family::Text } else { takes(family, literal) };
            if fits { None } else { both() }
        }
        _ => {
            let (one, other) = (family_of(context, left)?, family_of(context, right)?);
            let fits = one == other && (!is_pattern || one == Family::Text);
            if fits { None } else { both() }
        }
    }
}

/// Whether a literal can stand for a value of a family.
fn takes(family: Family, literal: &LiteralValue) -> bool {
    match literal.kind {
        LiteralKind::Text => family.reads(&literal.text),
        LiteralKind::Number => family == Family::Number,
        LiteralKind::Boolean => family == Family::Boolean,
        _ => true,
    }
}

/// A column that a function doesn't take, and what it takes.
fn unfit_argument<'r>(context: &RuleContext<'_>, function: &'r FunctionUse) -> Option<(&'r ColumnRef, &'static str)> {
    use Family::{Boolean, Moment, Number, Text, Uuid};
    let (place, unfit, expected): (usize, &[Family], _) = match function.name() {
        "sum" | "avg" | "stddev" | "variance" | "round" | "abs" | "ceil" | "floor" | "sqrt" | "sign" => {
            (0, &[Text, Boolean, Moment, Uuid], "numbers")
        }
        "lower" | "upper" | "length" | "trim" | "btrim" | "ltrim" | "rtrim" | "initcap" | "split_part" | "substr"
        | "left" | "right" | "strpos" | "regexp_replace" | "replace" => (0, &[Number, Boolean, Moment, Uuid], "texts"),
        "extract" | "age" => (0, &[Text, Boolean, Number, Uuid], "dates and times"),
        "date_trunc" | "date_part" => (1, &[Text, Boolean, Number, Uuid], "dates and times"),
        _ => return None,
    };
    let Some(Argument::Column(column)) = function.arguments.get(place) else { return None };
    family(context, column).filter(|family| unfit.contains(family)).map(|_| (column, expected))
}

fn family(context: &RuleContext<'_>, column: &ColumnRef) -> Option<Family> {
    Family::of(&context.catalog.entry(&column.table)?.table.column(&column.column)?.data_type)
}

fn family_of(context: &RuleContext<'_>, operand: &Operand) -> Option<Family> {
    match operand {
        Operand::Column(column) => family(context, column),
        Operand::Typed(data_type) => Family::of(data_type),
        Operand::Literal(_) => None,
    }
}

fn operand(context: &RuleContext<'_>, operand: &Operand) -> String {
    match operand {
        Operand::Column(column) => shown(context, column),
        Operand::Typed(data_type) => format!("a value of type `{}`", data_type.to_lowercase()),
        Operand::Literal(literal) if literal.kind == LiteralKind::Text => format!("'{}'", literal.text),
        Operand::Literal(literal) => format!("`{}`", literal.text),
    }
}

/// A column with what it holds.
fn shown(context: &RuleContext<'_>, column: &ColumnRef) -> String {
    let name = format!("`{}.{}`", column.table.local(), column.column);
    family(context, column).map_or(name.clone(), |family| format!("{name} ({})", family.name()))
}
