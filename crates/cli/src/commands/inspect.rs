//! `isopod inspect`: the contents of a file, and which of them are authenticated.

use std::cell::Cell;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{anyhow, Context, Error, Result};
use clap::Args;
use isopod_keys::{OwnerKeys, SERVER_FILE};
use isopod_wire::{
    Authenticator, DeviceAuthenticator, DeviceItem, Envelope, KeyId, Relation, StoredPacket,
    Submission, Tag, WireError,
};
use isopod_workflow::{Error as Broken, Items, Server};
use serde::Serialize;
use serde_json::{json, Map, Value};

use crate::input::passphrase::PassphraseSource;
use crate::inspect::counts::{Counts, ItemPosition};
use crate::inspect::facts::{alone, object, of_item};
use crate::inspect::packets;
use crate::output::escaped;
use crate::output::report::Output;
use crate::output::table::{hex, list, TextTable};

/// Most bytes of an item.
const MOST_ITEM_BYTES: usize = 2 << 30;
/// Most bytes of a file that is no sequence of items: key blobs and key files.
const MOST_HEAD_BYTES: u64 = 16 << 20;
/// Most items that are described one by one.
const MOST_SHOWN: u64 = 40;

/// Authenticity of an item whose tag does not verify.
const REFUSED: &str = "DOES NOT VERIFY";

/// Arguments of `isopod inspect`.
#[derive(Debug, Args)]
pub struct Inspect {
    /// Frames, packets, contexts, results, evaluation keys, key blob or key file; of more than 40 items it shows counts
    file: PathBuf,
    /// Verify the tags with the keys in this folder (of server or owner)
    #[arg(long, value_name = "DIR")]
    keys: Option<PathBuf>,
    #[command(flatten)]
    passphrase: PassphraseSource,
}

#[derive(Serialize)]
struct Facts {
    file: String,
    bytes: u64,
    content: &'static str,
    /// Number of items.
    count: u64,
    /// The items, where they are few.
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<Vec<Map<String, Value>>>,
    /// Their counts, where they are many.
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<Value>,
}

/// Accepts every tag, so that a header can be shown without its key, and keeps whether the keys accept it too.
struct Recorded<'a> {
    keys: Option<&'a dyn Authenticator>,
    accepted: Cell<bool>,
}

impl Authenticator for Recorded<'_> {
    fn verify(&self, relation: Relation, nonce: &[u8; 24], message: &[u8], tag: &Tag) -> bool {
        let accepts = |keys: &dyn Authenticator| keys.verify(relation, nonce, message, tag);
        self.accepted.set(self.keys.is_some_and(accepts));
        true
    }
}

/// One item.
struct Described {
    facts: Map<String, Value>,
    authenticity: &'static str,
    /// The reason why it cannot be read.
    unreadable: Option<Error>,
}

/// Items so far.
#[derive(Default)]
struct Seen {
    first: Vec<Map<String, Value>>,
    counts: Counts,
    /// The first item that cannot be read.
    unreadable: Option<Error>,
    /// The first item that cannot be read or whose tag does not verify.
    refusal: Option<Error>,
}

impl Inspect {
    /// Reads the file and describes it: item by item, or by counts where they are many.
    pub fn run(&self) -> Result<Output> {
        let name = || self.file.display().to_string();
        let mut file = File::open(&self.file).with_context(name)?;
        let mut head = Vec::new();
        let mut start = file.by_ref().take(MOST_HEAD_BYTES);
        start.read_to_end(&mut head).with_context(name)?;
        let Some((content, item)) = alone(&head).with_context(name)? else {
            return self.items(head.chain(file));
        };
        let facts = Facts {
            file: name(),
            bytes: head.len() as u64,
            content,
            count: 1,
            items: Some(vec![item]),
            groups: None,
        };
        Output::new(heading(&facts) + &body(&facts), &facts)
    }

