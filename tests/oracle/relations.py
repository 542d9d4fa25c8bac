"""The definitions of refinements and filters by brute force, over the rules copied by hand in `tests.oracle`.

Nothing of the package is used: items are all tuples of values that a system's `where` allows, step instances come
from the system's own step function, and derivability is a fixpoint over pairs of an item and the links built.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from tests.oracle.naive import Derived, Grammar, Instance, Item, Link, System, all_links, run

Mapping = Callable[[Item], Item | None]
Carry = Callable[[Item], Item]


@dataclass(frozen=True)
class Space:
    """A system at one length: its items, hypotheses left out, and all instances over them, links licensed or not."""

    system: System[Grammar]
    n: int
    hypotheses: frozenset[Item]
    items: frozenset[Item]
    instances: frozenset[Instance]


def space(system: System[Grammar], n: int, forms: dict[str, list[Iterable[Any]]]) -> Space:
    """Return all items of the forms, given by the values of their fields, and all instances over them."""
    hypotheses = frozenset(system.hypotheses(n))
    found = {
        (form, values)
        for form, fields in forms.items()
        for values in product(*fields)
        if system.where(n, (form, values)) and system.normal(n, (form, values)) == (form, values)
    }
    items = frozenset(found - hypotheses)
    return Space(
        system, n, hypotheses, items, frozenset(_instances(system, n, all_links(n), items | hypotheses))
    )


def _instances(
    system: System[Grammar], n: int, grammar: Grammar, known: Iterable[Item]
) -> Iterator[Instance]:
    """Yield the instances over some items, normalised; those that prove nothing are left out."""
    for instance in system.steps(n, grammar, Derived(known)):
        antecedents = tuple(system.normal(n, a) for a in instance.antecedents)
        consequent = system.normal(n, instance.consequent)
        if consequent not in antecedents and system.where(n, consequent):
            yield instance._replace(antecedents=antecedents, consequent=consequent)


def _image(source: Space, target: Space, mapping: Mapping) -> dict[Item, Item] | None:
    """Return the images of the source's items; None if one has none, or two have the same."""
    images = {item: mapping(item) for item in source.items}
    values = list(images.values())
    if any(v not in target.items and v not in target.hypotheses for v in values):
        return None
    if len(set(values)) < len(values):
        return None
    return {item: value for item, value in images.items() if value is not None}


def _new(source: Space) -> Iterator[Instance]:
    yield from (i for i in source.instances if i.consequent not in source.hypotheses)


def emulated(source: Space, target: Space, mapping: Mapping) -> bool:
    """Whether every step of the source is emulated in the target, which builds the same links."""
    images = _image(source, target, mapping)
    if images is None:
        return False
    return all(
        _derives(
            target,
            frozenset(images[a] for a in instance.antecedents if a not in source.hypotheses),
            images[instance.consequent],
            frozenset(instance.links),
        )
        for instance in _new(source)
    )


def _derives(target: Space, given: frozenset[Item], wanted: Item, links: Grammar) -> bool:
    """Whether a derivation from given items builds exactly some links, and nothing else is licensed."""
    built: dict[Item, set[Grammar]] = {item: {frozenset()} for item in given | target.hypotheses}
    while True:
        new: list[tuple[Item, frozenset[Link]]] = []
        for instance in _instances(target.system, target.n, links, list(built)):
            for parts in product(*(built[a] for a in instance.antecedents)):
                made = frozenset(instance.links).union(*parts)
                if made <= links and made not in built.get(instance.consequent, ()):
                    new.append((instance.consequent, made))
        if not new:
            return links in built.get(wanted, ())
        for item, made in new:
            built.setdefault(item, set()).add(made)


def included(source: Space, target: Space, mapping: Mapping) -> bool:
    """Whether every step of the source is a step of the target, hypotheses aside."""
    return _filtered(source, target, mapping, lambda own, given: own == given)


