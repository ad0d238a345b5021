//! Texts that somebody wrote to mislead an agent, in every place of a database, and an eye for where they come out.
//!
//! What is hidden and what stands between marks is judged here by rules of its own, so that a mistake in how data is shown
//! can't hide in how that is tested.

use std::fmt::Write as _;

use crate::database::{TempDatabase, database};

/// A text, and where it is written.
#[derive(Clone, Debug)]
pub struct Injection {
    /// `name`, `comment`, `enum`, `value`, `view`, `default`, `markdown`, `question` or `dbt`.
    pub place: &'static str,
    /// The text, ending in a word of its own.
    pub text: String,
    /// That word.
    pub sign: String,
    /// Whether it is worded like instructions.
    pub is_worded: bool,
}

/// All of them.
pub fn injections() -> Vec<Injection> {
    let lines = include_str!("injections.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .zip(0..)
        .map(|(line, number)| {
            let (place, text) = line.split_once('\t').expect("a place and a text");
            let sign = format!("qx{number:03}");
            let text = format!("{} {sign}", unescaped(text));
            Injection { place: place.trim_start_matches('!'), text, sign, is_worded: place.starts_with('!') }
        })
        .collect()
}

/// Those of one place.
pub fn injections_of(place: &str) -> Vec<Injection> {
    injections().into_iter().filter(|injection| injection.place == place).collect()
}

fn unescaped(text: &str) -> String {
    let mut read = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        read.push_str(before);
        let (character, length) = match after.as_bytes().first() {
            Some(b'n') => ('\n', 1),
            Some(b't') => ('\t', 1),
            Some(b'r') => ('\r', 1),
            Some(b'\\') => ('\\', 1),
            _ => {
                let end = after.find('}').expect("an escape that ends");
                let code = u32::from_str_radix(&after[2..end], 16).expect("a number");
                (char::from_u32(code).expect("a character"), end + 1)
            }
        };
        read.push(character);
        rest = &after[length..];
    }
    read + rest
}

/// The script of a SQLite database with names, values, enumerations, defaults and views of them.
pub fn hostile_script() -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let name = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let mut script = String::new();
    for injection in injections_of("name") {
        let _ = write!(
            script,
            "CREATE TABLE {} (id INTEGER PRIMARY KEY, {} TEXT, amount REAL);",
            name(&injection.text),
            name(&format!("{} column", injection.text))
        );
        let _ = write!(script, "INSERT INTO {} VALUES (1, 'some text', 2.5);", name(&injection.text));
    }
    let first = &injections_of("name")[0].text;
    let _ = write!(
        script,
        "CREATE TABLE tickets (id INTEGER PRIMARY KEY, status TEXT, body TEXT, parent INTEGER REFERENCES {} (id));",
        name(first)
    );
    let states = injections_of("enum");
    for (injection, number) in injections_of("value").iter().zip(0_usize..) {
        let status = &states[number % states.len()].text;
        let _ = write!(
            script,
            "INSERT INTO tickets VALUES ({number}, {}, {}, 1);",
            quoted(status),
            quoted(&injection.text)
        );
    }
    for (injection, number) in injections_of("view").iter().zip(0_usize..) {
        let _ = write!(
            script,
            "CREATE VIEW report_{number} AS SELECT id, {} AS said, status FROM tickets;",
            quoted(&injection.text)
        );
    }
    for (injection, number) in injections_of("default").iter().zip(0_usize..) {
        let _ = write!(
            script,
            "CREATE TABLE settings_{number} (id INTEGER, setting TEXT DEFAULT {});",
            quoted(&injection.text)
        );
    }
    script
}

/// A database made by that script.
pub fn hostile_database() -> TempDatabase {
    database(&hostile_script())
}

/// An export with comments and descriptions of them, as a snapshot source reads it.
pub fn hostile_snapshot() -> String {
    let mut tables = Vec::new();
    let texts: Vec<Injection> = injections_of("comment").into_iter().chain(injections_of("dbt")).collect();
    for (injection, number) in texts.iter().zip(0_usize..) {
        let comment = json_string(&injection.text);
        tables.push(format!(
            "{{\"name\": \"export_{number}\", \"comment\": {comment}, \"columns\": [\
             {{\"name\": \"id\", \"type\": \"int\"}}, {{\"name\": \"own_{number}\", \"type\": \"int\"}}, \
             {{\"name\": \"state\", \"type\": \"text\", \"comment\": {comment}, \"samples\": [{comment}, \"b\"]}}]}}"
        ));
    }
    format!("{{\"name\": \"export\", \"dialect\": \"sqlite\", \"tables\": [{}]}}", tables.join(", "))
}

fn json_string(text: &str) -> String {
    let mut written = String::from("\"");
    for unit in text.encode_utf16() {
        let _ = write!(written, "\\u{unit:04x}");
    }
    written + "\""
}

/// What stands outside of marks; that every mark is closed is part of it.
pub fn outside_of_marks(text: &str) -> String {
    let mut outside = String::new();
    let mut closing: Option<String> = None;
    for line in text.split('\n') {
        let mark = line.strip_prefix("<data-").and_then(|rest| rest.strip_suffix('>'));
        let mark = mark.filter(|mark| mark.len() == 8 && mark.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match (&closing, mark) {
            (Some(end), _) if line == end => closing = None,
            (Some(_), _) => {}
            (None, Some(mark)) => closing = Some(format!("</data-{mark}>")),
            (None, None) => {
                outside.push_str(line);
                outside.push('\n');
            }
        }
    }
    assert!(closing.is_none(), "a block without an end: {text}");
    outside
}

/// The first injection that is shown outside of marks, if any is: its own word, or how it begins.
pub fn leaked(text: &str) -> Option<Injection> {
    let outside = outside_of_marks(text);
    let begins = |text: &str| text.chars().take(14).collect::<String>();
    injections().into_iter().find(|injection| {
        outside.contains(&injection.sign)
            || (injection.is_worded && outside.contains(begins(&injection.text).trim_start()))
    })
}

/// The first character that a reader can't see, that a terminal obeys, or that turns the text around.
pub fn hidden_character(text: &str) -> Option<char> {
    text.chars().find(|character| {
        let code = u32::from(*character);
        let controls = (code < 0x20 && !matches!(character, '\n' | '\t')) || (0x7f..0xa0).contains(&code);
        let shapeless =
            [0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x180e, 0x200b, 0x200e, 0x200f, 0x2800, 0x3164, 0xfeff, 0xffa0];
        let ranges = [(0x2028, 0x202e), (0x2060, 0x206f), (0xfe01, 0xfe0d), (0xfff9, 0xfffb), (0xe0000, 0xe0fff)];
        controls || shapeless.contains(&code) || ranges.iter().any(|(first, last)| (*first..=*last).contains(&code))
    })
}
