//! Work whose instructions `cargo xtask bench` counts: how much does a room do for the same input as before?
//!
//! `bench prepare FOLDER` makes the shop's database, profiles, describes and indexes it, and prints what profiling asked of
//! the database. `bench NAME FOLDER TIMES` loads what was prepared and does one kind of work so many times; what loading
//! costs falls out when two runs with different TIMES are compared. Times are not measured: on shared cores they say nothing.

#![expect(clippy::print_stdout, reason = "a command-line tool for developers")]

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use catalog::{Catalog, Dialect, Store};
use guard::Policy;
use index::Index;
use link::{LinkOptions, Linker};
use profile::Options;

const SOURCE: &str = "shop";
const DATABASE: &str = "shop.db";
const CATALOG: &str = "catalog.db";
const INDEX: &str = "index";
/// Questions and statements of the shop that a run goes through.
const QUESTIONS: usize = 30;

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["prepare", folder] => prepare(Path::new(folder)).await,
        [name, folder, times] => repeat(name, Path::new(folder), times.parse().context("TIMES is a number")?),
        _ => bail!("usage: bench prepare FOLDER | bench sql|guard|index|link FOLDER TIMES"),
    }
}

/// Without descriptions by rules and an index nothing is linked as users would have it.
async fn prepare(folder: &Path) -> anyhow::Result<()> {
    let database = folder.join(DATABASE);
    shop::create(&database, &mut |_| ())?;
    let options = options()?;
    let store = store(folder, &options)?;
    let connector = connect::connect(SOURCE, &format!("sqlite:{}", database.display()))?;
    profile::profile_source(connector.as_ref(), &store, &options, &mut |_| ()).await?;
    describe::describe_source(&store, SOURCE, None, &mut |_| ()).await?;
    Index::build(&store.catalog()?, llm::static_embedder())?.save(&folder.join(INDEX))?;
    let work = connector.work();
    println!("profile_statements {}", work.statements);
    println!("profile_rows {}", work.rows_returned);
    Ok(())
}

fn options() -> anyhow::Result<Options> {
    Ok(Options::new(format!("{}T23:59:59Z", shop::TODAY).parse()?))
}

fn store(folder: &Path, options: &Options) -> anyhow::Result<Store> {
    Ok(Store::open(&folder.join(CATALOG), Arc::new(options.sensitive.clone()))?)
}

fn repeat(name: &str, folder: &Path, times: usize) -> anyhow::Result<()> {
    let catalog = store(folder, &options()?)?.catalog()?;
    match name {
        "sql" => (0..times).for_each(|_| read_all(&catalog)),
        "guard" => (0..times).for_each(|_| check_all(&catalog)),
        "index" => {
            for _ in 0..times {
                black_box(Index::build(&catalog, llm::static_embedder())?);
            }
        }
        "link" => {
            let index = Index::load(&folder.join(INDEX))?;
            let linker = Linker::new(&catalog, &index, llm::static_embedder());
            (0..times).for_each(|_| link_all(&linker));
        }
        other => bail!("there is no bench `{other}`"),
    }
    Ok(())
}

/// Statements resolved against the catalog.
fn read_all(catalog: &Catalog) {
    let schema = sql::CatalogSchema::new(catalog, SOURCE);
    for question in shop::questions().iter().take(QUESTIONS) {
        black_box(sql::read(&question.gold_sql, &Dialect::Sqlite, &schema));
    }
}

/// Statements judged by all rules.
fn check_all(catalog: &Catalog) {
    let policy = Policy::default();
    for question in shop::questions().iter().take(QUESTIONS) {
        black_box(guard::check(&question.gold_sql, catalog, SOURCE, &policy, None));
    }
}

/// Questions linked, with directives and a context.
fn link_all(linker: &Linker<'_>) {
    for question in shop::questions().iter().take(QUESTIONS) {
        black_box(linker.link(&question.question, &LinkOptions::default()));
    }
}
