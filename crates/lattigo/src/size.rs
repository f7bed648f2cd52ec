//! Sizes of the large ring: the host's half of `deep/size/size.go`.

use crate::message::Fields;
use crate::{Error, Result};
use isopod_linear::LargeRing;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The file that says which keys a folder has, how it begins, and the most bytes of that: `deep/keyset/file.go`.
const SET_FILE: &str = "keys.deep";
const KEY_MAGIC: &[u8] = b"isopodkey";
const HEAD: u64 = 512;

/// A size of the large ring and of its keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Its name.
    pub name: &'static str,
    /// Parameter set of the frames, and of the answers.
    pub frames: &'static str,
    /// The ring that frames are merged into.
    pub ring: LargeRing,
}

/// The sizes that are offered.
pub const SIZES: [Size; 1] = [Size {
    name: "deep-16",
    frames: "ckks-2048x1-air",
    ring: LargeRing {
        degree: 1 << 16,
        modulus: 1_152_921_504_606_584_833,
    },
}];

/// A ring for tests, without any security. Only a program that was built with the tag `insecure` has it.
#[doc(hidden)]
pub const INSECURE: Size = Size {
    name: "insecure-12",
    frames: "ckks-2048x1-air",
    ring: LargeRing {
        degree: 1 << 12,
        modulus: 1_152_921_504_606_830_593,
    },
};

impl Size {
    /// Every size that this build has: those that are offered, and in a build with the feature `insecure` that of tests.
    pub fn all() -> impl Iterator<Item = Self> {
        let tests = cfg!(feature = "insecure").then_some(INSECURE);
        SIZES.into_iter().chain(tests)
    }

    /// The size of that name, if this build has it.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::all().find(|size| size.name == name)
    }

    /// The size of the keys in a folder.
    ///
    /// # Errors
    /// [`Error::Keys`] for a folder without whole keys, and for keys of a size that this build does not have.
    pub fn of_keys(folder: &Path) -> Result<Self> {
        let mut head = Vec::new();
        let opened = File::open(folder.join(SET_FILE));
        let read = opened.and_then(|file| file.take(HEAD).read_to_end(&mut head));
        read.map_err(|error| {
            let folder = folder.display();
            Error::Keys(format!(
                "keys: {folder}: {error}; `isopod server-keys --size` makes them"
            ))
        })?;
        let mut fields = Fields(&head);
        let name = match fields.bytes(KEY_MAGIC.len()) {
            Ok(magic) if magic == KEY_MAGIC => fields.text().unwrap_or_default(),
            _ => String::new(),
        };
        Self::by_name(&name).ok_or_else(|| {
            let allowed: Vec<&str> = SIZES.iter().map(|size| size.name).collect();
            let (name, allowed) = (name.escape_default(), allowed.join(", "));
            Error::Keys(format!("keys: of size {name}; allowed are {allowed}"))
        })
    }
}
