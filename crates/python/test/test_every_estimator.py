"""Fits every estimator of scikit-learn. A model that is converted must predict the same under encryption; all others must be
refused."""
import inspect

from support import InFolder

# isort: split
import isopod
import numpy as np
from isopod.scikit import estimators
from sklearn.base import ClassifierMixin, clone
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import all_estimators

ROWS, COLUMNS = 60, 4
LINKS = (None, "identity", "logistic", "log", "sign", "softmax", "argmax", "transform")
SAID = {"log", "sign"}  # links that somebody has to name
# Settings that change what an estimator predicts, beside those that it comes with.
SETTINGS = {
    "CCA": [{"n_components": 1}],
    "ElasticNet": [{"alpha": 0.01}],
    "Lasso": [{"alpha": 0.01}],
    "LassoLars": [{"alpha": 0.01}],
    "MultiTaskElasticNet": [{"alpha": 0.01}],
    "MultiTaskLasso": [{"alpha": 0.01}],
    "QuantileRegressor": [{"alpha": 0.01}],
    "LassoLarsIC": [{"criterion": "bic"}],
    "FactorAnalysis": [{"n_components": 1}],
    "GaussianRandomProjection": [{"n_components": 3}],
    "LinearRegression": [{"positive": True}, {"fit_intercept": False}],
    "LogisticRegression": [{"solver": "liblinear"}, {"fit_intercept": False}],
    "NuSVC": [{"kernel": "linear"}, {"kernel": "linear", "probability": True}],
    "NuSVR": [{"kernel": "linear"}],
    "OneClassSVM": [{"kernel": "linear"}],
    "PLSCanonical": [{"n_components": 1}],
    "PLSRegression": [{"n_components": 1, "scale": False}],
    "Ridge": [{"positive": True}],
    "SGDClassifier": [{"loss": loss} for loss in ("log_loss", "modified_huber", "perceptron", "squared_error")],
    "SGDRegressor": [{"loss": "huber"}, {"average": True}],
    "SparseRandomProjection": [{"n_components": 3, "density": 1.0}],
    "SVC": [{"kernel": "linear"}, {"kernel": "linear", "probability": True}],
    "SVR": [{"kernel": "linear"}],
    "TweedieRegressor": [{"power": power} for power in (1, 1.5, 2, 3)] + [{"link": "log"}, {"power": 1, "link": "identity"}],
}
STOCK = dict(all_estimators())
SETS = ("ckks-2048x1-air", "ckks-2048x2-air")


def tables(kind, several):
    """Rows and targets to try, the likely ones first; ``several`` for three classes, or two targets."""
    numbers = np.random.default_rng(11)
    rows = numbers.normal(size=(ROWS, COLUMNS)) + 0.25
    score = rows @ [0.5, -0.25, 0.375, 0.125] + 0.25 + 0.1 * numbers.normal(size=ROWS)
    classes, positive = (score > 0.3).astype(int), np.exp(0.5 * score)
    if several:
        of_classes = issubclass(kind, ClassifierMixin)
        yield rows, classes + (score > 0.8) if of_classes else np.stack([score, rows[:, 0] - score], axis=1)
        return
    targets = [classes, score] if issubclass(kind, ClassifierMixin) else [positive, score[:, None], classes]
    yield from ((rows, target) for target in targets)
    yield np.abs(rows), classes
    yield rows[:, :1], score
    yield rows, np.stack([classes, 1 - classes], axis=1)
    yield rows, None


def fitted(kind, settings, several):
    """The estimator, and the rows and targets that it was fitted with; None if no small table of numbers fits it."""
    for rows, target in tables(kind, several):
        try:
            return kind(**required(kind), **settings).fit(rows, target), rows, target
        except Exception:
            continue
    return None


def required(kind):
    """The arguments without which an estimator cannot be made; meta-estimators take others."""
    model = LogisticRegression() if issubclass(kind, ClassifierMixin) else LinearRegression()
    values = {
        "base_estimator": model, "dictionary": np.eye(COLUMNS), "estimator": model, "estimators": [("a", model), ("b", model)],
        "param_distributions": {"fit_intercept": [True]}, "param_grid": {"fit_intercept": [True]}, "steps": [("a", model)],
        "transformer_list": [("a", StandardScaler())], "transformers": [("a", StandardScaler(), [0])],
    }
    asked = [name for name, of in inspect.signature(kind).parameters.items()
             if of.default is of.empty and of.kind is of.POSITIONAL_OR_KEYWORD]
    return {name: values[name] for name in asked if name in values}


