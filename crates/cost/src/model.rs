//! Local computation against offloading, in time, bytes and energy: arithmetic on tables, the same as in the page.

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

const BOARDS: &str = include_str!("../tables/boards.csv");
const LINKS: &str = include_str!("../tables/links.csv");
/// `python3 -m bench.cost.boards` writes it.
const INSTRUCTIONS: &str = include_str!("../tables/instructions.csv");

/// The operation `receive` of `isopod bench`.
const SERVER: &str = include_str!("../tables/server.csv");

#[derive(Deserialize)]
struct Served {
    set: String,
    receive_ms: f64,
}

/// Milliseconds in which a server takes a frame of a set in; None where it was not measured.
pub fn server_ms(set: &str) -> Option<f64> {
    let found = read::<Served>(SERVER)
        .into_iter()
        .find(|one| one.set == set);
    found.map(|one| one.receive_ms)
}

#[derive(Deserialize)]
struct Counted {
    board: String,
    side: String,
    scheme: String,
    degree: usize,
    operation: String,
    instructions: f64,
}

/// Instructions of an operation, counted under emulation.
pub fn instructions(
    target: &str,
    side: &str,
    scheme: &str,
    degree: usize,
    operation: &str,
) -> Option<f64> {
    let found = read::<Counted>(INSTRUCTIONS).into_iter().find(|one| {
        (one.board == target && one.side == side && one.scheme == scheme)
            && (one.degree == degree && one.operation == operation)
    });
    found.map(|one| one.instructions)
}

/// A board, as it is assumed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Board {
    /// Name.
    pub name: String,
    /// Name for people.
    pub title: String,
    /// Target of `bench/device` whose instructions it executes.
    pub counted_as: String,
    /// Clock.
    pub megahertz: f64,
    /// Cycles of an instruction, on average.
    pub cycles_per_instruction: f64,
    /// Power while it computes.
    pub active_mw: f64,
    /// Power while it waits.
    pub idle_mw: f64,
    /// Bytes of memory.
    pub ram: u64,
    /// Bytes of flash.
    pub flash: u64,
    /// Where the numbers are from.
    pub source: String,
}

/// A link, as it is assumed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// Name.
    pub name: String,
    /// Name for people.
    pub title: String,
    /// Rate from the device.
    pub up_kbits: f64,
    /// Rate to the device.
    pub down_kbits: f64,
    /// Time there and back.
    pub round_trip_ms: f64,
    /// Share of bytes that are sent again.
    pub loss: f64,
    /// Power of the radio while it sends, beside the board's.
    pub send_mw: f64,
    /// Power of the radio while it receives.
    pub receive_mw: f64,
    /// Where the numbers are from.
    pub source: String,
}

/// Work that may be offloaded.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct Work {
    /// Instructions of the device alone; None where the library does not run there.
    pub local: Option<f64>,
    /// Instructions of the device that sends.
    pub device: f64,
    /// Bytes to the server.
    pub up_bytes: f64,
    /// Bytes back.
    pub down_bytes: f64,
    /// The server's time.
    pub server_ms: f64,
}

/// Costs of work.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Costs {
    /// Milliseconds of the device alone.
    pub local_ms: Option<f64>,
    /// Milliseconds from values to the result's arrival.
    pub offloaded_ms: f64,
    /// Millijoules of the device alone.
    pub local_mj: Option<f64>,
    /// Millijoules of the device that sends and waits.
    pub offloaded_mj: f64,
    /// Rate of both directions from which offloading takes less time; None where no rate suffices.
    pub break_even_kbits: Option<f64>,
}

impl Board {
    /// Milliseconds of instructions.
    pub fn ms(&self, instructions: f64) -> f64 {
        instructions * self.cycles_per_instruction / (self.megahertz * 1000.0)
    }

