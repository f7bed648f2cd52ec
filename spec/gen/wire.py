"""Reads and checks wire.toml: sizes, codes and the fields of every format; emit_wire.py writes them out."""

import ast
import operator
import tomllib
from dataclasses import dataclass
from functools import cached_property

from ..base.parameters import SPEC_FOLDER, Refused

WIRE_FILE = SPEC_FOLDER / "wire.toml"

UNSIGNED = {"u8": 1, "u16": 2, "u32": 4, "u64": 8}
TYPES = {*UNSIGNED, "integer", "bool", "float64", "code", "version", "kind", "bytes", "text", "list", "schema", "const"}
FIXED_BYTES = {"bool": 1, "integer": 5, "float64": 9}  # of the longest encoding
RUN_BYTES = 1 + 3  # a type, and a count of at most 2^16 - 1
FIELD_KEYS = {"name", "type", "meaning", "since", "range", "size", "sizes", "most", "codes", "allowed", "numbers", "value"}
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv,
             ast.Pow: operator.pow}


@dataclass(frozen=True)
class Code:
    """One named number of a table."""

    name: str
    number: int
    meaning: str


@dataclass(frozen=True)
class CodeTable:
    """The numbers of one field. `c_type` is the C enumeration, if there is one."""

    name: str
    about: str
    codes: tuple
    c_type: str = ""
    c_prefix: str = ""

    def numbers(self, names=()):
        """The numbers of the codes with these names; of all codes without names."""
        return [code.number for code in self.codes if not names or code.name in names]


@dataclass(frozen=True)
class Domain:
    """A domain separator: it keeps the tags of different items apart."""

    log2: int
    meaning: str
    key: str


@dataclass(frozen=True)
class Field:
    """One field of a CBOR array. `sizes` are the allowed lengths of a byte string; `most` bounds a number, a length or a list."""

    name: str
    type: str
    meaning: str
    since: int
    range: str
    sizes: tuple
    most: int | None
    numbers: tuple
    codes: str
    value: str

    @property
    def longest(self):
        """The length of the longest encoding. A byte string without a fixed size counts its head only."""
        if self.type == "bytes" and not self.sizes:
            return head_bytes(self.most)
        if self.type in ("bytes", "text", "const"):
            return head_bytes(max(self.sizes, default=self.most)) + max(self.sizes, default=self.most)
        if self.type in FIXED_BYTES:
            return FIXED_BYTES[self.type]
        if self.type == "schema":
            return head_bytes(self.most) + self.most // 2 * RUN_BYTES
        return head_bytes(self.most)


@dataclass(frozen=True)
class Format:
    """An item: a CBOR array of these fields."""

    name: str
    kinds: tuple
    fields: tuple
    since: int

    @property
    def is_sealed(self):
        """Whether the item has a nonce and ends in a tag under it. Key files and receipts have no nonce."""
        return "nonce" in [field.name for field in self.fields]

    @property
    def is_read_from_streams(self):
        """Whether the item lies among others in files of frames and results: sealed ones, and stored packets. What a board wrote
        is a file of its own."""
        return self.is_sealed and self.name != "board_contribution" or self.name == "packet"

    @property
    def payload(self):
        """The index of the first byte string without a fixed length."""
        return next((index for index, field in enumerate(self.fields) if field.type == "bytes" and not field.sizes), None)

    @property
    def nonce_offset(self):
        """The offset of the nonce in an item; None if it depends on earlier fields."""
        position = head_bytes(len(self.fields))
        for field in self.fields:
            if field.name == "nonce":
                return position + 1
            if field.type not in ("version", "kind") and len(field.sizes) != 1:
                return None
            position += field.longest
        return None

    @property
    def total(self):
        """The length of an item with a tag, all of whose fields have one length; None for others."""
        fixed = [field.name == "kind" or len(field.sizes) == 1 or field.numbers and field.most < 24 for field in self.fields]
        if self.fields[-1].name != "tag" or not all(fixed):
            return None
        return head_bytes(len(self.fields)) + sum(field.longest for field in self.fields)

    @property
    def longest_item(self):
        """The length of the longest item without a payload."""
        return head_bytes(len(self.fields)) + sum(field.longest for field in self.fields)

    @property
    def longest_header(self):
        """The length of the longest header: everything before the payload, and the payload's head."""
        return head_bytes(len(self.fields)) + sum(field.longest for field in self.fields[:self.payload + 1])


@dataclass(frozen=True)
class BlobField:
    """One field in the header of key blobs."""

    name: str
    offset: int
    bytes: int
    meaning: str


@dataclass(frozen=True)
class Wire:
    """All of wire.toml."""

    version: int
    sizes: dict
    limits: dict
    domains: dict
    hash_labels: dict
    codes: dict
    formats: tuple
    magic: str
    blob: tuple
    meanings: dict

    @cached_property
    def blob_header_bytes(self):
        return self.blob[-1].offset + self.blob[-1].bytes

    def numbers_of(self, format):
        """The kinds that a format may have."""
        return self.codes["kind"].numbers(format.kinds)


