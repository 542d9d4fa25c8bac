"""Sequences of labels as terms in kernels: numbered stretches of one array, and queries about them as kernel text.

All sides of a sentence's disjuncts stand one after the other, each once as it is and once reversed, with a free
place after each. A sequence is a stretch of these places, with the place of its dot. Adjacent parts of one side
can be joined to one sequence, others cannot. The array `LB` describes the places: tokens, how far it is to the place
in the reversed side, connector occurrences; then it lists the disjuncts of each position, and the tokens that match.

A sequence has a number, like a list, in the same arrays: `LI` and `LN` have the ends of the stretch, `LE` the
dot's place plus 1, or 0. The empty sequence is 0. A token is a number below 0.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from schemata.language import labels
from schemata.language import model as m
from schemata.machine.text import Nest
from schemata.program.matching import Equals, Related
from schemata.records import Record, dataclass, field

if TYPE_CHECKING:
    from schemata.grammars.link_grammar.sequences import Sequences

# Places of `LB` with where its parts begin: by place, by occurrence, by position, matching tokens, how many
# tokens, how many positions, which tokens are multi-connectors
PLACES, OCCURRENCES, POSITIONS, MATCHES, TOKENS, ENDS, MULTI = range(7)

LABEL_TEXT = '''
@apart
def sequence(st, LI, LE, LN, PK, low, high, dot):
    """Return the number of a sequence; below 0 what is full."""
    if low >= high:
        if dot == 0:
            return 0
        low = 0
        high = 0
        dot = 1
    z = pairs_at(PK, st[PAIR_SLOTS], low, high, dot)
    if z > 0:
        return z
    z = st[NODES] + 1
    if z >= st[NODE_ROOM]:
        return -NODES_FULL
    if not pairs_enter(st, PK, PAIRS, PAIR_SLOTS, low, high, dot, z):
        return -PAIRS_FULL
    LI[z] = low
    LN[z] = high
    LE[z] = dot
    st[NODES] = z
    return z
'''

_NEIGHBOUR = """
if {from_} < {to}:
    if {low} == {high}:
        {low} = {from_}
        {high} = {to}
    elif {high} == {from_}:
        {high} = {to}
    else:
        {fits} = 0
