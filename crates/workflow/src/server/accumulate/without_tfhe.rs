//! Stands in for [`super::tfhe`] in a build that computes under CKKS and BFV only.

use std::collections::BTreeMap;
use std::sync::Arc;

use isopod_wire::{FrameId, PackingId, TfheFrame};

use crate::request::job::Request;
use crate::server::accumulate::pads::PadPackets;
use crate::{Error, Result, Server};

/// No job takes frames of TFHE.
pub(crate) enum TfheAccumulator {}

impl TfheAccumulator {
    pub(crate) fn of(request: &Request) -> Result<Option<Self>> {
        request.check_tfhe().map(|()| None)
    }

    pub(crate) fn add_to(&self, _: &Arc<PadPackets>) {
        match *self {}
    }

    pub(crate) fn take(&self, _: TfheFrame) -> Result<()> {
        match *self {}
    }

    pub(crate) fn work(&self, _: &Server) -> Result<()> {
        match *self {}
    }

    pub(crate) fn frames(&self) -> (Option<PackingId>, BTreeMap<FrameId, u32>) {
        match *self {}
    }
}

impl Request {
    pub(crate) fn check_tfhe(&self) -> Result<()> {
        let job = self.job.name().name();
        Err(Error::WithoutTfhe { job })
    }
}
