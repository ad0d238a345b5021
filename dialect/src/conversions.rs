//! How one form of a value is made another in each engine: texts that are dates, numbers that count time, numbers inside codes.

use crate::Dialect;

/// Templates of what engines write differently.
#[derive(Debug)]
pub(crate) struct Conversions {
    /// The time that `{seconds}` since 1970 are.
    pub(crate) time_of_seconds: &'static str,
    /// The day that `{text}` says, by a `{form}` in the engine's own words.
    pub(crate) day_of_text: DayOfText,
    /// `{number}` as a text.
    pub(crate) as_text: &'static str,
    /// `{number}` as a text of `{digits}` digits, with zeros in front.
    pub(crate) zeros_in_front: &'static str,
    /// That `{text}` doesn't begin with what `{pattern}`, a literal, says in front of its `{any}`, case and all.
    pub(crate) not_beginning: &'static str,
    /// What stands for anything in such a pattern.
    pub(crate) any: &'static str,
    /// `{one}` and `{other}`, both texts, as one.
    pub(crate) joined: &'static str,
}

/// How a text is read as a day.
#[derive(Debug)]
pub(crate) enum DayOfText {
    /// By a function, with its words for two digits of the day, of the month, four of the year and the month's short name.
    Function {
        /// The call, with `{text}` and `{form}`.
        call: &'static str,
        /// Those words.
        words: [&'static str; 4],
    },
    /// There is no such function: the parts are taken out and put together, which sorts as the days do.
    Parts,
}

/// The words of `strptime` in C.
const C_WORDS: [&str; 4] = ["%d", "%m", "%Y", "%b"];

impl Conversions {
    /// What the SQL standard has, and most engines do.
    pub(crate) const USUAL: Self = Self {
        time_of_seconds: "to_timestamp({seconds})",
        day_of_text: DayOfText::Function { call: "to_date({text}, '{form}')", words: ["DD", "MM", "YYYY", "Mon"] },
        as_text: "CAST({number} AS VARCHAR)",
        zeros_in_front: "lpad(CAST({number} AS VARCHAR), {digits}, '0')",
        not_beginning: "{text} NOT LIKE {pattern}",
        any: "%",
        joined: "{one} || {other}",
    };
    pub(crate) const SQLITE: Self = Self {
        time_of_seconds: "datetime({seconds}, 'unixepoch')",
        day_of_text: DayOfText::Parts,
        as_text: "{number}",
        zeros_in_front: "printf('%0{digits}d', {number})",
        // Its LIKE doesn't mind case.
        not_beginning: "NOT ({text} GLOB {pattern})",
        any: "*",
        ..Self::USUAL
    };
    pub(crate) const MYSQL: Self = Self {
        time_of_seconds: "from_unixtime({seconds})",
        day_of_text: DayOfText::Function { call: "str_to_date({text}, '{form}')", words: C_WORDS },
        as_text: "{number}",
        zeros_in_front: "lpad({number}, {digits}, '0')",
        not_beginning: "{text} NOT LIKE BINARY {pattern}",
        joined: "concat({one}, {other})",
        ..Self::USUAL
    };
    pub(crate) const DUCKDB: Self =
        Self { day_of_text: DayOfText::Function { call: "strptime({text}, '{form}')", words: C_WORDS }, ..Self::USUAL };
    pub(crate) const CLICKHOUSE: Self = Self {
        time_of_seconds: "toDateTime({seconds})",
        day_of_text: DayOfText::Function { call: "parseDateTime({text}, '{form}')", words: C_WORDS },
        as_text: "toString({number})",
        zeros_in_front: "leftPad(toString({number}), {digits}, '0')",
        joined: "concat({one}, {other})",
        ..Self::USUAL
    };
}

impl Dialect {
    /// How seconds since 1970 are made a time: an expression over one.
    pub fn time_of_seconds(&self, seconds: &str) -> String {
        self.conversions().time_of_seconds.replace("{seconds}", seconds)
    }

