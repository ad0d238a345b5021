//! Descriptions by an agent that was asked to document the database: checked, and written over the rules' text.
//!
//! An agent knows the trade, and names and figures don't: that a `borrower` is a patron, that an `issue` is a loan. What it
//! writes goes to every later agent, so it is bounded, names only columns that exist, holds no personal value and nothing
//! that is worded like an instruction.
//!
//! Invariant: an agent's text stands until it or a person replaces it; neither rules nor a model write over it.

use std::collections::BTreeMap;

use catalog::nearest::nearest_names;
use catalog::{Author, Catalog, ColumnDescription, Entry, TableDescription};
use jiff::Timestamp;
use privacy::Form;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::rules::{by_rules, one_line};

/// Characters of the purpose, of what one row is, of one other name, and of a question or what a column holds.
const PURPOSE: usize = 400;
const ONE_ROW: usize = 120;
const OTHER_NAME: usize = 40;
const LINE: usize = 160;
/// Other names, and questions.
const OTHER_NAMES: usize = 8;
const QUESTIONS: usize = 6;
/// Columns that are suggested for one that isn't there.
const SUGGESTED: usize = 3;
/// Words of one value: `+41 44 668 18 00`.
const LONGEST_FORM: usize = 6;

/// What an agent writes about a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Written {
    /// Name from the batch
    pub table: String,
    /// What it holds and what for, in the trade's everyday words, at most 400 characters
    pub purpose: String,
    /// `one loan of an item to a borrower`, at most 120 characters
    pub one_row: String,
    /// What else people call these things: up to 8 of 40 characters
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also_called: Vec<String>,
    /// What people would ask it, in their words: up to 6 of 160 characters
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<String>,
    /// Only columns whose names don't say it: name to text of 160 characters
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub columns: BTreeMap<String, String>,
}

/// Why what an agent wrote isn't taken. [`Refused::code`] is stable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// It names a column that the table hasn't.
    #[error("the table has no column `{column}`")]
    UnknownColumn {
        /// As it was written.
        column: String,
        /// Columns with similar names, best first.
        suggestions: Vec<String>,
    },
    /// A text that is needed isn't there.
    #[error("`{field}` is empty")]
    Empty {
        /// Which.
        field: String,
    },
    /// A text or a list is longer than it may be.
    #[error("`{field}` has {length} {unit}; at most {most} are allowed")]
    TooLong {
        /// Which.
        field: String,
        /// How long it is.
        length: usize,
        /// How long it may be.
        most: usize,
        /// Of what.
        unit: &'static str,
    },
    /// A text holds something personal, such as an e-mail address.
    #[error("`{field}` holds what reads like {what} of somebody")]
    Personal {
        /// Which.
        field: String,
        /// What it looks like.
        what: &'static str,
    },
    /// A text reads like an instruction to whoever reads it.
    #[error("`{field}` is worded like an instruction")]
    Instruction {
        /// Which.
        field: String,
    },
}

impl Refused {
    /// A stable identifier for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownColumn { .. } => "unknown_column",
            Self::Empty { .. } => "empty_text",
            Self::TooLong { .. } => "text_too_long",
            Self::Personal { .. } => "personal_value",
            Self::Instruction { .. } => "worded_like_instructions",
        }
    }

    /// What to do.
    pub fn hint(&self) -> String {
        match self {
            Self::UnknownColumn { suggestions, .. } if suggestions.is_empty() => {
                "name columns as they stand in the batch".into()
            }
            Self::UnknownColumn { suggestions, .. } => format!("perhaps {}", suggestions.join(", ")),
            Self::Empty { .. } => "say it in a sentence".into(),
            Self::TooLong { .. } => "say it in fewer words".into(),
            Self::Personal { .. } => "describe what is stored without a value of it".into(),
            Self::Instruction { .. } => "say what the table holds, not what a reader has to do".into(),
        }
    }
}

/// What was taken of what an agent wrote.
#[derive(Clone, Debug, PartialEq)]
pub struct Taken {
    /// The description, to be stored.
    pub description: TableDescription,
    /// Columns whose text wasn't taken, since their values may not be shown and can't have been seen.
    pub masked: Vec<String>,
}

