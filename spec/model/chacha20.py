"""The ChaCha20 block function [RFC8439] on many blocks at once. An integer of 64-bit lanes holds the same word of each block."""

import struct

CONSTANTS = struct.unpack("<4I", b"expand 32-byte k")
LANE = 64

QUARTER_ROUNDS = (
    (0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
    (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14),
)


def chacha20_blocks(key, counter, nonce, count=1):
    """Key stream blocks counter .. counter + count - 1, 64 bytes each; key 32 bytes, nonce 12 bytes."""
    ones = _lanes([1] * count)
    words = [word * ones for word in (*CONSTANTS, *struct.unpack("<8I", key))]
    words.append(_lanes(range(counter, counter + count)))
    words += [word * ones for word in struct.unpack("<3I", nonce)]
    mask = ones * 0xFFFFFFFF
    mixed = twenty_rounds(words, mask)
    output = [0] * (16 * count)
    for position, (start, end) in enumerate(zip(words, mixed)):
        total = (start + end & mask).to_bytes(count * LANE // 8, "little")
        output[position::16] = struct.unpack(f"<{count}Q", total)
    return struct.pack(f"<{16 * count}I", *output)


def _lanes(values):
    return int.from_bytes(struct.pack(f"<{len(values)}Q", *values), "little")


def twenty_rounds(words, mask):
    """The 16 words after twenty rounds, without the final addition; mask has 32 ones in each lane."""
    state = list(words)
    for _ in range(10):
        for indices in QUARTER_ROUNDS:
            _quarter_round(state, indices, mask)
    return state


def _quarter_round(state, indices, mask):
    a, b, c, d = indices
    for left, right in ((16, 12), (8, 7)):
        state[a] = state[a] + state[b] & mask
        state[d] = _rotate(state[d] ^ state[a], left, mask)
        state[c] = state[c] + state[d] & mask
        state[b] = _rotate(state[b] ^ state[c], right, mask)


def _rotate(word, left, mask):
    return (word << left | word >> 32 - left) & mask


def hchacha20(key, nonce):
    """The 32-byte subkey of XChaCha20 for the first 16 bytes of its nonce."""
    words = [*CONSTANTS, *struct.unpack("<8I", key), *struct.unpack("<4I", nonce)]
    mixed = twenty_rounds(words, 0xFFFFFFFF)
    return struct.pack("<8I", *mixed[:4], *mixed[12:])
