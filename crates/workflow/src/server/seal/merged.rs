//! Results of merged frames: each a number in coefficient 0, under the key of the frames.

use isopod_lattigo::Answer;
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
        let Answer { numbers, plan } = self.answer;
        let provenances = inputs.provenances(id, numbers.len())?;
        let numbers = numbers.into_iter().zip(plan.numbers).zip(provenances);
        let sealed = numbers.map(|((number, promise), provenance)| {
            let result = EncryptedResult {
                params: self.set,
                key_id: server.key_id(),
                nonce: isopod_keys::random()?,
                provenance,
                bound: promise.bound,
                error: promise.error,
                scale: number.scale,
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
                c0: vec![vec![number.c0]],
                c1: vec![number.c1],
                linear_tag: None,
            };
            Ok(server.link().seal(result.encode()?))
        });
        sealed.collect()
    }
}
