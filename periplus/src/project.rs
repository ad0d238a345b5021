//! What the arguments mean here: the configuration found, the sources it names, where the catalog and the models lie.
//!
//! Invariant: relative paths in the configuration start at its own folder, not at the process's.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use catalog::{Catalog, Store, Table};
use connect::{ConnectError, Connector, Limits};
use guard::{AnchorPlace, AuditKey, AuditLog, AuditOptions, Policy};
use index::Index;
use lineage::Lineage;
use link::LinkOptions;
use llm::{ChatModel, Embedder, ModelConfig};
use privacy::{Check, Denied, DeniedWhat, Sensitivity};
use serve::Tokens;

use crate::args::Global;
use crate::config::{AUDIT_KEY, Config, FILE_NAME, PersonNames, Provider, RoleGuardSection, SourceConfig};
use crate::mask_rules::{GrantMark, Granted, ProjectRules};

/// A project: a folder with a configuration and what was learnt.
pub(crate) struct Project {
    /// The folder.
    pub(crate) root: PathBuf,
    /// What the file says, with the defaults.
    pub(crate) config: Config,
    /// What it says, to the letter.
    pub(crate) text: Option<String>,
}

/// What these lists keep from being read, of a source or of all.
fn denied(source: Option<&String>, tables: &[String], columns: &[String]) -> Vec<Denied> {
    let tables = tables.iter().map(|pattern| (DeniedWhat::Tables, pattern));
    let patterns = tables.chain(columns.iter().map(|pattern| (DeniedWhat::Columns, pattern)));
    patterns.map(|(what, pattern)| Denied { source: source.cloned(), what, pattern: pattern.clone() }).collect()
}

/// What can be wrong with a project.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProjectError {
    /// The project's folder isn't there.
    #[error("there is no folder `{path}`")]
    NoFolder { path: PathBuf },
    /// Neither a configuration nor a DSN.
    #[error("no database is configured")]
    NoSource,
    /// A source that isn't configured.
    #[error("there is no source `{name}`; there are: {known}")]
    UnknownSource { name: String, known: String },
    /// A role of the database that callers are to take, where there is nothing of the kind.
    #[error("no session of `{source_id}` can take a role of the database")]
    NoDatabaseRoles { source_id: String },
    /// A role of a database that callers are to take, and it isn't let.
    #[error("callers of `[guard.roles.{role}]` can't take the role `{taken}` of `{source_id}`")]
    DatabaseRole { role: String, taken: String, source_id: String, source: Box<ConnectError> },
    /// A role that is neither built in nor configured.
    #[error("there is no role `{name}`; there are: {known}")]
    UnknownRole { name: String, known: String },
    /// A caller's statements couldn't be told from those of whoever runs this.
    #[error("a token can't be called `{name}`, since what the operator runs is recorded under that name")]
    OperatorsName { name: String },
    /// Several sources, and the command needs one.
    #[error("there are several sources ({known}), and this needs one")]
    WhichSource { known: String },
    /// A name that no source can have.
    #[error("{reason}")]
    SourceName { reason: String },
    /// Nothing has been indexed.
    #[error("the catalog is empty: nothing has been indexed yet")]
    NotIndexed,
    /// Something was indexed, and none of it can be read.
    #[error("nothing in the catalog can be read as it was written")]
    Unreadable,
    /// A database without a table.
    #[error("the source `{name}` has no tables")]
    EmptySource { name: String },
    /// Feedback on the last answer, and there is none.
    #[error("nothing has been asked yet")]
    NothingAsked,
    /// A fact that isn't there.
    #[error("there is no fact `{name}` about `{table}`")]
    UnknownFact { name: String, table: String, known: String },
    /// Several facts, and one is meant.
    #[error("`{name}` may be one of several facts about `{table}`")]
    WhichFact { name: String, table: String, known: String },
    /// Approval of what was declined.
    #[error("“{question}” had no answer that could be approved or rejected")]
    NothingToApprove { question: String },
    /// The configuration was changed under a running shell.
    #[error("the configuration was changed since the shell was started")]
    ConfigurationChanged,
    /// Privileges for an engine that has none.
    #[error("{dialect} has no privileges on columns")]
    NoPrivileges { dialect: String },
    /// A column that isn't there.
    #[error("there is no column `{name}`")]
    UnknownColumn { name: String, near: String },
    /// A file that is to be compared and is no snapshot.
    #[error("`{path}` is no snapshot: {reason}")]
    Snapshot { path: PathBuf, reason: String },
    /// A table that nothing is known of, neither by the database nor by what tells where data comes from.
    #[error("nothing is known of a table or column `{name}`")]
    UnknownOrigin { name: String, near: String },
    /// No log of the source has been read.
    #[error("nothing is known of what people run over `{name}`")]
    NoUsage { name: String },
    /// A business term that nobody has defined or proposed.
    #[error("there is no term `{name}`")]
    UnknownTerm { name: String, known: Vec<String> },
    /// What was said is no longer used.
    #[error("{id} is not used any more: {why}")]
    NotUsed { id: i64, why: String },
    /// Nothing is to be changed.
    #[error("nothing is given that would be said better")]
    NothingGiven,
    /// What was approved has no correction.
    #[error("{id} was approved, so there is nothing to correct")]
    NothingToCorrect { id: i64 },
    /// A table that isn't there.
    #[error("there is no table `{name}`")]
    UnknownTable { name: String, near: String },
    /// Several tables, and one is meant.
    #[error("`{name}` may be one of several tables: {known}")]
    WhichTable { name: String, known: String },
    /// A table of which no agent's text waits.
    #[error("nothing waits for approval of `{name}`")]
    NothingProposed { name: String, known: String },
    /// `init` would overwrite something.
    #[error("`{path}` exists already")]
    Exists { path: PathBuf },
    /// A folder or file of the project can't be written.
    #[error("`{path}` can't be written")]
    Write {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// A model section that doesn't say enough.
    #[error("the model section of the configuration is incomplete: {reason}")]
    Model { reason: String },
    /// Markdown files that differ from the catalog, or can't be read.
    #[error("the catalog's Markdown needs attention: {reason}")]
    Docs { reason: String },
}

