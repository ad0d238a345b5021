//! What the row that a row refers to says of its quantities: the unit that its product is measured in, the day from which its order
//! is in cents, the kind of its receipt.
//!
//! Rows are put beside those that they refer to, and looked at as rows of one table are.

use std::collections::{HashMap, HashSet};

use catalog::{Column, ColumnProfile, Entry, Fact, FactKind, ForeignKey, Table, TableId, TableKind, TableProfile};
use connect::Value;

use super::across::{Across, measures};
use super::sheet::Sheet;
use super::values::figures;
use super::{kinds, switches};
use crate::options::Options;
use crate::random::Random;
use crate::sampling;

/// Rows looked at.
const ROWS: usize = 2_000;
/// References of one table that are followed.
const MOST_REFERENCES: usize = 4;
/// Columns of kinds, and of days, of a table that is referred to.
const MOST_KINDS: usize = 4;
const MOST_TIMES: usize = 2;

impl Across<'_> {
    /// Quantities in a unit, or with a sign, that a row which is referred to decides.
    pub(super) async fn decided_there(&self, entry: &Entry, places: &HashMap<&TableId, usize>) -> Vec<Fact> {
        let here = told_by_nothing_here(entry);
        let references: Vec<Reference<'_>> = entry
            .table
            .foreign_keys
            .iter()
            .filter_map(|key| Reference::of(entry, key, self.entries[*places.get(&key.ref_table)?]))
            .take(MOST_REFERENCES)
            .collect();
        if here.is_empty() || references.is_empty() || entry.table.kind != TableKind::Table {
            return Vec::new();
        }
        self.beside_theirs(entry, &here, &references).await.unwrap_or_default()
    }

    async fn beside_theirs(&self, entry: &Entry, here: &[&str], references: &[Reference<'_>]) -> Option<Vec<Fact>> {
        let mut own: Vec<String> = here.iter().map(|name| (*name).to_owned()).collect();
        own.extend(references.iter().map(|reference| reference.via.to_owned()));
        let known = entry.profile()?;
        let options = Options { rows: ROWS, ..self.options.clone() };
        let drawn = sampling::draw(self.connector, &entry.table, &own, entry.table.row_count, &options).await;
        let log = |error: &connect::ConnectError| tracing::warn!(table = %entry.table.id, code = error.code(), "rows can't be compared");
        let drawn = drawn.inspect_err(log).ok()?;
        // Any row of each stretch: what comes again in every second row would else be in all of them or in none.
        let stretch = drawn.rows.len().div_ceil(ROWS).max(1);
        let mut random = Random::named(&entry.table.id.to_string());
        let rows: Vec<&Vec<Value>> = drawn.rows.chunks(stretch).filter_map(|rows| random.one_of(rows)).collect();
        let mut facts: Vec<Fact> = Vec::new();
        for (number, reference) in references.iter().enumerate() {
            let at = here.len() + number;
            let Some(theirs) = self.theirs(reference, rows.iter().map(|row| &row[at])).await else { continue };
            let joined: Vec<Vec<Value>> = rows
                .iter()
                .filter_map(|row| {
                    let other = theirs.get(&row[at].as_text()?)?;
                    Some(row[..here.len()].iter().chain(other).cloned().collect())
                })
                .collect();
            let table = reference.beside(entry, here);
            let (columns, profile) =
                (table.columns.iter().map(|column| column.name.clone()), reference.profile(known, &table));
            let columns: Vec<String> = columns.collect();
            let sheet = Sheet::new(&table, self.dialect, &profile, &columns, &joined, &drawn.drawn);
            let found = kinds::scaled_by(&sheet).into_iter().chain(kinds::negative_where(&sheet));
            let found = found.chain(if reference.has_own_time { Vec::new() } else { switches::facts(&sheet) });
            let told = found.filter_map(|fact| self.there(entry, reference, here, fact));
            let is_new = |fact: &Fact| facts.iter().all(|known| known.column() != fact.column());
            let told: Vec<Fact> = told.filter(is_new).collect();
            facts.extend(told);
        }
        Some(facts)
    }

    /// What stands in the rows that these values refer to, by value.
    async fn theirs<'v>(
        &self,
        reference: &Reference<'_>,
        values: impl Iterator<Item = &'v Value>,
    ) -> Option<HashMap<String, Vec<Value>>> {
        let mut seen = HashSet::new();
        let keys: Vec<Value> =
            values.filter(|value| !value.is_null() && seen.insert(value.as_text())).cloned().collect();
        let columns: Vec<String> =
            std::iter::once(reference.ref_column).chain(reference.columns.iter().copied()).map(str::to_owned).collect();
        let rows = self.rows_by(reference.other, reference.ref_column, &columns, &keys).await?;
        Some(rows.into_iter().filter_map(|row| Some((row[0].as_text()?, row[1..].to_vec()))).collect())
    }

    /// What was found of both together as a fact of the one about the other.
    fn there(&self, entry: &Entry, reference: &Reference<'_>, here: &[&str], fact: Fact) -> Option<Fact> {
        let (via, other) = (reference.via.to_owned(), reference.other.table.id.clone());
        let of_other = |named: &str| reference.columns.iter().find(|column| reference.named(column) == named);
        let (column, by) = match &fact.kind {
            FactKind::ScaledBy { column, by, .. } | FactKind::NegativeWhere { column, by, .. } => (column, by),
            FactKind::ScaleChanged { column, time, only: None, .. } => (column, time),
            _ => return None,
        };
        let (column, other_column) = (column.clone(), (*of_other(by)?).to_owned());
        here.contains(&column.as_str()).then_some(())?;
        let written = |name: &str| self.dialect.identifier(name);
        let proof = format!(
            "SELECT other.{of}, count(*), min(one.{0}), avg(one.{0}), max(one.{0}) FROM {1} AS one JOIN {2} AS other ON one.{3} = other.{4} GROUP BY other.{of} ORDER BY 4",
            written(&column),
            entry.table.id.written(self.dialect),
            reference.other.table.id.written(self.dialect),
            written(reference.via),
            written(reference.ref_column),
            of = written(&other_column),
        );
        let kind = match fact.kind {
            FactKind::ScaledBy { values, factor, .. } => {
                FactKind::ScaledThere { column, via, other, other_column, values, since: None, factor }
            }
            FactKind::ScaleChanged { since, factor, .. } => FactKind::ScaledThere {
                column,
                via,
                other,
                other_column,
                values: Vec::new(),
                since: Some(since),
                factor,
            },
            FactKind::NegativeWhere { values, .. } => {
                FactKind::NegativeThere { column, via, other, other_column, values }
            }
            _ => return None,
        };
        Some(Fact::new(kind, fact.held, fact.looked_at, proof).resting_on([], [reference.ref_column]))
    }
}

