//! Which room may depend on which. The compiler forbids cycles; this forbids the shortcuts.

use anyhow::Context;

use crate::repository::Repository;

/// Each room with the rooms it may use. Rooms for development (`testkit`, `shop`) may be used by tests anywhere.
const EDGES: &[(&str, &[&str])] = &[
    ("shown", &[]),
    ("dialect", &[]),
    ("words", &[]),
    ("catalog", &["dialect", "words"]),
    ("sql", &["catalog", "dialect"]),
    ("lineage", &["sql", "catalog", "dialect"]),
    ("usage", &["sql", "catalog", "dialect"]),
    ("connect", &["catalog"]),
    ("privacy", &["catalog", "words"]),
    ("profile", &["privacy", "connect", "catalog", "dialect", "words"]),
    ("llm", &[]),
    ("describe", &["catalog", "llm", "privacy", "shown", "sql", "words"]),
    ("index", &["catalog", "llm", "words"]),
    ("link", &["index", "catalog", "llm", "privacy", "words"]),
    ("guard", &["sql", "catalog", "connect", "dialect", "words"]),
    ("agent", &["link", "guard", "llm", "connect", "catalog", "index", "sql", "shown", "words"]),
    ("serve", &["agent", "link", "guard", "index", "describe", "lineage", "catalog", "connect", "llm", "shown"]),
    (
        "eval",
        &[
            "agent", "link", "guard", "index", "describe", "privacy", "profile", "connect", "llm", "lineage", "sql",
            "catalog", "shop",
        ],
    ),
    ("testkit", &["catalog", "connect", "shop"]),
    ("fixtures/shop", &[]),
    // Not in the workspace, but bound all the same.
    ("fuzz", &["catalog", "guard", "sql"]),
    (
        "periplus",
        &[
            "agent", "catalog", "connect", "describe", "dialect", "eval", "guard", "index", "lineage", "link", "llm",
            "privacy", "profile", "serve", "shop", "shown", "sql", "usage", "words",
        ],
    ),
    ("bench", &["catalog", "connect", "describe", "guard", "index", "link", "llm", "profile", "shop", "sql"]),
    ("xtask", &[]),
];

pub(crate) fn check(repository: &Repository) -> anyhow::Result<Vec<String>> {
    let mut complaints = Vec::new();
    let root = manifest(repository, "Cargo.toml")?;
    let members: Vec<&str> =
        root["workspace"]["members"].as_array().into_iter().flatten().filter_map(toml::Value::as_str).collect();
    let rooms: Vec<&str> = EDGES.iter().map(|(folder, _)| room_name(folder)).collect();
    for member in &members {
        if !EDGES.iter().any(|(folder, _)| folder == member) {
            complaints.push(format!("`{member}` is in the workspace but has no line in xtask/src/rules/edges.rs"));
        }
    }
    for (folder, allowed) in EDGES {
        let manifest = manifest(repository, &format!("{folder}/Cargo.toml"))?;
        let Some(dependencies) = manifest.get("dependencies").and_then(toml::Value::as_table) else { continue };
        for name in dependencies.keys() {
            if rooms.contains(&name.as_str()) && !allowed.contains(&name.as_str()) {
                complaints.push(format!("`{folder}` may not depend on `{name}`"));
            }
        }
    }
    Ok(complaints)
}

fn room_name(folder: &str) -> &str {
    folder.rsplit('/').next().unwrap_or(folder)
}

fn manifest(repository: &Repository, path: &str) -> anyhow::Result<toml::Value> {
    let text = std::fs::read_to_string(repository.root.join(path)).with_context(|| format!("{path} can't be read"))?;
    toml::from_str(&text).with_context(|| format!("{path} is not TOML"))
}
