//! The tracked files of this checkout, read once.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};

/// The checkout.
pub(crate) struct Repository {
    /// Its root.
    pub(crate) root: PathBuf,
    /// Every file git tracks or would track, relative to the root, sorted.
    pub(crate) files: Vec<PathBuf>,
}

impl Repository {
    pub(crate) fn open() -> anyhow::Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask lies in the root")?.to_owned();
        let output = Command::new("git")
            .args(["ls-files", "--cached", "--others", "--exclude-standard", "-z"])
            .current_dir(&root)
            .output()
            .context("git is needed to list the files")?;
        ensure!(output.status.success(), "git ls-files failed");
        let mut files: Vec<PathBuf> = String::from_utf8(output.stdout)?
            .split('\0')
            .filter(|name| !name.is_empty())
            .map(PathBuf::from)
            .filter(|path| root.join(path).is_file())
            .collect();
        files.sort();
        Ok(Self { root, files })
    }

    /// The files with that extension and their text.
    pub(crate) fn texts(&self, extension: &str) -> anyhow::Result<Vec<(&Path, String)>> {
        self.files
            .iter()
            .filter(|path| path.extension().is_some_and(|found| found == extension))
            .map(|path| {
                let text = std::fs::read_to_string(self.root.join(path))
                    .with_context(|| format!("{} is not UTF-8 text", path.display()))?;
                Ok((path.as_path(), text))
            })
            .collect()
    }

    /// Whether a file or folder of that name exists in the checkout.
    pub(crate) fn has(&self, path: &Path) -> bool {
        self.root.join(path).exists()
    }
}
