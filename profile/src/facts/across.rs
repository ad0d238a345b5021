//! What only two tables together say: the same quantity in other units, codes and references in another form.
//!
//! Rows are fetched by key, a hundred of them for a pair of tables. Invariant: columns that may not be shown aren't asked for,
//! and no large table is read without an index.

use std::collections::{HashMap, HashSet};

use catalog::{Entry, Fact, FactKind, ForeignKey, TableId, TableKind, TypeClass};
use connect::{ROWS_PER_KEY, ReadRows, SampleRequest, Value};
use dialect::Dialect;

use super::coded::{CodeTable, coded_by, possible_columns};
use super::generations;
use super::numbered::Numbered;
use super::ratio::Ratio;
use super::values::{codes_otherwise, currency_there, figures, homonyms, meaning_by_type, stem};
use crate::changed::Changed;
use crate::keys::{self, Codes, Fitting};
use crate::options::Options;
use crate::random::Random;

/// Keys looked up for a pair of tables.
const KEYS: usize = 100;
/// Rows at each end where no key leads to them.
pub(super) const EDGE: usize = 200;
/// Columns compared on each side.
const MEASURES: usize = 6;
/// Ways in which a table may be one of codes that are tried.
const LAYOUTS: usize = 2;

/// For each of `entries`, all of one source, what it says together with others. What was found of two of them before is kept where
/// neither has changed.
pub(crate) async fn facts(
    connector: &dyn ReadRows,
    entries: &[&Entry],
    codes: &Codes,
    changed: &Changed<'_>,
    dialect: &Dialect,
    options: &Options,
) -> Vec<Vec<Fact>> {
    let mut facts: Vec<Vec<Fact>> = vec![Vec::new(); entries.len()];
    let places: HashMap<&TableId, usize> =
        entries.iter().enumerate().map(|(place, entry)| (&entry.table.id, place)).collect();
    let across = Across { connector, entries, dialect, options, fitting: Fitting::new(entries, options) };
    let pairs = generations::pairs(entries);
    let may_be_same: HashSet<(usize, usize)> = pairs.iter().map(|pair| (pair.one, pair.two)).collect();
    let is_new = |entry: &Entry| places.get(&entry.table.id).is_some_and(|place| changed.is_new(*place));
    let (code_tables, unread) = match entries.iter().any(|entry| is_new(entry)) && connector.capabilities().executes {
        true => across.code_tables().await,
        false => Default::default(),
    };
    let are_codes_new = code_tables.iter().any(|table| is_new(table.entry));
    for (place, entry) in entries.iter().enumerate() {
        facts[place].extend(meaning_by_type(entry, entries, dialect));
        facts[place].extend(currency_there(entry, |table| places.get(table).map(|place| entries[*place]), dialect));
        if !connector.capabilities().executes {
            continue;
        }
        let looks_again = |other: usize| changed.is_new(place) || changed.is_new(other);
        for key in &entry.table.foreign_keys {
            let Some(parent) = places.get(&key.ref_table).filter(|parent| **parent != place) else { continue };
            if looks_again(*parent) {
                facts[place].extend(across.scaled(entry, entries[*parent], key).await);
            }
        }
        facts[place].extend(kept(entry, changed, |fact| {
            let other = fact.other().and_then(|(other, _)| places.get(other).copied()).unwrap_or(place);
            let are_similar = || may_be_same.contains(&(place.min(other), place.max(other)));
            let refers = || entry.table.foreign_keys.iter().any(|key| key.ref_table == entries[other].table.id);
            match &fact.kind {
                FactKind::Scaled { .. } | FactKind::CopyOf { .. } => are_similar() || refers(),
                FactKind::Continued { .. } | FactKind::Preceded { .. } => are_similar(),
                _ => false,
            }
        }));
        match changed.is_new(place) || are_codes_new {
            true => {
                let columns = entry.table.columns.iter();
                facts[place].extend(columns.filter_map(|column| coded_by(entry, column, &code_tables, dialect)));
            }
            false => facts[place].extend(kept(entry, changed, |fact| {
                matches!(fact.kind, FactKind::CodedBy { .. }) && across.may_be_told_of(fact, &places)
            })),
        }
        let of_parents = entry.table.foreign_keys.iter().filter_map(|key| places.get(&key.ref_table));
        facts[place].extend(match changed.is_new(place) || of_parents.clone().any(|parent| changed.is_new(*parent)) {
            true => across.decided_there(entry, &places).await,
            false => kept(entry, changed, |fact| {
                matches!(fact.kind, FactKind::ScaledThere { .. } | FactKind::NegativeThere { .. })
                    && across.may_be_told_of(fact, &places)
            })
            .collect(),
        });
        // What couldn't be read this time says what it said.
        let known = entry.profile().map(|profile| profile.facts.as_slice()).unwrap_or_default().iter();
        let of_unread =
            known.filter(|fact| matches!(&fact.kind, FactKind::CodedBy { table, .. } if unread.contains(table)));
        let of_unread: Vec<Fact> = of_unread.filter(|fact| !facts[place].contains(fact)).cloned().collect();
        facts[place].extend(of_unread);
        let several = match changed.is_new(place) || changed.codes {
            true => across.refers_to_several(place).await,
            false => kept(entry, changed, |fact| matches!(fact.kind, FactKind::RefersToSeveral { .. })).collect(),
        };
        let mut numbered = match changed.is_new(place) || across.may_refer_to_new(place, changed) {
            true => across.refers_as(place).await,
            false => kept(entry, changed, |fact| matches!(fact.kind, FactKind::RefersAs { .. })).collect(),
        };
        // The code itself is there, which its number only looks like.
        numbered.retain(|fact| !several.iter().any(|other| other.column() == fact.column()));
        let known: Vec<&Fact> = numbered.iter().chain(&several).collect();
        match changed.is_new(place) || changed.codes {
            true => facts[place].extend(across.refers_like(place, codes, &known).await),
            false => facts[place].extend(kept(entry, changed, |fact| matches!(fact.kind, FactKind::RefersLike { .. }))),
        }
        facts[place].extend(several);
        facts[place].extend(numbered);
    }
    if connector.capabilities().executes {
        for pair in pairs.iter().filter(|pair| changed.is_new(pair.one) || changed.is_new(pair.two)) {
            across.compare(pair, &mut facts).await;
        }
        for (place, entry) in entries.iter().enumerate() {
            let of_parents = entry.table.foreign_keys.iter().filter_map(|key| places.get(&key.ref_table));
            let is_copy = |fact: &Fact| matches!(fact.kind, FactKind::CopyOf { .. });
            let may_have_changed = changed.is_new(place) || of_parents.copied().any(|parent| changed.is_new(parent));
            if may_have_changed && !facts[place].iter().any(is_copy) {
                let copied = across.copied_by_key(place, &places).await;
                facts[place].extend(copied);
            }
        }
    }
    facts.iter_mut().for_each(generations::without_weaker);
    codes_otherwise(entries, dialect, &mut facts);
    homonyms(entries, dialect, &mut facts);
    facts
}

