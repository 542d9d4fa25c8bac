"""Where the items of a schema stand in a sentence: which of a form's fields are the ends of its span.

The ends are read off the form's own conditions: the positions `low` and `high` for which `low <= high + 1` follows from
its `where`, and between which the other positions lie. One position by itself is a point: the item stands in its
column. One list of positions has the span from its least element to its greatest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

from schemata.language import model as m
from schemata.language.bounds import Bounds, stated
from schemata.language.substitute import linear_form
from schemata.records import Record

Ends: TypeAlias = Literal["span", "point", "list"]
_Place: TypeAlias = "tuple[tuple[str, ...], int]"  # variables, and what is added to them


class SpanFields(Record):
    """The fields of an item form that hold the positions of its items.

    Parameters
    ----------
    kind : two fields are the ends of a span; one is a point; or one is a list of positions.
    low, high : the numbers of the fields; equal unless they are the ends of a span.
    between : positions are between words: an item from `low` to `high` covers the words low + 1 to high. Else they
        are words, and it reaches from the word `low` to the word `high`.
    """

    kind: Ends
    low: int
    high: int
    between: bool = False

    def of(self, values: Sequence[m.Value]) -> tuple[int, int] | None:
        """Return the first and the last word of an item; None if it has no place, such as an empty list.

        An item that covers nothing ends before it begins.

        >>> SpanFields("span", 1, 2, between=True).of(("NP", 0, 2))
        (1, 2)
        """
        if self.kind == "list":
            found = tuple(_positions(values[self.low]))
            return (min(found), max(found)) if found else None
        low, high = values[self.low], values[self.high]
        if not (isinstance(low, int) and isinstance(high, int)):
            return None
        return low + (self.between and self.kind == "span"), high

    def fields(self) -> frozenset[int]:
        """Return the numbers of the fields that need not be shown beside an item's place."""
        return frozenset((self.low, self.high)) if self.kind != "list" else frozenset()


def _positions(value: m.Value) -> Iterator[int]:
    """Yield the positions in a list of positions, or of spans."""
    if isinstance(value, tuple):
        for part in value:
            yield from _positions(part)
    elif isinstance(value, int) and not isinstance(value, bool):
        yield value


def extents(schema: m.Schema) -> tuple[SpanFields | None, ...]:
    """Return where the items of each form stand; None for forms without a place.

    A form has no place if neither one position nor an ordered pair of positions locates its items: configurations of
    transition systems have a stack and a buffer, tables of LR parsers have no position.

    >>> from schemata.language.library import load_schema
    >>> extents(load_schema("collins1996"))
    (SpanFields(kind='span', low=0, high=1, between=False),)
    >>> extents(load_schema("ccg"))
    (SpanFields(kind='span', low=1, high=2, between=True),)
    >>> extents(load_schema("arc-eager-system"))
    (None,)
    """
    found = {form.name: _extent(form) for form in schema.forms}
    words = {form.name: _meets_words(schema, form.name, extent) for form, extent in _spans(schema, found)}
    between = any(words.values()) and not any(met is False for met in words.values())
    return tuple(_marked(found[form.name], between) for form in schema.forms)


def _marked(extent: SpanFields | None, between: bool) -> SpanFields | None:
    if extent is None or extent.kind != "span" or not between:
        return extent
    return SpanFields("span", extent.low, extent.high, True)


def _spans(schema: m.Schema, found: dict[str, SpanFields | None]) -> Iterator[tuple[m.Form, SpanFields]]:
    for form in schema.forms:
        extent = found[form.name]
        if extent is not None and extent.kind == "span":
            yield form, extent


def _extent(form: m.Form) -> SpanFields | None:
    if form.cover is not None:
        return SpanFields("span", form.cover.low, form.cover.high)
    positions = [k for k, field in enumerate(form.fields) if _is_position(field.type)]
    inputs = [form.fields[k].type.of for k in positions]
    positions = [k for k in positions if form.fields[k].type.of == inputs[0]]  # those in the first input
    pairs = _ordered(form, positions, stated(form.where))
    if pairs:
        return SpanFields("span", *pairs)
    lists = [k for k, field in enumerate(form.fields) if _is_row(field.type)]
    if len(positions) == 1 and len(lists) < 2:  # a stack and a buffer make a configuration
        return SpanFields("point", positions[0], positions[0])
    if not positions and len(lists) == 1:
        return SpanFields("list", lists[0], lists[0])
    return None


def _is_position(kind: m.Type) -> bool:
    return kind.kind == "position" and kind != m.INTEGER


def _is_row(kind: m.Type) -> bool:
    """Whether a type is a list of positions or of spans."""
    return kind.kind == "list" and not kind.arcs and all(map(_is_place, kind.arguments))


def _is_place(kind: m.Type) -> bool:
    return _is_position(kind) or (kind.kind == "tuple" and all(map(_is_position, kind.arguments)))


def _ordered(form: m.Form, positions: Sequence[int], facts: Bounds) -> tuple[int, int] | None:
    """Return the two positions in order between which most of the others lie; the first such pair."""

    def before(x: int, y: int) -> bool:
        return facts.proves([(form.fields[x].name, form.fields[y].name, 1)])

    best: tuple[int, tuple[int, int]] | None = None
    for low in positions:
        for high in positions:
            if low == high or not before(low, high) or (before(high, low) and high < low):
                continue
            inside = sum(before(low, z) and before(z, high) for z in positions if z not in (low, high))
            if best is None or inside > best[0]:
                best = inside, (low, high)
    return best and best[1]


def _meets_words(schema: m.Schema, form: str, extent: SpanFields) -> bool | None:
    """Whether the low ends of spans are places between words: rules use them nowhere as words, but the position after.

    None if rules use neither of the two as a word.
    """
    low_is_word = next_is_word = False
    for case in schema.cases:
        words = set(_words(case))
        for pattern in (*(a.pattern for a in case.antecedents), case.consequent):
            place = _place(pattern.terms[extent.low]) if pattern.form == form else None
            if place is not None:
                low_is_word |= place in words
                next_is_word |= (place[0], place[1] + 1) in words
    return False if low_is_word else True if next_is_word else None


def _words(case: m.Case) -> Iterator[_Place]:
    """Yield the words in a rule's conditions and links, and the first words of constituents."""
    terms: list[m.Term] = []
    for condition in case.conditions:
        if isinstance(condition, m.HasFact):
            m.with_words(condition, lambda term: terms.append(term) or term)  # type: ignore[func-returns-value]
    for built in case.links:
        match built:
            case m.Built(name="link"):
                terms += built.terms[:2]
            case m.Built(name="bracket"):
                terms += built.terms[1:2]
            case m.Built():
                continue
            case _:  # links between connectors
                terms += [built.left, built.right]
    terms += [case.head] if case.head is not None else []
    for term in terms:
        place = _place(term)
        if place is not None:
            yield place


def _place(term: m.Term) -> _Place | None:
    """Return a term as a variable and an offset; None if it is not of this form."""
    form = linear_form(term)
    if form is None:
        return None
    constant, atoms = form
    names = tuple(str(atom) for atom, coefficient in atoms if coefficient == 1)
    return (names, constant) if len(names) == len(atoms) == 1 else None
