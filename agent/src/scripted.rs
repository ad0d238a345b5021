//! The way of working for small models: we decide every step, the model writes SQL.
//!
//! A draft from the plain form of the prompt is checked, mended mechanically and run. One that raises no doubt ends it,
//! after one model call. A draft that can't run is given back once with what is wrong; one that runs but looks doubtful is
//! put beside a second draft from the other form. Then the least doubtful of them answers.

use std::collections::VecDeque;

use catalog::MemoryKind;
use llm::Message;

use crate::choose::{self, Doubt};
use crate::context::{Composed, Settings, compose};
use crate::error::AgentError;
use crate::extract;
use crate::prompt::draft::{DraftParts, Form};
use crate::prompt::{self, repair, statement_request};
use crate::question;
use crate::trace::Action;
use crate::work::{Candidate, Cost, Run, Work};

/// Examples shown to a small model at most: each costs a second of reading.
const MOST_EXAMPLES: usize = 2;

/// The candidates, and which of them answers.
pub(crate) struct Tried {
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) chosen: Option<usize>,
}

impl Work<'_> {
    /// Takes the question apart, searches for the parts and composes the context.
    pub(crate) async fn search(&mut self, ask_model: bool) -> Result<(), AgentError> {
        let options = &self.agent.options;
        let intents = if options.ablations.without_decomposition {
            vec![self.question.trim().to_owned()]
        } else if ask_model {
            self.intents_by_model().await?
        } else {
            question::intents(self.question)
        };
        if intents.len() > 1 {
            self.trace.add(Action::Decomposed { intents: intents.clone() });
        }
        // Searching is a tool call. Half of them stay for running what is drafted.
        let affordable = (self.agent.tool_calls_allowed() / 2).max(1);
        let intents = &intents[..intents.len().min(affordable)];
        self.usage.tool_calls += intents.len();
        let settings = Settings {
            tables_per_intent: options.tables_per_intent,
            context_tokens: options.context_tokens,
            ablations: options.ablations,
        };
        let (composed, results) = compose(self.agent.catalog, self.agent.linker, self.source(), intents, &settings);
        for (intent, result) in intents.iter().zip(&results) {
            let tables = result.relevant().take(options.tables_per_intent).map(|table| table.id.local()).collect();
            self.trace.add(Action::Linked {
                intent: intent.clone(),
                strategy: result.strategy.name().to_owned(),
                tables,
            });
        }
        self.trace.add(Action::Composed {
            tables: composed.used.tables.iter().map(catalog::TableId::local).collect(),
            left_out: composed.used.irrelevant.len(),
            tokens: composed.used.tokens,
        });
        self.composed = Some(composed);
        Ok(())
    }

    async fn intents_by_model(&mut self) -> Result<Vec<String>, AgentError> {
        let reply = self.ask_model("decompose", &prompt::decompose::request(self.question)).await?;
        let mut intents = vec![self.question.trim().to_owned()];
        match prompt::decompose::intents(&reply.text) {
            Some(parts) if parts.len() > 1 => intents.extend(parts),
            Some(_) => {}
            None => intents = question::intents(self.question),
        }
        Ok(intents)
    }

    /// Drafts, repairs and chooses.
    pub(crate) async fn scripted(&mut self, composed: &Composed) -> Result<Tried, AgentError> {
        let mut candidates: Vec<Candidate> = Vec::new();
        let plain = self.draft_messages(composed, Form::Plain);
        let first = self.draft(&plain, Form::Plain.name()).await?;
        let verifier_is_off = self.agent.options.ablations.without_verifier;
        let mut plan: VecDeque<Attempt> = VecDeque::new();
        match first {
            Some(candidate) => {
                if !verifier_is_off {
                    plan.extend(next_attempts(&candidate, composed, self.question));
                }
                candidates.push(candidate);
            }
            None => plan.push_back(Attempt::Again),
        }
        while let Some(attempt) = plan.pop_front() {
            if self.usage.model_calls >= self.agent.options.max_model_calls {
                break;
            }
            if candidates.iter().any(|candidate| choose::doubts(candidate, composed, self.question).is_empty()) {
                break;
            }
            let candidate = match attempt {
                Attempt::Repair => self.repair(&plain, candidates.last(), composed).await?,
                Attempt::Again => {
                    let hinted = self.draft_messages(composed, Form::Hinted);
                    self.draft(&hinted, Form::Hinted.name()).await?
                }
            };
            if let Some(candidate) = candidate
                && !candidates.iter().any(|known| known.sql == candidate.sql)
            {
                candidates.push(candidate);
            }
        }
        let chosen = choose::choose(&candidates, composed, self.question);
        if let Some((position, reason)) = &chosen
            && candidates.len() > 1
        {
            self.trace.add(Action::Chose { sql: candidates[*position].sql.clone(), reason: reason.clone() });
        }
        Ok(Tried { chosen: chosen.map(|(position, _)| position), candidates })
    }

    fn draft_messages(&self, composed: &Composed, form: Form) -> Vec<Message> {
        let hints = composed.hints(self.agent.catalog);
        let examples: Vec<(&str, &str)> = self
            .recalled
            .examples
            .iter()
            .filter(|(memory, _)| memory.content.kind == MemoryKind::Approved)
            .map(|(memory, _)| (memory.content.question.as_str(), memory.content.sql.as_str()))
            .take(MOST_EXAMPLES)
            .collect();
        let form = if self.agent.options.ablations.without_values { Form::Plain } else { form };
        prompt::draft::messages(
            &DraftParts {
                catalog: self.agent.catalog,
                dialect: self.dialect(),
                tables: &composed.tables,
                wanted: &composed.wanted,
                hints: &hints,
                examples: &examples,
                corrections: &self.corrections,
                company: self.agent.options.company_context.as_deref(),
                question: self.question,
            },
            form,
        )
    }

    /// One draft, checked, mended and run; `None` where the reply held no statement.
    async fn draft(&mut self, messages: &[Message], purpose: &'static str) -> Result<Option<Candidate>, AgentError> {
        let reply = self.ask_model(purpose, &statement_request(messages.to_vec())).await?;
        let Some(sql) = extract::statement(&reply.text) else {
            self.trace.add(Action::Drafted { sql: String::new() });
            return Ok(None);
        };
        let mended = self.take_draft(&sql);
        self.try_statement(mended, Cost::Call).await.map(Some)
    }

    /// One repair of a candidate, by the model that drafted it.
    async fn repair(
        &mut self,
        draft: &[Message],
        candidate: Option<&Candidate>,
        composed: &Composed,
    ) -> Result<Option<Candidate>, AgentError> {
        let Some(candidate) = candidate else { return Ok(None) };
        let problems = problems_of(candidate, composed, self.question);
        let messages = repair::messages(draft, &candidate.sql, &problems, self.question);
        let repaired = self.draft(&messages, "repair").await?;
        Ok(repaired.map(|repaired| Candidate { repaired_by_model: true, ..repaired }))
    }
}

/// What to try after a first candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Attempt {
    /// Give it back with what is wrong.
    Repair,
    /// Draft from the other form.
    Again,
}

fn next_attempts(candidate: &Candidate, composed: &Composed, question: &str) -> Vec<Attempt> {
    let doubts = choose::doubts(candidate, composed, question);
    if doubts.is_empty() {
        Vec::new()
    } else if doubts.contains(&Doubt::Broken) {
        vec![Attempt::Repair, Attempt::Again]
    } else {
        vec![Attempt::Again]
    }
}

/// What is wrong with a candidate, in words a model can act on.
fn problems_of(candidate: &Candidate, composed: &Composed, question: &str) -> Vec<String> {
    let mut problems = repair::problems(&candidate.verdict.findings);
    if let Run::Failed(reason) = &candidate.run {
        problems.insert(0, format!("{}.", reason.trim_end_matches('.')));
    }
    if problems.is_empty() {
        problems.extend(
            choose::doubts(candidate, composed, question)
                .into_iter()
                .map(|doubt| format!("{}.", capitalized(doubt.words()))),
        );
    }
    problems
}

fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}
