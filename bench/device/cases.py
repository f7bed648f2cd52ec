"""What is measured: sets, kinds of key, memory plans and suites."""
import tomllib
from dataclasses import dataclass
from functools import cache

from ports.emulate import ROOT

SETS = {
    "ckks-4096x3": "ckks-4096x3-seal-embedded-30",
    "ckks-4096x3m": "ckks-4096x3-multiply",
    "ckks-4096x2": "ckks-4096x2-linear",
    "ckks-8192x6": "ckks-8192x6-seal-embedded",
    "ckks-16384x13": "ckks-16384x13-seal-embedded",
    "ckks-1024x1": "ckks-1024x1-sum",
    "ckks-2048x1": "ckks-2048x1-sum",
    "ckks-4096x3s": "ckks-4096x3-sum",
    "ckks-8192x6m": "ckks-8192x6-multiply",
    "ckks-16384x13m": "ckks-16384x13-multiply",
}
PLANS = {"fast": 1, "small": 4}


@dataclass(frozen=True)
class ParameterSet:
    """A set of spec/params.toml, as far as the benchmark needs it."""

    name: str
    ring_degree: int
    primes: tuple[int, ...]
    special_prime: int
    log2_scale: int

    @property
    def symbol(self) -> str:
        """The set's name inside C symbols."""
        return self.name.replace("-", "_")

    def residue_bytes(self, polynomials: int) -> int:
        """Bytes of bit-packed residues of all primes."""
        return sum(self.ring_degree * prime.bit_length() // 8 for prime in self.primes) * polynomials


@dataclass(frozen=True)
class Case:
    """One record per target. chunks is the memory dial of the library; fast is 1."""

    name: str
    set: ParameterSet
    secret: bool
    chunks: int
    suite: str


@cache
def parameter_sets() -> dict[str, ParameterSet]:
    """All CKKS sets of the contract by name."""
    entries = tomllib.loads((ROOT / "spec/params.toml").read_text())["ckks"]
    return {entry["name"]: read_set(entry) for entry in entries}


def read_set(entry: dict) -> ParameterSet:
    """One table of params.toml; its default scale."""
    return ParameterSet(entry["name"], entry["ring_degree"], tuple(entry["data_primes"]), entry["special_prime"],
                        entry["log2_scale"][1])


def all_cases() -> list[Case]:
    """Every set with each kind of key and each memory plan, and one case of the conservative suite."""
    cases = [Case(f"{prefix}-{kind}-{plan}", parameter_sets()[name], kind == "sym", chunks, "chacha20")
             for prefix, name in SETS.items() for kind in ("pk", "sym") for plan, chunks in PLANS.items()]
    shake = parameter_sets()[SETS["ckks-4096x3"]]
    return [*cases, Case("ckks-4096x3-sym-fast-shake256", shake, True, 1, "shake256")]
