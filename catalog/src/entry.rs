//! One table of a catalog, with everything that is known about it.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::deferred::{Damage, Deferred};
use crate::inheritance::Inherited;
use crate::model::description::{Overrides, TableDescription};
use crate::model::fact::{Fact, FactJudgement};
use crate::model::last_update::{LastUpdate, UpdateEvidence};
use crate::model::masks::{
    Decision, Examination, Exposure, MaskRules, MaskedBy, NoMaskRules, Rulings, StructureVerdict,
};
use crate::model::profile::{ColumnProfile, KnownValues, TableProfile};
use crate::model::structure::{Column, ForeignKey, Table, TableId, TypeClass};

/// Everything that is known about one table. Entries are equal when they say the same, whenever it was written.
///
/// Its larger parts may be read from the file when they are asked for. What can't be read is as if it weren't there to
/// those who ask for a part, and is told by [`Entry::damage`] to those who must not guess.
#[derive(Clone)]
pub struct Entry {
    /// Its structure. Catalogs that were read one after the other share that of tables that didn't change.
    pub table: Arc<Table>,
    /// What people wrote in place of generated text.
    pub overrides: Overrides,
    /// The catalog's revision at which any of this was last written; 0 where that isn't known.
    pub revision: u64,
    pub(crate) parts: Parts,
    /// By a column's place, what follows from the columns that it is made from.
    pub(crate) inherited: Vec<(usize, Exposure)>,
    /// The places of masked columns that were computed from others and stored.
    pub(crate) computed: Vec<usize>,
    rows_are_decided: bool,
    /// Whether who reads this may see other rows than what is known was read from.
    rows_are_others: bool,
    /// The names of tables that aren't there for who reads this.
    unmentionable: Arc<[String]>,
    /// Whether its description has one of these.
    mentions: OnceLock<bool>,
    exposures: OnceLock<Vec<Exposure>>,
    /// Whether the configuration keeps a column open, by its place.
    kept: OnceLock<Vec<bool>>,
}

/// The parts of an entry that are read when they are asked for, and what decides over them.
#[derive(Clone)]
pub(crate) struct Parts {
    pub(crate) profile: Deferred<TableProfile>,
    pub(crate) description: Deferred<TableDescription>,
    pub(crate) examination: Deferred<Examination>,
    pub(crate) rulings: Deferred<Rulings>,
    pub(crate) rules: Arc<dyn MaskRules>,
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        *self.table == *other.table
            && self.profile() == other.profile()
            && self.description() == other.description()
            && self.overrides == other.overrides
            && self.exposures() == other.exposures()
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("Entry");
        shown.field("table", &self.table).field("profile", &self.profile()).field("description", &self.description());
        shown.field("overrides", &self.overrides).field("revision", &self.revision).finish_non_exhaustive()
    }
}

impl Entry {
    /// An entry that holds structure alone, in a catalog in which nothing is anybody's secret by its name.
    pub fn bare(table: impl Into<Arc<Table>>) -> Self {
        let parts = Parts {
            profile: None.into(),
            description: None.into(),
            examination: None.into(),
            rulings: None.into(),
            rules: Arc::new(NoMaskRules),
        };
        Self::of(table.into(), Overrides::default(), 0, parts)
    }

