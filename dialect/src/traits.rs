//! The differences between dialects, each a field with a name. The facts are from the engines' manuals; those of names and
//! clauses were checked on the engines themselves.

use crate::conversions::Conversions;
use crate::functions::Functions;
use crate::spelling::Spelling;

/// All that is known of an engine's SQL.
#[derive(Debug)]
pub(crate) struct Engine {
    /// As its makers write it; empty where nobody here knows.
    pub(crate) title: &'static str,
    pub(crate) spelling: Spelling,
    pub(crate) syntax: Syntax,
    pub(crate) names: Names,
    pub(crate) functions: Functions,
    pub(crate) values: Values,
    pub(crate) conversions: Conversions,
    pub(crate) work: Work,
    pub(crate) account: Account,
}

/// How names are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// Case never matters: SQLite, MySQL's columns, DuckDB.
    Insensitive,
    /// Unquoted names are folded to lower case first, letters of ASCII only, and all names are cut: PostgreSQL.
    FoldsToLower,
    /// Case always matters: ClickHouse.
    Sensitive,
}

/// Which columns of a table its `*` may leave out, though they have names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HiddenColumns {
    /// None that introspection lists.
    None,
    /// Those that are made of others: ClickHouse's MATERIALIZED and ALIAS.
    Generated,
    /// Any: those that are INVISIBLE.
    Any,
}

/// The clauses of a select.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Clause {
    /// The select list.
    Select,
    /// FROM: arguments of table functions.
    From,
    /// ON and USING.
    On,
    /// WHERE and PREWHERE.
    Where,
    /// GROUP BY.
    GroupBy,
    /// HAVING.
    Having,
    /// QUALIFY.
    Qualify,
    /// Named windows.
    Window,
    /// ORDER BY.
    OrderBy,
    /// LIMIT and OFFSET.
    Limit,
}

/// A form of one or more dialects that common grammars of SQL don't have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `AS [NOT] MATERIALIZED (`: a hint that changes no result.
    Materialized,
    /// `EXCLUDE CURRENT ROW` and the like behind the frame of a window.
    FrameExclusion,
    /// `FROM ONLY t`: without the tables that inherit from it.
    Only,
    /// `EXTRACT(YEAR_MONTH FROM …)`, `INTERVAL '1:30' HOUR_MINUTE`.
    CompoundUnits,
    /// `a MOD b`.
    Modulo,
    /// `!a`.
    Bang,
    /// `a ISNULL`, which is `a IS NULL`.
    IsNull,
    /// `PRAGMA table_info(name)`: without quotes.
    PragmaArgument,
    /// `WITH value AS name`: ClickHouse's names of values.
    NamedValues,
    /// `ANY`, `ALL` and `ASOF` with JOIN, and `GLOBAL` in front of it and of IN.
    Strictness,
}