impl ProjectError {
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::NoFolder { .. } => "no_such_folder",
            Self::NoSource => "no_source",
            Self::UnknownSource { .. } => "unknown_source",
            Self::NoDatabaseRoles { .. } => "no_database_roles",
            Self::DatabaseRole { source, .. } => source.code(),
            Self::UnknownRole { .. } => "unknown_role",
            Self::OperatorsName { .. } => "token_name",
            Self::WhichSource { .. } | Self::SourceName { .. } => "usage",
            Self::NotIndexed => "not_indexed",
            Self::Snapshot { .. } => "file_unreadable",
            Self::Unreadable => "catalog_unreadable",
            Self::EmptySource { .. } => "source_empty",
            Self::NothingAsked => "usage",
            Self::NoPrivileges { .. } => "unsupported",
            Self::ConfigurationChanged => "configuration_changed",
            Self::NothingToApprove { .. } => "nothing_to_approve",
            Self::UnknownFact { .. } => "unknown_fact",
            Self::WhichFact { .. } => "ambiguous_fact",
            Self::UnknownColumn { .. } => "unknown_column",
            Self::UnknownTable { .. } | Self::UnknownOrigin { .. } => "unknown_table",
            Self::NoUsage { .. } => "no_usage",
            Self::UnknownTerm { .. } => "unknown_term",
            Self::NothingToCorrect { .. } | Self::NothingGiven => "usage",
            Self::NotUsed { .. } => "not_used",
            Self::WhichTable { .. } => "ambiguous_table",
            Self::NothingProposed { .. } => "nothing_proposed",
            Self::Exists { .. } => "already_exists",
            Self::Write { .. } => "not_writable",
            Self::Model { .. } => "config_model",
            Self::Docs { .. } => "docs_differ",
        }
    }

    pub(crate) fn hints(&self) -> Vec<String> {
        match self {
            Self::NoSource => vec![
                "`periplus init path/to/file.db` writes a configuration".into(),
                "or give the database with --dsn or DATABASE_URL".into(),
                "`periplus demo` shows it all without a database of yours".into(),
            ],
            Self::NoFolder { .. } => vec!["correct --project, or make the folder first".into()],
            Self::UnknownRole { .. } => {
                vec!["a role of your own is a section [guard.roles.NAME] of the configuration".into()]
            }
            Self::OperatorsName { .. } => vec!["choose another name".into()],
            Self::NoDatabaseRoles { .. } => vec![
                "`database_role` is for PostgreSQL, MariaDB and MySQL; give those callers a server and a login of their own"
                    .into(),
            ],
            Self::DatabaseRole { taken, source, .. } => match **source {
                ConnectError::Statement { .. } | ConnectError::Denied { .. } | ConnectError::PermissionDenied { .. } => vec![format!(
                    "the role has to be there, and the login of the source a member of it: `GRANT \"{taken}\" TO …`"
                )],
                _ => source.hints(),
            },
            Self::UnknownSource { .. } | Self::WhichSource { .. } => vec!["name one with --source".into()],
            Self::SourceName { .. } => vec!["choose another with --name".into()],
            Self::NotIndexed => vec!["run `periplus index` first".into()],
            Self::Unreadable => vec!["`periplus index --full` makes it anew".into()],
            Self::NoPrivileges { .. } => {
                vec!["who may read the file may read all of it; the guard is what keeps masks there".into()]
            }
            Self::NothingAsked => {
                vec!["ask with `periplus ask`, or give the pair with --question and --sql".into()]
            }
            Self::EmptySource { .. } => vec!["check that the DSN names the right database".into()],
            Self::UnknownFact { known, .. } if known.is_empty() => {
                vec!["nothing is known of its rows that names and types don't say".into()]
            }
            Self::UnknownFact { known, .. } | Self::WhichFact { known, .. } => vec![format!("one of these: {known}")],
            Self::UnknownColumn { near, .. } if !near.is_empty() => vec![format!("perhaps one of these: {near}")],
            Self::UnknownColumn { .. } => {
                vec!["write it as TABLE.COLUMN; `periplus mask` without a column lists what is masked".into()]
            }
            Self::Snapshot { .. } => vec!["`periplus snapshot FILE --values` writes one".into()],
            Self::UnknownOrigin { near, .. } if near.is_empty() => {
                vec!["`periplus lineage` shows what is known; `dbt` and `scripts` of a source say where more is".into()]
            }
            Self::UnknownOrigin { near, .. } => vec![format!("called much like it: {near}")],
            Self::NoUsage { .. } => vec![
                "name query logs with `logs` of the source in periplus.toml, then run `periplus index`: `periplus manual usage`"
                    .into(),
            ],
            Self::UnknownTerm { known, .. } if known.is_empty() => {
                vec!["`periplus terms define NAME --definition \"…\"` defines one".into()]
            }
            Self::UnknownTerm { known, .. } => vec![format!("there are: {}", known.join(", "))],
            Self::NotUsed { .. } => vec!["`periplus feedback list` tells what is in use".into()],
            Self::NothingGiven => vec!["give another --question, --sql or --correction, --private or --expires".into()],
            Self::NothingToCorrect { id } => {
                vec![format!("give another --sql, or `periplus feedback undo {id}` and reject what is wrong")]
            }
            Self::UnknownTable { near, .. } if near.is_empty() => vec!["`periplus tables` lists all of them".into()],
            Self::UnknownTable { near, .. } => vec![format!("called much like it: {near}")],
            Self::WhichTable { .. } => vec!["write the schema before it, or name the source with --source".into()],
            Self::NothingToApprove { .. } => {
                vec!["once you have the right statement: `periplus feedback approve --question … --sql …`".into()]
            }
            Self::ConfigurationChanged => vec!["start it again".into()],
            Self::NothingProposed { known, .. } if known.is_empty() => Vec::new(),
            Self::NothingProposed { known, .. } => vec![format!("what waits: {known}")],
            Self::Exists { .. } => vec!["edit it, or remove it first".into()],
            Self::Write { .. } => vec!["check the folder's permissions and the free space".into()],
            Self::Model { .. } => vec!["`periplus manual configuration` shows a full section for each provider".into()],
            Self::Docs { .. } => vec![
                "`periplus docs read` takes edits over, `periplus docs write` writes the files anew and keeps edits"
                    .into(),
            ],
        }
    }
}

