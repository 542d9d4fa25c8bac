"""Maps of a relation that carry one item to two: found on the items of short sentences, so that none is a guess."""

from __future__ import annotations

from collections.abc import Iterator

from schemata.engine.budget import Budget, BudgetExceeded
from schemata.engine.run import run_kernel
from schemata.errors import Diagnostic, UsageError
from schemata.language import model as m
from schemata.language.relation_model import ItemMap, Relation, RelationFile
from schemata.language.typeset import format_item
from schemata.relations.mapping import Item, carried_from, carried_to, images
from schemata.relations.systems import SharedSystems, items_allowed
from schemata.structures import Sentence

_LENGTHS = range(1, 4)
_BUDGET = Budget(
    steps=100_000, seconds=5.0
)  # of a run that finds items; what it finds until then tells enough
_ITEMS = 5_000  # of one length, spread over all that are found


def disagreements(file: RelationFile) -> list[Diagnostic]:
    """Return an error for each map that carries an item elsewhere than it or another map before it does.

    Items are those that the item forms allow and those that the steps derive, whatever the grammar, for one to
    three words; where they are very many, a sample of them.

    Examples
    --------
    >>> from schemata.language.relations import read_relation_text
    >>> text = "relation eisner-satta1999 to eisner1996\\nkind step-refinement\\n"
    >>> text += "map tree[i, j, i] to span[i, j, false, true]\\nmap tree[i, j, j] to span[i, j, true, false]"
    >>> file, _ = read_relation_text(text)
    >>> [d.message for d in disagreements(file)]
    ['tree[0, 0, 0] is carried to span[0, 0, true, false] as well as to span[0, 0, false, true]']
    """
    found: dict[tuple[int, int], Diagnostic] = {}
    systems = SharedSystems(_BUDGET, rule_length=2)
    for relation in file.relations:
        for item_map, diagnostic in _of(relation, systems):
            found.setdefault((item_map.span.line, item_map.span.column), diagnostic)
    return list(found.values())


def _of(relation: Relation, systems: SharedSystems) -> Iterator[tuple[ItemMap, Diagnostic]]:
    source, target = carried_from(relation), carried_to(relation)
    if not any(item_map.written for item_map in relation.maps):
        return
    told: set[int] = set()
    for n in _LENGTHS:
        for item in _items(source, n, systems):
            reached: dict[Item, None] = {}
            for k, item_map in enumerate(relation.maps):
                if item_map.source.form != item[0]:
                    continue
                for other in images(relation, item, n, (item_map,)):
                    if reached and other not in reached and k not in told:
                        told.add(k)
                        yield item_map, _report(item_map, source, target, (item, other, next(iter(reached))))
                    reached.setdefault(other)


def _items(schema: m.Schema, n: int, systems: SharedSystems) -> list[Item]:
    """Return items of a schema for n words, at most so many, in canonical order."""
    universe = systems.universe(schema, schema, n)
    words = Sentence.of([f"w{i}" for i in range(1, n + 1)])
    kernel = systems.kernel(schema)
    given: list[Item] = []
    try:
        if universe.kind != "link-grammar":  # its forms do not say which items make sense
            given = list(items_allowed(schema, universe))
    except UsageError:
        pass  # there are too many: those that the steps derive will do
    try:
        chart = run_kernel(kernel, words, universe.grammar, _BUDGET, given)
    except BudgetExceeded as over:
        chart = over.chart
    found = [(item.form, item.values) for item in (*chart.hypotheses, *chart.items)]
    return found[:: 1 + len(found) // _ITEMS]


def _report(
    item_map: ItemMap, source: m.Schema, target: m.Schema, items: tuple[Item, Item, Item]
) -> Diagnostic:
    item, one, other = items
    shown = format_item(source.form(item[0]), item[1])
    here, before = (format_item(target.form(x[0]), x[1]) for x in (one, other))
    return item_map.span.report(
        "ambiguous-map",
        f"{shown} is carried to {here} as well as to {before}",
        expected="one item for each item that is carried over",
        hint="tell the cases apart by conditions",
    )
