//! Which model is to be used: as it is configured, and what the environment suggests where nothing is.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::anthropic::{self, AnthropicModel};
use crate::chat::ChatModel;
use crate::error::LlmError;
use crate::http::{Endpoint, Failure, HttpOptions, Key, KeyHeader};
use crate::openai::{self, OpenAiModel};

/// Which model is to be used. Keys are never in it: `key_env` names the environment variable that holds one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(tag = "provider", rename_all = "snake_case", deny_unknown_fields)]
pub enum ModelConfig {
    /// Anything that speaks OpenAI's Chat Completions: OpenAI, Ollama, vLLM, llama.cpp, LM Studio …
    #[serde(rename = "openai")]
    OpenAi {
        /// Up to and with `/v1`, as in `http://localhost:11434/v1`.
        #[serde(default = "openai_base_url")]
        base_url: String,
        /// The model's name there.
        model: String,
        /// The variable that holds the key; `None` for servers without keys.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key_env: Option<String>,
    },
    /// Anthropic's Messages.
    Anthropic {
        /// The model's name there.
        model: String,
        /// The variable that holds the key; `None`: `ANTHROPIC_API_KEY`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key_env: Option<String>,
        /// `None`: `https://api.anthropic.com`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base_url: Option<String>,
    },
    /// The embedded model.
    Local {
        /// The GGUF file.
        path: PathBuf,
    },
    /// No model.
    #[default]
    None,
}

fn openai_base_url() -> String {
    openai::DEFAULT_BASE_URL.into()
}

/// What a model is opened with, beside its name and place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelOptions {
    /// Time limits and retries, for models behind a network.
    pub http: HttpOptions,
    /// Prompt and reply together; `None`: what is known of the provider (OpenAI 128,000, Anthropic 200,000, another
    /// server 8,192, the embedded model 4,096).
    pub context_tokens: Option<usize>,
}

/// Opens a model. Nothing is asked of a provider yet; the embedded model is read, which takes seconds: call it from
/// a thread that may block.
///
/// # Errors
/// [`LlmError::NotConfigured`] for [`ModelConfig::None`]; [`LlmError::KeyMissing`]; [`LlmError::Config`]; for the
/// embedded model [`LlmError::NotFound`], [`LlmError::BadModel`], and [`LlmError::Unsupported`] in a build without it.
pub fn open_model(config: &ModelConfig, options: &ModelOptions) -> Result<Box<dyn ChatModel>, LlmError> {
    match config {
        ModelConfig::OpenAi { base_url, model, key_env } => {
            let key = key_env.as_ref().map(|variable| Key::from_environment(variable, base_url)).transpose()?;
            Ok(Box::new(OpenAiModel::new(base_url, model, key, options.context_tokens, options.http)?))
        }
        ModelConfig::Anthropic { model, key_env, base_url } => {
            let base_url = base_url.as_deref().unwrap_or(anthropic::DEFAULT_BASE_URL);
            let key = Key::from_environment(key_env.as_deref().unwrap_or(ANTHROPIC_KEY), base_url)?;
            Ok(Box::new(AnthropicModel::new(base_url, model, key, options.context_tokens, options.http)?))
        }
        ModelConfig::Local { path } => open_local(path, options.context_tokens),
        ModelConfig::None => Err(LlmError::NotConfigured),
    }
}

#[cfg(feature = "local")]
fn open_local(path: &std::path::Path, context_tokens: Option<usize>) -> Result<Box<dyn ChatModel>, LlmError> {
    let context_tokens = context_tokens.unwrap_or(crate::local::DEFAULT_CONTEXT_TOKENS);
    Ok(Box::new(crate::local::LocalModel::open_with_context(path, context_tokens)?))
}

#[cfg(not(feature = "local"))]
fn open_local(_path: &std::path::Path, _context_tokens: Option<usize>) -> Result<Box<dyn ChatModel>, LlmError> {
    Err(LlmError::Unsupported { what: "embedded model" })
}

const ANTHROPIC_KEY: &str = "ANTHROPIC_API_KEY";
const OPENAI_KEY: &str = "OPENAI_API_KEY";
/// The models that are taken where a key is there and no name.
const ANTHROPIC_MODEL: &str = "claude-sonnet-4-5";
const OPENAI_MODEL: &str = "gpt-4.1";

/// What the environment suggests, best first: `ANTHROPIC_API_KEY` (with `ANTHROPIC_MODEL`, `ANTHROPIC_BASE_URL`),
/// `OPENAI_API_KEY` (with `OPENAI_MODEL`, `OPENAI_BASE_URL`), `OLLAMA_HOST` with `OLLAMA_MODEL`.
///
/// `variable` reads a variable; [`detect`] reads the process's.
pub fn detect_in(variable: &dyn Fn(&str) -> Option<String>) -> Vec<ModelConfig> {
    let set = |name: &str| variable(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
    let mut found = Vec::new();
    if set(ANTHROPIC_KEY).is_some() {
        found.push(ModelConfig::Anthropic {
            model: set("ANTHROPIC_MODEL").unwrap_or_else(|| ANTHROPIC_MODEL.into()),
            key_env: Some(ANTHROPIC_KEY.into()),
            base_url: set("ANTHROPIC_BASE_URL"),
        });
    }
    if set(OPENAI_KEY).is_some() {
        found.push(ModelConfig::OpenAi {
            base_url: set("OPENAI_BASE_URL").unwrap_or_else(openai_base_url),
            model: set("OPENAI_MODEL").unwrap_or_else(|| OPENAI_MODEL.into()),
            key_env: Some(OPENAI_KEY.into()),
        });
    }
    if let (Some(host), Some(model)) = (set("OLLAMA_HOST"), set("OLLAMA_MODEL")) {
        found.push(ModelConfig::OpenAi { base_url: ollama_base_url(&host), model, key_env: None });
    }
    found
}

/// [`detect_in`] the process's environment.
pub fn detect() -> Vec<ModelConfig> {
    detect_in(&|name| std::env::var(name).ok())
}

/// The Chat Completions address of an Ollama server, as `OLLAMA_HOST` names it: with or without scheme and port;
/// `0.0.0.0`, which a server listens at, is no address to call.
pub fn ollama_base_url(host: &str) -> String {
    let (scheme, rest) = host.trim_end_matches('/').split_once("://").unwrap_or(("http", host.trim_end_matches('/')));
    let rest = rest.replacen("0.0.0.0", "127.0.0.1", 1);
    let has_port =
        rest.rsplit_once(':').is_some_and(|(_, port)| !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()));
    let port = if has_port || scheme == "https" { "" } else { ":11434" };
    format!("{scheme}://{rest}{port}/v1")
}