    pub(crate) fn of(mut table: Arc<Table>, overrides: Overrides, revision: u64, parts: Parts) -> Self {
        let policies = parts.rules.row_policies(&table.id);
        // The same policies choose other rows for somebody else.
        let rows_are_others = policies.is_some_and(|policies| !policies.is_empty());
        if rows_are_others {
            Arc::make_mut(&mut table).conceal_rows();
        }
        if let Some(policies) = policies.filter(|policies| *policies != table.row_policies) {
            Arc::make_mut(&mut table).row_policies = policies.to_vec();
        }
        let hidden = |id: &TableId| parts.rules.hides_rows(id);
        // How many values a column has, and how many of them are elsewhere, says what was found of a key.
        let is_closed = |key: &ForeignKey| {
            let denied = |name: &String| table.column(name).is_some_and(|column| parts.rules.denies(&table, column));
            hidden(&key.ref_table) || key.columns.iter().any(denied)
        };
        let closed: Vec<bool> = table.foreign_keys.iter().map(is_closed).collect();
        if hidden(&table.id) || table.partitions.iter().any(hidden) {
            Arc::make_mut(&mut table).conceal_rows();
        } else if closed.contains(&true) {
            let keys = Arc::make_mut(&mut table).foreign_keys.iter_mut().zip(closed);
            keys.filter(|(_, is_closed)| *is_closed).for_each(|(key, _)| key.forget_values());
        }
        Self {
            table,
            overrides,
            revision,
            parts,
            inherited: Vec::new(),
            computed: Vec::new(),
            rows_are_decided: false,
            rows_are_others,
            unmentionable: Arc::default(),
            mentions: OnceLock::new(),
            exposures: OnceLock::new(),
            kept: OnceLock::new(),
        }
    }

    /// The same with a profile, which also says what looking at the values has told.
    #[must_use]
    pub fn with_profile(mut self, profile: impl Into<Option<TableProfile>>) -> Self {
        let profile = profile.into();
        let read = profile.as_ref().filter(|profile| profile.skipped.is_none());
        self.parts.examination = read.map(|profile| Examination::of(&self.table, profile)).into();
        self.parts.profile = profile.into();
        self.withhold_again();
        self
    }

    /// Changes its profile, where it has one, and with it what looking at the values has told.
    pub fn change_profile(&mut self, change: impl FnOnce(&mut TableProfile)) {
        let Some(mut profile) = self.profile().cloned() else { return };
        change(&mut profile);
        *self = self.clone().with_profile(profile);
    }

    /// The same at another revision.
    #[must_use]
    pub fn at_revision(self, revision: u64) -> Self {
        Self { revision, ..self }
    }

    /// Its structure, to be changed. Other catalogs that share it keep it as it was.
    pub fn table_mut(&mut self) -> &mut Table {
        self.exposures = OnceLock::new();
        self.kept = OnceLock::new();
        Arc::make_mut(&mut self.table)
    }

    /// Its profile, once it has been profiled. What may not be shown is not in it, whatever was so when it was made.
    pub fn profile(&self) -> Option<&TableProfile> {
        let withhold = |profile: &mut TableProfile| self.withhold(profile);
        self.parts.profile.read(&self.table.id, withhold).ok().flatten()
    }

    /// Its description, once it has been described. One that was written when values could be seen that may not be shown
    /// now isn't there until it is written anew, nor is one that was written of other rows than who reads this may see, or that
    /// names a table that isn't there for them.
    pub fn description(&self) -> Option<&TableDescription> {
        self.stored_description().filter(|description| {
            let mentions = || *self.mentions.get_or_init(|| description.mentions(&self.unmentionable));
            !self.rows_are_others && self.closed_columns().all(|column| description.is_without(column)) && !mentions()
        })
    }

    /// The same, whatever may be shown by now: for who takes out what may not.
    pub fn stored_description(&self) -> Option<&TableDescription> {
        self.parts.description.read(&self.table.id, |_| ()).ok().flatten()
    }

    /// Its description, where a model or an agent wrote it: what the rules write follows from names and figures.
    pub fn authored(&self) -> Option<&TableDescription> {
        self.description().filter(|description| description.is_authored())
    }

    /// The columns whose values may not be shown.
    pub fn closed_columns(&self) -> impl Iterator<Item = &str> {
        let columns = self.table.columns.iter().zip(self.exposures());
        columns.filter(|(_, exposure)| **exposure != Exposure::Open).map(|(column, _)| column.name.as_str())
    }

    /// Its profile, read now and taken out.
    pub fn into_profile(self) -> Option<TableProfile> {
        self.profile();
        self.parts.profile.take()
    }

