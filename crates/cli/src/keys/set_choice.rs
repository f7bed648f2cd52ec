//! The parameter set that fits a job and a precision, and the cost of a reading under it.

use anyhow::{bail, Context as _, Result};
use isopod_eval::{droppable, Claims, Key};
use isopod_seal::Parameters;
use isopod_wire::{sets, ParameterSet, Scheme};
use isopod_workflow::JobName;
use serde::Serialize;

/// Bytes of a device's workspace beside its polynomials (`ISOPOD_ROUNDED_STATE_BYTES`).
const STATE_BYTES: usize = 928;

/// Wishes for readings in rounded coefficients.
pub struct Wishes {
    pub job: JobName,
    /// Error that a reading may have.
    pub precision: f64,
    /// log2 of the bound on readings.
    pub bound_bits: i8,
    pub by_secret_key: bool,
}

/// Cost of a reading in a full frame.
#[derive(Debug, Clone, Serialize)]
pub struct Cost {
    pub bytes_per_reading: f64,
    pub error: f64,
    pub workspace_bytes: usize,
    /// With `isopod_rounded_public_small`; none for a secret key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub small_workspace_bytes: Option<usize>,
    /// Members of the firmware's configuration and of its `isopod_rounding`.
    pub log2_scale: u8,
    pub log2_bound: i8,
    pub dropped: [u8; 2],
    #[serde(skip)]
    set: &'static ParameterSet,
}

impl Cost {
    /// The set with the fewest bytes for a reading.
    pub fn least(wishes: &Wishes) -> Result<(&'static ParameterSet, Self)> {
        let job = wishes.job.name();
        if wishes.job.takes_slots_alone() {
            let usual = wishes.job.usual_set();
            bail!("--precision: {job} takes slots; allowed is --set {usual} in its place");
        }
        let all = sets().filter(|set| set.name.ends_with("-air") && set.scheme() == Scheme::Ckks);
        let costs = all.map(|set| Self::of(set, wishes));
        let (fitting, refused): (Vec<_>, Vec<_>) = costs.partition(|cost| cost.is_ok());
        let fitting = fitting.into_iter().flatten();
        let least =
            fitting.min_by(|one, other| one.bytes_per_reading.total_cmp(&other.bytes_per_reading));
        match (least, refused.into_iter().next_back()) {
            (Some(cost), _) => Ok((cost.set, cost)),
            (None, Some(Err(refusal))) => Err(refusal).context("--precision"),
            (None, _) => bail!("--precision: no set takes {job}"),
        }
    }

    fn of(set: &'static ParameterSet, wishes: &Wishes) -> Result<Self> {
        let (n, primes) = (set.ring_degree, set.data_primes.len());
        let key = if wishes.by_secret_key {
            Key::Secret
        } else {
            Key::Public
        };
        let claims = Claims {
            bound: f64::from(wishes.bound_bits).exp2(),
            scale: f64::from(set.log2_scale.default).exp2(),
            primes,
            key,
            dithered: false,
            rows: 1,
            columns: n,
            stride: n,
            buckets: 1,
            frames: 1,
        };
        let dropped = droppable(&Parameters::from(set), claims, Some(wishes.precision))?;
        let modulus: u64 = set.data_primes.iter().product();
        let width = u64::BITS - modulus.leading_zeros();
        let kept = |dropped: u8| f64::from(width - u32::from(dropped)) / 8.0;
        let (bytes, workspace, small) = match key {
            Key::Secret => (kept(dropped[0]), 4 * n * (primes + 1), None),
            Key::Public => (
                kept(dropped[0]) + kept(dropped[1]),
                8 * n * primes + n / 4,
                Some(4 * n * primes + n / 4),
            ),
        };
        Ok(Self {
            bytes_per_reading: bytes,
            error: wishes.precision,
            workspace_bytes: STATE_BYTES + workspace,
            small_workspace_bytes: small.map(|bytes| STATE_BYTES + bytes),
            log2_scale: set.log2_scale.default,
            log2_bound: wishes.bound_bits,
            dropped,
            set,
        })
    }

    /// Two lines for people; the second one is for firmware.
    pub fn text(&self) -> String {
        let [first, second] = self.dropped;
        let small = self
            .small_workspace_bytes
            .map_or_else(String::new, |bytes| {
                format!(", {bytes} by isopod_rounded_public_small")
            });
        format!(
            "a reading in a full frame costs {:.1} bytes and is off by at most {}; a device needs {} bytes of workspace{small}\n\
             in firmware: .log2_scale = {}, .log2_bound = {}, .dropped = {{{first}, {second}}}\n",
            self.bytes_per_reading,
            self.error,
            self.workspace_bytes,
            self.log2_scale,
            self.log2_bound
        )
    }
}
