//! What a role may do that Periplus never needs.
//!
//! The guard and the engine's read-only transactions keep a database unchanged whoever we log in as; a role without the
//! right to write is what still holds when both have a hole. Invariant: finding out reads the engine's catalog only.

/// A right beyond reading. Periplus doesn't use it; whoever finds a way around would.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExcessPrivilege {
    /// What it is, as a programmer branches on it: `superuser`, `file_access`, `write`, `create`, `grant` …
    pub code: &'static str,
    /// What the role may do, in words: ``the role `app` may write to 12 tables, `public.orders` among them``.
    pub what: String,
    /// The statements that make a role which may only read, one a line; no password of anybody's is in them. The same
    /// for every right of one role.
    pub remedy: String,
}

/// What the role of a remedy is called, where nobody has that name yet.
pub(crate) const READER: &str = "periplus_reader";

/// Where the user writes a password.
pub(crate) const PASSWORD_PLACEHOLDER: &str = "'<password>'";

/// [`READER`], or that with the first number behind it that makes a name nobody has.
pub(crate) fn reader_name(is_taken: impl Fn(&str) -> bool) -> String {
    let mut name = READER.to_owned();
    let mut number = 1;
    while is_taken(&name) {
        number += 1;
        name = format!("{READER}_{number}");
    }
    name
}
