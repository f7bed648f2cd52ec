"""Jobs on merged frames over HTTP, with a program in place of the one that bootstraps: its keys, its bounds and its end."""
import json
import unittest
from pathlib import Path

import harness

SET = "ckks-2048x1-air"

# Greets as the program for deep-16 does. It ends at a job while a file is there, and otherwise answers a count with nothing.
PROGRAM = """#!/usr/bin/env python3
import os, pathlib, struct, sys
here = pathlib.Path(sys.argv[0]).parent
(here / "arguments").write_text("\\n".join(sys.argv[1:]))
def receive():
    kind, length = struct.unpack("<BI", sys.stdin.buffer.read(5))
    return kind, sys.stdin.buffer.read(length)
def send(kind, body):
    sys.stdout.buffer.write(struct.pack("<BI", kind, len(body)) + body)
    sys.stdout.buffer.flush()
def run(count):
    send(3, struct.pack("<II", 0, count) + bytes(8 * count))
receive()
hello = b"isopdeep" + struct.pack("<H", VERSION) + b"\\x056.1.1\\x04test" + bytes(64)
send(1, hello + struct.pack("<QI", 1152921504606584833, 1 << 16))
while True:
    kind, job = receive()
    if (here / "end").exists():
        os.kill(os.getpid(), 9)
    for _ in range(1 + 2 * 8):
        receive()
    send(4, struct.pack("<BII", 2, 1, 5))
    send(5, struct.pack("<d", 8.0))
    run(1)
    run(2048)
    send(10, b"")
"""


def programs(version: int = 6) -> Path:
    """A folder with such a program, which ends at each job, and one that begins as keys of deep-16 do."""
    place = harness.folder()
    program = place / "isopod-deep"
    program.write_text(PROGRAM.replace("VERSION", str(version)))
    program.chmod(0o755)
    (place / "keys").mkdir()
    (place / "keys" / "keys.deep").write_bytes(b"isopodkey\x07deep-16")
    (place / "end").touch()
    return place


def options(place: Path) -> tuple[str, ...]:
    """Options of a server with this program."""
    return ("--deep-keys", str(place / "keys"), "--programs", str(place), "--deep-cores", "2", "--deep-memory-mb", "7000")


def frames(fleet: harness.Fleet, count: int) -> list[bytes]:
    """Fresh frames of one reading each, whose bound and scale a bootstrapping takes."""
    place = harness.folder()
    (place / "values.csv").write_text("reading\n" + "1\n" * count)
    harness.isopod("encrypt", "--keys", fleet.keys / "device-1", "--values", place / "values.csv", "--out", place / "frames",
                   "--rows-per-frame", "1", "--bound-bits", "3")
    return [b"".join(parts) for parts in harness.frames_of((place / "frames").read_bytes()).values()]


class Merged(unittest.TestCase):
    """One fleet of the set whose frames are merged."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.fleet = harness.Fleet(1, SET)
        place = harness.folder()
        cls.requests = []
        (place / "table.json").write_text(json.dumps({"values": [1, 0], "others": 2}))
        exact, table = ("count", "--above", "0", "--exact"), ("table", "--table", str(place / "table.json"))
        count, alarm = ("count", "--above", "0.5"), ("alarm", "--above", "0.5", "--each")
        for asked in (count, alarm, exact, table, ("variance", "--columns", "0")):
            harness.isopod("request", "--job", *asked, "--keys", cls.fleet.keys / "owner", "--out", place / "request.json")
            cls.requests.append(json.loads((place / "request.json").read_text()))
            (place / "request.json").unlink()

    def test_a_killed_program_fails_the_job_by_name_and_loses_nothing(self) -> None:
        place = programs()
        with harness.Server(self.fleet.server, options=options(place)) as server:
            server.send(*frames(self.fleet, 3))
            for request in self.requests:
                state, _ = server.run_job(request=request)
                self.assertEqual((state["state"], state["problem"]["field"]), ("failed", "backend"), state)
                self.assertIn("backend: ended with signal: 9", state["problem"]["detail"])
                self.assertEqual(state["frames"], 3)
            (place / "end").unlink()
            # No frame entered an answer, so the request needs no `again`.
            state, results = server.run_job(request=self.requests[0])
            self.assertEqual(state["state"], "done", state)
            self.assertEqual(self.fleet.decrypt(results), [0.0])
            state, _ = server.run_job(request=self.requests[0])
            self.assertEqual((state["state"], state["problem"]["field"]), ("failed", "again"), state)
        given = (place / "arguments").read_text().splitlines()
        self.assertIn("--threads=2", given)
        self.assertIn(f"--memory={7000 << 20}", given)

    def test_a_program_of_another_version_fails_the_job_before_frames_are_computed_on(self) -> None:
        with harness.Server(self.fleet.server, options=options(programs(4))) as server:
            server.send(*frames(self.fleet, 1))
            state, _ = server.run_job(request=self.requests[0])
            self.assertEqual((state["state"], state["problem"]["field"]), ("failed", "backend"), state)
            self.assertIn("version: 4; allowed is 6", state["problem"]["detail"])

    def test_a_missing_program_is_named_without_its_path(self) -> None:
        place = programs()
        (place / "isopod-deep").unlink()
        with harness.Server(self.fleet.server, options=options(place)) as server:
            server.send(*frames(self.fleet, 1))
            state, _ = server.run_job(request=self.requests[0])
            self.assertEqual(state["problem"]["detail"], "backend: the program does not start")

    def test_questions_that_no_program_answers_are_refused(self) -> None:
        with harness.Server(self.fleet.server, options=options(programs())) as server:
            server.send(*frames(self.fleet, 1))
            for change, field, wanted in [
                ({"columns": [0, 0]}, "columns", "1 to 64, each another"),
                ({"job": "covariance"}, "columns", "two, each another"),
                ({"columns": [1]}, "request", "allowed is"),
            ]:
                with self.subTest(change):
                    state, _ = server.run_job(request=self.requests[-1] | change)
                    problem = state.get("problem") or state
                    self.assertEqual((problem["status"], problem["field"]), (422, field), state)
                    self.assertIn(wanted, problem["detail"])
            state, _ = server.run_job(job="argmin")
            self.assertIn("allowed on merged frames", json.dumps(state))

    def test_without_keys_the_job_is_refused_before_it_waits(self) -> None:
        with harness.Server(self.fleet.server) as server:
            problem, _ = server.run_job(request=self.requests[0])
            self.assertEqual(problem["status"], 422, problem)
            self.assertIn("needs keys of a large ring", problem["detail"])

    def test_keys_of_no_key_pair_or_of_two_end_the_start(self) -> None:
        place, other = programs(), harness.Fleet(1, SET)
        slots = harness.Fleet(1)
        for fleet, more, wanted in [
            (slots, (), f"0 key pairs of set {SET}"),
            (other, ("--keys", str(self.fleet.server)), f"2 key pairs of set {SET} among --keys; allowed is one"),
        ]:
            with self.subTest(wanted), self.assertRaisesRegex(RuntimeError, wanted):
                harness.Server(fleet.server, options=(*options(place), *more)).start()
        (place / "keys" / "keys.deep").unlink()
        with self.assertRaisesRegex(RuntimeError, "--deep-keys .*`isopod server-keys --size` makes them"):
            harness.Server(self.fleet.server, options=options(place)).start()


if __name__ == "__main__":
    unittest.main()
