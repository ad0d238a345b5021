//! Words by which names and values speak of times, of units, of what is gone and of what was only a try.

use crate::staleness;

/// Words that stand for "none" as a value, in lower case.
pub(super) const NONE: [&str; 24] = [
    "", "-", "--", "---", "?", "??", "???", "n/a", "na", "n.a.", "n.a", "#n/a", "none", "null", "(null)", "<null>",
    "nil", "nan", "unk", "unkn", "tbd", "tba", "k.a.", "k. a.",
];
/// Words of a column that says that a row is gone.
pub(super) const GONE: [&str; 24] = [
    "deleted",
    "delete",
    "del",
    "deletion",
    "geloescht",
    "gelöscht",
    "loesch",
    "lösch",
    "loeschung",
    "löschung",
    "loeschkennzeichen",
    "löschkennzeichen",
    "lkz",
    "supprime",
    "supprimé",
    "suppression",
    "eliminado",
    "borrado",
    "eliminato",
    "verwijderd",
    "voided",
    "purged",
    "tombstone",
    "discarded",
];
/// Words of a column that says that a row doesn't count: it was cancelled, or is a draft.
pub(super) const SET_ASIDE: [&str; 18] = [
    "cancelled",
    "canceled",
    "cancel",
    "storniert",
    "storno",
    "annule",
    "annulé",
    "anulado",
    "annullato",
    "void",
    "draft",
    "entwurf",
    "brouillon",
    "borrador",
    "bozza",
    "provisional",
    "rejected",
    "withdrawn",
];
/// Words of a column that names another row of the table, whose place its row takes or which it takes back.
pub(super) const REPLACING: [&str; 28] = [
    "corr",
    "correction",
    "corrects",
    "corrected",
    "korr",
    "korrektur",
    "storno",
    "reversal",
    "reverses",
    "reversed",
    "cancels",
    "cancelled",
    "replaces",
    "replaced",
    "supersedes",
    "superseded",
    "merged",
    "refund",
    "refunds",
    "amends",
    "amended",
    "bezug",
    "original",
    "orig",
    "duplicate",
    "dup",
    "successor",
    "ersetzt",
];
/// Words of a column that says where a figure comes from, or how far it is from being final.
pub(super) const SOURCES: [&str; 17] = [
    "src", "source", "quelle", "origin", "herkunft", "method", "methode", "version", "ver", "rev", "revision",
    "scenario", "szenario", "plan", "state", "status", "st",
];
/// Words of a column of degrees on the globe.
pub(super) const PLACES: [&str; 8] = ["lat", "latitude", "lon", "lng", "long", "longitude", "breite", "laenge"];
/// Words of a column of points that somebody gave.
pub(super) const SCALES: [&str; 14] = [
    "rating",
    "score",
    "stars",
    "grade",
    "satisfaction",
    "zufriedenheit",
    "bewertung",
    "note",
    "level",
    "scale",
    "points",
    "mark",
    "csat",
    "severity",
];
/// Words of a column of amounts of something.
pub(super) const QUANTITIES: [&str; 16] = [
    "quantity",
    "qty",
    "amount",
    "menge",
    "value",
    "val",
    "reading",
    "volume",
    "consumption",
    "measurement",
    "result",
    "stock",
    "usage",
    "cantidad",
    "quantite",
    "wert",
];
/// Codes of currencies that many use, or used before the euro (ISO 4217).
pub(super) const CURRENCIES: [&str; 42] = [
    "ATS", "BEF", "DEM", "ESP", "FRF", "ITL", "NLG", "PTE", "AED", "ARS", "AUD", "BGN", "BRL", "CAD", "CHF", "CLP",
    "CNY", "COP", "CZK", "DKK", "EUR", "GBP", "HKD", "HUF", "IDR", "ILS", "INR", "JPY", "KRW", "MXN", "MYR", "NOK",
    "NZD", "PLN", "RON", "RUB", "SEK", "SGD", "THB", "TRY", "USD", "ZAR",
];
/// Words of a column of money.
pub(super) const MONEY: [&str; 40] = [
    "vat", "mwst", "ust", "iva", "tva", "freight", "amount", "price", "cost", "total", "fee", "value", "salary",
    "budget", "balance", "net", "gross", "tax", "charge", "discount", "paid", "revenue", "income", "cents", "betrag",
    "preis", "kosten", "summe", "netto", "brutto", "importe", "precio", "montant", "prix", "prezzo", "amt", "payment",
    "subtotal", "credit", "debit",
];
/// Words of a column that says who at work did something.
pub(super) const PEOPLE_AT_WORK: [&str; 30] = [
    "by",
    "agent",
    "approver",
    "assignee",
    "auctioneer",
    "author",
    "bearbeiter",
    "cashier",
    "clerk",
    "creator",
    "dispatcher",
    "driver",
    "editor",
    "employee",
    "erfasser",
    "ersteller",
    "fahrer",
    "handler",
    "inspector",
    "mitarbeiter",
    "operator",
    "owner",
    "pruefer",
    "sachbearbeiter",
    "seller",
    "staff",
    "teacher",
    "technician",
    "user",
    "verkaeufer",
];
/// Words of a column that says how a row came in.
pub(super) const COMING: [&str; 14] = [
    "batch",
    "import",
    "imported",
    "importiert",
    "ingested",
    "inserted",
    "load",
    "loaded",
    "eingelesen",
    "run",
    "sync",
    "upload",
    "uploaded",
    "synced",
];
/// Words of a column that says that a row was only a try.
pub(super) const TESTS: [&str; 7] = ["test", "demo", "dummy", "sandbox", "fake", "testing", "sample"];
/// Words of a column that says a day.
pub(super) const DAYS: [&str; 16] = [
    "date", "dat", "datum", "day", "dt", "tag", "dag", "fecha", "jour", "data", "on", "since", "until", "from",
    "valid", "due",
];
/// Words of a column that says when something begins, and of one that says when it ends.
pub(super) const BEGINS: [&str; 20] = [
    "vfrom",
    "vf",
    "validfrom",
    "gueltigab",
    "from",
    "start",
    "begin",
    "starts",
    "von",
    "ab",
    "since",
    "eff",
    "effective",
    "gueltig",
    "valid",
    "begda",
    "debut",
    "inicio",
    "beg",
    "started",
];
pub(super) const ENDS: [&str; 18] = [
    "vto",
    "vt",
    "validto",
    "gueltigbis",
    "to",
    "until",
    "end",
    "ends",
    "bis",
    "thru",
    "through",
    "expiry",
    "expires",
    "endda",
    "fin",
    "till",
    "ended",
    "exp",
];
/// Words of a column that counts.
pub(super) const COUNTS: [&str; 12] =
    ["count", "cnt", "num", "number", "days", "qty", "quantity", "total", "amount", "anzahl", "sum", "size"];
