"""Driver of `isopod_engine` for its benches: descriptors, keys, commands, streams on all sides."""
from dataclasses import dataclass

from cocotb.triggers import FallingEdge

from rtl.dv.arithmetic import NARROW, WIDE, doubling_roots, radix
from rtl.dv.bench import start
from rtl.dv.streams import Sink, Source, always, cycles, idle
from spec.base.arithmetic import minimal_root
from spec.model.packing import pack

(NONE, SECRET, PUBLIC, FORWARD, INVERSE, ZEROISE, DECRYPT, DECODE, BFV_SECRET,
 BFV_PUBLIC, DRAW, COEFFICIENTS_SECRET, COEFFICIENTS_PUBLIC) = range(13)
FIXED, INTEGER, FLOAT, LONG = range(4)
(NO_ERROR, OPCODE, DEGREE, PRIMES, MODULUS, OVERFLOW, KEY, ORDER, BUS, ABORT, FORMAT) = range(11)
TERNARY_KEY = 1 << 31
SWEEP_CYCLES = 100_000
FIELDS = (("opcode", 4), ("log_degree", 4), ("primes", 5), ("suite", 2), ("sample", 2),
          ("log2_bound", 6), ("shift", 5),
          ("count", 14), ("complex_slots", 1), ("secret_ntt", 1), ("framed", 1))


@dataclass(frozen=True)
class Command:
    """A command, the type command_t."""

    opcode: int
    log_degree: int = 10
    primes: int = 1
    suite: int = 1
    sample: int = FLOAT
    log2_bound: int = 0
    shift: int = 0
    count: int = 0
    secret_ntt: int = 1
    complex_slots: int = 0
    framed: int = 0

    @property
    def packed(self) -> int:
        """The bits of command_t."""
        value = 0
        for name, bits in FIELDS:
            value = value << bits | getattr(self, name) & (1 << bits) - 1
        return value


def descriptor(prime: int, ring_degree: int, plain: int = 0) -> dict[int, int]:
    """Words of a prime's descriptor, for BFV with those of t."""
    one = radix(prime) % prime
    words = {0: prime, 1: one, 2: one * pow(ring_degree, -1, prime) % prime}
    if plain:
        words |= {3: one * pow(plain, -1, prime) % prime, 4: plain}
    return words | {16 + index: word
                    for index, word in enumerate(doubling_roots(prime, ring_degree))}


def plain_descriptor(plain: int, ring_degree: int, scale: int) -> dict[int, int]:
    """Words of the descriptor of t; inverse transforms are multiplied by `scale`, too."""
    one, root = (1 << WIDE) % plain, minimal_root(plain, ring_degree)
    words = {0: plain, 1: one, 2: one * scale * pow(ring_degree, -1, plain) % plain}
    powers = [pow(root, ring_degree >> index + 1, plain)
              for index in range(ring_degree.bit_length() - 1)]
    return words | {16 + index: one * power % plain for index, power in enumerate(powers)}


def ternary_place(ring_degree: int) -> int:
    """Address of the first two coefficients of a ternary secret key."""
    return TERNARY_KEY | (ring_degree.bit_length() - 1) << 16


