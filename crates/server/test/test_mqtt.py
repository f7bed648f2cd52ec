"""Sends frames over a real Mosquitto: frames in parts, receipts after the flush, crashes of broker and server, a full disk, a
bridge."""
import subprocess
import time
import unittest

import harness
from broker import BROKER, Broker, Listener, Process, lift_limit, wait_connected


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
        self.listener = Listener(self.broker.login, self.fleet)
        self.addCleanup(self.listener.close)

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
        self.assertEqual(dict(self.listener.wait(3)), dict.fromkeys(frames, "stored"))
        whole = {of: b"".join(parts) for of, parts in frames.items()}
        self.assertEqual(harness.check(whole, self.server.stored()), (0, 0))

    def test_a_frame_that_comes_again_is_known_and_a_bad_one_refused(self) -> None:
        (frame,) = (b"".join(parts) for parts in self.parts(1).values())
        for payload in (frame[:-1] + b"\x00", b"nonsense", frame, frame):
            self.broker.publish("isopod/frames/1", payload)
        self.assertEqual([outcome for _, outcome in self.listener.wait(2)], ["stored", "known"])
        harness.wait_for(lambda: len(self.listener.heard.refusals) == 2, lambda: str(self.listener.heard))
        self.assertIn("tag", {refusal["field"] for refusal in self.listener.heard.refusals})
        self.assertEqual(len(self.server.stored()), 1)

    def test_a_server_that_crashes_gets_again_what_it_has_not_acknowledged(self) -> None:
        frames = {of: b"".join(parts) for of, parts in self.parts(6).items()}
        for frame in list(frames.values())[:3]:
            self.broker.publish("isopod/frames/1", frame)
        self.listener.wait(3)
        self.server.kill()
        for frame in list(frames.values())[3:]:
            self.broker.publish("isopod/frames/1", frame)
        self.server.start()
        self.assertEqual(set(dict(self.listener.wait(6))), set(frames))
        self.assertEqual(harness.check(frames, self.server.stored()), (0, 0))

    def test_the_server_connects_again_after_the_broker_crashed(self) -> None:
        self.broker.kill()
        time.sleep(0.3)
        self.broker.start()
        wait_connected(self.server, 2)
        listener = Listener(self.broker.login, self.fleet)
        self.addCleanup(listener.close)
        frames = {of: b"".join(parts) for of, parts in self.parts(2).items()}
        for frame in frames.values():
            self.broker.publish("isopod/frames/1", frame)
        self.assertEqual(len(listener.wait(2)), 2)
        self.assertEqual(harness.check(frames, self.server.stored()), (0, 0))

    def test_a_part_that_the_broker_repeats_is_no_mistake(self) -> None:
        (parts,) = self.parts(1).values()
        for part in (parts[0], parts[0], *parts[1:]):
            self.broker.publish("isopod/frames/1", part)
        self.assertEqual([outcome for _, outcome in self.listener.wait(1)], ["stored"])
        self.assertEqual(self.listener.heard.refusals, [])

    def test_a_device_does_not_use_up_the_room_for_parts_of_others(self) -> None:
        # Parts alone, of one device beyond its share, and then of another.
        flood = [parts[0] for parts in self.parts(300).values()]
        for at in range(0, len(flood), 20):
            self.broker.publish("isopod/frames/1", b"".join(flood[at:at + 20]))
        frames = self.parts(1, 2)
        for part in next(iter(frames.values())):
            self.broker.publish("isopod/frames/2", part)
        self.assertEqual(dict(self.listener.wait(1)), dict.fromkeys(frames, "stored"))
        self.assertEqual({refusal["field"] for refusal in self.listener.heard.refusals}, {"parts"})

    def test_a_message_that_is_too_long_stops_nobody(self) -> None:
        broker = Process("listener {port} 127.0.0.1", "allow_anonymous true")
        broker.start()
        self.addCleanup(broker.kill)
        login = ["-h", "127.0.0.1", "-p", str(broker.port), "-q", "1"]
        frames = {of: b"".join(parts) for of, parts in self.parts(2).items()}
        with harness.Server(self.fleet.server, options=("--mqtt", f"127.0.0.1:{broker.port}")) as server:
            wait_connected(server)
            listener = Listener(login, self.fleet)
            self.addCleanup(listener.close)
            subprocess.run(["mosquitto_pub", *login, "-t", "isopod/frames/1", "-s"], input=bytes(5_000_000), check=True)
            wait_connected(server, 2)
            for frame in frames.values():
                subprocess.run(["mosquitto_pub", *login, "-t", "isopod/frames/1", "-s"], input=frame, check=True)
            self.assertEqual(set(dict(listener.wait(2))), set(frames))

    def test_a_full_disk_ends_the_link_and_room_brings_everything(self) -> None:
        self.server.kill()
        self.server.limit = 200_000
        self.server.start()
        # More than the broker sends without an acknowledgement.
        frames = {of: b"".join(parts) for of, parts in self.parts(40).items()}
        for frame in frames.values():
            self.broker.publish("isopod/frames/1", frame)
        harness.wait_for(lambda: "begins anew after 2 seconds" in self.server.log.read_text(), self.server.log.read_text)
        self.assertLess(len(self.listener.heard.receipts), 10)
        lift_limit(self.server)
        self.assertEqual(self.listener.wait_for(frames, 60), set(frames))
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
        listener = Listener(site.login, self.fleet, "isopod/receipts/site-7/1")
        self.addCleanup(listener.close)
        time.sleep(1)
        frames = {of: b"".join(parts) for of, parts in self.parts(2).items()}
        for frame in frames.values():
            site.publish("isopod/frames/site-7/1", frame)
        self.assertEqual(set(dict(listener.wait(2))), set(frames))
        self.assertEqual(harness.check(frames, self.server.stored()), (0, 0))

    def test_a_login_that_others_can_read_is_refused(self) -> None:
        (self.broker.place / "login").chmod(0o644)
        command = [harness.SERVER, "--data", harness.folder(), "--keys", self.fleet.server, "--listen", "127.0.0.1:0",
                   *self.broker.options()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("lets others read", done.stderr)
