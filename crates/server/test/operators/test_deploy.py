"""Checks the files of a deployment: they parse, they restrict the service, and everything that they name exists."""
import json
import re
import shutil
import subprocess
import unittest
from pathlib import Path

import harness

DEPLOY = Path(__file__).parents[2] / "deploy"
METRIC = re.compile(r"\b(?:isopod|process)_[a-z_]+")
RULE_TESTS = Path(__file__).with_name("alerts.test.yml")
PROMTOOL = shutil.which("promtool")
PARTS = re.compile(r"_(bucket|sum|count)$")


class Deployment(unittest.TestCase):
    """Unit, panels, containers."""

    def test_panels_and_alerts_ask_for_metrics_that_the_server_has(self) -> None:
        fleet = harness.Fleet()
        # Nobody listens there: the metrics of a broker are those of a server that wants one.
        with harness.Server(fleet.server, options=("--mqtt", "127.0.0.1:1")) as server:
            page = server.ask("GET", "/metrics").body.decode()
        known = set(re.findall(r"# TYPE (\w+) ", page))
        panels = json.loads((DEPLOY / "grafana/provisioning/dashboards/isopod.json").read_text())["panels"]
        asked = [target["expr"] for panel in panels for target in panel["targets"]]
        asked += re.findall(r"expr: (.*(?:\n {10}.*)*)", (DEPLOY / "alerts.yml").read_text())
        names = {PARTS.sub("", name) for expression in asked for name in METRIC.findall(expression)}
        self.assertEqual(names - known, set())
        self.assertGreater(len(names), 25)

    @unittest.skipUnless(PROMTOOL, "promtool not found; ./bootstrap.sh installs it")
    def test_each_alert_fires_when_it_should_and_only_then(self) -> None:
        place = harness.folder()
        for path in (DEPLOY / "alerts.yml", RULE_TESTS):
            shutil.copy(path, place)
        for command in (["check", "rules", "alerts.yml"], ["test", "rules", RULE_TESTS.name]):
            done = subprocess.run([PROMTOOL, *command], cwd=place, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        alerts = set(re.findall(r"alert: (\w+)", (DEPLOY / "alerts.yml").read_text()))
        self.assertEqual(set(re.findall(r"alertname: (\w+)", RULE_TESTS.read_text())), alerts)
        for path in ("prometheus.yml", "compose.yaml"):
            self.assertIn("alerts.yml", (DEPLOY / path).read_text())

    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze not found")
    def test_the_unit_is_known_to_systemd_and_exposes_little(self) -> None:
        unit = harness.folder() / "isopod-server.service"
        unit.write_text((DEPLOY / unit.name).read_text().replace("/usr/local/bin/isopod-server", "/bin/true"))
        verified = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False)
        self.assertNotIn(unit.name, verified.stderr)
        command = ["systemd-analyze", "security", "--offline=true", unit]
        judged = subprocess.run(command, capture_output=True, text=True, check=False)
        exposure = float(re.search(r"exposure level for \S+: ([\d.]+)", judged.stdout)[1])
        self.assertLess(exposure, 2)

    def test_options_of_the_files_are_those_of_the_program(self) -> None:
        usage = subprocess.run([harness.SERVER, "--help"], capture_output=True, text=True, check=True).stdout
        known = set(re.findall(r"--[a-z-]+", usage))
        for path in (DEPLOY / "isopod-server.service", DEPLOY / "Containerfile", DEPLOY / "compose.yaml"):
            lines = [line for line in path.read_text().splitlines() if "--data" in line or "--mqtt" in line]
            self.assertTrue(lines, path.name)
            self.assertEqual({option for line in lines for option in re.findall(r"--[a-z-]+", line)} - known, set(), path.name)

    def test_options_of_the_page_are_those_of_the_program(self) -> None:
        usage = subprocess.run([harness.SERVER, "--help"], capture_output=True, text=True, check=True).stdout
        page = (harness.ROOT / "docs/guides/operations.md").read_text()
        for option in re.findall(r"`(--[a-z-]+)", page):
            self.assertIn(option, usage + "--token --days --features --broker-name --site --again")
