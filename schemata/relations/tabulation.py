"""From a transition system to the deduction system that tabulates it, and back.

A *push computation* begins with buffer i.. and ends with buffer j.., leaves the stack that it finds alone, and pushes
one node h onto it. An item span[i, h, j] says that there is one from every such configuration. A transition that moves
the buffer's front to the stack is a push computation by itself; one that removes one of the two topmost nodes puts two
of them together. Answers to conditions about arcs are kept in flags beside h and j; arcs that a node gets when it is
pushed are built when the node beneath it is known. Flags that never vary, that always equal others or that nothing asks
for are left out.

References
----------
Kuhlmann, Gómez-Rodríguez & Satta 2011: sections 3 and 5 for the tabulation, section 6 for the way back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count, product
from typing import TypeAlias

from schemata.errors import UsageError
from schemata.language import model as m
from schemata.language.substitute import fold, linear_of, substitute
from schemata.language.typeset import case_text, condition_text, pattern_text, reference_of, term_text
from schemata.records import Record
from schemata.verification.systems import shape_of

_MEANING = {
    "c": "the front has a head when the computation begins",
    "b": "{top} has a head",
    "d": "the front, j, has a head",
    "l": "{top} is under j",
    "r": "j is under {top}",
}
_ENDS = ("b", "d", "l", "r")
_TRUE, _FALSE = m.Lit(True), m.Lit(False)
Known: TypeAlias = dict[tuple[str, ...], m.Term]
"""Whether a node has a head, by the node alone, and whether there is an arc, by its dependent and its head."""
Fields: TypeAlias = dict[str, m.Term]


class _Move(Record):
    """A transition: the nodes it reads, top last, and their replacement.

    `takes` is 1 where the top goes, 2 where the one beneath it goes, 0 where the front is pushed or nothing moves.
    """

    case: m.Case
    tops: tuple[str, ...]
    front: str | None
    takes: int
    pushes: bool


class _Step(Record):
    """A step with all flags, and whether the words that get heads have some already."""

    case: m.Case
    headed: tuple[m.Term, ...]


@dataclass(slots=True)
class _Beside:
    """The side conditions of a step in the making, as far as transitions have been applied."""

    rooted: bool
    known: Known
    conditions: list[m.Condition] = field(default_factory=list)
    built: list[m.AnyAtom] = field(default_factory=list)
    headed: list[m.Term] = field(default_factory=list)

    def apply(self, move: _Move, *places: str, builds: bool = True) -> None:
        """Add the conditions and the arcs of a transition at places: the front, the top, the node beneath it."""
        names = dict(zip((move.front or "", *reversed(move.tops)), places, strict=False))

        def placed(node: object) -> m.Term | None:
            match node:
                case m.Member(m.TupleTerm((m.Var(d), h)) as arc, m.WithArc(arcs, added)) if d in names:
                    if added.terms[0] == m.Var(d) and h in (added.terms[1], m.Any()):
                        return _TRUE
                    return placed(m.Member(arc, arcs, True))  # type: ignore[arg-type]
                case m.Member(m.TupleTerm((m.Var(d), h))) if d in names:
                    has_head = self.known[names[d],]
                    ends = names[d], names.get(getattr(h, "name", ""), "")
                    if h == m.Any():
                        return has_head
                    return self.known.get(ends, m.Junction("and", (has_head, node)))
                case m.Member() | m.Path():
                    return node
                case m.Var(name) if name in names:
                    return m.Var(names[name])
            return None

        self.conditions += m.rewrite(move.case.conditions, placed)
        if not self.rooted and len(move.tops) == len(places) - 1:
            self.conditions.append(m.Compare("<=", m.Lit(1), m.Var(places[-1])))
        for built in move.case.links:
            if isinstance(built, m.Built):
                d, h = (names[term_text(term)] for term in built.terms[:2])
                self.headed.append(self.known[d,])
                self.known |= {(d,): _TRUE, (d, h): _TRUE}
        if builds:
            self.built += m.rewrite(move.case.links, placed)


def tabulate(schema: m.Schema, root: bool = False, name: str | None = None) -> str:
    """Return the deduction system over spans of a transition system, as the text of a schema.

    Parameters
    ----------
    schema : a system whose items are configurations: a stack, a buffer and a set of arcs.
    root : put node 0 in front of the buffer and leave it alone on the stack at the end, as the paper does.
    name : of the new schema.

    Raises
    ------
    UsageError : the system has other configurations, looks more deeply into its stack or its buffer, or asks for more
        than the arcs of the nodes on top and in front.

    >>> from schemata import load
    >>> print(tabulate(load("hybrid-system").definition, root=True).split("\\n\\n")[-2])
    step Right-Arc
      span[i, k]   span[k, j]
      -----------------------  attach k to i
      span[i, j]
    """
    stack, buffer, rooted = _configuration(schema, root)
    moves = [_move(case, stack, buffer) for case in schema.cases if case.antecedents]
    found = _Tabulation(schema, moves, rooted)
    if rooted and not all(x == _FALSE for step in found.steps for x in step.headed):
        raise _refusal(f"{schema.name} gives nodes several heads", "with node 0, a system that builds trees")
    return found.text(name or f"{schema.name.removesuffix('-system')}-tabulated")


def _refusal(message: str, expected: str, hint: str | None = None) -> UsageError:
    return UsageError(message, code="no-tabulation", expected=expected, hint=hint)


# Reading a system ------------------------------------------------------------------------------------------------


def _configuration(schema: m.Schema, root: bool) -> tuple[int, int, bool]:
    """Return the fields of the stack and the buffer, and whether there is a node 0."""
    expected = "configurations of one stack, a buffer of all words and a set of arcs, and one initial one"
    form, shape = schema.forms[0], shape_of(schema)
    if shape is None or len(shape.stacks) != 1 or len(form.fields) != 3:
        raise _refusal(f"items of {schema.name} are not configurations that can be tabulated", expected)
    if form.where or schema.hypotheses or len(schema.finals) != 1:
        raise _refusal(f"{schema.name} has conditions on items, hypotheses or several final items", expected)
    (stack,), buffer = shape.stacks, shape.buffer
    initial = next(case.consequent.terms for case in schema.cases if not case.antecedents)
    below, first = initial[stack], initial[buffer].low  # type: ignore[union-attr]
    rooted = root or first == m.Lit(0) or below == m.ListTerm((m.Lit(0),))
    last = schema.finals[0].pattern.terms
    ends = m.ListTerm((m.Lit(0),)) if rooted and not root else m.Any()
    if last[stack] != ends or last[buffer] != m.ListTerm(()):
        raise _refusal(
            f"final configurations of {schema.name} are {pattern_text(schema, schema.finals[0].pattern)}",
            "an empty buffer and any stack; with node 0, <0>",
        )
    return stack, buffer, rooted


def _split(term: m.Term, top: int) -> tuple[str, list[str]] | None:
    """Return the rest of a list and the nodes at one end of it; None for other lists."""
    if isinstance(term, m.Var):
        return term.name, []
    if not isinstance(term, m.ListTerm) or not term.elements:
        return None
    rest, nodes = term.elements[top], term.elements[1:] if top == 0 else term.elements[:-1]
    named = [x.name for x in nodes if isinstance(x, m.Var)]
    return (rest.name, named) if isinstance(rest, m.Splice) and len(named) == len(nodes) else None


def _move(case: m.Case, stack: int, buffer: int) -> _Move:
    """Return a transition.

    Raises
    ------
    UsageError : it looks too deeply, or does something else than to push the front or to take a node away.
    """
    unnamed = count()
    above, below = case.antecedents[0].pattern.terms, case.consequent.terms
    terms = [term_text(x, ascii=True) for x in (above[stack], above[buffer], below[buffer])]
    above = m.rewrite(above, lambda x: m.Var(f"?{next(unnamed)}") if isinstance(x, m.Any) else None)
    held, front = _split(above[stack], 0), _split(above[buffer], -1)
    after, rest = _split(below[stack], 0), _split(below[buffer], -1)
    if held is None or len(held[1]) > 2:
        deep = "more than two nodes" if held is None else f"{len(held[1])} nodes"
        what = f"step {case.step} looks at {deep} of the stack: {terms[0]}"
        raise _refusal(what, "at most its two topmost nodes")
    if front is None or len(front[1]) > 1:
        what = f"step {case.step} looks beyond the front of the buffer: {terms[1]}"
        raise _refusal(what, "at most the front")
    tops = held[1]
    if after is not None and rest is not None and (after[0], rest[0]) == (held[0], front[0]):
        if rest[1] == [] and after[1] == tops + front[1] and front[1] and len(tops) < 2:
            return _Move(case, tuple(tops), front[1][0], 0, True)
        gone = {1: tops[:-1], 2: tops[:-2] + tops[-1:], 0: tops}
        takes = next((k for k, left in gone.items() if left == after[1] and len(tops) >= (k or 1)), None)
        if rest[1] == front[1] and takes is not None and (takes or len(tops) == 1):
            return _Move(case, tuple(tops), front[1][0] if front[1] else None, takes, False)
    back = f" it puts nodes into the buffer: {terms[2]}" if rest and len(rest[1]) > len(front[1]) else ""
    if not back and rest and front and rest[1] != front[1]:
        back = f" the front of the buffer is another one: {terms[2]}"
    raise _refusal(
        f"step {case.step} neither shifts nor reduces{':' if back else ''}{back}",
        "the front goes to the stack, or one of the two topmost nodes goes, or only arcs are added",
        "arcs between the two topmost nodes, as in arc-standard-2004-system, leave the buffer alone"
        if back
        else None,
    )


# The steps of the tabulation -------------------------------------------------------------------------------------


def _place(text: str) -> m.Term:
    name, more, _ = text.partition("+")
    return m.Lit(int(name)) if name.isdigit() else linear_of(len(more), {m.Var(name): 1})


def _ends(top: str, front: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the flags of an item, each with the node that it describes."""
    return zip(_ENDS, ((top,), (front,), (top, front), (front, top)), strict=True)


