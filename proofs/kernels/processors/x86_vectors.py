"""Vectors of x86-64: integers in SSE2 to AVX2, and in AVX-512 with masks. Floating point is not followed."""
from collections.abc import Callable
from functools import cached_property

import capstone
from capstone import x86 as cs

from proofs.kernels import terms
from proofs.kernels.machine import Refused, constant
from proofs.kernels.processors.lanes import joined, lanes, on_lanes
from proofs.kernels.processors.x86_names import FIRST_MASK, FIRST_VECTOR, MASK, VECTOR, place_of
from proofs.kernels.terms import Term, const, extract, is_const, sext, zext

BLOCK = 128
WIDTHS = {"b": 8, "w": 16, "d": 32, "q": 64}


def is_kind(operand, first: int, count: int) -> bool:
    """Whether an operand is one of some registers of the state."""
    return operand.type == cs.X86_OP_REG and first <= place_of(operand.reg)[0] < first + count


def is_mask(operand) -> bool:
    """Whether an operand is one of k0 to k7."""
    return is_kind(operand, FIRST_MASK, 8)


def is_vector(step) -> bool:
    """Whether an instruction is on vectors or masks."""
    name = step.instruction.mnemonic
    return name == "vzeroupper" or any(is_kind(one, FIRST_VECTOR, FIRST_MASK + 8 - FIRST_VECTOR) for one in step.operands)


class Vectors:
    """An instruction's operands: sources as terms, a constant, and the mask of what is written."""

    def __init__(self, step):
        self.step, self.name = step, step.instruction.mnemonic
        self.is_extended = self.name.startswith("v")
        places = list(range(len(step.operands)))
        self.immediate = step.operands[places.pop()].imm if step.operands[-1].type == cs.X86_OP_IMM else None
        self.mask = None
        if "{k" in step.instruction.op_str.replace(" ", ""):
            self.mask = step.register(step.operands[places.pop(1)].reg)
        if "{z}" in step.instruction.op_str or "{1to" in step.instruction.op_str:
            raise Refused("zeros in place of lanes, and words of memory that are repeated, are not followed")
        # Older instructions have two operands, of which the first is a source, too, where its access says so. That of masked ones
        # is read because lanes of it stay.
        is_source = self.mask is None and step.operands[0].access == capstone.CS_AC_READ | capstone.CS_AC_WRITE
        self.places = places if is_source else places[1:]

    @cached_property
    def sources(self) -> list[Term]:
        """The operands that are read."""
        return [self.step.read(at) for at in self.places]

    @property
    def width(self) -> int:
        """Bits of the destination."""
        return place_of(self.step.operands[0].reg)[1]

    @property
    def lane(self) -> int:
        """Bits of a lane, by the last letter of the name."""
        return WIDTHS[self.name[-1]]

    def lanes(self, width: int = 0) -> list[list[Term]]:
        """The lanes of all sources."""
        return [lanes(one, width or self.lane) for one in self.sources]

    def blocks(self) -> list[list[Term]]:
        """Blocks of 128 bits of all sources."""
        return self.lanes(BLOCK)

    def write(self, value: Term, lane: int = 0) -> None:
        """The destination, where it is not masked; older instructions keep what is above their 128 bits."""
        operand = self.step.operands[0]
        if operand.type == cs.X86_OP_MEM:
            if self.mask is not None:
                raise Refused("stores of some lanes are not followed")
            self.step.write(0, value)
            return
        number, _, _ = place_of(operand.reg)
        if number < FIRST_VECTOR:
            self.step.write(0, value)
            return
        old = self.step.state.registers[number]
        if self.mask is not None:
            value = self.masked(value, extract(old, value.width - 1, 0), lane or self.lane)
        if number >= FIRST_MASK:
            self.step.state.registers[number] = zext(value, MASK)
        elif self.is_extended:
            self.step.state.registers[number] = zext(value, VECTOR)
        else:
            self.step.state.registers[number] = terms.concat(extract(old, VECTOR - 1, BLOCK), value)

    def masked(self, value: Term, old: Term, lane: int) -> Term:
        """The lanes that the mask has, and of others the old ones."""
        return joined([terms.ite(extract(self.mask, at, at), new, other)
                       for at, (new, other) in enumerate(zip(lanes(value, lane), lanes(old, lane)))])


Semantics = Callable[[Vectors], None]


# Lane by lane

def lanewise(combine: Callable[..., Term], width: int = 0) -> Semantics:
    """Operations on the lanes of all sources."""
    return lambda vectors: vectors.write(on_lanes(combine, *vectors.lanes(width)))


