"""Bytes that a question will send, before anything is encrypted."""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class Plan:
    """Bytes that a question sends, and the error that its answer will have.

    ``rows_per_frame`` lists it for each batch of columns that are encrypted together. ``bytes`` are those of all frames, of which
    each may differ by a few. ``errors`` are expected for each column, in its unit: of the mean, or of what is asked. ``left_out``
    names the columns that hold no numbers."""

    question: str
    set: str
    rows: int
    rows_per_frame: tuple[int, ...]
    frames: int
    bytes: int
    errors: pandas.Series[float]
    left_out: tuple[str, ...]

    def __str__(self) -> str:
        per_frame = " and ".join(sorted({str(one) for one in self.rows_per_frame}))
        lines = [
            f"{self.question} of {self.rows} rows, {len(self.errors)} columns, under {self.set}",
            f"{self.frames} frames of {per_frame} rows, {self.bytes:,} bytes, {self.bytes / max(self.rows, 1):.1f} a row",
            *(["left out: " + ", ".join(self.left_out)] if self.left_out else []),
            "expected error:",
            self.errors.to_string(float_format=lambda one: f"{one:.2g}"),
        ]
        return "\n".join(lines)
