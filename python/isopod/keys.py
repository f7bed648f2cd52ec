"""Parameter sets and key pairs."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Unpack, cast

from . import _isopod
from .options import KeyOptions, filled

_DEFAULTS: dict[str, Any] = {
    "job": None, "stride": None, "evaluation_keys": True, "seeded_public_key": False, "secret_key_on_device": False,
    "label": "128", "progress": None,
}


@dataclass(frozen=True)
class ParameterSet:
    """One parameter set; every key pair belongs to one.

    ``slots`` is the number of values of one frame in slots; frames of sets ``-air`` hold ``ring_degree`` values in coefficients.
    """

    name: str
    scheme: str
    ring_degree: int
    slots: int
    label: str
    purpose: str


@dataclass(frozen=True)
class Keys:
    """A folder of new keys.

    ``key`` names the pair; ``public_key_bytes`` and ``evaluation_key_bytes`` are sizes in bytes."""

    folder: Path
    key: str
    public_key_bytes: int
    evaluation_key_bytes: int

    @property
    def owner(self) -> Path:
        """Folder of the secret key: give it to nobody."""
        return self.folder / "owner"

    @property
    def server(self) -> Path:
        """Folder for the server: evaluation keys, never a secret key."""
        return self.folder / "server"

    def device(self, number: int) -> Path:
        """Folder for the device of this number."""
        return self.folder / f"device-{number}"


def sets() -> list[ParameterSet]:
    """Every parameter set."""
    return [ParameterSet(*described) for described in _isopod.sets()]


def keygen(
    folder: str | PathLike[str],
    *,
    passphrase: str | None,
    set: str | None = None,  # noqa: A002
    devices: Sequence[int] = (1,),
    **options: Unpack[KeyOptions],
) -> Keys:
    """Makes a key pair, and in ``folder`` (which must not exist) a folder each for owner, server, public key and devices.

    ``passphrase`` encrypts the owner's key file; None writes it in the clear, for tests. ``set`` is a name of :func:`sets`;
    without it the keys are of a set that computes ``job``, and without a job of "ckks-4096x2-linear". ``devices`` are numbers
    from 0 to 2**64 - 1, each once; options are those of :class:`isopod.options.KeyOptions`."""
    wanted = filled(_DEFAULTS, options)
    progress = wanted.pop("progress")
    wanted |= {"set": set, "devices": list(devices), "passphrase": passphrase}
    key, public, evaluation = _isopod.keygen(folder, cast("_isopod._Keys", wanted), progress)
    return Keys(Path(folder), key, public, evaluation)
