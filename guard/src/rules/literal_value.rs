//! Literals that are compared with a profiled column occur in it.
//!
//! `country = 'USA'` on a column that holds `US` runs without an error and finds nothing; that is worse than an error.
//! What the profile knows for certain (all values of the column) is told from what a sample makes likely.

mod meanings;
mod spellings;

use catalog::{Column, ColumnProfile, Fact, FactKind, KnownValues, SampleMethod, TableProfile, TypeClass};
use sql::{Clause, Comparison, Folding, LiteralKind, LiteralUse};

use super::{Findings, Rule, RuleContext, Severities};
use crate::finding::{Finding, Severity};
use crate::forms;
use crate::rewrite::replaced;
use crate::rule_name::RuleName;
use crate::values::{Relation, iso_dates, meant, synonyms};

pub(super) const RULE: Rule = Rule {
    name: RuleName::LiteralValue,
    severity: Severities::by_profile(Severity::Error, Severity::Warning, Severity::Warning),
    fixed: false,
    run,
};

/// A pattern has to hold for this share of the values before a literal is held against it.
const FIRM_PATTERN: f64 = 0.95;

fn run(context: &RuleContext<'_>, findings: &mut Findings) {
    for literal in &context.reading.literals {
        let Some(entry) = context.catalog.entry(&literal.column.table) else { continue };
        let Some(column) = entry.table.column(&literal.column.column) else { continue };
        let profile = entry.profile().filter(|profile| profile.skipped.is_none());
        // What is known of a masked column's values is no advice for anybody.
        let column_profile =
            profile.and_then(|profile| profile.column(&column.name)).filter(|profile| profile.masked.is_none());
        let declared = entry.declared_values(&column.name);
        let compared = Compared { context, literal, column, declared, profile, column_profile };
        compared.check(findings);
    }
}

/// A literal and what is known about the column it is compared with.
struct Compared<'a> {
    context: &'a RuleContext<'a>,
    literal: &'a LiteralUse,
    column: &'a Column,
    /// What its type allows, where that may be shown.
    declared: &'a [String],
    profile: Option<&'a TableProfile>,
    column_profile: Option<&'a ColumnProfile>,
}

