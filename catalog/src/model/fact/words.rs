//! What a fact says, in a few words for whoever writes a statement.

use dialect::Dialect;

use super::{DocumentPath, Fact, FactKind, TimeUnit};
use crate::model::structure::TableId;

/// Codes whose meanings are told, at most.
const TOLD_MEANINGS: usize = 12;
/// Values whose factors are told, at most.
const TOLD_FACTORS: usize = 6;

impl Fact {
    /// The same in a few words for whoever writes a statement, beside [`Fact::column`] where there is one.
    pub fn in_words(&self, dialect: &Dialect) -> String {
        let name = |column: &str| dialect.identifier(column);
        let literal = |value: &str| match value.parse::<f64>().is_ok() || ["true", "false"].contains(&value) {
            true => value.to_owned(),
            false => dialect.literal(value),
        };
        let quoted = |values: &[String]| values.iter().map(|value| literal(value)).collect::<Vec<_>>().join(", ");
        let there = |table: &TableId, column: &str| format!("{}.{}", table.written(dialect), name(column));
        let mostly = || match self.share() {
            share if share < 0.995 => format!(" in {:.0} % of the rows where it isn't 0", share * 100.0),
            _ => String::new(),
        };
        // What columns are called in the other table, where it is something else.
        let otherwise = |there: &str, here: &str, columns: &[(String, String)]| {
            const MOST: usize = 5;
            let time = (here.to_owned(), there.to_owned());
            let all = std::iter::once(&time).chain(columns.iter().filter(|pair| pair.0 != here));
            let differ = all.filter(|(here, there)| !here.eq_ignore_ascii_case(there)).take(MOST);
            let differ: Vec<String> =
                differ.map(|(here, there)| format!("{} as {}", name(here), name(there))).collect();
            if differ.is_empty() { String::new() } else { format!(" ({} there)", differ.join(", ")) }
        };
        match &self.kind {
            FactKind::TextDates { by: Some(by), .. } => {
                let of_value = |(value, form): &(String, String)| {
                    format!("{form} where {} is {}", name(&by.column), literal(value))
                };
                format!("dates written {}", by.forms.iter().map(of_value).collect::<Vec<_>>().join(", "))
            }
            FactKind::TextDates { form, .. } => format!("dates written {form}"),
            FactKind::CountedTime { unit, .. } => match unit {
                TimeUnit::Seconds => "Unix time in seconds".to_owned(),
                TimeUnit::Milliseconds => "Unix time in milliseconds".to_owned(),
                TimeUnit::SecondsOrMilliseconds => {
                    "Unix time in seconds, above 100000000000 in milliseconds".to_owned()
                }
                TimeUnit::SheetDays => "days since 1899-12-30".to_owned(),
            },
            FactKind::Placeholder { value, others, .. } => {
                let values: Vec<String> = std::iter::once(value).chain(others).cloned().collect();
                format!("{} for none in {}", either(&quoted(&values)), percent(self.share()))
            }
            FactKind::MarkedDeleted { column, value } => {
                let marks = match value {
                    Some(value) => format!("{} = {}", name(column), literal(value)),
                    None => format!("{} IS NOT NULL", name(column)),
                };
                format!("{} of the rows are marked as deleted ({marks})", percent(self.share()))
            }
            FactKind::TestRows { column, value, within } => {
                let marks = match within {
                    true => format!("{} begins with {}", name(column), dialect.literal(value)),
                    false => format!("{} = {}", name(column), literal(value)),
                };
                format!("{} of the rows are tests ({marks})", percent(self.share()))
            }
            FactKind::Computed { expression, broken, .. } => match broken {
                Some((column, first, last)) if first == last => {
                    format!("= {expression}, but not on {} {first}", name(column))
                }
                Some((column, first, last)) => {
                    format!("= {expression}, but not always for {} {first} to {last}", name(column))
                }
                None => format!("= {expression}{}", mostly()),
            },
            FactKind::ComputedWhile { expression, time, since, until, .. } => {
                format!("= {expression}, only for {}{}", name(time), span(since.as_deref(), until.as_deref()))
            }
            FactKind::ComputedBy { of, times, by, factors, .. } => {
                let told =
                    |(value, factor): &(String, f64)| format!("{} where {}", times_or_by(*factor), literal(value));
                let all: Vec<String> = factors.iter().take(TOLD_FACTORS).map(told).collect();
                let more = if factors.len() > TOLD_FACTORS { ", …" } else { "" };
                let times = times.as_ref().map(|times| format!(" * {}", name(times))).unwrap_or_default();
                format!("= {}{times} by {}: {}{more}", name(of), name(by), all.join(", "))
            }
            FactKind::OneFilled { columns } => {
                let columns = columns.iter().map(|column| name(column)).collect::<Vec<_>>().join(", ");
                format!("each row fills just one of {columns}")
            }
            FactKind::NegativeWhere { by, values, .. } => {
                format!("negative where {} is {}, and nowhere else", name(by), either(&quoted(values)))
            }
            FactKind::Versions { key, column, dated: true } => {
                let (key, from) = (name(key), name(column));
                format!(
                    "several rows for each {key}, each valid from {from} until the next: of a day, the last one up to it"
                )
            }
            FactKind::Versions { key, column, .. } => {
                format!("several rows for each {}, numbered by {}: the highest is the latest", name(key), name(column))
            }
            FactKind::OneRowPer { columns, over_time, level } => {
                let columns = columns.iter().map(|column| name(column)).collect::<Vec<_>>().join(", ");
                let level = level.as_deref().map_or_else(|| "a level".to_owned(), name);
                let sums = if *over_time { format!(": {level} doesn't add up over time") } else { String::new() };
                format!("one row for each ({columns}){sums}")
            }
            FactKind::History { key, from, until, open, has_null, has_later } => {
                let now = match open {
                    Some(value) => format!("= {}", literal(value)),
                    None if *has_null && *has_later => "IS NULL or later than today".to_owned(),
                    None if *has_null => "IS NULL".to_owned(),
                    None => "later than today".to_owned(),
                };
                format!(
                    "several rows for each {}, valid from {} to {}; valid now: {} {now}",
                    name(key),
                    name(from),
                    name(until),
                    name(until)
                )
            }
            FactKind::CodesChanged { time, since, before, after, .. } => {
                let codes =
                    |codes: &[String]| codes.iter().map(|code| dialect.literal(code)).collect::<Vec<_>>().join(", ");
                format!("codes {} before {since}, {} from then on (by {})", codes(before), codes(after), name(time))
            }
            FactKind::ScaleChanged { time, since, factor, only, .. } => {
                let of = only.as_ref().map(|(by, value)| format!(", where {} = {}", name(by), literal(value)));
                let of = of.unwrap_or_default();
                format!("{} from {} {since} on{of}", times_as_large(*factor), name(time))
            }
            FactKind::ConstantWhile { time, value, since, until, .. } => {
                format!("always {} for {}{}", literal(value), name(time), span(since.as_deref(), until.as_deref()))
            }
            FactKind::Peak { value, .. } => {
                format!("{} in {}, far more often than any other", literal(value), percent(self.share()))
            }
            FactKind::SetAside { column, value } => {
                format!("{} of the rows are set aside ({} = {})", percent(self.share()), name(column), literal(value))
            }
            FactKind::Replaces { key, by_other: true, .. } => {
                format!("in {}: the row with that {} counts in place of this one", percent(self.share()), name(key))
            }
            FactKind::Replaces { key, .. } => {
                format!(
                    "in {}: takes the place of the row with that {}, or takes it back; both are there",
                    percent(self.share()),
                    name(key)
                )
            }
            FactKind::ParentTotals { parent, marked: Some((by, value)), .. } => {
                format!("where {} = {}, the sum of the rows that name it as {}", name(by), literal(value), name(parent))
            }
            FactKind::ParentTotals { parent, .. } => {
                format!("of a row that others name as {}, the sum of theirs", name(parent))
            }
            FactKind::RepeatedAmount { key, .. } => {
                format!("of one {}, on each of its rows: add it up once", name(key))
            }
            FactKind::SharesOf { key, whole, .. } => {
                let key = key.iter().map(|column| name(column)).collect::<Vec<_>>().join(", ");
                format!("shares of one {key}, {whole} in all")
            }
            FactKind::HoursMinutes { example, .. } => {
                let (hours, minutes) = example.split_once('.').unwrap_or((example, "0"));
                format!(
                    "hours and minutes: {example} is {hours} h {} min",
                    format!("{minutes:0<2}").trim_start_matches('0')
                )
            }
            FactKind::CodesWhereFilled { values, filled, .. } => {
                format!("{} just where {} has a value", quoted(values), name(filled))
            }
            FactKind::ParallelRows { key, by, values, .. } => {
                let key = key.iter().map(|column| name(column)).collect::<Vec<_>>().join(", ");
                format!("the same for each {} ({}) of one {key}: take one of them", name(by), quoted(values))
            }
            FactKind::EndsNextDay { from, .. } => {
                format!("earlier than {} in {}: on the next day", name(from), percent(self.share()))
            }
            FactKind::CurrencyThere { via, other, other_column, is_likely, .. } => {
                let probably = if *is_likely { "probably " } else { "" };
                format!("{probably}in the currency of {}, by {}", there(other, other_column), name(via))
            }
            FactKind::ScaledThere { via, other, other_column, values, since, factor, .. } => {
                let (of, size) = (there(other, other_column), times_as_large(*factor));
                match since {
                    Some(since) => format!("{size} from {of} {since} on, by {}", name(via)),
                    None => format!("{size} where {of} is {}, by {}", either(&quoted(values)), name(via)),
                }
            }
            FactKind::NegativeThere { via, other, other_column, values, .. } => format!(
                "negative where {} is {}, by {}, and nowhere else",
                there(other, other_column),
                either(&quoted(values)),
                name(via)
            ),
            FactKind::CodesWhile { time, values, since, until, .. } => {
                format!("{} only for {}{}", quoted(values), name(time), span(since.as_deref(), until.as_deref()))
            }
            FactKind::ScaledBy { by, values, factor, .. } => {
                format!("{} where {} is {}", times_as_large(*factor), name(by), either(&quoted(values)))
            }
            FactKind::RunningTotal { key, time, .. } => {
                let key = key.iter().map(|column| name(column)).collect::<Vec<_>>().join(", ");
                format!("a running count of each {key} by {}: take differences, not sums", name(time))
            }
            FactKind::MarkedOne { value, key, .. } => {
                format!("{} in at most one row of each {}", literal(value), name(key))
            }
            FactKind::OtherClock { of, ahead, .. } => {
                let hours = ahead.iter().map(|minutes| number(f64::from(*minutes) / 60.0)).collect::<Vec<_>>();
                format!("{} on another clock, {} h ahead", name(of), hours.join(" or "))
            }
            FactKind::OtherDay { time, begins, is_ahead: false, .. } => {
                format!("day of {}, before {begins}:00 the day before", name(time))
            }
            FactKind::OtherDay { time, begins, .. } => {
                format!("day of {}, from {begins}:00 on the next day", name(time))
            }
            FactKind::ClockBy { by, values, .. } => {
                format!("on the clock that {} names ({})", name(by), quoted(values))
            }
            FactKind::SignedBy { by, values, .. } => {
                format!("never negative: {} says which way ({})", name(by), quoted(values))
            }
            FactKind::OddForm { form, values, .. } => {
                format!("like {form}, but for {}: {}", percent(self.share()), quoted(values))
            }
            FactKind::List { separator, .. } => {
                /// Where fewer texts have several, nobody who looks at some sees it.
                const FEW: f64 = 0.15;
                let how_many =
                    if self.share() < FEW { format!(" in {}", percent(self.share())) } else { String::new() };
                format!("several values in one text{how_many}, with {} between", literal(separator))
            }
            FactKind::WrittenNumbers { example, .. } => {
                format!("numbers as text, such as {}", dialect.literal(example))
            }
            FactKind::PastMidnight { until, .. } => format!("goes on past midnight, up to {until}"),
            FactKind::Repeated { key } => {
                let key = key.iter().map(|column| name(column)).collect::<Vec<_>>().join(", ");
                format!("{} of the rows repeat another one but for {key}", percent(self.share()))
            }
            FactKind::OtherYear { time, month, by_end, .. } => {
                let called = if *by_end { "ends" } else { "begins" };
                format!("year of {} that begins in month {month}, called by where it {called}", name(time))
            }
            FactKind::NamedValues { name: names_in, value, names } => {
                format!("{} says what {} holds: {} …", name(names_in), name(value), quoted(names))
            }
            FactKind::MeaningBy { by, values, units: true, .. } if are_currencies(by, values) => {
                format!("its currency is in {}", name(by))
            }
            FactKind::MeaningBy { by, values, units: true, .. } => {
                format!("its unit, currency or period is in {} ({})", name(by), quoted(values))
            }
            FactKind::MeaningBy { by, values, .. } => {
                format!("refers to the table that {} says ({})", name(by), quoted(values))
            }
            FactKind::Paths { paths, .. } => {
                let path = |path: &DocumentPath| {
                    let share = if path.share < 0.995 { format!(" {}", percent(path.share)) } else { String::new() };
                    let values =
                        if path.values.is_empty() { String::new() } else { format!(" {}", quoted(&path.values)) };
                    let when = span(path.since.as_deref(), path.until.as_deref());
                    format!("{} {}{values}{share}{when}", path.path, path.holds)
                };
                format!("JSON: {}", paths.iter().map(path).collect::<Vec<_>>().join(", "))
            }
            FactKind::TotalRows { column, value, measure, without } => {
                let without = without.iter().map(|other| format!(" but {}, a total as well", literal(other)));
                let (column, value, without) = (name(column), literal(value), without.collect::<String>());
                format!("rows with {column} = {value} add up {} of the others{without}", name(measure))
            }
            FactKind::RowsChanged { column, since, factor } => {
                let times = |factor: f64| format!("about {factor:.0} times as many rows a month");
                match *factor >= 1.0 {
                    true => format!("{} from {} {since} on as before", times(*factor), name(column)),
                    false => format!("{} before {} {since} as from then on", times(1.0 / factor), name(column)),
                }
            }
            FactKind::NegativeWhile { time, since, until, only, .. } => {
                let since = since.iter().map(|day| format!(" from {day} on"));
                let until = until.iter().map(|day| format!(" up to {day}"));
                let only = only.iter().map(|(by, value)| format!(" where {} = {}", name(by), literal(value)));
                let when = since.chain(until).collect::<String>();
                format!("negative{} only for {}{when}", only.collect::<String>(), name(time))
            }
            FactKind::Filtered { condition } => format!("only rows where {condition}"),
            FactKind::Twin { of, empty, .. } => format!("mostly as {}, and empty in {}", name(of), percent(*empty)),
            FactKind::FilledWhile { time, since, until, .. } => {
                let since = since.iter().map(|day| format!(" from {day}"));
                let until = until.iter().map(|day| format!(" up to {day}"));
                let while_ = since.chain(until).collect::<String>();
                format!("filled only for {}{while_}", name(time))
            }
            FactKind::Gap { column, from, until, of, sampled } => {
                let none = if *sampled { "hardly any rows" } else { "no rows" };
                let of = of.iter().map(|(column, value)| format!(" of {} {}", name(column), literal(value)));
                let when = if from == until { format!("in {from}") } else { format!("from {from} to {until}") };
                format!("{none}{} for {} {when}", of.collect::<String>(), name(column))
            }
            FactKind::Spellings { groups, .. } => {
                let groups = groups.iter().map(|group| quoted(group).replace(", ", " = "));
                format!("alike: {}", groups.collect::<Vec<_>>().join("; "))
            }
            FactKind::Scaled { expression, columns, summed, other, other_column, factor } => {
                let there = there(other, other_column);
                let is_whole = expression.as_str() == name(columns.first().map_or("", String::as_str));
                let here = match (summed, is_whole) {
                    (true, _) => format!("sum({expression})"),
                    (false, true) => String::new(),
                    (false, false) => expression.clone(),
                };
                let times = match *factor {
                    factor if (factor - 1.0).abs() < 1e-9 => String::new(),
                    factor if factor > 1.0 => format!(" × {}", number(factor)),
                    factor => format!(" / {}", number(1.0 / factor)),
                };
                format!("{here}{times} = {there}{}", mostly()).trim_start().to_owned()
            }
            FactKind::Continued { column, until, by, by_column, overlaps, columns } => {
                let before = if *overlaps { ", from before that" } else { "" };
                let there = by.written(dialect);
                format!(
                    "{} ends {until}; {there} goes on{before}{}",
                    name(column),
                    otherwise(by_column, column, columns)
                )
            }
            FactKind::Preceded { column, since, by, by_column, overlaps, columns } => {
                let after = if *overlaps { ", some from after that" } else { "" };
                let (column_name, there) = (name(column), by.written(dialect));
                let otherwise = otherwise(by_column, column, columns);
                format!("{column_name} begins {since}; earlier rows are in {there}{after}{otherwise}")
            }
            FactKind::CopyOf { table, column, other_column, until, columns } => {
                let until = until.iter().map(|day| format!(", up to {day}")).collect::<String>();
                // Of few, the rows that were looked at may be where they are.
                let rows = if self.share() < 0.5 { "some".to_owned() } else { percent(self.share()) };
                let there = table.written(dialect);
                let otherwise = otherwise(other_column, column, columns);
                format!("{rows} of its rows are in {there} by {}{until}{otherwise}", name(column))
            }
            FactKind::CodesOtherwise { form, other, other_column, other_form, .. } => {
                format!("{form}; {} has {other_form}", there(other, other_column))
            }
            FactKind::Homonym { other, other_column, .. } => {
                format!("nothing in common with {}", there(other, other_column))
            }
            FactKind::CodedBy { table, code_column, list_column, list, meanings, language, are_texts, .. } => {
                let some: Vec<String> = meanings
                    .iter()
                    .take(TOLD_MEANINGS)
                    .map(|(code, text)| (if *are_texts { dialect.literal(code) } else { literal(code) }, text))
                    .map(|(code, text)| format!("{code} = {}", dialect.literal(text)))
                    .collect();
                let more = if meanings.len() > TOLD_MEANINGS { ", …" } else { "" };
                let language =
                    language.iter().map(|(column, said)| format!(" and {} = {}", name(column), dialect.literal(said)));
                format!(
                    "{}{more} (-> {} where {} = {}{})",
                    some.join(", "),
                    there(table, code_column),
                    name(list_column),
                    dialect.literal(list),
                    language.collect::<String>()
                )
            }
            FactKind::RefersLike { table, ref_column, differs, .. } => {
                format!("-> {}, written {}", there(table, ref_column), differs.join(" and "))
            }
            FactKind::RefersToSeveral { table, ref_column, values, .. } => {
                format!("-> {}, where several rows have {}", there(table, ref_column), either(&quoted(values)))
            }
            FactKind::RefersAs { table, ref_column, prefix, digits, .. } => {
                let number = match digits {
                    0 => String::new(),
                    digits => format!(" with {digits} digits"),
                };
                let before = if prefix.is_empty() { String::new() } else { format!("{} and ", literal(prefix)) };
                format!("-> {before}{}{number}", there(table, ref_column))
            }
        }
    }
}

