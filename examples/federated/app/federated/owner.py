"""The owner's process: an answer on standard input, its mean on standard output as float32, and nothing of a single client."""
import sys

import isopod
import numpy as np
from numpy.typing import NDArray


def mean(owner: isopod.Owner, answer: bytes) -> NDArray[np.float32]:
    """The mean of a round's updates; RuntimeError if the answer is anything else, or was read before."""
    results = owner.decrypt(answer)
    if results.job != "mean" or results.news != "new":
        raise RuntimeError(f"answer: {results.job}, {results.news}; wanted is a new mean")
    return results.values[0].astype(np.float32)


def main() -> None:
    """Reads one answer and writes its mean."""
    sys.stdout.buffer.write(mean(isopod.Owner(sys.argv[1]), sys.stdin.buffer.read()).tobytes())


if __name__ == "__main__":
    main()
