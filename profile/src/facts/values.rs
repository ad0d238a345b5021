//! What the profiles of two tables say together, without a row being read again: codes in another form, one name for two things,
//! references to whichever table another column says.

use std::collections::{BTreeMap, HashSet};

use catalog::{ColumnProfile, Entry, Exposure, Fact, FactKind, KnownValues, TableId, TableKind, TypeClass, ValueForm};
use dialect::Dialect;

use super::words_of;

/// Country codes of two letters, of three, and names, beside each other in one database.
pub(super) fn codes_otherwise(entries: &[&Entry], dialect: &Dialect, facts: &mut [Vec<Fact>]) {
    let forms = ["country codes of two letters", "country codes of three letters", "names of countries"];
    let mut by_form: [Vec<(usize, &str)>; 3] = [Vec::new(), Vec::new(), Vec::new()];
    for (place, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.table.kind == TableKind::Table) {
        for column in entry.table.columns.iter().filter(|column| column.type_class == TypeClass::Text) {
            let Some(known) = figures(entry, &column.name) else { continue };
            let values = known.values.as_slice();
            let is_code = known.pattern.as_ref().is_some_and(|pattern| pattern.form == ValueForm::CountryCode);
            let all_of = |length: usize| values.iter().all(|value| value.len() == length);
            let is_name =
                |value: &String| value.len() > 3 && words::place_kind(&value.to_lowercase()) == Some("country");
            let named = values.iter().filter(|value| is_name(value)).count();
            let form = match () {
                () if values.len() < 2 => continue,
                () if is_code && all_of(2) => 0,
                () if is_code && all_of(3) => 1,
                () if named >= 3 && named * 10 >= values.len() * 8 => 2,
                () => continue,
            };
            by_form[form].push((place, &column.name));
        }
    }
    let usual = (0..2).max_by_key(|form| (by_form[*form].len(), 2 - form)).unwrap_or(0);
    // A table of countries has codes and names of them.
    let Some(&(other, other_column)) = by_form[usual].first() else { return };
    for (form, columns) in by_form.iter().enumerate().filter(|(form, _)| *form != usual) {
        for (place, column) in
            columns.iter().filter(|(place, _)| !by_form[usual].iter().any(|(there, _)| there == place))
        {
            let proof = format!(
                "SELECT DISTINCT {} FROM {} LIMIT 20",
                dialect.identifier(column),
                entries[*place].table.id.written(dialect)
            );
            let kind = FactKind::CodesOtherwise {
                column: (*column).to_owned(),
                form: forms[form].to_owned(),
                other: entries[other].table.id.clone(),
                other_column: other_column.to_owned(),
                other_form: forms[usual].to_owned(),
            };
            let known = figures(entries[*place], column).map_or(0, |known| known.values.as_slice().len() as u64);
            facts[*place].push(Fact::new(kind, known, known, proof));
        }
    }
}

