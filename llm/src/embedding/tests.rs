//! The embedder against its Python twin, and the quantized scan against plain arithmetic.

use serde::Deserialize;

use super::{
    Embedder, EmbeddingTableError, QuantizedQuery, QuantizedVectors, StaticEmbedder, TABLE, WideRow, static_embedder,
};

/// What `models/embedding/cases.py` wrote.
const CASES: &str = include_str!("../../../models/embedding/cases.json");

#[derive(Deserialize)]
struct Case {
    text: String,
    ids: Vec<usize>,
    /// The first numbers of the vector.
    vector: Vec<f32>,
}

fn cases() -> Vec<Case> {
    let cases: Vec<Case> = serde_json::from_str(CASES).unwrap();
    assert!(cases.len() > 30, "the table of cases is whole");
    cases
}

fn likeness(left: &str, right: &str) -> f32 {
    let [left, right] = [left, right].map(|text| static_embedder().embed_one(text));
    left.iter().zip(&right).map(|(left, right)| left * right).sum()
}

#[test]
fn cuts_texts_into_the_same_tokens_as_the_reference() {
    for case in cases() {
        assert_eq!(static_embedder().token_ids(&case.text), case.ids, "{:?}", case.text);
    }
}

#[test]
fn gives_the_same_vectors_as_the_reference() {
    for case in cases() {
        let vector = static_embedder().embed_one(&case.text);
        for (&ours, &theirs) in vector.iter().zip(&case.vector) {
            assert!((ours - theirs).abs() < 2e-5, "{ours} {theirs} {:?}", case.text);
        }
    }
}

#[test]
fn vectors_are_unit_vectors_of_the_promised_length() {
    let embedder = static_embedder();
    for vector in embedder.embed(&["orders by customer", "x", "東京"]).unwrap() {
        assert_eq!(vector.len(), embedder.dimensions());
        assert!((vector.iter().map(|value| value * value).sum::<f32>() - 1.0).abs() < 1e-5);
    }
}

#[test]
fn a_text_without_words_has_the_zero_vector_and_no_weight() {
    for text in ["", " \n", "\u{200b}"] {
        assert!(static_embedder().embed_one(text).iter().all(|&value| value == 0.0), "{text:?}");
        assert_eq!(static_embedder().weight(text), 0.0, "{text:?}");
    }
}

#[test]
fn words_that_tell_more_weigh_more() {
    for (rare, frequent) in [("invoice", "the"), ("warehouse", "of"), ("salary", "what")] {
        assert!(static_embedder().weight(rare) > static_embedder().weight(frequent), "{rare} {frequent}");
    }
}

#[test]
fn what_means_the_same_is_more_alike_than_what_does_not() {
    for (question, near, far) in [
        ("How much do employees earn?", "staff salary", "flight departure"),
        ("Which clients bought something last year?", "customer orders", "weather station"),
        ("qty", "quantity", "street"),
        ("txn amt", "transaction amount", "player height"),
        ("Where do the students live?", "pupil address", "invoice total"),
        ("cheapest product", "item price", "teacher name"),
    ] {
        let (near_likeness, far_likeness) = (likeness(question, near), likeness(question, far));
        assert!(near_likeness > far_likeness + 0.1, "{question}: {near} {near_likeness}, {far} {far_likeness}");
    }
}

#[test]
fn case_accents_and_the_order_of_words_do_not_matter() {
    assert!(likeness("Café Orders", "orders cafe") > 0.9999);
}

fn check_damaged(bytes: Vec<u8>, expected: &EmbeddingTableError) {
    // The table has to outlive the program; a test may leak a copy of it.
    let found = StaticEmbedder::from_bytes(Vec::leak(bytes)).unwrap_err();
    assert_eq!(&found, expected);
    assert_eq!(found.code(), "embedding_table");
    assert!(!found.hints().is_empty());
}

