"""Simulates the engine: a cocotb test runs a file of operations on `isopod_system`, like a driver.

`.venv/bin/python -m examples.silicon.engine build`, then `run`, both in FOLDER. orders.json there has the words of
descriptors, the key's blob and operations. answers.json then has the bytes, cycles and mask seed of each operation."""
import itertools
import json
import secrets
import struct
import sys
from pathlib import Path

import cocotb

from rtl.dv.bench import BUILD, Bench
from rtl.dv.encode.cosines import write_cosines
from rtl.dv.streams import always, cycles
from rtl.dv.top.engine import NO_ERROR
from rtl.dv.top.system import DONE, MAP, SEEDS, START, System
from rtl.sources import configurations

CONFIGURATION = "w54p4-bfv"
SAMPLES_AT, PUBLIC_AT, OUT_AT = 0x10000, 0x100000, 0x800000
LIMIT = 1_000_000
NAME, MODULE = "silicon", "examples.silicon.engine"
FOLDER = BUILD / NAME


def bench() -> Bench:
    """The system around the configuration that can do every operation."""
    parameters = configurations()[CONFIGURATION]
    cosines = write_cosines(BUILD, int(parameters["MaxLogN"]))
    return Bench(NAME, "isopod_system", MODULE, {**parameters, "Decrypt": 1, "CosineFile": f'"{cosines}"'},
                 width=int(parameters["ModulusWidth"]))


async def carry_out(system: System, order: dict) -> dict:
    """Runs one operation; AssertionError if the engine reports an error."""
    memory = dict(zip(itertools.count(SAMPLES_AT, 4), order["samples"]))
    halves = (half for word in order["public"] for half in (word & 0xFFFFFFFF, word >> 32))
    memory |= dict(zip(itertools.count(PUBLIC_AT, 4), halves))
    system.reads.words = lambda address: memory.get(address, 0)
    system.writes.held.clear()
    await system.write("COMMAND", order["command"])
    await system.write("ENCODING", order["encoding"])
    await system.write("SAMPLE_ADDRESS", SAMPLES_AT, len(order["samples"]), PUBLIC_AT, len(order["public"]))
    await system.write("MASK_SEED", *struct.unpack("<8I", bytes.fromhex(order["mask_seed"])))
    await system.write("NOISE_KEY", *struct.unpack("<8I", bytes.fromhex(order["noise_key"])))
    await system.write("INTERRUPT_STATE", 7, DONE)
    await system.write("OUT_ADDRESS", OUT_AT)
    await system.write("CONTROL", START)
    await system.write("CONTROL", SEEDS)
    await system.write("OUT_BEATS", order["bytes"] // 8)
    await cycles(system.dut, system.sides, lambda: system.dut.interrupt_o.value == 1, LIMIT)
    assert await system.error() == NO_ERROR and await system.read("OUT_LEFT") == 0
    data = b"".join(system.writes.held[OUT_AT + place].to_bytes(8, "little") for place in range(0, order["bytes"], 8))
    seed = [await system.read_word("MASK_SEED", place) for place in range(8)]
    return {"data": data.hex(), "cycles": await system.read("CYCLES"), "mask_seed": struct.pack("<8I", *seed).hex()}


class Driver(System):
    """Reads the registers of the system by number."""

    async def read_word(self, name: str, place: int) -> int:
        """Reads one of neighbouring registers; the bus must accept it."""
        value, response = await self.try_read(MAP[name].offset + 4 * place)
        assert response == 0, name
        return value


@cocotb.test()
async def orders(dut):
    """Runs all operations in the file."""
    given = json.loads(Path("orders.json").read_text())
    system = Driver(dut, always)
    await system.start()
    for place, word in given["descriptors"]:
        await system.write_word("PRIME", word, place=place)
    await system.write_key(secrets.token_bytes(32), bytes.fromhex(given["key"]))
    answers = [await carry_out(system, order) for order in given["operations"]]
    Path("answers.json").write_text(json.dumps(answers))


def main() -> int:
    """The exit status: 1 if it does not build, or if the engine reports an error."""
    from rtl.dv.simulator import build, test
    if sys.argv[1:] == ["build"]:
        build(bench(), False)
        return 0
    _, failed = test(bench(), False, secrets.randbits(31))
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
