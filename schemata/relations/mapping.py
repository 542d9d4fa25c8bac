"""The maps of a relation applied to items, one by one or to all items of a ground system.

Patterns match modulo normal forms, as in steps: an item is carried if one of its writings matches. Items are
given and returned in normal form. Only a correspondence of systems tests whether the result is an item
of the other schema, that is, fulfils the form's conditions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from schemata.budget import Budget
from schemata.engine.exceeded import BudgetExceeded
from schemata.engine.run import run_kernel
from schemata.errors import Diagnostic, SchemaError, UsageError
from schemata.kinds import LINK_GRAMMAR
from schemata.language import model as m
from schemata.language.library import is_relation_reference
from schemata.language.relation_model import ItemMap, Kind, Relation, RelationFile, turned
from schemata.language.relations import load_relation, read_maps, shipped_claims
from schemata.language.typeset import condition_text, format_item, pattern_text
from schemata.program.evaluation import evaluate, fulfils, truth
from schemata.program.matching import match_pattern, solve
from schemata.program.rewriting import all_writings, normal_form
from schemata.records import Record, replace
from schemata.relations.systems import SharedSystems, System, items_allowed
from schemata.structures import Sentence
from schemata.thresholds import EFFORTS

GroundItem: TypeAlias = tuple[str, tuple[m.Value, ...]]


def carried_from(relation: Relation) -> m.Schema:
    """Return the schema whose items the maps carry over."""
    return relation.second if relation.reversed else relation.first


def carried_to(relation: Relation) -> m.Schema:
    """Return the schema the maps lead to."""
    return relation.first if relation.reversed else relation.second


def images(
    relation: Relation, item: GroundItem, n: int, maps: Sequence[ItemMap] | None = None
) -> tuple[GroundItem, ...]:
    """Return all that the maps carry an item to, in the order of the maps; more than one is a mistake.

    Parameters
    ----------
    relation : between whose schemata items are carried.
    item : form and values in normal form, of `carried_from(relation)`.
    n : the length of the sentence.
    maps : those of the relation's maps that are applied; all where None.

    >>> from schemata.language.library import load_schema
    >>> from schemata.language.relations import read_maps
    >>> first, second = load_schema("eisner-satta1999"), load_schema("eisner1996")
    >>> relation = read_maps(["tree[i, j, i] to span[i, j, false, true] where i < j"], first, second)
    >>> images(relation, ("tree", (1, 3, 1)), n=4)
    (('span', (1, 3, False, True)),)
    >>> images(relation, ("tree", (1, 3, 3)), n=4)
    ()
    """
    form = carried_from(relation).form(item[0])
    target = carried_to(relation)
    found: dict[GroundItem, None] = {}
    for values in all_writings(form, item[1], n):
        for item_map in relation.maps if maps is None else maps:
            if item_map.source.form == form.name:
                found.update(dict.fromkeys(_applied(item_map, form, target, values, n)))
    return tuple(found)


def _applied(
    item_map: ItemMap, form: m.Form, schema: m.Schema, values: tuple[m.Value, ...], n: int
) -> Iterator[GroundItem]:
    """Yield the images of one writing under one map."""
    target = schema.form(item_map.target.form)
    goals = [*match_pattern(form, item_map.source, values), *item_map.conditions]
    conditions = [c for c in item_map.conditions if not isinstance(c, m.HasFact)]
    for solution in solve(goals, {"n": n}, item_map.types):
        try:
            made = tuple(evaluate(term, solution.binding) for term in item_map.target.terms)
        except LookupError:
            continue  # arithmetic with an absent value has no result
        if all(truth(condition, solution.binding) for condition in conditions):
            yield target.name, normal_form(target, made, n)


class Misfit(Record):
    """An item for which a mapping violates a definition.

    Attributes
    ----------
    item : the item's number in the system it belongs to.
    reason : the fault, with the item's text.
    """

    item: int
    reason: str


class Correspondence(Record):
    """A mapping from the items of one system to those of another.

    Attributes
    ----------
    image : for each item (and hypothesis) that has one, the number of its image.
    misfits : items without an image among the other system's items, in canonical order.
    twins : items whose image is that of an earlier item of another form, or of one that differs from it in fields
        which the maps keep.
    folded : items whose image is that of an earlier item because the maps forget the fields in which they differ.
    """

    image: dict[int, int]
    misfits: tuple[Misfit, ...]
    twins: tuple[Misfit, ...]
    folded: tuple[Misfit, ...] = ()

    def of(self, items: tuple[int, ...]) -> frozenset[int]:
        """Return the images of those items that have one."""
        return frozenset(self.image[x] for x in items if x in self.image)


def correspondence(relation: Relation, source: System, target: System, forward: bool) -> Correspondence:
    """Return the mapping from the items of `source` to those of `target` by a relation's maps.

    Parameters
    ----------
    relation : the relation that has the maps.
    source, target : the systems, at one length.
    forward : whether the source belongs to the relation's first schema.

    Where the maps go the other way, they are inverted: an item's image is the item that is carried to it.
    """
    direct = forward != relation.reversed
    kept = _kept_fields(relation) if direct else {}
    back: dict[int, list[int]] = {}
    for item in () if direct else (*target.hypotheses, *target.items):
        there, _ = _carried(relation, target, source, item)
        if there is not None:
            back.setdefault(there, []).append(item)

    def image_of(item: int) -> tuple[int | None, str]:
        """Return the image of an item; None and a reason where it has none."""
        if direct:
            return _carried(relation, source, target, item)
        match back.get(item, []):
            case [one]:
                return one, ""
            case [one, other, *_]:
                both = f"{target.text(one)} and {target.text(other)}"
                return None, f"{both} are both carried to {source.text(item)}"
        return None, f"no item of {target.schema.name} is carried to {source.text(item)}"

    image = {item: found for item in source.hypotheses if (found := image_of(item)[0]) is not None}
    misfits: list[Misfit] = []
    twins: list[Misfit] = []
    folded: list[Misfit] = []
    taken: dict[int, int] = {}
    for item in source.items:
        found, reason = image_of(item)
        if found is None:
            misfits.append(Misfit(item, reason))
            continue
        image[item] = found
        first = taken.setdefault(found, item)
        if first != item:
            alike = _without(source, first, kept) == _without(source, item, kept) is not None
            both = f"{source.text(first)} and {source.text(item)}"
            again = Misfit(item, f"{both} are both carried to {target.text(found)}")
            (folded if alike else twins).append(again)
    return Correspondence(image, tuple(misfits), tuple(twins), tuple(folded))


def _kept_fields(relation: Relation) -> dict[str, tuple[int, ...]]:
    """Return, for each form of which the maps forget fields, the numbers of those that they keep."""
    forgotten: dict[str, frozenset[int]] = {}
    for one in relation.maps:
        own = frozenset(k for k, term in enumerate(one.source.terms) if isinstance(term, m.Any))
        forgotten[one.source.form] = forgotten.get(one.source.form, own) & own
    fields = {form.name: range(len(form.fields)) for form in carried_from(relation).forms}
    return {
        name: tuple(k for k in fields[name] if k not in places)
        for name, places in forgotten.items()
        if places
    }


def _without(system: System, item: int, kept: dict[str, tuple[int, ...]]) -> tuple[m.Value | str, ...] | None:
    """Return an item without the fields that maps forget; None for a form of which they forget none."""
    raw = system.chart.raw
    name = system.schema.forms[raw.form_of[item]].name
    return (name, *(raw.values[item][k] for k in kept[name])) if name in kept else None


def forgotten_fields(relation: Relation) -> list[str]:
    """Return the fields that maps forget, in words.

    >>> from schemata.language.library import load_schema
    >>> from schemata.language.relations import read_maps
    >>> first, second = load_schema("yamada-matsumoto2003"), load_schema("eisner1996")
    >>> forgotten_fields(read_maps(["span[i, j] from span[i, j, _, _]"], first, second))
    ['b of span', 'c of span']
    """
    schema, kept = carried_from(relation), _kept_fields(relation)
    return [
        f"{field.name} of {name}"
        for name, places in kept.items()
        for k, field in enumerate(schema.form(name).fields)
        if k not in places
    ]


def _carried(relation: Relation, source: System, target: System, item: int) -> tuple[int | None, str]:
    """Return the number of an item's image under the maps; None and a reason if the image is not an item."""
    raw = source.chart.raw
    values = raw.values[item]
    form = source.schema.forms[raw.form_of[item]]
    if source.is_hypothesis(item) and not any(m.source.form == form.name for m in relation.maps):
        return target.chart.find(form.name, values), "no map carries it"
    made = images(relation, (form.name, values), source.n)
    shown = source.text(item)
    if not made:
        return None, f"no map carries {shown} to an item of {target.schema.name}"
    name, other = made[0]
    text = _text(target.schema, made[0])
    if len(made) > 1:
        return None, f"{shown} is carried both to {text} and to {_text(target.schema, made[1])}"
    number = target.chart.find(name, other)
    if number is None:
        meant = fulfils(target.schema.form(name), other, source.n)
        why = "no step of {} makes" if meant else "is not an item of {}"
        return None, f"{shown} is carried to {text}, which {why.format(target.schema.name)}"
    return number, ""


