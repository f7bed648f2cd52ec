"""Records of a holder on a board (owners.md, section 4): its noise, single values, and contributions byte by byte."""

from math import prod

from ...model.owner_device import WORDS, BoardShare, noise, rounded
from .digest import sha3
from .inputs import counting_bytes, recurrence

SET = "bfv-4096x3-sum"
SHIFTS = (1, 31, 32, 33, 44, 58)
NOISE_OF_EACH = 8
# Residues of d beside 0, of its prime's middle, and the last one; noise; bits of the value.
EDGES = (0, 1, 2, -1, -2)
NOISES = (0, 1, -1, (1 << 60) - 1, -(1 << 60))
VALUE_BITS = (1, 22, 28)
# Number of the holder, threshold, holders, those who answer, b, m, contributions made before, and the board's own count.
CONTRIBUTIONS = ((1, 2, 3, (1, 3), 22, 44, 1, 1), (10, 4, 10, (1, 2, 9, 10), 28, 31, 4294967296, 3),
                 (2, 2, 2, (1, 2), 1, 58, 0, 1))


def records(sets):
    """The lists of records by name; empty without the set."""
    entry = next((entry for entry in sets if entry.name == SET), None)
    if entry is None:
        return {"board_noise": [], "board_values": [], "board_contributions": []}
    return {"board_noise": noise_records(), "board_values": value_records(entry),
            "board_contributions": [contribution_record(entry, *row) for row in CONTRIBUTIONS]}


def noise_records():
    """Noise of words of the recurrence, and of the least and the largest ones."""
    words = list(recurrence(NOISE_OF_EACH * WORDS)) + [0] * WORDS + [(1 << 32) - 1] * WORDS
    rows = [words[at:at + WORDS] for at in range(0, len(words), WORDS)]
    return [{"shift": shift, **{f"word_{at}": word for at, word in enumerate(row)}, "noise": noise(row, shift) % (1 << 64)}
            for shift in SHIFTS for row in rows]


def value_records(entry):
    """Values of d at the edges of rounding: d is such that the fraction is just below or at a half, and near 0 and Q."""
    modulus, found = prod(entry.data_primes), []
    for bits in VALUE_BITS:
        half = (modulus >> bits + 1) + 1  # about where 0 becomes 1
        for base in (0, modulus, half, half + (modulus >> 1)):
            for edge in EDGES:
                d = (base + edge) % modulus
                for drawn in NOISES:
                    found.append({"bits": bits, **{f"residue_{at}": d % prime for at, prime in enumerate(entry.data_primes)},
                                  "noise": drawn % (1 << 64), "value": rounded(d + drawn, modulus, bits)})
    return found


def contribution_record(entry, *row):
    """A share and a c1 by the recurrence, and what a board writes of them."""
    holder, threshold, holders, answering, bits, shift, used, own = row
    words = list(recurrence(2 * entry.ring_degree))
    rows = [[[word % prime for word in words[half::2]] for prime in entry.data_primes] for half in (0, 1)]
    held = BoardShare(entry, counting_bytes(0x11, 16), holder, threshold, holders, 1000, bits, shift, used, 1 << 40,
                      counting_bytes(0xd0), counting_bytes(0x90), rows[0])
    written = held.contribution(rows[1], answering, counting_bytes(0x50, 16), (counting_bytes(7), own))
    return {"set": entry.name, "holder": holder, "threshold": threshold, "holders": holders,
            "answering": "".join(f"{number:02x}" for number in answering), "bits": bits, "shift": shift, "used": used, "own": own,
            "share_sha3": sha3(held.blob()), "bytes": len(written), "sha3": sha3(written)}
