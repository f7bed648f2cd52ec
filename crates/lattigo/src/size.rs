//! Sizes of the large ring: the host's half of `deep/size/size.go`.

use crate::message::Fields;
use crate::{Error, Result};
use isopod_linear::{LargeRing, Reduction};
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
    /// Levels of jobs, and log2 of their scale.
    pub levels: u32,
    pub(crate) log2_scale: i32,
    /// log2 of the scale of the reduction modulo q0.
    pub(crate) log2_scale_reduction: i32,
    /// Whether readings may be reduced by a sine; if not, tables alone are computed.
    pub has_sine: bool,
}

/// The sizes that are offered.
pub const SIZES: [Size; 2] = [
    Size {
        name: "deep-16",
        frames: "ckks-2048x1-air",
        ring: LargeRing {
            degree: 1 << 16,
            modulus: 1_152_921_504_606_584_833,
        },
        levels: 13,
        log2_scale: 40,
        log2_scale_reduction: 60,
        has_sine: true,
    },
    Size {
        name: "deep-15",
        frames: "ckks-2048x1-air",
        ring: LargeRing {
            degree: 1 << 15,
            modulus: 144_115_188_075_593_729,
        },
        levels: 6,
        log2_scale: 32,
        log2_scale_reduction: 36,
        has_sine: false,
    },
];

/// A ring for tests, without any security. Only a program that was built with the tag `insecure` has it.
#[doc(hidden)]
pub const INSECURE: Size = Size {
    name: "insecure-12",
    frames: "ckks-2048x1-air",
    ring: LargeRing {
        degree: 1 << 12,
        modulus: 1_152_921_504_606_830_593,
    },
    ..SIZES[0]
};

/// Another one, with the levels of `deep-15`.
#[doc(hidden)]
pub const INSECURE_TABLES: Size = Size {
    name: "insecure-13",
    ring: LargeRing {
        degree: 1 << 13,
        modulus: 144_115_188_075_593_729,
    },
    ..SIZES[1]
};

impl Size {
    /// Every size that this build has: those that are offered, and in a build with the feature `insecure` those of tests.
    pub fn all() -> impl Iterator<Item = Self> {
        let tests = [INSECURE, INSECURE_TABLES].into_iter();
        SIZES
            .into_iter()
            .chain(tests.filter(|_| cfg!(feature = "insecure")))
    }

    /// The size whose ring that is.
    pub(crate) fn of_ring(ring: LargeRing) -> Option<Self> {
        let mut all = SIZES.into_iter().chain([INSECURE, INSECURE_TABLES]);
        all.find(|size| size.ring == ring)
    }

    /// Refuses questions of a reduction that the size does not have.
    ///
    /// # Errors
    /// [`Error::Allowed`].
    pub fn check(&self, reduction: Reduction) -> Result<()> {
        if self.has_sine || reduction == Reduction::Circle {
            return Ok(());
        }
        let able = SIZES.iter().filter(|size| size.has_sine);
        let able: Vec<&str> = able.map(|size| size.name).collect();
        let allowed = format!(
            "{} for this job; {} has tables alone: table, and exact alarms, counts and histograms",
            able.join(", "),
            self.name
        );
        Err(Error::allowed("size", self.name, allowed))
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
