//! Text search as PostgreSQL does it: a query's words are looked up in a document's, which are sorted.

use super::bound::{Bound, Search, product};
use super::call::any_of;

/// Places that a document keeps of its words, and of one word: <https://www.postgresql.org/docs/current/textsearch-limitations.html>.
const PLACES: f64 = 16_384.0;
const OF_ONE_WORD: f64 = 256.0;
/// Bytes of a word with what separates it from others, at least.
const WORD: f64 = 2.0;

/// What the query that a function makes looks for; `None` where it makes none.
pub(super) fn query_of(function: &str, arguments: &[Bound]) -> Option<Search> {
    let text = arguments.last().and_then(|argument| argument.text.as_deref());
    let is_made_of = |signs: &str| {
        text.is_some_and(|text| text.chars().all(|it| it.is_alphanumeric() || it.is_whitespace() || signs.contains(it)))
    };
    match function {
        "plainto_tsquery" => Some(Search::Words),
        "websearch_to_tsquery" if is_made_of("") => Some(Search::Words),
        "phraseto_tsquery" | "websearch_to_tsquery" => Some(Search::Phrase),
        // Words with signs in them become phrases.
        "to_tsquery" if is_made_of("&|!():*") => Some(Search::Words),
        "to_tsquery" => Some(Search::Any),
        _ => None,
    }
}

/// Bytes that `ts_headline` holds of its longest argument, the document: for a phrase, each place of a word with each of the
/// next word's. Measured: 4.7 GB for alternatives of beginnings in 100 kB, 0.9 GB in 20 kB, 0.1 GB for four words in 100 kB.
pub(super) fn held(arguments: &[Bound]) -> f64 {
    let Some(document) = arguments.iter().max_by(|one, two| one.bytes.total_cmp(&two.bytes)) else { return 0.0 };
    match arguments.iter().find_map(|argument| argument.search) {
        Some(Search::Words) => 0.0,
        Some(Search::Phrase) => 0.02 * product(document.longest(), document.longest()),
        Some(Search::Any) | None => 2.0 * product(document.longest(), document.bytes),
    }
}

/// Steps that looking up such a query takes.
pub(super) fn look_up(query: &Bound) -> f64 {
    product(OF_ONE_WORD, query.bytes)
}

/// Steps that `ts_rank` and the like take over a stored document, the longest of what they are given: each place of one word
/// with each of another's; few documents are made of two words alone. `None` where somebody made it up.
pub(super) fn ranking(arguments: &[Bound]) -> Option<f64> {
    let document = arguments.iter().max_by(|one, two| one.bytes.total_cmp(&two.bytes))?;
    document.is_mostly_stored().then_some(PLACES * PLACES / 16.0)
}

/// What `ts_headline` makes: a text with marks around words, which its last argument can change.
pub(super) fn headline(arguments: &[Bound]) -> Bound {
    /// `<b>` and `</b>`.
    const MARKS: f64 = 7.0;
    /// Words that are shown where the options name no number.
    const SHOWN: f64 = 35.0;
    let longest = arguments.iter().map(|argument| argument.bytes).fold(0.0, f64::max);
    let words = longest / WORD;
    /// Bytes of the longest name, of a configuration among them.
    const NAME: usize = 63;
    let has_configuration =
        |first: &Bound| first.text.as_deref().is_some_and(|text| text.len() <= NAME && !text.contains(' '));
    let made = match arguments {
        [_, _] => product(words.min(SHOWN), MARKS),
        [first, _, _] if has_configuration(first) => product(words.min(SHOWN), MARKS),
        [.., options] => {
            let text = options.text.as_deref().map(str::to_ascii_lowercase);
            let shown = text.filter(|text| !text.contains("highlightall")).map_or(words, |text| {
                let numbers =
                    text.split(|letter: char| !letter.is_ascii_digit()).filter_map(|it| it.parse::<f64>().ok());
                numbers.fold(SHOWN, |shown, number| shown * number.max(1.0))
            });
            product(words.min(shown), options.bytes)
        }
        [] => 0.0,
    };
    any_of(arguments).resized(longest + made)
}
