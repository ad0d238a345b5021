//! What the tests of this room share.

use catalog::{ColumnProfile, Entry, SampleMethod, Table, TableProfile};

/// A table whose rows somebody has looked at, so that its values may be shown.
pub(crate) fn examined(table: Table) -> Entry {
    let profile = TableProfile {
        table: table.id.clone(),
        fingerprint: table.fingerprint(),
        row_count: None,
        method: SampleMethod::AllRows,
        rows_seen: 0,
        profiled_at: jiff::Timestamp::UNIX_EPOCH,
        write_mark: None,
        columns: table.columns.iter().map(|column| ColumnProfile::empty(&column.name)).collect(),
        sample_rows: Vec::new(),
        stale: false,
        skipped: None,
    };
    Entry::bare(table).with_profile(profile)
}
