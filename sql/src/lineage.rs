//! What the statements of a script make of what they read: tables, and columns from columns.
//!
//! Unlike [`crate::read`], which judges a statement that somebody wants to run, this reads what has been run: any kind of
//! statement, several in a text, over tables that may be listed nowhere. A table that one statement creates is known to
//! those after it.

use std::collections::BTreeSet;

use catalog::{Dialect, TableId};
use dialect::Clause;
use serde::{Deserialize, Serialize};
use sqlparser::ast::{CreateFunctionBody, Expr, ObjectName, Set, Statement, Use};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};

use crate::lexical::{MAXIMUM_DEPTH, MAXIMUM_TOKENS, depth};
use crate::parser::parser_of;
use crate::read::{DEEP_STACK_BYTES, PARSER_RECURSION};
use crate::reading::{ColumnRef, ProblemKind, ResolvedStatement, StatementKind, Through, Visible};
use crate::resolve::{Made, Resolver};
use crate::respelled::respelled;
use crate::row_choice::RowChoice;
use crate::schema::Schema;
use crate::selection::{Selection, selections};
use crate::span::{Lines, Span};
use crate::statement::{classify, first_word};

mod growing;
mod templates;
mod unread;

use growing::{Becomes, Growing};
use templates::without_templates;
use unread::joined_update;

/// Longer texts, in bytes, are not read.
pub const MAXIMUM_SCRIPT_BYTES: usize = 16 << 20;

/// What one statement of a script makes of what it reads.
#[derive(Clone, Debug, PartialEq)]
pub struct StatementLineage {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub kind: StatementKind,
    /// What it makes: one table, mostly; a query its result.
    pub made: Vec<Made>,
    /// The tables that it takes away, empties or alters without making anything of others.
    pub changed: Vec<TableId>,
    /// The tables and views that it reads, each once, in order of appearance.
    pub reads: Vec<TableId>,
    /// The functions that it calls which its engine doesn't have, each as the table `name()`: a script may say what it reads.
    pub calls: Vec<TableId>,
    /// The columns of tables that it names or a `*` brings, wherever they stand, each once.
    pub columns: Vec<ColumnRef>,
    /// Columns that decide which rows there are, each with how, once.
    pub deciding: Vec<(ColumnRef, Role)>,
    /// What of its columns' values decides which rows there are.
    pub choice: RowChoice,
    /// The conditions that rows have to meet, as they are written, of the statement and of the queries in it.
    pub conditions: Vec<String>,
    /// Pairs of columns that it equates, of two tables.
    pub joins: Vec<(ColumnRef, ColumnRef)>,
    /// Which rows of the tables that it reads it is about.
    pub selections: Vec<Selection>,
    /// Columns of which it isn't known whose they are, or that nothing has.
    pub unsure: Vec<UnsureColumn>,
    /// Why it couldn't be read, where it couldn't.
    pub problem: Option<String>,
    /// The tables that it may fill from others in a way that isn't read: of a statement that couldn't be parsed, and of one that
    /// makes a routine, which is such a table itself.
    pub may_fill: Vec<TableId>,
    /// What it names that may be a table, where it may fill one.
    pub may_read: Vec<TableId>,
    /// What stands for the conditions under which it is run: those of the triggers that call the routine whose body it is in.
    pub within: Option<TableId>,
}

/// The name of a table that may be any: of a column of which only the name is known.
pub const ANY_TABLE: &str = "*";

/// A column that may be one of several tables', or that none is known to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsureColumn {
    /// Its name, as it is written.
    pub name: String,
    /// The tables that may have it.
    pub tables: Vec<String>,
    /// Whether none of them is known to have it.
    pub is_unknown: bool,
}

/// How a column decides which rows there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Rows are joined by it.
    Join,
    /// Rows are left out by it.
    Filter,
    /// Rows are grouped by it.
    Group,
}

/// Reads a script; names that aren't in the schema are taken to be tables of that source. Total, as [`crate::read`] is.
pub fn script_lineage(text: &str, dialect: &Dialect, schema: &dyn Schema, source: &str) -> Vec<StatementLineage> {
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name("sql-lineage".to_owned())
            .stack_size(DEEP_STACK_BYTES)
            .spawn_scoped(scope, || read_script(text, &without_templates(text, dialect), dialect, schema, source))
            .ok()
            .and_then(|thread| thread.join().ok())
            .unwrap_or_else(|| vec![unread(whole(text), "it is too deep".to_owned())])
    })
}

fn whole(text: &str) -> Span {
    Span { start: 0, end: text.len() }
}

