//! English words in the singular.

/// What the rules below would get wrong: plural, singular.
const IRREGULAR: [(&str, &str); 40] = [
    ("analyses", "analysis"),
    ("appendices", "appendix"),
    ("bonuses", "bonus"),
    ("buses", "bus"),
    ("campuses", "campus"),
    ("censuses", "census"),
    ("children", "child"),
    ("cookies", "cookie"),
    ("crises", "crisis"),
    ("criteria", "criterion"),
    ("diagnoses", "diagnosis"),
    ("hypotheses", "hypothesis"),
    ("ids", "id"),
    ("indices", "index"),
    ("lens", "lens"),
    ("matrices", "matrix"),
    ("men", "man"),
    ("movies", "movie"),
    ("news", "news"),
    ("people", "person"),
    ("prognoses", "prognosis"),
    ("quizzes", "quiz"),
    ("series", "series"),
    ("species", "species"),
    ("statuses", "status"),
    ("syntheses", "synthesis"),
    ("theses", "thesis"),
    ("vertices", "vertex"),
    ("viruses", "virus"),
    ("women", "woman"),
    // Singulars that end like plurals.
    ("alias", "alias"),
    ("aliases", "alias"),
    ("atlas", "atlas"),
    ("bias", "bias"),
    ("biases", "bias"),
    ("canvas", "canvas"),
    ("canvases", "canvas"),
    ("chaos", "chaos"),
    ("gas", "gas"),
    ("gases", "gas"),
];

/// Letters that a word has at least for its last one to be an ending.
const SHORTEST: usize = 4;

/// The singular of an English word in lower case, by the common rules; other words come back as they are.
pub fn singular(word: &str) -> String {
    if let Some((_, singular)) = IRREGULAR.iter().find(|(plural, _)| *plural == word) {
        return (*singular).to_owned();
    }
    let is_too_short = word.chars().count() < SHORTEST;
    if is_too_short || !word.ends_with('s') || ["ss", "us", "is"].iter().any(|ending| word.ends_with(ending)) {
        return word.to_owned();
    }
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() > 2) {
        return format!("{stem}y");
    }
    let stem = ["sses", "xes", "ches", "shes"].iter().find(|ending| word.ends_with(*ending)).map_or(1, |_| 2);
    word[..word.len() - stem].to_owned()
}

#[cfg(test)]
mod tests {
    use super::singular;

    #[test]
    fn plurals_lose_their_endings_and_nothing_else_does() {
        for (word, expected) in [
            ("orders", "order"),
            ("categories", "category"),
            ("cities", "city"),
            ("boxes", "box"),
            ("branches", "branch"),
            ("addresses", "address"),
            ("address", "address"),
            ("courses", "course"),
            ("houses", "house"),
            ("purposes", "purpose"),
            ("doses", "dose"),
            ("sizes", "size"),
            ("statuses", "status"),
            ("status", "status"),
            ("areas", "area"),
            ("photos", "photo"),
            ("analysis", "analysis"),
            ("diagnoses", "diagnosis"),
            ("ties", "tie"),
            ("movies", "movie"),
            ("people", "person"),
            ("class", "class"),
            ("gas", "gas"),
            ("größen", "größen"),
            ("s", "s"),
            ("", ""),
        ] {
            assert_eq!(singular(word), expected, "{word}");
        }
    }
}
