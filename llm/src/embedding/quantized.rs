//! Many vectors as int8, and the exact best of them for a query.
//!
//! A catalog has tens to hundreds of thousands of vectors. At that size a scan of all of them beats a graph index in
//! everything but asymptotics: it is exact, has nothing to build and nothing to tune, and its memory is a quarter of
//! f32. The rows are stored as `value + 128` in unsigned bytes, because baseline x86-64 widens unsigned bytes in one
//! instruction and signed ones in two; the offset is taken back with one subtraction a row. A row of 256 takes 16 ns on
//! one core, without any target features (baseline x86-64, rows in the cache): half a million rows would take 8 to 10 ms if they stayed there.
//!
//! Invariant: `rows.len() == scales.len() * dimensions`.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// The largest absolute value of a quantized number.
const LARGEST: f32 = 127.0;
/// Added to each number of a row to store it unsigned.
const OFFSET: i32 = 128;
/// Bytes that are multiplied at a time: one 128-bit register.
const LANES: usize = 16;

/// A matrix of int8 vectors, each with its own scale.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct QuantizedVectors {
    dimensions: usize,
    rows: Vec<u8>,
    scales: Vec<f32>,
}

/// A query made ready for [`QuantizedVectors`]: quantized once, compared many times.
#[derive(Debug, Clone)]
pub struct QuantizedQuery {
    values: Vec<i16>,
    scale: f32,
    /// What the rows' offset adds to every dot product.
    offset: i32,
}

/// A row of a matrix in 16 bits, made once and compared with many queries.
#[derive(Debug, Default)]
pub struct WideRow {
    values: Vec<i16>,
    scale: f32,
}

impl WideRow {
    /// Becomes that row.
    pub fn set(&mut self, row: &[u8], scale: f32) {
        self.values.clear();
        self.values.extend(row.iter().map(|&cell| i16::from(cell)));
        self.scale = scale;
    }
}

impl QuantizedQuery {
    /// Quantizes a vector.
    pub fn new(vector: &[f32]) -> Self {
        let scale = scale_of(vector);
        let values: Vec<i16> = vector.iter().map(|&value| i16::from(quantize(value, scale))).collect();
        let offset = OFFSET * values.iter().map(|&value| i32::from(value)).sum::<i32>();
        Self { values, scale, offset }
    }

    /// The dot product with a row of a matrix that was taken apart.
    pub fn dot(&self, row: &[u8], scale: f32) -> f32 {
        scaled_dot(row, scale, self)
    }

    /// The same with a row that was widened before, for many queries of one row.
    #[inline]
    pub fn dot_wide(&self, row: &WideRow) -> f32 {
        (integer_dot(&row.values, &self.values) - self.offset) as f32 * (row.scale * self.scale)
    }
}

impl QuantizedVectors {
    /// No vectors yet, of this length each.
    pub fn new(dimensions: usize) -> Self {
        Self { dimensions, rows: Vec::new(), scales: Vec::new() }
    }

    /// Makes room for so many more rows at once: growing step by step takes twice the memory in between.
    pub fn reserve(&mut self, rows: usize) {
        self.rows.reserve_exact(rows * self.dimensions);
        self.scales.reserve_exact(rows);
    }

    /// The rows as bytes (`value + 128`) one after the other, and their scales: what an index writes to disk, and what
    /// [`QuantizedQuery::dot`] is taken with.
    pub fn into_parts(self) -> (Vec<u8>, Vec<f32>) {
        (self.rows, self.scales)
    }

    /// Appends a vector. Each number keeps seven bits and its sign, so that a dot product of two unit vectors is off
    /// by about 0.001 at 256 dimensions.
    ///
    /// # Panics
    /// If the vector has another length than the matrix was made for.
    pub fn push(&mut self, vector: &[f32]) {
        assert_eq!(vector.len(), self.dimensions, "the vector has another length than the matrix");
        let scale = scale_of(vector);
        self.rows.extend(vector.iter().map(|&value| quantize(value, scale).cast_unsigned() ^ 0x80));
        self.scales.push(scale);
    }

    /// Appends a vector that is quantized already.
    ///
    /// # Panics
    /// If it has another length than the matrix was made for.
    pub fn push_quantized(&mut self, row: &[u8], scale: f32) {
        assert_eq!(row.len(), self.dimensions, "the vector has another length than the matrix");
        self.rows.extend_from_slice(row);
        self.scales.push(scale);
    }

    /// How many vectors there are.
    pub fn len(&self) -> usize {
        self.scales.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.scales.is_empty()
    }

    /// The length of each vector.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The dot product of one vector with the query; zero for a row that doesn't exist.
    pub fn dot(&self, row: usize, query: &QuantizedQuery) -> f32 {
        let start = row.saturating_mul(self.dimensions);
        let bytes = self.rows.get(start..start.saturating_add(self.dimensions)).unwrap_or_default();
        let scale = self.scales.get(row).copied().unwrap_or_default();
        scaled_dot(bytes, scale, query)
    }

