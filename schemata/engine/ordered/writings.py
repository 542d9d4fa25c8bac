"""Normal forms in ordered kernels: functions that normalise a writing and list the writings of an item.

Generated for every form with a normal form, F by its number; a writing is a kind and columns x0, x1, ...

    normalF(k, x..., n, S, Y)        the kind and columns of the normal writing
    writingsF(k, x..., n, S, Y, W)   fills W with all writings of an item in normal form; their number, -1 if too many
"""

from __future__ import annotations

from collections.abc import Sequence

from schemata.engine.code import Code
from schemata.engine.ordered.text import Names
from schemata.program.linear import Affine, AnyOf, Linear, variable
from schemata.program.model import Atom, Equation, Program

__all__ = ["MOST_WRITINGS", "emit_writings", "is_normal", "width"]

MOST_WRITINGS = 64


def width(program: Program, form: int) -> int:
    """Return the greatest number of columns of a form's kinds."""
    return max(len(k.columns) for k in program.kinds if k.form == form)


def emit_writings(program: Program, form: int, names: Names, code: Code) -> None:
    """Write `normalF` and `writingsF` of a form.

    Raises
    ------
    ValueError : an equation cannot be read from one side to the other in whole numbers.
    """
    columns = [f"x{k}" for k in range(width(program, form))]
    equations = program.equations[form]
    _normal(program, form, equations, columns, names, code)
    _writings(program, form, equations, columns, names, code)


def _normal(
    program: Program,
    form: int,
    equations: Sequence[Equation],
    columns: list[str],
    names: Names,
    code: Code,
) -> None:
    shown = ", ".join(columns)
    given = ", ".join(f'{x}: "int"' for x in columns)
    code.line("")
    code.line("")
    results = ", ".join(["int"] * (len(columns) + 1))
    code.open(f'def normal{form}(k: "int", {given}, n: "int", S: "int", Y: "i64[]") -> "{results}":')
    code.open("for turn in range(0, 1000):")
    for equation in equations:
        tests, right = _read(equation.left, equation.right, equation.tests, names)
        code.open(f"if {' and '.join([f'k == {equation.left.kind}', *tests])}:")
        code.line(f"k, {shown} = {', '.join([str(equation.right.kind), *_filled(right, len(columns))])}")
        code.line("continue")
        code.depth -= 1
    code.line("break")
    code.depth -= 1
    code.line(f"return k, {shown}")
    code.depth -= 1


def _writings(
    program: Program,
    form: int,
    equations: Sequence[Equation],
    columns: list[str],
    names: Names,
    code: Code,
) -> None:
    shown = ", ".join(columns)
    given = ", ".join(f'{x}: "int"' for x in columns)
    size = len(columns) + 1
    code.line("")
    code.line("")
    code.open(f'def writings{form}(k: "int", {given}, n: "int", S: "int", Y: "i64[]", W: "i64[]") -> "int":')
    code.line("W[0] = k")
    for j, x in enumerate(columns):
        code.line(f"W[{j + 1}] = {x}")
    code.line("count = 1")
    code.line("q = 0")
    code.open("while q < count:")
    code.line(f"k = W[q * {size}]")
    for j, x in enumerate(columns):
        code.line(f"{x} = W[q * {size} + {j + 1}]")
    code.line("q += 1")
    code.open(f"for e in range(0, {len(equations)}):")
    code.line(f"if count == {MOST_WRITINGS}:")
    code.line("    return -1")
    code.line("new = 0")
    for number, equation in enumerate(equations):
        tests, left = _read(equation.right, equation.left, equation.tests, names)
        code.open(f"if {' and '.join([f'e == {number}', f'k == {equation.right.kind}', *tests])}:")
        for j, text in enumerate([str(equation.left.kind), *_filled(left, size - 1)]):
            code.line(f"W[count * {size} + {j}] = {text}")
        code.line("new = 1")
        code.depth -= 1
    code.open("if new != 0:")
    code.open("for p in range(0, count):")
    code.line("same = 1")
    code.line(f"for j in range(0, {size}):")
    code.line(f"    same &= W[p * {size} + j] == W[count * {size} + j]")
    code.line("if same != 0:")
    code.line("    new = 0")
    code.depth -= 2
    code.line("count += new")
    code.depth -= 2
    code.line("kept = 1")
    code.open("for q in range(1, count):")
    arguments = ", ".join(f"W[q * {size} + {j}]" for j in range(size))
    code.line(f"k, {shown} = normal{form}({arguments}, n, S, Y)")
    code.test(" and ".join(["k == W[0]", *(f"{x} == W[{j + 1}]" for j, x in enumerate(columns))]))
    code.line("good = 0")
    for kind in program.kinds:
        if kind.form != form:
            continue
        inner = names.with_variables({c.name: f"W[q * {size} + {j + 1}]" for j, c in enumerate(kind.columns)})
        tests = [f"({inner.test(t)})" for t in kind.conditions]
        code.line(f"if {' and '.join([f'W[q * {size}] == {kind.number}', *tests])}:")
        code.line("    good = 1")
    code.open("if good != 0:")
    for j in range(size):
        code.line(f"W[kept * {size} + {j}] = W[q * {size} + {j}]")
    code.line("kept += 1")
    code.depth -= 3
    code.line("return kept")
    code.depth = 0


def is_normal(program: Program, kind: int, columns: Sequence[str], names: Names) -> list[str]:
    """Return expressions that all hold for a writing of a kind exactly if it is in normal form."""
    found = []
    for equation in program.equations[program.kinds[kind].form]:
        if equation.left.kind == kind:
            tests, _ = _read(equation.left, equation.right, equation.tests, names, columns)
            found.append(f"not ({' and '.join(tests)})" if tests else "False")
    return found


def _filled(texts: Sequence[str], size: int) -> list[str]:
    return [*texts, *("0" for _ in range(size - len(texts)))]


def _read(
    source: Atom,
    target: Atom,
    tests: Sequence[Linear | AnyOf],
    names: Names,
    columns: Sequence[str] | None = None,
) -> tuple[list[str], list[str]]:
    """Return the tests under which a writing matches the source, and the columns of the target, as text."""
    given: dict[str, Affine] = {}
    waiting = [(term, variable(f"column {k}")) for k, term in enumerate(source.terms)]
    waiting += [(t.left, Affine(0)) for t in tests if isinstance(t, Linear) and t.relation == "=="]
    checks: list[Affine] = []
    own = {
        x for term in (*source.terms, *target.terms) for x in term.names if x != "n" and not x.startswith("'")
    }
    for term, value in waiting:
        left = (term - value).substitute(given)
        name = next((x for x, k in left.terms if x in own and abs(k) == 1), None)
        if name is None:
            checks.append(left)
            continue
        solved = variable(name) - left * left.coefficient(name)
        given = {x: t.substitute({name: solved}) for x, t in given.items()}
        given[name] = solved
    if not own <= set(given):
        raise ValueError("an equation of a normal form that cannot be solved")
    labels = columns or [f"x{k}" for k in range(len(source.terms))]
    inner = names.with_variables({f"column {k}": label for k, label in enumerate(labels)})
    checks = [c.substitute(given) for c in checks]  # later equations may have solved for their variables
    shown = [f"{inner.term(c)} == 0" for c in checks if c.terms or c.constant]
    for test in tests:
        match test:
            case Linear("==", _):
                pass
            case Linear():
                shown.append(inner.test(test.substitute(given)))
            case AnyOf(options):
                shown.append(inner.test(AnyOf(tuple(tuple(t.substitute(given) for t in o) for o in options))))
    return shown, [inner.term(t.substitute(given)) for t in target.terms]
