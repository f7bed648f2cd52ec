//! Frames from any source: authenticated, complete, each once, all of one key pair.

use std::collections::BTreeMap;
use std::io::Read;

use isopod_wire::{AnySet, Assembler, Envelope, FrameId, KeyId, Limits, PackingId, TfheFrame};

use crate::items::{authenticate, Items};
use crate::{Error, Result, Server};

/// Most bytes of an item that holds a part or a frame: two polynomials of 32768 residues, and a header.
const ITEM_BYTES: usize = 1 << 20;

/// One ciphertext as a device sent it. In memory a residue has eight bytes, about twice its bytes on the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    /// A frame of CKKS or BFV.
    Rns(isopod_wire::Frame),
    /// A frame of TFHE.
    Tfhe(TfheFrame),
}

impl Frame {
    /// The sender, and the number of the frame.
    pub fn id(&self) -> FrameId {
        match self {
            Self::Rns(frame) => frame.header.id,
            Self::Tfhe(frame) => frame.header.id,
        }
    }

    /// The key pair it was encrypted under.
    pub fn key_id(&self) -> KeyId {
        match self {
            Self::Rns(frame) => frame.header.key_id,
            Self::Tfhe(frame) => frame.header.key_id,
        }
    }

    /// Number of its rows.
    pub fn rows(&self) -> u32 {
        match self {
            Self::Rns(frame) => frame.header.grid().rows,
            // At most as many as the ring has coefficients.
            Self::Tfhe(frame) => frame.header.rows() as u32,
        }
    }

    /// Values of a row.
    pub fn columns(&self) -> usize {
        match self {
            Self::Rns(frame) => frame.header.grid().columns as usize,
            Self::Tfhe(frame) => frame.header.columns as usize,
        }
    }

    /// Names and standardisation of the columns, if the device says.
    pub fn packing(&self) -> Option<PackingId> {
        match self {
            Self::Rns(frame) => frame.header.claims.packing,
            Self::Tfhe(frame) => frame.header.packing,
        }
    }

    /// The frame of CKKS or BFV; refuses those of TFHE.
    ///
    /// # Errors
    /// [`Error::OtherScheme`].
    pub fn rns(self) -> Result<isopod_wire::Frame> {
        match self {
            Self::Rns(frame) => Ok(frame),
            Self::Tfhe(_) => Err(Error::OtherScheme { item: "frame" }),
        }
    }

    /// The frame of TFHE; refuses the others.
    ///
    /// # Errors
    /// [`Error::OtherScheme`].
    pub fn tfhe(self) -> Result<TfheFrame> {
        match self {
            Self::Tfhe(frame) => Ok(frame),
            Self::Rns(_) => Err(Error::OtherScheme { item: "frame" }),
        }
    }
}

/// Collects the frames of one evaluation from any number of sources, whatever the order of their parts. It holds all
/// of them; a refused item changes nothing, and those before it stay.
pub struct Inbox<'a> {
    server: &'a Server,
    assembler: Assembler,
    frames: BTreeMap<FrameId, Frame>,
    item_bytes: usize,
    sources: usize,
}

impl<'a> Inbox<'a> {
    /// An empty inbox for frames under the server's key pair.
    pub fn new(server: &'a Server, limits: Limits) -> Self {
        Self {
            server,
            assembler: Assembler::new(limits),
            frames: BTreeMap::new(),
            item_bytes: ITEM_BYTES,
            sources: 0,
        }
    }

    /// Takes items of up to `most` bytes in place of a megabyte, so that larger ones of another kind are named as such.
    pub fn with_item_bytes(mut self, most: usize) -> Self {
        self.item_bytes = most;
        self
    }

    /// Reads a source to its end.
    ///
    /// # Errors
    /// [`Error::At`] names the part or frame: what [`Envelope::read`] refuses, a tag, another key pair, a revoked
    /// device, a duplicate; [`Error::Read`].
    pub fn read(&mut self, source: impl Read) -> Result<()> {
        self.sources += 1;
        let mut items = Items::new(source, self.item_bytes);
        loop {
            let place = items.position();
            let item = items.next(|envelope| self.accept(envelope));
            match item.map_err(|error| error.at(format!("{} at byte {place}", self.item())))? {
                Some(()) => {}
                None => return Ok(()),
            }
        }
    }

    /// The frames in the order of device, epoch and sequence.
    ///
    /// # Errors
    /// [`isopod_wire::WireError::MissingParts`] of the first incomplete frame; [`Error::NoFrames`].
    pub fn complete(mut self) -> Result<Vec<Frame>> {
        let incomplete = self.assembler.incomplete().next();
        if let Some((id, _)) = incomplete {
            self.assembler.complete(id)?;
        }
        if self.frames.is_empty() {
            let sources = self.sources;
            return Err(Error::NoFrames { sources });
        }
        Ok(self.frames.into_values().collect())
    }

    /// Name of one item in messages.
    fn item(&self) -> &'static str {
        match self.server.set() {
            AnySet::Rns(_) => "part",
            AnySet::Tfhe(_) => "frame",
        }
    }

    fn accept(&mut self, envelope: Envelope<'_>) -> Result<()> {
        let (key_id, item) = (envelope.key_id(), self.item());
        let authentic = authenticate(envelope, self.server, self.server.key_id())?;
        let own = |set: AnySet| (key_id, set) == (self.server.key_id(), self.server.set());
        let frame = match self.server.set() {
            AnySet::Rns(_) => {
                let part = authentic.part()?;
                if !own(AnySet::Rns(part.header.params)) {
                    return Err(self.server.other_key(item, key_id));
                }
                let id = part.header.id;
                self.server.check_device(id)?;
                if !self.assembler.accept(part)? {
                    return Ok(());
                }
                Frame::Rns(self.assembler.complete(id)?)
            }
            AnySet::Tfhe(set) => {
                if !own(AnySet::Tfhe(set)) {
                    return Err(self.server.other_key(item, key_id));
                }
                let frame = authentic.tfhe_frame(set)?;
                self.server.check_device(frame.header.id)?;
                self.assembler.accept_tfhe(&frame)?;
                Frame::Tfhe(frame)
            }
        };
        self.frames.insert(frame.id(), frame);
        Ok(())
    }
}
