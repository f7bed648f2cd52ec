"""Memory of bytes at concrete addresses, each a byte of the term that was stored last."""
from collections.abc import Callable

from proofs.kernels.terms import Term, concat, extract


class Memory:
    """Bytes by address, as a term and the number of its byte; `first` gives a byte that nobody has written."""

    def __init__(self, first: Callable[[int], Term]):
        self.bytes: dict[int, tuple[Term, int]] = {}
        self.first = first

    def load(self, address: int, length: int) -> Term:
        """Little endian. Neighbouring bytes of one term are taken as one slice."""
        runs: list[tuple[Term, int, int]] = []
        for at in range(address, address + length):
            if at not in self.bytes:
                self.bytes[at] = self.first(at), 0
            term, byte = self.bytes[at]
            if runs and runs[-1][0] is term and runs[-1][2] == byte:
                runs[-1] = term, runs[-1][1], byte + 1
            else:
                runs.append((term, byte, byte + 1))
        return concat(*(extract(term, 8 * end - 1, 8 * start) for term, start, end in reversed(runs)))

    def store(self, address: int, value: Term) -> None:
        """Little endian; the width is a multiple of 8."""
        for at in range(value.width // 8):
            self.bytes[address + at] = value, at
