"""The steps of a transition system as kernel text, made from its schema: the possible ones, and their results.

A configuration is a row of whole numbers: the lengths of its lists, its numbers and flags, the lists themselves, and
the tree so far: the head and label of each word, its two outermost dependents on both sides, and their number. Beyond
the schema's conditions, no step gives a word a second head, closes a cycle, or gives the artificial root a head, so
that trees come out of systems of graphs, too.

A step that takes two neighbours anywhere in a list (easy-first) is possible at several *gaps*: gap g is before the
list's element g. Other steps are at gap 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from schemata.errors import UsageError
from schemata.language import model as m
from schemata.machine.text import filled
from schemata.records import Record
from schemata.verification.systems import ConfigurationFields, shape_of

SCALARS = (
    16  # numbers at the beginning of a configuration: lengths, numbers and flags, the last two transitions
)
LAST, BEFORE = 14, 15
TREE = ("heads", "labels", "left", "left2", "right", "right2", "count_left", "count_right")


class Move(NamedTuple):
    """A transition: a case of a step of the schema."""

    step: str
    builds: bool
    is_free: bool


class PartPlaces(Record):
    """Where the parts of a configuration are.

    Attributes
    ----------
    stacks, buffer : the fields that are lists; the active stack first.
    fields : of each field, its place among the numbers at the beginning, and among the lists; -1 for no list.
    from_left : the lists whose next element is to the left.
    moves : the transitions, by number.
    ends_early : whether nothing can be built any more when the buffer is empty.
    may_go_back : whether a step makes the buffer longer, so that there may be many transitions.
    """

    stacks: tuple[int, ...]
    buffer: int
    fields: tuple[tuple[int, int], ...]
    from_left: frozenset[int]
    moves: tuple[Move, ...]
    ends_early: bool
    may_go_back: bool

    @property
    def lists(self) -> int:
        """The number of lists."""
        return 1 + max(place for _, place in self.fields)

    def size(self, room: int) -> int:
        """Return the numbers in a configuration whose lists and words need so much room."""
        return SCALARS + (self.lists + len(TREE)) * room

    def list_at(self, field: int) -> str:
        """Return where a list begins after the configuration's place, in kernel text."""
        return f"{SCALARS} + {self.fields[field][1]} * N"

    def tree_at(self, name: str) -> str:
        """Return where a table of the tree begins, in kernel text."""
        return f"{SCALARS} + {self.lists + TREE.index(name)} * N"


_COMMON = """
def is_above(C, c, N, one, other):
    x = other
    while x != 0:
        if x == one:
            return 1
        x = C[c + {heads} + x]
    return 0


def top_of(C, c, N, one):
    x = one
    while C[c + {heads} + x] != 0:
        x = C[c + {heads} + x]
    return x


def note_arc(C, c, N, dependent, head, label):
    C[c + {heads} + dependent] = head
    C[c + {labels} + dependent] = label + 1
    if dependent < head:
        C[c + {count_left} + head] += 1
        first = C[c + {left} + head]
        second = C[c + {left2} + head]
        if first == 0 or dependent < first:
            C[c + {left2} + head] = first
            C[c + {left} + head] = dependent
        elif second == 0 or dependent < second:
            C[c + {left2} + head] = dependent
    else:
        C[c + {count_right} + head] += 1
        first = C[c + {right} + head]
        second = C[c + {right2} + head]
        if dependent > first:
            C[c + {right2} + head] = first
            C[c + {right} + head] = dependent
        elif dependent > second:
            C[c + {right2} + head] = dependent
    return 0


def begin(C, c, N, size, words):
    for k in range(0, size):
        C[c + k] = 0
    {initial}
    return 0


def is_final(C, c, N):
    {final}
    return 0


def allowed(C, c, N, root, k, g):
    {allowed}
    return 0


def dependent_of(C, c, N, k, g):
    {dependents}
    return 0


def head_of(C, c, N, k, g):
    {governors}
    return 0


def move(C, c, d, N, size, k, g, label):
    for x in range(0, size):
        C[d + x] = C[c + x]
    {moves}
    C[d + {before}] = C[c + {last}]
    C[d + {last}] = k + 1
    return 0
"""


