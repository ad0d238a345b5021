//! What each function makes of sizes: classes by name, in a list of text, because there are nine hundred of them and few
//! ways in which they grow.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::bound::Bound;
use super::{ASSUMED_NUMBER, times};

const LIST: &str = include_str!("functions.txt");

/// How a function's result grows with its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Measured,
    Counted,
    Moment,
    Length,
    Number,
    Wild,
    Part,
    Joined,
    Escaped,
    Collected,
    Compares,
}

/// Functions that [`super::call`] reckons one by one.
const BY_THEMSELVES: &[&str] = &[
    "apply",
    "array_fill",
    "array_replace",
    "array_to_string",
    "array_transform",
    "arrayfill",
    "arrayjoin",
    "arraymap",
    "arraystringconcat",
    "bar",
    "bitshiftleft",
    "casefold",
    "concat_ws",
    "date_diff",
    "date_format",
    "date_part",
    "datediff",
    "datepart",
    "exp",
    "exp10",
    "exp2",
    "export_set",
    "extractall",
    "extractgroups",
    "factorial",
    "format",
    "formatdatetime",
    "from_unixtime",
    "fromunixtimestamp",
    "generate_series",
    "generate_subscripts",
    "initcap",
    "json_array_elements",
    "json_array_elements_text",
    "json_each",
    "json_each_text",
    "json_object_keys",
    "json_pretty",
    "json_populate_recordset",
    "json_table",
    "json_to_recordset",
    "json_tree",
    "jsonb_array_elements",
    "jsonb_array_elements_text",
    "jsonb_each",
    "jsonb_each_text",
    "jsonb_object_keys",
    "jsonb_populate_recordset",
    "jsonb_pretty",
    "jsonb_path_exists",
    "jsonb_path_match",
    "jsonb_path_query",
    "jsonb_path_query_array",
    "jsonb_path_query_first",
    "jsonb_to_recordset",
    "jsonb_tree",
    "json_extract",
    "json_search",
    "jsonextractarrayraw",
    "jsonextractkeysandvalues",
    "lcase",
    "least",
    "leftpad",
    "list_aggregate",
    "list_apply",
    "list_reduce",
    "list_resize",
    "list_select",
    "list_transform",
    "lower",
    "lowerutf8",
    "lpad",
    "make_date",
    "make_interval",
    "make_timestamp",
    "make_timestamptz",
    "makedate",
    "multiply",
    "nfc_normalize",
    "normalize",
    "numbers",
    "percentile_cont",
    "percentile_disc",
    "polygon",
    "pow",
    "power",
    "printf",
    "randomblob",
    "range",
    "reduce",
    "regexp_replace",
    "repeat",
    "replace",
    "replaceall",
    "replaceone",
    "replaceregexpall",
    "replaceregexpone",
    "rightpad",
    "round",
    "rpad",
    "space",
    "strftime",
    "time_format",
    "timestampdiff",
    "to_char",
    "to_timestamp",
    "tofixedstring",
    "transform",
    "translate",
    "trunc",
    "ts_headline",
    "ucase",
    "upper",
    "upperutf8",
];

/// More of them: texts that are split, and what makes rows.
const ROWS_AND_PARTS: &[&str] = &[
    "alphatokens",
    "pragma_foreign_key_list",
    "pragma_index_info",
    "pragma_index_list",
    "pragma_table_info",
    "pragma_table_xinfo",
    "regexp_extract_all",
    "regexp_match",
    "regexp_matches",
    "regexp_split_to_array",
    "regexp_split_to_table",
    "split",
    "splitbychar",
    "splitbyregexp",
    "splitbystring",
    "str_split",
    "str_split_regex",
    "string_split",
    "string_split_regex",
    "string_to_array",
    "string_to_table",
    "timeslots",
    "unnest",
];

/// And the last: blobs, tables without rows of their own.
const OTHERS: &[&str] = &["view", "zeroblob", "zeros"];

/// The class of a function, by its name in lower case.
pub(super) fn class(name: &str) -> Option<Class> {
    static CLASSES: OnceLock<HashMap<&'static str, Class>> = OnceLock::new();
    let classes = CLASSES.get_or_init(|| LIST.lines().filter_map(line).flatten().collect());
    classes.get(name).copied()
}

fn line(line: &'static str) -> Option<impl Iterator<Item = (&'static str, Class)>> {
    let (class, names) = line.split_once(':').filter(|_| !line.starts_with('#'))?;
    let class = match class {
        "measured" => Class::Measured,
        "counted" => Class::Counted,
        "moment" => Class::Moment,
        "length" => Class::Length,
        "number" => Class::Number,
        "wild" => Class::Wild,
        "part" => Class::Part,
        "joined" => Class::Joined,
        "escaped" => Class::Escaped,
        "collected" => Class::Collected,
        "compares" => Class::Compares,
        _ => return None,
    };
    Some(names.split_whitespace().map(move |name| (name, class)))
}

/// Whether what a function makes of sizes is known: its name is in lower case.
pub(crate) fn is_modelled(name: &str) -> bool {
    class(name).is_some() || BY_THEMSELVES.contains(&name) || ROWS_AND_PARTS.contains(&name) || OTHERS.contains(&name)
}

/// Whether a function makes one value of many rows in which all of them are.
pub(crate) fn keeps_values(name: &str) -> bool {
    class(name) == Some(Class::Collected)
}

/// Whether a function takes a text apart, or puts it in another order: what it gives can be another number.
pub(super) fn takes_apart(name: &str) -> bool {
    const PARTS: [&str; 22] = [
        "substr",
        "left",
        "right",
        "trim",
        "split",
        "reverse",
        "regexp",
        "extract",
        "mid",
        "json",
        "unhex",
        "decode",
        "base64",
        "domain",
        "path",
        "querystring",
        "protocol",
        "strip_accents",
        "to_ascii",
        "unistr",
        "parameter",
        "search",
    ];
    PARTS.iter().any(|part| name.contains(part))
}

/// Whether a function makes one value of many rows.
pub(super) fn is_aggregate(name: &str) -> bool {
    const NUMBERS: [&str; 9] = ["count", "sum", "avg", "min", "max", "total", "median", "any_value", "countif"];
    NUMBERS.contains(&name) || keeps_values(name)
}

/// How many values a series has: from, to and step, of numbers or of moments.
pub(super) fn series(from: &Bound, to: &Bound, step: Option<&Bound>) -> f64 {
    let step = step.map_or(1.0, |step| {
        let is_number = step.text.as_deref().is_none_or(|text| text.trim().parse::<f64>().is_ok());
        let step_of_days = times::days_in(step.text.as_deref(), (step.low, step.high), None);
        let (low, high) = if is_number { (step.low, step.high) } else { step_of_days };
        match low > 0.0 || high < 0.0 {
            true => low.abs().min(high.abs()),
            // A step that can be nothing is an error to all engines, and one of the data is mostly a whole number.
            false if step.data > 0.0 && high.max(-low) >= 1.0 => 1.0,
            false if step.data > 0.0 => high.max(-low) / ASSUMED_NUMBER,
            false => 0.0,
        }
    });
    let ((from_low, from_high), (to_low, to_high)) = (times::moment(from), times::moment(to));
    let span = (to_high - from_low).max(from_high - to_low).max(0.0);
    (span / step.max(f64::MIN_POSITIVE)).floor() + 1.0
}
