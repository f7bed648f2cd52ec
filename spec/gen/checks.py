"""Proves that a parameter set is sound before anything is written from it: primes, roots, security label, noise."""

import re
import tomllib
from pathlib import Path

from ..base.arithmetic import is_prime
from ..base.parameters import PARAMETER_FILE, SECURITY_TABLE, Refused, read_sets, refuse

DEGREES = (1024, 2048, 4096, 8192, 16384, 32768)
# SEAL takes moduli of at most 60 bits.
SPECIAL_PRIME_LIMIT = (1 << 60) - 1
DATA_PRIME_RANGE = (1 << 20, SPECIAL_PRIME_LIMIT)
SCALE_RANGE = (10, 57)
PLAIN_LIMIT = 1 << 30
NAME_PATTERN = re.compile(r"(ckks|bfv)-([0-9]+)x([0-9]+)(w?)-[a-z0-9]+(?:-[a-z0-9]+)*")
NAME_LENGTH_LIMIT = 48
TEXT_PATTERN = re.compile(r"[ !#-\[\]-~]+")


def check_file(path=PARAMETER_FILE):
    """Checks the sets of a file and returns them. A file other than params.toml must not repeat a set of params.toml."""
    sets = read_sets(path)
    own = PARAMETER_FILE.resolve() == Path(path).resolve()
    check_sets(sets, [] if own else read_sets(PARAMETER_FILE))
    return sets


def check_sets(sets, taken=()):
    """Refuses the first set that breaks a rule, or that repeats a name or an identity from `taken`."""
    limits = read_limits()
    names = {entry.name: entry for entry in taken}
    identities = {entry.set_id: entry for entry in taken}
    for entry in sets:
        check_set(entry, limits)
        if entry.name in names:
            raise Refused(f"{entry.name}: field 'name' is taken; names must be unique")
        if entry.set_id in identities:
            other = identities[entry.set_id].name
            raise Refused(f"{entry.name}: same degree and primes as '{other}'; use that set")
        names[entry.name] = identities[entry.set_id] = entry


def check_set(entry, limits):
    """Checks all rules that concern one set alone. `limits` maps a label to its log2 QP limit per degree."""
    _check_degree(entry)
    _check_name(entry)
    _check_primes(entry)
    _check_special(entry)
    if entry.scheme == "ckks":
        _check_scale(entry)
    else:
        _check_plain(entry)
    _check_label(entry, limits)


def _check_degree(entry):
    if entry.ring_degree not in DEGREES:
        refuse(entry, "ring_degree", f"{entry.ring_degree} is not a power of two from {DEGREES[0]} to {DEGREES[-1]}")


def _check_name(entry):
    match = NAME_PATTERN.fullmatch(entry.name)
    if not match or len(entry.name) > NAME_LENGTH_LIMIT:
        refuse(entry, "name", f"must be {entry.scheme}-<degree>x<primes>[w]-<words in a-z 0-9 ->, "
                f"at most {NAME_LENGTH_LIMIT} characters")
    shape = f"{entry.scheme}-{entry.ring_degree}x{len(entry.data_primes)}{'w' if entry.has_primes64 else ''}-"
    if not entry.name.startswith(shape):
        refuse(entry, "name", f"must begin with {shape}, as the set has it")
    if not TEXT_PATTERN.fullmatch(entry.purpose) or "*/" in entry.purpose:
        refuse(entry, "purpose", "must be one line of printable ASCII without quotes, backslashes and */")


def _check_primes(entry):
    if not entry.data_primes:
        refuse(entry, "data_primes", "must hold at least one prime")
    low, high = DATA_PRIME_RANGE
    for prime in entry.data_primes:
        if not low <= prime <= high:
            refuse(entry, "data_primes", f"{prime} is outside 2^20 .. 2^60 - 1")
        _check_ntt_prime(entry, "data_primes", prime)
    moduli = [*entry.data_primes, entry.special_prime]
    repeated = [prime for prime in moduli if moduli.count(prime) > 1]
    if repeated:
        refuse(entry, "data_primes", f"{repeated[0]} occurs twice; primes must be distinct")


