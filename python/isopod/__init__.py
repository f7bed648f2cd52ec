"""Homomorphic encryption for small devices: keys, encryption, computation without keys, and decryption, on numpy arrays.

Three parties use three folders, which :func:`keygen` makes. A :class:`Device` encrypts, a :class:`Server` computes without
being able to read, and the :class:`Owner` reads the answer with its error. Frames and answers are bytes, equal to those of
firmware and of the command line. Where no single person may read, several :class:`Holder` take the owner's place. The command
line is in this package too: ``isopod --help`` or ``python -m isopod``."""
from . import stats
from ._isopod import Rejected, version
from .columns import Columns
from .device import Device
from .errors import (
    AuthenticationError,
    DtypeError,
    Error,
    HolderError,
    InputError,
    KeysError,
    StorageError,
    UnverifiedError,
)
from .frame import DataFrame
from .holder import Ask, Ceremony, Change, Holder
from .keys import Keys, ParameterSet, keygen, sets
from .models import Model, Tree
from .owner import Owner, Proof, Result, Results, Span, TagPeriod
from .scikit import from_sklearn
from .server import Answer, Server

__version__ = version()

__all__ = [
    "Answer", "Ask", "AuthenticationError", "Ceremony", "Change", "Columns", "DataFrame", "Device", "DtypeError", "Error",
    "Holder", "HolderError", "InputError", "Keys", "KeysError", "Model", "Owner", "ParameterSet", "Proof", "Rejected", "Result",
    "Results", "Server", "Span", "StorageError", "TagPeriod", "Tree", "UnverifiedError", "__version__", "from_sklearn",
    "keygen", "sets", "stats",
]