impl Project {
    /// Finds the project the arguments mean. The DSN on the command line wins over the file, the file over
    /// `DATABASE_URL`.
    pub(crate) fn open(global: &Global) -> anyhow::Result<Self> {
        let root = global.project.clone();
        if !root.is_dir() {
            return Err(ProjectError::NoFolder { path: root }.into());
        }
        let (config, text) = Config::read(&root.join(FILE_NAME))?.unzip();
        let mut config: Config = config.unwrap_or_default();
        let from_environment = || std::env::var("DATABASE_URL").ok().filter(|_| config.sources.is_empty());
        if let Some(dsn) = global.dsn.clone().or_else(from_environment) {
            config.sources = vec![SourceConfig::new(name_from_dsn(&dsn), dsn)];
            // A path typed on the command line starts where the user stands.
            return Ok(Self { root, config, text });
        }
        // A wrong policy is said at the start, not when the first statement comes.
        for role in std::iter::once(None).chain(config.guard.roles.values().map(Some)) {
            config.guard.policy(role, config.sources.iter().map(|source| source.id.as_str()))?;
        }
        for source in &mut config.sources {
            source.dsn = relative_to(&root, &source.dsn);
            for folder in source.dbt.iter_mut().chain(&mut source.scripts).chain(&mut source.logs) {
                *folder = root.join(&folder);
            }
        }
        Ok(Self { root, config, text })
    }

