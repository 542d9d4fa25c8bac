"""The contents of an item: the partial structures that its derivations build.

An item stands for a set of structures (GCW11, definition 4). Those listed here are built by a derivation; of an item
that is not derived there are none. In a schema whose steps build links they are forests: trees over some of the words,
a word without a link among them. In a schema over dependency rules they are *extended trees* (section 3.5): a category
over the symbols of its rule, those that are found and those that are only predicted.

References
----------
Gómez-Rodríguez, Carroll & Weir 2011, definition 4, section 3.5, figures 1 to 4 and 7.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeAlias

from schemata.analysis.explain import item_in_chart
from schemata.charts import Item
from schemata.engine.chart import Chart
from schemata.errors import UsageError, require_number
from schemata.forest.derivations import Derivation, iterate_derivations
from schemata.forest.forest import Forest
from schemata.forest.paths import over_own_words
from schemata.forest.states import iterate_states
from schemata.forest.structures import Brackets, LinkBits, building_of
from schemata.forest.trees import Building
from schemata.grammars.relations import graph_known
from schemata.grouping import components
from schemata.kinds import DEPENDENCY_RULES
from schemata.language import model as m
from schemata.records import Record, Saved, Shown, document, fields_json, json_of
from schemata.structures.constituents import ConstituentTree
from schemata.thresholds import EFFORTS


class PartialTree(Record):
    """A tree of a forest: its head, and its words in order; no head where links make a cycle."""

    head: int | None
    words: tuple[int, ...]

    to_json = json_of("head words")


class PartialForest(Record):
    """Links that a derivation has built, and the trees that they make, over all words that the derivation used.

    `links` are (dependent, head), with a label where links have one; links of a linkage are (left, right, label).
    `tags` are the tags and features of words that are part of the structure: (word, "tag" or "feature", value).
    """

    links: tuple[tuple[Any, ...], ...]
    trees: tuple[PartialTree, ...] = ()
    tags: tuple[tuple[int, str, str], ...] = ()

    to_json = json_of("links trees tags?")


class ExtendedTree(Record):
    """A node of an extended dependency tree: a category over the symbols of its rule, or a word.

    Parameters
    ----------
    category : the category; ^ for a word, *root* for the head of the sentence.
    word : the position of a word that has been read; None for a category, and for a word that is predicted.
    predicted : whether the node is only predicted.
    children : the symbols of the rule, in order.
    """

    category: str
    word: int | None = None
    predicted: bool = False
    children: tuple[ExtendedTree, ...] = ()

    @property
    def grounded(self) -> bool:
        """Whether nothing in the tree is only predicted."""
        return not self.predicted and all(child.grounded for child in self.children)

    def __str__(self) -> str:
        if self.word is not None:
            return str(self.word)
        name = {m.HEAD_WORD: "^", m.ROOT: "root"}.get(self.category, self.category)
        whole = f"{name}({' '.join(map(str, self.children))})" if self.children else name
        return f"[{whole}]" if self.predicted else whole

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object of the node and all below it."""
        return fields_json(self, "category word predicted children")


Content: TypeAlias = PartialForest | ExtendedTree | Any
"""A forest, an extended tree, or another structure: rows of constituents, sets of atoms."""


class Contents(Record, Shown, Saved):
    """The structures that the derivations of an item build.

    Parameters
    ----------
    chart, item : the chart, and the item in it.
    contents : the distinct structures.
    complete : whether these are all; None if the search was given up.
    """

    chart: Chart
    item: Item
    contents: tuple[Content, ...]
    complete: bool | None

    def to_json(self) -> dict[str, Any]:
        """Return the object that `schemata explain --contents --json` prints."""
        own = PartialForest | ExtendedTree
        shown = [x.to_json() if isinstance(x, own) else {"structure": str(x)} for x in self.contents]
        found = {"item": str(self.item), "contents": shown, "contents_complete": self.complete}
        return document(self.chart.heading() | found)


