"""Tags of wire.md, section 2: XChaCha20-Poly1305 over associated data alone. And the key of a device."""

import hashlib
import struct

from .chacha20 import chacha20_blocks, hchacha20
from .wire_codes import FRAME_KEY_BYTES, HASH_LABEL_DEVICE

POLY1305_PRIME = (1 << 130) - 5
POLY1305_CLAMP = 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF


def poly1305(key, message):
    """The 16-byte authenticator of [RFC8439], section 2.5. The key has 32 bytes and is used once."""
    multiplier = int.from_bytes(key[:16], "little") & POLY1305_CLAMP
    total = 0
    for start in range(0, len(message), 16):
        block = message[start:start + 16] + b"\x01"
        total = (total + int.from_bytes(block, "little")) * multiplier % POLY1305_PRIME
    total += int.from_bytes(key[16:], "little")
    return (total % (1 << 128)).to_bytes(16, "little")


def chacha20_poly1305(key, nonce, plaintext, associated):
    """(ciphertext, tag) of [RFC8439], section 2.8; nonce 12 bytes."""
    one_time_key = chacha20_blocks(key, 0, nonce)[:32]
    key_stream = chacha20_blocks(key, 1, nonce, max(1, -(-len(plaintext) // 64)))
    ciphertext = bytes(a ^ b for a, b in zip(plaintext, key_stream))
    lengths = struct.pack("<2Q", len(associated), len(ciphertext))
    return ciphertext, poly1305(one_time_key, padded(associated) + padded(ciphertext) + lengths)


def padded(data):
    """Zeros up to a multiple of 16 bytes."""
    return data + bytes(-len(data) % 16)


def xchacha20_poly1305(key, nonce, plaintext, associated):
    """(ciphertext, tag) of [XCHACHA03]; nonce 24 bytes."""
    inner_nonce = bytes(4) + nonce[16:]
    return chacha20_poly1305(hchacha20(key, nonce[:16]), inner_nonce, plaintext, associated)


def tag(key, nonce, domain, item):
    """The 16-byte tag of an item. Its inputs are the item's 16-byte nonce, d of wire.md, section 2, and the item's bytes
    before the tag."""
    return xchacha20_poly1305(key, nonce + struct.pack("<Q", domain), b"", item)[1]


def device_key(device_master, device):
    """The 32-byte key of one device."""
    return hashlib.shake_256(HASH_LABEL_DEVICE + device_master + struct.pack("<Q", device)).digest(FRAME_KEY_BYTES)
