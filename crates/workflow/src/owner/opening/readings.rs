//! Values of the readings or rows of merged frames: pieces under the key of the frames are one ciphertext of a large ring, whose
//! slots hold them (`spec/merge.md`, section 6).

use isopod_device::Decryptor;
use isopod_lattigo::COEFFICIENT;
use isopod_linear::values_of_slots;
use isopod_share::Private;
use isopod_wire::{EncryptedResult, FrameId, Manifest, ValueType};

use crate::owner::opening::opened::{check_bound, Opened, Values};
use crate::owner::opening::position::{contradiction, ValuePosition};
use crate::progress::Steps;
use crate::request::descriptor::JobName;
use crate::{Error, Result};

/// Slots without a value hold -1, the others 0 to 1, all times the factor.
const HAS_VALUE: f64 = -0.5;
const IS_RAISED: f64 = 0.5;

/// Most pieces of a ciphertext: degree 2^16 of frames of 2048 coefficients.
const MOST_PIECES: usize = 32;

/// Opens the values of all readings or rows, `step` pieces at a time.
pub(crate) fn opened(
    decryptor: &mut Decryptor,
    results: &[EncryptedResult],
    step: usize,
    steps: &mut Steps<'_, '_>,
) -> Result<Vec<Opened>> {
    check_step(step)?;
    let mut opened = Vec::with_capacity(results.len() / step);
    for (number, pieces) in results.chunks(step).enumerate() {
        let at = number * step;
        let mut coefficients = vec![0.0; step * pieces[0].params.ring_degree];
        for (place, piece) in pieces.iter().enumerate() {
            let values = coefficients_of(at + place, decryptor, piece)?;
            let places = coefficients.iter_mut().skip(place).step_by(step);
            places.zip(values).for_each(|(to, value)| *to = value);
            steps.step();
        }
        opened.push(values(at, &pieces[0], &values_of_slots(&coefficients))?);
    }
    Ok(opened)
}

/// Refuses pieces of no ring: its degree is a power of two, of at least as many coefficients as a frame.
fn check_step(step: usize) -> Result<()> {
    if step.is_power_of_two() && step <= MOST_PIECES {
        return Ok(());
    }
    let problem = format!("{step} pieces; allowed are 1, 2, 4 and so on up to {MOST_PIECES}");
    Err(contradiction(0, problem))
}

/// All coefficients of a piece, which is refused if it has others, or fewer.
fn coefficients_of(
    at: usize,
    decryptor: &mut Decryptor,
    piece: &EncryptedResult,
) -> Result<Vec<f64>> {
    let degree = piece.params.ring_degree;
    if piece.rounded.is_none() || piece.slots().ne(0..degree) {
        let problem = format!("another; allowed are all {degree} coefficients of a piece");
        return Err(Error::Contradiction {
            at,
            field: "grid",
            problem,
        });
    }
    let values = Values::Real(decryptor.decrypt(piece, None)?.into_owner_only());
    check_bound(at, piece, &values)?;
    match values {
        Values::Real(values) => Ok(values),
        _ => Ok(Vec::new()),
    }
}

/// Each value with its place. Coefficient j of frame i is coefficient j * step + i of all.
fn values(at: usize, piece: &EncryptedResult, slots: &[f64]) -> Result<Opened> {
    let factor = piece.bound / COEFFICIENT;
    let slots: Vec<f64> = slots.iter().map(|value| value / factor).collect();
    let Some(manifest) = &piece.provenance.manifest else {
        let problem = "left out; allowed is one that names the frames".to_owned();
        return Err(contradiction(at, problem));
    };
    let (mut places, mut values) = (Vec::new(), Vec::new());
    for (frame, readings) in frames(at, manifest, &slots, piece.params.ring_degree)? {
        let (id, rows) = frame;
        let columns = columns(at, id, rows, &readings)?;
        for (number, reading) in (0..).zip(readings) {
            places.push(ValuePosition {
                frame: Some(id),
                row: Some(number / columns),
                column: number % columns,
            });
            values.push(reading.1);
        }
    }
    let (error, values) = match JobName::from_name(&piece.provenance.job) {
        Some(JobName::Alarm) => {
            let raised = values.iter().map(|value| i128::from(*value > IS_RAISED));
            let raised = raised.map(|raised| (ValueType::Bool, raised));
            (0.0, Values::Typed(raised.collect()))
        }
        // Entries are integers, and their error is below 1/2.
        Some(JobName::Table) => {
            let entries = values.iter().map(|value| (value * factor).round() as i128);
            let entries = entries.map(|entry| (ValueType::U8, entry));
            (0.0, Values::Typed(entries.collect()))
        }
        // Half of the range was added to scores.
        Some(JobName::Network | JobName::Forest | JobName::Classify) => {
            let scores = values.iter().map(|value| (value - 0.5) * factor);
            (piece.error, Values::Real(scores.collect()))
        }
        _ => {
            let values = values.iter().map(|value| value * factor);
            (piece.error, Values::Real(values.collect()))
        }
    };
    Ok(Opened {
        places,
        bound: None,
        error,
        values: Private::new(values),
    })
}

