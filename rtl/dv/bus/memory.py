"""The memory behind the transfers of 64-bit AXI4, one identifier, responses in order; sides for
rtl.dv.streams.cycles."""
from collections.abc import Callable, Container

from rtl.dv.streams import Sink, Source, always

BEAT_BYTES, BURST_BYTES = 8, 128
OKAY, SLAVE_ERROR = 0, 2


def word_at(address: int) -> int:
    """The memory's word at an address, different at every address."""
    return (address * 2654435761 + 0x9E3779B9) & 0xFFFFFFFF


def beats_of(address: int, length: int) -> list[int]:
    """The addresses of a burst; AssertionError if doc/system.md does not allow it."""
    end = address + BEAT_BYTES * (length + 1)
    within = address // BURST_BYTES == (end - 1) // BURST_BYTES
    assert address % BEAT_BYTES == 0 and within, f"burst at {address:#x} of {length + 1} beats"
    return list(range(address, end, BEAT_BYTES))


def ports(dut, prefix: str, *names: str) -> list:
    """The signals of one channel."""
    return [getattr(dut, prefix + name) for name in names]


def joined(*channels: Source | Sink) -> tuple | None:
    """Signals that the channels wait for, or None if one may pause."""
    found = [channel.awaited() for channel in channels]
    return None if None in found else sum(found, ())


class ReadMemory:
    """Serves reads with words, by default those of word_at; beats at addresses in `broken` with an
    error."""

    def __init__(self, dut, willing: Callable[[], bool] = always, broken: Container[int] = (),
                 prefix: str = ""):
        order = ports(dut, prefix, "arvalid_o", "arready_i", "araddr_o", "arlen_o")
        response = ports(dut, prefix, "rvalid_i", "rready_o", "rdata_i", "rresp_i", "rlast_i")
        self.orders = Sink(order[0], order[1], order[2:], willing)
        self.responses = Source(response[0], response[1], response[2:], willing)
        self.broken = broken
        self.words: Callable[[int], int] = word_at
        self.read: list[int] = []

    def drive(self) -> bool:
        """Drives both channels; True if an input changes."""
        return self.orders.drive() | self.responses.drive()

    def sample(self) -> bool:
        """Takes read addresses; their beats are sent in later cycles. True if one moved."""
        moves = self.responses.sample() | self.orders.sample()
        for address, length in self.orders.beats:
            addresses = beats_of(address, length)
            self.read += addresses
            self.responses.add((self.words(at) | self.words(at + 4) << 32,
                              SLAVE_ERROR if at in self.broken else OKAY,
                              int(at == addresses[-1])) for at in addresses)
        self.orders.beats.clear()
        return moves

    def awaited(self) -> tuple | None:
        """Signals without whose change it does nothing more; None if a channel may pause."""
        return joined(self.orders, self.responses)


class WriteMemory:
    """Stores written words by address; bursts that touch `broken` end in an error."""

    def __init__(self, dut, willing: Callable[[], bool] = always, broken: Container[int] = (),
                 prefix: str = ""):
        order = ports(dut, prefix, "awvalid_o", "awready_i", "awaddr_o", "awlen_o")
        data = ports(dut, prefix, "wvalid_o", "wready_i", "wdata_o", "wstrb_o", "wlast_o")
        response = ports(dut, prefix, "bvalid_i", "bready_o", "bresp_i")
        self.orders = Sink(order[0], order[1], order[2:], willing)
        self.data = Sink(data[0], data[1], data[2:], willing)
        self.responses = Source(response[0], response[1], response[2:], willing)
        self.broken = broken
        self.held: dict[int, int] = {}

    def drive(self) -> bool:
        """Drives the three channels; True if an input changes."""
        return self.orders.drive() | self.data.drive() | self.responses.drive()

    def sample(self) -> bool:
        """Responds to each complete burst; True if a beat moved."""
        moves = self.responses.sample() | self.orders.sample() | self.data.sample()
        while self.orders.beats and len(self.data.beats) > self.orders.beats[0][1]:
            self.finish(beats_of(*self.orders.beats.pop(0)))
        return moves

    def awaited(self) -> tuple | None:
        """Signals without whose change it does nothing more; None if a channel may pause."""
        return joined(self.orders, self.data, self.responses)

    def finish(self, addresses: list[int]) -> None:
        """Takes the data of one burst."""
        for at in addresses:
            value, strobe, last = self.data.beats.pop(0)
            assert strobe in (0, 0xFF) and last == (at == addresses[-1]), f"beat at {at:#x}"
            if strobe:
                self.held[at] = value
        failed = any(at in self.broken for at in addresses)
        self.responses.add([(SLAVE_ERROR if failed else OKAY,)])


class Count:
    """Counts the cycles in which a signal is high."""

    def __init__(self, signal):
        self.signal = signal
        self.seen = 0

    def drive(self) -> bool:
        """Drives nothing."""
        return False

    def sample(self) -> bool:
        """Counts one cycle."""
        high = bool(self.signal.value)
        self.seen += high
        return high

    def awaited(self) -> tuple:
        """The signal, without whose change it counts nothing more."""
        return (self.signal,)
