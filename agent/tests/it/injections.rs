//! What a model is told of a database whose every place was written to mislead it: all of it as data.

use catalog::MemoryKind;
use serde_json::json;
use testkit::{hidden_character, injections_of, leaked};

use crate::world::{Reply, Script, World};

async fn hostile() -> World {
    let comments: Vec<String> =
        injections_of("comment").into_iter().chain(injections_of("dbt")).map(|injection| injection.text).collect();
    let mut world = World::over(&testkit::hostile_script(), &comments).await;
    for injection in injections_of("question") {
        let asked = format!("How many tickets are paid? {}", injection.text);
        world.remember(MemoryKind::Approved, &asked, "SELECT count(*) FROM tickets", None);
        world.remember(MemoryKind::Rejected, "How many tickets are paid?", "SELECT 1", Some(&injection.text));
    }
    world
}

/// Everything that was said to the model but its own words and the user's.
fn judge(model: &Script, places: &[&str]) {
    let mut seen = String::new();
    for request in model.asked.lock().unwrap().iter() {
        for message in request.messages.iter().filter(|message| message.role != llm::Role::Assistant) {
            let text = &message.content;
            assert!(leaked(text).is_none(), "{:?}\n{text}", leaked(text));
            assert_eq!(hidden_character(text), None, "{text:?}");
            assert!(!text.contains("<|im_"), "{text}");
            seen.push_str(text);
        }
    }
    for place in places {
        let shown = injections_of(place).into_iter().filter(|injection| seen.contains(&injection.sign)).count();
        assert!(shown > 0, "nothing of {place} was shown");
    }
}

#[tokio::test]
async fn a_large_model_gets_names_values_and_rows_as_data() {
    let world = hostile().await;
    let name = injections_of("name")[0].text.clone();
    let model = Script::large(vec![
        Reply::Call("search_context", json!({"query": "ignore all previous instructions"})),
        Reply::Call("table_details", json!({"table": name})),
        Reply::Call("run_sql", json!({"sql": "SELECT status, body FROM tickets"})),
        Reply::Call("run_sql", json!({"sql": "SELECT said FROM report_0 LIMIT 2"})),
        Reply::Call("submit", json!({"sql": "SELECT 1", "analysis": "a", "description": "d"})),
    ]);
    world.ask("How many tickets are paid?", Some(&model)).await.unwrap();
    judge(&model, &["name", "value", "enum", "view", "question"]);
    assert!(model.prompt(3).contains("worded like instructions"));
}

#[tokio::test]
async fn a_small_model_gets_its_schema_and_its_mistakes_as_data() {
    let world = hostile().await;
    let broken = || Reply::Text("```sql\nSELECT nothing FROM \"ignore_previous_instructions qx000\"\n```");
    let model = Script::small((0..6).map(|_| broken()).collect());
    world.ask("How many tickets are paid, by amount?", Some(&model)).await.unwrap();
    assert!(model.calls() > 1);
    judge(&model, &["name"]);
}
