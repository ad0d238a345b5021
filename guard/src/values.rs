//! What a value that a column doesn't hold probably stands for among those it does hold.
//!
//! People write "USA" or "Yes" where a column holds `US` or `1`. The groups of words that mean the same are general
//! knowledge, kept as text beside this file; nothing here knows a particular database. Words are matched without regard
//! to case, blanks and punctuation.

use std::collections::HashMap;
use std::sync::OnceLock;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use catalog::nearest::likeness;

/// Groups of words for one thing, but for places, `|` between them.
const WORDS: &str = include_str!("values/words.txt");
/// From this likeness on, a value is a misspelling worth suggesting.
const LIKE: f64 = 0.72;

/// How a stored value relates to the one that was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Relation {
    /// Spelt alike, but for case, blanks and punctuation: `Paid` for `paid`.
    Spelling,
    /// A word for the same thing: `US` for `USA`.
    Synonym,
    /// The first letters of its words, or the other way round: `NY` for `New York`.
    Initials,
    /// One contains the other: `Germany` in `Germany (West)`.
    Part,
    /// A slip away: `canceled` for `cancled`.
    Near,
}

/// The stored values that `written` may stand for, best first, each with how.
pub(crate) fn meant<'v>(written: &str, stored: &'v [String]) -> Vec<(Relation, &'v str)> {
    let mut found: Vec<(Relation, f64, &str)> = stored
        .iter()
        .filter_map(|value| {
            let relation = relation(written, value)?;
            Some((relation, likeness(written, value), value.as_str()))
        })
        .collect();
    found.sort_by(|left, right| left.0.cmp(&right.0).then(right.1.total_cmp(&left.1)).then(left.2.cmp(right.2)));
    found.into_iter().map(|(relation, _, value)| (relation, value)).collect()
}

fn relation(written: &str, stored: &str) -> Option<Relation> {
    let (left, right) = (plain(written), plain(stored));
    if left.is_empty() || right.is_empty() {
        return None;
    }
    if left == right {
        return Some(Relation::Spelling);
    }
    if same_group(&left, &right) {
        return Some(Relation::Synonym);
    }
    if initials(written).as_deref() == Some(&right) || initials(stored).as_deref() == Some(&left) {
        return Some(Relation::Initials);
    }
    let words = |text: &str| words::in_text(text);
    let (left_words, right_words) = (words(written), words(stored));
    if is_negation(&left, &right) || says_no(&left_words) != says_no(&right_words) {
        return None;
    }
    let contains = |outer: &[String], inner: &[String]| {
        !inner.is_empty()
            && inner.iter().any(|it| it.len() > 2)
            && outer.windows(inner.len()).any(|window| window == inner)
    };
    if contains(&left_words, &right_words) || contains(&right_words, &left_words) {
        return Some(Relation::Part);
    }
    let numbers = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    (left.len() > 2 && numbers(written) == numbers(stored) && likeness(written, stored) >= LIKE)
        .then_some(Relation::Near)
}

/// Whether one of two words is the other's opposite: `unpaid` and `paid`, `inactive` and `active`.
fn is_negation(left: &str, right: &str) -> bool {
    let (long, short) = if left.len() > right.len() { (left, right) } else { (right, left) };
    NEGATING.iter().any(|prefix| long.strip_prefix(prefix) == Some(short))
}

fn says_no(words: &[String]) -> bool {
    words.iter().any(|word| NO.contains(&word.as_str()))
}

/// What makes a word its opposite, in languages of Europe.
const NEGATING: [&str; 15] =
    ["un", "in", "im", "ir", "il", "non", "dis", "de", "des", "no", "not", "nicht", "nie", "o", "ej"];
const NO: [&str; 12] = ["no", "not", "non", "never", "without", "nicht", "kein", "keine", "ohne", "sans", "sin", "nie"];

/// Whether two texts are one, but for case, accents, blanks around them, what separates their words, and the second l of
/// British English: `cancelled`, `canceled`.
pub(crate) fn same_spelling(left: &str, right: &str) -> bool {
    let (left, right) = (folded(left), folded(right));
    let is_long = left.len().min(right.len()) >= LONG_WORD;
    left.contains(char::is_alphabetic)
        && (left == right
            || is_long && left.len() != right.len() && left.replace("ll", "l") == right.replace("ll", "l"))
}

/// Letters from which on one l more or less makes no other word, as it does of `filed`.
const LONG_WORD: usize = 7;

