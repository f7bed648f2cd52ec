//! The second room: an item is parsed once its tag is verified, and only if it is of the server's key pair and set.

use std::io::Read;

use isopod_keys::KeysError;
use isopod_wire::{
    AnySet, DeviceAuthenticator, DeviceItem, Envelope, FrameHeader, FrameId, PackedFrame, PadFrame,
    PadHeader, Relation, WireError,
};

use crate::item_reader::{foreign, Items};
use crate::server::folder::DeviceTags;
use crate::{Error, Result, Server};

/// An error of one item, or of the whole evaluation.
pub(crate) enum Refusal {
    Item(Error),
    Fatal(Error),
}

impl<E: Into<Error>> From<E> for Refusal {
    fn from(error: E) -> Self {
        match error.into() {
            error @ (Error::Differs { .. } | Error::OpenFrames { .. } | Error::Job(_)) => {
                Self::Fatal(error)
            }
            // No frame can be judged by a memory that cannot be read.
            error @ Error::Keys(KeysError::File { .. } | KeysError::Record { .. }) => {
                Self::Fatal(error)
            }
            error => Self::Item(error),
        }
    }
}

/// Outcome of taking an item in.
pub(crate) type Accepted<T> = std::result::Result<T, Refusal>;

impl Refusal {
    /// Whether an item was refused because of its tag.
    pub fn is_tag(&self) -> bool {
        matches!(
            self,
            Self::Item(Error::Wire(WireError::Tag) | Error::ForeignTag { .. })
        )
    }
}

impl Server {
    /// Header of a whole frame of CKKS or BFV: its parts one after the other, in any order, all authenticated.
    ///
    /// # Errors
    /// [`Error::Wire`] for other bytes, tags and missing parts; [`Error::OtherKey`], [`Error::ForeignTag`];
    /// [`Error::OtherScheme`].
    pub fn frame_header(&self, frame: &[u8]) -> Result<FrameHeader> {
        let frame = self.packed_frame(&self.remembering(), frame)?;
        Ok(frame.header().clone())
    }

    /// A whole frame of this key pair.
    pub(crate) fn packed_frame<'b>(
        &self,
        keys: &dyn DeviceAuthenticator,
        bytes: &'b [u8],
    ) -> Result<PackedFrame<'b>> {
        let (mut parts, mut rest) = (Vec::new(), bytes);
        while !rest.is_empty() {
            let (envelope, behind) = Envelope::read(rest)?;
            rest = behind;
            match self.own_item(keys, envelope, "frame")? {
                DeviceItem::Part(part) => parts.push(part),
                _ => return Err(Error::OtherScheme { item: "frame" }),
            }
        }
        Ok(PackedFrame::new(parts)?)
    }

    /// Header of a packet of pads, authenticated.
    ///
    /// # Errors
    /// Those of [`Server::frame_header`].
    pub fn pad_header(&self, packet: &[u8]) -> Result<PadHeader> {
        Ok(self.pad_frame(&self.remembering(), packet)?.header)
    }

    /// A packet of pads of this key.
    pub(crate) fn pad_frame(
        &self,
        keys: &dyn DeviceAuthenticator,
        bytes: &[u8],
    ) -> Result<PadFrame> {
        match self.own_item(keys, Envelope::read_only(bytes)?, "packet")? {
            DeviceItem::Pad(frame) => Ok(frame),
            _ => Err(Error::OtherScheme { item: "packet" }),
        }
    }

    /// An item of a device, authenticated and then parsed.
    pub(crate) fn device_item<'b>(
        &self,
        keys: &DeviceTags<'_>,
        bytes: &'b [u8],
    ) -> Accepted<DeviceItem<'b>> {
        let envelope = Envelope::read_only(bytes)?;
        let relation = envelope.relation();
        self.own_item(keys, envelope, self.item_name())
            .map_err(|error| match (relation, error) {
                // The server's own files are given by mistake; what a device sends in place of frames is refused alone.
                (Relation::Link, error @ Error::Wire(WireError::UnknownKind { .. })) => {
                    Refusal::Fatal(error)
                }
                (_, error) => error.into(),
            })
    }

    /// Verifies the tag of an item, and refuses one of another key pair or set; `item` names it in the refusal.
    fn own_item<'b>(
        &self,
        keys: &dyn DeviceAuthenticator,
        envelope: Envelope<'b>,
        item: &'static str,
    ) -> Result<DeviceItem<'b>> {
        let key_id = envelope.key_id();
        let opened = DeviceItem::open(envelope, self.set(), keys);
        let opened = opened.map_err(|error| foreign(error, key_id, self.key_id()))?;
        let is_own_set = match (&opened, self.set()) {
            (DeviceItem::Part(part), AnySet::Rns(set)) => part.header.params.set_id == set.set_id,
            _ => true,
        };
        match key_id == self.key_id() && is_own_set {
            true => Ok(opened),
            false => Err(self.other_key(item, key_id)),
        }
    }

    /// Name of one item in messages.
    pub(crate) fn item_name(&self) -> &'static str {
        match self.set() {
            AnySet::Rns(_) => "part",
            AnySet::Tfhe(_) => "frame",
            AnySet::Pads => "packet",
        }
    }
}

impl<R: Read> Items<R> {
    /// The next part of a frame of CKKS or BFV, or the next packet of pads, authenticated: its bytes, its frame, and how many
    /// parts that has.
    ///
    /// # Errors
    /// The errors of [`Items::next`]; [`Error::OtherKey`], [`Error::ForeignTag`]; [`Error::Wire`] for a tag or another item.
    pub fn next_part(&mut self, server: &Server) -> Result<Option<(Vec<u8>, FrameId, usize)>> {
        self.next_bytes(|bytes| {
            let envelope = Envelope::read_only(bytes)?;
            let (id, parts) = match server.own_item(server, envelope, "part")? {
                DeviceItem::Pad(frame) => (frame.header.id, 1),
                item => {
                    let header = item.part()?.header;
                    (header.id, header.items().into())
                }
            };
            Ok((bytes.to_vec(), id, parts))
        })
    }
}
