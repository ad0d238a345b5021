//! From a catalog to an index, in one pass over its tables.

use std::collections::HashSet;
use std::sync::OnceLock;

use catalog::{Catalog, Entry, FactKind};
use llm::Embedder;

use crate::arrays::Lists;
use crate::chunk::{Chunk, ChunkKind, Chunks};
use crate::chunking::{example_chunks, references_of, unit_chunks, unit_union};
use crate::columns::{Columns, NewColumn};
use crate::compounds::Compounds;
use crate::error::IndexError;
use crate::family::{Unit, units_of};
use crate::index::{Index, NO_ROW, positions_of};
use crate::lexical::{Interner, Lexicon, Postings};
use crate::naming::Naming;
use crate::rebuild::{join, kept_units};
use crate::scores::Field;
use crate::terms;
use crate::values::ValueIndexBuilder;
use crate::vectors::{EmbeddedText, VectorBuilder};

/// Members of a family that are searched for columns that the newest member lacks.
const MEMBERS_COMPARED: usize = 24;
/// Words of a value that go into the text index; the rest of a long text says little.
const VALUE_WORDS: usize = 8;
/// Columns named in the text that a table's vector is made of.
const EMBEDDED_COLUMNS: usize = 40;

/// Values that a column's vector is made of where nobody wrote what it holds: how many, and their lengths in bytes.
const VALUES_TOLD: usize = 5;
const SHORTEST_TOLD: usize = 4;
const LONGEST_TOLD: usize = 60;

/// Long forms of an abbreviation that its vector is made of.
const LONG_FORMS: usize = 2;

/// The fields that texts are put into; [`Field::Everything`] is all of them.
const PARTS: usize = Field::Everything as usize;

/// Everything about one unit, before terms have their final numbers.
struct UnitDocument {
    fields: Vec<Vec<u32>>,
    name: Vec<u32>,
    columns: Vec<NewColumn>,
    table_rows: Vec<u32>,
}

pub(crate) fn build(catalog: &Catalog, embedder: &dyn Embedder, previous: Option<&Index>) -> Result<Index, IndexError> {
    let units = units_of(catalog);
    let previous = previous.filter(|index| index.embedder == embedder.name());
    let same_vectors = |index: &&Index| index.vectors.dimensions() == embedder.dimensions();
    let Some(earlier) = previous.filter(same_vectors).filter(|index| index.is_of(catalog)) else {
        return build_units(units, catalog, embedder, previous);
    };
    let kept = kept_units(earlier, catalog, &units);
    let changed = units.iter().zip(&kept).filter(|(_, kept)| kept.is_none()).map(|(unit, _)| unit.clone()).collect();
    let changed = build_units(changed, catalog, embedder, previous)?;
    Ok(join(earlier, &changed, units, &kept))
}

