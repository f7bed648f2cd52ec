//! Frames from sources of every shape, and refusals of the inbox.
#![allow(clippy::unwrap_used)]

use std::io::Read;

use crate::support::{frames, Place};
use isopod_wire::WireError;
use isopod_workflow::{Class, Error, Inbox, Items, Message};

/// A source that gives a byte at a time.
struct Trickle<'a>(&'a [u8]);

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let most = buffer.len().min(1);
        self.0.read(&mut buffer[..most])
    }
}

fn message() -> Message {
    Message::Real(vec![1.0, -2.0])
}

#[test]
fn sources_may_be_split_anywhere_and_in_any_order() {
    let place = Place::new("ckks-4096x2-linear", &[]);
    let server = place.server();
    let (one, two) = (place.items(2, 0, &message()), place.items(1, 9, &message()));
    let mixed = [&one[1][..], &two[0], &two[1]].concat();
    let mut inbox = Inbox::new(&server);
    inbox.read(Trickle(&mixed)).unwrap();
    inbox.read(&one[0][..]).unwrap();
    let ids: Vec<_> = inbox
        .complete()
        .unwrap()
        .iter()
        .map(|frame| frame.id())
        .collect();
    assert_eq!([ids[0].device, ids[1].device], [1, 2]);
    assert_eq!([ids[0].sequence, ids[1].sequence], [9, 0]);
}

#[test]
fn refusals_name_the_item_and_keep_the_rest() {
    let place = Place::new("ckks-1024x1-sum", &[]);
    let server = place.server();
    let good = place.items(1, 0, &message()).concat();
    let mut inbox = Inbox::new(&server);
    inbox.read(&good[..]).unwrap();
    let mut damaged = place.items(1, 1, &message()).concat();
    damaged[3000] ^= 1;
    let error = inbox.read(&[&damaged[..]].concat()[..]).unwrap_err();
    assert_eq!(Class::of(&error), Some(Class::Authentication));
    assert_eq!(error.to_string(), "part at byte 0");
    let twice = inbox.read(&good[..]).unwrap_err();
    assert_eq!(Class::of(&twice), Some(Class::Input));
    let cut = place.items(1, 2, &message()).concat();
    let cut = inbox
        .read(&[&cut[..], &cut[..40]].concat()[..])
        .unwrap_err();
    assert_eq!(cut.to_string(), format!("part at byte {}", good.len()));
    assert_eq!(inbox.complete().unwrap().len(), 2);
}

#[test]
fn nothing_and_other_peoples_frames_are_refused() {
    let place = Place::new("ckks-1024x1-sum", &[]);
    let other = Place::new("ckks-1024x1-sum", &[]);
    let server = place.server();
    let none = frames(&server, &[b"", b""]).unwrap_err();
    assert!(matches!(none, Error::NoFrames { sources: 2 }));
    let foreign = other.items(1, 0, &message()).concat();
    let error = frames(&server, &[&foreign]).unwrap_err();
    assert_eq!(Class::of(&error), Some(Class::Authentication));
}

#[test]
fn a_missing_part_is_named() {
    let place = Place::new("ckks-4096x2-linear", &[]);
    let parts = place.items(1, 5, &message());
    let error = frames(&place.server(), &[&parts[1]]).unwrap_err();
    assert!(
        matches!(&error, Error::Wire(WireError::MissingParts { sequence: 5, missing, .. }) if missing == &[0]),
        "{error}"
    );
}

#[test]
fn items_beyond_the_limit_are_not_held() {
    let place = Place::new("ckks-4096x2-linear", &[]);
    let part = &place.items(1, 0, &message())[0];
    let small = 1 << 10;
    let mut items = Items::new(Trickle(part), small);
    let error = items.next(|_| Ok(())).unwrap_err();
    assert!(
        matches!(error, Error::Wire(WireError::Length { field: "item", .. })),
        "{error}"
    );
}