impl Compared<'_> {
    fn check(&self, findings: &mut Findings) {
        let is_text = matches!(self.literal.value.kind, LiteralKind::Text | LiteralKind::DoubleQuoted);
        match self.literal.value.kind {
            LiteralKind::Null if matches!(self.literal.operator, Comparison::Equal | Comparison::NotEqual) => {
                return self.compared_with_null(findings);
            }
            LiteralKind::Null | LiteralKind::Bytes | LiteralKind::Boolean => return,
            _ => {}
        }
        let equates = matches!(self.literal.operator, Comparison::Equal | Comparison::NotEqual);
        // What holds texts is asked whether it is empty: `deleted_at IS NULL OR deleted_at = ''`.
        let holds_texts = self.column.type_class == TypeClass::Text || self.context.dialect.values().loose_types;
        if is_text && equates && holds_texts && self.literal.value.text.is_empty() {
            return;
        }
        if is_text && (equates && self.item_of_a_list(findings) || self.no_such_day(findings)) {
            return;
        }
        let is_the_word = is_text && equates && self.literal.value.text.eq_ignore_ascii_case("null");
        if is_the_word && self.column.nullable && !self.known_values().0.contains(&self.literal.value.text) {
            return self.compared_with_null(findings);
        }
        if self.literal.folding == Folding::Date {
            let _ = is_text && self.not_what_date_returns(findings) || self.out_of_range(findings);
            return;
        }
        if is_text && equates && self.meaning_of_a_code(findings) {
            return;
        }
        if self.folding_forbids(findings) || is_text && self.wrong_type(findings) || self.number_for_date(findings) {
            return;
        }
        match self.literal.operator {
            Comparison::Equal | Comparison::NotEqual => {
                let _ = self.unknown_value(findings)
                    || self.several_spellings(findings)
                    || is_text && self.wrong_date(findings)
                    || self.wrong_form(findings)
                    || self.out_of_range(findings);
            }
            Comparison::Like | Comparison::ILike | Comparison::NotLike | Comparison::Glob => {
                self.matches_nothing(findings)
            }
            // How such texts are to be compared is said by the rule about facts.
            _ if self.holds_text_dates() => {}
            _ => {
                let _ =
                    is_text && self.wrong_date(findings) || self.wrong_form(findings) || self.out_of_range(findings);
            }
        }
    }

    /// A list is compared with one of its items.
    fn item_of_a_list(&self, findings: &mut Findings) -> bool {
        let text = &self.literal.value.text;
        let data_type = &self.column.data_type;
        let is_list = data_type.ends_with("[]") || data_type.starts_with("Array(");
        if !is_list || text.starts_with(['{', '[']) {
            return false;
        }
        let (item, list) = (self.context.dialect.literal(text), self.context.dialect.identifier(&self.column.name));
        let asked = self.context.dialect.values().list_holds;
        let written = asked.replace("{list}", &list).replace("{item}", &item);
        self.add(findings, "value_type", Severity::Error, |finding| {
            finding.message = format!("{} is a list, and is compared with one item", self.name());
            finding.why = "The comparison fails, or finds lists of this one item alone.".to_owned();
            finding.help = format!("Write `{written}`, with the table's name where that is needed.");
            finding.suggestions = vec![written];
        });
        true
    }

    /// `2023-31-12` is written like a day and is none.
    fn no_such_day(&self, findings: &mut Findings) -> bool {
        let text = &self.literal.value.text;
        let is_day = |text: &str| text.get(..10).is_some_and(|day| day.parse::<jiff::civil::Date>().is_ok());
        let of_dates = matches!(self.column.type_class, TypeClass::Date | TypeClass::Timestamp)
            || self.column_profile.and_then(|profile| profile.min.as_deref()).is_some_and(is_day);
        let digits = text.get(..10).map(|day| day.split('-').map(|part| part.parse::<u16>().ok()).collect::<Vec<_>>());
        let Some([Some(year), Some(month), Some(day)]) = digits.as_deref() else { return false };
        let ends = text.get(10..).is_none_or(|rest| !rest.starts_with(|sign: char| sign.is_ascii_digit()));
        let matches = matches!(
            self.literal.operator,
            Comparison::Like | Comparison::ILike | Comparison::NotLike | Comparison::Glob
        );
        if !of_dates || matches || !ends || is_day(text) || text.as_bytes().get(4) != Some(&b'-') {
            return false;
        }
        let swapped = format!("{year:04}-{day:02}-{month:02}");
        let meant = is_day(&swapped).then(|| format!("{swapped}{}", text.get(10..).unwrap_or_default()));
        self.add(findings, "value_format", Severity::Error, |finding| {
            finding.message = format!("`{text}` is no day of the calendar");
            finding.why =
                format!("{} holds dates, and is compared with none: nothing is found, or it fails.", self.name());
            finding.help = match &meant {
                Some(meant) => format!("Write '{meant}', the month before the day."),
                None => "Write the last day that there is, or an open end: `< '` and the first day of the next month."
                    .to_owned(),
            };
            finding.rewrite = meant.as_ref().and_then(|meant| self.rewritten(meant));
            finding.suggestions = meant.into_iter().collect();
        });
        true
    }

    /// Whether rows say that the column's texts are dates that don't sort.
    fn holds_text_dates(&self) -> bool {
        let entry = self.context.catalog.entry(&self.literal.column.table);
        entry.is_some_and(|entry| {
            self.context.catalog.facts(entry).any(|fact| {
                matches!(&fact.kind, FactKind::TextDates { column, form, .. }
                    if *column == self.column.name && !Fact::sorts(form))
            })
        })
    }

    fn name(&self) -> String {
        format!("`{}.{}`", self.literal.column.table.local(), self.column.name)
    }

    /// The text with another literal in this one's place.
    fn rewritten(&self, value: &str) -> Option<String> {
        let text = match self.literal.value.kind {
            LiteralKind::Number if value.parse::<f64>().is_ok() => value.to_owned(),
            _ if self.column.type_class.is_numeric() && value.parse::<f64>().is_ok() => value.to_owned(),
            _ => self.context.dialect.literal(value),
        };
        replaced(self.context.sql, self.literal.span?, &text)
    }

    fn add(&self, findings: &mut Findings, code: &'static str, most: Severity, fill: impl FnOnce(&mut Finding)) {
        findings.add_at_most(most, code, self.literal.span, fill);
    }

    /// `x = NULL` is never true, and `x = 'null'` compares with a word of four letters.
    fn compared_with_null(&self, findings: &mut Findings) {
        // `IS NULL` is read as a test of its own; what comes here was written with an operator or in a list.
        self.add(findings, "compared_with_null", Severity::Warning, |finding| {
            let word = self.literal.value.kind != LiteralKind::Null;
            finding.message =
                format!("{} is compared with {}", self.name(), if word { "the word 'null'" } else { "NULL" });
            finding.why = if word {
                "That is a text of four letters, not the absence of a value.".to_owned()
            } else {
                "A comparison with NULL is never true.".to_owned()
            };
            finding.help = "Use IS NULL or IS NOT NULL.".to_owned();
        });
    }

    /// `lower(x) = 'USA'` is never true.
    fn folding_forbids(&self, findings: &mut Findings) -> bool {
        let text = &self.literal.value.text;
        let (folded, function) = match self.literal.folding {
            Folding::Lower => (text.to_lowercase(), "lower"),
            Folding::Upper => (text.to_uppercase(), "upper"),
            Folding::None | Folding::IgnoresCase | Folding::Date => return false,
        };
        let equates = matches!(self.literal.operator, Comparison::Equal | Comparison::NotEqual);
        if folded == *text || !equates {
            return false;
        }
        self.add(findings, "value_case", Severity::Error, |finding| {
            finding.message = format!("`{function}({})` can never be `{text}`", self.column.name);
            finding.why = format!("What {function}() returns is all {function} case.");
            finding.help = format!("Write {}.", self.context.dialect.literal(&folded));
            finding.rewrite = self.rewritten(&folded);
            finding.suggestions = vec![folded];
        });
        true
    }

    /// Text compared with a column of numbers.
    fn wrong_type(&self, findings: &mut Findings) -> bool {
        let text = &self.literal.value.text;
        let like = matches!(
            self.literal.operator,
            Comparison::Like | Comparison::ILike | Comparison::NotLike | Comparison::Glob
        );
        if !self.column.type_class.is_numeric() || text.trim().parse::<f64>().is_ok() || like {
            return false;
        }
        // Where a column of numbers may hold texts, the values say whether it does.
        let values = self.known_values().0;
        let holds_text = values.iter().any(|value| value.parse::<f64>().is_err());
        let unknown = values.is_empty() && self.context.dialect.values().loose_types;
        if holds_text || unknown {
            return false;
        }
        let stored: Vec<String> = values.to_vec();
        let mut meant: Vec<String> =
            meant(text, &stored).into_iter().map(|(_, value)| value.to_owned()).take(3).collect();
        let times = self.times(text);
        if !times.is_empty() {
            meant = times;
        }
        self.add(findings, "value_type", Severity::Error, |finding| {
            finding.message = format!("{} is {}, and `{text}` is no number", self.name(), self.column.data_type);
            finding.why = "The comparison finds nothing, or fails.".to_owned();
            finding.help = match meant.first() {
                Some(time) if !self.times(text).is_empty() => format!("It holds times as numbers: write {time}."),
                _ => "Compare it with a number, or use the column that holds the text.".to_owned(),
            };
            finding.suggestions = meant;
        });
        true
    }

    /// The values known, and whether they are all there are, for certain.
    fn known_values(&self) -> (&[String], Knowledge) {
        if !self.declared.is_empty() {
            return (self.declared, Knowledge::All);
        }
        let Some(profile) = self.column_profile else {
            return (&[], Knowledge::Some);
        };
        let whole = self.profile.is_some_and(|profile| profile.method == SampleMethod::AllRows);
        match &profile.values {
            KnownValues::All(values) if whole => (values, Knowledge::All),
            KnownValues::All(values) => (values, Knowledge::AllSeen),
            KnownValues::Some(values) => (values, Knowledge::Some),
            KnownValues::Unknown => (&[], Knowledge::Some),
        }
    }

    fn unknown_value(&self, findings: &mut Findings) -> bool {
        let (values, knowledge) = self.known_values();
        let most_common = self
            .column_profile
            .map(|profile| profile.most_common.as_slice())
            .unwrap_or_default()
            .iter()
            .map(|it| &it.value);
        let mut stored: Vec<String> = values.to_vec();
        if knowledge != Knowledge::All {
            stored.extend(most_common.filter(|value| !values.contains(value)).cloned());
        }
        let text = &self.literal.value.text;
        if stored.is_empty() || stored.iter().any(|value| self.equal(value, text)) {
            return false;
        }
        let meant = meant(text, &stored);
        match (knowledge, meant.as_slice()) {
            (Knowledge::Some, [(relation, value), ..]) if *relation <= Relation::Synonym => {
                self.other_spelling(findings, *relation, value, &meant, knowledge);
                true
            }
            (Knowledge::Some, _) => self.synonym_of_the_kind(findings, &stored),
            (_, [(relation, value), ..]) => {
                self.other_spelling(findings, *relation, value, &meant, knowledge);
                true
            }
            (_, []) => {
                self.no_such_value(findings, &stored, knowledge);
                true
            }
        }
    }

    /// Whether the engine would find the two equal.
    fn equal(&self, stored: &str, written: &str) -> bool {
        if stored == written {
            return true;
        }
        if let (Ok(left), Ok(right)) = (stored.parse::<f64>(), written.parse::<f64>()) {
            return left == right
                && (self.column.type_class.is_numeric() || self.literal.value.kind == LiteralKind::Number);
        }
        // A day is the midnight that it begins with, but where times are texts.
        let is_time = self.column.type_class == TypeClass::Timestamp && !self.context.dialect.values().dates_are_texts;
        if is_time
            && stored
                .strip_prefix(written)
                .is_some_and(|time| time.trim_start_matches([' ', 'T']).starts_with("00:00:00"))
        {
            return true;
        }
        match self.literal.folding {
            Folding::None => {
                self.context.dialect.values().equality_ignores_case && stored.to_lowercase() == written.to_lowercase()
            }
            Folding::Lower | Folding::Upper | Folding::IgnoresCase | Folding::Date => {
                stored.to_lowercase() == written.to_lowercase()
            }
        }
    }

    fn other_spelling(
        &self,
        findings: &mut Findings,
        relation: Relation,
        value: &str,
        meant: &[(Relation, &str)],
        knowledge: Knowledge,
    ) {
        let text = &self.literal.value.text;
        let code = match relation {
            Relation::Spelling if text.to_lowercase() == value.to_lowercase() => "value_case",
            Relation::Spelling => "value_spelling",
            Relation::Synonym | Relation::Initials => "value_synonym",
            Relation::Part | Relation::Near => "value_unknown",
        };
        // In several spellings or languages, each of them is meant.
        let first: Vec<&str> = match relation {
            Relation::Spelling => meant.iter().filter(|it| it.0 == relation).map(|it| it.1).collect(),
            _ => vec![value],
        };
        let stored = self.known_values().0.iter().map(String::as_str);
        let others = stored.filter(|it| !first.contains(it) && first.iter().any(|one| self.are_one(one, it)));
        let all: Vec<&str> = first.iter().copied().chain(others).take(spellings::LISTED).collect();
        let certain = all.len() == 1 && relation <= Relation::Synonym && knowledge != Knowledge::Some;
        // A sample may lack the value that was written, and a value that is only alike may be another one.
        let most = match knowledge {
            _ if relation > Relation::Initials && self.literal.operator == Comparison::NotEqual => Severity::Hint,
            Knowledge::All if relation <= Relation::Initials => Severity::Error,
            _ => Severity::Warning,
        };
        self.add(findings, code, most, |finding| {
            finding.message = format!("{} holds `{value}`, not `{text}`", self.name());
            finding.why = self.evidence(knowledge);
            finding.help = format!("Write {}.", self.context.dialect.literal(value));
            finding.suggestions = meant.iter().take(3).map(|(_, value)| (*value).to_owned()).collect();
            if certain && self.literal.folding == Folding::None {
                finding.rewrite = self.rewritten(value);
            }
            if all.len() > 1 && self.literal.folding == Folding::None {
                let excludes = self.literal.operator == Comparison::NotEqual;
                finding.help = format!("Write {} ({}).", if excludes { "NOT IN" } else { "IN" }, self.listed(&all));
                finding.rewrite = self.with_list(&all);
            }
        });
    }

    /// Only some values are known, none of them related to the literal; but the literal is a word for something that
    /// also has a code, and all known values are codes of that length.
    fn synonym_of_the_kind(&self, findings: &mut Findings, stored: &[String]) -> bool {
        let text = &self.literal.value.text;
        let is_code =
            |value: &str| (2..=3).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_uppercase());
        let length = stored[0].len();
        if is_code(text) && text.len() == length || !stored.iter().all(|value| is_code(value) && value.len() == length)
        {
            return false;
        }
        let codes: Vec<String> = synonyms(text)
            .into_iter()
            .filter(|synonym| is_code(synonym) && synonym.len() == length)
            .map(str::to_owned)
            .collect();
        if codes.is_empty() {
            return false;
        }
        self.add(findings, "value_synonym", Severity::Warning, |finding| {
            finding.message = format!("{} holds codes such as `{}`, not `{text}`", self.name(), stored[0]);
            finding.why = self.evidence(Knowledge::Some);
            finding.help = format!("Write {}.", self.context.dialect.literal(&codes[0]));
            finding.suggestions = codes;
        });
        true
    }

    fn no_such_value(&self, findings: &mut Findings, stored: &[String], knowledge: Knowledge) {
        const LISTED: usize = 8;
        // Leaving out what isn't there changes nothing.
        let most = if self.literal.operator == Comparison::NotEqual { Severity::Hint } else { Severity::Warning };
        self.add(findings, "value_unknown", most, |finding| {
            finding.message = format!("{} holds no `{}`", self.name(), self.literal.value.text);
            finding.why = self.evidence(knowledge);
            let listed: Vec<String> =
                stored.iter().take(LISTED).map(|value| self.context.dialect.literal(value)).collect();
            let more = if stored.len() > LISTED { ", …" } else { "" };
            finding.help = format!("It holds {}{more}.", listed.join(", "));
            finding.suggestions = stored.iter().take(LISTED).cloned().collect();
        });
    }

    fn evidence(&self, knowledge: Knowledge) -> String {
        let rows = self.profile.map_or(0, |profile| profile.rows_seen);
        match knowledge {
            Knowledge::All if !self.declared.is_empty() => "The schema allows no other values.".to_owned(),
            Knowledge::All => format!("These were all values of the column{}.", self.as_of()),
            Knowledge::AllSeen => format!("These are all values among {rows} rows that were sampled{}.", self.as_of()),
            Knowledge::Some => format!("A sample{} held such values and not this one.", self.as_of()),
        }
    }

    /// When the profile was taken, to be said of anything that may have changed since.
    fn as_of(&self) -> String {
        self.profile.map_or_else(String::new, |profile| format!(" on {}", profile.profiled_at.strftime("%Y-%m-%d")))
    }

    /// Whether the engine reads the text as a date that has no digits: PostgreSQL's table of special date inputs.
    fn is_special_date(&self, text: &str) -> bool {
        const SPECIAL: [&str; 8] =
            ["infinity", "-infinity", "epoch", "now", "today", "tomorrow", "yesterday", "allballs"];
        let has_them = self.context.dialect.values().special_dates;
        has_them && self.column.type_class.is_temporal() && SPECIAL.contains(&text.trim().to_lowercase().as_str())
    }

    /// `date(x) = '28.11.2025'`: what it returns is an ISO date.
    fn not_what_date_returns(&self, findings: &mut Findings) -> bool {
        let text = &self.literal.value.text;
        let compared_as_text = self.context.dialect.values().dates_are_texts;
        let dates = iso_dates(text);
        if looks_iso(text) || !compared_as_text || dates.is_empty() {
            return false;
        }
        self.add(findings, "value_format", Severity::Error, |finding| {
            finding.message = format!("date() returns `YYYY-MM-DD`, and `{text}` is written otherwise");
            finding.why = "They are compared as text, so nothing fits, or the wrong rows do.".to_owned();
            finding.help = format!("Write {}.", self.context.dialect.literal(&dates[0]));
            if let [only] = dates.as_slice() {
                finding.rewrite = self.rewritten(only);
            }
            finding.suggestions = dates;
        });
        true
    }

    /// A date in another notation than the ISO one that the column has.
    fn wrong_date(&self, findings: &mut Findings) -> bool {
        let Some(pattern) = self.column_profile.and_then(|profile| profile.pattern.as_ref()) else { return false };
        let text = &self.literal.value.text;
        let is_date = pattern.form.is_iso_date();
        if pattern.share < FIRM_PATTERN || !is_date || looks_iso(text) || self.is_special_date(text) {
            return false;
        }
        let range = !matches!(self.literal.operator, Comparison::Equal | Comparison::NotEqual);
        // A year, or a year and a month, bounds ISO dates correctly.
        if range && text.len() >= 4 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') && text.len() != 8
        {
            return false;
        }
        let dates = iso_dates(text);
        self.add(findings, "value_format", Severity::Error, |finding| {
            finding.message = format!("{} holds dates as `YYYY-MM-DD`, and `{text}` is none", self.name());
            finding.why =
                match self.column.type_class.is_temporal() && !self.context.dialect.values().dates_are_texts {
                    true => "Which day it means depends on settings of the server, or it is refused.",
                    false => "They are compared as text, so nothing fits, or the wrong rows do.",
                }
                .to_owned();
            finding.help = match dates.first() {
                Some(date) => format!("Write {}.", self.context.dialect.literal(date)),
                None => "Write the date as 'YYYY-MM-DD'.".to_owned(),
            };
            if let [only] = dates.as_slice() {
                finding.rewrite = self.rewritten(only);
            }
            finding.suggestions = dates;
        });
        true
    }

    /// A date as a number of seconds, where the column holds such numbers.
    fn times(&self, text: &str) -> Vec<String> {
        let range = self.column_profile.and_then(|profile| Some((profile.min.as_ref()?, profile.max.as_ref()?)));
        let dates = match text.get(..10) {
            Some(date) if looks_iso(text) => vec![date.to_owned()],
            _ => iso_dates(text),
        };
        range.map(|(min, max)| forms::in_epoch(&dates, min, max)).unwrap_or_default()
    }

    /// A bare number compared with dates: `created_on > 2023` is true of every text in SQLite.
    fn number_for_date(&self, findings: &mut Findings) -> bool {
        if self.literal.value.kind != LiteralKind::Number {
            return false;
        }
        let pattern = self.column_profile.and_then(|profile| profile.pattern.as_ref());
        let dates_are_texts = self.context.dialect.values().dates_are_texts;
        let holds_dates = match dates_are_texts {
            true => pattern.is_some_and(|pattern| pattern.form.is_iso_date()),
            false => matches!(self.column.type_class, TypeClass::Date | TypeClass::Timestamp),
        };
        // MySQL and ClickHouse read 20240131 as a date.
        let text = &self.literal.value.text;
        let is_compact = !dates_are_texts && text.len() >= 8;
        if !holds_dates || is_compact {
            return false;
        }
        let year = text.parse::<u16>().ok().filter(|year| (1000..=9999).contains(year));
        let suggestions: Vec<String> = match year {
            Some(year) => vec![format!("{year}-01-01")],
            None => iso_dates(text),
        };
        self.add(findings, "value_type", Severity::Error, |finding| {
            finding.message = format!("{} holds dates, and {text} is a number", self.name());
            finding.why = match dates_are_texts {
                true => "Every text is greater than any number, so the dates don't matter.",
                false => "A date and a number don't compare.",
            }
            .to_owned();
            finding.help = "Compare it with a date in quotes: 'YYYY-MM-DD'.".to_owned();
            finding.suggestions = suggestions;
        });
        true
    }

    /// The literal has another form than nearly all values: `1042` where the column holds `INV-1042`.
    fn wrong_form(&self, findings: &mut Findings) -> bool {
        let Some(pattern) = self.column_profile.and_then(|profile| profile.pattern.as_ref()) else { return false };
        let text = &self.literal.value.text;
        if pattern.share < FIRM_PATTERN || forms::has_form(&pattern.form, text) != Some(false) {
            return false;
        }
        if forms::has_more(&pattern.form, text) && !pattern.form.is_iso_date() && !looks_iso(text) {
            return false;
        }
        let examples: Vec<String> = self.examples();
        let dates = match text.get(..10) {
            Some(date) if looks_iso(text) => vec![date.to_owned()],
            _ => iso_dates(text),
        };
        let made = forms::in_form(&pattern.form, text, &dates, &examples);
        let equates = matches!(self.literal.operator, Comparison::Equal | Comparison::NotEqual);
        // Texts that only begin alike still bound a range.
        if !equates && (dates.is_empty() || made.is_empty()) {
            return false;
        }
        self.add(findings, "value_format", Severity::Error, |finding| {
            let example = examples.first().map(|example| format!(", such as `{example}`")).unwrap_or_default();
            finding.message = format!("{} holds values of another form{example}, and `{text}` has not", self.name());
            finding.why = self.evidence(Knowledge::Some);
            finding.help = match made.as_slice() {
                [first, ..] => format!("Write {}.", self.context.dialect.literal(first)),
                [] if !dates.is_empty() => "Look at its values: which part of them is the day isn't known.".to_owned(),
                [] => format!("Write it as `{}`.", pattern.form),
            };
            finding.suggestions = made;
        });
        true
    }

    /// Some values of the column.
    fn examples(&self) -> Vec<String> {
        let profile = self.column_profile;
        let common = profile.map(|profile| profile.most_common.as_slice()).unwrap_or_default();
        let mut examples: Vec<String> = self.known_values().0.iter().take(50).cloned().collect();
        examples.extend(common.iter().map(|common| common.value.clone()));
        let ends = profile.iter().flat_map(|profile| [&profile.min, &profile.max]).flatten();
        examples.extend(ends.cloned());
        examples
    }

    /// Nothing can satisfy the comparison, by the smallest and the largest value.
    fn out_of_range(&self, findings: &mut Findings) -> bool {
        // One value of a list, or of a CASE, may well find nothing.
        let restricts = matches!(self.literal.clause, Clause::On | Clause::Where | Clause::Having);
        if self.literal.among > 1 || !restricts {
            return false;
        }
        let Some(profile) = self.column_profile else { return false };
        let (Some(min), Some(max)) = (&profile.min, &profile.max) else { return false };
        let text = &self.literal.value.text;
        let order = |left: &str, right: &str| match (left.parse::<f64>(), right.parse::<f64>()) {
            (Ok(left), Ok(right)) => left.partial_cmp(&right),
            _ if looks_iso(left) && looks_iso(right) => {
                let length = left.len().min(right.len());
                left.get(..length).zip(right.get(..length)).map(|(left, right)| left.cmp(right))
            }
            _ => None,
        };
        let (Some(to_min), Some(to_max)) = (order(text, min), order(text, max)) else { return false };
        let never = match self.literal.operator {
            Comparison::Equal => to_min.is_lt() || to_max.is_gt(),
            Comparison::Greater => to_max.is_ge(),
            Comparison::GreaterOrEqual => to_max.is_gt(),
            Comparison::Less => to_min.is_le(),
            Comparison::LessOrEqual => to_min.is_lt(),
            _ => false,
        };
        // The same values to the length of the shorter one may still differ behind it.
        let dates = matches!(self.column.type_class, TypeClass::Date | TypeClass::Timestamp | TypeClass::Text);
        // Nothing comes before what the smallest begins with.
        let before_all = self.literal.operator == Comparison::Less && to_min.is_eq() && text.len() <= min.len();
        let touching = (to_min.is_eq() && !before_all) || to_max.is_eq();
        if !never || dates && touching {
            return false;
        }
        let whole = self.profile.is_some_and(|profile| profile.method == SampleMethod::AllRows);
        // Tomorrow's rows are newer than the profile.
        let today = jiff::Timestamp::now().strftime("%Y-%m-%d").to_string();
        let is_newer = dates && to_max.is_gt() && text.get(..10).is_some_and(|date| date <= today.as_str());
        let most = if whole && !is_newer { Severity::Warning } else { Severity::Hint };
        self.add(findings, "value_out_of_range", most, |finding| {
            finding.message = format!("{} lies between `{min}` and `{max}`, and `{text}` is outside", self.name());
            finding.why = if whole {
                format!("No row satisfied the condition when the column was profiled{}.", self.as_of())
            } else {
                format!("Among the rows that were sampled{} none satisfies the condition.", self.as_of())
            };
            finding.help = "Check the value and its unit.".to_owned();
        });
        true
    }

    /// LIKE with a beginning that values of this form never have: `SO-2021-%` where all begin with `RO-`.
    fn begins_otherwise(&self, findings: &mut Findings) -> bool {
        let Some(pattern) = self.column_profile.and_then(|profile| profile.pattern.as_ref()) else { return false };
        let is_like = matches!(self.literal.operator, Comparison::Like | Comparison::ILike);
        let text = &self.literal.value.text;
        if !is_like || pattern.share < FIRM_PATTERN || forms::can_begin(&pattern.form, text) != Some(false) {
            return false;
        }
        let examples = self.examples();
        let made = forms::pattern_in_form(&pattern.form, text, &examples);
        self.add(findings, "value_unmatched", Severity::Warning, |finding| {
            let example = examples.first().map(|example| format!(", such as `{example}`")).unwrap_or_default();
            finding.message = format!("{} holds values of another form{example}: none is like `{text}`", self.name());
            finding.why = self.evidence(Knowledge::Some);
            finding.help = match &made {
                Some(made) => format!("Write {}.", self.context.dialect.literal(made)),
                None => format!("Its values look like `{}`.", pattern.form),
            };
            finding.suggestions = made.into_iter().collect();
        });
        true
    }

    /// LIKE with a pattern that no known value has, where all values are known.
    fn matches_nothing(&self, findings: &mut Findings) {
        if self.begins_otherwise(findings) {
            return;
        }
        let (values, knowledge) = self.known_values();
        if knowledge == Knowledge::Some || values.is_empty() || self.literal.operator == Comparison::NotLike {
            return;
        }
        let text = &self.literal.value.text;
        let glob = self.literal.operator == Comparison::Glob;
        let ignores_case = self.literal.operator == Comparison::ILike
            || !glob && self.context.dialect.values().like_ignores_case
            || self.literal.folding != Folding::None;
        let fits = |value: &String| {
            let fold = |text: &str| if ignores_case { text.to_lowercase() } else { text.to_owned() };
            let (any, one) = if glob { ('*', '?') } else { ('%', '_') };
            like(&fold(text), &fold(value), any, one)
        };
        // Character classes and escapes are not followed here.
        if text.contains(['\\', '[']) || values.iter().any(fits) {
            return;
        }
        let bare: String = text.chars().filter(|character| !"%*_?".contains(*character)).collect();
        let suggestions: Vec<String> =
            meant(&bare, values).into_iter().map(|(_, value)| value.to_owned()).take(3).collect();
        self.add(findings, "value_unmatched", Severity::Warning, |finding| {
            finding.message = format!("no value of {} is like `{text}`", self.name());
            finding.why = self.evidence(knowledge);
            let listed: Vec<String> = values.iter().take(8).map(|value| self.context.dialect.literal(value)).collect();
            finding.help = format!("It holds {}.", listed.join(", "));
            finding.suggestions = suggestions;
        });
    }
}

