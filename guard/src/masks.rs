//! Which columns may not be shown, followed to where their values come from.
//!
//! The catalog says it of a column by itself. A column of a view, a generated one, one of a table that reads from others is
//! as sensitive as what it is made from, however that was found out.

mod row_policies;

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use catalog::{
    Catalog, Column, DECIDED, Exposure, KeyOrigin, Lineage, MadeColumn, MadeRows, MaskedBy, NOT_FOLLOWED, RowsBy,
    Table, TableId, TableKind,
};
use connect::HeldKey;
use sql::{ColumnRef, Manner, ResolvedView, RowChoice};

use crate::functions::{has_word, may_be_called, unseen_call};
use crate::policy::{PolicyConfig, Unprofiled};

/// Whether a column's values may be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// They may.
    Yes,
    /// They may not, for this reason.
    Masked(String),
    /// Nobody has looked at them, or at what they are made from.
    Unexamined,
}

/// What a catalog says of columns, each found out once.
pub(crate) struct Masks<'c> {
    catalog: &'c Catalog,
    views: HashMap<TableId, Option<ResolvedView>>,
    readers: OnceCell<HashMap<TableId, Vec<usize>>>,
    known: HashMap<ColumnRef, Shown>,
}

impl<'c> Masks<'c> {
    pub(crate) fn of(catalog: &'c Catalog) -> Self {
        Self { catalog, views: HashMap::new(), readers: OnceCell::new(), known: HashMap::new() }
    }

    /// Whether the values of a column may be shown, by itself and by everything that it is made from, as far as nobody has
    /// released it.
    pub(crate) fn shown(&mut self, column: &ColumnRef) -> Shown {
        if let Some(known) = self.known.get(column) {
            return known.clone();
        }
        let mut shown = self.by_itself(column);
        if !self.is_released(column) && matches!(shown, Shown::Yes | Shown::Unexamined) {
            for origin in self.walk(column, Self::is_released) {
                match self.by_itself(&origin) {
                    Shown::Yes => {}
                    Shown::Unexamined => shown = Shown::Unexamined,
                    Shown::Masked(reason) => {
                        let reason = format!("made from `{}.{}`, {reason}", origin.table.local(), origin.column);
                        shown = Shown::Masked(reason);
                        break;
                    }
                }
            }
        }
        self.known.insert(column.clone(), shown.clone());
        shown
    }

    /// Whether the values of a column may not be shown by that policy, masked or not looked at yet.
    pub(crate) fn are_closed(&mut self, column: &ColumnRef, config: &PolicyConfig) -> bool {
        match self.shown(column) {
            Shown::Yes => false,
            Shown::Masked(_) => true,
            Shown::Unexamined => config.unprofiled == Unprofiled::Refuse,
        }
    }

    fn by_itself(&mut self, column: &ColumnRef) -> Shown {
        match self.catalog.entry(&column.table).map(|entry| entry.exposure(&column.column)) {
            Some(Exposure::Masked(mask)) => Shown::Masked(mask.reason.clone()),
            Some(_) if !self.is_released(column) && !self.is_followed(&column.table) => {
                Shown::Masked(NOT_FOLLOWED.to_owned())
            }
            Some(Exposure::Open) => Shown::Yes,
            Some(Exposure::Unexamined) | None => Shown::Unexamined,
        }
    }

    /// Whether somebody has said that the values of a column may be shown, whatever they are made from.
    pub(crate) fn is_released(&self, column: &ColumnRef) -> bool {
        self.catalog.entry(&column.table).is_some_and(|entry| {
            let table = &entry.table;
            let is_made = table.kind != TableKind::Table
                || !table.reads_from.is_empty()
                || table
                    .foreign_keys
                    .iter()
                    .any(|key| key.columns.iter().any(|it| it.eq_ignore_ascii_case(&column.column)))
                || table.column(&column.column).is_some_and(|it| it.generated.is_some() || !it.composites().is_empty());
            is_made && entry.is_released(&column.column)
        })
    }

