//! What part a column plays: the one judgement that descriptions, tags, typical questions and queries follow from.
//!
//! Keys say most, then the profile, then the type, then the name; a name alone decides only where the words are
//! plain (`email`, `is_active`).

use catalog::{Column, ColumnProfile, Entry, ForeignKey, SampleMethod, TypeClass, ValueForm};

use super::money;
use crate::vocabulary::{is_known_word as is_known, said, singular, spoken};

/// The part a column plays in its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Tells one row from another.
    Identifier,
    /// Points to another table.
    ForeignKey,
    /// When something happened.
    Timestamp,
    /// A number that is summed or averaged.
    Measure,
    /// One of few values, to filter and group by.
    Category,
    /// Yes or no.
    Flag,
    /// What people call the thing.
    Name,
    /// A short code from some list.
    Code,
    /// Sentences.
    FreeText,
    /// A document to be taken apart by path.
    Document,
    /// Bytes.
    Binary,
    /// None of these is sure.
    Attribute,
}

impl Role {
    /// The tag for it.
    pub(crate) fn tag(self) -> &'static str {
        match self {
            Self::Identifier => "identifier",
            Self::ForeignKey => "foreign key",
            Self::Timestamp => "timestamp",
            Self::Measure => "measure",
            Self::Category => "category",
            Self::Flag => "flag",
            Self::Name => "name",
            Self::Code => "code",
            Self::FreeText => "free text",
            Self::Document => "document",
            Self::Binary => "binary",
            Self::Attribute => "attribute",
        }
    }
}

/// A column with all that is known about it and the part it plays.
#[derive(Clone, Debug)]
pub(crate) struct ColumnFacts<'a> {
    pub(crate) column: &'a Column,
    pub(crate) profile: Option<&'a ColumnProfile>,
    pub(crate) role: Role,
    /// The words of its name.
    pub(crate) spoken: String,
    /// The same for a sentence: what isn't known to be English stands in backquotes.
    pub(crate) said: String,
    /// Whether its values are money in cents.
    pub(crate) in_cents: bool,
    /// Whether its smallest and largest value are known: of the first rows of a view they are of these alone.
    pub(crate) has_ends: bool,
    /// The key it is a part of, where it points to another table.
    pub(crate) reference: Option<&'a ForeignKey>,
    pub(crate) in_primary_key: bool,
    pub(crate) personal: bool,
    /// Its values where all of them are known.
    values: Option<Vec<&'a str>>,
}

impl<'a> ColumnFacts<'a> {
    /// The table and column that this one points to.
    pub(crate) fn referenced(&self) -> Option<(&catalog::TableId, &str)> {
        let key = self.reference?;
        let position = key.columns.iter().position(|name| name.eq_ignore_ascii_case(&self.column.name))?;
        Some((&key.ref_table, key.ref_columns.get(position)?))
    }

    /// Why its values are hidden.
    pub(crate) fn masked(&self) -> Option<&str> {
        self.profile?.masked_because()
    }

    /// Its values where all of them are known, from the profile and from the declaration.
    pub(crate) fn all_values(&self) -> Option<&[&'a str]> {
        self.values.as_deref()
    }
}

/// Every column of the table, judged.
pub(crate) fn columns_of(entry: &Entry) -> Vec<ColumnFacts<'_>> {
    entry.table.columns.iter().map(|column| judge(entry, column)).collect()
}

fn judge<'a>(entry: &'a Entry, column: &'a Column) -> ColumnFacts<'a> {
    let profile = entry.profile().and_then(|profile| profile.column(&column.name));
    let named = |names: &[String]| names.iter().any(|name| name.eq_ignore_ascii_case(&column.name));
    let in_primary_key = named(&entry.table.primary_key);
    let spoken = spoken(&column.name);
    let mut facts = ColumnFacts {
        column,
        profile,
        role: Role::Attribute,
        has_ends: entry.profile().is_none_or(|profile| profile.method != SampleMethod::FirstRows),
        reference: entry.table.foreign_keys.iter().find(|key| named(&key.columns)),
        in_primary_key,
        personal: false,
        values: entry.all_values(&column.name),
        said: said(&column.name),
        in_cents: money::in_cents(entry, column, profile, &spoken),
        spoken,
    };
    if facts.in_cents
        && let Some(figure) = facts.said.strip_suffix(" `ct`")
    {
        facts.said = format!("{figure} in cents");
    }
    let sole_key = in_primary_key && entry.table.primary_key.len() == 1;
    let unique =
        entry.table.indexes.iter().any(|index| index.unique && index.columns.len() == 1 && named(&index.columns));
    facts.personal = facts.masked().is_some() || is_personal(&facts.spoken);
    facts.role = role(&facts, sole_key, unique);
    facts
}

