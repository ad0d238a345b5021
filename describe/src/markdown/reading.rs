//! A page taken apart: which text stands in which part, on which line, and what the hashes at its end say.
//!
//! It looks at line starts outside code fences and nothing else, so whatever people write inside a section comes back
//! letter for letter.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use catalog::TableId;
use serde_json::Value;

use super::escape::heading_name;
use super::lines::{FIELDS, closes_fence, field_of, opens_fence};
use super::page::{
    ADDED, FRONT, HASHES, HASHES_END, INTRODUCTION, MARKER, PAGE_FORMAT, SECTIONS, column_key, normalised,
    normalised_field,
};

/// What is wrong with a page, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// From 1.
    pub(crate) line: usize,
    pub(crate) reason: String,
}

/// A text on a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) text: String,
    /// From 1.
    pub(crate) line: usize,
}

/// What was on the page when it was written: the hash of the generated text and, where people's text stood in its
/// place, the hash of that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) generated: String,
    pub(crate) human: Option<String>,
}

/// A page, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PageReading {
    /// From the marker; pages without one are known by their title.
    pub(crate) id: Option<TableId>,
    /// From the title.
    pub(crate) title: String,
    pub(crate) parts: BTreeMap<String, Found>,
    pub(crate) written: BTreeMap<String, Written>,
    /// The columns on the page, with their lines.
    pub(crate) columns: Vec<(String, usize)>,
}

/// Takes a page apart; `None` for a file that is no page of ours.
pub(crate) fn read(text: &str) -> Option<Result<PageReading, Vec<Fault>>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n").replace('\r', "\n");
    let is_ours = text.lines().any(|line| line.starts_with(MARKER) || line.starts_with("# Table:"));
    if is_ours { Parser::default().read(&text) } else { None }
}

/// The table that a page names in its first comment, whatever else is wrong with the page.
pub(crate) fn marked_table(text: &str) -> Option<TableId> {
    let (position, line) = text.lines().enumerate().find(|(_, line)| line.starts_with(MARKER))?;
    let mut parser = Parser::default();
    parser.marker(line, position + 1);
    parser.reading.id
}

#[derive(Default)]
struct Parser {
    reading: PageReading,
    faults: Vec<Fault>,
    /// Whether the comment that names the table was there.
    marked: bool,
    /// Where lines go at the moment.
    current: Place,
    lines: Vec<String>,
    start: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Front,
    Introduction,
    Section(String),
    /// Under a column's heading, before its first field.
    Column(String),
    Field(String, &'static str),
}

impl Parser {
    fn read(mut self, text: &str) -> Option<Result<PageReading, Vec<Fault>>> {
        let mut lines: Vec<&str> = text.lines().collect();
        self.take_hashes(&mut lines);
        let mut fence: Option<(usize, String)> = None;
        self.start = 1;
        for (position, line) in lines.iter().enumerate() {
            let number = position + 1;
            if let Some((_, open)) = &fence {
                if closes_fence(line, open) {
                    fence = None;
                }
                self.lines.push((*line).to_owned());
                continue;
            }
            if let Some(open) = opens_fence(line) {
                fence = Some((number, open));
                self.lines.push((*line).to_owned());
                continue;
            }
            self.line(line, number);
        }
        self.flush();
        if !self.marked && self.current == Place::Front {
            return None;
        }
        if let Some((number, _)) = fence {
            self.fault(number, "this code fence is never closed");
        }
        if self.current == Place::Front {
            self.fault(1, "there is no title `# Table: …`");
        }
        Some(if self.faults.is_empty() { Ok(self.reading) } else { Err(self.faults) })
    }

    fn line(&mut self, line: &str, number: usize) {
        if self.current == Place::Front {
            if line.starts_with(MARKER) {
                self.marker(line, number);
                return;
            }
            if let Some(title) = line.strip_prefix("# Table:") {
                self.reading.title = heading_name(title.trim());
                self.go(Place::Introduction, number + 1);
                return;
            }
        }
        if let Some(title) = line.strip_prefix("## ").filter(|_| self.current != Place::Front) {
            self.section(title.trim(), number);
            return;
        }
        let in_columns = match &self.current {
            Place::Section(key) => key == "columns",
            Place::Column(_) | Place::Field(..) => true,
            _ => false,
        };
        if in_columns {
            if let Some(heading) = line.strip_prefix("### ") {
                self.column(heading_name(heading.trim()), number);
                return;
            }
            if let Some((field, text)) = field_of(line) {
                self.field(field, text, number);
                return;
            }
        }
        self.lines.push(line.to_owned());
    }

    fn marker(&mut self, line: &str, number: usize) {
        self.marked = true;
        let json = line.strip_prefix("<!-- periplus ").and_then(|rest| rest.trim_end().strip_suffix("-->"));
        let Some(marker) = json.and_then(|json| serde_json::from_str::<Value>(json).ok()) else {
            self.fault(number, "the comment that says which table this is can't be read");
            return;
        };
        if marker["format"].as_u64().is_none_or(|format| format > PAGE_FORMAT) {
            self.fault(number, "the page was written by a newer version of Periplus");
            return;
        }
        let text = |key: &str| marker[key].as_str().map(str::to_owned);
        match (text("source"), text("table")) {
            (Some(source), Some(name)) => self.reading.id = Some(TableId { source, schema: text("schema"), name }),
            _ => self.fault(number, "the comment that says which table this is names no source or no table"),
        }
    }

