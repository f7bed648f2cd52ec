"""Describes tables and fits models from sums of columns under encryption, beside pandas and scikit-learn in the clear."""
from dataclasses import replace

from support import InFolder

# isort: split
import isopod
import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.naive_bayes import GaussianNB

IRIS = load_iris(as_frame=True)
FLOWERS = IRIS.data.assign(species=IRIS.target_names[IRIS.target])
NAMES = list(IRIS.data.columns)
DIABETES = load_diabetes(as_frame=True, scaled=False).frame
ROUNDING = 1e-12  # of float64, relative: the errors bound the sums, not the last digits of either side


class InFleet(InFolder):
    """A fleet of three devices, whose owner asks for sums of columns."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.keys = isopod.keygen(cls.folder / "keys", set="ckks-2048x2-air", devices=[1, 2, 3], passphrase=None)
        cls.devices = [isopod.Device(cls.keys.device(number)) for number in (1, 2, 3)]
        cls.server, cls.owner = isopod.Server(cls.keys.server), isopod.Owner(cls.keys.owner)

    def frames(self, table, columns, bound_bits=4):
        parts = [table[at::3] for at in range(3)]
        return [frame for device, part in zip(self.devices, parts) if len(part)
                for frame in device.encrypt(part, columns=columns, bound_bits=bound_bits)]

    def summary(self, table, columns, job="column-sum"):
        answer = self.server.evaluate(job, self.frames(table, columns))
        return isopod.stats.describe(self.owner.decrypt(answer, columns=columns))

    def within(self, found, clear, error, least=0.0):
        """Every cell is within its error, and the largest error is not idle."""
        found, clear, error = (np.asarray(one, dtype=np.float64) for one in (found, clear, error))
        self.assertEqual(found.shape, clear.shape)
        self.assertTrue(np.array_equal(np.isnan(found), np.isnan(clear)))
        known = ~np.isnan(clear)
        off = np.abs(found - clear)[known] - ROUNDING * (np.abs(clear) + error)[known]
        self.assertLessEqual((off - error[known]).max(), 0.0)
        self.assertTrue((error[known] >= least).all())


class Descriptions(InFleet):
    """Summaries beside pandas."""

    def test_every_cell_of_five_tables(self):
        tables = {"iris": IRIS.data, "diabetes": DIABETES, "wine": load_wine(as_frame=True).data,
                  "cancer": load_breast_cancer(as_frame=True).data.iloc[:, :8],
                  "digits": load_digits(as_frame=True).data.iloc[:, 2:8]}
        for name, table in tables.items():
            columns = isopod.Columns.of(table, moments="squares", quantiles=16)
            with self.subTest(table=name):
                shown = self.summary(table, columns).to_pandas()
                self.assertEqual(list(shown.columns), [(column, part) for column in table for part in ("value", "error")])
                clear = table.describe()
                self.assertEqual(list(shown.index), list(clear.index))
                value, error = shown.xs("value", axis=1, level=-1), shown.xs("error", axis=1, level=-1)
                self.within(value, clear, error)
                # Means and deviations are close, not only within what they say; quantiles are within half a bucket.
                self.assertLess((error.loc[["mean"]].to_numpy() / clear.loc["std"].to_numpy()).max(), 1e-4)
                widths = (table.max() - table.min()).to_numpy() / 16
                self.assertLessEqual((error.loc["min":].max() / widths).max(), 1.01)

    def test_groups_and_missing_values(self):
        holed = FLOWERS.copy()
        holed.loc[holed.index % 7 == 0, NAMES[1]] = np.nan
        columns = isopod.Columns.of(holed, moments="products", missing=True, group_by="species", quantiles=8)
        summary = self.summary(holed, columns)
        self.assertEqual([group.category for group in summary], list(IRIS.target_names))
        clear = holed.groupby("species").describe()
        self.assertEqual(list(summary.table().columns), list(clear.columns))
        self.assertEqual(summary.table().index.tolist(), clear.index.tolist())
        self.within(summary.table(), clear, summary.table("error"))
        self.within(summary.covariance(), holed[NAMES].cov(), summary.covariance("error"), least=1e-12)
        for group in summary:
            own = holed[holed.species == group.category][NAMES]
            self.within(group.covariance, own.cov(), group.covariance_error, least=1e-12)
        self.within(summary.pooled().table(), holed[NAMES].describe(), summary.pooled().table("error"))
        with self.assertRaisesRegex(isopod.InputError, f"{NAMES[1].split()[0]}.*missing readings; allowed for correlation"):
            summary.correlation()

    def test_means_are_described_like_sums(self):
        columns = isopod.Columns.of(IRIS.data, moments="products")
        for job in ("column-sum", "column-mean"):
            summary = self.summary(IRIS.data, columns, job)
            self.within(summary.table().loc["mean":"std"], IRIS.data.describe().loc["mean":"std"],
                        summary.table("error").loc["mean":"std"], least=1e-12)
            self.within(summary.correlation(), IRIS.data.corr(), summary.correlation("error"))
            self.within(summary.covariance(), IRIS.data.cov(), summary.covariance("error"), least=1e-12)
            self.assertEqual(summary.correlation("error").to_numpy().diagonal().max(), 0.0)

    def test_an_empty_group_has_no_mean(self):
        columns = replace(isopod.Columns.of(FLOWERS, moments="products", group_by="species", quantiles=4),
                          categories=(*IRIS.target_names, "orchid"))
        summary = self.summary(FLOWERS, columns)
        empty = summary.groups[-1]
        self.assertEqual((empty.category, empty.rows), ("orchid", (0.0, 0.0)))
        for name, statistic in empty.columns[NAMES[0]].statistics.items():
            self.assertTrue(statistic == (0.0, 0.0) if name == "count" else np.isnan(statistic.value))
        self.within(summary.table()[:3], FLOWERS.groupby("species").describe(), summary.table("error")[:3])
        with self.assertRaisesRegex(isopod.InputError, "rows of orchid: empty; allowed are groups with rows"):
            isopod.stats.fit(GaussianNB(), summary)

    def test_quantiles(self):
        rng = np.random.default_rng(3)
        table = pd.DataFrame({"a": rng.normal(size=301), "b": rng.integers(0, 3, 301).astype(float), "c": np.full(301, 7.0)})
        summary = self.summary(table, isopod.Columns.of(table, quantiles=20))
        for share in (0.0, 0.1, 0.5, 0.731, 1.0):
            for name, column in summary.groups[0].columns.items():
                found = column.histogram.quantile(share)
                self.within([found.value], [table[name].quantile(share)], [found.error])
        columns = summary.groups[0].columns
        self.assertEqual(columns["a"].histogram.quantile(0.25), columns["a"].statistics["25%"])
        with self.assertRaisesRegex(isopod.InputError, "quantile: 1.5; allowed is 0 to 1"):
            columns["a"].histogram.quantile(1.5)

    def test_refusals(self):
        columns = isopod.Columns.of(FLOWERS, moments="squares", group_by="species")
        plain = isopod.Columns.of(FLOWERS, moments="squares")
        with self.assertRaisesRegex(isopod.InputError, "species: rose; allowed is one of the categories setosa, "):
            self.devices[0].encrypt(FLOWERS.assign(species="rose"), columns=columns)
        with self.assertRaisesRegex(isopod.InputError, "species holds (object|str); allowed are numbers"):
            isopod.Columns.of(FLOWERS, names=["species"])
        with self.assertRaisesRegex(isopod.InputError, "columns: 200 make 20300 .*; allowed in a frame .* at most 62"):
            wide = pd.DataFrame(np.zeros((2, 200)), columns=[f"c{at}" for at in range(200)])
            self.devices[0].encrypt(wide, columns=isopod.Columns.of(wide, moments="products"))
        with self.assertRaisesRegex(isopod.InputError, "target: colour is no column; allowed is one of sepal"):
            isopod.Columns.of(FLOWERS, target="colour")
        mixed = [*self.frames(FLOWERS, plain), *self.frames(FLOWERS, isopod.Columns.of(FLOWERS))]
        with self.assertRaisesRegex(isopod.InputError, "columns|packing"):
            self.server.column_sum(mixed)
        answer = self.server.column_sum(self.frames(FLOWERS, plain))
        with self.assertRaises(isopod.InputError):
            self.owner.decrypt(answer, columns=columns)
        results, unnamed = self.owner.decrypt(answer, columns=plain), self.owner.decrypt(answer)
        for given, message in (((results, columns), "allowed are those that the results were decrypted with"),
                               ((unnamed,), "columns: missing; allowed are those of the devices"),
                               ((unnamed, columns), "column-sum of 8 columns; allowed are"),
                               ((7,), "results: int; allowed are results of Owner.decrypt"),
                               ((self.owner.decrypt(self.server.sum(self.frames(FLOWERS, plain))), plain), "sum of")):
            with self.subTest(message=message), self.assertRaisesRegex(isopod.InputError, message):
                isopod.stats.describe(*given)
        with self.assertRaisesRegex(isopod.InputError, 'moments="squares"; allowed for covariance is moments="products"'):
            isopod.stats.describe(results).covariance()


class Models(InFleet):
    """Estimators from sums beside those that saw the rows."""

    def test_linear_models(self):
        columns = isopod.Columns.of(DIABETES, moments="products", target="target")
        summary, features = self.summary(DIABETES, columns), DIABETES.drop(columns="target")
        for estimator in (LinearRegression(), Ridge(alpha=1.0), Ridge(alpha=1e4)):
            with self.subTest(estimator=str(estimator)):
                clear = type(estimator)(**estimator.get_params()).fit(features, DIABETES.target)
                found = isopod.stats.fit(estimator, summary)
                self.assertIs(found, estimator)
                self.within(found.coef_, clear.coef_, found.coef_error_, least=1e-15)
                self.within([found.intercept_], [clear.intercept_], [found.intercept_error_], least=1e-15)
                largest = np.abs(clear.coef_).max()
                self.assertLessEqual(np.abs(found.coef_ - clear.coef_).max() / largest, 1e-3)
                model = isopod.from_sklearn(found)
                self.assertEqual(model.features, tuple(features.columns))
                self.assertTrue(np.allclose(found.predict(features), clear.predict(features), atol=0.1))

    def test_the_printed_error_of_ridge(self):
        table = load_diabetes(as_frame=True).frame
        summary = self.summary(table, isopod.Columns.of(table, moments="products", target="target"))
        found, clear = isopod.stats.fit(Ridge(), summary), Ridge().fit(table.drop(columns="target"), table.target)
        self.within(found.coef_, clear.coef_, found.coef_error_, least=1e-15)
        self.assertLessEqual(found.coef_error_.max() / np.abs(clear.coef_).max(), 1e-3)

    def test_scores_of_a_model_that_nobody_trained_on_rows(self):
        summary = self.summary(FLOWERS, isopod.Columns.of(FLOWERS, moments="products", group_by="species"))
        found = isopod.stats.fit(LinearDiscriminantAnalysis(store_covariance=True), summary)
        clear = LinearDiscriminantAnalysis(store_covariance=True).fit(IRIS.data, FLOWERS.species)
        self.within(found.coef_, clear.coef_, found.coef_error_, least=1e-15)
        self.within(found.intercept_, clear.intercept_, found.intercept_error_, least=1e-15)
        self.assertTrue(np.allclose(found.covariance_, clear.covariance_, atol=1e-4))
        self.assertTrue(np.allclose(np.abs(found.transform(IRIS.data)), np.abs(clear.transform(IRIS.data)), atol=1e-2))
        self.assertTrue(np.allclose(found.explained_variance_ratio_, clear.explained_variance_ratio_, atol=1e-5))
        self.assertEqual(found.predict(IRIS.data).tolist(), clear.predict(IRIS.data).tolist())
        model = isopod.from_sklearn(found)
        result = self.owner.decrypt(self.server.score(model, self.devices[0].encrypt(IRIS.data, model=model)))
        self.assertEqual(model.predict(result).tolist(), clear.predict(IRIS.data).tolist())

    def test_two_classes(self):
        table = load_breast_cancer(as_frame=True)
        rows = table.data.iloc[:, [0, 1, 4, 5, 27]].assign(kind=table.target.map({0: "malignant", 1: "benign"}))
        summary = self.summary(rows, isopod.Columns.of(rows, moments="products", group_by="kind"))
        found = isopod.stats.fit(LinearDiscriminantAnalysis(), summary)
        clear = LinearDiscriminantAnalysis().fit(rows.drop(columns="kind"), rows.kind)
        self.assertEqual((found.coef_.shape, found.classes_.tolist()), ((1, 5), ["benign", "malignant"]))
        self.within(found.coef_, clear.coef_, found.coef_error_, least=1e-15)
        self.assertEqual(isopod.from_sklearn(found).link, "logistic")

    def test_naive_bayes(self):
        for moments in ("squares", "products"):
            summary = self.summary(FLOWERS, isopod.Columns.of(FLOWERS, moments=moments, group_by="species"))
            found, clear = isopod.stats.fit(GaussianNB(), summary), GaussianNB().fit(IRIS.data, FLOWERS.species)
            self.within(found.theta_, clear.theta_, found.theta_error_, least=1e-15)
            self.within(found.var_, clear.var_, found.var_error_, least=1e-15)
            self.assertEqual(found.class_count_.tolist(), [50.0] * 3)
            self.assertEqual((found.predict(IRIS.data) == clear.predict(IRIS.data)).sum(), 150)

    def test_principal_components(self):
        summary = self.summary(FLOWERS, isopod.Columns.of(FLOWERS, moments="products"))
        for options in ({}, {"n_components": 2, "whiten": True}, {"n_components": 0.95}):
            found, clear = isopod.stats.fit(PCA(**options), summary), PCA(**options).fit(IRIS.data)
            with self.subTest(options=options):
                self.within(found.components_, clear.components_, 1.01 * found.components_error_, least=1e-15)
                self.within(found.explained_variance_, clear.explained_variance_, found.explained_variance_error_, least=1e-15)
                self.assertEqual(found.n_components_, clear.n_components_)
                self.assertTrue(np.allclose(found.transform(IRIS.data), clear.transform(IRIS.data), atol=1e-2))
                self.assertTrue(np.allclose(found.noise_variance_, clear.noise_variance_, atol=1e-5))
                model = isopod.from_sklearn(found)
                self.assertEqual(model.link, "transform")

    def test_columns_that_say_nothing_new_are_named(self):
        table = IRIS.data.set_axis(["a", "b", "c", "y"], axis=1)
        cases = [({"d": table.a + table.b}, "(a|b|d) is a combination of the others, within the error"),
                 ({"d": 3.0}, "d is constant, within the error; allowed are columns that vary")]
        for added, message in cases:
            wider = table.assign(**added)
            summary = self.summary(wider, isopod.Columns.of(wider, moments="products", target="y"))
            with self.subTest(message=message), self.assertRaisesRegex(isopod.InputError, message):
                isopod.stats.fit(LinearRegression(), summary)
            ridge, clear = isopod.stats.fit(Ridge(), summary), Ridge().fit(wider.drop(columns="y"), wider.y)
            self.within(ridge.coef_, clear.coef_, ridge.coef_error_, least=1e-15)

    def test_refusals(self):
        by_class = self.summary(FLOWERS, isopod.Columns.of(FLOWERS, moments="products", group_by="species"))
        squares = self.summary(FLOWERS, isopod.Columns.of(FLOWERS, moments="squares", target=NAMES[0]))
        holed = FLOWERS.copy()
        holed.loc[3, NAMES[1]] = np.nan
        gaps = self.summary(holed, isopod.Columns.of(holed, moments="products", missing=True, target=NAMES[0]))
        cases = [
            (LinearRegression(), by_class, "target: missing; allowed for LinearRegression is one of the columns"),
            (Ridge(), squares, 'moments="squares"; allowed for Ridge is moments="products"'),
            (GaussianNB(), squares, "columns: 1 groups; allowed for GaussianNB are two or more categories"),
            (Ridge(), gaps, "sepal width.*: 149 readings in 150 rows; allowed are columns without missing readings"),
            (Ridge(fit_intercept=False), replace_target(by_class), "Ridge without intercept"),
            (Ridge(alpha=np.inf), replace_target(by_class), "alpha=inf; allowed is a number from 0"),
            (RandomForestClassifier(), by_class, "RandomForestClassifier; allowed are scikit-learn's GaussianNB"),
            (LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1), by_class, 'solver="lsqr" or shrinkage; allowed is'),
            (LinearDiscriminantAnalysis(n_components=3), by_class, "n_components=3; allowed are None and 1 to 2"),
            (LinearDiscriminantAnalysis(priors=[1, 1, 1]), by_class, "priors=.*; allowed are 3 numbers from 0 whose sum is 1"),
            (PCA("mle"), by_class, "n_components='mle'; allowed are None, 1 to 4"),
        ]
        for estimator, summary, message in cases:
            with self.subTest(message=message), self.assertRaisesRegex(isopod.InputError, message):
                isopod.stats.fit(estimator, summary)


def replace_target(summary):
    """The summary, with a target."""
    return replace(summary, columns=replace(summary.columns, target=NAMES[0]))