/// Words of a column that names a unit.
pub(super) const UNIT_NAMES: [&str; 14] = [
    "unit", "units", "uom", "einheit", "me", "meins", "unite", "unité", "unidad", "measure", "unita", "unità",
    "eenheid", "u",
];
/// Last words of a moment, which may be a number.
pub(super) const MOMENTS: [&str; 6] = ["am", "at", "date", "datum", "on", "ts"];
/// Words of numbers that have no unit.
pub(super) const WITHOUT_UNIT: [&str; 19] = [
    "satz",
    "taux",
    "tasa",
    "aliquota",
    "quote",
    "percent",
    "pct",
    "percentage",
    "rate",
    "ratio",
    "prozent",
    "year",
    "month",
    "day",
    "rank",
    "position",
    "sort",
    "version",
    "score",
];
/// Words of a column that says for how long a price or an amount is.
pub(super) const PERIOD_NAMES: [&str; 13] = [
    "period",
    "interval",
    "frequency",
    "freq",
    "cycle",
    "cyc",
    "zyklus",
    "rhythmus",
    "billing",
    "term",
    "recurrence",
    "turnus",
    "per",
];
/// Words of a column that says for how many pieces a price is, and of one that says by which power of ten a number is to be
/// multiplied, and of one that says by how much a clock is ahead.
pub(super) const LOTS: [&str; 6] = ["per", "peinh", "lot", "basis", "each", "je"];
pub(super) const EXPONENTS: [&str; 6] = ["exp", "exponent", "scale", "decimals", "pow", "power"];
pub(super) const OFFSETS: [&str; 5] = ["tz", "tzo", "offset", "utcoffset", "gmtoffset"];
/// Periods as they are written, in lower case.
const PERIODS: [&str; 27] = [
    "j",
    "h",
    "jahr",
    "daily",
    "weekly",
    "biweekly",
    "monthly",
    "quarterly",
    "yearly",
    "annual",
    "annually",
    "half-yearly",
    "day",
    "week",
    "month",
    "quarter",
    "year",
    "hourly",
    "hour",
    "once",
    "one-time",
    "d",
    "w",
    "m",
    "q",
    "y",
    "a",
];
/// Units as they are written, in lower case.
const UNITS: [&str; 74] = [
    "g",
    "gr",
    "gram",
    "grams",
    "kg",
    "kilogram",
    "kilograms",
    "mg",
    "t",
    "ton",
    "tons",
    "tonne",
    "tonnes",
    "lb",
    "lbs",
    "oz",
    "mm",
    "cm",
    "m",
    "meter",
    "metre",
    "km",
    "in",
    "inch",
    "ft",
    "mi",
    "ml",
    "cl",
    "dl",
    "l",
    "liter",
    "litre",
    "gal",
    "m2",
    "m3",
    "m²",
    "m³",
    "ha",
    "s",
    "sec",
    "min",
    "minutes",
    "h",
    "hr",
    "hour",
    "hours",
    "d",
    "day",
    "days",
    "wk",
    "week",
    "month",
    "wh",
    "kwh",
    "mwh",
    "gwh",
    "w",
    "kw",
    "mw",
    "j",
    "kj",
    "mj",
    "v",
    "kv",
    "a",
    "pcs",
    "pc",
    "st",
    "stk",
    "ea",
    "each",
    "box",
    "pack",
    "%",
];
/// Words of a column that says a time, besides those by which a table's age is told.
const TIMES: [&str; 17] = [
    "epoch", "unix", "stamp", "seen", "login", "start", "started", "end", "ended", "expires", "expiry", "first",
    "begin", "since", "until", "when", "heure",
];

