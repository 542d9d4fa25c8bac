"""Reasons in words: side conditions under a binding, and why an item is not derivable.

The second is a tree of items, the steps tried for them, and what each lacks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from schemata.analysis.figures import besides_json
from schemata.engine.chart import Chart
from schemata.grammars.relations import LACKS, SIGNATURES, Sort
from schemata.language import labels
from schemata.language import model as m
from schemata.language.typeset import condition_text, format_value, term_text
from schemata.program.evaluation import fill, truth
from schemata.program.matching import holds as holds_under
from schemata.program.matching import question, signature
from schemata.records import Record, Shown, document, field, fields_json, json_of
from schemata.structures import Sentence

ConditionKind = Literal[
    "licence", "rule", "root", "category", "corner", "disjunct", "match", "fact", "comparison"
]


class SideCondition(Record):
    """A side condition under a binding.

    Parameters
    ----------
    kind : the kind of question to the grammar, or `comparison`.
    text : the condition as the rule has it.
    filled : the same with values for variables.
    holds : whether it holds; None if the binding leaves it open.
    values : its variables with their values as text.
    said : the condition with its values, in words.
    """

    kind: ConditionKind
    text: str
    filled: str
    holds: bool | None
    values: tuple[tuple[str, str], ...]
    said: str

    to_json = json_of("kind condition=text filled holds values{} says=said")


def named_position(position: object, sentence: Sentence | None) -> str:
    """Return a position with its word, if it has one: `2 (cat)`; 0 is the root, positions beyond the
    words have none.

    >>> named_position(2, Sentence.of("the cat sat")), named_position(0, Sentence.of("a"))
    ('2 (cat)', '0 (root)')
    """
    if position == 0:
        return "0 (root)"
    if sentence is not None and isinstance(position, int) and 1 <= position <= len(sentence):
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
    """Return one condition under a binding; `failed` says that it fails, so that it is not evaluated."""
    holds = False if failed else holds_under(condition, binding, grammar)
    filled = fill(condition, binding, types)
    names = [name for name in dict.fromkeys(m.variables(condition)) if name in binding]
    values = tuple((name, format_value(binding[name], types.get(name, m.POSITION))) for name in names)
    text, shown = condition_text(condition, ascii=True), condition_text(filled, ascii=True)
    kind: ConditionKind = "comparison"
    if isinstance(condition, (m.Matches, m.HasFact)):
        relation, terms, sorts = "match", m.parts(filled), SIGNATURES["match"].sorts
        if not isinstance(condition, m.Matches):
            (relation, terms), sorts = question(filled), signature(condition).sorts
        words, name = getattr(grammar, "words", ()), relation.removeprefix(LACKS)
        told = [_part_text(part, sort, sentence, words) for part, sort in zip(terms, sorts, strict=True)]
        known = name if name in (m.SAME_WORD, m.NEXT_WORD) else relation
        kind, saying, yes, no = _SAYINGS[known if known in _SAYINGS else "fact"]
        if relation == "category":
            told[1] = "any category" if told[1] == "_" else f"category {told[1]}"
        verb = yes if (holds is not False) == (name == relation) else no
        said = saying.format(verb, *told, rest=shown.partition(" ")[2], name=name, all=", ".join(told))
    else:
        given = ", ".join(f"{name} = {value}" for name, value in values)
        said = f"{text}{f' with {given}' if given else ''}"
    return SideCondition(kind, text, shown, holds, values, said)


_OF_CATEGORIES = "the grammar {} words of category {} under words of category {}"
_SAYINGS: Mapping[str, tuple[ConditionKind, str, str, str]] = {
    "licensed": ("licence", "the grammar {} {} under {}", "licenses", "does not license"),
    "licensed_categories": ("licence", _OF_CATEGORIES, "licenses", "does not license"),
    "fact": ("fact", "the grammar {} the fact {name}({all})", "has", "does not have"),
    m.SAME_WORD: ("fact", "words {1} and {2} {0} the same", "are", "are not"),
    m.NEXT_WORD: ("fact", "{2} {0} {1} in the word graph", "follows", "does not follow"),
    "rule": ("rule", "the grammar {} {rest}", "has the rule", "has no rule"),
    "left_corner": ("corner", "{1} {0} a left corner of {2}", "is", "is not"),
    "root": ("root", "{1} {0} be the root", "may", "may not"),
    "category": ("category", "word {1} {0} of {2}", "is", "is not"),
    "disjunct": ("disjunct", "word {3} {0} the disjunct {1} / {2}", "has", "does not have"),
    "match": ("match", "{1} {0} {2}", "matches", "does not match"),
}


def _part_text(part: m.Term, sort: Sort, sentence: Sentence, words: Sequence[str]) -> str:
    """Return an argument of a relation: a position with its word, a label as the dictionary writes it."""
    value = part.value if isinstance(part, m.Lit) else None
    match sort, value:
        case (("word" | "node"), _):
            return named_position(value, sentence)
        case "position", int():  # of a Link Grammar sentence, which begins with 0
            return f"{value} ({words[value]})" if 0 <= value < len(words) else str(value)
        case "label", str():
            return labels.token(value) if value else "_"
        case (("position" | "label"), _):
            return "_"
    return term_text(part, ascii=True)


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


LackKind = Literal[
    "licence", "rule", "root", "category", "corner", "disjunct", "match", "fact",  # a side condition fails
    "comparison",
    "item",  # an antecedent is missing
    "where", "hypothesis", "form", "shape",  # no step can derive the item at all
    "circular", "depth",  # the item waits for itself; the reasons are not followed further
]  # fmt: skip


class Lack(Record):
    """One thing that is missing, in words; `link` is the (dependent, head) that is not licensed."""

    kind: LackKind
    said: str
    link: tuple[int, int] | None = None

    to_json = json_of("kind says=said link?")


class Attempt(Record):
    """The best attempt to derive an item by one rule: bindings, present antecedents, and missing parts.

    Parameters
    ----------
    step, label : the step and its case.
    bindings : the known values of the rule's variables, as text.
    present : the antecedents that are derivable.
    lacks : the missing antecedents, then conditions.
    missing : why the first missing antecedents are missing.
    complete : whether all possibilities were looked at.
    """

    step: str
    label: str | None
    bindings: tuple[tuple[str, str], ...]
    present: tuple[str, ...]
    lacks: tuple[Lack, ...]
    missing: tuple[WhyNot, ...] = ()
    complete: bool = True

    to_json = json_of("step case=label bindings{} present lacks missing complete")


class WhyNot(Record, Shown, repr=False):
    """Why an item is not derivable; or that it is.

    Parameters
    ----------
    item : the item in canonical text; `_` stands for values that are not determined.
    derivable : whether it is derivable after all; None if the run was cut short before that was known.
    hypothesis : whether it is a hypothesis.
    lacks : why no step can derive it, where none can.
    attempts : the steps that could, each with what it lacks.
    untold : the number of other steps that could, which lack as much or more.
    misfits : the steps whose consequents have another shape.
    links : links (dependent, head) that would make it derivable if the grammar licensed them all: the fewest,
        where a link counts as often as the proof uses it; None if no D-rules would help, or where that is
        not known (`hopeless` distinguishes these).
    hopeless : whether it is known that no D-rules make it derivable for this sentence.
    written : the item as the user wrote it, if that is not its normal form.
    chart : the chart in question; None in reasons within reasons.
    final : whether the question was about the final items.
    derived : whether the item is derivable, but not final.
    hint : how to get more reasons.
    unknown : the messages about words of the sentence that the grammar does not know.
    """

    item: str
    derivable: bool | None = False
    hypothesis: bool = False
    lacks: tuple[Lack, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    untold: int = 0
    misfits: tuple[str, ...] = ()
    links: tuple[tuple[int, int], ...] | None = None
    hopeless: bool = False
    written: str | None = None
    chart: Chart | None = field(default=None, compare=False)
    final: bool = field(default=False, compare=False)
    derived: bool = field(default=False, compare=False)
    hint: str | None = field(default=None, compare=False)
    unknown: tuple[str, ...] = field(default=(), compare=False)

    def to_json(self) -> dict[str, Any]:
        """Return the reasons as a JSON object; those of a chart as `schemata why-not --json` prints them."""
        reasons = fields_json(
            self,
            "item written derivable hypothesis lacks attempts untold misfits links hopeless hint? unknown?",
        )
        if self.derived:
            reasons |= {"derivable": True, "final": False}
        if self.chart is None:
            return reasons
        return document(self.chart.heading(), reasons, besides_json(self.chart))
