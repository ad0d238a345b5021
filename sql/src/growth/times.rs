//! Days: what dates and intervals are reckoned in, so that a series from one to another can be counted.

use super::ASSUMED_NUMBER;

/// The day of a date or a point in time as it is written, counted from the first of 2000; where it isn't known, some day of
/// these decades.
pub(super) fn days_of(text: Option<&str>) -> (f64, f64) {
    let unknown = (-ASSUMED_NUMBER, ASSUMED_NUMBER);
    let Some(text) = text else { return unknown };
    let mut parts = text.trim().splitn(3, '-').map(|part| {
        let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<f64>().ok()
    });
    match (parts.next().flatten(), parts.next().flatten(), parts.next().flatten()) {
        (Some(year), Some(month), Some(day)) => {
            let day = (year - 2000.0) * 365.25 + (month - 1.0) * 30.44 + day;
            (day - 1.0, day + 1.0)
        }
        _ => unknown,
    }
}

/// The days of an interval: `'3 hours'`, or a number of a unit. Where no unit is known it may be a second.
pub(super) fn days_in(text: Option<&str>, number: (f64, f64), unit: Option<&str>) -> (f64, f64) {
    if let Some(unit) = unit.and_then(days_of_unit) {
        let number = text.and_then(|text| text.trim().parse().ok()).map_or(number, |number| (number, number));
        return (number.0 * unit, number.1 * unit);
    }
    let words: Vec<&str> = text.unwrap_or_default().split_whitespace().collect();
    let told = words.chunks(2).map(|pair| match pair {
        [number, unit] => Some(number.parse::<f64>().ok()? * days_of_unit(unit)?),
        _ => None,
    });
    match told.sum::<Option<f64>>().filter(|_| !words.is_empty()) {
        Some(days) => (days, days),
        None => (SECOND, ASSUMED_NUMBER),
    }
}

const SECOND: f64 = 1.0 / 86_400.0;

fn days_of_unit(unit: &str) -> Option<f64> {
    let unit = unit.to_ascii_lowercase();
    let days = match unit.trim_end_matches('s') {
        "microsecond" | "u" | "usec" => SECOND / 1e6,
        "millisecond" | "m" | "msec" => SECOND / 1e3,
        "second" | "sec" | "" => SECOND,
        "minute" | "min" => SECOND * 60.0,
        "hour" | "hr" | "h" => SECOND * 3600.0,
        "day" | "d" => 1.0,
        "week" => 7.0,
        "month" | "mon" => 28.0,
        "quarter" => 90.0,
        "year" | "yr" | "y" => 365.0,
        "decade" => 3_650.0,
        "century" | "centurie" => 36_500.0,
        _ => return None,
    };
    Some(days)
}

#[cfg(test)]
mod tests {
    use super::{days_in, days_of};

    #[test]
    fn a_series_of_days_can_be_counted() {
        let (low, high) = days_of(Some("2026-01-01 00:00:00"));
        assert!(low < 9_498.0 && high > 9_496.0, "{low} {high}");
        assert!(days_of(Some("0001-01-01")).1 < -730_000.0);
        assert_eq!(days_of(Some("now")), days_of(None));
    }

    #[test]
    fn an_interval_is_told_by_its_words() {
        let second = 1.0 / 86_400.0;
        assert_eq!(days_in(Some("1 day"), (0.0, 0.0), None), (1.0, 1.0));
        assert_eq!(days_in(Some("1"), (0.0, 0.0), Some("SECOND")), (second, second));
        assert_eq!(days_in(None, (15.0, 15.0), Some("DAY")), (15.0, 15.0));
        assert_eq!(days_in(Some("1 hour 30 minutes"), (0.0, 0.0), None).0, 1.5 / 24.0);
        assert_eq!(days_in(Some("01:00:00"), (0.0, 0.0), None).0, second);
    }
}
