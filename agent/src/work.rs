//! One question in hand: what has been recalled, tried and spent on it so far.
//!
//! Both ways of working go through here for everything that costs or counts: model calls, checks, runs. So a draft is
//! recorded whoever asked for it, and no statement reaches the database but through `guard`.

use std::ops::ControlFlow;

use catalog::{Dialect, NewMemory, TableId};
use connect::ConnectError;
use guard::{Decision, GuardError, Verdict};
use llm::{ChatReply, ChatRequest};
use tracing::{Instrument as _, debug_span, field};

use crate::agent::Agent;
use crate::candidate::{Candidate, Run};
use crate::context::Composed;
use crate::error::AgentError;
use crate::memory::Recalled;
use crate::options::Feedback;
use crate::outcome::{Draft, Usage};
use crate::repair::{self, Repaired, Surroundings};
use crate::trace::{Action, Trace};

/// What somebody said about an earlier attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Correction {
    /// The question, where it was another one that is near to this.
    pub(crate) of: Option<String>,
    /// The statement.
    pub(crate) sql: String,
    /// What is wrong with it, or how it should be.
    pub(crate) why: String,
}

impl Correction {
    /// `for “How many orders?”: ` or nothing.
    pub(crate) fn whose(&self) -> String {
        self.of.iter().map(|question| format!(" for “{question}”")).collect()
    }
}

/// A question with everything that happened to it.
pub(crate) struct Work<'w> {
    pub(crate) agent: &'w Agent<'w>,
    pub(crate) question: &'w str,
    pub(crate) recalled: Recalled<'w>,
    /// What people said about earlier attempts, the most pressing first.
    pub(crate) corrections: Vec<Correction>,
    pub(crate) trace: Trace<'w>,
    pub(crate) usage: Usage,
    pub(crate) drafts: Vec<Draft>,
    pub(crate) assumptions: Vec<String>,
    pub(crate) composed: Option<Composed>,
}

/// Whether running a statement is a tool call of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cost {
    /// It is.
    Call,
    /// It is, of a statement that was approved, which may be asked for again and again.
    Approved,
    /// The call that it belongs to is counted already.
    Counted,
}

impl<'w> Work<'w> {
    pub(crate) fn new(
        agent: &'w Agent<'w>,
        question: &'w str,
        feedback: Option<&Feedback>,
        recalled: Recalled<'w>,
        trace: Trace<'w>,
    ) -> Self {
        let mut corrections: Vec<Correction> = Vec::new();
        let given = feedback.map(|feedback| Correction {
            of: None,
            sql: feedback.rejected_sql.clone(),
            why: feedback.correction.clone(),
        });
        let stored = recalled.corrections.iter().filter_map(|corrected| {
            let NewMemory { question, sql, correction, .. } = &corrected.memory.content;
            let of = (!corrected.is_same).then(|| question.clone());
            Some(Correction { of, sql: sql.clone(), why: correction.clone()? })
        });
        for correction in given.into_iter().chain(stored) {
            if !corrections.contains(&correction) {
                corrections.push(correction);
            }
        }
        corrections.truncate(MOST_CORRECTIONS);
        Self {
            agent,
            question,
            recalled,
            corrections,
            trace,
            usage: Usage::default(),
            drafts: Vec::new(),
            assumptions: Vec::new(),
            composed: None,
        }
    }

