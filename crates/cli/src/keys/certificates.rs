//! Certificates of a fleet: an authority in the owner's folder vouches for the server and for each device.

use std::io::Write;
use std::path::Path;

use anyhow::{ensure, Context, Result};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};
use sha3::{Digest, Sha3_256};
use time::{Duration, OffsetDateTime};
use zeroize::Zeroizing;

use crate::output::table::hex;

/// The authority's key in the owner's folder. Whoever has it can connect to the server, but neither read nor send a frame.
pub const AUTHORITY_KEY: &str = "authority.key";
/// The owner's token.
pub const TOKEN: &str = "token";
const AUTHORITY: &str = "authority.crt";
/// Files of a certificate and its key: of who listens and of devices, and of the server towards a broker.
const TLS: [&str; 2] = ["tls.crt", "tls.key"];
const MQTT: [&str; 2] = ["mqtt.crt", "mqtt.key"];
/// Name of the server among the clients of a broker, which its access list knows.
const SERVER: &str = "isopod-server";
const TOKENS: &str = "tokens";
const MOST_KEY_BYTES: u64 = 1 << 16;

/// The authority of one key pair.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    certificate: String,
    days: u32,
}

impl Authority {
    /// Opens the authority in the owner's folder, and makes it where there is none.
    pub fn open(owner: &Path, fleet: &str, days: u32) -> Result<Self> {
        let path = owner.join(AUTHORITY_KEY);
        if !path.exists() {
            let key = Zeroizing::new(KeyPair::generate()?.serialize_pem());
            write(&path, key.as_bytes(), false)?;
        }
        let key = key_pair(&path)?;
        let mut params = named(&format!("Isopod fleet {fleet}"), Vec::new(), 36_500)?;
        // Equal whenever it is made: the name and the key are all that is kept.
        params.not_before = OffsetDateTime::UNIX_EPOCH;
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let certificate = params.self_signed(&key)?.pem();
        Ok(Self {
            issuer: Issuer::new(params, key),
            certificate,
            days,
        })
    }

    /// Writes the certificate of the server or of a broker, for these names and addresses.
    pub fn certify_listener(&self, folder: &Path, names: &[String], again: bool) -> Result<()> {
        let first = names.first().map_or("localhost", String::as_str);
        let params = named(first, names.to_vec(), self.days);
        let mut params = params.with_context(|| format!("name {}", names.join(" ")))?;
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        self.certify((folder, TLS), params, again)
    }

    /// Writes a device's certificate into its folder. The server knows the device by the alternative name, a broker by the name.
    fn certify_device(&self, folder: &Path, device: u64, again: bool) -> Result<()> {
        let name = format!("device-{device}");
        let alternative = vec![format!("{name}.isopod")];
        self.certify_client((folder, TLS), &name, alternative, again)
    }

    /// Writes the certificate by which a site's broker connects to that of the server.
    pub fn certify_site(&self, folder: &Path, name: &str, again: bool) -> Result<()> {
        self.certify_client((folder, TLS), name, Vec::new(), again)
    }

    /// Writes the certificate by which the server connects to a broker.
    pub fn certify_subscriber(&self, server: &Path, again: bool) -> Result<()> {
        self.certify_client((server, MQTT), SERVER, Vec::new(), again)
    }

    fn certify_client(
        &self,
        place: (&Path, [&str; 2]),
        name: &str,
        alternatives: Vec<String>,
        again: bool,
    ) -> Result<()> {
        let mut params = named(name, alternatives, self.days)?;
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        self.certify(place, params, again)
    }

    /// Writes the certificates of devices into their folders below one.
    pub fn certify_devices(&self, fleet: &Path, devices: &[u64], again: bool) -> Result<()> {
        devices.iter().try_for_each(|&device| {
            self.certify_device(&fleet.join(format!("device-{device}")), device, again)
        })
    }

    fn certify(
        &self,
        (folder, [certificate_file, key_file]): (&Path, [&str; 2]),
        mut params: CertificateParams,
        again: bool,
    ) -> Result<()> {
        params.use_authority_key_identifier_extension = true;
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, &self.issuer)?.pem();
        let secret = Zeroizing::new(key.serialize_pem());
        write(
            &folder.join(certificate_file),
            certificate.as_bytes(),
            again,
        )?;
        // The certificate is new, so a key that lies there is without one.
        write(&folder.join(key_file), secret.as_bytes(), true)?;
        write(&folder.join(AUTHORITY), self.certificate.as_bytes(), true)
    }
}

fn key_pair(path: &Path) -> Result<KeyPair> {
    let pem = isopod_keys::read_private(path, MOST_KEY_BYTES)?;
    let name = || path.display().to_string();
    KeyPair::from_pem(std::str::from_utf8(&pem).with_context(name)?).with_context(name)
}

fn named(name: &str, alternatives: Vec<String>, days: u32) -> Result<CertificateParams> {
    let mut params = CertificateParams::new(alternatives)?;
    params.distinguished_name.push(DnType::CommonName, name);
    let now = OffsetDateTime::now_utc();
    params.not_before = now - Duration::DAY;
    params.not_after = now + Duration::days(days.into());
    Ok(params)
}

/// Makes a token of this role: the token in a file of the owner's folder, its hash among those of the server.
pub fn give_token(owner: &Path, server: &Path, role: &str, name: &str) -> Result<()> {
    let file = match (role, name) {
        ("owner", "owner") => TOKEN.to_owned(),
        _ => format!("{TOKEN}-{name}"),
    };
    let random: Zeroizing<[u8; 32]> = Zeroizing::new(isopod_keys::random()?);
    let token = Zeroizing::new(hex(&*random));
    let path = server.join(TOKENS);
    let mut known = match path.exists() {
        true => isopod_keys::read_private(&path, 1 << 20)?.to_vec(),
        false => Vec::new(),
    };
    let line = format!(
        "{} {role} {name}\n",
        hex(&Sha3_256::digest(token.as_bytes()))
    );
    known.extend(line.as_bytes());
    write(&owner.join(file), token.as_bytes(), false)?;
    write(&path, &known, true)
}

/// Refuses a name that the server's list, or a level of a topic, cannot hold.
pub fn check_name(option: &str, name: &str) -> Result<()> {
    let plain = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    ensure!(
        (1..=64).contains(&name.len()) && plain,
        "{option}: name {name:?}; allowed are 1 to 64 letters, digits, and - _ ."
    );
    Ok(())
}

/// Writes a file of mode 0600 as a whole.
fn write(path: &Path, bytes: &[u8], replace: bool) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let name = || path.display().to_string();
    let mut file = tempfile::NamedTempFile::new_in(folder).with_context(name)?;
    file.write_all(bytes)
        .and_then(|()| file.as_file().sync_all())
        .with_context(name)?;
    match replace {
        true => file
            .persist(path)
            .map(drop)
            .map_err(|error| error.error)
            .with_context(name),
        false => {
            ensure!(
                !path.exists(),
                "{}: exists already; to make it anew, add --again",
                name()
            );
            file.persist_noclobber(path)
                .map(drop)
                .map_err(|error| error.error)
                .with_context(name)
        }
    }
}
