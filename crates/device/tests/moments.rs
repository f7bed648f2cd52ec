//! The known answers of squares and products of columns (`spec/vectors/moments.json`), which the C
//! library computes as a value source, and which this test derives once more.
#![allow(clippy::unwrap_used, unsafe_code)]

use isopod_sys::*;
use serde_json::Value;
use std::ffi::c_int;

/// The readings in memory, as integers or floats.
enum Readings {
    Integers(Vec<i32>),
    Floats(Vec<f32>),
}

impl Readings {
    /// The rules of the vectors: `x` is the recurrence's number.
    fn of(record: &Value) -> Self {
        let bits = number(record, "reading_bits");
        let count = usize::try_from(number(record, "rows") * number(record, "columns")).unwrap();
        let mut state = 12345_u32;
        let numbers = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            i64::from(state)
        });
        let numbers = numbers.take(count);
        match record["numbers"].as_str().unwrap() {
            "i32" => Self::Integers(
                numbers
                    .map(|x| i32::try_from((x >> (31 - bits)) - (1 << bits)).unwrap())
                    .collect(),
            ),
            _ => Self::Floats(
                numbers
                    .map(|x| ((x >> 8) - (1 << 23)) as f32 * 2_f32.powi(bits as i32 - 23))
                    .collect(),
            ),
        }
    }

    fn source(&self, fraction: i64) -> isopod_value_source {
        let (data, count, r#type) = match self {
            Self::Integers(values) => (values.as_ptr().cast(), values.len(), ISOPOD_VALUES_INT32),
            Self::Floats(values) => (values.as_ptr().cast(), values.len(), ISOPOD_VALUES_FLOAT32),
        };
        let count = u32::try_from(count).unwrap();
        isopod_value_source {
            values: isopod_values {
                data,
                count,
                r#type,
            },
            log2_unit: i8::try_from(-fraction).unwrap(),
            ..isopod_value_source::default()
        }
    }

    /// In units; `f32::round` goes away from zero in ties.
    fn in_units(&self, fraction: i64) -> Vec<i64> {
        match self {
            Self::Integers(values) => values.iter().map(|&value| i64::from(value)).collect(),
            Self::Floats(values) => values
                .iter()
                .map(|value| (value * 2_f32.powi(fraction as i32)).round() as i64)
                .collect(),
        }
    }
}

fn number(record: &Value, field: &str) -> i64 {
    record[field].as_i64().unwrap()
}

/// Rows with their squares or products, and zeros between them.
fn derived(record: &Value, readings: &[i64]) -> Vec<i64> {
    let (fraction, stride) = (number(record, "fraction"), number(record, "stride"));
    let columns = usize::try_from(number(record, "columns")).unwrap();
    let all = number(record, "moments") == i64::from(ISOPOD_MOMENTS_PRODUCTS);
    let mut numbers = Vec::new();
    for row in readings.chunks(columns) {
        let begin = numbers.len();
        numbers.extend_from_slice(row);
        for (place, first) in row.iter().enumerate() {
            let others = if all {
                &row[place..]
            } else {
                &row[place..=place]
            };
            let products = others.iter().map(|other| first * other);
            numbers.extend(products.map(|product| (product + (1 << fraction) / 2) >> fraction));
        }
        numbers.resize(
            numbers.len().max(begin + usize::try_from(stride).unwrap()),
            0,
        );
    }
    numbers.truncate(usize::try_from(number(record, "count")).unwrap());
    numbers
}

fn set(name: &str) -> *const isopod_params {
    match name {
        "ckks-1024x1-sum" => (&raw const isopod_ckks_1024x1_sum).cast(),
        _ => (&raw const isopod_bfv_1024x1_count).cast(),
    }
}

/// Numbers that the C library gives for the record, in pieces of five.
fn given(record: &Value, readings: &Readings) -> Vec<i64> {
    let columns = u32::try_from(number(record, "columns")).unwrap();
    let (count, rows) = (number(record, "count"), number(record, "rows"));
    let stride = match number(record, "stride") {
        0 => count / rows,
        stride => stride,
    };
    let config = isopod_encryption_config {
        params: set(record["set"].as_str().unwrap()),
        log2_bound: i8::try_from(number(record, "log2_bound")).unwrap(),
        stride: u32::try_from(stride).unwrap(),
        ..isopod_encryption_config::default()
    };
    let mut memory = vec![0; 2 * columns as usize];
    let input = isopod_moments_input {
        readings: readings.source(number(record, "fraction")),
        columns,
        kind: c_int::try_from(number(record, "moments")).unwrap(),
        memory: memory.as_mut_ptr(),
    };
    let (mut moments, mut source) = (isopod_moments::default(), isopod_value_source::default());
    let mut numbers = vec![0_i32; usize::try_from(count).unwrap()];
    // SAFETY: everything that state and source point to outlives them, and the numbers have room
    // for every piece.
    unsafe {
        let status = isopod_moments_begin(&mut moments, &mut source, &input, &config);
        assert_eq!(status, ISOPOD_OK);
        assert_eq!(i64::from(source.values.count), count);
        let read = source.read_many.unwrap();
        for (piece, at) in numbers.chunks_mut(5).zip((0..).step_by(5)) {
            let length = u32::try_from(piece.len()).unwrap();
            read(source.state, at, length, piece.as_mut_ptr().cast());
        }
        isopod_moments_end(&mut moments);
    }
    numbers.into_iter().map(i64::from).collect()
}

#[test]
fn the_numbers_of_a_frame_are_those_of_the_vectors() {
    let vectors = include_str!("../../../spec/vectors/moments.json");
    let vectors: Value = serde_json::from_str(vectors).unwrap();
    for record in vectors["moments"].as_array().unwrap() {
        let readings = Readings::of(record);
        let expected = derived(record, &readings.in_units(number(record, "fraction")));
        assert_eq!(given(record, &readings), expected, "{record}");
        let first: Vec<i64> = serde_json::from_value(record["first"].clone()).unwrap();
        let last: Vec<i64> = serde_json::from_value(record["last"].clone()).unwrap();
        assert!(expected.starts_with(&first) && expected.ends_with(&last));
    }
}
