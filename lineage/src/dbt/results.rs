//! What came of a project's last runs: `run_results.json`, of its tests, and `sources.json`, of how fresh its sources are.
//!
//! Source: <https://docs.getdbt.com/reference/artifacts/run-results-json> and
//! <https://docs.getdbt.com/reference/artifacts/sources-json>.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{if_it_fits, or_nothing};

/// What came of a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestOutcome {
    /// How it ended.
    pub status: TestStatus,
    /// How many rows failed, where that was counted.
    pub failures: Option<u64>,
    /// When.
    pub at: Option<Timestamp>,
}

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TestStatus {
    /// No row failed.
    Passed,
    /// Rows failed, which the project only warns of.
    Warned,
    /// Rows failed.
    Failed,
}

/// How fresh a source was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Freshness {
    /// Its newest row, by the column that the project names for it, or by what the engine keeps.
    pub loaded_at: Timestamp,
    /// When that was looked at.
    pub seen_at: Option<Timestamp>,
    /// Whether it was older than the project allows; nothing where it says nothing of that.
    pub is_late: Option<bool>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct RawRunResults {
    metadata: RawMetadata,
    #[serde(deserialize_with = "or_nothing")]
    results: Vec<RawResult>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RawMetadata {
    #[serde(deserialize_with = "if_it_fits")]
    generated_at: Option<Timestamp>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RawResult {
    unique_id: Option<String>,
    status: Option<String>,
    #[serde(deserialize_with = "if_it_fits")]
    failures: Option<u64>,
    #[serde(deserialize_with = "or_nothing")]
    timing: Vec<RawTiming>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RawTiming {
    #[serde(deserialize_with = "if_it_fits")]
    completed_at: Option<Timestamp>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct RawSources {
    #[serde(deserialize_with = "or_nothing")]
    results: Vec<RawFreshness>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RawFreshness {
    unique_id: Option<String>,
    status: Option<String>,
    #[serde(deserialize_with = "if_it_fits")]
    max_loaded_at: Option<Timestamp>,
    #[serde(deserialize_with = "if_it_fits")]
    snapshotted_at: Option<Timestamp>,
    #[serde(deserialize_with = "or_nothing")]
    criteria: RawCriteria,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RawCriteria {
    #[serde(deserialize_with = "or_nothing")]
    warn_after: RawPeriod,
    #[serde(deserialize_with = "or_nothing")]
    error_after: RawPeriod,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RawPeriod {
    #[serde(deserialize_with = "if_it_fits")]
    count: Option<f64>,
}

impl RawRunResults {
    /// What came of each test that was run to its end, by its id. What the results say of models, other commands than tests
    /// write as well, whose models were only compiled.
    pub(super) fn outcomes(self) -> BTreeMap<String, TestOutcome> {
        let generated_at = self.metadata.generated_at;
        let outcome = |result: RawResult| {
            let status = match result.status.as_deref()? {
                "pass" => TestStatus::Passed,
                "warn" => TestStatus::Warned,
                "fail" => TestStatus::Failed,
                _ => return None,
            };
            let at = result.timing.iter().filter_map(|timing| timing.completed_at).max().or(generated_at);
            Some((result.unique_id?, TestOutcome { status, failures: result.failures, at }))
        };
        self.results.into_iter().filter_map(outcome).collect()
    }
}

impl RawSources {
    /// How fresh each source was, by its id, where its newest row was found.
    pub(super) fn freshness(self) -> BTreeMap<String, Freshness> {
        let freshness = |result: RawFreshness| {
            let is_judged = result.criteria.warn_after.count.or(result.criteria.error_after.count).is_some();
            let is_late = match result.status.as_deref()? {
                "pass" => false,
                "warn" | "error" => true,
                _ => return None,
            };
            let is_late = Some(is_late).filter(|_| is_judged);
            let (loaded_at, seen_at) = (result.max_loaded_at?, result.snapshotted_at);
            Some((result.unique_id?, Freshness { loaded_at, seen_at, is_late }))
        };
        self.results.into_iter().filter_map(freshness).collect()
    }
}
