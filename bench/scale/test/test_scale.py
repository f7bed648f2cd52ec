"""Tests the simulation of fleets: what is conserved, what a death costs, a measured run, and the page that is made of it."""
import io
import unittest
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from bench.scale import page, sizes
from bench.scale.simulation import Death, Site, bad_time, simulate
from bench.scale.sizes import Assumptions, Fleet, measured, size

KAFKA = Site(rate=200, seconds=500, quiet=400, per_second=400, servers=3, brokers=3, partitions=6, loss=0.02, takeover=12)
ALONE = Site(rate=40, seconds=460, quiet=400, per_second=400, loss=0.02)


class SimulationTest(unittest.TestCase):
    """Sites of few messages."""

    def test_the_same_seed_gives_the_same_outcome(self) -> None:
        site = bad_time(KAFKA, 30, 60)
        first, again, other = (simulate(site, seed) for seed in (3, 3, 4))
        self.assertEqual((first.sent, first.receipt.classes), (again.sent, again.receipt.classes))
        self.assertEqual(first.lag.classes, again.lag.classes)
        self.assertNotEqual((first.sent, first.receipt.classes), (other.sent, other.receipt.classes))

    def test_every_message_is_stored_once_and_enters_the_tables_once(self) -> None:
        for site in (KAFKA, bad_time(KAFKA, 10, 20), ALONE, replace(ALONE, deaths=(Death(20, "server", 0, 6),))):
            for seed in range(3):
                found = simulate(site, seed)
                self.assertEqual((found.waiting, found.stored, found.in_tables), (0, found.sent, found.sent))
                self.assertGreaterEqual(found.attempts, found.sent + found.known)

    def test_without_losses_and_deaths_nothing_is_repeated(self) -> None:
        for site in (KAFKA, ALONE):
            found = simulate(replace(site, loss=0))
            self.assertEqual((found.attempts, found.known, found.again), (found.sent, 0, 0))
            self.assertLess(found.receipt.most, 1)

    def test_losses_are_repeated_as_often_as_they_are_drawn(self) -> None:
        found = simulate(replace(KAFKA, rate=2000, per_second=4000, loss=0.1))
        # A try ends the message with probability 0.9 * 0.9.
        self.assertAlmostEqual(found.attempts / found.sent, 1 / 0.81, delta=0.01)

    def test_a_dead_server_is_taken_over_and_its_work_is_read_again(self) -> None:
        found = simulate(replace(KAFKA, deaths=(Death(50, "server", 1, 60),)))
        self.assertEqual(found.unowned, KAFKA.takeover)
        self.assertGreater(found.lag.most, KAFKA.takeover)
        self.assertGreater(found.again, 0)
        self.assertLessEqual(found.again, KAFKA.rate / KAFKA.servers * KAFKA.commit * 1.5)
        self.assertEqual(simulate(KAFKA).again, 0)

    def test_one_dead_broker_is_a_pause_and_two_are_a_halt(self) -> None:
        one = (Death(50, "broker", 0, 40),)
        few, many = (simulate(replace(KAFKA, loss=0, deaths=deaths)) for deaths in (one, (*one, Death(50, "broker", 1, 40))))
        self.assertLess(few.receipt.quantile(0.9), 1)
        # The try that fails last waits 16 seconds, and half as long again.
        self.assertLess(few.receipt.most, KAFKA.election + 1.5 * 16)
        self.assertGreater(many.receipt.most, 40)

    def test_a_server_that_is_too_slow_lags_behind(self) -> None:
        found = simulate(replace(KAFKA, per_second=40, seconds=100, quiet=0))
        self.assertGreater(found.unread, 0.2 * found.sent)
        self.assertGreater(found.lag.quantile(0.9), 20)
        self.assertAlmostEqual(found.busy, 1, delta=0.01)

    def test_sites_that_are_none_are_refused_by_name(self) -> None:
        for wrong in ({"rate": -1}, {"loss": 1.0}, {"brokers": 2}, {"servers": 2, "brokers": 0}, {"per_second": 0}, {"step": 0}):
            with self.assertRaisesRegex(ValueError, next(iter(wrong))):
                simulate(replace(KAFKA, **wrong))


