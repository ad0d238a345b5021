//! The page of a source's business terms: a section a term, which people edit, add to, and approve proposals on.
//!
//! A section ends with a hash of what was written, so that an edit is told from what is only out of date. A section that
//! somebody deletes is written again: what is to go is marked as rejected.

use catalog::{Catalog, Store, Term, TermState};
use jiff::Timestamp;

use super::escape::{code, heading, heading_name};
use super::page::hash;
use super::reading::Fault;
use crate::error::DescribeError;
use crate::glossary::WrittenTerm;

/// The file of the page.
pub const GLOSSARY_FILE: &str = "_glossary.md";
/// What the page's title begins with; the source's name follows.
const TITLE: &str = "# Glossary: ";
const HASH: &str = "<!-- periplus:term ";
const HASH_END: &str = " -->";
/// Who approves what an edit says.
const EDITOR: &str = "an edit of the glossary's page";

const SYNONYMS: &str = "Also called";
const DEFINITION: &str = "Definition";
const TABLE: &str = "Table";
const EXPRESSION: &str = "Computed as";
const CONDITION: &str = "Rows that count";
const STATE: &str = "State";

const INTRODUCTION: &str = "What words mean here. Add a section for a term, or edit one: it counts from then on, in answers and \
in what agents are told. Terms that are proposed wait for you: change their state to `approved` or `rejected`.";

const EXAMPLE: &str = "    ## golden order\n    - **Also called:** gold order, top order\n    - **Definition:** an order of 1,000 \
dollars or more\n    - **Table:** orders\n    - **Rows that count:** `orders.total_cents >= 100000`\n";

/// The page.
pub(super) fn render(catalog: &Catalog, source: &str) -> String {
    let mut text = format!("{TITLE}{}\n\n{INTRODUCTION} So a term is written:\n\n{EXAMPLE}", heading(source));
    for term in catalog.all_terms().iter().filter(|term| term.source == source) {
        let section = section(term, catalog);
        text.push_str(&format!("\n## {section}\n{HASH}{}{HASH_END}\n", hash(section.trim_end())));
    }
    text
}

/// A section without the marks that begin its heading.
fn section(term: &Term, catalog: &Catalog) -> String {
    let mut text = format!("{}\n", heading(&term.name));
    let mut line = |label: &str, value: String| text.push_str(&format!("\n- **{label}:** {value}"));
    if !term.synonyms.is_empty() {
        let synonyms: Vec<String> = term.synonyms.iter().map(|synonym| heading(synonym)).collect();
        line(SYNONYMS, synonyms.join(", "));
    }
    term.definition.iter().for_each(|definition| line(DEFINITION, heading(definition)));
    term.table.iter().for_each(|table| line(TABLE, heading(&table.local())));
    term.expression.iter().for_each(|expression| line(EXPRESSION, code(expression)));
    term.condition.iter().for_each(|condition| line(CONDITION, code(condition)));
    let fault = catalog.fault_of(term).filter(|_| term.is_approved());
    let state = match (&term.state, fault) {
        (_, Some(fault)) => format!("not used: {}", heading(&fault.in_words())),
        (TermState::Proposed, _) => {
            let evidence = term.evidence.iter().map(|evidence| format!(": {}", heading(evidence))).collect::<String>();
            format!("proposed by {}{evidence}", term.origin.word())
        }
        (TermState::Approved { .. }, None) => format!("approved by {}", heading(&term.said_by())),
        (TermState::Rejected { .. }, None) => heading(&term.said_by()),
    };
    line(STATE, state);
    text.push('\n');
    text
}

/// A section that somebody edited or wrote.
#[derive(Debug, Default)]
struct Edited {
    line: usize,
    written: WrittenTerm,
    state: Option<String>,
}

/// The source whose page it is; `None` where it is no such page.
pub(super) fn source_of(text: &str) -> Option<String> {
    let title = text.lines().find_map(|line| line.strip_prefix(TITLE))?;
    Some(heading_name(title.trim()))
}

/// Whether something on the page was written by people and isn't in the catalog.
pub(super) fn is_edited(text: &str, catalog: &Catalog) -> bool {
    let (edits, faults) = edits(text);
    let source = source_of(text).unwrap_or_default();
    !faults.is_empty() || edits.into_iter().any(|edit| !matches!(term(edit, &source, catalog), Ok(None)))
}

