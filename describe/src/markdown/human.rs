//! Queries that people wrote into a page, taken out of its prose.

use catalog::{Overrides, QueryPattern};

use super::lines::{closes_fence, opens_fence};

/// The queries in the section "Common Queries" as people rewrote it; empty where nobody did. A block of code counts
/// if it is marked `sql` or not marked at all; the heading above it names it, the prose says what it is for.
pub fn human_queries(overrides: &Overrides) -> Vec<QueryPattern> {
    overrides.0.get("queries").map_or_else(Vec::new, |text| queries_in(text))
}

fn queries_in(text: &str) -> Vec<QueryPattern> {
    let mut patterns: Vec<QueryPattern> = Vec::new();
    let mut name = String::new();
    let mut prose: Vec<String> = Vec::new();
    let mut fence: Option<(String, bool)> = None;
    let mut sql: Vec<&str> = Vec::new();
    let mut belongs_to_last = false;
    for line in text.lines() {
        if let Some((open, is_sql)) = &fence {
            if !closes_fence(line, open) {
                sql.push(line);
                continue;
            }
            if *is_sql && sql.iter().any(|line| !line.trim().is_empty()) {
                patterns.push(QueryPattern {
                    name: name.clone(),
                    sql: sql.join("\n").trim().to_owned(),
                    use_case: std::mem::take(&mut prose).join(" "),
                    returns: String::new(),
                });
                belongs_to_last = true;
            }
            sql.clear();
            fence = None;
        } else if let Some(open) = opens_fence(line) {
            let language = line.trim_start().trim_start_matches(['`', '~']).trim().to_ascii_lowercase();
            fence = Some((open, language.is_empty() || language.starts_with("sql")));
        } else if let Some(heading) = line.trim_start().strip_prefix('#') {
            let title = heading.trim_start_matches('#').trim();
            name = title.strip_prefix("Query Pattern:").unwrap_or(title).trim().to_owned();
            prose.clear();
            belongs_to_last = false;
        } else if !line.trim().is_empty() {
            match patterns.last_mut().filter(|_| belongs_to_last) {
                Some(pattern) => add_remark(pattern, line.trim()),
                None => prose.push(line.trim().to_owned()),
            }
        }
    }
    patterns
}

/// A line of prose below a query.
fn add_remark(pattern: &mut QueryPattern, line: &str) {
    let labelled = |label: &str| line.strip_prefix(label).map(str::trim);
    let (target, text) = match (labelled("**Use case:**"), labelled("**Returns:**")) {
        (_, Some(returns)) => (&mut pattern.returns, returns),
        (Some(use_case), _) => (&mut pattern.use_case, use_case),
        _ => (&mut pattern.use_case, line),
    };
    if !target.is_empty() {
        target.push(' ');
    }
    target.push_str(text);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use catalog::Overrides;

    use super::human_queries;

    #[test]
    fn queries_are_taken_out_of_prose() {
        let text = "### Query Pattern: Open orders\n\nMonday meeting.\n\n```sql\nSELECT 1\n```\n\n**Use case:** see what \
                    is open\n**Returns:** one row\n\n### Not a query\n\n```json\n{}\n```\n\n~~~\nSELECT 2\n~~~";
        let queries = human_queries(&Overrides(BTreeMap::from([("queries".to_owned(), text.to_owned())])));
        assert_eq!(queries.len(), 2);
        assert_eq!(queries[0].name, "Open orders");
        assert_eq!(queries[0].sql, "SELECT 1");
        assert_eq!(queries[0].use_case, "Monday meeting. see what is open");
        assert_eq!(queries[0].returns, "one row");
        assert_eq!((queries[1].name.as_str(), queries[1].sql.as_str()), ("Not a query", "SELECT 2"));
    }

    #[test]
    fn generated_queries_are_not_human() {
        assert!(human_queries(&Overrides::default()).is_empty());
    }
}
