#![allow(clippy::unwrap_used, reason = "a failed look-up is a failed test")]

use catalog::{
    Catalog, Column, Entry, ForeignKey, KeyOrigin, Memory, MemoryId, MemoryKind, MemoryState, NewMemory, Reach, Table,
    TableId,
};

use super::chunks_of;
use crate::chunk::{Chunk, ChunkKind};
use crate::family::units_of;

fn table(name: &str, columns: &[&str], keys: &[(&str, &str, &str)]) -> Entry {
    let column = |name: &&str| Column {
        comment: name.starts_with("note").then(|| "what was said".to_owned()),
        ..Column::new(*name, "TEXT")
    };
    let key = |(column, table, other): &(&str, &str, &str)| ForeignKey {
        columns: vec![(*column).to_owned()],
        ref_table: TableId::new("shop", *table),
        ref_columns: vec![(*other).to_owned()],
        origin: KeyOrigin::Declared,
    };
    Entry::bare(Table {
        comment: Some(format!("all {name}")),
        columns: columns.iter().map(column).collect(),
        primary_key: vec![columns[0].to_owned()],
        foreign_keys: keys.iter().map(key).collect(),
        ..Table::new(TableId::new("shop", name))
    })
}

fn chunks(entries: Vec<Entry>, memories: Vec<Memory>) -> Vec<Chunk> {
    let catalog = Catalog::new(Vec::new(), entries, memories, 1);
    chunks_of(&catalog, &units_of(&catalog))
}

#[test]
fn a_table_is_one_chunk_with_its_keys_and_who_refers_to_it() {
    let chunks = chunks(
        vec![
            table("customers", &["id", "note"], &[]),
            table("orders", &["id", "customer_id"], &[("customer_id", "customers", "id")]),
        ],
        Vec::new(),
    );
    let names: Vec<String> = chunks.iter().map(Chunk::name).collect();
    assert_eq!(
        names,
        [
            "shop.customers#table",
            "shop.customers#column:note",
            "shop.customers#relationship",
            "shop.orders#table",
            "shop.orders#relationship",
        ]
    );
    assert!(chunks[0].text.contains("all customers") && chunks[0].text.contains("- id TEXT, primary key"));
    assert!(chunks[0].text.contains("referenced by orders(customer_id) at id"), "{}", chunks[0].text);
    assert!(chunks[3].text.contains("refers to customers (id)"));
    assert_eq!(chunks[0].related, [TableId::new("shop", "orders")]);
    assert!(chunks.iter().all(|chunk| chunk.tokens == llm::estimate_tokens(&chunk.text)));
    assert!(chunks[0].keywords.split(' ').any(|word| word == "customer"));
}

#[test]
fn wide_tables_are_split_and_each_part_has_the_keys() {
    let names: Vec<String> =
        (0..90).map(|number| format!("{}_{number}", ["north", "south", "west"][number / 30])).collect();
    let mut columns = vec!["id"];
    columns.extend(names.iter().map(String::as_str));
    let chunks = chunks(vec![table("readings", &columns, &[])], Vec::new());
    let parts: Vec<&Chunk> = chunks.iter().filter(|chunk| matches!(chunk.kind, ChunkKind::TablePart { .. })).collect();
    assert_eq!(parts.len(), 3, "one for each group of names");
    assert!(
        parts.iter().all(|part| part.text.contains("- id TEXT, primary key") && part.text.contains("all readings"))
    );
    assert!(parts[0].text.contains("north_29") && !parts[0].text.contains("south_30"));
    let shown: usize = parts.iter().map(|part| part.text.matches("- ").count()).sum();
    assert_eq!(shown, 90 + 3, "every column once, the key in each part");
}

#[test]
fn tables_that_link_others_get_a_chunk_together() {
    let chunks = chunks(
        vec![
            table("films", &["id", "title"], &[]),
            table("actors", &["id", "name"], &[]),
            table("roles", &["film_id", "actor_id"], &[("film_id", "films", "id"), ("actor_id", "actors", "id")]),
        ],
        Vec::new(),
    );
    let union = chunks.iter().find(|chunk| chunk.kind == ChunkKind::Union).unwrap();
    assert_eq!(union.table.name, "roles");
    assert_eq!(union.related.len(), 2);
    assert!(
        union.text.contains("films (id, title)") && union.text.contains("roles.actor_id = actors.id"),
        "{}",
        union.text
    );
}

#[test]
fn only_approved_queries_that_still_count_become_examples() {
    let memory = |id: i64, kind: MemoryKind, state: MemoryState| Memory {
        id: MemoryId(id),
        content: NewMemory {
            source: "shop".into(),
            kind,
            question: "How many orders?".into(),
            sql: "SELECT count(*) FROM \"orders\" JOIN customers ON 1".into(),
            correction: None,
            author: "ann".into(),
            reach: Reach::default(),
        },
        created_at: jiff::Timestamp::UNIX_EPOCH,
        state,
    };
    let undone = MemoryState::Undone { at: jiff::Timestamp::UNIX_EPOCH, by: "ann".into() };
    let mut private = memory(4, MemoryKind::Approved, MemoryState::Active);
    private.content.reach.private = true;
    let memories = vec![
        memory(1, MemoryKind::Approved, MemoryState::Active),
        memory(2, MemoryKind::Rejected, MemoryState::Active),
        memory(3, MemoryKind::Approved, undone),
        private,
    ];
    let entries = vec![table("orders", &["id"], &[]), table("customers", &["id"], &[])];
    let chunks = chunks(entries, memories);
    let examples: Vec<&Chunk> = chunks.iter().filter(|chunk| matches!(chunk.kind, ChunkKind::Example { .. })).collect();
    assert_eq!(examples.len(), 1);
    assert_eq!((examples[0].table.name.as_str(), examples[0].related[0].name.as_str()), ("orders", "customers"));
}

#[test]
fn queries_that_people_wrote_are_found_in_place_of_generated_ones() {
    let mut orders = table("orders", &["id"], &[]);
    let written = "### Open orders\n\n```sql\nSELECT 1\n```\n\n### Late ones\n\nAsk the warehouse.\n";
    orders.overrides.0.insert("queries".into(), written.into());
    let found: Vec<String> = chunks(vec![orders], Vec::new())
        .into_iter()
        .filter(|chunk| matches!(chunk.kind, ChunkKind::Query { .. }))
        .map(|chunk| chunk.text)
        .collect();
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with("Open orders") && found[0].contains("SELECT 1"));
    assert!(found[1].starts_with("Late ones"));
}