    /// What people have said of its columns.
    pub fn rulings(&self) -> Option<&Rulings> {
        self.parts.rulings.read(&self.table.id, |_| ()).ok().flatten()
    }

    /// What looking at its values has told.
    pub fn examination(&self) -> Option<&Examination> {
        self.parts.examination.read(&self.table.id, |_| ()).ok().flatten()
    }

    /// Whether the values of that column may be shown. Of a column that isn't known, nobody has looked at them.
    ///
    /// Where [`Entry::damage`] says that something can't be read, it doesn't tell all.
    pub fn exposure(&self, column: &str) -> &Exposure {
        let position = self.table.place_of(column);
        position.and_then(|position| self.exposures().get(position)).unwrap_or(&Exposure::Unexamined)
    }

    /// Whether the configuration would let less of it be used, were it called so.
    pub fn is_closed_further_as(&self, name: &TableId) -> bool {
        let rules = &self.parts.rules;
        let named = Table { id: name.clone(), partitions: Vec::new(), ..Table::clone(&self.table) };
        let by_configuration = |verdict: &StructureVerdict| {
            matches!(verdict, StructureVerdict::Masked(mask)
                if matches!(mask.by, MaskedBy::Configuration | MaskedBy::Denied))
        };
        let verdicts = rules.verdicts(&named);
        let mut columns = verdicts.iter().zip(self.exposures());
        rules.hides_rows(name) || columns.any(|(verdict, own)| by_configuration(verdict) && own.mask().is_none())
    }

    /// Whether a person or the configuration says of that column that its values may be shown, whatever they are made from.
    pub fn is_released(&self, column: &str) -> bool {
        let position = self.table.place_of(column);
        let Some(position) = position.filter(|&it| self.exposures().get(it) == Some(&Exposure::Open)) else {
            return false;
        };
        let ruling = self.rulings().and_then(|rulings| rulings.of(&self.table, column));
        let kept = || {
            let verdicts = self.parts.rules.verdicts(&self.table);
            verdicts.into_iter().map(|verdict| verdict == StructureVerdict::Kept).collect()
        };
        ruling.is_some_and(|ruling| ruling.decision == Decision::Release)
            || self.kept.get_or_init(kept).get(position) == Some(&true)
    }

    /// Whether a column of texts may be shown by now that was masked when the table was last looked at, so that nobody has seen
    /// how long its values are.
    pub fn is_unmeasured(&self, column: &str) -> bool {
        let class = self.table.column(column).map(|column| column.type_class);
        let may_be_long =
            matches!(class, Some(TypeClass::Text | TypeClass::Binary | TypeClass::Json | TypeClass::Other));
        let is_unseen = |known: &ColumnProfile| {
            let has_values = known.null_fraction != Some(1.0) && known.distinct_count != Some(0);
            known.average_length.is_none() && known.longest.is_none() && has_values
        };
        let known = || self.profile().and_then(|profile| profile.column(column));
        may_be_long && self.is_released(column) && known().is_none_or(is_unseen)
    }

    /// [`Entry::exposure`] of each column, in the table's order.
    pub fn exposures(&self) -> &[Exposure] {
        self.exposures.get_or_init(|| {
            let rulings = self.parts.rulings.read(&self.table.id, |_| ());
            // Without all that people said, nothing that was examined is known to be open.
            let examination = self.examination().filter(|_| rulings.is_ok());
            let rulings = rulings.ok().flatten();
            let mut exposures = Exposure::of_table(&self.table, self.parts.rules.as_ref(), rulings, examination);
            for (place, inherited) in &self.inherited {
                // What was found in rows that a masked column decides over tells of them, too.
                let gives_way = |own: &Exposure| match own.mask() {
                    Some(mask) => self.rows_are_decided && mask.by == MaskedBy::Values,
                    None => true,
                };
                if let Some(own) = exposures.get_mut(*place).filter(|own| gives_way(own)) {
                    own.clone_from(inherited);
                }
            }
            exposures
        })
    }

