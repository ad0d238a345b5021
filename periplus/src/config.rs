//! `periplus.toml`: every key, its default and what it means.
//!
//! The types here are the reference: `docs/reference/configuration.md` is generated from their doc comments. Unknown
//! keys are errors, because a misspelt safety setting must not be ignored. `${VAR}` in a string is replaced by that
//! environment variable after parsing, so a value can't break the file's syntax.
//!
//! Invariant: reading the configuration opens no database and no network connection.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use guard::{MaskedUse, Policy, PolicyConfig, Profile, RuleLevel, SensitiveColumns, Unprofiled};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serve::{HttpOptions, Rights, Tokens};

/// The name of the file in the project's folder.
pub(crate) const FILE_NAME: &str = "periplus.toml";

/// The environment variable that holds the key of the record of statements.
pub(crate) const AUDIT_KEY: &str = "PERIPLUS_AUDIT_KEY";

/// The whole file.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Config {
    /// The databases, one `[[sources]]` each.
    pub(crate) sources: Vec<SourceConfig>,
    /// How they are opened.
    pub(crate) connect: ConnectSection,
    /// What is looked at, and what never is.
    pub(crate) profile: ProfileConfig,
    /// The language model that drafts queries and, when asked to, descriptions.
    pub(crate) model: ModelSection,
    /// How sure an answer has to be.
    pub(crate) ask: AskSection,
    /// What may run.
    pub(crate) guard: GuardSection,
    /// The record of statements: `.periplus/audit.jsonl`, a JSON object a line.
    pub(crate) audit: AuditSection,
    /// How tables are chosen for a question.
    pub(crate) link: LinkSection,
    /// How agents are served.
    pub(crate) serve: ServeSection,
    /// The catalog as Markdown.
    pub(crate) docs: DocsSection,
}

/// A database.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SourceConfig {
    /// Its name in output, tools and the catalog: letters, digits, `_` and `-`.
    pub(crate) id: String,
    /// Where it is: a SQLite file, `sqlite:///abs/path.db`, `duckdb:///abs/path.duckdb`, `postgres://user:${PASSWORD}@host:5432/database`, `mysql://user:${PASSWORD}@host:3306/database`, `clickhouse://user:${PASSWORD}@host:8123/database`, or `snapshot:FILE.json`. Relative paths start at this file's folder.
    pub(crate) dsn: String,
    /// What it holds, for people and for the model.
    #[serde(default)]
    pub(crate) description: Option<String>,
    /// Folders of dbt projects that fill it, with `target/manifest.json`: where its tables come from, and what people say of them.
    #[serde(default)]
    pub(crate) dbt: Vec<PathBuf>,
    /// `.sql` files that fill it, or folders of them: where its tables come from.
    #[serde(default)]
    pub(crate) scripts: Vec<PathBuf>,
    /// Query logs of its engine, or folders of them: what people usually do with its tables. PostgreSQL's csvlog and jsonlog, general and slow logs of MariaDB and MySQL, and lines of JSON with a key `query`, `sql` or `statement`.
    #[serde(default)]
    pub(crate) logs: Vec<PathBuf>,
    /// Read what the engine has counted itself as well: PostgreSQL's `pg_stat_statements`, the performance schema of MariaDB and MySQL. They tell no constants.
    #[serde(default)]
    pub(crate) statement_statistics: bool,
    /// Refuse to open it with a role that may do more than read [default: connect.strict].
    #[serde(default)]
    pub(crate) strict: Option<bool>,
}

impl SourceConfig {
    /// Whether texts are named that say what its tables are made from.
    pub(crate) fn has_texts(&self) -> bool {
        !self.dbt.is_empty() || !self.scripts.is_empty()
    }

    /// A database of which nothing else is said.
    pub(crate) fn new(id: String, dsn: String) -> Self {
        Self {
            id,
            dsn,
            description: None,
            dbt: Vec::new(),
            scripts: Vec::new(),
            logs: Vec::new(),
            statement_statistics: false,
            strict: None,
        }
    }
}

/// How databases are opened.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ConnectSection {
    /// Refuse to open a source with a role that may do more than read, or where that can't be found out, instead of warning of it.
    pub(crate) strict: bool,
}

