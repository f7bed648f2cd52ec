//! Measurements: a plan of groups, each one scheme at one degree, and what came of them.

mod air;
mod device;
mod linear;
mod machine;
mod peak;
mod seal;
mod tfhe;
mod transport;

use std::time::Duration;

use anyhow::Result;

use crate::operation::{set_at, Operation, Scheme, DEGREES};
use crate::pair::Pair;
use crate::record::{Record, Run, Skipped, VERSION};
use crate::timer::{Sampled, Timer};

pub use machine::machine;
pub use peak::{alone, of_this_process, Side};

const METHOD: &str = "Processor time of one thread, transport by the clock; one run warms up; median and quartiles. Both sides \
have the same primes, values and secret key. Device: ChaCha20, one chunk, frames with tags. SEAL: its own calls and bytes, \
uncompressed. Peaks: processes of one side that make keys and tables, encrypt and decrypt once.";

/// Selection of measurements.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Schemes.
    pub schemes: Vec<Scheme>,
    /// Ring degrees of CKKS and BFV.
    pub degrees: Vec<usize>,
    /// Operations.
    pub operations: Vec<Operation>,
    /// Time for one operation of one side.
    pub budget: Duration,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            schemes: Scheme::ALL.to_vec(),
            degrees: DEGREES.to_vec(),
            operations: Operation::ALL.to_vec(),
            budget: Duration::from_millis(200),
        }
    }
}

/// One scheme at one degree; of TFHE and Air all that there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    /// The scheme.
    pub scheme: Scheme,
    /// The degree; 0 where the scheme chooses.
    pub degree: usize,
}

impl Plan {
    /// The groups in order.
    pub fn groups(&self) -> Vec<Group> {
        let of = |&scheme: &Scheme| match scheme {
            Scheme::Bfv | Scheme::Ckks => self
                .degrees
                .iter()
                .map(|&degree| Group { scheme, degree })
                .collect(),
            Scheme::Tfhe | Scheme::Air => vec![Group { scheme, degree: 0 }],
        };
        self.schemes.iter().flat_map(of).collect()
    }

    fn has(&self, scheme: Scheme, operation: Operation) -> bool {
        operation.is_of(scheme) && self.operations.contains(&operation)
    }

    /// An empty run on this machine.
    pub fn begin(&self) -> Run {
        Run {
            version: VERSION,
            machine: machine(&Timer::new(self.budget)),
            method: METHOD.to_owned(),
            records: Vec::new(),
            peaks: Vec::new(),
            skipped: Vec::new(),
        }
    }

    /// Measures one group; `report` hears the name of each operation before it is measured.
    ///
    /// # Errors
    /// Anything that a side refuses.
    pub fn measure(&self, group: Group, run: &mut Run, report: &mut dyn FnMut(&str)) -> Result<()> {
        let mut bench = Bench {
            plan: self,
            group,
            set: String::new(),
            timer: Timer::new(self.budget),
            run,
            report,
        };
        match group.scheme {
            Scheme::Air => air::measure(&mut bench),
            Scheme::Tfhe => tfhe::measure(&mut bench),
            scheme => {
                let name = set_at(scheme, group.degree).unwrap_or_default();
                let pair = Pair::new(name)?;
                name.clone_into(&mut bench.set);
                device::measure(&mut bench, &pair)?;
                linear::measure(&mut bench, &pair)?;
                seal::measure(&mut bench, &pair)
            }
        }
    }
}

/// The measurement of one group.
struct Bench<'a> {
    plan: &'a Plan,
    group: Group,
    set: String,
    timer: Timer,
    run: &'a mut Run,
    report: &'a mut dyn FnMut(&str),
}

impl Bench<'_> {
    fn wants(&self, operation: Operation) -> bool {
        self.plan.has(self.group.scheme, operation)
    }

    /// Measures an operation of a side, if it is wanted; the call returns the samples and the bytes, 0 for none.
    fn record(
        &mut self,
        side: &str,
        operation: Operation,
        measure: impl FnOnce(&mut Timer) -> Result<(Sampled, usize)>,
    ) -> Result<()> {
        if !self.wants(operation) {
            return Ok(());
        }
        let (scheme, set) = (self.group.scheme, &self.set);
        (self.report)(&format!("{scheme} {set} {side} {operation}"));
        let (sampled, bytes) = measure(&mut self.timer)?;
        self.run.records.push(Record {
            side: side.to_owned(),
            scheme: scheme.name().to_owned(),
            degree: self.group.degree,
            set: self.set.clone(),
            operation: operation.name().to_owned(),
            ms: sampled.ms,
            rounds: sampled.rounds,
            instructions: sampled.instructions,
            bytes: (bytes > 0).then_some(bytes as u64),
        });
        Ok(())
    }

    fn skip(&mut self, operation: Operation, why: &str) {
        if self.wants(operation) {
            let (scheme, degree) = (self.group.scheme, self.group.degree);
            self.run.skipped.push(Skipped {
                what: format!("{operation} of {scheme} at {degree}"),
                why: why.to_owned(),
            });
        }
    }
}