def half_products(wider: Callable[[Term, int], Term]) -> Semantics:
    """pmuludq, pmuldq: products of the even words."""
    return lanewise(lambda a, b: terms.mul(*(wider(extract(one, 31, 0), 64) for one in (a, b))), 64)


def rounded_high(a: Term, b: Term) -> Term:
    """pmulhrsw: a product's bits from 15 on, rounded."""
    product = terms.mul(sext(a, 32), sext(b, 32))
    return extract(terms.add(product, const(1 << 14, 32)), 30, 15)


def least(is_less: Callable[[Term, Term], Term]) -> Callable[[Term, Term], Term]:
    """The minimum."""
    return lambda a, b: terms.ite(is_less(a, b), a, b)


def magnitude(a: Term) -> Term:
    """pabs."""
    return terms.ite(extract(a, a.width - 1, a.width - 1), terms.neg(a), a)


def with_sign(a: Term, b: Term) -> Term:
    """psign: a with the sign of b, zero where b is."""
    is_zero = terms.eq(b, const(0, b.width))
    return terms.ite(extract(b, b.width - 1, b.width - 1), terms.neg(a), terms.ite(is_zero, const(0, a.width), a))


def greater(a: Term, b: Term) -> Term:
    """Whether a > b, with signs; of a constant, whether a is not less than the next."""
    is_next = is_const(b) and b.data != (1 << (b.width - 1)) - 1
    return terms.not_(terms.slt(a, const(b.data + 1, b.width))) if is_next else terms.slt(b, a)


def filled(bit: Term, width: int) -> Term:
    """A lane of equal bits; of a complement, the complement of the lane."""
    is_complement = bit.kind == "xor" and is_const(bit.args[-1])
    return terms.not_(sext(terms.not_(bit), width)) if is_complement else sext(bit, width)


def less(a: Term, b: Term) -> Term:
    """The difference; lanes of equal bits are minus one, or zero."""
    other = terms.not_(b)
    if other.kind == "sext" and other.args[0].width == 1:
        return terms.add(terms.sub(a, zext(other.args[0], a.width)), const(1, a.width))
    return terms.sub(a, b)


def comparing(compare: Callable[[Term, Term], Term]) -> Semantics:
    """Comparisons: all ones in a lane of a vector."""
    def run(vectors: Vectors) -> None:
        if is_mask(vectors.step.operands[0]):
            raise Refused("comparisons to masks are not followed")
        vectors.write(joined([filled(compare(*each), vectors.lane) for each in zip(*vectors.lanes())]))
    return run


def pair_sums(width: int, first: Callable[[Term, int], Term], limit: bool) -> Semantics:
    """pmaddwd, pmaddubsw: sums of products of neighbours, twice as wide; the second saturates."""
    def pair(low: list[Term], high: list[Term]) -> Term:
        total = terms.add(*(terms.mul(first(a, 4 * width), sext(b, 4 * width)) for a, b in (low, high)))
        return saturated(total, 2 * width) if limit else extract(total, 2 * width - 1, 0)

    def run(vectors: Vectors) -> None:
        each = list(zip(*vectors.lanes(width)))
        vectors.write(joined([pair(low, high) for low, high in zip(each[::2], each[1::2])]))
    return run


def saturated(a: Term, width: int) -> Term:
    """A signed number in fewer bits: the nearest."""
    most = (1 << (width - 1)) - 1
    is_below, is_above = terms.slt(a, const(-most - 1, a.width)), terms.slt(const(most, a.width), a)
    return terms.ite(is_below, const(-most - 1, width), terms.ite(is_above, const(most, width), extract(a, width - 1, 0)))


# Shifts

def shifting(shift: Callable[[Term, int], Term]) -> Semantics:
    """Shifts of all lanes by a constant, or by the low word of a register, which must be public."""
    def run(vectors: Vectors) -> None:
        by = vectors.immediate
        if by is None:
            by = constant(extract(vectors.sources.pop(), 63, 0), "a shift")
        vectors.write(on_lanes(lambda a: shift(a, by), *vectors.lanes()))
    return run


def left(a: Term, by: int) -> Term:
    """A shift to the left: of a sum, a multiple."""
    return terms.mul(const(1 << by, a.width), a) if a.kind == "linear" and by < a.width else terms.shl(a, by)


def shifting_each(shift: Callable[[Term, int], Term]) -> Semantics:
    """Shifts by a public number for each lane."""
    return lanewise(lambda a, by: shift(a, constant(by, "a shift")))


def shifting_bytes(is_left: bool) -> Semantics:
    """psrldq, pslldq: blocks by bytes."""
    def run(vectors: Vectors) -> None:
        shift, by = terms.shl if is_left else terms.lshr, 8 * min(vectors.immediate, 16)
        vectors.write(joined([shift(one, by) for one in vectors.blocks()[0]]))
    return run


