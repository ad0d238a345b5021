//! Forms that an engine reads and the parser doesn't, put into words that it knows.
//!
//! Done on tokens, which keep their places in the text. What is left out or exchanged says how rows are found, counted
//! or waited for, never which tables, columns or functions are meant: for a reading the statement stays what it was.

use std::collections::HashMap;

use dialect::Form;
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// The tokens with these forms respelled.
pub(crate) fn respelled(tokens: Vec<TokenWithSpan>, forms: &[Form]) -> Vec<TokenWithSpan> {
    let solid: Vec<usize> =
        (0..tokens.len()).filter(|&position| !matches!(tokens[position].token, Token::Whitespace(_))).collect();
    let tokens = if forms.contains(&Form::NamedValues) { named_values(tokens, &solid) } else { tokens };
    let tokens = if forms.contains(&Form::IsNull) { null_tests(tokens) } else { tokens };
    let solid: Vec<usize> =
        (0..tokens.len()).filter(|&position| !matches!(tokens[position].token, Token::Whitespace(_))).collect();
    let text = Text { tokens: &tokens, solid: &solid };
    // By position among the solid tokens; `None` leaves one out.
    let mut edits: HashMap<usize, Option<Token>> = HashMap::new();
    for at in 0..solid.len() {
        for form in forms {
            edit(*form, &text, at, &mut edits);
        }
    }
    if edits.is_empty() {
        return tokens;
    }
    let mut edits: HashMap<usize, Option<Token>> = edits.into_iter().map(|(at, edit)| (solid[at], edit)).collect();
    let tokens = tokens.into_iter().enumerate().filter_map(|(position, token)| match edits.remove(&position) {
        None => Some(token),
        Some(edit) => edit.map(|edit| TokenWithSpan { token: edit, span: token.span }),
    });
    tokens.collect()
}

/// `WITH value AS name` as `WITH name AS (SELECT value)`, wherever a WITH stands.
fn named_values(tokens: Vec<TokenWithSpan>, solid: &[usize]) -> Vec<TokenWithSpan> {
    let text = Text { tokens: &tokens, solid };
    let mut out: Vec<TokenWithSpan> = Vec::new();
    let mut changed = false;
    let mut at = 0;
    let token = |at: usize| tokens[solid[at]].clone();
    while at < solid.len() {
        out.push(token(at));
        let begins = text.is(at, &["WITH"]) && (at == 0 || *text.token(at - 1) == Token::LParen);
        at += 1;
        while begins && at < solid.len() {
            // `name AS (query)`, or the name of a value behind it.
            let is_query = matches!(text.token(at), Token::Word(_))
                && text.is(at + 1, &["AS"])
                && *text.token(at + 2) == Token::LParen;
            let end = text.end_of_item(at);
            let names = text.is(end.saturating_sub(2), &["AS"]) && matches!(text.token(end - 1), Token::Word(_));
            if is_query || end < at + 3 || !names {
                out.extend((at..end).map(token));
            } else {
                changed = true;
                let beside = |new: Token, place: usize| TokenWithSpan { token: new, span: tokens[solid[place]].span };
                out.extend([token(end - 1), token(end - 2), beside(Token::LParen, at)]);
                out.push(beside(Token::make_keyword("SELECT"), at));
                out.extend((at..end - 2).map(token));
                out.push(beside(Token::RParen, end - 1));
            }
            at = end;
            if *text.token(at) != Token::Comma {
                break;
            }
            out.push(token(at));
            at += 1;
        }
    }
    if changed { out } else { tokens }
}

