//! Approvals and corrections in the store, and what they were used for.

use jiff::Timestamp;
use rusqlite::{Transaction, params};

use super::reading::decode;
use super::sealing::seal;
use super::{Store, encode};
use crate::error::CatalogError;
use crate::model::memory::{Memory, MemoryId, MemoryState, MemoryUse, NewMemory};

/// Uses of a memory that are kept.
const MOST_USES: u32 = 50;

impl Store {
    /// Stores an approval or a correction.
    pub fn add_memory(&self, content: NewMemory) -> Result<Memory, CatalogError> {
        self.in_transaction(|transaction| add(transaction, content))
    }

    /// Stores what somebody says in the place of a memory, which stays in the list, marked with who did it and when.
    pub fn replace_memory(&self, id: MemoryId, content: NewMemory) -> Result<Memory, CatalogError> {
        self.in_transaction(|transaction| {
            let by = content.author.clone();
            let memory = add(transaction, content)?;
            set_state(transaction, id, &MemoryState::Replaced { at: memory.created_at, by, with: memory.id })?;
            Ok(memory)
        })
    }

    /// Takes a memory back. It stays in the list, marked with who did it and when.
    pub fn undo_memory(&self, id: MemoryId, by: &str) -> Result<(), CatalogError> {
        let state = MemoryState::Undone { at: Timestamp::now(), by: by.to_owned() };
        self.in_transaction(|transaction| set_state(transaction, id, &state))
    }

    /// Notes for which question memories were used. Nothing that is served follows from it, so the revision stays.
    pub fn note_uses(&self, uses: &[MemoryUse]) -> Result<(), CatalogError> {
        let transaction = self.connection.unchecked_transaction()?;
        for it in uses {
            transaction
                .prepare_cached("INSERT INTO memory_uses (memory, body) VALUES (?1, ?2)")?
                .execute(params![it.memory.0, encode(it)])?;
            transaction
                .prepare_cached(
                    "DELETE FROM memory_uses WHERE memory = ?1 AND rowid NOT IN
                         (SELECT rowid FROM memory_uses WHERE memory = ?1 ORDER BY rowid DESC LIMIT ?2)",
                )?
                .execute(params![it.memory.0, MOST_USES])?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// The questions for which a memory was used, the last first.
    pub fn memory_uses(&self, id: MemoryId) -> Result<Vec<MemoryUse>, CatalogError> {
        let bodies = self.bodies("SELECT body FROM memory_uses WHERE memory = ?1 ORDER BY rowid DESC", [id.0])?;
        bodies.iter().map(|body| decode(body, "use of a memory")).collect()
    }
}

fn add(transaction: &Transaction<'_>, content: NewMemory) -> Result<Memory, CatalogError> {
    let (created_at, state) = (Timestamp::now(), MemoryState::Active);
    transaction
        .prepare_cached("INSERT INTO memories (body, created_at, state) VALUES (?1, ?2, ?3)")?
        .execute(params![encode(&content), created_at.to_string(), encode(&state)])?;
    let id = transaction.last_insert_rowid();
    seal_memory(transaction, id)?;
    Ok(Memory { id: MemoryId(id), content, created_at, state })
}

fn set_state(transaction: &Transaction<'_>, id: MemoryId, state: &MemoryState) -> Result<(), CatalogError> {
    let changed = transaction.execute("UPDATE memories SET state = ?2 WHERE id = ?1", params![id.0, encode(state)])?;
    match changed {
        0 => Err(CatalogError::NotFound { kind: "memory", name: id.0.to_string() }),
        _ => seal_memory(transaction, id.0),
    }
}

fn seal_memory(transaction: &Transaction<'_>, id: i64) -> Result<(), CatalogError> {
    let (body, state): (String, String) =
        transaction
            .query_row("SELECT body, state FROM memories WHERE id = ?1", [id], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let sealed = seal("memories", &id.to_string(), &(body + &state));
    transaction.execute("UPDATE memories SET seal = ?2 WHERE id = ?1", params![id, sealed])?;
    Ok(())
}
