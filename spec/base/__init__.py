"""The base of the model and the generators: parameter sets, number theory, and cosines and Gaussian weights without rounding
errors."""
