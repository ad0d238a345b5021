//! Arrays that are owned while an index is built, and lie in a mapped file once it has been saved.
//!
//! A large index is read where it lies: opening it costs the same however many columns there are, and only what a question
//! touches comes into memory. So everything large in an index is one of three things: a plain array, a list of lists, or a
//! list of texts.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, Range};
use std::sync::Arc;

use bytemuck::Pod;
use memmap2::Mmap;

use crate::pieces::{Pair, Piece};

/// Plain values in memory or in a mapped file.
pub(crate) enum Array<T> {
    Owned(Vec<T>),
    /// The range holds whole values and begins where values may begin: [`Array::mapped`] has checked that.
    Mapped {
        file: Arc<Mmap>,
        range: Range<usize>,
        of: PhantomData<T>,
    },
}

impl<T: Pod> Array<T> {
    /// The values in that part of a file; `None` where it doesn't hold whole values.
    pub(crate) fn mapped(file: &Arc<Mmap>, range: Range<usize>) -> Option<Self> {
        bytemuck::try_cast_slice::<u8, T>(file.get(range.clone())?).ok()?;
        Some(Self::Mapped { file: Arc::clone(file), range, of: PhantomData })
    }
}

impl<T: Pod> Deref for Array<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Self::Owned(values) => values,
            Self::Mapped { file, range, .. } => bytemuck::cast_slice(&file[range.clone()]),
        }
    }
}

impl<T> Default for Array<T> {
    fn default() -> Self {
        Self::Owned(Vec::new())
    }
}

impl<T> From<Vec<T>> for Array<T> {
    fn from(values: Vec<T>) -> Self {
        Self::Owned(values)
    }
}

impl<T: Pod> fmt::Debug for Array<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} values", self.len())
    }
}

/// Lists of plain values, one after the other.
#[derive(Debug)]
pub(crate) struct Lists<T: Pod> {
    /// Where each list begins, and where the last one ends.
    starts: Array<u32>,
    values: Array<T>,
}

impl<T: Pod> Default for Lists<T> {
    fn default() -> Self {
        Self { starts: Array::default(), values: Array::default() }
    }
}

impl<T: Pod, L: AsRef<[T]>> FromIterator<L> for Lists<T> {
    fn from_iter<I: IntoIterator<Item = L>>(lists: I) -> Self {
        let (mut starts, mut values) = (vec![0], Vec::new());
        for list in lists {
            values.extend_from_slice(list.as_ref());
            starts.push(values.len() as u32);
        }
        Self { starts: starts.into(), values: values.into() }
    }
}

impl<T: Pod> Lists<T> {
    /// `None` where the starts don't fit the values.
    pub(crate) fn from_parts(starts: Array<u32>, values: Array<T>) -> Option<Self> {
        let fits = starts.is_sorted() && starts.last().is_none_or(|&end| end as usize == values.len());
        fits.then_some(Self { starts, values })
    }

    pub(crate) fn parts(&self) -> (&Array<u32>, &Array<T>) {
        (&self.starts, &self.values)
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Where that list stands among all values; empty for a list that isn't there.
    pub(crate) fn range(&self, number: usize) -> Range<usize> {
        match self.starts.get(number..number.saturating_add(2)) {
            Some(&[start, end]) => start as usize..end as usize,
            _ => 0..0,
        }
    }

    /// That list; empty for one that isn't there.
    pub(crate) fn get(&self, number: usize) -> &[T] {
        self.values.get(self.range(number)).unwrap_or_default()
    }

    /// All values of all lists.
    pub(crate) fn values(&self) -> &[T] {
        &self.values
    }
}

/// Texts, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    /// Where each text begins, and where the last one ends.
    starts: Array<u64>,
    bytes: Array<u8>,
}

impl<S: AsRef<str>> FromIterator<S> for Texts {
    fn from_iter<I: IntoIterator<Item = S>>(texts: I) -> Self {
        let (mut starts, mut bytes) = (vec![0], Vec::new());
        for text in texts {
            bytes.extend_from_slice(text.as_ref().as_bytes());
            starts.push(bytes.len() as u64);
        }
        Self { starts: starts.into(), bytes: bytes.into() }
    }
}

