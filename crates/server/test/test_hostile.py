"""Tests slow and malicious senders: none of them stops the others, and all of them end."""
import contextlib
import os
import socket
import threading
import time
import unittest
from pathlib import Path

import harness

HEAD = b"POST /v1/frames HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
MEMORY_MB = 8


class Sender:
    """A connection with an upload that is not at its end."""

    def __init__(self, server: harness.Server, length: int, begin: bytes = b""):
        self.connection = socket.create_connection(server.address, timeout=20)
        self.connection.sendall(HEAD % length + begin)

    def send(self, data: bytes) -> None:
        """Sends more of the body."""
        self.connection.sendall(data)

    def status(self) -> int:
        """The status of the answer."""
        with contextlib.suppress(ConnectionError):
            return int(self.connection.recv(65536).split(b" ", 2)[1])
        return 0

    def close(self) -> None:
        """Breaks off."""
        self.connection.close()


class Slow(unittest.TestCase):
    """Many slow senders beside honest ones, in a server with little memory."""

    def setUp(self) -> None:
        self.fleet = harness.Fleet(2, "ckks-4096x2-linear")
        options = ("--memory-mb", str(MEMORY_MB), "--patience", "10", "--connections", "2000")
        self.server = harness.Server(self.fleet.server, options=options).start()
        self.addCleanup(self.server.kill)

    def begun(self, count: int, frame: bytes, share: float) -> list[Sender]:
        """Uploads that have sent a share of their frame."""
        begin = frame[:int(share * len(frame))]
        senders = [Sender(self.server, len(frame), begin) for _ in range(count)]
        for sender in senders:
            self.addCleanup(sender.close)
        return senders

    def files(self) -> list[os.stat_result]:
        """The files with bytes, but without a name, that the server holds open in its folder of uploads.

        A file gets its mode after it is opened and before its first byte.
        """
        found = []
        for link in Path(f"/proc/{self.server.process.pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                if "/uploads/" in os.readlink(link):
                    found.append(os.stat(link))
        return [entry for entry in found if entry.st_size > 0]

    def wait_spilled(self, count: int) -> None:
        """Waits until so many uploads have gone to files."""
        harness.wait_for(lambda: len(self.files()) >= count, lambda: f"{len(self.files())} files")

    def test_many_begun_uploads_leave_room_for_honest_ones(self) -> None:
        frames = list(self.fleet.frames(41).items())
        # Together they are many times the memory.
        senders = self.begun(600, frames[0][1], 0.9)
        self.wait_spilled(600)
        for _, frame in frames[1:]:
            begun = time.monotonic()
            self.assertEqual(self.server.send(frame).status, 200)
            self.assertLess(time.monotonic() - begun, 5)
        for sender in senders[:20]:
            sender.send(frames[0][1][int(0.9 * len(frames[0][1])):])
        self.assertEqual({sender.status() for sender in senders[:20]}, {200})
        self.assertEqual(harness.check(dict(frames), self.server.stored()), (0, 0))

    def test_bytes_on_disk_have_no_name_are_private_and_go_with_the_upload(self) -> None:
        senders = self.begun(3, next(iter(self.fleet.frames(1).values())), 0.7)
        self.wait_spilled(3)
        self.assertEqual({(entry.st_mode & 0o777, entry.st_nlink) for entry in self.files()}, {(0o600, 0)})
        self.assertEqual(list((self.server.data / "uploads").iterdir()), [])
        self.assertEqual((self.server.data / "uploads").stat().st_mode & 0o777, 0o700)
        for sender in senders:
            sender.close()
        harness.wait_for(lambda: not self.files(), lambda: f"{len(self.files())} files stay")

    def test_a_file_that_a_crash_left_is_removed(self) -> None:
        self.server.kill()
        (self.server.data / "uploads/left").write_bytes(b"x")
        self.server.start()
        self.assertEqual(list((self.server.data / "uploads").iterdir()), [])

    def test_pauses_anywhere_change_nothing(self) -> None:
        frames = self.fleet.frames(3)
        data = b"".join(frames.values())
        cuts = [0, 1, 300, 5_000, 20_000, 27_900, 28_100, 40_000, len(data) - 60_000, len(data) - 10, len(data)]
        sender = Sender(self.server, len(data))
        self.addCleanup(sender.close)
        for begin, end in zip(cuts, cuts[1:]):
            sender.send(data[begin:end])
            time.sleep(0.4)
        self.assertEqual(sender.status(), 200)
        self.assertEqual(harness.check(frames, self.server.stored()), (0, 0))

    def test_whole_frames_of_a_slow_body_are_stored_before_its_end(self) -> None:
        frames = self.fleet.frames(2)
        first, second = frames.values()
        sender = Sender(self.server, len(first) + len(second), first + second[:-1])
        self.addCleanup(sender.close)
        harness.wait_for(lambda: len(self.server.stored()) == 1, lambda: "nothing is stored")
        sender.send(second[-1:])
        self.assertEqual(sender.status(), 200)
        self.assertEqual(harness.check(frames, self.server.stored()), (0, 0))

    def test_bodies_that_break_off_and_heads_without_bodies_leave_nothing(self) -> None:
        frame = next(iter(self.fleet.frames(1).values()))
        for share in (0, 0.001, 0.3, 0.99):
            for sender in self.begun(100, frame, share):
                sender.close()
        harness.wait_for(lambda: "isopod_uploads 0\n" in self.server.ask("GET", "/metrics").body.decode(), lambda: "uploads stay")
        self.assertEqual((self.files(), self.server.stored()), ([], []))
        self.assertEqual(self.server.send(frame).status, 200)

    def test_everything_at_once(self) -> None:
        frames = self.fleet.frames(60)
        frame = next(iter(frames.values()))
        self.begun(200, frame, 0.8)
        self.begun(200, frame, 0)
        broken = [Sender(self.server, len(frame), os.urandom(2000)) for _ in range(50)]
        statuses: list[int] = []

        def honest(some: list[bytes]) -> None:
            statuses.extend(self.server.send(one).status for one in some)

        threads = [threading.Thread(target=honest, args=(list(frames.values())[at::6],)) for at in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for sender in broken:
            sender.close()
        self.assertEqual(statuses, [200] * 60)
        self.assertEqual(harness.check(frames, self.server.stored()), (0, 0))

    def test_a_full_disk_refuses_what_waits_and_takes_it_later(self) -> None:
        self.server.kill()
        self.server.limit = 20_000
        self.server.start()
        frame = next(iter(self.fleet.frames(1).values()))
        (sender,) = self.begun(1, frame, 0.9)
        self.assertEqual(sender.status(), 507)
        self.server.kill()
        self.server.limit = None
        self.server.start()
        self.assertEqual(self.server.send(frame).status, 200)


class Ends(unittest.TestCase):
    """Senders without hope."""

    def test_silence_ends(self) -> None:
        fleet = harness.Fleet()
        frame = next(iter(fleet.frames(1).values()))
        with harness.Server(fleet.server, options=("--patience", "2")) as server:
            for begin in (b"", frame[:300], frame[:5000]):
                sender, begun = Sender(server, len(frame), begin), time.monotonic()
                self.assertEqual(sender.status(), 408)
                self.assertLess(time.monotonic() - begun, 10)
                sender.close()

    def test_bytes_one_by_one_make_frames(self) -> None:
        fleet = harness.Fleet()
        frames = fleet.frames(2)
        data = b"".join(frames.values())
        with harness.Server(fleet.server) as server:
            sender = Sender(server, len(data))
            sender.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for byte in data:
                sender.send(bytes([byte]))
            self.assertEqual(sender.status(), 200)
            sender.close()
        self.assertEqual(harness.check(frames, server.stored()), (0, 0))

    def test_a_connection_has_no_more_than_its_share(self) -> None:
        fleet = harness.Fleet(1, certify=True)
        frame = next(iter(fleet.frames(1).values()))
        with harness.Server(fleet.server, context=harness.trusting(fleet)) as server:
            device = harness.trusting(fleet, fleet.keys / "device-1")
            held = []
            for _ in range(40):
                connection = server.connection(device)
                connection.putrequest("POST", "/v1/frames")
                connection.putheader("Content-Length", str(len(frame)))
                connection.endheaders(frame[:100])
                held.append(connection)
            time.sleep(0.5)
            page = server.ask("GET", "/metrics", headers={"Authorization": f"Bearer {fleet.token()}"}).body.decode()
            self.assertIn("isopod_uploads 4\n", page)
            other = server.send(frame, headers={"Authorization": f"Bearer {fleet.token()}"})
            self.assertEqual(other.status, 200)
            for connection in held:
                connection.close()


class Tokens(unittest.TestCase):
    """Guesses of tokens."""

    def test_wrong_tokens_wait_and_the_right_one_does_not(self) -> None:
        fleet = harness.Fleet(1, certify=True)
        with harness.Server(fleet.server, context=harness.trusting(fleet)) as server:
            right = {"Authorization": f"Bearer {fleet.token()}"}

            def guess(token: str) -> harness.Answer:
                return server.ask("GET", "/v1/totals", headers={"Authorization": f"Bearer {token}"})

            answers = [guess(f"{number:064x}") for number in range(30)]
            self.assertEqual([answer.status for answer in answers[:10]], [401] * 10)
            self.assertEqual([answer.status for answer in answers[12:]], [429] * 18)
            self.assertEqual(answers[-1].json()["field"], "authorization")
            wait = int(answers[-1].headers["retry-after"])
            self.assertIn(wait, range(1, 7))
            self.assertEqual(guess("a" * 20_000).status, 429)
            self.assertEqual(server.ask("GET", "/v1/totals", headers=right).status, 200)
            time.sleep(wait)
            self.assertEqual(server.ask("GET", "/v1/totals", headers=right).status, 200)
            self.assertEqual(guess("another").status, 401)
