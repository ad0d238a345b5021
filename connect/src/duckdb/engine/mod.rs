//! DuckDB's C interface, made safe: the only unsafe code of the workspace.
//!
//! `library` finds the user's library and the functions in it, `handles` owns what these functions give out, `vector`
//! reads the values of a result where they lie. Invariant: nothing that leaves this folder can outlive what it points
//! into, and every handle is given back once. What the functions are and who frees what is said in DuckDB's header,
//! <https://duckdb.org/docs/stable/clients/c/api>.

mod handles;
mod library;
mod vector;

pub(super) use handles::{Connection, Database, EngineError, Statement, StatementKind};
pub(super) use library::Library;
pub(super) use vector::{Cell, Unit};
