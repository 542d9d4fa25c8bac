"""What a schema derives of so many words, by trying everything: instances of rules over numbers, and sums over them.

Nothing of the engines is used, nor of the proofs: a lowered schema, the columns 0..n + 1, all values tried. `Grounded`
has the instances of all rules for one number of words; `structures` are the sets of links of final items with their
numbers of derivations; `times` says how often each of many trees is derived under its own grammar; `total` is the
number of all derivations. Instances that differ in contexts alone are one, and those that give back an antecedent are
none, as in `docs/proofs.md`.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from schemata.order.logic import granted
from schemata.program.facts import conditions_of
from schemata.program.linear import Affine, AnyOf, Linear, Provided, Test, linear_terms
from schemata.program.model import Atom, Program

Array = Any
DEAD = -1  # what is no part of any tree
_BITS = 4  # of the head of each node, plus one
_ONE = 0  # the number of an item that stands for nothing
_HASH = np.random.default_rng(7).integers(1, 1 << 62, 64)


def _value(term: Affine, columns: Mapping[str, Array], size: int) -> Array:
    total = np.full(size, term.constant, dtype=np.int64)
    for name, k in term.terms:
        total += k * columns[name]
    return total


def _holds(test: Test, columns: Mapping[str, Array], size: int) -> Array:
    match test:
        case Linear(relation, left):
            value = _value(left, columns, size)
            return value >= 0 if relation == ">=" else (value == 0) if relation == "==" else (value != 0)
        case AnyOf(options):
            found = np.zeros(size, dtype=bool)
            for option in options:
                found |= np.logical_and.reduce([_holds(t, columns, size) for t in option])
            return found
        case Provided("licensed"):
            return np.logical_and.reduce([_holds(t, columns, size) for t in granted(test)])
    raise ValueError(f"no brute force for {test}")


def solutions(names: Sequence[str], tests: Iterable[Test], n: int) -> tuple[dict[str, Array], int]:
    """Return all values from 0 to n + 1 of variables for which tests hold: a column each; and how many there are."""
    waiting = [(test, {x for term in linear_terms(test) for x in term.names} - {"n"}) for test in tests]
    columns: dict[str, Array] = {"n": np.array([n])}
    size, domain = 1, np.arange(n + 2)
    for known in range(len(names) + 1):
        if known:
            columns = {x: np.repeat(column, n + 2) for x, column in columns.items()}
            columns[names[known - 1]] = np.tile(domain, size)
            size *= n + 2
        ready = [test for test, needed in waiting if needed <= columns.keys()]
        waiting = [row for row in waiting if not row[1] <= columns.keys()]
        if ready:
            kept = np.logical_and.reduce([_holds(test, columns, size) for test in ready])
            columns = {x: column[kept] for x, column in columns.items()}
            size = int(kept.sum())
    assert not waiting
    return columns, size


class Grounded:
    """The instances of the rules of a program, for n words.

    Parameters
    ----------
    program : without normal forms, whose rules ask of grammars licences alone.
    n : the number of words.
    kept : what is the same for several programs, such as schemata with one change, is worked out once.
    """

    def __init__(self, program: Program, n: int, kept: dict[Any, Any] | None = None) -> None:
        assert not program.equations
        self.n, self.kinds = n, program.kinds
        self._kept: dict[Any, Any] = {} if kept is None else kept
        wide = max((len(k.columns) for k in program.kinds), default=0)
        self._places = np.array([(n + 4) ** k for k in range(wide + 1)], dtype=np.int64)
        rows = [self._of_rule(number, rule) for number, rule in enumerate(program.rules)]
        starts = [self._items((c.atom,), c.tests)[0] for c in program.hypotheses]
        ends = [self._items((c.atom,), c.tests)[0] for c in program.finals]
        made = [row["consequent"] for row in rows]
        codes = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *starts, *made]))
        self.size = len(codes) + 1

        def numbers(of: Array) -> Array:
            """Return the numbers of items, from 1; -1 for none, 0 where none is asked for."""
            places = np.minimum(np.searchsorted(codes, of), max(0, len(codes) - 1))
            found = np.where(codes[places] == of, places + 1, -1) if len(codes) else np.full(of.shape, -1)
            return np.where(of == DEAD, _ONE, found)

        self.starts = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *map(numbers, starts)]))
        ended = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *map(numbers, ends)]))
        self.ends = ended[ended > 0]
        self._join(rows, numbers)

    def _code(self, atom: Atom, columns: Mapping[str, Array], size: int) -> tuple[Array, Array]:
        """Return a number for an item, and whether its columns are nodes."""
        total, fits = np.full(size, 0, dtype=np.int64), np.ones(size, dtype=bool)
        for k, term in enumerate(atom.terms):
            value = _value(term, columns, size)
            fits &= (value >= 0) & (value <= self.n + 1)
            total += (value + 1) * self._places[k]
        return total * len(self.kinds) + atom.kind, fits

    def _items(
        self, atoms: Sequence[Atom], tests: Iterable[Test], more: Iterable[Affine] = ()
    ) -> tuple[Array, ...]:
        """Return numbers of items, a column each, and values of more terms, of all solutions of tests."""
        atoms, more = tuple(atoms), tuple(more)
        conditions = [test for atom in atoms for test in conditions_of(self.kinds, atom)]
        every = tuple(dict.fromkeys([*tests, *conditions]))
        key = self.n, len(self.kinds), len(self._places), atoms, every, more
        if key not in self._kept:
            names = list(dict.fromkeys(x for t in linear_terms((atoms, every, more)) for x in t.variables))
            columns, size = solutions(names, every, self.n)
            parts = [self._code(atom, columns, size) for atom in atoms]
            fits = np.logical_and.reduce([fit for _, fit in parts])
            values = [np.broadcast_to(_value(term, columns, size), (size,)) for term in more]
            self._kept[key] = tuple(x[fits] for x in [*(code for code, _ in parts), *values])
        found: tuple[Array, ...] = self._kept[key]
        return found

    def _of_rule(self, number: int, rule: Any) -> dict[str, Any]:
        licences = [test for test in rule.tests if isinstance(test, Provided)]
        pairs = [tuple(test.arguments) for test in licences] + [tuple(link[:2]) for link in rule.links]
        atoms = (rule.consequent, *rule.antecedents)
        found = self._items(atoms, rule.tests, [end for pair in pairs for end in pair])
        items, ends = found[1 : len(atoms)], found[len(atoms) :]
        links = [
            np.clip(ends[2 * k], -1, self.n + 2) * 64 + np.clip(ends[2 * k + 1], -1, self.n + 2) + 65
            for k in range(len(pairs))
        ]
        return {
            "case": rule.case,
            "consequent": found[0],
            "antecedents": [x for x, context in zip(items, rule.contexts, strict=True) if not context],
            "contexts": [x for x, context in zip(items, rule.contexts, strict=True) if context],
            "licences": links[: len(licences)],
            "links": links[len(licences) :],
        }

    def _join(self, rows: list[dict[str, Any]], numbers: Any) -> None:
        """Put the instances of all rules in one table, those whose antecedents are derived; in an order of levels."""
        total = sum(len(row["consequent"]) for row in rows)

        def table(name: str, missing: int) -> Array:
            width = max((len(row[name]) for row in rows), default=0)
            found = np.full((max(width, 1), total), missing, dtype=np.int64)
            at = 0
            for row in rows:
                size = len(row["consequent"])
                for k, column in enumerate(row[name]):
                    found[k, at : at + size] = column
                at += size
            return found

        cases = np.concatenate(
            [np.zeros(0, dtype=np.int64), *(np.full(len(r["consequent"]), r["case"]) for r in rows)]
        )
        made = numbers(np.concatenate([np.zeros(0, dtype=np.int64), *(r["consequent"] for r in rows)]))
        above, beside = numbers(table("antecedents", DEAD)), numbers(table("contexts", DEAD))
        asked, built = table("licences", 0), table("links", 0)
        kept = (above >= 0).all(0) & (beside >= 0).all(0) & ~(above == made).any(0)

        def only(chosen: Array) -> None:
            nonlocal cases, made, above, beside, asked, built
            cases, made = cases[chosen], made[chosen]
            above, beside, asked, built = (
                above[:, chosen],
                beside[:, chosen],
                asked[:, chosen],
                built[:, chosen],
            )

        only(kept)
        there = np.zeros(self.size, dtype=bool)
        there[[_ONE, *self.starts]] = True
        while True:
            more = there[above].all(0) & there[beside].all(0)
            if there[made[more]].all():
                break
            there[made[more]] = True
        only(more)
        self.ends = self.ends[there[self.ends]]
        level = np.zeros(self.size, dtype=np.int64)
        self.cyclic = True
        for _ in range(6 * (self.n + 3)):
            own = np.maximum(level[above].max(0), level[beside].max(0)) + 1
            new = level.copy()
            np.maximum.at(new, made, own)
            if (new == level).all():
                self.cyclic = False
                break
            level = new
        # Instances that differ in contexts and licences alone are one group.
        parts = np.concatenate([cases[None], made[None], above, built])
        key = (parts * _HASH[: len(parts), None]).sum(0)
        _, group = np.unique(key, return_inverse=True)
        own = np.maximum(level[above].max(0, initial=0), level[beside].max(0, initial=0))
        stage = np.zeros(group.max(initial=-1) + 1, dtype=np.int64)
        np.maximum.at(stage, group, own)
        order = np.lexsort((group, made, stage[group]))
        only(order)
        group, stage = group[order], stage[group[order]]
        first = (
            np.flatnonzero(np.r_[True, group[1:] != group[:-1]])
            if len(group)
            else np.zeros(0, dtype=np.int64)
        )
        self.beside, self.asked = beside, asked
        self.first = first  # of each group
        self.made, self.above, self.built = made[first], above[:, first], built[:, first]
        free = (built[:, None] != asked[None]).all(1) & (built > 0)
        self.unlicensed = {int(x) for x in built[free]}
        self._cuts = (
            np.flatnonzero(np.r_[True, stage[first][1:] != stage[first][:-1], True]) if len(first) else [0]
        )

    # Sums ---------------------------------------------------------------------------------------------------------

    def _stages(self) -> Iterator[tuple[int, int]]:
        yield from itertools.pairwise(int(x) for x in self._cuts)

    def _counts(self, allowed: Array | None, most: int) -> Array:
        width = 1 if allowed is None else allowed.shape[1]
        # Products of numbers near `most` are beyond integers.
        counts = np.zeros((self.size, width), dtype=np.float64 if allowed is None else np.int16)
        counts[[_ONE, *self.starts]] = 1
        base = counts.copy()
        bounds = np.r_[self.first, len(self.asked[0])]
        endless = np.zeros(counts.shape, dtype=bool)
        for height in itertools.count():
            # Where items come from each other, sums are taken until they stay as they are: those of derivations up to
            # a height. One that is higher than there are items goes round, and so does it as often as one likes.
            source, counts = counts, base.copy()
            for low, high in self._stages():
                above = source if self.cyclic else counts
                rows = slice(bounds[low], bounds[high])
                fine = (above[self.beside[:, rows]] > 0).all(0)
                if allowed is not None:
                    fine &= allowed[self.asked[:, rows]].all(0)
                if bounds[high] - bounds[low] > high - low:
                    fine = np.logical_or.reduceat(fine, bounds[low:high] - bounds[low], axis=0)
                part = fine * above[self.above[:, low:high]].prod(0, dtype=counts.dtype)
                made = self.made[low:high]
                runs = np.flatnonzero(np.r_[True, made[1:] != made[:-1]])
                sums = np.add.reduceat(part, runs, axis=0)
                counts[made[runs]] = np.minimum(counts[made[runs]] + sums, most)
            if height > self.size:
                endless |= counts > source
            counts[endless] = most
            if not self.cyclic or (counts == source).all():
                break
        return counts

    def times(self, allowed: Array | None, most: int) -> Array:
        """Return how often final items are derived under each of many grammars, to `most`.

        Parameters
        ----------
        allowed : for each link (`place`) and each grammar, whether it is licensed; None for one, of all links.
        most : more is as much.
        """
        found: Array = np.minimum(self._counts(allowed, most)[self.ends].astype(np.int64).sum(0), most)
        return found

    def there(self, allowed: Array | None) -> Array:
        """Return for each group of instances whether one is there under a grammar."""
        if allowed is None or not len(self.first):
            return np.ones(len(self.first), dtype=bool)
        fine = (self._counts(allowed, 1)[self.beside] > 0).all(0) & allowed[self.asked].all(0)
        found: Array = np.logical_or.reduceat(fine[:, 0], self.first)
        return found

    def total(self) -> int:
        """Return the number of derivations of final items under the grammar of all links."""
        return int(self.times(None, 1 << 40)[0])

    def structures(self, allowed: Array | None = None) -> dict[int, int]:
        """Return the links of final items, as a number (`heads_number`), with 1 or 2 for one derivation or more.

        `DEAD` is for links that are no part of a tree: two heads. With a grammar, as a column of `grammars`, only what
        is derived under it.
        """
        return _summed(self, lambda number: number, _together, allowed)

    def builds_unlicensed(self) -> bool:
        """Whether a final item has a link without licence, under the grammar of all links but that one."""
        for link in self.unlicensed:
            dependent, head = (link - 64) // 64, (link - 64) % 64 - 1
            allowed = np.ones((64 * 20, 1), dtype=bool)
            allowed[link] = False
            for number in self.structures(allowed):
                if number == DEAD or number >> (_BITS * dependent) & 15 == head + 1:
                    return True
        return False

    def is_sound(self) -> bool:
        """Whether final items have nothing but trees, as far as heads, cycles, and crossings of one structure of each
        sort of items tell: sets of nodes with heads, and of nodes that hang together.
        """
        parts = _Parts(self.n)
        return all(parts.is_tree(state) for state in _summed(self, parts.of, parts.together))


def place(dependent: int, head: int) -> int:
    """Return the number of a link; 0 is that of none, which every grammar licenses."""
    return dependent * 64 + head + 65


def grammars(trees: Sequence[Sequence[int]]) -> Array:
    """Return the links of trees as `Grounded.times` takes them."""
    found = np.zeros((64 * 20, len(trees)), dtype=bool)
    found[0] = True
    for k, heads in enumerate(trees):
        for dependent, head in enumerate(heads, start=1):
            found[place(dependent, head), k] = True
    return found


def heads_number(heads: Sequence[int]) -> int:
    """Return the heads of words 1, 2 ... as one number; -1 for none."""
    return sum((head + 1) << (_BITS * k) for k, head in enumerate(heads, start=1))


def _of_links(links: Iterable[int], n: int) -> int:
    total = 0
    for code in links:
        if code:
            dependent, head = (code - 65 + 1) // 64, (code - 65 + 1) % 64 - 1
            if dependent == head or not 1 <= dependent <= n or not 0 <= head <= n:
                return DEAD
            total = _together(total, (head + 1) << (_BITS * dependent))
    return total


@cache
def _taken(number: int) -> int:
    """Return which nodes have heads: all bits of each."""
    found, at = 0, 0
    while number >> at:
        if number >> at & 15:
            found |= 15 << at
        at += _BITS
    return found


def _together(one: int, other: int) -> int:
    if one == DEAD or other == DEAD:
        return DEAD
    if one & _taken(other) != other & _taken(one):
        return DEAD
    return one | other


def _summed(grounded: Grounded, of: Any, together: Any, allowed: Array | None = None) -> dict[Any, int]:
    """Return the states of final items with their numbers of derivations, to 2."""
    states: list[dict[Any, int]] = [{} for _ in range(grounded.size)]
    nothing = of(0)
    for number in [_ONE, *grounded.starts]:
        states[number] = {nothing: 1}
    base = {int(number) for number in grounded.starts}
    rows = [
        (int(made), [int(x) for x in above if x != _ONE], of(_of_links(map(int, built), grounded.n)))
        for made, above, built, there in zip(
            grounded.made, grounded.above.T, grounded.built.T, grounded.there(allowed), strict=True
        )
        if there
    ]
    while True:
        before = states
        if grounded.cyclic:
            states = [{} for _ in before]
            for number in base:
                states[number] = {nothing: 1}
        source = before if grounded.cyclic else states
        for made, above, links in rows:
            found = {links: 1}
            for item in above:
                more: dict[Any, int] = {}
                for one, count in found.items():
                    for other, times in source[item].items():
                        whole = together(one, other)
                        more[whole] = min(2, more.get(whole, 0) + count * times)
                found = more
            own = states[made]
            for one, count in found.items():
                own[one] = min(2, own.get(one, 0) + count)
        if not grounded.cyclic or states == before:
            break
    ended: dict[Any, int] = defaultdict(int)
    for number in grounded.ends:
        for one, count in states[number].items():
            ended[one] = min(2, ended[one] + count)
    return dict(ended)


def heads_of(number: int, n: int) -> list[int]:
    """Return the heads that a number says; -1 for none."""
    return [(number >> (_BITS * k) & 15) - 1 for k in range(1, n + 1)]


def is_tree(number: int, n: int) -> bool:
    """Whether heads are a projective tree: under node 0, or over the words, where one has no head."""
    if number == DEAD:
        return False
    heads = heads_of(number, n)
    if heads.count(-1) == 1 and 0 not in heads:
        heads[heads.index(-1)] = 0
    if -1 in heads:
        return False
    for word in range(1, n + 1):
        at = word
        for _ in range(n):
            at = heads[at - 1] if at else 0
        if at:
            return False
    return not _crosses(heads)


def _crosses(heads: Sequence[int]) -> bool:
    ends = [(min(d, h), max(d, h)) for d, h in enumerate(heads, start=1) if h >= 0]
    return any(a < x < b < y for (a, b), (x, y) in itertools.permutations(ends, 2))


class _Parts:
    """Links by the nodes that have heads and the nodes that hang together, with one structure of each sort."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.links: dict[Any, int] = {}
        self._joined: dict[Any, Any] = {}

    def of(self, number: int) -> Any:
        """Return the sort of a structure."""
        if number == DEAD:
            return DEAD
        roots = list(range(self.n + 1))
        for word, head in enumerate(heads_of(number, self.n), start=1):
            if head >= 0:
                one, other = roots[word], roots[head]
                if one == other:
                    return DEAD
                roots = [min(one, other) if x in (one, other) else x for x in roots]
        return self._kept((_taken(number), tuple(roots)), number)

    def _kept(self, sort: Any, number: int) -> Any:
        if sort not in self.links:
            if _crosses(heads_of(number, self.n)):
                return DEAD
            self.links[sort] = number
        return sort

    def together(self, one: Any, other: Any) -> Any:
        """Return the sort of two structures together."""
        if one == DEAD or other == DEAD:
            return DEAD
        if not one[0]:
            return other
        if not other[0]:
            return one
        if one[0] & other[0]:
            return DEAD
        key = one, other
        if key not in self._joined:
            roots = list(one[1])
            found: Any = None
            for node, root in enumerate(other[1]):
                if node != root:
                    low, high = sorted((roots[node], roots[root]))
                    if low == high:
                        found = DEAD
                        break
                    roots = [low if x == high else x for x in roots]
            whole = one[0] | other[0], tuple(roots)
            self._joined[key] = found or self._kept(whole, self.links[one] | self.links[other])
        return self._joined[key]

    def is_tree(self, sort: Any) -> bool:
        """Whether structures of a sort are trees, if that which is kept is one."""
        return sort != DEAD and is_tree(self.links[sort], self.n)