/// Coefficient and value of each reading.
type Readings = Vec<(usize, f64)>;

/// Each frame, with its readings in order.
fn frames(
    at: usize,
    manifest: &Manifest,
    values: &[f64],
    degree: usize,
) -> Result<Vec<((FrameId, u32), Readings)>> {
    let step = values.len() / degree;
    let of_frame = |frame: usize| {
        let values = values.iter().skip(frame).step_by(step).copied();
        let readings = values.enumerate().filter(|(_, value)| *value > HAS_VALUE);
        readings.collect::<Readings>()
    };
    let (frames, found) = (manifest.count() as usize, step);
    let is_empty = |frame| of_frame(frame).is_empty();
    if frames > found || !(frames..found).all(is_empty) {
        let problem =
            format!("{frames} frames; allowed are those of the readings, {found} or fewer");
        return Err(contradiction(at, problem));
    }
    let frames = manifest.frames().enumerate();
    Ok(frames
        .map(|(number, frame)| (frame, of_frame(number)))
        .collect())
}

/// Columns of a frame, whose rows all begin at multiples of one stride.
fn columns(at: usize, id: FrameId, rows: u32, readings: &Readings) -> Result<u32> {
    let (count, rows) = (readings.len(), rows as usize);
    let columns = count / rows;
    let is_even = columns > 0 && count % rows == 0 && {
        let stride = readings.get(columns).map_or(0, |second| second.0);
        let places = readings.iter().enumerate();
        let mut places = places
            .map(|(number, reading)| (number / columns * stride + number % columns, reading.0));
        places.all(|(wanted, found)| wanted == found)
    };
    match is_even {
        true => Ok(columns as u32),
        false => {
            let problem = format!(
                "{rows} rows of sequence {} of device {}, which has {count} readings; allowed are rows of as many columns each",
                id.sequence, id.device
            );
            Err(contradiction(at, problem))
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const ID: FrameId = FrameId {
        device: 4,
        epoch: 1,
        sequence: 8,
    };

    /// Readings at these coefficients of a frame of so many rows.
    fn columns_of(rows: u32, places: &[usize]) -> Option<u32> {
        let readings = places.iter().map(|&place| (place, 1.0)).collect();
        columns(3, ID, rows, &readings).ok()
    }

    #[test]
    fn columns_follow_from_the_places_of_readings() {
        assert_eq!(columns_of(1, &[0, 1, 2]), Some(3));
        assert_eq!(columns_of(3, &[0, 1, 2]), Some(1));
        assert_eq!(columns_of(2, &[0, 1, 4, 5]), Some(2));
        for (rows, places) in [
            (2, &[0, 1, 4][..]),
            (2, &[]),
            (2, &[0, 2, 4, 5]),
            (3, &[0, 1, 4, 5, 9, 10]),
            (1, &[1, 2]),
            (4, &[0, 1]),
        ] {
            assert_eq!(columns_of(rows, places), None, "{rows} {places:?}");
        }
    }

    #[test]
    fn pieces_of_no_ring_are_refused() {
        assert!([1, 2, 32].iter().all(|&step| check_step(step).is_ok()));
        for step in [0, 3, 31, 64] {
            let refusal = check_step(step).unwrap_err().to_string();
            assert!(
                refusal.contains(&format!("{step} pieces; allowed are 1, 2, 4")),
                "{refusal}"
            );
        }
    }

    #[test]
    fn readings_of_no_frame_are_refused() {
        let manifest = Manifest::of([(ID, 2)]).unwrap();
        // Two frames of four coefficients in turns.
        let mut values = vec![-1.0; 8];
        (values[0], values[2]) = (0.1, 0.9);
        let frames_of = |values: &[f64]| frames(0, &manifest, values, 4);
        assert_eq!(frames_of(&values).unwrap()[0].1, [(0, 0.1), (1, 0.9)]);
        values[1] = 0.0;
        let refusal = frames_of(&values).unwrap_err().to_string();
        assert!(
            refusal.contains("1 frames; allowed are those of the readings"),
            "{refusal}"
        );
    }
}
