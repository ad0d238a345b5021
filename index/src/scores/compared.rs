//! What a question is compared with, each term and each text once: it meets the same ones in table after table.

use llm::WideRow;

use crate::index::{Index, NO_ROW};
use crate::question::Question;

/// The cosine from which on two words have something to do with each other.
const FARTHEST: f32 = 0.4;

/// For each term of the lexicon, the words of the question that match it. Most terms are matched by none, and a question
/// meets tens of thousands of columns, so the look-up is an array and not a hash table.
pub(super) struct TermMatches {
    /// By term: 0, or one more than the position in `words`.
    slots: Vec<u32>,
    /// (word of the question, worth) of each matched term.
    words: Vec<Vec<(usize, f32)>>,
}

impl TermMatches {
    pub(super) fn new(question: &Question, terms: usize) -> Self {
        let mut matches = Self { slots: vec![0; terms], words: Vec::new() };
        for (word, term) in question.terms.iter().enumerate() {
            for &(variant, worth) in &term.variants {
                let Some(slot) = matches.slots.get_mut(variant as usize) else { continue };
                if *slot == 0 {
                    matches.words.push(Vec::new());
                    *slot = matches.words.len() as u32;
                }
                matches.words[*slot as usize - 1].push((word, worth));
            }
        }
        matches
    }

    pub(super) fn of(&self, term: u32) -> &[(usize, f32)] {
        match self.slots.get(term as usize) {
            None | Some(0) => &[],
            Some(&slot) => &self.words[slot as usize - 1],
        }
    }
}

/// Numbers that are computed once for a question, a few for each key, when they are first asked for.
pub(super) struct ComputedOnce {
    /// By key: 0, or one more than its place in `rows`.
    slots: Vec<u32>,
    /// As many for each key as `width` says.
    rows: Vec<f32>,
    pub(super) width: usize,
}

impl ComputedOnce {
    fn new(keys: usize, width: usize) -> Self {
        Self { slots: vec![0; keys], rows: Vec::new(), width }
    }

    /// The numbers of that key, which is below the number of keys it was made for.
    fn of(&mut self, key: u32, compute: impl FnOnce(&mut [f32])) -> &mut [f32] {
        let slot = &mut self.slots[key as usize];
        let is_new = *slot == 0;
        if is_new {
            self.rows.resize(self.rows.len() + self.width, 0.0);
            *slot = (self.rows.len() / self.width) as u32;
        }
        let start = (*slot as usize - 1) * self.width;
        let row = &mut self.rows[start..start + self.width];
        if is_new {
            compute(row);
        }
        row
    }
}

/// How near the words of the question come to terms of names, and its phrases to columns and tables. A question meets the
/// same terms and texts again and again.
pub(super) struct Similarities<'q> {
    question: &'q Question,
    /// By term, a number for each word.
    pub(super) words: ComputedOnce,
    /// By vector, a cosine for each phrase.
    pub(super) phrases: ComputedOnce,
    wide: WideRow,
}

impl<'q> Similarities<'q> {
    pub(super) fn new(index: &Index, question: &'q Question) -> Self {
        let (words, phrases) = (question.word_vectors.len(), question.phrase_vectors.len());
        let words = ComputedOnce::new(index.lexicon.len(), words);
        let phrases = ComputedOnce::new(index.vectors.len(), phrases);
        let mut similarities = Self { question, words, phrases, wide: WideRow::default() };
        if similarities.words.width > 0 {
            for (word, term) in question.terms.iter().enumerate() {
                for &(number, worth) in &term.associated {
                    let known = &mut similarities.of_term(index, number)[word];
                    *known = known.max(worth);
                }
            }
        }
        similarities
    }

    /// How near each word of the question is to that term, 0 to 1.
    pub(super) fn of_term(&mut self, index: &Index, term: u32) -> &mut [f32] {
        let Self { question, words, wide, .. } = self;
        words.of(term, |near| {
            let row = index.term_rows[term as usize];
            if row != NO_ROW && index.vectors.widen(row, wide) {
                for (near, vector) in near.iter_mut().zip(&question.word_vectors) {
                    *near = ((vector.dot_wide(wide) - FARTHEST) / (1.0 - FARTHEST)).clamp(0.0, 1.0);
                }
            }
        })
    }

    /// The cosine of each phrase of the question with that vector.
    pub(super) fn of_row(&mut self, index: &Index, row: u32) -> &[f32] {
        let Self { question, phrases, wide, .. } = self;
        phrases.of(row, |cosines| {
            if index.vectors.widen(row, wide) {
                for (cosine, vector) in cosines.iter_mut().zip(&question.phrase_vectors) {
                    *cosine = vector.dot_wide(wide);
                }
            }
        })
    }
}
