//! *What do tests stand on?* Databases, catalogs and stable text, made in one call.
//!
//! A dev-dependency of the other rooms and of nothing else. It panics where a test's own input is wrong, because then
//! the test is what has to be repaired. It doesn't use `connect`, so that the rooms below `connect` can use it as well,
//! and so that a mistake in introspection can't hide in what the tests expect.
//!
//! With the feature `engines` it copies a SQLite file into other engines ([`load`]); without it no driver is built.
//!
//! Invariant: nothing here needs a network, a server, or a file outside the target and temporary folders; tests that
//! do ask [`server_url`] first, and are skipped by name where it knows none.
//!
//! ```ignore
//! let catalog = testkit::catalog_from_ddl(Dialect::Sqlite, "shop", "CREATE TABLE users (id INTEGER PRIMARY KEY)");
//! let catalog = testkit::with_known_values(catalog, "users", "country", &["US", "DE"]);
//! let database = testkit::database("CREATE TABLE users (id INTEGER); INSERT INTO users VALUES (1)");
//! let whole_company: &Path = testkit::shop();
//! ```

mod database;
mod injections;
#[cfg(feature = "engines")]
pub mod load;
mod server;
mod structure;
mod text;

pub use database::{TempDatabase, database, shop};
pub use injections::{
    Injection, hidden_character, hostile_database, hostile_script, hostile_snapshot, injections, injections_of, leaked,
    outside_of_marks,
};
pub use server::server_url;
pub use structure::{
    catalog_from_ddl, catalog_from_tables, looked_at, table, with_distinct_ratio, with_known_values, with_masked,
    with_null_fraction,
};
pub use text::{snapshot_names, stable_text};
