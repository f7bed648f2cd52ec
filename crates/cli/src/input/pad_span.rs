//! Packets of one device as an option names them.

use isopod_workflow::PadSpan;

/// Packets as DEVICE:EPOCH:FIRST-LAST: their pads are one more.
pub fn span(text: &str) -> Result<PadSpan, String> {
    let read = || {
        let (device, rest) = text.split_once(':')?;
        let (epoch, rest) = rest.split_once(':')?;
        let (first, last) = rest.split_once('-')?;
        let last: u32 = last.parse().ok()?;
        Some(PadSpan {
            device: device.parse().ok()?,
            epoch: epoch.parse().ok()?,
            first: first.parse().ok()?,
            last: last.checked_add(1)?,
        })
    };
    let span = read().filter(|span| span.first < span.last);
    span.ok_or_else(|| {
        "allowed is DEVICE:EPOCH:FIRST-LAST with sequences below 4294967295, such as 7:1:0-2975"
            .to_owned()
    })
}
