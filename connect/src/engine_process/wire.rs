//! What a caller and its engine process say to each other: a request, its reply, each a line.

use serde::{Deserialize, Serialize};

use crate::connector::Work;
use crate::error::ConnectError;
use crate::result_set::{Limits, ResultSet};
use crate::statement::{EngineRead, LiveRelation, ReadRelation, TextFound, TextLookUp};

/// What the process is to do.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Request {
    /// The database that all statements are for. The first request, without a reply.
    Database {
        name: String,
        dsn: String,
    },
    /// As in [`OpenStatement::open_statement`](crate::OpenStatement::open_statement).
    Open {
        sql: String,
        reads: Vec<ReadRelation>,
        limits: Limits,
    },
    /// As in [`StatementSession::look_up`](crate::StatementSession::look_up), as are the next.
    LookUp(Vec<TextLookUp>),
    Plan,
    Reads(String),
    DataState,
    Run,
    End,
}

/// What came of it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Reply {
    Opened(Vec<LiveRelation>),
    Found(Vec<TextFound>),
    Rows(ResultSet),
    Reads(Option<Vec<EngineRead>>),
    DataState(Option<String>),
    Ended,
    /// The same, and the process has ended itself, since it would go on holding much.
    EndedForGood,
    Failed(ConnectError),
    /// The process holds more than this many bytes, and has ended itself.
    TooLarge(usize),
}

/// A reply, and the work that the process has done up to it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Answer {
    pub(super) reply: Reply,
    pub(super) work: Work,
}
