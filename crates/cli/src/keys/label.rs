//! Sets of other labels than the default are used only by choice, and named when they are.

use std::io::Write;

use anyhow::{bail, Result};
use clap::Args;
use isopod_wire::{AnySet, Label};

/// Labels other than 128 that may be used.
#[derive(Debug, Clone, Default, Args)]
pub struct LabelChoice {
    /// Use a set labelled compat-2018 (about 126 bits by today's estimates)
    #[arg(long)]
    allow_compat_2018: bool,
    /// Use a set labelled compat-tfhepp (about 127.8 bits by today's estimates)
    #[arg(long)]
    allow_compat_tfhepp: bool,
    /// Use a set labelled research (about 122 bits by today's estimates)
    #[arg(long)]
    allow_research: bool,
}

impl LabelChoice {
    /// Refuses a set of another label than 128 that was not allowed, and prints the label of one that was.
    pub fn check(&self, set: AnySet) -> Result<Label> {
        let label = set.label();
        let (bits, allowed) = match label {
            Label::Bits128 => return Ok(label),
            Label::Compat2018 => ("about 126 bits", self.allow_compat_2018),
            Label::CompatTfhepp => ("about 127.8 bits", self.allow_compat_tfhepp),
            Label::Research => ("about 122 bits", self.allow_research),
        };
        if !allowed {
            bail!(
                "set: {} is labelled {}, {bits} today; allowed are sets labelled 128, or give --allow-{}",
                set.name(),
                label.name(),
                label.name()
            );
        }
        // A closed standard error changes nothing.
        let _ = writeln!(
            std::io::stderr(),
            "note: {} is labelled {}: {bits} today",
            set.name(),
            label.name()
        );
        Ok(label)
    }
}
