//! Each form of log, read once and from where it was read to.

use catalog::Dialect;

use crate::fixture::Logs;

/// A line of csvlog of somebody's program.
fn csv_line(user: &str, database: &str, program: &str, message: &str, detail: &str) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    format!(
        "2026-11-28 16:30:00.123 UTC,{},{},4711,\"[local]\",6925,3,\"SELECT\",2026-11-28 16:00:00 UTC,3/12,0,LOG,00000,{},{},,,,,,,,{},\"client backend\",,0\n",
        quoted(user),
        quoted(database),
        quoted(message),
        quoted(detail),
        quoted(program),
    )
}

#[test]
fn a_csvlog_is_read_to_its_last_whole_line() {
    let mut logs = Logs::new(Dialect::Postgres);
    let mine =
        csv_line("ann", "shop", "psql", "statement: SELECT count(*)\n\tFROM orders\n\tWHERE status <> 'cancelled'", "");
    let ours = csv_line("periplus_reader", "shop", "periplus", "statement: SELECT * FROM orders", "");
    let elsewhere = csv_line("ann", "other", "psql", "statement: SELECT * FROM orders", "");
    let prepared =
        csv_line("app", "shop", "app", "execute s1: SELECT * FROM orders WHERE status = $1", "parameters: $1 = 'paid'");
    let half = csv_line("bob", "shop", "psql", "statement: SELECT id\n\tFROM orders", "");
    let (begun, rest) = half.split_at(half.find("\tFROM").unwrap());
    logs.write("pg.csv", &format!("{mine}{ours}{elsewhere}{prepared}{begun}"));
    assert_eq!(logs.read(), 2);
    assert_eq!(logs.read(), 0);
    let usage = logs.usage_of("orders");
    assert_eq!((usage.reads.statements, usage.reads.users, usage.reads.runs), (2, 2, 2));
    assert_eq!(usage.reads.last.unwrap().to_string(), "2026-11-28T16:30:00.123Z");
    logs.write("pg.csv", &format!("{mine}{ours}{elsewhere}{prepared}{begun}{rest}"));
    assert_eq!(logs.read(), 1);
    assert_eq!(logs.usage_of("orders").reads.users, 3);
}

#[test]
fn a_file_that_another_took_the_place_of_is_read_from_its_beginning() {
    let mut logs = Logs::new(Dialect::Postgres);
    let of = |user: &str| csv_line(user, "shop", "psql", "statement: SELECT count(*) FROM orders", "");
    logs.write("pg.csv", &(of("ann") + &of("bob")));
    assert_eq!(logs.read(), 2);
    logs.write("pg.csv", &(of("cyd") + &of("dan") + &of("eve")));
    assert_eq!(logs.read(), 3);
    assert_eq!(logs.usage_of("orders").reads.users, 5);
}

#[test]
fn a_jsonlog_says_the_same() {
    let mut logs = Logs::new(Dialect::Postgres);
    let line = |severity: &str, message: &str| {
        serde_json::json!({
            "timestamp": "2026-11-28 16:30:00.123 UTC", "user": "ann", "dbname": "shop", "pid": 1,
            "error_severity": severity, "message": message, "application_name": "psql",
        })
        .to_string()
            + "\n"
    };
    logs.write(
        "pg.json",
        &[
            line("LOG", "statement: SELECT count(*) FROM orders"),
            line("LOG", "duration: 0.231 ms  execute <unnamed>: SELECT id FROM orders"),
            line("LOG", "checkpoint starting: time"),
            line("ERROR", "relation \"order\" does not exist"),
        ]
        .concat(),
    );
    assert_eq!(logs.read(), 2);
    assert_eq!(logs.usage_of("orders").reads.runs, 2);
}

#[test]
fn a_general_log_is_followed_by_connection() {
    let mut logs = Logs::new(Dialect::Mysql);
    let head = "/usr/sbin/mariadbd, Version: 10.11.19-MariaDB (Debian 12). started with:\nTcp port: 3306  Unix socket: /run/x\n\
                Time\t\t    Id Command\tArgument\n";
    let log = format!(
        "{head}261128 16:30:00\t     5 Connect\tann@localhost on shop using Socket\n\
         \t\t     5 Query\tSELECT count(*)\nFROM orders\nWHERE status <> 'cancelled'\n\
         \t\t     6 Connect\tbob@localhost on  using Socket\n\
         \t\t     6 Query\tSELECT id FROM orders\n\
         261128 16:30:01\t     6 Init DB\tother\n\
         \t\t     6 Query\tSELECT id FROM orders WHERE id > 1\n\
         \t\t     7 Connect\tperiplus_reader@localhost on shop using Socket\n\
         \t\t     7 Query\tSELECT * FROM orders\n\
         \t\t     5 Prepare\tUPDATE orders SET status = ? WHERE id = ?\n\
         \t\t     5 Execute\tUPDATE orders SET status = 'paid' WHERE id = 3\n\
         \t\t     5 Query\tSELECT note FROM\n"
    );
    logs.write("general.log", &log);
    // The last one may go on.
    assert_eq!(logs.read(), 3);
    let usage = logs.usage_of("orders");
    assert_eq!((usage.reads.users, usage.writes.runs), (2, 1));
    logs.write("general.log", &(log + "orders\n\t\t     5 Quit\t\n"));
    assert_eq!(logs.read(), 1);
}

