"""Tests the extension in DuckDB itself, on tables that the server wrote: the owner reads the sums, and what cannot be added up is
an error of SQL that names it.

Programs: ISOPOD (target/debug/isopod), with isopod-server in its folder. The extension: ISOPOD_DUCKDB."""
import json
import os
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

import duckdb

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "crates/server/test")]
import harness  # noqa: E402

EXTENSION = Path(os.environ.get("ISOPOD_DUCKDB", ROOT / "build/duckdb/isopod.duckdb_extension"))
SLOTS, INTEGERS, REALS = "bfv-4096x3-sum", "bfv-2048x2-air", "ckks-2048x2-air"
FILES = 8
FRAMES = 12  # of a file and device
DEVICES = (1, 2, 3)


def database(keys: Path | None = None, groups: int | None = None) -> duckdb.DuckDBPyConnection:
    """A new database with the extension, and a server's folder that is open in it."""
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    connection.execute(f"LOAD '{EXTENSION}'")
    if keys is not None:
        number = "" if groups is None else f", {groups}"
        connection.execute(f"SELECT he_open('{keys}'{number})")
    return connection


def stored(server: harness.Server) -> str:
    """The table of a server as SQL: the files that its Delta log names."""
    names = [str(server.table() / name) for name in harness.delta_files(server.table())]
    return f"read_parquet({names})"


def values(fleet: harness.Fleet, answer: bytes, *options: str) -> list[float]:
    """The values of a sealed answer that the owner reads."""
    path = harness.folder() / "answer"
    path.write_bytes(answer)
    opened = json.loads(harness.isopod("--json", "decrypt", "--keys", fleet.keys / "owner", "--in", path, *options))
    return [value["value"] for value in opened["values"]]


def one(connection: duckdb.DuckDBPyConnection, query: str, *parameters: object) -> object:
    """The only value of an answer."""
    return connection.execute(query, parameters).fetchall()[0][0]


