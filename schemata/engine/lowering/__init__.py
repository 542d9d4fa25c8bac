"""Lowering: from a checked schema to rules over whole numbers, which native kernels and the proof of order read."""
