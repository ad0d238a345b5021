//! Errors in one line: what went wrong, down to the words of whoever said it first, an engine or a provider.

/// The error and everything behind it, on one line.
pub fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        source = inner.source();
    }
    text
}