/// The index of these units, and of all examples.
fn build_units(
    units: Vec<Unit>,
    catalog: &Catalog,
    embedder: &dyn Embedder,
    previous: Option<&Index>,
) -> Result<Index, IndexError> {
    let mut interner = Interner::default();
    let mut vectors = VectorBuilder::default();
    let mut values = ValueIndexBuilder::default();
    let compounds = Compounds::default();
    let documents = units.iter().zip(0..);
    let documents: Vec<UnitDocument> = documents
        .map(|(unit, number)| document_of(number, unit, catalog, &compounds, &mut interner, &mut vectors, &mut values))
        .collect();
    let positions = positions_of(&units);
    let references = references_of(catalog);
    let mut collected = CollectedChunks { of_unit: vec![Vec::new(); units.len()], ..CollectedChunks::default() };
    for (number, unit) in units.iter().enumerate() {
        for chunk in unit_chunks(unit, catalog, &references) {
            collected.push(&chunk, Some(number), &documents, &mut interner, &mut vectors);
        }
    }
    let unions = collected.bodies.len() as u32;
    for (number, unit) in units.iter().enumerate() {
        if let Some(chunk) = unit_union(unit, catalog) {
            collected.push(&chunk, Some(number), &documents, &mut interner, &mut vectors);
        }
    }
    let examples = collected.bodies.len() as u32;
    for chunk in example_chunks(catalog) {
        let unit = positions.get(&chunk.table).copied();
        collected.push(&chunk, unit, &documents, &mut interner, &mut vectors);
    }
    let CollectedChunks { bodies, terms: chunk_terms, rows: chunk_rows, of_unit } = collected;
    let chunks = Chunks::new(bodies.iter().collect(), &of_unit, unions, examples);
    drop(bodies);
    let (lexicon, numbers) = interner.finish();
    let renumber = |terms: Vec<u32>| -> Vec<u32> { terms.into_iter().map(|term| numbers[term as usize]).collect() };
    let mut by_field: Vec<Vec<Vec<u32>>> = vec![Vec::new(); PARTS];
    let (mut columns, mut names, mut table_rows) = (Vec::new(), Vec::new(), Vec::new());
    for document in documents {
        for (field, terms) in by_field.iter_mut().zip(document.fields) {
            field.push(renumber(terms));
        }
        names.push(renumber(document.name));
        table_rows.push(document.table_rows);
        let renumbered = document.columns.into_iter().map(|column| {
            let mut text = renumber(column.text);
            text.sort_unstable();
            NewColumn { terms: renumber(column.terms), text, ..column }
        });
        columns.push(renumbered.collect::<Vec<_>>());
    }
    let size = numbers.len();
    let columns = Columns::new(&columns);
    let names = names.iter().collect();
    let term_rows = term_rows(&lexicon, &names, &columns, &mut vectors);
    // Each list of terms is freed as soon as its postings are built.
    let everything = Postings::new(&by_field, size);
    let fields = by_field.into_iter().map(|documents| Postings::new(&[documents], size));
    let fields = fields.chain([everything]).collect();
    let chunk_postings = Postings::new(&[chunk_terms.into_iter().map(renumber).collect()], size);
    Ok(Index {
        revision: catalog.revision(),
        origin: catalog.origin().to_owned(),
        rules: catalog.mask_rules().to_owned(),
        embedder: embedder.name().to_owned(),
        units,
        chunks,
        lexicon,
        fields,
        chunk_postings,
        columns,
        names,
        values: values.finish(),
        vectors: vectors.finish(embedder, previous.map(|index| &index.vectors))?,
        table_rows: table_rows.iter().collect(),
        term_rows: term_rows.into(),
        chunk_rows: chunk_rows.into(),
        positions,
        foreign: OnceLock::new(),
    })
}

/// Chunks as they are collected.
#[derive(Default)]
struct CollectedChunks {
    bodies: Vec<String>,
    terms: Vec<Vec<u32>>,
    rows: Vec<u32>,
    of_unit: Vec<Vec<u32>>,
}

impl CollectedChunks {
    fn push(
        &mut self,
        chunk: &Chunk,
        unit: Option<usize>,
        documents: &[UnitDocument],
        interner: &mut Interner,
        vectors: &mut VectorBuilder,
    ) {
        if let Some(unit) = unit {
            self.of_unit[unit].push(self.bodies.len() as u32);
        }
        self.rows.push(chunk_row(chunk, unit.map(|unit| &documents[unit]), vectors));
        self.terms.push(interner.intern_all(terms_of_text(&chunk.text)));
        self.bodies.push(Chunks::body(chunk));
    }
}

