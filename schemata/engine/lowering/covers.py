"""Normal forms by what is covered, as equations: what happens to the word aside at the end of a piece.

An item covers the words low..high without its gaps, in pieces. Its normal writing covers the word h aside
exactly if it covers h + 1. So where h ends a piece, the piece loses it; where h stands just before a piece, the
piece takes it in, and closes a gap of one word.
"""

from __future__ import annotations

import itertools

from schemata.engine.lowering.kinds import Kinds, Signature
from schemata.engine.lowering.linear import Affine, Linear, variable
from schemata.engine.lowering.model import Atom, ColumnShape, Equation, Fixed, Kind, Parts, Shape
from schemata.language import model as m

__all__ = ["cover_equations"]

Piece = tuple[Affine, Affine]


def cover_equations(kinds: Kinds, form: int, cover: m.Cover) -> tuple[Equation, ...]:
    """Return the equations of a form's cover for the kinds met so far and those they lead to."""
    found: list[Equation] = []
    waiting = [k.number for k in kinds.found if k.form == form]
    seen = set(waiting)
    while waiting:
        number = waiting.pop()
        for equation in _of_kind(kinds, form, cover, number):
            found.append(equation)
            if equation.right.kind not in seen:
                seen.add(equation.right.kind)
                waiting.append(equation.right.kind)
    return tuple(found)


def _of_kind(kinds: Kinds, form: int, cover: m.Cover, number: int) -> list[Equation]:
    kind = kinds.found[number]
    names = [variable(column.name) for column in kind.columns]
    declared = kinds.schema.forms[form].fields
    gaps = sorted(
        k for k, column in enumerate(kind.columns) if column.name.startswith(f"{declared[cover.gaps].name}.")
    )
    plain = {f.name: variable(f.name) for f in declared}
    low, high = plain[declared[cover.low].name], plain[declared[cover.high].name]
    h = plain[declared[cover.aside].name]
    ends = [names[k] for k in gaps]
    starts = [low, *(ends[k + 1] + 1 for k in range(0, len(ends), 2))]
    stops = [*(ends[k] - 1 for k in range(0, len(ends), 2)), high]
    pieces = list(zip(starts, stops, strict=True))
    left = Atom(number, tuple(names))
    found: list[Equation] = []

    def add(after: list[Piece], *tests: Linear) -> None:
        atom = _item(kinds, kind, cover, after, h)
        if atom is not None:
            found.append(Equation(left, atom, tests))

    for q, (start, stop) in enumerate(pieces):
        before, behind = pieces[:q], pieces[q + 1 :]
        at_stop = Linear("==", h - stop)
        add([*before, (start, h - 1), *behind], at_stop, Linear(">=", stop - start - 1))
        if len(pieces) > 1:
            add([*before, *behind], at_stop, Linear("==", stop - start))
        at_start = Linear("==", h - start + 1)
        if q == 0:
            add([(h, stop), *behind], at_start)
        else:
            last = pieces[q - 1]
            add([*before, (h, stop), *behind], at_start, Linear(">=", h - last[1] - 2))
            add([*before[:-1], (last[0], stop), *behind], at_start, Linear("==", h - last[1] - 1))
    return found


def _item(kinds: Kinds, kind: Kind, cover: m.Cover, pieces: list[Piece], h: Affine) -> Atom | None:
    """Return the item that covers these pieces, otherwise as one of a kind; None where there can be none."""
    covered = {cover.low: pieces[0][0], cover.high: pieces[-1][1], cover.aside: h}
    signature: list[Signature] = []
    terms: list[Affine] = []
    for k, shape in enumerate(kind.shapes):
        if k == cover.gaps:
            signature.append((("position", "position"),) * (len(pieces) - 1))
            for one, other in itertools.pairwise(pieces):
                terms += [one[1] + 1, other[0] - 1]
        elif k in covered:
            signature.append("position")
            terms.append(covered[k])
        else:
            signature.append(_as_it_is(kind, shape, terms))
    number = kinds.number(kind.form, tuple(signature))
    return None if number is None else Atom(number, tuple(terms))


def _as_it_is(kind: Kind, shape: Shape, terms: list[Affine]) -> Signature:
    """Return the signature of a field that is not about what is covered; `terms` gets its columns."""
    match shape:
        case Fixed(value):
            return value
        case ColumnShape(k):
            terms.append(variable(kind.columns[k].name))
            return kind.columns[k].sort
        case Parts(parts):
            return tuple(_as_it_is(kind, part, terms) for part in parts)
