//! Which rows of a table are looked at.
//!
//! Small tables are read whole. In a large one, random values between the smallest and the largest of an indexed
//! column are looked up, if enough of them occur: then every row has the same chance, and nothing is scanned. Where no
//! column works like that, the engine draws rows by itself, if it can without reading all of them; else the first and
//! the last rows are taken, and the profile says so. Invariant: at most [`crate::Options::rows`] rows are returned for a
//! table that isn't read whole, and at most [`MOST_LOOKUPS`] values are looked up.

use std::collections::HashSet;

use catalog::{Exactness, RowCount, SampleMethod, Table, TableKind};
use connect::{ConnectError, LookupColumn, ReadRows, SampleRequest, Value};

use crate::options::Options;
use crate::random::Random;
use crate::statistics::Coverage;

/// Random values tried to find out whether a column works.
const PROBES: usize = 200;
/// Share of them that must occur. Below it, most of the work would be in vain.
const LEAST_HITS: f64 = 0.05;
/// With this share no other column is tried.
const ENOUGH_HITS: f64 = 0.5;
/// Columns tried.
const MOST_COLUMNS: usize = 4;
/// Values looked up in one table.
const MOST_LOOKUPS: usize = 200_000;
/// Values looked up in one statement.
const BATCH: usize = 5_000;
/// An engine's own sample of less than this part of the rows asked for is not used.
const ENOUGH_DRAWN: usize = 4;
/// Numbers behind a prefix are not looked for beyond this.
const LARGEST_NUMBER: i64 = 1_000_000_000_000;

/// Rows, and where they come from.
#[derive(Debug)]
pub(crate) struct Sample {
    pub(crate) rows: Vec<Vec<Value>>,
    /// What figures rest on.
    pub(crate) method: SampleMethod,
    /// How these rows were chosen.
    pub(crate) drawn: SampleMethod,
    /// Rows of the table; more exact than before where all were read.
    pub(crate) row_count: Option<RowCount>,
}

impl Sample {
    pub(crate) fn coverage(&self) -> Coverage {
        let rows = self.row_count.map(|count| count.value);
        match self.method {
            SampleMethod::AllRows => Coverage::Whole,
            SampleMethod::FirstAndLast | SampleMethod::FirstRows => Coverage::Ends(rows),
            _ => Coverage::Part(rows),
        }
    }
}

/// Reads `columns` of some rows, or of all of them.
pub(crate) async fn draw(
    connector: &dyn ReadRows,
    table: &Table,
    columns: &[String],
    row_count: Option<RowCount>,
    options: &Options,
) -> Result<Sample, ConnectError> {
    if row_count.is_some_and(|count| count.value <= options.all_rows_below)
        && let Some(sample) = read_whole(connector, table, columns, options).await?
    {
        return Ok(sample);
    }
    let usable: Vec<LookupColumn> = connector
        .lookup_columns(table)
        .await?
        .into_iter()
        // A masked column is in no statement, so it can't be the way to the rows either.
        .filter(|lookup| columns.contains(&lookup.name) || table.column(&lookup.name).is_none())
        .collect();
    let mut random = Random::named(&table.id.to_string());
    if let Some(key) = best_key(connector, table, &usable, &mut random).await? {
        let rows = draw_by_key(connector, table, columns, &key, options.rows, &mut random).await?;
        let method = SampleMethod::RandomByKey { column: key.column };
        return Ok(Sample { rows, drawn: method.clone(), method, row_count });
    }
    // A view would be computed as a whole for it.
    if connector.capabilities().engine_sample && matches!(table.kind, TableKind::Table | TableKind::MaterializedView) {
        let request = SampleRequest::EngineSample { rows: options.rows };
        let rows = connector.sample(table, columns, &request).await?.rows;
        // A table may be stored in so few pieces that none of them was drawn.
        if rows.len() >= options.rows / ENOUGH_DRAWN {
            let method = SampleMethod::EngineSample;
            return Ok(Sample { rows, drawn: method.clone(), method, row_count });
        }
    }
    let order_by = usable.into_iter().next().map(|lookup| lookup.name);
    let (method, request) = match order_by {
        Some(_) => (SampleMethod::FirstAndLast, SampleRequest::FirstAndLast { each: options.rows / 2, order_by }),
        None => (SampleMethod::FirstRows, SampleRequest::FirstRows { rows: options.rows }),
    };
    let rows = connector.sample(table, columns, &request).await?.rows;
    Ok(Sample { rows, drawn: method.clone(), method, row_count })
}