    /// Whether what a relation is made from is known: a table, or a view whose query is understood. What a function that
    /// isn't known for computing reads is anybody's guess.
    fn is_followed(&mut self, id: &TableId) -> bool {
        let catalog = self.catalog;
        let Some(entry) = catalog.entry(id) else { return true };
        match self.reading(id) {
            Some(reading) => {
                let definition = entry.table.definition.as_deref().unwrap_or_default();
                reading.is_followed
                    && are_pure(&reading.functions, definition, id, catalog)
                    && !reading.columns.iter().any(|column| calls_by_type(column, catalog))
            }
            None => {
                let is_view = matches!(entry.table.kind, TableKind::View | TableKind::MaterializedView);
                let is_computed = [catalog::COMPUTED, catalog::CONTENTLESS].contains(&entry.table.kind.name());
                !is_computed && (!is_view || !entry.table.reads_from.is_empty())
            }
        }
    }

    /// The relation, or one behind it, whose query can't be followed, so that it may read anything; none where people have
    /// released all of its columns.
    pub(crate) fn not_followed(&mut self, id: &TableId) -> Option<TableId> {
        let behind = self.tables_behind(id);
        std::iter::once(id).chain(&behind).find(|id| !self.is_followed(id) && !self.is_all_released(id)).cloned()
    }

    fn is_all_released(&self, id: &TableId) -> bool {
        let all = |entry: &catalog::Entry| entry.table.columns.iter().all(|column| entry.is_released(&column.name));
        self.catalog.entry(id).is_some_and(all)
    }

    fn reading(&mut self, id: &TableId) -> Option<&ResolvedView> {
        if !self.views.contains_key(id) {
            // Meanwhile it is a table, should its definition lead back to it.
            self.views.insert(id.clone(), None);
            let catalog = self.catalog;
            let mut reading = catalog.entry(id).and_then(|entry| sql::read_view(&entry.table, catalog));
            if let Some(reading) = &mut reading {
                self.decide(&mut reading.choice);
                let deciding = &reading.choice.deciding;
                reading.origins.iter_mut().flatten().for_each(|origins| origins.extend(deciding.iter().cloned()));
            }
            self.views.insert(id.clone(), reading);
        }
        self.views.get(id)?.as_ref()
    }

    /// What decides over rows, of all that is compared and tested.
    fn decide(&mut self, choice: &mut RowChoice) {
        self.decide_by_equality(choice);
        self.decide_by_presence(choice);
    }

    /// An equality that a statement couldn't use itself decides over rows, and what a view shows tells it. Of columns that
    /// nobody has looked at yet, as when a database is indexed, either may turn out to be masked.
    fn decide_by_equality(&mut self, choice: &mut RowChoice) {
        for [one, other] in std::mem::take(&mut choice.equated) {
            let is_open = self.shown(&one) == Shown::Yes;
            let along_a_key = self.shown(&other) != Shown::Yes
                && self.are_of_one_key(&one, &other)
                && self.is_stored(&one)
                && self.is_stored(&other);
            let denied = [&one, &other].into_iter().find(|column| self.is_denied(column)).cloned();
            if let Some(denied) = denied {
                choice.deciding.push(denied);
            } else if !is_open && !along_a_key {
                choice.deciding.push(one);
            }
        }
    }

    /// Whether there is a value decides over rows, and where one that isn't stored is made under a condition, that tells it.
    fn decide_by_presence(&mut self, choice: &mut RowChoice) {
        for column in std::mem::take(&mut choice.tested) {
            if !self.is_stored(&column) || self.is_denied(&column) {
                choice.deciding.push(column);
            }
        }
    }

    /// Whether nobody who asks may use the column, so that not even the presence of a value is told.
    pub(crate) fn is_denied(&self, column: &ColumnRef) -> bool {
        let entry = self.catalog.entry(&column.table);
        let mask = entry.and_then(|entry| entry.exposure(&column.column).mask());
        mask.is_some_and(|mask| mask.by == MaskedBy::Denied)
    }

