"""Features of links: templates as text, and kernels that hash, weigh and learn them.

A template is a line: what is looked at, of the head `h` or the dependent `d`, perhaps some words before or behind:

    word h, tag d                  # a conjunction
    tag h, tag h + 1, tag d - 1, tag d
    between tag h, tag d           # with each tag of a word between the two

One looks at the `word`, the `tag` (UPOS), the `xtag` (XPOS, or UPOS where there is none), the `suffix` of three
letters, and at the morphological `feats`. Each template makes two features of a link: alone, and with the direction and
the distance. Features are hashed into a table of weights (Weinberger et al. 2009); the default templates are after
those of McDonald, Crammer & Pereira (2005, Table 1).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from schemata.errors import Diagnostic, GrammarError, Location, did_you_mean
from schemata.machine.compile import machine_code
from schemata.machine.text import filled, with_types
from schemata.records import Record

if TYPE_CHECKING:
    from numpy.typing import NDArray

COLUMNS = ("word", "tag", "xtag", "suffix", "feats")
MARGIN = 2  # places before node 0 and behind the last word that templates may look at
BITS = 22
SIZE = 1 << BITS  # weights
_TAGS = 32  # hashed tags between head and dependent
_DISTANCES = (1, 2, 3, 4, 5, 10, 20)

DEFAULT = """\
word h, tag h
word h
tag h
xtag h
word d, tag d
word d
tag d
xtag d
word h, tag h, word d, tag d
tag h, word d, tag d
word h, word d, tag d
word h, tag h, tag d
word h, word d
tag h, tag d
xtag h, xtag d
xtag h, word d
word h, xtag d
suffix h, tag d
tag h, suffix d
suffix h, suffix d
tag h, tag h + 1, tag d - 1, tag d
tag h - 1, tag h, tag d - 1, tag d
tag h, tag h + 1, tag d, tag d + 1
tag h - 1, tag h, tag d, tag d + 1
tag h, tag h + 1, tag d
tag h - 1, tag h, tag d
tag h, tag d - 1, tag d
tag h, tag d, tag d + 1
xtag h, xtag h + 1, xtag d - 1, xtag d
xtag h - 1, xtag h, xtag d, xtag d + 1
xtag h - 1, xtag h, xtag d - 1, xtag d
xtag h, xtag h + 1, xtag d, xtag d + 1
tag h, tag d - 1, tag d, tag d + 1
tag h, tag d, tag d + 1, tag d + 2
tag h, tag d, tag d - 1, tag d - 2
tag h, word d, tag d + 1
tag h, word d, tag d - 1
word h, tag d, tag d + 1
tag h, tag d, word d + 1
tag h, tag d, word d - 1
tag h, tag d, word h + 1
tag h, tag d, word h - 1
feats h, feats d
tag h, feats d
feats h, tag d
between tag h, tag d
between xtag h, xtag d
between word h, tag d
between tag h, word d
between tag d
"""

_LOOK = re.compile(r"(?P<column>\w+) (?P<side>[hd])(?: ?(?P<sign>[+-]) ?(?P<shift>\d))?")
_EXPECTED = f"{', '.join(COLUMNS)} of h or d, such as: word h, tag d + 1"


class ArcLook(NamedTuple):
    """The object of a template: a column, whether of the head, and how many words further on."""

    column: int
    of_head: bool
    shift: int


class ArcTemplate(Record):
    """A conjunction of things looked at, also with each tag between head and dependent."""

    looks: tuple[ArcLook, ...]
    between: bool = False


def parse_templates(text: str, file: str = "<templates>") -> tuple[ArcTemplate, ...]:
    """Return the templates of a text; # begins a comment.

    Raises
    ------
    GrammarError : lines that are not templates, all of them with their places; or no template at all.

    >>> parse_templates("tag d + 1  # what follows")
    (ArcTemplate(looks=(ArcLook(column=1, of_head=False, shift=1),), between=False),)
    """
    found: list[ArcTemplate] = []
    wrong: list[Diagnostic] = []
    for number, line in enumerate(text.splitlines(), start=1):
        written = line.partition("#")[0]
        body = written.strip()
        between = body.startswith("between ")
        looks: list[ArcLook] = []
        at = len(written) - len(written.lstrip()) + len("between ") * between
        for part in body.removeprefix("between ").split(",") if body else ():
            one = _LOOK.fullmatch(" ".join(part.split()))
            shift = int(one["sign"] + one["shift"]) if one is not None and one["shift"] else 0
            if one is None or one["column"] not in COLUMNS or abs(shift) > MARGIN:
                column = at + len(part) - len(part.lstrip()) + 1
                shown = part.strip()
                message = f"{shown!r} is nothing to look at" if shown else "nothing is looked at here"
                if one is not None and one["column"] in COLUMNS:
                    message = f"{shown!r} looks too far: at most {MARGIN} words"
                place = Location(file, number, column, column + max(1, len(shown)))
                hint = None if one is None else did_you_mean(one["column"], COLUMNS)
                wrong.append(Diagnostic("bad-template", message, place, _EXPECTED, hint, line))
            else:
                looks.append(ArcLook(COLUMNS.index(one["column"]), one["side"] == "h", shift))
            at += len(part) + 1
        if looks:
            found.append(ArcTemplate(tuple(looks), between))
    if not found and not wrong:
        place = Location(file, 1, 1)
        wrong.append(Diagnostic("no-templates", "there are no templates", place, _EXPECTED))
    if wrong:
        raise GrammarError(wrong)
    return tuple(found)


_FACTORS = (
    -7046029254386353131, 2971215073987262029, -5871781006564002453, 3935559000370003845, -4417276706812531889,
    8286623314361826417,
)  # fmt: skip
_RULES = """
def hashed_scores(n, m, A, B, C, W, out):
    for h in range(0, n + 1):
        for d in range(1, n + 1):
            if h != d:
                s = 0.0
                {link}
                {scored}
                out[h * (n + 1) + d] = s
    return 0


