"""Bit-packed residues: residue i occupies bits w i .. w i + w - 1, least significant first."""


def pack(residues, bits):
    """The packed bytes; the number of residues is a multiple of 8."""
    packed = bytearray()
    for start in range(0, len(residues), 8):
        group = 0
        for position, residue in enumerate(residues[start:start + 8]):
            group |= residue << bits * position
        packed += group.to_bytes(bits, "little")
    return bytes(packed)


def unpack(packed, bits):
    """The residues; the number of bytes is a multiple of `bits`."""
    mask, residues = (1 << bits) - 1, []
    for start in range(0, len(packed), bits):
        group = int.from_bytes(packed[start:start + bits], "little")
        residues += [group >> bits * position & mask for position in range(8)]
    return residues
