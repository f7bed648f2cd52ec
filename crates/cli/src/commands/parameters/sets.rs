//! `isopod params`: the parameter sets.

use anyhow::{anyhow, Result};
use clap::Args;
use isopod_eval::{rounded_up, Capacity, Key};
use isopod_wire::{sets, AnySet, BlobKind, ParameterSet, Scheme, TFHE_SETS};
use serde::Serialize;

use crate::commands::parameters::boards::{self, Board};
use crate::commands::parameters::{pads, tfhe_sets};
use crate::output::report::Output;
use crate::output::table::{self, hex, TextTable};

/// log2 of the bound that `isopod encrypt` assumes.
const BOUND_BITS: i32 = 4;
/// log2 of the smallest bound on real numbers.
const LEAST_BOUND_BITS: i32 = -20;

/// Arguments of `isopod params`.
#[derive(Debug, Args)]
pub struct Params {
    /// Show one set in full
    name: Option<String>,
    /// List what fits a board, as measured: ram=64K,flash=256K, and core=rv32im for another than a Cortex-M4
    #[arg(long, value_name = "MEMORY")]
    board: Option<Board>,
}

#[derive(Serialize)]
struct Facts {
    name: &'static str,
    label: &'static str,
    purpose: &'static str,
    set_id: String,
    ring_degree: usize,
    slots: usize,
    data_primes: &'static [u64],
    special_prime: Option<u64>,
    rotations: bool,
    log2_scale: [u8; 3],
    #[serde(skip_serializing_if = "Option::is_none")]
    plain_modulus: Option<u64>,
    modulus_bits: f64,
    published_modulus_bits: f64,
    public_key_frame_bytes: usize,
    secret_key_frame_bytes: usize,
    public_key_bytes: usize,
    seeded_public_key_bytes: usize,
    /// Error that values of a frame by public key stay within: worst roundings, and six deviations of the noise; 0 for integers.
    error: f64,
    /// Bound on the values of `largest_sum`.
    bound: f64,
    /// Frames by public key in a sum, at most.
    largest_sum: u64,
    /// Frames by secret key in a sum, at most.
    largest_secret_key_sum: u64,
}

impl Facts {
    fn new(set: &'static ParameterSet) -> Self {
        let bits =
            |primes: &mut dyn Iterator<Item = u64>| primes.map(|prime| (prime as f64).log2()).sum();
        let polynomials: usize = set
            .data_primes
            .iter()
            .map(|&prime| set.packed_bytes(prime))
            .sum();
        let scale = set.log2_scale;
        let (bound, capacity) = capacity(set);
        Self {
            name: set.name,
            label: set.label.name(),
            purpose: set.purpose,
            set_id: hex(&set.set_id),
            ring_degree: set.ring_degree,
            slots: set.slots(),
            data_primes: set.data_primes,
            special_prime: set.special_prime,
            rotations: set.key_switching,
            log2_scale: [scale.min, scale.default, scale.max],
            plain_modulus: set.plain_modulus,
            modulus_bits: bits(&mut set.data_primes.iter().copied()),
            published_modulus_bits: bits(&mut set.chain()),
            public_key_frame_bytes: 2 * polynomials,
            secret_key_frame_bytes: polynomials,
            public_key_bytes: BlobKind::Public.payload_bytes(set),
            seeded_public_key_bytes: BlobKind::SeededPublic.payload_bytes(set),
            error: capacity.error,
            bound,
            largest_sum: capacity.frames,
            largest_secret_key_sum: Capacity::of(set, Key::Secret, bound)
                .map_or(0, |capacity| capacity.frames),
        }
    }

    fn precision(&self) -> String {
        match self.error == 0.0 {
            true => "exact".to_owned(),
            false => format!("+- {}", rounded_up(self.error, 1)),
        }
    }

    /// Frames of a sum, by public key and by secret key.
    fn frames(&self) -> String {
        let words = |frames: u64| match frames {
            1 => "1 frame".to_owned(),
            frames if frames >= Capacity::MOST_FRAMES => "2^32 frames or more".to_owned(),
            frames => format!("{frames} frames"),
        };
        let [public, secret] = [self.largest_sum, self.largest_secret_key_sum].map(words);
        match public == secret {
            true => public,
            false => format!("{public} ({secret} by secret key)"),
        }
    }

