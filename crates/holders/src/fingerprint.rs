//! Fingerprints that people compare by voice.

/// Bytes of a digest that are compared.
const SPOKEN: usize = 10;

/// The start of a digest: 20 hexadecimal digits in groups of 4.
pub fn spoken(digest: &[u8; 32]) -> String {
    let pairs = digest[..SPOKEN].chunks(2);
    let groups = pairs.map(|pair| format!("{:02x}{:02x}", pair[0], pair[1]));
    groups.collect::<Vec<_>>().join(" ")
}
