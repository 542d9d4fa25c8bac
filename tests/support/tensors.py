"""Scores of links as torch-struct has them."""

from typing import Any


def potentials(scores: Any) -> Any:
    """Return [B, n, n] from scores [B, n + 1, n + 1]: heads in rows, and those of the root on the diagonal."""
    found = scores[:, 1:, 1:].clone()
    words = range(found.shape[1])
    found[:, words, words] = scores[:, 0, 1:]
    return found
