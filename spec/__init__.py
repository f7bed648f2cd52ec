"""The contract of Isopod: parameter sets, algorithms, wire format, known answers."""
