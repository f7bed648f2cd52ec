"""Runs the server from outside: its process, its interface, and the files of its log.

It reads the log by the description in `crates/store` alone."""
import atexit
import http.client
import json
import os
import shutil
import signal
import ssl
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))
from spec.model.receipt import parse_receipt  # noqa: E402

ISOPOD = (ROOT / os.environ.get("ISOPOD", "target/debug/isopod")).resolve()
SERVER = ISOPOD.with_name("isopod-server")
EARLY = ISOPOD.with_name("isopod-server-early")
PASSPHRASE = "only for this test"
HEAD = struct.Struct("<IIQQIIQ16s")
BEGIN = 16
FRAME, DELETED = 1, 2

FAILING_FLUSH = """
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
int fdatasync(int file) {
    if (access(getenv("FAIL_WHILE"), F_OK) == 0) {
        errno = EIO;
        return -1;
    }
    return fsync(file);
}
"""
SHIFTED_CLOCK = """
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *now) {
    const int status = (int)syscall(SYS_clock_gettime, clock, now);
    if (clock == CLOCK_REALTIME) {
        now->tv_sec += atol(getenv("CLOCK_SHIFT"));
    }
    return status;
}
"""

Name = tuple[int, int, int]
T = TypeVar("T")


def isopod(*arguments: str | Path) -> str:
    """Runs the command line; its standard output."""
    environment = {**os.environ, "ISOPOD_PASSPHRASE": PASSPHRASE}
    done = subprocess.run([ISOPOD, *map(str, arguments)], env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"isopod {' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def folder() -> Path:
    """A temporary folder that disappears when the tests end."""
    path = Path(tempfile.mkdtemp(prefix="isopod-server-"))
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


def head(data: bytes, at: int) -> tuple[int, int, int]:
    """The major type, value and length of a CBOR item's head."""
    major, short = data[at] >> 5, data[at] & 31
    if short < 24:
        return major, short, 1
    extra = 1 << (short - 24)
    return major, int.from_bytes(data[at + 1:at + 1 + extra], "big"), 1 + extra


def items(data: bytes) -> Iterator[tuple[bytes, list]]:
    """The arrays of a CBOR sequence, each as its numbers and the lengths of its strings."""
    at = 0
    while at < len(data):
        begin = at
        _, count, used = head(data, at)
        at += used
        values = []
        for _ in range(count):
            major, value, used = head(data, at)
            at += used + (value if major in (2, 3) else 0)
            values.append(value)
        yield data[begin:at], values


def end(data: bytes, at: int) -> int:
    """Where the CBOR item ends that begins at an offset."""
    major, value, used = head(data, at)
    at += used + (value if major in (2, 3) else 0)
    for _ in range(value if major == 4 else 0):
        at = end(data, at)
    return at


def elements(data: bytes) -> tuple[bytes, list[bytes]]:
    """A context, and the packets behind it, each with its head or in an array behind its sender."""
    at, found = 0, []
    while at < len(data):
        begin, at = at, end(data, at)
        found.append(data[begin:at])
    return found[0], found[1:]


def frames_of(data: bytes) -> dict[Name, list[bytes]]:
    """The parts of each frame of CKKS or BFV by device, epoch and sequence."""
    found: dict[Name, list[bytes]] = {}
    for item, values in items(data):
        found.setdefault((values[5], values[6], values[7]), []).append(item)
    return found


class Fleet:
    """A key pair with devices, which the command line makes."""

    def __init__(self, devices: int = 1, parameters: str = "ckks-1024x1-sum", certify: bool = False, secret: bool = False):
        self.keys = folder() / "keys"
        numbers = [text for device in range(1, devices + 1) for text in ("--device", str(device))]
        secrets = ["--allow-device-secret-key"] if secret else []
        isopod("keygen", "--set", parameters, "--no-evaluation-keys", "--out", self.keys, *numbers, *secrets)
        if certify:
            isopod("device", "certify", f"1-{devices}", "--keys", self.keys, "--token", "monitor:graphs")

    @property
    def server(self) -> Path:
        """The server's folder."""
        return self.keys / "server"

    def token(self, name: str = "token") -> str:
        """A token from `device certify`."""
        return (self.keys / "owner" / name).read_text()

    def frames(self, count: int, device: int = 1, value: float = 1.0, epoch: int | None = None) -> dict[Name, bytes]:
        """Fresh frames of one value each, by name."""
        place = folder()
        (place / "values.csv").write_text("reading\n" + f"{value}\n" * count)
        numbers = [] if epoch is None else ["--epoch", str(epoch)]
        isopod("encrypt", "--keys", self.keys / f"device-{device}", "--values", place / "values.csv", "--out", place / "frames",
               "--rows-per-frame", "1", *numbers)
        return {name: b"".join(parts) for name, parts in frames_of((place / "frames").read_bytes()).items()}

    def packets(self, values: list[float], *options: str) -> tuple[bytes, list[bytes]]:
        """A context of device 1, whose folder has the secret key, and a packet of each value, as elements of a body."""
        place = folder()
        (place / "values.csv").write_text("reading\n" + "".join(f"{value}\n" for value in values))
        isopod("encrypt", "--keys", self.keys / "device-1", "--values", place / "values.csv", "--out", place / "packets",
               "--by-secret-key", "--packets", "3", "--bound-bits", "0", "--scale-bits", "18", *options)
        return elements((place / "packets").read_bytes())

    def pads(self, device: int, rows: list[tuple[int, ...]]) -> bytes:
        """A context of pads, and a packet of each row, as a body."""
        place = folder()
        names = ",".join(f"c{at}" for at in range(len(rows[0])))
        (place / "values.csv").write_text("\n".join([names, *(",".join(map(str, row)) for row in rows), ""]))
        isopod("encrypt", "--keys", self.keys / f"device-{device}", "--values", place / "values.csv", "--out", place / "packets",
               "--bound-bits", "6")
        return (place / "packets").read_bytes()

    def device_key(self, device: int) -> bytes:
        """The key of a device, which stands in its file before a digest of 32 bytes."""
        return (self.keys / f"device-{device}/frame.key").read_bytes()[-66:-34]

    def receipt(self, item: bytes) -> tuple[Name, int]:
        """The frame of a receipt, and its outcome. Malformed, if the tag is not that of the device's key."""
        device = int.from_bytes(item[22:30], "little")
        epoch, sequence, outcome = parse_receipt(item, device, self.device_key(device))
        return (device, epoch, sequence), outcome

    def decrypt(self, results: bytes) -> list[float]:
        """The values of sealed results."""
        place = folder()
        (place / "results").write_bytes(results)
        opened = json.loads(isopod("--json", "decrypt", "--keys", self.keys / "owner", "--in", place / "results"))
        return [value["value"] for value in opened["values"]]


def trusting(fleet: Fleet, certificate: Path | None = None) -> ssl.SSLContext:
    """A client that trusts the fleet's authority, and shows the certificate in this folder if there is one."""
    context = ssl.create_default_context(cafile=fleet.server / "authority.crt")
    if certificate is not None:
        context.load_cert_chain(certificate / "tls.crt", certificate / "tls.key")
    return context


@dataclass
class Answer:
    """An answer from the server."""

    status: int
    body: bytes
    headers: dict[str, str]

    def json(self) -> dict:
        """The body, parsed as JSON."""
        return json.loads(self.body)


@dataclass
class Server:
    """A server process."""

    keys: Path
    data: Path = field(default_factory=lambda: folder() / "data")
    program: Path = SERVER
    options: tuple[str, ...] = ()
    process: subprocess.Popen | None = None
    address: tuple[str, int] | None = None
    context: ssl.SSLContext | None = None
    limit: int | None = None
    status: int = 200
    environment: dict[str, str] = field(default_factory=dict)

    def start(self) -> "Server":
        """Starts the server on a free port, and waits until it takes requests; with another `status`, until readiness is it."""
        self.log = folder() / "log"
        command = [*map(str, (self.program, "--data", self.data, "--keys", self.keys)), "--listen", "127.0.0.1:0", *self.options]
        if self.limit is not None:
            command = ["prlimit", f"--fsize={self.limit}:", *command]
        with self.log.open("w") as file:
            self.process = subprocess.Popen(command, stderr=file, stdout=subprocess.DEVNULL, env=os.environ | self.environment,
                                            preexec_fn=ignore_size if self.limit is not None else None)
        self.address = wait_for(self.listening, self.log.read_text)
        wait_for(self.is_ready, self.log.read_text)
        return self

    def check_runs(self) -> None:
        """RuntimeError, with the log, if the process has ended."""
        if self.process.poll() is not None:
            raise RuntimeError(self.log.read_text())

    def listening(self) -> tuple[str, int] | None:
        """The address in the server's log."""
        entries = map(json.loads, self.log.read_text().splitlines())
        found = [entry["address"].rsplit(":", 1) for entry in entries if entry.get("message") == "listening"]
        if not found:
            self.check_runs()
        return (found[0][0], int(found[0][1])) if found else None

    def is_ready(self) -> bool:
        """True if the server's readiness is as it is waited for."""
        self.check_runs()
        try:
            return self.ask("GET", "/readyz").status == self.status
        except (OSError, http.client.HTTPException):
            return False

    def connection(self, context: ssl.SSLContext | None = None) -> http.client.HTTPConnection:
        """A new connection."""
        context = context or self.context
        if context is None:
            return http.client.HTTPConnection(*self.address, timeout=30)
        return http.client.HTTPSConnection("localhost", self.address[1], timeout=30, context=context)

    def ask(self, method: str, path: str, body: object = None, headers: dict | None = None,
            context: ssl.SSLContext | None = None) -> Answer:
        """Sends one request on a new connection."""
        connection = self.connection(context)
        try:
            return ask(connection, method, path, body, headers)
        finally:
            connection.close()

    def send(self, *frames: bytes, **options: object) -> Answer:
        """Uploads frames in one body."""
        return self.ask("POST", "/v1/frames", b"".join(frames), **options)

    def kill(self) -> None:
        """Ends the process like a crash."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """Ends the process by a signal and returns its exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=60)

    def run_job(self, headers: dict | None = None, **asked: object) -> tuple[dict, bytes]:
        """The last state of a job, read from its events, and its results."""
        body = json.dumps(asked).encode()
        answer = self.ask("POST", "/v1/jobs", body, {"Content-Type": "application/json", **(headers or {})})
        if answer.status != 202:
            return answer.json(), b""
        place = answer.headers["location"]
        events = self.ask("GET", f"{place}/events", headers=headers).body.decode()
        states = [json.loads(line[5:]) for line in events.splitlines() if line.startswith("data:")]
        results = self.ask("GET", f"{place}/results", headers=headers)
        return states[-1], results.body if results.status == 200 else b""

    def readiness(self) -> dict[str, set[str]]:
        """The fields that make the server unready, and those of its warnings."""
        found = self.ask("GET", "/readyz").json()
        return {key: {reason["field"] for reason in found[key]} for key in ("reasons", "warnings")}

    def metrics(self) -> dict[str, float]:
        """The samples on the page of metrics, by name and labels."""
        lines = self.ask("GET", "/metrics").body.decode().splitlines()
        samples = [line.rsplit(" ", 1) for line in lines if not line.startswith("#")]
        return {name: float(value) for name, value in samples}

    def table(self) -> Path:
        """The folder of the server's only table."""
        return next((self.data / "tables").iterdir())

    def wait_compacted(self) -> dict:
        """Waits until the table holds all frames of the log, and returns the totals."""
        def totals() -> dict | None:
            found = self.ask("GET", "/v1/totals").json()
            return found if found["table_behind"] == 0 else None
        return wait_for(totals, lambda: "the table stays behind the log")

    def stored(self) -> list[tuple[Name, bytes]]:
        """All whole records in the files of the log."""
        return [(name, frame) for name, _, frame in records(self.data / "log")]

    def __enter__(self) -> "Server":
        return self.start()

    def __exit__(self, *_: object) -> None:
        if self.process and self.process.poll() is None:
            self.kill()