def _check_ntt_prime(entry, field, prime):
    if not is_prime(prime):
        refuse(entry, field, f"{prime} is not a prime")
    if prime % (2 * entry.ring_degree) != 1:
        refuse(entry, field, f"{prime} is not 1 modulo 2n = {2 * entry.ring_degree}")


def _check_special(entry):
    special, largest = entry.special_prime, max(entry.data_primes)
    if special == 0 and not entry.key_switching:
        return
    if not 0 <= special <= SPECIAL_PRIME_LIMIT:
        refuse(entry, "special_prime", f"{special} is outside 0 .. 2^60 - 1; 0 means none")
    if entry.key_switching and special.bit_length() < largest.bit_length():
        refuse(entry, "special_prime", f"{special} is too small for key switching: at least as many bits as the largest "
                f"data prime, {largest.bit_length()}, and less than 2^60; or set key_switching = false")
    _check_ntt_prime(entry, "special_prime", special)


def _check_scale(entry):
    low, high = SCALE_RANGE
    scale = entry.log2_scale
    if len(scale) != 3 or not low <= scale[0] <= scale[1] <= scale[2] <= high:
        refuse(entry, "log2_scale", f"must be [smallest, default, largest], ascending within {low} .. {high}")
    room = entry.modulus.bit_length() - 2
    if scale[2] > room:
        refuse(entry, "log2_scale", f"largest scale 2^{scale[2]} is not below half of Q; at most 2^{room}")


def public_noise_bound(ring_degree):
    """A bound of more than 13 standard deviations on the noise of a public-key encryption (bfv.md, section 5)."""
    log2_degree = ring_degree.bit_length() - 1
    return (51, 73)[log2_degree % 2] << log2_degree // 2


def _check_plain(entry):
    plain, degree = entry.plain_modulus, entry.ring_degree
    if not 2 * degree < plain < PLAIN_LIMIT:
        refuse(entry, "plain_modulus", f"{plain} is outside 2n + 1 .. 2^30 - 1, n = {degree}")
    _check_ntt_prime(entry, "plain_modulus", plain)
    if plain in (*entry.data_primes, entry.special_prime):
        refuse(entry, "plain_modulus", f"{plain} is one of the primes of the chain; it must differ from all of them")
    if entry.modulus < 2 * plain * public_noise_bound(degree):
        most = entry.modulus // (2 * public_noise_bound(degree))
        refuse(entry, "plain_modulus", f"{plain} leaves no room for the noise of one encryption; at most {most}")


def _check_label(entry, limits):
    if entry.label not in limits:
        allowed = ", ".join(f'"{name}"' for name in limits)
        refuse(entry, "label", f'"{entry.label}" is unknown; allowed: {allowed}')
    bits = entry.published_bits
    fitting = [label for label in limits if bits <= limits[label][entry.ring_degree]]
    ranges = ", ".join(f'"{label}" up to {limit[entry.ring_degree]}' for label, limit in limits.items())
    where = f"log2 QP is {bits}; allowed at n = {entry.ring_degree}: {ranges}"
    if not fitting:
        refuse(entry, "label", f"no label fits, {where}; use smaller or fewer primes")
    if entry.label != fitting[0]:
        refuse(entry, "label", f'"{entry.label}" is wrong, {where}; this set is "{fitting[0]}"')


def read_limits(path=SECURITY_TABLE):
    """Label -> {ring degree: largest log2 QP}, strongest label first. The table must justify its own limits."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    limits = {}
    for label in table["label"]:
        limits[label["name"]] = {int(degree): bits for degree, bits in label["limits"].items()}
        for degree, bits in limits[label["name"]].items():
            _check_limit(table, label, degree, bits)
    return limits


def _check_limit(table, label, degree, bits):
    rows = [row for row in table["estimates"][str(degree)] if row["log2_q"] == bits]
    strengths = [row[attack] for row in rows for attack in ("usvp", "dual_hybrid")]
    if not strengths or min(strengths) < label["floor"]:
        raise Refused(f"security-table.toml: label {label['name']}: the limit {bits} at n = {degree} "
                      f"has no estimate of at least {label['floor']} bits")
