//! How much SQLite may do and hold in this process.

use rusqlite::limits::Limit;

/// The largest value or row the engine may hold. Far above what a reply shows, far below what hurts.
pub(super) const VALUE_BYTES: i32 = 64 << 20;
/// What SQLite may hold in this process, all connections together: a statement can ask for many of the largest values.
/// A limit that is already there is never raised.
pub(super) const HEAP_BYTES: u64 = 1 << 30;

pub(super) const LIMITS: [(Limit, i32); 10] = [
    (Limit::SQLITE_LIMIT_LENGTH, VALUE_BYTES),
    (Limit::SQLITE_LIMIT_SQL_LENGTH, 1_000_000),
    (Limit::SQLITE_LIMIT_EXPR_DEPTH, 500),
    (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 200),
    (Limit::SQLITE_LIMIT_VDBE_OP, 5_000_000),
    (Limit::SQLITE_LIMIT_ATTACHED, 0),
    (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 5_000),
    (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, 1_000),
    (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 1),
    (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
];
