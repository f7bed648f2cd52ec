//! `isopod device`: devices that join a fleet, that leave it, and those that are in it.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use anyhow::{bail, ensure, Context, Result};
use clap::{Args, Subcommand};
use isopod_keys::{
    key_name, DeviceNumbers, Register, Revocation, Revoked, ServerKeys, REGISTER_FILE,
    REVOKED_FILE, SERVER_FILE,
};
use isopod_workflow::{Owner, Server};
use serde_json::{json, Value};

use crate::commands::device::device_image::DeviceImage;
use crate::commands::device::tag_key::TagKey;
use crate::input::device_numbers::{device_numbers, numbers};
use crate::input::passphrase::PassphraseSource;
use crate::keys::certificates::{check_name, give_token, Authority, AUTHORITY_KEY, TOKEN};
use crate::output::escaped;
use crate::output::new_folder::new_folder;
use crate::output::progress::Bars;
use crate::output::report::Output;
use crate::output::table::TextTable;

/// Days until a certificate expires.
const DAYS: u32 = 3650;
/// Roles of tokens.
const ROLES: [&str; 3] = ["owner", "gateway", "monitor"];
/// Rows shown to people; JSON has all.
const MOST_SHOWN: usize = 40;

/// Arguments of `isopod device`.
#[derive(Debug, Args)]
pub struct Device {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make folders for new devices; all others stay as they are
    Add(Add),
    /// Certify devices and the server, so that they connect by TLS, and give the owner a token
    Certify(Certify),
    /// Refuse frames of devices from now on
    Revoke(Revoke),
    /// List the devices of a key pair
    List(List),
    /// Give devices keys of linear tags, so that sums of their integers can be verified
    TagKey(TagKey),
    /// Write the public key as data for a device's flash: .bin, .hex or .uf2
    Image(DeviceImage),
}

/// Arguments of `isopod device add`.
#[derive(Debug, Args)]
struct Add {
    /// Numbers that were never given, such as 7 or 100-199
    #[arg(required = true, value_name = "ID", value_parser = device_numbers)]
    devices: Vec<(u64, u64)>,
    /// The folder that keygen wrote, with the owner's in it
    #[arg(long, value_name = "DIR")]
    keys: PathBuf,
    /// Folder that gets a folder device-ID each [default: that of --keys]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Make the folders of devices once more that were added before, where they were lost
    #[arg(long)]
    again: bool,
    #[command(flatten)]
    passphrase: PassphraseSource,
}

/// Arguments of `isopod device certify`.
#[derive(Debug, Args)]
struct Certify {
    /// Numbers of devices whose folders are beside the owner's, such as 7 or 100-199
    #[arg(value_name = "ID", value_parser = device_numbers)]
    devices: Vec<(u64, u64)>,
    /// The folder that keygen wrote, with those of owner and server in it
    #[arg(long, value_name = "DIR")]
    keys: PathBuf,
    /// Names and addresses under which devices reach the server
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    server_name: Vec<String>,
    /// Names and addresses under which devices reach an MQTT broker, which gets a folder of its own
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    broker_name: Vec<String>,
    /// A site whose broker brings frames to that of the server, and gets a folder of its own
    #[arg(long, value_name = "NAME")]
    site: Vec<String>,
    /// A further token: a role, which is owner, gateway or monitor, and a name
    #[arg(long, value_name = "ROLE:NAME")]
    token: Vec<String>,
    /// Days until the certificates expire
    #[arg(long, value_name = "NUMBER", default_value_t = DAYS, value_parser = clap::value_parser!(u32).range(1..=36_500))]
    days: u32,
    /// Make certificates anew that are there
    #[arg(long)]
    again: bool,
}

/// Arguments of `isopod device revoke`.
#[derive(Debug, Args)]
struct Revoke {
    /// Numbers of devices, such as 7 or 100-199
    #[arg(required = true, value_name = "ID", value_parser = device_numbers)]
    devices: Vec<(u64, u64)>,
    /// The folder that keygen wrote, or the server's
    #[arg(long, value_name = "DIR")]
    keys: PathBuf,
    /// Take frames still up to the newest one of the device that entered an answer, in place of none
    #[arg(long)]
    keep_earlier: bool,
}

/// Arguments of `isopod device list`.
#[derive(Debug, Args)]
struct List {
    /// The folder that keygen wrote, or the server's
    #[arg(long, value_name = "DIR")]
    keys: PathBuf,
}

impl Device {
    /// Runs the action.
    pub fn run(&self) -> Result<Output> {
        match &self.action {
            Action::Add(add) => add.run(),
            Action::Certify(certify) => certify.run(),
            Action::Revoke(revoke) => revoke.run(),
            Action::List(list) => list.run(),
            Action::TagKey(tag_key) => tag_key.run(),
            Action::Image(image) => image.run(),
        }
    }
}

