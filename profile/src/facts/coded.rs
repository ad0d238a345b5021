//! Codes that a table for many columns explains: a row for each list and code, with what the code means in that list.
//!
//! Which list a column takes its codes from is told by its values and the list's name. Values alone are enough where no other
//! list has them and they are no mere numbers or letters.

use std::collections::{BTreeMap, HashSet};

use catalog::{Column, Entry, Fact, FactKind, KnownValues, Table, TableKind, TypeClass};
use connect::Value;
use dialect::Dialect;

use super::values::figures;

/// Codes of one list, at most.
const LONGEST_LIST: usize = 60;
/// Lists of one table, at most.
const MOST_LISTS: u64 = 400;
/// Columns of a table of codes, at most: one of things has more.
const MOST_COLUMNS: usize = 16;
/// Columns of a table that has hardly anything but lists, codes and meanings.
const FEW_COLUMNS: usize = 5;
/// Characters of a meaning, at most.
const LONGEST_MEANING: usize = 60;

/// A table of codes.
pub(super) struct CodeTable<'e> {
    pub(super) entry: &'e Entry,
    columns: CodeColumns<'e>,
    /// The one that is told, of several.
    language: Option<String>,
    /// By the name of the list, its codes and what they mean.
    lists: BTreeMap<String, Vec<(String, String)>>,
}

/// Which columns of it are which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CodeColumns<'e> {
    pub(super) list: &'e str,
    pub(super) code: &'e str,
    pub(super) meaning: &'e str,
    /// Says in which language, where each code has a row for several.
    pub(super) language: Option<&'e str>,
    /// Whether the schema says that list and code tell the rows apart.
    pub(super) is_key: bool,
}

impl CodeColumns<'_> {
    /// Those that rows are read of.
    pub(super) fn names(self) -> Vec<String> {
        [self.list, self.code, self.meaning].into_iter().chain(self.language).map(str::to_owned).collect()
    }
}

/// What the columns of a table that may be one of codes would be, the likeliest first. What their figures rule out isn't possible,
/// so that hardly any table is read for nothing.
pub(super) fn possible_columns(entry: &Entry) -> Vec<CodeColumns<'_>> {
    let table = &entry.table;
    let rows = table.row_count.map_or(0, |count| count.value);
    if table.kind != TableKind::Table || rows < 6 || table.columns.len() > MOST_COLUMNS {
        return Vec::new();
    }
    let different = |column: &Column| figures(entry, &column.name).and_then(|known| known.distinct_count).unwrap_or(0);
    let length = |column: &Column| figures(entry, &column.name).and_then(|known| known.average_length).unwrap_or(0.0);
    let is_filled = |column: &Column| {
        let known = figures(entry, &column.name).is_some_and(|known| known.null_fraction == Some(0.0));
        known && matches!(column.type_class, TypeClass::Text | TypeClass::Integer)
    };
    let filled: Vec<&Column> = table.columns.iter().filter(|column| is_filled(column)).collect();
    let is_worded = |column: &&Column| {
        column.type_class == TypeClass::Text && different(column) * 3 >= rows && is_called(column, &MEANINGS)
    };
    let worded: Vec<&Column> = table.columns.iter().filter(is_worded).collect();
    let mut possible: Vec<(bool, CodeColumns<'_>)> = Vec::new();
    let is_language =
        |column: &&&Column| is_called(column, &LANGUAGES) && (2..=MOST_LANGUAGES).contains(&different(column));
    let language = filled.iter().find(is_language).copied();
    let languages = language.map_or(1, different);
    for list in filled.iter().filter(|list| Some(list.name.as_str()) != language.map(|it| it.name.as_str())) {
        let lists = different(list);
        let few = (2..=MOST_LISTS.min(rows / 2)).contains(&lists) && rows <= lists * languages * LONGEST_LIST as u64;
        for code in filled.iter().filter(|code| few && code.name != list.name) {
            let codes = different(code);
            let is_key = is_key(table, list, code, language);
            // A table of little else is one of codes, whatever one of the two is called.
            let (list_is, code_is) = (is_called(list, &LISTS), is_called(code, &CODES));
            let named = list_is && code_is || (list_is || code_is) && table.columns.len() <= FEW_COLUMNS;
            let comes_again = is_key || codes * languages < rows;
            let comes_again = comes_again && lists.saturating_mul(codes) * languages >= rows;
            let is_apart = |meaning: &&&Column| {
                ![&list.name, &code.name].contains(&&meaning.name) && length(meaning) > length(code)
            };
            if let Some(meaning) = worded.iter().find(is_apart).filter(|_| comes_again && (is_key || named)) {
                let language = language.map(|column| column.name.as_str());
                possible.push((
                    is_key,
                    CodeColumns { list: &list.name, code: &code.name, meaning: &meaning.name, language, is_key },
                ));
            }
        }
    }
    possible.sort_by_key(|(is_key, _)| !is_key);
    possible.into_iter().map(|(_, columns)| columns).collect()
}

