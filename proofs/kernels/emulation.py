"""The translators against an emulator: a function on random numbers, compared after every instruction."""
import random

from capstone import CsInsn

from proofs.kernels import terms
from proofs.kernels.claim import FIRST_REGION, Claim, Layout, Region
from proofs.kernels.emulators.emulator import Emulator, known
from proofs.kernels.emulators.native import Native
from proofs.kernels.emulators.qemu import Board
from proofs.kernels.emulators.unicorn_engine import Unicorn
from proofs.kernels.image import Image
from proofs.kernels.machine import RETURN, Processor, State, initial_memory
from proofs.kernels.processors.helium import Helium
from proofs.kernels.processors.x86 import X86
from proofs.kernels.stubs import MOST_FIXED, free_words, stubs_of
from proofs.kernels.terms import Term, const, is_const, var

# A register that the translator does not have, or that holds flags which it does not follow.
ABSENT = var("absent", 32)


def beside(processor: Processor, image: Image) -> Emulator:
    """The machine that runs beside the translator."""
    if isinstance(processor, X86):
        return Native(image)
    return Board(image) if isinstance(processor, Helium) else Unicorn(processor, image)


class Drawn(dict):
    """Random values of variables, below a prime where their names say so."""

    def __init__(self, draw: random.Random, prime: int):
        super().__init__()
        self.draw, self.prime = draw, prime

    def __missing__(self, name: str) -> int:
        if name.startswith("value"):
            self[name] = self.draw.randint(-MOST_FIXED, MOST_FIXED) & 0xFFFFFFFF
        else:
            self[name] = self.draw.randrange(self.prime) if "below" in name else self.draw.getrandbits(32)
        return self[name]


def numbers(layout: Layout, words: dict[int, Term], draw: random.Random) -> dict[int, Term]:
    """Random words within the bounds of a layout."""
    given: dict[str, int] = {}
    for one in terms.ordered(list(words.values())):
        if one.kind == "var" and one.data in layout.bounds:
            given[one.data] = draw.randint(*layout.bounds[one.data]) & ((1 << one.width) - 1)
        elif one.kind == "var":
            given[one.data] = draw.choice((draw.getrandbits(one.width), 0, 1, 1 << (one.width - 1), -1)) & ((1 << one.width) - 1)
    return {address: const(terms.value(term, given), term.width) for address, term in words.items()}


def started(claim: Claim, processor: Processor, emulator: Emulator, place: tuple[Image, int], draw: random.Random) -> State:
    """A call on random numbers, at the address of a function, in the translator and in the emulator."""
    image, function = place
    layout, words = Layout(processor.pointer), {}
    arguments = [layout.place(one, words) if isinstance(one, Region) else one for one in claim.arguments]
    words = numbers(layout, layout.stored(image, words), draw)
    memory = initial_memory(image)
    for address, term in words.items():
        memory.store(address, term)
    state = State({}, memory)
    processor.enter(state, function, arguments)
    known(state, draw)
    memory.first = lambda at: const((image.bytes_at(at, 1) or b"\0")[0], 8)
    # Entering wrote arguments to the stack, and the features of the processor.
    entered = {at: memory.load(at, 1) for at in list(memory.bytes) if at not in words and at < FIRST_REGION}
    emulator.start(state, words | entered)
    return state


def differences(claim: Claim, name: str, processor: Processor, image: Image, seed: int) -> list[str]:
    """Instructions that the translator executes otherwise than the emulator, until the first; empty if the function returned."""
    draw = random.Random(seed)
    with beside(processor, image) as emulator:
        state = started(claim, processor, emulator, (image, image.functions[name]), draw)
        words, given = free_words(claim.prime, claim.has_fields), Drawn(draw, claim.prime)
        stubs = stubs_of(claim.stubbed, image, lambda number, kind: const(terms.value(words(number, kind), given), 32))
        while state.place != RETURN:
            if state.place in stubs:
                stubs[state.place](processor, state)
                emulator.follow(state, draw)
            elif found := wrong_step(processor, image, state, emulator):
                return [f"{name}, {found[0]}", *found[1:]]
    return []


def stepped(processor: Processor, image: Image, state: State, takes_blocks: bool) -> CsInsn:
    """Runs one instruction, and of an emulator that takes blocks, those that an IT gives conditions to; the last one."""
    instruction = processor.decode(image, state.place)
    processor.step(state, instruction)
    for _ in range(len(instruction.mnemonic) - 1 if takes_blocks and instruction.mnemonic.startswith("it") else 0):
        instruction = processor.decode(image, state.place)
        processor.step(state, instruction)
    return instruction


def wrong_step(processor: Processor, image: Image, state: State, emulator: Emulator) -> list[str]:
    """Runs one instruction; the registers and flags that differ from the emulator's."""
    place = state.place
    instruction = stepped(processor, image, state, emulator.takes_blocks)
    if state.place == RETURN:
        return []
    emulated = emulator.step(place)
    wrong = [f"r{number} = {state.registers[number].data:x}, not {found:x}" for number, found in emulator.values().items()
             if is_const(state.registers.get(number, ABSENT)) and state.registers[number].data != found]
    wrong += [f"{flag} is not {found}" for flag, found in emulator.flags().items()
              if is_const(state.flags[flag]) and state.flags[flag].data != found]
    if state.place != emulated:
        wrong.append(f"the place is {state.place:x}, not {emulated:x}")
    return [f"{instruction.address:x}: {instruction.mnemonic} {instruction.op_str}", *wrong] if wrong else []
