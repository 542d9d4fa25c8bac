"""Scores of links: one number for each pair of positions, for each label too where links have labels.

Scores are logarithms of weights, as parsers give them: the weight of a tree is the sum of its links' scores in log
space. They come from an array, from a file of NumPy (``.npz``, ``.npy``), or from a text that a person can write:

    words the dog barks           # optional: the sentence; its words may then stand for their positions
    attach the to dog [0.8]       # a factor ...
    attach 2 to 3 [log 1.5]       # ... or its logarithm
    attach barks to 0 by root [0.9]
    otherwise [0]                 # links that no line names; without this line their factor is 1
    step Shift [0.7]              # of a step, for runs that read weights of steps too (`Weights.read`)
    step Left-Arc where i is the, j is 2 [0.9]
    feature Left-Arc where word i is the, word j is dog [log 0.7]  # see `features`; weights of features add up

All labels of a link stand behind `by`; a file names labels everywhere or nowhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from schemata.errors import Diagnostic, GrammarError, Location, UsageError
from schemata.grammars import text as t
from schemata.records import Record
from schemata.structures.sentence import Sentence
from schemata.text_files import read_file, unreadable
from schemata.thresholds import REFUSALS
from schemata.weights.features import Features, StepFeatures, Template, model_of
from schemata.weights.tensors import StepTensor
from schemata.wording import quantity

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from schemata.language.model import Schema

_EXPECTED = "a file of scores: .npz, .npy, or lines such as: attach 1 to 2 [0.8]"
_LINE = "attach DEPENDENT to HEAD [0.8], words ..., otherwise [0], step NAME [0.7], or feature NAME where ..."
_NUMBERS = "the number of the dependent, that of its head, and the score: attach 1 to 2 [0.8]"
_BY_NUMPY = (".npz", ".npy")


@dataclass(frozen=True, slots=True, eq=False)
class ArcScores:
    """Scores of the links of one sentence.

    Parameters
    ----------
    matrix : `matrix[h, d]` is the score, in log space, of the link of dependent d to head h, both counted from 1, 0 for
        the artificial root; `matrix[h, d, k]` with the label `labels[k]`. Shape (n + 1, n + 1) or (n + 1, n + 1,
        labels). Links between connectors have their left word in place of h and the right one in place of d, counted
        from 0 as in their linkages. -inf forbids a link.
    labels : the labels, in order; none where links have none.
    words : the words that the scores are of, None for any.
    otherwise : the score of links beyond the matrix; None if there must not be any.

    Raises
    ------
    UsageError : another shape, other numbers of labels or words, or a score that is not a number or infinite.

    >>> scores = ArcScores([[0, 1], [0, 0]])
    >>> scores.n, scores.of(dependent=1, head=0)
    (1, 1.0)
    """

    matrix: NDArray[np.float64]
    labels: tuple[str, ...] = ()
    words: tuple[str, ...] | None = None
    otherwise: float | None = None
    _label_number: dict[str, int] = field(init=False, repr=False)

    def __init__(
        self,
        matrix: ArrayLike,
        labels: Sequence[str] = (),
        words: Sequence[str] | None = None,
        otherwise: float | None = None,
    ) -> None:
        import numpy as np

        try:
            array = np.array(matrix)
            if array.dtype.kind not in "biufO":  # not complex ones, nor records, texts, times
                raise _wrong(f"the scores are of the type {array.dtype}", "an array of real numbers")
            array = np.array(array, np.float64)
        except (TypeError, ValueError) as problem:
            raise _wrong(f"the scores are not an array of numbers: {problem}") from None
        dimensions = 3 if labels else 2
        square = array.ndim == dimensions and array.shape[0] == array.shape[1] >= 1
        if not square or (labels and array.shape[2] != len(labels)):
            shape = " x ".join(map(str, array.shape)) or "no dimension"
            behind = f", and {quantity(len(labels), 'label')}" if labels else ""
            raise _wrong(f"the scores have the shape {shape}{behind}")
        if np.isnan(array).any() or np.isposinf(array).any():
            place = tuple(int(k) for k in np.argwhere(np.isnan(array) | np.isposinf(array))[0])
            raise _wrong(f"the score at {place} is {array[place]}", "finite numbers, or -inf")
        large = np.abs(np.where(np.isneginf(array), 0, array)) > t.GREATEST_WEIGHT
        if large.any():
            place = tuple(int(k) for k in np.argwhere(large)[0])
            raise _wrong(
                f"the score at {place} is {array[place]}",
                f"at most {t.GREATEST_WEIGHT:g}: scores are added up",
            )
        if words is not None and len(words) + 1 != len(array):
            raise _wrong(f"the scores are of {len(array) - 1} positions, but there are {len(words)} words")
        array.setflags(write=False)
        object.__setattr__(self, "matrix", array)
        object.__setattr__(self, "labels", tuple(map(t.nfc, labels)))
        object.__setattr__(self, "words", None if words is None else tuple(map(t.nfc, words)))
        object.__setattr__(self, "otherwise", otherwise)
        object.__setattr__(self, "_label_number", {label: k for k, label in enumerate(self.labels)})

    @property
    def n(self) -> int:
        """The last position."""
        return len(self.matrix) - 1

    def of(self, dependent: int, head: int, label: str | None = None) -> float:
        """Return the score of a link; with a label that has no scores `otherwise`, or -inf.

        A label of Link Grammar has scores of its own, or else those of its capitals.
        """
        if label is None or not self.labels:
            return float(self.matrix[head, dependent])
        number = self._label_number.get(
            label, self._label_number.get(label.rstrip("abcdefghijklmnopqrstuvwxyz*^"), -1)
        )
        if number < 0:
            return -math.inf if self.otherwise is None else self.otherwise
        return float(self.matrix[head, dependent, number])

    def fitted(self, n: int, words: Sequence[str], labelled: bool) -> ArcScores:
        """Return the scores for a sentence: themselves, with added rows for words without scores.

        Parameters
        ----------
        n : the last position.
        words : the sentence.
        labelled : whether links have labels.

        Raises
        ------
        UsageError : the scores are of another sentence, or have labels where links have none.
        """
        import numpy as np

        if self.words is not None and self.words != tuple(map(t.nfc, words)):
            shown = " ".join(self.words)
            raise UsageError(f"the scores are of another sentence: {shown}", code="wrong-scores")
        if self.labels and not labelled:
            message = "the scores are of labelled links, but the schema builds links without labels"
            raise UsageError(message, code="wrong-scores", hint="give each link the score of its best label")
        if self.n == n:
            return self
        if self.otherwise is None or self.n > n:
            message = f"the scores are of the positions 0 to {self.n}, but the sentence has 0 to {n}"
            expected, hint = f"an array of {n + 1} x {n + 1}", "row and column 0 are the root's"
            raise UsageError(message, code="wrong-scores", expected=expected, hint=hint)
        larger = np.full((n + 1, n + 1, *self.matrix.shape[2:]), self.otherwise)
        larger[: self.n + 1, : self.n + 1] = self.matrix
        return ArcScores(larger, self.labels, None, self.otherwise)

    @classmethod
    def read(cls, path: str | PathLike[str]) -> ArcScores:
        """Read scores from a file: ``.npz`` with the array `scores` (and `labels`), ``.npy``, or lines of text.

        Raises
        ------
        GrammarError : the file cannot be read or holds mistakes; all of them are reported with their places.
        """
        weights = Weights.read(path)
        if weights.arcs is None or weights.steps:
            message = "the file holds scores of steps, not of links alone"
            raise GrammarError(Diagnostic("bad-scores", message, Location(fspath(path), 1, 1), _EXPECTED))
        return weights.arcs


class StepScores(Record, slots=False):
    """The weights of a step by the values of its variables: a row for some values, and its score in log space.

    Of the rows whose values agree, that with the most values counts, the first of these; without one, 0.
    """

    rows: tuple[tuple[Mapping[str, int | str], float], ...]

    @property
    def names(self) -> list[str]:
        """The variables that rows name; some, such as h', are not names of Python."""
        return list(dict.fromkeys(name for values, _ in self.rows for name in values))

    def __call__(self, **values: Any) -> float:
        """Return the score for values of the variables that rows name."""
        fitting = [row for row in self.rows if all(values[k] == v for k, v in row[0].items())]
        return max(fitting, key=lambda row: len(row[0]), default=({}, 0.0))[1]


