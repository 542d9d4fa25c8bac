"""Items with a normal form in an ordered kernel: found in normal form, derived in any writing, entered under all.

Their writings have one level, so the items of a level are gathered first, and all rules are applied to each.
Functions are generated for every form with a normal form, F by its number; a writing is a kind and columns x0, x1, ...

    normalF(k, x..., n, S, Y)        the kind and columns of the normal writing
    writingsF(k, x..., n, S, Y, W)   fills W with all writings of an item in normal form; their number, -1 if too many
"""

from __future__ import annotations

from collections.abc import Sequence

from schemata.engine.code import Code
from schemata.order.model import Region
from schemata.ordered.plan import (
    Nest,
    column_name,
    kind_conditions,
    kind_terms,
    kinds_of,
    level_of,
    nest,
    parameter_list,
    region_invariants,
    solved_by_level,
)
from schemata.ordered.rules import ONE, Frame, open_nest
from schemata.ordered.text import Names, bound_text
from schemata.program.linear import Affine, AnyOf, Linear, variable
from schemata.program.model import Atom, Equation, Program

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


def write_items(frame: Frame, form: int) -> None:
    """Write the loops over the items of a form with a normal form, and the rules for all their writings.

    Items of one level are gathered first, so that the long function that derives one stands in one place.
    The regions of antecedents do not matter here: all writings of an item are on one level.
    """
    program, code = frame.order.program, frame.code
    regions = [r for r in frame.derived_regions() if program.kinds[r.kind].form == form]
    if not regions:
        return
    if any(rule.stratum for rule in frame.order.rules if frame.order.regions[rule.consequent] in regions):
        raise ValueError("items with a normal form that may be derived from others of their level")
    size = width(program, form)
    nests = [_nest_of(frame, region) for region in regions]
    shared = Names(program, {f"s{k}": f"s{k}" for k in range(frame.order.depth)}, frame.layouts)
    lows = list(dict.fromkeys(bound_text(shared, loops.loops[0].lows, "max") for _, _, loops in nests))
    highs = list(dict.fromkeys(bound_text(shared, loops.loops[0].highs, "min") for _, _, loops in nests))
    low = lows[0] if len(lows) == 1 else f"min({', '.join(lows)})"
    high = highs[0] if len(highs) == 1 else f"max({', '.join(highs)})"
    code.open(f"for c0 in range({low}, {high} + 1):")
    frame.look()
    code.line("cells = 0")
    depth = code.depth
    for region, (names, solved, loops) in zip(regions, nests, strict=True):
        code.comment(f"kind {region.kind}, region {region.number}")
        _gather(frame, region, names, solved, loops)
        code.depth = depth
    code.open("for q in range(0, cells):")
    code.line("control[2] += 1")
    code.line("control[3] = 0")
    code.line(
        f"many = writings{form}({', '.join(f'cell[q * {size + 1} + {j}]' for j in range(size + 1))}, n, S, Y, W)"
    )
    code.line("if many < 0:")
    code.line("    control[0] = 4")
    code.line("    return 1")
    if frame.mode == "rows":
        code.line("item = -1")
        for target in kinds_of(program, form):
            code.line(f"if W[0] == {target}:")
            code.line(f"    item = I{target}[{_writing_place(frame, target, '0')}]")
        code.line("if item >= 0:")
        code.line(f"    derive_rows{form}({parameter_list(program, frame.mode)}, many, item)")
        return
    code.open(f"if derive_fill{form}({parameter_list(program, frame.mode)}, many, 0) != 0:")
    code.line("old = 0")
    code.line("new = 0")
    for target in kinds_of(program, form):
        place = _writing_place(frame, target, "0")
        code.line(f"if W[0] == {target}:")
        code.line(f"    old, new = T{target}[{place}], O[{target}] + {place} + 1")
    code.open("for w in range(0, many if old >= 0 else 0):")
    for target in kinds_of(program, form):
        code.line(f"if W[w * {size + 1}] == {target}:")
        code.line(f"    T{target}[{_writing_place(frame, target, 'w')}] = new")


