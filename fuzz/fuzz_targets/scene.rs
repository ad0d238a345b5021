//! What statements are checked against: the catalog of the guard's specs, in five dialects under six policies.
//!
//! Everything is made once, from `catalog.json`, which a test of `guard` writes: no database is opened, and an input
//! costs nothing but its check.

use catalog::{Catalog, Dialect, Entry, Exactness, RowCount, Source, Table, TableId, TableProfile};
use guard::{Policy, PolicyConfig, Profile, SensitiveColumns};

const SOURCE: &str = "spec";
const DIALECTS: [Dialect; 5] =
    [Dialect::Sqlite, Dialect::Postgres, Dialect::Mysql, Dialect::Duckdb, Dialect::Clickhouse];
const PROFILES: [Profile; 3] = [Profile::Standard, Profile::Strict, Profile::Analyst];

/// All that an input can choose from.
pub(crate) struct Scenes {
    catalogs: Vec<(Dialect, Catalog)>,
    policies: Vec<Policy>,
    shown: Vec<TableId>,
}

/// What one input has chosen.
pub(crate) struct Scene<'a> {
    pub(crate) dialect: &'a Dialect,
    catalog: &'a Catalog,
    policy: &'a Policy,
    shown: Option<&'a [TableId]>,
}

impl Scenes {
    pub(crate) fn new() -> Self {
        let entries = entries();
        let catalogs = DIALECTS.map(|dialect| {
            let source = Source::new(SOURCE, dialect.clone(), "");
            (dialect, Catalog::new(vec![source], entries.clone(), Vec::new(), 1))
        });
        let plain = PROFILES.map(Policy::of_profile);
        let configured = PROFILES.map(configured);
        Self {
            catalogs: catalogs.into(),
            policies: plain.into_iter().chain(configured).collect(),
            shown: vec![TableId::new(SOURCE, "orders"), TableId::new(SOURCE, "customers")],
        }
    }

    /// The scene of a byte: the dialect in its remainder by five, the policy in the rest. Zero is SQLite under the
    /// default policy. With a configured policy, only some tables count as shown.
    pub(crate) fn chosen_by(&self, byte: u8) -> Scene<'_> {
        let byte = usize::from(byte);
        let (dialect, catalog) = &self.catalogs[byte % self.catalogs.len()];
        let policy = byte / self.catalogs.len() % self.policies.len();
        Scene {
            dialect,
            catalog,
            policy: &self.policies[policy],
            shown: (policy >= PROFILES.len()).then_some(self.shown.as_slice()),
        }
    }
}

impl Scene<'_> {
    pub(crate) fn check(&self, text: &str) -> guard::Verdict {
        guard::check(text, self.catalog, SOURCE, self.policy, self.shown)
    }
}

/// The fixture's tables, with a row count that rules can speak of, and a few tables in schemas.
fn entries() -> Vec<Entry> {
    let stored: Vec<(Table, Option<TableProfile>)> =
        serde_json::from_str(include_str!("../catalog.json")).expect("a test of `guard` writes the file");
    let mut entries: Vec<Entry> =
        stored.into_iter().map(|(table, profile)| Entry::bare(table).with_profile(profile)).collect();
    let mut in_schemas = Vec::new();
    for entry in &mut entries {
        let copies: &[(&str, &str)] = match entry.table.id.name.as_str() {
            "orders" => {
                entry.table_mut().row_count = Some(RowCount { value: 5_000_000, exactness: Exactness::Estimate });
                &[("archive", "orders_2023")]
            }
            "shifts" => &[("archive", "regions"), ("sales", "regions")],
            _ => &[],
        };
        in_schemas.extend(copies.iter().map(|(schema, name)| copied(entry, schema, name)));
    }
    entries.extend(in_schemas);
    entries
}

fn copied(entry: &Entry, schema: &str, name: &str) -> Entry {
    let mut copy = entry.clone();
    copy.table_mut().id = TableId { schema: Some(schema.to_owned()), ..TableId::new(SOURCE, name) };
    let id = copy.table.id.clone();
    copy.change_profile(|profile| profile.table = id);
    copy
}

/// A policy in which everything is said that can be.
fn configured(profile: Profile) -> Policy {
    let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let config = PolicyConfig {
        profile,
        allow_functions: list(&["st_*", "my_function"]),
        deny_functions: list(&["upper", "group_*"]),
        deny_tables: list(&["employees", "archive.*"]),
        deny_columns: list(&["customers.email", "*.details"]),
        sensitive_columns: SensitiveColumns::Allow,
        ..PolicyConfig::default()
    };
    Policy::new(config).expect("no rule is changed")
}
