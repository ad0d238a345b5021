//! SQLite 3; names and clauses were checked against its `resolve.c`.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::conversions::Conversions;
use crate::functions::{Functions, SQLITE, names_of};
use crate::spelling::{Escapes, Quotes, Spelling};
use crate::traits::{
    Account, Case, Clause, Engine, Form, Identities, IntegerDivision, Names, PlanForm, Privileges, Syntax, SystemNames,
    Values, Work,
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
        alias_clauses: &[Clause::On, Clause::Where, Clause::GroupBy, Clause::Having],
        plain_names_in_order_by: false,
        implicit_columns: &["rowid", "_rowid_", "oid"],
        bare_values: &["current_date", "current_time", "current_timestamp"],
        truth_may_be_a_column: true,
        recursion_without_keyword: true,
        values_columns: Some(("column", 1)),
        national_strings: false,
        expressions_named_by_text: true,
        forms: &[Form::Materialized, Form::FrameExclusion, Form::PragmaArgument, Form::IsNull],
        is_compares_values: true,
        lateral: false,
        on_sees_all: true,
        has_describe: false,
        has_pragmas: true,
        lacks: Some("no TOP, ILIKE, DATE_TRUNC, EXTRACT or INTERVAL"),
        left_out_schemas: &["main", "temp"],
        ..Syntax::USUAL
    },
    names: Names {
        has_schemas: false,
        default_schemas: &["main"],
        views_look_at_home: false,
        views_name_their_database: false,
        table_case_depends_on_system: false,
        parts_are_listed: false,
        identities: Identities::Place,
        reserves_words_of_queries: true,
        system: SystemNames { prefixes: &["sqlite_", "pragma_"], names: &["dbstat"], schemas: &[] },
        privileges: Privileges::None,
        query_logs: None,
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
        like_ignores_case: true,
        integer_division: IntegerDivision::CutsByValue,
        ..Values::USUAL
    },
    conversions: Conversions::SQLITE,
    work: Work { groups_by_sorting: true, ..Work::USUAL },
    account: Account {
        lacks_natural_joins: true,
        functions_as_tables: &["generate_series", "json_each", "json_tree"],
        plan: PlanForm::Loops,
        ..Account::USUAL
    },
};