class Engine:
    """The module with its streams."""

    def __init__(self, dut):
        self.dut = dut
        self.suite = 1 + int(dut.Xof.value)
        self.key_words = int(dut.KeyWords.value)
        self.max_log_n = int(dut.MaxLogN.value)
        self.lanes = int(dut.Lanes.value)
        self.width = int(dut.ModulusWidth.value)
        self.decodes = bool(int(dut.Decode.value))
        self.bfv = bool(int(dut.Bfv.value))
        self.complex = bool(int(dut.Complex.value))
        self.coefficients = bool(int(dut.Coefficients.value))
        self.frame = bool(int(dut.Frame.value))
        self.precise = bool(int(dut.Precise.value))
        self.decodes_long = bool(int(dut.DecodeLong.value))
        self.commands = Source(dut.command_valid_i, dut.command_ready_o, (dut.command_i,))
        self.samples = Source(dut.sample_valid_i, dut.sample_ready_o, (dut.sample_i,))
        self.public = Source(dut.public_valid_i, dut.public_ready_o, (dut.public_i,))
        self.headers = Source(dut.header_valid_i, dut.header_ready_o, (dut.header_i,))
        self.beats = Sink(dut.beat_valid_o, dut.beat_ready_i, (dut.beat_o,))
        self.sides = (self.commands, self.samples, self.public, self.headers, self.beats)

    async def start(self) -> None:
        """Out of reset."""
        zero = [
            "command_i", "mask_seed_i", "noise_key_i", "prime_write_i", "prime_address_i",
            "prime_data_i",
            "key_forget_i", "key_write_i", "key_address_i", "key_data_i", "key_seal_i",
            "key_shape_i", "key_head_i", "sample_i", "public_i", "clear_i",
            "abort_i", "bus_error_i", "tag_key_i", "frame_nonce_i", "frame_cut_i", "frame_bare_i",
            "header_i",
        ]
        await start(self.dut, seeds_valid_i=1, **dict.fromkeys(zero, 0))
        await self.swept()

    async def swept(self) -> int:
        """Waits until the memories are zero after reset; the number of cycles."""
        return await cycles(self.dut, self.sides, lambda: not self.dut.busy_o.value,
                            SWEEP_CYCLES, (self.dut.busy_o,))

    async def describe(self, primes, ring_degree: int, plain: int = 0) -> None:
        """Writes the descriptors of all primes, for BFV with words of t."""
        for number, prime in enumerate(primes):
            for word, value in descriptor(prime, ring_degree, plain).items():
                await self.write_word(number, word, value)

    async def write_word(self, number: int, word: int, value: int) -> None:
        """One word of a descriptor."""
        self.dut.prime_address_i.value, self.dut.prime_data_i.value = 32 * number + word, value
        await self.pulse(self.dut.prime_write_i)

    async def pulse(self, signal) -> None:
        """Sets a signal for one cycle."""
        signal.value = 1
        await FallingEdge(self.dut.clk_i)
        signal.value = 0

    async def write_key(self, address: int, data: int) -> None:
        """Writes one word of the key slot, every other cycle: one lane's rate for ternary keys."""
        self.dut.key_address_i.value, self.dut.key_data_i.value = address, data
        await self.pulse(self.dut.key_write_i)
        if not self.key_words:
            await FallingEdge(self.dut.clk_i)

    async def write_secret(self, secret, rows, primes) -> None:
        """The secret key in the form that this engine keeps: ternary `secret`, or `rows` of
        NTT(s)."""
        if not self.key_words:
            place = ternary_place(len(secret))
            for index in range(0, len(secret), 2):
                await self.write_key(place + index // 2,
                                     secret[index] & 3 | (secret[index + 1] & 3) << 2)
            await self.seal(len(secret), len(primes))
            return
        words = [-value * radix(prime) % prime for row, prime in zip(rows, primes) for value in row]
        for address, word in enumerate(words):
            await self.write_key(address, word)
        await self.seal(len(secret), len(primes))

    async def seal(self, ring_degree: int, primes: int) -> None:
        """Tells that the digest was right; the key is valid if its words are whole."""
        await FallingEdge(self.dut.clk_i)
        self.dut.key_shape_i.value = (ring_degree.bit_length() - 1) << 5 | primes
        await self.pulse(self.dut.key_seal_i)
        await FallingEdge(self.dut.clk_i)

    def set_root(self, mask_seed: bytes, noise_key: bytes) -> None:
        """The randomness of one ciphertext."""
        self.dut.mask_seed_i.value = int.from_bytes(mask_seed[:32], "little")
        self.dut.noise_key_i.value = int.from_bytes(noise_key, "little")

    def pause(self, samples=always, public=always, beats=always) -> None:
        """Sets how often the other sides are ready."""
        self.samples.willing, self.public.willing, self.beats.willing = samples, public, beats

    def forget(self) -> None:
        """Drops all collected bytes and all beats to be sent."""
        for source in (self.commands, self.samples, self.public, self.headers):
            source.drop()
        self.beats.beats.clear()

    def give(self, command: Command, samples=(), public=()) -> None:
        """A command with its streams."""
        self.commands.add([(command.packed,)])
        wide = self.width != NARROW and command.opcode in (FORWARD, INVERSE)
        halves = (0, 32) if wide or command.sample == LONG else (0,)
        self.samples.add([(word >> half & 0xFFFFFFFF,) for word in samples for half in halves])
        self.public.add([(word,) for word in public])

    def ended(self) -> bool:
        """The done pulse."""
        return bool(self.dut.done_o.value)

    async def run(self, command: Command, samples=(), public=(), limit: int = 200_000) -> int:
        """Runs a whole operation; cycles from its command to its end."""
        self.give(command, samples, public)
        return await self.until_ended(limit)

    async def until_ended(self, limit: int = 200_000) -> int:
        """Runs what was given; cycles from its command to its end."""
        await FallingEdge(self.dut.clk_i)
        return await cycles(self.dut, self.sides, self.ended, limit, (self.dut.done_o,))

    async def stop(self, after: int) -> None:
        """Aborts what runs after so many cycles: nothing more comes out. Clears the error."""
        await idle(self.dut, self.sides, after)
        await self.pulse(self.dut.abort_i)
        await idle(self.dut, self.sides, 4)
        sent = len(self.beats.beats)
        await idle(self.dut, self.sides, 100)
        assert self.error == ABORT and len(self.beats.beats) == sent
        self.forget()
        await self.pulse(self.dut.clear_i)

    @property
    def error(self) -> int:
        """The sticky error."""
        return int(self.dut.error_o.value)

    def collected(self) -> bytes:
        """Packed bytes output so far."""
        return b"".join((beat >> 1).to_bytes(8, "little") for beat in self.beats.beats)

    def polynomials(self) -> int:
        """The number of beats marked as the last of their polynomial."""
        return sum(beat & 1 for beat in self.beats.beats)


def packed_rows(rows, primes) -> bytes:
    """Bytes that the engine sends for rows of residues."""
    return b"".join(pack(row, prime.bit_length()) for row, prime in zip(rows, primes))