    /// Whether a column's values are what somebody has put there, here or in what the relation has its rows from: of one that is
    /// computed, whether there is a value can be a condition over what it is made from.
    pub(crate) fn is_stored(&mut self, column: &ColumnRef) -> bool {
        let (mut seen, mut next) = (HashSet::new(), vec![column.clone()]);
        while let Some(column) = next.pop() {
            let Some(entry) = self.catalog.entry(&column.table) else { continue };
            let table = &entry.table;
            if !seen.insert(column.clone()) {
                continue;
            }
            if sql::generated_from(table, &column.column, self.catalog).is_some()
                || table.column(&column.column).is_some_and(|it| it.generated.is_some())
                || entry.is_computed(&column.column)
            {
                return false;
            }
            let place = table.columns.iter().position(|it| it.name == column.column);
            let view = self.reading(&column.table).map(|view| {
                let plain = place.filter(|place| view.is_plain.get(*place) == Some(&true));
                (plain.and_then(|place| view.origins.get(place)?.clone()), view.choice.deciding.clone())
            });
            match view {
                // Which rows an outer join has found is told by what is missing.
                Some((_, deciding)) if deciding.iter().any(|column| self.shown(column) != Shown::Yes) => return false,
                Some((None, _)) => return false,
                Some((Some(origins), _)) => next.extend(origins),
                None => {
                    next.extend(table.reads_from.iter().map(|read| ColumnRef { table: read.clone(), ..column.clone() }))
                }
            }
        }
        true
    }

    /// The tables and views that a view reads, through views of views.
    pub(crate) fn tables_behind(&mut self, id: &TableId) -> Vec<TableId> {
        let mut behind: Vec<TableId> = Vec::new();
        let mut next = vec![id.clone()];
        while let Some(id) = next.pop() {
            let told = self.catalog.entry(&id).map(|entry| entry.table.reads_from.clone()).unwrap_or_default();
            let read = self.reading(&id).map(|reading| reading.tables.clone()).unwrap_or_default();
            for table in told.into_iter().chain(read) {
                if !behind.contains(&table) {
                    behind.push(table.clone());
                    next.push(table);
                }
            }
        }
        behind
    }

    /// The columns that a column of a view is made from, through views of views. Where the definition doesn't tell, those
    /// are all that it names.
    pub(crate) fn origins(&mut self, column: &ColumnRef) -> Vec<ColumnRef> {
        self.walk(column, |_, _| false)
    }

    /// The same, but not beyond columns of which `ends` says so.
    fn walk(&mut self, column: &ColumnRef, ends: fn(&Self, &ColumnRef) -> bool) -> Vec<ColumnRef> {
        let mut origins: Vec<ColumnRef> = Vec::new();
        let mut next = vec![column.clone()];
        while let Some(column) = next.pop() {
            let columns = self.catalog.entry(&column.table).map(|entry| &entry.table.columns);
            let place = columns.and_then(|columns| columns.iter().position(|it| it.name == column.column));
            let found = match self.reading(&column.table) {
                Some(reading) => {
                    let told = place.and_then(|place| reading.origins.get(place)?.as_ref());
                    told.unwrap_or(&reading.columns).clone()
                }
                None => self.behind(&column),
            };
            for origin in found {
                if !origins.contains(&origin) {
                    origins.push(origin.clone());
                    if !ends(self, &origin) {
                        next.push(origin);
                    }
                }
            }
        }
        origins
    }

    fn made_columns(&mut self, table: &Table) -> Vec<MadeColumn> {
        let is_followed = self.is_followed(&table.id);
        let view = self.reading(&table.id).map(|view| (view.origins.clone(), view.columns.clone()));
        let made = columns_of(table).into_iter().enumerate().map(|(place, column)| {
            let origins = match &view {
                _ if !is_followed => None,
                Some((origins, named)) => Some(origins.get(place).and_then(Option::as_ref).unwrap_or(named).clone()),
                None if self.is_computed_by_others(table, &column) => None,
                None => Some(self.behind(&column)),
            };
            let origins = origins.map(|origins| origins.into_iter().map(|it| (it.table, it.column)).collect());
            MadeColumn { table: column.table, column: column.column, origins, is_computed: false }
        });
        made.filter(|made| made.origins.as_ref().is_none_or(|origins| !origins.is_empty())).collect()
    }