/// A table of two tokens in two dimensions.
fn small_table() -> Vec<u8> {
    let mut bytes = b"PERIEMB\0".to_vec();
    for number in [1_u32, 2, 2, 4, 9] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(b"tiny");
    bytes.extend(b"red\n##ish");
    for scale in [0.5_f32, 0.25] {
        bytes.extend(scale.to_le_bytes());
    }
    bytes.extend([100, 0, 0, (-100_i8).cast_unsigned()]);
    bytes
}

#[test]
fn reads_a_table_and_weighs_its_tokens() {
    let embedder = StaticEmbedder::from_bytes(Vec::leak(small_table())).unwrap();
    assert_eq!((embedder.name(), embedder.dimensions()), ("tiny", 2));
    assert_eq!(embedder.token_ids("Reddish red, REDish"), [0, 0, 1]);
    assert_eq!(embedder.embed_one("red"), [1.0, 0.0]);
    let mixed = embedder.embed_one("redish");
    assert!((mixed[0] - 0.894_427_2).abs() < 1e-6 && (mixed[1] + 0.447_213_6).abs() < 1e-6, "{mixed:?}");
    assert_eq!((embedder.weight("red"), embedder.weight("redish")), (50.0, 75.0));
}

#[test]
fn refuses_what_is_not_a_whole_table() {
    check_damaged(Vec::new(), &EmbeddingTableError::Magic);
    check_damaged(b"SQLite format 3\0".to_vec(), &EmbeddingTableError::Magic);
    check_damaged(b"PERIEMB\0\x01".to_vec(), &EmbeddingTableError::Length { expected: 28, found: 9 });
    let mut newer = small_table();
    newer[8] = 2;
    check_damaged(newer, &EmbeddingTableError::Version { found: 2, supported: 1 });
    let whole = small_table();
    let length = whole.len();
    check_damaged(whole[..length - 1].to_vec(), &EmbeddingTableError::Length { expected: length, found: length - 1 });
    check_damaged([&whole[..], b"!"].concat(), &EmbeddingTableError::Length { expected: length, found: length + 1 });
    let mut no_dimensions = small_table();
    no_dimensions[12..16].fill(0);
    check_damaged(no_dimensions, &EmbeddingTableError::Damaged("its size is impossible"));
    let mut huge = small_table();
    huge[16..28].fill(0xff);
    let found = StaticEmbedder::from_bytes(Vec::leak(huge)).unwrap_err();
    assert!(matches!(found, EmbeddingTableError::Length { .. }), "{found}");
    let mut too_many = small_table();
    too_many[32..41].copy_from_slice(b"red\nred\na");
    check_damaged(too_many, &EmbeddingTableError::Damaged("its vocabulary and its rows differ in number"));
    let mut twice = small_table();
    twice[32..41].copy_from_slice(b"blue\nblue");
    check_damaged(twice, &EmbeddingTableError::Damaged("a token is in its vocabulary twice"));
    let mut not_text = small_table();
    not_text[32] = 0xff;
    check_damaged(not_text, &EmbeddingTableError::Damaged("its vocabulary is not UTF-8"));
    let mut not_a_number = small_table();
    not_a_number[41..45].copy_from_slice(&f32::NAN.to_le_bytes());
    check_damaged(not_a_number, &EmbeddingTableError::Damaged("a scale is no number"));
}

#[test]
fn the_table_in_the_binary_is_within_its_budget() {
    assert!(TABLE.len() <= 16 << 20, "{} bytes", TABLE.len());
    assert!(format!("{:?}", static_embedder()).contains("tokens"));
}

/// Numbers between -1 and 1 that are the same in every run.
fn arbitrary_vectors(count: usize, dimensions: usize) -> Vec<Vec<f32>> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
    };
    let mut unit = || {
        let vector: Vec<f32> = (0..dimensions).map(|_| next()).collect();
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        vector.iter().map(|value| value / length).collect()
    };
    (0..count).map(|_| unit()).collect()
}

