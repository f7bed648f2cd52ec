"""The reference model of ckks.md and wire.md: plain Python integers, one module for each idea, written from the text alone.

It does not run in constant time. It gives known answers and serves tests, never production."""
