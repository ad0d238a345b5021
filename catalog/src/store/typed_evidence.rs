//! The step from format 5 to 6: how it is known when a table last changed is a value of its own, and no sentence.

use rusqlite::{Connection, params};
use serde_json::{Value, json};

use super::sealing::{seal, verify};
use crate::error::CatalogError;

/// Puts the typed evidence in the place of the sentence, in every table that is as it was written; what is damaged stays so
/// and is found when it is read.
pub(super) fn rewrite(connection: &Connection) -> Result<(), CatalogError> {
    let mut stored = connection.prepare("SELECT id, body, seal FROM tables")?;
    let rows: Vec<(String, String, String)> =
        stored.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.filter_map(Result::ok).collect();
    let mut update = connection.prepare("UPDATE tables SET body = ?2, seal = ?3 WHERE id = ?1")?;
    for (id, body, sealed) in rows {
        if verify("tables", &id, &body, &sealed).is_err() {
            continue;
        }
        let Ok(mut table) = serde_json::from_str::<Value>(&body) else { continue };
        let Some(evidence) = table.pointer_mut("/last_update/evidence") else { continue };
        let Some(sentence) = evidence.as_str() else { continue };
        *evidence = typed(sentence);
        let body = table.to_string();
        update.execute(params![id, body, seal("tables", &id, &body)])?;
    }
    Ok(())
}

fn typed(sentence: &str) -> Value {
    let (from, newest) = match (sentence.strip_prefix("newest value of column "), sentence.strip_prefix("column ")) {
        (Some(newest), _) => ("other_date", newest),
        (None, Some(newest)) => ("change_column", newest),
        (None, None) => return json!({"from": "engine"}),
    };
    let (column, rows) = match newest.split_once(", in the first and last ") {
        Some((column, rest)) => (column, rest.trim_end_matches(" rows").parse::<usize>().ok()),
        None => (newest, None),
    };
    json!({"from": from, "column": column, "among_rows": rows})
}

#[cfg(test)]
mod tests {
    use super::typed;
    use crate::model::last_update::UpdateEvidence;

    #[test]
    fn every_sentence_of_format_5_becomes_what_it_says() {
        for sentence in [
            "engine",
            "column updated_at",
            "newest value of column order_date",
            "newest value of column order_date, in the first and last 200 rows",
        ] {
            let evidence: UpdateEvidence = serde_json::from_value(typed(sentence)).unwrap();
            assert_eq!(evidence.to_string(), sentence);
        }
    }
}
