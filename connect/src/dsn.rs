//! Database addresses, taken apart and made safe to show.
//!
//! Forms: `scheme://rest`, `scheme:rest`, and a bare path, which is a file. Invariant: whatever is shown of an
//! address has been through [`redact`].

use std::borrow::Cow;
use std::ops::Range;
use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::error::ConnectError;

/// An address, taken apart as far as all engines agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Dsn<'a> {
    /// `scheme:rest`, the scheme in lower case.
    Scheme { scheme: String, rest: &'a str },
    /// A path without a scheme.
    Path(&'a str),
}

impl<'a> Dsn<'a> {
    pub(crate) fn parse(dsn: &'a str) -> Self {
        let Some((scheme, rest)) = dsn.split_once(':') else { return Self::Path(dsn) };
        let starts_well = scheme.starts_with(|character: char| character.is_ascii_alphabetic());
        let all_allowed =
            scheme.chars().all(|character| character.is_ascii_alphanumeric() || "+-.".contains(character));
        // One letter before a colon is a drive on Windows.
        if !starts_well || !all_allowed || scheme.len() == 1 {
            return Self::Path(dsn);
        }
        Self::Scheme { scheme: scheme.to_ascii_lowercase(), rest }
    }
}

/// `db`, `db:3306`, `[::1]:3306` as a host and a port, where one is named; `None` where no number follows the colon.
pub(crate) fn host_and_port(server: &str) -> Option<(String, Option<u16>)> {
    let (host, port) = match server.strip_prefix('[').and_then(|server| server.split_once(']')) {
        Some((host, port)) => (host, port),
        None => server.split_at(server.find(':').unwrap_or(server.len())),
    };
    let port = match port.strip_prefix(':') {
        Some(port) => Some(port.parse().ok()?),
        None if port.is_empty() => None,
        None => return None,
    };
    Some((percent_decoded(host), port))
}

/// Schemes of servers that take another role in a session.
const ROLES: [&str; 4] = ["postgres", "postgresql", "mysql", "mariadb"];

/// Schemes of files.
const FILES: [&str; 4] = ["sqlite", "sqlite3", "duckdb", "snapshot"];

/// The address with every secret removed: user, password and parameters of a server's address. Files have none.
///
/// Passwords that contain `/`, `?` or `@` without being escaped are common, so everything up to the last `@` goes,
/// even where that takes a part of the host with it.
pub fn redact(dsn: &str) -> String {
    match Dsn::parse(dsn) {
        Dsn::Path(path) => redact_words(path),
        Dsn::Scheme { scheme, rest } if FILES.contains(&scheme.as_str()) => {
            let path = rest.split_once('?').map_or(rest, |(path, _)| path);
            format!("{scheme}:{path}")
        }
        Dsn::Scheme { scheme, rest } => {
            let (slashes, rest) = rest.strip_prefix("//").map_or(("", rest), |rest| ("//", rest));
            let rest = rest.rsplit_once('@').map_or(rest, |(_, after)| after);
            let end = rest.find(['?', '#']).unwrap_or(rest.len());
            format!("{scheme}:{slashes}{}", redact_words(&rest[..end]))
        }
    }
}

/// Where a secret stands in an address: the password behind a user, else the whole address if it says one in another place.
/// `None` where there is none; `${VARIABLE}` is none.
pub fn secret_in(dsn: &str) -> Option<Range<usize>> {
    let rest = match Dsn::parse(dsn) {
        Dsn::Scheme { scheme, .. } if FILES.contains(&scheme.as_str()) => return None,
        Dsn::Scheme { rest, .. } | Dsn::Path(rest) => rest,
    };
    let begin = dsn.len() - rest.len();
    let user = rest.strip_prefix("//").and_then(|rest| Some((begin + 2, rest.rsplit_once('@')?.0)));
    let password = user.and_then(|(begin, user)| {
        let colon = user.find(':')?;
        Some(begin + colon + 1..begin + user.len())
    });
    let outside = match &password {
        Some(password) => format!("{}{}", &dsn[..password.start], &dsn[password.end..]),
        None => dsn.to_owned(),
    };
    let words = outside.split(['?', '&', ' ', '#']).any(|part| redact_words(part) != part && !part.contains("=${"));
    if words {
        return Some(0..dsn.len());
    }
    password.filter(|password| !password.is_empty() && !dsn[password.clone()].starts_with("${"))
}

/// `host=db password=x` without its secrets. What holds no such pair is given back as it is.
fn redact_words(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    if !["password", "passwd", "pwd=", "secret", "token", "api_key"].iter().any(|word| lower.contains(word))
        || !text.contains('=')
    {
        return text.to_owned();
    }
    let first = ["password", "passwd", "pwd", "secret", "token", "api_key"]
        .iter()
        .filter_map(|word| lower.find(word))
        .min()
        .unwrap_or_default();
    // A quoted secret may hold spaces, so nothing after the first one is kept.
    format!("{}…", text[..first].trim_end())
}

/// The file that `rest` of a file's address names: `//rel`, `///abs`, `rel`, `/abs`; parameters after `?` may only say
/// what is so anyway.
pub(crate) fn file_path(dsn: &str, rest: &str) -> Result<PathBuf, ConnectError> {
    let invalid = |reason: &str| ConnectError::InvalidDsn { dsn: redact(dsn), reason: reason.to_owned() };
    let path = rest.strip_prefix("//").unwrap_or(rest);
    if path.is_empty() {
        return Err(invalid("it names no file"));
    }
    if path == ":memory:" {
        return Err(invalid("a database in memory would be empty"));
    }
    if Path::new(path).exists() {
        return Ok(PathBuf::from(path));
    }
    let (path, parameters) = path.split_once('?').unwrap_or((path, ""));
    for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
        if !["mode=ro", "mode=rw", "mode=rwc"].contains(&parameter) {
            return Err(invalid("the only parameter is `mode`, and the file is opened for reading whatever it says"));
        }
    }
    if path.is_empty() {
        return Err(invalid("it names no file"));
    }
    let decoded = percent_decoded(path);
    let path = if decoded != path && Path::new(&decoded).exists() { decoded } else { path.to_owned() };
    Ok(PathBuf::from(path))
}

