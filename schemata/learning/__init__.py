"""Parsers that learn from treebanks, and how well they parse."""
