"""Homomorphic encryption for small devices: keys, encryption, computation without keys, and decryption, on numpy arrays.

Three parties use three folders, which :func:`keygen` makes. A :class:`Device` encrypts, a :class:`Server` computes without
being able to read, and the :class:`Owner` reads the answer with its error. Frames and answers are bytes, equal to those of
firmware and of the command line. The command line is in this package too: ``isopod --help`` or ``python -m isopod``."""
from ._isopod import Rejected
from .columns import Columns
from .device import Device
from .errors import AuthenticationError, DtypeError, Error, InputError, KeysError, StorageError
from .keys import Keys, ParameterSet, keygen, sets
from .models import Model, Tree
from .owner import Owner, Result, Results, Span
from .scikit import from_sklearn
from .server import Answer, Server

__all__ = [
    "Answer", "AuthenticationError", "Columns", "Device", "DtypeError", "Error", "InputError", "Keys", "KeysError", "Model",
    "Owner", "ParameterSet", "Rejected", "Result", "Results", "Server", "Span", "StorageError", "Tree", "from_sklearn", "keygen",
    "sets",
]
