//! Foreign keys that nobody declared.
//!
//! A column is a candidate when its name fits the key of a table and its type does; whether it is one, its values say:
//! nearly all of them must occur in the key. Numbers from 1 to 50 occur in every key, so a name that doesn't fit is never
//! made up for by values. Without values (snapshots, empty tables) only good names are believed, and less. Invariant:
//! a column with a declared key gets no other, and masked columns are not looked at.

mod codes;
mod composite;
mod joined;
mod names;

use std::collections::{HashMap, HashSet};

use catalog::{
    Column, ColumnProfile, Entry, ForeignKey, KeyEvidence, KeyOrigin, SampleMethod, TableId, TableKind, TypeClass,
};
use connect::{ReadRows, SampleRequest, Value};

pub(crate) use self::codes::Codes;
pub(crate) use self::joined::joined;
pub(crate) use self::names::names_code_of;
use self::names::{Fit, Target, Targets};
use crate::changed::Changed;
use crate::facts::stem;
use crate::options::Options;
use crate::random::Random;

/// Different values looked up for one candidate.
const VALUES_CHECKED: usize = 200;
/// Rows read at each end of a large table to find them.
const EDGE: usize = 1000;
/// Share of the values that must occur in the key: some rows are always orphans.
const LEAST_INCLUSION: f64 = 0.9;
/// The same where the name says only a role.
const LEAST_OF_ROLE: f64 = 0.99;
/// Different values that such a column must have.
const VALUES_OF_ROLE: usize = 8;
/// Keys believed less than this are not kept.
const LEAST_CONFIDENCE: f64 = 0.5;
/// How far a name alone is believed.
const NAME_ALONE: f64 = 0.7;
/// How far values alone are, of codes that aren't found everywhere.
const VALUES_ALONE: f64 = 0.8;

/// For each of `entries`, all of one source, the undeclared keys that are believed, in the order of the columns. What was found
/// of columns before is kept where no table has changed that they may refer to, and where one of both ends is masked by now and
/// can't be looked at: often by this very key.
pub(crate) async fn infer(
    connector: &dyn ReadRows,
    entries: &[&Entry],
    codes: &Codes,
    changed: &Changed<'_>,
    options: &Options,
) -> Vec<Vec<ForeignKey>> {
    let is_made_from = |made: usize, from: usize| {
        let (made, from) = (&entries[made].table.id, &entries[from].table.id);
        options.additions.as_ref().is_some_and(|additions| additions.is_made_from(made, from))
    };
    let targets = Targets::new(key_columns(entries, options));
    let origins = origins(entries, &targets);
    let by_id: HashMap<&TableId, &Entry> = entries.iter().map(|entry| (&entry.table.id, *entry)).collect();
    let mut inferred = Vec::with_capacity(entries.len());
    for (position, entry) in entries.iter().enumerate() {
        let mut keys: Vec<ForeignKey> = kept(entry, &by_id).cloned().collect();
        for column in candidates(entry) {
            if keys.iter().any(|key| key.columns == [column]) {
                continue;
            }
            let mut seen = HashSet::new();
            let mut fits: Vec<Fit> = targets
                .fits(position, &entry.table, column)
                .into_iter()
                .map(|fit| Fit { target: origins[fit.target], ..fit })
                .filter(|fit| targets.get(fit.target).table != position || targets.get(fit.target).column != column)
                .filter(|fit| seen.insert(fit.target))
                .filter(|fit| !is_made_from(targets.get(fit.target).table, position))
                .filter(|fit| {
                    let target = targets.get(fit.target);
                    !is_counted_alone(entry, column, (entries[target.table], &target.column))
                })
                .filter(|fit| types_fit(entry, column, entries[targets.get(fit.target).table], targets.get(fit.target)))
                .collect();
            if !changed.is_new(position) && !fits.iter().any(|fit| changed.is_new(targets.get(fit.target).table)) {
                let known = entry.table.foreign_keys.iter().find(|key| is_inferred_of(key, column));
                let is_as_it_was = known.is_some_and(|key| changed.is_as_it_was(&key.ref_table));
                let may_be_new = known.is_none() && changed.codes || known.is_some() && !is_as_it_was;
                // Of a column that was masked when its table was looked at, there is nothing to compare by now.
                let is_unknown = known.is_some()
                    && profile_of(entry, column).is_some_and(|known| known.values.as_slice().is_empty());
                if !may_be_new || is_unknown {
                    keys.extend(known.cloned());
                    continue;
                }
            }
            if fits.is_empty() {
                keys.extend(by_values(connector, entries, position, column, codes, options).await);
                continue;
            }
            // Of several that fit alike by name, the one in the same schema is meant, and a declared key before a copy.
            fits.sort_by(|left, right| {
                let rank = |fit: &Fit| {
                    let (target, other) = (targets.get(fit.target), &entries[targets.get(fit.target).table].table);
                    (other.id.schema != entry.table.id.schema, other.primary_key != [target.column.as_str()])
                };
                right.name_fit.total_cmp(&left.name_fit).then_with(|| rank(left).cmp(&rank(right)))
            });
            if let Some((target, evidence)) = best(connector, entries, entry, column, &targets, &fits, options).await {
                keys.push(ForeignKey {
                    columns: vec![column.to_owned()],
                    ref_table: entries[target.table].table.id.clone(),
                    ref_columns: vec![target.column.clone()],
                    origin: KeyOrigin::Inferred(evidence),
                });
            } else {
                // What it is called may lead to the wrong table.
                keys.extend(by_values(connector, entries, position, column, codes, options).await);
            }
        }
        keys.extend(composite::infer(connector, entries, position, changed, options).await);
        inferred.push(keys);
    }
    lead_on(connector, entries, changed, options, &mut inferred).await;
    drop_reversed(entries, &mut inferred);
    inferred
}

