//! TLS: the server's certificate, and those of devices, all by the fleet's authority.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection};
use tokio_rustls::TlsAcceptor;

/// The server's certificate, its key, and the certificate of the authority that vouches for devices.
pub const FILES: [&str; 3] = ["tls.crt", "tls.key", "authority.crt"];
/// Most bytes of a key file.
const MOST_KEY_BYTES: u64 = 1 << 16;

/// Reads certificate, key and authority from a server's folder; None if it has no certificate.
///
/// # Errors
/// A file that is missing beside the certificate, that is damaged, or that others can read.
pub fn acceptor(folder: &Path) -> Result<Option<TlsAcceptor>> {
    let [certificate, key, authority] = FILES.map(|name| folder.join(name));
    if !certificate.exists() {
        return Ok(None);
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let roots = Arc::new(roots(&authority)?);
    let devices = WebPkiClientVerifier::builder_with_provider(roots, provider.clone());
    let devices = devices.allow_unauthenticated().build()?;
    let secret = private_key(&key)?;
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_client_cert_verifier(devices)
        .with_single_cert(certificates(&certificate)?, secret)
        .with_context(|| certificate.display().to_string())?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Some(TlsAcceptor::from(Arc::new(config))))
}

/// The authorities of a file.
///
/// # Errors
/// A file that has none, or is damaged.
pub fn roots(authority: &Path) -> Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    for root in certificates(authority)? {
        let added = roots.add(root);
        added.with_context(|| authority.display().to_string())?;
    }
    Ok(roots)
}

/// A key that nobody else can read.
///
/// # Errors
/// A file that is damaged, or that others can read.
pub fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>> {
    let secret = isopod_keys::read_private(path, MOST_KEY_BYTES)?;
    PrivateKeyDer::from_pem_slice(&secret).with_context(|| path.display().to_string())
}

/// The certificates of a file.
///
/// # Errors
/// A file that has none, or is damaged.
pub fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let name = || path.display().to_string();
    let found = CertificateDer::pem_file_iter(path).with_context(name)?;
    let found = found.collect::<Result<Vec<_>, _>>().with_context(name)?;
    anyhow::ensure!(!found.is_empty(), "{}: no certificate in it", name());
    Ok(found)
}

/// Number of the device that a verified certificate names, `device-7.isopod`.
pub fn device(connection: &ServerConnection) -> Option<u64> {
    let certificate = connection.peer_certificates()?.first()?;
    let certificate = webpki::EndEntityCert::try_from(certificate).ok()?;
    let mut names = certificate.valid_dns_names();
    names.find_map(|name| {
        name.strip_prefix("device-")?
            .strip_suffix(".isopod")?
            .parse()
            .ok()
    })
}
