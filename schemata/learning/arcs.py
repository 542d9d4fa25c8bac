"""Features of links: templates as text, and kernels that hash, weigh and learn them.

A template is a line of properties, of the head `h` or the dependent `d`, perhaps some words before or behind:

    word h, tag d                  # a conjunction
    tag h, tag h + 1, tag d - 1, tag d
    between tag h, tag d           # with each tag of a word between the two

A property is the `word`, the `tag` (UPOS), the `xtag` (XPOS, or UPOS where there is none), the `suffix` of three
letters, or the morphological `feats`. Each template makes two features of a link: alone, and with the direction and the
distance. A line that begins with `feature` is about steps of a schema (`step_arrays`), the line `default` stands for
the default templates, which are after those of McDonald, Crammer & Pereira (2005, Table 1). Features are hashed into a
table of weights (Weinberger et al. 2009).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from schemata.errors import Diagnostic, GrammarError, Location, UsageError, did_you_mean
from schemata.machine.compile import machine_code
from schemata.machine.text import filled, with_types
from schemata.records import Record
from schemata.wording import listing

if TYPE_CHECKING:
    from numpy.typing import NDArray

COLUMNS = ("word", "tag", "xtag", "suffix", "feats")
MARGIN = 2  # places before node 0 and behind the last word that templates may look at
BITS = 22
SIZE = 1 << BITS  # weights of features
PAD = 1024  # weights behind the last ones: those of labels stand side by side
_TAGS = 32  # hashed tags between head and dependent
FAR = (1, 2, 3, 4, 5, 10, 20)

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

_LOOK = re.compile(r"(?P<column>\w+) (?P<name>[^\W\d]\w*'*)(?: ?(?P<sign>[+-]) ?(?P<shift>\d))?")
_DISTANCE = re.compile(r"distance ([^\W\d]\w*'*) ([^\W\d]\w*'*)")
_OF_STEPS = re.compile(r"\s*feature (?P<steps>.+?) where(?=\s|$)")
_EXPECTED = f"{', '.join(COLUMNS)} of h or d, such as: word h, tag d + 1"
_EXPECTED_OF_STEP = "feature STEP where, and positions of the step, such as: tag h, word s + 1, distance s m"


class ArcLook(NamedTuple):
    """A property in a template: a column, whether of the head, and how many words further on."""

    column: int
    of_head: bool
    shift: int


class ArcTemplate(Record):
    """A conjunction of properties, also with each tag between head and dependent."""

    looks: tuple[ArcLook, ...]
    between: bool = False


class StepLook(NamedTuple):
    """A property in a step's template: a column, of a variable, and how many words further on."""

    column: int
    name: str
    shift: int


class StepDistance(NamedTuple):
    """A property in a step's template: the direction from one variable to another, and the distance, in classes."""

    start: str
    end: str


class StepTemplate(Record):
    """A conjunction of properties of the positions of a step."""

    step: str
    looks: tuple[StepLook | StepDistance, ...]


class Templates(NamedTuple):
    """The templates of a file, of links and of steps."""

    links: tuple[ArcTemplate, ...]
    steps: tuple[StepTemplate, ...]


def parse_templates(
    text: str, file: str = "<templates>", positions: Callable[[str], Sequence[str]] | None = None
) -> Templates:
    """Return the templates of a text; # begins a comment.

    Parameters
    ----------
    text : the lines.
    file : what messages call it.
    positions : returns the variables of a step that are positions, or raises `UsageError`; None if there are no
        steps.

    Raises
    ------
    GrammarError : lines that are not templates, all of them with their places; or no template of links at all.

    >>> parse_templates("tag d + 1  # what follows").links
    (ArcTemplate(looks=(ArcLook(column=1, of_head=False, shift=1),), between=False),)
    """
    links: list[ArcTemplate] = []
    steps: list[StepTemplate] = []
    wrong: list[Diagnostic] = []
    for number, line in enumerate(text.splitlines(), start=1):
        written = line.partition("#")[0]
        if written.strip() == "default":
            links += parse_templates(DEFAULT).links
            continue
        named = _OF_STEPS.match(written)
        at = len(written) - len(written.lstrip()) if named is None else named.end()
        between = named is None and written[at:].startswith("between ")
        at += len("between ") * between
        looks: list[StepLook | StepDistance] = []
        faults: list[tuple[int, str, str, str | None]] = []  # column, what stands there, message, hint
        for part in written[at:].split(",") if named is not None or written.strip() else ():
            shown, place = part.strip(), at + len(part) - len(part.lstrip()) + 1
            one = _look(" ".join(part.split()), of_link=named is None)
            if one is None:
                message = f"{shown!r} is nothing to look at" if shown else "nothing is looked at here"
                hint = did_you_mean(shown.partition(" ")[0], COLUMNS) if " " in shown else None
                faults.append((place, shown, message, hint))
            elif isinstance(one, StepLook) and abs(one.shift) > MARGIN:
                faults.append((place, shown, f"{shown!r} looks too far: at most {MARGIN} words", None))
            else:
                looks.append(one)
            at += len(part) + 1
        of_steps = () if named is None or faults else re.finditer(r"\S+", named["steps"])
        for found in of_steps:
            template = StepTemplate(found[0], tuple(looks))
            if (problem := _problem(template, positions)) is None:
                steps.append(template)
            elif named is not None:
                faults.append((named.start("steps") + found.start() + 1, found[0], *problem))
        if named is None and looks:
            of_link = (ArcLook(x.column, x.name == "h", x.shift) for x in looks if isinstance(x, StepLook))
            links.append(ArcTemplate(tuple(of_link), between))
        expected = _EXPECTED if named is None else _EXPECTED_OF_STEP
        for column, shown, message, hint in faults:
            location = Location(file, number, column, column + max(1, len(shown)))
            wrong.append(Diagnostic("bad-template", message, location, expected, hint, line))
    if not links and not wrong:
        location = Location(file, 1, 1)
        wrong.append(Diagnostic("no-templates", "there are no templates of links", location, _EXPECTED))
    if wrong:
        raise GrammarError(wrong)
    return Templates(tuple(links), tuple(steps))


