//! Languages other than English: which one a question is in, and what its words are in English.
//!
//! Names of tables and columns are English words in most databases, whatever language is spoken around them. A lexicon of
//! each language says which English words such names use for its words; nothing here translates sentences. The lexicons were
//! written for this purpose. Inflected forms are found by their stems (Snowball), compounds of German and Dutch by their parts, and words
//! of languages that don't put spaces between them by the longest entry that fits.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use crate::split::in_text;
use crate::stop_words::StopWords;

/// Words of the longest entry of a language that is written with spaces.
const LONGEST_ENTRY: usize = 3;
/// Letters of each part of a compound, at least.
const SHORTEST_PART: usize = 3;
/// What may join the parts of a compound, longest first.
const LINKS: [&str; 5] = ["es", "en", "er", "s", "n"];
/// What a stop word tells of the language, beside another word that is known.
const STOP_WORD_TELLS: usize = 2;
/// The least that has to tell of a language.
const LEAST_TOLD: usize = 2;
/// English words of an entry that stand for it in a text.
const WORDS_IN_TEXT: usize = 2;
/// A concept a line, tab-separated: the English words, then those of each language in the order of [`Language::ALL`], `|`
/// between several.
const WORDS: &str = include_str!("languages/words.tsv");
/// A short form a line, then the words of each language that it stands for.
const SHORT_FORMS: &str = include_str!("languages/short_forms.tsv");
/// The same columns of words that say nothing of what is asked; the English one says what they are.
const STOP_WORDS: &str = include_str!("languages/stop_words.tsv");
/// English words of one entry, at most.
const MOST_ENGLISH: usize = 4;
/// What parts the clauses of a text.
const CLAUSE_ENDS: [char; 16] =
    [',', ';', ':', '.', '?', '!', '(', ')', '\n', '、', '。', '，', '？', '！', '：', '；'];

/// A language that questions may be in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// German.
    German,
    /// Spanish.
    Spanish,
    /// French.
    French,
    /// Portuguese.
    Portuguese,
    /// Chinese.
    Chinese,
    /// Japanese.
    Japanese,
    /// Dutch.
    Dutch,
    /// Italian.
    Italian,
}

/// A text in English, word by word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InEnglish {
    /// The language that it is in.
    pub language: Language,
    /// Its words without stop words, in order.
    pub words: Vec<TranslatedWord>,
    /// The same as one text, with the ends of its clauses.
    pub text: String,
}

/// A word that isn't English.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranslatedWord {
    /// In lower case; a part of a compound by itself.
    pub asked: String,
    /// What names in English say, likeliest first; empty where no entry of the lexicon fits.
    pub english: &'static [&'static str],
}

/// A language that names are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LanguageOfNames {
    /// The language.
    pub language: Language,
    /// Whether most names are in it; else a part of them is.
    pub is_main: bool,
}

/// The words of one language.
struct Lexicon {
    /// What names in English say, by each form under which a word is looked up.
    entries: HashMap<String, Vec<&'static str>>,
    /// Its words as they are, and without accents.
    written: HashSet<String>,
    /// What names in English say, by short forms.
    short: HashMap<&'static str, Vec<&'static str>>,
    stop_words: HashSet<&'static str>,
    stemmer: Option<Stemmer>,
    /// As [`Language::endings`].
    endings: &'static [(&'static str, &'static str)],
    /// Characters of the longest entry.
    longest: usize,
}

static LEXICONS: LazyLock<[Lexicon; Language::ALL.len()]> = LazyLock::new(|| Language::ALL.map(Lexicon::new));

