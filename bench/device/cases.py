"""The measured cases: sets, kinds of key, memory plans, suites, the memory surface, and single modules."""
from dataclasses import dataclass
from functools import cache
from math import prod

from bench.device.tfhe_cases import TfheCase, tfhe_cases
from spec.base.parameters import RingSet, read_sets
from spec.model import wire_codes as wire

SETS = {
    "ckks-4096x3": "ckks-4096x3-seal-embedded-30",
    "ckks-4096x3m": "ckks-4096x3-multiply",
    "ckks-4096x2": "ckks-4096x2-linear",
    "ckks-8192x6": "ckks-8192x6-seal-embedded",
    "ckks-16384x13": "ckks-16384x13-seal-embedded",
    "ckks-1024x1": "ckks-1024x1-sum",
    "ckks-1024x1e": "ckks-1024x1-seal-embedded",
    "ckks-2048x1": "ckks-2048x1-sum",
    "ckks-2048x1e": "ckks-2048x1-seal-embedded",
    "ckks-4096x3e": "ckks-4096x3-seal-embedded-27",
    "ckks-4096x3s": "ckks-4096x3-sum",
    "ckks-8192x6m": "ckks-8192x6-multiply",
    "ckks-16384x13m": "ckks-16384x13-multiply",
    "ckks-8192x3w": "ckks-8192x3w-sum",
    "bfv-1024x1": "bfv-1024x1-count",
    "bfv-2048x1": "bfv-2048x1-count",
    "bfv-4096x2": "bfv-4096x2-linear",
    "bfv-4096x3": "bfv-4096x3-sum",
    "bfv-8192x6": "bfv-8192x6-multiply",
}
# Sets that are measured with rounded coefficients only, not with slots.
ROUNDED_SETS = {"air-2048x1": "ckks-2048x1-air", "air-2048x2": "ckks-2048x2-air", "air-bfv-2048x2": "bfv-2048x2-air"}
PLANS = {"fast": 1, "small": 4}
TARGETS = ("cortex-m4", "rv32im", "x86-64", "aarch64", "armv7a", "cortex-m55")
BOARDS = TARGETS[:2]  # whose cycles are modelled
# Cores of ports/cores.py that bench.device.cores measures, and the Cortex-M55 and Cortex-M4 with them.
FURTHER_TARGETS = ("cortex-m0plus", "cortex-m3", "cortex-m7", "cortex-m33", "rv32imc")
MAIN_TARGETS = TARGETS[:3]
COMPARED_TARGETS = TARGETS[:5]
# Cases of the Cortex-M55, whose vector kernels serve these sets like any other.
HELIUM_CASES = ("ckks-4096x3-sym-fast", "ckks-4096x3-pk-fast", "ckks-4096x3m-sym-fast", "ckks-4096x3m-pk-fast")

# Kinds of key blob (spec/wire.md, section 5).
KINDS = {"pk": wire.KEY_KIND_PUBLIC, "pkseed": wire.KEY_KIND_PUBLIC_SEEDED, "ternary": wire.KEY_KIND_SECRET_TERNARY,
         "sym": wire.KEY_KIND_SECRET_NTT}
# Public keys that are read one prime at a time, so that RAM holds one prime's blob.
SPLIT_KINDS = {"split": wire.KEY_KIND_PUBLIC_PRIME, "splitseed": wire.KEY_KIND_PUBLIC_SEEDED_PRIME}
SURFACE_SETS = ("ckks-1024x1", "ckks-4096x3", "ckks-4096x3m", "ckks-8192x6m", "ckks-16384x13m")
SURFACE_CHUNKS = (1, 2, 4, 8)
MOMENTS_COLUMNS, MOMENTS_DROPPED = 8, 7  # rows of 8 readings and 36 products, and the bits dropped from each coefficient
PACKET_READINGS, PACKET_DROPPED = {"one": 1, "ten": 10}, 5
MODULE_SETS = ("ckks-4096x3", "ckks-4096x3m")


