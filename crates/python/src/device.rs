//! A device's side: arrays to frames, with the code that runs on devices.

use std::path::PathBuf;

use isopod_keys::{key_name, reserve, NumberChoice};
use isopod_wire::{AnySet, Layout, ParameterSet, Schema, Scheme, TfheParams, ValueType};
use isopod_workflow::{
    AnySuite, Borrowed, Choices, Contents, Derivation, Description, Message, Packing, PadChoice,
    Progress, Sender, Stage,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::{raised, refused};
use crate::progress::Callback;
use crate::rows::{InputTable, Rows};
use crate::sets::check_label;

/// How a table is encoded and encrypted.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Encoding {
    names: Vec<String>,
    means: Vec<f64>,
    scales: Vec<f64>,
    edges: Vec<f64>,
    buckets: u32,
    value_type: Option<String>,
    rows_per_frame: Option<usize>,
    fill_rows: bool,
    scale_bits: Option<u8>,
    bound_bits: i8,
    suite: String,
    level: u8,
    layout: Option<String>,
    precision: Option<f64>,
    whole_bodies: bool,
    label: String,
    epoch: Option<u32>,
    sequence: Option<u64>,
    /// Columns that are derived from the readings: JSON of a description's field.
    derived: Option<String>,
    /// Number of the category of each row, if there are any.
    categories: Vec<usize>,
}

/// A device's folder.
#[pyclass(frozen, module = "isopod._isopod")]
pub struct Device {
    device: isopod_workflow::Device,
    folder: PathBuf,
    #[cfg(feature = "testing")]
    entropy: std::sync::Mutex<Option<Vec<u8>>>,
}

#[pymethods]
impl Device {
    /// Opens a device's folder.
    #[new]
    fn new(
        py: Python<'_>,
        folder: PathBuf,
        public_key: Option<PathBuf>,
        by_secret_key: bool,
    ) -> PyResult<Self> {
        let device = py.detach(|| match &public_key {
            Some(file) => isopod_workflow::Device::with_public_key(&folder, file),
            None => isopod_workflow::Device::open(&folder, by_secret_key),
        });
        let device = device.map_err(raised)?;
        Ok(Self {
            device,
            folder,
            #[cfg(feature = "testing")]
            entropy: std::sync::Mutex::default(),
        })
    }

    /// The next call of encrypt takes its entropy from these bytes.
    #[cfg(feature = "testing")]
    fn _fix_entropy(&self, bytes: Vec<u8>) {
        *self.fixed() = Some(bytes);
    }

    /// Name of the parameter set.
    #[getter]
    fn set(&self) -> &'static str {
        self.device.set().name()
    }

    /// Name of the key pair, in hexadecimal.
    #[getter]
    fn key(&self) -> String {
        key_name(&self.device.key_id())
    }

    /// The device's number.
    #[getter]
    fn number(&self) -> u64 {
        self.device.number()
    }

    /// The frames of a table.
    fn encrypt<'py>(
        &self,
        py: Python<'py>,
        table: InputTable<'py>,
        encoding: Encoding,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let ((count, columns), numbers) = (table.shape(), table.numbers()?);
        if count == 0 || columns == 0 {
            let problem =
                format!("shape ({count}, {columns}); allowed is at least one row and one column");
            return Err(refused("values", problem));
        }
        let rows = Rows {
            numbers,
            names: &encoding.names,
            count,
            columns,
        };
        let frames = py.detach(|| {
            let mut callback = Callback::new(progress);
            let frames = match self.device.set() {
                AnySet::Rns(set) => self.slots(set, &encoding, rows, &mut callback),
                AnySet::Tfhe(set) => self.typed(set, &encoding, rows, &mut callback),
                AnySet::Pads => Err(refused(
                    "set",
                    "pads travel in packets; allowed is `isopod encrypt`, or the device library",
                )),
            };
            callback.finish()?;
            frames
        });
        Ok(frames?
            .iter()
            .map(|frame| PyBytes::new(py, frame))
            .collect())
    }
}

