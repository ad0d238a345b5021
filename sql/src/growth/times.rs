//! Days: what dates and intervals are reckoned in, so that a series from one to another can be counted.

use std::time::{SystemTime, UNIX_EPOCH};

use super::ASSUMED_NUMBER;
use super::bound::Bound;

const SECOND: f64 = 1.0 / 86_400.0;
/// The shortest that an interval can be.
const MICROSECOND: f64 = SECOND / 1e6;
/// Days between 1970 and 2000.
const SINCE_1970: f64 = 10_957.0;
/// Time zones, and that clocks differ.
const ABOUT: f64 = 2.0;

/// A moment, as days from the first of 2000: by what is written, else by what is known of the value.
pub(super) fn moment(value: &Bound) -> (f64, f64) {
    match value.text.as_deref() {
        Some(text) if text.trim().parse::<f64>().is_err() => days_of(Some(text)),
        _ => (value.low, value.high),
    }
}

/// The present day.
pub(super) fn now() -> (f64, f64) {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64() * SECOND);
    (since_1970 - SINCE_1970 - ABOUT, since_1970 - SINCE_1970 + ABOUT)
}

/// The day of a date or a point in time as it is written, counted from the first of 2000; where it isn't known, some day of
/// these decades, but any day where it could be another.
pub(super) fn days_of(text: Option<&str>) -> (f64, f64) {
    let unknown = (-ASSUMED_NUMBER, ASSUMED_NUMBER);
    let Some(text) = text else { return unknown };
    let text = text.trim().to_ascii_lowercase();
    if ["now", "today", "tomorrow", "yesterday"].contains(&text.as_str()) {
        return now();
    }
    if text.contains("inf") || text.contains("bc") {
        return (f64::NEG_INFINITY, f64::INFINITY);
    }
    if let Some(day) = iso_day(&text) {
        return day;
    }
    // `20260101`, `1 January 2026`: of numbers that can be a year's the largest.
    let numbers = text.split(|letter: char| !letter.is_ascii_digit()).filter(|digits| digits.len() >= 4);
    let years =
        numbers.filter_map(|digits| if digits.len() == 8 { digits[..4].parse().ok() } else { digits.parse().ok() });
    years.reduce(f64::max).map_or(unknown, |year: f64| ((year - 2000.0) * 365.25 - 1.0, (year - 1999.0) * 365.25 + 1.0))
}

/// The day of `2026-01-31 …`.
pub(super) fn iso_day(text: &str) -> Option<(f64, f64)> {
    let mut parts = text.trim().splitn(3, '-').map(|part| {
        let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<f64>().ok()
    });
    let [year, month, day] = [parts.next()??, parts.next()??, parts.next()??];
    Some(of_year(year, (month - 1.0) * 30.44 + day))
}

/// So many days after the beginning of a year.
pub(super) fn of_year(year: f64, days: f64) -> (f64, f64) {
    let day = (year - 2000.0) * 365.25 + days;
    (day - 1.0, day + 1.0)
}

/// The moment so many seconds after 1970 began.
pub(super) fn of_seconds(seconds: (f64, f64)) -> (f64, f64) {
    (seconds.0 * SECOND - SINCE_1970, seconds.1 * SECOND - SINCE_1970)
}

/// The days of an interval: `'3 hours'`, `'01:30:00'`, `'P1DT2H'`, or a number of a unit. What isn't understood may be as short as
/// there is.
pub(super) fn days_in(text: Option<&str>, number: (f64, f64), unit: Option<&str>) -> (f64, f64) {
    if let Some(unit) = unit.and_then(days_of_unit) {
        let number = text.and_then(|text| text.trim().parse().ok()).map_or(number, |number| (number, number));
        return (number.0 * unit, number.1 * unit);
    }
    match text.and_then(days_in_words) {
        Some(days) => (days, days),
        None => (MICROSECOND, ASSUMED_NUMBER),
    }
}

fn days_in_words(text: &str) -> Option<f64> {
    let text = text.trim().trim_start_matches('@').to_ascii_lowercase();
    let (text, is_iso) = match text.strip_prefix('p') {
        // Behind the `T` an `M` is a minute.
        Some(iso) => (
            iso.split_once('t').map_or(iso.to_owned(), |(days, rest)| format!("{days} {}", rest.replace('m', "min"))),
            true,
        ),
        None => (text, false),
    };
    let (mut days, mut is_added, mut is_taken) = (0.0, false, false);
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let end = rest.find(|letter: char| !(letter.is_ascii_digit() || ".:+-".contains(letter))).unwrap_or(rest.len());
        let (number, behind) = rest.split_at(end);
        if number.contains(':') {
            let (hours, others) = number.split_once(':')?;
            let (minutes, seconds) = others.split_once(':').unwrap_or((others, "0"));
            let sign = if hours.starts_with('-') { -1.0 } else { 1.0 };
            let hours = hours.trim_start_matches(['-', '+']);
            let [hours, minutes, seconds] = [hours, minutes, seconds].map(|part| part.parse::<f64>().ok());
            days += sign * (hours? * 3_600.0 + minutes? * 60.0 + seconds?) * SECOND;
            (is_added, is_taken) = (is_added || sign > 0.0, is_taken || sign < 0.0);
            rest = behind.trim_start();
            continue;
        }
        let behind = behind.trim_start();
        let end = behind.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(behind.len());
        let (unit, others) = behind.split_at(end);
        let unit = if is_iso && unit == "m" { "month" } else { unit };
        let number = number.parse::<f64>().ok()?;
        days += number * days_of_unit(unit)?;
        (is_added, is_taken) = (is_added || number > 0.0, is_taken || number < 0.0);
        rest = others.trim_start();
    }
    // What is added and taken away again can leave next to nothing, and months are of any length.
    (days != 0.0 && !(is_added && is_taken)).then_some(days)
}

