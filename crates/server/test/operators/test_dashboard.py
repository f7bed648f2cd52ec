"""Tests the page for operators in a real browser that reaches only the server."""
import os
import unittest
from pathlib import Path

import harness

from operators.browser import CHROMIUM, DESKTOP, PHONE, Page

FILES = Path(__file__).parents[2] / "dashboard"
CELLS = "[...document.querySelectorAll('#{} tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))"
# A folder in which the pictures of the page stay.
PICTURES = os.environ.get("ISOPOD_PICTURES")


def address(server: harness.Server) -> str:
    """The address of the page."""
    return "http://{}:{}/".format(*server.address)


@unittest.skipUnless(CHROMIUM, "chromium not found; ./bootstrap.sh installs it")
class Dashboard(unittest.TestCase):
    """The page as an operator sees it."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.fleet = harness.Fleet(3, "ckks-2048x2-air")
        # One warning and one reason, so that both are shown.
        clock = harness.shifted_clock(0)
        cls.server = harness.Server(cls.fleet.server, environment=clock)
        with cls.server as server:
            server.send(*cls.fleet.frames(1, 3).values())
            server.stop()
        cls.server.environment = clock | {"CLOCK_SHIFT": str(90 * 86_400)}
        cls.server.options, cls.server.status = ("--least-room-mb", "1048576"), 503
        cls.server.start()
        cls.addClassCleanup(cls.server.kill)
        harness.wait_for(lambda: cls.server.readiness()["reasons"] == {"storage"}, cls.server.log.read_text)
        for device in (1, 2, 3):
            frames = list(cls.fleet.frames(12, device).values())
            cls.server.send(*(frames if device != 2 else frames[:4] + frames[7:]))
        cls.server.send(frames[0][:-1] + b"\x00")
        cls.server.run_job(job="sum")
        cls.server.run_job(job="sum")
        harness.isopod("device", "revoke", "3", "--keys", cls.fleet.server)

    def test_devices_gaps_jobs_and_quarantine_are_shown(self) -> None:
        with Page(address(self.server)) as page:
            page.wait("document.querySelectorAll('#quarantine tbody tr').length")
            devices = page.value(CELLS.format("devices"))
            self.assertEqual([(row[0], row[4], row[5], row[7]) for row in devices],
                             [("2", "9", "3", "in use"), ("1", "12", "0", "in use"), ("3", "13", "0", "revoked")])
            failed, done = page.value(CELLS.format("jobs"))[-2:]
            self.assertEqual((failed[3], failed[7], done[3]), ("failed", "", "done"))
            self.assertIn("it entered an answer to this request before", failed[8])
            self.assertRegex(done[7], r"kB, ready$")
            self.assertIn("tag: does not verify", page.value(CELLS.format("quarantine"))[0][3])
            self.assertEqual(page.value("document.getElementById('shown').textContent"), "3 of 3 shown")
            # This build has SQL or not; the list is shown where it has.
            has_sql = self.server.ask("GET", "/v1/sql").status == 200
            self.assertEqual(page.value("document.getElementById('sql').hidden"), not has_sql)

    def test_a_job_is_asked_for_in_the_words_of_its_descriptor(self) -> None:
        said = "document.getElementById('asked').textContent"
        choose = "document.querySelector('#asking [value=\"{}\"]').click()"
        submit = "document.querySelector('#asking button').click()"
        with Page(address(self.server)) as page:
            page.wait("document.querySelectorAll('#questions label').length")
            words = page.value("[...document.querySelectorAll('#questions label')].map((one) => one.innerText)")
            words = [" ".join(line.split()) for line in words]
            described = self.server.ask("GET", "/v1/descriptors").json()
            self.assertEqual(words, [f"{one['question']} {one['job']}" for one in described])
            self.assertIn("What is the mean of each column, over all rows of all frames? column-mean", words)
            shown = "document.getElementById('{}').checkVisibility()"
            page.value(choose.format("sum"))
            self.assertEqual([page.value(shown.format(part)) for part in ("rows-field", "pair-field")], [False, False])
            page.value(choose.format("column-mean"))
            self.assertTrue(page.value(shown.format("rows-field")))
            for text, wanted in (("1,2", "allowed are zeros and ones"), ("0 0", "one of them set"), ("1;0", "such as 1,0")):
                page.value(f"document.getElementById('rows').value = '{text}', {submit}")
                page.wait(f"{said}.includes('{wanted}')")
                self.assertEqual(page.value("document.getElementById('asked').className"), "bad")
            # The form stays as it was chosen while the numbers of the page are read again.
            before = page.value("document.getElementById('rate').toDataURL()")
            page.wait(f"document.getElementById('rate').toDataURL() !== {before!r}")
            page.value(f"document.getElementById('rows').value = ' 1, 0 ', {submit}")
            page.wait(f"/^Job [0-9]+ is asked for\\.$/.test({said})")
            page.wait("document.querySelector('#jobs tbody tr').cells[3].textContent === 'done'")
            row = page.value(CELLS.format("jobs"))[0]
            self.assertEqual(row[1], "column-mean, rows 1,0")
            (mean,) = self.fleet.decrypt(self.server.ask("GET", f"/v1/jobs/{row[0]}/results").body)
            self.assertAlmostEqual(mean, 1, delta=1e-2)

    def test_a_job_is_asked_for_under_one_of_several_key_pairs(self) -> None:
        other = harness.Fleet(1, "ckks-1024x1-sum")
        with harness.Server(self.fleet.server, options=("--keys", str(other.server))) as server, Page(address(server)) as page:
            page.wait("document.querySelectorAll('#questions label').length")
            pairs = "[...document.getElementById('pair').options].map((one) => one.value)"
            page.value("document.querySelector('#asking [value=\"sum\"]').click()")
            both = page.value(pairs)
            self.assertEqual((len(both), page.value("document.getElementById('pair-field').checkVisibility()")), (2, True))
            page.value(f"document.getElementById('pair').value = {both[1]!r}, document.querySelector('#asking button').click()")
            page.wait("document.querySelectorAll('#jobs tbody tr').length === 1")
            self.assertEqual(server.ask("GET", "/v1/jobs").json()[0]["asked"]["key"], both[1])
            page.value("document.querySelector('#asking [value=\"column-sum\"]').click()")
            self.assertEqual(page.value(pairs), both[:1])

    def test_who_may_only_read_is_told_so(self) -> None:
        fleet = harness.Fleet(1, "ckks-2048x2-air", certify=True)
        context = harness.trusting(fleet)
        with harness.Server(fleet.server, context=context) as server, Page(f"https://localhost:{server.address[1]}/") as page:
            page.wait("!document.getElementById('login').hidden")
            page.value(f"sessionStorage.setItem('token', {fleet.token('token-graphs')!r})")
            page.wait("document.querySelectorAll('#questions label').length")
            page.value("document.querySelector('#asking button').click()")
            page.wait("document.getElementById('asked').textContent.includes('allowed is the owner\\'s token')")

    def test_reasons_and_warnings_are_shown(self) -> None:
        with Page(address(self.server)) as page:
            page.wait("document.querySelectorAll('#notices li').length === 2")
            self.assertEqual(page.value("document.getElementById('state').textContent"), "not ready")
            items = "[...document.querySelectorAll('#notices li')]"
            bad, warning = page.value(f"{items}.map((one) => [one.className, one.textContent])")
            self.assertEqual(bad[0], "bad")
            self.assertIn("MB of room", bad[1])
            self.assertEqual(warning[0], "warning")
            self.assertIn("--trust-clock", warning[1])

    def test_times_are_those_of_the_readers_zone(self) -> None:
        for zone, named in (("Asia/Kolkata", "times in Asia/Calcutta (UTC+5:30)"), ("UTC", "times in UTC")):
            with Page(address(self.server), zone=zone) as page:
                page.wait("document.querySelectorAll('#devices tbody tr').length")
                shown = page.value("document.getElementById('zone').textContent")
                self.assertEqual(shown.replace("Kolkata", "Calcutta"), named)
                row = page.value(CELLS.format("devices"))[0]
                received = next(one["received"] for one in self.server.ask("GET", "/v1/devices").json() if one["device"] == 2)
                offset = 19_800_000 if zone != "UTC" else 0
                there = page.value(f"new Date({received + offset}).toISOString().slice(0, 19)")
                self.assertEqual(row[1], there.replace("T", " "))

    def test_the_history_of_the_rate_outlives_a_reload(self) -> None:
        with Page(address(self.server)) as page:
            page.wait("chart.points.length >= 2")
            before = page.value("chart.points")
            page.reload()
            page.wait("chart.points.length >= 3")
            self.assertEqual(page.value("chart.points")[:len(before)], before)
            for kept in ("nonsense", "null", "[]", '{"points": 5}'):
                page.value(f"clearTimeout(0), sessionStorage.setItem('rate', {kept!r}), true")
                self.assertTrue(page.value("Array.isArray(new Chart(document.createElement('canvas'), '', 'rate').points)"), kept)

    def test_the_axis_has_round_ticks_at_every_rate(self) -> None:
        with Page(address(self.server)) as page:
            page.wait("chart.points.length >= 1")
            for most in (0, 0.03, 1, 9.9, 10, 123, 99_999, 1e7):
                scale = page.value(f"Chart.scale({most})")
                self.assertGreaterEqual(scale["top"], most)
                self.assertTrue(1 <= round(scale["top"] / scale["step"]) <= 5, (most, scale))
                self.assertLess(scale["top"], max(2.6 * most, 1.1), (most, scale))

    def test_the_page_fits_a_desktop_and_a_phone_in_light_and_dark(self) -> None:
        colours = set()
        for name, size in (("desktop", DESKTOP), ("phone", PHONE)):
            for scheme in ("light", "dark"):
                with self.subTest(name=name, scheme=scheme), Page(address(self.server), size, scheme) as page:
                    for points, count in ((1, 30), (2, 75), (3, 15), (4, 0)):
                        page.wait(f"chart.points.length >= {points}")
                        for frame in self.fleet.frames(count).values() if count else ():
                            self.server.send(frame)
                    self.assertLessEqual(page.value("document.documentElement.scrollWidth"), size[0])
                    inside = "[...document.querySelectorAll('section')].every((one) => one.scrollWidth <= one.clientWidth + 1)"
                    self.assertTrue(name == "desktop" or page.value(inside))
                    colours.add(page.value("getComputedStyle(document.body).backgroundColor"))
                    place = Path(PICTURES) if PICTURES else harness.folder()
                    self.assertGreater(page.picture(place / f"{name}-{scheme}.png").stat().st_size, 20_000)
        self.assertEqual(len(colours), 2)

    def test_without_a_token_the_page_asks_for_one(self) -> None:
        fleet = harness.Fleet(1, certify=True)
        context = harness.trusting(fleet)
        with harness.Server(fleet.server, context=context) as server, Page(f"https://localhost:{server.address[1]}/") as page:
            page.wait("!document.getElementById('login').hidden")
            self.assertTrue(page.value("document.querySelector('main').hidden"))


class Files(unittest.TestCase):
    """The files of the page, and how the server sends them."""

    def test_nothing_is_fetched_from_elsewhere(self) -> None:
        for path in FILES.iterdir():
            self.assertNotRegex(path.read_text(), r"https?://|innerHTML|eval\(|localStorage", path.name)

    def test_the_policy_is_strict(self) -> None:
        fleet = harness.Fleet()
        with harness.Server(fleet.server) as server:
            for path in ("/", *(f"/{path.name}" for path in FILES.iterdir() if path.name != "index.html")):
                answer = server.ask("GET", path)
                self.assertEqual(answer.status, 200)
                self.assertIn("default-src 'none'", answer.headers["content-security-policy"])
                self.assertNotIn("unsafe", answer.headers["content-security-policy"])
