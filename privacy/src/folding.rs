//! Words without the differences of spelling: accents, umlauts, other scripts, and where a word ends.
//!
//! Invariant: what is looked up and what it is looked up in go through [`fold`] and [`key`] alike.

/// Longest identifier that is taken apart, in characters: what is longer is a sentence.
const LONGEST: usize = 120;

/// The words of an identifier in lower case and plain letters.
pub(crate) fn folded_words(identifier: &str) -> Vec<String> {
    let cut: String;
    let identifier = match identifier.char_indices().nth(LONGEST) {
        Some((end, _)) => {
            cut = identifier[..end].to_owned();
            &cut
        }
        None => identifier,
    };
    let words = words::in_identifier(identifier);
    if identifier.is_ascii() {
        return words;
    }
    words.iter().map(|word| fold(word)).collect()
}

/// Lower case and plain letters: `Straße` → `strasse`, `contraseña` → `contrasena`, `фамилия` → `familiya`.
pub(crate) fn fold(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in text.chars().flat_map(char::to_lowercase) {
        match character {
            'a'..='z' | '0'..='9' | '_' | ' ' => plain.push(character),
            // What is left of an accent that stands alone.
            '\u{300}'..='\u{36f}' => {}
            other => match plain_letters(other) {
                Some(letters) => plain.push_str(letters),
                None => plain.push(other),
            },
        }
    }
    plain
}

/// What words are looked up by: without separators, and with `ae`, `oe`, `ue` for what they stand for in names that had
/// to do without umlauts. `geb_dat`, `gebDat` and `GEBDAT` have one key.
pub(crate) fn key(words: &[String], into: &mut String) {
    into.clear();
    for word in words {
        into.push_str(word);
    }
    collapse(into);
}

/// The key of one text that has been folded.
pub(crate) fn key_of(folded: &str) -> String {
    let mut key: String = folded.chars().filter(|character| *character != '_').collect();
    collapse(&mut key);
    key
}

/// Whether it holds `ae`, `oe` or `ue`, and is long enough for that to stand for an umlaut.
pub(crate) fn has_umlaut_pair(key: &str) -> bool {
    let stands_for_one = |pair: &[u8]| pair[1] == b'e' && matches!(pair[0], b'a' | b'o' | b'u');
    key.len() > 4 && key.as_bytes().windows(2).any(stands_for_one)
}

fn collapse(key: &mut String) {
    if !has_umlaut_pair(key) {
        return;
    }
    let mut short = String::with_capacity(key.len());
    let mut last = ' ';
    for character in key.chars() {
        if !(character == 'e' && matches!(last, 'a' | 'o' | 'u')) {
            short.push(character);
        }
        last = character;
    }
    *key = short;
}

/// The plain letters for one of another alphabet or with an accent.
fn plain_letters(character: char) -> Option<&'static str> {
    let found = match character {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ā' | 'ă' | 'ą' | 'æ' | 'α' | 'ά' | 'а' => "a",
        'ç' | 'ć' | 'č' | 'ċ' | 'ћ' => "c",
        'ď' | 'đ' | 'ð' | 'δ' | 'д' => "d",
        'è' | 'é' | 'ê' | 'ë' | 'ē' | 'ė' | 'ę' | 'ě' | 'ε' | 'έ' | 'е' | 'ё' | 'э' | 'є' => "e",
        'ğ' | 'ģ' | 'γ' | 'г' | 'ґ' => "g",
        'ì' | 'í' | 'î' | 'ï' | 'ī' | 'į' | 'ı' | 'ι' | 'ί' | 'ϊ' | 'ΐ' | 'η' | 'ή' | 'и' | 'і' | 'ї' => {
            "i"
        }
        'κ' | 'к' | 'ķ' => "k",
        'ł' | 'ľ' | 'ĺ' | 'ļ' | 'λ' | 'л' => "l",
        'ñ' | 'ń' | 'ň' | 'ņ' | 'ν' | 'н' => "n",
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' | 'ő' | 'ō' | 'œ' | 'ο' | 'ό' | 'ω' | 'ώ' | 'о' => "o",
        'ŕ' | 'ř' | 'ρ' | 'р' => "r",
        'ś' | 'š' | 'ş' | 'ș' | 'σ' | 'ς' | 'с' => "s",
        'ß' => "ss",
        'ť' | 'ţ' | 'ț' | 'τ' | 'т' => "t",
        'ù' | 'ú' | 'û' | 'ü' | 'ű' | 'ů' | 'ū' | 'ų' | 'у' => "u",
        'ý' | 'ÿ' | 'υ' | 'ύ' | 'ϋ' | 'ΰ' | 'й' | 'ы' => "y",
        'ź' | 'ž' | 'ż' | 'ζ' | 'з' => "z",
        'þ' | 'θ' => "th",
        'β' | 'в' => "v",
        'μ' | 'м' => "m",
        'ξ' => "x",
        'π' | 'п' => "p",
        'φ' | 'ф' => "f",
        'χ' | 'ч' => "ch",
        'ψ' => "ps",
        'б' => "b",
        'ж' => "zh",
        'х' => "kh",
        'ц' => "ts",
        'ш' => "sh",
        'щ' => "shch",
        'ъ' | 'ь' => "",
        'ю' => "yu",
        'я' => "ya",
        'ј' => "j",
        'љ' => "lj",
        'њ' => "nj",
        'ђ' => "dj",
        'џ' => "dz",
        _ => return None,
    };
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::{folded_words, key, key_of};

    #[test]
    fn spellings_of_one_name_have_one_key() {
        for (left, right) in [
            ("Geburts_Datum", "geburtsdatum"),
            ("Führerschein Nr", "FUEHRERSCHEIN_NR"),
            ("fødselsdato", "foedselsdato"),
            ("Дата рождения", "data_rozhdeniya"),
            ("Ημερομηνία", "imerominia"),
            ("soyadı", "SOYADI"),
        ] {
            let mut keys = [String::new(), String::new()];
            key(&folded_words(left), &mut keys[0]);
            key(&folded_words(right), &mut keys[1]);
            assert_eq!(keys[0], keys[1], "{left} {right}");
        }
        assert_eq!(key_of("rue"), "rue");
    }
}
