//! What is asked about and what is taken from an answer.
#![allow(clippy::unwrap_used)]

use catalog::{ColumnProfile, Decision, Entry, Mask, Ruling, Store};
use jiff::Timestamp;
use serde_json::json;

use super::{COLUMNS_ASKED, personal_columns};
use crate::testing::{Scripted, profiled, source, table};

/// A table of visits, with a column that its values gave away and one that a person masked between the others.
fn visits() -> Entry {
    let columns = [("id", "INTEGER"), ("reach", "TEXT"), ("tag", "TEXT"), ("dx", "TEXT"), ("ward", "TEXT")];
    let mut reach = ColumnProfile::empty("reach");
    reach.masked = Some(Mask::by_values("values look like e-mail addresses"));
    let entry = profiled(table("visits", &columns, &["id"], &[]), vec![reach]);
    let (id, at) = (entry.table.id.clone(), Timestamp::UNIX_EPOCH);
    let said = Ruling { column: "tag".into(), decision: Decision::Mask, by: "ann".into(), at, why: None };
    let store = Store::in_memory().unwrap();
    store.put_source(&source()).unwrap();
    store.put_structure("s", &[(*entry.table).clone()]).unwrap();
    store.put_profiled(&entry.table, entry.profile().unwrap()).unwrap();
    store.add_rulings(&[(id.clone(), said)]).unwrap();
    store.catalog().unwrap().entry(&id).unwrap().clone()
}

fn answer(numbers: &[usize]) -> String {
    let columns: Vec<_> = numbers.iter().map(|number| json!({"number": number, "kind": "health"})).collect();
    json!({ "personal": columns }).to_string()
}

#[tokio::test]
async fn what_the_model_says_otherwise_than_what_is_known_comes_back() {
    let visits = visits();
    let model = Scripted::new(&[answer(&[3])]);
    let mut steps = Vec::new();
    let asked = personal_columns(&[&visits], &model, &mut |first, total| steps.push((first.name.clone(), total))).await;
    let found: Vec<_> = asked.suspected.iter().map(|it| (it.column.as_str(), it.kind)).collect();
    assert_eq!(found, [("dx", "a person's health")]);
    let doubted: Vec<_> = asked.doubted.iter().map(|(_, column, _)| column.as_str()).collect();
    assert_eq!(doubted, ["reach"]);
    assert_eq!(steps, [("visits".to_owned(), 1)]);
    let prompt = model.asked.lock().unwrap()[0].messages[1].content.clone();
    assert!(prompt.contains("(settled) tag") && prompt.contains("4. ward"), "{prompt}");
}

#[tokio::test]
async fn numbers_that_do_not_exist_are_asked_about_once_more_and_then_nothing_is_taken() {
    let visits = visits();
    let model = Scripted::new(&[answer(&[9]), answer(&[0])]);
    let asked = personal_columns(&[&visits], &model, &mut |_, _| {}).await;
    assert_eq!((model.requests(), asked.suspected.len()), (2, 0));
    assert!(asked.unanswered[0].1.contains("there is no column 0"), "{asked:?}");
}

#[tokio::test]
async fn tables_go_together_until_there_are_too_many_columns() {
    let names: Vec<String> = (0..COLUMNS_ASKED).map(|number| format!("c{number}")).collect();
    let columns: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "TEXT")).collect();
    let wide = profiled(table("wide", &columns, &[], &[]), Vec::new());
    let [first, second] = ["a", "b"].map(|name| profiled(table(name, &columns[..3], &[], &[]), Vec::new()));
    let model = Scripted::new(&[answer(&[1, 4]), answer(&[])]);
    let asked = personal_columns(&[&first, &second, &wide], &model, &mut |_, _| {}).await;
    let found: Vec<_> = asked.suspected.iter().map(|it| (it.table.name.as_str(), it.column.as_str())).collect();
    assert_eq!(found, [("a", "c0"), ("b", "c0")]);
    assert_eq!(model.requests(), 2);
}

#[tokio::test]
async fn what_was_written_to_mislead_stands_between_marks_and_can_not_be_repeated() {
    for injection in testkit::injections() {
        let mut entry = visits();
        let mut changed = (*entry.table).clone();
        changed.comment = Some(injection.text.clone());
        changed.columns[3].comment = Some(injection.text.clone());
        *entry.table_mut() = changed;
        let obeyed = json!({"personal": [{"number": 1, "kind": injection.text}]}).to_string();
        let model = Scripted::new(&[obeyed.clone(), obeyed]);
        let asked = personal_columns(&[&entry], &model, &mut |_, _| {}).await;
        assert_eq!(asked.suspected, []);
        let prompt = model.asked.lock().unwrap()[0].messages[1].content.clone();
        assert_eq!(prompt.matches("</data-").count(), 1, "{prompt}");
    }
}
