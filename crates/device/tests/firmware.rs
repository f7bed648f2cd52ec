//! The module `firmware` on this machine: its frames are those of the host's encryptor bit for bit, and nothing leaves where
//! writer, entropy, memory or values fail.

use embedded_io::{ErrorType, Write};
use isopod_device::firmware::{
    tables_words, workspace_words, Clamp, Context, Device, Encryptor, Key, Method, Refusal,
    Rounding, SendError, Set, Settings, Status, Tables, Values,
};
use isopod_device::{Encoding, FrameClaims, KeyPair, RoundedRows, Sender};
use isopod_wire::{by_name, Label, Layout, Suite};
use rand_core::{TryCryptoRng, TryRng};

const FRAME_KEY: [u8; 32] = [7; 32];
const READINGS: [f32; 24] = [20.25; 24];

/// A generator of known bytes, which fails when they are used up.
struct Known(Vec<u8>);

impl Known {
    fn frames(count: u8) -> Self {
        Self(
            (0..32 * count)
                .map(|place| place.wrapping_mul(91))
                .collect(),
        )
    }
}

#[derive(Debug)]
struct UsedUp;

impl core::fmt::Display for UsedUp {
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        out.write_str("used up")
    }
}

impl core::error::Error for UsedUp {}

impl TryRng for Known {
    type Error = UsedUp;

    fn try_next_u32(&mut self) -> Result<u32, UsedUp> {
        Err(UsedUp)
    }

    fn try_next_u64(&mut self) -> Result<u64, UsedUp> {
        Err(UsedUp)
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), UsedUp> {
        if self.0.len() < out.len() {
            return Err(UsedUp);
        }
        out.copy_from_slice(&self.0[..out.len()]);
        self.0.drain(..out.len());
        Ok(())
    }
}

impl TryCryptoRng for Known {}

/// A writer with room for so many bytes.
struct Room(Vec<u8>, usize);

impl ErrorType for Room {
    type Error = embedded_io::ErrorKind;
}

impl Write for Room {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Self::Error> {
        let taken = bytes.len().min(self.1 - self.0.len());
        self.0.extend_from_slice(&bytes[..taken]);
        match taken {
            0 => Err(embedded_io::ErrorKind::OutOfMemory),
            taken => Ok(taken),
        }
    }

    fn flush(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }
}

/// A blob, aligned as keys must be.
fn aligned(blob: &[u8]) -> Vec<u64> {
    let word = |bytes: &[u8]| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_ne_bytes(word)
    };
    blob.chunks(8).map(word).collect()
}

/// The bytes of aligned words.
fn bytes(words: &[u64], length: usize) -> &[u8] {
    // SAFETY: initialised words, of which at most all are taken.
    #[allow(unsafe_code)]
    let all = unsafe { core::slice::from_raw_parts(words.as_ptr().cast(), size_of_val(words)) };
    &all[..length]
}

/// A key pair's public key and the tables of its set, in memory.
struct Owned {
    pair: KeyPair,
    words: Vec<u64>,
    set: Set,
    table_memory: Vec<u64>,
}

impl Owned {
    fn new(name: &str, set: Set) -> Self {
        let params = by_name(name).expect("a set");
        let pair = KeyPair::generate(params).expect("a key pair");
        Self {
            words: aligned(&pair.public_blob),
            table_memory: vec![0; tables_words(params.ring_degree, params.data_primes.len())],
            pair,
            set,
        }
    }

    /// Gives key and tables to `run`.
    fn with<T>(&mut self, run: impl FnOnce(&Key<'_>, &Tables<'_>) -> T) -> T {
        let blob = bytes(&self.words, self.pair.public_blob.len());
        let key = Key::open_public(self.set, blob).expect("a key");
        let tables = Tables::build(self.set, &mut self.table_memory).expect("tables");
        run(&key, &tables)
    }
}

fn encoding(log2_bound: i8, log2_scale: u8) -> Encoding {
    Encoding {
        log2_scale,
        log2_bound,
        claims: FrameClaims::default(),
        chunks: 4,
        suite: Suite::Chacha20,
        accept_label: Label::Bits128,
    }
}

/// The frames of this device's first encryption by the host, its parts one after the other.
fn by_host(encryptor: isopod_device::Encryptor, values: isopod_device::Values<'_>) -> Vec<u8> {
    let mut sender = Sender {
        device: 1,
        epoch: 2,
        sequence: 0,
        key: &FRAME_KEY,
    };
    let mut encryptor = encryptor.with_fixed_entropy(Known::frames(1).0);
    let parts = encryptor.encrypt_values(values, &mut sender);
    parts.expect("the host encrypts").concat()
}

