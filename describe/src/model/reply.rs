//! The shape of a model's answer, and the checks it must pass.

use catalog::{ColumnDescription, Entry, Granularity, TableDescription};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::rules::{first_values, one_line, shortened};

/// Characters allowed in a field of one or two sentences.
const TEXT_LIMIT: usize = 1_200;
/// Characters allowed in a line.
const LINE_LIMIT: usize = 400;
/// Lines allowed in a list.
const LIST_LIMIT: usize = 8;

/// What a model answers about a table.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Reply {
    /// One or two sentences: what the table holds.
    summary: String,
    /// Why the business has this table.
    purpose: String,
    /// The kind of table.
    granularity: GranularityReply,
    /// What one row is, for example "one order placed by a customer".
    row_meaning: String,
    /// Situations in which an analyst needs this table.
    when_to_use: Vec<String>,
    /// Typical business questions it answers.
    questions: Vec<String>,
    /// Business rules, ownership or sensitivity that the facts show; empty if none.
    #[serde(default)]
    business_context: String,
    /// The columns that were asked for.
    columns: Vec<ReplyColumn>,
    /// Pitfalls for people who query the table; empty if none.
    #[serde(default)]
    notes: String,
}

/// What a model answers about a column.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReplyColumn {
    /// The column's exact name.
    name: String,
    /// One line: what it holds.
    description: String,
    /// Why the business cares.
    #[serde(default)]
    business_meaning: String,
    /// How it is used in queries.
    #[serde(default)]
    usage: String,
    /// Such as identifier, timestamp, foreign key, measure, category, flag, free text.
    #[serde(default)]
    tags: Vec<String>,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum GranularityReply {
    Fact,
    Dimension,
    Bridge,
    Lookup,
    Other,
}

/// The JSON schema of an answer, without references, since not every provider follows them.
pub(crate) fn schema_of<T: JsonSchema>() -> serde_json::Value {
    let settings = schemars::generate::SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// The answer, if it can be used; else what is wrong with it, in words for the model.
pub(super) fn read(text: &str, entry: &Entry) -> Result<Reply, String> {
    let object = json_object(text).ok_or("it holds no JSON object")?;
    let reply: Reply = serde_json::from_str(object).map_err(|error| error.to_string())?;
    for (field, text, required) in [
        ("summary", &reply.summary, true),
        ("purpose", &reply.purpose, true),
        ("row_meaning", &reply.row_meaning, true),
        ("business_context", &reply.business_context, false),
        ("notes", &reply.notes, false),
    ] {
        check_text(field, text, TEXT_LIMIT)?;
        if required && text.trim().is_empty() {
            return Err(format!("`{field}` is empty"));
        }
    }
    for line in reply.when_to_use.iter().chain(&reply.questions) {
        check_text("a line of `when_to_use` or `questions`", line, LINE_LIMIT)?;
    }
    let mut seen: Vec<String> = Vec::new();
    for column in &reply.columns {
        if entry.table.column(&column.name).is_none() {
            return Err(format!("the table has no column `{}`", one_line(&column.name)));
        }
        let name = column.name.to_ascii_lowercase();
        if seen.contains(&name) {
            return Err(format!("the column `{}` is described twice", column.name));
        }
        seen.push(name);
        if column.description.trim().is_empty() {
            return Err(format!("the description of `{}` is empty", column.name));
        }
        for text in [&column.description, &column.business_meaning, &column.usage] {
            check_text(&format!("the text for `{}`", column.name), text, LINE_LIMIT)?;
        }
    }
    Ok(reply)
}

impl Reply {
    /// The description: the model's words over the rules' where it has some, the rules' for columns it left out and
    /// for masked ones.
    pub(super) fn over(self, rules: &TableDescription, entry: &Entry) -> TableDescription {
        let masked = |column: &str| {
            let profile = entry.profile().and_then(|profile| profile.column(column));
            profile.is_some_and(|profile| profile.masked.is_some())
        };
        let mut described = rules.clone();
        for column in &mut described.columns {
            let written = self.columns.iter().find(|written| written.name.eq_ignore_ascii_case(&column.column));
            if let Some(written) = written.filter(|_| !masked(&column.column)) {
                *column = written.over(column, &entry.all_values(&column.column).unwrap_or_default());
            }
        }
        described.summary = one_line(&self.summary);
        described.purpose = one_line(&self.purpose);
        described.granularity = match self.granularity {
            GranularityReply::Fact => Granularity::Fact,
            GranularityReply::Dimension => Granularity::Dimension,
            GranularityReply::Bridge => Granularity::Bridge,
            GranularityReply::Lookup => Granularity::Lookup,
            GranularityReply::Other => Granularity::Other,
        };
        described.row_meaning = one_line(&self.row_meaning).trim_end_matches('.').to_owned();
        described.when_to_use = lines(&self.when_to_use).unwrap_or(described.when_to_use);
        described.questions = lines(&self.questions).unwrap_or(described.questions);
        described.business_context = joined(&rules.business_context, &one_line(&self.business_context));
        described.notes = joined(&rules.notes, &one_line(&self.notes));
        described
    }
}

impl ReplyColumn {
    fn over(&self, rules: &ColumnDescription, values: &[&str]) -> ColumnDescription {
        let or = |written: &str, fallback: &str| {
            let line = one_line(written);
            if line.is_empty() { fallback.to_owned() } else { line }
        };
        let mut tags = rules.tags.clone();
        for tag in &self.tags {
            let tag = one_line(tag).to_lowercase();
            if !tag.is_empty() && tag.len() <= 30 && tags.len() < LIST_LIMIT && !tags.contains(&tag) {
                tags.push(tag);
            }
        }
        ColumnDescription {
            column: rules.column.clone(),
            description: with_values(&one_line(&self.description), values),
            business_meaning: or(&self.business_meaning, &rules.business_meaning),
            usage: or(&self.usage, &rules.usage),
            tags,
            encoding: rules.encoding,
            is_authored: true,
        }
    }
}

/// The model's line, followed by all values that there are where the model's line names none of them.
fn with_values(written: &str, values: &[&str]) -> String {
    let values: Vec<String> = values.iter().map(|value| shortened(value)).collect();
    match values.as_slice() {
        [first, _, ..] if !first.is_empty() && !written.contains(first.as_str()) => {
            format!("{} One of {}.", ended(written), first_values(&values))
        }
        _ => written.to_owned(),
    }
}

fn joined(rules: &str, written: &str) -> String {
    match (rules.is_empty(), written.is_empty()) {
        (true, _) => written.to_owned(),
        (_, true) => rules.to_owned(),
        _ => format!("{} {rules}", ended(written)),
    }
}

fn ended(sentence: &str) -> String {
    if sentence.ends_with(['.', '!', '?']) { sentence.to_owned() } else { format!("{sentence}.") }
}

fn lines(written: &[String]) -> Option<Vec<String>> {
    let lines: Vec<String> =
        written.iter().map(|line| one_line(line)).filter(|line| !line.is_empty()).take(LIST_LIMIT).collect();
    (!lines.is_empty()).then_some(lines)
}

fn check_text(field: &str, text: &str, limit: usize) -> Result<(), String> {
    let length = text.chars().count();
    if length > limit {
        return Err(format!("{field} has {length} characters; at most {limit} are allowed"));
    }
    Ok(())
}

/// The outermost braces with what is between them: models like to put words or fences around an object.
pub(crate) fn json_object(text: &str) -> Option<&str> {
    let start = text.find('{')?;
    let end = text.rfind('}')?;
    text.get(start..=end)
}
