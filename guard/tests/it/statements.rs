//! Statements by the thousand: from a grammar, with and without a hostile part, and from mutations of existing ones.
//!
//! Invariant: the same seed, number and statements to start from give the same statement, whatever ran before.

mod grammar;
mod hostile;
mod mutation;
mod words;

use std::path::Path;

use catalog::Dialect;
use fastrand::Rng;

use self::grammar::Grammar;
use self::words::Words;
use crate::databases::SEPARATOR;
use crate::specs::{accepted_statements_of, statements_of};

/// Names a file of further statements to start from.
const MORE: &str = "PERIPLUS_TEST_STATEMENTS";
/// The seed, where another one is wanted.
const SEED: &str = "PERIPLUS_TEST_SEED";
/// How many statements are made, where more are wanted.
const CASES: &str = "PERIPLUS_TEST_CASES";

/// What is known of a statement before it is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nature {
    /// Nothing.
    Any,
    /// Something in it acts, so that the guard has to refuse it.
    Hostile,
    /// Something stands in it that acts if the engine takes it for a part of the statement.
    Planted,
}

/// A statement to be tried.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) sql: String,
    pub(crate) nature: Nature,
}

/// Makes statements in one dialect.
pub(crate) struct Statements {
    words: &'static Words,
    seeds: Vec<String>,
    /// Those of the specs that are accepted.
    accepted: Vec<String>,
    seed: u64,
    /// What stands for `{folder}` and `{name}` in hostile parts.
    folder: String,
    name: String,
}

impl Statements {
    /// `folder` is where statements are told to write files.
    pub(crate) fn of(dialect: &Dialect, folder: &Path) -> Self {
        let (mut seeds, mut accepted) = (statements_of(dialect), accepted_statements_of(dialect));
        if *dialect != Dialect::Sqlite {
            // What is written in SQLite's words is mostly everybody's.
            seeds.extend(statements_of(&Dialect::Sqlite));
            accepted.extend(accepted_statements_of(&Dialect::Sqlite));
        }
        if let Some(path) = std::env::var_os(MORE) {
            let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{MORE}, {path:?}: {error}"));
            seeds.extend(text.trim_end().split(SEPARATOR).map(str::to_owned));
        }
        let name = format!("periplus_lock_{}", std::process::id());
        let (words, seed, folder) = (Words::of(dialect), number(SEED, 1), folder.display().to_string());
        Self { words, seeds, accepted, seed, folder, name }
    }

    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }

    /// The statements to start from, as they are.
    pub(crate) fn seeds(&self) -> impl Iterator<Item = Case> {
        self.seeds.iter().map(|sql| Case { sql: self.filled_in(sql), nature: Nature::Any })
    }

    /// The statement of that number.
    pub(crate) fn case(&self, number: u64) -> Case {
        // The products set apart what is next to each other, and the statements of one seed from those of another.
        let seed = self.seed.wrapping_mul(0xD134_2543_DE82_EF95) ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut rng = Rng::with_seed(seed);
        let (sql, nature) = match rng.u8(0..12) {
            0..4 => (Grammar::new(self.words, &mut rng).query(), Nature::Any),
            4..6 => (Grammar::new(self.words, &mut rng).hostile_query(), Nature::Hostile),
            6 => (rng.choice(self.words.hostile.statements).unwrap().to_string(), Nature::Hostile),
            7 => (mutation::planted(&self.accepted, &mut rng), Nature::Planted),
            8..11 => (mutation::mutated(&self.seeds, self.words, &mut rng), Nature::Any),
            _ => {
                let query = Grammar::new(self.words, &mut rng).query();
                let hostile_query = Grammar::new(self.words, &mut rng).hostile_query();
                (mutation::mutated(&[query, hostile_query], self.words, &mut rng), Nature::Any)
            }
        };
        Case { sql: self.filled_in(&sql), nature }
    }

    fn filled_in(&self, sql: &str) -> String {
        sql.replace("{folder}", &self.folder).replace("{name}", &self.name)
    }
}

/// How many statements are to be made.
pub(crate) fn cases(otherwise: u64) -> u64 {
    number(CASES, otherwise)
}

fn number(variable: &str, otherwise: u64) -> u64 {
    let Ok(text) = std::env::var(variable) else { return otherwise };
    text.parse().unwrap_or_else(|error| panic!("{variable} is `{text}`: {error}"))
}
