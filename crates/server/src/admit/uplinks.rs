//! Uplinks of network servers: the packet in a document or the transfer that is whole by it, and the device that has its radio.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use anyhow::{Context, Result};
use isopod_link::Transfers;
use isopod_uplink::{Format, Sender, Senders, Uplink, UplinkError, MOST_TABLE_BYTES};

use crate::admit::refusal::Refusal;

/// Bytes that an uplink brought.
#[derive(Debug, PartialEq, Eq)]
pub enum Content {
    /// A packet.
    Packet(Vec<u8>),
    /// A part of a transfer that lacks others.
    Fragment,
    /// A transfer that is whole: elements of a body.
    Transfer(Vec<u8>),
}

/// An uplink, as a network server delivers it.
#[derive(Debug, PartialEq, Eq)]
pub struct Delivered {
    /// Its bytes.
    pub content: Content,
    /// Device that has the radio; None without a table, where a packet must say its device.
    pub device: Option<u64>,
}

/// Ports of LoRaWAN.
#[derive(Debug, Clone, Default)]
pub struct Ports {
    /// Packets come on these; none for all of applications.
    pub packets: Vec<u8>,
    /// Fragments come on this one.
    pub fragments: Option<u8>,
}

/// The table of radios, read anew when its file changes; the ports; transfers that wait for fragments.
pub struct Uplinks {
    file: Option<PathBuf>,
    known: Mutex<Known>,
    ports: Ports,
    transfers: Mutex<Transfers<Sender>>,
}

/// A table, and the state of the file from which it was read.
struct Known {
    state: State,
    senders: Arc<Senders>,
}

/// Time of the last change, length and number of a file: a file that is put in its place differs in one of them.
type State = Option<(SystemTime, u64, u64)>;

impl Uplinks {
    /// Reads the table, if there is one.
    ///
    /// # Errors
    /// A file that cannot be read; the first line of it that is wrong.
    pub fn open(file: Option<PathBuf>, ports: Ports) -> Result<Self> {
        let state = file.as_deref().and_then(state);
        let senders = match &file {
            Some(file) => read(file)?,
            None => Senders::default(),
        };
        let senders = Arc::new(senders);
        Ok(Self {
            file,
            known: Mutex::new(Known { state, senders }),
            ports,
            transfers: Mutex::default(),
        })
    }

    /// The content of a document that comes at a time, in milliseconds; None where there is none in it.
    ///
    /// # Errors
    /// A document that is not of the format; a radio that the table does not have; a fragment that is none.
    pub fn take(
        &self,
        format: Format,
        event: Option<&str>,
        body: &[u8],
        time: u64,
    ) -> Result<Option<Delivered>, Refusal> {
        let uplink = format.parse(event, body);
        let Some(uplink) = uplink.map_err(|error| Refusal::of(&error, None))? else {
            return Ok(None);
        };
        let is_fragment = uplink.port.is_some() && uplink.port == self.ports.fragments;
        if !is_fragment && !uplink.may_hold_packet(&self.ports.packets) {
            return Ok(None);
        }
        let device = match &self.file {
            Some(file) => Some(self.device(file, format, uplink.sender)?),
            None => None,
        };
        let content = match is_fragment {
            true => self.fragment(&uplink, time)?,
            false => Content::Packet(uplink.payload),
        };
        Ok(Some(Delivered { content, device }))
    }

    fn fragment(&self, uplink: &Uplink, time: u64) -> Result<Content, Refusal> {
        let mut transfers = self
            .transfers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let whole = transfers.take(uplink.sender, &uplink.payload, time);
        let whole = whole.map_err(|error| Refusal::of(&error, None))?;
        Ok(whole.map_or(Content::Fragment, Content::Transfer))
    }

    fn device(&self, file: &Path, format: Format, sender: Sender) -> Result<u64, Refusal> {
        let device = self.senders(file).device(sender);
        device.ok_or_else(|| {
            let error = UplinkError::Field {
                field: format.sender_field(),
                found: sender.to_string(),
                allowed: "are the radios in the table of --euis",
            };
            Refusal::of(&error, None)
        })
    }

    /// A file that was changed is read anew. One that cannot be read changes nothing: its operator is in the midst of something.
    fn senders(&self, file: &Path) -> Arc<Senders> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let state = state(file);
        if known.state != state {
            known.state = state;
            match read(file) {
                Ok(senders) => {
                    tracing::info!(radios = senders.len(), "--euis: read anew");
                    known.senders = Arc::new(senders);
                }
                Err(error) => tracing::error!("--euis: the table before stays: {error:#}"),
            }
        }
        known.senders.clone()
    }
}

fn state(file: &Path) -> State {
    let data = file.metadata().ok()?;
    Some((data.modified().ok()?, data.len(), data.ino()))
}

