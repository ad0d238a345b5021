//! `cargo xtask picture`: what a command printed, as an SVG for the README. Text on standard input, the picture on
//! standard output; so the picture is made from what really was printed, and can be made again.

use std::fmt::Write;
use std::io::Read;

const WIDTH_IN_CHARACTERS: usize = 118;
const CHARACTER_WIDTH: f32 = 8.4;
const LINE_HEIGHT: usize = 19;
const MARGIN: usize = 18;

/// Line starts with the colour they are drawn in.
const COLOURS: &[(&str, &str)] = &[
    ("$ ", "#9ece6a"),
    ("question", "#7aa2f7"),
    ("refused", "#f7768e"),
    ("error[", "#f7768e"),
    ("warning[", "#e0af68"),
    ("accepted", "#9ece6a"),
    ("repaired", "#9ece6a"),
    ("irrelevant", "#565f89"),
    ("── ", "#7aa2f7"),
    ("It runs", "#f7768e"),
    ("It says", "#9ece6a"),
    ("No answer", "#e0af68"),
    ("Right", "#9ece6a"),
];

pub(crate) fn draw() -> anyhow::Result<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let lines: Vec<String> = text.lines().flat_map(wrapped).collect();
    let height = lines.len() * LINE_HEIGHT + 2 * MARGIN;
    let width = WIDTH_IN_CHARACTERS as f32 * CHARACTER_WIDTH + 2.0 * MARGIN as f32;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height}\" font-family=\"ui-monospace, \
         'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"14\">\n<rect width=\"100%\" height=\"100%\" rx=\"8\" \
         fill=\"#1a1b26\"/>\n"
    );
    for (number, line) in lines.iter().enumerate() {
        let baseline = MARGIN + LINE_HEIGHT * number + 14;
        let colour = COLOURS
            .iter()
            .find(|(start, _)| line.trim_start().starts_with(start))
            .map_or("#c0caf5", |(_, colour)| colour);
        writeln!(
            svg,
            "<text x=\"{MARGIN}\" y=\"{baseline}\" fill=\"{colour}\" xml:space=\"preserve\">{}</text>",
            escaped(line)
        )?;
    }
    svg.push_str("</svg>\n");
    Ok(svg)
}

fn wrapped(line: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in line.split_inclusive(' ') {
        let is_full = |last: &String| last.chars().count() + word.trim_end().chars().count() > WIDTH_IN_CHARACTERS;
        if lines.last().is_some_and(|last| !last.is_empty() && is_full(last)) {
            lines.push(String::new());
        }
        if let Some(last) = lines.last_mut() {
            last.push_str(word);
        }
    }
    lines
}

fn escaped(line: &str) -> String {
    line.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