    /// Costs of work on this board over a link.
    pub fn costs(&self, link: &Link, work: &Work) -> Costs {
        let again = 1.0 / (1.0 - link.loss);
        let (local, device) = (work.local.map(|count| self.ms(count)), self.ms(work.device));
        let up = work.up_bytes * 8.0 / link.up_kbits * again;
        let down = work.down_bytes * 8.0 / link.down_kbits * again;
        let waits = link.round_trip_ms + work.server_ms;
        let room = local.map(|local| local - device - waits);
        let bits = (work.up_bytes + work.down_bytes) * 8.0 * again;
        let millijoules = device * self.active_mw
            + up * (link.send_mw + self.idle_mw)
            + down * (link.receive_mw + self.idle_mw)
            + waits * self.idle_mw;
        Costs {
            local_ms: local,
            offloaded_ms: device + up + waits + down,
            local_mj: local.map(|ms| ms * self.active_mw / 1000.0),
            offloaded_mj: millijoules / 1000.0,
            break_even_kbits: room.filter(|&room| room > 0.0).map(|room| bits / room),
        }
    }
}

fn read<T: for<'a> Deserialize<'a>>(table: &str) -> Vec<T> {
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    reader.deserialize().filter_map(Result::ok).collect()
}

/// Every board.
pub fn boards() -> Vec<Board> {
    read(BOARDS)
}

/// Every link.
pub fn links() -> Vec<Link> {
    read(LINKS)
}

/// A board by its name.
///
/// # Errors
/// An unknown name, with the allowed ones.
pub fn board(name: &str) -> Result<Board> {
    let all = boards();
    let names: Vec<&str> = all.iter().map(|board| board.name.as_str()).collect();
    let text = format!(
        "board: {name:?} is unknown; allowed are {}",
        names.join(", ")
    );
    all.iter()
        .find(|board| board.name == name)
        .cloned()
        .context(text)
}

/// A link by its name.
///
/// # Errors
/// An unknown name, with the allowed ones.
pub fn link(name: &str) -> Result<Link> {
    let all = links();
    let names: Vec<&str> = all.iter().map(|link| link.name.as_str()).collect();
    let text = format!(
        "link: {name:?} is unknown; allowed are {}",
        names.join(", ")
    );
    all.iter()
        .find(|link| link.name == name)
        .cloned()
        .context(text)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;

    const KNOWN: &str = include_str!("../tests/costs.json");

    #[test]
    fn every_row_is_read() {
        assert_eq!(boards().len(), BOARDS.lines().count() - 1);
        assert_eq!(links().len(), LINKS.lines().count() - 1);
    }

    #[derive(Deserialize)]
    struct Known {
        board: Board,
        link: Link,
        work: Work,
        costs: serde_json::Map<String, serde_json::Value>,
    }

    #[test]
    fn known_costs_which_the_page_has_too() {
        let known: Vec<Known> = serde_json::from_str(KNOWN).unwrap();
        for one in known {
            let found = serde_json::to_value(one.board.costs(&one.link, &one.work)).unwrap();
            for (name, wanted) in one.costs {
                let (found, wanted) = (found[&name].as_f64(), wanted.as_f64());
                let difference = found.unwrap_or(-1.0) - wanted.unwrap_or(-1.0);
                assert!(
                    difference.abs() < 1e-9,
                    "{name}: {found:?} instead of {wanted:?}"
                );
            }
        }
    }

    #[test]
    fn a_slow_link_loses_and_a_fast_one_wins() {
        let work = Work {
            local: Some(100e6),
            device: 1e6,
            up_bytes: 40_000.0,
            down_bytes: 20_000.0,
            server_ms: 5.0,
        };
        let board = board("raspberry-pi-4").unwrap();
        let [lan, slow] = ["lan", "nb-iot"].map(|name| board.costs(&link(name).unwrap(), &work));
        assert!(lan.offloaded_ms < lan.local_ms.unwrap());
        assert!(slow.offloaded_ms > slow.local_ms.unwrap());
        // 1e6 cycles at 1.5 GHz, 3.2 ms up, 1.6 ms down, half a millisecond of round trip and the server.
        assert!((lan.offloaded_ms - (2.0 / 3.0 + 3.2 + 1.6 + 0.5 + 5.0)).abs() < 1e-9);
    }

    #[test]
    fn unknown_names_are_refused_with_the_allowed_ones() {
        assert!(board("z80").unwrap_err().to_string().contains("stm32u5"));
        assert!(link("pigeon").unwrap_err().to_string().contains("lte-m"));
    }
}
