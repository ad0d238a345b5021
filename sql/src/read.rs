//! From text to reading: tokens, bounds, tree, names, and a second walk that looks for what the first one missed.
//!
//! Bounds come first, since a tree that is too deep can't even be dropped: the tokens give an upper bound of its depth
//! before it is built, and trees that are deep but allowed are read on a stack of their own.

use catalog::Dialect;
use dialect::Syntax;
use sqlparser::ast::{Expr, Query, Statement, UtilityOption};
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Location, TokenWithSpan, Tokenizer};

use crate::growth::Measure;
use crate::lexical::{Lexemes, MAXIMUM_DEPTH, MAXIMUM_TOKENS};
use crate::mention::mentions;
use crate::parser::parser_of;
use crate::reading::{Effect, EffectKind, Problem, ProblemKind, ResolvedStatement, StatementKind};
use crate::resolve::Resolver;
use crate::respelled::respelled;
use crate::schema::Schema;
use crate::span::{Lines, Span};
use crate::statement::{classify, first_word};
use crate::sweep;

/// Texts longer than this, in bytes, are not read.
pub const MAXIMUM_BYTES: usize = 1 << 20;
/// sqlparser's own limit on nested constructs. Its default of 50 refuses honest machine-written queries.
pub(crate) const PARSER_RECURSION: usize = 200;
/// Up to this depth a query is read on the caller's stack. Deeper ones get a stack of their own, and so does everything
/// that isn't a query: the parser follows `EXPLAIN EXPLAIN …` further than the tokens tell. A query inside another takes
/// 150 kB where nothing is optimised.
const SHALLOW: usize = if cfg!(debug_assertions) { 10 } else { 40 };
/// Enough for a tree of [`MAXIMUM_DEPTH`] in an unoptimised build.
pub(crate) const DEEP_STACK_BYTES: usize = 256 << 20;

/// Reads a text in a dialect against a schema. Total: whatever the text, the answer comes in bounded time and says what
/// could not be read.
pub fn read(sql: &str, dialect: &Dialect, schema: &dyn Schema) -> ResolvedStatement {
    if sql.len() > MAXIMUM_BYTES {
        return refused(ProblemKind::TooLong { bytes: sql.len(), limit: MAXIMUM_BYTES }, None);
    }
    let syntax = dialect.syntax();
    let lines = Lines::of(sql);
    let tokens = match Tokenizer::new(parser_of(dialect).as_ref(), sql).tokenize_with_location() {
        Ok(tokens) => tokens,
        Err(error) => {
            let place = point(sql, lines.offset(error.location));
            return refused(ProblemKind::ParseError { message: error.message }, place);
        }
    };
    if tokens.len() > MAXIMUM_TOKENS {
        return refused(ProblemKind::TooComplex, None);
    }
    let lexemes = Lexemes::of(sql, &tokens, syntax, &lines);
    let mut reading = ResolvedStatement::empty();
    reading.statements = lexemes.statements;
    reading.effects = lexemes.effects;
    reading.mentions = mentions(&tokens, &lines, dialect.names());
    if lexemes.statements == 0 {
        reading.problems.push(Problem { kind: ProblemKind::Empty, span: None });
        return reading;
    }
    if lexemes.depth > MAXIMUM_DEPTH {
        reading.problems.push(Problem { kind: ProblemKind::TooDeep, span: None });
        return reading;
    }
    let tokens = respelled(tokens, syntax.forms);
    let reader = Reader { sql, dialect, syntax, lines: &lines, schema };
    let is_query = ["SELECT", "WITH", "VALUES", "FROM"].contains(&first_word(sql).as_str());
    if is_query && lexemes.statements == 1 && lexemes.depth <= SHALLOW {
        return reader.read(tokens, reading);
    }
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name("sql-read".to_owned())
            .stack_size(DEEP_STACK_BYTES)
            .spawn_scoped(scope, || reader.read(tokens, reading))
            .ok()
            .and_then(|thread| thread.join().ok())
            .unwrap_or_else(|| refused(ProblemKind::TooDeep, None))
    })
}

/// Everything that stays the same while one text is read.
struct Reader<'a> {
    sql: &'a str,
    dialect: &'a Dialect,
    syntax: &'a Syntax,
    lines: &'a Lines<'a>,
    schema: &'a dyn Schema,
}

