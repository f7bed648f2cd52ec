//! The result of merged frames: one number in coefficient 0, under the key of the frames.

use isopod_wire::{EncryptedResult, Grid, RoundedAnswers};

use crate::server::compute::merged::MergedResult;
use crate::server::seal::provenance::{EvaluationId, EvaluationInputs};
use crate::{Result, Server};

impl MergedResult {
    pub(super) fn sealed(
        self,
        server: &Server,
        inputs: &EvaluationInputs,
        id: &EvaluationId,
    ) -> Result<Vec<Vec<u8>>> {
        let answer = self.answer;
        let result = EncryptedResult {
            params: self.set,
            key_id: server.key_id(),
            nonce: isopod_keys::random()?,
            provenance: inputs.provenances(id, 1)?.remove(0),
            // No count is larger.
            bound: answer.plan.readings as f64,
            error: answer.plan.error,
            scale: answer.scale,
            first: 0,
            grid: Grid {
                rows: 1,
                columns: 1,
                stride: 1,
            },
            rounded: Some(RoundedAnswers {
                primes: 1,
                dropped: [0; 2],
            }),
            c0: vec![vec![answer.c0]],
            c1: vec![answer.c1],
            linear_tag: None,
        };
        Ok(vec![server.link().seal(result.encode()?)])
    }
}
