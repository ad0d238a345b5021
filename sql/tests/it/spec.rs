//! The form of a spec: a file of statements, each with what is read in it.
//!
//! ```text
//! -- shows: outputs, joins
//! -- search path: sales, public
//! --§ Why this statement is here.
//! SELECT x FROM a
//! --> postgres, duckdb
//! -->   output: x = a.x
//! --> sqlite
//! -->   problem: no column x at "x" in a
//! ```
//!
//! `shows` names the lists of the reading that the file is about; what is a problem or an effect is always told. Behind each
//! statement stand the dialects that it is read in, those together that read the same in it, and what that is: all of it,
//! so that a fact that is not written down fails as well as one that is.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use catalog::Dialect;

/// The dialects that specs name, in the order in which they are written.
const DIALECTS: [&str; 5] = ["postgres", "sqlite", "mysql", "duckdb", "clickhouse"];

/// A file.
pub(crate) struct Spec {
    /// The lists that are compared.
    pub(crate) shows: Vec<String>,
    /// Where names without a schema are looked for; empty where the engine's usual schemas are.
    pub(crate) search_path: Vec<String>,
    pub(crate) blocks: Vec<Block>,
}

/// A statement and what is read in it.
pub(crate) struct Block {
    pub(crate) reason: String,
    pub(crate) statement: String,
    pub(crate) groups: Vec<Group>,
}

/// Dialects that read the same in a statement.
#[derive(Debug, PartialEq)]
pub(crate) struct Group {
    pub(crate) dialects: Vec<&'static str>,
    pub(crate) facts: Vec<String>,
}

impl Spec {
    /// Reads a file; says what is wrong with it otherwise.
    pub(crate) fn of(text: &str, known_lists: &[&str]) -> Result<Self, String> {
        let mut parts = text.split("--§");
        let mut spec = Self { shows: Vec::new(), search_path: Vec::new(), blocks: Vec::new() };
        for line in parts.next().unwrap_or_default().lines() {
            let (key, value) = line
                .strip_prefix("-- ")
                .and_then(|line| line.split_once(": "))
                .ok_or_else(|| format!("`{line}` in front of the first `--§` is no `-- key: value`"))?;
            let values = value.split(", ").map(str::to_owned).collect();
            match key {
                "shows" => spec.shows = values,
                "search path" => spec.search_path = values,
                _ => return Err(format!("`{key}` is no key")),
            }
        }
        if let Some(unknown) = spec.shows.iter().find(|list| !known_lists.contains(&list.as_str())) {
            return Err(format!("`{unknown}` is no list of the reading: {}", known_lists.join(", ")));
        }
        spec.blocks = parts.map(Block::of).collect::<Result<_, String>>()?;
        match spec.blocks.is_empty() {
            true => Err("there is no statement".to_owned()),
            false => Ok(spec),
        }
    }

    /// The file's text.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for (key, values) in [("shows", &self.shows), ("search path", &self.search_path)] {
            if !values.is_empty() {
                let _ = writeln!(text, "-- {key}: {}", values.join(", "));
            }
        }
        for block in &self.blocks {
            let _ = writeln!(text, "--§ {}\n{}", block.reason, block.statement);
            for group in &block.groups {
                let _ = writeln!(text, "--> {}", group.dialects.join(", "));
                for fact in &group.facts {
                    let _ = writeln!(text, "-->   {fact}");
                }
            }
        }
        text
    }
}

impl Block {
    fn of(text: &str) -> Result<Self, String> {
        let (reason, rest) = text.split_once('\n').unwrap_or((text, ""));
        let reason = reason.trim().to_owned();
        let told = |what: &str| Err(format!("`{reason}`: {what}"));
        if reason.is_empty() {
            return told("a statement stands here without a reason");
        }
        let lines: Vec<&str> = rest.lines().collect();
        let end = lines.iter().position(|line| line.starts_with("-->")).unwrap_or(lines.len());
        let statement = lines[..end].join("\n");
        if statement.trim().is_empty() && !statement.is_empty() || end == 0 {
            return told("there is no statement");
        }
        let mut groups: Vec<Group> = Vec::new();
        for line in &lines[end..] {
            if let Some(fact) = line.strip_prefix("-->   ") {
                let Some(group) = groups.last_mut() else { return told("a fact stands before its dialects") };
                group.facts.push(fact.to_owned());
            } else if let Some(names) = line.strip_prefix("--> ") {
                let mut dialects = Vec::new();
                for name in names.split(", ") {
                    match DIALECTS.iter().find(|dialect| **dialect == name) {
                        Some(dialect) => dialects.push(*dialect),
                        None => return told(&format!("`{name}` is no dialect: {}", DIALECTS.join(", "))),
                    }
                }
                groups.push(Group { dialects, facts: Vec::new() });
            } else {
                return told(&format!("`{line}` stands behind what is read"));
            }
        }
        if groups.is_empty() {
            return told("no dialect is named");
        }
        let mut seen = BTreeSet::new();
        if let Some(twice) = groups.iter().flat_map(|group| &group.dialects).find(|dialect| !seen.insert(**dialect)) {
            return told(&format!("`{twice}` is named twice"));
        }
        Ok(Self { reason, statement, groups })
    }

    /// What is read in the statement in each of its dialects, those together that read the same.
    pub(crate) fn read(&self, facts_in: impl Fn(&Dialect, &str) -> Vec<String>) -> Vec<Group> {
        let named: Vec<&str> = self.groups.iter().flat_map(|group| group.dialects.iter().copied()).collect();
        let mut found: Vec<Group> = Vec::new();
        for dialect in DIALECTS.iter().filter(|dialect| named.contains(dialect)) {
            let facts = facts_in(&Dialect::from_name(dialect), &self.statement);
            match found.iter_mut().find(|group| group.facts == facts) {
                Some(group) => group.dialects.push(dialect),
                None => found.push(Group { dialects: vec![dialect], facts }),
            }
        }
        found
    }
}

/// Groups, as they are written.
pub(crate) fn shown(groups: &[Group]) -> String {
    groups.iter().map(|group| format!("    {}\n{}", group.dialects.join(", "), indented(&group.facts))).collect()
}

fn indented(facts: &[String]) -> String {
    facts.iter().map(|fact| format!("      {fact}\n")).collect()
}
