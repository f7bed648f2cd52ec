//! A holder's share on a board: moved there, and what the board contributes (`spec/owners.md`, section 4).

use std::path::Path;

use isopod_holders::on_board;
use isopod_keys::{
    board_share_blob, HolderFolder, HolderKeys, KeysError, Passphrase, SecretBytes, SecretKey,
};
use isopod_linear::{Machine, Ring};
use isopod_owners::{unpack_polynomial, Answering, BoardNoise, Plan};
use isopod_wire::{BoardContribution, BoardShare, EncryptedResult};
use zeroize::Zeroizing;

use crate::owner::holders::fleet::finished;
use crate::{Error, Result};

/// A share that is on its way to a board.
pub struct MovingShare {
    folder: HolderFolder,
    keys: HolderKeys,
    transport: SecretKey,
}

impl MovingShare {
    /// Opens a holder's folder whose share moves to a board, and draws the key that board and folder share.
    ///
    /// # Errors
    /// [`Error::Parameter`] before the ceremony ended, and if a board has the share; what `passphrase` returns.
    pub fn open<E: From<KeysError> + From<Error>>(
        folder: &Path,
        passphrase: impl FnOnce() -> std::result::Result<Passphrase, E>,
    ) -> std::result::Result<Self, E> {
        let folder = HolderFolder::open(folder, passphrase)?;
        let keys = finished(&folder)?;
        if keys.board().is_some() {
            return Err(Error::from(on_board()).into());
        }
        if keys.next().is_some() {
            let problem = "a refresh is under way; allowed is a folder that finished it";
            return Err(Error::parameter("keys", problem).into());
        }
        Ok(Self {
            folder,
            keys,
            transport: SecretKey::random()?,
        })
    }

    /// The file for the board's flash. From then on the count includes the move, so that no older copy of the folder counts on.
    ///
    /// # Errors
    /// [`Error::Owners`] for a set that no board answers for.
    pub fn file(&self) -> Result<SecretBytes> {
        let invitation = &self.keys.invitation;
        let noise = BoardNoise::new(invitation)?;
        let set = invitation.params;
        let ring = Ring::new(set, set.data_primes.len(), Machine::best())?;
        let share = unpack_polynomial(&ring, "share", &self.keys.share)?;
        let head = BoardShare {
            invitation,
            key_id: self.keys.key_id,
            holder: self.keys.holder,
            bits: noise.bits,
            shift: noise.shift,
            used: self.keys.used() + 1,
            link: self.keys.link.expose(),
            transport: self.transport.expose(),
        };
        Ok(board_share_blob(&head, &share))
    }

    /// Takes the share out of the folder; the caller has written the file, durably. The move counts as one answer.
    ///
    /// # Errors
    /// [`Error::Keys`]; without room in the count, the share is still there.
    pub fn finish(mut self, anchors: &Path) -> Result<u64> {
        self.keys.share = Zeroizing::new(self.transport.expose().to_vec());
        self.folder.charge(&mut self.keys, anchors, 1)?;
        Ok(self.keys.invitation.queries - self.keys.used())
    }
}

/// Values of the contributions of a board to all results, in order, and the count that the board is at.
///
/// # Errors
/// [`Error::Parameter`] if no board has the share, for a file that the board did not make for these results and holders, and for
/// a count that was set back; [`Error::Wire`].
pub(super) fn values(
    keys: &HolderKeys,
    (results, plans): (&[EncryptedResult], &[Plan]),
    answering: &Answering,
    files: &[Vec<u8>],
) -> Result<(Vec<Vec<u128>>, u64)> {
    let refuse = |problem: String| Err(Error::parameter("from_board", problem));
    let Some(transport) = keys.board() else {
        return refuse(
            "the share is in this folder; allowed is a board once isopod owner move took it there"
                .to_owned(),
        );
    };
    if files.len() != results.len() {
        let (found, wanted) = (files.len(), results.len());
        return refuse(format!(
            "{found} files; allowed is one for each of the {wanted} results, in order"
        ));
    }
    let (mut count, mut values) = (keys.used(), Vec::new());
    for (file, (result, plan)) in files.iter().zip(results.iter().zip(plans)) {
        let found = BoardContribution::read(file, keys.invitation.params.ring_degree)?;
        if !transport.verify(&found.nonce, found.message, found.tag) {
            return refuse("is not of the board that has the share, or changed; allowed is what that board wrote".to_owned());
        }
        check(keys, (result, plan), answering, &found)?;
        if found.count <= count {
            return refuse(format!(
                "the board counts {}, and {count} were counted before; allowed is a new contribution of a board whose count was \
                 not set back",
                found.count
            ));
        }
        count = found.count;
        let mut bytes = Zeroizing::new(found.values.to_vec());
        transport.decipher(&found.nonce, &mut bytes);
        values.push(found.numbers(&bytes));
    }
    Ok((values, count))
}

/// Refuses a contribution to another result, or for other holders.
fn check(
    keys: &HolderKeys,
    (result, plan): (&EncryptedResult, &Plan),
    answering: &Answering,
    found: &BoardContribution<'_>,
) -> Result<()> {
    let refuse = |problem: &str| Err(Error::parameter("from_board", problem));
    if (found.key_id, found.holder) != (keys.key_id, keys.holder) {
        return refuse(
            "the contribution is of another key or holder; allowed is one of this share",
        );
    }
    if found.result != result.nonce {
        return refuse("the contribution is to another result; allowed is one to this result");
    }
    if u32::from(found.bits) != plan.bits {
        return refuse(
            "the board rounds values otherwise; allowed are as many bits as this answer takes",
        );
    }
    if found.answering != answering.numbers() {
        return refuse("the board answered for other holders; allowed are those of --with");
    }
    Ok(())
}
