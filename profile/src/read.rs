//! One table, from what introspection says of it to its profile.
//!
//! What the engine says of writes comes first, then its statistics, then its rows: each is asked only where the one
//! before didn't settle it. Nothing is stored here and nothing shared is changed, so tables can be read side by side.

use std::collections::HashSet;

use catalog::{
    Catalog, Column, ColumnProfile, Decision, Entry, Exactness, FactKind, KnownValues, LastUpdate, Mask, MaskRules,
    MaskedBy, RowCount, Ruling, SampleMethod, StructureVerdict, Table, TableKind, TableProfile, TypeClass,
};
use connect::{ColumnStatistics, ConnectError, ReadRows, SAMPLE_CELL_CHARS, SampleRequest, TableStatistics, Value};
use jiff::Timestamp;
use privacy::Seen;

use crate::facts;
use crate::options::Options;
use crate::origins::Origins;
use crate::patterns::{self, Stored};
use crate::sample_rows;
use crate::sampling::{self, Sample};
use crate::staleness;
use crate::statistics::{Coverage, Tally, cut, leaves_open};
use crate::writes::{ROW_COUNT_TOLERANCE, Writes, writes_since};

/// Sample values kept of a snapshot's column.
const SNAPSHOT_VALUES: usize = 5;
/// Rows read to be shown and to look for facts in, where the engine's statistics make a sample unnecessary.
const ROWS_BESIDE: usize = 2_000;

/// Rows looked at where nothing says whether a large table was written to.
const GLANCED_ROWS: usize = 200;
/// Rows whose texts are measured at least, bytes that the engine may have to read for that, and those that a row takes at least.
const LEAST_MEASURED: usize = 200;
const MEASURED_BYTES: f64 = 1e8;
const LEAST_ROW: f64 = 100.0;
/// Bytes of a value that stands elsewhere, where engines keep long ones apart, and of what stands in its place.
const LONG: f64 = 2_000.0;
const POINTER: f64 = 20.0;

/// What reading a table came to.
#[derive(Debug)]
pub(crate) enum TableRead {
    /// The stored profile holds; no row was read for that.
    Unchanged,
    /// It was read, and the new profile differs from the stored one in nothing but its time.
    Confirmed(Box<TableProfile>),
    /// It has a new profile.
    Profiled(Box<(Table, TableProfile)>),
    /// It can't be read.
    NotRead(Box<Table>, ConnectError),
}

/// Reads tables of one source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a> {
    pub(crate) connector: &'a dyn ReadRows,
    pub(crate) options: &'a Options,
    /// What was stored before; of views, after their tables were stored.
    pub(crate) before: &'a Catalog,
    /// When the database was last written to, where that can be told.
    pub(crate) changed_at: Option<Timestamp>,
    pub(crate) origins: &'a Origins<'a>,
}