def steps_text(schema: m.Schema) -> tuple[PartPlaces, str]:
    """Return the layout of a system's configurations, and the kernel functions for its steps.

    Raises
    ------
    UsageError : it is not a transition system, or these kernels lack constructs of its rules.
    """
    shape = shape_of(schema)
    if shape is None:
        expected = "configurations with a stack, a buffer and a set of arcs"
        raise UsageError(f"{schema.name} is not a transition system", code="no-system", expected=expected)
    form = schema.forms[0]
    lists = [*shape.stacks, shape.buffer]
    fields = tuple((k, lists.index(k) if k in lists else -1) for k in range(len(form.fields)))
    if len(fields) > LAST:
        raise _unread(schema, "as many fields")
    cases = [case for case in schema.cases if case.antecedents and not _is_never(case)]
    built = [_Case(schema, case, fields, shape) for case in cases]
    initial = next(case for case in schema.cases if not case.antecedents)
    patterns = [pattern for case in cases for pattern in (case.antecedents[0].pattern, case.consequent)]
    from_left = {k for k in lists if sum(_side(pattern.terms[k]) for pattern in patterns) < 0}
    moves = tuple(Move(one.case.step, bool(one.arcs), one.is_free) for one in built)
    early = all(one.needs(shape.buffer) or not (one.arcs or one.lengthens(shape.buffer)) for one in built)
    back = any(one.lengthens(shape.buffer) for one in built) or len(lists) > 2
    layout = PartPlaces(shape.stacks, shape.buffer, fields, frozenset(from_left), moves, early, back)
    for one in built:
        one.layout = layout
    text = filled(
        _COMMON,
        **{name: layout.tree_at(name) for name in TREE},
        initial=_initial(schema, initial.consequent, layout, shape.arcs),
        final="\n".join(_final(schema, clause, layout) for clause in schema.finals),
        allowed=_by_number([one.allowed() for one in built]),
        dependents=_by_number([one.end(0) for one in built]),
        governors=_by_number([one.end(1) for one in built]),
        moves=_by_number([one.move() for one in built]),
        last=LAST,
        before=BEFORE,
    )
    return layout, text


def _side(term: m.Term) -> int:
    """Return -1 for a list whose elements are named to the left of the rest, 1 for to the right, 0 for neither."""
    elements = term.elements if isinstance(term, m.ListTerm) else ()
    if len(elements) < 2:
        return 0
    return isinstance(elements[0], m.Splice) - isinstance(elements[-1], m.Splice)


def _by_number(parts: Sequence[str]) -> str:
    return "\n".join(
        filled("if k == {k}:\n    {part}\n", k=k, part=part) for k, part in enumerate(parts) if part
    )


def _unread(schema: m.Schema, what: str) -> UsageError:
    message = f"parsers of {schema.name} cannot be trained: its rules have {what}"
    return UsageError(message, code="no-training", expected="a shipped transition system")


def _is_never(case: m.Case) -> bool:
    """Whether a case has a condition about numbers that does not hold."""
    return any(
        isinstance(one, m.Compare)
        and isinstance(one.left, m.Lit)
        and isinstance(one.right, m.Lit)
        and not _holds(one)
        for one in case.conditions
    )


def _holds(one: m.Compare) -> bool:
    left, right = getattr(one.left, "value", 0), getattr(one.right, "value", 0)
    return {"<=": left <= right, "<": left < right, "==": left == right, "!=": left != right}[one.relation]


def _initial(schema: m.Schema, pattern: m.Pattern, layout: PartPlaces, arcs: int) -> str:
    lines = []
    for field, term in enumerate(pattern.terms):
        match term:
            case m.ListTerm(elements=()):
                pass
            case m.Positions(low=m.Lit(value=1), high=m.Var(name="n")):
                lines.append(f"C[c + {field}] = words")
                at = layout.list_at(field)
                lines.append(f"for k in range(0, words):\n    C[c + {at} + k] = k + 1")
            case m.Lit(value=int() as value) if field != arcs:
                lines.append(f"C[c + {field}] = {int(value)}")
            case _:
                raise _unread(schema, f"another initial configuration: {term}")
    return "\n".join(lines)


def _final(schema: m.Schema, clause: m.Clause, layout: PartPlaces) -> str:
    tests = ["C[c] == C[c]"]
    for field, term in enumerate(clause.pattern.terms):
        match term:
            case m.ListTerm(elements=()) if layout.fields[field][1] >= 0:
                tests.append(f"C[c + {field}] == 0")
            case m.Any():
                pass
            case _:
                raise _unread(schema, "other final configurations")
    if clause.conditions:
        raise _unread(schema, "conditions on final configurations")
    return f"if {' and '.join(tests)}:\n    return 1"


