//! Names that give a personal or secret column away, in English, German, Dutch, French and Spanish.
//!
//! Names are compared by their words, without accents: `token` stands for `token`, `ApiToken` and `token_2`, and not for
//! `token_count`. A few words may follow without a change of meaning (`Telefon Nr`, `pwd_hash`, `sal_ct`), and a few
//! before take it away (`ip_address`, `max_salary`). Names of people are not here: half of all questions ask for them,
//! and a result without them answers nothing. Who wants them masked says so in the configuration.

use catalog::{TypeClass, split_identifier};

use crate::finding::PersonalKind;

/// Names that mean the same kind of thing.
struct Group {
    kind: PersonalKind,
    /// The last words of a name, joined by `_`; with `=` in front, all of its words.
    names: &'static [&'static str],
    /// Words that may follow.
    tails: &'static [&'static [&'static str]],
    /// Words that take the meaning away where they stand before.
    unless_after: &'static [&'static str],
    /// Whether a column of this type can hold it.
    fits: fn(TypeClass) -> bool,
}

const NUMBER: &[&str] = &["nr", "no", "num", "number", "nummer", "numero"];
const STORED_AS: &[&str] =
    &["hash", "hashed", "digest", "salt", "enc", "encrypted", "plain", "raw", "clear", "md", "sha", "bcrypt", "argon"];
const MONEY: &[&str] = &[
    "ct", "cts", "cent", "cents", "eur", "euro", "usd", "gbp", "chf", "amount", "amt", "betrag", "bedrag", "montant",
    "importe", "gross", "net", "brutto", "netto", "bruto", "brut", "annual", "yearly", "monthly", "hourly",
];
/// Whose address isn't somebody's home.
const MACHINES: &[&str] = &[
    "ip",
    "ipv",
    "mac",
    "web",
    "website",
    "url",
    "uri",
    "http",
    "https",
    "internet",
    "host",
    "hostname",
    "server",
    "network",
    "net",
    "gateway",
    "dns",
    "remote",
    "peer",
    "device",
    "hardware",
    "hw",
    "bluetooth",
    "ble",
    "memory",
    "mem",
    "register",
    "base",
    "bus",
    "wallet",
    "contract",
    "token",
    "bitcoin",
    "btc",
    "eth",
    "ethereum",
    "blockchain",
];
/// A figure over many people isn't one person's pay.
const OVER_MANY: &[&str] = &[
    "min",
    "minimum",
    "max",
    "maximum",
    "avg",
    "average",
    "mean",
    "median",
    "total",
    "sum",
    "mindest",
    "durchschnitt",
    "gemiddeld",
    "moyen",
    "medio",
    "promedio",
];

fn no_time(class: TypeClass) -> bool {
    !class.is_temporal()
}

/// A number in the place of a text refers to a row elsewhere, or counts something.
fn no_number(class: TypeClass) -> bool {
    no_time(class) && !class.is_numeric()
}