def contents(chart: Chart, item: str | Item, limit: int | None = 10) -> Contents:
    """Return the partial structures that the derivations of an item build.

    Parameters
    ----------
    chart : the chart.
    item : the item, or its text.
    limit : how many structures at most; None for all.

    Raises
    ------
    SchemaError : the text is not an item of the schema.
    NotDerivableError : the item is not in the chart.
    UsageError : the schema builds nothing.

    >>> import schemata
    >>> chart = schemata.load("yamada-matsumoto2003").run("a b c", schemata.DRules.from_heads((3, 3, 0)))
    >>> (forest,) = contents(chart, "span[0, 3]").contents
    >>> forest.links, [(tree.head, tree.words) for tree in forest.trees]
    (((1, 3), (2, 3)), [(0, (0,)), (3, (1, 2, 3))])
    """
    if limit is not None:
        require_number("the number of structures", limit, least=0)
    number = item_in_chart(chart, item)
    one = Chart(chart.schema, chart.sentence, chart.grammar, chart.raw, frozenset([number]), 0.0)
    found: list[Content] = []
    complete: bool | None = True
    for content in _contents(one, number):
        if content is None:
            complete = None
            break
        if len(found) == limit:
            complete = False
            break
        found.append(content)
    return Contents(chart, chart.item(number), tuple(found), complete)


def _contents(chart: Chart, item: int) -> Iterator[Content | None]:
    """Yield the distinct contents of a chart's one final item; a final None if the search was incomplete."""
    forest = Forest(chart)
    if dotted_forms(chart.schema):
        yield from _extended(chart, forest)
        return
    building: Any = building_of(chart)
    building = getattr(
        building, "inner", building
    )  # of a word graph: parts of a tree are not on a whole path
    if building is None:
        message = f"no step of {chart.schema.name} says what it builds, so that its items have no contents"
        raise UsageError(message, code="no-contents")
    words = _words(chart, forest)
    seen: set[Any] = set()
    made: Content
    for state in iterate_states(forest, building):
        if isinstance(building, Building):
            made = content_of(building.built(state), words, building.values_of_words(state))
        elif isinstance(building, LinkBits):
            pairs = building.pairs_of(state)
            made = PartialForest(tuple(sorted(chart.link_of(pair) for pair in pairs)))
        elif isinstance(building, Brackets):
            made = building.value(building.constituents(state) or ())
            if (graph := graph_known(chart.grammar)) is not None:
                places, own = over_own_words(made.nodes)
                made = ConstituentTree(own, graph.sentence_of(places).words)
        else:
            made = building.value(building.structure(state))
        if made not in seen:
            seen.add(made)
            yield made


def content_of(
    links: Sequence[tuple[Any, ...]], words: Sequence[int], tags: tuple[tuple[int, str, str], ...] = ()
) -> PartialForest:
    """Return the forest of some links; its words are those given, the ends of the links, and the words with tags."""
    nodes = sorted({*words, *(end for link in links for end in link[:2]), *(word for word, _, _ in tags)})
    place = {node: k for k, node in enumerate(nodes)}
    headed = {link[0] for link in links}
    trees = []
    for part in components(len(nodes), ((place[link[0]], place[link[1]]) for link in links)):
        members = tuple(nodes[k] for k in part)
        heads = [node for node in members if node not in headed]
        trees.append(PartialTree(heads[0] if len(heads) == 1 else None, members))
    return PartialForest(tuple(links), tuple(trees), tags)


def _words(chart: Chart, forest: Forest) -> tuple[int, ...]:
    """Return the words that a derivation uses: the first position of each of its hypotheses."""
    for derivation in islice(iterate_derivations(forest), 1):
        places = [
            node.item.values[k]
            for _, node in derivation.walk()
            if node.step is None
            for k in _position(chart.schema, node.item)[:1]
        ]
        return tuple(sorted({place for place in places if isinstance(place, int)}))
    return ()