    /// What decides which rows a relation has that isn't stored as it is, or that is seen in part, as far as its query and the
    /// policies can be followed.
    fn made_rows(&mut self, id: &TableId) -> Option<MadeRows> {
        let is_followed = self.is_followed(id);
        let table = &self.catalog.entry(id)?.table;
        let policies = &table.row_policies;
        let (mut deciding, mut reads) = match self.reading(id) {
            Some(view) => (view.choice.deciding.clone(), view.tables.clone()),
            // It has rows from others, all of them.
            None => (Vec::new(), table.reads_from.clone()),
        };
        if is_followed && policies.is_empty() && reads.is_empty() && self.reading(id).is_none() {
            return None;
        }
        let mut is_known = is_followed;
        for policy in policies {
            let Some(mut reading) = self.followed(&policy.query, &policy.functions, id) else {
                is_known = false;
                continue;
            };
            self.decide(&mut reading.choice);
            deciding.append(&mut reading.choice.deciding);
            reads.extend(reading.tables.into_iter().filter(|read| read != id));
        }
        let deciding = is_known.then(|| deciding.into_iter().map(|it| (it.table, it.column)).collect());
        Some(MadeRows { table: id.clone(), deciding, reads, by: RowsBy::Itself })
    }

    /// Whether a generated column calls functions that aren't known for computing and nothing else.
    fn is_computed_by_others(&self, table: &Table, column: &ColumnRef) -> bool {
        let reading = sql::generated_from(table, &column.column, self.catalog);
        let expression =
            table.column(&column.column).and_then(|column| column.generated.as_deref()).unwrap_or_default();
        reading.is_some_and(|reading| !are_pure(&reading.functions, expression, &table.id, self.catalog))
    }

    /// The columns that one of a table is made from: by its expression, what it refers to, or in the tables that give it rows
    /// and in those that it gives rows to. Where one of these has no column of the name, any of it may be meant.
    fn behind(&self, column: &ColumnRef) -> Vec<ColumnRef> {
        let Some(entry) = self.catalog.entry(&column.table) else { return Vec::new() };
        let table = &entry.table;
        let is_generated = table.column(&column.column).is_some_and(|it| it.generated.is_some());
        let mut behind = match sql::generated_from(table, &column.column, self.catalog) {
            Some(reading) => reading.columns,
            None if is_generated => columns_of(table),
            None => Vec::new(),
        };
        let of_others = |reads: &TableId| {
            let Some(other) = self.catalog.entry(reads) else { return Vec::new() };
            match other.table.column(&column.column) {
                Some(same) => vec![ColumnRef { table: reads.clone(), column: same.name.clone() }],
                None => columns_of(&other.table),
            }
        };
        behind.extend(table.reads_from.iter().flat_map(of_others));
        let readers = self.readers().get(&table.id).into_iter().flatten();
        let same = readers.filter_map(|other| {
            let other = &self.catalog.entries()[*other].table;
            Some(ColumnRef { table: other.id.clone(), column: other.column(&column.column)?.name.clone() })
        });
        behind.extend(same);
        // A value of a table's row type has all that its rows have.
        let types = table.column(&column.column).map(Column::composites).unwrap_or_default();
        let of_rows = types.iter().flat_map(|composite| {
            let named = |entry: &&catalog::Entry| entry.table.id.name == composite.name;
            self.catalog.tables_of(&table.id.source).filter(named).flat_map(|entry| columns_of(&entry.table))
        });
        behind.extend(of_rows);
        // A reference holds what it refers to, which rows are seen there or not.
        let is_decided = |column: &ColumnRef| {
            let mask = self.catalog.entry(&column.table).and_then(|entry| entry.exposure(&column.column).mask());
            mask.is_some_and(|mask| mask.reason.starts_with(DECIDED))
        };
        let referred = table.foreign_keys.iter().flat_map(|key| {
            let pairs = key.columns.iter().zip(&key.ref_columns);
            let of_this = pairs.filter(|(own, _)| own.eq_ignore_ascii_case(&column.column));
            of_this.map(|(_, other)| ColumnRef { table: key.ref_table.clone(), column: other.clone() })
        });
        behind.extend(referred.filter(|column| !is_decided(column)));
        behind.retain(|origin| origin != column);
        behind
    }