const LISTS: [&str; 30] = [
    "soort",
    "srt",
    "domein",
    "rubriek",
    "tabela",
    "tabla",
    "categoria",
    "entity",
    "entidad",
    "domain",
    "type",
    "list",
    "group",
    "category",
    "field",
    "kind",
    "set",
    "class",
    "art",
    "gruppe",
    "liste",
    "domaine",
    "bereich",
    "typ",
    "tipo",
    "dominio",
    "grupo",
    "lookup",
    "scheme",
    "cat",
];
const CODES: [&str; 17] = [
    "cod",
    "kod",
    "sleutel",
    "code",
    "value",
    "val",
    "cd",
    "kode",
    "wert",
    "schluessel",
    "codigo",
    "clave",
    "valor",
    "cle",
    "valeur",
    "kz",
    "key",
];
const MEANINGS: [&str; 24] = [
    "oms",
    "omschrijving",
    "descricao",
    "opis",
    "denominacion",
    "label",
    "text",
    "name",
    "meaning",
    "bezeichnung",
    "libelle",
    "descripcion",
    "nombre",
    "description",
    "descr",
    "desc",
    "title",
    "txt",
    "bez",
    "display",
    "significado",
    "bedeutung",
    "lib",
    "designation",
];

const LANGUAGES: [&str; 12] =
    ["language", "lang", "sprache", "langue", "idioma", "lingua", "locale", "lng", "spr", "lg", "spras", "taal"];
const MOST_LANGUAGES: u64 = 40;

/// Whether one of its words is among these.
fn is_called(column: &Column, names: &[&str]) -> bool {
    words::in_identifier(&column.name).iter().any(|word| names.contains(&word.as_str()))
}

/// Whether the two are declared to tell the rows apart, with the language where there are several.
fn is_key(table: &Table, list: &Column, code: &Column, language: Option<&Column>) -> bool {
    let wanted = || [list, code].into_iter().chain(language);
    let both =
        |columns: &[String]| columns.len() == wanted().count() && wanted().all(|column| columns.contains(&column.name));
    both(&table.primary_key) || table.indexes.iter().any(|index| index.unique && both(&index.columns))
}

impl<'e> CodeTable<'e> {
    /// From all rows of a table, each with the columns of its list, its code, its meaning and its language; `None` where they
    /// aren't that.
    pub(super) fn of(entry: &'e Entry, columns: CodeColumns<'e>, rows: &[Vec<Value>]) -> Option<Self> {
        let text =
            |row: &[Value], place: usize| row.get(place).and_then(Value::as_text).map(|text| text.trim().to_owned());
        let language = columns.language.and_then(|_| told_language(rows.iter().filter_map(|row| text(row, 3))));
        let mut lists: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
        let mut seen = HashSet::new();
        let mut codes = HashSet::new();
        for row in rows.iter().filter(|row| language.is_none() || text(row, 3) == language) {
            let (list, code) = (text(row, 0)?, text(row, 1)?);
            if !seen.insert((list.clone(), code.clone())) {
                return None;
            }
            codes.insert(code.clone());
            let meaning = text(row, 2);
            let meaning = meaning.filter(|meaning| !meaning.is_empty() && meaning.chars().count() <= LONGEST_MEANING);
            lists.entry(list).or_default().extend(meaning.map(|meaning| (code, meaning)));
        }
        // Where no code comes twice the list says something of its rows, and tells none of them apart.
        let come_again = columns.is_key || codes.len() < seen.len();
        (come_again && lists.len() > 1).then_some(Self { entry, columns, language, lists })
    }
}

/// English where it is among them, else the one that most rows have.
fn told_language(rows: impl Iterator<Item = String>) -> Option<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for language in rows {
        *counts.entry(language).or_default() += 1;
    }
    let is_english = |language: &String| {
        ["en", "eng", "e", "en_us", "en_gb", "en-us", "en-gb"].contains(&language.to_lowercase().as_str())
    };
    let english = counts.keys().find(|language| is_english(language)).cloned();
    english.or_else(|| counts.into_iter().max_by_key(|(_, count)| *count).map(|(language, _)| language))
}