@dataclass(frozen=True)
class ParameterSet:
    """The parts of a set of spec/params.toml that the benchmark needs."""

    name: str
    ring_degree: int
    primes: tuple[int, ...]
    log2_scale: int
    label: str
    plain_modulus: int = 0

    @property
    def scheme(self) -> str:
        """The scheme. Only BFV has a plaintext modulus."""
        return "bfv" if self.plain_modulus else "ckks"

    @property
    def has_primes64(self) -> bool:
        """True if a prime needs 64-bit words."""
        return max(self.primes) >= 1 << 30

    @property
    def symbol(self) -> str:
        """The set's name inside C symbols."""
        return self.name.replace("-", "_")

    def residue_bytes(self, polynomials: int) -> int:
        """Bytes of bit-packed residues of all primes."""
        return sum(self.ring_degree * prime.bit_length() // 8 for prime in self.primes) * polynomials


@dataclass(frozen=True)
class Rounding:
    """Rows of thirty rounded coefficients: the method (isopod/rounded.h), the bits dropped from c0 and c1, and whether a linear
    tag follows."""

    method: str
    dropped: tuple[int, int]
    columns: int = 30
    linear_tags: int = 0

    def body_bytes(self, parameters: ParameterSet, polynomials: int) -> int:
        """Bytes of the coefficients that are sent, and of the linear tags."""
        degree, bits = parameters.ring_degree, prod(parameters.primes).bit_length()
        counts = (degree // self.columns * self.columns, degree)[:polynomials]
        coefficients = sum((count * (bits - lost) + 7) // 8 for count, lost in zip(counts, self.dropped))
        return coefficients + wire.LINEAR_TAG_BYTES * self.linear_tags


@dataclass(frozen=True)
class Case:
    """A case gives one record per target, or one per module and target. `chunks` trades RAM for time; the plan `fast` has one
    chunk.

    backend: kernels other than the port's own. lean: short tables of twiddles. rounding: of rounded coefficients. is_total:
    RAM counts the readings, which lie in the workspace, the frame and the stack, too. readings: of a packet."""

    name: str
    set: ParameterSet
    kind: str
    chunks: int
    suite: str = "chacha20"
    targets: tuple[str, ...] = COMPARED_TARGETS
    backend: str = ""
    lean: bool = False
    rounding: Rounding | None = None
    is_total: bool = False
    readings: int = 0

    @property
    def body_bytes(self) -> int:
        """Bytes of the residues, or of the rounded coefficients."""
        polynomials = 1 if self.secret else 2
        return self.rounding.body_bytes(self.set, polynomials) if self.rounding else self.set.residue_bytes(polynomials)

    @property
    def secret(self) -> bool:
        """True for a secret key; c1 is then sent as a seed."""
        return self.kind in ("sym", "ternary")


@cache
def contract() -> dict[str, RingSet]:
    """All sets of spec/params.toml by name."""
    return {entry.name: entry for entry in read_sets()}


@cache
def parameter_sets() -> dict[str, ParameterSet]:
    """All sets by name, each with its default scale, 2^0 in BFV."""
    return {name: ParameterSet(name, entry.ring_degree, entry.data_primes, entry.log2_scale[1], entry.label, entry.plain_modulus)
            for name, entry in contract().items()}


def by_prefix(prefix: str) -> ParameterSet:
    """The set that cases of this prefix measure."""
    return parameter_sets()[(SETS | ROUNDED_SETS)[prefix]]


def targets_of(prefix: str, name: str) -> tuple[str, ...]:
    """The targets of an encryption. Application processors measure only the sets that are compared with other work."""
    targets = COMPARED_TARGETS if prefix in MODULE_SETS else MAIN_TARGETS
    return (*targets, "cortex-m55") if name in HELIUM_CASES else targets


def encryptions() -> list[Case]:
    """Every set with each kind of key and each memory plan; two sets also with the conservative suite."""
    named = [(f"{prefix}-{kind}-{plan}", prefix, kind, chunks)
             for prefix in SETS for kind in ("pk", "sym") for plan, chunks in PLANS.items()]
    cases = [Case(name, by_prefix(prefix), kind, chunks, targets=targets_of(prefix, name))
             for name, prefix, kind, chunks in named]
    return cases + [Case(f"{prefix}-sym-fast-shake256", by_prefix(prefix), "sym", 1, "shake256") for prefix in MODULE_SETS]


def variants() -> list[Case]:
    """Portable C on a port that has kernels of its own, then the short tables of twiddles, for comparison."""
    return [Case(f"ckks-4096x3m-{kind}-{plan}-{name}", by_prefix("ckks-4096x3m"), kind, chunks, targets=("cortex-m4",), **change)
            for name, change in (("portable", {"backend": "portable"}), ("lean", {"lean": True}))
            for kind in ("pk", "sym") for plan, chunks in PLANS.items()]


def totals() -> list[Case]:
    """A case that counts all RAM of an encryption: library, readings, frame and stack."""
    return [Case("ckks-4096x2-pk-small-total", by_prefix("ckks-4096x2"), "pk", 4, targets=BOARDS, is_total=True)]


def surface() -> list[Case]:
    """Every kind of key with every number of chunks, on the Cortex-M4; SEAL-Embedded's primes also on its other processor."""
    both = {("ckks-4096x3", kind): ("cortex-m4", "armv7a") for kind in ("pk", "sym")}
    return [Case(f"{prefix}-surface-{kind}-{chunks}", by_prefix(prefix), kind, chunks,
                 targets=both.get((prefix, kind), ("cortex-m4",)))
            for prefix in SURFACE_SETS for kind in KINDS for chunks in SURFACE_CHUNKS]


def modules() -> list[Case]:
    """The modules of an encryption, each measured alone; one set on the Cortex-A7, too, and its sampling with the conservative
    suite."""
    cases = [Case(f"{prefix}-module", by_prefix(prefix), "modules", 1, targets=(*BOARDS, *further))
             for prefix, further in zip(MODULE_SETS, (("armv7a",), ()), strict=True)]
    return [*cases, Case("ckks-4096x3-module-shake256", by_prefix("ckks-4096x3"), "modules", 1, "shake256", BOARDS)]


def split_keys() -> list[Case]:
    """Public keys that do not fit into the board's RAM: of three primes, and of the largest set."""
    return [Case(f"{prefix}-{kind}-small", by_prefix(prefix), kind, 4, targets=BOARDS)
            for prefix in ("ckks-4096x3", "ckks-16384x13m") for kind in SPLIT_KINDS]


def decryptions() -> list[Case]:
    """Results at one or three primes of 30 bits, and at three of 54. `chunks` is the number of primes that are left."""
    narrow = [Case(f"ckks-4096x{primes}-decrypt", by_prefix("ckks-4096x3"), "decrypt", primes) for primes in (1, 3)]
    return [*narrow, Case("bfv-4096x3-decrypt", by_prefix("bfv-4096x3"), "decrypt", 3),
            Case("ckks-8192x3w-decrypt", by_prefix("ckks-8192x3w"), "decrypt", 3, targets=MAIN_TARGETS)]


def rounded() -> list[Case]:
    """Rounded coefficients of one and of two primes."""
    small, large = by_prefix("ckks-1024x1"), by_prefix("air-2048x1")
    precise = by_prefix("air-2048x2")
    rows = (("1024x1-sym", small, "sym", "secret", (4, 0)), ("2048x1-sym", large, "sym", "secret", (7, 0)),
            ("2048x1-pk", large, "pk", "public", (7, 3)), ("2048x1-pk-small", large, "pk", "public_small", (7, 3)),
            ("2048x2-sym", precise, "sym", "secret", (20, 0)),
            ("2048x2-pk-small", precise, "pk", "public_small", (18, 13)))
    return [Case(f"air-{name}", set, kind, 1, targets=MAIN_TARGETS, rounding=Rounding(method, dropped))
            for name, set, kind, method, dropped in rows]


def linear_tags() -> list[Case]:
    """Rounded coefficients with a linear tag of places, and with one of columns, too."""
    return [Case(f"air-2048x2-sym-verified{suffix}", by_prefix("air-2048x2"), "sym", 1, targets=MAIN_TARGETS,
                 rounding=Rounding("secret", (20, 0), linear_tags=tags)) for tags, suffix in ((1, ""), (2, "-columns"))]


def rounded_integers() -> list[Case]:
    """Rounded coefficients that are exact integers."""
    rows = (("sym", "secret", (1, 0)), ("pk-small", "public_small", (7, 2)))
    return [Case(f"air-bfv-2048x2-{name}", by_prefix("air-bfv-2048x2"), name.split("-")[0], 1, targets=MAIN_TARGETS,
                 rounding=Rounding(method, dropped)) for name, method, dropped in rows]


def moments() -> list[Case]:
    """Rows of readings with their products, which the device computes."""
    return [Case(f"moments-{MOMENTS_COLUMNS}", by_prefix("air-2048x1"), "moments", 1, targets=MAIN_TARGETS)]


def packets() -> list[Case]:
    """Packets of a few readings of 12 bits, without a transform."""
    return [Case(f"packet-{name}-{count}", by_prefix(prefix), "packet", 1, targets=MAIN_TARGETS, readings=readings)
            for name, prefix in (("1024", "ckks-1024x1"), ("2048", "air-2048x1"), ("bfv-1024", "bfv-1024x1"))
            for count, readings in PACKET_READINGS.items()]


def pads() -> list[Case]:
    """A packet of ten integers of 16 bits under pads, which know no set."""
    return [Case("pads-ten", by_prefix("ckks-1024x1"), "pad", 1, targets=MAIN_TARGETS, readings=10)]


def contributions() -> list[Case]:
    """A holder's contribution to a result under a key of several owners, on the microcontroller of the budget."""
    return [Case("m4-contribute", by_prefix("bfv-4096x3"), "contribute", 1, targets=TARGETS[:1])]


def key_pairs() -> list[Case]:
    """Public keys that the device makes, of three primes of 30 bits and of three of 54; and the short check of a key in flash."""
    return [Case("keygen-4096x3-pk", by_prefix("ckks-4096x3"), "keygen", 1),
            Case("keygen-8192x3w-pk", by_prefix("ckks-8192x3w"), "keygen", 1, targets=MAIN_TARGETS),
            Case("key-open", by_prefix("ckks-4096x2"), "open", 1, targets=MAIN_TARGETS)]


def built_tables() -> list[Case]:
    """Tables that a board builds in memory at start."""
    return [Case("tables-4096x3", by_prefix("ckks-4096x3m"), "tables", 1, targets=BOARDS[:1])]


def on_cores() -> list[Case]:
    """Encryptions that every 32-bit microcontroller measures: sets of label 128 up to degree 4096, and rounded coefficients."""
    prefixes = ("ckks-1024x1", "ckks-2048x1", "ckks-4096x2", "ckks-4096x3m", "bfv-1024x1", "bfv-2048x1", "bfv-4096x2")
    slots = [Case(f"{prefix}-{kind}-{plan}", by_prefix(prefix), kind, chunks)
             for prefix in prefixes for kind in ("pk", "sym") for plan, chunks in PLANS.items()]
    return slots + rounded()


def calls() -> list[Case]:
    """Frames by public key of which every call is measured."""
    slots = [Case(f"calls-{prefix}-{chunks}", by_prefix(prefix), "calls", chunks, targets=TARGETS[:1])
             for prefix, chunks in (("ckks-1024x1", 1), ("ckks-1024x1", 4), ("ckks-4096x2", 4))]
    return [Case("calls-air-2048x1", by_prefix("air-2048x1"), "calls", 1, targets=TARGETS[:1],
                 rounding=Rounding("public_small", (7, 3))), *slots]


def small_packets() -> list[Case]:
    """Packets that the smallest 32-bit microcontrollers measure."""
    return [case for case in packets() if case.name.startswith("packet-1024-")]


def all_cases() -> list[Case | TfheCase]:
    """All cases, in the order of device.json."""
    return (encryptions() + variants() + split_keys() + rounded() + linear_tags() + rounded_integers() + decryptions()
            + contributions() + key_pairs() + built_tables() + totals() + moments() + packets() + pads() + calls() + modules()
            + surface() + tfhe_cases())
