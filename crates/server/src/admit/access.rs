//! Who asks: a device by its certificate, or who has a token, by its role.

use std::collections::HashMap;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use anyhow::{bail, ensure, Context, Result};
use axum::http::{header, HeaderMap, StatusCode};
use isopod_wire::FrameId;
use sha3::{Digest, Sha3_256};

use crate::admit::attempts::Attempts;
use crate::admit::refusal::Refusal;
use crate::admit::room::Holder;
use crate::problem::{Answer, Problem};

/// The file of tokens in a server's folder.
pub const TOKENS_FILE: &str = "tokens";
/// Most bytes of it.
const MOST_BYTES: u64 = 1 << 20;
/// Longest token that is looked up.
const MOST_TOKEN_BYTES: usize = 256;

/// Rights of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Everything.
    Owner,
    /// Sends frames of any device.
    Gateway,
    /// Reads numbers: devices, jobs, quarantine, metrics.
    Monitor,
}

/// The other end of a connection.
#[derive(Clone, Copy)]
pub struct Peer {
    /// Number of the connection.
    pub connection: u64,
    /// Its address.
    pub address: IpAddr,
    /// Number of the device by whose certificate it came.
    pub device: Option<u64>,
}

impl Peer {
    /// Who has the uploads of this caller.
    pub fn holder(&self, caller: &Caller) -> Holder {
        match caller {
            Caller::Device(device) => Holder::Device(*device),
            _ => Holder::Connection(self.connection),
        }
    }
}

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Caller {
    /// A device, by its certificate.
    Device(u64),
    /// A device, by its radio: its network vouches for the sender of an uplink.
    Radio(u64),
    /// Who has a token of this role and name.
    Token(Role, String),
    /// A program of this machine, where the server has no tokens and listens to this machine alone.
    Local,
}

impl Caller {
    /// Refuses frames of other devices by the certificate or the radio of one.
    ///
    /// # Errors
    /// The field `device`.
    pub fn check_sender(&self, frame: FrameId) -> Result<(), Refusal> {
        self.check_device(frame.device).map_err(|refusal| Refusal {
            frame: Some(frame),
            ..refusal
        })
    }

    /// Refuses what other devices sent by the certificate or the radio of one.
    ///
    /// # Errors
    /// The field `device`.
    pub fn check_device(&self, found: u64) -> Result<(), Refusal> {
        let (device, by) = match self {
            Self::Device(device) => (*device, "certificate"),
            Self::Radio(device) => (*device, "radio"),
            Self::Token(..) | Self::Local => return Ok(()),
        };
        if device == found {
            return Ok(());
        }
        Err(Refusal {
            field: "device".to_owned(),
            detail: format!(
                "device: {found} by the {by} of device {device}; allowed are its own frames"
            ),
            frame: None,
        })
    }

    /// The device whose certificate or radio it is.
    pub fn device(&self) -> Option<u64> {
        match self {
            Self::Device(device) | Self::Radio(device) => Some(*device),
            _ => None,
        }
    }

    /// Name in logs.
    pub fn name(&self) -> String {
        match self {
            Self::Device(device) => format!("device-{device}"),
            Self::Radio(device) => format!("radio of device-{device}"),
            Self::Token(role, name) => format!("{role:?} {name}").to_lowercase(),
            Self::Local => "local".to_owned(),
        }
    }

    /// Refuses who may not send frames.
    ///
    /// # Errors
    /// Status 403.
    pub fn may_send(&self) -> Answer<()> {
        match self {
            Self::Token(Role::Monitor, _) => {
                Err(denied("send frames", "a device, a gateway or the owner"))
            }
            _ => Ok(()),
        }
    }

    /// Refuses who may not ask for jobs, results and deletions.
    ///
    /// # Errors
    /// Status 403.
    pub fn may_own(&self) -> Answer<()> {
        match self {
            Self::Token(Role::Owner, _) | Self::Local => Ok(()),
            _ => Err(denied("do this", "the owner's token")),
        }
    }

    /// Refuses who may not read numbers.
    ///
    /// # Errors
    /// Status 403.
    pub fn may_monitor(&self) -> Answer<()> {
        match self {
            Self::Token(Role::Owner | Role::Monitor, _) | Self::Local => Ok(()),
            _ => Err(denied(
                "read this",
                "the token of the owner or of a monitor",
            )),
        }
    }
}

fn unknown() -> Problem {
    let detail =
        "authorization: neither a device's certificate nor a known token; allowed is one of them";
    Problem::new(StatusCode::UNAUTHORIZED, "authorization", detail)
}

fn denied(action: &str, allowed: &str) -> Problem {
    Problem::forbidden(
        "authorization",
        format!("authorization: may not {action}; allowed is {allowed}"),
    )
}

