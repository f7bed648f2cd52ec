"""Tests uploads, jobs, refusals and limits over HTTP, on the running server."""
import contextlib
import json
import os
import shutil
import socket
import subprocess
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import harness

CBOR = {"Content-Type": "application/cbor-seq"}


class Uploads(unittest.TestCase):
    """Frames enter, each once."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.fleet = harness.Fleet(3)
        cls.server = harness.Server(cls.fleet.server).start()
        cls.addClassCleanup(cls.server.kill)

    def test_frames_are_stored_once_and_receipts_say_so(self) -> None:
        frames = self.fleet.frames(20)
        first = self.server.send(*frames.values(), headers=CBOR)
        again = self.server.send(*frames.values(), headers=CBOR)
        self.assertEqual((first.status, first.json()["stored"], first.json()["known"]), (200, 20, 0))
        self.assertEqual((again.status, again.json()["stored"], again.json()["known"]), (200, 0, 20))
        named = [(frame["device"], frame["epoch"], frame["sequence"]) for frame in first.json()["frames"]]
        self.assertEqual(named, list(frames))
        self.assertEqual(harness.check(frames, self.server.stored()), (0, 0))

    def test_receipts_carry_the_tag_of_their_device_whatever_the_status(self) -> None:
        wanted = {**CBOR, "Accept": "application/cbor-seq"}
        first, second = self.fleet.frames(2, device=1), self.fleet.frames(1, device=2)
        bad = bytearray(next(iter(self.fleet.frames(1, device=3).values())))
        bad[-1] ^= 1
        answers = [self.server.send(*first.values(), *second.values(), headers=wanted),
                   self.server.send(*first.values(), bytes(bad), headers=wanted)]
        self.assertEqual([answer.status for answer in answers], [200, 422])
        self.assertEqual({answer.headers["content-type"] for answer in answers}, {"application/cbor-seq"})
        told = [[self.fleet.receipt(answer.body[at:at + 60]) for at in range(0, len(answer.body), 60)] for answer in answers]
        self.assertEqual(told, [[(name, 1) for name in (*first, *second)], [(name, 2) for name in first]])

    def test_a_body_in_small_pieces_is_one_body(self) -> None:
        frames = self.fleet.frames(3, device=2)
        data = b"".join(frames.values())
        pieces = iter([data[at:at + 1000] for at in range(0, len(data), 1000)])
        answer = self.server.ask("POST", "/v1/frames", pieces)
        self.assertEqual((answer.status, answer.json()["stored"]), (200, 3))

    def test_good_frames_beside_bad_ones_are_stored_and_listed(self) -> None:
        frames = list(self.fleet.frames(3, device=3).values())
        bad = bytearray(frames[1])
        bad[-1] ^= 1
        answer = self.server.send(frames[0], bytes(bad), frames[2])
        problem = answer.json()
        self.assertEqual((answer.status, answer.headers["content-type"]), (422, "application/problem+json"))
        self.assertEqual((problem["field"], problem["stored"], len(problem["refused"])), ("tag", 2, 1))
        kept = self.server.ask("GET", "/v1/quarantine").json()
        self.assertIn(("tag", len(bad)), [(item["reason"].split(":")[0], item["bytes"]) for item in kept])

    def test_every_refusal_names_its_field(self) -> None:
        frame = next(iter(self.fleet.frames(1).values()))
        other = next(iter(harness.Fleet().frames(1).values()))
        link = (self.fleet.server / "server.key").read_bytes()
        for body, status, name in [
            (b"", 400, "body"), (b"\x00" * 40, 422, "item"), (frame[:-1], 422, "body"), (frame + b"\x01", 422, "item"),
            (other, 422, "key"), (link, 422, "kind"), (b"\x99" + b"\xff" * 100, 422, "array"),
            (frame.replace(b"\x02\x01", b"\x03\x01", 1), 422, "version"),
        ]:
            with self.subTest(name=name, begin=body[:8]):
                answer = self.server.send(body)
                self.assertEqual(answer.status, status, answer.body)
                self.assertEqual(answer.headers["content-type"], "application/problem+json")
                self.assertEqual(answer.json()["field"], name)
                self.assertTrue(answer.json()["detail"])

    def test_other_types_methods_and_paths_are_refused(self) -> None:
        for method, path, headers, status, name in [
            ("POST", "/v1/frames", {"Content-Type": "text/plain"}, 415, "content-type"), ("PUT", "/v1/frames", {}, 405, "method"),
            ("GET", "/v2", {}, 404, "path"), ("GET", "/v1/jobs/x", {}, 400, "id"), ("GET", "/v1/jobs/999", {}, 404, "id"),
            ("GET", "/v1/devices?after=x", {}, 400, "after"), ("DELETE", "/v1/frames", {}, 400, "device"),
            ("DELETE", "/v1/frames?device=1&key=00", {}, 422, "key"),
        ]:
            with self.subTest(path=path):
                answer = self.server.ask(method, path, b"x" if method == "POST" else None, headers)
                self.assertEqual((answer.status, answer.json()["field"]), (status, name), answer.body)

    def test_an_item_without_an_end_is_given_up(self) -> None:
        frame = next(iter(self.fleet.frames(1).values()))
        # The residues claim more bytes than any set has.
        at = frame.rindex(b"\x59", 0, 400)
        endless = frame[:at] + b"\x5a\x00\x03\x00\x00" + b"\x00" * 120_000
        answer = self.server.send(endless)
        self.assertIn(answer.status, (413, 422), answer.body)
        self.assertTrue(answer.json()["field"])

    def test_a_device_list_and_the_metrics_agree(self) -> None:
        self.server.send(next(iter(self.fleet.frames(1).values()))[:-1] + b"\x00")
        devices = self.server.ask("GET", "/v1/devices").json()
        totals = self.server.ask("GET", "/v1/totals").json()
        page = self.server.ask("GET", "/metrics").body.decode()
        self.assertEqual(totals["frames"], sum(device["frames"] for device in devices))
        self.assertIn(f"isopod_devices {len(devices)}\n", page)
        self.assertIn('isopod_items_refused_total{field="tag"}', page)

    def test_the_log_of_the_process_tells_no_secret(self) -> None:
        self.server.ask("GET", "/v1/totals", headers={"Authorization": "Bearer very-secret-token"})
        text = self.server.log.read_text()
        self.assertNotIn("very-secret-token", text)
        self.assertTrue(all(json.loads(line) for line in text.splitlines()))


class Jobs(unittest.TestCase):
    """Frames are uploaded once and serve many computations."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.fleet = harness.Fleet(2, "ckks-2048x2-air")
        cls.server = harness.Server(cls.fleet.server, options=("--job-memory-mb", "8")).start()
        cls.addClassCleanup(cls.server.kill)
        for device, value in ((1, 1.5), (2, -0.25)):
            cls.server.send(*cls.fleet.frames(10, device, value).values())

    def test_answers_open_at_the_owner(self) -> None:
        state, results = self.server.run_job(job="sum", devices=[[1, 1]])
        self.assertEqual((state["state"], state["frames"], state["bytes"]), ("done", 10, len(results)))
        self.assertAlmostEqual(self.fleet.decrypt(results)[0], 15, places=3)
        _, results = self.server.run_job(job="mean")
        self.assertAlmostEqual(self.fleet.decrypt(results)[0], 0.625, places=3)

    def test_a_request_is_answered_once_and_again_on_purpose(self) -> None:
        self.server.run_job(job="sum", devices=[[2, 2]])
        state, _ = self.server.run_job(job="sum", devices=[[2, 2]])
        self.assertEqual((state["state"], state["problem"]["field"]), ("failed", "again"), state)
        state, results = self.server.run_job(job="sum", devices=[[2, 2]], again=True)
        self.assertAlmostEqual(self.fleet.decrypt(results)[0], -2.5, places=3)

    def test_an_earlier_window_is_answered_after_a_later_one(self) -> None:
        fleet = harness.Fleet(1, "ckks-2048x2-air")
        with harness.Server(fleet.server) as server:
            early = fleet.frames(3, epoch=5)
            server.send(*early.values())
            time.sleep(0.01)
            between = int(1000 * time.time())
            server.send(*fleet.frames(3, epoch=6, value=2.0).values())
            later, _ = server.run_job(job="sum", since=between)
            earlier, results = server.run_job(job="sum", until=between)
            self.assertEqual((later["state"], earlier["state"]), ("done", "done"), earlier)
            self.assertAlmostEqual(fleet.decrypt(results)[0], 3, places=3)

    def test_the_owners_request_with_parameters_and_a_challenge(self) -> None:
        place = harness.folder()
        harness.isopod("request", "--job", "weighted", "--weights", ",".join(["0.5"] * 10), "--keys", self.fleet.keys / "owner",
                       "--out", place / "request.json")
        request = json.loads((place / "request.json").read_text())
        state, results = self.server.run_job(request=request, devices=[[1, 1]])
        self.assertEqual(state["state"], "done", state)
        (place / "results").write_bytes(results)
        harness.isopod("decrypt", "--keys", self.fleet.keys / "owner", "--in", place / "results", "--request",
                       place / "request.json")

    def test_jobs_that_cannot_be_done_are_refused_before_they_wait(self) -> None:
        for asked, name in [
            ({"job": "nothing"}, "job"), ({}, "job"), ({"job": "sum", "request": {}}, "job"), ({"job": "alarm"}, "job"),
            ({"job": "sum", "key": "00"}, "key"), ({"job": "sum", "devices": [[2, 1]]}, "devices"),
            ({"job": "sum", "x": 1}, "body"),
            ({"job": "sum", "since": 5, "until": 5}, "until"), ({"request": {"job": "sum"}}, "request"),
            ({"job": "total", "partial": True}, "partial"),
        ]:
            with self.subTest(asked=asked):
                problem, _ = self.server.run_job(**asked)
                self.assertEqual((problem["status"], problem["field"]), (422, name), problem)

    def test_jobs_are_described_for_the_key_pairs_that_have_them(self) -> None:
        described = self.server.ask("GET", "/v1/descriptors").json()
        names = [one["job"] for one in described]
        self.assertEqual(names, ["column-sum", "column-mean", "sum", "mean", "total"])
        (key,) = {one["key"] for one in self.server.ask("GET", "/v1/devices").json()}
        self.assertEqual({tuple(one["keys"]) for one in described}, {(key,)})
        self.assertEqual([one["options"] for one in described], [["rows"], ["rows"], [], [], []])
        # The words are those of the command line.
        usage = " ".join(harness.isopod("evaluate", "--help").split())
        for one in described:
            self.assertIn(f"{one['job']}: {one['question']}", usage)
        for parameters, wanted in (("ckks-1024x1-sum", ["sum", "mean"]), ("bfv-1024x1-count", ["sum"])):
            with harness.Server(harness.Fleet(1, parameters).server) as server:
                self.assertEqual([one["job"] for one in server.ask("GET", "/v1/descriptors").json()], wanted)

    def test_columns_are_added_up_over_the_rows_that_are_asked_for(self) -> None:
        fleet = harness.Fleet(1, "ckks-2048x2-air")
        place = harness.folder()
        (place / "values.csv").write_text("a,b\n" + "".join(f"{row},{-row / 4}\n" for row in range(10)))
        harness.isopod("encrypt", "--keys", fleet.keys / "device-1", "--values", place / "values.csv", "--out", place / "frames")
        with harness.Server(fleet.server) as server:
            server.send((place / "frames").read_bytes())
            for job, rows, wanted in (("column-sum", [], 45), ("column-sum", [1, 0], 20), ("column-sum", [0, 0, 1], 15),
                                      ("column-mean", [], 4.5), ("column-mean", [1, 0], 4)):
                with self.subTest(job=job, rows=rows):
                    last, results = server.run_job(job=job, rows=rows)
                    self.assertEqual((last["state"], last["asked"].get("rows", [])), ("done", rows))
                    for found, value in zip(fleet.decrypt(results), (wanted, -wanted / 4), strict=True):
                        self.assertAlmostEqual(found, value, delta=1e-2)

    def test_rows_that_cannot_be_selected_are_refused_by_name(self) -> None:
        many = [1] * 65_537
        for asked, name in (({"job": "column-sum", "rows": [2]}, "rows"), ({"job": "column-sum", "rows": [0, 0]}, "rows"),
                            ({"job": "column-mean", "rows": many}, "rows"), ({"job": "sum", "rows": [1]}, "rows"),
                            ({"job": "weighted"}, "job"), ({"job": "weighted", "rows": [1]}, "job"),
                            ({"request": {}, "rows": [1]}, "job"), ({"rows": [1]}, "job"),
                            ({"job": "column-sum", "rows": [256]}, "body"), ({"job": "column-sum", "rows": "1,0"}, "body")):
            with self.subTest(asked=str(asked)[:60]):
                problem, _ = self.server.run_job(**asked)
                self.assertEqual((problem["field"], problem["status"]), (name, 422), problem)

    def test_nothing_to_compute_on_is_a_refusal(self) -> None:
        state, results = self.server.run_job(job="sum", devices=[[77, 78]])
        self.assertEqual((state["state"], results), ("failed", b""))

    def test_partial_states_of_a_server_are_an_input_of_evaluate(self) -> None:
        _, one = self.server.run_job(job="mean", devices=[[1, 1]], partial=True, again=True)
        _, two = self.server.run_job(job="mean", devices=[[2, 2]], partial=True, again=True)
        place = harness.folder()
        (place / "one.state").write_bytes(one)
        (place / "two.state").write_bytes(two)
        harness.isopod("evaluate", "--keys", self.fleet.server, "--job", "mean", "--again", "--in", place / "one.state",
                       place / "two.state", "--out", place / "mean.bin")
        self.assertAlmostEqual(self.fleet.decrypt((place / "mean.bin").read_bytes())[0], 0.625, places=3)