    /// The project with every source strict, where the command line asks for it.
    pub(crate) fn with_strictness(mut self, asked: bool) -> Self {
        if asked {
            self.config.connect.strict = true;
            self.config.sources.iter_mut().for_each(|source| source.strict = None);
        }
        self
    }

    /// Whether a source may only be opened with a role that may do nothing but read.
    pub(crate) fn is_strict(&self, source: &SourceConfig) -> bool {
        source.strict.unwrap_or(self.config.connect.strict)
    }

    /// The configuration's file and what it said when it was read, where there is one.
    pub(crate) fn configuration(&self) -> Option<(PathBuf, String)> {
        Some((self.root.join(FILE_NAME), self.text.clone()?))
    }

    /// Whether its file says something else by now, or isn't there any more.
    pub(crate) fn is_outdated(&self) -> bool {
        std::fs::read_to_string(self.root.join(FILE_NAME)).ok() != self.text
    }

    /// Where everything that Periplus writes for itself lies.
    pub(crate) fn state_folder(&self) -> PathBuf {
        self.root.join(".periplus")
    }

    /// Where what agents wrote of tables waits for approval.
    pub(crate) fn proposals_folder(&self) -> PathBuf {
        self.state_folder().join("proposed")
    }

    /// Where the index is saved.
    pub(crate) fn index_folder(&self) -> PathBuf {
        self.state_folder().join("index")
    }

    /// Where local models are kept: shared by all projects of a user, because one is over a gigabyte.
    pub(crate) fn models_folder(&self) -> PathBuf {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        set("PERIPLUS_MODELS")
            .or_else(|| set("XDG_CACHE_HOME").map(|cache| cache.join("periplus/models")))
            .or_else(|| set("HOME").map(|home| home.join(".cache/periplus/models")))
            .unwrap_or_else(|| self.state_folder().join("models"))
    }

    /// Where the question that was asked last is kept, with its statement.
    pub(crate) fn last_asked(&self) -> PathBuf {
        self.state_folder().join("asked.json")
    }

    /// The catalog's file.
    pub(crate) fn catalog_path(&self) -> PathBuf {
        self.state_folder().join("catalog.db")
    }

    /// The catalog, opened; made where it doesn't exist.
    pub(crate) fn store(&self) -> anyhow::Result<Store> {
        self.store_by(self.has_texts())
    }

    /// The same before an index run has read what tables are made from.
    pub(crate) fn store_before_reading(&self) -> anyhow::Result<Store> {
        self.store_by(false)
    }

    /// Whether the configuration names texts that say what tables are made from.
    fn has_texts(&self) -> bool {
        self.config.sources.iter().any(SourceConfig::has_texts)
    }

    fn store_by(&self, lineage_is_expected: bool) -> anyhow::Result<Store> {
        let rules = ProjectRules::new(self.sensitivity(), self.lineage_path(), lineage_is_expected)?;
        let store = Store::open(&self.catalog_path(), Arc::new(rules))?;
        self.keep_private()?;
        Ok(store)
    }

    /// Which columns are sensitive, by what is built in and configured.
    pub(crate) fn sensitivity(&self) -> Sensitivity {
        Sensitivity {
            mask: self.config.profile.sensitive.clone(),
            deny: self.denied(),
            keep: self.config.profile.not_sensitive.clone(),
            person_names: match self.config.profile.person_names {
                PersonNames::Mask => Check::On,
                PersonNames::Show => Check::Off,
            },
            ..Sensitivity::standard()
        }
    }

    /// By which rules the catalog is read but for masks that stay whatever these say.
    pub(crate) fn rules_without_held(&self) -> anyhow::Result<ProjectRules> {
        Ok(ProjectRules::new(self.sensitivity(), self.lineage_path(), false)?.without_held())
    }

