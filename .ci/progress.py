"""Progress of a run of stages: those done, the time so far, and an estimate of the time that remains.

The estimate starts from the seconds that each stage took in the last run here, or from those of docs/contribute/testing.md, and
follows the pace of this run. On a terminal the last line shows it, rewritten each second; in a log each stage begins with
it."""
import json
import shutil
import threading
import time
from pathlib import Path
from typing import TextIO

LEAST_TO_JUDGE = 20  # seconds of finished stages that a pace is estimated from, at least


def clock(seconds: float) -> str:
    """Minutes and seconds."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def about(seconds: float) -> str:
    """A duration rounded for an estimate."""
    return f"about {seconds / 60:.0f} min left" if seconds >= 90 else "about a minute left" if seconds >= 30 else "nearly done"


def last_times(path: Path) -> dict[str, float]:
    """Seconds by stage of the last run that recorded them; none if there was no such run."""
    try:
        return {str(name): float(seconds) for name, seconds in json.loads(path.read_text()).items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}


class Progress:
    """Times of stages: the lanes of a phase run side by side, the phases one after the other."""

    def __init__(self, phases: list[list[dict[str, float]]], start: float):
        self.phases, self.start = phases, start
        self.expected = {name: seconds for lanes in phases for lane in lanes for name, seconds in lane.items()}
        self.began: dict[str, float] = {}
        self.took: dict[str, float] = {}

    def begin(self, name: str, now: float) -> None:
        """A stage starts."""
        self.began[name] = now

    def end(self, name: str, now: float) -> None:
        """A stage ends."""
        self.took[name] = now - self.began.pop(name)

    def pace(self) -> float:
        """Seconds that passed per expected second."""
        expected = sum(self.expected[name] for name in self.took)
        return sum(self.took.values()) / expected if expected > LEAST_TO_JUDGE else 1.0

    def remaining(self, now: float) -> float:
        """Seconds of the longest lane of each phase."""
        pace = self.pace()

        def left(names: dict[str, float]) -> float:
            return sum(max(pace * self.expected[name] - (now - self.began.get(name, now)), 0)
                       for name in names if name not in self.took)

        return sum(max(map(left, lanes), default=0) for lanes in self.phases)

    def line(self, now: float) -> str:
        """Progress in words."""
        return (f"[{len(self.took)}/{len(self.expected)} done, {clock(now - self.start)}, {about(self.remaining(now))}] "
                f"{', '.join(self.began)}")


class Display:
    """The display of progress. Callers print only through `say`, so that the progress line stays the last one."""

    def __init__(self, progress: Progress, out: TextIO):
        self.progress, self.out, self.lock = progress, out, threading.Lock()
        self.is_live, self.over = out.isatty(), threading.Event()
        self.thread = threading.Thread(target=self._refresh, daemon=True)

    def __enter__(self) -> "Display":
        if self.is_live:
            self.thread.start()
        return self

    def __exit__(self, *_) -> None:
        self.over.set()
        if self.is_live:
            self.thread.join()

    def begin(self, name: str) -> None:
        """A stage starts; a log shows it at once."""
        with self.lock:
            self.progress.begin(name, time.monotonic())
            if not self.is_live:
                print(self.progress.line(time.monotonic()), file=self.out, flush=True)

    def end(self, name: str, text: str) -> None:
        """A stage ends; `text` describes its outcome."""
        with self.lock:
            self.progress.end(name, time.monotonic())
            print("\r\033[K" * self.is_live + text, file=self.out, flush=True)

    def _refresh(self) -> None:
        while not self.over.wait(1):
            with self.lock:
                line = self.progress.line(time.monotonic())[:shutil.get_terminal_size().columns - 1]
                print(f"\r\033[K{line}", end="", file=self.out, flush=True)
        print("\r\033[K", end="", file=self.out, flush=True)
