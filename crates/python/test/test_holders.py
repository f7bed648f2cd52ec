"""Tests several owners in Python: a key made by three, an answer that two of them open, and every refusal by a holder's name."""
import itertools
import os
import pickle
import shutil
import unittest
from unittest import mock

from support import PASSPHRASE, InFolder

# isort: split
import isopod
import numpy as np

NAMES = ("alice", "bob", "carol")


class Holders(InFolder):
    """Three holders, of whom two open the sum of two devices."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.enterClassContext(mock.patch.dict(os.environ, XDG_STATE_HOME=str(cls.folder / "state")))
        folder = cls.folder
        alice = isopod.Holder.begin(folder / "alice", holders=NAMES, threshold=2, passphrase=None, queries=3)
        invitation = folder / "alice/invitation"
        others = {name: isopod.Holder.join(folder / name, invitation=invitation, name=name, passphrase=None)
                  for name in NAMES[1:]}
        cls.holders = {"alice": alice, **others}
        cls.waiting = {name: holder.finish([]) for name, holder in cls.holders.items()}
        announced = [folder / name / f"announcement-{name}" for name in NAMES]
        cls.opening = {name: holder.finish(announced) for name, holder in cls.holders.items()}
        cls.received = [*announced, *(step.send.read_bytes() for step in cls.opening.values())]
        cls.made = {name: holder.finish(cls.received) for name, holder in cls.holders.items()}
        cls.fleet = alice.devices(folder / "fleet", [1, 2])
        cls.answer = isopod.Server(cls.fleet / "server").sum([cls.frame(1, [1, -7]), cls.frame(2, [2, -7])])

    @classmethod
    def frame(cls, device, row):
        """The frame of a row of integers."""
        return isopod.Device(cls.fleet / f"device-{device}").encrypt(np.array([row], dtype=np.int32), bound_bits=10)[0]

    def test_1_a_ceremony_says_what_it_waits_for(self):
        self.assertEqual((self.waiting["bob"].waiting_for, self.waiting["bob"].missing), ("announcements", ("alice", "carol")))
        self.assertEqual((self.opening["bob"].waiting_for, self.opening["bob"].missing), ("openings", ("alice", "carol")))
        self.assertEqual(self.opening["bob"].send, self.folder / "bob/opening-bob")
        self.assertEqual(len({(step.key, step.fingerprint) for step in self.made.values()}), 1)
        self.assertRegex(self.made["carol"].fingerprint, r"^([0-9a-f]{4} ){4}[0-9a-f]{4}$")

    def test_2_two_open_what_one_does_not(self):
        answering = ["alice", "carol"]
        contributions = []
        for name in answering:
            with self.holders[name].review(self.answer) as ask:
                self.assertEqual((ask.job, ask.results, ask.frames, ask.devices, ask.error), ("sum", 1, 2, (1, 2), 0))
                self.assertEqual((ask.used, ask.queries), (0, 3))
                contributions.append(ask.contribute(answering))
                self.assertEqual(ask.used, 1)
        with self.holders["carol"].review(self.answer) as ask:
            self.assertEqual(ask.combine(contributions).values.tolist(), [[3, -14]])
            with self.assertRaisesRegex(isopod.InputError, "1 answer; allowed are exactly 2"):
                ask.combine(contributions[:1])
            with self.assertRaisesRegex(isopod.InputError, "alice occurs twice"):
                ask.combine([contributions[0], contributions[0]])
        with self.assertRaisesRegex(isopod.InputError, "closed"):
            ask.combine(contributions)

    def test_3_who_spoils_is_named(self):
        other = isopod.Holder.begin(self.folder / "other", holders=NAMES, threshold=2, passphrase=PASSPHRASE)
        with self.assertRaisesRegex(isopod.KeysError, "passphrase"):
            isopod.Holder(self.folder / "other", passphrase="another one").finish([])
        with self.assertRaises(isopod.HolderError) as raised:
            other.finish([self.folder / "bob/announcement-bob"])
        self.assertEqual(raised.exception.holder, "bob")
        self.assertIn("another ceremony", str(raised.exception))
        again = pickle.loads(pickle.dumps(raised.exception))
        self.assertEqual((again.holder, str(again)), ("bob", str(raised.exception)))
        with self.holders["bob"].review(self.answer) as ask:
            contribution = ask.contribute(["alice", "bob"])
        answer = isopod.Server(self.fleet / "server").sum([self.frame(1, [5])])
        with self.holders["alice"].review(answer) as ask:
            with self.assertRaises(isopod.HolderError) as raised:
                ask.combine([contribution])
            self.assertEqual(raised.exception.holder, "bob")

    def test_4_the_count_ends_and_is_not_set_back(self):
        folder = self.folder / "bob"
        file = folder / "holder.key"
        before = file.read_bytes()
        with self.holders["bob"].review(self.answer) as ask:
            for _ in range(ask.queries - ask.used):
                ask.contribute(["bob", "carol"])
            with self.assertRaisesRegex(isopod.KeysError, "used up"):
                ask.contribute(["bob", "carol"])
        file.write_bytes(before)
        with self.holders["bob"].review(self.answer) as ask, self.assertRaisesRegex(isopod.KeysError, "old copy"):
            ask.contribute(["bob", "carol"])

    def test_5_arguments_that_no_ceremony_has(self):
        refused = {
            "threshold": {"threshold": 4}, "holders": {"holders": ["alice"]}, "set": {"set": "bfv-2048x2-air"},
            "statistical_bits": {"statistical_bits": 7},
        }
        for field, given in refused.items():
            with self.subTest(field), self.assertRaisesRegex(isopod.InputError, field):
                isopod.Holder.begin(self.folder / "none", **{"holders": NAMES, "threshold": 2, "passphrase": None} | given)
        with self.assertRaisesRegex(isopod.InputError, "invited are alice, bob, carol"):
            isopod.Holder.join(self.folder / "none", invitation=self.folder / "alice/invitation", name="eve", passphrase=None)
        with self.assertRaises(TypeError):
            pickle.dumps(self.holders["bob"])
        self.assertFalse((self.folder / "none").exists())

    def test_7_what_two_answer_is_proved(self):
        answering = ["alice", "carol"]
        for name in answering:
            given = self.holders[name].tag_keys(self.folder / f"tags-{name}", [1, 2], answering, verifier="carol")
            self.assertEqual((given.group, given.period), (0, 0))
        for device, name in itertools.product((1, 2), answering):
            for file in (self.folder / f"tags-{name}/device-{device}").iterdir():
                shutil.copy(file, self.fleet / f"device-{device}")
        answer = isopod.Server(self.fleet / "server").sum([self.frame(1, [5, 6]), self.frame(2, [7, -8])])
        contributions = []
        for name in answering:
            with self.holders[name].review(answer) as ask:
                contributions.append(ask.contribute(answering))
        with self.holders["carol"].review(answer) as ask:
            results = ask.combine(contributions)
        self.assertEqual(results.values.tolist(), [[12, -2]])
        self.assertEqual((results.verified.frames, results.verified.devices, results.verified.bits), (2, 2, 49))
        with self.holders["alice"].review(answer) as ask:
            self.assertIsNone(ask.combine(contributions).verified)
        (self.fleet / "device-1/linear-2.key").unlink()
        with self.assertRaisesRegex(isopod.KeysError, "linear-2.key: missing"):
            self.frame(1, [5, 6])
        with self.assertRaisesRegex(isopod.InputError, "bob does not answer; allowed are alice, carol"):
            self.holders["alice"].tag_keys(self.folder / "none", [1], answering, verifier="bob")

    def test_6_holders_change_under_one_key(self):
        folder = self.folder / "changes"
        folder.mkdir()
        names = {"ann": isopod.Holder.begin(folder / "ann", holders=["ann", "bea", "cy"], threshold=2, passphrase=None)}
        invitation = folder / "ann/invitation"
        for name in ("bea", "cy"):
            names[name] = isopod.Holder.join(folder / name, invitation=invitation, name=name, passphrase=None)
        announced = [folder / name / f"announcement-{name}" for name in names]
        sent = [holder.finish(announced).send for holder in names.values()]
        for holder in names.values():
            holder.finish([*announced, *sent])
        new = isopod.Holder.join(folder / "new", invitation=invitation, name="cy", passphrase=None)
        newcomer, helpers = folder / "new/announcement-cy", ["ann", "bea"]
        asked = names["ann"].replace(newcomer, helpers)
        self.assertEqual((asked.step, asked.send), ("asked", None))
        self.assertRegex(asked.fingerprint, r"^([0-9a-f]{4} ){4}[0-9a-f]{4}$")
        piece = names["ann"].replace(newcomer, helpers, agree=True)
        self.assertEqual((piece.step, names["bea"].replace(newcomer, helpers, agree=True).missing), ("given", ("ann",)))
        other = names["bea"].replace(newcomer, helpers, [folder / "ann/masks-cy-ann"], agree=True)
        with self.assertRaises(isopod.HolderError) as raised:
            new.take_over(folder / "ann/public.key", [piece.send, folder / "bea/masks-cy-bea"])
        self.assertEqual(raised.exception.holder, "bea")
        self.assertEqual(new.take_over(folder / "ann/public.key", [piece.send, other.send]), 0)
        holders = [names["ann"], names["bea"], new]
        dealt = [holder.refresh().send for holder in holders]
        steps = [holder.refresh(dealt) for holder in holders]
        self.assertEqual(len({step.fingerprint for step in steps}), 1)
        everything = [*dealt, *(step.send for step in steps)]
        self.assertEqual(holders[0].refresh(everything).step, "confirmed")
        self.assertEqual({holder.refresh(everything, agree=True).step for holder in holders}, {"refreshed"})
        with self.assertRaisesRegex(isopod.HolderError, "generation 0; allowed is 1"):
            new.refresh([dealt[0]])
        notice = new.end()
        self.assertEqual(names["ann"].note_ended([notice]), ("ann", "bea"))
        with self.assertRaisesRegex(isopod.Error, "the share was wiped"):
            new.refresh()


if __name__ == "__main__":
    unittest.main()