impl Language {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::German,
        Self::Spanish,
        Self::French,
        Self::Portuguese,
        Self::Chinese,
        Self::Japanese,
        Self::Dutch,
        Self::Italian,
    ];

    /// Its English name.
    pub fn name(self) -> &'static str {
        match self {
            Self::German => "German",
            Self::Spanish => "Spanish",
            Self::French => "French",
            Self::Portuguese => "Portuguese",
            Self::Chinese => "Chinese",
            Self::Japanese => "Japanese",
            Self::Dutch => "Dutch",
            Self::Italian => "Italian",
        }
    }

    /// Its column in both files, after the English one.
    fn column(self) -> usize {
        self as usize + 1
    }

    fn stemmer(self) -> Option<Stemmer> {
        let algorithm = match self {
            Self::German => Algorithm::German,
            Self::Spanish => Algorithm::Spanish,
            Self::French => Algorithm::French,
            Self::Portuguese => Algorithm::Portuguese,
            Self::Dutch => Algorithm::Dutch,
            Self::Italian => Algorithm::Italian,
            Self::Chinese | Self::Japanese => return None,
        };
        Some(Stemmer::create(algorithm))
    }

    /// Endings of plurals and of agreement, and what stands in their place in the base form.
    fn endings(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::German => &[("en", ""), ("er", ""), ("es", ""), ("em", ""), ("n", ""), ("e", ""), ("s", "")],
            Self::Spanish => &[("ces", "z"), ("es", ""), ("s", "")],
            Self::French => &[("aux", "al"), ("es", ""), ("s", ""), ("x", ""), ("e", "")],
            Self::Portuguese => &[("ões", "ão"), ("ais", "al"), ("is", "l"), ("ns", "m"), ("es", ""), ("s", "")],
            Self::Dutch => &[("en", ""), ("n", ""), ("s", ""), ("e", "")],
            Self::Italian => &[("hi", "o"), ("he", "a"), ("i", "o"), ("e", "a"), ("i", "e"), ("ri", "re")],
            Self::Chinese | Self::Japanese => &[],
        }
    }

    fn has_spaces(self) -> bool {
        !matches!(self, Self::Chinese | Self::Japanese)
    }

    /// Whether it writes several words as one: `Vertragsnummer`, `huurcontract`.
    fn joins_words(self) -> bool {
        matches!(self, Self::German | Self::Dutch)
    }

    fn lexicon(self) -> &'static Lexicon {
        &LEXICONS[self as usize]
    }

    /// The language of a text; `None` for English, and where nothing tells.
    pub fn of(text: &str) -> Option<Self> {
        let is_kana = |character: char| ('\u{3040}'..='\u{30ff}').contains(&character);
        let is_han = |character: char| ('\u{4e00}'..='\u{9fff}').contains(&character);
        if text.chars().any(is_kana) {
            return Some(Self::Japanese);
        }
        if text.chars().any(is_han) {
            return Some(Self::Chinese);
        }
        let words = in_text(text);
        let of_english =
            told(&words, |word| StopWords::Ranking.contains(word) || StopWords::Content.contains(word), is_english);
        let spaced = Self::ALL.into_iter().filter(|language| language.has_spaces());
        let (most, language) = spaced
            .map(|language| {
                let lexicon = language.lexicon();
                let told = told(&words, |word| lexicon.stop_words.contains(word), |word| lexicon.entry(word).is_some());
                (told, language)
            })
            .reduce(|best, other| if other.0 > best.0 { other } else { best })?;
        (most >= LEAST_TOLD && most > of_english).then_some(language)
    }

    /// The languages other than English that names are in, by their different words in lower case; empty where nothing tells.
    ///
    /// One that most speak is told by its words, as long as English has none of them. Where several companies' tables stand
    /// side by side, a part of them is in another language: that is told by how it cuts its words short, which nearly no English
    /// name does that way, while much of what is a word in one is one in English too.
    pub fn of_names<'w>(names: impl IntoIterator<Item = &'w str>) -> Vec<LanguageOfNames> {
        /// Letters of a word that tells, words that must, and their share.
        const LETTERS: usize = 4;
        const LEAST: usize = 8;
        const SHARE: f64 = 0.12;
        /// Letters of a short form that tells. Three databases in English out of 420, with up to 1,255 words, had three that are
        /// short forms of one language, the others fewer.
        const LETTERS_OF_SHORT: usize = 3;
        const LEAST_SHORT: usize = 5;
        let spaced = || Self::ALL.into_iter().filter(|language| language.has_spaces());
        let mut told = [0; Self::ALL.len()];
        let mut all = 0;
        let mut short: Vec<&str> = Vec::new();
        for word in names {
            let letters = word.chars().count();
            if letters < LETTERS_OF_SHORT || !word.chars().all(char::is_alphabetic) {
                continue;
            }
            all += usize::from(letters >= LETTERS);
            if is_english(word) {
                continue;
            }
            if letters >= LETTERS {
                spaced()
                    .for_each(|language| told[language as usize] += usize::from(!language.meanings(word).is_empty()));
            }
            // Some of what is commonly short for something is so in another language: `lief` for `lieferant`.
            let is_foreign = |term: &str| !is_english(term) && spaced().any(|language| language.is_written(term));
            if crate::abbreviation(word).is_none_or(|known| known.terms.iter().all(|term| is_foreign(term))) {
                short.push(word);
            }
        }
        let most = spaced().max_by_key(|language| (told[*language as usize], std::cmp::Reverse(*language as usize)));
        let main = most.filter(|language| {
            let count = told[*language as usize];
            count >= LEAST && count as f64 >= SHARE * all as f64
        });
        let mut found: Vec<LanguageOfNames> = Vec::new();
        found.extend(main.map(|language| LanguageOfNames { language, is_main: true }));
        loop {
            // What one language explains speaks for no other.
            let explains = |language: Self, word: &str| !language.meanings_of_short(word).is_empty();
            short.retain(|word| !found.iter().any(|known| explains(known.language, word)));
            let counted =
                spaced().map(|language| (short.iter().filter(|word| explains(language, word)).count(), language));
            let most = counted.max_by_key(|(count, language)| (*count, std::cmp::Reverse(*language as usize)));
            let Some((_, language)) = most.filter(|(count, _)| *count >= LEAST_SHORT) else { return found };
            found.push(LanguageOfNames { language, is_main: false });
        }
    }

    /// What names in English say for a word of a name, in lower case, or for each of the parts of a compound: likeliest
    /// first; empty where it is unknown.
    pub fn meanings(self, word: &str) -> Vec<&'static [&'static str]> {
        let lexicon = self.lexicon();
        let known = |word: &str| {
            let whole = lexicon.entry(word).map(|english| vec![english]);
            let parts = || lexicon.parts(word).map(|parts| parts.map(|part| part.english).to_vec());
            if self.joins_words() { whole.or_else(parts) } else { whole }
        };
        // Names are mostly written without what isn't in ASCII.
        let with_umlauts = || {
            let written = word.replace("ae", "ä").replace("oe", "ö").replace("ue", "ü");
            (self == Self::German).then(|| [written.replace("ss", "ß"), written]).into_iter().flatten()
        };
        known(word).or_else(|| with_umlauts().find_map(|word| known(&word))).unwrap_or_default()
    }

    /// Whether a word is written in the lexicon as it is here, in lower case or without its accents: not only its stem or parts.
    pub fn is_written(self, word: &str) -> bool {
        self.lexicon().written.contains(word)
    }

    /// What names in English say for a short form of one of its words, in lower case; empty where it is none that is known.
    pub fn meanings_of_short(self, word: &str) -> &'static [&'static str] {
        self.lexicon().short.get(word).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether a word, in lower case, says nothing about what is asked.
    pub fn is_stop_word(self, word: &str) -> bool {
        self.lexicon().stop_words.contains(word)
    }

    /// What names in English say for a word in lower case, likeliest first.
    pub fn in_english(self, word: &str) -> &'static [&'static str] {
        self.lexicon().entry(word).unwrap_or_default()
    }
}

