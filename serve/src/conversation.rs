//! The tools without a client: what an agent would be answered.

use std::sync::Arc;

use serde_json::Value;

use crate::caller::Caller;
use crate::context::Context;
use crate::reply::Reply;
use crate::session::Session;
use crate::tools;

/// A conversation in this process.
pub struct Conversation {
    session: Session,
}

impl Conversation {
    /// Over that catalog, as whoever works at this machine.
    pub fn over(context: Context) -> Self {
        Self { session: Session::new(Arc::new(context), Caller::local()) }
    }

    /// Another one over the same, in which nothing was said yet.
    #[must_use]
    pub fn anew(&self) -> Self {
        Self { session: Session::new(Arc::clone(&self.session.context), Caller::local()) }
    }

    /// The text of a tool's reply, errors too; nothing where there is no such tool.
    pub async fn call(&self, tool: &str, arguments: Value) -> Option<String> {
        let called = tools::call(&self.session, tool, arguments).await?;
        Some(called.unwrap_or_else(|error| Reply::failure(&error)).text().to_owned())
    }
}
