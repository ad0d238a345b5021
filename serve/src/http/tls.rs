//! Encryption: a certificate and its key from files, read again when they are replaced, as renewals do.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

use crate::context::unpoisoned;
use crate::error::ServeError;

/// Where a certificate is.
#[derive(Clone, Debug)]
pub struct CertificateFiles {
    /// The chain as PEM, the server's own certificate first.
    pub certificate: PathBuf,
    /// Its private key as PEM.
    pub key: PathBuf,
}

/// What answers handshakes, by the certificate as it is now.
pub(super) struct Tls {
    files: CertificateFiles,
    current: Mutex<Current>,
}

struct Current {
    acceptor: TlsAcceptor,
    /// When both files were written that it is of, or that couldn't be used.
    written: Written,
}

type Written = [Option<SystemTime>; 2];

impl Tls {
    /// # Errors
    /// [`ServeError::Certificate`] where a file can't be read, or the two don't belong together.
    pub(super) fn of(files: CertificateFiles) -> Result<Self, ServeError> {
        let written = files.written();
        let current = Current { acceptor: files.acceptor()?, written };
        Ok(Self { files, current: Mutex::new(current) })
    }

    /// Of files that were replaced by what can't be used, the one before goes on.
    pub(super) fn acceptor(&self) -> TlsAcceptor {
        let mut current = unpoisoned(&self.current);
        let written = self.files.written();
        if written != current.written {
            current.written = written;
            match self.files.acceptor() {
                Ok(acceptor) => current.acceptor = acceptor,
                Err(error) => {
                    let error = shown::with_sources(&error);
                    tracing::error!(%error, "the new certificate can't be used; the one before goes on");
                }
            }
        }
        current.acceptor.clone()
    }
}

impl CertificateFiles {
    fn written(&self) -> Written {
        let of = |path: &Path| std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
        [of(&self.certificate), of(&self.key)]
    }

    fn acceptor(&self) -> Result<TlsAcceptor, ServeError> {
        let failed = |path: &Path, reason: &dyn fmt::Display| ServeError::Certificate {
            path: path.to_owned(),
            reason: reason.to_string(),
        };
        let chain = CertificateDer::pem_file_iter(&self.certificate)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(|error| failed(&self.certificate, &error))?;
        let key = PrivateKeyDer::from_pem_file(&self.key).map_err(|error| failed(&self.key, &error))?;
        let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key))
            .map_err(|error| failed(&self.certificate, &error))?;
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}
