//! What a statement reads, as it is at the moment of running, against what it was judged by.
//!
//! The catalog is of the last `periplus index`. A column that came since has never been looked at, columns that changed
//! their names hold what others held, and a table can have become a view of something else. So nothing of a relation
//! that is not as the catalog has it is handed on, in whatever form a statement asks for it: `*`, a whole row as a
//! value, JSON made of it. Invariant: names, order and types of columns, kinds and definitions are compared in the words
//! of introspection, so that what didn't change is never taken for changed.

use std::collections::HashSet;

use catalog::{Catalog, Column, Entry, MaskedBy, Source, Table, TableId};
use connect::{LiveRelation, ReadRelation};
use sql::ResolvedStatement;

use crate::finding::{Finding, Severity};
use crate::rule_name::RuleName;

/// The most columns that a message names.
const MOST_NAMED: usize = 3;

/// Every relation of the catalog that the statement reads, and those that give rows to them.
pub(crate) fn relations_of(reading: &ResolvedStatement, catalog: &Catalog) -> Vec<ReadRelation> {
    let mut reads: Vec<ReadRelation> = Vec::new();
    for used in &reading.tables {
        let Some(id) = &used.table else { continue };
        let bare = used.parts.len() == 1;
        match reads.iter_mut().find(|read| read.id == *id) {
            Some(read) => read.bare |= bare,
            None => reads.push(ReadRelation { id: id.clone(), named: true, bare }),
        }
    }
    let mut next = 0;
    while let Some(read) = reads.get(next) {
        next += 1;
        let Some(table) = catalog.entry(&read.id).map(|entry| &entry.table) else { continue };
        let behind = sql::read_view(table, catalog).map(|view| view.tables).unwrap_or_default();
        for id in behind.into_iter().chain(table.reads_from.iter().cloned()) {
            if reads.iter().all(|read| read.id != id) {
                reads.push(ReadRelation { id, named: false, bare: false });
            }
        }
    }
    reads
}

/// The first relation that is not what the catalog says.
pub(crate) fn change(reads: &[ReadRelation], live: &[LiveRelation], catalog: &Catalog) -> Option<Finding> {
    let of = |read: &ReadRelation| {
        let entry = catalog.entry(&read.id)?;
        let found = live.iter().find(|relation| relation.id == read.id);
        change_of(entry, found)
            .or_else(|| taken_in(entry, found?, catalog))
            .or_else(|| took_the_name(entry, found?, catalog))
            .or_else(|| configured_by_name(entry, found?, catalog))
    };
    reads.iter().find_map(of).map(Change::into_finding)
}

/// A function that somebody has made since the database was indexed, and that a word of the statement may call.
pub(crate) fn added_function(live: &[String], source: &Source) -> Option<Finding> {
    let known = |name: &String| {
        let mut of_catalog = source.functions.unsure.iter().chain(&source.functions.elsewhere);
        of_catalog.any(|it| it.rsplit('.').next() == Some(name))
    };
    let unknown = live.iter().find(|name| !known(name))?;
    let message = format!("the database has a function `{unknown}` that the catalog doesn't know");
    Some(Change { code: "table_changed", message }.into_finding())
}

/// The finding for a relation that the database reads and the catalog doesn't have.
pub(crate) fn unknown_relation(name: &str) -> Finding {
    let message = format!("the database reads `{name}` for this statement, which the catalog doesn't know");
    Change { code: "table_changed", message }.into_finding()
}

/// The finding for a relation that was changed while the statement ran.
pub(crate) fn changed_meanwhile(relation: &str) -> Finding {
    Change { code: "table_changed", message: format!("`{relation}` was changed while the statement ran") }
        .into_finding()
}

/// The finding for a key that doesn't hold, over which masked columns are joined.
pub(crate) fn key_gone() -> Finding {
    Finding {
        why: "Masked columns are joined along keys alone; without one, a join tells who has the same value.".to_owned(),
        ..Change {
            code: "table_changed",
            message: "a key over which the statement joins masked columns isn't there, or isn't one for all rows"
                .to_owned(),
        }
        .into_finding()
    }
}