def hashed_learn(n, m, A, B, C, W, U, heads, others, now):
    for d in range(1, n + 1):
        if heads[d] != others[d]:
            for side in range(0, 2):
                h = heads[d]
                y = 1.0
                if side == 1:
                    h = others[d]
                    y = -1.0
                z = y * now[0]
                {link}
                {learnt}
    return 0


def hashed_labels(n, m, labels, A, B, C, W, heads, out):
    for d in range(1, n + 1):
        h = heads[d]
        {link}
        for k in range(0, labels):
            s = 0.0
            r = (k + 1) * 7205759403792793601
            {labelled}
            out[d * labels + k] = s
    return 0


def hashed_learn_labels(n, m, labels, A, B, C, W, U, heads, gold, others, now):
    for d in range(1, n + 1):
        if gold[d] != others[d]:
            h = heads[d]
            {link}
            for side in range(0, 2):
                k = gold[d]
                y = 1.0
                if side == 1:
                    k = others[d]
                    y = -1.0
                z = y * now[0]
                r = (k + 1) * 7205759403792793601
                {learnt_labels}
    return 0
"""
_LINK = """
right = 1 if d > h else 0
low = min(h, d)
high = max(h, d)
far = 0
for k in range(0, {distances}):
    if high - low > B[k]:
        far += 1