    /// The dot products of all vectors with the query, in their order, into `scores`, whose memory is used again.
    pub fn dot_all(&self, query: &QuantizedQuery, scores: &mut Vec<f32>) {
        scores.clear();
        scores.extend(self.scan(query));
    }

    /// The `k` vectors with the largest dot products, best first; of equal ones the earlier first. Exact.
    pub fn top(&self, query: &QuantizedQuery, k: usize) -> Vec<(usize, f32)> {
        if k == 0 {
            return Vec::new();
        }
        // The worst of the best is on top, where it can be compared and replaced.
        let mut best: BinaryHeap<Scored> = BinaryHeap::with_capacity(k.min(self.len()) + 1);
        for (row, score) in self.scan(query).enumerate() {
            let candidate = Scored { row, score };
            if best.len() < k {
                best.push(candidate);
            } else if best.peek().is_some_and(|worst| candidate < *worst) {
                best.pop();
                best.push(candidate);
            }
        }
        best.into_sorted_vec().into_iter().map(|scored| (scored.row, scored.score)).collect()
    }

    fn scan<'a>(&'a self, query: &'a QuantizedQuery) -> impl Iterator<Item = f32> + 'a {
        // `max(1)`: a matrix of no dimensions has no rows either, and chunks of zero are not allowed.
        let rows = self.rows.chunks_exact(self.dimensions.max(1));
        rows.zip(&self.scales).map(|(row, &scale)| scaled_dot(row, scale, query))
    }
}

/// The dot product of a row and the query, offset and scales taken back.
fn scaled_dot(row: &[u8], scale: f32, query: &QuantizedQuery) -> f32 {
    (mixed_dot(row, &query.values) - query.offset) as f32 * (scale * query.scale)
}

/// Compiles a function again for processors with AVX2 and for those with AVX-512, and asks the processor which one to use.
macro_rules! widest {
    ($(#[$about:meta])* fn $name:ident($left:ident: &[$kind:ty], $right:ident: &[i16]) -> i32 $body:block) => {
        $(#[$about])*
        fn $name($left: &[$kind], $right: &[i16]) -> i32 {
            #[inline(always)]
            fn plain($left: &[$kind], $right: &[i16]) -> i32 $body

            #[cfg(target_arch = "x86_64")]
            widest!(@with ["avx512bw", "avx2"] $left: &[$kind], $right);
            plain($left, $right)
        }
    };
    (@with [$($feature:tt),*] $left:ident: &[$kind:ty], $right:ident) => {
        $(if std::arch::is_x86_feature_detected!($feature) {
            #[target_feature(enable = $feature)]
            fn wide($left: &[$kind], $right: &[i16]) -> i32 {
                plain($left, $right)
            }
            #[allow(unsafe_code, reason = "the compiler can't know which processor it will run on")]
            // SAFETY: the processor has just said that it has these instructions.
            return unsafe { wide($left, $right) };
        })*
    };
}

widest! {
    /// The sum of the products of a row's bytes and the query's numbers.
    fn mixed_dot(row: &[u8], query: &[i16]) -> i32 {
        let (row_lanes, row_rest) = row.as_chunks::<LANES>();
        let (query_lanes, query_rest) = query.as_chunks::<LANES>();
        let lanes: i32 = row_lanes.iter().zip(query_lanes).map(|(row, query)| lane_product(row, query)).sum();
        let rest: i32 = row_rest.iter().zip(query_rest).map(|(&left, &right)| i32::from(left) * i32::from(right)).sum();
        lanes + rest
    }
}

widest! {
    /// The sum of the products of a widened row's numbers and the query's.
    fn integer_dot(row: &[i16], query: &[i16]) -> i32 {
        row.iter().zip(query).map(|(&left, &right)| i32::from(left) * i32::from(right)).sum()
    }
}

/// The hot loop. Widening a whole block to 16 bits before it is multiplied makes the compiler use the instruction that
/// multiplies eight pairs and adds them two by two (`pmaddwd`) on full registers: twice as fast as the plain loop.
/// At 255 · 127 a product, 32 bits hold the sum of more than 60,000.
#[inline(always)]
fn lane_product(row: &[u8; LANES], query: &[i16; LANES]) -> i32 {
    let wide = row.map(i16::from);
    wide.iter().zip(query).map(|(&left, &right)| i32::from(left) * i32::from(right)).sum()
}

fn scale_of(vector: &[f32]) -> f32 {
    let largest = vector.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
    if largest.is_finite() { largest / LARGEST } else { 0.0 }
}

fn quantize(value: f32, scale: f32) -> i8 {
    if scale > 0.0 { (value / scale).round().clamp(-LARGEST, LARGEST) as i8 } else { 0 }
}

/// A row and its score, ordered so that the better one is the smaller.
#[derive(PartialEq)]
struct Scored {
    row: usize,
    score: f32,
}

impl Eq for Scored {}

impl PartialOrd for Scored {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Scored {
    fn cmp(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(self.row.cmp(&other.row))
    }
}
