//! Intel HEX: lines of `:` and, in hexadecimal, length, address, type, data and the negated sum of these bytes.

use std::fmt::Write as _;

/// Bytes of a line.
const LINE: usize = 16;
const DATA: u8 = 0;
const END: u8 = 1;
const UPPER_ADDRESS: u8 = 4;

/// The lines of `data` from `address` on; none crosses a boundary of 64 KiB.
pub(super) fn image(address: u32, data: &[u8]) -> String {
    let (mut text, mut at, mut left) = (String::new(), address, data);
    let mut upper = None;
    while !left.is_empty() {
        if upper != Some(at >> 16) {
            upper = Some(at >> 16);
            record(
                &mut text,
                0,
                UPPER_ADDRESS,
                &((at >> 16) as u16).to_be_bytes(),
            );
        }
        let room = LINE - at as usize % LINE;
        let (now, later) = left.split_at(room.min(left.len()));
        record(&mut text, at as u16, DATA, now);
        at = at.wrapping_add(now.len() as u32);
        left = later;
    }
    record(&mut text, 0, END, &[]);
    text
}

fn record(text: &mut String, address: u16, kind: u8, data: &[u8]) {
    let [high, low] = address.to_be_bytes();
    let head = [data.len() as u8, high, low, kind];
    let sum = head
        .iter()
        .chain(data)
        .fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    text.push(':');
    for byte in head.iter().chain(data).chain([&sum.wrapping_neg()]) {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02X}");
    }
    text.push('\n');
}
