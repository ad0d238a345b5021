//! What a table's or a column's name and type don't say, in as few words as it takes.
//!
//! A fact that follows from name and type isn't written, and no fact twice: tokens that tell nothing keep a model from
//! reading the ones that do. People's words come first and whole; generated sentences, which spell names out, don't come
//! at all, since what they rest on is here. Invariant: of a masked column nothing is said but that, what people wrote of it
//! and what it refers to.

use catalog::{
    Column, ColumnProfile, Dialect, Encoding, Entry, Exposure, Fact, FactKind, ForeignKey, KeyOrigin, KnownValues,
    RowCount, SampleMethod, TableProfile, TypeClass, ValueForm,
};

use crate::linked::ValueHit;

/// Values of a column that are shown when all of them are known: in a context, and of a table that was asked for.
const SHOWN_VALUES: usize = 8;
const ALL_VALUES: usize = 40;
/// Values that stand for the others where there are more.
const EXAMPLES: usize = 3;
/// Different values up to which a text column is a list of states or kinds, so that examples help.
const KINDS: u64 = 200;
/// Spellings of one value of the question.
const SPELLINGS: usize = 4;
/// Characters of a value shown, and of a list of all of them: longer ones are prose.
const LONGEST_VALUE: usize = 40;
const LONGEST_LIST: usize = 160;
/// A value that a word of the question may mean less surely than this is left out if they differ in case alone: `Bring`, a
/// carrier, for "bring us".
const SURE: f32 = 0.5;
/// Characters of what somebody wrote: a person, the schema's author, a model.
const LONGEST_OF_PEOPLE: usize = 400;
const LONGEST_OF_AUTHOR: usize = 240;
const LONGEST_COMMENT: usize = 160;
/// A share of NULL from which it is said, and one from which nothing else is there.
const OFTEN_NULL: f64 = 0.02;
const ALWAYS_NULL: f64 = 0.9995;

/// What to know of a table before using it.
pub(super) fn table_hints<'r>(
    entry: &Entry,
    facts: &[&Fact],
    against: impl Iterator<Item = &'r str>,
    dialect: &Dialect,
    telling: Telling,
) -> Vec<String> {
    let mut hints = Vec::new();
    let peoples = entry.peoples_purpose().filter(|text| !text.trim().is_empty());
    hints.extend(peoples.map(|text| cut(text, LONGEST_OF_PEOPLE)));
    let context = entry.peoples_business_context().filter(|text| !text.trim().is_empty());
    hints.extend(context.map(|text| cut(text, LONGEST_OF_PEOPLE)));
    if telling.says_more() {
        hints.extend(entry.table.row_count.map(rows));
        if peoples.is_none() {
            hints.extend(entry.table.comment.as_deref().filter(|text| !text.trim().is_empty()).map(comment));
            hints.extend(entry.authored().map(|description| cut(&description.summary, LONGEST_OF_AUTHOR)));
        }
    }
    hints.extend(against.map(str::to_owned));
    hints.extend(told(facts, None, telling).map(|fact| fact.in_words(dialect)));
    hints
}

/// The facts that are told of a column, or of the table.
fn told<'f>(facts: &'f [&'f Fact], column: Option<&'f str>, telling: Telling) -> impl Iterator<Item = &'f Fact> {
    let matters = move |fact: &&&Fact| match (telling, &fact.kind) {
        (Telling::Least, _) => false,
        (Telling::All, _) => true,
        // What a result is wrong without, and what can't be guessed where values aren't shown.
        (Telling::Warnings, kind) => !matches!(
            kind,
            FactKind::Computed { .. }
                | FactKind::ComputedWhile { .. }
                | FactKind::ComputedBy { .. }
                | FactKind::Gap { .. }
                | FactKind::Paths { .. }
                | FactKind::OddForm { .. }
                | FactKind::Spellings { .. }
                | FactKind::CodesWhereFilled { .. }
                | FactKind::CodedBy { .. }
                | FactKind::Homonym { .. }
        ),
        // Who counts or adds up needs to know the others; these are for who looks closer.
        (Telling::Brief, FactKind::Computed { broken: None, .. } | FactKind::Gap { .. }) => false,
        (Telling::Brief, _) => true,
    };
    facts.iter().filter(matters).copied().filter(move |fact| fact.column() == column)
}

