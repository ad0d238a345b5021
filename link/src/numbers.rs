//! Numbers in names and in questions: `indiv16` is what was asked about 2016, and `activities_29` about release 29.

/// Digits of a number that tells tables apart; longer ones are dates, whose tables are families.
const DIGITS: std::ops::RangeInclusive<usize> = 2..=4;

/// The numbers in a text.
pub(crate) fn numbers_of(text: &str) -> Vec<u32> {
    let runs = text.split(|character: char| !character.is_ascii_digit());
    runs.filter(|run| DIGITS.contains(&run.len())).filter_map(|run| run.parse().ok()).collect()
}

/// Whether one of the numbers asked about is this one, or a year of which it is the end.
pub(crate) fn is_asked(number: u32, asked: &[u32]) -> bool {
    asked.iter().any(|&other| other == number || number < 100 && (1900..2100).contains(&other) && other % 100 == number)
}

#[cfg(test)]
mod tests {
    use super::{is_asked, numbers_of};

    #[test]
    fn names_say_years_by_their_ends() {
        let asked = numbers_of("donors of 2016 in release 29, since 20240101");
        assert_eq!(asked, [2016, 29]);
        for (name, expected) in
            [("indiv16", true), ("indiv18", false), ("activities_29", true), ("tax_2016", true), ("x_1", false)]
        {
            assert_eq!(numbers_of(name).iter().any(|&number| is_asked(number, &asked)), expected, "{name}");
        }
    }
}
