//! A fleet with linear tags: frames of integers in the clear, their tags as devices make them, and honest sums.

use isopod_keys::{linear_pad_key, linear_point, LinearMaster, OwnerKeys};
use isopod_verify::{Claim, ColumnClaim, Pads, Period, Shape};
use isopod_wire::{FrameId, LinearTag, Manifest};
use serde_json::Value;

/// n of the frames.
pub const DEGREE: u32 = 1024;
/// Values of a frame, at places 0, 1, ...
pub const VALUES: u32 = 7;
pub const GROUP: u32 = 0;
pub const PERIOD: u32 = 3;

/// One device's frame.
#[derive(Clone)]
pub struct Sent {
    pub id: FrameId,
    pub values: Vec<i64>,
    pub tag: LinearTag,
}

/// The words of a server.
#[derive(Clone)]
pub struct Answer {
    pub values: Vec<(u32, i64)>,
    pub frames: Vec<FrameId>,
    pub tag: LinearTag,
    pub shape: Shape,
}

pub fn shape() -> Shape {
    Shape {
        columns: VALUES,
        stride: VALUES,
        packing: Some([9; 16]),
        log2_unit: 0,
    }
}

pub fn owner() -> OwnerKeys {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../spec/vectors/rounded.json"
    );
    let vectors: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let blob = hex::decode(vectors["rounded_items"][0]["secret"].as_str().unwrap()).unwrap();
    OwnerKeys::new(blob.into()).unwrap()
}

/// sum of value * r^(n - place), by its definition.
pub fn polynomial(point: u64, values: impl IntoIterator<Item = (u32, i64)>) -> u64 {
    let p = i128::from(LinearTag::MODULUS);
    let power = |exponent: u32| (0..exponent).fold(1i128, |power, _| power * i128::from(point) % p);
    let terms = values.into_iter();
    let sum = terms.fold(0, |sum, (place, value)| {
        (sum + i128::from(value) * power(DEGREE - place)).rem_euclid(p)
    });
    sum as u64
}

/// The sums of columns of frames of some rows, and their tag: (device, sequence, rows), with values by a rule.
pub struct Table {
    pub shape: Shape,
    pub frames: Vec<(FrameId, u32)>,
    pub values: Vec<i64>,
    pub tag: LinearTag,
}

/// The value of a row in a column of a frame.
pub fn cell(id: FrameId, row: u32, column: u32) -> i64 {
    ((id.device * 31 + id.sequence * 7 + u64::from(row) * 5 + u64::from(column)) % 50) as i64 - 20
}

/// The honest answer to frames in this shape.
pub fn columns(master: &LinearMaster, shape: Shape, frames: &[(FrameId, u32)]) -> Table {
    let p = i128::from(LinearTag::MODULUS);
    let (mut values, mut tag) = (vec![0; shape.columns as usize], LinearTag::new(PERIOD, 0));
    for &(id, rows) in frames {
        let secrets = master.secrets(GROUP, id.device, PERIOD);
        let point = i128::from(*linear_point(&secrets.group));
        let mut total = 0;
        for row in 0..rows {
            let mut polynomial = i128::from(shape.stride == 0);
            for (column, sum) in (0..).zip(&mut values) {
                *sum += cell(id, row, column);
                polynomial = (polynomial * point + i128::from(cell(id, row, column))).rem_euclid(p);
            }
            total = (total + polynomial * point).rem_euclid(p);
        }
        let mut pads = Pads::new(&linear_pad_key(&secrets.device), &shape, id.epoch);
        let hidden = (total + i128::from(pads.pad(id.sequence))).rem_euclid(p);
        tag = tag.plus(LinearTag::new(PERIOD, hidden as u64), 1).unwrap();
    }
    Table {
        shape,
        frames: frames.to_vec(),
        values,
        tag,
    }
}

impl Table {
    /// Whether the owner believes it.
    pub fn is_believed(&self, period: &Period<'_>) -> bool {
        period.proves_columns(&ColumnClaim {
            shape: self.shape,
            manifest: &Manifest::of(self.frames.iter().copied()).unwrap(),
            tag: self.tag,
            values: &self.values,
        })
    }
}

/// The frame of a device.
pub fn sent(master: &LinearMaster, id: FrameId, period: u32) -> Sent {
    let values: Vec<i64> = (0..VALUES)
        .map(|place| (id.device * 31 + id.sequence * 7 + u64::from(place) * 3) as i64 % 50 - 20)
        .collect();
    let secrets = master.secrets(GROUP, id.device, period);
    let places = (0..).zip(values.iter().copied());
    let point = linear_point(&secrets.group);
    let mut pads = Pads::new(&linear_pad_key(&secrets.device), &shape(), id.epoch);
    let number = u128::from(polynomial(*point, places)) + u128::from(pads.pad(id.sequence));
    Sent {
        id,
        values,
        tag: LinearTag::new(period, (number % u128::from(LinearTag::MODULUS)) as u64),
    }
}

/// Sequences 0 to 4 of four devices.
pub fn fleet(master: &LinearMaster) -> Vec<Sent> {
    let ids = (1..5).flat_map(|device| {
        (0..5).map(move |sequence| FrameId {
            device,
            epoch: 2,
            sequence,
        })
    });
    ids.map(|id| sent(master, id, PERIOD)).collect()
}

/// The honest answer to frames.
pub fn honest(frames: &[Sent]) -> Answer {
    let value = |place: usize| frames.iter().map(|frame| frame.values[place]).sum();
    let zero = LinearTag::new(PERIOD, 0);
    Answer {
        values: (0..VALUES)
            .map(|place| (place, value(place as usize)))
            .collect(),
        frames: frames.iter().map(|frame| frame.id).collect(),
        tag: frames
            .iter()
            .fold(zero, |sum, frame| sum.plus(frame.tag, 1).unwrap()),
        shape: shape(),
    }
}

impl Answer {
    /// Whether the owner believes it.
    pub fn is_believed(&self, period: &Period<'_>) -> bool {
        let Ok(manifest) = Manifest::of(self.frames.iter().map(|id| (*id, 1))) else {
            return false;
        };
        period.proves(&Claim {
            ring_degree: DEGREE,
            shape: self.shape,
            manifest: &manifest,
            tag: self.tag,
            values: &self.values,
        })
    }
}
