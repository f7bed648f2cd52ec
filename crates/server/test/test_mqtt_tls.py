"""Tests a broker with certificates and the access list of a deployment: a device sends and hears for itself alone, and no
broker's client makes a receipt that a device believes."""
import shutil
import subprocess
import time
import unittest

import harness
from broker import BROKER, CertifiedBroker, Listener, Process, wait_connected


@unittest.skipUnless(BROKER, "mosquitto not found; ./bootstrap.sh installs it")
class Certified(unittest.TestCase):
    """A fleet with two devices and a site."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.fleet = harness.Fleet(2, "ckks-4096x2-linear", certify=True)
        harness.isopod("device", "certify", "--keys", cls.fleet.keys, "--broker-name", "localhost", "--site", "north")
        cls.broker = CertifiedBroker(cls.fleet)
        cls.addClassCleanup(cls.broker.kill)
        cls.server = harness.Server(cls.fleet.server, options=cls.broker.options(), context=harness.trusting(cls.fleet)).start()
        cls.addClassCleanup(cls.server.kill)
        wait_connected(cls.server)

    def listener(self, folder: str, *topics: str) -> Listener:
        """A client with the certificate in a folder."""
        listener = Listener(self.broker.login(folder), self.fleet, *topics)
        self.addCleanup(listener.close)
        return listener

    def test_a_device_sends_and_hears_under_its_own_name(self) -> None:
        own, other = self.listener("device-1", "isopod/receipts/device-1"), self.listener("device-2", "isopod/receipts/#")
        frames = self.fleet.frames(2, 1)
        self.broker.publish("device-1", "isopod/frames/device-1", b"".join(frames.values()))
        self.assertEqual(set(dict(own.wait(2))), set(frames))
        self.broker.publish("device-1", "isopod/frames/device-1/parts", b"nonsense")
        self.assertEqual((other.wait(1, 1), other.heard.forged), ([], 0))

    def test_a_device_neither_sends_nor_hears_as_another(self) -> None:
        frames = self.fleet.frames(1, 1)
        listener = self.listener("device-1", "isopod/#")
        for topic in ("isopod/frames/device-1", "isopod/frames/device-1/x", "isopod/frames/x", "isopod/frames"):
            self.broker.publish("device-2", topic, b"".join(frames.values()))
        self.broker.publish("device-1", "isopod/frames/device-1", b"nonsense")
        harness.wait_for(lambda: listener.heard.refusals, lambda: "no refusal")
        self.assertEqual(listener.heard.receipts, [])
        self.assertFalse(set(frames) & set(dict(self.server.stored())))

    def test_nobody_but_the_server_says_that_a_frame_is_stored(self) -> None:
        listener = self.listener("device-1", "isopod/receipts/device-1")
        for folder in ("device-1", "device-2", "site-north"):
            for topic in ("isopod/receipts/device-1", "isopod/refusals/device-1"):
                self.broker.publish(folder, topic, b"{}")
        frames = self.fleet.frames(1, 1)
        self.broker.publish("device-1", "isopod/frames/device-1", b"".join(frames.values()))
        self.assertEqual(set(dict(listener.wait(1))), set(frames))
        self.assertEqual(listener.heard.forged, 0)

    def test_clients_without_a_certificate_of_the_fleet_do_not_connect(self) -> None:
        stranger = harness.Fleet(1, certify=True).keys / "device-1"
        login = self.broker.login("device-1")
        for other in (login[:6], [*login[:6], "--cert", stranger / "tls.crt", "--key", stranger / "tls.key"]):
            command = ["mosquitto_pub", *other, "-t", "isopod/frames/device-1", "-m", "x"]
            done = subprocess.run(command, capture_output=True, timeout=20, check=False)
            self.assertNotEqual(done.returncode, 0)

    def test_a_site_brings_frames_and_takes_receipts_back(self) -> None:
        place = self.fleet.keys / "site-north"
        text = (harness.ROOT / "crates/server/deploy/mosquitto.conf").read_text()
        lines = [line[4:] for line in text.splitlines() if line.startswith("#   ")]
        bridge = "\n".join(lines).replace("HOST:8883", f"localhost:{self.broker.port}").replace("file ", f"file {place}/")
        site = Process("listener {port} 127.0.0.1", "user root", "allow_anonymous true", bridge, "restart_timeout 1")
        site.start()
        self.addCleanup(site.kill)
        login = ["-h", "127.0.0.1", "-p", str(site.port), "-q", "1"]
        listener = Listener(login, self.fleet, "isopod/receipts/device-1")
        self.addCleanup(listener.close)
        time.sleep(1)
        frames = self.fleet.frames(1, 1)
        command = ["mosquitto_pub", *login, "-t", "isopod/frames/device-1", "-s"]
        subprocess.run(command, input=b"".join(frames.values()), check=True, capture_output=True)
        self.assertEqual(set(dict(listener.wait(1))), set(frames))


@unittest.skipUnless(BROKER, "mosquitto not found; ./bootstrap.sh installs it")
class Forged(unittest.TestCase):
    """A broker whose clients may do everything."""

    def test_no_client_makes_a_receipt_that_a_device_believes(self) -> None:
        fleet = harness.Fleet(2)
        broker = Process("listener {port} 127.0.0.1", "allow_anonymous true")
        broker.start()
        self.addCleanup(broker.kill)
        login = ["-h", "127.0.0.1", "-p", str(broker.port), "-q", "1"]
        with harness.Server(fleet.server, options=("--mqtt", f"127.0.0.1:{broker.port}")) as server:
            wait_connected(server)
            heard = Listener(login, fleet)
            self.addCleanup(heard.close)
            frame = next(iter(fleet.frames(1, 1).values()))
            answer = server.send(frame, headers={"Accept": "application/cbor-seq"})
            receipt = answer.body
            # For another device, of another frame, and with the outcome of another.
            for at in (22, 34, 42):
                forged = receipt[:at] + bytes([receipt[at] ^ 3]) + receipt[at + 1:]
                subprocess.run(["mosquitto_pub", *login, "-t", "isopod/receipts/1", "-s"], input=forged, check=True)
            harness.wait_for(lambda: heard.heard.forged == 3, lambda: str(heard.heard))
            self.assertEqual(heard.heard.receipts, [])


class Names(unittest.TestCase):
    """Tests what `device certify` writes for brokers."""

    def test_folders_are_private_and_names_are_checked(self) -> None:
        fleet = harness.Fleet(1)
        harness.isopod("device", "certify", "1", "--keys", fleet.keys, "--broker-name", "broker.example,10.0.0.2", "--site", "a")
        for folder in ("broker", "site-a"):
            files = {path.name: path.stat().st_mode & 0o777 for path in (fleet.keys / folder).iterdir()}
            self.assertEqual(files, dict.fromkeys(("tls.crt", "tls.key", "authority.crt"), 0o600))
            self.assertEqual((fleet.keys / folder).stat().st_mode & 0o777, 0o700)
        with self.assertRaisesRegex(RuntimeError, "--site"):
            harness.isopod("device", "certify", "--keys", fleet.keys, "--site", "a/#")

    @unittest.skipUnless(shutil.which("openssl"), "openssl not found")
    def test_clients_have_the_names_that_the_access_list_knows(self) -> None:
        fleet = harness.Fleet(1)
        harness.isopod("device", "certify", "1", "--keys", fleet.keys, "--broker-name", "localhost", "--site", "a")
        for place, name in (("device-1/tls.crt", "device-1"), ("site-a/tls.crt", "site-a"), ("server/mqtt.crt", "isopod-server")):
            command = ["openssl", "x509", "-in", fleet.keys / place, "-noout", "-subject", "-ext", "extendedKeyUsage"]
            text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            self.assertRegex(text, rf"CN ?= ?{name}\n")
            self.assertIn("Client Authentication", text)
            self.assertNotIn("Server Authentication", text)
