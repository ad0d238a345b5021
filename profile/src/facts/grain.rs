//! What one row is, which rows aren't like the others, and when there are none.

use std::collections::{BTreeMap, HashMap, HashSet};

use catalog::{Column, Fact, FactKind, TableKind};

use super::sheet::{Sheet, SheetColumn, day};
use super::switches::VERSIONS;
use super::words_of;

pub(super) fn facts(sheet: &Sheet<'_>) -> Vec<Fact> {
    let mut facts = Vec::new();
    facts.extend(history(sheet));
    if facts.is_empty() {
        facts.extend(versions(sheet));
    }
    if facts.is_empty() {
        facts.extend(one_row_per(sheet));
    }
    facts.extend(named_values(sheet));
    facts.extend(twins(sheet));
    facts.extend(filled_while(sheet));
    facts.extend(filtered(sheet));
    facts.extend(repeated(sheet));
    facts
}

fn names(columns: &[&SheetColumn<'_>]) -> Vec<String> {
    columns.iter().map(|column| column.column.name.clone()).collect()
}

/// Whether no two of the rows have the same values in these columns.
fn is_unique(sheet: &Sheet<'_>, columns: &[&SheetColumn<'_>]) -> bool {
    let mut seen = HashSet::with_capacity(sheet.rows);
    (0..sheet.rows)
        .all(|row| seen.insert(columns.iter().map(|column| column.texts[row].as_deref()).collect::<Vec<_>>()))
}

/// Rows of a thing that are numbered as often as it has changed, or say from when they hold.
fn versions(sheet: &Sheet<'_>) -> Option<Fact> {
    /// Things with more than one row, the share of them whose rows are numbered without a gap, and rows of one thing.
    const LEAST: usize = 8;
    const WHOLE: f64 = 0.9;
    const MOST: usize = 24;
    let is_number = |column: &&SheetColumn<'_>| {
        let numbers = || column.numbers.iter();
        let least = numbers().flatten().copied().fold(f64::INFINITY, f64::min);
        let are_whole = || numbers().all(|it| it.is_some_and(|it| it.fract() == 0.0));
        column.has_word(&VERSIONS) && are_whole() && (0.0..=1.0).contains(&least)
    };
    // A day from which it holds, of what has no end.
    let is_beginning = |column: &&SheetColumn<'_>| {
        let is_named = column.has_word(&words_of::BEGINS) && !column.has_word(&words_of::ENDS);
        is_named && column.is_time() && column.empty() == 0.0
    };
    let has_ends = sheet.columns.iter().any(|column| column.is_time() && column.has_word(&words_of::ENDS));
    let beginning = || sheet.columns.iter().find(is_beginning).filter(|_| !has_ends);
    let column = sheet.columns.iter().find(is_number).or_else(beginning)?;
    /// Different kinds, at most.
    const KINDS: u64 = 6;
    let is_thing = |thing: &&SheetColumn<'_>| {
        let both = [*thing, column];
        thing.column.name != column.column.name
            && (thing.is_key || thing.is_text())
            && !thing.is_time()
            && thing.empty() == 0.0
            && (sheet.is_whole() || is_declared(sheet, &both))
            && is_unique(sheet, &both)
    };
    let found = sheet.columns.iter().filter(is_thing).find(|thing| {
        let groups = sheet.groups(&[*thing]);
        let several: Vec<&Vec<usize>> = groups.iter().filter(|rows| rows.len() > 1).collect();
        let is_in_line = |rows: &&&Vec<usize>| {
            let numbers = || rows.iter().filter_map(|row| column.numbers[*row]);
            let (least, most) = (numbers().fold(f64::INFINITY, f64::min), numbers().fold(f64::NEG_INFINITY, f64::max));
            least <= 1.0 && most - least + 1.0 == rows.len() as f64
        };
        // Of some of the rows, a few of a thing's are there.
        let are_versions = match column.is_time() {
            true => several.iter().all(|rows| rows.len() <= MOST),
            false if !sheet.is_whole() => true,
            false => several.iter().filter(is_in_line).count() as f64 >= WHOLE * several.len() as f64,
        };
        // One row for each of few kinds: those of two systems beside each other.
        let is_kind = |kind: &&SheetColumn<'_>| {
            (2..=KINDS).contains(&kind.different())
                && !kind.is_time()
                && kind.empty() == 0.0
                && is_unique(sheet, &[*thing, *kind])
        };
        let are_kinds = column.is_time() && sheet.columns.iter().any(|kind| is_kind(&kind));
        several.len() >= LEAST && are_versions && !are_kinds
    })?;
    let (key, name) = (sheet.name(found), sheet.name(column));
    let proof = format!("SELECT {key}, count(*), max({name}) FROM {} GROUP BY {key} HAVING count(*) > 1", sheet.from());
    let kind = FactKind::Versions {
        key: found.column.name.clone(),
        column: column.column.name.clone(),
        dated: column.is_time(),
    };
    Some(Fact::new(kind, sheet.rows as u64, sheet.rows as u64, proof))
}