/// What was found of a table and another one of which neither has changed, as far as it is wanted.
fn kept<'e>(
    entry: &'e Entry,
    changed: &'e Changed<'_>,
    is_wanted: impl Fn(&Fact) -> bool + 'e,
) -> impl Iterator<Item = Fact> + 'e {
    let facts = entry.profile().map(|profile| profile.facts.as_slice()).unwrap_or_default();
    let neither_has = |fact: &&Fact| {
        let other = fact.other().is_some_and(|(other, _)| changed.is_as_it_was(other));
        other && changed.is_as_it_was(&entry.table.id)
    };
    facts.iter().filter(neither_has).filter(move |fact| is_wanted(fact)).cloned()
}

pub(super) struct Across<'a> {
    pub(super) connector: &'a dyn ReadRows,
    pub(super) entries: &'a [&'a Entry],
    pub(super) dialect: &'a Dialect,
    pub(super) options: &'a Options,
    fitting: Fitting<'a>,
}

pub(super) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(value) => Some(*value as f64),
        Value::Real(value) => Some(*value),
        Value::Text(text) => text.parse().ok(),
        _ => None,
    }
    .filter(|number: &f64| number.is_finite())
}

/// The columns of quantities, at most so many.
pub(super) fn measures(entry: &Entry) -> Vec<&str> {
    let is_measure = |column: &&catalog::Column| {
        let Some(known) = figures(entry, &column.name) else { return false };
        let is_key = entry.table.primary_key.contains(&column.name)
            || entry.table.foreign_keys.iter().any(|key| key.columns.contains(&column.name))
            || words::in_identifier(&column.name).last().is_some_and(|last| {
                super::sheet::is_key_word(last) && !["num", "number", "ref"].contains(&last.as_str())
            });
        // Of times all are nearly as large as each other.
        let is_time = |fact: &Fact| {
            matches!(fact.kind, FactKind::CountedTime { .. }) && fact.column() == Some(column.name.as_str())
        };
        let counts_time = entry.profile().is_some_and(|profile| profile.facts.iter().any(is_time));
        let is_measured = column.type_class.is_numeric() && !is_key && !counts_time;
        is_measured && known.distinct_count.is_some_and(|count| count >= 8)
    };
    entry.table.columns.iter().filter(is_measure).map(|column| column.name.as_str()).take(MEASURES).collect()
}

