"""Weights: semirings, scores of links, and their totals over a hypergraph."""
