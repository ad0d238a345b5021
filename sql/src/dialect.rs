//! What the dialects do differently, each difference a field with a name.
//!
//! The resolver asks for a trait ("are aliases seen in WHERE?") and never for an engine, so that a new dialect is one
//! more value here. The facts are from the engines' manuals; SQLite's were checked against its `resolve.c`.

use std::any::TypeId;

use sqlparser::ast::{BinaryOperator, Expr, Ident};
use sqlparser::dialect::{
    BigQueryDialect, ClickHouseDialect, Dialect as ParserDialect, DuckDbDialect, GenericDialect, MySqlDialect,
    PostgreSqlDialect, Precedence, SQLiteDialect, SnowflakeDialect,
};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};

use crate::reading::Clause;
use crate::respelled::Form;

/// How names are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    /// Case never matters: SQLite, MySQL's columns, DuckDB.
    Insensitive,
    /// Unquoted names are folded to lower case first, letters of ASCII only, and all names are cut: PostgreSQL.
    FoldsToLower,
    /// Case always matters: ClickHouse.
    Sensitive,
}

/// Which columns of a table its `*` may leave out, though they have names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HiddenColumns {
    /// None that introspection lists.
    None,
    /// Those that are made of others: ClickHouse's MATERIALIZED and ALIAS.
    Generated,
    /// Any: those that are INVISIBLE.
    Any,
}

