"""Relations: the named relations that a grammar provides for one sentence, queried with some arguments bound.

A schema's conditions use a grammar through these relations alone. Every sentence grammar has `relations`, a
mapping from names to values of `Relation`; no engine knows the kind of its grammar. The relations that
conditions ask for, with the sorts of their arguments, in the order of a condition's terms:

==========================================  =======================================================================
licensed(position, position)                the grammar licenses the first, a word 1..n, under the second, a node
                                            0..n; no word is licensed under itself
licensed_categories(symbol, symbol)         some word of the first category is licensed under some word of the
                                            second; nothing about the root
category(position, symbol)                  the word 1..n may be of the category
rule(symbol, symbols)                       the grammar has a rule of this category with this body, in which
                                            `rules.HEAD` is the place of a head word
root(symbol)                                a whole sentence may be of the category
left_corner(symbol, symbol)                 the first is the second, or the first symbol of a rule of the second, or
                                            of such a symbol, and so on; the head word is nobody's corner
disjunct(labels, labels, position)          the word 0..last has a disjunct with this right and this left side,
                                            nearest first; the dummy word after the last has two empty ones
join(position, position, label, label,      the first word's connector to the right and the second's connector to
     link end, link end)                    the left, which both reach so far, as ends of a link: the numbers of
                                            connector occurrences (see `link_grammar.sequences`); whether
                                            connectors match is for a condition on labels to say
right_connector(position, label, link end,  the word's connector to the right, as an end of a link, and how far it
                position)                   reaches; `left_connector` is the same to the left
token(label, label)                         the second is the first as the dictionary writes it
match(label, label)                         two connectors as the dictionary writes them match
==========================================  =======================================================================

A schema may declare relations of its own; facts provide them, and for each the relation of missing facts.
D-rules provide licensed, licensed_categories and category; dependency rules and context-free rules category, rule,
root and left_corner; dictionaries of Link Grammar the others. A grammar that does not provide a relation has
no entry for it; it is not an empty one.

A value that is not of an argument's sort, such as an absent end, a position outside of the sentence or a symbol that
the grammar does not mention, is in no row, except that every value is a left corner of itself. `left_corner` and `join`
have more rows than can be listed: some of their arguments must be bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import field, fields
from functools import lru_cache
from types import EllipsisType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from schemata.language.model import NEXT_WORD, SAME_WORD, HasFact, Type
from schemata.records import Record

if TYPE_CHECKING:
    from schemata.structures.word_graphs import WordGraph

LACKS = "not "
"""Begins the name of the relation that has the rows which another does not have."""
FREE = ...
"""Stands for a free argument; an absent value (None) is a value like any other, and in no row."""

Sort: TypeAlias = (
    Literal["word", "node", "position", "symbol", "symbols", "labels", "label", "link end"] | Type
)
"""A word is a position 1..n, a node a position 0..n; terms are of a type that a schema declares."""
Value = Any
Row = tuple[Value, ...]


class View(dict[Row, tuple[Row, ...]]):
    """The rows of a relation's free arguments by the values of its bound ones.

    A kernel looks rows up in it, `view[bound]`; an answer is found the first time, and kept.
    """

    def __init__(self, find: Callable[..., Iterable[Row]]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, bound: Row) -> tuple[Row, ...]:
        rows = self[bound] = tuple(self._find(*bound))
        return rows


class Relation(Record, eq=False):
    """A relation of a grammar: rows of values, each once, in a fixed order.

    A *binding pattern* has a letter for each argument, `b` for bound or `f` for free, as in Datalog's adornments.

    Parameters
    ----------
    name : its name.
    sorts : the sorts of its arguments.
    ways : for some binding patterns a function from the values of the bound arguments to the rows of the free ones.
        Other patterns are answered by filtering the rows of one with fewer arguments bound.
    table : a function for its dense table, where that takes less than listing all rows.

    >>> below = Relation("below", ("position", "position"), {"ff": lambda: [(1, 2), (3, 2)]})
    >>> below.rows(FREE, 2), below.rows(1, FREE), below.holds(2, 1), below.view("bf")[3,]
    (((1,), (3,)), ((2,),), False, ((2,),))
    """

    name: str
    sorts: tuple[Sort, ...]
    ways: Mapping[str, Callable[..., Iterable[Row]]]
    table: Callable[[], bytes] | None = None
    _views: dict[str, View] = field(default_factory=dict, init=False, repr=False)

    def rows(self, *arguments: Value | EllipsisType) -> tuple[Row, ...]:
        """Return the rows of the free arguments that go with the values of the others.

        Where no argument is free, there is one empty row if the relation holds, else none.

        Raises
        ------
        LookupError : too few arguments are bound for the rows to be listed.
        """
        pattern = "".join("f" if value is FREE else "b" for value in arguments)
        return self.view(pattern)[tuple(value for value in arguments if value is not FREE)]

    def holds(self, *arguments: Value) -> bool:
        """Whether the relation has a row with these values."""
        return bool(self.rows(*arguments))

    def view(self, pattern: str) -> View:
        """Return the rows by the values of the arguments that are bound in a binding pattern.

        Raises
        ------
        LookupError : too few arguments are bound for the rows to be listed.
        """
        view = self._views.get(pattern)
        if view is None:
            way = self._best_way(pattern)
            if way is None:
                raise LookupError(f"the rows of {self.name} cannot be listed with {pattern} bound and free")
            view = self._views[pattern] = self._answers(way, pattern)
        return view

    def _best_way(self, pattern: str) -> str | None:
        """Return the access path that binds most of a pattern's bound arguments, and nothing else."""
        if len(pattern) != len(self.sorts):
            raise ValueError(f"{self.name} has {len(self.sorts)} arguments, not {len(pattern)}")
        pairs = {way: zip(way, pattern, strict=True) for way in self.ways}
        fitting = [way for way in self.ways if all(p == "b" for w, p in pairs[way] if w == "b")]
        return max(fitting, key=lambda way: way.count("b"), default=None)

    def _answers(self, way: str, pattern: str) -> View:
        """Return the view for a pattern of bound arguments, computed by a way that may need fewer arguments bound."""
        find = self.ways[way]
        if way == pattern:
            return View(find)
        asked = [at for at, letter in enumerate(pattern) if letter == "b"]
        keys_of_way = [asked.index(at) for at, letter in enumerate(way) if letter == "b"]
        free = [at for at, letter in enumerate(way) if letter == "f"]
        keys = [(k, asked.index(at)) for k, at in enumerate(free) if pattern[at] == "b"]
        rest = [k for k, at in enumerate(free) if pattern[at] == "f"]
        if keys_of_way:

            def fitting(*bound: Value) -> Iterable[Row]:
                rows = find(*(bound[k] for k in keys_of_way))
                kept = (row for row in rows if all(row[k] == bound[at] for k, at in keys))
                return dict.fromkeys(tuple(row[k] for k in rest) for row in kept)

            return View(fitting)
        index: dict[Row, dict[Row, None]] = {}
        for row in find():
            index.setdefault(tuple(row[k] for k, _ in keys), {})[tuple(row[k] for k in rest)] = None
        return View(lambda *bound: index.get(bound, ()))


