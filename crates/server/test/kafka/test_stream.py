"""Tests servers that hand frames to Kafka, and servers that take them into tables in a bucket."""
import re
import subprocess
import sys
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from place import PARTITIONS, Place, harness  # noqa: E402
from proxy import FORBIDDEN, FULL, Proxy  # noqa: E402

DEVICES = 6


class OneBroker(unittest.TestCase):
    """A broker and a bucket; each test has a topic and tables of its own."""

    place: Place

    @classmethod
    def setUpClass(cls) -> None:
        cls.place = Place(DEVICES, 1)
        cls.addClassCleanup(cls.place.close)

    def setUp(self) -> None:
        self.topic = self.id().rsplit(".", 1)[-1]
        self.place.cluster.create(self.topic, PARTITIONS)

    def started(self, server: harness.Server) -> harness.Server:
        """A server until the test ends."""
        server.start()
        self.addCleanup(server.__exit__)
        return server

    def reason(self, server: harness.Server, wanted: str) -> str:
        """Waits until a server says why it is not ready."""
        def found() -> str:
            reasons = server.ask("GET", "/readyz").json()["reasons"]
            return next((reason["detail"] for reason in reasons if wanted in reason["detail"]), "")
        return harness.wait_for(found, server.log.read_text)


class Streams(OneBroker):
    """Frames on their way, and answers to them."""

    def test_frames_go_by_a_topic_into_a_bucket_each_once(self) -> None:
        producer, consumer = (self.started(make(self.topic)) for make in (self.place.producer, self.place.consumer))
        frames = self.place.frames(3, DEVICES)
        for frame in frames.values():
            self.assertEqual(producer.send(frame).status, 200)
        # Once more, as after an acknowledgement that was lost.
        self.assertEqual(producer.send(*frames.values()).status, 200)
        self.place.wait_stored(self.topic, set(frames))
        self.assertEqual(set(self.place.bucket.names(self.topic)), set(frames))
        state, results = consumer.run_job(job="sum")
        self.assertEqual((state["state"], state["frames"]), ("done", len(frames)), state)
        self.assertAlmostEqual(self.place.fleet.decrypt(results)[0], len(frames), delta=0.1)
        counted = consumer.metrics()
        self.assertEqual(counted["isopod_frames_stored_total"], len(frames))
        self.assertEqual((counted["isopod_devices"], counted["isopod_frames_missing"]), (DEVICES, 0))

    def test_operators_see_the_devices_of_the_partitions_that_a_server_reads(self) -> None:
        producer = self.started(self.place.producer(self.topic))
        first = self.started(self.place.consumer(self.topic))
        frames = self.place.frames(3, DEVICES)
        # The second frame of each device is missing.
        sent = {name: frame for at, (name, frame) in enumerate(frames.items()) if at % 3 != 1}
        begun = 1000 * time.time()
        self.assertEqual(producer.send(*sent.values()).status, 200)
        self.place.wait_stored(self.topic, set(sent))

        def listed(*servers: harness.Server) -> list[tuple]:
            found = [device for server in servers for device in server.ask("GET", "/v1/devices").json()]
            self.assertTrue(all(begun <= device["received"] <= 1000 * time.time() for device in found), found)
            columns = ("device", "sequence", "frames", "missing", "bytes")
            return sorted(tuple(device[column] for column in columns) for device in found)
        size = {len(frame) for frame in frames.values()}.pop()
        wanted = [(device, sequence, 2, 1, 2 * size) for at, (device, _, sequence) in enumerate(frames) if at % 3 == 2]
        self.assertEqual(listed(first), wanted)
        self.assertEqual(first.ask("GET", "/v1/devices?after=4").json(), first.ask("GET", "/v1/devices").json()[4:])
        # Each of two servers lists its own, and both together list all.
        second = self.started(self.place.consumer(self.topic))
        harness.wait_for(lambda: listed(first) != wanted and listed(first, second) == wanted, second.log.read_text)
        totals = [server.ask("GET", "/v1/totals").json() for server in (first, second)]
        for name, count in (("devices", DEVICES), ("frames", len(sent)), ("missing", DEVICES), ("bytes", len(sent) * size)):
            self.assertEqual(sum(one[name] for one in totals), count, name)
        self.assertEqual(producer.ask("GET", "/v1/devices").json(), [])

    def test_two_servers_give_one_answer_once(self) -> None:
        producer = self.started(self.place.producer(self.topic))
        servers = [self.started(self.place.consumer(self.topic)) for _ in range(2)]
        frames = self.place.frames(4, DEVICES)
        self.assertEqual(producer.send(*frames.values()).status, 200)
        self.place.wait_stored(self.topic, set(frames))
        state, first = servers[0].run_job(job="sum")
        self.assertEqual((state["state"], state["frames"]), ("done", len(frames)), state)
        # By the other server the same frames enter the same answer no second time, unless that is asked for.
        state, _ = servers[1].run_job(job="sum")
        self.assertEqual((state["state"], state["problem"]["field"]), ("failed", "again"), state)
        state, second = servers[1].run_job(job="sum", again=True)
        self.assertEqual((state["state"], state["frames"]), ("done", len(frames)), state)
        self.assertEqual(self.place.fleet.decrypt(first), self.place.fleet.decrypt(second))
        # A third server, which comes later, knows of both answers.
        third = self.started(self.place.consumer(self.topic))
        state, _ = third.run_job(job="mean")
        self.assertEqual(state["state"], "done", state)
        state, _ = third.run_job(job="sum")
        self.assertEqual(state["problem"]["field"], "again", state)

    def test_answers_of_two_servers_at_the_same_time_have_numbers_of_their_own(self) -> None:
        producer = self.started(self.place.producer(self.topic))
        servers = [self.started(self.place.consumer(self.topic)) for _ in range(2)]
        frames = self.place.frames(2, DEVICES)
        producer.send(*frames.values())
        self.place.wait_stored(self.topic, set(frames))
        with ThreadPoolExecutor(2) as pool:
            def answers(server: harness.Server) -> list[dict]:
                return [server.run_job(job="sum", again=True)[0] for _ in range(6)]
            asked = [pool.submit(answers, server) for server in servers]
            states = [state for answered in asked for state in answered.result()]
        self.assertEqual({state["state"] for state in states}, {"done"}, states)
        self.assertEqual(sorted(state["sequence"] for state in states), list(range(12)))
        made_again = sum(server.log.read_text().count("the answer is made once more") for server in servers)
        self.assertGreater(made_again, 0, "the servers never answered at the same time")

    def test_a_device_that_one_server_revokes_is_revoked_by_all(self) -> None:
        producer = self.started(self.place.producer(self.topic))
        first, second = (self.place.consumer(self.topic) for _ in range(2))
        self.started(first)
        harness.isopod("device", "revoke", "2", "--keys", first.keys.parent)
        self.started(second)
        harness.wait_for(lambda: "revoked by another server" in second.log.read_text(), second.log.read_text)
        frames = self.place.frames(1, 3)
        producer.send(*frames.values())
        self.place.wait_stored(self.topic, {name for name in frames if name[0] != 2})
        refused = harness.wait_for(lambda: self.place.bucket.refused(self.topic), second.log.read_text)
        self.assertEqual(refused[0]["reason"], "device 2: revoked; allowed is no frame of it")

    def test_a_server_that_dies_is_taken_over_with_its_contexts(self) -> None:
        # Packets, which need the context that the dead server registered.
        place = Place.__new__(Place)
        place.fleet = harness.Fleet(1, "ckks-1024x1-sum", secret=True)
        place.cluster, place.bucket = self.place.cluster, self.place.bucket
        producer = self.started(place.producer(self.topic))
        first = self.started(place.consumer(self.topic))
        context, packets = place.fleet.packets([0.25, 0.5, 0.25])
        self.assertEqual(producer.send(context, packets[0]).status, 200)
        harness.wait_for(lambda: len(place.bucket.names(self.topic)) == 1, first.log.read_text)
        first.kill()
        second = self.started(place.consumer(self.topic))
        begun = time.monotonic()
        self.assertEqual(producer.send(*packets).status, 200)
        harness.wait_for(lambda: len(place.bucket.names(self.topic)) == 3, second.log.read_text)
        self.assertLess(time.monotonic() - begun, 15)
        self.assertEqual(place.bucket.names(self.topic).total(), 3)

    def test_each_key_pair_has_a_table_of_its_own(self) -> None:
        other = harness.Fleet(2, "bfv-2048x2-air")
        both = ("--keys", str(other.server))
        producer = self.started(self.place.producer(self.topic, *both))
        first = self.started(self.place.consumer(self.topic, *both))
        rounds = [(self.place.frames(2, 2), [other.frames(3, device, 1) for device in (1, 2)]) for _ in range(2)]
        producer.send(*rounds[0][0].values(), *(frame for frames in rounds[0][1] for frame in frames.values()))
        harness.wait_for(lambda: first.ask("GET", "/v1/totals").json()["table_frames"] == 10, first.log.read_text)
        (key,) = {device["key"] for device in first.ask("GET", "/v1/devices").json() if device["frames"] == 3}
        first.kill()
        second = self.started(self.place.consumer(self.topic, *both))
        producer.send(*rounds[1][0].values(), *(frame for frames in rounds[1][1] for frame in frames.values()))
        harness.wait_for(lambda: second.ask("GET", "/v1/totals").json()["table_frames"] == 20, second.log.read_text)
        names = self.place.bucket.names(f"{self.topic}/{key}")
        self.assertEqual(names, dict.fromkeys([name for sent in rounds for frames in sent[1] for name in frames], 1))
        state, results = second.run_job(job="sum", key=key)
        self.assertEqual((state["state"], state["frames"]), ("done", 12), state)
        self.assertEqual(other.decrypt(results)[0], 12)

    def test_servers_with_tables_of_their_own_read_all_partitions(self) -> None:
        producer = self.started(self.place.producer(self.topic))
        kafka = ("--kafka", self.place.cluster.addresses, "--topic", self.topic, "--group", "own", "--table-seconds", "1")
        servers = [self.started(harness.Server(self.place.keys(), options=kafka)) for _ in range(2)]
        frames = self.place.frames(1, DEVICES)
        producer.send(*frames.values())

        def rows(server: harness.Server) -> int:
            tables = [path for path in (server.data / "tables").glob("*") if (path / "_delta_log").exists()]
            return sum(harness.delta_files(tables[0]).values()) if tables else 0
        for server in servers:
            harness.wait_for(lambda own=server: rows(own) == len(frames), server.log.read_text)

    def test_the_clock_of_a_server_does_not_mark_frames(self) -> None:
        producer = self.started(self.place.producer(self.topic))
        self.started(self.place.consumer(self.topic, environment=harness.shifted_clock(5 * 86_400)))
        before = time.time()
        frames = self.place.frames(2, 2)
        producer.send(*frames.values())
        self.place.wait_stored(self.topic, set(frames))
        for (found,) in self.place.bucket.query(self.topic, "time"):
            self.assertLess(abs(found.timestamp() - before), 60)