/// What is looked at, and what never is.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ProfileConfig {
    /// Columns whose values are never read, as `table.column` with `*` for any run of characters, besides the built-in list.
    pub(crate) sensitive: Vec<String>,
    /// Columns that are taken for sensitive and are not, in the same form.
    pub(crate) not_sensitive: Vec<String>,
    /// What is done about names of people: `mask`, like other personal data, or `show`.
    pub(crate) person_names: PersonNames,
    /// Leave out tables that haven't changed for over a year. Their columns count as not looked at: see `guard.unprofiled`.
    pub(crate) skip_stale: bool,
    /// At most this many rows are sampled from a table.
    pub(crate) rows: usize,
    /// Tables of a server that are read at a time, from 1 to 4.
    pub(crate) parallel_tables: usize,
    /// Slow down while others work with a server: one statement at a time, and a rest after each.
    pub(crate) give_way: bool,
}

impl Default for ProfileConfig {
    fn default() -> Self {
        Self {
            sensitive: Vec::new(),
            not_sensitive: Vec::new(),
            person_names: PersonNames::Mask,
            skip_stale: false,
            rows: 10_000,
            parallel_tables: 4,
            give_way: true,
        }
    }
}

/// What is done about names of people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PersonNames {
    /// They are masked.
    Mask,
    /// They are shown.
    Show,
}

/// The language model.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ModelSection {
    /// Who runs it. Without this key: the local model where it has been fetched, else none.
    pub(crate) provider: Option<Provider>,
    /// The model's name at the provider.
    pub(crate) name: Option<String>,
    /// For `local`: a GGUF file of a Qwen2 or Qwen2.5 network [default: the one that `periplus model pull` fetches].
    pub(crate) path: Option<PathBuf>,
    /// The endpoint, for `openai` and `anthropic`: `http://localhost:11434/v1` for Ollama.
    pub(crate) base_url: Option<String>,
    /// The environment variable that holds the key [default: OPENAI_API_KEY or ANTHROPIC_API_KEY].
    pub(crate) api_key_env: Option<String>,
    /// Treat it as a small model, with a scripted pipeline in place of tools [default: by provider].
    pub(crate) small: Option<bool>,
    /// The longest silence of an endpoint that is waited out [default: 120, as local servers load their model first].
    pub(crate) timeout_seconds: Option<u64>,
    /// A text file about the company, given to the model with every question.
    pub(crate) company_context: Option<PathBuf>,
}

/// Who runs a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Provider {
    /// Anthropic's Messages API.
    Anthropic,
    /// Any OpenAI-compatible Chat Completions endpoint: OpenAI, Ollama, vLLM, llama.cpp, LM Studio.
    Openai,
    /// The embedded model, in this process.
    Local,
    /// No model.
    None,
}

/// How sure an answer has to be.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct AskSection {
    /// The probability that an answer is right, 0 to 1, below which it is shown as a draft, or declined.
    pub(crate) min_confidence: f32,
    /// A file that `periplus eval calibrate` has written for the configured model. Without one, small models are judged like the built-in one, and large ones by an estimate.
    pub(crate) calibration: Option<PathBuf>,
    /// The address of a search service that large models may look up terms with that nothing here defines: one that answers as SearXNG does, `http://localhost:8080/search`. It sees what the model searches for. Without it there is no web search.
    pub(crate) web_search: Option<String>,
    /// Whether `serve` keeps the rows of approved queries in memory, and hands them to the same caller again for as long as the engine says that nothing has been written: PostgreSQL and SQLite do.
    pub(crate) keep_results: bool,
    /// Which drafts are drawn where the model's first one is in doubt: the same number gives the same ones.
    pub(crate) seed: u64,
}

impl Default for AskSection {
    fn default() -> Self {
        Self { min_confidence: agent::MIN_CONFIDENCE, calibration: None, web_search: None, keep_results: true, seed: 0 }
    }
}

