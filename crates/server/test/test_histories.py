"""Tests a server against a model of it, in random histories: uploads of all kinds, crashes in the midst of them, restarts,
deletions, revocations and jobs. Whatever fails is made as short as it can be. ISOPOD_SERVER_HISTORIES says how many are run."""
import contextlib
import http.client
import os
import shutil
import threading
import time
import unittest

import harness
from deltalake import DeltaTable
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

HISTORIES = int(os.environ.get("ISOPOD_SERVER_HISTORIES", "8"))
STEPS = 24
DEVICES = (1, 2, 3)
FRAMES = 12
PLACES = st.tuples(st.sampled_from(DEVICES), st.integers(0, FRAMES - 1))
BODIES = st.lists(PLACES, min_size=1, max_size=6)


class History(RuleBasedStateMachine):
    """One server, and what it must have. Rules have no preconditions: those would depend on when a crash came."""

    def __init__(self) -> None:
        super().__init__()
        keys = harness.folder() / "server"
        shutil.copytree(FLEET.server, keys)
        self.server = harness.Server(keys, options=("--table-seconds", "0")).start()
        # Names that were acknowledged, those of them whose frames were not deleted, and names of bodies without an answer.
        self.known: set[harness.Name] = set()
        self.present: set[harness.Name] = set()
        self.unsure: set[harness.Name] = set()
        self.revoked: set[int] = set()

    def enter(self, names: set[harness.Name]) -> None:
        """Frames of these names are acknowledged from now on."""
        self.unsure -= names
        self.present |= names - self.known
        self.known |= names

    @rule(places=BODIES)
    def send(self, places: list) -> None:
        """A body of good frames, of which some may have come before."""
        sent = [POOL[place] for place in places]
        answer = self.server.send(*(frame for _, frame in sent))
        good = [name for name, _ in sent if name[0] not in self.revoked]
        told = answer.json()
        assert answer.status == (200 if len(good) == len(sent) else 422), told
        new = set(good) - self.known
        unsure = len(new & self.unsure)
        assert len(new) - unsure <= told["stored"] <= len(new), (told, new)
        assert told["stored"] + told["known"] == len(good), told
        self.enter(set(good))

    @rule(places=BODIES, bit=st.integers(0, 8 * 400 - 1))
    def send_with_a_flipped_bit(self, places: list, bit: int) -> None:
        """A body whose last frame is changed: what is good before it may enter, and nothing else."""
        *others, last = [POOL[place] for place in places]
        flipped = bytearray(last[1])
        flipped[bit // 8 % len(flipped)] ^= 1 << bit % 8
        answer = self.server.send(*(frame for _, frame in others), bytes(flipped))
        assert answer.status in (400, 413, 422), answer.body
        self.enter({name for name, _ in others if name[0] not in self.revoked})

    @rule(places=BODIES, percent=st.integers(0, 99))
    def send_a_part(self, places: list, percent: int) -> None:
        """A body that ends early."""
        frames = [POOL[place] for place in places]
        body = b"".join(frame for _, frame in frames)
        end = percent * len(body) // 100
        answer = self.server.send(body[:end])
        whole, at = [], 0
        for name, frame in frames:
            if at + len(frame) <= end:
                whole.append(name)
                at += len(frame)
        good = {name for name in whole if name[0] not in self.revoked}
        is_good = at == end > 0 and good == set(whole)
        assert answer.status == 200 if is_good else answer.status in (400, 422), answer.body
        self.enter(good)

    @rule(places=BODIES, milliseconds=st.integers(0, 30))
    def crash_in_the_midst_of_a_body(self, places: list, milliseconds: int) -> None:
        """kill -9 while a body is on its way: its frames may be stored."""
        sent = [POOL[place] for place in places]
        answers = []

        def send() -> None:
            with contextlib.suppress(OSError, http.client.HTTPException):
                answers.append(self.server.send(*(frame for _, frame in sent)))
        sending = threading.Thread(target=send)
        sending.start()
        time.sleep(milliseconds / 1000)
        self.server.kill()
        sending.join()
        names = {name for name, _ in sent if name[0] not in self.revoked}
        if answers and answers[0].status in (200, 422):
            self.enter(names)
        else:
            self.unsure |= names - self.known
        self.server.start()

    @rule()
    def restart(self) -> None:
        """An orderly stop."""
        status = self.server.stop()
        assert status == 0, (status, self.server.log.read_text())
        self.server.start()

    @rule(device=st.sampled_from(DEVICES))
    def delete(self, device: int) -> None:
        """The owner deletes a device's frames; their names stay known."""
        answer = self.server.ask("DELETE", f"/v1/frames?device={device}")
        gone = {name for name in self.present if name[0] == device}
        unsure = {name for name in self.unsure if name[0] == device}
        assert answer.status == 200, answer.body
        assert len(gone) <= answer.json()["deleted"] <= len(gone | unsure), (answer.json(), gone)
        self.present -= gone
        self.settle(unsure, are_deleted=True)

    def settle(self, names: set[harness.Name], are_deleted: bool = False) -> None:
        """Sends frames without an answer once more: one that is known was stored before, and deleted since if all were."""
        for name in sorted(name for name in names if name[0] not in self.revoked):
            told = self.server.send(FRAME_OF[name]).json()
            if are_deleted and not told["stored"]:
                self.known.add(name)
            self.enter({name})
        self.unsure -= names

    @rule(device=st.sampled_from(DEVICES[1:]))
    def revoke(self, device: int) -> None:
        """From now on nothing of the device enters, and nothing of it is in an answer."""
        if device not in self.revoked:
            self.settle({name for name in self.unsure if name[0] == device})
            harness.isopod("device", "revoke", device, "--keys", self.server.keys)
            self.revoked.add(device)

    @rule()
    def ask(self) -> None:
        """A sum holds the frames that are here, each once."""
        self.settle(set(self.unsure))
        wanted = [name for name in self.present if name[0] not in self.revoked]
        if not wanted:
            return
        state, results = self.server.run_job(job="sum", again=True)
        assert (state["state"], state["frames"]) == ("done", len(wanted)), (state, wanted)
        (value, *_) = FLEET.decrypt(results)
        assert abs(value - sum(VALUE[name] for name in wanted)) < 0.2, (value, wanted)

    @invariant()
    def counts_are_those_of_the_model(self) -> None:
        """Never an error of the server's own, and the numbers of operators are right."""
        answer = self.server.ask("GET", "/v1/totals")
        assert answer.status == 200, answer.body
        stored = answer.json()["log_frames"]
        assert len(self.present) <= stored <= len(self.present | self.unsure), (stored, self.present)
        assert not self.server.readiness()["reasons"]

    def teardown(self) -> None:
        """The table ends with the same frames."""
        self.settle(set(self.unsure))
        unread = {name for name in self.unsure if name[0] in self.revoked}
        self.server.wait_compacted()
        rows = DeltaTable(self.server.table()).to_pyarrow_table(columns=["device", "epoch", "sequence"]).to_pydict()
        names = list(zip(*rows.values()))
        self.server.kill()
        assert len(names) == len(set(names)), "a frame is in the table twice"
        assert set(names) - unread == self.present - unread, (names, self.present)


class Histories(unittest.TestCase):
    """All of them."""

    def test_the_server_does_what_the_model_says(self) -> None:
        global FLEET, POOL, FRAME_OF, VALUE  # noqa: PLW0603 - hypothesis makes the machines
        FLEET = harness.Fleet(len(DEVICES), "ckks-2048x2-air")
        frames = {device: list(FLEET.frames(FRAMES, device, float(device)).items()) for device in DEVICES}
        POOL = {(device, at): frame for device in DEVICES for at, frame in enumerate(frames[device])}
        FRAME_OF = dict(POOL.values())
        VALUE = {name: name[0] for name in FRAME_OF}
        History.TestCase.settings = settings(max_examples=HISTORIES, stateful_step_count=STEPS, deadline=None, database=None,
                                             phases=[Phase.generate], report_multiple_bugs=False,
                                             suppress_health_check=list(HealthCheck))
        outcome = unittest.TestResult()
        History.TestCase("runTest").run(outcome)
        self.assertTrue(outcome.wasSuccessful(), "\n".join(text for _, text in outcome.errors + outcome.failures))


if __name__ == "__main__":
    unittest.main()
