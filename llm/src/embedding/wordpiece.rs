//! Text into tokens as BERT's uncased models do it: cleaned, without accents and capitals, cut at spaces and
//! punctuation, then each word into the longest known pieces.
//!
//! The `tokenizers` crate does the same and much more; it belongs to the optional local model, and the embedder of the
//! binary has to work without it. `models/embedding/cases.py` writes what its Python twin answers, and a test holds us
//! to it.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// A longer word is unknown as a whole.
const LONGEST_WORD: usize = 100;
const UNKNOWN: &str = "[UNK]";
/// What begins every piece that is not the first of its word.
const CONTINUES: &str = "##";

/// A vocabulary and the way texts are cut by it.
pub(super) struct WordPiece {
    first_pieces: HashMap<&'static str, usize>,
    later_pieces: HashMap<&'static str, usize>,
    /// No piece has more bytes, so no longer one has to be looked up.
    longest_piece: usize,
    unknown: Option<usize>,
}

impl WordPiece {
    /// `vocabulary`: one token a line, the line's number being the token's id.
    pub(super) fn new(vocabulary: &'static str) -> Self {
        let tokens = vocabulary.split('\n').count();
        let mut wordpiece = Self {
            first_pieces: HashMap::with_capacity(tokens),
            later_pieces: HashMap::with_capacity(tokens / 4),
            longest_piece: 0,
            unknown: None,
        };
        for (id, token) in vocabulary.split('\n').enumerate() {
            match token.strip_prefix(CONTINUES) {
                Some(piece) if !piece.is_empty() => wordpiece.later_pieces.insert(piece, id),
                _ => wordpiece.first_pieces.insert(token, id),
            };
            wordpiece.longest_piece = wordpiece.longest_piece.max(token.len());
        }
        wordpiece.unknown = wordpiece.first_pieces.get(UNKNOWN).copied();
        wordpiece
    }

    /// How many different tokens there are: as many as the vocabulary has lines, unless one occurs twice.
    pub(super) fn tokens(&self) -> usize {
        self.first_pieces.len() + self.later_pieces.len()
    }

    /// The line of a whole word; `None` for one that isn't in it as a whole.
    pub(super) fn rank(&self, word: &str) -> Option<usize> {
        self.first_pieces.get(word).copied()
    }

    /// Calls `each` with the id of every token of the text, in order.
    pub(super) fn for_each_token(&self, text: &str, mut each: impl FnMut(usize)) {
        let normalized = normalize(text);
        let mut pieces = Vec::new();
        for word in words(&normalized) {
            match self.cut(word, &mut pieces) {
                Cut::Known => pieces.drain(..).for_each(&mut each),
                Cut::Unknown => {
                    pieces.clear();
                    self.unknown.into_iter().for_each(&mut each);
                }
            }
        }
    }

    /// Cuts one word into its longest known pieces, from left to right.
    fn cut(&self, word: &str, pieces: &mut Vec<usize>) -> Cut {
        if word.len() > LONGEST_WORD && word.chars().count() > LONGEST_WORD {
            return Cut::Unknown;
        }
        let mut start = 0;
        while start < word.len() {
            let known = if start == 0 { &self.first_pieces } else { &self.later_pieces };
            let mut end = word.floor_char_boundary(word.len().min(start + self.longest_piece));
            loop {
                if end <= start {
                    return Cut::Unknown;
                }
                if let Some(&id) = known.get(&word[start..end]) {
                    pieces.push(id);
                    start = end;
                    break;
                }
                end = word.floor_char_boundary(end - 1);
            }
        }
        Cut::Known
    }
}

/// Whether a word could be cut into known pieces.
enum Cut {
    Known,
    Unknown,
}

/// Lower case, no accents, no control characters, every Chinese character a word of its own.
fn normalize(text: &str) -> String {
    if text.is_ascii() {
        return text.chars().filter_map(clean).map(|character| character.to_ascii_lowercase()).collect();
    }
    let mut spaced = String::with_capacity(text.len() + 8);
    for character in text.chars().filter_map(clean) {
        if is_chinese(character) {
            spaced.extend([' ', character, ' ']);
        } else {
            spaced.push(character);
        }
    }
    spaced
        .nfd()
        .filter(|character| character.general_category() != GeneralCategory::NonspacingMark)
        .flat_map(char::to_lowercase)
        .collect()
}

/// Spaces of every kind become one; what controls (vertical tabs and form feeds too) or is private becomes nothing.
fn clean(character: char) -> Option<char> {
    match character {
        '\t' | '\n' | '\r' => Some(' '),
        ' '..='\u{7e}' => Some(character),
        '\u{fffd}' => None,
        _ => match character.general_category() {
            GeneralCategory::Control | GeneralCategory::Format | GeneralCategory::PrivateUse => None,
            _ if character.is_whitespace() => Some(' '),
            _ => Some(character),
        },
    }
}

/// The blocks that BERT's own tokenizer lists; Japanese syllables and Korean are words like ours.
fn is_chinese(character: char) -> bool {
    matches!(u32::from(character),
        0x4E00..=0x9FFF | 0x3400..=0x4DBF | 0x20000..=0x2A6DF | 0x2A700..=0x2B73F
        | 0x2B740..=0x2B81F | 0x2B920..=0x2CEAF | 0xF900..=0xFAFF | 0x2F800..=0x2FA1F)
}

fn is_punctuation(character: char) -> bool {
    if character.is_ascii() {
        character.is_ascii_punctuation()
    } else {
        character.general_category_group() == GeneralCategoryGroup::Punctuation
    }
}

/// The words of a normalized text; every punctuation mark is one.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let end = if is_punctuation(first) {
            first.len_utf8()
        } else {
            rest.find(|character: char| character.is_whitespace() || is_punctuation(character)).unwrap_or(rest.len())
        };
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word)
    })
}