def wait_for(found: Callable[[], T], failure: Callable[[], str], seconds: float = 60) -> T:
    """The first true value that a function gives. RuntimeError, with a message, if the time is over."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := found():
            return value
        time.sleep(0.01)
    raise RuntimeError(failure())


def preloaded(source: str) -> str:
    """A library that replaces functions of libc, compiled from a C source."""
    place = folder()
    (place / "replace.c").write_text(source)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", place / "replace.so", place / "replace.c"], check=True)
    return str(place / "replace.so")


def shifted_clock(seconds: int) -> dict[str, str]:
    """The environment of a process whose clock is some seconds off."""
    return {"LD_PRELOAD": preloaded(SHIFTED_CLOCK), "CLOCK_SHIFT": str(seconds)}


def ignore_size() -> None:
    """Makes writes beyond the limit of file sizes fail instead of sending a signal."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def ask(connection: http.client.HTTPConnection, method: str, path: str, body: object = None,
        headers: dict | None = None) -> Answer:
    """One request on an open connection."""
    connection.request(method, path, body=body, headers=headers or {})
    answer = connection.getresponse()
    names = {name.lower(): value for name, value in answer.getheaders()}
    return Answer(answer.status, answer.read(), names)


def records(place: Path) -> Iterator[tuple[Name, int, bytes]]:
    """The name, arrival time and bytes of each frame in the segments of a log. A segment ends at the first bytes that form no
    record."""
    for path in sorted(place.glob("*.segment")):
        data = path.read_bytes()
        at = BEGIN
        while at + HEAD.size <= len(data):
            length, _, device, sequence, epoch, _, time_and_kind, _ = HEAD.unpack_from(data, at)
            kind, received = time_and_kind >> 56, time_and_kind & (1 << 56) - 1
            if kind not in (FRAME, DELETED) or at + HEAD.size + length > len(data):
                break
            if kind == FRAME:
                yield (device, epoch, sequence), received, data[at + HEAD.size:at + HEAD.size + length]
            at += HEAD.size + length