class _Case:
    """A case of a step, which writes its kernel text."""

    layout: PartPlaces

    def __init__(
        self, schema: m.Schema, case: m.Case, fields: Sequence[tuple[int, int]], shape: ConfigurationFields
    ) -> None:
        self.schema, self.case, self.fields = schema, case, fields
        self.arcs_field, self._buffer = shape.arcs, shape.buffer
        self.is_free = False
        self.tests: list[str] = []
        self.bound: dict[str, str] = {}  # variables of words and numbers, in kernel text
        self.parts: dict[str, tuple[int, str, str]] = {}  # variables of lists: the field, first place, end
        self.arcs: list[tuple[str, str]] = []
        self._least: dict[int, int] = {}
        self._bind()
        term = case.consequent.terms[shape.arcs]
        while isinstance(term, m.WithArc):
            dependent, head = map(self._number, term.arc.terms)
            self.arcs.append((dependent, head))
            term = term.arcs
        if len(self.arcs) > 1:
            raise _unread(schema, "steps that build several arcs")

    def _bind(self) -> None:
        for field, term in enumerate(self.case.antecedents[0].pattern.terms):
            place = self.fields[field][1]
            match term:
                case m.Any():
                    pass
                case m.Var(name=name) if place >= 0:
                    self.parts[name] = (field, "0", f"C[c + {field}]")
                case m.Var(name=name) if field == self.arcs_field:
                    self.parts[name] = (field, "0", "0")
                case m.Var(name=name):
                    self.bound[name] = f"C[c + {field}]"
                case m.Lit(value=int() as value):
                    self.tests.append(f"C[c + {field}] == {int(value)}")
                case m.ListTerm(elements=elements) if place >= 0:
                    self._elements(field, elements)
                case _:
                    raise _unread(self.schema, f"such a pattern: {term}")

    def _elements(self, field: int, elements: Sequence[object]) -> None:
        """Bind the elements of a list; those between two parts of any length stand behind the gap's first."""
        length, start = f"C[c + {field}]", f"{SCALARS} + {self.fields[field][1]} * N"
        splices = [k for k, x in enumerate(elements) if isinstance(x, m.Splice)]
        fixed = len(elements) - len(splices)
        self._least[field] = fixed
        self.tests.append(f"{length} {'>=' if splices else '=='} {fixed}")
        if len(splices) > 2 or (len(splices) == 2 and (self.is_free or field != self._buffer)):
            raise _unread(self.schema, "lists of several parts")
        ends = [0, *splices, len(elements)]
        behind = len(elements) - splices[-1] - 1 if splices else 0
        if len(splices) == 2:
            self.is_free = True
            between = splices[1] - splices[0] - 1
            self.tests += [f"g > {splices[0]}", f"g - 1 + {between} <= {length} - {behind}"]
        for k, x in enumerate(elements):
            from_left = not splices or k < splices[0]
            middle = len(splices) == 2 and splices[0] < k < splices[1]
            at = (
                str(k)
                if from_left
                else f"g - 1 + {k - splices[0] - 1}"
                if middle
                else f"{length} - {len(elements) - k}"
            )
            match x:
                case m.Splice(name=name):
                    first, end = str(ends[1]), f"{length} - {behind}"
                    if len(splices) == 2 and k == splices[0]:
                        end = "g - 1"
                    elif len(splices) == 2:
                        first = f"g - 1 + {splices[1] - splices[0] - 1}"
                    self.parts[name] = (field, first, end)
                case m.Var(name=name) if name not in self.bound:
                    self.bound[name] = f"C[c + {start} + {at}]"
                case m.Any():
                    pass
                case _:
                    raise _unread(self.schema, f"such an element of a list: {x}")

    def needs(self, field: int) -> bool:
        """Whether a list must have an element."""
        return self._least.get(field, 0) > 0

    def lengthens(self, field: int) -> bool:
        """Whether a list may be longer after the step."""
        term = self.case.consequent.terms[field]
        before = self.case.antecedents[0].pattern.terms[field]
        elements = term.elements if isinstance(term, m.ListTerm) else ()
        return len(elements) > (len(before.elements) if isinstance(before, m.ListTerm) else 1)

    def _number(self, term: object, names: Mapping[str, str] | None = None) -> str:
        """Return a term as kernel text; names stand for those of the case, if there are none given."""
        known = self.bound if names is None else names
        match term:
            case m.Var(name=name) if name in known:
                return known[name]
            case m.Lit(value=int() as value):
                return str(int(value))
            case m.Linear(constant=constant, atoms=atoms):
                parts = [f"{factor} * {self._number(atom, names)}" for atom, factor in atoms]
                return f"({' + '.join([*parts, str(constant)])})"
        raise _unread(self.schema, f"such a number: {term}")

    def _condition(self, one: object, names: Mapping[str, str] | None = None) -> str:
        match one:
            case m.HasFact(relation="licensed", negated=False):
                return "True"
            case m.Not(operand=operand):
                return f"(not {self._condition(operand, names)})"
            case m.Junction(word=word, operands=operands):
                return f"({f' {word} '.join(self._condition(x, names) for x in operands)})"
            case m.Compare(relation=relation, left=m.Lit(), right=m.Lit()):
                return str(_holds(one))
            case m.Compare(relation=relation, left=left, right=right):
                return f"{self._number(left, names)} {relation} {self._number(right, names)}"
            case m.Member(element=m.TupleTerm(terms=(dependent, head)), arcs=True):
                found = f"C[c + {self.heads} + {self._number(dependent)}]"
                if isinstance(head, m.Any):
                    return f"{found} != 0"
                return f"{found} == {self._number(head)}"
            case m.Path(one=a, other=b, directed=directed):
                ends = self._number(a), self._number(b)
                if directed:
                    return f"is_above(C, c, N, {', '.join(ends)}) == 1"
                tops = (f"top_of(C, c, N, {end})" for end in ends)
                return " == ".join(tops)
        raise _unread(self.schema, f"such a condition: {one}")

    @property
    def heads(self) -> str:
        """Where the heads are."""
        lists = 1 + max(place for _, place in self.fields)
        return f"{SCALARS} + {lists} * N"

    def allowed(self) -> str:
        """Return the text that returns 1 where the step is possible."""
        tests = [*self.tests, "g > 0" if self.is_free else "g == 0"]
        tests += [text for text in map(self._condition, self.case.conditions) if text != "True"]
        for dependent, head in self.arcs:
            tests.append(f"C[c + {self.heads} + {dependent}] == 0 and {dependent} != root")
            tests.append(f"is_above(C, c, N, {dependent}, {head}) == 0")
        after: dict[str, str] = {}
        for number, (_, place) in enumerate(self.fields):
            if place < 0 and number != self.arcs_field:
                name = self.schema.forms[0].fields[number].name
                after[name] = self._number(self.case.consequent.terms[number])
        tests += [self._condition(where, after) for where in self.schema.forms[0].where]
        for field, (_, place) in enumerate(self.fields):
            if place >= 0:
                tests.append(f"{self._length(self.case.consequent.terms[field])} <= N")
        return f"if {' and '.join(tests)}:\n    return 1"

    def _length(self, term: object) -> str:
        match term:
            case m.Var(name=name):
                _, first, end = self.parts[name]
                return f"{end} - {first}"
            case m.ListTerm(elements=elements):
                lengths = ["0"]
                for x in elements:
                    if isinstance(x, m.Splice):
                        _, first, end = self.parts[x.name]
                        lengths.append(f"{end} - ({first})")
                    else:
                        lengths.append("1")
                return " + ".join(lengths)
        raise _unread(self.schema, f"such a list: {term}")

    def end(self, which: int) -> str:
        """Return the text that returns the dependent (0) or the head (1) of the arc."""
        return f"return {self.arcs[0][which]}" if self.arcs else ""

    def move(self) -> str:
        """Return the text that makes the configuration at d, a copy of that at c, the one after the step."""
        lines: list[str] = []
        for field, (_, place) in enumerate(self.fields):
            term = self.case.consequent.terms[field]
            if field == self.arcs_field:
                continue
            if place < 0:
                lines.append(f"C[d + {field}] = {self._number(term)}")
                continue
            before = self.case.antecedents[0].pattern.terms[field]
            if isinstance(term, m.Var) and term == before:
                continue
            lines += [f"w = d + {self.layout.list_at(field)}", f"C[d + {field}] = {self._length(term)}"]
            elements = (
                term.elements if isinstance(term, m.ListTerm) else (m.Splice(getattr(term, "name", "")),)
            )
            for x in elements:
                if isinstance(x, m.Splice):
                    source, first, end = self.parts[x.name]
                    at = f"C[c + {self.layout.list_at(source)} + x]"
                    lines.append(f"for x in range({first}, {end}):\n    C[w] = {at}\n    w += 1")
                else:
                    lines.append(f"C[w] = {self._number(x)}\nw += 1")
        lines += [f"note_arc(C, d, N, {dependent}, {head}, label)" for dependent, head in self.arcs]
        return "\n".join(lines)
