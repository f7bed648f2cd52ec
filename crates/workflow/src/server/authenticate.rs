//! The second room: an item is parsed once its tag is verified, and only if it is of the server's key pair and set.

use std::io::Read;

use isopod_keys::{KeysError, LastDevice};
use isopod_wire::{
    AnySet, Authentic, Authenticator, Envelope, FrameHeader, FrameId, PackedFrame, PackedPart,
    Relation, TfheFrame, WireError,
};

use crate::item_reader::{authenticate, Items};
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

/// An authentic item of a device.
pub(crate) enum DeviceItem<'b> {
    /// A part of a frame of CKKS or BFV.
    Part(PackedPart<'b>),
    /// A frame of TFHE.
    Frame(TfheFrame),
}

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
        keys: &dyn Authenticator,
        bytes: &'b [u8],
    ) -> Result<PackedFrame<'b>> {
        let (mut parts, mut rest) = (Vec::new(), bytes);
        while !rest.is_empty() {
            let (envelope, behind) = Envelope::read(rest)?;
            rest = behind;
            parts.push(self.own_item(keys, envelope, "frame")?.packed_part()?);
        }
        let frame = PackedFrame::new(parts)?;
        match self.set() {
            AnySet::Rns(set) if set.set_id == frame.header().params.set_id => Ok(frame),
            AnySet::Rns(_) => Err(self.other_key("frame", frame.header().key_id)),
            AnySet::Tfhe(_) => Err(Error::OtherScheme { item: "frame" }),
        }
    }

    /// An item of a device, authenticated and then parsed.
    pub(crate) fn device_item<'b>(
        &self,
        keys: &LastDevice<'_>,
        bytes: &'b [u8],
    ) -> Accepted<DeviceItem<'b>> {
        let envelope = Envelope::read_only(bytes)?;
        let (key_id, relation, item) = (envelope.key_id(), envelope.relation(), self.item_name());
        let authentic = self.own_item(keys, envelope, item)?;
        // The server's own files are given by mistake; what a device sends in place of frames is refused alone.
        let of_relation = |error: WireError| match relation {
            Relation::Link => Refusal::Fatal(error.into()),
            Relation::Device(_) => error.into(),
        };
        match self.set() {
            AnySet::Rns(set) => {
                let part = authentic.packed_part().map_err(of_relation)?;
                if part.header.params.set_id != set.set_id {
                    return Err(self.other_key(item, key_id).into());
                }
                Ok(DeviceItem::Part(part))
            }
            AnySet::Tfhe(set) => {
                let frame = authentic.tfhe_frame(set).map_err(of_relation)?;
                Ok(DeviceItem::Frame(frame))
            }
        }
    }

    /// Verifies the tag of an item, and refuses one of another key pair; `item` names it in the refusal.
    fn own_item<'b>(
        &self,
        keys: &dyn Authenticator,
        envelope: Envelope<'b>,
        item: &'static str,
    ) -> Result<Authentic<Envelope<'b>>> {
        let key_id = envelope.key_id();
        let authentic = authenticate(envelope, keys, self.key_id())?;
        match key_id == self.key_id() {
            true => Ok(authentic),
            false => Err(self.other_key(item, key_id)),
        }
    }

    /// Name of one item in messages.
    pub(crate) fn item_name(&self) -> &'static str {
        match self.set() {
            AnySet::Rns(_) => "part",
            AnySet::Tfhe(_) => "frame",
        }
    }
}

impl<R: Read> Items<R> {
    /// The next part of a frame of CKKS or BFV, authenticated: its bytes, its frame, and how many parts that has.
    ///
    /// # Errors
    /// The errors of [`Items::next`]; [`Error::OtherKey`], [`Error::ForeignTag`]; [`Error::Wire`] for a tag or another item.
    pub fn next_part(&mut self, server: &Server) -> Result<Option<(Vec<u8>, FrameId, usize)>> {
        self.next_bytes(|bytes| {
            let envelope = Envelope::read_only(bytes)?;
            let part = server.own_item(server, envelope, "part")?.packed_part()?;
            let header = part.header;
            Ok((bytes.to_vec(), header.id, header.items().into()))
        })
    }
}
