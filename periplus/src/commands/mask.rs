//! `periplus mask`: what people say of columns. It is kept with who said it and when, and holds until they say otherwise.

mod advice;
mod grants;

use std::process::ExitCode;

use catalog::nearest::nearest_names;
use catalog::{Catalog, Decision, Entry, Exposure, MaskedBy, Ruling, Store, TableId, UNEXAMINED, ValueForm};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::args::MaskArguments;
use crate::output::{self, Output};
use crate::project::{Project, ProjectError, user};

pub(super) async fn run(arguments: &MaskArguments, project: &Project, output: &Output) -> anyhow::Result<ExitCode> {
    let catalog = project.catalog()?;
    if let Some(role) = &arguments.grants {
        let source = project.source(arguments.source.as_deref())?;
        let Some(statements) = grants::grants(&catalog, &source.id, database_of(&source.dsn), role) else {
            let dialect = catalog.dialect(&source.id).to_string();
            return Err(ProjectError::NoPrivileges { dialect }.into());
        };
        output.json(&json!({ "statements": statements }));
        if !output.is_json() {
            output.export(&statements);
        }
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.with_model {
        return advice::run(arguments, &catalog, project, output).await;
    }
    if arguments.columns.is_empty() {
        list(&catalog, arguments.source.as_deref(), output);
        return Ok(ExitCode::SUCCESS);
    }
    let mut found: Vec<(TableId, String)> = Vec::new();
    for name in &arguments.columns {
        let is_pattern = name.contains('*');
        for column in columns(&catalog, name, arguments.source.as_deref())? {
            // A pattern releases what is masked: of what is open nothing is said that would hold against later finds.
            let is_meant = !(is_pattern && arguments.release) || is_masked(&catalog, &column);
            if is_meant && !found.contains(&column) {
                found.push(column);
            }
        }
    }
    drop(catalog);
    if found.is_empty() {
        output.either(&json!({ "released": [], "still_masked": [] }), "nothing of that name is masked");
        return Ok(ExitCode::SUCCESS);
    }
    let decision = match (arguments.release, arguments.undo) {
        (true, _) => Decision::Release,
        (false, true) => Decision::Withdraw,
        (false, false) => Decision::Mask,
    };
    let reasoned = found.into_iter().map(|column| (column, arguments.why.clone())).collect();
    hold(reasoned, decision, project, output)
}

/// Keeps what was decided of these columns, each with why, and says what came of it.
fn hold(
    columns: Vec<((TableId, String), Option<String>)>,
    decision: Decision,
    project: &Project,
    output: &Output,
) -> anyhow::Result<ExitCode> {
    let store = project.store()?;
    let (by, at) = (user(), Timestamp::now());
    let ruling = |((table, column), why): &((TableId, String), Option<String>)| {
        (table.clone(), Ruling { column: column.clone(), decision, by: by.clone(), at, why: why.clone() })
    };
    let known = match decision {
        Decision::Mask => known_values(&store.catalog()?, columns.iter().map(|(column, _)| column)),
        Decision::Release | Decision::Withdraw => Vec::new(),
    };
    store.add_rulings(&columns.iter().map(ruling).collect::<Vec<_>>())?;
    let found: Vec<(TableId, String)> = columns.into_iter().map(|(column, _)| column).collect();
    let masked = without_masked_values(&store, &found)?;
    let rewritten = forget_texts(project, &store, &known)?;
    super::index::erase_removed(project, output)?;
    let name = |(table, column): &(TableId, String)| format!("{}.{column}", table.local());
    let (closed, open): (Vec<_>, Vec<_>) = found.iter().partition(|it| masked.contains(it));
    let [closed, open] = [closed, open].map(|columns| columns.into_iter().map(name).collect::<Vec<String>>());
    let (follows, stays, done, not_done, state, setting) = match decision {
        Decision::Release => (open, closed, "released", "still_masked", "masked", "sensitive"),
        Decision::Mask => (closed, open, "masked", "still_open", "open", "not_sensitive"),
        Decision::Withdraw => {
            output.json(&json!({ "masked": closed, "open": open }));
            for (names, state) in [(closed, "masked"), (open, "open")].iter().filter(|(names, _)| !names.is_empty()) {
                output.line(format!("{state}, as the rules say: {}", names.join(", ")));
            }
            output.line(AFTERWARDS);
            return Ok(ExitCode::SUCCESS);
        }
    };
    output.json(&json!({ done: follows, not_done: stays }));
    if !follows.is_empty() {
        output.line(format!("{done}: {}", follows.join(", ")));
    }
    let namesakes = if decision == Decision::Mask { open_namesakes(&store.catalog()?, &found) } else { Vec::new() };
    if !namesakes.is_empty() {
        output.line(format!(
            "of the same name and open: {}{}; mask them too where they hold the same",
            namesakes.iter().take(MOST_NAMED).map(String::as_str).collect::<Vec<_>>().join(", "),
            if namesakes.len() > MOST_NAMED { ", …" } else { "" }
        ));
    }
    for name in &stays {
        output.line(format!(
            "{name} stays {state}: the configuration's [profile] {setting} comes before people. What you said is kept, and \
             holds once that is changed"
        ));
    }
    if !rewritten.is_empty() {
        output
            .line(format!("taken out, since they could hold its values: what was written of {}", rewritten.join(", ")));
    }
    if !follows.is_empty() {
        output.line(AFTERWARDS);
    }
    Ok(if stays.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The database that a server's address names; ClickHouse's own where it names none.
fn database_of(dsn: &str) -> &str {
    let place = dsn.split_once("://").map_or(dsn, |(_, place)| place);
    let place = place.split(['?', '#']).next().unwrap_or_default();
    let named = place.split_once('/').map(|(_, database)| database);
    named.filter(|database| !database.is_empty()).unwrap_or("default")
}

const AFTERWARDS: &str = "`periplus index` brings descriptions, the search index and the Markdown in line with it.";

/// Takes what is masked by now out of the profiles of these tables, and has those profiled again that have open columns among
/// these; says which of the columns are masked.
fn without_masked_values(store: &Store, columns: &[(TableId, String)]) -> anyhow::Result<Vec<(TableId, String)>> {
    let catalog = store.catalog()?;
    let mut masked = Vec::new();
    for (table, column) in columns {
        let Some(entry) = catalog.entry(table) else { continue };
        let is_masked = entry.exposure(column).mask().is_some();
        if let Some(profile) = entry.profile() {
            let mut profile = profile.clone();
            // What is open now has lost its values when it was masked: the next run looks at the table again.
            if !is_masked {
                profile.fingerprint.clear();
            }
            store.put_profile(&profile)?;
        }
        if is_masked {
            masked.push((table.clone(), column.clone()));
        }
    }
    Ok(masked)
}

/// A value shorter than this stands in texts by chance.
const TELLING_LETTERS: usize = 4;

/// What the catalog knows of the values of these columns, in lower case.
fn known_values<'c>(catalog: &Catalog, columns: impl Iterator<Item = &'c (TableId, String)>) -> Vec<String> {
    let mut known = Vec::new();
    for (table, column) in columns {
        let Some(profile) = catalog.entry(table).and_then(|entry| entry.profile()) else { continue };
        let place = profile.columns.iter().position(|it| it.column == *column);
        let shown = profile.sample_rows.iter().filter_map(|row| row.get(place?)?.as_deref());
        let figures = profile.column(column).into_iter().flat_map(|figures| {
            let ends = figures.min.iter().chain(&figures.max);
            ends.chain(figures.values.as_slice()).chain(figures.most_common.iter().map(|common| &common.value))
        });
        let form = profile.column(column).and_then(|figures| figures.pattern.as_ref()).map(|pattern| &pattern.form);
        let shape = match form {
            Some(ValueForm::Shape(shape)) => shape.split(['{', '}']).step_by(2).collect(),
            _ => Vec::new(),
        };
        let values = figures.map(String::as_str).chain(shown).chain(shape);
        let values = values.filter(|value| value.chars().count() >= TELLING_LETTERS);
        known.extend(values.map(str::to_lowercase));
    }
    known.sort_unstable();
    known.dedup();
    known
}

/// Takes out texts that may hold what is masked now: descriptions whose author saw it, texts by agents that wait for
/// approval, and what was written of other tables where one of the known values stands in it. Says of which tables agents or
/// models had written.
fn forget_texts(project: &Project, store: &Store, known: &[String]) -> anyhow::Result<Vec<String>> {
    let holds = |text: &str| {
        let text = text.to_lowercase();
        known.iter().any(|value| text.contains(value.as_str()))
    };
    let catalog = store.catalog()?;
    let (mut forgotten, mut authored) = (Vec::new(), Vec::new());
    for entry in catalog.entries() {
        let Some(stored) = entry.stored_description() else { continue };
        let told = entry.description().is_none()
            || (!known.is_empty() && holds(&serde_json::to_string(stored).unwrap_or_default()));
        if told {
            forgotten.push(entry.table.id.clone());
            if stored.is_authored() {
                authored.push(entry.table.id.local());
            }
        }
    }
    store.forget_descriptions(&forgotten)?;
    let folder = project.proposals_folder();
    for proposal in describe::proposals(&folder)?.proposals {
        let closed = catalog.entry(&proposal.table).is_some_and(|entry| !proposal.may_be_shown(entry));
        if closed || (!known.is_empty() && holds(&serde_json::to_string(&proposal.written).unwrap_or_default())) {
            describe::withdraw(&folder, &proposal.table)?;
            authored.push(proposal.table.local());
        }
    }
    Ok(authored)
}

fn is_masked(catalog: &Catalog, (table, column): &(TableId, String)) -> bool {
    catalog.entry(table).is_some_and(|entry| entry.exposure(column).mask().is_some())
}

/// Names that are listed at most.
const MOST_NAMED: usize = 5;

/// `TABLE.COLUMN` of every column.
fn column_names(catalog: &Catalog, source: Option<&str>) -> impl Iterator<Item = String> {
    let entries = catalog.entries().iter().map(|entry| &entry.table);
    let wanted = entries.filter(move |table| source.is_none_or(|source| table.id.source == source));
    wanted.flat_map(|table| table.columns.iter().map(|column| format!("{}.{}", table.id.local(), column.name)))
}

/// Open columns of other tables of the source that are called as one of these: copies of them, perhaps.
fn open_namesakes(catalog: &Catalog, masked: &[(TableId, String)]) -> Vec<String> {
    let is_namesake = |entry: &Entry, column: &str| {
        masked.iter().any(|(table, name)| {
            name == column
                && table.source == entry.table.id.source
                && !is_word_of_many(column)
                && *table != entry.table.id
        })
    };
    let open = |entry: &Entry, column: &str| *entry.exposure(column) == Exposure::Open;
    let all =
        catalog.entries().iter().flat_map(|entry| entry.table.columns.iter().map(move |it| (entry, it.name.as_str())));
    let found = all.filter(|(entry, column)| is_namesake(entry, column) && open(entry, column));
    found.map(|(entry, column)| format!("{}.{column}", entry.table.id.local())).collect()
}

/// Whether a name says nothing of what a column holds.
fn is_word_of_many(name: &str) -> bool {
    ["id", "name", "code", "type", "status", "state", "value", "description", "date"]
        .contains(&name.to_ascii_lowercase().as_str())
}

/// The columns that `TABLE.COLUMN` names: one, or all that match where there is a `*` in it.
fn columns(catalog: &Catalog, name: &str, source: Option<&str>) -> Result<Vec<(TableId, String)>, ProjectError> {
    let unknown = || {
        let names: Vec<String> = column_names(catalog, source).collect();
        let end = format!(".{name}");
        let mut near: Vec<String> =
            names.iter().filter(|full| full.ends_with(&end)).take(MOST_NAMED).cloned().collect();
        if near.is_empty() {
            near = nearest_names(name, names.iter().map(String::as_str), MOST_NAMED);
        }
        ProjectError::UnknownColumn { name: name.to_owned(), near: near.join(", ") }
    };
    if name.contains('*') {
        let matches = |id: &TableId, column: &str| {
            let names = [id.local(), id.name.clone()].map(|table| format!("{table}.{column}"));
            // `stores.*` means the columns of a table, and no schema of that name.
            let parts = |name: &str| name.matches('.').count();
            names.iter().any(|full| words::matches_glob(name, full) && parts(full) == parts(name))
        };
        let entries = catalog.entries().iter().map(|entry| &entry.table);
        let wanted = entries.filter(|table| source.is_none_or(|source| table.id.source == source));
        let named = wanted.flat_map(|table| table.columns.iter().map(move |column| (&table.id, &column.name)));
        let found: Vec<_> = named
            .filter(|(table, column)| matches(table, column))
            .map(|(table, column)| (table.clone(), column.clone()))
            .collect();
        return if found.is_empty() { Err(unknown()) } else { Ok(found) };
    }
    let (table, column) = name.rsplit_once('.').ok_or_else(unknown)?;
    match catalog.find(table, source).as_slice() {
        [] => Err(unknown()),
        [only] => {
            // What people said of a column outlives it, and can be taken back.
            let said = || only.rulings().and_then(|said| said.0.iter().find(|ruling| ruling.column == column));
            let there = only.table.column(column).map(|it| &it.name).or_else(|| Some(&said()?.column));
            Ok(vec![(only.table.id.clone(), there.ok_or_else(unknown)?.clone())])
        }
        several => {
            let known = several.iter().map(|entry| entry.table.id.to_string()).collect::<Vec<_>>().join(", ");
            Err(ProjectError::WhichTable { name: table.to_owned(), known })
        }
    }
}

fn list(catalog: &Catalog, source: Option<&str>, output: &Output) {
    let mut documents: Vec<Value> = Vec::new();
    let mut rows = Vec::new();
    let mut released = 0;
    let entries = catalog.entries().iter().filter(|entry| source.is_none_or(|source| entry.table.id.source == source));
    for entry in entries {
        for (column, exposure) in entry.table.columns.iter().zip(entry.exposures()) {
            let who = entry.rulings().and_then(|rulings| rulings.of(&entry.table, &column.name));
            let (state, why, by, confidence) = match (exposure, who) {
                (Exposure::Open, None) => continue,
                (Exposure::Open, Some(ruling)) => ("released", said(ruling), Value::Null, None),
                (Exposure::Masked(mask), who) => {
                    let why = who.filter(|_| mask.by == MaskedBy::Person).map_or_else(|| mask.reason.clone(), said);
                    ("masked", why, json!(mask.by), Some(mask.confidence))
                }
                (Exposure::Unexamined, _) => ("masked", UNEXAMINED.to_owned(), Value::Null, None),
            };
            released += usize::from(state == "released");
            let name = format!("{}.{}", entry.table.id.local(), column.name);
            documents.push(json!({
                "source": entry.table.id.source, "column": name, "state": state, "why": why, "by": by,
                "confidence": confidence, "ruling": who,
            }));
            rows.push(vec![entry.table.id.source.clone(), name, state.to_owned(), why]);
        }
    }
    output.json(&documents);
    let masked = rows.len() - released;
    output.line(output::table(&["source", "column", "state", "why"].map(str::to_owned), rows));
    output.line(match released {
        0 => format!("{masked} columns are masked"),
        _ => format!("{masked} columns are masked, {released} were released by people"),
    });
}

/// Who said it, when and why, in words.
fn said(ruling: &Ruling) -> String {
    let what = match ruling.decision {
        Decision::Release => "released",
        Decision::Mask => "masked",
        Decision::Withdraw => "left to the rules",
    };
    let why = ruling.why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
    format!("{what} by {} on {}{why}", ruling.by, ruling.at.strftime("%Y-%m-%d"))
}

#[cfg(test)]
mod tests {
    use super::database_of;

    #[test]
    fn a_database_is_told_by_its_address() {
        for (dsn, expected) in [
            ("mysql://reader:p%2Fw@db.example:3306/sales?ssl-mode=required", "sales"),
            ("clickhouse://default@127.0.0.1:8123/events", "events"),
            ("clickhouse://127.0.0.1:8123", "default"),
            ("clickhouse://127.0.0.1:8123/?secure=true", "default"),
        ] {
            assert_eq!(database_of(dsn), expected, "{dsn}");
        }
    }
}