/// ` from 2024-03-01 on`, ` up to 2024-02-29`; nothing where it is always.
fn span(since: Option<&str>, until: Option<&str>) -> String {
    let since = since.map(|day| format!(" from {day} on"));
    let until = until.map(|day| format!(" up to {day}"));
    since.into_iter().chain(until).collect()
}

/// A factor, whichever way it goes.
fn times_as_large(factor: f64) -> String {
    match factor {
        larger if larger > 1.0 => format!("about {} times as large", number(larger)),
        smaller => format!("about 1/{} as large", number(1.0 / smaller)),
    }
}

/// Whether values are currencies, by how they are written and what their column is called: `KGM` and `PCE` are units.
fn are_currencies(column: &str, values: &[String]) -> bool {
    const CALLED: [&str; 9] = ["curr", "ccy", "waehr", "währ", "whg", "moneda", "devise", "valut", "moeda"];
    let is_code = |value: &String| value.len() == 3 && value.bytes().all(|byte| byte.is_ascii_uppercase());
    let column = column.to_lowercase();
    CALLED.iter().any(|name| column.contains(name)) && values.iter().all(is_code)
}

/// `'a', 'b' or 'c'`.
fn either(list: &str) -> String {
    match list.rsplit_once(", ") {
        Some((first, last)) => format!("{first} or {last}"),
        None => list.to_owned(),
    }
}

/// `12 %`, or `0.3 %` where it is little.
fn percent(share: f64) -> String {
    match share * 100.0 {
        percent if percent < 0.05 => "a few".to_owned(),
        percent if percent < 1.0 => format!("{percent:.1} %"),
        percent => format!("{percent:.0} %"),
    }
}

/// A factor without decimals that aren't there.
fn number(factor: f64) -> String {
    let rounded = (factor * 1000.0).round() / 1000.0;
    format!("{rounded}")
}

/// A number that something is multiplied by, or divided by where people say it so: `* 1.19`, `/ 60`.
fn times_or_by(factor: f64) -> String {
    const NEAR: f64 = 0.001;
    let divisor = (1.0 / factor).round();
    match divisor >= 2.0 && (divisor * factor - 1.0).abs() < NEAR {
        true => format!("/ {divisor}"),
        false => format!("* {factor}"),
    }
}
