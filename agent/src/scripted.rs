//! The way of working for small models: we decide every step, the model writes SQL.
//!
//! The likeliest draft from the plain form of the prompt is checked, repaired mechanically and run. One that raises no
//! doubt ends it, after one model call. A draft that can't run is given back once with what is wrong; then others are
//! drawn from the same prompt, which the model has read already, until two that raise no doubt agree. Only where all are
//! doubtful is the other form of the prompt tried. Then they vote.

use std::collections::HashSet;

use catalog::{MemoryKind, TableId};
use llm::{ChatRequest, Message};

use crate::candidate::{Candidate, Run};
use crate::choose::{self, Choice};
use crate::context::{Composed, SchemaText, Settings, compose};
use crate::doubt::{Doubt, doubts, unused_values};
use crate::error::AgentError;
use crate::extract;
use crate::objections::better_table;
use crate::prompt::draft::{DraftParts, Form};
use crate::prompt::{self, repair, statement_request};
use crate::question;
use crate::trace::Action;
use crate::work::{Cost, Work};

/// Examples shown to a small model at most: each costs a second of reading.
const MOST_EXAMPLES: usize = 2;
/// Drafts drawn after a doubtful first one, at most. On 56 training questions five were no better, and seven by one.
const MOST_DRAWN: u64 = 3;
/// The temperature they are drawn at: the one Qwen2.5 ships with is 0.7.
const DRAWN_AT: f32 = 0.8;
/// What the likeliest draft counts beside one that was drawn.
const LIKELIEST: f32 = 1.5;