/// Encrypts once and writes all into a vector.
fn by_firmware(settings: Settings<'_>, words: usize, values: Values<'_>) -> Vec<u8> {
    let mut workspace = vec![0; words];
    let mut device = Device::new(1, 2, &FRAME_KEY, Known::frames(1));
    let mut out = Room(Vec::new(), usize::MAX);
    let mut encryptor = Encryptor::new(settings, &mut workspace);
    let mut context = Context::new();
    let frame = encryptor.begin(&mut context, &mut device, values);
    let written = frame.expect("begun").write_to(&mut out).expect("written");
    assert_eq!((written, device.sequence()), (out.0.len(), 1));
    assert!(workspace.iter().all(|word| *word == 0), "not wiped");
    out.0
}

#[test]
fn slots_are_those_of_the_host() {
    let mut owned = Owned::new("ckks-4096x2-linear", Set::CKKS_4096X2_LINEAR);
    let blob = owned.pair.public_blob.clone();
    let scale = owned.set.log2_scale();
    let host = isopod_device::Encryptor::new(&blob, encoding(6, scale)).expect("a key");
    let expected = by_host(host, isopod_device::Values::Single(&READINGS));
    let words = workspace_words::public(4096, 4, 4 * 4096);
    let found = owned.with(|key, tables| {
        let settings = Settings {
            chunks: 4,
            log2_bound: 6,
            ..Settings::new(Set::CKKS_4096X2_LINEAR, tables, key, Method::CKKS_SLOTS64)
        };
        by_firmware(settings, words, Values::Float32(&READINGS))
    });
    assert!(found == expected);
}

/// Settings of rounded rows: values below 2^6 at scale 2^15.
fn rounded<'a>(key: &'a Key<'a>, tables: &'a Tables<'a>) -> Settings<'a> {
    Settings {
        log2_scale: 15,
        log2_bound: 6,
        stride: 24,
        rounding: Rounding {
            columns: 24,
            run: 24,
            dropped: [8, 3],
        },
        ..Settings::new(
            Set::CKKS_2048X1_AIR,
            tables,
            key,
            Method::CKKS_ROUNDED_SMALL,
        )
    }
}

#[test]
fn rounded_coefficients_are_those_of_the_host() {
    let mut owned = Owned::new("ckks-2048x1-air", Set::CKKS_2048X1_AIR);
    let mut encoding = encoding(6, 15);
    encoding.claims.stride = 24;
    let rows = RoundedRows {
        columns: 24,
        rounding: isopod_wire::Rounding {
            run: 24,
            dropped: [8, 3],
        },
    };
    let host = isopod_device::Encryptor::new(&owned.pair.public_blob, encoding).expect("a key");
    let expected = by_host(
        host.with_rounded_rows(rows),
        isopod_device::Values::Single(&READINGS),
    );
    let words = workspace_words::rounded_public_small(2048, 1);
    let found = owned
        .with(|key, tables| by_firmware(rounded(key, tables), words, Values::Float32(&READINGS)));
    assert!(found == expected);
}

#[test]
fn integers_are_those_of_the_host() {
    let mut owned = Owned::new("bfv-2048x1-count", Set::BFV_2048X1_COUNT);
    let values = [-3, 0, 5, 7];
    let encoding = Encoding::integers(1, Suite::Chacha20, Label::Bits128);
    let host = isopod_device::Encryptor::new(&owned.pair.public_blob, encoding).expect("a key");
    let host = host.with_layout(Layout::Coefficients);
    let expected = by_host(host, isopod_device::Values::Signed(&values));
    let words = workspace_words::public(2048, 1, 4 * 2048);
    let found = owned.with(|key, tables| {
        let settings = Settings::new(Set::BFV_2048X1_COUNT, tables, key, Method::BFV_COEFFICIENTS);
        let values = Values::Int32 {
            values: &values,
            log2_unit: 0,
        };
        by_firmware(settings, words, values)
    });
    assert!(found == expected);
}

