//! Callers whom an organisation's own server vouches for: access tokens as signed JWTs (RFC 9068, RFC 7519), checked by the
//! keys that it publishes (RFC 7517), and where clients find that server (RFC 9728).
//!
//! Invariants: a token counts by a signature with a public key, of this issuer, for this server, in its time; it is passed on
//! to nobody. Keys come from the issuer alone, and over an encrypted connection unless that is this machine.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use axum::Json;
use axum::response::{IntoResponse, Response};
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::jwk::{Jwk, JwkSet};
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use reqwest::Url;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::Mutex;

use crate::error::ServeError;

/// Signatures with public keys: with a secret that both sides know, whoever checks could sign.
const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
];

/// How long published keys are used before they are asked for again, and how soon they may be for a token of another key.
const KEYS_FOR: Duration = Duration::from_secs(60 * 60);
const KEYS_AGAIN: Duration = Duration::from_secs(60);

/// How long the issuer may take, and bytes of what it answers.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);
const ANSWER_BYTES: usize = 1 << 20;

/// Where a server describes itself: OpenID Connect Discovery 1.0, RFC 8414.
const DESCRIPTIONS: [&str; 2] = ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"];

/// Bytes of a caller's name.
const LONGEST_NAME: usize = 200;

/// Whose tokens are taken besides those that the operator makes.
#[derive(Clone, Debug)]
pub struct OAuthOptions {
    /// The server that signs them, as tokens have it in `iss`.
    pub issuer: String,
    /// This server's address as clients call it, `https://periplus.example.com/mcp`.
    pub resource: String,
    /// For whom tokens have to be, as they have it in `aud`.
    pub audience: String,
    /// Where the issuer's keys are; without it, its own description says so.
    pub keys: Option<String>,
    /// The claim by which a caller is known.
    pub name_claim: String,
    /// The claim with a caller's roles or groups.
    pub role_claim: Option<String>,
    /// Which of our roles each of these has.
    pub roles: BTreeMap<String, String>,
    /// The role of callers who have none of these; without it they aren't admitted.
    pub role: Option<String>,
}

/// Checks tokens.
pub(super) struct OAuth {
    options: OAuthOptions,
    client: reqwest::Client,
    keys: Mutex<Option<Keys>>,
}

struct Keys {
    set: JwkSet,
    at: Instant,
}

/// Why a token admits nobody.
#[derive(Debug)]
pub(super) enum Refused {
    /// The token, with a code and what is wrong with it.
    Token(&'static str, &'static str),
    /// Its caller has no role here.
    Role,
    /// The issuer's keys can't be had.
    Keys(String),
}

impl OAuth {
    /// # Errors
    /// [`ServeError::OAuth`] where an address is none, or isn't encrypted.
    pub(super) fn of(options: OAuthOptions) -> Result<Self, ServeError> {
        let failed = |reason: String| ServeError::OAuth { reason };
        for address in [&options.issuer, &options.resource].into_iter().chain(&options.keys) {
            checked(address).map_err(|reason| failed(format!("`{address}` {reason}")))?;
        }
        let client = reqwest::Client::builder().timeout(ANSWER_WITHIN).redirect(reqwest::redirect::Policy::none());
        let client = client.build().map_err(|error| failed(shown::with_sources(&error)))?;
        Ok(Self { options, client, keys: Mutex::new(None) })
    }

    /// Where this server says who admits to it: of `https://host/mcp`, `https://host/.well-known/…/mcp` (RFC 9728, 3.1).
    pub(super) fn metadata_address(&self) -> String {
        let Ok(mut address) = Url::parse(&self.options.resource) else { return String::new() };
        let path = address.path().trim_end_matches('/').to_owned();
        address.set_path(&format!("/.well-known/oauth-protected-resource{path}"));
        address.to_string()
    }

    /// What it says there.
    pub(super) fn metadata(&self) -> Response {
        let OAuthOptions { resource, issuer, .. } = &self.options;
        Json(json!({
            "resource": resource, "authorization_servers": [issuer], "bearer_methods_supported": ["header"],
            "resource_name": "Periplus",
        }))
        .into_response()
    }

