"""Tests SQL on tables in a bucket: each server answers over all of them."""
import sys
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

from place import PARTITIONS, Place, harness  # noqa: E402
from proxy import FORBIDDEN, Proxy  # noqa: E402
from test_sql import HAS_SQL, SUMS, ask, rows  # noqa: E402

DEVICES = 3
TOPIC = "frames"


@unittest.skipUnless(HAS_SQL, "this server has no SQL; KAFKA_FEATURES of make test-kafka adds it")
class Queries(unittest.TestCase):
    """Queries over a bucket."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.place = Place(DEVICES, 1)
        cls.addClassCleanup(cls.place.close)
        cls.place.cluster.create(TOPIC, PARTITIONS)
        cls.proxy = Proxy(cls.place.bucket.port)
        cls.addClassCleanup(cls.proxy.close)
        cls.producer = cls.place.producer(TOPIC).start()
        cls.addClassCleanup(cls.producer.kill)
        cls.servers = [cls.place.consumer(TOPIC).start(),
                       cls.place.consumer(TOPIC, environment={"AWS_ENDPOINT_URL": cls.proxy.url}).start()]
        for server in cls.servers:
            cls.addClassCleanup(server.kill)

    def store(self, count: int) -> None:
        """Sends frames of ones, and waits until they are in the table."""
        frames = self.place.frames(count, DEVICES)
        self.assertEqual(self.producer.send(*frames.values()).status, 200)
        self.place.wait_stored(TOPIC, set(frames))

    def test_each_server_sums_up_all_partitions(self) -> None:
        self.store(2)
        (before,) = rows(self.servers[0], "SELECT count(*) AS frames FROM frames")
        for server in self.servers:
            self.store(1)
            found = rows(server, SUMS)
            self.assertEqual([row["device"] for row in found], list(range(1, DEVICES + 1)))
            for row in found:
                self.assertAlmostEqual(self.place.fleet.decrypt(row["total"])[0], row["frames"], delta=0.1)
        self.assertEqual(sum(row["frames"] for row in found), before["frames"] + len(self.servers) * DEVICES)
        newest = "SELECT max(time) > now() - INTERVAL '1 hour' AS fresh, count(DISTINCT device) AS devices FROM frames"
        self.assertEqual([rows(server, newest) for server in self.servers], 2 * [[{"fresh": True, "devices": DEVICES}]])

    def test_two_servers_answer_alike(self) -> None:
        self.store(1)
        query = "SELECT he_sum(frame) AS total, he_mean(frame) AS mean FROM frames WHERE device % 2 = 1"
        first, second = ([self.place.fleet.decrypt(value) for (row,) in [rows(server, query)] for value in row.values()]
                         for server in self.servers)
        self.assertEqual(first, second)
        self.assertAlmostEqual(first[1][0], 1, delta=0.1)

    def test_a_bucket_that_is_away_is_told_and_comes_back(self) -> None:
        self.store(1)
        self.addCleanup(setattr, self.proxy, "status", None)
        self.proxy.status = FORBIDDEN
        refused = ask(self.servers[1], SUMS)
        self.assertEqual((refused.status, refused.json()["field"]), (503, "storage"), refused.body)
        self.proxy.status = None
        harness.wait_for(lambda: ask(self.servers[1], SUMS).status == 200, self.servers[1].log.read_text)


if __name__ == "__main__":
    unittest.main()
