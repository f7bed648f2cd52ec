//! `isopod evaluate`: a named job on frames, with evaluation keys only.

use std::num::NonZero;
use std::path::{Path, PathBuf};

use anyhow::{ensure, Context, Result};
use clap::Args;
use isopod_wire::AnySet;
use isopod_workflow::{Inbox, PadPackets, PadSpan, Request, Server, Summary, Tally, Unfinished};
use serde::Serialize;

use crate::input::files;
use crate::input::jobs::JobChoice;
use crate::input::pad_span::span;
use crate::input::sources::Sources;
use crate::inspect::tfhe_facts::schema;
use crate::keys::label::LabelChoice;
use crate::keys::large_ring::LargeRing;
use crate::output::escaped;
use crate::output::failure::{CutOff, SetAside};
use crate::output::new_file::{check_apart, check_distinct, NewFile};
use crate::output::progress::{reading, Bars};
use crate::output::quarantine::Quarantine;
use crate::output::report::Output;

/// Arguments of `isopod evaluate`.
#[derive(Debug, Default, Args)]
pub struct Evaluate {
    /// The server's folder
    #[arg(long, value_name = "DIR")]
    pub keys: PathBuf,
    #[command(flatten)]
    pub choice: JobChoice,
    /// The owner's request, of `isopod request`, in place of a job
    #[arg(long, value_name = "FILE", conflicts_with_all = ["job", "model", "weights", "unnamed_columns", "above", "below",
          "each", "edges", "tree", "gap", "columns"])]
    pub request: Option<PathBuf>,
    /// Compute over frames that entered an answer to the same request before
    #[arg(long)]
    pub again: bool,
    /// Frames and partial states: files, directories, globs, @ and a file of paths, or - for standard input
    #[arg(long = "in", value_name = "FILE", num_args = 1.., required = true)]
    pub input: Vec<PathBuf>,
    /// File of results to write; - for standard output
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Replace the file if it exists
    #[arg(long)]
    pub force: bool,
    /// Write a partial state in place of results, to be an input of another evaluation: for sum, mean and histograms of integers
    #[arg(long)]
    pub partial: bool,
    /// Refuse a job whose result cannot be verified by linear tags, before any frame is read
    #[arg(long)]
    pub verifiable: bool,
    /// Refuse everything at the first item that does not enter
    #[arg(long, conflicts_with = "quarantine")]
    pub strict: bool,
    /// Files may be cut off within their last item, because they are still being written
    #[arg(long)]
    pub growing: bool,
    /// File for items that do not enter [default: that of the results, and .quarantine]
    #[arg(long, value_name = "FILE")]
    pub quarantine: Option<PathBuf>,
    /// Seal a sum of pads for the reader of these packets, DEVICE:EPOCH:FIRST-LAST, whose grant the owner made, in place of the
    /// owner
    #[arg(long, value_name = "RANGE", value_parser = span, conflicts_with = "partial")]
    pub reader: Option<PadSpan>,
    /// Packets of pads to compute on: the frames are their pads, of `isopod pads encrypt`
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "packet_keys", conflicts_with = "partial")]
    pub packets: Vec<PathBuf>,
    /// The server's folder of these packets
    #[arg(long, value_name = "DIR", requires = "packets")]
    pub packet_keys: Option<PathBuf>,
    #[command(flatten)]
    pub large_ring: LargeRing,
    /// Threads [default: one for each core]
    #[arg(long, value_name = "NUMBER")]
    pub threads: Option<NonZero<usize>>,
    #[command(flatten)]
    pub label: LabelChoice,
}

/// Advice where an answer cannot be written once its frames are remembered.
const ENTERED: &str = "the frames entered; to answer once more, evaluate with --again";

/// How far off values may be: by roundings, which add up in step with the number of frames, and by six deviations of the noise.
#[derive(Serialize)]
struct Shares {
    error: f64,
    error_in_step: f64,
    error_random: f64,
}

