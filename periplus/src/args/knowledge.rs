//! Arguments of the commands that tell what is known: of tables, of where their data comes from, of what people do with them.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct TablesArguments {
    /// Only names that contain this, or match it where there is a `*` in it
    pub(crate) pattern: Option<String>,
    /// Only this source
    #[arg(long)]
    pub(crate) source: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DescribeArguments {
    /// The table
    pub(crate) table: String,
    /// Which source, where there are several
    #[arg(long)]
    pub(crate) source: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct LineageArguments {
    /// The table, or one of its columns as `table.column`; without it, the tables that something is known of
    pub(crate) name: Option<String>,
    /// Only what it is made from
    #[arg(long)]
    pub(crate) up: bool,
    /// Only what is made from it
    #[arg(long, conflicts_with = "up")]
    pub(crate) down: bool,
    /// At most so many steps away
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = steps)]
    pub(crate) depth: usize,
    /// Which source, where there are several
    #[arg(long)]
    pub(crate) source: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct UsageArguments {
    /// The table; without it, all of them by how much they are read
    pub(crate) table: Option<String>,
    /// Which source, where there are several
    #[arg(long)]
    pub(crate) source: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct WatchArguments {
    /// How often structures, dbt projects and scripts are looked at
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds)]
    pub(crate) every: Duration,
    /// How often rows and query logs are looked at
    #[arg(long, value_name = "SECONDS", default_value = "3600", value_parser = seconds)]
    pub(crate) rows_every: Duration,
}

impl WatchArguments {
    /// The defaults, for who watches without being asked how often.
    pub(crate) const EVERY: Duration = Duration::from_secs(2);
    pub(crate) const ROWS_EVERY: Duration = Duration::from_secs(3600);
}

#[derive(Debug, Args)]
pub(crate) struct DiffArguments {
    /// The earlier snapshot, as `periplus snapshot --values` writes one
    pub(crate) earlier: PathBuf,
    /// The later one [default: what the last `index` saw]
    pub(crate) later: Option<PathBuf>,
    /// A table of Markdown, for a merge request
    #[arg(long)]
    pub(crate) markdown: bool,
    /// Tell of numbers of rows from so many percent on
    #[arg(long, value_name = "PERCENT", default_value_t = 20)]
    pub(crate) volume: u32,
    /// End with 4 where something has changed, or where that may break statements
    #[arg(long, value_enum, value_name = "CHANGES")]
    pub(crate) fail_on: Option<DiffLevel>,
    /// Which source, where there are several
    #[arg(long, conflicts_with = "later")]
    pub(crate) source: Option<String>,
}

/// Changes that matter to who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffLevel {
    /// All of them
    Any,
    /// Those that may break statements: tables, columns, keys and values that are gone, other types, new NULLs
    Breaking,
}

/// A number of steps that leads somewhere.
fn steps(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("no step leads nowhere; give 1 or more".to_owned()),
        Ok(steps) => Ok(steps),
        Err(_) => Err("give a number, such as 3".to_owned()),
    }
}

/// A time in which something can be done.
fn seconds(text: &str) -> Result<Duration, String> {
    match text.parse() {
        Ok(0) => Err("give 1 or more".to_owned()),
        Ok(seconds) => Ok(Duration::from_secs(seconds)),
        Err(_) => Err("give a number of seconds, such as 5".to_owned()),
    }
}

#[derive(Debug, Args)]
pub(crate) struct TermsArguments {
    /// What to do; without it, all terms are listed
    #[command(subcommand)]
    pub(crate) action: Option<TermsAction>,
    /// Which source, where there are several
    #[arg(long, global = true)]
    pub(crate) source: Option<String>,
    /// Who says so [default: who is logged in]
    #[arg(long, global = true, value_parser = super::words)]
    pub(crate) author: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TermsAction {
    /// Say what a word means, or say it better: what isn't given stays as it was
    Define(DefineArguments),
    /// What is proposed is right, and counts from now on
    Approve {
        /// The terms
        #[arg(required = true)]
        names: Vec<String>,
    },
    /// It isn't, and is neither used nor proposed again
    Reject {
        /// The terms
        #[arg(required = true)]
        names: Vec<String>,
    },
    /// Take away what was said; what is proposed elsewhere may come back
    Forget {
        /// The terms
        #[arg(required = true)]
        names: Vec<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct DefineArguments {
    /// The word or words, as people say them
    #[arg(value_parser = super::words)]
    pub(crate) name: String,
    /// What else they say; may be given several times
    #[arg(long = "also", value_name = "NAME", value_parser = super::words)]
    pub(crate) synonyms: Vec<String>,
    /// What it means, in words
    #[arg(long, value_name = "TEXT", value_parser = super::words)]
    pub(crate) definition: Option<String>,
    /// The table that it is computed of, or whose rows it picks
    #[arg(long)]
    pub(crate) table: Option<String>,
    /// How it is computed, as in a SELECT: "sum(orders.total_cents) / 100.0"
    #[arg(long, value_name = "SQL")]
    pub(crate) expression: Option<String>,
    /// Which rows count, as behind a WHERE: "orders.status <> 'cancelled'"
    #[arg(long, value_name = "SQL")]
    pub(crate) condition: Option<String>,
}