    /// The places in the table of the columns that only those which they are made from have closed, in order.
    pub fn columns_closed_by_origins(&self) -> impl Iterator<Item = usize> {
        let mut places: Vec<usize> = self.inherited.iter().map(|(place, _)| *place).collect();
        places.sort_unstable();
        places.into_iter()
    }

    /// Whether a column is masked that somebody has computed from others and stored, so that even whether there is a value can
    /// tell of them.
    pub fn is_computed(&self, column: &str) -> bool {
        self.table.place_of(column).is_some_and(|place| self.computed.contains(&place))
    }

    /// Whether a masked column decides which rows there are, as in a view `… WHERE salary > 5000`: even how many they are
    /// tells of it.
    pub fn rows_are_decided(&self) -> bool {
        self.rows_are_decided
    }

    /// Whether the rows that are seen of it are chosen for who reads this, and others than those that it was made from.
    pub fn rows_are_others(&self) -> bool {
        self.rows_are_others
    }

    /// Whether who reads this may read nothing of the table, so that nothing is said of its rows.
    pub fn rows_are_hidden(&self) -> bool {
        std::iter::once(&self.table.id).chain(&self.table.partitions).any(|id| self.parts.rules.hides_rows(id))
    }

    /// Whether anything may be told that was found by looking at its rows.
    pub fn rows_may_be_told(&self) -> bool {
        !self.rows_are_decided && !self.rows_are_others && !self.rows_are_hidden()
    }

    /// Whether a person has said that its rows may be shown, whatever chooses them: by releasing a column that nothing else
    /// masks.
    pub(crate) fn has_released_rows(&self) -> bool {
        let Some(rulings) = self.rulings() else { return false };
        let without = Exposure::of_table(&self.table, self.parts.rules.as_ref(), None, self.examination());
        let columns = self.table.columns.iter().zip(&without).filter(|(_, exposure)| exposure.mask().is_none());
        let mut released = columns.filter_map(|(column, _)| rulings.of(&self.table, &column.name));
        released.any(|ruling| ruling.decision == Decision::Release)
    }

    /// Says of columns, by their place, what follows from those that they are made from.
    pub(crate) fn inherit(&mut self, inherited: Inherited) {
        self.inherited = inherited.exposures;
        self.rows_are_decided = inherited.rows_are_decided;
        self.computed = inherited.computed;
        if self.rows_are_decided {
            Arc::make_mut(&mut self.table).conceal_rows();
        }
        self.withhold_again();
    }

    /// Whether who reads this may not use the column at all.
    pub(crate) fn denies(&self, column: &str) -> bool {
        self.table.column(column).is_some_and(|column| self.parts.rules.denies(&self.table, column))
    }

    /// The same with another description.
    #[must_use]
    pub(crate) fn with_description(mut self, description: TableDescription) -> Self {
        self.parts.description = Some(description).into();
        self.mentions = OnceLock::new();
        self
    }

    /// The same without keys to those tables and those that are marked, by their place, and without the tables' names, which are
    /// these, in what is said of why columns are masked.
    pub(crate) fn without_mention_of(&self, tables: &HashSet<&TableId>, names: &Arc<[String]>, told: &[bool]) -> Self {
        let mut entry = Self { unmentionable: Arc::clone(names), mentions: OnceLock::new(), ..self.clone() };
        let goes = |(place, key): (usize, &ForeignKey)| {
            tables.contains(&key.ref_table) || told.get(place).copied().unwrap_or_default()
        };
        if entry.table.foreign_keys.iter().enumerate().any(goes) {
            let mut place = 0..;
            let keys = &mut Arc::make_mut(&mut entry.table).foreign_keys;
            keys.retain(|key| !place.next().is_some_and(|place| goes((place, key))));
        }
        let mut is_said = false;
        for (_, inherited) in &mut entry.inherited {
            if let Exposure::Masked(mask) = inherited
                && names.iter().any(|name| mask.reason.contains(name.as_str()))
            {
                mask.reason = "made from what may not be read".to_owned();
                is_said = true;
            }
        }
        if is_said {
            entry.withhold_again();
        }
        entry
    }

