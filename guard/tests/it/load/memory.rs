//! How much memory this process holds while something runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// Looks at the process's resident memory again and again.
pub(super) struct Memory {
    over: Arc<AtomicBool>,
    watching: JoinHandle<Vec<u64>>,
}

/// What was seen, in bytes, evenly in time. Nothing where the system doesn't tell.
pub(super) struct Seen(Vec<u64>);

impl Memory {
    pub(super) fn watched(every: Duration) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let until = Arc::clone(&over);
        let watching = std::thread::spawn(move || {
            let mut seen = Vec::new();
            while !until.load(Ordering::Relaxed) {
                seen.extend(resident_bytes());
                std::thread::sleep(every);
            }
            seen
        });
        Self { over, watching }
    }

    pub(super) fn seen(self) -> Seen {
        self.over.store(true, Ordering::Relaxed);
        Seen(self.watching.join().unwrap())
    }
}

impl Seen {
    /// The most in the first third, when everything has been done once, and in the last.
    pub(super) fn thirds(&self) -> (u64, u64) {
        let third = self.0.len() / 3;
        let most = |part: &[u64]| part.iter().copied().max().unwrap_or(0);
        (most(&self.0[..third]), most(&self.0[self.0.len() - third..]))
    }
}

impl std::fmt::Display for Seen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let every = self.0.len().div_ceil(20).max(1);
        let shown: Vec<String> = self.0.iter().step_by(every).map(|bytes| (bytes / 1_000_000).to_string()).collect();
        write!(f, "{}", shown.join(" "))
    }
}

/// The second figure of `statm` is in pages, of which all systems that have this file have 4 KiB ones, or say so.
fn resident_bytes() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}
