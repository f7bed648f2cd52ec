//! `isopod encrypt`: values to frames, with the code that runs on devices.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{ensure, Context as _, Result};
use clap::Args;
use isopod_keys::{reserve, NumberChoice, Reserved};
use isopod_wire::{AnySet, Layout, ParameterSet, Scheme, TfheParams, ValueType};
use isopod_workflow::{
    Choices, Contents, Description, Device, Message, Packing, Progress, Readings, Sender, Stage,
};
use serde::Serialize;

use crate::commands::device::derived::{check_columns, derive, DerivedChoice};
use crate::commands::device::encoding::{EncodingChoice, IntegerChoice, LayoutName, PadArguments};
use crate::commands::device::packet_choice::PacketChoice;
use crate::input::files;
use crate::input::row_ids::RowIds;
use crate::input::values::{self, ReadingTable};
use crate::keys::label::LabelChoice;
use crate::output::escaped;
use crate::output::new_file::{check_apart, check_distinct, NewFile};
use crate::output::progress::Bars;
use crate::output::report::Output;

/// Arguments of `isopod encrypt`.
#[derive(Debug, Default, Args)]
pub struct Encrypt {
    /// A device's folder
    #[arg(long, alias = "key", value_name = "DIR")]
    pub keys: PathBuf,
    /// The public key of the device's key pair [default: public.key in its folder, or in the folder `public` beside it]
    #[arg(long, value_name = "FILE", conflicts_with = "by_secret_key")]
    pub public_key: Option<PathBuf>,
    /// CSV with a header row, or - for standard input
    #[arg(long, value_name = "FILE")]
    pub values: PathBuf,
    /// File of frames to write; - for standard output
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Replace the file if it exists
    #[arg(long)]
    pub force: bool,
    /// Take the features of this model, in its order, standardised
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// The values are standardised as the model says already
    #[arg(long, requires = "model")]
    pub standardised: bool,
    /// A column that is not encrypted: it names the rows, in the file that --write-ids writes
    #[arg(long, value_name = "COLUMN", requires = "write_ids")]
    pub id: Option<String>,
    /// File that names the row of each device, epoch, sequence and row, for `isopod decrypt --ids`
    #[arg(long, value_name = "FILE", requires = "id")]
    pub write_ids: Option<PathBuf>,
    /// File of the columns' names, standardisation and buckets, for `isopod decrypt --packing`
    #[arg(long, value_name = "FILE")]
    pub write_packing: Option<PathBuf>,
    #[command(flatten)]
    pub encoding: EncodingChoice,
    /// Count readings: each value becomes a block of slots with a 1 in its bucket; the edges between buckets, ascending,
    /// comma separated; integers only
    #[arg(
        long,
        value_name = "EDGES",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    pub buckets: Vec<f64>,
    #[command(flatten)]
    pub derived: DerivedChoice,
    #[command(flatten)]
    pub integers: IntegerChoice,
    #[command(flatten)]
    pub packets: PacketChoice,
    #[command(flatten)]
    pub pads: PadArguments,
    /// Rows in one frame; 1 for jobs over frames, such as sum and mean [default: all that fit, 1 in packets]
    #[arg(long)]
    pub rows_per_frame: Option<usize>,
    /// Let rows of rounded coefficients lie a power of two apart, as models, variance and covariance on merged frames need
    #[arg(long)]
    pub fill_rows: bool,
    /// Counts the device's restarts; never below that of the folder [default: the folder's, first the time in seconds]
    #[arg(long)]
    pub epoch: Option<u32>,
    /// Number of the first frame; never below the next one of the epoch [default: the next one]
    #[arg(long)]
    pub sequence: Option<u64>,
    #[command(flatten)]
    pub label: LabelChoice,
}

#[derive(Serialize)]
struct Facts {
    file: String,
    set: &'static str,
    label: &'static str,
    device: u64,
    epoch: u32,
    /// Sequence of the first frame.
    sequence: u64,
    columns: Vec<String>,
    rows: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<&'static str>,
    rows_per_frame: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    stride: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rounded: Option<bool>,
    frames: usize,
    bytes: usize,
}

/// Messages to encrypt, with what they hold.
struct Prepared {
    messages: Vec<Message>,
    /// log2 of the bound of all columns.
    bound_bits: i8,
    contents: Contents,
    description: Description,
    columns: Vec<String>,
    ids: Option<Vec<String>>,
    rows: usize,
    rows_per_frame: usize,
    stride: Option<usize>,
}