/// Lets keys to a column that refers on itself refer to what that one does, where their values are there as well: each deposit has a
/// contract's number once, and what else has such numbers is about contracts.
async fn lead_on(
    connector: &dyn ReadRows,
    entries: &[&Entry],
    changed: &Changed<'_>,
    options: &Options,
    inferred: &mut [Vec<ForeignKey>],
) {
    let places: HashMap<&TableId, usize> =
        entries.iter().enumerate().map(|(place, entry)| (&entry.table.id, place)).collect();
    let next = |inferred: &[Vec<ForeignKey>], key: &ForeignKey| {
        let ([_], [there]) = (key.columns.as_slice(), key.ref_columns.as_slice()) else { return None };
        let place = *places.get(&key.ref_table)?;
        let is_own = entries[place].table.primary_key == [there.clone()];
        let on = inferred[place].iter().find(|on| on.columns == [there.clone()]).filter(|_| !is_own)?;
        Some((*places.get(&on.ref_table)?, on.ref_columns.first()?.clone()))
    };
    for position in 0..entries.len() {
        for number in 0..inferred[position].len() {
            let key = &inferred[position][number];
            let Some((target, column)) = next(inferred, key) else { continue };
            let KeyOrigin::Inferred(evidence) = &key.origin else { continue };
            let is_looked_at = changed.is_new(position) || changed.is_new(target);
            if target == position || !is_looked_at || !can_look_up(entries[target], &column, options) {
                continue;
            }
            let values = values_of(connector, entries[position], &key.columns[0], options).await.unwrap_or_default();
            let found = connector.contains(&entries[target].table, &column, &values).await.unwrap_or_default();
            let inclusion = found as f64 / values.len().max(1) as f64;
            if inclusion < evidence.inclusion.unwrap_or_default().max(LEAST_INCLUSION) {
                continue;
            }
            let confidence = evidence.confidence;
            let evidence = KeyEvidence { inclusion: Some(inclusion), confidence, ..evidence.clone() };
            let key = &mut inferred[position][number];
            key.ref_table = entries[target].table.id.clone();
            key.ref_columns = vec![column];
            key.origin = KeyOrigin::Inferred(evidence);
        }
    }
}