class Refusals(OneBroker):
    """Bad input, and parts that fail."""

    def test_foreign_records_are_refused_by_partition_and_offset(self) -> None:
        producer = self.started(self.place.producer(self.topic))
        consumer = self.started(self.place.consumer(self.topic))
        frames = self.place.frames(2, 1)
        (first, second) = frames.values()
        partition = next(number for number in range(PARTITIONS) if number != self.partition_of(1))
        flipped = bytes([*second[:-1], second[-1] ^ 1])
        self.place.cluster.put(self.topic, (b"x", b"not a frame", 0), (None, None, 0), (None, first, partition),
                               (None, flipped, self.partition_of(1)))
        producer.send(first)
        self.place.wait_stored(self.topic, {next(iter(frames))})
        refused = harness.wait_for(lambda: (lambda found: found if len(found) >= 4 else None)(
            self.place.bucket.refused(self.topic)), consumer.log.read_text)
        by_place = {(record["partition"], record["offset"]): record["reason"] for record in refused}
        self.assertEqual(len(by_place), 4)
        misplaced = next(reason for reason in by_place.values() if reason.startswith("partition:"))
        self.assertIn(f"allowed is {self.partition_of(1)}, that of device 1", misplaced)
        self.assertTrue(any(reason.startswith("tag") for reason in by_place.values()), by_place)
        self.assertEqual(self.place.bucket.names(self.topic).total(), 1)

    def partition_of(self, device: int) -> int:
        """Number of a device's partition."""
        return murmur2(device.to_bytes(8, "big")) % PARTITIONS

    def test_partitions_that_grew_are_refused_with_the_remedy(self) -> None:
        producer = self.started(self.place.producer(self.topic))
        consumer = self.started(self.place.consumer(self.topic))
        frames = self.place.frames(1, DEVICES)
        producer.send(*frames.values())
        self.place.wait_stored(self.topic, set(frames))
        self.place.cluster.grow(self.topic, PARTITIONS + 1)
        consumer.stop()
        later = self.place.consumer(self.topic, status=503)
        self.started(later)
        detail = self.reason(later, "partitions")
        self.assertIn("has 5; allowed are 4", detail)
        self.assertIn("Make a new topic with 5 partitions", detail)

    def test_a_bucket_that_forbids_or_is_full_holds_frames_back_and_loses_none(self) -> None:
        proxy = Proxy(self.place.bucket.port)
        self.addCleanup(proxy.close)
        producer = self.started(self.place.producer(self.topic))
        consumer = self.started(self.place.consumer(self.topic, environment={"AWS_ENDPOINT_URL": proxy.url}))
        sent: dict = {}
        for status in (FORBIDDEN, FULL):
            proxy.status = status
            frames = self.place.frames(2, 3)
            sent |= frames
            self.assertEqual(producer.send(*frames.values()).status, 200)
            harness.wait_for(lambda: "tables" in consumer.readiness()["warnings"], consumer.log.read_text)
            proxy.status = None
            self.place.wait_stored(self.topic, set(sent))
            harness.wait_for(lambda: "tables" not in consumer.readiness()["warnings"], consumer.log.read_text)

    def test_a_commit_that_fails_for_an_answer_loses_nothing(self) -> None:
        proxy = Proxy(self.place.bucket.port)
        self.addCleanup(proxy.close)
        producer = self.started(self.place.producer(self.topic))
        # Only answers commit.
        consumer = self.started(self.place.consumer(self.topic, "--table-seconds", "86400",
                                                    environment={"AWS_ENDPOINT_URL": proxy.url}))
        frames = self.place.frames(2, 2)
        producer.send(*frames.values())

        def summed() -> int:
            return consumer.run_job(job="sum", partial=True)[0].get("frames", 0)
        harness.wait_for(lambda: summed() == len(frames), consumer.log.read_text)
        later = self.place.frames(1, 2)
        producer.send(*later.values())
        time.sleep(3)
        proxy.status = FULL
        summed()
        proxy.status = None
        # No further record comes that would tell the reader.
        harness.wait_for(lambda: summed() == len(frames) + len(later), consumer.log.read_text)

    def test_records_that_left_the_topic_unread_are_told(self) -> None:
        producer = self.started(self.place.producer(self.topic))
        frames = list(self.place.frames(3, 1).items())
        for _, frame in frames:
            producer.send(frame)
        self.place.cluster.forget(self.topic, self.partition_of(1), 2)
        consumer = self.started(self.place.consumer(self.topic))
        harness.wait_for(lambda: "kafka" in consumer.readiness()["warnings"], consumer.log.read_text)
        self.place.wait_stored(self.topic, {frames[2][0]})
        self.assertEqual(self.place.bucket.names(self.topic).total(), 1)
        state, _ = producer.run_job(job="sum")
        self.assertEqual((state["state"], state["problem"]["field"]), ("failed", "server"), state)

    def test_the_options_of_the_manifests_are_there(self) -> None:
        text = (harness.ROOT / "examples/kubernetes/deployment.yaml").read_text()
        told = subprocess.run([harness.SERVER, "--help"], capture_output=True, text=True, check=True).stdout
        asked = set(re.findall(r"^ *- (--[a-z-]+)=", text, re.MULTILINE))
        self.assertLessEqual({"--kafka", "--topic", "--group", "--tables"}, asked)
        self.assertEqual({option for option in asked if f"{option} <" not in told}, set())

    def test_options_that_cannot_be_used_end_the_start_with_a_line(self) -> None:
        (config := harness.folder() / "properties").write_text("acks=1\n")
        config.chmod(0o600)
        kafka = ("--kafka", "127.0.0.1:9")
        for options, said in [
            (("--kafka", "127.0.0.1"), "--kafka 127.0.0.1: allowed is HOST:PORT"),
            ((*kafka, "--topic", "a b"), "--topic a b: allowed are up to 200 letters"),
            ((*kafka, "--group", ""), "--group : allowed are up to 200 letters"),
            ((*kafka, "--tables", "http://meters"), "--tables: http://meters: allowed is s3://BUCKET/PREFIX"),
            ((*kafka, "--no-tables"), "--kafka: frames of a topic go to tables"),
            ((*kafka, "--kafka-config", str(config)), "acks: the server sets it"),
            (("--produce",), "--kafka <BROKERS>"),
        ]:
            command = [harness.SERVER, "--data", harness.folder() / "data", "--keys", self.place.fleet.server,
                       "--listen", "127.0.0.1:0", *options]
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
            self.assertNotEqual(done.returncode, 0, options)
            self.assertIn(said, done.stderr, options)