/// `a ISNULL` as `a IS NULL`, behind whatever may be tested: engines that read it take the word for no name without AS.
fn null_tests(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let is_it = |token: &Token| matches!(token, Token::Word(word) if word.quote_style.is_none() && word.value.eq_ignore_ascii_case("isnull"));
    if !tokens.iter().any(|token| is_it(&token.token)) {
        return tokens;
    }
    let solid: Vec<usize> =
        (0..tokens.len()).filter(|&position| !matches!(tokens[position].token, Token::Whitespace(_))).collect();
    let text = Text { tokens: &tokens, solid: &solid };
    let may_be_tested = |at: usize| {
        let is_word = matches!(text.token(at), Token::Word(_)) && !text.is(at, &OPERATORS);
        is_word || text.ends_a_value(at) || matches!(text.token(at), Token::RBracket)
    };
    let tests =
        |at: usize| at > 0 && is_it(text.token(at)) && may_be_tested(at - 1) && *text.token(at + 1) != Token::LParen;
    let tested: Vec<usize> = (0..solid.len()).filter(|&at| tests(at)).map(|at| solid[at]).collect();
    let mut out = Vec::with_capacity(tokens.len() + tested.len());
    for (position, token) in tokens.into_iter().enumerate() {
        if tested.contains(&position) {
            let spelt = ["IS", "NULL"].map(|word| TokenWithSpan { token: Token::make_keyword(word), span: token.span });
            out.extend(spelt);
        } else {
            out.push(token);
        }
    }
    out
}

/// Words behind which a value begins, or a name.
const OPERATORS: [&str; 24] = [
    "ALL", "AND", "ANY", "AS", "BETWEEN", "BY", "CASE", "DISTINCT", "ELSE", "FROM", "HAVING", "ILIKE", "IN", "IS",
    "JOIN", "LIKE", "LIMIT", "NOT", "ON", "OR", "SELECT", "THEN", "WHEN", "WHERE",
];

/// Tokens without blanks and comments.
struct Text<'t> {
    tokens: &'t [TokenWithSpan],
    solid: &'t [usize],
}

impl Text<'_> {
    fn token(&self, at: usize) -> &Token {
        self.solid.get(at).map_or(&Token::EOF, |&position| &self.tokens[position].token)
    }

    /// The word there, unless it is quoted.
    fn word(&self, at: usize) -> &str {
        match self.token(at) {
            Token::Word(word) if word.quote_style.is_none() => &word.value,
            _ => "",
        }
    }

    fn is(&self, at: usize, words: &[&str]) -> bool {
        words.iter().any(|word| self.word(at).eq_ignore_ascii_case(word))
    }

    /// Whether a value can end there.
    fn ends_a_value(&self, at: usize) -> bool {
        match self.token(at) {
            Token::Word(word) => word.quote_style.is_some() || word.keyword == Keyword::NoKeyword,
            Token::Number(..) | Token::SingleQuotedString(_) | Token::RParen => true,
            _ => false,
        }
    }

    /// Whether a value can begin there.
    fn begins_a_value(&self, at: usize) -> bool {
        self.ends_a_value(at) && *self.token(at) != Token::RParen || *self.token(at) == Token::Minus
    }

    /// Where the value ends that begins there: a literal, a dotted name, a call, or brackets.
    fn behind_value(&self, at: usize) -> usize {
        let mut at = if matches!(self.token(at), Token::Minus | Token::Plus) { at + 1 } else { at };
        if *self.token(at) != Token::LParen {
            at += 1;
            while *self.token(at) == Token::Period {
                at += 2;
            }
        }
        if *self.token(at) != Token::LParen {
            return at;
        }
        let mut open = 0_usize;
        while at < self.solid.len() {
            match self.token(at) {
                Token::LParen => open += 1,
                Token::RParen => open -= 1,
                _ => {}
            }
            at += 1;
            if open == 0 {
                break;
            }
        }
        at
    }

    /// Where an item of a WITH ends: at the comma behind it, or at the query.
    fn end_of_item(&self, begin: usize) -> usize {
        let (mut at, mut open) = (begin, 0_usize);
        while at < self.solid.len() {
            match self.token(at) {
                Token::LParen | Token::LBracket | Token::LBrace => open += 1,
                Token::RParen | Token::RBracket | Token::RBrace if open == 0 => break,
                Token::RParen | Token::RBracket | Token::RBrace => open -= 1,
                Token::Comma | Token::SemiColon if open == 0 => break,
                _ if open == 0 && self.is(at, &["SELECT", "FROM"]) => break,
                _ => {}
            }
            at += 1;
        }
        at
    }

    /// The larger of the two units that a word like `HOUR_MINUTE` joins.
    fn compound_unit(&self, at: usize) -> Option<Token> {
        let smaller: &[&str] = &["MONTH", "HOUR", "MINUTE", "SECOND", "MICROSECOND"];
        let word = self.word(at).to_ascii_uppercase();
        let (first, second) = word.split_once('_')?;
        let joins = ["YEAR", "DAY", "HOUR", "MINUTE", "SECOND"].contains(&first) && smaller.contains(&second);
        joins.then(|| Token::make_keyword(first))
    }
}

