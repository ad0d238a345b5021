//! What speaks against an answer, and what one would have to know to give it, in sentences for the person who asked.

use catalog::Catalog;
use guard::{Finding, Severity};

use crate::agent::Drafter;
use crate::assumptions::departs_from;
use crate::candidate::Candidate;
use crate::context::Composed;
use crate::doubt::{Doubt, doubts, finds_none, unused_values};
use crate::measure::{Drafts, unexplained};
use crate::repair::is_about_literal;
use crate::signals::{SURPRISE, Signals};
use crate::unasked::{counted_repeatedly, made_up_number, open_end, unheeded};

/// From this much on, another table fits so much better that it is worth saying.
const BETTER_TABLE: f32 = 0.15;
/// From this on the model wrote something that it held for unlikely: one statement in a hundred like it.
const UNLIKELY: f32 = 4.6;

/// What stands between a draft and an answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Objections {
    /// What speaks against it.
    pub(crate) against: Vec<String>,
    /// What isn't known and would decide it.
    pub(crate) missing: Vec<String>,
    /// Whether it compares with a value that neither the question names nor the column holds.
    invents_a_value: bool,
    /// Whether it looks like the answer to another question, however sure the model is of it.
    pub(crate) of_another_question: bool,
}

impl Objections {
    /// Whether nothing that could be counted on comes of it.
    pub(crate) fn decline(&self) -> bool {
        !self.missing.is_empty() || self.invents_a_value
    }
}

/// What was asked, and what is known of its words.
pub(crate) struct AskedQuestion<'a> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) question: &'a str,
    /// What people wrote about the company; empty where they wrote nothing.
    pub(crate) company: &'a str,
    /// Who wrote the statement.
    pub(crate) drafter: Drafter,
    /// The question back, where there is one.
    pub(crate) two_readings: Option<&'a str>,
    /// The name in the catalog that is written much like a word.
    pub(crate) named: &'a dyn Fn(&str) -> Option<String>,
}

/// Everything that can be said against a candidate.
pub(crate) fn objections(
    candidate: &Candidate,
    composed: &Composed,
    drafts: Drafts,
    signals: &Signals,
    asked: &AskedQuestion<'_>,
) -> Objections {
    let findings = &candidate.verdict.findings;
    let unexplained = unexplained(candidate, composed).into_iter().map(|term| match (asked.named)(term) {
        Some(name) => format!("what `{term}` means: did you mean `{name}`?"),
        None => format!("what `{term}` means: no name, description, stored value or approved query here says it"),
    });
    // A large model knows that repairs are maintenance; what the company means by a word it doesn't know either, but it can
    // ask back, and somebody can look.
    let (mut missing, mut against): (Vec<String>, Vec<String>) = match asked.drafter {
        Drafter::Small => (unexplained.collect(), Vec::new()),
        Drafter::Large => (Vec::new(), unexplained.collect()),
    };
    let is_warned = |finding: &&Finding| finding.severity >= Severity::Warning;
    let question = asked.question.to_lowercase();
    // A value that the model came up with is its mistake, and not what the question wants to know about.
    let is_asked = |finding: &&Finding| {
        let written = finding.span.map(|span| span.text(&candidate.sql).to_lowercase()).unwrap_or_default();
        question.contains(written.trim_matches(['\'', '%', '"']))
    };
    let of_literals = findings.iter().filter(is_warned).filter(|finding| is_about_literal(finding));
    let (asked_for, invented): (Vec<&Finding>, Vec<&Finding>) = of_literals.partition(is_asked);
    missing.extend(asked_for.iter().map(|finding| finding.message.clone()));
    missing.extend(asked.two_readings.map(str::to_owned));

    let reading = &candidate.verdict.reading;
    let made_up = made_up_number(reading, asked.question, asked.company)
        .map(|number| format!("it compares with {number}, which the question doesn't say"));
    let unheeded = unheeded(asked.catalog, reading)
        .or_else(|| open_end(asked.catalog, reading))
        .or_else(|| counted_repeatedly(asked.catalog, reading, asked.question));
    let doubts = doubts(candidate, composed, asked.question);
    let finds_none = finds_none(candidate);
    // A small model writes conditions that contradict each other, and is as sure of them as of any.
    let is_hollow = asked.drafter == Drafter::Small && finds_none;
    let of_another_question =
        made_up.is_some() || unheeded.is_some() || is_hollow || doubts.contains(&Doubt::UnusedValue);
    let said_elsewhere =
        [Doubt::StrangeLiteral, Doubt::WrongFigure, Doubt::Stale, Doubt::Unjoined, Doubt::Rejected, Doubt::UnusedValue];
    let rejected = candidate.rejected.iter().map(|correction| format!("it was rejected before: “{correction}”"));
    against.extend(rejected);
    against.extend(invented.iter().map(|finding| format!("the model made up a value: {}", finding.message)));
    let others = findings
        .iter()
        .filter(is_warned)
        .filter(|finding| !is_about_literal(finding))
        .map(|finding| finding.message.clone());
    against.extend(others);
    against.extend(made_up.into_iter().chain(unheeded));
    let terms = composed.linked.terms.iter();
    let departures: Vec<String> = terms
        .filter_map(|term| {
            let missed = departs_from(term, &candidate.verdict)?;
            Some(format!(
                "`{}` is defined as {}, and the statement doesn't look at `{missed}`",
                term.asked, term.meaning
            ))
        })
        .collect();
    let departs = !departures.is_empty();
    against.extend(departures);
    if finds_none && !doubts.contains(&Doubt::Empty) {
        against.push("nothing meets its conditions, which may not be those that were meant".to_owned());
    }
    against.extend(
        doubts.into_iter().filter(|doubt| !said_elsewhere.contains(doubt)).map(|doubt| doubt.words().to_owned()),
    );
    let places = unused_values(candidate, composed).into_iter();
    against.extend(
        places.map(|place| format!("it leaves out a value that the question names: {}", place.trim_end_matches('.'))),
    );
    if drafts.share < 1.0 {
        against.push(format!("it was drafted {} times, and not always with the same rows", drafts.count));
    }
    against.extend(better_table(candidate, composed));
    if signals.get(SURPRISE).is_some_and(|surprise| surprise >= UNLIKELY) {
        against.push("the model gave this statement a low probability".to_owned());
    }
    against.dedup();
    let of_another_question = of_another_question || departs;
    Objections { against, missing, invents_a_value: !invented.is_empty(), of_another_question }
}

/// A table that isn't read and fits the question much better than one that is.
pub(crate) fn better_table(candidate: &Candidate, composed: &Composed) -> Option<String> {
    let used = candidate.verdict.reading.table_ids();
    let weakest = used.iter().min_by(|left, right| composed.score(left).total_cmp(&composed.score(right)))?;
    let better = composed.linked.tables.iter().find(|table| !used.contains(&&table.id))?;
    let score = composed.score(weakest);
    (better.score - score > BETTER_TABLE).then(|| {
        format!(
            "`{}` fits the question better than `{}`, which it reads ({:.0} % against {:.0} %)",
            better.id.local(),
            weakest.local(),
            better.score * 100.0,
            score * 100.0
        )
    })
}
