"""Tests clocks that are wrong, and what retention does by them: no frame is lost by either."""
import datetime
import shutil
import subprocess
import time
import unittest

import harness

DAY = 86_400
ALWAYS = ("--table-seconds", "0")


def day(shift: int) -> str:
    """The day that a clock shows which is so many seconds off, as --trust-clock wants it."""
    shown = datetime.datetime.now(tz=datetime.UTC) + datetime.timedelta(seconds=shift)
    return shown.date().isoformat()


def newest(server: harness.Server) -> float:
    """Arrival of the newest frame, in seconds since now."""
    return max(device["received"] for device in server.ask("GET", "/v1/devices").json()) / 1000 - time.time()


class Clock(unittest.TestCase):
    """The clock marks frames; a wrong one must not reach them."""

    def setUp(self) -> None:
        self.fleet = harness.Fleet()
        self.server = harness.Server(self.fleet.server, options=ALWAYS)
        with self.server:
            self.server.send(*self.fleet.frames(3).values())
            self.assertEqual(self.server.readiness()["warnings"], set())
            self.server.stop()

    def run_shifted(self, shift: int, *options: str) -> tuple[set[str], float, dict[str, float]]:
        """Starts the server with a clock that is off and sends a frame: warnings, its arrival, metrics."""
        self.server.environment, self.server.options = harness.shifted_clock(shift), (*ALWAYS, *options)
        with self.server:
            self.assertEqual(self.server.send(*self.fleet.frames(1).values()).status, 200)
            found = self.server.readiness()["warnings"], newest(self.server), self.server.metrics()
            self.assertEqual(self.server.stop(), 0)
        return found

    def test_a_clock_that_is_far_off_does_not_reach_the_frames(self) -> None:
        for shift in (365 * DAY, 60 * DAY, 2 * DAY, -3600, -365 * DAY, -int(time.time())):
            with self.subTest(shift=shift):
                warnings, arrival, metrics = self.run_shifted(shift)
                self.assertEqual(warnings, {"clock"})
                self.assertLess(abs(arrival), 60)
                self.assertEqual((metrics["isopod_clock_doubtful"], metrics["isopod_clock_jumps_total"]), (1, 1))
                self.assertIn("--trust-clock", self.server.log.read_text())
        warnings, arrival, metrics = self.run_shifted(0)
        self.assertEqual((warnings, metrics["isopod_clock_doubtful"]), (set(), 0))
        self.assertLess(abs(arrival), 10)
        times = harness.received(self.server.data / "log")
        self.assertEqual((times, len(times)), (sorted(times), 10))

    def test_a_server_that_was_off_for_less_than_a_day_trusts_its_clock(self) -> None:
        warnings, arrival, _ = self.run_shifted(DAY - 60)
        self.assertEqual(warnings, set())
        self.assertLess(abs(arrival - DAY + 60), 10)

    def test_the_operator_confirms_a_long_time_off_for_that_day_alone(self) -> None:
        warnings, _, _ = self.run_shifted(60 * DAY, "--trust-clock", day(50 * DAY))
        self.assertEqual(warnings, {"clock"})
        warnings, arrival, _ = self.run_shifted(60 * DAY, "--trust-clock", day(60 * DAY))
        self.assertEqual(warnings, set())
        self.assertLess(abs(arrival - 60 * DAY), 10)
        # Left in the command line, the day is no more than any other one later.
        warnings, _, _ = self.run_shifted(365 * DAY, "--trust-clock", day(60 * DAY))
        self.assertEqual(warnings, {"clock"})

    def test_the_last_time_seen_is_known_without_frames_and_after_a_crash(self) -> None:
        shutil.rmtree(self.server.data)
        self.server.environment = harness.shifted_clock(0)
        with self.server:
            harness.wait_for((self.server.data / "clock").exists, self.server.log.read_text)
        warnings, _, _ = self.run_shifted(30 * DAY)
        self.assertEqual(warnings, {"clock"})

    def test_a_file_that_is_no_time_is_as_none(self) -> None:
        for text in ("", "now\n", "9" * 40, "-"):
            (self.server.data / "clock").write_text(text)
            warnings, arrival, _ = self.run_shifted(0)
            self.assertEqual(warnings, set(), text)
            self.assertLess(abs(arrival), 10)

    def test_a_day_that_is_none_is_refused(self) -> None:
        for text in ("tomorrow", "2026-02-30", "1"):
            command = [harness.SERVER, "--data", harness.folder(), "--trust-clock", text]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn("allowed is a day such as", done.stderr)


