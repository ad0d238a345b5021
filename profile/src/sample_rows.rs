//! A few rows that show as much as possible: spread over the sample, with few empty cells.

use connect::Value;

use crate::statistics::cut;

const ROWS: usize = 5;

/// At most five of the rows, one from each of as many equal parts; in each the one with the fewest NULLs, the first of
/// them where several have as few. Rows that look alike are shown once.
pub(crate) fn choose(rows: &[Vec<Value>]) -> Vec<Vec<Option<String>>> {
    let parts = ROWS.min(rows.len());
    let mut chosen: Vec<Vec<Option<String>>> = Vec::with_capacity(parts);
    for part in 0..parts {
        let range = part * rows.len() / parts..(part + 1) * rows.len() / parts;
        let fullest = rows[range].iter().min_by_key(|row| row.iter().filter(|value| value.is_null()).count());
        let shown: Option<Vec<Option<String>>> =
            fullest.map(|row| row.iter().map(|value| value.as_text().map(|text| cut(&text))).collect());
        chosen.extend(shown.filter(|row| !chosen.contains(row)));
    }
    chosen
}

#[cfg(test)]
mod tests {
    use connect::Value;

    use super::choose;

    #[test]
    fn one_row_of_each_part_with_the_fewest_nulls() {
        let row =
            |number: i64| vec![Value::Integer(number), if number % 3 == 2 { Value::Bytes(1) } else { Value::Null }];
        let rows: Vec<Vec<Value>> = (0..15).map(row).collect();
        let firsts: Vec<String> = choose(&rows).into_iter().filter_map(|row| row[0].clone()).collect();
        assert_eq!(firsts, ["2", "5", "8", "11", "14"]);
    }

    #[test]
    fn few_rows_are_shown_as_they_are_and_equal_ones_once() {
        assert_eq!(choose(&[]).len(), 0);
        let same = vec![vec![Value::Integer(1)]; 4];
        assert_eq!(choose(&same), [[Some("1".to_owned())]]);
    }
}