/// The keys that were inferred of a table of which an end is masked by now.
fn kept<'e>(entry: &'e Entry, by_id: &HashMap<&TableId, &Entry>) -> impl Iterator<Item = &'e ForeignKey> {
    let inferred = entry.table.foreign_keys.iter().filter(|key| is_inferred(key));
    inferred.filter(move |key| {
        let Some(other) = by_id.get(&key.ref_table) else { return false };
        let is_there = |of: &Entry, columns: &[String]| columns.iter().all(|column| of.table.column(column).is_some());
        let are_masked = |of: &Entry, columns: &[String]| columns.iter().any(|column| is_masked(of, column));
        is_there(entry, &key.columns)
            && is_there(other, &key.ref_columns)
            && (are_masked(entry, &key.columns) || are_masked(other, &key.ref_columns))
    })
}

fn is_inferred(key: &ForeignKey) -> bool {
    key.origin != KeyOrigin::Declared
}

fn is_inferred_of(key: &ForeignKey, column: &str) -> bool {
    is_inferred(key) && key.columns == [column]
}

/// A key that values alone tell, of codes that are another table's.
async fn by_values(
    connector: &dyn ReadRows,
    entries: &[&Entry],
    position: usize,
    column: &str,
    codes: &Codes,
    options: &Options,
) -> Option<ForeignKey> {
    let entry = entries[position];
    let is_own_key = entry.table.primary_key == [column.to_owned()];
    let found = codes.matching(connector, entries, position, column, options).await;
    let found = found.filter(|found| found.differs.is_empty() && !is_own_key)?;
    let (held, checked) = (found.held as f64, found.looked_at as f64);
    let inclusion = held / checked;
    if inclusion < LEAST_INCLUSION {
        return None;
    }
    let confidence = inclusion * VALUES_ALONE * checked / (checked + 1.0);
    let evidence = KeyEvidence {
        name_fit: 0.0,
        joined_in: 0,
        inclusion: Some(inclusion),
        values_checked: found.looked_at,
        confidence,
    };
    Some(ForeignKey {
        columns: vec![column.to_owned()],
        ref_table: entries[found.table].table.id.clone(),
        ref_columns: vec![found.column],
        origin: KeyOrigin::Inferred(evidence),
    })
}

/// Whether a column numbers the rows of its own table from one to the last: such numbers are in every other key by chance. Only a
/// table that has more to say of another one's rows (`customer_details`) has its numbers.
fn is_counted_alone(entry: &Entry, column: &str, (other, target): (&Entry, &str)) -> bool {
    let table = &entry.table;
    let Some(known) = profile_of(entry, column) else { return false };
    // Another version of a table, an archive or a copy, has its own numbers or the same rows.
    let is_version = stem(&table.id.name) == stem(&other.table.id.name) && column.eq_ignore_ascii_case(target);
    if is_version && (table.primary_key.is_empty() && may_be_unique(known) || table.primary_key == [column.to_owned()])
    {
        return true;
    }
    if table.primary_key != [column.to_owned()] {
        return false;
    }
    let number = |text: &Option<String>| text.as_deref()?.parse::<f64>().ok();
    let rows = entry.profile().and_then(|profile| profile.row_count).or(table.row_count);
    let is_dense = match (number(&known.min), number(&known.max), rows) {
        (Some(first), Some(last), Some(rows)) => first <= 100.0 && rows.value as f64 >= 0.9 * (last - first + 1.0),
        _ => table.column(column).is_some_and(|column| column.type_class == TypeClass::Integer),
    };
    let (own, theirs) = (names::entity_of(&table.id.name), names::entity_of(&other.table.id.name));
    is_dense && !(own.starts_with(&theirs) || own.ends_with(&theirs))
}

/// Which keys a column may refer to by its name, or by what stands before the numbers in it.
pub(crate) struct Fitting<'e> {
    entries: &'e [&'e Entry],
    targets: Targets,
}

impl<'e> Fitting<'e> {
    pub(crate) fn new(entries: &'e [&'e Entry], options: &Options) -> Self {
        Self { entries, targets: Targets::new(key_columns(entries, options)) }
    }

    /// The tables by their position, and their key, that `column` of the table at `position` may refer to, best first.
    pub(crate) fn targets(&self, position: usize, column: &str, prefix: &str) -> Vec<(usize, &str)> {
        let table = &self.entries[position].table;
        let by_prefix = prefix.trim_end_matches(|sign: char| !sign.is_alphanumeric()).to_lowercase();
        let by_prefix = if by_prefix.len() < 3 {
            Vec::new()
        } else {
            self.targets.fits(position, table, &format!("{by_prefix}_id"))
        };
        // A word that may be short for somebody's role leads to every table of people.
        let fits = self.targets.fits(position, table, column).into_iter().chain(by_prefix).filter(|fit| !fit.is_bare);
        fits.map(|fit| self.targets.get(fit.target)).map(|target| (target.table, target.column.as_str())).collect()
    }
}

