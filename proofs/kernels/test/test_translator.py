"""The translator against an emulator, and proofs against faults in the code."""
import unittest
from dataclasses import dataclass, replace

from proofs.kernels.claim import Claim, Ends, Layout, Region, ends, free
from proofs.kernels.claims.of_words import INT32
from proofs.kernels.emulation import differences
from proofs.kernels.emulators import qemu
from proofs.kernels.emulators.native import features, is_x86
from proofs.kernels.equality.counterexample import counterexample
from proofs.kernels.equality.solver import by_bitwuzla, decided
from proofs.kernels.image import CORTEX_M55, X86_64, X86_64_AVX512, Image, Target, build
from proofs.kernels.machine import Processor, Refused, call, initial_memory
from proofs.kernels.run import NATIVE, PORTABLE, PROCESSORS, portable
from proofs.kernels.terms import extract, shl

SECONDS = 2
# Kernel, number of its instructions before the one that is replaced, and the bit of the encoding that flips.
FAULTS_OF_M4 = (
    ("isopod_reduce_words", 3, 20), ("isopod_reduce_words", 5, 16), ("isopod_multiply_add_words", 3, 20),
    ("isopod_multiply_add_words", 7, 16), ("isopod_pack_group_26", 3, 7), ("isopod_pack_group_30", 5, 6),
    ("isopod_chacha20_blocks", 187, 23), ("isopod_copy", 4, 0), ("isopod_wipe", 5, 1),
)
FAULTS_OF_RV32IM = (
    ("isopod_hchacha20", 78, 20), ("isopod_pack_in_place", 481, 20),
    ("isopod_load_error", 4, 20), ("isopod_load_ternary", 9, 26), ("isopod_message32_add", 26, 30), ("isopod_ntt_fold", 29, 20),
)
FAULTS_OF_AARCH64 = (
    ("isopod_reduce_all", 7, 9), ("isopod_reduce_all", 8, 6), ("isopod_multiply_add", 20, 6), ("isopod_multiply_add", 18, 11),
    ("isopod_pack_in_place", 39, 17), ("isopod_load_ternary", 14, 15), ("isopod_load_ternary", 9, 16),
    ("isopod_ntt_fold", 11, 12), ("isopod_ntt_fold", 7, 12),
)
FAULTS_OF_X86 = (
    ("tuniform", 29, 33), ("tuniform", 35, 25), ("pack", 11, 33), ("pack", 12, 25),
    ("isopod_copy", 8, 25), ("isopod_copy", 9, 33), ("run_lazy_even", 70, 33),
)
FAULTS_OF_AVX512 = (
    ("to_montgomery_all", 34, 40), ("to_montgomery_all", 45, 40), ("to_montgomery_all", 58, 40), ("to_montgomery_all", 83, 40),
    ("multiply_add.isra.0", 70, 40), ("multiply_add.isra.0", 74, 48), ("unpack_multiply512", 75, 40),
)
FAULTS_OF_M55 = (
    ("isopod_reduce_words", 6, 16), ("isopod_reduce_words", 7, 0), ("isopod_multiply_add_words", 18, 12),
    ("isopod_multiply_add_words", 19, 25), ("isopod_copy", 1, 4), ("isopod_copy", 2, 16), ("isopod_ntt_fold", 17, 12),
    ("isopod_ntt_fold", 21, 24), ("isopod_load_error", 5, 12), ("isopod_load_ternary", 14, 4), ("isopod_load_ternary", 17, 0),
)
FAULTS = {"x86-64": FAULTS_OF_X86, X86_64_AVX512.name: FAULTS_OF_AVX512, "aarch64": FAULTS_OF_AARCH64,
          "cortex-m4": FAULTS_OF_M4, "cortex-m55": FAULTS_OF_M55, "rv32im": FAULTS_OF_RV32IM}
