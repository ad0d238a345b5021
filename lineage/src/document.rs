//! What a dbt project says of the tables that it fills, beside what their engine tells: descriptions, and which column
//! refers to which.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use catalog::{ForeignKey, KeyOrigin, Table, TableId};

use crate::dbt::{DbtColumn, DbtProject, DbtTest, DbtTestKind};

/// Adds to tables what a project says of them. A comment that the engine has stays. A relationship that is tested counts as
/// declared: somebody has said so.
pub fn document(project: &DbtProject, tables: &mut [Table]) {
    let places = places(project, tables);
    for (id, &place) in &places {
        let node = &project.nodes[*id];
        let table = &mut tables[place];
        write(&mut table.comment, &node.description);
        for DbtColumn { name, description, personal_by } in &node.described {
            let Some(column) = table.columns.iter_mut().find(|column| column.name.eq_ignore_ascii_case(name)) else {
                continue;
            };
            write(&mut column.comment, description);
            personal_by.iter().for_each(|label| mark(&mut column.comment, label));
        }
    }
    for test in &project.tests {
        if let Some((place, key)) = key(test, &places, tables) {
            tables[place].foreign_keys.push(key);
        }
    }
}

fn write(comment: &mut Option<String>, description: &str) {
    let is_empty = comment.as_deref().is_none_or(|text| text.trim().is_empty());
    if is_empty && !description.trim().is_empty() {
        *comment = Some(in_words(description));
    }
}

/// Says in a comment that the column holds personal data, in words by which it is masked.
fn mark(comment: &mut Option<String>, label: &str) {
    let mark = format!("Personal data: labelled `{label}` in dbt.");
    match comment {
        Some(text) if text.contains(&mark) => {}
        Some(text) if !text.trim().is_empty() => *text = format!("{}\n{mark}", text.trim_end()),
        other => *other = Some(mark),
    }
}

/// A description as it is read: tables of Markdown, which are wide to look at, as `status: what it means`.
fn in_words(description: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in description.trim().lines().map(str::trim) {
        let Some(row) = line.strip_prefix('|') else {
            lines.push(line.to_owned());
            continue;
        };
        let cells: Vec<&str> = row.trim_end_matches('|').split('|').map(str::trim).collect();
        let is_rule = |cell: &&str| !cell.is_empty() && cell.chars().all(|it| matches!(it, '-' | ':'));
        match cells.iter().all(is_rule) {
            // What stands above the rule only names the columns.
            true => drop(lines.pop()),
            false => lines.push(format!("{};", cells.join(": "))),
        }
    }
    lines.join("\n").trim_end_matches(';').to_owned()
}

/// Which table each node of a project is, by the node's id.
pub fn nodes_by_table<'p>(project: &'p DbtProject, tables: &[impl Borrow<Table>]) -> BTreeMap<&'p str, TableId> {
    places(project, tables).into_iter().map(|(id, place)| (id, tables[place].borrow().id.clone())).collect()
}

/// Which table each node is, by their places.
fn places<'p>(project: &'p DbtProject, tables: &[impl Borrow<Table>]) -> BTreeMap<&'p str, usize> {
    let found = project.nodes.values().filter_map(|node| {
        let (name, qualifiers) = node.relation.split_last()?;
        let is_it = |table: &Table| {
            let in_schema = match (&table.id.schema, qualifiers.last()) {
                (Some(schema), Some(written)) => schema.eq_ignore_ascii_case(written),
                _ => true,
            };
            in_schema && table.id.name.eq_ignore_ascii_case(name)
        };
        let mut places = (0..tables.len()).filter(|&place| is_it(tables[place].borrow()));
        let place = places.next()?;
        let database = qualifiers.len().checked_sub(2).map(|place| qualifiers[place].as_str());
        places.next().is_none().then_some((node.id.as_str(), database, place))
    });
    let found: Vec<(&str, Option<&str>, usize)> = found.collect();
    // Tables of another database can have the same names.
    let mut databases: BTreeMap<&str, usize> = BTreeMap::new();
    found.iter().filter_map(|(_, database, _)| *database).for_each(|it| *databases.entry(it).or_default() += 1);
    let home = databases.into_iter().max_by_key(|(_, count)| *count).map(|(database, _)| database);
    let at_home = found.into_iter().filter(|(_, database, _)| database.is_none() || *database == home);
    at_home.map(|(id, _, place)| (id, place)).collect()
}