/// For each target, where its values come from: a key that is itself a declared reference (`settings.user_id`, one row a
/// user) leads to the key that it refers to.
fn origins(entries: &[&Entry], targets: &Targets) -> Vec<usize> {
    /// No chain of tables with one row for each of another's is longer.
    const LONGEST: usize = 8;
    let places: HashMap<(&TableId, &str), usize> = (0..targets.len())
        .map(|place| {
            let target = targets.get(place);
            ((&entries[target.table].table.id, target.column.as_str()), place)
        })
        .collect();
    let next = |place: usize| {
        let target = targets.get(place);
        let declared = entries[target.table].table.foreign_keys.iter().filter(|key| key.origin == KeyOrigin::Declared);
        declared.filter(|key| key.columns == [target.column.as_str()]).find_map(|key| {
            match key.ref_columns.as_slice() {
                [only] => places.get(&(&key.ref_table, only.as_str())).copied(),
                _ => None,
            }
        })
    };
    let origin = |place| std::iter::successors(Some(place), |place| next(*place)).take(LONGEST).last();
    (0..targets.len()).map(|place| origin(place).unwrap_or(place)).collect()
}

/// Drops keys that another one says the other way around: a declared one, or the more believed of two.
fn drop_reversed(entries: &[&Entry], inferred: &mut [Vec<ForeignKey>]) {
    type End = (TableId, Vec<String>);
    let mut known: HashMap<(End, End), f64> = HashMap::new();
    for (entry, inferred) in entries.iter().zip(inferred.iter()) {
        for key in entry.table.foreign_keys.iter().filter(|key| key.origin == KeyOrigin::Declared).chain(inferred) {
            let from = (entry.table.id.clone(), key.columns.clone());
            known.insert((from, (key.ref_table.clone(), key.ref_columns.clone())), strength(key));
        }
    }
    for (entry, inferred) in entries.iter().zip(inferred.iter_mut()) {
        inferred.retain(|key| {
            let from = (entry.table.id.clone(), key.columns.clone());
            let to = (key.ref_table.clone(), key.ref_columns.clone());
            // Of two that are believed alike, the one from the later table stays.
            let first = from > to;
            known
                .get(&(to, from))
                .is_none_or(|other| strength(key) > *other || (strength(key).total_cmp(other).is_eq() && first))
        });
    }
}

/// How far a key is believed; a declared one fully.
fn strength(key: &ForeignKey) -> f64 {
    match &key.origin {
        KeyOrigin::Declared => f64::INFINITY,
        KeyOrigin::Inferred(evidence) => evidence.confidence,
    }
}

