//! What ANALYZE has found out, as the server keeps it for its planner.

use catalog::{Exactness, RowCount, Table};
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::decode::{Kind, Lossy};
use super::introspect::Facts;
use super::session::Session;
use crate::error::ConnectError;
use crate::result_set::Next;
use crate::statistics::{ColumnStatistics, TableStatistics};
use crate::value::Value;

const STATISTICS: &str = include_str!("introspection/statistics.sql");

/// Share of the rows that may have been written since ANALYZE: the server's own automatic one comes after as many, by
/// `autovacuum_analyze_scale_factor`.
const WRITTEN_SINCE: f64 = 0.1;

/// The statistics of these columns, in one statement; `None` where there are none, or they are out of date.
pub(super) async fn of_columns(
    session: &Session,
    table: &Table,
    facts: &Facts,
    columns: &[String],
) -> Result<Option<TableStatistics>, ConnectError> {
    let mut found = None;
    let take = |row: &Row| {
        let rows: i64 = row.try_get(6)?;
        let looked_at: i64 = row.try_get(7)?;
        let rows = u64::try_from(rows).unwrap_or(0);
        let written: i64 = row.try_get(8)?;
        let told = found.get_or_insert_with(|| TableStatistics {
            is_outdated: written > 0,
            row_count: RowCount { value: rows, exactness: Exactness::Estimate },
            rows_seen: u64::try_from(looked_at).unwrap_or(0),
            columns: Vec::with_capacity(columns.len()),
        });
        told.columns.push(column(row, facts, rows)?);
        Ok(Next::Continue)
    };
    let (schema, name) = (table.id.schema.as_deref().unwrap_or("public"), table.id.name.as_str());
    let parameters: [super::session::Parameter<'_>; 5] = [
        (&facts.oid, Type::OID),
        (&schema, Type::TEXT),
        (&name, Type::TEXT),
        (&columns, Type::TEXT_ARRAY),
        (&WRITTEN_SINCE, Type::FLOAT8),
    ];
    session.each_row(STATISTICS, &parameters, take).await?;
    Ok(found)
}

fn column(row: &Row, facts: &Facts, rows: u64) -> Result<ColumnStatistics, tokio_postgres::Error> {
    let Lossy(name) = row.try_get(0)?;
    let kind = facts.types.get(&name).map_or(Kind::Text, |base| base.kind);
    let values = |place| -> Result<Vec<Value>, tokio_postgres::Error> {
        let texts: Option<Vec<Lossy>> = row.try_get(place)?;
        // Bytes don't leave the database; of them there is nothing to compare.
        let texts = texts.filter(|_| kind != Kind::Bytes).unwrap_or_default();
        Ok(texts.iter().map(|Lossy(text)| kind.sampled_value(text)).collect())
    };
    let shares: Option<Vec<f64>> = row.try_get(4)?;
    let distinct: f64 = row.try_get(2)?;
    Ok(ColumnStatistics {
        null_fraction: row.try_get(1)?,
        // Above 0 a number, below a share of the rows, 0 where it isn't known: the documentation of pg_stats.
        distinct_count: match distinct {
            _ if kind == Kind::Bytes || distinct == 0.0 => None,
            share if share < 0.0 => Some((-share * rows as f64).round() as u64),
            number => Some(number.round() as u64),
        },
        most_common: values(3)?.into_iter().zip(shares.unwrap_or_default()).collect(),
        bounds: values(5)?,
        column: name,
    })
}
