//! What the server takes a statement to read, by its own account.
//!
//! `EXPLAIN QUERY TREE` writes each column with the number of the relation that it is of, whatever the statement calls them.
//! <https://clickhouse.com/docs/sql-reference/statements/explain#explain-query-tree>

use std::collections::{BTreeMap, BTreeSet};

use crate::statement::{EngineRead, ReadWhat};

/// The columns that a tree reads of tables and views; `None` where the lines are no tree.
pub(super) fn reads(tree: &[String]) -> Option<Vec<EngineRead>> {
    let indented: Vec<&str> = tree.iter().flat_map(|text| text.lines()).collect();
    let lines: Vec<&str> = indented.iter().map(|line| line.trim_start()).collect();
    let is_tree = lines.iter().any(|line| line.starts_with("QUERY id:") || line.starts_with("UNION id:"));
    // What was computed beforehand and put aside is no longer in the tree; what a dictionary or a joined table is asked for is
    // not told. Nobody may call such functions, but those that somebody has made do.
    const UNTOLD: [&str; 4] =
        ["__getScalar", "function_name: dict", "function_name: joinGet", "function_name: hasColumn"];
    if !is_tree || lines.iter().any(|line| UNTOLD.iter().any(|untold| line.contains(untold))) {
        return None;
    }
    // What a table function gives is of tables that nothing names.
    let functions = lines.iter().filter_map(|line| Some((entry(line.strip_prefix("TABLE_FUNCTION ")?, "id: ")?, None)));
    let tables = lines.iter().filter(|line| line.starts_with("TABLE id: "));
    let tables = tables.map(|table| Some((entry(table, "id: ")?, behind(table, "table_name: ").map(before_options))));
    let mut relations: BTreeMap<&str, Option<&str>> = functions.collect();
    for table in tables {
        // A name with a line break can look like a line of its own, or take one apart.
        let (id, name) = table.filter(|(_, name)| name.is_some())?;
        if relations.insert(id, name).is_some() {
            return None;
        }
    }
    let mut found: BTreeSet<EngineRead> = values_of_tables(&indented).collect();
    for line in lines {
        let Some(line) = line.strip_prefix("COLUMN ") else { continue };
        let name = between(line, "column_name: ", ", result_type: ")?;
        // Of a query, a join or an array, it is named where it comes from.
        let Some(table) = line.rsplit_once("source_id: ").and_then(|(_, id)| relations.get(id.trim())) else {
            continue;
        };
        let (schema, relation) = table.and_then(|table| table.split_once('.')).unzip();
        let [schema, relation] = [schema, relation].map(|name| name.map(str::to_owned));
        // Of a part of a value (`home.street`, `city.size`), the whole is read.
        let wholes = name.match_indices('.').map(|(dot, _)| &name[..dot]);
        found.extend(wholes.chain([name]).map(|name| EngineRead {
            schema: schema.clone(),
            relation: relation.clone(),
            what: ReadWhat::Column(name.to_owned()),
            through: None,
        }));
    }
    Some(found.into_iter().collect())
}

/// The tables that stand among the arguments of a function, as behind IN: all of their columns are read, and none is named.
fn values_of_tables<'t>(tree: &'t [&'t str]) -> impl Iterator<Item = EngineRead> + 't {
    let depth = |line: &str| line.len() - line.trim_start().len();
    let is_argument = move |place: usize| {
        let above = tree[..place].iter().rev().find(|line| depth(line) < depth(tree[place]));
        above.is_some_and(|line| line.trim_start().starts_with("LIST"))
    };
    let tables = tree
        .iter()
        .enumerate()
        .filter(move |(place, line)| line.trim_start().starts_with("TABLE id: ") && is_argument(*place));
    tables.map(|(_, line)| {
        let name = behind(line, "table_name: ").map(before_options);
        let (schema, relation) = name.and_then(|name| name.split_once('.')).unzip();
        let [schema, relation] = [schema, relation].map(|name| name.map(str::to_owned));
        EngineRead { schema, relation, what: ReadWhat::Row, through: None }
    })
}

fn behind<'l>(line: &'l str, key: &str) -> Option<&'l str> {
    line.split_once(key).map(|(_, rest)| rest)
}

fn entry<'l>(line: &'l str, key: &str) -> Option<&'l str> {
    behind(line, key).map(|rest| rest.split(',').next().unwrap_or(rest))
}

fn between<'l>(line: &'l str, start: &str, end: &str) -> Option<&'l str> {
    behind(line, start)?.rsplit_once(end).map(|(name, _)| name)
}

/// A table's name without what is said behind it of how it is read.
fn before_options(name: &str) -> &str {
    [", final:", ", sample_size:", ", table_expression_modifiers:"]
        .iter()
        .fold(name, |name, option| name.split_once(option).map_or(name, |(name, _)| name))
}

#[cfg(test)]
mod tests {
    use super::{ReadWhat, reads};

    #[test]
    fn columns_are_told_by_the_number_of_their_table() {
        let tree = "QUERY id: 0\n  PROJECTION\n    LIST id: 1, nodes: 2\n      \
                    COLUMN id: 2, column_name: e, mail, result_type: String, source_id: 3\n      \
                    COLUMN id: 4, column_name: city, result_type: String, source_id: 5\n  JOIN TREE\n    \
                    CROSS JOIN id: 6\n      TABLE EXPRESSION\n        TABLE id: 3, alias: __table1, table_name: pp.people, final: 1\n    QUERY id: 5, is_subquery: 1";
        let read = reads(&[tree.to_owned()]).unwrap();
        assert_eq!(read.len(), 1);
        assert_eq!(read[0].what, ReadWhat::Column("e, mail".to_owned()));
        let within = format!(
            "{tree}\n  WHERE\n    FUNCTION id: 7, function_name: in\n      ARGUMENTS\n        LIST id: 8, nodes: 2\n          TABLE id: 9, alias: __table2, table_name: pp.mails"
        );
        let whole = reads(&[within]).unwrap().into_iter().find(|read| read.what == ReadWhat::Row).unwrap();
        assert_eq!((whole.schema.as_deref(), whole.relation.as_deref()), (Some("pp"), Some("mails")));
        assert_eq!(
            reads(&[format!("{tree}\n  FUNCTION id: 7, function_name: dictGetOrNull, function_type: ordinary")]),
            None
        );
        assert_eq!(reads(&["Select".to_owned()]), None);
        let forged = format!("{tree}\n  x\n  TABLE id: 3, alias: __table1, table_name: pp.dept");
        assert_eq!(reads(&[forged]), None);
    }
}
