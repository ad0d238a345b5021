//! Output with what changes from run to run taken out, so that it can be compared with a snapshot.
//!
//! Invariant: text that holds neither a given path nor a time comes out as it went in.

use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

/// `text` with each path replaced by its label, points in time by `[AT]`, and durations by `[TIME]`.
pub fn stable_text(text: &str, paths: &[(&Path, &str)]) -> String {
    static POINT: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d\b)"));
    static DURATION: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b\d+(\.\d+)? ?(ns|µs|us|ms|s|seconds?)\b"));

    let mut stable = text.to_owned();
    for (path, label) in paths {
        stable = stable.replace(&*path.to_string_lossy(), label);
    }
    let stable = POINT.replace_all(&stable, "[AT]");
    DURATION.replace_all(&stable, "[TIME]").into_owned()
}

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is a constant that the tests compile")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::stable_text;

    #[test]
    fn takes_out_paths_and_times_and_nothing_else() {
        let paths = [(Path::new("/tmp/x1y2/shop.sqlite"), "[SHOP]")];
        for (text, expected) in [
            ("opened /tmp/x1y2/shop.sqlite in 12.5 ms", "opened [SHOP] in [TIME]"),
            ("indexed at 2026-06-30T08:00:00.25Z, took 3s", "indexed at [AT], took [TIME]"),
            ("at 2026-06-30 08:00:00+02:00.", "at [AT]."),
            // Without a zone it is data, not the time of the run.
            ("ordered_at >= '2026-06-30 08:00:00'", "ordered_at >= '2026-06-30 08:00:00'"),
            ("24 tables, 5 sources", "24 tables, 5 sources"),
        ] {
            assert_eq!(stable_text(text, &paths), expected);
        }
    }
}
