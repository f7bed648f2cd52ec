"""Sends frames over a real Mosquitto: frames in parts, receipts after the flush, crashes of broker and server, a bridge."""
import json
import shutil
import socket
import subprocess
import threading
import time
import unittest

import harness

BROKER = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin")


def free_port() -> int:
    """A port on which nobody listens."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Broker:
    """A Mosquitto process that asks for a password."""

    def __init__(self, *lines: str):
        self.place, self.port = harness.folder(), free_port()
        self.place.chmod(0o755)
        passwords = self.place / "passwords"
        subprocess.run(["mosquitto_passwd", "-c", "-b", passwords, "meter", "secret"], check=True, capture_output=True)
        passwords.chmod(0o644)
        (self.place / "mosquitto.conf").write_text("\n".join([
            f"listener {self.port} 127.0.0.1", "allow_anonymous false", f"password_file {passwords}", "persistence false",
            "max_packet_size 4000000", *lines]) + "\n")
        (self.place / "login").write_text("meter\nsecret\n")
        (self.place / "login").chmod(0o600)
        self.start()

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


class Receipts:
    """The receipts that a device gets."""

    def __init__(self, broker: Broker, topic: str = "isopod/receipts/#"):
        self.all: list[dict] = []
        self.process = subprocess.Popen(["stdbuf", "-oL", "mosquitto_sub", *broker.login, "-t", topic, "-d"],
                                        stdout=subprocess.PIPE, text=True)
        self.subscribed = threading.Event()
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()
        self.subscribed.wait(10)

    def read(self) -> None:
        """Collects the receipts that arrive."""
        for line in self.process.stdout:
            if line.startswith("Subscribed"):
                self.subscribed.set()
            if line.startswith("{"):
                self.all.append(json.loads(line))

    def wait(self, count: int, seconds: float = 10) -> list[dict]:
        """The receipts, once there are enough or the time is over."""
        end = time.monotonic() + seconds
        while len(self.all) < count and time.monotonic() < end:
            time.sleep(0.01)
        return list(self.all)

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


def name(receipt: dict) -> harness.Name:
    """The name of the frame that a receipt acknowledges."""
    return receipt["device"], receipt["epoch"], receipt["sequence"]


@unittest.skipUnless(BROKER, "mosquitto not found; ./bootstrap.sh installs it")
class Messages(unittest.TestCase):
    """All tests share one broker and one server."""

    def setUp(self) -> None:
        self.broker = Broker()
        self.addCleanup(self.broker.kill)
        self.fleet = harness.Fleet(2, "ckks-4096x2-linear")
        self.server = harness.Server(self.fleet.server, options=self.broker.options()).start()
        self.addCleanup(self.server.kill)
        wait_connected(self.server)
        self.receipts = Receipts(self.broker)
        self.addCleanup(self.receipts.close)

    def parts(self, count: int, device: int = 1) -> dict[harness.Name, list[bytes]]:
        """Fresh frames, split into their parts."""
        frames = self.fleet.frames(count, device)
        return {of: [item for item, _ in harness.items(frame)] for of, frame in frames.items()}

    def test_parts_make_frames_and_receipts_come_once_they_are_stored(self) -> None:
        frames = self.parts(3)
        pieces = [part for parts in frames.values() for part in parts]
        self.assertEqual(len(pieces), 6)
        for piece in pieces[::2] + pieces[1::2]:
            self.broker.publish("isopod/frames/1", piece)
        found = self.receipts.wait(3)
        self.assertEqual({name(receipt): receipt["fate"] for receipt in found}, dict.fromkeys(frames, "stored"))
        whole = {of: b"".join(parts) for of, parts in frames.items()}
        self.assertEqual(harness.check(whole, self.server.stored()), (0, 0))

    def test_a_frame_that_comes_again_is_known_and_a_bad_one_refused(self) -> None:
        (frame,) = (b"".join(parts) for parts in self.parts(1).values())
        for payload in (frame, frame, frame[:-1] + b"\x00", b"nonsense"):
            self.broker.publish("isopod/frames/1", payload)
        found = self.receipts.wait(4)
        self.assertEqual(sorted(receipt["fate"] for receipt in found), ["known", "refused", "refused", "stored"])
        self.assertIn("tag", {receipt.get("field") for receipt in found})
        self.assertEqual(len(self.server.stored()), 1)

    def test_a_server_that_crashes_gets_again_what_it_has_not_acknowledged(self) -> None:
        frames = {of: b"".join(parts) for of, parts in self.parts(6).items()}
        for frame in list(frames.values())[:3]:
            self.broker.publish("isopod/frames/1", frame)
        self.receipts.wait(3)
        self.server.kill()
        for frame in list(frames.values())[3:]:
            self.broker.publish("isopod/frames/1", frame)
        self.server.start()
        found = self.receipts.wait(6)
        self.assertEqual({name(receipt) for receipt in found}, set(frames))
        self.assertEqual(harness.check(frames, self.server.stored()), (0, 0))

    def test_the_server_connects_again_after_the_broker_crashed(self) -> None:
        self.broker.kill()
        time.sleep(0.3)
        self.broker.start()
        wait_connected(self.server, 2)
        receipts = Receipts(self.broker)
        self.addCleanup(receipts.close)
        frames = {of: b"".join(parts) for of, parts in self.parts(2).items()}
        for frame in frames.values():
            self.broker.publish("isopod/frames/1", frame)
        self.assertEqual(len(receipts.wait(2)), 2)
        self.assertEqual(harness.check(frames, self.server.stored()), (0, 0))

    def test_parts_that_stay_alone_are_set_aside(self) -> None:
        options = (*self.broker.options(), "--part-seconds", "1", "--mqtt-topic", "lone")
        with harness.Server(self.fleet.server, options=options) as server:
            wait_connected(server)
            self.broker.publish("lone/frames/2", next(iter(self.parts(1, 2).values()))[0])
            kept = []
            for _ in range(100):
                self.broker.publish("lone/frames/x", b"\x00")
                kept = [item["reason"] for item in server.ask("GET", "/v1/quarantine").json()]
                if any("missing" in reason for reason in kept):
                    return
                time.sleep(0.05)
            self.fail(kept)

    def test_a_bridge_brings_frames_and_takes_receipts_back(self) -> None:
        site = Broker("connection center", f"address 127.0.0.1:{self.broker.port}", "remote_username meter",
                      "remote_password secret", "topic isopod/frames/# out 1", "topic isopod/receipts/# in 1",
                      "bridge_max_packet_size 4000000", "restart_timeout 1")
        self.addCleanup(site.kill)
        receipts = Receipts(site, "isopod/receipts/site-7/1")
        self.addCleanup(receipts.close)
        time.sleep(1)
        frames = {of: b"".join(parts) for of, parts in self.parts(2).items()}
        for frame in frames.values():
            site.publish("isopod/frames/site-7/1", frame)
        self.assertEqual({name(receipt) for receipt in receipts.wait(2)}, set(frames))
        self.assertEqual(harness.check(frames, self.server.stored()), (0, 0))

    def test_a_login_that_others_can_read_is_refused(self) -> None:
        (self.broker.place / "login").chmod(0o644)
        command = [harness.SERVER, "--data", harness.folder(), "--keys", self.fleet.server, "--listen", "127.0.0.1:0",
                   *self.broker.options()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("lets others read", done.stderr)
