"""SipHash-2-4 [SIPHASH12] with an output of 64 or 128 bits."""

import struct

WORD = (1 << 64) - 1
COMPRESSIONS, FINALISATIONS = 2, 4


def siphash(key, message, length=8):
    """The output of 8 or 16 bytes under a key of 16 bytes."""
    low, high = struct.unpack("<2Q", key)
    state = [low ^ 0x736F6D6570736575, high ^ 0x646F72616E646F6D, low ^ 0x6C7967656E657261, high ^ 0x7465646279746573]
    state[1] ^= 0xEE if length == 16 else 0
    end = len(message) % 256 << 56
    tail = message[len(message) - len(message) % 8:]
    words = [*struct.unpack(f"<{len(message) // 8}Q", message[:len(message) // 8 * 8]), int.from_bytes(tail, "little") | end]
    for word in words:
        state[3] ^= word
        _rounds(state, COMPRESSIONS)
        state[0] ^= word
    state[2] ^= 0xEE if length == 16 else 0xFF
    return b"".join(struct.pack("<Q", part) for part in _outputs(state, length // 8))


def _outputs(state, count):
    for index in range(count):
        state[1] ^= 0xDD if index else 0
        _rounds(state, FINALISATIONS)
        yield state[0] ^ state[1] ^ state[2] ^ state[3]


def _rounds(state, count):
    for _ in range(count):
        _half_round(state, (0, 1, 13), (2, 3, 16))
        _half_round(state, (2, 1, 17), (0, 3, 21))


def _half_round(state, first, second):
    for a, b, left in (first, second):
        state[a] = state[a] + state[b] & WORD
        state[b] = _rotate(state[b], left) ^ state[a]
    state[first[0]] = _rotate(state[first[0]], 32)


def _rotate(word, left):
    return (word << left | word >> 64 - left) & WORD
