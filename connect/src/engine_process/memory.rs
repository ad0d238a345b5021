//! What all engine processes of this program hold together: the largest is killed where it is too much.
//!
//! Each has a limit of its own, and many of them at it would take the machine. What a process holds is read where Linux tells it;
//! elsewhere the limit of each is all there is.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError, Weak};
use std::time::Duration;

/// Bytes that they may hold together.
pub(super) const MOST_TOGETHER: usize = 4 << 30;
/// Time between two looks.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

static WATCHED: Mutex<Vec<Weak<Held>>> = Mutex::new(Vec::new());

/// A process that is looked at as long as this lives.
pub(super) struct Watched(Arc<Held>);

struct Held {
    process: Option<u32>,
    is_too_large: AtomicBool,
}

impl Watched {
    /// Whether it was killed for what all of them held.
    pub(super) fn is_too_large(&self) -> bool {
        self.0.is_too_large.load(Ordering::Acquire)
    }
}

/// Looks at a process from now on.
pub(super) fn watched(process: Option<u32>) -> Watched {
    static WATCHER: Once = Once::new();
    let held = Arc::new(Held { process, is_too_large: AtomicBool::new(false) });
    WATCHED.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(&held));
    WATCHER.call_once(|| {
        std::thread::spawn(|| {
            loop {
                std::thread::sleep(BETWEEN_LOOKS);
                look(&WATCHED, MOST_TOGETHER);
            }
        });
    });
    Watched(held)
}

/// Kills the largest of these where they hold more than `most`.
fn look(watched: &Mutex<Vec<Weak<Held>>>, most: usize) {
    let mut watched = watched.lock().unwrap_or_else(PoisonError::into_inner);
    watched.retain(|held| held.strong_count() > 0);
    let all: Vec<(usize, Arc<Held>)> =
        watched.iter().filter_map(Weak::upgrade).map(|held| (held.bytes().unwrap_or(0), held)).collect();
    drop(watched);
    if all.iter().map(|(bytes, _)| bytes).sum::<usize>() <= most {
        return;
    }
    if let Some((_, largest)) = all.iter().max_by_key(|(bytes, _)| *bytes) {
        largest.is_too_large.store(true, Ordering::Release);
        largest.kill();
    }
}

impl Held {
    /// What the system says that it holds, in bytes.
    fn bytes(&self) -> Option<usize> {
        let status = PathBuf::from(format!("/proc/{}/status", self.process?));
        let status = std::fs::read_to_string(status).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.split_whitespace().next()?.parse::<usize>().ok().map(|kilobytes| kilobytes << 10)
    }

    fn kill(&self) {
        #[cfg(unix)]
        if let Some(process) = self.process.and_then(|process| rustix::process::Pid::from_raw(process.cast_signed())) {
            let _gone_already = rustix::process::kill_process(process, rustix::process::Signal::KILL);
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::process::Command;
    use std::sync::atomic::AtomicBool;
    use std::sync::{Arc, Mutex};

    use super::{Held, Watched, look};

    #[test]
    fn the_largest_is_killed_where_all_of_them_hold_too_much() {
        let mut child = Command::new("sleep").arg("100").spawn().unwrap();
        let held = Arc::new(Held { process: Some(child.id()), is_too_large: AtomicBool::new(false) });
        let watched = Mutex::new(vec![Arc::downgrade(&held)]);
        look(&watched, 1 << 40);
        assert!(!Watched(Arc::clone(&held)).is_too_large() && child.try_wait().unwrap().is_none());
        assert!(held.bytes().is_some_and(|bytes| bytes > 0));
        look(&watched, 0);
        assert!(Watched(held).is_too_large());
        assert!(!child.wait().unwrap().success());
    }
}
