"""Tests that a value has a shape: a pattern that binds nothing, as one Python expression."""

from __future__ import annotations

from schemata.engine.python.bindings import Bindings
from schemata.engine.python.expressions import operand
from schemata.language import model as m

__all__ = ["has_runs", "shape_test"]


def has_runs(elements: tuple[m.Term, ...]) -> bool:
    """Whether some of the elements, or of what is in them, leave their values open."""
    return any(
        isinstance(e, m.Run | m.Any)
        or (isinstance(e, m.TupleTerm) and has_runs(e.terms))
        or (isinstance(e, m.ListTerm) and has_runs(e.elements))
        for e in elements
    )


def shape_test(bindings: Bindings, value: str, shape: m.Term, kind: m.Type) -> str:
    """Return the test that a value has a shape; the shape's variables are bound elsewhere."""
    tests: list[str] = []
    match shape:
        case m.TupleTerm(terms):
            if kind.kind == "optional":
                tests.append(f"{value} is not None")
            for position, (term, inner) in enumerate(zip(terms, kind.parts, strict=True)):
                if not isinstance(term, m.Any):
                    tests.append(shape_test(bindings, f"{value}[{position}]", term, inner))
        case m.Any():
            pass
        case m.Lit(True):
            tests.append(value)
        case m.Lit(False):
            tests.append(f"{value} is False" if kind.kind == "optional" else f"not {value}")
        case m.Lit(None):
            tests.append(f"{value} is None")
        case m.ListTerm(elements) if has_runs(elements):
            tests += _list_tests(bindings, value, elements, kind.arguments[0])
        case _:
            tests.append(f"{value} == {operand(bindings.text(shape))}")
    return " and ".join(tests) or "True"


def _list_tests(bindings: Bindings, value: str, elements: tuple[m.Term, ...], kind: m.Type) -> list[str]:
    """Return the tests that a list matches a pattern that binds nothing."""
    stars = [k for k, e in enumerate(elements) if isinstance(e, m.Splice | m.Run)]
    first, last = (stars[0], stars[-1]) if stars else (len(elements), len(elements))
    tests = [f"len({value}) {'>=' if stars else '=='} {len(elements) - len(stars)}"]
    tests += [shape_test(bindings, f"{value}[{k}]", elements[k], kind) for k in range(first)]
    suffix = range(last + 1, len(elements))
    tests += [shape_test(bindings, f"{value}[{k - len(elements)}]", elements[k], kind) for k in suffix]
    if stars:
        end = f"len({value}) - {len(suffix)}" if suffix else f"len({value})"
        tests.append(_stretch_test(bindings, value, elements[first : last + 1], str(first), end, kind))
    return [test for test in tests if test != "True"]


def _stretch_test(
    bindings: Bindings, value: str, elements: tuple[m.Term, ...], begin: str, end: str, kind: m.Type
) -> str:
    """Return the test that elements from begin up to end match a pattern from a star to a star."""
    cut = end if len(elements) == 1 else bindings.fresh("cut")
    match elements[0]:
        case m.Run(m.Any()):
            tests: list[str] = []
        case m.Run(shape):
            element = bindings.fresh("e")
            tests = [
                f"all({shape_test(bindings, element, shape, kind)} for {element} in {value}[{begin}:{cut}])"
            ]
        case splice:
            tests = [f"{value}[{begin}:{cut}] == {bindings.text(m.ListTerm((splice,)))}"]
    if len(elements) == 1:
        return " and ".join(tests) or "True"
    after = next(k for k, e in enumerate(elements) if k and isinstance(e, m.Splice | m.Run))
    for k in range(1, after):
        tests.append(shape_test(bindings, f"{value}[{cut} + {k - 1}]", elements[k], kind))
    tests.append(_stretch_test(bindings, value, elements[after:], f"{cut} + {after - 1}", end, kind))
    fixed = sum(1 for e in elements if not isinstance(e, m.Splice | m.Run))
    return f"any({' and '.join(tests)} for {cut} in range({begin}, {end} - {fixed} + 1))"