type Table = HashMap<[u8; 32], (Role, String)>;

/// Tokens by their hashes, read anew when the file changes.
pub struct Access {
    file: PathBuf,
    known: Mutex<(Option<SystemTime>, Arc<Table>)>,
    open: bool,
    attempts: Attempts,
}

impl Access {
    /// The tokens in a server's folder. Without the file, and where `local` says that only this machine can ask, all may do all.
    ///
    /// # Errors
    /// A file that is not one of tokens.
    pub fn read(folder: &Path, local: bool) -> Result<Self> {
        let file = folder.join(TOKENS_FILE);
        let open = local && !file.exists();
        let table = if file.exists() {
            read(&file)?
        } else {
            Table::new()
        };
        let known = Mutex::new((changed(&file), Arc::new(table)));
        let attempts = Attempts::default();
        Ok(Self {
            file,
            known,
            open,
            attempts,
        })
    }

    /// Who asks, by certificate or token, under the name by which he calls the server.
    ///
    /// # Errors
    /// Status 401, and 429 for an address with too many wrong tokens; 403 where a page of another site asks in the name of this
    /// machine.
    pub fn caller(
        &self,
        peer: Option<Peer>,
        host: Option<&str>,
        headers: &HeaderMap,
    ) -> Answer<Caller> {
        if let Some(device) = peer.and_then(|peer| peer.device) {
            return Ok(Caller::Device(device));
        }
        if self.open {
            return match host.is_some_and(is_local) {
                true => Ok(Caller::Local),
                false => Err(Problem::forbidden(
                    "host",
                    "host: allowed is localhost, 127.0.0.1 or [::1]",
                )),
            };
        }
        let token = headers
            .get(header::AUTHORIZATION)
            .and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
        let Some(token) = token else {
            return Err(unknown());
        };
        let short = (token.len() <= MOST_TOKEN_BYTES).then_some(token);
        let known = short.and_then(|token| {
            let hash: [u8; 32] = Sha3_256::digest(token.as_bytes()).into();
            self.table().get(&hash).cloned()
        });
        match known {
            Some((role, name)) => Ok(Caller::Token(role, name)),
            None => Err(peer.map_or_else(unknown, |peer| self.wrong_token(peer))),
        }
    }

    fn wrong_token(&self, peer: Peer) -> Problem {
        let Err(seconds) = self.attempts.fail(peer.address) else {
            return unknown();
        };
        let detail =
            format!("authorization: too many unknown tokens; try again after {seconds} seconds");
        let status = StatusCode::TOO_MANY_REQUESTS;
        Problem::new(status, "authorization", detail).after(seconds)
    }

    /// A file that was changed is read anew; one that cannot be read lets nobody in.
    fn table(&self) -> Arc<Table> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let time = changed(&self.file);
        if known.0 != time {
            let table = read(&self.file).unwrap_or_else(|error| {
                tracing::error!("{error:#}");
                Table::new()
            });
            *known = (time, Arc::new(table));
        }
        known.1.clone()
    }
}

/// Whether a name with or without a port is this machine's; any other may have been made to lead here.
fn is_local(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    ["localhost", "127.0.0.1", "[::1]"].contains(&name)
}

fn changed(file: &Path) -> Option<SystemTime> {
    file.metadata().ok()?.modified().ok()
}

fn read(file: &Path) -> Result<Table> {
    let bytes = isopod_keys::read_private(file, MOST_BYTES)?;
    let text = std::str::from_utf8(&bytes).with_context(|| file.display().to_string())?;
    let mut table = Table::new();
    for (number, line) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.is_empty())
    {
        let place = format!("{} line {}", file.display(), number + 1);
        let (hash, caller) = entry(line, &place)?;
        let before = table.insert(hash, caller);
        ensure!(before.is_none(), "{place}: a token twice");
    }
    Ok(table)
}

/// The hash of a token, and whose it is.
fn entry(line: &str, place: &str) -> Result<([u8; 32], (Role, String))> {
    let [hash, role, name] = line.split(' ').collect::<Vec<_>>()[..] else {
        bail!("{place}: allowed are the hash of a token, a role and a name");
    };
    let role = match role {
        "owner" => Role::Owner,
        "gateway" => Role::Gateway,
        "monitor" => Role::Monitor,
        _ => bail!("{place}: role {role:?}; allowed are owner, gateway and monitor"),
    };
    let hash =
        hex(hash).with_context(|| format!("{place}: hash; allowed are 64 hexadecimal digits"))?;
    Ok((hash, (role, name.to_owned())))
}

/// The bytes of exactly 2N hexadecimal digits.
pub fn hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    if text.len() != 2 * N || !text.is_ascii() {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(bytes)
}