class Weights(Record, eq=False):
    """The weights that a run is given, beside those of its grammar and its schema.

    Parameters
    ----------
    arcs : scores of links.
    steps : by the name of a step, or of an item form for hypotheses, a function that returns a weight in log space. Its
        parameters are called like the step's variables, or like the form's fields; `n` is the last position. For a step
        also a tensor (`tensors.StepTensor`), which native kernels read.
    """

    arcs: ArcScores | None = None
    steps: Mapping[str, Callable[..., float]] = field(default_factory=dict)

    @classmethod
    def of(cls, given: Any) -> Weights:
        """Return weights from scores, an array of them, functions or arrays by step, features, or several in a list.

        Raises
        ------
        UsageError : something else, two arrays of scores, or two weights for one step.
        """
        arcs: ArcScores | None = None
        steps: dict[str, Callable[..., float]] = {}
        for one in given if isinstance(given, list | tuple) else (given,):
            functions: Mapping[str, Any]
            match one:
                case Weights():
                    found = one.arcs if isinstance(one.arcs, ArcScores | None) else ArcScores(one.arcs)
                    functions = one.steps
                case Features():
                    found, functions = None, one.steps
                case Mapping():
                    found, functions = None, one
                case _:
                    found, functions = one if isinstance(one, ArcScores) else ArcScores(one), {}
            if (arcs and found) or steps.keys() & functions.keys():
                raise UsageError("two weights for the same links, or for the same step", code="bad-weights")
            arcs = arcs or found
            for name, one_step in functions.items():
                steps[name] = one_step if callable(one_step) else StepTensor.of(one_step, name)
        return cls(arcs, steps)

    def with_axes(self, schema: Schema, n: int) -> Weights:
        """Return the weights with tensors checked against a schema's steps and the last position.

        Raises
        ------
        UsageError : as `StepTensor.fitted`.
        """
        fitted = {k: v.fitted(k, schema, n) for k, v in self.steps.items() if isinstance(v, StepTensor)}
        return Weights(self.arcs, {**self.steps, **fitted}) if fitted else self

    @property
    def features(self) -> Features | None:
        """The feature model by which steps are scored, or None."""
        return next((one.model for one in self.steps.values() if isinstance(one, StepFeatures)), None)

    def of_sentence(self, sentence: Sentence) -> Weights:
        """Return the weights for a sentence, whose words features look at."""
        if self.features is None:
            return self
        steps = {
            name: one.of_sentence(sentence) if isinstance(one, StepFeatures) else one
            for name, one in self.steps.items()
        }
        return Weights(self.arcs, steps)

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Weights:
        """Read weights from a file as `ArcScores.read` does; lines of text may be about steps.

        Raises
        ------
        GrammarError : the file cannot be read or holds mistakes; all of them are reported with their places.
        """
        if PurePath(path).suffix.lower() in _BY_NUMPY:
            return cls(_of_numpy(fspath(path)))
        return parse_weights(read_file(path, GrammarError, _EXPECTED, REFUSALS.grammar_bytes), fspath(path))


