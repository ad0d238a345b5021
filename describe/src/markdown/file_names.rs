//! A file name for every table: safe on every file system, different without regard to case, and not dependent on
//! the other tables unless names collide.

use std::collections::HashMap;

use catalog::TableId;
use sha2::{Digest, Sha256};

/// Longest stem before it is cut.
const LONGEST: usize = 100;

/// The file of each table, in the order given.
pub(crate) fn file_names<'a>(tables: impl Iterator<Item = &'a TableId>) -> Vec<(&'a TableId, String)> {
    let stems: Vec<(&TableId, String, bool)> = tables
        .map(|id| {
            let (stem, exact) = stem(&id.local());
            (id, stem, exact)
        })
        .collect();
    let mut uses: HashMap<String, usize> = HashMap::new();
    for (_, stem, _) in &stems {
        *uses.entry(stem.to_ascii_lowercase()).or_default() += 1;
    }
    stems
        .into_iter()
        .map(|(id, stem, exact)| {
            let alone = uses.get(&stem.to_ascii_lowercase()) == Some(&1);
            let name = if exact && alone { format!("{stem}.md") } else { format!("{stem}-{}.md", digest(id)) };
            (id, name)
        })
        .collect()
}

/// The name with unsafe characters replaced, and whether nothing had to be.
fn stem(name: &str) -> (String, bool) {
    let mut exact = true;
    let mut stem = String::with_capacity(name.len());
    for (position, character) in name.chars().enumerate() {
        let plain = character.is_ascii_alphanumeric()
            || character == '_'
            || (position > 0 && (character == '-' || character == '.'));
        if position == LONGEST {
            exact = false;
            break;
        }
        stem.push(if plain { character } else { '_' });
        exact &= plain;
    }
    if stem.ends_with('.') {
        stem.push('_');
        exact = false;
    }
    let lower = stem.to_ascii_lowercase();
    let first = lower.split('.').next().unwrap_or_default();
    // A stem that looks like one with a digest could meet a real one.
    let looks_hashed = lower
        .rsplit_once('-')
        .is_some_and(|(_, tail)| tail.len() == 8 && tail.chars().all(|character| character.is_ascii_hexdigit()));
    if stem.is_empty() || looks_hashed || is_reserved(first) || ["_index", "readme", "index"].contains(&lower.as_str())
    {
        exact = false;
    }
    // Windows reserves a device name with any extension: the digest must stand before the first dot.
    if is_reserved(first) {
        stem.insert(0, '_');
    }
    (stem, exact)
}

/// Device names of Windows, which are no file names there.
fn is_reserved(stem: &str) -> bool {
    let numbered = |prefix: &str| {
        stem.strip_prefix(prefix)
            .is_some_and(|number| number.len() == 1 && number.chars().all(|digit| digit.is_ascii_digit()))
    };
    ["con", "prn", "aux", "nul"].contains(&stem) || numbered("com") || numbered("lpt")
}

fn digest(id: &TableId) -> String {
    let identity = serde_json::json!([id.source, id.schema, id.name]).to_string();
    Sha256::digest(identity.as_bytes()).iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use catalog::TableId;
    use proptest::collection::hash_set;
    use proptest::prelude::{any, proptest};

    use super::file_names;

    fn names(tables: &[&str]) -> Vec<String> {
        let ids: Vec<TableId> = tables.iter().map(|name| TableId::new("s", *name)).collect();
        file_names(ids.iter()).into_iter().map(|(_, name)| name).collect()
    }

    #[test]
    fn plain_names_stay_plain() {
        assert_eq!(names(&["orders", "Order-Items", "v1.2"]), ["orders.md", "Order-Items.md", "v1.2.md"]);
    }

    #[test]
    fn unsafe_names_get_a_digest() {
        for name in ["a/b", "../x", "..", "CON", "nul.txt", "_index", "", "naïve", "x ", "trailing.", "🦀"] {
            let file = names(&[name]).remove(0);
            assert!(file.contains('-') && !file.contains('/') && !file.starts_with('.'), "{name}: {file}");
        }
    }

    #[test]
    fn names_that_differ_in_case_only_get_different_files() {
        let files = names(&["Users", "users", "orders"]);
        assert_ne!(files[0].to_lowercase(), files[1].to_lowercase());
        assert_eq!(files[2], "orders.md");
    }

    proptest! {
        #[test]
        fn no_two_tables_share_a_file(tables in hash_set(any::<String>(), 0..40)) {
            let ids: Vec<TableId> = tables.iter().map(|name| TableId::new("s", name)).collect();
            let files: HashSet<String> =
                file_names(ids.iter()).into_iter().map(|(_, file)| file.to_lowercase()).collect();
            assert_eq!(files.len(), ids.len());
        }
    }
}
