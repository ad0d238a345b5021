//! `give_feedback`: somebody says that a statement answers a question, or what is wrong with it.
//!
//! It is offered to callers who may say so and nobody else: what they say is shown to whoever asks something alike.

use catalog::{Memory, MemoryId, MemoryKind, NewMemory, Reach};
use guard::{Decision, GuardError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Definition, fits};
use crate::caller::Rights;
use crate::error::ToolError;
use crate::names;
use crate::reply::Reply;
use crate::session::Session;

/// What is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Verdict {
    Approve,
    Reject,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    verdict: Verdict,
    question: String,
    sql: String,
    /// With reject: what is wrong, or how it should be
    correction: Option<String>,
    source: Option<String>,
    /// The number of what this says better
    replaces: Option<i64>,
    /// For the user alone
    #[serde(default)]
    private: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// Its number, to take it back by.
    id: i64,
    verdict: &'static str,
}

pub(super) const NAME: &str = "give_feedback";

pub(super) fn definition() -> Definition {
    Definition::new::<Arguments, Output>(
        NAME,
        "Keep what the user says of an answer: that the statement is right, or what is wrong with it. Only at their word.",
    )
    .writing()
}

pub(super) async fn run(session: &Session, arguments: Arguments) -> Result<Reply, ToolError> {
    let memory = keep(session, arguments).await?;
    let verdict = if memory.content.kind == MemoryKind::Approved { "approved" } else { "rejected" };
    session.reply(&Output { id: memory.id.0, verdict })
}

/// Whether a caller may see what was said: what counts for somebody alone is theirs.
pub(crate) fn may_see(memory: &Memory, caller: &str) -> bool {
    !memory.content.reach.private || memory.content.author == caller
}

/// The error for a number under which nothing was said, or nothing that the caller may see.
pub(crate) fn unknown(id: MemoryId) -> ToolError {
    ToolError::new("unknown_memory", format!("nothing that was said has the number {}", id.0))
}

/// Bytes of a text that is kept: it is read again for each role and after each change of the catalog.
const LONGEST_KEPT: usize = 16 << 10;

/// Keeps it: an approved statement only where the guard accepts it, as a wrong example would teach the wrong thing.
pub(crate) async fn keep(session: &Session, said: Arguments) -> Result<Memory, ToolError> {
    session.must_be(Rights::Approver)?;
    let invalid = |reason: &'static str| ToolError::new("invalid_arguments", reason);
    if said.question.trim().is_empty() || said.sql.trim().is_empty() {
        return Err(invalid("`question` and `sql` must not be empty"));
    }
    for (name, text) in [
        ("question", said.question.as_str()),
        ("sql", &said.sql),
        ("correction", said.correction.as_deref().unwrap_or_default()),
    ] {
        fits(name, text)?;
        if text.len() > LONGEST_KEPT {
            return Err(ToolError::new("text_too_long", format!("`{name}` is longer than {LONGEST_KEPT} bytes"))
                .hint("what is kept is checked again whenever the catalog changes: keep it short"));
        }
    }
    let kind = match (said.verdict, &said.correction) {
        (Verdict::Approve, None) => MemoryKind::Approved,
        (Verdict::Approve, Some(_)) => return Err(invalid("a correction is for what is rejected")),
        (Verdict::Reject, Some(correction)) if !correction.trim().is_empty() => MemoryKind::Rejected,
        (Verdict::Reject, _) => return Err(invalid("`correction` says what is wrong, or how it should be")),
    };
    let snapshot = session.context.snapshot().await?;
    let source = names::source(&snapshot.catalog, said.source.as_deref())?.to_owned();
    if kind == MemoryKind::Approved {
        let policy = session.policy(Some(&said.question));
        let verdict = guard::check(&said.sql, &snapshot.catalog, &source, &policy, None);
        if verdict.decision == Decision::Refuse {
            return Err(ToolError::from_guard(GuardError::Refused(Box::new(verdict)), session.reply_tokens()));
        }
    }
    let author = session.caller().to_owned();
    let replaces = said.replaces.map(MemoryId);
    if let Some(id) = replaces {
        let replaced = snapshot.catalog.memories().iter().find(|memory| memory.id == id && may_see(memory, &author));
        let replaced = replaced.ok_or_else(|| unknown(id))?;
        // It would be gone for everybody else.
        if said.private && !replaced.content.reach.private {
            return Err(invalid(
                "what counts for everybody isn't replaced by something `private`: say it without `replaces`",
            ));
        }
    }
    let (question, sql, correction) = (said.question, said.sql, said.correction);
    let reach = Reach { private: said.private, expires_at: None };
    let content = NewMemory { source, kind, question, sql, correction, author, reach };
    Ok(session.context.remember(content, replaces).await?)
}