/// A row for each thing and day: states that aren't to be added up over time.
fn one_row_per(sheet: &Sheet<'_>) -> Option<Fact> {
    /// Different things and days that there must be, and different values of what tells things apart together with another.
    const LEAST: u64 = 4;
    const LEAST_TOGETHER: u64 = 2;
    /// How full the grid of things and days must be: events don't come once a day to each thing.
    const FULL: std::ops::RangeInclusive<f64> = 0.4..=1.05;
    let rows = sheet.row_count()?;
    let repeats = |column: &&SheetColumn<'_>| {
        let different = column.different();
        different >= LEAST_TOGETHER && (different as f64) < 0.7 * rows && column.empty() == 0.0
    };
    // A site or a kind is a thing as well, where it is a short text.
    let is_thing = |column: &&SheetColumn<'_>| {
        !column.is_time() && (column.is_key || column.is_text() && column.different() <= 60)
    };
    let things: Vec<&SheetColumn<'_>> = sheet.columns.iter().filter(is_thing).filter(repeats).take(5).collect();
    // Days, or moments at which many things are looked at together.
    let is_day = |column: &&SheetColumn<'_>| {
        let are_days = || column.times.iter().flatten().all(|second| second % 86_400 == 0);
        column.is_time() && (are_days() || (column.different() * LEAST) as f64 <= rows)
    };
    let periods = ["month", "period", "week", "quarter", "year", "day", "monat", "periode", "woche", "yearmonth", "ym"];
    let is_period = |column: &&SheetColumn<'_>| is_day(column) || (!column.is_time() && column.has_word(&periods));
    let are_many = |column: &&SheetColumn<'_>| column.different() >= LEAST;
    let days = sheet.columns.iter().filter(is_period).filter(repeats).filter(are_many);
    let days: Vec<&SheetColumn<'_>> = days.take(4).collect();
    let mut chosen: Vec<Vec<&SheetColumn<'_>>> = Vec::new();
    for day in &days {
        for (place, thing) in things.iter().enumerate().filter(|(_, thing)| thing.column.name != day.column.name) {
            if are_many(thing) {
                chosen.push(vec![thing, day]);
            }
            chosen.extend(
                things[place + 1..]
                    .iter()
                    .filter(|other| other.column.name != day.column.name)
                    .map(|other| vec![*thing, *other, *day]),
            );
        }
    }
    chosen.sort_by_key(Vec::len);
    let found = chosen.into_iter().find(|columns| {
        let cells: f64 = columns.iter().map(|column| column.different() as f64).product();
        FULL.contains(&(rows / cells)) && is_unique(sheet, columns)
    })?;
    let level = level_among(sheet, &found);
    let is_level = level.is_some();
    let is_declared = is_declared(sheet, &found);
    // Of some of the rows no two are the same by chance, and a key says by itself what a row is.
    if !(is_declared || sheet.is_whole()) || is_declared && !is_level || sheet.table.kind != TableKind::Table {
        return None;
    }
    let written: Vec<String> = found.iter().map(|column| sheet.name(column)).collect();
    let list = written.join(", ");
    let proof = format!(
        "SELECT count(*) FROM (SELECT {list} FROM {} GROUP BY {list} HAVING count(*) > 1) AS several",
        sheet.from()
    );
    let kind = FactKind::OneRowPer { columns: names(&found), over_time: is_level, level: level.map(str::to_owned) };
    Some(Fact::new(kind, sheet.rows as u64, sheet.rows as u64, proof))
}