class EveryEstimator(InFolder):
    """Every estimator predicts right or is refused."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.parties = {}
        for name in SETS:
            keys = isopod.keygen(cls.folder / name, set=name, passphrase=None)
            cls.parties[name] = isopod.Device(keys.device(1)), isopod.Server(keys.server), isopod.Owner(keys.owner)

    def check(self, estimator, rows, model):
        """The owner's predictions equal the estimator's, within the error that comes with them."""
        if isinstance(model, isopod.Tree):
            return  # test_models.py walks trees
        for device, server, owner in self.parties.values():
            result = owner.decrypt(server.score(model, device.encrypt(rows, model=model)))
            self.right(estimator, rows, (model, result))

    def right(self, estimator, rows, found):
        model, result = found
        scores = result.values
        if model.link == "transform":
            self.assertLessEqual(np.abs(model.transform(result) - estimator.transform(rows)).max(), result.error)
            return
        wanted = np.asarray(estimator.predict(rows))
        if model.link == "identity":
            self.assertLessEqual(np.abs(scores - wanted.reshape(scores.shape)).max(), result.error)
            return
        wanted = wanted.reshape(-1)
        if model.link == "log":
            self.assertLessEqual(np.abs(np.log(model.predict(result) / wanted)).max(), result.error)
        else:
            is_clear = ~model.uncertain(result)
            self.assertGreater(is_clear.sum(), len(rows) / 2)
            self.assertEqual(model.predict(result)[is_clear].tolist(), wanted[is_clear].tolist())
        if model.link in ("logistic", "softmax"):
            probabilities = estimator.predict_proba(rows)
            self.assertLessEqual(np.abs(model.predict_proba(result) - probabilities).max(), scores.shape[1] * result.error)
        if model.link == "logistic" and scores.shape[1] == 1:
            self.assertLessEqual(np.abs(result.probabilities[:, 0] - probabilities[:, 1]).max(), result.error)

    def met(self, name, settings, several=False):
        """The links under which an estimator is right; None if no table of the test fits it."""
        found = fitted(STOCK[name], settings, several)
        if found is None and several:
            return None
        if found is None:
            with self.assertRaisesRegex(isopod.InputError, "allowed"):
                isopod.from_sklearn(STOCK[name](**required(STOCK[name])))
            return None
        links = set()
        for link in LINKS:
            with self.subTest(name=name, settings=settings, link=link):
                try:
                    estimator, rows, target = found
                    model = isopod.from_sklearn(estimator, link=link)
                    if getattr(model, "link", "tree") in links:
                        continue  # the same once more, by its name
                    self.check(estimator, rows, model)
                    if isinstance(model, isopod.Model) and name != "Pipeline":
                        scaled = make_pipeline(StandardScaler(), clone(estimator)).fit(rows, target)
                        self.check(scaled, rows, isopod.from_sklearn(scaled, link=link))
                except isopod.InputError as error:  # of a model that shrank to zero, or grew beyond the modulus, later
                    self.assertRegex(str(error), "allowed|possible: |every weight is zero|lower the bound")
                    continue
                links.add(getattr(model, "link", "tree"))
                self.assertTrue(link or not links & SAID, "taken without a word on its link")
        return links

    def test_right_or_refused(self):
        right = {link: set() for link in ("identity", "log", "logistic", "sign", "transform", "tree")}
        met = {name: [self.met(name, settings) for settings in [{}, *SETTINGS.get(name, [])]] for name in STOCK}
        for name, links in met.items():
            for link in set().union(*filter(None, links)):
                right[link].add(name)
        unfitted = {name for name, links in met.items() if all(found is None for found in links)}
        self.assertEqual(right, {
            "identity": {*estimators.IDENTITY, estimators.EACH_TARGET, "TweedieRegressor", "Pipeline"},
            "log": {*estimators.LOG, "TweedieRegressor"},
            "logistic": {*estimators.LOGISTIC, estimators.ONE_VS_REST, "SGDClassifier"},
            "sign": {*estimators.SIGN, "SGDClassifier"},
            "transform": {*estimators.TRANSFORM, estimators.BOTH}, "tree": {"DecisionTreeClassifier"},
        })
        self.assertLess(len(unfitted), 16, unfitted)

    def test_several_outputs_right_or_refused(self):
        right = {link: set() for link in ("identity", "logistic", "softmax", "argmax", "transform", "tree")}
        for name in STOCK:
            for settings in [{}, *SETTINGS.get(name, [])]:
                for link in self.met(name, settings, several=True) or ():
                    right[link].add(name)
        pairwise = set(estimators.PAIRWISE)
        self.assertEqual(right["argmax"], {*estimators.SIGN, "SGDClassifier"} - pairwise)
        self.assertEqual(right["softmax"], set(estimators.LOGISTIC))
        self.assertEqual(right["logistic"], {"SGDClassifier", "OneVsRestClassifier"})
        self.assertEqual(right["identity"], {
            "CCA", "Lars", "Lasso", "LassoLars", "LinearRegression", "MultiOutputRegressor", "MultiTaskElasticNet",
            "MultiTaskElasticNetCV", "MultiTaskLasso", "MultiTaskLassoCV", "ElasticNet", "OrthogonalMatchingPursuit",
            "PLSCanonical", "PLSRegression", "Pipeline", "Ridge", "RidgeCV",
        })
