"""Simple maps between the items of two schemata, guessed from their forms alone.

Fields go to fields of the same type; a field may be dropped, merged with another of its type, or filled with a
constant (a flag, an absent value). A list of positions may be written out as the positions of the other form, and a
rule with one dot is one with two of which the first part is empty.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from schemata.language import model as m

__all__ = ["guessed_maps"]

_MOST = 400  # guesses for one pair of schemata


def guessed_maps(source: m.Schema, target: m.Schema, injective: bool, word: str) -> Iterator[tuple[str, ...]]:
    """Yield guesses of maps from the items of one schema to those of another, the plainest first.

    Parameters
    ----------
    source, target : whose items are carried, and to whose.
    injective : whether every field must be kept.
    word : "to" or "from", in which direction the maps are to be written.

    Yields
    ------
    Maps as text, one for each form that steps of the source make.
    """
    starts, ends = _made(source), _made(target)
    choices = [
        [text for end in ends for text in _guesses(start, end, injective, word)][:_MOST] for start in starts
    ]
    yield from itertools.islice(itertools.product(*choices), _MOST)


def _made(schema: m.Schema) -> list[m.Form]:
    """Return the forms that steps make items of."""
    names = {case.consequent.form for case in schema.cases}
    return [form for form in schema.forms if form.name in names]


def _guesses(start: m.Form, end: m.Form, injective: bool, word: str) -> list[str]:
    """Return the maps from one form to another, those that keep names and order first."""
    found: dict[str, tuple[int, ...]] = {}
    for patterns, parts in _shapes(start):
        options = [list(_fillings(field, parts)) for field in end.fields]
        for chosen in itertools.islice(itertools.product(*options), 4 * _MOST):
            used = [name for _, names, _ in chosen for name in names]
            if injective and len(set(used)) < len(parts):
                continue
            dropped = [name for name, _ in parts if name not in used]
            left = f"{start.name}[{', '.join(_hidden(p, dropped) for p in patterns)}]"
            right = f"{end.name}[{', '.join(text for text, _, _ in chosen)}]"
            text = f"{left} to {right}" if word == "to" else f"{right} from {left}"
            order = [k for k, (name, _) in enumerate(parts) for u in used if u == name]
            places = [next(k for k, (name, _) in enumerate(parts) if name == u) for u in used]
            penalty = (
                sum(cost for _, _, cost in chosen),
                len(dropped),
                sum(a > b for a, b in itertools.pairwise(places)),
                len(order) - len(set(order)),
            )
            found.setdefault(text, penalty)
    return sorted(found, key=lambda text: (found[text], text))


def _hidden(pattern: str, dropped: Sequence[str]) -> str:
    return "_" if pattern.rstrip("?") in dropped else pattern


def _shapes(form: m.Form) -> Iterator[tuple[list[str], list[tuple[str, m.Type]]]]:
    """Yield ways to take an item apart: a pattern for each field, and the parts with their types."""
    plain = [f"{f.name}?" if f.type.kind == "optional" else f.name for f in form.fields]
    yield plain, [(f.name, f.type) for f in form.fields]
    for k, field in enumerate(form.fields):
        kind = field.type
        taken = {f.name for f in form.fields}
        if kind.kind == "list" and kind.arguments == (m.POSITION,):
            names = [_fresh(name, taken) for name in ("x", "y")]
            parts = [(f.name, f.type) for f in form.fields]
            parts[k : k + 1] = [(name, m.POSITION) for name in names]
            yield [*plain[:k], f"<{', '.join(names)}>", *plain[k + 1 :]], parts
        if kind.kind == "dotted":
            names = [_fresh(name, taken) for name in ("alpha", "beta", "gamma")[: kind.dots + 1]]
            lhs = _fresh("A", taken)
            parts = [(f.name, f.type) for f in form.fields]
            parts[k : k + 1] = [(lhs, m.SYMBOL), *((name, m.SYMBOLS) for name in names)]
            written = f"{lhs}({' . '.join('*' + name for name in names)})"
            yield [*plain[:k], written, *plain[k + 1 :]], parts


def _fresh(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "1"
    taken.add(name)
    return name


def _fillings(
    field: m.Field, parts: Sequence[tuple[str, m.Type]]
) -> Iterator[tuple[str, tuple[str, ...], int]]:
    """Yield what a field may be filled with: the text, the parts it uses, and how far-fetched it is."""
    kind = field.type
    for name, own in parts:
        if own == kind or (kind.kind == "optional" and kind.arguments[0] == own):
            yield name, (name,), int(name != field.name)
    match kind.kind:
        case "flag":
            yield "false", (), 1
            yield "true", (), 1
        case "optional":
            yield "-", (), 1
        case "list" if kind.arguments == (m.POSITION,) and not kind.intervals:
            names = tuple(name for name, own in parts if own == m.POSITION)
            if names:
                yield f"<{', '.join(names)}>", names, 1
        case "dotted":
            lhs = [name for name, own in parts if own == m.SYMBOL][:1]
            bodies = [name for name, own in parts if own == m.SYMBOLS]
            if lhs and len(bodies) == 2 and kind.dots == 2:
                a, b = bodies
                for shape in (f". *{a} . *{b}", f"*{a} . *{b} ."):
                    yield f"{lhs[0]}({shape})", (lhs[0], a, b), 1
            if lhs and len(bodies) == 3 and kind.dots == 1:
                a, b, c = bodies
                for shape in (f"*{a} *{b} . *{c}", f"*{a} . *{b} *{c}"):
                    yield f"{lhs[0]}({shape})", (lhs[0], a, b, c), 1
