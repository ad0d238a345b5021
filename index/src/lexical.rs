//! The inverted index over tables: which words stand in which field of which table.
//!
//! Fields are kept apart, because a word in a table's name says more than the same word in a sample value; BM25 is
//! computed for each with the parameters of Robertson and Zaragoza (2009), k1 = 1.5 and b = 0.75.

use std::collections::HashMap;

use crate::arrays::{Array, Lists, Texts};
use crate::file::{Reader, Sections, Stored, stored};
use crate::merge::{GONE, MergedTexts, Renumbering, merge, merge_keyed, renumbering};
use crate::pieces::{Pair, Piece};
use crate::terms;

/// Saturation of term frequency.
const K1: f32 = 1.5;
/// How much longer documents are discounted.
const B: f32 = 0.75;

/// The different terms, sorted; a term's position is its number.
#[derive(Debug, Default)]
pub(crate) struct Lexicon {
    terms: Texts,
    /// The roots of all terms, sorted by root and then by term, and the term of each.
    roots: Texts,
    rooted: Array<u32>,
    /// Terms short enough to be the consonants of another word, in their order.
    short: Array<u32>,
}

stored!(Lexicon { terms, roots, rooted, short });

/// Letters of a term that may be another word's consonants, at most.
const LONGEST_SKELETON: usize = 5;

impl From<Vec<String>> for Lexicon {
    fn from(mut terms: Vec<String>) -> Self {
        terms.sort_unstable();
        terms.dedup();
        let mut roots: Vec<(String, u32)> =
            terms.iter().zip(0..).map(|(term, number)| (terms::root(term), number)).collect();
        roots.sort_unstable();
        let rooted = roots.iter().map(|(_, number)| *number).collect::<Vec<_>>();
        Self::new(terms.iter().collect(), roots.iter().map(|(root, _)| root).collect(), rooted.into())
    }
}

impl Lexicon {
    fn new(terms: Texts, roots: Texts, rooted: Array<u32>) -> Self {
        let is_short = |&number: &u32| (2..=LONGEST_SKELETON).contains(&terms.get(number as usize).len());
        let short = (0..terms.len() as u32).filter(is_short).collect::<Vec<_>>();
        Self { short: short.into(), terms, roots, rooted }
    }

    /// The terms of both that are kept, with their new numbers and those that they had before.
    pub(crate) fn merged(sides: Pair<&Self>, is_kept: impl Fn(Piece) -> bool) -> (Self, Renumbering, Vec<Pair<u32>>) {
        let MergedTexts { texts, numbers, before } = merge(sides.map(|lexicon| &lexicon.terms), is_kept);
        let rooted: Pair<&[u32]> = sides.map(|lexicon| &*lexicon.rooted);
        let (roots, rooted) = merge_keyed(sides.map(|lexicon| &lexicon.roots), rooted, &numbers);
        (Self::new(texts, roots, rooted), numbers, before)
    }

    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether every root stands for a term.
    pub(crate) fn is_sound(&self) -> bool {
        self.rooted.iter().chain(&*self.short).all(|&term| (term as usize) < self.len())
    }

    /// The term of that number; empty for a number that isn't one.
    pub(crate) fn term(&self, number: u32) -> &str {
        self.terms.get(number as usize)
    }

    pub(crate) fn number(&self, term: &str) -> Option<u32> {
        self.terms.find(term).map(|number| number as u32)
    }

    pub(crate) fn with_root(&self, root: &str) -> impl Iterator<Item = u32> {
        let start = self.roots.partition_point(|known| known < root);
        let same = (start..self.roots.len()).take_while(move |&place| self.roots.get(place) == root);
        same.filter_map(|place| self.rooted.get(place).copied())
    }

    /// Terms that may be short forms of that word: see [`terms::is_skeleton`].
    pub(crate) fn skeletons_of(&self, word: &str) -> impl Iterator<Item = u32> {
        let first = &word[..word.len().min(1)];
        let start = self.short.partition_point(|&number| self.term(number) < first);
        let same = self.short[start..].iter().copied().take_while(move |&number| self.term(number).starts_with(first));
        same.filter(move |&number| terms::is_skeleton(self.term(number), word))
    }

    /// Longer terms that begin with `prefix`, at most `limit`.
    pub(crate) fn with_prefix(&self, prefix: &str, limit: usize) -> impl Iterator<Item = (u32, &str)> {
        let start = self.terms.partition_point(|known| known <= prefix);
        let rest = (start..self.terms.len()).take(limit).map(|number| (number as u32, self.terms.get(number)));
        rest.take_while(move |(_, known)| known.starts_with(prefix))
    }
}

/// Gives numbers to terms while documents are collected.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    numbers: HashMap<String, u32>,
}

impl Interner {
    pub(crate) fn intern(&mut self, term: String) -> u32 {
        let next = self.numbers.len() as u32;
        *self.numbers.entry(term).or_insert(next)
    }

    pub(crate) fn intern_all(&mut self, terms: impl IntoIterator<Item = String>) -> Vec<u32> {
        let mut numbers: Vec<u32> = terms.into_iter().map(|term| self.intern(term)).collect();
        numbers.shrink_to_fit();
        numbers
    }