def map_text(relation: Relation, item_map: ItemMap) -> str:
    """Return a map as a relation file writes it, the first schema's item on the left.

    >>> from schemata.language.relations import load_relation
    >>> claim, = load_relation("eisner-satta1999-eisner1996").relations
    >>> map_text(claim, claim.maps[0])
    'tree[i, j, i] to span[i, j, false, true] where i < j'
    """
    first, second = item_map.source, item_map.target
    if item_map.reversed:
        first, second = second, first
    left = pattern_text(relation.first, first, ascii=True)
    right = pattern_text(relation.second, second, ascii=True)
    shown = f"{left} {'from' if item_map.reversed else 'to'} {right}"
    if item_map.conditions:
        conditions = (condition_text(c, ascii=True) for c in item_map.conditions)
        shown += f" where {', '.join(conditions)}"
    return shown


def corresponding(
    first: m.Schema, second: m.Schema, texts: Sequence[str] = (), kind: Kind | None = None
) -> Relation:
    """Return the maps by which items of two schemata correspond.

    They are the maps given as texts, or those of a relation file that is named instead; else those of a shipped
    relation. A relation of schemata with other parameters will do, if its maps make sense for these. Without a
    relation, items of equal forms correspond.

    Raises
    ------
    SchemaError : a map has errors.
    UsageError : the relation is of other schemata.

    >>> from schemata.language.library import load_schema
    >>> first, second = load_schema("yamada-matsumoto2003"), load_schema("eisner1996")  # related where end = 1
    >>> found = corresponding(first, second)
    >>> found.name, map_text(found, found.maps[0])
    ('yamada-matsumoto2003-eisner1996', 'span[i, j] to span[i, j, false, false]')
    """
    named = len(texts) == 1 and is_relation_reference(texts[0])
    if texts and not named:
        return read_maps(texts, first, second, kind, lenient=True)
    claims: Iterable[Relation] = shipped_claims(first, second, by_name=True)
    if named:
        claims = [one for claim in load_relation(texts[0]).relations for one in (claim, turned(claim))]
    for claim in claims:
        ends = (claim.first, claim.second) == (first, second)
        written = [map_text(claim, one) for one in claim.maps if one.written]
        if (claim.maps if ends else written) and kind in (None, claim.kind):
            try:
                return (
                    claim
                    if ends
                    else replace(read_maps(written, first, second, lenient=True), name=claim.name)
                )
            except SchemaError:
                continue  # it says nothing of schemata with these parameters
    if named:
        raise UsageError(
            f"{texts[0]} has no maps between {first.name} and {second.name}", code="other-relation"
        )
    return read_maps((), first, second, kind, lenient=True)


