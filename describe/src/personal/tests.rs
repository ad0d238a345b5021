//! What is asked about and what is taken from an answer.
#![allow(clippy::unwrap_used)]

use catalog::{Entry, Mask};
use serde_json::json;

use super::{COLUMNS_ASKED, personal_columns};
use crate::testing::{Scripted, profile_column, profiled, table};

/// A table of visits, with a masked column between the others.
fn visits() -> Entry {
    let columns = [("id", "INTEGER"), ("email", "TEXT"), ("dx", "TEXT"), ("ward", "TEXT")];
    let mut email = profile_column("email");
    email.masked = Some(Mask::by_values("values look like e-mail addresses"));
    profiled(table("visits", &columns, &["id"], &[]), vec![email])
}

fn answer(numbers: &[usize]) -> String {
    let columns: Vec<_> = numbers.iter().map(|number| json!({"number": number, "kind": "health"})).collect();
    json!({ "personal": columns }).to_string()
}

#[tokio::test]
async fn numbers_mean_the_open_columns_and_settled_ones_are_not_asked_about() {
    let visits = visits();
    let open = visits.table.columns.iter().filter(|column| visits.exposure(&column.name).mask().is_none()).count();
    let model = Scripted::new(&[answer(&[open - 1])]);
    let mut steps = Vec::new();
    let asked = personal_columns(&[&visits], &model, &mut |first, total| steps.push((first.name.clone(), total))).await;
    let found: Vec<_> = asked.suspected.iter().map(|it| (it.column.as_str(), it.kind)).collect();
    assert_eq!(found, [("dx", "a person's health")]);
    assert_eq!(steps, [("visits".to_owned(), 1)]);
    let prompt = model.asked.lock().unwrap()[0].messages[1].content.clone();
    assert!(prompt.contains("(settled) email") && prompt.contains(&format!("{open}. ward")), "{prompt}");
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
        changed.columns[2].comment = Some(injection.text.clone());
        *entry.table_mut() = changed;
        let obeyed = json!({"personal": [{"number": 1, "kind": injection.text}]}).to_string();
        let model = Scripted::new(&[obeyed.clone(), obeyed]);
        let asked = personal_columns(&[&entry], &model, &mut |_, _| {}).await;
        assert_eq!(asked.suspected, []);
        let prompt = model.asked.lock().unwrap()[0].messages[1].content.clone();
        assert_eq!(prompt.matches("</data-").count(), 1, "{prompt}");
    }
}
