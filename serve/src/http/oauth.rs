//! Callers whom an organisation's own server vouches for: access tokens as signed JWTs (RFC 9068, RFC 7519), checked by the
//! keys that it publishes (RFC 7517), and where clients find that server (RFC 9728).
//!
//! Invariants: a token counts by a signature with a public key, of this issuer, for this server, in its time; it is passed on
//! to nobody. Keys come from the issuer alone, and over an encrypted connection unless that is this machine.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use axum::Json;
use axum::response::{IntoResponse, Response};
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::jwk::{Jwk, JwkSet, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use reqwest::Url;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::sync::Mutex;

use crate::context::unpoisoned;
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
    keys: Mutex<Keys>,
    /// Held while keys are asked for.
    asking: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Keys {
    set: Option<JwkSet>,
    /// When they were published last.
    at: Option<Instant>,
    /// When they were asked for last, with what came of it.
    tried: Option<(Instant, Option<String>)>,
}

impl Keys {
    /// The key of that id, or the only one that there is.
    fn of(&self, id: Option<&str>) -> Option<Jwk> {
        let set = self.set.as_ref()?;
        match (id, set.keys.as_slice()) {
            (Some(id), _) => set.find(id).cloned(),
            (None, [only]) => Some(only.clone()),
            (None, _) => None,
        }
    }

    /// Whether they may be asked for: an issuer that doesn't answer isn't asked for every token that is shown.
    fn may_be_asked_for(&self) -> bool {
        self.tried.as_ref().is_none_or(|(at, _)| at.elapsed() > KEYS_AGAIN)
    }
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
        Ok(Self { options, client, keys: Mutex::default(), asking: tokio::sync::Mutex::default() })
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
        // What has to be understood isn't, and a token for something else than access is none (RFC 7515, 4.1.11; RFC 9068, 4).
        let unlike =
            || Refused::Token("token_form", "the token isn't one for access, or asks for what isn't known here");
        let is_for_access = header.typ.as_deref().is_none_or(|typ| {
            let typ = typ.to_ascii_lowercase();
            ["jwt", "at+jwt", "application/at+jwt"].contains(&typ.as_str())
        });
        if header.crit.is_some() || !is_for_access {
            return Err(unlike());
        }
        let key = self.key(header.kid.as_deref()).await?;
        let signs = key.common.public_key_use.as_ref().is_none_or(|used| *used == PublicKeyUse::Signature);
        let is_of_it =
            key.common.key_algorithm.is_none_or(|algorithm| algorithm.to_string() == format!("{:?}", header.alg));
        let key = DecodingKey::from_jwk(&key)
            .ok()
            .filter(|_| signs && is_of_it)
            .ok_or(Refused::Token("token_signature", "the token is signed with a key that isn't meant for that"))?;
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
        // Nobody's name looks like another's in the record.
        let is_plain = |name: &&str| {
            let is_seen = matches!(shown::one_line(name), Cow::Borrowed(_)) && !name.contains(char::is_control);
            (1..=LONGEST_NAME).contains(&name.trim().len()) && name.trim() == *name && is_seen
        };
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

    /// The issuer's key of that id, or the only one that it has. Whose key is known waits for no other token's, and for a key that
    /// isn't known the issuer is asked once for all who wait.
    async fn key(&self, id: Option<&str>) -> Result<Jwk, Refused> {
        let (known, is_old) = {
            let keys = unpoisoned(&self.keys);
            (keys.of(id), keys.at.is_none_or(|at| at.elapsed() > KEYS_FOR))
        };
        match &known {
            Some(_) if is_old => {
                if let Ok(asking) = self.asking.try_lock() {
                    self.ask_again().await;
                    drop(asking);
                }
            }
            Some(_) => {}
            None => {
                let _asking = self.asking.lock().await;
                if unpoisoned(&self.keys).of(id).is_none() {
                    self.ask_again().await;
                }
            }
        }
        let keys = unpoisoned(&self.keys);
        match (keys.of(id), &keys.set, &keys.tried) {
            (Some(key), ..) => Ok(key),
            (None, None, Some((_, Some(reason)))) => Err(Refused::Keys(reason.clone())),
            _ => {
                Err(Refused::Token("token_signature", "the token is signed with a key that its issuer doesn't publish"))
            }
        }
    }

    /// Asks the issuer for its keys, unless that was done a moment ago.
    async fn ask_again(&self) {
        if !unpoisoned(&self.keys).may_be_asked_for() {
            return;
        }
        let published = self.published().await;
        let mut keys = unpoisoned(&self.keys);
        let now = Instant::now();
        match published {
            Ok(set) => *keys = Keys { set: Some(set), at: Some(now), tried: Some((now, None)) },
            Err(reason) => {
                tracing::warn!(reason, "the issuer's keys can't be asked for");
                keys.tried = Some((now, Some(reason)));
            }
        }
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
