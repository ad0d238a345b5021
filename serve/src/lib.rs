//! *Who is asking?* The catalog and its databases for agents, over the Model Context Protocol.
//!
//! An agent lists the tables that matter for its question, describes some, asks how they join, checks its SQL, runs it
//! and submits the final one. Every reply fits a token budget and says when it was cut and how to ask for less; every
//! error has a code, a reason and a next step.
//!
//! Invariants: wire formats are known here and nowhere else; what a database says reaches an agent between marks and no
//! other way; a statement reaches a database only through
//! [`guard::run`]; nothing but the protocol is written to standard output.
//!
//! ```no_run
//! use serve::{Context, Options, Serving, SourceAccess};
//!
//! # async fn example(store: catalog::Store, embedder: &'static dyn index::Embedder) -> Result<(), serve::ServeError> {
//! let sources = vec![SourceAccess::new("shop", || connect::connect("shop", "shop.db"))];
//! let context = Context::new(store, None, embedder, sources, Options::default());
//! serve::stdio(Serving::new(context)).await
//! # }
//! ```

mod asking;
mod budget;
mod caller;
mod calls;
mod context;
mod conversation;
mod error;
mod finding;
mod hang_up;
mod http;
mod indexing;
mod mcp;
mod metrics;
mod names;
mod reply;
mod schema;
mod served;
mod session;
mod spans;
mod tokens;
mod tools;
mod trace;
mod work;

pub use asking::Asking;
pub use caller::{Rights, Role};
pub use context::{Configuration, Context, Documenting, Options, SourceAccess};
pub use conversation::Conversation;
pub use error::ServeError;
pub use http::{CertificateFiles, HttpOptions, HttpServer, OAuthOptions};
pub use indexing::{IndexRun, IndexWanted, RunDocument, RunEnd, RunState, StartIndexing};
pub use mcp::{stdio, tools_json};
pub use served::{Reload, Serving};
pub use tokens::{Token, TokenError, Tokens};
