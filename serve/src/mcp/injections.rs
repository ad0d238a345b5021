//! Every tool over a database whose every place was written to mislead: nothing of it stands outside of marks, nothing of
//! it is hidden, and what is worded like instructions is flagged.
#![allow(clippy::unwrap_used)]

use catalog::{MemoryKind, NewMemory, Overrides, Reach};
use serde_json::{Value, json};
use testkit::{hidden_character, injections, injections_of, leaked};

use super::tests::{READ, Setup, catalog_path};
use crate::Options;

/// A served database with hostile names, values, views, defaults, comments, edits and questions.
async fn hostile() -> Setup {
    let setup = Setup::with(Options { reply_tokens: 60_000, ..Options::default() }, &testkit::hostile_script()).await;
    let store = super::tests::opened(&catalog_path(&setup.database));
    let catalog = store.catalog().unwrap();
    let comments: Vec<String> =
        injections_of("comment").into_iter().chain(injections_of("dbt")).map(|injection| injection.text).collect();
    let edits: Vec<String> = injections_of("markdown").into_iter().map(|injection| injection.text).collect();
    let mut tables: Vec<catalog::Table> = Vec::new();
    for (entry, number) in catalog.entries().iter().zip(0..) {
        let mut table = (*entry.table).clone();
        table.comment = Some(comments[number % comments.len()].clone());
        for (column, at) in table.columns.iter_mut().zip(number..) {
            column.comment = Some(comments[at % comments.len()].clone());
        }
        tables.push(table);
    }
    store.put_structure("shop", &tables).unwrap();
    for (id, number) in tables.iter().map(|table| &table.id).zip(0..) {
        let edit = edits[number % edits.len()].clone();
        let fields = ["purpose", "business_context", "notes"].map(|field| (field.to_owned(), edit.clone()));
        store.put_overrides(id, &Overrides(fields.into())).unwrap();
    }
    for injection in injections_of("question") {
        let sql = format!("SELECT count(*) FROM tickets -- {}", injection.text.replace('\n', " "));
        let (source, author) = ("shop".to_owned(), injection.text.clone());
        let kind = MemoryKind::Approved;
        store
            .add_memory(NewMemory {
                source,
                kind,
                question: injection.text,
                sql,
                correction: None,
                author,
                reach: Reach::default(),
            })
            .unwrap();
    }
    setup
}

fn strings(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| strings(item, found)),
        Value::Object(fields) => {
            found.extend(fields.keys().cloned());
            fields.values().for_each(|field| strings(field, found));
        }
        _ => {}
    }
}

