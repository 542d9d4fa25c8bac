"""Structures in the formats of treebanks: CoNLL-U, brackets, discbracket, the NeGra export format, Pharaoh pairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from schemata.errors import UsageError
from schemata.structures import DependencyGraph, DependencyTree, Sentence
from schemata.structures.constituents import Alignment, ConstituentTree

FORMATS: Mapping[str, tuple[str, ...]] = {
    "conllu": ("dependency tree", "dependency graph"),
    **dict.fromkeys(("brackets", "discbracket", "negra"), ("constituent tree",)),
    "pharaoh": ("alignment",),
}
"""The formats, each with the kinds of structures that it is for."""


def check_format(name: str, structure: str) -> None:
    """Check that a format is for a kind of structures.

    Raises
    ------
    UsageError : it is not.
    """
    if structure not in FORMATS[name]:
        fitting = [other for other, kinds in FORMATS.items() if structure in kinds]
        hint = f"--export {' or '.join(fitting)}" if fitting else "--json has structures of all kinds"
        raise UsageError(f"the format {name} has no {structure}s", code="bad-option", hint=hint)


def exported(sentence: Sentence, structure: Any, name: str, number: int = 1) -> str:
    """Return a structure of a sentence in a format, without a line end.

    Parameters
    ----------
    sentence : the sentence.
    structure : its structure.
    name : one of `FORMATS`.
    number : its place, from 1, among those that are exported.

    Raises
    ------
    UsageError : the format has no such structures: brackets no gaps.

    >>> print(exported(Sentence.of("a cat"), DependencyTree((2, 0)), "conllu").replace(chr(9), " "))
    # text = a cat
    1 a _ _ _ _ 2 dep _ _
    2 cat _ _ _ _ 0 root _ _
    <BLANKLINE>
    """
    match structure:
        case DependencyTree() | DependencyGraph() if name == "conllu":
            return _conllu(sentence, structure)
        case ConstituentTree() if name == "negra":
            return structure.export(number)
        case ConstituentTree(is_discontinuous=True) if name == "brackets":
            message = "a constituent has a gap, and brackets have none"
            raise UsageError(message, code="bad-option", hint="--export discbracket or negra")
        case ConstituentTree():
            return structure.in_brackets(name == "discbracket")
        case Alignment():
            return str(structure)
    raise UsageError(f"the format {name} has no such structures", code="bad-option")


def _conllu(sentence: Sentence, structure: DependencyTree | DependencyGraph) -> str:
    """Return a tree with its heads, or a graph as enhanced dependencies, with an empty line at the end."""
    lines = [] if sentence.name is None else [f"# sent_id = {sentence.name}"]
    lines.append(f"# text = {' '.join(sentence.words)}")
    for k, word in enumerate(sentence.words, start=1):
        tag = sentence.tags[k - 1] if sentence.tags else "_"
        if isinstance(structure, DependencyTree):
            head, label = structure.heads[k - 1], structure.labels[k - 1] if structure.labels else ""
            columns = [str(head), label or ("dep" if head else "root"), "_"]
        else:
            links = [tuple(link) for link in structure.to_json() if link[0] == k]
            heads = sorted((h, *labels, "dep" if h else "root")[:2] for _, h, *labels in links)
            columns = ["_", "_", "|".join(f"{h}:{label}" for h, label in heads) or "_"]
        lines.append("\t".join([str(k), word, "_", tag, "_", "_", *columns, "_"]))
    return "\n".join([*lines, ""])