impl Prepared {
    /// Names of the rows of a message; none without a column of names.
    fn names(&self, message: usize) -> &[String] {
        let names = self.ids.as_deref().unwrap_or_default();
        let mut rows = names.chunks(self.rows_per_frame);
        rows.nth(message).unwrap_or_default()
    }
}

impl Encrypt {
    /// Checks every value, then encrypts and writes the file, whole or not at all.
    pub fn run(&self) -> Result<Output> {
        self.check_out()?;
        let device = match &self.public_key {
            Some(file) => Device::with_public_key(&self.keys, file)?,
            None if self.sends_packets_by_secret_key() => Device::for_packets(&self.keys)?,
            None => Device::open(&self.keys, self.encoding.by_secret_key)?,
        };
        ensure!(
            self.packets.packets.is_none() || device.sends_packets(),
            "--packets: by public key; allowed is --by-secret-key, or a device with pads"
        );
        let prepared = self.prepared(device.set())?;
        let facts = self.write(&device, prepared)?;
        let output = Output::new(text(&facts), &facts)?;
        Ok(self.outputs().into_iter().fold(output, Output::beside))
    }

    fn sends_packets_by_secret_key(&self) -> bool {
        self.packets.packets.is_some() && self.encoding.by_secret_key
    }

    /// Refuses options of sets of the other kind.
    fn prepared(&self, set: AnySet) -> Result<Prepared> {
        match set {
            AnySet::Rns(set) => {
                ensure!(
                    self.integers.of.is_none() && !self.integers.whole_bodies,
                    "--type, --whole-bodies: of whole numbers; allowed with TFHE sets only"
                );
                self.slots(set)
            }
            AnySet::Tfhe(set) => {
                ensure!(
                    self.encoding.layout.is_none() && self.encoding.precision.is_none(),
                    "--layout, --precision: not of TFHE; allowed with sets that begin with ckks- or bfv-"
                );
                self.typed(set)
            }
            AnySet::Pads => self.padded(),
        }
    }

    fn write(&self, device: &Device, prepared: Prepared) -> Result<Facts> {
        let set = device.set();
        let choices = Choices {
            bound_bits: prepared.bound_bits,
            ..self.choices(set)?
        };
        let contents = &prepared.contents;
        let sender = device.sender(&choices, contents, 0, 0)?;
        let files = self.files()?;
        let reserved = self.reserve(device, prepared.messages.len())?;
        let first = reserved.first;
        let packets = self
            .packets
            .context(set, prepared.rows, prepared.rows_per_frame)?;
        let mut sender = sender.at(reserved.epoch, first).with_packets(packets);
        let bytes = files.write(&mut sender, &prepared)?;
        let tfhe = matches!(set, AnySet::Tfhe(_));
        Ok(Facts {
            file: self.out.display().to_string(),
            set: set.name(),
            label: set.label().name(),
            device: device.number(),
            epoch: reserved.epoch,
            sequence: first,
            columns: prepared.columns,
            rows: prepared.rows,
            of: tfhe.then(|| self.value_type().name()),
            rows_per_frame: prepared.rows_per_frame,
            stride: prepared.stride,
            rounded: tfhe.then_some(!self.integers.whole_bodies),
            frames: prepared.messages.len(),
            bytes,
        })
    }

    fn rows_per_frame(&self) -> Option<usize> {
        let of_packets = self.packets.packets.map(|_| 1);
        self.rows_per_frame.or(of_packets)
    }

    fn value_type(&self) -> ValueType {
        self.integers.of.unwrap_or(ValueType::U8)
    }

    fn outputs(&self) -> Vec<&Path> {
        let more = [&self.write_ids, &self.write_packing].into_iter().flatten();
        more.chain([&self.out]).map(PathBuf::as_path).collect()
    }

    fn check_out(&self) -> Result<()> {
        let outputs = self.outputs();
        for out in &outputs {
            let inputs = [&self.keys, &self.values].into_iter();
            let inputs = inputs.chain(&self.public_key).chain(&self.model);
            let inputs = inputs.chain(&self.derived.like);
            check_apart(out, inputs.map(PathBuf::as_path))?;
        }
        check_distinct(&outputs)
    }

