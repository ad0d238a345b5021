//! What can go wrong between us and a model.

use std::path::PathBuf;
use std::time::Duration;

/// A failure of a model call, of an embedding, or of fetching a model.
///
/// [`LlmError::code`] is stable; [`LlmError::hints`] say what to do. No variant ever carries a key, a password or a
/// query string: endpoints are reduced to scheme, host, port and path before they come here.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LlmError {
    /// No model is configured.
    #[error("no model is configured")]
    NotConfigured,
    /// The endpoint can't be connected to.
    #[error("`{endpoint}` can't be reached: {reason}")]
    Unreachable {
        /// Scheme, host, port and path.
        endpoint: String,
        /// The innermost cause, in words.
        reason: String,
    },
    /// The endpoint was connected to and then said nothing for too long.
    #[error("the model at `{endpoint}` didn't answer within {} s", after.as_secs_f32())]
    Timeout {
        /// Scheme, host, port and path, or the name of the local model.
        endpoint: String,
        /// How long we waited.
        after: Duration,
    },
    /// The provider's rate limit held through all attempts.
    #[error("the model endpoint `{endpoint}` refuses more calls for now (rate limit), after {attempts} attempts")]
    RateLimited {
        /// Scheme, host, port and path.
        endpoint: String,
        /// Calls made.
        attempts: u32,
        /// What the provider asked us to wait.
        retry_after: Option<Duration>,
    },
    /// The provider is overloaded or broken, through all attempts.
    #[error("the model endpoint `{endpoint}` failed with HTTP {status} in all {attempts} attempts: {reason}")]
    Unavailable {
        /// Scheme, host, port and path.
        endpoint: String,
        /// The last HTTP status.
        status: u16,
        /// Calls made.
        attempts: u32,
        /// What the provider said, shortened and without secrets.
        reason: String,
    },
    /// The environment variable that should hold the key is not set.
    #[error("the environment variable `{variable}`, which should hold the key for `{endpoint}`, is not set")]
    KeyMissing {
        /// Its name.
        variable: String,
        /// Scheme, host, port and path.
        endpoint: String,
    },
    /// The provider does not accept the key.
    #[error("the model endpoint `{endpoint}` does not accept the key (HTTP {status})")]
    Auth {
        /// Scheme, host, port and path.
        endpoint: String,
        /// 401 or 403.
        status: u16,
        /// The variable the key came from; `None`: no key was sent.
        variable: Option<String>,
    },
    /// The provider or the model refuses this request.
    #[error("the model `{model}` refuses the request: {reason}")]
    Refused {
        /// Its name.
        model: String,
        /// What the provider said, shortened and without secrets.
        reason: String,
    },
    /// The reply is not what the protocol promises.
    #[error("the reply of `{endpoint}` can't be used: {reason}")]
    BadReply {
        /// Scheme, host, port and path, or the name of the local model.
        endpoint: String,
        /// What was wrong with it.
        reason: String,
    },
    /// The prompt and the reply don't fit into the model's window.
    #[error("the prompt has {tokens} tokens and the reply may have {reply}; `{model}` holds {limit} together")]
    ContextTooLong {
        /// Its name.
        model: String,
        /// Tokens of the prompt.
        tokens: usize,
        /// Tokens reserved for the reply.
        reply: usize,
        /// The window.
        limit: usize,
    },
    /// The model's file, or the model at the provider, is not there.
    #[error("the model `{model}` is not at `{place}`")]
    NotFound {
        /// Its name.
        model: String,
        /// A path or an endpoint.
        place: String,
    },
    /// A file is not the model we can run.
    #[error("`{path}` is not a model that can be run: {reason}")]
    BadModel {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A fetched file is not the one that was promised.
    #[error("`{what}` has the checksum `{found}`, not `{expected}`")]
    Checksum {
        /// A file or package.
        what: String,
        /// SHA-256, hexadecimal.
        expected: String,
        /// SHA-256, hexadecimal.
        found: String,
    },
    /// The model could be fetched from none of its sources.
    #[error("the model can't be fetched: {}", reasons.join("; "))]
    Download {
        /// One line a source.
        reasons: Vec<String>,
    },
    /// No room left on the disk.
    #[error("the disk that holds `{path}` is full")]
    DiskFull {
        /// The file that was being written.
        path: PathBuf,
    },
    /// A file can't be read or written.
    #[error("`{path}` can't be read or written")]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: std::io::Error,
    },
    /// The program was built without something.
    #[error("this build of Periplus has no {what}")]
    Unsupported {
        /// The missing part.
        what: &'static str,
    },
    /// The configuration can't work.
    #[error("the model configuration is wrong: {reason}")]
    Config {
        /// Why.
        reason: String,
    },
    /// A cassette holds no reply for the request.
    #[error("the cassette `{path}` holds no reply for request `{key}`, which ends in `{tail}`")]
    NotRecorded {
        /// The cassette.
        path: PathBuf,
        /// The request's hash.
        key: String,
        /// The end of the last message, so that a person can tell which request it was.
        tail: String,
    },
    /// The computation of the local model or the embedder failed.
    #[error("the computation of `{model}` failed: {reason}")]
    Compute {
        /// Its name.
        model: String,
        /// Why.
        reason: String,
    },
}