/// What may run.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct GuardSection {
    /// `strict`, `standard` or `analyst`.
    #[schemars(with = "String")]
    pub(crate) profile: Profile,
    /// At most this many rows in a result.
    pub(crate) max_rows: usize,
    /// At most this many bytes in a result.
    pub(crate) max_bytes: usize,
    /// A statement is stopped after so many seconds.
    pub(crate) timeout_seconds: u64,
    /// The most rows that the engine may expect in one step of its plan; 0 for any number.
    pub(crate) max_estimated_rows: u64,
    /// The most bytes that aggregates that keep every value (`array_agg`, `string_agg`, `json_agg`), the longest values of groups (`max`, `min`) and tables in memory that rows are looked up in (of computed values, of a join's rows with one key) may be expected to hold, where the engine has no limit of its own for that: PostgreSQL; 0 for any number.
    pub(crate) max_estimated_bytes: u64,
    /// Functions allowed besides the built-in list.
    pub(crate) allow_functions: Vec<String>,
    /// Functions refused though they are on the built-in list.
    pub(crate) deny_functions: Vec<String>,
    /// The only tables that statements may read, if any are named; with `*` for any run of characters. The others are still described; `deny_tables` hides what is in them.
    pub(crate) allow_tables: Vec<String>,
    /// Tables that may not be read, not through views either; with `*` for any run of characters.
    pub(crate) deny_tables: Vec<String>,
    /// Columns that may not be read, as `table.column`, with `*` for any run of characters.
    pub(crate) deny_columns: Vec<String>,
    /// Whether results may show masked columns: `refuse` or `allow`.
    #[schemars(with = "String")]
    pub(crate) sensitive_columns: SensitiveColumns,
    /// What else may be done with a masked column. `none`: it may be counted, tested for NULL and joined over a key. `lookup`: rows may also be picked by a constant that it equals. `compare`: anything but showing it, by which every value can be found out.
    #[schemars(with = "String")]
    pub(crate) masked_use: MaskedUse,
    /// How many values of masked columns a caller may look up in an hour.
    pub(crate) max_look_ups: usize,
    /// What is done about columns at whose values nobody has looked yet, because they are new or their table couldn't be read. `refuse`: they are as good as masked. `names`: their names alone decide.
    #[schemars(with = "String")]
    pub(crate) unprofiled: Unprofiled,
    /// A rule's level by its name: `error`, `warning`, `hint` or `off`. The rules on which read-only access rests can't be weakened.
    #[schemars(with = "BTreeMap<String, String>")]
    pub(crate) rules: BTreeMap<String, RuleLevel>,
    /// What is otherwise for a source, by its name. Lists and rules add to those above.
    pub(crate) sources: BTreeMap<String, SourceGuardSection>,
    /// What is otherwise for callers over HTTP whose token has that role. Lists and rules add to those above.
    pub(crate) roles: BTreeMap<String, RoleGuardSection>,
}

/// What callers of one role may do over HTTP: `periplus token create --role NAME`.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RoleGuardSection {
    /// `reader`, `approver` or `admin`.
    #[schemars(with = "String")]
    pub(crate) rights: Rights,
    /// The role of the database that their statements run under, on PostgreSQL, MariaDB and MySQL; the one that logs in has to be a member of it. What it may not read isn't told to them either.
    pub(crate) database_role: Option<String>,
    /// `strict`, `standard` or `analyst`.
    #[schemars(with = "Option<String>")]
    pub(crate) profile: Option<Profile>,
    /// Tables that they may not read. What is in them isn't told either.
    pub(crate) deny_tables: Vec<String>,
    /// Columns that they may not read. They are masked for them.
    pub(crate) deny_columns: Vec<String>,
    /// Whether results may show masked columns: `refuse` or `allow`.
    #[schemars(with = "Option<String>")]
    pub(crate) sensitive_columns: Option<SensitiveColumns>,
    /// `none`, `lookup` or `compare`.
    #[schemars(with = "Option<String>")]
    pub(crate) masked_use: Option<MaskedUse>,
    /// How many values of masked columns each of them may look up in an hour.
    pub(crate) max_look_ups: Option<usize>,
    /// A rule's level by its name.
    #[schemars(with = "BTreeMap<String, String>")]
    pub(crate) rules: BTreeMap<String, RuleLevel>,
}