# Features that the processor needs for a comparison of instructions with it
FEATURES = {X86_64.name: "avx2", X86_64_AVX512.name: "avx512dq"}
CALLERS = {"isopod_reduce_words": "isopod_reduce_all", "isopod_multiply_add_words": "isopod_multiply_add",
           "isopod_pack_group_26": "isopod_pack_in_place", "isopod_pack_group_30": "isopod_pack_in_place",
           "to_montgomery_all": "isopod64_to_montgomery_all", "multiply_add.isra.0": "isopod64_multiply_add",
           "unpack_multiply512": "isopod64_unpack_multiply", "tuniform": "isopod_error_tuniform", "pack": "isopod_bools_pack",
           "run_lazy_even": "isopod_product_with"}


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


def with_fault(processor: Processor, image: Image, name: str, number: int, bit: int) -> Faulty:
    """The image with one bit of one instruction flipped."""
    place = image.functions[name] & ~1
    for _ in range(number):
        place += processor.decode(image, place).size
    size = processor.decode(image, place).size
    code = bytearray(image.bytes_at(place, size))
    code[bit // 8 % size] ^= 1 << bit % 8
    return Faulty(image.path, place, bytes(code))


def is_caught(claim: Claim, processor: Processor, image: Image, reference: Image) -> bool:
    """Whether the code is refused, or some values show a difference in a word that the solver does not call equal."""
    try:
        found = ends(claim, processor, image, reference)
    except Refused:
        return True
    shown = counterexample(found)
    pairs = [pair for pair in found.pairs if shown is not None and pair[0] == shown.name]
    return bool(pairs) and not decided(replace(found, pairs=pairs), SECONDS, {"Bitwuzla": by_bitwuzla}).is_proved


class Translators(unittest.TestCase):
    """Each processor's."""

    def check_instructions(self, target: Target, processor: Processor, claims: list[Claim]) -> None:
        """Every instruction of a claim of each kernel, in both images."""
        if target.name in FEATURES and not (is_x86() and FEATURES[target.name] in features()):
            self.skipTest(f"this machine has no {FEATURES[target.name]}: no instruction of the {target.name} is compared")
        if target is CORTEX_M55 and not qemu.is_there():
            self.skipTest(f"{qemu.EMULATOR} is missing: no instruction of the {target.name} is compared")
        # Portable C on the Cortex-M55 is the Cortex-M4's image.
        for image in (build(target, *NATIVE), *([] if target is CORTEX_M55 else [build(target, *PORTABLE)])):
            for claim in {(one.kernel, one.note.split(",")[0]): one for one in claims}.values():
                with self.subTest(claim.kernel, note=claim.note, image=image.path.parent.name):
                    self.assertEqual(differences(claim, claim.kernel, processor, image, 1), [])

    def check_faults(self, target: Target, processor: Processor, claims: list[Claim]) -> None:
        """Every fault of the list."""
        native, reference = build(target, *NATIVE), portable(target)
        for name, number, bit in FAULTS[target.name]:
            about = [claim for claim in claims if claim.kernel == CALLERS.get(name, name)]
            with self.subTest(name, number=number, bit=bit):
                faulty = with_fault(processor, native, name, number, bit)
                self.assertTrue(any(is_caught(claim, processor, faulty, reference) for claim in about))

    def test_every_instruction_does_what_the_emulator_does(self):
        for one in PROCESSORS:
            with self.subTest(one[0].name):
                self.check_instructions(*one)

    def test_integers_in_fixed_point_are_shifted(self):
        target, processor, _ = PROCESSORS[-1]
        values = Region("values", (free("readings", 1), 1, INT32))
        image, layout, words = build(target, *PORTABLE), Layout(processor.pointer), {}
        for by in (0, 7, 22, 30):
            memory, address = initial_memory(image), layout.place(values, words)
            for at, term in words.items():
                memory.store(at, term)
            state = call(processor, image, "isopod_value_fixed32", [address, 0, by], memory, {})
            found, reading = extract(state.registers[processor.result], 31, 0), layout.variable(values.words[0], 0)
            pairs = Ends([("result", found, shl(reading, by))], {})
            self.assertTrue(decided(pairs, SECONDS).is_proved, by)

    def test_every_fault_is_caught(self):
        for one in PROCESSORS:
            self.check_faults(*one)


if __name__ == "__main__":
    unittest.main()
