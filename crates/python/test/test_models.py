"""Scores models of scikit-learn under encryption."""
from support import InFolder

# isort: split
import isopod
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
    Perceptron,
    PoissonRegressor,
    Ridge,
    RidgeClassifier,
    SGDClassifier,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, Normalizer, StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC
from sklearn.tree import DecisionTreeClassifier


class MyRidge(Ridge):
    """A class derived from a supported one."""


class Models(InFolder):
    """Every supported kind of model, and kinds that are refused."""

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
            (SVC(kernel="linear").fit(iris.data, iris.target), "SVC with 3 classes is a vote of 3 pairs.* allowed are LinearSVC"),
            (GaussianNB().fit(iris.data, iris.target), "GaussianNB .* allowed is LinearDiscriminantAnalysis"),
            (RandomForestClassifier(2).fit(iris.data, iris.target), "allowed is LogisticRegression, or DecisionTreeClassifier"),
            (RidgeClassifier().fit(iris.data, np.eye(3, dtype=int)[iris.target]), "gives 3 labels a row; allowed is one"),
            (KMeans(2).fit(iris.data), "KMeans; allowed are fitted models"),
            (LogisticRegression(), "LogisticRegression is not fitted; allowed"),
            (SVR().fit(iris.data, iris.target), "SVR with the kernel rbf; allowed"),
            (Perceptron().fit(iris.data, iris.target == 1), 'Perceptron gives a class .* link="sign", where Model.predict'),
            (PoissonRegressor().fit(iris.data, iris.target), 'exponential of its score; allowed with link="log"'),
            (SGDClassifier(loss="modified_huber").fit(iris.data, iris.target == 1), "are not the sigmoid of its scores"),
            (MyRidge().fit(iris.data, iris.target), "MyRidge of test_models, which is not scikit-learn's own class"),
            (make_pipeline(Normalizer(), Ridge()).fit(iris.data, iris.target), "Pipeline of Normalizer; allowed are Stan"),
            (make_pipeline(MinMaxScaler(clip=True), Ridge()).fit(iris.data, iris.target), "MinMaxScaler that clips; allowed"),
            (OneVsRestClassifier(make_pipeline(StandardScaler(), LinearSVC())).fit(iris.data, iris.target), "scaler goes before"),
            (LogisticRegression().fit(np.tile(iris.data, (2, 1)), range(300)), "outputs: 300; allowed .* are 2 to 256"),
        ]
        for fitted, message in cases:
            with self.subTest(message=message), self.assertRaisesRegex(isopod.InputError, message):
                isopod.from_sklearn(fitted)
        model = isopod.from_sklearn(Ridge().fit(iris.data, iris.target), features=iris.feature_names)
        with self.assertRaisesRegex(isopod.InputError, "values: 3 columns; allowed are 4"):
            self.device.encrypt(iris.data[:, :3], model=model)
        with self.assertRaisesRegex(isopod.InputError, "columns: sepal length .cm. is missing"):
            self.device.encrypt(iris.data, columns=["a", "b", "c", "d"], model=model)

    def test_links_that_the_owner_finishes(self):
        numbers = np.random.default_rng(8)
        rows = numbers.normal(size=(80, 3))
        counts = numbers.poisson(np.exp(rows @ [0.5, -0.25, 0.125] + 0.5))
        fitted = make_pipeline(StandardScaler(), PoissonRegressor()).fit(rows, counts)
        model = isopod.from_sklearn(fitted, link="log")
        result = self.scores(model, rows)
        self.assertLessEqual(np.abs(model.predict(result) / fitted.predict(rows) - 1).max(), np.expm1(result.error))
        with self.assertRaisesRegex(isopod.InputError, "its link is log; allowed with the job logistic are logistic models"):
            self.server.evaluate("logistic", [], model=model)
        with self.assertRaisesRegex(isopod.InputError, "link: log; allowed are logistic models"):
            model.predict_proba(result)
        names = np.array(["low", "high"])[(counts > 2).astype(int)]
        fitted = LinearSVC().fit(rows, names)
        model = isopod.from_sklearn(fitted, link="sign")
        result = self.scores(model, rows)
        is_clear = np.abs(result.values[:, 0]) > result.error
        self.assertEqual(model.predict(result)[is_clear].tolist(), fitted.predict(rows)[is_clear].tolist())
        with self.assertRaisesRegex(isopod.InputError, "link: log; allowed for LinearSVC is sign"):
            isopod.from_sklearn(fitted, link="log")
        with self.assertRaisesRegex(isopod.InputError, "scores: of the job mean"):
            model.predict(self.owner.decrypt(self.server.mean(self.device.encrypt(rows[:1]))))

    def test_attributes_that_were_changed(self):
        data = load_diabetes()

        def fitted():
            return make_pipeline(StandardScaler(), Ridge()).fit(data.data, data.target)

        changed = fitted()
        changed[1].coef_ = changed[1].coef_ * 0.5
        changed[0].mean_ = changed[0].mean_ + 0.01
        changed[0].with_std = False
        model = isopod.from_sklearn(changed)
        rows = (data.data[:40] - model.mean) / model.scale
        self.assertTrue(np.allclose(rows @ model.weights + model.bias, changed.predict(data.data[:40])))
        lying = SVR(kernel="linear").fit(data.data, data.target)
        lying.intercept_ = lying.intercept_ + 40.0  # its predict does not read it
        tree = DecisionTreeClassifier(max_depth=2).fit(data.data.round(), data.target > 150)
        tree.classes_ = tree.classes_[::-1].copy()
        self.assertEqual(isopod.from_sklearn(tree).classes, (True, False))
        with self.assertRaisesRegex(isopod.InputError, "SVR predicts something else"):
            isopod.from_sklearn(lying)
        tree.tree_ = DecisionTreeClassifier(max_depth=2).fit(data.data.round(), data.target > 250).tree_
        isopod.from_sklearn(tree)  # its predict reads the tree that is there
        small = SVR(kernel="linear", epsilon=1e-12, C=1e-3).fit(data.data, data.target * 1e-9)
        small.intercept_ = small.intercept_ + 1e-9
        with self.assertRaisesRegex(isopod.InputError, "SVR predicts something else"):
            isopod.from_sklearn(small)
        for model in (Ridge().fit(data.data, data.target), tree, fitted()):
            model.predict = lambda rows: np.zeros(len(rows))
            with self.assertRaisesRegex(isopod.InputError, "its predict was replaced"):
                isopod.from_sklearn(model)
        masked = Ridge().fit(data.data, data.target)
        masked.coef_ = np.ma.array(masked.coef_, mask=[True] + 9 * [False])
        with self.assertRaisesRegex(isopod.InputError, "coef_: a masked array"):
            isopod.from_sklearn(masked)

    def test_names_of_columns(self):
        data = load_diabetes(as_frame=True)
        fitted = Ridge().fit(data.data, data.target)
        with self.assertRaisesRegex(isopod.InputError, "bmi is not where the model was fitted with it"):
            isopod.from_sklearn(fitted, features=["bmi", *(name for name in data.data if name != "bmi")])
        with self.assertRaisesRegex(isopod.InputError, "features: a name occurs twice"):
            isopod.from_sklearn(fitted, features=["a"] * 10)
        model = isopod.from_sklearn(fitted)
        row = data.data.iloc[3, ::-1]  # a row of a table: its index has the names
        result = self.scores(model, row)
        self.assertLessEqual(abs(result.values.item() - fitted.predict(data.data.iloc[[3]]).item()), result.error)
        with self.assertRaisesRegex(isopod.InputError, "columns: a name occurs twice"):
            self.device.encrypt(np.zeros((1, 11)), columns=[*model.features, "bmi"], model=model)

    def test_models_made_by_hand(self):
        cases = [
            ({"kind": "cubic"}, "kind: cubic; allowed are"),
            ({"link": "sigmoid"}, "link: sigmoid; allowed for a linear model"),
            ({"kind": "logistic", "link": "log"}, "link: log; allowed for a logistic model is one of logistic"),
            ({"weights": (1.0,)}, "weights: 1 entries; allowed are 2"),
            ({"mean": (1.0,)}, "mean: 1 entries; allowed are 2"),
            ({"classes": (1,)}, "classes: 1 of them"),
            ({"kind": "classifier"}, "outputs: 1; allowed for a classifier model are 2 to 256"),
            ({"weights": ((1.0, 2.0),) * 2}, "weights: not as the bias; allowed are numbers"),
            ({"bias": (0.0, 0.0)}, "weights: not as the bias; allowed are 2 tuples"),
            ({"weights": ((1.0, 2.0), (1.0,)), "bias": (0.0, 0.0)}, "weights: 1 entries; allowed are 2"),
            ({"weights": (), "bias": ()}, "outputs: 0; allowed for a linear model are 1 to 256"),
            ({"weights": ((1.0, 2.0),) * 2, "bias": (0.0, 0.0), "outputs": ("a", "a")}, "outputs: 2 names; allowed are 2 di"),
            ({"weights": ((1.0, 2.0),) * 2, "bias": (0.0, 0.0), "link": "sign"}, "link: sign; allowed for 2 outputs is another"),
            ({"weights": ((1.0, 2.0),) * 3, "bias": (0.0,) * 3, "classes": (1, 2)}, "classes: 2 of them; allowed are 3"),
        ]
        for fields, message in cases:
            with self.subTest(message=message), self.assertRaisesRegex(isopod.InputError, message):
                isopod.Model(**{"kind": "linear", "features": ("a", "b"), "weights": (1.0, 2.0), "bias": 0.0, **fields})
        model = isopod.Model("linear", ("a",), (2.0,), 1.0, link="sign")
        self.assertNotIn("link", model.to_json())
        self.assertEqual(model.predict([0.5, -0.5]).tolist(), [True, False])

    def test_trees_beyond_single_precision(self):
        rows = np.array([[2**25], [2**25 + 64]])
        with self.assertRaisesRegex(isopod.InputError, "allowed is below 2.24"):
            isopod.from_sklearn(DecisionTreeClassifier().fit(rows, [0, 1]))
        with self.assertRaisesRegex(isopod.InputError, "link: log; allowed for DecisionTreeClassifier is None"):
            isopod.from_sklearn(DecisionTreeClassifier().fit(rows, [0, 1]), link="log")

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