/// All rows; `None` where there turn out to be more than the options allow, or than fit.
async fn read_whole(
    connector: &dyn ReadRows,
    table: &Table,
    columns: &[String],
    options: &Options,
) -> Result<Option<Sample>, ConnectError> {
    let most = usize::try_from(options.all_rows_below).unwrap_or(usize::MAX).saturating_add(1);
    let result = connector.sample(table, columns, &SampleRequest::FirstRows { rows: most }).await?;
    if result.rows.len() == most || result.truncated.is_some() {
        return Ok(None);
    }
    let row_count = Some(RowCount { value: result.rows.len() as u64, exactness: Exactness::Exact });
    let method = SampleMethod::AllRows;
    Ok(Some(Sample { rows: result.rows, drawn: method.clone(), method, row_count }))
}

/// A column whose random values occur often enough.
#[derive(Debug)]
struct Key {
    column: String,
    space: KeySpace,
    /// Rows found for one value tried.
    rows_per_value: f64,
}

/// The values a key column can have.
#[derive(Clone, Debug, PartialEq, Eq)]
enum KeySpace {
    /// Whole numbers.
    Integers { first: i64, last: i64 },
    /// A prefix and a number: `user_1042`; `width` where the numbers are filled up with zeros.
    Numbered { prefix: String, width: Option<usize>, first: i64, last: i64 },
}

impl KeySpace {
    /// The space between two values of a column; `None` where they are neither numbers nor numbered.
    fn between(first: &Value, last: &Value) -> Option<Self> {
        match (first, last) {
            (Value::Integer(first), Value::Integer(last)) => Some(Self::Integers { first: *first, last: *last }),
            (Value::Text(first), Value::Text(last)) => {
                let (prefix, first_digits) = numbered(first)?;
                let (other_prefix, last_digits) = numbered(last)?;
                if prefix != other_prefix {
                    return None;
                }
                let (shorter, longer) = match first_digits.len() <= last_digits.len() {
                    true => (first_digits.len(), last_digits.len()),
                    false => (last_digits.len(), first_digits.len()),
                };
                // Numbers filled up with zeros are in the order of their texts. Of others only the number of digits is
                // known, and not even that: `9` is behind `10`.
                let filled = shorter == longer && first_digits.starts_with('0');
                let (first, last) = match filled {
                    true => (first_digits.parse().ok()?, last_digits.parse().ok()?),
                    false => (power_of_ten(shorter - 1)?, power_of_ten(longer)? - 1),
                };
                let width = filled.then_some(longer);
                Some(Self::Numbered { prefix: prefix.to_owned(), width, first, last })
            }
            _ => None,
        }
    }

    fn ends(&self) -> (i64, i64) {
        match self {
            Self::Integers { first, last } | Self::Numbered { first, last, .. } => (*first, *last),
        }
    }

    fn value(&self, number: i64) -> Value {
        match self {
            Self::Integers { .. } => Value::Integer(number),
            Self::Numbered { prefix, width, .. } => {
                Value::Text(format!("{prefix}{number:0width$}", width = width.unwrap_or(0)))
            }
        }
    }

    /// Whether the ends are a guess from the number of digits.
    fn is_guessed(&self) -> bool {
        matches!(self, Self::Numbered { width: None, .. })
    }

    /// The numbers with one digit more than the largest so far, where there may be such.
    fn next_decade(&self) -> Option<Self> {
        match self {
            Self::Numbered { prefix, width: None, last, .. } => {
                let (first, last) = (last.checked_add(1)?, last.checked_add(1)?.checked_mul(10)? - 1);
                (last < LARGEST_NUMBER).then(|| Self::Numbered { prefix: prefix.clone(), width: None, first, last })
            }
            _ => None,
        }
    }

