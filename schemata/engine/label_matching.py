"""Sequences of labels in a kernel: patterns taken apart, expressions put together, and keys of joins.

A variable of a sequence is seldom looked at; mostly a rule hands on what it has, or moves a dot. So a splice
is no local variable but an expression (`part_after[_f3]`), and what a rule puts together from parts that it
took apart is found under those parts in the matcher's names: under `*a . *b` stands the value they came from.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from schemata.engine.label_tables import TABLES
from schemata.language import model as m
from schemata.language.labels import EMPTY, LONE_DOT
from schemata.language.typeset import term_text

if TYPE_CHECKING:
    from schemata.engine.access import Access
    from schemata.engine.expressions import Names
    from schemata.engine.matching import Matcher

__all__ = [
    "PRELUDE", "add_label_keys", "fits", "has_wildcards", "labels_text", "match_labels", "outcomes_text",
    "prelude_lines", "table_lines", "uses_labels",
]  # fmt: skip

PRELUDE = (
    "from schemata.engine.label_tables import label_tables",
    "from schemata.grammars.link_grammar.sequences import sequences_of",
)
Part = m.Var | m.Any | m.Splice | m.Run


def uses_labels(schema: m.Schema) -> bool:
    """Whether a schema's items have fields of labels, or its steps ask for disjuncts or build labelled links."""
    kinds = {f.type.kind for form in schema.forms for f in form.fields}
    asks = any(isinstance(c, m.HasDisjunct) for case in schema.cases for c in case.conditions)
    return bool(kinds & {"labels", "dotted labels"}) or asks or schema.builds_linkages


def prelude_lines(code: Sequence[str]) -> list[str]:
    """Return the statements that a kernel with these lines needs first."""
    return [
        *table_lines(code),
        "label_view = sequences_of(grammar)",
        "disjuncts_at = label_view.sides_by_position",
        "right_codes, left_codes = label_view.right_codes, label_view.left_codes",
        "reaches = label_view.reaches",
        "token_pairs, token_partners = label_view.matching, label_view.partners",
    ]


def table_lines(code: Sequence[str]) -> list[str]:
    """Return the statement that makes the tables which some lines use, if they use any."""
    text = "\n".join(code)
    used = [name for name in TABLES if f"{name}[" in text]
    quoted = ", ".join(map(repr, used))
    return [f"{', '.join(used)}{',' if len(used) == 1 else ''} = label_tables({quoted})"] if used else []


def has_wildcards(term: m.Labels) -> bool:
    """Whether a pattern leaves some of its labels open."""
    return any(isinstance(part, m.Any | m.Run) for part in term.parts)


# Expressions --------------------------------------------------------------------------------------------------


def _key(parts: Sequence[Part], dot: int | None) -> str:
    """Return the name under which the value of a sequence is kept; no variable is called so."""
    words = [f"*{part.name}" if isinstance(part, m.Splice) else getattr(part, "name", "_") for part in parts]
    if dot is not None:
        words.insert(dot, ".")
    return f"labels {' '.join(words)}"


def labels_text(term: m.Labels, names: Names) -> str:
    """Return a sequence whose variables are all bound as a Python expression; its value may be None.

    `fits` tells where it cannot.
    """
    if not term.parts:
        return repr(EMPTY if term.dot is None else LONE_DOT)
    known = names.get(_key(term.parts, term.dot))
    if known is not None:
        return known
    if term.dot is None:
        shown = _part_text(term.parts[0], names)
        for part in term.parts[1:]:
            shown = f"labels_chain[{shown}, {_part_text(part, names)}]"
        return shown
    if term.dot:
        whole = names.get(_key(term.parts, term.dot - 1))
        if whole is not None and isinstance(term.parts[term.dot - 1], m.Var):
            return f"dot_moved[{whole}]"
    if term.dot == len(term.parts):
        others = (names.get(_key(term.parts, dot)) for dot in range(term.dot))
        if (whole := next((value for value in others if value is not None), None)) is not None:
            return f"dot_closed[{whole}]"
    one, two = (labels_text(m.Labels(side), names) for side in term.sides)
    if term.dot == 0:
        return f"dot_begun[{two}]"
    return f"dot_ended[{one}]" if term.dot == len(term.parts) else f"labels_dotted[{one}, {two}]"


def _part_text(part: Part, names: Names) -> str:
    assert isinstance(part, m.Var | m.Splice)
    return names[part.name]


def outcomes_text(term: m.Labels, names: Names) -> str:
    """Return the expression of what a dot that may stay leads to."""
    assert term.dot
    return f"dot_outcomes[{labels_text(m.Labels(term.parts, term.dot - 1), names)}]"