impl Add {
    /// Makes all folders or none; the numbers are given before the folders appear.
    fn run(&self) -> Result<Output> {
        let owner = Owner::open(&self.keys.join("owner"), || self.passphrase.existing())?;
        let revoked = server_folder(&self.keys)
            .map(|server| Revoked::read(&server, owner.keys().key_id()))
            .transpose()?;
        let joining = owner.join(numbers(&self.devices)?, self.again, revoked.as_ref())?;
        let out = self.out.as_ref().unwrap_or(&self.keys);
        let devices = joining.devices().to_vec();
        let (_unfinished, new) = new_folder(&out.join("device-add"))?;
        let mut bars = Bars::default();
        joining.write(new, &mut |progress| bars.show(progress))?;
        self.certify(&key_name(&owner.keys().key_id()), out, &devices)?;
        let spans = spans(&devices);
        let text = format!(
            "{}: folders of {} device(s), {spans}; give each device its own, and the public key of the fleet\n",
            escaped::path(out),
            devices.len()
        );
        Output::new(text, &json!({"folder": out, "devices": devices}))
    }

    /// Certifies new devices where the fleet has an authority.
    fn certify(&self, fleet: &str, out: &Path, devices: &[u64]) -> Result<()> {
        let owner = self.keys.join("owner");
        if !owner.join(AUTHORITY_KEY).exists() {
            return Ok(());
        }
        Authority::open(&owner, fleet, DAYS)?.certify_devices(out, devices, true)
    }
}

impl Certify {
    /// Certifies the server where that is asked for or was not done, and the devices. The owner's key is not opened.
    fn run(&self) -> Result<Output> {
        let (owner, server) = (self.keys.join("owner"), self.keys.join("server"));
        let fleet = key_name(&ServerKeys::open(&server)?.key_id());
        let devices = numbers(&self.devices)?;
        check_given(&self.keys, None, &devices)?;
        let tokens = self.tokens(&owner)?;
        let authority = Authority::open(&owner, &fleet, self.days)?;
        self.certify_server(&authority, &server)?;
        self.certify_brokers(&authority, &server)?;
        authority.certify_devices(&self.keys, &devices, self.again)?;
        for (role, name) in tokens {
            give_token(&owner, &server, role, name)?;
        }
        let spans = spans(&devices);
        let text = format!(
            "{}: certificates of {} device(s), {spans}; {} is the owner's token\n",
            escaped::path(&self.keys),
            devices.len(),
            escaped::path(&owner.join(TOKEN)),
        );
        Output::new(text, &json!({"folder": self.keys, "devices": devices}))
    }

    fn certify_server(&self, authority: &Authority, server: &Path) -> Result<()> {
        if !self.server_name.is_empty() {
            return authority.certify_listener(server, &self.server_name, self.again);
        }
        if server.join("tls.crt").exists() {
            return Ok(());
        }
        let local = ["localhost", "127.0.0.1"].map(str::to_owned);
        authority.certify_listener(server, &local, self.again)
    }

    /// Certifies the broker, and the server towards it, and sites.
    fn certify_brokers(&self, authority: &Authority, server: &Path) -> Result<()> {
        if !self.broker_name.is_empty() {
            let folder = self.private_folder("broker")?;
            authority.certify_listener(&folder, &self.broker_name, self.again)?;
            authority.certify_subscriber(server, self.again)?;
        }
        self.site.iter().try_for_each(|site| {
            check_name("--site", site)?;
            let name = format!("site-{site}");
            authority.certify_site(&self.private_folder(&name)?, &name, self.again)
        })
    }

    /// A folder for its owner alone, beside the others.
    fn private_folder(&self, name: &str) -> Result<PathBuf> {
        let folder = self.keys.join(name);
        let mut builder = DirBuilder::new();
        let made = builder.recursive(true).mode(0o700).create(&folder);
        made.with_context(|| folder.display().to_string())?;
        Ok(folder)
    }

    /// Roles and names of the tokens that are asked for, and of the owner's if there is none yet.
    fn tokens(&self, owner: &Path) -> Result<Vec<(&str, &str)>> {
        let mut tokens = Vec::new();
        if !owner.join(TOKEN).exists() {
            tokens.push(("owner", "owner"));
        }
        for token in &self.token {
            let known = token
                .split_once(':')
                .filter(|(role, _)| ROLES.contains(role));
            let Some((role, name)) = known else {
                bail!(
                    "--token {token}: allowed are {}, a colon and a name",
                    ROLES.join(", ")
                );
            };
            check_name("--token", name)?;
            tokens.push((role, name));
        }
        Ok(tokens)
    }
}

