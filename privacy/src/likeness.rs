//! How like personal columns a column is, by a model trained on columns that people have labelled.
//!
//! What no list of words and no form of values gives away is judged by all of it together. A logistic regression over the
//! parts of the words in the column's name, its comment and its table's name, hashed
//! (<https://alex.smola.org/papers/2009/Weinbergeretal09.pdf>), says what the name sounds like; boosted trees weigh that against
//! its type, how its values are written, and what else was found in its table. Both are trained by `models/personal/make.sh`.
//! Invariant: what is measured here is what was measured to learn from; whoever changes it has to learn again.

use std::sync::OnceLock;

use catalog::{Table, TypeClass};

use crate::context::About;
use crate::doubtful::{self, Said};
use crate::folding::folded_words;
use crate::seen::Seen;
use crate::surroundings::{Kinds, Surroundings, is_reference};
use crate::vocabulary::written_out;

/// What `models/personal` has trained, all little-endian: the regression's bias and the scale of its weights as 32-bit floats,
/// a weight of 16 bits for each bucket; the trees' bias as a float, their number as 16 bits, and each tree as its number of
/// nodes and the nodes: what is compared (255 in a leaf), with what, where to go if it isn't more, where else, and what is
/// added.
const TRAINED: &[u8] = include_bytes!("../../models/personal/periplus-personal.bin");
/// How many buckets parts of words are hashed into.
const BUCKETS: usize = 1 << 15;
/// Odds from which a column is taken for personal: of public columns that it was not trained on, one in seventy is masked for it.
const LIKELY: f64 = 0.7;
/// Values that are looked at.
const MOST_VALUES: usize = 200;
/// The feature of a node that compares nothing.
const LEAF: u8 = u8::MAX;

/// What was measured of a column.
#[derive(Clone, Debug, Default)]
pub struct ColumnMeasures {
    /// Parts of words: the bucket, and how much is in it.
    pub letters: Vec<(usize, f32)>,
    /// Everything else, in an order that holds for all columns.
    pub measures: Vec<f32>,
}

/// Whether a column is as good as known to be personal by everything about it together.
pub(crate) fn is_likely(measured: &ColumnMeasures) -> bool {
    trained().is_some_and(|trained| trained.odds(measured) >= LIKELY)
}

struct Trained {
    bias: f32,
    weights: Vec<f32>,
    trees_bias: f32,
    trees: Vec<Vec<Node>>,
}

struct Node {
    feature: u8,
    most: f32,
    left: u16,
    right: u16,
    adds: f32,
}

/// Numbers taken from the front of bytes, one after the other.
struct Numbers<'b>(&'b [u8]);

impl Numbers<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*first)
    }

    fn float(&mut self) -> Option<f32> {
        self.take().map(f32::from_le_bytes)
    }

    fn short(&mut self) -> Option<u16> {
        self.take().map(u16::from_le_bytes)
    }

    fn node(&mut self) -> Option<Node> {
        let [feature] = self.take()?;
        let (most, left, right, adds) = (self.float()?, self.short()?, self.short()?, self.float()?);
        Some(Node { feature, most, left, right, adds })
    }

    fn trained(mut self) -> Option<Trained> {
        let (bias, scale) = (self.float()?, self.float()?);
        let weights = (0..BUCKETS).map(|_| Some(f32::from(i16::from_le_bytes(self.take()?)) * scale));
        let weights = weights.collect::<Option<Vec<f32>>>()?;
        let (trees_bias, trees) = (self.float()?, self.short()?);
        let mut tree = || {
            let nodes = self.short()?;
            (0..nodes).map(|_| self.node()).collect::<Option<Vec<Node>>>()
        };
        let trees = (0..trees).map(|_| tree()).collect::<Option<Vec<_>>>()?;
        Some(Trained { bias, weights, trees_bias, trees })
    }
}

fn trained() -> Option<&'static Trained> {
    static READ: OnceLock<Option<Trained>> = OnceLock::new();
    READ.get_or_init(|| Numbers(TRAINED).trained()).as_ref()
}

impl Trained {
    fn odds(&self, measured: &ColumnMeasures) -> f64 {
        let weight = |bucket: usize| self.weights.get(bucket).copied().unwrap_or_default();
        let sounds: f32 = self.bias + measured.letters.iter().map(|(bucket, much)| weight(*bucket) * much).sum::<f32>();
        let measure = |feature: u8| match usize::from(feature) {
            0 => sounds,
            place => measured.measures.get(place - 1).copied().unwrap_or_default(),
        };
        let sum: f32 = self.trees_bias + self.trees.iter().map(|tree| leaf(tree, &measure)).sum::<f32>();
        1.0 / (1.0 + f64::from(-sum).exp())
    }
}

/// What a tree adds.
fn leaf(tree: &[Node], measure: &impl Fn(u8) -> f32) -> f32 {
    let mut place = 0;
    // No way down is longer than the tree has nodes.
    for _ in tree {
        match tree.get(place) {
            Some(node) if node.feature != LEAF => {
                place = usize::from(if measure(node.feature) <= node.most { node.left } else { node.right });
            }
            Some(node) => return node.adds,
            None => return 0.0,
        }
    }
    0.0
}