/// The list that a column takes its codes from.
pub(super) fn coded_by(entry: &Entry, column: &Column, tables: &[CodeTable<'_>], dialect: &Dialect) -> Option<Fact> {
    let values = codes_of(entry, column)?;
    let is_number = column.type_class == TypeClass::Integer;
    let is_it = |code: &str, value: &str| {
        let value = value.trim();
        // A number is written with zeros in front there.
        code == value
            || is_number && code.bytes().all(|byte| byte.is_ascii_digit()) && code.trim_start_matches('0') == value
    };
    // One of many may stand for all the others.
    let most_strange = usize::from(values.len() > 5);
    let holds = |list: &[(String, String)]| {
        let strange = values.iter().filter(|value| !list.iter().any(|(code, _)| is_it(code, value))).count();
        list.len() <= LONGEST_LIST && strange <= most_strange
    };
    let others = tables.iter().filter(|table| table.entry.table.id != entry.table.id);
    let fitting = others.flat_map(|table| table.lists.iter().map(move |(name, list)| (table, name, list)));
    let fitting: Vec<_> = fitting.filter(|(_, _, list)| holds(list)).collect();
    let named =
        fitting.iter().map(|it| (alike(it.1, it.2, column, &entry.table, values), it)).filter(|(score, _)| *score > 0);
    let mut named: Vec<_> = named.collect();
    named.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    let (table, name, list) = match named.as_slice() {
        [(best, found), (next, _), ..] if best > next => **found,
        [(_, found)] => **found,
        [] => match fitting.as_slice() {
            [found] if is_telling(values, found.2.len()) && values.len() * 2 >= found.2.len() => *found,
            _ => return None,
        },
        _ => return None,
    };
    let mut meanings: Vec<(String, String)> = values
        .iter()
        .filter_map(|value| {
            list.iter().find(|(code, _)| is_it(code, value)).map(|(_, text)| (value.clone(), text.clone()))
        })
        .collect();
    meanings.sort_by(|(one, _), (two, _)| {
        let number = |code: &str| code.parse::<f64>().unwrap_or(f64::INFINITY);
        number(one).total_cmp(&number(two)).then_with(|| one.cmp(two))
    });
    // A code that is its own meaning explains nothing.
    if meanings.iter().all(|(code, text)| code.eq_ignore_ascii_case(text)) {
        return None;
    }
    let CodeColumns { list: list_column, code, meaning, language, .. } = table.columns;
    let language = language.map(str::to_owned).zip(table.language.clone());
    let written = |name: &str| dialect.identifier(name);
    let is_text = table.entry.table.column(code).is_some_and(|code| code.type_class == TypeClass::Text);
    let own = format!("here.{}", written(&column.name));
    let as_code = match is_text && column.type_class != TypeClass::Text {
        true => dialect.code_of_number(&own, "", zeros_to(list)),
        false => own.clone(),
    };
    let proof = format!(
        "SELECT {own}, codes.{meaning}, count(*) FROM {} AS here LEFT JOIN {} AS codes ON codes.{code} = {as_code} AND \
         codes.{list} = {}{} GROUP BY {own}, codes.{meaning}",
        entry.table.id.written(dialect),
        table.entry.table.id.written(dialect),
        dialect.literal(name),
        language
            .iter()
            .map(|(column, said)| format!(" AND codes.{} = {}", written(column), dialect.literal(said)))
            .collect::<String>(),
        meaning = written(meaning),
        code = written(code),
        list = written(list_column),
    );
    let explained = meanings.len() as u64;
    let kind = FactKind::CodedBy {
        column: column.name.clone(),
        table: table.entry.table.id.clone(),
        code_column: code.to_owned(),
        list_column: list_column.to_owned(),
        list: name.clone(),
        meaning_column: meaning.to_owned(),
        language,
        meanings,
        are_texts: column.type_class == TypeClass::Text,
    };
    Some(
        Fact::new(kind, explained, values.len() as u64, proof)
            .resting_on([], [list_column, meaning].into_iter().chain(table.columns.language)),
    )
}

/// To how many digits the numbers of a list are filled up with zeros; 0 where they aren't.
fn zeros_to(list: &[(String, String)]) -> u32 {
    let length = list.first().map_or(0, |(code, _)| code.len());
    let are_filled =
        list.iter().all(|(code, _)| code.len() == length) && list.iter().any(|(code, _)| code.starts_with('0'));
    if are_filled { length as u32 } else { 0 }
}

/// All values of a column that may hold codes.
fn codes_of<'e>(entry: &'e Entry, column: &Column) -> Option<&'e [String]> {
    let known = figures(entry, &column.name)?;
    let KnownValues::All(values) = &known.values else { return None };
    let table = &entry.table;
    let is_key = table.primary_key == [column.name.clone()]
        || table.foreign_keys.iter().any(|key| key.columns.contains(&column.name));
    let is_code = matches!(column.type_class, TypeClass::Text | TypeClass::Integer) && !is_key;
    let comes_again = table.row_count.is_some_and(|rows| rows.value >= 2 * values.len() as u64);
    (is_code && comes_again && (2..=LONGEST_LIST).contains(&values.len())).then_some(values.as_slice())
}