def head_bytes(argument):
    """Bytes of the shortest CBOR head with this argument."""
    return 1 + (argument > 23) + (argument > 0xff) + 2 * (argument > 0xffff) + 4 * (argument > 0xffff_ffff)


def read_wire(path=WIRE_FILE):
    """Reads the formats. Refused, with the place, if the file breaks the shape that its first lines describe."""
    return wire_of(tomllib.loads(path.read_text(encoding="utf-8")))


def wire_of(document):
    """The formats of a parsed document."""
    sizes = {name: bytes for name, (bytes, _) in document["sizes"].items()}
    limits = _limits(document["limits"])
    codes = {name: _code_table(name, table) for name, table in document["codes"].items()}
    reader = _Reader(document["version"], {**sizes, **limits}, codes)
    meanings = {name: meaning for part in ("sizes", "limits") for name, (_, meaning) in document[part].items()}
    return Wire(document["version"], sizes, limits, {name: Domain(*row) for name, row in document["domains"].items()},
                document["hash_labels"], codes, tuple(map(reader.format, document["formats"])),
                document["key_blob"]["magic"], _blob(document["key_blob"]["fields"], sizes), meanings)


def _limits(entries):
    known = {}
    for name, (value, _) in entries.items():
        known[name] = evaluate(value, known, f"limits.{name}")
    return known


def evaluate(value, known, place):
    """A number, or an expression of + - * // ** in numbers and known names."""
    if isinstance(value, int):
        return value

    def number(node):
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        if isinstance(node, ast.Name) and node.id in known:
            return known[node.id]
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            return OPERATORS[type(node.op)](number(node.left), number(node.right))
        raise Refused(f"wire.toml: {place}: '{value}'; allowed: numbers, + - * // ** and {', '.join(known)}")

    return number(ast.parse(value, mode="eval").body)


def _code_table(name, table):
    codes = tuple(Code(*row) for row in table["values"])
    for key in ("name", "number"):
        if len({getattr(code, key) for code in codes}) != len(codes):
            raise Refused(f"wire.toml: codes.{name}: a {key} stands twice; allowed: each once")
    return CodeTable(name, table["about"], codes, table.get("c_type", ""), table.get("c_prefix", f"ISOPOD_{name.upper()}"))


def _blob(entries, sizes):
    fields, offset = [], 0
    for entry in entries:
        length = sizes.get(entry["bytes"], entry["bytes"])
        fields.append(BlobField(entry["name"], offset, length, entry["meaning"]))
        offset += length
    return tuple(fields)


class _Reader:
    """Reads the formats, with the sizes, limits and code tables that their fields name."""

    def __init__(self, version, known, codes):
        self.version, self.known, self.codes = version, known, codes

    def format(self, entry):
        since, name = entry.get("since", 1), entry["name"]
        fields = tuple(self.field(field, entry, since) for field in entry["fields"])
        names = [field.name for field in fields]
        if names[:2] != ["version", "kind"] or len(set(names)) != len(names):
            raise Refused(f"wire.toml: format {name}: fields {names}; allowed: version, kind, then each name once")
        return Format(name, tuple(entry["kinds"]), fields, since)

    def field(self, entry, format, since):
        place = f"{format['name']}.{entry.get('name')}"
        strange = set(entry) - FIELD_KEYS
        if strange or entry.get("type") not in TYPES:
            raise Refused(f"wire.toml: {place}: {strange or entry.get('type')}; allowed: {', '.join(sorted(FIELD_KEYS | TYPES))}")
        numbers = tuple(entry.get("numbers", self.numbers(entry, format)))
        listed = entry.get("sizes", [entry["size"]] if "size" in entry else [])
        return Field(entry["name"], entry["type"], entry.get("meaning", ""), entry.get("since", since), entry.get("range", ""),
                     tuple(self.known.get(size, size) for size in listed), self.most(entry, numbers, place), numbers,
                     entry.get("codes", ""), entry.get("value", ""))

    def numbers(self, entry, format):
        if entry["type"] == "version":
            return (self.version,)
        if entry["type"] == "kind":
            return self.codes["kind"].numbers(format["kinds"])
        return self.codes[entry["codes"]].numbers(entry.get("allowed", ())) if entry["type"] == "code" else ()

    def most(self, entry, numbers, place):
        if "most" in entry:
            return evaluate(entry["most"], self.known, place)
        if entry["type"] == "const":
            return len(entry["value"])
        if entry["type"] == "schema":
            return 2 * self.known["tfhe_runs"]
        if numbers:
            return max(numbers)
        return (1 << 8 * UNSIGNED[entry["type"]]) - 1 if entry["type"] in UNSIGNED else None
