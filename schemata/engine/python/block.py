"""One block of a kernel: an item takes one place of one rule, partners are joined, the consequent derived."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from schemata.engine.code import Code
from schemata.engine.python.access import access_to, is_value
from schemata.engine.python.choices import choose, grammar_test, has_a_solution, has_a_start, solve_equation
from schemata.engine.python.consequent import ConsequentWriter
from schemata.engine.python.expressions import condition_text, tuple_text
from schemata.engine.python.indexes import Indexes, key_display
from schemata.engine.python.matching import Matcher
from schemata.engine.python.names import form_names, python_names
from schemata.engine.python.rewriting import may_be_unnormal
from schemata.language import model as m
from schemata.language.bounds import Bounds, differences, implied
from schemata.language.substitute import case_facts, fold, item_conditions

if TYPE_CHECKING:
    from schemata.engine.python.probe import Probe

__all__ = ["Block"]


@dataclass(slots=True)
class Block:
    """The emission of one (rule, place) pair; `emit` returns its lines.

    Place -1 is for rules without antecedents. `note` says which lengths of lists a rule is written out for.
    """

    schema: m.Schema
    number: int
    case: m.Case
    slot: int
    indexes: Indexes
    before_insert: bool
    shares_name: bool
    note: str
    probe: Probe | None = None
    matcher: Matcher = field(init=False)
    facts: Bounds = field(init=False)
    waiting: list[m.Condition] = field(init=False)
    missing: list[int] = field(init=False)
    ids: dict[int, str] = field(init=False)
    chosen: set[str] = field(init=False)

    def __post_init__(self) -> None:
        everything = list(dict.fromkeys([*self.case.types]))
        code = Code() if self.probe is None else self.probe.code()
        self.matcher = Matcher(code, python_names(everything), self.case.types)
        self.facts = Bounds()
        for fact in case_facts(self.schema, self.case):
            self.facts.learn(implied(fact))
        consequent = self.case.consequent
        where = item_conditions(self.schema.form(consequent.form), consequent.terms)
        self.waiting = [
            c if isinstance(c, m.GRAMMAR_CONDITIONS) else fold(c) for c in (*self.case.conditions, *where)
        ]
        self.matcher.awaited = [c for c in self.waiting if isinstance(c, m.Matches)]
        for link in self.case.links:
            if isinstance(link, m.Join):
                before: m.Term = m.Compare("<", link.left, link.right)
                if not self.facts.proves(differences(before) or (("0", "0", -1),)):
                    self.waiting.append(before if link.when is None else _if(link.when, before))
        self.missing = [k for k in range(len(self.case.antecedents)) if k != self.slot]
        self.ids = {self.slot: "x"} if self.slot >= 0 else {}
        self.chosen = set()

    def emit(self, depth: int) -> list[str]:
        """Return the block's lines at an indentation depth."""
        code = self.matcher.code
        code.depth = depth
        label = f", {self.case.label}" if self.case.label else ""
        place = f", as antecedent {self.slot + 1}" if len(self.case.antecedents) > 1 else ""
        note = f", {self.note}" if self.note else ""
        code.comment(f"{self.case.step}{label}{place}{note}")
        for line in self.case.lines:
            code.comment(f"  {line.rstrip()}")
        if self.probe is not None:
            self.probe.begin(self.number, self.slot, self.note, code)
        if self.slot >= 0:
            self._take_apart(self.slot, "item", fields=None)
        self._settle()
        while self.missing or any(
            isinstance(c, m.GRAMMAR_CONDITIONS) or self._binds(c) for c in self.waiting
        ):
            self._advance()
            self._settle()
        if self.waiting or self.matcher.pending:
            raise AssertionError(f"step {self.case.step} of {self.schema.name} leaves conditions unsettled")
        ids = [self.ids[k] for k in range(len(self.case.antecedents))]
        writer = ConsequentWriter(
            self.schema, self.number, self.case, ids, self.matcher, self.facts, self.probe
        )
        writer.write(self.shares_name, self.chosen)
        if self.probe is not None:
            self.probe.derived(code)
            self.probe.end(code, depth)
        return code.lines

    # taking items apart

    def _take_apart(self, slot: int, value: str | None, fields: dict[int, str] | None) -> None:
        """Match an antecedent's fields; `value` is the item to unpack, or `fields` names what is unpacked."""
        pattern = self.case.antecedents[slot].pattern
        form = self.schema.form(pattern.form)
        if fields is None:
            fields = self.field_names(slot, range(len(form.fields)))
            names = [fields[k] for k in range(len(form.fields))]
            if any(name != "_" for name in names):
                target = f"{names[0]}, =" if len(names) == 1 else f"{', '.join(names)} ="
                self.matcher.code.line(f"{target} {value}")
        # Variables unpacked under their own names are bound first: arithmetic beside them must not be solved for them.
        own = {
            k
            for k, name in fields.items()
            if isinstance(t := pattern.terms[k], m.Var) and self._is_own(t, name)
        }
        for k in sorted(fields, key=lambda k: k not in own):
            if fields[k] != "_":
                self.matcher.match(fields[k], pattern.terms[k], form.fields[k].type)

    def _is_own(self, variable: m.Var, name: str) -> bool:
        """Whether a local name is that of the variable itself."""
        return variable.name != "n" and self.matcher.names[variable.name] == name

    def field_names(self, slot: int, wanted: range | list[int]) -> dict[int, str]:
        """Return the local names that an antecedent's fields are unpacked into."""
        pattern = self.case.antecedents[slot].pattern
        found: dict[int, str] = {}
        used: set[str] = set()
        for k in wanted:
            term = pattern.terms[k]
            match term:
                case m.Any():
                    found[k] = "_"
                case m.Var(name) if name != "n" and name not in self.matcher.bound and name not in used:
                    found[k] = self.matcher.names[name]
                    used.add(name)
                case _:
                    found[k] = self.matcher.fresh("f")
        return found

    # conditions

    def _settle(self) -> None:
        """Test every condition whose variables are bound, unless the antecedents guarantee it."""
        self.matcher.settle()
        while True:
            ready = next((c for c in self.waiting if self.matcher.is_bound(c)), None)
            if ready is None:
                return
            self.waiting.remove(ready)
            self._test(ready)

    def _test(self, condition: m.Condition) -> None:
        matcher = self.matcher
        if isinstance(condition, m.Matches):
            matcher.awaited = [c for c in matcher.awaited if c != condition]
        if isinstance(condition, m.GRAMMAR_CONDITIONS):
            matcher.code.test(grammar_test(matcher, condition))
            if self.probe is not None:
                self.probe.test(condition)
            return
        match condition:
            case m.Junction("and", parts):
                for part in parts:
                    self._test(part)
            case m.Lit(True):
                return
            case _:
                goal = differences(condition)
                if goal is not None and self.facts.proves(goal):
                    return
                matcher.code.test(condition_text(condition, matcher.names))
                if self.probe is not None:
                    self.probe.test(condition)
                self.facts.learn(implied(condition))

    def _binds(self, condition: m.Condition) -> bool:
        match condition:
            case m.Member():
                return True
            case m.Compare():
                return has_a_solution(self.matcher, condition)
        return False

    # the next partner or choice

    def _advance(self) -> None:
        """Join the antecedent that shares most with what is bound, or let a condition bind its variables."""
        equation = next((c for c in self.waiting if isinstance(c, m.Compare) and self._binds(c)), None)
        if equation is not None:
            self.waiting.remove(equation)
            if self.probe is not None:
                self.probe.solve(equation)
            solve_equation(self.matcher, equation)
            return
        patterns = [self.case.antecedents[k].pattern for k in self.missing]
        known = (len(access_to(self.matcher, p, self.schema.form(p.form)).key) for p in patterns)
        scored = list(zip(known, (-k for k in self.missing), strict=True))
        best = max(scored, default=(0, 0))
        binding = [c for c in self.waiting if isinstance(c, (*m.GRAMMAR_CONDITIONS, m.Member))]
        choice = next((c for c in binding if has_a_start(self.matcher, c)), None)
        if choice is not None and best[0] == 0:
            self._choose(choice)
        elif self.missing:
            self._join(-best[1])
        else:
            open_ended = (m.Licensed, m.CategoryLicence, m.HasRule, m.RootCategory)
            self._choose(choice or next(c for c in binding if isinstance(c, open_ended)))

    def _choose(self, condition: m.Condition) -> None:
        self.waiting.remove(condition)
        self.chosen |= {v for v in m.variables(condition) if v != "n" and v not in self.matcher.bound}
        if self.probe is not None:
            self.probe.choose(condition)
        rest = choose(self.matcher, condition)
        if rest is not None:
            self.waiting.append(rest)

    # joins

    def _join(self, slot: int) -> None:
        """Look up the partners for one antecedent and take each apart."""
        self.missing.remove(slot)
        matcher, code = self.matcher, self.matcher.code
        antecedent = self.case.antecedents[slot]
        form = self.schema.form(antecedent.pattern.form)
        partner = matcher.fresh("y") if len(self.case.antecedents) > 2 else "y"
        self.ids[slot] = partner
        same_form = antecedent.pattern.form == self.case.antecedents[self.slot].pattern.form
        terms = antecedent.pattern.terms
        known = all(is_value(t) and matcher.is_bound(t) for t in terms)
        if known and not may_be_unnormal(self.schema, form):
            name = form_names(self.schema)[form.name]
            find = f"find_written_{name}" if form.has_normal_form else f"find_{name}"
            shown = [matcher.text(t) for t in terms]
            if self.probe is not None:
                self.probe.item(antecedent.pattern)
                self.probe.looked_at(code)
            code.line(f"{partner} = {find}({tuple_text(shown)})")
            strict = same_form and (self.before_insert or slot > self.slot)
            code.test(f"{partner} is not None")
            if not form.has_normal_form or strict:
                code.test(f"{partner} {'<' if strict else '<='} x")
            return
        access = access_to(matcher, antecedent.pattern, form, str(slot))
        index = self.indexes.get(form.name, access.guards, access.key, access.open_fields)
        if self.probe is not None:
            self.probe.index(antecedent.pattern, index, access.told)
        for target, values in access.loops:
            code.open(f"for {target} in {values}:")
        for settled in access.settled:
            self.waiting.remove(settled)
            matcher.awaited.remove(settled)
        fields = self.field_names(slot, access.open_fields)
        targets = ", ".join([partner, *fields.values()]) + ("," if not fields else "")
        code.open(f"for {targets} in {index.name}.get({key_display(access.values)}, ()):")
        if same_form and not self.before_insert and slot > self.slot:
            code.test(f"{partner} != x")
        self._take_apart(slot, None, fields)


def _if(when: m.Term, then: m.Term) -> m.Term:
    return m.Junction("or", (m.Not(when), then))