/// The description that an agent's words and the rules make together; `agent` is the name that its client gives itself.
///
/// # Errors
/// The first thing that keeps it from being taken.
pub fn by_agent(
    entry: &Entry,
    catalog: &Catalog,
    written: &Written,
    agent: &str,
    now: Timestamp,
) -> Result<Taken, Refused> {
    let purpose = text("purpose", &written.purpose, PURPOSE)?;
    let row_meaning = text("one_row", &written.one_row, ONE_ROW)?.trim_end_matches('.').to_owned();
    let also_called = texts("also_called", &written.also_called, OTHER_NAMES, OTHER_NAME)?;
    let questions = texts("questions", &written.questions, QUESTIONS, LINE)?;
    let mut described = by_rules(entry, catalog, now);
    let mut masked = Vec::new();
    for (name, said) in &written.columns {
        let Some(column) = entry.table.column(name) else {
            let names = entry.table.columns.iter().map(|column| column.name.as_str());
            let suggestions = nearest_names(name, names, SUGGESTED);
            return Err(Refused::UnknownColumn { column: one_line(name), suggestions });
        };
        let said = text(&format!("columns.{}", column.name), said, LINE)?;
        if entry.exposure(&column.name).mask().is_some() {
            masked.push(column.name.clone());
            continue;
        }
        let by_rules = described.columns.iter_mut().find(|known| known.column == column.name);
        if let Some(known) = by_rules {
            *known = ColumnDescription { description: said, is_authored: true, ..known.clone() };
        }
    }
    described.summary.clone_from(&purpose);
    let description = TableDescription {
        purpose,
        row_meaning,
        also_called,
        questions,
        // The rules' situations follow from names, and the agent's words say more.
        when_to_use: Vec::new(),
        author: Author::Agent(name_of(agent)),
        ..described
    };
    Ok(Taken { description, masked })
}

/// The name that a client gives itself, as a name: what it puts in brackets or behind a colon is none.
fn name_of(agent: &str) -> String {
    let is_of_name = |character: &char| character.is_alphanumeric() || matches!(character, ' ' | '-' | '_' | '.' | '/');
    let name: String = agent.chars().take_while(is_of_name).collect();
    match name.trim() {
        "" => "an agent".to_owned(),
        name => name.to_owned(),
    }
}

/// Whether an agent is asked to describe the table: neither a model or an agent has, from what the table is now, nor a
/// person.
pub fn lacks_description(entry: &Entry, catalog: &Catalog) -> bool {
    let is_current = |description: &TableDescription| description.basis == crate::basis(entry, catalog);
    // What is known speaks against it: its author is asked again.
    let is_contradicted = || {
        crate::contradictions(entry, catalog, &|_| Vec::new())
            .iter()
            .any(|it| it.author != crate::contradictions::PEOPLE)
    };
    entry.peoples_purpose().is_none() && (!entry.authored().is_some_and(is_current) || is_contradicted())
}

/// An agent's description of a table that has changed since: its words over what the rules say now. The basis stays, so that
/// the table comes up again. Where a column may not be shown now that could be seen then, there is none: its words could hold
/// values of it (see [`Entry::description`]).
pub(crate) fn carried_over(stored: &TableDescription, rules: TableDescription) -> TableDescription {
    let over = |by_rules: ColumnDescription| match stored.column(&by_rules.column).filter(|own| own.is_authored) {
        Some(own) => ColumnDescription { description: own.description.clone(), is_authored: true, ..by_rules },
        None => by_rules,
    };
    TableDescription {
        summary: stored.summary.clone(),
        purpose: stored.purpose.clone(),
        row_meaning: stored.row_meaning.clone(),
        also_called: stored.also_called.clone(),
        questions: stored.questions.clone(),
        when_to_use: stored.when_to_use.clone(),
        author: stored.author.clone(),
        written_at: stored.written_at,
        basis: stored.basis.clone(),
        columns: rules.columns.iter().cloned().map(over).collect(),
        ..rules
    }
}

/// The lines of a list, checked; empty ones are left out.
fn texts(field: &str, written: &[String], most: usize, characters: usize) -> Result<Vec<String>, Refused> {
    if written.len() > most {
        return Err(Refused::TooLong { field: field.to_owned(), length: written.len(), most, unit: "lines" });
    }
    let filled = written.iter().filter(|line| !line.trim().is_empty());
    filled.map(|line| text(field, line, characters)).collect()
}

/// The text on one line, checked.
fn text(field: &str, written: &str, most: usize) -> Result<String, Refused> {
    let field = field.to_owned();
    let line = one_line(written);
    let length = line.chars().count();
    if line.is_empty() {
        return Err(Refused::Empty { field });
    }
    if length > most {
        return Err(Refused::TooLong { field, length, most, unit: "characters" });
    }
    if let Some(form) = personal_form(&line) {
        return Err(Refused::Personal { field, what: named(form) });
    }
    if shown::reads_like_instructions(&line) {
        return Err(Refused::Instruction { field });
    }
    Ok(line)
}

/// The form of the first words that are personal wherever they stand.
fn personal_form(line: &str) -> Option<Form> {
    let around = |character: char| ",;:.!?()[]<>\"'`".contains(character);
    let words: Vec<&str> = line.split(' ').collect();
    (1..=LONGEST_FORM).flat_map(|length| words.windows(length)).find_map(|window| {
        let value = window.join(" ");
        // A plus and parentheses belong to telephone numbers.
        [value.as_str(), value.trim_matches(around)].iter().find_map(|value| Form::of(value))
    })
}

fn named(form: Form) -> &'static str {
    match form {
        Form::Email => "the e-mail address",
        Form::SocialSecurity => "the social security number",
        Form::Iban => "the account number",
        Form::CardNumber => "the card number",
        Form::PasswordHash => "the password",
        Form::Phone => "the telephone number",
    }
}

#[cfg(test)]
mod tests;
