//! Tokens that somebody else's server signs: which admit whom, and which nobody.

use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::routing::get;
use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, EncodingKey, Header};

use super::*;
use crate::OAuthOptions;

const RESOURCE: &str = "https://periplus.example.com/mcp";

/// An organisation's server, with one key that it publishes and one that it doesn't.
struct Issuer {
    address: String,
    own: EncodingKey,
    other: EncodingKey,
    /// How often its keys were asked for.
    asked: Arc<AtomicUsize>,
}

fn key() -> EncodingKey {
    let pair = rcgen::KeyPair::generate_for(&rcgen::PKCS_ECDSA_P256_SHA256).unwrap();
    EncodingKey::from_ec_der(&pair.serialize_der())
}

impl Issuer {
    async fn new() -> Self {
        let (own, other) = (key(), key());
        let mut published = Jwk::from_encoding_key(&own, Algorithm::ES256).unwrap();
        published.common.key_id = Some("one".to_owned());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(AtomicUsize::new(0));
        let description = json!({"issuer": address, "jwks_uri": format!("{address}/keys")});
        let keys = json!({"keys": [published]});
        let counted = Arc::clone(&asked);
        let routes = Router::new()
            .route("/.well-known/oauth-authorization-server", get(async move || axum::Json(description)))
            .route(
                "/keys",
                get(async move || {
                    counted.fetch_add(1, Ordering::Relaxed);
                    axum::Json(keys)
                }),
            );
        tokio::spawn(async move { axum::serve(listener, routes).await });
        Self { address, own, other, asked }
    }

    fn options(&self) -> OAuthOptions {
        OAuthOptions {
            issuer: self.address.clone(),
            resource: RESOURCE.to_owned(),
            audience: RESOURCE.to_owned(),
            keys: None,
            name_claim: "sub".to_owned(),
            role_claim: Some("groups".to_owned()),
            roles: [("data-stewards".to_owned(), "approver".to_owned())].into(),
            role: Some("reader".to_owned()),
        }
    }

    fn claims(&self) -> Value {
        json!({"iss": self.address, "aud": RESOURCE, "sub": "ann", "exp": Timestamp::now().as_second() + 600})
    }

