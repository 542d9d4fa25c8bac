"""Sequences of labels as Python expressions, and what a kernel that has them needs first.

A variable of a sequence is seldom looked at; mostly a rule hands on what it has, or moves a dot. So a splice
is no local variable but an expression (`part_after[_f3]`), and what a rule puts together from parts that it
took apart is found under those parts in the names: under `*a . *b` stands the value they came from.
"""

from __future__ import annotations

from collections.abc import Sequence

from schemata.engine.python.label_tables import TABLES
from schemata.engine.python.names import Names
from schemata.language import model as m
from schemata.language.labels import EMPTY, LONE_DOT

__all__ = [
    "PRELUDE", "Part", "is_open", "labels_text", "outcomes_text", "prelude_lines", "table_lines",
    "uses_labels", "value_name",
]  # fmt: skip

PRELUDE = (
    "from schemata.engine.python.label_tables import label_tables",
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


def is_open(parts: Sequence[Part]) -> bool:
    """Whether parts of a sequence leave some labels open."""
    return any(isinstance(part, m.Any | m.Run) for part in parts)


def value_name(parts: Sequence[Part], dot: int | None) -> str:
    """Return the name under which the value of a sequence is kept; no variable is called so."""
    words = [f"*{part.name}" if isinstance(part, m.Splice) else getattr(part, "name", "_") for part in parts]
    if dot is not None:
        words.insert(dot, ".")
    return f"labels {' '.join(words)}"


def labels_text(term: m.Labels, names: Names) -> str:
    """Return a sequence whose variables are all bound as a Python expression; its value may be None.

    `label_matching.fits` tells where it cannot.
    """
    if not term.parts:
        return repr(EMPTY if term.dot is None else LONE_DOT)
    known = names.get(value_name(term.parts, term.dot))
    if known is not None:
        return known
    if term.dot is None:
        shown = _part_text(term.parts[0], names)
        for part in term.parts[1:]:
            shown = f"labels_chain[{shown}, {_part_text(part, names)}]"
        return shown
    if term.dot:
        whole = names.get(value_name(term.parts, term.dot - 1))
        if whole is not None and isinstance(term.parts[term.dot - 1], m.Var):
            return f"dot_moved[{whole}]"
    if term.dot == len(term.parts):
        others = (names.get(value_name(term.parts, dot)) for dot in range(term.dot))
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