class Retention(unittest.TestCase):
    """Old frames leave log and tables, and nothing else does."""

    def setUp(self) -> None:
        self.fleet = harness.Fleet()
        self.server = harness.Server(self.fleet.server)

    def start(self, shift: int, *options: str) -> harness.Server:
        """The server with a clock that is off, with its first retention behind it."""
        self.server.environment, self.server.options = harness.shifted_clock(shift), (*ALWAYS, *options)
        self.server.start()
        self.addCleanup(self.server.kill)
        self.server.wait_compacted()
        time.sleep(0.5)
        return self.server

    def counts(self) -> tuple[int, int, int]:
        """Frames since the log began, in the log now, in the tables."""
        totals = self.server.ask("GET", "/v1/totals").json()
        return totals["frames"], totals["log_frames"], totals["table_frames"]

    def test_frames_leave_as_they_came_however_many(self) -> None:
        # Each start is less than a day after the one before, as retention runs every hour.
        for hours, kept in ((-96, 10), (-74, 10), (-52, 10), (-30, 10), (-8, 1)):
            server = self.start(hours * 3600, "--retain-days", "3")
            if hours in (-96, -52):
                server.send(*self.fleet.frames(10 if hours == -96 else 1).values())
                server.wait_compacted()
            server.stop()
            kept = kept + 1 if hours in (-52, -30) else kept
            self.assertEqual(len(server.stored()), kept, hours)
            self.assertEqual(sum(harness.delta_files(server.table()).values()), kept, hours)

    def test_a_clock_that_is_ahead_removes_nothing(self) -> None:
        frames = self.fleet.frames(1200)
        with self.server as server:
            server.send(*frames.values())
            server.stop()
        for shift in (60 * DAY, 365 * DAY):
            server = self.start(shift, "--retain-days", "3")
            self.assertEqual(self.counts(), (1200, 1200, 1200))
            self.assertEqual(server.readiness()["warnings"], {"clock", "retention"})
            self.assertEqual(server.metrics()["isopod_retention_refused"], 1)
            server.kill()
        server = self.start(0, "--retain-days", "3")
        self.assertEqual((self.counts(), server.readiness()["warnings"]), ((1200, 1200, 1200), set()))
        server.kill()
        self.assertEqual(harness.check(frames, server.stored()), (0, 0))

    def test_more_than_a_tenth_at_once_wants_a_yes_and_can_be_put_back(self) -> None:
        frames = self.fleet.frames(20)
        server = self.start(-9 * DAY)
        server.send(*frames.values())
        server.wait_compacted()
        server.stop()
        trust = ("--trust-clock", day(0))
        server = self.start(0, "--retain-days", "3", *trust)
        self.assertEqual((self.counts(), server.readiness()["warnings"]), ((20, 20, 20), {"retention"}))
        [warning] = server.ask("GET", "/readyz").json()["warnings"]
        self.assertIn("20 of 20 frames are due", warning["detail"])
        asked = warning["detail"].rpartition("once with ")[2].split()
        self.assertEqual(asked, ["--remove-percent", "100"])
        server.send(*self.fleet.frames(1).values())
        server.stop()
        server = self.start(0, "--retain-days", "3", *trust, *asked)
        self.assertEqual((self.counts(), server.readiness()["warnings"]), ((21, 1, 1), set()))
        self.assertGreater(server.ask("GET", "/v1/totals").json()["removed_bytes"], 20_000)
        self.assertEqual(server.send(*frames.values()).json()["known"], 20)
        server.stop()
        # Put back, as docs/guides/operations.md says.
        for path in (server.data / "log/removed").glob("*/*.segment"):
            path.rename(server.data / "log" / path.name)
        shutil.rmtree(server.data / "tables")
        server = self.start(0, "--retain-days", "30")
        self.assertEqual(self.counts(), (21, 21, 21))
        server.stop()
        self.assertEqual(harness.check(frames, server.stored()), (0, 0))

    def test_removed_frames_are_deleted_after_the_days_of_grace(self) -> None:
        server = self.start(-20 * DAY)
        server.send(*self.fleet.frames(5).values())
        server.wait_compacted()
        server.stop()
        removed = server.data / "log/removed"
        for shift, is_there in ((-12, True), (-6, True), (-4, False)):
            server = self.start(shift * DAY, "--retain-days", "3", "--remove-percent", "100", "--trust-clock", day(shift * DAY))
            self.assertEqual(bool(list(removed.glob("*/*.segment"))), is_there, shift)
            server.stop()

    def test_without_grace_removed_frames_are_deleted_at_once(self) -> None:
        server = self.start(-20 * DAY)
        server.send(*self.fleet.frames(5).values())
        server.wait_compacted()
        server.stop()
        server = self.start(0, "--retain-days", "3", "--remove-percent", "100", "--trust-clock", day(0), "--grace-days", "0")
        self.assertEqual((self.counts(), list((server.data / "log/removed").glob("*/*"))), ((5, 0, 0), []))

    def test_a_deleted_device_is_deleted_from_what_was_removed(self) -> None:
        server = self.start(-20 * DAY)
        frames = self.fleet.frames(5)
        server.send(*frames.values())
        server.wait_compacted()
        server.stop()
        server = self.start(0, "--retain-days", "3", "--remove-percent", "100", "--trust-clock", day(0))
        [segment] = (server.data / "log/removed").glob("*/*.segment")
        self.assertTrue(all(frame[200:300] in segment.read_bytes() for frame in frames.values()))
        server.ask("DELETE", "/v1/frames?device=1")
        bytes_of_all = b"".join(path.read_bytes() for path in server.data.rglob("*") if path.is_file())
        self.assertFalse([name for name, frame in frames.items() if frame[200:300] in bytes_of_all])
