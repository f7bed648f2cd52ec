//! Grants: an owner gives the pads of a range to a reader, who opens sums of these packets and of no others (`spec/pad.md`,
//! section 5).

use std::io::Read;
use std::path::Path;

use isopod_keys::{digest_of, read_private, KeysError, SecretKey};
use isopod_pad::{OwnerPads, PadPlace, RangeKey};
use isopod_wire::codes::size;
use isopod_wire::{Authenticator, Digested as _, PadGrant, PadRange, Relation, Tag};
use zeroize::Zeroizing;

use crate::item_reader::{authenticate, items};
use crate::owner::pad_sums::{pad_master, range, sums};
use crate::{Error, Opened, Owner, PadSpan, Result, Results};

/// Most bytes of a grant.
const MOST_BYTES: u64 = 1 << 17;

/// A grant that was opened. It holds secrets: not Debug, not Clone.
pub struct Grant {
    range: PadRange,
    reader: SecretKey,
    pads: RangeKey,
}

impl Owner {
    /// The file that opens sums of the packets of a range; `context` is the item that the device registered, and its key was
    /// verified.
    ///
    /// # Errors
    /// [`Error::OtherScheme`] for keys that are not of pads; [`Error::Wire`] for another context, and a range without a packet;
    /// [`Error::Parameter`] for a context of another device.
    pub fn grant(&self, context: &[u8], span: &PadSpan) -> Result<Zeroizing<Vec<u8>>> {
        let range = range(self.keys(), context, span)?;
        let place = place(&range);
        let tree = OwnerPads::new(pad_master(self.keys())?).tree(&place)?;
        let parts = tree.range(span.epoch, span.first, span.last)?.parts();
        let reader = self.keys().link().reader_key(&range.described());
        let mut grant = PadGrant {
            range,
            reader: reader.expose(),
            parts: &parts,
            digest: &[0; size::DIGEST],
        };
        let digest = digest_of(&grant);
        grant.digest = &digest;
        Ok(Zeroizing::new(grant.write()))
    }
}

fn place(range: &PadRange) -> PadPlace<'_> {
    PadPlace {
        description: &range.description,
        device: range.device,
        epoch: range.epoch,
        sequence: range.first.into(),
    }
}

impl Grant {
    /// Opens the file of a grant.
    ///
    /// # Errors
    /// [`Error::Keys`] for a file that others may read, or that is damaged; [`Error::At`] for one that is no grant.
    pub fn open(path: &Path) -> Result<Self> {
        let bytes = read_private(path, MOST_BYTES)?;
        let grant = PadGrant::read(&bytes);
        let grant = grant.map_err(|error| Error::from(error).at(path.display()))?;
        if digest_of(&grant) != *grant.digest {
            return Err(KeysError::Damaged(path.to_owned()).into());
        }
        Ok(Self {
            range: grant.range,
            reader: SecretKey::from_bytes(grant.reader),
            pads: RangeKey::new(&grant.range, grant.parts)?,
        })
    }

    /// The packets that it opens sums of: those from the first pad to the one before the last.
    pub fn range(&self) -> &PadRange {
        &self.range
    }

    /// Reads and authenticates results that the server sealed for this reader.
    ///
    /// # Errors
    /// Those of [`Owner::read`].
    pub fn read(&self, source: impl Read) -> Result<Results> {
        let results = items(source, |envelope| {
            Ok(authenticate(envelope, self, self.range.key_id)?.pad_result()?)
        })?;
        Results::Pads(results).check()
    }

    /// Opens results, in order.
    ///
    /// # Errors
    /// [`Error::Pad`] for packets outside of the range; [`Error::Contradiction`].
    pub fn open_results(&mut self, results: &Results) -> Result<Vec<Opened>> {
        let Results::Pads(results) = results else {
            return Err(Error::OtherScheme { item: "result" });
        };
        let results = results.iter().enumerate();
        results
            .map(|(at, result)| sums(at, &mut self.pads, result))
            .collect()
    }
}

impl Authenticator for Grant {
    fn verify(&self, relation: Relation, nonce: &[u8; 24], message: &[u8], tag: &Tag) -> bool {
        relation == Relation::Link && self.reader.verify(nonce, message, tag)
    }
}
