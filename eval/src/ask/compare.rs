//! Whether two results say the same.
//!
//! The rule: the same number of columns and of rows; the same rows, as a multiset, or in the same order where the gold
//! statement sorts at its top level; the predicted columns may stand in any order, because a question seldom says in
//! which; names of columns don't count. Numbers are the same when they differ by less than one part in a million,
//! whole or not; NULL is the same as NULL; texts are the same letter by letter.
//!
//! Invariant: an empty result is right only where the gold result is empty too.

use rusqlite::types::Value;

/// Columns are permuted up to this width; wider results must have gold's order.
const WIDEST_PERMUTED: usize = 12;
/// Assignments of columns that are tried.
const MOST_ASSIGNMENTS: usize = 5_000;

/// The rows of a statement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// How many columns there are.
    pub width: usize,
    /// The rows, as wide as `width`.
    pub rows: Vec<Vec<Value>>,
}

/// Whether the order of rows counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// It does: gold sorts.
    Counts,
    /// It doesn't.
    Free,
}

/// Whether the predicted rows say what the gold rows say.
pub fn same_result(gold: &Rows, predicted: &Rows, order: Order) -> bool {
    if gold.width != predicted.width || gold.rows.len() != predicted.rows.len() {
        return false;
    }
    let gold: Vec<Vec<String>> = gold.rows.iter().map(|row| row.iter().map(key).collect()).collect();
    let predicted: Vec<Vec<String>> = predicted.rows.iter().map(|row| row.iter().map(key).collect()).collect();
    let width = gold.first().map_or(0, Vec::len);
    if equal(&gold, &predicted, &(0..width).collect::<Vec<_>>(), order) {
        return true;
    }
    if width > WIDEST_PERMUTED {
        return false;
    }
    let mut search = Search { gold: &gold, predicted: &predicted, order, tried: 0, options: Vec::new() };
    search.options = (0..width).map(|column| search.fitting(column)).collect();
    search.assign(&mut Vec::with_capacity(width))
}

/// A value in a form in which equal values are equal text. Numbers keep seven significant digits.
fn key(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Integer(number) => number_key(*number as f64),
        Value::Real(number) => number_key(*number),
        Value::Text(text) => format!("t{text}"),
        Value::Blob(bytes) => format!("b{bytes:?}"),
    }
}

fn number_key(number: f64) -> String {
    // Adding zero turns -0 into 0.
    format!("n{:.6e}", number + 0.0)
}

fn equal(gold: &[Vec<String>], predicted: &[Vec<String>], columns: &[usize], order: Order) -> bool {
    let mut arranged: Vec<Vec<&str>> =
        predicted.iter().map(|row| columns.iter().map(|&column| row[column].as_str()).collect()).collect();
    let mut gold: Vec<Vec<&str>> = gold.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
    if order == Order::Free {
        arranged.sort_unstable();
        gold.sort_unstable();
    }
    arranged == gold
}

struct Search<'r> {
    gold: &'r [Vec<String>],
    predicted: &'r [Vec<String>],
    order: Order,
    tried: usize,
    options: Vec<Vec<usize>>,
}

impl Search<'_> {
    /// The predicted columns that hold the same values as this gold column.
    fn fitting(&self, column: usize) -> Vec<usize> {
        let values = |rows: &[Vec<String>], column: usize| {
            let mut values: Vec<String> = rows.iter().map(|row| row[column].clone()).collect();
            values.sort_unstable();
            values
        };
        let wanted = values(self.gold, column);
        let width = self.predicted.first().map_or(0, Vec::len);
        (0..width).filter(|&candidate| values(self.predicted, candidate) == wanted).collect()
    }

    fn assign(&mut self, chosen: &mut Vec<usize>) -> bool {
        if chosen.len() == self.options.len() {
            self.tried += 1;
            return equal(self.gold, self.predicted, chosen, self.order);
        }
        for candidate in self.options[chosen.len()].clone() {
            if self.tried >= MOST_ASSIGNMENTS {
                return false;
            }
            if chosen.contains(&candidate) {
                continue;
            }
            chosen.push(candidate);
            if self.assign(chosen) {
                return true;
            }
            chosen.pop();
        }
        false
    }
}

