//! Repairing a statement's text: cutting a piece in.

use sql::Span;

/// The text with a span replaced; `None` where the span doesn't fit.
pub(crate) fn replaced(sql: &str, span: Span, by: &str) -> Option<String> {
    let (before, after) = (sql.get(..span.start)?, sql.get(span.end..)?);
    Some(format!("{before}{by}{after}"))
}

#[cfg(test)]
mod tests {
    use super::replaced;
    use sql::Span;

    #[test]
    fn a_span_that_does_not_fit_mends_nothing() {
        assert_eq!(replaced("SELECT é", Span { start: 7, end: 9 }, "e").as_deref(), Some("SELECT e"));
        assert_eq!(replaced("SELECT é", Span { start: 8, end: 9 }, "e"), None);
        assert_eq!(replaced("x", Span { start: 0, end: 5 }, "e"), None);
    }
}