/// How statements are read: what names mean where, and which forms there are.
#[derive(Debug)]
pub struct Syntax {
    /// How names are compared.
    pub case: Case,
    /// An identifier in double quotes that names nothing is a string.
    pub double_quoted_fallback: bool,
    /// A name in single quotes where a table is expected names a file or an address.
    pub string_is_a_relation: bool,
    /// Clauses in which names given in the select list can be used, besides ORDER BY.
    pub alias_clauses: &'static [Clause],
    /// The select list sees the names given in it.
    pub lateral_aliases: bool,
    /// ORDER BY also sees names that columns have without `AS`.
    pub plain_names_in_order_by: bool,
    /// What `*` of a table may leave out.
    pub hidden_columns: HiddenColumns,
    /// Columns every table has that introspection doesn't list.
    pub implicit_columns: &'static [&'static str],
    /// Words that without quotes are values of the engine's own, whatever columns there are: tried on the engines, word
    /// by word of their grammars. Others that look like it, such as DuckDB's `current_date`, are columns where one has
    /// that name.
    pub bare_values: &'static [&'static str],
    /// TRUE and FALSE are columns where one has that name.
    pub truth_may_be_a_column: bool,
    /// FINAL behind a table's name makes rows with the same key one.
    pub final_merges_rows: bool,
    /// IN, ANY and ALL over a subquery without a table can end the server: MariaDB 10.11 aborts on such a one in HAVING or ON
    /// when a prepared statement is run.
    pub dies_of_bare_subqueries: bool,
    /// A relation's name is a value: its row.
    pub whole_row: bool,
    /// `IS NULL` of a row asks each of its fields.
    pub null_tests_look_into_rows: bool,
    /// A dotted name may go on into a nested value: `column.field`.
    pub nested_fields: bool,
    /// What stands in front of a dot is looked for among columns before it is among relations.
    pub fields_before_relations: bool,
    /// A common table expression can refer to itself without the word RECURSIVE.
    pub recursion_without_keyword: bool,
    /// What the columns of VALUES are called before their number; the number of the first.
    pub values_columns: Option<(&'static str, usize)>,
    /// `$$text$$`, `E'…'` and `U&'…'` are strings.
    pub extended_strings: bool,
    /// `#` begins a comment, and `--` only before a blank.
    pub hash_comments: bool,
    /// `N'…'` is a text of a national character set.
    pub national_strings: bool,
    /// DUAL is a table of one row that nobody has made.
    pub has_dual: bool,
    /// Some functions take a unit as their first argument, a word that is no name: `TIMESTAMPDIFF(DAY, a, b)`.
    pub unit_arguments: bool,
    /// The alias of a table function that returns single values is also its column.
    pub function_alias_is_column: bool,
    /// An unnamed expression is called by its text.
    pub expressions_named_by_text: bool,
    /// Forms that have to be understood besides.
    pub forms: &'static [Form],
    /// `IS` compares any two values, and `ISNULL` is an operator.
    pub is_compares_values: bool,
    /// A subquery in FROM may be LATERAL.
    pub lateral: bool,
    /// So is each one: it sees the relations in front of it without the word.
    pub subqueries_are_lateral: bool,
    /// `/*+ … */` can change settings of the session.
    pub hints_in_comments: bool,
    /// `(value).name` calls the function of that name.
    pub calls_by_dot: bool,
    /// ON sees all relations of FROM, also those that are joined after it.
    pub on_sees_all: bool,
    /// ON sees nothing that stands in front of a comma, but the queries further out.
    pub comma_hides_from_on: bool,
    /// A backslash in a quoted name begins an escape, which the parser takes for a character like any other.
    pub escapes_in_names: bool,
    /// A name given in the select list, or to a value in WITH, hides a column of that name, also in front of it.
    pub aliases_hide_columns: bool,
    /// `column:field` is a field of a document. In DuckDB `name: value` gives the value a name.
    pub colon_paths: bool,
    /// HAVING sees results and what is grouped by, and then the queries further out.
    pub having_looks_out: bool,
    /// A name behind IN can be a table's.
    pub tables_behind_in: bool,
    /// Where a comment ends that begins inside another depends on the engine's version.
    pub unsure_nested_comments: bool,
    /// Schemas that a table is found in by its bare name as well: that of the session, and the only other one.
    pub left_out_schemas: &'static [&'static str],
    /// A column beside an aggregate that isn't grouped by is an error.
    pub refuses_ungrouped_columns: bool,
    /// DESCRIBE and SHOW are statements.
    pub has_describe: bool,
    /// PRAGMA is a statement.
    pub has_pragmas: bool,
    /// What people who know other dialects miss, to be said beside a syntax error.
    pub lacks: Option<&'static str>,
}

/// Bytes of a name that PostgreSQL keeps.
const LONGEST_NAME: usize = 63;

impl Syntax {
    /// What most engines do.
    pub(crate) const USUAL: Self = Self {
        case: Case::Insensitive,
        alias_clauses: &[],
        implicit_columns: &[],
        forms: &[],
        double_quoted_fallback: false,
        string_is_a_relation: false,
        lateral_aliases: false,
        plain_names_in_order_by: true,
        hidden_columns: HiddenColumns::None,
        bare_values: &[],
        truth_may_be_a_column: false,
        final_merges_rows: false,
        dies_of_bare_subqueries: false,
        whole_row: false,
        null_tests_look_into_rows: false,
        nested_fields: false,
        fields_before_relations: false,
        recursion_without_keyword: false,
        values_columns: None,
        extended_strings: false,
        hash_comments: false,
        national_strings: true,
        has_dual: false,
        unit_arguments: false,
        function_alias_is_column: false,
        expressions_named_by_text: false,
        is_compares_values: false,
        lateral: true,
        subqueries_are_lateral: false,
        hints_in_comments: false,
        calls_by_dot: false,
        on_sees_all: false,
        comma_hides_from_on: false,
        escapes_in_names: false,
        aliases_hide_columns: false,
        colon_paths: false,
        having_looks_out: false,
        tables_behind_in: false,
        unsure_nested_comments: false,
        left_out_schemas: &[],
        refuses_ungrouped_columns: false,
        has_describe: true,
        has_pragmas: false,
        lacks: None,
    };

    /// The form in which a name is compared and stored.
    pub fn folded(&self, name: &str, is_quoted: bool) -> String {
        if self.case != Case::FoldsToLower {
            return name.to_owned();
        }
        let cut = &name[..name.floor_char_boundary(LONGEST_NAME)];
        if is_quoted { cut.to_owned() } else { cut.to_ascii_lowercase() }
    }