/// The candidates, and which of them answers.
pub(crate) struct Tried {
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) chosen: Option<Choice>,
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
            link: options.link.clone(),
            text: if self.is_scripted() { SchemaText::Statements } else { SchemaText::Commented },
            ablations: options.ablations,
        };
        let (mut composed, results) = compose(self.agent.catalog, self.agent.linker, self.source(), intents, &settings);
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
        let names = self.words_of(&composed.tables);
        composed.used.unmatched.retain(|term| !self.is_explained(term) && !follows_from(term, &names));
        self.composed = Some(composed);
        Ok(())
    }

    /// The words that tables and their columns are called by, as stems.
    fn words_of(&self, tables: &[TableId]) -> HashSet<String> {
        let entries = tables.iter().filter_map(|id| self.agent.catalog.entry(id));
        let names = entries.flat_map(|entry| {
            let columns = entry.table.columns.iter().map(|column| column.name.as_str());
            columns.chain([entry.table.id.name.as_str()])
        });
        names.flat_map(words::in_identifier).map(|word| words::singular(&word)).collect()
    }

    /// Whether what people wrote says something of a word that the catalog doesn't have.
    fn is_explained(&self, term: &str) -> bool {
        let company = self.agent.options.company_context.as_deref().unwrap_or_default();
        let examples = self.recalled.examples.iter().map(|(memory, _)| memory.content.question.as_str());
        let corrections = self.corrections.iter().map(|correction| correction.why.as_str());
        let term = words::singular(&term.to_lowercase());
        std::iter::once(company)
            .chain(examples)
            .chain(corrections)
            .any(|text| words::in_text(text).iter().any(|word| says(word, &term)))
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
        self.draft(Form::Plain.name(), &statement_request(plain.clone()), &mut candidates).await?;
        if let Some(first) = candidates.first_mut() {
            first.votes = LIKELIEST;
        }
        if !self.agent.options.ablations.without_verifier {
            self.try_others(composed, plain, &mut candidates).await?;
        }
        let chosen = choose::choose(&candidates, composed, self.question);
        if let Some(choice) = &chosen
            && self.drafts.len() > 1
        {
            let sql = candidates[choice.position].sql.clone();
            self.trace.add(Action::Chose { sql, reason: choice.reason.clone() });
        }
        Ok(Tried { candidates, chosen })
    }

    /// More candidates, as long as what there is leaves doubts.
    async fn try_others(
        &mut self,
        composed: &Composed,
        plain: Vec<Message>,
        candidates: &mut Vec<Candidate>,
    ) -> Result<(), AgentError> {
        let question = self.question;
        let is_sure = |candidate: &Candidate| doubts(candidate, composed, question).is_empty();
        if candidates.first().is_some_and(is_sure) {
            return Ok(());
        }
        let told = candidates.first().map(|first| problems_of(first, composed, question)).unwrap_or_default();
        let mut most_drawn = MOST_DRAWN;
        if let Some(first) = candidates.first()
            && !told.is_empty()
            && self.may_draft()
        {
            // One that runs is drawn once less: a draft that has been told what is known differs, which others may not.
            most_drawn -= u64::from(first.stands());
            let messages = repair::messages(&plain, &first.sql, &told, question);
            let known = candidates.len();
            self.draft("repair", &statement_request(messages), candidates).await?;
            candidates[known..].iter_mut().for_each(|candidate| candidate.repaired_by_model = true);
        }
        for number in 1..=most_drawn {
            if !self.may_draft() || choose::is_settled(candidates, composed, question) {
                break;
            }
            let seed = self.agent.options.seed.saturating_add(number);
            let request = ChatRequest { temperature: DRAWN_AT, seed, ..statement_request(plain.clone()) };
            self.draft("another draft", &request, candidates).await?;
        }
        if self.may_draft() && !candidates.iter().any(is_sure) {
            let request = statement_request(self.draft_messages(composed, Form::Hinted));
            self.draft(Form::Hinted.name(), &request, candidates).await?;
        }
        Ok(())
    }

    /// Whether another draft can be paid for, and run.
    fn may_draft(&self) -> bool {
        self.usage.model_calls < self.agent.options.max_model_calls && self.has_calls_left()
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
                statements: &composed.used.text,
                hints: &hints,
                terms: &composed.terms(),
                examples: &examples,
                corrections: &self.corrections,
                company: self.agent.options.company_context.as_deref(),
                question: self.question,
            },
            form,
        )
    }

    /// One draft, checked, repaired and run. One that comes to a statement that is there already counts for it; a reply
    /// without a statement adds nothing.
    async fn draft(
        &mut self,
        purpose: &'static str,
        request: &ChatRequest,
        candidates: &mut Vec<Candidate>,
    ) -> Result<(), AgentError> {
        let reply = self.ask_model(purpose, request).await?;
        let Some(sql) = extract::statement(&reply.text) else {
            self.trace.add(Action::Drafted { sql: String::new() });
            return Ok(());
        };
        let repaired = self.take_draft(&sql);
        match candidates.iter_mut().find(|candidate| candidate.sql == repaired.sql) {
            Some(known) => known.votes += 1.0,
            None => {
                let tried = self.try_statement(repaired, Cost::Call).await?;
                candidates.push(Candidate { likelihood: reply.likelihood, ..tried });
            }
        }
        Ok(())
    }
}

/// Whether a word that somebody wrote is that term, or made of it: `vineyard` says what vines are.
fn says(word: &str, term: &str) -> bool {
    words::singular(word) == term || term.chars().count() >= 4 && word.starts_with(term)
}

/// Whether a word says the opposite of a name (`unpaid` beside `paid_at`), is money that a name has in short (`fee_eur`)
/// or counts the hundredths of (`fee_cents`), or a unit of what a name measures (`hectares` beside `area_m2`).
fn follows_from(term: &str, names: &HashSet<String>) -> bool {
    let term = words::singular(&term.to_lowercase());
    let opposite = ["un", "non", "in"].iter().filter_map(|prefix| term.strip_prefix(prefix));
    let has = |name: &str| names.contains(name);
    let is_money = MONEY.iter().find(|(words, _)| words.contains(&term.as_str())).is_some_and(|(_, short)| {
        // Cents of euros are none of dollars.
        let is_another = MONEY.iter().any(|(_, other)| other != short && has(other));
        has(short) || !is_another && HUNDREDTHS.iter().any(|name| has(name))
    });
    let is_unit = MEASURES.iter().any(|(units, of)| units.contains(&term.as_str()) && of.iter().any(|name| has(name)));
    opposite.filter(|rest| rest.chars().count() >= 4).any(|rest| names.contains(rest.trim_start_matches('-')))
        || is_money
        || is_unit
}