fn read(file: &Path) -> Result<Senders> {
    let name = || format!("--euis {}", file.display());
    let length = file.metadata().with_context(name)?.len();
    anyhow::ensure!(
        length <= MOST_TABLE_BYTES as u64,
        "{}: {length} bytes; allowed are {MOST_TABLE_BYTES} at most",
        name()
    );
    let bytes = std::fs::read(file).with_context(name)?;
    Senders::read(&bytes).with_context(name)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{Content, Delivered, Ports, Uplinks};
    use isopod_uplink::Format;

    const UPLINK: &str =
        r#"{"deviceInfo": {"devEui": "70b3d57ed0041a2b"}, "fPort": 10, "data": "AwcA"}"#;

    fn packet(uplinks: &Uplinks, body: &str) -> Result<Option<Delivered>, String> {
        let taken = uplinks.take(Format::ChirpStack, Some("up"), body.as_bytes(), 0);
        taken.map_err(|refusal| refusal.detail)
    }

    fn of(device: Option<u64>) -> Result<Option<Delivered>, String> {
        let content = Content::Packet(vec![3, 7, 0]);
        Ok(Some(Delivered { content, device }))
    }

    fn on_ports(packets: &[u8], fragments: Option<u8>) -> Ports {
        let packets = packets.to_vec();
        Ports { packets, fragments }
    }

    #[test]
    fn without_a_table_the_packet_says_its_device() {
        let uplinks = Uplinks::open(None, Ports::default()).unwrap();
        assert_eq!(packet(&uplinks, UPLINK), of(None));
    }

    #[test]
    fn foreign_ports_hold_no_packets() {
        for (ports, wanted) in [(&[9, 10][..], of(None)), (&[11], Ok(None))] {
            let uplinks = Uplinks::open(None, on_ports(ports, Some(12))).unwrap();
            assert_eq!(packet(&uplinks, UPLINK), wanted);
        }
    }

    #[test]
    fn a_transfer_is_whole_by_its_last_fragment_and_each_radio_has_its_own() {
        let uplinks = Uplinks::open(None, on_ports(&[11], Some(10))).unwrap();
        let uplink = |radio: u8, data: &str| {
            let text = UPLINK.replace("2b", &format!("{radio:02x}"));
            packet(&uplinks, &text.replace("AwcA", data))
        };
        let content = |content| {
            Ok(Some(Delivered {
                content,
                device: None,
            }))
        };
        let (first, last) = ("EAEAAAAH", "MAEAAQAI");
        assert_eq!(uplink(1, last), content(Content::Fragment));
        assert_eq!(uplink(2, first), content(Content::Fragment));
        assert_eq!(uplink(1, first), content(Content::Transfer(vec![7, 8])));
        let refused = "fragment: 3 bytes that are no data packet; allowed are those of spec/link.md, section 1";
        assert_eq!(uplink(1, "AwcA"), Err(refused.to_owned()));
    }

    #[test]
    fn a_table_that_changes_is_read_anew_and_a_wrong_one_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("euis.csv");
        let write = |text: &str| {
            let new = folder.path().join("new");
            std::fs::write(&new, text).unwrap();
            std::fs::rename(new, &file).unwrap();
        };
        write("eui,device\n");
        let uplinks = Uplinks::open(Some(file.clone()), Ports::default()).unwrap();
        let unknown = "deviceInfo.devEui: 70b3d57ed0041a2b; allowed are the radios in the table";
        let found = packet(&uplinks, UPLINK).unwrap_err();
        assert!(found.starts_with(unknown), "{found}");
        write("eui,device\n70B3D57ED0041A2B,7\n");
        assert_eq!(packet(&uplinks, UPLINK), of(Some(7)));
        write("eui,device\n70B3D57ED0041A2B,8\nx,9\n");
        assert_eq!(packet(&uplinks, UPLINK), of(Some(7)));
        std::fs::remove_file(&file).unwrap();
        assert_eq!(packet(&uplinks, UPLINK), of(Some(7)));
        write("eui,device\n70B3D57ED0041A2B,8\n");
        assert_eq!(packet(&uplinks, UPLINK), of(Some(8)));
    }

    #[test]
    fn a_table_that_is_wrong_at_the_start_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("euis.csv");
        let refusal = || {
            let opened = Uplinks::open(Some(file.clone()), Ports::default());
            format!("{:#}", opened.err().unwrap())
        };
        assert!(refusal().starts_with("--euis "), "{}", refusal());
        std::fs::write(&file, "eui,device\n70B3D57ED0041A2B,-7\n").unwrap();
        assert!(
            refusal().contains("euis.csv: line 2: device: -7; allowed"),
            "{}",
            refusal()
        );
    }
}
