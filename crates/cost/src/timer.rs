//! Samples of one operation: warm-up, then by a budget of time.

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::Result;
use cpu_time::ThreadTime;
use perf_event::events::Hardware;
use perf_event::{Builder, Counter};

use crate::record::Spread;

/// Samples at least, however long they take.
const LEAST: usize = 5;
/// Samples at most.
const MOST: usize = 201;

/// Source of a sample's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// Processor time of the thread.
    Processor,
    /// Time on the wall, where another thread works too.
    Wall,
}

/// Samples of one operation.
pub struct Sampled {
    /// Milliseconds.
    pub ms: Spread,
    /// Number of samples.
    pub rounds: usize,
    /// Instructions of the median sample.
    pub instructions: Option<f64>,
}

/// Takes samples.
pub struct Timer {
    budget: Duration,
    counter: Option<Counter>,
    refusal: Option<String>,
}

impl Timer {
    /// A timer that spends about this much on each operation.
    pub fn new(budget: Duration) -> Self {
        let built = Builder::new(Hardware::INSTRUCTIONS)
            .exclude_kernel(true)
            .exclude_hv(true)
            .build();
        let (counter, refusal) = match built {
            Ok(counter) => (Some(counter), None),
            Err(error) => (None, Some(error.to_string())),
        };
        Self {
            budget,
            counter,
            refusal,
        }
    }

    /// Source of instruction counts, or why there are none.
    pub fn instructions(&self) -> String {
        match &self.refusal {
            None => "perf_event, user space".to_owned(),
            Some(reason) => format!("none: perf_event_open: {reason}"),
        }
    }

    /// Samples of a call on what `prepare` makes anew each time, unmeasured; the first run warms up and is not counted.
    ///
    /// # Errors
    /// The error of the call.
    pub fn sample<P, T>(
        &mut self,
        clock: Clock,
        mut prepare: impl FnMut() -> P,
        mut call: impl FnMut(P) -> Result<T>,
    ) -> Result<Sampled> {
        black_box(call(prepare())?);
        let (mut times, mut counts) = (Vec::new(), Vec::new());
        let begin = Instant::now();
        while times.len() < LEAST || (times.len() < MOST && begin.elapsed() < self.budget) {
            let prepared = prepare();
            let (time, count) = self.one(clock, || call(prepared))?;
            times.push(time);
            counts.extend(count);
        }
        Ok(Sampled {
            rounds: times.len(),
            ms: Spread::of(times),
            instructions: (!counts.is_empty()).then(|| Spread::of(counts).median),
        })
    }

    /// Samples of a call that needs no preparation.
    ///
    /// # Errors
    /// The error of the call.
    pub fn repeat<T>(
        &mut self,
        clock: Clock,
        mut call: impl FnMut() -> Result<T>,
    ) -> Result<Sampled> {
        self.sample(clock, || (), |()| call())
    }

    fn one<T>(
        &mut self,
        clock: Clock,
        call: impl FnOnce() -> Result<T>,
    ) -> Result<(f64, Option<f64>)> {
        if let Some(counter) = &mut self.counter {
            counter.reset()?;
            counter.enable()?;
        }
        let (wall, processor) = (Instant::now(), ThreadTime::now());
        let made = call()?;
        let time = match clock {
            Clock::Processor => processor.elapsed(),
            Clock::Wall => wall.elapsed(),
        };
        let count = match &mut self.counter {
            Some(counter) => {
                counter.disable()?;
                Some(counter.read()? as f64).filter(|&count| count > 0.0)
            }
            None => None,
        };
        black_box(made);
        Ok((time.as_secs_f64() * 1e3, count))
    }
}
