"""Valid/ready streams of doc/interfaces.md: sources, sinks and the clock loop that serves them.

Inputs change after a falling edge; the beats of the next rising edge are then read once all signals
have settled."""
import random
from collections import deque
from collections.abc import Callable, Iterable, Sequence

from cocotb.triggers import FallingEdge, ReadOnly


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

    def drive(self) -> None:
        """Offers the next beat, unless it pauses; never withdraws one."""
        if not self.offered and self.waiting and self.willing():
            self.offered = True
            for signal, value in zip(self.data, self.waiting[0]):
                signal.value = value
        if self.driven != self.offered:
            self.valid.value = int(self.offered)
            self.driven = self.offered

    def sample(self) -> None:
        """Removes the beat if it was taken."""
        if self.offered and self.ready.value == 1:
            self.offered = False
            self.waiting.popleft()
            self.sent += 1


class Sink:
    """Takes beats and keeps them; `data` are the signals of a beat, kept as integers, or as one if
    there is one."""

    def __init__(self, valid, ready, data: Sequence, willing: Callable[[], bool] = always):
        self.valid, self.ready, self.data, self.willing = valid, ready, data, willing
        self.beats: list = []
        self.taking = self.driven = False
        ready.value = 0

    def drive(self) -> None:
        """Takes a beat in this cycle, unless it pauses."""
        self.taking = self.willing()
        if self.driven != self.taking:
            self.ready.value = int(self.taking)
            self.driven = self.taking

    def sample(self) -> None:
        """Keeps the beat that moves."""
        if self.taking and self.valid.value == 1:
            beat = tuple(int(signal.value) for signal in self.data)
            self.beats.append(beat if len(beat) > 1 else beat[0])


async def cycles(dut, sides: Sequence[Source | Sink], until: Callable[[], bool], limit: int) -> int:
    """Serves all sides until the condition holds; the number of cycles. Fails at the limit. Begins
    and ends after a falling edge."""
    for cycle in range(limit):
        if until():
            return cycle
        for side in sides:
            side.drive()
        await ReadOnly()
        for side in sides:
            side.sample()
        await FallingEdge(dut.clk_i)
    assert until(), f"not done after {limit} cycles"
    return limit


async def idle(dut, sides: Sequence[Source | Sink], count: int) -> None:
    """Serves all sides for some cycles."""
    elapsed = iter(range(count))
    await cycles(dut, sides, lambda: next(elapsed, None) is None, count + 1)
