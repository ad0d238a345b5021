//! The orders in which linking counts units, each with a type of its own, so that a place in one isn't taken for a place in
//! another.
//!
//! The index has its own ([`UnitNumber`]). Those that a question may be about are the scope, in which the first numbers are
//! measured; some of the scope are candidates, which the trees see. Positions in the catalog and ranks are plain numbers.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use index::UnitNumber;

/// A place in some order.
pub trait Position: Copy {
    /// The place of that number, counted from 0.
    fn new(number: usize) -> Self;
    /// Its number.
    fn number(self) -> usize;
}

macro_rules! positions {
    ($($(#[$about:meta])* $name:ident;)+) => {
        $(
            $(#[$about])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
            pub struct $name(usize);

            impl Position for $name {
                fn new(number: usize) -> Self {
                    Self(number)
                }

                fn number(self) -> usize {
                    self.0
                }
            }
        )+
    };
}

positions! {
    /// A place in the scope: among the units that a question may be about, in the order of their numbers.
    ScopePosition;
    /// A place among the candidates: the units of the scope that the first-stage trees see, in the order of the scope.
    CandidatePosition;
}

impl Position for UnitNumber {
    fn new(number: usize) -> Self {
        Self(number)
    }

    fn number(self) -> usize {
        self.0
    }
}

/// A list that only one kind of position finds things in.
#[derive(Clone, Debug, PartialEq)]
pub struct ListBy<P, T> {
    items: Vec<T>,
    position: PhantomData<P>,
}

impl<P: Position, T> ListBy<P, T> {
    /// How many things are in it.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Everything in it, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// The same, to be changed.
    pub(crate) fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    /// Everything with its place, in order.
    pub fn placed(&self) -> impl Iterator<Item = (P, &T)> {
        self.positions().zip(&self.items)
    }

    /// The places, in order.
    pub fn positions(&self) -> impl Iterator<Item = P> + use<P, T> {
        (0..self.items.len()).map(P::new)
    }

    /// Everything in it as a plain list, in order.
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }

    /// The same as a plain list, whose order may be changed.
    pub(crate) fn into_vec(self) -> Vec<T> {
        self.items
    }
}

impl<P, T> Default for ListBy<P, T> {
    fn default() -> Self {
        Self { items: Vec::new(), position: PhantomData }
    }
}

impl<P, T> From<Vec<T>> for ListBy<P, T> {
    fn from(items: Vec<T>) -> Self {
        Self { items, position: PhantomData }
    }
}

impl<P, T> FromIterator<T> for ListBy<P, T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Vec::from_iter(items).into()
    }
}

impl<P: Position, T> Index<P> for ListBy<P, T> {
    type Output = T;

    fn index(&self, position: P) -> &T {
        &self.items[position.number()]
    }
}

impl<P: Position, T> IndexMut<P> for ListBy<P, T> {
    fn index_mut(&mut self, position: P) -> &mut T {
        &mut self.items[position.number()]
    }
}

/// Places of the highest numbers, highest first, at most so many; of equal ones the first.
pub(crate) fn highest<P: Position>(numbers: &ListBy<P, f32>, count: usize) -> Vec<P> {
    let numbers = numbers.as_slice();
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_unstable_by(|left, right| numbers[*right].total_cmp(&numbers[*left]).then(left.cmp(right)));
    order.truncate(count);
    order.into_iter().map(P::new).collect()
}

#[cfg(test)]
mod tests {
    use super::{ListBy, Position, ScopePosition, highest};

    #[test]
    fn the_highest_come_first_and_of_equal_ones_the_first() {
        let scores: ListBy<ScopePosition, f32> = vec![0.5, 2.0, -1.0, 2.0].into();
        let places: Vec<usize> = highest(&scores, 3).into_iter().map(Position::number).collect();
        assert_eq!(places, [1, 3, 0]);
        assert!(highest(&ListBy::<ScopePosition, f32>::default(), 3).is_empty());
    }
}
