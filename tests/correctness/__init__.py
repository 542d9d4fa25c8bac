"""Tests of proofs for every number of words."""
