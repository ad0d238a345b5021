//! Words that an engine takes for a value of its own though a column has that name: each engine is asked what it makes
//! of every word of its grammar, and the reading has to say the same.

use std::collections::BTreeSet;

use catalog::{Catalog, Dialect, Entry, Source, Table};
use connect::{Limits, ResultSet, Value};
use sql::{CatalogSchema, ProblemKind};

use crate::databases::{CLICKHOUSE, DUCKDB, Database, Engine, MARIADB, POSTGRES, SQLITE};

/// Words with a meaning of their own somewhere, and names that tables have without having been given them.
const BESIDES: &str = "user current_user session_user system_user current_role current_catalog current_schema \
    current_database current_date current_time current_timestamp localtime localtimestamp utc_date utc_time \
    utc_timestamp sysdate systimestamp now today yesterday value values row rowid _rowid_ oid _rowid rownum level \
    true false null unknown default dual version database schema date time timestamp interval year month day hour \
    minute second count sum key name type status state data text role session transaction_timestamp random uid \
    isnull notnull inf infinity nan e pi _part _partition_id _part_index _table _database _part_uuid _sample_factor \
    _part_offset _block_number _row_exists rank position excluded filename file_row_number";
/// SQLite's keywords: <https://www.sqlite.org/lang_keywords.html>.
const OF_SQLITE: &str = "abort action add after all alter always analyze and as asc attach autoincrement before begin \
    between by cascade case cast check collate column commit conflict constraint create cross current current_date \
    current_time current_timestamp database default deferrable deferred delete desc detach distinct do drop each else \
    end escape except exclude exclusive exists explain fail filter first following for foreign from full generated \
    glob group groups having if ignore immediate in index indexed initially inner insert instead intersect into is \
    isnull join key last left like limit match materialized natural no not nothing notnull null nulls of offset on or \
    order others outer over partition plan pragma preceding primary query raise range recursive references regexp \
    reindex release rename replace restrict returning right rollback row rows savepoint select set table temp \
    temporary then ties to transaction trigger unbounded union unique update using vacuum values view virtual when \
    where window with without";
/// Literals of the language, which nobody takes for the name of a column.
const LITERALS: [&str; 3] = ["null", "true", "false"];
/// What PostgreSQL's tables have by themselves, so that no column can be called so.
const SYSTEM_COLUMNS: [&str; 6] = ["ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"];

/// What a word is without quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Column,
    Value,
    /// It can't stand alone, or isn't understood.
    Nothing,
}

fn words(database: &Database, keywords: Option<&str>) -> BTreeSet<String> {
    let mut words: BTreeSet<String> = BESIDES.split_whitespace().map(str::to_owned).collect();
    match keywords {
        None => words.extend(OF_SQLITE.split_whitespace().map(str::to_owned)),
        Some(sql) => {
            let limits = Limits { rows: 10_000, ..Limits::default() };
            let found = database.unguarded(sql, &limits).unwrap();
            words.extend(found.rows.iter().filter_map(|row| row[0].as_text()).map(|word| word.to_lowercase()));
        }
    }
    let is_word = |word: &String| word.chars().all(|character| character.is_ascii_alphabetic() || character == '_');
    words.into_iter().filter(|word| is_word(word) && !SYSTEM_COLUMNS.contains(&word.as_str())).collect()
}

/// A table with a column of every name, whose values say that they are the column's.
fn statements(words: &BTreeSet<String>, engine: &Engine) -> [String; 2] {
    let quote = if engine.dialect == "mysql" { '`' } else { '"' };
    let (data_type, storage) = match engine.dialect {
        "clickhouse" => ("String", " ENGINE = Memory"),
        "mysql" => ("VARCHAR(7) CHARACTER SET latin1", ""),
        _ => ("TEXT", ""),
    };
    let columns: Vec<String> = words.iter().map(|word| format!("{quote}{word}{quote} {data_type}")).collect();
    let values = vec!["'column'"; words.len()];
    [
        format!("CREATE TABLE bare_words ({}){storage}", columns.join(", ")),
        format!("INSERT INTO bare_words VALUES ({})", values.join(", ")),
    ]
}