class TableTest(unittest.TestCase):
    """One table in eight files, which a server compacted from its log."""

    @classmethod
    def setUpClass(cls) -> None:
        """Devices send integers with tags, and the server stores them."""
        cls.fleet = harness.Fleet(len(DEVICES), SLOTS)
        harness.isopod("device", "tag-key", "1-3", "--keys", cls.fleet.keys)
        cls.server = harness.Server(cls.fleet.server, options=("--table-seconds", "0"))
        with cls.server:
            for file in range(FILES):
                frames = [cls.fleet.frames(FRAMES, device, 2 * device + file) for device in DEVICES]
                cls.server.send(*(frame for each in frames for frame in each.values()))
                cls.server.wait_compacted()
            cls.server.stop()
        cls.table = stored(cls.server)
        cls.sums = {device: sum(FRAMES * (2 * device + file) for file in range(FILES)) for device in DEVICES}

    def test_each_group_has_its_answer_which_proves_itself_to_the_owner(self) -> None:
        query = f"SELECT device, he_answer(he_sum(frame)) FROM {self.table} GROUP BY device"
        for threads in (1, 4):
            connection = database(self.fleet.server)
            connection.execute(f"SET threads = {threads}")
            found = {device: values(self.fleet, answer, "--verify") for device, answer in connection.execute(query).fetchall()}
            self.assertEqual(found, {device: [total] for device, total in self.sums.items()})

    def test_threads_add_up_partial_states_which_are_combined(self) -> None:
        seen = set()

        def slowly(device: int) -> bool:
            seen.add(threading.get_ident())
            time.sleep(0.02)
            return device > 0

        def sums(groups: int) -> bytes:
            connection = database(self.fleet.server, groups)
            connection.execute("SET threads = 4")
            connection.create_function("slowly", slowly, ["UBIGINT"], "BOOLEAN", side_effects=True)
            return one(connection, f"SELECT he_answer(he_sum(frame)) FROM {self.table} WHERE slowly(device::UBIGINT)")

        self.assertEqual(values(self.fleet, sums(5), "--verify"), [sum(self.sums.values())])
        self.assertGreaterEqual(len(seen), 2, "several threads have states")
        # There is a state of the query beside those of the threads, so that one group cannot do.
        with self.assertRaisesRegex(duckdb.Error, "he_sum: groups: more than 1 at the same time"):
            sums(1)

    def test_states_are_items_that_sql_and_isopod_add_up_later(self) -> None:
        connection, place = database(self.fleet.server), harness.folder()
        query = f"SELECT sequence // 3 AS day, he_sum(frame) AS state FROM {self.table} GROUP BY day"
        connection.execute(f"CREATE TABLE days AS {query}")
        connection.execute(f"COPY days TO '{place}/days.parquet'")
        total = [sum(self.sums.values())]
        nested = one(connection, f"SELECT he_answer(he_sum(state)) FROM '{place}/days.parquet'")
        self.assertEqual(values(self.fleet, nested, "--verify"), total)
        states = connection.execute("SELECT state FROM days").fetchall()
        self.assertGreater(len(states), 2)
        for at, (state,) in enumerate(states):
            (place / f"{at}.state").write_bytes(state)
        states = ("--in", f"{place}/*.state", "--out", place / "day", "--again")
        harness.isopod("evaluate", "--keys", self.fleet.server, "--job", "sum", *states)
        self.assertEqual(values(self.fleet, (place / "day").read_bytes(), "--verify"), total)

    def test_weights_come_with_rows_and_null_is_left_out(self) -> None:
        connection = database(self.fleet.server)
        weight = "CASE WHEN device = 1 THEN 3 WHEN device = 2 THEN -1 END"
        query = f"SELECT he_answer(he_weighted_sum(frame, {weight})) FROM {self.table}"
        self.assertEqual(values(self.fleet, one(connection, query)), [3 * self.sums[1] - self.sums[2]])
        query = f"SELECT he_answer(he_sum(CASE WHEN device < 3 THEN frame END)) FROM {self.table}"
        self.assertEqual(values(self.fleet, one(connection, query)), [self.sums[1] + self.sums[2]])
        for nothing in (f"he_sum(frame) FROM {self.table} WHERE device > 3", "he_sum(NULL)", "he_answer(NULL)"):
            self.assertIsNone(one(connection, f"SELECT {nothing}"))

    def test_a_frame_that_occurs_twice_is_refused_in_whichever_thread(self) -> None:
        connection = database(self.fleet.server)
        for threads in (1, 4):
            connection.execute(f"SET threads = {threads}")
            for groups in ("", "GROUP BY device"):
                query = f"SELECT he_sum(frame) FROM (FROM {self.table} UNION ALL FROM {self.table}) {groups}"
                with self.assertRaisesRegex(duckdb.Error, "he_sum: .*device .* occur twice"):
                    connection.execute(query).fetchall()

    def test_files_may_be_a_parameter(self) -> None:
        names = [str(self.server.table() / name) for name in harness.delta_files(self.server.table())]
        query = "SELECT device, he_answer(he_sum(frame)) FROM read_parquet(?) GROUP BY device"
        rows = database(self.fleet.server).execute(query, [names]).fetchall()
        self.assertEqual({device: values(self.fleet, answer) for device, answer in rows},
                         {device: [total] for device, total in self.sums.items()})

    def test_a_moving_sum_is_right(self) -> None:
        connection = database(self.fleet.server)
        moving = "he_sum(frame) OVER (ORDER BY sequence ROWS 2 PRECEDING)"
        rows = f"SELECT sequence, {moving} AS state FROM {self.table} WHERE device = 1 AND sequence < 30"
        query = f"SELECT he_answer(state) FROM ({rows}) ORDER BY sequence DESC LIMIT 1"
        # Sequences 27 to 29 are of the third file.
        self.assertEqual(values(self.fleet, one(connection, query)), [3 * 4])