impl RoleGuardSection {
    /// What holds for a source, for callers of this role.
    fn over(&self, source: &SourceGuardSection) -> SourceGuardSection {
        let both = |of_source: &[String], own: &[String]| of_source.iter().chain(own).cloned().collect();
        let mut rules = source.rules.clone();
        rules.extend(self.rules.clone());
        SourceGuardSection {
            profile: self.profile.or(source.profile),
            deny_tables: both(&source.deny_tables, &self.deny_tables),
            deny_columns: both(&source.deny_columns, &self.deny_columns),
            sensitive_columns: self.sensitive_columns.or(source.sensitive_columns),
            masked_use: self.masked_use.or(source.masked_use),
            max_look_ups: self.max_look_ups.or(source.max_look_ups),
            rules,
            ..source.clone()
        }
    }
}

/// What may run on one source, where that is not what may run on all.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct SourceGuardSection {
    /// `strict`, `standard` or `analyst`.
    #[schemars(with = "Option<String>")]
    pub(crate) profile: Option<Profile>,
    /// The most rows that the engine may expect in one step of its plan; 0 for any number.
    pub(crate) max_estimated_rows: Option<u64>,
    /// The most bytes that aggregates that keep every value may be expected to hold; 0 for any number.
    pub(crate) max_estimated_bytes: Option<u64>,
    /// Functions allowed besides.
    pub(crate) allow_functions: Vec<String>,
    /// Functions refused besides.
    pub(crate) deny_functions: Vec<String>,
    /// The only tables that may be read, if any are named.
    pub(crate) allow_tables: Vec<String>,
    /// Tables that may not be read.
    pub(crate) deny_tables: Vec<String>,
    /// Columns that may not be read.
    pub(crate) deny_columns: Vec<String>,
    /// `refuse` or `allow`.
    #[schemars(with = "Option<String>")]
    pub(crate) sensitive_columns: Option<SensitiveColumns>,
    /// `none`, `lookup` or `compare`.
    #[schemars(with = "Option<String>")]
    pub(crate) masked_use: Option<MaskedUse>,
    /// How many values of masked columns a caller may look up in an hour.
    pub(crate) max_look_ups: Option<usize>,
    /// `refuse` or `names`.
    #[schemars(with = "Option<String>")]
    pub(crate) unprofiled: Option<Unprofiled>,
    /// A rule's level by its name.
    #[schemars(with = "BTreeMap<String, String>")]
    pub(crate) rules: BTreeMap<String, RuleLevel>,
}

impl Default for GuardSection {
    fn default() -> Self {
        let policy = PolicyConfig::default();
        Self {
            profile: policy.profile,
            max_rows: 1000,
            max_bytes: 1024 * 1024,
            timeout_seconds: 10,
            max_estimated_rows: policy.max_estimated_rows,
            max_estimated_bytes: policy.max_estimated_bytes,
            allow_functions: policy.allow_functions,
            deny_functions: policy.deny_functions,
            allow_tables: policy.allow_tables,
            deny_tables: policy.deny_tables,
            deny_columns: policy.deny_columns,
            sensitive_columns: policy.sensitive_columns,
            masked_use: policy.masked_use,
            max_look_ups: policy.max_look_ups,
            unprofiled: policy.unprofiled,
            rules: policy.rules,
            sources: BTreeMap::new(),
            roles: BTreeMap::new(),
        }
    }
}

/// The record of statements.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct AuditSection {
    /// Whether every statement that is checked with the engine or run is recorded with its verdict, before it runs. What can't be recorded doesn't run.
    pub(crate) enabled: bool,
    /// Whether each line is sealed with a hash and holds the seal of the line before, so that `periplus audit --verify` finds changes. A key or an anchor implies it.
    pub(crate) chain: bool,
    /// A file with the key that lines are sealed with (HMAC-SHA-256), of 32 bytes at least: `openssl rand -hex 32`. The environment variable PERIPLUS_AUDIT_KEY holds the key itself and wins. Keep it from those who may write the record.
    pub(crate) key_file: Option<PathBuf>,
    /// A second place for the number of lines and the last seal: a file, best on a disk where lines can only be added, or `syslog`, or `syslog:` with a socket's path. Never a table of a database.
    pub(crate) anchor: Option<String>,
    /// The anchor is written every so many lines; that many at the end can be cut off without being noticed, less one.
    pub(crate) anchor_every: u64,
    /// A file of so many megabytes is moved aside, to `audit.jsonl.1` and so on.
    pub(crate) max_megabytes: u64,
    /// Files kept, the current one among them.
    pub(crate) files: usize,
}

