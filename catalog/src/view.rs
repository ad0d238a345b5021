//! The catalog as the other rooms read it: in memory, with look-ups, immutable.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use dialect::Dialect;

use crate::deferred::Damage;
use crate::entry::Entry;
use crate::inheritance::inherited;
use crate::look_alike::{LookAlike, look_alikes};
use crate::model::description::TableDescription;
use crate::model::fact::{Fact, FactJudgement};
use crate::model::glossary::{Term, TermFault, TermOrigin};
use crate::model::masks::{Exposure, Lineage};
use crate::model::memory::{Memory, MemoryId};
use crate::model::structure::{ForeignKey, KeyOrigin, Source, TableId};
use crate::model::usage::{TableUsage, Usage, UsedColumn};

/// A whole catalog, read at one moment.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    sources: Vec<Source>,
    entries: Vec<Entry>,
    memories: Vec<Memory>,
    /// By source, without its tables, which are in `used`.
    usage: Vec<(String, Usage)>,
    used: HashMap<TableId, TableUsage>,
    terms: Vec<Term>,
    revision: u64,
    origin: String,
    mask_rules: String,
    damaged: Vec<Damage>,
    hides_tables: bool,
    by_id: HashMap<TableId, usize>,
    by_name: HashMap<String, Vec<usize>>,
    look_alikes: OnceLock<Vec<Option<LookAlike>>>,
}

impl Catalog {
    /// A catalog of these parts. Entries are sorted by id; a repeated id keeps the last.
    pub fn new(sources: Vec<Source>, mut entries: Vec<Entry>, mut memories: Vec<Memory>, revision: u64) -> Self {
        memories.sort_by_key(|memory| memory.id);
        entries.sort_by(|left, right| left.table.id.cmp(&right.table.id));
        entries.reverse();
        entries.dedup_by(|left, right| left.table.id == right.table.id);
        entries.reverse();
        let mut by_id = HashMap::with_capacity(entries.len());
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::with_capacity(entries.len());
        for (position, entry) in entries.iter().enumerate() {
            let id = &entry.table.id;
            by_id.insert(id.clone(), position);
            let mut names = vec![id.name.clone(), id.local(), id.to_string(), format!("{}.{}", id.source, id.name)];
            names.iter_mut().for_each(|name| *name = name.to_lowercase());
            names.sort();
            names.dedup();
            for name in names {
                by_name.entry(name).or_default().push(position);
            }
        }
        let (origin, mask_rules) = (String::new(), String::new());
        let (damaged, look_alikes) = (Vec::new(), OnceLock::new());
        let (usage, used, terms) = (Vec::new(), HashMap::new(), Vec::new());
        Self {
            sources,
            entries,
            memories,
            usage,
            used,
            terms,
            revision,
            origin,
            mask_rules,
            damaged,
            hides_tables: false,
            by_id,
            by_name,
            look_alikes,
        }
    }

    /// The same with what has been run over its sources, by their names.
    #[must_use]
    pub fn with_usage(mut self, mut usage: Vec<(String, Usage)>) -> Self {
        let tables = usage.iter_mut().flat_map(|(_, usage)| std::mem::take(&mut usage.tables));
        self.used = tables.map(|used| (used.table.clone(), used)).collect();
        self.usage = usage;
        // They rest on it.
        self.look_alikes = OnceLock::new();
        self
    }

    /// The same with these business terms, sorted by source and name.
    #[must_use]
    pub fn with_terms(mut self, terms: Vec<Term>) -> Self {
        self.terms = terms;
        self
    }

    /// The same with those memories alone that `is_kept` lets through.
    #[must_use]
    pub fn with_memories(mut self, is_kept: impl Fn(&Self, &Memory) -> bool) -> Self {
        let memories = std::mem::take(&mut self.memories);
        self.memories = memories.into_iter().filter(|memory| is_kept(&self, memory)).collect();
        self
    }