    fn section(&mut self, title: &str, number: usize) {
        let known = SECTIONS.iter().find(|(known, _)| known.eq_ignore_ascii_case(title));
        let key = known.map_or_else(|| format!("{ADDED}{title}"), |(_, key)| (*key).to_owned());
        self.go(Place::Section(key.clone()), number + 1);
        if title.is_empty() {
            self.fault(number, "a section has no title");
        }
        self.enter(key, number, &format!("the section `{title}` stands here twice"));
    }

    /// Notes that the part is on the page, even if nothing follows.
    fn enter(&mut self, key: String, number: usize, twice: &str) {
        match self.reading.parts.entry(key) {
            Entry::Vacant(vacant) => {
                vacant.insert(Found { text: String::new(), line: number });
            }
            Entry::Occupied(_) => self.fault(number, twice),
        }
    }

    fn column(&mut self, name: String, number: usize) {
        self.go(Place::Column(name.clone()), number + 1);
        if self.reading.columns.iter().any(|(known, _)| *known == name) {
            self.fault(number, &format!("the column `{name}` stands here twice"));
        }
        self.reading.columns.push((name, number));
    }

    fn field(&mut self, field: &'static str, text: &str, number: usize) {
        let column = match &self.current {
            Place::Column(column) | Place::Field(column, _) => column.clone(),
            _ => {
                self.lines.push(format!("- **{field}:** {text}"));
                return;
            }
        };
        let key = column_key(&column, field);
        let twins = self.reading.columns.iter().filter(|(name, _)| *name == column).count();
        self.go(Place::Field(column, field), number);
        // The fields of a column that stands there twice are reported once, with the column.
        if twins == 1 {
            self.enter(key, number, &format!("the field `{field}` stands here twice"));
        }
        self.lines.push(text.to_owned());
    }

    /// Ends the part in hand and begins another one.
    fn go(&mut self, place: Place, start: usize) {
        self.flush();
        self.current = place;
        self.start = start;
    }

    fn flush(&mut self) {
        let lines = std::mem::take(&mut self.lines);
        let joined = lines.join("\n");
        let key = match &self.current {
            Place::Front => FRONT.to_owned(),
            Place::Introduction => INTRODUCTION.to_owned(),
            Place::Section(key) => key.clone(),
            Place::Column(name) => {
                if !joined.trim().is_empty() {
                    let reason = format!(
                        "text under the column `{name}` stands before its first field; put it under one of `- **{}:**`",
                        ["Description", "Domain", "Notes"].join(":**`, `- **")
                    );
                    self.fault(self.start, &reason);
                }
                return;
            }
            Place::Field(column, field) => column_key(column, field),
        };
        let text = match &self.current {
            Place::Field(..) => normalised_field(&joined),
            _ => normalised(&joined),
        };
        let line = self.reading.parts.get(&key).map_or(self.start, |found| found.line);
        self.reading.parts.insert(key, Found { text, line });
    }

    /// Takes the comment with the hashes off the end, if it is there.
    fn take_hashes(&mut self, lines: &mut Vec<&str>) {
        let Some(start) = lines.iter().rposition(|line| line.trim_end() == HASHES) else { return };
        let Some(length) = lines[start..].iter().position(|line| line.trim_end() == HASHES_END) else {
            self.fault(start + 1, "the comment with the hashes is never closed");
            return;
        };
        for line in &lines[start + 1..start + length] {
            self.hash_line(line);
        }
        for line in &mut lines[start..=start + length] {
            *line = "";
        }
    }

    /// `purpose 1a2b3c4d`, `"column" … five times`, `+"Title" 1a2b3c4d*5e6f7a8b`. A line that isn't one of these is
    /// skipped: its part then counts as never written.
    fn hash_line(&mut self, line: &str) {
        let (keys, hashes): (Vec<String>, &str) = if let Some(rest) = line.strip_prefix('+') {
            let Some((title, hashes)) = json_string(rest) else { return };
            (vec![format!("{ADDED}{title}")], hashes)
        } else if line.starts_with('"') {
            let Some((name, hashes)) = json_string(line) else { return };
            (FIELDS.iter().map(|(_, field)| column_key(&name, field)).collect(), hashes)
        } else {
            let Some((key, hashes)) = line.split_once(' ') else { return };
            (vec![key.to_owned()], hashes)
        };
        for (key, hash) in keys.into_iter().zip(hashes.split_whitespace()) {
            let written = match hash.split_once('*') {
                Some((generated, human)) => Written { generated: generated.to_owned(), human: Some(human.to_owned()) },
                None => Written { generated: hash.to_owned(), human: None },
            };
            self.reading.written.insert(key, written);
        }
    }

    fn fault(&mut self, line: usize, reason: &str) {
        self.faults.push(Fault { line, reason: reason.to_owned() });
    }
}

/// The string at the start of a line, and what follows.
fn json_string(line: &str) -> Option<(String, &str)> {
    let mut values = serde_json::Deserializer::from_str(line).into_iter::<String>();
    let value = values.next()?.ok()?;
    Some((value, &line[values.byte_offset()..]))
}
