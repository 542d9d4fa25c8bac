"""From a deduction system over spans to the transition system that it tabulates.

An item [i, ..., j] is read as a push computation: it begins with buffer i.., ends with buffer j.., and pushes one
element, the part between i and j (or i itself). A step that opens an item [j, ..., j + 1] is a shift; one that puts
[i, ..., k] and [k, ..., j] together to [i, ..., j] takes the two topmost elements from the stack and pushes the result.

References
----------
Kuhlmann, Gómez-Rodríguez & Satta 2011, section 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from schemata.errors import UsageError
from schemata.kinds import D_RULES
from schemata.language import model as m
from schemata.language.typeset import conditions_of, pattern_text, reference_of, rule_text, term_text
from schemata.relations.tabulation import header, steps_text

_EXPECTED = (
    "items [i, ..., j] of one form; steps that put [i, ..., k] and [k, ..., j] together to [i, ..., j], or open "
    "[j, ..., j + 1]"
)


def reverse(schema: m.Schema, name: str | None = None) -> str:
    """Return the transition system that a schema over D-rules tabulates, as the text of a schema.

    Parameters
    ----------
    schema : a schema over spans; node 0 is the root.
    name : of the new schema.

    Raises
    ------
    UsageError : items of several forms, or a step that does not put together two items that touch.

    >>> from schemata import load
    >>> print(reverse(load("hybrid").definition).split("\\n\\n")[-2])
    step ra
      state[<*S, i, k>, B, A]
      ----------------------------------  attach k to i
      state[<*S, i>, B, A + (k under i)]
    """
    forms = dict.fromkeys(case.consequent.form for case in schema.cases)
    form = schema.form(next(iter(forms)))
    ends = [k for k, one in enumerate(form.fields) if one.type == m.POSITION]
    if schema.grammar != D_RULES or len(forms) > 1 or len(ends) < 2 or form.has_normal_form:
        raise _refusal(f"{schema.name} has no items [i, ..., j] of one form over D-rules")
    for condition in m.nodes(form.where):
        if not isinstance(condition, m.Compare | m.Junction | m.Var | m.Linear | m.Lit) or (
            isinstance(condition, m.Linear) and condition != m.Linear(1, ((m.Var("n"), 1),))
        ):
            raise _refusal(f"items of {schema.name} have conditions beside the order of their positions")
    return _Reversal(schema, form, ends[0], ends[-1]).text(name or f"{schema.name}-reversed")


def _refusal(message: str) -> UsageError:
    return UsageError(message, code="no-reversal", expected=_EXPECTED)


class _Reversal:
    """The transition system of items of a form whose fields `low` and `high` are the ends."""

    def __init__(self, schema: m.Schema, form: m.Form, low: int, high: int) -> None:
        self.schema, self.form, self.low, self.high = schema, form, low, high
        between = [k for k in range(len(form.fields)) if k not in (low, high)]
        self.kept = between if any(form.fields[k].type == m.POSITION for k in between) else [low, *between]

    def element(self, pattern: m.Pattern, named: bool = False) -> str:
        """Return the stack element that an item's computation pushes, as a term; with `named`, no part of it
        without a name.
        """
        if named:
            own = tuple(m.Var(f"{f.name}0") if isinstance(t, m.Any) else t
                        for f, t in zip(self.form.fields, pattern.terms, strict=True))  # fmt: skip
            pattern = m.Pattern(pattern.form, own)
        terms = [term_text(pattern.terms[k], self.form.fields[k].type, ascii=True) for k in self.kept]
        return terms[0] if len(terms) == 1 else f"({', '.join(terms)})"

    def _is_opened(self, pattern: m.Pattern) -> bool:
        """Whether an item is [j, ..., j + 1]."""
        begins, ends = pattern.terms[self.low], pattern.terms[self.high]
        if isinstance(begins, m.Lit):
            return ends == m.Lit(1) and begins == m.Lit(0)
        return ends == m.Linear(1, ((begins, 1),))  # type: ignore[arg-type]

    def rule(self, case: m.Case) -> str:
        """Return a step as a transition.

        Raises
        ------
        UsageError : it neither opens an item nor puts two together.
        """
        own = [a for a in case.antecedents if a.pattern.form == self.form.name]
        below = case.consequent
        front = below.terms[self.high]
        if self._is_opened(below) and len(own) < 2 and all(a.context for a in own):
            front = below.terms[self.low]
            fits = all(a.pattern.terms[self.high] == front for a in own)
        else:
            ends = [(a.pattern.terms[self.low], a.pattern.terms[self.high]) for a in own]
            whole = (below.terms[self.low], front)
            fits = len(own) == len(case.antecedents) == 2 and not any(a.context for a in own)
            fits = fits and ends[0][1] == ends[1][0] and (ends[0][0], ends[1][1]) == whole
        if not fits or not isinstance(front, m.Var) or case.head_links or case.weight or case.head:
            items = ", ".join(pattern_text(self.schema, a.pattern, ascii=True) for a in case.antecedents)
            raise _refusal(f"step {case.step} makes no push computation of {items or 'nothing'}")
        opens = self._is_opened(below)
        built = tuple(b for b in case.links if isinstance(b, m.Built))
        inside = m.Compare("<=", front, m.Var("n"))
        others = tuple(c for c in case.conditions if c not in (inside, *(b.licence for b in built)))
        apart = tuple(c for c in case.conditions if c != inside)
        beside = conditions_of(replace(case, conditions=apart), ascii=True)
        known = {x for a in own for k in self.kept for x in m.variables(a.pattern.terms[k])} | {
            front.name,
            "n",
        }
        used = set(m.variables((built, others, tuple(below.terms[k] for k in self.kept))))
        if used - known:
            lost = min(used - known)
            raise _refusal(
                f"step {case.step} asks for {lost}, which is neither on the stack nor in front of the buffer"
            )
        looks = opens or inside in case.conditions or front.name in m.variables((built, others))
        asked = set(m.variables(tuple(c for c in others if not m.asks(c, "licensed"))))
        if front.name in asked and not opens and inside not in case.conditions:
            raise _refusal(
                f"step {case.step} asks for {front.name}, which is not a word where the buffer is empty"
            )
        stack = ["*S", *(self.element(a.pattern, named=opens) for a in own)]
        if len(stack) == 2 and not set(m.variables(tuple(own[0].pattern.terms[k] for k in self.kept))) & used:
            stack = ["*S"]
        arcs = "".join(f" + ({term_text(b.terms[0])} under {term_text(b.terms[1])})" for b in built)
        after = [*(stack if opens else ["*S"]), self.element(below)]
        buffer = f"<{front.name}, *B>" if looks else "B"
        return rule_text(
            f"state[{_list(stack)}, {buffer}, A]",
            beside,
            f"state[{_list(after)}, {'B' if opens else buffer}, A{arcs}]",
        )

    def text(self, name: str) -> str:
        """Return the system as text."""
        schema = self.schema
        opened = [c.pattern for c in schema.hypotheses if c.pattern.form == self.form.name]
        goal = [c.pattern for c in schema.finals]
        if (
            len(goal) != 1
            or goal[0].terms[self.low] != m.Lit(0)
            or any(not self._is_opened(x) for x in opened)
        ):
            raise _refusal(f"{schema.name} has hypotheses or final items that are not push computations")
        first, begin = "<>", 0
        rules = [(case.step, self.rule(case)) for case in schema.cases]
        for item in opened:
            if item.terms[self.low] == m.Lit(0):
                first, begin = f"<{self.element(item)}>", 1
            else:
                after = f"state[<*S, {self.element(item)}>, B, A]"
                rules.insert(
                    0,
                    ("Shift", rule_text(f"state[S, <{term_text(item.terms[self.low])}, *B>, A]", [], after)),
                )
        kinds = [str(self.form.fields[k].type) for k in self.kept]
        kind = kinds[0] if len(kinds) == 1 else f"({', '.join(kinds)})"
        head = header(name, f"{schema.title or schema.name}, as a transition system", "section 6")
        fields = ", ".join(self.form.fields[k].name for k in self.kept)
        notes = f"# The transition system that {reference_of(schema)} tabulates. The stack has {fields} of its items."
        state = f"item state[stack: list of {kind}, buffer: list of position, arcs: arcs]"
        initial = rule_text("", [], f"state[{first}, <*[{begin}..n]>, <>]").lstrip()
        final = f"final state[<{self.element(goal[0])}>, <>, _]"
        return (
            "\n\n".join([head, notes, state, f"step Initial\n  {initial}", *steps_text(rules), final]) + "\n"
        )


def _list(elements: Sequence[str]) -> str:
    return "S" if list(elements) == ["*S"] else f"<{', '.join(elements)}>"
