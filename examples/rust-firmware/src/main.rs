//! A day's temperatures as one encrypted frame on a serial line.
#![no_std]
#![no_main]

mod board;

use board::{Generator, Uart};
use cortex_m as _; // critical sections of the console
use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use isopod_device::firmware::{
    workspace_words, Context, Device, Encryptor, Key, Method, Rounding, Set, Settings, Tables,
    Values,
};
use isopod_device::include_words;

const READINGS: usize = 24;
const SET: Set = Set::CKKS_2048X1_AIR;
static TABLES: Tables = Tables::CKKS_2048X1_AIR;
static PUBLIC_KEY: &[u8] = include_words!(concat!(env!("ISOPOD_KEYS"), "/public/public.key"));
static DEVICE_KEY: &[u8] = include_bytes!(concat!(env!("ISOPOD_KEYS"), "/device-1/frame.key"));

#[entry]
fn main() -> ! {
    let temperatures: [f32; READINGS] = core::array::from_fn(|hour| 20.0 + 0.125 * hour as f32);
    debug::exit(match send(&temperatures) {
        Ok(()) => debug::EXIT_SUCCESS,
        Err(error) => {
            hprintln!("{}", error);
            debug::EXIT_FAILURE
        }
    });
    loop {}
}

/// Encrypts readings of at most 64 in magnitude and sends their frame. `isopod keygen` gave the numbers.
fn send(readings: &[f32; READINGS]) -> Result<(), &'static str> {
    let key = Key::open_public(SET, PUBLIC_KEY).map_err(|status| status.text())?;
    let settings = Settings {
        log2_scale: 15,
        log2_bound: 6,
        stride: READINGS as u32,
        rounding: Rounding {
            columns: READINGS as u32,
            dropped: [7, 2],
            ..Rounding::default()
        },
        ..Settings::new(SET, &TABLES, &key, Method::CKKS_ROUNDED_SMALL)
    };
    let mut workspace = [0; workspace_words::rounded_public_small(2048, 1)];
    let mut encryptor = Encryptor::new(settings, &mut workspace);
    let mut device = Device::from_file(DEVICE_KEY, board::starts(), Generator)
        .map_err(|status| status.text())?;

    let mut context = Context::new();
    let frame = encryptor
        .begin(&mut context, &mut device, Values::Float32(readings))
        .map_err(|refusal| refusal.status.text())?;
    frame
        .write_to(&mut Uart::new())
        .map_err(|_| "the frame was not sent")?;
    Ok(())
}
