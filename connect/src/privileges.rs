//! What a role may do that Periplus never needs.

/// A right beyond reading. Periplus doesn't use it; whoever finds a way around would.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExcessPrivilege {
    /// What it is, as a programmer branches on it: `superuser`, `file_access`, `write`, `create`, `grant` …
    pub code: &'static str,
    /// What the role may do, in words: ``the role `app` may write to 12 tables, `public.orders` among them``.
    pub what: String,
    /// The statements that make a role which may only read, one a line; no password of anybody's is in them.
    pub remedy: String,
}
