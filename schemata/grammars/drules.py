"""D-rule grammars: which word of a sentence may be a dependent of which.

`DRules` is a grammar for any sentence. Asked for the grammar of one sentence it gives `Licences`, the set of
licensed links. What it licenses may be given as everything, as a tree, as links, as the gold tree of each
sentence, or as rules over parts of speech and word forms read from a file.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass, field
from os import PathLike
from typing import ClassVar

from schemata.errors import Diagnostic, GrammarError, UsageError
from schemata.grammars.licences import Licences, all_licences
from schemata.grammars.licensing import DRuleSet, licensed_pairs, shared_categories
from schemata.grammars.single_trees import GoldLinks, TreeLinks, gold_tree, tree_of, tree_of_length
from schemata.structures.sentence import Sentence

__all__ = ["AllLinks", "DRules", "LinkSet"]


@dataclass(frozen=True, slots=True)
class AllLinks:
    """Every word may hang under every other word and under 0."""


@dataclass(frozen=True, slots=True)
class LinkSet:
    """These links, as (dependent, head)."""

    pairs: frozenset[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class DRules:
    """A D-rule grammar; make one with `all`, `gold`, `from_heads`, `from_pairs`, `from_rules` or `read`.

    Parameters
    ----------
    basis : what is licensed.
    single_root : list and count only trees in which one word alone hangs under the artificial root. It
        restricts the trees, not the licences: a chart is the same with it and without.
    warnings : what the file the grammar was read from made one wonder about; no part of its value.

    References
    ----------
    GCW11, section 2.2.

    >>> from schemata.structures.sentence import Sentence
    >>> sorted(DRules.from_heads((2, 0)).for_sentence(Sentence.of("dogs bark")).pairs)
    [(1, 2), (2, 0)]
    """

    kind: ClassVar[str] = "d-rules"

    basis: AllLinks | GoldLinks | TreeLinks | LinkSet | DRuleSet
    single_root: bool = False
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False, repr=False)

    @classmethod
    def all(cls, single_root: bool = False) -> DRules:
        """Return the grammar that licenses any word under any other word and under 0."""
        return cls(AllLinks(), single_root)

    @classmethod
    def gold(cls, single_root: bool = False) -> DRules:
        """Return the grammar that licenses exactly the gold heads of each sentence."""
        return cls(GoldLinks(), single_root)

    @classmethod
    def from_heads(cls, heads: Iterable[int], single_root: bool = False) -> DRules:
        """Return the grammar that licenses exactly the links of a tree.

        Parameters
        ----------
        heads : the head of each word, 0 for the artificial root.
        single_root : as for the class.

        Raises
        ------
        UsageError : the heads are not a tree: none, out of range, a word its own head, a cycle.

        >>> DRules.from_heads((2, 3, 1))
        Traceback (most recent call last):
        schemata.errors.UsageError: error: heads (2, 3, 1) have a cycle: 1 -> 2 -> 3 -> 1
        """
        return cls(TreeLinks(tree_of(heads)), single_root)

    @classmethod
    def from_pairs(cls, pairs: Iterable[tuple[int, int]], single_root: bool = False) -> DRules:
        """Return the grammar that licenses exactly some links.

        Parameters
        ----------
        pairs : the links as (dependent, head), 0 the artificial root. They need not make up a tree.
        single_root : as for the class.

        Raises
        ------
        UsageError : not a pair of whole numbers, a dependent below 1, a head below 0, a word under itself.
        """
        links = frozenset(map(_link, pairs))
        for d, h in sorted(links):
            if d < 1:
                raise UsageError(f"the link ({d}, {h}) has dependent {d}, but the words are 1, 2, ...")
            if h < 0:
                raise UsageError(f"the link ({d}, {h}) has head {h}, but heads are words or 0, the root")
            if d == h:
                raise UsageError(f"the link ({d}, {h}) makes word {d} its own head")
        return cls(LinkSet(links), single_root)

    @classmethod
    def from_rules(cls, rules: DRuleSet, single_root: bool = False) -> DRules:
        """Return the grammar of rules over parts of speech and word forms."""
        return cls(rules, single_root)

    @classmethod
    def read(cls, path: str | PathLike[str], single_root: bool = False) -> DRules:
        """Read a D-rule file.

        Parameters
        ----------
        path : the file, usually with suffix ``.drules``.
        single_root : as for the class.

        Raises
        ------
        GrammarError : the file cannot be read or holds mistakes; all of them are reported.
        """
        from schemata.grammars.drule_format import read_d_rules

        rules, warnings = read_d_rules(path)
        return cls(rules, single_root, warnings)

    def for_sentence(self, sentence: Sentence) -> Licences:
        """Return the licensed links of a sentence.

        Raises
        ------
        GrammarError : the grammar does not fit the sentence: a tree of another length, a link beyond the
            last word, gold heads asked of a sentence without them, parts of speech of one without tags.
        """
        n = len(sentence)
        match self.basis:
            case AllLinks():
                return all_licences(n, self.single_root)
            case TreeLinks(tree):
                pairs = frozenset(tree_of_length(tree, sentence).links)
            case GoldLinks():
                pairs = frozenset(gold_tree(sentence).links)
            case LinkSet(pairs):
                beyond = next((pair for pair in sorted(pairs) if max(pair) > n), None)
                if beyond:
                    raise GrammarError(
                        f"the grammar licenses the link {beyond}, but the sentence has {n} words"
                    )
            case DRuleSet():
                pairs = licensed_pairs(self.basis, sentence)
                return Licences(n, pairs, self.single_root, shared=shared_categories(self.basis, sentence))
        return Licences(n, pairs, self.single_root)


def _link(pair: tuple[int, int]) -> tuple[int, int]:
    try:
        d, h = map(operator.index, pair)
    except (TypeError, ValueError):
        raise UsageError(f"a link is a pair (dependent, head) of whole numbers, not {pair!r}") from None
    return d, h
