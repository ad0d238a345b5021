//! Lock files that are up to date. The fuzz target is a workspace of its own, with a lock file that no other command
//! looks at: a dependency that a room gains must be written down there too, else the target no longer builds `--locked`.

use std::process::Command;

use anyhow::Context;

use crate::repository::Repository;

pub(super) fn check(repository: &Repository) -> anyhow::Result<Vec<String>> {
    let mut complaints = Vec::new();
    for manifest in repository.files.iter().filter(|path| path.ends_with("Cargo.toml")) {
        let folder = manifest.parent().context("a manifest lies in a folder")?;
        if !repository.has(&folder.join("Cargo.lock")) {
            continue;
        }
        let output = Command::new(env!("CARGO"))
            .args(["metadata", "--locked", "--quiet", "--format-version", "1", "--manifest-path"])
            .arg(repository.root.join(manifest))
            .output()
            .context("cargo is needed to read the lock files")?;
        if !output.status.success() {
            complaints.push(format!(
                "{}/Cargo.lock: not what its manifests ask for; `cargo metadata --manifest-path {}` writes it anew\n{}",
                folder.display(),
                manifest.display(),
                String::from_utf8_lossy(&output.stderr).trim_end()
            ));
        }
    }
    Ok(complaints)
}