fn unread(span: Span, problem: String) -> StatementLineage {
    StatementLineage {
        span,
        kind: StatementKind::Unparsed,
        made: Vec::new(),
        changed: Vec::new(),
        reads: Vec::new(),
        calls: Vec::new(),
        columns: Vec::new(),
        deciding: Vec::new(),
        choice: RowChoice::default(),
        conditions: Vec::new(),
        joins: Vec::new(),
        selections: Vec::new(),
        unsure: Vec::new(),
        problem: Some(problem),
        may_fill: Vec::new(),
        may_read: Vec::new(),
        within: None,
    }
}

/// Reads a script as an engine is given it; what stands in its place in the file is what is told.
fn read_script(
    written: &str,
    text: &str,
    dialect: &Dialect,
    schema: &dyn Schema,
    source: &str,
) -> Vec<StatementLineage> {
    if text.len() > MAXIMUM_SCRIPT_BYTES {
        let problem = format!("it has {} bytes, and {MAXIMUM_SCRIPT_BYTES} are read", text.len());
        return vec![unread(whole(text), problem)];
    }
    let lines = Lines::of(text);
    let mut tokens = Vec::new();
    let parser = parser_of(dialect);
    let error = Tokenizer::new(parser.as_ref(), text).tokenize_with_location_into_buf(&mut tokens).err();
    let (schema, trigger) = (Growing::over(schema), Vec::new());
    let mut script = Script { text: written, dialect, source, lines: &lines, schema, trigger };
    let mut statements: Vec<StatementLineage> = Vec::new();
    let mut parts: Vec<&[TokenWithSpan]> = tokens.split(|token| token.token == Token::SemiColon).collect();
    // What isn't closed is no statement, wherever it begins.
    let open = error.as_ref().and_then(|_| parts.pop()).unwrap_or_default();
    for tokens in parts {
        let is_blank = |token: &TokenWithSpan| matches!(token.token, Token::Whitespace(_) | Token::EOF);
        let mut words = tokens.iter().filter(|token| !is_blank(token));
        let Some(first) = words.next() else { continue };
        let last = words.next_back().unwrap_or(first);
        let (Some(start), Some(end)) = (lines.span(first.span), lines.span(last.span)) else { continue };
        let span = Span { start: start.start, end: end.end };
        // The end of a routine's body.
        if span.text(text).eq_ignore_ascii_case("end") {
            script.trigger.clear();
            continue;
        }
        statements.extend(script.statements(tokens, span));
    }
    if let Some(error) = error {
        let first = open.first().and_then(|token| lines.span(token.span)).map(|span| span.start);
        let start = first.or_else(|| lines.offset(error.location)).unwrap_or(text.len());
        statements.push(script.unread(open, Span { start, end: text.len() }, error.message));
    }
    statements
}

/// Everything that stays the same while a script is read, and what it has made so far.
struct Script<'a> {
    text: &'a str,
    dialect: &'a Dialect,
    source: &'a str,
    lines: &'a Lines<'a>,
    schema: Growing<'a>,
    /// The columns in the condition of the trigger whose body is being read.
    trigger: Vec<ColumnRef>,
}

