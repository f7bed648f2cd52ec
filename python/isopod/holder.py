"""One of several owners, who hold a key together: no single one can read."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Unpack, cast

from . import _isopod
from .columns import Columns
from .errors import InputError
from .options import Agreement, filled
from .owner import Result, Results, TagPeriod, proof_of
from .server import Answer

_DEFAULTS: dict[str, Any] = {"set": "bfv-4096x3-sum", "frames": 1000, "queries": 64, "statistical_bits": 40}

Received = str | PathLike[str] | bytes


@dataclass(frozen=True)
class Ceremony:
    """How far a ceremony is.

    It waits for files of kind ``waiting_for`` ("announcements", "openings", or None at the end) of the holders in ``missing``.
    ``send`` is the file to give to all others meanwhile. At the end, ``key`` names the key, and ``fingerprint`` is to be compared
    by voice before the first device encrypts: mail does not say who wrote a file."""

    waiting_for: str | None
    missing: tuple[str, ...]
    send: Path | None
    key: str | None
    fingerprint: str | None


@dataclass(frozen=True)
class Change:
    """How far a change of holders is.

    ``step`` of a refresh: "dealt" (sharings of others are missing), "confirmed" (the new share is there, beside the old one),
    "refreshed" (the old one is wiped). Of a replacement: "asked" (nothing happened: compare first), "noted" (contributions go to
    the newcomer), "masked" (masks of other helpers are missing), "given". It waits for files of the holders in ``missing``;
    ``send`` is the file to give away, and ``fingerprint`` is to be compared by voice."""

    step: str
    missing: tuple[str, ...]
    send: Path | None
    fingerprint: str | None


class Ask:
    """An answer of the server that a holder is asked to open: look at it, then contribute or not.

    ``job``; ``results``, their number; ``frames`` and the numbers of ``devices`` that entered, None where the server left them
    out; ``used`` of ``queries`` contributions are made, and each result takes one; values will be within ``error``, 0 for
    integers. The holder's folder is locked as long as this object lives; ``with`` ends that."""

    def __init__(self, asked: _isopod.Asked, columns: Columns | None) -> None:
        self._asked: _isopod.Asked | None = asked
        self._columns = columns
        self.job, (self.results, self.frames, devices), (self.used, self.queries), self.error = asked.facts()
        self.devices = None if devices is None else tuple(devices)

    def __repr__(self) -> str:
        return f"Ask(job={self.job!r}, frames={self.frames}, devices={self.devices}, used={self.used} of {self.queries})"

    def __enter__(self) -> Ask:
        return self

    def __exit__(self, *_: object) -> None:
        self._asked = None

    def _open(self) -> _isopod.Asked:
        if self._asked is None:
            raise InputError("ask: closed; allowed is one that Holder.review gave, inside of its `with`")
        return self._asked

    def contribute(self, answering: Sequence[str]) -> bytes:
        """Agrees: counts each result as a query, durably and in two places, and only then makes the contribution, for those who
        answer alone. ``answering`` are the names of all of them, this holder's too, as many as the threshold.

        :class:`isopod.KeysError` if the queries are used up, or the folder is an old copy."""
        asked = self._open()
        made = asked.contribute(list(answering))
        self.used = asked.facts()[2][0]
        return made

    def combine(self, contributions: Iterable[bytes]) -> Results:
        """Opens the answer with the contributions of all who answer. :class:`isopod.HolderError` names whose does not fit.

        Where this holder verifies what they answer (``isopod owner tag-key``), ``verified`` is the proof, and an answer that was
        spoiled raises :class:`isopod.UnverifiedError`."""
        sequence, opened, found = self._open().combine(list(contributions))
        results = tuple(map(Result, opened))
        return Results(self.job, sequence, "new", None, (), (), results, self._columns, proof_of(found))


