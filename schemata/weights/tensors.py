"""Weights of steps as tensors: for the values of a step's positions the weight that an application of it has.

`weights={"R-Next": array}` weighs every application of the step R-Next by `array[h, s, m]`: the axes are the step's
variables that are positions, in the order in which they first stand in it. `StepTensor(array, ("m", "h"))` names them
instead. An axis has room for the positions 0 to n; at a position beyond, which some schemata have, the step weighs
nothing. Python calls a tensor as it calls a function of the step's variables, kernels have it as a table.

References
----------
McDonald, R. & Pereira, F. (2006). Online learning of approximate dependency parsing algorithms. EACL. (Siblings.)
Carreras, X. (2007). Experiments with a higher-order projective dependency parser. EMNLP. (Grandparents.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from schemata.errors import UsageError, did_you_mean
from schemata.grammars.text import GREATEST_WEIGHT
from schemata.records import Record
from schemata.wording import listing

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schemata.language.model import Schema


class StepTensor(Record, eq=False):
    """The weights of a step by the values of some of its positions, in log space.

    Parameters
    ----------
    array : a number for each choice of values, -inf to forbid the step; shape (n + 1,) * k for k variables.
    names : the variables, one an axis; none named stands for all positions of the step.
    """

    array: NDArray[np.float64]
    names: tuple[str, ...] = ()

    def __call__(self, **values: int) -> float:
        """Return the weight for the values of the variables; 0 beyond the array."""
        place = tuple(values[name] for name in self.names)
        inside = all(0 <= k < size for k, size in zip(place, self.array.shape, strict=True))
        return float(self.array[place]) if inside else 0.0

    @classmethod
    def of(cls, given: Any, step: str) -> StepTensor:
        """Return a tensor from an array, or itself.

        Raises
        ------
        UsageError : it is not an array of real numbers.
        """
        array, names = (given.array, given.names) if isinstance(given, cls) else (given, ())
        found = numbers(array, f"the weights of {step}")
        if not found.ndim:
            raise _wrong(
                f"the weight of {step} is neither a function nor an array",
                "an axis for each of its positions",
            )
        return cls(found, tuple(names))

    def fitted(self, step: str, schema: Schema, n: int, place: Sequence[int] = ()) -> StepTensor:
        """Return the tensor with its axes named, checked against a schema's step and a sentence.

        Parameters
        ----------
        step : the step that it weighs.
        schema : the schema.
        n : the last position.
        place : a prefix for the indices of the array in messages: the number of a sentence in a batch.

        Raises
        ------
        UsageError : there is no such step, or no such variable that is a position; another shape; a number that is
            nan, infinite, or too large, with its place.
        """
        names = self.names or axes_of(schema, step)
        for name in names:
            if name not in axes_of(schema, step):
                message = f"{name} is not a position of step {step}"
                raise _wrong(message, listing(axes_of(schema, step)))
        shape, wanted = self.array.shape, (n + 1,) * len(names)
        if shape != wanted or not names or len(set(names)) < len(names):
            shown = " x ".join(map(str, shape)) or "no dimension"
            axes = f"[{', '.join(names)}]"
            message = f"the weights of {step} have the shape {shown}"
            raise _wrong(message, f"{' x '.join(map(str, wanted))}, for {axes} from 0 to {n}")
        require_numbers(self.array, f"the weight of {step}", place)
        return StepTensor(self.array, tuple(names))


def axes_of(schema: Schema, step: str) -> tuple[str, ...]:
    """Return the positions among a step's variables, in the order in which they first stand in it.

    For a step with several cases, these are the positions that all cases have.

    Raises
    ------
    UsageError : there is no such step.
    """
    cases = [case for case in schema.cases if case.step == step]
    if not cases:
        message = f"the schema {schema.name} has no step {step}"
        raise UsageError(message, code="bad-weights", hint=did_you_mean(step, schema.step_names))
    return tuple(
        name
        for name, kind in cases[0].types.items()
        if kind.kind == "position" and all(case.types.get(name) == kind for case in cases)
    )


def numbers(given: Any, what: str) -> NDArray[np.float64]:
    """Return an array of floats; a tensor of another library is converted by its own method.

    Raises
    ------
    UsageError : it is not an array of real numbers.
    """
    import numpy as np

    if hasattr(given, "detach"):  # a tensor of PyTorch
        given = given.detach().cpu().numpy()
    try:
        array = np.asarray(given)
    except (TypeError, ValueError) as problem:
        raise _wrong(f"{what} are not an array of numbers: {problem}", "an array of real numbers") from None
    if array.dtype.kind not in "biuf":
        raise _wrong(f"{what} are of the type {array.dtype}", "an array of real numbers")
    return np.asarray(array, np.float64)


def require_numbers(array: NDArray[np.float64], what: str, place: Sequence[int] = ()) -> None:
    """Check that all entries are weights in log space: finite and not too large, or -inf.

    Raises
    ------
    UsageError : one is not; with its place.
    """
    import numpy as np

    if array.size and array.min() >= -GREATEST_WEIGHT and array.max() <= GREATEST_WEIGHT:
        return
    wrong = np.isnan(array) | (array > GREATEST_WEIGHT) | (np.isfinite(array) & (array < -GREATEST_WEIGHT))
    if wrong.any():
        here = tuple(int(k) for k in np.argwhere(wrong)[0])
        shown = ", ".join(map(str, (*place, *here)))
        expected = f"numbers from -{GREATEST_WEIGHT:g} to {GREATEST_WEIGHT:g}, or -inf"
        raise _wrong(f"{what} at [{shown}] is {array[here]}", expected)


def tensors_of(steps: Mapping[str, Any]) -> dict[str, StepTensor] | None:
    """Return the weights of steps where all are tensors; None if some are functions."""
    found = {name: one for name, one in steps.items() if isinstance(one, StepTensor)}
    return found if len(found) == len(steps) else None


def _wrong(message: str, expected: str) -> UsageError:
    return UsageError(message, code="bad-weights", expected=expected)