    fn files(&self) -> Result<Files> {
        let new = |place: &Option<PathBuf>| {
            let file = place.as_ref().map(|place| NewFile::new(place, self.force));
            file.transpose()
        };
        Ok(Files {
            frames: NewFile::new(&self.out, self.force)?,
            ids: new(&self.write_ids)?,
            packing: new(&self.write_packing)?,
        })
    }

    /// Numbers for the frames, all of whose values were checked before: what is reserved and not sent is missed by the owner.
    fn reserve(&self, device: &Device, frames: usize) -> Result<Reserved> {
        let wanted = NumberChoice {
            epoch: self.epoch,
            sequence: self.sequence,
        };
        Ok(reserve(&self.keys, device.number(), wanted, frames as u64)?)
    }

    fn choices(&self, set: AnySet) -> Result<Choices> {
        Ok(Choices {
            scale_bits: self.encoding.scale_bits,
            bound_bits: self.encoding.bound_bits,
            suite: self.encoding.suite.into(),
            level: match self.packets.packets {
                Some(_) => 1,
                None => self.encoding.level,
            },
            layout: match set {
                AnySet::Rns(set) => self.layout(set)?.into(),
                AnySet::Tfhe(_) | AnySet::Pads => Layout::Slots,
            },
            precision: self.encoding.precision,
            grid_bits: self.encoding.grid_bits,
            whole_bodies: self.integers.whole_bodies,
            has_column_tag: self.encoding.column_tag,
            pad: (&self.pads).into(),
            accept_label: self.label.check(set)?,
        })
    }

    fn layout(&self, set: &ParameterSet) -> Result<LayoutName> {
        let layout = match self.packets.packets {
            Some(_) => LayoutName::Rounded,
            None => LayoutName::of(self.encoding.layout, set),
        };
        let rounded = layout == LayoutName::Rounded;
        ensure!(
            rounded || self.encoding.precision.is_none(),
            "--precision: of rounded coefficients; allowed with --layout rounded"
        );
        ensure!(
            set.scheme() == Scheme::Ckks || self.encoding.precision.is_none(),
            "--precision: integers are exact; allowed are keys of sets that begin with ckks-"
        );
        let has_grid = self.encoding.grid_bits.is_some();
        ensure!(
            !has_grid || (rounded && set.scheme() == Scheme::Ckks && self.packets.packets.is_none()),
            "--grid-bits: of frames of rounded coefficients; allowed with --layout rounded under sets that begin with ckks-"
        );
        ensure!(
            !rounded || self.buckets.is_empty(),
            "--buckets: rounded coefficients are not counted in buckets; allowed with --layout slots"
        );
        Ok(layout)
    }

    /// Rows in slots or coefficients, all values within the bound; what is counted in buckets may have any magnitude.
    fn slots(&self, set: &ParameterSet) -> Result<Prepared> {
        let model = self.model.as_deref().map(files::model).transpose()?;
        let model = model.as_ref().map(|model| (model, self.standardised));
        let (mut description, table) =
            self.derived.read(&self.values, self.id.as_deref(), model)?;
        ensure!(
            description.edges.is_empty(),
            "--like: describes readings that are counted in buckets; allowed are --buckets with the same edges in its place"
        );
        description.edges.clone_from(&self.buckets);
        let layout = self.layout(set)?;
        check_columns(&description, set.places(layout.into()))?;
        self.check_bound(set, &table.readings)?;
        let ReadingTable {
            readings,
            ids,
            groups,
        } = table;
        let readings = derive(&description, readings, groups.as_deref())
            .with_context(|| self.values.display().to_string())?;
        let readings = self.counted(set, readings)?;
        let (rows, columns) = (readings.rows.len(), readings.columns.len());
        let is_bucketed = !self.buckets.is_empty();
        let most_rows = self.rows_per_frame();
        let packing = match self.fill_rows {
            false => Packing::in_layout(set, layout.into(), columns, is_bucketed, most_rows)?,
            true => {
                ensure!(
                    layout == LayoutName::Rounded,
                    "--fill-rows: {layout:?}; allowed are rounded coefficients: rows in slots are a power of two apart anyway"
                );
                Packing::filled(columns, set.ring_degree, most_rows)?
            }
        };
        let bound_bits = self.bound(set, &description)?;
        let mut contents = self.contents(layout, packing, columns);
        contents.packing = Some(description.packing());
        // Rounded coefficients take readings one after the other, and lay rows apart themselves.
        let stride = match layout {
            LayoutName::Rounded => columns,
            _ => packing.stride,
        };
        Ok(Prepared {
            messages: readings.messages(set, Packing { stride, ..packing }),
            contents,
            bound_bits,
            description,
            columns: readings.columns,
            ids,
            rows,
            rows_per_frame: packing.rows,
            stride: Some(packing.stride),
        })
    }