/// The models that an OpenAI-compatible server offers, in its order.
///
/// # Errors
/// [`LlmError::KeyMissing`], [`LlmError::Unreachable`] and the other failures of a call; it is tried once and for
/// three seconds only, so that looking for a server that may not run costs little.
pub async fn served_models(base_url: &str, key_env: Option<&str>) -> Result<Vec<String>, LlmError> {
    let key = key_env.map(|variable| Key::from_environment(variable, base_url)).transpose()?;
    let limit = Duration::from_secs(3);
    let options = HttpOptions { connect_timeout: limit, read_timeout: limit, attempts: 1, ..HttpOptions::default() };
    let endpoint = Endpoint::new(base_url, "/models", "any", key.map(|key| (key, KeyHeader::Bearer)), options)?;
    let listed = async { endpoint.json(endpoint.get().await?).await };
    let listed = listed.await.map_err(Failure::into_error)?;
    let models = listed["data"].as_array().ok_or_else(|| LlmError::BadReply {
        endpoint: endpoint.shown.clone(),
        reason: "it has no list `data`".into(),
    })?;
    Ok(models.iter().filter_map(|model| model["id"].as_str()).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn check_detected(variables: &[(&str, &str)], expect: &str) {
        let read =
            |name: &str| variables.iter().find(|(variable, _)| *variable == name).map(|(_, value)| (*value).to_owned());
        let found: Vec<String> = detect_in(&read)
            .iter()
            .map(|config| match config {
                ModelConfig::OpenAi { base_url, model, key_env } => format!("{base_url} {model} {key_env:?}"),
                ModelConfig::Anthropic { model, base_url, .. } => format!("anthropic {model} {base_url:?}"),
                other => format!("{other:?}"),
            })
            .collect();
        assert_eq!(found.join("; "), expect);
    }

    #[test]
    fn the_environment_suggests_models_best_first() {
        check_detected(&[], "");
        check_detected(&[("OPENAI_API_KEY", "  ")], "");
        check_detected(
            &[("OPENAI_API_KEY", "k"), ("ANTHROPIC_API_KEY", "k"), ("OPENAI_MODEL", "gpt-x")],
            "anthropic claude-sonnet-4-5 None; https://api.openai.com/v1 gpt-x Some(\"OPENAI_API_KEY\")",
        );
        check_detected(
            &[("OLLAMA_HOST", "0.0.0.0"), ("OLLAMA_MODEL", "qwen2.5-coder:7b")],
            "http://127.0.0.1:11434/v1 qwen2.5-coder:7b None",
        );
    }

    #[test]
    fn ollamas_address_is_completed() {
        for (host, expect) in [
            ("localhost", "http://localhost:11434/v1"),
            ("localhost:9000", "http://localhost:9000/v1"),
            ("http://box:9000/", "http://box:9000/v1"),
            ("https://ollama.example.com", "https://ollama.example.com/v1"),
        ] {
            assert_eq!(ollama_base_url(host), expect);
        }
    }

    #[test]
    fn a_configuration_is_read_and_unknown_keys_are_errors() {
        let read = |text: &str| serde_json::from_str::<ModelConfig>(text);
        assert_eq!(
            read(r#"{"provider":"openai","model":"gpt-x","key_env":"K"}"#).unwrap(),
            ModelConfig::OpenAi { base_url: openai_base_url(), model: "gpt-x".into(), key_env: Some("K".into()) }
        );
        assert_eq!(
            read(r#"{"provider":"local","path":"m.gguf"}"#).unwrap(),
            ModelConfig::Local { path: "m.gguf".into() }
        );
        assert!(read(r#"{"provider":"openai","model":"gpt-x","api_key":"sk-1"}"#).is_err());
    }

    #[test]
    fn opening_says_what_is_missing() {
        let open = |config: ModelConfig| open_model(&config, &ModelOptions::default()).err().map(|error| error.code());
        assert_eq!(open(ModelConfig::None), Some("model_none"));
        let missing = Some("PERIPLUS_TEST_NO_SUCH_KEY".to_owned());
        assert_eq!(
            open(ModelConfig::Anthropic { model: "m".into(), key_env: missing, base_url: None }),
            Some("model_auth")
        );
        assert_eq!(
            open(ModelConfig::OpenAi { base_url: "ftp://x".into(), model: "m".into(), key_env: None }),
            Some("model_config")
        );
    }
}