class RefusalTest(unittest.TestCase):
    """Errors of SQL, after which the database goes on."""

    @classmethod
    def setUpClass(cls) -> None:
        """Frames of two key pairs."""
        cls.fleet, cls.other = harness.Fleet(2, INTEGERS), harness.Fleet(1, INTEGERS)
        cls.frames = list(cls.fleet.frames(4, 1, 5).values())

    def refused(self, pattern: str, query: str, *parameters: object, connection: duckdb.DuckDBPyConnection | None = None) -> None:
        """Expects an error of SQL; the database then still adds up."""
        connection = connection or database(self.fleet.server, 64)
        for _ in range(40):  # more often than there are groups: none may stay behind
            with self.assertRaisesRegex(duckdb.Error, pattern):
                connection.execute(query, parameters).fetchall()
        self.assertEqual(self.total(connection), [10])

    def total(self, connection: duckdb.DuckDBPyConnection) -> list[float]:
        """The sum of two frames of five."""
        found = one(connection, "SELECT he_answer(he_sum(frame)) FROM (SELECT unnest(?) AS frame)", self.frames[:2])
        return values(self.fleet, found)

    def sums(self, *frames: bytes) -> tuple[str, list]:
        """A query that adds up these frames."""
        return "SELECT he_sum(frame) FROM (SELECT unnest(?::BLOB[]) AS frame)", list(frames)

    def test_frames_that_do_not_belong_together(self) -> None:
        foreign = next(iter(self.other.frames(1, 1, 5).values()))
        self.refused("he_sum: .*key", *self.sums(*self.frames, foreign))
        self.refused("he_sum: frame 2 of device 1, .* occur twice", *self.sums(*self.frames, self.frames[2]))

    def test_more_frames_than_the_bound_allows(self) -> None:
        frames = self.wide(9)
        query = "SELECT he_answer(he_sum(frame)) FROM (SELECT unnest(?::BLOB[]) AS frame)"
        self.assertEqual(values(self.fleet, one(database(self.fleet.server), query, frames[:2])), [10])
        self.refused("he_answer: sum: results may reach .*; possible: up to 3 such frames", query, frames)

    def wide(self, count: int) -> list[bytes]:
        """Frames of the largest bound that fits alone."""
        place = harness.folder()
        (place / "values.csv").write_text("reading\n" + "5\n" * count)
        options = ("--values", place / "values.csv", "--out", place / "frames", "--rows-per-frame", "1", "--bound-bits", "23")
        harness.isopod("encrypt", "--keys", self.fleet.keys / "device-2", *options)
        return [b"".join(parts) for parts in harness.frames_of((place / "frames").read_bytes()).values()]

    def test_foreign_bytes(self) -> None:
        damaged = bytearray(self.frames[0])
        damaged[len(damaged) // 2] ^= 1
        self.refused("he_sum: .*tag", *self.sums(self.frames[1], bytes(damaged)))
        for other in (b"", b"not a frame", self.frames[0][:-1]):
            self.refused("he_sum: ", *self.sums(other))
        self.refused("he_answer: ", "SELECT he_answer(?::BLOB)", b"not a state")
        self.refused("he_answer: ", "SELECT he_answer(?::BLOB)", self.frames[0])

    def test_jobs_that_the_set_does_not_have(self) -> None:
        self.refused("he_mean: job: mean works on real numbers", "SELECT he_mean(?::BLOB)", self.frames[0])
        self.refused("he_weighted_sum: weight: 0.5", "SELECT he_weighted_sum(?::BLOB, 0.5)", self.frames[0])
        self.refused("he_sum: .*request", "SELECT he_sum(state) FROM (SELECT he_column_sum(?::BLOB) AS state)", self.frames[0])

    def test_folders_of_keys(self) -> None:
        closed = database()
        with self.assertRaisesRegex(duckdb.Error, "he_sum: keys: none are open"):
            closed.execute("SELECT he_sum(?::BLOB)", [self.frames[0]])
        with self.assertRaisesRegex(duckdb.Error, "he_answer: keys: none are open"):
            closed.execute("SELECT he_answer(?::BLOB)", [self.frames[0]])
        for query, pattern in {
            "SELECT he_open('nowhere')": "he_open: keys: .*nowhere",
            "SELECT he_open(NULL)": "he_open: keys: NULL",
            f"SELECT he_open('{self.fleet.server}', 0)": "he_open: groups: 0; allowed are 1 to 1048576",
            f"SELECT he_open('{self.fleet.server}', NULL)": "he_open: groups: NULL",
            f"SELECT he_open('{self.fleet.keys / 'owner'}')": "he_open: keys: ",
        }.items():
            self.refused(pattern, query)
        connection = database(self.other.server)
        connection.execute(f"SELECT he_open('{self.fleet.server}')")
        self.assertEqual(self.total(connection), [10])

    def test_a_revoked_device(self) -> None:
        fleet = harness.Fleet(2, INTEGERS)
        frame, other = (next(iter(fleet.frames(1, device, 5).values())) for device in (1, 2))
        harness.isopod("device", "revoke", "1", "--keys", fleet.keys)
        connection = database(fleet.server)
        with self.assertRaisesRegex(duckdb.Error, "he_sum: .*1.* revoked"):
            one(connection, "SELECT he_sum(?::BLOB)", frame)
        self.assertEqual(values(fleet, one(connection, "SELECT he_answer(he_sum(?::BLOB))", other)), [5])


class RealNumbersTest(unittest.TestCase):
    """A set of CKKS."""

    def test_means_and_columns(self) -> None:
        fleet = harness.Fleet(1, REALS)
        frames = [frame for value in (1.5, -0.5) for frame in fleet.frames(4, 1, value).values()]
        connection = database(fleet.server)
        for name, wanted in {"he_mean": 0.5, "he_column_mean": 0.5, "he_sum": 4, "he_column_sum": 4}.items():
            query = f"SELECT he_answer({name}(frame)) FROM (SELECT unnest(?) AS frame)"
            self.assertAlmostEqual(values(fleet, one(connection, query, frames))[0], wanted, places=2, msg=name)


class BuildTest(unittest.TestCase):
    """The file itself."""

    def test_it_names_nothing_but_its_entry(self) -> None:
        command = ["nm", "--dynamic", "--defined-only", EXTENSION]
        listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        names = {line.split()[-1] for line in listed.splitlines()}
        self.assertEqual(names, {"isopod_init_c_api"})