fn document_of(
    number: u32,
    unit: &Unit,
    catalog: &Catalog,
    compounds: &Compounds,
    interner: &mut Interner,
    vectors: &mut VectorBuilder,
    values: &mut ValueIndexBuilder,
) -> UnitDocument {
    let members: Vec<&Entry> =
        unit.members.iter().rev().take(MEMBERS_COMPARED).filter_map(|member| catalog.entry(member)).collect();
    let mut fields = vec![Vec::new(); PARTS];
    let mut columns: Vec<NewColumn> = Vec::new();
    let Some(&entry) = members.first() else {
        return UnitDocument { fields, name: Vec::new(), columns, table_rows: Vec::new() };
    };
    let mut add = |field: Field, terms: Vec<u32>| {
        fields[field as usize].extend(terms);
    };
    let naming = Naming::of(&entry.table, compounds);
    let table_words = naming.table_words(unit);
    let name = interner.intern_all(name_words(&table_words));
    add(Field::Name, interner.intern_all(terms::name_terms(&table_words)));
    add(Field::Source, interner.intern_all(scope_terms(entry)));
    table_texts(entry).for_each(|text| add(Field::Text, interner.intern_all(terms_of_text(text))));
    let mut seen: HashSet<String> = HashSet::new();
    for member in &members {
        for column in &member.table.columns {
            if !seen.insert(column.name.to_lowercase()) && !std::ptr::eq(*member, entry) {
                continue;
            }
            let meaning = member.written_of_column(&column.name).unwrap_or_default();
            let words = naming.column_words(&column.name);
            let (column_terms, key_from) = terms::key_terms(&words);
            let column_terms = interner.intern_all(column_terms);
            let mut text = interner.intern_all(terms_of_text(meaning));
            add(Field::Columns, column_terms.clone());
            add(Field::Text, text.clone());
            let known = known_values(member, &column.name);
            values.add_column(number, columns.len() as u32, known.iter().map(String::as_str));
            let coded = meanings(catalog, member, &column.name);
            let told = known.iter().chain(&coded);
            let value_words = told.flat_map(|value| terms::text_terms(value).into_iter().take(VALUE_WORDS));
            let value_words: Vec<String> = value_words.collect();
            add(Field::Values, interner.intern_all(value_words));
            text.sort_unstable();
            text.dedup();
            text.shrink_to_fit();
            let said = match meaning {
                "" => values_in_words(if coded.is_empty() { &known } else { &coded }),
                meaning => meaning.to_owned(),
            };
            let row = vectors.add(column_embedding_text(&table_words, &words, &said));
            columns.push(NewColumn { name: column.name.clone(), terms: column_terms, key_from, text, row });
        }
    }
    fields.iter_mut().for_each(Vec::shrink_to_fit);
    let table_rows =
        table_embedding_texts(entry, &table_words, &naming).into_iter().map(|text| vectors.add(text)).collect();
    UnitDocument { fields, name, columns, table_rows }
}

/// A vector for each word of a name, so that a question's word can be compared with words and not only with whole texts.
fn term_rows(lexicon: &Lexicon, names: &Lists<u32>, columns: &Columns, vectors: &mut VectorBuilder) -> Vec<u32> {
    let mut rows = vec![NO_ROW; lexicon.len()];
    for &term in names.values().iter().chain(columns.terms()) {
        let row = &mut rows[term as usize];
        if *row == NO_ROW && lexicon.term(term).chars().any(char::is_alphabetic) {
            // An abbreviation gets the vector of what it is short for.
            let long: Vec<&str> = terms::long_forms(lexicon.term(term)).take(LONG_FORMS).collect();
            *row = vectors.add(if long.is_empty() { lexicon.term(term).to_owned() } else { long.join(" ") });
        }
    }
    rows
}

/// Every known value of a column, the frequent ones with the representative ones; none of a masked column.
fn known_values(entry: &Entry, column: &str) -> Vec<String> {
    let mut values: Vec<String> = entry.all_values(column).into_iter().flatten().map(str::to_owned).collect();
    if let Some(profile) = entry.profile().and_then(|profile| profile.column(column)) {
        let frequent = profile.most_common.iter().map(|common| &common.value);
        for value in profile.values.as_slice().iter().chain(frequent) {
            if !values.contains(value) {
                values.push(value.clone());
            }
        }
    }
    values
}

/// What the codes of a column mean by a table of codes. They aren't its values: nobody can filter by them.
fn meanings(catalog: &Catalog, entry: &Entry, column: &str) -> Vec<String> {
    let of_column = catalog.facts(entry).filter_map(|fact| match &fact.kind {
        FactKind::CodedBy { column: coded, meanings, .. } if coded == column => Some(meanings),
        _ => None,
    });
    of_column.flatten().map(|(_, meaning)| meaning.clone()).collect()
}

/// The terms of a table's name, which a question may cover.
fn name_words(words: &[String]) -> Vec<String> {
    let is_number = |word: &str| word.len() > 3 && word.chars().all(char::is_numeric);
    words.iter().filter(|word| !is_number(word)).map(|word| words::singular(word)).collect()
}

/// Words of the source and the schema that the table is in.
fn scope_terms(entry: &Entry) -> Vec<String> {
    let id = &entry.table.id;
    let mut words = terms::identifier_terms(&id.source);
    words.extend(id.schema.iter().flat_map(|schema| terms::identifier_terms(schema)));
    words
}

