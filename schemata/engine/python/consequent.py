"""The end of a block: the consequent is found or made, and the step instance is noted.

An instance is noted once: where one may be found in several ways, those found for the current item are remembered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schemata.engine.python.expressions import tuple_text
from schemata.engine.python.label_expressions import outcomes_text
from schemata.engine.python.label_matching import fits
from schemata.engine.python.matching import Matcher
from schemata.engine.python.names import form_names
from schemata.language import model as m
from schemata.language.bounds import Bounds, differences
from schemata.language.cases import instance_names

if TYPE_CHECKING:
    from schemata.engine.python.probe import Probe

__all__ = ["ConsequentWriter"]


@dataclass(frozen=True, slots=True)
class ConsequentWriter:
    """Writes the consequent of a case for antecedents that are there.

    `ids` are the local names of the antecedents' numbers, `facts` what the tests made so far imply.
    """

    schema: m.Schema
    number: int
    case: m.Case
    ids: Sequence[str]
    matcher: Matcher
    facts: Bounds
    probe: Probe | None

    def write(self, shares_name: bool, chosen: set[str]) -> None:
        """Write what finds or makes the consequent and notes the instance.

        Parameters
        ----------
        shares_name : whether instances of other rules may be the same.
        chosen : the variables that some choice was enumerated for.
        """
        case, matcher, code = self.case, self.matcher, self.matcher.code
        form = self.schema.form(case.consequent.form)
        name = form_names(self.schema)[form.name]
        number = [f.name for f in self.schema.forms].index(form.name)
        shown = [self._shown(t) for t in case.consequent.terms]
        if any(isinstance(t, m.ListTerm) and _grows(t) for t in case.consequent.terms):
            lists = [
                e.name
                for t in case.consequent.terms
                if isinstance(t, m.ListTerm)
                for e in t.elements
                if isinstance(e, m.Splice)
            ]
            total = " + ".join(f"len({matcher.names[v]})" for v in lists)
            code.open(f"if {total} > 10000:")
            code.line('overflow("lists of more than 10,000 elements")')
            code.depth -= 1
        ends = [text for link in case.links for text in self._ends(link)]
        text = tuple_text(shown)
        if form.has_normal_form:
            code.line(f"written = {text}")
            code.line(f"z = placed_{name}(written)")
            code.open("if z is None:")
            code.line(f"z = place_{name}(written)")
            code.depth -= 1
            if form.where:
                code.test("z >= 0")
        else:
            code.line(f"made = {text}")
            code.line(f"z = find_{name}(made)")
            code.open("if z is None:")
            code.line(f"z = {name}_ids[made] = len(items)")
            code.line("items.append(made)")
            code.line(f"forms.append({number})")
            code.depth -= 1
        own = [
            k
            for k, a in enumerate(case.antecedents)
            if a.pattern.form == form.name and self._may_repeat(k, form)
        ]
        for k in own:
            code.test(f"z != {self.ids[k]}")
        row = ", ".join(["z", *self.ids, *ends])
        if self._may_double(shares_name, chosen):
            name_of_instance = instance_names(self.schema)[self.number]  # tells those of other steps apart
            code.line(f"instance = ({name_of_instance}, {row})")
            code.open("if instance not in found:")
            code.line("found.add(instance)")
        code.line(f"add_{self.number}(({row}{',' if ',' not in row else ''}))")

    def _shown(self, term: m.Term) -> str:
        """Return a term of the consequent as an expression; opens a loop where a dot may move or stay."""
        matcher, code = self.matcher, self.matcher.code
        if not isinstance(term, m.Labels) or not term.parts:
            return matcher.text(term)
        if term.stays:
            value = matcher.fresh("value")
            if self.probe is not None:
                self.probe.outcomes(term)
            code.open(f"for {value} in {outcomes_text(term, matcher.names)}:")
            return value
        text = matcher.text(term)
        if fits(matcher, term):
            return text
        value = matcher.fresh("value")
        code.line(f"{value} = {text}")
        code.test(f"{value} is not None")
        return value

    def _ends(self, link: m.Link | m.Join) -> tuple[str, str]:
        """Return the expressions of a link's ends in the log: positions, or the numbers of two connectors."""
        matcher, code = self.matcher, self.matcher.code
        if isinstance(link, m.Link):
            return matcher.text(link.dependent), matcher.text(link.head)
        one, two = matcher.fresh("code"), matcher.fresh("code")
        left, right = matcher.text(link.left), matcher.text(link.right)
        codes = (
            f"right_codes[{left}].get({matcher.text(link.by.left)}), "
            f"left_codes[{right}].get({matcher.text(link.by.right)})"
        )
        if link.when is not None:
            codes = f"({codes}) if {matcher.text(link.when)} else (-1, -1)"
        code.line(f"{one}, {two} = {codes}")
        # A connector is linked as one of the word it belongs to.
        code.test(f"{one} is not None")
        code.test(f"{two} is not None")
        code.test(f"({right}) - ({left}) <= min(reaches[{one}], reaches[{two}])")
        return one, two

    def _may_repeat(self, slot: int, form: m.Form) -> bool:
        """Whether the consequent may equal an antecedent: no field tells them apart for certain."""
        if form.has_normal_form:
            return True
        pairs = zip(self.case.consequent.terms, self.case.antecedents[slot].pattern.terms, strict=True)
        return not any(self._differ(a, b) for a, b in pairs)

    def _differ(self, a: m.Term, b: m.Term) -> bool:
        match a, b:
            case m.Lit(x), m.Lit(y):
                return x != y
            case m.Not(x), y if x == y:
                return True
            case x, m.Not(y) if x == y:
                return True
            case m.ListTerm() | m.TupleTerm() | m.Any(), _:
                return False
            case _, m.ListTerm() | m.TupleTerm() | m.Any():
                return False
        below, above = differences(m.Compare("<", a, b)), differences(m.Compare("<", b, a))
        return (below is not None and self.facts.proves(below)) or (
            above is not None and self.facts.proves(above)
        )

    def _may_double(self, shares_name: bool, chosen: set[str]) -> bool:
        """Whether one instance may be found twice: through a rule of the same name, or another choice."""
        if shares_name or self.matcher.splits:
            return True
        if any(self.schema.form(a.pattern.form).has_normal_form for a in self.case.antecedents):
            return True
        # What a normal form does to a value does not tell the value.
        written = self.schema.form(self.case.consequent.form).has_normal_form
        terms = () if written else self.case.consequent.terms
        fixed = {t.name for t in terms if isinstance(t, m.Var)}
        fixed |= {v for t in terms for v in _only_label_variable(t)}
        for term in terms:
            if isinstance(term, m.TupleTerm):
                fixed |= {t.name for t in term.terms if isinstance(t, m.Var)}
                fixed |= {
                    v
                    for t in term.terms
                    if isinstance(t, m.ListTerm) and _one_splice(t)
                    for v in m.variables(t)
                }
        fixed |= {
            t.name
            for link in self.case.links
            if isinstance(link, m.Link)
            for t in (link.dependent, link.head)
            if isinstance(t, m.Var)
        }
        return not chosen <= fixed


def _only_label_variable(term: m.Term) -> set[str]:
    """Return the variable of a sequence that has no other, and so is fixed by its value."""
    if isinstance(term, m.Labels | m.Reversed):
        names = list(m.variables(term))
        return set(names) if len(names) == 1 else set()
    return set()


def _one_splice(term: m.ListTerm) -> bool:
    return sum(1 for e in term.elements if isinstance(e, m.Splice)) <= 1


def _grows(term: m.ListTerm) -> bool:
    return sum(1 for e in term.elements if isinstance(e, m.Splice)) > 1
