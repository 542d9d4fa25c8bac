"""What derivations build, so that a step and what emulates it can be compared.

A derivation starts from given items whose own structure is not known. It builds links, and it may settle heads:
schemata over rules say `head h` and `link head of 2 to head of 1`. The head of a given item is a node without a
word yet, named after the item; a step that opens a rule makes a node that has no word yet either; steps that put
two parts of one rule together make their nodes one. An *effect* is the links between nodes, the nodes that have
become one, and the node that heads the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from schemata.language import model as m

__all__ = ["NOTHING", "Effect", "builds_by_heads", "effect_of", "given_effect"]

Node: TypeAlias = tuple[int, int]
"""(0, w) is the word w, (1, k) the head of the given item k, (2, k) a head that is no word yet; (3, k) stands for all
that the given item k has built."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What a derivation builds.

    Attributes
    ----------
    links : (dependent, head).
    merged : nodes that have become one, two or more in each set.
    head : the node that heads the result; None where the schema does not speak of heads.
    """

    links: frozenset[tuple[Node, Node]] = frozenset()
    merged: frozenset[frozenset[Node]] = frozenset()
    head: Node | None = None


NOTHING = Effect()


def builds_by_heads(schema: m.Schema) -> bool:
    """Whether the schema says what is built by heads instead of by positions."""
    return any(case.head_links for case in schema.cases)


def given_effect(number: int, by_heads: bool, used: bool = False) -> Effect:
    """Return the effect of a given item: nothing but its own head.

    With `used`, the effect also says that the item's own structure is part of what is built.
    """
    links = frozenset((((3, number), (3, number)),)) if used else frozenset()
    return Effect(links, head=(1, number) if by_heads else None)


def effect_of(
    case: m.Case,
    parts: Sequence[Effect],
    links: Iterable[tuple[int, int]],
    head: int | None,
    by_heads: bool,
) -> Effect:
    """Return what a step builds from what its antecedents have built.

    Parameters
    ----------
    case : the rule.
    parts : the effects of the antecedents; those of context antecedents do not count.
    links : the links between positions that the instance builds.
    head : the word that the rule says heads what is built.
    by_heads : whether the schema builds by heads.
    """
    built: set[tuple[Node, Node]] = {((0, d), (0, h)) for d, h in links}
    structural = [k for k, a in enumerate(case.antecedents) if not a.context]
    if not by_heads:
        for k in structural:
            built |= parts[k].links
        return Effect(frozenset(built)) if built else NOTHING
    fresh = _Fresh()
    heads: dict[int, Node | None] = {}
    classes: list[set[Node]] = []
    for k in structural:
        renaming = fresh.renaming(parts[k])
        built |= {(_renamed(d, renaming), _renamed(h, renaming)) for d, h in parts[k].links}
        classes += [{_renamed(node, renaming) for node in group} for group in parts[k].merged]
        own = parts[k].head
        heads[k] = None if own is None else _renamed(own, renaming)
    attached = {link.dependent for link in case.head_links}
    result: Node = (0, head) if head is not None else fresh.new()
    classes += [{result, node} for k, node in heads.items() if k not in attached and node is not None]
    for link in case.head_links:
        over = result if link.head == link.dependent or link.head in attached else heads[link.head]
        dependent = heads[link.dependent]
        if dependent is not None and over is not None:
            built.add((dependent, over))
    return _canonical(built, classes, result)


class _Fresh:
    """Numbers for nodes that are no words yet."""

    def __init__(self) -> None:
        self.next = 0

    def new(self) -> Node:
        self.next += 1
        return 2, self.next - 1

    def renaming(self, effect: Effect) -> dict[Node, Node]:
        """Return new names for the nameless nodes of an effect."""
        nodes = {node for link in effect.links for node in link if node[0] == 2}
        if effect.head is not None and effect.head[0] == 2:
            nodes.add(effect.head)
        return {node: self.new() for node in sorted(nodes)}


def _renamed(node: Node, renaming: Mapping[Node, Node]) -> Node:
    return renaming.get(node, node)


def _canonical(links: set[tuple[Node, Node]], classes: list[set[Node]], head: Node) -> Effect:
    """Return the effect with one name for nodes that are one: a word before a given head before a new node."""
    groups: list[set[Node]] = []
    for group in classes:
        joined = set(group)
        rest = []
        for other in groups:
            if other & joined:
                joined |= other
            else:
                rest.append(other)
        groups = [*rest, joined]
    name = {node: min(group) for group in groups for node in group}
    head = name.get(head, head)
    built = sorted({(name.get(d, d), name.get(h, h)) for d, h in links})
    # Nameless nodes are numbered in the order in which they are met, the head first.
    numbers: dict[Node, Node] = {}
    for node in (head, *(node for link in built for node in link)):
        if node[0] == 2 and node not in numbers:
            numbers[node] = (2, len(numbers))
    merged = {frozenset(node for node in group if node[0] != 2) for group in groups}
    return Effect(
        frozenset((numbers.get(d, d), numbers.get(h, h)) for d, h in built),
        frozenset(group for group in merged if len(group) > 1),
        numbers.get(head, head),
    )
