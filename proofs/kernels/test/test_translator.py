"""The translator against an emulator, and proofs against faults in the code."""
import unittest
from dataclasses import dataclass

from proofs.kernels.claim import Claim, ends
from proofs.kernels.claims import cortex_m4
from proofs.kernels.emulation import differences
from proofs.kernels.image import CORTEX_M4, Image, build
from proofs.kernels.machine import Refused
from proofs.kernels.run import NATIVE, PORTABLE
from proofs.kernels.solver import decided
from proofs.kernels.thumb import Thumb

SECONDS = 5
# Kernel, number of its instructions before the one that is replaced, and the bit of the encoding that flips.
FAULTS = (
    ("isopod_reduce_words", 3, 20), ("isopod_reduce_words", 5, 16), ("isopod_multiply_add_words", 3, 20),
    ("isopod_multiply_add_words", 7, 16), ("isopod_pack_group_26", 3, 7), ("isopod_pack_group_30", 5, 6),
    ("isopod_chacha20_blocks", 30, 7), ("isopod_chacha20_blocks", 41, 23), ("isopod_copy", 4, 0), ("isopod_wipe", 5, 1),
)
CALLERS = {"isopod_reduce_words": "isopod_reduce_all", "isopod_multiply_add_words": "isopod_multiply_add",
           "isopod_pack_group_26": "isopod_pack_in_place", "isopod_pack_group_30": "isopod_pack_in_place"}


@dataclass(frozen=True)
class Faulty(Image):
    """An image with a few other bytes."""

    place: int = 0
    code: bytes = b""

    def bytes_at(self, address: int, length: int) -> bytes | None:
        found = super().bytes_at(address, length)
        if found is None:
            return None
        at = self.place - address
        return bytes(self.code[i - at] if at <= i < at + len(self.code) else byte for i, byte in enumerate(found))


def with_fault(image: Image, name: str, number: int, bit: int) -> Faulty:
    """The image with one bit of one instruction flipped."""
    thumb, place = Thumb(), image.functions[name] & ~1
    for _ in range(number):
        place += thumb.decode(image, place).size
    size = thumb.decode(image, place).size
    code = bytearray(image.bytes_at(place, size))
    code[bit // 8 % size] ^= 1 << bit % 8
    return Faulty(image.path, place, bytes(code))


def shortest(kernel: str) -> list[Claim]:
    """The claims about a kernel, those that run fast first."""
    return [claim for claim in cortex_m4() if claim.kernel == CALLERS.get(kernel, kernel)]


def is_proved(claim: Claim, image: Image, portable: Image) -> bool:
    """Whether the claim holds; code that cannot be followed does not."""
    try:
        return decided(ends(claim, Thumb(), image, portable), SECONDS).is_proved
    except (Refused, KeyError, AttributeError, IndexError):
        return False


class Translator(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.native, cls.portable = build(CORTEX_M4, *NATIVE), build(CORTEX_M4, *PORTABLE)

    def test_every_instruction_does_what_the_emulator_does(self):
        thumb = Thumb()
        for claim in {(one.kernel, one.note.split(",")[0]): one for one in cortex_m4()}.values():
            for image in (self.native, self.portable):
                with self.subTest(claim.kernel, note=claim.note, image=image.path.parent.name):
                    self.assertEqual(differences(claim, claim.kernel, thumb, image, 1), [])

    def test_every_fault_is_caught(self):
        for name, number, bit in FAULTS:
            with self.subTest(name, number=number, bit=bit):
                faulty = with_fault(self.native, name, number, bit)
                self.assertFalse(all(is_proved(claim, faulty, self.portable) for claim in shortest(name)))


if __name__ == "__main__":
    unittest.main()
