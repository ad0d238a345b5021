//! One agent's conversation: what it last asked for, and what it has run so far.
//!
//! The last question is kept so that an agent that describes a table which was marked irrelevant for it can be reminded.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use catalog::{Catalog, MemoryId, TableId};
use guard::{Decision, Finding, Policy};
use jiff::Timestamp;
use link::{Linked, RankedTable};
use serde::Serialize;

use crate::caller::{Caller, Rights};
use crate::context::{Context, unpoisoned};
use crate::error::ToolError;
use crate::reply::Reply;
use crate::trace::Trace;

/// Tokens of an answer that isn't cut: a program has no context to fill.
pub(crate) const WHOLE: usize = 1 << 40;

/// Findings that a conversation remembers.
const MOST_TOLD: usize = 200;

/// The state of one conversation.
pub(crate) struct Session {
    pub(crate) context: Arc<Context>,
    pub(crate) trace: Trace,
    reply_tokens: usize,
    caller: Caller,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    last_question: Option<Arc<LastQuestion>>,
    explored: usize,
    submitted: usize,
    /// The name that the client gives itself.
    client: String,
    /// Tables that it has described.
    documented: HashSet<TableId>,
    /// Tables that it was shown whole.
    shown: HashSet<TableId>,
    /// What it was told of statements that ran, by code and message.
    told: HashSet<(&'static str, String)>,
    /// The map of a schema that it was told.
    map: Option<String>,
}

/// What was marked irrelevant for a question.
#[derive(Debug)]
pub(crate) struct LastQuestion {
    pub(crate) question: String,
    /// The tables that matter, best first.
    pub(crate) relevant: Vec<TableId>,
    /// The others, families together, with the first reason, where there is one.
    irrelevant: Vec<(Arc<[TableId]>, Option<String>)>,
}

impl Session {
    /// A conversation with a caller.
    pub(crate) fn new(context: Arc<Context>, caller: Caller) -> Self {
        let trace = Trace::new(context.options().trace.clone());
        let reply_tokens = context.options().reply_tokens;
        Self { context, trace, reply_tokens, caller, state: Mutex::new(State::default()) }
    }

    /// One request of a program, which takes answers whole.
    pub(crate) fn of_program(context: Arc<Context>, caller: Caller) -> Self {
        Self { reply_tokens: WHOLE, ..Self::new(context, caller) }
    }

    /// Tokens that a reply may take.
    pub(crate) fn reply_tokens(&self) -> usize {
        self.reply_tokens
    }

    /// The answer that these fields make, for whoever asks.
    pub(crate) fn reply(&self, output: &impl Serialize) -> Result<Reply, ToolError> {
        if self.is_of_program() { Reply::document(output) } else { Reply::of(output) }
    }

    /// Whether answers go to a program, and not into an agent's context.
    pub(crate) fn is_of_program(&self) -> bool {
        self.reply_tokens == WHOLE
    }

    /// Whether it is this caller's.
    pub(crate) fn belongs_to(&self, caller: &Caller) -> bool {
        self.caller == *caller
    }

    /// The name of its caller.
    pub(crate) fn caller(&self) -> &str {
        &self.caller.name
    }

    /// Whether its caller is somebody whom the operator has named, and not just whoever is at this machine.
    pub(crate) fn has_named_caller(&self) -> bool {
        !self.caller.is_local()
    }

    /// Refuses what takes other rights than its caller's.
    pub(crate) fn must_be(&self, rights: Rights) -> Result<(), ToolError> {
        self.caller.must_be(rights)
    }

    /// Whether what was approved under that number counts for its caller, and the guard still accepts it: what has expired or fits
    /// the database no more teaches nothing.
    pub(crate) fn still_fits(&self, catalog: &Catalog, memory: MemoryId) -> bool {
        catalog.memory(memory).filter(|memory| memory.counts_for(Some(self.caller()), Timestamp::now())).is_some_and(
            |memory| {
                let (sql, source) = (&memory.content.sql, &memory.content.source);
                guard::check(sql, catalog, source, &self.policy(None), None).decision == Decision::Accept
            },
        )
    }

    /// What may run, for its caller, and under what name it is recorded.
    pub(crate) fn policy(&self, question: Option<&str>) -> Policy {
        let policy = self.context.options().policy.clone();
        let policy = if self.has_named_caller() { policy.asked_by(&self.caller.name) } else { policy };
        policy.through(&self.client()).about(question)
    }

    /// Keeps what linking said about a question.
    pub(crate) fn remember(&self, question: &str, linked: &Linked) {
        let reason = |table: &RankedTable| table.against().next().map(|reason| reason.text.clone());
        let irrelevant = linked.irrelevant().map(|table| (Arc::clone(&table.members), reason(table))).collect();
        let relevant = linked.relevant().map(|table| table.id.clone()).collect();
        let last = LastQuestion { question: question.to_owned(), relevant, irrelevant };
        unpoisoned(&self.state).last_question = Some(Arc::new(last));
    }

    /// The last question, if the table was marked irrelevant for it.
    pub(crate) fn marked_irrelevant_for(&self, table: &TableId) -> Option<Arc<LastQuestion>> {
        let last = unpoisoned(&self.state).last_question.clone()?;
        last.aside(table).is_some().then_some(last)
    }

    /// Whether it wasn't told that map of a schema yet.
    pub(crate) fn is_new_map(&self, map: &str) -> bool {
        let mut state = unpoisoned(&self.state);
        let is_new = state.map.as_deref() != Some(map);
        state.map = Some(map.to_owned());
        is_new
    }

    /// Whether it wasn't told that of a statement yet.
    pub(crate) fn is_news(&self, finding: &Finding) -> bool {
        let mut state = unpoisoned(&self.state);
        // What was told long ago may well be told again.
        if state.told.len() >= MOST_TOLD {
            state.told.clear();
        }
        state.told.insert((finding.code, finding.message.clone()))
    }

    /// Keeps that it has read all that is to be known of these.
    pub(crate) fn note_shown(&self, tables: &[TableId]) {
        unpoisoned(&self.state).shown.extend(tables.iter().cloned());
    }

    /// Whether it has read all of that table.
    pub(crate) fn was_shown(&self, table: &TableId) -> bool {
        unpoisoned(&self.state).shown.contains(table)
    }

    /// Keeps the name that the client gives itself.
    pub(crate) fn greet(&self, client: &str) {
        client.clone_into(&mut unpoisoned(&self.state).client);
    }

    /// The name that the client gives itself.
    pub(crate) fn client(&self) -> String {
        match unpoisoned(&self.state).client.as_str() {
            "" if self.is_of_program() => "over REST".to_owned(),
            "" => "an agent".to_owned(),
            name => name.to_owned(),
        }
    }

    /// Keeps that it has described a table: the next batch may come before the catalog is read again.
    pub(crate) fn document(&self, table: &TableId) {
        unpoisoned(&self.state).documented.insert(table.clone());
    }

    pub(crate) fn has_documented(&self, table: &TableId) -> bool {
        unpoisoned(&self.state).documented.contains(table)
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
    /// Why the table was marked irrelevant.
    pub(crate) fn reason(&self, table: &TableId) -> Option<&str> {
        self.aside(table)?.as_deref()
    }

    fn aside(&self, table: &TableId) -> Option<&Option<String>> {
        self.irrelevant.iter().find(|(members, _)| members.contains(table)).map(|(_, reason)| reason)
    }
}
