//! What is found in columns that were written down with what must be found.

mod damage;
mod structure;
mod values;
