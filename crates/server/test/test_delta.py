"""Tests the tables with delta-rs, a reader that others made: in the midst of merging, and through a checkpoint."""
import unittest

import harness
from deltalake import DeltaTable, QueryBuilder


def count(table: DeltaTable) -> tuple[int, int]:
    """The rows and the distinct frames of a table as it was opened."""
    query = "SELECT count(*) AS n, count(DISTINCT frame) AS s FROM frames"
    rows = QueryBuilder().register("frames", table).execute(query).read_all()
    return rows["n"][0].as_py(), rows["s"][0].as_py()


class Readers(unittest.TestCase):
    """Another program's view of a table while the server keeps it."""

    def test_a_reader_that_has_begun_ends_whole_while_files_are_merged(self) -> None:
        fleet = harness.Fleet(1)
        with harness.Server(fleet.server, options=("--table-seconds", "0")) as server:
            begun = []
            for sent, frame in enumerate(fleet.frames(40).values(), 1):
                server.send(frame)
                server.wait_compacted()
                begun.append((sent, DeltaTable(server.table())))
                self.assertEqual(count(begun[-1][1]), (sent, sent))
            files = harness.delta_files(server.table())
            self.assertLess(len(files), 20, "no files were merged")
            for sent, table in begun:
                self.assertEqual(count(table), (sent, sent))

    def test_a_deleted_device_is_in_no_file_of_the_table(self) -> None:
        fleet = harness.Fleet(2)
        with harness.Server(fleet.server, options=("--table-seconds", "0")) as server:
            for device in (1, 2):
                for frame in fleet.frames(10, device).values():
                    server.send(frame)
                    server.wait_compacted()
            server.ask("DELETE", "/v1/frames?device=1")
            self.assertEqual(count(DeltaTable(server.table())), (10, 10))
            there = {path.name for path in server.table().glob("*.parquet")}
            self.assertEqual(there, set(harness.delta_files(server.table())))

    def test_a_reader_begins_at_a_checkpoint(self) -> None:
        fleet = harness.Fleet(1)
        with harness.Server(fleet.server, options=("--table-seconds", "0")) as server:
            for frame in fleet.frames(110).values():
                server.send(frame)
                server.wait_compacted()
            log = server.table() / "_delta_log"
            self.assertEqual([path.name for path in log.glob("*.checkpoint.parquet")], [f"{100:020}.checkpoint.parquet"])
            wanted = DeltaTable(server.table())
            for version in range(100):
                (log / f"{version:020}.json").unlink()
            table = DeltaTable(server.table())
            self.assertEqual((table.version(), set(table.file_uris())), (wanted.version(), set(wanted.file_uris())))
            self.assertEqual(count(table), (110, 110))
            self.assertEqual(table.metadata().id, wanted.metadata().id)
            self.assertEqual((table.protocol().min_reader_version, table.protocol().min_writer_version), (1, 2))
            server.stop()
        with server:
            self.assertEqual(server.wait_compacted()["table_frames"], 110)