class Holder:
    """A holder's folder. ``passphrase`` is the one given to :meth:`begin` or :meth:`join`.

    All names, files and folders are those of ``isopod owner``; holders on the command line, in Python and in browsers make a key
    together."""

    def __init__(self, folder: str | PathLike[str], *, passphrase: str | None = None) -> None:
        self.folder = Path(folder)
        self._passphrase = passphrase

    def __repr__(self) -> str:
        return f"Holder({str(self.folder)!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("Holder: it has the passphrase of a share, which is not pickled; allowed is to open the folder again")

    @classmethod
    def begin(
        cls, folder: str | PathLike[str], *, holders: Sequence[str], threshold: int, passphrase: str | None,
        **options: Unpack[Agreement],
    ) -> Holder:
        """Invites: makes ``folder`` for the first of ``holders``, 2 to 10 names of letters a to z, digits and hyphens.

        ``threshold`` of them, from 2 on, will open an answer; ``options`` are those of :class:`isopod.options.Agreement`.
        :class:`isopod.InputError` for a set without room for that. Send ``invitation`` and the announcement in the folder to the
        others. ``passphrase=None`` writes the share in the clear, for tests."""
        agreed = filled(_DEFAULTS, options) | {"holders": list(holders), "threshold": threshold}
        _isopod.begin_ceremony(folder, cast("_isopod._Agreement", agreed), passphrase)
        return cls(folder, passphrase=passphrase)

    @classmethod
    def join(
        cls, folder: str | PathLike[str], *, invitation: Received, name: str, passphrase: str | None
    ) -> Holder:
        """Joins the ceremony of an invitation under one of its names. Send the announcement in the folder to the others."""
        _isopod.join(folder, _read(invitation)[1], name, passphrase)
        return cls(folder, passphrase=passphrase)

    def finish(self, received: Iterable[Received]) -> Ceremony:
        """Goes on as far as the files of the others allow: announcements, and openings. It may be repeated.

        :class:`isopod.HolderError` names whose file does not fit."""
        waiting, missing, send, key, fingerprint = _isopod.finish(self.folder, list(map(_read, received)), self._passphrase)
        return Ceremony(waiting, tuple(missing), None if send is None else self.folder / send, key, fingerprint)

    def devices(self, folder: str | PathLike[str], numbers: Sequence[int]) -> Path:
        """Makes ``folder`` with the public key, a folder for each device of these numbers, and with the first of them the
        server's. Let one holder do it, always the same, since each folder keeps its own list of numbers that were given."""
        _isopod.write_devices(self.folder, list(numbers), folder, self._passphrase)
        return Path(folder)

    def tag_keys(
        self, folder: str | PathLike[str], devices: Sequence[int], answering: Sequence[str], *, verifier: str,
        begin: Literal["next-period", "new-group"] | None = None,
    ) -> TagPeriod:
        """Makes ``folder`` with this holder's keys of linear tags for devices of these numbers, so that ``verifier`` finds it if
        what ``answering`` open is spoiled. All of them do this; each device gets the files of all, and no holder sees those of
        another. ``begin`` begins a period or a group, as in :meth:`isopod.Owner.tag_keys`."""
        if begin not in (None, "next-period", "new-group"):
            raise InputError(f"begin: {begin}; allowed are next-period, new-group and None")
        keys: _isopod._TagKeys = {
            "devices": list(devices), "answering": list(answering), "verifier": verifier, "next_period": begin == "next-period",
            "new_group": begin == "new-group",
        }
        return TagPeriod(*_isopod.holder_tag_keys(self.folder, keys, folder, self._passphrase))

    def refresh(self, received: Iterable[Received] = (), *, agree: bool = False) -> Change:
        """Goes on with a refresh of all shares, by files refresh-* and refreshed-* of the others. The public key stays, and
        copies of old shares open nothing afterwards. ``agree`` wipes the old share: all confirmed, and see the same
        fingerprint."""
        return self._change(_isopod.refresh(self.folder, list(map(_read, received)), agree, self._passphrase))

    def replace(
        self, newcomer: Received, helpers: Sequence[str], received: Iterable[Received] = (), *, agree: bool = False
    ) -> Change:
        """Goes on with the replacement of a lost holder by the newcomer of an announcement, with files masks-* of other helpers.
        ``helpers`` are as many names as the threshold; who does not help gives the same call. Whoever wrote the announcement gets
        the share, so ``agree`` says that the newcomer confirmed its fingerprint. Refresh afterwards."""
        replacement = (_read(newcomer)[1], list(helpers))
        return self._change(_isopod.replace(self.folder, replacement, list(map(_read, received)), agree, self._passphrase))

    def take_over(self, public_key: str | PathLike[str], pieces: Iterable[Received]) -> int:
        """Takes the place of a lost holder under whose name this one joined: ``pieces`` of all helpers, and the public key of any
        holder or device. The generation of the share; refresh at once."""
        return _isopod.take_over(self.folder, public_key, list(map(_read, pieces)), self._passphrase)

    def end(self) -> Path:
        """Wipes the share for good. The file is a notice for the others."""
        return self.folder / _isopod.end(self.folder, self._passphrase)

    def note_ended(self, notices: Iterable[Received]) -> tuple[str, ...]:
        """Takes notices of others who ended their shares: nothing is sealed for them. Names of those who hold the key still."""
        return tuple(_isopod.noted(self.folder, list(map(_read, notices)), self._passphrase))

    def _change(self, told: tuple[str, list[str], str | None, str | None]) -> Change:
        step, missing, send, fingerprint = told
        return Change(step, tuple(missing), None if send is None else self.folder / send, fingerprint)

    def review(self, answer: Answer | bytes, *, columns: Columns | None = None) -> Ask:
        """Authenticates an answer and says what is asked. Nothing is opened or counted. With ``columns`` the values get their
        names."""
        if not isinstance(answer, (Answer, bytes, bytearray, memoryview)):
            raise InputError(f"answer: {type(answer).__name__}; allowed are an Answer and bytes")
        return Ask(_isopod.Asked(self.folder, bytes(answer), self._passphrase), columns)


def _read(received: Received) -> tuple[str, bytes]:
    """The bytes of a file that was received, and its place for messages."""
    if isinstance(received, (bytes, bytearray, memoryview)):
        return "a file", bytes(received)
    return str(received), Path(received).read_bytes()