/// Takes over what people changed. Says the names of the terms that are other ones now.
pub(super) fn take_over(
    text: &str,
    store: &Store,
    catalog: &Catalog,
) -> Result<(Vec<String>, Vec<Fault>), DescribeError> {
    let Some(source) = source_of(text) else { return Ok((Vec::new(), Vec::new())) };
    if catalog.source(&source).is_none() {
        let reason = format!("the catalog has no source `{source}`");
        return Ok((Vec::new(), vec![Fault { line: 1, reason }]));
    }
    let (edits, mut faults) = edits(text);
    let mut changed = Vec::new();
    for edit in edits {
        let (line, name) = (edit.line, edit.written.name.clone());
        match term(edit, &source, catalog) {
            Ok(Some(term)) => {
                store.put_term(&term)?;
                changed.push(name);
            }
            Ok(None) => {}
            Err(DescribeError::Term { reason, .. }) => faults.push(Fault { line, reason }),
            Err(error) => return Err(error),
        }
    }
    Ok((changed, faults))
}

/// The term that an edited section asks for; `None` where it says what is known.
fn term(edit: Edited, source: &str, catalog: &Catalog) -> Result<Option<Term>, DescribeError> {
    let is_it = |term: &&Term| term.source == source && term.key() == Term::key_of(&edit.written.name);
    let known = catalog.all_terms().iter().find(is_it).cloned();
    let state = edit.state.clone().unwrap_or_default();
    let made = edit.written.approved(source, EDITOR, catalog)?;
    let mut term = match &known {
        Some(known) => Term { origin: known.origin.clone(), evidence: known.evidence.clone(), ..made },
        None => made,
    };
    let is_other = known.as_ref().is_none_or(|known| WrittenTerm::of(known) != WrittenTerm::of(&term));
    if let (Some(known), false) = (known, is_other) {
        term = known;
    }
    let now = Timestamp::now();
    let approved = || TermState::Approved { by: EDITOR.to_owned(), at: Some(now) };
    term.state = match (state.as_str(), &term.state) {
        ("approved", TermState::Approved { .. }) if !is_other => return Ok(None),
        ("approved", _) => approved(),
        ("rejected", TermState::Rejected { .. }) if !is_other => return Ok(None),
        ("rejected", _) => TermState::Rejected { by: EDITOR.to_owned(), at: now },
        // Whoever writes a definition stands for it, whatever stood there.
        _ if is_other => approved(),
        _ => return Ok(None),
    };
    Ok(Some(term))
}

/// The sections that aren't as they were written, and what can't be understood.
fn edits(text: &str) -> (Vec<Edited>, Vec<Fault>) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    let (mut edits, mut faults) = (Vec::new(), Vec::new());
    let titles: Vec<String> = text
        .lines()
        .filter_map(|line| line.strip_prefix("## "))
        .map(|it| Term::key_of(&heading_name(it.trim())))
        .collect();
    let is_twice = |key: &str| titles.iter().filter(|title| *title == key).count() > 1;
    let mut lines = text.lines().enumerate().peekable();
    while let Some((at, line)) = lines.next() {
        let Some(title) = line.strip_prefix("## ") else { continue };
        let (mut section, mut was, mut is_faulty) = (format!("{title}\n"), None, false);
        let mut edit = Edited { line: at + 1, ..Edited::default() };
        edit.written.name = heading_name(title.trim());
        while let Some((at, line)) = lines.next_if(|(_, line)| !line.starts_with("## ")) {
            if let Some(found) = line.strip_prefix(HASH).and_then(|rest| rest.strip_suffix(HASH_END)) {
                was = Some(found.to_owned());
                break;
            }
            section.push_str(line);
            section.push('\n');
            if let Err(reason) = edit.take(line) {
                is_faulty = true;
                faults.push(Fault { line: at + 1, reason });
            }
        }
        let is_as_written = was.is_some_and(|was| was == hash(section.trim_end()));
        let key = Term::key_of(&edit.written.name);
        if is_twice(&key) {
            let reason = format!("`{}` stands on the page more than once", edit.written.name);
            faults.push(Fault { line: edit.line, reason });
        } else if !is_as_written && !is_faulty {
            edits.push(edit);
        }
    }
    (edits, faults)
}

