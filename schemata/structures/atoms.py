"""Structures that are sets of atoms: alignments, and sets that make up nothing else."""

from __future__ import annotations

from typing import Any

from schemata.quick_dataclasses import Record, field


class Alignment(Record, order=True):
    """Pairs of words of two sentences, both counted from 1, with the words.

    Printed, it is a line of the Pharaoh format: pairs counted from 0.

    >>> print(Alignment(((1, 1), (2, 3))))
    0-0 1-2
    """

    pairs: tuple[tuple[int, int], ...]
    words: tuple[str, ...] = field(default=(), compare=False)
    others: tuple[str, ...] = field(default=(), compare=False)  # of the second input, where there are two

    def __str__(self) -> str:
        return " ".join(f"{i - 1}-{j - 1}" for i, j in self.pairs)

    def to_json(self) -> list[list[int]]:
        """Return the pairs as lists."""
        return [list(pair) for pair in self.pairs]


class AtomSet(Record):
    """A set of atoms, each with its name before its arguments.

    >>> print(AtomSet((("pair", 1, 4), ("pair", 2, 3))))
    pair(1, 4) pair(2, 3)
    """

    atoms: tuple[tuple[Any, ...], ...]

    def __str__(self) -> str:
        return " ".join(f"{name}({', '.join(map(str, arguments))})" for name, *arguments in self.atoms)

    def to_json(self) -> list[list[Any]]:
        """Return the atoms as lists."""
        return [list(atom) for atom in self.atoms]