impl Device {
    fn slots(
        &self,
        set: &ParameterSet,
        encoding: &Encoding,
        rows: Rows<'_>,
        callback: &mut Callback,
    ) -> PyResult<Vec<Vec<u8>>> {
        let layout = encoding.layout(set)?;
        let derivation = encoding.derivation()?;
        let allows_missing = derivation.missing;
        rows.check_bound(
            allows_missing,
            match set.plain_modulus {
                None => (f64::from(encoding.bound_bits).exp2(), true),
                Some(modulus) => ((modulus / 2) as f64, false),
            },
        )?;
        let columns = derivation.columns(rows.columns);
        let places = set.places(layout);
        if columns > places && !derivation.is_empty() {
            let (found, most) = (rows.columns, derivation.most_readings(places));
            let problem = format!(
                "{found} make {columns} with all that is derived from them; allowed in a frame of \
                 {places} places are at most {most}"
            );
            return Err(refused("columns", problem));
        }
        let packing = encoding.rows(set, layout, columns)?;
        // Rounded coefficients take readings one after the other, and lay rows apart themselves.
        let (claimed, stride, said) = match layout {
            Layout::Slots => (packing.stride, packing.stride, 0),
            Layout::CoefficientsRounded => (packing.stride, columns, columns),
            _ => (0, packing.stride, 0),
        };
        let contents = Contents {
            stride: claimed as u32,
            buckets: encoding.buckets,
            columns: said as u16,
            packing: encoding.packing(&derivation),
        };
        let packing = Packing { stride, ..packing };
        let total = rows.count.div_ceil(packing.rows);
        let mut sender = self.sender(encoding, layout, &contents, total)?;
        let mut frames = Vec::with_capacity(total);
        let mut take = |values: Borrowed<'_>| {
            callback.report(step(frames.len(), total));
            frames.push(sender.frame_of(values).map_err(raised)?.concat());
            Ok(())
        };
        match derivation.is_empty() {
            true => rows.each(packing, &mut take)?,
            false => rows.each_derived(packing, (&derivation, &encoding.categories), &mut take)?,
        }
        callback.report(step(total, total));
        Ok(frames)
    }

    fn typed(
        &self,
        set: &TfheParams,
        encoding: &Encoding,
        rows: Rows<'_>,
        callback: &mut Callback,
    ) -> PyResult<Vec<Vec<u8>>> {
        let name = encoding.value_type.as_deref().unwrap_or("u8");
        let of = ValueType::from_name(name).ok_or_else(|| {
            let names = ValueType::ALL.map(ValueType::name).join(", ");
            refused("type", format!("{name}; allowed is one of {names}"))
        })?;
        let fit = set.ring_degree / of.blocks(set.message_bits) / rows.columns;
        let per_frame = encoding.rows_per_frame.unwrap_or(fit.max(1));
        if !(1..=fit).contains(&per_frame) {
            let problem = format!(
                "{per_frame} rows of {} values of type {name}; allowed is 1 to {fit} in a frame of {}",
                rows.columns, set.name
            );
            return Err(refused("rows_per_frame", problem));
        }
        let contents = Contents {
            columns: rows.columns as u16,
            packing: encoding.packing(&Derivation::default()),
            ..Contents::default()
        };
        let total = rows.count.div_ceil(per_frame);
        let mut sender = self.sender(encoding, Layout::Slots, &contents, total)?;
        let (mut frames, whole) = (Vec::with_capacity(total), rows.whole());
        for values in whole.chunks(per_frame * rows.columns) {
            callback.report(step(frames.len(), total));
            let schema = Schema::of_values(vec![of; values.len()]).map_err(raised)?;
            let message = Message::Typed(schema, values.to_vec());
            frames.push(sender.frame(&message).map_err(raised)?.concat());
        }
        callback.report(step(total, total));
        Ok(frames)
    }

    #[cfg(feature = "testing")]
    fn fixed(&self) -> std::sync::MutexGuard<'_, Option<Vec<u8>>> {
        let entropy = self.entropy.lock();
        entropy.unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Reserves numbers for the frames, whose values were checked before: what is reserved and not sent is missed by the owner.
    fn sender(
        &self,
        encoding: &Encoding,
        layout: Layout,
        contents: &Contents,
        frames: usize,
    ) -> PyResult<Sender<'_>> {
        let choices = encoding.choices(self.device.set(), layout)?;
        let sender = self
            .device
            .sender(&choices, contents, 0, 0)
            .map_err(raised)?;
        let wanted = NumberChoice {
            epoch: encoding.epoch,
            sequence: encoding.sequence,
        };
        let reserved = reserve(&self.folder, self.device.number(), wanted, frames as u64);
        let reserved = reserved.map_err(raised)?;
        let sender = sender.at(reserved.epoch, reserved.first);
        #[cfg(feature = "testing")]
        if let Some(bytes) = self.fixed().take() {
            return Ok(sender.with_fixed_entropy(bytes));
        }
        Ok(sender)
    }
}