fn by_engine(result: Result<ResultSet, connect::ConnectError>) -> Meaning {
    match result {
        Ok(result) if result.rows.iter().flatten().eq([&Value::Text("column".to_owned())]) => Meaning::Column,
        Ok(_) => Meaning::Value,
        Err(_) => Meaning::Nothing,
    }
}

/// What the reading says, and whether it says that the word should be in quotes.
fn by_reading(sql: &str, word: &str, catalog: &Catalog) -> (Meaning, bool) {
    let reading = sql::read(sql, catalog.dialect("spec"), &CatalogSchema::new(catalog, "spec"));
    let warned = reading.problems.iter().any(|problem| matches!(problem.kind, ProblemKind::BareWord { .. }));
    let understood = reading.effects.is_empty() && reading.problems.len() == usize::from(warned);
    let meaning = match reading.outputs.as_slice() {
        [output] if understood => match output.sources.as_slice() {
            [source] if source.column == word => Meaning::Column,
            [] => Meaning::Value,
            _ => Meaning::Nothing,
        },
        _ => Meaning::Nothing,
    };
    (meaning, warned)
}

fn agree(engine: &'static Engine, keywords: Option<&str>) {
    let Some(mut database) = Database::of(engine) else { return };
    let words = words(&database, keywords);
    statements(&words, engine).iter().for_each(|statement| database.alter(statement));
    let connector = connect::connect("spec", &database.dsn()).unwrap();
    let tables: Vec<Table> = database.runtime.block_on(connector.introspect()).unwrap();
    let source = Source::new("spec", Dialect::from_name(engine.dialect), "");
    let catalog = Catalog::new(vec![source], tables.into_iter().map(Entry::bare).collect(), Vec::new(), 1);
    let mut wrong = Vec::new();
    let (mut columns, mut values, mut refused) = (0, Vec::new(), Vec::new());
    for word in &words {
        let mut forms =
            vec![format!("SELECT {word} FROM bare_words"), format!("SELECT max({word}) AS n FROM bare_words")];
        // Where case matters it is another word.
        if engine.dialect != CLICKHOUSE.dialect {
            forms.push(format!("SELECT {} FROM bare_words", word.to_uppercase()));
        }
        for sql in forms {
            let engines = by_engine(database.unguarded(&sql, &Limits::default()));
            let (reads, warned) = by_reading(&sql, word, &catalog);
            let agrees = match engines {
                // From version 16 on it is a value, and it is not known here what the version is.
                Meaning::Column if word == "system_user" && engine.dialect == POSTGRES.dialect => warned,
                Meaning::Column => reads != Meaning::Value && !warned,
                Meaning::Value => warned || reads == Meaning::Nothing || LITERALS.contains(&word.as_str()),
                Meaning::Nothing => true,
            };
            if !agrees {
                wrong.push(format!("{sql}: {engines:?} to the engine, {reads:?} to the reading, warned: {warned}"));
            }
            match engines {
                Meaning::Column if reads == Meaning::Column => columns += 1,
                Meaning::Column => refused.push(sql),
                Meaning::Value => values.push(sql),
                Meaning::Nothing => {}
            }
        }
    }
    eprintln!(
        "{}: {columns} read as columns, {} as values: {values:?}; not read: {refused:?}",
        engine.name,
        values.len()
    );
    assert!(wrong.is_empty(), "{}:\n{}", engine.name, wrong.join("\n"));
}

#[test]
fn sqlite_and_the_reading_take_a_bare_word_for_the_same() {
    agree(&SQLITE, None);
}

#[test]
fn postgresql_and_the_reading_take_a_bare_word_for_the_same() {
    agree(&POSTGRES, Some("SELECT word FROM pg_get_keywords()"));
}

#[test]
fn mariadb_and_the_reading_take_a_bare_word_for_the_same() {
    agree(&MARIADB, Some("SELECT word FROM information_schema.keywords"));
}

#[test]
fn duckdb_and_the_reading_take_a_bare_word_for_the_same() {
    agree(&DUCKDB, Some("SELECT keyword_name FROM duckdb_keywords()"));
}

#[test]
fn clickhouse_and_the_reading_take_a_bare_word_for_the_same() {
    agree(&CLICKHOUSE, Some("SELECT keyword FROM system.keywords WHERE position(keyword, ' ') = 0"));
}
