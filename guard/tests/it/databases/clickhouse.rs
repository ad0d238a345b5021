//! What a ClickHouse server says of a database, and of itself.

use testkit::load::Loaded;

use super::{State, pairs};

/// What a query of the connector's sees of settings. `log_comment` and `database` go with each query.
pub(super) const SESSION: &str = "SELECT concat('setting ', name), value FROM system.settings \
     WHERE changed AND name NOT IN ('log_comment', 'database')";

/// What the server has beyond rows. Databases of other tests come and go meanwhile.
const EVERYTHING_ELSE: [&str; 5] = [
    "SELECT concat('table ', name), toString(uuid), engine, toString(metadata_modification_time), create_table_query
     FROM system.tables WHERE database = currentDatabase()",
    "SELECT concat('database ', name), engine FROM system.databases WHERE name NOT LIKE 'periplus%'",
    "SELECT concat('function ', name), create_query FROM system.functions WHERE origin = 'SQLUserDefined'",
    "SELECT concat('collection ', name), '' FROM system.named_collections",
    "SELECT concat('setting ', name), value FROM system.settings WHERE changed AND name NOT IN ('log_comment', 'database')",
];

pub(super) fn state(loaded: &mut Loaded) -> State {
    let mut state = State::new();
    for sql in EVERYTHING_ELSE {
        state.extend(pairs(loaded.rows(sql)));
    }
    let names = loaded.rows("SELECT name FROM system.tables WHERE database = currentDatabase()");
    for name in names.into_iter().flatten().flatten() {
        let sql = format!("SELECT 'rows of {name}', count(), sum(cityHash64(toString(tuple(*)))) FROM `{name}`");
        state.extend(pairs(loaded.rows(&sql)));
    }
    state
}
