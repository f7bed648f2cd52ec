//! `isopod params` on TFHE sets.

use anyhow::Result;
use isopod_wire::{Noise, SecretDistribution, TfheBlob, TfheBlobKind, TfheParams, TFHE_SETS};
use serde::Serialize;
use serde_json::Value;

use crate::output::report::Output;
use crate::output::table::{hex, list, TextTable};

#[derive(Serialize)]
struct Facts {
    name: &'static str,
    label: &'static str,
    purpose: &'static str,
    set_id: String,
    ring_degree: usize,
    log2_modulus: u32,
    secret: &'static str,
    noise: String,
    bits_per_coefficient: u32,
    public_key_bytes: usize,
    secret_key_bytes: usize,
    mask_bytes: usize,
    body_bytes: [usize; 2],
}

impl Facts {
    fn new(set: &TfheParams) -> Self {
        let (word, key) = (set.word_bytes(), |kind| TfheBlob::bytes(kind, set));
        Self {
            name: set.name,
            label: set.label.name(),
            purpose: set.purpose,
            set_id: hex(&set.set_id),
            ring_degree: set.ring_degree,
            log2_modulus: set.log2_modulus,
            secret: match set.secret {
                SecretDistribution::Binary => "binary",
                SecretDistribution::Ternary => "ternary",
            },
            noise: match set.noise {
                Noise::TUniform(bits) => format!("TUniform({bits})"),
                Noise::Gaussian128 => "Gaussian of deviation 128".to_owned(),
            },
            bits_per_coefficient: set.message_bits,
            public_key_bytes: key(TfheBlobKind::Public),
            secret_key_bytes: key(TfheBlobKind::Secret),
            mask_bytes: set.ring_degree * word,
            body_bytes: [word, word / 2],
        }
    }

    fn text(&self) -> String {
        let [whole, rounded] = self.body_bytes;
        let rows = [
            ("set", self.name.to_owned()),
            ("purpose", self.purpose.to_owned()),
            ("label", self.label.to_owned()),
            ("set_id", self.set_id.clone()),
            (
                "ring",
                format!("N = {}, q = 2^{}", self.ring_degree, self.log2_modulus),
            ),
            ("secret, noise", format!("{}, {}", self.secret, self.noise)),
            (
                "bits per coefficient",
                self.bits_per_coefficient.to_string(),
            ),
            (
                "bytes per coefficient",
                format!(
                    "{rounded}, {whole} with --whole-bodies; by public key {} more per frame",
                    self.mask_bytes
                ),
            ),
            (
                "keys",
                format!(
                    "public {} bytes, secret {}",
                    self.public_key_bytes, self.secret_key_bytes
                ),
            ),
        ];
        list(&rows)
    }
}

/// One set in full.
pub fn one(set: &TfheParams) -> Result<Output> {
    let facts = Facts::new(set);
    Output::new(facts.text(), &facts)
}

/// All sets as a table and as JSON.
pub fn all() -> (String, Vec<Value>) {
    let columns = [
        "set",
        "label",
        "N",
        "log2 q",
        "secret",
        "bits",
        "public key",
        "purpose",
    ];
    let mut table = TextTable::new(&columns);
    let facts: Vec<Facts> = TFHE_SETS.iter().map(Facts::new).collect();
    for set in &facts {
        table.row(vec![
            set.name.to_owned(),
            set.label.to_owned(),
            set.ring_degree.to_string(),
            set.log2_modulus.to_string(),
            set.secret.to_owned(),
            set.bits_per_coefficient.to_string(),
            set.public_key_bytes.to_string(),
            set.purpose.to_owned(),
        ]);
    }
    // Names and numbers always convert.
    let values = facts
        .iter()
        .filter_map(|facts| serde_json::to_value(facts).ok());
    (table.text(), values.collect())
}
