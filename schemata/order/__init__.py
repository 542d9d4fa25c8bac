"""Proved orders of evaluation: an order in which items can be completed, for every sentence length, and its proof."""
