"""Structures that steps build beside links: constituent trees, discontinuous ones included, alignments, and
other sets of atoms.

A constituent has a category, the stretches of words that it covers, and the constituents below it from left to right.
A stretch is a pair of its first and its last word; that of an empty constituent ends before it begins.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from schemata.errors import UsageError
from schemata.records import Record, ShownAsSvg, field
from schemata.structures.graphs import DependencyGraph, DependencyTree
from schemata.structures.linkages import Linkage
from schemata.structures.semantics import SemanticGraph

WORD = "*word*"
"""The category of a word of a word graph, as long as its path is not known; no category can be called so."""


class Constituent(Record, order=True):
    """A constituent: its category, its stretches of words from left to right, and its children.

    >>> Constituent("NP", ((1, 2),), (Constituent("Det", ((1, 1),)),)).words
    (2,)
    """

    category: str
    spans: tuple[tuple[int, int], ...]
    children: tuple[Constituent, ...] = ()

    @property
    def words(self) -> tuple[int, ...]:
        """The words, from 1, that belong to no constituent below it."""
        below = {word for child in self.children for word in child.covered}
        return tuple(word for word in self.covered if word not in below)

    @property
    def covered(self) -> tuple[int, ...]:
        """All words, from 1, that it covers."""
        return tuple(word for first, last in self.spans for word in range(first, last + 1))

    @property
    def parts(self) -> tuple[Constituent | int, ...]:
        """The constituents right below it and its own words, in the order of their first words."""
        return in_order(self.children, self.words)

    def walk(self) -> Iterator[Constituent]:
        """Yield the constituent and all below it in preorder."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack += reversed(node.children)


def in_order(children: tuple[Constituent, ...], words: tuple[int, ...]) -> tuple[Constituent | int, ...]:
    """Return constituents and words in the order of their first words, an empty constituent before a word."""

    def place(part: Constituent | int) -> tuple[int, int]:
        first, last = (part, part) if isinstance(part, int) else part.spans[0]
        return first, int(last >= first)

    return tuple(sorted((*children, *words), key=place))


class ConstituentTree(Record, ShownAsSvg, order=True):
    """Constituent trees beside each other over the words of a sentence: mostly one tree.

    Printed, it is a text in brackets; where a constituent has gaps, with a number before each word, from 0, as in the
    format discbracket. Trees sort by categories, then stretches, from the top.

    >>> dog = Constituent("S", ((1, 3),), (Constituent("VP", ((1, 1), (3, 3))),))
    >>> print(ConstituentTree((dog,), ("what", "he", "saw")))
    (S (VP 0=what 2=saw) 1=he)
    >>> print(ConstituentTree((Constituent("S", ((1, 1),), (Constituent("V", ((1, 1),)),)),), ("go",)))
    (S (V go))
    """

    nodes: tuple[Constituent, ...]
    words: tuple[str, ...]

    @property
    def is_discontinuous(self) -> bool:
        """Whether some constituent has a gap."""
        return any(len(node.spans) > 1 for top in self.nodes for node in top.walk())

    @property
    def parts(self) -> tuple[Constituent | int, ...]:
        """The trees, and the words that are in none, from left to right."""
        covered = {word for node in self.nodes for word in node.covered}
        return in_order(self.nodes, tuple(k for k in range(1, len(self.words) + 1) if k not in covered))

    def __str__(self) -> str:
        return self.in_brackets(self.is_discontinuous)

    def in_brackets(self, numbered: bool = False) -> str:
        """Return the tree in brackets; numbered, each word has its number before it, as in the format discbracket."""

        def text(part: Constituent | int) -> str:
            if isinstance(part, int):
                word = self.words[part - 1].replace("(", "-LRB-").replace(")", "-RRB-")
                return f"{part - 1}={word}" if numbered else word
            return f"({' '.join([part.category, *map(text, part.parts)])})"

        return " ".join(map(text, self.parts))

    def in_format(self, name: str, number: int = 1) -> str:
        """Return the tree in brackets, discbracket, or the NeGra export format, there as the sentence of that number.

        Raises
        ------
        UsageError : a constituent has a gap, and brackets have none.
        """
        if name == "negra":
            return self.export(number)
        if name == "brackets" and self.is_discontinuous:
            message = "a constituent has a gap, and brackets have none"
            raise UsageError(message, code="bad-option", hint="--export discbracket or negra")
        return self.in_brackets(name == "discbracket")

    def to_json(self) -> str:
        """Return the tree in brackets."""
        return str(self)

    def export(self, number: int = 1) -> str:
        """Return the tree in the NeGra export format, as the sentence of that number.

        Words without a constituent of their own stand for their part of speech; empty constituents, which the format
        has no place for, are left out.

        References
        ----------
        Brants 1997, The NeGra Export Format for Annotated Corpora, version 3.
        """
        inner = [node for top in self.nodes for node in top.walk() if node.covered]
        leaves = {node.covered[0]: node for node in inner if not node.children and len(node.covered) == 1}
        tags = set(map(id, leaves.values()))
        phrases = [node for node in reversed(inner) if id(node) not in tags]
        ids = {id(node): 500 + k for k, node in enumerate(phrases)}
        above: dict[int, int] = {}
        over: dict[int, int] = {}
        for node in phrases:
            above |= {id(child): ids[id(node)] for child in node.children}
            over |= dict.fromkeys(node.words, ids[id(node)])
        lines = [f"#BOS {number}"]
        for k, word in enumerate(self.words, start=1):
            leaf = leaves.get(k)
            parent = over.get(k, 0) if leaf is None else above.get(id(leaf), 0)
            lines.append(f"{word}\t{word if leaf is None else leaf.category}\t--\t--\t{parent}")
        lines += [f"#{ids[id(x)]}\t{x.category}\t--\t--\t{above.get(id(x), 0)}" for x in phrases]
        return "\n".join([*lines, f"#EOS {number}"])


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

    def in_format(self, name: str, number: int = 1) -> str:
        """Return the alignment in the Pharaoh format."""
        return str(self)

    def to_json(self) -> list[list[int]]:
        """Return the pairs as lists."""
        return [list(pair) for pair in self.pairs]


def atom_text(atom: tuple[Any, ...]) -> str:
    """Return an atom as the language writes it: its name and its arguments, lists in angle brackets.

    >>> atom_text(("bracket", "VP", ((0, 1), (2, 4)))), atom_text(("gap", (3,)))
    ('bracket(VP, <(0, 1), (2, 4)>)', 'gap(<3>)')
    """

    def text(value: Any, inside: bool = False) -> str:
        if not isinstance(value, tuple):
            return str(value)
        parts = ", ".join(text(part, True) for part in value)
        return f"({parts})" if inside else f"<{parts}>"

    name, *arguments = atom
    return f"{name}({', '.join(map(text, arguments))})"


class AtomSet(Record):
    """A set of atoms, each with its name before its arguments.

    >>> print(AtomSet((("pair", 1, 4), ("pair", 2, 3))))
    pair(1, 4) pair(2, 3)
    """

    atoms: tuple[tuple[Any, ...], ...]

    def __str__(self) -> str:
        return " ".join(map(atom_text, self.atoms))

    def to_json(self) -> list[list[Any]]:
        """Return the atoms as lists."""
        return [list(atom) for atom in self.atoms]


Structure: TypeAlias = (
    DependencyTree | DependencyGraph | Linkage | ConstituentTree | Alignment | SemanticGraph | AtomSet
)
"""A structure of any kind."""
