//! The shop's questions in an engine's own SQL: the guard accepts what the engine compiles, and with a name made wrong
//! refuses what the engine rejects.

use std::path::Path;

use serde_json::Value;

use super::World;

/// Of the statements that the engine rejects, how many the guard must have refused.
const CAUGHT: f64 = 0.995;
/// Of those with a misspelt name, how many must have the right one among the first three suggestions.
const SUGGESTED: f64 = 0.95;

/// What is not as it should be.
pub(super) fn disagreements(found: &World, file: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/shop/forms").join(file);
    let out = found.project.path("forms.json");
    let (path, out) = (path.to_str().unwrap(), out.to_str().unwrap());
    // Some questions are about addresses and pay.
    let configuration = std::fs::read_to_string(found.project.path("periplus.toml")).unwrap();
    found.project.write("periplus.toml", &format!("{configuration}[guard]\nsensitive_columns = \"allow\"\n"));
    let (code, report) = found.project.json(&["eval", "guard", "--statements", path, "--out", out]);
    found.project.write("periplus.toml", &configuration);
    assert_eq!(code, 0, "{report}");
    let mut wrong = Vec::new();
    let texts =
        |of: &Value| of.as_array().unwrap().iter().map(|it| it.as_str().unwrap().to_owned()).collect::<Vec<_>>();
    wrong.extend(texts(&report["refused"]).iter().map(|it| format!("refused by the guard: {it}")));
    wrong.extend(texts(&report["rejected"]).iter().map(|it| format!("rejected by the engine: {it}")));
    if report["accepted"] != 150 {
        wrong.push(format!("{} of 150 are accepted", report["accepted"]));
    }
    let ways = report["agreement"].as_object().unwrap();
    let sum = |key: &str| ways.values().map(|way| way[key].as_f64().unwrap()).sum::<f64>();
    if ways.len() != 4 || sum("caught") < CAUGHT * sum("rejected") {
        let missed: Vec<String> = ways.values().flat_map(|way| texts(&way["missed"])).collect();
        wrong.push(format!("{} of {} are caught: {}", sum("caught"), sum("rejected"), missed.join("\n")));
    }
    if sum("refused_alone") > 0.0 {
        wrong.extend(ways.values().flat_map(|way| texts(&way["alone"])).map(|it| format!("refused alone: {it}")));
    }
    let misspelt = |key: &str| ways["misspelt"][key].as_f64().unwrap();
    if misspelt("right_in_three") < SUGGESTED * misspelt("caught") {
        wrong.push(format!("the right name for {} of {}", misspelt("right_in_three"), misspelt("caught")));
    }
    wrong
}