class WithoutBrokers(unittest.TestCase):
    """Brokers that are away at the start, and go away."""

    def test_brokers_away_at_the_start_and_in_the_midst(self) -> None:
        place = Place(2, 1)
        self.addCleanup(place.close)
        place.cluster.create("frames", PARTITIONS)
        (node,) = place.cluster.nodes
        node.kill()
        short = ("--broker-seconds", "2")
        consumer = place.consumer("frames", *short, status=503)
        producer = place.producer("frames", *short, status=503)
        frames = list(place.frames(2, 2).items())
        with consumer, producer:
            harness.wait_for(lambda: "kafka" in consumer.readiness()["reasons"], consumer.log.read_text)
            refused = producer.send(frames[0][1])
            self.assertEqual((refused.status, refused.json()["field"]), (503, "kafka"))
            place.cluster.start_one(node)
            for at, (_, frame) in enumerate(frames):
                harness.wait_for(lambda sent=frame: producer.send(sent).status == 200, producer.log.read_text)
                if at == 1:
                    node.kill()
                    for server in (consumer, producer):
                        harness.wait_for(lambda lost=server: "kafka" in lost.readiness()["reasons"], server.log.read_text)
                    place.cluster.start_one(node)
            place.wait_stored("frames", {name for name, _ in frames})
            harness.wait_for(lambda: not consumer.readiness()["reasons"], consumer.log.read_text)


def murmur2(data: bytes) -> int:
    """The hash by which a key has its partition, without its sign."""
    mask, factor = 0xFFFFFFFF, 0x5BD1E995
    value = (0x9747B28C ^ len(data)) & mask
    for at in range(0, len(data), 4):
        word = int.from_bytes(data[at:at + 4], "little") * factor & mask
        word = (word ^ word >> 24) * factor & mask
        value = value * factor & mask ^ word
    value = (value ^ value >> 13) * factor & mask
    return (value ^ value >> 15) & 0x7FFFFFFF


if __name__ == "__main__":
    unittest.main()