class RunTest(unittest.TestCase):
    """The measured run."""

    def test_the_simulation_foretells_it(self) -> None:
        figures = measured()
        self.assertEqual((figures["run-lost"], figures["run-doubled"]), (0, 0))
        for name, (least, most, value) in page.foretold(figures).items():
            self.assertTrue(least <= value <= most, f"{name}: {value}; simulated are {least} to {most}")

    def test_another_run_would_not_be_foretold(self) -> None:
        figures = measured()
        for away in (0.0, 4 * figures["run-away-seconds"]):
            outside = [name for name, (least, most, value) in page.foretold(figures, away).items() if not least <= value <= most]
            self.assertIn("receipt: mean", outside)


class SizeTest(unittest.TestCase):
    """Needs of fleets."""

    def test_more_devices_and_dearer_cores_cost_more(self) -> None:
        figures, given = measured(), Assumptions()
        for kind in ("packet", "frame"):
            prices = [size(Fleet(devices, kind), figures, given).price for devices in (10_000, 1_000_000, 100_000_000)]
            self.assertEqual(prices, sorted(prices))
            dear = size(Fleet(10_000, kind), figures, replace(given, core_hour=1.0)).price
            self.assertGreater(dear, prices[0])

    def test_what_is_measured_later_takes_the_place_of_the_limit(self) -> None:
        figures, fleet = measured() | {"both-ends-ingest-ratio": 1.0, "takeover-seconds": 3.0}, Fleet(100_000_000, "packet")
        self.assertEqual(sizes.assumed(figures), [])
        self.assertIn("is measured", page.notes(figures))
        self.assertEqual(sizes.site(fleet, figures, Assumptions(), 10).takeover, 3.0)
        slower = size(fleet, figures | {"both-ends-ingest-ratio": 0.5}, Assumptions())
        self.assertAlmostEqual(slower.cores, 2 * size(fleet, figures, Assumptions()).cores)

    def test_assumptions_that_are_none_are_refused_by_name(self) -> None:
        for wrong in ({"load": 1.5}, {"peak": 0}, {"core_hour": -1}):
            with self.assertRaisesRegex(ValueError, next(iter(wrong))):
                size(Fleet(1, "packet"), measured(), replace(Assumptions(), **wrong))


class PageTest(unittest.TestCase):
    """docs/scale.md."""

    def main(self, *options: str, path: Path = page.PAGE) -> tuple[int, str]:
        """Exit status and output of the command."""
        out = io.StringIO()
        with patch("sys.argv", ["page", *options]), redirect_stdout(out), redirect_stderr(out):
            return page.main(path), out.getvalue()

    def test_it_is_fresh_and_a_changed_figure_makes_it_stale(self) -> None:
        text = page.PAGE.read_text()
        fresh = page.filled(text, measured())
        self.assertEqual(page.stale(text, fresh), [])
        with TemporaryDirectory() as folder, patch.object(page, "filled", lambda *_: fresh):
            copy = Path(folder) / "scale.md"
            copy.write_text(text.replace("| 111,111 |", "| 111,112 |"))
            status, said = self.main("--check", path=copy)
            self.assertEqual(status, 1)
            self.assertIn("111,112", said)
            self.assertEqual(self.main(path=copy)[0], 0)
            self.assertEqual(copy.read_text(), fresh)

    def test_assumptions_of_your_own_are_printed(self) -> None:
        with patch.object(page, "PARTS", ("needs",)):
            status, said = self.main("--packet-seconds", "450", "--core-hour", "0.08")
        self.assertEqual(status, 0)
        self.assertIn("| 222,222 |", said)
        self.assertEqual(self.main("--load", "2")[0], 2)


if __name__ == "__main__":
    unittest.main()
