//! Secrets told by form and by how much chance is in them, and addresses of machines, places and diagnoses by form.
//!
//! Chance alone is no secret: keys that are UUIDs, digests of files and cursors have as much of it. So a digest counts only
//! beside a password or in a table of people, and a name that says what else it is always counts. Invariant: nothing here
//! looks at fewer than four values for chance.

use std::sync::LazyLock;

use regex::Regex;

use crate::forms::{Form, compiled};
use crate::revealing::Revealed;

const FEWEST: usize = 4;

/// What is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SecretKind {
    /// In the form of those who issue it, or as chance as a key.
    Key,
    /// A digest in a place where passwords are.
    Digest,
}

/// Words of names for texts full of chance that are no secrets.
const HARMLESS: &[&str] = &[
    "checksum",
    "etag",
    "cursor",
    "uuid",
    "guid",
    "commit",
    "file",
    "path",
    "url",
    "uri",
    "image",
    "img",
    "photo",
    "picture",
    "avatar",
    "content",
    "version",
    "revision",
    "sha",
    "fingerprint",
    "slug",
    "trace",
    "span",
    "request",
    "correlation",
    "block",
    "tx",
    "transaction",
    "txid",
    "signature",
    "cid",
    "etags",
    "digest",
    "crc",
    "md",
    "thumbnail",
    "link",
    "href",
    "html",
    "json",
    "config",
    "payload",
    "data",
    "body",
    "sequence",
    "dna",
    "smiles",
    "inchi",
    "id",
    "ids",
    "external",
    "ref",
    "reference",
    "code",
    "sku",
    "geom",
    "geometry",
    "polygon",
    "geohash",
    "video",
    "channel",
    "playlist",
    "tweet",
    "spotify",
    "place",
];

/// Whether a column holds secrets, by the words of its name and its values.
pub(crate) fn kind(words: &[String], values: &[&str], near_people: bool) -> Option<SecretKind> {
    let share = |matches: &dyn Fn(&str) -> bool| {
        values.iter().filter(|value| matches(value)).count() as f64 / values.len() as f64
    };
    if share(&is_issued) >= 0.5 {
        return Some(SecretKind::Key);
    }
    let harmless = words.iter().any(|word| HARMLESS.contains(&word.as_str()));
    if harmless || values.len() < FEWEST {
        return None;
    }
    if near_people && share(&is_digest) >= 0.9 {
        return Some(SecretKind::Digest);
    }
    let different_lengths =
        values.iter().map(|value| value.len()).max() != values.iter().map(|value| value.len()).min();
    // Identifiers of other systems have eleven or twenty-two characters; keys are longer.
    let chance = share(&is_full_of_chance);
    (chance >= 0.8 && (near_people || !different_lengths) && values.iter().all(|value| value.len() >= 24))
        .then_some(SecretKind::Key)
}

fn is_issued(value: &str) -> bool {
    !value.contains(' ')
        && (Form::PasswordHash.matches(value)
            || STORED.is_match(value)
            || matches!(Revealed::in_text(value), Some(Revealed::Secret)))
}

fn is_digest(value: &str) -> bool {
    matches!(value.len(), 32 | 40 | 56 | 64 | 96 | 128)
        && value.bytes().all(|byte| byte.is_ascii_hexdigit())
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Letters in both cases with digits between, and hardly one more often than others.
fn is_full_of_chance(value: &str) -> bool {
    let known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_' | b'.');
    let has = |is: fn(&u8) -> bool| value.bytes().any(|byte| is(&byte));
    let changes = value.as_bytes().windows(2).filter(|pair| class_of(pair[0]) != class_of(pair[1])).count();
    value.len() >= 20
        && value.bytes().all(known)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_digit)
        && changes * 3 >= value.len()
        && entropy(value) >= 3.6
}

fn class_of(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    }
}

