//! Rows as they are handed on, and the limits that keep them small.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::value::Value;

/// How much of a result is fetched, and for how long a statement may run. Whatever is reached first stops it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Rows.
    pub rows: usize,
    /// Bytes of all cells together.
    pub bytes: usize,
    /// Characters of one cell; the rest is cut off.
    pub cell_chars: usize,
    /// Wall-clock time, waiting for locks included.
    pub timeout: Duration,
}

impl Default for Limits {
    /// 1,000 rows, 1 MiB, 4,096 characters a cell, 10 seconds.
    fn default() -> Self {
        Self { rows: 1000, bytes: 1 << 20, cell_chars: 4096, timeout: Duration::from_secs(10) }
    }
}

/// Rows, all of the same width.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ResultSet {
    /// The engine's names for the columns; may repeat.
    pub columns: Vec<String>,
    /// The rows, in the engine's order.
    pub rows: Vec<Vec<Value>>,
    /// Why this is not everything, where it isn't: `row limit 1000`, `byte limit 1048576`,
    /// `cells cut at 4096 characters`; several are joined by `; `.
    pub truncated: Option<String>,
    /// From sending the statement to the last row.
    pub elapsed: Duration,
}

/// Collects rows until a limit is reached.
#[derive(Debug)]
pub(crate) struct RowCollector {
    limits: Limits,
    bytes: usize,
    rows: Vec<Vec<Value>>,
    stopped_by: Option<String>,
    cells_cut: bool,
}

/// Whether more rows are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    Continue,
    Stop,
}

impl RowCollector {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self { limits: limits.clone(), bytes: 0, rows: Vec::new(), stopped_by: None, cells_cut: false }
    }

    /// Takes a row that exists. A row that doesn't fit is left out and the reason kept, so a result that ends exactly
    /// at a limit is not called truncated.
    pub(crate) fn push(&mut self, mut row: Vec<Value>) -> Next {
        if self.rows.len() >= self.limits.rows {
            self.stopped_by = Some(format!("row limit {}", self.limits.rows));
            return Next::Stop;
        }
        for value in &mut row {
            if let Value::Text(text) = value
                && let Some((end, _)) = text.char_indices().nth(self.limits.cell_chars)
            {
                text.truncate(end);
                self.cells_cut = true;
            }
        }
        let weight: usize = row.iter().map(Value::weight).sum();
        if self.bytes + weight > self.limits.bytes {
            self.stopped_by = Some(format!("byte limit {}", self.limits.bytes));
            return Next::Stop;
        }
        self.bytes += weight;
        self.rows.push(row);
        Next::Continue
    }

    pub(crate) fn finish(self, columns: Vec<String>, elapsed: Duration) -> ResultSet {
        let cut = self.cells_cut.then(|| format!("cells cut at {} characters", self.limits.cell_chars));
        let reasons: Vec<String> = self.stopped_by.into_iter().chain(cut).collect();
        let truncated = (!reasons.is_empty()).then(|| reasons.join("; "));
        ResultSet { columns, rows: self.rows, truncated, elapsed }
    }
}

#[cfg(test)]
mod tests {
    use super::{Limits, RowCollector};
    use crate::value::Value;

    fn check(limits: Limits, rows: &[&str], expected_rows: usize, expected_reason: Option<&str>) {
        let mut collector = RowCollector::new(&limits);
        for row in rows {
            let _ = collector.push(vec![Value::Text((*row).to_owned())]);
        }
        let result = collector.finish(vec!["c".into()], std::time::Duration::ZERO);
        assert_eq!((result.rows.len(), result.truncated.as_deref()), (expected_rows, expected_reason));
    }

    #[test]
    fn stops_at_the_first_limit_and_says_which() {
        let limits = Limits { rows: 2, bytes: 1000, cell_chars: 3, ..Limits::default() };
        check(limits.clone(), &["a", "b"], 2, None);
        check(limits.clone(), &["a", "b", "c"], 2, Some("row limit 2"));
        check(limits.clone(), &["añb", "abcd"], 2, Some("cells cut at 3 characters"));
        check(limits.clone(), &["abcd", "b", "c"], 2, Some("row limit 2; cells cut at 3 characters"));
    }

    #[test]
    fn counts_bytes_of_all_cells() {
        let limits = Limits { rows: 10, bytes: 10, ..Limits::default() };
        check(limits, &["abc", "def", "g"], 2, Some("byte limit 10"));
    }
}
