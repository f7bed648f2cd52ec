"""Encryptions of words on isopod_system, whose message and public key come by turns: BFV and
rounded coefficients. Kinds of the wire: odd ones by public key."""
import itertools
import random
from collections.abc import Callable

from rtl.dv.bench import rounds
from rtl.dv.streams import idle
from rtl.dv.top.engine import ABORT as ABORTED
from rtl.dv.top.engine import BUS, NO_ERROR, Command
from rtl.dv.top.slot import encrypt_from
from rtl.dv.top.system import ABORT, CLEAR, DONE, START, System, halves
from spec.model.streams import CHACHA20

SAMPLES_AT, PUBLIC_AT, OUT_AT = 0x1004, 0x100008, 0x400078
LIMIT = 200_000


class Encryption:
    """One encryption of words in a memory."""

    def __init__(self, system: System, case, command: Command):
        self.system, self.case, self.command = system, case, command
        self.samples, self.public = case.words, case.public_words()
        self.expected = case.expected()

    async def begin(self) -> None:
        """Starts it, and the transfer of all residues."""
        system = self.system
        words = dict(zip(itertools.count(SAMPLES_AT, 4), self.samples))
        words |= dict(zip(itertools.count(PUBLIC_AT, 4),
                          (half for word in self.public for half in halves(word, system.width))))
        system.reads.words = lambda address: words.get(address, 0)
        system.writes.held.clear()
        await system.command(self.command)
        await system.write("SAMPLE_ADDRESS", SAMPLES_AT, len(self.samples), PUBLIC_AT,
                           len(self.public))
        await system.write("INTERRUPT_STATE", 7, DONE)
        await system.write("OUT_ADDRESS", OUT_AT)
        await system.write("CONTROL", START)
        await system.give_seeds(self.case.ciphertext.root)
        await system.write("OUT_BEATS", len(self.expected) // 8)

    async def ended(self) -> None:
        """Waits for the interrupt."""
        await self.system.until_interrupt(LIMIT)

    async def settle(self) -> None:
        """By secret key: finds the root that the slot made, and what it leads to."""
        if self.case.kind % 2:
            return
        case = self.case
        found = await self.system.made_root(case.ciphertext.root.mask_seed)
        if found:
            made = encrypt_from(found, case.pair, case.message, case.kind, CHACHA20)
            self.expected = case.expected(made)

    @property
    def held(self) -> dict[int, int]:
        """Beats that the memory must hold afterwards."""
        return {OUT_AT + place: int.from_bytes(self.expected[place:place + 8], "little")
                for place in range(0, len(self.expected), 8)}

    async def well(self) -> None:
        """Runs it whole; it must be right."""
        await self.begin()
        await self.ended()
        assert await self.system.error() == NO_ERROR and await self.system.read("OUT_LEFT") == 0
        await self.settle()
        assert self.system.writes.held == self.held, self.case.kind


async def memory_fails(system: System, kinds: tuple[int, int],
                       make: Callable[[int], Encryption]) -> None:
    """A failure anywhere in message or public key is a bus error; the next one is right."""
    word = len(halves(0, system.width)) * 4
    public = next(kind for kind in kinds if kind % 2)
    for _ in range(rounds(2, 6)):
        for at in (SAMPLES_AT, PUBLIC_AT):
            failing = make(public)
            size = 4 * len(failing.samples) if at == SAMPLES_AT else word * len(failing.public)
            system.reads.broken.add((at + random.randrange(size)) // 8 * 8)
            await failing.begin()
            await failing.ended()
            await system.until_quiet()
            assert await system.error() == BUS
            assert system.writes.held.items() <= failing.held.items()
            system.reads.broken.clear()
            await system.write("CONTROL", CLEAR)
            await make(random.choice(kinds)).well()


async def aborts(system: System, kinds: tuple[int, int],
                 make: Callable[[int], Encryption]) -> None:
    """Stopped at any time, the next one is right; KEY_LOCK leaves encryption alone."""
    for _ in range(rounds(3, 12)):
        stopped = make(random.choice(kinds))
        await stopped.begin()
        await idle(system.dut, system.sides, random.randrange(1, 9000))
        await system.write("CONTROL", ABORT)
        await system.until_quiet()
        assert await system.error() in (ABORTED, NO_ERROR)
        await stopped.settle()
        assert system.writes.held.items() <= stopped.held.items()
        await system.write("CONTROL", CLEAR)
        await make(random.choice(kinds)).well()
    await system.write("KEY_LOCK", 3)
    for kind in kinds:
        await make(kind).well()
