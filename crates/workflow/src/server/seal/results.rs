//! Results of all evaluators, each with its provenance, sealed for the owner.

use isopod_eval::Output;
use isopod_wire::{EncryptedResult, Grid, PadResult, Provenance, RoundedAnswers, TfheResult};

use crate::request::descriptor::JobName;
use crate::server::compute::coefficients::CoefficientResults;
use crate::server::compute::computed::Computed;
use crate::server::compute::packed_result::PackedResult;
use crate::server::compute::pads::PadComputed;
use crate::server::compute::slots::SlotResults;
use crate::server::seal::provenance::{EvaluationId, EvaluationInputs};
use crate::{Result, Server};

impl Computed {
    pub(crate) fn sealed(
        self,
        server: &Server,
        inputs: &EvaluationInputs,
        id: &EvaluationId,
    ) -> Result<Vec<Vec<u8>>> {
        match self {
            Self::Slots(results) => results.sealed(server, inputs, id),
            Self::Coefficients(results) => results.sealed(server, inputs, id),
            Self::Merged(result) => result.sealed(server, inputs, id),
            Self::Packed(results) => results.sealed(server, inputs, id),
            Self::Pads(computed) => sealed_pads(computed, server, inputs, id),
        }
    }
}

impl SlotResults {
    fn sealed(
        self,
        server: &Server,
        inputs: &EvaluationInputs,
        id: &EvaluationId,
    ) -> Result<Vec<Vec<u8>>> {
        let total = self.outputs.len();
        let provenances = inputs.provenances(id, total)?;
        let sealed = self
            .outputs
            .iter()
            .zip(provenances)
            .map(|(output, provenance)| {
                let mut result = self.result(output, server, provenance)?;
                result.linear_tag = inputs.linear_tag;
                Ok(server.link().seal(result.encode()?))
            });
        sealed.collect()
    }

    fn result(
        &self,
        output: &Output,
        server: &Server,
        provenance: Provenance,
    ) -> Result<EncryptedResult> {
        let residues = self.context.residues(&output.ciphertext)?;
        Ok(EncryptedResult {
            linear_tag: None,
            params: self.set,
            key_id: server.key_id(),
            nonce: isopod_keys::random()?,
            provenance,
            bound: output.bound,
            error: output.error,
            scale: residues.scale,
            first: 0,
            // At most n = 32768 slots.
            grid: Grid {
                rows: output.shape.rows as u32,
                columns: output.shape.columns as u32,
                stride: output.shape.stride as u32,
            },
            rounded: None,
            c0: residues.c0,
            c1: residues.c1,
        })
    }
}

impl CoefficientResults {
    fn sealed(
        self,
        server: &Server,
        inputs: &EvaluationInputs,
        id: &EvaluationId,
    ) -> Result<Vec<Vec<u8>>> {
        let provenances = inputs.provenances(id, self.answers.len())?;
        let answers = self.answers.into_iter().zip(provenances);
        let sealed = answers.map(|((plan, answer), provenance)| {
            let (places, shape) = (plan.places, plan.places.shape);
            let result = EncryptedResult {
                linear_tag: inputs.linear_tag,
                params: self.set,
                key_id: server.key_id(),
                nonce: isopod_keys::random()?,
                provenance,
                bound: plan.bound,
                error: plan.error,
                scale: plan.scale,
                // At most n = 32768 coefficients.
                first: places.first as u32,
                grid: Grid {
                    rows: shape.rows as u32,
                    columns: shape.columns as u32,
                    stride: shape.stride as u32,
                },
                rounded: Some(RoundedAnswers {
                    primes: plan.primes as u16,
                    dropped: plan.dropped,
                }),
                c0: vec![answer.c0],
                c1: vec![answer.c1],
            };
            Ok(server.link().seal(result.encode()?))
        });
        sealed.collect()
    }
}

impl PackedResult {
    fn sealed(
        self,
        server: &Server,
        inputs: &EvaluationInputs,
        id: &EvaluationId,
    ) -> Result<Vec<Vec<u8>>> {
        let columns = match inputs.job {
            JobName::Tree => 1,
            // At most 8 runs of 65535 values.
            _ => self.schema.values() as u32,
        };
        let provenance = inputs.provenances(id, 1)?.remove(0);
        let result = TfheResult {
            params: server.set().tfhe()?,
            key_id: server.key_id(),
            nonce: isopod_keys::random()?,
            provenance,
            schema: self.schema,
            columns,
            frame_columns: self.frame_columns,
            packed: self.bytes,
        };
        Ok(vec![server.link().seal(result.encode()?)])
    }
}

fn sealed_pads(
    computed: PadComputed,
    server: &Server,
    inputs: &EvaluationInputs,
    id: &EvaluationId,
) -> Result<Vec<Vec<u8>>> {
    let result = PadResult {
        key_id: server.key_id(),
        nonce: isopod_keys::random()?,
        provenance: inputs.provenances(id, 1)?.remove(0),
        sum: computed.sum,
    };
    let key = computed.reader.as_ref().unwrap_or(server.link());
    Ok(vec![key.seal(result.encode()?)])
}