    pub(crate) fn dialect(&self) -> &'w Dialect {
        &self.agent.connector.source().dialect
    }

    pub(crate) fn source(&self) -> &'w str {
        &self.agent.connector.source().name
    }

    /// Whether another tool call may be spent.
    pub(crate) fn has_calls_left(&self) -> bool {
        self.usage.tool_calls < self.agent.tool_calls_allowed()
    }

    /// Takes something for granted, once.
    pub(crate) fn assume(&mut self, sentence: impl Into<String>) {
        let sentence = sentence.into();
        if !self.assumptions.contains(&sentence) {
            self.assumptions.push(sentence);
        }
    }

    /// Calls the model.
    pub(crate) async fn ask_model(
        &mut self,
        purpose: &'static str,
        request: &ChatRequest,
    ) -> Result<ChatReply, AgentError> {
        let Some(model) = self.agent.model else {
            let source = llm::LlmError::NotConfigured;
            return Err(AgentError::Model { model: "none".to_owned(), source });
        };
        let span = debug_span!(
            target: "traces",
            "chat",
            otel.name = format!("chat {}", model.info().name),
            otel.kind = "client",
            gen_ai.operation.name = "chat",
            gen_ai.request.model = model.info().name,
            gen_ai.usage.input_tokens = field::Empty,
            gen_ai.usage.output_tokens = field::Empty,
        );
        let reply = model
            .chat(request, &mut |_| {})
            .instrument(span.clone())
            .await
            .map_err(|source| AgentError::Model { model: model.info().name.clone(), source })?;
        let (prompt_tokens, completion_tokens) = (reply.usage.prompt_tokens, reply.usage.completion_tokens);
        span.record("gen_ai.usage.input_tokens", prompt_tokens as i64);
        span.record("gen_ai.usage.output_tokens", completion_tokens as i64);
        self.usage.model_calls += 1;
        self.usage.prompt_tokens += prompt_tokens;
        self.usage.completion_tokens += completion_tokens;
        self.trace.add(Action::AskedModel { purpose, prompt_tokens, completion_tokens });
        Ok(reply)
    }

    /// The guard's opinion, against the whole catalog.
    pub(crate) fn check(&self, sql: &str) -> Verdict {
        guard::check(sql, self.agent.catalog, self.source(), self.agent.policy, None)
    }

    /// Takes a statement that a model wrote: records it, has it checked, repairs what can be repaired without the model.
    pub(crate) fn take_draft(&mut self, sql: &str) -> Repaired {
        self.trace.add(Action::Drafted { sql: sql.to_owned() });
        let verdict = self.check(sql);
        let mut codes: Vec<String> = verdict.findings.iter().map(|finding| finding.code.to_owned()).collect();
        codes.dedup();
        let hallucinated = repair::names_something_unknown(&verdict);
        self.trace.add(Action::Checked {
            accepted: verdict.decision == Decision::Accept,
            findings: verdict.findings.clone(),
        });
        let ablations = self.agent.options.ablations;
        let repaired = if ablations.without_verifier {
            Repaired::unchanged(sql.to_owned(), verdict)
        } else {
            let literals = if ablations.without_values { repair::Literals::Keep } else { repair::Literals::Repair };
            let tables = self.tables_to_mend_with();
            let around = Surroundings { catalog: self.agent.catalog, dialect: self.dialect(), tables: &tables };
            repair::repair(sql, verdict, literals, &around, &|sql| self.check(sql))
        };
        let became = (repaired.sql != sql).then(|| repaired.sql.clone());
        if became.is_some() {
            self.trace.add(Action::Repaired { sql: repaired.sql.clone(), reasons: repaired.reasons.clone() });
        }
        self.drafts.push(Draft { sql: sql.to_owned(), hallucinated, codes, repaired: became });
        repaired
    }

    /// Tables that a missing column may be looked for in: those shown, then the others that were ranked.
    fn tables_to_mend_with(&self) -> Vec<TableId> {
        let Some(composed) = &self.composed else { return Vec::new() };
        let mut tables = composed.tables.clone();
        for table in &composed.linked.tables {
            if !tables.contains(&table.id) {
                tables.push(table.id.clone());
            }
        }
        tables
    }

    /// Runs a statement through the guard. Only failures that no other statement would repair are errors.
    async fn run(&mut self, sql: &str, cost: Cost) -> Result<(Run, Option<Verdict>), AgentError> {
        if !self.agent.connector.capabilities().executes {
            return Ok((Run::Omitted("the source is a schema without data"), None));
        }
        if cost != Cost::Counted {
            if !self.has_calls_left() {
                return Ok((Run::Omitted("no tool call was left to run it"), None));
            }
            self.usage.tool_calls += 1;
        }
        let agent = self.agent;
        let (catalog, connector, policy, limits) =
            (agent.catalog, agent.connector, agent.policy, &agent.options.limits);
        let answer = match &agent.options.results {
            Some(results) if cost == Cost::Approved => {
                guard::run_again(sql, catalog, connector, policy, limits, results).await
            }
            _ => guard::run(sql, catalog, connector, policy, limits).await,
        };
        let (run, verdict) = match answer {
            Ok(answer) => {
                if let Some(since) = answer.kept_since {
                    let at = since.strftime("%Y-%m-%d %H:%M:%S UTC");
                    self.assume(format!(
                        "The rows were fetched at {at}; nothing has been written to the database since."
                    ));
                }
                (Run::Rows(answer.result), Some(answer.verdict))
            }
            Err(GuardError::Refused(verdict)) => (Run::Refused, Some(*verdict)),
            Err(GuardError::Connect(error)) => match blame(error) {
                ControlFlow::Continue(reason) => (Run::Failed(reason), None),
                ControlFlow::Break(source) => {
                    return Err(AgentError::Database { source_name: self.source().to_owned(), source });
                }
            },
            Err(other) => (Run::Failed(other.to_string()), None),
        };
        let (rows, note) = match &run {
            Run::Rows(result) => (Some(result.rows.len()), result.truncated.clone()),
            Run::Failed(reason) => (None, Some(reason.clone())),
            Run::Refused => (None, Some("refused by the guard".to_owned())),
            Run::Omitted(reason) => (None, Some((*reason).to_owned())),
        };
        self.trace.add(Action::Ran { sql: sql.to_owned(), rows, note });
        Ok((run, verdict))
    }

    /// Runs a repaired draft, if the guard accepts it, and makes it a candidate.
    pub(crate) async fn try_statement(&mut self, repaired: Repaired, cost: Cost) -> Result<Candidate, AgentError> {
        let Repaired { sql, mut verdict, reasons, replaced } = repaired;
        let rejected = self.corrections.iter().find(|it| it.of.is_none() && same_statement(&it.sql, &sql));
        let rejected = rejected.map(|it| it.why.clone());
        let mut run = Run::Refused;
        if verdict.decision == Decision::Accept {
            let (outcome, checked) = self.run(&sql, cost).await?;
            run = outcome;
            if let Some(checked) = checked {
                verdict = checked;
            }
        }
        Ok(Candidate {
            sql,
            verdict,
            run,
            repaired: reasons,
            replaced,
            rejected,
            repaired_by_model: false,
            votes: 1.0,
            likelihood: None,
        })
    }
}

/// Whether two texts are one statement, however they are laid out.
fn same_statement(left: &str, right: &str) -> bool {
    let words = |sql: &str| sql.trim().trim_end_matches(';').split_whitespace().collect::<Vec<_>>().join(" ");
    words(left).eq_ignore_ascii_case(&words(right))
}

/// Corrections shown to a model at most.
const MOST_CORRECTIONS: usize = 3;

/// Whether a failure is the statement's fault, and then in which words, or the surroundings'.
fn blame(error: ConnectError) -> ControlFlow<ConnectError, String> {
    match error {
        ConnectError::Denied { .. }
        | ConnectError::PermissionDenied { .. }
        | ConnectError::StatementCount { .. }
        | ConnectError::Statement { .. }
        | ConnectError::Timeout { .. }
        | ConnectError::ValueTooLarge { .. } => ControlFlow::Continue(error.to_string()),
        _ => ControlFlow::Break(error),
    }
}
