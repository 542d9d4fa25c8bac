"""Decoders: arrays of scores in, arrays of heads, totals and probabilities out."""