impl LlmError {
    /// A stable identifier for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotConfigured => "model_none",
            Self::Unreachable { .. } => "model_unreachable",
            Self::Timeout { .. } => "model_timeout",
            Self::RateLimited { .. } => "rate_limited",
            Self::Unavailable { .. } => "model_unavailable",
            Self::KeyMissing { .. } | Self::Auth { .. } => "model_auth",
            Self::Refused { .. } => "model_refused",
            Self::BadReply { .. } => "model_bad_reply",
            Self::ContextTooLong { .. } => "context_too_long",
            Self::NotFound { .. } => "model_not_found",
            Self::BadModel { .. } => "model_bad_file",
            Self::Checksum { .. } => "model_checksum",
            Self::Download { .. } => "model_download",
            Self::DiskFull { .. } => "disk_full",
            Self::File { .. } => "model_file",
            Self::Unsupported { .. } => "model_unsupported",
            Self::Config { .. } => "model_config",
            Self::NotRecorded { .. } => "model_not_recorded",
            Self::Compute { .. } => "model_compute",
        }
    }

    /// What the user can do.
    pub fn hints(&self) -> Vec<String> {
        match self {
            Self::NotConfigured => vec![
                "set `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`, or name a model in `periplus.toml`".into(),
                "`periplus model pull` fetches a local model that needs no key".into(),
            ],
            Self::Unreachable { endpoint, .. } if endpoint.contains("localhost") || endpoint.contains("127.0.0.1") => {
                vec!["start the local model server, or correct `base_url` in `periplus.toml`".into()]
            }
            Self::Unreachable { .. } => {
                vec!["check the network and a proxy's settings, and `base_url` in `periplus.toml`".into()]
            }
            Self::Timeout { .. } => {
                vec!["try again, choose a faster model, or raise `timeout_seconds` in `periplus.toml`: a local server may still be loading its model".into()]
            }
            Self::RateLimited { retry_after: Some(wait), .. } => {
                vec![format!("try again in {} s", wait.as_secs().max(1))]
            }
            Self::RateLimited { .. } => vec!["try again in a minute, or raise the limit at the provider".into()],
            Self::Unavailable { .. } => vec!["try again later; the provider's status page may say more".into()],
            Self::KeyMissing { variable, .. } => vec![format!("export `{variable}` with the provider's API key")],
            Self::Auth { variable: Some(variable), .. } => {
                vec![format!("check the key in `{variable}`, and that it may use this model")]
            }
            Self::Auth { variable: None, .. } => {
                vec!["name the variable that holds the key with `api_key_env` in `periplus.toml`".into()]
            }
            Self::Refused { .. } => vec!["the provider's message says what it doesn't accept".into()],
            Self::BadReply { .. } => {
                vec![
                    "check that `base_url` points at a chat API of the configured kind, usually ending in `/v1`".into(),
                ]
            }
            Self::ContextTooLong { .. } => {
                vec!["ask for fewer tables (a smaller context), or choose a model with a larger window".into()]
            }
            Self::NotFound { .. } => vec![
                "check the model's name and place; `periplus model list` shows what is known".into(),
                "`periplus model pull` fetches the local model".into(),
            ],
            Self::BadModel { .. } => {
                vec!["delete the file and run `periplus model pull`, or name a Qwen2 GGUF file".into()]
            }
            Self::Checksum { .. } => vec!["the damaged file was set aside; run `periplus model pull` again".into()],
            Self::Download { .. } => vec![
                "check the network, and run `periplus model pull` again: it continues where it stopped".into(),
                "or put the GGUF file in place by hand and name it in `periplus.toml`".into(),
            ],
            Self::DiskFull { .. } => vec!["free some space and run the same command again: it continues".into()],
            Self::Unsupported { .. } => vec!["build with `--features local`, or configure another model".into()],
            Self::NotRecorded { .. } => vec!["record the cassette again with a live model".into()],
            Self::File { .. } | Self::Config { .. } | Self::Compute { .. } => Vec::new(),
        }
    }

    /// A file error, told apart from a full disk.
    pub(crate) fn file(path: &std::path::Path, source: std::io::Error) -> Self {
        match source.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
                Self::DiskFull { path: path.to_path_buf() }
            }
            _ => Self::File { path: path.to_path_buf(), source },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_told_apart_from_other_trouble_with_files() {
        let path = std::path::Path::new("/dev/full");
        let error = std::fs::write(path, b"x").map_err(|error| LlmError::file(path, error));
        assert_eq!(error.map_err(|error| error.code()), Err("disk_full"));
        let path = std::path::Path::new("/nonexistent/file");
        let error = std::fs::write(path, b"x").map_err(|error| LlmError::file(path, error));
        assert_eq!(error.map_err(|error| error.code()), Err("model_file"));
    }

    #[test]
    fn a_server_on_this_machine_gets_another_hint_than_one_far_away() {
        let hint = |endpoint: &str| {
            LlmError::Unreachable { endpoint: endpoint.into(), reason: String::new() }.hints().concat()
        };
        assert!(hint("http://localhost:11434/v1").contains("start the local model server"));
        assert!(hint("https://api.example.com/").contains("network"));
    }
}
