//! Columns that are computed from others of their row: `total = net + tax - discount`, and where that doesn't hold.

mod factors;
mod regimes;

use catalog::{Fact, FactKind, TypeClass};

use super::sheet::{Sheet, SheetColumn, day};

/// Columns that are looked at together, at most.
const MOST_COLUMNS: usize = 14;
/// Rows that must have all of the columns.
const LEAST_ROWS: usize = 30;
/// Different results that must come out.
const LEAST_RESULTS: usize = 8;
/// Share of the rows that must agree.
const SHARE: f64 = 0.85;
/// Rows by which most guesses are discarded.
const FIRST_ROWS: usize = 40;
/// Share of the rows in which a part must matter; less of a third one, which may be there for the exceptions.
const MATTERS: [f64; 3] = [0.05, 0.01, 0.01];
/// Rows in which a part must matter.
const LEAST_MATTERING: usize = 8;

pub(super) fn facts(sheet: &Sheet<'_>) -> Vec<Fact> {
    if sheet.is_beginning() {
        return Vec::new();
    }
    let measures: Vec<&SheetColumn<'_>> =
        sheet.columns.iter().filter(|column| is_measure(column)).take(MOST_COLUMNS).collect();
    let all: Vec<usize> = (0..sheet.rows).collect();
    let mut found: Vec<Found<'_, '_>> = Vec::new();
    for target in &measures {
        let Some(best) = best_of(&all, target, &without(&measures, target)) else { continue };
        // `total = net + tax` and `tax = total - net` say one thing.
        let says_the_same = |known: &Found<'_, '_>| same_columns(known, &best);
        match found.iter_mut().find(|known| says_the_same(known)) {
            Some(known) if is_result(best.target) && !is_result(known.target) => *known = best,
            Some(_) => {}
            None => found.push(best),
        }
    }
    // What is part of a sum needs no ratio besides.
    let is_explained = |column: &SheetColumn<'_>| {
        let is_it = |other: &SheetColumn<'_>| other.column.name == column.column.name;
        found.iter().any(|found| is_it(found.target) || found.parts.iter().any(|part| is_it(part)))
    };
    let mut unexplained: Vec<&SheetColumn<'_>> =
        measures.iter().copied().filter(|column| !is_explained(column)).collect();
    let mut facts: Vec<Fact> = found.iter().map(|found| found.fact(sheet)).collect();
    let of_a_time = regimes::facts(sheet, &measures, &unexplained);
    let is_of_a_time =
        |column: &&SheetColumn<'_>| of_a_time.iter().any(|fact| fact.column() == Some(column.column.name.as_str()));
    unexplained.retain(|column| !is_of_a_time(column));
    let multiples = multiples(sheet, &unexplained);
    let is_multiple = |name: &str| multiples.iter().any(|fact| fact.columns().contains(&name));
    unexplained.retain(|column| !is_multiple(&column.column.name));
    facts.extend(factors::facts(sheet, &unexplained));
    facts.extend(of_a_time);
    facts.extend(multiples);
    facts.extend(durations(sheet));
    facts
}

/// The measures but that one.
fn without<'c, 's>(measures: &[&'c SheetColumn<'s>], one: &SheetColumn<'_>) -> Vec<&'c SheetColumn<'s>> {
    measures.iter().filter(|other| other.column.name != one.column.name).copied().collect()
}

fn is_measure(column: &SheetColumn<'_>) -> bool {
    column.is_numeric() && !column.is_key && column.different() >= 5 && column.empty() < 0.9
}

/// Words of what others add up to.
fn is_result(column: &SheetColumn<'_>) -> bool {
    const RESULTS: [&str; 22] = [
        "total",
        "gross",
        "sum",
        "amount",
        "balance",
        "closing",
        "end",
        "brutto",
        "gesamt",
        "summe",
        "betrag",
        "saldo",
        "importe",
        "montant",
        "value",
        "due",
        "payable",
        "subtotal",
        "consumption",
        "result",
        "all",
        "ttl",
    ];
    column.has_word(&RESULTS)
}

/// How a result comes from its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Sum,
    SumOfThree,
    SumLess,
    Product,
    ProductOfThree,
    ProductMore,
    ProductLess,
    Percent,
    MorePercent,
    LessPercent,
    ProductLessPercent,
    Difference,
}

