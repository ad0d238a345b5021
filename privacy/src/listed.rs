//! What values say in words that lists know: illnesses, medicines, religions, unions, parties; and cities and jobs, which
//! say nothing of anybody.
//!
//! The lists hold beginnings of words, because languages differ in their ends: `diabet` is one in all of them. Invariant:
//! single values are never judged, but shares of a column's different values.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use crate::finding::PersonalKind;
use crate::folding::fold;

const LISTS: &str = include_str!("../vocabulary/values.txt");
/// Letters by which beginnings are looked up; none is shorter.
const INITIALS: usize = 2;

/// What a list is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Topic {
    Diagnosis,
    Medicine,
    Allergen,
    Religion,
    Ethnic,
    Union,
    Party,
    Orientation,
    Crime,
    /// Cities and countries.
    Place,
    /// What people work as, and where.
    Work,
}

/// What says something of somebody whom it stands beside.
const TELLING: [(Topic, PersonalKind, &str); 9] = [
    (Topic::Diagnosis, PersonalKind::Health, "illnesses"),
    (Topic::Medicine, PersonalKind::Health, "medicines"),
    (Topic::Allergen, PersonalKind::Health, "allergies"),
    (Topic::Religion, PersonalKind::Belief, "religions"),
    (Topic::Ethnic, PersonalKind::Belief, "ethnic origins"),
    (Topic::Union, PersonalKind::Belief, "trade unions"),
    (Topic::Party, PersonalKind::Belief, "political parties"),
    (Topic::Orientation, PersonalKind::Belief, "sexual orientations"),
    (Topic::Crime, PersonalKind::Belief, "offences"),
];

#[derive(Debug, Default)]
struct Listed {
    /// By their first letters.
    beginnings: HashMap<&'static str, Vec<&'static str>>,
    endings: Vec<&'static str>,
    wholes: HashSet<&'static str>,
}

impl Listed {
    /// Whether a value in the form of [`spaced`] has one of them.
    fn has(&self, spaced: &str) -> bool {
        if self.wholes.contains(whole(spaced)) {
            return true;
        }
        let starts = spaced.match_indices('_').map(|(at, _)| &spaced[at + 1..]).filter(|rest| !rest.is_empty());
        starts.into_iter().any(|rest| {
            let found = rest.get(..INITIALS).and_then(|initials| self.beginnings.get(initials));
            let word = rest.split('_').next().unwrap_or_default();
            found.is_some_and(|known| known.iter().any(|beginning| rest.starts_with(beginning)))
                || self.endings.iter().any(|ending| word.len() > ending.len() + 2 && word.ends_with(ending))
        })
    }
}

impl Listed {
    /// Whether a word begins with one of at least so many letters.
    fn begins(&self, word: &str, least: usize) -> bool {
        let found = word.get(..INITIALS).and_then(|initials| self.beginnings.get(initials));
        let has = |beginning: &&&str| beginning.trim_end_matches('_').len() >= least && !beginning.contains('_');
        found.is_some_and(|known| known.iter().filter(has).any(|beginning| word.starts_with(beginning)))
    }
}

fn lists() -> &'static HashMap<Topic, Listed> {
    static LISTED: OnceLock<HashMap<Topic, Listed>> = OnceLock::new();
    LISTED.get_or_init(|| {
        let mut found: HashMap<Topic, Listed> = HashMap::new();
        let mut topic = Topic::Place;
        for line in LISTS.lines().filter(|line| !line.starts_with('#')) {
            if let Some(heading) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                topic = topic_of(heading);
                continue;
            }
            let listed = found.entry(topic).or_default();
            for word in line.split_whitespace() {
                if let Some(whole) = word.strip_prefix('=') {
                    listed.wholes.insert(whole);
                } else if let Some(ending) = word.strip_prefix('-') {
                    listed.endings.push(ending);
                } else {
                    listed.beginnings.entry(&word[..INITIALS]).or_default().push(word);
                }
            }
        }
        found
    })
}

fn topic_of(heading: &str) -> Topic {
    match heading {
        "diagnosis" => Topic::Diagnosis,
        "medicine" => Topic::Medicine,
        "allergen" => Topic::Allergen,
        "religion" => Topic::Religion,
        "ethnic" => Topic::Ethnic,
        "union" => Topic::Union,
        "party" => Topic::Party,
        "orientation" => Topic::Orientation,
        "crime" => Topic::Crime,
        "work" => Topic::Work,
        _ => Topic::Place,
    }
}