/// The English words that stand for one thing with another, by each of them.
static ALIKE: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let mut alike: HashMap<&str, Vec<&str>> = HashMap::new();
    for line in WORDS.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split('\t').next().into_iter().flat_map(|cell| cell.split(' ')).collect();
        words.iter().for_each(|word| alike.entry(word).or_default().extend(&words));
    }
    alike
});

/// What a word of a name, in lower case and the singular, may stand for in English, whatever language it is of: its meanings, those
/// of what it is short for, and what an English word stands for itself. Each once, in the order of the alphabet.
pub fn meanings_in_any(word: &str) -> Vec<&'static str> {
    let spaced = Language::ALL.into_iter().filter(|language| language.has_spaces());
    let mut found: Vec<&str> = ALIKE.get(word).into_iter().flatten().copied().collect();
    for language in spaced {
        if let [whole] = language.meanings(word).as_slice() {
            found.extend(*whole);
        }
        found.extend(language.meanings_of_short(word));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Whether a word is one that some entry leads to.
pub fn is_english(word: &str) -> bool {
    ALIKE.contains_key(word) || ALIKE.contains_key(crate::singular(word).as_str())
}

fn told(words: &[String], is_stop_word: impl Fn(&str) -> bool, is_known: impl Fn(&str) -> bool) -> usize {
    let tells = |word: &String| if is_stop_word(word) { STOP_WORD_TELLS } else { usize::from(is_known(word)) };
    words.iter().map(tells).sum()
}

/// A text word by word in English; `None` where it is in English already, or in no language that is known.
pub fn in_english(text: &str) -> Option<InEnglish> {
    let language = Language::of(text)?;
    let lexicon = language.lexicon();
    let (mut words, mut texts): (Vec<TranslatedWord>, Vec<String>) = Default::default();
    for clause in text.split(CLAUSE_ENDS) {
        let found =
            if language.has_spaces() { lexicon.spaced(&in_text(clause), language) } else { lexicon.unspaced(clause) };
        let said = found.iter().map(|word| match word.english {
            [] => word.asked.clone(),
            english => english[..english.len().min(WORDS_IN_TEXT)].join(" "),
        });
        texts.push(said.collect::<Vec<_>>().join(" "));
        words.extend(found);
    }
    texts.retain(|text| !text.is_empty());
    Some(InEnglish { language, words, text: texts.join(", ") })
}

/// (English, the language's) of each line that has the language's.
fn cells(file: &'static str, language: Language) -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = file.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(move |line| {
        let mut cells = line.split('\t');
        let english = cells.next()?;
        Some((english, cells.nth(language.column() - 1)?))
    })
}