impl Revoke {
    fn run(&self) -> Result<Output> {
        let folder = server_folder(&self.keys);
        ensure!(
            folder.is_some(),
            "{}: no server's folder; a server refuses devices, so name its folder, or the one that keygen wrote",
            self.keys.display()
        );
        let server = Server::open(&folder.unwrap_or_default())?;
        let devices = numbers(&self.devices)?;
        check_given(&self.keys, Some(server.key_id()), &devices)?;
        let revoked = server.revoke(&devices, self.keep_earlier)?;
        let text: String = revoked
            .iter()
            .take(MOST_SHOWN)
            .map(|entry| format!("device {}: {}\n", entry.device, state(*entry)))
            .collect();
        let more = match revoked.len() > MOST_SHOWN {
            true => format!("... {} in all\n", revoked.len()),
            false => String::new(),
        };
        let note = "Every server of the key pair has a list of its own: revoke there too.\n";
        let entries: Vec<Value> = revoked.iter().map(|entry| fact(*entry)).collect();
        Output::new(text + &more + note, &json!({ "revoked": entries }))
    }
}

impl List {
    fn run(&self) -> Result<Output> {
        let server = server_folder(&self.keys)
            .map(|folder| Revoked::read(&folder, ServerKeys::open(&folder)?.key_id()))
            .transpose()?;
        let register = register(&self.keys, None)?;
        ensure!(
            server.is_some() || register.is_some(),
            "{}: neither an owner's register nor a server's folder; name the folder that keygen wrote, or the server's",
            self.keys.display()
        );
        let revoked: Vec<Revocation> = server.iter().flat_map(Revoked::devices).collect();
        let used = register
            .as_ref()
            .map(|register| in_use(register, server.as_ref()));
        Output::new(
            listed(used.as_ref(), &revoked, server.is_some()),
            &json!({
                "in_use": used.map(|used| used.spans().collect::<Vec<_>>()),
                "revoked": server.map(|_| revoked.iter().map(|entry| fact(*entry)).collect::<Vec<_>>()),
            }),
        )
    }
}

/// The server's folder: this one, or the one in it.
fn server_folder(keys: &Path) -> Option<PathBuf> {
    let places = [keys.to_owned(), keys.join("server")];
    let is_server = |place: &PathBuf| {
        let files = [SERVER_FILE, REVOKED_FILE];
        files.iter().any(|file| place.join(file).exists())
    };
    places.into_iter().find(is_server)
}

/// The owner's register, if its folder is beside.
fn register(keys: &Path, key_id: Option<[u8; 16]>) -> Result<Option<Register>> {
    let owner = keys.join("owner");
    if !owner.join(REGISTER_FILE).exists() {
        return Ok(None);
    }
    let register = Register::read(&owner)?;
    ensure!(
        key_id.is_none_or(|key_id| key_id == register.key_id()),
        "{}: its owner and its server are of different key pairs; allowed are folders of one keygen run",
        keys.display()
    );
    Ok(Some(register))
}

/// Refuses numbers that the owner never gave, if the owner's register is beside.
fn check_given(keys: &Path, key_id: Option<[u8; 16]>, devices: &[u64]) -> Result<()> {
    match register(keys, key_id)? {
        Some(register) => Ok(register.check(devices)?),
        None => Ok(()),
    }
}

fn in_use(register: &Register, revoked: Option<&Revoked>) -> DeviceNumbers {
    let mut used = DeviceNumbers::default();
    let given = register.given().iter();
    used.extend(given.filter(|&device| revoked.is_none_or(|list| list.get(device).is_none())));
    used
}

fn spans(devices: &[u64]) -> DeviceNumbers {
    let mut spans = DeviceNumbers::default();
    spans.extend(devices.iter().copied());
    spans
}

fn state(entry: Revocation) -> String {
    match entry.kept {
        None => "revoked, no frame is taken".to_owned(),
        Some((epoch, sequence)) => {
            format!("revoked, frames up to sequence {sequence} of epoch {epoch} are taken")
        }
    }
}

fn fact(entry: Revocation) -> Value {
    let kept = |(epoch, sequence)| json!({"epoch": epoch, "sequence": sequence});
    json!({"device": entry.device, "kept": entry.kept.map(kept)})
}

fn listed(used: Option<&DeviceNumbers>, revoked: &[Revocation], known: bool) -> String {
    let mut table = TextTable::new(&["devices", "state"]);
    let mut row = |devices: String, state: &str| table.row(vec![devices, state.to_owned()]);
    for (first, last) in used.iter().flat_map(|used| used.spans()).take(MOST_SHOWN) {
        match first == last {
            true => row(first.to_string(), "in use"),
            false => row(format!("{first}-{last}"), "in use"),
        }
    }
    for entry in revoked.iter().take(MOST_SHOWN) {
        row(entry.device.to_string(), &state(*entry));
    }
    let count =
        |count: Option<u128>| count.map_or("not known here".to_owned(), |count| count.to_string());
    let revoked = known.then_some(revoked.len() as u128);
    let (used, revoked) = (count(used.map(DeviceNumbers::count)), count(revoked));
    format!("{}in use: {used}; revoked: {revoked}\n", table.text())
}
