//! Days of birth, told by how they lie: over decades, and long ago.
//!
//! Orders and logins crowd into the last years. People are born over sixty, with a middle before the year 2000 or a school's
//! class after it. Names of columns that speak of another day are left out first. Invariant: fewer than eight different
//! days say nothing.

const FEWEST: usize = 8;

/// Words of days in a life that aren't the first.
const OTHER_DAYS: &[&str] = &[
    "hire",
    "hired",
    "hiring",
    "start",
    "started",
    "begin",
    "join",
    "joined",
    "since",
    "entry",
    "eintritt",
    "eintrittsdatum",
    "austritt",
    "alta",
    "baja",
    "ingreso",
    "embauche",
    "assunzione",
    "admission",
    "admissao",
    "created",
    "create",
    "updated",
    "modified",
    "registered",
    "registration",
    "death",
    "died",
    "deceased",
    "tod",
    "todesdatum",
    "deces",
    "founded",
    "established",
    "opened",
    "contract",
    "vertrag",
    "valid",
    "gueltig",
    "gultig",
    "issued",
    "issue",
    "expiry",
    "expires",
    "expiration",
    "end",
    "ended",
    "termination",
    "visit",
    "last",
    "login",
    "seen",
    "order",
    "ordered",
    "shipped",
    "paid",
    "payment",
    "due",
    "change",
    "changed",
    "retired",
    "retirement",
    "marriage",
    "married",
    "wedding",
    "graduation",
    "graduated",
    "promotion",
    "from",
    "to",
    "until",
    "bis",
    "von",
    "release",
    "released",
    "published",
    "debut",
    "built",
    "effective",
    "enrolled",
    "enrollment",
    "vaccination",
    "diagnosis",
    "discharge",
    "appointment",
    "termin",
    "anlage",
    "anlagedatum",
    "aenderung",
    "employment",
    "employed",
    "tenure",
    "anstellung",
    "anstalld",
    "ansat",
];

pub(crate) fn is_of_another_day(word: &str) -> bool {
    OTHER_DAYS.contains(&word)
}

/// Whether the days lie as days of birth do; `people`, where the table is a list of them.
pub(crate) fn are_likely(values: &[&str], people: bool) -> bool {
    let mut days: Vec<(i16, u8, u8)> = values.iter().filter_map(|value| day(value)).collect();
    if days.len() < FEWEST || days.len() * 10 < values.len() * 9 {
        return false;
    }
    days.sort_unstable();
    let at = |share: f64| days[((days.len() - 1) as f64 * share) as usize].0;
    let (early, middle, late) = (at(0.05), at(0.5), at(0.95));
    // Dates that are only known by month or year are all of a first.
    let firsts = days.iter().filter(|(_, _, day)| *day == 1).count();
    let plausible = early >= 1900 && late <= 2020 && firsts * 2 < days.len();
    let spread = late - early;
    plausible && if people { spread >= 12 && middle <= 2000 } else { spread >= 25 && middle <= 1990 && late <= 2012 }
}

/// `1980-01-31`, with a time of midnight or without; `31.01.1980`, `01/31/1980`, `19800131`.
fn day(value: &str) -> Option<(i16, u8, u8)> {
    let (date, time) = match value.split_once([' ', 'T']) {
        Some((date, time)) => (date, time),
        None => (value, ""),
    };
    if time.bytes().any(|byte| (b'1'..=b'9').contains(&byte)) {
        return None;
    }
    let numbers: Vec<&str> = date.split(['-', '.', '/']).collect();
    let (year, month, day) = match numbers.as_slice() {
        [year, month, day] if year.len() == 4 => (*year, *month, *day),
        [first, second, year] if year.len() == 4 => {
            // Which of the two is the month doesn't matter for how the years lie.
            if second.parse::<u8>().is_ok_and(|second| second > 12) {
                (*year, *first, *second)
            } else {
                (*year, *second, *first)
            }
        }
        [all] if all.len() == 8 && all.is_ascii() => (&all[..4], &all[4..6], &all[6..]),
        _ => return None,
    };
    let (year, month, day) = (year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
    jiff::civil::Date::new(year, month, day).ok()?;
    Some((year, month as u8, day as u8))
}

#[cfg(test)]
mod tests {
    use super::are_likely;

    #[test]
    fn days_of_birth_lie_over_decades() {
        let born = [
            "1951-03-14",
            "1962-07-22",
            "1970-11-05",
            "1975-02-28",
            "1983-09-17",
            "1988-12-30",
            "1991-05-06",
            "1994-08-19",
        ];
        assert!(are_likely(&born, true));
        let orders = [
            "2021-03-14",
            "2021-07-22",
            "2021-11-05",
            "2022-02-28",
            "2022-09-17",
            "2022-12-30",
            "2023-05-06",
            "2023-08-19",
        ];
        assert!(!are_likely(&orders, true));
        let written = [
            "14.03.1951",
            "22.07.1962",
            "05.11.1970",
            "28.02.1975",
            "17.09.1983",
            "30.12.1988",
            "06.05.1991",
            "19.08.1994",
        ];
        assert!(are_likely(&written, true));
        assert!(!are_likely(&born[..5], true));
        let years = [
            "1951-01-01",
            "1962-01-01",
            "1970-01-01",
            "1975-01-01",
            "1983-01-01",
            "1988-01-01",
            "1991-01-01",
            "1994-01-01",
        ];
        assert!(!are_likely(&years, true));
    }
}
