//! What an engine's marks of writes say about a profile: whether it holds, without a row being read.

use catalog::{SampleMethod, TableProfile, WriteMark};

/// Share of its rows that a table that isn't read whole may gain or lose before it is profiled again.
pub const ROW_COUNT_TOLERANCE: f64 = 0.1;

/// What the engine's marks say about writes since a profile was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writes {
    /// None.
    None,
    /// Too few to matter to what is known of all.
    Few,
    /// Some that matter.
    Some,
    /// It doesn't say.
    Unknown,
}

/// What has been written since `profile` was made, as `now` tells. In a table that was read whole every row matters, in
/// others more than [`ROW_COUNT_TOLERANCE`] of them.
pub(crate) fn writes_since(profile: &TableProfile, now: Option<&WriteMark>) -> Writes {
    let (before, now) = match (&profile.write_mark, now) {
        (Some(before), Some(now)) => (before, now),
        // A mark that is there no more was lost in a restart, before which anything may have been written.
        (None, Some(_)) | (Some(_), None) => return Writes::Some,
        (None, None) => return Writes::Unknown,
    };
    if before == now {
        return Writes::None;
    }
    let whole = profile.method == SampleMethod::AllRows;
    match (before.rows_written, now.rows_written) {
        (Some(first), Some(last)) if before.epoch == now.epoch && !whole => {
            let rows = profile.row_count.map_or(0, |count| count.value);
            let matters = last.abs_diff(first) as f64 > ROW_COUNT_TOLERANCE * rows as f64;
            if matters { Writes::Some } else { Writes::Few }
        }
        (_, Some(_)) => Writes::Some,
        _ if whole => Writes::Some,
        // Something was written; the number of rows has to say whether it was much.
        _ => Writes::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use catalog::{Exactness, RowCount, SampleMethod, TableId, TableProfile, WriteMark};
    use jiff::Timestamp;

    use super::{Writes, writes_since};

    fn mark(rows_written: Option<u64>, epoch: &str) -> WriteMark {
        WriteMark { rows_written, epoch: epoch.to_owned() }
    }

    #[test]
    fn a_row_matters_where_all_were_read_and_a_tenth_elsewhere() {
        let profile = |method: SampleMethod, write_mark: Option<WriteMark>| TableProfile {
            table: TableId::new("s", "t"),
            fingerprint: String::new(),
            row_count: Some(RowCount { value: 1000, exactness: Exactness::Estimate }),
            method,
            rows_seen: 0,
            profiled_at: Timestamp::UNIX_EPOCH,
            same_since: None,
            write_mark,
            columns: Vec::new(),
            sample_rows: Vec::new(),
            facts: Vec::new(),
            stale: false,
            skipped: None,
        };
        let (whole, sample) = (SampleMethod::AllRows, SampleMethod::EngineStatistics);
        for (method, before, now, expected) in [
            (&whole, Some(mark(Some(5), "a")), Some(mark(Some(5), "a")), Writes::None),
            (&whole, Some(mark(Some(5), "a")), Some(mark(Some(6), "a")), Writes::Some),
            (&sample, Some(mark(Some(5), "a")), Some(mark(Some(105), "a")), Writes::Few),
            (&sample, Some(mark(Some(5), "a")), Some(mark(Some(106), "a")), Writes::Some),
            // Counting began anew: the numbers can't be compared.
            (&sample, Some(mark(Some(5), "a")), Some(mark(Some(5), "b")), Writes::Some),
            // Without a count, the number of rows has to tell.
            (&sample, Some(mark(None, "a")), Some(mark(None, "b")), Writes::Unknown),
            (&whole, Some(mark(None, "a")), Some(mark(None, "b")), Writes::Some),
            (&whole, None, Some(mark(None, "a")), Writes::Some),
            (&whole, Some(mark(None, "a")), None, Writes::Some),
            (&whole, None, None, Writes::Unknown),
        ] {
            let profile = profile(method.clone(), before.clone());
            assert_eq!(writes_since(&profile, now.as_ref()), expected, "{method:?} {before:?} {now:?}");
        }
    }
}
