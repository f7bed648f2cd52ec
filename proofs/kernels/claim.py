"""A claim: two functions leave the same memory for all contents of what they are given."""
from dataclasses import dataclass, field

from proofs.kernels.image import Image
from proofs.kernels.machine import Processor, call, initial_memory
from proofs.kernels.stubs import free_words, stubs_of
from proofs.kernels.terms import Term, and_, concat, const, extract, not_, var

WORD, BYTE = 32, 8
# Parts of a free word: one number, four, or sixteen symbols 0, 1 and 2 of two bits each. Words of LONG have 64 bits.
WHOLE, BYTES, SYMBOLS, LONG = "whole", "bytes", "symbols", "long"
FIRST_REGION = 0x60000000
APART = 0x10000


@dataclass(frozen=True)
class Address:
    """A pointer that is no region's."""

    value: int = 0


@dataclass(frozen=True)
class Function:
    """A pointer to a function of the library."""

    name: str


@dataclass(frozen=True)
class Region:
    """Memory that an argument points to. A word is a number, a Region, Address or Function whose address stands there, as wide as
    pointers are, or None for any value.

    `least` and `most` bound the values of free words, or of their bytes, signed. Bytes behind the region are not the
    function's."""

    name: str
    words: tuple
    least: int | None = None
    most: int | None = None
    parts: str = WHOLE

    @property
    def width(self) -> int:
        """Bits of a word that is no pointer."""
        return 2 * WORD if self.parts == LONG else WORD


def symbols(name: str) -> Term:
    """Sixteen numbers of two bits that are not both ones."""
    pairs = []
    for at in range(16):
        high, low = var(f"{name}.{at} high", 1), var(f"{name}.{at} low", 1)
        pairs.append(concat(high, and_(not_(high), low)))
    return concat(*reversed(pairs))


def free(name: str, words: int, least: int | None = None, most: int | None = None, parts: str = WHOLE) -> Region:
    """Words of any value within the bounds."""
    return Region(name, (None,) * words, least, most, parts)


@dataclass(frozen=True)
class Claim:
    """A kernel, the reference, and arguments: numbers and regions. `scratch` are regions whose end content nobody reads, `read`
    those of which only so many words are read at the end. Functions `stubbed` (stubs.py) are not followed;
    `result` are the bits of what is returned that count, highest first. With a prime, words are compared as residues
    (congruence.py): canonical ones, or with a `bound` any within it. With `has_fields`, words of a stream are filled by fields
    below the prime. `packed` are words of a region that the kernel leaves as so many bits each, without gaps."""

    kernel: str
    arguments: tuple
    reference: str = ""
    scratch: tuple[str, ...] = ()
    result: tuple[int, int] | None = None
    note: str = ""
    read: tuple[tuple[str, int], ...] = ()
    stubbed: tuple[str, ...] = ()
    prime: int = 0
    bound: int = 0
    has_fields: bool = False
    packed: tuple[str, int] | None = None


