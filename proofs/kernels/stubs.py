"""Functions that are not followed, because others are about them: what a claim says then holds for all that they may give."""
from collections.abc import Callable

from proofs.kernels.image import Image
from proofs.kernels.machine import Processor, State, Stub, constant
from proofs.kernels.terms import Term, concat, extract, var


# Words that stubs give: the number of one, and whether it is a residue
Words = Callable[[int, bool], Term]


class Stubbed:
    """A function that is not followed."""

    def __init__(self, image: Image, words: Words):
        self.image, self.words, self.calls, self.drawn = image, words, 0, 0

    def fill(self, state: State, start: Term, count: int, is_residue: bool) -> None:
        """Words that the function gives."""
        address = constant(start, "an address")
        for at in range(address, address + 4 * count, 4):
            state.memory.store(at, self.words(self.drawn, is_residue))
            self.drawn += 1

    def __call__(self, processor: Processor, state: State) -> None:
        self.run(processor, state)
        self.calls += 1
        processor.leave(state, f"{self.image.path.parent.name}_{self.calls}")

    def run(self, processor: Processor, state: State) -> None:
        """What is known of the function."""
        raise NotImplementedError


class StreamWords(Stubbed):
    """isopod_stream_words: words of any value, the same for the kernel and the reference, however many each call asks for."""

    def run(self, processor: Processor, state: State) -> None:
        _, out, count = processor.arguments(state, 3)
        self.fill(state, out, constant(extract(count, 31, 0), "a length"), False)


class MaskGroup(Stubbed):
    """isopod_mask_group: 32 residues of any value."""

    def run(self, processor: Processor, state: State) -> None:
        self.fill(state, processor.arguments(state, 2)[1], 32, True)


class Packing(Stubbed):
    """isopod_pack_in_place and isopod_pack_group: leave the words, which a claim compares in place of the bytes made of them."""

    def run(self, processor: Processor, state: State) -> None:
        """Nothing happens to the words."""


STUBS = {"isopod_stream_words": StreamWords, "isopod_mask_group": MaskGroup, "isopod_pack_in_place": Packing,
         "isopod_pack_group": Packing}


def free_words(prime: int, has_fields: bool = False) -> Words:
    """Words of any value, or the words that fields below a prime fill; and residues below it."""
    def residue(number: int) -> Term:
        return var(f"residue_{number} below {prime}", 32, (0, prime - 1))

    def word(number: int, is_residue: bool) -> Term:
        if is_residue:
            return residue(number)
        if not has_fields:
            return var(f"stream_{number}", 32)
        bits = prime.bit_length()
        group, at = divmod(number, bits)
        fields = [extract(residue(32 * group + field), bits - 1, 0) for field in range(32)]
        return extract(concat(*reversed(fields)), 32 * at + 31, 32 * at)
    return word


def stubs_of(names: tuple[str, ...], image: Image, words: Words) -> dict[int, Stub]:
    """Fresh stubs by the addresses of the functions, of those that an image has."""
    return {image.functions[name] & ~1: STUBS[name](image, words) for name in names if name in image.functions}
