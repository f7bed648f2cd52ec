#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod device;
mod error;
mod hash;
mod item_reader;
#[cfg(feature = "owner")]
mod owner;
mod progress;
mod request;
mod server;

pub use device::derivation::{Column, Derivation, Factor, Moments};
pub use device::encryption::{AnySuite, Choices, Contents, Device, Sender};
pub use device::pads::PadChoice;
pub use device::public_key::check_mask;
pub use device::readings::{Message, Packing, Readings};
pub use error::{Class, Error, Result};
pub use isopod_device::{PacketContext, Values as Borrowed};
pub use isopod_eval::{
    Activation, DecisionTree, HiddenLayer, Model, ModelKind, ModelOutput, Side, Threshold,
};
#[cfg(feature = "owner")]
pub use isopod_holders::{spoken, RefreshStep, Replacement, ReplacementStep};
#[cfg(feature = "owner")]
pub use isopod_keys::Novelty;
pub use isopod_lattigo::{Backend, Error as BackendError, Options as BackendOptions, Size};
pub use isopod_linear::RowMask;
#[cfg(feature = "owner")]
pub use isopod_owners::{least_set, Circuit, Wishes};
pub use item_reader::Items;
#[cfg(feature = "owner")]
pub use owner::completeness::{Missing, Results};
#[cfg(feature = "owner")]
pub use owner::decryption::{coefficients, Owner};
#[cfg(feature = "owner")]
pub use owner::estimate::Estimate;
#[cfg(feature = "owner")]
pub use owner::holders::{
    board::MovingShare,
    change::{end_share, note_ended, refresh_shares, replace_holder, take_over},
    fleet::write_fleet,
    fold::Fold,
    folder::{continue_ceremony, join_ceremony, CeremonyStep, HolderAnswer},
    requester::Requester,
    tags::HolderTagKeys,
};
#[cfg(feature = "owner")]
pub use owner::joining::Joining;
#[cfg(feature = "owner")]
pub use owner::new_keys::{
    check_server_keys, EvaluationKeyChoice, GeneratedKeys, NewDevice, NewKeys,
};
#[cfg(feature = "owner")]
pub use owner::opening::opened::{Opened, Values};
#[cfg(feature = "owner")]
pub use owner::opening::position::ValuePosition;
#[cfg(feature = "owner")]
pub use owner::pads::grant::Grant;
#[cfg(feature = "owner")]
pub use owner::publishing::{Declaration, Published, Publisher};
#[cfg(feature = "owner")]
pub use owner::summary::{ColumnSummary, ColumnSums, GroupSummary, Histogram, TableSummary};
#[cfg(feature = "owner")]
pub use owner::verification::tag_keys::{TagPeriod, TagPeriodChoice};
#[cfg(feature = "owner")]
pub use owner::verification::Verified;
pub use progress::{Progress, Report, Stage};
pub use request::description::Description;
pub use request::descriptor::{
    Descriptor, Evaluator, JobName, Keys, Layouts, Numbers, Options, Scope, USUAL_SET,
};
pub use request::file::row_mask;
pub use request::job::{Job, Request};
pub use request::merged::table::table_from_json;
pub use request::pad_span::PadSpan;
pub use request::several_owners::check_name as check_for_several;
pub use request::threshold::{RealEdges, RealThreshold, ThresholdValue};
pub use server::accumulate::frame::Frame;
pub use server::accumulate::pads::PadPackets;
pub use server::admit::quarantine::{Quarantine, Rejected, Tally, Unfinished};
pub use server::aggregation::{Aggregation, Group};
#[cfg(feature = "arguments")]
pub use server::arguments::LargeRing;
pub use server::compute::summary::Summary;
pub use server::evaluation::{Answer, Evaluated};
pub use server::folder::{Server, INVITATION_FILE};
pub use server::inbox::Inbox;
pub use server::read::batch_reader::Source;
