//! What can go wrong with linking: only that a ranker can't be read.

/// Why bytes are no ranker. [`RankerError::code`] is stable; [`RankerError::hints`] say what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RankerError {
    /// They end too early.
    #[error("the ranker is cut off: it ends before its trees do")]
    CutOff,
    /// They go on.
    #[error("the ranker is too long: behind its last tree are {bytes} bytes")]
    TooLong {
        /// How many.
        bytes: usize,
    },
    /// A tree asks for what isn't measured.
    #[error("the ranker was trained for other features: it asks for number {number}, and there are {features}")]
    Feature {
        /// The feature's number.
        number: u16,
        /// How many a row has, numbered from 0.
        features: usize,
    },
    /// A feature that the trees ask for is measured no more.
    #[error("the ranker was trained for other features: nothing measures `{name}` any more")]
    UnknownFeature {
        /// Its name in the file.
        name: String,
    },
    /// A branch of a tree leads back or out of it, or the tree has no root.
    #[error("the ranker is damaged: tree {tree} has a branch that leads nowhere")]
    Branch {
        /// Its number in its stage, from 0.
        tree: u32,
    },
}

impl RankerError {
    /// A stable identifier for programs.
    pub fn code(&self) -> &'static str {
        "ranker_unusable"
    }

    /// What the user can do.
    pub fn hints(&self) -> Vec<String> {
        let recipe = "make the file again with the recipe in `models/linking`";
        match self {
            Self::Feature { .. } | Self::UnknownFeature { .. } => {
                vec![format!("{recipe}, for the features of this version")]
            }
            Self::CutOff | Self::TooLong { .. } | Self::Branch { .. } => vec![recipe.into()],
        }
    }
}