/// Every column that foreign keys can point to: single primary keys, unique columns, and, in a table without a key, a
/// column that holds no value twice as far as we know and is named like a key, is tested to be one, or leads to its rows by
/// itself, as the column does by which ClickHouse sorts them. Where all rows were read, also numbers and codes of which each
/// row has its own.
fn key_columns(entries: &[&Entry], options: &Options) -> Vec<Target> {
    let mut targets = Vec::new();
    for (position, entry) in entries.iter().enumerate() {
        let table = &entry.table;
        if table.kind != TableKind::Table {
            continue;
        }
        let declared = std::iter::once(&table.primary_key)
            .chain(table.indexes.iter().filter(|index| index.unique).map(|index| &index.columns))
            .filter_map(|columns| match columns.as_slice() {
                [only] => Some(only.as_str()),
                _ => None,
            });
        let leads = |column: &str| table.indexes.iter().any(|index| index.columns == [column]);
        let is_tested = |column: &str| {
            options.additions.as_ref().is_some_and(|additions| additions.is_tested_key(&table.id, column))
        };
        let undeclared =
            table.columns.iter().map(|column| column.name.as_str()).filter(|_| table.primary_key.is_empty()).filter(
                |column| match profile_of(entry, column) {
                    Some(profile) => {
                        let is_first = table.columns.first().is_some_and(|first| first.name == *column);
                        let is_key = names::names_own_key(table, column)
                            || leads(column)
                            || is_tested(column)
                            || is_first && names::names_a_key(column) && is_unique(entry, profile);
                        may_be_unique(profile) && is_key
                    }
                    None => names::names_own_key(table, column) || is_tested(column),
                },
            );
        let mut seen = HashSet::new();
        let mut add = |column: &str, is_alternate: bool| {
            let readable = table.column(column).is_some() && !is_masked(entry, column);
            if readable && seen.insert(column.to_owned()) {
                let target = if is_alternate { Target::alternate } else { Target::new };
                targets.push(target(position, table, column));
            }
        };
        declared.chain(undeclared).for_each(|column| add(column, false));
        table.columns.iter().filter(|column| is_alternate(entry, column)).for_each(|column| add(&column.name, true));
    }
    targets
}

/// Whether each row of a table with another key has a code or a number of its own, of those that don't begin at one.
fn is_alternate(entry: &Entry, column: &catalog::Column) -> bool {
    let table = &entry.table;
    let Some(profile) = profile_of(entry, &column.name) else { return false };
    if table.primary_key.is_empty() || table.primary_key.contains(&column.name) || !is_unique(entry, profile) {
        return false;
    }
    match column.type_class {
        TypeClass::Text => names::names_a_key(&column.name),
        TypeClass::Integer => is_telling(profile),
        _ => false,
    }
}

/// Whether its numbers aren't found among any others: they begin high.
fn is_telling(profile: &ColumnProfile) -> bool {
    const FIRST: f64 = 100.0;
    profile.min.as_deref().and_then(|first| first.parse::<f64>().ok()).is_none_or(|first| first >= FIRST)
}

/// Whether all rows were read, and each has another value, which in a few may be chance.
fn is_unique(entry: &Entry, profile: &ColumnProfile) -> bool {
    const LEAST_ROWS: u64 = 20;
    if profile.distinct_count.is_none_or(|different| different < LEAST_ROWS) {
        return false;
    }
    let is_whole = entry.profile().is_some_and(|profile| profile.method == SampleMethod::AllRows);
    is_whole && profile.null_fraction == Some(0.0) && profile.distinct_ratio.is_some_and(|ratio| ratio >= 1.0)
}

fn may_be_unique(profile: &ColumnProfile) -> bool {
    profile.null_fraction.is_none_or(|nulls| nulls == 0.0) && profile.distinct_ratio.is_none_or(|ratio| ratio > 0.99)
}

/// The columns of a table that may refer to another, in order.
fn candidates(entry: &Entry) -> impl Iterator<Item = &str> {
    let table = &entry.table;
    let is_table = table.kind == TableKind::Table;
    // Numbers with a fraction measure something, unless they are called a key.
    let may_be_key = |column: &&Column| column.type_class != TypeClass::Real || names::names_a_key(&column.name);
    let columns = table.columns.iter().filter(move |_| is_table).filter(may_be_key);
    columns.map(|column| column.name.as_str()).filter(|column| {
        let declared = table.foreign_keys.iter().any(|key| {
            key.origin == KeyOrigin::Declared && key.columns.len() == 1 && key.columns[0].eq_ignore_ascii_case(column)
        });
        !declared && !is_masked(entry, column)
    })
}

fn profile_of<'a>(entry: &'a Entry, column: &str) -> Option<&'a ColumnProfile> {
    entry.profile()?.column(column)
}

fn is_masked(entry: &Entry, column: &str) -> bool {
    profile_of(entry, column).is_some_and(|profile| profile.masked.is_some())
}