impl Script<'_> {
    /// A statement, and those in the body of the routine that it makes. Conditions and loops around these aren't read.
    fn statements(&mut self, tokens: &[TokenWithSpan], span: Span) -> Vec<StatementLineage> {
        let mut body = None;
        let mut statement = self.statement(tokens, span, &mut body);
        let (own, is_plain) = self.body(tokens);
        if statement.problem.is_some() && is_plain && own.is_some() {
            statement = StatementLineage { problem: None, ..unread(span, String::new()) };
            body = own;
        }
        let routine = self.note_routine(tokens, body.is_some() && is_plain, &mut statement);
        self.note_trigger(tokens, &mut statement);
        let within = routine.map(|name| self.called_when(&name));
        let mut statements = vec![statement];
        let body = body.unwrap_or_default();
        let upper = body.to_ascii_uppercase();
        let inner = upper.find("BEGIN").and_then(|at| body.get(at + "BEGIN".len()..)).unwrap_or(&body);
        for part in inner.split(';').map(str::trim) {
            // What a loop or a condition begins with stands before the statement.
            let upper = part.to_ascii_uppercase();
            let words = ["THEN", "LOOP", "ELSE"].iter().filter_map(|word| Some(upper.rfind(word)? + word.len()));
            let starts = std::iter::once(0).chain(words);
            let mut texts = starts.filter_map(|start| part.get(start..)).map(str::trim);
            let Some(text) = texts.find(|text| is_sql(text)) else { continue };
            let found = read_script(text, text, self.dialect, &self.schema, self.source);
            statements.extend(found.into_iter().map(|found| StatementLineage {
                span,
                within: within.clone(),
                ..found
            }));
        }
        statements.iter_mut().for_each(|statement| statement.choice.deciding.extend(self.trigger.iter().cloned()));
        statements
    }

    fn statement(&mut self, tokens: &[TokenWithSpan], span: Span, body: &mut Option<String>) -> StatementLineage {
        let syntax = self.dialect.syntax();
        if tokens.len() > MAXIMUM_TOKENS {
            return self.unread(tokens, span, "it has too many words".to_owned());
        }
        if depth(tokens) > MAXIMUM_DEPTH {
            return self.unread(tokens, span, "it is nested too deeply".to_owned());
        }
        let parser = parser_of(self.dialect);
        let parse = |tokens: &[TokenWithSpan]| {
            Parser::new(parser.as_ref())
                .with_recursion_limit(PARSER_RECURSION)
                .with_tokens_with_locations(respelled(joined_update(tokens), syntax.forms))
                .parse_statements()
        };
        let parsed = parse(tokens).or_else(|error| match first_of_a_body(tokens) {
            Some(tokens) => parse(tokens),
            None => Err(error),
        });
        let statements = match parsed {
            Ok(statements) => statements,
            Err(ParserError::RecursionLimitExceeded) => {
                return self.unread(tokens, span, "it is nested too deeply".to_owned());
            }
            Err(ParserError::ParserError(message) | ParserError::TokenizerError(message)) => {
                return self.unread(tokens, span, message);
            }
        };
        let Some(statement) = statements.first() else { return unread(span, "there is no statement".to_owned()) };
        *body = body_of(statement);
        let reading = ResolvedStatement::empty();
        let home = self.schema.home.clone();
        let mut resolver =
            Resolver::new(self.text, syntax, self.lines, &self.schema, reading).with_unlisted_in(self.source, &home);
        let made = resolver.all_made(statement);
        let changed = resolver.changed(statement);
        let becomes = match statement {
            Statement::Drop { .. } => Becomes::Gone,
            Statement::AlterTable(_) => Becomes::Altered,
            _ => Becomes::Filled,
        };
        let (reads, conditions) = (resolver.tables_read(), resolver.conditions_met());
        let reading = resolver.finish();
        let selections = selections(&reading, &self.schema);
        self.schema.note(&made, &changed, becomes);
        if let Some(home) = home_of(statement) {
            (self.schema.home, self.schema.others) = home;
        }
        StatementLineage {
            span,
            kind: classify(statement, span.text(self.text)).0,
            calls: self.calls(&reading),
            columns: columns(&reading),
            deciding: deciding(&reading),
            choice: RowChoice::of(&reading),
            conditions,
            joins: joins(&reading),
            selections: selections.into_iter().filter(|selection| reads.contains(&selection.table)).collect(),
            unsure: unsure(&reading),
            made,
            changed,
            reads,
            problem: None,
            may_fill: Vec::new(),
            may_read: Vec::new(),
            within: None,
        }
    }
}

impl Script<'_> {
    fn calls(&self, reading: &ResolvedStatement) -> Vec<TableId> {
        let known = self.dialect.functions().pure();
        let names = reading.functions.iter().map(|function| function.name());
        let names: BTreeSet<&str> = names.filter(|name| !known.contains(name)).collect();
        names.into_iter().map(|name| self.routine(name)).collect()
    }
}

/// The first statement in the body of a routine or trigger that these tokens begin: what stands behind BEGIN.
fn first_of_a_body(tokens: &[TokenWithSpan]) -> Option<&[TokenWithSpan]> {
    let is = |token: &TokenWithSpan, keywords: &[Keyword]| match &token.token {
        Token::Word(word) => word.quote_style.is_none() && keywords.contains(&word.keyword),
        _ => false,
    };
    let mut words = tokens.iter().filter(|token| matches!(token.token, Token::Word(_)));
    let creates = is(words.next()?, &[Keyword::CREATE, Keyword::ALTER]);
    let routine = [Keyword::PROCEDURE, Keyword::FUNCTION, Keyword::TRIGGER];
    let makes_a_routine = creates && words.take(10).any(|word| is(word, &routine));
    let begin = tokens.iter().position(|token| is(token, &[Keyword::BEGIN]))?;
    makes_a_routine.then(|| &tokens[begin + 1..])
}

/// The schema, and what it is in, of names without one from this statement on: behind USE, or first in PostgreSQL's search
/// path; and the others of that path.
fn home_of(statement: &Statement) -> Option<(Vec<String>, Vec<String>)> {
    /// In PostgreSQL's path: one that hardly ever is there, and those in which no script makes what lasts.
    const PASSED_OVER: [&str; 3] = ["$user", "pg_temp", "pg_catalog"];
    let parts = |name: &ObjectName| -> Vec<String> {
        name.0.iter().filter_map(|part| part.as_ident()).map(|part| part.value.clone()).collect()
    };
    match statement {
        Statement::Use(
            Use::Catalog(name) | Use::Schema(name) | Use::Database(name) | Use::Warehouse(name) | Use::Object(name),
        ) => Some((parts(name), Vec::new())),
        Statement::Use(_) => Some((Vec::new(), Vec::new())),
        Statement::Set(Set::SingleAssignment { variable, values, .. }) => {
            let is_path = matches!(parts(variable).as_slice(), [name] if name.eq_ignore_ascii_case("search_path"));
            let schema = |value: &Expr| match value {
                Expr::Identifier(ident) => Some(ident.value.clone()),
                Expr::Value(value) => value.value.clone().into_string(),
                _ => None,
            };
            let path: Vec<String> = values.iter().filter(|_| is_path).map(schema).collect::<Option<_>>()?;
            let mut path = path.into_iter().filter(|schema| !PASSED_OVER.contains(&schema.as_str()));
            is_path.then(|| (path.next().into_iter().collect(), path.collect()))
        }
        _ => None,
    }
}

