//! What people earn, told by how amounts lie, and numbers that are given out one after the other.
//!
//! Pay is mostly different from row to row, round, has a lowest and a long way up, and nobody gets a thousand times what
//! another gets. Invariant: fewer than eight different amounts say nothing.

const FEWEST: usize = 8;

/// Whether amounts lie as pay does.
pub(crate) fn are_like_pay(values: &[&str], different: f64) -> bool {
    let mut amounts: Vec<f64> = values.iter().filter_map(|value| amount(value)).collect();
    if amounts.len() < FEWEST || amounts.len() * 10 < values.len() * 9 || different < 0.4 {
        return false;
    }
    amounts.sort_by(f64::total_cmp);
    let at = |share: f64| amounts[((amounts.len() - 1) as f64 * share).round() as usize];
    let (low, middle, high) = (at(0.1), at(0.5), at(0.9));
    let mean = amounts.iter().sum::<f64>() / amounts.len() as f64;
    let years = amounts.iter().filter(|amount| amount.fract() == 0.0 && (1900.0..2100.0).contains(*amount)).count();
    let cents = values.iter().filter(|value| value.rsplit(['.', ',']).next().is_some_and(|end| end.len() == 2)).count();
    let round = amounts.iter().filter(|amount| amount.rem_euclid(10.0) == 0.0).count();
    let share = |count: usize| count as f64 / amounts.len() as f64;
    let is_written_so = share(round) >= 0.7 || cents as f64 >= 0.7 * values.len() as f64;
    let is_hourly = (8.0..250.0).contains(&middle) && cents as f64 >= 0.7 * values.len() as f64;
    low > 0.0
        && (is_hourly || middle >= 350.0)
        && high / low >= 1.15
        && high / low <= 25.0
        && mean >= 0.93 * middle
        && is_written_so
        && share(years) < 0.5
        && !are_consecutive(values)
}

fn amount(value: &str) -> Option<f64> {
    let plain = value.trim_start_matches(['$', '€', '£', ' ']).trim_end_matches([' ', '€']).trim();
    plain.parse().ok().or_else(|| {
        // `2.450,00` and `2,450.00`
        let is_number = plain.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b',' | b' '));
        let point = plain.rfind(['.', ','])?;
        let (whole, fraction) = plain.split_at(point);
        let whole: String = whole.chars().filter(char::is_ascii_digit).collect();
        let fraction = &fraction[1..];
        let text = if fraction.len() == 3 { format!("{whole}{fraction}") } else { format!("{whole}.{fraction}") };
        is_number.then(|| text.parse().ok())?
    })
}

/// Whether the numbers in the values are given out one after the other, or nearly.
pub(crate) fn are_consecutive(values: &[&str]) -> bool {
    let numbers: Vec<u128> = values
        .iter()
        .filter_map(|value| {
            let digits: String = value.chars().filter(char::is_ascii_digit).take(30).collect();
            digits.parse().ok()
        })
        .collect();
    let (Some(first), Some(last)) = (numbers.iter().min(), numbers.iter().max()) else { return false };
    numbers.len() * 10 >= values.len() * 9 && last - first <= 20 * numbers.len() as u128
}

#[cfg(test)]
mod tests {
    use super::{are_consecutive, are_like_pay};

    #[test]
    fn pay_is_told_from_other_numbers() {
        let pay = ["2450", "3100", "2800", "4950", "3600", "2900", "6200", "3350", "2700"];
        assert!(are_like_pay(&pay, 1.0));
        assert!(are_like_pay(&pay.map(|amount| &*Box::leak(format!("{amount}.50").into_boxed_str())), 0.9));
        assert!(!are_like_pay(&pay, 0.1));
        let years = ["1950", "1960", "1970", "1980", "1990", "2000", "2010", "2020", "1940"];
        assert!(!are_like_pay(&years, 1.0));
        let counts = ["1", "4", "2", "19", "7", "3", "12", "5", "8"];
        assert!(!are_like_pay(&counts, 1.0));
        let keys = ["1000", "1010", "1020", "1030", "1040", "1050", "1060", "1070", "1080"];
        assert!(!are_like_pay(&keys, 1.0));
        assert!(
            are_consecutive(&["EMP-0001", "EMP-0002", "EMP-0005"]) && !are_consecutive(&["71023", "9012", "88123"])
        );
    }
}
