"""Tests SQL on the table of a server: over HTTP, and by the command with and without a running server."""
import base64
import csv
import io
import json
import os
import subprocess
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import harness
import test_merged

HAS_SQL = b"QUERY" in subprocess.run([harness.SERVER, "sql", "--help"], capture_output=True, check=False).stdout
SUMS = "SELECT device, he_sum(frame) AS total, he_count(frame) AS frames FROM frames GROUP BY device ORDER BY device"
JSON = {"Content-Type": "application/json"}


def ask(server: harness.Server, query: str, headers: dict | None = None, **more: object) -> harness.Answer:
    """Sends a query over HTTP."""
    return server.ask("POST", "/v1/sql", json.dumps({"query": query, **more}).encode(), JSON | (headers or {}))


def rows(server: harness.Server, query: str) -> list[dict]:
    """The rows of an answer as dicts. Sealed values are bytes."""
    answer = ask(server, query)
    if answer.status != 200:
        raise AssertionError(answer.body)
    document = answer.json()

    def open_cell(cell: object) -> object:
        return base64.b64decode(cell["sealed"]) if isinstance(cell, dict) else cell
    return [dict(zip(document["columns"], map(open_cell, row))) for row in document["rows"]]


@unittest.skipUnless(HAS_SQL, "this server has no SQL; make test-sql builds it")
class Http(unittest.TestCase):
    """Queries from owners."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.fleet = harness.Fleet(3, "ckks-2048x2-air")
        # The table comes up to date with a query alone.
        options = ("--table-seconds", "86400", "--sql-answer-mb", "1", "--sql-seconds", "2")
        cls.server = harness.Server(cls.fleet.server, options=options).start()
        cls.addClassCleanup(cls.server.kill)
        for device, value in ((1, 1.5), (2, -0.25)):
            cls.server.send(*cls.fleet.frames(10, device, value).values())

    def test_each_device_has_its_sum_which_the_owner_opens(self) -> None:
        found = rows(self.server, f"SELECT * FROM ({SUMS}) WHERE device < 3 ORDER BY device")
        self.assertEqual([(row["device"], row["frames"]) for row in found], [(1, 10), (2, 10)])
        for row, wanted in zip(found, (15, -2.5)):
            self.assertAlmostEqual(self.fleet.decrypt(row["total"])[0], wanted, places=3)

    def test_packets_of_pads_are_rows_and_their_sums_are_exact(self) -> None:
        fleet = harness.Fleet(2, "pads")
        with harness.Server(fleet.server) as server:
            for device in (1, 2):
                server.send(fleet.pads(device, [(10 * device + at, -at) for at in range(5)]))
            totals = rows(server, "SELECT device, he_sum(frame) AS total, he_mean(frame) AS mean, he_count(frame) AS frames "
                                  "FROM frames GROUP BY device ORDER BY device")
            self.assertEqual([row["frames"] for row in totals], [5, 5])
            self.assertEqual([fleet.decrypt(row["total"]) for row in totals], [[60, -10], [110, -10]])
            self.assertEqual([fleet.decrypt(row["mean"]) for row in totals], [[12, -2], [22, -2]])
            (row,) = rows(server, "SELECT he_weighted_sum(frame, sequence % 2 - device) AS weighed, max(bound) AS bound, "
                                  "max(columns) AS columns, min(set) AS name FROM frames")
            self.assertEqual((row["bound"], row["columns"], row["name"]), (64, 2, "pads"))
            factors = [(at % 2 - device, device, at) for device in (1, 2) for at in range(5)]
            weighed = [sum(factor * (10 * device + at) for factor, device, at in factors),
                       sum(factor * -at for factor, _, at in factors)]
            self.assertEqual(fleet.decrypt(row["weighed"]), weighed)
            (nested,) = rows(server, "SELECT he_sum(total) AS total FROM (SELECT device, he_sum(frame) AS total FROM frames "
                                     "GROUP BY device)")
            self.assertEqual(fleet.decrypt(nested["total"]), [170, -20])
            for query, wanted in (("he_sum(frame) FROM (SELECT frame FROM frames UNION ALL SELECT frame FROM frames)", "twice"),
                                  ("he_dot(frame, 1, 2) FROM frames", "pads"),
                                  ("he_weighted_sum(frame, 0.5) FROM frames", "weight: 0.5")):
                answer = ask(server, f"SELECT {query}")
                self.assertEqual(answer.status, 422, answer.body)
                self.assertIn(wanted, answer.json()["detail"])

    def test_sums_of_tables_prove_themselves(self) -> None:
        fleet = harness.Fleet(2, "bfv-2048x2-air")
        harness.isopod("device", "tag-key", "1-2", "--keys", fleet.keys)
        place = harness.folder()
        (place / "values.csv").write_text("a,b\n" + "".join(f"{at},{-at}\n" for at in range(10)))
        with harness.Server(fleet.server) as server:
            for device in (1, 2):
                harness.isopod("encrypt", "--keys", fleet.keys / f"device-{device}", "--values", place / "values.csv", "--out",
                               place / f"frames-{device}", "--column-tag", "--bound-bits", "5")
                self.assertEqual(server.send((place / f"frames-{device}").read_bytes()).status, 200)
            nested = "SELECT he_sum(total) AS sum FROM (SELECT device, he_sum(frame) AS total FROM frames GROUP BY device)"
            sums = [rows(server, query)[0]["sum"] for query in (nested, "SELECT he_column_sum(frame) AS sum FROM frames")]
        for sealed, values, counted in ((sums[0], [2 * at * sign for at in range(10) for sign in (1, -1)], None),
                                        (sums[1], [90, -90], 20)):
            (place / "sum").write_bytes(sealed)
            text = harness.isopod("--json", "decrypt", "--keys", fleet.keys / "owner", "--in", place / "sum", "--verify")
            opened = json.loads(text)
            self.assertEqual([value["value"] for value in opened["values"]], values)
            proof = opened["verified"]
            self.assertEqual((proof["frames"], proof["devices"], proof.get("rows")), (2, 2, counted))

    def test_packets_are_frames_of_the_table(self) -> None:
        fleet = harness.Fleet(secret=True)
        with harness.Server(fleet.server) as server:
            context, packets = fleet.packets([0.25, 0.5, -0.125, 0.0625] * 20)
            self.assertEqual(server.send(context, *packets).status, 200)
            query = "SELECT count(*) AS rows, max(columns) AS columns, min(encrypted_by) AS encrypted_by, " \
                "he_sum(frame) AS total, he_column_mean(frame) AS mean FROM frames"
            row, = rows(server, query)
            self.assertEqual((row["rows"], row["columns"], row["encrypted_by"]), (80, 1, "ckks secret"))
            self.assertAlmostEqual(fleet.decrypt(row["total"])[0], 13.75, delta=0.05)
            self.assertAlmostEqual(fleet.decrypt(row["mean"])[0], 0.171875, delta=0.001)

    def test_a_query_has_what_was_acknowledged_before_it(self) -> None:
        for count in (1, 2):
            self.server.send(*self.fleet.frames(1, 3, 4.0).values())
            found = rows(self.server, "SELECT he_mean(frame) AS mean, he_count(frame) AS n FROM frames WHERE device = 3")
            self.assertEqual(found[0]["n"], count)
            self.assertAlmostEqual(self.fleet.decrypt(found[0]["mean"])[0], 4, places=3)

    def test_windows_of_time_and_answers_equal_those_of_jobs(self) -> None:
        window = "date_bin(INTERVAL '1 hour', time)"
        query = f"SELECT {window} AS hour, he_sum(frame) AS total FROM frames WHERE device <= 2 GROUP BY hour ORDER BY hour"
        total = sum(self.fleet.decrypt(row["total"])[0] for row in rows(self.server, query))
        _, results = self.server.run_job(job="sum", devices=[[1, 2]], again=True)
        self.assertAlmostEqual(total, self.fleet.decrypt(results)[0], places=3)
        self.assertAlmostEqual(total, 12.5, places=3)

    def test_operators_see_the_states_of_queries(self) -> None:
        ask(self.server, "SELECT 1 AS one")
        ask(self.server, "SELEC 1")
        failed, done = self.server.ask("GET", "/v1/sql").json()[:2]
        self.assertEqual((done["state"], done["query"], failed["state"]), ("done", "SELECT 1 AS one", "failed"))
        self.assertIn("SELEC", failed["problem"])
        self.assertGreater(done["seconds"], 0)

    def test_what_cannot_be_answered_is_refused_by_name(self) -> None:
        for query, status, field, said in [
            ("SELEC 1", 422, "query", "SELEC"), ("SELECT he_sum(time) FROM frames", 422, "query", "he_sum(frame)"),
            ("DROP TABLE frames", 422, "query", "DDL"), ("SELECT 1; SELECT 2", 422, "query", ""),
            ("INSERT INTO frames SELECT * FROM frames", 422, "query", "DML"), ("SELECT * FROM '/etc/passwd'", 422, "query", ""),
            ("SELECT frame FROM frames a, (SELECT device FROM frames) b", 422, "query", "bytes"),
            ("SELECT sum(a.sequence * b.sequence * c.sequence * d.sequence * e.sequence * f.sequence * g.sequence) "
             "FROM frames a, frames b, frames c, frames d, frames e, frames f, frames g", 422, "query", "seconds"),
        ]:
            with self.subTest(query=query):
                answer = ask(self.server, query)
                self.assertEqual(answer.headers["content-type"], "application/problem+json")
                problem = answer.json()
                self.assertEqual((answer.status, problem["field"]), (status, field), problem)
                self.assertIn(said, problem["detail"])
        self.assertEqual(ask(self.server, SUMS, key="00").json()["field"], "key")
        self.assertEqual(ask(self.server, SUMS, other=1).json()["field"], "body")

    def test_frames_that_do_not_add_up_are_refused_by_name(self) -> None:
        fleet = harness.Fleet(2, "ckks-2048x1-sum")
        place = harness.folder()
        (place / "values.csv").write_text("reading\n1\n")
        with harness.Server(fleet.server) as server:
            for device, scale in ((1, "20"), (2, "21")):
                harness.isopod("encrypt", "--keys", fleet.keys / f"device-{device}", "--values", place / "values.csv", "--out",
                               place / scale, "--scale-bits", scale)
                self.assertEqual(server.send((place / scale).read_bytes()).status, 200)
            refused = ask(server, "SELECT he_sum(frame) FROM frames").json()
            self.assertEqual(refused["status"], 422)
            self.assertRegex(refused["detail"], "log2_scale.*device|device.*log2_scale")
            self.assertEqual(len(rows(server, SUMS)), 2)

    def test_queries_at_the_same_time_are_answered_one_after_the_other_or_told_to_come_back(self) -> None:
        with ThreadPoolExecutor(6) as pool:
            answers = list(pool.map(lambda _: ask(self.server, SUMS), range(6)))
        self.assertEqual([answer.status for answer in answers], [200] * 6)

    def test_merged_frames_are_asked_by_the_program_that_bootstraps(self) -> None:
        place, fleet = test_merged.programs(), harness.Fleet(1, test_merged.SET)
        query = "SELECT device, he_count_above(frame, 0.5) AS hot FROM frames GROUP BY device"
        with harness.Server(fleet.server, options=test_merged.options(place)) as server:
            server.send(*test_merged.frames(fleet, 3))
            killed = ask(server, query)
            self.assertEqual((killed.status, killed.json()["field"]), (500, "backend"), killed.body)
            self.assertIn("backend: ended with signal: 9", killed.json()["detail"])
            (place / "end").unlink()
            (row,) = rows(server, query)
            self.assertEqual((row["device"], fleet.decrypt(row["hot"])), (1, [0.0]))
            ((_, cell),) = ask(server, query).json()["rows"]
            self.assertEqual((round(cell["gap"], 3), round(cell["error"], 3)), (0.066, 0.24))
            refused = ask(server, "SELECT he_count_above(frame, 9) FROM frames")
            self.assertEqual((refused.status, refused.json()["field"]), (422, "he_count_above"), refused.body)
            self.assertIn("threshold: 9; allowed is -8 to 8", refused.json()["detail"])
        with harness.Server(fleet.server) as server:
            server.send(*test_merged.frames(fleet, 1))
            refused = ask(server, query)
            self.assertEqual(refused.status, 422)
            self.assertIn("he_count_above: count on frames of ckks-2048x1-air needs keys", refused.json()["detail"])

    def test_deleted_frames_are_in_no_answer(self) -> None:
        fleet = harness.Fleet(2, "ckks-2048x2-air")
        with harness.Server(fleet.server) as server:
            server.send(*fleet.frames(3, 1).values(), *fleet.frames(4, 2).values())
            self.assertEqual(len(rows(server, SUMS)), 2)
            server.ask("DELETE", "/v1/frames?device=1")
            self.assertEqual([(row["device"], row["frames"]) for row in rows(server, SUMS)], [(2, 4)])

    def test_only_an_owner_asks(self) -> None:
        fleet = harness.Fleet(1, "ckks-2048x2-air", certify=True)
        with harness.Server(fleet.server, context=harness.trusting(fleet)) as server:
            for token, status in (("token", 200), ("token-graphs", 403)):
                answer = ask(server, "SELECT count(*) FROM frames", {"Authorization": f"Bearer {fleet.token(token)}"})
                self.assertEqual(answer.status, status)
            self.assertEqual(ask(server, SUMS).status, 401)


@unittest.skipUnless(HAS_SQL, "this server has no SQL; make test-sql builds it")
class Command(unittest.TestCase):
    """Queries by the command `isopod-server sql`."""

    def run_query(self, fleet: harness.Fleet, data: Path, *query: str) -> tuple[subprocess.CompletedProcess, Path]:
        """Runs the command with options and a query; its result, and the folder with its files."""
        out = harness.folder() / "answers"
        command = [harness.SERVER, "sql", "--data", data, "--keys", fleet.server, "--out", out, *query]
        environment = os.environ | {"ISOPOD_LOG": "error"}
        return subprocess.run(command, capture_output=True, text=True, env=environment, check=False), out

    def test_sums_without_a_server_and_beside_one(self) -> None:
        fleet = harness.Fleet(2, "ckks-2048x2-air")
        server = harness.Server(fleet.server, options=("--table-seconds", "86400"))
        with server:
            for device, value in ((1, 1.5), (2, -0.25)):
                server.send(*fleet.frames(4, device, value).values())
            ask(server, "SELECT 1")
            server.send(*fleet.frames(1, 1).values())
            beside, _ = self.run_query(fleet, server.data, "SELECT he_count(frame) AS n FROM frames")
            self.assertEqual((beside.returncode, beside.stdout), (0, "n\n8\n"), beside.stderr)
            self.assertIn("a server works on this folder", beside.stderr)
            server.stop()
        done, _ = self.run_query(fleet, server.data, SUMS)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = list(csv.DictReader(io.StringIO(done.stdout)))
        self.assertEqual([(row["device"], row["frames"]) for row in found], [("1", "5"), ("2", "4")])
        for row, wanted in zip(found, (7, -1)):
            self.assertAlmostEqual(fleet.decrypt(Path(row["total"]).read_bytes())[0], wanted, places=3)

    def test_merged_frames_without_a_server(self) -> None:
        place, fleet = test_merged.programs(), harness.Fleet(1, test_merged.SET)
        (place / "end").unlink()
        server = harness.Server(fleet.server)
        with server:
            server.send(*test_merged.frames(fleet, 3))
            server.stop()
        query = "SELECT he_count_above(frame, 0.5) AS hot FROM frames"
        done, _ = self.run_query(fleet, server.data, *test_merged.options(place), query)
        self.assertEqual(done.returncode, 0, done.stderr)
        path = done.stdout.splitlines()[1]
        self.assertEqual(fleet.decrypt(Path(path).read_bytes()), [0.0])
        self.assertRegex(done.stderr, f"{path}: 3 reading.s., merged into 1, by Lattigo; error 0.2396, gap 0.066; keys test")
        done, _ = self.run_query(fleet, server.data, query)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("error: he_count_above: count on frames of ckks-2048x1-air needs keys of a large ring", done.stderr)

    def test_what_is_missing_is_named(self) -> None:
        fleet = harness.Fleet(1, "ckks-2048x2-air")
        done, _ = self.run_query(fleet, harness.folder(), "SELECT 1")
        self.assertEqual(done.returncode, 3)
        self.assertIn("has no log", done.stderr)

    def test_a_crash_in_the_midst_of_compaction_changes_no_answer(self) -> None:
        fleet = harness.Fleet(1, "ckks-2048x2-air")
        server = harness.Server(fleet.server, options=("--table-seconds", "0"))
        sent = 0
        for _ in range(8):
            with server:
                server.send(*fleet.frames(25).values())
                sent += 25
                time.sleep(0.02)
                server.kill()
        query = "SELECT he_count(frame) AS n, count(DISTINCT sequence * 1000000 + epoch) AS names FROM frames"
        done, _ = self.run_query(fleet, server.data, query)
        self.assertEqual(done.stdout, f"n,names\n{sent},{sent}\n", done.stderr)
