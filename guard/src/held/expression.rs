//! Expressions as EXPLAIN writes them: their tokens, the names in them, and the aggregates that they call.

#[derive(Debug, PartialEq)]
pub(super) enum Token {
    /// A name with what stands before it, or a keyword.
    Word(String),
    Constant,
    Operator(String),
    /// A name with a bracket behind it.
    Call(String),
}

pub(super) fn is_keyword(word: &str) -> bool {
    [
        "DISTINCT",
        "ORDER",
        "BY",
        "DESC",
        "ASC",
        "NULLS",
        "FIRST",
        "LAST",
        "AND",
        "OR",
        "NOT",
        "CASE",
        "WHEN",
        "THEN",
        "ELSE",
        "END",
        "IS",
        "NULL",
        "ANY",
        "ALL",
        "OVER",
        "FILTER",
        "WHERE",
        "WITHIN",
        "GROUP",
        "PARTITION",
        "FROM",
        "AT",
        "TIME",
        "ZONE",
        "COLLATE",
        "ARRAY",
        "ROW",
    ]
    .contains(&word)
}

/// The tokens of an expression as EXPLAIN writes it, without brackets and casts.
pub(super) fn tokens(expression: &str) -> Vec<Token> {
    let letters: Vec<char> = expression.chars().collect();
    let (mut tokens, mut at) = (Vec::new(), 0);
    let is_word = |letter: char| letter.is_alphanumeric() || "_.$\"".contains(letter);
    let quoted = |from: usize, quote: char| {
        let mut at = from + 1;
        while at < letters.len() && (letters[at] != quote || letters.get(at + 1) == Some(&quote)) {
            at += if letters[at] == quote { 2 } else { 1 };
        }
        at + 1
    };
    while let Some(&letter) = letters.get(at) {
        let start = at;
        match letter {
            '\'' => {
                at = quoted(at, '\'');
                tokens.push(Token::Constant);
            }
            ':' if letters.get(at + 1) == Some(&':') => at = behind_cast(&letters, at + 2),
            letter
                if letter.is_ascii_digit()
                    || letter == '-' && letters.get(at + 1).is_some_and(char::is_ascii_digit) =>
            {
                at += 1;
                while letters.get(at).is_some_and(|&letter| is_word(letter)) {
                    at += 1;
                }
                tokens.push(Token::Constant);
            }
            letter if is_word(letter) => {
                while let Some(&letter) = letters.get(at).filter(|&&letter| is_word(letter)) {
                    at = if letter == '"' { quoted(at, '"') } else { at + 1 };
                }
                let word: String = letters[start..at.min(letters.len())].iter().collect();
                tokens.push(if letters.get(at) == Some(&'(') { Token::Call(word) } else { Token::Word(word) });
            }
            letter if letter.is_whitespace() || "(),[]".contains(letter) => at += 1,
            _ => {
                while letters
                    .get(at)
                    .is_some_and(|&letter| !is_word(letter) && !letter.is_whitespace() && !"(),[]'".contains(letter))
                {
                    at += 1;
                }
                tokens.push(Token::Operator(letters[start..at].iter().collect()));
            }
        }
    }
    tokens
}

/// The place behind the type of a cast: words, and a length in brackets.
fn behind_cast(letters: &[char], from: usize) -> usize {
    const MORE_WORDS: [&str; 5] = [" varying", " precision", " without time zone", " with time zone", "[]"];
    let mut at = from;
    while letters.get(at).is_some_and(|&letter| letter.is_alphanumeric() || "_.\"".contains(letter)) {
        at += 1;
    }
    loop {
        let follows =
            |words: &&&str| letters[at.min(letters.len())..].iter().copied().take(words.len()).eq(words.chars());
        match MORE_WORDS.iter().find(follows) {
            Some(words) => at += words.len(),
            None if letters.get(at) == Some(&'(') => {
                let end = letters[at..].iter().position(|&letter| letter == ')');
                at = end.map_or(letters.len(), |end| at + end + 1);
            }
            None => return at,
        }
    }
}

/// Whether the casts in an equality leave apart what is: to a date, a shorter text or a rounded number many become one.
pub(super) fn keeps_apart(equality: &str) -> bool {
    const WHOLE: [&str; 5] = ["text", "character varying", "bpchar", "numeric", "uuid"];
    let mut casts = equality.split("::").skip(1).map(|rest| {
        let end = rest.find(|sign: char| !sign.is_alphabetic() && sign != ' ').unwrap_or(rest.len());
        (rest[..end].trim(), rest[end..].starts_with('('))
    });
    casts.all(|(name, is_cut)| WHOLE.contains(&name) && !is_cut)
}

