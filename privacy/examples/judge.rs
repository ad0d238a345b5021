//! Says what is personal in columns that are given as text, so that other data can be tried.
//!
//! One column a line, with tabs between: table, column, type, comment, values (with U+001F between). What is found is
//! printed as table, column, kind, confidence, reason.

use std::io::Read;

use catalog::{Column, Table, TableId, TableKind, TypeClass};
use privacy::Sensitivity;

fn main() -> std::io::Result<()> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
    let sensitivity = Sensitivity::standard();
    let started = std::time::Instant::now();
    let (mut columns, mut by_structure) = (0, std::time::Duration::ZERO);
    for lines in lines.chunk_by(|left, right| left[0] == right[0]) {
        let table = table(lines);
        let before = std::time::Instant::now();
        let found = sensitivity.by_structure(&table);
        by_structure += before.elapsed();
        columns += found.len();
        for ((line, column), found) in lines.iter().zip(&table.columns).zip(found) {
            let values = line.get(4).map(|values| values.split('\u{1f}')).into_iter().flatten();
            let values: Vec<&str> = values.filter(|value| !value.is_empty()).collect();
            let found = found.or_else(|| sensitivity.by_values(&table, column, values.into_iter()));
            if let Some(found) = found {
                #[expect(clippy::print_stdout, reason = "that is what it is for")]
                {
                    println!(
                        "{}\t{}\t{:?}\t{:.2}\t{}",
                        table.id.name, column.name, found.kind, found.confidence, found.reason
                    );
                }
            }
        }
    }
    eprintln!("{columns} columns in {:?}, their structure in {by_structure:?}", started.elapsed());
    Ok(())
}

fn table(lines: &[Vec<&str>]) -> Table {
    let column = |line: &Vec<&str>| Column {
        name: line.get(1).copied().unwrap_or_default().to_owned(),
        data_type: line.get(2).copied().unwrap_or_default().to_owned(),
        type_class: TypeClass::of(line.get(2).copied().unwrap_or_default()),
        nullable: true,
        default: None,
        comment: line.get(3).filter(|comment| !comment.is_empty()).map(|comment| (*comment).to_owned()),
        enum_values: Vec::new(),
        generated: None,
    };
    // What stands before a point says only where the table is from.
    let name = lines[0][0].rsplit('.').next().unwrap_or_default();
    Table {
        id: TableId::new("given", name),
        kind: TableKind::Table,
        comment: None,
        definition: None,
        columns: lines.iter().map(column).collect(),
        primary_key: Vec::new(),
        foreign_keys: Vec::new(),
        indexes: Vec::new(),
        reads_from: Vec::new(),
        row_count: None,
        last_update: None,
    }
}