/// What is measured of a column. `others` are the kinds of what was found in the rest of its table.
pub(crate) fn measured(table: &Table, seen: &Seen<'_>, around: &Surroundings, others: Kinds) -> ColumnMeasures {
    let column = seen.column;
    let mut letters_found = Vec::new();
    let mut add = |part: &str, much: f32| letters_found.push((bucket(part), much));
    let words = folded_words(&column.name);
    // A short word sounds like what it is short for.
    let long = |word: &String| written_out(word).map_or_else(|| word.clone(), str::to_owned);
    words.iter().for_each(|word| letters(&long(word), |part| add(&format!("n{part}"), 0.3)));
    let comment = folded_words(column.comment.as_deref().unwrap_or_default());
    comment.iter().take(6).for_each(|word| letters(word, |part| add(&format!("n{part}"), 0.15)));
    folded_words(&table.id.name).iter().for_each(|word| letters(word, |part| add(&format!("t{part}"), 0.1)));
    let said = doubtful::said(&words);
    let is = |it: bool| f32::from(u8::from(it));
    let mut measures = vec![
        others.columns().min(6) as f32,
        others.columns() as f32 / table.columns.len().max(1) as f32,
        is(table.primary_key.contains(&column.name)),
        is(is_reference(table, column)),
        is(said == Said::Harmless),
        is(said == Said::Nothing),
        is(around.is_personal()),
        is(around.of_people()),
        is(around.refers_to_people),
        is(around.is_lookup),
        is(column.comment.is_some()),
    ];
    measures.extend((0..KINDS).map(|kind| is(others.each().any(|it| it == kind))));
    measures.extend(ABOUTS.iter().map(|about| is(around.about == *about)));
    measures.extend(TYPES.iter().map(|class| is(column.type_class == *class)));
    measures.extend(shape(seen));
    ColumnMeasures { letters: letters_found, measures }
}

/// The numbers of [`crate::PersonalKind`], and some that are kept for later ones.
const KINDS: u32 = 24;

const ABOUTS: [About; 8] = [
    About::People,
    About::OfPeople,
    About::Public,
    About::Places,
    About::Organisations,
    About::Machines,
    About::Things,
    About::Unknown,
];

const TYPES: [TypeClass; 11] = [
    TypeClass::Boolean,
    TypeClass::Integer,
    TypeClass::Real,
    TypeClass::Text,
    TypeClass::Date,
    TypeClass::Time,
    TypeClass::Timestamp,
    TypeClass::Uuid,
    TypeClass::Json,
    TypeClass::Binary,
    TypeClass::Other,
];

/// The parts of a word of two to five letters, its ends marked.
fn letters(word: &str, mut take: impl FnMut(&str)) {
    let marked: Vec<char> = std::iter::once('^').chain(word.chars()).chain(std::iter::once('$')).collect();
    for length in 2..=5 {
        for part in marked.windows(length) {
            take(&part.iter().collect::<String>());
        }
    }
}

/// How the values are written.
fn shape(seen: &Seen<'_>) -> [f32; 11] {
    let values: Vec<&str> = seen.values.iter().copied().filter(|value| !value.is_empty()).take(MOST_VALUES).collect();
    if values.is_empty() {
        return [0.0; 11];
    }
    let mean = |of: &dyn Fn(&str) -> f64| values.iter().map(|value| of(value)).sum::<f64>() / values.len() as f64;
    let share = |is: &dyn Fn(&str) -> bool| mean(&|value| f64::from(u8::from(is(value))));
    let length = |value: &str| value.chars().count() as f64;
    let lengths = || values.iter().map(|value| value.chars().count());
    let mut forms: Vec<String> = values.iter().map(|value| form(value)).collect();
    forms.sort_unstable();
    let most = forms.chunk_by(|one, other| one == other).map(<[String]>::len).max().unwrap_or(0);
    let measures = [
        1.0,
        seen.different,
        mean(&length).min(200.0),
        f64::from(u8::from(lengths().min() == lengths().max())),
        mean(&|value| value.bytes().filter(u8::is_ascii_digit).count() as f64 / length(value).max(1.0)),
        mean(&|value| value.split_whitespace().count() as f64).min(40.0),
        share(&|value| value.chars().any(char::is_uppercase) && !value.chars().any(char::is_lowercase)),
        share(&is_capitalised),
        share(&is_amount),
        share(&|value| value.chars().count() == 1),
        most as f64 / values.len() as f64,
    ];
    measures.map(|measure| measure as f32)
}

/// Whether every word begins with a capital letter and goes on in small ones.
fn is_capitalised(value: &str) -> bool {
    let mut words =
        value.split(|character: char| !character.is_alphabetic()).filter(|word| !word.is_empty()).peekable();
    words.peek().is_some()
        && words.all(|word| {
            let mut letters = word.chars();
            letters.next().is_some_and(char::is_uppercase) && letters.all(|letter| !letter.is_uppercase())
        })
}

/// Whether it has two digits behind a point or comma.
fn is_amount(value: &str) -> bool {
    let Some((whole, rest)) = value.trim_start_matches('-').rsplit_once(['.', ',']) else { return false };
    let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    are_digits(whole) && rest.len() == 2 && are_digits(rest)
}

/// A value with `9` for each digit and `a` for each letter, as far as twelve of them.
fn form(value: &str) -> String {
    let of = |character: char| match character {
        digit if digit.is_ascii_digit() => '9',
        letter if letter.is_alphabetic() => 'a',
        other => other,
    };
    value.chars().take(12).map(of).collect()
}

/// FNV-1a, folded.
fn bucket(what: &str) -> usize {
    let hash = what
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    usize::try_from((hash ^ (hash >> 32)) % BUCKETS as u64).unwrap_or(0)
}