def _position(schema: m.Schema, item: Item) -> list[int]:
    form = next(form for form in schema.forms if form.name == item.form)
    return [k for k, one in enumerate(form.fields) if one.type == m.POSITION]


# Extended trees ----------------------------------------------------------------------------------------------------


def dotted_forms(schema: m.Schema) -> Mapping[str, int]:
    """Return the forms whose items have a dotted rule of a dependency grammar, with the place of the rule."""
    if schema.grammar != DEPENDENCY_RULES:
        return {}
    return {
        form.name: k
        for form in schema.forms
        for k, one in enumerate(form.fields)
        if one.type.kind == "dotted"
    }


def _extended(chart: Chart, forest: Forest) -> Iterator[ExtendedTree | None]:
    """Yield the distinct extended trees of the derivations of the final item."""
    seen: set[ExtendedTree] = set()
    for number, derivation in enumerate(iterate_derivations(forest)):
        if number == EFFORTS.extended_derivations:
            yield None
            return
        tree = extended_tree(chart.schema, derivation)
        if tree is not None and tree not in seen:
            seen.add(tree)
            yield tree


class _Rule(Record):
    """The dotted rule of an item: its symbols, and how far they are found."""

    category: str
    symbols: tuple[str, ...]
    low: int
    high: int

    @property
    def complete(self) -> bool:
        return (self.low, self.high) == (0, len(self.symbols))


def _rule(value: Any) -> _Rule:
    """Return a dotted rule's symbols and its found part: before one dot, or between two."""
    category, *parts = value
    before = parts[0] if len(parts) == 3 else ()
    inside = parts[1] if len(parts) == 3 else parts[0]
    symbols = tuple(symbol for part in parts for symbol in part)
    return _Rule(category, symbols, len(before), len(before) + len(inside))


def extended_tree(schema: m.Schema, derivation: Derivation) -> ExtendedTree | None:
    """Return the extended tree of a derivation; None for items without a rule.

    The found part of a step's rule comes from the antecedents with the same rule and a smaller found part. The rest is
    the word of a hypothesis, or the tree of a complete antecedent.
    """
    forms = dotted_forms(schema)
    known: dict[int, dict[int, ExtendedTree]] = {}
    for node in derivation.applied():
        if node.item.form not in forms:
            continue
        rule = _rule(node.item.values[forms[node.item.form]])
        parts: dict[int, ExtendedTree] = {}
        others: list[ExtendedTree] = []
        for child in node.children:
            if child.step is None:
                place = next(iter(_position(schema, child.item)), None)
                word = None if place is None else child.item.values[place]
                others.append(ExtendedTree(m.HEAD_WORD, word=word if isinstance(word, int) else None))
            elif child.item.form in forms:
                below = _rule(child.item.values[forms[child.item.form]])
                same = (below.category, below.symbols) == (rule.category, rule.symbols)
                inside = rule.low <= below.low and below.high <= rule.high
                if same and inside and (below.low, below.high) != (rule.low, rule.high):
                    parts |= known[id(child)]
                else:
                    others.append(_whole(below, known[id(child)]))
        for place in range(rule.low, rule.high):
            if place not in parts:
                fitting = [x for x in others if x.category == rule.symbols[place]]
                if fitting:
                    parts[place] = fitting[0]
                    others.remove(fitting[0])
                else:
                    parts[place] = ExtendedTree(rule.symbols[place])
        known[id(node)] = parts
    if derivation.item.form not in forms or id(derivation) not in known:
        return None
    return _whole(_rule(derivation.item.values[forms[derivation.item.form]]), known[id(derivation)])


def _whole(rule: _Rule, parts: Mapping[int, ExtendedTree]) -> ExtendedTree:
    """Return the tree of a rule: its found children, and the predicted ones."""
    children = (parts.get(k) or ExtendedTree(symbol, predicted=True) for k, symbol in enumerate(rule.symbols))
    return ExtendedTree(rule.category, children=tuple(children))