/// How much the known values say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Knowledge {
    /// They are all there are.
    All,
    /// They are all that a sample held.
    AllSeen,
    /// There are others.
    Some,
}

/// `2024-03-05`, with or without a time.
fn looks_iso(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 10
        && bytes[..10].iter().enumerate().all(|(position, byte)| match position {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

/// Whether a value has the form of a pattern, in time proportional to the product of their lengths.
fn like(pattern: &str, value: &str, any: char, one: char) -> bool {
    let value: Vec<char> = value.chars().collect();
    // fits[n]: the pattern so far matches the first n characters.
    let mut fits = vec![false; value.len() + 1];
    fits[0] = true;
    for character in pattern.chars() {
        let mut next = vec![false; value.len() + 1];
        let mut reached = false;
        for position in 0..=value.len() {
            reached |= fits[position];
            next[position] = if character == any {
                reached
            } else {
                position > 0 && fits[position - 1] && (character == one || value[position - 1] == character)
            };
        }
        fits = next;
    }
    fits[value.len()]
}

#[cfg(test)]
mod tests {
    use super::{like, looks_iso};

    #[test]
    fn patterns_match_as_like_does() {
        for (pattern, value, expected) in [
            ("a%", "abc", true),
            ("%b%", "abc", true),
            ("_b_", "abc", true),
            ("b%", "abc", false),
            ("%", "", true),
            ("", "", true),
            ("a", "", false),
            ("%a%a%", "aba", true),
        ] {
            assert_eq!(like(pattern, value, '%', '_'), expected, "{pattern} {value}");
        }
    }

    #[test]
    fn iso_dates_are_known_with_and_without_a_time() {
        assert!(looks_iso("2024-03-05") && looks_iso("2024-03-05 10:00:00"));
        assert!(!looks_iso("2024-3-5") && !looks_iso("05/03/2024"));
    }
}
