//! When to try again, and how long to wait before.
//!
//! Waits double and are shortened by chance (Brooker, "Exponential Backoff and Jitter", AWS 2015), so that many
//! callers that failed together don't come back together; a provider that names a time is obeyed.

use std::time::Duration;

use super::HttpOptions;
use crate::error::LlmError;

/// Why an attempt failed, and whether another one makes sense.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Another attempt would fail the same way.
    Final(LlmError),
    /// Another attempt may succeed, after the time the provider asks for.
    Again { error: LlmError, after: Option<Duration> },
}

impl Failure {
    /// Worth another attempt, whenever.
    pub(crate) fn again(error: LlmError) -> Self {
        Self::Again { error, after: None }
    }

    /// The error alone.
    pub(crate) fn into_error(self) -> LlmError {
        match self {
            Self::Final(error) | Self::Again { error, .. } => error,
        }
    }

    /// The same failure, not worth another attempt: something was shown already.
    pub(crate) fn last(self) -> Self {
        Self::Final(self.into_error())
    }
}

/// Counts the attempts of one call.
#[derive(Debug)]
pub(crate) struct Retries {
    options: HttpOptions,
    made: u32,
}

impl Retries {
    pub(crate) fn new(options: HttpOptions) -> Self {
        Self { options, made: 0 }
    }

    /// Notes a failed attempt, and returns when the next one is due; or its error, when there should be none.
    pub(crate) async fn wait(&mut self, failure: Failure) -> Result<(), LlmError> {
        self.made += 1;
        let (error, after) = match failure {
            Failure::Final(error) => return Err(counted(error, self.made)),
            Failure::Again { error, after } => (error, after),
        };
        let wait = self.delay(after, fastrand::f64());
        if self.made >= self.options.attempts || after.is_some_and(|after| after > self.options.longest_wait) {
            return Err(counted(error, self.made));
        }
        tracing::debug!(attempt = self.made, wait_ms = wait.as_millis() as u64, code = error.code(), "trying again");
        tokio::time::sleep(wait).await;
        Ok(())
    }

    /// The wait after `made` attempts; `chance` lies in `[0, 1)`.
    fn delay(&self, after: Option<Duration>, chance: f64) -> Duration {
        let doubled = self.options.first_wait.saturating_mul(1 << (self.made.saturating_sub(1)).min(16));
        let own = doubled.min(self.options.longest_wait).mul_f64(0.5 + chance / 2.0);
        after.map_or(own, |after| after.max(Duration::from_millis(1)))
    }
}

/// Writes the number of attempts into the errors that tell it.
fn counted(mut error: LlmError, made: u32) -> LlmError {
    if let LlmError::RateLimited { attempts, .. } | LlmError::Unavailable { attempts, .. } = &mut error {
        *attempts = made;
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(made: u32, after: Option<f64>, chance: f64, expect_seconds: f64) {
        let retries = Retries { options: HttpOptions::default(), made };
        let delay = retries.delay(after.map(Duration::from_secs_f64), chance).as_secs_f64();
        assert!((delay - expect_seconds).abs() < 1e-6, "{made} {after:?} {chance}: {delay}");
    }

    #[test]
    fn waits_double_and_are_shortened_by_chance() {
        check(1, None, 1.0, 0.5);
        check(1, None, 0.0, 0.25);
        check(2, None, 1.0, 1.0);
        check(3, None, 0.5, 1.5);
        check(30, None, 1.0, 60.0);
    }

    #[test]
    fn the_time_the_provider_names_is_kept() {
        check(1, Some(7.0), 0.0, 7.0);
        check(3, Some(0.0), 1.0, 0.001);
    }

    #[tokio::test]
    async fn a_longer_wait_than_we_are_ready_for_ends_the_call() {
        let mut retries = Retries::new(HttpOptions::default());
        let after = Some(Duration::from_secs(3600));
        let error = LlmError::RateLimited { endpoint: "e".into(), attempts: 0, retry_after: after };
        let ended = retries.wait(Failure::Again { error, after }).await;
        assert!(matches!(ended, Err(LlmError::RateLimited { attempts: 1, .. })), "{ended:?}");
    }
}