const GROUPS: [Group; 8] = [
    // E-mail and telephone.
    Group {
        kind: PersonalKind::Phone,
        names: &[
            "email",
            "emails",
            "e_mail",
            "mail_address",
            "email_address",
            "emailaddress",
            "email_addr",
            "mailadresse",
            "emailadresse",
            "courriel",
            "correo",
            "correo_electronico",
            "phone",
            "phonenumber",
            "telephone",
            "tel",
            "mobile",
            "cell",
            "cellphone",
            "fax",
            "telefax",
            "telefon",
            "telefonnummer",
            "telefoon",
            "telefoonnummer",
            "telnr",
            "handy",
            "handynummer",
            "mobil",
            "mobilnummer",
            "mobiltelefon",
            "mobiel",
            "mobielnummer",
            "gsm",
            "rufnummer",
            "faxnummer",
            "tel_portable",
            "telephone_portable",
            "telefono",
            "telefono_movil",
            "movil",
            "celular",
        ],
        tails: &[NUMBER, STORED_AS],
        unless_after: &[],
        fits: no_time,
    },
    // Numbers that a state gives to a person.
    Group {
        kind: PersonalKind::NationalId,
        names: &[
            "ssn",
            "social_security",
            "national_id",
            "tax_id",
            "tax_number",
            "tax_no",
            "tin",
            "nin",
            "nino",
            "national_insurance",
            "passport",
            "driver_license",
            "drivers_license",
            "driver_licence",
            "driving_licence",
            "driving_license",
            "license_plate",
            "steuer_id",
            "steuerid",
            "steuernummer",
            "steuer_nr",
            "steueridentifikationsnummer",
            "sozialversicherungsnummer",
            "sv_nummer",
            "svnr",
            "ausweis",
            "ausweisnummer",
            "personalausweis",
            "reisepass",
            "pass_nr",
            "passnummer",
            "fuehrerschein",
            "fuehrerscheinnummer",
            "bsn",
            "burgerservicenummer",
            "sofinummer",
            "paspoort",
            "paspoortnummer",
            "rijbewijs",
            "rijbewijsnummer",
            "identiteitskaart",
            "securite_sociale",
            "num_secu",
            "nir",
            "passeport",
            "permis_de_conduire",
            "permis_conduire",
            "dni",
            "nif",
            "nie",
            "seguridad_social",
            "pasaporte",
            "licencia_de_conducir",
            "pesel",
            "cpf",
            "curp",
            "aadhaar",
        ],
        tails: &[&["id"], NUMBER, STORED_AS],
        unless_after: &[],
        fits: no_time,
    },
    // Passwords and keys.
    Group {
        kind: PersonalKind::Credential,
        names: &[
            "password",
            "passwords",
            "passwd",
            "pwd",
            "passphrase",
            "passcode",
            "passwordhash",
            "passwort",
            "kennwort",
            "wachtwoord",
            "mot_de_passe",
            "mdp",
            "contrasena",
            "=pass",
            "user_pass",
            "login_pass",
            "db_pass",
            "smtp_pass",
            "hashed_password",
            "secret",
            "secret_key",
            "private_key",
            "api_key",
            "apikey",
            "access_key",
            "auth_key",
            "encryption_key",
            "signing_key",
            "credentials",
            "security_answer",
            "otp",
            "recovery_code",
        ],
        tails: &[STORED_AS],
        unless_after: &[],
        fits: no_time,
    },
    // A token that is a number counts something, or is drawn in a queue.
    Group {
        kind: PersonalKind::Credential,
        names: &["token", "apitoken", "accesstoken"],
        tails: &[STORED_AS],
        unless_after: &[],
        fits: no_number,
    },
    // Bank accounts and cards.
    Group {
        kind: PersonalKind::BankAccount,
        names: &[
            "iban",
            "bank_account",
            "bank_account_number",
            "routing_number",
            "credit_card",
            "creditcard",
            "card_number",
            "cardnumber",
            "card_no",
            "cc_number",
            "cc_num",
            "cvv",
            "cvc",
            "kontonummer",
            "rekeningnummer",
            "kreditkarte",
            "kreditkartennummer",
            "numero_de_carte",
            "tarjeta_de_credito",
            "numero_de_cuenta",
        ],
        tails: &[NUMBER, STORED_AS],
        unless_after: &[],
        fits: no_time,
    },
    // Days of birth.
    Group {
        kind: PersonalKind::BirthDate,
        names: &[
            "birth_date",
            "birthdate",
            "date_of_birth",
            "dateofbirth",
            "dob",
            "birthday",
            "birth_day",
            "geburtsdatum",
            "geburtstag",
            "geb_datum",
            "geb_dat",
            "gebdat",
            "gebdatum",
            "geboortedatum",
            "geboortedag",
            "date_de_naissance",
            "date_naissance",
            "fecha_de_nacimiento",
            "fecha_nacimiento",
        ],
        tails: &[STORED_AS],
        unless_after: &[],
        fits: |_| true,
    },
    // Where somebody lives.
    Group {
        kind: PersonalKind::Address,
        names: &[
            "address",
            "addr",
            "address_line",
            "street",
            "street_name",
            "strasse",
            "strassenname",
            "adresse",
            "anschrift",
            "wohnadresse",
            "lieferadresse",
            "rechnungsadresse",
            "postanschrift",
            "straat",
            "straatnaam",
            "adres",
            "woonadres",
            "huisadres",
            "rue",
            "domicile",
            "direccion",
            "domicilio",
            "calle",
        ],
        tails: &[STORED_AS, &["line", "text"]],
        unless_after: MACHINES,
        fits: no_number,
    },
    // What somebody earns.
    Group {
        kind: PersonalKind::Pay,
        names: &[
            "salary",
            "wage",
            "wages",
            "=sal",
            "gehalt",
            "monatsgehalt",
            "jahresgehalt",
            "grundgehalt",
            "bruttogehalt",
            "nettogehalt",
            "lohn",
            "bruttolohn",
            "nettolohn",
            "stundenlohn",
            "monatslohn",
            "salaris",
            "jaarsalaris",
            "maandsalaris",
            "loon",
            "brutoloon",
            "nettoloon",
            "uurloon",
            "salaire",
            "salario",
            "sueldo",
        ],
        tails: &[MONEY, STORED_AS],
        unless_after: OVER_MANY,
        fits: no_time,
    },
];

/// The name of the list that a column's name ends with, where a column of that type can hold such a thing. A yes or no
/// tells nothing worth hiding.
pub(crate) fn listed_name(column: &str, class: TypeClass) -> Option<(&'static str, PersonalKind)> {
    if class == TypeClass::Boolean {
        return None;
    }
    let words: Vec<String> = split_identifier(&without_accents(column));
    GROUPS.iter().filter(|group| (group.fits)(class)).find_map(|group| Some((group.name_of(&words)?, group.kind)))
}

