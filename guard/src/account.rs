//! What the engine takes a statement to read, against what it was judged to read.
//!
//! What a name means differs from engine to engine, in more ways than anybody has written down. So the engine is asked
//! which columns it takes the statement to read, once it has compiled it and before anything runs. In what it is asked, NULL
//! stands wherever the judgement has found a closed column and has said that it may stand there: then no closed column is
//! left by its own account, or a name means another column to it than to us.
//!
//! Invariant: nothing runs of which the engine says that it reads a closed column where none was judged.

mod asked;
mod told;

use catalog::{Catalog, Entry, Source, TableId, TableKind};
use connect::{ConnectError, StatementSession};
use dialect::FunctionsTold;
use sql::{ColumnRef, ResolvedStatement, StatementKind};

use self::asked::{Names, explained, hides_names, without_closed};
use self::told::Told;
use crate::finding::{Finding, Severity, Verdict};
use crate::functions::has_word;
use crate::live;
use crate::masks::Masks;
use crate::policy::{Policy, PolicyConfig, SensitiveColumns};
use crate::rule_name::RuleName;

/// The verdict with a finding where the engine reads a closed column that the statement wasn't judged to read.
///
/// # Errors
/// What the engine has against the statement itself. Of what it is asked in its place, it is a finding.
pub(crate) async fn with_account(
    verdict: Verdict,
    sql: &str,
    catalog: &Catalog,
    source: &Source,
    session: &mut dyn StatementSession,
    policy: &Policy,
) -> Result<Verdict, ConnectError> {
    let config = policy.config_of(&source.name);
    let mut closed = Closed { masks: Masks::of(catalog), config };
    let reads = live::relations_of(&verdict.reading, catalog);
    let text = sql.to_lowercase();
    let may_read = |entry: &&Entry| {
        let id = &entry.table.id;
        reads.iter().any(|read| read.id == *id) || text.contains(&id.name.to_lowercase()) || hides_names(&text)
    };
    let account = source.dialect.account();
    // Estimates count the rows that policies keep from whoever asks, too.
    if verdict.reading.kind == StatementKind::Explain {
        let behind = reads.iter().flat_map(|read| closed.masks.tables_behind(&read.id));
        let all: Vec<TableId> = behind.chain(reads.iter().map(|read| read.id.clone())).collect();
        if all.iter().any(|id| catalog.entry(id).is_some_and(Entry::rows_are_others)) {
            return Ok(verdict.with(plan_tells_of_rows()));
        }
    }
    // What a function reads that somebody has made is in some engines' accounts, and in no text.
    let is_told_of_functions = match account.functions {
        FunctionsTold::Always => true,
        FunctionsTold::WhereCalled => !verdict.reading.functions.is_empty(),
        FunctionsTold::Never => false,
    };
    let mut readable = catalog.tables_of(&source.name).filter(|entry| is_told_of_functions || may_read(entry));
    // What comes later may be meant by what a view names, and nobody has looked at it.
    let may_mean_others = account.views_find_newer_tables
        && reads.iter().any(|read| catalog.entry(&read.id).is_some_and(|entry| entry.table.kind == TableKind::View));
    if !may_mean_others && !readable.any(|entry| closed.any_of(entry)) {
        return Ok(verdict);
    }
    // What is explained or described is computed in part, and estimates tell of values, too.
    let query = match verdict.reading.kind {
        StatementKind::Query => sql,
        StatementKind::Explain => match explained(sql) {
            Some(query) => query,
            None => return Ok(verdict.with(not_told())),
        },
        _ if text.contains("select") => return Ok(verdict.with(not_told())),
        _ => return Ok(verdict),
    };
    // Plans of MySQL hold values of tables that have one row, or of which a key picks one, and conditions with them; those of
    // PostgreSQL say how long values are.
    if verdict.reading.kind == StatementKind::Explain && account.plans_tell_values {
        let behind: Vec<TableId> = reads.iter().flat_map(|read| closed.masks.tables_behind(&read.id)).collect();
        let mut entries = behind.iter().filter_map(|id| catalog.entry(id));
        if entries.any(|entry| closed.any_of(entry)) {
            return Ok(verdict.with(plan_tells()));
        }
    }
    // The rows of each part of a table are those with such a value, where a closed column divides it.
    if verdict.reading.kind == StatementKind::Explain && account.plans_name_partitions {
        let mut entries = reads.iter().filter_map(|read| catalog.entry(&read.id));
        if entries.any(|entry| !entry.table.identity.parts.is_empty() && closed.any_of(entry)) {
            return Ok(verdict.with(plan_tells()));
        }
    }
    if account.lacks_natural_joins && has_word(&text, "natural") {
        return Ok(verdict.with(not_told()));
    }
    let (asked, left_out) = match verdict.reading.kind {
        // Nothing closed may be named in it at all.
        StatementKind::Explain => (query.to_owned(), 0),
        _ => without_closed(query, &verdict.reading, catalog, &source.dialect, &mut closed, Names::AsWritten),
    };
    let mut told = session.reads(&asked).await;
    if account.wants_bare_names
        && verdict.reading.kind == StatementKind::Query
        && matches!(told, Err(ConnectError::Denied { .. }))
    {
        let (bare, _) = without_closed(query, &verdict.reading, catalog, &source.dialect, &mut closed, Names::Bare);
        if bare != asked {
            told = match session.reads(&bare).await {
                Err(ConnectError::Statement { .. }) => told,
                again => again,
            };
        }
    }
    let told = match told {
        Ok(Some(told)) => told,
        Ok(None) => return Ok(verdict),
        Err(ConnectError::Statement { .. } | ConnectError::Denied { .. }) if left_out > 0 => {
            return Ok(verdict.with(not_told()));
        }
        Err(ConnectError::Denied { .. }) => return Ok(verdict.with(unheard())),
        Err(error) => return Err(error),
    };
    let heard = Told { catalog, source, reads: &reads, reading: &verdict.reading };
    // The plan of a partitioned table names its parts, and with them what its rows have in common.
    let unknown = heard.unknown(&told);
    if verdict.reading.kind == StatementKind::Explain && account.plans_name_partitions && unknown.is_some() {
        return Ok(verdict.with(plan_tells()));
    }
    // What a view names can mean a table that has come since.
    if let Some(read) = unknown.filter(|_| account.views_find_newer_tables) {
        let path: Vec<&str> = read.schema.iter().chain(&read.relation).map(String::as_str).collect();
        return Ok(verdict.with(live::unknown_relation(&path.join("."))));
    }
    let found = heard.closed(&told, &mut closed);
    Ok(match found {
        Some(_) if account.computes_to_compile => verdict.with(not_said_which()),
        Some(column) => verdict.with(misread(&column)),
        None => verdict,
    })
}

