"""Converts models of scikit-learn for merged frames, and compares them with their estimators."""
import json
import unittest

import support  # noqa: F401

# isort: split
import isopod
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import (
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import Ridge
from sklearn.neighbors import NearestCentroid
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

IRIS, CANCER, DIABETES = load_iris(), load_breast_cancer(), load_diabetes()
CHAIN = 2.0 ** np.arange(11)
FEW = {"max_iter": 30, "random_state": 1}


def behind_scaler(last, data, target=None):
    """A fitted pipeline."""
    return make_pipeline(StandardScaler(), last).fit(data.data, data.target if target is None else target)


class MergedModels(unittest.TestCase):
    """Every supported class, and what is refused."""

    def standardised(self, model, rows):
        return (rows - np.asarray(model.mean)) / np.asarray(model.scale)

    def test_networks(self):
        for activation in ("relu", "tanh", "logistic"):
            fitted = behind_scaler(MLPClassifier((8,), activation=activation, **FEW), IRIS)
            model = isopod.from_sklearn(fitted, IRIS.feature_names, merged=True)
            self.assertEqual((model.job, model.kind, model.features), ("network", "multinomial", tuple(IRIS.feature_names)))
            scores = model.in_the_clear(self.standardised(model, IRIS.data))
            np.testing.assert_allclose(model.predict_proba(scores), fitted.predict_proba(IRIS.data), atol=1e-9)
            file = json.loads(model.to_json())
            self.assertEqual((file["hidden"]["activation"], len(file["weights"]), len(file["weights"][0])), (activation, 3, 8))
        binary = isopod.from_sklearn(behind_scaler(MLPClassifier((4,), **FEW), CANCER), merged=True)
        self.assertEqual((binary.kind, len(binary.weights)), ("logistic", 4))
        for target in (DIABETES.target, DIABETES.data[:, :2]):
            fitted = behind_scaler(MLPRegressor(hidden_layer_sizes=(6,), **FEW), DIABETES, target)
            model = isopod.from_sklearn(fitted, merged=True)
            scores = model.in_the_clear(self.standardised(model, DIABETES.data))
            np.testing.assert_allclose(np.squeeze(scores), fitted.predict(DIABETES.data), atol=1e-9)

    def test_trees_and_forests(self):
        for last, data in (
            (DecisionTreeClassifier(max_depth=4), IRIS), (RandomForestClassifier(10, max_depth=3), IRIS),
            (DecisionTreeRegressor(max_depth=5), DIABETES), (ExtraTreesRegressor(8, max_depth=3), DIABETES),
        ):
            fitted = behind_scaler(last, data)
            model = isopod.from_sklearn(fitted, merged=True)
            self.assertEqual(model.job, "forest")
            scores = model.in_the_clear(self.standardised(model, data.data).astype(np.float32))
            if hasattr(last, "classes_"):
                np.testing.assert_allclose(scores, fitted.predict_proba(data.data), atol=1e-9)
                self.assertEqual(model.predict(scores).tolist(), fitted.predict(data.data).tolist())
            else:
                np.testing.assert_allclose(scores[:, 0], fitted.predict(data.data), rtol=1e-9)
            self.assertNotIn("weights", json.loads(model.to_json()))

    def test_a_tree_of_one_leaf_is_added_to_another(self):
        forest = RandomForestRegressor(3, max_depth=1, random_state=1).fit([[0.0], [1.0]], [1.0, 2.0])
        self.assertIn(1, [one.tree_.node_count for one in forest.estimators_])
        model = isopod.from_sklearn(forest, merged=True)
        self.assertLess(len(model.trees), 3)
        np.testing.assert_allclose(model.in_the_clear([[0.0], [1.0]])[:, 0], forest.predict([[0.0], [1.0]]))

    def test_centres(self):
        for last in (KMeans(4, random_state=1), NearestCentroid()):
            fitted = behind_scaler(last, IRIS)
            model = isopod.from_sklearn(fitted, merged=True)
            scores = model.in_the_clear(self.standardised(model, IRIS.data))
            self.assertEqual(model.predict(scores).tolist(), fitted.predict(IRIS.data).tolist())

    def test_refusals(self):
        changed = behind_scaler(RandomForestClassifier(3, max_depth=2), IRIS)
        changed[1].classes_ = changed[1].classes_[::-1].copy()
        labels = (IRIS.data > IRIS.data.mean(axis=0)).astype(int)
        for fitted, message in (
            (behind_scaler(MLPClassifier((8, 3), **FEW), IRIS), "hidden_layer_sizes: 8, 3 .* allowed is one layer of 1 to 256"),
            (behind_scaler(MLPClassifier((257,), **FEW), IRIS), "hidden_layer_sizes: 257"),
            (behind_scaler(MLPClassifier((8,), activation="identity", **FEW), IRIS), "activation: identity .* relu, tanh"),
            (behind_scaler(MLPClassifier((8,), **FEW), IRIS, labels), "4 labels a row"),
            (behind_scaler(RandomForestClassifier(100), IRIS), "branches: .* allowed are at most 128: fit fewer"),
            (DecisionTreeRegressor().fit(CHAIN[:, None], CHAIN**8), "max_depth: 10 .* allowed are at most 8"),
            (behind_scaler(DecisionTreeClassifier(), IRIS, np.zeros(150)), "without a branch"),
            (behind_scaler(KMeans(10), IRIS), "centres: 10 of KMeans; allowed are 2 to 9"),
            (behind_scaler(GradientBoostingClassifier(), IRIS), "GradientBoostingClassifier; allowed with merged=True are"),
            (behind_scaler(Ridge(), IRIS), "Ridge; allowed with merged=True"),
            (make_pipeline(PolynomialFeatures(), KMeans(2)).fit(IRIS.data), "Pipeline of PolynomialFeatures"),
            (MLPClassifier(), "MLPClassifier is not fitted"),
        ):
            with self.subTest(message=message), self.assertRaisesRegex(isopod.InputError, message):
                isopod.from_sklearn(fitted, merged=True)
        with self.assertRaisesRegex(isopod.InputError, "link: log; allowed with merged=True is None"):
            isopod.from_sklearn(changed, merged=True, link="log")
        with self.assertRaisesRegex(isopod.InputError, "MLPClassifier .* or merged=True"):
            isopod.from_sklearn(behind_scaler(MLPClassifier((8,), **FEW), IRIS))
        lying = MLPClassifier((4,), **FEW).fit(CANCER.data, CANCER.target)
        lying.out_activation_ = "identity"
        with self.assertRaisesRegex(isopod.InputError, "predicts something else"):
            isopod.from_sklearn(lying, merged=True)


if __name__ == "__main__":
    unittest.main()