    /// The sorted lexicon, and for each number given so far the number it has there.
    pub(crate) fn finish(self) -> (Lexicon, Vec<u32>) {
        let lexicon = Lexicon::from(self.numbers.keys().cloned().collect::<Vec<_>>());
        let mut numbers = vec![0; self.numbers.len()];
        for (term, provisional) in self.numbers {
            numbers[provisional as usize] = lexicon.number(&term).unwrap_or_default();
        }
        (lexicon, numbers)
    }
}

/// The documents that hold each term, for one field.
#[derive(Debug, Default)]
pub(crate) struct Postings {
    /// The documents that hold each term.
    documents: Lists<u32>,
    /// How often each of them holds it, in the same order.
    frequencies: Array<u16>,
    /// How many terms each document has.
    lengths: Array<u32>,
    average_length: f32,
}

impl Stored for Postings {
    fn put<'s>(&'s self, sections: &mut Sections<'s>) {
        self.documents.put(sections);
        self.frequencies.put(sections);
        self.lengths.put(sections);
    }

    fn take(sections: &mut Reader) -> Option<Self> {
        let (documents, frequencies) = (Lists::take(sections)?, Array::take(sections)?);
        let lengths = Array::take(sections)?;
        Some(Self { documents, frequencies, average_length: average(&lengths), lengths })
    }
}

fn average(lengths: &[u32]) -> f32 {
    let total: u64 = lengths.iter().map(|&length| u64::from(length)).sum();
    (total as f32 / lengths.len().max(1) as f32).max(1.0)
}

/// Each document with each of its terms, once, and how often it holds the term. Documents consist of one text from each
/// of `parts`.
fn each_run(parts: &[Vec<Vec<u32>>], mut take: impl FnMut(u32, u32, u16)) {
    let mut sorted: Vec<u32> = Vec::new();
    for document in 0..parts.first().map_or(0, Vec::len) {
        sorted.clear();
        parts.iter().for_each(|part| sorted.extend(&part[document]));
        sorted.sort_unstable();
        let document = document as u32;
        for run in sorted.chunk_by(|left, right| left == right) {
            take(document, run[0], run.len().min(usize::from(u16::MAX)) as u16);
        }
    }
}

impl Postings {
    /// The postings of documents that consist of one text from each of `parts`, which have as many each. All term numbers
    /// are below `terms`.
    pub(crate) fn new(parts: &[Vec<Vec<u32>>], terms: usize) -> Self {
        // Counted first and filled in then, because a list of all entries to sort would be larger than the result.
        let mut starts = vec![0_u32; terms + 1];
        each_run(parts, |_, term, _| starts[term as usize + 1] += 1);
        (0..terms).for_each(|term| starts[term + 1] += starts[term]);
        let entries = starts.last().map_or(0, |&entries| entries as usize);
        let (mut numbers, mut frequencies) = (vec![0_u32; entries], vec![0_u16; entries]);
        let mut next = starts.clone();
        each_run(parts, |document, term, frequency| {
            let place = &mut next[term as usize];
            numbers[*place as usize] = document;
            frequencies[*place as usize] = frequency;
            *place += 1;
        });
        let documents = 0..parts.first().map_or(0, Vec::len);
        let length = |document: usize| parts.iter().map(|part| part[document].len() as u32).sum();
        let lengths: Vec<u32> = documents.map(length).collect();
        Self {
            documents: Lists::from_parts(starts.into(), numbers.into()).unwrap_or_default(),
            frequencies: frequencies.into(),
            average_length: average(&lengths),
            lengths: lengths.into(),
        }
    }

    /// How many documents hold the term.
    pub(crate) fn document_frequency(&self, term: u32) -> usize {
        self.documents.get(term as usize).len()
    }

    /// (document, BM25 without the inverse document frequency) for each document that holds the term.
    pub(crate) fn matches(&self, term: u32) -> impl Iterator<Item = (u32, f32)> {
        let frequencies = self.frequencies.get(self.documents.range(term as usize)).unwrap_or_default();
        let lengths: &[u32] = &self.lengths;
        let each = self.documents.get(term as usize).iter().zip(frequencies);
        each.map(|(&document, &frequency)| (document, self.score_of(frequency, lengths[document as usize])))
    }

    /// Whether the document holds the term.
    pub(crate) fn has(&self, term: u32, document: u32) -> bool {
        self.documents.get(term as usize).binary_search(&document).is_ok()
    }

    /// The same for some documents only, which are sorted: hands over (position among them, score) of each that holds the term.
    pub(crate) fn matches_within(&self, term: u32, among: &[u32], mut take: impl FnMut(usize, f32)) {
        let range = self.documents.range(term as usize);
        let (holding, frequencies) =
            (self.documents.get(term as usize), self.frequencies.get(range).unwrap_or_default());
        let mut take = |place: usize, at: usize| {
            take(place, self.score_of(frequencies[at], self.lengths[holding[at] as usize]));
        };
        // The shorter list is gone through, the longer one searched.
        if holding.len() < among.len() {
            for (at, document) in holding.iter().enumerate() {
                if let Ok(place) = among.binary_search(document) {
                    take(place, at);
                }
            }
        } else {
            for (place, document) in among.iter().enumerate() {
                if let Ok(at) = holding.binary_search(document) {
                    take(place, at);
                }
            }
        }
    }

