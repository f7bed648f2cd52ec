"""Bit-packed residues: residue i occupies the bits w i .. w i + w - 1, least significant first."""


def pack(residues, bits):
    """The packed bytes; zeros fill the last one."""
    packed = bytearray()
    for start in range(0, len(residues), 8):
        group = 0
        piece = residues[start:start + 8]
        for position, residue in enumerate(piece):
            group |= residue << bits * position
        packed += group.to_bytes((bits * len(piece) + 7) // 8, "little")
    return bytes(packed)


def unpack(packed, bits):
    """The residues in whole bytes."""
    mask, residues = (1 << bits) - 1, []
    for start in range(0, len(packed), bits):
        group = int.from_bytes(packed[start:start + bits], "little")
        residues += [group >> bits * position & mask for position in range(8)]
    return residues[:len(packed) * 8 // bits]


def unpack_rows(packed, primes, ring_degree):
    """A polynomial modulo each prime; the packed residues of one prime follow those of the last."""
    rows = []
    for prime in primes:
        size = ring_degree * prime.bit_length() // 8
        rows.append(unpack(packed[:size], prime.bit_length()))
        packed = packed[size:]
    return rows
