//! Identifiers and sentences taken apart into words, the same way in every room.

/// The words of an identifier, in lower case: `customerID2` → `customer`, `id`, `2`; `t_cst_mst` → `t`, `cst`, `mst`;
/// `HTTPServer` → `http`, `server`.
pub fn split_identifier(identifier: &str) -> Vec<String> {
    let characters: Vec<char> = identifier.chars().collect();
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    for (position, &current) in characters.iter().enumerate() {
        if !current.is_alphanumeric() {
            flush(&mut word, &mut words);
            continue;
        }
        let previous = position.checked_sub(1).map(|before| characters[before]);
        let next = characters.get(position + 1).copied();
        if let Some(previous) = previous.filter(|character| character.is_alphanumeric()) {
            let lower_to_upper = previous.is_lowercase() && current.is_uppercase();
            let end_of_acronym =
                previous.is_uppercase() && current.is_uppercase() && next.is_some_and(char::is_lowercase);
            let digit_edge = previous.is_numeric() != current.is_numeric();
            if lower_to_upper || end_of_acronym || digit_edge {
                flush(&mut word, &mut words);
            }
        }
        word.extend(current.to_lowercase());
    }
    flush(&mut word, &mut words);
    words
}

/// The words of a sentence, in lower case, without punctuation; identifiers inside it are taken apart too.
pub fn words(text: &str) -> Vec<String> {
    text.split(|character: char| !(character.is_alphanumeric() || character == '_'))
        .flat_map(split_identifier)
        .collect()
}

fn flush(word: &mut String, words: &mut Vec<String>) {
    if !word.is_empty() {
        words.push(std::mem::take(word));
    }
}

#[cfg(test)]
mod tests {
    use super::{split_identifier, words};

    #[test]
    fn takes_identifiers_apart() {
        for (identifier, expected) in [
            ("customerID2", "customer id 2"),
            ("t_cst_mst", "t cst mst"),
            ("HTTPServer", "http server"),
            ("orders_v2", "orders v 2"),
            ("Größe_cm", "größe cm"),
            ("", ""),
            ("__", ""),
        ] {
            assert_eq!(split_identifier(identifier).join(" "), expected, "{identifier}");
        }
    }

    #[test]
    fn takes_sentences_apart() {
        assert_eq!(words("What's the order_id?").join(" "), "what s the order id");
    }
}
