//! What people may write of a table, piece by piece: the texts that its Markdown page has as sections and fields, and what they say
//! of facts.

use std::collections::BTreeMap;

use catalog::nearest::nearest_names;
use catalog::{Catalog, Entry, Fact, FactJudgement, Overrides};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::error::DescribeError;
use crate::markdown::column_key;

/// Characters of one text, at most.
pub const LONGEST_TEXT: usize = 10_000;
/// Columns that are named where one isn't there.
const SUGGESTED: usize = 3;

/// The texts of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Texts {
    /// What it is for.
    pub purpose: Said,
    /// What one should know before using it.
    pub business_context: Said,
    /// Anything else.
    pub notes: Said,
    /// What its columns are, in their order.
    pub columns: Vec<ColumnText>,
    /// What is known of its rows that names and types don't say, with what people said of it.
    pub facts: Vec<JudgedFact>,
}

/// A text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Said {
    /// It; empty where there is none.
    pub text: String,
    /// Whether a person wrote it, so that no run overwrites it.
    pub by_person: bool,
}

/// The text of a column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ColumnText {
    /// The column.
    pub name: String,
    /// Its text.
    #[serde(flatten)]
    pub said: Said,
}

/// A fact about a table's rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct JudgedFact {
    /// What it is known by: `text_dates:booked`.
    pub key: String,
    /// What kind of fact it is: `text_dates`.
    pub kind: &'static str,
    /// The column that it is about; none where it is about the table.
    pub column: Option<String>,
    /// The other table that it is about, where there is one.
    pub other: Option<String>,
    /// The fact.
    pub told: String,
    /// What people said of it; what is dismissed is told no more.
    pub judgement: Option<FactJudgement>,
    /// The same with who said it, when, and why.
    pub said: Option<String>,
}

/// Who edits, and when.
#[derive(Clone, Copy, Debug)]
pub struct Editor<'a> {
    /// Their name.
    pub name: &'a str,
    /// The day.
    pub on: Date,
}

/// What a person writes. What isn't named stays; `null` and an empty text bring the generated one back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TextEdits {
    /// What it is for
    #[serde(deserialize_with = "named")]
    pub purpose: Option<Option<String>>,
    /// What one should know before using it
    #[serde(deserialize_with = "named")]
    pub business_context: Option<Option<String>>,
    /// Anything else
    #[serde(deserialize_with = "named")]
    pub notes: Option<Option<String>>,
    /// What columns are, by their names
    pub columns: BTreeMap<String, Option<String>>,
    /// What is said of facts about the rows, by their keys; `null` takes it back
    pub facts: BTreeMap<String, Option<FactJudgement>>,
}

/// A field that is there, and may be `null`.
fn named<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(from).map(Some)
}

/// The texts of a table as they are.
pub fn texts(catalog: &Catalog, entry: &Entry) -> Texts {
    let said = |key: &str, text: Option<&str>| Said {
        text: text.unwrap_or_default().to_owned(),
        by_person: entry.overrides.0.contains_key(key),
    };
    let column = |column: &catalog::Column| ColumnText {
        name: column.name.clone(),
        said: said(&column_key(&column.name, "description"), entry.column_description(&column.name)),
    };
    let judged = |fact: &Fact| JudgedFact {
        key: fact.key(),
        kind: fact.name(),
        column: fact.column().map(str::to_owned),
        other: fact.other().map(|(other, _)| other.local()),
        told: fact.in_words(catalog.dialect(&entry.table.id.source)),
        judgement: entry.judgement(fact),
        said: entry.judgement_said(fact).map(str::to_owned),
    };
    Texts {
        // What is written as the purpose stands in the place of the summary wherever a table is shown.
        purpose: said("purpose", entry.summary()),
        business_context: said("business_context", entry.business_context()),
        notes: said("notes", entry.notes()),
        columns: entry.table.columns.iter().map(column).collect(),
        facts: catalog.found_facts(entry).map(judged).collect(),
    }
}

/// What people wrote of a table, with these edits.
///
/// # Errors
/// A text is too long, or of a column that isn't there; something is said of a fact that isn't known.
pub fn edited(
    catalog: &Catalog,
    entry: &Entry,
    edits: &TextEdits,
    editor: Editor<'_>,
) -> Result<Overrides, DescribeError> {
    let sections =
        [("purpose", &edits.purpose), ("business_context", &edits.business_context), ("notes", &edits.notes)];
    let sections = sections.into_iter().filter_map(|(key, edit)| Some((key.to_owned(), edit.as_ref()?)));
    let mut changed: Vec<(String, &Option<String>)> = sections.collect();
    for (name, edit) in &edits.columns {
        let Some(column) = entry.table.column(name).or_else(|| shown_as(entry, name)) else {
            let names = entry.table.columns.iter().map(|column| column.name.as_str());
            let near = nearest_names(name, names, SUGGESTED);
            return Err(DescribeError::UnknownColumn { table: entry.table.id.local(), name: name.clone(), near });
        };
        changed.push((column_key(&column.name, "description"), edit));
    }
    let mut overrides = entry.overrides.clone();
    for (key, edit) in changed {
        let text = edit.as_deref().map(str::trim).unwrap_or_default();
        if text.chars().count() > LONGEST_TEXT {
            return Err(DescribeError::TextTooLong { part: key, limit: LONGEST_TEXT });
        }
        match text.is_empty() {
            true => drop(overrides.0.remove(&key)),
            false => drop(overrides.0.insert(key, text.to_owned())),
        }
    }
    for (key, judgement) in &edits.facts {
        let known = || catalog.found_facts(entry).map(Fact::key);
        if !known().any(|it| it == *key) {
            let (table, known) = (entry.table.id.local(), known().collect());
            return Err(DescribeError::UnknownFact { table, name: key.clone(), known });
        }
        let key = Fact::override_key_of(key);
        match judgement {
            Some(judgement) => drop(overrides.0.insert(key, judgement.said(editor.name, editor.on, None))),
            None => drop(overrides.0.remove(&key)),
        }
    }
    Ok(overrides)
}