def contained(source: Space, target: Space, mapping: Mapping) -> bool:
    """Whether every step of the source has a step of the target in it, hypotheses aside."""
    return _filtered(source, target, mapping, lambda own, given: own <= given)


def _filtered(
    source: Space, target: Space, mapping: Mapping, fits: Callable[[frozenset[Item], frozenset[Item]], bool]
) -> bool:
    images = _image(source, target, mapping)
    if images is None:
        return False
    for instance in _new(source):
        given = frozenset(images[a] for a in instance.antecedents if a not in source.hypotheses)
        given -= target.hypotheses
        if not any(
            other.consequent == images[instance.consequent]
            and set(other.links) == set(instance.links)
            and fits(frozenset(other.antecedents) - target.hypotheses, given)
            for other in target.instances
        ):
            return False
    return True


# Item refinements: every derivation of the coarser schema is written out -------------------------------------


@dataclass(frozen=True)
class Tree:
    """A derivation: an item, the instance that derives it (None for a hypothesis), the derivations above."""

    item: Item
    instance: Instance | None = None
    above: tuple["Tree", ...] = ()

    def links(self) -> Grammar:
        """Return the links that the derivation builds."""
        own = frozenset(self.instance.links) if self.instance else frozenset()
        return own.union(*(tree.links() for tree in self.above))


def derivations(system: System[Grammar], n: int, depth: int) -> Iterator[Tree]:
    """Yield all derivations of at most so many steps one above the other."""
    chart = run(system, n, all_links(n))
    trees: dict[Item, list[Tree]] = {item: [Tree(item)] for item in chart.hypotheses}
    for _ in range(depth):
        more: dict[Item, set[Tree]] = {item: set(found) for item, found in trees.items()}
        for instance in chart.instances:
            if instance.consequent in chart.hypotheses:
                continue
            for above in product(*(trees.get(a, ()) for a in instance.antecedents)):
                more.setdefault(instance.consequent, set()).add(Tree(instance.consequent, instance, above))
        trees = {item: sorted(found, key=str) for item, found in more.items()}
    for found in trees.values():
        yield from found


def preimages(
    tree: Tree, charts: Callable[[Grammar], frozenset[Instance]], hypotheses: frozenset[Item], carry: Carry
) -> set[Item]:
    """Return the finer items with a derivation that is carried to a derivation."""
    instances = charts(tree.links())

    def of(part: Tree) -> set[Item]:
        if part.instance is None:
            return {h for h in hypotheses if carry(h) == part.item}
        below = dict(zip((p.item for p in part.above), map(of, part.above), strict=True))
        found = {
            i.consequent
            for i in instances
            if carry(i.consequent) == part.item
            and set(i.links) == set(part.instance.links)
            and {carry(a) for a in i.antecedents} == set(part.instance.antecedents)
            and all(a in below[carry(a)] for a in i.antecedents)
        }
        grew = True
        while grew:
            silent = {
                i.consequent
                for i in instances
                if carry(i.consequent) == part.item
                and any(a in found and carry(a) == part.item for a in i.antecedents)
            }
            grew = not silent <= found
            found |= silent
        return found

    return of(tree)


def every_derivation_is_an_image(
    fine: System[Grammar], coarse: System[Grammar], carry: Carry, n: int, depth: int
) -> bool:
    """Whether every derivation of at most so many steps one above the other is carried from one of the finer schema.

    A derivation is a tree of step instances. It is an image if the finer schema, under the links of the derivation
    alone, has a derivation that is carried to it, step by step; steps that prove what is there already count as none.
    """
    known: dict[Grammar, frozenset[Instance]] = {}

    def charts(grammar: Grammar) -> frozenset[Instance]:
        if grammar not in known:
            known[grammar] = run(fine, n, grammar).instances
        return known[grammar]

    hypotheses = frozenset(fine.hypotheses(n))
    return all(preimages(tree, charts, hypotheses, carry) for tree in derivations(coarse, n, depth))
