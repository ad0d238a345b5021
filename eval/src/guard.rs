//! How good the guard is: on lists of statements that it must refuse or let through, and on a pack's own gold statements,
//! as they are and with one name made wrong.
//!
//! The guard is called as everybody calls it, by [`guard::check`]; databases are opened through `connect` alone.

mod damage;
mod labelled;
mod masked;
mod statements;
mod typing;

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use catalog::{Catalog, Dialect, Entry, Source, Table};
use guard::{Decision, Policy, PolicyConfig, Severity, Unprofiled, Verdict};
use serde::{Deserialize, Serialize};

use crate::pack::PackDatabase;
pub use damage::Agreement;
use damage::{Sqlite, damaged};
pub use labelled::Labelled;
use masked::Masked;
pub use statements::{StatementsReport, run_statements};

/// The dialects that a corpus has files for.
const DIALECTS: [&str; 5] = ["sqlite", "postgres", "mysql", "duckdb", "clickhouse"];
/// Statements shown for each code of a warning.
const EXAMPLES: usize = 40;
/// What separates statements in a corpus file.
const SEPARATOR: &str = "--§";

/// What came of a corpus, folder by folder.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CorpusReport {
    /// By folder and dialect, as in `refuse/sqlite`: (judged as the folder says, statements).
    pub judged: BTreeMap<String, (usize, usize)>,
    /// Statements judged otherwise than their folder says: `refuse/any@mysql 3: SELECT …`.
    pub wrong: Vec<String>,
}

impl CorpusReport {
    /// All of it together: (judged as the folder says, statements).
    pub fn total(&self) -> (usize, usize) {
        self.judged.values().fold((0, 0), |sum, next| (sum.0 + next.0, sum.1 + next.1))
    }
}

/// One line of the file that [`run_corpus`] writes.
#[derive(Serialize)]
struct CorpusLine<'a> {
    file: &'a str,
    n: usize,
    sql: &'a str,
    verdict: &'static str,
    findings: Vec<&'static str>,
}

/// Judges every statement of `corpus` (`refuse/` and `allow/`, a file a dialect, `any.sql` once for each) over the schema
/// in `schema`, a snapshot; one line of JSON for each statement goes to `out`.
///
/// # Errors
/// Where a file can't be read or written, or the snapshot is none.
pub async fn run_corpus(corpus: &Path, schema: &Path, out: &Path) -> Result<CorpusReport> {
    let tables = introspected("guard", &format!("snapshot:{}", schema.display())).await?;
    let mut lines = BufWriter::new(fs::File::create(out).with_context(|| format!("creating {}", out.display()))?);
    let mut report = CorpusReport::default();
    for (folder, expected) in [("refuse", Decision::Refuse), ("allow", Decision::Accept)] {
        for dialect in DIALECTS {
            let catalog = catalog_of("guard", Dialect::from_name(dialect), tables.clone());
            for (file, label) in [("any", format!("any@{dialect}")), (dialect, dialect.to_owned())] {
                let path = corpus.join(folder).join(format!("{file}.sql"));
                if !path.exists() {
                    continue;
                }
                let text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
                let label = format!("{folder}/{label}");
                for (n, statement) in text.split(SEPARATOR).map(|part| part.trim_matches('\n')).enumerate() {
                    let verdict = guard::check(statement, &catalog, "guard", &by_names(), None);
                    write_line(&mut lines, &label, n, statement, &verdict)?;
                    let count = report.judged.entry(format!("{folder}/{dialect}")).or_default();
                    count.1 += 1;
                    if verdict.decision == expected {
                        count.0 += 1;
                    } else {
                        let why: Vec<&str> = verdict.errors().map(|finding| finding.message.as_str()).collect();
                        report.wrong.push(format!("{label} {n}: {statement} [{}]", why.join("; ")));
                    }
                }
            }
        }
    }
    lines.flush()?;
    Ok(report)
}

