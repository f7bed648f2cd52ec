"""Parameter sets and key pairs."""
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from . import _isopod

Progress = Callable[[str, int, int], object]
"""Called with a stage, steps done and steps in all. An exception ends the call, and nothing of the call stays."""


@dataclass(frozen=True)
class ParameterSet:
    """One parameter set: what a key pair is for.

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
    set: str = "ckks-4096x2-linear",  # noqa: A002
    devices: Sequence[int] = (1,),
    job: str | None = None,
    stride: int | None = None,
    evaluation_keys: bool = True,
    seeded_public_key: bool = False,
    secret_key_on_device: bool = False,
    label: str = "128",
    progress: Progress | None = None,
) -> Keys:
    """Makes a key pair, and in ``folder`` (which must not exist) a folder each for owner, server, public key and devices.

    ``passphrase`` encrypts the owner's key file; None writes it in the clear, for tests. ``set`` is a name of :func:`sets`, and one
    whose label is not 128 is taken only if ``label`` names it. ``devices`` are numbers from 0 to 2**64 - 1. ``job`` narrows the
    evaluation keys to those that the job needs, for rows that lie ``stride`` slots apart. ``secret_key_on_device`` gives the
    only device the secret key: half the bytes, but whoever opens it reads all it sent."""
    key, public, evaluation = _isopod.keygen(
        folder,
        {
            "set": set, "devices": list(devices), "passphrase": passphrase, "secret_key_on_device": secret_key_on_device,
            "seeded_public_key": seeded_public_key, "evaluation_keys": evaluation_keys, "job": job, "stride": stride,
            "label": label,
        },
        progress,
    )
    return Keys(Path(folder), key, public, evaluation)
