//! The command line, parsed and nothing more: no file is opened here.
//!
//! Invariant: a value of [`Arguments`] says what the user typed; what it means in this folder, with this
//! configuration, is decided in `project`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, Zoned};

use crate::commands::manual;

mod knowledge;

pub(crate) use knowledge::{
    DefineArguments, DescribeArguments, DiffArguments, DiffLevel, LineageArguments, TablesArguments, TermsAction,
    TermsArguments, UsageArguments, WatchArguments,
};

/// The context engine between AI agents and SQL databases.
#[derive(Debug, Parser)]
#[command(name = "periplus", version, about, propagate_version = true, arg_required_else_help = true)]
pub(crate) struct Arguments {
    /// What to do
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Options of every command
    #[command(flatten)]
    pub(crate) global: Global,
}

/// Options that every command takes.
#[derive(Clone, Debug, Args)]
pub(crate) struct Global {
    /// The project's folder: where periplus.toml and .periplus/ are
    #[arg(long, global = true, value_name = "DIR", default_value = ".")]
    pub(crate) project: PathBuf,
    /// A database to use without a configuration file: a file path or a DSN [default: DATABASE_URL]
    #[arg(long, global = true, value_name = "DSN")]
    pub(crate) dsn: Option<String>,
    /// Print one JSON document on standard output instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Say more on standard error; twice for everything
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// See the whole of it work on a shop's database that is made on the spot
    Demo(DemoArguments),
    /// Write a periplus.toml for a database
    Init(InitArguments),
    /// Introspect, profile, describe and index; continues where it stopped
    Index(IndexArguments),
    /// List the tables with what they are
    Tables(TablesArguments),
    /// Show a table: columns with what they hold, keys, who refers to it
    Describe(DescribeArguments),
    /// Say what a table or column is made from, and what is made from it
    Lineage(LineageArguments),
    /// Say what people usually do with a table, by the query logs
    Usage(UsageArguments),
    /// Say what the words of the company mean: define, approve and reject business terms
    Terms(TermsArguments),
    /// Index what changes, as it changes, until Ctrl-C
    Watch(WatchArguments),
    /// Say what has changed between two snapshots, or since one
    Diff(DiffArguments),
    /// Search the context: tables, columns, values, queries
    Search(SearchArguments),
    /// Rank the tables a question needs, and name those it doesn't
    Link(LinkArguments),
    /// Answer a question with a checked query
    Ask(AskArguments),
    /// Say what is wrong or unsafe in a statement, without running it
    Check(CheckArguments),
    /// Check a statement and run it, read-only and within limits
    Query(QueryArguments),
    /// Ask and query line by line, with a history and completion
    Shell(ShellArguments),
    /// Write the catalog as Markdown, read edits back, or compare
    Docs(DocsArguments),
    /// Write the schema to a file that `snapshot:FILE` reads where there is no database
    Snapshot(SnapshotArguments),
    /// Serve the catalog to agents over MCP, on standard input and output or over HTTP
    Serve(ServeArguments),
    /// Make, list or take back the tokens that callers of a server show
    Token(TokenArguments),
    /// Approve an answer, correct one, list or undo what was said
    Feedback(FeedbackArguments),
    /// Mask columns, release them, or list which are masked and why
    Mask(MaskArguments),
    /// Show what the catalog holds, what is out of date, and which roles may do more than read
    Status(StatusArguments),
    /// List the models that can be used, or fetch the local one
    Model(ModelArguments),
    /// Show the record of statements, or find out whether somebody has changed it
    Audit(AuditArguments),
    /// Print a page of the manual
    Manual(ManualArguments),
    /// Measure linking, answering or the guard on a pack of questions
    Eval(EvalArguments),
}

#[derive(Debug, Args)]
pub(crate) struct AuditArguments {
    /// So many lines from the end
    #[arg(long, value_name = "N", default_value_t = 20, conflicts_with = "verify")]
    pub(crate) last: usize,
    /// Compare the seals of all lines and the anchor; needs `chain`, `key_file` or `anchor` in [audit] while they are written
    #[arg(long)]
    pub(crate) verify: bool,
    /// Compare with this anchor, as the system's log has it: COUNT:HEAD:FIRST
    #[arg(long, value_name = "ANCHOR", requires = "verify")]
    pub(crate) anchor: Option<guard::Anchor>,
}

