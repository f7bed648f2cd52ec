//! The smallest or the largest reading of merged frames of integers: the first or the last one that there is.

use isopod_share::Private;
use isopod_wire::ValueType;

use crate::owner::opening::opened::{Opened, Values};
use crate::owner::opening::position::ValuePosition;
use crate::request::descriptor::JobName;
use crate::{Error, Result};

/// Counts are off by less than this.
const ONE: f64 = 0.5;

/// The integer of a job, from how many readings there are of each from -n to n.
pub(crate) fn opened(job: JobName, counts: Vec<Opened>) -> Result<Opened> {
    let found = counts.len();
    if found.is_multiple_of(2) {
        let problem = format!("{found} results; allowed is one for each integer from -n to n");
        return Err(contradiction(problem));
    }
    let of = |opened: Opened| match opened.values.into_owner_only() {
        Values::Real(values) => values.iter().sum(),
        _ => 0.0,
    };
    let counts: Vec<f64> = counts.into_iter().map(of).collect();
    let mut numbers = (0..found).filter(|&number| counts[number] >= ONE);
    let number = match job {
        JobName::Maximum => numbers.next_back(),
        _ => numbers.next(),
    };
    let number = number.ok_or_else(|| {
        contradiction("no reading is an integer that was asked for; allowed are some".to_owned())
    })?;
    let value = number as i128 - (found / 2) as i128;
    Ok(Opened {
        places: vec![ValuePosition {
            frame: None,
            row: None,
            column: 0,
        }],
        bound: None,
        error: 0.0,
        values: Private::new(Values::Typed(vec![(ValueType::I16, value)])),
    })
}

fn contradiction(problem: String) -> Error {
    Error::Contradiction {
        at: 0,
        field: "total",
        problem,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn found(job: JobName, counts: &[f64]) -> Result<i128> {
        let counts = counts.iter().map(|&count| Opened {
            places: Vec::new(),
            bound: Some(10.0),
            error: 0.2,
            values: Private::new(Values::Real(vec![count])),
        });
        match opened(job, counts.collect())?.values.into_owner_only() {
            Values::Typed(values) => Ok(values[0].1),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_first_and_the_last_that_is_there() {
        let counts = [0.2, -0.1, 0.9, 0.0, 3.1, 0.3, -0.2];
        assert_eq!(found(JobName::Minimum, &counts).unwrap(), -1);
        assert_eq!(found(JobName::Maximum, &counts).unwrap(), 1);
        assert_eq!(found(JobName::Maximum, &[0.6]).unwrap(), 0);
    }

    #[test]
    fn counts_of_nothing_are_refused() {
        for (counts, wanted) in [
            (&[1.0, 1.0][..], "2 results; allowed is one for each"),
            (&[], "0 results; allowed is one for each"),
            (&[0.1, -0.4, 0.4], "no reading is an integer"),
        ] {
            let refusal = found(JobName::Minimum, counts).unwrap_err().to_string();
            assert!(refusal.contains(wanted), "{refusal}");
        }
    }
}
