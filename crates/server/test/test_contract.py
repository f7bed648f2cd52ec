"""Checks that the interface follows its own description: schemathesis derives valid and invalid requests from it and sends
them to the running server."""
import json
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

import harness

PROGRAM = shutil.which("schemathesis", path=str(Path(sys.executable).parent)) or shutil.which("schemathesis")
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance," \
         "response_schema_conformance,negative_data_rejection,use_after_free"


class Contract(unittest.TestCase):
    """Compares the OpenAPI document with the server."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.fleet = harness.Fleet(1, "ckks-2048x2-air")
        cls.server = harness.Server(cls.fleet.server).start()
        cls.addClassCleanup(cls.server.kill)
        cls.server.send(*cls.fleet.frames(3).values())
        cls.server.run_job(job="sum")

    def test_every_path_of_the_interface_is_described(self) -> None:
        described = self.server.ask("GET", "/openapi.json").json()
        self.assertEqual(set(described["paths"]), {
            "/v1/frames", "/v1/devices", "/v1/quarantine", "/v1/descriptors", "/v1/jobs", "/v1/jobs/{id}", "/v1/jobs/{id}/events",
            "/v1/jobs/{id}/results", "/v1/totals", "/v1/sql", "/v1/uplinks/{network}", "/v1/damage", "/v1/backup", "/metrics",
            "/healthz", "/readyz"})
        for path, methods in described["paths"].items():
            for method, operation in methods.items():
                self.assertTrue(operation.get("summary") or operation.get("description"), f"{method} {path}")

    @unittest.skipUnless(PROGRAM, "schemathesis not found; ./bootstrap.sh installs it")
    def test_requests_made_from_the_description(self) -> None:
        host, port = self.server.address
        command = [PROGRAM, "run", f"http://{host}:{port}/openapi.json", "--checks", CHECKS, "--max-examples", "25",
                   "--seed", "1", "--request-timeout", "20", "--phases", "examples,coverage,fuzzing", "--no-color",
                   "--suppress-health-check", "all"]
        here = Path(__file__).parent
        environment = {**os.environ, "PYTHONPATH": str(here), "SCHEMATHESIS_HOOKS": "hooks"}
        done = subprocess.run(command, cwd=harness.folder(), env=environment, capture_output=True, text=True, timeout=400,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stdout[-6000:] + done.stderr[-2000:])
        self.assertEqual(self.server.ask("GET", "/readyz").status, 200)
        self.assertTrue(json.loads(self.server.ask("GET", "/v1/totals").body)["frames"] >= 3)
