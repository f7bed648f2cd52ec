"""Checks the parameter sets, writes the constants derived from them, and models the contract. Standard library only."""