/// Amounts without a currency in rows that refer to one row with a currency each: the lines of an invoice.
pub(super) fn currency_there<'e>(
    entry: &Entry,
    of: impl Fn(&TableId) -> Option<&'e Entry>,
    dialect: &Dialect,
) -> Vec<Fact> {
    /// Amounts that are told.
    const MOST: usize = 3;
    const COUNTRY: [&str; 8] = ["country", "land", "pays", "pais", "país", "paese", "nation", "ctry"];
    let currencies = |entry: &Entry| {
        let facts = entry.profile().map(|profile| profile.facts.clone()).unwrap_or_default();
        facts.into_iter().find_map(|fact| match fact.kind {
            FactKind::MeaningBy { by, values, units: true, .. }
                if values.iter().all(|value| words_of::CURRENCIES.contains(&value.as_str())) =>
            {
                Some(by)
            }
            _ => None,
        })
    };
    let has_own = entry.table.columns.iter().any(|column| {
        let form = figures(entry, &column.name).and_then(|known| known.pattern.as_ref());
        form.is_some_and(|pattern| pattern.form == ValueForm::CurrencyCode)
    });
    if has_own || entry.table.kind != TableKind::Table {
        return Vec::new();
    }
    let is_amount = |column: &&catalog::Column| {
        let words = words::in_identifier(&column.name);
        let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        let is_key = entry.table.foreign_keys.iter().any(|key| key.columns.contains(&column.name));
        column.type_class.is_numeric()
            && !is_key
            && has(&words_of::MONEY)
            && !has(&words_of::WITHOUT_UNIT)
            && figures(entry, &column.name).is_some()
    };
    let through = |currency: &dyn Fn(&'e Entry) -> Option<String>| {
        entry.table.foreign_keys.iter().find_map(|key| {
            let [via] = key.columns.as_slice() else { return None };
            let other = of(&key.ref_table).filter(|other| other.table.id != entry.table.id)?;
            figures(entry, via)?;
            Some((key, via, other, currency(other)?))
        })
    };
    // A customer's or a site's amounts are mostly in its own currency, where nothing else says which.
    let of_somebody = |entry: &Entry| {
        let mut columns = entry.table.columns.iter().filter(|column| {
            let known = figures(entry, &column.name);
            known.is_some_and(|known| {
                let is_currency = |pattern: &catalog::Pattern| pattern.form == ValueForm::CurrencyCode;
                known.pattern.as_ref().is_some_and(is_currency) && known.distinct_count > Some(1)
            })
        });
        columns.next().map(|column| column.name.clone())
    };
    let of_document = through(&|other| currencies(other)).map(|found| (found, false));
    // A list of countries says what people pay with there, and not what was paid.
    let is_country = |via: &str| {
        let form = figures(entry, via).and_then(|known| known.pattern.as_ref()).map(|pattern| &pattern.form);
        form == Some(&ValueForm::CountryCode)
            || words::in_identifier(via).iter().any(|word| COUNTRY.contains(&word.as_str()))
    };
    let of_customer = || through(&|other| of_somebody(other)).filter(|(_, via, ..)| !is_country(via));
    let found = of_document.or_else(|| of_customer().map(|found| (found, true)));
    let Some(((key, via, other, other_column), is_likely)) = found else { return Vec::new() };
    let says_itself = |column: &catalog::Column| {
        words::in_identifier(&column.name)
            .iter()
            .any(|word| words_of::CURRENCIES.contains(&word.to_uppercase().as_str()))
    };
    let amounts = entry.table.columns.iter().filter(is_amount).filter(|column| !says_itself(column)).take(MOST);
    let rows = entry.profile().map_or(0, |profile| profile.rows_seen);
    let told = amounts.take(if is_likely { 1 } else { MOST }).map(|column| {
        let (name, ref_column) = (dialect.identifier(&column.name), key.ref_columns.first().map_or("", String::as_str));
        let proof = format!(
            "SELECT other.{0}, count(*), sum(one.{name}) FROM {1} AS one JOIN {2} AS other ON one.{3} = other.{4} GROUP BY other.{0}",
            dialect.identifier(&other_column),
            entry.table.id.written(dialect),
            other.table.id.written(dialect),
            dialect.identifier(via),
            dialect.identifier(ref_column),
        );
        let kind = FactKind::CurrencyThere {
            column: column.name.clone(),
            via: via.clone(),
            other: other.table.id.clone(),
            other_column: other_column.clone(),
            is_likely,
        };
        Fact::new(kind, rows, rows, proof)
    });
    told.collect()
}

/// Columns of one name that hold nothing in common: a region of the world and one of a sales organisation.
pub(super) fn homonyms(entries: &[&Entry], dialect: &Dialect, facts: &mut [Vec<Fact>]) {
    /// Names of what each table has its own of.
    const GENERIC: [&str; 35] = [
        "channel",
        "method",
        "language",
        "city",
        "town",
        "country",
        "place",
        "street",
        "location",
        "origin",
        "status",
        "state",
        "type",
        "kind",
        "category",
        "code",
        "name",
        "title",
        "label",
        "class",
        "level",
        "reason",
        "result",
        "action",
        "event",
        "source",
        "role",
        "mode",
        "description",
        "note",
        "comment",
        "value",
        "key",
        "group",
        "typ",
    ];
    /// The place of its table, its name, and its values in lower case.
    type Listed<'e> = (usize, &'e str, Vec<String>);
    let mut by_name: BTreeMap<String, Vec<Listed<'_>>> = BTreeMap::new();
    for (place, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.table.kind == TableKind::Table) {
        for column in entry.table.columns.iter().filter(|column| column.type_class == TypeClass::Text) {
            let words = words::in_identifier(&column.name);
            let is_generic = words.last().is_none_or(|last| GENERIC.contains(&last.as_str()));
            let Some(known) = figures(entry, &column.name).filter(|_| !is_generic) else { continue };
            let KnownValues::All(values) = &known.values else { continue };
            // A list that isn't told over and over isn't known to be whole.
            let is_whole = entry.table.row_count.is_some_and(|rows| rows.value >= 2 * values.len() as u64);
            let is_place = |value: &&String| words::place_kind(&value.to_lowercase()).is_some();
            let are_places = values.iter().filter(is_place).count() * 2 > values.len();
            // Codes of one or two letters are everywhere others.
            let letters =
                values.iter().map(|value| value.chars().filter(|sign| sign.is_alphabetic()).count()).sum::<usize>();
            if values.len() > 2 && is_whole && !are_places && letters > 4 * values.len() {
                let values = values.iter().map(|value| value.trim().to_lowercase()).collect();
                by_name.entry(column.name.to_lowercase()).or_default().push((place, &column.name, values));
            }
        }
    }
    for columns in by_name.values().filter(|columns| columns.len() > 1) {
        for (place, column, values) in columns {
            let is_apart =
                |(other, _, others): &&Listed<'_>| other != place && !values.iter().any(|value| others.contains(value));
            let Some((other, other_column, _)) = columns.iter().find(is_apart) else { continue };
            let (name, table) = (dialect.identifier(column), entries[*place].table.id.written(dialect));
            let kind = FactKind::Homonym {
                column: (*column).to_owned(),
                other: entries[*other].table.id.clone(),
                other_column: (*other_column).to_owned(),
            };
            let held = values.len() as u64;
            facts[*place].push(Fact::new(kind, held, held, format!("SELECT DISTINCT {name} FROM {table}")));
        }
    }
}

