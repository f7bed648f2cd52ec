//! Frames over a serial line, and from bytes that were recorded there.
#![allow(clippy::unwrap_used)]

use std::fs::File;
use std::io::{Read, Write};
use std::process::Stdio;

use crate::support::Place;
use isopod_link::{serial_bytes, SerialReader};

const DATA: u8 = 0x10;
const LAST: u8 = 0x20;
const ASKS: u8 = 0x40;

fn packet(kind: u8, transfer: u16, number: u16, payload: &[u8]) -> Vec<u8> {
    let head = [&[kind][..], &transfer.to_le_bytes(), &number.to_le_bytes()].concat();
    serial_bytes(&[&head, payload].concat())
}

/// Two frames; the second lacks a byte of its second packet, noise stands between them.
fn recording() -> Vec<u8> {
    let mut damaged = packet(DATA, 2, 1, b"four");
    damaged.remove(5);
    [
        packet(DATA, 1, 0, b"one "),
        packet(DATA | LAST | ASKS, 1, 1, b"two"),
        b"\x07noise".to_vec(),
        packet(DATA, 2, 0, b"three "),
        damaged,
        packet(DATA | LAST, 2, 2, b"five"),
    ]
    .concat()
}

#[test]
fn a_recording_gives_its_whole_frames() {
    let place = Place::new();
    place.write("line.bin", recording());
    let receive = ["receive", "--in", "line.bin", "--out", "frames.bin"];
    let said = place.json(&receive);
    assert_eq!(place.read("frames.bin"), b"one two");
    assert_eq!(said["frames"], 1);
    assert_eq!(said["incomplete_frames"], 1);
    assert_eq!(said["damaged_packets"], 2);
    place.run(&receive).success();
    assert_eq!(place.read("frames.bin"), b"one twoone two", "appended");
}

#[test]
fn wrong_command_lines_are_refused() {
    let place = Place::new();
    place.write("line.bin", recording());
    let both = [
        "receive", "--in", "line.bin", "--serial", "tty", "--out", "x",
    ];
    place.refusal(2, &both);
    place.refusal(2, &["receive", "--out", "x"]);
    let same = place.refusal(3, &["receive", "--in", "line.bin", "--out", "line.bin"]);
    assert!(same.contains("same file"), "{same}");
    let none = place.refusal(1, &["receive", "--serial", "missing", "--out", "x"]);
    assert!(none.contains("missing"), "{none}");
    let file = place.refusal(1, &["receive", "--serial", "line.bin", "--out", "x"]);
    assert!(file.contains("line.bin"), "{file}");
    assert!(!place.exists("x"));
}

/// The terminal's two ends: the device's, and the name of the host's.
fn line() -> (File, String) {
    use rustix::pty::{grantpt, openpt, ptsname, unlockpt, OpenptFlags};
    let device = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&device).unwrap();
    unlockpt(&device).unwrap();
    let name = ptsname(&device, Vec::new()).unwrap();
    (device.into(), name.into_string().unwrap())
}

fn answer(device: &mut File, reader: &mut SerialReader) -> Vec<u8> {
    let mut byte = [0];
    loop {
        device.read_exact(&mut byte).unwrap();
        if let Some(packet) = reader.read(byte[0]) {
            return packet;
        }
    }
}

#[test]
fn the_line_is_asked_for_what_got_lost() {
    let place = Place::new();
    let (mut device, name) = line();
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("isopod"))
        .args(["receive", "--serial", &name, "--out"])
        .arg(place.path("frames.bin"))
        .args(["--frames", "1", "--silence", "20", "--json"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // The program has to have the line open, and raw, before something is sent.
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let mut reader = SerialReader::default();
    device.write_all(&packet(DATA, 7, 0, b"first ")).unwrap();
    device
        .write_all(&packet(DATA | LAST | ASKS, 7, 2, b"third"))
        .unwrap();
    assert_eq!(
        answer(&mut device, &mut reader),
        [0x80, 7, 0, 1, 0, 1, 0, 0, 0],
        "1 is missing, 2 is there"
    );
    device
        .write_all(&packet(DATA | ASKS, 7, 1, b"second "))
        .unwrap();
    assert_eq!(
        answer(&mut device, &mut reader),
        [0x80, 7, 0, 3, 0, 0, 0, 0, 0],
        "all are there"
    );
    assert!(child.wait().unwrap().success());
    assert_eq!(place.read("frames.bin"), b"first second third");
}
