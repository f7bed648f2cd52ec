"""Things that a user meets beside the values: representations, pickles, names in tables, versions, and lists of jobs."""
import copy
import pickle
import tomllib

from support import PASSPHRASE, ROOT, InFolder

# isort: split
import isopod
import numpy as np
import pandas as pd
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

IRIS = load_iris(as_frame=True)


class Papercuts(InFolder):
    """One key pair for all."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.keys = isopod.keygen(cls.folder / "keys", set="ckks-2048x2-air", passphrase=PASSPHRASE)
        cls.device, cls.server = isopod.Device(cls.keys.device(1)), isopod.Server(cls.keys.server)
        cls.owner = isopod.Owner(cls.keys.owner, passphrase=PASSPHRASE)

    def test_representations_are_short(self):
        answer = self.server.mean(self.device.encrypt(np.ones(30)))
        results = self.owner.decrypt(answer)
        shown = [repr(one) for one in (self.device, self.server, self.owner, answer, results, results[0])]
        parts = ("number=1", "ckks-2048x2-air", self.owner.key, f"bytes={len(bytes(answer))}", "(1, 30)", "Result(")
        for text, part in zip(shown, parts):
            self.assertIn(part, text)
            self.assertLess(len(text), 140)
            self.assertNotIn(PASSPHRASE, text)

    def test_pickles(self):
        frames = pickle.loads(pickle.dumps(self.device)).encrypt(np.arange(5.0))
        answer = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(self.server)).mean(frames)))
        columns = isopod.Columns(("a", "b", "c", "d", "e"))
        results = self.owner.decrypt(answer)
        for again in (pickle.loads(pickle.dumps(results)), copy.deepcopy(results)):
            self.assertTrue(np.array_equal(again.values, results.values))
            self.assertEqual((again.error, again.job, repr(again)), (results.error, results.job, repr(results)))
            self.assertTrue(again.to_pandas().equals(results.to_pandas()))
        self.assertEqual(pickle.loads(pickle.dumps(columns)), columns)
        secret = isopod.keygen(self.folder / "secret", set="ckks-2048x1-air", passphrase=None, secret_key_on_device=True)
        device = isopod.Device(secret.device(1), by_secret_key=True)
        size = len(device.encrypt(np.zeros(9))[0])
        self.assertEqual(len(pickle.loads(pickle.dumps(device)).encrypt(np.zeros(9))[0]), size)
        self.assertNotIn(b"secret.key", pickle.dumps(device))
        with self.assertRaisesRegex(TypeError, "Owner: it holds the secret key, which is not pickled; allowed is"):
            pickle.dumps(self.owner)

    def test_tables_keep_names(self):
        columns = isopod.Columns.of(IRIS.data, moments="squares")
        answer = self.server.column_sum(self.device.encrypt(IRIS.data, columns=columns))
        shown = self.owner.decrypt(answer, columns=columns).to_pandas()
        names = list(IRIS.data.columns)
        self.assertEqual(shown.name.tolist(), [*names, *(f"{name} * {name}" for name in names)])
        self.assertEqual(shown.columns.tolist()[4:7], ["column", "name", "value"])
        self.assertNotIn("name", self.owner.decrypt(answer).to_pandas().columns)

    def test_tables_have_probabilities(self):
        two = LogisticRegression(max_iter=500).fit(IRIS.data[:100], IRIS.target[:100])
        three = LogisticRegression(max_iter=500).fit(IRIS.data, IRIS.target_names[IRIS.target])
        rest = OneVsRestClassifier(LogisticRegression(max_iter=500)).fit(IRIS.data, IRIS.target)
        for fitted in (two, three, rest):
            model = isopod.from_sklearn(fitted)
            rows = IRIS.data[40:60]
            results = self.owner.decrypt(self.server.score(model, self.device.encrypt(rows, model=model)))
            shown, wanted = results.to_pandas(model), fitted.predict_proba(rows)
            wanted = wanted[:, 1] if fitted is two else wanted.reshape(-1)
            self.assertLessEqual(np.abs(shown.probability - wanted).max(), 2 * results.error)
            if fitted is two:
                self.assertTrue(shown.equals(results.to_pandas()))
            else:
                self.assertEqual(shown.name.tolist()[:3], [str(name) for name in fitted.classes_])
                self.assertNotIn("probability", results.to_pandas().columns)
        model = isopod.from_sklearn(LinearRegression().fit(IRIS.data, IRIS.target))
        scores = self.owner.decrypt(self.server.score(model, self.device.encrypt(IRIS.data, model=model)))
        self.assertNotIn("probability", scores.to_pandas(model).columns)

    def test_a_column_of_texts_is_named(self):
        table = IRIS.data.assign(species="rose")
        with self.assertRaisesRegex(isopod.DtypeError, "species holds (str|object); allowed are columns of numbers. Leave"):
            self.device.encrypt(table)
        with self.assertRaisesRegex(isopod.InputError, "columns: species holds (str|object); allowed are numbers"):
            isopod.Columns(("species",)).readings(table)
        with self.assertRaisesRegex(isopod.InputError, "columns: none holds numbers"):
            isopod.Columns.of(table[["species"]])

    def test_messages_name_the_call(self):
        far, gap = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 40.0]}), pd.DataFrame({"a": [1.0, np.nan]})
        with self.assertRaisesRegex(isopod.InputError, "row 1, column b, counted from 0: 40 is out of range; "
                                                       "allowed is -16 to 16, and more with bound_bits=6$"):
            self.device.encrypt(far)
        self.assertEqual(len(self.device.encrypt(far, bound_bits=6)), 1)
        with self.assertRaisesRegex(isopod.InputError, "row 1, column a, counted from 0: NaN; allowed are numbers. "
                                                       "isopod.Columns with missing=True counts"):
            self.device.encrypt(gap)
        self.assertEqual(len(self.device.encrypt(gap, columns=isopod.Columns.of(gap, missing=True))), 1)

    def test_version_and_jobs(self):
        workspace = tomllib.loads((ROOT / "Cargo.toml").read_text())
        self.assertEqual(isopod.__version__, workspace["workspace"]["package"]["version"])
        listed = isopod.Server.evaluate.__doc__
        for name, question, *_ in isopod._isopod.jobs():
            self.assertIn(f"``{name}``: {question}", listed)