impl Default for AuditSection {
    fn default() -> Self {
        Self {
            enabled: true,
            chain: false,
            key_file: None,
            anchor: None,
            anchor_every: 1,
            max_megabytes: 10,
            files: 20,
        }
    }
}

impl GuardSection {
    /// The guard's policy that this section stands for, over these sources, for callers of a role or for everybody else.
    pub(crate) fn policy<'s>(
        &self,
        role: Option<&RoleGuardSection>,
        known: impl Iterator<Item = &'s str> + Clone,
    ) -> Result<Policy, GuardConfigError> {
        let own = |source: &SourceGuardSection| role.map_or_else(|| source.clone(), |role| role.over(source));
        let wrong = |error: guard::GuardError| GuardConfigError { reason: error.to_string(), hints: error.hints() };
        let mut policy = Policy::new(self.config(&own(&SourceGuardSection::default()))).map_err(wrong)?;
        for (name, section) in &self.sources {
            if !known.clone().any(|source| source == name) {
                let reason = format!("[guard.sources.{name}] names no source");
                let names: Vec<&str> = known.collect();
                return Err(GuardConfigError { reason, hints: vec![format!("the sources are: {}", names.join(", "))] });
            }
            policy = policy.with_source(name, self.config(&own(section))).map_err(wrong)?;
        }
        Ok(policy)
    }

    /// What holds for a source that says `own` of itself.
    fn config(&self, own: &SourceGuardSection) -> PolicyConfig {
        let both = |all: &[String], own: &[String]| -> Vec<String> { all.iter().chain(own).cloned().collect() };
        let mut rules = self.rules.clone();
        rules.extend(own.rules.clone());
        PolicyConfig {
            profile: own.profile.unwrap_or(self.profile),
            rules,
            max_estimated_rows: own.max_estimated_rows.unwrap_or(self.max_estimated_rows),
            max_estimated_bytes: own.max_estimated_bytes.unwrap_or(self.max_estimated_bytes),
            allow_functions: both(&self.allow_functions, &own.allow_functions),
            deny_functions: both(&self.deny_functions, &own.deny_functions),
            allow_tables: both(&self.allow_tables, &own.allow_tables),
            deny_tables: both(&self.deny_tables, &own.deny_tables),
            deny_columns: both(&self.deny_columns, &own.deny_columns),
            sensitive_columns: own.sensitive_columns.unwrap_or(self.sensitive_columns),
            masked_use: own.masked_use.unwrap_or(self.masked_use),
            max_look_ups: own.max_look_ups.unwrap_or(self.max_look_ups),
            unprofiled: own.unprofiled.unwrap_or(self.unprofiled),
        }
    }
}

/// A guard section that stands for no policy.
#[derive(Debug, thiserror::Error)]
#[error("the configuration's [guard] section is wrong: {reason}")]
pub(crate) struct GuardConfigError {
    reason: String,
    hints: Vec<String>,
}

impl GuardConfigError {
    pub(crate) fn code(&self) -> &'static str {
        "config_guard"
    }

    pub(crate) fn hints(&self) -> Vec<String> {
        self.hints.clone()
    }
}

/// How tables are chosen.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct LinkSection {
    /// A source with fewer tables is given whole.
    pub(crate) full_schema_below: usize,
    /// The context given to a model, in tokens, at most.
    pub(crate) context_tokens: usize,
    /// The share of needed tables that directives must keep, 0.5 to 0.999: higher puts fewer tables aside.
    pub(crate) recall_target: f32,
}

impl Default for LinkSection {
    fn default() -> Self {
        Self { full_schema_below: 10, context_tokens: 1200, recall_target: 0.97 }
    }
}

/// How agents are served.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ServeSection {
    /// A tool's reply, in tokens, at most.
    pub(crate) reply_tokens: usize,
    /// Over HTTP: `periplus serve --http`.
    pub(crate) http: HttpSection,
}