    fn reaching_to(mut self, end: i64) -> Self {
        let (Self::Integers { last, .. } | Self::Numbered { last, .. }) = &mut self;
        *last = end;
        self
    }

    /// The part of the space in which values were found, where the ends were a guess.
    fn narrowed_to(&self, found: &[i64]) -> Self {
        let mut narrowed = self.clone();
        if let (Self::Numbered { width: None, last, .. }, Some(largest)) = (&mut narrowed, found.iter().max()) {
            // The largest of n random finds misses about 1/n of the range behind it.
            let beyond = largest / i64::try_from(found.len()).unwrap_or(1).max(1) + 1;
            *last = largest.saturating_add(beyond).min(*last);
        }
        narrowed
    }
}

fn power_of_ten(exponent: usize) -> Option<i64> {
    10_i64.checked_pow(u32::try_from(exponent).ok()?)
}

/// The text before the digits that a value ends with, and these digits.
fn numbered(text: &str) -> Option<(&str, &str)> {
    let digits = text.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (prefix, digits) = text.split_at(text.len() - digits);
    (1..=18).contains(&digits.len()).then_some((prefix, digits))
}

/// The column that most random values of occur in, if any has enough of them.
async fn best_key(
    connector: &dyn ReadRows,
    table: &Table,
    usable: &[LookupColumn],
    random: &mut Random,
) -> Result<Option<Key>, ConnectError> {
    let mut best: Option<(f64, Key)> = None;
    for lookup in usable.iter().take(MOST_COLUMNS) {
        let Some((first, last)) = connector.key_range(table, &lookup.name).await? else { continue };
        let Some(space) = KeySpace::between(&first, &last) else { continue };
        let Some((hits, key)) = probe(connector, table, lookup, space, random).await? else { continue };
        if best.as_ref().is_none_or(|(most, _)| hits > *most) {
            best = Some((hits, key));
        }
        if hits >= ENOUGH_HITS && lookup.unique {
            break;
        }
    }
    Ok(best.map(|(_, key)| key))
}

/// Tries random values; gives the share of them that occur, and the key, if it is worth using.
async fn probe(
    connector: &dyn ReadRows,
    table: &Table,
    lookup: &LookupColumn,
    space: KeySpace,
    random: &mut Random,
) -> Result<Option<(f64, Key)>, ConnectError> {
    let mut space = space;
    // Texts are not in the order of their numbers, so the largest of them has to be looked for.
    let mut narrowed = space.clone();
    while let Some(decade) = space.next_decade() {
        let found = tried(connector, table, lookup, &decade, random).await?;
        if found.numbers.is_empty() {
            break;
        }
        space = space.reaching_to(decade.ends().1);
        narrowed = space.narrowed_to(&found.numbers);
    }
    if space.is_guessed() && narrowed == space {
        narrowed = space.narrowed_to(&tried(connector, table, lookup, &space, random).await?.numbers);
    }
    let found = tried(connector, table, lookup, &narrowed, random).await?;
    let rows_per_value = found.rows as f64 / found.tried.max(1) as f64;
    // A key with many rows to a value would give bunches of neighbours instead of a sample.
    let bunches = !lookup.unique && rows_per_value > 4.0;
    let hits = rows_per_value.min(1.0);
    if hits < LEAST_HITS || bunches {
        return Ok(None);
    }
    Ok(Some((hits, Key { column: lookup.name.clone(), space: narrowed, rows_per_value })))
}

/// What became of random values.
struct Tried {
    tried: usize,
    rows: usize,
    /// The numbers that occur, for numbered texts.
    numbers: Vec<i64>,
}

async fn tried(
    connector: &dyn ReadRows,
    table: &Table,
    lookup: &LookupColumn,
    space: &KeySpace,
    random: &mut Random,
) -> Result<Tried, ConnectError> {
    let numbers = distinct_numbers(space, PROBES, random);
    let keys = numbers.iter().map(|number| space.value(*number)).collect();
    let request = SampleRequest::ByKey { column: lookup.name.clone(), keys };
    // Only numbered texts need to be seen; and SQLite's rowid couldn't be selected like a column.
    let wanted: Vec<String> = match space {
        KeySpace::Numbered { .. } => vec![lookup.name.clone()],
        KeySpace::Integers { .. } => Vec::new(),
    };
    let rows = connector.sample(table, &wanted, &request).await?.rows;
    let found = rows.iter().filter_map(|row| numbered(&row.first()?.as_text()?)?.1.parse().ok()).collect();
    Ok(Tried { tried: numbers.len(), rows: rows.len(), numbers: found })
}

