//! What the guard finds in statements over the shop that are known to be wrong, and in their right neighbours.

use crate::project::Project;

#[test]
fn wrong_literals_and_multiplied_sums_are_told_from_right_ones() {
    let project = Project::new();
    let out = project.path("guard.json");
    let (code, report) = project.json(&["eval", "guard", "--profiled", "--out", out.to_str().unwrap()]);
    assert_eq!(code, 0, "{report}");
    assert_eq!((&report["statements"], &report["accepted"]), (&150.into(), &150.into()), "{}", report["refused"]);
    let count = |rule: &str, key: &str| report["labelled"][rule][key].as_u64().unwrap();
    let misjudged = |rule: &str| report["labelled"][rule]["misjudged"].to_string();
    assert_eq!((count("literal_value", "wrong"), count("literal_value", "right")), (60, 60));
    assert!(count("literal_value", "suggested") >= 57, "{}", misjudged("literal_value"));
    // Two are told that they name one spelling of several that the column holds, and so it is.
    assert_eq!(count("literal_value", "warned"), 2, "{}", misjudged("literal_value"));
    assert_eq!((count("fan_out", "wrong"), count("fan_out", "right")), (30, 30));
    assert!(count("fan_out", "found") >= 27, "{}", misjudged("fan_out"));
    assert!(count("fan_out", "warned") <= 3, "{}", misjudged("fan_out"));
}