def fields_alone(value: Any) -> dict[str, Any]:
    """Return the pickled state of a frozen value: its fields, without values computed from them."""
    kept = [slot.name for slot in fields(value)] + [x for x in (_WORDS, _GRAPH) if x in vars(value)]
    return {name: getattr(value, name) for name in kept}


_WORDS, _GRAPH = "words_themselves", "word_graph"


def knowing_words(grammar: Any, words: tuple[str, ...]) -> Any:
    """Return a copy of a sentence grammar that can report equal words of its sentence."""
    known = copy(grammar)
    vars(known)[_WORDS] = words
    return known


def knowing_graph(grammar: Any, graph: WordGraph) -> Any:
    """Return a copy of a sentence grammar that can report the successors of words in a word graph."""
    known = copy(grammar)
    vars(known)[_GRAPH] = graph
    return known


def graph_known(grammar: Any) -> WordGraph | None:
    """Return the word graph attached to a sentence grammar, or None."""
    found: WordGraph | None = getattr(grammar, "__dict__", {}).get(_GRAPH)
    return found


def relation_of(grammar: Any, name: str) -> Relation:
    """Return a relation that a sentence grammar provides, or that its sentence or word graph provides by itself.

    Raises
    ------
    KeyError : there is no such relation.
    """
    if name == NEXT_WORD:
        return _of_graph(vars(grammar)[_GRAPH].follows)
    words = vars(grammar).get(_WORDS) if name.removeprefix(LACKS) == SAME_WORD else None
    return grammar.relations[name] if words is None else _of_words(words, name != SAME_WORD)


