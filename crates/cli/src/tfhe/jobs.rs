//! Jobs on bits and integers from the command line.

use std::path::PathBuf;

use clap::Args;

/// What the jobs of tfhe-rs compare with.
#[derive(Debug, Clone, Default, Args)]
pub struct BitsChoice {
    /// Threshold of alarm and count: values above this
    #[arg(
        long,
        value_name = "NUMBER",
        allow_hyphen_values = true,
        conflicts_with = "below"
    )]
    pub above: Option<i128>,
    /// Threshold of alarm and count: values below this
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub below: Option<i128>,
    /// Let alarm name the values that raise it
    #[arg(long)]
    pub each: bool,
    /// Edges of the histogram's bins, ascending, comma separated
    #[arg(long, value_delimiter = ',', allow_hyphen_values = true)]
    pub edges: Vec<i128>,
    /// A decision tree
    #[arg(long, value_name = "FILE")]
    pub tree: Option<PathBuf>,
}

#[cfg(feature = "tfhe")]
mod engine {
    //! Choices to jobs.

    use anyhow::{bail, Context as _, Result};
    use isopod_eval::bits::{
        Alarm, Argument, BitsJob, Count, DecisionTree, Extreme, Histogram, Side, Which,
    };

    use super::BitsChoice;
    use crate::jobs::JobName;

    impl BitsChoice {
        /// The job, ready to be checked and run.
        pub fn job(&self, name: JobName) -> Result<Box<dyn BitsJob>> {
            let which = match name {
                JobName::Minimum | JobName::Argmin => Which::Minimum,
                _ => Which::Maximum,
            };
            Ok(match name {
                JobName::Alarm => {
                    let (threshold, side) = self.threshold(name)?;
                    let each = self.each;
                    Box::new(Alarm {
                        threshold,
                        side,
                        each,
                    })
                }
                JobName::Count => {
                    let (threshold, side) = self.threshold(name)?;
                    Box::new(Count { threshold, side })
                }
                JobName::Minimum | JobName::Maximum => Box::new(Extreme { which }),
                JobName::Argmin | JobName::Argmax => Box::new(Argument { which }),
                JobName::Histogram => Box::new(Histogram {
                    edges: self.edges.clone(),
                }),
                JobName::Tree => Box::new(self.tree()?),
                other => bail!("--job: {} is a job of SEAL", other.name()),
            })
        }

        fn threshold(&self, name: JobName) -> Result<(i128, Side)> {
            match (self.above, self.below) {
                (Some(threshold), _) => Ok((threshold, Side::Above)),
                (None, Some(threshold)) => Ok((threshold, Side::Below)),
                (None, None) => bail!(
                    "--above or --below: missing; {} needs a threshold",
                    name.name()
                ),
            }
        }

        fn tree(&self) -> Result<DecisionTree> {
            let Some(path) = &self.tree else {
                bail!("--tree: missing; tree needs a file with a decision tree");
            };
            let name = || path.display().to_string();
            let text = std::fs::read_to_string(path).with_context(name)?;
            DecisionTree::from_json(&text).with_context(name)
        }
    }
}
