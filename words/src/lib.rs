//! *What words are these?* Names and sentences taken apart, plurals brought to the singular, patterns with stars, stop words,
//! what abbreviations stand for, what countries and states are called, and what words of other languages are in English.
//!
//! What two rooms would otherwise each know in their own way about words stands here once, so that a name means the same
//! wherever it is looked at.
//!
//! Invariant: nothing here knows any database, only languages and general knowledge.

mod abbreviations;
mod glob;
mod languages;
mod places;
mod plural;
mod split;
mod stop_words;

pub use abbreviations::{Abbreviation, abbreviation, abbreviations, short_forms};
pub use glob::matches_glob;
pub use languages::{InEnglish, Language, LanguageOfNames, TranslatedWord, in_english, is_english, meanings_in_any};
pub use places::{PlaceForms, place_kind, places};
pub use plural::singular;
pub use split::{glued_prefix, in_identifier, in_text};
pub use stop_words::StopWords;
