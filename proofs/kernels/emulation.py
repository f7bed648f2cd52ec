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
from proofs.kernels.stubs import free_words, stubs_of
from proofs.kernels.terms import Term, const, is_const, var

# A register that the translator does not have, or that holds flags which it does not follow.
ABSENT = var("absent", 32)


def beside(processor: Processor, image: Image) -> Emulator:
    """The machine that runs beside the translator."""
    if isinstance(processor, X86):
        return Native(image)
    return Board(image) if isinstance(processor, Helium) else Unicorn(processor, image)


def numbers(words: dict[int, Term], draw: random.Random) -> dict[int, Term]:
    """Words with values in place of their variables, within the bounds."""
    given: dict[str, int] = {}
    terms.draw_missing(given, list(words.values()), draw)
    return {address: const(terms.value(term, given), term.width) for address, term in words.items()}


def started(claim: Claim, processor: Processor, emulator: Emulator, place: tuple[Image, int], draw: random.Random) -> State:
    """A call on random numbers, at the address of a function, in the translator and in the emulator."""
    image, function = place
    layout, words = Layout(processor.pointer), {}
    arguments = [layout.place(one, words) if isinstance(one, Region) else one for one in claim.arguments]
    words = numbers(layout.stored(image, words), draw)
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
        words, given = free_words(claim.prime, claim.has_fields), {}

        def drawn(number: int, kind: str) -> Term:
            word = words(number, kind)
            terms.draw_missing(given, [word], draw)
            return const(terms.value(word, given), 32)

        stubs = stubs_of(claim.stubbed, image, drawn)
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