/// Letters and digits without case and accents, with one blank between words; other signs as they are.
fn folded(text: &str) -> String {
    let plain = without_accents(text.trim().trim_end_matches('.'));
    let characters: Vec<char> = plain.chars().collect();
    let is_word = |position: usize| characters.get(position).is_some_and(|it| it.is_alphanumeric());
    let separates = |character: char| character.is_whitespace() || matches!(character, '_' | '-');
    let mut folded = String::with_capacity(plain.len());
    for (position, &character) in characters.iter().enumerate() {
        if !separates(character) {
            folded.push(character);
            continue;
        }
        // A sign at the end, or two in a row, may say something: `A-`.
        let between = character.is_whitespace() || position > 0 && is_word(position - 1) && is_word(position + 1);
        match between {
            true if folded.ends_with(' ') => {}
            true => folded.push(' '),
            false => folded.push(character),
        }
    }
    folded
}

/// In lower case, without accents.
pub(crate) fn without_accents(text: &str) -> String {
    text.nfd().filter(|character| !is_combining_mark(*character)).flat_map(char::to_lowercase).collect()
}

/// Whether two texts name one country or state, by the list of their codes and names.
pub(crate) fn same_place(left: &str, right: &str) -> bool {
    let (left, right) = (plain(left), plain(right));
    let groups = groups();
    let (Some(left), Some(right)) = (groups.get(left.as_str()), groups.get(right.as_str())) else { return false };
    left.iter().any(|group| group.is_place && right.contains(group))
}

/// Letters and digits in lower case.
pub(crate) fn plain(text: &str) -> String {
    text.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The other words of every group that `text` is in, as they are written in the lists.
pub(crate) fn synonyms(text: &str) -> Vec<&'static str> {
    let plain = plain(text);
    let mut found = Vec::new();
    for group in groups().get(plain.as_str()).into_iter().flatten() {
        found.extend(group.members.iter().filter(|member| self::plain(member) != plain));
    }
    found
}

fn same_group(left: &str, right: &str) -> bool {
    let groups = groups();
    match (groups.get(left), groups.get(right)) {
        (Some(left), Some(right)) => left.iter().any(|group| right.contains(group)),
        _ => false,
    }
}

/// Words for one thing, as they are written.
#[derive(Clone, Debug, PartialEq)]
struct Group {
    members: Vec<&'static str>,
    /// It is a country or a state.
    is_place: bool,
}

/// From a word, in plain form, to the groups it is in.
fn groups() -> &'static HashMap<String, Vec<Group>> {
    static BY_WORD: OnceLock<HashMap<String, Vec<Group>>> = OnceLock::new();
    BY_WORD.get_or_init(|| {
        let places = words::places().iter().map(|place| Group { members: place.written.clone(), is_place: true });
        let words = WORDS.lines().filter(|line| !line.starts_with('#'));
        let words = words.map(|line| Group { members: line.split('|').collect(), is_place: false });
        let mut by_word: HashMap<String, Vec<Group>> = HashMap::new();
        for group in places.chain(words) {
            for member in &group.members {
                let key = match plain(member) {
                    symbol if symbol.is_empty() => (*member).to_owned(),
                    word => word,
                };
                let groups = by_word.entry(key).or_default();
                if !groups.contains(&group) {
                    groups.push(group.clone());
                }
            }
        }
        by_word
    })
}

/// The first letters of several words, in lower case: `United States` → `us`.
fn initials(text: &str) -> Option<String> {
    let small = ["of", "the", "and", "de", "la", "for", "in"];
    let words: Vec<&str> = text
        .split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty() && !small.contains(&word.to_lowercase().as_str()))
        .collect();
    if words.len() < 2 {
        return None;
    }
    Some(words.iter().filter_map(|word| word.chars().next()).flat_map(char::to_lowercase).collect())
}

