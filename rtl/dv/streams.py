"""Valid/ready streams of doc/interfaces.md: sources, sinks and the clock loop that serves them.

Inputs change after a falling edge; the beats of the next rising edge are then read once all signals
have settled. Python takes more time for a cycle than the simulation does. So it waits for them to
settle only after a change of an input, and while nothing moves it sleeps until a signal changes for
which a side waits."""
import random
from collections import deque
from collections.abc import Callable, Iterable, Sequence

from cocotb.triggers import FallingEdge, First, ReadOnly, Timer
from cocotb.utils import get_sim_steps, get_sim_time

from rtl.dv.bench import CLOCK_NANOSECONDS

# Cycles without a beat after which it sleeps.
STILL = 6


def always() -> bool:
    """A side that never pauses."""
    return True


def sometimes(share: float) -> Callable[[], bool]:
    """A side that is ready in this share of the cycles."""
    return lambda: random.random() < share


class Source:
    """Sends beats, each as long as it takes; `data` are the signals of a beat and a beat is one
    value for each."""

    def __init__(self, valid, ready, data: Sequence, willing: Callable[[], bool] = always):
        self.valid, self.ready, self.data, self.willing = valid, ready, data, willing
        self.waiting: deque = deque()
        self.offered = False
        self.driven: bool | None = None
        self.sent = 0
        valid.value = 0

    def add(self, beats: Iterable[Sequence[int]]) -> None:
        """Appends beats to be sent."""
        self.waiting.extend(beats)

    def drop(self) -> None:
        """Drops all beats to be sent, including an offered one."""
        self.waiting.clear()
        self.offered = False
        self.driven = None

    def drive(self) -> bool:
        """Offers the next beat, unless it pauses; never withdraws one. True if an input changes."""
        changes = False
        if not self.offered and self.waiting and self.willing():
            self.offered = changes = True
            for signal, value in zip(self.data, self.waiting[0]):
                signal.value = value
        if self.driven != self.offered:
            self.valid.value = int(self.offered)
            self.driven, changes = self.offered, True
        return changes

    def sample(self) -> bool:
        """Removes the beat if it was taken, and tells that."""
        if not self.offered or not self.ready.value:
            return False
        self.offered = False
        self.waiting.popleft()
        self.sent += 1
        return True

    def awaited(self) -> tuple | None:
        """Signals without whose change it does nothing more; None if it may pause."""
        if self.waiting and self.willing is not always:
            return None
        return (self.ready,) if self.offered else ()


class Sink:
    """Takes beats and keeps them; `data` are the signals of a beat, kept as integers, or as one if
    there is one."""

    def __init__(self, valid, ready, data: Sequence, willing: Callable[[], bool] = always):
        self.valid, self.ready, self.data, self.willing = valid, ready, data, willing
        self.beats: list = []
        self.taking = self.driven = False
        ready.value = 0

    def drive(self) -> bool:
        """Takes a beat in this cycle, unless it pauses; True if an input changes."""
        self.taking = self.willing()
        if self.driven == self.taking:
            return False
        self.ready.value = int(self.taking)
        self.driven = self.taking
        return True

    def sample(self) -> bool:
        """Keeps the beat that moves, and tells that there is one."""
        if not self.taking or not self.valid.value:
            return False
        beat = tuple(int(signal.value) for signal in self.data)
        self.beats.append(beat if len(beat) > 1 else beat[0])
        return True

    def awaited(self) -> tuple | None:
        """Signals without whose change it does nothing more; None if it may pause."""
        return (self.valid,) if self.willing is always else None


async def cycles(dut, sides: Sequence[Source | Sink], until: Callable[[], bool], limit: int,
                 watched: Sequence | None = None) -> int:
    """Serves all sides until the condition holds; the number of cycles. Fails at the limit. Begins
    and ends after a falling edge. If `watched` is given, the condition depends on these signals and
    on the beats of the sides alone."""
    elapsed = await serve(dut, sides, until, limit, watched)
    assert elapsed < limit or until(), f"not done after {limit} cycles"
    return elapsed


async def idle(dut, sides: Sequence[Source | Sink], count: int) -> None:
    """Serves all sides for some cycles."""
    await serve(dut, sides, lambda: False, count, ())


async def serve(dut, sides: Sequence[Source | Sink], until: Callable[[], bool], limit: int,
                watched: Sequence | None) -> int:
    """cycles() that ends at its limit, too."""
    cycle = still = 0
    while cycle < limit and not until():
        drives = moves = False
        for side in sides:
            drives |= side.drive()
        # Other inputs may have changed before the first cycle.
        if drives or cycle == 0:
            await ReadOnly()
        for side in sides:
            moves |= side.sample()
        still = 0 if drives or moves else still + 1
        if watched is not None and still > STILL:
            cycle += await sleep(sides, watched, limit - cycle)
            still = 0
        await FallingEdge(dut.clk_i)
        cycle += 1
    return cycle


async def sleep(sides: Sequence[Source | Sink], watched: Sequence, most: int) -> int:
    """Waits within the cycle before a side or the condition can move, or before the last of `most`
    falling edges; the number of falling edges that passed. Does not wait if a side may pause."""
    signals = list(watched)
    for side in sides:
        awaited = side.awaited()
        if awaited is None:
            return 0
        signals += awaited
    begin = get_sim_time("step")
    period = get_sim_steps(CLOCK_NANOSECONDS, "ns")
    if most > 1:
        rest = Timer(most * period - period // 2 - 1, unit="step")
        await First(rest, *(signal.value_change for signal in signals))
    return (get_sim_time("step") - begin) // period
