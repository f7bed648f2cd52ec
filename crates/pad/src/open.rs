//! Opening sums: two pads come off for each run (`spec/pad.md`, section 4).

use isopod_keys::PadMaster;
use isopod_wire::{KeyId, PadSum};
use zeroize::Zeroizing;

use crate::place::{PadPlace, Pads};
use crate::sum::check_overflow;
use crate::tree::PadTree;
use crate::Result;

/// All pads of an owner. The tree of the device that was asked for last is kept.
pub struct OwnerPads {
    master: PadMaster,
    key_id: KeyId,
    newest: Option<PadTree>,
}

impl OwnerPads {
    /// The pads under an owner's key.
    pub fn new(master: PadMaster) -> Self {
        let key_id = master.key_id();
        Self {
            master,
            key_id,
            newest: None,
        }
    }

    /// The tree of a context.
    ///
    /// # Errors
    /// Those of [`PadTree::new`].
    pub fn tree(&self, place: &PadPlace<'_>) -> Result<PadTree> {
        PadTree::new(place, &self.key_id, &self.master.device(place.device))
    }
}

impl Pads for OwnerPads {
    fn pad(&mut self, place: &PadPlace<'_>) -> Result<Zeroizing<Vec<u32>>> {
        let known = self.newest.take_if(|tree| !tree.has(place));
        drop(known);
        let tree = match self.newest.take() {
            Some(tree) => tree,
            None => self.tree(place)?,
        };
        self.newest.insert(tree).pad(place)
    }
}

/// The true sums: those of the server, less two pads for each run.
///
/// # Errors
/// [`PadError::Overflow`] if they may be wrong; [`PadError::Outside`].
pub fn open_sum(sum: &PadSum, pads: &mut impl Pads) -> Result<Vec<i64>> {
    check_overflow(sum)?;
    let mut total = Zeroizing::new(sum.sums.clone());
    for run in &sum.runs {
        let description = &sum.contexts[run.context as usize];
        let mut pad = |sequence| {
            pads.pad(&PadPlace {
                description,
                device: run.device,
                epoch: run.epoch,
                sequence,
            })
        };
        let (first, after) = (pad(run.first)?, pad(run.last + 1)?);
        for ((value, first), after) in total.iter_mut().zip(&*first).zip(&*after) {
            let left = first.wrapping_sub(*after).wrapping_mul(run.weight as u32);
            *value = value.wrapping_sub(left);
        }
    }
    let width = sum.contexts.first().map_or(4, |context| context.width);
    let unused = 32 - 8 * u32::from(width);
    let signed = |&value: &u32| i64::from((value << unused) as i32 >> unused);
    Ok(total.iter().map(signed).collect())
}