/// Whether what a fact says of a column matters to nobody whose question isn't about that column: how few of its codes are
/// written, which of them were there when, how it was computed, that its numbers are written as texts, what other columns of its
/// name mean, what stands for none where nothing is measured.
pub(super) fn is_aside(entry: &Entry, column: &str, fact: &Fact) -> bool {
    match &fact.kind {
        FactKind::OddForm { .. }
        | FactKind::CodesWhereFilled { .. }
        | FactKind::Homonym { .. }
        | FactKind::WrittenNumbers { .. }
        | FactKind::CodesWhile { .. }
        | FactKind::ComputedBy { .. }
        | FactKind::ComputedWhile { .. }
        | FactKind::ConstantWhile { .. }
        | FactKind::Peak { .. }
        | FactKind::List { .. } => true,
        FactKind::Placeholder { .. } => {
            let refers = |key: &ForeignKey| key.columns.iter().any(|own| own == column);
            let is_key = entry.table.foreign_keys.iter().any(refers);
            let form = entry.profile().and_then(|profile| profile.column(column)?.pattern.as_ref());
            let is_dated = form.is_some_and(|pattern| pattern.form.is_iso_date());
            entry.table.column(column).is_some_and(|column| is_key || column.type_class == TypeClass::Text && !is_dated)
        }
        _ => false,
    }
}

fn rows(count: RowCount) -> String {
    match count.value {
        1 => "1 row".to_owned(),
        many => format!("{} rows", grouped(many)),
    }
}

/// `1234567` as `1,234,567`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// How much is told of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Telling {
    /// What people wrote, and the values that the question names.
    Least,
    /// The same, and what a statement would be wrong without.
    Warnings,
    /// What matters for writing a statement.
    Brief,
    /// All that is known.
    All,
}

impl Telling {
    fn says_more(self) -> bool {
        matches!(self, Self::Brief | Self::All)
    }
}

/// What to know of a column before using it.
pub(super) fn column_hints(
    entry: &Entry,
    column: &Column,
    facts: &[&Fact],
    values: &[&ValueHit],
    dialect: &Dialect,
    telling: Telling,
) -> Vec<String> {
    let mut hints = Vec::new();
    let peoples = entry.peoples_column_description(&column.name).filter(|text| !text.trim().is_empty());
    hints.extend(peoples.map(|text| cut(text, LONGEST_OF_PEOPLE)));
    hints.extend(references(entry, column, dialect));
    match entry.exposure(&column.name) {
        Exposure::Open => {}
        Exposure::Masked(mask) if telling == Telling::All => {
            hints.push(format!("masked: {}", mask.reason));
            return hints;
        }
        Exposure::Masked(_) | Exposure::Unexamined => {
            hints.push("masked".to_owned());
            return hints;
        }
    }
    let is_named = |hit: &&&ValueHit| hit.column == column.name && !is_another_word(hit);
    let named: Vec<&&ValueHit> = values.iter().filter(is_named).collect();
    // A short list of all values holds what the question names.
    let all = || entry.all_values(&column.name).unwrap_or_default();
    let is_listed = |hit: &&&ValueHit| hit.asked.eq_ignore_ascii_case(&hit.stored);
    let listed = telling.says_more()
        && named.iter().all(is_listed)
        && column.type_class == TypeClass::Text
        && (2..=SHOWN_VALUES).contains(&all().len())
        && all().iter().map(|value| value.len() + 4).sum::<usize>() <= LONGEST_LIST;
    let named = if listed { Vec::new() } else { named };
    hints.extend(spellings(&named, dialect));
    // Whoever sees one spelling takes it for the only one.
    if !named.is_empty() {
        let varies = entry.all_values(&column.name).and_then(|all| without_spellings(&all).1);
        hints.extend(varies.map(|varies| varies.in_words(column, dialect)));
    }
    if !telling.says_more() {
        hints.extend(told(facts, Some(&column.name), telling).map(|fact| fact.in_words(dialect)));
        return hints;
    }
    if peoples.is_none() {
        hints.extend(written_of(entry, column));
    }
    let Some(profile) = entry.profile() else { return hints };
    let Some(known) = profile.column(&column.name) else { return hints };
    if known.null_fraction.is_some_and(|share| share >= ALWAYS_NULL) {
        hints.push("always NULL".to_owned());
        return hints;
    }
    let facts: Vec<&Fact> = told(facts, Some(&column.name), telling).collect();
    let says_form = |fact: &&Fact| match &fact.kind {
        FactKind::TextDates { .. }
        | FactKind::CountedTime { .. }
        | FactKind::Paths { .. }
        | FactKind::RefersToSeveral { .. }
        | FactKind::RefersAs { .. } => true,
        // A code that isn't explained is still to be seen.
        FactKind::CodedBy { meanings, .. } => all().len() <= meanings.len(),
        _ => false,
    };
    let is_told = facts.iter().any(says_form);
    let says_it = column.name.to_lowercase().ends_with("cents");
    let encoding = entry.description().and_then(|description| description.column(&column.name)?.encoding);
    let encoding = encoding.filter(|encoding| !(is_told || says_it && *encoding == Encoding::Cents));
    hints.extend(encoding.map(|encoding| encoding.in_words().to_owned()));
    if named.is_empty() && !is_told {
        hints.extend(domain(entry, column, profile, known, dialect, telling));
    }
    let often = known.null_fraction.filter(|share| *share >= OFTEN_NULL);
    hints.extend(often.map(|share| format!("{:.0} % NULL", share * 100.0)));
    hints.extend(facts.iter().map(|fact| fact.in_words(dialect)));
    hints
}

