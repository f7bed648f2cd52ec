//! Unfinished files and folders, removed when a signal ends the program.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::Result;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

/// Paths to remove.
static PATHS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A path that is removed if a signal ends the program before this is dropped.
pub struct Unfinished(PathBuf);

impl Unfinished {
    /// Makes a file or folder; no signal ends the program between its creation and its registration.
    pub fn make<T>(
        make: impl FnOnce() -> Result<T>,
        path: impl Fn(&T) -> &Path,
    ) -> Result<(Self, T)> {
        with_paths(|paths| {
            let made = make()?;
            let path = path(&made).to_owned();
            paths.push(path.clone());
            Ok((Self(path), made))
        })
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        with_paths(|paths| paths.retain(|path| *path != self.0));
    }
}

fn with_paths<T>(apply: impl FnOnce(&mut Vec<PathBuf>) -> T) -> T {
    let paths = PATHS.lock();
    apply(&mut paths.unwrap_or_else(std::sync::PoisonError::into_inner))
}

/// From now on SIGINT, SIGTERM and SIGHUP remove what is unfinished, and then end the program as they always do. Those that the
/// parent has the program ignore, as `nohup` does, stay ignored.
pub fn remove_on_signals() -> io::Result<()> {
    let ignored = ignored();
    let wanted = [SIGHUP, SIGINT, SIGTERM].into_iter();
    let mut signals = Signals::new(wanted.filter(|signal| ignored >> (signal - 1) & 1 == 0))?;
    std::thread::spawn(move || {
        for signal in signals.forever() {
            // Until the program ends nothing new is made, and whoever finds a folder gone waits with the word of it.
            with_paths(|paths| {
                paths.iter().for_each(|path| remove(path));
                // Nothing is left to do for a signal without a default.
                let _ = emulate_default_handler(signal);
            });
        }
    });
    Ok(())
}

/// Signals that are ignored, one bit each from the lowest; none where the system does not tell.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}

/// Removes a file or a folder; one that stays has a partial name. The program still writes into the folder, so that goes under
/// another name first: at most the one file that is being created follows it.
fn remove(path: &Path) {
    let gone = path.with_extension("removed.partial");
    if std::fs::remove_file(path).is_ok() || std::fs::rename(path, &gone).is_err() {
        return;
    }
    for _ in 0..8 {
        if std::fs::remove_dir_all(&gone).is_ok() {
            return;
        }
    }
}

/// Names on standard error what an earlier run left unfinished beside `place`; nobody reads it.
pub fn tell(place: &Path) -> Result<()> {
    for left in isopod_keys::unfinished(place)? {
        // A closed standard error changes nothing.
        let _ = writeln!(
            io::stderr(),
            "note: {}: unfinished, of a run that was interrupted or still runs; nothing reads it, so remove it if none does",
            crate::output::escaped::path(&left)
        );
    }
    Ok(())
}