fn role(facts: &ColumnFacts<'_>, sole_key: bool, unique: bool) -> Role {
    let class = facts.column.type_class;
    let words: Vec<&str> = facts.spoken.split(' ').collect();
    let last = last_word(&words);
    if sole_key && facts.reference.is_none() {
        return Role::Identifier;
    }
    if facts.reference.is_some() {
        return Role::ForeignKey;
    }
    if ["id", "uuid", "guid", "key"].contains(&last) || class == TypeClass::Uuid {
        return Role::Identifier;
    }
    if let Some(role) = role_by_type(facts, &words) {
        return role;
    }
    if is_flag(facts, &words) {
        return Role::Flag;
    }
    if is_temporal(facts, &words) {
        return Role::Timestamp;
    }
    if class.is_numeric() {
        return numeric_role(facts, &words);
    }
    if ["name", "title", "label"].contains(&last) {
        return Role::Name;
    }
    if is_free_text(facts, last) {
        return Role::FreeText;
    }
    if facts.all_values().is_some_and(|values| values.len() > 1 || !facts.column.enum_values.is_empty())
        || ["status", "type", "category", "kind", "state", "gender", "level", "class"].contains(&last)
    {
        return Role::Category;
    }
    if ["code", "abbreviation", "symbol", "iso"].contains(&last)
        || has_pattern(facts, &[ValueForm::CurrencyCode, ValueForm::CountryCode])
    {
        return Role::Code;
    }
    if unique || facts.in_primary_key {
        return Role::Identifier;
    }
    Role::Attribute
}

fn is_free_text(facts: &ColumnFacts<'_>, last: &str) -> bool {
    const WORDS: [&str; 10] =
        ["description", "comment", "comments", "note", "notes", "text", "body", "message", "bio", "remarks"];
    let long = facts.profile.and_then(|profile| profile.average_length).is_some_and(|length| length > 40.0);
    facts.column.enum_values.is_empty() && (long || WORDS.contains(&last))
}

/// The last word that is no number: `name` of `name 2`.
fn last_word<'a>(words: &[&'a str]) -> &'a str {
    let is_number = |word: &str| word.chars().all(|character| character.is_ascii_digit());
    words.iter().rev().find(|word| !is_number(word)).copied().unwrap_or_default()
}

fn role_by_type(facts: &ColumnFacts<'_>, words: &[&str]) -> Option<Role> {
    match facts.column.type_class {
        TypeClass::Json => Some(Role::Document),
        TypeClass::Binary => Some(Role::Binary),
        TypeClass::Boolean => Some(Role::Flag),
        TypeClass::Date | TypeClass::Time | TypeClass::Timestamp if !words.contains(&"zone") => Some(Role::Timestamp),
        _ if has_pattern(facts, &[ValueForm::Json]) => Some(Role::Document),
        _ => None,
    }
}

fn is_flag(facts: &ColumnFacts<'_>, words: &[&str]) -> bool {
    const PAIRS: [[&str; 2]; 6] = [["0", "1"], ["n", "y"], ["no", "yes"], ["false", "true"], ["f", "t"], ["-1", "0"]];
    let mut values: Vec<String> =
        facts.all_values().into_iter().flatten().map(|value| value.to_ascii_lowercase()).collect();
    values.sort();
    let starts_like_flag = words.len() > 1 && ["is", "has", "can", "was", "should", "allow"].contains(&words[0]);
    let named = starts_like_flag || words.last() == Some(&"flag");
    let looks = PAIRS.iter().any(|pair| values == *pair);
    looks || (named && (values.is_empty() || values.len() <= 2))
}

