"""Registers of x86-64: their numbers in a state, and capstone's names of them and of their parts."""
from functools import cache

import capstone

from proofs.kernels.machine import Refused

WORD, VECTOR, MASK = 64, 512, 64
NAMES = ("ax", "cx", "dx", "bx", "sp", "bp", "si", "di")
AX, CX, DX, BX, SP, BP, SI, DI = range(8)
FIRST_VECTOR, FIRST_MASK = 16, 48


@cache
def decoder() -> capstone.Cs:
    """Capstone for x86-64, with operands."""
    found = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    found.detail = True
    return found


def _named() -> dict[str, tuple[int, int, int]]:
    """Number in the state, width and lowest bit of registers by name."""
    found = {}
    for number, name in enumerate(NAMES):
        found |= {f"r{name}": (number, 64, 0), f"e{name}": (number, 32, 0), name: (number, 16, 0)}
        found[f"{name[0]}l" if name[1] == "x" else f"{name}l"] = number, 8, 0
        if name[1] == "x":
            found[f"{name[0]}h"] = number, 8, 8
    for number in range(8, 16):
        found |= {f"r{number}{suffix}": (number, width, 0) for suffix, width in (("", 64), ("d", 32), ("w", 16), ("b", 8))}
    for number in range(32):
        found |= {f"{letter}mm{number}": (FIRST_VECTOR + number, width, 0)
                  for letter, width in (("x", 128), ("y", 256), ("z", 512))}
    return found | {f"k{number}": (FIRST_MASK + number, MASK, 0) for number in range(8)}


NAMED = _named()


@cache
def place_of(register: int) -> tuple[int, int, int]:
    """Number of a register in the state, its width and lowest bit there."""
    name = decoder().reg_name(register)
    if name not in NAMED:
        raise Refused(f"{name} is no register here")
    return NAMED[name]
