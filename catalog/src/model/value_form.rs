//! The form that a column's values have in common.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The form of a value: one that has a name, or the shape that is left when each run of digits becomes `{int}`.
///
/// Stored and shown as text: `iso_date`, `user_{int}`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ValueForm {
    /// `123e4567-e89b-12d3-a456-426614174000`.
    Uuid,
    /// `ann@example.com`.
    Email,
    /// `https://example.com/a`.
    Url,
    /// An object or an array.
    Json,
    /// `2024-01-31 12:00:00`, with `T` or a space between.
    IsoDatetime,
    /// `2024-01-31`.
    IsoDate,
    /// `12:00:00`.
    IsoTime,
    /// `20240131`.
    CompactDate,
    /// `192.0.2.1`.
    Ipv4,
    /// A social security number of the United States.
    SocialSecurity,
    /// An international bank account number with its check digits.
    Iban,
    /// The number of a payment card with its check digit.
    CardNumber,
    /// A digest by a password hashing function, or of the length of one.
    PasswordHash,
    /// A phone number.
    Phone,
    /// ISO 4217: `EUR`.
    CurrencyCode,
    /// ISO 3166-1: `DE`.
    CountryCode,
    /// An even number of hexadecimal digits.
    Hex,
    /// A whole number, kept as text.
    Integer,
    /// A number with decimals, kept as text.
    Decimal,
    /// Anything else that values share, their digits aside: `user_{int}`.
    Shape(String),
}

/// Every form that has a name, with it.
const NAMED: [(ValueForm, &str); 19] = [
    (ValueForm::Uuid, "uuid"),
    (ValueForm::Email, "email"),
    (ValueForm::Url, "url"),
    (ValueForm::Json, "json"),
    (ValueForm::IsoDatetime, "iso_datetime"),
    (ValueForm::IsoDate, "iso_date"),
    (ValueForm::IsoTime, "iso_time"),
    (ValueForm::CompactDate, "yyyymmdd"),
    (ValueForm::Ipv4, "ipv4"),
    (ValueForm::SocialSecurity, "ssn"),
    (ValueForm::Iban, "iban"),
    (ValueForm::CardNumber, "card_number"),
    (ValueForm::PasswordHash, "password_hash"),
    (ValueForm::Phone, "phone"),
    (ValueForm::CurrencyCode, "currency_code"),
    (ValueForm::CountryCode, "country_code"),
    (ValueForm::Hex, "hex"),
    (ValueForm::Integer, "integer"),
    (ValueForm::Decimal, "decimal"),
];

impl ValueForm {
    /// Its name, or the shape itself.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Shape(shape) => shape,
            named => NAMED.iter().find(|(form, _)| form == named).map_or("", |(_, name)| name),
        }
    }

    /// Whether values are dates as ISO 8601 writes them, with or without a time.
    pub fn is_iso_date(&self) -> bool {
        matches!(self, Self::IsoDate | Self::IsoDatetime)
    }
}

impl From<&str> for ValueForm {
    fn from(text: &str) -> Self {
        let named = NAMED.into_iter().find(|(_, name)| *name == text);
        named.map_or_else(|| Self::Shape(text.to_owned()), |(form, _)| form)
    }
}

impl fmt::Display for ValueForm {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl Serialize for ValueForm {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for ValueForm {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::from(Cow::<'de, str>::deserialize(deserializer)?.as_ref()))
    }
}

impl JsonSchema for ValueForm {
    fn schema_name() -> Cow<'static, str> {
        "ValueForm".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "A form with a name (`iso_date`), or a shape in which `{int}` stands for digits (`user_{int}`).",
            "examples": NAMED.map(|(_, name)| name),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{NAMED, ValueForm};

    #[test]
    fn every_form_is_read_as_it_was_written() {
        let shape = (ValueForm::Shape("INV-{int}".to_owned()), "INV-{int}");
        for (form, name) in NAMED.into_iter().chain([shape]) {
            assert_eq!(form.as_str(), name);
            assert_eq!(ValueForm::from(name), form);
        }
    }
}