def received(place: Path) -> list[int]:
    """The arrival times in a log, in its order."""
    return [time_of for _, time_of, _ in records(place)]


def delta_files(table: Path) -> dict[str, int]:
    """The data files of a Delta table that its log names, each with its number of rows. All of them must exist."""
    files: dict[str, int] = {}
    for entry in sorted((table / "_delta_log").glob("*.json")):
        for line in entry.read_text().splitlines():
            action = json.loads(line)
            if "add" in action:
                files[action["add"]["path"]] = json.loads(action["add"]["stats"])["numRecords"]
            if "remove" in action:
                del files[action["remove"]["path"]]
    missing = [name for name in files if not (table / name).exists()]
    if missing:
        raise RuntimeError(f"missing: {missing}")
    return files


def delta_removed(table: Path) -> set[str]:
    """The data files that left a Delta table, and that may stay on the disk for readers that have begun."""
    entries = (table / "_delta_log").glob("*.json")
    actions = [json.loads(line) for entry in entries for line in entry.read_text().splitlines()]
    return {action["remove"]["path"] for action in actions if "remove" in action}


def check(acknowledged: dict[Name, bytes], stored: list[tuple[Name, bytes]]) -> tuple[int, int]:
    """Counts the acknowledged frames that are not stored as they were sent, and the frames that are stored more than once."""
    there = dict(stored)
    lost = sum(there.get(name) != frame for name, frame in acknowledged.items())
    return lost, len(stored) - len(there)
