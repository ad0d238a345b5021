//! SQLite 3; names and clauses were checked against its `resolve.c`.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::functions::{Functions, SQLITE, names_of};
use crate::spelling::{Escapes, Quotes, Spelling};
use crate::traits::{
    Account, Case, Clause, Engine, Form, FunctionsTold, HiddenColumns, Identities, IntegerDivision, Names, PlanForm,
    Privileges, Syntax, SystemNames, Values, Work,
};

/// It has so few functions that its list is complete by itself: what it lacks is worth saying at once.
static PURE: LazyLock<BTreeSet<&str>> = LazyLock::new(|| names_of(&[SQLITE]));

/// What functions of other dialects are called here: agents mix dialects up.
const CALLED_OTHERWISE: &[(&[&str], &str)] = &[
    (
        &["date_trunc", "date_format", "to_char", "year", "month", "day", "hour", "datepart", "date_part", "extract"],
        "strftime",
    ),
    (&["datediff", "date_diff", "timestampdiff", "age"], "julianday"),
    (&["getdate", "sysdate", "now", "curdate"], "datetime"),
    (&["date_add", "date_sub", "dateadd", "adddate", "to_date", "to_timestamp"], "date"),
    (&["unix_timestamp"], "unixepoch"),
    (&["string_agg", "listagg", "array_agg"], "group_concat"),
    (&["strpos", "charindex", "locate", "position"], "instr"),
    (&["len", "char_length"], "length"),
    (&["nvl", "isnull"], "ifnull"),
    (&["json_value", "get_json_object"], "json_extract"),
];

pub(crate) static ENGINE: Engine = Engine {
    title: "SQLite",
    spelling: Spelling { quotes: Quotes::Double, escapes: Escapes::Quotes, folds_bare_names: false },
    syntax: Syntax {
        case: Case::Insensitive,
        double_quoted_fallback: true,
        string_is_a_relation: false,
        alias_clauses: &[Clause::On, Clause::Where, Clause::GroupBy, Clause::Having],
        lateral_aliases: false,
        plain_names_in_order_by: false,
        hidden_columns: HiddenColumns::None,
        implicit_columns: &["rowid", "_rowid_", "oid"],
        bare_values: &["current_date", "current_time", "current_timestamp"],
        truth_may_be_a_column: true,
        final_merges_rows: false,
        dies_of_bare_subqueries: false,
        whole_row: false,
        null_tests_look_into_rows: false,
        nested_fields: false,
        fields_before_relations: false,
        recursion_without_keyword: true,
        values_columns: Some(("column", 1)),
        extended_strings: false,
        hash_comments: false,
        national_strings: false,
        has_dual: false,
        unit_arguments: false,
        function_alias_is_column: false,
        expressions_named_by_text: true,
        forms: &[Form::Materialized, Form::FrameExclusion, Form::PragmaArgument],
        is_compares_values: true,
        lateral: false,
        hints_in_comments: false,
        calls_by_dot: false,
        on_sees_all: true,
        escapes_in_names: false,
        aliases_hide_columns: false,
        colon_paths: false,
        having_looks_out: false,
        tables_behind_in: false,
        unsure_nested_comments: false,
        refuses_ungrouped_columns: false,
        has_describe: false,
        has_pragmas: true,
        lacks: Some("no TOP, ILIKE, DATE_TRUNC, EXTRACT or INTERVAL"),
    },
    names: Names {
        has_schemas: false,
        default_schemas: &["main"],
        views_look_at_home: false,
        table_case_depends_on_system: false,
        parts_are_listed: false,
        identities: Identities::Place,
        system: SystemNames { prefixes: &["sqlite_", "pragma_"], names: &["dbstat"], schemas: &[] },
        privileges: Privileges::None,
    },
    functions: Functions {
        pure: &PURE,
        built_in_schemas: &[],
        own_schema: None,
        count_wants_argument: false,
        called_otherwise: CALLED_OTHERWISE,
    },
    values: Values {
        loose_types: true,
        dates_are_texts: true,
        special_dates: false,
        equality_ignores_case: false,
        like_ignores_case: true,
        list_holds: "{item} = ANY ({list})",
        integer_division: IntegerDivision::CutsByValue,
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
        lacks_natural_joins: true,
        wants_bare_names: false,
        plans_name_partitions: false,
        computes_to_compile: false,
        tells_views_apart: false,
        names_common_tables: false,
        functions_as_tables: &["generate_series", "json_each", "json_tree"],
        stand_in: None,
        plan: PlanForm::Loops,
        bounds_memory: true,
    },
};
