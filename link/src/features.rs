//! The features of ranking: the one list of them, and rows of them by name.
//!
//! [`list`] says of each feature its number, its name, its group, the signals that it rests on, and what it measures. From it
//! come the rows, which are structs, so that a feature is only ever asked for by its name and none can be forgotten where a
//! row is made; the order in which trees get them; the groups that reasons are made of; `docs/reference/ranking-features.md`; and
//! what `models/linking` is told. A feature's number is its place in a row of the trees. The ranker's file names the features
//! that its trees ask for, so that a feature can be added anywhere; it counts for nothing until the trees are trained again.

mod list;
#[cfg(test)]
mod page;

pub use list::{FirstStageFeatures, RerankingFeatures};

use crate::linked::EvidenceKind;

/// One feature: what a row of the ranker's holds at that place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feature {
    /// Its place in a row of the reranking trees; those of the first stage see the first ones alone.
    pub number: usize,
    /// The name of the row's field.
    pub name: &'static str,
    /// What it is evidence of.
    pub group: FeatureGroup,
    /// Names of the [`crate::Signals`] that it rests on: it is 0 where one of them is off.
    pub signals: &'static [&'static str],
    /// In a sentence, with its unit and range; lines begin with a space, as in the source.
    measures: &'static str,
}

impl Feature {
    /// What it measures, in a sentence with its unit and range.
    pub fn measures(&self) -> &'static str {
        self.measures.trim_start()
    }
}

/// All features in the order of their numbers: those of the first stage, then those that reranking adds.
pub const FEATURES: [Feature; FirstStageFeatures::COUNT + RerankingFeatures::COUNT] = {
    let (first, added) = (FirstStageFeatures::FEATURES, RerankingFeatures::FEATURES);
    let mut all = [first[0]; FirstStageFeatures::COUNT + RerankingFeatures::COUNT];
    let mut place = 0;
    while place < all.len() {
        all[place] = if place < first.len() { first[place] } else { added[place - first.len()] };
        assert!(all[place].number == place, "a feature's number in the list isn't its place");
        place += 1;
    }
    all
};

/// Makes the groups, with what reasons they give.
macro_rules! groups {
    ($($(#[doc = $about:literal])+ $name:ident => $evidence:expr,)+) => {
        /// What a feature is evidence of. Each feature is in one group; a group's contributions make one reason, or none.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum FeatureGroup { $($(#[doc = $about])+ $name,)+ }

        impl FeatureGroup {
            /// All groups, in the order in which reasons are looked for.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// Its name.
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($name),)+ }
            }

            /// What its features have in common.
            pub fn about(self) -> &'static str {
                match self { $(Self::$name => concat!($($about),+).trim_start(),)+ }
            }

            /// The kind of reason that its features make together; `None` where no sentence says what they measure.
            pub fn evidence(self) -> Option<EvidenceKind> {
                match self { $(Self::$name => $evidence,)+ }
            }
        }
    };
}

groups! {
    /// Words and numbers of the table's name.
    Name => Some(EvidenceKind::Name),
    /// Words of its columns' names.
    Columns => Some(EvidenceKind::Column),
    /// Words of its comments and descriptions.
    Description => Some(EvidenceKind::Description),
    /// Values that the question names.
    Values => Some(EvidenceKind::Value),
    /// Similarity in meaning to the question.
    Meaning => Some(EvidenceKind::Meaning),
    /// What the tables around it have to do with the question.
    Surroundings => Some(EvidenceKind::Coherence),
    /// Whether it lies between tables that are likely needed.
    Bridge => Some(EvidenceKind::Bridge),
    /// Whether it is joined to tables that are likely needed.
    Join => Some(EvidenceKind::Join),
    /// Tables that have nearly the same columns.
    LookAlike => Some(EvidenceKind::LookAlike),
    /// Words of the question, wherever in the table they stand.
    Words => None,
    /// Words of columns that are named like keys.
    Keys => None,
    /// The words and phrases of the question for which it is the best of all tables.
    Credit => None,
    /// What the table and its surroundings are like, whatever is asked.
    Table => None,
    /// How many tables refer to it, and it to them, whatever is asked: people ask about what a schema turns on.
    Centrality => None,
    /// What the question and its scope are like, the same for every table.
    Question => None,
    /// What the weighted sum says that candidates are chosen by.
    CandidateScore => None,
    /// What the first-stage trees say. What these features add is shared out among those that the first stage has seen.
    FirstStage => None,
    /// What it explains of the question that likelier tables don't.
    Complement => None,
    /// How likely the tables around it are.
    Neighbours => None,
}