    /// By which rules callers of a role see the catalog: by the project's, and what they may not read is masked besides.
    pub(crate) fn rules_of(&self, role: &RoleGuardSection) -> anyhow::Result<ProjectRules> {
        let mut sensitivity = self.sensitivity();
        sensitivity.deny.extend(denied(None, &role.deny_tables, &role.deny_columns));
        Ok(ProjectRules::new(sensitivity, self.lineage_path(), self.has_texts())?)
    }

    /// What roles may not read that names no column of these tables, most often since it is misspelt.
    pub(crate) fn unmatched_denials<'t>(&self, tables: impl Iterator<Item = &'t Table> + Clone) -> Vec<String> {
        let of_role = |(name, role): (&String, &RoleGuardSection)| {
            let deny = denied(None, &role.deny_tables, &role.deny_columns);
            let nothing = Sensitivity { deny, mask: Vec::new(), keep: Vec::new(), ..Sensitivity::standard() };
            let unmatched = nothing.unmatched(tables.clone()).into_iter();
            let said =
                |(_, pattern): (&str, &str)| format!("`{pattern}`, denied to `guard.roles.{name}`, matches nothing");
            unmatched.map(said).collect::<Vec<_>>()
        };
        self.config.guard.roles.iter().flat_map(of_role).collect()
    }

    /// The address of a source for callers of a role: that of the role in the database which they take, if any.
    ///
    /// # Errors
    /// Where a server has no such roles.
    pub(crate) fn dsn_for(
        &self,
        source: &SourceConfig,
        role: Option<&RoleGuardSection>,
    ) -> Result<String, ProjectError> {
        let Some(taken) = role.and_then(|role| role.database_role.as_deref()) else { return Ok(source.dsn.clone()) };
        match connect::with_role(&source.dsn, taken) {
            Some(dsn) => Ok(dsn),
            None if connect::is_file(&source.dsn) => Ok(source.dsn.clone()),
            None => Err(ProjectError::NoDatabaseRoles { source_id: source.id.clone() }),
        }
    }

    /// What the databases let a role read that its callers take.
    ///
    /// # Errors
    /// Where one can't be asked: nobody could say what may be told.
    pub(crate) async fn granted_to(&self, name: &str, role: &RoleGuardSection) -> anyhow::Result<Granted> {
        let Some(taken) = &role.database_role else { return Ok(Granted::default()) };
        let mut granted = Granted::to(taken);
        for source in self.config.sources.iter().filter(|source| !connect::is_file(&source.dsn)) {
            let dsn = self.dsn_for(source, Some(role))?;
            let connector = connect::connect(&source.id, &dsn)?;
            let asked = granted.ask(&source.id, &*connector).await;
            asked.map_err(|error| ProjectError::DatabaseRole {
                role: name.to_owned(),
                taken: taken.clone(),
                source_id: source.id.clone(),
                source: Box::new(error),
            })?;
        }
        Ok(granted)
    }

    /// What tells whether [`Project::granted_to`] would say something else, by role and source.
    ///
    /// # Errors
    /// Where a database can't be asked.
    pub(crate) async fn grant_marks(&self) -> anyhow::Result<BTreeMap<(String, String), GrantMark>> {
        let mut marks = BTreeMap::new();
        for (name, role) in self.config.guard.roles.iter().filter(|(_, role)| role.database_role.is_some()) {
            for source in self.config.sources.iter().filter(|source| !connect::is_file(&source.dsn)) {
                let connector = connect::connect(&source.id, &self.dsn_for(source, Some(role))?)?;
                marks.insert((name.clone(), source.id.clone()), Granted::mark(&*connector).await?);
            }
        }
        Ok(marks)
    }

    /// What may not be read has no business in the catalog either.
    fn denied(&self) -> Vec<Denied> {
        let guard = &self.config.guard;
        let mut all = denied(None, &guard.deny_tables, &guard.deny_columns);
        for (name, own) in &guard.sources {
            all.extend(denied(Some(name), &own.deny_tables, &own.deny_columns));
        }
        all
    }

    /// What is known of a database is its owner's to see, also where an earlier version was more open, and no part of what is
    /// committed.
    fn keep_private(&self) -> Result<(), ProjectError> {
        let path = self.state_folder().join(".gitignore");
        if !path.exists() {
            std::fs::write(&path, "*\n").map_err(|source| ProjectError::Write { path, source })?;
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let path = self.state_folder();
            let private = std::fs::Permissions::from_mode(0o700);
            std::fs::set_permissions(&path, private).map_err(|source| ProjectError::Write { path, source })?;
        }
        Ok(())
    }

    /// Everything that is known; an error where nothing is.
    pub(crate) fn catalog(&self) -> anyhow::Result<Catalog> {
        // Looking leaves no file behind.
        let catalog = if self.catalog_path().exists() { Some(self.store()?.catalog()?) } else { None };
        match catalog {
            Some(catalog) if !catalog.entries().is_empty() => Ok(catalog),
            Some(catalog) if !catalog.damaged().is_empty() => Err(ProjectError::Unreadable.into()),
            _ if self.config.sources.is_empty() => Err(ProjectError::NoSource.into()),
            _ => Err(ProjectError::NotIndexed.into()),
        }
    }

    /// The index of a catalog: the saved one where it is current, else a new one, which takes over from the saved one what
    /// hasn't changed, and is saved.
    pub(crate) fn index(&self, catalog: &Catalog) -> anyhow::Result<Index> {
        let folder = self.index_folder();
        let index = match Index::load(&folder).ok() {
            Some(saved) if saved.is_current(catalog, self.embedder()) => return Ok(saved),
            Some(earlier) => Index::rebuild(catalog, self.embedder(), &earlier)?,
            None => Index::build(catalog, self.embedder())?,
        };
        index.save(&folder)?;
        Ok(index)
    }

    /// What is known of where data comes from: what the last `index` read of it.
    pub(crate) fn lineage(&self) -> anyhow::Result<Lineage> {
        let mut all = Lineage::default();
        lineage::load(&self.lineage_path())?.into_values().for_each(|of_source| all.extend(of_source));
        Ok(all)
    }

    /// Where that is kept.
    pub(crate) fn lineage_path(&self) -> PathBuf {
        self.state_folder().join("lineage.json")
    }

    /// Where what has been run over a source is kept.
    pub(crate) fn journal_path(&self, source: &str) -> PathBuf {
        self.state_folder().join(format!("usage-{source}.json"))
    }

    /// What turns text into vectors.
    pub(crate) fn embedder(&self) -> &'static dyn Embedder {
        llm::static_embedder()
    }

    /// The source of that name; without a name, the only one.
    pub(crate) fn source(&self, name: Option<&str>) -> Result<&SourceConfig, ProjectError> {
        let known = || self.config.sources.iter().map(|source| source.id.as_str()).collect::<Vec<_>>().join(", ");
        match (name, self.config.sources.as_slice()) {
            (_, []) => Err(ProjectError::NoSource),
            (Some(name), sources) => sources
                .iter()
                .find(|source| source.id == name)
                .ok_or_else(|| ProjectError::UnknownSource { name: name.to_owned(), known: known() }),
            (None, [only]) => Ok(only),
            (None, _) => Err(ProjectError::WhichSource { known: known() }),
        }
    }

    /// A connection to a source, opened for reading only.
    pub(crate) fn connector(&self, source: &SourceConfig) -> anyhow::Result<Box<dyn Connector>> {
        Ok(connect::connect(&source.id, &source.dsn)?)
    }

    /// What may run.
    pub(crate) fn policy(&self) -> anyhow::Result<Policy> {
        self.policy_of(None)
    }

    /// What callers of a role may run; without one, everybody else.
    pub(crate) fn policy_of(&self, role: Option<&RoleGuardSection>) -> anyhow::Result<Policy> {
        // Which sources there are was held against it when the configuration was read.
        let guard = &self.config.guard;
        let policy = guard.policy(role, guard.sources.keys().map(String::as_str))?.asked_by(&user());
        let policy = policy.look_ups_counted_in(&self.state_folder().join("look-ups"));
        Ok(if self.config.audit.enabled { policy.recorded_in(Arc::new(self.audit_log()?)) } else { policy })
    }

    /// The record of statements.
    pub(crate) fn audit_log(&self) -> anyhow::Result<AuditLog> {
        let section = &self.config.audit;
        let key = match std::env::var(AUDIT_KEY).ok().filter(|key| !key.is_empty()) {
            Some(key) => Some(AuditKey::new(key.as_bytes())?),
            None => section.key_file.as_ref().map(|path| AuditKey::read(&self.root.join(path))).transpose()?,
        };
        let anchor = self.audit_anchor();
        let options = AuditOptions {
            chain: section.chain,
            key,
            anchor,
            anchor_every: section.anchor_every,
            max_bytes: section.max_megabytes << 20,
            files: section.files,
        };
        Ok(AuditLog::new(&self.audit_path(), options))
    }

    fn audit_path(&self) -> PathBuf {
        self.state_folder().join("audit.jsonl")
    }

    fn audit_anchor(&self) -> Option<AnchorPlace> {
        Some(match self.config.audit.anchor.as_deref()?.parse() {
            Ok(AnchorPlace::File(path)) => AnchorPlace::File(self.root.join(path)),
            Ok(place) => place,
            Err(never) => match never {},
        })
    }

    /// What may have become of the record's anchor, where one is configured and isn't there.
    pub(crate) fn missing_anchor(&self) -> Option<String> {
        let Some(AnchorPlace::File(anchor)) = self.audit_anchor().filter(|_| self.config.audit.enabled) else {
            return None;
        };
        let reason = match self.audit_path().exists() {
            _ if anchor.exists() => return None,
            true => "though there is a record; `periplus audit --verify` says whether there has to be one",
            false => "nor a record: nothing has been asked yet, or both were deleted",
        };
        Some(format!("there is no anchor of the record of statements at {}, {reason}", anchor.display()))
    }

    /// The tokens that callers of a server show.
    pub(crate) fn tokens(&self) -> Tokens {
        Tokens::at(self.state_folder().join("tokens.json"))
    }

    /// How much a result may hold and how long a statement may take.
    pub(crate) fn limits(&self) -> Limits {
        let guard = &self.config.guard;
        Limits {
            rows: guard.max_rows,
            bytes: guard.max_bytes,
            timeout: Duration::from_secs(guard.timeout_seconds),
            ..Limits::default()
        }
    }

    /// How tables are chosen.
    pub(crate) fn link_options(&self, source: Option<&str>) -> LinkOptions {
        LinkOptions {
            source: source.map(str::to_owned),
            full_schema_below: self.config.link.full_schema_below,
            token_budget: self.config.link.context_tokens,
            recall_target: self.config.link.recall_target,
            ..LinkOptions::default()
        }
    }

    /// Which model is to be used, by the configuration, else the local one where it is there, else none.
    pub(crate) fn model_config(&self) -> Result<ModelConfig, ProjectError> {
        let section = &self.config.model;
        let named = || section.name.clone().ok_or_else(|| ProjectError::Model { reason: "`name` is missing".into() });
        Ok(match section.provider {
            Some(Provider::Openai) => ModelConfig::OpenAi {
                base_url: section.base_url.clone().unwrap_or_else(|| "https://api.openai.com/v1".into()),
                model: named()?,
                // A server of one's own seldom has keys; OpenAI's always does.
                key_env: section
                    .api_key_env
                    .clone()
                    .or_else(|| section.base_url.is_none().then(|| "OPENAI_API_KEY".to_owned())),
            },
            Some(Provider::Anthropic) => ModelConfig::Anthropic {
                base_url: section.base_url.clone(),
                model: named()?,
                key_env: section.api_key_env.clone(),
            },
            Some(Provider::None) => ModelConfig::None,
            Some(Provider::Local) => ModelConfig::Local { path: self.local_model_path() },
            None if self.local_model_path().is_file() => ModelConfig::Local { path: self.local_model_path() },
            None => ModelConfig::None,
        })
    }

    /// The model, opened; `None` where none is to be used.
    pub(crate) fn model(&self) -> anyhow::Result<Option<Box<dyn ChatModel>>> {
        match self.model_config()? {
            ModelConfig::None => Ok(None),
            config => Ok(Some(llm::open_model(&config, &self.model_options())?)),
        }
    }

    /// How a model is asked.
    pub(crate) fn model_options(&self) -> llm::ModelOptions {
        let mut options = llm::ModelOptions::default();
        if let Some(seconds) = self.config.model.timeout_seconds {
            options.http.read_timeout = Duration::from_secs(seconds);
            options.http.total_timeout = options.http.total_timeout.max(2 * options.http.read_timeout);
        }
        options
    }

    /// Where the local model's file is, or would be.
    pub(crate) fn local_model_path(&self) -> PathBuf {
        let own = self.config.model.path.as_ref().map(|path| self.root.join(path));
        own.unwrap_or_else(|| llm::local::model_path(&self.models_folder()))
    }

    /// What the user wrote about the company, for the model.
    pub(crate) fn company_context(&self) -> anyhow::Result<Option<String>> {
        let Some(path) = &self.config.model.company_context else { return Ok(None) };
        let path = self.root.join(path);
        let text =
            std::fs::read_to_string(&path).map_err(|source| crate::config::ConfigError::Unreadable { path, source })?;
        Ok(Some(text))
    }

    /// What signals weigh for the configured model, where the configuration names a file that says it.
    pub(crate) fn calibration(&self) -> anyhow::Result<Option<agent::Calibration>> {
        self.config.ask.calibration.as_deref().map(|path| read_calibration(&self.root.join(path))).transpose()
    }

    /// The folder of the Markdown catalog.
    pub(crate) fn docs_folder(&self, given: Option<&Path>) -> PathBuf {
        given.map_or_else(|| self.root.join(&self.config.docs.folder), Path::to_owned)
    }
}

