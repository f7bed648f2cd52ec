"""Tests Spark on the tables of the server: the sums are the same and exact, even if a worker and its executor are killed in
mid-stage.

Programs: ISOPOD (target/debug/isopod), with isopod-table and libisopod_table_abi.so in its folder or in deps."""
import contextlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyspark
from deltalake import DeltaTable
from pyspark.sql import DataFrame, SparkSession

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("ISOPOD", ROOT / "target/debug/isopod"))
TABLE = PROGRAM.with_name("isopod-table")
# Cargo leaves the library of a build for tests beside its other dependencies.
LIBRARY = next((path for path in (PROGRAM.with_name("libisopod_table_abi.so"), PROGRAM.parent / "deps/libisopod_table_abi.so")
                if path.exists()), PROGRAM.with_name("libisopod_table_abi.so"))
RECORD = os.environ.get("ISOPOD_RECORD")
SET = "bfv-4096x3-sum"
PLACES = 4096
FRAMES = 8  # of a file
FILES = 10  # of a device
DEVICES = (1, 2)
PASSPHRASE = {"ISOPOD_PASSPHRASE": "only for this test"}

os.environ["ISOPOD_TABLE_LIBRARY"] = str(LIBRARY)
sys.path[:0] = [str(ROOT), str(ROOT / "python")]

import isopod_spark  # noqa: E402

from bench.record import merge  # noqa: E402


def run(*command: object) -> str:
    """Runs a command, which must succeed; its standard output."""
    done = subprocess.run([str(word) for word in command], env={**os.environ, **PASSPHRASE}, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f"{command}: {done.stderr}")
    return done.stdout


class Fleet:
    """Keys, a table with frames from two devices, and their plaintext sums."""

    def __init__(self, place: Path) -> None:
        self.place, self.keys, self.table = place, place / "keys", place / "table"
        run(PROGRAM, "keygen", "--set", SET, "--device", 1, "--device", 2, "--no-evaluation-keys",
            "--out", self.keys)
        run(PROGRAM, "device", "tag-key", "1-2", "--keys", self.keys)
        numbers = random.Random(5)
        self.sums = {}
        for device in DEVICES:
            total = [0] * PLACES
            for file in range(FILES):
                frames = [[numbers.randint(-9, 9) for _ in range(PLACES)] for _ in range(FRAMES)]
                total = [sum(column) for column in zip(total, *frames)]
                readings = place / "readings.csv"
                readings.write_text("a\n" + "".join(f"{value}\n" for frame in frames for value in frame))
                sent = place / f"{device}-{file}.bin"
                run(PROGRAM, "encrypt", "--keys", self.keys / f"device-{device}", "--values", readings, "--out", sent)
                run(TABLE, "append", "--keys", self.server, "--table", self.table, sent)
            self.sums[device] = total

    @property
    def server(self) -> Path:
        """The server's folder."""
        return self.keys / "server"

    def values(self, answer: Path) -> list[int]:
        """The values that the owner reads in a sealed answer, which proves that it is the sum of just its frames."""
        opened = json.loads(run(PROGRAM, "decrypt", "--keys", self.keys / "owner", "--in", answer, "--verify", "--json"))
        return [round(value["value"]) for value in opened["values"]]

    def embedded(self) -> dict[int, list[int]]:
        """The sums by the embedded engine."""
        out = self.place / "embedded"
        sql = "SELECT device, he_sum(frame) AS s FROM frames GROUP BY device"
        rows = run(TABLE, "sql", "--keys", self.server, "--table", self.table, "--out", out, sql).splitlines()[1:]
        return {int(device): self.values(Path(path)) for device, path in (row.split(",") for row in rows)}

    def answers(self, states: list) -> dict[int, list[int]]:
        """The sums in states that Spark made."""
        found = {}
        for row in states:
            path = self.place / f"spark-{row.device}.bin"
            path.write_bytes(isopod_spark.answer(str(self.server), "sum", row.state))
            found[row.device] = self.values(path)
        return found


