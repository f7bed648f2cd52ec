"""The record of a case of kind "decrypt": decryption and decoding of one sealed result."""
import random
import struct
from pathlib import Path
from types import SimpleNamespace

from bench.device import keys, linked, measure
from bench.device.cases import Case, ParameterSet, contract
from ports import emulate
from ports.emulate import BUILD, ROOT
from spec.model.bfv import message, plaintext, small_message
from spec.model.encode import Precision, encode
from spec.model.ntt import ntt
from spec.model.result import Claims, Grid, result
from spec.model.shapes import SLOTS

LINK_KEY = b"a link key of 32 bytes, which is"
NONCE = b"benchmark nonce!"

# Objects of encryption. A decryption must link none of them.
ENCRYPTION = ("encryption", "encryption_root", "chunk", "ckks", "bfv", "public_key", "secret_key", "message64", "frame", "root",
              "sample", "product", "fault_check")


def log2_scale(case: Case) -> int:
    """The set's default scale at one prime, 40 bits at more."""
    return case.set.log2_scale if case.chunks == 1 else 40


def decoder(case: Case) -> str:
    """The symbol of the smallest decoder that suffices."""
    prefix = "isopod64" if case.set.has_primes64 else "isopod"
    return f"{prefix}_{case.set.scheme}_decode{'_lean' if case.chunks == 1 else ''}"


def real_message(case: Case, generator: random.Random) -> list[int]:
    """The message of n/2 values in [-1, 1]."""
    values = [generator.randrange(-1 << 23, 1 << 23) / (1 << 23) for _ in range(case.set.ring_degree // 2)]
    return encode(values, Precision(case.set.ring_degree, log2_scale(case), 0))


def integer_message(case: Case, generator: random.Random) -> list[int]:
    """The message of n values modulo t."""
    parameters = SimpleNamespace(ring_degree=case.set.ring_degree, plain_modulus=case.set.plain_modulus,
                                 data_primes=case.set.primes)
    values = [generator.randrange(case.set.plain_modulus) for _ in range(case.set.ring_degree)]
    return message(small_message(plaintext(values, parameters, SLOTS), parameters, case.chunks), parameters, case.chunks)


def item(case: Case) -> bytes:
    """A sealed result at case.chunks primes, with a value in every slot.

    The benchmark's key is not the transform of a short polynomial, but c0 = NTT(m) + c1 * key holds for any key."""
    generator, parameters = random.Random(case.name), case.set
    primes = parameters.primes[:case.chunks]
    whole = parameters.plain_modulus != 0
    polynomial = (integer_message if whole else real_message)(case, generator)
    c1 = [[generator.randrange(prime) for _ in range(parameters.ring_degree)] for prime in primes]
    bits = 64 if parameters.has_primes64 else 32
    c0 = [multiply_add(ntt(polynomial, prime), row, from_montgomery(key, bits, prime), prime)
          for row, key, prime in zip(c1, key_rows(parameters), primes)]
    pair = SimpleNamespace(parameters=contract()[parameters.name], key_id=keys.KEY_ID)
    scale, slots = (1.0, parameters.ring_degree) if whole else (2.0 ** log2_scale(case), parameters.ring_degree // 2)
    claims = Claims(scale, Grid(0, 1, slots, slots))
    return result(pair, (c0, c1), claims, LINK_KEY, NONCE)


def key_rows(parameters: ParameterSet) -> list[tuple[int, ...]]:
    """The residues of the key blob, prime by prime, in Montgomery form."""
    form = struct.Struct(f"<{parameters.ring_degree}{'Q' if parameters.has_primes64 else 'I'}")
    return list(form.iter_unpack(keys.payload(parameters, "sym")))


def from_montgomery(key: tuple[int, ...], bits: int, prime: int) -> list[int]:
    """Residues from Montgomery form with R = 2^bits."""
    unit = pow(1 << bits, -1, prime)
    return [word * unit % prime for word in key]


def multiply_add(row: list[int], factors: list[int], key: list[int], prime: int) -> list[int]:
    """The residues row + factors * key."""
    return [(value + factor * word) % prime for value, factor, word in zip(row, factors, key)]


def files(case: Case) -> tuple[Path, Path]:
    """Writes the key and the result once; their paths."""
    key, sealed = BUILD / "bench" / f"{case.set.name}-sym.key", BUILD / "bench" / f"{case.name}.result"
    keys.write(ROOT / key, case.set, "sym")
    if not (ROOT / sealed).exists():
        (ROOT / sealed).write_bytes(item(case))
    return key, sealed


def record(case: Case, target: str) -> dict:
    """One record of device.json, with the private fields."""
    key, sealed = files(case)
    tables = measure.generate_tables(case.set.name, message64=case.chunks > 1 and case.set.scheme == "ckks")
    flags = measure.definitions({
        **measure.set_values(case), "PRIMES": case.chunks, "DECODER": decoder(case),
        "KEY_BYTES": keys.blob_bytes(case.set, "sym"), "RESULT_BYTES": (ROOT / sealed).stat().st_size})
    elf = emulate.build_app(measure.PORT_OF[target], f"bench-{case.name}", ["bench/device/decryption.c"], flags, (str(tables),))
    seen = measure.observe(elf, [str(key), str(sealed)], target)
    linked.check_without(seen.kept, ENCRYPTION)
    values = seen.values
    return measure.record(case, seen) | {
        "primes": case.chunks,
        "ram_bytes": values["ram_bytes"],
        "ram_bytes_framed": values["ram_bytes"] + values["result_bytes"],
        "flash_table_bytes": linked.table_bytes(seen.kept, tables.stem),
        "flash_key_bytes": keys.blob_bytes(case.set, "sym"),
        "wire_bytes": (ROOT / sealed).stat().st_size,
        "digests": (values["bare_digest"], values["sealed_digest"]),
    }