/// Whether a declared key says already what a row is.
fn is_declared(sheet: &Sheet<'_>, columns: &[&SheetColumn<'_>]) -> bool {
    let covers =
        |key: &[String]| key.len() == columns.len() && columns.iter().all(|column| key.contains(&column.column.name));
    covers(&sheet.table.primary_key) || sheet.table.indexes.iter().any(|index| index.unique && covers(&index.columns))
}

/// A quantity that is a level: from one time to the next it changes little beside how far things differ from each other.
fn level_among<'s>(sheet: &Sheet<'s>, columns: &[&SheetColumn<'_>]) -> Option<&'s str> {
    const STEADY: f64 = 0.3;
    /// How many times as far as half of them quantities lie from the middle on average, at most.
    const FAR: f64 = 2.0;
    let (time, things) = columns.split_last()?;
    let mut by_thing: HashMap<Vec<Option<&str>>, Vec<(&str, usize)>> = HashMap::new();
    for row in 0..sheet.rows {
        let thing = things.iter().map(|thing| thing.texts[row].as_deref()).collect();
        by_thing.entry(thing).or_default().push((time.texts[row].as_deref().unwrap_or_default(), row));
    }
    by_thing.values_mut().for_each(|rows| rows.sort_unstable());
    let is_level = |measure: &&SheetColumn<'_>| {
        let values: Vec<f64> = measure.numbers.iter().flatten().copied().collect();
        // By the middle of all, which totals among them don't move.
        let middle = middle(&values);
        let apart: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
        let mean = apart.iter().sum::<f64>() / apart.len().max(1) as f64;
        let spread = mean.min(FAR * self::middle(&apart));
        let neighbours = by_thing.values().flat_map(|rows| rows.windows(2));
        let steps: Vec<f64> = neighbours
            .filter_map(|pair| Some((measure.numbers[pair[1].1]? - measure.numbers[pair[0].1]?).abs()))
            .collect();
        let step = steps.iter().sum::<f64>() / steps.len().max(1) as f64;
        steps.len() >= 20 && spread > 0.0 && step < STEADY * spread
    };
    // What is counted in each time adds up.
    const ADDING_UP: [&str; 18] = [
        "count",
        "cnt",
        "anzahl",
        "num",
        "number",
        "nb",
        "target",
        "plan",
        "planned",
        "forecast",
        "sales",
        "sold",
        "revenue",
        "umsatz",
        "usage",
        "used",
        "consumption",
        "hours",
    ];
    let is_measure = |column: &&SheetColumn<'_>| {
        let adds_up =
            column.has_word(&ADDING_UP) || column.has_word(&words_of::MONEY) && !column.has_word(&["balance"]);
        column.is_numeric() && !column.is_key && column.different() > 5 && !adds_up
    };
    let level = sheet.columns.iter().filter(is_measure).find(|measure| is_level(measure));
    level.map(|measure| measure.column.name.as_str())
}

