//! The main job on the shop, from outside.

use serde_json::Value;

use crate::project::Project;

fn demo() -> (Project, Value) {
    let project = Project::new();
    let folder = project.folder().to_str().unwrap().to_owned();
    let (code, document) = project.json(&["demo", "--no-model", "--dir", &folder]);
    assert_eq!(code, 0, "{document:#}");
    (project, document)
}

#[test]
fn the_demo_answers_its_questions_and_leaves_a_project_behind() {
    let (project, document) = demo();
    let answers = document["answers"].as_array().unwrap();
    assert!(answers.len() >= 3);
    for answer in answers {
        assert_eq!(answer["status"], "answered", "{answer:#}");
        assert!(!answer["result"]["rows"].as_array().unwrap().is_empty());
        assert!(!answer["provenance"].as_array().unwrap().is_empty());
    }

    // A second run finds everything in place.
    let folder = project.folder().to_str().unwrap().to_owned();
    assert_eq!(project.run(&["demo", "--no-model", "--dir", &folder]).code, 0);
    let (_, status) = project.json(&["status"]);
    assert_eq!(status["sources"][0]["out_of_date"], Value::Array(Vec::new()));

    // Undoing what was approved takes the answer away; approving it gives it back.
    let (_, memories) = project.json(&["feedback", "list"]);
    let first =
        memories.as_array().unwrap().iter().find(|memory| memory["content"]["question"] == answers[0]["question"]);
    let first = first.unwrap();
    let (question, sql) = (first["content"]["question"].as_str().unwrap(), first["content"]["sql"].as_str().unwrap());
    assert_eq!(project.run(&["feedback", "undo", &first["id"].to_string()]).code, 0);
    let (code, outcome) = project.json(&["ask", question, "--no-model"]);
    assert_eq!((code, &outcome["status"]), (1, &Value::from("no_model")));
    assert_eq!(project.run(&["feedback", "approve", "--question", question, "--sql", sql]).code, 0);
    let (code, outcome) = project.json(&["ask", question, "--no-model"]);
    assert_eq!((code, &outcome["status"]), (0, &Value::from("answered")));

    // The written catalog is read back without a difference, and an edit survives a new run.
    assert_eq!(project.run(&["docs", "write"]).code, 0);
    assert_eq!(project.run(&["docs", "check"]).code, 0);
}