/// Facts of an answer on merged frames.
#[derive(Serialize)]
struct MergedFacts {
    ciphertexts: usize,
    gap: f64,
    error: f64,
    keys_label: String,
    /// Bytes of the answer for each reading, where each has a value of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes_per_reading: Option<f64>,
}

#[derive(Default, Serialize)]
struct Facts {
    file: String,
    job: &'static str,
    #[serde(rename = "engine", skip_serializing_if = "Option::is_none")]
    evaluator: Option<&'static str>,
    set: &'static str,
    label: &'static str,
    /// Number of the server's answer; none for a partial state.
    #[serde(skip_serializing_if = "Option::is_none")]
    sequence: Option<u64>,
    frames: u64,
    /// Frames that were left out because a partial state holds them.
    known: u64,
    set_aside: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    quarantine: Option<String>,
    /// Items that were cut at the end of their file.
    unfinished: Vec<Unfinished>,
    #[serde(skip_serializing_if = "Option::is_none")]
    results: Option<usize>,
    values: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    remaining_primes: Option<usize>,
    /// Error of the least precise result, and its two shares; none of integers.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    error: Option<Shares>,
    #[serde(skip_serializing_if = "Option::is_none")]
    holds: Option<String>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    merged: Option<MergedFacts>,
    /// Runs of packets of pads, two pads each.
    #[serde(skip_serializing_if = "Option::is_none")]
    runs: Option<usize>,
    bytes: usize,
}

impl Evaluate {
    /// Authenticates and assembles all frames, computes, and writes the results, whole or not at all. Frames are remembered
    /// before an answer leaves.
    pub fn run(&self) -> Result<Output> {
        let (sources, server) = self.open()?;
        let set = server.set();
        let request = self.request(&server)?;
        if self.verifiable {
            request.check_verifiable(set)?;
        }
        let quarantine = Quarantine::beside(&self.out, self.quarantine.as_deref())?;
        let file = NewFile::new(&self.out, self.force)?;
        let (inbox, tally) = self.read(&server, &request, sources, &quarantine)?;
        let mut facts = Facts {
            file: self.out.display().to_string(),
            job: request.job.name().name(),
            set: set.name(),
            label: set.label().name(),
            frames: tally.frames,
            known: tally.known,
            set_aside: tally.set_aside,
            unfinished: tally.unfinished,
            ..Facts::default()
        };
        let items = self.compute(inbox, &mut facts)?;
        facts.count_bytes(&items);
        let written = publish(&items, file, quarantine);
        let set_aside = self.explained(written)?;
        facts.quarantine = set_aside.as_ref().map(|set_aside| set_aside.file.clone());
        let output = Output::new(facts.text(), &facts)?.beside(&self.out);
        let cut_off = || self.cut_off(&facts.unfinished).map(Into::into);
        Ok(output.refused(set_aside.map(Into::into).or_else(cut_off)))
    }

    /// Tells of the first file that is cut off, unless files may be.
    fn cut_off(&self, unfinished: &[Unfinished]) -> Option<CutOff> {
        let first = unfinished.first().filter(|_| !self.growing)?;
        Some(CutOff {
            file: first.source.clone(),
            bytes: first.bytes,
            position: first.position,
        })
    }

    fn open(&self) -> Result<(Sources, Server)> {
        let sources = Sources::find(&self.input)?;
        self.check_out(&sources)?;
        let server = Server::open(&self.keys)?;
        self.label.check(server.set())?;
        let server = match self.large_ring.backend(self.threads)? {
            Some(backend) => server.with_backend(backend),
            None => server,
        };
        Ok((sources, server))
    }

    /// Tells of the frames that entered an answer which then could not be written.
    fn explained<T>(&self, written: Result<T>) -> Result<T> {
        match self.partial {
            true => written,
            false => written.context(ENTERED),
        }
    }

