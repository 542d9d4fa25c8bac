"""Patterns of sequences of labels in a kernel: values taken apart, their variables bound or tested."""

from __future__ import annotations

from schemata.engine.python.bindings import Bindings
from schemata.engine.python.label_expressions import Part, is_open, labels_text, value_name
from schemata.language import model as m

__all__ = ["fits", "match_labels"]


def match_labels(bindings: Bindings, value: str, term: m.Labels) -> None:
    """Match a value against a sequence; binds its variables and tests what is known."""
    names = bindings.names
    assert isinstance(names, dict)
    sides = [value] if term.dot is None else [f"part_before[{value}]", f"part_after[{value}]"]
    for side, parts in zip(sides, term.sides, strict=True):
        _match_side(bindings, side, parts)
        if parts and not is_open(parts):
            names.setdefault(value_name(parts, None), side)
    if not is_open(term.parts):
        names.setdefault(value_name(term.parts, term.dot), value)
    bindings.runs.append(term.parts)


def _match_side(bindings: Bindings, side: str, parts: tuple[Part, ...]) -> None:
    code = bindings.code
    if not parts:
        code.test(f"not {side}")
        return
    whole = m.Labels(parts)
    if not is_open(parts) and bindings.is_bound(whole):
        code.test(f"{side} == {labels_text(whole, bindings.names)}")
        return
    star = next((k for k, part in enumerate(parts) if isinstance(part, m.Splice | m.Run)), None)
    front, back = (parts, ()) if star is None else (parts[:star], parts[star + 1 :])
    for part in front:
        code.test(side)
        if isinstance(part, m.Var):
            bindings.bind_or_test(part.name, f"label_first[{side}]")
        side = f"labels_rest[{side}]"
    for part in reversed(back):
        code.test(side)
        if isinstance(part, m.Var):
            bindings.bind_or_test(part.name, f"label_last[{side}]")
        side = f"labels_initial[{side}]"
    match None if star is None else parts[star]:
        case None:
            code.test(f"not {side}")
        case m.Splice(name) if name in bindings.bound:
            code.test(f"{side} == {bindings.names[name]}")
        case m.Splice(name):
            bindings.names[name] = side  # type: ignore[index]
            bindings.bound.add(name)


def fits(bindings: Bindings, term: m.Labels) -> bool:
    """Whether the parts of a sequence are neighbours for certain: one pattern has them so, or there is one."""
    parts, size = term.parts, len(term.parts)
    return size < 2 or any(
        run[k : k + size] == parts for run in bindings.runs for k in range(len(run) - size + 1)
    )