fn middle(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

/// Several rows for a thing, of which each holds for a time.
fn history(sheet: &Sheet<'_>) -> Option<Fact> {
    const VALIDITY: [&str; 12] =
        ["vf", "vt", "vfrom", "vto", "valid", "gueltig", "gültig", "effective", "eff", "begda", "endda", "validity"];
    let times: Vec<&SheetColumn<'_>> = sheet.columns.iter().filter(|column| column.is_time()).collect();
    let from = times.iter().find(|column| column.has_word(&words_of::BEGINS) && !column.has_word(&words_of::ENDS))?;
    let until = times.iter().find(|column| column.has_word(&words_of::ENDS))?;
    let in_order = (0..sheet.rows).filter_map(|row| Some(from.times[row]? <= until.times[row]?));
    let (ordered, both) = in_order.fold((0, 0), |(ordered, both), is| (ordered + usize::from(is), both + 1));
    if both < 10 || (ordered as f64) < 0.98 * f64::from(both) {
        return None;
    }
    let rows = sheet.row_count()?;
    let is_thing = |column: &&SheetColumn<'_>| {
        let different = column.different();
        column.is_key
            && !column.is_time()
            && different >= 5
            && (different as f64) < 0.95 * rows
            && column.empty() == 0.0
    };
    let things = || sheet.columns.iter().filter(is_thing);
    let key = things().find_map(|key| Some((key, following(sheet, key, from, until)?)));
    let (key, (held, looked_at)) = match key {
        Some(found) => found,
        // Things of which several hold at once don't follow each other.
        None if things().next().is_some_and(|key| overlap(sheet, key, from, until)) => return None,
        // Of some of many rows the neighbours aren't seen; then the names have to say it.
        None if !sheet.is_whole() && (from.has_word(&VALIDITY) || until.has_word(&VALIDITY)) => {
            (things().next()?, (sheet.rows, sheet.rows))
        }
        None => return None,
    };
    // What ends after the newest beginning, and hasn't ended, ends in the future, but for one day that many have.
    let newest = from.times.iter().flatten().copied().filter(|at| super::sheet::EVENTS.contains(at)).max()?;
    let newest = newest.max(sheet.profile.profiled_at.as_second());
    let mut later: HashMap<&str, usize> = HashMap::new();
    for (text, at) in until.texts.iter().zip(&until.times) {
        if let (Some(text), Some(at)) = (text, at)
            && *at > newest
        {
            *later.entry(text).or_default() += 1;
        }
    }
    let has_null = until.empty() > 0.0;
    let marker = later.iter().max_by(|one, two| one.1.cmp(two.1).then(two.0.cmp(one.0)));
    let marker = marker.filter(|(_, count)| !has_null && **count >= 5 && **count * 20 >= sheet.rows);
    let open = marker.map(|(text, _)| (*text).to_owned());
    let has_later = later.keys().any(|text| Some(*text) != open.as_deref());
    let (name, list) = (sheet.name(key), [sheet.name(key), sheet.name(from), sheet.name(until)].join(", "));
    let proof = format!("SELECT {list} FROM {} ORDER BY {name}, {} LIMIT 20", sheet.from(), sheet.name(from));
    let kind = FactKind::History {
        key: key.column.name.clone(),
        from: from.column.name.clone(),
        until: until.column.name.clone(),
        open,
        has_null,
        has_later,
    };
    Some(Fact::new(kind, held as u64, looked_at as u64, proof))
}

/// How many neighbouring rows of a thing go on where the one before ended, of how many; `None` where most don't.
fn following(
    sheet: &Sheet<'_>,
    key: &SheetColumn<'_>,
    from: &SheetColumn<'_>,
    until: &SheetColumn<'_>,
) -> Option<(usize, usize)> {
    const A_DAY: i64 = 86_400;
    let mut by_key: HashMap<&str, Vec<(i64, Option<i64>)>> = HashMap::new();
    for row in 0..sheet.rows {
        let (Some(key), Some(start)) = (key.texts[row].as_deref(), from.times[row]) else { continue };
        by_key.entry(key).or_default().push((start, until.times[row]));
    }
    let (mut follow, mut pairs, mut at_once) = (0, 0, 0);
    for periods in by_key.values_mut() {
        periods.sort_unstable();
        for neighbours in periods.windows(2) {
            let (earlier, later) = (neighbours[0], neighbours[1]);
            pairs += 1;
            // On the day after, or at that very moment; what merely happens next is no version.
            follow += usize::from(earlier.1.is_some_and(|end| [0, 1, A_DAY].contains(&(later.0 - end))));
            at_once += usize::from(later.0 == earlier.0 || earlier.1.is_none_or(|end| end > later.0));
        }
    }
    (pairs >= 5 && follow * 10 >= pairs * 7 && at_once * 20 <= pairs).then_some((follow, pairs))
}

/// Whether rows of one thing hold at the same time, seen in some of them.
fn overlap(sheet: &Sheet<'_>, key: &SheetColumn<'_>, from: &SheetColumn<'_>, until: &SheetColumn<'_>) -> bool {
    let mut by_key: HashMap<&str, Vec<(i64, i64)>> = HashMap::new();
    for row in 0..sheet.rows {
        let (Some(key), Some(start)) = (key.texts[row].as_deref(), from.times[row]) else { continue };
        by_key.entry(key).or_default().push((start, until.times[row].unwrap_or(i64::MAX)));
    }
    by_key.values_mut().any(|periods| {
        periods.sort_unstable();
        periods.windows(2).any(|pair| pair[1].0 < pair[0].1)
    })
}

