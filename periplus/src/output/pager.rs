//! A pager for what is longer than the screen, as version control systems and SQL shells have one.

use std::io::Write as _;
use std::process::{Child, Command, Stdio};

/// A program that shows text screen by screen. Dropping it waits until its reader is done.
pub(super) struct Pager(Child);

impl Pager {
    /// The one that `PERIPLUS_PAGER` or `PAGER` names, else `less` where it is there; none where that is `cat` or empty. What
    /// fits on the screen ends `less` at once.
    pub(super) fn start() -> Option<Self> {
        let named = ["PERIPLUS_PAGER", "PAGER"].iter().find_map(|name| std::env::var(name).ok());
        let words = named.unwrap_or_else(|| "less".to_owned());
        let mut words = words.split_whitespace();
        let program = words.next().filter(|program| *program != "cat")?;
        let mut command = Command::new(program);
        command.args(words).stdin(Stdio::piped());
        if std::env::var_os("LESS").is_none() {
            command.env("LESS", "FX");
        }
        command.spawn().ok().map(Self)
    }

    pub(super) fn write_line(&mut self, text: &str) -> std::io::Result<()> {
        let Some(to) = &mut self.0.stdin else { return Ok(()) };
        writeln!(to, "{text}")
    }
}

impl Drop for Pager {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}