#[test]
fn a_slow_log_tells_users_and_databases() {
    let mut logs = Logs::new(Dialect::Mysql);
    let log = "# Time: 261128 16:30:00\n# User@Host: ann[ann] @ localhost []\n# Thread_id: 5  Schema: shop  QC_hit: No\n\
               # Query_time: 0.0003  Lock_time: 0.0001  Rows_sent: 1  Rows_examined: 3\nSET timestamp=1764347400;\n\
               SELECT count(*)\nFROM orders;\n\
               # User@Host: bob[bob] @ localhost []\n# Thread_id: 6  Schema: other  QC_hit: No\nSET timestamp=1764347401;\n\
               SELECT id FROM orders;\n\
               # User@Host: bob[bob] @ localhost []\n# Thread_id: 6  Schema: shop  QC_hit: No\nSET timestamp=1764347402;\n\
               SELECT id FROM orders;\n# Time: 261128 16:31:00\n";
    logs.write("slow.log", log);
    assert_eq!(logs.read(), 2);
    let usage = logs.usage_of("orders");
    assert_eq!((usage.reads.users, usage.reads.last.unwrap().as_second()), (2, 1_764_347_402));
}

#[test]
fn what_is_no_log_is_said_and_nothing_is_lost() {
    let mut logs = Logs::new(Dialect::Postgres);
    logs.write("a.csv", &csv_line("ann", "shop", "psql", "statement: SELECT count(*) FROM orders", ""));
    logs.write("b.txt", "once upon a time\n");
    // In a folder it is left out.
    assert_eq!(logs.read(), 1);
    let error = logs.try_read_of(&[logs.path("b.txt")]).unwrap_err();
    assert_eq!(error.code(), "unknown_log");
    assert!(error.to_string().contains("b.txt"));
    assert_eq!(logs.usage_of("orders").reads.runs, 1);
}

#[test]
fn any_bytes_are_read_without_a_panic() {
    let mut logs = Logs::new(Dialect::Postgres);
    let line = csv_line("ann", "shop", "psql", "statement: SELECT count(*) FROM orders WHERE status = 'paid'", "");
    for cut in 0..line.len() {
        let mut bytes = line.repeat(2).into_bytes();
        bytes[cut] = b'"';
        bytes.truncate(bytes.len() - cut);
        std::fs::write(logs.path("pg.csv"), bytes).unwrap();
        drop(logs.try_read());
    }
}

#[test]
fn what_a_server_writes_twice_is_read_once() {
    let mut logs = Logs::new(Dialect::Postgres);
    logs.write("pg-1.csv", &csv_line("ann", "shop", "psql", "statement: SELECT count(*) FROM orders", ""));
    logs.write("pg-1.json", "{\"user\": \"ann\", \"query\": \"SELECT count(*) FROM orders\"}\n");
    logs.write("pg-2.json", "{\"user\": \"bob\", \"query\": \"SELECT count(*) FROM orders\"}\n");
    assert_eq!(logs.read(), 2);
}

#[test]
fn a_log_that_was_renamed_is_the_same() {
    let mut logs = Logs::new(Dialect::Postgres);
    let of = |user: &str| csv_line(user, "shop", "psql", "statement: SELECT count(*) FROM orders", "");
    logs.write("pg.csv", &of("ann"));
    assert_eq!(logs.read(), 1);
    std::fs::rename(logs.path("pg.csv"), logs.path("pg.csv.1")).unwrap();
    logs.write("pg.csv.1", &(of("ann") + &of("bob")));
    logs.write("pg.csv", &(of("cyd") + &of("cyd")));
    assert_eq!(logs.read(), 3);
    assert_eq!(logs.read(), 0);
    assert_eq!(logs.usage_of("orders").reads.runs, 4);
}

#[test]
fn another_engines_log_is_refused() {
    let mut logs = Logs::new(Dialect::Mysql);
    logs.write("pg.csv", &csv_line("ann", "shop", "psql", "statement: SELECT count(*) FROM orders", ""));
    assert_eq!(logs.try_read().unwrap_err().code(), "log_of_another_engine");
}
