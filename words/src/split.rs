//! Identifiers and sentences taken apart into words.

/// The words of an identifier, in lower case: `customerID2` → `customer`, `id`, `2`; `t_cst_mst` → `t`, `cst`, `mst`;
/// `HTTPServer` → `http`, `server`.
pub fn in_identifier(identifier: &str) -> Vec<String> {
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
pub fn in_text(text: &str) -> Vec<String> {
    text.split(|character: char| !(character.is_alphanumeric() || character == '_')).flat_map(in_identifier).collect()
}

/// Columns that a table has at least for what they all begin with to say something.
const FEWEST_PREFIXED: usize = 5;
/// Letters of a prefix, most first.
const PREFIX_LENGTHS: [usize; 2] = [3, 2];

/// What nearly all of a table's columns begin with without a separator, and which says which table they are of and nothing
/// else: the `AM` of `AMACCT`, `AMBAL` and `AMCCY`. Systems whose names had to be short are full of it.
pub fn glued_prefix<'n>(columns: &[&'n str]) -> Option<&'n str> {
    let count = columns.len();
    if count < FEWEST_PREFIXED {
        return None;
    }
    // Nine of ten, so one of three columns has it.
    let is_most = |has: &dyn Fn(&str) -> bool| columns.iter().filter(|column| has(column)).count() * 10 >= count * 9;
    let prefix = PREFIX_LENGTHS.iter().find_map(|&length| {
        let candidates = [columns[0], columns[count / 2], columns[count - 1]];
        let mut prefixes = candidates.iter().filter_map(|column| column.get(..length));
        prefixes.find(|prefix| {
            let goes_on = |column: &str| {
                column.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|next: char| next.is_alphanumeric()))
            };
            prefix.bytes().all(|letter| letter.is_ascii_alphabetic()) && is_most(&goes_on)
        })
    })?;
    // `orderId` and `orderDate` begin with a word, which is taken apart anyway, and longer words begin with a part of one.
    let longer = columns.iter().find_map(|column| column.get(..=prefix.len()).filter(|_| column.starts_with(prefix)));
    let is_part = longer.is_some_and(|longer| is_most(&|column| column.starts_with(longer)));
    let is_word = is_most(&|column| in_identifier(column).first().is_some_and(|first| first.len() == prefix.len()));
    (!is_part && !is_word).then_some(prefix)
}

fn flush(word: &mut String, words: &mut Vec<String>) {
    if !word.is_empty() {
        words.push(std::mem::take(word));
    }
}

#[cfg(test)]
mod tests {
    use super::{glued_prefix, in_identifier, in_text};

    #[test]
    fn what_all_columns_begin_with_is_told_from_words() {
        for (columns, expected) in [
            ("AMACCT AMBAL AMCCY AMSTAT AMBRN", Some("AM")),
            ("slstor slday slamnt slqty slreg", Some("sl")),
            ("ARTNUM ARTNAM ARTCAT ARTVND ARTSTS USER ARTBRD ARTCLS ARTGRP ARTTAX ARTPRC", Some("ART")),
            ("order_id order_date order_status order_total order_note", None),
            ("orderId orderDate orderStatus orderTotal orderNote", None),
            ("IS_A IS_B IS_C IS_D IS_E", None),
            ("idCity idZone idRoad idTown idLane", None),
            ("id name city zone road", None),
            ("AMACCT AMBAL AMCCY AMSTAT", None),
            ("", None),
        ] {
            let columns: Vec<&str> = columns.split_whitespace().collect();
            assert_eq!(glued_prefix(&columns), expected, "{columns:?}");
        }
    }

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
            assert_eq!(in_identifier(identifier).join(" "), expected, "{identifier}");
        }
    }

    #[test]
    fn takes_sentences_apart() {
        assert_eq!(in_text("What's the order_id?").join(" "), "what s the order id");
    }
}
