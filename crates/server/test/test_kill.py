"""Tests crashes under load: no acknowledged frame is lost or doubled, and the check catches a server that acknowledges too
early."""
import os
import unittest

import harness
import kill

ROUNDS = int(os.environ.get("ISOPOD_KILL_ROUNDS", "10"))


class Crashes(unittest.TestCase):
    """Kills the server at random moments, with kill -9."""

    def test_nothing_acknowledged_is_lost_or_doubled(self) -> None:
        tally = kill.rounds(ROUNDS)
        self.assertEqual((tally.rounds, tally.lost, tally.duplicated), (ROUNDS, 0, 0))
        self.assertGreater(tally.acknowledged, 10 * ROUNDS)

    @unittest.skipUnless(harness.EARLY.exists(), "built by: cargo build --features isopod-server/acknowledge-early")
    def test_a_server_that_acknowledges_before_writing_is_caught(self) -> None:
        tally = kill.rounds(5, harness.EARLY)
        self.assertGreater(tally.lost, 0)


class Checker(unittest.TestCase):
    """Tests the checker itself."""

    def test_it_counts_what_is_lost_changed_and_doubled(self) -> None:
        acknowledged = {(1, 0, 0): b"a", (1, 0, 1): b"b", (1, 0, 2): b"c"}
        stored = [((1, 0, 0), b"a"), ((1, 0, 1), b"x"), ((1, 0, 0), b"a"), ((9, 9, 9), b"z")]
        self.assertEqual(harness.check(acknowledged, stored), (2, 1))