_LENGTHS = range(1, 4)
_BUDGET = Budget(
    steps=100_000, seconds=5.0
)  # of a run that finds items; what it finds until then tells enough


def disagreements(file: RelationFile) -> list[Diagnostic]:
    """Return an error for each map that gives an item an image different from one that it, or an earlier map, gives.

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
        source, target = carried_from(relation), carried_to(relation)
        for n in _LENGTHS if any(item_map.written for item_map in relation.maps) else ():
            for item in _items(source, n, systems):
                reached: dict[GroundItem, None] = {}
                own = [item_map for item_map in relation.maps if item_map.source.form == item[0]]
                for item_map, other in ((x, y) for x in own for y in images(relation, item, n, (x,))):
                    place = item_map.span.line, item_map.span.column
                    if reached and other not in reached and place not in found:
                        shown, before = _text(source, item), _text(target, next(iter(reached)))
                        found[place] = item_map.span.report(
                            "ambiguous-map",
                            f"{shown} is carried to {_text(target, other)} as well as to {before}",
                            expected="one item for each item that is carried over",
                            hint="tell the cases apart by conditions",
                        )
                    reached.setdefault(other)
    return list(found.values())


def _text(schema: m.Schema, item: GroundItem) -> str:
    return format_item(schema.form(item[0]), item[1])


def _items(schema: m.Schema, n: int, systems: SharedSystems) -> list[GroundItem]:
    """Return items of a schema for n words, at most so many, in canonical order."""
    universe = systems.universe(schema, schema, n)
    words = Sentence.of([f"w{i}" for i in range(1, n + 1)])
    kernel = systems.kernel(schema)
    given: list[GroundItem] = []
    try:
        if universe.kind != LINK_GRAMMAR:  # its forms do not say which items make sense
            given = list(items_allowed(schema, universe))
    except UsageError:
        pass  # there are too many: those that the steps derive will do
    try:
        chart = run_kernel(kernel, words, universe.grammar, _BUDGET, given)
    except BudgetExceeded as over:
        chart = over.chart
    found = [(item.form, item.values) for item in (*chart.hypotheses, *chart.items)]
    return found[:: 1 + len(found) // EFFORTS.mapped_items]