/// Up to `wanted` rows by random values of the key, none of them looked up twice.
async fn draw_by_key(
    connector: &dyn ReadRows,
    table: &Table,
    columns: &[String],
    key: &Key,
    wanted: usize,
    random: &mut Random,
) -> Result<Vec<Vec<Value>>, ConnectError> {
    let lookups = (wanted as f64 / key.rows_per_value * 1.2).ceil() as usize;
    let numbers = distinct_numbers(&key.space, lookups.min(MOST_LOOKUPS), random);
    let mut rows = Vec::with_capacity(wanted);
    let mut rest = numbers.as_slice();
    while rows.len() < wanted && !rest.is_empty() {
        let missing = ((wanted - rows.len()) as f64 / key.rows_per_value).ceil() as usize;
        let (batch, after) = rest.split_at(missing.clamp(1, BATCH).min(rest.len()));
        rest = after;
        let keys = batch.iter().map(|number| key.space.value(*number)).collect();
        let request = SampleRequest::ByKey { column: key.column.clone(), keys };
        rows.extend(connector.sample(table, columns, &request).await?.rows);
    }
    // The values were in random order, so what is cut off here is a random part as well.
    rows.truncate(wanted);
    Ok(rows)
}

/// Up to `wanted` different numbers of the space, in random order.
fn distinct_numbers(space: &KeySpace, wanted: usize, random: &mut Random) -> Vec<i64> {
    let (first, last) = space.ends();
    if first > last {
        return Vec::new();
    }
    let span = u128::from(last.abs_diff(first)) + 1;
    if span <= wanted as u128 * 4 {
        let mut all: Vec<i64> = (first..=last).collect();
        random.shuffle(&mut all);
        all.truncate(wanted);
        return all;
    }
    let mut seen = HashSet::with_capacity(wanted);
    let mut numbers = Vec::with_capacity(wanted);
    while numbers.len() < wanted {
        let number = random.between(first, last);
        if seen.insert(number) {
            numbers.push(number);
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use connect::Value;

    use super::{KeySpace, distinct_numbers};
    use crate::random::Random;

    fn texts(first: &str, last: &str) -> Option<KeySpace> {
        KeySpace::between(&Value::Text(first.into()), &Value::Text(last.into()))
    }

    #[test]
    fn finds_the_numbers_in_numbered_values() {
        let space = texts("user_0001", "user_0420").unwrap();
        assert_eq!((space.ends(), space.value(7)), ((1, 420), Value::Text("user_0007".into())));
        let space = texts("user_1", "user_999").unwrap();
        assert_eq!((space.ends(), space.value(7)), ((1, 999), Value::Text("user_7".into())));
        assert_eq!(space.next_decade().map(|decade| decade.ends()), Some((1000, 9999)));
        assert_eq!(texts("user_100", "user_999").unwrap().ends(), (100, 999));
        for (first, last) in [("user_1", "order_9"), ("a", "b"), ("user_", "user_9"), ("", "1234567890123456789")] {
            assert_eq!(texts(first, last), None, "{first} {last}");
        }
        assert_eq!(KeySpace::between(&Value::Real(1.0), &Value::Real(2.0)), None);
    }

    #[test]
    fn draws_different_numbers_also_from_a_narrow_space() {
        for (first, last, wanted, expected) in
            [(1, 10, 20, 10), (1, 30, 20, 20), (i64::MIN, i64::MAX, 50, 50), (5, 4, 9, 0)]
        {
            let numbers = distinct_numbers(&KeySpace::Integers { first, last }, wanted, &mut Random::named("t"));
            let different: HashSet<i64> = numbers.iter().copied().collect();
            assert_eq!((numbers.len(), different.len()), (expected, expected));
            assert!(numbers.iter().all(|number| (first..=last).contains(number)));
        }
    }
}
