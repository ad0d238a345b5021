//! The main job on the shop, from outside.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::project::Project;
use crate::replies::{DEMO, is_as_it_was, printed};

fn demo() -> (Project, Value) {
    let project = Project::new();
    let folder = project.folder().to_str().unwrap().to_owned();
    let (code, document) = project.json(&["demo", "--no-model", "--dir", &folder]);
    assert_eq!(code, 0, "{document:#}");
    (project, document)
}

#[test]
fn the_demo_tells_its_story_with_right_figures_and_leaves_a_project_behind() {
    let (project, document) = demo();
    let trap = &document["trap"];
    assert_ne!(trap["draft_says"], trap["right"]);
    assert_eq!(trap["says"], trap["right"], "{trap:#}");
    assert!(trap["findings"].as_array().unwrap().len() >= 3, "{trap:#}");
    let declined = &document["declined"];
    assert_eq!(declined["status"], "declined", "{declined:#}");
    assert!(declined["missing"].to_string().contains("recurring"), "{declined:#}");
    let answered = &document["answered"];
    assert_eq!(answered["status"], "answered", "{answered:#}");
    assert!(answered["provenance"].to_string().contains("memory:"), "{answered:#}");
    let figure = answered["result"]["rows"][0][0].as_f64().unwrap();
    assert_eq!(answered["right"], format!("{figure:.2}"));
    for refused in document["refused"].as_array().unwrap() {
        assert_eq!(refused["decision"], "refused", "{refused:#}");
    }

    // A second run finds everything in place.
    let folder = project.folder().to_str().unwrap().to_owned();
    let again = project.run(&["demo", "--no-model", "--dir", &folder]);
    assert_eq!(again.code, 0);
    assert!(is_as_it_was(DEMO, &printed(&again), &project), "the demo tells another story than its snapshot");
    let (_, status) = project.json(&["status"]);
    assert_eq!(status["sources"][0]["out_of_date"], Value::Array(Vec::new()));

    // Undoing what was approved takes the answer away; approving it gives it back.
    let (_, memories) = project.json(&["feedback", "list"]);
    let first = memories
        .as_array()
        .unwrap()
        .iter()
        .find(|memory| memory["state"] == "active" && memory["content"]["question"] == declined["question"]);
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
    compare_with_samples(&project.path("catalog"));
}

/// The rendered catalog in `samples/` is what this code renders: the showcase can't rot.
fn compare_with_samples(rendered: &Path) {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples/shop");
    if std::env::var_os("PERIPLUS_UPDATE").is_some() {
        let _ = std::fs::remove_dir_all(&samples);
        std::fs::create_dir_all(&samples).unwrap();
        for (name, text) in pages(rendered) {
            std::fs::write(samples.join(name), text).unwrap();
        }
    }
    let (stored, rendered) = (pages(&samples), pages(rendered));
    assert_eq!(stored.keys().collect::<Vec<_>>(), rendered.keys().collect::<Vec<_>>());
    for (name, text) in &rendered {
        assert!(stored[name] == *text, "samples/shop/{name} is out of date: run the tests with PERIPLUS_UPDATE=1");
    }
}

fn pages(folder: &Path) -> BTreeMap<String, String> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read_to_string(&path).unwrap()))
        .collect()
}
