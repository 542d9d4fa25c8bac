"""One block of a kernel: an item takes one place of one rule, partners are joined, the consequent derived."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from schemata.engine.access import access_to, is_value
from schemata.engine.choices import choose, grammar_test, has_a_solution, has_a_start, solve_equation
from schemata.engine.code import Code
from schemata.engine.expressions import condition_text, python_names
from schemata.engine.indexes import Indexes, key_display
from schemata.engine.label_matching import fits, outcomes_text
from schemata.engine.matching import Matcher
from schemata.engine.rewriting import may_be_unnormal
from schemata.language import model as m
from schemata.language.bounds import Bounds, differences, implied
from schemata.language.fold import fold
from schemata.language.identity import instance_names
from schemata.language.lint import case_facts
from schemata.language.substitute import item_conditions

if TYPE_CHECKING:
    from schemata.engine.probe import Probe

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
        self._derive()
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
            name = python_names([f.name for f in self.schema.forms])[form.name]
            find = f"find_written_{name}" if form.has_normal_form else f"find_{name}"
            shown = [matcher.text(t) for t in terms]
            if self.probe is not None:
                self.probe.item(antecedent.pattern)
                self.probe.looked_at(code)
            code.line(f"{partner} = {find}({_tuple_text(shown)})")
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

    # the consequent

    def _derive(self) -> None:
        case, matcher, code = self.case, self.matcher, self.matcher.code
        form = self.schema.form(case.consequent.form)
        name = python_names([f.name for f in self.schema.forms])[form.name]
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
        text = _tuple_text(shown)
        ids = [self.ids[k] for k in range(len(case.antecedents))]
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
        row = ", ".join(["z", *ids, *ends])
        if self._may_double():
            code.line(f"instance = ({self._name_of_instance()}, {row})")
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

    def _name_of_instance(self) -> str:
        """Return what tells instances of other steps, or of cases that build something else, apart."""
        return str(instance_names(self.schema)[self.number])

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

    def _may_double(self) -> bool:
        """Whether one instance may be found twice: through a rule of the same name, or another choice."""
        if self.shares_name or self.matcher.splits:
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
        return not self.chosen <= fixed


def _only_label_variable(term: m.Term) -> set[str]:
    """Return the variable of a sequence that has no other, and so is fixed by its value."""
    if isinstance(term, m.Labels | m.Reversed):
        names = list(m.variables(term))
        return set(names) if len(names) == 1 else set()
    return set()


def _if(when: m.Term, then: m.Term) -> m.Term:
    return m.Junction("or", (m.Not(when), then))


def _one_splice(term: m.ListTerm) -> bool:
    return sum(1 for e in term.elements if isinstance(e, m.Splice)) <= 1


def _grows(term: m.ListTerm) -> bool:
    return sum(1 for e in term.elements if isinstance(e, m.Splice)) > 1


def _tuple_text(parts: list[str]) -> str:
    return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"
