//! UF2, the files that boot loaders take as a disk: blocks of 512 bytes with 256 of data each, little endian.

const BLOCK: usize = 512;
const PAYLOAD: usize = 256;
const FIRST_MAGIC: u32 = 0x0A32_4655;
const SECOND_MAGIC: u32 = 0x9E5D_5157;
const LAST_MAGIC: u32 = 0x0AB1_6F30;
const HAS_FAMILY: u32 = 0x2000;

/// Families of chips by name; a boot loader ignores blocks of another family.
pub const FAMILIES: [(&str, u32); 6] = [
    ("rp2350-arm-s", 0xE48B_FF59),
    ("rp2350-riscv", 0xE48B_FF5A),
    ("rp2350-arm-ns", 0xE48B_FF5B),
    ("nrf52840", 0xADA5_2840),
    ("samd51", 0x5511_4460),
    ("esp32s3", 0xC47E_5767),
];

/// The number of a family.
pub fn family_number(name: &str) -> Option<u32> {
    let found = FAMILIES.iter().find(|(known, _)| *known == name);
    found.map(|(_, number)| *number)
}

/// The blocks of `data` from `address` on; the last is filled with ones, as erased flash is.
pub(super) fn image(address: u32, data: &[u8], family: Option<u32>) -> Vec<u8> {
    let total = data.len().div_ceil(PAYLOAD) as u32;
    let blocks = data.chunks(PAYLOAD).zip(0..total);
    blocks
        .flat_map(|(payload, number)| {
            let mut block = [0; BLOCK];
            let words = [
                FIRST_MAGIC,
                SECOND_MAGIC,
                family.map_or(0, |_| HAS_FAMILY),
                address + number * PAYLOAD as u32,
                PAYLOAD as u32,
                number,
                total,
                family.unwrap_or(0),
            ];
            for (bytes, word) in block.chunks_exact_mut(4).zip(words) {
                bytes.copy_from_slice(&word.to_le_bytes());
            }
            block[32..32 + PAYLOAD].fill(0xFF);
            block[32..32 + payload.len()].copy_from_slice(payload);
            block[BLOCK - 4..].copy_from_slice(&LAST_MAGIC.to_le_bytes());
            block
        })
        .collect()
}