/// Names and values in rows: what a value is depends on its name.
fn named_values(sheet: &Sheet<'_>) -> Option<Fact> {
    const NAME: [&str; 22] = [
        "attr",
        "attribute",
        "key",
        "name",
        "field",
        "property",
        "prop",
        "param",
        "parameter",
        "code",
        "tag",
        "merkmal",
        "meta",
        "metric",
        "characteristic",
        "kind",
        "type",
        "typ",
        "label",
        "setting",
        "option",
        "nm",
    ];
    const VALUE: [&str; 14] = [
        "value",
        "val",
        "wert",
        "data",
        "content",
        "valeur",
        "valor",
        "v",
        "vl",
        "text",
        "reading",
        "result",
        "auspraegung",
        "values",
    ];
    let is_name = |column: &&SheetColumn<'_>| {
        let short = column.texts.iter().flatten().all(|text| text.len() <= 40);
        column.is_text() && column.has_word(&NAME) && short && (2..=200).contains(&column.different())
    };
    let value = sheet
        .columns
        .iter()
        .find(|column| column.is_text() && !column.is_time() && column.has_word(&VALUE) && !is_name(column))?;
    let mut best = None;
    for name in sheet.columns.iter().filter(is_name) {
        let mut by_name: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for row in 0..sheet.rows {
            let (Some(name), Some(value)) = (name.texts[row].as_deref(), value.texts[row].as_deref()) else { continue };
            let (numbers, all) = by_name.entry(name).or_default();
            *numbers += usize::from(value.trim().replace(',', ".").parse::<f64>().is_ok());
            *all += 1;
        }
        let shares: Vec<f64> =
            by_name.values().filter(|(_, all)| *all >= 3).map(|(numbers, all)| *numbers as f64 / *all as f64).collect();
        let is_mixed = shares.iter().any(|share| *share > 0.9) && shares.iter().any(|share| *share < 0.1);
        if is_mixed || have_their_own(name, value) {
            let mut frequent: Vec<(&str, usize)> = by_name.iter().map(|(name, (_, all))| (*name, *all)).collect();
            frequent.sort_by(|left, right| right.1.cmp(&left.1).then(left.0.cmp(right.0)));
            best = Some((name, frequent.into_iter().take(6).map(|(name, _)| name.to_owned()).collect::<Vec<_>>()));
            break;
        }
    }
    let (name, shown) = best?;
    let written = sheet.name(name);
    let proof = format!(
        "SELECT {written}, count(*), min({0}), max({0}) FROM {1} GROUP BY {written}",
        sheet.name(value),
        sheet.from()
    );
    let kind = FactKind::NamedValues { name: name.column.name.clone(), value: value.column.name.clone(), names: shown };
    Some(Fact::new(kind, sheet.rows as u64, sheet.rows as u64, proof))
}

/// Whether most names have values that no other name has, each several times: texts of which each is one of a few.
fn have_their_own(name: &SheetColumn<'_>, value: &SheetColumn<'_>) -> bool {
    const NAMES: usize = 3;
    const OFTEN: usize = 5;
    let mut names_of: HashMap<&str, HashMap<&str, usize>> = HashMap::new();
    for (name, value) in name.texts.iter().zip(&value.texts) {
        if let (Some(name), Some(value)) = (name, value) {
            *names_of.entry(value).or_default().entry(name).or_default() += 1;
        }
    }
    let (mut own, mut shared): (HashMap<&str, usize>, usize) = (HashMap::new(), 0);
    for names in names_of.values() {
        match names.iter().next() {
            Some((name, count)) if names.len() == 1 && *count >= OFTEN => *own.entry(name).or_default() += count,
            _ => shared += names.values().sum::<usize>(),
        }
    }
    own.len() >= NAMES && own.values().sum::<usize>() >= shared
}