    /// The postings of both under new numbers: `terms` are the old numbers of each new term, `pieces` the new documents.
    pub(crate) fn merged(sides: Pair<&Self>, terms: &[Pair<u32>], pieces: &[Piece]) -> Self {
        let numbers = renumbering(pieces, sides.map(|postings| postings.lengths.len()));
        let (mut starts, mut documents, mut frequencies) = (vec![0_u32], Vec::new(), Vec::new());
        let mut entries: Vec<(u32, u16)> = Vec::new();
        for pair in terms {
            entries.clear();
            for ((postings, numbers), &term) in sides.iter().zip(&numbers).zip(pair).filter(|(_, term)| **term != GONE)
            {
                let known = postings.frequencies.get(postings.documents.range(term as usize)).unwrap_or_default();
                let each = postings.documents.get(term as usize).iter().zip(known);
                let new = each.map(|(&document, &frequency)| (numbers[document as usize], frequency));
                entries.extend(new.filter(|(document, _)| *document != GONE));
            }
            if !entries.is_sorted() {
                entries.sort_unstable();
            }
            documents.extend(entries.iter().map(|(document, _)| *document));
            frequencies.extend(entries.iter().map(|(_, frequency)| *frequency));
            starts.push(documents.len() as u32);
        }
        let lengths: Vec<u32> = pieces.iter().map(|piece| sides[piece.side].lengths[piece.number]).collect();
        Self {
            documents: Lists::from_parts(starts.into(), documents.into()).unwrap_or_default(),
            frequencies: frequencies.into(),
            average_length: average(&lengths),
            lengths: lengths.into(),
        }
    }

    /// Marks the terms that any of these documents holds.
    pub(crate) fn mark_terms(&self, holds: impl Fn(usize) -> bool, marked: &mut [bool]) {
        for (term, marked) in marked.iter_mut().enumerate().filter(|(_, marked)| !**marked) {
            *marked = self.documents.get(term).iter().any(|&document| holds(document as usize));
        }
    }

    fn score_of(&self, frequency: u16, length: u32) -> f32 {
        let (frequency, length) = (f32::from(frequency), length as f32 / self.average_length);
        frequency * (K1 + 1.0) / (frequency + K1 * (1.0 - B + B * length))
    }

    /// Whether every number points into the documents; an index file may be damaged.
    pub(crate) fn is_sound(&self, documents: usize) -> bool {
        self.lengths.len() == documents
            && self.documents.values().len() == self.frequencies.len()
            && self.documents.values().iter().all(|&document| (document as usize) < documents)
    }
}

/// The inverse document frequency of BM25, in its form that is never negative.
pub(crate) fn inverse_document_frequency(documents: usize, frequency: usize) -> f32 {
    let (documents, frequency) = (documents as f32, frequency.min(documents) as f32);
    (1.0 + (documents - frequency + 0.5) / (frequency + 0.5)).ln()
}

#[cfg(test)]
mod tests {
    use super::{Interner, Lexicon, Postings, inverse_document_frequency};

    #[test]
    fn finds_terms_by_spelling_root_and_prefix() {
        let lexicon = Lexicon::from(["order", "ship", "shipping", "zip", "zipcode"].map(String::from).to_vec());
        assert_eq!(lexicon.number("ship"), Some(1));
        assert_eq!(lexicon.number("boat"), None);
        assert_eq!(lexicon.with_root("ship").collect::<Vec<_>>(), [1, 2]);
        assert_eq!(lexicon.with_prefix("zip", 9).map(|(_, term)| term).collect::<Vec<_>>(), ["zipcode"]);
    }

    #[test]
    fn interned_numbers_become_sorted_ones() {
        let mut interner = Interner::default();
        let given = interner.intern_all(["b", "a", "b"].map(String::from));
        let (lexicon, numbers) = interner.finish();
        let renumbered: Vec<u32> = given.iter().map(|&number| numbers[number as usize]).collect();
        assert_eq!(renumbered, [1, 0, 1]);
        assert_eq!(lexicon.number("b"), Some(1));
    }

    #[test]
    fn bm25_prefers_repetition_and_brevity() {
        let postings = Postings::new(&[vec![vec![0, 0, 1], vec![0, 1, 1], vec![0, 1, 1, 1, 1, 1, 1, 1]]], 3);
        let scores: Vec<f32> = postings.matches(0).map(|(_, score)| score).collect();
        assert!(scores[0] > scores[1] && scores[1] > scores[2], "{scores:?}");
        assert_eq!(postings.document_frequency(2), 0);
        assert_eq!(postings.matches(7).count(), 0, "an unknown term");
        assert!(postings.is_sound(3) && !postings.is_sound(2));
        assert!(inverse_document_frequency(100, 1) > inverse_document_frequency(100, 50));
    }
}
