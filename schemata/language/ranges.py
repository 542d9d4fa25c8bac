"""The ranges that a schema sets for its parameters: `schema mh(k = 3) where k >= 3`."""

from __future__ import annotations

from collections.abc import Mapping

from schemata.errors import Diagnostic, UsageError, did_you_mean, one_of
from schemata.language import syntax as s
from schemata.language.build_terms import NUMBER_DIGITS
from schemata.language.source import Span

__all__ = ["check_ranges"]

_TESTS = {
    "<=": int.__le__, "<": int.__lt__, ">=": int.__ge__, ">": int.__gt__, "==": int.__eq__, "!=": int.__ne__,
}  # fmt: skip


def check_ranges(
    header: s.Header,
    environment: Mapping[str, int],
    given: Mapping[str, int],
    places: Mapping[str, Span],
    problems: list[Diagnostic],
) -> None:
    """Report parameter values out of the ranges of a schema's head.

    A value is complained of where it was set: at the argument of a schema that extends this one (`places`),
    else at the parameter's default.

    Raises
    ------
    UsageError : the value was set from outside (`given`).
    """
    for name, value in given.items():
        if abs(value) >= 10**NUMBER_DIGITS:
            raise UsageError(
                Diagnostic(
                    "parameter-range",
                    f"parameter {name}: the number is too large",
                    expected=f"at most {10**NUMBER_DIGITS - 1:,}",
                )
            )
    for condition in header.where:
        numbers = _numbers(condition, environment, problems)
        if numbers is None or not isinstance(condition, s.Comparison):
            continue
        if all(_TESTS[r](a, b) for a, r, b in zip(numbers, condition.relations, numbers[1:], strict=False)):
            continue
        wanted = condition.span.text.strip().rstrip(",")
        names = [o.id for o in condition.operands if isinstance(o, s.Name)]
        values = ", ".join(f"{name} = {environment[name]}" for name in names)
        if not names:
            _bad_range(condition, "this is never true", "a range such as k >= 3", problems)
            continue
        message = f"{values} is out of range: schema {header.name} needs {wanted}"
        if any(name in given for name in names):
            raise UsageError(Diagnostic("parameter-range", message, expected=wanted))
        set_at = [places[name] for name in names if name in places]
        set_at += [p.span for p in header.parameters if p.name in names]
        place = set_at[0] if set_at else condition.span
        problems.append(place.report("parameter-range", message, expected=wanted))


def _numbers(
    condition: s.Condition, environment: Mapping[str, int], problems: list[Diagnostic]
) -> list[int] | None:
    if not isinstance(condition, s.Comparison):
        _bad_range(condition, "the range of a parameter is a comparison", "k >= 3", problems)
        return None
    numbers: list[int] = []
    for operand in condition.operands:
        match operand:
            case s.Constant(int() as number, "number"):
                numbers.append(number)
            case s.Name(name) if name in environment:
                numbers.append(environment[name])
            case s.Name(name):
                hint = did_you_mean(name, environment)
                expected = one_of(environment) if environment else "a number"
                _bad_range(operand, f"{name} is no parameter of this schema", expected, problems, hint)
                return None
            case _:
                _bad_range(operand, "a range speaks of parameters and numbers", "k >= 3", problems)
                return None
    return numbers


def _bad_range(
    node: s.Condition, message: str, expected: str, problems: list[Diagnostic], hint: str | None = None
) -> None:
    problems.append(node.span.report("bad-range", message, expected=expected, hint=hint))
