"""Models of scikit-learn, scored under encryption."""
from support import InFolder

# isort: split
import isopod
import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier


class Models(InFolder):
    """Every kind that is taken, and those that are not."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        keys = isopod.keygen(cls.folder / "keys", set="ckks-2048x2-air", passphrase=None)
        cls.owner, cls.server = isopod.Owner(keys.owner), isopod.Server(keys.server)
        cls.device = isopod.Device(keys.device(1))

    def scores(self, model, table, **options):
        return self.owner.decrypt(self.server.score(model, self.device.encrypt(table, model=model, **options)))

    def test_logistic_pipeline_on_a_pandas_table(self):
        data = load_breast_cancer(as_frame=True)
        fitted = make_pipeline(StandardScaler(), LogisticRegression()).fit(data.data, data.target)
        model = isopod.from_sklearn(fitted)
        self.assertEqual((model.kind, model.features), ("logistic", tuple(data.data.columns)))
        rows = data.data.iloc[:60, ::-1]  # the order of columns is the model's, whatever the table's
        result = self.scores(model, rows)
        wanted = fitted.predict_proba(data.data.iloc[:60])[:, 1]
        scores = fitted.decision_function(data.data.iloc[:60])
        self.assertLessEqual(np.abs(result.values[:, 0] - scores).max(), result.error)
        self.assertLess(np.abs(result.probabilities[:, 0] - wanted).max(), 0.02)

    def test_linear_regression(self):
        data = load_diabetes()
        fitted = make_pipeline(StandardScaler(), Ridge()).fit(data.data, data.target)
        model = isopod.from_sklearn(fitted, features=data.feature_names)
        result = self.scores(model, data.data[:40])
        self.assertLessEqual(np.abs(result.values[:, 0] - fitted.predict(data.data[:40])).max(), result.error)
        plain = isopod.from_sklearn(LinearRegression().fit(data.data, data.target))
        self.assertEqual((plain.features[:2], plain.mean), (("x0", "x1"), ()))

    def test_refusals(self):
        iris = load_iris()
        cases = [
            (LogisticRegression().fit(iris.data, iris.target), "3 outputs; allowed is one"),
            (RandomForestClassifier(2).fit(iris.data, iris.target), "RandomForestClassifier; allowed"),
            (LogisticRegression(), "LogisticRegression; allowed are fitted"),
            (Perceptron().fit(iris.data, iris.target == 1), "Perceptron gives no probability"),
            (make_pipeline(MinMaxScaler(), Ridge()).fit(iris.data, iris.target), "Pipeline of MinMaxScaler, Ridge"),
        ]
        for fitted, message in cases:
            with self.subTest(message=message), self.assertRaisesRegex(isopod.InputError, message):
                isopod.from_sklearn(fitted)
        model = isopod.from_sklearn(Ridge().fit(iris.data, iris.target), features=iris.feature_names)
        with self.assertRaisesRegex(isopod.InputError, "values: 3 columns; allowed are 4"):
            self.device.encrypt(iris.data[:, :3], model=model)
        with self.assertRaisesRegex(isopod.InputError, "columns: sepal length .cm. is missing"):
            self.device.encrypt(iris.data, columns=["a", "b", "c", "d"], model=model)

    def test_trees_are_the_same_on_whole_numbers(self):
        rows = np.random.default_rng(3).integers(0, 200, (300, 4))
        fitted = DecisionTreeClassifier(max_depth=5).fit(rows, (rows[:, 0] + rows[:, 2] > 180) + (rows[:, 1] > 150))
        tree = isopod.from_sklearn(fitted)

        def leaf(node, row):
            while "leaf" not in node:
                branch = node["branch"]
                node = branch["then" if row[branch["feature"]] > branch["above"] else "otherwise"]
            return node["leaf"]

        others = np.random.default_rng(4).integers(0, 200, (500, 4))
        found = [tree.classes[leaf(tree.root, row)] for row in others]
        self.assertEqual(found, fitted.predict(others).tolist())