impl Form {
    const ALL: [Self; 12] = [
        Self::Sum,
        Self::Product,
        Self::Difference,
        Self::Percent,
        Self::MorePercent,
        Self::LessPercent,
        Self::SumLess,
        Self::SumOfThree,
        Self::ProductMore,
        Self::ProductLess,
        Self::ProductLessPercent,
        Self::ProductOfThree,
    ];

    fn parts(self) -> usize {
        match self {
            Self::Sum | Self::Product | Self::Difference | Self::Percent | Self::MorePercent | Self::LessPercent => 2,
            _ => 3,
        }
    }

    /// Whether the first two parts can change places.
    fn is_symmetric(self) -> bool {
        !matches!(self, Self::Difference | Self::Percent | Self::MorePercent | Self::LessPercent)
    }

    /// Whether all three can.
    fn is_fully_symmetric(self) -> bool {
        matches!(self, Self::SumOfThree | Self::ProductOfThree)
    }

    fn value(self, [a, b, c]: [f64; 3]) -> f64 {
        match self {
            Self::Sum => a + b,
            Self::Difference => a - b,
            Self::SumOfThree => a + b + c,
            Self::SumLess => a + b - c,
            Self::Product => a * b,
            Self::ProductOfThree => a * b * c,
            Self::ProductMore => a * b + c,
            Self::ProductLess => a * b - c,
            Self::Percent => a * b / 100.0,
            Self::MorePercent => a * (1.0 + b / 100.0),
            Self::LessPercent => a * (1.0 - b / 100.0),
            Self::ProductLessPercent => a * b * (1.0 - c / 100.0),
        }
    }

    fn written(self, [a, b, c]: [&str; 3]) -> String {
        match self {
            Self::Sum => format!("{a} + {b}"),
            Self::Difference => format!("{a} - {b}"),
            Self::SumOfThree => format!("{a} + {b} + {c}"),
            Self::SumLess => format!("{a} + {b} - {c}"),
            Self::Product => format!("{a} * {b}"),
            Self::ProductOfThree => format!("{a} * {b} * {c}"),
            Self::ProductMore => format!("{a} * {b} + {c}"),
            Self::ProductLess => format!("{a} * {b} - {c}"),
            Self::Percent => format!("{a} * {b} / 100.0"),
            Self::MorePercent => format!("{a} * (1 + {b} / 100.0)"),
            Self::LessPercent => format!("{a} * (1 - {b} / 100.0)"),
            Self::ProductLessPercent => format!("{a} * {b} * (1 - {c} / 100.0)"),
        }
    }

    /// Whether a part says something: nothing is left as it is by it.
    fn matters(self, place: usize, part: f64) -> bool {
        let is_factor = match self {
            Self::Product | Self::ProductOfThree => true,
            Self::ProductMore | Self::ProductLess | Self::ProductLessPercent => place < 2,
            _ => false,
        };
        part != if is_factor { 1.0 } else { 0.0 } && (part != 0.0 || !is_factor)
    }

    /// Whether whole numbers may have been rounded on the way.
    fn rounds(self) -> bool {
        matches!(self, Self::Percent | Self::MorePercent | Self::LessPercent | Self::ProductLessPercent)
            || matches!(self, Self::Product | Self::ProductOfThree | Self::ProductMore | Self::ProductLess)
    }
}

struct Found<'c, 's> {
    target: &'c SheetColumn<'s>,
    form: Form,
    parts: Vec<&'c SheetColumn<'s>>,
    held: usize,
    looked_at: usize,
}

fn same_columns(one: &Found<'_, '_>, two: &Found<'_, '_>) -> bool {
    fn names<'f>(found: &'f Found<'_, '_>) -> Vec<&'f str> {
        let mut names: Vec<&str> = std::iter::once(found.target)
            .chain(found.parts.iter().copied())
            .map(|column| column.column.name.as_str())
            .collect();
        names.sort_unstable();
        names
    }
    names(one) == names(two)
}

/// The best way to compute `target` in these rows, the shortest of those that hold alike.
fn best_of<'c, 's>(
    rows: &[usize],
    target: &'c SheetColumn<'s>,
    others: &[&'c SheetColumn<'s>],
) -> Option<Found<'c, 's>> {
    let mut best: Option<Found<'c, 's>> = None;
    for form in Form::ALL {
        // What two parts explain needs no third.
        if form.parts() > 2 && best.as_ref().is_some_and(|best| best.parts.len() == 2 && best.share() > 0.97) {
            break;
        }
        // A part of a difference is the sum of the others, and said there.
        if form == Form::Difference && !is_result(target) {
            continue;
        }
        for parts in choices(others, form) {
            let Some(found) = tried(rows, target, form, &parts) else { continue };
            if best.as_ref().is_none_or(|best| found.share() > best.share() + 0.01) {
                best = Some(found);
            }
        }
    }
    best
}