@lru_cache(maxsize=64)
def _of_words(words: tuple[str, ...], differ: bool) -> Relation:
    """Return the relation between positions of equal words, or of words that differ."""
    places = list(enumerate(words, start=1))

    def rows() -> Iterator[Row]:
        return ((i, j) for i, one in places for j, other in places if (one == other) != differ)

    return Relation(SAME_WORD, ("word", "word"), {"ff": rows})


@lru_cache(maxsize=64)
def _of_graph(follows: tuple[tuple[int, int], ...]) -> Relation:
    """Return the relation between positions of words that follow one another in a graph."""
    return Relation(NEXT_WORD, ("word", "word"), {"ff": lambda: follows})


class Signature(Record):
    """The common properties of the relations of one name, whichever grammar provides them.

    Parameters
    ----------
    sorts : the sorts of the arguments.
    table : the name of the dense table in kernel text; "" where the relation is too large for one. It has a byte for
        each row of nodes 0..n and of the sentence's symbols, and the last argument varies fastest.
    is_irreflexive : whether its two arguments are never equal.
    needs : arguments that must be bound for the others to be listed; one of these sets will do.
    key : how many arguments, the first ones, determine the others; None for all.
    rests_on : the source of the rows: the arguments alone, the grammar's rules, or the sentence's words.
    """

    sorts: tuple[Sort, ...]
    table: str = ""
    is_irreflexive: bool = False
    needs: tuple[frozenset[int], ...] = (frozenset(),)
    key: int | None = None
    rests_on: Literal["arguments", "rules", "words"] = "words"


_FIRST, _SECOND, _THIRD = frozenset({0}), frozenset({1}), frozenset({2})
_ENDS: tuple[Sort, ...] = ("position", "position", "label", "label", "link end", "link end")
_CONNECTOR = Signature(("position", "label", "link end", "position"), needs=(_FIRST | _SECOND,), key=2)
SIGNATURES: Mapping[str, Signature] = {
    "licensed": Signature(("word", "node"), "LIC", is_irreflexive=True),
    "category": Signature(("word", "symbol"), "CAT", needs=(_FIRST,)),
    "licensed_categories": Signature(("symbol", "symbol"), "CLIC"),
    "rule": Signature(("symbol", "symbols"), rests_on="rules"),
    "root": Signature(("symbol",), rests_on="rules"),
    "left_corner": Signature(("symbol", "symbol"), needs=(_FIRST, _SECOND), rests_on="rules"),
    "disjunct": Signature(("labels", "labels", "position"), needs=(_THIRD,)),
    "join": Signature(_ENDS, needs=(frozenset(range(4)),), key=4),
    "right_connector": _CONNECTOR,
    "left_connector": _CONNECTOR,
    "token": Signature(("label", "label"), needs=(_FIRST,), key=1, rests_on="arguments"),
    "match": Signature(("label", "label"), needs=(_FIRST, _SECOND)),
}
TABLES = tuple(signature.table for signature in SIGNATURES.values() if signature.table)


def provided(
    relations: Mapping[str, Mapping[str, Callable[..., Iterable[Row]]]],
    tables: Mapping[str, Callable[[], bytes]] | None = None,
) -> Mapping[str, Relation]:
    """Return the relations that a grammar provides, by name.

    Parameters
    ----------
    relations : by name the ways to ask each.
    tables : functions for dense tables, as in `Relation`.
    """
    dense, signatures = tables or {}, SIGNATURES
    return {x: Relation(x, signatures[x].sorts, ways, dense.get(x)) for x, ways in relations.items()}


@lru_cache(maxsize=256)
def fact_signature(sorts: tuple[Sort, ...], negated: bool) -> Signature:
    """Return the properties of a relation that a schema declares; all arguments are bound if it must not hold."""
    needs = frozenset(range(len(sorts)) if negated else ())
    return Signature(sorts, needs=(needs,), rests_on="words" if "word" in sorts else "rules")


def asked(condition: HasFact) -> tuple[str, tuple[Any, ...]]:
    """Return the relation that a condition of a checked schema asks for, and the terms it asks with."""
    return (LACKS if condition.negated else "") + condition.relation, condition.terms