/// The column that is shown under that name: without what is hidden in its own.
fn shown_as<'e>(entry: &'e Entry, name: &str) -> Option<&'e catalog::Column> {
    let mut shown = entry.table.columns.iter().filter(|column| shown::one_line(&column.name) == name);
    shown.next().filter(|_| shown.next().is_none())
}

#[cfg(test)]
mod tests {
    use catalog::{
        Catalog, ColumnProfile, Dialect, Entry, Fact, FactJudgement, FactKind, Overrides, SampleMethod, Source,
        TableId, TableProfile,
    };
    use jiff::Timestamp;
    use jiff::civil::date;

    use super::{Editor, TextEdits, edited, texts};

    fn edits(json: &str) -> TextEdits {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn what_is_named_is_changed_and_the_rest_stays() {
        let ddl = "CREATE TABLE orders (id INTEGER, Status TEXT)";
        let catalog = testkit::catalog_from_ddl(Dialect::Sqlite, "shop", ddl);
        let mut entry = catalog.entry(&TableId::new("shop", "orders")).unwrap().clone();
        let editor = Editor { name: "ann", on: date(2026, 6, 30) };
        let after = |entry: &Entry, json: &str| edited(&catalog, entry, &edits(json), editor);
        let both = r#"{"purpose": " What was ordered. ", "columns": {"status": "Its state"}}"#;
        entry.overrides = after(&entry, both).unwrap();
        let written = [("purpose", "What was ordered."), ("columns.Status.description", "Its state")];
        assert_eq!(entry.overrides, Overrides(written.map(|(key, text)| (key.to_owned(), text.to_owned())).into()));
        let told = texts(&catalog, &entry);
        assert!(told.purpose.by_person && told.columns[1].said.by_person && !told.notes.by_person);
        assert_eq!(told.columns[1].said.text, "Its state");
        entry.overrides = after(&entry, r#"{"purpose": null, "columns": {"Status": ""}}"#).unwrap();
        assert_eq!(entry.overrides, Overrides::default());
        for (wrong, code) in [
            (r#"{"columns": {"state": "x"}}"#.to_owned(), "unknown_column"),
            (r#"{"facts": {"list:status": "confirmed"}}"#.to_owned(), "unknown_fact"),
            (format!(r#"{{"notes": "{}"}}"#, "x".repeat(10_001)), "text_too_long"),
        ] {
            assert_eq!(after(&entry, &wrong).unwrap_err().code(), code);
        }
        assert!(serde_json::from_str::<TextEdits>(r#"{"purposes": "x"}"#).is_err());
    }

    #[test]
    fn what_is_said_of_a_fact_is_kept_with_who_said_it_and_can_be_taken_back() {
        let table = testkit::table("shop", "orders", &["id INTEGER", "coupon TEXT"]);
        let kind = FactKind::Placeholder { column: "coupon".to_owned(), value: "-".to_owned(), others: Vec::new() };
        let (rests_on, rests_on_there) = (Vec::new(), Vec::new());
        let fact = Fact { kind, held: 9, looked_at: 10, proof: String::new(), rests_on, rests_on_there };
        let columns = vec![ColumnProfile::empty("id"), ColumnProfile::empty("coupon")];
        let profile = TableProfile::new(&table, SampleMethod::AllRows, Timestamp::UNIX_EPOCH);
        let profile = TableProfile { columns, facts: vec![fact], ..profile };
        let source = Source::new("shop", Dialect::Sqlite, "sqlite:shop");
        let mut entry = Entry::bare(table).with_profile(profile);
        let catalog = Catalog::new(vec![source], vec![entry.clone()], Vec::new(), 1);
        let editor = Editor { name: "ann", on: date(2026, 6, 30) };
        let after = |entry: &Entry, json: &str| edited(&catalog, entry, &edits(json), editor).unwrap();
        entry.overrides = after(&entry, r#"{"facts": {"placeholder:coupon": "dismissed"}}"#);
        let told = &texts(&catalog, &entry).facts[0];
        assert_eq!(told.key, "placeholder:coupon");
        assert_eq!(told.judgement, Some(FactJudgement::Dismissed));
        assert_eq!(told.said.as_deref(), Some("dismissed by ann on 2026-06-30"));
        entry.overrides = after(&entry, r#"{"facts": {"placeholder:coupon": null}}"#);
        assert_eq!(entry.overrides, Overrides::default());
    }
}