/// How well a list's name fits a column, 0 for not at all: all its words are in the names of column and table, one of them in that of
/// the column. Numbers are in many lists: a list of them is taken by two words, or by a whole name and where it has hardly any others.
fn alike(name: &str, list: &[(String, String)], column: &Column, table: &Table, values: &[String]) -> usize {
    let own = words::in_identifier(&column.name);
    let around = words::in_identifier(&table.id.name);
    let is_word = |word: &String| word.chars().any(char::is_alphabetic) && !FILLERS.contains(&word.as_str());
    let named: Vec<String> = words::in_identifier(name).into_iter().filter(is_word).collect();
    let is_in = |words: &[String], word: &String| words.iter().any(|other| is_same(other, word));
    let all = named.iter().all(|word| is_in(&own, word) || is_in(&around, word));
    let of_column = named.iter().filter(|word| is_in(&own, word)).count();
    let around = named.iter().filter(|word| is_in(&around, word) && !is_in(&own, word)).count();
    let whole = own.iter().filter(|word| is_word(word)).all(|word| is_in(&named, word));
    let enough = is_telling(values, list.len()) || of_column + around >= 2 || whole && list.len() <= values.len() + 2;
    if !named.is_empty() && all && of_column > 0 && enough {
        return 2 * of_column + around + 1;
    }
    // `VRG` is a list of the table `verg`: its column of states has these codes and nearly no others of the list are missing.
    let is_of_table = || words::in_identifier(&table.id.name).iter().any(|word| is_short_for(name, word));
    let is_state = || own.iter().any(|word| STATES.contains(&word.as_str()));
    usize::from(named.len() == 1 && is_state() && values.len() * 2 >= list.len() && is_of_table())
}

/// Words of the column that says how it stands with a row.
const STATES: [&str; 16] = [
    "status",
    "state",
    "stat",
    "st",
    "sts",
    "sta",
    "sit",
    "situacao",
    "situacion",
    "estado",
    "zustand",
    "stand",
    "etat",
    "statut",
    "res",
    "result",
];

/// Whether three letters or more stand for a word, in their order, from its first on: `VRG` for `verg`, `CLI` for `cliente`.
fn is_short_for(short: &str, word: &str) -> bool {
    let short = short.to_lowercase();
    let mut rest = word.chars();
    short.len() >= 3 && word.starts_with(&short[..1]) && short.chars().all(|letter| rest.any(|other| other == letter))
}

const FILLERS: [&str; 12] =
    ["code", "codes", "cd", "list", "liste", "values", "of", "the", "kz", "lov", "ref", "lookup"];

/// Whether two words are the same, or one is short for the other: `stat` for `status`.
fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (words::singular(one), words::singular(other));
    let (short, long) = if one.len() <= other.len() { (&one, &other) } else { (&other, &one) };
    one == other || (short.chars().count() >= 4 && long.starts_with(short.as_str()))
}

/// Whether values are of a kind that other lists don't have by chance: words, or nearly all of a list of letters or of numbers that
/// aren't simply counted.
fn is_telling(values: &[String], listed: usize) -> bool {
    let letters = |value: &String| value.chars().filter(|sign| sign.is_alphabetic()).count();
    let are_counted = values.iter().all(|value| value.trim().parse::<u32>().is_ok_and(|number| number <= 9));
    let are_words = values.iter().all(|value| letters(value) >= 2);
    values.len() >= 3 && (are_words || !are_counted && listed <= values.len() + 1)
}
