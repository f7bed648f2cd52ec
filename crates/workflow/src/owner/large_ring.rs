//! Keys of the large ring, with which a server bootstraps merged frames: made by a program of its own, from the owner's key.

use std::path::Path;

use isopod_lattigo::{generate, KeySet, Size};
use sha3::{Digest, Sha3_256};
use zeroize::Zeroizing;

use crate::owner::decryption::{coefficients, Owner};
use crate::progress::{Progress, Report, Stage};
use crate::{Error, Result};

/// Label of the seed that the secrets of the large ring follow from.
const SEED_LABEL: &[u8] = b"isopod large ring 1";

impl Owner {
    /// Makes the keys of a size in a folder, by the program `isopod-deep-keys`. Keys that the folder has already stay, so that an
    /// interrupted call goes on.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a set whose frames are not merged; [`Error::Lattigo`].
    pub fn large_ring_keys(
        &self,
        program: &Path,
        size: &Size,
        folder: &Path,
        report: &mut Report<'_>,
    ) -> Result<KeySet> {
        let set = self.set().name();
        if set != size.frames {
            let problem = format!("{set}; allowed with {} is {}", size.name, size.frames);
            return Err(Error::parameter("set", problem));
        }
        let secret = coefficients(self.keys())?;
        let seed = self.large_ring_seed(size);
        let mut progress = |done: u32, total: u32| {
            report(Progress {
                stage: Stage::MakingKeys,
                done: done as usize,
                total: total as usize,
            });
        };
        Ok(generate(
            program,
            size,
            folder,
            (&secret, &seed),
            &mut progress,
        )?)
    }

    /// A seed that only the owner's key gives, the same in every call.
    fn large_ring_seed(&self, size: &Size) -> Zeroizing<[u8; 32]> {
        let digest = Sha3_256::new()
            .chain_update(SEED_LABEL)
            .chain_update(size.name)
            .chain_update(self.keys().secret_blob());
        Zeroizing::new(digest.finalize().into())
    }
}
