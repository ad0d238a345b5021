//! *What does it mean?* Descriptions of tables and columns, written by rules or by a model, and the Markdown files in
//! which people read and correct them.
//!
//! Rules come first: [`by_rules`] says what names, types, keys, comments and statistics give away, and is always
//! there. [`by_model`] asks a model for better words and falls back to the rules where it answers nonsense;
//! [`by_agent`] takes what an agent wrote that was asked to document the database.
//! [`markdown`] writes one file per table and reads back what people changed in them.
//!
//! Invariant: what a person wrote wins over every generated text and no run overwrites it; values of masked columns
//! appear in no description.
//!
//! ```no_run
//! use catalog::Store;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let store = Store::open(".periplus/catalog.db".as_ref())?;
//! describe::describe_source(&store, "shop", None, &mut |progress| println!("{progress:?}")).await?;
//! describe::markdown::read_back(&store, "docs/shop".as_ref())?;
//! describe::markdown::write(&store.catalog()?, "shop", "docs/shop".as_ref())?;
//! # Ok(())
//! # }
//! ```

mod basis;
mod by_agent;
mod contradictions;
mod error;
mod glossary;
pub mod markdown;
mod model;
mod personal;
mod proposals;
mod rules;
mod source;
#[cfg(test)]
mod testing;
mod texts;
mod vocabulary;
mod watch;

pub use basis::basis;
pub use by_agent::{Refused, Taken, Written, by_agent, lacks_description};
pub use contradictions::{Contradiction, MadeFrom, contradictions};
pub use error::DescribeError;
pub use glossary::WrittenTerm;
pub use markdown::human_queries;
pub use model::by_model;
pub use personal::{PersonalAdvice, Suspected, personal_columns};
pub use proposals::{Proposal, Waiting, proposals, propose, withdraw};
pub use rules::by_rules;
pub use source::{Outcome, Progress, Summary, describe_source};
pub use texts::{ColumnText, Editor, JudgedFact, LONGEST_TEXT, Said, TextEdits, Texts, edited, texts};
pub use vocabulary::spoken;
pub use watch::{Watch, watch};