/// What follows the scheme of a server's address, as far as servers agree.
#[derive(Debug)]
pub(crate) struct ServerParts<'a> {
    /// `//user:password@host:port/database`, as written.
    pub(crate) server: &'a str,
    /// Each parameter as written, and as name and value where it is such a pair.
    pub(crate) parameters: Vec<(&'a str, Option<(&'a str, &'a str)>)>,
}

impl<'a> ServerParts<'a> {
    /// Takes `rest` apart; the error is the reason why it can't be done, and quotes nothing.
    pub(crate) fn of(rest: &'a str) -> Result<Self, &'static str> {
        if !rest.starts_with("//") {
            return Err("`//` is missing behind the scheme");
        }
        if rest.matches('@').count() > 1 {
            return Err("`@` inside a user or a password is written `%40`");
        }
        let after_user = rest.find('@').unwrap_or(0);
        let (server, parameters) = match rest[after_user..].find('?') {
            Some(at) => (&rest[..after_user + at], &rest[after_user + at + 1..]),
            None => (rest, ""),
        };
        let parameters = parameters.split('&').filter(|parameter| !parameter.is_empty());
        Ok(Self { server, parameters: parameters.map(|written| (written, written.split_once('='))).collect() })
    }
}

/// The text with `%XX` read as bytes; as it is where these are not UTF-8.
pub(crate) fn percent_decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8().map_or_else(|_| text.to_owned(), Cow::into_owned)
}

/// What may not stand in a password of an address (RFC 3986, section 3.2.1: userinfo).
const NOT_IN_USERINFO: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'!')
    .remove(b'$')
    .remove(b'&')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b'+')
    .remove(b',')
    .remove(b';')
    .remove(b'=')
    .remove(b':');

/// The same of a password that is encoded.
const NOT_EVEN_ENCODED: &AsciiSet = &NOT_IN_USERINFO.remove(b'%');

/// A password as it may stand in an address. One that could stand there already, encoded or not, is left as it is: whoever
/// encoded it meant it so.
pub fn password_in_address(password: &str) -> Cow<'_, str> {
    let is_encoded = |at: usize| {
        let digits = password.as_bytes().get(at + 1..at + 3).unwrap_or_default();
        digits.len() == 2 && digits.iter().all(u8::is_ascii_hexdigit)
    };
    let may_stand = matches!(utf8_percent_encode(password, NOT_EVEN_ENCODED).into(), Cow::Borrowed(_))
        && password.match_indices('%').all(|(at, _)| is_encoded(at));
    if may_stand { Cow::Borrowed(password) } else { utf8_percent_encode(password, NOT_IN_USERINFO).into() }
}

/// The address of a server with another role in the place of the one that logs in, for the engines that have such; `None`
/// for others.
pub fn with_role(dsn: &str, role: &str) -> Option<String> {
    let Dsn::Scheme { scheme, .. } = Dsn::parse(dsn) else { return None };
    if !ROLES.contains(&scheme.as_str()) {
        return None;
    }
    let sign = if dsn.contains('?') { '&' } else { '?' };
    Some(format!("{dsn}{sign}role={}", utf8_percent_encode(role, NON_ALPHANUMERIC)))
}

/// The role that an address names, to be put in quotes. What means no role to a server, in quotes too, would leave the rights of
/// the one that logs in.
pub(crate) fn role_of(value: &str) -> Result<String, &'static str> {
    let role = percent_decoded(value);
    let is_none = role.trim().is_empty() || role.trim().eq_ignore_ascii_case("none");
    if is_none { Err("`role` names no role") } else { Ok(role) }
}

