"""From a transition system to the deduction system that tabulates it, and back.

A *push computation* begins with buffer i.. and ends with buffer j.., leaves the stack that it finds alone, and pushes
one node h onto it. An item span[i, h, j] says that there is one from every such configuration. A transition that moves
the buffer's front to the stack is one by itself; one that takes one of the two topmost nodes away puts two together.
What conditions ask about arcs is kept in flags beside h and j; arcs that a node gets when it is pushed are built when
the node beneath it is known. Flags that never vary, that always equal others or that nothing asks for are left out.

References
----------
Kuhlmann, Gómez-Rodríguez & Satta 2011: sections 3 and 5 for the tabulation, section 6 for the way back.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, product
from typing import TypeAlias

from schemata.errors import UsageError
from schemata.language import model as m
from schemata.language.typeset import condition_text, pattern_text, reference_of, term_text
from schemata.quick_dataclasses import Record

_MEANING = {
    "c": "the front has a head when the computation begins",
    "b": "{top} has a head",
    "d": "the front, j, has a head",
    "l": "{top} is under j",
    "r": "j is under {top}",
}
_ENDS = ("b", "d", "l", "r")
Flag: TypeAlias = bool | str
"""The value of a flag in a step: known, or a variable."""


class _Move(Record):
    """A transition: the nodes it looks at, top last, and what becomes of them.

    `takes` is 1 where the top goes, 2 where the one beneath it goes, 0 where the front is pushed or nothing moves.
    """

    case: m.Case
    tops: tuple[str, ...]
    front: str | None
    takes: int
    pushes: bool

    @property
    def arcs(self) -> list[tuple[str, str, bool]]:
        """The arcs that it builds, as variables, and whether the grammar has to license them."""
        built = [b for b in self.case.links if isinstance(b, m.Built)]
        return [(*map(term_text, b.terms[:2]), b.licence in self.case.conditions) for b in built]  # type: ignore[misc]


@dataclass(slots=True)
class _Item:
    """An item in a step: its form, and its fields by name, positions as text."""

    form: str
    flags: dict[str, Flag]


@dataclass(slots=True)
class _Step:
    """A step in the making: what flags are known to be, what stands beside the line."""

    name: str
    above: list[_Item]
    below: _Item
    beside: list[str] = field(default_factory=list)
    given: bool = False
    known: dict[str, Flag] = field(default_factory=dict)

    def value(self, flag: Flag) -> Flag:
        """Return what a flag is known to be."""
        while isinstance(flag, str) and flag in self.known:
            flag = self.known[flag]
        return flag


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
        than arcs of the nodes on top and in front tell.

    >>> from schemata import load
    >>> print(tabulate(load("hybrid-system").definition, root=True).split("\\n\\n")[-2])
    step Right-Arc
      span[i, k]   span[k, j]
      -----------------------  attach k to i
      span[i, j]
    """
    stack, buffer, arcs, rooted = _configuration(schema, root)
    moves = [_move(schema, case, stack, buffer, arcs) for case in schema.cases if case.antecedents]
    found = _Tabulation(schema, moves, rooted, keeps_top=any(move.takes == 2 for move in moves))
    steps = list(found.steps(strict=True))
    if rooted and not found.single:
        raise _refusal(f"{schema.name} gives nodes several heads", "with node 0, a system that builds trees")
    return found.text(steps, name or f"{schema.name.removesuffix('-system')}-tabulated")


def _refusal(message: str, expected: str, hint: str | None = None) -> UsageError:
    return UsageError(message, code="no-tabulation", expected=expected, hint=hint)


# Reading a system ------------------------------------------------------------------------------------------------


