//! What two indexes have of the same kind, while they become one.

/// The same thing of the earlier index and of the one that was built of what changed.
pub(crate) type Pair<T> = [T; 2];

/// What has a number in one of the two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    /// Which of the [`Pair`].
    pub(crate) side: usize,
    pub(crate) number: usize,
}