    /// Works out anew what may be shown, and takes out of a profile that was read before what may not.
    fn withhold_again(&mut self) {
        self.exposures = OnceLock::new();
        let mut profile = std::mem::replace(&mut self.parts.profile, None.into());
        profile.amend(|profile| self.withhold(profile));
        self.parts.profile = profile;
    }

    fn withhold(&self, profile: &mut TableProfile) {
        profile.withhold(&self.table, self.exposures());
        if !self.rows_may_be_told() {
            profile.row_count = None;
            profile.rows_seen = 0;
            profile.sample_rows.clear();
            profile.facts.clear();
            profile.stale = false;
            // Shares of rows and different values in them tell of their number.
            for column in &mut profile.columns {
                let masked = column.masked.take();
                *column = ColumnProfile { masked, ..ColumnProfile::empty(&column.column) };
            }
        }
    }

    /// What of it can't be read as it was written, the first of what its columns' exposure and its profile rest on.
    pub fn damage(&self) -> Option<&Damage> {
        let id = &self.table.id;
        self.profile();
        let rulings = self.parts.rulings.read(id, |_| ()).err();
        let examination = || self.parts.examination.read(id, |_| ()).err();
        let profile = || self.parts.profile.read(id, |_| ()).err();
        rulings.or_else(examination).or_else(profile)
    }

    /// Whether nobody has written to it for long, as far as its profile says.
    pub fn is_stale(&self) -> bool {
        let may_be_told = self.table.last_update.is_none() || self.last_update().is_some();
        may_be_told && self.profile().is_some_and(|profile| profile.stale)
    }

    /// When its data last changed; not where a column says it whose values may not be shown.
    pub fn last_update(&self) -> Option<&LastUpdate> {
        let is_open = |update: &&LastUpdate| match &update.evidence {
            UpdateEvidence::Engine => true,
            UpdateEvidence::ChangeColumn(newest) | UpdateEvidence::OtherDate(newest) => {
                *self.exposure(&newest.column) == Exposure::Open
            }
        };
        self.table.last_update.as_ref().filter(is_open)
    }

    /// What says that it is stale, as a clause without a subject: `holds nothing newer than 2023-10-27 (newest value of column
    /// read_on)`, where it is.
    pub fn staleness(&self) -> Option<String> {
        self.is_stale().then(|| match self.last_update() {
            Some(update) => update.clause(),
            None => "hasn't been written to for over a year".to_owned(),
        })
    }

    /// Why the database didn't let us read it when it was profiled.
    pub fn unreadable(&self) -> Option<&str> {
        self.profile().and_then(TableProfile::unreadable)
    }

    /// Why the table exists, in people's words before generated ones.
    pub fn purpose(&self) -> Option<&str> {
        self.peoples_purpose().or_else(|| self.description().map(|description| description.purpose.as_str()))
    }

    /// What one should know before using it, in people's words before generated ones.
    pub fn business_context(&self) -> Option<&str> {
        self.overridden("business_context")
            .or_else(|| self.description().map(|description| description.business_context.as_str()))
    }

    /// What else is to be said of it, in people's words before generated ones.
    pub fn notes(&self) -> Option<&str> {
        self.overridden("notes").or_else(|| self.description().map(|description| description.notes.as_str()))
    }

    /// A sentence on what the table is: people's words, else the description's summary, else the engine's comment.
    pub fn summary(&self) -> Option<&str> {
        self.peoples_purpose()
            .or_else(|| self.description().map(|description| description.summary.as_str()))
            .or(self.table.comment.as_deref())
    }

