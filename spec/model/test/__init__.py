"""Tests of the model against published answers, exact fractions, and its own inverses."""
