//! MySQL and MariaDB.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::conversions::Conversions;
use crate::functions::{COMMON, Functions, MYSQL, names_of};
use crate::spelling::{Escapes, Quotes, Spelling};
use crate::traits::{
    Account, Case, Clause, Engine, Form, HiddenColumns, Identities, Inlines, Names, PlanForm, Privileges, QueryLogs,
    Syntax, SystemNames, Values, Work,
};

const VALUES: &[&str] = &[
    "current_date",
    "current_role",
    "current_time",
    "current_timestamp",
    "current_user",
    "localtime",
    "localtimestamp",
    "utc_date",
    "utc_time",
    "utc_timestamp",
];

static PURE: LazyLock<BTreeSet<&str>> = LazyLock::new(|| names_of(&[COMMON, MYSQL]));

pub(crate) static ENGINE: Engine = Engine {
    title: "MySQL",
    spelling: Spelling { quotes: Quotes::Backticks, escapes: Escapes::QuotesAndBackslashes, folds_bare_names: false },
    syntax: Syntax {
        case: Case::Insensitive,
        alias_clauses: &[Clause::GroupBy, Clause::Having],
        hidden_columns: HiddenColumns::Any,
        implicit_columns: &["_rowid"],
        bare_values: VALUES,
        dies_of_bare_subqueries: true,
        values_columns: Some(("column_", 0)),
        hash_comments: true,
        has_dual: true,
        unit_arguments: true,
        expressions_named_by_text: true,
        forms: &[Form::CompoundUnits, Form::Modulo, Form::Bang],
        hints_in_comments: true,
        having_looks_out: true,
        comma_hides_from_on: true,
        ..Syntax::USUAL
    },
    names: Names {
        has_schemas: false,
        default_schemas: &[],
        views_look_at_home: false,
        views_name_their_database: false,
        table_case_depends_on_system: true,
        parts_are_listed: false,
        identities: Identities::Time,
        reserves_words_of_queries: true,
        system: SystemNames { prefixes: &[], names: &[], schemas: &["mysql", "performance_schema", "sys"] },
        privileges: Privileges::Accounts,
        query_logs: Some(QueryLogs::Mysql),
    },
    functions: Functions {
        pure: &PURE,
        built_in_schemas: &[],
        own_schema: None,
        count_wants_argument: true,
        called_otherwise: &[],
    },
    values: Values { equality_ignores_case: true, like_ignores_case: true, ..Values::USUAL },
    conversions: Conversions::MYSQL,
    work: Work {
        format_fills_in: false,
        windows_run_on: true,
        inlines: Inlines::Always,
        // 256 kB of rows with two numbers each.
        pairs_at_once: 20_000.0,
        one_row_matters: true,
        objects_without_limit: true,
        ..Work::USUAL
    },
    account: Account {
        plans_tell_values: true,
        wants_bare_names: true,
        tells_views_apart: true,
        names_common_tables: true,
        plan: PlanForm::RowForEachTable,
        ..Account::USUAL
    },
};