impl Group {
    fn name_of(&self, words: &[String]) -> Option<&'static str> {
        let mut words = words;
        loop {
            let joined = words.join("_");
            let found = self.names.iter().find_map(|name| {
                let (name, before) = match name.strip_prefix('=') {
                    Some(whole) => (whole, (joined == whole).then_some("")?),
                    None => (*name, joined.strip_suffix(name)?),
                };
                let at_a_word = before.is_empty() || before.ends_with('_');
                let taken_away = before.split('_').any(|word| self.unless_after.contains(&word));
                (at_a_word && !taken_away).then_some(name)
            });
            if found.is_some() {
                return found;
            }
            let (last, rest) = words.split_last().filter(|(_, rest)| !rest.is_empty())?;
            let is_number = last.chars().all(|character| character.is_ascii_digit());
            if !is_number && !self.tails.iter().any(|tails| tails.contains(&last.as_str())) {
                return None;
            }
            words = rest;
        }
    }
}

/// `Straße` → `Strasse`, `Führerschein` → `Fuehrerschein`, `contraseña` → `contrasena`.
fn without_accents(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            'ä' => plain.push_str("ae"),
            'ö' => plain.push_str("oe"),
            'ü' => plain.push_str("ue"),
            'Ä' => plain.push_str("Ae"),
            'Ö' => plain.push_str("Oe"),
            'Ü' => plain.push_str("Ue"),
            'ß' => plain.push_str("ss"),
            'á' | 'à' | 'â' => plain.push('a'),
            'é' | 'è' | 'ê' | 'ë' => plain.push('e'),
            'í' | 'î' | 'ï' => plain.push('i'),
            'ó' | 'ô' => plain.push('o'),
            'ú' | 'ù' | 'û' => plain.push('u'),
            'É' | 'È' => plain.push('E'),
            'ñ' => plain.push('n'),
            'ç' => plain.push('c'),
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use catalog::TypeClass;

    use super::listed_name;

    #[test]
    fn names_in_five_languages_give_sensitive_columns_away() {
        for name in [
            "email",
            "CustomerEmail",
            "E-Mail",
            "work_email_2",
            "EMAIL_ADDRESS",
            "dateOfBirth",
            "dob",
            "SSN",
            "pwd",
            "homePhone",
            "credit_card_number",
            "iban",
            "api_key",
            "pwd_hash",
            "pass_hash",
            "password_sha256",
            "Telefon Nr",
            "telefon",
            "handy",
            "rufnummer",
            "geboortedatum",
            "Geburtsdatum",
            "date de naissance",
            "rijbewijs_nr",
            "bsn",
            "token",
            "refreshToken",
            "token_hash",
            "street",
            "adresse",
            "home_address",
            "address1",
            "Straße",
            "salary",
            "gehalt",
            "Führerschein",
            "contraseña",
            "téléphone",
            "sal_ct",
            "sueldo",
            "straat",
            "loon",
            "mobiel",
            "passport_no",
            "steuer-id",
            "bank_account_no",
            "pass",
            "client_secret",
        ] {
            assert!(listed_name(name, TypeClass::Text).is_some(), "{name}");
        }
    }

    #[test]
    fn other_names_with_the_same_words_do_not() {
        for name in [
            "email_verified",
            "phone_type",
            "phone_id",
            "emailed_at",
            "title",
            "birth_country",
            "card_type",
            "cellar",
            "name",
            "first_name",
            "lname",
            "password_changed_at",
            "mobile_app_id",
            "token_count",
            "tokens",
            "street_lights",
            "address_id",
            "address_no",
            "ip_address",
            "ipv6_address",
            "MacAddress",
            "web_address",
            "avg_salary",
            "max_salary",
            "salary_band",
            "season_pass",
            "pass_rate",
            "compass",
            "headphone",
        ] {
            assert_eq!(listed_name(name, TypeClass::Text), None, "{name}");
        }
    }

    #[test]
    fn a_type_that_cannot_hold_it_makes_up_for_the_name() {
        for (name, class, expected) in [
            ("address", TypeClass::Integer, None),
            ("token", TypeClass::Integer, None),
            ("mobile", TypeClass::Boolean, None),
            ("passport", TypeClass::Date, None),
            ("phone", TypeClass::Integer, Some("phone")),
            ("gehalt", TypeClass::Real, Some("gehalt")),
            ("geburtsdatum", TypeClass::Date, Some("geburtsdatum")),
        ] {
            assert_eq!(listed_name(name, class).map(|(name, _)| name), expected, "{name}");
        }
    }
}
