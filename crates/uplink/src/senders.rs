//! The table of radios: which device has which.

use std::collections::hash_map::{Entry, HashMap};

use crate::error::{shown, TableError};
use crate::limits::MOST_TABLE_BYTES;
use crate::uplink::Sender;

const HEADER: &str = "eui,device";
const ALLOWED_HEADER: &str = "is the header eui,device";
const ALLOWED_LINE: &str = "is an eui, a comma and a device, such as 70B3D57ED0041A2B,7";
const ALLOWED_EUI: &str =
    "are 16 hexadecimal digits of an EUI, or 1 to 8 of a Sigfox device, without separators";
const ALLOWED_DEVICE: &str = "is a number from 0 to 18446744073709551615";

/// Devices by their radios.
#[derive(Debug, Default)]
pub struct Senders {
    /// Each radio's device, and the line that says so.
    devices: HashMap<Sender, (u64, usize)>,
}

impl Senders {
    /// The table in a file of comma-separated values.
    ///
    /// # Errors
    /// The first line that is not of the allowed form, by its number; a radio that stands twice.
    pub fn read(bytes: &[u8]) -> Result<Self, TableError> {
        if bytes.len() > MOST_TABLE_BYTES {
            return Err(TableError::Size(bytes.len()));
        }
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let lines = bytes.split(|byte| *byte == b'\n');
        let mut senders = Self::default();
        for (line, bytes) in (1..).zip(lines) {
            let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
            let text =
                std::str::from_utf8(bytes).map_err(|_| wrong(line, "not UTF-8", ALLOWED_LINE))?;
            match line {
                1 if text == HEADER => {}
                1 => return Err(wrong(line, &shown(text), ALLOWED_HEADER)),
                _ => senders.add(line, text)?,
            }
        }
        Ok(senders)
    }

    fn add(&mut self, line: usize, text: &str) -> Result<(), TableError> {
        let parts = text.split_once(',');
        let (eui, device) = parts.ok_or_else(|| wrong(line, &shown(text), ALLOWED_LINE))?;
        let sender = Sender::eui(eui).or_else(|| Sender::sigfox(eui));
        let sender =
            sender.ok_or_else(|| wrong(line, &format!("eui: {}", shown(eui)), ALLOWED_EUI))?;
        let number = number(device)
            .ok_or_else(|| wrong(line, &format!("device: {}", shown(device)), ALLOWED_DEVICE))?;
        match self.devices.entry(sender) {
            Entry::Vacant(place) => {
                place.insert((number, line));
                Ok(())
            }
            Entry::Occupied(place) => Err(TableError::Twice {
                line,
                first: place.get().1,
                eui: eui.to_owned(),
            }),
        }
    }

    /// The device that has a radio.
    pub fn device(&self, sender: Sender) -> Option<u64> {
        self.devices.get(&sender).map(|(device, _)| *device)
    }

    /// How many radios there are.
    pub fn len(&self) -> usize {
        self.devices.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.devices.is_empty()
    }
}

/// The number of a device: digits alone.
fn number(text: &str) -> Option<u64> {
    let all_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| all_digits)
}

fn wrong(line: usize, found: &str, allowed: &'static str) -> TableError {
    TableError::Line {
        line,
        found: found.to_owned(),
        allowed,
    }
}
