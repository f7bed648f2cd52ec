//! Comparisons that lead each row to leaves: decision trees, forests, and the largest of several scores.

use crate::inputs::Inputs;
use crate::question::network::{rows, Unit, MOST_OUTPUTS, MOST_WEIGHTS, NOISE, ROUNDING, SINE};
use crate::question::plan::{each, Plan, Question};
use crate::question::threshold::Side;
use crate::{Error, Result};
use isopod_linear::Merged;

/// Number of the question in the protocol.
const DECISION: u8 = 6;
/// Most comparisons, leaves, and comparisons on the way to a leaf: `deep/circuit/decision.go`.
pub const MOST_NODES: usize = 128;
/// Most leaves of all trees.
pub const MOST_LEAVES: usize = 256;
/// Most comparisons on the way to a leaf.
pub const MOST_PATH: usize = 8;
/// Values of leaves are integers, in units of which all outputs are at most this.
const LEAF_UNIT: f64 = 16384.0;
/// Levels of `deep-16`.
const LEVELS: u32 = 13;
/// Signs of so many levels, each with the gap as a share of the range, and a bound on its error: `deep/circuit/sign.go`.
const SIGNS: [(u32, f64, f64); 5] = [
    (8, 1.0 / 32.0, 1.5e-3),
    (9, 1.0 / 64.0, 1.5e-3),
    (10, 1.0 / 128.0, 1.5e-3),
    (11, 1.0 / 176.0, 1.5e-3),
    (12, 1.0 / 256.0, 2e-4),
];

/// A leaf: the side of each comparison on the way to it, and what it adds to each output.
#[derive(Debug, Clone, PartialEq)]
pub struct Leaf {
    /// Numbers of nodes, and on which side of zero their sums are.
    pub path: Vec<(usize, Side)>,
    /// A value for each output.
    pub values: Vec<f64>,
}

/// Each row reaches one leaf of each tree, and an output is the sum of their values, in the place of that column.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// Weighted sums of a row's readings, which are compared with zero.
    pub nodes: Vec<Unit>,
    /// The leaves of each tree.
    pub trees: Vec<Vec<Leaf>>,
    /// Outputs.
    pub outputs: usize,
}

/// A node's sum divided by its range, and the distance from zero within which it may be taken for one of the other side.
struct Node {
    range: f64,
    gap: f64,
}

impl Question for Decision {
    fn plan(&self, merged: &[Merged]) -> Result<Plan> {
        let inputs = Inputs::of(merged)?;
        let (columns, log_stride) = rows(merged)?;
        self.check(columns, 1 << log_stride)?;
        let sign = self.sign();
        let nodes: Vec<Node> = self
            .nodes
            .iter()
            .map(|node| planned(node, &inputs, sign.1))
            .collect();
        let factor = 2.0
            * self
                .trees
                .iter()
                .map(|tree| largest(tree))
                .sum::<f64>()
                .max(f64::MIN_POSITIVE.sqrt());
        let (number, each) = each(&inputs, (ROUNDING, self.error(sign.2, factor)), factor)?;
        let mut parameters = vec![log_stride as u8];
        parameters.extend((columns as u16).to_le_bytes());
        parameters.push(sign.0 as u8);
        self.write(&mut parameters, &nodes, (inputs.unit, factor));
        Ok(Plan {
            readings: inputs.readings / columns,
            gap: nodes.iter().map(|node| node.gap).fold(0.0, f64::max),
            numbers: vec![number],
            each: Some(each),
            factor,
            question: DECISION,
            parameters,
        })
    }
}

impl Decision {
    /// The largest of several scores: one for the output that has it, and zero for the others. Every two are compared.
    pub fn largest_of(scores: &[Unit]) -> Self {
        let (mut nodes, mut leaves) = (Vec::new(), Vec::new());
        leaves.resize(scores.len(), Vec::new());
        for (first, one) in scores.iter().enumerate() {
            for (second, other) in scores.iter().enumerate().skip(first + 1) {
                leaves[first].push((nodes.len(), Side::Above));
                leaves[second].push((nodes.len(), Side::Below));
                let weights = one.weights.iter().zip(&other.weights);
                nodes.push(Unit {
                    weights: weights.map(|(one, other)| one - other).collect(),
                    bias: one.bias - other.bias,
                });
            }
        }
        let outputs = scores.len();
        let one = |at: usize| {
            (0..outputs)
                .map(|output| f64::from(u8::from(output == at)))
                .collect()
        };
        let leaves = leaves.into_iter().enumerate();
        let leaves = leaves.map(|(at, path)| Leaf {
            path,
            values: one(at),
        });
        Self {
            nodes,
            trees: vec![leaves.collect()],
            outputs,
        }
    }

