//! The aggregates of SQL: he_column_sum, he_column_mean, he_sum, he_mean, he_weighted_sum, he_dot, he_count, and those on merged
//! frames.

use std::any::Any;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, GroupsAccumulator, Signature, Volatility,
};
use datafusion::physical_expr::expressions::Literal;
use datafusion::scalar::ScalarValue;
use isopod_workflow::{Job, RowMask};

use super::accumulator::HeAccumulator;
use super::folding::{Folding, Output};
use super::groups::HeGroups;
use super::merged::MergedFunction;
use super::shared::Shared;

/// Bits behind the point of weights of real numbers.
const WEIGHT_BITS: u8 = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Function {
    ColumnSum,
    ColumnMean,
    Sum,
    Mean,
    WeightedSum,
    Dot,
    Count,
    Merged(MergedFunction),
}

impl Function {
    fn all() -> impl Iterator<Item = Self> {
        let of_sums = [
            Self::ColumnSum,
            Self::ColumnMean,
            Self::Sum,
            Self::Mean,
            Self::WeightedSum,
            Self::Dot,
            Self::Count,
        ];
        let merged = MergedFunction::ALL.into_iter().map(Self::Merged);
        of_sums.into_iter().chain(merged)
    }

    fn name(self) -> &'static str {
        match self {
            Self::ColumnSum => "he_column_sum",
            Self::ColumnMean => "he_column_mean",
            Self::Sum => "he_sum",
            Self::Mean => "he_mean",
            Self::WeightedSum => "he_weighted_sum",
            Self::Dot => "he_dot",
            Self::Count => "he_count",
            Self::Merged(function) => function.name(),
        }
    }

    fn arguments(self) -> &'static str {
        match self {
            Self::WeightedSum => "frame, weight",
            Self::Dot => "frame, weight, weight, ... with a weight for each column of a row",
            Self::Merged(function) => function.arguments(),
            _ => "frame",
        }
    }

    fn takes(self, arguments: usize) -> bool {
        match self {
            Self::WeightedSum => arguments == 2,
            Self::Dot => arguments >= 2,
            Self::Merged(function) => function.takes(arguments),
            _ => arguments == 1,
        }
    }
}

/// All aggregates of a session.
pub(super) fn all(shared: &Arc<Shared>, is_exact: bool) -> Vec<AggregateUDF> {
    let of = |function| {
        AggregateUDF::from(Aggregate {
            function,
            is_exact,
            signature: Signature::user_defined(Volatility::Immutable),
            shared: shared.clone(),
        })
    };
    Function::all().map(of).collect()
}

#[derive(Debug)]
struct Aggregate {
    function: Function,
    /// Whether the set is one of integers.
    is_exact: bool,
    signature: Signature,
    shared: Arc<Shared>,
}

impl PartialEq for Aggregate {
    fn eq(&self, other: &Self) -> bool {
        self.function == other.function && Arc::ptr_eq(&self.shared, &other.shared)
    }
}

impl Eq for Aggregate {}

impl Hash for Aggregate {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.function.hash(state);
    }
}

fn is_binary(of: &DataType) -> bool {
    matches!(
        of,
        DataType::BinaryView | DataType::LargeBinary | DataType::Binary
    )
}

impl Aggregate {
    fn job(&self, arguments: &AccumulatorArgs<'_>) -> Result<Job> {
        Ok(match self.function {
            Function::Sum | Function::Count => Job::Sum,
            Function::ColumnSum => Job::ColumnSum(RowMask::ALL),
            Function::ColumnMean => Job::ColumnMean(RowMask::ALL),
            Function::Mean => Job::Mean,
            Function::WeightedSum if self.is_exact => Job::Weighed(0),
            Function::WeightedSum => Job::Weighed(WEIGHT_BITS),
            Function::Dot => Job::Dot(self.numbers(arguments)?),
            Function::Merged(function) => {
                let numbers = self.numbers(arguments)?;
                function
                    .job(&numbers)
                    .ok_or_else(|| self.other_arguments())?
            }
        })
    }

    fn folding(&self, arguments: &AccumulatorArgs<'_>) -> Result<Folding> {
        let job = self.job(arguments)?;
        let aggregate = match self.function {
            Function::Merged(_) => self.shared.merged(self.function.name(), job),
            _ => self.shared.aggregate(self.function.name(), job),
        };
        Ok(Folding {
            aggregate: aggregate.map_err(|error| self.shared.fail(error))?,
            shared: self.shared.clone(),
            output: match self.function {
                Function::Count => Output::Count,
                _ => Output::State,
            },
            is_weighed: self.function == Function::WeightedSum,
        })
    }

    /// Weights, thresholds, edges or columns, which are written in the query.
    fn numbers(&self, arguments: &AccumulatorArgs<'_>) -> Result<Vec<f64>> {
        let numbers = arguments.exprs[1..].iter().map(|argument| {
            let argument: &dyn Any = argument.as_ref();
            match argument.downcast_ref::<Literal>().map(Literal::value) {
                Some(ScalarValue::Float64(Some(number))) if number.is_finite() => Ok(*number),
                _ => {
                    let problem = "an argument is no number; allowed are numbers that the query names, such as 0.5";
                    Err(DataFusionError::Plan(format!("{}: {problem}", self.name())))
                }
            }
        });
        numbers.collect()
    }

    fn other_arguments(&self) -> DataFusionError {
        let (name, allowed) = (self.name(), self.function.arguments());
        let problem = format!("{name}: other arguments; allowed is {name}({allowed})");
        DataFusionError::Plan(problem)
    }
}

impl AggregateUDFImpl for Aggregate {
    fn name(&self) -> &str {
        self.function.name()
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, found: &[DataType]) -> Result<Vec<DataType>> {
        let is_fit = self.function.takes(found.len()) && is_binary(&found[0]);
        if !is_fit || !found[1..].iter().all(DataType::is_numeric) {
            return Err(self.other_arguments());
        }
        let weights = found[1..].iter().map(|_| DataType::Float64);
        Ok(std::iter::once(found[0].clone()).chain(weights).collect())
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(match self.function {
            Function::Count => DataType::Int64,
            _ => DataType::LargeBinary,
        })
    }

    fn state_fields(&self, arguments: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        // Offsets of 64 bits: states of many groups leave as one array.
        let name = format!("{}[state]", arguments.name);
        Ok(vec![Arc::new(Field::new(
            name,
            DataType::LargeBinary,
            true,
        ))])
    }

    fn accumulator(&self, arguments: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(HeAccumulator::new(self.folding(&arguments)?)))
    }

    fn groups_accumulator_supported(&self, _arguments: AccumulatorArgs<'_>) -> bool {
        true
    }

    fn create_groups_accumulator(
        &self,
        arguments: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn GroupsAccumulator>> {
        Ok(Box::new(HeGroups::new(self.folding(&arguments)?)))
    }

    fn create_sliding_accumulator(
        &self,
        _arguments: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn Accumulator>> {
        let problem = format!(
            "{}: frames of a window cannot be taken back; allowed are groups, such as GROUP BY date_bin(INTERVAL '1 hour', time)",
            self.name()
        );
        Err(DataFusionError::Plan(problem))
    }
}
