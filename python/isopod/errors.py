"""Exceptions. Every message names the refused field and the allowed values; no message holds key material."""
from __future__ import annotations


class Error(Exception):
    """Anything that isopod refuses."""


class InputError(Error, ValueError):
    """Refused values, settings, frames or answers: they are out of range, NaN, damaged or of another fleet."""


class DtypeError(InputError, TypeError):
    """An array whose dtype or shape does not fit the parameter set."""


class HolderError(InputError):
    """A file or a contribution of one of several owners, by the name of ``holder``, that does not fit: of another ceremony, key
    or answer, a second one that differs, or one that was changed."""

    def __init__(self, message: str, holder: str) -> None:
        super().__init__(message)
        self.holder = holder

    def __reduce__(self) -> tuple[type[HolderError], tuple[str, str]]:
        return HolderError, (str(self), self.holder)


class AuthenticationError(Error):
    """A tag that does not verify: the bytes were damaged or forged, or belong to another key pair."""


class UnverifiedError(AuthenticationError):
    """An answer that its linear tag does not prove, or one without a tag where a proof was asked for. The server must not learn
    of it: ask again as if nothing had happened."""


class KeysError(Error):
    """A key, a key file or its passphrase that is refused."""


class StorageError(Error, OSError):
    """Files that cannot be read or written, or a system without entropy."""