class Cluster:
    """A standalone master and two workers on this machine."""

    def __init__(self, place: Path) -> None:
        home = Path(pyspark.__file__).parent
        self.command = str(home / "bin/spark-class")
        self.place = place
        self.environment = {**os.environ, "SPARK_HOME": str(home), "PYSPARK_PYTHON": sys.executable,
                            "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_DAEMON_MEMORY": "512m"}
        self.master = self.start("master", "master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
        self.url = self.wait("master", r"(spark://127\.0\.0\.1:\d+)")
        arguments = ("--host", "127.0.0.1", "--cores", "1", "--memory", "1g", "--webui-port", "0", self.url)
        self.workers = [self.start(name, "worker.Worker", *arguments, "--work-dir", str(place / name)) for name in ("one", "two")]
        for name in ("one", "two"):
            self.wait(name, "(Successfully registered)")

    def start(self, name: str, kind: str, *arguments: str) -> subprocess.Popen:
        """Starts a daemon, whose messages go to a file."""
        log = (self.place / f"{name}.log").open("w")
        command = [self.command, f"org.apache.spark.deploy.{kind}", *arguments]
        return subprocess.Popen(command, env=self.environment, stdout=log, stderr=log)

    def wait(self, name: str, pattern: str) -> str:
        """Waits for a pattern in a daemon's messages; its first group."""
        for _ in range(600):
            found = re.search(pattern, (self.place / f"{name}.log").read_text())
            if found:
                return found[1]
            time.sleep(0.1)
        raise AssertionError(f"{name}: {(self.place / f'{name}.log').read_text()}")

    def session(self, name: str) -> SparkSession:
        """Starts a driver."""
        builder = SparkSession.builder.master(self.url).appName(name).config("spark.executor.memory", "512m")
        return configured(builder).getOrCreate()

    def stop(self) -> None:
        """Ends the processes that are left."""
        for process in [*self.workers, self.master]:
            kill(process.pid, signal.SIGKILL)
            process.wait()


def configured(builder: SparkSession.Builder) -> SparkSession.Builder:
    """The settings of every driver here: small tasks, and the needs of executors."""
    settings = {
        **isopod_spark.SETTINGS, "spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1", "spark.sql.shuffle.partitions": "4", "spark.sql.adaptive.enabled": "false",
        "spark.sql.files.maxPartitionBytes": "1000000", "spark.sql.files.openCostInBytes": "1000000",
        "spark.executorEnv.PYTHONPATH": str(ROOT / "python"), "spark.executorEnv.ISOPOD_TABLE_LIBRARY": str(LIBRARY),
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder


def kill(process: int, how: signal.Signals) -> None:
    """Ends a process that this test started, and all its children."""
    for child in children(process):
        kill(child, how)
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, how)


def children(process: int) -> list[int]:
    """The processes that a process started."""
    try:
        tasks = Path(f"/proc/{process}/task").iterdir()
        return [int(word) for task in tasks for word in (task / "children").read_text().split()]
    except OSError:
        return []


def slowly(rows: DataFrame) -> DataFrame:
    """Devices and frames, delayed so that one can act in the middle of a stage."""

    def late(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            time.sleep(0.7)
            yield batch

    return rows.select("device", "frame").mapInArrow(late, "device long, frame binary")


class SparkTest(unittest.TestCase):
    """All tests share one table."""

    @classmethod
    def setUpClass(cls) -> None:
        """Devices encrypt, and the server stores the frames."""
        cls.folder = tempfile.TemporaryDirectory()
        cls.fleet = Fleet(Path(cls.folder.name))
        os.environ["PYSPARK_PYTHON"] = sys.executable
        os.environ["PYTHONPATH"] = str(ROOT / "python")

    @classmethod
    def tearDownClass(cls) -> None:
        """Removes the folder."""
        cls.folder.cleanup()

    def rows(self, spark: SparkSession) -> DataFrame:
        """The table in Spark."""
        return spark.read.parquet(*isopod_spark.files(self.fleet.table))

    def test_a_reader_of_delta_tables_reads_the_log(self) -> None:
        """Another implementation sees the same files, columns and rows."""
        table = DeltaTable(self.fleet.table)
        self.assertEqual(table.version(), FILES * len(DEVICES))
        self.assertEqual(sorted(map(os.path.basename, table.file_uris())),
                         sorted(map(os.path.basename, isopod_spark.files(self.fleet.table))))
        names = [field.name for field in table.schema().fields]
        self.assertEqual(names[:4] + names[-1:], ["device", "epoch", "sequence", "time", "frame"])
        read = table.to_pyarrow_table(columns=["device", "frame"])
        self.assertEqual(len(read), FILES * FRAMES * len(DEVICES))
        self.assertEqual(set(read["device"].to_pylist()), set(DEVICES))

    def test_a_checkpoint_stands_for_the_entries_before_it(self) -> None:
        """Without the entries, the files and rows are those that another implementation finds."""
        table, sent = self.fleet.place / "long", self.fleet.place / "1-0.bin"
        for _ in range(101):
            run(TABLE, "append", "--keys", self.fleet.server, "--table", table, sent)
        for version in range(100):
            (table / "_delta_log" / f"{version:020}.json").unlink()
        found = isopod_spark.files(table)
        self.assertEqual(len(found), 101)
        self.assertEqual(sorted(map(os.path.basename, DeltaTable(table).file_uris())), sorted(map(os.path.basename, found)))
        spark = configured(SparkSession.builder.master("local[1]").appName("checkpoint")).getOrCreate()
        self.addCleanup(spark.stop)
        self.assertEqual(spark.read.parquet(*found).count(), 101 * FRAMES)

    def test_a_worker_is_killed_in_mid_stage(self) -> None:
        """The result equals the plaintext one and that of the embedded engine."""
        embedded = self.fleet.embedded()
        self.assertEqual(embedded, self.fleet.sums)
        place = self.fleet.place / "cluster"
        place.mkdir()
        cluster = Cluster(place)
        self.addCleanup(cluster.stop)
        spark = cluster.session("killed")
        self.addCleanup(spark.stop)
        rows = self.rows(spark)
        sums = isopod_spark.aggregate(slowly(rows), str(self.fleet.server), "sum", by=["device"])
        found: list = []
        work = threading.Thread(target=lambda: found.extend(sums.collect()))
        work.start()
        done = self.middle(spark)
        victim = cluster.workers[0]
        executors = [child for child in children(victim.pid)]
        self.assertTrue(executors, "the worker has an executor")
        kill(victim.pid, signal.SIGKILL)
        victim.wait()
        work.join(timeout=300)
        self.assertFalse(work.is_alive())
        self.assertEqual(self.fleet.answers(found), embedded)
        print(f"killed after {done} of {FILES * len(DEVICES)} tasks: exact", file=sys.stderr)
        record(1)

    def middle(self, spark: SparkSession) -> int:
        """Waits until some tasks of the first stage are done; their number."""
        tracker = spark.sparkContext.statusTracker()
        for _ in range(1200):
            for stage in tracker.getActiveStageIds():
                info = tracker.getStageInfo(stage)
                if info and info.numTasks >= FILES and 4 <= info.numCompletedTasks < info.numTasks - 4:
                    return info.numCompletedTasks
            time.sleep(0.1)
        raise AssertionError("no stage has a middle")

    def test_refusals_name_what_differs(self) -> None:
        """A frame that occurs twice ends the job, and the message names it."""
        spark = configured(SparkSession.builder.master("local[1]").appName("refused")).getOrCreate()
        self.addCleanup(spark.stop)
        rows = self.rows(spark).where("device = 1 AND sequence < 8")
        twice = rows.union(rows)
        with self.assertRaisesRegex(Exception, "device 1"):
            isopod_spark.aggregate(twice, str(self.fleet.server), "sum").collect()
        with self.assertRaisesRegex(Exception, "mean works on real numbers"):
            isopod_spark.aggregate(rows, str(self.fleet.server), "mean").collect()
        whole = isopod_spark.aggregate(rows, str(self.fleet.server), "sum").collect()
        self.assertEqual(len(whole), 1)


def record(exact: int) -> None:
    """Records the outcome for the benchmarks."""
    if not RECORD:
        return
    method = ("1 if the sums of 160 frames in two groups, from a standalone master and two workers of which one was killed with "
              "its executor in mid-stage, are those of the clear and of the embedded engine.")
    merge(Path(RECORD), [{"case": "spark-exact", "set": SET, "value": exact, "method": method}])