    /// Whether two folded names are the same.
    pub fn same(&self, left: &str, right: &str) -> bool {
        match self.case {
            Case::Insensitive => left.eq_ignore_ascii_case(right),
            Case::FoldsToLower | Case::Sensitive => left == right,
        }
    }

    /// Whether a word without quotes stands for a value of the engine's own.
    pub fn is_bare_value(&self, word: &str) -> bool {
        self.bare_values.iter().any(|value| value.eq_ignore_ascii_case(word))
    }

    /// Whether a word without quotes is a value, of the engine's own or of SQL's, and no name.
    pub fn is_value_word(&self, word: &str) -> bool {
        self.is_bare_value(word)
            || ["default", "false", "null", "true"].iter().any(|value| value.eq_ignore_ascii_case(word))
    }

    /// Whether names of the select list can be used in `clause`.
    pub fn sees_aliases(&self, clause: Clause) -> bool {
        match clause {
            Clause::OrderBy => true,
            Clause::Select => self.lateral_aliases,
            other => self.alias_clauses.contains(&other),
        }
    }
}

/// What tables and schemas are called.
#[derive(Debug)]
pub struct Names {
    /// A source holds several schemas, which the catalog keeps.
    pub has_schemas: bool,
    /// Schemas that may be left out of a name, where the source doesn't say which.
    pub default_schemas: &'static [&'static str],
    /// The query of a view looks into the view's own schema first.
    pub views_look_at_home: bool,
    /// The query of a view may name tables with the database that they are in, its own.
    pub views_name_their_database: bool,
    /// Whether the case of a table's name matters depends on the operating system.
    pub table_case_depends_on_system: bool,
    /// The catalog lists every relation that can give a table rows: no part of a table is left out.
    pub parts_are_listed: bool,
    /// What tells one table from another.
    pub identities: Identities,
    /// The words of which a query is made, such as `select` and `from`, name nothing unless they are quoted, stand behind a dot
    /// or behind AS.
    pub reserves_words_of_queries: bool,
    /// The engine's own tables.
    pub system: SystemNames,
    /// How columns are granted to a role.
    pub privileges: Privileges,
    /// Who writes its logs of queries, where their form is one that is read; anybody's may come as lines of JSON.
    pub query_logs: Option<QueryLogs>,
}

/// Whose logs of queries are read in their own form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryLogs {
    /// PostgreSQL's csvlog and jsonlog.
    Postgres,
    /// The general log and the slow log of MariaDB and MySQL.
    Mysql,
}

/// What an engine tells one table from another by, if anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identities {
    /// A number or name that no other table gets.
    Lasting,
    /// A place, which another table can get.
    Place,
    /// When the table was made or altered.
    Time,
}

/// How an engine's own tables are called, in lower case.
#[derive(Debug)]
pub struct SystemNames {
    /// What their names begin with.
    pub prefixes: &'static [&'static str],
    /// Whole names.
    pub names: &'static [&'static str],
    /// The schemas they are in, besides `information_schema`.
    pub schemas: &'static [&'static str],
}

/// How privileges on columns are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Privileges {
    /// There are none.
    None,
    /// To roles, in schemas whose use is granted as well.
    Schemas,
    /// To roles, in a database.
    Database,
    /// To accounts, which are a name and a host.
    Accounts,
}

/// How values compare.
#[derive(Debug)]
pub struct Values {
    /// A column holds values of any type, whatever its own.
    pub loose_types: bool,
    /// There are no types for dates and times: they are compared as texts.
    pub dates_are_texts: bool,
    /// `today`, `infinity` and the like are read as dates.
    pub special_dates: bool,
    /// Texts are equal where they differ in case, accents and blanks at the end alone, by the usual collations.
    pub equality_ignores_case: bool,
    /// LIKE doesn't mind case.
    pub like_ignores_case: bool,
    /// How to ask whether a list holds an item, with `{list}` and `{item}`.
    pub list_holds: &'static str,
    /// What `/` makes of two whole numbers.
    pub integer_division: IntegerDivision,
    /// Values of unlike types can't be compared: the statement is refused.
    pub refuses_unlike_types: bool,
}

impl Values {
    /// What most engines do.
    pub(crate) const USUAL: Self = Self {
        loose_types: false,
        dates_are_texts: false,
        special_dates: false,
        equality_ignores_case: false,
        like_ignores_case: false,
        list_holds: "{item} = ANY ({list})",
        integer_division: IntegerDivision::Exact,
        refuses_unlike_types: false,
    };
}

/// What `/` makes of two whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntegerDivision {
    /// A number with a fraction.
    Exact,
    /// A whole number, where the types are; sums of the widest type have a fraction.
    CutsByType,
    /// A whole number, where the values are.
    CutsByValue,
}

