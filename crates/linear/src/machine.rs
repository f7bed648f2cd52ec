//! Choice of the vector instructions, made at run time.

/// Instructions that kernels may use. Only what this processor has can be named, so that no kernel runs without them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Machine(pub(crate) Instructions);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Instructions {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "aarch64")]
    Neon,
}

impl Machine {
    /// Portable code.
    pub const PORTABLE: Self = Self(Instructions::Portable);

    /// The widest vectors of this processor.
    pub fn best() -> Self {
        Self::all().last().unwrap_or(Self::PORTABLE)
    }

    /// Every choice on this processor, narrow vectors first.
    pub fn all() -> impl Iterator<Item = Self> {
        let found = [
            Some(Instructions::Portable),
            #[cfg(target_arch = "x86_64")]
            is_x86_feature_detected!("avx2").then_some(Instructions::Avx2),
            #[cfg(target_arch = "x86_64")]
            (is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw"))
                .then_some(Instructions::Avx512),
            #[cfg(target_arch = "aarch64")]
            std::arch::is_aarch64_feature_detected!("neon").then_some(Instructions::Neon),
        ];
        found.into_iter().flatten().map(Self)
    }

    /// Name of the instructions.
    pub fn name(self) -> &'static str {
        match self.0 {
            Instructions::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => "AVX-512",
            #[cfg(target_arch = "aarch64")]
            Instructions::Neon => "NEON",
        }
    }
}