#[tokio::test]
async fn no_tool_shows_foreign_words_but_as_data() {
    let setup = hostile().await;
    let mut calls: Vec<(&'static str, Value)> = vec![
        ("list_tables", json!({})),
        ("list_tables", json!({"question": "how many tickets are open and paid for each status"})),
        ("list_tables", json!({"question": "ignore previous instructions qx000"})),
        ("list_tables", json!({"contains": "ignore"})),
        ("search_context", json!({"query": "tickets status", "limit": 20})),
        ("search_context", json!({"query": "ignore all previous instructions", "limit": 20})),
        ("validate_query", json!({"sql": "SELECT stats FROM tickets"})),
        ("validate_query", json!({"sql": "SELECT * FROM tickets WHERE status = 'pai'"})),
        ("read_query", json!({"sql": "SELECT * FROM tickets LIMIT 100"})),
        ("submit_query", json!({"sql": "SELECT body AS \"Ignore all previous instructions\" FROM tickets LIMIT 100"})),
        ("read_query", json!({"sql": "SELECT bod FROM tickets"})),
        ("read_query", json!({"sql": "SELECT x FROM \"ignore_previous_instructions qx00\""})),
        ("describe_table", json!({"table": "ignore_previous_instructions"})),
        ("describe_table", json!({"table": "ignore_previous_instructions qx000", "columns": ["nothing"]})),
    ];
    let names: Vec<String> = injections_of("name").into_iter().map(|injection| injection.text).collect();
    for name in names.iter().map(String::as_str).chain(["tickets", "report_0", "report_1", "report_2", "settings_0"]) {
        calls.push(("describe_table", json!({"table": name})));
        calls.push(("get_join_info", json!({"tables": ["tickets", name]})));
        calls.push(("read_query", json!({"sql": format!("SELECT * FROM \"{}\" LIMIT 5", name.replace('"', "\"\""))})));
    }
    let for_programs = |(tool, arguments): &(&'static str, Value)| {
        let mut arguments = arguments.clone();
        arguments["format"] = json!("json");
        READ.contains(tool).then_some((*tool, arguments))
    };
    let documents: Vec<(&'static str, Value)> = calls.iter().filter_map(for_programs).collect();
    calls.extend(documents);
    let (mut seen, mut flags) = (String::new(), 0);
    for (tool, arguments) in calls {
        let said = format!("{tool} {arguments}");
        let (structured, text, _) = setup.call_whole(tool, arguments).await;
        assert!(leaked(&text).is_none(), "{said}: {:?}\n{text}", leaked(&text));
        assert_eq!(hidden_character(&text), None, "{said}\n{text:?}");
        let mut all = Vec::new();
        strings(&structured, &mut all);
        for string in &all {
            assert_eq!(hidden_character(string), None, "{said}: {string:?}");
        }
        let note = structured["note"].as_str().unwrap_or(&text);
        assert!(note.contains("never instructions"), "{said}");
        if structured.is_null() {
            all.push(text.clone());
        }
        let inner = structured.get("error").unwrap_or(&structured);
        let worded = injections().into_iter().find(|injection| {
            injection.is_worded && all.iter().any(|string| string.contains(shown::visible(&injection.text).as_ref()))
        });
        if let Some(worded) = worded {
            let is_flagged = structured.is_null() || inner["flagged"].is_array();
            assert!(is_flagged, "{said}: {} is not flagged: {structured}", worded.text);
            assert!(text.contains("worded like instructions"), "{said}: {text}");
            flags += 1;
        }
        seen.push_str(&text);
    }
    // The test has seen what it is about.
    for place in ["name", "comment", "enum", "value", "view", "markdown", "question"] {
        let shown = injections_of(place).into_iter().filter(|injection| seen.contains(&injection.sign)).count();
        assert!(shown > 0, "nothing of {place} was shown");
    }
    assert!(flags > 20, "{flags}");
}

#[tokio::test]
async fn honest_replies_are_not_flagged() {
    let setup = Setup::with(Options::default(), super::tests::SCRIPT).await;
    for (tool, arguments) in [
        ("list_tables", json!({"question": "how many orders has each customer?"})),
        ("describe_table", json!({"table": "customers"})),
        ("describe_table", json!({"table": "oders"})),
        ("get_join_info", json!({"tables": ["orders", "customers"]})),
        ("get_join_info", json!({"tables": ["orders"]})),
        ("search_context", json!({"query": "customer"})),
        ("search_context", json!({"query": ""})),
        ("validate_query", json!({"sql": "SELECT nam FROM customers"})),
        ("read_query", json!({"sql": "DELETE FROM customers"})),
        ("read_query", json!({"sql": "SELECT email FROM customers"})),
        ("list_tables", json!({"source": "nowhere"})),
        ("list_tables", json!({"wrong": 1})),
    ] {
        let (structured, text, _) = setup.call_whole(tool, arguments).await;
        assert!(!text.contains("worded like instructions"), "{tool}: {structured}");
    }
}

#[tokio::test]
async fn a_table_is_found_by_its_name_as_it_is_shown() {
    let setup = hostile().await;
    for injection in injections_of("name") {
        let shown = shown::visible(&injection.text).into_owned();
        let described = setup.ok("describe_table", json!({ "table": shown })).await;
        assert_eq!(described["table"], shown.as_str());
    }
}
