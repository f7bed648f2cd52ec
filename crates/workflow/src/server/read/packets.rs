//! Files of packets: each gets its whole name, and is read on as the item that a server would store.
//!
//! Such a file begins with a context, as devices and gateways write them. Any other is read as it is.

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read};

use isopod_keys::Seen;
use isopod_packet::{sender, Windows};
use isopod_wire::{Envelope, Submission};

use crate::item_reader::Items;
use crate::{Result, Server};

/// Bytes that tell whether a source begins with a context.
const HEAD_BYTES: u64 = 16;
/// Most bytes of an element.
const MOST_BYTES: usize = 1 << 26;

/// Bytes of a source, in which packets are items.
pub(crate) enum PacketSource<'a, R> {
    /// Not read yet.
    New(&'a Server, Option<R>),
    /// Without contexts.
    Items(io::Chain<Cursor<Vec<u8>>, R>),
    /// With packets.
    Packets(Box<Named<'a, io::Chain<Cursor<Vec<u8>>, R>>>),
}

/// Elements of a source, and the packets so far.
pub(crate) struct Named<'a, R> {
    server: &'a Server,
    elements: Items<R>,
    seen: BTreeMap<u64, Seen>,
    ready: Cursor<Vec<u8>>,
}

impl<'a, R: Read> PacketSource<'a, R> {
    pub fn new(server: &'a Server, source: R) -> Self {
        Self::New(server, Some(source))
    }

    fn begin(server: &'a Server, mut source: R) -> io::Result<Self> {
        let mut head = Vec::new();
        source.by_ref().take(HEAD_BYTES).read_to_end(&mut head)?;
        let is_context = Submission::begins_context(&head);
        let source = Cursor::new(head).chain(source);
        Ok(match is_context {
            false => Self::Items(source),
            true => Self::Packets(Box::new(Named {
                server,
                elements: Items::new(source, MOST_BYTES),
                seen: BTreeMap::new(),
                ready: Cursor::default(),
            })),
        })
    }
}

impl<R: Read> Read for PacketSource<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Self::New(server, source) = self {
            if let Some(source) = source.take() {
                *self = PacketSource::begin(server, source)?;
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
            let place = self.elements.position();
            let next = self.next();
            let next = next.map_err(|error| io::Error::other(format!("byte {place}: {error}")))?;
            let Some(item) = next else { return Ok(0) };
            self.ready = Cursor::new(item);
        }
    }
}

impl<R: Read> Named<'_, R> {
    /// The next item; nothing for a context, and None at the end.
    fn next(&mut self) -> Result<Option<Vec<u8>>> {
        let (server, seen) = (self.server, &mut self.seen);
        self.elements
            .next_bytes(|bytes| match Submission::read(bytes)?.0 {
                Submission::Item(item) => Ok(item.to_vec()),
                Submission::Context { item, .. } => {
                    server.register_context(item)?;
                    Ok(Vec::new())
                }
                Submission::Packet {
                    sender: transport,
                    packet,
                } => {
                    let device = sender(transport, packet)?;
                    let seen = seen.entry(device).or_default();
                    let item = server.name_packet(device, packet, Windows::from(&*seen))?;
                    if let Some(stored) = Envelope::read_only(&item)?.packet() {
                        seen.insert(stored.name.epoch, stored.name.sequence);
                    }
                    Ok(item)
                }
            })
    }
}