    /// Refuses readings beyond the bound; what is counted in buckets may have any magnitude.
    fn check_bound(&self, set: &ParameterSet, readings: &Readings<f64>) -> Result<()> {
        let name = || self.values.display().to_string();
        if !self.buckets.is_empty() {
            return Ok(());
        }
        readings
            .check_bound(self.encoding.bound_bits)
            .with_context(name)?;
        if let Some(log2_unit) = self.encoding.grid_bits {
            readings.check_grid(log2_unit).with_context(name)?;
        }
        readings.check_set(set).with_context(name)
    }

    /// log2 of the bound of all columns. What is derived must fit the set.
    fn bound(&self, set: &ParameterSet, description: &Description) -> Result<i8> {
        let own = self.encoding.bound_bits;
        let all = description.derived.log2_bound(own);
        let scale = self.encoding.scale_bits.unwrap_or(set.log2_scale.default);
        let room = match set.plain_modulus {
            Some(modulus) => (modulus / 2).ilog2() as i32,
            None => {
                let bits = set.data_primes.iter().map(|prime| prime.ilog2() as i32);
                bits.sum::<i32>() - 1 - i32::from(scale)
            }
        };
        ensure!(
            all == own || i32::from(all) <= room,
            "--bound-bits {own}: squares have {all} bits, which leave the modulus of {}; allowed is at most {}, or readings with \
             --standardise",
            set.name,
            room / 2
        );
        Ok(all)
    }

    /// The readings, or the buckets that they fall into.
    fn counted(&self, set: &ParameterSet, readings: Readings<f64>) -> Result<Readings<f64>> {
        let name = || self.values.display().to_string();
        if self.buckets.is_empty() {
            return Ok(readings);
        }
        ensure!(
            set.scheme() == Scheme::Bfv,
            "--buckets: counts are integers; allowed are keys of sets that begin with bfv-"
        );
        readings.one_hot(&self.buckets).with_context(name)
    }

    fn contents(&self, layout: LayoutName, packing: Packing, columns: usize) -> Contents {
        let has_stride = matches!(layout, LayoutName::Slots | LayoutName::Rounded);
        let is_rounded = layout == LayoutName::Rounded;
        Contents {
            stride: if has_stride { packing.stride as u32 } else { 0 },
            buckets: match self.buckets.len() {
                0 => 1,
                edges => (edges + 1).next_power_of_two() as u32,
            },
            columns: if is_rounded { columns as u16 } else { 0 },
            packing: None,
        }
    }

    /// Rows of whole numbers of one type.
    fn typed(&self, set: &TfheParams) -> Result<Prepared> {
        let of = self.value_type();
        ensure!(
            self.model.is_none(),
            "--model: standardises real numbers; allowed with CKKS sets only"
        );
        let ReadingTable { readings, ids, .. } =
            values::whole(&self.values, self.id.as_deref(), of)?;
        let rows_per_frame = readings.rows_per_frame(set, of, self.rows_per_frame())?;
        if self.integers.of.is_none() && readings.are_bits() {
            // A closed standard error changes nothing.
            let _ = writeln!(std::io::stderr(), "{ALL_BITS}");
        }
        let description = Description {
            names: readings.columns.clone(),
            edges: self.buckets.clone(),
            ..Description::default()
        };
        Ok(Prepared {
            messages: readings.messages(of, rows_per_frame)?,
            contents: Contents {
                // At most as many as the ring has coefficients, 2048.
                columns: readings.columns.len() as u16,
                packing: Some(description.packing()),
                ..Contents::default()
            },
            bound_bits: self.encoding.bound_bits,
            description,
            ids,
            rows: readings.rows.len(),
            columns: readings.columns,
            rows_per_frame,
            stride: None,
        })
    }
}