    /// Items of the format. Of few, the first that cannot be read is a refusal; of many, bad ones are counted.
    fn items(&self, source: impl Read) -> Result<Output> {
        let name = || self.file.display().to_string();
        let keys = self.keys.as_deref();
        let keys = keys.map(|folder| InspectKeys::open(folder, &self.passphrase));
        let keys = keys.transpose()?;
        let (mut seen, mut items) = (Seen::default(), Items::new(source, MOST_ITEM_BYTES));
        let ended = seen.read(&mut items, keys.as_ref());
        let many = seen.counts.total() > MOST_SHOWN;
        if let Some(error) = seen.unreadable.take().filter(|_| !many) {
            return Err(error.context(name()));
        }
        match ended {
            Err(error) if many => drop(seen.refusal.get_or_insert(error)),
            ended => ended.with_context(name)?,
        }
        let facts = Facts {
            file: name(),
            bytes: items.position(),
            content: "wire items",
            count: seen.counts.total(),
            groups: many.then(|| seen.counts.facts()),
            items: (!many).then_some(seen.first),
        };
        let table = match many {
            true => seen.counts.text(),
            false => body(&facts),
        };
        let refusal = seen.refusal.map(|error| error.context(name()));
        Ok(Output::new(heading(&facts) + &table, &facts)?.refused(refusal))
    }
}

impl Seen {
    fn read(&mut self, items: &mut Items<impl Read>, keys: Option<&InspectKeys>) -> Result<()> {
        loop {
            let place = ItemPosition {
                item: self.counts.total(),
                byte: items.position(),
            };
            let at = || format!("item {} at byte {}", place.item, place.byte);
            let next = items.next_bytes(|bytes| describe(bytes, keys));
            let next = match (place.item, next) {
                // Text begins like a packet that breaks off.
                (0, Err(Broken::Wire(WireError::Truncated { field: "packet" }))) => {
                    Err(WireError::NoItem.into())
                }
                (_, next) => next,
            };
            match next.with_context(at)? {
                Some(item) => self.add(place, items.position() - place.byte, item),
                // A file without any byte is no file of this format.
                None if place.item == 0 => return Envelope::read(&[]).map(drop).with_context(at),
                None => return Ok(()),
            }
        }
    }

    fn add(&mut self, place: ItemPosition, bytes: u64, item: Described) {
        let mut facts = item.facts;
        facts.insert("bytes".into(), bytes.into());
        facts.insert("authenticity".into(), item.authenticity.into());
        let problem = match &item.unreadable {
            Some(error) => Some(format!("{error:#}")),
            None => (item.authenticity == REFUSED).then(|| WireError::Tag.to_string()),
        };
        self.counts.add(place, &facts, problem.as_deref());
        if let Some(error) = item.unreadable {
            let error = error.context(format!("item {} at byte {}", place.item, place.byte));
            self.refusal.get_or_insert_with(|| anyhow!("{error:#}"));
            self.unreadable.get_or_insert(error);
        } else if problem.is_some() {
            let refusal = || anyhow!(WireError::Tag).context(format!("item {}", place.item));
            self.refusal.get_or_insert_with(refusal);
        }
        if place.item < MOST_SHOWN {
            self.first.push(facts);
        }
    }
}

/// One element: an item, a context or a packet.
fn describe(bytes: &[u8], keys: Option<&InspectKeys>) -> isopod_workflow::Result<Described> {
    Ok(match Submission::read(bytes)?.0 {
        Submission::Item(bytes) => of_envelope(Envelope::read_only(bytes)?, keys),
        Submission::Context { key_id, item } => Described::new(
            packets::context(item).map(|facts| with_key(facts, &key_id)),
            keys.and_then(|keys| keys.accepts_context(item)),
        ),
        Submission::Packet { sender, packet } => {
            Described::new(packets::packet(sender, packet), None)
        }
    })
}