    /// The name and the role of whom a token stands for.
    pub(super) async fn caller(&self, token: &str) -> Result<(String, String), Refused> {
        let malformed = || Refused::Token("token_unknown", "the token is neither one of ours nor a signed one");
        let header = jsonwebtoken::decode_header(token).map_err(|_| malformed())?;
        if !ALGORITHMS.contains(&header.alg) {
            return Err(Refused::Token("token_algorithm", "the token isn't signed with a public key"));
        }
        let key = self.key(header.kid.as_deref()).await?;
        let mut validation = Validation::new(header.alg);
        validation.set_audience(&[&self.options.audience]);
        validation.set_issuer(&[&self.options.issuer]);
        validation.set_required_spec_claims(&["exp", "aud", "iss"]);
        validation.validate_nbf = true;
        let claims = jsonwebtoken::decode::<Map<String, Value>>(token, &key, &validation).map_err(|error| {
            let (code, what) = match error.kind() {
                ErrorKind::ExpiredSignature => ("token_expired", "the token has expired"),
                ErrorKind::ImmatureSignature => ("token_early", "the token doesn't hold yet"),
                ErrorKind::InvalidAudience => ("token_audience", "the token is for another server"),
                ErrorKind::InvalidIssuer => ("token_issuer", "the token is another server's"),
                _ => ("token_signature", "the token isn't signed by who is said to have signed it"),
            };
            Refused::Token(code, what)
        })?;
        let claims = claims.claims;
        let is_plain = |name: &&str| (1..=LONGEST_NAME).contains(&name.len()) && !name.contains(char::is_control);
        let Some(name) = claims.get(&self.options.name_claim).and_then(Value::as_str).filter(is_plain) else {
            return Err(Refused::Token("token_name", "the token doesn't say who shows it"));
        };
        // A colon stands in no name that the operator gives.
        Ok((format!("oauth:{name}"), self.role(&claims).ok_or(Refused::Role)?))
    }

    fn role(&self, claims: &Map<String, Value>) -> Option<String> {
        let options = &self.options;
        let said = options.role_claim.as_ref().and_then(|claim| claims.get(claim));
        let has = |role: &str| match said {
            Some(Value::String(one)) => one.split(' ').any(|one| one == role),
            Some(Value::Array(several)) => several.iter().any(|one| one.as_str() == Some(role)),
            _ => false,
        };
        let ours = options.roles.iter().find(|(theirs, _)| has(theirs)).map(|(_, ours)| ours);
        ours.or(options.role.as_ref()).cloned()
    }

    /// The issuer's key of that id, or the only one that it has.
    async fn key(&self, id: Option<&str>) -> Result<DecodingKey, Refused> {
        let of = |set: &JwkSet| -> Option<Jwk> {
            match (id, set.keys.as_slice()) {
                (Some(id), _) => set.find(id).cloned(),
                (None, [only]) => Some(only.clone()),
                (None, _) => None,
            }
        };
        let mut keys = self.keys.lock().await;
        let known = keys.as_ref().and_then(|keys| of(&keys.set));
        let age = keys.as_ref().map(|keys| keys.at.elapsed());
        let is_due = age.is_none_or(|age| age > KEYS_FOR || known.is_none() && age > KEYS_AGAIN);
        if is_due {
            match self.published().await {
                Ok(set) => *keys = Some(Keys { set, at: Instant::now() }),
                Err(reason) if known.is_none() => return Err(Refused::Keys(reason)),
                Err(reason) => tracing::warn!(reason, "the issuer's keys can't be asked for again"),
            }
        }
        let unknown =
            || Refused::Token("token_signature", "the token is signed with a key that its issuer doesn't publish");
        let key = keys.as_ref().and_then(|keys| of(&keys.set)).ok_or_else(unknown)?;
        DecodingKey::from_jwk(&key).map_err(|_| unknown())
    }

    async fn published(&self) -> Result<JwkSet, String> {
        let issuer = self.options.issuer.trim_end_matches('/');
        let address = match &self.options.keys {
            Some(address) => address.clone(),
            None => {
                let mut said = Err("it doesn't describe itself".to_owned());
                for place in DESCRIPTIONS {
                    said = self.document::<Description>(&format!("{issuer}{place}")).await;
                    if said.is_ok() {
                        break;
                    }
                }
                let description = said?;
                if description.issuer.trim_end_matches('/') != issuer {
                    return Err("it describes another issuer".to_owned());
                }
                checked(&description.jwks_uri).map_err(|reason| format!("the address of its keys {reason}"))?;
                description.jwks_uri
            }
        };
        self.document(&address).await
    }

    async fn document<T: serde::de::DeserializeOwned>(&self, address: &str) -> Result<T, String> {
        let failed = |error: reqwest::Error| shown::with_sources(&error);
        let mut answer =
            self.client.get(address).send().await.and_then(reqwest::Response::error_for_status).map_err(failed)?;
        let mut bytes = Vec::new();
        while let Some(part) = answer.chunk().await.map_err(failed)? {
            bytes.extend_from_slice(&part);
            if bytes.len() > ANSWER_BYTES {
                return Err("the answer is too long".to_owned());
            }
        }
        serde_json::from_slice(&bytes).map_err(|error| format!("the answer isn't what it should be: {error}"))
    }
}

#[derive(Deserialize)]
struct Description {
    issuer: String,
    jwks_uri: String,
}

/// What is wrong with an address that has to be trusted.
fn checked(address: &str) -> Result<(), &'static str> {
    let address = Url::parse(address).map_err(|_| "is no address")?;
    let is_here = match address.host() {
        Some(url_host) => ["localhost", "127.0.0.1", "[::1]"].contains(&url_host.to_string().as_str()),
        None => return Err("is no address"),
    };
    match address.scheme() {
        "https" => Ok(()),
        "http" if is_here => Ok(()),
        _ => Err("isn't encrypted: it has to begin with https://"),
    }
}
