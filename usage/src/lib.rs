//! *What do people run?* Query logs, read into what people and programs usually do with each table.
//!
//! What a statement says is `sql`'s to read; here statements are counted over logs that grow, and what most of them agree on is
//! found.
//!
//! Invariant: a log is only read, each part of it once. Of its constants nothing is kept but values that the catalog holds
//! anyway and short numbers in what is computed, and of its users nothing but a hash.
//!
//! ```ignore
//! let mut journal = Journal::load(path)?.unwrap_or_else(|| Journal::new(salt));
//! journal.read_files(&paths, &Reader::new(&catalog, "shop"), database, own_role, &mut |progress| show(progress))?;
//! journal.save(path)?;
//! store.put_usage("shop", Some(&journal.usage(&catalog, "shop")))?;
//! ```

mod error;
mod habits;
mod journal;
mod logs;
mod record;
mod statement;

pub use error::UsageError;
pub use journal::{Journal, Progress};
pub use record::{Measure, Reader};
pub use statement::Logged;
