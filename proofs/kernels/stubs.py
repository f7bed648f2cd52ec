"""Functions that are not followed, because others are about them: what a claim says then holds for all that they may give."""
from collections.abc import Callable

from proofs.kernels.image import Image
from proofs.kernels.machine import Processor, State, Stub, constant
from proofs.kernels.terms import Term, concat, extract, shl, var, zext

# Words that stubs give, by number and kind
WORD, RESIDUE, FIXED = "word", "residue", "fixed"
Words = Callable[[int, str], Term]
# Values in fixed point lie within this (encode/values.h).
MOST_FIXED = 1 << 30


class Stubbed:
    """A function that is not followed."""

    def __init__(self, image: Image, words: Words):
        self.image, self.words, self.calls, self.drawn = image, words, 0, 0

    def fill(self, state: State, start: Term, count: int, kind: str) -> None:
        """Words that the function gives."""
        address = constant(start, "an address")
        for at in range(address, address + 4 * count, 4):
            state.memory.store(at, self.words(self.drawn, kind))
            self.drawn += 1

    def __call__(self, processor: Processor, state: State) -> None:
        result = self.run(processor, state)
        self.calls += 1
        processor.leave(state, f"{self.image.path.parent.name}_{self.calls}")
        if result is not None:
            state.registers[processor.result] = zext(result, 8 * processor.pointer)

    def run(self, processor: Processor, state: State) -> Term | None:
        """Does what is known of the function, and gives its result."""
        raise NotImplementedError


class StreamWords(Stubbed):
    """isopod_stream_words: words of any value, the same for the kernel and the reference, however many each call asks for."""

    def run(self, processor: Processor, state: State) -> None:
        _, out, count = processor.arguments(state, 3)
        self.fill(state, out, constant(extract(count, 31, 0), "a length"), WORD)


class MaskGroup(Stubbed):
    """isopod_mask_group: 32 residues of any value."""

    def run(self, processor: Processor, state: State) -> None:
        self.fill(state, processor.arguments(state, 2)[1], 32, RESIDUE)


class Packing(Stubbed):
    """isopod_pack_in_place and isopod_pack_group: leave the words, which a claim compares in place of the bytes made of them."""

    def run(self, processor: Processor, state: State) -> None:
        """Nothing happens to the words."""


class FixedValue(Stubbed):
    """isopod_value_fixed32: a value in fixed point by its index."""

    def run(self, processor: Processor, state: State) -> Term:
        index = constant(extract(processor.arguments(state, 2)[1], 31, 0), "an index")
        return self.words(index, FIXED)


class FixedInteger(Stubbed):
    """isopod_value_fixed32 of integers: shifted left, as test/test_translator.py proves of it."""

    def run(self, processor: Processor, state: State) -> Term:
        values, *numbers = processor.arguments(state, 3)
        index, by = (constant(extract(one, 31, 0), "an index or a shift") for one in numbers)
        data = constant(state.memory.load(constant(values, "an address"), processor.pointer), "an address")
        return shl(state.memory.load(data + 4 * index, 4), by)


# A word behind the name tells one of several apart.
STUBS = {"isopod_value_fixed32": FixedValue, "isopod_value_fixed32 integer": FixedInteger, "isopod_stream_words": StreamWords,
         "isopod_mask_group": MaskGroup, "isopod_pack_in_place": Packing, "isopod_pack_group": Packing}


def free_words(prime: int, has_fields: bool = False) -> Words:
    """Words of any value, or the words that fields below a prime fill; and residues below it."""
    def residue(number: int) -> Term:
        return var(f"residue_{number} below {prime}", 32, (0, prime - 1))

    def word(number: int, kind: str) -> Term:
        if kind == RESIDUE:
            return residue(number)
        if kind == FIXED:
            return var(f"value_{number}", 32, (-MOST_FIXED, MOST_FIXED))
        if not has_fields:
            return var(f"stream_{number}", 32)
        bits = prime.bit_length()
        group, at = divmod(number, bits)
        fields = [extract(residue(32 * group + field), bits - 1, 0) for field in range(32)]
        return extract(concat(*reversed(fields)), 32 * at + 31, 32 * at)
    return word


def stubs_of(names: tuple[str, ...], image: Image, words: Words) -> dict[int, Stub]:
    """Fresh stubs by the addresses of the functions, of those that an image has."""
    places = {name: image.functions[name.split()[0]] & ~1 for name in names if name.split()[0] in image.functions}
    return {place: STUBS[name](image, words) for name, place in places.items()}
