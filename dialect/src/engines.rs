//! One engine a file.

pub(crate) mod clickhouse;
pub(crate) mod duckdb;
pub(crate) mod mysql;
pub(crate) mod other;
pub(crate) mod postgres;
pub(crate) mod sqlite;
