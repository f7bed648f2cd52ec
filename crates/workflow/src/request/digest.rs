//! Digests of requests: what was asked, whoever asked it.

use isopod_eval::{Activation, Model, Node, RealNode, Side, Threshold};
use isopod_lattigo::Table;
use isopod_wire::codes::{hash_label, size};
use isopod_wire::{AnySet, Writer};

use crate::hash::{floats, sha3, texts};
use crate::request::job::{Parameters, Request};
use crate::request::threshold::{RealEdges, RealThreshold};

impl Request {
    /// SHA3-256 of set, job and parameters, which results carry. The challenge is not part of it.
    pub fn digest(&self, set: AnySet) -> [u8; size::DIGEST] {
        let mut writer = Writer::with_capacity(256);
        writer
            .array(2 + elements(self.job.parameters()))
            .bytes(set.set_id())
            .text(self.job.name().name());
        self.write_parameters(&mut writer);
        sha3(hash_label::REQUEST, &writer.into_bytes())
    }

    fn write_parameters(&self, writer: &mut Writer) {
        match self.job.parameters() {
            Parameters::Nothing => {}
            Parameters::Rows(rows) => {
                writer.array(rows.entries().len() as u64);
                for &entry in rows.entries() {
                    writer.boolean(entry);
                }
            }
            Parameters::Weights(numbers) => floats(writer, numbers),
            Parameters::WeightBits(bits) => {
                writer.uint(bits.into());
            }
            Parameters::Window(window) => {
                writer.uint(window.into());
            }
            Parameters::Columns(columns) => {
                writer.array(columns.len() as u64);
                for &column in columns {
                    writer.uint(column.into());
                }
            }
            Parameters::Edges(edges) => {
                writer.array(edges.len() as u64);
                for &edge in edges {
                    writer.integer(edge);
                }
            }
            Parameters::RealEdges(edges) => write_real_edges(writer, edges),
            Parameters::Model(model) => {
                write_model(writer, model);
                writer.boolean(self.unnamed_columns);
            }
            Parameters::Alarm(threshold, each) => {
                write_threshold(writer, threshold);
                writer.boolean(each);
            }
            Parameters::RealAlarm(threshold, each) => {
                write_real_threshold(writer, threshold);
                writer.boolean(each);
            }
            Parameters::Threshold(threshold) => write_threshold(writer, threshold),
            Parameters::RealThreshold(threshold) => write_real_threshold(writer, threshold),
            Parameters::Tree(tree) => {
                writer.uint(tree.features as u64);
                write_node(writer, &tree.root);
            }
            Parameters::Table(table) => write_table(writer, table),
        }
    }
}

/// Number of elements that parameters take.
fn elements(parameters: Parameters<'_>) -> u64 {
    match parameters {
        Parameters::Nothing => 0,
        Parameters::Rows(_)
        | Parameters::Weights(_)
        | Parameters::WeightBits(_)
        | Parameters::Window(_)
        | Parameters::Columns(_)
        | Parameters::Edges(_) => 1,
        Parameters::Table(table) => 3 + u64::from(table.others.is_some()),
        Parameters::Model(model) => {
            6 + u64::from(!model.is_single())
                + u64::from(model.largest_score.is_some())
                + 3 * u64::from(model.hidden.is_some())
                + u64::from(!model.trees.is_empty())
        }
        Parameters::Alarm(..) => 3,
        Parameters::RealEdges(edges) => 1 + u64::from(edges.gap.is_some()),
        Parameters::RealAlarm(threshold, _) => 3 + u64::from(threshold.gap.is_some()),
        Parameters::RealThreshold(threshold) => 2 + u64::from(threshold.gap.is_some()),
        Parameters::Threshold(_) | Parameters::Tree(_) => 2,
    }
}

fn write_model(writer: &mut Writer, model: &Model) {
    texts(writer, &model.features);
    for list in [&model.mean, &model.scale] {
        floats(writer, list);
    }
    match &model.outputs[..] {
        [only] if model.is_single() => {
            floats(writer, &only.weights);
            writer.float(only.bias);
        }
        several => {
            writer.array(several.len() as u64);
            for output in several {
                floats(writer, &output.weights);
            }
            floats(
                writer,
                &several.iter().map(|output| output.bias).collect::<Vec<_>>(),
            );
            texts(writer, &model.names());
        }
    }
    if let Some(largest) = model.largest_score {
        writer.float(largest);
    }
    if !model.trees.is_empty() {
        writer.array(model.trees.len() as u64);
        model
            .trees
            .iter()
            .for_each(|tree| write_real_node(writer, tree));
    }
    if let Some(hidden) = &model.hidden {
        let units = &hidden.units;
        writer
            .text(activation(hidden.activation))
            .array(units.len() as u64);
        for unit in units {
            floats(writer, &unit.weights);
        }
        floats(
            writer,
            &units.iter().map(|unit| unit.bias).collect::<Vec<_>>(),
        );
    }
}

fn write_table(writer: &mut Writer, table: &Table) {
    writer.float(table.step).integer(table.first.into());
    writer.bytes(&table.values);
    if let Some(others) = table.others {
        writer.uint(others.into());
    }
}

/// A branch is its feature, its threshold and both subtrees; a leaf is its values.
fn write_real_node(writer: &mut Writer, node: &RealNode) {
    match node {
        RealNode::Leaf(values) => floats(writer, values),
        RealNode::Branch {
            feature,
            above,
            then,
            otherwise,
        } => {
            writer.array(4).uint(*feature as u64).float(*above);
            write_real_node(writer, then);
            write_real_node(writer, otherwise);
        }
    }
}

fn write_threshold(writer: &mut Writer, threshold: Threshold) {
    writer.text(side(threshold.side)).integer(threshold.value);
}

fn write_real_threshold(writer: &mut Writer, threshold: RealThreshold) {
    writer.text(side(threshold.side)).float(threshold.value);
    if let Some(gap) = threshold.gap {
        writer.float(gap);
    }
}

fn write_real_edges(writer: &mut Writer, edges: &RealEdges) {
    floats(writer, &edges.values);
    if let Some(gap) = edges.gap {
        writer.float(gap);
    }
}

fn activation(activation: Activation) -> &'static str {
    match activation {
        Activation::Relu => "relu",
        Activation::Tanh => "tanh",
        Activation::Logistic => "logistic",
    }
}

fn side(side: Side) -> &'static str {
    match side {
        Side::Above => "above",
        Side::Below => "below",
    }
}

/// A leaf is an array of one number, a branch one of feature, threshold and two nodes.
fn write_node(writer: &mut Writer, node: &Node) {
    match node {
        Node::Leaf(leaf) => {
            writer.array(1).uint((*leaf).into());
        }
        Node::Branch {
            feature,
            above,
            then,
            otherwise,
        } => {
            writer
                .array(4)
                .uint(*feature as u64)
                .integer((*above).into());
            write_node(writer, then);
            write_node(writer, otherwise);
        }
    }
}