impl Reader<'_> {
    /// Reads a table as far as that is necessary.
    pub(crate) async fn read(&self, introspected: &Table) -> TableRead {
        let entry = self.before.entry(&introspected.id);
        // The stored one holds inferred keys as well, where the structure is the same.
        let same = entry.filter(|entry| entry.table.fingerprint() == introspected.fingerprint());
        let mut table = same.map_or_else(|| introspected.clone(), |entry| Table::clone(&entry.table));
        // What can't be read is made anew.
        let stored = entry.filter(|entry| entry.damage().is_none()).and_then(Entry::profile);
        let reading = self.try_read(&mut table, introspected, stored).await;
        reading.unwrap_or_else(|error| TableRead::NotRead(Box::new(table), error))
    }

    async fn try_read(
        &self,
        table: &mut Table,
        introspected: &Table,
        stored: Option<&TableProfile>,
    ) -> Result<TableRead, ConnectError> {
        let mark = self.connector.write_mark(table).await?;
        let earlier = stored.filter(|profile| profile.fingerprint == table.fingerprint());
        let stored = stored.filter(|profile| !self.options.full && self.is_as_asked(table, profile));
        let writes = stored.map_or(Writes::Unknown, |profile| writes_since(profile, mark.as_ref()));
        if stored.is_some() && writes == Writes::None {
            return Ok(TableRead::Unchanged);
        }
        let masks = self.masks(table);
        let unmasked = table.columns.iter().zip(&masks).filter(|(_, mask)| mask.is_none());
        let readable: Vec<String> = unmasked.map(|(column, _)| column.name.clone()).collect();
        let told = self.told(table, &readable).await?;
        let row_count = match &told {
            Some(told) => Some(told.row_count),
            None => self.connector.row_count(table).await?,
        };
        let holding = stored.filter(|profile| writes != Writes::Some && !self.moved(profile.row_count, row_count));
        if let Some(profile) = holding
            && !self.written_in_place(profile)
            && !self.shows_what_is_masked(table, profile, &readable, row_count).await?
        {
            return Ok(TableRead::Unchanged);
        }
        let known = table.clone();
        table.row_count = row_count;
        table.last_update.clone_from(&introspected.last_update);
        let profile = self.profile(table, masks, &readable, told.as_ref()).await?;
        let mut profile = TableProfile { write_mark: mark, ..profile };
        // What two tables say together is looked for when all are read; a run that ends before leaves what was found earlier.
        let across = earlier.into_iter().flat_map(|before| &before.facts).filter(|fact| fact.is_across());
        profile.facts.extend(across.cloned());
        // What was written was another table, or left this one as it was.
        if let Some(before) = stored.filter(|before| *table == known && same_but_for_the_time(before, &profile)) {
            let first = before.same_since.unwrap_or(before.profiled_at);
            profile.same_since = Some(first).filter(|first| *first != profile.profiled_at);
            return Ok(TableRead::Confirmed(Box::new(profile)));
        }
        Ok(TableRead::Profiled(Box::new((table.clone(), profile))))
    }

    /// Why columns must not be read: by what they are called, by what people say of them, by the columns they are made
    /// from.
    fn masks(&self, table: &Table) -> Vec<Option<Mask>> {
        let verdicts = self.options.sensitive.verdicts(table);
        let columns = || table.columns.iter().zip(&verdicts);
        let own: Vec<_> = columns().map(|(column, verdict)| self.mask(table, column, verdict.clone())).collect();
        // In the first run nothing is known of a table but this, and its generated columns are made from it.
        columns()
            .zip(&own)
            .map(|((column, verdict), mask)| {
                let is_open = mask.is_none() && matches!(verdict, StructureVerdict::Open);
                if !is_open || self.is_released(table, column) {
                    return mask.clone();
                }
                let mut made_from = self.made_from(table, column).into_iter();
                made_from.find_map(|place| Some(made_from_masked(table, &table.columns[place], own[place].as_ref()?)))
            })
            .collect()
    }

    /// The places of the columns of the same table that a generated one is made from.
    fn made_from(&self, table: &Table, column: &Column) -> Vec<usize> {
        let origins = self.origins.of(&table.id, &column.name).unwrap_or_default();
        let here = origins.into_iter().filter(|(origin, _)| origin.id == table.id);
        here.filter_map(|(_, made_from)| table.place_of(&made_from.name)).collect()
    }

    fn mask(&self, table: &Table, column: &Column, verdict: StructureVerdict) -> Option<Mask> {
        match (verdict, self.ruling(table, column)) {
            (StructureVerdict::Masked(mask), _) if mask.by.is_configured() => Some(mask),
            (StructureVerdict::Kept, _) => None,
            (_, Some(ruling)) => (ruling.decision == Decision::Mask).then(|| ruling.mask()),
            (StructureVerdict::Masked(mask), None) => Some(mask),
            (StructureVerdict::Open, None) => self.mask_of_origins(table, column),
        }
    }

    /// The mask of a column that is made from masked ones.
    fn mask_of_origins(&self, table: &Table, column: &Column) -> Option<Mask> {
        let Some(origins) = self.origins.of(&table.id, &column.name) else {
            let reason = "made by a query that can't be followed".to_owned();
            return Some(Mask { by: MaskedBy::Origin, reason, confidence: 1.0, hides_names: false });
        };
        origins.into_iter().find_map(|(origin, made_from)| {
            let exposure = self.before.entry(&origin.id)?.exposure(&made_from.name);
            // A view on the way says only what its tables say.
            let mask = exposure.mask().filter(|mask| mask.by != MaskedBy::Origin)?;
            Some(made_from_masked(origin, made_from, mask))
        })
    }

    /// What a person has said of a column.
    fn ruling(&self, table: &Table, column: &Column) -> Option<&Ruling> {
        self.before.entry(&table.id)?.rulings()?.of(table, &column.name)
    }

    /// Whether a column's values may be kept, although they were found to be personal.
    fn is_overruled(&self, table: &Table, column: &Column, found: &Mask) -> bool {
        self.is_released(table, column) || self.options.sensitive.is_overruled(table, column, found)
    }

    /// Whether somebody has said that a column's values may be kept, whatever they are.
    fn is_released(&self, table: &Table, column: &Column) -> bool {
        self.ruling(table, column).is_some_and(|ruling| ruling.decision == Decision::Release)
    }

    /// The engine's own statistics, where they tell of every one of these columns; of a table that could be read whole,
    /// where they tell no less than its rows would.
    async fn told(&self, table: &Table, readable: &[String]) -> Result<Option<TableStatistics>, ConnectError> {
        let kept = matches!(table.kind, TableKind::Table | TableKind::MaterializedView);
        if !kept || readable.is_empty() || !self.connector.capabilities().engine_statistics {
            return Ok(None);
        }
        let told = self.connector.statistics(table, readable).await?;
        Ok(told.filter(|told| {
            let is_small = told.row_count.value <= self.options.all_rows_below;
            readable.iter().all(|name| {
                let known = told.columns.iter().find(|known| known.column == *name);
                let class = table.column(name).map_or(TypeClass::Other, |column| column.type_class);
                known.is_some_and(|known| tells_of(known, class) && !(is_small && leaves_open(known)))
            })
        }))
    }

    /// Whether rows may have been changed in place since, in a table that is small enough to look.
    fn written_in_place(&self, profile: &TableProfile) -> bool {
        let written = self.changed_at.is_some_and(|at| at >= profile.profiled_at);
        written && profile.method == SampleMethod::AllRows
    }

    /// Whether open columns of a table that is too large to be read whole hold what has to be masked by now: values
    /// that were rewritten in place, which neither the number of rows nor the engine tells. A few rows are looked at.
    async fn shows_what_is_masked(
        &self,
        table: &Table,
        profile: &TableProfile,
        readable: &[String],
        row_count: Option<RowCount>,
    ) -> Result<bool, ConnectError> {
        let may_be_written = self.changed_at.is_none_or(|at| at >= profile.profiled_at);
        let was_read = !matches!(profile.method, SampleMethod::Nothing | SampleMethod::Snapshot);
        if !may_be_written || !was_read || table.kind != TableKind::Table || readable.is_empty() {
            return Ok(false);
        }
        let sample = self.some_rows(table, readable, row_count, GLANCED_ROWS).await?;
        let read: Vec<&Column> = readable.iter().filter_map(|name| table.column(name)).collect();
        let counted: Vec<(Tally, Coverage)> = (0..read.len())
            .map(|position| (Tally::of(sample.rows.iter().map(|row| &row[position])), sample.coverage()))
            .collect();
        let found = self.found_in_values(table, &read, &counted);
        Ok(read.iter().zip(found).any(|(column, found)| {
            let was_open = profile.column(&column.name).is_some_and(|known| known.masked.is_none());
            was_open && found.is_some_and(|mask| !self.is_overruled(table, column, &mask))
        }))
    }

    /// Asks how long texts are where the rows that were read don't tell: those of which only the beginning was read, those of
    /// tables that were read in part, where the few long ones may be missing, and those that an engine has its own statistics of,
    /// which leave long values out (PostgreSQL: WIDTH_THRESHOLD in analyze.c). What a statement makes of them rests on it. Where
    /// the engine doesn't answer, they stay as long as what was read.
    async fn measure(&self, table: &Table, read: &[&Column], sample: &Sample, counted: &mut [(Tally, Coverage)]) {
        let is_cut = |cell: &Value| matches!(cell, Value::Text(text) if text.chars().count() >= SAMPLE_CELL_CHARS);
        if table.kind == TableKind::View {
            self.measure_origins(table, read, counted);
        }
        let cut: Vec<bool> = (0..read.len()).map(|place| sample.rows.iter().any(|row| is_cut(&row[place]))).collect();
        let is_told = |place: usize| matches!(counted[place].1, Coverage::Told { .. });
        let one_row_matters = self.connector.source().dialect.work().one_row_matters;
        let is_in_part = one_row_matters
            && sample.drawn != SampleMethod::AllRows
            && matches!(table.kind, TableKind::Table | TableKind::MaterializedView);
        let unmeasured: Vec<usize> = (0..read.len())
            .filter(|place| cut[*place] || may_be_long(read[*place]) && (is_told(*place) || is_in_part))
            .collect();
        if unmeasured.is_empty() {
            return;
        }
        let mut rows = if unmeasured.iter().any(|place| cut[*place]) { LEAST_MEASURED } else { 0 };
        loop {
            if rows > 0 && !self.measure_rows(table, read, &unmeasured, &cut, rows, counted).await {
                return;
            }
            let keeps_apart = self.connector.capabilities().keeps_long_values_apart;
            let bytes = |place: &usize| match counted[*place].0.mean_length() {
                long if keeps_apart && long > LONG => POINTER,
                mean => mean,
            };
            let row: f64 = unmeasured.iter().map(bytes).sum();
            let affordable = ((MEASURED_BYTES / row.max(LEAST_ROW)) as usize).max(LEAST_MEASURED);
            if rows > LEAST_MEASURED || affordable == rows || table.kind == TableKind::View {
                return;
            }
            rows = affordable;
        }
    }

    /// What a view gives of its tables' columns may be as long as they are, whichever of its rows are looked at.
    fn measure_origins(&self, table: &Table, read: &[&Column], counted: &mut [(Tally, Coverage)]) {
        for (column, (tally, _)) in read.iter().zip(counted) {
            let origins = self.origins.of(&table.id, &column.name).unwrap_or_default();
            let longest = origins.into_iter().filter_map(|(origin, made_from)| {
                self.before.entry(&origin.id)?.profile()?.column(&made_from.name)?.longest
            });
            longest.max().into_iter().for_each(|longest| tally.reaches(longest));
        }
    }

    /// Measures the texts in some columns of that many rows; whether the engine answers.
    async fn measure_rows(
        &self,
        table: &Table,
        read: &[&Column],
        places: &[usize],
        cut: &[bool],
        rows: usize,
        counted: &mut [(Tally, Coverage)],
    ) -> bool {
        let names: Vec<String> = places.iter().map(|place| read[*place].name.clone()).collect();
        let lengths = match self.connector.sample(table, &names, &SampleRequest::Lengths { rows }).await {
            Ok(lengths) => lengths.rows.into_iter().next().unwrap_or_default(),
            Err(error) => {
                tracing::warn!(table = %table.id, code = error.code(), "texts can't be measured");
                return false;
            }
        };
        let length = |place: usize| match lengths.get(place) {
            Some(Value::Integer(length)) => u64::try_from(*length).ok(),
            Some(Value::Bytes(length)) => Some(*length as u64),
            _ => None,
        };
        for (position, place) in places.iter().enumerate() {
            let (tally, coverage) = &mut counted[*place];
            if let Some(mean) = length(position)
                && (cut[*place] || matches!(coverage, Coverage::Told { .. }))
            {
                tally.lengthen(mean as f64);
            }
            if let Some(longest) = length(places.len() + position) {
                tally.reaches(longest);
            }
        }
        true
    }

    /// That many rows from everywhere.
    async fn some_rows(
        &self,
        table: &Table,
        readable: &[String],
        row_count: Option<RowCount>,
        rows: usize,
    ) -> Result<Sample, ConnectError> {
        let options = Options { rows, all_rows_below: rows as u64, ..self.options.clone() };
        sampling::draw(self.connector, table, readable, row_count, &options).await
    }

    /// Whether a stored profile was made of this structure, by the rules that are asked for now.
    fn is_as_asked(&self, table: &Table, profile: &TableProfile) -> bool {
        let Some(examined) = self.before.entry(&table.id).and_then(Entry::examination) else { return false };
        let same_rules = table.columns.iter().zip(self.masks(table)).all(|(column, mask)| {
            let (read, found) = (examined.examined(&column.name), examined.found(&column.name));
            match mask {
                Some(mask) if mask.by == MaskedBy::Origin => found == Some(&mask),
                Some(_) => !read && found.is_none(),
                None if found.is_some_and(|found| self.is_overruled(table, column, found)) => read,
                None => found.map_or(read, |found| found.by == MaskedBy::Values && !read),
            }
        });
        let skipped_as_asked = profile.skipped.is_none() || (self.options.skip_stale && profile.stale);
        let stale_as_asked = !(self.options.skip_stale && profile.stale && profile.skipped.is_none());
        let same_structure = profile.fingerprint == table.fingerprint() && examined.covers(table);
        same_structure && same_rules && skipped_as_asked && stale_as_asked
    }

    /// Whether the number of rows has moved: at all in a table that is read whole, else by more than
    /// [`ROW_COUNT_TOLERANCE`].
    fn moved(&self, before: Option<RowCount>, now: Option<RowCount>) -> bool {
        match (before, now) {
            (Some(before), Some(now)) => {
                let larger = before.value.max(now.value);
                let whole = larger <= self.options.all_rows_below
                    && before.exactness == Exactness::Exact
                    && now.exactness == Exactness::Exact;
                let tolerance = if whole { 0.0 } else { ROW_COUNT_TOLERANCE * larger as f64 };
                before.value.abs_diff(now.value) as f64 > tolerance
            }
            (before, now) => before.is_some() != now.is_some(),
        }
    }

    async fn profile(
        &self,
        table: &mut Table,
        masks: Vec<Option<Mask>>,
        readable: &[String],
        told: Option<&TableStatistics>,
    ) -> Result<TableProfile, ConnectError> {
        if let Some(samples) = self.connector.provided_samples(table).await? {
            return Ok(self.snapshot_profile(table, &samples));
        }
        let seen = self.seen_to_be_written(table);
        // What some rows of a view hold says nothing of when the others were written.
        let is_large = table.row_count.is_none_or(|count| count.value > self.options.all_rows_below);
        if told.is_none() && !(table.kind == TableKind::View && is_large) {
            let newest = staleness::last_update(self.connector, table, readable, table.row_count, self.options).await?;
            table.last_update = later(newest.or(table.last_update.take()), seen.clone());
            if self.options.skip_stale && self.is_stale(table) {
                return Ok(self.left_out(table));
            }
        }
        let sample = match told {
            Some(told) => self.rows_beside(table, readable, told).await?,
            None => sampling::draw(self.connector, table, readable, table.row_count, self.options).await?,
        };
        table.row_count = sample.row_count;
        let mut profile = self.empty_profile(table, sample.method.clone());
        profile.rows_seen = told.map_or(sample.rows.len() as u64, |told| told.rows_seen);
        let mut shown = sample.rows.clone();
        let mut position = 0;
        let mut dated = None;
        profile.columns.clear();
        let read: Vec<&Column> =
            table.columns.iter().zip(&masks).filter(|(_, mask)| mask.is_none()).map(|(column, _)| column).collect();
        let mut counted: Vec<(Tally, Coverage)> = read
            .iter()
            .enumerate()
            .map(|(position, column)| {
                let values = sample.rows.iter().map(|row| &row[position]);
                match told.and_then(|told| Some((told, told.columns.iter().find(|known| known.column == column.name)?)))
                {
                    Some((told, known)) => {
                        let coverage = Coverage::Told { rows: told.row_count.value, distinct: known.distinct_count };
                        (Tally::told(known, told.rows_seen, values), coverage)
                    }
                    None => (Tally::of(values), sample.coverage()),
                }
            })
            .collect();
        self.measure(table, &read, &sample, &mut counted).await;
        let mut found = self.found_in_values(table, &read, &counted).into_iter();
        let mut counted = counted.into_iter();
        for (column, mask) in table.columns.iter().zip(masks) {
            if mask.is_some() {
                profile.columns.push(ColumnProfile { masked: mask, ..ColumnProfile::empty(&column.name) });
                continue;
            }
            let Some((mut tally, coverage)) = counted.next() else { continue };
            let values = || sample.rows.iter().map(|row| &row[position]);
            let of_engine = told.and_then(|told| told.columns.iter().find(|known| known.column == column.name));
            let found = found.next().flatten();
            let (figures, left_out) = self.column(table, column, &mut tally, coverage, found);
            for cell in shown.iter_mut().map(|row| &mut row[position]) {
                let is_left_out = || cell.as_text().is_some_and(|text| left_out.contains(&text));
                if figures.masked.is_some() || (!left_out.is_empty() && is_left_out()) {
                    *cell = Value::Null;
                }
            }
            let ends = of_engine.into_iter().flat_map(|known| &known.bounds);
            let common = of_engine.into_iter().flat_map(|known| known.most_common.iter().map(|(value, _)| value));
            let known = values().chain(ends).chain(common);
            let seen = staleness::last_update_in(table, &figures, known.clone(), self.options.now)
                .or_else(|| told.and_then(|_| staleness::last_update_among(table, &figures, known, self.options.now)));
            let is_part = matches!(table.kind, TableKind::View) && sample.drawn != SampleMethod::AllRows;
            if let Some(seen) = seen.filter(|_| !is_part)
                && dated.as_ref().or(table.last_update.as_ref()).is_none_or(|known: &LastUpdate| seen.at > known.at)
            {
                dated = Some(seen);
            }
            profile.columns.push(figures);
            position += 1;
        }
        table.last_update = later(dated.or(table.last_update.take()), seen);
        profile.stale = self.is_stale(table);
        if profile.stale && self.options.skip_stale {
            return Ok(self.left_out(table));
        }
        profile.facts =
            facts::within(table, &self.connector.source().dialect, &profile, readable, &shown, &sample.drawn);
        profile.sample_rows = with_gaps(sample_rows::choose(&shown), &profile.columns, readable);
        Ok(profile)
    }

    /// What the engine says of the last write, where we know that it is one: it came after an earlier run, or an earlier
    /// run knew that already. Else it may be the time at which the database was copied or restored, and the dates in
    /// the table tell more.
    fn seen_to_be_written(&self, table: &Table) -> Option<LastUpdate> {
        let by_engine = |update: &&LastUpdate| update.is_of_engine();
        let update = table.last_update.as_ref().filter(by_engine)?;
        let before = self.before.entry(&table.id)?;
        let was_known = before.table.last_update.as_ref().filter(by_engine).is_some();
        let is_new = before.profile().is_some_and(|profile| update.at > profile.profiled_at);
        (was_known || is_new).then(|| update.clone())
    }

    /// Rows to show and to look for facts in beside the engine's figures.
    async fn rows_beside(
        &self,
        table: &Table,
        readable: &[String],
        told: &TableStatistics,
    ) -> Result<Sample, ConnectError> {
        let sample = self.some_rows(table, readable, Some(told.row_count), ROWS_BESIDE).await?;
        Ok(Sample { method: SampleMethod::EngineStatistics, row_count: Some(told.row_count), ..sample })
    }

    /// Why the values of the columns that were read may not be kept, all of a table together.
    fn found_in_values(&self, table: &Table, read: &[&Column], counted: &[(Tally, Coverage)]) -> Vec<Option<Mask>> {
        let seen: Vec<Seen<'_>> = read
            .iter()
            .zip(counted)
            .map(|(column, (tally, coverage))| {
                let figures = tally.profile_without_values(&column.name, *coverage);
                let values = tally.some_texts().collect();
                Seen { column, values, different: figures.distinct_ratio.unwrap_or(1.0) }
            })
            .collect();
        let found = self.options.sensitive.by_values(table, &seen).into_iter();
        let own: Vec<Option<Mask>> = found.map(|found| found.map(|found| found.mask(MaskedBy::Values))).collect();
        let of_origins = |column: &Column| {
            self.made_from(table, column).into_iter().find_map(|place| {
                let origin = &table.columns[place];
                let read = read.iter().position(|read| read.name == origin.name)?;
                let mask = own[read].as_ref().filter(|mask| !self.is_overruled(table, origin, mask))?;
                Some(made_from_masked(table, origin, mask))
            })
        };
        read.iter().zip(&own).map(|(column, mask)| of_origins(column).or_else(|| mask.clone())).collect()
    }

    /// The figures of a column, and which of its values may not be told.
    fn column(
        &self,
        table: &Table,
        column: &Column,
        tally: &mut Tally,
        coverage: Coverage,
        found: Option<Mask>,
    ) -> (ColumnProfile, HashSet<String>) {
        // Another sample needn't show again what an earlier one has shown, and rows that are gone come back: only who has
        // everything looked at anew, and where there is something to look at, has it forgotten.
        let is_anew = self.options.full && matches!(coverage, Coverage::Whole) && tally.texts().next().is_some();
        let earlier = || self.found_before(table, column).filter(|_| !is_anew);
        let found = found.or_else(earlier);
        if let Some(mask) = found.clone().filter(|mask| !self.is_overruled(table, column, mask)) {
            let figures = tally.profile_without_values(&column.name, coverage);
            return (ColumnProfile { masked: Some(mask), ..figures }.without_values(), HashSet::new());
        }
        let left_out = match self.is_released(table, column) {
            true => HashSet::new(),
            false => self.options.sensitive.revealing(table, column, tally.texts()),
        };
        tally.withhold(&left_out);
        (ColumnProfile { overruled: found, ..tally.profile(&column.name, coverage) }, left_out)
    }

    /// What an earlier look at the values of a column has found.
    fn found_before(&self, table: &Table, column: &Column) -> Option<Mask> {
        let entry = self.before.entry(&table.id)?;
        let same = entry.table.column(&column.name)?.data_type == column.data_type;
        let found = entry.examination()?.found(&column.name)?;
        (same && found.by == MaskedBy::Values).then(|| found.clone())
    }

    /// Whether the table has not changed for over a year. Where only dates of its own tell (of orders, of events), it
    /// has to be compared with the other tables first, which the end of a run does: until then what it said last holds.
    fn is_stale(&self, table: &Table) -> bool {
        let Some(update) = &table.last_update else { return false };
        let stored = || self.before.entry(&table.id).and_then(|entry| entry.profile());
        staleness::is_old(update, self.options.now)
            && (!update.is_other_date() || stored().is_some_and(|profile| profile.stale))
    }

    fn left_out(&self, table: &Table) -> TableProfile {
        let mut profile = self.empty_profile(table, SampleMethod::Nothing);
        profile.stale = true;
        profile.skipped = Some("stale tables are left out".to_owned());
        profile
    }

    fn snapshot_profile(&self, table: &Table, samples: &[(String, Vec<String>)]) -> TableProfile {
        let mut profile = self.empty_profile(table, SampleMethod::Snapshot);
        let provided: Vec<Vec<&str>> = table
            .columns
            .iter()
            .map(|column| {
                let provided = samples.iter().find(|(name, _)| *name == column.name);
                let mut values: Vec<&str> = Vec::new();
                for value in provided.into_iter().flat_map(|(_, values)| values) {
                    if !values.contains(&value.as_str()) {
                        values.push(value);
                    }
                }
                values
            })
            .collect();
        let open: Vec<usize> = (0..provided.len()).filter(|place| profile.columns[*place].masked.is_none()).collect();
        let of_open = |place: &usize| {
            let given = samples.iter().find(|(name, _)| *name == table.columns[*place].name);
            let rows = given.map_or(0, |(_, values)| values.len()).max(1);
            let values = provided[*place].clone();
            Seen { column: &table.columns[*place], different: values.len() as f64 / rows as f64, values }
        };
        let seen: Vec<Seen<'_>> = open.iter().map(of_open).collect();
        let found = self.options.sensitive.by_values(table, &seen);
        for (place, found) in open.iter().zip(found) {
            let Some(found) = found.map(|found| found.mask(MaskedBy::Values)) else { continue };
            let column = &mut profile.columns[*place];
            match self.is_overruled(table, &table.columns[*place], &found) {
                true => column.overruled = Some(found),
                false => column.masked = Some(found),
            }
        }
        for ((column, figures), mut values) in table.columns.iter().zip(&mut profile.columns).zip(provided) {
            let left_out = self.options.sensitive.revealing(table, column, values.iter().copied());
            values.retain(|value| !left_out.contains(*value));
            if figures.masked.is_none() && !values.is_empty() {
                let stored = if column.type_class.is_numeric() { Stored::Numbers } else { Stored::Texts };
                figures.pattern = patterns::detect(&column.name, stored, values.iter().copied());
                figures.values = KnownValues::Some(values.into_iter().take(SNAPSHOT_VALUES).map(cut).collect());
            }
        }
        profile
    }

    /// A profile that says nothing but which columns are sensitive, which their names tell.
    pub(crate) fn empty_profile(&self, table: &Table, method: SampleMethod) -> TableProfile {
        let unread =
            |(column, masked): (&Column, Option<Mask>)| ColumnProfile { masked, ..ColumnProfile::empty(&column.name) };
        TableProfile {
            columns: table.columns.iter().zip(self.masks(table)).map(unread).collect(),
            ..TableProfile::new(table, method, self.options.now)
        }
    }
}

