"""Asks isopod.DataFrame what pandas is asked, under encryption, and compares every cell."""
import warnings

from support import PASSPHRASE, InFolder

# isort: split
import isopod
import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression, LogisticRegression, PoissonRegressor, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

IRIS = load_iris(as_frame=True)
NAMES = list(IRIS.data.columns)
ROUNDING = 1e-12


def table():
    """Flowers with categories, dates, texts, whole numbers, truths, and an index of days."""
    day = pd.date_range("2026-01-01", periods=150, name="day")
    mixed = IRIS.data.set_axis(day, axis=0).assign(
        species=pd.Categorical(IRIS.target_names[IRIS.target]), seen=pd.Timestamp("2026-02-03"), note="text",
        petals=np.arange(150) % 7, rare=np.arange(150) % 11 == 0,
    )
    return mixed.rename(columns={NAMES[0]: 0})


class Tables(InFolder):
    """Every answer has the shape of pandas' own, and every cell is within its error."""

    def ask(self, data, **options):
        return isopod.DataFrame(data, **{"keys": self.folder / "keys", "passphrase": None} | options)

    def same(self, found, clear):
        kind = pd.testing.assert_index_equal
        kind(found.index, clear.index, check_categorical=False)
        kind(found.errors.index, clear.index, check_categorical=False)
        if clear.ndim == 2:
            kind(found.columns, clear.columns)
            self.assertEqual(found.errors.shape, clear.shape)
        value, error, wanted = (np.asarray(one, dtype=np.float64) for one in (found, found.errors, clear))
        self.assertTrue(np.array_equal(np.isnan(value), np.isnan(wanted)))
        self.assertFalse((np.abs(value - wanted) > error + ROUNDING * (np.abs(wanted) + error)).any())

    def test_questions_of_pandas(self):
        data = table()
        private = self.ask(data)
        self.assertEqual(private.left_out, ("species", "seen", "note"))
        numbers = data[[0, *NAMES[1:], "petals", "rare"]]
        for question in ("mean", "sum", "count", "std", "var", "min", "max"):
            with self.subTest(question=question):
                found, clear = getattr(private, question)(), getattr(numbers.astype(float), question)()
                self.same(found, clear)
        self.assertEqual(private.count().dtype, numbers.count().dtype)
        self.same(private.quantile(0.3), numbers.astype(float).quantile(0.3))
        self.assertEqual(private.quantile(0.3).name, 0.3)
        self.same(private.quantile([0.1, 0.9]), numbers.astype(float).quantile([0.1, 0.9]))
        self.same(private.describe(), numbers.astype(float).describe())
        self.same(private.cov(), numbers.astype(float).cov())
        self.same(private.corr(), numbers.astype(float).corr())
        self.assertLess(private.mean().errors.max(), 1e-4)

    def test_groups_of_pandas(self):
        data = table()
        every = ("mean", "sum", "count", "std", "var", "min", "max", "quantile", "describe")
        for by, questions in (("species", every), ("petals", ("mean", "describe")), ("rare", ("count", "std"))):
            private = self.ask(data).groupby(by)
            numbers = data[[name for name in (0, *NAMES[1:]) if name != by] + [by]].groupby(by, observed=True)
            chosen = private[[0, *NAMES[1:]]]
            for question in questions:
                with self.subTest(by=by, question=question):
                    self.same(getattr(chosen, question)(), getattr(numbers, question)())
        with self.assertRaisesRegex(isopod.InputError, "group_by: species; allowed for cov is a table without groups"):
            self.ask(data, group_by="species").cov()

    def test_missing_values(self):
        data = IRIS.data.copy()
        data.iloc[::5, 1], data["empty"] = np.nan, np.nan
        with self.assertRaisesRegex(isopod.InputError, 'sepal width.* has missing readings .NaN.; allowed are .*missing="count"'):
            self.ask(data)
        private = self.ask(data, missing="count")
        for question in ("mean", "sum", "count", "std", "describe", "cov"):
            with self.subTest(question=question):
                self.same(getattr(private, question)(), getattr(data, question)())
        with self.assertRaisesRegex(isopod.InputError, "missing readings; allowed for correlation"):
            private.corr()
        nullable = pd.DataFrame({"a": pd.array([1, None, 3], dtype="Int64")})
        self.same(self.ask(nullable, missing="count").mean(), nullable.astype("float64").mean())

    def test_a_plan_tells_bytes_and_errors_before(self):
        folder = self.folder / "planned"
        data = load_breast_cancer(as_frame=True).data
        private = isopod.DataFrame(data, keys=folder, passphrase=None)
        for question in ("mean", "describe", "cov", "quantile"):
            plan = private.plan(question)
            self.assertFalse(folder.exists(), "nothing is made before a question")
            sent = private._batches(question)
            frames = sum(one.frames(len(data), 2048) for one in sent)
            self.assertEqual((plan.frames, plan.rows, plan.set), (frames, 569, "ckks-2048x2-air"))
            self.assertEqual(plan.errors.index.tolist(), list(data.columns))
            self.assertIn(f"{frames} frames of", str(plan))
        mean, planned = private.mean(), private.plan("mean")
        self.assertTrue(folder.exists())
        ratio = mean.errors / planned.errors
        self.assertTrue(((ratio > 0.5) & (ratio < 2)).all(), ratio)
        device = isopod.Device(folder / "device-1", by_secret_key=True)
        batch, = private._batches("mean")
        size = sum(map(len, device.encrypt(private._table, columns=batch.columns, bound_bits=batch.bound_bits)))
        self.assertLess(abs(planned.bytes / size - 1), 0.01)
        with self.assertRaisesRegex(isopod.InputError, "question: mode; allowed are count, sum"):
            private.plan("mode")

    def test_only_what_a_question_needs_is_encrypted(self):
        private = self.ask(IRIS.data)
        widths = {question: private._batches(question)[0].width for question in ("mean", "std", "cov", "describe")}
        self.assertEqual((widths["mean"], widths["std"], widths["cov"]), (4, 8, 14))
        self.assertLess(self.ask(IRIS.data, buckets=4).plan("max").bytes, self.ask(IRIS.data, buckets=64).plan("max").bytes)
        wide = pd.DataFrame(np.arange(280.0).reshape(4, 70))
        with self.assertRaisesRegex(isopod.InputError, "70 make 2555 .*; allowed in a frame of 2048 places are at most 62"):
            self.ask(wide).cov()
        self.same(self.ask(wide).describe(), wide.describe())
        many = pd.DataFrame({"a": np.arange(1500.0), "of": np.arange(1500)})
        with self.assertRaisesRegex(isopod.InputError, "for 1500 categories.*are fewer categories or buckets"):
            self.ask(many, group_by="of").mean()

    def test_predictions(self):
        data = table().rename(columns={0: NAMES[0]})
        features, labels = data[NAMES], data.species.astype(str)
        private = self.ask(data)
        classifier = make_pipeline(StandardScaler(), LogisticRegression()).fit(features, labels)
        found = private.predict(classifier)
        self.assertEqual(found.index.tolist(), data.index.tolist())
        same = found.to_numpy() == classifier.predict(features)
        self.assertTrue((same | found.errors.to_numpy()).all())
        self.assertLess(found.errors.sum(), 5)
        for model in (LinearRegression().fit(features, data.petals), Ridge().fit(features, data[["petals", NAMES[0]]])):
            predicted, clear = private.predict(model), model.predict(features)
            self.assertLessEqual((np.abs(np.asarray(predicted) - clear) - np.asarray(predicted.errors)).max(), 0.0)
        found, clear = private.predict(PCA(2).fit(features)), PCA(2).fit_transform(features)
        self.assertLessEqual((np.abs(found.to_numpy() - clear) - found.errors.to_numpy()).max(), 0.0)
        self.assertEqual(found.columns.tolist(), ["pca0", "pca1"])
        counted = isopod.from_sklearn(PoissonRegressor().fit(features, data.petals), link="log")
        found = private.predict(counted)
        clear = PoissonRegressor().fit(features, data.petals).predict(features)
        self.assertLessEqual((np.abs(found.to_numpy() - clear) - found.errors.to_numpy()).max(), 1e-12)
        unnamed = LinearRegression().fit(features.to_numpy(), data.petals)
        self.assertEqual(len(self.ask(features).predict(unnamed)), 150)
        self.assertEqual(private.plan("predict", classifier).frames, 1)
        tree = DecisionTreeClassifier(max_leaf_nodes=3).fit(features.round().astype(int), labels)
        for model, message in ((tree, "model: a decision tree; allowed are linear models"), (None, "model: missing"),
                               (LinearRegression().fit(features.rename(columns={NAMES[0]: "x"}), data.petals), "x is missing"),
                               (LinearRegression().fit(features.rename(columns={NAMES[0]: "note"}), data.petals), "note holds")):
            with self.subTest(message=message), self.assertRaisesRegex(isopod.InputError, message):
                private.predict(model)

    def test_models_from_a_private_table(self):
        data = IRIS.data.assign(species=IRIS.target)
        private = self.ask(data, target=NAMES[3], group_by="species")
        found = isopod.stats.fit(Ridge(), private.summary())
        clear = Ridge().fit(IRIS.data[NAMES[:3]], IRIS.data[NAMES[3]])
        self.assertLessEqual((np.abs(found.coef_ - clear.coef_) - found.coef_error_).max(), 0.0)

    def test_errors_do_not_outlive_their_answer(self):
        mean = self.ask(IRIS.data).mean()
        for derived in (mean * 2, mean[:2], mean.sort_values()):
            self.assertFalse(hasattr(derived, "errors"))
        self.assertIsInstance(mean, pd.Series)
        named = IRIS.data.rename(columns={NAMES[0]: "errors"})
        with warnings.catch_warnings(action="error"):
            self.same(self.ask(named).mean(), named.mean())
            self.same(self.ask(named).cov(), named.cov())

    def test_refusals(self):
        data = table()
        cases = [
            ({"missing": "guess"}, data, "missing: guess; allowed is one of refuse, count"),
            ({"buckets": 0}, data, "buckets: 0; allowed is 1 to 1000"),
            ({"group_by": "colour"}, data, "group_by: colour is no column; allowed is one of 0, sepal"),
            ({"target": "colour"}, data, "target: colour is no column"),
            ({"group_by": ["petals", "rare"]}, data, r"group_by: \['petals', 'rare'\] is no column; allowed is one of"),
            ({}, data[["note", "seen"]], "columns: note, seen hold no numbers"),
            ({}, data[:0], "data: 0 rows and 9 columns"),
            ({}, pd.DataFrame([[1.0, 2.0]], columns=["1", 1]), "columns: 1 occurs twice"),
            ({"group_by": "of"}, pd.DataFrame({"a": [1.0, 2.0], "of": ["x", None]}), "group_by: of has missing categories"),
        ]
        for options, given, message in cases:
            with self.subTest(message=message), self.assertRaisesRegex(isopod.InputError, message):
                self.ask(given, **options)
        with self.assertRaisesRegex(isopod.InputError, "inf is out of range"):
            self.ask(pd.DataFrame({"a": [1.0, np.inf]})).mean()
        private = self.ask(data)
        with self.assertRaisesRegex(isopod.InputError, r"'petals'; allowed is a list of columns, as in table\[\['petals'\]\]"):
            private["petals"]
        with self.assertRaisesRegex(isopod.InputError, "columns: colour is missing; allowed are 0, sepal"):
            private[["colour"]]
        with self.assertRaisesRegex(isopod.InputError, "target: note holds no numbers"):
            self.ask(data, target="note").summary()
        with self.assertRaisesRegex(isopod.InputError, "set: bfv-4096x3-sum; allowed for tables are ckks"):
            isopod.DataFrame(data, keys=self.folder / "bfv", passphrase=None, set="bfv-4096x3-sum").mean()
        self.assertFalse((self.folder / "bfv").exists())
        private.mean()
        with self.assertRaisesRegex(isopod.InputError, "set: ckks-4096x3-sum; allowed with the keys in .* is ckks-2048x2-air"):
            self.ask(data, set="ckks-4096x3-sum").mean()
        guarded = {"keys": self.folder / "guarded", "passphrase": PASSPHRASE}
        self.same(self.ask(IRIS.data, **guarded).mean(), IRIS.data.mean())
        with self.assertRaises(isopod.KeysError):
            self.ask(data, **guarded | {"passphrase": "wrong"}).mean()

    def test_other_sets_and_keys(self):
        keys = isopod.keygen(self.folder / "slots", set="ckks-4096x2-linear", passphrase=None)
        found = isopod.DataFrame(IRIS.data, keys=keys.folder, passphrase=None).mean()
        self.same(found, IRIS.data.mean())
        self.assertIn("rows=150, columns=4", repr(isopod.DataFrame(IRIS.data, keys=keys.folder, passphrase=None)))
