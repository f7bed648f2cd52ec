"""The reference model of ckks.md and wire.md: plain Python integers, one module per idea, written from the text alone.

It is not constant time: it serves known answers and tests, never production.
"""