class Ends(unittest.TestCase):
    """Starts, stops, and faults of the machine."""

    def test_a_stop_is_orderly_and_answers_stay(self) -> None:
        fleet = harness.Fleet(1, "ckks-2048x2-air")
        server = harness.Server(fleet.server)
        with server:
            server.send(*fleet.frames(5).values())
            _, results = server.run_job(job="sum")
            self.assertEqual(server.stop(), 0)
        self.assertTrue((server.data / "log/devices").exists())
        with server:
            self.assertEqual(server.ask("GET", "/v1/jobs/1/results").body, results)
            self.assertEqual(server.ask("GET", "/v1/totals").json()["frames"], 5)

    def test_a_port_or_folder_in_use_is_refused_by_name(self) -> None:
        fleet = harness.Fleet()
        with harness.Server(fleet.server) as first:
            port = first.address[1]
            for options, said in [
                (["--data", str(harness.folder()), "--listen", f"127.0.0.1:{port}"], "--listen"),
                (["--data", str(first.data), "--listen", "127.0.0.1:0"], "another server"),
                (["--data", str(harness.folder()), "--listen", "0.0.0.0:0"], "without TLS"),
                (["--data", str(harness.folder()), "--keys", "/nowhere"], "--keys /nowhere"),
            ]:
                with self.subTest(said=said):
                    command = [harness.SERVER, "--keys", fleet.server, *options]
                    done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
                    self.assertEqual(done.returncode, 1)
                    self.assertIn(said, done.stderr)

    def test_a_full_disk_refuses_and_loses_nothing(self) -> None:
        fleet = harness.Fleet()
        frames = list(fleet.frames(40).items())
        server = harness.Server(fleet.server, limit=100_000)
        acknowledged, statuses = {}, set()
        with server:
            for name, frame in frames:
                answer = server.send(frame)
                statuses.add(answer.status)
                if answer.status == 200:
                    acknowledged[name] = frame
                else:
                    self.assertEqual((answer.status, answer.json()["field"]), (507, "storage"))
        self.assertEqual(statuses, {200, 507})
        self.assertEqual(harness.check(acknowledged, server.stored()), (0, 0))
        server.limit = None
        with server:
            self.assertEqual(server.send(*dict(frames).values()).json()["known"], len(acknowledged))
        self.assertEqual(harness.check(dict(frames), server.stored()), (0, 0))

    def test_damage_refuses_the_job_and_names_the_frame(self) -> None:
        fleet = harness.Fleet(1, "ckks-2048x2-air")
        with harness.Server(fleet.server) as server:
            server.send(*fleet.frames(4).values())
            path = next((server.data / "log").glob("*.segment"))
            data = bytearray(path.read_bytes())
            data[20_000] ^= 1
            path.write_bytes(data)
            state, _ = server.run_job(job="sum")
            self.assertEqual((state["state"], state["problem"]["field"]), ("failed", "damage"))
            [damage] = server.ask("GET", "/v1/damage").json()
            self.assertEqual((damage["file"], damage["state"]), (path.name, "open"))
            self.assertTrue(damage["offset"] <= 20_000 < damage["offset"] + damage["bytes"])
            self.assertIn(f"sequence {damage['frame'][2]}", state["problem"]["detail"])

    def test_the_replay_of_a_whole_day_stores_nothing(self) -> None:
        fleet = harness.Fleet()
        day = fleet.frames(600)
        with harness.Server(fleet.server) as server:
            for at in range(0, 600, 100):
                server.send(*list(day.values())[at:at + 100])
            server.send(*fleet.frames(1, epoch=2_000_000_000).values())
        with server:
            answers = [server.send(*list(day.values())[at:at + 100]).json() for at in range(0, 600, 100)]
            self.assertEqual(({answer["stored"] for answer in answers}, {answer["known"] for answer in answers}), ({0}, {100}))
            frames = harness_old(fleet)
            old = server.send(*frames.values())
            self.assertEqual((old.status, old.json()["field"]), (422, "sequence"), old.body)
            told = server.send(*frames.values(), headers={"Accept": "application/cbor-seq"})
            self.assertEqual((told.status, fleet.receipt(told.body)), (422, (next(iter(frames)), 3)))
        self.assertEqual(len(server.stored()), 601)

    def test_a_copy_made_while_the_server_runs_is_a_back_up(self) -> None:
        fleet = harness.Fleet()
        first, later = fleet.frames(30), fleet.frames(30)
        copy = harness.folder() / "data"
        (copy / "log").mkdir(parents=True)
        server = harness.Server(fleet.server)
        with server:
            server.send(*first.values())
            server.stop()
        with server:
            written = server.ask("POST", "/v1/backup").json()["file"]
            shutil.copy(server.data / "log" / written, copy / "log/devices")
            server.send(*later.values())
            for path in sorted((server.data / "log").glob("*.segment")):
                shutil.copy(path, copy / "log")
        with harness.Server(fleet.server, data=copy) as restored:
            self.assertEqual(restored.send(*first.values(), *later.values()).json()["known"], 60)
        self.assertEqual(harness.check(first | later, restored.stored()), (0, 0))

    def test_deleted_frames_are_gone_and_stay_away(self) -> None:
        fleet = harness.Fleet(2)
        one, two = fleet.frames(5, device=1), fleet.frames(5, device=2)
        with harness.Server(fleet.server) as server:
            server.send(*one.values(), *two.values())
            self.assertEqual(server.ask("DELETE", "/v1/frames?device=1").json()["deleted"], 5)
            self.assertEqual(server.send(*one.values()).json()["known"], 5)
        self.assertEqual(dict(server.stored()), two)

    def test_frames_of_a_revoked_device_are_refused_at_once(self) -> None:
        fleet = harness.Fleet(2)
        with harness.Server(fleet.server) as server:
            self.assertEqual(server.send(*fleet.frames(1, device=2).values()).status, 200)
            harness.isopod("device", "revoke", "2", "--keys", fleet.server)
            refused = server.send(*fleet.frames(1, device=2).values())
            self.assertEqual((refused.status, refused.json()["stored"]), (422, 0))
            self.assertIn("revoked", refused.json()["detail"])
            self.assertEqual(server.send(*fleet.frames(1, device=1).values()).status, 200)


