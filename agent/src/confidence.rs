//! How far an answer can be trusted, as one number that is made of named parts.
//!
//! It is a product, so that each sign of trouble counts in full whatever the others say:
//!
//! | part | value |
//! |---|---|
//! | who drafted | a person approved it .98 (then nothing below counts); a large model .95; a small one .9 |
//! | tables | .7 + .3 × the mean probability that the linker gives the tables used |
//! | rows | something came back 1; nothing, or only NULL, .6; not run .75 |
//! | findings | .8 for each warning that is left |
//! | repair | .95 for each mechanical repair, .8 when the model had to be told |
//! | drafts | there was one 1; else .5 + .5 × the share that came to the same rows |
//!
//! The factors are set by eye after 57 training questions with the local model: of 43 first drafts without a doubt 38
//! were right, of the other answers 9 of 14. They are no fit; `eval ask` reports the calibration error.

use guard::{Severity, Verdict};

use crate::context::Composed;
use crate::doubt::says_nothing;
use crate::work::{Candidate, Run};

/// The confidence in an approved answer that was verified again.
pub(crate) const APPROVED: f32 = 0.98;

/// Who drafted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Drafter {
    Small,
    Large,
}

/// How far the drafts agree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Agreement {
    /// There was one.
    Single,
    /// This share of the drafts came to the same rows, 0 to 1.
    Share(f32),
}

/// The confidence in a candidate, .02 to .97.
pub(crate) fn confidence(
    candidate: &Candidate,
    composed: Option<&Composed>,
    drafter: Drafter,
    agreement: Agreement,
) -> f32 {
    let who = match drafter {
        Drafter::Small => 0.9,
        Drafter::Large => 0.95,
    };
    let tables = candidate.verdict.reading.table_ids();
    let support = composed.map_or(0.5, |composed| composed.support(&tables));
    let rows = match &candidate.run {
        Run::Rows(result) if says_nothing(result) => 0.6,
        Run::Rows(_) => 1.0,
        Run::Omitted(_) => 0.75,
        Run::Failed(_) | Run::Refused => 0.05,
    };
    let repair = 0.95_f32.powi(exponent(candidate.mended.len())) * if candidate.repaired_by_model { 0.8 } else { 1.0 };
    let candidates = match agreement {
        Agreement::Single => 1.0,
        Agreement::Share(share) => 0.5 + 0.5 * share,
    };
    let findings = 0.8_f32.powi(exponent(warnings(&candidate.verdict)));
    (who * (0.7 + 0.3 * support) * rows * findings * repair * candidates).clamp(0.02, 0.97)
}

fn warnings(verdict: &Verdict) -> usize {
    verdict.findings.iter().filter(|finding| finding.severity == Severity::Warning).count()
}

fn exponent(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}
