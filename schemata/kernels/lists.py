"""Lists as terms in kernels: numbered pairs of a shorter list and a last element; queries about them as kernel text.

A list is a number: 0 is the empty one, every other stands in three arrays, `LI` (the list without its last element),
`LE` (that element) and `LN` (the length). Equal lists have one number, found in a hash table of pairs, so that pushing
an element takes one look-up, and popping one takes none. An element is a position, a flag, a symbol, or a tuple of up
to three of them, packed into one number; a run that meets a number for which a part has no room is refused. A set of
arcs is a list of pairs in order.

A query whose goals are about such lists alone is answered by the kernel itself: `answer_text` writes a function
that pops elements or unpacks the list, runs over the places where the pattern's stretches may end, and notes the
rows. New lists are made before the loops on which they do not depend. Python answers queries about lists of other
elements, and queries that ask the grammar as well. Queries about sequences of labels are answered in the same way
(`labels.py`); their answers are kept, since the same few sequences recur.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from schemata.kernels.labels import (
    LABEL_TEXT,
    LabelCode,
    SequenceCode,
    Unanswered,
    is_labels,
    lists_every_disjunct,
)
from schemata.language import model as m
from schemata.machine.text import Nest, filled, is_too_deep
from schemata.program.matching import Equals, Related
from schemata.program.queries import Query, QueryContent, is_ready
from schemata.records import Record, dataclass, field
from schemata.thresholds import REFUSALS, WAYS

__all__ = ["answer_text", "is_list", "list_text", "most_made", "packed", "unpacked"]

ANSWERING = "n, st, LI, LE, LN, PK, CH, SE, SN, RP, QK, LB"  # what functions that answer queries need


def most_made() -> int:
    """Return the most elements of a composed list: twice the limit for lists."""
    return 2 * REFUSALS.list_elements


def _packing() -> tuple[int, int, int]:
    """Return the bits of a part of an element that is a tuple, half of the numbers it has room for, and its mask."""
    bits = REFUSALS.part_bits
    return bits, 1 << (bits - 1), (1 << bits) - 1


def list_text() -> str:
    """Return the functions for lists that kernels call."""
    bits, half, mask = _packing()
    return f'''{LABEL_TEXT}
def longer(st, PK, CH, list, e):
    """Return the number of a list with one more element, 0 where it has none; small elements have a place for it."""
    if 0 <= e and e < st[FAN]:
        return CH[list * st[FAN] + e]
    return pairs_at(PK, st[PAIR_SLOTS], -2 - list, e >> 32, (e & 4294967295) - 2147483648)


def part(st, x):
    """Return a part of an element that is a tuple as it is packed, and note where there is no room for it."""
    if (x + {half}) >> {bits} != 0:
        st[TOO_LARGE] = 1
    return (x + {half}) & {mask}


def whole(st, x):
    """Return an element that is a number, and note where there is no room for it."""
    if (x + 2147483648) >> 32 != 0:
        st[TOO_LARGE] = 1
    return x


@apart
def push(st, LI, LE, LN, PK, CH, list, e):
    """Return the number of a list with one more element; below 0 what is full."""
    if st[TOO_LARGE]:
        return -TOO_LONG
    z = longer(st, PK, CH, list, e)
    if z > 0:
        return z
    z = st[NODES] + 1
    if z >= st[NODE_ROOM]:
        return -NODES_FULL
    if LN[list] >= {most_made()}:
        return -TOO_LONG
    if 0 <= e and e < st[FAN]:
        CH[list * st[FAN] + e] = z
    elif not pairs_enter(
        st, PK, PAIRS, PAIR_SLOTS, -2 - list, e >> 32, (e & 4294967295) - 2147483648, z
    ):
        return -PAIRS_FULL
    LI[z] = list
    LE[z] = e
    LN[z] = LN[list] + 1
    st[NODES] = z
    return z


@apart
def contains(LI, LE, list, mask, e):
    """Return whether a list has an element that is e within the mask."""
    while list > 0:
        if LE[list] & mask == e:
            return 1
        list = LI[list]
    return 0


@apart
def with_pair(st, LI, LE, LN, PK, CH, SE, b, list, e):
    """Return the number of a set of pairs, which is a list in order, with one more; below 0 what is full."""
    if st[TOO_LARGE]:
        return -TOO_LONG
    if contains(LI, LE, list, -1, e):
        return list
    size = 0
    rank = ((e & {mask}) << {bits}) + (e >> {bits})
    while list > 0 and ((LE[list] & {mask}) << {bits}) + (LE[list] >> {bits}) > rank:
        SE[b + size] = LE[list]
        size += 1
        list = LI[list]
    list = push(st, LI, LE, LN, PK, CH, list, e)
    while size > 0 and list > 0:
        size -= 1
        list = push(st, LI, LE, LN, PK, CH, list, SE[b + size])
    return list


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


@apart
def repeats(SE, b, m):
    """Return whether an element stands twice in an unpacked list."""
    seen = 0
    for k in range(m):
        bit = 1 << (SE[b + k] & 31)
        if seen & bit != 0:
            for q in range(k):
                if SE[b + q] == SE[b + k]:
                    return 1
        seen |= bit
    return 0
'''


_FUNCTION = """

