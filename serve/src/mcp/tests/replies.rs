//! Whole replies of every tool over the shop, as an agent gets them: what changes in them shows as a difference in the
//! snapshots of `replies/`.
//!
//! `replies/calls.txt` holds the calls, made in its order by one client: `name | tool | arguments`. A snapshot is a
//! reply's text with what it costs, and the structured reply where there is one; data that both hold stands once.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use catalog::{MemoryKind, NewMemory, Reach, Store};
use privacy::Sensitivity;
use serde_json::Value;
use testkit::{snapshot_names, stable_text};

use super::{client_of, whole_reply};
use crate::{Context, Options, SourceAccess};

const CALLS: &str = include_str!("replies/calls.txt");

/// The shop, profiled and described on its own day, with what its people have approved.
async fn shop(catalog: &Path) -> Context {
    let dsn = format!("sqlite:{}", testkit::shop().display());
    let connector = connect::connect("shop", &dsn).unwrap();
    let store = Store::open(catalog, Arc::new(Sensitivity::standard())).unwrap();
    let now = format!("{}T23:59:59Z", shop::TODAY).parse().unwrap();
    profile::profile_source(connector.as_ref(), &store, &profile::Options::new(now), &mut |_| {}).await.unwrap();
    describe::describe_source(&store, "shop", None, &mut |_| {}).await.unwrap();
    for shop::Approved { question, sql, author, .. } in shop::approved() {
        let (source, kind) = ("shop".to_owned(), MemoryKind::Approved);
        store
            .add_memory(NewMemory { source, kind, question, sql, correction: None, author, reach: Reach::default() })
            .unwrap();
    }
    let source = SourceAccess::new("shop", move || connect::connect("shop", &dsn));
    Context::new(store, None, llm::static_embedder(), vec![source], Options::default())
}

#[tokio::test(flavor = "multi_thread")]
async fn replies_over_the_shop_are_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let client = client_of(shop(&folder.path().join("catalog.db")).await).await;
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("replies");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let mut changed = Vec::new();
    for call in CALLS.lines() {
        let [name, tool, arguments] = call.splitn(3, " | ").collect::<Vec<_>>().try_into().unwrap();
        let (structured, text, is_error) =
            whole_reply(&client, tool.to_owned(), &serde_json::from_str(arguments).unwrap()).await;
        let stable = |text: &str| stable_text(text, &[(testkit::shop(), "[SHOP]")]);
        let text = stable(&text);
        let kind = if is_error { "error" } else { "success" };
        let cost = index::estimate_tokens(&text);
        let mut reply = format!("{tool} {arguments}\n\n── text ({kind}, about {cost} tokens)\n");
        if structured.is_null() {
            reply.push_str(&text);
        } else {
            let structured = stable(&format!("{structured:#}"));
            reply.push_str(&with_data_once(&text, &serde_json::from_str(&structured).unwrap()));
            reply.push_str(&format!("\n\n── structured\n{structured}"));
        }
        let same = || settings.bind(|| insta::assert_snapshot!(name, reply));
        if catch_unwind(AssertUnwindSafe(same)).is_err() {
            changed.push(name);
        }
    }
    assert!(changed.is_empty(), "{changed:?} are other than their snapshots");
    let mut names: Vec<&str> = CALLS.lines().filter_map(|call| call.split(" | ").next()).collect();
    names.sort_unstable();
    assert_eq!(snapshot_names(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/mcp/tests/replies")), names);
}

/// The text, with its data left out where the structured reply holds the same.
fn with_data_once(text: &str, structured: &Value) -> String {
    let mut same = structured.clone();
    same.as_object_mut().unwrap().shift_remove("note");
    if let Some(error) = same.as_object_mut().unwrap().shift_remove("error") {
        same = error;
    }
    let mut without_hint = same.clone();
    without_hint.as_object_mut().unwrap().shift_remove("hint");
    let lines = text.lines().map(|line| match serde_json::from_str::<Value>(line) {
        Ok(data) if data == same => "{what is below}".to_owned(),
        Ok(data) if data == without_hint => "{what is below, without the hint}".to_owned(),
        Ok(data) => format!("{data:#}"),
        Err(_) => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// What an agent has read of a table isn't told again.
#[tokio::test]
async fn passages_of_tables_that_were_shown_are_named_alone() {
    let setup = super::Setup::new().await;
    let search = || setup.call_whole("search_context", serde_json::json!({"query": "orders status paid"}));
    let (_, before, _) = search().await;
    assert!(before.contains("[shop.orders"), "{before}");
    setup.call_whole("list_tables", serde_json::json!({"question": "paid orders"})).await;
    let (_, after, _) = search().await;
    assert!(after.contains("-- fits, and was shown: orders"), "{after}");
    assert!(!after.contains("[shop.orders]") && after.len() < before.len(), "{after}");
}

/// A warning is told once in a conversation.
#[tokio::test]
async fn what_was_said_of_a_statement_is_not_said_again() {
    let setup = super::Setup::new().await;
    let sql = "SELECT id FROM orders WHERE status = NULL";
    let run = || setup.call_whole("read_query", serde_json::json!({"sql": sql}));
    let told = |reply: &serde_json::Value| reply["findings"].as_array().map_or(0, Vec::len);
    let (first, text, _) = run().await;
    let (again, ..) = run().await;
    assert!(told(&first) > 0 && told(&again) == 0, "{text}{again}");
    let other = sql.replace("status", "note");
    let (other, ..) = setup.call_whole("read_query", serde_json::json!({"sql": other})).await;
    assert!(told(&other) > 0, "{other}");
}
