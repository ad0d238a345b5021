//! Conversations over HTTP: whose each is, and which end for others.
//!
//! The protocol's crate takes whoever knows a conversation's id for its owner, and keeps as many as are begun.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rmcp::transport::streamable_http_server::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;

use crate::caller::Caller;
use crate::context::unpoisoned;

/// How long a client may be silent before its conversation is forgotten.
const SILENCE: Duration = Duration::from_secs(60 * 60);

/// The conversations that are open.
pub(crate) struct Conversations {
    pub(super) sessions: Arc<LocalSessionManager>,
    most: usize,
    /// Of one caller.
    most_of_one: usize,
    open: Mutex<HashMap<String, Conversation>>,
}

struct Conversation {
    caller: Caller,
    used: Instant,
}

impl Conversations {
    /// At most so many, an eighth of them of one caller.
    pub(crate) fn new(most: usize) -> Self {
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.keep_alive = Some(SILENCE);
        let most = most.max(1);
        Self { sessions: Arc::new(sessions), most, most_of_one: most.div_ceil(8), open: Mutex::default() }
    }

    /// Whether it is this caller's, who goes on with it.
    pub(crate) fn go_on(&self, id: &str, caller: &Caller) -> bool {
        let mut open = unpoisoned(&self.open);
        let own = open.get_mut(id).filter(|conversation| conversation.caller == *caller);
        own.map(|conversation| conversation.used = Instant::now()).is_some()
    }

    /// Keeps whose it is. Where that makes too many, one ends: of the caller, or of whoever has most, the one that was silent for
    /// longest.
    pub(crate) async fn begin(&self, id: &str, caller: &Caller) {
        for ended in self.keep(id, caller) {
            if let Err(error) = self.sessions.close_session(&ended.into()).await {
                tracing::debug!(%error, "a conversation that makes way was over");
            }
        }
    }

    /// Forgets one that its caller has ended.
    pub(crate) fn end(&self, id: &str) {
        unpoisoned(&self.open).remove(id);
    }

    /// Keeps whose it is, and gives those that are over.
    fn keep(&self, id: &str, caller: &Caller) -> Vec<String> {
        let mut open = unpoisoned(&self.open);
        open.insert(id.to_owned(), Conversation { caller: caller.clone(), used: Instant::now() });
        let mut over: Vec<String> =
            open.extract_if(|_, conversation| conversation.used.elapsed() > SILENCE).map(|(id, _)| id).collect();
        let of = |caller: &Caller, open: &HashMap<String, Conversation>| {
            open.values().filter(|conversation| conversation.caller == *caller).count()
        };
        // Whose conversations end: who begins too many, else who has most of all.
        let whose = match of(caller, &open) > self.most_of_one {
            true => Some(caller.clone()),
            false if open.len() > self.most => {
                let others = open.iter().filter(|(other, _)| *other != id).map(|(_, it)| it);
                let most = others.max_by_key(|it| (of(&it.caller, &open), Reverse(it.used)));
                most.map(|it| it.caller.clone())
            }
            false => None,
        };
        let others = open.iter().filter(|(other, it)| *other != id && Some(&it.caller) == whose.as_ref());
        if let Some(silent) = others.min_by_key(|(_, it)| it.used).map(|(id, _)| id.clone()) {
            open.remove(&silent);
            over.push(silent);
        }
        over
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn caller(name: &str) -> Caller {
        Caller { name: name.to_owned(), ..Caller::local() }
    }

    #[test]
    fn a_caller_ends_its_own_conversations_before_those_of_others() {
        let conversations = Conversations::new(16);
        let (ann, bob) = (caller("ann"), caller("bob"));
        assert!(conversations.keep("b", &bob).is_empty());
        assert!(conversations.keep("one", &ann).is_empty());
        assert!(conversations.keep("two", &ann).is_empty());
        assert!(conversations.go_on("one", &ann));
        assert_eq!(conversations.keep("three", &ann), ["two"]);
        assert!(!conversations.go_on("two", &ann) && !conversations.go_on("b", &ann) && conversations.go_on("b", &bob));
        for number in 0..40 {
            conversations.keep(&format!("c{number}"), &caller(&format!("c{}", number / 2)));
            // Where nobody has two, it is the one that was silent for longest.
            assert!(conversations.go_on("b", &bob));
        }
        assert_eq!(unpoisoned(&conversations.open).len(), 16);
        assert!(conversations.go_on("b", &bob), "who has one keeps it while others have two");
        conversations.end("b");
        assert!(!conversations.go_on("b", &bob));
    }
}