# Permutations

def in_blocks(pick: Callable[..., list[Term]], width: int = 0) -> Semantics:
    """Permutations of lanes within each block of 128 bits; the constant is the last argument."""
    def run(vectors: Vectors) -> None:
        found = []
        for each in zip(*vectors.blocks()):
            constants = [] if vectors.immediate is None else [vectors.immediate]
            found.append(joined(pick(*(lanes(one, width or vectors.lane) for one in each), *constants)))
        vectors.write(joined(found))
    return run


def unpacked(part: int, width: int) -> Semantics:
    """punpckl, punpckh: the lanes of a half of both, alternating."""
    def pick(a: list[Term], b: list[Term]) -> list[Term]:
        start = part * len(a) // 2
        return [one for pair in zip(a[start:start + len(a) // 2], b[start:start + len(a) // 2]) for one in pair]
    return in_blocks(pick, width)


def shuffled_bytes(vectors: Vectors) -> None:
    """pshufb: bytes by their public numbers within a block, zeros where the top bit is set."""
    found = []
    for source, order in zip(*vectors.blocks()):
        entries, numbers = lanes(source, 8), [constant(one, "a number of a byte") for one in lanes(order, 8)]
        found += [const(0, 8) if number & 0x80 else entries[number & 15] for number in numbers]
    vectors.write(joined(found))


def fields(immediate: int, bits: int, count: int) -> list[int]:
    """The numbers of lanes that a constant lists, lowest first."""
    return [immediate >> bits * at & ((1 << bits) - 1) for at in range(count)]


def shuffled_two(a: list[Term], b: list[Term], by: int) -> list[Term]:
    """shufps, shufpd: a half from each of two sources, of four lanes by two bits each, or of two by one."""
    half, numbers = len(a) // 2, fields(by, len(a) // 2, len(a))
    return [a[at] for at in numbers[:half]] + [b[at] for at in numbers[half:]]


def shuffled_pairs(vectors: Vectors) -> None:
    """shufpd: each block has two bits of the constant."""
    found = []
    for at, (a, b) in enumerate(zip(*vectors.blocks())):
        found += shuffled_two(lanes(a, 64), lanes(b, 64), vectors.immediate >> 2 * at)
    vectors.write(joined(found))


def chosen_words(vectors: Vectors) -> None:
    """vpermilps: words of a block by two bits each, of any value, or by a constant."""
    if vectors.immediate is not None:
        in_blocks(lambda a, by: [a[at] for at in fields(by, 2, 4)], 32)(vectors)
        return
    found = []
    for source, control in zip(*vectors.blocks()):
        words = lanes(source, 32)
        for by in lanes(control, 32):
            low, high = extract(by, 0, 0), extract(by, 1, 1)
            found.append(terms.ite(high, terms.ite(low, words[3], words[2]), terms.ite(low, words[1], words[0])))
    vectors.write(joined(found))


def permuted_words(vectors: Vectors) -> None:
    """vpermd: lanes by public numbers."""
    order, source = vectors.lanes()
    mask = len(source) - 1
    vectors.write(joined([source[constant(one, "a number of a lane") & mask] for one in order]))


def permuted_quads(vectors: Vectors) -> None:
    """vpermq: by a constant within 256 bits."""
    source = vectors.lanes(64)[0]
    vectors.write(joined([source[start + at] for start in range(0, len(source), 4) for at in fields(vectors.immediate, 2, 4)]))


def permuted_halves(vectors: Vectors) -> None:
    """vperm2i128, vperm2f128: halves of two sources, or zeros."""
    halves = [one for found in vectors.blocks() for one in found]
    vectors.write(joined([const(0, BLOCK) if by & 8 else halves[by & 3] for by in fields(vectors.immediate, 4, 2)]))


def shuffled_blocks(vectors: Vectors) -> None:
    """vshufi64x2: blocks of 128 bits."""
    a, b = vectors.blocks()
    vectors.write(joined(shuffled_two(a, b, vectors.immediate)))


def inserted(vectors: Vectors) -> None:
    """vinserti128, vinserti64x4 and the like: one part of a vector."""
    whole, part = vectors.sources
    found = lanes(whole, part.width)
    found[vectors.immediate % len(found)] = part
    vectors.write(joined(found))


def extracted(vectors: Vectors) -> None:
    """vextracti128: one part of a vector."""
    found = lanes(vectors.sources[0], 8 * vectors.step.operands[0].size)
    vectors.write(found[vectors.immediate % len(found)])


def inserted_lane(vectors: Vectors) -> None:
    """pinsrb, pinsrd, pinsrq."""
    width = vectors.lane
    whole, part = vectors.sources
    found = lanes(whole, width)
    found[vectors.immediate % len(found)] = extract(part, width - 1, 0)
    vectors.write(joined(found))


def extracted_lane(vectors: Vectors) -> None:
    """pextrd, pextrq."""
    found = vectors.lanes()[0]
    vectors.step.write(0, found[vectors.immediate % len(found)])


def broadcast(width: int) -> Semantics:
    """The lowest lane in all."""
    return lambda vectors: vectors.write(joined([extract(vectors.sources[0], width - 1, 0)] * (vectors.width // width)))


def blended(width: int) -> Semantics:
    """vpblendd: lanes of the second where the constant has ones."""
    def run(vectors: Vectors) -> None:
        a, b = vectors.lanes(width)
        vectors.write(joined([other if vectors.immediate >> at & 1 else one for at, (one, other) in enumerate(zip(a, b))]))
    return run


def blended_by_sign(width: int) -> Semantics:
    """vblendvps, vblendvpd, vpblendvb: lanes of the second where the third is negative."""
    return lanewise(lambda a, b, mask: terms.ite(extract(mask, width - 1, width - 1), b, a), width)


# Moves

def move(vectors: Vectors) -> None:
    """Moves of whole vectors."""
    vectors.write(vectors.sources[0], 64 if vectors.name.endswith("64") else 32)


def move_word(vectors: Vectors) -> None:
    """movd, movq: zeros above, in vectors."""
    operand = vectors.step.operands[0]
    width = 64 if vectors.name.endswith("q") else 32
    value = extract(vectors.sources[0], width - 1, 0)
    vectors.write(zext(value, BLOCK) if is_kind(operand, FIRST_VECTOR, 32) else value)


def move_half(vectors: Vectors) -> None:
    """movhps: the upper half from or to memory; movhlps: the upper half of the second in the lower."""
    operands = vectors.step.operands
    if operands[0].type == cs.X86_OP_MEM:
        vectors.step.write(0, extract(vectors.step.read(1), 127, 64))
    elif vectors.name == "movhlps":
        vectors.write(terms.concat(extract(vectors.step.read(0), 127, 64), extract(vectors.step.read(1), 127, 64)))
    else:
        vectors.write(terms.concat(vectors.step.read(1), extract(vectors.step.read(0), 63, 0)))


def extending(wider: Callable[[Term, int], Term]) -> Semantics:
    """pmovsx, pmovzx: the lowest lanes, wider."""
    def run(vectors: Vectors) -> None:
        source, target = (WIDTHS[letter] for letter in vectors.name[-2:])
        found = lanes(vectors.sources[0], source)[:vectors.width // target]
        vectors.write(joined([wider(one, target) for one in found]))
    return run


def gather(vectors: Vectors) -> None:
    """vpgatherdd of all lanes, from public places."""
    step = vectors.step
    target, memory, mask = step.operands
    if any(not (one.kind == "const" and one.data) for one in lanes(extract(step.register(mask.reg), vectors.width - 1, 0), 32)):
        raise Refused("a gather without some lanes is not followed")
    base, index = step.register(memory.mem.base), lanes(step.register(memory.mem.index), 32)
    found = []
    for one in index:
        offset = terms.mul(const(memory.mem.scale, 64), sext(one, 64))
        place = constant(terms.add(base, offset, const(memory.mem.disp, 64)), "an address")
        found.append(step.state.memory.load(place, 4))
    step.state.registers[place_of(mask.reg)[0]] = const(0, VECTOR)
    step.state.registers[place_of(target.reg)[0]] = zext(joined(found), VECTOR)


def zero_upper(step) -> None:
    """vzeroupper: registers 0 to 15 above 128 bits."""
    for number in range(FIRST_VECTOR, FIRST_VECTOR + 16):
        registers = step.state.registers
        registers[number] = zext(extract(registers[number], BLOCK - 1, 0), VECTOR)


# Flags and masks

def testing(vectors: Vectors) -> None:
    """vptest."""
    a, b = (vectors.step.read(at) for at in (0, 1))
    none = const(0, 1)
    vectors.step.flag(terms.and_(a, b), c=lambda: terms.eq(terms.and_(terms.not_(a), b), const(0, a.width)), s=lambda: none)


def signs(width: int) -> Semantics:
    """vpmovmskb, vpmovq2m: the top bits of all lanes."""
    def run(vectors: Vectors) -> None:
        found = joined([extract(one, width - 1, width - 1) for one in lanes(vectors.step.read(1), width)])
        is_number = not is_mask(vectors.step.operands[0])
        vectors.write(zext(found, 32 if is_number else MASK))
    return run


def _both(found: dict[str, Semantics]) -> dict[str, Semantics]:
    """Names without and with the letter of newer encodings."""
    return found | {f"v{name}": one for name, one in found.items()}


UNPACKED = {"bw": 8, "wd": 16, "dq": 32, "qdq": 64}
SEMANTICS: dict[str, Semantics] = _both({
    **{f"padd{letter}": lanewise(terms.add) for letter in WIDTHS}, **{f"psub{letter}": lanewise(less) for letter in WIDTHS},
    **{name: lanewise(terms.and_, 32) for name in ("pand", "pandd")}, "por": lanewise(terms.or_, 32),
    **{name: lanewise(terms.xor, 32) for name in ("pxor", "xorps", "xorpd")},
    "pandn": lanewise(lambda a, b: terms.and_(terms.not_(a), b), 32),
    "pmulld": lanewise(terms.mul), "pmullq": lanewise(terms.mul), "pmuludq": half_products(zext), "pmuldq": half_products(sext),
    "pmulhrsw": lanewise(rounded_high), "pmaddwd": pair_sums(16, sext, False), "pmaddubsw": pair_sums(8, zext, True),
    "pminsd": lanewise(least(terms.slt)), "pminud": lanewise(least(terms.ult)), "pminuq": lanewise(least(terms.ult)),
    "pabsd": lanewise(magnitude), "psignd": lanewise(with_sign),
    **{f"pcmpeq{letter}": comparing(terms.eq) for letter in WIDTHS},
    **{f"pcmpgt{letter}": comparing(greater) for letter in WIDTHS},
    **{f"psll{letter}": shifting(left) for letter in "wdq"}, **{f"psrl{letter}": shifting(terms.lshr) for letter in "wdq"},
    **{f"psra{letter}": shifting(terms.ashr) for letter in "wd"},
    **{f"psllv{letter}": shifting_each(terms.shl) for letter in "dq"},
    **{f"psrlv{letter}": shifting_each(terms.lshr) for letter in "dq"},
    "psrldq": shifting_bytes(False), "pslldq": shifting_bytes(True),
    **{f"punpckl{name}": unpacked(0, width) for name, width in UNPACKED.items()},
    **{f"punpckh{name}": unpacked(1, width) for name, width in UNPACKED.items()},
    "unpcklpd": unpacked(0, 64), "unpckhpd": unpacked(1, 64), "pshufb": shuffled_bytes,
    "pshufd": in_blocks(lambda a, by: [a[at] for at in fields(by, 2, 4)], 32),
    "shufps": in_blocks(shuffled_two, 32), "shufpd": shuffled_pairs, "permilps": chosen_words,
    "permd": permuted_words, "permq": permuted_quads,
    **{name: permuted_halves for name in ("perm2i128", "perm2f128")},
    "shufi64x2": shuffled_blocks,
    **{f"insert{name}": inserted for name in ("i128", "f128", "i64x4")},
    **{f"extract{name}": extracted for name in ("i128", "f128")},
    **{f"pinsr{letter}": inserted_lane for letter in WIDTHS}, **{f"pextr{letter}": extracted_lane for letter in "dq"},
    **{f"pbroadcast{letter}": broadcast(width) for letter, width in WIDTHS.items()}, "broadcastsd": broadcast(64),
    "broadcasti128": broadcast(BLOCK), "pblendd": blended(32), "blendvps": blended_by_sign(32), "blendvpd": blended_by_sign(64),
    "pblendvb": blended_by_sign(8),
    **{f"mov{name}": move for name in ("dqa", "dqu", "aps", "ups", "apd", "upd", "dqa32", "dqa64", "dqu64")},
    "movd": move_word, "movq": move_word, "movhps": move_half, "movhlps": move_half,
    "movshdup": in_blocks(lambda a: [a[1], a[1], a[3], a[3]], 32),
    **{f"pmovsx{name}": extending(sext) for name in ("bd", "dq", "wd")},
    **{f"pmovzx{name}": extending(zext) for name in ("bd", "dq", "wd")},
    "pgatherdd": gather, "ptest": testing, "pmovmskb": signs(8), "pmovq2m": signs(64),
})


def run(step) -> None:
    """One instruction on vectors; `step` is x86.py's."""
    name = step.instruction.mnemonic
    if name == "vzeroupper":
        zero_upper(step)
    elif name in SEMANTICS:
        SEMANTICS[name](Vectors(step))
    else:
        raise Refused("the instruction has no semantics here")