    /// A line on what a column is, in the same order of preference.
    pub fn column_description(&self, column: &str) -> Option<&str> {
        self.peoples_column_description(column)
            .or_else(|| {
                let described = self.description()?.column(column)?;
                Some(described.description.as_str())
            })
            .or_else(|| self.table.column(column)?.comment.as_deref())
    }

    /// What somebody wrote of a column who knows more than its name: people, else a model or an agent, else the schema's
    /// author.
    pub fn written_of_column(&self, column: &str) -> Option<&str> {
        let authored = || self.authored()?.column(column).filter(|described| described.is_authored);
        self.peoples_column_description(column)
            .or_else(|| authored().map(|described| described.description.as_str()))
            .or_else(|| self.table.column(column)?.comment.as_deref())
    }

    /// Every value that a column can hold, where that is known: those that were seen, the most frequent first, and then
    /// those that its type or a condition allows besides. `None` of a column whose values may not be shown.
    pub fn all_values(&self, column: &str) -> Option<Vec<&str>> {
        let declared = self.declared_values(column);
        if *self.exposure(column) != Exposure::Open {
            return None;
        }
        let profile = self.profile().and_then(|profile| profile.column(column));
        let seen = match profile.map(|profile| &profile.values) {
            Some(KnownValues::All(values)) => values.as_slice(),
            // With a list of what is allowed, a few that were seen tell nothing.
            _ if declared.is_empty() => return None,
            _ => &[],
        };
        let seen = seen.iter().filter(|value| declared.is_empty() || declared.contains(value));
        let mut values: Vec<&str> = seen.map(String::as_str).collect();
        let unseen = declared.iter().filter(|value| !values.contains(&value.as_str())).map(String::as_str);
        values.extend(unseen.collect::<Vec<_>>());
        (!values.is_empty()).then_some(values)
    }

    /// The values that a column's type or a condition allows, where they may be shown.
    pub fn declared_values(&self, column: &str) -> &[String] {
        if *self.exposure(column) != Exposure::Open {
            return &[];
        }
        self.table.column(column).map(|column| column.enum_values.as_slice()).unwrap_or_default()
    }

    /// A column's type as it is declared, without the list of its values where those may not be shown.
    pub fn shown_type<'t>(&self, column: &'t Column) -> Cow<'t, str> {
        let declared = column.data_type.as_str();
        // Whatever stands in quotes, in whatever type around it: `Nullable(Enum8('a' = 1))`.
        let quoted = declared.find('\'').filter(|_| *self.exposure(&column.name) != Exposure::Open);
        let Some(quoted) = quoted else { return Cow::Borrowed(declared) };
        let before = &declared[..quoted];
        let before = before.rfind('(').map_or(before, |list| &before[..list]);
        let after = declared.rsplit('\'').next().unwrap_or_default();
        let after = after.split_once(')').map_or("", |(_, after)| after);
        Cow::Owned(format!("{before}{after}").trim().to_owned())
    }

    /// What people wrote of why the table exists.
    pub fn peoples_purpose(&self) -> Option<&str> {
        self.overridden("purpose")
    }

    /// What people wrote of what one should know before using it.
    pub fn peoples_business_context(&self) -> Option<&str> {
        self.overridden("business_context")
    }

    /// What people wrote of a column.
    pub fn peoples_column_description(&self, column: &str) -> Option<&str> {
        self.overridden(&format!("columns.{column}.description"))
    }

    /// What people said of a fact about its rows.
    pub fn judgement(&self, fact: &Fact) -> Option<FactJudgement> {
        self.judgement_said(fact).and_then(FactJudgement::of)
    }

    /// The same with who said it, when, and why.
    pub fn judgement_said(&self, fact: &Fact) -> Option<&str> {
        self.overridden(&fact.override_key())
    }

    fn overridden(&self, key: &str) -> Option<&str> {
        self.overrides.0.get(key).map(String::as_str)
    }
}
