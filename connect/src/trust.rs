//! Which certificates of servers are trusted: those of the system's authorities, or of a file of one's own.

use std::path::{Path, PathBuf};

use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

/// What is asked of the server's certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verification {
    /// Nothing: encryption alone.
    None,
    /// A trusted chain and the right host.
    Full,
}

/// How a connection is encrypted, where it is.
#[derive(Clone, Debug)]
pub(crate) struct Encryption {
    pub(crate) verification: Verification,
    /// A file of PEM certificates to trust instead of the system's.
    pub(crate) root_certificate: Option<PathBuf>,
}

/// The certificates to check by, as they are and ready for use; `parameter` of an address names the file.
pub(crate) fn roots(
    file: Option<&Path>,
    parameter: &str,
) -> Result<(Vec<CertificateDer<'static>>, RootCertStore), String> {
    let mut roots = RootCertStore::empty();
    let mut certificates = Vec::new();
    match file {
        Some(path) => {
            let unreadable =
                |error: &dyn std::fmt::Display| format!("the certificate `{}` can't be read: {error}", path.display());
            for certificate in CertificateDer::pem_file_iter(path).map_err(|error| unreadable(&error))? {
                let certificate = certificate.map_err(|error| unreadable(&error))?;
                roots.add(certificate.clone()).map_err(|error| unreadable(&error))?;
                certificates.push(certificate);
            }
        }
        None => {
            // A certificate that rustls can't read is one that nothing can be signed with.
            for certificate in rustls_native_certs::load_native_certs().certs {
                if roots.add(certificate.clone()).is_ok() {
                    certificates.push(certificate);
                }
            }
        }
    }
    match roots.is_empty() {
        true => Err(format!("there are no root certificates to check the server's by; name a file with `{parameter}`")),
        false => Ok((certificates, roots)),
    }
}
