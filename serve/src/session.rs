//! One agent's conversation: what it last asked for, and what it has run so far.
//!
//! The last question is kept so that an agent that describes a table which was put aside for it can be reminded.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use catalog::TableId;
use link::Linked;

use crate::context::{Context, unpoisoned};
use crate::trace::Trace;

/// The state of one conversation.
pub(crate) struct Session {
    pub(crate) context: Arc<Context>,
    pub(crate) trace: Trace,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    last_question: Option<LastQuestion>,
    explored: usize,
    submitted: usize,
}

/// What was put aside for a question.
#[derive(Clone, Debug)]
pub(crate) struct LastQuestion {
    pub(crate) question: String,
    /// The tables that matter, best first.
    pub(crate) relevant: Vec<TableId>,
    /// The others, each with the first reason, where there is one.
    put_aside: HashMap<TableId, Option<String>>,
}

impl Session {
    pub(crate) fn new(context: Arc<Context>) -> Self {
        let trace = Trace::new(context.options().trace.clone());
        Self { context, trace, state: Mutex::new(State::default()) }
    }

    /// Keeps what linking said about a question.
    pub(crate) fn remember(&self, question: &str, linked: &Linked) {
        let mut put_aside = HashMap::new();
        for table in linked.irrelevant() {
            let reason = table.reasons.first().map(|reason| reason.text.clone());
            for id in table.family.iter().chain([&table.id]) {
                put_aside.insert(id.clone(), reason.clone());
            }
        }
        let relevant = linked.relevant().map(|table| table.id.clone()).collect();
        let last = LastQuestion { question: question.to_owned(), relevant, put_aside };
        unpoisoned(&self.state).last_question = Some(last);
    }

    /// The last question, if the table was put aside for it.
    pub(crate) fn put_aside_for(&self, table: &TableId) -> Option<LastQuestion> {
        let state = unpoisoned(&self.state);
        state.last_question.as_ref().filter(|last| last.put_aside.contains_key(table)).cloned()
    }

    /// Counts a statement that looks around, and says how many there were.
    pub(crate) fn count_explored(&self) -> usize {
        let mut state = unpoisoned(&self.state);
        state.explored += 1;
        state.explored
    }

    /// Counts a final statement: how many there were, and how many explored before it since the one before.
    pub(crate) fn count_submitted(&self) -> (usize, usize) {
        let mut state = unpoisoned(&self.state);
        state.submitted += 1;
        (state.submitted, std::mem::take(&mut state.explored))
    }
}

impl LastQuestion {
    /// Why the table was put aside.
    pub(crate) fn reason(&self, table: &TableId) -> Option<&str> {
        self.put_aside.get(table)?.as_deref()
    }
}
