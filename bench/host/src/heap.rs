//! Peak heap memory of either side by valgrind's massif: a whole process that sets up one side and encrypts twice. Ours is a
//! program without SEAL that loads its key blob and passes residues on as they come (`memory.c`); SEAL's generates its
//! context and keys.

use crate::cases::{Case, Work};
use crate::machine::{run, SIDES};
use anyhow::{Context as _, Result};
use isopod_device::KeyPair;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Peaks in bytes.
pub struct Heaps {
    pub ours: u64,
    pub peer: u64,
}

/// Peaks of encryptions of real values under 64-bit primes; None for other cases.
pub fn measure(case: &Case) -> Result<Option<Heaps>> {
    if !case.set.has_primes64() || case.set.plain_modulus.is_some() || case.work == Work::Decrypt {
        return Ok(None);
    }
    let folder = std::env::temp_dir().join(format!("bench-host-heap-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let key_file = folder.join("key");
    let pair = KeyPair::generate(case.set)?;
    let (key, blob) = match case.work {
        Work::EncryptSecret => ("secret", pair.secret_ntt_blob.as_slice()),
        _ => ("public", pair.seeded_public_blob.as_slice()),
    };
    fs::write(&key_file, blob)?;
    let key_text = key_file.display().to_string();
    let program = std::env::current_exe()?;
    let heaps = Heaps {
        ours: peak(
            &folder,
            &program.with_file_name("bench-host-memory"),
            &[case.set.name, &key_text, key],
        )?,
        peer: peak(&folder, &program, &["--only", SIDES[1], &case.name])?,
    };
    fs::remove_dir_all(&folder)?;
    Ok(Some(heaps))
}

fn peak(folder: &Path, program: &Path, arguments: &[&str]) -> Result<u64> {
    let snapshots = folder.join("snapshots");
    let mut command = Command::new("valgrind");
    command
        .args(["--tool=massif", "--peak-inaccuracy=0.0"])
        .arg(format!("--massif-out-file={}", snapshots.display()))
        .arg(program)
        .args(arguments);
    run(&mut command)?;
    let text = fs::read_to_string(&snapshots)?;
    let sizes = text
        .lines()
        .filter_map(|line| line.strip_prefix("mem_heap_B="));
    let numbers = sizes.filter_map(|size| size.parse().ok());
    numbers.max().context("massif wrote no snapshot")
}
