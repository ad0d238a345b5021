//! Two tables of the same things: a copy, an archive and the table that goes on, whatever either calls its columns.
//!
//! Which columns correspond is told by their names, or by what they hold: they refer to the same table, have the same codes, number
//! with the same letters in front. Invariant: columns that may not be shown correspond to none.

mod pairs;

use std::collections::{BTreeMap, HashMap, HashSet};

use catalog::{Entry, Fact, FactKind, TableId, TypeClass};
use connect::{SampleRequest, Value};

use self::pairs::is_usable;
pub(super) use self::pairs::{Pair, pairs};
use super::across::{Across, EDGE, number};
use super::ratio::Ratio;
use super::sheet::{day, seconds, time_in};
use super::values::figures;
use crate::keys;

/// Rows of each of two tables of which one goes on where the other ends.
const FEWEST_ROWS: u64 = 20;
/// Seconds.
const DAY: i64 = 86_400;

/// From when to when the rows of two tables are.
struct Times {
    /// The time of a row, in the first and in the second.
    columns: (String, String),
    left: (i64, i64),
    right: (i64, i64),
}

/// Without those of a table that goes on in several others, or goes back to several, but the one of which most is known.
pub(super) fn without_weaker(facts: &mut Vec<Fact>) {
    let is_by_values = |fact: &Fact| match &fact.kind {
        FactKind::Continued { columns, .. } | FactKind::Preceded { columns, .. } => !columns.is_empty(),
        _ => false,
    };
    for name in ["continued", "preceded"] {
        let of_name = |fact: &&Fact| fact.name() == name;
        let strength = |fact: &Fact| (!is_by_values(fact), fact.held);
        let Some(most) = facts.iter().filter(of_name).map(strength).max() else { continue };
        let mut is_first = true;
        facts.retain(|fact| {
            let is_kept = fact.name() != name || !is_by_values(fact) || strength(fact) == most && is_first;
            is_first &= fact.name() != name || !is_kept;
            is_kept
        });
    }
}

