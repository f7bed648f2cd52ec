//! The command line: every command with its arguments, and which of them runs.

use anyhow::Result;
use clap::{CommandFactory as _, Parser, Subcommand};

use crate::commands::device::{devices, encrypt, receive, split_key};
use crate::commands::owner::{
    decrypt, describe, holders, keygen, pads, request, rotate, server_keys, share,
};
use crate::commands::parameters::{advise, sets};
use crate::commands::server::{evaluate, export, export_tfhepp};
use crate::commands::{bench, completions, demo, inspect, man};
use crate::output::report::Output;

const AFTER_HELP: &str =
    "Data goes to standard output, messages to standard error. NO_COLOR is honoured.

Exit codes: 0 done; 1 the system refused (files, entropy); 2 wrong command line; 3 input refused;
4 authentication failed; 5 a key was refused; 6 done, but for items that were set aside or cut off.";

/// Homomorphic encryption for small devices.
#[derive(Debug, Parser)]
#[command(name = "isopod", version, after_help = AFTER_HELP, max_term_width = 100)]
pub struct Arguments {
    /// Print JSON
    #[arg(long, global = true)]
    pub json: bool,
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// Every command.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Commands that make keys.
    #[command(flatten)]
    Keys(Keys),
    /// Encrypt values on this machine, with the code that runs on devices
    Encrypt(encrypt::Encrypt),
    /// Receive frames over a serial line, and ask for what got lost
    Receive(receive::Receive),
    /// Compute on frames, with evaluation keys only
    Evaluate(evaluate::Evaluate),
    /// Write frames of a TFHEpp set, or their key, as TFHEpp's arrays
    ExportTfhepp(export_tfhepp::ExportTfhepp),
    /// Ask for a job, with a challenge that the results must repeat
    Request(request::Request),
    /// Read results, with the owner's key
    Decrypt(decrypt::Decrypt),
    /// Give away the pads of some packets, or encrypt them
    Pads(pads::Pads),
    /// Summarise a table from the sums of its columns: count, mean, spread, quantiles, with an error beside each
    Describe(describe::Describe),
    /// Publish results, with noise that hides the key, and count them
    Share(share::Share),
    /// Write frames, results or the secret key as files of Microsoft SEAL, for other programs
    Export(export::Export),
    /// Write a device's public key in one file per prime, for boards that hold one at a time
    SplitKey(split_key::SplitKey),
    /// Make fresh keys of the same shape as an older folder's
    Rotate(rotate::Rotate),
    /// Encrypt, score and decrypt a table of readings, and compare with the clear
    Demo(demo::Demo),
    /// Show the contents of a file, and which of them are authenticated; secrets are never shown
    Inspect(inspect::Inspect),
    /// About sets, machines and this program.
    #[command(flatten)]
    About(About),
}

/// Commands that make keys of owner, server and devices.
#[derive(Debug, Subcommand)]
pub enum Keys {
    /// Make a key pair, and a folder each for owner, server and devices
    Keygen(keygen::Keygen),
    /// Make a key that several owners hold together, and open answers with it
    Owner(holders::Owner),
    /// Add devices to a key pair, revoke them, list them
    Device(devices::Device),
    /// Make a server's evaluation keys anew, from the owner's key
    ServerKeys(server_keys::ServerKeys),
}

/// Commands about sets, machines and this program, which touch no keys.
#[derive(Debug, Subcommand)]
pub enum About {
    /// List the parameter sets
    Params(sets::Params),
    /// Find the cheapest set, key and layout for a job on a board over a link
    Advise(advise::Advise),
    /// Measure operations on this machine, the device library and Microsoft SEAL side by side
    Bench(bench::Bench),
    /// Print a script that completes commands and options in a shell
    Completions(completions::Completions),
    /// Write the manual pages of all commands
    Man(man::ManPages),
}

impl Command {
    /// Runs the command.
    pub fn run(&self) -> Result<Output> {
        match self {
            Self::Keys(keys) => keys.run(),
            Self::Encrypt(command) => command.run(),
            Self::Receive(command) => command.run(),
            Self::Evaluate(command) => command.run(),
            Self::ExportTfhepp(command) => command.run(),
            Self::Decrypt(command) => command.run(),
            Self::Pads(command) => command.run(),
            Self::Describe(command) => command.run(),
            Self::Export(command) => command.run(),
            Self::Request(command) => command.run(),
            Self::Share(command) => command.run(),
            Self::SplitKey(command) => command.run(),
            Self::Rotate(command) => command.run(),
            Self::Demo(command) => command.run(),
            Self::Inspect(command) => command.run(),
            Self::About(about) => about.run(),
        }
    }
}

impl Keys {
    fn run(&self) -> Result<Output> {
        match self {
            Self::Keygen(command) => command.run(),
            Self::Owner(command) => command.run(),
            Self::Device(command) => command.run(),
            Self::ServerKeys(command) => command.run(),
        }
    }
}

impl About {
    fn run(&self) -> Result<Output> {
        match self {
            Self::Params(command) => command.run(),
            Self::Advise(command) => command.run(),
            Self::Bench(command) => command.run(),
            Self::Completions(command) => command.run(Arguments::command()),
            Self::Man(command) => command.run(Arguments::command()),
        }
    }
}