/// The key that a test of a relationship speaks of, and the place of the table that has it, unless a key is there already.
fn key(test: &DbtTest, places: &BTreeMap<&str, usize>, tables: &[Table]) -> Option<(usize, ForeignKey)> {
    let DbtTestKind::Relationship { node, column } = &test.kind else { return None };
    let (&here, &there) = (places.get(test.node.as_str())?, places.get(node.as_str())?);
    let named = |place: usize, name: &str| {
        let column = tables[place].columns.iter().find(|column| column.name.eq_ignore_ascii_case(name))?;
        Some(column.name.clone())
    };
    let (own, other) = (named(here, test.column.as_deref()?)?, named(there, column)?);
    let is_there = tables[here].foreign_keys.iter().any(|key| key.columns == [own.clone()]);
    let key = ForeignKey {
        columns: vec![own],
        ref_table: tables[there].id.clone(),
        ref_columns: vec![other],
        origin: KeyOrigin::Declared,
    };
    (!is_there).then_some((here, key))
}

#[cfg(test)]
mod tests {
    use catalog::{Column, Table, TableId};

    use super::document;
    use crate::dbt::DbtProject;

    #[test]
    fn a_table_in_a_description_is_told_in_words() {
        let described = "One of these:\n\n| status | description |\n|--------|:-----------:|\n| placed | Not sent. |\n| sent | On its way |\n";
        assert_eq!(super::in_words(described), "One of these:\n\nplaced: Not sent.;\nsent: On its way");
        assert_eq!(super::in_words(" Just words. "), "Just words.");
    }

    #[test]
    fn what_a_project_says_is_added_where_the_engine_says_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let manifest = r#"{"metadata": {"adapter_type": "postgres"},
            "nodes": {
                "model.a.orders": {"resource_type": "model", "relation_name": "\"prod\".\"mart\".\"orders\"", "description": "One row an order.",
                    "columns": {"customer": {"name": "customer", "description": "Who ordered.", "tags": ["pii"]}, "gone": {"description": "x"}}},
                "model.a.people": {"resource_type": "model", "relation_name": "\"prod\".\"mart\".\"people\"", "description": "All people."},
                "model.a.far": {"resource_type": "model", "relation_name": "\"other\".\"mart\".\"far\"", "description": "Elsewhere."},
                "test.a.r": {"resource_type": "test", "column_name": "customer", "attached_node": "model.a.orders",
                    "test_metadata": {"name": "relationships", "kwargs": {"field": "id", "to": "ref('people')"}},
                    "depends_on": {"nodes": ["model.a.people", "model.a.orders"]}},
                "test.a.v": {"resource_type": "test", "column_name": "customer", "attached_node": "model.a.orders",
                    "test_metadata": {"name": "accepted_values", "kwargs": {"values": [7, "x"]}}, "depends_on": {"nodes": ["model.a.orders"]}},
                "test.a.u": {"resource_type": "test", "column_name": "ID", "attached_node": "model.a.orders",
                    "test_metadata": {"name": "unique"}, "depends_on": {"nodes": ["model.a.orders"]}},
                "test.a.n": {"resource_type": "test", "column_name": "ID", "attached_node": "model.a.orders",
                    "test_metadata": {"name": "not_null"}, "depends_on": {"nodes": ["model.a.orders"]}},
                "test.a.p": {"resource_type": "test", "column_name": "id", "attached_node": "model.a.people",
                    "test_metadata": {"name": "unique"}, "depends_on": {"nodes": ["model.a.people"]}}}}"#;
        std::fs::write(folder.path().join("manifest.json"), manifest).unwrap();
        let project = DbtProject::read(folder.path()).unwrap();
        let table = |name: &str, columns: &[&str]| {
            let id = TableId { source: "wh".to_owned(), schema: Some("mart".to_owned()), name: name.to_owned() };
            Table { columns: columns.iter().map(|name| Column::new(*name, "INTEGER")).collect(), ..Table::new(id) }
        };
        let people = Table { comment: Some("Persons.".to_owned()), ..table("people", &["ID"]) };
        let mut tables = vec![table("orders", &["id", "customer"]), people, table("far", &["id"])];
        document(&project, &mut tables);
        assert_eq!(tables[0].comment.as_deref(), Some("One row an order."));
        // Values of a test may be those of a column that is masked.
        assert_eq!(
            tables[0].columns[1].comment.as_deref(),
            Some("Who ordered.\nPersonal data: labelled `pii` in dbt.")
        );
        // One that may be missing tells no rows apart.
        assert_eq!(project.tested_keys(), [("mart.orders".to_owned(), "id".to_owned())].into());
        assert_eq!(tables[1].comment.as_deref(), Some("Persons."), "the engine's own stays");
        assert_eq!(tables[2].comment, None, "of another database");
        let [key] = tables[0].foreign_keys.as_slice() else { panic!("{:?}", tables[0].foreign_keys) };
        assert_eq!((&key.ref_table.name, &key.ref_columns), (&"people".to_owned(), &vec!["ID".to_owned()]));
        let once = tables.clone();
        document(&project, &mut tables);
        assert_eq!(tables, once);
    }
}