/// Whether an everyday word is rather meant than the value that is spelt like it.
fn is_another_word(hit: &ValueHit) -> bool {
    let is_everyday = hit.asked.chars().all(char::is_lowercase) && hit.asked != hit.stored;
    hit.strength < SURE && is_everyday && hit.asked == hit.stored.to_lowercase()
}

/// `-> customers.id`, so that every key can be followed; of several columns the joins say it.
fn references(entry: &Entry, column: &Column, dialect: &Dialect) -> impl Iterator<Item = String> {
    let is_it = |key: &&ForeignKey| key.columns.len() == 1 && key.columns[0] == column.name;
    entry.table.foreign_keys.iter().filter(is_it).filter_map(|key| {
        let to = dialect.identifier(key.ref_columns.first()?);
        let inferred = if key.origin == KeyOrigin::Declared { "" } else { " (inferred)" };
        Some(format!("-> {}.{to}{inferred}", key.ref_table.written(dialect)))
    })
}

/// `'US' for United States`, and all stored spellings where there are several of one.
fn spellings(named: &[&&ValueHit], dialect: &Dialect) -> Vec<String> {
    let mut asked: Vec<&str> = Vec::new();
    for hit in named {
        if !asked.contains(&hit.asked.as_str()) {
            asked.push(&hit.asked);
        }
    }
    let of = |asked: &str| {
        let stored = named.iter().filter(|hit| hit.asked == asked).take(SPELLINGS);
        let stored: Vec<String> = stored.map(|hit| dialect.literal(&value_of(&hit.stored))).collect();
        let is_same = named.iter().any(|hit| hit.asked == asked && hit.stored == asked);
        let list = stored.join(", ");
        if is_same { format!("holds {list}") } else { format!("holds {list} for {asked}") }
    };
    asked.into_iter().take(EXAMPLES).map(of).collect()
}

/// The schema's own comment, or what a model wrote.
fn written_of(entry: &Entry, column: &Column) -> Option<String> {
    let own = column.comment.as_deref().filter(|text| !text.trim().is_empty());
    own.map(comment).or_else(|| {
        let described = entry.authored()?.column(&column.name).filter(|described| described.is_authored)?;
        Some(comment(&described.description))
    })
}

