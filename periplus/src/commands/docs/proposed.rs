//! `periplus docs proposed`, `accept` and `reject`: what agents wrote of tables and a person has to approve.

use std::process::ExitCode;

use describe::{Proposal, Waiting};
use serde_json::{Value, json};

use crate::args::ProposedTables;
use crate::output::Output;
use crate::project::{Project, ProjectError};

pub(super) fn list(project: &Project, output: &Output) -> anyhow::Result<ExitCode> {
    let (waiting, catalog) = (describe::proposals(&project.proposals_folder())?, project.catalog()?);
    let is_shown =
        |proposal: &Proposal| catalog.entry(&proposal.table).is_none_or(|entry| proposal.may_be_shown(entry));
    let documents: Vec<Value> = waiting.proposals.iter().map(|it| document(it, is_shown(it))).collect();
    output.json(&json!({"proposed": documents, "unreadable": unreadable(&waiting)}));
    output.may_be_long();
    for proposal in &waiting.proposals {
        match is_shown(proposal) {
            true => output.line(text(proposal)),
            false => output.line(format!("{}\n  {OVERTAKEN}", head(proposal))),
        }
    }
    for (path, why) in &waiting.unreadable {
        output.line(format!("can't be read: {}: {why}", path.display()));
    }
    match waiting.proposals.len() {
        0 => output.say("nothing waits for approval"),
        _ => output.say("`periplus docs accept TABLE …` takes them over, `periplus docs reject TABLE …` discards them; --all means all"),
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn accept(project: &Project, tables: &ProposedTables, output: &Output) -> anyhow::Result<ExitCode> {
    let (folder, store) = (project.proposals_folder(), project.store()?);
    let (mut accepted, mut refused) = (Vec::new(), Vec::new());
    for proposal in chosen(project, tables)? {
        let catalog = store.catalog()?;
        // The table may have changed since, and what may be shown of it.
        let taken = match catalog.entry(&proposal.table) {
            Some(entry) if !proposal.may_be_shown(entry) => Err(OVERTAKEN.to_owned()),
            Some(entry) => describe::by_agent(entry, &catalog, &proposal.written, &proposal.agent, proposal.at)
                .map_err(|refused| format!("{refused}; {}", refused.hint())),
            None => Err("there is no such table any more".to_owned()),
        };
        match taken {
            Ok(taken) => {
                store.put_description(&taken.description)?;
                describe::withdraw(&folder, &proposal.table)?;
                accepted.push(proposal.table.to_string());
            }
            Err(reason) => refused.push((proposal.table.to_string(), reason)),
        }
    }
    // A question asked next finds the texts.
    let catalog = store.catalog()?;
    project.index(&catalog)?;
    super::write_again(project, &catalog)?;
    let failed: Vec<Value> = refused.iter().map(|(table, reason)| json!({"table": table, "reason": reason})).collect();
    output.json(&json!({"accepted": accepted, "not_accepted": failed}));
    accepted.iter().for_each(|table| output.line(format!("accepted: {table}")));
    for (table, reason) in &refused {
        output.line(format!("not accepted: {table}: {reason}; `periplus docs reject {table}` discards it"));
    }
    Ok(if refused.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

pub(super) fn reject(project: &Project, tables: &ProposedTables, output: &Output) -> anyhow::Result<ExitCode> {
    let mut rejected = Vec::new();
    for proposal in chosen(project, tables)? {
        describe::withdraw(&project.proposals_folder(), &proposal.table)?;
        rejected.push(proposal.table.to_string());
    }
    output.json(&json!({"rejected": rejected}));
    rejected.iter().for_each(|table| output.line(format!("rejected: {table}")));
    Ok(ExitCode::SUCCESS)
}

/// The proposals for these tables, or all.
fn chosen(project: &Project, tables: &ProposedTables) -> anyhow::Result<Vec<Proposal>> {
    let mut waiting = describe::proposals(&project.proposals_folder())?.proposals;
    if tables.all {
        return Ok(waiting);
    }
    let mut chosen = Vec::new();
    for name in &tables.tables {
        let is_it = |proposal: &Proposal| {
            let id = &proposal.table;
            [id.to_string(), id.local(), id.name.clone()].iter().any(|own| own.eq_ignore_ascii_case(name))
        };
        let Some(place) = waiting.iter().position(is_it) else {
            let known: Vec<String> = waiting.iter().map(|proposal| proposal.table.to_string()).collect();
            return Err(ProjectError::NothingProposed { name: name.clone(), known: known.join(", ") }.into());
        };
        chosen.push(waiting.remove(place));
    }
    Ok(chosen)
}

/// Why a text isn't taken that an agent wrote when it could see more.
const OVERTAKEN: &str =
    "a column was masked after this was written, and its values may stand in it; have it written again";

fn unreadable(waiting: &Waiting) -> Vec<Value> {
    waiting.unreadable.iter().map(|(path, why)| json!({"file": path, "why": why})).collect()
}

fn document(proposal: &Proposal, is_shown: bool) -> Value {
    let Proposal { table, written, agent, at, .. } = proposal;
    let written = if is_shown { json!(written) } else { Value::Null };
    let withheld = (!is_shown).then_some(OVERTAKEN);
    json!({"table": table.to_string(), "agent": agent, "at": at.to_string(), "written": written, "withheld": withheld})
}

fn head(proposal: &Proposal) -> String {
    format!(
        "{} (by the agent \u{201c}{}\u{201d}, {})",
        proposal.table,
        proposal.agent,
        proposal.at.strftime("%Y-%m-%d")
    )
}

fn text(proposal: &Proposal) -> String {
    let written = &proposal.written;
    let mut text = format!("{}\n  {}", head(proposal), written.purpose);
    text.push_str(&format!("\n  one row: {}", written.one_row));
    if !written.also_called.is_empty() {
        text.push_str(&format!("\n  also called: {}", written.also_called.join(", ")));
    }
    written.questions.iter().for_each(|question| text.push_str(&format!("\n  question: {question}")));
    written.columns.iter().for_each(|(column, said)| text.push_str(&format!("\n  {column}: {said}")));
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;

    use catalog::{Author, Column, Dialect, Source, Table, TableId};
    use describe::Written;
    use jiff::Timestamp;

    use super::*;
    use crate::config::Config;

    fn proposal(name: &str, column: &str) -> Proposal {
        let written = Written {
            table: name.into(),
            purpose: format!("What {name} is for."),
            one_row: "one of them".into(),
            columns: [(column.to_owned(), "what it holds".to_owned())].into(),
            ..Written::default()
        };
        let (table, agent) = (TableId::new("s", name), "test-agent".into());
        Proposal { table, written, agent, at: Timestamp::UNIX_EPOCH, basis: String::new(), unseen: vec!["x".into()] }
    }

    fn tables(names: &[&str]) -> ProposedTables {
        ProposedTables { tables: names.iter().map(|name| (*name).to_owned()).collect(), all: names.is_empty() }
    }

    #[test]
    fn what_waits_is_accepted_or_rejected_by_name() {
        let holder = tempfile::tempdir().unwrap();
        let project = Project { root: holder.path().to_owned(), config: Config::default(), text: None };
        fs::create_dir_all(project.state_folder()).unwrap();
        let store = project.store().unwrap();
        store.put_source(&Source::new("s", Dialect::Sqlite, "sqlite:s.db")).unwrap();
        let of_name =
            |name: &str| Table { columns: vec![Column::new("x", "TEXT")], ..Table::new(TableId::new("s", name)) };
        store.put_structure("s", &[of_name("loans"), of_name("old"), of_name("changed"), of_name("masked")]).unwrap();
        let folder = project.proposals_folder();
        let overtaken = Proposal { unseen: Vec::new(), ..proposal("masked", "x") };
        for proposal in [proposal("loans", "x"), proposal("old", "x"), proposal("changed", "gone"), overtaken] {
            describe::propose(&folder, &proposal).unwrap();
        }
        let output = Output::new(true);
        assert_eq!(list(&project, &output).unwrap(), ExitCode::SUCCESS);

        let unknown = accept(&project, &tables(&["lones"]), &output).unwrap_err();
        assert_eq!(unknown.downcast_ref::<ProjectError>().unwrap().code(), "nothing_proposed");
        assert_eq!(accept(&project, &tables(&["LOANS"]), &output).unwrap(), ExitCode::SUCCESS);
        assert_eq!(reject(&project, &tables(&["s.old"]), &output).unwrap(), ExitCode::SUCCESS);
        assert_eq!(
            accept(&project, &tables(&[]), &output).unwrap(),
            ExitCode::FAILURE,
            "it names a column that is gone"
        );

        let waiting = describe::proposals(&folder).unwrap().proposals;
        assert_eq!(waiting.iter().map(|it| it.table.name.as_str()).collect::<Vec<_>>(), ["changed", "masked"]);
        let catalog = store.catalog().unwrap();
        let author = |name: &str| {
            let entry = catalog.entry(&TableId::new("s", name)).unwrap();
            entry.description().map(|description| description.author.clone())
        };
        assert_eq!(author("loans"), Some(Author::Agent("test-agent".into())));
        assert_eq!(author("old"), None);
    }
}
