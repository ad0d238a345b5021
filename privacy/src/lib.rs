//! *What is personal or secret?* Columns are judged by their structure, and by values that somebody else has read.
//!
//! [`Sensitivity::by_structure`] looks at names, comments, types and neighbours and needs no database: it is a pure
//! function of a table and the configuration. [`Sensitivity::by_values`] looks at what was sampled of the columns that
//! structure didn't give away, and at all of a table together. What is found is a [`Finding`].
//!
//! Invariant: nothing here reads a database, and no finding quotes a value.

mod amounts;
mod birth_dates;
mod context;
mod declared;
mod doubtful;
mod finding;
mod folding;
mod forms;
mod homes;
mod likeness;
mod listed;
mod marks;
mod meant;
mod national;
mod nested;
mod people;
mod phones;
mod phrases;
mod revealing;
mod rules;
mod seen;
mod sensitivity;
mod shortened;
mod structure;
mod surroundings;
mod tokens;
mod values;
mod vocabulary;

pub use finding::{Finding, PersonalKind};
pub use forms::Form;
pub use likeness::ColumnMeasures;
pub use seen::Seen;
pub use sensitivity::{Check, Denied, DeniedWhat, Sensitivity};
pub use values::measured;
pub use vocabulary::names_somebody;
