"""Known answers from the reference model, as JSON for every language and as C arrays for the device."""