    /// The same without the tables of which who reads it may read nothing, and without what tells of them: keys to them, terms
    /// and habits that name them. What others inherit from them stays. Keys that the values of denied columns told, and terms
    /// that were found in statements over rows which others see, aren't there either.
    #[must_use]
    pub fn without_hidden_tables(&self) -> Self {
        let hidden: HashSet<&TableId> =
            self.entries.iter().filter(|entry| entry.rows_are_hidden()).map(|entry| &entry.table.id).collect();
        let denies = |table: &TableId, column: &String| self.entry(table).is_some_and(|entry| entry.denies(column));
        // That a key is there says that the values of one column are among the other's.
        let is_told_by_values = |entry: &Entry, key: &ForeignKey| {
            let own = key.columns.iter().any(|column| entry.denies(column));
            key.origin != KeyOrigin::Declared && (own || key.ref_columns.iter().any(|it| denies(&key.ref_table, it)))
        };
        let kept = self.entries.iter().filter(|entry| !hidden.contains(&entry.table.id));
        let names = hidden.iter().flat_map(|table| [table.local(), table.name.clone()]);
        let names: Arc<[String]> = names.collect::<BTreeSet<_>>().into_iter().collect();
        let entries = kept.map(|entry| {
            let told: Vec<bool> = entry.table.foreign_keys.iter().map(|key| is_told_by_values(entry, key)).collect();
            entry.without_mention_of(&hidden, &names, &told)
        });
        let entries = entries.collect();
        let terms = self.terms.iter().filter(|term| !matches!(self.fault_of(term), Some(TermFault::Withheld(_))));
        let used = self.used.iter().filter(|(table, _)| !hidden.contains(table));
        let read = Self::new(self.sources.clone(), entries, self.memories.clone(), self.revision);
        Self {
            usage: self.usage.clone(),
            used: used.map(|(table, used)| (table.clone(), used.clone())).collect(),
            terms: terms.cloned().collect(),
            origin: self.origin.clone(),
            mask_rules: self.mask_rules.clone(),
            damaged: self.damaged.clone(),
            hides_tables: !hidden.is_empty(),
            ..read
        }
    }

    /// The same with these descriptions in the place of those that are there, where there are any.
    #[must_use]
    pub fn with_descriptions(mut self, describe: impl Fn(&Self, &Entry) -> Option<TableDescription>) -> Self {
        let described: Vec<Option<TableDescription>> =
            self.entries.iter().map(|entry| describe(&self, entry)).collect();
        let entries = std::mem::take(&mut self.entries).into_iter().zip(described);
        self.entries = entries
            .map(|(entry, description)| match description {
                Some(description) => entry.with_description(description),
                None => entry,
            })
            .collect();
        self
    }

    /// Whether there may be tables that aren't there for who reads this.
    pub fn hides_tables(&self) -> bool {
        self.hides_tables
    }

    /// The same, where columns inherit from those that they are made from.
    #[must_use]
    pub fn with_lineage(mut self, lineage: &Lineage) -> Self {
        for (position, inherited) in inherited(&self, lineage) {
            self.entries[position].inherit(inherited);
        }
        // They rest on what entries say.
        self.look_alikes = OnceLock::new();
        self
    }

    /// The same, of a file of which these parts couldn't be read.
    pub(crate) fn with_damage(mut self, damaged: Vec<Damage>) -> Self {
        self.damaged = damaged;
        self
    }

    /// The same, read by rules of that mark.
    pub(crate) fn with_mask_rules(mut self, mark: String) -> Self {
        self.mask_rules = mark;
        self
    }

    /// The same as that catalog: see [`Catalog::origin`].
    pub(crate) fn with_origin(mut self, origin: String) -> Self {
        self.origin = origin;
        self
    }

    /// All sources, by name.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// The source of that name.
    pub fn source(&self, name: &str) -> Option<&Source> {
        self.sources.iter().find(|source| source.name == name)
    }

