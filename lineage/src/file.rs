//! What was read of lineage, kept in a file: derived data, which the next reading replaces.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::edges::Lineage;
use crate::error::LineageError;
use crate::held::HeldMask;

/// The version of the file's layout. One of another version counts as none.
const VERSION: u32 = 3;

#[derive(Serialize, Deserialize)]
struct Document<S> {
    version: u32,
    sources: S,
}

#[derive(Deserialize)]
struct OnlyVersion {
    version: u32,
}

/// What is kept of each source; nothing but masks that stay where there is no file, or one of another version.
///
/// # Errors
/// Where the file can't be read.
pub fn load(path: &Path) -> Result<BTreeMap<String, Lineage>, LineageError> {
    let mut sources = read(path)?;
    // They are kept a second time, since nothing else tells them again.
    for (source, held) in read_held(path) {
        sources.entry(source).or_default().keep_held(held);
    }
    Ok(sources)
}

fn read(path: &Path) -> Result<BTreeMap<String, Lineage>, LineageError> {
    if !path.exists() {
        return Ok(BTreeMap::new());
    }
    let text = fs::read(path).map_err(|source| LineageError::File { path: path.to_owned(), source })?;
    let damaged = |_| LineageError::Damaged { path: path.to_owned() };
    let OnlyVersion { version } = serde_json::from_slice(&text).map_err(damaged)?;
    if version != VERSION {
        return Ok(BTreeMap::new());
    }
    let document: Document<BTreeMap<String, Lineage>> = serde_json::from_slice(&text).map_err(damaged)?;
    match document.sources.values().all(Lineage::is_whole) {
        true => Ok(document.sources),
        false => Err(LineageError::Damaged { path: path.to_owned() }),
    }
}

/// The file beside it that holds masks which stay, and nothing else.
fn held_beside(path: &Path) -> PathBuf {
    path.with_file_name("held.json")
}

/// The masks of the file beside; none where it can't be read: the other file has them as well.
fn read_held(path: &Path) -> BTreeMap<String, Vec<HeldMask>> {
    let text = fs::read(held_beside(path)).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

/// Whether there is a file of this version.
pub fn is_there(path: &Path) -> bool {
    let text = fs::read(path).unwrap_or_default();
    serde_json::from_slice(&text).is_ok_and(|OnlyVersion { version }| version == VERSION)
}

/// Takes away a file that can't be read: the next reading writes it anew.
///
/// # Errors
/// Where it can't be taken away.
pub fn remove_damaged(path: &Path) -> Result<(), LineageError> {
    match load(path) {
        Err(LineageError::Damaged { .. }) => {
            fs::remove_file(path).map_err(|source| LineageError::Write { path: path.to_owned(), source })
        }
        other => other.map(drop),
    }
}

/// Changes what is kept of sources, alone: whoever does the same meanwhile waits, and finds what this has left. What is there in
/// another version's layout counts as none.
///
/// # Errors
/// Where the file can't be read or written.
pub fn update<T>(
    path: &Path,
    change: impl FnOnce(&mut BTreeMap<String, Lineage>) -> Result<T, LineageError>,
) -> Result<T, LineageError> {
    let failed = |source| LineageError::Write { path: path.to_owned(), source };
    let lock = File::create(path.with_extension("lock")).map_err(failed)?;
    lock.lock().map_err(failed)?;
    let mut sources = load(path)?;
    let changed = change(&mut sources)?;
    let held: BTreeMap<&String, &Vec<HeldMask>> =
        sources.iter().map(|(name, of_source)| (name, &of_source.held)).filter(|(_, held)| !held.is_empty()).collect();
    // Who reads either meanwhile reads the whole of what was there before.
    let put = |path: &Path, text: serde_json::Result<Vec<u8>>| {
        let beside = path.with_extension("json.new");
        fs::write(&beside, text?)?;
        fs::rename(&beside, path)
    };
    put(&held_beside(path), serde_json::to_vec(&held)).map_err(failed)?;
    put(path, serde_json::to_vec(&Document { version: VERSION, sources: &sources })).map_err(failed)?;
    Ok(changed)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{load, remove_damaged, update};
    use catalog::TableId;

    use crate::edges::{Gap, Holder, Lineage, Place};
    use crate::held::HeldMask;

    #[test]
    fn what_is_saved_is_read_back_and_a_file_of_another_version_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lineage.json");
        assert!(load(&path).unwrap().is_empty());
        let place = Place::new(Holder::Script, "load.sql", "SELECT 1");
        let gaps = vec![Gap { what: "not read".to_owned(), table: None, place: 0 }];
        let lineage = Lineage { places: vec![place], gaps, ..Lineage::default() };
        let sources = BTreeMap::from([("shop".to_owned(), lineage)]);
        update(&path, |known| {
            known.clone_from(&sources);
            Ok(())
        })
        .unwrap();
        assert_eq!(load(&path).unwrap(), sources);
        std::fs::write(&path, r#"{"version": 0, "sources": []}"#).unwrap();
        assert!(load(&path).unwrap().is_empty());
        std::fs::write(&path, "{").unwrap();
        assert_eq!(load(&path).unwrap_err().code(), "lineage_unreadable");
        remove_damaged(&path).unwrap();
        assert!(load(&path).unwrap().is_empty());
        let mask = HeldMask {
            table: TableId::new("shop", "orders"),
            column: "note".to_owned(),
            reason: "found".to_owned(),
            confidence: 1.0,
            by_values: true,
            hides_names: false,
            texts: Vec::new(),
        };
        let held = |known: &mut BTreeMap<String, Lineage>| {
            known.entry("shop".to_owned()).or_default().hold([mask.clone()]);
            Ok(())
        };
        update(&path, held).unwrap();
        for text in [r#"{"version": 0, "sources": []}"#, ""] {
            match text {
                "" => std::fs::remove_file(&path).unwrap(),
                text => std::fs::write(&path, text).unwrap(),
            }
            assert_eq!(
                load(&path).unwrap()["shop"].held,
                std::slice::from_ref(&mask),
                "what is held is kept apart as well"
            );
        }
    }
}
