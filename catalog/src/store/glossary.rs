//! Business terms in the store.

use rusqlite::{OptionalExtension, Transaction, params};

use super::reading::decode;
use super::sealing::{seal, texts};
use super::{Store, encode};
use crate::error::CatalogError;
use crate::model::glossary::{Term, TermOrigin, TermState};

impl Store {
    /// Adds a term, or replaces the one of its source that has its name.
    pub fn put_term(&self, term: &Term) -> Result<(), CatalogError> {
        self.in_transaction(|transaction| put(transaction, term))
    }

    /// Takes a term away; says whether it was there.
    pub fn remove_term(&self, source: &str, name: &str) -> Result<bool, CatalogError> {
        self.in_transaction(|transaction| Ok(remove(transaction, source, &Term::key_of(name))? > 0))
    }

    /// Puts what is proposed for a source, and what its dbt projects say, in the place of what was before. What people
    /// said stays, and nothing is proposed under a name of theirs.
    pub fn put_proposals(&self, source: &str, proposals: &[Term]) -> Result<(), CatalogError> {
        let bodies = self.bodies("SELECT body FROM terms WHERE source = ?1 ORDER BY name", [source])?;
        // What can't be read is nobody's word any more.
        let known: Vec<Term> = bodies.iter().filter_map(|body| decode(body, "term").ok()).collect();
        let (theirs, ours): (Vec<Term>, Vec<Term>) = known.into_iter().partition(is_of_people);
        let is_free = |term: &&Term| theirs.iter().all(|known| known.key() != term.key());
        let mut wanted: Vec<&Term> = proposals.iter().filter(is_free).collect();
        wanted.sort_by_key(|term| term.key());
        wanted.dedup_by_key(|term| term.key());
        if wanted.iter().copied().eq(&ours) {
            return Ok(());
        }
        self.in_transaction(|transaction| {
            for term in &ours {
                remove(transaction, source, &term.key())?;
            }
            wanted.iter().try_for_each(|term| put(transaction, term))
        })
    }

    /// The term of that name, whatever its state.
    pub fn term(&self, source: &str, name: &str) -> Result<Option<Term>, CatalogError> {
        let mut statement = self.connection.prepare("SELECT body FROM terms WHERE source = ?1 AND name = ?2")?;
        let body = statement.query_row([source, &Term::key_of(name)], |row| Ok(texts::<1>(row))).optional()?;
        body.map(|[body]| decode(&body, "term")).transpose()
    }
}

/// Whether it stays until somebody says otherwise.
fn is_of_people(term: &Term) -> bool {
    match term.state {
        TermState::Proposed => false,
        TermState::Rejected { .. } => true,
        TermState::Approved { at, .. } => term.origin != TermOrigin::Dbt || at.is_some(),
    }
}

fn put(transaction: &Transaction<'_>, term: &Term) -> Result<(), CatalogError> {
    let (key, body) = (term.key(), encode(term));
    let sealed = seal("terms", &sealed_as(&term.source, &key), &body);
    transaction
        .prepare_cached(
            "INSERT INTO terms (source, name, body, seal) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (source, name) DO UPDATE SET body = excluded.body, seal = excluded.seal",
        )?
        .execute(params![term.source, key, body, sealed])?;
    Ok(())
}

fn remove(transaction: &Transaction<'_>, source: &str, key: &str) -> Result<usize, CatalogError> {
    Ok(transaction.execute("DELETE FROM terms WHERE source = ?1 AND name = ?2", [source, key])?)
}

/// The key that a term's row is sealed with.
pub(super) fn sealed_as(source: &str, key: &str) -> String {
    encode(&(source, key))
}