    /// The dialect of that source; SQLite's, which quotes the standard way, where it isn't in the catalog.
    pub fn dialect(&self, source: &str) -> &Dialect {
        self.source(source).map_or(&Dialect::Sqlite, |source| &source.dialect)
    }

    /// All tables, sorted by id. Positions in this slice are stable for the life of the value.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The table with that id.
    pub fn entry(&self, id: &TableId) -> Option<&Entry> {
        self.position(id).map(|position| &self.entries[position])
    }

    /// What the rows of a table say that names and types don't, but what people have dismissed.
    pub fn facts<'c>(&'c self, entry: &'c Entry) -> impl Iterator<Item = &'c Fact> {
        self.found_facts(entry).filter(|fact| entry.judgement(fact) != Some(FactJudgement::Dismissed))
    }

    /// The same with what people have dismissed, as far as it may be told: nothing that rests on another table's column or rows
    /// which may not be shown.
    pub fn found_facts<'c>(&'c self, entry: &'c Entry) -> impl Iterator<Item = &'c Fact> {
        let facts = entry.profile().map(|profile| profile.facts.as_slice()).unwrap_or_default();
        let may_be_told = |table: &TableId, column: &str| {
            self.entry(table).is_some_and(|other| other.rows_may_be_told() && *other.exposure(column) == Exposure::Open)
        };
        facts.iter().filter(move |fact| fact.is_open(|column| *entry.exposure(column) == Exposure::Open, may_be_told))
    }

    /// Where that table stands in [`Catalog::entries`].
    pub fn position(&self, id: &TableId) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// Every table that `name` can mean, in any case: `orders`, `sales.orders`, `shop.orders`, `shop.sales.orders`.
    /// `source` narrows it to one source.
    pub fn find(&self, name: &str, source: Option<&str>) -> Vec<&Entry> {
        self.by_name
            .get(&name.to_lowercase())
            .into_iter()
            .flatten()
            .map(|&position| &self.entries[position])
            .filter(|entry| source.is_none_or(|source| entry.table.id.source == source))
            .collect()
    }