/// Whether a column holds days, as texts or as numbers such as 20240229.
pub(crate) fn is_of_days(profile: &ColumnProfile) -> bool {
    let is_iso = || profile.pattern.as_ref().is_some_and(|pattern| pattern.form.is_iso_date());
    let is_day = |text: &Option<String>| {
        let parts = text.as_deref().filter(|text| text.len() == 8).and_then(|text| text.parse::<u32>().ok());
        parts.is_some_and(|day| {
            (1900..2200).contains(&(day / 10_000))
                && (1..13).contains(&(day / 100 % 100))
                && (1..32).contains(&(day % 100))
        })
    };
    is_iso() || is_day(&profile.min) && is_day(&profile.max)
}

/// Whether values of one column can equal values of the other.
fn types_fit(entry: &Entry, column: &str, other: &Entry, target: &Target) -> bool {
    let (Some(from), Some(to)) = (entry.table.column(column), other.table.column(&target.column)) else { return false };
    let is_text = |class| matches!(class, TypeClass::Text | TypeClass::Uuid);
    let never = |class: TypeClass| {
        class.is_temporal() || matches!(class, TypeClass::Boolean | TypeClass::Binary | TypeClass::Json)
    };
    // Two columns of days have most of them in common.
    let is_of_days = |entry: &Entry, column: &str| profile_of(entry, column).is_some_and(is_of_days);
    match (from.type_class, to.type_class) {
        _ if is_of_days(entry, column) || is_of_days(other, &target.column) => false,
        (left, right) if never(left) || never(right) => false,
        (TypeClass::Other, _) | (_, TypeClass::Other) => true,
        (left, right) => {
            left == right || (left.is_numeric() && right.is_numeric()) || (is_text(left) && is_text(right))
        }
    }
}

/// The target that `column` most probably refers to, if any is believed.
async fn best<'a>(
    connector: &dyn ReadRows,
    entries: &[&Entry],
    entry: &Entry,
    column: &str,
    targets: &'a Targets,
    fits: &[Fit],
    options: &Options,
) -> Option<(&'a Target, KeyEvidence)> {
    let values = values_of(connector, entry, column, options).await;
    let mut best: Option<(&Target, KeyEvidence)> = None;
    for fit in fits {
        let target = targets.get(fit.target);
        let other = entries[target.table];
        let Some(evidence) = weigh(connector, entry, column, (other, target), fit, values.as_deref(), options).await
        else {
            continue;
        };
        let better = best.as_ref().is_none_or(|(_, known)| evidence.confidence > known.confidence);
        if evidence.confidence >= LEAST_CONFIDENCE && better {
            let certain = fit.name_fit >= 0.95 && evidence.inclusion == Some(1.0);
            best = Some((target, evidence));
            if certain {
                break;
            }
        }
    }
    best
}

/// What speaks for a key; `None` where something speaks against it.
async fn weigh(
    connector: &dyn ReadRows,
    entry: &Entry,
    column: &str,
    (other, target): (&Entry, &Target),
    fit: &Fit,
    values: Option<&[Value]>,
    options: &Options,
) -> Option<KeyEvidence> {
    let name_fit = fit.name_fit;
    let Some(values) = values.filter(|values| !values.is_empty()) else {
        if fit.by_role {
            return None;
        }
        let confidence = NAME_ALONE * name_fit;
        let agree = samples_agree(profile_of(entry, column), profile_of(other, &target.column));
        return agree.then_some(KeyEvidence { name_fit, joined_in: 0, inclusion: None, values_checked: 0, confidence });
    };
    let is_chance = || {
        let is_told = profile_of(other, &target.column).is_some_and(is_telling);
        !reach(values, other, &target.column) || fit.is_bare && !is_told
    };
    if !can_look_up(other, &target.column, options) || fit.by_role && is_chance() {
        return None;
    }
    // What is measured of each row stands once in a copy as well; what refers to a row comes again.
    let repeats =
        || profile_of(entry, column).is_some_and(|known| known.distinct_ratio.is_some_and(|ratio| ratio < 0.5));
    if target.is_alternate_number(&other.table) && !repeats() {
        return None;
    }
    let found = match connector.contains(&other.table, &target.column, values).await {
        Ok(found) => found,
        Err(error) => {
            tracing::warn!(table = %other.table.id, code = error.code(), "values can't be looked up");
            return None;
        }
    };
    let checked = values.len() as f64;
    let inclusion = found as f64 / checked;
    if inclusion < if fit.by_role { LEAST_OF_ROLE } else { LEAST_INCLUSION } {
        return None;
    }
    // Few values that fit may be chance: n/(n + 1) of what many would be worth.
    let confidence = inclusion * (0.5 + 0.5 * name_fit) * checked / (checked + 1.0);
    Some(KeyEvidence {
        name_fit,
        joined_in: 0,
        inclusion: Some(inclusion),
        values_checked: values.len() as u64,
        confidence,
    })
}

