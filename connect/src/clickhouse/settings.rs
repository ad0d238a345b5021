//! The settings that frame a statement: what it may not do, how much it may use, and how its rows are written.
//!
//! Which of them a user may change differs: a profile may be read-only for good (then none, and nothing has to be), may
//! lack the right to some, or be bounded. So the server is asked first, and only what it takes is sent. Invariant: a limit
//! that the profile sets is never raised.

use std::collections::HashMap;
use std::time::Duration;

/// What a statement is for, which says how it is framed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// One of our own.
    Own {
        /// Whether a few rows from the beginning are all that is wanted.
        few_rows: bool,
        /// More rows than these are not skipped: the statement fails.
        most_rows: Option<u64>,
    },
    /// To be understood and not run.
    Explain,
    /// Somebody's; more than `rows` rows are not wanted.
    Query {
        /// Rows.
        rows: u64,
    },
}

impl Purpose {
    /// A statement of our own without more to say.
    pub(super) const OWN: Self = Self::Own { few_rows: false, most_rows: None };

    pub(super) fn is_few_rows(&self) -> bool {
        matches!(self, Self::Own { few_rows: true, .. })
    }
}

/// What a user's profile says about one setting.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) value: String,
    pub(super) changeable: bool,
    pub(super) least: Option<u64>,
    pub(super) most: Option<u64>,
}

/// What a server is, and what its user may set.
#[derive(Clone, Debug)]
pub(super) struct Profile {
    /// Year and month: `(26, 9)`.
    pub(super) version: (u32, u32),
    known: HashMap<String, Known>,
}

/// Settings that are the same for every statement.
const ALWAYS: [(&str, &str); 15] = [
    ("readonly", "1"),
    ("allow_ddl", "0"),
    ("allow_introspection_functions", "0"),
    // Reading from Kafka and its kin takes the messages away.
    ("stream_like_engine_allow_direct_select", "0"),
    ("cancel_http_readonly_queries_on_client_close", "1"),
    ("http_write_exception_in_output_format", "0"),
    ("log_comment", "periplus"),
    // What is cut off is an error, and never a shorter result that looks whole.
    ("timeout_overflow_mode", "throw"),
    ("limit", "0"),
    ("offset", "0"),
    ("date_time_output_format", "simple"),
    ("bool_true_representation", "true"),
    ("bool_false_representation", "false"),
    ("output_format_decimal_trailing_zeros", "1"),
    ("send_progress_in_http_headers", "0"),
];

/// Settings that depend on the statement.
const SOMETIMES: [&str; 10] = [
    "join_use_nulls",
    "max_execution_time",
    "max_memory_usage",
    "max_threads",
    "max_rows_to_read",
    "read_overflow_mode",
    "max_result_rows",
    "max_result_bytes",
    "result_overflow_mode",
    "max_block_size",
];

/// What one statement may take of the server's memory, in bytes.
const MEMORY: u64 = 4 << 30;
/// Threads for one statement.
const THREADS: u64 = 4;
/// Rows handled at a time where few are wanted.
const SMALL_BLOCK: u64 = 8192;

/// The names of all settings that are ever sent, as literals in a list.
pub(super) fn names() -> String {
    let names = ALWAYS.iter().map(|(name, _)| *name).chain(SOMETIMES);
    names.map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ")
}