fn write_line(out: &mut impl Write, file: &str, n: usize, sql: &str, verdict: &Verdict) -> Result<()> {
    let line = CorpusLine {
        file,
        n,
        sql,
        verdict: if verdict.is_accepted() { "accept" } else { "refuse" },
        findings: verdict.findings.iter().map(|finding| finding.code).collect(),
    };
    writeln!(out, "{}", serde_json::to_string(&line)?)?;
    Ok(())
}

/// What came of a pack's gold statements.
#[derive(Clone, Debug, Default, Serialize)]
pub struct PackReport {
    /// Gold statements.
    pub statements: usize,
    /// Those accepted.
    pub accepted: usize,
    /// Those refused, with the reasons.
    pub refused: Vec<String>,
    /// Warnings on accepted statements, by code.
    pub warnings: BTreeMap<String, usize>,
    /// Some of them, by code.
    pub warned: BTreeMap<String, Vec<String>>,
    /// Hints on accepted statements, by code.
    pub hints: BTreeMap<String, usize>,
    /// With a name made wrong in several ways, and held against the engine: what it rejects and what was refused.
    pub agreement: BTreeMap<String, Agreement>,
    /// What rules find in statements that are known to be wrong, or right; only of profiled databases.
    pub labelled: BTreeMap<String, Labelled>,
    /// With columns masked, and asked of the engine; only where that is wanted.
    pub masked: Option<Masked>,
    /// Microseconds for a check of a gold statement: median, 99th percentile, largest.
    pub microseconds: (u128, u128, u128),
}

#[derive(Deserialize)]
struct Question {
    id: String,
    db: String,
    gold_sql: Option<String>,
}

/// How a pack is checked.
#[derive(Clone, Copy, Debug, Default)]
pub struct PackOptions {
    /// Only the first so many statements.
    pub limit: Option<usize>,
    /// Databases are profiled first.
    pub profiled: bool,
    /// Statements are judged with columns masked, too.
    pub masked: bool,
    /// Catalogs are filled up to so many tables.
    pub tables: Option<usize>,
}

/// Checks all gold statements of a pack with SQLite databases against their own database's schema, then each again with
/// one name made wrong in several ways. `limit` takes only the first so many. With `profiled`, databases are profiled first, so that
/// the rules that look at values have something to look at. With `masked`, they are also judged with columns masked. `tables` fills each catalog up to so many, with copies of its
/// own tables under other names: what a check costs beside many.
///
/// # Errors
/// Where the pack can't be read, or a database of it can't be opened.
pub async fn run_pack(pack: &Path, options: PackOptions, out: &Path) -> Result<PackReport> {
    let PackOptions { limit, profiled, masked, tables } = options;
    let questions = questions(&pack.join("questions.jsonl"))?;
    let mut report = PackReport::default();
    let mut durations = Vec::new();
    let mut by_database: BTreeMap<&str, Vec<&Question>> = BTreeMap::new();
    for question in questions.iter().take(limit.unwrap_or(usize::MAX)) {
        by_database.entry(&question.db).or_default().push(question);
    }
    for (database, questions) in by_database {
        let path = pack.join("databases").join(format!("{database}.sqlite"));
        let connector = connect::connect(database, &format!("sqlite:{}", path.display()))
            .with_context(|| format!("opening {}", path.display()))?;
        let catalog = if profiled {
            let database = PackDatabase {
                name: database.to_owned(),
                dsn: format!("sqlite:{}", path.display()),
                descriptions: None,
            };
            crate::pack::catalog_of(&[database]).await?
        } else {
            let tables = connector.introspect().await.with_context(|| format!("introspecting {database}"))?;
            catalog_of(database, Dialect::Sqlite, tables)
        };
        let catalog = match tables {
            Some(tables) => filled_up(&catalog, database, tables),
            None => catalog,
        };
        if profiled {
            report.labelled.extend(labelled::labelled(pack, &catalog, connector.as_ref()).await?);
        }
        if masked {
            let catalog = masked::catalog_of(connector.as_ref()).await?;
            let report = report.masked.get_or_insert_default();
            for (question, gold) in questions.iter().filter_map(|it| Some((it, it.gold_sql.as_ref()?))) {
                report.judge(&question.id, gold, &catalog, connector.as_ref()).await?;
            }
        }
        let engine = Sqlite::open(&path)?;
        for question in questions {
            let Some(gold) = &question.gold_sql else { continue };
            let begun = Instant::now();
            let verdict = guard::check(gold, &catalog, database, &by_names(), None);
            durations.push(begun.elapsed().as_micros());
            gold_judged(&mut report, question, gold, &verdict);
            for damaged in damaged(&question.id, gold, &verdict, &catalog, database) {
                let judged = guard::check(&damaged.sql, &catalog, database, &by_names(), None);
                let agreement = report.agreement.entry(damaged.way.to_owned()).or_default();
                agreement.judged(&question.id, gold, &damaged, &judged, engine.rejects(&damaged.sql));
            }
        }
    }
    report.microseconds = spread(durations);
    fs::write(out, serde_json::to_string_pretty(&report)?).with_context(|| format!("writing {}", out.display()))?;
    Ok(report)
}