/// Which values the column holds, as far as its type doesn't say it.
fn domain(
    entry: &Entry,
    column: &Column,
    profile: &TableProfile,
    known: &ColumnProfile,
    dialect: &Dialect,
    telling: Telling,
) -> Option<String> {
    let most = if telling == Telling::All { ALL_VALUES } else { SHOWN_VALUES };
    let literal = |value: &str| dialect.literal(&value_of(value));
    // Numbers of things tell nothing; codes do.
    let is_number = column.type_class != TypeClass::Text;
    let is_key = entry.table.primary_key.contains(&column.name)
        || is_number && entry.table.foreign_keys.iter().any(|key| key.columns.contains(&column.name));
    let is_moment = column.type_class.is_temporal();
    if let Some(all) = entry.all_values(&column.name).filter(|_| !is_key && !is_moment) {
        let has_words = all.iter().any(|value| value.chars().any(char::is_alphabetic));
        let (all, varies) = without_spellings(&all);
        let shown: Vec<String> = all.iter().map(|value| literal(value)).collect();
        let is_prose = telling == Telling::Brief && shown.iter().map(String::len).sum::<usize>() > LONGEST_LIST;
        let (most, examples) = if is_prose { (1, 1) } else { (most, EXAMPLES) };
        let list = match all.as_slice() {
            [only] if profile.method == SampleMethod::AllRows && profile.rows_seen > 1 => {
                Some(format!("always {}", literal(only)))
            }
            [_] if varies.is_some() => Some(shown.join(", ")),
            _ if all.len() <= most && (has_words || column.type_class == TypeClass::Text) => Some(shown.join(", ")),
            _ if all.len() <= most && (telling == Telling::All || all.len() > 2) => Some(all.join(", ")),
            _ if has_words => {
                Some(format!("{} values such as {}", all.len(), shown[..examples.min(shown.len())].join(", ")))
            }
            _ => None,
        };
        return list.map(|list| match varies {
            Some(varies) => format!("{list} {}", varies.in_words(column, dialect)),
            None => list,
        });
    }
    let is_numeric = column.type_class.is_numeric() && telling == Telling::All;
    let is_dated = known.pattern.as_ref().is_some_and(|pattern| pattern.form.is_iso_date());
    if is_moment || is_dated || is_day_number(known) || is_numeric {
        return bounds(profile, known);
    }
    // What takes away what another row has added shows by nothing else.
    if column.type_class.is_numeric() && !is_key {
        return least_of_both_signs(column, known);
    }
    if let Some(form) = form(column, known) {
        return Some(form);
    }
    let few = known.distinct_count.is_some_and(|count| count <= KINDS);
    match &known.values {
        KnownValues::Some(values) if few && !is_key && column.type_class == TypeClass::Text => {
            let shown: Vec<String> = values.iter().take(EXAMPLES).map(|value| literal(value)).collect();
            Some(format!("such as {}", shown.join(", ")))
        }
        _ => None,
    }
}

/// How spellings of one value differ.
#[derive(Clone, Copy)]
struct Spellings {
    by_case: bool,
    by_blanks: bool,
}

impl Spellings {
    fn in_words(self, column: &Column, dialect: &Dialect) -> String {
        let name = dialect.identifier(&column.name);
        match (self.by_case, self.by_blanks) {
            (_, false) => format!("in several cases: compare lower({name})"),
            (false, true) => format!("some with blanks around: compare trim({name})"),
            (true, true) => format!("in several cases, some with blanks around: compare lower(trim({name}))"),
        }
    }
}

fn is_day_number(known: &ColumnProfile) -> bool {
    known.pattern.as_ref().is_some_and(|pattern| pattern.form == ValueForm::CompactDate)
}

/// `down to -1893.8`, where some are above nought and some below, and nothing says that they would be.
fn least_of_both_signs(column: &Column, known: &ColumnProfile) -> Option<String> {
    const OF_BOTH: [&str; 18] = [
        "balance",
        "change",
        "delay",
        "delta",
        "deviation",
        "diff",
        "difference",
        "growth",
        "lat",
        "latitude",
        "lng",
        "lon",
        "longitude",
        "offset",
        "temp",
        "temperature",
        "variance",
        "zone",
    ];
    let number = |text: &Option<String>| text.as_deref()?.parse::<f64>().ok();
    let (least, most) = (number(&known.min)?, number(&known.max)?);
    let says_it = words::in_identifier(&column.name).iter().any(|word| OF_BOTH.contains(&word.as_str()));
    // One below nought alone stands for none.
    (least < -1.0 && most > 0.0 && !says_it).then(|| format!("down to {}", known.min.as_deref().unwrap_or_default()))
}