impl Lexicon {
    fn new(language: Language) -> Self {
        let stemmer = language.stemmer();
        let stop_words: HashSet<&str> = cells(STOP_WORDS, language)
            .flat_map(|(_, words)| words.split('|'))
            .filter(|word| !word.is_empty())
            .collect();
        let known: Vec<(&str, &str)> = cells(WORDS, language)
            .flat_map(|(english, words)| words.split('|').map(move |word| (word, english)))
            .filter(|(word, _)| !word.is_empty())
            .collect();
        // A word as it is written is surer than one without its accents, and that surer than a stem.
        let stemmed = |word: &str| stem_of(stemmer.as_ref(), word);
        let forms: [&dyn Fn(&str) -> String; 4] =
            [&str::to_owned, &without_accents, &stemmed, &|word| without_accents(&stemmed(word))];
        let mut entries: HashMap<String, Vec<&'static str>> = HashMap::new();
        for form in forms {
            let mut less_sure: HashMap<String, Vec<&'static str>> = HashMap::new();
            for &(word, english) in &known {
                let entry = less_sure.entry(form(word)).or_default();
                let further: Vec<&str> = english.split(' ').filter(|english| !entry.contains(english)).collect();
                entry.extend(further);
                entry.truncate(MOST_ENGLISH);
            }
            for (form, english) in less_sure {
                entries.entry(form).or_insert(english);
            }
        }
        let longest = known.iter().map(|(word, _)| *word).chain(stop_words.iter().copied());
        let longest = longest.map(|word| word.chars().count()).max().unwrap_or_default();
        let written = known.iter().flat_map(|(word, _)| [(*word).to_owned(), without_accents(word)]).collect();
        let mut made =
            Self { entries, written, short: HashMap::new(), stop_words, stemmer, endings: language.endings(), longest };
        let said = |long: &str| made.entries.get(long).into_iter().flatten().copied().take(WORDS_IN_TEXT);
        made.short = cells(SHORT_FORMS, language)
            .map(|(short, long)| (short, long.split('|').flat_map(said).take(MOST_ENGLISH).collect()))
            .filter(|(_, english): &(_, Vec<_>)| !english.is_empty())
            .collect();
        made
    }

