//! What a MariaDB server says of a database, and of itself.

use catalog::Table;
use testkit::load::Loaded;

use super::{State, pairs};

/// Variables of a session that tell the time, or what the last statement gave.
macro_rules! moving {
    () => {
        "'TIMESTAMP', 'LAST_INSERT_ID', 'IDENTITY', 'INSERT_ID', 'RAND_SEED1', 'RAND_SEED2', 'PSEUDO_THREAD_ID', \
         'WARNING_COUNT', 'ERROR_COUNT', 'LAST_GTID', 'GTID_BINLOG_POS', 'GTID_BINLOG_STATE', 'GTID_CURRENT_POS', \
         'GTID_SLAVE_POS'"
    };
}

/// What a session of the connector's pool holds that a statement could leave behind.
pub(super) const SESSION: &str = concat!(
    "SELECT CONCAT('variable ', variable_name), variable_value FROM information_schema.session_variables \
     WHERE variable_name NOT IN (",
    moving!(),
    ") UNION ALL SELECT CONCAT('variable @', variable_name), variable_value FROM information_schema.user_variables"
);

/// What the server has beyond tables. Users and databases of other tests come and go meanwhile.
const EVERYTHING_ELSE: [&str; 8] = [
    "SELECT CONCAT('table ', table_name),
            CONCAT_WS(' ', table_type, engine, auto_increment, table_collation, create_time, create_options, table_comment)
     FROM information_schema.tables WHERE table_schema = DATABASE()",
    "SELECT CONCAT('column ', table_name, '.', column_name),
            CONCAT_WS(' ', ordinal_position, column_type, is_nullable, column_key, column_default, extra, column_comment)
     FROM information_schema.columns WHERE table_schema = DATABASE()",
    "SELECT CONCAT('routine ', routine_name), CONCAT_WS(' ', routine_type, last_altered, MD5(routine_definition))
     FROM information_schema.routines WHERE routine_schema = DATABASE()",
    "SELECT CONCAT('trigger ', trigger_name), CONCAT_WS(' ', event_object_table, created, MD5(action_statement))
     FROM information_schema.triggers WHERE trigger_schema = DATABASE()",
    "SELECT CONCAT('event ', event_name), last_altered FROM information_schema.events WHERE event_schema = DATABASE()",
    "SELECT CONCAT('user ', user, '@', host), MD5(priv) FROM mysql.global_priv WHERE user NOT LIKE 'periplus\\_%'",
    "SELECT CONCAT('lock ', order_id),
            CONCAT_WS(' ', IS_USED_LOCK(CONCAT(DATABASE(), order_id)), IS_USED_LOCK(DATABASE())) FROM orders",
    "SELECT CONCAT('plugin ', plugin_name), plugin_status FROM information_schema.plugins",
];

/// Whether it is the one that has sequences and RETURNING.
pub(super) fn is_mariadb(loaded: &mut Loaded) -> bool {
    loaded.rows("SELECT VERSION()").iter().flatten().flatten().any(|version| version.contains("MariaDB"))
}

/// Where nothing may be written, MariaDB doesn't tell the columns of views that write. Somebody may know them all the
/// same, and name them.
pub(super) fn complete(loaded: &mut Loaded, tables: &mut [Table]) {
    for table in tables.iter_mut().filter(|table| table.columns.is_empty()) {
        let name = &table.id.name;
        let listed = format!(
            "SELECT CONCAT(column_name, ' ', column_type) FROM information_schema.columns \
             WHERE table_schema = DATABASE() AND table_name = '{name}' ORDER BY ordinal_position"
        );
        let columns: Vec<String> = loaded.rows(&listed).into_iter().flatten().flatten().collect();
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        table.columns = testkit::table("spec", name, &columns).columns;
    }
}

pub(super) fn state(loaded: &mut Loaded) -> State {
    let mut state = State::new();
    for sql in EVERYTHING_ELSE {
        state.extend(pairs(loaded.rows(sql)));
    }
    let moving = moving!();
    let variables = format!(
        "SELECT CONCAT('variable ', variable_name), variable_value FROM information_schema.global_variables \
         WHERE variable_name NOT IN ({moving})"
    );
    state.extend(pairs(loaded.rows(&variables)));
    let names = |loaded: &mut Loaded, kind: &str| -> Vec<String> {
        let listed = format!(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_type = '{kind}'"
        );
        loaded.rows(&listed).into_iter().flatten().flatten().map(|name| format!("`{name}`")).collect()
    };
    let tables = names(loaded, "BASE TABLE");
    state.extend(pairs(loaded.rows(&format!("CHECKSUM TABLE {}", tables.join(", ")))));
    let counts = tables.iter().map(|table| format!("SELECT 'rows of {table}', COUNT(*) FROM {table}"));
    state.extend(pairs(loaded.rows(&counts.collect::<Vec<_>>().join(" UNION ALL "))));
    for sequence in names(loaded, "SEQUENCE") {
        state.extend(pairs(loaded.rows(&format!("SELECT 'place of {sequence}', s.* FROM {sequence} s"))));
    }
    state
}
