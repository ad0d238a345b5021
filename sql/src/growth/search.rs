//! Text search as PostgreSQL does it: a query's words are looked up in a document's, which are sorted.

use sqlparser::ast::Expr;

use super::bound::{Bound, product};
use super::call::any_of;
use super::expression::called;

/// Places that a document keeps of its words, and of one word: <https://www.postgresql.org/docs/current/textsearch-limitations.html>.
const PLACES: f64 = 16_384.0;
const OF_ONE_WORD: f64 = 256.0;
/// Bytes of a word with what separates it from others, at least.
const WORD: f64 = 2.0;

/// Whether it is a query of a text search, by the function that makes it.
pub(super) fn is_query(query: &Expr) -> bool {
    matches!(query, Expr::Function(function) if called(&function.name).ends_with("to_tsquery"))
}

/// Steps that looking up such a query takes.
pub(super) fn look_up(query: &Bound) -> f64 {
    product(OF_ONE_WORD, query.bytes)
}

/// Steps that `ts_rank` and the like take over a stored document, the longest of what they are given: each place of one word
/// with each of another's, of which half are as many as there can be. `None` where somebody made it up.
pub(super) fn ranking(arguments: &[Bound]) -> Option<f64> {
    let document = arguments.iter().max_by(|one, two| one.bytes.total_cmp(&two.bytes))?;
    document.is_mostly_stored().then_some(PLACES * PLACES / 4.0)
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
