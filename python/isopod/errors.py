"""Exceptions. Every message names the refused field and the allowed values; no message holds key material."""


class Error(Exception):
    """Anything that isopod refuses."""


class InputError(Error, ValueError):
    """Refused values, settings, frames or answers: they are out of range, NaN, damaged or of another fleet."""


class DtypeError(InputError, TypeError):
    """An array whose dtype or shape does not fit the parameter set."""


class AuthenticationError(Error):
    """A tag that does not verify: the bytes were damaged or forged, or belong to another key pair."""


class UnverifiedError(AuthenticationError):
    """An answer that its linear tag does not prove, or one without a tag where a proof was asked for. The server must not learn
    of it: ask again as if nothing had happened."""


class KeysError(Error):
    """A key, a key file or its passphrase that is refused."""


class StorageError(Error, OSError):
    """Files that cannot be read or written, or a system without entropy."""
