"""AES-128 encryption of one block [FIPS197], for the mask of tfhe-rs. Table lookups leak nothing here, because the mask is
public."""


def _multiply(a, b):
    product = 0
    while b:
        product ^= a * (b & 1)
        a = a << 1 ^ (0x11B if a & 0x80 else 0)
        b >>= 1
    return product


def _substitution():
    box = [0x63]
    for value in range(1, 256):
        inverse = next(other for other in range(1, 256) if _multiply(value, other) == 1)
        rotations = [inverse << by | inverse >> 8 - by for by in range(5)]
        box.append((rotations[0] ^ rotations[1] ^ rotations[2] ^ rotations[3] ^ rotations[4] ^ 0x63) & 0xFF)
    return bytes(box)


BOX = _substitution()
DOUBLE = bytes(_multiply(2, value) for value in range(256))


def round_keys(key):
    """The eleven 16-byte round keys."""
    words = [key[start:start + 4] for start in range(0, 16, 4)]
    constant = 1
    for index in range(4, 44):
        word = words[-1]
        if index % 4 == 0:
            word = bytes(BOX[byte] for byte in word[1:] + word[:1])
            word = bytes([word[0] ^ constant]) + word[1:]
            constant = DOUBLE[constant]
        words.append(bytes(a ^ b for a, b in zip(words[-4], word)))
    return [b"".join(words[start:start + 4]) for start in range(0, 44, 4)]


def aes128_block(keys, block):
    """The ciphertext of one block under round_keys()."""
    state = bytes(a ^ b for a, b in zip(block, keys[0]))
    for key in keys[1:-1]:
        state = bytes(a ^ b for a, b in zip(_mix(_shift(state)), key))
    return bytes(a ^ b for a, b in zip(_shift(state), keys[-1]))


def _shift(state):
    """SubBytes and ShiftRows."""
    return bytes(BOX[state[(column + row) % 4 * 4 + row]] for column in range(4) for row in range(4))


def _mix(state):
    mixed = bytearray()
    for start in range(0, 16, 4):
        a, b, c, d = state[start:start + 4]
        for x, y, z, w in ((a, b, c, d), (b, c, d, a), (c, d, a, b), (d, a, b, c)):
            mixed.append(DOUBLE[x] ^ DOUBLE[y] ^ y ^ z ^ w)
    return bytes(mixed)


def aes128_counter(key, length):
    """The first `length` bytes of the stream of tfhe.md, section 2."""
    keys = round_keys(key)
    blocks = (aes128_block(keys, counter.to_bytes(16, "little")) for counter in range(-(-length // 16)))
    return b"".join(blocks)[:length]