/// The median, the 99th percentile and the largest.
fn spread(mut durations: Vec<u128>) -> (u128, u128, u128) {
    durations.sort_unstable();
    let at = |share: usize| durations.get(durations.len() * share / 100).copied().unwrap_or_default();
    (at(50), at(99), durations.last().copied().unwrap_or_default())
}

/// The default policy over catalogs of public schemas, at whose rows nobody has looked.
fn by_names() -> Policy {
    let config = PolicyConfig { unprofiled: Unprofiled::Names, ..PolicyConfig::default() };
    Policy::new(config).unwrap_or_default()
}

/// The catalog with copies of its tables under other names, until it has so many.
fn filled_up(catalog: &Catalog, source: &str, tables: usize) -> Catalog {
    let own: Vec<Entry> = catalog.tables_of(source).cloned().collect();
    let copies = (1..).flat_map(|copy| {
        own.iter().cloned().map(move |mut entry| {
            entry.table_mut().id.name = format!("d{copy}_{}", entry.table.id.name);
            entry
        })
    });
    let missing = if own.is_empty() { 0 } else { tables.saturating_sub(own.len()) };
    let entries = own.iter().cloned().chain(copies.take(missing)).collect();
    Catalog::new(catalog.source(source).cloned().into_iter().collect(), entries, Vec::new(), 1)
}

fn gold_judged(report: &mut PackReport, question: &Question, gold: &str, verdict: &Verdict) {
    report.statements += 1;
    if verdict.is_accepted() {
        report.accepted += 1;
        for finding in &verdict.findings {
            if finding.severity == Severity::Hint {
                *report.hints.entry(finding.code.to_owned()).or_default() += 1;
                continue;
            }
            *report.warnings.entry(finding.code.to_owned()).or_default() += 1;
            let examples = report.warned.entry(finding.code.to_owned()).or_default();
            if examples.len() < EXAMPLES {
                examples.push(format!("{} {gold} [{}]", question.id, finding.message));
            }
        }
    } else {
        let why: Vec<String> =
            verdict.errors().map(|finding| format!("{}: {}", finding.code, finding.message)).collect();
        report.refused.push(format!("{} {gold} [{}]", question.id, why.join("; ")));
    }
}

fn questions(path: &Path) -> Result<Vec<Question>> {
    let text = fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    let mut seen = HashSet::new();
    let mut questions = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let question: Question =
            serde_json::from_str(line).with_context(|| format!("line {} of {}", number + 1, path.display()))?;
        if !seen.insert(question.id.clone()) {
            bail!("the question id `{}` occurs twice in {}", question.id, path.display());
        }
        questions.push(question);
    }
    Ok(questions)
}

async fn introspected(name: &str, dsn: &str) -> Result<Vec<Table>> {
    let connector = connect::connect(name, dsn).with_context(|| format!("opening {dsn}"))?;
    connector.introspect().await.with_context(|| format!("introspecting {dsn}"))
}

fn catalog_of(name: &str, dialect: Dialect, tables: Vec<Table>) -> Catalog {
    let source = Source::new(name, dialect, "");
    Catalog::new(vec![source], tables.into_iter().map(Entry::bare).collect(), Vec::new(), 0)
}