def _writing_place(frame: Frame, kind: int, row: str) -> str:
    """Return the place of a writing that stands in a row of W."""
    program = frame.order.program
    size = width(program, program.kinds[kind].form) + 1
    given = {column_name(k): f"W[{row} * {size} + {k + 1}]" for k in range(len(program.kinds[kind].columns))}
    return Names(program, given, frame.layouts).place(kind, kind_terms(program, kind))


def _nest_of(frame: Frame, region: Region) -> tuple[Names, dict[str, Affine], Nest]:
    """Return the loops over all items of a region on the level, the first column outermost."""
    program = frame.order.program
    kind = program.kinds[region.kind]
    columns = [column_name(k) for k in range(len(kind.columns))]
    known = {f"s{k}": f"s{k}" for k in range(frame.order.depth)}
    known |= {x: f"c{k}" for k, x in enumerate(columns)}
    solved, rest = solved_by_level(level_of(frame.order, region), columns)
    if column_name(0) in solved:
        raise ValueError("a level that determines the first field of items with a normal form")
    constraints = [c.substitute(solved) for c in region_invariants(frame.order, region)]
    constraints += [sign for left in rest for sign in (left, -left)]
    loops = nest(constraints, [x for x in columns if x not in solved], ONE)
    if frame.nests is not None:
        frame.nests.regions[region.number] = (loops, solved)
    return Names(program, known, frame.layouts), solved, loops


def _gather(frame: Frame, region: Region, names: Names, solved: dict[str, Affine], loops: Nest) -> None:
    """Write the loops that gather a region's possible items with this first column."""
    program, code = frame.order.program, frame.code
    kind = program.kinds[region.kind]
    first, *others = loops.loops
    for check in loops.checks:
        code.test(f"{names.term(check)} >= 0")
    for low in first.lows:
        code.test(f"c0 >= {names.term(low)}")
    for high in first.highs:
        code.test(f"c0 <= {names.term(high)}")
    for check in first.checks:
        code.test(f"{names.term(check)} >= 0")
    open_nest(names, code, Nest((), tuple(others)))
    for x, value in solved.items():
        code.line(f"{names.name(x)} = {names.term(value)}")
    columns = [f"c{k}" for k in range(len(kind.columns))]
    for text in is_normal(program, kind.number, columns, names):
        code.test(text)
    for condition in kind.conditions:
        if not (isinstance(condition, Linear) and condition.relation != "!="):
            given = {c.name: f"c{k}" for k, c in enumerate(kind.columns)}
            code.test(names.with_variables(given).test(condition))
    code.line("if cells == control[5]:")
    code.line("    control[0] = 5")
    code.line("    return 1")
    size = width(program, kind.form) + 1
    code.line(f"cell[cells * {size}] = {kind.number}")
    for k in range(size - 1):
        code.line(f"cell[cells * {size} + {k + 1}] = {columns[k] if k < len(columns) else '0'}")
    code.line("cells += 1")


def write_derive(frame: Frame, form: int) -> None:
    """Write the function that applies all rules to the writings of one item of a form."""
    program, code = frame.order.program, frame.code
    given = parameter_list(program, frame.mode, typed=True)
    code.open(f'def derive_{frame.mode}{form}({given}, many: "int", item: "int") -> "int":')
    code.line("N = n + 2")
    code.line("hit = 0")
    size = width(program, form) + 1
    code.open("for w in range(0, many):")
    code.line("pass")  # there may be no rule for the form
    depth = code.depth
    for target in kinds_of(program, form):
        mine = [rule for rule in program.rules if rule.consequent.kind == target]
        if not mine:
            continue
        code.open(f"if W[w * {size}] == {target}:")
        inner = {column_name(k): f"w{k}" for k in range(len(program.kinds[target].columns))}
        for k in range(len(inner)):
            code.line(f"w{k} = W[w * {size} + {k + 1}]")
        names = Names(program, inner, frame.layouts)
        writer = frame.rule_writer(names, (), [*ONE, *kind_conditions(program, target)], ())
        inside = code.depth
        for rule in mine:
            number = next((k for k, r in enumerate(frame.order.rules) if r.rule == rule.number), None)
            if number is not None:
                writer.write(number, rule, ())
            code.depth = inside
        code.depth = depth
    code.depth = 1
    code.line("return hit")
    code.depth = 0