/// What `periplus eval calibrate` has written.
pub(crate) fn read_calibration(path: &Path) -> anyhow::Result<agent::Calibration> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| crate::config::ConfigError::Unreadable { path: path.to_owned(), source })?;
    let calibration = serde_json::from_str(&text).map_err(|error| crate::config::ConfigError::Invalid {
        path: path.to_owned(),
        reason: format!("it is no calibration of `periplus eval calibrate`: {error}"),
    })?;
    Ok(calibration)
}

/// Who runs this, as the system has it: the environment can be chosen, and look-ups are counted by it.
pub(crate) fn user() -> String {
    let by_environment =
        || ["USER", "USERNAME", "LOGNAME"].iter().find_map(|name| std::env::var(name).ok().filter(|it| !it.is_empty()));
    whoami::username().ok().filter(|name| !name.is_empty()).or_else(by_environment).unwrap_or_else(|| "unknown".into())
}

/// A name for a source, from its DSN: the file's name without extension, or the last part of the path.
pub(crate) fn name_from_dsn(dsn: &str) -> String {
    // A password may hold any character, and none of it belongs in a name.
    let dsn = connect::redact(dsn);
    let path = dsn.split(['?', '#']).next().unwrap_or(&dsn);
    let last = path.trim_end_matches('/').rsplit(['/', '\\', ':']).next().unwrap_or(path);
    let stem = last.rsplit_once('.').map_or(last, |(stem, _)| stem);
    let name: String = stem
        .chars()
        .map(|character| if character.is_alphanumeric() || character == '-' { character } else { '_' })
        .collect();
    if name.is_empty() { "main".to_owned() } else { name }
}

