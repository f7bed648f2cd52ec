"""The Cortex-M55: Armv8.1-M with Helium (MVE), integer lanes of 8 to 32 bits in eight registers of 128, beside what thumb.py has.

Predicates must be constants. So must the number of lanes that a loop has left be."""
from collections.abc import Callable
from functools import reduce

from proofs.kernels import machine, terms
from proofs.kernels.image import Image
from proofs.kernels.machine import Refused, State, constant
from proofs.kernels.processors.encodings import Instruction, decoded
from proofs.kernels.processors.lanes import joined, lanes, on_lanes
from proofs.kernels.processors.neon import by_lane, halved, inserted_left, inserted_right
from proofs.kernels.processors.saturation import doubled_high, halved_difference, halved_sum, rounded_shift
from proofs.kernels.processors.thumb import LR, PC, WORD, Thumb, conditions
from proofs.kernels.terms import Term, const, extract, sext, var, zext

VECTOR, BYTES, VECTORS = 128, 16, 8
FIRST_VECTOR, FIRST_KEPT = 32, 4
# Bits of bytes that a block of predicated instructions works on, what is left of the block, and log2 of the bytes of a lane in a
# loop of predicated turns; ALL_LANES outside of such loops
PREDICATE, BLOCK, TAIL = 40, 41, 42
ALL, ALL_LANES = (1 << BYTES) - 1, 4
# Conditions are numbered from one on by capstone.
FIRST_CONDITION = 1


class Step(machine.Step):
    """One instruction of Helium, with the bytes that it works on."""

    def __init__(self, state: State, instruction: Instruction):
        super().__init__(state, instruction)
        self.fields = instruction.fields
        self.active = self.predicate()

    def predicate(self) -> int:
        """The bytes that the instruction works on, a bit each."""
        registers = self.state.registers
        found = ALL
        if constant(registers[BLOCK], "a block"):
            found = constant(registers[PREDICATE], "a predicate")
        if (size := constant(registers[TAIL], "a tail")) != ALL_LANES:
            found &= (1 << min(BYTES, constant(registers[LR], "a number of lanes") << size)) - 1
        return found

    def advance(self) -> None:
        """Goes on in a block of predicated instructions."""
        registers = self.state.registers
        block = constant(registers[BLOCK], "a block")
        if block & 7 and block >> 3:
            registers[PREDICATE] = terms.not_(registers[PREDICATE])
        registers[BLOCK] = const(block << 1, 4) if block & 7 else const(0, 4)

    @property
    def width(self) -> int:
        """Bits of a lane."""
        return 8 << self.fields["s"]

    @property
    def wider(self) -> Callable[[Term, int], Term]:
        """The extension that the instruction names."""
        return zext if self.fields.get("u") else sext

    def core(self, letter: str) -> Term:
        """A core register; the one with the number 15 stands for zero."""
        number = self.fields[letter]
        return const(0, WORD) if number == PC else self.state.registers[number]

    def address(self, letter: str = "r") -> int:
        """A core register that is an address."""
        return constant(self.core(letter), "an address")

    def vector(self, letter: str) -> Term:
        """All bits of a vector."""
        return self.state.registers[FIRST_VECTOR + self.fields[letter]]

    def lanes(self, letter: str) -> list[Term]:
        """The lanes of a vector, lowest first."""
        return lanes(self.vector(letter), self.width)

    def is_active(self, byte: int) -> bool:
        """Whether the instruction works on a byte."""
        return bool(self.active >> byte & 1)

    def write(self, value: Term) -> None:
        """The destination, of which bytes that the instruction does not work on stay."""
        if self.active != ALL:
            each = zip(lanes(value, 8), lanes(self.vector("d"), 8))
            value = joined([new if self.is_active(byte) else old for byte, (new, old) in enumerate(each)])
        self.state.registers[FIRST_VECTOR + self.fields["d"]] = value


Semantics = Callable[[Step], None]


# Lanes

def lanewise(combine: Callable[..., Term], letters: str = "nm") -> Semantics:
    """Operations on the lanes of vectors."""
    return lambda step: step.write(on_lanes(combine, *(step.lanes(letter) for letter in letters)))


def by_sign(signed: Callable[..., Term], unsigned: Callable[..., Term], letters: str = "nm") -> Semantics:
    """Operations with and without signs."""
    return lambda step: lanewise(unsigned if step.fields["u"] else signed, letters)(step)


