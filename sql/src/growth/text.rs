//! Formats: how wide their fields can be, and how many there are.

/// The largest width or precision in a format; endless where an argument says it.
pub(super) fn widest(format: &str) -> f64 {
    let mut widest: f64 = 0.0;
    let mut rest = format;
    while let Some(position) = rest.find('%') {
        rest = &rest[position + 1..];
        if let Some(after) = rest.strip_prefix('%') {
            rest = after;
            continue;
        }
        let specification = rest.split(|letter: char| letter.is_ascii_alphabetic()).next().unwrap_or_default();
        if specification.contains('*') {
            return f64::INFINITY;
        }
        widest = widest.max(largest(specification));
    }
    // DuckDB's `{:>20}`.
    for field in format.split('{').skip(1) {
        let specification = field.split('}').next().unwrap_or_default();
        let Some((_, specification)) = specification.split_once(':') else { continue };
        if !field.contains('}') {
            return f64::INFINITY;
        }
        widest = widest.max(largest(specification));
    }
    widest
}

fn largest(specification: &str) -> f64 {
    let digits = specification.split(|letter: char| !letter.is_ascii_digit());
    digits.filter_map(|digits| digits.parse().ok()).fold(0.0, f64::max)
}

/// How many values a format puts in.
pub(super) fn fields(format: &str) -> f64 {
    format.matches(['%', '{']).count() as f64
}

#[cfg(test)]
mod tests {
    use super::widest;

    #[test]
    fn widths_in_formats_are_found() {
        assert!(widest("%.2f and %5d") < 6.0);
        assert!(widest("100%% of %s") < 1.0);
        assert!(widest("%1000000000d") > 1e8);
        assert!(widest("%.999999999f") > 1e8);
        assert!(widest("%*d").is_infinite());
        assert!(widest("{} of {:.2f}, {:>20}") < 21.0);
        assert!(widest("{:1000000000}") > 1e8);
        assert!(widest("{:{}}").is_infinite());
    }
}