/// Whether there are several values, and numbers reach as far as the key's do: small ones occur in every key.
fn reach(values: &[Value], other: &Entry, column: &str) -> bool {
    let largest = values.iter().filter_map(|value| match value {
        Value::Integer(value) => Some(*value as f64),
        _ => None,
    });
    let largest = largest.fold(f64::NEG_INFINITY, f64::max);
    let last = profile_of(other, column).and_then(|profile| profile.max.as_deref()?.parse::<f64>().ok());
    let reaches = last.is_none_or(|last| largest == f64::NEG_INFINITY || largest * 2.0 >= last);
    values.len() >= VALUES_OF_ROLE && reaches
}

/// Whether values are found in a column without reading a large table.
pub(crate) fn can_look_up(entry: &Entry, column: &str, options: &Options) -> bool {
    is_indexed(entry, column) || is_small(entry, options)
}

/// Whether an index leads to a column's values.
pub(crate) fn is_indexed(entry: &Entry, column: &str) -> bool {
    let leads = |columns: &[String]| columns.first().is_some_and(|first| first == column);
    leads(&entry.table.primary_key) || entry.table.indexes.iter().any(|index| leads(&index.columns))
}

/// Whether a table is small enough to be read whole, by its own rows or by the engine's statistics.
pub(crate) fn is_small(entry: &Entry, options: &Options) -> bool {
    entry.profile().is_some_and(|profile| match profile.method {
        SampleMethod::AllRows => true,
        SampleMethod::EngineStatistics => profile.row_count.is_some_and(|count| count.value <= options.all_rows_below),
        _ => false,
    })
}

/// Some different values of a column, in random order; `None` where there is no database to ask, or it doesn't answer.
pub(crate) async fn values_of(
    connector: &dyn ReadRows,
    entry: &Entry,
    column: &str,
    options: &Options,
) -> Option<Vec<Value>> {
    if !connector.capabilities().executes {
        return None;
    }
    let request = match is_small(entry, options) {
        true => SampleRequest::FirstRows { rows: usize::try_from(options.all_rows_below).unwrap_or(usize::MAX) },
        false => SampleRequest::FirstAndLast { each: EDGE, order_by: None },
    };
    let result = connector.sample(&entry.table, &[column.to_owned()], &request).await;
    let rows = result
        .inspect_err(|error| tracing::warn!(table = %entry.table.id, code = error.code(), "values can't be read"))
        .ok()?
        .rows;
    let mut seen = HashSet::new();
    // How many databases write "none".
    let says_none = |value: &Value| match value {
        Value::Null | Value::Bytes(_) | Value::Integer(0 | -1) => true,
        Value::Text(text) => matches!(text.trim(), "" | "-" | "0" | "-1" | "n/a" | "N/A"),
        _ => false,
    };
    let mut values: Vec<Value> =
        rows.into_iter().flatten().filter(|value| !says_none(value) && seen.insert(value.as_text())).collect();
    Random::named(&format!("{}.{column}", entry.table.id)).shuffle(&mut values);
    values.truncate(VALUES_CHECKED);
    Some(values)
}

/// Whether the sample values of two columns can be of one kind: numbers with numbers, texts with texts.
fn samples_agree(from: Option<&ColumnProfile>, to: Option<&ColumnProfile>) -> bool {
    let are_numbers = |profile: Option<&ColumnProfile>| {
        let values = profile?.values.as_slice();
        let number = |value: &String| value.trim().parse::<f64>().is_ok();
        (!values.is_empty()).then(|| values.iter().all(number))
    };
    match (are_numbers(from), are_numbers(to)) {
        (Some(from), Some(to)) => from == to,
        _ => true,
    }
}
