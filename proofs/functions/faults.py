"""Mistakes, each of which some contract must show."""
import shutil
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from proofs.functions.contracts import ROOT, Contract
from proofs.functions.prover import SOLVERS, Attempt, VerdictsBySolver, verdicts

# A proof that takes milliseconds may take seconds on a busy machine.
LEAST_SECONDS = 5


@dataclass(frozen=True)
class Fault:
    """A change of a source file, and a function whose contract breaks by it."""

    path: str
    before: str
    after: str
    function: str


READER, WRITER, MEMORY = "cbor/cbor_read.c", "cbor/cbor.c", "base/memory.h"
FAULTS = (
    Fault(READER, "reader->at > reader->bytes - bytes", "reader->at > reader->bytes - bytes + 1u", "has"),
    Fault(READER, "info > 27 ? 0", "info > 28 ? 0", "read_argument"),
    Fault(READER, "!has(reader, 9)", "!has(reader, 8)", "isopod_cbor_float64"),
    Fault(READER, "    if (!has(reader, length)) {", "    if (length > 0 && !has(reader, length - 1u)) {", "take"),
    Fault(READER, "following > length - 1u - i", "following > length - i", "is_text"),
    Fault(READER, "bytes > most || !has(reader, bytes)", "!has(reader, bytes)", "isopod_cbor_text"),
    Fault(READER, "    reader->failed |= bytes > most;\n", "", "isopod_cbor_bytes_of"),
    Fault(READER, "    if (value > most) {", "    if (value > most + 1u) {", "isopod_cbor_unsigned"),
    Fault(WRITER, "argument <= 0xffffu", "argument < 0xffffu", "argument_bytes"),
    Fault(MEMORY, "out[3] = ", "out[4] = ", "isopod_store32"),
    Fault(MEMORY, "i < length; i++) {\n        difference", "i <= length; i++) {\n        difference", "isopod_equal"),
    Fault("link/serial.c", "serial->length == serial->capacity", "serial->length > serial->capacity", "store"),
    Fault("schemes/claim.c", " || claim->columns > claim->stride", "", "isopod_claim_check_within"),
    Fault("start/counter.c", "unit <= ISOPOD_FLASH_UNIT_MOST", "unit <= 2 * ISOPOD_FLASH_UNIT_MOST", "fits"),
    Fault("keys/blob.c", "] >> ISOPOD_KEY_PRIME_SHIFT", "] >> 15u", "first_prime"),
    Fault("tag/linear_tag.c", "words[1] = (uint32_t)(a >> 32);", "words[1] = (uint32_t)(a >> 31);", "store64"),
    Fault("tfhe/tfhe.c", "isopod_tfhe_word_bytes(config->params) / 2u", "isopod_tfhe_word_bytes(config->params)",
          "isopod_tfhe_width"),
    Fault("encrypt/moments.c", "columns != 0 && columns <= places &&", "columns <= places &&", "are_rows"),
    Fault("random/sender.c", "sender != NULL && sender->epoch", "sender->epoch", "isopod_sender_has_name"),
    Fault("tfhe/ring/ring_multiply.c", "(i % 16u)) & 3u) - 1", "(i % 16u)) & 7u) - 1", "symbol"),
)


def damaged(fault: Fault, copy: Path) -> Path:
    """Copies the library into a folder, with the mistake."""
    shutil.copytree(ROOT / "device", copy / "device", ignore=shutil.ignore_patterns("test"))
    path = copy / "device/src" / fault.path
    text = path.read_text()
    if text.count(fault.before) != 1:
        raise SystemExit(f"{fault.path}: {fault.before!r} is not there once")
    path.write_text(text.replace(fault.before, fault.after))
    return copy


def shown(contract: Contract, before: VerdictsBySolver, settings: Path, copy: Path) -> str:
    """How the first solver that shows a mistake leaves a goal in a damaged copy that it proves without the mistake, in five times
    the time of its slowest goal: `given up` if it says that it does not know, before its time is over; otherwise `not proved`.
    `NOT CAUGHT` if both prove all such goals. `before` has the verdicts without the mistake."""
    for solver in SOLVERS:
        held = {goal: verdict.seconds for goal, verdict in before[solver].items() if verdict.holds}
        seconds = max(LEAST_SECONDS, ceil(5 * max(held.values(), default=0)))
        after = verdicts([contract], Attempt(solver, settings, copy, seconds))[contract.function]
        left = {verdict.word for goal, verdict in after.items() if not verdict.holds and goal in held}
        if left:
            return "given up" if "Unknown" in left else "not proved"
    return "NOT CAUGHT"
