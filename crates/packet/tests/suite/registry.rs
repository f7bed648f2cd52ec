//! Contexts on disk: what was registered is there after a loss of power at any moment, and damage hides nothing else.
#![allow(clippy::unwrap_used)]

use crate::support::{header, name, server, Sender, FORM, KEY_ID, SET};
use isopod_disk::{Disk, Faults, Loss, SimulatedDisk};
use isopod_keys::ServerKeys;
use isopod_packet::{Registry, CONTEXTS_FILE};
use std::path::Path;
use std::sync::Arc;

const FOLDER: &str = "/server";

fn sender(number: u8, epoch: u32) -> Sender {
    let mut header = header(name(7, epoch, 0));
    header.log2_scale = 10 + epoch as u8;
    Sender::new(&header, number, FORM)
}

fn open(disk: &SimulatedDisk, keys: &ServerKeys) -> Registry {
    Registry::open(Arc::new(disk.process()), Path::new(FOLDER), keys).unwrap()
}

fn knows(registry: &Registry, sender: &Sender, epoch: u32) -> bool {
    let sequence = name(7, epoch, 5);
    let packet = sender.packet(sequence);
    let opened = registry.contexts().open(sequence, &packet);
    opened.is_ok()
}

#[test]
fn what_was_registered_is_there_after_a_loss_of_power_at_any_moment() {
    let keys = server(SET, KEY_ID);
    for fails_at in 0..40 {
        let disk = SimulatedDisk::new(fails_at);
        disk.make_folder(Path::new(FOLDER)).unwrap();
        disk.sync_folder(Path::new("/")).unwrap();
        disk.inject(Faults {
            power_after: Some(fails_at),
            ..Faults::default()
        });
        let mut registered = Vec::new();
        if let Ok(registry) = Registry::open(Arc::new(disk.process()), Path::new(FOLDER), &keys) {
            for number in 0..5 {
                let sender = sender(number, 1);
                if registry.register(&keys, &sender.item()).is_ok() {
                    registered.push(sender);
                }
            }
        }
        disk.inject(Faults::default());
        disk.restart(Loss::Power);
        let registry = open(&disk, &keys);
        for sender in &registered {
            assert!(knows(&registry, sender, 1), "operation {fails_at}");
        }
        registry.register(&keys, &sender(9, 1).item()).unwrap();
        let again = open(&disk, &keys);
        assert!(knows(&again, &sender(9, 1), 1), "behind a torn end");
        assert_eq!(again.damaged(), registry.damaged());
    }
}

#[test]
fn a_flipped_bit_hides_one_context_and_no_other() {
    let keys = server(SET, KEY_ID);
    let disk = SimulatedDisk::new(1);
    disk.make_folder(Path::new(FOLDER)).unwrap();
    let registry = open(&disk, &keys);
    for number in 0..4 {
        registry.register(&keys, &sender(number, 1).item()).unwrap();
    }
    let path = Path::new(FOLDER).join(CONTEXTS_FILE);
    let bytes = disk.length(&path).unwrap();
    for bit in 0..8 * bytes {
        let disk = disk.fork();
        disk.flip(&path, bit).unwrap();
        let damaged = open(&disk, &keys);
        let lost = (0..4).filter(|&number| !knows(&damaged, &sender(number, 1), 1));
        assert_eq!(lost.count(), 1, "bit {bit}");
        assert_eq!(damaged.damaged(), bytes / 4);
    }
}

#[test]
fn another_process_sees_what_was_added_once_it_looks() {
    let keys = server(SET, KEY_ID);
    let disk = SimulatedDisk::new(1);
    disk.make_folder(Path::new(FOLDER)).unwrap();
    let (one, two) = (open(&disk, &keys), open(&disk, &keys));
    one.register(&keys, &sender(1, 1).item()).unwrap();
    assert!(!knows(&two, &sender(1, 1), 1));
    assert!(two.refresh(&keys).unwrap());
    assert!(!two.refresh(&keys).unwrap());
    assert!(knows(&two, &sender(1, 1), 1));
    two.register(&keys, &sender(2, 1).item()).unwrap();
    one.register(&keys, &sender(3, 1).item()).unwrap();
    assert!(knows(&one, &sender(2, 1), 1));
}

#[test]
fn announcements_that_were_overtaken_do_not_fill_the_disk() {
    let keys = server(SET, KEY_ID);
    let disk = SimulatedDisk::new(1);
    disk.make_folder(Path::new(FOLDER)).unwrap();
    let registry = open(&disk, &keys);
    let first = Sender::usual(name(7, 1, 0));
    registry.register(&keys, &first.item()).unwrap();
    for epoch in 2..12_000 {
        let item = Sender::usual(name(7, epoch, 0)).item();
        registry.register(&keys, &item).unwrap();
    }
    let path = Path::new(FOLDER).join(CONTEXTS_FILE);
    assert!(disk.length(&path).unwrap() < 1 << 20);
    let again = open(&disk, &keys);
    let newest = first.packet(name(7, 11_999, 0));
    let contexts = again.contexts();
    let found = contexts.name(7, &newest, contexts.announced(7));
    assert_eq!(found.unwrap(), name(7, 11_999, 0));
    assert!(
        knows(&again, &first, 1),
        "stored packets of the first epoch"
    );
}

#[test]
fn a_context_that_cannot_be_written_is_not_registered() {
    let keys = server(SET, KEY_ID);
    let disk = SimulatedDisk::new(1);
    disk.make_folder(Path::new(FOLDER)).unwrap();
    let registry = open(&disk, &keys);
    let item = sender(1, 1).item();
    disk.inject(Faults {
        room: Some(40),
        ..Faults::default()
    });
    let refused = registry.register(&keys, &item).unwrap_err();
    assert!(refused.to_string().contains("contexts"), "{refused}");
    assert!(!knows(&registry, &sender(1, 1), 1));
    disk.inject(Faults::default());
    registry.register(&keys, &item).unwrap();
    assert!(knows(&open(&disk, &keys), &sender(1, 1), 1));
}