impl Reader<'_> {
    fn read(&self, tokens: Vec<TokenWithSpan>, mut reading: ResolvedStatement) -> ResolvedStatement {
        let dialect = parser_of(self.dialect);
        let parser = Parser::new(dialect.as_ref()).with_recursion_limit(PARSER_RECURSION);
        let statements = match parser.with_tokens_with_locations(tokens).parse_statements() {
            Ok(statements) => statements,
            Err(error) => {
                reading.problems.push(self.parse_problem(&error));
                reading.kind = kind_of_unparsed(self.sql);
                return reading;
            }
        };
        reading.statements = reading.statements.max(statements.len());
        let Some(statement) = statements.first() else {
            reading.problems.push(Problem { kind: ProblemKind::Empty, span: None });
            return reading;
        };
        let (kind, effect) = classify(statement, self.sql);
        reading.kind = kind;
        reading.effects.extend(effect);
        let mut resolver = Resolver::new(self.sql, self.syntax, self.lines, self.schema, reading);
        match statement {
            Statement::Query(query) => {
                resolver.statement(query);
                let missed = sweep::missed(query.as_ref(), resolver.visited());
                resolver.not_understood(missed);
            }
            Statement::Explain { statement, analyze, options, .. } => {
                self.explained(&mut resolver, statement, *analyze, options.as_deref().unwrap_or_default());
            }
            Statement::ExplainTable { table_name, .. } => resolver.described(table_name),
            _ => {}
        }
        let mut reading = resolver.finish();
        if let Some(query) = measured(statement) {
            let measure = Measure::new(self.dialect, self.syntax, self.lines, self.schema, &reading.recursions);
            (reading.growth, reading.most_combined) = measure.statement(query);
        }
        reading
    }

    /// What EXPLAIN explains. `ANALYZE` can stand before the statement or among the options in brackets.
    fn explained(&self, resolver: &mut Resolver<'_>, statement: &Statement, analyze: bool, options: &[UtilityOption]) {
        let harmless = ["format", "verbose", "costs", "summary", "settings", "buffers", "timing", "memory"];
        let runs = |option: &UtilityOption| !harmless.iter().any(|it| option.name.value.eq_ignore_ascii_case(it));
        if analyze || options.iter().any(runs) {
            resolver.effect(EffectKind::ExplainAnalyze, "`EXPLAIN ANALYZE` runs what it explains".to_owned(), None);
        }
        let is_word = |argument: &Expr| matches!(argument, Expr::Identifier(_) | Expr::Value(_));
        if options.iter().any(|option| option.arg.as_ref().is_some_and(|argument| !is_word(argument))) {
            resolver.not_understood(vec!["an option of `EXPLAIN`".to_owned()]);
        }
        if let Statement::Query(query) = statement {
            resolver.statement(query);
            let missed = sweep::missed(query.as_ref(), resolver.visited());
            resolver.not_understood(missed);
            return;
        }
        let text = statement.to_string();
        let (kind, effect) = classify(statement, &text);
        let what = match effect {
            Some(effect) => effect,
            None => Effect {
                kind: EffectKind::NotUnderstood,
                what: format!("`EXPLAIN` of {kind:?} is not known"),
                span: None,
            },
        };
        resolver.effect(what.kind, what.what, what.span);
    }

    fn parse_problem(&self, error: &ParserError) -> Problem {
        let message = match error {
            ParserError::RecursionLimitExceeded => return Problem { kind: ProblemKind::TooDeep, span: None },
            ParserError::ParserError(message) | ParserError::TokenizerError(message) => message,
        };
        let (message, place) = match message.rsplit_once(" at Line: ") {
            Some((message, place)) => (message, location(place)),
            None => (message.as_str(), None),
        };
        let span = point(self.sql, place.and_then(|place| self.lines.offset(place)));
        Problem { kind: ProblemKind::ParseError { message: shortened(message) }, span }
    }
}

/// The query whose values are measured.
fn measured(statement: &Statement) -> Option<&Query> {
    match statement {
        Statement::Query(query) => Some(query),
        Statement::Explain { statement, .. } => measured(statement),
        _ => None,
    }
}

/// What a text that doesn't parse seems to be, by its first word: worth saying, never worth trusting.
fn kind_of_unparsed(sql: &str) -> StatementKind {
    match first_word(sql).as_str() {
        "" | "SELECT" | "WITH" | "VALUES" | "FROM" => StatementKind::Unparsed,
        "INSERT" | "REPLACE" => StatementKind::Insert,
        "UPDATE" => StatementKind::Update,
        "DELETE" => StatementKind::Delete,
        word if KNOWN_COMMANDS.contains(&word) => StatementKind::Other(word.to_owned()),
        _ => StatementKind::Unparsed,
    }
}

const KNOWN_COMMANDS: [&str; 24] = [
    "ALTER", "ANALYZE", "ATTACH", "CALL", "COPY", "CREATE", "DETACH", "DO", "DROP", "EXEC", "EXECUTE", "EXPORT",
    "GRANT", "HANDLER", "IMPORT", "INSTALL", "KILL", "LOAD", "OPTIMIZE", "PRAGMA", "REINDEX", "SET", "SYSTEM",
    "VACUUM",
];

/// sqlparser's `3, Column: 14`.
fn location(text: &str) -> Option<Location> {
    let (line, column) = text.split_once(", Column: ")?;
    Some(Location { line: line.trim().parse().ok()?, column: column.trim().parse().ok()? })
}

/// The word that begins at an offset, or the end of the text.
fn point(sql: &str, offset: Option<usize>) -> Option<Span> {
    let start = offset?;
    let rest = sql.get(start..)?;
    let length: usize =
        rest.chars().take_while(|character| character.is_alphanumeric() || *character == '_').map(char::len_utf8).sum();
    let length = if length == 0 { rest.chars().next().map_or(0, char::len_utf8) } else { length };
    Some(Span { start, end: start + length })
}

/// Parser messages repeat tokens, and a token can be a megabyte.
fn shortened(message: &str) -> String {
    const LONGEST: usize = 300;
    match message.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &message[..end]),
        None => message.to_owned(),
    }
}

fn refused(kind: ProblemKind, span: Option<Span>) -> ResolvedStatement {
    let mut reading = ResolvedStatement::empty();
    reading.problems.push(Problem { kind, span });
    reading
}

#[cfg(test)]
mod tests;
