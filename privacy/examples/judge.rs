//! Says what is personal in columns that are given as text, so that other data can be tried.
//!
//! One column a line, with tabs between: table, column, type, comment, values (as they stand in the rows, with U+001F
//! between), `pk`, `fk:` with the table that it refers to, or nothing, the table's comment. What is found is printed as table,
//! column, kind, confidence, reason. With `--features`, what `models/personal` learns from is printed instead: table, column,
//! 1 where it is found by rules, the buckets of letters with how much is in them, and the other measures.

use std::collections::BTreeSet;
use std::io::Read;

use catalog::{Column, ForeignKey, KeyOrigin, Table, TableId};
use privacy::{Seen, Sensitivity};

fn main() -> std::io::Result<()> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
    let sensitivity = Sensitivity::standard();
    let (mut columns, mut by_structure, mut by_values) = (0, std::time::Duration::ZERO, std::time::Duration::ZERO);
    let wants_features = std::env::args().any(|argument| argument == "--features");
    for lines in lines.chunk_by(|left, right| left[0] == right[0]) {
        let table = table(lines);
        if wants_features {
            print_features(&table, lines);
            continue;
        }
        let before = std::time::Instant::now();
        let mut found = sensitivity.by_structure(&table);
        by_structure += before.elapsed();
        columns += found.len();
        let open: Vec<usize> = (0..found.len()).filter(|place| found[*place].is_none()).collect();
        let seen = open.iter().map(|place| seen(&table.columns[*place], &lines[*place])).collect::<Vec<_>>();
        let before = std::time::Instant::now();
        let told = sensitivity.by_values(&table, &seen);
        by_values += before.elapsed();
        for (place, told) in open.iter().zip(told) {
            found[*place] = told;
        }
        for (column, found) in table.columns.iter().zip(&found) {
            if let Some(found) = found {
                #[expect(clippy::print_stdout, reason = "that is what it is for")]
                {
                    println!(
                        "{}\t{}\t{:?}\t{:.2}\t{}",
                        lines[0][0], column.name, found.kind, found.confidence, found.reason
                    );
                }
            }
        }
    }
    eprintln!("{columns} columns, their structure in {by_structure:?}, their values in {by_values:?}");
    Ok(())
}

#[expect(clippy::print_stdout, reason = "that is what it is for")]
fn print_features(table: &Table, lines: &[Vec<&str>]) {
    let seen: Vec<Seen<'_>> = table.columns.iter().zip(lines).map(|(column, line)| seen(column, line)).collect();
    for (column, (measured, is_found)) in table.columns.iter().zip(privacy::measured(table, &seen)) {
        let letters: Vec<String> = measured.letters.iter().map(|(bucket, much)| format!("{bucket}:{much}")).collect();
        let measures: Vec<String> = measured.measures.iter().map(f32::to_string).collect();
        let is_found = u8::from(is_found);
        println!("{}\t{}\t{is_found}\t{}\t{}", table.id.name, column.name, letters.join(" "), measures.join(" "));
    }
}

fn seen<'v>(column: &'v Column, line: &[&'v str]) -> Seen<'v> {
    let values = line.get(4).map(|values| values.split('\u{1f}')).into_iter().flatten();
    let values: Vec<&str> = values.filter(|value| !value.is_empty()).collect();
    let rows = values.len().max(1);
    let mut known = BTreeSet::new();
    let values: Vec<&str> = values.into_iter().filter(|value| known.insert(*value)).collect();
    Seen { column, different: values.len() as f64 / rows as f64, values }
}

fn table(lines: &[Vec<&str>]) -> Table {
    let text =
        |line: &Vec<&str>, place: usize| line.get(place).filter(|text| !text.is_empty()).map(|text| (*text).to_owned());
    let column = |line: &Vec<&str>| Column {
        comment: text(line, 3),
        ..Column::new(text(line, 1).unwrap_or_default(), text(line, 2).unwrap_or_default())
    };
    // What stands before a point says only where the table is from.
    let name = lines[0][0].rsplit('.').next().unwrap_or_default();
    let columns: Vec<Column> = lines.iter().map(column).collect();
    let references = lines.iter().filter_map(|line| {
        let ref_table = TableId::new("given", line.get(5)?.strip_prefix("fk:")?);
        let columns = vec![text(line, 1).unwrap_or_default()];
        Some(ForeignKey { columns, ref_table, ref_columns: vec!["id".to_owned()], origin: KeyOrigin::Declared })
    });
    let keys = lines.iter().filter(|line| line.get(5).is_some_and(|key| *key == "pk"));
    Table {
        comment: text(&lines[0], 6),
        columns,
        primary_key: keys.filter_map(|line| text(line, 1)).collect(),
        foreign_keys: references.collect(),
        ..Table::new(TableId::new("given", name))
    }
}
