//! The page of one table: its parts in their fixed order, each with the generated text and the one that people wrote.
//!
//! The page ends in a comment with a hash for each part, so that reading it back can tell what was edited since it
//! was written from what has only become out of date. A person who reads the rendered page doesn't see it.

use catalog::{Catalog, Entry, TableId};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::escape;
use super::generated;
use super::lines::{FIELDS, closes_fence, field_of, opens_fence};

/// The version of the page's layout; a page of a newer one is not read.
pub(crate) const PAGE_FORMAT: u64 = 2;
/// How the first line starts.
pub(crate) const MARKER: &str = "<!-- periplus {";
/// The line on which the hashes start.
pub(crate) const HASHES: &str = "<!-- periplus:hashes";
/// The line on which they end.
pub(crate) const HASHES_END: &str = "-->";

/// The sections in order, each with the key of its override.
pub(crate) const SECTIONS: [(&str, &str); 8] = [
    ("Purpose", "purpose"),
    ("Business Context", "business_context"),
    ("What the Rows Say", ROWS_SAY),
    ("Columns", "columns"),
    ("Common Queries", "queries"),
    ("Relationships", "relationships"),
    ("Examples", "examples"),
    ("Notes", "notes"),
];

/// The section in which people judge facts and write nothing.
pub(crate) const ROWS_SAY: &str = "facts";

/// Fields that the database decides, not a person.
pub(crate) const FACTS: [&str; 2] = ["type", "nullable"];

/// The key of the text above the marker, and of the text between the title and the first section.
pub(crate) const FRONT: &str = "front";
pub(crate) const INTRODUCTION: &str = "introduction";
/// What the key of a section that people added starts with.
pub(crate) const ADDED: &str = "sections.";

/// One text of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) key: String,
    /// What we would write.
    pub(crate) generated: String,
    /// What people wrote in its place.
    pub(crate) human: Option<String>,
}

impl Part {
    /// What stands on the page.
    pub(crate) fn text(&self) -> &str {
        self.human.as_deref().unwrap_or(&self.generated)
    }

    fn hashes(&self) -> String {
        match &self.human {
            None => hash(&self.generated),
            Some(human) => format!("{}*{}", hash(&self.generated), hash(human)),
        }
    }
}

/// A column with its five fields, in the order of [`FIELDS`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ColumnBlock {
    pub(crate) name: String,
    pub(crate) fields: Vec<Part>,
}

/// The page of one table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) id: TableId,
    pub(crate) front: Part,
    pub(crate) introduction: Part,
    /// In the order of [`SECTIONS`].
    pub(crate) sections: Vec<Part>,
    pub(crate) columns: Vec<ColumnBlock>,
    /// Sections that people added, by title.
    pub(crate) added: Vec<(String, Part)>,
    /// What its rows say.
    pub(crate) facts: Vec<FactLine>,
}

/// A fact on a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FactLine {
    /// The key of the override that holds what people say of it.
    pub(crate) override_key: String,
    /// What its line begins with, behind the mark.
    pub(crate) name: String,
}

impl Page {
    /// The page as it should be now.
    pub(crate) fn of(entry: &Entry, catalog: &Catalog) -> Self {
        let part = |key: String, generated: String| {
            let normal = if column_of_key(&key).is_some() { normalised_field } else { normalised };
            let human = entry.overrides.0.get(&key).map(|text| defused(&normal(text), &key));
            Part { generated: normal(&generated), human, key }
        };
        let texts = generated::Texts::of(entry, catalog);
        let section = |key: &str| match (key, part(key.to_owned(), texts.section(key))) {
            (ROWS_SAY, generated) => Part { human: None, ..generated },
            (_, part) => part,
        };
        let sections = SECTIONS.iter().map(|(_, key)| section(key)).collect();
        let mut columns: Vec<ColumnBlock> = Vec::with_capacity(entry.table.columns.len());
        for column in &entry.table.columns {
            if columns.iter().any(|block| block.name == column.name) {
                continue;
            }
            let fields = FIELDS
                .iter()
                .map(|(_, field)| {
                    let key = column_key(&column.name, field);
                    let mut part = part(key, texts.field(&column.name, field));
                    if FACTS.contains(field) {
                        part.human = None;
                    }
                    part
                })
                .collect();
            columns.push(ColumnBlock { name: column.name.clone(), fields });
        }
        let added = entry
            .overrides
            .0
            .iter()
            .filter_map(|(key, text)| {
                let title = key.strip_prefix(ADDED).filter(|title| is_title(title))?;
                let part =
                    Part { key: key.clone(), generated: String::new(), human: Some(defused(&normalised(text), key)) };
                Some((title.to_owned(), part))
            })
            .collect();
        Self {
            id: entry.table.id.clone(),
            front: part(FRONT.to_owned(), String::new()),
            introduction: part(INTRODUCTION.to_owned(), String::new()),
            sections,
            columns,
            added,
            facts: texts.fact_lines(),
        }
    }

