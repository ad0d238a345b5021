//! ClickHouse.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::conversions::Conversions;
use crate::functions::{CLICKHOUSE, COMMON, Functions, names_of};
use crate::spelling::{Escapes, Quotes, Spelling};
use crate::traits::{
    Account, Case, Clause, Engine, Form, FunctionsTold, HiddenColumns, Identities, Inlines, Names, PlanForm,
    Privileges, Syntax, SystemNames, Values, Work,
};

static PURE: LazyLock<BTreeSet<&str>> = LazyLock::new(|| names_of(&[COMMON, CLICKHOUSE]));

pub(crate) static ENGINE: Engine = Engine {
    title: "ClickHouse",
    spelling: Spelling {
        quotes: Quotes::BackticksWithEscapes,
        escapes: Escapes::QuotesAndBackslashes,
        folds_bare_names: false,
    },
    syntax: Syntax {
        case: Case::Sensitive,
        alias_clauses: &[Clause::On, Clause::Where, Clause::GroupBy, Clause::Having, Clause::Qualify],
        lateral_aliases: true,
        hidden_columns: HiddenColumns::Generated,
        implicit_columns: &["_part", "_partition_id", "_part_index", "_part_uuid", "_table", "_database"],
        bare_values: &["inf", "infinity", "nan"],
        final_merges_rows: true,
        nested_fields: true,
        fields_before_relations: true,
        national_strings: false,
        expressions_named_by_text: true,
        forms: &[Form::Strictness, Form::NamedValues],
        lateral: false,
        escapes_in_names: true,
        aliases_hide_columns: true,
        tables_behind_in: true,
        unsure_nested_comments: true,
        refuses_ungrouped_columns: true,
        ..Syntax::USUAL
    },
    names: Names {
        has_schemas: false,
        default_schemas: &[],
        views_look_at_home: false,
        views_name_their_database: false,
        table_case_depends_on_system: false,
        parts_are_listed: true,
        identities: Identities::Lasting,
        reserves_words_of_queries: false,
        system: SystemNames { prefixes: &[], names: &[], schemas: &["system"] },
        privileges: Privileges::Database,
        query_logs: None,
    },
    functions: Functions {
        pure: &PURE,
        built_in_schemas: &[],
        own_schema: None,
        count_wants_argument: false,
        called_otherwise: &[],
    },
    values: Values { list_holds: "has({list}, {item})", ..Values::USUAL },
    conversions: Conversions::CLICKHOUSE,
    work: Work { inlines: Inlines::Always, ..Work::USUAL },
    account: Account {
        functions: FunctionsTold::WhereCalled,
        computes_to_compile: true,
        plan: PlanForm::RowsRead,
        ..Account::USUAL
    },
};
