//! One question from its words to its outcome.

use catalog::Memory;
use guard::{Decision, Severity};

use crate::agent::{Agent, Drafter};
use crate::assumptions::{ambiguity, assumptions};
use crate::calibration::Calibration;
use crate::candidate::{Candidate, Run};
use crate::confidence::{APPROVED, uncalibrated};
use crate::context::Composed;
use crate::error::AgentError;
use crate::extract;
use crate::measure::{Drafts, measure};
use crate::memory::{Closeness, Recalling, Wording, recall};
use crate::objections::{AskedQuestion, objections};
use crate::options::Feedback;
use crate::outcome::{Outcome, Status};
use crate::prompt::{self, statement_request};
use crate::question::{Triage, content_words, triage};
use crate::repair::Repaired;
use crate::shape::{self, Words};
use crate::signals::Signals;
use crate::tool_loop::Ending;
use crate::trace::{Action, Step, Trace};
use crate::work::{Cost, Work};

/// How sure an approved answer is whose question has the same words in another order: of nine such questions, by three authors who
/// wrote as many that ask the same as that only look alike, eight asked the same.
const REORDERED: f32 = 0.8;
/// Similar approved pairs looked at.
const MOST_EXAMPLES: usize = 4;
/// Tables named when a question says too little.
const TABLES_OFFERED: usize = 8;
/// Below this probability of its best table, a question none of whose words is known is asked back.
const HOPELESS_SCORE: f32 = 0.2;

impl Agent<'_> {
    /// Works on a question. Fails only where the model or the database can't be reached: a question without an answer
    /// is an [`Outcome`] that says why.
    pub async fn ask(
        &self,
        question: &str,
        feedback: Option<&Feedback>,
        on_step: &mut (dyn FnMut(&Step) + Send),
    ) -> Result<Outcome, AgentError> {
        let source = &self.connector.source().name;
        if self.catalog.tables_of(source).next().is_none() {
            return Err(AgentError::EmptyCatalog { name: source.clone() });
        }
        let closeness = match self.drafter() {
            Drafter::Small => Closeness::Close,
            Drafter::Large => Closeness::Similar,
        };
        let mut recalled = recall(Recalling {
            catalog: self.catalog,
            linker: Some(self.linker),
            source,
            question,
            asker: self.options.asker.as_deref(),
            most_examples: MOST_EXAMPLES,
            closeness,
        });
        // What fits the database no more teaches nothing.
        let fits = |memory: &Memory| {
            let verdict = guard::check(&memory.content.sql, self.catalog, source, self.policy, None);
            verdict.decision == Decision::Accept
        };
        recalled.examples.retain(|(memory, _)| fits(memory));
        recalled.near.retain(|memory| fits(memory));
        let mut work = Work::new(self, question, feedback, recalled, Trace::new(on_step));
        work.answer(feedback).await
    }
}