fn choices<'c, 's>(others: &[&'c SheetColumn<'s>], form: Form) -> Vec<Vec<&'c SheetColumn<'s>>> {
    let mut chosen = Vec::new();
    for (first, a) in others.iter().enumerate() {
        for (second, b) in others.iter().enumerate() {
            if first == second || (form.is_symmetric() && first > second) {
                continue;
            }
            if form.parts() == 2 {
                chosen.push(vec![*a, *b]);
                continue;
            }
            for (third, c) in others.iter().enumerate() {
                if third != first && third != second && !(form.is_fully_symmetric() && second > third) {
                    chosen.push(vec![*a, *b, *c]);
                }
            }
        }
    }
    chosen
}

impl Found<'_, '_> {
    fn share(&self) -> f64 {
        self.held as f64 / self.looked_at.max(1) as f64
    }

    /// How it is computed, as the dialect writes the columns.
    fn expression(&self, sheet: &Sheet<'_>) -> String {
        let names: Vec<String> = self.parts.iter().map(|part| sheet.name(part)).collect();
        let part = |place: usize| names.get(place).map_or("", String::as_str);
        self.form.written([part(0), part(1), part(2)])
    }

    fn fact(&self, sheet: &Sheet<'_>) -> Fact {
        let expression = self.expression(sheet);
        let target = sheet.name(self.target);
        let proof = format!(
            "SELECT count(*), sum(CASE WHEN abs({target} - ({expression})) < 0.02 THEN 1 ELSE 0 END) FROM {} WHERE {target} IS NOT NULL",
            sheet.from()
        );
        let kind = FactKind::Computed {
            column: self.target.column.name.clone(),
            expression,
            from: self.parts.iter().map(|part| part.column.name.clone()).collect(),
            broken: self.broken(sheet),
        };
        Fact::new(kind, self.held as u64, self.looked_at as u64, proof)
    }

    /// The period in which it doesn't hold, where that is part of the table's time and mostly without rows for which it does.
    fn broken(&self, sheet: &Sheet<'_>) -> Option<(String, String, String)> {
        // What comes behind the first rows isn't known.
        let time = sheet.time().filter(|_| sheet.is_even())?;
        let timed: Vec<(i64, bool)> = (0..sheet.rows)
            .filter_map(|row| Some((time.times[row]?, holds(self.target, self.form, &self.parts, row)?)))
            .collect();
        let broken: Vec<i64> = timed.iter().filter(|(_, holds)| !holds).map(|(at, _)| *at).collect();
        let (first, last) = (*broken.iter().min()?, *broken.iter().max()?);
        let within = timed.iter().filter(|(at, _)| (first..=last).contains(at)).count();
        let is_part = within * 2 < timed.len() && broken.len() >= 5;
        (is_part && broken.len() * 2 > within).then(|| (time.column.name.clone(), day(first), day(last)))
    }
}

/// Whether it holds in that row; `None` where a part of it is missing.
fn holds(target: &SheetColumn<'_>, form: Form, parts: &[&SheetColumn<'_>], row: usize) -> Option<bool> {
    let (result, values) = row_of(target, parts, row)?;
    let expected = form.value(values);
    let whole = target.column.type_class == TypeClass::Integer
        || result.fract() == 0.0 && values.iter().all(|value| value.fract() == 0.0);
    let rounding = match whole && form.rounds() {
        true => 0.51,
        // What is paid in coins is rounded to the smallest of them, five hundredths in some countries.
        false if is_multiple(result, 0.05) && !values.iter().all(|value| is_multiple(*value, 0.05)) => 0.0251,
        false => 0.011,
    };
    Some((result - expected).abs() <= rounding + 1e-6 * result.abs())
}

fn is_multiple(number: f64, of: f64) -> bool {
    let times = number / of;
    (times - times.round()).abs() < 1e-6 * times.abs().max(1.0)
}

fn row_of(target: &SheetColumn<'_>, parts: &[&SheetColumn<'_>], row: usize) -> Option<(f64, [f64; 3])> {
    let mut values = [0.0; 3];
    for (place, part) in parts.iter().enumerate() {
        values[place] = part.numbers[row]?;
    }
    Some((target.numbers[row]?, values))
}

