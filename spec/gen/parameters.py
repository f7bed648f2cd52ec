"""Reads parameter sets from TOML into checked-shape records. What their values must satisfy is in checks.py."""

import hashlib
import tomllib
from dataclasses import dataclass
from functools import cached_property
from math import prod
from pathlib import Path

from .arithmetic import minimal_root

SPEC_FOLDER = Path(__file__).resolve().parent.parent
PARAMETER_FILE = SPEC_FOLDER / "params.toml"

FIELD_TYPES = {
    "name": str,
    "ring_degree": int,
    "data_primes": list,
    "special_prime": int,
    "key_switching": bool,
    "label": str,
    "log2_scale": list,
    "purpose": str,
}


class Refused(Exception):
    """A parameter set that is not used. The text names the set, the field and the allowed range."""


@dataclass(frozen=True)
class CkksSet:
    """One CKKS parameter set, field for field as in params.toml."""

    name: str
    ring_degree: int
    data_primes: tuple
    special_prime: int
    key_switching: bool
    label: str
    log2_scale: tuple
    purpose: str

    @property
    def log2_degree(self):
        return self.ring_degree.bit_length() - 1

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
        """The text whose hash is the set identity, ckks.md section 1."""
        primes = ",".join(str(prime) for prime in self.data_primes)
        return (
            f"isopod-v1 ckks n={self.ring_degree} q={primes} p={self.special_prime}"
            " error=cbd21 secret=ternary"
        )

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


def read_sets(path=PARAMETER_FILE):
    """The sets of one TOML file, in its order; Refused if the file does not have the shape of params.toml."""
    try:
        document = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise Refused(f"{path}: not readable as TOML: {error}") from error
    return sets_of(document, path)


def sets_of(document, origin):
    """As read_sets, from a parsed document; origin names it in refusals."""
    unknown = sorted(set(document) - {"ckks", "tfhe"})
    if unknown:
        raise Refused(f"{origin}: unknown table '{unknown[0]}'; allowed: [[ckks]]")
    entries = document.get("ckks", [])
    if not isinstance(entries, list) or not entries:
        raise Refused(f"{origin}: no [[ckks]] table; write one per parameter set")
    return [_set_of(entry, f"{origin}: set {number}") for number, entry in enumerate(entries, 1)]


def _set_of(entry, place):
    if not isinstance(entry, dict):
        raise Refused(f"{place}: not a table; write [[ckks]]")
    place = f"{place} ({entry.get('name', 'without name')})"
    for field in sorted(set(entry) - set(FIELD_TYPES)):
        raise Refused(f"{place}: unknown field '{field}'; allowed: {', '.join(FIELD_TYPES)}")
    for field, kind in FIELD_TYPES.items():
        if field not in entry:
            raise Refused(f"{place}: field '{field}' is missing")
        if type(entry[field]) is not kind:
            raise Refused(f"{place}: field '{field}' must be of type {kind.__name__}")
    for field in ("data_primes", "log2_scale"):
        if any(type(value) is not int for value in entry[field]):
            raise Refused(f"{place}: field '{field}' must hold integers only")
    return CkksSet(**{field: _frozen(entry[field]) for field in FIELD_TYPES})


def _frozen(value):
    return tuple(value) if isinstance(value, list) else value