    /// How a text, an expression, is read as the day that it is written in the form of `DD.MM.YYYY`; `None` where nobody knows which
    /// number is the month, or the engine can't read that form.
    pub fn day_of_text(&self, text: &str, form: &str) -> Option<String> {
        let parts: Vec<(&str, usize)> = parts_of(form);
        let place = |letter: char| parts.iter().find(|(part, _)| part.starts_with(letter)).copied();
        let [day, month, year] = [place('D')?, place('M')?, place('Y')?];
        let is_fixed = day.0.len() == 2 && year.0.len() == 4 && ["MM", "Mon"].contains(&month.0);
        match &self.conversions().day_of_text {
            DayOfText::Function { call, words: [day_word, month_word, year_word, name_word] } if year.0.len() == 4 => {
                let month_word = if month.0 == "Mon" { name_word } else { month_word };
                let mut written = String::new();
                let mut end = 0;
                for (part, start) in &parts {
                    written.push_str(&form[end..*start]);
                    written.push_str(match part.as_bytes().first() {
                        Some(b'D') => day_word,
                        Some(b'M') => month_word,
                        _ => year_word,
                    });
                    end = start + part.len();
                }
                Some(call.replace("{text}", text).replace("{form}", &written))
            }
            DayOfText::Parts if is_fixed && month.0 == "MM" => {
                let piece = |(part, start): (&str, usize)| format!("substr({text}, {}, {})", start + 1, part.len());
                Some(format!("{} || '-' || {} || '-' || {}", piece(year), piece(month), piece(day)))
            }
            _ => None,
        }
    }

    /// The condition that a text, an expression, doesn't begin with `word`, in that case.
    pub fn not_beginning(&self, text: &str, word: &str) -> String {
        let templates = self.conversions();
        let pattern = self.literal(&format!("{word}{}", templates.any));
        templates.not_beginning.replace("{text}", text).replace("{pattern}", &pattern)
    }

    /// A number, an expression, as it stands in codes: behind `prefix`, and with zeros in front up to so many digits, unless
    /// these are 0.
    pub fn code_of_number(&self, number: &str, prefix: &str, digits: u32) -> String {
        let templates = self.conversions();
        let text = match digits {
            0 => templates.as_text.replace("{number}", number),
            digits => templates.zeros_in_front.replace("{digits}", &digits.to_string()).replace("{number}", number),
        };
        match prefix {
            "" => text,
            prefix => templates.joined.replace("{one}", &self.literal(prefix)).replace("{other}", &text),
        }
    }
}

/// Runs of letters in a form, each with the place where it begins.
fn parts_of(form: &str) -> Vec<(&str, usize)> {
    let mut parts = Vec::new();
    let mut start = None;
    for (place, letter) in form.char_indices().chain([(form.len(), ' ')]) {
        let is_same = |start: usize| form[start..].chars().next().is_some_and(|first| first == letter);
        match start {
            None if letter.is_alphabetic() => start = Some(place),
            // `YYYYMMDD` has no signs in between; `Mon` is one part.
            Some(from) if !letter.is_alphabetic() || letter.is_uppercase() && !is_same(from) => {
                parts.push((&form[from..place], from));
                start = letter.is_alphabetic().then_some(place);
            }
            _ => {}
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use crate::Dialect;

    #[test]
    fn texts_are_read_as_days_in_each_engine() {
        for (dialect, form, expected) in [
            (
                Dialect::Sqlite,
                "DD.MM.YYYY",
                Some("substr(x, 7, 4) || '-' || substr(x, 4, 2) || '-' || substr(x, 1, 2)"),
            ),
            (Dialect::Sqlite, "D/M/YYYY", None),
            (Dialect::Postgres, "DD.MM.YYYY", Some("to_date(x, 'DD.MM.YYYY')")),
            (Dialect::Postgres, "D-Mon-YYYY", Some("to_date(x, 'DD-Mon-YYYY')")),
            (Dialect::Mysql, "MM/DD/YYYY", Some("str_to_date(x, '%m/%d/%Y')")),
            (Dialect::Duckdb, "YYYYMMDD", Some("strptime(x, '%Y%m%d')")),
            (Dialect::Clickhouse, "DD.MM.YYYY", Some("parseDateTime(x, '%d.%m.%Y')")),
            // Which of them is the month isn't known.
            (Dialect::Postgres, "??.??.YYYY", None),
            (Dialect::Postgres, "DD.MM.YY", None),
        ] {
            assert_eq!(dialect.day_of_text("x", form).as_deref(), expected, "{dialect} {form}");
        }
    }

    #[test]
    fn numbers_are_made_codes_in_each_engine() {
        for (dialect, prefix, digits, expected) in [
            (Dialect::Sqlite, "C", 5, "'C' || printf('%05d', id)"),
            (Dialect::Sqlite, "user_", 0, "'user_' || id"),
            (Dialect::Postgres, "", 6, "lpad(CAST(id AS VARCHAR), 6, '0')"),
            (Dialect::Mysql, "C", 5, "concat('C', lpad(id, 5, '0'))"),
            (Dialect::Clickhouse, "C", 5, "concat('C', leftPad(toString(id), 5, '0'))"),
        ] {
            assert_eq!(dialect.code_of_number("id", prefix, digits), expected);
        }
    }
}