/// Whether what the address leads to is read with the rights of whoever reads its file.
pub fn is_file(dsn: &str) -> bool {
    match Dsn::parse(dsn) {
        Dsn::Path(_) => true,
        Dsn::Scheme { scheme, .. } => FILES.contains(&scheme.as_str()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Dsn, file_path, password_in_address, redact, secret_in};

    #[test]
    fn a_password_is_encoded_where_it_could_not_stand_in_an_address() {
        for (password, expected) in [
            ("s3cret-~!$&'()*+,;=:", "s3cret-~!$&'()*+,;=:"),
            ("p@ss/w?rd#1", "p%40ss%2Fw%3Frd%231"),
            ("p%40ss", "p%40ss"),
            ("100%", "100%25"),
            ("50%@home", "50%25%40home"),
            ("größe", "gr%C3%B6%C3%9Fe"),
            ("a b", "a%20b"),
        ] {
            assert_eq!(password_in_address(password), expected);
            if password != "p%40ss" {
                assert_eq!(super::percent_decoded(expected), password);
            }
        }
    }

    #[test]
    fn keeps_no_secret() {
        for (dsn, expected) in [
            ("postgres://ann:s3cret@db.example:5432/sales?sslmode=require", "postgres://db.example:5432/sales"),
            ("postgres://ann:p/w?x@y@db:5432/sales", "postgres://db:5432/sales"),
            ("mysql://db/sales?password=s3cret", "mysql://db/sales"),
            ("postgres:host=db password=s3cret", "postgres:host=db…"),
            ("host=db user=ann password='s3 cret' port=1", "host=db user=ann…"),
            ("clickhouse://ann@db:9000", "clickhouse://db:9000"),
            ("sqlite:shop.db?mode=ro", "sqlite:shop.db"),
            ("sqlite:///data/a@b.db", "sqlite:///data/a@b.db"),
            ("duckdb:///data/a@b.duckdb", "duckdb:///data/a@b.duckdb"),
            ("data/shop.db", "data/shop.db"),
            ("C:\\data\\shop.db", "C:\\data\\shop.db"),
        ] {
            assert_eq!(redact(dsn), expected, "{dsn}");
            assert!(!redact(dsn).contains("cret"), "{dsn}");
        }
    }

    #[test]
    fn finds_the_secret() {
        for (dsn, secret) in [
            ("postgres://ann:s3cret@db.example:5432/sales?sslmode=require", Some("s3cret")),
            ("postgres://ann:p/w?x@y@db:5432/sales", Some("p/w?x@y")),
            ("mysql://ann:@db/sales", None),
            ("mysql://ann@db/sales", None),
            ("mysql://ann:${PASSWORD}@db/sales", None),
            ("mysql://db/sales?password=${PASSWORD}", None),
            ("mysql://db/sales?password=s3cret", Some("mysql://db/sales?password=s3cret")),
            ("mysql://ann:one@db/sales?password=two", Some("mysql://ann:one@db/sales?password=two")),
            ("host=db user=ann password='s3 cret' port=1", Some("host=db user=ann password='s3 cret' port=1")),
            ("clickhouse://db:9000/x", None),
            ("sqlite:///data/a:b@c.db", None),
            ("data/password=.db", Some("data/password=.db")),
            ("C:\\data\\shop.db", None),
        ] {
            assert_eq!(secret_in(dsn).map(|range| &dsn[range]), secret, "{dsn}");
        }
    }

    #[test]
    fn tells_schemes_from_paths() {
        for (dsn, scheme) in [
            ("sqlite:a", Some("sqlite")),
            ("SQLite://a", Some("sqlite")),
            ("a.db", None),
            ("C:\\a.db", None),
            ("./odd:name.db", None),
        ] {
            let found = match Dsn::parse(dsn) {
                Dsn::Scheme { scheme, .. } => Some(scheme),
                Dsn::Path(_) => None,
            };
            assert_eq!(found.as_deref(), scheme, "{dsn}");
        }
    }

    #[test]
    fn reads_the_forms_of_a_file_address() {
        for (rest, expected) in [
            ("///abs/a.db", Ok("/abs/a.db")),
            ("/abs/a.db", Ok("/abs/a.db")),
            ("//rel/a.db", Ok("rel/a.db")),
            ("rel/a.db", Ok("rel/a.db")),
            ("a.db?mode=ro", Ok("a.db")),
            ("a.db?cache=shared", Err("invalid_dsn")),
            (":memory:", Err("invalid_dsn")),
            ("//", Err("invalid_dsn")),
            ("", Err("invalid_dsn")),
        ] {
            let found = file_path("sqlite:x", rest);
            let found = found.as_ref().map(|path| path.to_str().unwrap()).map_err(|error| error.code());
            assert_eq!(found, expected, "{rest}");
        }
    }
}
