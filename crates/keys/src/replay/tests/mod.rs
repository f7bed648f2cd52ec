//! The memory on a simulated disk.
#![allow(clippy::unwrap_used)]

mod histories;
mod model;
mod size;

use std::path::Path;
use std::sync::Arc;

use isopod_disk::{Disk, SimulatedDisk};
use isopod_wire::FrameId;

use super::Replay;
use crate::fleet::Revoked;

const KEY: [u8; 16] = [7; 16];
const FOLDER: &str = "/keys/server";

fn id(device: u64, epoch: u32, sequence: u64) -> FrameId {
    FrameId {
        device,
        epoch,
        sequence,
    }
}

fn replay(disk: &(impl Disk + Clone + 'static)) -> Replay {
    Replay::on(Arc::new(disk.clone()), Path::new(FOLDER), KEY)
}

/// An empty memory and an empty list of revoked devices.
fn make(disk: &(impl Disk + Clone + 'static)) -> Replay {
    let folder = Path::new(FOLDER);
    disk.make_folder(folder).unwrap();
    disk.sync_folder(folder.parent().unwrap()).unwrap();
    Revoked::make(disk, folder, KEY).unwrap();
    let replay = replay(disk);
    replay.file.make().unwrap();
    replay
}

fn empty(seed: u64) -> (SimulatedDisk, Replay) {
    let disk = SimulatedDisk::new(seed);
    let replay = make(&disk);
    (disk, replay)
}