@dataclass
class Layout:
    """Addresses of regions, and variables of their words with bounds; `pointer` is the number of bytes of a pointer."""

    pointer: int = 4
    addresses: dict[Region, int] = field(default_factory=dict)
    bounds: dict[str, tuple[int, int]] = field(default_factory=dict)
    sizes: dict[Region, int] = field(default_factory=dict)
    functions: dict[int, str] = field(default_factory=dict)

    def stored(self, image: Image, memory_words: dict[int, Term]) -> dict[int, Term]:
        """The words of all regions, with the addresses of functions in an image."""
        found = dict(memory_words)
        for at, name in self.functions.items():
            for part in range(0, self.pointer, 4):
                found[at + part] = const(image.functions[name] >> 8 * part, WORD)
        return found

    def variable(self, region: Region, number: int) -> Term:
        """A word of any value within the bounds of its region, which its name tells."""
        if region.parts == SYMBOLS:
            return symbols(f"{region.name}_{number}")
        if region.parts == BYTES:
            return concat(*(self.bounded(f"{region.name}_{number}.{at}", BYTE, region) for at in (3, 2, 1, 0)))
        return self.bounded(f"{region.name}_{number}", region.width, region)

    def bounded(self, name: str, width: int, region: Region) -> Term:
        """A variable within the bounds of its region."""
        if region.least is None:
            return var(name, width)
        name = f"{name} from {region.least} to {region.most}"
        self.bounds[name] = region.least, region.most
        return var(name, width, self.bounds[name])

    def place(self, region: Region, memory_words: dict[int, Term]) -> int:
        """The address of a region; fills in its words, and those of regions that it points to."""
        if region in self.addresses:
            return self.addresses[region]
        address = at = self.addresses[region] = FIRST_REGION + APART * len(self.addresses)
        for number, word in enumerate(region.words):
            if isinstance(word, Region | Address | Function):
                at += -at % self.pointer
                self.point(at, word, memory_words)
                at += self.pointer
            else:
                memory_words[at] = const(word, region.width) if word is not None else self.variable(region, number)
                at += region.width // 8
        self.sizes[region] = at - address
        for gap in range(address, at, region.width // 8):
            memory_words.setdefault(gap, const(0, region.width))
        return address

    def point(self, at: int, word: Region | Address | Function, memory_words: dict[int, Term]) -> None:
        """Writes a pointer; that to a function depends on the image."""
        if isinstance(word, Function):
            self.functions[at] = word.name
            return
        value = self.place(word, memory_words) if isinstance(word, Region) else word.value
        for part in range(0, self.pointer, 4):
            memory_words[at + part] = const(value >> 8 * part, WORD)


@dataclass(frozen=True)
class Ends:
    """Both functions' words, pair by pair, with names; and the bounds of variables."""

    pairs: list[tuple[str, Term, Term]]
    bounds: dict[str, tuple[int, int]]
    prime: int = 0
    bound: int = 0


def ends(claim: Claim, processor: Processor, kernel: Image, reference: Image) -> Ends:
    """Runs both functions; Refused if one cannot be followed, or writes outside of its regions."""
    layout, words = Layout(processor.pointer), {}
    arguments = [layout.place(one, words) if isinstance(one, Region) else one for one in claim.arguments]
    states = []
    for image, name in ((kernel, claim.kernel), (reference, claim.reference or claim.kernel)):
        memory = initial_memory(image)
        for address, term in layout.stored(image, words).items():
            memory.store(address, term)
        stubs = stubs_of(claim.stubbed, image, free_words(claim.prime, claim.has_fields))
        states.append(call(processor, image, name, arguments, memory, stubs))
    pairs = inside(claim, layout, states)
    pairs += outside(layout, states)
    if claim.result:
        pairs.append(("result", *(extract(state.registers[processor.result], *claim.result) for state in states)))
    return Ends(pairs, layout.bounds, claim.prime, claim.bound)


def inside(claim: Claim, layout: Layout, states: list) -> list[tuple[str, Term, Term]]:
    """Words of the regions that are read at the end, but for addresses of functions."""
    pairs, read = [], dict(claim.read)
    pointers = {at + part for at in layout.functions for part in range(0, layout.pointer, 4)}
    for region, start in layout.addresses.items():
        if claim.packed and region.name == claim.packed[0]:
            pairs += unpacked(claim, layout.sizes[region], start, states)
            continue
        size = region.width // 8
        count = 0 if region.name in claim.scratch else read.get(region.name, layout.sizes[region] // size)
        pairs += [(f"{region.name}[{(at - start) // size}]", *(state.memory.load(at, size) for state in states))
                  for at in range(start, start + size * count, size) if at not in pointers]
    return pairs


def unpacked(claim: Claim, size: int, start: int, states: list) -> list[tuple[str, Term, Term]]:
    """Fields of the kernel's memory beside words of the reference's."""
    (name, bits), pairs = claim.packed, []
    for number in range(size // 4):
        at = number * bits
        found = states[0].memory.load(start + at // 8, (at % 8 + bits + 7) // 8)
        word = states[1].memory.load(start + 4 * number, 4)
        pairs.append((f"{name}[{number}]", extract(found, at % 8 + bits - 1, at % 8), word))
    return pairs


def outside(layout: Layout, states: list) -> list[tuple[str, Term, Term]]:
    """Bytes beside the regions that any of the functions wrote, but for the stack below the caller."""
    inside = {start + at for region, start in layout.addresses.items() for at in range(layout.sizes[region])}
    written = {at for state in states for at in state.memory.bytes if at >= FIRST_REGION and at not in inside}
    return [(f"byte {at:x}", *(state.memory.load(at, 1) for state in states)) for at in sorted(written)]