fn tried<'c, 's>(
    rows: &[usize],
    target: &'c SheetColumn<'s>,
    form: Form,
    parts: &[&'c SheetColumn<'s>],
) -> Option<Found<'c, 's>> {
    let (mut held, mut looked_at) = (0_usize, 0_usize);
    let mut results: Vec<u64> = Vec::new();
    // For each part, the rows in which it matters, and those of them in which the form holds.
    let mut mattered = [(0_usize, 0_usize); 3];
    // Where one part alone is what it comes to, as where an order is paid in one of four ways, the form tells nothing.
    let (mut told, mut held_there) = (0_usize, 0_usize);
    // Rows that have a result and not all of the parts, of which something else makes it.
    let mut without = 0_usize;
    for row in rows.iter().copied() {
        let Some((result, values)) = row_of(target, parts, row) else {
            without += usize::from(target.numbers[row].is_some_and(|result| result != 0.0));
            continue;
        };
        // Rows of noughts agree with everything.
        if result == 0.0 {
            continue;
        }
        looked_at += 1;
        let mut matter = 0;
        let holds = usize::from(holds(target, form, parts, row)?);
        for (place, (count, right)) in mattered.iter_mut().enumerate().take(parts.len()) {
            let matters = usize::from(form.matters(place, values[place]));
            (*count, *right, matter) = (*count + matters, *right + matters * holds, matter + matters);
        }
        let tells = usize::from(matter > 1);
        told += tells;
        if holds > 0 {
            held += 1;
            held_there += tells;
            if results.len() < 1000 {
                results.push(result.to_bits());
            }
        }
        if looked_at == FIRST_ROWS && (held as f64) < (SHARE - 0.25) * FIRST_ROWS as f64 {
            return None;
        }
    }
    mattered[..parts.len()].sort_unstable_by(|one, other| other.cmp(one));
    let matter = mattered.iter().zip(MATTERS).take(parts.len()).all(|((count, right), least)| {
        let is_enough = *count >= LEAST_MATTERING && *count as f64 >= least * looked_at as f64;
        is_enough && *right as f64 >= SHARE * *count as f64
    });
    results.sort_unstable();
    results.dedup();
    let is_believed = looked_at >= LEAST_ROWS.max(without)
        && held as f64 >= SHARE * looked_at as f64
        && results.len() >= LEAST_RESULTS;
    let tells = told >= LEAST_ROWS && held_there as f64 >= SHARE * told as f64;
    (is_believed && matter && tells).then(|| Found { target, form, parts: parts.to_vec(), held, looked_at })
}

/// Columns that are another one times a number that is the same in nearly all rows: an amount with its tax, grams beside kilograms.
fn multiples(sheet: &Sheet<'_>, measures: &[&SheetColumn<'_>]) -> Vec<Fact> {
    /// How near two ratios have to be: what was rounded to hundredths differs by more where it is small.
    const NEAR: f64 = 0.002;
    /// The share of the rows in which one of them may be nought and the other isn't.
    const ALONE: f64 = 0.05;
    /// What lies nearer to its middle than this has nearly the same ratio to any other such: months and years.
    const SPREAD: f64 = 0.05;
    let mut facts: Vec<Fact> = Vec::new();
    for (place, one) in measures.iter().enumerate() {
        for other in &measures[place + 1..] {
            let all = (0..sheet.rows).filter_map(|row| Some((one.numbers[row]?, other.numbers[row]?)));
            let all: Vec<(f64, f64)> = all.filter(|(one, other)| *one != 0.0 || *other != 0.0).collect();
            // Where there is none of one, there is none of the other.
            let alone = all.iter().filter(|(one, other)| *one == 0.0 || *other == 0.0).count();
            let rows: Vec<(f64, f64)> =
                all.iter().copied().filter(|(one, other)| one.abs() > 1.0 && other.abs() > 1.0).collect();
            if rows.len() < LEAST_ROWS || alone as f64 > ALONE * all.len() as f64 {
                continue;
            }
            let mut ratios: Vec<f64> = rows.iter().map(|(one, other)| other / one).collect();
            ratios.sort_by(f64::total_cmp);
            let middle = ratios[ratios.len() / 2];
            let held: Vec<&(f64, f64)> =
                rows.iter().filter(|(one, other)| (other / one / middle - 1.0).abs() < NEAR).collect();
            let mut different: Vec<u64> = held.iter().map(|(one, _)| one.to_bits()).collect();
            different.sort_unstable();
            different.dedup();
            let is_same = (middle - 1.0).abs() < NEAR;
            let mut sizes: Vec<f64> = rows.iter().map(|(one, _)| one.abs()).collect();
            sizes.sort_by(f64::total_cmp);
            let (low, high) = (sizes[sizes.len() / 20], sizes[sizes.len() - 1 - sizes.len() / 20]);
            let is_same = is_same || high - low < SPREAD * high;
            if is_same || (held.len() as f64) < 0.97 * rows.len() as f64 || different.len() < LEAST_RESULTS {
                continue;
            }
            // The larger as a multiple of the smaller, unless the larger is the one that the other is a part of.
            let (target, source, factor) =
                if middle.abs() > 1.0 { (other, one, middle) } else { (one, other, 1.0 / middle) };
            let expression = format!("{} * {}", sheet.name(source), (factor * 10_000.0).round() / 10_000.0);
            let name = sheet.name(target);
            let proof = format!(
                "SELECT count(*), sum(CASE WHEN abs({name} - {expression}) <= 0.002 * abs({name}) THEN 1 ELSE 0 END) FROM {} WHERE {name} IS NOT NULL",
                sheet.from()
            );
            let kind = FactKind::Computed {
                column: target.column.name.clone(),
                expression,
                from: vec![source.column.name.clone()],
                broken: None,
            };
            facts.push(Fact::new(kind, held.len() as u64, rows.len() as u64, proof));
        }
    }
    facts
}

