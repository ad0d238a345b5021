//! Noticing that a client has hung up while a statement of its own runs.
//!
//! The protocol's crate reads on to the end of the input and then waits for answers under way, which is right for a
//! client that has sent its last question and reads on, and wrong for a statement that would go on for minutes. So the
//! input is watched on its way in, and what runs a while after its end is given up.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::watch;

/// How long after the end of the input a statement may still come to its answer.
const PATIENCE: Duration = Duration::from_millis(500);

/// The input of a client, watched for its end.
pub(crate) struct Watched<Input> {
    input: Input,
    ended: Arc<watch::Sender<bool>>,
}

/// Tells when a client has hung up.
#[derive(Clone)]
pub(crate) struct HangUp(Option<watch::Receiver<bool>>);

/// The input, and what tells of its end.
pub(crate) fn watched<Input>(input: Input) -> (Watched<Input>, HangUp) {
    let (sender, receiver) = watch::channel(false);
    (Watched { input, ended: Arc::new(sender) }, HangUp(Some(receiver)))
}

impl<Input: AsyncRead + Unpin> AsyncRead for Watched<Input> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let had_room = buffer.remaining() > 0;
        let polled = Pin::new(&mut self.input).poll_read(context, buffer);
        let ended = match &polled {
            Poll::Ready(Ok(())) => had_room && buffer.filled().len() == before,
            Poll::Ready(Err(_)) => true,
            Poll::Pending => false,
        };
        if ended {
            self.ended.send_replace(true);
        }
        polled
    }
}

impl HangUp {
    /// For a client whose hanging up is noticed elsewhere.
    pub(crate) fn never() -> Self {
        Self(None)
    }

    /// Waits until the client is gone and has been for a while.
    pub(crate) async fn passed(&self) {
        let Some(mut receiver) = self.0.clone() else { return std::future::pending().await };
        // Without a sender nobody reads any more either.
        drop(receiver.wait_for(|ended| *ended).await);
        tokio::time::sleep(PATIENCE).await;
    }
}