fn later(told: Option<LastUpdate>, seen: Option<LastUpdate>) -> Option<LastUpdate> {
    match (told, seen) {
        (Some(told), Some(seen)) if seen.at > told.at => Some(seen),
        (told, seen) => told.or(seen),
    }
}

/// Whether an engine has figures of a column at all: where values can't be compared, as PostgreSQL's `json`, it only knows
/// how many are NULL. Of bytes nothing more would be told by rows.
fn tells_of(known: &ColumnStatistics, class: TypeClass) -> bool {
    known.distinct_count.is_some() || known.null_fraction >= 1.0 || class == TypeClass::Binary
}

/// Whether a column can hold texts that are much longer than most, by its type.
fn may_be_long(column: &Column) -> bool {
    /// Characters that a short text is declared to have at most.
    const SHORT: u64 = 1_000;
    let declared =
        column.data_type.split_once('(').and_then(|(_, rest)| rest.split([')', ',']).next()?.trim().parse().ok());
    matches!(column.type_class, TypeClass::Text | TypeClass::Binary | TypeClass::Json | TypeClass::Other)
        && declared.is_none_or(|length: u64| length > SHORT)
}

/// Whether two profiles differ in nothing but when they were made.
pub(crate) fn same_but_for_the_time(before: &TableProfile, now: &TableProfile) -> bool {
    let TableProfile { profiled_at, same_since, write_mark, .. } = before.clone();
    coarse(before.clone()) == coarse(TableProfile { profiled_at, same_since, write_mark, ..now.clone() })
}