/// PostgreSQL's; `system_user` from version 16 on.
const POSTGRES_VALUES: &[&str] = &[
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

/// Those of MariaDB and MySQL.
/// Whether a word without quotes is a value to the engine, and no name.
pub fn is_value_word(dialect: &catalog::Dialect, word: &str) -> bool {
    let traits = Traits::of(dialect);
    let values = traits.bare_values.iter().chain(&["default", "false", "null", "true"]);
    values.into_iter().any(|value| value.eq_ignore_ascii_case(word))
}

const MYSQL_VALUES: &[&str] = &[
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

/// Bytes of a name that PostgreSQL keeps.
const LONGEST_NAME: usize = 63;

/// The differences.
#[derive(Clone, Debug)]
pub(crate) struct Traits {
    pub(crate) parser: fn() -> Box<dyn ParserDialect>,
    pub(crate) case: Case,
    /// An identifier in double quotes that names nothing is a string.
    pub(crate) double_quoted_fallback: bool,
    /// A name in single quotes where a table is expected names a file or an address.
    pub(crate) string_is_a_relation: bool,
    /// Clauses in which names given in the select list can be used, besides ORDER BY.
    pub(crate) alias_clauses: &'static [Clause],
    /// The select list sees the names given in it.
    pub(crate) lateral_aliases: bool,
    /// ORDER BY also sees names that columns have without `AS`.
    pub(crate) plain_names_in_order_by: bool,
    /// What `*` of a table may leave out.
    pub(crate) hidden_columns: HiddenColumns,
    /// Columns every table has that introspection doesn't list.
    pub(crate) implicit_columns: &'static [&'static str],
    /// Words that without quotes are values of the engine's own, whatever columns there are: tried on the engines, word
    /// by word of their grammars. Others that look like it, such as DuckDB's `current_date`, are columns where one has
    /// that name.
    pub(crate) bare_values: &'static [&'static str],
    /// TRUE and FALSE are columns where one has that name.
    pub(crate) truth_may_be_a_column: bool,
    /// FINAL behind a table's name makes rows with the same key one.
    pub(crate) final_merges_rows: bool,
    /// IN, ANY and ALL over a subquery without a table can end the server: MariaDB 10.11 aborts on such a one in HAVING or ON
    /// when a prepared statement is run.
    pub(crate) dies_of_bare_subqueries: bool,
    /// A relation's name is a value: its row.
    pub(crate) whole_row: bool,
    /// A dotted name may go on into a nested value: `column.field`.
    pub(crate) nested_fields: bool,
    /// A common table expression can refer to itself without the word RECURSIVE.
    pub(crate) recursion_without_keyword: bool,
    /// What the columns of VALUES are called before their number; the number of the first.
    pub(crate) values_columns: Option<(&'static str, usize)>,
    /// `$$text$$`, `E'…'` and `U&'…'` are strings.
    pub(crate) extended_strings: bool,
    /// `#` begins a comment, `--` only before a space, and `/*!` is executed.
    pub(crate) executable_comments: bool,
    /// The alias of a table function that returns single values is also its column.
    pub(crate) function_alias_is_column: bool,
    /// An unnamed expression is called by its text.
    pub(crate) expressions_named_by_text: bool,
    /// Forms that the parser doesn't know in this dialect, and that are respelled for it.
    pub(crate) forms: &'static [Form],
    /// A subquery in FROM may be LATERAL.
    pub(crate) lateral: bool,
    /// `/*+ … */` can change settings of the session.
    pub(crate) hints_in_comments: bool,
    /// `(value).name` calls the function of that name.
    pub(crate) calls_by_dot: bool,
    /// ON sees all relations of FROM, also those that are joined after it.
    pub(crate) on_sees_all: bool,
    /// A backslash in a quoted name begins an escape, which the parser takes for a character like any other.
    pub(crate) escapes_in_names: bool,
    /// A name given in the select list, or to a value in WITH, hides a column of that name, also in front of it.
    pub(crate) aliases_hide_columns: bool,
    /// `column:field` is a field of a document. In DuckDB `name: value` gives the value a name.
    pub(crate) colon_paths: bool,
    /// HAVING sees results and what is grouped by, and then the queries further out.
    pub(crate) having_looks_out: bool,
    /// A name behind IN can be a table's.
    pub(crate) tables_behind_in: bool,
    /// Where a comment ends that begins inside another depends on the engine's version.
    pub(crate) unsure_nested_comments: bool,
}

impl Traits {
    pub(crate) fn of(dialect: &catalog::Dialect) -> Self {
        use catalog::Dialect;
        match dialect {
            Dialect::Sqlite => Self::sqlite(),
            Dialect::Postgres => Self::postgres(),
            Dialect::Mysql => Self::mysql(),
            Dialect::Duckdb => Self::duckdb(),
            Dialect::Clickhouse => Self::clickhouse(),
            Dialect::Other(name) => Self::other(name),
        }
    }

    /// The form in which a name is compared and stored.
    pub(crate) fn fold(&self, ident: &Ident) -> String {
        if self.case != Case::FoldsToLower {
            return ident.value.clone();
        }
        let cut = ident.value.floor_char_boundary(LONGEST_NAME);
        let name = &ident.value[..cut];
        if ident.quote_style.is_none() { name.to_ascii_lowercase() } else { name.to_owned() }
    }

    /// Whether two folded names are the same.
    pub(crate) fn same(&self, left: &str, right: &str) -> bool {
        match self.case {
            Case::Insensitive => left.eq_ignore_ascii_case(right),
            Case::FoldsToLower | Case::Sensitive => left == right,
        }
    }

    /// Whether a name stands for a value of the engine's own.
    pub(crate) fn is_bare_value(&self, ident: &Ident) -> bool {
        ident.quote_style.is_none() && self.bare_values.iter().any(|word| word.eq_ignore_ascii_case(&ident.value))
    }

    /// Whether `*` of a table may bring fewer columns than it has. A view has those that its query gave it.
    pub(crate) fn leaves_out_columns(&self, table: &catalog::Table) -> bool {
        match self.hidden_columns {
            HiddenColumns::None => false,
            HiddenColumns::Generated => table.columns.iter().any(|column| column.generated.is_some()),
            HiddenColumns::Any => table.kind != catalog::TableKind::View,
        }
    }

    /// Whether names of the select list can be used in `clause`.
    pub(crate) fn sees_aliases(&self, clause: Clause) -> bool {
        match clause {
            Clause::OrderBy => true,
            Clause::Select => self.lateral_aliases,
            other => self.alias_clauses.contains(&other),
        }
    }

    fn sqlite() -> Self {
        Self {
            parser: || Box::new(Sqlite(SQLiteDialect {})),
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
            nested_fields: false,
            recursion_without_keyword: true,
            values_columns: Some(("column", 1)),
            extended_strings: false,
            executable_comments: false,
            function_alias_is_column: false,
            expressions_named_by_text: true,
            forms: &[Form::Materialized, Form::FrameExclusion, Form::PragmaArgument],
            lateral: false,
            hints_in_comments: false,
            having_looks_out: false,
            tables_behind_in: false,
            calls_by_dot: false,
            on_sees_all: true,
            escapes_in_names: false,
            aliases_hide_columns: false,
            colon_paths: false,
            unsure_nested_comments: false,
        }
    }

    fn postgres() -> Self {
        Self {
            parser: || Box::new(PostgreSqlDialect {}),
            case: Case::FoldsToLower,
            double_quoted_fallback: false,
            string_is_a_relation: false,
            alias_clauses: &[Clause::GroupBy],
            lateral_aliases: false,
            plain_names_in_order_by: true,
            hidden_columns: HiddenColumns::None,
            implicit_columns: &["ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"],
            bare_values: POSTGRES_VALUES,
            truth_may_be_a_column: false,
            final_merges_rows: false,
            dies_of_bare_subqueries: false,
            whole_row: true,
            nested_fields: false,
            recursion_without_keyword: false,
            values_columns: Some(("column", 1)),
            extended_strings: true,
            executable_comments: false,
            function_alias_is_column: true,
            expressions_named_by_text: false,
            forms: &[Form::Only, Form::FrameExclusion],
            lateral: true,
            hints_in_comments: true,
            having_looks_out: false,
            tables_behind_in: false,
            calls_by_dot: true,
            on_sees_all: false,
            escapes_in_names: false,
            aliases_hide_columns: false,
            colon_paths: false,
            unsure_nested_comments: false,
        }
    }

    fn mysql() -> Self {
        Self {
            parser: || Box::new(MySqlDialect {}),
            case: Case::Insensitive,
            double_quoted_fallback: false,
            string_is_a_relation: false,
            alias_clauses: &[Clause::GroupBy, Clause::Having],
            lateral_aliases: false,
            plain_names_in_order_by: true,
            hidden_columns: HiddenColumns::Any,
            implicit_columns: &["_rowid"],
            bare_values: MYSQL_VALUES,
            truth_may_be_a_column: false,
            final_merges_rows: false,
            dies_of_bare_subqueries: true,
            whole_row: false,
            nested_fields: false,
            recursion_without_keyword: false,
            values_columns: Some(("column_", 0)),
            extended_strings: false,
            executable_comments: true,
            function_alias_is_column: false,
            expressions_named_by_text: true,
            forms: &[Form::CompoundUnits, Form::Modulo, Form::Bang],
            lateral: true,
            hints_in_comments: true,
            having_looks_out: true,
            tables_behind_in: false,
            calls_by_dot: false,
            on_sees_all: false,
            escapes_in_names: false,
            aliases_hide_columns: false,
            colon_paths: false,
            unsure_nested_comments: false,
        }
    }

    fn duckdb() -> Self {
        Self {
            parser: || Box::new(DuckDbDialect {}),
            case: Case::Insensitive,
            double_quoted_fallback: false,
            string_is_a_relation: true,
            alias_clauses: &[Clause::Where, Clause::GroupBy, Clause::Having, Clause::Qualify],
            lateral_aliases: true,
            plain_names_in_order_by: true,
            hidden_columns: HiddenColumns::None,
            implicit_columns: &["rowid"],
            bare_values: &[],
            truth_may_be_a_column: false,
            final_merges_rows: false,
            dies_of_bare_subqueries: false,
            whole_row: true,
            nested_fields: true,
            recursion_without_keyword: false,
            values_columns: Some(("col", 0)),
            extended_strings: true,
            executable_comments: false,
            function_alias_is_column: true,
            expressions_named_by_text: false,
            forms: &[Form::Materialized, Form::FrameExclusion, Form::Strictness],
            lateral: true,
            hints_in_comments: false,
            having_looks_out: false,
            tables_behind_in: false,
            calls_by_dot: false,
            on_sees_all: false,
            escapes_in_names: false,
            aliases_hide_columns: false,
            colon_paths: false,
            unsure_nested_comments: true,
        }
    }

    fn clickhouse() -> Self {
        Self {
            parser: || Box::new(ClickHouseDialect {}),
            case: Case::Sensitive,
            double_quoted_fallback: false,
            string_is_a_relation: false,
            alias_clauses: &[Clause::On, Clause::Where, Clause::GroupBy, Clause::Having, Clause::Qualify],
            lateral_aliases: true,
            plain_names_in_order_by: true,
            hidden_columns: HiddenColumns::Generated,
            implicit_columns: &["_part", "_partition_id", "_part_index", "_part_uuid", "_table", "_database"],
            bare_values: &["inf", "infinity", "nan"],
            truth_may_be_a_column: false,
            final_merges_rows: true,
            dies_of_bare_subqueries: false,
            whole_row: false,
            nested_fields: true,
            recursion_without_keyword: false,
            values_columns: None,
            extended_strings: false,
            executable_comments: false,
            function_alias_is_column: false,
            expressions_named_by_text: true,
            forms: &[Form::Strictness, Form::NamedValues],
            lateral: false,
            hints_in_comments: false,
            having_looks_out: false,
            tables_behind_in: true,
            calls_by_dot: false,
            on_sees_all: false,
            escapes_in_names: true,
            aliases_hide_columns: true,
            colon_paths: false,
            unsure_nested_comments: true,
        }
    }

    /// Engines without a connector: the permissive reading, since nothing is run there.
    fn other(name: &str) -> Self {
        let parser: fn() -> Box<dyn ParserDialect> = match name {
            "bigquery" => || Box::new(BigQueryDialect {}),
            "snowflake" => || Box::new(SnowflakeDialect {}),
            _ => || Box::new(GenericDialect {}),
        };
        Self {
            parser,
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
            nested_fields: true,
            recursion_without_keyword: false,
            values_columns: None,
            extended_strings: true,
            executable_comments: false,
            function_alias_is_column: true,
            expressions_named_by_text: false,
            forms: &[],
            lateral: true,
            hints_in_comments: true,
            having_looks_out: false,
            tables_behind_in: false,
            calls_by_dot: true,
            on_sees_all: false,
            escapes_in_names: false,
            aliases_hide_columns: false,
            colon_paths: true,
            unsure_nested_comments: true,
        }
    }
}

/// sqlparser's SQLite, and what SQLite understands besides: `IS` between any two values, `ISNULL`, shifts, `$` in names.
/// Its `AS MATERIALIZED` is taken out of the tokens, see [`Form::Materialized`].
#[derive(Debug)]
struct Sqlite(SQLiteDialect);

impl ParserDialect for Sqlite {
    fn dialect(&self) -> TypeId {
        self.0.dialect()
    }

    fn is_delimited_identifier_start(&self, character: char) -> bool {
        self.0.is_delimited_identifier_start(character)
    }

    fn identifier_quote_style(&self, identifier: &str) -> Option<char> {
        self.0.identifier_quote_style(identifier)
    }

    fn is_identifier_start(&self, character: char) -> bool {
        self.0.is_identifier_start(character) || !character.is_ascii() && !character.is_whitespace()
    }

    fn is_identifier_part(&self, character: char) -> bool {
        self.is_identifier_start(character) || character.is_ascii_digit() || character == '$'
    }

    fn parse_statement(&self, parser: &mut Parser) -> Option<Result<sqlparser::ast::Statement, ParserError>> {
        self.0.parse_statement(parser)
    }

    fn parse_infix(&self, parser: &mut Parser, left: &Expr, precedence: u8) -> Option<Result<Expr, ParserError>> {
        if let Some(result) = self.0.parse_infix(parser, left, precedence) {
            return Some(result);
        }
        let word = |position: usize, parser: &Parser| match &parser.peek_nth_token_ref(position).token {
            sqlparser::tokenizer::Token::Word(word) if word.quote_style.is_none() => Some(word.keyword),
            _ => None,
        };
        if is_isnull(parser) {
            parser.next_token();
            return Some(Ok(Expr::IsNull(Box::new(left.clone()))));
        }
        if word(0, parser) != Some(Keyword::IS) {
            return None;
        }
        let negated = word(1, parser) == Some(Keyword::NOT);
        let known = [Keyword::NULL, Keyword::TRUE, Keyword::FALSE, Keyword::DISTINCT];
        if word(1 + usize::from(negated), parser).is_some_and(|keyword| known.contains(&keyword)) {
            return None;
        }
        parser.next_token();
        if negated {
            parser.next_token();
        }
        let op = if negated { BinaryOperator::NotEq } else { BinaryOperator::Eq };
        Some(parser.parse_subexpr(precedence).map(|right| Expr::BinaryOp {
            left: Box::new(left.clone()),
            op,
            right: Box::new(right),
        }))
    }

    fn get_next_precedence(&self, parser: &Parser) -> Option<Result<u8, ParserError>> {
        is_isnull(parser).then(|| Ok(self.prec_value(Precedence::Is)))
    }

    fn supports_filter_during_aggregation(&self) -> bool {
        self.0.supports_filter_during_aggregation()
    }

    fn supports_start_transaction_modifier(&self) -> bool {
        self.0.supports_start_transaction_modifier()
    }

    fn supports_in_empty_list(&self) -> bool {
        self.0.supports_in_empty_list()
    }

    fn supports_limit_comma(&self) -> bool {
        self.0.supports_limit_comma()
    }

    fn supports_asc_desc_in_column_definition(&self) -> bool {
        self.0.supports_asc_desc_in_column_definition()
    }

    fn supports_dollar_placeholder(&self) -> bool {
        self.0.supports_dollar_placeholder()
    }

    fn supports_notnull_operator(&self) -> bool {
        self.0.supports_notnull_operator()
    }

    fn supports_comma_separated_trim(&self) -> bool {
        self.0.supports_comma_separated_trim()
    }

    fn supports_numeric_literal_underscores(&self) -> bool {
        self.0.supports_numeric_literal_underscores()
    }

    fn supports_bitwise_shift_operators(&self) -> bool {
        true
    }
}

/// Whether the next token is SQLite's operator `ISNULL`.
fn is_isnull(parser: &Parser) -> bool {
    match &parser.peek_token_ref().token {
        sqlparser::tokenizer::Token::Word(word) => {
            word.quote_style.is_none() && word.value.eq_ignore_ascii_case("isnull")
        }
        _ => false,
    }
}