    fn read<'a>(
        &self,
        server: &'a Server,
        request: &Request,
        sources: Sources,
        quarantine: &'a Quarantine,
    ) -> Result<(Inbox<'a>, Tally)> {
        ensure!(
            self.reader.is_none() || server.set() == AnySet::Pads,
            "--reader: of sums of pads; allowed with keys of set pads"
        );
        let mut inbox = Inbox::for_request(server, request, self.again)?.for_reader(self.reader);
        if let Some(keys) = &self.packet_keys {
            inbox = inbox.with_packets(self.packets(keys, server)?);
        }
        if let Some(threads) = self.threads {
            inbox = inbox.with_threads(threads);
        }
        if !self.strict {
            inbox = inbox.with_quarantine(Box::new(|rejected| quarantine.keep(&rejected)));
        }
        let bar = reading(sources.bytes());
        let read = inbox.read_all(sources.open(&bar));
        bar.finish_and_clear();
        read?;
        let tally = inbox.close()?;
        Ok((inbox, tally))
    }

    /// The packets that the frames are the pads of; none may be refused.
    fn packets(&self, keys: &Path, server: &Server) -> Result<PadPackets> {
        ensure!(
            matches!(server.set(), AnySet::Tfhe(_)),
            "--packets: added to frames of TFHE; allowed with keys of a TFHE set"
        );
        let pads = Server::open(keys)?;
        let mut inbox = Inbox::new(&pads);
        let sources = Sources::find(&self.packets)?;
        let bar = reading(sources.bytes());
        let read = inbox.read_all(sources.open(&bar));
        bar.finish_and_clear();
        read?;
        Ok(PadPackets::new(inbox.complete()?)?)
    }

    /// The items of the answer, or the one of the partial state.
    fn compute(&self, inbox: Inbox<'_>, facts: &mut Facts) -> Result<Vec<Vec<u8>>> {
        if self.partial {
            return Ok(vec![inbox.partial()?]);
        }
        let mut bars = Bars::default();
        let answer = inbox.answer(&mut |progress| bars.show(progress))?;
        facts.sequence = Some(answer.sequence);
        facts.add(answer.summary);
        Ok(answer.items)
    }

    fn check_out(&self, sources: &Sources) -> Result<()> {
        let choice = [&self.choice.model, &self.choice.tree, &self.request];
        let choice = choice.into_iter().flatten().map(PathBuf::as_path);
        let inputs = sources.paths().chain([self.keys.as_path()]).chain(choice);
        if let Some(quarantine) = &self.quarantine {
            check_distinct(&[&self.out, quarantine])?;
        }
        check_apart(&self.out, inputs)
    }

    fn request(&self, server: &Server) -> Result<Request> {
        let set = server.set();
        let request = match &self.request {
            Some(path) => files::request(path, set, server.key_id())?,
            None => self.choice.request(set)?,
        };
        server.check_request(&request)?;
        ensure!(
            !self.partial || request.is_aggregate(),
            "--partial: {} has no partial states; allowed with sum, mean and the histogram of integers",
            request.job.name().name()
        );
        Ok(request)
    }
}

/// Writes the answer, after what was set aside.
fn publish(
    items: &[Vec<u8>],
    mut file: NewFile,
    quarantine: Quarantine,
) -> Result<Option<SetAside>> {
    items.iter().try_for_each(|item| file.write(item))?;
    let set_aside = quarantine.publish()?;
    file.publish().map(|()| set_aside)
}

impl Facts {
    fn count_bytes(&mut self, items: &[Vec<u8>]) {
        self.bytes = items.iter().map(Vec::len).sum();
        if let Some(merged) = &mut self.merged {
            let each = self.bytes as f64 / self.values as f64;
            merged.bytes_per_reading = merged.bytes_per_reading.map(|_| each);
        }
    }

