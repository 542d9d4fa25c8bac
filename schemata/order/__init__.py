"""Proved orders of evaluation: in what order items can be completed, for every sentence length, and why."""