fn step(done: usize, total: usize) -> Progress {
    let stage = Stage::Encrypting;
    Progress { stage, done, total }
}

/// Layouts by the names that callers give.
const LAYOUTS: [(&str, Layout); 4] = [
    ("slots", Layout::Slots),
    ("repeated", Layout::SlotsRepeated),
    ("coefficients", Layout::Coefficients),
    ("rounded", Layout::CoefficientsRounded),
];

fn named_layout(name: &str) -> PyResult<Layout> {
    let found = LAYOUTS.iter().find(|(known, _)| *known == name);
    let problem = || format!("{name}; allowed is one of slots, repeated, coefficients, rounded");
    let (_, layout) = found.ok_or_else(|| refused("layout", problem()))?;
    Ok(*layout)
}

impl Encoding {
    /// The chosen layout, or that of the set.
    fn layout(&self, set: &ParameterSet) -> PyResult<Layout> {
        let layout = match self.layout.as_deref() {
            None if set.name.ends_with("-air") => Layout::CoefficientsRounded,
            None => Layout::Slots,
            Some(name) => named_layout(name)?,
        };
        let rounded = layout == Layout::CoefficientsRounded;
        if self.precision.is_some() && !(rounded && set.scheme() == Scheme::Ckks) {
            let problem = "of rounded coefficients; allowed with layout=\"rounded\" under sets that begin with ckks-";
            return Err(refused("precision", problem));
        }
        if rounded && self.buckets > 1 {
            let problem =
                "rounded coefficients are not counted in buckets; allowed with layout=\"slots\"";
            return Err(refused("buckets", problem));
        }
        Ok(layout)
    }

    /// Rows of so many columns in frames, and how far apart they are.
    fn rows(&self, set: &ParameterSet, layout: Layout, columns: usize) -> PyResult<Packing> {
        let most_rows = self.rows_per_frame;
        let packing = match (self.fill_rows, layout) {
            (false, _) => Packing::in_layout(set, layout, columns, self.buckets > 1, most_rows),
            (true, Layout::CoefficientsRounded) => {
                Packing::filled(columns, set.ring_degree, most_rows)
            }
            (true, _) => {
                let problem = "rows in slots are a power of two apart anyway; allowed with layout=\"rounded\"";
                return Err(refused("fill_rows", problem));
            }
        };
        packing.map_err(raised)
    }

    /// Columns that are derived from the readings.
    fn derivation(&self) -> PyResult<Derivation> {
        let Some(text) = &self.derived else {
            return Ok(Derivation::default());
        };
        let parsed = serde_json::from_str::<Derivation>(text);
        let derivation = parsed.map_err(|error| refused("derived", error.to_string()))?;
        derivation.check(&self.names).map_err(raised)?;
        Ok(derivation)
    }

    /// The packing of frames whose columns have names.
    fn packing(&self, derived: &Derivation) -> Option<isopod_wire::PackingId> {
        let description = Description {
            names: self.names.clone(),
            means: self.means.clone(),
            scales: self.scales.clone(),
            edges: self.edges.clone(),
            derived: derived.clone(),
        };
        (!self.names.is_empty()).then(|| description.packing())
    }

    fn choices(&self, set: AnySet, layout: Layout) -> PyResult<Choices> {
        let derivation = self.derivation()?;
        let suite = match self.suite.as_str() {
            "chacha20" => AnySuite::Chacha20,
            "shake256" => AnySuite::Shake256,
            "seal-shake256" => AnySuite::SealShake256,
            "aes128" => AnySuite::Aes128,
            other => {
                let problem =
                    format!("{other}; allowed is one of chacha20, shake256, seal-shake256, aes128");
                return Err(refused("suite", problem));
            }
        };
        Ok(Choices {
            scale_bits: self.scale_bits,
            bound_bits: derivation.log2_bound(self.bound_bits),
            suite,
            level: self.level,
            layout,
            precision: self.precision,
            grid_bits: None,
            whole_bodies: self.whole_bodies,
            has_column_tag: false,
            pad: PadChoice::USUAL,
            accept_label: check_label(set, &self.label)?,
        })
    }
}