def _wrong(
    message: str, expected: str = "an array of (n + 1) x (n + 1), or (n + 1) x (n + 1) x labels"
) -> UsageError:
    return UsageError(message, code="bad-scores", expected=expected)


def _of_numpy(file: str) -> ArcScores:
    import numpy as np

    def refused(message: str, expected: str | None) -> GrammarError:
        return GrammarError(Diagnostic("bad-scores", message, Location(file, 1, 1), expected))

    try:
        loaded: Any = np.load(file, allow_pickle=False)
        arrays = {"scores": loaded} if isinstance(loaded, np.ndarray) else dict(loaded)
    except OSError as problem:
        raise GrammarError(unreadable(file, problem, _EXPECTED)) from problem
    except Exception as problem:  # zipfile and numpy raise what they like at a broken file
        raise refused(
            f"the file is not an array of NumPy: {problem}", "a file that numpy.savez has written"
        ) from None
    if "scores" not in arrays and len(arrays) == 1:
        arrays = {"scores": next(iter(arrays.values()))}
    if "scores" not in arrays:
        there = ", ".join(arrays) or "nothing"
        raise refused(f"the file has no array called scores, but {there}", "an array called scores")
    if arrays["scores"].ndim == 3 and "labels" not in arrays:
        raise refused(
            "the scores are of labels, which the file does not name", "an array of names called labels"
        )
    try:
        return ArcScores(arrays["scores"], [str(label) for label in arrays.get("labels", ())])
    except UsageError as error:
        raise refused(error.diagnostics[0].message, error.diagnostics[0].expected) from None