/// Columns that repeat another one, or did.
fn twins(sheet: &Sheet<'_>) -> Vec<Fact> {
    let mut facts = Vec::new();
    let related = |one: &Column, two: &Column| {
        const MARKS: [&str; 14] =
            ["old", "new", "alt", "neu", "bak", "copy", "legacy", "prev", "orig", "tmp", "2", "1", "v2", "x"];
        let (left, right) = (words::in_identifier(&one.name), words::in_identifier(&two.name));
        let rest =
            |words: &[String]| words.iter().filter(|word| !MARKS.contains(&word.as_str())).cloned().collect::<Vec<_>>();
        rest(&left) == rest(&right) && left.len() >= right.len()
    };
    for (place, column) in sheet.columns.iter().enumerate() {
        for of in sheet.columns.iter().enumerate().filter(|(other, _)| *other != place).map(|(_, of)| of) {
            if column.is_key != of.is_key
                || column.is_numeric() != of.is_numeric()
                || column.different() < 5
                || column.is_time() != of.is_time()
            {
                continue;
            }
            let both: Vec<bool> = (0..sheet.rows)
                .filter_map(|row| Some(column.texts[row].as_ref()? == of.texts[row].as_ref()?))
                .collect();
            let same = both.iter().filter(|same| **same).count();
            let is_emptier = column.empty() > of.empty() + 0.02;
            let by_name = related(column.column, of.column) && both.len() >= 5 && same * 10 >= both.len() * 6;
            let by_values =
                !column.is_time() && both.len() >= 30 && same * 100 >= both.len() * 95 && column.different() >= 20;
            if is_emptier && (by_name || by_values) {
                let (name, other) = (sheet.name(column), sheet.name(of));
                let proof = format!(
                    "SELECT count({name}), sum(CASE WHEN {name} = {other} THEN 1 ELSE 0 END) FROM {}",
                    sheet.from()
                );
                let kind = FactKind::Twin {
                    column: column.column.name.clone(),
                    of: of.column.name.clone(),
                    empty: super::rounded(column.empty()),
                };
                facts.push(Fact::new(kind, same as u64, both.len() as u64, proof));
                break;
            }
        }
    }
    facts
}

/// Columns that began to be filled on a day, or ended.
fn filled_while(sheet: &Sheet<'_>) -> Vec<Fact> {
    /// Values that there would have been on the empty side, had it been filled like the other.
    const EXPECTED: f64 = 12.0;
    let Some(time) = sheet.time().filter(|_| sheet.is_even()) else { return Vec::new() };
    let mut rows: Vec<(i64, usize)> = (0..sheet.rows).filter_map(|row| Some((time.times[row]?, row))).collect();
    rows.retain(|(at, _)| super::sheet::EVENTS.contains(at));
    rows.sort_unstable();
    let mut facts = Vec::new();
    for column in sheet.columns.iter().filter(|column| (0.05..0.97).contains(&column.empty())) {
        if super::kinds::is_filled_by_kind(sheet, column) {
            continue;
        }
        let filled: Vec<bool> = rows.iter().map(|(_, row)| column.texts[*row].is_some()).collect();
        let (Some(first), Some(last)) = (filled.iter().position(|is| *is), filled.iter().rposition(|is| *is)) else {
            continue;
        };
        let rate = filled[first..=last].iter().filter(|is| **is).count() as f64 / (last + 1 - first) as f64;
        let begins = rate * first as f64 >= EXPECTED && first * 20 >= rows.len();
        // Of the newest rows much isn't known yet.
        let after = rows.len() - 1 - last;
        let is_later = words_of::speaks_of_time(&column.words) || column.is_time();
        let ends = rate * after as f64 >= EXPECTED && after * 10 >= rows.len() && !is_later;
        if !begins && !ends || rate < 0.2 {
            continue;
        }
        let name = sheet.name(column);
        let proof =
            format!("SELECT min({0}), max({0}) FROM {1} WHERE {name} IS NOT NULL", sheet.name(time), sheet.from());
        let kind = FactKind::FilledWhile {
            column: column.column.name.clone(),
            time: time.column.name.clone(),
            since: begins.then(|| day(rows[first].0)),
            until: ends.then(|| day(rows[last].0)),
        };
        facts.push(Fact::new(kind, filled[first..=last].len() as u64, rows.len() as u64, proof));
    }
    facts
}

