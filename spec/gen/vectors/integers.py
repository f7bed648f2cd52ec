"""Records of BFV: messages, frames and decryptions."""

from ...model.bfv import decode, message, plaintext, round_plain, small_message
from ...model.encryption import decrypt, encrypt
from ...model.frame import Claims, Encoding, frame
from ...model.shapes import COEFFICIENTS, SLOTS, SLOTS_REPEATED
from ...model.streams import BFV_KINDS, CHACHA20, SUITES, is_public
from ..checks import public_noise_bound
from .ciphertexts import INTERLEAVES, SENDER, described, identity_of, pair_of, source_of
from .digest import digest, sha3, words
from .inputs import integers_of


def shapes(parameters):
    """The shapes to record: (number rule, layout, count)."""
    degree = parameters.ring_degree
    yield from (("u32", SLOTS, degree), ("s32", SLOTS, degree), ("u32", SLOTS, 5), ("s32", SLOTS_REPEATED, 1),
                ("u32", SLOTS_REPEATED, 32), ("s32", COEFFICIENTS, degree), ("u32", COEFFICIENTS, 5))


def bfv_messages(sets):
    for entry in sets:
        for rule, layout, count in shapes(entry):
            polynomial = plaintext(integers_of(count, rule, entry.plain_modulus), entry, layout)
            for level in range(1, len(entry.data_primes) + 1):
                yield {"set": entry.name, "level": level, "numbers": rule, "layout": layout, "count": count,
                       "plaintext_sha3": sha3(words(polynomial)), **digest(small_message(polynomial, entry, level), 32)}


def fits(parameters, level, kind):
    """True if the rule of bfv.md, section 5, holds."""
    bound = public_noise_bound(parameters.ring_degree) if is_public(kind) else 22
    return parameters.at_level(level).modulus >= 2 * parameters.plain_modulus * bound


def bfv_cases(sets):
    """(pair, level, kind, suite, shape) for every level. Each has one suite, but the first shape at the full level has all
    suites."""
    for entry in sets:
        pair = pair_of(entry)
        for index, shape in enumerate(shapes(entry)):
            for level in range(1, len(entry.data_primes) + 1):
                full = level == len(entry.data_primes)
                for kind in BFV_KINDS:
                    for suite in SUITES if full and index == 0 else (CHACHA20,):
                        if (full or index in (1, 5)) and fits(entry, level, kind):
                            yield pair, level, kind, suite, shape


def bfv_ciphertexts(sets):
    """The lists bfv_frames and bfv_decryption."""
    frames, decryptions = [], []
    for pair, level, kind, suite, (rule, layout, count) in bfv_cases(sets):
        entry = pair.parameters
        values = integers_of(count, rule, entry.plain_modulus)
        polynomial = plaintext(values, entry, layout)
        small = message(small_message(polynomial, entry, level), entry, level)
        letter = "I" if rule == "u32" else "i"
        label = {"set": entry.name, "kind": kind, "suite": suite, "numbers": rule, "level": level, "layout": layout,
                 "count": count}
        every = is_public(kind) and suite == CHACHA20 and (rule, layout) == ("u32", SLOTS)
        for interleave in INTERLEAVES if every else (1,):
            encoding = Encoding(0, count, interleave, Claims(entry.plain_modulus // 2), layout)
            source = described(source_of(values, letter), identity_of(pair, kind, suite, level), encoding, letter)
            ciphertext = encrypt(pair, small, source, kind, suite, level)
            parts = frame(pair, ciphertext, SENDER, encoding)
            frames.append({**label, "interleave": interleave, "bytes": sum(map(len, parts)),
                           "sha3": sha3(b"".join(parts))})
        if suite == CHACHA20:
            decryptions.append({**label, **decryption(pair, ciphertext, (small, level, layout))})
    return {"bfv_frames": frames, "bfv_decryption": decryptions}


def decryption(pair, ciphertext, case):
    small, level, layout = case
    noisy, modulus = decrypt(pair, ciphertext), pair.parameters.at_level(level).modulus
    read = round_plain if layout == COEFFICIENTS else decode
    noise = [(got - sent + modulus // 2) % modulus - modulus // 2 for got, sent in zip(noisy, small)]
    return {"largest_noise": max(map(abs, noise)), **digest(read(noisy, pair.parameters, level))}