@apart
def answer_{number}({parameters}):
    {known}
    base = st[POOL]
    if base >= st[POOL_ROOM]:
        return -POOL_FULL
    p = base + 1
    count = 0
    for _ in range(1):
        {goals}
    RP[base] = count
    st[POOL] = p
    {end}
"""

_ROW = """
if p + {width} >= st[POOL_ROOM]:
    return -POOL_FULL
{values}
p += {width}
count += 1
"""

_NEW_ROW = """
{new} = 1
for {q} in range(count if {doubtful} else 0):
    if {same}:
        {new} = 0
        break
"""

_PUSH = """
{list} = push(st, LI, LE, LN, PK, CH, {start}, {element})
if {list} < 0:
    return {list}
"""

_PUSH_ALL = """
{list} = {start}
for {q} in range({low}, {high}):
    {push}
"""

_ALL_FIT = """
{ok} = 1
for {q} in range({low}, {high}):
    if not ({fits}):
        {ok} = 0
        break
if {ok}:
"""


def is_list(kind: m.Type) -> bool:
    """Whether values of a type are lists that kernels take apart themselves."""
    if kind.kind != "list":
        return False
    inner = kind.arguments[0]
    parts = inner.arguments if inner.kind == "tuple" else (inner,)
    return len(parts) <= WAYS.tuple_parts and all(
        part.kind in ("position", "flag", "symbol") for part in parts
    )


def packed(kind: m.Type, element: m.Value, number: Callable[[str, m.Value], int]) -> int | None:
    """Return an element of a list of this type as one number; None if there is no room for it, or for a part.

    `number` gives the numbers of its parts.
    """
    inner = kind.arguments[0]
    if inner.kind != "tuple":
        alone = number(inner.kind, element)
        return alone if -(1 << 31) <= alone < 1 << 31 else None
    assert isinstance(element, tuple)
    numbers = [number(part.kind, value) for part, value in zip(inner.arguments, element, strict=True)]
    bits, half, _ = _packing()
    if not all(-half <= x < half for x in numbers):
        return None
    return sum((x + half) << (bits * k) for k, x in enumerate(numbers))


def unpacked(kind: m.Type, element: int, value: Callable[[str, int], m.Value]) -> m.Value:
    """Return the element that a number stands for; the inverse of `packed`."""
    inner = kind.arguments[0]
    if inner.kind != "tuple":
        return value(inner.kind, element)
    bits, half, mask = _packing()
    numbers = (((element >> (bits * k)) & mask) - half for k in range(len(inner.arguments)))
    return tuple(value(part.kind, x) for part, x in zip(inner.arguments, numbers, strict=True))


class _ListStretch(Record):
    """A stretch of an unpacked list: the place of its elements, and the bounds of its indices."""

    base: str
    low: str
    high: str


def answer_text(
    number: int, query: Query, bound: Sequence[int], wanted: Sequence[int], symbols: Sequence[str]
) -> str | None:
    """Return the text of `answer_NUMBER`, which notes the answers to a query; None if Python has to find them.

    The rows stand in the pool, behind the rows kept there, until the turn ends: finding them again is cheaper than a
    look-up. Rows about labels are kept.

    Parameters
    ----------
    number : the number of the table.
    query, bound, wanted : the query, its known places, and those that are asked for.
    symbols : the program's symbol constants, by number.
    """
    try:
        return _Answer(query, tuple(bound), tuple(wanted), symbols).text(number)
    except Unanswered:
        return None


@dataclass(slots=True)
class _Answer:
    """The function that answers one query, under construction.

    Attributes
    ----------
    env : the known variables: locals, and stretches of unpacked lists.
    sources : elements of patterns, and their places in unpacked lists.
    loops : whether different ways to match may give the same row, and the lists that have an element twice if so;
        None if any list may.
    """

    query: Query
    bound: tuple[int, ...]
    wanted: tuple[int, ...]
    symbols: Sequence[str]
    code: Nest = field(default_factory=Nest)
    env: dict[str, str | _ListStretch | SequenceCode] = field(default_factory=dict)
    labels: LabelCode = field(init=False)
    sources: dict[m.Term, tuple[str, str]] = field(default_factory=dict)
    loops: list[tuple[str, str] | None] = field(default_factory=list)
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
        kept = any(is_labels(kind) for kind in self.query.types)
        if not (kept or any(is_list(kind) for kind in self.query.types)):
            raise Unanswered
        keys = [f"k{k}" for k in range(1, len(self.bound) + 1)]
        self.env |= {str(place): key for place, key in zip(self.bound, keys, strict=True)}
        self._goals(list(self.query.goals))
        self._row(kept)
        if is_too_deep(str(self.code)):
            raise Unanswered
        look = f"p = asked_{len(keys)}({', '.join(['st', 'QK', str(number), *keys])})"
        return filled(
            _FUNCTION,
            number=number,
            parameters=", ".join([ANSWERING, *keys]),
            known=f"{look}\nif p > 0:\n    return p" if kept else "",
            goals=self.code,
            end="st[KEPT] = p\nreturn answered(st, QK, base)" if kept else "return base",
        )

    def _goals(self, goals: list[QueryContent]) -> None:
        """Write the goals, each once its variables are bound; lists are composed after all tests."""
        while goals:
            ready = filter(self._is_ready, goals)
            goal = min(ready, key=lambda g: isinstance(g, Equals) and g.name not in self.env, default=None)
            if goal is None:
                raise Unanswered
            goals.remove(goal)
            match goal:
                case Equals(name, m.ListTerm() as term, kind) if is_list(kind) and name in self.env:
                    self._take(self._number(self.env[name]), term, kind)
                case Equals(name, m.WithArc(m.Var(arcs), arc), kind) if name not in self.env:
                    self.env[name] = self._with_arc(self._number(self.env[arcs]), arc, kind)
                case Equals(name, m.ListTerm() as term, kind) if is_list(kind):
                    self.env[name] = self._put_together(term, kind)
                case Equals(kind=kind) if is_labels(kind):
                    self.labels.write(goal)
                case Related():
                    self.labels.write(goal)
                case m.HasFact("disjunct", sorts=None):
                    self.labels.write_disjuncts(goal)
                case m.Compare() | m.Not() | m.Junction() | m.Member():
                    self.code.add(f"if {self._condition(goal)}:")
                case _:
                    raise Unanswered

    def _is_ready(self, goal: QueryContent) -> bool:
        if isinstance(goal, Equals | Related | m.HasFact):
            return is_ready(goal, set(self.env))
        return self._knows(goal)

    def _knows(self, node: object) -> bool:
        return all(x == "n" or x in self.env for x in m.variables(node))

    def _local(self, hint: str) -> str:
        self.fresh += 1
        return f"{hint}{self.fresh}"

    # numbers

    def _value(self, term: m.Term) -> str:
        """Return the code of a term's number; the term's variables are bound."""
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
                if not isinstance(value, _ListStretch):
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
            case m.Member(m.TupleTerm(ends), m.Var(arcs), True):
                known = {k: self._value(end) for k, end in enumerate(ends) if not isinstance(end, m.Any)}
                bits, half, mask = _packing()
                masks = sum(mask << (bits * k) for k in known)
                pair = " + ".join(f"(({end} + {half}) << {bits * k})" for k, end in known.items()) or "0"
                room = "".join(f"(({end} + {half}) >> {bits}) == 0 and " for end in known.values())
                return f"({room}contains(LI, LE, {self._number(self.env[arcs])}, {masks}, {pair}))"
            case m.Member(element, m.Interval(low, high)):
                value = self._value(element)
                return f"({self._value(low)} <= {value} and {value} <= {self._value(high)})"
        raise Unanswered

    # taking apart

    def _take(self, number: str, term: m.ListTerm, kind: m.Type) -> None:
        """Match a list with a pattern; the code stands afterwards where it fits."""
        elements = list(term.elements)
        open_places = [k for k, e in enumerate(elements) if isinstance(e, m.Splice | m.Run)]
        match elements:
            case [m.Splice() | m.Run(m.Any()), *rest] if open_places == [0]:
                self._pop(number, elements[0], rest, kind)
            case [m.Splice() | m.Run(m.Any()), *rest, m.Run(shape)] if rest and len(open_places) == 2:
                self._walk_down(number, elements[0], rest, shape, kind)
            case _:
                self._unpack(number, elements, open_places, kind)

    def _pop(self, number: str, first: m.Term, rest: Sequence[m.Term], kind: m.Type) -> None:
        """Match the last elements of a list, then `first` with the list that remains before them."""
        for element in reversed(rest):
            self.code.add(f"if {number} > 0:")
            self._match(f"LE[{number}]", element, kind)
            shorter = self._local("l")
            self.code.add(f"{shorter} = LI[{number}]")
            number = shorter
        if isinstance(first, m.Splice):
            if first.name in self.env:
                self.code.add(f"if {self._number(self.env[first.name])} == {number}:")
            self.env.setdefault(first.name, number)

    def _walk_down(
        self, number: str, first: m.Term, rest: Sequence[m.Term], shape: m.Term, kind: m.Type
    ) -> None:
        """Match elements before a run at the end of the list: try every length of the run, the shortest first."""
        here, next_one = self._local("l"), self._local("l")
        fits = self._fits(f"LE[{here}]", shape, kind)
        self.code.add(f"{next_one} = {number}\nwhile {next_one} > 0:")
        self.code.add(f"{here} = {next_one}\n{next_one} = LI[{here}] if {fits} else 0")
        if not _excludes(rest[-1], shape):
            self.loops.append(None)
        self._pop(here, first, rest, kind)

    def _unpack(self, number: str, elements: list[m.Term], open_places: list[int], kind: m.Type) -> None:
        """Match the elements of a list from the first on, where each stretch but the last ends anywhere."""
        code = self.code
        base, size = self._region(), self._local("m")
        code.add(f"{size} = unpack(LI, LE, LN, SE, SN, {base}, {number})")
        fixed = len(elements) - len(open_places)
        code.add(f"if {size} {'>=' if open_places else '=='} {fixed}:")
        at = "0"
        for k, element in enumerate(elements):
            after = sum(not isinstance(e, m.Splice | m.Run) for e in elements[k + 1 :])
            if not isinstance(element, m.Splice | m.Run):
                self._match(f"SE[{base} + {at}]", element, kind)
                self.sources.setdefault(element, (base, at))
                at = _plus_one(at)
                continue
            shape = element.shape if isinstance(element, m.Run) and element.shape != m.Any() else None
            end = self._local("e")
            if k == open_places[-1]:
                end = f"({size} - {after})" if after else size
                code.add(f"if {end} >= {at}:")
                if shape is not None:
                    ok, q = self._local("o"), self._local("q")
                    fits = self._fits(f"SE[{base} + {q}]", shape, kind)
                    code.add(_ALL_FIT, ok=ok, q=q, low=at, high=end, fits=fits)
            else:
                code.add(f"for {end} in range({at}, {size} - {after} + 1):")
                self.loops.append((base, size) if self._is_told_by(elements[k + 1]) else None)
                if shape is not None:
                    fits = self._fits(f"SE[{base} + {end} - 1]", shape, kind)
                    code.add(f"if {end} > {at} and not ({fits}):\n    break")
            if isinstance(element, m.Splice):
                self._bind_stretch(element.name, _ListStretch(base, at, end))
            at = end

    def _is_told_by(self, element: m.Term) -> bool:
        """Whether a row has all of an element, so that different elements make different rows."""
        if isinstance(element, m.Splice | m.Run) or _has_any(element):
            return False
        return set(m.variables(element)) <= {"n", *(str(k) for k in (*self.wanted, *self.bound))}

    def _region(self) -> str:
        region = self.regions * (most_made() + 2)
        self.regions += 1
        if self.regions > WAYS.unpacked_lists:
            raise Unanswered
        return str(region)

    def _fits(self, element: str, shape: m.Term, kind: m.Type) -> str:
        """Return the test that an element matches a shape, all of whose variables are bound."""
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
        bits, half, mask = _packing()
        return [
            (f"((({element}) >> {bits * k}) & {mask}) - {half}", part) for k, part in enumerate(term.terms)
        ]

    def _match(self, element: str, term: m.Term, kind: m.Type) -> None:
        for value, part in self._parts(element, term, kind):
            match part:
                case m.Any():
                    continue
                case m.Var(name) if name != "n" and name not in self.env:
                    self.env[name] = self._local("v")
                    self.code.add(f"{self.env[name]} = {value}")
                case m.Linear(constant, ((m.Var(name), 1),)) if name != "n" and name not in self.env:
                    self.env[name] = self._local("v")
                    self.code.add(f"{self.env[name]} = {value} - ({constant})")
                case _:
                    self.code.add(f"if {value} == {self._value(part)}:")

    def _bind_stretch(self, name: str, stretch: _ListStretch) -> None:
        if name not in self.env:
            self.env[name] = stretch
            return
        known, found = self._number(self.env[name]), self._number(stretch)
        self.code.add(f"if {known} == {found}:")

    # putting together

    def _number(self, value: str | _ListStretch | SequenceCode) -> str:
        """Return the number of a list, or of a sequence of labels."""
        if isinstance(value, str | SequenceCode):
            return self.labels.number(value)
        return self._chain([value])

    def _put_together(self, term: m.ListTerm, kind: m.Type) -> str:
        """Return the number of the list that a term composes of bound variables."""
        parts: list[str | _ListStretch] = []
        start = ""
        for k, element in enumerate(term.elements):
            match element:
                case m.Splice(name):
                    value = self.env[name]
                    if isinstance(value, _ListStretch):
                        parts.append(value)
                    elif k == 0:
                        start = self._number(value)
                    else:
                        base, size = self._region(), self._local("m")
                        self.code.add(f"{size} = unpack(LI, LE, LN, SE, SN, {base}, {value})")
                        parts.append(_ListStretch(base, "0", size))
                case m.Run():
                    raise Unanswered
                case _ if element in self.sources and not _has_any(element):
                    base, at = self.sources[element]
                    parts.append(_ListStretch(base, at, _plus_one(at)))
                case _:
                    parts.append(self._packed(element, kind))
        return self._chain(parts, start)

    def _with_arc(self, arcs: str, arc: m.Term, kind: m.Type) -> str:
        """Return the number of a set of arcs with one more."""
        result = self._local("x")
        made = f"with_pair(st, LI, LE, LN, PK, CH, SE, {self._region()}, {arcs}, {self._packed(arc, kind)})"
        self.code.add(f"{result} = {made}\nif {result} < 0:\n    return {result}")
        return result

    def _chain(self, parts: Sequence[str | _ListStretch], start: str = "") -> str:
        """Return the number of a list with elements and stretches behind it.

        Neighbours in an unpacked list are one stretch, so that a list without an element depends only on its place.
        """
        joined: list[str | _ListStretch] = []
        for part in parts:
            before = joined[-1] if joined else None
            if (
                isinstance(part, _ListStretch)
                and isinstance(before, _ListStretch)
                and (before.base, before.high) == (part.base, part.low)
            ):
                joined[-1] = _ListStretch(part.base, before.low, part.high)
            else:
                joined.append(part)
        here = start or "0"
        pieces: list[str] = []
        for part in joined:
            if isinstance(part, _ListStretch) and here == "0" and not start and part.low == "0":
                here = f"SN[{part.base} + {part.high}]"
                continue
            result = self._local("x")
            if isinstance(part, str):
                pieces.append(filled(_PUSH, list=result, start=here, element=part))
            elif part.high == _plus_one(part.low):
                element = f"SE[{part.base} + {part.low}]"
                pieces.append(filled(_PUSH, list=result, start=here, element=element))
            else:
                q = self._local("q")
                push = filled(_PUSH, list=result, start=result, element=f"SE[{part.base} + {q}]")
                pieces.append(
                    filled(_PUSH_ALL, list=result, start=here, q=q, low=part.low, high=part.high, push=push)
                )
            here = result
        self._add_early(pieces)
        return here

    def _add_early(self, pieces: Sequence[str]) -> None:
        """Add code before the loops that it does not depend on."""
        used = set(re.findall(r"\b[a-z]\d+\b", " ".join(pieces)))
        code = self.code.pieces
        made = rf"^ *(?:for )?({'|'.join(used) or '-'}) (?:=|in) "
        after = max((k for k, piece in enumerate(code, start=1) if re.search(made, piece, re.M)), default=0)
        loops = (
            k for k in range(after, len(code)) if code[k].rpartition("\n")[2].startswith(("for ", "while "))
        )
        at = next((k for k in loops if code[k].endswith(":")), len(code))
        code[at:at] = pieces

    def _packed(self, term: m.Term, kind: m.Type) -> str:
        inner = kind.arguments[0]
        if inner.kind != "tuple":
            return f"whole(st, {self._value(term)})" if inner.kind == "position" else self._value(term)
        if not isinstance(term, m.TupleTerm):
            raise Unanswered
        bits, *_ = _packing()
        parts = (f"(part(st, {self._value(part)}) << {bits * k})" for k, part in enumerate(term.terms))
        return " + ".join(parts)

    # rows

    def _row(self, of_labels: bool) -> None:
        """Note a row of wanted values, once."""
        code, width = self.code, len(self.wanted)
        if not width:
            code.add("count = 1")
            return
        values = []
        for place in self.wanted:
            value = self.env.get(str(place))
            if value is None:
                raise Unanswered
            values.append(self._number(value))
        known = self.query.determined(self.bound)
        single = known is not None and known.issuperset(self.wanted)
        names = [str(place) for place in self.wanted]
        if single and (self.loops or of_labels):
            code.add("if count == 0:")  # it may be found in several ways
        elif (self.loops or of_labels) and not lists_every_disjunct(self.query.goals, names):
            new, q, doubtful = self._local("o"), self._local("q"), "1"
            if not of_labels and None not in self.loops:
                doubtful = self._local("o")
                lists = " or ".join(
                    f"repeats(SE, {b}, {m})" for b, m in dict.fromkeys(filter(None, self.loops))
                )
                self._add_early([f"{doubtful} = {lists}"])
            same = " and ".join(f"RP[base + 1 + {q} * {width} + {k}] == {v}" for k, v in enumerate(values))
            code.add(_NEW_ROW, new=new, q=q, doubtful=doubtful, same=same)
            code.add(f"if {new}:")
        row = "\n".join(f"RP[p + {k}] = {value}" for k, value in enumerate(values))
        code.add(_ROW, width=width, values=row)


def _plus_one(at: str) -> str:
    return str(int(at) + 1) if at.isdigit() else f"({at} + 1)"


def _has_any(term: m.Term) -> bool:
    """Whether a pattern of an element has a wildcard."""
    return isinstance(term, m.Any) or (isinstance(term, m.TupleTerm) and any(map(_has_any, term.terms)))


def _excludes(element: m.Term, shape: m.Term) -> bool:
    """Whether two patterns of elements certainly exclude each other."""
    match element, shape:
        case m.Lit(one), m.Lit(other):
            return one != other
        case m.TupleTerm(parts), m.TupleTerm(others):
            return any(map(_excludes, parts, others))
    return False