/// The words of a value between underlines: `_ig_metall_`.
fn spaced(value: &str) -> String {
    let mut spaced = String::from("_");
    for character in fold(value).chars() {
        let kept = character.is_alphanumeric() || matches!(character, '.' | '+');
        match kept {
            true => spaced.push(character),
            false if !spaced.ends_with('_') => spaced.push('_'),
            false => {}
        }
    }
    if !spaced.ends_with('_') {
        spaced.push('_');
    }
    spaced
}

/// What stands between the outer underlines.
fn whole(spaced: &str) -> &str {
    spaced.trim_matches('_')
}

/// Values of which so many are looked at.
const LOOKED_AT: usize = 200;
/// Longer ones are texts about something.
const LONGEST: usize = 80;

/// What most of a column's different values are of, in words: `illnesses`.
pub(crate) fn topic(values: &[&str]) -> Option<(PersonalKind, &'static str)> {
    let spaced: Vec<String> =
        values.iter().take(LOOKED_AT).filter(|value| value.len() <= LONGEST).map(|value| spaced(value)).collect();
    let spaced: Vec<&String> = spaced.iter().filter(|value| value.len() > 2 && !is_of_nothing(value)).collect();
    if spaced.len() < 2 || spaced.len() * 2 < values.len().min(LOOKED_AT) {
        return None;
    }
    let lists = lists();
    // The two churches that German payrolls have.
    let has_both = ["rk", "ev"].iter().all(|church| spaced.iter().any(|value| whole(value) == *church));
    let counted = TELLING.iter().filter_map(|(topic, kind, words)| {
        let listed = lists.get(topic)?;
        let known = spaced.iter().filter(|value| listed.has(value)).count();
        // What people are ill with has more names than any list.
        let share = match kind {
            PersonalKind::Health => 0.4,
            _ => 0.6,
        };
        let least = if *topic == Topic::Allergen || *topic == Topic::Diagnosis { 3 } else { 2 };
        // Colours, countries and languages are written like some of them: one at least has to be nothing else.
        let is_telling = |value: &&&String| {
            listed.has(value) && (!listed.wholes.contains(whole(value)) || *topic == Topic::Religion && has_both)
        };
        let telling = spaced.iter().any(|value| is_telling(&value));
        let enough = known >= least && known as f64 >= share * spaced.len() as f64;
        (enough && telling).then_some((known, (*kind, *words)))
    });
    counted.max_by_key(|(known, _)| *known).map(|(_, found)| found)
}

/// The word of a name that says what somebody is ill with, takes or did: `diabetes`, `asthma_since`.
pub(crate) fn word_of_nature(words: &[String]) -> Option<(&str, PersonalKind)> {
    /// Shorter beginnings are those of other words as well.
    const LEAST: usize = 5;
    let topics = [Topic::Diagnosis, Topic::Medicine, Topic::Crime];
    words.iter().filter(|word| word.len() >= LEAST).find_map(|word| {
        let known = |topic: &Topic| lists().get(topic).is_some_and(|listed| listed.begins(word, LEAST));
        let topic = topics.iter().find(|topic| known(topic))?;
        let kind = if *topic == Topic::Crime { PersonalKind::Belief } else { PersonalKind::Health };
        Some((word.as_str(), kind))
    })
}

/// Whether a text speaks of somebody's illness, medicine or offence.
pub(crate) fn speaks_of_nature(text: &str) -> bool {
    let spaced = spaced(text);
    let topics = [Topic::Diagnosis, Topic::Medicine, Topic::Crime, Topic::Orientation];
    spaced.len() > 2 && topics.iter().filter_map(|topic| lists().get(topic)).any(|listed| listed.has(&spaced))
}

/// How large a share of the values names cities, countries or jobs.
pub(crate) fn share_of_common(values: &[&str]) -> f64 {
    let looked_at = values.len().min(LOOKED_AT);
    let (places, work) = (lists().get(&Topic::Place), lists().get(&Topic::Work));
    let is_common = |value: &&&str| {
        let spaced = spaced(value);
        spaced.len() > 2 && [places, work].into_iter().flatten().any(|listed| listed.has(&spaced))
    };
    values.iter().take(LOOKED_AT).filter(is_common).count() as f64 / looked_at.max(1) as f64
}

/// Whether a value only says that there is none.
fn is_of_nothing(spaced: &str) -> bool {
    matches!(
        spaced.trim_matches('_'),
        "" | "none"
            | "no"
            | "n"
            | "na"
            | "null"
            | "unknown"
            | "other"
            | "keine"
            | "kein"
            | "nein"
            | "sonstige"
            | "aucun"
            | "aucune"
            | "autre"
            | "ninguno"
            | "ninguna"
            | "otro"
            | "otra"
            | "nenhum"
            | "nenhuma"
            | "outro"
            | "outra"
            | "nessuno"
            | "nessuna"
            | "altro"
            | "geen"
            | "overig"
            | "brak"
            | "inne"
            | "zadne"
            | "zadna"
            | "nincs"
            | "egyeb"
            | "fara"
            | "niciuna"
            | "nema"
            | "ingen"
            | "inga"
            | "annat"
            | "andet"
            | "ei"
            | "muu"
            | "yok"
            | "diger"
            | "net"
            | "independent"
            | "partei"
            | "prefer_not_to_say"
            | "not_stated"
    )
}