/// References to one of several tables, of which another column says which.
pub(super) fn meaning_by_type(entry: &Entry, entries: &[&Entry], dialect: &Dialect) -> Vec<Fact> {
    const KINDS: [&str; 8] = ["type", "kind", "typ", "class", "table", "entity", "model", "object"];
    let tables: HashSet<String> = entries.iter().map(|entry| stem(&entry.table.id.name).join("")).collect();
    // Short forms: `CUS` for customers.
    let words_of_tables: HashSet<String> = entries.iter().flat_map(|entry| stem(&entry.table.id.name)).collect();
    let mut facts = Vec::new();
    for by in entry.table.columns.iter().filter(|column| column.type_class == TypeClass::Text) {
        let Some(known) = figures(entry, &by.name) else { continue };
        let KnownValues::All(values) = &known.values else { continue };
        let words = words::in_identifier(&by.name);
        if !words.last().is_some_and(|last| KINDS.contains(&last.as_str())) || values.len() < 2 {
            continue;
        }
        // What people call a table in a value may be a part of its name: `Meter`, `mtr_meter`.
        let is_table = |value: &&String| {
            let name = words::in_identifier(value).iter().map(|word| words::singular(word)).collect::<String>();
            let is_cut = || words_of_tables.iter().any(|word| word.starts_with(&name));
            let is_name = |table: &String| *table == name || (name.len() >= 4 && table.ends_with(&name));
            name.len() >= 3 && (tables.iter().any(is_name) || is_cut())
        };
        if values.iter().filter(is_table).count() < 2 {
            continue;
        }
        let stem_of = &words[..words.len() - 1];
        let refers = |column: &&catalog::Column| {
            let words = words::in_identifier(&column.name);
            let ends =
                words.last().is_some_and(|last| ["id", "key", "no", "ref", "nr", "code"].contains(&last.as_str()));
            let is_free = !entry.table.foreign_keys.iter().any(|key| key.columns.contains(&column.name));
            ends && is_free
                && !entry.table.primary_key.contains(&column.name)
                && (words[..words.len() - 1] == *stem_of || stem_of.is_empty())
        };
        let Some(column) =
            entry.table.columns.iter().find(refers).filter(|column| figures(entry, &column.name).is_some())
        else {
            continue;
        };
        let name = dialect.identifier(&by.name);
        let proof = format!("SELECT {name}, count(*) FROM {} GROUP BY {name}", entry.table.id.written(dialect));
        let kind = FactKind::MeaningBy {
            column: column.name.clone(),
            by: by.name.clone(),
            values: values.iter().take(4).cloned().collect(),
            units: false,
        };
        facts.push(Fact::new(kind, values.len() as u64, values.len() as u64, proof));
    }
    facts
}

/// Whether what is said to stand for none is a key of the table that the column refers to: then it is one of its rows.
pub(crate) fn names_a_row(fact: &Fact, entry: &Entry, entries: &[&Entry]) -> bool {
    let FactKind::Placeholder { column, value, .. } = &fact.kind else { return false };
    let own = std::slice::from_ref(column);
    let keys = entry.table.foreign_keys.iter().filter(|key| key.columns == own);
    keys.filter_map(|key| {
        Some((key.ref_columns.first()?, entries.iter().find(|other| other.table.id == key.ref_table)?))
    })
    .filter_map(|(column, other)| figures(other, column))
    .any(|known| known.min.as_ref() == Some(value) || known.max.as_ref() == Some(value))
}

/// A table's name without what tells versions of it apart.
pub(crate) fn stem(name: &str) -> Vec<String> {
    const MARKS: [&str; 30] = [
        "old", "new", "archive", "arch", "archiv", "archived", "hist", "history", "historic", "bak", "backup", "bkp",
        "copy", "kopie", "legacy", "tmp", "temp", "v", "current", "cur", "prev", "previous", "alt", "neu", "orig",
        "staging", "stg", "import", "ancien", "viejo",
    ];
    let is_mark = |word: &String| MARKS.contains(&word.as_str()) || word.chars().all(|sign| sign.is_ascii_digit());
    words::in_identifier(name).iter().filter(|word| !is_mark(word)).map(|word| words::singular(word)).collect()
}

/// What is known of a column's values, where they may be told.
pub(super) fn figures<'e>(entry: &'e Entry, column: &str) -> Option<&'e ColumnProfile> {
    let profile = entry.profile().filter(|profile| profile.skipped.is_none())?;
    (*entry.exposure(column) == Exposure::Open).then(|| profile.column(column))?
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[test]
    fn versions_of_a_table_have_one_stem() {
        for name in ["orders", "orders_archive", "order_v2", "orders_2021", "OldOrders"] {
            assert_eq!(stem(name), ["order"], "{name}");
        }
        assert_ne!(stem("order_items"), stem("orders"));
    }
}
