//! Columns that a device derives from each row of readings before it encrypts: indicators, squares and products, buckets, and a
//! block for each category (`spec/columns.md`). All questions about them are sums of columns.

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// Most categories, and most edges of a column.
const MOST: usize = 4096;

/// Squares and products of the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Moments {
    /// None.
    #[default]
    None,
    /// The square of each column, for spread.
    Squares,
    /// Squares, and the product of every two columns, for correlation and least squares.
    Products,
}

/// Columns of a row besides its readings.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Derivation {
    /// Name of what the categories are; empty without them.
    pub group: String,
    /// Categories, each with a block of its own: a row fills the block of its category, and leaves zeros in the others, so that
    /// nobody sees which one it is.
    pub categories: Vec<String>,
    /// Whether readings may be missing: then an indicator beside each reading tells whether it is there.
    pub missing: bool,
    /// Squares and products.
    pub moments: Moments,
    /// Name of the column that the others are to explain; empty without.
    pub target: String,
    /// Ascending edges of the buckets of each column: an indicator for each bucket; empty without.
    pub buckets: Vec<Vec<f64>>,
}

/// A factor of a derived column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Factor {
    /// A reading; zero if it is missing.
    Reading(usize),
    /// One if the reading is there.
    Present(usize),
}

/// A column of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// One in every row.
    Rows,
    /// A reading or an indicator.
    Single(Factor),
    /// A product of two.
    Product(Factor, Factor),
    /// One if a reading is in this bucket: at least edge b-1 and below edge b.
    Bucket(usize, usize),
}

impl Derivation {
    /// Whether rows hold their readings and nothing else.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The columns of a block of rows with this number of readings.
    pub fn block(&self, readings: usize) -> Vec<Column> {
        let mut block = Vec::new();
        if !self.categories.is_empty() {
            block.push(Column::Rows);
        }
        block.extend((0..readings).map(|at| Column::Single(Factor::Reading(at))));
        if self.missing {
            block.extend((0..readings).map(|at| Column::Single(Factor::Present(at))));
        }
        for one in 0..readings {
            for other in one..readings {
                self.products(one, other, &mut block);
            }
        }
        for (at, edges) in self.buckets.iter().enumerate() {
            block.extend((0..=edges.len()).map(|bucket| Column::Bucket(at, bucket)));
        }
        block
    }

    /// Products of two columns. An indicator times itself, or times its own reading, is nothing new.
    fn products(&self, one: usize, other: usize, block: &mut Vec<Column>) {
        use Factor::{Present, Reading};
        match self.moments {
            Moments::None => return,
            Moments::Squares if one != other => return,
            _ => block.push(Column::Product(Reading(one), Reading(other))),
        }
        if self.missing && one != other {
            block.push(Column::Product(Reading(one), Present(other)));
            block.push(Column::Product(Present(one), Reading(other)));
            block.push(Column::Product(Present(one), Present(other)));
        }
    }

    /// Number of blocks.
    pub fn blocks(&self) -> usize {
        self.categories.len().max(1)
    }

    /// Columns of a row with this number of readings.
    pub fn columns(&self, readings: usize) -> usize {
        self.blocks() * self.block(readings).len()
    }

    /// The most readings of a row that leave its columns within `most`.
    pub fn most_readings(&self, most: usize) -> usize {
        (1..=most)
            .take_while(|&readings| self.columns(readings) <= most)
            .last()
            .unwrap_or(0)
    }

    /// The bound of all columns if that of the readings is 2^log2_bound.
    pub fn log2_bound(&self, log2_bound: i8) -> i8 {
        let indicators = self.missing || !self.categories.is_empty() || !self.buckets.is_empty();
        let squares = self.moments != Moments::None;
        let with_squares = if squares {
            log2_bound.max(log2_bound.saturating_mul(2))
        } else {
            log2_bound
        };
        if indicators {
            with_squares.max(0)
        } else {
            with_squares
        }
    }

    /// Names of the columns of all blocks.
    pub fn names(&self, readings: &[String]) -> Vec<String> {
        let factor = |factor| match factor {
            Factor::Reading(at) => readings[at].clone(),
            Factor::Present(at) => format!("{} present", readings[at]),
        };
        let name = |column: &Column| match *column {
            Column::Rows => "rows".to_owned(),
            Column::Single(single) => factor(single),
            Column::Product(one, other) => format!("{} * {}", factor(one), factor(other)),
            Column::Bucket(at, bucket) => {
                format!(
                    "{} {}",
                    readings[at],
                    bucket_name(&self.buckets[at], bucket)
                )
            }
        };
        let block: Vec<String> = self.block(readings.len()).iter().map(name).collect();
        if self.categories.is_empty() {
            return block;
        }
        let of_category = |category| block.iter().map(move |name| format!("{category}: {name}"));
        self.categories.iter().flat_map(of_category).collect()
    }