    /// Refuses more than is computed, and numbers that are none.
    fn check(&self, columns: usize, stride: usize) -> Result<()> {
        let leaves = self.trees.iter().flatten();
        let count = leaves.clone().count();
        for (field, found, most) in [
            ("outputs", self.outputs, MOST_OUTPUTS.min(stride)),
            (
                "comparisons",
                self.nodes.len(),
                MOST_NODES.min(MOST_WEIGHTS / columns),
            ),
            ("leaves", count, MOST_LEAVES),
            ("depth", self.longest(), MOST_PATH),
        ] {
            if !(1..=most).contains(&found) {
                return Err(Error::allowed(field, found, format!("1 to {most}")));
            }
        }
        if let Some(node) = self.nodes.iter().find(|node| node.weights.len() != columns) {
            return Err(Error::allowed("weights", node.weights.len(), columns));
        }
        let of_nodes = self
            .nodes
            .iter()
            .flat_map(|node| node.weights.iter().chain([&node.bias]));
        let mut numbers = of_nodes.chain(leaves.flat_map(|leaf| &leaf.values));
        match numbers.find(|number| !number.is_finite()) {
            None => Ok(()),
            Some(number) => Err(Error::allowed("weights", number, "finite numbers")),
        }
    }

    /// The longest path.
    fn longest(&self) -> usize {
        let paths = self.trees.iter().flatten().map(|leaf| leaf.path.len());
        paths.max().unwrap_or(0)
    }

    /// The most precise sign for which levels are left: sums take one of them where each has a single weight, otherwise two, and
    /// products the logarithm of the longest path.
    fn sign(&self) -> (u32, f64, f64) {
        let is_single =
            |node: &Unit| node.weights.iter().filter(|weight| **weight != 0.0).count() == 1;
        let sums = if self.nodes.iter().all(is_single) {
            1
        } else {
            2
        };
        let left = LEVELS - sums - self.longest().next_power_of_two().ilog2();
        // The shortest sign fits the longest path that is allowed.
        let fit = SIGNS.iter().rfind(|(levels, ..)| *levels <= left);
        *fit.unwrap_or(&SIGNS[0])
    }

    /// Bound on the error of values from 0 to 1, apart from rows within the gap: what factors leave to other leaves, the rounding
    /// of values to integers, and noise.
    fn error(&self, of_sign: f64, factor: f64) -> f64 {
        let (factors, off) = (self.longest() as f64, of_sign / 2.0 + NOISE);
        let left = factors * off * (1.0 + 2.0 * off).powf(factors);
        let spreads: f64 = self
            .trees
            .iter()
            .map(|tree| spread(tree, self.outputs))
            .sum();
        left * spreads / factor + self.trees.len() as f64 / 2.0 / LEAF_UNIT + NOISE
    }

    /// Writes nodes and leaves, all of whose values are moved above zero.
    fn write(&self, to: &mut Vec<u8>, nodes: &[Node], (unit, factor): (f64, f64)) {
        let leaves: usize = self.trees.iter().map(Vec::len).sum();
        for count in [nodes.len(), self.outputs, leaves] {
            // Few: the check allows no more.
            to.extend((count as u16).to_le_bytes());
        }
        for (node, Node { range, .. }) in self.nodes.iter().zip(nodes) {
            let weights = node.weights.iter().map(|weight| weight / range / unit);
            let numbers = weights.chain([node.bias / range]);
            to.extend(numbers.flat_map(f64::to_le_bytes));
        }
        for tree in &self.trees {
            let largest = largest(tree);
            for leaf in tree {
                to.push(leaf.path.len() as u8);
                let path = leaf.path.iter().map(|(node, side)| match side {
                    Side::Above => *node as i16 + 1,
                    Side::Below => -(*node as i16 + 1),
                });
                to.extend(path.flat_map(i16::to_le_bytes));
                let values = leaf
                    .values
                    .iter()
                    .map(|value| (value + largest) / factor * LEAF_UNIT);
                to.extend(values.flat_map(|value| (value.round() as u16).to_le_bytes()));
            }
        }
    }
}

/// Range and gap of a node, by the bounds of the readings and their errors.
fn planned(node: &Unit, inputs: &Inputs, gap: f64) -> Node {
    let weights: f64 = node.weights.iter().map(|weight| weight.abs()).sum();
    let noise = inputs.noise / inputs.unit;
    let largest = weights * (inputs.bound + noise) + node.bias.abs();
    let range = largest.max(f64::MIN_POSITIVE.sqrt()) * (1.0 + 1.0 / 1024.0);
    Node {
        range,
        gap: range * (gap + NOISE) + weights * (noise + SINE * inputs.bound),
    }
}

/// The largest magnitude of a value of a tree.
fn largest(tree: &[Leaf]) -> f64 {
    let values = tree.iter().flat_map(|leaf| &leaf.values);
    values.fold(0.0, |most, value| value.abs().max(most))
}

/// How far values of two leaves are apart in one output, at most.
fn spread(tree: &[Leaf], outputs: usize) -> f64 {
    let of = |output: usize| {
        let values = tree.iter().map(|leaf| leaf.values[output]);
        let (least, most) = values.fold(
            (f64::INFINITY, f64::NEG_INFINITY),
            |(least, most), value| (value.min(least), value.max(most)),
        );
        most - least
    };
    (0..outputs).map(of).fold(0.0, f64::max)
}
