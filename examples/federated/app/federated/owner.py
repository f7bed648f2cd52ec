"""The owner's process: it reads an answer from standard input and writes only the mean, as float32, to standard output."""
import sys

import isopod
import numpy as np
from numpy.typing import NDArray


def mean(owner: isopod.Owner, answer: bytes) -> NDArray[np.float32]:
    """The mean of a round's updates. RuntimeError for any other answer, and for one that was read before."""
    results = owner.decrypt(answer)
    if results.job != "mean" or results.news != "new":
        raise RuntimeError(f"answer: {results.job}, {results.news}; wanted is a new mean")
    return results.values[0].astype(np.float32)


def main() -> None:
    """Reads one answer and writes its mean."""
    sys.stdout.buffer.write(mean(isopod.Owner(sys.argv[1]), sys.stdin.buffer.read()).tobytes())


if __name__ == "__main__":
    main()