    /// Refuses settings that contradict each other or the columns.
    ///
    /// # Errors
    /// [`Error::Parameter`] names the setting.
    pub fn check(&self, readings: &[String]) -> Result<()> {
        let refuse = |field, problem: String| Err(Error::parameter(field, problem));
        if self.group.is_empty() != self.categories.is_empty() || self.categories.len() > MOST {
            let found = self.categories.len();
            let problem = format!(
                "{found} of them; allowed are 1 to {MOST}, with the column that holds them"
            );
            return refuse("categories", problem);
        }
        if let Some(twice) = twice(&self.categories) {
            return refuse(
                "categories",
                format!("{twice} occurs twice; allowed is each once"),
            );
        }
        if !self.target.is_empty() && !readings.contains(&self.target) {
            let problem = format!(
                "{} is no column; allowed is one of {}",
                self.target,
                readings.join(", ")
            );
            return refuse("target", problem);
        }
        if !self.buckets.is_empty() && self.buckets.len() != readings.len() {
            let (found, wanted) = (self.buckets.len(), readings.len());
            let problem =
                format!("edges of {found} columns; allowed are those of {wanted}, every column");
            return refuse("buckets", problem);
        }
        let ascend = |edges: &Vec<f64>| {
            let finite = edges.iter().all(|edge| edge.is_finite());
            finite
                && (1..=MOST).contains(&edges.len())
                && edges.windows(2).all(|pair| pair[0] < pair[1])
        };
        match self.buckets.iter().all(ascend) {
            true => Ok(()),
            false => refuse(
                "buckets",
                format!("edges; allowed are 1 to {MOST}, finite and ascending"),
            ),
        }
    }

    /// Appends the columns of a row. A reading that is missing is NaN; `category` is the number of its category.
    pub fn append(&self, readings: &[f64], category: usize, block: &[Column], row: &mut Vec<f64>) {
        let begin = row.len();
        row.resize(begin + self.blocks() * block.len(), 0.0);
        let present = |at: usize| f64::from(u8::from(!readings[at].is_nan()));
        let factor = |factor| match factor {
            Factor::Reading(at) if readings[at].is_nan() => 0.0,
            Factor::Reading(at) => readings[at],
            Factor::Present(at) => present(at),
        };
        let own = &mut row[begin + category * block.len()..][..block.len()];
        for (value, column) in own.iter_mut().zip(block) {
            *value = match *column {
                Column::Rows => 1.0,
                Column::Single(single) => factor(single),
                Column::Product(one, other) => factor(one) * factor(other),
                Column::Bucket(at, bucket) => {
                    let below = self.buckets[at].partition_point(|edge| *edge <= readings[at]);
                    present(at) * f64::from(u8::from(below == bucket))
                }
            };
        }
    }
}

fn bucket_name(edges: &[f64], bucket: usize) -> String {
    match (
        bucket.checked_sub(1).and_then(|at| edges.get(at)),
        edges.get(bucket),
    ) {
        (Some(first), Some(end)) => format!("{first} to {end}"),
        (Some(first), None) => format!("{first} and above"),
        (None, end) => format!("below {}", end.unwrap_or(&f64::INFINITY)),
    }
}

fn twice(names: &[String]) -> Option<&String> {
    let mut sorted: Vec<&String> = names.iter().collect();
    sorted.sort_unstable();
    sorted
        .windows(2)
        .find(|pair| pair[0] == pair[1])
        .map(|pair| pair[0])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{Derivation, Moments};

    fn names() -> Vec<String> {
        ["a", "b"].map(str::to_owned).to_vec()
    }

    fn row(derivation: &Derivation, readings: [f64; 2], category: usize) -> Vec<f64> {
        let (block, mut row) = (derivation.block(2), Vec::new());
        derivation.append(&readings, category, &block, &mut row);
        assert_eq!(row.len(), derivation.columns(2));
        assert_eq!(derivation.names(&names()).len(), row.len());
        row
    }

    #[test]
    fn products_of_what_is_there() {
        let mut derivation = Derivation {
            moments: Moments::Products,
            ..Derivation::default()
        };
        assert_eq!(
            row(&derivation, [2.0, -3.0], 0),
            [2.0, -3.0, 4.0, -6.0, 9.0]
        );
        assert_eq!(derivation.names(&names())[2..], ["a * a", "a * b", "b * b"]);
        derivation.missing = true;
        let wanted = [2.0, 0.0, 1.0, 0.0, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        assert_eq!(row(&derivation, [2.0, f64::NAN], 0), wanted);
        assert_eq!(
            (derivation.log2_bound(3), derivation.log2_bound(-3)),
            (6, 0)
        );
    }

    #[test]
    fn a_row_is_in_the_block_of_its_category_and_in_one_bucket() {
        let derivation = Derivation {
            group: "kind".to_owned(),
            categories: names(),
            moments: Moments::Squares,
            buckets: vec![vec![0.0, 1.0], vec![5.0]],
            ..Derivation::default()
        };
        derivation.check(&names()).unwrap();
        let row = row(&derivation, [1.0, 4.5], 1);
        let (first, second) = row.split_at(10);
        assert_eq!(first, [0.0; 10]);
        assert_eq!(second, [1.0, 1.0, 4.5, 1.0, 20.25, 0.0, 0.0, 1.0, 1.0, 0.0]);
    }

    #[test]
    fn settings_that_contradict_each_other_are_named() {
        let refused = |derivation: Derivation| derivation.check(&names()).unwrap_err().to_string();
        let target = Derivation {
            target: "c".to_owned(),
            ..Derivation::default()
        };
        assert_eq!(
            refused(target),
            "target: c is no column; allowed is one of a, b"
        );
        let twice = Derivation {
            group: "g".to_owned(),
            categories: vec!["x".to_owned(); 2],
            ..Derivation::default()
        };
        assert!(refused(twice).contains("x occurs twice"));
        let alone = Derivation {
            categories: names(),
            ..Derivation::default()
        };
        assert!(refused(alone).contains("with the column that holds them"));
        let edges = Derivation {
            buckets: vec![vec![1.0, 1.0], vec![0.0]],
            ..Derivation::default()
        };
        assert!(refused(edges).contains("ascending"));
        let most = Derivation {
            moments: Moments::Products,
            ..Derivation::default()
        };
        assert_eq!(
            (most.most_readings(2048), most.columns(62), most.columns(63)),
            (62, 2015, 2079)
        );
    }
}
