//! The types every room shares: what a source, a table, a column, a profile and a description are.
//!
//! Plain data with `serde`: the store writes these as JSON. A field that older files lack gets `#[serde(default)]`; what
//! they hold in another form needs a new [`crate::FORMAT_VERSION`] and a step that converts it.

pub mod description;
pub mod fact;
pub mod glossary;
pub mod identity;
pub mod last_update;
pub mod masks;
pub mod memory;
pub mod profile;
pub mod structure;
pub mod usage;
pub mod value_form;

#[cfg(test)]
mod tests {
    use std::path::Path;

    use schemars::JsonSchema;

    use super::{description, glossary, masks, memory, profile, structure, usage};

    /// What the store holds, in one document: this is what `spec/catalog.schema.json` describes.
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Stored {
        sources: Vec<structure::Source>,
        tables: Vec<structure::Table>,
        profiles: Vec<profile::TableProfile>,
        examinations: Vec<masks::Examination>,
        rulings: Vec<masks::Rulings>,
        descriptions: Vec<description::TableDescription>,
        overrides: Vec<description::Overrides>,
        memories: Vec<memory::Memory>,
        usage: Vec<usage::Usage>,
        terms: Vec<glossary::Term>,
        memory_uses: Vec<memory::MemoryUse>,
    }

    #[test]
    fn the_published_schema_is_current() {
        let schema = serde_json::to_string_pretty(&schemars::schema_for!(Stored)).unwrap() + "\n";
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec/catalog.schema.json");
        if std::env::var_os("PERIPLUS_UPDATE").is_some() {
            std::fs::write(&path, &schema).unwrap();
        }
        let stored = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(stored == schema, "spec/catalog.schema.json is out of date: run the tests with PERIPLUS_UPDATE=1");
    }
}
