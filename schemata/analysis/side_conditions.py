"""Side conditions of a rule with the values they have under a binding, and what they say in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from schemata.language import labels
from schemata.language import model as m
from schemata.language.typeset import condition_text, format_value
from schemata.program.evaluation import evaluate, fill, truth
from schemata.program.matching import GRAMMAR_CONDITIONS, grammar_allows
from schemata.structures import Sentence

__all__ = ["SideCondition", "named_position", "side_condition", "side_conditions", "violation_text"]

ConditionKind = Literal["licence", "rule", "root", "category", "corner", "disjunct", "match", "comparison"]


@dataclass(frozen=True, slots=True)
class SideCondition:
    """A side condition under a binding.

    Parameters
    ----------
    kind : what it asks of the grammar, or `comparison`.
    text : the condition as the rule has it.
    filled : the same with values for variables.
    holds : whether it holds; None where the binding leaves it open.
    values : its variables with their values as text.
    said : what it comes to in words.
    """

    kind: ConditionKind
    text: str
    filled: str
    holds: bool | None
    values: tuple[tuple[str, str], ...]
    said: str

    def to_json(self) -> dict[str, Any]:
        """Return the condition as a JSON object."""
        return {
            "kind": self.kind,
            "condition": self.text,
            "filled": self.filled,
            "holds": self.holds,
            "values": dict(self.values),
            "says": self.said,
        }


def named_position(position: object, sentence: Sentence) -> str:
    """Return a position with its word: `2 (cat)`; 0 is the root, what lies beyond the words has none.

    >>> named_position(2, Sentence.of("the cat sat")), named_position(0, Sentence.of("a"))
    ('2 (cat)', '0 (root)')
    """
    if position == 0:
        return "0 (root)"
    if isinstance(position, int) and 1 <= position <= len(sentence):
        return f"{position} ({sentence.words[position - 1]})"
    return "any word" if position is None else str(position)


def side_conditions(
    case: m.Case, binding: Mapping[str, m.Value], sentence: Sentence, grammar: Any
) -> tuple[SideCondition, ...]:
    """Return the conditions of a rule under a binding, in the order of the rule."""
    return tuple(side_condition(c, case.types, binding, sentence, grammar) for c in case.conditions)


def side_condition(
    condition: m.Condition,
    types: Mapping[str, m.Type],
    binding: Mapping[str, m.Value],
    sentence: Sentence,
    grammar: Any,
    *,
    failed: bool = False,
) -> SideCondition:
    """Return one condition under a binding; `failed` says that it is known to fail."""
    asks = isinstance(condition, GRAMMAR_CONDITIONS)
    holds = grammar_allows(condition, binding, grammar) if asks else truth(condition, binding)  # type: ignore[arg-type]
    holds = False if failed else holds
    filled = fill(condition, binding, types)
    names = [name for name in dict.fromkeys(m.variables(condition)) if name in binding]
    values = tuple((name, format_value(binding[name], types.get(name, m.POSITION))) for name in names)
    text, shown = condition_text(condition, ascii=True), condition_text(filled, ascii=True)
    kind: ConditionKind = "comparison"
    match condition:
        case m.Licensed(dependent, head):
            kind = "licence"
            ends = [named_position(_known(t, binding), sentence) for t in (dependent, head)]
            said = f"the grammar {_verb(holds, 'licenses', 'does not license')} {ends[0]} under {ends[1]}"
        case m.CategoryLicence():
            kind = "licence"
            below, _, above = shown.removeprefix("licensed ").partition(" to ")
            licenses = _verb(holds, "licenses", "does not license")
            said = f"the grammar {licenses} words of category {below} under words of category {above}"
        case m.HasRule():
            kind = "rule"
            rule = shown.removeprefix("rule ")
            said = f"the grammar {_verb(holds, 'has the rule', 'has no rule')} {rule}"
        case m.LeftCorner():
            kind = "corner"
            part, _, whole = shown.removeprefix("corner ").partition(" of ")
            said = f"{part} {_verb(holds, 'is', 'is not')} a left corner of {whole}"
        case m.RootCategory():
            kind = "root"
            said = f"{shown.removeprefix('root ')} {_verb(holds, 'may', 'may not')} be the root"
        case m.HasCategory(word, _):
            kind = "category"
            place = named_position(_known(word, binding), sentence)
            label = shown.rpartition(" is ")[2]
            of = "any category" if label == "_" else f"category {label}"
            said = f"word {place} {_verb(holds, 'is', 'is not')} of {of}"
        case m.HasDisjunct(_, _, word):
            kind = "disjunct"
            sides = shown.removeprefix("disjunct ").rpartition(" of ")[0]
            named = _named_word(_known(word, binding), getattr(grammar, "words", ()))
            said = f"word {named} {_verb(holds, 'has', 'does not have')} the disjunct {sides}"
        case m.Matches(left, right):
            kind = "match"
            tokens = [_token(_known(side, binding)) for side in (left, right)]
            said = f"{tokens[0]} {_verb(holds, 'matches', 'does not match')} {tokens[1]}"
        case _:
            given = ", ".join(f"{name} = {value}" for name, value in values)
            said = f"{text}{f' with {given}' if given else ''}"
    return SideCondition(kind, text, shown, holds, values, said)


def _named_word(position: m.Value, words: Sequence[str]) -> str:
    """Return a position of a Link Grammar sentence, which begins with 0, with its word."""
    if not isinstance(position, int):
        return "_"
    return f"{position} ({words[position]})" if 0 <= position < len(words) else str(position)


def _token(label: m.Value) -> str:
    """Return a connector as the dictionary writes it."""
    return labels.token(label) if isinstance(label, str) and label else "_"


def _verb(holds: bool | None, yes: str, no: str) -> str:
    return no if holds is False else yes


def _known(term: m.Term, binding: Mapping[str, m.Value]) -> m.Value:
    try:
        return evaluate(term, binding)
    except LookupError:
        return None


def violation_text(condition: m.Term, types: Mapping[str, m.Type], binding: Mapping[str, m.Value]) -> str:
    """Return the part of a condition that a binding makes false, with values: `i < j, but i = 3, j = 2`."""
    broken = condition
    while isinstance(broken, m.Junction) and broken.word == "and":
        part = next((p for p in broken.operands if truth(p, binding) is False), None)
        if part is None:
            break
        broken = part
    names = [name for name in dict.fromkeys(m.variables(broken)) if name in binding]
    given = ", ".join(f"{v} = {format_value(binding[v], types.get(v, m.POSITION))}" for v in names)
    return f"{condition_text(broken, ascii=True)}{f', but {given}' if given else ''}"