/// A DSN that names a relative file, made to start at `root`.
fn relative_to(root: &Path, dsn: &str) -> String {
    let (scheme, path) = match dsn.split_once(':') {
        Some((scheme, path))
            if scheme.len() > 1 && scheme.chars().all(|character| character.is_ascii_alphanumeric()) =>
        {
            (Some(scheme), path)
        }
        _ => (None, dsn),
    };
    let is_file = matches!(scheme, None | Some("sqlite" | "snapshot" | "duckdb"));
    let bare = path.strip_prefix("//").unwrap_or(path);
    if !is_file || bare.starts_with('/') || root == Path::new(".") {
        return dsn.to_owned();
    }
    let joined = root.join(bare);
    match scheme {
        Some(scheme) => format!("{scheme}:{}", joined.display()),
        None => joined.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_named_after_their_file() {
        for (dsn, name) in [
            ("shop.db", "shop"),
            ("sqlite:///var/data/my shop.sqlite", "my_shop"),
            ("snapshot:exports/dw.json", "dw"),
            ("postgres://u:p@host/sales?sslmode=require", "sales"),
            ("postgres://u:sec#r?t@host/sales", "sales"),
            ("", "main"),
        ] {
            assert_eq!(name_from_dsn(dsn), name, "{dsn}");
        }
    }

    #[test]
    fn relative_paths_start_at_the_project() {
        let root = Path::new("/project");
        for (dsn, expected) in [
            ("shop.db", "/project/shop.db"),
            ("sqlite:shop.db", "sqlite:/project/shop.db"),
            ("sqlite:///abs/shop.db", "sqlite:///abs/shop.db"),
            ("snapshot:a/b.json", "snapshot:/project/a/b.json"),
            ("postgres://host/db", "postgres://host/db"),
        ] {
            assert_eq!(relative_to(root, dsn), expected, "{dsn}");
        }
    }
}
