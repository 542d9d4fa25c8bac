"""Lists as terms in kernels: pairs of a shorter list and a last element, numbered, and queries about them as code.

A list is a number: 0 is the empty one, every other stands in three arrays, `LI` (the list without its last
element), `LE` (that element) and `LN` (the length). Equal lists have one number, found in a hash table of
pairs, so that pushing an element is one look and popping one is none. An element is a position, a flag, a
symbol, or a tuple of up to three of them, packed into one number.

A query whose goals are about such lists alone is answered by the kernel itself: `answer_text` writes a function
that unpacks the list, runs over the places where the pattern's stretches may end, and notes the rows. Lists of
other elements, and queries that ask the grammar as well, are answered in Python. Queries about sequences of labels
are answered in the same way (`labels.py`); since few sequences are asked about again and again, their answers stay.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from schemata.kernels.labels import (
    LABEL_TEXT,
    LabelCode,
    Stretch,
    Unanswered,
    is_labels,
    lists_every_disjunct,
)
from schemata.language import model as m
from schemata.machine.text import Lines
from schemata.program.queries import Coded, Equals, Query, Token, TokensMatch

__all__ = ["LIST_TEXT", "LONGEST", "MADE", "answer_text", "is_list", "packed", "unpacked"]

LONGEST = 10_000  # elements of a list
MADE = 2 * LONGEST  # of one that is put together: what doubles a list may still rule it out by its length
PART = 20  # bits of a part of an element that is a tuple
HALF = 1 << (PART - 1)
PARTS = 3
REGIONS = 4  # lists that one query unpacks
ANSWERING = "n, st, LI, LE, LN, PK, PV, SE, SN, RP, QK, QV, LB"  # what functions that answer queries need

LIST_TEXT = f'''{LABEL_TEXT}
@apart
def push(st, LI, LE, LN, PK, PV, list, e):
    """Return the number of a list with one more element; below 0 what is full."""
    z = pairs_at(PK, PV, st[PAIR_SLOTS], list, e >> 24, e & 16777215)
    if z > 0:
        return z
    z = st[NODES] + 1
    if z >= st[NODE_ROOM]:
        return -NODES_FULL
    if LN[list] >= {MADE}:
        return -TOO_LONG
    if not pairs_enter(st, PK, PV, PAIRS, PAIR_SLOTS, list, e >> 24, e & 16777215, z):
        return -PAIRS_FULL
    LI[z] = list
    LE[z] = e
    LN[z] = LN[list] + 1
    st[NODES] = z
    return z


@apart
def unpack(LI, LE, LN, SE, SN, b, list):
    """Write the elements of a list to SE from b on, and to SN the lists of the first 0, 1, 2 ... of them."""
    m = LN[list]
    k = m
    while k > 0:
        SN[b + k] = list
        k -= 1
        SE[b + k] = LE[list]
        list = LI[list]
    SN[b] = 0
    return m
'''


def is_list(kind: m.Type) -> bool:
    """Whether values of a type are lists that kernels take apart themselves."""
    if kind.kind != "list":
        return False
    inner = kind.arguments[0]
    parts = inner.arguments if inner.kind == "tuple" else (inner,)
    return len(parts) <= PARTS and all(part.kind in ("position", "flag", "symbol") for part in parts)


def packed(kind: m.Type, element: m.Value, number: Callable[[str, m.Value], int]) -> int:
    """Return an element of a list of this type as one number; `number` gives those of its parts."""
    inner = kind.arguments[0]
    if inner.kind != "tuple":
        return number(inner.kind, element)
    assert isinstance(element, tuple)
    numbers = (number(part.kind, value) for part, value in zip(inner.arguments, element, strict=True))
    return sum((x + HALF) << (PART * k) for k, x in enumerate(numbers))


def unpacked(kind: m.Type, element: int, value: Callable[[str, int], m.Value]) -> m.Value:
    """Return the element that a number stands for; the inverse of `packed`."""
    inner = kind.arguments[0]
    if inner.kind != "tuple":
        return value(inner.kind, element)
    numbers = (((element >> (PART * k)) & (2 * HALF - 1)) - HALF for k in range(len(inner.arguments)))
    return tuple(value(part.kind, x) for part, x in zip(inner.arguments, numbers, strict=True))


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A stretch of an unpacked list: where its elements are written, and from where to where it goes."""

    base: str
    low: str
    high: str


def answer_text(
    number: int, query: Query, bound: Sequence[int], wanted: Sequence[int], symbols: Sequence[str]
) -> str | None:
    """Return the text of `answer_NUMBER`, which notes the answers to a query; None where Python has to find them.

    The rows stand in the pool behind what is kept there, until the turn ends: to find them again is cheaper than
    to look them up. Those about labels are kept.

    Parameters
    ----------
    number : of the table.
    query, bound, wanted : what is asked, the places that are known, and those that are asked for.
    symbols : the program's symbol constants, by number.
    """
    try:
        return _Answer(query, tuple(bound), tuple(wanted), symbols).text(number)
    except Unanswered:
        return None


