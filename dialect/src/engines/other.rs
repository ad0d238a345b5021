//! Engines without a connector: the permissive reading, since nothing is run there.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::conversions::Conversions;
use crate::functions::{CLICKHOUSE, COMMON, DUCKDB, Functions, MYSQL, POSTGRES, SQLITE, names_of};
use crate::spelling::{Escapes, Quotes, Spelling};
use crate::traits::{
    Account, Case, Clause, Engine, HiddenColumns, Identities, Names, PlanForm, Privileges, Syntax, SystemNames, Values,
    Work,
};

static PURE: LazyLock<BTreeSet<&str>> =
    LazyLock::new(|| names_of(&[COMMON, SQLITE, POSTGRES, MYSQL, DUCKDB, CLICKHOUSE]));

static PLAIN: Engine = engine_of("", Quotes::Double, Escapes::Quotes);
static SNOWFLAKE: Engine = engine_of("Snowflake", Quotes::Double, Escapes::Quotes);
/// It quotes names the way Hive does, but for a backtick in one.
static BIGQUERY: Engine = engine_of("BigQuery", Quotes::EscapedBackticks, Escapes::Backslashes);
static LIKE_HIVE: Engine = engine_of("", Quotes::Backticks, Escapes::Backslashes);

pub(crate) fn engine(name: &str) -> &'static Engine {
    match name {
        "bigquery" => &BIGQUERY,
        "snowflake" => &SNOWFLAKE,
        "databricks" | "hive" | "spark" => &LIKE_HIVE,
        _ => &PLAIN,
    }
}

const fn engine_of(title: &'static str, quotes: Quotes, escapes: Escapes) -> Engine {
    Engine {
        title,
        spelling: Spelling { quotes, escapes, folds_bare_names: false },
        syntax: Syntax {
            case: Case::Insensitive,
            string_is_a_relation: true,
            alias_clauses: &[Clause::Where, Clause::GroupBy, Clause::Having, Clause::Qualify],
            lateral_aliases: true,
            hidden_columns: HiddenColumns::Any,
            implicit_columns: &[],
            whole_row: true,
            nested_fields: true,
            extended_strings: true,
            function_alias_is_column: true,
            forms: &[],
            hints_in_comments: true,
            calls_by_dot: true,
            colon_paths: true,
            unsure_nested_comments: true,
            ..Syntax::USUAL
        },
        names: Names {
            has_schemas: false,
            default_schemas: &["main", "public", "dbo", "default"],
            views_look_at_home: true,
            views_name_their_database: true,
            table_case_depends_on_system: false,
            parts_are_listed: false,
            identities: Identities::Lasting,
            reserves_words_of_queries: false,
            system: SystemNames { prefixes: &["pg_", "sqlite_"], names: &[], schemas: &[] },
            privileges: Privileges::None,
            query_logs: None,
        },
        functions: Functions {
            pure: &PURE,
            built_in_schemas: &[],
            own_schema: None,
            count_wants_argument: false,
            called_otherwise: &[],
        },
        values: Values::USUAL,
        conversions: Conversions::USUAL,
        work: Work::USUAL,
        account: Account { plan: PlanForm::None, ..Account::USUAL },
    }
}
