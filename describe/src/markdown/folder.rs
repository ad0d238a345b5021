//! The files of a Markdown catalog: found, read, and replaced as a whole.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::DescribeError;

/// Larger files are no pages of ours.
const LARGEST_FILE: u64 = 8 * 1024 * 1024;

/// The Markdown files of a folder, sorted; none where the folder doesn't exist.
pub(crate) fn files_in(folder: &Path) -> Result<Vec<PathBuf>, DescribeError> {
    Ok(children(folder)?.into_iter().filter(|path| is_markdown(path) && path.is_file()).collect())
}

/// The Markdown files of a folder and of its subfolders, sorted.
pub(crate) fn files_below(folder: &Path) -> Result<Vec<PathBuf>, DescribeError> {
    let mut files = files_in(folder)?;
    for path in children(folder)? {
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if path.is_dir() && !hidden {
            files.extend(files_in(&path)?);
        }
    }
    Ok(files)
}

/// Whether a file's name is one that a page may have; editors' temporary files are not.
pub(crate) fn is_markdown(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    !name.starts_with('.')
        && !name.starts_with('#')
        && Path::new(&name).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"))
}

/// The text of a file; `None` where there is none. Bytes that are not UTF-8 become replacement characters.
pub(crate) fn read_text(path: &Path) -> Result<Option<String>, DescribeError> {
    let failed = |source| DescribeError::File { path: path.to_owned(), action: "read", source };
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.len() > LARGEST_FILE => return Ok(None),
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    }
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(error)),
    }
}

/// Puts a file in place as a whole: nobody sees half of it, and a full disk leaves the old one.
pub(crate) fn write_text(path: &Path, content: &str) -> Result<(), DescribeError> {
    let failed = |source| DescribeError::File { path: path.to_owned(), action: "written", source };
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(failed)?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    // Several may write the same page at once.
    static DRAFTS: AtomicU64 = AtomicU64::new(0);
    let number = DRAFTS.fetch_add(1, Ordering::Relaxed);
    let draft = folder.join(format!(".{name}.{}.{number}.tmp", std::process::id()));
    let placed = std::fs::write(&draft, content).and_then(|()| std::fs::rename(&draft, path));
    placed.map_err(|error| {
        // The draft is of no use any more; that it can't be removed changes nothing about the failure.
        let _ = std::fs::remove_file(&draft);
        failed(error)
    })
}

/// Removes a file; one that is gone already is as good.
pub(crate) fn remove(path: &Path) -> Result<(), DescribeError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(DescribeError::File { path: path.to_owned(), action: "removed", source: error })
        }
        _ => Ok(()),
    }
}

/// Renames a file so that it is no page any more, and returns its new name: `orders.md.kept`, or `orders.md.kept-2`
/// where there is one already.
pub(crate) fn set_aside(path: &Path) -> Result<PathBuf, DescribeError> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let candidate = |number: usize| match number {
        1 => path.with_file_name(format!("{name}.kept")),
        _ => path.with_file_name(format!("{name}.kept-{number}")),
    };
    let mut kept_as = candidate(1);
    for number in 2.. {
        // A dangling link is in the way too.
        if kept_as.symlink_metadata().is_err() {
            break;
        }
        kept_as = candidate(number);
    }
    match std::fs::rename(path, &kept_as) {
        Ok(()) => Ok(kept_as),
        Err(source) => Err(DescribeError::File { path: path.to_owned(), action: "renamed", source }),
    }
}

fn children(folder: &Path) -> Result<Vec<PathBuf>, DescribeError> {
    let failed = |source| DescribeError::File { path: folder.to_owned(), action: "read", source };
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut paths = Vec::new();
    for entry in entries {
        paths.push(entry.map_err(failed)?.path());
    }
    paths.sort();
    Ok(paths)
}