def _configuration(schema: m.Schema, root: bool) -> tuple[int, int, int, bool]:
    """Return the fields of the stack, the buffer and the arcs, and whether there is a node 0."""
    expected = "configurations of one stack, a buffer of all words and a set of arcs, and one initial one"
    form = schema.forms[0]
    kinds = [str(f.type) for f in form.fields]
    initial = [case.consequent for case in schema.cases if not case.antecedents]
    if len(schema.forms) != 1 or sorted(kinds) != ["arcs", *["list of position"] * 2] or len(initial) != 1:
        raise _refusal(f"items of {schema.name} are no configurations that can be tabulated", expected)
    if form.where or schema.hypotheses or len(schema.finals) != 1:
        raise _refusal(f"{schema.name} has conditions on items, hypotheses or several final items", expected)
    arcs = kinds.index("arcs")
    words = [k for k, term in enumerate(initial[0].terms) if isinstance(term, m.Positions)]
    if len(words) != 1 or words[0] == arcs:
        raise _refusal(f"{pattern_text(schema, initial[0])} has no buffer of all words", expected)
    (buffer,) = words
    stack = 3 - arcs - buffer
    below, first = initial[0].terms[stack], initial[0].terms[buffer].low  # type: ignore[union-attr]
    rooted = root or first == m.Lit(0) or below == m.ListTerm((m.Lit(0),))
    last = schema.finals[0].pattern.terms
    ends = m.ListTerm((m.Lit(0),)) if rooted and not root else m.Any()
    if last[stack] != ends or last[buffer] != m.ListTerm(()):
        raise _refusal(
            f"final configurations of {schema.name} are {pattern_text(schema, schema.finals[0].pattern)}",
            "an empty buffer and any stack; with node 0, <0>",
        )
    return stack, buffer, arcs, rooted


def _split(term: m.Term, top: int) -> tuple[str, list[str]] | None:
    """Return the rest of a list and the nodes at one end of it; None for other lists."""
    if isinstance(term, m.Var):
        return term.name, []
    if not isinstance(term, m.ListTerm) or not term.elements:
        return None
    rest, nodes = term.elements[top], term.elements[1:] if top == 0 else term.elements[:-1]
    named = [x.name for x in nodes if isinstance(x, m.Var)]
    return (rest.name, named) if isinstance(rest, m.Splice) and len(named) == len(nodes) else None


def _move(schema: m.Schema, case: m.Case, stack: int, buffer: int, arcs: int) -> _Move:
    """Return a transition.

    Raises
    ------
    UsageError : it looks too deeply, or does something else than to push the front or to take a node away.
    """
    unnamed = iter(range(len(schema.source.text)))
    above, below = case.antecedents[0].pattern.terms, case.consequent.terms
    terms = [term_text(x, ascii=True) for x in (above[stack], above[buffer], below[buffer])]
    above = m.rewrite(above, lambda x: m.Var(f"?{next(unnamed)}") if isinstance(x, m.Any) else None)
    held, front = _split(above[stack], 0), _split(above[buffer], -1)
    after, rest = _split(below[stack], 0), _split(below[buffer], -1)
    if len(case.antecedents) != 1 or held is None or len(held[1]) > 2:
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


