//! The first prompt of the scripted pipeline: schema, notes, question.
//!
//! It has two forms, because they fail on different questions: schema and question alone, and the same with the stored
//! values and joins that the linker found. The second form is tried only where every draft from the first is doubtful.

use catalog::{Catalog, Dialect, TableId};
use llm::{Message, Role};
use shown::Text;

use super::message;
use super::schema::{Detail, create_tables};
use crate::work::Correction;

/// Which of the two forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Schema and question.
    Plain,
    /// With values and joins.
    Hinted,
}

impl Form {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Plain => "draft",
            Self::Hinted => "draft with values",
        }
    }
}

/// What goes into the prompt.
pub(crate) struct DraftParts<'p> {
    pub(crate) catalog: &'p Catalog,
    pub(crate) dialect: &'p Dialect,
    /// Tables shown, best first.
    pub(crate) tables: &'p [TableId],
    /// The tables as statements.
    pub(crate) statements: &'p str,
    /// Columns that the question points at.
    pub(crate) wanted: &'p [(TableId, String)],
    /// Stored values the question names and joins between the tables, a line each; shown in [`Form::Hinted`].
    pub(crate) hints: &'p [String],
    /// What business terms of the question mean, a line each; they begin `statements` as well.
    pub(crate) terms: &'p [String],
    /// Approved pairs of similar questions, as (question, sql).
    pub(crate) examples: &'p [(&'p str, &'p str)],
    /// What people said about earlier attempts.
    pub(crate) corrections: &'p [Correction],
    /// What the user wrote about the company.
    pub(crate) company: Option<&'p str>,
    pub(crate) question: &'p str,
}

/// The messages of that form.
pub(crate) fn messages(parts: &DraftParts<'_>, form: Form) -> Vec<Message> {
    let mut system = Text::filled(include_str!("draft_system.txt"), &[("dialect", parts.dialect.title())]);
    if let Some(company) = parts.company {
        system = system.and("").and_asked(company.trim());
    }
    let mut data = match form {
        Form::Plain => parts.statements.to_owned(),
        Form::Hinted => {
            let terms: String = parts.terms.iter().map(|term| format!("-- {term}\n")).collect();
            terms + &create_tables(parts.catalog, parts.tables, parts.wanted, parts.dialect, Detail::Values)
        }
    };
    if form == Form::Hinted && !parts.hints.is_empty() {
        data.push('\n');
        for hint in parts.hints {
            data.push_str("-- ");
            data.push_str(hint);
            data.push('\n');
        }
    }
    for (question, sql) in parts.examples {
        data.push_str(&format!("\nQuestion: {question}\n{sql};\n"));
    }
    for it in parts.corrections {
        data.push_str(&format!("\nThis query was rejected{}: {}\nBecause: {}\n", it.whose(), it.sql, it.why));
    }
    let user = Text::of(data.trim_end()).and("").and("Question:").and_asked(parts.question.trim());
    vec![message(Role::System, &system), message(Role::User, &user)]
}