def parse_weights(text: str | t.GrammarText, file: str = "<text>") -> Weights:
    r"""Read scores of links and steps as a person writes them.

    Parameters
    ----------
    text : the lines.
    file : their name in messages.

    Raises
    ------
    GrammarError : there are mistakes; all of them are reported.

    >>> weights = parse_weights("step Left-Arc where i is 1, j is 2 [log -1]\nstep Left-Arc [log -2]")
    >>> weights.steps["Left-Arc"](i=1, j=2), weights.steps["Left-Arc"](i=1, j=3)
    (-1.0, -2.0)
    """
    import numpy as np

    text = t.text_of(text, file)
    words: list[str] = []
    found: dict[tuple[int, int, str | None], tuple[float, t.LineToken]] = {}
    defaults: list[float] = []
    steps: dict[str, list[tuple[Mapping[str, int | str], float]]] = {}

    features: dict[tuple[str, Template, tuple[str, ...] | None], tuple[float, t.LineToken]] = {}

    def looked(line: t.Cursor) -> tuple[str, str | None]:
        parts = []
        while line.next.kind == "name" and not line.is_at("is") and not line.is_at_weight:
            parts.append(line.take().text)
        if not parts:
            line.unexpected("what to look at: word h, tag h + 1, value b, distance h d ...")
        if not line.accept("is"):
            return " ".join(parts), None
        if line.next.kind in ("end", "mark") or line.is_at_weight:
            line.unexpected("a value, in double quotes where it is a mark")
        return " ".join(parts), line.take().text

    def read_feature(line: t.Cursor, first: t.LineToken) -> None:
        step = line.take().text
        begins = line.peek()
        looks = line.several(looked) if line.accept("where") else []
        values = [value for _, value in looks if value is not None]
        try:
            template = Template.of(", ".join(look for look, _ in looks))
        except UsageError as error:
            finding = error.diagnostics[0]
            raise t.TokenError(begins, "bad-feature", finding.message, finding.expected or "") from None
        if values and len(values) < len(looks):
            message = "some of what is looked at has a value, and some has none"
            raise t.TokenError(begins, "bad-feature", message, "values everywhere: word h is dog; or nowhere")
        has_weight = line.is_at_weight
        if looks and has_weight and not values:
            message = "a template has no weight"
            raise t.TokenError(line.next, "bad-feature", message, "values: word h is dog [log 0.7]")
        if values and not has_weight:
            line.unexpected("a weight in brackets: [0.8], or [log -0.2]")
        score = weight(line) if has_weight else 0.0
        key = step, template, tuple(t.nfc(value) for value in values) if has_weight else None
        before = features.setdefault(key, (score, first))[1]
        if before is not first:
            message = f"the feature stands already in line {before.line}"
            raise t.TokenError(first, "second-feature", message, "each feature once")

    def setting(line: t.Cursor) -> tuple[t.LineToken, int | str]:
        name = line.take()
        line.require("is")
        value = line.next.text
        if value in words or (value.removeprefix("-").isascii() and value.removeprefix("-").isdecimal()):
            return name, position(line)
        return name, line.take().text

    def position(line: t.Cursor) -> int:
        token = line.take()
        if token.kind == "name" and token.text.isascii() and token.text.isdecimal() and len(token.text) <= 9:
            number = int(token.text)
            last = len(words) or REFUSALS.score_words
            if number > last:
                raise t.TokenError(
                    token, "bad-position", f"there is no position {number}", f"a number from 0 to {last}"
                )
            return number
        places = [k for k, word in enumerate(words, start=1) if word == token.text]
        if len(places) != 1:
            message = (
                f"{token} stands {len(places)} times in the sentence"
                if places
                else f"{token} is not a position"
            )
            hint = None if words else "a line `words ...` before lets words stand for their positions"
            raise t.TokenError(
                token, "bad-position", message, "the number of a word; 0 for the artificial root", hint
            )
        return places[0]

    def read_line(line: t.Cursor) -> None:
        first = line.next
        if line.accept("words"):
            if words or found:
                raise t.TokenError(first, "second-words", "the words stand in one line before all others")
            while line.next.kind != "end":
                words.append(t.nfc(line.take().text))
        elif line.accept("otherwise"):
            defaults.append(weight(line))
            if len(defaults) > 1:
                raise t.TokenError(first, "second-default", "there is a line `otherwise` before this one")
        elif line.accept("attach"):
            dependent = position(line)
            line.require("to")
            head = position(line)
            label = t.nfc(line.take().text) if line.accept("by") else None
            score = weight(line)
            if any((label is None) != (key[2] is None) for key in found):
                message = "some lines have labels, and some have none"
                raise t.TokenError(first, "mixed-labels", message, "labels everywhere, or nowhere")
            before = found.setdefault((head, dependent, label), (score, first))[1]
            if before is not first:
                raise t.TokenError(
                    first, "second-score", f"the link has a score already (line {before.line})"
                )
        elif line.accept("step"):
            rows = steps.setdefault(line.take().text, [])
            values: dict[str, int | str] = {}
            for token, value in line.several(setting) if line.accept("where") else ():
                if token.text in values:
                    message = f"{token} has a value already: {values[token.text]}"
                    raise t.TokenError(token, "second-value", message, "each variable once")
                values[token.text] = value
            rows.append((values, weight(line)))
        elif line.accept("feature"):
            read_feature(line, first)
        else:
            hint = _NUMBERS if line.next.text[:1].isdigit() else None
            line.unexpected(_LINE, ("attach", "words", "otherwise", "step", "feature"), hint)
        line.require_end()

    def weight(line: t.Cursor) -> float:
        score = line.weight()
        if score is None:
            line.unexpected("a weight in brackets: [0.8], or [log -0.2]")
        return score

    findings = t.read_lines(text, (",",), read_line)
    if not (findings or found or defaults or steps or features):
        findings.append(text.finding("no-scores", "the file holds no scores", _LINE))
    t.refuse(findings)
    by_step: dict[str, Callable[..., float]] = {name: StepScores(tuple(rows)) for name, rows in steps.items()}
    if features:
        model = model_of((*key, score) for key, (score, _) in features.items())
        by_step |= {name: StepFeatures(model, name, by_step.get(name)) for name in model.templates}
    if by_step and not (found or defaults):
        return Weights(None, by_step)
    otherwise = defaults[0] if defaults else 0.0
    labels = sorted({label for *_, label in found if label is not None})
    n = len(words) or max((max(head, dependent) for head, dependent, _ in found), default=0)
    matrix = np.full((n + 1, n + 1, len(labels)) if labels else (n + 1, n + 1), otherwise)
    for (head, dependent, label), (score, _) in found.items():
        matrix[(head, dependent) if label is None else (head, dependent, labels.index(label))] = score
    return Weights(ArcScores(matrix, labels, words or None, otherwise), by_step)
