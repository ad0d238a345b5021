//! `periplus terms`: what the words of a company mean here.

use std::process::ExitCode;

use catalog::{Catalog, Store, Term, TermState};
use describe::WrittenTerm;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::tables::shown;
use crate::args::{DefineArguments, TermsAction, TermsArguments};
use crate::diagnostics;
use crate::output::Output;
use crate::project::{Project, ProjectError, user};

pub(super) fn run(arguments: TermsArguments, project: &Project, output: &Output) -> anyhow::Result<ExitCode> {
    let Some(action) = arguments.action else {
        let source = arguments.source.as_deref().map(|name| project.source(Some(name))).transpose()?;
        list(&project.catalog()?, source.map(|source| source.id.as_str()), output);
        return Ok(ExitCode::SUCCESS);
    };
    let store = project.store()?;
    let source = project.source(arguments.source.as_deref())?.id.clone();
    let by = arguments.author.unwrap_or_else(user);
    match action {
        TermsAction::Define(said) => define(said, &source, &by, &store, &project.policy()?, output)?,
        TermsAction::Approve { names } => {
            let approved = || TermState::Approved { by: by.clone(), at: Some(Timestamp::now()) };
            decide(&names, &source, &approved, "counts from now on", &store, output)?;
        }
        TermsAction::Reject { names } => {
            let rejected = || TermState::Rejected { by: by.clone(), at: Timestamp::now() };
            decide(&names, &source, &rejected, "is not used, and not proposed again", &store, output)?;
        }
        TermsAction::Forget { names } => forget(&names, &source, &store, output)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn define(
    said: DefineArguments,
    source: &str,
    by: &str,
    store: &Store,
    policy: &guard::Policy,
    output: &Output,
) -> anyhow::Result<()> {
    let catalog = store.catalog()?;
    let known = store.term(source, &said.name)?;
    // What somebody rejected is no better for a synonym.
    let before = known.as_ref().filter(|term| !matches!(term.state, TermState::Rejected { .. })).map(WrittenTerm::of);
    let before = before.unwrap_or_default();
    let mut synonyms = before.synonyms;
    synonyms.extend(said.synonyms);
    let written = WrittenTerm {
        name: said.name,
        synonyms,
        definition: said.definition.or(before.definition),
        table: said.table.or(before.table),
        expression: said.expression.or(before.expression),
        condition: said.condition.or(before.condition),
    };
    let term = written.approved(source, by, &catalog)?;
    store.put_term(&term)?;
    let shown = |id: &catalog::TableId| shown(&catalog, id);
    output.either(&term, format!("`{}` means: {}", term.name, term.meaning(&shown)));
    for finding in doubts(&term, &catalog, policy) {
        diagnostics::note(&format!("warning: {}", finding.message));
    }
    Ok(())
}

/// What a statement that computes the term would be warned of.
fn doubts(term: &Term, catalog: &Catalog, policy: &guard::Policy) -> Vec<guard::Finding> {
    let Some(table) = &term.table else { return Vec::new() };
    let dialect = catalog.dialect(&term.source);
    let mut sql =
        format!("SELECT {}\nFROM {}", term.expression.as_deref().unwrap_or("count(*)"), table.written(dialect));
    term.condition.iter().for_each(|condition| sql.push_str(&format!("\nWHERE {condition}")));
    let verdict = guard::check(&sql, catalog, &term.source, policy, None);
    verdict.findings.into_iter().filter(|finding| finding.severity >= guard::Severity::Warning).collect()
}

fn decide(
    names: &[String],
    source: &str,
    state: &dyn Fn() -> TermState,
    what: &str,
    store: &Store,
    output: &Output,
) -> anyhow::Result<()> {
    // All or none: whoever mistypes one of several finds nothing half done.
    let found: Vec<Term> = names.iter().map(|name| named(name, source, store)).collect::<Result<_, _>>()?;
    let catalog = store.catalog()?;
    let decided: Vec<Term> = found.into_iter().map(|term| Term { state: state(), ..term }).collect();
    for term in &decided {
        store.put_term(term)?;
        let fault = catalog.fault_of(term).filter(|_| term.is_approved());
        let fault = fault.map(|fault| format!(", but isn't used: {}", fault.in_words())).unwrap_or_default();
        output.line(format!("`{}` {what}{fault}.", term.name));
    }
    output.json(&decided);
    Ok(())
}

fn forget(names: &[String], source: &str, store: &Store, output: &Output) -> anyhow::Result<()> {
    let found: Vec<Term> = names.iter().map(|name| named(name, source, store)).collect::<Result<_, _>>()?;
    for term in &found {
        store.remove_term(source, &term.name)?;
        output.line(format!("`{}` is forgotten.", term.name));
    }
    output.json(&json!({"forgotten": found.iter().map(|term| &term.name).collect::<Vec<_>>()}));
    Ok(())
}

/// The term that somebody means, by its name or another of its names.
fn named(name: &str, source: &str, store: &Store) -> anyhow::Result<Term> {
    if let Some(term) = store.term(source, name)? {
        return Ok(term);
    }
    let catalog = store.catalog()?;
    let of_source = || catalog.all_terms().iter().filter(|term| term.source == source);
    // As a result of a statement is called.
    let spoken = name.replace('_', " ");
    let is_it = |term: &&Term| {
        let keys = [Term::key_of(name), Term::key_of(&spoken)];
        term.names().any(|known| keys.contains(&Term::key_of(known)))
    };
    match of_source().find(is_it) {
        Some(term) => Ok(term.clone()),
        None => {
            let known = of_source().map(|term| term.name.clone()).collect();
            Err(ProjectError::UnknownTerm { name: name.to_owned(), known }.into())
        }
    }
}

fn list(catalog: &Catalog, source: Option<&str>, output: &Output) {
    let terms: Vec<&Term> =
        catalog.all_terms().iter().filter(|term| source.is_none_or(|source| term.source == source)).collect();
    output.json(&terms.iter().map(|term| document(term, catalog)).collect::<Vec<_>>());
    let several = catalog.sources().len() > 1;
    let counted = |term: &&Term| term.is_approved() && catalog.fault_of(term).is_none();
    let is_proposed = |term: &&Term| term.state == TermState::Proposed;
    let is_broken = |term: &&Term| term.is_approved() && catalog.fault_of(term).is_some();
    let is_rejected = |term: &&Term| matches!(term.state, TermState::Rejected { .. });
    let section = |title: &str, is_in: &dyn Fn(&&Term) -> bool| {
        let lines: Vec<String> =
            terms.iter().copied().filter(|term| is_in(term)).map(|term| line(term, several, catalog)).collect();
        if !lines.is_empty() {
            output.line(format!("{title}\n{}", lines.join("\n")));
        }
    };
    section("in use", &counted);
    section("not used: what they are computed from is gone, or may not be shown", &is_broken);
    section(
        "proposed: `periplus terms approve NAME`, `reject NAME`, or `define NAME …` to say it better",
        &is_proposed,
    );
    section("rejected", &is_rejected);
    if terms.is_empty() {
        output.line("No term is defined. `periplus terms define NAME --definition \"…\"` defines one; `periplus manual glossary` says more.");
    }
}

/// `  revenue, also turnover: sum(total_cents) / 100.0 of orders (ana, 2026-11-28)`.
fn line(term: &Term, several: bool, catalog: &Catalog) -> String {
    let also = match term.synonyms.as_slice() {
        [] => String::new(),
        names => format!(", also {}", names.join(", ")),
    };
    let source = if several { format!("{}: ", term.source) } else { String::new() };
    let fault = catalog.fault_of(term).map(|fault| format!("; {}", fault.in_words())).unwrap_or_default();
    let who = match (&term.state, &term.evidence) {
        (TermState::Proposed, Some(evidence)) => evidence.clone(),
        (TermState::Proposed, None) => term.origin.word().to_owned(),
        _ => term.said_by(),
    };
    format!("  {source}{}{also}: {} ({who}{fault})", term.name, term.meaning(&|id| shown(catalog, id)))
}

fn document(term: &Term, catalog: &Catalog) -> Value {
    let mut document = json!(term);
    document["fault"] = json!(catalog.fault_of(term));
    document["meaning"] = json!(term.meaning(&|id| shown(catalog, id)));
    document
}
