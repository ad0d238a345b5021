//! Statements that nobody waits for any more, and that are being stopped on their servers.
//!
//! A session that is dropped can't wait; it leaves a task behind that has the server stop what it is at. A process that
//! ends right then would take the task with it and leave the statement running, so whoever ends asks here first.

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::time::{Instant, sleep};

static UNDER_WAY: AtomicUsize = AtomicUsize::new(0);

/// Time between two looks.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

/// Counts itself while it lives, also where its task is dropped.
struct UnderWay;

impl Drop for UnderWay {
    fn drop(&mut self) {
        UNDER_WAY.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Stops a statement in a task of its own; nothing where everything ends already.
pub(crate) fn in_the_background(stopping: impl Future<Output = ()> + Send + 'static) {
    let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
    UNDER_WAY.fetch_add(1, Ordering::AcqRel);
    let under_way = UnderWay;
    runtime.spawn(async move {
        stopping.await;
        drop(under_way);
    });
}

/// Waits until every statement that was given up is stopped on its server, for so long at most. To be called before a
/// process ends; says whether all are.
pub async fn all_stopped(within: Duration) -> bool {
    let deadline = Instant::now() + within;
    while UNDER_WAY.load(Ordering::Acquire) > 0 {
        if Instant::now() >= deadline {
            return false;
        }
        sleep(BETWEEN_LOOKS).await;
    }
    true
}