/// Which rows a view leaves out, in its own words.
fn filtered(sheet: &Sheet<'_>) -> Option<Fact> {
    /// A longer condition has to be read in the view itself.
    const LONGEST: usize = 160;
    let definition = sheet.table.definition.as_deref().filter(|_| sheet.table.kind == TableKind::View)?;
    let words = definition.split_whitespace().collect::<Vec<_>>().join(" ");
    let lower = words.to_lowercase();
    let has_one = lower.len() == words.len() && lower.matches(" where ").count() == 1 && !lower.contains(" union ");
    let start = lower.find(" where ").filter(|_| has_one)? + " where ".len();
    let end = [" group by ", " order by ", " having ", " limit ", " window "]
        .iter()
        .filter_map(|after| Some(start + lower.get(start..)?.find(after)?))
        .min()
        .unwrap_or(words.len());
    let condition = words.get(start..end)?.trim().trim_end_matches(';').trim();
    // What is in brackets that begin before it is another query's.
    let is_whole = condition.matches('(').count() == condition.matches(')').count();
    let kind = FactKind::Filtered { condition: condition.to_owned() };
    let proof = format!("SELECT count(*) FROM {}", sheet.from());
    (is_whole && !condition.is_empty() && condition.len() <= LONGEST).then_some(Fact::new(
        kind,
        sheet.rows as u64,
        sheet.rows as u64,
        proof,
    ))
}

/// Rows that are the same as another one in all that isn't there to tell them apart.
fn repeated(sheet: &Sheet<'_>) -> Option<Fact> {
    /// Columns that must be the same, rows that are, the share that may be, and how different rows are else.
    const COLUMNS: usize = 4;
    const LEAST: usize = 2;
    const MOST: f64 = 0.2;
    const DIFFERENT: f64 = 0.7;
    const OWN: f64 = 0.8;
    let is_key = |column: &SheetColumn<'_>| {
        let name = &column.column.name;
        sheet.table.primary_key == [name.clone()]
            || sheet.table.indexes.iter().any(|index| index.unique && index.columns == [name.clone()])
    };
    // When a row came in, and with which file, differs from one time to the next.
    let is_of_coming = |column: &SheetColumn<'_>| column.has_word(&words_of::COMING);
    let (keys, others): (Vec<&SheetColumn<'_>>, Vec<&SheetColumn<'_>>) =
        sheet.columns.iter().partition(|column| is_key(column) || is_of_coming(column));
    // Of rows of few different values some are the same by chance; of those with something nearly of their own, none.
    let is_own = |column: &&SheetColumn<'_>| {
        let different: HashSet<&String> = column.texts.iter().flatten().collect();
        different.len() as f64 >= OWN * sheet.rows as f64
    };
    // What isn't shown may be what tells them apart.
    let sees_all = sheet.columns.len() == sheet.table.columns.len();
    if keys.is_empty()
        || others.len() < COLUMNS
        || !others.iter().any(is_own)
        || !sees_all
        || sheet.rows < 20
        || sheet.table.kind != TableKind::Table
    {
        return None;
    }
    let mut rows: HashMap<Vec<Option<&str>>, usize> = HashMap::new();
    for row in 0..sheet.rows {
        *rows.entry(others.iter().map(|column| column.texts[row].as_deref()).collect()).or_default() += 1;
    }
    let again = sheet.rows - rows.len();
    let is_told = again >= LEAST
        && again as f64 <= MOST * sheet.rows as f64
        && rows.len() as f64 >= DIFFERENT * sheet.rows as f64;
    if !is_told {
        return None;
    }
    let list = others.iter().map(|column| sheet.name(column)).collect::<Vec<_>>().join(", ");
    let proof = format!("SELECT {list}, count(*) FROM {} GROUP BY {list} HAVING count(*) > 1", sheet.from());
    let kind = FactKind::Repeated { key: names(&keys) };
    let besides = others.iter().map(|column| column.column.name.as_str());
    // Of some of the rows, as many of the others are there as of all rows.
    let all = sheet.row_count().map_or(sheet.rows as f64, |count| count.max(sheet.rows as f64));
    let held = (again as f64 * all / sheet.rows as f64).min(MOST * sheet.rows as f64);
    Some(Fact::new(kind, held as u64, sheet.rows as u64, proof).resting_on(besides, []))
}
