//! The engines, and what each does differently on purpose.
//!
//! A further engine is one more value in [`ENGINES`]: where it runs, and the differences that follow from what it is.

use testkit::load::{ClickhouseServer, DuckdbFiles, MysqlServer, Place, PostgresServer};

use super::Difference;

/// An engine that is compared with SQLite.
pub(super) struct Engine {
    pub(super) name: &'static str,
    /// What names a server on which databases may be made, or a library that makes them.
    pub(super) variable: &'static str,
    /// That server, or a folder of files.
    pub(super) place: fn(&str) -> Box<dyn Place>,
    /// A statement that would read a file.
    pub(super) reads_a_file: &'static str,
    /// A statement that reads a table of the engine's own.
    pub(super) reads_the_engines_tables: &'static str,
    /// The shop's questions in its own SQL: a file in the fixture's folder `forms`.
    pub(super) forms: Option<&'static str>,
    by_design: &'static [&'static [Allowance]],
}

/// A difference that follows from what an engine is.
struct Allowance {
    /// The check's name.
    check: &'static str,
    applies: fn(&Difference) -> bool,
    reason: &'static str,
}

impl Engine {
    /// Why it differs, where that is meant.
    pub(super) fn reason(&self, check: &str, difference: &Difference) -> Option<&'static str> {
        let all = self.by_design.iter().copied().flatten();
        all.filter(|allowance| allowance.check == check)
            .find(|allowance| (allowance.applies)(difference))
            .map(|allowance| allowance.reason)
    }
}

/// What reads a file in SQLite, where extensions are loaded.
pub(super) const SQLITE_READS_A_FILE: &str = "SELECT readfile('/etc/passwd')";
pub(super) const SQLITE_READS_ITS_TABLES: &str = "SELECT name FROM sqlite_schema";

/// In the order of the page's columns.
pub(super) const ENGINES: &[Engine] = &[
    Engine {
        name: "PostgreSQL",
        variable: "PERIPLUS_TEST_POSTGRES",
        place: |url| Box::new(PostgresServer::at(url)),
        reads_a_file: "SELECT pg_read_file('/etc/passwd')",
        reads_the_engines_tables: "SELECT relname FROM pg_catalog.pg_class",
        forms: Some("postgres.sql"),
        by_design: &[TYPED, POSTGRES],
    },
    Engine {
        name: "MariaDB",
        variable: "PERIPLUS_TEST_MYSQL",
        place: |url| Box::new(MysqlServer::at(url)),
        reads_a_file: "SELECT load_file('/etc/passwd')",
        reads_the_engines_tables: "SELECT user FROM mysql.user",
        forms: Some("mysql.sql"),
        by_design: &[TYPED, MARIADB],
    },
    Engine {
        name: "DuckDB",
        variable: "PERIPLUS_TEST_DUCKDB",
        place: |library| Box::new(DuckdbFiles::by(library)),
        reads_a_file: "SELECT content FROM read_text('/etc/passwd')",
        reads_the_engines_tables: "SELECT table_name FROM information_schema.tables",
        forms: None,
        by_design: &[TYPED, DUCKDB],
    },
    Engine {
        name: "ClickHouse",
        variable: "PERIPLUS_TEST_CLICKHOUSE",
        place: |url| Box::new(ClickhouseServer::at(url)),
        reads_a_file: "SELECT * FROM file('/etc/passwd', 'LineAsString')",
        reads_the_engines_tables: "SELECT name FROM system.tables",
        forms: None,
        by_design: &[TYPED, CLICKHOUSE],
    },
];

/// Where types hold.
const TYPED: &[Allowance] = &[
    Allowance {
        check: "type classes",
        applies: |difference| difference.reference == "other, in a view",
        reason: "SQLite gives a view's computed columns no type",
    },
    Allowance {
        check: "nullable columns",
        applies: |difference| difference.reference == "nullable, in the primary key",
        reason: "only SQLite allows NULL in a primary key",
    },
];

