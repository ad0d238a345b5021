//! DuckDB.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::conversions::Conversions;
use crate::functions::{COMMON, DUCKDB, Functions, names_of};
use crate::spelling::{Escapes, Quotes, Spelling};
use crate::traits::{
    Account, Case, Clause, Engine, Form, FunctionsTold, Identities, Names, PlanForm, Privileges, Syntax, SystemNames,
    Values, Work,
};

static PURE: LazyLock<BTreeSet<&str>> = LazyLock::new(|| names_of(&[COMMON, DUCKDB]));

pub(crate) static ENGINE: Engine = Engine {
    title: "DuckDB",
    spelling: Spelling { quotes: Quotes::Double, escapes: Escapes::Quotes, folds_bare_names: false },
    syntax: Syntax {
        case: Case::Insensitive,
        string_is_a_relation: true,
        alias_clauses: &[Clause::Where, Clause::GroupBy, Clause::Having, Clause::Qualify],
        lateral_aliases: true,
        implicit_columns: &["rowid"],
        whole_row: true,
        nested_fields: true,
        values_columns: Some(("col", 0)),
        extended_strings: true,
        function_alias_is_column: true,
        subqueries_are_lateral: true,
        forms: &[Form::Materialized, Form::FrameExclusion, Form::Strictness, Form::IsNull],
        unsure_nested_comments: true,
        refuses_ungrouped_columns: true,
        left_out_schemas: &["main", "temp"],
        ..Syntax::USUAL
    },
    names: Names {
        has_schemas: true,
        default_schemas: &["main"],
        views_look_at_home: true,
        views_name_their_database: true,
        table_case_depends_on_system: false,
        parts_are_listed: false,
        identities: Identities::Lasting,
        reserves_words_of_queries: true,
        system: SystemNames {
            prefixes: &["duckdb_", "sqlite_", "pg_"],
            names: &[],
            schemas: &["pg_catalog", "system"],
        },
        privileges: Privileges::None,
        query_logs: None,
    },
    functions: Functions {
        pure: &PURE,
        built_in_schemas: &["main", "pg_catalog", "system"],
        own_schema: None,
        count_wants_argument: false,
        called_otherwise: &[],
    },
    values: Values { special_dates: true, ..Values::USUAL },
    conversions: Conversions::DUCKDB,
    // A vector has 2,048 rows (`STANDARD_VECTOR_SIZE`).
    work: Work {
        like_tries_places: true,
        lists_of_paths: true,
        documents_take_stack: true,
        rows_at_once: 2_048.0,
        ..Work::USUAL
    },
    account: Account {
        functions: FunctionsTold::Always,
        views_find_newer_tables: true,
        plans_tell_values: true,
        stand_in: Some("CASE WHEN random() < 2 THEN CAST(NULL AS {type}) END"),
        plan: PlanForm::Operators,
        ..Account::USUAL
    },
};