impl Edited {
    /// Reads a line of a section.
    fn take(&mut self, line: &str) -> Result<(), String> {
        let item = line.trim().strip_prefix(['-', '*']).unwrap_or(line.trim()).trim_start();
        if item.is_empty() || item.starts_with("<!--") {
            return Ok(());
        }
        if item.starts_with('#') {
            return Err("a term has no headings below its own".to_owned());
        }
        let field = line.trim_start().starts_with(['-', '*']).then(|| item.trim_start_matches("**").split_once(':'));
        let Some((label, value)) = field.flatten() else {
            // Words without a label are what it means.
            let said = self.written.definition.get_or_insert_default();
            said.push_str(if said.is_empty() { "" } else { " " });
            said.push_str(&heading_name(item));
            return Ok(());
        };
        let value = value.trim_start_matches("**").trim();
        let text = || Some(heading_name(value)).filter(|text| !text.is_empty());
        let sql = || Some(value.trim_matches('`').trim().to_owned()).filter(|text| !text.is_empty());
        let label = label.trim().trim_end_matches("**").trim();
        let is = |names: &[&str]| names.iter().any(|name| label.eq_ignore_ascii_case(name));
        if is(&[SYNONYMS, "Synonyms", "Also"]) {
            self.written.synonyms = value.split([',', ';']).map(|it| heading_name(it.trim())).collect();
            self.written.synonyms.retain(|synonym| !synonym.is_empty());
        } else if is(&[DEFINITION]) {
            self.written.definition = text();
        } else if is(&[TABLE]) {
            self.written.table = text();
        } else if is(&[EXPRESSION, "Expression"]) {
            self.written.expression = sql();
        } else if is(&[CONDITION, "Condition"]) {
            self.written.condition = sql();
        } else if is(&[STATE]) {
            let word =
                value.split_whitespace().next().unwrap_or_default().trim_end_matches([':', ',', '.']).to_lowercase();
            if !["approved", "rejected", "proposed", "not"].contains(&word.as_str()) {
                return Err(format!("`{value}` is no state: write `approved` or `rejected`"));
            }
            self.state = Some(word);
        } else {
            let known = [SYNONYMS, DEFINITION, TABLE, EXPRESSION, CONDITION, STATE].join("`, `");
            return Err(format!("`{label}` isn't one of `{known}`"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use catalog::{Dialect, Source, Store, TermOrigin, TermState, UsedColumn};

    use super::{GLOSSARY_FILE, render};
    use crate::glossary::WrittenTerm;
    use crate::markdown::{Drift, check, read_back, write};

    fn shop() -> Store {
        let store = Store::in_memory().unwrap();
        store.put_source(&Source::new("s", Dialect::Sqlite, "sqlite:s.db")).unwrap();
        let table = testkit::table("s", "orders", &["id INTEGER", "total_cents INTEGER", "status TEXT"]);
        let catalog = testkit::catalog_from_tables(Dialect::Sqlite, "s", vec![table]);
        for entry in testkit::looked_at(&catalog).entries() {
            store.put_structure("s", std::slice::from_ref(&entry.table)).unwrap();
            store.put_profiled(&entry.table, entry.profile().unwrap()).unwrap();
        }
        let written = WrittenTerm {
            name: "Net #1 revenue".to_owned(),
            synonyms: vec!["turnover".to_owned()],
            definition: Some("what *is* left".to_owned()),
            table: Some("orders".to_owned()),
            expression: Some("sum(total_cents) / 100.0".to_owned()),
            condition: Some("status <> 'x`y'".to_owned()),
        };
        store.put_term(&written.approved("s", "ana", &store.catalog().unwrap()).unwrap()).unwrap();
        let proposed = WrittenTerm {
            name: "basket".to_owned(),
            table: Some("orders".to_owned()),
            expression: Some("avg(total_cents)".to_owned()),
            ..WrittenTerm::default()
        };
        let proposed = proposed.into_term("s", TermOrigin::Usage, TermState::Proposed, &store.catalog().unwrap());
        store.put_term(&proposed.unwrap()).unwrap();
        store
    }

    fn page(store: &Store) -> (tempfile::TempDir, PathBuf) {
        let holder = tempfile::tempdir().unwrap();
        write(&store.catalog().unwrap(), "s", holder.path()).unwrap();
        let page = holder.path().join(GLOSSARY_FILE);
        (holder, page)
    }

    fn edit(page: &std::path::Path, from: &str, to: &str) {
        let text = std::fs::read_to_string(page).unwrap();
        assert!(text.contains(from), "{text}");
        std::fs::write(page, text.replacen(from, to, 1)).unwrap();
    }

    #[test]
    fn a_page_that_nobody_edited_changes_nothing() {
        let store = shop();
        let (holder, _) = page(&store);
        let before = store.catalog().unwrap().all_terms().to_vec();
        let report = read_back(&store, holder.path()).unwrap();
        assert_eq!((report.terms, report.problems), (Vec::<String>::new(), Vec::new()));
        assert_eq!(store.catalog().unwrap().all_terms(), before);
        assert_eq!(check(&store.catalog().unwrap(), "s", holder.path()).unwrap(), []);
    }

    #[test]
    fn edits_count_and_proposals_are_approved() {
        let store = shop();
        let (holder, page) = page(&store);
        edit(&page, "turnover", "turnover, takings");
        edit(&page, "proposed by query logs", "approved");
        let text = std::fs::read_to_string(&page).unwrap();
        std::fs::write(&page, format!("{text}\n## golden order\nOrders of 1,000 or more.\n- **Table:** orders\n"))
            .unwrap();
        assert_eq!(check(&store.catalog().unwrap(), "s", holder.path()).unwrap(), [Drift::Edited(page.clone())]);
        let kept = write(&store.catalog().unwrap(), "s", holder.path()).unwrap().kept;
        assert_eq!(kept.len(), 1, "an edit that wasn't read is not written over");
        let report = read_back(&store, holder.path()).unwrap();
        assert_eq!(report.problems, []);
        assert_eq!(report.terms, ["basket", "Net #1 revenue", "golden order"]);
        let catalog = store.catalog().unwrap();
        let named = |name: &str| catalog.all_terms().iter().find(|term| term.name == name).unwrap();
        assert_eq!(named("Net #1 revenue").synonyms, ["turnover", "takings"]);
        assert_eq!(named("Net #1 revenue").condition.as_deref(), Some("status <> 'x`y'"));
        assert_eq!(named("basket").origin, TermOrigin::Usage);
        assert!(named("basket").is_approved());
        assert_eq!(named("golden order").definition.as_deref(), Some("Orders of 1,000 or more."));
        let columns = [("total_cents"), ("status")]
            .map(|column| UsedColumn { table: catalog::TableId::new("s", "orders"), column: column.to_owned() });
        assert_eq!(named("Net #1 revenue").columns, columns);
        write(&catalog, "s", holder.path()).unwrap();
        assert_eq!(std::fs::read_to_string(&page).unwrap(), render(&catalog, "s"));
    }

    #[test]
    fn a_page_that_nobody_edited_undoes_nothing_that_was_said_since() {
        let store = shop();
        let (holder, page) = page(&store);
        let catalog = store.catalog().unwrap();
        let written = WrittenTerm {
            name: "Net #1 revenue".to_owned(),
            definition: Some("newer".to_owned()),
            ..WrittenTerm::default()
        };
        store.put_term(&written.approved("s", "bo", &catalog).unwrap()).unwrap();
        store.remove_term("s", "basket").unwrap();
        assert_eq!(read_back(&store, holder.path()).unwrap().terms, Vec::<String>::new());
        let catalog = store.catalog().unwrap();
        assert!(matches!(check(&catalog, "s", holder.path()).unwrap().as_slice(), [Drift::Outdated { .. }]));
        assert_eq!(write(&catalog, "s", holder.path()).unwrap().kept, []);
        let text = std::fs::read_to_string(&page).unwrap();
        assert!(text.contains("newer") && !text.contains("basket"), "{text}");
        assert_eq!(catalog.all_terms().len(), 1);
    }

    #[test]
    fn a_section_with_a_fault_changes_nothing() {
        let store = shop();
        let (holder, page) = page(&store);
        let text = std::fs::read_to_string(&page).unwrap();
        let twice = "\n## basket\nAnother.\n\n## Basket\nYet another.\n";
        let rest = "\n## vip\n- **Condition**: `status = 1 AND`\n- **State:** maybe\n\n## tat\nTime.\n### More\n";
        std::fs::write(&page, format!("{text}{twice}{rest}")).unwrap();
        let before = store.catalog().unwrap().all_terms().to_vec();
        let report = read_back(&store, holder.path()).unwrap();
        let reasons: Vec<&str> = report.problems.iter().map(|problem| problem.reason.as_str()).collect();
        assert_eq!(reasons.len(), 5, "{reasons:?}");
        for part in ["more than once", "no state", "no headings"] {
            assert!(reasons.iter().any(|reason| reason.contains(part)), "{reasons:?}");
        }
        assert_eq!(store.catalog().unwrap().all_terms(), before);
    }

    #[test]
    fn what_cant_be_kept_is_said_with_its_line() {
        let store = shop();
        let (holder, page) = page(&store);
        edit(&page, "avg(total_cents)", "avg(totl_cents)");
        edit(&page, "- **Also called:** turnover", "- **Alias:** turnover");
        let report = read_back(&store, holder.path()).unwrap();
        let reasons: Vec<&str> = report.problems.iter().map(|problem| problem.reason.as_str()).collect();
        assert!(reasons[0].starts_with("`Alias` isn't one of"), "{reasons:?}");
        assert!(reasons[1].contains("no column totl_cents"), "{reasons:?}");
        let text = std::fs::read_to_string(&page).unwrap();
        let line = text.lines().position(|line| line.contains("Alias")).unwrap() + 1;
        assert_eq!(report.problems[0].line, line);
    }
}