/// Units of money as people say them, as stems, and as names have them in short.
const MONEY: [(&[&str], &str); 4] = [
    (&["euro", "eur"], "eur"),
    (&["dollar", "usd"], "usd"),
    (&["pound", "sterling", "gbp"], "gbp"),
    (&["franc", "chf"], "chf"),
];
/// Units of measure as people say them, as stems, and what names say of columns that are measured in one of them.
const MEASURES: [(&[&str], &[&str]); 4] = [
    (&["hectare", "acre", "sqm", "sqft"], &["area", "ha", "acre", "hectare", "sqm", "sqft", "surface"]),
    (
        &["litre", "liter", "hectolitre", "hectoliter", "millilitre", "milliliter", "gallon", "barrel"],
        &["vol", "volume", "l", "ml", "hl", "cl", "litre", "liter", "gal", "gallon", "bbl", "barrel", "capacity"],
    ),
    (
        &["kilo", "kilogram", "kilogramme", "gram", "gramme", "tonne", "ton", "pound", "ounce"],
        &["kg", "g", "gram", "weight", "wt", "mass", "net", "gross", "tare", "t", "ton", "tonne", "lb", "oz"],
    ),
    (
        &[
            "kilometre",
            "kilometer",
            "metre",
            "meter",
            "centimetre",
            "centimeter",
            "millimetre",
            "millimeter",
            "mile",
            "inch",
        ],
        &[
            "km",
            "m",
            "cm",
            "mm",
            "distance",
            "dist",
            "length",
            "height",
            "width",
            "depth",
            "elevation",
            "mile",
            "mileage",
        ],
    ),
];
/// What names call their hundredths, as stems.
const HUNDREDTHS: [&str; 7] = ["cent", "centime", "ct", "cts", "penny", "pence", "rappen"];

/// What is wrong with a candidate, in words a model can act on: what was found, what the database said, what is known of the
/// values and tables that it should have used. Nothing where it runs and there are only suspicions.
fn problems_of(candidate: &Candidate, composed: &Composed, question: &str) -> Vec<String> {
    let mut problems = repair::problems(&candidate.verdict.findings);
    if let Run::Failed(reason) = &candidate.run {
        problems.insert(0, format!("{}.", reason.trim_end_matches('.')));
    }
    problems.extend(candidate.rejected.iter().map(|correction| format!("It was rejected: {correction}.")));
    problems.extend(better_table(candidate, composed).map(|better| format!("{}.", capitalized(&better))));
    let found = doubts(candidate, composed, question);
    if found.contains(&Doubt::UnusedValue) {
        problems.extend(unused_values(candidate, composed));
    }
    if problems.is_empty() && !candidate.stands() {
        problems.extend(found.into_iter().map(|doubt| format!("{}.", capitalized(doubt.words()))));
    }
    problems
}

fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

#[cfg(test)]
mod tests {
    use super::follows_from;

    #[test]
    fn opposites_and_units_follow_from_names() {
        let follows =
            |term: &str, names: &[&str]| follows_from(term, &names.iter().map(|name| (*name).into()).collect());
        for (term, names, expected) in [
            ("unpaid", &["paid", "at"][..], true),
            ("unpaid", &["total"], false),
            ("under", &["der"], false),
            ("euros", &["amt", "ct"], true),
            ("Euro", &["fee", "eur"], true),
            ("dollars", &["amt", "ct", "eur"], false),
            ("euros", &["total"], false),
            ("hectares", &["area", "m2"], true),
            ("kilo", &["ct", "kg"], true),
            ("litres", &["area"], false),
            ("recurring", &["amt", "ct"], false),
        ] {
            assert_eq!(follows(term, names), expected, "{term} {names:?}");
        }
    }
}