"""


def is_labels(kind: m.Type) -> bool:
    """Whether values of a type are labels or sequences of them."""
    return kind.kind in ("label", "labels", "dotted labels")


class _Shown(NamedTuple):
    """The sequences of a sentence, as texts that show them.

    Parameters
    ----------
    begins : where each side begins, as it is and reversed.
    sides : its origin and tokens.
    of_origin : by origin and number of tokens, where sides begin, and their tokens.
    """

    begins: list[int]
    sides: list[tuple[str, tuple[str, ...]]]
    of_origin: dict[tuple[str, int], list[tuple[int, tuple[str, ...]]]]

    def add(self, begin: int, origin: str, tokens: tuple[str, ...]) -> None:
        """Add a side behind the others."""
        self.begins.append(begin)
        self.sides.append((origin, tokens))
        self.of_origin.setdefault((origin, len(tokens)), []).append((begin, tokens))


class LabelTables:
    """The sequences of a sentence as numbers, and as texts.

    Parameters
    ----------
    sequences : the sequences of the sentence.
    """

    def __init__(self, sequences: Sequences) -> None:
        self._sides: list[tuple[int, str, tuple[str, ...]]] = []  # where each begins, its origin and tokens
        self._blocks: dict[tuple[str, ...], list[int]] = {}  # sides as they are written, by their tokens
        self._places: list[int] = [0, 0, 0]
        self._tokens = sorted(sequences.tokens)
        self._numbers = {token: number for number, token in enumerate(self._tokens)}
        partners = sequences.partners
        self._matches = [partners.get(token, ()) for token in self._tokens]
        ends = [
            [(self._side(name, side), len(side)) if side else (0, 0) for side in (right, left)]
            for name, right, left in sequences.origins
        ]
        places, previous = self._places, [0] * len(sequences.reaches)
        kinds, positions, rows = [0], list[int](), list[int]()
        for position, of_word in enumerate(sequences.rows):
            positions.append(len(rows))
            for origin, _, code in of_word:
                kind, last = 2 * position + 1, code
                for low, size in ends[origin]:
                    rows += low, low + size
                    if size:
                        kinds += [kind] * size
                        numbers, here = range(last + 1, last + 1 + size), 3 * low + 2
                        previous[last + 1 : last + 1 + size] = places[here : here + 3 * size : 3]
                        places[here : here + 3 * size : 3] = numbers
                        if size > 1:
                            here += 3 * (size + 1)
                            places[here : here + 3 * size : 3] = numbers[::-1]
                        last += size
                    kind -= 1
        occurrences = [0] * (3 * len(previous))
        occurrences[::3], occurrences[1::3], occurrences[5::3] = previous, kinds, sequences.reaches[:-1]
        positions.append(len(rows))
        rows += 0, 0, 0, 0
        positions.append(len(rows))
        self._rest = occurrences, positions, rows

    def array(self) -> list[int]:
        """Return the labels of a sentence as kernels read them: the array `LB`."""
        occurrences, positions, rows = self._rest
        begins, size = [MULTI + 1], len(self._tokens)
        for part in (self._places, occurrences, positions):
            begins.append(begins[-1] + len(part))
        multi = begins[3] + len(rows)
        head = [*begins[:3], multi + size, size, len(positions) - 1, multi]
        matches = [0] * (size * size)
        for one, partners in enumerate(self._matches):
            for partner in partners:
                matches[one * size + self._numbers[partner]] = 1
        where = [begins[3] + at for at in positions]
        flags = [int(token.startswith("@")) for token in self._tokens]
        return [*head, *self._places, *occurrences, *where, *rows, *flags, *matches]

    def _side(self, origin: str, tokens: tuple[str, ...]) -> int:
        """Write a side behind the others, and then reversed; returns where it begins."""
        block = self._blocks.get(tokens)
        if block is None:
            size, numbers = len(tokens), [self._numbers[token] for token in tokens]
            block = self._blocks[tokens] = [0] * (3 * (size + 1) * (1 + (size > 1)))
            block[: 3 * size : 3] = numbers
            if size > 1:
                begin, end = 3 * (size + 1), 3 * (2 * size + 1)
                block[begin:end:3] = numbers[::-1]
                block[1 : 3 * size : 3] = range(2 * size, 0, -2)
                block[begin + 1 : end : 3] = range(-2, -2 * size - 1, -2)
        low = len(self._places) // 3
        self._places += block
        self._sides.append((low, origin, tokens))
        self.__dict__.pop("_shown", None)
        return low

    @cached_property
    def _shown(self) -> _Shown:
        shown = _Shown([], [], {})
        for low, origin, tokens in self._sides:
            shown.add(low, origin, tokens)
            if len(tokens) > 1:
                shown.add(low + len(tokens) + 1, labels.reversed_origin(origin), tokens[::-1])
        return shown

    @property
    def size(self) -> int:
        """The number of places and tokens."""
        return len(self._places) + len(self._tokens)

    def stretch(self, text: str, make: bool) -> tuple[int, int, int] | int | None:
        """Return the ends and the dot of a sequence, or the number of a token; None if it is not in the sentence.

        With `make` it is entered.
        """
        if text in self._numbers:
            return -1 - self._numbers[text]
        try:
            origin, words, low, high, dot = labels.parts_of(text)
        except ValueError:
            return self._token(text) if make else None
        mark = 0 if dot is None else 1
        if low == high:
            return 0, 0, mark
        here = words[low:high]  # a text shows no other labels of the side
        sides = self._shown.of_origin.get((origin, len(words)), ())
        begin = next((begin for begin, side in sides if side[low:high] == here), None)
        if begin is None:
            if not make:
                return None
            for word in words:
                if word not in self._numbers:
                    self._token(word)
            begin = self._side(origin, words)
        return begin + low, begin + high, begin + dot + 1 if dot is not None else 0

    def _token(self, text: str) -> int:
        """Enter a token that the sentence does not have."""
        self._matches = [
            (*partners, text) if labels.tokens_match(token, text) else partners
            for token, partners in zip(self._tokens, self._matches, strict=True)
        ]
        self._matches.append(tuple(token for token in self._tokens if labels.tokens_match(token, text)))
        self._numbers[text] = len(self._tokens)
        self._tokens.append(text)
        return -len(self._tokens)

    def text(self, low: int, high: int, dot: int) -> str:
        """Return the sequence that stands from one place to another; `dot` is its place plus 1, or 0."""
        if low >= high:
            return labels.LONE_DOT if dot else labels.EMPTY
        shown = self._shown
        at = bisect.bisect_right(shown.begins, low) - 1
        begin = shown.begins[at]
        return labels.text_of(*shown.sides[at], low - begin, high - begin, dot - 1 - begin if dot else None)

    def token(self, number: int) -> str:
        """Return the token that has a number."""
        return self._tokens[-1 - number]


class Unanswered(Exception):  # noqa: N818 - an answer: Python finds the rows
    """A query has a goal that kernels leave to Python."""


class SequenceCode(Record):
    """A sequence in code: its ends, and the place of its dot or nothing."""

    low: str
    high: str
    dot: str = ""


LabelGoal: TypeAlias = Equals | Related


@dataclass(slots=True)
class LabelCode:
    """Writes goals about labels; the code stands afterwards where they hold.

    Parameters
    ----------
    code : the code.
    env : the bound variables: numbers, and stretches, which need not have a number.
    local : returns the name of a new local. value : returns the code of a position."""

    code: Nest
    env: dict[str, Any]
    local: Callable[[str], str]
    value: Callable[[m.Term], str]
    _stretches: dict[str, SequenceCode] = field(default_factory=dict)
    _numbers: dict[SequenceCode, str] = field(default_factory=dict)

    def write(self, goal: LabelGoal) -> None:
        """Write the code of a goal whose inputs are bound.

        Raises
        ------
        Unanswered : kernels leave it to Python.
        """
        code = self.code
        match goal:
            case Equals(name, term) if name in self.env:
                self._take(self._stretch(self.env[name]), term)
            case Equals(name, term):
                self.env[name] = self._made(term)
            case Related("token", (label, m.Var(name))):
                made = self._made(label)
                token = self._let(
                    "t", f"-1 - LB[LB[{PLACES}] + 3 * ({made.low})] if {made.low} < {made.high} else 0"
                )
                self._bind(name, token)
            case Related("match", (m.Var(one), m.Var(two))) if one in self.env and two in self.env:
                left, right = self.env[one], self.env[two]
                code.add(f"if {left} < 0 and {right} < 0 and {self._matching(left, f'(-1 - {right})')} > 0:")
            case Related("match", (m.Var(one_token), m.Var(other_token))):
                known, free = sorted((one_token, other_token), key=self.env.__contains__, reverse=True)
                other = self.local("t")
                code.add(f"for {other} in range(LB[{TOKENS}] if {self.env[known]} < 0 else 0):")
                code.add(f"if {self._matching(self.env[known], other)} > 0:")
                self.env[free] = self._let("t", f"-1 - {other}")
            case Related(relation, (position, label, m.Var(number), m.Var(reach))):
                made = self._made(label)
                place = f"LB[LB[{PLACES}] + 3 * ({made.low}) + 2]"
                k = self._let("k", f"{place} if {made.low} < {made.high} else 0")
                at = f"LB[{OCCURRENCES}] + 3 * {k}"
                side = f"2 * ({self.value(position)}) + {int(relation == 'right_connector')}"
                code.add(f"while {k} > 0 and LB[{at} + 1] != {side}:\n    {k} = LB[{at}]")
                code.add(f"if {k} > 0:")
                self._bind(number, self._let("k", f"{k} - 1"))
                self._bind(reach, self._let("k", f"LB[{at} + 2]"))

    def write_disjuncts(self, goal: m.HasFact) -> None:
        """Go through the disjuncts of a word."""
        right, left, word = goal.terms
        begin, end = self._disjuncts(word)
        row = self.local("r")
        self.code.add(f"for {row} in range({begin}, {end}, 4):")
        for start, pattern in ((row, right), (f"{row} + 2", left)):
            low = self._let("d", f"LB[{start}]")
            self._take(SequenceCode(low, self._let("d", f"LB[{start} + 1]")), pattern)

    def _disjuncts(self, word: m.Term) -> tuple[str, str]:
        """Return the first place of a word's disjuncts and the place behind them; 0 and 0 if it is not a word."""
        here = self._let("w", self.value(word))
        known = f"if 0 <= {here} and {here} < LB[{ENDS}] else 0"
        begin, end = (f"LB[LB[{POSITIONS}] + {here}{more}] {known}" for more in ("", " + 1"))
        return self._let("w", begin), self._let("w", end)

    def _matching(self, token: str, other: str) -> str:
        return f"LB[LB[{MATCHES}] + (-1 - {token}) * LB[{TOKENS}] + {other}]"

    def _let(self, hint: str, value: str) -> str:
        name = self.local(hint)
        self.code.add(f"{name} = {value}")
        return name

    def _bind(self, name: str, value: str | SequenceCode) -> None:
        if name in self.env:
            self.code.add(f"if {self.number(self.env[name])} == {self.number(value)}:")
        else:
            self.env[name] = value

    def number(self, value: str | SequenceCode) -> str:
        """Return the number of a sequence."""
        if isinstance(value, str):
            return value
        if value not in self._numbers:
            dot = f"{value.dot} + 1" if value.dot else "0"
            number = self._let("x", f"sequence(st, LI, LE, LN, PK, {value.low}, {value.high}, {dot})")
            self.code.add(f"if {number} < 0:\n    return {number}")
            self._numbers[value] = number
        return self._numbers[value]

    def _stretch(self, value: str | SequenceCode) -> SequenceCode:
        """Return where a sequence stands."""
        if isinstance(value, SequenceCode):
            return value
        if value not in self._stretches:
            low, high, dot = (
                self._let("s", text.format(value)) for text in ("LI[{}]", "LN[{}]", "LE[{}] - 1")
            )
            self._stretches[value] = SequenceCode(low, high, dot)
        return self._stretches[value]

    # taking apart

    def _take(self, stretch: SequenceCode, term: m.Term) -> None:
        """Match a sequence with a pattern."""
        match term:
            case m.Reversed(operand):
                self._take(self._turned(stretch), operand)
            case m.Labels(dot=dot) if not term.stays:
                cut = (stretch.low, stretch.high) if dot is None else (stretch.low, stretch.dot, stretch.high)
                for k, side in enumerate(term.sides):
                    self._take_side(cut[k], cut[k + 1], side)
            case m.Var(name) | m.Splice(name):
                self._bind(name, stretch)
            case m.Any():
                pass
            case _:
                raise Unanswered

    def _take_side(self, low: str, high: str, parts: Sequence[m.Term]) -> None:
        """Match the labels from one place to another with parts, of which at most one is of unknown length."""
        sizes = [self._size(part) for part in parts]
        if sizes.count("") > 1:
            raise Unanswered
        known = " + ".join(size for size in sizes if size) or "0"
        self.code.add(f"if {high} - {low} {'>=' if '' in sizes else '=='} {known}:")
        for k, (part, size) in enumerate(zip(parts, sizes, strict=True)):
            end = self._let("e", f"{low} + {size}" if size else " - ".join([high, *sizes[k + 1 :]]))
            if isinstance(part, m.Var | m.Splice):
                self._bind(part.name, SequenceCode(low, end))
            low = end

    def _size(self, part: m.Term) -> str:
        """Return the number of labels of a part; an empty text if it is not determined."""
        match part:
            case m.Splice(name) if name in self.env:
                here = self._stretch(self.env[name])
                return f"({here.high} - {here.low})"
            case m.Splice() | m.Run(m.Any()):
                return ""
            case m.Var() | m.Any():
                return "1"
        raise Unanswered

    # putting together

    def _made(self, term: m.Term) -> SequenceCode:
        """Return the sequence that a term composes of bound variables."""
        match term:
            case m.Var(name) | m.Splice(name):
                return self._stretch(self.env[name])
            case m.Reversed(operand):
                return self._turned(self._made(operand))
            case m.AtDot(operand):
                whole = self._made(operand)
                low = self._let("a", f"max({whole.low}, {whole.dot} - 1)")
                return SequenceCode(
                    low, self._let("a", f"{low} + 1 if {whole.low} < {whole.high} else {low}")
                )
            case m.Labels():
                return self._chain(term)
        raise Unanswered

    def _turned(self, stretch: SequenceCode) -> SequenceCode:
        here = f"if {stretch.low} < {stretch.high} else 0"
        last = f"({stretch.high} - 1)"
        low = self._let("a", f"{last} + LB[LB[{PLACES}] + 3 * {last} + 1] {here}")
        high = f"{stretch.low} + LB[LB[{PLACES}] + 3 * ({stretch.low}) + 1] + 1"
        return SequenceCode(low, self._let("a", f"{high} {here}"))

    def _chain(self, term: m.Labels) -> SequenceCode:
        """Return parts as one sequence, where they are neighbours."""
        code, dot = self.code, ""
        low, high, fits = self._let("c", "0"), self._let("c", "0"), self._let("o", "1")
        for k, part in enumerate(term.parts):
            if k == term.dot:
                dot = self._let("c", f"{high} if {low} < {high} else -1")
            here = self._made(part)
            code.add(_NEIGHBOUR, low=low, high=high, from_=here.low, to=here.high, fits=fits)
        if term.dot == len(term.parts):
            dot = self._let("c", high)
        code.add(f"if {fits}:")
        if dot:
            code.add(f"if {dot} < 0:\n    {dot} = {low}")
        if term.stays:
            stay = self.local("o")
            token = f"LB[LB[{PLACES}] + 3 * ({dot} - 1)]"
            code.add(f"for {stay} in range(1 + LB[LB[{MULTI}] + {token}]):")
            dot = self._let("c", f"{dot} - {stay}")
        return SequenceCode(low, high, dot)


def lists_every_disjunct(goals: Sequence[object], wanted: Sequence[str]) -> bool:
    """Whether each row of a query has all disjuncts that the query is about, so that no two rows are equal."""
    kept = set(wanted)
    asked = set[str]()
    for goal in goals:
        match goal:
            case Equals(name, m.Reversed(m.Var(side)) | m.Labels((m.Splice(side),), 0)) if name in kept:
                kept.add(side)
            case m.HasFact("disjunct", (m.Var(right), m.Var(left), _), None):
                asked |= {right, left}
    return bool(asked) and asked <= kept
