"""Driver of `isopod_system` for its bench: a bus master of its registers and the memory of its
transfers."""
import random
import struct
import tomllib

from rtl import registers
from rtl.dv.arithmetic import key_bits
from rtl.dv.bench import start
from rtl.dv.bus.memory import ReadMemory, WriteMemory
from rtl.dv.streams import Sink, Source, cycles
from rtl.dv.top.engine import Command, descriptor
from rtl.dv.top.slot import key_words, root
from spec.model.streams import Root

MAP = {entry.name: entry
       for entry in registers.read_registers(tomllib.loads(registers.SOURCE.read_text()))}
START, SEEDS, ABORT, CLEAR = 1, 2, 4, 8
BUSY, SAMPLES_TAKEN, REFUSED, BUS_ERROR, KEY_VALID = 1, 2, 8, 1 << 12, 1 << 15
DONE = 1
WHOLE_WORD = 0xF
# More roots than are given up one after the other.
ROOTS = 20
# More cycles than any access of these tests waits while all sides pause.
PATIENCE = 4000
INPUTS = ("s_awaddr_i", "s_wdata_i", "s_wstrb_i", "s_araddr_i", "m_rdata_i", "m_rresp_i",
          "m_rlast_i", "m_bresp_i")


def halves(word: int, width: int) -> list[int]:
    """A word of keys, descriptors and ciphertexts in 32-bit words."""
    return [word >> low & 0xFFFFFFFF for low in range(0, key_bits(width), 32)]