/// Runs `test` with an encryptor of rounded rows in exactly the workspace that they need.
fn with_rounded(test: impl FnOnce(&mut Encryptor<'_>, &mut Context)) {
    let mut owned = Owned::new("ckks-2048x1-air", Set::CKKS_2048X1_AIR);
    let mut workspace = vec![0; workspace_words::rounded_public_small(2048, 1)];
    owned.with(|key, tables| {
        let mut encryptor = Encryptor::new(rounded(key, tables), &mut workspace);
        test(&mut encryptor, &mut Context::new());
    });
}

#[test]
fn pieces_of_any_length_make_the_same_frame() {
    with_rounded(|encryptor, context| {
        let mut frames = [7, 100, 4096].map(|capacity| {
            let mut device = Device::new(1, 2, &FRAME_KEY, Known::frames(1));
            let mut frame = encryptor
                .begin(context, &mut device, Values::Float32(&READINGS))
                .expect("begun");
            let (mut buffer, mut all) = (vec![0; capacity], Vec::new());
            let expected = frame.part_bytes();
            while let Some(piece) = frame.next_piece(&mut buffer).expect("a piece") {
                all.extend_from_slice(&buffer[..piece.length]);
                assert_eq!(
                    (piece.part, piece.completes_part),
                    (0, all.len() == expected)
                );
            }
            assert_eq!((all.len(), frame.part_bytes()), (expected, 0));
            all
        });
        frames.sort();
        assert_eq!(frames[0], frames[2]);
    });
}

#[test]
fn a_writer_that_fails_half_way_ends_one_frame_only() {
    with_rounded(|encryptor, context| {
        let mut device = Device::new(1, 2, &FRAME_KEY, Known::frames(2));
        let values = || Values::Float32(&READINGS);
        let frame = encryptor.begin(context, &mut device, values());
        let failed = frame.expect("begun").write_to(&mut Room(Vec::new(), 100));
        assert_eq!(
            failed,
            Err(SendError::Write(embedded_io::ErrorKind::OutOfMemory))
        );
        let frame = encryptor.begin(context, &mut device, values());
        let written = frame
            .expect("begun")
            .write_to(&mut Room(Vec::new(), usize::MAX));
        assert!(written.is_ok_and(|bytes| bytes > 100));
        assert_eq!(device.sequence(), 2);
    });
}

#[test]
fn entropy_that_fails_refuses_this_frame_and_all_that_follow() {
    with_rounded(|encryptor, context| {
        let mut device = Device::new(1, 2, &FRAME_KEY, Known(vec![1; 31]));
        for _ in 0..2 {
            let refused = encryptor.begin(context, &mut device, Values::Float32(&READINGS));
            let expected = Refusal {
                status: Status::Entropy,
                value: None,
            };
            assert_eq!(refused.err(), Some(expected));
        }
    });
}

#[test]
fn a_value_beyond_the_bound_is_named() {
    let mut readings = READINGS;
    readings[5] = 64.5;
    let expected = Refusal {
        status: Status::ValueRange,
        value: Some(5),
    };
    with_rounded(|encryptor, context| {
        let mut device = Device::new(1, 2, &FRAME_KEY, Known::frames(2));
        let refused = encryptor.begin(context, &mut device, Values::Float32(&readings));
        assert_eq!(refused.err(), Some(expected));
        let mut read = |number| readings[number as usize];
        let asked = Values::Asked {
            count: 24,
            read: &mut read,
        };
        let frame = encryptor.begin(context, &mut device, asked).expect("begun");
        let failed = frame.write_to(&mut Room(Vec::new(), usize::MAX));
        assert_eq!(failed, Err(SendError::Encryption(expected)));
    });
}

#[test]
fn values_beyond_the_bound_are_clamped_and_counted() {
    let mut owned = Owned::new("ckks-1024x1-sum", Set::CKKS_1024X1_SUM);
    let mut workspace = vec![0; workspace_words::public(1024, 8, 2 * 1024)];
    owned.with(|key, tables| {
        let settings = Settings {
            chunks: 8,
            clamp: Some(Clamp::TO_BOUND),
            ..Settings::new(Set::CKKS_1024X1_SUM, tables, key, Method::CKKS_SLOTS)
        };
        let values = Values::Int16 {
            values: &[1, 2, -3],
            log2_unit: 0,
        };
        let mut encryptor = Encryptor::new(settings, &mut workspace);
        let (mut context, mut device) = (
            Context::new(),
            Device::new(1, 2, &FRAME_KEY, Known::frames(1)),
        );
        let frame = encryptor.begin(&mut context, &mut device, values);
        assert_eq!(frame.expect("begun").clamped(), 2);
    });
}

#[test]
fn workspaces_are_as_long_as_they_must_be() {
    let n = 2048;
    let message = 4 * n;
    let forms = [
        (
            Method::CKKS_COEFFICIENTS,
            1,
            workspace_words::public(n, 1, message),
        ),
        (
            Method::CKKS_COEFFICIENTS,
            8,
            workspace_words::public(n, 8, message),
        ),
        (
            Method::CKKS_ROUNDED,
            0,
            workspace_words::rounded_public(n, 1),
        ),
        (
            Method::CKKS_ROUNDED_SMALL,
            0,
            workspace_words::rounded_public_small(n, 1),
        ),
    ];
    let mut owned = Owned::new("ckks-2048x1-air", Set::CKKS_2048X1_AIR);
    owned.with(|key, tables| {
        for (method, chunks, words) in forms {
            let settings = Settings {
                chunks,
                log2_scale: 15,
                log2_bound: 6,
                ..Settings::new(Set::CKKS_2048X1_AIR, tables, key, method)
            };
            for (words, expected) in [(words, None), (words - 1, Some(Status::Workspace))] {
                let mut workspace = vec![0; words];
                let mut device = Device::new(1, 2, &FRAME_KEY, Known::frames(1));
                let (mut encryptor, mut context) =
                    (Encryptor::new(settings, &mut workspace), Context::new());
                let begun = encryptor.begin(&mut context, &mut device, Values::Float32(&READINGS));
                assert_eq!(begun.err().map(|refusal| refusal.status), expected);
            }
        }
    });
}

#[test]
fn keys_and_tables_of_another_set_are_refused() {
    let mut owned = Owned::new("ckks-2048x1-air", Set::CKKS_2048X1_AIR);
    let blob = bytes(&owned.words, owned.pair.public_blob.len());
    assert_eq!(
        Key::open_public(Set::CKKS_2048X1_SUM, blob).err(),
        Some(Status::KeySet)
    );
    assert_eq!(
        Key::open_public(owned.set, &blob[1..]).err(),
        Some(Status::KeyFormat)
    );
    let mut memory = vec![0; tables_words(1024, 1) / 2];
    let built = Tables::build(Set::CKKS_1024X1_SUM, &mut memory);
    assert_eq!(built.err(), Some(Status::Workspace));

    let mut memory = vec![0; tables_words(2048, 1)];
    let others = Tables::build(Set::CKKS_2048X1_SUM, &mut memory).expect("tables");
    owned.with(|key, _| {
        let mut workspace = vec![0; workspace_words::rounded_public_small(2048, 1)];
        let mut encryptor = Encryptor::new(rounded(key, &others), &mut workspace);
        let (mut context, mut device) = (
            Context::new(),
            Device::new(1, 2, &FRAME_KEY, Known::frames(1)),
        );
        let begun = encryptor.begin(&mut context, &mut device, Values::Float32(&READINGS));
        assert_eq!(
            begun.err().map(|refusal| refusal.status),
            Some(Status::Tables)
        );
    });
}

#[test]
fn a_device_is_what_its_file_says() {
    let file = |number: &[u8]| {
        let key_id = [&[0x86, 2, 0x18, 50, 0x50][..], &[9; 16]].concat();
        let bytes = |byte: u8| [&[0x58, 32][..], &[byte; 32]].concat();
        [key_id, number.to_vec(), bytes(7), bytes(1)].concat()
    };
    let numbers: [(&[u8], u64); 5] = [
        (&[23], 23),
        (&[0x18, 200], 200),
        (&[0x19, 1, 44], 300),
        (&[0x1a, 0, 1, 0, 0], 65536),
        (&[0x1b, 0, 0, 0, 1, 0, 0, 0, 0], 1 << 32),
    ];
    for (number, expected) in numbers {
        let file = file(number);
        let device = Device::from_file(&file, 2, Known::frames(1)).expect("a device");
        assert_eq!((device.number(), device.sequence()), (expected, 0));
        let shorter = Device::from_file(&file[..file.len() - 1], 2, Known::frames(1));
        assert_eq!(shorter.err(), Some(Status::KeyFormat));
    }
    for number in [0x1c, 0x40] {
        let other = Device::from_file(&file(&[number]), 2, Known::frames(1)).err();
        assert_eq!(other, Some(Status::KeyFormat));
    }
}

#[test]
fn every_error_has_its_text() {
    for status in Status::ALL {
        assert_eq!(Status::of(status.code()), Some(*status));
        assert!(status.text().contains("; allowed is "), "{status:?}");
    }
    assert_eq!(Status::of(1), None);
}
