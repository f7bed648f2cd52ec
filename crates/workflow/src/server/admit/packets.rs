//! Files of packets: each gets its whole name, and is read on as the item that a server would store.
//!
//! Such a file begins with a context, as devices and gateways write them. Any other is read as it is.

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read};
use std::sync::Arc;

use isopod_keys::KeysError;
use isopod_packet::{sender, PacketError, Windows};
use isopod_wire::{Envelope, Submission, WireError};

use crate::item_reader::Items;
use crate::server::admit::admission::Admission;
use crate::server::admit::quarantine::LocatedBytes;
use crate::server::read::position::SourcePosition;
use crate::{Error, Result};

/// Bytes that tell whether a source begins with a context.
const HEAD_BYTES: u64 = 16;
/// Most bytes of an element.
const MOST_BYTES: usize = 1 << 26;

/// Bytes of a source, in which packets are items.
pub(crate) enum PacketSource<'a, R> {
    /// Not read yet.
    New(Arc<Admission<'a>>, Arc<str>, Option<R>),
    /// Without contexts.
    Items(Rewound<R>),
    /// With packets.
    Packets(Box<Named<'a, Rewound<R>>>),
}

/// A source whose first bytes were looked at.
type Rewound<R> = io::Chain<Cursor<Vec<u8>>, R>;

/// Elements of a source, and the packets so far.
pub(crate) struct Named<'a, R> {
    admission: Arc<Admission<'a>>,
    name: Arc<str>,
    elements: Items<R>,
    /// Where each device is by what this source has of it, which may be older than what the server knows.
    windows: BTreeMap<u64, Windows>,
    ready: Cursor<Vec<u8>>,
}

impl<'a, R: Read> PacketSource<'a, R> {
    /// A source of this name; what is refused of it is handed to the admission.
    pub fn new(admission: Arc<Admission<'a>>, name: &str, source: R) -> Self {
        Self::New(admission, name.into(), Some(source))
    }

    fn begin(admission: Arc<Admission<'a>>, name: Arc<str>, mut source: R) -> io::Result<Self> {
        let mut head = Vec::new();
        source.by_ref().take(HEAD_BYTES).read_to_end(&mut head)?;
        let is_context = Submission::begins_context(&head);
        let source = Cursor::new(head).chain(source);
        Ok(match is_context {
            false => Self::Items(source),
            true => Self::Packets(Box::new(Named {
                admission,
                name,
                elements: Items::new(source, MOST_BYTES),
                windows: BTreeMap::new(),
                ready: Cursor::default(),
            })),
        })
    }
}

impl<R: Read> Read for PacketSource<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Self::New(admission, name, source) = self {
            if let Some(source) = source.take() {
                *self = PacketSource::begin(admission.clone(), name.clone(), source)?;
            }
        }
        match self {
            Self::New(..) => Ok(0),
            Self::Items(source) => source.read(buffer),
            Self::Packets(named) => named.read(buffer),
        }
    }
}

impl<R: Read> Read for Named<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.ready.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            match self.next().map_err(io::Error::other)? {
                Some(item) => self.ready = Cursor::new(item),
                None => return Ok(0),
            }
        }
    }
}

impl<R: Read> Named<'_, R> {
    /// The next item; nothing for a context or what is refused, and None at the end.
    fn next(&mut self) -> Result<Option<Vec<u8>>> {
        let place = SourcePosition {
            source: self.name.clone(),
            position: self.elements.position(),
        };
        let next = self.elements.next_bytes(|bytes| Ok(bytes.to_vec()));
        let bytes = match next {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Ok(None),
            Err(Error::Wire(error)) => return self.end(place, error),
            Err(error) => return Err(error),
        };
        match self.item(&bytes) {
            // Nothing can be judged by files that cannot be read or written.
            Err(
                error @ (Error::Keys(KeysError::File { .. } | KeysError::Record { .. })
                | Error::Packet(PacketError::File { .. })),
            ) => Err(error),
            Err(error) => {
                let piece = LocatedBytes {
                    place,
                    bytes: &bytes,
                };
                self.reject(piece, error)?;
                Ok(Some(Vec::new()))
            }
            item => item.map(Some),
        }
    }

    /// Ends the reading where no element begins, or the last one breaks off.
    fn end(&mut self, place: SourcePosition, error: WireError) -> Result<Option<Vec<u8>>> {
        let piece = LocatedBytes {
            place,
            bytes: self.elements.rest(),
        };
        match error {
            WireError::Truncated { .. } => self.admission.unfinished(&piece, "packet", &error)?,
            error => self.reject(piece, error.into())?,
        }
        Ok(None)
    }

    /// Sets bytes aside, or makes an error of them, to which the reader adds the name of the source.
    fn reject(&self, piece: LocatedBytes<'_>, error: Error) -> Result<()> {
        if self.admission.quarantine.is_some() {
            return self.admission.reject(&[piece], "packet", error);
        }
        Err(error.at(format!("packet at byte {}", piece.place.position)))
    }

    fn item(&mut self, element: &[u8]) -> Result<Vec<u8>> {
        let server = self.admission.server;
        match Submission::read(element)?.0 {
            Submission::Item(item) => Ok(item.to_vec()),
            Submission::Context { item, .. } => {
                let (announced, _) = server.check_context(item)?;
                server.check_device(announced)?;
                server.register_context(item)?;
                let windows = self.windows.entry(announced.device).or_default();
                windows.raise(announced.epoch, announced.sequence);
                Ok(Vec::new())
            }
            Submission::Packet {
                sender: transport,
                packet,
            } => {
                let device = sender(transport, packet)?;
                let windows = self.windows.entry(device).or_default();
                let item = server.name_packet(device, packet, *windows)?;
                let stored = Envelope::read_only(&item)?.packet();
                if let Some(name) = stored
                    .map(|stored| stored.name)
                    .filter(|name| !name.is_random())
                {
                    windows.raise(name.epoch, name.sequence + 1);
                }
                Ok(item)
            }
        }
    }
}