/// The finding for a statement that an engine wouldn't compile which computes parts of it for that, where a table with closed
/// columns is read: whether it was that or the account would tell what was computed.
pub(crate) fn of_failed_compiling(
    reading: &ResolvedStatement,
    catalog: &Catalog,
    source: &Source,
    policy: &Policy,
) -> Option<Finding> {
    let mut closed = Closed { masks: Masks::of(catalog), config: policy.config_of(&source.name) };
    let mut reads = live::relations_of(reading, catalog).into_iter();
    let is_closed = reads.any(|read| catalog.entry(&read.id).is_some_and(|entry| closed.any_of(entry)));
    (source.dialect.account().computes_to_compile && is_closed).then(not_said_which)
}

/// Which columns may not be read.
struct Closed<'c> {
    masks: Masks<'c>,
    config: &'c PolicyConfig,
}

impl Closed<'_> {
    fn is(&mut self, column: &ColumnRef) -> bool {
        if self.config.denies(column) {
            return true;
        }
        self.config.sensitive_columns == SensitiveColumns::Refuse && self.masks.are_closed(column, self.config)
    }

    fn of(&mut self, entry: &Entry) -> Vec<ColumnRef> {
        let of = |name: &String| ColumnRef { table: entry.table.id.clone(), column: name.clone() };
        entry.table.columns.iter().map(|column| of(&column.name)).filter(|column| self.is(column)).collect()
    }

    fn any_of(&mut self, entry: &Entry) -> bool {
        !self.of(entry).is_empty()
    }
}

fn misread(column: &ColumnRef) -> Finding {
    let name = format!("{}.{}", column.table.local(), column.column);
    Finding {
        rule: RuleName::MaskedColumn,
        code: "masked_column",
        severity: Severity::Error,
        span: None,
        message: format!("the database reads `{name}` for this statement, where it may not be read"),
        why: "Some name in the statement means that column to the database, or `*` or a whole row brings it in."
            .to_owned(),
        help: "Name the columns that are needed, each with the name of its table before it, and no alias twice."
            .to_owned(),
        suggestions: Vec::new(),
        rewrite: None,
    }
}

fn not_said_which() -> Finding {
    Finding {
        message: "the database can't compile the statement, or reads masked columns for it: which of the two isn't told".to_owned(),
        why: "It computes parts of a statement to compile it, so that the difference would tell of values.".to_owned(),
        help: "Check its functions and types, name columns with the name of their table before them, and leave out conversions \
               that may fail."
            .to_owned(),
        ..not_told()
    }
}

fn unheard() -> Finding {
    Finding {
        code: "plan_unreadable",
        message: "what the database says that it would read can't be read for sure".to_owned(),
        why: "A table with masked columns is read, and nobody can tell whether they are.".to_owned(),
        help: "Give every expression a name (`AS …`), write plain numbers behind LIMIT and OFFSET and in window frames and plain \
               values in VALUES, or ask in fewer steps."
            .to_owned(),
        ..not_told()
    }
}

fn plan_tells() -> Finding {
    plan_may_not_be_shown(
        "the plan of the statement can tell values of masked columns",
        "Plans show constants of views, how long values are, and the rows of each partition.",
    )
}

fn plan_tells_of_rows() -> Finding {
    plan_may_not_be_shown(
        "the plan of the statement tells of rows that a policy keeps back",
        "Estimates rest on all rows of a table, whoever asks.",
    )
}

fn plan_may_not_be_shown(message: &str, why: &str) -> Finding {
    Finding {
        rule: RuleName::MaskedColumn,
        code: "masked_column",
        severity: Severity::Error,
        span: None,
        message: message.to_owned(),
        why: why.to_owned(),
        help: "Run the statement itself: what it costs is checked before.".to_owned(),
        suggestions: Vec::new(),
        rewrite: None,
    }
}

fn not_told() -> Finding {
    Finding {
        rule: RuleName::MaskedColumn,
        code: "masked_column",
        severity: Severity::Error,
        span: None,
        message: "nobody can tell whether the database reads masked columns for this statement".to_owned(),
        why: "It gives no account of such a statement, or of what is left of it without the masked columns that it names."
            .to_owned(),
        help: "Use masked columns in a simpler way: join by ON rather than USING or NATURAL, compare with plain values; or leave \
               their tables out."
            .to_owned(),
        suggestions: Vec::new(),
        rewrite: None,
    }
}
