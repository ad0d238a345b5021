//! Patterns, and texts that are gone over: what looking for something in them takes.

use std::ops::ControlFlow;

use catalog::Dialect;
use sqlparser::ast::{BinaryOperator, Expr, FunctionArguments, JoinOperator, Spanned, Value};

use super::bound::{Bound, LETTERS_OF_PART, product};
use super::expression::{called, truth};
use super::{Measure, ORDINARY_BYTES};
use crate::parser::Idents as _;
use crate::reading::GrowthKind;
use crate::span::Span;

/// Times that looking for a pattern takes what going over a text takes.
const PASSES_OF_PATTERN: f64 = 10.0;
/// Steps that PCRE takes for one text before it gives up: `pcre2_set_match_limit`, by default.
const MOST_STEPS: f64 = 1e7;

impl<'q> Measure<'_, 'q> {
    /// Reads a condition, each of its parts that must hold for itself: of those that hold tables against each other, MariaDB
    /// and MySQL try all rows in a join's buffer before they look whether they should stop.
    pub(super) fn held_against(&mut self, condition: &'q Expr, joined_by: Option<&JoinOperator>) {
        if let Expr::Nested(inner) = condition {
            return self.held_against(inner, joined_by);
        }
        if let Expr::BinaryOp { left, op: BinaryOperator::And, right } = condition {
            self.held_against(left, joined_by);
            return self.held_against(right, joined_by);
        }
        let is_inner = matches!(
            joined_by,
            None | Some(JoinOperator::Join(_) | JoinOperator::Inner(_) | JoinOperator::StraightJoin(_))
        );
        let is_for_pairs = !is_inner || self.is_about_several(condition);
        if let Some(frame) = self.frames.last_mut() {
            frame.tries_pairs = is_for_pairs;
        }
        self.value(condition);
        if let Some(frame) = self.frames.last_mut() {
            frame.tries_pairs = false;
        }
    }

    /// Whether something of several tables stands in a condition, or something that comes out otherwise each time.
    fn is_about_several(&self, condition: &Expr) -> bool {
        const BY_CHANCE: [&str; 4] = ["rand", "random_bytes", "uuid", "uuid_short"];
        let Some(frame) = self.frames.last().filter(|frame| frame.relations.len() > 1) else { return false };
        let mut tables: Vec<String> = Vec::new();
        let walked = sqlparser::ast::visit_expressions(condition, |inner: &Expr| {
            let table = match inner {
                Expr::CompoundIdentifier(parts) => parts.iter().rev().nth(1).map(|table| self.syntax.fold(table)),
                Expr::Identifier(ident) => {
                    let name = self.syntax.fold(ident);
                    let mut owners = frame.relations.iter().filter(|relation| {
                        let mut names = relation.columns.iter().filter_map(|(name, _)| name.as_deref());
                        names.any(|known| self.syntax.same(known, &name))
                    });
                    match (owners.next(), owners.next()) {
                        (Some(owner), None) => Some(owner.name.clone()),
                        _ => return ControlFlow::Break(()),
                    }
                }
                Expr::Function(function) if BY_CHANCE.contains(&called(&function.name).as_str()) => {
                    return ControlFlow::Break(());
                }
                _ => None,
            };
            if let Some(table) = table.filter(|table| !tables.iter().any(|known| self.syntax.same(known, table))) {
                tables.push(table);
            }
            if tables.len() > 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        walked.is_break()
    }

    /// Counts the passes over texts that each combination of rows in a join asks for, where the engine doesn't look meanwhile
    /// whether it should stop: over all of them where tables are held against each other, else over those that are long as a rule.
    pub(super) fn goes_over<'b>(&mut self, texts: impl IntoIterator<Item = &'b Bound>, passes: f64) {
        let at_once = self.dialect.work().pairs_at_once;
        let Some(frame) = self.frames.last_mut().filter(|frame| frame.relations.len() > 1) else { return };
        let length = |text: &Bound| match frame.tries_pairs {
            true => text.longest(),
            false if text.typical > ORDINARY_BYTES => text.typical,
            false => 0.0,
        };
        let gone_over: f64 = texts.into_iter().map(length).sum();
        if self.quiet || at_once <= 1.0 || gone_over * passes <= 0.0 {
            return;
        }
        frame.in_joins += gone_over * passes;
        let rows = frame.rows();
        let steps = frame.in_joins * (rows.made * rows.pairs).min(at_once);
        self.say("the join", GrowthKind::WorkAtOnce, steps, 0.0, None);
    }

    /// LIKE. DuckDB tries each place for each `%` that isn't the last sign, but where all signs between them are letters.
    pub(super) fn matched(&mut self, value: &Bound, pattern: &Bound, right: &Expr, minds_case: bool) -> Bound {
        let work = steps_over(value, pattern);
        let text = literal_text(right);
        let is_plain = minds_case && text.is_some_and(|text| !text.contains('_'));
        let work = match text {
            _ if !self.dialect.work().like_tries_places || is_plain => work,
            Some(text) => work.max(tries(value.bytes, text.trim_end_matches('%').split('%').count() - 1)),
            None => work.max(tries(value.bytes, most_places(pattern))),
        };
        self.works("like", work, self.lines.span(right.span()));
        self.goes_over([value, pattern], 1.0);
        truth()
    }

    /// A comparison whose work is the product of both lengths.
    pub(super) fn compared(&mut self, what: &str, left: &'q Expr, right: &'q Expr) -> Bound {
        let (value, pattern) = (self.value(left), self.value(right));
        let span = self.lines.span(left.span());
        if what == "position" {
            // Looked for is the one that is written first.
            self.works(what, steps_over(&pattern, &value), span);
            self.goes_over([&value, &pattern], 1.0);
            return Bound::number(0.0, value.bytes.max(pattern.bytes));
        }
        self.looked_for(what, &value, &pattern, right, span);
        truth()
    }

    /// A text in which a pattern is looked for; `written` is the pattern's expression.
    pub(super) fn looked_for(&mut self, what: &str, text: &Bound, pattern: &Bound, written: &Expr, span: Option<Span>) {
        self.works(what, steps_over(text, pattern), span);
        let passes = passes(written, text);
        self.goes_over([text], passes);
        self.backtracks(what, text, literal_text(written), passes, span);
    }

    /// A function that looks for a pattern.
    pub(super) fn searched(
        &mut self,
        name: &str,
        called_with: &FunctionArguments,
        arguments: &[Bound],
        span: Option<Span>,
    ) {
        const BY_PATTERN: [&str; 9] = [
            "extract",
            "extractall",
            "extractallgroupshorizontal",
            "extractallgroupsvertical",
            "extractgroups",
            "match",
            "multimatchany",
            "splitbyregexp",
            "str_split_regex",
        ];
        if !name.contains("regexp") && !name.starts_with("countmatches") && !BY_PATTERN.contains(&name) {
            return;
        }
        let written: Vec<&Expr> = super::joined::arguments(called_with).collect();
        let place = arguments.iter().enumerate().max_by(|one, two| one.1.bytes.total_cmp(&two.1.bytes));
        if let Some((place, text)) = place {
            let others = || arguments.iter().enumerate().filter(|(other, _)| *other != place);
            let steps = others().map(|(_, pattern)| steps_over(text, pattern)).fold(0.0, f64::max);
            self.works(name, steps, span);
            let patterns = written.iter().enumerate().filter(|(other, _)| *other != place);
            let slowest = patterns.map(|(_, pattern)| (passes(pattern, text), literal_text(pattern)));
            let slowest = slowest.max_by(|one, two| one.0.total_cmp(&two.0)).unwrap_or((PASSES_OF_PATTERN, Some("")));
            self.goes_over([text], slowest.0);
            self.backtracks(name, text, slowest.1, slowest.0, span);
        }
    }

    /// Says what PCRE, in MariaDB and MySQL, takes for one text: steps, in which it can't be stopped, and bytes for each letter that
    /// a repeated group goes back over, which no limit of the session holds. Measured: 1.3 GB for `(.|a)*` in 3.7 MB, 5 GB with
    /// twenty groups. `pattern` is `None` where it isn't written out.
    fn backtracks(&mut self, what: &str, text: &Bound, pattern: Option<&str>, passes: f64, span: Option<Span>) {
        const FOR_EACH_LETTER: f64 = 300.0;
        /// Groups that take as much again.
        const GROUPS: f64 = 5.0;
        if *self.dialect != Dialect::Mysql {
            return;
        }
        self.works(what, (passes * text.longest()).min(MOST_STEPS), span);
        let repeats_groups =
            pattern.is_none_or(|pattern| [")*", ")+", "){", ")?"].iter().any(|sign| pattern.contains(sign)));
        let groups = pattern.map_or(GROUPS, |pattern| pattern.matches('(').count() as f64);
        let held = FOR_EACH_LETTER * (1.0 + groups / GROUPS);
        if !text.is_mostly_stored() {
            self.say(what, GrowthKind::Value, text.bytes * held, text.data * held, span);
        } else if repeats_groups {
            self.stored_again(text, held);
        }
    }

    /// MariaDB and MySQL make a text anew for each match in it, and don't look whether they should stop: 1.6 MB took longer than a
    /// minute.
    pub(super) fn copies_for_each_match(&mut self, what: &str, text: &Bound, span: Option<Span>) {
        /// Of a text that matches now and then; what is copied is copied fast.
        const A_BYTE: f64 = 0.003;
        if *self.dialect == Dialect::Mysql {
            self.works(what, A_BYTE * product(text.longest(), text.longest()), span);
        }
    }
}

