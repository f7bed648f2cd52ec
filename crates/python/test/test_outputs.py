"""Scores models with several outputs under encryption."""
from support import InFolder

# isort: split
import isopod
import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_diabetes, load_iris
from sklearn.decomposition import PCA, IncrementalPCA, TruncatedSVD
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron, Ridge, RidgeClassifier, SGDClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler
from sklearn.svm import SVC, LinearSVC

IRIS = load_iris(as_frame=True)
NAMES = list(IRIS.data.columns)
SPECIES = IRIS.target_names[IRIS.target]
SETS = {"ckks-2048x2-air": {}, "ckks-4096x2-linear": {"job": "linear", "stride": 4}}


class Outputs(InFolder):
    """Predictions under encryption equal the estimator's where the margin allows."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.parties = {}
        for name, options in SETS.items():
            keys = isopod.keygen(cls.folder / name, set=name, passphrase=None, **options)
            cls.parties[name] = isopod.Device(keys.device(1)), isopod.Server(keys.server), isopod.Owner(keys.owner)

    def scored(self, model, rows, **options):
        for device, server, owner in self.parties.values():
            frames = device.encrypt(rows, model=model, **options)
            yield owner.decrypt(server.score(model, frames))

    def test_classifiers(self):
        cases = [
            (LogisticRegression(max_iter=500), "softmax"), (LinearDiscriminantAnalysis(), "softmax"),
            (make_pipeline(StandardScaler(), LogisticRegression()), "softmax"),
            (make_pipeline(StandardScaler(), SGDClassifier(loss="log_loss", random_state=1)), "logistic"),
            (make_pipeline(MinMaxScaler(), OneVsRestClassifier(LogisticRegression())), "logistic"),
            (OneVsRestClassifier(LinearSVC()), "argmax"), (OneVsRestClassifier(SVC(kernel="linear")), "argmax"),
            (LinearSVC(), "argmax"), (RidgeClassifier(), "argmax"), (make_pipeline(RobustScaler(), Perceptron()), "argmax"),
            (make_pipeline(StandardScaler(), PCA(2), MaxAbsScaler(), LinearSVC()), "argmax"),
        ]
        for estimator, link in cases:
            fitted = estimator.fit(IRIS.data, SPECIES)
            model = isopod.from_sklearn(fitted)
            with self.subTest(estimator=str(estimator)):
                self.assertEqual((model.link, model.classes), (link, tuple(IRIS.target_names)))
                for result in self.scored(model, IRIS.data):
                    self.right(fitted, model, result)

    def right(self, fitted, model, result):
        scores = result.values
        self.assertEqual(scores.shape, (150, 3))
        clear = fitted.decision_function(IRIS.data)
        self.assertLessEqual(np.abs(scores - clear).max(), result.error)
        is_clear = ~model.uncertain(result)
        self.assertGreater(is_clear.sum(), 140)
        self.assertEqual(model.predict(result)[is_clear].tolist(), fitted.predict(IRIS.data)[is_clear].tolist())
        ordered = np.sort(scores, axis=1)
        self.assertTrue(np.array_equal(model.margins(result), ordered[:, 2] - ordered[:, 1]))
        if model.link in ("softmax", "logistic"):
            found = model.predict_proba(result)
            self.assertLessEqual(np.abs(found - fitted.predict_proba(IRIS.data)).max(), 2 * result.error)
            self.assertTrue(np.allclose(found.sum(axis=1), 1.0))
            with self.assertRaisesRegex(isopod.InputError, "link: (softmax|logistic); allowed are transforms"):
                model.transform(result)
        else:
            with self.assertRaisesRegex(isopod.InputError, "link: argmax; allowed are logistic models"):
                model.predict_proba(result)

    def test_targets(self):
        data = load_diabetes()
        targets = np.stack([data.target, data.target[::-1] * 0.5, data.data[:, 0]], axis=1)
        estimators = (Ridge(), LinearRegression(fit_intercept=False), MultiOutputRegressor(Ridge()))
        for fitted in (make_pipeline(StandardScaler(), estimator).fit(data.data, targets) for estimator in estimators):
            model = isopod.from_sklearn(fitted)
            self.assertEqual((model.kind, model.link, model.outputs), ("linear", "identity", ()))
            device, server, owner = self.parties["ckks-2048x2-air"]
            result = owner.decrypt(server.score(model, device.encrypt(data.data[:30], model=model)))
            self.assertLessEqual(np.abs(model.predict(result) - fitted.predict(data.data[:30])).max(), result.error)
            with self.assertRaisesRegex(isopod.InputError, "link: identity; allowed are classifiers"):
                model.margins(result)

    def test_transforms(self):
        discriminant = LinearDiscriminantAnalysis().fit(IRIS.data, SPECIES)
        transforms = [PCA(2), PCA(3, whiten=True), IncrementalPCA(2), TruncatedSVD(2), make_pipeline(StandardScaler(), PCA(2))]
        cases = [(fitted.fit(IRIS.data), None) for fitted in transforms] + [(discriminant, "transform")]
        for fitted, link in cases:
            model = isopod.from_sklearn(fitted, link=link)
            self.assertEqual((model.kind, model.link), ("linear", "transform"))
            self.assertEqual(model.outputs, tuple(fitted.get_feature_names_out()))
            for result in self.scored(model, IRIS.data):
                self.assertLessEqual(np.abs(model.transform(result) - fitted.transform(IRIS.data)).max(), result.error)
                with self.assertRaisesRegex(isopod.InputError, "allowed is Model.transform"):
                    model.predict(result)

    def test_column_transformers(self):
        parts = [(StandardScaler(), [NAMES[2], NAMES[0]]), ("passthrough", [NAMES[3]]), ("drop", [NAMES[1]])]
        both = make_pipeline(MinMaxScaler(), RobustScaler())
        twice = [(StandardScaler(), [2, 0]), (both, slice(0, 2)), (StandardScaler(), [-2])]
        cases = [
            (make_column_transformer(*parts), IRIS.data, (NAMES[0], NAMES[2], NAMES[3])),
            (make_column_transformer(*twice, remainder="passthrough"), IRIS.data.to_numpy(), ("x0", "x1", "x2", "x3")),
        ]
        for before, rows, features in cases:
            fitted = make_pipeline(before, LinearDiscriminantAnalysis()).fit(rows, SPECIES)
            model = isopod.from_sklearn(fitted)
            self.assertEqual(model.features, features)
            for result in self.scored(model, rows):
                self.assertLessEqual(np.abs(result.values - fitted.decision_function(rows)).max(), result.error)

    def test_a_request_and_its_answer(self):
        model = isopod.from_sklearn(LinearDiscriminantAnalysis().fit(IRIS.data, SPECIES))
        other = isopod.from_sklearn(LogisticRegression(max_iter=500).fit(IRIS.data, SPECIES))
        device, server, owner = self.parties["ckks-2048x2-air"]
        frames = device.encrypt(IRIS.data, model=model, rows_per_frame=40)
        request = owner.request("logistic", model=model)
        result = owner.decrypt(server.answer(request, frames), request=request)
        self.assertEqual(([one.values.shape for one in result], result.values.shape), ([(40, 3)] * 3 + [(30, 3)], (150, 3)))
        self.assertEqual((result.missing, result.duplicates), ((), ()))
        table = result.to_pandas()
        self.assertEqual(table["column"].tolist(), [0, 1, 2] * 150)
        with self.assertRaisesRegex(isopod.InputError, "another request"):
            owner.decrypt(server.answer(request, frames, again=True), request=owner.request("logistic", model=other))
        with self.assertRaisesRegex(isopod.InputError, "probabilities: of 3 outputs; .* take Model.predict_proba"):
            print(result.probabilities)
        with self.assertRaisesRegex(isopod.InputError, "its link is softmax; allowed with the job sigmoid are logistic models"):
            server.evaluate("sigmoid", frames, model=model, again=True)
        with self.assertRaisesRegex(isopod.InputError, r"scores: of shape \(150, 2\); allowed is a column for each of 3"):
            model.predict(result.values[:, :2])

    def test_every_output_is_that_of_a_model_of_its_own(self):
        weights = np.random.default_rng(5).normal(size=(3, 4))
        several = isopod.Model("linear", tuple(NAMES), tuple(map(tuple, weights.tolist())), (0.5, -1.0, 0.0))
        for device, server, owner in self.parties.values():
            frames = device.encrypt(IRIS.data[:20], model=several)
            together = owner.decrypt(server.score(several, frames))
            for output, bias in enumerate(several.bias):
                alone = isopod.Model("linear", tuple(NAMES), tuple(weights[output].tolist()), bias)
                found = owner.decrypt(server.score(alone, frames))
                self.assertTrue(np.array_equal(together.values[:, output], found.values[:, 0]))
                self.assertLessEqual(found.error, together.error)

    def test_links_and_ties(self):
        model = isopod.Model("multinomial", ("a",), ((1.0,), (2.0,)), (0.0, 0.0), classes=("low", "high"))
        self.assertEqual(model.predict([[1.0, 0.5], [0.0, 900.0]]).tolist(), ["low", "high"])
        self.assertEqual(model.predict_proba([[900.0, -900.0]]).tolist(), [[1.0, 0.0]])
        self.assertEqual(model.margins([[1.0, 1.0], [3.0, 0.5]]).tolist(), [0.0, 2.5])
        unnamed = isopod.Model("classifier", ("a",), ((1.0,), (2.0,)), (0.0, 0.0))
        self.assertEqual(unnamed.predict([[1.0, 0.5]]).tolist(), [0])
        self.assertNotIn("outputs", unnamed.to_json())
        self.assertIn('"outputs": ["low", "high"]', model.to_json())