/// How many of something there are, by which a price is to be multiplied.
fn counts_things(entry: &Entry, column: &catalog::Column) -> bool {
    const COUNTS: [&str; 16] = [
        "quantity", "qty", "count", "units", "menge", "anzahl", "hours", "pieces", "pcs", "num", "number", "amount",
        "quantite", "cantidad", "nights", "days",
    ];
    let named = words::in_identifier(&column.name).iter().any(|word| COUNTS.contains(&word.as_str()));
    named && column.type_class.is_numeric() && figures(entry, &column.name).is_some()
}

/// A quantity of a row: a column, or two that are multiplied.
#[derive(Clone, Copy)]
struct Quantity {
    column: usize,
    times: Option<usize>,
}

impl Quantity {
    fn of(self, row: &[Value]) -> Option<f64> {
        let times = match self.times {
            Some(place) => number(&row[place])?,
            None => 1.0,
        };
        Some(number(&row[self.column])? * times)
    }
}

impl Across<'_> {
    /// Rows of `entry` by `column`, complete for each key; `None` where no index leads to them.
    pub(super) async fn rows_by(
        &self,
        entry: &Entry,
        column: &str,
        columns: &[String],
        keys: &[Value],
    ) -> Option<Vec<Vec<Value>>> {
        let request = if keys::is_indexed(entry, column) {
            SampleRequest::ByKey { column: column.to_owned(), keys: keys.to_vec() }
        } else if keys::is_small(entry, self.options) {
            SampleRequest::FirstRows { rows: usize::try_from(self.options.all_rows_below).unwrap_or(usize::MAX) }
        } else {
            return None;
        };
        self.sample(entry, columns, &request).await
    }

    /// Some different values of a column, from the first and the last rows.
    pub(super) async fn some_values(&self, entry: &Entry, column: &str) -> Option<Vec<Value>> {
        let request = SampleRequest::FirstAndLast { each: EDGE, order_by: None };
        let rows = self.sample(entry, &[column.to_owned()], &request).await?;
        let mut seen = HashSet::new();
        let is_new = |value: &Value| !value.is_null() && seen.insert(value.as_text());
        let mut values: Vec<Value> = rows.into_iter().flatten().filter(is_new).collect();
        Random::named(&format!("{}.{column}", entry.table.id)).shuffle(&mut values);
        values.truncate(KEYS);
        Some(values)
    }

    pub(super) async fn sample(
        &self,
        entry: &Entry,
        columns: &[String],
        request: &SampleRequest,
    ) -> Option<Vec<Vec<Value>>> {
        let rows = self.connector.sample(&entry.table, columns, request).await;
        let log = |error: &connect::ConnectError| tracing::warn!(table = %entry.table.id, code = error.code(), "rows can't be compared");
        rows.inspect_err(log).ok().map(|result| result.rows)
    }

    /// Quantities of the rows that refer to another table, in another unit than that one's own.
    async fn scaled(&self, child: &Entry, parent: &Entry, key: &ForeignKey) -> Vec<Fact> {
        let ([column], [ref_column]) = (key.columns.as_slice(), key.ref_columns.as_slice()) else { return Vec::new() };
        let (here, there) = (measures(child), measures(parent));
        let is_open = figures(child, column).is_some() && figures(parent, ref_column).is_some();
        if !is_open
            || here.is_empty()
            || there.is_empty()
            || child.table.kind != TableKind::Table
            || parent.table.kind != TableKind::Table
        {
            return Vec::new();
        }
        self.try_scaled(child, parent, (column, ref_column), &here, &there).await.unwrap_or_default()
    }

    async fn try_scaled(
        &self,
        child: &Entry,
        parent: &Entry,
        (column, ref_column): (&str, &str),
        here: &[&str],
        there: &[&str],
    ) -> Option<Vec<Fact>> {
        let mut wanted: Vec<String> = vec![column.to_owned()];
        wanted.extend(here.iter().map(|name| (*name).to_owned()));
        let counting: Vec<usize> = child
            .table
            .columns
            .iter()
            .filter(|column| counts_things(child, column))
            .map(|column| match wanted.iter().position(|name| *name == column.name) {
                Some(place) => place,
                None => {
                    wanted.push(column.name.clone());
                    wanted.len() - 1
                }
            })
            .collect();
        let single = (1..=here.len()).map(|column| Quantity { column, times: None });
        let products = (1..=here.len()).flat_map(|column| {
            counting
                .iter()
                .filter(move |place| **place != column)
                .map(move |place| Quantity { column, times: Some(*place) })
        });
        let quantities: Vec<Quantity> = single.chain(products).collect();
        let keys = if keys::is_indexed(child, column) { self.some_values(child, column).await? } else { Vec::new() };
        let by_key = self.rows_by(child, column, &wanted, &keys).await;
        let is_complete = by_key.is_some();
        let rows = match by_key {
            Some(rows) => rows,
            None => self.sample(child, &wanted, &SampleRequest::FirstAndLast { each: EDGE, order_by: None }).await?,
        };
        let mut groups: HashMap<String, Vec<&Vec<Value>>> = HashMap::new();
        for row in &rows {
            groups.entry(row[0].as_text().unwrap_or_default()).or_default().push(row);
        }
        let is_whole = !keys::is_indexed(child, column);
        groups.retain(|_, rows| is_whole || rows.len() < ROWS_PER_KEY);
        let mut seen = HashSet::new();
        let mut keys: Vec<Value> =
            rows.iter().map(|row| row[0].clone()).filter(|key| !key.is_null() && seen.insert(key.as_text())).collect();
        keys.truncate(2 * KEYS);
        let columns: Vec<String> =
            std::iter::once(ref_column).chain(there.iter().copied()).map(str::to_owned).collect();
        let parents = self.rows_by(parent, ref_column, &columns, &keys).await?;
        let parents: HashMap<String, &Vec<Value>> =
            parents.iter().map(|row| (row[0].as_text().unwrap_or_default(), row)).collect();
        let mut facts = Vec::new();
        for (place, other) in there.iter().enumerate() {
            let mut best: Option<(Ratio, Quantity, bool)> = None;
            for quantity in &quantities {
                for summed in [false, true].into_iter().filter(|summed| is_complete || !summed) {
                    let mut pairs: Vec<(f64, f64)> = Vec::new();
                    for (key, rows) in &groups {
                        let Some(there) = parents.get(key).and_then(|row| number(&row[place + 1])) else { continue };
                        let here: Vec<f64> = rows.iter().filter_map(|row| quantity.of(row)).collect();
                        match summed {
                            true if here.len() == rows.len() => pairs.push((here.iter().sum(), there)),
                            true => {}
                            false => pairs.extend(here.into_iter().map(|here| (here, there))),
                        }
                    }
                    let Some(ratio) = Ratio::of(&pairs) else { continue };
                    if best.as_ref().is_none_or(|(known, ..)| ratio.share() > known.share() + 0.02) {
                        best = Some((ratio, *quantity, summed));
                    }
                }
            }
            let Some((ratio, quantity, summed)) = best.filter(|(ratio, ..)| (ratio.factor - 1.0).abs() > 1e-9) else {
                continue;
            };
            let columns: Vec<String> =
                std::iter::once(quantity.column).chain(quantity.times).map(|place| wanted[place].clone()).collect();
            let written = |qualified: &str| {
                let name = |column: &String| format!("{qualified}{}", self.dialect.identifier(column));
                columns.iter().rev().map(name).collect::<Vec<_>>().join(" * ")
            };
            let qualified = written("child.");
            let (total, group) = match summed {
                true => (
                    format!("sum({qualified})"),
                    format!(
                        " GROUP BY parent.{0}, parent.{1}",
                        self.dialect.identifier(ref_column),
                        self.dialect.identifier(other)
                    ),
                ),
                false => (qualified, String::new()),
            };
            let proof = format!(
                "SELECT {total} AS here, parent.{other} AS there FROM {} AS child JOIN {} AS parent ON child.{} = parent.{}{group} LIMIT 20",
                child.table.id.written(self.dialect),
                parent.table.id.written(self.dialect),
                self.dialect.identifier(column),
                self.dialect.identifier(ref_column),
                other = self.dialect.identifier(other),
            );
            let kind = FactKind::Scaled {
                expression: written(""),
                columns,
                summed,
                other: parent.table.id.clone(),
                other_column: (*other).to_owned(),
                factor: ratio.factor,
            };
            facts.push(Fact::new(kind, ratio.held, ratio.looked_at, proof).resting_on([column], [ref_column]));
        }
        Some(facts)
    }

    /// Tables of the codes of many columns, and those that may be some and couldn't be read.
    async fn code_tables(&self) -> (Vec<CodeTable<'_>>, HashSet<&TableId>) {
        let (mut tables, mut unread) = (Vec::new(), HashSet::new());
        for entry in self.entries.iter().filter(|entry| keys::is_small(entry, self.options)) {
            for columns in possible_columns(entry).into_iter().take(LAYOUTS) {
                let wanted = columns.names();
                let rows = usize::try_from(self.options.all_rows_below).unwrap_or(usize::MAX);
                let Some(rows) = self.sample(entry, &wanted, &SampleRequest::FirstRows { rows }).await else {
                    unread.insert(&entry.table.id);
                    break;
                };
                if let Some(table) = CodeTable::of(entry, columns, &rows) {
                    tables.push(table);
                    break;
                }
            }
        }
        (tables, unread)
    }

    /// Whether what a fact has from another table may still be told.
    fn may_be_told_of(&self, fact: &Fact, places: &HashMap<&TableId, usize>) -> bool {
        let Some((other, column)) = fact.other() else { return true };
        let Some(other) = places.get(other).map(|place| self.entries[*place]) else { return false };
        let mut columns = fact.rests_on_there.iter().map(String::as_str).chain([column]);
        columns.all(|column| figures(other, column).is_some())
    }

    /// Whether a table has changed to whose key a text of this one may refer by a number in it.
    fn may_refer_to_new(&self, place: usize, changed: &Changed<'_>) -> bool {
        let entry = self.entries[place];
        let texts = entry.table.columns.iter().filter(|column| column.type_class == TypeClass::Text);
        let mut forms =
            texts.filter_map(|column| Some((&column.name, figures(entry, &column.name).and_then(Numbered::of)?)));
        forms.any(|(column, form)| {
            let targets = self.fitting.targets(place, column, &form.prefix);
            targets.into_iter().any(|(target, _)| changed.is_new(target))
        })
    }

    /// Texts that are a number of another table's key and something else.
    async fn refers_as(&self, place: usize) -> Vec<Fact> {
        let entry = self.entries[place];
        let mut facts = Vec::new();
        let refers = |column: &str| entry.table.foreign_keys.iter().any(|key| key.columns == [column]);
        for column in entry.table.columns.iter().filter(|column| column.type_class == TypeClass::Text) {
            let Some(known) = figures(entry, &column.name).filter(|_| !refers(&column.name)) else { continue };
            let Some(form) = Numbered::of(known) else { continue };
            let targets = self.fitting.targets(place, &column.name, &form.prefix);
            let targets: Vec<_> = targets.into_iter().filter(|(target, _)| *target != place).collect();
            if targets.is_empty() {
                continue;
            }
            let Some(values) = self.some_values(entry, &column.name).await else { continue };
            let numbers: Vec<i64> = values.iter().filter_map(|value| form.number(&value.as_text()?)).collect();
            if numbers.len() < 10 || numbers.len() * 20 < values.len() * 19 {
                continue;
            }
            for (target, ref_column) in targets {
                let other = self.entries[target];
                // Another version of a table, as an archive is, has numbers of its own, and so has what is called alike there.
                let is_version = stem(&entry.table.id.name) == stem(&other.table.id.name)
                    || column.name.eq_ignore_ascii_case(ref_column);
                if is_version && known.distinct_ratio.is_some_and(|ratio| ratio > 0.99) {
                    continue;
                }
                let is_number = other.table.column(ref_column).is_some_and(|column| column.type_class.is_numeric());
                let theirs = figures(other, ref_column).and_then(Numbered::of).filter(|theirs| !theirs.is_like(&form));
                if !keys::can_look_up(other, ref_column, self.options) || !(is_number || theirs.is_some()) {
                    continue;
                }
                let keys: Vec<Value> = match &theirs {
                    Some(theirs) if !is_number => {
                        numbers.iter().map(|number| Value::Text(theirs.written(*number))).collect()
                    }
                    _ => numbers.iter().map(|number| Value::Integer(*number)).collect(),
                };
                let Ok(found) = self.connector.contains(&other.table, ref_column, &keys).await else { continue };
                if (found as f64) < 0.95 * keys.len() as f64 {
                    continue;
                }
                let (name, from) = (self.dialect.identifier(&column.name), entry.table.id.written(self.dialect));
                let kind = FactKind::RefersAs {
                    column: column.name.clone(),
                    table: other.table.id.clone(),
                    ref_column: ref_column.to_owned(),
                    prefix: form.prefix.clone(),
                    digits: form.digits,
                };
                let proof = format!("SELECT DISTINCT {name} FROM {from} LIMIT 20");
                facts.push(Fact::new(kind, found, keys.len() as u64, proof));
                break;
            }
        }
        facts
    }

    /// Codes of another table of which a few stand in several rows there, so that they aren't its key.
    async fn refers_to_several(&self, place: usize) -> Vec<Fact> {
        /// Rows of such a table, the share of them whose codes are different, and codes that are told.
        const ROWS: std::ops::RangeInclusive<u64> = 4..=10_000;
        const DIFFERENT: std::ops::Range<f64> = 0.8..1.0;
        const TOLD: usize = 3;
        let entry = self.entries[place];
        let mut facts = Vec::new();
        for column in &entry.table.columns {
            let refers = entry.table.foreign_keys.iter().any(|key| key.columns == [column.name.clone()]);
            let is_code = matches!(column.type_class, TypeClass::Text | TypeClass::Integer);
            // What others refer to refers to none of them.
            let is_own = entry.table.primary_key == [column.name.clone()];
            if refers || is_own || !is_code || figures(entry, &column.name).is_none() {
                continue;
            }
            let is_other = |(other, entry): &(usize, &&Entry)| *other != place && entry.table.kind == TableKind::Table;
            let others = self.entries.iter().enumerate().filter(is_other);
            let mut targets =
                others.flat_map(|(_, other)| other.table.columns.iter().map(move |there| (*other, there)));
            let found = targets.find_map(|(other, there)| {
                let rows = other.table.row_count.map_or(0, |count| count.value);
                let known = figures(other, &there.name)?;
                // Of a thing there may be a row for each time that something about it changed.
                let has_versions = || {
                    other.profile().is_some_and(|profile| {
                        profile.facts.iter().any(|fact| match &fact.kind {
                            FactKind::History { key, .. } | FactKind::Versions { key, .. } => *key == there.name,
                            _ => false,
                        })
                    })
                };
                let few = known.distinct_ratio.is_some_and(|ratio| DIFFERENT.contains(&ratio)) || has_versions();
                let is_one = there.type_class == column.type_class && ROWS.contains(&rows) && few;
                let fits = is_one && keys::names_code_of(&column.name, &other.table, &there.name);
                let again = known.most_common.iter().filter(|common| common.fraction * rows as f64 > 1.5);
                let again: Vec<String> = again.take(TOLD).map(|common| common.value.clone()).collect();
                (fits && !again.is_empty()).then_some((other, there, again))
            });
            let Some((other, there, again)) = found else { continue };
            let Some(values) = self.some_values(entry, &column.name).await.filter(|values| values.len() >= 3) else {
                continue;
            };
            let Ok(held) = self.connector.contains(&other.table, &there.name, &values).await else { continue };
            if (held as f64) < 0.95 * values.len() as f64 {
                continue;
            }
            let name = self.dialect.identifier(&there.name);
            let proof = format!(
                "SELECT {name}, count(*) FROM {} GROUP BY {name} HAVING count(*) > 1",
                other.table.id.written(self.dialect)
            );
            let kind = FactKind::RefersToSeveral {
                column: column.name.clone(),
                table: other.table.id.clone(),
                ref_column: there.name.clone(),
                values: again,
            };
            facts.push(Fact::new(kind, held, values.len() as u64, proof));
        }
        facts
    }

    /// Codes of another table that are written otherwise; `known` are those of which it is told how.
    async fn refers_like(&self, place: usize, codes: &Codes, known: &[&Fact]) -> Vec<Fact> {
        let entry = self.entries[place];
        let mut facts = Vec::new();
        for column in &entry.table.columns {
            let refers = entry.table.foreign_keys.iter().any(|key| key.columns == [column.name.clone()]);
            if refers || known.iter().any(|fact| fact.column() == Some(&column.name)) {
                continue;
            }
            let found = codes.matching(self.connector, self.entries, place, &column.name, self.options).await;
            let Some(found) = found.filter(|found| !found.differs.is_empty()) else { continue };
            let other = self.entries[found.table];
            // The same codes written in two ways in one table are another fact, if one.
            if found.table == place || figures(other, &found.column).is_none() {
                continue;
            }
            let (name, there) = (self.dialect.identifier(&column.name), self.dialect.identifier(&found.column));
            let proof = format!(
                "SELECT (SELECT min({name}) FROM {}) AS here, (SELECT min({there}) FROM {}) AS there",
                entry.table.id.written(self.dialect),
                other.table.id.written(self.dialect)
            );
            let kind = FactKind::RefersLike {
                column: column.name.clone(),
                table: other.table.id.clone(),
                ref_column: found.column,
                differs: found.differs.iter().map(|differs| differs.in_words().to_owned()).collect(),
            };
            facts.push(Fact::new(kind, found.held, found.looked_at, proof));
        }
        facts
    }
}

#[cfg(test)]
mod tests {
    use super::Ratio;

    #[test]
    fn factors_between_units_are_told_from_chance() {
        let pairs =
            |factor: f64| (1..40).map(|n| (f64::from(n) * 1.37, f64::from(n) * 1.37 * factor)).collect::<Vec<_>>();
        for factor in [100.0, 0.001, 60.0, 1.0] {
            let ratio = Ratio::of(&pairs(factor)).unwrap();
            assert!((ratio.factor / factor - 1.0).abs() < 1e-9 && ratio.held == ratio.looked_at, "{factor}");
        }
        assert!(Ratio::of(&pairs(37.0)).is_none());
        let unlike: Vec<(f64, f64)> = (1..40).map(|n| (f64::from(n), f64::from(n * n % 17 + 1))).collect();
        assert!(Ratio::of(&unlike).is_none());
        assert!(Ratio::of(&pairs(100.0)[..5]).is_none());
    }
}
