//! PostgreSQL.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::conversions::Conversions;
use crate::functions::{COMMON, Functions, POSTGRES, names_of};
use crate::spelling::{Escapes, Quotes, Spelling};
use crate::traits::{
    Account, Case, Clause, Engine, Form, Identities, Inlines, IntegerDivision, Names, PlanForm, Privileges, QueryLogs,
    Syntax, SystemNames, Values, Work,
};

/// `system_user` from version 16 on.
const VALUES: &[&str] = &[
    "current_catalog",
    "current_date",
    "current_role",
    "current_schema",
    "current_time",
    "current_timestamp",
    "current_user",
    "localtime",
    "localtimestamp",
    "session_user",
    "system_user",
    "user",
];

static PURE: LazyLock<BTreeSet<&str>> = LazyLock::new(|| names_of(&[COMMON, POSTGRES]));

pub(crate) static ENGINE: Engine = Engine {
    title: "PostgreSQL",
    spelling: Spelling { quotes: Quotes::Double, escapes: Escapes::Quotes, folds_bare_names: true },
    syntax: Syntax {
        case: Case::FoldsToLower,
        alias_clauses: &[Clause::GroupBy],
        implicit_columns: &["ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"],
        bare_values: VALUES,
        whole_row: true,
        null_tests_look_into_rows: true,
        values_columns: Some(("column", 1)),
        extended_strings: true,
        function_alias_is_column: true,
        forms: &[Form::Only, Form::FrameExclusion, Form::IsNull],
        hints_in_comments: true,
        calls_by_dot: true,
        comma_hides_from_on: true,
        refuses_ungrouped_columns: true,
        left_out_schemas: &["pg_temp"],
        ..Syntax::USUAL
    },
    names: Names {
        has_schemas: true,
        default_schemas: &["public"],
        views_look_at_home: false,
        views_name_their_database: false,
        table_case_depends_on_system: false,
        parts_are_listed: false,
        identities: Identities::Lasting,
        reserves_words_of_queries: true,
        system: SystemNames { prefixes: &["pg_"], names: &[], schemas: &["pg_catalog", "pg_toast"] },
        privileges: Privileges::Schemas,
        query_logs: Some(QueryLogs::Postgres),
    },
    functions: Functions {
        pure: &PURE,
        built_in_schemas: &["pg_catalog"],
        own_schema: Some("pg_catalog"),
        count_wants_argument: true,
        called_otherwise: &[],
    },
    values: Values {
        special_dates: true,
        integer_division: IntegerDivision::CutsByType,
        refuses_unlike_types: true,
        ..Values::USUAL
    },
    conversions: Conversions::USUAL,
    work: Work {
        one_row_matters: true,
        functions_make_rows: true,
        minus_takes_keys: true,
        recursions_remember: true,
        inlines: Inlines::WhereTold,
        ..Work::USUAL
    },
    account: Account {
        plans_tell_values: true,
        plans_name_partitions: true,
        stand_in: Some("CASE WHEN pg_catalog.random() < 2 THEN CAST(NULL AS {type}) END"),
        plan: PlanForm::NodesWithWidths,
        bounds_memory: false,
        ..Account::USUAL
    },
};
