"""Calls libisopod_table_abi by ctypes: adds up groups of frames, seals them as partial states, and answers.

If the library refuses a call, `Refused` is raised with its message. Each open group takes the memory of one sum, eight bytes a
residue."""
import ctypes
import os
from collections.abc import Iterable
from pathlib import Path

NAME = "libisopod_table_abi.so"
CLASSES = {1: "system", 3: "input", 4: "authentication", 5: "keys", 6: "panic"}


class Refused(Exception):
    """A refusal of the library; `kind` is the class of the error."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.kind = status, CLASSES.get(status, "unknown")

    def __reduce__(self) -> tuple:
        return Refused, (self.status, str(self))


class Slice(ctypes.Structure):
    """Memory of the caller."""

    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]


class Bytes(ctypes.Structure):
    """Memory of the library."""

    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]


def load() -> ctypes.CDLL:
    """Loads the library from ISOPOD_TABLE_LIBRARY, or from beside this file."""
    path = os.environ.get("ISOPOD_TABLE_LIBRARY") or Path(__file__).with_name(NAME)
    library = ctypes.CDLL(str(path))
    pointer, out = ctypes.c_void_p, ctypes.POINTER(Bytes)
    arguments = {
        "open": [Slice, Slice, pointer, ctypes.c_size_t, ctypes.POINTER(pointer), out],
        "group_new": [pointer, ctypes.POINTER(pointer), out],
        "fold": [pointer, pointer, pointer, ctypes.c_size_t, out],
        "state": [pointer, out],
        "answer": [pointer, Slice, out],
    }
    for name, types in arguments.items():
        getattr(library, f"isopod_table_{name}").argtypes = types
    for name, kind in {"release": Bytes, "group_free": pointer, "close": pointer}.items():
        function = getattr(library, f"isopod_table_{name}")
        function.argtypes, function.restype = [kind], None
    return library


class Aggregation:
    """A job on sums under a server's folder: column-sum, column-mean, sum, mean, weighted, or dot with weights of columns."""

    def __init__(self, keys: str, job: str, weights: Iterable[float] = ()) -> None:
        self.library, self.handle = load(), ctypes.c_void_p()
        numbers = list(weights)
        array = (ctypes.c_double * len(numbers))(*numbers)
        path, name = os.fsencode(keys), job.encode()
        self.call("open", view(path), view(name), array, len(numbers), ctypes.byref(self.handle))

    def call(self, name: str, *arguments: object) -> bytes:
        """Calls the library; the bytes that it returns, or its refusal."""
        out = Bytes()
        status = getattr(self.library, f"isopod_table_{name}")(*arguments, ctypes.byref(out))
        try:
            found = ctypes.string_at(out.data, out.length) if out.length else b""
        finally:
            self.library.isopod_table_release(out)
        if status:
            raise Refused(status, found.decode(errors="replace"))
        return found

    def group(self) -> "Group":
        """A new group without frames."""
        return Group(self)

    def answer(self, state: bytes) -> bytes:
        """The sealed answer to a partial state; its frames enter the server's memory."""
        return self.call("answer", self.handle, view(state))

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            self.library.isopod_table_close(self.handle)
            self.handle = None


class Group:
    """The frames of one group."""

    def __init__(self, aggregation: Aggregation) -> None:
        self.aggregation, self.handle = aggregation, ctypes.c_void_p()
        aggregation.call("group_new", aggregation.handle, ctypes.byref(self.handle))

    def fold(self, items: list[tuple[int, int]], weights: list[float] | None = None) -> None:
        """Adds the items at these addresses with these lengths. The caller keeps them alive during the call."""
        slices = (Slice * len(items))(*items)
        numbers = None if weights is None else (ctypes.c_double * len(items))(*weights)
        self.aggregation.call("fold", self.handle, slices, numbers, len(items))

    def state(self) -> bytes:
        """The sealed partial state; empty without frames."""
        return self.aggregation.call("state", self.handle)

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            self.aggregation.library.isopod_table_group_free(self.handle)
            self.handle = None


def view(data: bytes) -> Slice:
    """The memory of bytes, which the caller must keep alive."""
    return Slice(ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p), len(data))