    /// The entry of a word in lower case, or of several with spaces between them.
    fn entry(&'static self, word: &str) -> Option<&'static [&'static str]> {
        let stem = stem_of(self.stemmer.as_ref(), word);
        let plain = without_accents(word);
        let plain_stem = without_accents(&stem);
        // What only lost a common ending is nearer than what has the same stem: `facturas` is no `facturación`.
        let base = |form: &str| {
            let bases =
                self.endings.iter().filter_map(|(ending, base)| Some(format!("{}{base}", form.strip_suffix(ending)?)));
            bases.collect::<Vec<_>>()
        };
        let bases = [base(word), base(&plain)].concat();
        let forms =
            [word, &plain].into_iter().chain(bases.iter().map(String::as_str)).chain([stem.as_str(), &plain_stem]);
        forms.into_iter().find_map(|form| self.entries.get(form)).map(Vec::as_slice)
    }

    /// The words of a clause, longest entries first, without stop words.
    fn spaced(&'static self, words: &[String], language: Language) -> Vec<TranslatedWord> {
        let mut found = Vec::new();
        let mut rest = words;
        while let Some(first) = rest.first() {
            let longest = (2..=LONGEST_ENTRY.min(rest.len())).rev().find_map(|length| {
                let asked = rest[..length].join(" ");
                let is_stop_word = self.stop_words.contains(asked.as_str());
                let english = if is_stop_word { Some(&[][..]) } else { self.entry(&asked) }?;
                Some((length, is_stop_word, TranslatedWord { asked, english }))
            });
            if let Some((length, is_stop_word, word)) = longest {
                found.extend((!is_stop_word).then_some(word));
                rest = &rest[length..];
                continue;
            }
            rest = &rest[1..];
            if self.stop_words.contains(first.as_str()) {
                continue;
            }
            let parts = match self.entry(first) {
                None if language.joins_words() => self.parts(first),
                _ => None,
            };
            match parts {
                Some(parts) => found.extend(parts),
                None => {
                    found.push(TranslatedWord { asked: first.clone(), english: self.entry(first).unwrap_or_default() })
                }
            }
        }
        found
    }

    /// The parts of a compound, both of which are known; the last one as long as it can be.
    fn parts(&'static self, word: &str) -> Option<[TranslatedWord; 2]> {
        let places = word.char_indices().map(|(place, _)| place).skip(SHORTEST_PART);
        places.filter(|&place| word[place..].chars().count() >= SHORTEST_PART).find_map(|place| {
            let (front, back) = word.split_at(place);
            let last = self.entry(back)?;
            let unlinked = LINKS.iter().filter_map(|link| front.strip_suffix(link));
            let mut fronts =
                std::iter::once(front).chain(unlinked).filter(|front| front.chars().count() >= SHORTEST_PART);
            let (asked, english) = fronts.find_map(|front| Some((front, self.entry(front)?)))?;
            let part = |asked: &str, english| TranslatedWord { asked: asked.to_owned(), english };
            Some([part(asked, english), part(back, last)])
        })
    }

    /// The words of a clause without spaces, without stop words. What no entry fits is one word as long as it goes on.
    fn unspaced(&'static self, clause: &str) -> Vec<TranslatedWord> {
        let mut found = Vec::new();
        let mut unknown = String::new();
        let flush = |unknown: &mut String, found: &mut Vec<TranslatedWord>| {
            let others = in_text(&std::mem::take(unknown));
            found.extend(others.into_iter().map(|asked| TranslatedWord { asked, english: &[] }));
        };
        let mut rest = clause.to_lowercase();
        while let Some(first) = rest.chars().next() {
            let ends = rest.char_indices().map(|(place, character)| place + character.len_utf8());
            let mut ends: Vec<usize> = ends.take(self.longest).collect();
            ends.reverse();
            // A letter inside a word of another script is no word.
            let is_inside =
                first.is_ascii_alphanumeric() && unknown.ends_with(|before: char| before.is_ascii_alphanumeric());
            let known = ends.into_iter().filter(|_| !is_inside).find_map(|end| {
                let asked = &rest[..end];
                let is_stop_word = self.stop_words.contains(asked);
                let english: &[&str] = if is_stop_word { &[] } else { self.entries.get(asked)? };
                Some((end, (!is_stop_word).then(|| TranslatedWord { asked: asked.to_owned(), english })))
            });
            let end = known.as_ref().map_or(first.len_utf8(), |(end, _)| *end);
            match known {
                Some((_, word)) => {
                    flush(&mut unknown, &mut found);
                    found.extend(word);
                }
                None => unknown.push(first),
            }
            rest.drain(..end);
        }
        flush(&mut unknown, &mut found);
        found
    }
}

/// The stem of each of the words.
fn stem_of(stemmer: Option<&Stemmer>, words: &str) -> String {
    match stemmer {
        Some(stemmer) => words.split(' ').map(|word| stemmer.stem(word).into_owned()).collect::<Vec<_>>().join(" "),
        None => words.to_owned(),
    }
}

fn without_accents(word: &str) -> String {
    word.nfd().filter(|character| !is_combining_mark(*character)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{Language, SHORT_FORMS, STOP_WORDS, WORDS, in_english};

    /// (word asked, first word in English) of a text that is in a language.
    fn english_of(text: &str) -> (Language, String) {
        let found = in_english(text).unwrap_or_else(|| panic!("`{text}` is in no language"));
        let word =
            |word: &super::TranslatedWord| format!("{} {}", word.asked, word.english.first().copied().unwrap_or("?"));
        (found.language, found.words.iter().map(word).collect::<Vec<_>>().join(", "))
    }

    #[test]
    fn questions_become_english_words() {
        for (text, language, expected) in [
            ("Wie viele Kunden haben wir in Deutschland?", Language::German, "kunden customer, deutschland germany"),
            (
                "Offene Lieferantenrechnungen, sortiert nach Fälligkeit",
                Language::German,
                "offene open, lieferanten supplier, rechnungen invoice, fälligkeit deadline",
            ),
            (
                "¿Cuántas facturas vencidas tiene cada cliente?",
                Language::Spanish,
                "facturas invoice, vencidas due, cliente customer",
            ),
            ("numero de telefono de los medicos", Language::Spanish, "numero number, telefono phone, medicos doctor"),
            (
                "Quels élèves n'ont jamais emprunté de livre ?",
                Language::French,
                "élèves student, emprunté borrow, livre book",
            ),
            (
                "Quantos pedidos foram cancelados no mês passado?",
                Language::Portuguese,
                "pedidos order, cancelados cancelled, mês month, passado previous",
            ),
            (
                "Hoeveel openstaande facturen hebben onze klanten?",
                Language::Dutch,
                "openstaande unpaid, facturen invoice, klanten customer",
            ),
            (
                "Quante fatture scadute ha ogni cliente?",
                Language::Italian,
                "fatture invoice, scadute due, cliente customer",
            ),
            (
                "上个月有多少客户取消了订单？",
                Language::Chinese,
                "上个 previous, 月 month, 客户 customer, 取消 cancelled, 订单 order",
            ),
            (
                "先月キャンセルされた注文は何件ですか",
                Language::Japanese,
                "先 ?, 月 month, キャンセル cancelled, 注文 order",
            ),
            (
                "各部門の社員数とAndroid端末",
                Language::Japanese,
                "部門 department, 社員 employee, 数 count, android ?, 端末 computer",
            ),
        ] {
            assert_eq!(english_of(text), (language, expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn english_stays_as_it_is() {
        for text in [
            "How many customers do we have in Germany?",
            "open invoices per customer",
            "total revenue by region and client",
            "Show me the status of a ticket",
            "album with the most tracks in die Toten Hosen",
            "SELECT count(*) FROM orders",
            "",
        ] {
            assert_eq!(Language::of(text), None, "{text}");
        }
    }

    #[test]
    fn clauses_stay_apart_in_the_text() {
        let found = in_english("Rechnungen der Kunden; bezahlte Bestellungen").expect("it is German");
        assert_eq!(found.text, "invoice bill customer client, pay payment order");
    }

    #[test]
    fn every_line_has_every_language_and_no_stop_word_stands_twice() {
        for line in WORDS.lines().chain(STOP_WORDS.lines()).filter(|line| !line.starts_with('#')) {
            assert_eq!(line.split('\t').count(), 1 + Language::ALL.len(), "{line}");
            assert_eq!(line.to_lowercase(), line);
        }
        for language in Language::ALL {
            let mut seen = HashSet::new();
            let words = super::cells(STOP_WORDS, language).flat_map(|(_, words)| words.split('|'));
            assert!(words.filter(|word| !word.is_empty()).all(|word| seen.insert(word)), "{}", language.name());
        }
    }

    #[test]
    fn short_forms_stand_in_order_for_words_that_are_known() {
        let lines = || SHORT_FORMS.lines().filter(|line| !line.starts_with('#'));
        assert!(lines().is_sorted_by_key(|line| line.split('\t').next()));
        for language in Language::ALL {
            for line in lines() {
                let cells: Vec<&str> = line.split('\t').collect();
                assert_eq!(cells.len(), 1 + Language::ALL.len(), "{line}");
                let unknown =
                    cells[language.column()].split('|').find(|long| !long.is_empty() && !language.is_written(long));
                assert_eq!(unknown, None, "{line}");
            }
        }
        assert_eq!(Language::German.meanings_of_short("waeh"), ["currency"]);
        assert_eq!(Language::Spanish.meanings_of_short("prov"), ["supplier", "vendor", "region", "state"]);
    }
}