def with_default(text: str) -> str:
    """Return a text with the default templates in place of the line that stands for them."""
    lines = text.splitlines(keepends=True)
    return "".join(DEFAULT if line.partition("#")[0].strip() == "default" else line for line in lines)


def has_steps(text: str) -> bool:
    """Whether some line of a text is about steps."""
    return any(_OF_STEPS.match(line.partition("#")[0]) for line in text.splitlines())


def _look(text: str, of_link: bool) -> StepLook | StepDistance | None:
    """Return a property of a template; None if the text is not one."""
    far, one = _DISTANCE.fullmatch(text), _LOOK.fullmatch(text)
    if far is not None and not of_link:
        return StepDistance(far[1], far[2])
    if one is None or one["column"] not in COLUMNS or (of_link and one["name"] not in ("h", "d")):
        return None
    return StepLook(
        COLUMNS.index(one["column"]), one["name"], int(one["sign"] + one["shift"]) if one["shift"] else 0
    )


def _problem(
    template: StepTemplate, positions: Callable[[str], Sequence[str]] | None
) -> tuple[str, str | None] | None:
    """Return why a template does not fit a step, with a hint; None if it fits."""
    if positions is None:
        return "there are no steps where no schema is learnt with", "train --with SCHEMA learns with one"
    try:
        known = positions(template.step)
    except UsageError as problem:
        return problem.diagnostics[0].message, problem.diagnostics[0].hint
    asked = (name for look in template.looks for name in names_of(look))
    strange = next((name for name in asked if name not in known), None)
    if strange is None:
        return None
    return f"{strange} is not a position of step {template.step}", f"its positions are {listing(known)}"


def names_of(look: StepLook | StepDistance) -> tuple[str, ...]:
    """Return the variables whose properties are used."""
    return (look.name,) if isinstance(look, StepLook) else (look.start, look.end)