impl Across<'_> {
    /// What two tables of the same things have to do with each other.
    pub(super) async fn compare(&self, pair: &Pair, facts: &mut [Vec<Fact>]) {
        let (left, right) = (self.entries[pair.one], self.entries[pair.two]);
        let times = self.times(pair).await;
        let rows = |entry: &Entry| entry.table.row_count.map_or(0, |count| count.value);
        // The one that ended first is the copy or the archive; of two that go on, the smaller.
        let ends = times.as_ref().map(|times| (times.left.1, times.right.1));
        let is_older = (ends.map(|ends| ends.0), rows(left)) <= (ends.map(|ends| ends.1), rows(right));
        let (older, newer) = if is_older { (pair.one, pair.two) } else { (pair.two, pair.one) };
        let columns = if is_older { pair.columns.clone() } else { pair.turned() };
        let (copy, table) = (self.entries[older], self.entries[newer]);
        let times = times.map(|times| match (is_older, times.columns) {
            (true, columns) => (times.left, times.right, columns),
            (false, (one, two)) => (times.right, times.left, (two, one)),
        });
        let by_key = self.same_rows(copy, table, &columns).await;
        if let Some(same) = &by_key
            && same.held * 2 >= same.looked_at
        {
            let until = times.as_ref().filter(|(old, new, _)| old.1 + 30 * DAY < new.1).map(|(old, ..)| day(old.1));
            let (fact, scaled) = self.copied(copy, table, same, until, Vec::new());
            // Which of them are the same decides whether a row is counted, and the last day comes from the time of both.
            let time = times.as_ref().map(|(_, _, columns)| columns);
            let here = time.map(|(here, _)| here.as_str());
            facts[older].push(fact.resting_on(here, time.map(|(_, there)| there.as_str())));
            facts[older].extend(scaled);
            return;
        }
        // Some rows may be in both, whatever the times say.
        let few = by_key.filter(|same| same.held >= 3);
        if let Some(same) = few.filter(|_| pair.by_values.is_none()) {
            let (fact, scaled) = self.copied(copy, table, &same, None, Vec::new());
            facts[older].push(fact);
            facts[older].extend(scaled);
        }
        // Of few rows some lie behind others by chance.
        if rows(left).min(rows(right)) < FEWEST_ROWS {
            return;
        }
        let Some((old, new, time)) = times else {
            self.numbered_on(pair, facts);
            return;
        };
        // One goes on where the other ends, or shortly before. Of tables that are called otherwise less is known, so it has to
        // be there.
        let (most_shared, most_between) = if pair.by_values.is_some() { (0.1, 45) } else { (0.35, 400) };
        let overlap = (old.1 - new.0).max(0) as f64;
        let goes_on = overlap <= most_shared * (old.1 - old.0).max(1) as f64
            && new.1 > old.1
            && new.0 - old.1 < most_between * DAY;
        // A few days behind the end of the other one are chance.
        if !goes_on || (pair.by_values.is_some() && new.1 - old.1 < 180 * DAY) {
            return;
        }
        let (here, there) = (self.dialect.identifier(&time.0), self.dialect.identifier(&time.1));
        let proof = format!(
            "SELECT (SELECT max({here}) FROM {}) AS ends, (SELECT min({there}) FROM {}) AS begins",
            copy.table.id.written(self.dialect),
            table.table.id.written(self.dialect)
        );
        let (held, looked_at) = pair.by_values.unwrap_or((columns.len() as u64, columns.len() as u64));
        let under_other_names = pair.by_values.map(|_| columns).unwrap_or_default();
        let turned: Vec<(String, String)> =
            under_other_names.iter().map(|(one, two)| (two.clone(), one.clone())).collect();
        let (older_columns, newer_columns): (Vec<&str>, Vec<&str>) =
            under_other_names.iter().map(|(one, two)| (one.as_str(), two.as_str())).unzip();
        let fact = |kind: FactKind| Fact::new(kind, held, looked_at, proof.clone());
        let continued = FactKind::Continued {
            column: time.0.clone(),
            until: day(old.1),
            by: table.table.id.clone(),
            by_column: time.1.clone(),
            overlaps: old.1 > new.0,
            columns: under_other_names.clone(),
        };
        let preceded = FactKind::Preceded {
            column: time.1.clone(),
            since: day(new.0),
            by: copy.table.id.clone(),
            by_column: time.0.clone(),
            overlaps: old.1 > new.0,
            columns: turned,
        };
        facts[older].push(fact(continued).resting_on(older_columns.iter().copied(), newer_columns.iter().copied()));
        facts[newer].push(fact(preceded).resting_on(newer_columns, older_columns));
    }

    /// Of two tables of the same columns without a time, of which one's numbers go on where the other's end.
    fn numbered_on(&self, pair: &Pair, facts: &mut [Vec<Fact>]) {
        /// The share of the older one's numbers that the newer one may begin before, or after their end.
        const SHARED: f64 = 0.35;
        let stem = |place: usize| super::stem(&self.entries[place].table.id.name);
        if pair.by_values.is_some() || stem(pair.one) != stem(pair.two) {
            return;
        }
        let bounds = |place: usize, column: &str| {
            let entry = self.entries[place];
            let is_number = entry.table.column(column)?.type_class == TypeClass::Integer && identifies(entry, column);
            let known = figures(entry, column).filter(|_| is_number)?;
            Some((known.min.as_ref()?.parse::<f64>().ok()?, known.max.as_ref()?.parse::<f64>().ok()?))
        };
        let found = pair.columns.iter().find_map(|(one, two)| {
            let (left, right) = (bounds(pair.one, one)?, bounds(pair.two, two)?);
            Some(if left.1 <= right.1 {
                (pair.one, one, left, pair.two, two, right)
            } else {
                (pair.two, two, right, pair.one, one, left)
            })
        });
        let Some((older, column, old, newer, other_column, new)) = found else { return };
        let shared = old.1 - new.0;
        if new.1 <= old.1 || new.0 <= old.0 || shared.abs() > SHARED * (old.1 - old.0) {
            return;
        }
        let (copy, table) = (self.entries[older], self.entries[newer]);
        let (here, there) = (self.dialect.identifier(column), self.dialect.identifier(other_column));
        let proof = format!(
            "SELECT (SELECT max({here}) FROM {}) AS ends, (SELECT min({there}) FROM {}) AS begins",
            copy.table.id.written(self.dialect),
            table.table.id.written(self.dialect)
        );
        let held = pair.columns.len() as u64;
        let continued = FactKind::Continued {
            column: column.clone(),
            until: format!("{:.0}", old.1),
            by: table.table.id.clone(),
            by_column: other_column.clone(),
            overlaps: shared > 0.0,
            columns: Vec::new(),
        };
        let preceded = FactKind::Preceded {
            column: other_column.clone(),
            since: format!("{:.0}", new.0),
            by: copy.table.id.clone(),
            by_column: column.clone(),
            overlaps: shared > 0.0,
            columns: Vec::new(),
        };
        facts[older].push(Fact::new(continued, held, held, proof.clone()));
        facts[newer].push(Fact::new(preceded, held, held, proof));
    }

    /// Of a table each row of which is one of another table's, by a key, and most of whose columns say the same there.
    pub(super) async fn copied_by_key(&self, place: usize, places: &HashMap<&TableId, usize>) -> Vec<Fact> {
        let entry = self.entries[place];
        let mut facts = Vec::new();
        for key in entry.table.foreign_keys.iter().filter(|_| is_usable(entry)) {
            let ([column], [ref_column]) = (key.columns.as_slice(), key.ref_columns.as_slice()) else { continue };
            let Some(other) = places.get(&key.ref_table).filter(|other| **other != place) else { continue };
            let other = self.entries[*other];
            if is_usable(other)
                && identifies(entry, column)
                && let Some((fact, scaled)) = self.same_by_key(entry, other, column, ref_column).await
            {
                facts.push(fact);
                facts.extend(scaled);
                break;
            }
        }
        facts
    }

    async fn same_by_key(
        &self,
        entry: &Entry,
        other: &Entry,
        column: &str,
        ref_column: &str,
    ) -> Option<(Fact, Vec<Fact>)> {
        /// Columns that must say the same, and the share of those that say something.
        const LEAST: usize = 2;
        const SHARE: f64 = 0.6;
        let says_something = |entry: &Entry, key: &str| {
            let open = |name: &String| figures(entry, name).is_some_and(|known| known.distinct_count > Some(3));
            let names = entry.table.columns.iter().map(|column| column.name.clone());
            let names = names.filter(|name| name != key && open(name));
            std::iter::once(key.to_owned()).chain(names).take(24).collect::<Vec<String>>()
        };
        if !keys::can_look_up(other, ref_column, self.options) {
            return None;
        }
        let (here, there) = (says_something(entry, column), says_something(other, ref_column));
        if here.len() <= LEAST {
            return None;
        }
        let keys = self.some_values(entry, column).await?;
        let ours = self.rows_by(entry, column, &here, &keys).await?;
        let theirs = self.rows_by(other, ref_column, &there, &keys).await?;
        let theirs: HashMap<String, &Vec<Value>> =
            theirs.iter().filter_map(|row| Some((row[0].as_text()?, row))).collect();
        let wanted: HashSet<String> = keys.iter().filter_map(Value::as_text).collect();
        let rows: Vec<(&Vec<Value>, &Vec<Value>)> = ours
            .iter()
            .filter(|row| row[0].as_text().is_some_and(|key| wanted.contains(&key)))
            .filter_map(|row| Some((row, *theirs.get(&row[0].as_text()?)?)))
            .collect();
        let mut columns = vec![(column.to_owned(), ref_column.to_owned())];
        let mut taken = HashSet::new();
        for (at, name) in here.iter().enumerate().skip(1) {
            let same = (1..there.len()).find(|other| !taken.contains(other) && are_one(&rows, at, *other));
            if let Some(same) = same {
                taken.insert(same);
                columns.push((name.clone(), there[same].clone()));
            }
        }
        let found = columns.len() - 1;
        if found < LEAST || (found as f64) < SHARE * (here.len() - 1) as f64 {
            return None;
        }
        let same = self.same_rows(entry, other, &columns).await?;
        (same.held * 2 >= same.looked_at).then(|| {
            let named_otherwise = columns.iter().filter(|(here, there)| here != there).cloned().collect();
            self.copied(entry, other, &same, None, named_otherwise)
        })
    }

    /// That rows of one table are another one's, and which quantities are in other units there.
    fn copied(
        &self,
        copy: &Entry,
        table: &Entry,
        same: &SameRows,
        until: Option<String>,
        columns: Vec<(String, String)>,
    ) -> (Fact, Vec<Fact>) {
        let (key, other_key) = &same.columns[0];
        let (here, there) = (self.dialect.identifier(key), self.dialect.identifier(other_key));
        let proof = format!(
            "SELECT count(*) FROM {} WHERE {here} IN (SELECT {there} FROM {})",
            copy.table.id.written(self.dialect),
            table.table.id.written(self.dialect)
        );
        let (mut rests_on, mut rests_on_there): (Vec<&str>, Vec<&str>) =
            same.columns.iter().chain(&columns).map(|(here, there)| (here.as_str(), there.as_str())).unzip();
        for names in [&mut rests_on, &mut rests_on_there] {
            names.sort_unstable();
            names.dedup();
        }
        let kind = FactKind::CopyOf {
            table: table.table.id.clone(),
            column: key.clone(),
            other_column: other_key.clone(),
            until,
            columns: columns.clone(),
        };
        let fact = Fact::new(kind, same.held as u64, same.looked_at as u64, proof).resting_on(rests_on, rests_on_there);
        (fact, same.scaled.clone())
    }

    /// The times of both tables' rows.
    async fn times(&self, pair: &Pair) -> Option<Times> {
        if pair.by_values.is_none() {
            let mut found: Vec<Times> = Vec::new();
            for (one, two) in &pair.columns {
                let (left, right) = (self.bounds(pair.one, one).await, self.bounds(pair.two, two).await);
                found.extend(left.zip(right).map(|(left, right)| Times {
                    columns: (one.clone(), two.clone()),
                    left,
                    right,
                }));
            }
            found.sort_by_key(|times| crate::staleness::is_of_its_own(&words::in_identifier(&times.columns.0)));
            return found.into_iter().next();
        }
        let ((one, left), (two, right)) = (self.time_of(pair.one).await?, self.time_of(pair.two).await?);
        Some(Times { columns: (one, two), left, right })
    }

    /// The time of a table's rows: the first that nearly every row has, of those that are about when it came to be if there is one.
    async fn time_of(&self, place: usize) -> Option<(String, (i64, i64))> {
        let entry = self.entries[place];
        let is_filled =
            |name: &&str| figures(entry, name).is_some_and(|known| known.null_fraction.is_none_or(|it| it <= 0.05));
        let mut names: Vec<&str> =
            entry.table.columns.iter().map(|column| column.name.as_str()).filter(is_filled).collect();
        names.sort_by_key(|name| crate::staleness::is_of_its_own(&words::in_identifier(name)));
        for name in names {
            if let Some(bounds) = self.bounds(place, name).await {
                return Some((name.to_owned(), bounds));
            }
        }
        None
    }

    /// From when to when the times in a column are.
    async fn bounds(&self, place: usize, column: &str) -> Option<(i64, i64)> {
        /// Later ends are no times at which something happened: 2100.
        const LATEST: i64 = 4_102_444_800;
        let entry = self.entries[place];
        let known = figures(entry, column).filter(|known| known.null_fraction.is_none_or(|share| share < 0.5))?;
        let facts = entry.profile().map(|profile| profile.facts.as_slice()).unwrap_or_default();
        let of_time = |fact: &&Fact| matches!(fact.kind, FactKind::TextDates { .. } | FactKind::CountedTime { .. });
        let found = facts.iter().filter(of_time).find(|fact| fact.column() == Some(column));
        let sorts = found.is_none_or(|fact| match &fact.kind {
            FactKind::TextDates { form, .. } => Fact::sorts(form),
            _ => true,
        });
        let read = |text: &str| found.map_or_else(|| seconds(text), |fact| time_in(&fact.kind, text));
        let (first, last) = if sorts {
            (read(known.min.as_deref()?)?, read(known.max.as_deref()?)?)
        } else {
            let request = match keys::is_small(entry, self.options) {
                true => SampleRequest::FirstRows {
                    rows: usize::try_from(self.options.all_rows_below).unwrap_or(usize::MAX),
                },
                false => SampleRequest::FirstAndLast { each: EDGE, order_by: None },
            };
            let rows = self.sample(entry, &[column.to_owned()], &request).await?;
            let times = || rows.iter().filter_map(|row| read(&row[0].as_text()?));
            (times().min()?, times().max()?)
        };
        (last < LATEST).then_some((first, last))
    }

    /// How many rows of one table are in the other, by a key that both have, and which quantities are in other units there.
    async fn same_rows(&self, copy: &Entry, table: &Entry, columns: &[(String, String)]) -> Option<SameRows> {
        let is_open =
            |(here, there): &&(String, String)| figures(copy, here).is_some() && figures(table, there).is_some();
        let open: Vec<&(String, String)> = columns.iter().filter(is_open).collect();
        let is_key = |(here, there): &&&(String, String)| {
            let class = copy.table.column(here).map(|column| column.type_class);
            identifies(copy, here)
                && identifies(table, there)
                && class.is_some_and(|class| !class.is_temporal() && class != TypeClass::Real)
        };
        let key = *open.iter().find(is_key)?;
        let keys = self.some_values(copy, &key.0).await?;
        if keys.len() < 10 || !keys::can_look_up(table, &key.1, self.options) {
            return None;
        }
        let columns: Vec<(String, String)> =
            std::iter::once(key).chain(open.into_iter().filter(|pair| *pair != key).take(8)).cloned().collect();
        let (here, there): (Vec<String>, Vec<String>) = columns.iter().cloned().unzip();
        let ours = self.rows_by(copy, &key.0, &here, &keys).await?;
        let theirs = self.rows_by(table, &key.1, &there, &keys).await?;
        let theirs: HashMap<String, Vec<Value>> =
            theirs.into_iter().map(|row| (row[0].as_text().unwrap_or_default(), row)).collect();
        let wanted: HashSet<String> = keys.iter().filter_map(Value::as_text).collect();
        let mut pairs: BTreeMap<usize, Vec<(f64, f64)>> = BTreeMap::new();
        let (mut held, mut looked_at) = (0, 0);
        for row in ours.iter().filter(|row| row[0].as_text().is_some_and(|key| wanted.contains(&key))) {
            looked_at += 1;
            let Some(other) = row[0].as_text().and_then(|key| theirs.get(&key)) else { continue };
            let both = (1..columns.len()).filter(|place| !row[*place].is_null() && !other[*place].is_null());
            let (mut same, mut compared) = (0, 0);
            for place in both {
                if let (Some(here), Some(there)) = (number(&row[place]), number(&other[place])) {
                    pairs.entry(place).or_default().push((here, there));
                }
                compared += 1;
                same += usize::from(are_same(&row[place], &other[place]));
            }
            // Two tables may number their rows alike; what stands behind the numbers tells.
            held += usize::from(compared > 0 && same * 4 >= compared * 3);
        }
        let scaled = pairs.into_iter().filter_map(|(place, pairs)| {
            let ratio = Ratio::of(&pairs).filter(|ratio| (ratio.factor - 1.0).abs() > 1e-9)?;
            let name = |column: &str| self.dialect.identifier(column);
            let (column, other_column) = &columns[place];
            let proof = format!(
                "SELECT here.{} AS here, there.{} AS there FROM {} AS here JOIN {} AS there ON here.{} = there.{} LIMIT 20",
                name(column),
                name(other_column),
                copy.table.id.written(self.dialect),
                table.table.id.written(self.dialect),
                name(&key.0),
                name(&key.1)
            );
            let kind = FactKind::Scaled {
                expression: name(column),
                columns: vec![column.clone()],
                summed: false,
                other: table.table.id.clone(),
                other_column: other_column.clone(),
                factor: ratio.factor,
            };
            Some(Fact::new(kind, ratio.held, ratio.looked_at, proof).resting_on([key.0.as_str()], [key.1.as_str()]))
        });
        let scaled = scaled.collect();
        (looked_at > 0).then_some(SameRows { columns, held, looked_at, scaled })
    }
}

