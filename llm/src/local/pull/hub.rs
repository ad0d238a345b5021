//! The model from the model hub, in one piece, continued with HTTP ranges.

use std::fs::OpenOptions;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::RANGE;

use super::{OnPull, Plan, PullProgress, Source};
use crate::error::LlmError;
use crate::http::{innermost, redacted};

/// Bytes between two reports.
const REPORT: u64 = 4 << 20;

/// Fetches what is missing in `part`.
pub(super) async fn fetch(plan: &Plan, part: &Path, on_progress: &mut OnPull<'_>) -> Result<(), LlmError> {
    let endpoint = redacted(&plan.hub_url);
    let failed = |error: std::io::Error| LlmError::file(part, error);
    let lost = |error: reqwest::Error| match error.is_timeout() && !error.is_connect() {
        true => LlmError::Timeout { endpoint: redacted(&plan.hub_url), after: SILENCE },
        false => LlmError::Unreachable { endpoint: redacted(&plan.hub_url), reason: innermost(&error) },
    };
    let mut file = OpenOptions::new().create(true).append(true).open(part).map_err(failed)?;
    let mut done = file.metadata().map_err(failed)?.len();
    if done > plan.bytes {
        file.set_len(0).map_err(failed)?;
        done = 0;
    }
    on_progress(PullProgress::Started { source: Source::Hub.name(plan), done, total: plan.bytes });
    if done == plan.bytes {
        return Ok(());
    }
    // Redirects lead to the hub's storage and carry no key.
    let client = reqwest::Client::builder()
        .connect_timeout(Duration::from_secs(10))
        .read_timeout(SILENCE)
        .user_agent(concat!("periplus/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(lost)?;
    let mut response = client.get(&plan.hub_url).header(RANGE, format!("bytes={done}-")).send().await.map_err(lost)?;
    match response.status() {
        StatusCode::PARTIAL_CONTENT => {}
        // A server that can't continue sends everything.
        StatusCode::OK => {
            file.set_len(0).and_then(|()| file.seek(SeekFrom::Start(0))).map_err(failed)?;
            done = 0;
        }
        status => {
            return Err(LlmError::BadReply { endpoint, reason: format!("HTTP {}", status.as_u16()) });
        }
    }
    let mut reported = done;
    while let Some(piece) = response.chunk().await.map_err(lost)? {
        done += piece.len() as u64;
        if done > plan.bytes {
            return Err(LlmError::BadReply { endpoint, reason: "it sends more than the model's file holds".into() });
        }
        file.write_all(&piece).map_err(failed)?;
        if done - reported >= REPORT || done == plan.bytes {
            reported = done;
            on_progress(PullProgress::Advanced { done, total: plan.bytes });
        }
    }
    file.sync_all().map_err(failed)?;
    if done < plan.bytes {
        let reason = format!("it stopped after {done} of {} bytes", plan.bytes);
        return Err(LlmError::BadReply { endpoint, reason });
    }
    Ok(())
}

/// The longest silence.
const SILENCE: Duration = Duration::from_secs(30);
