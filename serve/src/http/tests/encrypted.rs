//! Connections that are encrypted, by a certificate that is renewed.

use rcgen::CertifiedKey;

use super::*;
use crate::CertificateFiles;

/// Writes a new certificate for this machine, and gives it.
fn renewed(files: &CertificateFiles) -> reqwest::Certificate {
    let CertifiedKey { cert, signing_key } = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    std::fs::write(&files.certificate, cert.pem()).unwrap();
    std::fs::write(&files.key, signing_key.serialize_pem()).unwrap();
    reqwest::Certificate::from_pem(cert.pem().as_bytes()).unwrap()
}

async fn asked(address: &str, trusted: &reqwest::Certificate) -> Result<u16, reqwest::Error> {
    let port = address.rsplit(':').next().unwrap();
    let client = reqwest::Client::builder().tls_certs_only([trusted.clone()]).build().unwrap();
    let answer = client.get(format!("https://localhost:{port}{ANY}")).send().await?;
    Ok(answer.status().as_u16())
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_are_encrypted_by_the_certificate_as_it_is_now() {
    let folder = tempfile::tempdir().unwrap();
    let files = CertificateFiles { certificate: folder.path().join("chain.pem"), key: folder.path().join("key.pem") };
    let first = renewed(&files);
    let running = Running::new(|options| {
        options.certificate = Some(files.clone());
        options.headers_within = Duration::from_millis(500);
    })
    .await;
    assert_eq!(asked(&running.address, &first).await.unwrap(), 200);
    // Neither who speaks in the clear nor who says nothing gets anything, or stays.
    for said in ["GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n", ""] {
        let mut plain = TcpStream::connect(&running.address).await.unwrap();
        plain.write_all(said.as_bytes()).await.unwrap();
        let mut bytes = Vec::new();
        let read = tokio::time::timeout(Duration::from_secs(5), plain.read_to_end(&mut bytes)).await;
        read.unwrap().ok();
        assert!(!bytes.starts_with(b"HTTP"), "{bytes:?}");
    }
    std::fs::write(&files.certificate, "no certificate").unwrap();
    assert_eq!(asked(&running.address, &first).await.unwrap(), 200, "what can't be used isn't taken over");
    tokio::time::sleep(Duration::from_millis(20)).await;
    let second = renewed(&files);
    assert_eq!(asked(&running.address, &second).await.unwrap(), 200);
    assert!(asked(&running.address, &first).await.is_err(), "the one before is over");
}

#[tokio::test]
async fn a_certificate_that_cannot_be_used_is_said_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let files = CertificateFiles { certificate: folder.path().join("chain.pem"), key: folder.path().join("key.pem") };
    let bind = async || {
        let mut options = HttpOptions::new(([127, 0, 0, 1], 0).into(), Tokens::at(folder.path().join("tokens.json")));
        options.certificate = Some(files.clone());
        HttpServer::bind(options).await.map(|server| server.scheme())
    };
    assert_eq!(bind().await.unwrap_err().code(), "certificate");
    renewed(&files);
    assert_eq!(bind().await.unwrap(), "https");
    let other = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    std::fs::write(&files.key, other.signing_key.serialize_pem()).unwrap();
    assert_eq!(bind().await.unwrap_err().code(), "certificate", "a key of another certificate");
}