class System:
    """The module between its buses; every channel pauses as decided by `willing`."""

    def __init__(self, dut, willing):
        self.dut, self.width = dut, int(dut.ModulusWidth.value)
        self.key_words = int(dut.KeyWords.value)
        self.suite = 1 + int(dut.Xof.value)
        self.draws = bool(int(dut.Draw.value))
        self.secret, self.roots = bytes(32), 0
        self.give_entropy(random.getrandbits(32))
        self.write_address = Source(dut.s_awvalid_i, dut.s_awready_o, (dut.s_awaddr_i,), willing)
        self.write_data = Source(dut.s_wvalid_i, dut.s_wready_o, (dut.s_wdata_i, dut.s_wstrb_i),
                                 willing)
        self.written = Sink(dut.s_bvalid_o, dut.s_bready_i, (dut.s_bresp_o,), willing)
        self.read_address = Source(dut.s_arvalid_i, dut.s_arready_o, (dut.s_araddr_i,), willing)
        self.responses = Sink(dut.s_rvalid_o, dut.s_rready_i, (dut.s_rdata_o, dut.s_rresp_o),
                              willing)
        self.reads = ReadMemory(dut, willing, set(), "m_")
        self.writes = WriteMemory(dut, willing, set(), "m_")
        self.sides = (self.write_address, self.write_data, self.written, self.read_address,
                      self.responses, self.reads, self.writes)

    async def start(self) -> None:
        """Out of reset."""
        await start(self.dut, **dict.fromkeys(INPUTS, 0), entropy_i=self.entropy,
                    entropy_valid_i=1)
        await self.until_quiet()

    def give_entropy(self, word: int, valid: int = 1) -> None:
        """The word of the entropy source, from now on."""
        self.entropy = word
        self.dut.entropy_i.value, self.dut.entropy_valid_i.value = word, valid

    def joined(self, secret: bytes) -> bytes:
        """The slot's secret: software's words, in a build that draws with those of the source."""
        entropy = self.entropy.to_bytes(4, "little") * 8 if self.draws else bytes(32)
        return bytes(a ^ b for a, b in zip(secret, entropy))

    async def try_write(self, offset: int, value: int, strobe: int = WHOLE_WORD) -> int:
        """The response of the bus."""
        self.write_address.add([(offset,)])
        self.write_data.add([(value, strobe)])
        await cycles(self.dut, self.sides, lambda: bool(self.written.beats), PATIENCE)
        return self.written.beats.pop()

    async def try_read(self, offset: int) -> tuple[int, int]:
        """Data and response of the bus."""
        self.read_address.add([(offset,)])
        await cycles(self.dut, self.sides, lambda: bool(self.responses.beats), PATIENCE)
        return self.responses.beats.pop()

    async def write(self, name: str, *values: int, place: int = 0) -> None:
        """Writes neighbouring registers from the place-th one on; the bus must accept it."""
        for index, value in enumerate(values, place):
            assert await self.try_write(MAP[name].offset + 4 * index, value) == 0, name

    async def write_word(self, name: str, word: int, place: int = 0) -> None:
        """A word of a key or a descriptor, wide ones as two halves."""
        for half in halves(word, self.width):
            await self.write(name, half, place=place)

    async def read(self, name: str) -> int:
        """Reads a register; the bus must accept it."""
        value, response = await self.try_read(MAP[name].offset)
        assert response == 0, name
        return value

    async def error(self) -> int:
        """STATUS.error."""
        return await self.read("STATUS") >> 4 & 15

    async def until_quiet(self) -> None:
        """Waits until STATUS.busy falls."""
        while await self.read("STATUS") & BUSY:
            pass

    async def until_interrupt(self, limit: int) -> int:
        """Waits for the interrupt; the number of cycles."""
        interrupt = self.dut.interrupt_o
        return await cycles(self.dut, self.sides, lambda: bool(interrupt.value), limit,
                            (interrupt,))

    async def command(self, command: Command) -> None:
        """COMMAND and ENCODING."""
        await self.write("COMMAND", command.opcode | command.log_degree << 4
                         | command.primes << 8 | command.suite << 13 | command.sample << 15
                         | command.secret_ntt << 17 | command.framed << 18
                         | command.complex_slots << 31)
        await self.write("ENCODING", command.count | command.shift << 16
                         | (command.log2_bound & 63) << 24)

    async def give_seeds(self, root: Root) -> None:
        """Mask seed and noise key."""
        await self.write("MASK_SEED", *struct.unpack("<8I", root.mask_seed))
        await self.write("NOISE_KEY", *struct.unpack("<8I", root.noise_key))
        await self.write("CONTROL", SEEDS)

    async def describe(self, primes, ring_degree: int) -> None:
        """The descriptors of all primes."""
        for number, prime in enumerate(primes):
            for word, value in descriptor(prime, ring_degree).items():
                await self.write_word("PRIME", value, place=32 * number + word)

    async def write_key(self, secret: bytes, blob: bytes) -> None:
        """A key for the slot, and the secret of its roots."""
        await self.write("KEY_BEGIN", 0)
        for word in key_words(secret, blob):
            await self.write("KEY_DATA", word)

    async def load(self, blob: bytes) -> None:
        """A key, with a fresh secret; the slot must take it."""
        self.secret, self.roots = random.randbytes(32), 0
        await self.write_key(self.secret, blob)
        assert await self.read("STATUS") & KEY_VALID

    async def made_root(self, seed: bytes) -> Root | None:
        """The root that the slot made of a seed, if it did; every counter serves once."""
        found = await self.seed()
        for counter in range(self.roots, self.roots + ROOTS):
            made = root(self.joined(self.secret), counter, seed)
            if found == made.mask_seed:
                self.roots = counter + 1
                return made
        assert self.stopped(seed, found), "a mask seed of nobody"
        return None

    def stopped(self, seed: bytes, found: bytes) -> bool:
        """True if the slot was stopped before it had made more than the first words."""
        return any(found[at:] == seed[at:] for at in range(0, 32, 4))

    async def seed(self) -> bytes:
        """MASK_SEED."""
        place = MAP["MASK_SEED"].offset
        words = [(await self.try_read(place + 4 * index))[0] for index in range(8)]
        return struct.pack("<8I", *words)