def _known(item: Fields, top: str, front: str) -> Known:
    """Return an item's facts about its top and its front."""
    return {nodes: item[flag] for flag, nodes in _ends(top, front)}


def _flags(known: Known, top: str) -> Fields:
    """Return the flags that express the facts about the top and the front."""
    return {flag: known.get(nodes, _FALSE) for flag, nodes in _ends(top, "j")}


def _settled(step: _Step, equal: Iterable[m.Term] = ()) -> _Step | None:
    """Return a step in which flags have the values that conditions give them; None if these never hold.

    `equal` are further conditions, that flags have values or equal others.
    """
    waiting: list[m.Condition] = [*equal, *step.case.conditions]
    left: list[m.Condition] = []
    while waiting:
        condition = fold(waiting.pop(0))  # type: ignore[arg-type]
        match condition:
            case m.Lit(value):
                if not value:
                    return None
                continue
            case m.Var(name):
                given: Fields = {name: _TRUE}
            case m.Not(m.Var(name)):
                given = {name: _FALSE}
            case m.Compare("==", m.Var(name), other) | m.Compare("==", other, m.Var(name)) if (
                name[0] in "pcbdlr"
            ):
                given = {name: other}
            case _:
                left.append(condition)
                continue
        waiting = [substitute(x, given) for x in (*left, *waiting)]  # type: ignore[arg-type]
        left = []
        step = substitute(step, given)  # type: ignore[arg-type, assignment]
    return replace(step, case=replace(step.case, conditions=tuple(left)))


