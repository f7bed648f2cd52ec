"""The reference model of ckks.md and wire.md: plain Python integers, one module per idea, written from the text alone.

It reads and writes secrets without any care for timing: it is for known answers and tests, never for use.
"""
