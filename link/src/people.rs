//! Questions about people and about things by their names, and the tables that hold them.
//!
//! People ask `who` and name each other, and no word of that is in the name of the table that holds users, parties or
//! employees. What tells such a table is its columns.

use catalog::Table;
use index::Question;

/// Words that ask for people: English, German, French, Spanish, Portuguese.
const WHO: [&str; 15] = [
    "who", "whom", "whose", "everyone", "anyone", "wer", "wen", "wem", "wessen", "qui", "quién", "quien", "quiénes",
    "quem", "people",
];
/// The same in languages that don't part words by spaces: Chinese, Japanese.
const WHO_WITHIN: [&str; 3] = ["谁", "誰", "だれ"];

/// Words and pairs of words of columns that rows about people have.
const OF_PEOPLE: [&str; 24] = [
    "email",
    "username",
    "login",
    "password",
    "firstname",
    "lastname",
    "surname",
    "fullname",
    "realname",
    "gender",
    "birthdate",
    "birthday",
    "nickname",
    "phone",
    "mobile",
    "first name",
    "last name",
    "full name",
    "real name",
    "user name",
    "given name",
    "family name",
    "birth date",
    "middle name",
];

/// Names of columns that name a row.
const NAMES: [&str; 9] =
    ["name", "title", "label", "fullname", "username", "subject", "displayname", "lastname", "caption"];

/// What a table of people and organisations is called where it doesn't say which: legal persons are parties.
const ANYBODY: [&str; 3] = ["party", "partner", "actor"];

/// Whether the question asks for people or organisations, as `who` or by what they do.
pub(crate) fn asks_for_people(question: &str) -> bool {
    words::in_text(question).iter().any(|word| WHO.contains(&word.as_str()) || privacy::names_somebody(word))
        || WHO_WITHIN.iter().any(|who| question.contains(who))
}

/// How far a table's name says that its rows are people or organisations: 1 where its last word does, a half where
/// another one does.
pub(crate) fn named_for_people(table: &Table) -> f32 {
    let words = words::in_identifier(&table.id.name);
    let names_them = |word: &String| ANYBODY.contains(&word.as_str()) || privacy::names_somebody(word);
    match words.split_last() {
        Some((last, _)) if names_them(last) => 1.0,
        Some((_, others)) if others.iter().any(names_them) => 0.5,
        _ => 0.0,
    }
}

/// How many words of the question look like names that no table has: they begin with a capital letter and no sentence.
pub(crate) fn unknown_names(question: &Question) -> usize {
    let unknown = |word: &str| {
        let word = word.to_lowercase();
        question.terms().iter().any(|term| term.weight == 0.0 && term.word == word)
    };
    let mut begins = true;
    let mut count = 0;
    for word in question.text().split_whitespace() {
        let bare = word.trim_matches(|character: char| !character.is_alphanumeric());
        let is_capital = bare.chars().next().is_some_and(char::is_uppercase);
        count += usize::from(is_capital && !begins && unknown(bare));
        begins = word.ends_with(['.', '?', '!', ':']);
    }
    count
}

/// How many columns say that the table's rows are people.
pub(crate) fn people_columns(table: &Table) -> usize {
    let of_people = |name: &str| {
        let words = words::in_identifier(name);
        words.iter().any(|word| OF_PEOPLE.contains(&word.as_str()))
            || words.windows(2).any(|pair| OF_PEOPLE.contains(&pair.join(" ").as_str()))
    };
    table.columns.iter().filter(|column| of_people(&column.name)).count()
}

/// Whether a column names the table's rows.
pub(crate) fn has_name(table: &Table) -> bool {
    table
        .columns
        .iter()
        .any(|column| words::in_identifier(&column.name).last().is_some_and(|last| NAMES.contains(&last.as_str())))
}

#[cfg(test)]
mod tests {
    use index::Index;

    use super::{asks_for_people, has_name, named_for_people, people_columns, unknown_names};
    use crate::testing::{WordEmbedder, catalog_of};

    #[test]
    fn who_and_roles_ask_for_people_in_several_languages() {
        let questions = [
            "Who is late?",
            "Wessen Konto ist gesperrt?",
            "谁还没有付款？",
            "Qui a payé ?",
            "How many learners are there?",
        ];
        for question in questions {
            assert!(asks_for_people(question), "{question}");
        }
        assert!(!asks_for_people("How many orders are late?"));
    }

    #[test]
    fn names_are_capital_words_within_a_sentence_that_no_table_has() {
        let catalog = catalog_of(&["s.orders: id INTEGER, city TEXT"]);
        let index = Index::build(&catalog, &WordEmbedder).expect("an index");
        let count = |text: &str| unknown_names(&index.question(text, None));
        assert_eq!(count("Which Orders did Maria Schmidt place? Anything late?"), 2);
        assert_eq!(count("Maria placed which orders?"), 0, "every sentence begins with a capital");
    }

    #[test]
    fn columns_tell_people_and_things_with_names() {
        let tables = ["s.party_party: id INTEGER, FirstName TEXT, e_mail TEXT, email TEXT", "s.sums: total REAL"];
        let catalog = catalog_of(&tables);
        let [accounts, sums] = [0, 1].map(|place| &catalog.entries()[place].table);
        assert_eq!((people_columns(accounts), people_columns(sums)), (2, 0));
        assert!(has_name(accounts) && !has_name(sums));
        assert_eq!((named_for_people(accounts), named_for_people(sums)), (1.0, 0.0));
    }
}