impl Default for ServeSection {
    fn default() -> Self {
        Self { reply_tokens: 8000, http: HttpSection::default() }
    }
}

/// Whose signed tokens (JWTs) admit callers over HTTP, besides those of `periplus token create`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OAuthSection {
    /// The address of the server that signs them, as they have it in `iss`: `https://login.example.com/`.
    pub(crate) issuer: String,
    /// This server's address as clients call it: `https://periplus.example.com/mcp`. Clients are told it, and who the issuer is, at `/.well-known/oauth-protected-resource`.
    pub(crate) resource: String,
    /// For whom tokens have to be, as they have it in `aud`. Default: `resource`.
    pub(crate) audience: Option<String>,
    /// Where the issuer's keys are (JWKS). Without it, the issuer's own description says so.
    pub(crate) keys: Option<String>,
    /// The claim by which a caller is known, as `oauth:NAME`. Default: `sub`.
    pub(crate) name_claim: Option<String>,
    /// The claim with a caller's roles or groups, a list or words with blanks between.
    pub(crate) role_claim: Option<String>,
    /// Which role here each of these has: `{ data-stewards = "approver" }`; the first in the order of their names counts.
    #[serde(default)]
    pub(crate) roles: BTreeMap<String, String>,
    /// The role of callers who have none of these. Without it they aren't admitted.
    pub(crate) role: Option<String>,
}

/// How callers are served over HTTP.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct HttpSection {
    /// The names by which callers know this server, besides `localhost` and its addresses, without ports: `["periplus.example.com"]`. A request for another name is refused. With a name, everybody needs a token, since what a proxy on the same machine passes on looks like the machine's own.
    pub(crate) hosts: Vec<String>,
    /// Web pages that may call it, besides its own: `["https://tools.example.com"]`.
    pub(crate) origins: Vec<String>,
    /// A file with the certificate that connections are encrypted with, and those that it rests on, as PEM; with `key`. Without it the server speaks HTTP in the clear, and a proxy can encrypt.
    pub(crate) certificate: Option<PathBuf>,
    /// A file with the certificate's private key, as PEM. Both are read again when they are replaced.
    pub(crate) key: Option<PathBuf>,
    /// Callers whom an organisation's own server vouches for.
    pub(crate) oauth: Option<OAuthSection>,
    /// Demand a token on this machine's own addresses too.
    pub(crate) require_token: bool,
    /// Requests that a caller may send in a minute.
    pub(crate) requests_per_minute: NonZeroU32,
    /// Calls of tools that are worked on at a time for a caller, half of which may run statements; more wait.
    pub(crate) calls_at_once: usize,
    /// Connections at a time; for more, those make way on which no request of a caller is under way.
    pub(crate) connections: usize,
    /// Kilobytes of a request's body.
    pub(crate) body_kilobytes: usize,
    /// How long calls may go on when the server is told to stop.
    pub(crate) stop_within_seconds: u64,
}

impl Default for HttpSection {
    fn default() -> Self {
        let defaults = HttpOptions::new(([127, 0, 0, 1], 0).into(), Tokens::at(""));
        Self {
            hosts: defaults.hosts,
            origins: defaults.origins,
            certificate: None,
            key: None,
            oauth: None,
            require_token: defaults.require_token,
            requests_per_minute: defaults.requests_per_minute,
            calls_at_once: defaults.calls_at_once,
            connections: defaults.connections,
            body_kilobytes: defaults.body_bytes >> 10,
            stop_within_seconds: defaults.stop_within.as_secs(),
        }
    }
}

/// The catalog as Markdown.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct DocsSection {
    /// The folder, beside this file.
    pub(crate) folder: PathBuf,
    /// What agents write with `periplus serve --document` waits for `periplus docs accept`.
    pub(crate) review: bool,
}

impl Default for DocsSection {
    fn default() -> Self {
        Self { folder: "catalog".into(), review: false }
    }
}

