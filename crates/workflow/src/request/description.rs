//! Descriptions of columns: names, standardisation and buckets, whose hash frames and results carry as their packing.

use isopod_eval::Model;
use isopod_wire::codes::{hash_label, size};
use isopod_wire::{PackingId, Writer};
use serde::{Deserialize, Serialize};

use crate::hash::{floats, from_hex, hex, sha3, texts};
use crate::{Derivation, Error, JobName, Moments, Result};

/// Largest file of a description, in bytes.
const FILE_BYTES: usize = 1 << 22;

/// Names, standardisation and buckets of the columns of readings.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Description {
    /// Names of the columns, in order.
    pub names: Vec<String>,
    /// Number that was subtracted from each; empty if none was.
    #[serde(default)]
    pub means: Vec<f64>,
    /// Number by which each was divided; empty if none was.
    #[serde(default)]
    pub scales: Vec<f64>,
    /// Edges between buckets, if each reading is a one-hot block of them; otherwise empty.
    #[serde(default)]
    pub edges: Vec<f64>,
    /// Columns that the device derives from these.
    #[serde(default, skip_serializing_if = "Derivation::is_empty")]
    pub derived: Derivation,
}

/// The file of a description.
#[derive(Serialize, Deserialize)]
struct File {
    packing: String,
    #[serde(flatten)]
    description: Description,
}

impl Description {
    /// Columns as a model takes them.
    pub fn of_model(model: &Model) -> Self {
        Self {
            names: model.features.clone(),
            means: model.mean.clone(),
            scales: model.scale.clone(),
            ..Self::default()
        }
    }

    /// The packing of frames with these columns.
    pub fn packing(&self) -> PackingId {
        let mut writer = Writer::with_capacity(256);
        writer.array(4 + u64::from(!self.derived.is_empty()));
        texts(&mut writer, &self.names);
        for list in [&self.means, &self.scales, &self.edges] {
            floats(&mut writer, list);
        }
        if !self.derived.is_empty() {
            write_derivation(&mut writer, &self.derived);
        }
        let digest = sha3(hash_label::PACKING, &writer.into_bytes());
        let mut packing = PackingId::default();
        packing.copy_from_slice(&digest[..size::PACKING]);
        packing
    }

    /// JSON, with the packing for devices that do not compute it.
    ///
    /// # Errors
    /// [`Error::Parameter`] for numbers that JSON does not have.
    pub fn to_json(&self) -> Result<String> {
        let file = File {
            packing: hex(&self.packing()),
            description: self.clone(),
        };
        let text = serde_json::to_string_pretty(&file).map_err(refused)?;
        Ok(text + "\n")
    }

    /// Reads what [`Description::to_json`] wrote.
    ///
    /// # Errors
    /// [`Error::Parameter`] for other JSON, or a packing that is not that of the columns.
    pub fn from_json(text: &str) -> Result<Self> {
        if text.len() > FILE_BYTES {
            let problem = format!("{} bytes; allowed are at most {FILE_BYTES}", text.len());
            return Err(Error::parameter("packing", problem));
        }
        let file: File = serde_json::from_str(text).map_err(refused)?;
        file.description.derived.check(&file.description.names)?;
        if from_hex(&file.packing) == Some(file.description.packing()) {
            return Ok(file.description);
        }
        let problem = format!(
            "{} is not that of the names, means, scales and edges; allowed is {}",
            file.packing.escape_default(),
            hex(&file.description.packing())
        );
        Err(Error::parameter("packing", problem))
    }

    /// Names of the values of a row of a job's results.
    pub fn columns_of(&self, job: JobName) -> Vec<String> {
        match job {
            JobName::Histogram => self.buckets(),
            _ if job.is_per_row() => vec![job.name().to_owned()],
            _ if self.edges.is_empty() => self.derived.names(&self.names),
            _ => {
                let buckets = self.buckets();
                let of_column = |name| buckets.iter().map(move |bucket| format!("{name}/{bucket}"));
                self.names.iter().flat_map(of_column).collect()
            }
        }
    }

    /// Names of the buckets: bucket b holds what is at least edge b-1 and below edge b. Their number is a power of two, and what
    /// lies beyond the last one stays empty.
    fn buckets(&self) -> Vec<String> {
        let (Some(first), Some(last)) = (self.edges.first(), self.edges.last()) else {
            return Vec::new();
        };
        let between = self
            .edges
            .windows(2)
            .map(|pair| format!("{} to {}", pair[0], pair[1]));
        let mut names = vec![format!("below {first}")];
        names.extend(between);
        names.push(format!("{last} and above"));
        names.resize(names.len().next_power_of_two(), "unused".to_owned());
        names
    }
}

/// The fifth element of a packing (`spec/columns.md`, section 2).
fn write_derivation(writer: &mut Writer, derived: &Derivation) {
    writer.array(6).text(&derived.group);
    texts(writer, &derived.categories);
    writer.boolean(derived.missing);
    writer.uint(match derived.moments {
        Moments::None => 0,
        Moments::Squares => 1,
        Moments::Products => 2,
    });
    writer.text(&derived.target);
    writer.array(derived.buckets.len() as u64);
    for edges in &derived.buckets {
        floats(writer, edges);
    }
}

fn refused(error: serde_json::Error) -> Error {
    Error::parameter("packing", error.to_string())
}