way = (2 * far + right + 1) * {factor}
"""


def _rules(templates: Sequence[ArcTemplate]) -> str:
    """Return the text of the kernels for templates."""
    terms = []
    for number, template in enumerate(templates, start=1):
        parts = [str(number * 104729)]
        for look, factor in zip(template.looks, _FACTORS, strict=False):
            side = "h" if look.of_head else "d"
            parts.append(f"A[{look.column} * m + {side} + {MARGIN + look.shift}] * {factor}")
        terms.append((" + ".join(parts), template.between))

    def at(key: str) -> str:
        return f"(((({key}) ^ (({key}) >> 29)) * {_FACTORS[0]}) >> 40) & {SIZE - 1}"

    def lines(work: Callable[[str], list[str]]) -> str:
        text: list[str] = []
        for key, between in terms:
            text.append(f"x = {key}")
            if between:
                inside = "\n".join(
                    f"        {line}" for line in work(f"x + (t + 1) * {_FACTORS[1]} + right * {_FACTORS[2]}")
                )
                text.append(
                    f"for t in range(0, {_TAGS}):\n    if C[t * m + high] - C[t * m + low + 1] > 0:\n{inside}"
                )
            else:
                text += [*work("x"), *work("x + way")]
        return "\n".join(text)

    def learn(key: str) -> list[str]:
        return [f"q = {at(key)}", "W[q] = W[q] + y", "U[q] = U[q] + z"]

    return filled(
        _RULES,
        link=filled(_LINK, distances=len(_DISTANCES), factor=_FACTORS[3]),
        scored=lines(lambda key: [f"q = {at(key)}", "s = s + W[q]"]),
        learnt=lines(learn),
        labelled=lines(lambda key: [f"q = {at(f'{key} + r')}", "s = s + W[q]"]),
        learnt_labels=lines(lambda key: learn(f"{key} + r")),
    )


_FUNCTIONS = ("hashed_scores", "hashed_learn", "hashed_labels", "hashed_learn_labels")


@cache
def kernels_of(templates: tuple[ArcTemplate, ...]) -> Mapping[str, Callable[..., int]]:
    """Compile the kernels for templates."""
    arrays = dict.fromkeys(("A", "B", "C", "heads", "others", "gold"), "i64[]")
    arrays |= dict.fromkeys(("W", "U", "out", "now"), "f64[]")
    return machine_code(with_types(_rules(templates).strip("\n") + "\n", arrays), _FUNCTIONS)


class HashedSentence(NamedTuple):
    """A sentence as kernels read it.

    Attributes
    ----------
    n : its words.
    columns : as `examples.columns_of` returns them.
    tags : for each hashed tag, how many words before each place have it.
    """

    n: int
    columns: NDArray[np.int64]
    tags: NDArray[np.int64]

    @property
    def arguments(self) -> tuple[NDArray[np.int64], ...]:
        """The arrays that all kernels read."""
        return self.columns.reshape(-1), _ENDS, self.tags.reshape(-1)


_ENDS = np.array(_DISTANCES, np.int64)


def hashed_sentence(columns: NDArray[np.int64]) -> HashedSentence:
    """Return a sentence as kernels read it, from its columns."""
    n = columns.shape[1] - 1 - 2 * MARGIN
    tags = np.zeros((_TAGS, columns.shape[1]), np.int64)
    of_words = columns[1, MARGIN : MARGIN + n + 1] % _TAGS
    tags[of_words, np.arange(1, n + 2)] = 1
    return HashedSentence(n, columns, np.cumsum(tags, axis=1))


class ArcWeights:
    """Weights of links' features, and of their labels, while they are learnt.

    Attributes
    ----------
    templates : what is looked at.
    links, labels : the weights, float64, shape (SIZE,).
    """

    def __init__(
        self, templates: tuple[ArcTemplate, ...], links: NDArray[np.float64], labels: NDArray[np.float64]
    ) -> None:
        self.templates, self.links, self.labels = templates, links, labels
        self._kernels = kernels_of(templates)

    def scores(self, sentence: HashedSentence) -> NDArray[np.float64]:
        """Return the scores of all links, `scores[head, dependent]`, shape (n + 1, n + 1)."""
        size = sentence.n + 1
        found = np.zeros((size, size))
        width = sentence.columns.shape[1]
        self._kernels["hashed_scores"](sentence.n, width, *sentence.arguments, self.links, found.reshape(-1))
        return found

    def label_scores(
        self, sentence: HashedSentence, heads: NDArray[np.int64], count: int
    ) -> NDArray[np.float64]:
        """Return the scores of all labels of each word's link to its head, shape (n + 1, labels); row 0 is unused."""
        found = np.zeros((sentence.n + 1, count))
        width = sentence.columns.shape[1]
        self._kernels["hashed_labels"](
            sentence.n, width, count, *sentence.arguments, self.labels, heads, found.reshape(-1)
        )
        return found

    def learn(
        self,
        sentence: HashedSentence,
        sums: NDArray[np.float64],
        heads: NDArray[np.int64],
        others: NDArray[np.int64],
        now: float,
    ) -> None:
        """Raise the weights of the right heads and lower those of others; `sums` weighs each change by the time."""
        at = np.array([now])
        width = sentence.columns.shape[1]
        self._kernels["hashed_learn"](
            sentence.n, width, *sentence.arguments, self.links, sums, heads, others, at
        )

    def learn_labels(
        self,
        sentence: HashedSentence,
        sums: NDArray[np.float64],
        heads: NDArray[np.int64],
        gold: NDArray[np.int64],
        others: NDArray[np.int64],
        count: int,
        now: float,
    ) -> None:
        """Do the same for labels of the links to these heads."""
        at = np.array([now])
        width = sentence.columns.shape[1]
        self._kernels["hashed_learn_labels"](
            sentence.n, width, count, *sentence.arguments, self.labels, sums, heads, gold, others, at
        )
