//! Encryption to the server, as the driver wants it described.
//!
//! `preferred` and `required` encrypt without looking at the certificate; `verify-identity` checks its chain and that
//! it names the host. Invariant: a certificate is skipped only where the address asked for no check.

use mysql_async::SslOpts;
use rustls::crypto::aws_lc_rs;

use crate::trust::{self, Encryption, Verification};

/// What makes encrypted connections; the error says why there can be none.
pub(super) fn options(encryption: &Encryption) -> Result<SslOpts, String> {
    // The driver takes the cryptography of the process. Where somebody has chosen one, that stays.
    let _ = aws_lc_rs::default_provider().install_default();
    match encryption.verification {
        Verification::None => {
            Ok(SslOpts::default().with_danger_accept_invalid_certs(true).with_danger_skip_domain_validation(true))
        }
        Verification::Full => {
            let (certificates, _) = trust::roots(encryption.root_certificate.as_deref(), "ssl-ca")?;
            let certificates = certificates.iter().map(|certificate| certificate.to_vec().into()).collect();
            Ok(SslOpts::default().with_disable_built_in_roots(true).with_root_certs(certificates))
        }
    }
}
