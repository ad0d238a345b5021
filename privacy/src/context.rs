//! What a table is about, as far as its name and its columns say so: people, places, machines, things.
//!
//! The last word that is known decides, because names end in what they mean: `employee_roles` are roles. Words that
//! only say that it is a table are skipped. Invariant: a table that nothing is known of is [`About::Unknown`].

use catalog::Table;

use crate::folding::{folded_words, key};
use crate::vocabulary::{Classes, class, classes};

/// What a table is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum About {
    /// A list of people.
    People,
    /// Something that people have or did: bookings, salaries.
    OfPeople,
    /// People who are known in public: artists, players.
    Public,
    Places,
    Organisations,
    Machines,
    Things,
    Unknown,
}

impl About {
    /// Whether what it says is said of people.
    pub(crate) fn concerns_people(self) -> bool {
        matches!(self, Self::People | Self::OfPeople)
    }
}

/// Words that only say that it is a table, or which one of several.
const OF_TABLES: &[&str] = &[
    "tbl",
    "t",
    "tab",
    "table",
    "data",
    "daten",
    "info",
    "infos",
    "details",
    "detail",
    "master",
    "stamm",
    "stammdaten",
    "mst",
    "dim",
    "fact",
    "stg",
    "staging",
    "dw",
    "v",
    "vw",
    "view",
    "old",
    "new",
    "bak",
    "backup",
    "archive",
    "archiv",
    "temp",
    "tmp",
    "records",
    "record",
    "list",
    "liste",
    "history",
    "hist",
    "log",
    "logs",
    "base",
    "main",
    "ext",
    "all",
    "entity",
    "entities",
    "extended",
    "datos",
    "dati",
    "dados",
    "donnees",
    "maestro",
    "dane",
    "udaje",
    "adatok",
    "date",
    "podaci",
    "tablo",
    "my",
    "app",
    "export",
    "import",
    "register",
    "registry",
    "directory",
    "entry",
    "entries",
    "summary",
    "basic",
    "personal",
    "file",
    "files",
    "extract",
    "dump",
    "roll",
    "rec",
];

/// Clients and users that are programs.
const OF_PROGRAMS: &[&str] = &["api", "oauth", "oidc", "mqtt", "saml", "ftp", "bot", "bots", "daemon"];

pub(crate) fn of_table(table: &Table) -> About {
    match of_name(&table.id.name) {
        About::Unknown => table.comment.as_deref().map_or(About::Unknown, of_comment),
        about => about,
    }
}

/// What a comment says that a table is about: the first word that is known decides, because sentences begin with what they
/// mean. `Customers of the shop` are people, `products that customers bought` are not.
fn of_comment(comment: &str) -> About {
    /// What stands further behind explains something else.
    const READ: usize = 8;
    let clause = comment.split(['.', ';', '(', ':', '\n']).next().unwrap_or_default();
    let words = folded_words(clause);
    let words = words.iter().take(READ).filter(|word| word.len() > 2 && !OF_TABLES.contains(&word.as_str()));
    words.map(|word| by_classes(classes(word))).find(|about| *about != About::Unknown).unwrap_or(About::Unknown)
}

/// Whether a table of that name is a list of people.
pub(crate) fn is_of_people(name: &str) -> bool {
    of_name(name) == About::People
}

fn of_name(name: &str) -> About {
    let words = folded_words(name);
    let mut joined = String::new();
    key(&words, &mut joined);
    if let about @ (About::People | About::OfPeople) = by_classes(classes(&joined)) {
        return about;
    }
    let mut unknown_head = false;
    for word in words.iter().rev() {
        if word.len() == 1 || word.bytes().all(|byte| byte.is_ascii_digit()) || OF_TABLES.contains(&word.as_str()) {
            continue;
        }
        let (found, is_head) = match by_classes(classes(word)) {
            About::Unknown => of_compound(word),
            about => (about, true),
        };
        match found {
            About::Unknown => unknown_head = true,
            About::People if words.iter().any(|word| OF_PROGRAMS.contains(&word.as_str())) => return About::Machines,
            About::People if unknown_head || !is_head => return About::OfPeople,
            // Where drivers are isn't a list of places.
            About::Places if words.iter().any(|word| classes(word) & class::PERSONS != 0) => return About::OfPeople,
            // What is said about people and isn't their list is still about them when another word stands behind.
            about => return about,
        }
    }
    About::Unknown
}

/// `Kundenstamm`, `mitarbeiterdaten`: what it ends with, else what it begins with.
fn of_compound(word: &str) -> (About, bool) {
    if word.len() < 7 || !word.is_ascii() {
        return (About::Unknown, false);
    }
    for end in OF_TABLES.iter().filter(|end| end.len() >= 4) {
        if let Some(stem) = word.strip_suffix(end) {
            let about = by_classes(classes(stem));
            if about != About::Unknown {
                return (about, true);
            }
        }
    }
    for start in 2..word.len() - 3 {
        let about = by_classes(classes(&word[start..]));
        if about != About::Unknown {
            return (about, true);
        }
    }
    for end in (5..word.len() - 1).rev() {
        if classes(&word[..end]) & class::PERSONS != 0 {
            return (About::People, false);
        }
    }
    (About::Unknown, false)
}

fn by_classes(found: Classes) -> About {
    let order = [
        (class::PERSONS, About::People),
        (class::PUBLIC, About::Public),
        (class::ABOUT, About::OfPeople),
        (class::ORGANISATIONS, About::Organisations),
        (class::PLACES, About::Places),
        (class::THINGS, About::Things),
        (class::MACHINES, About::Machines),
    ];
    order.iter().find(|(class, _)| found & class != 0).map_or(About::Unknown, |(_, about)| *about)
}

#[cfg(test)]
mod tests {
    use super::{About, of_comment, of_name};

    #[test]
    fn comments_say_what_names_of_tables_hide() {
        for (comment, expected) in [
            ("Customers of the shop", About::People),
            ("Stammdaten aller Mitarbeiter", About::People),
            ("Liste des patients", About::People),
            ("products that customers bought", About::Things),
            ("Lagerorte", About::Unknown),
        ] {
            assert_eq!(of_comment(comment), expected, "{comment}");
        }
    }

    #[test]
    fn the_last_word_of_a_table_says_what_it_is_about() {
        for (name, expected) in [
            ("patients", About::People),
            ("tbl_Mitarbeiter", About::People),
            ("KUNDENSTAMM", About::People),
            ("employee_salaries", About::OfPeople),
            ("employee_zzz", About::OfPeople),
            ("user_roles", About::Things),
            ("artists", About::Public),
            ("hotels", About::Places),
            ("suppliers", About::Organisations),
            ("servers", About::Machines),
            ("zzz", About::Unknown),
        ] {
            assert_eq!(of_name(name), expected, "{name}");
        }
    }
}
