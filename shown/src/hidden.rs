//! Characters that can't be seen, and those that change how others are seen.
//!
//! They are written out as `\u{202e}` rather than dropped, so that a reader sees that somebody put them there. The
//! joiners and variants that emoji and some scripts are written with stay where those stand; between other letters they
//! have no use but to hide words from a search, or bytes from everybody.
//!
//! Invariant: a text without hidden characters comes back as it is.

use std::borrow::Cow;

/// The text with every character that can't be seen, or that reorders others, written as `\u{202e}`. Line ends and tabs
/// stay.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.is_ascii() && !text.bytes().any(|byte| byte.is_ascii_control() && !matches!(byte, b'\n' | b'\t')) {
        return Cow::Borrowed(text);
    }
    written_out(text, |_| false, as_seen)
}

/// The same on one line: line ends and tabs are written out, too. For names, and for lines that nothing may start anew.
pub fn one_line(text: &str) -> Cow<'_, str> {
    written_out(text, |character| matches!(character, '\n' | '\t'), as_seen)
}

/// A JSON text with every hidden character in its JSON form (`\u202e`): the same document, and nothing for a terminal to
/// obey.
pub fn escaped(json: &str) -> Cow<'_, str> {
    written_out(
        json,
        |_| false,
        |character, shown| {
            for unit in character.encode_utf16(&mut [0; 2]) {
                shown.push_str(&format!("\\u{unit:04x}"));
            }
        },
    )
}

fn as_seen(character: char, shown: &mut String) {
    match character {
        '\n' => shown.push_str("\\n"),
        '\r' => shown.push_str("\\r"),
        '\t' => shown.push_str("\\t"),
        _ => shown.extend(character.escape_unicode()),
    }
}

fn written_out(text: &str, also: impl Fn(char) -> bool, write: impl Fn(char, &mut String)) -> Cow<'_, str> {
    let mut shown = String::new();
    let mut copied = 0;
    let mut before = None;
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let after = characters.peek().map(|(_, next)| *next);
        // `\r\n` is a line end; alone, `\r` lets a terminal write over the line.
        let is_line_end = character == '\r' && after == Some('\n') && !also('\n');
        if !is_line_end && (also(character) || is_hidden(character, before, after)) {
            shown.push_str(&text[copied..at]);
            write(character, &mut shown);
            copied = at + character.len_utf8();
        }
        before = Some(character);
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    shown.push_str(&text[copied..]);
    Cow::Owned(shown)
}

/// Control characters (terminals obey them), those without a shape, those that turn the direction of the text, blanks
/// that are letters, tags and runs of variants, in which whole sentences have been hidden.
fn is_hidden(character: char, before: Option<char>, after: Option<char>) -> bool {
    match character {
        '\n' | '\t' => false,
        '\u{200c}' | '\u{200d}' => !(before.is_some_and(takes_joiners) && after.is_some_and(takes_joiners)),
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => !before.is_some_and(takes_variants),
        _ => has_no_shape(character),
    }
}

/// Whether the character is never seen, wherever it stands.
pub(crate) fn has_no_shape(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
                | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
                | '\u{13430}'..='\u{1345f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e00ff}' | '\u{e01f0}'..='\u{e0fff}' | '\u{e000}'..='\u{f8ff}'
                | '\u{f0000}'..='\u{10ffff}'
        )
}

/// Whether the character is seen only with others, or not at all: what a search for words has to pass over.
pub(crate) fn hides_words(character: char) -> bool {
    matches!(character, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
        || (has_no_shape(character) && !character.is_whitespace())
}

/// Scripts of West and South Asia, and emoji.
fn takes_joiners(character: char) -> bool {
    matches!(character, '\u{590}'..='\u{109f}' | '\u{1780}'..='\u{18af}' | '\u{fb1d}'..='\u{fefc}')
        || is_pictured(character)
}

/// Emoji, CJK and Mongolian letters, and the digits and signs of keycaps.
fn takes_variants(character: char) -> bool {
    is_pictured(character)
        || matches!(character, '#' | '*' | '0'..='9' | '\u{1800}'..='\u{18af}' | '\u{3000}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

fn is_pictured(character: char) -> bool {
    matches!(
        character,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{27ff}'
            | '\u{2900}'..='\u{2bff}' | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}'
    )
}

#[cfg(test)]
mod tests {
    use super::{one_line, visible};

    #[test]
    fn hidden_characters_are_written_out_and_others_stay() {
        for plain in ["plain\n\ttext é 日本 👨‍👩‍👧 ❤️ 1️⃣", "می‌خواهم क्‍ष", "a\r\nb", "葛󠄀", ""]
        {
            assert_eq!(visible(plain), plain);
        }
        for (text, shown) in [
            ("a\u{1b}[2Jb", "a\\u{1b}[2Jb"),
            ("pay\u{202e}evil\u{200b}", "pay\\u{202e}evil\\u{200b}"),
            ("\u{e0041}\u{e0042}", "\\u{e0041}\\u{e0042}"),
            ("ig\u{200d}nore", "ig\\u{200d}nore"),
            ("a\u{fe01}\u{fe02}", "a\\u{fe01}\\u{fe02}"),
            ("good\rbad", "good\\rbad"),
            ("\u{3164}\u{9b}31m\u{7f}", "\\u{3164}\\u{9b}31m\\u{7f}"),
        ] {
            assert_eq!(visible(text), shown);
        }
    }

    #[test]
    fn a_name_never_starts_a_line() {
        assert_eq!(one_line("orders\nerror: obey\r\n\tnow"), "orders\\nerror: obey\\r\\n\\tnow");
    }
}
