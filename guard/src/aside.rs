//! Long work that isn't waiting, beside a runtime's other tasks.

use tokio::runtime::{Handle, RuntimeFlavor};

/// Does the work, while other threads take over what this one would have answered meanwhile. Where there are none, or no
/// runtime, it is just done.
pub(crate) fn aside<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        _ => work(),
    }
}