def with_scalar(combine: Callable[..., Term], letters: str = "n") -> Semantics:
    """Operations on the lanes of vectors and a core register."""
    def run(step: Step) -> None:
        every = extract(step.core("t"), step.width - 1, 0)
        step.write(on_lanes(lambda *each: combine(*each, every), *(step.lanes(letter) for letter in letters)))
    return run


def bitwise(combine: Callable[..., Term], letters: str = "nm") -> Semantics:
    """Operations on all bits; word by word, since most lanes are words."""
    def run(step: Step) -> None:
        step.write(on_lanes(combine, *(lanes(step.vector(letter), WORD) for letter in letters)))
    return run


def shifting(shift: Callable[[Term, int], Term], is_right: bool) -> Semantics:
    """Shifts by a constant; the highest one in the field tells the width of a lane."""
    def run(step: Step) -> None:
        width = 1 << step.fields["i"].bit_length() - 1
        by = 2 * width - step.fields["i"] if is_right else step.fields["i"] - width
        step.write(on_lanes(lambda a: shift(a, by), lanes(step.vector("m"), width)))
    return run


def shifting_by_sign(signed: Callable[[Term, int], Term], unsigned: Callable[[Term, int], Term]) -> Semantics:
    """Shifts to the right, with and without signs."""
    return lambda step: shifting(unsigned if step.fields["u"] else signed, True)(step)


def inserting(insert: Callable[[Term, Term, int], Term], is_right: bool) -> Semantics:
    """sri, sli: some bits of the destination stay."""
    def run(step: Step) -> None:
        width = 1 << step.fields["i"].bit_length() - 1
        by = 2 * width - step.fields["i"] if is_right else step.fields["i"] - width
        old, new = (lanes(step.vector(letter), width) for letter in "dm")
        step.write(on_lanes(lambda a, b: insert(a, b, by), old, new))
    return run


def rounded_shift_unsigned(a: Term, by: int) -> Term:
    """A shift to the right, rounded to the nearest, of a number without a sign."""
    wide = terms.add(zext(a, a.width + 1), const(1 << (by - 1), a.width + 1))
    return zext(extract(wide, a.width, by), a.width)


def rounded_half(a: Term, b: Term) -> Term:
    """rhadd of numbers without signs: half of the sum, rounded up."""
    total = terms.add(zext(a, a.width + 1), zext(b, a.width + 1), const(1, a.width + 1))
    return extract(total, a.width, 1)


def shift_by_lanes(step: Step) -> None:
    """shl by the lanes of another vector."""
    step.write(on_lanes(by_lane(terms.lshr if step.fields["u"] else terms.ashr), step.lanes("m"), step.lanes("n")))


def shift_by_scalar(step: Step) -> None:
    """shl by a core register, in place."""
    by = extract(step.core("t"), step.width - 1, 0)
    shift = by_lane(terms.lshr if step.fields["u"] else terms.ashr)
    step.write(on_lanes(lambda a: shift(a, by), step.lanes("d")))


def high(rounding: int) -> Semantics:
    """mulh, rmulh: the high half of a product."""
    def run(step: Step) -> None:
        width, wider = step.width, step.wider

        def of(a: Term, b: Term) -> Term:
            product = terms.mul(wider(a, 2 * width), wider(b, 2 * width))
            return extract(terms.add(product, const(rounding << (width - 1), 2 * width)), 2 * width - 1, width)
        lanewise(of)(step)
    return run


def doubled_high_rounded(a: Term, b: Term) -> Term:
    """qrdmulh: the high half of twice a product, rounded. Only one of two least numbers saturates, and here one is a constant."""
    width = a.width
    if not terms.is_const(b) or terms.can_be(b, -(1 << (width - 1))):
        raise Refused("a doubled product may saturate")
    product = terms.mul(sext(a, 2 * width), sext(b, 2 * width))
    return extract(terms.add(product, product, const(1 << (width - 1), 2 * width)), 2 * width - 1, width)


def turned(step: Step) -> None:
    """cadd: complex numbers, the second one turned by 90 or 270 degrees."""
    first, second = step.lanes("n"), step.lanes("m")
    plus, minus = (terms.add, terms.sub) if step.fields["i"] else (terms.sub, terms.add)
    found = []
    for at in range(0, len(first), 2):
        found += [plus(first[at], second[at + 1]), minus(first[at + 1], second[at])]
    step.write(joined(found))


