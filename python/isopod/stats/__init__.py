"""Statistics and models from sums of columns that the owner decrypted: nothing but sums ever left the devices.

:func:`describe` gives a :class:`Summary` of results of column-sum or column-mean over :class:`isopod.Columns`. It has counts,
means, spread, quantiles, covariance and correlation, each with the distance that it is off by at most. :func:`fit` fits an
estimator of scikit-learn with a summary alone, and says how far its coefficients may be off."""
from .fitting import fit
from .moments import Moments
from .summary import Column, Estimate, Group, Histogram, Summary, describe

__all__ = ["Column", "Estimate", "Group", "Histogram", "Moments", "Summary", "describe", "fit"]
