//! The list of features: number, name, group, signals, and what each measures.
//!
//! Scales are chosen so that one set of trees serves small and large catalogs and any embedder: words are weighed in *rare
//! words*, one of which is the weight of a word that a single table has, and similarities are in standard deviations over
//! the *scope*, which is the tables that a question may be about. Beside what a table shows itself stand what its
//! surroundings show: tables of a question come from one source, one schema, one group that keys connect.

use super::{Feature, FeatureGroup};
use crate::options::{Signal, Signals};

/// Makes a struct of each list, with one field for each feature.
macro_rules! features {
    ($(
        $(#[doc = $about:literal])+
        $row:ident {
            $($(#[doc = $measures:literal])+ $number:literal $name:ident: $group:ident [$($signal:ident),*],)+
        }
    )+) => {
        $(
            $(#[doc = $about])+
            #[derive(Clone, Copy, Debug, Default, PartialEq)]
            pub struct $row {
                $($(#[doc = $measures])+ pub $name: f32,)+
            }

            impl $row {
                /// What the list says of each of them.
                pub const FEATURES: &'static [Feature] = &[$(Feature {
                    number: $number,
                    name: stringify!($name),
                    group: FeatureGroup::$group,
                    signals: &[$(stringify!($signal)),*],
                    measures: concat!($($measures),+),
                }),+];
                /// How many there are.
                pub const COUNT: usize = Self::FEATURES.len();

                /// The numbers as trees get them.
                pub fn values(&self) -> [f32; Self::COUNT] {
                    [$(self.$name),+]
                }

                /// The same row without what rests on a signal that is off.
                pub(crate) fn without_silenced(mut self, signals: Signals) -> Self {
                    $(
                        let rests_on: &[Signal] = &[$(signals.$signal),*];
                        if rests_on.iter().any(|signal| !signal.is_on()) {
                            self.$name = 0.0;
                        }
                    )+
                    self
                }
            }
        )+
    };
}

features! {
    /// What the first stage knows of a table: by itself, and by its surroundings.
    FirstStageFeatures {
        /// Words of the question in the table's name: BM25, in rare words; 0 and up.
        0 name_words: Name [words],
        /// Words of the question in the names of its columns: BM25, in rare words; 0 and up.
        1 column_words: Columns [words],
        /// Words of the question in its comments and descriptions: BM25, in rare words; 0 and up.
        2 description_words: Description [words, texts],
        /// Words of the question in its known values: BM25, in rare words; 0 and up.
        3 value_words: Values [words, values],
        /// Words of the question in all of its texts taken as one: BM25, in rare words; 0 and up.
        4 all_words: Words [words],
        /// Share of the words of its name that the question has; 0 to 1.
        5 name_share: Name [words],
        /// Weight of the question's words in its best column, times the share of the column's name that they cover, in
        /// rare words; 0 and up.
        6 best_column_words: Columns [words],
        /// Highest cosine between the question and a text of the table, in standard deviations from the mean of the
        /// scope.
        7 table_similarity: Meaning [similarity],
        /// Highest cosine between the question and a column of the table, in standard deviations from the mean of the
        /// scope.
        8 best_column_similarity: Meaning [similarity],
        /// Mean of the three highest cosines between the question and columns of the table, in standard deviations from
        /// the mean of the scope.
        9 three_columns_similarity: Meaning [similarity],
        /// Sum over the values that the question names of the strength of the surest match in the table; 0 and up.
        10 value_strength: Values [values],
        /// Weight of the question's words, each as far as the table explains it, in rare words; 0 and up.
        11 words_explained: Words [words],
        /// Weight of the question's words, each as far as the table of the source that explains it best does, in rare
        /// words; 0 and up.
        12 source_words_explained: Surroundings [words, joins],
        /// Highest similarity of a table in the source, in standard deviations (a column's counts for half of one
        /// less).
        13 source_best_similarity: Surroundings [similarity, joins],
        /// Mean of the three highest similarities of tables in the source, in standard deviations.
        14 source_three_similarities: Surroundings [similarity, joins],
        /// Highest `value_strength` of a table in the source; 0 and up.
        15 source_value_strength: Surroundings [values, joins],
        /// Weight of the question's words, each as far as the table of the schema that explains it best does, in rare
        /// words; 0 and up.
        16 schema_words_explained: Surroundings [words, joins],
        /// Highest similarity of a table in the schema, in standard deviations.
        17 schema_best_similarity: Surroundings [similarity, joins],
        /// Weight of the question's words, each as far as the table that explains it best does among those connected
        /// with this one by keys, in rare words; 0 and up.
        18 component_words_explained: Surroundings [words, joins],
        /// Highest similarity of a table among those connected with this one by keys, in standard deviations.
        19 component_best_similarity: Surroundings [similarity, joins],
        /// Highest `value_strength` of a table among those connected with this one by keys; 0 and up.
        20 component_value_strength: Surroundings [values, joins],
        /// `words_explained` over the highest of the source; 0 to 1.
        21 words_explained_of_source_best: Words [words, joins],
        /// Similarity less the highest of the source, in standard deviations; 0 and down.
        22 similarity_below_source_best: Meaning [similarity, joins],
        /// `name_words` over the highest of the source; 0 to 1.
        23 name_words_of_source_best: Name [words, joins],
        /// Weight of the question's words that the table explains better than every other of its source, as far as it
        /// does, in rare words; 0 and up.
        24 words_explained_alone: Words [words, joins],
        /// Tables in the source that are in the scope, natural logarithm; 0 and up.
        25 source_size: Table [joins],
        /// Share of its name that the question has, its words weighted by their rarity in names; 0 to 1.
        26 name_share_by_rarity: Name [words],
        /// Weight of the words of its name that the question hasn't, in rare words; 0 and up.
        27 name_words_left: Name [words],
        /// Share of its name that the question has by meaning (`client` for `customer`), words weighted by their
        /// rarity; 0 to 1.
        28 name_share_by_meaning: Name [similarity],
        /// Columns all of whose name the question has, natural logarithm of one more; 0 and up.
        29 columns_named: Columns [words],
        /// Like `best_column_words`, of the second best column; 0 and up.
        30 second_column_words: Columns [words],
        /// `words_explained` over the weight of the words that some table has; 0 to 1.
        31 question_share: Words [words],
        /// Weight of the words that the table explains by spelling or meaning, over the weight of all words; 0 to 1.
        32 question_share_by_meaning: Meaning [words],
        /// Weight of the words that the table explains by spelling or meaning, over the highest of the scope; 0 to 1.
        33 meaning_of_best: Meaning [words],
        /// `words_explained` over the highest of the scope; 0 to 1.
        34 words_explained_of_best: Words [words],
        /// One over the table's rank by `all_words`; 0 to 1.
        35 rank_by_words: Words [words],
        /// One over the table's rank by the highest cosine of its texts; 0 to 1.
        36 rank_by_similarity: Meaning [similarity],
        /// One over the table's rank by the highest cosine of its columns; 0 to 1.
        37 rank_by_column_similarity: Meaning [similarity],
        /// One over the table's rank by the words that it explains by spelling or meaning; 0 to 1.
        38 rank_by_meaning: Meaning [words],
        /// Highest cosine between the question and a text of the table; -1 to 1.
        39 table_cosine: Meaning [similarity],
        /// Highest cosine between the question and a column of the table; -1 to 1, 0 where columns weren't compared.
        40 best_column_cosine: Columns [similarity],
        /// Strength of the surest match of a value that the question names; 0 to 1.
        41 strongest_value: Values [values],
        /// Values that the question names and the table has; a count.
        42 value_count: Values [values],
        /// Highest strength of a match over the number of tables that have the value; 0 to 1.
        43 rarest_value: Values [values],
        /// Weight of the question's words, each as far as the table that explains it best does among those of the
        /// schema whose names begin with the same word, in rare words; 0 and up.
        44 module_words_explained: Surroundings [words, joins],
        /// Highest similarity of a table among those of the schema whose names begin with the same word, in standard
        /// deviations.
        45 module_best_similarity: Surroundings [similarity, joins],
        /// Tables of the schema whose names begin with the same word, natural logarithm; 0 and up.
        46 module_size: Table [joins],
        /// Columns of the table, natural logarithm of one more; 0 and up.
        47 column_count: Table [],
        /// Tables in the scope, natural logarithm; 0 and up.
        48 scope_size: Question [],
        /// Different words of the question without stop words, natural logarithm of one more; 0 and up.
        49 question_words: Question [],
        /// Different values that the question names, natural logarithm of one more; 0 and up.
        50 question_values: Question [values],
        /// Tables that keys connect it with, natural logarithm of one more; 0 and up.
        51 key_count: Table [joins],
        /// Tables that keys or shared columns connect it with, natural logarithm of one more; 0 and up.
        52 relation_count: Table [joins],
        /// Tables of its family (`events_20240101`, `events_20240102`, …), natural logarithm; 0 and up.
        53 family_members: Table [],
        /// Whether it is a view or something else that isn't a plain table; 0 or 1.
        54 is_view: Table [],
        /// Whether the catalog takes it for a copy of another table; 0 or 1.
        55 is_copy: LookAlike [],
        /// Rows, natural logarithm of one more; -1 where they aren't known.
        56 row_count: Table [],
        /// `row_count` less the mean of its source; 0 where rows aren't known.
        57 row_count_beside_source: Table [],
        /// Whether the database has a comment on it; 0 or 1.
        58 has_comment: Table [texts],
        /// The candidate score, which is a weighted sum, less the highest of the scope; 0 and down.
        59 candidate_score_below_best: CandidateScore [],
        /// One over the table's rank by the candidate score; 0 to 1.
        60 rank_by_candidate_score: CandidateScore [],
        /// Tables in the schema, natural logarithm; 0 and up.
        61 schema_size: Table [],
        /// Words of its name; a count.
        62 name_word_count: Name [],
        /// Weight of the words that the table explains by spelling or meaning better than every other of the scope, as
        /// far as it does, in rare words; 0 and up.
        63 meaning_alone: Meaning [words],
        /// Like `best_column_words`, of columns that are named like keys, without the word that says so (`spec_cd` for
        /// `specialty`); 0 and up.
        64 best_key_words: Keys [words],
        /// The same of the first column, which in most tables is the key; 0 and up.
        65 leading_key_words: Keys [words],
        /// Share of the question's weight credited to the table when each word is shared out among the tables by the
        /// square of how well they explain it; 0 to 1.
        66 word_credit: Credit [words],
        /// The same by the sixth power, which gives nearly all to the best; 0 to 1.
        67 word_credit_steep: Credit [words],
        /// The greatest credit for one word, as a share of the question's weight; 0 to 1.
        68 greatest_word_credit: Credit [words],
        /// Share of the question's weight in words that no other table explains better; 0 to 1.
        69 words_best_at: Credit [words],
        /// Share of the question's phrases credited to the table when each is shared out by similarity; 0 to 1.
        70 phrase_credit: Credit [similarity],
        /// The same on a steeper scale of similarity, which gives nearly all to the most similar; 0 to 1.
        71 phrase_credit_steep: Credit [similarity],
        /// The greatest credit for one phrase; 0 to 1.
        72 greatest_phrase_credit: Credit [similarity],
        /// Share of the question's phrases to which no other table is more similar; 0 to 1.
        73 phrases_best_at: Credit [similarity],
        /// Highest cosine between a phrase of the question and the table or one of its columns; 0 to 1.
        74 most_similar_phrase: Credit [similarity],
        /// Numbers of its name that the question asks about (`indiv16` for 2016); a count.
        75 name_numbers_asked: Name [words],
        /// Numbers of its name that the question doesn't ask about; a count. Of a family by years: whether it lacks the
        /// year that is asked about.
        76 name_numbers_not_asked: Name [words],
        /// Tables that refer to it, by keys or by the names of their columns, natural logarithm of one more; 0 and up.
        77 referring_tables: Centrality [joins],
        /// `referring_tables` over the highest of its source; 0 to 1.
        78 referring_tables_of_most: Centrality [joins],
        /// Tables that it refers to, by keys or by the names of its columns, natural logarithm of one more; 0 and up.
        79 referred_tables: Centrality [joins],
        /// Whether the question asks for people or organisations (`who`, `customers`); 0 or 1.
        80 asks_for_people: Question [words],
        /// Words of the question that begin with a capital letter within a sentence and that no table has, such as a
        /// person's or a place's name, natural logarithm of one more; 0 and up.
        81 unknown_names: Question [words],
        /// Columns that say that its rows are people (`email`, `first_name`, `username`), natural logarithm of one more;
        /// 0 and up.
        82 people_columns: Table [],
        /// Whether it has a column that names its rows (`name`, `title`, `label`); 0 or 1.
        83 has_name_column: Table [],
        /// How far its name says that its rows are people or organisations (`customer`, `party`): 1 where the last word
        /// does, a half where another one does.
        84 named_for_people: Table [],
    }

    /// What reranking knows of a table besides: how it stands to the others, given what the first stage says of them.
    RerankingFeatures {
        /// What the first-stage trees say: logarithmic odds that the question needs the table.
        85 first_stage_odds: FirstStage [],
        /// The first-stage odds less the highest; 0 and down.
        86 first_stage_odds_below_best: FirstStage [],
        /// One over the table's rank by the first-stage odds; 0 to 1.
        87 rank_by_first_stage: FirstStage [],
        /// The table's probability over the sum of all candidates'; 0 to 1.
        88 first_stage_share: FirstStage [],
        /// Candidates that are likelier needed than not; a count.
        89 likely_tables: Question [],
        /// Sum of all candidates' probabilities: how many tables are expected to be needed; 0 and up.
        90 expected_tables: Question [],
        /// Highest probability of a table that a key joins with this one, times the strength of the key; 0 to 1.
        91 best_keyed: Join [joins],
        /// The same of the second best; 0 to 1.
        92 second_keyed: Bridge [joins],
        /// The lesser of the two, where those tables aren't joined by a key themselves; 0 to 1.
        93 between_keyed: Bridge [joins],
        /// Sum of the same over all tables that a key joins with this one; 0 and up.
        94 all_keyed: Join [joins],
        /// Highest probability of a table that a key or a shared column relates to this one, times the strength of the
        /// relation; 0 to 1.
        95 best_related: Join [joins],
        /// The same of the second best; 0 to 1.
        96 second_related: Bridge [joins],
        /// The lesser of the two, where those tables aren't related themselves; 0 to 1.
        97 between_related: Bridge [joins],
        /// Sum of the same over all related tables; 0 and up.
        98 all_related: Join [joins],
        /// How many of the five likeliest tables it is related to; 0 to 5.
        99 related_to_first_five: Join [joins],
        /// Whether it lies on a cheapest path between likely tables: the lesser probability of the path's two ends over
        /// the path's cost; 0 to 1.
        100 between_likely: Bridge [joins],
        /// Relations between it and the likeliest table; 0 to 4, 5 where there are more or no way.
        101 steps_to_best: Join [],
        /// Highest probability of a table with nearly the same columns; 0 to 1.
        102 best_look_alike: LookAlike [joins],
        /// The table's probability less that of the likeliest table with nearly the same columns; -1 to 1.
        103 probability_above_look_alike: LookAlike [],
        /// Share of the question that it explains better than each of the three likeliest others, as far as it does; 0
        /// to 1.
        104 beyond_first_three: Complement [],
        /// Share of the question that it explains better than the likeliest other, as far as it does; 0 to 1.
        105 beyond_best: Complement [],
        /// Highest probability of another table in its schema; 0 to 1.
        106 best_other_in_schema: Neighbours [],
        /// Highest probability of another table in its schema whose name begins with the same word; 0 to 1.
        107 best_other_in_module: Neighbours [],
        /// Sum of the probabilities of the others in its source; 0 and up.
        108 likely_in_source: Neighbours [],
        /// Tables with nearly the same columns, natural logarithm of one more; 0 and up.
        109 look_alike_count: LookAlike [joins],
        /// Strength of its relation to the likeliest table; 0 to 1.
        110 related_to_best: Join [joins],
        /// Sum of the probabilities of the others in its schema; 0 and up.
        111 likely_in_schema: Neighbours [],
        /// Sum of the probabilities of the others in its schema whose names begin with the same word; 0 and up.
        112 likely_in_module: Neighbours [],
        /// Share of random walks along relations that end at it when they set out from tables by their probabilities; 0
        /// to 1.
        113 walk_from_likely: Neighbours [],
        /// The same over the share of those that set out from any candidate; 0 and up.
        114 walk_from_likely_to_anywhere: Neighbours [],
        /// Share of the question that it explains better than each of the five likeliest others, as far as it does; 0
        /// to 1.
        115 beyond_first_five: Complement [],
        /// Highest probability of a table that refers to this one, times the strength of the reference; 0 to 1.
        116 best_referring: Join [joins],
        /// The same of the second best; 0 to 1.
        117 second_referring: Join [joins],
        /// Sum of the same over all tables that refer to this one; 0 and up.
        118 all_referring: Join [joins],
        /// Highest probability of a table that this one refers to, times the strength of the reference; 0 to 1.
        119 best_referred: Join [joins],
        /// `best_referring` over the highest probability; 0 to 1.
        120 best_referring_of_best: Join [joins],
        /// The share of all probabilities that tables have that refer to this one, over the share of the candidates that
        /// do; 0 and up.
        121 referring_to_anywhere: Join [joins],
        /// Highest probability of a table that refers to this one, times the share of the question's weight that is in
        /// the name of the column by which it does (`owner`); 0 to 1.
        122 referring_column_words: Join [words, joins],
    }
}