/// Whether a column of that name holds a time.
pub(super) fn speaks_of_time(words: &[String]) -> bool {
    let last = words.last().map_or("", String::as_str);
    let ends = ["time", "date", "stamp", "zeit", "datum"].iter().any(|ending| last.ends_with(ending));
    ends || words.iter().any(|word| TIMES.contains(&word.as_str())) || staleness::speaks_of_time(words)
}

/// Whether that is how a unit is written.
pub(super) fn is_unit(value: &str) -> bool {
    UNITS.contains(&value.trim().trim_end_matches('.').to_lowercase().as_str())
}

/// Whether that is how a period is written.
pub(super) fn is_period(value: &str) -> bool {
    PERIODS.contains(&value.trim().to_lowercase().as_str())
}

/// The word by which a name says that it was made to try something: at its beginning, as it is written there. Words that also name
/// things count in capitals alone, where the other names aren't in capitals.
pub(super) fn test_word(text: &str, are_capitals: bool) -> Option<String> {
    const NAMING: [&str; 4] = ["test", "testing", "demo", "fake"];
    const WORDS: [&str; 6] = ["dummy", "zztest", "zz", "xxx", "donotuse", "prueba"];
    const PHRASES: [&str; 3] = ["do not use", "nicht verwenden", "ne pas utiliser"];
    let text = text.trim_start();
    let lower = text.to_lowercase();
    if let Some(phrase) = PHRASES.iter().find(|phrase| lower.starts_with(**phrase)) {
        return text.get(..phrase.len()).map(str::to_owned);
    }
    let skipped = text.len() - text.trim_start_matches(['[', '(', '*', '_', '#', '<']).len();
    let word: String = text[skipped..].chars().take_while(|sign| sign.is_alphabetic()).collect();
    let is_marked = skipped > 0 || text.len() == word.len() || (!are_capitals && word.to_uppercase() == word);
    let lower = word.to_lowercase();
    let is_one = WORDS.contains(&lower.as_str()) || (is_marked && NAMING.contains(&lower.as_str()));
    is_one.then(|| text[..skipped + word.len()].to_owned())
}