    /// For each table, the places of the tables that have rows from it.
    fn readers(&self) -> &HashMap<TableId, Vec<usize>> {
        self.readers.get_or_init(|| {
            let mut readers: HashMap<TableId, Vec<usize>> = HashMap::new();
            for (place, entry) in self.catalog.entries().iter().enumerate() {
                let has_the_same = entry.table.definition.is_none() && entry.table.kind.name() != catalog::COMPUTED;
                for read in entry.table.reads_from.iter().filter(|_| has_the_same) {
                    readers.entry(read.clone()).or_default().push(place);
                }
            }
            readers
        })
    }

    /// Whether a column that may not be shown may be equated with another: with one that may not be shown either, over a
    /// key that is meant. Any other key is a scale: numbers that were given out in turn measure whatever is as large.
    pub(crate) fn may_be_equated(&mut self, one: &ColumnRef, other: &ColumnRef) -> bool {
        matches!(self.shown(other), Shown::Masked(_))
            && self.are_of_one_key(one, other)
            // Two that are made are equal where there is a value at all, which may be a condition.
            && self.is_stored(one)
            && self.is_stored(other)
    }

    /// Whether a value of one of the two is the key of the other, by a reference: then which rows belong together is all
    /// that their being equal tells.
    fn are_of_one_key(&self, one: &ColumnRef, other: &ColumnRef) -> bool {
        (self.is_key(one) || self.is_key(other)) && self.hold_the_same(one, other)
    }

    /// The keys that the judgement of these uses rests on, and of what the views `read` have in their conditions: where
    /// columns that may not be shown are equated.
    pub(crate) fn keys_relied_on(&mut self, uses: &[sql::ValueUse], read: &[TableId]) -> Vec<HeldKey> {
        let named = uses.iter().filter_map(|used| match &used.manner {
            Manner::Equated(other) => Some([used.column.clone(), other.clone()]),
            _ => None,
        });
        let catalog = self.catalog;
        let entries = read.iter().filter_map(|id| catalog.entry(id));
        let in_views =
            entries.filter_map(|entry| sql::read_view(&entry.table, catalog)).flat_map(|view| view.choice.equated);
        let mut pairs: Vec<[ColumnRef; 2]> = named.chain(in_views).collect();
        pairs.retain(|[one, other]| self.shown(one) != Shown::Yes || self.shown(other) != Shown::Yes);
        let mut keys: Vec<HeldKey> = Vec::new();
        for column in pairs.iter().flatten() {
            let own = (column.table.clone(), column.column.clone());
            let unique = self.is_key(column).then(|| HeldKey { column: own.clone(), refers_to: None });
            let referred = self.referents(column).into_iter().skip(1);
            let referring = referred.map(|it| HeldKey { column: own.clone(), refers_to: Some((it.table, it.column)) });
            for key in unique.into_iter().chain(referring) {
                if !keys.contains(&key) {
                    keys.push(key);
                }
            }
        }
        keys
    }

    /// Whether one column refers to the other, both refer to the same one, or they are one.
    fn hold_the_same(&self, one: &ColumnRef, other: &ColumnRef) -> bool {
        let (of_one, of_other) = (self.referents(one), self.referents(other));
        of_one.iter().any(|referent| of_other.iter().any(|it| same_column(referent, it)))
    }

