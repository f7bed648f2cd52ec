//! Sizes of the large ring: the host's half of `deep/size/size.go`.

use isopod_linear::LargeRing;

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
    /// The size of that name, if it is offered.
    pub fn by_name(name: &str) -> Option<Self> {
        SIZES.into_iter().find(|size| size.name == name)
    }
}