def reversing(group: int) -> Semantics:
    """rev32, rev64: the lanes of each group."""
    def run(step: Step) -> None:
        found, each = step.lanes("m"), group // step.width
        step.write(joined([one for at in range(0, len(found), each) for one in reversed(found[at:at + each])]))
    return run


def positive(a: Term) -> Term:
    """abs."""
    return terms.ite(extract(a, a.width - 1, a.width - 1), terms.neg(a), a)


def greater(a: Term, b: Term) -> Term:
    """The greater one of two numbers without signs."""
    return terms.ite(terms.ult(a, b), b, a)


def signed_greater(a: Term, b: Term) -> Term:
    """The greater one of two numbers."""
    return terms.ite(terms.slt(a, b), b, a)


def less(a: Term, b: Term) -> Term:
    """The smaller one of two numbers without signs."""
    return terms.ite(terms.ult(a, b), a, b)


def saturated_difference(a: Term, b: Term) -> Term:
    """qsub without signs: zero in place of a negative."""
    return terms.ite(terms.ult(a, b), const(0, a.width), terms.sub(a, b))


def across(combine: Callable[[Term, Term], Term]) -> Semantics:
    """maxv, minv: the extreme of all lanes and a core register, without signs."""
    def run(step: Step) -> None:
        if not step.fields["u"] or step.active != ALL:
            raise Refused("the instruction has no semantics here")
        start = extract(step.core("t"), step.width - 1, 0)
        step.state.registers[step.fields["t"]] = zext(reduce(combine, step.lanes("m"), start), WORD)
    return run


