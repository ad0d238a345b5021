//! *What is in the columns?* Samples become profiles, and undeclared keys are found.
//!
//! [`profile_source`] goes through a source table by table: what must not be read is decided first ([`privacy::Sensitivity`]),
//! then rows are drawn (small tables whole, large ones by random keys), then figures are computed and stored. At the end
//! undeclared foreign keys are inferred from names and checked on values. All of it gives way while others work with the
//! server.
//!
//! Invariant: sensitive values are never stored, a large table is never scanned, and a finished table is never done
//! again without a reason.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use std::sync::Arc;
//!
//! use profile::{Options, profile_source};
//!
//! let connector = connect::connect("shop", "sqlite:shop.db")?;
//! let options = Options::new(jiff::Timestamp::now());
//! let store = catalog::Store::open(".periplus/catalog.db".as_ref(), Arc::new(options.sensitive.clone()))?;
//! let summary = profile_source(&*connector, &store, &options, &mut |_| {}).await?;
//! println!("{} profiled, {} unchanged", summary.profiled, summary.unchanged);
//! # Ok(())
//! # }
//! ```

mod changed;
mod codes;
mod drift;
mod error;
mod facts;
mod keys;
mod options;
mod origins;
mod pacing;
mod patterns;
mod random;
mod read;
mod renamed;
mod run;
mod sample_rows;
mod sampling;
mod staleness;
mod statistics;
mod writes;

pub use drift::{Drift, Drifted, drift};
pub use error::ProfileError;
pub use options::{Additions, Failure, OnStructure, Options, Outcome, Progress, Summary};
pub use origins::Lineage;
pub use run::{add_joined_keys, profile_source};
pub use writes::ROW_COUNT_TOLERANCE;
