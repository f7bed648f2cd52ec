"""The ground of model and generators: parameter sets, number theory, and cosines and Gaussian weights without rounding errors."""