/// Whether a statement sorts at its top level: an ORDER BY outside parentheses, quotes and comments.
pub fn order_of(sql: &str) -> Order {
    let mut depth = 0_i32;
    let mut words: Vec<String> = Vec::new();
    let mut characters = sql.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\'' | '"' | '`' => while characters.next().is_some_and(|next| next != character) {},
            '-' if characters.peek() == Some(&'-') => while characters.next_if(|next| *next != '\n').is_some() {},
            '(' => depth += 1,
            ')' => depth -= 1,
            _ if depth == 0 && (character.is_alphabetic() || character == '_') => {
                let mut word = character.to_lowercase().to_string();
                while let Some(next) = characters.next_if(|next| next.is_alphanumeric() || *next == '_') {
                    word.extend(next.to_lowercase());
                }
                words.push(word);
            }
            _ => {}
        }
    }
    let sorts = words.windows(2).any(|pair| pair[0] == "order" && pair[1] == "by");
    if sorts { Order::Counts } else { Order::Free }
}

#[cfg(test)]
mod tests {
    use super::{Order, Rows, order_of, same_result};
    use rusqlite::types::Value;

    fn rows(rows: &[&[&str]]) -> Rows {
        let value = |text: &&str| match (text.parse::<i64>(), text.parse::<f64>()) {
            _ if *text == "NULL" => Value::Null,
            (Ok(number), _) => Value::Integer(number),
            (_, Ok(number)) => Value::Real(number),
            _ => Value::Text((*text).to_owned()),
        };
        let rows: Vec<Vec<Value>> = rows.iter().map(|row| row.iter().map(value).collect()).collect();
        Rows { width: rows.first().map_or(1, Vec::len), rows }
    }

    fn check(gold: &[&[&str]], predicted: &[&[&str]], order: Order, expected: bool) {
        assert_eq!(same_result(&rows(gold), &rows(predicted), order), expected, "{gold:?} {predicted:?}");
    }

    #[test]
    fn rows_are_a_multiset_unless_gold_sorts() {
        check(&[&["a"], &["b"]], &[&["b"], &["a"]], Order::Free, true);
        check(&[&["a"], &["b"]], &[&["b"], &["a"]], Order::Counts, false);
        check(&[&["a"], &["a"], &["b"]], &[&["a"], &["b"], &["b"]], Order::Free, false);
        check(&[&["a"]], &[&["a"], &["a"]], Order::Free, false);
    }

    #[test]
    fn columns_may_stand_in_any_order_and_rows_stay_together() {
        check(&[&["a", "1"], &["b", "2"]], &[&["1", "a"], &["2", "b"]], Order::Counts, true);
        check(&[&["a", "1"], &["b", "2"]], &[&["2", "a"], &["1", "b"]], Order::Free, false);
        check(&[&["a", "1"]], &[&["a"]], Order::Free, false);
        check(&[&["1", "1", "2"], &["1", "2", "1"]], &[&["1", "2", "1"], &["2", "1", "1"]], Order::Free, true);
    }

    #[test]
    fn numbers_are_compared_as_numbers() {
        check(&[&["3"]], &[&["3.0"]], Order::Free, true);
        check(&[&["0.3333333333"]], &[&["0.3333333334"]], Order::Free, true);
        check(&[&["3"]], &[&["3.01"]], Order::Free, false);
        check(&[&["NULL"]], &[&["NULL"]], Order::Free, true);
        check(&[&["NULL"]], &[&["0"]], Order::Free, false);
        check(&[&["US"]], &[&["us"]], Order::Free, false);
    }

    #[test]
    fn only_a_top_level_order_counts() {
        for (sql, expected) in [
            ("SELECT a FROM t ORDER BY a", Order::Counts),
            ("SELECT a FROM (SELECT a FROM t ORDER BY a LIMIT 3)", Order::Free),
            ("SELECT 'order by' FROM t -- order by\n", Order::Free),
            ("SELECT \"order by\" FROM t UNION SELECT b FROM u order  by 1", Order::Counts),
        ] {
            assert_eq!(order_of(sql), expected, "{sql}");
        }
    }
}