/// Bits for each character.
fn entropy(value: &str) -> f64 {
    let mut counts = [0_u32; 256];
    value.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let length = value.len() as f64;
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| f64::from(*count) / length)
        .map(|share| -share * share.log2())
        .sum()
}

/// An IPv4 or IPv6 address of a machine that isn't this one.
pub(crate) fn is_address_of_network(value: &str) -> bool {
    match value.parse::<std::net::IpAddr>() {
        // Versions have four parts as well, and small ones.
        Ok(std::net::IpAddr::V4(address)) => address.octets().iter().any(|octet| *octet > 31),
        Ok(std::net::IpAddr::V6(_)) => true,
        Err(_) => false,
    }
}

/// `48.13743, 11.57549`, or a point as geometry is written, with at least three decimals.
pub(crate) fn is_pair_of_coordinates(value: &str) -> bool {
    COORDINATES.is_match(value)
}

/// A code of the international classification of diseases.
pub(crate) fn is_diagnosis(value: &str) -> bool {
    DIAGNOSIS.is_match(value)
}

static STORED: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?x)^(?: pbkdf2[_:][a-z0-9]+[$:].{20,} | (?:bcrypt|argon2|scrypt)[a-z0-9_]*[$:].{20,} | \{(?:SSHA|SHA|SMD5|CRYPT|MD5)\d*\}\S{16,}
        | \$[PHS]\$[./0-9A-Za-z]{31} | md5[0-9a-f]{32} | SCRAM-SHA-256\$.{20,} | \*[0-9A-F]{40}
        | [0-9a-f]{32,64}:[0-9A-Za-z]{2,32}(?::\d)? )$",
    )
});
static COORDINATES: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?x-u)^(?: \(?-?\d{1,3}\.\d{3,}\s*[,;]\s*-?\d{1,3}\.\d{3,}\)? | (?:SRID=\d+;)?POINT\s*\(-?\d{1,3}\.\d{3,}\s+-?\d{1,3}\.\d{3,}\) )$",
    )
});
static DIAGNOSIS: LazyLock<Regex> =
    LazyLock::new(|| compiled(r"(?-u)^[A-TV-Z]\d[0-9AB]\.\d{1,4}$|^[A-TV-Z]\d[0-9AB]$"));

#[cfg(test)]
mod tests {
    use super::{SecretKind, is_address_of_network, is_pair_of_coordinates, kind};

    #[test]
    fn secrets_are_told_from_keys_and_digests() {
        let words = |name: &str| words::in_identifier(name);
        let random = [
            "aB3dE6fG8hJ1kL4mN7pQ0rS2tU5v",
            "Zx9Yw8Vu7Ts6Rq5Po4Nm3Lk2Ji1H",
            "q1W2e3R4t5Y6u7I8o9P0a1S2d3F4",
            "M5n6B7v8C9x0Z1l2K3j4H5g6F7d8",
        ];
        let digests = [
            "5f4dcc3b5aa765d61d8327deb882cf99",
            "e10adc3949ba59abbe56e057f20f883e",
            "25d55ad283aa400af464c76d713c07ad",
            "d8578edf8458ce06fbc5bb76a58c5ca4",
        ];
        assert_eq!(kind(&words("hint"), &random, false), Some(SecretKind::Key));
        assert_eq!(kind(&words("page_cursor"), &random, false), None);
        assert_eq!(kind(&words("legacy"), &digests, true), Some(SecretKind::Digest));
        assert_eq!(kind(&words("legacy"), &digests, false), None);
        assert_eq!(
            kind(&words("x"), &["pbkdf2_sha256$600000$abcdefgh$Qm9vSGFzaEhhc2hIYXNo"], false),
            Some(SecretKind::Key)
        );
        assert!(is_address_of_network("192.168.1.20") && !is_address_of_network("1.2.3.4"));
        assert!(is_pair_of_coordinates("48.13743, 11.57549") && !is_pair_of_coordinates("1.5, 2.5"));
    }
}
