//! Repair of the log: damage is found, mended from another copy, or given up.

use std::collections::BTreeSet;

use isopod_disk::Access;
use isopod_wire::{FrameId, KeyId};

use crate::damage::{Damage, DamageState};
use crate::error::{Result, StoreError};
use crate::log::Log;
use crate::record::{Head, Kind};
use crate::writer::NewFrame;

/// Surroundings of damage.
#[derive(Debug, Clone)]
pub struct Around {
    /// Arrival of the frame before it, in milliseconds since 1970.
    pub earliest: u64,
    /// Arrival of the frame behind it.
    pub latest: u64,
    /// Frames around it: none of them is in it.
    pub names: BTreeSet<(KeyId, FrameId)>,
}

impl Around {
    /// Whether a frame may have been in the damage.
    pub fn may_hold(&self, key_id: KeyId, id: FrameId, received: u64) -> bool {
        (self.earliest..=self.latest).contains(&received) && !self.names.contains(&(key_id, id))
    }
}

impl Log {
    /// Damage that is known, also that which no longer counts.
    pub fn damage(&self) -> Vec<Damage> {
        self.shared.index().damage.clone()
    }

    /// Gives up all damage that counts: its frames are left out from now on. Returns it.
    ///
    /// # Errors
    /// [`StoreError::File`], [`StoreError::Full`].
    pub fn give_up_damage(&self) -> Result<Vec<Damage>> {
        let mut index = self.shared.index();
        let mut given_up = Vec::new();
        for damage in &mut index.damage {
            if damage.state == DamageState::Open {
                damage.state = DamageState::GivenUp;
                given_up.push(damage.clone());
            }
        }
        drop(index);
        self.commit_index()?;
        Ok(given_up)
    }

    /// Reads all records that are on disk, remembers the damage among them, and forgets damage that is there no more, as after
    /// a file was restored. It ends early where `goes_on`, which learns the bytes of each record, says so.
    ///
    /// # Errors
    /// [`StoreError::File`].
    pub fn verify(&self, mut goes_on: impl FnMut(usize) -> bool) -> Result<()> {
        let (known, mut met) = (self.damage(), Vec::new());
        let mut frames = self.frames(0);
        loop {
            let bytes = match frames.next() {
                None => break,
                Some(Err(StoreError::Lost(damage))) => {
                    met.push(*damage);
                    0
                }
                Some(frame) => frame?.bytes.len(),
            };
            if !goes_on(bytes) {
                return Ok(());
            }
        }
        let is_whole = |damage: &Damage| {
            damage.state == DamageState::Open
                && known.contains(damage)
                && !met.iter().any(|met| met.overlaps(damage))
        };
        let mut index = self.shared.index();
        index.damage.retain(|damage| !is_whole(damage));
        Ok(())
    }

    /// Surroundings of damage, by which its frames can be found elsewhere.
    ///
    /// # Errors
    /// [`StoreError::File`].
    pub fn around(&self, damage: &Damage) -> Result<Around> {
        let base = damage.position - damage.offset;
        let mut around = Around {
            earliest: 0,
            latest: u64::MAX,
            names: BTreeSet::new(),
        };
        for head in self.frames(base).heads() {
            let (position, head) = head?;
            if position < damage.position {
                around.earliest = head.received;
            } else if around.latest == u64::MAX {
                around.latest = head.received;
            } else if head.received > around.latest {
                break;
            }
            around.names.insert((head.key_id, head.id));
        }
        Ok(around)
    }

    /// Puts frames in the place of damage, if their records fill it exactly: each is the frame of a header that was read, or
    /// all of them in order are the records between its neighbours. Returns whether it is mended.
    ///
    /// # Errors
    /// [`StoreError::File`], [`StoreError::Full`].
    pub fn mend(&self, damage: &Damage, frames: &[NewFrame]) -> Result<bool> {
        let _alone = self.maintain();
        let (mut bytes, mut heads) = (Vec::new(), Vec::new());
        for frame in frames {
            let head = Head::new(Kind::Frame, frame.key_id, frame.id, &frame.bytes);
            let head = head.at_time(frame.received);
            if damage.head.is_some_and(|known| known != head) {
                return Ok(false);
            }
            bytes.extend(head.bytes(damage.position + bytes.len() as u64));
            bytes.extend(&frame.bytes);
            heads.push(head);
        }
        let is_open = |known: &Damage| known == damage && known.state == DamageState::Open;
        let is_known = self.shared.index().damage.iter().any(is_open);
        if bytes.len() as u64 != damage.bytes || !is_known {
            return Ok(false);
        }
        let file = self.shared.segments.disk.open(&damage.path, Access::Write);
        file.and_then(|file| {
            file.write_at(&bytes, damage.offset)
                .and_then(|()| file.sync())
        })
        .map_err(StoreError::file(&damage.path))?;
        {
            let mut index = self.shared.index();
            index.damage.retain(|known| known != damage);
            for head in &heads {
                index.learn(head)?;
            }
        }
        self.commit_index()?;
        Ok(true)
    }
}