struct Change {
    code: &'static str,
    message: String,
}

impl Change {
    fn into_finding(self) -> Finding {
        Finding {
            rule: RuleName::Engine,
            code: self.code,
            severity: Severity::Error,
            span: None,
            message: self.message,
            why: "It was changed after the last `periplus index`, so nobody can say what may be read of it.".to_owned(),
            help: "Have `periplus index` run, then ask again.".to_owned(),
            suggestions: Vec::new(),
            rewrite: None,
        }
    }
}

fn change_of(entry: &Entry, live: Option<&LiveRelation>) -> Option<Change> {
    let table = &entry.table;
    let name = table.id.local();
    let changed = |message: String| Some(Change { code: "table_changed", message });
    let Some(live) = live else { return changed(format!("`{name}` is not there any more")) };
    if live.hidden {
        return changed(format!("`{}` now means another table than `{name}`", table.id.name));
    }
    if live.kind != table.kind {
        return changed(format!("`{name}` was a {} and is a {} now", table.kind.name(), live.kind.name()));
    }
    let held = |name: &str| table.columns.iter().any(|column| column.name == name);
    let unknown: Vec<&str> =
        live.columns.iter().map(|(name, _)| name.as_str()).filter(|column| !held(column)).collect();
    if !unknown.is_empty() {
        let noun = if unknown.len() == 1 { "a column" } else { "columns" };
        let message = format!("`{name}` has {noun} {} that the catalog doesn't know", listed(&unknown));
        return Some(Change { code: "column_not_in_catalog", message });
    }
    // Some engines show a role only the columns that it may read.
    let is_seen = |column: &&Column| live.columns.iter().any(|(name, _)| *name == column.name);
    let is_denied =
        |column: &&Column| entry.exposure(&column.name).mask().is_some_and(|mask| mask.by == MaskedBy::Denied);
    let gone = table.columns.iter().filter(|column| !is_seen(column) && !is_denied(column));
    let gone: Vec<&str> = gone.map(|column| column.name.as_str()).collect();
    if !gone.is_empty() {
        return changed(format!("`{name}` has no {} any more", listed(&gone)));
    }
    for (column, (live_name, live_type)) in table.columns.iter().filter(is_seen).zip(&live.columns) {
        if column.name != *live_name {
            return changed(format!("the columns of `{name}` stand in another order, so some were renamed"));
        }
        if column.data_type != *live_type {
            // A list of values that may not be shown, of then or of now.
            if live_type.contains('\'') || entry.shown_type(column) != column.data_type {
                return changed(format!("`{name}.{live_name}` is of another type now"));
            }
            let was = &column.data_type;
            return changed(format!("`{name}.{live_name}` was of the type `{was}` and is of `{live_type}` now"));
        }
    }
    if let Some(made) = &live.made {
        let now = |column: &Column| made.iter().find(|(name, _)| *name == column.name).map(|(_, by)| by);
        if let Some(column) = table.columns.iter().find(|column| now(column) != column.generated.as_ref()) {
            return changed(format!("`{name}.{}` is made by another expression now", column.name));
        }
    }
    if live.definition != table.definition {
        return changed(format!("the view `{name}` is made from another query now"));
    }
    // Catalogs of before don't say what a view reads.
    if table.definition.is_some() && table.identity.own.is_some() && table.identity.own != live.identity.own {
        return changed(format!("the view `{name}` reads other tables of these names now"));
    }
    if live.row_policies != table.row_policies {
        return changed(format!("the policies that choose the rows of `{name}` are others now"));
    }
    if table.identity.has_other_columns(&live.identity) {
        return changed(format!("columns of `{name}` were taken away, and others have their names now"));
    }
    None
}