fn is_temporal(facts: &ColumnFacts<'_>, words: &[&str]) -> bool {
    let last = words.last().copied().unwrap_or_default();
    let number = facts.column.type_class.is_numeric();
    if has_pattern(facts, &[ValueForm::IsoDate, ValueForm::IsoDatetime]) {
        return true;
    }
    let by_name = ["date", "timestamp", "datetime"].contains(&last) || (last == "at" && words.len() > 1);
    let epoch = ["unix", "epoch"].iter().any(|word| words.contains(word));
    if number {
        epoch || (by_name && last != "at") || (by_name && is_unix_time(facts))
    } else {
        by_name && facts.all_values().is_none()
    }
}

/// Whether all values lie where Unix times of 1998 to 2096 do, in seconds or milliseconds.
pub(crate) fn is_unix_time(facts: &ColumnFacts<'_>) -> bool {
    const SECONDS: std::ops::Range<f64> = 9e8..4e9;
    let bound = |text: &Option<String>| text.as_deref().and_then(|text| text.parse::<f64>().ok());
    let Some(profile) = facts.profile.filter(|_| facts.column.type_class.is_numeric()) else { return false };
    let (Some(min), Some(max)) = (bound(&profile.min), bound(&profile.max)) else { return false };
    [1.0, 1000.0].iter().any(|scale| SECONDS.contains(&(min / scale)) && SECONDS.contains(&(max / scale)))
}

fn numeric_role(facts: &ColumnFacts<'_>, words: &[&str]) -> Role {
    let last = last_word(words);
    if facts.in_cents {
        return Role::Measure;
    }
    let measures = [
        "amount",
        "price",
        "cost",
        "total",
        "quantity",
        "count",
        "revenue",
        "balance",
        "weight",
        "score",
        "rate",
        "fee",
        "tax",
        "discount",
        "salary",
        "budget",
        "percentage",
        "percent",
        "height",
        "length",
        "width",
        "area",
        "population",
        "distance",
        "duration",
        "capacity",
        "volume",
        "value",
        "rating",
        "points",
        "age",
    ];
    if words.iter().any(|word| measures.contains(word) || measures.contains(&words::singular(word).as_str())) {
        return Role::Measure;
    }
    if ["year", "month", "week", "quarter"].contains(&last) {
        return Role::Category;
    }
    if ["code", "number", "zip", "phone", "version"].contains(&last) {
        return Role::Code;
    }
    if ["position", "sequence", "rank", "sort", "index", "line", "no", "order"].contains(&last) {
        return Role::Attribute;
    }
    // Positions on the earth, on a counter or in a range: no figures to add up. `from` alone often refers elsewhere.
    const PLACES: [&str; 7] = ["latitude", "longitude", "begin", "start", "end", "from", "to"];
    if PLACES.contains(&last) && (words.len() == 1 || !["from", "to"].contains(&last)) {
        return Role::Attribute;
    }
    // A count of something has few values too, but its name has a plural: `orders_cancelled`.
    let counts = words.iter().any(|word| singular(word) != *word);
    let few = !counts && facts.all_values().is_some_and(|values| values.len() <= 10);
    match facts.column.type_class {
        TypeClass::Real => Role::Measure,
        _ if few && facts.profile.and_then(|profile| profile.distinct_ratio).is_some_and(|ratio| ratio < 0.05) => {
            Role::Category
        }
        _ if facts.in_primary_key => Role::Identifier,
        // A whole number under a name that says nothing may be a figure as well as a reference.
        _ if words.iter().all(|word| !is_known(word)) => Role::Attribute,
        _ => Role::Measure,
    }
}

fn has_pattern(facts: &ColumnFacts<'_>, forms: &[ValueForm]) -> bool {
    facts.profile.and_then(|profile| profile.pattern.as_ref()).is_some_and(|pattern| forms.contains(&pattern.form))
}

/// Names that usually hold data about a person. Wider than what is masked: it only sets a tag.
fn is_personal(spoken: &str) -> bool {
    const WORDS: [&str; 14] = [
        "email",
        "phone",
        "telephone",
        "mobile",
        "birthday",
        "birthdate",
        "passport",
        "salary",
        "iban",
        "ssn",
        "gender",
        "surname",
        "forename",
        "password",
    ];
    const PHRASES: [&str; 8] = [
        "first name",
        "last name",
        "full name",
        "middle name",
        "date of birth",
        "birth date",
        "social security",
        "credit card",
    ];
    spoken.split(' ').any(|word| WORDS.contains(&word)) || PHRASES.iter().any(|phrase| spoken.contains(phrase))
}