/// How often a pattern's text is gone over: for each place from which on something may be repeated, left out or be one of
/// several, each of those of the one before is tried. What isn't written out may hold any number of them.
fn passes(pattern: &Expr, text: &Bound) -> f64 {
    /// Of the places of a text those that are tried.
    const TRIED: f64 = 0.25;
    let length = text.longest().max(1.0);
    let most = (MOST_STEPS / length).max(PASSES_OF_PATTERN);
    let Some(written) = literal_text(pattern) else { return most };
    let repeated = written.matches(['*', '+', '{', '?', '|']).count();
    let tried = (length * TRIED).max(2.0).powf(repeated.saturating_sub(1) as f64);
    (PASSES_OF_PATTERN * tried).min(most)
}

fn literal_text(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(text) | Value::DoubleQuotedString(text) => Some(text.as_str()),
            _ => None,
        },
        Expr::Nested(inner) => literal_text(inner),
        _ => None,
    }
}

/// Steps that looking for a text, a pattern or a few items in another takes: the product of both, and for what is written down or
/// stored in what is stored, where hardly any place fits for long, little more than going over it.
pub(super) fn steps_over(text: &Bound, looked_for: &Bound) -> f64 {
    /// Letters of what is looked for that fit at a place of ordinary text, one of so many.
    const FIT: f64 = 64.0;
    if !text.is_mostly_stored() {
        return product(text.bytes, looked_for.text.as_deref().map_or(looked_for.bytes, steps_of_pattern));
    }
    let steps = match &looked_for.text {
        Some(written) => steps_of_pattern(written),
        None if looked_for.data > 0.0 && looked_for.is_mostly_stored() => looked_for.longest(),
        // A list that is written down, each of its items.
        None if looked_for.data == 0.0 => looked_for.bytes.min(FIT * looked_for.items),
        None => return product(text.bytes, looked_for.bytes),
    };
    product(text.bytes, 1.0 + steps / FIT)
}

