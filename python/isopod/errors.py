"""Exceptions. Every message names the field that was refused and what is allowed; none holds key material."""


class Error(Exception):
    """Anything that isopod refuses."""


class InputError(Error, ValueError):
    """Values, settings, frames or answers that are refused: out of range, NaN, of another fleet, damaged."""


class DtypeError(InputError, TypeError):
    """An array whose dtype or shape does not fit the parameter set."""


class AuthenticationError(Error):
    """A tag that does not verify: bytes were damaged or forged, or are of another key pair."""


class KeysError(Error):
    """A key, a key file or its passphrase that is refused."""


class StorageError(Error, OSError):
    """Files that cannot be read or written, or a system without entropy."""