    fn add(&mut self, summary: Summary) {
        match summary {
            Summary::Seal {
                results,
                values,
                remaining_primes,
                error,
                in_step,
            } => {
                self.values = values;
                self.results = Some(results);
                self.remaining_primes = Some(remaining_primes);
                self.error = (error > 0.0).then_some(Shares {
                    error,
                    error_in_step: in_step,
                    error_random: error - in_step,
                });
            }
            Summary::Pads { values, runs } => {
                self.values = values;
                self.runs = Some(runs);
            }
            Summary::Lattigo {
                readings,
                ciphertexts,
                results,
                gap,
                error,
                each,
                label,
            } => {
                self.values = readings;
                self.results = Some(results);
                self.evaluator = Some("Lattigo");
                self.merged = Some(MergedFacts {
                    ciphertexts,
                    gap,
                    error,
                    keys_label: label,
                    bytes_per_reading: each.then_some(0.0),
                });
            }
            Summary::TfheRs { inputs, schema: of } => {
                self.values = inputs;
                self.evaluator = Some("tfhe-rs");
                self.holds = Some(schema(&of));
            }
        }
    }

    fn text(&self) -> String {
        let (file, job) = (escaped::text(&self.file), self.job);
        let (of, set, label) = (self.of(), self.set, self.label);
        let mut text = format!("{file}: {job} of {of}; set {set} (label {label})\n");
        if self.known > 0 {
            text += &format!("{} frame(s) were in partial states already\n", self.known);
        }
        for item in &self.unfinished {
            text += &format!(
                "{} ends within an item: {} bytes from byte {} on wait for the rest\n",
                escaped::text(&item.source),
                item.bytes,
                item.position
            );
        }
        text
    }

    fn of(&self) -> String {
        let (frames, values, bytes) = (self.frames, self.values, self.bytes);
        if let Some(merged) = &self.merged {
            let results = self.results.unwrap_or(0);
            if let Some(each) = merged.bytes_per_reading {
                let off = format!("each value is off by at most {:.4}", merged.error);
                let (of, right) = match (merged.gap, self.job) {
                    (0.0, _) => ("row", off),
                    (gap, "alarm") => (
                        "reading",
                        format!("each alarm is right further than {gap:.3} from the threshold"),
                    ),
                    (gap, _) => (
                        "row",
                        format!("{off} where no comparison is nearer than {gap:.3}"),
                    ),
                };
                return format!(
                    "{values} {of}(s) in {frames} frame(s), merged into {}, by Lattigo; {right}; {bytes} bytes, {each:.2} a \
                     {of}; keys {}",
                    merged.ciphertexts, merged.keys_label
                );
            }
            if merged.gap == 0.0 {
                return format!(
                    "{values} reading(s) in {frames} frame(s), merged into {}, by Lattigo, in {results} result(s), each off by \
                     at most {:.4}; {bytes} bytes; keys {}",
                    merged.ciphertexts, merged.error, merged.keys_label
                );
            }
            return format!(
                "{values} reading(s) in {frames} frame(s), merged into {}, by Lattigo, in {results} result(s), each off by at \
                 most {:.3}, and by 1 for each reading nearer than {:.3} to a threshold of it; {bytes} bytes; keys {}",
                merged.ciphertexts, merged.error, merged.gap, merged.keys_label
            );
        }
        match (&self.holds, self.sequence) {
            (_, None) => format!("{frames} frame(s) as a partial state, {bytes} bytes"),
            _ if self.runs.is_some() => format!(
                "{frames} packet(s) in {} run(s), {values} sum(s), {bytes} bytes",
                self.runs.unwrap_or(0)
            ),
            (Some(holds), _) => format!(
                "{values} value(s) in {frames} frame(s), by tfhe-rs; the result holds {holds}, {bytes} bytes"
            ),
            (None, _) => format!(
                "{frames} frame(s) in {} result(s) with {values} value(s), {bytes} bytes, {} prime(s) left",
                self.results.unwrap_or(0),
                self.remaining_primes.unwrap_or(0),
            ),
        }
    }
}
