"""Releases: versions, archives that build the same twice, checksums, a bill of materials."""
