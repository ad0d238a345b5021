//! `mysql://user:password@host:port/database?ssl-mode=…`, taken apart.
//!
//! Everything is read here, and the driver is told the parts: it would quote an address it can't read. Invariant: what
//! is said about an address never quotes it, because any part of it may belong to a password.

use std::path::PathBuf;

use mysql_async::{OptsBuilder, SslOpts};

use super::tls;
use crate::dsn::{ServerParts, host_and_port, percent_decoded, redact};
use crate::error::ConnectError;
use crate::trust::{Encryption, Verification};

/// Larger packets, and with them larger cells, are refused before they are read.
pub(super) const LARGEST_PACKET: usize = 64 << 20;

/// Where a server is and how it is spoken to.
pub(super) struct Address {
    /// User, password, host and database, for the driver.
    pub(super) options: OptsBuilder,
    pub(super) mode: Mode,
    pub(super) encryption: Encryption,
    /// The role that is taken besides what the one that logs in may do.
    pub(super) role: Option<String>,
    pub(super) database: String,
    /// For people: without user, password and parameters.
    pub(super) location: String,
}

/// Whether a connection is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Never,
    /// Where the server can.
    Preferred,
    Always,
}

impl std::fmt::Debug for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Address").field("location", &self.location).finish_non_exhaustive()
    }
}

impl Address {
    /// What encrypted connections are made with; the error says why there can be none.
    pub(super) fn encrypted(&self) -> Result<Option<SslOpts>, String> {
        match self.mode {
            Mode::Never => Ok(None),
            Mode::Preferred | Mode::Always => tls::options(&self.encryption).map(Some),
        }
    }
}

/// Reads what follows the scheme of `dsn`.
pub(super) fn parse(dsn: &str, rest: &str) -> Result<Address, ConnectError> {
    let invalid = |reason: &str| ConnectError::InvalidDsn { dsn: redact(dsn), reason: reason.to_owned() };
    let ServerParts { server, parameters } = ServerParts::of(rest).map_err(invalid)?;
    let server = server.trim_start_matches('/');
    let (user, server) = server.split_once('@').ok_or_else(|| invalid("it names no user"))?;
    let (user, password) = match user.split_once(':') {
        Some((user, password)) => (user, Some(percent_decoded(password))),
        None => (user, None),
    };
    let (server, database) = server.split_once('/').unwrap_or((server, ""));
    if database.is_empty() || database.contains('/') {
        return Err(invalid("behind the host stands `/` and the name of one database"));
    }
    let database = percent_decoded(database);
    let (host, port) = host_and_port(server).ok_or_else(|| invalid("the host is followed by `:` and a number"))?;
    let port = port.unwrap_or(3306);
    let mut socket = None;
    let mut mode = "preferred".to_owned();
    let (mut root_certificate, mut role) = (None, None);
    for (_, pair) in parameters {
        match pair {
            // The server's own programs spell it `VERIFY_IDENTITY`.
            Some(("ssl-mode", value)) => mode = value.to_ascii_lowercase().replace('_', "-"),
            Some(("ssl-ca", value)) => root_certificate = Some(PathBuf::from(percent_decoded(value))),
            Some(("role", value)) => role = Some(crate::dsn::role_of(value).map_err(invalid)?),
            Some(("socket", value)) => socket = Some(percent_decoded(value)),
            _ => return Err(invalid("the parameters are `ssl-mode`, `ssl-ca`, `socket` and `role`")),
        }
    }
    if host.is_empty() && socket.is_none() {
        return Err(invalid("it names no host"));
    }
    let (mode, verification) = match (mode.as_str(), &root_certificate) {
        ("disabled", _) => (Mode::Never, Verification::None),
        ("preferred", _) => (Mode::Preferred, Verification::None),
        // Whoever names a certificate wants it to be looked at.
        ("required", None) => (Mode::Always, Verification::None),
        ("required" | "verify-identity", _) => (Mode::Always, Verification::Full),
        _ => return Err(invalid("`ssl-mode` is `disabled`, `preferred`, `required` or `verify-identity`")),
    };
    let location = match &socket {
        Some(path) => format!("mysql://{path}/{database}"),
        None if host.contains(':') => format!("mysql://[{host}]:{port}/{database}"),
        None => format!("mysql://{host}:{port}/{database}"),
    };
    let options = OptsBuilder::default()
        .ip_or_hostname(host)
        .tcp_port(port)
        .socket(socket)
        // The driver would leave the host that was asked for whenever the server is on this machine.
        .prefer_socket(false)
        .user(Some(percent_decoded(user)))
        .pass(password)
        .db_name(Some(database.clone()))
        .max_allowed_packet(Some(LARGEST_PACKET))
        .connect_attribute("program_name", "periplus");
    let encryption = Encryption { verification, root_certificate };
    Ok(Address { options, mode, encryption, role, database, location })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use mysql_async::Opts;

    use super::{Mode, parse};
    use crate::promises::parsed;
    use crate::trust::Verification;

    #[test]
    fn reads_server_user_and_modes() {
        for (dsn, location, mode, verification) in [
            ("mysql://ann:s3cret@db/sales", "mysql://db:3306/sales", Mode::Preferred, Verification::None),
            ("mariadb://ann@db:3307/s?ssl-mode=disabled", "mysql://db:3307/s", Mode::Never, Verification::None),
            ("mysql://ann:s3%40cret@db/s?ssl-mode=REQUIRED", "mysql://db:3306/s", Mode::Always, Verification::None),
            ("mysql://ann@db/s?ssl-mode=VERIFY_IDENTITY", "mysql://db:3306/s", Mode::Always, Verification::Full),
            (
                "mysql://ann:s3cret@db/s?ssl-mode=required&ssl-ca=a%20b.pem",
                "mysql://db:3306/s",
                Mode::Always,
                Verification::Full,
            ),
            ("mysql://ann@[::1]:3307/s", "mysql://[::1]:3307/s", Mode::Preferred, Verification::None),
            ("mysql://ann@/s%2F1?socket=/run/s", "mysql:///run/s/s/1", Mode::Preferred, Verification::None),
        ] {
            let address = parsed(parse, dsn).unwrap();
            assert_eq!(address.location, location, "{dsn}");
            assert_eq!((address.mode, address.encryption.verification), (mode, verification), "{dsn}");
            let options = Opts::from(address.options.clone());
            assert_eq!(options.user(), Some("ann"));
            assert!(options.pass().is_none_or(|password| ["s3cret", "s3@cret"].contains(&password)), "{dsn}");
            assert!(!format!("{address:?}").contains("cret"), "{dsn}");
        }
    }

    #[test]
    fn refuses_what_it_cannot_read_without_quoting_it() {
        for dsn in [
            "mysql:host=db password=s3cret",
            "mysql://ann:s3cret@x@db/sales",
            "mysql://ann:s3cret@db:s3cret/sales",
            "mysql://ann:s3cret@db",
            "mysql://ann:s3cret@db/",
            "mysql://ann:s3cret@db/sales/more",
            "mysql://db/sales",
            "mysql://ann:s3cret@/sales",
            "mysql://ann:s3cret@db/sales?ssl-mode=verify-ca",
            "mysql://ann:s3cret@db/sales?unknown=s3cret",
        ] {
            let error = parsed(parse, dsn).unwrap_err();
            assert_eq!(error.code(), "invalid_dsn", "{dsn}");
            assert!(!format!("{error} {error:?} {:?}", error.hints()).contains("s3cret@"), "{error:?}");
        }
    }
}