class _Tabulation:
    """The items and steps that tabulate transitions."""

    def __init__(self, schema: m.Schema, moves: Sequence[_Move], rooted: bool) -> None:
        self.schema, self.moves, self.rooted = schema, moves, rooted
        self.keeps_top = any(move.takes == 2 for move in moves)
        self.top = "h" if self.keeps_top else "i"
        self.bound = [move for move in moves if move.pushes and move.tops]
        self.ways = [f"p{k}" for k in range(1, len(self.bound) + 1)]
        start = ["i", *self.ways, "c"]
        self.fields = {"span": [*start, *("h" * self.keeps_top), "b", "j", "d", "l", "r"], "rest": start}
        steps = [(one, settled) for one in self._all_steps() if (settled := _settled(one)) is not None]
        self.left_out = self._leave_out([settled for _, settled in steps])
        asked = {x[0] for one, _ in steps for c in one.case.conditions for x in m.variables(fold(c))}  # type: ignore[arg-type]
        needed = asked.intersection(_ENDS).union(m.variables(tuple(self.left_out["span"].values())))
        needed |= {"c", "d"} if needed & {"b", "c", "d"} else set()
        self.kept = {
            form: [x for x in fields if x in {*"ihj", *self.ways, *needed} and x not in self.left_out[form]]
            for form, fields in self.fields.items()
        }
        forms = (
            replace(
                schema.forms[0],
                name=form,
                fields=tuple(m.Field(x, m.POSITION if x in "ihj" else m.FLAG) for x in kept),
            )
            for form, kept in self.kept.items()
        )
        self.shown = replace(schema, forms=tuple(forms))
        found = (_settled(one, self._equal(one.case)) for _, one in steps)
        self.steps = [step for step in found if step is not None]
        for case in (step.case for step in self.steps):
            for left in m.nodes(case.conditions):
                if isinstance(left, m.Member | m.Path):
                    raise _refusal(
                        f"step {case.step} asks for more than arcs of the nodes on top and in front tell: "
                        f"{condition_text(left, ascii=True)}",
                        "conditions on heads, and on arcs between the top and the front",
                    )

    def span(self, places: str, suffix: str = "") -> Fields:
        """Return an item between places with variables for its flags."""
        flags: Fields = {x: m.Var(x + suffix) for x in self.fields["span"]}
        return flags | dict(zip("ihj", map(_place, places.split()), strict=True))

    def way(self, push: _Move | None) -> Fields:
        """Return the flags that say by which transition a node was pushed; `push` is None for a transition that looks
        at no top.
        """
        return {way: m.Lit(move is push) for way, move in zip(self.ways, self.bound, strict=True)}

    def _span(self, item: Fields, form: str = "span") -> m.Pattern:
        return m.Pattern(form, tuple(item[x] for x in self.fields[form]))

    def _beside(self, move: _Move | None, first: Fields, top: str, push: _Move | None) -> _Beside:
        """Return the side conditions of a step in which an item ends at node k, which a transition has pushed
        onto it.
        """
        beside = _Beside(self.rooted, _known(first, top, "k"))
        if move is not None and move.front:
            beside.conditions.append(m.Compare("<=", m.Var("j"), m.Var("n")))
        if push is not None:
            beside.apply(push, "k", top)
        return beside

    def _step(
        self, name: str, above: Sequence[m.Pattern], beside: _Beside, below: m.Pattern, given: bool = False
    ) -> _Step:
        some = self.moves[0].case
        antecedents = tuple(replace(some.antecedents[0], pattern=x, context=given) for x in above)
        conditions = sorted(dict.fromkeys(beside.conditions), key=lambda c: not m.asks(c, "licensed"))
        case = replace(
            some,
            step=name,
            antecedents=antecedents,
            consequent=below,
            conditions=tuple(conditions),
            links=tuple(beside.built),
            weight=None,
        )
        return _Step(case, tuple(beside.headed))

    def _all_steps(self) -> Iterator[_Step]:
        """Yield the steps with all flags."""
        for move in self.moves:
            pushes = (None, *self.bound) if move.takes else ()
            yield from (self._joining(move, push) for push in pushes)
            if not move.takes:
                yield self._single(move)
        if not self.rooted:
            last = self.span("i h n+1")
            yield self._step("Last", [self._span(last)], _Beside(False, {}), self._span(last, "rest"))
            for push in (None, *self.bound):
                first = self.span("i h k")
                rest = {"i": m.Var("k"), "c": first["d"]} | self.way(push)
                beside = self._beside(None, first, self.top, push)
                above = [self._span(first), self._span(rest, "rest")]
                yield self._step("Stay", above, beside, self._span(first, "rest"))

    def _single(self, move: _Move) -> _Step:
        """Return the step of a transition that takes no node away."""
        first = self.span("i h j")
        beside = self._beside(move, first, self.top, None)
        beside.known = _known(first, self.top, "j")
        beside.apply(move, "j", self.top, builds=not move.pushes)
        below = first | _flags(beside.known, self.top)
        if move.pushes:
            new = {"c": first["d"], "b": beside.known["j",]} | dict.fromkeys(("d", "l", "r"), _FALSE)
            below = self.span("j j j+1") | self.way(move if move.tops else None) | new
        return self._step(move.case.step, [self._span(first)], beside, self._span(below), given=move.pushes)

    def _joining(self, move: _Move, push: _Move | None) -> _Step:
        """Return the step of a transition that removes a node which another one has pushed."""
        x, z = ("h1", "h2") if self.keeps_top else ("i", "k")
        first = self.span("i h1 k")
        second = self.span("k h2 j", "2") | self.way(push) | {"c": first["d"]}
        beside = self._beside(move, first, x, push)
        beside.known = _known(second, z, "j") | {(x,): beside.known[x,]}
        beside.apply(move, "j", z, x)
        top = x if move.takes == 1 else z
        whole = first | {"h": m.Var(top), "j": m.Var("j")} | _flags(beside.known, top)
        return self._step(move.case.step, [self._span(first), self._span(second)], beside, self._span(whole))

    # Flags that are needed

    def _leave_out(self, steps: Sequence[_Step]) -> dict[str, Fields]:
        """Return the flags that have one value in all items, with this value, and those that always equal another flag,
        with that flag.

        They are found by a run in which items are their flags alone, and conditions that flags do not decide hold.
        """
        places = {
            form: [k for k, x in enumerate(fields) if x not in "ihj"] for form, fields in self.fields.items()
        }
        items: dict[str, set[tuple[bool, ...]]] = {"span": {(False,) * len(places["span"])}, "rest": set()}

        def flags(pattern: m.Pattern) -> list[m.Term]:
            return [pattern.terms[k] for k in places[pattern.form]]

        size = -1
        while size != (size := sum(map(len, items.values()))):
            for case in (step.case for step in steps):
                above = [a.pattern for a in case.antecedents]
                terms = list(chain(*map(flags, above)))
                for values in product(*(list(items[pattern.form]) for pattern in above)):
                    bound: dict[m.Term, bool] = {_TRUE: True, _FALSE: False}
                    if all(bound.setdefault(t, v) == v for t, v in zip(terms, chain(*values), strict=True)):
                        items[case.consequent.form].add(tuple(bound[t] for t in flags(case.consequent)))
        found: dict[str, Fields] = {"span": {}, "rest": {}}
        for form, rows in items.items():
            names = [self.fields[form][k] for k in places[form]]
            columns = list(zip(*rows, strict=True)) or [()] * len(names)
            for k, (name, column) in enumerate(zip(names, columns, strict=True)):
                last = max((x for x, values in enumerate(columns) if values == column), default=k)
                if len(set(column)) < 2:
                    found[form][name] = m.Lit(column[0] if column else False)
                elif last > k:
                    found[form][name] = m.Var(names[last])
        return found

    def _equal(self, case: m.Case) -> Iterator[m.Term]:
        """Yield the facts about the flags of antecedents."""
        for pattern in (a.pattern for a in case.antecedents):
            item = dict(zip(self.fields[pattern.form], pattern.terms, strict=True))
            for flag, value in self.left_out[pattern.form].items():
                yield m.Compare("==", item[flag], substitute(value, item))

    # Text

    def text(self, name: str) -> str:
        """Return the schema as text."""
        steps, top = self.steps, self.top
        ways = {way: move.case.step for way, move in zip(self.ways, self.bound, strict=True)}
        meant = {way: f"{{top}} was pushed by {step}" for way, step in ways.items()} | _MEANING
        zero = "node 0 is the root" if self.rooted else "node 0 is the bottom of the stack"
        notes = [f"Tabulates {reference_of(self.schema)}.",
                 f"Node {top} is on top of the stack and j in front of the buffer, n + 1 if that is empty; {zero}.",
                 *(f"{x} says that {meant[x].format(top=top)}." for x in self.kept["span"] if x in meant)]  # fmt: skip
        span, rest = (", ".join(f"{x.name}: {x.type}" for x in form.fields) for form in self.shown.forms)
        forms = [f"item span[{span}]\n  where 0 <= i {'<= h ' * self.keeps_top}< j <= n + 1"]
        start = dict.fromkeys((*self.ways, "c", *_ENDS), _FALSE)
        first = self._item("span", self.span("0 0 1") | start)
        goal = self._item("span", self.span("0 0 n+1") | start | dict.fromkeys(("d", "l", "r"), m.Any()))
        if not self.rooted:
            notes.append("rest has the nodes from i on that stay on the stack.")
            notes += [f"{x} says that {meant[x].format(top='i')}." for x in self.kept["rest"] if x in ways]
            forms.append(f"item rest[{rest}]\n  where 0 <= i <= n")
            goal = self._item("rest", {**dict.fromkeys(self.fields["rest"], m.Any()), "i": m.Lit(0)})
        if self.keeps_top and not self.bound and "c" in self.left_out["span"]:
            # The paper has such hypotheses where h is not i; elsewhere, steps that begin where an item ends.
            steps = [step for step in steps if not step.case.antecedents[0].context]
            first = f"{self._item('span', self.span('i i i+1') | start)}  where 0 <= i <= n"
        head = header(name, f"{self.schema.title or self.schema.name}, tabulated", "sections 3 and 5")
        head += "" if self.rooted else "\n  structure dependency graph"
        notes = [f"# {note}" for note in notes]
        rules = steps_text((step.case.step, self._rule(step.case)) for step in steps)
        parts = [head, "\n".join(notes), f"hypothesis {first}", *forms, *rules, f"final {goal}"]
        return "\n\n".join(parts) + "\n"

    def _item(self, form: str, item: Fields) -> str:
        return pattern_text(self.shown, m.Pattern(form, tuple(item[x] for x in self.kept[form])), ascii=True)

    def _rule(self, case: m.Case) -> str:
        """Return a step as a rule, with _ for variables that occur once."""

        def kept(node: object) -> m.Pattern | None:
            if not isinstance(node, m.Pattern):
                return None
            item = dict(zip(self.fields[node.form], node.terms, strict=True))
            return m.Pattern(node.form, tuple(item[x] for x in self.kept[node.form]))

        case = m.rewrite(case, kept)
        count = Counter(m.variables(case))
        once = {m.Var(x) for x, times in count.items() if times == 1 and x != "n"}
        above = m.rewrite(case.antecedents, lambda node: m.Any() if node in once else None)
        return case_text(self.shown, replace(case, antecedents=above))


# Text of schemata ------------------------------------------------------------------------------------------------


def header(name: str, title: str, sections: str) -> str:
    """Return the first lines of a schema over D-rules after the paper."""
    source = f"Kuhlmann, Gómez-Rodríguez & Satta 2011, {sections}: push computations"
    return f'schema {name}\n  title   "{title}"\n  source  "{source}"\n  grammar d-rules'


def steps_text(rules: Iterable[tuple[str, str]]) -> list[str]:
    """Return steps as text, several rules of one name as its cases; equal ones once."""
    named: dict[str, dict[str, None]] = {}
    for name, rule in rules:
        named.setdefault(name, {})[rule] = None
    return [
        "\n".join([f"step {name}", *(f"case {k}\n{rule}" for k, rule in enumerate(some, start=1))])
        if len(some) > 1
        else f"step {name}\n{next(iter(some))}"
        for name, some in named.items()
    ]