    fn token(&self, change: impl FnOnce(&mut Value)) -> String {
        let mut claims = self.claims();
        change(&mut claims);
        let header = Header { kid: Some("one".to_owned()), ..Header::new(Algorithm::ES256) };
        jsonwebtoken::encode(&header, &claims, &self.own).unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn which_signed_tokens_admit_whom() {
    let issuer = Issuer::new().await;
    let running = Running::new(|options| options.oauth = Some(issuer.options())).await;
    let signed = |header: Header, key: &EncodingKey| jsonwebtoken::encode(&header, &issuer.claims(), key).unwrap();
    let of = |id: &str, algorithm| Header { kid: Some(id.to_owned()), ..Header::new(algorithm) };
    let published = Jwk::from_encoding_key(&issuer.own, Algorithm::ES256).unwrap();
    let as_secret = EncodingKey::from_secret(serde_json::to_string(&published).unwrap().as_bytes());
    let good = issuer.token(|_| {});
    let (head, rest) = good.split_once('.').unwrap();
    let (body, signature) = rest.split_once('.').unwrap();
    let none = format!("eyJhbGciOiJub25lIiwia2lkIjoib25lIn0.{body}.");
    let now = Timestamp::now().as_second();
    let critical = Header { crit: Some(vec!["b64".to_owned()]), ..of("one", Algorithm::ES256) };
    let identity = Header { typ: Some("id_token".to_owned()), ..of("one", Algorithm::ES256) };
    let cases: [(&str, String, u16, &str); 18] = [
        ("a good one", good.clone(), 200, ""),
        ("for several servers", issuer.token(|it| it["aud"] = json!(["x", RESOURCE])), 200, ""),
        ("none at all", String::new(), 401, "token_missing"),
        ("expired", issuer.token(|it| it["exp"] = json!(now - 600)), 401, "token_expired"),
        ("without an end", issuer.token(|it| drop(it.as_object_mut().unwrap().remove("exp"))), 401, "token_signature"),
        ("not yet", issuer.token(|it| it["nbf"] = json!(now + 600)), 401, "token_early"),
        ("for another server", issuer.token(|it| it["aud"] = json!("https://other.example/")), 401, "token_audience"),
        ("of another issuer", issuer.token(|it| it["iss"] = json!("https://evil.example/")), 401, "token_issuer"),
        ("of nobody", issuer.token(|it| drop(it.as_object_mut().unwrap().remove("sub"))), 401, "token_name"),
        ("unsigned", none, 401, "token_unknown"),
        ("by the public key as a secret", signed(of("one", Algorithm::HS256), &as_secret), 401, "token_algorithm"),
        ("by another key", signed(of("one", Algorithm::ES256), &issuer.other), 401, "token_signature"),
        ("by a key that isn't published", signed(of("two", Algorithm::ES256), &issuer.other), 401, "token_signature"),
        ("changed", format!("{head}.{}.{signature}", body.replace('a', "b")), 401, "token_signature"),
        ("no token", "eyJ".to_owned(), 401, "token_unknown"),
        ("with what has to be understood", signed(critical, &issuer.own), 401, "token_form"),
        ("for something else than access", signed(identity, &issuer.own), 401, "token_form"),
        ("of somebody who looks like another", issuer.token(|it| it["sub"] = json!("an\u{200b}n")), 401, "token_name"),
    ];
    for (what, token, status, code) in cases {
        let headers = if token.is_empty() { String::new() } else { bearer(&token) };
        let answer = running.get(ANY, &headers).await;
        assert_eq!(answer.status, status, "{what}: {}", answer.body);
        if status != 200 {
            assert_eq!(answer.json()["code"], code, "{what}: {}", answer.body);
            let told = "resource_metadata=\"https://periplus.example.com/.well-known/oauth-protected-resource/mcp\"";
            assert!(answer.head.contains(told), "{what}: {}", answer.head);
        }
        assert!(token.is_empty() || !answer.body.contains(&token), "{what}");
    }
    let in_address = running.get(&format!("{ANY}?access_token={good}"), "").await;
    assert_eq!((in_address.status, in_address.json()["code"].as_str()), (401, Some("token_in_query")));
    assert!(issuer.asked.load(Ordering::Relaxed) <= 2, "keys are kept");
    for place in ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"] {
        let told = running.get(place, "").await.json();
        assert_eq!((&told["resource"], &told["authorization_servers"]), (&json!(RESOURCE), &json!([issuer.address])));
    }
    // A token of the operator's own holds besides.
    let own = running.tokens.create("bob", "reader", None).unwrap();
    assert_eq!(running.get("/api/v1/caller", &bearer(&own)).await.json()["name"], "bob");
}

#[tokio::test(flavor = "multi_thread")]
async fn roles_follow_from_what_the_token_says() {
    let issuer = Issuer::new().await;
    let strict = OAuthOptions { role: None, ..issuer.options() };
    let running = Running::new(|options| options.oauth = Some(strict)).await;
    for (groups, role) in [
        (json!(["all", "data-stewards"]), Some("approver")),
        (json!("all data-stewards"), Some("approver")),
        (json!(["data-stewards-of-others"]), None),
        (json!(7), None),
    ] {
        let token = issuer.token(|it| it["groups"] = groups.clone());
        let answer = running.get("/api/v1/caller", &bearer(&token)).await;
        let found = answer.json();
        match role {
            Some(role) => assert_eq!((&found["name"], &found["role"]), (&json!("oauth:ann"), &json!(role)), "{groups}"),
            None => assert_eq!((answer.status, &found["code"]), (403, &json!("role_unknown")), "{groups}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_issuers_keys_its_tokens_admit_nobody() {
    let issuer = Issuer::new().await;
    let away = OAuthOptions { keys: Some("http://127.0.0.1:9/keys".to_owned()), ..issuer.options() };
    let running = Running::new(|options| options.oauth = Some(away)).await;
    let answer = running.get(ANY, &bearer(&issuer.token(|_| {}))).await;
    assert_eq!((answer.status, answer.json()["code"].as_str()), (503, Some("issuer_unreachable")), "{}", answer.body);
    for wrong in ["http://idp.example.com", "ftp://idp.example.com", "idp"] {
        let mut options = HttpOptions::new(([127, 0, 0, 1], 0).into(), Tokens::at("/nowhere"));
        options.oauth = Some(OAuthOptions { issuer: wrong.to_owned(), ..issuer.options() });
        assert_eq!(HttpServer::bind(options).await.err().unwrap().code(), "oauth", "{wrong}");
    }
}
