"""Verification: tests whether a schema derives exactly the trees of a class, or the linkages of a sentence."""