/// What a regular expression can take for each letter: its own letters, and for what is repeated so many times (`{900}`) that
/// many more, since engines write it out.
fn steps_of_pattern(pattern: &str) -> f64 {
    /// Letters of what is repeated, mostly.
    const REPEATED: f64 = 4.0;
    let repeated = pattern.split('{').skip(1).filter_map(|rest| {
        let numbers = rest.split('}').next()?;
        numbers.split(',').filter_map(|number| number.trim().parse::<f64>().ok()).reduce(f64::max)
    });
    pattern.len() as f64 + REPEATED * repeated.sum::<f64>()
}

/// How many letters the parts have that a function takes a text apart into, at least, as far as what it looks for tells.
pub(super) fn letters_of_part(function: &str, arguments: &[Bound]) -> f64 {
    let place = usize::from(!function.starts_with("splitby"));
    let looked_for = arguments.get(place).and_then(|argument| argument.text.as_deref());
    let is_pattern = function.contains("regex") || function.contains("extract");
    match looked_for {
        Some("") => 1.0,
        Some(pattern) if is_pattern => letters_taken(pattern),
        Some(_) => LETTERS_OF_PART,
        None => 1.0,
    }
}

/// How many letters of ordinary text each match of a pattern takes, at least, up to those of a word.
pub(super) fn letters_taken(pattern: &str) -> f64 {
    pattern.split('|').map(letters_matched).fold(LETTERS_OF_PART, f64::min)
}