/// Quantities of which nothing in their own table decides the unit or the sign.
fn told_by_nothing_here(entry: &Entry) -> Vec<&str> {
    let facts = entry.profile().map(|profile| profile.facts.as_slice()).unwrap_or_default();
    let is_told = |name: &str| {
        facts.iter().any(|fact| {
            let decides = matches!(
                fact.kind,
                FactKind::ScaledBy { .. }
                    | FactKind::ScaleChanged { .. }
                    | FactKind::NegativeWhere { .. }
                    | FactKind::MeaningBy { .. }
            );
            decides && fact.column() == Some(name)
        })
    };
    measures(entry).into_iter().filter(|name| !is_told(name)).collect()
}

/// A table that is referred to, and what may decide there.
struct Reference<'e> {
    via: &'e str,
    other: &'e Entry,
    ref_column: &'e str,
    columns: Vec<&'e str>,
    /// Whether rows have a time of their own.
    has_own_time: bool,
}

impl<'e> Reference<'e> {
    fn of(entry: &'e Entry, key: &'e ForeignKey, other: &'e Entry) -> Option<Self> {
        let ([via], [ref_column]) = (key.columns.as_slice(), key.ref_columns.as_slice()) else { return None };
        let is_usable = other.table.id != entry.table.id
            && other.table.kind == TableKind::Table
            && figures(entry, via).is_some()
            && figures(other, ref_column).is_some();
        let is_key = |column: &Column| {
            other.table.primary_key.contains(&column.name)
                || other.table.foreign_keys.iter().any(|key| key.columns.contains(&column.name))
        };
        let is_time = |column: &Column| column.type_class.is_temporal() || holds_dates(other, column);
        let open =
            || other.table.columns.iter().filter(|column| figures(other, &column.name).is_some() && !is_key(column));
        let is_kind = |column: &&Column| {
            let different = figures(other, &column.name).and_then(|known| known.distinct_count);
            !is_time(column) && different.is_some_and(|different| (2..=16).contains(&different))
        };
        let kinds = open().filter(is_kind).take(MOST_KINDS);
        let times = open().filter(|column| is_time(column)).take(MOST_TIMES);
        let columns: Vec<&str> = kinds.chain(times).map(|column| column.name.as_str()).collect();
        let has_own_time =
            entry.table.columns.iter().any(|column| column.type_class.is_temporal() || holds_dates(entry, column));
        (is_usable && !columns.is_empty()).then_some(Self { via, other, ref_column, columns, has_own_time })
    }

    /// What a column of the other table is called beside the own ones.
    fn named(&self, column: &str) -> String {
        format!("{}.{column}", self.other.table.id.name)
    }

    /// The table that both make.
    fn beside(&self, entry: &Entry, here: &[&str]) -> Table {
        let mut table = Table::new(entry.table.id.clone());
        let own = here.iter().filter_map(|name| entry.table.column(name)).cloned();
        let theirs = self.columns.iter().filter_map(|name| self.other.table.column(name));
        let theirs = theirs.map(|column| Column { name: self.named(&column.name), ..column.clone() });
        table.columns = own.chain(theirs).collect();
        table.row_count = entry.table.row_count;
        table
    }

    /// What is known of its columns.
    fn profile(&self, known: &TableProfile, table: &Table) -> TableProfile {
        let theirs = self.columns.iter().filter_map(|name| figures(self.other, name));
        let theirs = theirs.map(|known| ColumnProfile { column: self.named(&known.column), ..known.clone() });
        let columns = known.columns.iter().cloned().chain(theirs).collect();
        TableProfile { columns, ..TableProfile::new(table, known.method.clone(), known.profiled_at) }
    }
}

fn holds_dates(entry: &Entry, column: &Column) -> bool {
    figures(entry, &column.name).and_then(|known| known.pattern.as_ref()).is_some_and(|it| it.form.is_iso_date())
}
