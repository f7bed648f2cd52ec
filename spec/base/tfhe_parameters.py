"""TFHE parameter sets (tfhe.md, section 1): their records and the rules that each must satisfy."""

import hashlib
import re
import tomllib
from dataclasses import dataclass, fields
from functools import cached_property

from .arithmetic import is_prime, minimal_root
from .parameters import PARAMETER_FILE, SECURITY_TABLE, Refused, check_types, refuse

# The prime nearest to 2^32 / 30 that is 1 modulo 4096: sums of 2048 16-bit digits are at most 0.469 of it, and one
# multiplication by 30 finds its nearest multiple exactly.
PRIME = 143142913
RINGS = {(1024, 32), (2048, 64)}
SECRETS = ("binary", "ternary")
NAME_PATTERN = re.compile(r"tfhe-([0-9]+)-[a-z0-9]+(?:-[a-z0-9]+)*")
NOISE_PATTERN = re.compile(r"(?:tuniform([0-9]+)|gaussian7)")


@dataclass(frozen=True)
class TfheSet:
    """One TFHE parameter set, field for field as in params.toml."""

    name: str
    ring_degree: int
    log2_modulus: int
    secret: str
    noise: str
    message_bits: int
    log2_delta: int
    centred: bool
    label: str
    purpose: str

    @property
    def identifier(self):
        """The name as part of a C identifier."""
        return self.name.replace("-", "_")

    @property
    def word_bytes(self):
        return self.log2_modulus // 8

    @property
    def digits(self):
        """16-bit digits of a coefficient."""
        return self.log2_modulus // 16

    @property
    def tuniform_bits(self):
        """B of tuniformB, or 0."""
        return int(NOISE_PATTERN.fullmatch(self.noise)[1] or 0)

    @property
    def identity_text(self):
        """The text whose hash is the set identity."""
        return (f"isopod-v1 tfhe n={self.ring_degree} q=2^{self.log2_modulus} secret={self.secret} noise={self.noise}"
                f" bits={self.message_bits} delta={self.log2_delta} centred={int(self.centred)} p={PRIME}")

    @cached_property
    def set_id(self):
        return hashlib.sha3_256(self.identity_text.encode("ascii")).digest()[:8]

    @cached_property
    def root(self):
        """The smallest primitive 2N-th root modulo PRIME."""
        return minimal_root(PRIME, self.ring_degree)


def tfhe_sets(path=PARAMETER_FILE):
    """The TFHE sets of a file after every check, in its order."""
    entries = tomllib.loads(path.read_text(encoding="utf-8")).get("tfhe", [])
    sets = [_set_of(entry) for entry in entries]
    check_tfhe_sets(sets)
    return sets


def _set_of(entry):
    check_types(entry, {field.name: field.type for field in fields(TfheSet)}, f"[[tfhe]] {entry.get('name', 'without name')}")
    return TfheSet(**entry)


def check_tfhe_sets(sets):
    """Refuses the first set that breaks a rule, or repeats a name or an identity."""
    if not is_prime(PRIME) or PRIME % 4096 != 1 or 3 * PRIME <= 25 << 24 or abs(30 * PRIME - (1 << 32)) > PRIME >> 7:
        raise Refused(f"{PRIME} is not a prime near 2^32 / 30 that is 1 modulo 4096")
    seen = set()
    for entry in sets:
        _check_shape(entry)
        _check_message(entry)
        _check_label(entry)
        if {entry.name, entry.set_id} & seen:
            raise Refused(f"{entry.name}: same name or numbers as another set; use that set")
        seen |= {entry.name, entry.set_id}


def _check_shape(entry):
    match = NAME_PATTERN.fullmatch(entry.name)
    if not match or int(match[1]) != entry.ring_degree:
        refuse(entry, "name", f"must be tfhe-{entry.ring_degree}-<words in a-z 0-9 ->")
    if (entry.ring_degree, entry.log2_modulus) not in RINGS:
        refuse(entry, "ring_degree", "allowed with log2_modulus: 1024 with 32, 2048 with 64")
    if entry.secret not in SECRETS:
        refuse(entry, "secret", f"allowed: {', '.join(SECRETS)}")
    if not NOISE_PATTERN.fullmatch(entry.noise) or entry.tuniform_bits > 29:
        refuse(entry, "noise", "allowed: tuniform<0 to 29>, gaussian7")


def _check_message(entry):
    if entry.message_bits not in (1, 2, 4):
        refuse(entry, "message_bits", "allowed: 1, 2, 4; integers are whole numbers of blocks")
    top = entry.message_bits + entry.log2_delta
    if top > entry.log2_modulus - 1:
        refuse(entry, "log2_delta", f"at most {entry.log2_modulus - 1 - entry.message_bits}, for the padding bit")


def _check_label(entry):
    table = tomllib.loads(SECURITY_TABLE.read_text(encoding="utf-8"))["tfhe"]
    shape = (entry.ring_degree, entry.log2_modulus, entry.secret)
    rows = [row for row in table["estimates"] if (row["ring_degree"], row["log2_q"], row["secret"]) == shape]
    keys = [row for row in rows if entry.noise == row["noise"]]
    floors = table["floors"]
    if entry.label not in floors:
        refuse(entry, "label", f"allowed: {', '.join(floors)}")
    if not keys:
        refuse(entry, "noise", f"{entry.noise} has no estimate in security-table.toml")
    strength = min(min(row["usvp"], row["dual_hybrid"], row.get("cap", 999.0)) for row in keys)
    fitting = next(label for label, floor in floors.items() if strength >= floor)
    if entry.label != fitting:
        refuse(entry, "label", f'"{entry.label}" is wrong, the estimate is {strength}; this set is "{fitting}"')