FEATURE_FACTORS = (
    -7046029254386353131, 2971215073987262029, -5871781006564002453, 3935559000370003845, -4417276706812531889,
    8286623314361826417,
)  # fmt: skip
_SCORES = """
def hashed_scores(n, m, A, B, C, W, out):
    for h in range(0, n + 1):
        for d in range(1, n + 1):
            if h != d:
                s = 0.0
                {link}
                {scored}
                out[h * (n + 1) + d] = s
    return 0


def add_weights(q, labels, d, W, out):
    for k in range(0, labels):
        out[d * labels + k] = out[d * labels + k] + W[q + k]
    return 0


def hashed_labels(n, m, labels, A, B, C, W, heads, out):
    for d in range(1, n + 1):
        h = heads[d]
        {link}
        {labelled}
    return 0
"""
_LEARNING = """

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


def hashed_learn_labels(n, m, A, B, C, W, U, heads, gold, others, now):
    z = now[0]
    for d in range(1, n + 1):
        if gold[d] != others[d]:
            h = heads[d]
            {link}
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


def factor(place: int) -> int:
    """Return the factor of the property at a place in a template."""
    return FEATURE_FACTORS[place % len(FEATURE_FACTORS)] + 2 * (place // len(FEATURE_FACTORS))


def hashed(key: str) -> str:
    """Return the text that finds the place of a feature's weight, or of its label's first weight."""
    return f"(((({key}) ^ (({key}) >> 29)) * {FEATURE_FACTORS[0]}) >> 40) & {SIZE - 1}"


def _rules(templates: Sequence[ArcTemplate]) -> str:
    """Return the text of the kernels for templates."""
    alone: list[str] = []  # keys of features of a link, and of those that each tag between its ends adds
    between: list[str] = []
    for number, template in enumerate(templates, start=1):
        parts = [str(number * 104729)]
        for k, look in enumerate(template.looks):
            side = "h" if look.of_head else "d"
            parts.append(f"A[{look.column} * m + {side} + {MARGIN + look.shift}] * {factor(k)}")
        (between if template.between else alone).append(" + ".join(parts))

    def lines(*work: str) -> str:
        """Return the text that goes through the features of a link; work does something at the place q."""
        text: list[str] = []
        for key in alone:
            text += [f"x = {key}", f"q = {hashed('x')}", *work, f"q = {hashed('x + way')}", *work]
        text += [f"x{k} = {key} + right * {FEATURE_FACTORS[2]}" for k, key in enumerate(between)]
        inside = [f"w = (t + 1) * {FEATURE_FACTORS[1]}"]
        for k in range(len(between)):
            inside += [f"x = x{k} + w", f"q = {hashed('x')}", *work]
        if between:
            text.append(f"for t in range(0, {_TAGS}):\n    if C[t * m + high] - C[t * m + low + 1] > 0:")
            text += [f"        {line}" for line in inside]
        return "\n".join(text)

    return filled(
        _SCORES + _LEARNING,
        link=filled(_LINK, distances=len(FAR), factor=FEATURE_FACTORS[3]),
        scored=lines("s = s + W[q]"),
        labelled=lines("add_weights(q, labels, d, W, out)"),
        learnt=lines("W[q] = W[q] + y", "U[q] = U[q] + z"),
        learnt_labels=lines(
            "W[q + gold[d]] = W[q + gold[d]] + 1.0",
            "U[q + gold[d]] = U[q + gold[d]] + z",
            "W[q + others[d]] = W[q + others[d]] - 1.0",
            "U[q + others[d]] = U[q + others[d]] - z",
        ),
    )


_READING = "hashed_scores", "hashed_labels"
_WRITING = "hashed_learn", "hashed_learn_labels"


@cache
def kernels_of(templates: tuple[ArcTemplate, ...], learning: bool = True) -> Mapping[str, Callable[..., int]]:
    """Compile the kernels for templates; those that do not learn read weights of half the size."""
    arrays = dict.fromkeys(("A", "B", "C", "heads", "others", "gold"), "i64[]")
    arrays |= {**dict.fromkeys(("U", "out", "now"), "f64[]"), "W": "f64[]" if learning else "f32[]"}
    text = with_types(_rules(templates).strip("\n") + "\n", arrays)
    return machine_code(text, (*_READING, *_WRITING) if learning else _READING)


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


_ENDS = np.array(FAR, np.int64)


def hashed_sentence(columns: NDArray[np.int64]) -> HashedSentence:
    """Return a sentence as kernels read it, from its columns."""
    n = columns.shape[1] - 1 - 2 * MARGIN
    tags = np.zeros((_TAGS, columns.shape[1]), np.int64)
    of_words = columns[1, MARGIN : MARGIN + n + 1] % _TAGS
    tags[of_words, np.arange(1, n + 2)] = 1
    return HashedSentence(n, columns, np.cumsum(tags, axis=1))


class ArcWeights:
    """Weights of links' features, and of their labels: those of a feature's labels stand side by side.

    Attributes
    ----------
    templates : the properties used.
    links, labels : the weights, shape (SIZE + PAD,), float64; float32 where they are not learnt.
    """

    def __init__(
        self,
        templates: tuple[ArcTemplate, ...],
        links: NDArray[Any],
        labels: NDArray[Any],
        learning: bool = True,
    ) -> None:
        self.templates = templates
        kind = np.float64 if learning else np.float32  # what the kernels read
        self.links: NDArray[Any] = np.asarray(links, kind)
        self.labels: NDArray[Any] = np.asarray(labels, kind)
        self._kernels = kernels_of(templates, learning)

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
        numbers, out = (sentence.n, sentence.columns.shape[1], count), found.reshape(-1)
        self._kernels["hashed_labels"](*numbers, *sentence.arguments, self.labels, heads, out)
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
        now: float,
    ) -> None:
        """Do the same for labels of the links to these heads."""
        at = np.array([now])
        width = sentence.columns.shape[1]
        self._kernels["hashed_learn_labels"](
            sentence.n, width, *sentence.arguments, self.labels, sums, heads, gold, others, at
        )