/// Which common table expressions are planned anew wherever they are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inlines {
    /// None that is read several times.
    Never,
    /// Those of which the statement says so.
    WhereTold,
    /// All.
    Always,
}

/// What computing costs more here than elsewhere, or comes out larger.
#[derive(Debug)]
pub struct Work {
    /// `generate_series`, `regexp_matches` and the like make rows where they are called, not lists.
    pub functions_make_rows: bool,
    /// LIKE tries each place for each `%`.
    pub like_tries_places: bool,
    /// Whether what is looked for in a document can be a list of paths, with something found for each.
    pub lists_of_paths: bool,
    /// `format` fills texts into a text, as `printf` does.
    pub format_fills_in: bool,
    /// Documents inside each other are read with the process's stack.
    pub documents_take_stack: bool,
    /// Minus takes keys out of a document, each of them looked for in all of it.
    pub minus_takes_keys: bool,
    /// Windows that move with the row are worked out anew for each, without a look at whether it was told to stop.
    pub windows_run_on: bool,
    /// Every row of a recursion that takes each but once is kept in memory.
    pub recursions_remember: bool,
    /// Which common table expressions are planned anew wherever they are read.
    pub inlines: Inlines,
    /// Groups are made by sorting all rows, on the disk where they are many.
    pub groups_by_sorting: bool,
    /// Rows that it works on between two looks at whether it was told to stop.
    pub rows_at_once: f64,
    /// The same of combinations of rows in a join: what its buffer holds.
    pub pairs_at_once: f64,
    /// What a single row makes it hold, or do before it looks whether it was told to stop, is bounded by nothing but its values.
    pub one_row_matters: bool,
    /// Whether `json_objectagg` keeps all that it is given, whatever limit a session has for what is collected.
    pub objects_without_limit: bool,
}

impl Work {
    /// What most engines do.
    pub(crate) const USUAL: Self = Self {
        functions_make_rows: false,
        like_tries_places: false,
        lists_of_paths: false,
        format_fills_in: true,
        documents_take_stack: false,
        minus_takes_keys: false,
        windows_run_on: false,
        recursions_remember: false,
        inlines: Inlines::Never,
        groups_by_sorting: false,
        rows_at_once: 1.0,
        pairs_at_once: 1.0,
        one_row_matters: false,
        objects_without_limit: false,
    };
}

/// What the engine says of a statement before it runs, and how far that can be believed.
#[derive(Debug)]
pub struct Account {
    /// Whether it tells what functions that somebody made read.
    pub functions: FunctionsTold,
    /// What a view names can mean a table that has come since.
    pub views_find_newer_tables: bool,
    /// EXPLAIN tells of values in tables behind views.
    pub plans_tell_values: bool,
    /// It isn't told of the columns that a natural join compares.
    pub lacks_natural_joins: bool,
    /// It is kept from whoever hasn't the rights of a view's owner, unless names stand without quotes.
    pub wants_bare_names: bool,
    /// The plan of a partitioned table names its parts.
    pub plans_name_partitions: bool,
    /// It computes parts of a statement to compile it, before it can be asked what it reads.
    pub computes_to_compile: bool,
    /// Queries of views are told by themselves, merged with those of the views behind them.
    pub tells_views_apart: bool,
    /// A common table expression gives on what was read in it, under its own name.
    pub names_common_tables: bool,
    /// Functions that it names as if they were tables.
    pub functions_as_tables: &'static [&'static str],
    /// What can stand for a column whose type is `{type}` without being folded into a constant; `None` where NULL can.
    pub stand_in: Option<&'static str>,
    /// The form of a plan.
    pub plan: PlanForm,
    /// What a session may hold in memory can be bounded in the engine.
    pub bounds_memory: bool,
}

impl Account {
    /// What most engines do.
    pub(crate) const USUAL: Self = Self {
        plan: PlanForm::None,
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
        bounds_memory: true,
    };
}

/// Whether an engine tells what functions that somebody made read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionsTold {
    /// It doesn't.
    Never,
    /// Where one is called.
    WhereCalled,
    /// Always, since a name may stand for one.
    Always,
}

/// The form in which a plan comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanForm {
    /// One document of nodes inside each other, with rows and widths: PostgreSQL's `EXPLAIN (FORMAT JSON)`.
    NodesWithWidths,
    /// One document of operators inside each other, with cardinalities as text: DuckDB's `EXPLAIN (FORMAT JSON)`.
    Operators,
    /// A row for each table, with how many rows are looked at for each of the one before: MySQL's `EXPLAIN`.
    RowForEachTable,
    /// A row for each table, with how many rows are read: ClickHouse's `EXPLAIN ESTIMATE`.
    RowsRead,
    /// A row for each loop, without numbers: SQLite's `EXPLAIN QUERY PLAN`.
    Loops,
    /// Nobody plans.
    None,
}
