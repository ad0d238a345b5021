//! The [signals](crate::Signals) of a candidate, read off the statement, its rows, the question, the ranking and the drafts.

use guard::Severity;

use crate::candidate::Candidate;
use crate::context::Composed;
use crate::doubt::doubts;
use crate::question::content_words;
use crate::signals::{SURPRISE, Signals, WORST_TOKEN};

/// How the drafts of a question stand to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Drafts {
    /// How many there were.
    pub(crate) count: usize,
    /// The share of their votes that went to the rows of the one that was chosen, 0 to 1.
    pub(crate) share: f32,
}

/// Measures a candidate.
pub(crate) fn measure(candidate: &Candidate, composed: &Composed, question: &str, drafts: Drafts) -> Signals {
    let mut signals = Signals::default();
    if let Some(likelihood) = candidate.likelihood {
        signals.know(SURPRISE, (-likelihood.sum).clamp(0.0, 20.0));
        signals.know(WORST_TOKEN, (-likelihood.least).clamp(0.0, 8.0));
    }
    let reading = &candidate.verdict.reading;
    let used = reading.table_ids();
    let scores = used.iter().map(|id| composed.score(id));
    let weakest = scores.fold(1.0, f32::min);
    let rival = composed.linked.tables.iter().find(|table| !used.contains(&&table.id)).map_or(0.0, |table| table.score);
    signals.set("unsupported", 1.0 - composed.support(&used));
    signals.set("weakest_table", 1.0 - weakest);
    signals.set("better_table", (rival - weakest).max(0.0));
    signals.set("joined_tables", capped(used.len().saturating_sub(1), 5));
    signals.set("schema", (composed.linked.tables.len().max(1) as f32).ln());
    signals.set("words", capped(content_words(question).len(), 20) / 10.0);
    signals.set("unmatched", capped(unexplained(candidate, composed).len(), 4));
    signals.set("invented", capped(invented(candidate, composed, question), 3));
    signals.set(
        "selects",
        capped(words::in_text(&candidate.sql).iter().filter(|word| *word == "select").count().saturating_sub(1), 3),
    );
    let of = |severity| candidate.verdict.findings.iter().filter(|finding| finding.severity == severity).count();
    signals.set("warnings", capped(of(Severity::Warning), 3));
    signals.set("notes", capped(of(Severity::Hint), 3));
    signals.set("repairs", capped(candidate.repaired.len(), 3));
    signals.set("repaired_by_model", f32::from(u8::from(candidate.repaired_by_model)));
    signals.set("redrafted", f32::from(u8::from(drafts.count > 1)));
    signals.set("disagreement", 1.0 - drafts.share);
    for doubt in doubts(candidate, composed, question) {
        signals.set(doubt.name(), 1.0);
    }
    signals
}

/// Words of the question that nothing known explains, that no constant of the statement contains or contained, and that
/// everybody doesn't use all the time: `recurring`, but not `come`. An alias is the model's own word.
pub(crate) fn unexplained<'c>(candidate: &Candidate, composed: &'c Composed) -> Vec<&'c str> {
    let written = candidate.verdict.reading.literals.iter().map(|literal| &literal.value.text);
    let constants: Vec<String> = written.chain(&candidate.replaced).map(|text| text.to_lowercase()).collect();
    let embedder = llm::static_embedder();
    let is_unexplained = |term: &&str| {
        let term = term.to_lowercase();
        constants.iter().all(|text| !text.contains(&term))
            && !embedder.is_common(&term)
            && !embedder.is_common(&words::singular(&term))
    };
    composed.used.unmatched.iter().map(String::as_str).filter(is_unexplained).collect()
}

/// How many constants the statement compares with that the question doesn't say, and that no stored value which it names
/// stands for.
fn invented(candidate: &Candidate, composed: &Composed, question: &str) -> usize {
    let asked = question.to_lowercase();
    let stored = |text: &str| composed.values.iter().any(|value| value.stored.eq_ignore_ascii_case(text));
    let is_said = |text: &str| {
        let text = text.to_lowercase();
        let bare = text.trim_matches('%');
        // The first day of a month that the question names is a day that it doesn't.
        let year = bare.get(..4).filter(|year| bare.contains('-') && year.chars().all(|digit| digit.is_ascii_digit()));
        asked.contains(year.unwrap_or(bare)) || stored(&text)
    };
    candidate.verdict.reading.literals.iter().filter(|literal| !is_said(&literal.value.text)).count()
}

fn capped(count: usize, most: u8) -> f32 {
    f32::from(u8::try_from(count).unwrap_or(most).min(most))
}
