//! `postgres://user:password@host:port/database?sslmode=…`, taken apart.
//!
//! The driver reads everything but the parameters about certificates, which are ours. Invariant: what is said about an
//! address that can't be read never quotes it, because any part of it may belong to a password.

use std::path::PathBuf;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use crate::dsn::{ServerParts, redact};
use crate::error::ConnectError;
use crate::trust::{Encryption, Verification};

/// How long one host may take to answer, where the address doesn't say.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Where a server is and how it is spoken to.
#[derive(Debug)]
pub(super) struct Address {
    pub(super) config: Config,
    pub(super) encryption: Encryption,
    /// The role that takes the place of the one that logs in.
    pub(super) role: Option<String>,
    /// For people: without user, password and parameters.
    pub(super) location: String,
}

/// Reads what follows the scheme of `dsn`.
pub(super) fn parse(dsn: &str, rest: &str) -> Result<Address, ConnectError> {
    let invalid = |reason: &str| ConnectError::InvalidDsn { dsn: redact(dsn), reason: reason.to_owned() };
    let ServerParts { server, parameters } = ServerParts::of(rest).map_err(invalid)?;
    let mut mode = "prefer";
    let (mut root_certificate, mut role) = (None, None);
    let mut for_driver = Vec::new();
    for (parameter, pair) in parameters {
        match pair {
            Some(("sslmode", value)) => mode = value,
            Some(("role", value)) => role = Some(crate::dsn::role_of(value).map_err(invalid)?),
            Some(("sslrootcert", value)) => root_certificate = Some(PathBuf::from(crate::dsn::percent_decoded(value))),
            _ => for_driver.push(parameter),
        }
    }
    let text = format!("postgresql:{server}?{}", for_driver.join("&"));
    let mut config: Config = text.parse().map_err(|_| {
        invalid("special characters of the user and the password are written as `%XX`, and parameters are libpq's")
    })?;
    if config.get_hosts().is_empty() {
        return Err(invalid("it names no host"));
    }
    let (ssl_mode, verification) = match (mode, &root_certificate) {
        ("disable", _) => (SslMode::Disable, Verification::None),
        ("prefer", _) => (SslMode::Prefer, Verification::None),
        // As in libpq: whoever names a certificate wants it to be looked at.
        ("require", None) => (SslMode::Require, Verification::None),
        ("require" | "verify-full", _) => (SslMode::Require, Verification::Full),
        _ => return Err(invalid("`sslmode` is `disable`, `prefer`, `require` or `verify-full`")),
    };
    config.ssl_mode(ssl_mode);
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECT_TIMEOUT);
    }
    if config.get_application_name().is_none() {
        config.application_name("periplus");
    }
    let location = location(&config);
    Ok(Address { config, encryption: Encryption { verification, root_certificate }, role, location })
}

fn location(config: &Config) -> String {
    let ports = config.get_ports();
    let hosts: Vec<String> = config
        .get_hosts()
        .iter()
        .enumerate()
        .map(|(position, host)| {
            let port = ports.get(position).or(ports.first()).copied().unwrap_or(5432);
            match host {
                Host::Tcp(name) if name.contains(':') => format!("[{name}]:{port}"),
                Host::Tcp(name) => format!("{name}:{port}"),
                #[cfg(unix)]
                Host::Unix(path) => format!("{}:{port}", path.display()),
            }
        })
        .collect();
    format!("postgres://{}/{}", hosts.join(","), config.get_dbname().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use tokio_postgres::config::SslMode;

    use super::parse;
    use crate::promises::parsed;
    use crate::trust::Verification;

    #[test]
    fn reads_server_user_and_modes() {
        for (dsn, location, mode, verification) in [
            ("postgres://ann:s3cret@db/sales", "postgres://db:5432/sales", SslMode::Prefer, Verification::None),
            (
                "postgresql://ann@db:6432/s?sslmode=disable",
                "postgres://db:6432/s",
                SslMode::Disable,
                Verification::None,
            ),
            (
                "postgres://ann:s3%40cret@db/s?sslmode=require",
                "postgres://db:5432/s",
                SslMode::Require,
                Verification::None,
            ),
            (
                "postgres://ann:s3cret@db/s?sslmode=verify-full",
                "postgres://db:5432/s",
                SslMode::Require,
                Verification::Full,
            ),
            (
                "postgres://ann:s3/cret@db/s?connect_timeout=3&sslmode=require&sslrootcert=a%20b.pem",
                "postgres://db:5432/s",
                SslMode::Require,
                Verification::Full,
            ),
            ("postgres://ann@[::1]:5433/s", "postgres://[::1]:5433/s", SslMode::Prefer, Verification::None),
            ("postgres://ann@a:1,b:2/s", "postgres://a:1,b:2/s", SslMode::Prefer, Verification::None),
            ("postgres://ann@/s?host=/run/pg", "postgres:///run/pg:5432/s", SslMode::Prefer, Verification::None),
        ] {
            let address = parsed(parse, dsn).unwrap();
            assert_eq!(address.location, location, "{dsn}");
            assert_eq!(address.config.get_ssl_mode(), mode, "{dsn}");
            assert_eq!(address.encryption.verification, verification, "{dsn}");
            assert_eq!(address.config.get_application_name(), Some("periplus"));
            assert!(!format!("{address:?}").contains("cret"), "{dsn}");
        }
    }

    #[test]
    fn refuses_what_it_cannot_read_without_quoting_it() {
        for dsn in [
            "postgres:host=db password=s3cret",
            "postgres://ann:s3cret@x@db/sales",
            "postgres://ann:s3cret@db:s3cret/sales",
            "postgres://ann:s3cret@db/sales?sslmode=verify-ca",
            "postgres://ann:s3cret@db/sales?unknown=s3cret",
            "postgres:///sales",
        ] {
            let error = parsed(parse, dsn).unwrap_err();
            assert_eq!(error.code(), "invalid_dsn", "{dsn}");
            assert!(!format!("{error} {error:?} {:?}", error.hints()).contains("s3cret@"), "{error:?}");
        }
    }
}
