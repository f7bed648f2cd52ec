//! Jobs on TFHE frames, with tfhe-rs.

/// This build computes on CKKS frames only.
#[cfg(not(feature = "tfhe"))]
pub fn run(
    arguments: &crate::commands::evaluate::Evaluate,
    _: &isopod_keys::ServerKeys,
) -> anyhow::Result<crate::answer::Answer> {
    anyhow::bail!(
        "--job: {} needs tfhe-rs, which this program was built without; build it with --features tfhe",
        arguments.choice.job.name()
    )
}

#[cfg(feature = "tfhe")]
pub use engine::run;

#[cfg(feature = "tfhe")]
mod engine {
    //! With tfhe-rs in this build.

    use anyhow::{bail, Context as _, Result};
    use isopod_eval::bits::Session;
    use isopod_keys::{ServerKeys, EVALUATION_KEYS_FILE};
    use isopod_tfhe::engine::{pack_answer, Native, RingCiphertext, ServerKeys as Engine};
    use isopod_wire::{Envelope, TfheFrame, TfheResult, WireError};
    use serde::Serialize;

    use crate::answer::Answer;
    use crate::commands::evaluate::Evaluate;
    use crate::new_file::NewFile;
    use crate::progress;
    use crate::tfhe::frames;
    use crate::tfhe::inspect::schema;

    #[derive(Serialize)]
    struct Facts {
        file: String,
        job: &'static str,
        engine: &'static str,
        set: &'static str,
        label: &'static str,
        frames: usize,
        values: usize,
        holds: String,
        bytes: usize,
    }

    /// Authenticates and parses all frames, computes, and writes one result, whole or not at all.
    pub fn run(arguments: &Evaluate, keys: &ServerKeys) -> Result<Answer> {
        let set = keys.params().tfhe()?;
        let name = arguments.choice.job.name();
        if set.message_bits != 2 {
            bail!(
                "set: {} is TFHEpp's ring; allowed with --job {name} are keys of tfhe-2048-tfhe-rs, and `isopod export-tfhepp` \
                 writes frames of this set as TFHEpp's arrays",
                set.name
            );
        }
        let job = arguments.choice.bits.job(arguments.choice.job)?;
        let frames = frames::read(&arguments.input, keys)?;
        let types: Vec<_> = frames
            .iter()
            .flat_map(|frame| frame.header.schema.types())
            .collect();
        job.check(&types)?;
        let engine = server_keys(arguments, keys)?;
        let mut file = NewFile::new(&arguments.out, arguments.force)?;
        let values = load(&frames)?;
        let count = values.len();
        let bar = progress::bar("computing", count as u64);
        let mut report = |done: usize, total: usize| {
            bar.set_length(total as u64);
            bar.set_position(done as u64);
        };
        let answer = job.run(&mut Session::new(&engine, &mut report), values)?;
        bar.finish_and_clear();
        let (schema_of, packed) = pack_answer(&engine, answer)?;
        let holds = schema(&schema_of);
        let result = TfheResult {
            params: set,
            key_id: keys.key_id(),
            nonce: isopod_keys::random()?,
            job: name.to_owned(),
            schema: schema_of,
            packed,
        };
        let bytes = keys.link().seal(result.encode()?);
        file.write(&bytes)?;
        file.publish()?;
        let facts = Facts {
            file: arguments.out.display().to_string(),
            job: name,
            engine: "tfhe-rs",
            set: set.name,
            label: set.label.name(),
            frames: frames.len(),
            values: count,
            holds,
            bytes: bytes.len(),
        };
        Answer::new(text(&facts), &facts)
    }

    fn load(frames: &[TfheFrame]) -> Result<Vec<Native>> {
        let mut values = Vec::new();
        for frame in frames {
            values.extend(RingCiphertext::new(frame)?.values()?);
        }
        Ok(values)
    }

    /// The server's keys for tfhe-rs, authenticated by the link key.
    fn server_keys(arguments: &Evaluate, keys: &ServerKeys) -> Result<Engine> {
        let path = arguments.keys.join(EVALUATION_KEYS_FILE);
        let name = || path.display().to_string();
        if !path.exists() {
            bail!(
                "{}: missing; {} needs the server key of tfhe-rs, which `isopod keygen` of a build with it writes",
                name(),
                arguments.choice.job.name()
            );
        }
        let bytes = std::fs::read(&path).with_context(name)?;
        let authentic = Envelope::read_only(&bytes)
            .and_then(|envelope| envelope.authenticate(keys))
            .with_context(name)?;
        let stored = authentic.tfhe_server_keys().with_context(name)?;
        if (stored.key_id, stored.params) != (keys.key_id(), keys.params().tfhe()?) {
            return Err(WireError::Mismatch { field: "key" }).with_context(name);
        }
        Engine::load(stored.server, stored.packing).with_context(name)
    }

    fn text(facts: &Facts) -> String {
        format!(
            "{}: {} of {} value(s) in {} frame(s), by {}; the answer holds {}, {} bytes; set {} (label {})\n",
            facts.file,
            facts.job,
            facts.values,
            facts.frames,
            facts.engine,
            facts.holds,
            facts.bytes,
            facts.set,
            facts.label,
        )
    }
}