/// A number that is read off a moment or an interval of so many days.
pub(super) fn field(field: &str, days: (f64, f64)) -> (f64, f64) {
    let most = days.0.abs().max(days.1.abs());
    let most = match field.trim_matches('\'').to_ascii_lowercase().trim_end_matches('s') {
        "microsecond" | "u" => 6e7,
        "millisecond" | "m" | "msec" => 6e4,
        "nanosecond" | "n" => 6e10,
        "julian" => most + 2.5e6,
        "hour" | "minute" | "second" | "month" | "quarter" | "week" | "day" | "dow" | "doy" | "isodow" | "weekday"
        | "dayofweek" | "dayofyear" | "decade" | "century" | "millennium" | "year" | "isoyear" | "yearweek" | "era"
        | "timezone_hour" => {
            // Of an interval it can be as many as it has.
            most.max(ASSUMED_NUMBER)
        }
        _ => (most + SINCE_1970) / SECOND,
    };
    (-most, most)
}

/// How many of a unit lie between two moments.
pub(super) fn between(unit: &str, one: (f64, f64), other: (f64, f64)) -> (f64, f64) {
    let unit = days_of_unit(unit.trim_matches('\'')).unwrap_or(MICROSECOND);
    let most = (one.1 - other.0).abs().max((other.1 - one.0).abs()) / unit;
    (-most, most)
}

/// The days of a unit, by one of its names in lower case.
pub(super) fn days_of_unit(unit: &str) -> Option<f64> {
    let unit = unit.to_ascii_lowercase();
    let days = match unit.trim_end_matches('s') {
        "microsecond" | "u" | "usec" => MICROSECOND,
        "millisecond" | "m" | "msec" => SECOND / 1e3,
        "second" | "sec" | "" => SECOND,
        "minute" | "min" => SECOND * 60.0,
        "hour" | "hr" | "h" => SECOND * 3600.0,
        "day" | "d" => 1.0,
        "week" | "w" => 7.0,
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
    use super::{MICROSECOND, SECOND, days_in, days_of};

    #[test]
    fn a_series_of_days_can_be_counted() {
        let (low, high) = days_of(Some("2026-01-01 00:00:00"));
        assert!(low < 9_498.0 && high > 9_496.0, "{low} {high}");
        assert!(days_of(Some("0001-01-01")).1 < -730_000.0);
        for other in ["20260101", "1 Jan 2026", "01/02/2026"] {
            let (low, high) = days_of(Some(other));
            assert!(low <= 9_498.0 && high >= 9_497.0 && high - low < 400.0, "{other}: {low} {high}");
        }
        assert!(days_of(Some("now")).0 > 9_000.0);
        assert_eq!(days_of(Some("some day")), days_of(None));
        assert!(days_of(Some("infinity")).1.is_infinite() && days_of(Some("4713-01-01 BC")).0.is_infinite());
        assert!(days_of(Some("J9451545")).1 > 1e9);
    }

    #[test]
    fn an_interval_is_told_by_its_words() {
        assert_eq!(days_in(Some("1"), (0.0, 0.0), Some("SECOND")), (SECOND, SECOND));
        assert_eq!(days_in(None, (15.0, 15.0), Some("DAY")), (15.0, 15.0));
        for (text, seconds) in [
            ("1 day", 86_400.0),
            ("1 hour 30 minutes", 5_400.0),
            ("01:00:00", 3_600.0),
            ("00:00:00.001", 0.001),
            ("-02:30", -9_000.0),
            ("1ms", 0.001),
            ("1usec", 1e-6),
            ("@ 1 microsecond", 1e-6),
            ("PT0.000001S", 1e-6),
            ("P1DT2M", 86_520.0),
            ("P1M", 28.0 * 86_400.0),
            ("0.001", 0.001),
        ] {
            let (days, _) = days_in(Some(text), (0.0, 0.0), None);
            assert!((days / SECOND - seconds).abs() < 1e-9 * seconds.abs().max(1.0), "{text}: {}", days / SECOND);
        }
        for unknown in ["", "a while", "1 day ago", "1 fortnight", "1 day -23:59:59.999999", "1 month -31 days"] {
            assert_eq!(days_in(Some(unknown), (0.0, 0.0), None).0, MICROSECOND, "{unknown}");
        }
    }
}