/// `2019-01-03 to 2026-06-30`; of a sample what was seen.
fn bounds(profile: &TableProfile, known: &ColumnProfile) -> Option<String> {
    let (min, max) = (known.min.as_deref()?, known.max.as_deref()?);
    // What the first rows of a view hold says nothing of its ends, and an empty text is none.
    if profile.method == SampleMethod::FirstRows || min.trim().is_empty() {
        return None;
    }
    let seen = if profile.method == SampleMethod::AllRows { "" } else { "seen " };
    Some(format!("{seen}{} to {}", day(min), day(max)))
}

/// A time's day, which is enough to tell a period; anything else as it is.
fn day(text: &str) -> &str {
    let is_time = |rest: &str| rest.starts_with([' ', 'T']) && rest.len() >= 6 && rest.contains(':');
    match text.split_at_checked(10) {
        Some((day, rest)) if day.as_bytes()[4] == b'-' && is_time(rest) => day,
        _ => text,
    }
}

/// The values, each in its first spelling, and how others differ.
fn without_spellings<'v>(values: &[&'v str]) -> (Vec<&'v str>, Option<Spellings>) {
    let mut kept: Vec<&'v str> = Vec::new();
    let mut varies = Spellings { by_case: false, by_blanks: false };
    let blanks = |text: &str| text.len() - text.trim().len();
    for value in values {
        let same = |known: &&&str| known.trim().to_lowercase() == value.trim().to_lowercase();
        match kept.iter().find(same) {
            Some(known) => {
                varies.by_case |= known.trim() != value.trim();
                varies.by_blanks |= blanks(known) != blanks(value);
            }
            None => kept.push(value),
        }
    }
    let told = varies.by_case || varies.by_blanks;
    (kept, Some(varies).filter(|_| told))
}

/// The form of texts that look like something else, or that share a shape.
fn form(column: &Column, known: &ColumnProfile) -> Option<String> {
    let pattern = known.pattern.as_ref().filter(|_| column.type_class == TypeClass::Text)?;
    match &pattern.form {
        ValueForm::Shape(shape) => Some(format!("like {shape}")),
        ValueForm::Integer | ValueForm::Decimal => Some("numbers as text".to_owned()),
        ValueForm::CompactDate => Some("yyyymmdd".to_owned()),
        _ => None,
    }
}

fn comment(text: &str) -> String {
    cut(text, LONGEST_COMMENT)
}

/// A stored value with the blanks that it has, on one line.
fn value_of(value: &str) -> String {
    shortened(value.replace(['\r', '\n', '\t'], " "), LONGEST_VALUE)
}

/// The text on one line, cut to that many characters.
fn cut(text: &str, most: usize) -> String {
    shortened(text.split_whitespace().collect::<Vec<_>>().join(" "), most)
}

fn shortened(line: String, most: usize) -> String {
    if line.chars().count() <= most {
        return line;
    }
    let mut cut: String = line.chars().take(most - 1).collect();
    cut.push('…');
    cut
}

#[cfg(test)]
mod tests {
    use catalog::{Column, Dialect};

    use super::{value_of, without_spellings};

    #[test]
    fn blanks_around_a_value_are_shown_and_told() {
        let place = Column::new("place", "text");
        for (values, kept, told) in [
            (
                &["GH", "GH ", "ST", "gh"][..],
                2,
                Some("in several cases, some with blanks around: compare lower(trim(place))"),
            ),
            (&["GH", "GH ", "ST"], 2, Some("some with blanks around: compare trim(place)")),
            (&["GH", "gh"], 1, Some("in several cases: compare lower(place)")),
            (&["GH", "ST"], 2, None),
        ] {
            let (found, varies) = without_spellings(values);
            let varies = varies.map(|varies| varies.in_words(&place, &Dialect::Sqlite));
            assert_eq!((found.len(), varies.as_deref()), (kept, told), "{values:?}");
        }
        assert_eq!(value_of(" a\nb "), " a b ");
    }
}
