//! A pack: questions with gold answers, and the databases or snapshots that they are asked of.
//!
//! A pack's databases go the way of a user's: connected, profiled, described by rules, all in memory. Each becomes one
//! source of a catalog, so that a pool of databases is a catalog with many sources.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use catalog::{Catalog, Store};
use describe::Written;
use serde::Deserialize;

/// A question of a pack.
#[derive(Clone, Debug, Deserialize)]
pub struct PackQuestion {
    /// Unique in the pack.
    pub id: String,
    /// The database that it is asked of.
    pub db: String,
    /// The question.
    pub question: String,
    /// What one has to know to answer it, where the pack says so.
    #[serde(default)]
    pub evidence: Option<String>,
    /// The tables that the gold statement reads, named as in their database.
    pub gold_tables: Vec<String>,
    /// The columns that it reads, as `table.column`.
    #[serde(default)]
    pub gold_columns: Vec<String>,
    /// Other sets of tables by which it is answered as well.
    #[serde(default)]
    pub alternatives: Vec<Vec<String>>,
}

/// The file of a pack's questions unless another is named.
pub const QUESTIONS_FILE: &str = "questions.jsonl";

/// A folder with `questions.jsonl` and `databases/*.sqlite` or `snapshots/*.json`.
#[derive(Debug)]
pub struct Pack {
    /// The folder.
    pub folder: PathBuf,
    /// In the file's order.
    pub questions: Vec<PackQuestion>,
    /// By name.
    pub databases: Vec<PackDatabase>,
}

/// One database of a pack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackDatabase {
    /// Its name, which becomes the name of the source.
    pub name: String,
    /// How to connect to it.
    pub dsn: String,
    /// What agents wrote of its tables, one [`Written`] a line; `None` where the rules alone describe it.
    pub descriptions: Option<PathBuf>,
}

impl Pack {
    /// Reads the questions of `questions.jsonl` and lists the databases.
    ///
    /// # Errors
    /// As [`Self::with_questions`].
    pub fn read(folder: &Path) -> anyhow::Result<Self> {
        Self::with_questions(folder, QUESTIONS_FILE)
    }

    /// Reads the questions of that file in the folder and lists the databases.
    ///
    /// # Errors
    /// Where a file can't be read, a line is no question, or there is no database.
    pub fn with_questions(folder: &Path, file: &str) -> anyhow::Result<Self> {
        let path = folder.join(file);
        let text = std::fs::read_to_string(&path).with_context(|| format!("`{}` can't be read", path.display()))?;
        let mut questions = Vec::new();
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let question = serde_json::from_str(line)
                .with_context(|| format!("line {number} of `{}` is no question", path.display()))?;
            questions.push(question);
        }
        let mut databases = Vec::new();
        for (folder, ending, scheme) in
            [(folder.join("databases"), "sqlite", "sqlite:"), (folder.join("snapshots"), "json", "snapshot:")]
        {
            let Ok(files) = std::fs::read_dir(&folder) else { continue };
            for file in files {
                let path = file?.path();
                let (Some(name), Some(found)) = (path.file_stem(), path.extension()) else { continue };
                if found == ending {
                    let dsn = format!("{scheme}{}", path.display());
                    databases.push(PackDatabase { name: name.to_string_lossy().into_owned(), dsn, descriptions: None });
                }
            }
        }
        if databases.is_empty() {
            bail!("`{}` has neither `databases/*.sqlite` nor `snapshots/*.json`", folder.display());
        }
        databases.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(Self { folder: folder.to_owned(), questions, databases })
    }

    /// The same with what agents wrote of the databases' tables, which is in `descriptions/*.jsonl`.
    ///
    /// # Errors
    /// Where that isn't there for each of them.
    pub fn described(mut self) -> anyhow::Result<Self> {
        for database in &mut self.databases {
            let path = self.folder.join("descriptions").join(&database.name).with_extension("jsonl");
            if !path.is_file() {
                bail!("there is no `{}`", path.display());
            }
            database.descriptions = Some(path);
        }
        Ok(self)
    }
}

/// A catalog of these databases, each a source, made in memory.
///
/// # Errors
/// Where a database can't be opened, profiled or described.
pub async fn catalog_of(databases: &[PackDatabase]) -> anyhow::Result<Catalog> {
    let store = Store::in_memory()?;
    for database in databases {
        profile_into(&store, database).await?;
    }
    Ok(store.catalog()?)
}

/// Connects a database, profiles it and describes it by rules.
pub(crate) async fn profile_into(store: &Store, database: &PackDatabase) -> anyhow::Result<()> {
    let mut options = profile::Options::new(catalog_time());
    // Packs are public data, and their questions ask for names and addresses.
    options.sensitive = privacy::Sensitivity::off();
    let about = || format!("the database `{}`", database.name);
    let connector = connect::connect(&database.name, &database.dsn).with_context(about)?;
    profile::profile_source(connector.as_ref(), store, &options, &mut |_| {}).await.with_context(about)?;
    describe::describe_source(store, &database.name, None, &mut |_| {}).await.with_context(about)?;
    if let Some(path) = &database.descriptions {
        put_descriptions(store, &database.name, path)?;
    }
    Ok(())
}

/// Stores what an agent wrote of a source's tables, checked as when it was written.
fn put_descriptions(store: &Store, source: &str, path: &Path) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(path).with_context(|| format!("`{}` can't be read", path.display()))?;
    let catalog = store.catalog()?;
    for (number, line) in (1..).zip(text.lines()) {
        let about = || format!("line {number} of `{}`", path.display());
        let written: Written = serde_json::from_str(line).with_context(about)?;
        let entry = catalog.find(&written.table, Some(source)).into_iter().next();
        let entry = entry.with_context(|| format!("{} names no table", about()))?;
        let taken = describe::by_agent(entry, &catalog, &written, "an agent", catalog_time()).with_context(about)?;
        store.put_description(&taken.description)?;
    }
    Ok(())
}

/// The time that staleness is counted from: now.
fn catalog_time() -> jiff::Timestamp {
    jiff::Timestamp::now()
}

#[cfg(test)]
mod tests {
    use super::Pack;

    #[test]
    fn a_folder_without_databases_is_refused() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let line = r#"{"id": "1", "db": "shop", "question": "How many?", "gold_tables": ["orders"]}"#;
        std::fs::write(folder.path().join("questions.jsonl"), line).expect("a file");
        let error = Pack::read(folder.path()).expect_err("no databases");
        assert!(error.to_string().contains("neither"), "{error}");
        std::fs::create_dir(folder.path().join("snapshots")).expect("a folder");
        std::fs::write(folder.path().join("snapshots/shop.json"), "{}").expect("a file");
        let pack = Pack::read(folder.path()).expect("a pack");
        assert_eq!((pack.questions.len(), pack.databases[0].name.as_str()), (1, "shop"));
        std::fs::write(folder.path().join("questions.jsonl"), format!("{line}\nnonsense\n")).expect("a file");
        assert!(Pack::read(folder.path()).expect_err("a broken line").to_string().contains("line 2"));
    }
}