/// The same of a pattern without alternatives: what it names itself, and blanks and digits, is as rare as words are; anything else
/// is each letter. Groups that may be left out, and what looks around, match nothing.
fn letters_matched(pattern: &str) -> f64 {
    /// Letters of a set that is as rare as words are.
    const RARE: usize = 6;
    let looks_around = ["(?=", "(?!", "(?<"].iter().any(|sign| pattern.contains(sign));
    let is_left_out = [")?", ")*", "){0", "){,"].iter().any(|sign| pattern.contains(sign));
    if looks_around || is_left_out {
        return 1.0;
    }
    let mut letters = 0.0;
    let mut in_set = false;
    let bare = pattern.replace("(?:", "(");
    let counts = |sign: &char| {
        in_set = match sign {
            '[' => true,
            ']' => false,
            _ => in_set,
        };
        in_set || !"()^$".contains(*sign)
    };
    let mut signs = bare.chars().filter(counts).peekable();
    while let Some(sign) = signs.next() {
        let is_rare = match sign {
            '.' => false,
            '\\' => match signs.next() {
                Some('s' | 'd' | 'y' | 'b' | 'm' | 'M') | None => true,
                Some(sign) => !sign.is_alphanumeric(),
            },
            '[' => {
                let set: String = signs.by_ref().take_while(|sign| *sign != ']').collect();
                set.chars().count() <= RARE && !set.contains(['^', '-', '\\', ':'])
            }
            _ => true,
        };
        let (least, is_many) = match signs.peek() {
            Some('*' | '?') => (0.0, false),
            Some('+') => (1.0, true),
            Some('{') => {
                let range: String = signs.by_ref().take_while(|sign| *sign != '}').skip(1).collect();
                (range.split(',').next().and_then(|least| least.parse().ok()).unwrap_or(0.0), range.contains(','))
            }
            _ => (1.0, false),
        };
        while signs.peek().is_some_and(|sign| "*?+".contains(*sign)) {
            signs.next();
        }
        letters += match least > 0.0 && (is_rare || is_many) {
            true => LETTERS_OF_PART,
            false => least,
        };
    }
    letters.clamp(1.0, LETTERS_OF_PART)
}

/// Brackets of a pattern that keep what stood in them, as many as there are where it isn't written out.
pub(super) fn groups(pattern: &Bound) -> f64 {
    const UNKNOWN: f64 = 20.0;
    pattern.text.as_deref().map_or(UNKNOWN, |text| text.matches('(').count() as f64)
}

/// The most places that a pattern can leave open.
pub(super) fn most_places(pattern: &Bound) -> usize {
    /// More would take longer than anybody waits, whatever the text.
    const MOST: f64 = 100.0;
    (pattern.bytes / 2.0).min(MOST) as usize
}

/// In how many ways so many places can be chosen from a text, a hundredth of it: what most texts end early.
pub(super) fn tries(bytes: f64, places: usize) -> f64 {
    /// Of the ways that there are.
    const TAKEN: f64 = 0.01;
    (0..places).fold(TAKEN, |ways, place| {
        let left = (bytes - place as f64).max(1.0);
        (ways * left / (place as f64 + 1.0)).min(f64::MAX)
    })
}

#[cfg(test)]
mod tests {
    use super::{LETTERS_OF_PART, letters_matched};

    #[test]
    fn patterns_that_match_each_letter_are_told_from_words() {
        for each in [
            ".",
            "x*",
            "[a-z]",
            "[^ ]",
            r"\w",
            "(.)",
            r"\S",
            "a?",
            "(?:.)*",
            ".{1}",
            "",
            "(zq)?",
            "(?=.)",
            "[abcdefgh]",
        ] {
            assert_eq!(letters_matched(each), 1.0, "{each}");
        }
        for word in [" ", ", ", r"\s+", r"\w+", "[^,]+", "[0123]", r"\d", ".+", "[,;]", ".{5,}", "e"] {
            assert_eq!(letters_matched(word), LETTERS_OF_PART, "{word}");
        }
        assert_eq!(letters_matched(".."), 2.0);
    }
}
