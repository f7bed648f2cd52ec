"""Starts, waits, stops and addresses for the benches of both kinds of transfers."""
import random
from collections.abc import Sequence

from rtl.dv.bus.memory import BURST_BYTES, Count
from rtl.dv.streams import Sink, Source, cycles, idle

MEMORY_BYTES = 1 << 20


class Transfers:
    """The module between its two neighbours, the `sides`; `counted` is its port for the number of
    items to move."""

    def __init__(self, dut, counted: str, sides: Sequence[Source | Sink]):
        self.dut, self.counted = dut, getattr(dut, counted)
        self.errors = Count(dut.bus_error_o)
        self.sides = (*sides, self.errors)

    async def order(self, address: int, count: int) -> None:
        """One cycle of start_i."""
        self.dut.address_i.value, self.counted.value, self.dut.start_i.value = address, count, 1
        await idle(self.dut, self.sides, 1)
        self.dut.start_i.value = 0

    async def abort(self) -> None:
        """One cycle of abort_i."""
        self.dut.abort_i.value = 1
        await idle(self.dut, self.sides, 1)
        self.dut.abort_i.value = 0

    async def quiet(self, limit: int) -> int:
        """Waits until nothing is in flight; the number of cycles."""
        return await cycles(self.dut, self.sides, lambda: self.dut.busy_o.value == 0, limit)


def place(count: int, item_bytes: int) -> int:
    """A random address for a number of items, often near the end of a burst."""
    address = random.randrange(0, MEMORY_BYTES - item_bytes * count, item_bytes)
    burst = address // BURST_BYTES * BURST_BYTES
    return random.choice((address, burst, burst + BURST_BYTES - item_bytes))
