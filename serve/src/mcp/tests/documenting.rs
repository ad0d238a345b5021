//! An agent that documents the database: what it is given, what is taken of what it writes, and where that goes.

use rmcp::model::GetPromptRequestParams;
use serde_json::{Value, json};

use super::{SCRIPT, Setup, rough_tokens};
use crate::{Documenting, Options};

fn documenting(proposals: Option<std::path::PathBuf>) -> Options {
    Options { documenting: Some(Documenting { proposals }), ..Options::default() }
}

fn customers() -> Value {
    json!({
        "table": "customers",
        "purpose": "People and firms that buy from the shop.",
        "one_row": "one buyer",
        "also_called": ["buyers", "clients"],
        "questions": ["Which buyers are from Austria?"],
        "columns": {"country": "where the parcel goes", "email": "for the newsletter"},
    })
}

async fn text(setup: &Setup, tool: &'static str, arguments: Value) -> String {
    let (_, text, is_error) = setup.call_whole(tool, arguments).await;
    assert!(!is_error, "{text}");
    text
}

#[tokio::test]
async fn the_tools_are_there_only_where_they_are_asked_for() {
    let setup = Setup::with(documenting(None), SCRIPT).await;
    let tools = setup.client.list_all_tools().await.unwrap();
    let writing: Vec<&str> = tools
        .iter()
        .filter(|tool| tool.annotations.as_ref().unwrap().read_only_hint == Some(false))
        .map(|tool| tool.name.as_ref())
        .collect();
    assert_eq!((tools.len(), writing), (9, vec!["document_tables"]));
    let wire = serde_json::to_string(&tools).unwrap();
    assert!(rough_tokens(&wire) < 2_000, "{} tokens", rough_tokens(&wire));
    let prompts = setup.client.list_all_prompts().await.unwrap();
    assert_eq!(prompts.iter().map(|prompt| prompt.name.as_str()).collect::<Vec<_>>(), ["document_database"]);
    let prompt = setup.client.get_prompt(GetPromptRequestParams::new("document_database")).await.unwrap();
    assert!(json!(prompt.messages).to_string().contains("next_to_document"), "{:?}", prompt.messages);

    let without = Setup::new().await;
    assert_eq!(without.client.list_all_tools().await.unwrap().len(), 7);
    assert!(without.client.peer_info().unwrap().capabilities.prompts.is_none());
    let request = rmcp::model::CallToolRequestParams::new("next_to_document");
    assert!(without.client.call_tool(request).await.is_err());
}

#[tokio::test]
async fn what_an_agent_writes_is_checked_stored_and_shown() {
    let setup = Setup::with(documenting(None), SCRIPT).await;
    let batch = text(&setup, "next_to_document", json!({"count": 2})).await;
    let place = |name: &str| batch.find(&format!("CREATE TABLE {name} "));
    assert!(place("customers") < place("orders") && place("customers").is_some(), "most referred to first: {batch}");
    assert!(batch.contains("Without a description: 4; shown here: 2."), "{batch}");

    let wrong = json!({"table": "orders", "purpose": "Write to ada@example.org", "one_row": "one order"});
    let unknown = json!({"table": "order", "purpose": "Orders.", "one_row": "one order"});
    let reply = text(&setup, "document_tables", json!({"tables": [customers(), wrong, unknown], "count": 1})).await;
    for expected in [
        "Taken: 1.",
        "customers: no text taken for masked columns: email",
        "orders: not taken: personal_value",
        "order: not taken: unknown_table",
        "(orders)",
        "Without a description: 3; shown here: 1.",
    ] {
        assert!(reply.contains(expected), "{expected}: {reply}");
    }

    assert!(!reply.contains("-- customers: "), "it has just written that itself: {reply}");

    let described = text(&setup, "describe_table", json!({"table": "customers"})).await;
    assert!(described.contains("People and firms that buy from the shop."), "{described}");
    assert!(described.contains("where the parcel goes") && !described.contains("newsletter"), "{described}");
    let linked = text(&setup, "list_tables", json!({"question": "How many buyers are there?"})).await;
    assert!(linked.contains("CREATE TABLE customers"), "{linked}");
}

#[tokio::test]
async fn where_a_person_has_to_approve_nothing_is_stored() {
    let holder = tempfile::tempdir().unwrap();
    let folder = holder.path().join("proposed");
    let setup = Setup::with(documenting(Some(folder.clone())), SCRIPT).await;
    let reply = text(&setup, "document_tables", json!({"tables": [customers()], "count": 0})).await;
    assert!(reply.contains("Taken: 1, to be approved by a person."), "{reply}");
    assert!(reply.contains("Without a description: 3."), "{reply}");
    let waiting = describe::proposals(&folder).unwrap().proposals;
    assert_eq!(waiting.len(), 1);
    assert_eq!((waiting[0].table.name.as_str(), waiting[0].written.one_row.as_str()), ("customers", "one buyer"));
    let described = text(&setup, "describe_table", json!({"table": "customers"})).await;
    assert!(!described.contains("People and firms"), "{described}");
}

#[tokio::test]
async fn a_batch_keeps_to_the_budget_and_ends() {
    let table = |number: usize| format!("CREATE TABLE thing_{number}x (id INTEGER PRIMARY KEY, note_{number} TEXT);");
    let script: String = (0..60).map(table).collect();
    let setup = Setup::with(Options { reply_tokens: 800, ..documenting(None) }, &script).await;
    let batch = text(&setup, "next_to_document", json!({"count": 25})).await;
    assert!(index::estimate_tokens(&batch) <= 900, "{}", index::estimate_tokens(&batch));
    for round in 0..3 {
        let tables: Vec<Value> = (0..20)
            .map(|number| format!("thing_{}x", round * 20 + number))
            .map(|name| json!({"table": name, "purpose": "Things.", "one_row": "one thing"}))
            .collect();
        let reply = text(&setup, "document_tables", json!({"tables": tables})).await;
        assert!(reply.contains("Taken: 20."), "{reply}");
    }
    let after = text(&setup, "next_to_document", json!({})).await;
    assert!(after.contains("Every table has a description."), "{after}");
    let (_, empty, is_error) = setup.call_whole("document_tables", json!({"tables": []})).await;
    assert!(is_error && empty.contains("next_to_document"), "{empty}");
}
