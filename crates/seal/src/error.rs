//! Errors of this crate.

/// Reason why this crate refused. Each message names the field, what is allowed, and what to do.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A frame or result belongs to another set than the context.
    #[error("set is {got}; this context is for {allowed}: use the keys and the context of the frame's set")]
    OtherSet {
        /// The set of the frame.
        got: String,
        /// The set of the context.
        allowed: String,
    },
    /// Evaluation keys lack polynomials that their header announces.
    #[error(
        "evaluation keys: key {key} has no digit {digit}; make the keys anew with isopod keygen"
    )]
    KeyMissing {
        /// Number of the key in the file.
        key: usize,
        /// Number of the digit.
        digit: usize,
    },
    /// The wire crate refused.
    #[error(transparent)]
    Wire(#[from] isopod_wire::WireError),
    /// The device library refused.
    #[error(transparent)]
    Device(#[from] isopod_device::DeviceError),
    /// The ring degree is no power of two in 1024..=32768.
    #[error("ring_degree is {got}; it must be a power of two from 1024 to 32768")]
    RingDegree {
        /// The refused degree.
        got: usize,
    },
    /// A job on integers was given a CKKS set.
    #[error("the set {set} encrypts real numbers; integers want a bfv- set")]
    NoIntegers {
        /// The set's name.
        set: String,
    },
    /// An integer is outside of the plaintext modulus.
    #[error(
        "value {index} is {value}; allowed is -{most} to {most}, the plaintext modulus of the set"
    )]
    Integer {
        /// Position of the integer.
        index: usize,
        /// The refused value.
        value: i64,
        /// Largest allowed magnitude, (t-1)/2.
        most: i64,
    },
    /// Noise may have changed the plaintext.
    #[error("the noise has used up the modulus: the result cannot be trusted; compute less under this set, or take one with more primes (never tell the server of it)")]
    NoiseBudget,
    /// The number of data primes is outside 1..=62.
    #[error("data_primes has {got} primes; it must have 1 to 62")]
    PrimeCount {
        /// The refused number.
        got: usize,
    },
    /// A modulus is no prime of at most 60 bits with q = 1 mod 2n, or occurs twice.
    #[error("{field} {prime} {reason}; every prime must be distinct, at most 60 bits and = 1 mod 2*ring_degree")]
    Prime {
        /// `data_primes` or `special_prime`.
        field: &'static str,
        /// The refused modulus.
        prime: u64,
        /// Reason why it is refused.
        reason: &'static str,
    },
    /// More than one data prime but no special prime: SEAL reserves the last prime of its chain.
    #[error("special_prime is missing; with {data_primes} data primes SEAL needs one more prime, use any small one")]
    SpecialPrimeMissing {
        /// Number of data primes.
        data_primes: usize,
    },
    /// SEAL does not accept the parameters, mostly because they are below its 128-bit limit.
    #[error("SEAL refuses the set {set}: {reason}; use a set of spec/params.toml")]
    Refused {
        /// The set's name.
        set: String,
        /// SEAL's reason.
        reason: String,
    },
    /// An array has the wrong length.
    #[error("{field} has {got} entries; it must have {wanted}")]
    Length {
        /// Name of the array.
        field: &'static str,
        /// Its length.
        got: usize,
        /// The only length allowed.
        wanted: usize,
    },
    /// A residue is not below its prime.
    #[error(
        "{field}: residue {value} at position {position} of prime {prime} is not below {modulus}"
    )]
    Residue {
        /// Name of the polynomial.
        field: &'static str,
        /// Number of the prime.
        prime: usize,
        /// Position in NTT order.
        position: usize,
        /// The refused residue.
        value: u64,
        /// The prime.
        modulus: u64,
    },
    /// The ciphertext or the set does not have this number of data primes.
    #[error("{got} data primes are asked for; 1 to {most} are possible here")]
    Level {
        /// The refused number.
        got: usize,
        /// The largest possible one.
        most: usize,
    },
    /// A ciphertext at the last level cannot be rescaled.
    #[error("one data prime is left, so nothing can be rescaled; use a set with more data primes")]
    LastLevel,
    /// The scale is no finite number from 1 up to the modulus.
    #[error("scale is 2^{log2:.2}; it must be from 2^0 to below 2^{modulus_bits}, the modulus that is left")]
    Scale {
        /// log2 of the scale (NaN if there is none).
        log2: f64,
        /// Bits of the remaining modulus.
        modulus_bits: u32,
    },
    /// Two operands have different scales.
    #[error("scales differ: {left} and {right}; bring both operands to one scale first")]
    ScaleMismatch {
        /// Scale of the first operand.
        left: f64,
        /// Scale of the second operand.
        right: f64,
    },
    /// Two operands have different numbers of primes.
    #[error("levels differ: {left} and {right} data primes; switch the larger one down first")]
    LevelMismatch {
        /// Data primes of the first operand.
        left: usize,
        /// Data primes of the second operand.
        right: usize,
    },
    /// There are more values than slots, or none.
    #[error("{got} values are given; 1 to {most} fit")]
    Values {
        /// Number of values.
        got: usize,
        /// Number of slots.
        most: usize,
    },
    /// A value is infinite or not a number.
    #[error("value {index} is {value}; it must be finite")]
    NotFinite {
        /// Its position.
        index: usize,
        /// The value.
        value: f64,
    },
    /// A secret key coefficient is not -1, 0 or 1. The message leaves the value out on purpose.
    #[error("coefficient {index} of the secret key is not -1, 0 or 1")]
    Ternary {
        /// Its position.
        index: usize,
    },
    /// The set's special prime cannot carry key switching.
    #[error("the set {set} has no evaluation keys: its special prime is missing or smaller than a data prime; use ckks-4096x2-linear or a -multiply set")]
    NoKeySwitching {
        /// The set's name.
        set: String,
    },
    /// A Galois element is even or not below 2n.
    #[error("Galois element {element} is not allowed; it must be odd, from 3 to {most}")]
    GaloisElement {
        /// The refused element.
        element: u32,
        /// Largest allowed element, 2n - 1.
        most: u32,
    },
    /// A rotation is by zero, or by half the ring degree or more.
    #[error("rotation by {step} is not possible; steps are 1 to {most}, or negative")]
    Step {
        /// The refused step.
        step: i32,
        /// Largest allowed step, n/2 - 1.
        most: i32,
    },
    /// The evaluation keys lack a rotation.
    #[error("the evaluation keys have no Galois key for rotation by {step} (element {element}); make keys with this rotation")]
    MissingGaloisKey {
        /// The rotation.
        step: i32,
        /// Its Galois element.
        element: u32,
    },
    /// The evaluation keys lack the relinearization key.
    #[error("the evaluation keys have no relinearization key; make keys with relinearization")]
    MissingRelinearizationKey,
    /// The ciphertext has three polynomials.
    #[error("the ciphertext has {polynomials} polynomials; relinearize it first, 2 are wanted")]
    NotRelinearized {
        /// Number of polynomials.
        polynomials: usize,
    },
    /// SEAL threw an exception.
    #[error("SEAL failed to {operation}: {message}")]
    Seal {
        /// Operation that failed.
        operation: &'static str,
        /// SEAL's message.
        message: String,
    },
}