/// As many as PostgreSQL's `numeric` has before the point.
pub(super) const MOST_DIGITS: f64 = 131_072.0;

/// How many digits a number that an expression makes may have, where these are more than numbers in columns have: of a constant
/// (`1e90000` is written out in a plan), of a text put together, of a power.
pub(super) fn digits(expression: &str) -> f64 {
    const FEW: usize = 64;
    let runs = expression.split(|sign: char| !sign.is_ascii_digit()).map(str::len);
    let longest = runs.max().filter(|digits| *digits > FEW).unwrap_or(0) as f64;
    let tokens = self::tokens(expression);
    let calls = |names: &[&str]| {
        tokens.iter().any(|token| matches!(token, Token::Call(name) if names.contains(&name.as_str())))
    };
    let is_put_together =
        expression.contains("||") || calls(&["concat", "concat_ws", "format", "repeat", "lpad", "rpad", "chr"]);
    let is_power = tokens
        .windows(2)
        .any(|two| matches!(two, [Token::Operator(power), exponent] if power == "^" && *exponent != Token::Constant));
    // A square of a number has twice its digits.
    let powers = self::calls(expression, |name| ["power", "pow"].contains(&name));
    let is_power = is_power
        || powers.into_iter().any(|call| {
            let exponent = call.arguments.rsplit(", ").next().unwrap_or_default();
            !matches!(self::tokens(exponent).as_slice(), [Token::Constant])
        });
    let is_float = expression.contains("::double");
    let is_long = (is_put_together || has_exponent(expression)) && expression.contains(")::numeric")
        || calls(&["to_number", "factorial"])
        || is_power && !is_float;
    if is_long { MOST_DIGITS } else { longest }
}

/// Whether a text in an expression has an exponent or a number from which one may be made: `1e90000`, `1x90000`.
fn has_exponent(expression: &str) -> bool {
    const DIGITS: usize = 4;
    expression.split('\'').skip(1).step_by(2).any(|quoted| {
        let bytes = quoted.as_bytes();
        let has_e = bytes.windows(2).any(|two| two[0].is_ascii_digit() && two[1].eq_ignore_ascii_case(&b'e'));
        has_e || quoted.split(|sign: char| !sign.is_ascii_digit()).any(|digits| digits.len() >= DIGITS)
    })
}

/// A call of an aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Call<'o> {
    pub(super) name: &'o str,
    pub(super) arguments: &'o str,
    /// Which rows it is given, where it says so: behind FILTER and OVER.
    pub(super) of: &'o str,
}

/// The calls of such functions in an expression.
pub(super) fn calls(output: &str, is_wanted: fn(&str) -> bool) -> Vec<Call<'_>> {
    let mut calls = Vec::new();
    for (open, _) in output.match_indices('(') {
        let start = output[..open].rfind(|letter: char| !letter.is_alphanumeric() && letter != '_');
        let name = &output[start.map_or(0, |start| start + 1)..open];
        if !is_wanted(name) {
            continue;
        }
        let arguments = in_brackets(&output[open..]);
        let behind = output.get(open + arguments.len() + 2..).unwrap_or_default();
        let mut length = 0;
        for word in [" FILTER ", " OVER "] {
            if let Some(rest) = behind[length..].strip_prefix(word) {
                length = (length + word.len() + in_brackets(rest).len() + 2).min(behind.len());
            }
        }
        calls.push(Call { name, arguments, of: behind.get(..length).unwrap_or_default() });
    }
    calls
}

/// What stands in the brackets that a text begins with.
fn in_brackets(text: &str) -> &str {
    if !text.starts_with('(') {
        return "";
    }
    let mut depth = 0_usize;
    let end = text.find(|letter: char| {
        depth = match letter {
            '(' => depth + 1,
            ')' => depth - 1,
            _ => depth,
        };
        depth == 0
    });
    &text[1..end.unwrap_or(text.len()).max(1)]
}

/// The table that stands before a column.
pub(super) fn table_of(column: &str) -> Option<&str> {
    column.rsplit('.').nth(1).map(|table| table.trim_matches('"'))
}

pub(super) fn last_part(column: &str) -> &str {
    column.rsplit('.').next().unwrap_or(column).trim_matches('"')
}