/// What is wrong with a configuration.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    /// The file is there but can't be read.
    #[error("the configuration `{path}` can't be read")]
    Unreadable {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// Not TOML, or a key or value that isn't known.
    #[error("the configuration `{path}` is wrong: {reason}")]
    Invalid { path: PathBuf, reason: String },
    /// `${VAR}` names a variable that isn't set.
    #[error("the configuration uses `${{{variable}}}`, which isn't set in the environment")]
    MissingVariable { variable: String },
}

impl ConfigError {
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "config_unreadable",
            Self::Invalid { .. } => "config_invalid",
            Self::MissingVariable { .. } => "config_missing_variable",
        }
    }

    pub(crate) fn hints(&self) -> Vec<String> {
        match self {
            Self::Unreadable { .. } => vec!["check the file's permissions".into()],
            Self::Invalid { .. } => vec!["`periplus manual configuration` lists every key".into()],
            Self::MissingVariable { variable } => vec![format!("set {variable}, or write the value in the file")],
        }
    }
}

impl Config {
    /// Reads the file; `None` where there is none.
    pub(crate) fn read(path: &Path) -> Result<Option<(Self, String)>, ConfigError> {
        match std::fs::read_to_string(path) {
            Ok(text) => {
                let config = Self::parse(path, &text, |variable| std::env::var(variable).ok())?;
                Ok(Some((config, text)))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(ConfigError::Unreadable { path: path.to_owned(), source }),
        }
    }

    fn parse(path: &Path, text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let invalid = |reason: String| ConfigError::Invalid { path: path.to_owned(), reason };
        // Unknown keys and wrong types first: the message then shows the line.
        toml::from_str::<Self>(text).map_err(|error| invalid(error.to_string().trim_end().to_owned()))?;
        let mut tree: toml::Value = toml::from_str(text).map_err(|error| invalid(error.to_string()))?;
        interpolate(&mut tree, &variable)?;
        let config: Self = tree.try_into().map_err(|error: toml::de::Error| invalid(error.to_string()))?;
        config.validate().map_err(invalid)?;
        Ok(config)
    }

    fn validate(&self) -> Result<(), String> {
        if self.serve.http.certificate.is_some() != self.serve.http.key.is_some() {
            return Err("`serve.http.certificate` and `serve.http.key` belong together".to_owned());
        }
        let mut seen = std::collections::BTreeSet::new();
        for source in &self.sources {
            check_source_id(&source.id)?;
            if !seen.insert(&source.id) {
                return Err(format!("two sources are called `{}`", source.id));
            }
        }
        let recall = self.link.recall_target;
        if !(0.5..=0.999).contains(&recall) {
            return Err(format!("`link.recall_target` is {recall}; it can be 0.5 to 0.999"));
        }
        let parallel = self.profile.parallel_tables;
        if !(1..=4).contains(&parallel) {
            return Err(format!("`profile.parallel_tables` is {parallel}; it can be 1 to 4"));
        }
        if !(1..=1024).contains(&self.audit.max_megabytes) || !(1..=1000).contains(&self.audit.files) {
            return Err("`audit.max_megabytes` can be 1 to 1024, and `audit.files` 1 to 1000".to_owned());
        }
        if !(1..=10_000).contains(&self.audit.anchor_every) {
            return Err("`audit.anchor_every` can be 1 to 10000".to_owned());
        }
        if let Some(name) = self.guard.roles.keys().find(|name| Rights::ALL.iter().any(|rights| rights.name() == *name))
        {
            return Err(format!("`guard.roles.{name}`: `{name}` is built in; a role of your own needs another name"));
        }
        if self.model.timeout_seconds == Some(0) {
            return Err("`model.timeout_seconds` is 0; it can be 1 or more".to_owned());
        }
        Ok(())
    }
}

/// Whether a source may be called that.
pub(crate) fn check_source_id(id: &str) -> Result<(), String> {
    let plain = |character: char| character.is_alphanumeric() || character == '_' || character == '-';
    match !id.is_empty() && id.chars().all(plain) {
        true => Ok(()),
        false => Err(format!("source id `{id}` may hold letters, digits, `_` and `-` only")),
    }
}

/// The text with the environment's values in place of `${VAR}`.
pub(crate) fn with_variables(text: &str) -> Result<String, ConfigError> {
    expand(text, &|name| std::env::var(name).ok())
}

/// Replaces `${VAR}` in every string of the tree.
fn interpolate(value: &mut toml::Value, variable: &impl Fn(&str) -> Option<String>) -> Result<(), ConfigError> {
    match value {
        toml::Value::String(text) => *text = expand(text, variable)?,
        toml::Value::Array(items) => {
            for item in items {
                interpolate(item, variable)?;
            }
        }
        toml::Value::Table(table) => {
            for (_, item) in table.iter_mut() {
                interpolate(item, variable)?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// Whether what stands between these is all of the password of an address: `scheme://user:` and `@`.
fn is_password_of_address(before: &str, after: &str) -> bool {
    let user = before.split_once("://").map(|(_, user)| user);
    user.is_some_and(|user| user.ends_with(':') && !user.contains(['/', '?', '@'])) && after.starts_with('@')
}

fn expand(text: &str, variable: &impl Fn(&str) -> Option<String>) -> Result<String, ConfigError> {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        let Some(length) = rest[start..].find('}') else { break };
        let name = &rest[start + 2..start + length];
        expanded.push_str(&rest[..start]);
        let found = variable(name).ok_or_else(|| ConfigError::MissingVariable { variable: name.to_owned() })?;
        rest = &rest[start + length + 1..];
        if is_password_of_address(&expanded, rest) {
            expanded.push_str(&connect::password_in_address(&found));
        } else {
            expanded.push_str(&found);
        }
    }
    expanded.push_str(rest);
    Ok(expanded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Config, ConfigError> {
        let variable = |name: &str| (name == "DB").then(|| "shop\".db".to_owned());
        Config::parse(Path::new(FILE_NAME), text, variable)
    }

    #[test]
    fn an_empty_file_means_the_defaults() {
        let config = parse("").unwrap();
        assert_eq!((config.guard.max_rows, config.link.full_schema_below), (1000, 10));
    }

    #[test]
    fn an_unknown_key_is_an_error_that_names_it() {
        let error = parse("[guard]\nmax_row = 5\n").unwrap_err();
        assert_eq!(error.code(), "config_invalid");
        assert!(error.to_string().contains("max_row"), "{error}");
    }

    #[test]
    fn variables_are_filled_in_after_parsing() {
        let config = parse("[[sources]]\nid = \"shop\"\ndsn = \"sqlite:${DB}\"\n").unwrap();
        assert_eq!(config.sources[0].dsn, "sqlite:shop\".db");
    }

    #[test]
    fn a_password_of_an_address_may_hold_any_sign() {
        let variable = |name: &str| (name == "PASSWORD").then(|| "p@ss/1".to_owned());
        let expanded = |text: &str| expand(text, &variable).unwrap();
        assert_eq!(expanded("postgres://ann:${PASSWORD}@h/db"), "postgres://ann:p%40ss%2F1@h/db");
        assert_eq!(expanded("postgres://h/db?options=${PASSWORD}"), "postgres://h/db?options=p@ss/1");
        assert_eq!(expanded("${PASSWORD}"), "p@ss/1");
    }

    #[test]
    fn a_missing_variable_is_named() {
        let error = parse("[[sources]]\nid = \"a\"\ndsn = \"${NOPE}\"\n").unwrap_err();
        assert_eq!(error.code(), "config_missing_variable");
    }

    #[test]
    fn values_out_of_range_are_errors_that_name_the_key() {
        for (text, key) in [
            ("[link]\nrecall_target = 97\n", "link.recall_target"),
            ("[model]\ntimeout_seconds = 0\n", "model.timeout_seconds"),
            ("[profile]\nparallel_tables = 40\n", "profile.parallel_tables"),
            ("[audit]\nfiles = 0\n", "audit.files"),
            ("[audit]\nanchor_every = 0\n", "audit.anchor_every"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.code() == "config_invalid" && error.to_string().contains(key), "{error}");
        }
    }

    #[test]
    fn two_sources_may_not_share_a_name() {
        let source = "[[sources]]\nid = \"a\"\ndsn = \"x\"\n";
        assert_eq!(parse(&format!("{source}{source}")).unwrap_err().code(), "config_invalid");
    }
}