/// A table of the catalog that has become a part or a child of another one: what is known of its columns counts for that one's,
/// too, from the next `periplus index` on.
fn taken_in(entry: &Entry, live: &LiveRelation, catalog: &Catalog) -> Option<Change> {
    let id = &entry.table.id;
    let mut behind = vec![entry];
    let mut next = 0;
    while let Some(reads) = behind.get(next).map(|entry| &entry.table.reads_from) {
        next += 1;
        let unseen = |entry: &&Entry| behind.iter().all(|known| known.table.id != entry.table.id);
        let further: Vec<&Entry> = reads.iter().filter_map(|id| catalog.entry(id)).filter(unseen).collect();
        behind.extend(further);
    }
    let is_behind = |other: &Entry| behind.iter().any(|known| known.table.id == other.table.id);
    let is_new = |name: &&String| {
        let known = catalog.tables_of(&id.source).filter(|other| other.table.id.local() == **name);
        let mut known = known.peekable();
        let is_unknown = known.peek().is_none() && catalog.dialect(&id.source).names().parts_are_listed;
        is_unknown || known.any(|other| !is_behind(other))
    };
    let by_name = || live.children.iter().find(is_new).cloned();
    // A table may get another name before it is taken in, and a part of one be made a part of another.
    let by_part = || {
        let known: HashSet<&String> = entry.table.identity.parts.iter().collect();
        let others = || catalog.tables_of(&id.source).filter(|other| !is_behind(other)).map(|other| &other.table);
        let had =
            |table: &&Table, part| table.identity.own.as_ref() == Some(part) || table.identity.parts.contains(part);
        let mut came = live.identity.parts.iter().filter(|part| !known.contains(part));
        came.find_map(|part| {
            others().map(|table| &**table).find(|table| had(table, part)).map(|table| table.id.local())
        })
    };
    let child = by_name().or_else(by_part)?;
    let message = format!("`{}` has the rows of `{child}` now, too", id.local());
    Some(Change { code: "table_changed", message })
}

/// A part or a child that came after the catalog was made, and of which the configuration says more than of the table: what it
/// says of a part holds of the whole once `index` has seen it.
fn configured_by_name(entry: &Entry, live: &LiveRelation, catalog: &Catalog) -> Option<Change> {
    let id = &entry.table.id;
    let child_of = |name: &String| {
        let (schema, name) = name.split_once('.')?;
        Some(TableId { source: id.source.clone(), schema: Some(schema.to_owned()), name: name.to_owned() })
    };
    let known: HashSet<&TableId> = entry.table.partitions.iter().collect();
    let came = live.children.iter().filter_map(child_of);
    let mut came = came.filter(|child| !known.contains(child) && catalog.entry(child).is_none());
    let child = came.find(|child| entry.is_closed_further_as(child))?;
    let message = format!(
        "`{}` has the rows of `{}` since, of which the configuration lets less be used",
        id.local(),
        child.local()
    );
    Some(Change { code: "table_changed", message })
}

/// Another table that has this one's name now, and other masks. One that was made anew has the masks of its name, as rows have
/// that come later.
fn took_the_name(entry: &Entry, live: &LiveRelation, catalog: &Catalog) -> Option<Change> {
    let id = &entry.table.id;
    if entry.table.identity.own == live.identity.own {
        return None;
    }
    let now = Table { identity: live.identity.clone(), ..Table::clone(&entry.table) };
    let dialect = catalog.dialect(&id.source);
    let masked = |entry: &Entry| -> Vec<bool> { entry.exposures().iter().map(|it| it.mask().is_some()).collect() };
    let is_it =
        |other: &&Entry| other.table.id != *id && now.may_be(&other.table, dialect) && masked(other) != masked(entry);
    let other = catalog.tables_of(&id.source).find(is_it)?;
    let message = format!(
        "`{}` is another table now than it was, perhaps what was called `{}`, of which other columns are masked",
        id.local(),
        other.table.id.local()
    );
    Some(Change { code: "table_changed", message })
}

fn listed(names: &[&str]) -> String {
    let mut named: Vec<String> = names.iter().take(MOST_NAMED).map(|name| format!("`{name}`")).collect();
    if names.len() > MOST_NAMED {
        named.push(format!("{} more", names.len() - MOST_NAMED));
    }
    named.join(", ")
}
