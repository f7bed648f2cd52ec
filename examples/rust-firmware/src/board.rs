//! Services of the board: a serial line, randomness, the number of its starts. On a product the first two are the HAL's.

use core::convert::Infallible;
use core::panic::PanicInfo;
use core::ptr::{read_volatile, write_volatile};
use cortex_m_semihosting::{debug, hprintln, nr, syscall};
use embedded_io::{ErrorType, Write};
use rand_core::{TryCryptoRng, TryRng};

/// UART0 of mps2-an386, a CMSDK APB UART.
const UART0: usize = 0x4000_4000;
const STATE: usize = 0x4;
const CONTROL: usize = 0x8;
const DIVIDER: usize = 0x10;
const STATE_SENDING: u32 = 1;
const CONTROL_SEND: u32 = 1;

/// Starts so far. A product counts them in non-volatile memory, kept before the number is used (`isopod/counter.h`), and gives 0
/// where that fails: nothing is then sent.
pub fn starts() -> u32 {
    1
}

/// The serial line.
pub struct Uart;

impl Uart {
    /// Turns the line on.
    pub fn new() -> Self {
        // SAFETY: registers of the UART, which nobody else uses.
        unsafe {
            write_volatile((UART0 + DIVIDER) as *mut u32, 16);
            write_volatile((UART0 + CONTROL) as *mut u32, CONTROL_SEND);
        }
        Self
    }
}

impl ErrorType for Uart {
    type Error = Infallible;
}

impl Write for Uart {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        for byte in bytes {
            self.flush()?;
            // SAFETY: the UART's data register.
            unsafe { write_volatile(UART0 as *mut u32, u32::from(*byte)) };
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        // SAFETY: the UART's state register.
        while unsafe { read_volatile((UART0 + STATE) as *const u32) } & STATE_SENDING != 0 {}
        Ok(())
    }
}

/// The random generator of the emulator's host; a product's is in hardware.
pub struct Generator;

/// The host did not give enough.
#[derive(Debug)]
pub struct Failed;

impl core::fmt::Display for Failed {
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        out.write_str("no randomness from the host")
    }
}

impl core::error::Error for Failed {}

impl TryRng for Generator {
    type Error = Failed;

    fn try_next_u32(&mut self) -> Result<u32, Failed> {
        let mut bytes = [0; 4];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Failed> {
        let mut bytes = [0; 8];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Failed> {
        let path = b"/dev/urandom\0";
        // SAFETY: semihosting calls with the addresses and lengths of live memory.
        let missing = unsafe {
            let file = syscall!(OPEN, path.as_ptr(), nr::open::R_BINARY, path.len() - 1);
            let missing = syscall!(READ, file, out.as_mut_ptr(), out.len());
            syscall!(CLOSE, file);
            missing
        };
        match missing {
            0 => Ok(()),
            _ => Err(Failed),
        }
    }
}

impl TryCryptoRng for Generator {}

#[panic_handler]
fn panic(info: &PanicInfo) -> ! {
    hprintln!("{}", info);
    debug::exit(debug::EXIT_FAILURE);
    loop {}
}
