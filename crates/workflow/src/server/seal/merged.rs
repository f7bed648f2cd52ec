//! Results of merged frames under the key of the frames: numbers in coefficient 0, or pieces of values in slots of a large ring.

use isopod_lattigo::{Answer, Promise};
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
        let Answer { pieces, plan } = self.answer;
        let (provenances, dropped) = match &plan.each {
            None => (inputs.provenances(id, pieces.len())?, [0; 2]),
            Some(each) => (
                inputs.of_merged(id, self.frames_each, pieces.len())?,
                each.dropped,
            ),
        };
        // The error of a value in a slot is far above that of the coefficients that it is made of.
        let error = |promise: &Promise| plan.each.map_or(promise.error, |each| each.error);
        // Pieces of values have one promise in common.
        let promises = plan.numbers.iter().cycle();
        let pieces = pieces.into_iter().zip(promises).zip(provenances);
        let sealed = pieces.map(|((piece, promise), provenance)| {
            let columns = piece.c0.len() as u32;
            let result = EncryptedResult {
                params: self.set,
                key_id: server.key_id(),
                nonce: isopod_keys::random()?,
                provenance,
                bound: promise.bound,
                error: error(promise),
                scale: piece.scale,
                first: 0,
                grid: Grid {
                    rows: 1,
                    columns,
                    stride: columns,
                },
                rounded: Some(RoundedAnswers { primes: 1, dropped }),
                c0: vec![piece.c0],
                c1: vec![piece.c1],
                linear_tag: None,
            };
            Ok(server.link().seal(result.encode()?))
        });
        sealed.collect()
    }
}
