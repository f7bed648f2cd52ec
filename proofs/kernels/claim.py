"""A claim: two functions leave the same memory for all contents of what they are given."""
from dataclasses import dataclass, field

from proofs.kernels.image import Image
from proofs.kernels.machine import Processor, call, initial_memory
from proofs.kernels.terms import Term, const, extract, var

WORD = 32
FIRST_REGION = 0x40000000
APART = 0x10000


@dataclass(frozen=True)
class Region:
    """Memory that an argument points to. A word is a number, a Region whose address stands there, or None for any value.

    `least` and `most` bound the values of free words, signed. Bytes behind the region are not the function's."""

    name: str
    words: tuple
    least: int | None = None
    most: int | None = None


def free(name: str, words: int, least: int | None = None, most: int | None = None) -> Region:
    """Words of any value within the bounds."""
    return Region(name, (None,) * words, least, most)


@dataclass(frozen=True)
class Claim:
    """A kernel, the reference, and arguments: numbers and regions. `scratch` are regions whose end content nobody reads;
    `result` are the bits of what is returned that count, highest first. With a modulus, words may
    differ by it."""

    kernel: str
    arguments: tuple
    reference: str = ""
    scratch: tuple[str, ...] = ()
    result: tuple[int, int] | None = None
    modulus: int = 0
    note: str = ""


@dataclass
class Layout:
    """Addresses of regions, and variables of their words with bounds."""

    addresses: dict[Region, int] = field(default_factory=dict)
    bounds: dict[str, tuple[int, int]] = field(default_factory=dict)

    def place(self, region: Region, memory_words: dict[int, Term]) -> int:
        """The address of a region; fills in its words, and those of regions that it points to."""
        if region in self.addresses:
            return self.addresses[region]
        address = self.addresses[region] = FIRST_REGION + APART * len(self.addresses)
        for number, word in enumerate(region.words):
            if isinstance(word, Region):
                term = const(self.place(word, memory_words), WORD)
            elif word is None:
                term = var(f"{region.name}_{number}", WORD)
                if region.least is not None:
                    self.bounds[term.data] = region.least, region.most
            else:
                term = const(word, WORD)
            memory_words[address + 4 * number] = term
        return address


@dataclass(frozen=True)
class Ends:
    """Both functions' words, pair by pair, with names; and the bounds of variables."""

    pairs: list[tuple[str, Term, Term]]
    bounds: dict[str, tuple[int, int]]
    modulus: int = 0


def ends(claim: Claim, processor: Processor, kernel: Image, reference: Image) -> Ends:
    """Runs both functions; Refused if one cannot be followed, or writes outside of its regions."""
    layout, words = Layout(), {}
    arguments = [layout.place(one, words) if isinstance(one, Region) else one for one in claim.arguments]
    states = []
    for image, name in ((kernel, claim.kernel), (reference, claim.reference or claim.kernel)):
        memory = initial_memory(image)
        for address, term in words.items():
            memory.store(address, term)
        states.append(call(processor, image, name, arguments, memory))
    pairs = []
    for region, start in layout.addresses.items():
        if region.name not in claim.scratch:
            pairs += [(f"{region.name}[{number}]", *(state.memory.load(start + 4 * number, 4) for state in states))
                      for number in range(len(region.words))]
    pairs += outside(layout, states)
    if claim.result:
        pairs.append(("result", *(extract(state.registers[processor.result], *claim.result) for state in states)))
    return Ends(pairs, layout.bounds, claim.modulus)


def outside(layout: Layout, states: list) -> list[tuple[str, Term, Term]]:
    """Bytes beside the regions that any of the functions wrote, but for the stack below the caller."""
    inside = {start + at for region, start in layout.addresses.items() for at in range(4 * len(region.words))}
    written = {at for state in states for at in state.memory.bytes if at >= FIRST_REGION and at not in inside}
    return [(f"byte {at:x}", *(state.memory.load(at, 1) for state in states)) for at in sorted(written)]
