"""Federated learning of digits under encryption, as a Flower app; demo.py runs the same clients without Flower."""
