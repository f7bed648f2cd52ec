"""Records of several owners (owners.md): parts and shares of holders, and results that some of them open."""

from math import prod

from ...model.ntt import ntt
from ...model.owners import (
    Change,
    HolderPart,
    answer_mask,
    commitment,
    contribution,
    fractions,
    integers,
    joined,
    mask_seed,
    packed,
    pair_key,
    pair_mask,
    piece,
    session,
)
from .digest import sha3, words
from .inputs import counting_bytes, recurrence

# Set, holders, threshold, those who answer, bits of a value.
CEREMONIES = (
    ("bfv-4096x3-sum", 3, 2, (1, 3), 25),
    ("bfv-4096x3-owners", 3, 2, (1, 3), 28),
    ("ckks-4096x3-sum", 4, 3, (1, 2, 4), 77),
)
INVITATION, BLIND = counting_bytes(0x40), counting_bytes(0x60)
FINGERPRINT, ANNOUNCEMENT = counting_bytes(0xa0), counting_bytes(0xc0)
ANSWER = counting_bytes(0x20)

# Secret of Alice, points of both, and what they share.
EXCHANGE = {
    "secret": "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a",
    "alice": "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a",
    "bob": "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f",
    "shared": "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742",
}


def records(sets):
    """The lists of records by name."""
    by_name = {entry.name: entry for entry in sets}
    found = {"owner_parts": [], "owner_shares": [], "owner_answers": [], "owner_refreshes": [], "owner_replacements": [],
             "owner_pairs": [pair_record()]}
    for name, count, threshold, answering, bits in CEREMONIES:
        if name not in by_name:
            continue
        entry = by_name[name]
        parts = [HolderPart(entry, INVITATION, number, counting_bytes(number)) for number in range(1, count + 1)]
        found["owner_parts"] += [part_record(part) for part in parts]
        shares = [joined(entry, [part.share(threshold, number) for part in parts]) for number in range(1, count + 1)]
        found["owner_shares"] += [{"set": name, "holders": count, "threshold": threshold, "holder": number,
                                   "sha3": sha3(packed(entry, share))} for number, share in enumerate(shares, 1)]
        found["owner_answers"].append(answer_record(entry, (parts, shares), answering, (threshold, bits)))
        refreshed = refresh(entry, shares, threshold)
        found["owner_refreshes"].append({"set": name, "holders": count, "threshold": threshold, "fingerprint": FINGERPRINT.hex(),
                                         "generation": 0, "commitments": [change(entry, one).commitment.hex()
                                                                          for one in range(1, count + 1)],
                                         "shares_sha3": [sha3(packed(entry, share)) for share in refreshed]})
        found["owner_replacements"].append(replacement_record(entry, shares, answering))
    return found


def pair_record():
    """The key of two holders, from the first exchange of RFC 7748, section 6.1."""
    keys = {name: bytes.fromhex(text) for name, text in EXCHANGE.items()}
    ends = ((2, keys["bob"]), (3, keys["alice"]))
    numbers, points = [number for number, _ in ends], [point.hex() for _, point in ends]
    return {"fingerprint": FINGERPRINT.hex(), "numbers": numbers, "points": points,
            "secret": EXCHANGE["secret"], "shared": EXCHANGE["shared"], "key": pair_key(FINGERPRINT, ends, keys["shared"]).hex()}


def change(entry, holder):
    """A holder in a change."""
    return Change(entry, FINGERPRINT, 0, holder, counting_bytes(0x80 + holder))


def refresh(entry, shares, threshold):
    """The shares after a refresh."""
    count = len(shares)
    dealt = [[change(entry, giver).zero(threshold, number) for giver in range(1, count + 1)] for number in range(1, count + 1)]
    return [joined(entry, [share, *zeros]) for share, zeros in zip(shares, dealt)]


def replacement_record(entry, shares, helpers):
    """The share of the one holder number that does not help, from those who do."""
    lost = next(number for number in range(1, len(shares) + 1) if number not in helpers)
    binding = session(FINGERPRINT, 0, ANNOUNCEMENT, helpers)
    pieces = []
    for holder in helpers:
        masks = []
        for other in helpers:
            if other != holder:
                pair = (min(holder, other), max(holder, other))
                mask = pair_mask(entry, binding, pair, change(entry, pair[0]).pair_seed(binding, pair[1]))
                masks.append((1 if holder < other else -1, mask))
        pieces.append(piece(entry, shares[holder - 1], helpers, holder, lost, masks))
    assert joined(entry, pieces) == shares[lost - 1]
    return {"set": entry.name, "helpers": list(helpers), "lost": lost, "fingerprint": FINGERPRINT.hex(), "generation": 0,
            "announcement": ANNOUNCEMENT.hex(), "session": binding.hex(),
            "pieces_sha3": [sha3(packed(entry, one)) for one in pieces]}


def part_record(part):
    """One holder's part of a key."""
    public = packed(part.parameters, part.public())
    return {"set": part.parameters.name, "holder": part.holder, "invitation": INVITATION.hex(), "seed": part.seed.hex(),
            "mask_seed": mask_seed(INVITATION).hex(), "public_sha3": sha3(public), "blind": BLIND.hex(),
            "commitment": commitment(INVITATION, part.holder, BLIND, public).hex(),
            "link_and_master": part.link_and_master().hex()}


def answer_record(entry, holders, answering, numbers):
    """A result with errors of -1, 0 and 1, and the contributions, without noise, that open it."""
    (parts, shares), (threshold, bits) = holders, numbers
    primes, plain = entry.data_primes, entry.plain_modulus or 0
    message = [word % (plain or 1 << 20) for word in recurrence(entry.ring_degree)]
    c0, c1 = ciphertext(entry, message, [sum(one) for one in zip(*(part.secret for part in parts))])
    given = []
    for holder in answering:
        masks = answer_masks(entry, answering, holder) if 3 <= threshold < len(parts) else ()
        given.append(fractions(primes, contribution(entry, shares[holder - 1], c1, answering, holder, masks), bits))
    if plain:
        assert integers(primes, c0, given, bits, plain) == message
        assert integers(primes, c0, given[1:], bits, plain) is None
    return {"set": entry.name, "holders": len(parts), "threshold": threshold, "answering": list(answering), "bits": bits,
            "c0_sha3": sha3(packed(entry, c0)), "c1_sha3": sha3(packed(entry, c1)),
            "contributions_sha3": [sha3(b"".join(value.to_bytes(16, "little") for value in one)) for one in given],
            "message_sha3": sha3(words(message))}


def answer_masks(entry, answering, holder):
    """The masks of a holder with all others who answer."""
    for other in answering:
        if other != holder:
            low, high = min(holder, other), max(holder, other)
            mask = answer_mask(entry, counting_bytes(16 * low + high), (ANSWER, 0, 0), answering)
            yield (1 if holder < other else -1, mask)


def ciphertext(entry, message, secret):
    """c0 and c1 of a message under a secret key, in NTT order."""
    primes, plain, modulus = entry.data_primes, entry.plain_modulus, prod(entry.data_primes)
    scaled = [(2 * m * modulus + plain) // (2 * plain) if plain else m << 40 for m in message]
    c0, c1 = [], []
    for index, prime in enumerate(primes):
        row = [(word * (index + 1) << 20 | 1) % prime for word in recurrence(entry.ring_degree)]
        phase = ntt([(value + at % 3 - 1) % prime for at, value in enumerate(scaled)], prime)
        c0.append([(p - a * s) % prime for p, a, s in zip(phase, row, ntt(secret, prime))])
        c1.append(row)
    return c0, c1
