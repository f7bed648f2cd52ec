//! Parameter sets by name.

use isopod_wire::{sets as rns_sets, AnySet, Label, Scheme, TFHE_SETS};
use pyo3::prelude::*;

use crate::error::refused;

/// Name, scheme, ring degree, slots, label and purpose of a set.
type Described = (
    &'static str,
    &'static str,
    usize,
    usize,
    &'static str,
    &'static str,
);

fn all() -> impl Iterator<Item = AnySet> {
    let rns = rns_sets().map(AnySet::Rns);
    let tfhe = TFHE_SETS.iter().map(AnySet::Tfhe);
    rns.chain(tfhe).chain([AnySet::Pads])
}

/// Every parameter set.
#[pyfunction]
pub fn sets() -> Vec<Described> {
    let described = |set: AnySet| match set {
        AnySet::Rns(rns) => (
            rns.name,
            match rns.scheme() {
                Scheme::Ckks => "ckks",
                Scheme::Bfv => "bfv",
            },
            rns.ring_degree,
            rns.slots(),
            set.label().name(),
            rns.purpose,
        ),
        AnySet::Tfhe(tfhe) => (
            tfhe.name,
            "tfhe",
            tfhe.ring_degree,
            tfhe.ring_degree,
            set.label().name(),
            tfhe.purpose,
        ),
        AnySet::Pads => (
            set.name(),
            "pads",
            0,
            0,
            set.label().name(),
            "exact sums of integers for the fewest cycles and bytes; no other jobs",
        ),
    };
    all().map(described).collect()
}

/// The set of that name.
pub fn by_name(name: &str) -> PyResult<AnySet> {
    AnySet::by_name(name).ok_or_else(|| {
        let names: Vec<_> = all().map(AnySet::name).collect();
        refused(
            "set",
            format!("{name} is unknown; allowed is one of {}", names.join(", ")),
        )
    })
}

/// Refuses a set of another label than 128, unless it is given by name.
pub fn check_label(set: AnySet, accepted: &str) -> PyResult<Label> {
    let label = set.label();
    if label == Label::Bits128 || label.name() == accepted {
        return Ok(label);
    }
    let (name, label) = (set.name(), label.name());
    Err(refused(
        "label",
        format!(
            "{name} is labelled {label}; allowed are sets labelled 128, or give label=\"{label}\""
        ),
    ))
}
