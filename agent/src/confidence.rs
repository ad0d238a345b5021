//! How sure an answer is that no calibration is for.
//!
//! For a large model that nobody has measured the confidence is a product of named parts, so that each sign of trouble counts in
//! full whatever the others say. Its factors are set by eye:
//!
//! | part | value |
//! |---|---|
//! | the model | .95 |
//! | tables | .92 + .08 × the mean probability that the linker gives the tables used |
//! | rows | something came back 1; nothing, or only NULL, .6; not run .75 |
//! | findings | .8 for each warning that is left |
//! | words | .8 for each word of the question that nothing known explains |
//! | repair | .95 for each mechanical repair, .8 when the model had to be told |
//! | drafts | there was one 1; else .5 + .5 × the share that came to the same rows |

use crate::calibration::RANGE;
use crate::candidate::Run;
use crate::signals::Signals;

/// The confidence in an approved answer that was verified again.
pub(crate) const APPROVED: f32 = 0.98;

/// The confidence in a large model's answer that no calibration is for.
pub(crate) fn uncalibrated(signals: &Signals, run: &Run) -> f32 {
    let of = |name: &str| signals.get(name).unwrap_or_default();
    let rows = match run {
        Run::Rows(_) if of("empty") > 0.0 => 0.6,
        Run::Rows(_) => 1.0,
        Run::Omitted(_) => 0.75,
        Run::Failed(_) | Run::Refused => 0.05,
    };
    let tables = 1.0 - 0.08 * of("unsupported");
    let findings = 0.8_f32.powf(of("warnings"));
    let words = 0.8_f32.powf(of("unmatched"));
    let repair = 0.95_f32.powf(of("repairs")) * if of("repaired_by_model") > 0.0 { 0.8 } else { 1.0 };
    let drafts = 1.0 - 0.5 * of("disagreement");
    (0.95 * tables * rows * findings * words * repair * drafts).clamp(RANGE.0, RANGE.1)
}
