"""Runs Mosquitto, and hears what a server answers over it."""
import json
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import harness

from spec.model.parse import Malformed

BROKER = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin")
DEPLOY = Path(__file__).parents[1] / "deploy"
RECEIPT_BYTES = 60
OUTCOMES = {1: "stored", 2: "known", 3: "stale", 4: "announced"}


def free_port() -> int:
    """A port on which nobody listens."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Process:
    """A Mosquitto process with this configuration, in a folder of its own."""

    def __init__(self, *lines: str):
        self.place, self.port = harness.folder(), free_port()
        self.place.chmod(0o755)
        text = "\n".join(lines).format(port=self.port, place=self.place)
        (self.place / "mosquitto.conf").write_text(text + "\n")

    def start(self) -> None:
        """Starts it, and waits until it listens."""
        command = [BROKER, "-c", self.place / "mosquitto.conf"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        harness.wait_for(self.listens, lambda: "mosquitto does not start", 10)

    def listens(self) -> bool:
        """True if the broker takes connections."""
        with socket.socket() as found:
            return found.connect_ex(("127.0.0.1", self.port)) == 0

    def kill(self) -> None:
        """Ends the process like a crash."""
        self.process.kill()
        self.process.wait()


class Broker(Process):
    """A Mosquitto process that asks for a password."""

    def __init__(self, *lines: str):
        super().__init__("listener {port} 127.0.0.1", "allow_anonymous false", "password_file {place}/passwords",
                         "persistence false", "max_packet_size 4000000", "set_tcp_nodelay true", *lines)
        passwords = self.place / "passwords"
        subprocess.run(["mosquitto_passwd", "-c", "-b", passwords, "meter", "secret"], check=True, capture_output=True)
        passwords.chmod(0o644)
        (self.place / "login").write_text("meter\nsecret\n")
        (self.place / "login").chmod(0o600)
        self.start()

    @property
    def login(self) -> list[str]:
        """Arguments by which clients log in."""
        return ["-h", "127.0.0.1", "-p", str(self.port), "-u", "meter", "-P", "secret", "-q", "1"]

    def publish(self, topic: str, payload: bytes) -> None:
        """Publishes a message, acknowledged by the broker."""
        subprocess.run(["mosquitto_pub", *self.login, "-t", topic, "-s"], input=payload, check=True, capture_output=True)

    def options(self) -> tuple[str, ...]:
        """Options for a server that takes frames from this broker."""
        return ("--mqtt", f"127.0.0.1:{self.port}", "--mqtt-login", str(self.place / "login"))


class CertifiedBroker(Process):
    """Mosquitto as the files of a deployment configure it, for a fleet that has certificates for it."""

    def __init__(self, fleet: harness.Fleet):
        text = (DEPLOY / "mosquitto.conf").read_text()
        text = text.replace("listener 8883", "listener {port} 127.0.0.1\nuser root")
        text = text.replace("/mosquitto/keys", str(fleet.keys / "broker")).replace("/mosquitto/config", str(DEPLOY))
        super().__init__(text)
        self.fleet = fleet
        self.start()

    def login(self, folder: str) -> list[str]:
        """Arguments by which a client connects with the certificate in a folder of the fleet."""
        place = self.fleet.keys / folder
        return ["-h", "localhost", "-p", str(self.port), "--cafile", place / "authority.crt", "--cert", place / "tls.crt",
                "--key", place / "tls.key", "-q", "1"]

    def publish(self, folder: str, topic: str, payload: bytes) -> None:
        """Publishes a message with the certificate in a folder of the fleet."""
        subprocess.run(["mosquitto_pub", *self.login(folder), "-t", topic, "-s"], input=payload, check=True, capture_output=True)

    def options(self) -> tuple[str, ...]:
        """Options for a server that takes frames from this broker."""
        return ("--mqtt", f"localhost:{self.port}", "--mqtt-authority", str(self.fleet.server / "authority.crt"))


@dataclass
class Heard:
    """Receipts and refusals in the order in which they came. Each receipt was checked with the key of its device."""

    receipts: list[tuple[harness.Name, str]] = field(default_factory=list)
    refusals: list[dict] = field(default_factory=list)
    forged: int = 0


class Listener:
    """A client that hears what the server says to devices."""

    def __init__(self, login: list, fleet: harness.Fleet, *topics: str):
        topics = topics or ("isopod/receipts/#", "isopod/refusals/#")
        self.fleet, self.heard = fleet, Heard()
        named = [word for topic in topics for word in ("-t", topic)]
        self.process = subprocess.Popen(["stdbuf", "-oL", "mosquitto_sub", *login, *named, "-d", "-F", "heard %t %x"],
                                        stdout=subprocess.PIPE, text=True)
        self.subscribed = threading.Event()
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()
        self.subscribed.wait(10)

    def read(self) -> None:
        """Collects what comes."""
        for line in self.process.stdout:
            if line.startswith("Subscribed"):
                self.subscribed.set()
            if line.startswith("heard "):
                _, topic, payload = line.split()
                self.take(topic, bytes.fromhex(payload))

    def take(self, topic: str, payload: bytes) -> None:
        """Reads one message."""
        if "/refusals/" in topic:
            self.heard.refusals.append(json.loads(payload))
            return
        for at in range(0, len(payload), RECEIPT_BYTES):
            item = payload[at:at + RECEIPT_BYTES]
            try:
                name, outcome = self.fleet.receipt(item)
            except (Malformed, OSError):
                self.heard.forged += 1
                continue
            self.heard.receipts.append((name, OUTCOMES[outcome]))

    def wait(self, count: int, seconds: float = 10) -> list[tuple[harness.Name, str]]:
        """The receipts, once there are enough or the time is over."""
        end = time.monotonic() + seconds
        while len(self.heard.receipts) < count and time.monotonic() < end:
            time.sleep(0.01)
        return list(self.heard.receipts)

    def wait_for(self, frames: Iterable[harness.Name], seconds: float = 10) -> set[harness.Name]:
        """The frames of which there are receipts, once these are among them or the time is over. Some may have several."""
        end, wanted = time.monotonic() + seconds, set(frames)
        while not wanted <= {name for name, _ in self.heard.receipts} and time.monotonic() < end:
            time.sleep(0.01)
        return {name for name, _ in self.heard.receipts}

    def close(self) -> None:
        """Ends the subscription."""
        self.process.kill()
        self.process.wait()
        self.thread.join()
        self.process.stdout.close()


def wait_connected(server: harness.Server, times: int = 1) -> None:
    """Waits until the server has subscribed this number of times."""
    harness.wait_for(lambda: server.log.read_text().count("MQTT: connected") >= times, server.log.read_text)
    time.sleep(0.1)


def lift_limit(server: harness.Server) -> None:
    """Gives a server whose files may not grow the room that it lacked."""
    subprocess.run(["prlimit", "--fsize=unlimited", "--pid", str(server.process.pid)], check=True)