    /// The column itself and those that it refers to.
    fn referents(&self, column: &ColumnRef) -> Vec<ColumnRef> {
        let keys =
            self.catalog.entry(&column.table).map(|entry| entry.table.foreign_keys.as_slice()).unwrap_or_default();
        // What was inferred from values is no promise.
        let declared = keys.iter().filter(|key| key.origin == KeyOrigin::Declared);
        let referred = declared.flat_map(|key| {
            let pairs = key.columns.iter().zip(&key.ref_columns);
            let own = pairs.filter(|(own, _)| own.eq_ignore_ascii_case(&column.column));
            own.map(|(_, referred)| ColumnRef { table: key.ref_table.clone(), column: referred.clone() })
        });
        std::iter::once(column.clone()).chain(referred).collect()
    }

    fn is_key(&self, column: &ColumnRef) -> bool {
        let Some(entry) = self.catalog.entry(&column.table) else { return false };
        let only = |columns: &[String]| matches!(columns, [it] if it.eq_ignore_ascii_case(&column.column));
        let table = &entry.table;
        only(&table.primary_key) || table.indexes.iter().any(|index| index.unique && only(&index.columns))
    }
}

fn same_column(one: &ColumnRef, other: &ColumnRef) -> bool {
    one.table == other.table && one.column.eq_ignore_ascii_case(&other.column)
}

/// Whether functions that are called for a relation, by that text, are known for computing and nothing else.
fn are_pure(functions: &[Vec<String>], text: &str, id: &TableId, catalog: &Catalog) -> bool {
    let Some(source) = catalog.source(&id.source) else { return false };
    if unseen_call(text, &source.functions).is_some() {
        return false;
    }
    functions.iter().all(|path| may_be_called(&source.dialect, path, Some(&source.functions)))
}

/// Whether values of a column are ordered, compared or cast by functions that somebody made for their type, which the text of a
/// view that groups or orders by it doesn't show.
fn calls_by_type(column: &ColumnRef, catalog: &Catalog) -> bool {
    let Some(source) = catalog.source(&column.table.source).filter(|source| !source.functions.types.is_empty()) else {
        return false;
    };
    let declared = catalog.entry(&column.table).and_then(|entry| entry.table.column(&column.column));
    declared.is_some_and(|declared| {
        let data_type = declared.data_type.to_lowercase();
        source.functions.types.iter().any(|name| has_word(&data_type, name))
    })
}

/// The columns that hold what others do, as far as structures tell (of views, of tables that read others, generated ones, and
/// references), and what decides which rows views have.
pub fn lineage(catalog: &Catalog) -> Lineage {
    let mut masks = Masks::of(catalog);
    let mut lineage = Lineage::default();
    for entry in catalog.entries() {
        lineage.columns.extend(masks.made_columns(&entry.table));
        lineage.rows.extend(masks.made_rows(&entry.table.id));
    }
    lineage
}

/// The columns that decide over rows which are chosen like this, for each choice: those whose values do, and those that a
/// statement couldn't compare or test itself.
pub fn deciding(catalog: &Catalog, mut choices: Vec<RowChoice>) -> Vec<Vec<ColumnRef>> {
    let mut masks = Masks::of(catalog);
    choices.iter_mut().for_each(|choice| masks.decide(choice));
    choices.into_iter().map(|choice| choice.deciding).collect()
}

fn columns_of(table: &catalog::Table) -> Vec<ColumnRef> {
    table.columns.iter().map(|it| ColumnRef { table: table.id.clone(), column: it.name.clone() }).collect()
}

/// How many values of columns that may not be shown a statement looks up.
pub(crate) fn look_ups(catalog: &Catalog, uses: &[sql::ValueUse]) -> usize {
    let mut masks = Masks::of(catalog);
    let mut sum = 0;
    for used in uses {
        if let Manner::Constants(count) = used.manner
            && masks.shown(&used.column) != Shown::Yes
        {
            sum += count;
        }
    }
    sum
}
