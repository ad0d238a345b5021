//! Engines without a connector: the permissive reading, since nothing is run there.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::functions::{CLICKHOUSE, COMMON, DUCKDB, Functions, MYSQL, POSTGRES, SQLITE, names_of};
use crate::spelling::{Escapes, Quotes, Spelling};
use crate::traits::{
    Account, Case, Clause, Engine, FunctionsTold, HiddenColumns, Identities, IntegerDivision, Names, PlanForm,
    Privileges, Syntax, SystemNames, Values, Work,
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
        spelling: Spelling { quotes: quotes, escapes: escapes, folds_bare_names: false },
        syntax: Syntax {
            case: Case::Insensitive,
            double_quoted_fallback: false,
            string_is_a_relation: true,
            alias_clauses: &[Clause::Where, Clause::GroupBy, Clause::Having, Clause::Qualify],
            lateral_aliases: true,
            plain_names_in_order_by: true,
            hidden_columns: HiddenColumns::Any,
            implicit_columns: &[],
            bare_values: &[],
            truth_may_be_a_column: false,
            final_merges_rows: false,
            dies_of_bare_subqueries: false,
            whole_row: true,
            null_tests_look_into_rows: false,
            nested_fields: true,
            fields_before_relations: false,
            recursion_without_keyword: false,
            values_columns: None,
            extended_strings: true,
            hash_comments: false,
            national_strings: true,
            has_dual: false,
            unit_arguments: false,
            function_alias_is_column: true,
            expressions_named_by_text: false,
            forms: &[],
            is_compares_values: false,
            lateral: true,
            hints_in_comments: true,
            calls_by_dot: true,
            on_sees_all: false,
            escapes_in_names: false,
            aliases_hide_columns: false,
            colon_paths: true,
            having_looks_out: false,
            tables_behind_in: false,
            unsure_nested_comments: true,
            refuses_ungrouped_columns: false,
            has_describe: true,
            has_pragmas: false,
            lacks: None,
        },
        names: Names {
            has_schemas: false,
            default_schemas: &["main", "public", "dbo", "default"],
            views_look_at_home: true,
            table_case_depends_on_system: false,
            parts_are_listed: false,
            identities: Identities::Lasting,
            system: SystemNames { prefixes: &["pg_", "sqlite_"], names: &[], schemas: &[] },
            privileges: Privileges::None,
        },
        functions: Functions {
            pure: &PURE,
            built_in_schemas: &[],
            own_schema: None,
            count_wants_argument: false,
            called_otherwise: &[],
        },
        values: Values {
            loose_types: false,
            dates_are_texts: false,
            special_dates: false,
            equality_ignores_case: false,
            like_ignores_case: false,
            list_holds: "{item} = ANY ({list})",
            integer_division: IntegerDivision::Exact,
            refuses_unlike_types: false,
        },
        work: Work {
            functions_make_rows: false,
            like_tries_places: false,
            format_fills_in: true,
            documents_take_stack: false,
            minus_takes_keys: false,
        },
        account: Account {
            functions: FunctionsTold::Never,
            views_find_newer_tables: false,
            plans_tell_values: false,
            lacks_natural_joins: false,
            wants_bare_names: false,
            plans_name_partitions: false,
            computes_to_compile: false,
            tells_views_apart: false,
            names_common_tables: false,
            functions_as_tables: &[],
            stand_in: None,
            plan: PlanForm::None,
            bounds_memory: true,
        },
    }
}
