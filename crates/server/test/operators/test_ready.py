"""Tests that readiness and metrics tell the truth, and that the server ends where only a new start heals."""
import re
import resource
import shutil
import socket
import subprocess
import threading
import time
import unittest
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import harness
from test_mqtt import BROKER, Broker, free_port

PROMTOOL = shutil.which("promtool")
FAILED_FLUSH = 74


class Readiness(unittest.TestCase):
    """The answer at /readyz, and the metrics that alerts rely on."""

    def test_a_server_without_trouble_is_ready_and_says_nothing(self) -> None:
        fleet = harness.Fleet()
        with harness.Server(fleet.server) as server:
            answer = server.ask("GET", "/readyz")
            self.assertEqual(answer.json(), {"ready": True, "reasons": [], "warnings": []})
            self.assertEqual(server.metrics()["isopod_ready"], 1)

    def test_a_full_disk_is_told_until_there_is_room(self) -> None:
        fleet = harness.Fleet()
        frames = iter(fleet.frames(40).values())
        server = harness.Server(fleet.server, options=("--no-tables",), limit=60_000)
        with server:
            while server.send(frame := next(frames)).status == 200:
                pass
            answer = server.ask("GET", "/readyz")
            self.assertEqual((answer.status, server.readiness()["reasons"]), (503, {"storage"}))
            self.assertIn("full", answer.json()["reasons"][0]["detail"])
            self.assertNotIn(str(server.data), answer.body.decode())
            self.assertEqual(server.metrics()["isopod_ready"], 0)
            # Nobody sends while the server is not ready: it finds the room itself.
            resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            harness.wait_for(server.is_ready, lambda: "the room is not found", 10)
            self.assertEqual(server.send(frame).status, 200)
            self.assertFalse(list(server.data.glob("room*")))

    def test_little_room_is_told_before_the_disk_is_full(self) -> None:
        fleet = harness.Fleet()
        with harness.Server(fleet.server, options=("--least-room-mb", "1048576"), status=503) as server:
            harness.wait_for(lambda: server.readiness()["reasons"] == {"storage"}, server.log.read_text)
            detail = server.ask("GET", "/readyz").json()["reasons"][0]["detail"]
            self.assertRegex(detail, r"has \d+ MB of room; wanted are 1048576")
            self.assertEqual(server.send(*fleet.frames(1).values()).status, 200)

    @unittest.skipUnless(BROKER, "mosquitto not found; ./bootstrap.sh installs it")
    def test_a_lost_broker_is_told_and_a_found_one_too(self) -> None:
        fleet = harness.Fleet()
        broker = Broker()
        self.addCleanup(broker.kill)
        with harness.Server(fleet.server, options=(*broker.options(), "--broker-seconds", "1")) as server:
            harness.wait_for(lambda: server.metrics()["isopod_broker_up"] == 1, server.log.read_text)
            broker.kill()
            harness.wait_for(lambda: server.readiness()["reasons"] == {"broker"}, server.log.read_text, 20)
            self.assertEqual(server.metrics()["isopod_broker_up"], 0)
            broker.start()
            harness.wait_for(server.is_ready, server.log.read_text, 20)
            metrics = server.metrics()
            self.assertEqual((metrics["isopod_broker_up"], metrics["isopod_broker_reconnects_total"]), (1, 1))

    def test_a_broker_that_never_was_is_told(self) -> None:
        fleet = harness.Fleet()
        options = ("--mqtt", f"127.0.0.1:{free_port()}", "--broker-seconds", "1")
        with harness.Server(fleet.server, options=options, status=503) as server:
            harness.wait_for(lambda: server.readiness()["reasons"] == {"broker"}, server.log.read_text, 20)


