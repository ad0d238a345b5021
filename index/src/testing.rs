//! What the tests of this room share.

use catalog::{Entry, SampleMethod, Table, TableProfile};

/// A table whose rows somebody has looked at, so that its values may be shown.
pub(crate) fn examined(table: Table) -> Entry {
    let profile = TableProfile::new(&table, SampleMethod::AllRows, jiff::Timestamp::UNIX_EPOCH);
    Entry::bare(table).with_profile(profile)
}
