"""Grammars that are one tree: given by its heads, or the gold tree of each sentence.

D-rule grammars and dependency rule grammars can both be such; what differs is what they make of the tree.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass

from schemata.errors import Diagnostic, GrammarError, StructureError, UsageError
from schemata.structures.sentence import Sentence
from schemata.structures.trees import DependencyTree

__all__ = ["GoldLinks", "TreeLinks", "gold_tree", "tree_of", "tree_of_length"]


@dataclass(frozen=True, slots=True)
class GoldLinks:
    """Each sentence's own gold heads are licensed, and nothing else."""


@dataclass(frozen=True, slots=True)
class TreeLinks:
    """The links of one tree, for sentences of its length."""

    tree: DependencyTree


def tree_of(heads: Iterable[int]) -> DependencyTree:
    """Return the tree of the heads a user gave.

    Raises
    ------
    UsageError : they are not a tree.
    """
    try:
        return DependencyTree(tuple(map(operator.index, heads)))
    except StructureError as problem:
        raise UsageError(problem.diagnostics) from None
    except TypeError:
        raise UsageError(f"heads are whole numbers, one per word, not {heads!r}") from None


def gold_tree(sentence: Sentence) -> DependencyTree:
    """Return the gold tree of a sentence.

    Raises
    ------
    GrammarError : the sentence has no gold heads, or they are not a tree.
    """
    named = f" {sentence.name}" if sentence.name else ""
    if sentence.heads is None:
        raise GrammarError(
            Diagnostic(
                "no-gold-heads",
                f"the grammar is the gold tree of each sentence, but the sentence{named} has no gold heads",
                hint="give a sentence of a treebank, or the heads themselves: heads:2,3,0",
            )
        )
    try:
        return DependencyTree(sentence.heads)
    except StructureError as problem:
        raise GrammarError(
            Diagnostic(
                "broken-gold-heads",
                f"the gold heads of the sentence{named} are not a tree: {problem.diagnostics[0].message}",
            )
        ) from problem


def tree_of_length(tree: DependencyTree, sentence: Sentence) -> DependencyTree:
    """Return a tree that stands for a grammar, if it fits the sentence.

    Raises
    ------
    GrammarError : the tree has more or fewer words than the sentence.
    """
    given, n = len(tree), len(sentence)
    if given == n:
        return tree
    raise GrammarError(
        Diagnostic(
            "wrong-length",
            f"the grammar is a tree with {given} head{'s' * (given != 1)}, "
            f"but the sentence has {n} word{'s' * (n != 1)}",
            hint="give one head per word, 0 for the root",
        )
    )
