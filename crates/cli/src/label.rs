//! Sets that are not of the default label are used only by choice, and named when they are.

use std::io::Write;

use anyhow::{bail, Result};
use clap::Args;
use isopod_wire::{Label, ParameterSet};

/// Whether sets labelled compat-2018 may be used.
#[derive(Debug, Clone, Default, Args)]
pub struct LabelChoice {
    /// Use a set labelled compat-2018 (about 126 bits by today's estimates)
    #[arg(long)]
    allow_compat_2018: bool,
}

impl LabelChoice {
    /// Refuses a compat set that was not allowed, and prints the label of one that was.
    pub fn check(&self, set: &ParameterSet) -> Result<Label> {
        if set.label == Label::Bits128 {
            return Ok(set.label);
        }
        if !self.allow_compat_2018 {
            bail!(
                "set: {} is labelled compat-2018, about 126 bits today; allowed are sets labelled 128, \
                 or give --allow-compat-2018",
                set.name
            );
        }
        // A closed standard error changes nothing.
        let _ = writeln!(
            std::io::stderr(),
            "note: {} is labelled compat-2018: about 126 bits today",
            set.name
        );
        Ok(set.label)
    }
}