impl Profile {
    pub(super) fn new(version: &str, known: HashMap<String, Known>) -> Self {
        let mut numbers = version.split('.').map(|number| number.parse().unwrap_or(0));
        Self { version: (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)), known }
    }

    /// How the user's own statements are held to reading: 0 not at all, 1 for good, 2 with settings that may be changed.
    pub(super) fn readonly(&self) -> u8 {
        self.known.get("readonly").and_then(|known| known.value.parse().ok()).unwrap_or(0)
    }

    /// Whether every statement that is framed by [`Profile::frame`] can only read.
    pub(super) fn can_read_only(&self) -> bool {
        self.readonly() > 0 || self.known.get("readonly").is_some_and(|known| known.changeable)
    }

    /// What is set for a statement that may take `time`.
    pub(super) fn frame(&self, purpose: &Purpose, time: Duration) -> Vec<(&'static str, String)> {
        let mut frame: Vec<(&'static str, String)> = Vec::new();
        let mut set = |name: &'static str, value: String| {
            if let Some(known) = self.known.get(name)
                && known.changeable
                && known.value != value
            {
                frame.push((name, value));
            }
        };
        for (name, value) in ALWAYS {
            set(name, value.to_owned());
        }
        // Whole seconds; the exact limit is ours to keep.
        let seconds = time.as_secs() + u64::from(time.subsec_nanos() > 0);
        set("max_execution_time", self.at_most("max_execution_time", seconds.max(1)));
        set("max_memory_usage", self.at_most("max_memory_usage", MEMORY));
        set("max_threads", self.at_most("max_threads", if purpose.is_few_rows() { 1 } else { THREADS }));
        // Whoever writes a query expects NULL where an outer join finds no partner, and asks for it to find just those.
        if matches!(purpose, Purpose::Query { .. } | Purpose::Explain) {
            set("join_use_nulls", "1".to_owned());
        }
        match purpose {
            Purpose::Query { rows } if self.may_break(*rows) => {
                set("max_result_rows", rows.to_string());
                set("result_overflow_mode", "break".to_owned());
            }
            _ => set("result_overflow_mode", "throw".to_owned()),
        }
        match purpose {
            // Subqueries that are a value are worked out to find its type, and one block is enough for that.
            Purpose::Explain => {
                set("max_rows_to_read", "1".to_owned());
                set("read_overflow_mode", "break".to_owned());
            }
            Purpose::Own { most_rows: Some(most), .. } => {
                set("max_rows_to_read", self.at_most("max_rows_to_read", *most));
                set("read_overflow_mode", "throw".to_owned());
            }
            _ => set("read_overflow_mode", "throw".to_owned()),
        }
        if purpose.is_few_rows() {
            set("max_block_size", self.at_most("max_block_size", SMALL_BLOCK));
        }
        frame
    }

    /// `wanted`, or what the profile has or bounds it to where that is less. 0 is "no limit" to the server.
    fn at_most(&self, name: &str, wanted: u64) -> String {
        let Some(known) = self.known.get(name) else { return wanted.to_string() };
        // A time may have a fraction, and a number of threads is written `auto(8)`.
        let digits = known.value.trim_start_matches("auto(").trim_end_matches(')');
        let current = digits.parse::<f64>().ok().filter(|current| *current > 0.0);
        if current.is_some_and(|current| current < wanted as f64) {
            return known.value.clone();
        }
        let bounded = wanted.min(known.most.filter(|most| *most > 0).unwrap_or(wanted));
        bounded.max(known.least.unwrap_or(bounded)).to_string()
    }

    /// Whether the server may stop behind `rows` rows: not where the profile's own limits, which are an error, would stop
    /// it earlier and nobody notice.
    fn may_break(&self, rows: u64) -> bool {
        let limit = |name| self.known.get(name).and_then(|known| known.value.parse::<u64>().ok()).unwrap_or(0);
        let own = limit("max_result_rows");
        (own == 0 || own >= rows) && limit("max_result_bytes") == 0
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::time::Duration;

    use super::{Known, Profile};
    use crate::clickhouse::settings::Purpose;

    fn profile(settings: &[(&str, &str, bool, Option<u64>)]) -> Profile {
        let known = settings.iter().map(|(name, value, changeable, most)| {
            let known = Known { value: (*value).to_owned(), changeable: *changeable, least: None, most: *most };
            ((*name).to_owned(), known)
        });
        Profile::new("24.8.1.1", known.collect::<HashMap<_, _>>())
    }

    fn frame(profile: &Profile, purpose: &Purpose) -> Vec<(&'static str, String)> {
        profile.frame(purpose, Duration::from_millis(1500))
    }

    #[test]
    fn sends_only_what_may_be_changed_and_raises_no_limit() {
        let query = Purpose::Query { rows: 11 };
        for (settings, expected) in [
            (vec![("readonly", "0", true, None)], vec![("readonly", "1")]),
            (vec![("readonly", "1", false, None), ("max_execution_time", "9", false, None)], vec![]),
            (
                vec![("readonly", "2", false, None), ("max_execution_time", "0", true, None)],
                vec![("max_execution_time", "2")],
            ),
            (vec![("max_execution_time", "0.5", true, None)], vec![]),
            (vec![("max_execution_time", "60", true, Some(1))], vec![("max_execution_time", "1")]),
            (vec![("max_threads", "auto(2)", true, None)], vec![]),
            (vec![("max_threads", "auto(64)", true, None)], vec![("max_threads", "4")]),
            (
                vec![("max_result_rows", "0", true, None), ("result_overflow_mode", "throw", true, None)],
                vec![("max_result_rows", "11"), ("result_overflow_mode", "break")],
            ),
            // The profile's own limit comes first, and must stay an error.
            (
                vec![("max_result_rows", "5", true, None), ("result_overflow_mode", "break", true, None)],
                vec![("result_overflow_mode", "throw")],
            ),
        ] {
            let found = frame(&profile(&settings), &query);
            let found: Vec<(&str, &str)> = found.iter().map(|(name, value)| (*name, value.as_str())).collect();
            assert_eq!(found, expected, "{settings:?}");
        }
    }

    #[test]
    fn knows_when_nothing_holds_a_user_to_reading() {
        for (value, changeable, expected) in [("0", true, true), ("0", false, false), ("1", false, true)] {
            assert_eq!(profile(&[("readonly", value, changeable, None)]).can_read_only(), expected);
        }
        assert!(!profile(&[]).can_read_only());
    }
}