/// Numbers that say how long it is from one time of the row to another.
fn durations(sheet: &Sheet<'_>) -> Vec<Fact> {
    const UNITS: [(f64, &str); 4] = [(1.0, "seconds"), (60.0, "minutes"), (3600.0, "hours"), (86_400.0, "days")];
    let ways = || UNITS.into_iter().map(|(seconds, unit)| (seconds, unit, 0.0)).chain([(86_400.0, "days", 1.0)]);
    let times: Vec<&SheetColumn<'_>> = sheet.columns.iter().filter(|column| column.is_time()).take(6).collect();
    let mut facts = Vec::new();
    for target in sheet.columns.iter().filter(|column| is_measure(column)).take(MOST_COLUMNS) {
        let mut best: Option<(usize, usize, String, Vec<String>)> = None;
        for from in &times {
            for until in times.iter().filter(|until| until.column.name != from.column.name) {
                let are_days = [from, until].iter().all(|time| time.times.iter().flatten().all(|at| at % 86_400 == 0));
                for (seconds, unit, more) in ways() {
                    // Of days it is told whether the first one counts.
                    let is_exact = are_days && unit == "days";
                    if more > 0.0 && !is_exact {
                        continue;
                    }
                    let rows = (0..sheet.rows).filter_map(|row| {
                        Some(((until.times[row]? - from.times[row]?) as f64 / seconds + more, target.numbers[row]?))
                    });
                    let rows: Vec<(f64, f64)> = rows.filter(|(_, told)| *told != 0.0).collect();
                    let near = if is_exact { 0.5 } else { 1.0 };
                    let held = rows.iter().filter(|(is, told)| (is - told).abs() <= near).count();
                    // Short ones are alike in any unit.
                    let is_long = rows.iter().filter(|(_, told)| told.abs() > 3.0).count() * 2 > rows.len();
                    let is_better = best.as_ref().is_none_or(|(known, ..)| held > *known);
                    if rows.len() >= LEAST_ROWS && is_long && held as f64 >= SHARE * rows.len() as f64 && is_better {
                        let one = if more > 0.0 { " + 1" } else { "" };
                        let expression = format!("{} - {}{one} in {unit}", sheet.name(until), sheet.name(from));
                        best = Some((
                            held,
                            rows.len(),
                            expression,
                            vec![until.column.name.clone(), from.column.name.clone()],
                        ));
                    }
                }
            }
        }
        let Some((held, looked_at, expression, from)) = best else { continue };
        let shown: Vec<String> =
            from.iter().chain([&target.column.name]).map(|name| sheet.dialect.identifier(name)).collect();
        let proof = format!("SELECT {} FROM {} LIMIT 20", shown.join(", "), sheet.from());
        let kind = FactKind::Computed { column: target.column.name.clone(), expression, from, broken: None };
        facts.push(Fact::new(kind, held as u64, looked_at as u64, proof));
    }
    facts
}