/// Respells what stands at this place, where it is of that form.
fn edit(form: Form, text: &Text<'_>, at: usize, edits: &mut HashMap<usize, Option<Token>>) {
    match form {
        Form::Materialized => {
            let negated = usize::from(text.is(at + 1, &["NOT"]));
            if text.is(at, &["AS"])
                && text.is(at + 1 + negated, &["MATERIALIZED"])
                && *text.token(at + 2 + negated) == Token::LParen
            {
                edits.extend((at + 1..=at + 1 + negated).map(|at| (at, None)));
            }
        }
        Form::FrameExclusion => {
            let words = match text.word(at + 2).to_ascii_uppercase().as_str() {
                "GROUP" | "TIES" => 2,
                "CURRENT" if text.is(at + 3, &["ROW"]) => 3,
                "NO" if text.is(at + 3, &["OTHERS"]) => 3,
                _ => return,
            };
            if text.is(at, &["ROW", "PRECEDING", "FOLLOWING"]) && text.is(at + 1, &["EXCLUDE"]) {
                edits.extend((at + 1..=at + words).map(|at| (at, None)));
            }
        }
        Form::Only => {
            let begins = text.is(at, &["FROM", "JOIN", "UPDATE"]) || *text.token(at) == Token::Comma;
            if !begins || !text.is(at + 1, &["ONLY"]) {
                return;
            }
            let is_name = |place: &usize| matches!(text.token(*place), Token::Word(_) | Token::Period);
            let end = at + 3 + (at + 3..).take_while(is_name).count();
            match text.token(at + 2) {
                Token::Word(_) => drop(edits.insert(at + 1, None)),
                Token::LParen if *text.token(end) == Token::RParen => {
                    edits.extend([at + 1, at + 2, end].map(|place| (place, None)));
                }
                _ => {}
            }
        }
        Form::CompoundUnits => {
            let unit = match text.word(at).to_ascii_uppercase().as_str() {
                "EXTRACT" if *text.token(at + 1) == Token::LParen => at + 2,
                "INTERVAL" => text.behind_value(at + 1),
                _ => return,
            };
            edits.extend(text.compound_unit(unit).map(|token| (unit, Some(token))));
        }
        Form::Modulo => {
            let between = at > 0 && text.ends_a_value(at - 1) && text.begins_a_value(at + 1);
            if between && text.is(at, &["MOD"]) {
                edits.insert(at, Some(Token::Mod));
            }
        }
        Form::Bang => {
            if *text.token(at) == Token::ExclamationMark {
                edits.insert(at, Some(Token::make_keyword("NOT")));
            }
        }
        Form::PragmaArgument => {
            let argument = at == 0
                && text.is(0, &["PRAGMA"])
                && *text.token(2) == Token::LParen
                && *text.token(4) == Token::RParen;
            if let (true, Token::Word(word)) = (argument, text.token(3)) {
                edits.insert(3, Some(Token::SingleQuotedString(word.value.clone())));
            }
        }
        Form::NamedValues | Form::IsNull => {}
        Form::Strictness => {
            const SIDES: [&str; 6] = ["LEFT", "RIGHT", "INNER", "FULL", "OUTER", "CROSS"];
            let in_list = text.is(at, &["GLOBAL"])
                && (text.is(at + 1, &["IN"]) || text.is(at + 1, &["NOT"]) && text.is(at + 2, &["IN"]));
            let mut next = at + 1;
            while next < at + 4 && (text.is(next, &SIDES) || text.is(next, &["ANY", "ALL", "ASOF"])) {
                next += 1;
            }
            let of_join = text.is(at, &["GLOBAL", "ANY", "ALL", "ASOF"]) && text.is(next, &["JOIN"]);
            if in_list || of_join {
                edits.insert(at, None);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use sqlparser::dialect::GenericDialect;
    use sqlparser::tokenizer::Tokenizer;

    use super::{Form, respelled};

    fn check(form: Form, sql: &str, expected: &str) {
        let tokens = Tokenizer::new(&GenericDialect {}, sql).tokenize_with_location().unwrap();
        let text: String = respelled(tokens, &[form]).iter().map(|token| token.token.to_string()).collect();
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
        assert_eq!(words(&text), words(expected), "{sql}");
    }

    #[test]
    fn only_what_is_such_a_form_is_respelled() {
        check(Form::Materialized, "WITH a AS NOT MATERIALIZED (SELECT 1)", "WITH a AS (SELECT 1)");
        check(Form::Materialized, "SELECT 1 AS materialized", "SELECT 1 AS materialized");
        check(
            Form::FrameExclusion,
            "OVER (ROWS UNBOUNDED PRECEDING EXCLUDE CURRENT ROW)",
            "OVER (ROWS UNBOUNDED PRECEDING )",
        );
        check(Form::FrameExclusion, "SELECT * EXCLUDE ties FROM t", "SELECT * EXCLUDE ties FROM t");
        check(Form::Only, "SELECT a FROM ONLY t", "SELECT a FROM t");
        check(Form::Only, "SELECT a FROM only", "SELECT a FROM only");
        check(Form::Only, "SELECT a FROM ONLY (s.t) AS x, ONLY u", "SELECT a FROM s.t AS x, u");
        check(Form::Only, "UPDATE ONLY t SET a = 1", "UPDATE t SET a = 1");
        check(Form::CompoundUnits, "EXTRACT(YEAR_MONTH FROM d)", "EXTRACT(YEAR FROM d)");
        check(Form::CompoundUnits, "d + INTERVAL '1:30' HOUR_MINUTE", "d + INTERVAL '1:30' HOUR");
        check(
            Form::CompoundUnits,
            "d + INTERVAL f(a, (b)) DAY_SECOND, day_hour",
            "d + INTERVAL f(a, (b)) DAY, day_hour",
        );
        check(Form::CompoundUnits, "INTERVAL 1 DAY + hour_minute", "INTERVAL 1 DAY + hour_minute");
        check(Form::CompoundUnits, "INTERVAL (", "INTERVAL (");
        check(Form::Modulo, "SELECT a MOD 2, MOD(a, 2), a mod FROM t", "SELECT a % 2, MOD(a, 2), a mod FROM t");
        check(Form::Bang, "WHERE !a AND b != c", "WHERE NOTa AND b <> c");
        check(
            Form::NamedValues,
            "WITH (SELECT max(a) FROM t) AS m, 5 AS n, q AS (SELECT 1) SELECT m",
            "WITHmAS(SELECT(SELECTmax(a)FROMt)),nAS(SELECT5),qAS(SELECT1)SELECTm",
        );
        check(Form::NamedValues, "WITH q AS (SELECT 1) SELECT 1 AS a", "WITH q AS (SELECT 1) SELECT 1 AS a");
        check(Form::NamedValues, "WITH", "WITH");
        check(Form::NamedValues, "WITH 1 AS", "WITH 1 AS");
        let words = |sql: &str| {
            let tokens = Tokenizer::new(&GenericDialect {}, sql).tokenize_with_location().unwrap();
            respelled(tokens, &[Form::IsNull])
                .iter()
                .filter(|token| token.token == sqlparser::tokenizer::Token::make_keyword("NULL"))
                .count()
        };
        assert_eq!(words("SELECT a ISNULL FROM t WHERE b + 1 isnull AND (c) ISNULL OR \"d\" ISNULL"), 4);
        assert_eq!(words("SELECT isnull, ISNULL(a), t.isnull, 1 AS isnull FROM t WHERE isnull AND NOT isnull"), 0);
        check(Form::PragmaArgument, "PRAGMA table_info(orders)", "PRAGMA table_info('orders')");
        check(Form::PragmaArgument, "PRAGMA journal_mode = wal", "PRAGMA journal_mode = wal");
        check(Form::Strictness, "a GLOBAL ANY LEFT JOIN b LEFT ASOF JOIN c", "a LEFT JOIN b LEFT JOIN c");
        check(Form::Strictness, "x GLOBAL NOT IN (SELECT any FROM all)", "x NOT IN (SELECT any FROM all)");
    }
}