/// Rows that two tables share.
struct SameRows {
    /// The columns whose values were compared, here and there; first the key.
    columns: Vec<(String, String)>,
    held: usize,
    looked_at: usize,
    scaled: Vec<Fact>,
}

/// Whether a column tells rows apart.
fn identifies(entry: &Entry, column: &str) -> bool {
    let is_declared = entry.table.primary_key == [column]
        || entry.table.indexes.iter().any(|index| index.unique && index.columns == [column]);
    is_declared || figures(entry, column).and_then(|known| known.distinct_ratio).is_some_and(|ratio| ratio > 0.98)
}

/// Whether two columns say the same in most of these rows, and not always one thing.
fn are_one(rows: &[(&Vec<Value>, &Vec<Value>)], here: usize, there: usize) -> bool {
    /// Rows that must say it, and different values in them.
    const ROWS: usize = 10;
    const DIFFERENT: usize = 4;
    let both = || {
        rows.iter().map(|(one, two)| (&one[here], &two[there])).filter(|(one, two)| !one.is_null() && !two.is_null())
    };
    let same: Vec<&Value> = both().filter(|(one, two)| are_same(one, two)).map(|(one, _)| one).collect();
    let different: HashSet<Option<String>> = same.iter().map(|value| value.as_text()).collect();
    same.len() >= ROWS && different.len() >= DIFFERENT && same.len() * 10 >= both().count() * 9
}

fn are_same(one: &Value, two: &Value) -> bool {
    if let (Some(one), Some(two)) = (number(one), number(two)) {
        return (one - two).abs() < 0.005;
    }
    let (Some(one), Some(two)) = (one.as_text(), two.as_text()) else { return false };
    one.trim().eq_ignore_ascii_case(two.trim()) || seconds(&one).is_some_and(|at| seconds(&two) == Some(at))
}