/// Whether the values are blood groups and nothing else: `A+`, `0 Rh-`, `AB positive`.
pub(crate) fn are_blood_groups(values: &[&str]) -> bool {
    let groups: HashSet<&str> = values.iter().filter_map(|value| blood_group(value)).collect();
    let signed =
        values.iter().filter(|value| value.chars().any(|sign| "+-−–".contains(sign)) || value.len() > 3).count();
    let all = values.iter().all(|value| blood_group(value).is_some());
    all && groups.len() >= 2 && (signed * 2 > values.len() || groups.contains("ab") && values.len() >= 3)
}

fn blood_group(value: &str) -> Option<&'static str> {
    let folded = fold(value);
    let plain: String = folded.chars().filter(|character| !matches!(character, ' ' | '(' | ')' | '_' | '.')).collect();
    let groups = [("ab", "ab"), ("a", "a"), ("b", "b"), ("0", "0"), ("o", "0")];
    groups.iter().find_map(|(start, group)| {
        let rest = plain.strip_prefix(start)?.trim_start_matches("rh").trim_start_matches('d');
        let known = ["", "+", "-", "−", "–", "pos", "neg", "positiv", "negativ", "positive", "negative", "positivo"];
        let more = [
            "negativo", "pozitiv", "negatif", "pozitif", "positif", "positief", "negatief", "dodatni", "ujemny",
            "plus", "minus", "+ve", "-ve",
        ];
        known.iter().chain(&more).any(|end| rest == *end).then_some(*group)
    })
}

#[cfg(test)]
mod tests {
    use super::{LISTS, Topic, are_blood_groups, share_of_common, topic, topic_of};

    #[test]
    fn every_heading_of_the_lists_is_understood() {
        for heading in LISTS.lines().filter_map(|line| line.strip_prefix('[').and_then(|line| line.strip_suffix(']'))) {
            assert!(heading == "place" || topic_of(heading) != Topic::Place, "{heading}");
        }
    }

    #[test]
    fn what_values_are_of_is_told_in_many_languages() {
        for (values, expected) in [
            (&["Diabetes mellitus Typ 2", "Bluthochdruck", "Migräne", "Knieschmerzen"][..], Some("illnesses")),
            (&["nadciśnienie tętnicze", "cukrzyca typu 2", "astma oskrzelowa", "ból pleców"], Some("illnesses")),
            (&["hipertensión", "asma", "fractura de muñeca"], Some("illnesses")),
            (&["cukrovka", "astma", "zánět průdušek", "angína"], Some("illnesses")),
            (&["Metformin 500 mg", "Ramipril 5mg", "keine"], Some("medicines")),
            (&["rk", "ev", "keine"], Some("religions")),
            (&["katolicka", "prawosławna", "brak"], Some("religions")),
            (&["Ver.di", "IG Metall", "GEW"], Some("trade unions")),
            (&["CGT", "CFDT", "FO", "aucun"], Some("trade unions")),
            (&["White", "Black", "Hispanic", "Asian"], Some("ethnic origins")),
            (&["PSOE", "PP", "VOX"], Some("political parties")),
            (&["White", "Black", "Red"], None),
            (&["open", "closed", "pending"], None),
            (&["Kardiologie", "Chirurgie", "Verwaltung"], None),
            (&["Blue Shirt", "Red Shoes", "Garden Chair"], None),
        ] {
            assert_eq!(topic(values).map(|(_, words)| words), expected, "{values:?}");
        }
        assert!(share_of_common(&["Wien", "Lyon", "Praha", "Klein Kleckersdorf"]) > 0.7);
        assert!(share_of_common(&["sunny87", "der_rabe", "mimi"]) < 0.1);
    }

    #[test]
    fn blood_groups_are_told_from_grades() {
        for (values, expected) in [
            (&["A+", "0-", "AB+"][..], true),
            (&["A Rh+", "B Rh-", "0 Rh+"], true),
            (&["A positivo", "O negativo"], true),
            (&["A", "B", "AB", "0"], true),
            (&["A", "B", "C"], false),
            (&["A", "B"], false),
            (&["A+", "A-", "B+", "C-"], false),
        ] {
            assert_eq!(are_blood_groups(values), expected, "{values:?}");
        }
    }
}
