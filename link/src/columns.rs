//! Which columns of a table the question means.

use index::{Index, Question, UnitNumber, ValueMatch};

use crate::linked::RankedColumn;

/// Ranks the columns of a unit, best first; equal ones stay in the table's order.
pub(crate) fn rank_columns(
    index: &Index,
    question: &Question,
    unit: UnitNumber,
    values: &[ValueMatch],
) -> Vec<RankedColumn> {
    let values: Vec<&ValueMatch> = values.iter().filter(|found| found.unit == unit).collect();
    let mut columns: Vec<RankedColumn> = index
        .column_scores(question, unit)
        .into_iter()
        .map(|column| {
            let named = values.iter().filter(|found| found.column == column.name);
            let value = named.map(|found| found.strength).fold(0.0, f32::max);
            let raw = 1.2 * column.name_share + 1.5 * column.lexical + 1.5 * column.similarity.max(0.0) + 2.0 * value;
            RankedColumn {
                name: column.name.to_owned(),
                score: 1.0 - (-raw).exp(),
                matched: column.matched.iter().map(|&word| question.terms()[word].word.clone()).collect(),
            }
        })
        .collect();
    columns.sort_by(|left, right| right.score.total_cmp(&left.score));
    columns
}