    fn text(&self) -> String {
        let [least, usual, most] = self.log2_scale;
        let primes: Vec<String> = self.data_primes.iter().map(ToString::to_string).collect();
        let rows = [
            ("set", self.name.to_owned()),
            ("purpose", self.purpose.to_owned()),
            ("label", self.label.to_owned()),
            ("set_id", self.set_id.clone()),
            (
                "ring degree",
                format!("{}, {} values per ciphertext", self.ring_degree, self.slots),
            ),
            ("data primes", primes.join(", ")),
            (
                "special prime",
                self.special_prime
                    .map_or("none".into(), |prime| prime.to_string()),
            ),
            (
                "log2 of modulus",
                format!(
                    "{:.1}, published {:.1}",
                    self.modulus_bits, self.published_modulus_bits
                ),
            ),
            (
                "rotations, products",
                if self.rotations { "yes" } else { "no" }.to_owned(),
            ),
            match self.plain_modulus {
                None => (
                    "log2 of scale",
                    format!("{least} to {most}, usually {usual}"),
                ),
                Some(modulus) => ("integers", integers(modulus)),
            },
            ("precision", self.precision()),
            (
                "largest sum",
                format!("{}, of values up to {}", self.frames(), self.bound),
            ),
            (
                "residues of a frame",
                format!(
                    "{} bytes, {} by secret key",
                    self.public_key_frame_bytes, self.secret_key_frame_bytes
                ),
            ),
            (
                "public key",
                format!(
                    "{} bytes, {} seeded",
                    self.public_key_bytes, self.seeded_public_key_bytes
                ),
            ),
        ];
        table::list(&rows)
    }
}

impl Params {
    /// Lists all sets, or shows one.
    pub fn run(&self) -> Result<Output> {
        if let Some(board) = &self.board {
            self.name.as_deref().map(find).transpose()?;
            return boards::fitting(board, self.name.as_deref());
        }
        let Some(name) = &self.name else {
            return all();
        };
        match find(name)? {
            AnySet::Rns(set) => {
                let facts = Facts::new(set);
                Output::new(facts.text(), &facts)
            }
            AnySet::Tfhe(set) => tfhe_sets::one(set),
            AnySet::Pads => pads::one(),
        }
    }
}

/// Every set of all schemes.
fn all() -> Result<Output> {
    let facts: Vec<Facts> = sets().map(Facts::new).collect();
    let (table, bits) = tfhe_sets::all();
    let mut json = serde_json::to_value(&facts)?;
    if let Some(list) = json.as_array_mut() {
        list.extend(bits);
    }
    let pads = "\npads: exact sums of integers, without a ring; isopod params pads\n";
    Output::new(format!("{}\n{table}{pads}", overview(&facts)), &json)
}

/// The set of that name, or an error that lists all names.
pub fn find(name: &str) -> Result<AnySet> {
    AnySet::by_name(name).ok_or_else(|| {
        let names = sets().map(|set| set.name);
        let names = names.chain(TFHE_SETS.iter().map(|set| set.name));
        let names: Vec<&str> = names.chain([AnySet::Pads.name()]).collect();
        anyhow!(
            "set: {name} is unknown; allowed is one of {}",
            names.join(", ")
        )
    })
}

/// Bound on values, and what fits: the default of `isopod encrypt` or, where one frame of that does not fit, the largest power of
/// two below; integers of magnitude 1.
fn capacity(set: &ParameterSet) -> (f64, Capacity) {
    let default = match set.scheme() {
        Scheme::Ckks => BOUND_BITS,
        Scheme::Bfv => 0,
    };
    let fits = |bits: i32| {
        let bound = f64::from(bits).exp2();
        Capacity::of(set, Key::Public, bound).map(|capacity| (bound, capacity))
    };
    let none = Capacity {
        error: 0.0,
        frames: 0,
    };
    (LEAST_BOUND_BITS..=default)
        .rev()
        .find_map(fits)
        .unwrap_or((0.0, none))
}

/// The signed range of integers modulo t.
fn integers(modulus: u64) -> String {
    let most = (modulus - 1) / 2;
    format!("-{most} to {most}, or 0 to {}", modulus - 1)
}

fn overview(facts: &[Facts]) -> String {
    let columns = [
        "set",
        "label",
        "values",
        "frame bytes",
        "public key",
        "rotations",
        "scale or integers",
        "precision",
        "largest sum",
        "purpose",
    ];
    let mut table = TextTable::new(&columns);
    for set in facts {
        table.row(vec![
            set.name.to_owned(),
            set.label.to_owned(),
            set.slots.to_string(),
            set.public_key_frame_bytes.to_string(),
            set.public_key_bytes.to_string(),
            if set.rotations { "yes" } else { "no" }.to_owned(),
            match set.plain_modulus {
                None => format!("2^{}", set.log2_scale[1]),
                Some(modulus) => integers(modulus),
            },
            set.precision(),
            format!("{}, up to {}", set.frames(), set.bound),
            set.purpose.to_owned(),
        ]);
    }
    table.text()
}
