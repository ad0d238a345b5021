//! `clickhouse://user:password@host:port/database?secure=true`, taken apart.
//!
//! Without a database it is `default`, as for ClickHouse's own programs; so is the user. Invariant: what is said about an
//! address never quotes it, because any part of it may belong to a password, and the URL that requests go to holds
//! neither user nor password.

use std::path::PathBuf;

use reqwest::Url;
use reqwest::header::HeaderValue;

use crate::dsn::{ServerParts, host_and_port, percent_decoded, redact};
use crate::error::ConnectError;

/// Where a server is and how it is spoken to.
pub(super) struct Address {
    /// `http://host:8123/`.
    pub(super) url: Url,
    pub(super) user: HeaderValue,
    pub(super) password: Option<HeaderValue>,
    /// A file of PEM certificates to trust instead of the system's.
    pub(super) root_certificate: Option<PathBuf>,
    pub(super) database: String,
    /// For people: without user, password and parameters.
    pub(super) location: String,
}

impl std::fmt::Debug for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Address").field("location", &self.location).finish_non_exhaustive()
    }
}

impl Address {
    pub(super) fn is_encrypted(&self) -> bool {
        self.url.scheme() == "https"
    }
}

/// Reads what follows the scheme of `dsn`.
pub(super) fn parse(dsn: &str, rest: &str) -> Result<Address, ConnectError> {
    let invalid = |reason: &str| ConnectError::InvalidDsn { dsn: redact(dsn), reason: reason.to_owned() };
    let ServerParts { server, parameters } = ServerParts::of(rest).map_err(invalid)?;
    let server = server.trim_start_matches('/');
    let (user, server) = server.split_once('@').map_or((None, server), |(user, server)| (Some(user), server));
    let (user, password) = match user.map(|user| user.split_once(':').ok_or(user)) {
        Some(Ok((user, password))) => (percent_decoded(user), Some(percent_decoded(password))),
        Some(Err(user)) => (percent_decoded(user), None),
        None => ("default".to_owned(), None),
    };
    let (server, database) = server.split_once('/').unwrap_or((server, ""));
    if database.contains('/') {
        return Err(invalid("behind the host stands `/` and the name of one database"));
    }
    let database = if database.is_empty() { "default".to_owned() } else { percent_decoded(database) };
    let mut secure = dsn.split_once(':').is_some_and(|(scheme, _)| scheme.to_ascii_lowercase().ends_with('s'));
    let mut root_certificate = None;
    for (_, pair) in parameters {
        match pair {
            Some(("secure", "true" | "1")) => secure = true,
            Some(("secure", "false" | "0")) if !secure => {}
            Some(("secure", _)) => return Err(invalid("`secure` is `true` or `false`, and as the scheme says")),
            Some(("ca", value)) => root_certificate = Some(PathBuf::from(percent_decoded(value))),
            _ => return Err(invalid("the parameters are `secure` and `ca`")),
        }
    }
    if root_certificate.is_some() && !secure {
        return Err(invalid("a certificate of `ca` is only looked at with `secure=true`"));
    }
    let (host, port) = host_and_port(server).ok_or_else(|| invalid("the host is followed by `:` and a number"))?;
    if host.is_empty() {
        return Err(invalid("it names no host"));
    }
    let (scheme, usual_port) = if secure { ("https", 8443) } else { ("http", 8123) };
    let (port, host) = (port.unwrap_or(usual_port), if host.contains(':') { format!("[{host}]") } else { host });
    let url = Url::parse(&format!("{scheme}://{host}:{port}/")).ok();
    // A host that holds more than a host would be read as something else of a URL.
    let url = url.filter(|url| url.path() == "/" && url.username().is_empty() && url.query().is_none());
    let header = |text: &str| {
        let mut value = HeaderValue::from_bytes(text.as_bytes()).ok()?;
        value.set_sensitive(true);
        Some(value)
    };
    let unsendable = || invalid("a user and a password hold no control characters");
    Ok(Address {
        url: url.ok_or_else(|| invalid("the host can't be one"))?,
        user: header(&user).ok_or_else(unsendable)?,
        password: password.map(|password| header(&password).ok_or_else(unsendable)).transpose()?,
        root_certificate,
        location: format!("clickhouse://{host}:{port}/{database}"),
        database,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::parse;
    use crate::promises::parsed;

    #[test]
    fn reads_server_user_and_encryption() {
        for (dsn, url, location, user) in [
            ("clickhouse://ann:s3cret@db/sales", "http://db:8123/", "clickhouse://db:8123/sales", "ann"),
            ("clickhouse://db", "http://db:8123/", "clickhouse://db:8123/default", "default"),
            ("clickhouse://ann@db:9/s%2F1?secure=true", "https://db:9/", "clickhouse://db:9/s/1", "ann"),
            ("clickhouses://ann:s3%40cret@db/s", "https://db:8443/", "clickhouse://db:8443/s", "ann"),
            ("clickhouse+https://ann@db/s?ca=a%20b.pem", "https://db:8443/", "clickhouse://db:8443/s", "ann"),
            ("clickhouse://a%C3%B1@[::1]/s?secure=false", "http://[::1]:8123/", "clickhouse://[::1]:8123/s", "añ"),
        ] {
            let address = parsed(parse, dsn).unwrap();
            assert_eq!((address.url.as_str(), address.location.as_str()), (url, location), "{dsn}");
            assert_eq!(address.user.as_bytes(), user.as_bytes(), "{dsn}");
            let password = address.password.as_ref().map(|password| password.to_str().unwrap());
            assert!(password.is_none_or(|password| ["s3cret", "s3@cret"].contains(&password)), "{dsn}");
            assert!(!format!("{address:?} {:?}", address.password).contains("cret"), "{dsn}");
        }
        assert_eq!(
            parsed(parse, "clickhouses://db?ca=a%20b.pem").unwrap().root_certificate.unwrap().to_str(),
            Some("a b.pem")
        );
    }

    #[test]
    fn refuses_what_it_cannot_read_without_quoting_it() {
        for dsn in [
            "clickhouse:host=db password=s3cret",
            "clickhouse://ann:s3cret@x@db/sales",
            "clickhouse://ann:s3cret@db:s3cret/sales",
            "clickhouse://ann:s3cret@/sales",
            "clickhouse://ann:s3cret@db/sales/more",
            "clickhouse://ann:s3cret@d%2Fb/sales",
            "clickhouse://ann:s3cret@d%3Fb/sales",
            "clickhouse://ann:s3cret%0A@db/sales",
            "clickhouse://ann:s3cret@db/sales?secure=maybe",
            "clickhouses://ann:s3cret@db/sales?secure=false",
            "clickhouse://ann:s3cret@db/sales?ca=a.pem",
            "clickhouse://ann:s3cret@db/sales?max_execution_time=0",
        ] {
            let error = parsed(parse, dsn).unwrap_err();
            assert_eq!(error.code(), "invalid_dsn", "{dsn}");
            assert!(!format!("{error} {error:?} {:?}", error.hints()).contains("s3cret@"), "{error:?}");
        }
    }
}
