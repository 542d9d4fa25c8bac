"""A batch of score matrices, checked: one matrix a sentence, padded in one array or ragged in a list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from schemata.errors import UsageError
from schemata.grammars.text import GREATEST_WEIGHT
from schemata.records import Record
from schemata.weights.tensors import StepTensor, axes_of, numbers
from schemata.wording import quantity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from schemata.language.model import Schema

    Matrix = NDArray[np.float64]

_EXPECTED = (
    "an array [B, n + 1, n + 1] or [B, n + 1, n + 1, labels], or a list of one array for each sentence"
)


class Batch(Record, eq=False):
    """Scores of the links of several sentences.

    Attributes
    ----------
    matrices : for each sentence its scores, `matrix[head, dependent]`, shape (n + 1, n + 1) for its n words, in log
        space; -inf forbids a link. With labels the best score, or the log of the sum, over the labels.
    labelled : for each sentence its scores by label, shape (n + 1, n + 1, labels); None if links have none.
    longest : the number of words for which answers have room.
    steps : for each sentence the weights of steps, by name.
    """

    matrices: tuple[Matrix, ...]
    labelled: tuple[Matrix, ...] | None
    longest: int
    steps: tuple[Mapping[str, StepTensor], ...]

    @property
    def lengths(self) -> list[int]:
        """The number of words of each sentence."""
        return [len(matrix) - 1 for matrix in self.matrices]


def batch_of(
    scores: Any,
    lengths: Any = None,
    summed: bool = False,
    steps: Mapping[str, Any] | None = None,
    *,
    schema: Schema,
) -> Batch:
    """Return a checked batch.

    Parameters
    ----------
    scores : an array [B, n + 1, n + 1] or [B, n + 1, n + 1, labels], or a list of arrays without the first dimension.
    lengths : the number of words of each sentence, shape [B]; None if the arrays are used as a whole.
    summed : whether the scores of labels are added up as weights; else the best label counts.
    steps : by step an array [B, n + 1, ...] of weights by the step's positions, or a list of arrays without the first
        dimension; or a `StepTensor` of such an array, which names these.
    schema : the schema whose steps these are.

    Raises
    ------
    UsageError : another shape, lengths that do not fit, or a score that is not a number, infinite, or too large; with
        its place; or an unknown step.
    """
    rows = _rows(scores)
    given = _lengths(lengths, rows)
    whole = [_numbers(row, n, number) for number, (row, n) in enumerate(zip(rows, given, strict=True))]
    longest = max((len(row) - 1 for row in rows), default=0)
    depths = {row.shape[2] if row.ndim == 3 else 0 for row in whole}
    if len(depths) > 1:
        shown = " and ".join(map(str, sorted(depths)))
        raise _wrong(f"the sentences have different numbers of labels: {shown}")
    of_steps = _steps(steps or {}, schema, given, longest)
    if not any(depths):
        return Batch(tuple(whole), None, longest, of_steps)
    matrices = tuple(_log_sum(row) if summed else row.max(axis=2) for row in whole)
    return Batch(matrices, tuple(whole), longest, of_steps)


def _steps(
    steps: Mapping[str, Any], schema: Schema, lengths: Sequence[int], longest: int
) -> tuple[Mapping[str, StepTensor], ...]:
    """Return the weights of steps in each sentence."""
    found: list[dict[str, StepTensor]] = [{} for _ in lengths]
    for step, given in steps.items():
        array, names = (given.array, given.names) if isinstance(given, StepTensor) else (given, ())
        names = names or axes_of(schema, step)
        ragged = isinstance(array, list | tuple)
        rows = [
            numbers(row, f"the weights of {step}")
            for row in (array if ragged else numbers(array, f"the weights of {step}"))
        ]
        if len(rows) != len(lengths):
            message = f"the weights of {step} are of {quantity(len(rows), 'sentence')}"
            raise UsageError(
                message, code="bad-weights", expected=f"{quantity(len(lengths), 'sentence')}, as the scores"
            )
        for sentence, (row, n) in enumerate(zip(rows, lengths, strict=True)):
            fits = row.ndim == len(names) and all(n + 1 <= size <= longest + 1 for size in row.shape)
            cut = row[(slice(n + 1),) * row.ndim] if fits else row
            found[sentence][step] = StepTensor(cut, names).fitted(step, schema, n, (sentence,))
    return tuple(found)


def _rows(scores: Any) -> Sequence[Any]:
    """Return one array for each sentence."""
    if isinstance(scores, list | tuple):
        rows = [_array(one) for one in scores]
    else:
        array = _array(scores)
        if array.ndim not in (3, 4):
            raise _wrong(f"the scores have the shape {_shape(array)}")
        rows = list(array)
    for number, row in enumerate(rows):
        if row.ndim not in (2, 3) or row.shape[0] != row.shape[1] or 0 in row.shape:
            raise _wrong(f"the scores of sentence {number} have the shape {_shape(row)}")
        if len(row) < 2:
            raise _wrong(f"sentence {number} has no words")
    return rows


def _array(scores: Any) -> NDArray[Any]:
    """Return an array; a tensor of another library is converted by its own method."""
    if hasattr(scores, "detach"):  # a tensor of PyTorch
        scores = scores.detach().cpu().numpy()
    try:
        array = np.asarray(scores)
    except (TypeError, ValueError) as problem:
        raise _wrong(f"the scores are not an array of numbers: {problem}") from None
    if array.dtype.kind not in "biuf":
        raise _wrong(f"the scores are of the type {array.dtype}")
    return array


def _lengths(lengths: Any, rows: Sequence[NDArray[Any]]) -> list[int]:
    """Return the number of words of each sentence."""
    room = [len(row) - 1 for row in rows]
    if lengths is None:
        return room
    if hasattr(lengths, "detach"):
        lengths = lengths.detach().cpu().numpy()
    given = np.asarray(lengths)
    if given.dtype.kind not in "iu" or given.shape != (len(rows),):
        message = f"the lengths have the shape {_shape(given)} and the type {given.dtype}"
        expected = f"{quantity(len(rows), 'whole number')}, one for each sentence"
        raise UsageError(message, code="bad-scores", expected=expected)
    for number, (n, most) in enumerate(zip(given.tolist(), room, strict=True)):
        if not 1 <= n <= most:
            message = f"sentence {number} has {quantity(n, 'word')}, its scores have room for {most}"
            raise UsageError(message, code="bad-scores", expected=f"a number from 1 to {most}")
    return [int(n) for n in given]


def _numbers(row: NDArray[Any], n: int, sentence: int) -> Matrix:
    """Return the scores of a sentence's links as floats; entries that are not links, or lie beyond the
    sentence, are not read.
    """
    found: Matrix = np.array(row[: n + 1, : n + 1], np.float64)
    found[:, 0] = 0.0
    found[range(n + 1), range(n + 1)] = 0.0
    wrong = np.isnan(found) | np.isposinf(found) | (np.isfinite(found) & (np.abs(found) > GREATEST_WEIGHT))
    if wrong.any():
        place = tuple(int(k) for k in np.argwhere(wrong)[0])
        shown = ", ".join(map(str, (sentence, *place)))
        message = f"the score at [{shown}] is {found[place]}"
        expected = f"numbers from -{GREATEST_WEIGHT:g} to {GREATEST_WEIGHT:g}, or -inf"
        raise UsageError(message, code="bad-scores", expected=expected)
    return found


def _log_sum(row: Matrix) -> Matrix:
    with np.errstate(divide="ignore"):
        most = row.max(axis=2, keepdims=True)
        base = np.where(np.isfinite(most), most, 0.0)
        found: Matrix = np.log(np.exp(row - base).sum(axis=2)) + base[:, :, 0]
    return found


def _shape(array: NDArray[Any]) -> str:
    return " x ".join(map(str, array.shape)) or "no dimension"


def _wrong(message: str) -> UsageError:
    return UsageError(message, code="bad-scores", expected=_EXPECTED)