class Metrics(unittest.TestCase):
    """The page of metrics."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.fleet = harness.Fleet(2, "ckks-2048x2-air")
        cls.server = harness.Server(cls.fleet.server).start()
        cls.addClassCleanup(cls.server.kill)
        cls.server.send(*cls.fleet.frames(10).values())

    @unittest.skipUnless(PROMTOOL, "promtool not found; ./bootstrap.sh installs it")
    def test_the_page_is_as_prometheus_wants_it(self) -> None:
        answer = self.server.ask("GET", "/metrics")
        self.assertEqual(answer.headers["content-type"], "text/plain; version=0.0.4; charset=utf-8")
        checked = subprocess.run([PROMTOOL, "check", "metrics"], input=answer.body, capture_output=True, check=False)
        self.assertEqual((checked.returncode, checked.stdout, checked.stderr), (0, b"", b""))

    def test_requests_are_counted_by_route_and_class_and_no_path_makes_a_route(self) -> None:
        for path in ("/v1/jobs/17", "/v1/jobs/18", "/elsewhere", "/else%22where"):
            self.server.ask("GET", path)
        found = self.server.metrics()
        counts = {name: value for name, value in found.items() if name.startswith("isopod_request_duration_seconds_count")}
        self.assertEqual(counts['isopod_request_duration_seconds_count{route="/v1/jobs/{id}",status="4xx"}'], 2)
        self.assertEqual(counts['isopod_request_duration_seconds_count{route="other",status="4xx"}'], 2)
        self.assertGreaterEqual(counts['isopod_request_duration_seconds_count{route="/v1/frames",status="2xx"}'], 1)
        self.assertNotIn("17", "".join(counts))

    def test_flushes_are_timed(self) -> None:
        before = self.server.metrics()["isopod_flush_duration_seconds_count"]
        self.server.send(*self.fleet.frames(1, device=2).values())
        found = self.server.metrics()
        self.assertEqual(found["isopod_flush_duration_seconds_count"], before + 1)
        self.assertEqual(found['isopod_flush_duration_seconds_bucket{le="+Inf"}'], before + 1)
        self.assertGreater(found["isopod_flush_duration_seconds_sum"], 0)

    def test_the_process_is_measured(self) -> None:
        found = self.server.metrics()
        pid = self.server.process.pid
        resident = int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1]) * 1024
        self.assertLess(abs(found["process_resident_memory_bytes"] - resident), 0.2 * resident)
        self.assertGreater(found["process_cpu_seconds_total"], 0)
        self.assertLess(abs(found["process_open_fds"] - len(list(Path(f"/proc/{pid}/fd").iterdir()))), 5)
        begun = time.time() - found["process_start_time_seconds"]
        self.assertTrue(0 <= begun < 120, begun)
        self.assertTrue(any(name.startswith('isopod_build_info{version="') for name in found))

    def test_room_is_that_of_the_disk(self) -> None:
        found, usage = self.server.metrics(), shutil.disk_usage(self.server.data)
        self.assertEqual(found["isopod_disk_size_bytes"], usage.total)
        self.assertLess(abs(found["isopod_disk_free_bytes"] - usage.free), 1 << 30)


class Endings(unittest.TestCase):
    """Faults after which only a new start can tell what is stored."""

    def test_a_stop_waits_for_an_upload_that_is_on_its_way(self) -> None:
        fleet = harness.Fleet()
        frame = next(iter(fleet.frames(1).values()))
        with harness.Server(fleet.server) as server, socket.create_connection(server.address, timeout=20) as upload:
            upload.sendall(b"POST /v1/frames HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(frame))
            upload.sendall(frame[:100])
            harness.wait_for(lambda: server.metrics()["isopod_uploads"] == 1, server.log.read_text)
            ended = threading.Thread(target=server.stop)
            ended.start()
            harness.wait_for(lambda: '"stopping"' in server.log.read_text(), server.log.read_text)
            upload.sendall(frame[100:])
            self.assertIn(b" 200 ", upload.recv(1000))
            ended.join(30)
            self.assertEqual(server.process.returncode, 0)

    def test_after_a_failed_flush_the_server_answers_ends_and_has_lost_nothing(self) -> None:
        failing = harness.folder() / "failing"
        fleet = harness.Fleet(8)
        first = fleet.frames(4)
        others = [fleet.frames(4, device=number) for number in range(2, 9)]
        environment = {"LD_PRELOAD": harness.preloaded(harness.FAILING_FLUSH), "FAIL_WHILE": str(failing)}
        server = harness.Server(fleet.server, environment=environment)
        with server:
            self.assertEqual(server.send(*first.values()).status, 200)
            # Each request that was on its way is answered, and none of them with a receipt.
            self.assertLessEqual(self.send_while(failing.touch, server, others), {500, 503})
            self.assertEqual(server.process.wait(timeout=30), FAILED_FLUSH)
            errors = [line for line in server.log.read_text().splitlines() if '"ERROR"' in line and "only a new start" in line]
            self.assertEqual(len(errors), 1, server.log.read_text())
        # Frames that were written and not flushed do not count as stored.
        self.assertEqual(dict(server.stored()), first)
        failing.unlink()
        with server:
            self.assertEqual(server.send(*first.values()).json()["known"], 4)
            for frames in others:
                self.assertEqual(server.send(*frames.values()).json()["stored"], 4)
        self.assertEqual(harness.check(first | {name: one for of in others for name, one in of.items()}, server.stored()), (0, 0))

    def send_while(self, begin: Callable[[], None], server: harness.Server, bodies: list[dict]) -> set[int]:
        """Sends bodies at the same time on connections that were there before; the statuses of the answers."""
        connections = [server.connection() for _ in bodies]
        for connection in connections:
            harness.ask(connection, "GET", "/healthz")
        begin()
        with ThreadPoolExecutor(len(bodies)) as pool:
            asked = [pool.submit(harness.ask, connection, "POST", "/v1/frames", b"".join(frames.values()))
                     for connection, frames in zip(connections, bodies, strict=True)]
            statuses = {one.result().status for one in asked}
        for connection in connections:
            connection.close()
        return statuses
