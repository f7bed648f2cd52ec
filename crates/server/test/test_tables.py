"""Tests the log as a table: it holds every frame once, also after deletion, retention, restoring and interruptions."""
import json
import shutil
import time
import unittest

import harness


class Tables(unittest.TestCase):
    """Compaction, deletion and retention, seen from outside."""

    def test_the_log_enters_the_table_once_across_starts(self) -> None:
        fleet = harness.Fleet(2)
        server = harness.Server(fleet.server, options=("--table-seconds", "0"))
        for device in (1, 2):
            with server:
                server.send(*fleet.frames(20, device).values())
                self.assertEqual(server.wait_compacted()["table_frames"], 20 * device)
                self.assertEqual(server.stop(), 0)
        self.assertEqual(sum(harness.delta_files(server.table()).values()), 40)

    def test_many_small_files_become_few(self) -> None:
        fleet = harness.Fleet(1)
        with harness.Server(fleet.server, options=("--table-seconds", "0")) as server:
            for frame in fleet.frames(20).values():
                server.send(frame)
                server.wait_compacted()
            files = harness.delta_files(server.table())
        self.assertEqual(sum(files.values()), 20)
        self.assertLess(len(files), 16)

    def test_a_deleted_device_is_gone_from_log_and_table_and_does_not_come_back(self) -> None:
        fleet = harness.Fleet(2)
        with harness.Server(fleet.server, options=("--table-seconds", "0")) as server:
            frames = fleet.frames(5, 1)
            server.send(*frames.values(), *fleet.frames(7, 2).values())
            server.wait_compacted()
            answer = server.ask("DELETE", "/v1/frames?device=1").json()
            self.assertEqual((answer["deleted"], answer["of_table"]), (5, 5))
            self.assertEqual(server.send(*frames.values()).json()["known"], 5)
            again = server.ask("DELETE", "/v1/frames?device=1").json()
            self.assertEqual((again["deleted"], again["of_table"]), (0, 0))
            files = harness.delta_files(server.table())
            self.assertEqual(sum(files.values()), 7)
            bytes_of_all = b"".join(path.read_bytes() for path in server.data.rglob("*") if path.is_file())
        self.assertFalse([name for name, frame in frames.items() if frame[200:300] in bytes_of_all])

    def test_a_log_of_a_back_up_takes_what_it_lacks_from_the_table_of_today(self) -> None:
        fleet = harness.Fleet(1)
        server = harness.Server(fleet.server, options=("--table-seconds", "0"))
        first, later = fleet.frames(5), fleet.frames(5)
        with server:
            server.send(*first.values())
            server.wait_compacted()
            server.stop()
        backup = harness.folder() / "backup"
        shutil.copytree(server.data, backup)
        with server:
            server.send(*later.values())
            server.wait_compacted()
            server.stop()
        # The log of the back-up beside the table of today.
        shutil.rmtree(server.data / "log")
        shutil.copytree(backup / "log", server.data / "log")
        with server:
            harness.wait_for(lambda: server.ask("GET", "/v1/damage").json() == [], lambda: "the log is not mended")
            self.assertEqual(server.send(*later.values()).json()["known"], 5)
            self.assertEqual(server.ask("GET", "/v1/totals").json()["log_frames"], 10)
        self.assertEqual(harness.check(first | later, server.stored()), (0, 0))

    def test_a_flipped_bit_in_log_or_table_is_mended_from_the_other(self) -> None:
        fleet = harness.Fleet(1, "ckks-2048x2-air")
        server = harness.Server(fleet.server, options=("--table-seconds", "0"))
        frames = fleet.frames(8)
        with server:
            server.send(*frames.values())
            server.wait_compacted()
            server.stop()
        for place in ("log/*.segment", "tables/*/*.parquet"):
            path = next(server.data.glob(place))
            data = bytearray(path.read_bytes())
            data[3000] ^= 4
            path.write_bytes(data)
            with server:
                harness.wait_for(lambda: "mended" in server.log.read_text(), lambda: "nothing is mended")
                self.assertEqual(server.ask("GET", "/v1/damage").json(), [])
                state, _ = server.run_job(job="sum", again=True)
                self.assertEqual((state["state"], state["frames"]), ("done", 8))
                self.assertEqual(server.wait_compacted()["table_frames"], 8)
                server.stop()
            self.assertEqual(harness.check(frames, server.stored()), (0, 0))

    def test_damage_that_no_copy_mends_can_be_given_up_or_sent_again(self) -> None:
        fleet = harness.Fleet(1, "ckks-2048x2-air")
        server = harness.Server(fleet.server, options=("--no-tables",))
        frames = fleet.frames(8)
        with server:
            server.send(*frames.values())
        path = next((server.data / "log").glob("*.segment"))
        data = bytearray(path.read_bytes())
        data[3000] ^= 4
        path.write_bytes(data)
        with server:
            state, _ = server.run_job(job="sum")
            self.assertEqual((state["state"], state["problem"]["field"]), ("failed", "damage"))
            self.assertEqual([reason["field"] for reason in server.ask("GET", "/readyz").json()["warnings"]], ["log"])
            [given_up] = server.ask("DELETE", "/v1/damage").json()
            state, _ = server.run_job(job="sum")
            self.assertEqual((state["state"], state["frames"]), ("done", 7))
            lost = frames[tuple(given_up["frame"])]
            self.assertEqual((server.send(lost).json()["stored"], server.send(lost).json()["known"]), (1, 1))
            state, _ = server.run_job(job="sum", again=True)
            self.assertEqual(state["frames"], 8)

    def test_a_table_whose_log_is_damaged_is_moved_aside_and_made_anew_each_time(self) -> None:
        fleet = harness.Fleet(1)
        server = harness.Server(fleet.server, options=("--table-seconds", "0"))
        with server:
            server.send(*fleet.frames(5).values())
            server.wait_compacted()
            server.stop()
        table = server.table()
        for times in (1, 2):
            entry = table / "_delta_log/00000000000000000001.json"
            data = bytearray(entry.read_bytes())
            data[len(data) // 2] ^= 1
            entry.write_bytes(data)
            with server:
                self.assertEqual(server.wait_compacted()["table_frames"], 5)
                server.stop()
            self.assertEqual(len(list(table.parent.glob("*.damaged-*"))), times)

    def test_times_stay_in_order_while_the_clock_goes_back(self) -> None:
        fleet = harness.Fleet(1)
        server = harness.Server(fleet.server, options=("--table-seconds", "0"))
        for seconds in (0, -3600, 60):
            server.environment = harness.shifted_clock(seconds)
            with server:
                server.send(*fleet.frames(2).values())
                self.assertEqual(server.wait_compacted()["table_behind"], 0)
                received = server.ask("GET", "/v1/devices").json()[0]["received"] / 1000
                server.stop()
            self.assertLess(abs(received - time.time() - max(seconds, 0)), 30, seconds)
        self.assertEqual(len(server.stored()), 6)
        heads = harness.received(server.data / "log")
        self.assertEqual(heads, sorted(heads))

    def test_a_server_without_tables_has_none(self) -> None:
        fleet = harness.Fleet(1)
        with harness.Server(fleet.server, options=("--no-tables",)) as server:
            server.send(*fleet.frames(3).values())
            self.assertEqual(server.ask("GET", "/v1/totals").json()["table_behind"], 0)
            self.assertFalse((server.data / "tables").exists())

    def test_a_full_disk_leaves_log_and_table_as_they_were(self) -> None:
        fleet = harness.Fleet(1)
        server = harness.Server(fleet.server, options=("--table-seconds", "0"), limit=200_000)
        frames = fleet.frames(60)
        with server:
            stored = {name: frame for name, frame in frames.items() if server.send(frame).status == 200}
            self.assertTrue(0 < len(stored) < len(frames))
            time.sleep(0.3)
            self.assertEqual(server.ask("GET", "/healthz").status, 200)
        server.limit = None
        with server:
            self.assertEqual(server.wait_compacted()["table_frames"], len(stored))
        self.assertEqual(harness.check(stored, server.stored()), (0, 0))


class Format(unittest.TestCase):
    """Properties on which other readers of the table rely."""

    def test_the_tables_log_is_that_of_delta(self) -> None:
        fleet = harness.Fleet(1)
        with harness.Server(fleet.server, options=("--table-seconds", "0")) as server:
            server.send(*fleet.frames(2).values())
            server.wait_compacted()
            first = (server.table() / "_delta_log/00000000000000000000.json").read_text().splitlines()
        actions = {key: value for line in first for key, value in json.loads(line).items()}
        self.assertEqual(actions["protocol"], {"minReaderVersion": 1, "minWriterVersion": 2})
        fields = [field["name"] for field in json.loads(actions["metaData"]["schemaString"])["fields"]]
        self.assertEqual(fields[:4] + fields[-1:], ["device", "epoch", "sequence", "time", "frame"])
