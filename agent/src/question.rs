//! What can be read off a question's words alone: whether it says enough, whether the catalog is needed, its parts.
//!
//! These are word rules and not a model's judgement, because they run before every question, and for a model on two
//! cores a judgement costs as much as the answer. They err towards working on the question: a question is only turned
//! back when it has no content at all.

use catalog::Dialect;
use words::StopWords;

/// What the first look says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Triage {
    /// The catalog has to be searched.
    Search,
    /// The question brings its own SQL and wants it changed in form: searching would only add noise.
    Rewrite {
        /// The statement in the question.
        sql: String,
        /// The dialect that is wanted, where it is named.
        target: Option<Dialect>,
    },
    /// There is nothing in it to work on.
    SaysTooLittle,
}

/// The first look at a question.
pub(crate) fn triage(question: &str) -> Triage {
    if let Some(sql) = embedded_sql(question) {
        let around = question.replace(&sql, " ");
        // Not taken apart like identifiers: `PostgreSQL` is one word here.
        let around = around.to_lowercase();
        let asked: Vec<&str> = around.split(|character: char| !character.is_alphanumeric()).collect();
        let wants_form = asked
            .iter()
            .any(|word| ["convert", "translate", "port", "rewrite", "reformat", "format", "transpile"].contains(word));
        if wants_form {
            return Triage::Rewrite { sql, target: named_dialect(&asked) };
        }
    }
    if content_words(question).is_empty() { Triage::SaysTooLittle } else { Triage::Search }
}

/// The words that say what is asked, as stems, in order, each once.
pub(crate) fn content_words(text: &str) -> Vec<String> {
    let mut stems: Vec<String> = Vec::new();
    for word in words::in_text(text) {
        if StopWords::Content.contains(&word) || (word.chars().count() == 1 && !word.chars().all(char::is_numeric)) {
            continue;
        }
        let stem = words::singular(&word);
        if !stems.contains(&stem) {
            stems.push(stem);
        }
    }
    stems
}

/// Words that a question begins with, whatever it asks for. Not `us`, which is a country as well.
const OPENINGS: &[&str] = &[
    "are", "can", "could", "display", "give", "hello", "is", "me", "please", "show", "tell", "what", "what's", "whats",
    "would", "you",
];

/// Words that mean nothing wherever they stand. Not `a`, which is a grade and a blood group as well.
const FILLERS: &[&str] = &["our", "please", "the"];

/// The question without what doesn't change its meaning: case, spaces, marks, how it is begun, articles. What is left keeps
/// its order, since "from A to B" isn't "from B to A". What stands in capitals is a name.
pub(crate) fn normalized(question: &str) -> String {
    let is_name = |word: &str| word.len() > 1 && word.chars().all(char::is_uppercase);
    let is_one_of = |word: &str, words: &[&str]| !is_name(word) && words.contains(&word.to_lowercase().as_str());
    let marks = [',', ';', ':', '?', '.', '!'];
    let words = question.split_whitespace().map(|word| word.trim_end_matches(marks)).filter(|word| !word.is_empty());
    let said: Vec<&str> = words.filter(|word| !is_one_of(word, FILLERS)).collect();
    let begun = said.iter().position(|word| !is_one_of(word, OPENINGS)).unwrap_or(0);
    said[begun..].join(" ").to_lowercase()
}

/// How alike two questions are, 0 to 1: the Dice coefficient of their content stems.
pub(crate) fn similarity(left: &str, right: &str) -> f32 {
    let (left, right) = (content_words(left), content_words(right));
    if left.is_empty() || right.is_empty() {
        return 0.0;
    }
    let shared = left.iter().filter(|stem| right.contains(stem)).count();
    2.0 * shared as f32 / (left.len() + right.len()) as f32
}

/// The parts of a question that can be searched for apart, the whole question first; it alone when it is one question.
///
/// Parts are its sentences, the sides of a comparison, and clauses that begin with a question word of their own.
pub(crate) fn intents(question: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for sentence in sentences(question) {
        match comparison(&sentence) {
            Some((left, right)) => parts.extend([left, right]),
            None => parts.extend(clauses(&sentence)),
        }
    }
    parts.retain(|part| content_words(part).len() >= 2 || comparison(question).is_some());
    parts.truncate(MOST_INTENTS);
    let mut all = vec![question.trim().to_owned()];
    if parts.len() > 1 {
        all.extend(parts);
    }
    all
}

/// Parts a question is taken apart into at most: each costs a search.
pub(crate) const MOST_INTENTS: usize = 3;

fn sentences(text: &str) -> Vec<String> {
    let mut sentences = Vec::new();
    let mut current = String::new();
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let ends = matches!(character, '?' | '!' | '.' | ';' | '\n')
            && characters.peek().is_none_or(|next| next.is_whitespace());
        if ends {
            sentences.push(std::mem::take(&mut current).trim().to_owned());
        } else {
            current.push(character);
        }
    }
    sentences.push(current.trim().to_owned());
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

/// The two sides of "compare A with B", "difference between A and B", "A versus B".
fn comparison(sentence: &str) -> Option<(String, String)> {
    let lower = sentence.to_lowercase();
    // Lower-casing can change lengths outside ASCII; then the offsets would lie.
    if lower.len() != sentence.len() {
        return None;
    }
    let side = |from: usize, to: usize| sentence.get(from..to).map(|text| text.trim().to_owned());
    for divider in [" versus ", " vs ", " vs. ", " compared to ", " compared with "] {
        if let Some(at) = lower.find(divider) {
            return Some((side(0, at)?, side(at + divider.len(), sentence.len())?));
        }
    }
    for (opening, dividers) in [
        ("compare ", &[" with ", " to ", " and "][..]),
        ("difference between ", &[" and "]),
        ("differences between ", &[" and "]),
    ] {
        let Some(start) = lower.find(opening).map(|at| at + opening.len()) else { continue };
        for divider in dividers {
            if let Some(at) = lower[start..].find(divider).map(|at| start + at) {
                return Some((side(start, at)?, side(at + divider.len(), sentence.len())?));
            }
        }
    }
    None
}

