"""Tests the page for operators in a real browser that reaches only the server."""
import re
import shutil
import subprocess
import unittest
from pathlib import Path

import harness

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
PAGE = Path(__file__).parents[1] / "dashboard"


def browse(address: str, *options: str) -> str:
    """The document in the browser after three refreshes. Names of other machines do not resolve."""
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
               "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
               f"--user-data-dir={harness.folder()}", "--window-size=1180,1500", "--virtual-time-budget=7000", *options, address]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout


@unittest.skipUnless(BROWSER, "chromium not found; ./bootstrap.sh installs it")
class Dashboard(unittest.TestCase):
    """The page as an operator sees it."""

    def test_devices_gaps_jobs_and_quarantine_are_shown(self) -> None:
        fleet = harness.Fleet(3, "ckks-2048x2-air")
        with harness.Server(fleet.server) as server:
            for device in (1, 2, 3):
                frames = list(fleet.frames(12, device).values())
                server.send(*(frames if device != 2 else frames[:4] + frames[7:]))
            server.send(frames[0][:-1] + b"\x00")
            server.run_job(job="sum")
            server.run_job(job="sum")
            harness.isopod("device", "revoke", "3", "--keys", fleet.server)
            address = "http://{}:{}/".format(*server.address)
            page = browse(address, "--dump-dom")
            picture = harness.folder() / "dashboard.png"
            browse(address, f"--screenshot={picture}")
        text = re.sub(r"<[^>]*>", "|", page)
        for shown in ("ready", "3 of 3 shown", "revoked", "done", "failed", "it entered an answer to this request before",
                      "tag: does not verify"):
            self.assertIn(shown, text)
        rows = re.findall(r"<tr><td[^>]*>(\d+)</td><td[^>]*>[^<]*</td><td[^>]*>\d+</td><td[^>]*>11</td><td[^>]*>(\d+)</td>"
                          r"<td[^>]*>(\d+)</td>", page)
        self.assertEqual(rows, [("2", "9", "3"), ("1", "12", "0"), ("3", "12", "0")])
        self.assertGreater(picture.stat().st_size, 20_000)

    def test_without_a_token_the_page_asks_for_one(self) -> None:
        fleet = harness.Fleet(1, certify=True)
        context = harness.trusting(fleet)
        with harness.Server(fleet.server, context=context) as server:
            page = browse(f"https://localhost:{server.address[1]}/", "--dump-dom", "--ignore-certificate-errors")
        self.assertRegex(page, r'<form id="login">')
        self.assertRegex(page, r"<main hidden")


class Files(unittest.TestCase):
    """The files of the page, and how the server sends them."""

    def test_nothing_is_fetched_from_elsewhere(self) -> None:
        for path in PAGE.iterdir():
            self.assertNotRegex(path.read_text(), r"https?://|innerHTML|eval\(", path.name)

    def test_the_policy_is_strict(self) -> None:
        fleet = harness.Fleet()
        with harness.Server(fleet.server) as server:
            for path in ("/", "/dashboard.css", "/dashboard.js"):
                answer = server.ask("GET", path)
                self.assertEqual(answer.status, 200)
                self.assertIn("default-src 'none'", answer.headers["content-security-policy"])
                self.assertNotIn("unsafe", answer.headers["content-security-policy"])
