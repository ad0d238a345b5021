//! Long work that isn't waiting, beside a runtime's other tasks.

use std::sync::{Condvar, Mutex, PoisonError};

use tokio::runtime::{Handle, RuntimeFlavor};

/// Pieces of such work under way.
static UNDER_WAY: Mutex<usize> = Mutex::new(0);
static ENDED: Condvar = Condvar::new();

/// A piece of work, until it is dropped.
struct Turn;

impl Turn {
    /// Waits for one: half of the machine's cores are for other work.
    fn wait() -> Self {
        let most = std::thread::available_parallelism().map_or(1, |cores| (cores.get() / 2).max(1));
        let under_way = UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner);
        let under_way = ENDED.wait_while(under_way, |under_way| *under_way >= most);
        *under_way.unwrap_or_else(PoisonError::into_inner) += 1;
        Self
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        *UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        ENDED.notify_one();
    }
}

/// Does the work, while other threads take over what this one would have answered meanwhile. Where there are none, or no
/// runtime, it is just done.
pub(crate) fn aside<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(|| {
            let _turn = Turn::wait();
            work()
        }),
        _ => work(),
    }
}