#[derive(Debug, Args)]
pub(crate) struct ManualArguments {
    /// Which; the page of a rule is called like the rule. Without one, all pages are listed
    #[arg(value_parser = manual::page())]
    pub(crate) page: Option<manual::Page>,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArguments {
    /// Where to make the demo project
    #[arg(long, value_name = "DIR", default_value = "periplus-demo")]
    pub(crate) dir: PathBuf,
    /// Go without a language model: approved queries in place of drafting
    #[arg(long)]
    pub(crate) no_model: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InitArguments {
    /// The database: a SQLite file, a DSN such as postgres://host/database, or snapshot:FILE.json
    pub(crate) dsn: String,
    /// What to call it
    #[arg(long)]
    pub(crate) name: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct IndexArguments {
    /// Only this source
    #[arg(long)]
    pub(crate) source: Option<String>,
    /// Let the configured model write the descriptions (sends profiles, never masked values, to it)
    #[arg(long)]
    pub(crate) describe_with_model: bool,
    /// Leave out tables that haven't changed for over a year
    #[arg(long)]
    pub(crate) skip_stale: bool,
    /// Profile every table again, changed or not; what people wrote and approved is kept
    #[arg(long)]
    pub(crate) full: bool,
    /// Remove what is known of tables that are gone, but for what people wrote
    #[arg(long)]
    pub(crate) prune: bool,
    /// Refuse a role that may do more than read, as `connect.strict` does
    #[arg(long)]
    pub(crate) strict: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SearchArguments {
    /// Words or a question; needs no quotes
    #[arg(value_parser = words, required = true, num_args = 1.., value_name = "WORDS")]
    pub(crate) query: Vec<String>,
    /// How many results
    #[arg(long, short = 'k', default_value_t = 20)]
    pub(crate) top: usize,
}

#[derive(Debug, Args)]
pub(crate) struct LinkArguments {
    /// The question; needs no quotes
    #[arg(value_parser = words, required = true, num_args = 1.., value_name = "QUESTION")]
    pub(crate) question: Vec<String>,
    /// Only this source
    #[arg(long)]
    pub(crate) source: Option<String>,
    /// How many tables to show
    #[arg(long, short = 'k', default_value_t = 10)]
    pub(crate) top: usize,
    /// Print the context a model would be given, too
    #[arg(long)]
    pub(crate) context: bool,
}

#[derive(Debug, Args)]
pub(crate) struct AskArguments {
    /// The question; needs no quotes
    #[arg(value_parser = words, required = true, num_args = 1.., value_name = "QUESTION")]
    pub(crate) question: Vec<String>,
    /// Which source, where there are several
    #[arg(long)]
    pub(crate) source: Option<String>,
    /// What the answer looks like
    #[arg(long, value_enum, default_value_t = Shape::Query)]
    pub(crate) shape: Shape,
    /// What was wrong with the last answer
    #[arg(long, value_name = "TEXT")]
    pub(crate) correction: Option<String>,
    /// The SQL that the correction is about
    #[arg(long, value_name = "SQL", requires = "correction")]
    pub(crate) rejected_sql: Option<String>,
    /// Don't use a model, whatever is configured
    #[arg(long)]
    pub(crate) no_model: bool,
    /// Show every step, and what the answer rests on
    #[arg(long)]
    pub(crate) explain: bool,
}

/// The two result shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shape {
    /// Analysis, SQL and rows
    Query,
    /// SQL with the tables, columns and operations it needs
    Finder,
}

#[derive(Debug, Args)]
pub(crate) struct StatementArguments {
    /// The statement; `-` reads standard input
    pub(crate) sql: String,
    /// Which source, where there are several
    #[arg(long)]
    pub(crate) source: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    #[command(flatten)]
    pub(crate) statement: StatementArguments,
    /// End with 4 where it is accepted with a finding of this level or above
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub(crate) fail_on: Option<Level>,
}

/// How bad a finding is that stops nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Level {
    /// What would be better otherwise
    Hint,
    /// What is probably wrong
    Warning,
}

#[derive(Debug, Args)]
pub(crate) struct QueryArguments {
    #[command(flatten)]
    pub(crate) statement: StatementArguments,
    /// How rows are printed [default: a table, or one value a line where it is wider than the terminal]
    #[arg(long, value_enum, conflicts_with = "json")]
    pub(crate) format: Option<RowFormat>,
    /// At most this many rows [default: guard.max_rows]
    #[arg(long)]
    pub(crate) max_rows: Option<usize>,
}

/// How rows are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RowFormat {
    /// Columns beside each other
    Table,
    /// A line for each value
    Vertical,
    /// RFC 4180, and nothing else on standard output; NULL is an empty field, an empty text is `""`
    Csv,
}

#[derive(Debug, Args)]
pub(crate) struct ShellArguments {
    /// Which source [default: the first]
    #[arg(long)]
    pub(crate) source: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DocsArguments {
    #[command(subcommand)]
    pub(crate) action: DocsAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DocsAction {
    /// Write one Markdown file for each table; edits in them are kept
    Write(DocsFolder),
    /// Take over what was edited
    Read(DocsFolder),
    /// Fail where the folder differs from the catalog
    Check(DocsFolder),
    /// List what agents wrote of tables that waits for approval
    Proposed,
    /// Take over what agents wrote of these tables, or of all
    Accept(ProposedTables),
    /// Discard what agents wrote of these tables, or of all
    Reject(ProposedTables),
}

#[derive(Debug, Args)]
pub(crate) struct ProposedTables {
    /// Tables, as `docs proposed` lists them
    #[arg(required_unless_present = "all")]
    pub(crate) tables: Vec<String>,
    /// All of them
    #[arg(long, conflicts_with = "tables")]
    pub(crate) all: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DocsFolder {
    /// The folder [default: docs.folder]
    pub(crate) folder: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct SnapshotArguments {
    /// The file [default: standard output]
    pub(crate) file: Option<PathBuf>,
    /// With what is known of the values of columns that aren't masked
    #[arg(long)]
    pub(crate) values: bool,
    /// Which source, where there are several
    #[arg(long)]
    pub(crate) source: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// Listen on this address, for many callers, instead of standard input and output; on others than this machine's own,
    /// callers need a token
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "127.0.0.1:8321")]
    pub(crate) http: Option<SocketAddr>,
    /// Refuse a role that may do more than read, as `connect.strict` does
    #[arg(long)]
    pub(crate) strict: bool,
    /// Index what changes meanwhile, as `periplus watch` does
    #[arg(long)]
    pub(crate) watch: bool,
    /// Offer the prompt and the two tools by which an agent describes tables that nobody has described
    #[arg(long)]
    pub(crate) document: bool,
    /// Write the log as JSON, one document a line, with every request over HTTP
    #[arg(long)]
    pub(crate) log_json: bool,
    /// Send traces of requests, calls and statements to this collector of OpenTelemetry, as OTLP over HTTP; without questions,
    /// statements and values
    #[arg(long, value_name = "URL", value_parser = collector)]
    pub(crate) otlp: Option<String>,
}

fn collector(text: &str) -> Result<String, String> {
    match text.starts_with("http://") || text.starts_with("https://") {
        true => Ok(text.to_owned()),
        false => Err("an address as http://127.0.0.1:4318 is wanted".to_owned()),
    }
}

#[derive(Debug, Args)]
pub(crate) struct TokenArguments {
    #[command(subcommand)]
    pub(crate) action: TokenAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TokenAction {
    /// Make a token and print it, this once
    Create {
        /// Who will show it: letters, digits, `_`, `-`, `.` and `@`
        #[arg(long)]
        name: String,
        /// What they may do: `reader` (ask), `approver` (besides, approve and correct), `admin` (anything), or a role of your
        /// own, as [guard.roles.NAME] names it
        #[arg(long, default_value = "reader")]
        role: String,
        /// When it ends: after `90 days` or `12h`, or at the end of a day (UTC), as 2030-12-31 [default: never]
        #[arg(long, value_name = "WHEN", value_parser = end)]
        expires: Option<Timestamp>,
    },
    /// List the tokens, without what is secret of them
    List,
    /// Take a token back, at once
    Revoke {
        /// Whose
        name: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct MaskArguments {
    /// Columns, as TABLE.COLUMN with `*` for any characters; without any, what is masked or was released is listed
    pub(crate) columns: Vec<String>,
    /// Release them instead: their values may be stored and shown
    #[arg(long, requires = "columns")]
    pub(crate) release: bool,
    /// Take back what people said of them: the rules decide again
    #[arg(long, requires = "columns", conflicts_with = "release")]
    pub(crate) undo: bool,
    /// Why, for the record
    #[arg(long, value_parser = words, requires = "columns")]
    pub(crate) why: Option<String>,
    /// Ask the configured model which columns are personal: mask the open ones among these, and list masked ones that it
    /// takes for harmless (sends names, types and comments, no values; what people said stands)
    #[arg(long, conflicts_with_all = ["columns", "grants"])]
    pub(crate) with_model: bool,
    /// Only say which the model would have masked
    #[arg(long, requires = "with_model")]
    pub(crate) dry_run: bool,
    /// Print the statements that let this role read what isn't masked and nothing else, for whoever may grant that
    #[arg(long, value_name = "ROLE", value_parser = words, conflicts_with = "columns")]
    pub(crate) grants: Option<String>,
    /// Which source, where there are several
    #[arg(long)]
    pub(crate) source: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct StatusArguments {
    /// End with 4 where something is out of date, damaged or gone
    #[arg(long)]
    pub(crate) check: bool,
    /// Refuse a role that may do more than read, as `connect.strict` does
    #[arg(long)]
    pub(crate) strict: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FeedbackArguments {
    /// Who says so [default: who is logged in]
    #[arg(long, global = true, value_parser = words)]
    pub(crate) author: Option<String>,
    #[command(subcommand)]
    pub(crate) action: FeedbackAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum FeedbackAction {
    /// This SQL answers this question
    Approve {
        #[command(flatten)]
        pair: FeedbackPair,
        #[command(flatten)]
        reach: FeedbackReach,
    },
    /// It doesn't, and this is why
    Reject {
        #[command(flatten)]
        pair: FeedbackPair,
        /// What is wrong, or how it should be
        #[arg(long, value_parser = words)]
        correction: String,
        #[command(flatten)]
        reach: FeedbackReach,
    },
    /// Say better what was said: what isn't given stays as it was
    Edit {
        /// Its number in the list
        id: i64,
        /// The question
        #[arg(long, value_parser = words)]
        question: Option<String>,
        /// The statement
        #[arg(long)]
        sql: Option<String>,
        /// What is wrong, or how it should be, of what was rejected
        #[arg(long, value_parser = words)]
        correction: Option<String>,
        #[command(flatten)]
        reach: FeedbackReach,
    },
    /// One of them whole: who said it and when, whether it still fits, for which questions it was used
    Show {
        /// Its number in the list
        id: i64,
    },
    /// What the rows are said to say is so, or isn't
    Fact {
        /// The table
        table: String,
        /// Which fact, as `describe` tells them: its column, its kind, or its key (see `describe --json`)
        fact: String,
        /// What holds
        #[arg(value_enum)]
        judgement: FactVerdict,
        /// Why
        #[arg(long, value_parser = words)]
        reason: Option<String>,
        /// Which source, where there are several
        #[arg(long)]
        source: Option<String>,
    },
    /// Everything that was said, by whom and when
    List,
    /// Take one back
    Undo {
        /// Its number in the list
        id: i64,
    },
}

/// For whom it counts, and how long.
#[derive(Debug, Default, Args)]
pub(crate) struct FeedbackReach {
    /// It counts for who says it alone
    #[arg(long)]
    pub(crate) private: bool,
    /// Until when it counts: a day, or a span such as 90d
    #[arg(long, value_name = "WHEN", value_parser = end)]
    pub(crate) expires: Option<Timestamp>,
}

/// What somebody says of a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FactVerdict {
    /// It is so: rows that it marks are warned of where a statement counts them
    Confirm,
    /// It isn't, or doesn't matter: it is told no more
    Dismiss,
    /// Nothing was said
    Forget,
}

#[derive(Debug, Args)]
pub(crate) struct FeedbackPair {
    /// The question
    #[arg(long, value_parser = words, required_unless_present = "last")]
    pub(crate) question: Option<String>,
    /// The statement
    #[arg(long, required_unless_present = "last")]
    pub(crate) sql: Option<String>,
    /// The question that was asked last, with the statement that came of it
    #[arg(long, conflicts_with_all = ["question", "sql", "source"])]
    pub(crate) last: bool,
    /// Which source, where there are several
    #[arg(long)]
    pub(crate) source: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ModelArguments {
    #[command(subcommand)]
    pub(crate) action: ModelAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ModelAction {
    /// What is configured, what was found
    List,
    /// Fetch the local model (1.1 GB) and verify it
    Pull {
        /// Only say what would be fetched, how large it is and what it needs
        #[arg(long)]
        list: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct EvalArguments {
    #[command(subcommand)]
    pub(crate) action: EvalAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum EvalAction {
    /// Are the needed tables ranked first, and the others marked irrelevant?
    Link {
        /// The pack: a folder with questions.jsonl and databases/ or snapshots/ [default: the shop]
        #[arg(long)]
        pack: Option<PathBuf>,
        /// The file of the pack's questions
        #[arg(long, value_name = "FILE", default_value = eval::QUESTIONS_FILE)]
        questions: String,
        /// With what agents wrote of the tables: descriptions/NAME.jsonl in the pack
        #[arg(long)]
        described: bool,
        /// All of the pack's databases as one catalog
        #[arg(long)]
        pooled: bool,
        /// Another pack whose databases join the pool
        #[arg(long, value_name = "PACK")]
        with: Vec<PathBuf>,
        /// Add the pack's evidence to the question
        #[arg(long)]
        evidence: bool,
        /// Leave one kind of evidence out, to see what it is worth
        #[arg(long, value_enum, value_name = "EVIDENCE")]
        without: Vec<LinkEvidence>,
        /// Rank by this file, as models/linking makes one, instead of the built-in ranker
        #[arg(long, value_name = "FILE")]
        ranker: Option<PathBuf>,
        /// Compare by the embeddings of an OpenAI-compatible endpoint instead of the built-in ones
        #[arg(long, value_name = "URL", requires = "embedding_model")]
        embedding_url: Option<String>,
        /// The endpoint's model
        #[arg(long, value_name = "NAME", requires = "embedding_url")]
        embedding_model: Option<String>,
        /// Where the predictions go, a JSON line each
        #[arg(long)]
        out: PathBuf,
    },
    /// What do a start, a question and one table's change cost at the size of an enterprise?
    Scale {
        /// The pack whose databases are connected, again and again under other names [default: the shop]
        #[arg(long)]
        pack: Option<PathBuf>,
        /// Tables of the catalog, at least
        #[arg(long, default_value_t = 1_000)]
        tables: usize,
        /// Columns of the catalog, at least
        #[arg(long, default_value_t = 0)]
        columns: usize,
        /// Where the catalog and the index go; those of an earlier run are used
        #[arg(long)]
        out: PathBuf,
    },
    /// What does an agent read over MCP until it has seen what a question needs?
    Tokens {
        /// The pack [default: the shop]
        #[arg(long)]
        pack: Option<PathBuf>,
        /// All of the pack's databases as one catalog
        #[arg(long)]
        pooled: bool,
        /// Where what each question took goes, a JSON line each
        #[arg(long)]
        out: PathBuf,
    },
    /// Are the answers right?
    Ask {
        /// The pack [default: the shop]
        #[arg(long)]
        pack: Option<PathBuf>,
        /// Only so many questions
        #[arg(long)]
        limit: Option<usize>,
        /// Seed of the order in which questions are taken
        #[arg(long, default_value_t = 7)]
        seed: u64,
        /// Where the predictions go, a JSON line each; those that are there are kept
        #[arg(long)]
        out: PathBuf,
        /// The whole schema in one prompt, one draft, no checks: what to compare with
        #[arg(long)]
        baseline: bool,
        /// Keeps the model's calls in this file and takes from it what was asked before: a run that leaves something
        /// out pays only for what differs. Latencies of such a run are not the model's
        #[arg(long, value_name = "FILE")]
        calls: Option<PathBuf>,
        /// Reckon confidences by this file of `eval calibrate`
        #[arg(long, value_name = "FILE")]
        calibration: Option<PathBuf>,
        /// Leave something out
        #[arg(long, value_enum)]
        without: Vec<Ablation>,
    },
    /// Are the answers to your own questions right, on a configured source?
    Questions {
        /// The questions: a line each, or JSON lines with `question` and, to be compared with, the right `sql`
        file: PathBuf,
        /// Which source, where there are several
        #[arg(long)]
        source: Option<String>,
        /// Where the answers go, a JSON line each
        #[arg(long)]
        out: PathBuf,
    },
    /// Is it right which tables and columns SQL reads and makes?
    Lineage {
        /// Cases, a JSON line each; may be given several times
        #[arg(long, value_name = "FILE", required_unless_present = "dbt", conflicts_with = "dbt")]
        cases: Vec<PathBuf>,
        /// A dbt project, or a folder of several: each model's compiled SQL beside the manifest and the catalog
        #[arg(long, value_name = "FOLDER")]
        dbt: Option<PathBuf>,
        /// Where the cases go, or the models that aren't right, a JSON line each
        #[arg(long)]
        out: PathBuf,
    },
    /// How sure is an answer? Learns from answers of `eval ask` what says that a model's answer is right
    Calibrate {
        /// What `eval ask` wrote; may be given several times, each with its --pack
        #[arg(long, required = true, value_name = "FILE")]
        predictions: Vec<PathBuf>,
        /// The pack that the predictions belong to, in the same order [default: the shop]
        #[arg(long)]
        pack: Vec<PathBuf>,
        /// The model's name [default: the configured one]
        #[arg(long, value_name = "NAME")]
        model: Option<String>,
        /// Where the calibration goes, for `calibration` under `[ask]` in periplus.toml
        #[arg(long)]
        out: PathBuf,
    },
    /// Is what should be refused refused, and nothing else?
    Guard {
        /// A folder with refuse/ and allow/
        #[arg(long, requires = "schema", conflicts_with = "pack")]
        corpus: Option<PathBuf>,
        /// The schema of the corpus, as a snapshot
        #[arg(long)]
        schema: Option<PathBuf>,
        /// A pack whose gold statements must all pass, and fail once misspelt [default: the shop]
        #[arg(long)]
        pack: Option<PathBuf>,
        /// Profile the pack's databases first, for the rules that look at values
        #[arg(long, conflicts_with = "corpus")]
        profiled: bool,
        /// Judge them with columns masked as well, and by what the engine says that it reads
        #[arg(long, conflicts_with = "corpus")]
        masked: bool,
        /// Fill each catalog up to so many tables, to see what a check costs beside them
        #[arg(long, conflicts_with = "corpus")]
        tables: Option<usize>,
        /// Statements that are known to run on a source, each ended by a semicolon: what the guard would refuse, and
        /// what it would miss with a name made wrong; the source's engine compiles them and runs nothing
        #[arg(long, conflicts_with_all = ["corpus", "pack", "profiled", "tables"])]
        statements: Option<PathBuf>,
        /// The source that the statements are for, if there are several
        #[arg(long, requires = "statements")]
        source: Option<String>,
        /// Where the verdicts go
        #[arg(long)]
        out: PathBuf,
    },
}

/// A text with something in it.
fn words(text: &str) -> Result<String, String> {
    if text.chars().any(char::is_alphanumeric) { Ok(text.to_owned()) } else { Err("it holds no word".to_owned()) }
}

/// A moment from now on: a span of time, or a day.
fn end(text: &str) -> Result<Timestamp, String> {
    let now = Zoned::now().with_time_zone(TimeZone::UTC);
    let end = match text.parse::<Date>() {
        Ok(day) => day.tomorrow().and_then(|next| next.to_zoned(TimeZone::UTC)),
        Err(_) => text.parse::<Span>().and_then(|span| now.checked_add(span)),
    };
    match end.map(|end| end.timestamp()) {
        Ok(end) if end > now.timestamp() => Ok(end),
        Ok(_) => Err("that has passed".to_owned()),
        Err(_) => Err("give a span of time, as `90 days`, or a day, as 2030-12-31".to_owned()),
    }
}

/// What linking can do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LinkEvidence {
    /// Words of the question in names, comments and descriptions
    Words,
    /// Similarity in meaning: the embedder
    Similarity,
    /// Values that the question names
    Values,
    /// Keys, shared columns, and what tables explain together
    Joins,
    /// Comments and descriptions
    Texts,
    /// The trained trees
    Ranker,
}

/// What `eval ask` can leave out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Ablation {
    /// Drafts are neither repaired nor put beside others; what the guard refuses still does not run
    Verifier,
    /// No values of columns in the context
    Values,
    /// Nothing is marked irrelevant
    Directives,
    /// One search for the whole question
    Decomposition,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Arguments;

    #[test]
    fn the_command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }
}
