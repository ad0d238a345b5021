//! Periods in a question, in one form each: `2026-H1` for `the first half of 2026`, `H1 2026` and `Jan-Jun 2026`.

use std::sync::LazyLock;

use regex::{Captures, Regex};

const MONTHS: &str = "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?";
const YEAR: &str = "(?:of |in |, ?|the year |year |this year, ?|')*((?:19|20)?[0-9]{2})";

/// What stands around the number of a period that was found.
const OPEN: char = '\u{1}';
const CLOSE: char = '\u{2}';

/// What a form comes to; nothing where it is none after all.
type Reading = fn(&Captures<'_>) -> Option<String>;

/// A form of a period, and what it comes to: the first and the last month, or a day.
struct Form {
    pattern: Regex,
    read: Reading,
}

static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
    let month = format!("({MONTHS})\\.?");
    let forms: [(String, Reading); 15] = [
        (r"\b((?:19|20)\d{2})-(\d{2})-(\d{2})\b".to_owned(), |it| Some(format!("{}-{}-{}", &it[1], &it[2], &it[3]))),
        (r"\b(\d{1,2})[./](\d{1,2})[./]((?:19|20)\d{2})\b".to_owned(), |it| day(&it[3], it[2].parse().ok()?, &it[1])),
        // A range of whole months.
        (
            format!(
                r"\b(?:from |between )?(?:1(?:st)? )?{month}(?: 1(?:st)?)?,? ?(?:-|–|to|through|and|until) ?(?:(?:28|29|30|31)(?:st|th)? )?{month}(?: (?:28|29|30|31)(?:st|th)?)?,? {YEAR}\b"
            ),
            |it| months(&it[3], month_of(&it[1])?, month_of(&it[2])?),
        ),
        (format!(r"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {month},? {YEAR}\b"), |it| {
            day(&it[3], month_of(&it[2])?, &it[1])
        }),
        (format!(r"\b{month} (\d{{1,2}})(?:st|nd|rd|th)?,? (?:of |in )?((?:19|20)\d{{2}})\b"), |it| {
            day(&it[3], month_of(&it[1])?, &it[2])
        }),
        (format!(r"\b(first|1st|second|2nd|last) (?:half|six months|6 months)(?: of| in)? ?{YEAR}\b"), |it| {
            let is_first = matches!(&it[1], "first" | "1st");
            months(&it[2], if is_first { 1 } else { 7 }, if is_first { 6 } else { 12 })
        }),
        (format!(r"\bh([12])[ /-]?{YEAR}\b"), |it| half(&it[2], &it[1])),
        (r"\b((?:19|20)\d{2})[ /-]?h([12])\b".to_owned(), |it| half(&it[1], &it[2])),
        (
            format!(
                r"\b(first|1st|second|2nd|third|3rd|fourth|4th|last) (?:quarter|three months|3 months)(?: of| in)? ?{YEAR}\b"
            ),
            |it| {
                let number = match &it[1] {
                    "first" | "1st" => 1,
                    "second" | "2nd" => 2,
                    "third" | "3rd" => 3,
                    _ => 4,
                };
                quarter(&it[2], number)
            },
        ),
        (format!(r"\bq([1-4])[ /-]?{YEAR}\b"), |it| quarter(&it[2], it[1].parse().ok()?)),
        (r"\b((?:19|20)\d{2})[ /-]?q([1-4])\b".to_owned(), |it| quarter(&it[1], it[2].parse().ok()?)),
        (format!(r"\b{month},? {YEAR}\b"), |it| months(&it[2], month_of(&it[1])?, month_of(&it[1])?)),
        (r"\b((?:19|20)\d{2})-(\d{2})\b".to_owned(), |it| months(&it[1], it[2].parse().ok()?, it[2].parse().ok()?)),
        (r"\b(\d{1,2})/((?:19|20)\d{2})\b".to_owned(), |it| months(&it[2], it[1].parse().ok()?, it[1].parse().ok()?)),
        (r"(?:\b(?:calendar )?(?:year )?((?:19|20)\d{2})\b|'(\d{2})\b)".to_owned(), |it| {
            months(it.get(1).or_else(|| it.get(2))?.as_str(), 1, 12)
        }),
    ];
    let form = |(pattern, read): (String, Reading)| Form {
        pattern: Regex::new(&format!("(?i){pattern}")).expect("written here"),
        read,
    };
    forms.into_iter().map(form).collect()
});

