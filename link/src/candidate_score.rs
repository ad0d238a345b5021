//! The score that candidates are chosen by: a weighted sum, cheap enough for thousands of tables.
//!
//! The weights were fitted to the training part of Spider 1.0, so that needed tables outrank all others (listwise softmax
//! loss). It only has to pass the needed tables on to the trees, and does so for other schemas too.

use crate::features::FirstStageFeatures;

/// The higher, the likelier the table is needed.
pub(crate) fn candidate_score(row: &FirstStageFeatures) -> f32 {
    // Added up in this order: another one rounds otherwise.
    let weighted = [
        0.348 * row.name_words,
        0.102 * row.column_words,
        0.337 * row.description_words,
        0.017 * row.value_words,
        0.112 * row.all_words,
        2.168 * row.name_share,
        1.052 * row.best_column_words,
        0.303 * row.table_similarity,
        0.092 * row.best_column_similarity,
        0.114 * row.three_columns_similarity,
        1.107 * row.value_strength,
        1.296 * row.words_explained,
        1.923 * row.source_words_explained,
        -0.007 * row.source_best_similarity,
        0.591 * row.source_three_similarities,
        1.649 * row.source_value_strength,
        1.223 * row.schema_words_explained,
        -0.007 * row.schema_best_similarity,
        0.861 * row.component_words_explained,
        0.077 * row.component_best_similarity,
        1.163 * row.component_value_strength,
        0.351 * row.words_explained_of_source_best,
        0.393 * row.similarity_below_source_best,
        -0.485 * row.name_words_of_source_best,
        0.697 * row.words_explained_alone,
        -1.012 * row.source_size,
    ];
    weighted.into_iter().sum()
}