/// States by what they mean, a word in each of several languages: one meaning a line.
const STATES: [&[&str]; 24] = [
    &["cancelled", "canceled", "storniert", "annulé", "annule", "cancelado", "annullato", "geannuleerd"],
    &["open", "offen", "ouvert", "abierto", "aperto"],
    &["closed", "geschlossen", "fermé", "ferme", "cerrado", "chiuso", "gesloten"],
    &["active", "aktiv", "actif", "activo", "attivo", "actief"],
    &["inactive", "inaktiv", "inactif", "inactivo", "inattivo", "inactief"],
    &["paid", "bezahlt", "payé", "paye", "pagado", "pagato", "betaald"],
    &["unpaid", "unbezahlt", "impayé", "impagado"],
    &["completed", "complete", "abgeschlossen", "terminé", "termine", "completado", "completato", "voltooid"],
    &["done", "erledigt", "fait", "hecho", "fatto"],
    &["pending", "ausstehend", "en attente", "pendiente", "in attesa"],
    &["new", "neu", "nouveau", "nuevo", "nuovo", "nieuw"],
    &["delivered", "geliefert", "livré", "livre", "entregado", "consegnato", "geleverd"],
    &["shipped", "versandt", "versendet", "expédié", "expedie", "enviado", "spedito", "verzonden"],
    &["rejected", "abgelehnt", "refusé", "refuse", "rechazado", "rifiutato", "afgewezen"],
    &["approved", "genehmigt", "approuvé", "approuve", "aprobado", "approvato", "goedgekeurd"],
    &["in progress", "in bearbeitung", "en cours", "en curso", "in corso"],
    &["planned", "geplant", "planifié", "planifie", "planificado", "gepland"],
    &["yes", "y", "ja", "j", "oui", "si", "sí", "true", "t"],
    &["no", "n", "nein", "non", "false", "f"],
    &["male", "m", "männlich", "maennlich", "masculin", "masculino"],
    &["female", "f", "w", "weiblich", "féminin", "feminin", "femenino"],
    &["high", "hoch", "haut", "alto", "hoog"],
    &["low", "niedrig", "bas", "bajo", "basso", "laag"],
    &["blocked", "gesperrt", "bloqué", "bloque", "bloqueado", "bloccato", "geblokkeerd"],
];

/// The values that mean the same, in groups of two and more, in their order.
pub(super) fn alike(values: &[String]) -> Vec<Vec<String>> {
    let mut groups: Vec<Vec<&String>> = Vec::new();
    for value in values.iter().filter(|value| value.chars().any(char::is_alphabetic)) {
        match groups.iter_mut().find(|group| group.iter().any(|other| mean_the_same(value, other))) {
            Some(group) => group.push(value),
            None => groups.push(vec![value]),
        }
    }
    let several = groups.into_iter().filter(|group| group.len() > 1);
    several.map(|group| group.into_iter().cloned().collect()).collect()
}

