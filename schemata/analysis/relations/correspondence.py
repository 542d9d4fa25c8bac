"""Which items of one ground system correspond to which of another: the maps of a relation, item by item."""

from __future__ import annotations

from dataclasses import dataclass

from schemata.analysis.relations.mapping import images
from schemata.analysis.relations.systems import System
from schemata.analysis.writings import fulfils
from schemata.language.relation_model import Relation
from schemata.language.typeset import format_item

__all__ = ["Correspondence", "Misfit", "correspondence"]


@dataclass(frozen=True, slots=True)
class Misfit:
    """An item for which a mapping is not what a definition asks.

    Attributes
    ----------
    item : the item's number in the system it belongs to.
    reason : what is wrong, with the item's text.
    """

    item: int
    reason: str


@dataclass(frozen=True, slots=True)
class Correspondence:
    """A mapping from the items of one system to those of another.

    Attributes
    ----------
    image : for each item (and hypothesis) that has one, the number of its image.
    misfits : items without an image among the other system's items, in canonical order.
    twins : items whose image is that of an earlier item as well.
    """

    image: dict[int, int]
    misfits: tuple[Misfit, ...]
    twins: tuple[Misfit, ...]

    def of(self, items: tuple[int, ...]) -> frozenset[int]:
        """Return the images of those items that have one."""
        return frozenset(self.image[x] for x in items if x in self.image)


def correspondence(relation: Relation, source: System, target: System, forward: bool) -> Correspondence:
    """Return the mapping from the items of `source` to those of `target` that a relation's maps say.

    Parameters
    ----------
    relation : whose maps count.
    source, target : the systems, at one length.
    forward : whether the source belongs to the relation's first schema.

    Where the maps go the other way, they are inverted: an item's image is what is carried to it.
    """
    direct = forward != relation.reversed
    image: dict[int, int] = {}
    misfits: list[Misfit] = []
    twins: list[Misfit] = []
    back: dict[int, list[int]] = {}
    if not direct:
        for item in (*target.hypotheses, *target.items):
            found, _ = _carried(relation, target, source, item)
            if found is not None:
                back.setdefault(found, []).append(item)
    taken: dict[int, int] = {}
    for item in (*source.hypotheses, *source.items):
        if direct:
            found, reason = _carried(relation, source, target, item)
        else:
            ways = back.get(item, [])
            found = ways[0] if ways else None
            reason = "" if ways else f"no item of {target.schema.name} is carried to {source.text(item)}"
            if len(ways) > 1:
                both = " and ".join(target.text(x) for x in ways[:2])
                reason = f"{both} are both carried to {source.text(item)}"
                found = None
        if found is None:
            if not source.is_hypothesis(item):
                misfits.append(Misfit(item, reason))
            continue
        image[item] = found
        if source.is_hypothesis(item):
            continue
        if found in taken:
            both = f"{source.text(taken[found])} and {source.text(item)}"
            twins.append(Misfit(item, f"{both} are both carried to {target.text(found)}"))
        else:
            taken[found] = item
    return Correspondence(image, tuple(misfits), tuple(twins))


def _carried(relation: Relation, source: System, target: System, item: int) -> tuple[int | None, str]:
    """Return the number of what the maps carry an item to; None and a reason where it is no item."""
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
    text = format_item(target.schema.form(name), other)
    if len(made) > 1:
        second = format_item(target.schema.form(made[1][0]), made[1][1])
        return None, f"{shown} is carried both to {text} and to {second}"
    number = target.chart.find(name, other)
    if number is None:
        meant = fulfils(target.schema.form(name), other, source.n)
        why = (
            f"which no step of {target.schema.name} makes"
            if meant
            else f"which is no item of {target.schema.name}"
        )
        return None, f"{shown} is carried to {text}, {why}"
    return number, ""
