//! CPU time of a sum by the linear kernels, side by side with SEAL's load and add of the same ciphertexts.

use crate::record::{Record, Throughput};
use anyhow::{ensure, Context as _, Result};
use isopod_device::{Encoding, Encryptor, FrameClaims, KeyPair, Sender, Values};
use isopod_keys::SecretKey as Symmetric;
use isopod_linear::{Machine, Sum};
use isopod_seal::peer::Peer;
use isopod_seal::{Ciphertext, Context, Evaluator, Residues, SecretKey};
use isopod_wire::{
    by_name, Authenticator, Envelope, PackedFrame, ParameterSet, Partial, Relation, Suite, Tag,
};
use std::fs;

pub const CASE: &str = "sum";
const SET: &str = "ckks-4096x2-linear";
const DEVICE: u64 = 7;
/// Frames of a run: 31 MB on the wire, more than a cache holds.
const FRAMES: usize = 512;
const RUNS: usize = 12;
const METHOD: &str = "512 frames by public key in memory, each other bytes. One thread: per frame both parts are found, their \
device key is derived, XChaCha20-Poly1305 verified, the header parsed, residues checked, unpacked and added; beside it \
Ciphertext::load of the same ciphertexts in SEAL's uncompressed format and add_inplace, by turns in the same process; both sums \
are compared. ratio_to_seal is the least CPU time of ours over the least of SEAL's, of 12 runs; rss_bytes the growth of the peak \
while our sum ran, before SEAL held anything.";

struct Server(Symmetric);

impl Authenticator for Server {
    fn verify(&self, relation: Relation, nonce: &[u8; 24], message: &[u8], tag: &Tag) -> bool {
        match relation {
            Relation::Link => false,
            Relation::Device(device) => self.0.device_key(device).verify(nonce, message, tag),
        }
    }
}

/// Measures, and makes the record.
pub fn record() -> Result<Record> {
    let set = by_name(SET).context("no such set")?;
    let (pair, server) = (KeyPair::generate(set)?, Server(Symmetric::random()?));
    let frames = encrypt(set, &pair, &server)?;
    let before = peak_rss()?;
    let state = fold(&frames, &server)?;
    let rss_bytes = peak_rss()? - before;
    let context = Context::for_set(set)?;
    let (ours, seals) = race(&context, (&frames, &server), &state)?;
    Ok(conclude(rss_bytes, ours, seals))
}

/// The least times of both by turns, in nanoseconds for all frames.
fn race(
    context: &Context,
    (frames, server): (&[Vec<u8>], &Server),
    state: &Partial,
) -> Result<(u64, u64)> {
    let images = images(context, frames, server)?;
    let mut coefficients = vec![0; context.parameters().ring_degree];
    coefficients[0] = 1;
    let secret = SecretKey::new(context, &coefficients)?;
    let peer = Peer::new(context, &secret)?;
    let (mut ours, mut seals) = (u64::MAX, u64::MAX);
    for _ in 0..RUNS {
        let start = cpu_nanoseconds()?;
        let again = fold(frames, server)?;
        let middle = cpu_nanoseconds()?;
        let sum = load_and_add(context, &peer, &images)?;
        let end = cpu_nanoseconds()?;
        (ours, seals) = (ours.min(middle - start), seals.min(end - middle));
        ensure!(again == *state, "two sums of the same frames differ");
        same(state, &context.residues(&sum)?)?;
    }
    Ok((ours, seals))
}

fn same(state: &Partial, residues: &Residues) -> Result<()> {
    let same = residues.c0 == state.c0 && residues.c1 == state.c1;
    ensure!(same, "the sum is not SEAL's");
    Ok(())
}

/// The record of the least times of both.
fn conclude(rss_bytes: u64, ours: u64, seals: u64) -> Record {
    let throughput = Throughput {
        frames_per_cpu_second: FRAMES as f64 / ours as f64 * 1e9,
        rss_bytes,
        ratio_to_seal: ours as f64 / seals as f64,
    };
    eprintln!(
        "{SET} sum: {:.1} us a frame with {}, SEAL {:.1} us, ratio {:.3}, {rss_bytes} bytes",
        ours as f64 / 1e3 / FRAMES as f64,
        Machine::best().name(),
        seals as f64 / 1e3 / FRAMES as f64,
        throughput.ratio_to_seal
    );
    Record::of_throughput(SET, (FRAMES, RUNS), throughput, METHOD)
}

/// Frames as they arrive, their parts one after the other.
fn encrypt(set: &ParameterSet, pair: &KeyPair, server: &Server) -> Result<Vec<Vec<u8>>> {
    let encoding = Encoding {
        log2_scale: set.log2_scale.default,
        log2_bound: 3,
        claims: FrameClaims::default(),
        chunks: 4,
        suite: Suite::Chacha20,
        accept_label: set.label,
    };
    let mut encryptor = Encryptor::new(&pair.public_blob, encoding)?;
    let key = server.0.device_key(DEVICE);
    let frame = |sequence| {
        let mut sender = Sender {
            device: DEVICE,
            epoch: 1,
            sequence,
            key: key.expose(),
        };
        let values = vec![sequence as f64 / FRAMES as f64; set.slots()];
        let parts = encryptor.encrypt_values(Values::Real(&values), &mut sender)?;
        Ok(parts.concat())
    };
    (0..FRAMES as u64).map(frame).collect()
}

fn read<'a>(mut bytes: &'a [u8], server: &Server) -> Result<PackedFrame<'a>> {
    let mut parts = Vec::with_capacity(2);
    while !bytes.is_empty() {
        let (envelope, rest) = Envelope::read(bytes)?;
        parts.push(envelope.authenticate(server)?.packed_part()?);
        bytes = rest;
    }
    Ok(PackedFrame::new(parts)?)
}

fn fold(frames: &[Vec<u8>], server: &Server) -> Result<Partial> {
    let first = read(&frames[0], server)?;
    let mut sum = Sum::new(first.header(), CASE, [0; 32], Machine::best())?;
    for bytes in frames {
        sum.fold(&read(bytes, server)?, None, 1)?;
    }
    Ok(sum.finish([0; 16])?)
}

/// SEAL's bytes of each frame.
fn images(context: &Context, frames: &[Vec<u8>], server: &Server) -> Result<Vec<Vec<u8>>> {
    let image = |bytes: &Vec<u8>| {
        let state = fold(std::slice::from_ref(bytes), server)?;
        let scale = f64::from(state.alike.log2_scale).exp2();
        let ciphertext = context.ciphertext(&state.c0, &state.c1, scale)?;
        Ok(context.export(&ciphertext)?)
    };
    frames.iter().map(image).collect()
}

fn load_and_add(context: &Context, peer: &Peer<'_>, images: &[Vec<u8>]) -> Result<Ciphertext> {
    let evaluator = Evaluator::new(context);
    let mut sum = peer.load(&images[0])?;
    for image in &images[1..] {
        evaluator.add(&mut sum, &peer.load(image)?)?;
    }
    Ok(sum)
}

/// CPU time of this thread.
fn cpu_nanoseconds() -> Result<u64> {
    let text = fs::read_to_string("/proc/thread-self/schedstat")?;
    let time = text.split(' ').next().context("no time in schedstat")?;
    Ok(time.parse()?)
}

/// Largest memory of this process so far.
fn peak_rss() -> Result<u64> {
    let text = fs::read_to_string("/proc/self/status")?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.context("no VmHWM")?.trim().trim_end_matches(" kB");
    Ok(kilobytes.parse::<u64>()? * 1024)
}