impl Work<'_> {
    async fn answer(&mut self, feedback: Option<&Feedback>) -> Result<Outcome, AgentError> {
        if feedback.is_none()
            && let Some(outcome) = self.answer_from_memory().await?
        {
            return Ok(outcome);
        }
        match triage(self.question) {
            Triage::SaysTooLittle => {
                self.trace.add(Action::Triaged { search: false, reason: "the question says too little".into() });
                return Ok(self.ask_back(self.what_there_is()));
            }
            Triage::Rewrite { sql, target } => {
                let reason = "the question brings its own SQL".to_owned();
                self.trace.add(Action::Triaged { search: false, reason });
                let target = target.unwrap_or_else(|| self.dialect().clone());
                return self.rewrite(&sql, &target).await;
            }
            Triage::Search => {
                self.trace.add(Action::Triaged { search: true, reason: "it asks about the data".into() });
            }
        }
        self.tell_what_is_remembered();
        let scripted = self.is_scripted();
        let may_ask_model = scripted && self.agent.model.is_some_and(|model| !model.info().small);
        self.search(may_ask_model).await?;
        let Some(composed) = self.composed.clone() else {
            return Ok(self.without_answer(Status::Declined, "the question was not linked".into()));
        };
        if self.is_hopeless(&composed) {
            return Ok(self.ask_back(self.what_there_is()));
        }
        if self.agent.model.is_none() {
            let reason = match self.corrections.first() {
                Some(correction) => format!(
                    "an earlier answer{} was corrected: “{}”; there is no model to draft another one with",
                    correction.whose(),
                    correction.why
                ),
                None => "there is no model to draft with, and no approved query answers this question".to_owned(),
            };
            let mut outcome = self.without_answer(Status::NoModel, reason);
            let near: Vec<String> =
                self.recalled.near.iter().map(|memory| format!("“{}”", memory.content.question)).collect();
            outcome.clarification = (!near.is_empty()).then(|| {
                format!("Approved answers there are to these questions, of which one may be yours: {}", near.join("; "))
            });
            return Ok(outcome);
        }
        if scripted { self.finish_scripted(&composed).await } else { self.finish_tools(&composed).await }
    }

    /// Whether we decide every step. Without a model nobody else could.
    pub(crate) fn is_scripted(&self) -> bool {
        self.agent.model.is_none_or(|model| !self.agent.uses_tools(model))
    }

    async fn finish_scripted(&mut self, composed: &Composed) -> Result<Outcome, AgentError> {
        let tried = self.scripted(composed).await?;
        let Some(choice) = tried.chosen else {
            return Ok(self.without_answer(Status::Declined, "the model wrote no statement".into()));
        };
        let chosen = &tried.candidates[choice.position];
        if !chosen.stands() {
            return Ok(self.unanswered(chosen));
        }
        let drafts = Drafts { count: self.drafts.len(), share: choice.share };
        Ok(self.answered(chosen, composed, drafts, Words::default()))
    }

    async fn finish_tools(&mut self, composed: &Composed) -> Result<Outcome, AgentError> {
        Ok(match self.with_tools(composed).await? {
            Ending::Submitted(candidate, words) if candidate.stands() => {
                self.answered(&candidate, composed, Drafts { count: 1, share: 1.0 }, words)
            }
            Ending::Submitted(candidate, _) => self.unanswered(&candidate),
            Ending::Asked(question) => self.ask_back(question),
            Ending::Nothing(reason) => self.without_answer(Status::Declined, reason),
        })
    }

    /// The answer that was approved for this question, in these words or others, verified and run again; `None` where there is none or
    /// it doesn't stand any more.
    async fn answer_from_memory(&mut self) -> Result<Option<Outcome>, AgentError> {
        let (Some(memory), wording) = (self.recalled.answer, self.recalled.wording) else {
            return Ok(None);
        };
        // A model that gets the pair as an example tells whether the order makes a difference.
        if wording == Wording::OtherOrder && self.agent.model.is_some() {
            return Ok(None);
        }
        self.trace.add(Action::Remembered {
            memory: memory.id.0,
            question: memory.content.question.clone(),
            similarity: 1.0,
            used_as: "answer",
        });
        let sql = memory.content.sql.trim().trim_end_matches(';').to_owned();
        let verdict = self.check(&sql);
        let accepted = verdict.decision == Decision::Accept;
        self.trace.add(Action::Checked { accepted, findings: verdict.findings.clone() });
        let repaired = Repaired::unchanged(sql, verdict);
        let candidate = self.try_statement(repaired, Cost::Approved).await?;
        if !candidate.stands() {
            self.assume(format!(
                "An approved query for this question (number {}) no longer fits the database and was not used.",
                memory.id.0
            ));
            return Ok(None);
        }
        let words = Words {
            analysis: Some(format!(
                "Approved by {} on {} for {}.",
                memory.content.author,
                memory.created_at.strftime("%Y-%m-%d"),
                if wording == Wording::SameWords { "this very question" } else { "this question in other words" }
            )),
            description: None,
        };
        if wording == Wording::OtherWords {
            let question = &memory.content.question;
            self.assume(format!("It asks the same as “{question}”, for which the statement was approved."));
        }
        let is_sure = wording != Wording::OtherOrder;
        let mut outcome = self.outcome(if is_sure { Status::Answered } else { Status::Draft });
        if !is_sure {
            let question = &memory.content.question;
            outcome.against.push(format!("it was approved for “{question}”, whose words stand in another order"));
        }
        outcome.answer = Some(shape::answer(self.agent.options.shape, &candidate, None, words));
        outcome.provenance = shape::provenance(&candidate.verdict, None);
        for provenance in &mut outcome.provenance {
            provenance.chunk = format!("memory:{}", memory.id.0);
        }
        let sure = if is_sure { APPROVED } else { REORDERED };
        outcome.confidence = if matches!(candidate.run, Run::Rows(_)) { sure } else { sure - 0.1 };
        outcome.rows = candidate.rows().cloned();
        outcome.findings = candidate.verdict.findings;
        Ok(Some(outcome))
    }

    /// Answers a question that brings its own SQL.
    async fn rewrite(&mut self, sql: &str, target: &catalog::Dialect) -> Result<Outcome, AgentError> {
        if self.agent.model.is_none() {
            let reason = "there is no model, and rewriting SQL needs one".to_owned();
            return Ok(self.without_answer(Status::NoModel, reason));
        }
        let request = statement_request(prompt::rewrite::messages(self.question, target));
        let reply = self.ask_model("rewrite", &request).await?;
        let Some(rewritten) = extract::statement(&reply.text) else {
            return Ok(self.without_answer(Status::Declined, "the model wrote no statement".into()));
        };
        if target != self.dialect() {
            // It isn't for this database, so there is nothing to check it against.
            self.trace.add(Action::Drafted { sql: rewritten.clone() });
            self.assume(format!(
                "The statement is {target} and was not checked: this source speaks {}.",
                self.dialect()
            ));
            let verdict = self.check(sql);
            let run = Run::Omitted("it is meant for another database");
            let candidate = Candidate {
                sql: rewritten,
                verdict,
                run,
                repaired: Vec::new(),
                replaced: Vec::new(),
                rejected: None,
                repaired_by_model: false,
                votes: 1.0,
                likelihood: None,
            };
            let words = Words {
                analysis: Some(format!("Rewritten for {target}; no table was looked up.")),
                description: Some("The same as the statement given.".into()),
            };
            let mut outcome = self.outcome(Status::Answered);
            outcome.answer = Some(shape::answer(self.agent.options.shape, &candidate, None, words));
            outcome.confidence = uncalibrated(&Signals::default(), &candidate.run);
            return Ok(outcome);
        }
        let repaired = self.take_draft(&rewritten);
        let candidate = self.try_statement(repaired, Cost::Call).await?;
        if !candidate.stands() {
            return Ok(self.unanswered(&candidate));
        }
        let mut outcome = self.outcome(Status::Answered);
        outcome.answer = Some(shape::answer(self.agent.options.shape, &candidate, None, Words::default()));
        outcome.provenance = shape::provenance(&candidate.verdict, None);
        outcome.confidence = uncalibrated(&Signals::default(), &candidate.run);
        outcome.rows = candidate.rows().cloned();
        outcome.findings = candidate.verdict.findings;
        Ok(outcome)
    }

    fn tell_what_is_remembered(&mut self) {
        let examples = self.recalled.examples.iter().map(|(memory, alike)| (*memory, *alike, "example"));
        let corrections = self.recalled.corrections.iter().map(|it| (it.memory, it.alike, "correction"));
        let remembered: Vec<_> = examples.chain(corrections).collect();
        for (memory, similarity, used_as) in remembered {
            self.trace.add(Action::Remembered {
                memory: memory.id.0,
                question: memory.content.question.clone(),
                similarity,
                used_as,
            });
        }
    }

    /// Whether nothing the question says is known, so that any draft would be invention.
    fn is_hopeless(&self, composed: &Composed) -> bool {
        let asked = content_words(self.question);
        let unmatched: Vec<String> =
            composed.linked.unmatched_terms.iter().flat_map(|term| content_words(term)).collect();
        let best = composed.linked.tables.first().map_or(0.0, |table| table.score);
        let says_nothing_known = best < HOPELESS_SCORE && asked.iter().all(|word| unmatched.contains(word));
        composed.linked.values.is_empty()
            && self.recalled.examples.is_empty()
            && (says_nothing_known || composed.linked.fit.is_elsewhere())
    }

    /// The question back when a question says too little: what it could be about.
    fn what_there_is(&self) -> String {
        let names: Vec<String> =
            self.agent.catalog.tables_of(self.source()).map(|entry| entry.table.id.local()).collect();
        let shown = names.iter().take(TABLES_OFFERED).cloned().collect::<Vec<_>>().join(", ");
        let more = names.len().saturating_sub(TABLES_OFFERED);
        let rest = if more > 0 { format!(" and {more} more tables") } else { String::new() };
        format!("What should be found out? `{}` holds {shown}{rest}.", self.source())
    }

    fn ask_back(&mut self, question: String) -> Outcome {
        self.trace.add(Action::AskedBack { question: question.clone() });
        let mut outcome = self.outcome(Status::Declined);
        outcome.clarification = Some(question);
        outcome
    }

    fn without_answer(&mut self, status: Status, reason: String) -> Outcome {
        self.trace.add(Action::GaveUp { reason: reason.clone() });
        let mut outcome = self.outcome(status);
        outcome.failure = Some(reason);
        outcome
    }

    fn unanswered(&mut self, candidate: &Candidate) -> Outcome {
        let reason = match &candidate.run {
            Run::Failed(reason) => reason.clone(),
            _ => candidate.verdict.findings.iter().find(|finding| finding.severity == Severity::Error).map_or_else(
                || "no draft was accepted".to_owned(),
                |finding| format!("{}. {}", finding.message, finding.why),
            ),
        };
        let mut outcome = self.without_answer(Status::Declined, reason);
        outcome.findings.clone_from(&candidate.verdict.findings);
        outcome
    }

    /// A statement that stands: an answer where it is sure enough, else a draft, or what is missing for one.
    fn answered(&mut self, candidate: &Candidate, composed: &Composed, drafts: Drafts, words: Words) -> Outcome {
        for sentence in assumptions(self.agent.catalog, candidate, composed) {
            self.assume(sentence);
        }
        if let Some(correction) = self.corrections.first() {
            self.assume(format!(
                "An earlier answer{} was corrected, which the model was told: “{}”.",
                correction.whose(),
                correction.why
            ));
        }
        let clarification = ambiguity(self.agent.catalog, &candidate.verdict, composed, self.question);
        let signals = measure(candidate, composed, self.question, drafts);
        let confidence = self.confidence(&signals, &candidate.run);
        let named = |word: &str| self.agent.catalog.word_like(word, self.source());
        let drafter = self.agent.drafter();
        let (catalog, question, two_readings) = (self.agent.catalog, self.question, clarification.as_deref());
        let mut company = self.agent.options.company_context.clone().unwrap_or_default();
        composed.linked.terms.iter().for_each(|term| company.push_str(&format!("\n{}", term.meaning)));
        let company = company.as_str();
        let asked = AskedQuestion { catalog, question, company, drafter, two_readings, named: &named };
        let objections = objections(candidate, composed, drafts, &signals, &asked);
        let status = match confidence >= self.agent.options.min_confidence {
            // However sure the model is: what a word means that nobody has explained can't be seen in the data, nor what the
            // model meant by a value that isn't there.
            _ if objections.decline() => Status::Declined,
            true if candidate.rejected.is_none() && !objections.of_another_question => Status::Answered,
            _ => Status::Draft,
        };
        let mut outcome = self.outcome(status);
        outcome.answer = Some(shape::answer(self.agent.options.shape, candidate, Some(composed), words));
        outcome.provenance = shape::provenance(&candidate.verdict, Some(composed));
        // Rows of what was declined would be taken for an answer.
        outcome.rows = candidate.rows().filter(|_| status != Status::Declined).cloned();
        outcome.findings.clone_from(&candidate.verdict.findings);
        if status != Status::Answered {
            (outcome.against, outcome.missing) = (objections.against, objections.missing);
        }
        (outcome.confidence, outcome.signals, outcome.clarification) = (confidence, signals, clarification);
        outcome
    }

    /// The probability that an answer with these signals is right.
    fn confidence(&self, signals: &Signals, run: &Run) -> f32 {
        let built_in = || Calibration::built_in().ok().filter(|_| self.agent.drafter() == Drafter::Small);
        match self.agent.options.calibration.clone().or_else(built_in) {
            Some(calibration) => calibration.confidence(signals),
            None => uncalibrated(signals, run),
        }
    }

    fn outcome(&mut self, status: Status) -> Outcome {
        self.usage.latency_ms = self.trace.elapsed_ms();
        Outcome {
            status,
            answer: None,
            rows: None,
            findings: Vec::new(),
            provenance: Vec::new(),
            confidence: 0.0,
            min_confidence: self.agent.options.min_confidence,
            signals: Signals::default(),
            against: Vec::new(),
            missing: Vec::new(),
            assumptions: self.assumptions.clone(),
            clarification: None,
            failure: None,
            context: self.composed.as_ref().map(|composed| composed.used.clone()),
            trace: self.trace.steps().to_vec(),
            usage: self.usage,
            drafts: self.drafts.clone(),
        }
    }
}
