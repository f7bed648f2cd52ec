"""The three roles of a table's owner, with keys that are made on first use."""
from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..columns import Columns
from ..device import Device
from ..errors import InputError, KeysError
from ..keys import keygen, sets
from ..models import Model
from ..owner import Owner, Results
from ..server import Server

USUAL_SET = "ckks-2048x2-air"
_REHEARSED = 4


class Parties:
    """A folder of keys, whose device, server and owner do their parts of a question.

    The device is the owner's own machine and holds the secret key, so that frames are half as large."""

    def __init__(self, folder: str | PathLike[str], passphrase: str | None, wanted: str | None) -> None:
        self.folder, self._passphrase, self._wanted = Path(folder), passphrase, wanted
        self._opened: tuple[Device, Server, Owner] | None = None

    @property
    def set(self) -> str:
        """The parameter set: that of the keys, or the one that they will be made of."""
        if self.folder.exists():
            return self.open()[1].set
        return self._wanted or USUAL_SET

    @property
    def places(self) -> int:
        """Values in a frame."""
        name = self.set
        found = next((one for one in sets() if one.name == name), None)
        if found is None or found.scheme != "ckks":
            allowed = ", ".join(one.name for one in sets() if one.scheme == "ckks" and one.label == "128")
            raise InputError(f"set: {name}; allowed for tables are {allowed}")
        return found.ring_degree if name.endswith("-air") else found.slots

    def open(self) -> tuple[Device, Server, Owner]:
        """Device, server and owner; makes the keys if there is no folder."""
        if self._opened is None:
            if not self.folder.exists():
                keygen(self.folder, passphrase=self._passphrase, set=self._wanted or USUAL_SET, secret_key_on_device=True)
            devices = sorted(self.folder.glob("device-*"))
            if not devices:
                raise KeysError(f"keys: {self.folder} has no folder of a device; allowed are folders of isopod.keygen")
            server = Server(self.folder / "server")
            if self._wanted not in (None, server.set):
                raise InputError(f"set: {self._wanted}; allowed with the keys in {self.folder} is {server.set}")
            self._opened = _device(devices[0]), server, Owner(self.folder / "owner", passphrase=self._passphrase)
        return self._opened

    def sums(self, table: Any, columns: Columns, bound_bits: int) -> Results:
        """The sums of the columns of a table."""
        device, server, owner = self.open()
        frames = device.encrypt(table, columns=columns, bound_bits=bound_bits)
        return owner.decrypt(server.column_sum(frames), columns=columns)

    def rehearse(self, columns: Columns, bound_bits: int, rows: int, rows_per_frame: int) -> tuple[int, float]:
        """Bytes of all frames and the error of each sum over so many rows: of tables of zeros, under keys that are thrown away.

        Nothing of the table is used. For many frames the error follows from few: it grows by a part that is proportional to the
        rows, and by one that is proportional to their root."""
        with self._rehearsal() as (device, server, owner):
            points = [min(rows, rows_per_frame), min(rows, _REHEARSED * rows_per_frame)]
            full, rest = divmod(rows, rows_per_frame)
            encrypted = [device.encrypt(_zeros(columns, count), columns=columns, bound_bits=bound_bits) for count in points]
            errors = [owner.decrypt(server.column_sum(frames, again=True)).error for frames in encrypted]
            last = device.encrypt(_zeros(columns, rest), columns=columns, bound_bits=bound_bits) if rest else []
        return full * len(encrypted[-1][0]) + sum(map(len, last)), _extrapolated(points, errors, rows)

    def scores(self, model: Model, table: Any, bound_bits: int) -> Results:
        """The scores of the rows of a table."""
        device, server, owner = self.open()
        return owner.decrypt(server.score(model, device.encrypt(table, model=model, bound_bits=bound_bits)))

    def rehearse_scores(self, model: Model, bound_bits: int) -> tuple[int, float]:
        """Bytes of a full frame and the error of scores, as :meth:`rehearse` finds them."""
        rows = np.tile(np.asarray(model.mean or (0.0,) * len(model.features)), (self.places // len(model.features), 1))
        with self._rehearsal() as (device, server, owner):
            frames = device.encrypt(rows, model=model, bound_bits=bound_bits)
            return len(frames[0]), owner.decrypt(server.score(model, frames)).error

    @contextmanager
    def _rehearsal(self) -> Iterator[tuple[Device, Server, Owner]]:
        with tempfile.TemporaryDirectory() as folder:
            keys = keygen(Path(folder) / "keys", passphrase=None, set=self.set, secret_key_on_device=self._is_by_secret_key())
            yield _device(keys.device(1)), Server(keys.server), Owner(keys.owner)

    def _is_by_secret_key(self) -> bool:
        if not self.folder.exists():
            return True
        return any(path.name.startswith("secret") for path in sorted(self.folder.glob("device-*"))[0].iterdir())


def _device(folder: Path) -> Device:
    """The device of a folder, by its secret key if it has one."""
    try:
        return Device(folder, by_secret_key=True)
    except (KeysError, OSError):
        return Device(folder)


def _zeros(columns: Columns, rows: int) -> dict[str, NDArray[Any]]:
    """A table whose standardised readings are zero."""
    means = columns.means or (0.0,) * len(columns.names)
    table: dict[str, NDArray[Any]] = {name: np.full(rows, mean) for name, mean in zip(columns.names, means)}
    if columns.group:
        table[columns.group] = np.full(rows, columns.categories[0], dtype=object)
    return table


def _extrapolated(points: list[int], errors: list[float], rows: int) -> float:
    if rows in points or points[0] == points[1]:
        return errors[-1]
    (few, more), (least, most) = points, errors
    # least = a few + b sqrt(few), most = a more + b sqrt(more)
    matrix = np.array([[few, math.sqrt(few)], [more, math.sqrt(more)]])
    linear, root = np.maximum(np.linalg.solve(matrix, np.array([least, most])), 0.0)
    return float(linear * rows + root * math.sqrt(rows))