def harness_old(fleet: harness.Fleet) -> dict:
    """A frame of an earlier epoch than all that were sent, from a copy of the device's folder."""
    copy = harness.folder() / "device-1"
    shutil.copytree(fleet.keys / "device-1", copy)
    os.remove(copy / "state")
    place = harness.folder()
    (place / "values.csv").write_text("reading\n1\n")
    harness.isopod("encrypt", "--keys", copy, "--public-key", fleet.keys / "public/public.key", "--values", place / "values.csv",
                   "--out", place / "frames", "--rows-per-frame", "1", "--epoch", "7")
    return {name: b"".join(parts) for name, parts in harness.frames_of((place / "frames").read_bytes()).items()}


class Hostile(unittest.TestCase):
    """Clients that are slow, many or malicious."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.fleet = harness.Fleet()
        options = ("--patience", "1", "--connections", "64", "--memory-mb", "8")
        cls.server = harness.Server(cls.fleet.server, options=options).start()
        cls.addClassCleanup(cls.server.kill)

    def raw(self, data: bytes) -> bytes:
        """Sends bytes on a connection and returns the bytes that come back."""
        with socket.create_connection(self.server.address, timeout=20) as connection:
            connection.sendall(data)
            connection.settimeout(20)
            back = b""
            with contextlib.suppress(ConnectionError):
                while more := connection.recv(65536):
                    back += more
            return back

    def test_a_page_of_another_site_asks_in_vain(self) -> None:
        for host, status in (("localhost:1", 200), ("127.0.0.1", 200), ("[::1]:80", 200), ("attacker.example", 403), ("", 403),
                             ("localhost.example", 403)):
            self.assertEqual(self.server.ask("GET", "/v1/totals", headers={"Host": host}).status, status, host)

    def test_a_slow_head_is_cut_off(self) -> None:
        begun = time.monotonic()
        self.raw(b"POST /v1/frames HTTP/1.1\r\nHost: localhost\r\n")
        self.assertLess(time.monotonic() - begun, 10)

    def test_a_slow_body_is_refused_in_time(self) -> None:
        begun = time.monotonic()
        begin = next(iter(self.fleet.frames(1).values()))[:300]
        back = self.raw(b"POST /v1/frames HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n" + begin)
        self.assertIn(b" 408 ", back)
        self.assertLess(time.monotonic() - begun, 10)

    def test_a_body_that_breaks_off_stores_what_was_whole(self) -> None:
        frames = self.fleet.frames(2)
        data = b"".join(frames.values())
        with socket.create_connection(self.server.address, timeout=20) as connection:
            connection.sendall(b"POST /v1/frames HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(data))
            connection.sendall(data[:-10])
        time.sleep(0.5)
        self.assertEqual(self.server.send(*frames.values()).json()["known"], 1)

    def test_nonsense_and_long_heads_end_no_process(self) -> None:
        for data in (b"\x00" * 1000, b"GET " + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
                     b"POST /v1/frames HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
                     b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 5000 + b"\r\n"):
            self.raw(data)
        self.assertEqual(self.server.ask("GET", "/healthz").status, 200)

    def test_more_connections_than_allowed_are_turned_away(self) -> None:
        held = [socket.create_connection(self.server.address, timeout=10) for _ in range(100)]
        with contextlib.suppress(ConnectionResetError):
            self.assertEqual(held[-1].recv(1), b"", "the last of them is closed")
        for connection in held:
            connection.close()
        for _ in range(100):
            try:
                if self.server.ask("GET", "/healthz").status == 200:
                    break
            except OSError:
                time.sleep(0.05)
        self.assertRegex(self.server.ask("GET", "/metrics").body.decode(), r"isopod_connections_refused_total [1-9]")

    def test_many_at_once_are_served_or_told_to_come_back(self) -> None:
        with ThreadPoolExecutor(30) as pool:
            answers = list(pool.map(self.server.send, self.fleet.frames(300).values()))
        statuses = [answer.status for answer in answers]
        self.assertLessEqual(set(statuses), {200, 429, 503})
        self.assertGreater(statuses.count(200), 200)
        self.assertTrue(all("retry-after" in answer.headers for answer in answers if answer.status != 200))
