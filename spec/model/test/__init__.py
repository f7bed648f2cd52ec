"""Tests of the model: against published vectors, exact fractions, and its own inverses."""
