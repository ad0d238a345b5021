//! The real names that a wrong one probably stands for.
//!
//! People and models get names wrong in three ways: a slip of the fingers (edit distance), another arrangement of the
//! same words (`userName` for `name_of_user`), and a word more or less (`customer_id` for `id`). The score takes the best
//! of the three, so that each way is enough.

use std::collections::HashSet;

/// Below this, a name is not worth suggesting.
const WORTH_NAMING: f64 = 0.45;
/// From this on, and this far ahead of the second, a name is taken to be meant.
const CERTAIN: f64 = 0.8;
const CERTAIN_LEAD: f64 = 0.12;

/// How much alike two names are, 0 to 1.
pub fn likeness(written: &str, real: &str) -> f64 {
    /// No engine takes longer names, and comparing takes the product of the lengths.
    const LONGEST: usize = 256;
    if written.len() > LONGEST || real.len() > LONGEST {
        return 0.0;
    }
    let (written_lower, real_lower) = (written.to_lowercase(), real.to_lowercase());
    if written_lower == real_lower {
        return 1.0;
    }
    let edit = strsim::normalized_damerau_levenshtein(&written_lower, &real_lower);
    let start = strsim::jaro_winkler(&written_lower, &real_lower);
    let (left, right) = (stems(written), stems(real));
    let overlap = word_overlap(&left, &right);
    let joined = left.concat() == right.concat();
    let slip = 0.75 * edit + 0.25 * start;
    let words = if joined { 0.97 } else { 0.9 * overlap + 0.1 * edit };
    slip.max(words)
}

/// Whether two words of five letters or more are one but for a slip of the fingers.
pub(crate) fn is_slip(written: &str, real: &str) -> bool {
    /// One letter of five, two of eight.
    const SLIP: f64 = 0.75;
    let (left, right) = (written.chars().count(), real.chars().count());
    // Most names are told apart by their lengths already.
    left.min(right) >= 5
        && left.abs_diff(right) <= 2
        && strsim::normalized_damerau_levenshtein(&written.to_lowercase(), &real.to_lowercase()) >= SLIP
}

/// The names most like `written`, best first, without those that aren't like it at all.
pub fn nearest_names<'n>(written: &str, names: impl IntoIterator<Item = &'n str>, most: usize) -> Vec<String> {
    ranked(written, names.into_iter().map(|name| (name.to_owned(), 0.0)), most)
        .into_iter()
        .map(|(name, _)| name)
        .collect()
}

/// Names with a bonus for what else speaks for them, best first, with their scores.
pub fn ranked(written: &str, names: impl IntoIterator<Item = (String, f64)>, most: usize) -> Vec<(String, f64)> {
    let mut seen = HashSet::new();
    let mut scored: Vec<(String, f64)> = names
        .into_iter()
        .map(|(name, bonus)| {
            let last = name.rsplit('.').next().unwrap_or(&name);
            let score = likeness(written, last) + bonus;
            (name, score)
        })
        .filter(|(_, score)| *score >= WORTH_NAMING)
        .collect();
    scored.sort_by(|left, right| right.1.total_cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
    scored.retain(|(name, _)| seen.insert(name.clone()));
    scored.truncate(most);
    scored
}

/// The first of ranked names, if there can hardly be a doubt about it.
pub fn certain(ranked: &[(String, f64)]) -> Option<&str> {
    match ranked {
        [(name, score)] if *score >= CERTAIN => Some(name),
        [(name, score), (_, second), ..] if *score >= CERTAIN && score - second >= CERTAIN_LEAD => Some(name),
        _ => None,
    }
}

/// Words without the endings of plurals, so that `orders` and `order` are one.
fn stems(name: &str) -> Vec<String> {
    words::in_identifier(name).into_iter().map(|word| words::singular(&word)).collect()
}

/// Words that both have, against words that either has; a word that begins another counts half.
fn word_overlap(left: &[String], right: &[String]) -> f64 {
    if left.is_empty() || right.is_empty() {
        return 0.0;
    }
    let (few, many) = if left.len() <= right.len() { (left, right) } else { (right, left) };
    let mut shared = 0.0;
    for word in few {
        let best = many
            .iter()
            .map(|other| {
                if other == word {
                    1.0
                } else if word.len() > 2 && other.len() > 2 && (other.starts_with(word) || word.starts_with(other)) {
                    0.6
                } else if word.len() > 3 && strsim::damerau_levenshtein(word, other) == 1 {
                    0.8
                } else {
                    0.0
                }
            })
            .fold(0.0, f64::max);
        shared += best;
    }
    2.0 * shared / (left.len() + right.len()) as f64
}

#[cfg(test)]
mod tests {
    use super::{certain, nearest_names, ranked};

    fn check(written: &str, names: &[&str], expected: &str) {
        let found = nearest_names(written, names.iter().copied(), 3);
        assert_eq!(found.first().map(String::as_str), Some(expected), "{written}: {found:?}");
    }

    #[test]
    fn slips_rearrangements_and_extra_words_lead_to_the_real_name() {
        let columns =
            ["customer_id", "first_name", "last_name", "created_at", "total_amount", "status", "country_code"];
        check("custmer_id", &columns, "customer_id");
        check("customerID", &columns, "customer_id");
        check("name_first", &columns, "first_name");
        check("creation_at", &columns, "created_at");
        check("amount", &columns, "total_amount");
        check("country", &columns, "country_code");
        check("statuses", &columns, "status");
        assert!(nearest_names("zzz", columns, 3).is_empty());
    }

    #[test]
    fn only_a_clear_winner_is_certain() {
        let names = |list: &[&str]| list.iter().map(|name| ((*name).to_owned(), 0.0)).collect::<Vec<_>>();
        assert_eq!(certain(&ranked("custmer_id", names(&["customer_id", "status"]), 3)), Some("customer_id"));
        assert_eq!(certain(&ranked("name_3", names(&["name_1", "name_2"]), 3)), None);
    }
}