@dataclass(slots=True)
class _Answer:
    """The function that answers one query, under construction."""

    query: Query
    bound: tuple[int, ...]
    wanted: tuple[int, ...]
    symbols: Sequence[str]
    code: Lines = field(default_factory=Lines)
    env: dict[str, str | _Stretch | Stretch] = field(default_factory=dict)
    labels: LabelCode = field(init=False)
    fresh: int = 0
    regions: int = 0

    def __post_init__(self) -> None:
        self.labels = LabelCode(self.code, self.env, self._local, self._value)

    def text(self, number: int) -> str:
        """Return the function.

        Raises
        ------
        Unanswered : some goal is not about lists of packed elements and numbers alone.
        """
        code = self.code
        kept = any(is_labels(kind) for kind in self.query.types)
        if not (kept or any(is_list(kind) for kind in self.query.types)):
            raise Unanswered
        keys = [f"k{k}" for k in range(1, len(self.bound) + 1)]
        code.text += ["", "", "@apart"]
        code.open(f"def answer_{number}({', '.join([ANSWERING, *keys])}):")
        if kept:
            code.line(f"p = asked_{len(keys)}({', '.join(['st', 'QK', 'QV', str(number), *keys])})")
            code.open("if p > 0:")
            code.line("return p")
            code.close()
        code.line("base = st[POOL]")
        code.open("if base >= st[POOL_ROOM]:")
        code.line("return -POOL_FULL")
        code.close()
        code.line("p = base + 1")
        code.line("count = 0")
        for place, key in zip(self.bound, keys, strict=True):
            self.env[str(place)] = key
        code.open("for _ in range(1):")  # where no more than one answer is needed, the loop ends
        self._goals(list(self.query.goals))
        self._row()
        code.depth = 1
        code.line("RP[base] = count")
        code.line("st[POOL] = p")
        if kept:
            code.line("st[KEPT] = p")
        code.line("return answered(st, QK, QV, base)" if kept else "return base")
        code.close()
        return "\n".join(code.text) + "\n"

    def _goals(self, goals: list[object]) -> None:
        """Write the goals, each when its variables are known."""
        while goals:
            goal = next((g for g in goals if self._is_ready(g)), None)
            if goal is None:
                raise Unanswered
            goals.remove(goal)
            match goal:
                case Equals(name, m.ListTerm() as term, kind) if is_list(kind) and name in self.env:
                    self._take(self._number(self.env[name]), term, kind)
                case Equals(name, m.ListTerm() as term, kind) if is_list(kind):
                    self.env[name] = self._put_together(term, kind)
                case Equals(kind=kind) if is_labels(kind):
                    self.labels.write(goal)
                case m.HasDisjunct() | Token() | TokensMatch() | Coded():
                    self.labels.write(goal)
                case m.Compare() | m.Not() | m.Junction() | m.Member():
                    assert isinstance(goal, m.Compare | m.Not | m.Junction | m.Member)
                    self.code.open(f"if {self._condition(goal)}:")
                case _:
                    raise Unanswered

    def _is_ready(self, goal: object) -> bool:
        match goal:
            case Equals(name, term):
                return name in self.env or self._knows(term)
            case m.HasDisjunct(word=word):
                return self._knows(word)
            case Token(_, label):
                return self._knows(label)
            case TokensMatch(left, right):
                return left in self.env or right in self.env
            case Coded(position=position, label=label):
                return self._knows(position) and self._knows(label)
        return self._knows(goal)

    def _knows(self, node: object) -> bool:
        return all(x == "n" or x in self.env for x in m.variables(node))

    def _local(self, hint: str) -> str:
        self.fresh += 1
        return f"{hint}{self.fresh}"

    # numbers

    def _value(self, term: m.Term) -> str:
        """Return a number whose variables are known."""
        match term:
            case m.Lit(bool() as flag):
                return str(int(flag))
            case m.Lit(int() as number):
                return str(number)
            case m.Lit(str() as symbol) if symbol in self.symbols:
                return str(self.symbols.index(symbol))
            case m.Var("n"):
                return "n"
            case m.Var(name) if name in self.env:
                value = self.env[name]
                if not isinstance(value, _Stretch):
                    return self._number(value)
            case m.Labels(()) if term.dot is None:
                return "0"
            case m.Length(name):
                stretch = self.env[name]
                return f"LN[{stretch}]" if isinstance(stretch, str) else f"({stretch.high} - {stretch.low})"
            case m.Linear(constant, atoms):
                return " + ".join([f"({constant})", *(f"({k}) * {self._value(atom)}" for atom, k in atoms)])
            case m.Not(m.Var() as flag):
                return f"(1 - {self._value(flag)})"
        raise Unanswered

    def _condition(self, term: m.Term) -> str:
        match term:
            case m.Not(operand):
                return f"not ({self._condition(operand)})"
            case m.Junction(word, operands):
                return "(" + f" {word} ".join(f"({self._condition(x)})" for x in operands) + ")"
            case m.Compare(relation, left, right):
                return f"{self._value(left)} {relation} {self._value(right)}"
            case m.Member(element, m.Interval(low, high)):
                value = self._value(element)
                return f"({self._value(low)} <= {value} and {value} <= {self._value(high)})"
        raise Unanswered

    # taking apart

    def _take(self, number: str, term: m.ListTerm, kind: m.Type) -> None:
        """Match a list with a pattern; the code stands afterwards where it fits."""
        code = self.code
        base = self._region()
        size = self._local("m")
        code.line(f"{size} = unpack(LI, LE, LN, SE, SN, {base}, {number})")
        elements = list(term.elements)
        open_places = [k for k, e in enumerate(elements) if isinstance(e, m.Splice | m.Run)]
        fixed = len(elements) - len(open_places)
        code.open(f"if {size} {'>=' if open_places else '=='} {fixed}:")
        low = ""
        if len(open_places) > 1 and isinstance(last := elements[-1], m.Run) and last.shape != m.Any():
            low = self._local("w")  # stretches before the longest closing run cannot end earlier
            code.line(f"{low} = {size}")
            fits = self._fits(f"SE[{base} + {low} - 1]", last.shape, kind)
            code.open(f"while {low} > 0 and {fits}:")
            code.line(f"{low} -= 1")
            code.close()
        at = "0"
        for k, element in enumerate(elements):
            after = sum(not isinstance(e, m.Splice | m.Run) for e in elements[k + 1 :])
            if not isinstance(element, m.Splice | m.Run):
                self._match(f"SE[{base} + {at}]", element, kind)
                at = self._plus_one(at)
                continue
            end = self._local("e")
            if k == open_places[-1]:
                code.line(f"{end} = {size} - {after}")
                code.open(f"if {end} >= {at}:")
                if isinstance(element, m.Run) and element.shape != m.Any():
                    self._all_fit(base, at, end, low, element.shape, kind)
            else:
                begin = at
                if low and k == open_places[-2]:
                    between = sum(
                        not isinstance(e, m.Splice | m.Run) for e in elements[k + 1 : open_places[-1]]
                    )
                    begin = f"max({at}, {low} - {between})"
                code.open(f"for {end} in range({begin}, {size} - {after} + 1):")
                if isinstance(element, m.Run) and element.shape != m.Any():
                    fits = self._fits(f"SE[{base} + {end} - 1]", element.shape, kind)
                    code.open(f"if {end} > {at} and not ({fits}):")
                    code.line("break")
                    code.close()
            if isinstance(element, m.Splice):
                self._bind_stretch(element.name, _Stretch(base, at, end))
            at = end

    def _region(self) -> str:
        region = self.regions * (MADE + 2)
        self.regions += 1
        if self.regions > REGIONS:
            raise Unanswered
        return str(region)

    def _all_fit(self, base: str, low: str, high: str, known: str, shape: m.Term, kind: m.Type) -> None:
        """Go on only where all elements of a stretch are of a shape; from `known` on they are."""
        if known:
            self.code.open(f"if {low} >= {known}:")
            return
        ok, q = self._local("o"), self._local("q")
        self.code.line(f"{ok} = 1")
        self.code.open(f"for {q} in range({low}, {high}):")
        self.code.open(f"if not ({self._fits(f'SE[{base} + {q}]', shape, kind)}):")
        self.code.line(f"{ok} = 0")
        self.code.line("break")
        self.code.close(2)
        self.code.open(f"if {ok}:")

    def _fits(self, element: str, shape: m.Term, kind: m.Type) -> str:
        """Return whether an element is of a shape, which has no variables but known ones."""
        tests = [
            f"{value} == {self._value(part)}"
            for value, part in self._parts(element, shape, kind)
            if not isinstance(part, m.Any)
        ]
        return " and ".join(tests) or "True"

    def _parts(self, element: str, term: m.Term, kind: m.Type) -> list[tuple[str, m.Term]]:
        inner = kind.arguments[0]
        if inner.kind != "tuple":
            return [(element, term)]
        if isinstance(term, m.Any):
            return []
        if not isinstance(term, m.TupleTerm):
            raise Unanswered
        return [
            (f"((({element}) >> {PART * k}) & {2 * HALF - 1}) - {HALF}", part)
            for k, part in enumerate(term.terms)
        ]

    def _match(self, element: str, term: m.Term, kind: m.Type) -> None:
        for value, part in self._parts(element, term, kind):
            match part:
                case m.Any():
                    continue
                case m.Var(name) if name != "n" and name not in self.env:
                    self.env[name] = self._local("v")
                    self.code.line(f"{self.env[name]} = {value}")
                case m.Linear(constant, ((m.Var(name), 1),)) if name != "n" and name not in self.env:
                    self.env[name] = self._local("v")
                    self.code.line(f"{self.env[name]} = {value} - ({constant})")
                case _:
                    self.code.open(f"if {value} == {self._value(part)}:")

    def _bind_stretch(self, name: str, stretch: _Stretch) -> None:
        if name not in self.env:
            self.env[name] = stretch
            return
        known, found = self._number(self.env[name]), self._number(stretch)
        self.code.open(f"if {known} == {found}:")

    def _plus_one(self, at: str) -> str:
        return str(int(at) + 1) if at.isdigit() else f"({at} + 1)"

    # putting together

    def _number(self, value: str | _Stretch | Stretch) -> str:
        """Return the number of a list, or of a sequence of labels."""
        if isinstance(value, str | Stretch):
            return self.labels.number(value)
        if value.low == "0":
            return f"SN[{value.base} + {value.high}]"
        return self._pushed("0", value)

    def _pushed(self, start: str, stretch: _Stretch) -> str:
        """Return the number of a list with a stretch behind it."""
        here, q = self._local("x"), self._local("q")
        self.code.line(f"{here} = {start}")
        self.code.open(f"for {q} in range({stretch.low}, {stretch.high}):")
        self.code.line(f"{here} = push(st, LI, LE, LN, PK, PV, {here}, SE[{stretch.base} + {q}])")
        self._leave(here)
        self.code.close()
        return here

    def _leave(self, number: str) -> None:
        self.code.open(f"if {number} < 0:")
        self.code.line(f"return {number}")
        self.code.close()

    def _put_together(self, term: m.ListTerm, kind: m.Type) -> str:
        """Return the number of the list that a term makes of known values."""
        here = "0"
        for k, element in enumerate(term.elements):
            match element:
                case m.Splice(name):
                    value = self.env[name]
                    if k == 0:
                        here = self._number(value)
                    elif isinstance(value, _Stretch):
                        here = self._pushed(here, value)
                    else:
                        base, size = self._region(), self._local("m")
                        self.code.line(f"{size} = unpack(LI, LE, LN, SE, SN, {base}, {value})")
                        here = self._pushed(here, _Stretch(base, "0", size))
                case m.Run():
                    raise Unanswered
                case _:
                    pushed = self._local("x")
                    made = self._packed(element, kind)
                    self.code.line(f"{pushed} = push(st, LI, LE, LN, PK, PV, {here}, {made})")
                    self._leave(pushed)
                    here = pushed
        return here

    def _packed(self, term: m.Term, kind: m.Type) -> str:
        inner = kind.arguments[0]
        if inner.kind != "tuple":
            return self._value(term)
        if not isinstance(term, m.TupleTerm):
            raise Unanswered
        parts = (f"(({self._value(part)} + {HALF}) << {PART * k})" for k, part in enumerate(term.terms))
        return " + ".join(parts)

    # rows

    def _row(self) -> None:
        """Note a row of wanted values, once."""
        code, width = self.code, len(self.wanted)
        if not width:
            code.line("count = 1")
            return
        values = []
        for place in self.wanted:
            value = self.env.get(str(place))
            if value is None:
                raise Unanswered
            values.append(self._number(value))
        known = self.query.determined(self.bound)
        names = [str(place) for place in self.wanted]
        single = known is not None and known.issuperset(self.wanted)
        if not single and not lists_every_disjunct(self.query.goals, names):
            new, q = self._local("o"), self._local("q")
            same = " and ".join(f"RP[base + 1 + {q} * {width} + {k}] == {v}" for k, v in enumerate(values))
            code.line(f"{new} = 1")
            code.open(f"for {q} in range(count):")
            code.open(f"if {same}:")
            code.line(f"{new} = 0")
            code.line("break")
            code.close(2)
            code.open(f"if {new}:")
        code.open(f"if p + {width} >= st[POOL_ROOM]:")
        code.line("return -POOL_FULL")
        code.close()
        for k, value in enumerate(values):
            code.line(f"RP[p + {k}] = {value}")
        code.line(f"p += {width}")
        code.line("count += 1")


def lists_of(queries: Mapping[tuple[Query, tuple[int, ...], tuple[int, ...]], int]) -> bool:
    """Whether some query is about lists or labels that kernels take apart."""
    return any(is_list(kind) or is_labels(kind) for query, _, _ in queries for kind in query.types)