/// The body of a function, where it is a text.
fn body_of(statement: &Statement) -> Option<String> {
    let Statement::CreateFunction(function) = statement else { return None };
    match function.function_body.as_ref()? {
        CreateFunctionBody::AsBeforeOptions { body: Expr::Value(value), .. }
        | CreateFunctionBody::AsAfterOptions(Expr::Value(value)) => value.value.clone().into_string(),
        _ => None,
    }
}

/// Whether a statement of a routine's body is one of SQL, and none of the language around it.
fn is_sql(text: &str) -> bool {
    const WORDS: [&str; 9] = ["INSERT", "UPDATE", "DELETE", "MERGE", "CREATE", "ALTER", "DROP", "TRUNCATE", "WITH"];
    WORDS.contains(&first_word(text).as_str())
}

fn joins(reading: &ResolvedStatement) -> Vec<(ColumnRef, ColumnRef)> {
    let mut joins: Vec<(ColumnRef, ColumnRef)> = Vec::new();
    for join in reading.joins.iter().filter(|join| join.left.table != join.right.table) {
        let mut pair = [&join.left, &join.right];
        pair.sort();
        let pair = (pair[0].clone(), pair[1].clone());
        if !joins.contains(&pair) {
            joins.push(pair);
        }
    }
    joins
}

fn columns(reading: &ResolvedStatement) -> Vec<ColumnRef> {
    let mut seen: BTreeSet<&ColumnRef> = BTreeSet::new();
    let used = reading.columns.iter().filter(|used| used.through != Through::LeftOut).map(|used| &used.column);
    used.filter(|column| !column.table.name.is_empty() && seen.insert(column)).cloned().collect()
}

fn deciding(reading: &ResolvedStatement) -> Vec<(ColumnRef, Role)> {
    let role = |clause: Clause| match clause {
        Clause::On => Some(Role::Join),
        Clause::Where | Clause::Having | Clause::Qualify => Some(Role::Filter),
        Clause::GroupBy => Some(Role::Group),
        _ => None,
    };
    let equated = reading.joins.iter().flat_map(|join| [&join.left, &join.right]);
    let joined: BTreeSet<&ColumnRef> = equated.collect();
    let mut found: Vec<(ColumnRef, Role)> = Vec::new();
    for used in &reading.columns {
        let Some(role) = role(used.clause) else { continue };
        // The older way to join is a condition.
        let role = if role == Role::Filter && joined.contains(&used.column) { Role::Join } else { role };
        let decides = (used.column.clone(), role);
        if !found.contains(&decides) {
            found.push(decides);
        }
    }
    found
}

fn unsure(reading: &ResolvedStatement) -> Vec<UnsureColumn> {
    let named = |visible: &[Visible]| -> Vec<String> {
        let name = |it: &Visible| it.table.as_ref().map_or_else(|| it.name.clone(), TableId::local);
        visible.iter().map(name).filter(|name| !name.is_empty()).collect()
    };
    let mut found: Vec<UnsureColumn> = Vec::new();
    for problem in &reading.problems {
        let unsure = match &problem.kind {
            ProblemKind::AmbiguousTable { parts, candidates } => {
                let tables = candidates.iter().map(TableId::local).collect();
                UnsureColumn { name: parts.join("."), tables, is_unknown: false }
            }
            ProblemKind::AmbiguousColumn { name, candidates } => {
                UnsureColumn { name: name.clone(), tables: named(candidates), is_unknown: false }
            }
            ProblemKind::UnknownColumn { qualifier, name, visible, .. } => {
                let name = qualifier.iter().chain([name]).cloned().collect::<Vec<_>>().join(".");
                UnsureColumn { name, tables: named(visible), is_unknown: true }
            }
            ProblemKind::UnknownAlias { qualifier, column, .. } => {
                let name = format!("{qualifier}.{}", column.as_deref().unwrap_or("*"));
                UnsureColumn { name, tables: Vec::new(), is_unknown: true }
            }
            _ => continue,
        };
        if !found.contains(&unsure) {
            found.push(unsure);
        }
    }
    found
}