    /// The tables of one source.
    pub fn tables_of(&self, source: &str) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |entry| entry.table.id.source == source)
    }

    /// What says that the table at that position is another one's copy, if it is one. All are found on first use.
    pub fn look_alike(&self, position: usize) -> Option<&LookAlike> {
        let all = self.look_alikes.get_or_init(|| look_alikes(&self.entries, &self.by_id, &self.used));
        all.get(position)?.as_ref()
    }

    /// What has been run over a source, where its query logs have been read; its tables are [`Catalog::usage_of`]'s to tell.
    pub fn usage(&self, source: &str) -> Option<&Usage> {
        self.usage.iter().find(|(name, _)| name == source).map(|(_, usage)| usage)
    }

    /// What has been run over a table, as far as it may be told; `None` where no log tells of its source. Nothing of values that
    /// may not be shown, and nothing of a table that the configuration denies.
    pub fn usage_of(&self, entry: &Entry) -> Option<TableUsage> {
        self.usage(&entry.table.id.source).filter(|_| !entry.rows_are_hidden())?;
        let Some(used) = self.used.get(&entry.table.id) else { return Some(TableUsage::none(&entry.table.id)) };
        let mut used = used.clone();
        // What others compare with is in rows that they see.
        let is_open = |table: &TableId, column: &str| {
            self.entry(table).is_some_and(|of| {
                !of.rows_are_hidden() && !of.rows_are_others() && *of.exposure(column) == Exposure::Open
            })
        };
        used.filters.retain(|filter| is_open(filter.by_way_of.as_ref().unwrap_or(&entry.table.id), &filter.column));
        used.measures.retain(|measure| measure.columns.iter().all(|it| is_open(&it.table, &it.column)));
        used.joins.retain(|join| self.entry(&join.with).is_some_and(|with| !with.rows_are_hidden()));
        Some(used)
    }

    /// Whether several people read a table, by the query logs: however old its rows are, nobody has abandoned it.
    pub fn is_read_by_many(&self, entry: &Entry) -> bool {
        self.used.get(&entry.table.id).is_some_and(|used| used.reads.users >= 3 && used.reads.statements >= 5)
    }

    /// All business terms by source and name, with those that nobody has approved, and those that can't be used.
    pub fn all_terms(&self) -> &[Term] {
        &self.terms
    }

    /// Why a term can't be used, if so.
    pub fn fault_of(&self, term: &Term) -> Option<TermFault> {
        let is_found = matches!(term.origin, TermOrigin::Usage | TermOrigin::ApprovedQuery);
        let is_withheld = |entry: &Entry| entry.rows_are_hidden() || is_found && entry.rows_are_others();
        let table = term.table.as_ref().and_then(|table| match self.entry(table) {
            None => Some(TermFault::TableGone(table.clone())),
            // Whoever may not see it isn't told that it is there, nor that it isn't.
            Some(entry) if is_withheld(entry) => {
                Some(TermFault::Withheld(UsedColumn { table: table.clone(), column: "*".to_owned() }))
            }
            Some(_) => None,
        });
        let column = || {
            term.columns.iter().find_map(|used| {
                let Some(entry) = self.entry(&used.table) else {
                    return Some(TermFault::TableGone(used.table.clone()));
                };
                if entry.table.column(&used.column).is_none() {
                    return Some(TermFault::ColumnGone(used.clone()));
                }
                let is_open = !is_withheld(entry) && *entry.exposure(&used.column) == Exposure::Open;
                (!is_open).then(|| TermFault::Withheld(used.clone()))
            })
        };
        table.or_else(column)
    }

    /// Everything approved or rejected, oldest first, with what was undone.
    pub fn memories(&self) -> &[Memory] {
        &self.memories
    }

    /// What was approved or rejected under that number.
    pub fn memory(&self, id: MemoryId) -> Option<&Memory> {
        let place = self.memories.binary_search_by_key(&id, |memory| memory.id).ok()?;
        self.memories.get(place)
    }

    /// What could not be read when the catalog was: tables, sources, approvals. They are not in it.
    pub fn damaged(&self) -> &[Damage] {
        &self.damaged
    }

    /// Everything that can't be read as it was written. Reads every part.
    pub fn all_damage(&self) -> Vec<Damage> {
        let of_entries = self.entries.iter().flat_map(|entry| {
            let description = entry.parts.description.read(&entry.table.id, |_| ()).err();
            entry.damage().into_iter().chain(description)
        });
        self.damaged.iter().chain(of_entries).cloned().collect()
    }

    /// Grows with every write to the store: whatever was derived from another revision is out of date.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Which catalog it is; revisions of different ones say nothing of each other. Empty of a catalog without a file.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// [`crate::MaskRules::mark`] of the rules that it was read by. What was made of the same revision by other rules may hold
    /// values that may not be shown.
    pub fn mask_rules(&self) -> &str {
        &self.mask_rules
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::{Catalog, Entry};

    use crate::model::masks::{Lineage, MadeColumn, Mask, NOT_FOLLOWED};
    use crate::model::profile::{ColumnProfile, KnownValues, SampleMethod, TableProfile};
    use crate::model::structure::{Column, Table, TableId, TypeClass};

    fn entry(declared: &[&str], profile: ColumnProfile) -> Entry {
        let column = Column {
            type_class: TypeClass::Text,
            nullable: false,
            enum_values: declared.iter().map(|label| (*label).to_owned()).collect(),
            ..Column::new("status", "order_status")
        };
        let table = Table { columns: vec![column], ..Table::new(TableId::new("s", "orders")) };
        let profile = TableProfile {
            rows_seen: 3,
            columns: vec![profile],
            ..TableProfile::new(&table, SampleMethod::AllRows, Timestamp::UNIX_EPOCH)
        };
        Entry::bare(table).with_profile(profile)
    }

    #[test]
    fn all_values_are_those_seen_and_those_allowed() {
        let seen = |values| ColumnProfile { values, ..ColumnProfile::empty("status") };
        let texts = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>();
        let labels = &["new", "paid", "sent"][..];
        let masked = ColumnProfile { masked: Some(Mask::by_values("by name")), ..ColumnProfile::empty("status") };
        for (declared, profile, expected) in [
            (labels, seen(KnownValues::All(texts(&["sent", "new"]))), Some(vec!["sent", "new", "paid"])),
            (labels, seen(KnownValues::Some(texts(&["sent"]))), Some(vec!["new", "paid", "sent"])),
            (labels, masked, None),
            (&[], seen(KnownValues::All(texts(&["b", "a"]))), Some(vec!["b", "a"])),
            (&[], seen(KnownValues::Some(texts(&["b"]))), None),
            (&[], seen(KnownValues::Unknown), None),
        ] {
            assert_eq!(entry(declared, profile).all_values("status"), expected);
        }
    }

    #[test]
    fn what_was_read_before_its_mask_was_known_is_withheld_after() {
        let seen = |values: &[&str]| KnownValues::All(values.iter().map(|value| (*value).to_owned()).collect());
        let profile = ColumnProfile {
            values: seen(&["a secret"]),
            min: Some("a secret".to_owned()),
            ..ColumnProfile::empty("status")
        };
        let entry = entry(&[], profile);
        let id = entry.table.id.clone();
        assert!(entry.all_values("status").is_some());
        let catalog = Catalog::new(Vec::new(), vec![entry], Vec::new(), 1);
        let columns =
            vec![MadeColumn { table: id.clone(), column: "status".to_owned(), origins: None, is_computed: false }];
        let catalog = catalog.with_lineage(&Lineage { columns, ..Lineage::default() });
        let entry = catalog.entry(&id).unwrap();
        let column = entry.profile().and_then(|profile| profile.column("status")).unwrap();
        assert_eq!((&column.values, &column.min), (&KnownValues::Unknown, &None));
        assert_eq!(column.masked_because(), Some(NOT_FOLLOWED));
        // A profile that is put in its place shows no more.
        let column = ColumnProfile { values: seen(&["another"]), ..ColumnProfile::empty("status") };
        let replaced = entry.profile().cloned().map(|profile| TableProfile { columns: vec![column], ..profile });
        let replaced = entry.clone().with_profile(replaced);
        assert_eq!(replaced.profile().unwrap().column("status").unwrap().values, KnownValues::Unknown);
    }

    #[test]
    fn the_values_that_a_masked_type_lists_are_not_shown() {
        let masked = || ColumnProfile { masked: Some(Mask::by_values("by name")), ..ColumnProfile::empty("status") };
        for (declared, shown) in [
            ("ENUM('a@b', 'it''s (c)')", "ENUM"),
            ("enum('a','b') CHARACTER SET utf8", "enum CHARACTER SET utf8"),
            ("LowCardinality(Nullable(Enum8('a' = 1, 'b)' = 2)))", "LowCardinality(Nullable(Enum8))"),
            ("order_status", "order_status"),
            ("DECIMAL(10,2)", "DECIMAL(10,2)"),
            ("odd 'type", "odd"),
        ] {
            let shown_of = |profile| {
                let mut entry = entry(&["a"], profile);
                entry.table_mut().columns[0].data_type = declared.to_owned();
                let examined = entry.profile().cloned();
                let entry = entry.with_profile(examined);
                let shown = entry.shown_type(&entry.table.columns[0]).into_owned();
                (shown, entry.declared_values("status").len())
            };
            assert_eq!(shown_of(masked()), (shown.to_owned(), 0));
            assert_eq!(shown_of(ColumnProfile::empty("status")), (declared.to_owned(), 1));
        }
    }
}
