"""Weights: semirings, scores of links, and what is computed of them over a hypergraph."""