/// A date written in another way, in the ISO form: `03/15/2024`, `15.03.2024`, `15-Mar-2024`, `March 15, 2024`,
/// `20240315`. Several where day and month can't be told apart.
pub(crate) fn iso_dates(written: &str) -> Vec<String> {
    let parts: Vec<&str> =
        written.split(|character: char| !character.is_alphanumeric()).filter(|part| !part.is_empty()).collect();
    let month_of = |word: &str| {
        let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
        let word = word.to_lowercase();
        months.iter().position(|month| word.len() > 2 && word.starts_with(month)).map(|position| position as u32 + 1)
    };
    let number = |part: &str| part.parse::<u32>().ok();
    let date = |year: u32, month: u32, day: u32| {
        let fits = (1000..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
        fits.then(|| format!("{year:04}-{month:02}-{day:02}"))
    };
    let mut found: Vec<String> = Vec::new();
    match parts.as_slice() {
        [whole] if whole.len() == 8 && whole.bytes().all(|byte| byte.is_ascii_digit()) => {
            if let (Some(year), Some(month), Some(day)) =
                (number(&whole[..4]), number(&whole[4..6]), number(&whole[6..]))
            {
                found.extend(date(year, month, day));
            }
        }
        [first, second, third] => match (number(first), number(second), number(third)) {
            (Some(year), Some(month), Some(day)) if year > 999 => found.extend(date(year, month, day)),
            (Some(one), Some(two), Some(year)) => {
                found.extend(date(year, one, two));
                found.extend(date(year, two, one));
            }
            (Some(day), None, Some(year)) => found.extend(month_of(second).and_then(|month| date(year, month, day))),
            (None, Some(day), Some(year)) => found.extend(month_of(first).and_then(|month| date(year, month, day))),
            _ => {}
        },
        _ => {}
    }
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::{Relation, iso_dates, meant, same_place, same_spelling, synonyms};

    fn check(written: &str, stored: &[&str], expected: Option<(Relation, &str)>) {
        let stored: Vec<String> = stored.iter().map(|&value| value.to_owned()).collect();
        assert_eq!(meant(written, &stored).first().copied(), expected, "{written}");
    }

    #[test]
    fn other_ways_of_writing_a_value_lead_to_the_stored_one() {
        check("PAID", &["paid", "open"], Some((Relation::Spelling, "paid")));
        check("in-progress", &["in_progress", "done"], Some((Relation::Spelling, "in_progress")));
        check("USA", &["DE", "US", "FR"], Some((Relation::Synonym, "US")));
        check("Germany", &["DE", "US", "FR"], Some((Relation::Synonym, "DE")));
        check("UK", &["GB", "US"], Some((Relation::Synonym, "GB")));
        check("california", &["CA", "NY"], Some((Relation::Synonym, "CA")));
        check("yes", &["0", "1"], Some((Relation::Synonym, "1")));
        check("EMEA", &["Europe Middle East Africa", "Asia"], Some((Relation::Initials, "Europe Middle East Africa")));
        check("Enterprise", &["Enterprise Plan", "Basic"], Some((Relation::Part, "Enterprise Plan")));
        check("cancled", &["cancelled", "paid"], Some((Relation::Near, "cancelled")));
        check("v1", &["v2"], None);
        check("unpaid", &["paid", "open"], None);
        check("active", &["inactive"], None);
        check("nicht bezahlt", &["bezahlt"], None);
        check("no show", &["no-show", "show"], Some((Relation::Spelling, "no-show")));
        check("blue", &["red", "green"], None);
        check("", &["red"], None);
    }

    #[test]
    fn spellings_of_one_value_are_told_from_other_values() {
        for (left, right, expected) in [
            ("shipped", "SHIPPED ", true),
            ("in progress", "In-Progress", true),
            ("Zürich", "zurich", true),
            ("Acme Inc.", "acme inc", true),
            ("A-", "A", false),
            ("A+", "A-", false),
            ("C", "C++", false),
            ("10-20", "10 20", false),
            ("paid", "unpaid", false),
            ("Cancelled", "canceled", true),
            ("filled", "filed", false),
            ("called off", "callled of", false),
        ] {
            assert_eq!(same_spelling(left, right), expected, "{left} {right}");
        }
        assert!(same_place("US", "United States") && same_place("DEU", "germany"));
        assert!(!same_place("shipped", "sent") && !same_place("US", "GB"));
    }

    #[test]
    fn synonyms_are_those_of_all_groups() {
        assert!(synonyms("usa").contains(&"US"));
        assert!(synonyms("Georgia").contains(&"GE") && synonyms("Georgia").contains(&"GA"));
        assert!(synonyms("wombat").is_empty());
    }

    #[test]
    fn dates_are_brought_to_the_iso_form() {
        for (written, expected) in [
            ("2024/03/05", vec!["2024-03-05"]),
            ("20240305", vec!["2024-03-05"]),
            ("15.03.2024", vec!["2024-03-15"]),
            ("03/04/2024", vec!["2024-03-04", "2024-04-03"]),
            ("March 5, 2024", vec!["2024-03-05"]),
            ("5 Mar 2024", vec!["2024-03-05"]),
            ("next week", vec![]),
            ("2024-13-45", vec![]),
        ] {
            assert_eq!(iso_dates(written), expected, "{written}");
        }
    }
}