impl Texts {
    /// Texts of two lists, as the pieces say.
    pub(crate) fn picked(sides: Pair<&Self>, pieces: &[Piece]) -> Self {
        let part = |&Piece { side, number }: &Piece| {
            let Some(&[start, end]) = sides[side].starts.get(number..number.saturating_add(2)) else { return &[][..] };
            sides[side].bytes.get(start as usize..end as usize).unwrap_or_default()
        };
        let mut bytes = Vec::with_capacity(pieces.iter().map(|piece| part(piece).len()).sum());
        let mut starts = Vec::with_capacity(pieces.len() + 1);
        starts.push(0);
        for piece in pieces {
            bytes.extend_from_slice(part(piece));
            starts.push(bytes.len() as u64);
        }
        Self { starts: starts.into(), bytes: bytes.into() }
    }

    /// `None` where the starts don't fit the bytes.
    pub(crate) fn from_parts(starts: Array<u64>, bytes: Array<u8>) -> Option<Self> {
        let fits = starts.is_sorted() && starts.last().is_none_or(|&end| end == bytes.len() as u64);
        fits.then_some(Self { starts, bytes })
    }

    pub(crate) fn parts(&self) -> (&Array<u64>, &Array<u8>) {
        (&self.starts, &self.bytes)
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// That text; empty for one that isn't there, or that a damaged file holds no text of.
    pub(crate) fn get(&self, number: usize) -> &str {
        let Some(&[start, end]) = self.starts.get(number..number.saturating_add(2)) else { return "" };
        let bytes = self.bytes.get(start as usize..end as usize).unwrap_or_default();
        str::from_utf8(bytes).unwrap_or_default()
    }

    /// How many of sorted texts come before the first for which `comes_before` is false.
    pub(crate) fn partition_point(&self, comes_before: impl Fn(&str) -> bool) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if comes_before(self.get(middle)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The number of this text, where the texts are sorted and different.
    pub(crate) fn find(&self, text: &str) -> Option<usize> {
        let place = self.partition_point(|known| known < text);
        (place < self.len() && self.get(place) == text).then_some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::{Array, Lists, Texts};

    #[test]
    fn lists_and_texts_give_back_what_was_put_in() {
        let lists: Lists<u32> = [vec![1, 2], vec![], vec![3]].into_iter().collect();
        assert_eq!((lists.len(), lists.get(0), lists.get(1), lists.get(2)), (3, &[1, 2][..], &[][..], &[3][..]));
        assert_eq!((lists.get(3), lists.get(usize::MAX)), (&[][..], &[][..]), "lists that aren't there");
        let texts: Texts = ["", "größe", "x"].into_iter().collect();
        assert_eq!([texts.get(0), texts.get(1), texts.get(2)], ["", "größe", "x"]);
        assert_eq!((texts.find("x"), texts.find("y"), texts.find("größe")), (Some(2), None, Some(1)));
        assert_eq!(texts.get(3), "");
    }

    #[test]
    fn starts_that_do_not_fit_are_refused() {
        let starts = |starts: &[u32]| Array::from(starts.to_vec());
        let values = || Array::from(vec![7_u32; 3]);
        assert!(Lists::from_parts(starts(&[0, 1, 3]), values()).is_some());
        assert!(Lists::from_parts(starts(&[0, 4]), values()).is_none(), "beyond the end");
        assert!(Lists::from_parts(starts(&[0, 2, 1, 3]), values()).is_none(), "backwards");
        assert!(Texts::from_parts(Array::from(vec![0, 9]), Array::from(vec![b'x'])).is_none());
        let split = Texts::from_parts(Array::from(vec![0, 1, 2]), Array::from("ö".as_bytes().to_vec()));
        assert_eq!(split.map(|texts| texts.get(0).to_owned()).as_deref(), Some(""), "half of a letter");
    }
}