/// A profile with its shares in single precision: the last digit of one that was stored as text may differ.
fn coarse(mut profile: TableProfile) -> TableProfile {
    for column in &mut profile.columns {
        let figures = [&mut column.null_fraction, &mut column.distinct_ratio, &mut column.average_length];
        let figures = figures.into_iter().flatten();
        let shares = column.most_common.iter_mut().map(|common| &mut common.fraction);
        for figure in figures.chain(shares).chain(column.pattern.as_mut().map(|pattern| &mut pattern.share)) {
            *figure = f64::from(*figure as f32);
        }
    }
    for fact in &mut profile.facts {
        let figures = match &mut fact.kind {
            FactKind::Twin { empty: figure, .. } | FactKind::Scaled { factor: figure, .. } => vec![figure],
            FactKind::Paths { paths, .. } => paths.iter_mut().map(|path| &mut path.share).collect(),
            _ => Vec::new(),
        };
        figures.into_iter().for_each(|figure| *figure = f64::from(*figure as f32));
    }
    profile
}

/// The rows with `None` in the place of columns that were not read.
fn with_gaps(
    rows: Vec<Vec<Option<String>>>,
    columns: &[ColumnProfile],
    readable: &[String],
) -> Vec<Vec<Option<String>>> {
    rows.into_iter()
        .map(|row| {
            let mut cells = row.into_iter();
            let was_read = |column: &ColumnProfile| readable.contains(&column.column);
            columns.iter().map(|column| if was_read(column) { cells.next().flatten() } else { None }).collect()
        })
        .collect()
}

/// The mask of what is made from a masked column.
fn made_from_masked(table: &Table, column: &Column, Mask { reason, confidence, .. }: &Mask) -> Mask {
    let reason = format!("made from `{}.{}`, {reason}", table.id.local(), column.name);
    Mask { by: MaskedBy::Origin, reason, confidence: *confidence, hides_names: false }
}