/// What somebody wrote about a table as a whole. What the rules write spells out names, keys and values, which are in the index
/// already: it would count them twice, and puts every table's words into those that refer to it.
fn table_texts(entry: &Entry) -> impl Iterator<Item = &str> {
    let authored = entry.authored().into_iter().flat_map(|description| {
        let lists = description.also_called.iter().chain(&description.when_to_use).chain(&description.questions);
        [description.summary.as_str(), description.row_meaning.as_str()].into_iter().chain(lists.map(String::as_str))
    });
    [entry.table.comment.as_deref(), entry.peoples_purpose(), entry.peoples_business_context()]
        .into_iter()
        .flatten()
        .chain(authored)
        .filter(|text| !text.is_empty())
}

/// Terms of prose, identifiers in it taken apart the way identifiers are.
fn terms_of_text(text: &str) -> Vec<String> {
    text.split(|character: char| !(character.is_alphanumeric() || character == '_'))
        .filter(|word| !word.is_empty() && !terms::is_stop_word(&word.to_lowercase()))
        .flat_map(terms::identifier_terms)
        .collect()
}

/// The first values that are words, which say what a column is about: `Where is my parcel?`.
fn values_in_words(known: &[String]) -> String {
    let is_word = |value: &&String| {
        let letters = value.chars().filter(|character| character.is_alphabetic()).count();
        letters >= SHORTEST_TOLD && letters * 2 > value.chars().count() && value.len() <= LONGEST_TOLD
    };
    known.iter().filter(is_word).take(VALUES_TOLD).map(String::as_str).collect::<Vec<_>>().join(", ")
}

/// What a column's vector is made of.
fn column_embedding_text(table: &[String], column: &[String], meaning: &str) -> String {
    let mut text = format!("{} {}", table.join(" "), column.join(" "));
    if !meaning.is_empty() {
        text.push_str(": ");
        text.push_str(meaning);
    }
    text
}

/// What a table's vectors are made of: its names, for each part of a wide table, and the words that people have for it
/// where somebody wrote them.
fn table_embedding_texts(entry: &Entry, table_words: &[String], naming: &Naming<'_>) -> Vec<EmbeddedText> {
    let mut texts = named_texts(entry, table_words, naming);
    texts.extend(entry.authored().filter(|description| !description.also_called.is_empty()).map(|description| {
        let words = description.also_called.iter().chain(&description.questions).map(String::as_str);
        words.collect::<Vec<_>>().join(". ").into()
    }));
    texts
}

/// A table's name with what somebody wrote of it, and the names of its columns, for each part of a wide table. In one text
/// its own name would be a few of many words, and what it is about would be lost in what it has.
fn named_texts(entry: &Entry, table_words: &[String], naming: &Naming<'_>) -> Vec<EmbeddedText> {
    let mut header = table_words.join(" ");
    let authored = entry.authored().map(|description| description.summary.as_str());
    let written = [entry.table.comment.as_deref(), entry.peoples_purpose().or(authored)];
    for part in written.into_iter().flatten().filter(|part| !part.is_empty()) {
        if !header.contains(part) {
            header.push_str(". ");
            header.push_str(part);
        }
    }
    let columns = &entry.table.columns;
    if columns.is_empty() {
        return vec![header.into()];
    }
    columns
        .chunks(EMBEDDED_COLUMNS)
        .map(|part| {
            let names: Vec<String> = part.iter().map(|column| naming.column_words(&column.name).join(" ")).collect();
            EmbeddedText::Halves(header.clone(), names.join(", "))
        })
        .collect()
}

/// The vector row of a chunk: that of its table or column where there is one, or else one of its own text.
fn chunk_row(chunk: &Chunk, document: Option<&UnitDocument>, vectors: &mut VectorBuilder) -> u32 {
    let known = document.and_then(|document| match (chunk.kind, &chunk.column) {
        (ChunkKind::Table, _) => document.table_rows.first().copied(),
        (ChunkKind::TablePart { number, .. }, _) => {
            document.table_rows.get(number as usize - 1).or(document.table_rows.last()).copied()
        }
        (ChunkKind::Column, Some(name)) => {
            document.columns.iter().find(|column| &column.name == name).map(|column| column.row)
        }
        _ => None,
    });
    known.unwrap_or_else(|| {
        let text = match chunk.kind {
            // The question alone: that is what later questions are compared with.
            ChunkKind::Example { .. } => chunk.text.lines().next().unwrap_or_default().to_owned(),
            _ => chunk.text.clone(),
        };
        vectors.add(text)
    })
}