const POSTGRES: &[Allowance] = &[
    Allowance {
        check: "a text compared with a number",
        applies: |difference| difference.found.starts_with("refuse: incomparable_types (error)"),
        reason: "PostgreSQL refuses such a comparison, before anything runs",
    },
    Allowance {
        check: "the place of NULL",
        applies: |difference| difference.found == "[[1]]",
        reason: "NULL is sorted behind everything",
    },
];

const MARIADB: &[Allowance] = &[
    Allowance {
        check: "times of the last change",
        applies: |difference| difference.reference == "none" && difference.found == "told by the engine",
        reason: "InnoDB knows when a table was last written to, here when it was copied",
    },
    Allowance {
        check: "type classes",
        applies: |difference| difference.reference == "boolean" && difference.found == "integer",
        reason: "`boolean` is another name of `tinyint(1)`",
    },
    Allowance {
        check: "indexes",
        applies: |difference| difference.reference == "none" && difference.found == "index of a foreign key",
        reason: "InnoDB makes an index for each foreign key",
    },
    Allowance {
        check: "another case of a value",
        applies: |difference| difference.found.starts_with("accept: ") && !difference.found.contains("value_case"),
        reason: "texts are compared without regard to case, so the value is found",
    },
    Allowance {
        check: "a join without a condition",
        applies: |difference| difference.found.contains("try is_test <> 1"),
        reason: "a truth value is a number",
    },
    Allowance {
        check: "upper and lower case",
        applies: |difference| difference.found == "[[226]]",
        reason: "texts are compared without regard to case",
    },
    Allowance {
        check: "division of whole numbers",
        applies: |difference| difference.found == r#"[["3.5000"]]"#,
        reason: "`/` keeps the fraction",
    },
];

const DUCKDB: &[Allowance] = &[
    Allowance {
        check: "defaults",
        applies: |difference| difference.reference == "0" && difference.found == "cast('f' as boolean)",
        reason: "false is written as `CAST('f' AS BOOLEAN)`",
    },
    Allowance {
        check: "the place of NULL",
        applies: |difference| difference.found == "[[1]]",
        reason: "NULL is sorted behind everything",
    },
    Allowance {
        check: "division of whole numbers",
        applies: |difference| difference.found == "[[3.5]]",
        reason: "`/` keeps the fraction",
    },
];

const CLICKHOUSE: &[Allowance] = &[
    Allowance {
        check: "the shop is there as a whole",
        applies: |difference| difference.subject.ends_with("ClickHouse has none"),
        reason: "there are no foreign keys, no UNIQUE, and no such indexes",
    },
    Allowance {
        check: "type classes",
        applies: |difference| difference.reference == "json" && difference.found == "text",
        reason: "documents are kept as texts, because its `JSON` takes them apart",
    },
    Allowance {
        check: "primary keys",
        applies: |difference| difference.found.is_empty(),
        reason: "its primary keys may hold a value twice, and are told among the indexes",
    },
    Allowance {
        check: "declared foreign keys",
        applies: |difference| difference.found.is_empty(),
        reason: "there are none",
    },
    Allowance {
        check: "inferred foreign keys",
        applies: |difference| {
            let to_unique = ["(customer_code)", "(order_number)"].iter().any(|key| difference.subject.ends_with(key));
            to_unique && difference.found == "not inferred"
        },
        reason: "those that SQLite declares are inferred as well, but none to a column that neither sorts its table nor is \
                 named like its key",
    },
    Allowance { check: "indexes", applies: |_| true, reason: "a table has the one by which its rows are sorted" },
    Allowance {
        check: "times of the last change",
        applies: |difference| difference.reference == "none" && difference.found == "told by the engine",
        reason: "parts know when they were written, here when they were copied",
    },
    Allowance {
        check: "unions",
        applies: |difference| difference.found.starts_with("refused: the database reports: Unknown expression"),
        reason: "ORDER BY belongs to the last part of a UNION, which has no such column",
    },
    Allowance {
        check: "the place of NULL",
        applies: |difference| difference.found == "[[1]]",
        reason: "NULL is sorted behind everything",
    },
    Allowance {
        check: "division of whole numbers",
        applies: |difference| difference.found == "[[3.5]]",
        reason: "`/` keeps the fraction",
    },
];