fn matrix(vectors: &[Vec<f32>], dimensions: usize) -> QuantizedVectors {
    let mut matrix = QuantizedVectors::new(dimensions);
    vectors.iter().for_each(|vector| matrix.push(vector));
    matrix
}

#[test]
fn quantized_products_are_close_to_the_true_ones() {
    for dimensions in [1, 3, 64, 256, 384] {
        let vectors = arbitrary_vectors(50, dimensions);
        let matrix = matrix(&vectors, dimensions);
        for query in arbitrary_vectors(5, dimensions) {
            let prepared = QuantizedQuery::new(&query);
            for (row, vector) in vectors.iter().enumerate() {
                let exact: f32 = vector.iter().zip(&query).map(|(left, right)| left * right).sum();
                let found = matrix.dot(row, &prepared);
                assert!((exact - found).abs() < 0.01, "{dimensions} dimensions: {exact} {found}");
            }
        }
    }
}

#[test]
fn top_is_the_head_of_all_scores_sorted() {
    let mut vectors = arbitrary_vectors(300, 32);
    // Equal rows must come in their order.
    vectors[250] = vectors[7].clone();
    let matrix = matrix(&vectors, 32);
    let mut scores = vec![f32::NAN; 3];
    for query in [&vectors[7], &vectors[100], &arbitrary_vectors(1, 32)[0], &vec![0.0; 32]] {
        let prepared = QuantizedQuery::new(query);
        matrix.dot_all(&prepared, &mut scores);
        assert_eq!(scores.len(), vectors.len());
        let mut expected: Vec<(usize, f32)> = scores.iter().copied().enumerate().collect();
        expected.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
        for k in [0, 1, 2, 10, 300, 1000] {
            assert_eq!(matrix.top(&prepared, k), expected[..k.min(expected.len())], "k = {k}");
        }
    }
}

#[test]
fn nothing_is_found_in_an_empty_matrix_or_beyond_its_end() {
    let query = QuantizedQuery::new(&[1.0, 0.0]);
    let mut matrix = QuantizedVectors::new(2);
    assert!(matrix.is_empty() && matrix.top(&query, 3).is_empty());
    matrix.push(&[0.0, 1.0]);
    assert_eq!((matrix.len(), matrix.dot(1, &query), matrix.dot(usize::MAX, &query)), (1, 0.0, 0.0));
}

#[test]
fn vectors_that_are_no_numbers_score_zero() {
    let mut matrix = QuantizedVectors::new(2);
    matrix.push(&[f32::NAN, f32::INFINITY]);
    assert_eq!(matrix.dot(0, &QuantizedQuery::new(&[1.0, 1.0])), 0.0);
}

#[test]
fn a_matrix_taken_apart_gives_the_same_products() {
    let vectors = arbitrary_vectors(4, 40);
    let matrix = matrix(&vectors, 40);
    let query = QuantizedQuery::new(&vectors[2]);
    let expected: Vec<f32> = (0..4).map(|row| matrix.dot(row, &query)).collect();
    let (rows, scales) = matrix.clone().into_parts();
    let products: Vec<f32> = rows.chunks(40).zip(&scales).map(|(row, &scale)| query.dot(row, scale)).collect();
    assert_eq!(products, expected);
    let mut wide = WideRow::default();
    let of_wide = rows.chunks(40).zip(&scales).map(|(row, &scale)| {
        wide.set(row, scale);
        query.dot_wide(&wide)
    });
    assert_eq!(of_wide.collect::<Vec<_>>(), expected);
    let mut again = QuantizedVectors::new(40);
    rows.chunks(40).zip(&scales).for_each(|(row, &scale)| again.push_quantized(row, scale));
    assert_eq!(again, matrix);
}

#[test]
fn words_of_every_day_are_told_from_terms() {
    let embedder = super::static_embedder();
    for word in ["come", "way", "average", "open"] {
        assert!(embedder.is_common(word), "{word}");
    }
    for word in ["recurring", "churn", "retention", "xyzzy", ""] {
        assert!(!embedder.is_common(word), "{word}");
    }
}
