//! Schemas: type and order of the values in a frame's coefficients or a result's blocks (`spec/wire.md`, section 6).

use crate::cbor::codec::{Reader, Writer};
use crate::codes::limit::TFHE_RUNS;
use crate::codes::value_type;
use crate::{Result, ValueType, WireError};

/// A run: neighbouring values of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Run {
    /// Type of the values.
    pub of: ValueType,
    /// Number of values, at least 1.
    pub count: u16,
}

/// List of one to eight runs; neighbouring runs differ in type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Schema {
    runs: Vec<Run>,
}

impl Schema {
    /// Checks the runs.
    ///
    /// Errors: no run or more than eight, a count of zero, or two neighbours of one type.
    pub fn new(runs: Vec<Run>) -> Result<Self> {
        if runs.is_empty() || runs.len() > TFHE_RUNS {
            return Err(WireError::length(
                "schema",
                runs.len(),
                format!("1 to {TFHE_RUNS} runs"),
            ));
        }
        if runs.iter().any(|run| run.count == 0) {
            return Err(WireError::out_of_range("schema", 0, "counts of 1 to 65535"));
        }
        if runs.windows(2).any(|pair| pair[0].of == pair[1].of) {
            return Err(WireError::out_of_range(
                "schema",
                "two neighbours of one type",
                "one run in their place",
            ));
        }
        Ok(Self { runs })
    }

    /// The schema of values of these types, in order.
    ///
    /// Errors: those of [`Schema::new`].
    pub fn of_values(types: impl IntoIterator<Item = ValueType>) -> Result<Self> {
        let mut runs: Vec<Run> = Vec::new();
        for of in types {
            match runs.last_mut() {
                Some(run) if run.of == of && run.count < u16::MAX => run.count += 1,
                _ => runs.push(Run { of, count: 1 }),
            }
        }
        Self::new(runs)
    }

    /// The runs in order.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// The type of each value, in order.
    pub fn types(&self) -> impl Iterator<Item = ValueType> + '_ {
        let each = |run: &Run| std::iter::repeat_n(run.of, usize::from(run.count));
        self.runs.iter().flat_map(each)
    }

    /// Number of values.
    pub fn values(&self) -> usize {
        self.runs.iter().map(|run| usize::from(run.count)).sum()
    }

    /// Number of blocks of `message_bits` bits.
    pub fn blocks(&self, message_bits: u32) -> usize {
        let of_run = |run: &Run| usize::from(run.count) * run.of.blocks(message_bits);
        self.runs.iter().map(of_run).sum()
    }

    /// Encodes values, in order, as blocks.
    ///
    /// Errors: another number of values than the schema has, or one outside of its type.
    pub fn encode(&self, values: &[i128], message_bits: u32) -> Result<Vec<u8>> {
        if values.len() != self.values() {
            return Err(WireError::length("values", values.len(), self.values()));
        }
        let blocks = self
            .types()
            .zip(values)
            .map(|(of, &value)| of.encode(value, message_bits));
        Ok(blocks.collect::<Result<Vec<_>>>()?.concat())
    }

    /// Decodes blocks to values.
    ///
    /// Errors: another number of blocks than [`Schema::blocks`].
    pub fn decode(&self, blocks: &[u8], message_bits: u32) -> Result<Vec<i128>> {
        if blocks.len() != self.blocks(message_bits) {
            let allowed = self.blocks(message_bits);
            return Err(WireError::length("blocks", blocks.len(), allowed));
        }
        let mut rest = blocks;
        let values = self.types().map(|of| {
            let (head, tail) = rest.split_at(of.blocks(message_bits));
            rest = tail;
            of.decode(head, message_bits)
        });
        values.collect()
    }

    /// Refuses rows of this many values that are not whole.
    pub(crate) fn check_columns(&self, columns: u32) -> Result<()> {
        let values = self.values();
        if columns > 0 && values.is_multiple_of(columns as usize) {
            return Ok(());
        }
        let allowed = format!("a divisor of the {values} values");
        Err(WireError::out_of_range("columns", columns, allowed))
    }

    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let elements = reader.list(2 * TFHE_RUNS as u64, "schema")?;
        if elements % 2 != 0 {
            return Err(WireError::length(
                "schema",
                elements as usize,
                "pairs of type and count",
            ));
        }
        let run = |reader: &mut Reader<'_>| {
            let number = reader.uint(u64::MAX, "schema")?;
            let of = ValueType::from_number(number).ok_or_else(|| {
                WireError::out_of_range("schema", number, format!("types {}", value_type::ALLOWED))
            })?;
            let count = reader.uint(u16::MAX.into(), "schema")? as u16;
            Ok(Run { of, count })
        };
        Self::new(
            (0..elements / 2)
                .map(|_| run(reader))
                .collect::<Result<_>>()?,
        )
    }

    pub(crate) fn write(&self, writer: &mut Writer) {
        writer.array(2 * self.runs.len() as u64);
        for run in &self.runs {
            writer.uint(run.of.number().into()).uint(run.count.into());
        }
    }
}
