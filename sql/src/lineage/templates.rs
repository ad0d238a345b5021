//! What stands in a script for the program that runs it, and not for the engine: templates, and lines with commands of a
//! command line. A value stands in the place of a template, and nothing in the place of the rest; every other character
//! keeps its place.

use std::borrow::Cow;

use catalog::Dialect;

/// The text as an engine would be given it.
pub(super) fn without_templates<'t>(text: &'t str, dialect: &Dialect) -> Cow<'t, str> {
    let value = if *dialect == Dialect::Postgres { "$1" } else { "?" };
    let text = without_commands(text);
    let marks = ["{{", "{%", "{#", "${", "%(", "%s", ":'", ":\""];
    if !marks.iter().any(|mark| text.contains(mark)) {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_ref();
    while let Some(next) = rest.chars().next() {
        let Some((length, is_value)) = template(rest, &out) else {
            out.push(next);
            rest = &rest[next.len_utf8()..];
            continue;
        };
        // A schema that only the program knows is left out: the table may be found without it.
        let (length, is_value) = match rest[length..].starts_with('.') {
            true => (length + 1, false),
            false => (length, is_value),
        };
        // At the beginning it says something to the program.
        let begins = out.trim_end().is_empty() || out.trim_end().ends_with(';');
        let is_list = out.trim_end().to_ascii_lowercase().ends_with(" in") && length > value.len() + 1;
        let value = if is_list { format!("({value})") } else { value.to_owned() };
        blank(&rest.as_bytes()[..length], (is_value && !begins).then_some(value.as_str()), &mut out);
        rest = &rest[length..];
    }
    out.into()
}

/// The length of the template that a text begins with, and whether it stands for a value.
fn template(rest: &str, before: &str) -> Option<(usize, bool)> {
    let up_to = |end: &str| rest.find(end).map(|at| at + end.len());
    if rest.starts_with("{{") {
        return up_to("}}").map(|length| (length, true));
    }
    if rest.starts_with("{%") {
        return up_to("%}").map(|length| (length, false));
    }
    if rest.starts_with("{#") {
        return up_to("#}").map(|length| (length, false));
    }
    if rest.starts_with("${") {
        return up_to("}").map(|length| (length, true));
    }
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|it| it.is_alphanumeric() || it == '_');
    // psql's variables; `::` casts.
    if let Some(quote) = rest.strip_prefix(':').and_then(|rest| rest.chars().next()).filter(|it| "'\"".contains(*it)) {
        let name = rest[2..].split(quote).next().unwrap_or_default();
        let is_one = is_name(name) && !before.ends_with(':') && rest[2 + name.len()..].starts_with(quote);
        return is_one.then_some((name.len() + 3, true));
    }
    if let Some(named) = rest.strip_prefix("%(") {
        let name = named.split(')').next().unwrap_or_default();
        return (is_name(name) && named[name.len()..].starts_with(")s")).then_some((name.len() + 4, true));
    }
    // Behind a value it is the rest of a division.
    let opens = |text: &str| text.trim_end().ends_with(['=', '(', ',', '<', '>']);
    let ends = rest.get(2..).is_none_or(|rest| !rest.starts_with(|it: char| it.is_alphanumeric() || it == '_'));
    (rest.starts_with("%s") && ends && opens(before)).then_some((2, true))
}

/// A value and blanks, or blanks, as long as the text; lines stay lines.
fn blank(text: &[u8], value: Option<&str>, out: &mut String) {
    let start = out.len();
    text.iter().for_each(|byte| out.push(if *byte == b'\n' { '\n' } else { ' ' }));
    if let Some(value) = value.filter(|value| value.len() <= text.len()) {
        out.replace_range(start..start + value.len(), value);
    }
}

/// The text without lines that speak to a command line: of `psql`, of `sqlite3`, and `DELIMITER` of `mysql` with what it says
/// that statements end with.
fn without_commands(text: &str) -> Cow<'_, str> {
    let is_dot = |line: &str| {
        line.trim_start().strip_prefix('.').is_some_and(|it| it.starts_with(|it: char| it.is_ascii_alphabetic()))
    };
    let is_command = |line: &str| line.trim_start().starts_with('\\') || delimiter(line.trim_start()).is_some();
    if !text.lines().any(|line| is_dot(line) || is_command(line)) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let (mut end, mut is_between) = (None, true);
    for line in text.split_inclusive('\n') {
        if let Some(set) = delimiter(line.trim_start()) {
            end = Some(set).filter(|set| *set != ";");
        }
        let is_blank = line.trim().is_empty();
        match (is_command(line) || is_between && is_dot(line), end.and_then(|end| line.trim_end().strip_suffix(end))) {
            (true, _) => blank(line.as_bytes(), None, &mut out),
            (false, Some(statement)) => {
                out.push_str(statement);
                out.push(';');
                blank(&line.as_bytes()[statement.len() + 1..], None, &mut out);
            }
            (false, None) => out.push_str(line),
        }
        is_between = match is_blank {
            true => is_between,
            false => out.trim_end().ends_with(';') || out[out.len() - line.len()..].trim().is_empty(),
        };
    }
    out.into()
}

/// What a line says that statements end with from here on.
fn delimiter(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    let is_it = words.next().is_some_and(|word| word.eq_ignore_ascii_case("delimiter"));
    words.next().filter(|_| is_it)
}

#[cfg(test)]
mod tests {
    use catalog::Dialect;

    use super::without_templates;

    #[test]
    fn what_a_program_fills_in_is_a_value_and_what_it_reads_itself_is_nothing() {
        for (text, expected) in [
            ("SELECT 1 FROM t", "SELECT 1 FROM t"),
            ("SELECT {{ x }} FROM {{ s }}.t", "SELECT ?       FROM         t"),
            ("{% if a %}SELECT 1{% endif %}", "          SELECT 1           "),
            ("a = ${MIN} AND b = %(x)s", "a = ?      AND b = ?    "),
            ("a = %s AND b %s 2, %score", "a = ?  AND b %s 2, %score"),
            ("a = :'day' AND b::'x'", "a = ?      AND b::'x'"),
            (
                "\\set STOP on\nSELECT 1;\n.mode csv\nSELECT a\n.lower()",
                "            \nSELECT 1;\n         \nSELECT a\n.lower()",
            ),
            (
                "DELIMITER //\nBEGIN; END //\nDELIMITER ;\nSELECT 1 //",
                "            \nBEGIN; END ; \n           \nSELECT 1 //",
            ),
            ("'é{{ y }}'", "'é?      '"),
            ("DELIMITER §\nSELECT 1§\n", "           \u{20}\nSELECT 1; \n"),
            ("{{ config() }} SELECT a IN {{ list }}", "               SELECT a IN (?)       "),
            ("{{ open", "{{ open"),
        ] {
            let plain = without_templates(text, &Dialect::Mysql);
            assert_eq!(plain, expected, "{text}");
            assert_eq!(plain.len(), text.len(), "{text}");
        }
        assert_eq!(without_templates("a = {{ x }}", &Dialect::Postgres), "a = $1     ");
    }
}