impl Encrypt {
    /// Rows of integers, one in each packet.
    fn padded(&self) -> Result<Prepared> {
        ensure!(
            self.encoding.layout.is_none() && self.model.is_none() && self.buckets.is_empty(),
            "--layout, --model, --buckets: not of pads; allowed with sets of ciphertexts"
        );
        let name = || self.values.display().to_string();
        let (description, table) = self.derived.read(&self.values, self.id.as_deref(), None)?;
        let own = self.encoding.bound_bits;
        let ReadingTable {
            readings,
            ids,
            groups,
        } = table;
        readings.check_bound(own).with_context(name)?;
        readings.check_integers().with_context(name)?;
        let readings = derive(&description, readings, groups.as_deref()).with_context(name)?;
        let messages = readings.rows.iter();
        let message =
            |row: &Vec<f64>| Message::Integers(row.iter().map(|&one| one as i32).collect());
        Ok(Prepared {
            messages: messages.map(message).collect(),
            contents: Contents {
                columns: u16::try_from(readings.columns.len()).unwrap_or(u16::MAX),
                packing: Some(description.packing()),
                ..Contents::default()
            },
            bound_bits: description.derived.log2_bound(own),
            description,
            rows: readings.rows.len(),
            columns: readings.columns,
            ids,
            rows_per_frame: 1,
            stride: None,
        })
    }
}

/// Advice where values of the default type have one bit.
const ALL_BITS: &str =
    "note: all values are 0 or 1, and travel with the 8 bits of u8; --type bool takes an eighth of the places";

/// Files to write, whole or not at all.
struct Files {
    frames: NewFile,
    ids: Option<NewFile>,
    packing: Option<NewFile>,
}

impl Files {
    /// Encrypts each message and gives the size of the frames. They appear last.
    fn write(mut self, sender: &mut Sender<'_>, prepared: &Prepared) -> Result<usize> {
        let (bytes, ids) = self.encrypt(sender, prepared)?;
        if let Some(file) = self.packing {
            file.publish_with(prepared.description.to_json()?.as_bytes())?;
        }
        if let Some(file) = self.ids {
            file.publish_with(&ids.csv()?)?;
        }
        self.frames.publish().map(|()| bytes)
    }

    fn encrypt(&mut self, sender: &mut Sender<'_>, prepared: &Prepared) -> Result<(usize, RowIds)> {
        let mut ids = RowIds::default();
        let (mut bars, total) = (Bars::default(), prepared.messages.len());
        let begin = prepared.messages.first().map(|first| sender.begin(first));
        let begin = begin.transpose()?.unwrap_or_default();
        let mut bytes = begin.len();
        self.frames.write(&begin)?;
        for (done, message) in prepared.messages.iter().enumerate() {
            bars.show(Progress {
                stage: Stage::Encrypting,
                done,
                total,
            });
            ids.push(sender.next(), prepared.names(done));
            for part in sender.frame(message)? {
                self.frames.write(&part)?;
                bytes += part.len();
            }
        }
        Ok((bytes, ids))
    }
}

fn text(facts: &Facts) -> String {
    let of = facts
        .of
        .map_or(String::new(), |of| format!(" of type {of}"));
    let (each, whole) = match facts.stride {
        Some(_) => {
            let each = facts.bytes as f64 / facts.rows as f64;
            (format!(", {each:.0} bytes per row"), "")
        }
        None if facts.set == AnySet::Pads.name() => {
            let each = facts.bytes as f64 / facts.rows as f64;
            (format!(", {each:.0} bytes per row"), "")
        }
        None if facts.rounded == Some(false) => (String::new(), ", bodies whole"),
        None => (String::new(), ""),
    };
    let apart = facts.stride.map_or(String::new(), |stride| {
        format!("; rows lie {stride} places apart")
    });
    format!(
        "{}: {} rows of {} values{of} in {} frame(s) of up to {} rows, {} bytes{each}{whole}\n\
         set {} (label {}), device {}, epoch {}, from sequence {} on{apart}\n",
        escaped::text(&facts.file),
        facts.rows,
        facts.columns.len(),
        facts.frames,
        facts.rows_per_frame,
        facts.bytes,
        facts.set,
        facts.label,
        facts.device,
        facts.epoch,
        facts.sequence,
    )
}