    /// Every part.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &Part> {
        [&self.front, &self.introduction]
            .into_iter()
            .chain(&self.sections)
            .chain(self.columns.iter().flat_map(|block| &block.fields))
            .chain(self.added.iter().map(|(_, part)| part))
    }

    /// The part of that key.
    pub(crate) fn part(&self, key: &str) -> Option<&Part> {
        self.parts().find(|part| part.key == key)
    }

    /// The whole file.
    pub(crate) fn render(&self) -> String {
        let mut page = String::new();
        if !self.front.text().is_empty() {
            page.push_str(self.front.text());
            page.push_str("\n\n");
        }
        let marker = json!({
            "format": PAGE_FORMAT, "source": self.id.source, "schema": self.id.schema, "table": self.id.name,
        });
        page.push_str(&format!("<!-- periplus {} -->\n\n", comment_safe(&marker.to_string())));
        page.push_str(&format!("# Table: {}\n", escape::heading(&self.id.local())));
        block(&mut page, self.introduction.text());
        for ((title, key), part) in SECTIONS.iter().zip(&self.sections) {
            // Nobody writes anything where nothing is to be judged.
            if *key == ROWS_SAY && part.text().is_empty() {
                continue;
            }
            page.push_str(&format!("\n## {title}\n"));
            block(&mut page, part.text());
            if *key == "columns" {
                self.columns.iter().for_each(|column| column.render(&mut page));
            }
        }
        for (title, part) in &self.added {
            page.push_str(&format!("\n## {title}\n"));
            block(&mut page, part.text());
        }
        page.push('\n');
        self.render_hashes(&mut page);
        page
    }

    fn render_hashes(&self, page: &mut String) {
        page.push_str(HASHES);
        page.push('\n');
        for part in [&self.front, &self.introduction].into_iter().chain(&self.sections) {
            page.push_str(&format!("{} {}\n", part.key, part.hashes()));
        }
        for column in &self.columns {
            let hashes: Vec<String> = column.fields.iter().map(Part::hashes).collect();
            let name = comment_safe(&json!(column.name).to_string());
            page.push_str(&format!("{name} {}\n", hashes.join(" ")));
        }
        for (title, part) in &self.added {
            page.push_str(&format!("+{} {}\n", comment_safe(&json!(title).to_string()), part.hashes()));
        }
        page.push_str(HASHES_END);
        page.push('\n');
    }
}

impl ColumnBlock {
    fn render(&self, page: &mut String) {
        page.push_str(&format!("\n### {}\n\n", escape::heading(&self.name)));
        for ((label, _), part) in FIELDS.iter().zip(&self.fields) {
            let text = part.text();
            let space = if text.is_empty() || text.starts_with('\n') { "" } else { " " };
            page.push_str(&format!("- **{label}:**{space}{text}\n"));
        }
    }
}

/// The key of a column's field.
pub(crate) fn column_key(column: &str, field: &str) -> String {
    format!("columns.{column}.{field}")
}

/// The column and the field of a key, if it is a column's.
pub(crate) fn column_of_key(key: &str) -> Option<(&str, &str)> {
    let rest = key.strip_prefix("columns.")?;
    FIELDS.iter().find_map(|(_, field)| {
        let name = rest.strip_suffix(field)?.strip_suffix('.')?;
        Some((name, *field))
    })
}

/// Whether a text can stand as the title of a section that people added.
pub(crate) fn is_title(title: &str) -> bool {
    !title.is_empty()
        && title.trim() == title
        && !title.chars().any(char::is_control)
        && !SECTIONS.iter().any(|(known, _)| known.eq_ignore_ascii_case(title))
}

/// Text as it stands in a section: Unix line ends, no blank lines around it.
pub(crate) fn normalised(text: &str) -> String {
    let unix = text.replace("\r\n", "\n").replace('\r', "\n");
    let trimmed = unix.trim_end();
    match trimmed.find(|character: char| !character.is_whitespace()) {
        None => String::new(),
        Some(first) => {
            let line_start = trimmed[..first].rfind('\n').map_or(0, |position| position + 1);
            trimmed[line_start..].to_owned()
        }
    }
}

/// Text as it stands in a column's field: beside its label, or, where it begins with a line end, below it.
pub(crate) fn normalised_field(text: &str) -> String {
    let plain = normalised(text);
    let first_line_is_empty = text.trim_start_matches([' ', '\t']).starts_with(['\n', '\r']);
    match plain.is_empty() {
        false if first_line_is_empty => format!("\n{plain}"),
        _ => plain.trim_start().to_owned(),
    }
}

/// Text that doesn't break the page it stands on: a line that would begin another part is escaped, an open code fence
/// is closed. What was read from a page comes through unchanged; what came another way may need it.
fn defused(text: &str, place: &str) -> String {
    let mut fence: Option<String> = None;
    let mut lines: Vec<String> = Vec::new();
    for (position, line) in text.split('\n').enumerate() {
        if let Some(open) = &fence {
            if closes_fence(line, open) {
                fence = None;
            }
        } else if let Some(open) = opens_fence(line).filter(|_| position > 0 || !place.starts_with("columns.")) {
            fence = Some(open);
        } else if begins_part(line, place, position) {
            lines.push(format!("\\{line}"));
            continue;
        }
        lines.push(line.to_owned());
    }
    lines.extend(fence);
    lines.join("\n")
}

fn begins_part(line: &str, place: &str, position: usize) -> bool {
    if place == FRONT {
        return line.starts_with(MARKER) || line.starts_with("# Table:");
    }
    // The first line of a field stands behind its label.
    let at_line_start = position > 0 || !place.starts_with("columns.");
    let in_columns = place.starts_with("columns");
    at_line_start && (line.starts_with("## ") || (in_columns && (line.starts_with("### ") || field_of(line).is_some())))
}

/// 8 hexadecimal digits: enough to see an edit, not meant against malice.
pub(crate) fn hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}

/// JSON that can't end the comment it stands in.
fn comment_safe(json: &str) -> String {
    shown::escaped(json).replace('<', "\\u003c").replace('>', "\\u003e")
}

fn block(page: &mut String, text: &str) {
    if !text.is_empty() {
        page.push('\n');
        page.push_str(text);
        page.push('\n');
    }
}
