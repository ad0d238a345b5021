//! What was found out about a column.
//!
//! Invariant: a reason names columns, patterns and kinds of things, and never a value.

/// Why a column is taken for personal or secret.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// A short phrase in plain English: `name matches "email"`.
    pub reason: String,
    /// How sure that is, 0 to 1. What is returned at all is likely enough to be masked; from 0.8 on it is hardly ever
    /// something else.
    pub confidence: f64,
    /// What kind of thing it is.
    pub kind: PersonalKind,
}

/// What kind of personal or secret thing a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PersonalKind {
    /// An e-mail address.
    Email,
    /// A telephone or fax number.
    Phone,
    /// A person's name, or a part of it, or the name under which somebody signs in.
    Name,
    /// Where somebody lives: street, house number, and the postal code beside them.
    Address,
    /// The day on which somebody was born.
    BirthDate,
    /// A number or document by which a state knows a person: tax, social security, identity card, passport, licence.
    NationalId,
    /// A bank account.
    BankAccount,
    /// A payment card, or its security code.
    Card,
    /// A password, key, token, or what stands for one.
    Credential,
    /// What somebody earns.
    Pay,
    /// Where somebody is or was, by coordinates.
    Location,
    /// Diagnoses, medication, blood groups, disabilities.
    Health,
    /// What the law protects besides health: religion, ethnic origin, politics, trade unions, sexual orientation, convictions.
    Belief,
    /// An address of a device, by which its owner is known: IP, MAC, IMEI.
    Device,
    /// A picture of somebody, or of how they sign, or where it lies.
    Image,
    /// An account on a social network or a messenger, or a page of one's own.
    Online,
    /// Free text in which personal details stand.
    FreeText,
    /// Something that each person in a table has another of, and that neither its name nor its form explains.
    Doubtful,
    /// What a comment calls personal data, whatever it is.
    Declared,
    /// What the configuration masks, whatever it is.
    Configured,
}

impl PersonalKind {
    /// For a sentence: `values look like …`.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Email => "e-mail addresses",
            Self::Phone => "phone numbers",
            Self::Name => "names of people",
            Self::Address => "home addresses",
            Self::BirthDate => "dates of birth",
            Self::NationalId => "identity numbers",
            Self::BankAccount => "bank accounts",
            Self::Card => "card numbers",
            Self::Credential => "passwords or keys",
            Self::Pay => "pay",
            Self::Location => "places of people",
            Self::Health => "health data",
            Self::Belief => "beliefs or origins",
            Self::Device => "addresses of devices",
            Self::Image => "pictures or signatures of people",
            Self::Online => "accounts on social networks",
            Self::FreeText => "personal details in free text",
            Self::Doubtful => "something of one person",
            Self::Declared => "what a comment calls personal data",
            Self::Configured => "what the configuration masks",
        }
    }
}
