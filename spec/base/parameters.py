"""Reads parameter sets from TOML and checks the shape of every record; checks.py proves the values."""

import hashlib
import tomllib
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from pathlib import Path

from .arithmetic import minimal_root

SPEC_FOLDER = Path(__file__).resolve().parent.parent
PARAMETER_FILE = SPEC_FOLDER / "params.toml"
SECURITY_TABLE = SPEC_FOLDER / "security-table.toml"

# Data primes below this are computed in 32-bit words.
PRIME32_LIMIT = 1 << 30

COMMON_TYPES = {
    "name": str,
    "ring_degree": int,
    "data_primes": list,
    "special_prime": int,
    "key_switching": bool,
    "label": str,
    "purpose": str,
}


class Refused(Exception):
    """A parameter set that breaks a rule. The text names the set, the field and the allowed range."""


@dataclass(frozen=True)
class RingSet:
    """The fields that the sets of both schemes share, named as in params.toml."""

    name: str
    ring_degree: int
    data_primes: tuple
    special_prime: int
    key_switching: bool
    label: str
    purpose: str

    @property
    def log2_degree(self):
        return self.ring_degree.bit_length() - 1

    @property
    def has_primes64(self):
        """Whether a data prime needs 64-bit words; if one does, all do."""
        return max(self.data_primes, default=0) >= PRIME32_LIMIT

    @property
    def word_bits(self):
        """The width of the words that hold residues in key blobs and digests."""
        return 64 if self.has_primes64 else 32

    @property
    def modulus(self):
        """Q, the product of the data primes."""
        return prod(self.data_primes)

    @property
    def published_bits(self):
        """Bit length of QP: data primes times the special prime, if there is one."""
        return (self.modulus * max(self.special_prime, 1)).bit_length()

    @property
    def identity_text(self):
        """The text whose hash is the set identity, ckks.md section 1 and bfv.md section 1."""
        primes = ",".join(str(prime) for prime in self.data_primes)
        return (
            f"isopod-v1 {self.scheme} n={self.ring_degree} q={primes} p={self.special_prime}{self.identity_extra}"
            " error=cbd21 secret=ternary"
        )

    def at_level(self, level):
        """The set with only its first `level` data primes. Its identity differs from that of the whole set."""
        return replace(self, data_primes=self.data_primes[:level])

    @cached_property
    def set_id(self):
        return hashlib.sha3_256(self.identity_text.encode("ascii")).digest()[:8]

    @cached_property
    def roots(self):
        """Minimal primitive 2n-th root of each data prime."""
        return tuple(minimal_root(prime, self.ring_degree) for prime in self.data_primes)

    @property
    def identifier(self):
        """The name as part of a C identifier."""
        return self.name.replace("-", "_")


@dataclass(frozen=True)
class CkksSet(RingSet):
    """One CKKS parameter set."""

    log2_scale: tuple
    scheme = "ckks"
    identity_extra = ""
    plain_modulus = 0


@dataclass(frozen=True)
class BfvSet(RingSet):
    """One BFV parameter set; t is its plaintext modulus, the scale is always 1."""

    plain_modulus: int
    scheme = "bfv"
    log2_scale = (0, 0, 0)

    @property
    def identity_extra(self):
        return f" t={self.plain_modulus}"

    @cached_property
    def plain_root(self):
        """Minimal primitive 2n-th root modulo t."""
        return minimal_root(self.plain_modulus, self.ring_degree)


SCHEMES = {
    "ckks": (CkksSet, {**COMMON_TYPES, "log2_scale": list}),
    "bfv": (BfvSet, {**COMMON_TYPES, "plain_modulus": int}),
}


def read_sets(path=PARAMETER_FILE):
    """The sets of one TOML file, in its order; Refused if the file does not have the shape of params.toml."""
    try:
        document = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise Refused(f"{path}: not readable as TOML: {error}") from error
    return sets_of(document, path)


def sets_of(document, origin):
    """The sets of a parsed document; `origin` names it in refusals."""
    unknown = sorted(set(document) - set(SCHEMES) - {"tfhe"})
    if unknown:
        raise Refused(f"{origin}: unknown table '{unknown[0]}'; allowed: [[ckks]], [[bfv]]")
    found = []
    for scheme in SCHEMES:
        entries = document.get(scheme, [])
        if not isinstance(entries, list):
            raise Refused(f"{origin}: '{scheme}' is not a list of tables; write [[{scheme}]]")
        found += [_set_of(entry, scheme, f"{origin}: {scheme} set {number}") for number, entry in enumerate(entries, 1)]
    if not found:
        raise Refused(f"{origin}: no [[ckks]] or [[bfv]] table; write one per parameter set")
    return found


def refuse(entry, field, problem):
    """Refuses a set for one of its fields."""
    raise Refused(f"{entry.name}: field '{field}': {problem}")


def _set_of(entry, scheme, place):
    if not isinstance(entry, dict):
        raise Refused(f"{place}: not a table; write [[{scheme}]]")
    kind_of_set, types = SCHEMES[scheme]
    check_types(entry, types, f"{place} ({entry.get('name', 'without name')})")
    return kind_of_set(**{field: _frozen(entry[field]) for field in types})


def check_types(entry, types, place):
    """Refuses an entry with an unknown or missing field, or one of another type."""
    for field in sorted(set(entry) - set(types)):
        raise Refused(f"{place}: unknown field '{field}'; allowed: {', '.join(types)}")
    for field, kind in types.items():
        if field not in entry:
            raise Refused(f"{place}: field '{field}' is missing")
        if type(entry[field]) is not kind:
            raise Refused(f"{place}: field '{field}' must be of type {kind.__name__}")
        if kind is list and any(type(value) is not int for value in entry[field]):
            raise Refused(f"{place}: field '{field}' must hold integers only")


def _frozen(value):
    return tuple(value) if isinstance(value, list) else value
