//! Servers that some tests need, named by the environment.
//!
//! Without the variable a test says that it was skipped, and passes: nothing has to run for `cargo test`.

/// The address in `variable`, or `None` once the skipped test has been named on standard error. Works in tests that run
/// on the thread that has their name, as `#[tokio::test]` does by default.
pub fn server_url(variable: &str) -> Option<String> {
    let url = std::env::var(variable).ok().filter(|url| !url.is_empty());
    if url.is_none() {
        let thread = std::thread::current();
        eprintln!("skipped: {variable} is not set ({})", thread.name().unwrap_or("a test"));
    }
    url
}
