//! Output with what changes from run to run taken out, so that it can be compared with a snapshot.
//!
//! Invariant: text that holds none of what [`CHANGING`] names, no given path and no day of the run comes out as it went in.

use std::path::Path;
use std::sync::LazyLock;

use jiff::{Timestamp, ToSpan as _};
use regex::Regex;

/// What is never the same twice, by the label that stands for it.
const CHANGING: [(&str, &str); 8] = [
    // With a zone. Without one it is data, not the time of the run.
    ("[AT]", r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d\b)"),
    ("[TIME]", r"\b\d+(\.\d+)? ?(ns|µs|us|ms|s|seconds?)\b"),
    // Said now and then of what takes long.
    ("", r"(?m)^profiling: \d+ of \d+\n"),
    // The number of a document's field, which is then a string.
    ("${field}\"[TIME]\"", r#"(?<field>"([a-z_]*_ms|milliseconds)": ?)\d+(\.\d+)?"#),
    // What data stands between: `<data-5a3f09c1>`.
    ("data-[MARK]", r"\bdata-[0-9a-f]{8}\b"),
    ("periplus [VERSION]", r"\bperiplus \d+\.\d+\.\d+\b"),
    // A record's: when, in which process, which.
    ("[ID]", r"\b[0-9a-f]{16}-[0-9a-f]+-\d+\b"),
    // No two processors need agree on the last places of a score.
    ("$places", r"(?<places>\b\d+\.\d{3})\d{4,}\b"),
];

/// `text` with each path replaced by its label, days of the run by `[TODAY]`, with the time by `[AT]`, and what
/// [`CHANGING`] names by its label.
pub fn stable_text(text: &str, paths: &[(&Path, &str)]) -> String {
    static PATTERNS: LazyLock<Vec<(Regex, &str)>> =
        LazyLock::new(|| CHANGING.iter().map(|(label, text)| (pattern(text), *label)).collect());

    let mut stable = text.to_owned();
    for (path, label) in paths {
        stable = stable.replace(&*path.to_string_lossy(), label);
    }
    for (pattern, label) in &*PATTERNS {
        stable = pattern.replace_all(&stable, *label).into_owned();
    }
    // It may have begun before midnight.
    for hours in [0, 1] {
        let day = (Timestamp::now() - hours.hours()).strftime("%Y-%m-%d").to_string();
        let days = pattern(&format!(r"\b{day}(?<time> \d\d:\d\d)?\b"));
        let label = |found: &regex::Captures<'_>| if found.name("time").is_some() { "[AT]" } else { "[TODAY]" };
        stable = days.replace_all(&stable, label).into_owned();
    }
    stable
}

/// The names of the snapshots in a folder, sorted: each should be one that a test still compares.
///
/// # Panics
/// When the folder can't be read.
pub fn snapshot_names(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).expect("the snapshots are beside their test");
    let names = files.filter_map(|file| file.ok()?.file_name().to_str()?.strip_suffix(".snap").map(str::to_owned));
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is a constant, or made of a day")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::stable_text;

    #[test]
    fn takes_out_what_changes_and_nothing_else() {
        let paths = [(Path::new("/tmp/x1y2/shop.sqlite"), "[SHOP]")];
        let now = jiff::Timestamp::now();
        let today = now.strftime("%Y-%m-%d").to_string();
        for (text, expected) in [
            ("opened /tmp/x1y2/shop.sqlite in 12.5 ms", "opened [SHOP] in [TIME]"),
            ("indexed at 2026-06-30T08:00:00.25Z, took 3s", "indexed at [AT], took [TIME]"),
            ("at 2026-06-30 08:00:00+02:00.", "at [AT]."),
            ("ordered_at >= '2026-06-30 08:00:00'", "ordered_at >= '2026-06-30 08:00:00'"),
            ("<data-5a3f09c1>\n7\n</data-5a3f09c1>", "<data-[MARK]>\n7\n</data-[MARK]>"),
            ("{\"elapsed_ms\": 12, \"rows\": 12}", "{\"elapsed_ms\": \"[TIME]\", \"rows\": 12}"),
            ("periplus 0.1.0", "periplus [VERSION]"),
            ("\"id\":\"18eb12ee540fd2b9-2cc3-0\"", "\"id\":\"[ID]\""),
            ("\"score\": 0.9359240531921387", "\"score\": 0.935"),
            (&format!("as of {today}, at {today} 08:00."), "as of [TODAY], at [AT]."),
            ("24 tables, 5 sources", "24 tables, 5 sources"),
        ] {
            assert_eq!(stable_text(text, &paths), expected);
        }
    }
}
