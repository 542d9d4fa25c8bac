"""What is known of a partner's sequence of labels before it is looked up: a side, an end, or what an end must match."""

from __future__ import annotations

from schemata.engine.python.bindings import Bindings
from schemata.engine.python.indexes import Access
from schemata.engine.python.label_expressions import is_open, labels_text
from schemata.language import model as m
from schemata.language.typeset import term_text

__all__ = ["add_label_keys"]


def add_label_keys(bindings: Bindings, place: str, term: m.Labels, found: Access, tag: str) -> None:
    """Add what is known of a partner's sequence: a whole side, its ends, or what an end has to match."""
    sides = [place] if term.dot is None else [f"part_before[{place}]", f"part_after[{place}]"]
    told = [place] if term.dot is None else [f"{place} before the dot", f"{place} after the dot"]
    for side, said, parts in zip(sides, told, term.sides, strict=True):
        if not parts:
            found.guards.append(f"not {side}")
            continue
        whole = m.Labels(parts)
        if not is_open(parts) and bindings.is_bound(whole):
            found.key.append(side)
            found.values.append(labels_text(whole, bindings.names))
            found.told.append((said, term_text(whole)))
            continue
        ends = [("first", parts[0])]
        if len(parts) > 1:
            ends.append(("last", parts[-1]))
        labels = [(end, part) for end, part in ends if isinstance(part, m.Var | m.Any)]
        if labels:
            found.guards.append(side)
        for end, part in labels:
            if not isinstance(part, m.Var):
                continue
            if part.name in bindings.bound:
                found.key.append(f"label_{end}[{side}]")
                found.values.append(bindings.names[part.name])
                found.told.append((f"the {end} label of {said}", part.name))
                continue
            token = _token_text(place, side, end, term)
            _add_partner(bindings, part, token, f"the {end} label of {said}", found, tag)


def _token_text(place: str, side: str, end: str, term: m.Labels) -> str:
    if term.dot is None:
        return f"{end}_token[{place}]"
    if side.startswith("part_after") and end == "first":
        return f"next_token[{place}]"
    return f"{end}_token[{side}]"


def _add_partner(bindings: Bindings, part: m.Var, token: str, said: str, found: Access, tag: str) -> None:
    """Let a label that has to match a known one be found under what it is: there are few that match."""
    for condition in bindings.awaited:
        for own, other in ((condition.left, condition.right), (condition.right, condition.left)):
            if own == part and condition not in found.settled and bindings.is_bound(other):
                name = f"_partner{tag}_{len(found.loops)}"
                found.key.append(token)
                found.values.append(name)
                found.told.append((said, f"each label that fits {term_text(other)}"))
                known = f"label_token[{bindings.text(other)}]"
                found.loops.append((name, f"token_partners.get({known}, ())"))
                found.settled.append(condition)
                return
