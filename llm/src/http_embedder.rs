//! Embeddings of an OpenAI-compatible endpoint (OpenAI, Ollama, vLLM, llama.cpp, LM Studio …).
//!
//! [`Embedder`] is a plain function, because the embedder in the binary answers in microseconds; this one keeps a
//! small runtime of its own and lets the caller wait.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::embedding::Embedder;
use crate::error::LlmError;
use crate::http::{Endpoint, HttpOptions, Key, KeyHeader, Retries};

/// Texts in one request: far below every provider's limit of texts, and below its limit of tokens for chunks of the
/// size we make.
const BATCH: usize = 64;

/// An embedding model behind a network. A call blocks the thread for as long as the endpoint takes.
pub struct HttpEmbedder {
    name: String,
    dimensions: usize,
    caller: Option<Caller>,
}

struct Caller {
    runtime: Runtime,
    endpoint: std::sync::Arc<Endpoint>,
}

impl HttpEmbedder {
    /// Connects, and asks for one embedding, to learn how long the vectors are.
    ///
    /// `base_url` as in [`crate::ModelConfig::OpenAi`]; `key_env` names the variable with the key.
    ///
    /// # Errors
    /// [`LlmError::KeyMissing`], [`LlmError::Config`], and those of a call.
    pub fn connect(base_url: &str, model: &str, key_env: Option<&str>, options: HttpOptions) -> Result<Self, LlmError> {
        let key = key_env.map(|variable| Key::from_environment(variable, base_url)).transpose()?;
        Self::connect_with(base_url, model, key, options)
    }

    fn connect_with(base_url: &str, model: &str, key: Option<Key>, options: HttpOptions) -> Result<Self, LlmError> {
        let key = key.map(|key| (key, KeyHeader::Bearer));
        let endpoint = std::sync::Arc::new(Endpoint::new(base_url, "/embeddings", model, key, options)?);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .map_err(|error| LlmError::Compute { model: model.into(), reason: error.to_string() })?;
        let name = format!("{}/{model}", endpoint.host());
        let mut embedder = Self { name, dimensions: 0, caller: Some(Caller { runtime, endpoint }) };
        let probe = embedder.request(&["dimensions"])?;
        embedder.dimensions = probe.first().map_or(0, Vec::len);
        Ok(embedder)
    }