/// The periods of a question in their order, each once, and the question with `mark` in their places.
pub(super) fn taken_from(question: &str, mark: &str) -> (Vec<String>, String) {
    let mut found: Vec<String> = Vec::new();
    let mut rest = question.to_owned();
    for form in FORMS.iter() {
        // A number in the place of each, until all are found and their order is known.
        rest = form
            .pattern
            .replace_all(&rest, |captures: &Captures<'_>| match (form.read)(captures) {
                Some(period) => {
                    found.push(period);
                    format!(" {OPEN}{}{CLOSE} ", "|".repeat(found.len()))
                }
                None => captures[0].to_owned(),
            })
            .into_owned();
    }
    let mut periods: Vec<String> = Vec::new();
    let mut text = String::new();
    let mut parts = rest.split(OPEN);
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let Some((number, after)) = part.split_once(CLOSE) else { continue };
        let period = &found[number.len() - 1];
        if !periods.contains(period) {
            periods.push(period.clone());
        }
        text.push_str(mark);
        text.push_str(after);
    }
    (periods, text)
}

fn year(text: &str) -> Option<String> {
    match text.len() {
        4 => Some(text.to_owned()),
        2 => Some(format!("20{text}")),
        _ => None,
    }
}

fn day(of_year: &str, month: u32, day: &str) -> Option<String> {
    let (month, day) = match (month, day.parse::<u32>().ok()?) {
        (month, day) if month > 12 => (day, month),
        both => both,
    };
    Some(format!("{}-{month:02}-{day:02}", year(of_year)?))
}

fn half(of_year: &str, number: &str) -> Option<String> {
    let first = if number == "1" { 1 } else { 7 };
    months(of_year, first, first + 5)
}

fn quarter(of_year: &str, number: u32) -> Option<String> {
    months(of_year, number * 3 - 2, number * 3)
}

/// Months of a year, whichever way they are called.
fn months(of_year: &str, first: u32, last: u32) -> Option<String> {
    let year = year(of_year)?;
    if !(1..=12).contains(&first) || !(first..=12).contains(&last) {
        return None;
    }
    Some(match (first, last) {
        (1, 12) => year,
        (first, last) if first == last => format!("{year}-{first:02}"),
        (first, last) => format!("{year}-{first:02}…{last:02}"),
    })
}

fn month_of(name: &str) -> Option<u32> {
    let names = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let start = name.to_lowercase();
    names.iter().position(|month| start.starts_with(month)).and_then(|at| u32::try_from(at + 1).ok())
}

#[cfg(test)]
mod tests {
    use super::taken_from;

    #[test]
    fn one_period_has_one_form() {
        for (questions, expected) in [
            (
                &[
                    "revenue in H1 2026",
                    "first half of 2026",
                    "the first six months of 2026",
                    "revenue jan-jun 2026",
                    "from 1 January through 30 June 2026",
                    "2026 H1",
                ][..],
                &["2026-01…06"][..],
            ),
            (&["in Q3 2026", "third quarter of 2026", "July to September 2026", "2026 Q3 targets"], &["2026-07…09"]),
            (
                &["in March 2026", "in 03/2026", "mar 2026", "March of this year, 2026", "2026-03", "March '26"],
                &["2026-03"],
            ),
            (
                &["in 2025", "for the year 2025", "Between January and December 2025", "in '25", "Jan-Dec 2025"],
                &["2025"],
            ),
            (&["as of 30 June 2026", "June 30, 2026", "2026-06-30", "30.06.2026", "6/30/2026"], &["2026-06-30"]),
            (&["2024 but not 2025"], &["2024", "2025"]),
            (&["more than 40 days", "coupon WELCOME10", "in may", ""], &[]),
        ] {
            for question in questions {
                assert_eq!(taken_from(question, "").0, expected, "{question}");
            }
        }
    }
}
