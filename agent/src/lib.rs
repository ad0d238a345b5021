//! *How is a question answered?* The loop, its budget, its trace, its result shapes, its memory.
//!
//! A question is answered from what was approved before, or by a model that is shown the linked part of the catalog
//! and nothing else. Small models are led through a script: decompose, link, draft, verify, repair, run. Large ones call
//! the tools themselves. Either way a statement reaches the database through `guard` alone, at most
//! [`MAX_TOOL_CALLS`] tool calls are spent, and every step is told while it happens.
//!
//! Invariant: nothing is learnt here. The agent reads approvals and corrections; only people write them.
//!
//! ```ignore
//! use agent::{Agent, AgentOptions};
//!
//! let agent = Agent::new(&catalog, &linker, connector.as_ref(), Some(model.as_ref()), &policy, AgentOptions::default());
//! let outcome = agent.ask("Which city has the most customers?", None, &mut |step| eprintln!("{step:?}")).await?;
//! if let Some(answer) = &outcome.answer {
//!     println!("{}", answer.sql());
//! }
//! ```

mod agent;
mod ask;
mod assumptions;
mod calibration;
mod candidate;
mod choose;
mod confidence;
mod context;
mod doubt;
mod error;
mod extract;
mod measure;
mod memory;
mod objections;
mod options;
mod outcome;
mod paraphrase;
mod prompt;
mod question;
mod repair;
mod scripted;
mod shape;
mod signals;
mod tool_loop;
mod tool_reply;
mod trace;
mod unasked;
mod work;

pub use agent::Agent;
pub use calibration::Calibration;
pub use error::AgentError;
pub use extract::statement as statement_in_reply;
pub use memory::answered_before;
pub use options::{Ablations, AgentOptions, Feedback, MAX_TOOL_CALLS, MIN_CONFIDENCE, Mode, Shape};
pub use outcome::{AnswerShape, ContextUsed, Draft, Outcome, Provenance, Status, Usage};
pub use signals::Signals;
pub use trace::{Action, Step};