def spread(step: Step) -> None:
    """dup: a core register to all lanes."""
    step.write(joined([step.core("t")] * (VECTOR // WORD)))


def counting(sign: int, is_around: bool = False) -> Semantics:
    """idup, ddup, iwdup: a core register to the first lane, and more or less to each next one; iwdup begins again at zero."""
    def run(step: Step) -> None:
        number, by = 2 * step.fields["r"], sign << step.fields["i"]
        value, found = step.state.registers[number], []
        for _ in range(VECTOR // step.width):
            found.append(extract(value, step.width - 1, 0))
            value = terms.add(value, const(by, WORD))
            if is_around and constant(terms.eq(value, step.state.registers[2 * step.fields["t"] + 1]), "a place"):
                value = const(0, WORD)
        step.write(joined(found))
        step.state.registers[number] = value
    return run


def expanded(step: Step) -> Term:
    """An immediate in all words: a byte at one of four places."""
    return joined([const(step.fields["i"] << 8 * step.fields["c"], WORD)] * (VECTOR // WORD))


# Predicates, and moves between registers

def lanes_left(step: Step) -> None:
    """ctp: a predicate of as many lanes as a core register says."""
    count = constant(step.core("r"), "a number of lanes")
    step.state.registers[PREDICATE] = const((1 << min(BYTES, count << step.fields["s"])) - 1, BYTES)


def begin_block(step: Step) -> None:
    """pst: the next instructions are predicated."""
    step.state.registers[BLOCK] = const(step.fields["i"], 4)


def predicate_to_core(step: Step) -> None:
    """mrs p0."""
    step.state.registers[step.fields["t"]] = zext(step.state.registers[PREDICATE], WORD)


def core_to_predicate(step: Step) -> None:
    """msr p0."""
    step.state.registers[PREDICATE] = extract(step.core("t"), BYTES - 1, 0)


def word_of_vectors(step: Step, number: int) -> Term:
    """A word of the vectors, which are numbered together."""
    return lanes(step.state.registers[FIRST_VECTOR + number // 4], WORD)[number % 4]


def put_word(step: Step, number: int, value: Term) -> None:
    """Replaces a word of the vectors."""
    vector = FIRST_VECTOR + number // 4
    found = lanes(step.state.registers[vector], WORD)
    found[number % 4] = value
    step.state.registers[vector] = joined(found)


def word_to_core(step: Step) -> None:
    """mov from a word."""
    step.state.registers[step.fields["t"]] = word_of_vectors(step, step.fields["n"])


def core_to_word(step: Step) -> None:
    """mov to a word."""
    put_word(step, step.fields["n"], step.core("t"))


def core_to_lane(step: Step) -> None:
    """mov to a word of half a vector."""
    put_word(step, 2 * step.fields["m"] + step.fields["n"], step.core("t"))


# Memory

def halves(is_load: bool, is_down: bool = False) -> Semantics:
    """ldmia, stmia, stmdb: halves of vectors, two words each."""
    def run(step: Step) -> None:
        count, base = step.fields["i"], step.address()
        start = base - 4 * count if is_down else base
        for at in range(count):
            number = 2 * step.fields["d"] + at
            if is_load:
                put_word(step, number, step.state.memory.load(start + 4 * at, 4))
            else:
                step.state.memory.store(start + 4 * at, word_of_vectors(step, number))
        if step.fields["w"]:
            step.state.registers[step.fields["r"]] = const(start if is_down else base + 4 * count, WORD)
    return run


def single_place(step: Step) -> int:
    """The address of ldr, str of a half or a word."""
    base = step.instruction.address + 4 & ~3 if step.fields["r"] == PC else step.address()
    return base + (4 * step.fields["i"] if step.fields["a"] else -4 * step.fields["i"])


def load_half(step: Step) -> None:
    """ldr of half a vector."""
    for at in range(2):
        put_word(step, 2 * step.fields["d"] + at, step.state.memory.load(single_place(step) + 4 * at, 4))


def store_word(step: Step) -> None:
    """str of a word of the vectors; the lowest bit of its number comes first."""
    low, rest = step.fields["d"] >> 4, step.fields["d"] & 15
    step.state.memory.store(single_place(step), word_of_vectors(step, 2 * rest + low))


def place(step: Step, size: int) -> int:
    """The address of an access; writes back."""
    base, by = step.address(), step.fields["i"] * size
    later = base + (by if step.fields["a"] else -by)
    if step.fields["w"]:
        step.state.registers[step.fields["r"]] = const(later, WORD)
    return later if step.fields["p"] else base


def load_lanes(step: Step, places: list[int], size: int) -> None:
    """Loads a lane from each address; zeros where the instruction does not work."""
    width, found = VECTOR // len(places), []
    for lane, at in enumerate(places):
        is_loaded = step.is_active(lane * width // 8)
        found.append(step.wider(step.state.memory.load(at, size), width) if is_loaded else const(0, width))
    step.state.registers[FIRST_VECTOR + step.fields["d"]] = joined(found)


def store_lanes(step: Step, places: list[int], size: int) -> None:
    """Stores the low bytes of a lane at each address."""
    width = VECTOR // len(places)
    for lane, (at, value) in enumerate(zip(places, lanes(step.vector("d"), width))):
        if step.is_active(lane * width // 8):
            step.state.memory.store(at, extract(value, 8 * size - 1, 0))


def neighbours(access: Callable[[Step, list[int], int], None], is_short: bool = False) -> Semantics:
    """ldr, str: lanes that are neighbours in memory, where they may be shorter."""
    def run(step: Step) -> None:
        size = 1 << step.fields["h"] if is_short else step.width // 8
        start = place(step, size)
        access(step, [start + size * lane for lane in range(VECTOR // step.width)], size)
    return run


def by_offsets(access: Callable[[Step, list[int], int], None]) -> Semantics:
    """Words at a core register and the lanes of a vector, of bytes or words."""
    def run(step: Step) -> None:
        offsets = [one << 2 * step.fields["i"] for one in numbers(step)]
        access(step, [step.address() + one & 0xFFFFFFFF for one in offsets], 4)
    return run


def by_bases(access: Callable[[Step, list[int], int], None]) -> Semantics:
    """Words at addresses in a vector, and an offset."""
    def run(step: Step) -> None:
        by = 4 * step.fields["i"] if step.fields["a"] else -4 * step.fields["i"]
        places = [one + by for one in numbers(step)]
        if step.fields["w"]:
            raise Refused("the instruction has no semantics here")
        access(step, places, 4)
    return run


def numbers(step: Step) -> list[int]:
    """Words of a vector that are addresses or offsets."""
    return [constant(one, "an address") for one in lanes(step.vector("m"), WORD)]


def structures(count: int, is_load: bool) -> Semantics:
    """ld2, ld4, st2, st4 of words: word w of memory is lane w / count of register w mod count. Each of the two or four
    instructions takes four of the words."""
    def run(step: Step) -> None:
        base = step.address()
        for word in STRUCTURES[count][step.fields["i"]]:
            number = 4 * (step.fields["d"] + word % count) + word // count
            if is_load:
                put_word(step, number, step.state.memory.load(base + 4 * word, 4))
            else:
                step.state.memory.store(base + 4 * word, word_of_vectors(step, number))
        if step.fields["w"]:
            step.state.registers[step.fields["r"]] = const(base + BYTES * count, WORD)
    return run


STRUCTURES = {2: ((0, 1, 6, 7), (2, 3, 4, 5)), 4: ((0, 1, 10, 11), (2, 3, 12, 13), (4, 5, 14, 15), (6, 7, 8, 9))}


# Loops

def begin_loop(step: Step) -> None:
    """dls."""
    step.state.registers[LR] = step.core("r")


def distance(step: Step) -> int:
    """The number of bytes that a loop is long."""
    return (step.fields["i"] << 1 | step.fields["j"]) << 1


def end_loop(step: Step) -> None:
    """le."""
    left = constant(step.state.registers[LR], "a number of turns")
    if left > 1:
        step.state.registers[LR] = const(left - 1, WORD)
        step.next -= distance(step)


def begin_predicated_loop(step: Step) -> None:
    """wlstp."""
    if constant(step.core("r"), "a number of lanes"):
        step.state.registers[LR] = step.core("r")
        step.state.registers[TAIL] = const(step.fields["s"], 3)
    else:
        step.next += distance(step)


def end_predicated_loop(step: Step) -> None:
    """letp."""
    each = BYTES >> constant(step.state.registers[TAIL], "a tail")
    left = constant(step.state.registers[LR], "a number of lanes")
    if left > each:
        step.state.registers[LR] = const(left - each, WORD)
        step.next -= distance(step)
    else:
        step.state.registers[TAIL] = const(ALL_LANES, 3)


# Instructions of two words, and of conditions

def pair_shift(right: Callable[[Term, int], Term], is_left: bool, is_register: bool = False) -> Semantics:
    """lsll, lsrl, asrl: shifts of two words by a constant; by a core register, whose lowest byte counts, back where it is
    negative."""
    def run(step: Step) -> None:
        low, high_word = 2 * step.fields["r"], 2 * step.fields["t"] + 1
        value = terms.concat(step.state.registers[high_word], step.state.registers[low])
        by = step.fields["i"] or WORD if not is_register else constant(extract(step.core("f"), 7, 0), "a shift")
        by = terms.signed(by, 8) if is_left else -terms.signed(by, 8)
        value = terms.shl(value, by) if by >= 0 else right(value, -by)
        step.state.registers[low], step.state.registers[high_word] = extract(value, 31, 0), extract(value, 63, 32)
    return run


def selecting(otherwise: Callable[[Term], Term]) -> Semantics:
    """csel, csinc, csinv, csneg."""
    def run(step: Step) -> None:
        condition = conditions(step.state.flags)[step.fields["i"] + FIRST_CONDITION]()
        step.state.registers[step.fields["t"]] = terms.ite(condition, step.core("r"), otherwise(step.core("f")))
    return run


ACROSS_LANES: dict[str, Semantics] = {"maxv": across(greater), "minv": across(less)}
ON_VECTORS: dict[str, Semantics] = {
    "add": lanewise(terms.add), "sub": lanewise(terms.sub), "mul": lanewise(terms.mul), "qdmulh": lanewise(doubled_high),
    "rhadd": by_sign(halved_sum, rounded_half), "hadd": by_sign(halved(sext, terms.add), halved(zext, terms.add)),
    "hsub": by_sign(halved_difference, halved(zext, terms.sub)), "max": by_sign(signed_greater, greater),
    "mulh": high(0), "rmulh": high(1), "cadd": turned, "shl-lanes": shift_by_lanes, "shl-scalar": shift_by_scalar,
    "and": bitwise(terms.and_), "orr": bitwise(terms.or_), "eor": bitwise(terms.xor), "mvn": bitwise(terms.not_, "m"),
    "bic": bitwise(lambda a, b: terms.and_(a, terms.not_(b))),
    "add-scalar": with_scalar(terms.add), "sub-scalar": with_scalar(terms.sub), "mul-scalar": with_scalar(terms.mul),
    "qdmulh-scalar": with_scalar(doubled_high), "qrdmulh-scalar": with_scalar(doubled_high_rounded),
    "mla-scalar": with_scalar(lambda old, a, b: terms.add(old, terms.mul(a, b)), "dn"),
    "qsub-scalar": with_scalar(saturated_difference), "dup": spread,
    "idup": counting(1), "ddup": counting(-1), "iwdup": counting(1, is_around=True),
    "mov-immediate": lambda step: step.write(expanded(step)),
    "orr-immediate": lambda step: step.write(terms.or_(step.vector("d"), expanded(step))),
    "bic-immediate": lambda step: step.write(terms.and_(step.vector("d"), terms.not_(expanded(step)))),
    "shr": shifting_by_sign(terms.ashr, terms.lshr), "rshr": shifting_by_sign(rounded_shift, rounded_shift_unsigned),
    "shl": shifting(terms.shl, False), "sri": inserting(inserted_right, True), "sli": inserting(inserted_left, False),
    "rev32": reversing(32), "rev64": reversing(64), "abs": lanewise(positive, "m"), "neg": lanewise(terms.neg, "m"),
    "ldr": neighbours(load_lanes), "str": neighbours(store_lanes), "ldr-wider": neighbours(load_lanes, True),
    "str-narrower": neighbours(store_lanes, True), "ldr-offsets": by_offsets(load_lanes), "str-offsets": by_offsets(store_lanes),
    "ldr-bases": by_bases(load_lanes), "str-bases": by_bases(store_lanes), **ACROSS_LANES,
}
OTHERS: dict[str, Semantics] = {
    "ctp": lanes_left, "pst": begin_block, "mrs-p0": predicate_to_core, "msr-p0": core_to_predicate,
    "mov-from-word": word_to_core, "mov-to-word": core_to_word, "mov-to-lane": core_to_lane,
    "ldr-double": load_half, "str-single": store_word, "ldmia": halves(True), "stmia": halves(False),
    "stmdb": halves(False, True),
    **{f"ld{count}": structures(count, True) for count in STRUCTURES},
    **{f"st{count}": structures(count, False) for count in STRUCTURES},
    "dls": begin_loop, "le": end_loop, "wlstp": begin_predicated_loop, "letp": end_predicated_loop,
    "lsll": pair_shift(terms.lshr, True), "lsrl": pair_shift(terms.lshr, False), "asrl": pair_shift(terms.ashr, False),
    "lsll-register": pair_shift(terms.lshr, True, True), "asrl-register": pair_shift(terms.ashr, False, True),
    "csel": selecting(lambda a: a), "csinc": selecting(lambda a: terms.add(a, const(1, WORD))),
    "csinv": selecting(terms.not_), "csneg": selecting(terms.neg),
}


class Helium(Thumb):
    """The Cortex-M55, and the procedure call standard with vectors."""

    def decode(self, image: Image, address: int) -> Instruction:
        key = image, address
        if not isinstance(self.decoded.get(key), Instruction) and (code := image.bytes_at(address, 4)) is not None:
            found = decoded(address, code)
            if found is not None:
                self.decoded[key] = found
        return super().decode(image, address)

    def step(self, state: State, instruction: Instruction) -> None:
        if not isinstance(instruction, Instruction):
            super().step(state, instruction)
            return
        step, name = Step(state, instruction), instruction.mnemonic
        if name in ON_VECTORS:
            ON_VECTORS[name](step)
            step.advance()
        elif step.active != ALL and constant(state.registers[BLOCK], "a block"):
            raise Refused("the instruction has no semantics under a predicate here")
        else:
            OTHERS[name](step)
        state.place = step.next

    def enter(self, state: State, function: int, arguments: list[int]) -> None:
        super().enter(state, function, arguments)
        state.registers |= {FIRST_VECTOR + number: var(f"q{number}", VECTOR) for number in range(VECTORS)}
        state.registers |= {PREDICATE: var("p0", BYTES), BLOCK: const(0, 4), TAIL: const(ALL_LANES, 3)}

    def leave(self, state: State, unknown: str) -> None:
        super().leave(state, unknown)
        state.registers |= {FIRST_VECTOR + number: var(f"{unknown}_q{number}", VECTOR) for number in range(FIRST_KEPT)}
        state.registers[PREDICATE] = var(f"{unknown}_p0", BYTES)

    def left_well(self, before: dict[int, Term], state: State) -> bool:
        kept = (*range(FIRST_VECTOR + FIRST_KEPT, FIRST_VECTOR + VECTORS), BLOCK, TAIL)
        return super().left_well(before, state) and all(state.registers[number] is before[number] for number in kept)
