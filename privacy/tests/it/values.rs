//! Columns of `specs/values.txt`: their names say nothing, their values do.

use privacy::{Seen, Sensitivity};

use crate::structure::{column, table};

#[test]
fn values_tell_what_is_personal_and_nothing_else() {
    let mut wrong = Vec::new();
    for line in include_str!("../specs/values.txt").lines().filter(|line| !line.starts_with('#')) {
        let parts: Vec<&str> = line.split(" | ").collect();
        let [name, column_name, data_type, expected, values @ ..] = parts.as_slice() else { panic!("{line}") };
        let (name, neighbours) = name.trim_end_matches(')').split_once('(').unwrap_or((name, ""));
        let neighbours = neighbours.split(',').filter(|name| !name.is_empty()).map(|name| column(name, "text"));
        let judged = column(column_name, data_type);
        let table = table(name, std::iter::once(judged.clone()).chain(neighbours).collect());
        let sensitivity = Sensitivity::standard();
        let seen = Seen { column: &judged, values: values.to_vec(), different: 1.0 };
        let found = sensitivity.by_values(&table, &[seen]).into_iter().next().flatten();
        let kind = found.as_ref().map_or("-".to_owned(), |found| format!("{:?}", found.kind));
        if kind != *expected {
            wrong.push(format!("{name}.{column_name}: {kind} instead of {expected}"));
        }
        let quoted =
            found.is_some_and(|found| values.iter().any(|value| value.len() > 3 && found.reason.contains(value)));
        assert!(!quoted, "{name}.{column_name} quotes a value");
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