class _Tabulation:
    """The items and steps that tabulate transitions."""

    def __init__(self, schema: m.Schema, moves: Sequence[_Move], rooted: bool, keeps_top: bool) -> None:
        self.schema, self.moves, self.rooted, self.keeps_top = schema, moves, rooted, keeps_top
        self.single = True
        self.pushes = [move for move in moves if move.pushes]
        self.bound = [move for move in self.pushes if move.tops]
        self.ways = [f"p{k}" for k in range(1, len(self.bound) + 1)]
        self.columns = {"span": [*self.ways, "c", *_ENDS], "rest": [*self.ways, "c"]}
        self.asked: set[str] = set()
        self.left_out: dict[str, dict[str, Flag]] = {"span": {}, "rest": {}}
        self.leave_out()

    def span(self, places: str, suffix: str = "", known: Mapping[str, Flag] = {}) -> _Item:
        """Return an item between places with variables for its flags but those that are known."""
        flags: dict[str, Flag] = {x: f"{x}{suffix}" for x in (*self.ways, "c", *_ENDS)}
        return _Item("span", {**flags, **known, **dict(zip("ihj", places.split(), strict=True))})

    def way(self, push: _Move | None) -> dict[str, Flag]:
        """Return the flags that say by which transition a node was pushed; None for one that looks at no top."""
        return {way: move is push for way, move in zip(self.ways, self.bound, strict=True)}

    def steps(self, strict: bool) -> Iterator[_Step]:
        """Yield the steps; those that no items fit are left out.

        With `strict`, every condition on arcs has to follow from flags; else conditions that do not are left out.
        """
        for move in self.moves:
            for step in self._steps(move, strict):
                yield step
        if not self.rooted:
            for push in (True, None, *self.bound):
                first = self.span("i h n+1" if push is True else "i h k")
                step = _Step("Last" if push is True else "Stay", [first], first)
                if not isinstance(push, bool):
                    step.above.append(_Item("rest", {"i": "k", **self.way(push), "c": first.flags["d"]}))
                if self._fits(step) and (
                    isinstance(push, bool) or self._pushed(push, step, first.flags, strict) is not None
                ):
                    kept = {x: step.value(first.flags[x]) for x in ("i", *self.ways, "c")}
                    step.below = _Item("rest", kept)
                    yield step

    def _steps(self, move: _Move, strict: bool) -> Iterator[_Step]:
        top = "h" if self.keeps_top else "i"
        front = {move.front: "j"} if move.front else {}
        in_front = ["j <= n"] if move.front else []
        if not move.takes:
            above = self.span("i h j")
            step = _Step(move.case.step, [above], above, in_front, move.pushes)
            if not self._fits(step):
                return
            names, bits = dict.fromkeys(move.tops, top) | front, {top: "b", "j": "d"}
            after = self._applied(move, step, names, bits, above.flags, strict, builds=not move.pushes)
            if after is not None and move.pushes:
                new = self.way(move if move.tops else None) | dict.fromkeys(("d", "l", "r"), False)
                flags = new | {"c": above.flags["d"], "b": after["d"]}
                step.below = self.span("j j j+1", known=flags)
            elif after is not None:
                step.below = _Item("span", after)
            yield from [] if after is None else [step]
            return
        x, z = ("h1", "h2") if self.keeps_top else ("i", "k")
        for push in (None, *self.bound):
            first = self.span("i h1 k")
            second = self.span("k h2 j", "2", self.way(push) | {"c": first.flags["d"]})
            step = _Step(move.case.step, [first, second], first, list(in_front))
            fits = self._fits(step)
            beneath = self._pushed(push, step, first.flags, strict) if fits else None
            if beneath is None:
                continue
            names = dict(zip(reversed(move.tops), (z, x), strict=False)) | front
            state = second.flags | {"b1": beneath["b"]}
            after = self._applied(move, step, names, {z: "b", x: "b1", "j": "d"}, state, strict, pair=(z, x))
            if after is None:
                continue
            if move.takes == 1:
                spanned = [(names[d], names[h]) for d, h, _ in move.arcs]
                new = {"b": after["b1"], "d": after["d"], "l": (x, "j") in spanned, "r": ("j", x) in spanned}
            else:
                new = {y: after[y] for y in _ENDS}
            flags = first.flags | new
            step.below = self.span(f"i {x if move.takes == 1 else z} j", known=flags)
            yield step

    def _pushed(
        self, push: _Move | None, step: _Step, state: dict[str, Flag], strict: bool
    ) -> dict[str, Flag] | None:
        """Build the arcs of the transition that pushed node k onto that beneath; return the flags of the latter."""
        if push is None:
            return state
        top = str(step.above[0].flags["h" if self.keeps_top else "i"])
        names = dict.fromkeys(push.tops, top) | {push.front or "": "k"}
        return self._applied(push, step, names, {top: "b", "k": "d"}, state, strict)

    def _applied(
        self,
        move: _Move,
        step: _Step,
        names: Mapping[str, str],
        bits: Mapping[str, str],
        state: dict[str, Flag],
        strict: bool,
        builds: bool = True,
        pair: tuple[str, str] | None = None,
    ) -> dict[str, Flag] | None:
        """Add the conditions and the arcs of a transition to a step; return the flags after it, None if it never fits.

        `names` has the places of its nodes, `bits` the flags that say whether they have heads.
        """
        top, front = pair[0] if pair else next(iter(bits)), "j" if "j" in bits else "k"

        def bit(node: str) -> m.Term:
            value = step.value(state[bits[node]])
            return m.Lit(value) if isinstance(value, bool) else m.Var(value)

        def asked(node: m.Term) -> m.Term:
            match node:
                case m.Not(operand):
                    inner = asked(operand)
                    return m.Lit(not inner.value) if isinstance(inner, m.Lit) else m.Not(inner)
                case m.Junction(word, operands):
                    parts = [asked(o) for o in operands]
                    decided = m.Lit(word == "or")
                    parts = [part for part in parts if part != m.Lit(word == "and")]
                    if decided in parts or len(parts) < 2:
                        return decided if decided in parts else parts[0] if parts else m.Lit(word == "and")
                    return m.Junction(word, tuple(parts))
                case m.Compare(relation, m.Lit(one), m.Lit(other)) if relation in ("==", "!="):
                    return m.Lit((one == other) == (relation == "=="))
                case m.Member(m.TupleTerm((m.Var(one), other)), region) if one in names:
                    if isinstance(region, m.WithArc):
                        d, h = region.arc.terms
                        added = d == m.Var(one) and other in (h, m.Any())
                        return m.Lit(True) if added else asked(m.Member(node.element, region.arcs))  # type: ignore[arg-type]
                    ends = names[one], names.get(getattr(other, "name", ""), "")
                    side = {(top, front): "l", (front, top): "r"}.get(ends)
                    if side is None and other != m.Any():
                        self.asked.add("b")
                    if side is None:
                        return (
                            bit(names[one]) if m.Lit(False) == bit(names[one]) or other == m.Any() else node
                        )
                    value = step.value(state[side])
                    return m.Lit(value) if isinstance(value, bool) else m.Var(value)
            return node

        built = [b.licence for b in move.case.links if isinstance(b, m.Built)]
        for condition in move.case.conditions:
            decided = None if condition in built else asked(condition)  # type: ignore[arg-type]
            self.asked |= {x[0] for x in m.variables(decided)} & set(_ENDS)
            match decided:
                case None:
                    pass
                case m.Lit(False):
                    return None
                case m.Lit():
                    pass
                case m.Var(flag):
                    step.known[flag] = True
                case m.Not(m.Var(flag)):
                    step.known[flag] = False
                case left if any(isinstance(x, m.Member | m.Path) for x in m.nodes(left)):
                    if strict:
                        raise _refusal(
                            f"step {move.case.step} asks for more than arcs of the nodes on top and "
                            f"in front tell: {condition_text(left, ascii=True)}",
                            "conditions on heads, and on arcs between the top and the front",
                        )
                case left:
                    placed = m.rewrite(
                        left,
                        lambda x: m.Var(names[x.name]) if isinstance(x, m.Var) and x.name in names else None,
                    )
                    step.beside.append(condition_text(placed, ascii=True))
        after: dict[str, Flag] = {x: step.value(value) for x, value in state.items()}
        for d, h, licensed in move.arcs:
            one, other = names[d], names[h]
            self.single = self.single and (not strict or after[bits[one]] is False)
            after[bits[one]] = True
            after |= {"l": True} if (one, other) == (top, front) else {}
            after |= {"r": True} if (one, other) == (front, top) else {}
            if builds:
                step.beside.append(f"{'attach' if licensed else 'link'} {one} to {other}")
            elif licensed:
                step.beside.append(f"licensed {one} to {other}")
        if not self.rooted and len(move.tops) > (1 if pair else 0):
            beneath = pair[1] if pair else top
            step.beside += [f"1 <= {beneath}"] if f"1 <= {beneath}" not in step.beside else []
        return after

    def _fits(self, step: _Step) -> bool:
        """Note what is known of flags in a step; False where its antecedents cannot be items."""
        for item in step.above:
            for flag, equals in self.left_out[item.form].items():
                one = step.value(item.flags[flag])
                other = step.value(item.flags[equals] if isinstance(equals, str) else equals)
                if isinstance(one, bool) and isinstance(other, bool):
                    if one != other:
                        return False
                elif isinstance(one, str) and one != other:
                    step.known[one] = other
                elif isinstance(other, str) and one != other:
                    step.known[other] = one
        return True

    # Flags that are needed

    def start(self, places: str = "0 0 1", **known: Flag) -> _Item:
        """Return the first item: node 0, or the bottom of the stack, and nothing above it; or one like it elsewhere."""
        return self.span(places, known=dict.fromkeys((*self.ways, "c", *_ENDS), False) | known)

    def leave_out(self) -> None:
        """Leave out flags that have one value in all items, or that of another one, or that nothing asks for.

        They are found by a run in which items are their flags alone, and conditions that flags do not decide hold.
        """
        steps = list(self.steps(strict=False))
        items: dict[str, set[tuple[bool, ...]]] = {"span": set(), "rest": set()}
        items["span"].add((False,) * len(self.columns["span"]))
        size = -1
        while size != (size := sum(map(len, items.values()))):
            for step in steps:
                for values in product(*(list(items[item.form]) for item in step.above)):
                    bound: dict[str, bool] = {}
                    fields = [step.value(x.flags[y]) for x in step.above for y in self.columns[x.form]]
                    pairs = zip(fields, chain(*values), strict=True)
                    if all(bound.setdefault(f, v) == v if isinstance(f, str) else f == v for f, v in pairs):
                        below = [step.value(step.below.flags[y]) for y in self.columns[step.below.form]]
                        items[step.below.form].add(
                            tuple(bound[f] if isinstance(f, str) else f for f in below)
                        )
        found = self.left_out
        for form, columns in self.columns.items():
            rows = list(zip(*items[form], strict=True)) or [()] * len(columns)
            for k, (name, row) in enumerate(zip(columns, rows, strict=True)):
                if len(set(row)) < 2:
                    found[form][name] = row[0] if row else False
                elif same := [
                    other
                    for other, values in zip(columns[k + 1 :], rows[k + 1 :], strict=True)
                    if values == row
                ]:
                    found[form][name] = same[-1]
        equal = {x for x in found["span"].values() if isinstance(x, str)}
        needed = (
            self.asked | equal | ({"c", "d"} if self.asked & {"b", "d"} or equal & {"b", "c", "d"} else set())
        )
        for form, columns in self.columns.items():
            self.columns[form] = [x for x in columns if x in needed or x in self.ways or x in found[form]]

    # Text

    def text(self, steps: Sequence[_Step], name: str) -> str:
        """Return the schema as text."""
        top = "h" if self.keeps_top else "i"
        ways = {way: move.case.step for way, move in zip(self.ways, self.bound, strict=True)}
        meant = {way: f"{{top}} was pushed by {step}" for way, step in ways.items()} | _MEANING
        zero = "node 0 is the root" if self.rooted else "node 0 is the bottom of the stack"
        notes = [f"Tabulates {reference_of(self.schema)}.",
                 f"Node {top} is on top of the stack and j in front of the buffer, n + 1 if that is empty; {zero}.",
                 *(f"{x} says that {meant[x].format(top=top)}." for x in self.kept("span") if x in meant)]  # fmt: skip
        forms = [
            f"item span[{self._declared('span')}]\n  where 0 <= i {'<= h ' * self.keeps_top}< j <= n + 1"
        ]
        if not self.rooted:
            notes.append("rest has the nodes from i on that stay on the stack.")
            notes += [f"{x} says that {meant[x].format(top='i')}." for x in self.kept("rest") if x in ways]
            forms.append(f"item rest[{self._declared('rest')}]\n  where 0 <= i <= n")
        first = self._item(self.start())
        if self.keeps_top and not self.bound and "c" in self.left_out["span"]:
            # The paper has such hypotheses where h is not i; elsewhere, steps that begin where an item ends.
            steps = [step for step in steps if not step.given]
            first = f"{self._item(self.start('i i i+1'))}  where 0 <= i <= n"
        if self.rooted:
            goal = self._item(self.start("0 0 n+1", d="_", l="_", r="_"))
        else:
            goal = self._item(_Item("rest", {x: "0" if x == "i" else "_" for x in self.kept("rest")}))
        head = header(name, f"{self.schema.title or self.schema.name}, tabulated", "sections 3 and 5")
        head += "" if self.rooted else "\n  structure dependency graph"
        notes = [f"# {note}" for note in notes]
        rules = steps_text((step.name, self._rule(step)) for step in steps)
        return (
            "\n\n".join([head, "\n".join(notes), f"hypothesis {first}", *forms, *rules, f"final {goal}"])
            + "\n"
        )

    def kept(self, form: str) -> list[str]:
        """Return the fields of a form, those that are needed, in order."""
        flags = [x for x in self.columns[form] if x not in self.left_out[form]]
        order = ["i", *self.ways, "c", *("h" * self.keeps_top), "b", "j", "d", "l", "r"]
        places = ("i", "h", "j") if form == "span" else ("i",)
        return [x for x in order if x in flags or x in places]

    def _declared(self, form: str) -> str:
        return ", ".join(f"{x}: {'position' if x in ('i', 'h', 'j') else 'flag'}" for x in self.kept(form))

    def _fields(self, item: _Item, step: _Step | None = None) -> list[str]:
        values = (step.value(item.flags[x]) if step else item.flags[x] for x in self.kept(item.form))
        return [
            str(value).lower() if isinstance(value, bool) else value.replace("+1", " + 1") for value in values
        ]

    def _item(self, item: _Item) -> str:
        return f"{item.form}[{', '.join(self._fields(item))}]"

    def _rule(self, step: _Step) -> str:
        """Return a step as a rule, with _ for variables that it has once."""
        *above, below = (self._fields(item, step) for item in (*step.above, step.below))
        fields = [x for row in (*above, below) for x in row]
        words = Counter(re.findall(r"[a-z]\w*", " ".join([*fields, *step.beside])))
        once = {word for word, count in words.items() if count == 1} - {"true", "false"}
        shown = [f"{item.form}[{', '.join('_' if x in once else x for x in row)}]"
                 for item, row in zip(step.above, above, strict=True)]  # fmt: skip
        given = "given " if step.given else ""
        return inference(given + "   ".join(shown), step.beside, f"{step.below.form}[{', '.join(below)}]")


# Text of schemata ------------------------------------------------------------------------------------------------


def header(name: str, title: str, sections: str) -> str:
    """Return the first lines of a schema over D-rules after the paper."""
    source = f"Kuhlmann, Gómez-Rodríguez & Satta 2011, {sections}: push computations"
    return f'schema {name}\n  title   "{title}"\n  source  "{source}"\n  grammar d-rules'


def inference(above: str, beside: Sequence[str], below: str) -> str:
    """Return a rule as text, what it builds first beside its line."""
    beside = sorted(dict.fromkeys(beside), key=lambda text: not text.startswith(("attach", "li")))
    line = "-" * max(len(above), len(below))
    return f"  {above}\n  {line}{'  ' if beside else ''}{', '.join(beside)}\n  {below}"


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