    fn request(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, LlmError> {
        let lost = || LlmError::Compute { model: self.name.clone(), reason: "its runtime is gone".into() };
        let caller = self.caller.as_ref().ok_or_else(lost)?;
        let (sender, receiver) = std::sync::mpsc::sync_channel(1);
        let endpoint = caller.endpoint.clone();
        // An empty text is an error at most providers.
        let texts: Vec<String> =
            texts.iter().map(|text| if text.trim().is_empty() { " .".into() } else { (*text).to_owned() }).collect();
        // Not `block_on`: that would panic on a thread that belongs to another runtime.
        caller.runtime.spawn(async move {
            let vectors = call(&endpoint, &texts).await;
            // The caller waits below for as long as this runs.
            let _ = sender.send(vectors);
        });
        receiver.recv().map_err(|_| lost())?
    }
}

impl Embedder for HttpEmbedder {
    fn name(&self) -> &str {
        &self.name
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, LlmError> {
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH) {
            let mut embedded = self.request(batch)?;
            if let Some(odd) = embedded.iter().find(|vector| vector.len() != self.dimensions) {
                return Err(LlmError::BadReply {
                    endpoint: self.name.clone(),
                    reason: format!("a vector has {} dimensions, the first one had {}", odd.len(), self.dimensions),
                });
            }
            for (vector, text) in embedded.iter_mut().zip(batch) {
                if text.trim().is_empty() {
                    vector.fill(0.0);
                }
            }
            vectors.append(&mut embedded);
        }
        Ok(vectors)
    }
}

impl Drop for HttpEmbedder {
    fn drop(&mut self) {
        // Waiting for a runtime inside another one would panic.
        if let Some(caller) = self.caller.take() {
            caller.runtime.shutdown_background();
        }
    }
}

async fn call(endpoint: &Endpoint, texts: &[String]) -> Result<Vec<Vec<f32>>, LlmError> {
    let body = json!({ "model": endpoint.model, "input": texts, "encoding_format": "float" });
    let limit: Duration = endpoint.options.total_timeout;
    let attempts = async {
        let mut retries = Retries::new(endpoint.options);
        loop {
            let attempt = async {
                let reply = endpoint.json(endpoint.post(&body).await?).await?;
                unit_vectors(&reply, texts.len()).map_err(|reason| endpoint.bad_reply(reason))
            };
            match attempt.await {
                Ok(vectors) => return Ok(vectors),
                Err(failure) => retries.wait(failure).await?,
            }
        }
    };
    let late = || LlmError::Timeout { endpoint: endpoint.shown.clone(), after: limit };
    tokio::time::timeout(limit, attempts).await.map_err(|_| late())?
}

/// The vectors in a reply, in the order of the texts, made unit vectors.
fn unit_vectors(reply: &Value, count: usize) -> Result<Vec<Vec<f32>>, String> {
    let data = reply["data"].as_array().ok_or("it has no list `data`")?;
    let mut vectors: Vec<Option<Vec<f32>>> = vec![None; count];
    for (position, item) in data.iter().enumerate() {
        let index = item["index"].as_u64().map_or(position, |index| index as usize);
        let numbers = item["embedding"].as_array().ok_or("an item has no list `embedding`")?;
        let mut vector: Vec<f32> = numbers
            .iter()
            .map(|number| number.as_f64().map(|number| number as f32).filter(|number| number.is_finite()))
            .collect::<Option<_>>()
            .ok_or("a vector holds something that is no number")?;
        let norm = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
        if norm > 0.0 {
            vector.iter_mut().for_each(|number| *number /= norm);
        }
        *vectors.get_mut(index).ok_or("it holds more vectors than texts were sent")? = Some(vector);
    }
    vectors.into_iter().collect::<Option<_>>().ok_or_else(|| "a text has no vector in it".into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use wiremock::matchers::{body_partial_json, method, path};
    use wiremock::{Mock, MockServer, ResponseTemplate};

    use super::*;

    fn options() -> HttpOptions {
        HttpOptions { first_wait: Duration::from_millis(1), attempts: 2, ..HttpOptions::default() }
    }

    async fn answering(reply: Value) -> MockServer {
        let server = MockServer::start().await;
        let probe = json!({ "data": [{ "index": 0, "embedding": [0.0, 2.0] }] });
        Mock::given(method("POST"))
            .and(path("/v1/embeddings"))
            .and(body_partial_json(json!({ "input": ["dimensions"], "model": "m" })))
            .respond_with(ResponseTemplate::new(200).set_body_json(probe))
            .mount(&server)
            .await;
        Mock::given(method("POST")).respond_with(ResponseTemplate::new(200).set_body_json(reply)).mount(&server).await;
        server
    }

    #[tokio::test]
    async fn vectors_come_in_the_order_of_the_texts_and_as_unit_vectors() {
        let reply = json!({ "data": [
            { "index": 1, "embedding": [0.0, 5.0] }, { "index": 0, "embedding": [3.0, 4.0] }
        ] });
        let server = answering(reply).await;
        // On a runtime's own thread, where blocking calls of another runtime panic.
        let embedder = HttpEmbedder::connect_with(&format!("{}/v1", server.uri()), "m", None, options()).unwrap();
        assert_eq!(embedder.dimensions(), 2);
        let vectors = embedder.embed(&["a", "b"]).unwrap();
        assert_eq!(vectors, vec![vec![0.6, 0.8], vec![0.0, 1.0]]);
    }

    #[tokio::test]
    async fn a_reply_that_does_not_fit_is_refused() {
        for reply in [
            json!({ "data": [{ "index": 0, "embedding": [1.0, 0.0] }] }),
            json!({ "data": [{ "embedding": [1.0] }, { "embedding": [1.0, 2.0] }] }),
            json!({ "data": [{ "embedding": ["x"] }, { "embedding": [1.0, 2.0] }] }),
            json!({ "vectors": [] }),
        ] {
            let server = answering(reply).await;
            let embedder = HttpEmbedder::connect_with(&format!("{}/v1", server.uri()), "m", None, options()).unwrap();
            assert_eq!(embedder.embed(&["a", "b"]).unwrap_err().code(), "model_bad_reply");
        }
    }
}