fn of_envelope(envelope: Envelope<'_>, keys: Option<&InspectKeys>) -> Described {
    let key_id = envelope.key_id();
    if let Some(stored) = envelope.packet() {
        let opened = keys.and_then(|keys| keys.open_packet(&stored));
        let facts = match opened.as_ref().and_then(|opened| opened.as_ref().ok()) {
            Some(item) => packets::opened(item),
            // Its context is not known here: all that its item says.
            None => packets::stored(&stored),
        };
        let accepted = opened.map(|opened| opened.is_ok());
        return Described::new(facts.map(|facts| with_key(facts, &key_id)), accepted);
    }
    let recorded = Recorded {
        keys: keys.map(InspectKeys::authenticator),
        accepted: Cell::new(false),
    };
    let facts = envelope
        .authenticate(&recorded)
        .map_err(Error::from)
        .and_then(|item| of_item(&item));
    let accepted = keys.map(|_| recorded.accepted.get());
    Described::new(facts.map(|facts| with_key(facts, &key_id)), accepted)
}

fn with_key(mut facts: Value, key_id: &KeyId) -> Value {
    facts["key"] = hex(key_id).into();
    facts
}

impl Described {
    /// An item with its facts, and whether keys that can say so accept it.
    fn new(facts: Result<Value>, accepted: Option<bool>) -> Self {
        let (facts, unreadable) = match facts {
            Ok(facts) => (facts, None),
            Err(error) => (json!({"item": "unreadable"}), Some(error)),
        };
        Self {
            facts: object(facts),
            authenticity: match accepted {
                None => "not checked",
                Some(true) => "verified",
                Some(false) => REFUSED,
            },
            unreadable,
        }
    }
}

/// The keys of a folder.
enum InspectKeys {
    Server(Box<Server>),
    Owner(Box<OwnerKeys>),
}

impl InspectKeys {
    /// The keys of a server's folder, or of an owner's.
    fn open(folder: &Path, passphrase: &PassphraseSource) -> Result<Self> {
        if folder.join(SERVER_FILE).exists() {
            return Ok(Self::Server(Box::new(Server::open(folder)?)));
        }
        let owner = OwnerKeys::open(folder, || passphrase.existing())?;
        Ok(Self::Owner(Box::new(owner)))
    }

    fn authenticator(&self) -> &dyn Authenticator {
        match self {
            Self::Server(server) => &**server,
            Self::Owner(owner) => &**owner,
        }
    }

    /// The frame of a packet; only a server's folder has contexts.
    fn open_packet<'a>(
        &self,
        stored: &StoredPacket<'a>,
    ) -> Option<isopod_wire::Result<DeviceItem<'a>>> {
        match self {
            Self::Server(server) => Some(server.open_packet(stored.name, stored.packet)),
            Self::Owner(_) => None,
        }
    }

    /// Whether a context is of a device of the key pair; only a server's folder says.
    fn accepts_context(&self, item: &[u8]) -> Option<bool> {
        match self {
            Self::Server(server) => Some(server.accepts_context(item)),
            Self::Owner(_) => None,
        }
    }
}

fn heading(facts: &Facts) -> String {
    format!(
        "{}: {}, {} bytes, {} item(s)\n",
        escaped::text(&facts.file),
        facts.content,
        facts.bytes,
        facts.count
    )
}

/// One item as a list of fields, several as a table of the first one's fields.
fn body(facts: &Facts) -> String {
    match facts.items.as_deref() {
        None | Some([]) => String::new(),
        Some([item]) => fields(item),
        Some(items) => rows(items),
    }
}

fn fields(item: &Map<String, Value>) -> String {
    let pairs: Vec<_> = item
        .iter()
        .map(|(name, value)| (name.clone(), cell(value)))
        .collect();
    list(&pairs)
}

fn rows(items: &[Map<String, Value>]) -> String {
    let columns: Vec<&str> = items[0].keys().map(String::as_str).collect();
    let mut table = TextTable::new(&columns);
    for item in items {
        table.row(
            columns
                .iter()
                .map(|&column| item.get(column).map(cell).unwrap_or_default())
                .collect(),
        );
    }
    table.text()
}

fn cell(value: &Value) -> String {
    match value {
        Value::String(text) => escaped::text(text),
        Value::Array(list) => format!("{} values", list.len()),
        other => other.to_string(),
    }
}