fn mean_the_same(left: &str, right: &str) -> bool {
    let (one, two) = (folded(left), folded(right));
    if one.is_empty() || two.is_empty() {
        return false;
    }
    // So do single letters, and numbers in them.
    let letters = |text: &str| {
        let parts = text.split(|sign: char| !sign.is_alphanumeric()).filter(|part| part.chars().count() == 1);
        parts.map(str::to_lowercase).collect::<Vec<String>>()
    };
    if left.len() > 1 && right.len() > 1 && letters(left) != letters(right) {
        return false;
    }
    // So do short words: `van der`, `van den`.
    let short = |text: &str| {
        let parts =
            text.split(|sign: char| !sign.is_alphanumeric()).filter(|part| (2..=3).contains(&part.chars().count()));
        parts.map(str::to_lowercase).collect::<Vec<String>>()
    };
    if left.contains(' ') && right.contains(' ') && short(left) != short(right) {
        return false;
    }
    // `A+` is another mark than `A`.
    let mark =
        |text: &str| text.trim_end().chars().next_back().filter(|sign| matches!(sign, '+' | '-' | '*' | '\'' | '!'));
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    if digits(&one) != digits(&two) || mark(left) != mark(right) {
        return false;
    }
    let state = |value: &str| {
        let value = value.trim().to_lowercase().replace(['_', '-'], " ");
        (value.chars().count() > 1).then(|| STATES.iter().position(|state| state.contains(&value.as_str()))).flatten()
    };
    let has_digits = one.chars().any(|sign| sign.is_ascii_digit());
    one == two
        || (!has_digits && one.len() >= 6 && two.len() >= 6 && is_one_letter_apart(&one, &two))
        || is_cut(left, &two)
        || is_cut(right, &one)
        || state(left).is_some_and(|state_of| state(right) == Some(state_of))
}

/// Letters and digits in lower case, umlauts as two letters.
fn folded(text: &str) -> String {
    let letters = text.chars().filter(|sign| sign.is_alphanumeric()).flat_map(char::to_lowercase);
    letters.collect::<String>().replace('ä', "ae").replace('ö', "oe").replace('ü', "ue").replace('ß', "ss")
}

/// `CANC` of `cancelled`: capitals, a few letters, of one longer word.
fn is_cut(short: &str, long: &str) -> bool {
    let short = short.trim_end_matches('.');
    let is_capital = (3..=5).contains(&short.len()) && short.chars().all(|sign| sign.is_ascii_uppercase());
    is_capital && long.len() >= short.len() + 2 && long.starts_with(&short.to_lowercase())
}

/// Whether one letter is another one, missing or too many.
fn is_one_letter_apart(left: &str, right: &str) -> bool {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    let (short, long) = if left.len() <= right.len() { (&left, &right) } else { (&right, &left) };
    // `inbound` and `unbound` begin otherwise, and aren't slips.
    if long.len() - short.len() > 1 || short[0] != long[0] {
        return false;
    }
    let same = short.iter().zip(long).take_while(|(one, two)| one == two).count();
    let (rest_short, rest_long) = (&short[same..], &long[same..]);
    match long.len() == short.len() {
        true => rest_short.len() <= 1 || rest_short[1..] == rest_long[1..],
        false => *rest_short == rest_long[1..],
    }
}

#[cfg(test)]
mod tests {
    use super::{alike, speaks_of_time, test_word};

    #[test]
    fn states_in_several_spellings_are_found_and_others_are_left_apart() {
        let groups = |values: &str| {
            let values: Vec<String> = values.split('|').map(str::to_owned).collect();
            alike(&values).iter().map(|group| group.join("=")).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(groups("cancelled|open|canceled|CANC|storniert"), "cancelled=canceled=CANC=storniert");
        assert_eq!(groups("In Progress|in_progress|done"), "In Progress=in_progress");
        for apart in
            ["inbound|outbound", "paid|unpaid", "level 1|level 2", "paid|paid_out", "male|female", "M|F|N", "new|view"]
        {
            assert_eq!(groups(apart), "", "{apart}");
        }
    }

    #[test]
    fn names_made_to_try_something_are_told_by_how_they_begin() {
        assert_eq!(test_word("TEST Station 4", false).as_deref(), Some("TEST"));
        assert_eq!(test_word("[test] one", false).as_deref(), Some("[test"));
        assert_eq!(test_word("DO NOT USE - old", true).as_deref(), Some("DO NOT USE"));
        assert_eq!(test_word("TEST PLUG 4 MM", true), None);
        for other in ["Testament", "Blood test", "Test plug", "Zzyzx Road", "", "_"] {
            assert_eq!(test_word(other, false), None, "{other}");
        }
    }

    #[test]
    fn a_name_says_that_it_holds_a_time() {
        let speaks = |name: &str| speaks_of_time(&words::in_identifier(name));
        assert!(speaks("occurred_at") && speaks("regtime") && speaks("lastUpdateStamp"));
        assert!(!speaks("amount") && !speaks("phone"));
    }
}