def fits(matcher: Matcher, term: m.Labels) -> bool:
    """Whether the parts of a sequence are neighbours for certain: one pattern has them so, or there is one."""
    parts, size = term.parts, len(term.parts)
    return size < 2 or any(
        run[k : k + size] == parts for run in matcher.runs for k in range(len(run) - size + 1)
    )


# Patterns -----------------------------------------------------------------------------------------------------


def match_labels(matcher: Matcher, value: str, term: m.Labels) -> None:
    """Match a value against a sequence; binds its variables and tests what is known."""
    names = matcher.names
    assert isinstance(names, dict)
    sides = [value] if term.dot is None else [f"part_before[{value}]", f"part_after[{value}]"]
    for side, parts in zip(sides, term.sides, strict=True):
        _match_side(matcher, side, parts)
        if parts and not _open(parts):
            names.setdefault(_key(parts, None), side)
    if not has_wildcards(term):
        names.setdefault(_key(term.parts, term.dot), value)
    matcher.runs.append(term.parts)


def _open(parts: Sequence[Part]) -> bool:
    return any(isinstance(part, m.Any | m.Run) for part in parts)


def _match_side(matcher: Matcher, side: str, parts: tuple[Part, ...]) -> None:
    code = matcher.code
    if not parts:
        code.test(f"not {side}")
        return
    whole = m.Labels(parts)
    if not _open(parts) and matcher.is_bound(whole):
        code.test(f"{side} == {labels_text(whole, matcher.names)}")
        return
    star = next((k for k, part in enumerate(parts) if isinstance(part, m.Splice | m.Run)), None)
    front, back = (parts, ()) if star is None else (parts[:star], parts[star + 1 :])
    for part in front:
        code.test(side)
        _match_label(matcher, f"label_first[{side}]", part)
        side = f"labels_rest[{side}]"
    for part in reversed(back):
        code.test(side)
        _match_label(matcher, f"label_last[{side}]", part)
        side = f"labels_initial[{side}]"
    match None if star is None else parts[star]:
        case None:
            code.test(f"not {side}")
        case m.Splice(name) if name in matcher.bound:
            code.test(f"{side} == {matcher.names[name]}")
        case m.Splice(name):
            matcher.names[name] = side  # type: ignore[index]
            matcher.bound.add(name)


def _match_label(matcher: Matcher, value: str, part: Part) -> None:
    if isinstance(part, m.Var):
        matcher.match(value, part, m.LABEL)


# Joins --------------------------------------------------------------------------------------------------------


def add_label_keys(matcher: Matcher, place: str, term: m.Labels, found: Access, tag: str) -> None:
    """Add what is known of a partner's sequence: a whole side, its ends, or what an end has to match."""
    sides = [place] if term.dot is None else [f"part_before[{place}]", f"part_after[{place}]"]
    told = [place] if term.dot is None else [f"{place} before the dot", f"{place} after the dot"]
    for side, said, parts in zip(sides, told, term.sides, strict=True):
        if not parts:
            found.guards.append(f"not {side}")
            continue
        whole = m.Labels(parts)
        if not _open(parts) and matcher.is_bound(whole):
            found.key.append(side)
            found.values.append(labels_text(whole, matcher.names))
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
            if part.name in matcher.bound:
                found.key.append(f"label_{end}[{side}]")
                found.values.append(matcher.names[part.name])
                found.told.append((f"the {end} label of {said}", part.name))
                continue
            token = _token_text(place, side, end, term)
            _add_partner(matcher, part, token, f"the {end} label of {said}", found, tag)


def _token_text(place: str, side: str, end: str, term: m.Labels) -> str:
    if term.dot is None:
        return f"{end}_token[{place}]"
    if side.startswith("part_after") and end == "first":
        return f"next_token[{place}]"
    return f"{end}_token[{side}]"


def _add_partner(matcher: Matcher, part: m.Var, token: str, said: str, found: Access, tag: str) -> None:
    """Let a label that has to match a known one be found under what it is: there are few that match."""
    for condition in matcher.awaited:
        for own, other in ((condition.left, condition.right), (condition.right, condition.left)):
            if own == part and condition not in found.settled and matcher.is_bound(other):
                name = f"_partner{tag}_{len(found.loops)}"
                found.key.append(token)
                found.values.append(name)
                found.told.append((said, f"each label that fits {term_text(other)}"))
                known = f"label_token[{matcher.text(other)}]"
                found.loops.append((name, f"token_partners.get({known}, ())"))
                found.settled.append(condition)
                return
