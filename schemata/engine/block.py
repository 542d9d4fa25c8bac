"""One block of a kernel: an item takes one place of one rule, partners are joined, the consequent derived."""

from __future__ import annotations

from dataclasses import dataclass, field

from schemata.engine.code import Code
from schemata.engine.expressions import condition_text, python_names
from schemata.engine.indexes import Indexes, key_display
from schemata.engine.matching import Matcher
from schemata.language import model as m
from schemata.language.bounds import Bounds, differences, implied
from schemata.language.fold import fold
from schemata.language.lint import case_facts
from schemata.language.substitute import item_conditions

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
    matcher: Matcher = field(init=False)
    facts: Bounds = field(init=False)
    waiting: list[m.Condition] = field(init=False)
    missing: list[int] = field(init=False)
    ids: dict[int, str] = field(init=False)
    chosen: set[str] = field(init=False)

    def __post_init__(self) -> None:
        everything = list(dict.fromkeys([*self.case.types]))
        self.matcher = Matcher(Code(), python_names(everything), self.case.types)
        self.facts = Bounds()
        for fact in case_facts(self.schema, self.case):
            self.facts.learn(implied(fact))
        consequent = self.case.consequent
        where = item_conditions(self.schema.form(consequent.form), consequent.terms)
        self.waiting = [
            c if isinstance(c, m.GRAMMAR_CONDITIONS) else fold(c) for c in (*self.case.conditions, *where)
        ]
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
        for k, name in fields.items():
            if name != "_":
                self.matcher.match(name, pattern.terms[k], form.fields[k].type)

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
        match condition:
            case m.Licensed(dependent, head):
                matcher.code.test(f"({matcher.text(dependent)}, {matcher.text(head)}) in licensed")
            case m.CategoryLicence(dependent, head):
                matcher.code.test(f"({matcher.text(dependent)}, {matcher.text(head)}) in category_pairs")
            case m.RootCategory(category):
                matcher.code.test(f"{matcher.text(category)} in roots")
            case m.HasCategory(word, category):
                matcher.code.test(f"{matcher.text(category)} in categories.get({matcher.text(word)}, ())")
            case m.HasRule(category, body):
                matcher.code.test(f"({matcher.text(category)}, {matcher.text(body)}) in rules")
            case m.LeftCorner(category, whole):
                matcher.code.test(f"{matcher.text(category)} in corners_of({matcher.text(whole)})")
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
                self.facts.learn(implied(condition))

    def _binds(self, condition: m.Condition) -> bool:
        match condition:
            case m.Member():
                return True
            case m.Compare("==", left, right):
                return self.matcher.is_bound(left) or self.matcher.is_bound(right)
        return False

    # the next partner or choice

    def _advance(self) -> None:
        """Join the antecedent that shares most with what is bound, or let a condition bind its variables."""
        equation = next((c for c in self.waiting if isinstance(c, m.Compare) and self._binds(c)), None)
        if equation is not None:
            self._solve_equation(equation)
            return
        scored = [(self._shared(slot), -slot) for slot in self.missing]
        best = max(scored, default=(0, 0))
        choice = next(
            (c for c in self.waiting if isinstance(c, (*m.GRAMMAR_CONDITIONS, m.Member)) and self._ready(c)),
            None,
        )
        if choice is not None and best[0] == 0:
            self._choose(choice)
        elif self.missing:
            self._join(-best[1])
        else:
            rest = [c for c in self.waiting if isinstance(c, (*m.GRAMMAR_CONDITIONS, m.Member))]
            self._choose(choice or rest[0])

    def _ready(self, condition: m.Condition) -> bool:
        """Whether a binding condition has something to go by."""
        match condition:
            case m.Licensed(left, right) | m.CategoryLicence(left, right):
                return self.matcher.is_bound(left) or self.matcher.is_bound(right)
            case m.HasCategory(word, _):
                return self.matcher.is_bound(word)
            case m.Member(_, region):
                return self.matcher.is_bound(region)
            case m.HasRule(category, _):
                return self.matcher.is_bound(category)
            case m.LeftCorner(category, whole):
                return self.matcher.is_bound(category) or self.matcher.is_bound(whole)
        return True

    def _solve_equation(self, equation: m.Compare) -> None:
        self.waiting.remove(equation)
        left, right = equation.left, equation.right
        if self.matcher.is_bound(right):
            left, right = right, left
        value = self.matcher.fresh("value")
        self.matcher.code.line(f"{value} = {self.matcher.text(left)}")
        kind = next((self.case.types[v] for v in m.variables(right) if v in self.case.types), m.POSITION)
        self.matcher.match(value, right, kind)

    def _choose(self, condition: m.Condition) -> None:
        """Enumerate what a condition allows for its free variables."""
        matcher, code = self.matcher, self.matcher.code
        self.waiting.remove(condition)
        self.chosen |= {v for v in m.variables(condition) if v != "n" and v not in matcher.bound}
        match condition:
            case m.Licensed(dependent, head):
                self._choose_ends(dependent, head, m.POSITION, ("licensed", "heads_of", "dependents_of"))
            case m.CategoryLicence(dependent, head):
                views = ("category_pairs", "categories_above", "categories_below")
                self._choose_ends(dependent, head, m.SYMBOL, views)
            case m.RootCategory(category):
                value = self._loop_value(category, "root")
                code.open(f"for {value} in roots:")
                matcher.match(value, category, m.SYMBOL)
            case m.HasCategory(word, category):
                value = self._loop_value(category, "category")
                code.open(f"for {value} in categories.get({matcher.text(word)}, ()):")
                matcher.match(value, category, m.SYMBOL)
            case m.HasRule(category, body):
                value = matcher.fresh("body")
                if matcher.is_bound(category):
                    code.open(f"for {value} in rules_of.get({matcher.text(category)}, ()):")
                else:
                    left = self._loop_value(category, "category")
                    code.open(f"for {left}, {value} in rules:")
                    matcher.match(left, category, m.SYMBOL)
                matcher.match(value, body, m.SYMBOLS)
            case m.LeftCorner(category, whole):
                if matcher.is_bound(category):
                    value = self._loop_value(whole, "whole")
                    code.open(f"for {value} in cornered_by({matcher.text(category)}):")
                    matcher.match(value, whole, m.SYMBOL)
                else:
                    value = self._loop_value(category, "corner")
                    code.open(f"for {value} in corners_of({matcher.text(whole)}):")
                    matcher.match(value, category, m.SYMBOL)
            case m.Member(element, region):
                self._choose_member(element, region)
            case _:
                raise TypeError(f"{condition} binds nothing")

    def _choose_ends(
        self, dependent: m.Term, head: m.Term, kind: m.Type, views: tuple[str, str, str]
    ) -> None:
        """Enumerate the ends of a licence; `views` are its pairs, the heads of an end and its dependents."""
        matcher, code = self.matcher, self.matcher.code
        pairs, above, below = views
        if matcher.is_bound(dependent):
            value = self._loop_value(head, "head")
            code.open(f"for {value} in {above}.get({matcher.text(dependent)}, ()):")
            matcher.match(value, head, kind)
        elif matcher.is_bound(head):
            value = self._loop_value(dependent, "dependent")
            code.open(f"for {value} in {below}.get({matcher.text(head)}, ()):")
            matcher.match(value, dependent, kind)
        else:
            one, two = self._loop_value(dependent, "dependent"), self._loop_value(head, "head")
            if one == two:
                two = matcher.fresh("head")
            code.open(f"for {one}, {two} in sorted({pairs}):")
            matcher.match(one, dependent, kind)
            matcher.match(two, head, kind)

    def _choose_member(self, element: m.Term, region: m.Region) -> None:
        matcher = self.matcher
        value = self._loop_value(element, "element")
        outer = region
        while isinstance(outer, m.Without):
            outer = outer.left
        if isinstance(outer, m.Var):
            matcher.code.open(f"for {value} in {matcher.text(outer)}:")
            kind = self.case.types[outer.name].arguments[0]
        else:
            assert isinstance(outer, m.Interval)
            low, high = matcher.text(outer.low), matcher.text(outer.high)
            for end in (outer.low, outer.high):
                if isinstance(end, m.Var) and end.optional:
                    matcher.code.test(f"{matcher.text(end)} is not None")
            matcher.code.open(f"for {value} in range({low}, {high} + 1):")
            kind = m.POSITION
        matcher.match(value, element, kind)
        if outer is not region:
            self.waiting.append(m.Member(element, region))

    def _loop_value(self, term: m.Term, hint: str) -> str:
        """Return the loop variable: the schema's own where the term is an unbound variable."""
        if isinstance(term, m.Var) and term.name not in self.matcher.bound and term.name != "n":
            return self.matcher.names[term.name]
        return self.matcher.fresh(hint)

    # joins

    def _shared(self, slot: int) -> int:
        """Return how many parts of an antecedent are known."""
        _, key, _, _ = self._access(slot)
        return len(key)

    def _access(self, slot: int) -> tuple[list[str], list[str], list[str], list[int]]:
        """Return an antecedent's guards, key parts (`{k}` for fields), the key's values, the open fields."""
        pattern = self.case.antecedents[slot].pattern
        guards: list[str] = []
        key: list[str] = []
        values: list[str] = []
        payload: list[int] = []
        for k, term in enumerate(pattern.terms):
            place = "{" + str(k) + "}"
            match term:
                case m.Any():
                    continue
                case m.Lit(None):
                    guards.append(f"{place} is None")
                case m.Lit(True):
                    guards.append(place)
                case m.Lit(False):
                    guards.append(f"not {place}")
                case m.Lit(value):
                    guards.append(f"{place} == {value!r}")
                case m.ListTerm(()):
                    guards.append(f"{place} == ()")
                case _ if _is_value(term) and self.matcher.is_bound(term):
                    key.append(place)
                    values.append(self.matcher.text(term))
                case _:
                    self._inner_access(place, term, guards, key, values)
                    payload.append(k)
        return guards, key, values, payload

    def _inner_access(
        self, place: str, term: m.Term, guards: list[str], key: list[str], values: list[str]
    ) -> None:
        """Add the known parts of a list or tuple pattern: its first and last elements, a tuple's parts."""
        match term:
            case m.TupleTerm(parts):
                for k, part in enumerate(parts):
                    self._part_access(f"{place}[{k}]", part, guards, key, values)
            case m.ListTerm(elements):
                stars = [k for k, e in enumerate(elements) if isinstance(e, m.Splice | m.Run)]
                fixed = len(elements) - len(stars)
                if not stars:
                    guards.append(f"len({place}) == {fixed}")
                elif fixed:
                    guards.append(f"len({place}) >= {fixed}")
                first, last = (stars[0], stars[-1]) if stars else (len(elements), -1)
                for k in range(first):
                    self._part_access(f"{place}[{k}]", elements[k], guards, key, values)
                if stars:
                    for k in range(last + 1, len(elements)):
                        self._part_access(f"{place}[{k - len(elements)}]", elements[k], guards, key, values)

    def _part_access(
        self, place: str, part: m.Term, guards: list[str], key: list[str], values: list[str]
    ) -> None:
        match part:
            case m.TupleTerm() | m.ListTerm():
                self._inner_access(place, part, guards, key, values)
            case m.Lit(True):
                guards.append(place)
            case m.Lit(False):
                guards.append(f"not {place}")
            case m.Lit(str() | int() as value):
                guards.append(f"{place} == {value!r}")
            case _ if _is_value(part) and self.matcher.is_bound(part):
                key.append(place)
                values.append(self.matcher.text(part))

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
        if all(_is_value(t) and matcher.is_bound(t) for t in terms):
            name = python_names([f.name for f in self.schema.forms])[form.name]
            find = f"find_written_{name}" if form.has_normal_form else f"find_{name}"
            shown = [matcher.text(t) for t in terms]
            code.line(f"{partner} = {find}({_tuple_text(shown)})")
            strict = same_form and (self.before_insert or slot > self.slot)
            code.test(f"{partner} is not None")
            if not form.has_normal_form or strict:
                code.test(f"{partner} {'<' if strict else '<='} x")
            return
        guards, key, values, payload = self._access(slot)
        index = self.indexes.get(form.name, guards, key, payload)
        fields = self.field_names(slot, payload)
        targets = ", ".join([partner, *fields.values()]) + ("," if not fields else "")
        code.open(f"for {targets} in {index.name}.get({key_display(values)}, ()):")
        if same_form and not self.before_insert and slot > self.slot:
            code.test(f"{partner} != x")
        self._take_apart(slot, None, fields)

    # the consequent

    def _derive(self) -> None:
        case, matcher, code = self.case, self.matcher, self.matcher.code
        form = self.schema.form(case.consequent.form)
        name = python_names([f.name for f in self.schema.forms])[form.name]
        number = [f.name for f in self.schema.forms].index(form.name)
        shown = [matcher.text(t) for t in case.consequent.terms]
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
        ends = [matcher.text(t) for link in case.links for t in (link.dependent, link.head)]
        row = ", ".join(["z", *ids, *ends])
        if self._may_double():
            code.line(f"instance = ({self._step_number()}, {row})")
            code.open("if instance not in found:")
            code.line("found.add(instance)")
        code.line(f"add_{self.number}(({row}{',' if ',' not in row else ''}))")

    def _step_number(self) -> int:
        return self.schema.step_names.index(self.case.step)

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
        fixed = {t.name for t in self.case.consequent.terms if isinstance(t, m.Var)}
        for term in self.case.consequent.terms:
            if isinstance(term, m.TupleTerm):
                fixed |= {t.name for t in term.terms if isinstance(t, m.Var)}
                fixed |= {
                    v
                    for t in term.terms
                    if isinstance(t, m.ListTerm) and _one_splice(t)
                    for v in m.variables(t)
                }
        fixed |= {
            t.name for link in self.case.links for t in (link.dependent, link.head) if isinstance(t, m.Var)
        }
        return not self.chosen <= fixed


def _one_splice(term: m.ListTerm) -> bool:
    return sum(1 for e in term.elements if isinstance(e, m.Splice)) <= 1


def _grows(term: m.ListTerm) -> bool:
    return sum(1 for e in term.elements if isinstance(e, m.Splice)) > 1


def _is_value(term: m.Term) -> bool:
    """Whether a term stands for one value once its variables are bound."""
    match term:
        case m.Any() | m.Run():
            return False
        case m.TupleTerm(parts) | m.ListTerm(parts):
            return all(_is_value(p) for p in parts)
    return True


def _tuple_text(parts: list[str]) -> str:
    return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"