/// Clauses joined by "and" that each begin like a question.
fn clauses(sentence: &str) -> Vec<String> {
    const OPENINGS: [&str; 12] =
        ["what", "which", "how", "who", "when", "where", "list", "show", "find", "give", "count", "return"];
    let tokens: Vec<&str> = sentence.split_whitespace().collect();
    let mut clauses: Vec<Vec<&str>> = vec![Vec::new()];
    for (position, token) in tokens.iter().enumerate() {
        let next = tokens.get(position + 1).map(|next| next.to_lowercase());
        let divides = token.eq_ignore_ascii_case("and") && next.is_some_and(|next| OPENINGS.contains(&next.as_str()));
        if divides {
            clauses.push(Vec::new());
        } else if let Some(clause) = clauses.last_mut() {
            clause.push(token);
        }
    }
    clauses
        .iter()
        .map(|clause| clause.join(" ").trim_end_matches(',').to_owned())
        .filter(|text| !text.is_empty())
        .collect()
}

/// A whole statement inside the question: from its SELECT or WITH to the end of the text or of the code block.
fn embedded_sql(question: &str) -> Option<String> {
    let lower = question.to_ascii_lowercase();
    let is_edge = |at: usize| at == 0 || !lower.as_bytes()[at - 1].is_ascii_alphanumeric();
    let start =
        ["select ", "select\n", "with "].iter().filter_map(|word| lower.find(word)).filter(|&at| is_edge(at)).min()?;
    let body = &lower[start..];
    if !body.contains("select") || !body.split_whitespace().any(|word| word == "from") {
        return None;
    }
    let end = body.find("```").unwrap_or(body.len());
    let sql = question.get(start..start + end)?.trim().trim_end_matches(['`', '"', ';', '?']).trim();
    Some(sql.to_owned())
}

/// The dialect that is named last, as in "from MySQL to PostgreSQL".
fn named_dialect(words: &[&str]) -> Option<Dialect> {
    words.iter().rev().find_map(|word| Dialect::mentioned(word))
}

#[cfg(test)]
mod tests {
    use super::{Triage, intents, normalized, similarity, triage};
    use catalog::Dialect;

    #[test]
    fn a_question_without_content_says_too_little() {
        for question in ["", "   ", "hello?", "show me the data", "Can you list everything, please?", "?!"] {
            assert_eq!(triage(question), Triage::SaysTooLittle, "{question}");
        }
    }

    #[test]
    fn short_questions_are_worked_on_all_the_same() {
        for question in
            ["churned customers", "How many singers do we have?", "MRR", "orders", "select the newest order"]
        {
            assert_eq!(triage(question), Triage::Search, "{question}");
        }
    }

    #[test]
    fn a_conversion_needs_no_search() {
        let question = "Convert this from MySQL to PostgreSQL: SELECT IFNULL(a, 0) FROM t LIMIT 5, 10;";
        let expected = Triage::Rewrite {
            sql: "SELECT IFNULL(a, 0) FROM t LIMIT 5, 10".to_owned(),
            target: Some(Dialect::Postgres),
        };
        assert_eq!(triage(question), expected);
    }

    #[test]
    fn a_question_about_a_statement_is_still_a_question() {
        assert_eq!(triage("Why is SELECT count(*) FROM orders smaller than last week?"), Triage::Search);
    }

    #[test]
    fn questions_are_taken_apart_at_their_seams() {
        for (question, expected) in [
            ("How many singers are there?", vec!["How many singers are there?"]),
            (
                "What is the average age and how many concerts took place in 2014?",
                vec![
                    "What is the average age and how many concerts took place in 2014?",
                    "What is the average age",
                    "how many concerts took place in 2014",
                ],
            ),
            (
                "compare paid orders with refunded payments",
                vec!["compare paid orders with refunded payments", "paid orders", "refunded payments"],
            ),
            ("Show name and age of singers", vec!["Show name and age of singers"]),
        ] {
            assert_eq!(intents(question), expected, "{question}");
        }
    }

    #[test]
    fn normalizing_keeps_operators_and_numbers() {
        assert_eq!(normalized("  How many  Orders > 5 ? "), "how many orders > 5");
        assert_ne!(normalized("orders > 5"), normalized("orders < 5"));
        for (one, other, same) in [
            ("What is our churn today, in percent?", "Please tell me the churn today in percent!", true),
            ("What is our churn?", "How many churned?", false),
            ("flights from Oslo to Rome", "flights from Rome to Oslo", false),
            ("What orders were shipped?", "What orders were not shipped?", false),
            ("Show me", "what", false),
            ("Show US customers", "Show customers", false),
            ("Show me customers", "Show ME customers", false),
            ("patients with hepatitis A", "patients with hepatitis", false),
            ("my orders", "the orders", false),
        ] {
            assert_eq!(normalized(one) == normalized(other), same, "{one} / {other}");
        }
    }

    #[test]
    fn similarity_counts_shared_content() {
        assert!(similarity("How many singers are there?", "number of the singers") > 0.99);
        assert!(similarity("How many singers are there?", "average price of orders") < 0.01);
        assert_eq!(similarity("", "orders"), 0.0);
    }
}
