"""Normal forms in native kernels: from a writing to its normal form, and from an item to its writings.

`WB` is a workspace of rows (kind, columns); its last row is where a writing is brought into normal form.
"""

from __future__ import annotations

from collections.abc import Sequence

from schemata.kernels.layout import Layout
from schemata.kernels.shape import Shape
from schemata.kernels.text import Lines, any_of_text, linear_text, term_text
from schemata.program.linear import Affine, AnyOf, Linear, variable
from schemata.program.model import Atom, Equation, Kind, NotLowerable, Program
from schemata.program.normal_forms import fitting, leads_in


def emit_normal_forms(shape: Shape, out: Lines) -> None:
    """Write `fits`, `normal`, `writings` and `placed`.

    Raises
    ------
    NotLowerable : an equation whose one side does not determine the other.
    """
    layout = shape.layout
    _fits(layout, out)
    _normal(layout, out)
    _unwritten(layout, out)
    _writings(layout, out)
    _placed(shape, out)


def _function(out: Lines, head: str) -> None:
    out.text += ["", "", "@apart"]
    out.open(f"def {head}:")


def _fits(layout: Layout, out: Lines) -> None:
    """Write `fits`: whether the writing at b fulfils its kind's conditions."""
    program = layout.program
    _function(out, "fits(n, WB, b)")
    out.line("kind = WB[b]")
    for kind in _kinds(program):
        names = {column.name: f"WB[b + {c}]" for c, column in enumerate(kind.columns, start=1)}
        texts = [
            linear_text(t, names, program.symbols)
            if isinstance(t, Linear)
            else f"({any_of_text(t, names, program.symbols)})"
            for t in kind.conditions
        ]
        out.open(f"if kind == {kind.number}:")
        out.line(f"return {' and '.join(texts) or 'True'}")
        out.close()
    out.line("return False")
    out.close()


def _normal(layout: Layout, out: Lines) -> None:
    """Write `normal`: rewrite the writing at b until no equation applies; False where there is no end."""
    program = layout.program
    _function(out, "normal(n, WB, b)")
    out.open("for _ in range(1000):")
    out.line("kind = WB[b]")
    for kind in _kinds(program):
        equations = [e for e in program.equations[kind.form] if e.left.kind == kind.number]
        if not equations:
            continue
        out.open(f"if kind == {kind.number}:")
        for c in range(len(kind.columns)):
            out.line(f"c{c} = WB[b + {c + 1}]")
        for equation in equations:
            depth = out.depth
            texts = matched_sides(program, equation, equation.left, equation.right, out)
            out.line(f"WB[b] = {equation.right.kind}")
            for c, text in enumerate(texts, start=1):
                out.line(f"WB[b + {c}] = {text}")
            out.line("continue")
            out.depth = depth
        out.close()
    out.line("return True")
    out.close()
    out.line("return False")
    out.close()


def _unwritten(layout: Layout, out: Lines) -> None:
    """Write `added`: note a writing in the row after the last, unless it is there; the new number of rows."""
    width = layout.width + 1
    columns = [f"v{c}" for c in range(layout.width)]
    _function(out, f"added(WB, many, kind, {', '.join(columns)})")
    values = ["kind", *columns]
    out.open("for w in range(many):")
    out.open(f"if {' | '.join(f'(WB[w * {width} + {c}] ^ {v})' for c, v in enumerate(values))} == 0:")
    out.line("return many")
    out.close(2)
    for c, value in enumerate(values):
        out.line(f"WB[many * {width} + {c}] = {value}")
    out.line("return many + 1")
    out.close()


def _writings(layout: Layout, out: Lines) -> None:
    """Write `writings`: all writings of an item into WB; their number, or less than 0 where it is too small.

    In normal forms by what is covered, where every equation leads from what fulfils the form's conditions to what
    does, writings that do not are left out at once. Elsewhere they are among the rows until the end: one that does
    may lie behind one that does not, and where there is no end, all engines say so.
    """
    program, width = layout.program, layout.width + 1
    closed = all(
        program.schema.forms[form].cover is not None and all(leads_in(program, e) for e in row)
        for form, row in program.equations.items()
    )
    _function(out, "writings(n, symbols, st, x, F, KI, WB)")
    out.line("WB[0] = KI[x]")
    out.open(f"for c in range({layout.width}):")
    out.line(f"WB[1 + c] = F[x * {layout.width} + c]")
    out.close()
    rewritten = " or ".join(f"KI[x] == {kind.number}" for kind in _kinds(program))
    out.open(f"if x <= st[GIVEN] or not ({rewritten}):")
    out.line("return 1")
    out.close()
    out.line("many = 1")
    out.line("at = 0")
    out.line(f"most = st[WRITTEN_ROOM] // {width} - 2")
    out.open("while at < many:")
    out.line(f"b = at * {width}")
    out.line("at += 1")
    out.line("kind = WB[b]")
    for kind in _kinds(program):
        equations = [e for e in program.equations[kind.form] if e.right.kind == kind.number]
        if not equations:
            continue
        out.open(f"if kind == {kind.number}:")
        for c in range(len(kind.columns)):
            out.line(f"c{c} = WB[b + {c + 1}]")
        for equation in equations:
            depth = out.depth
            also = fitting(program, equation) if closed else []
            texts = matched_sides(program, equation, equation.right, equation.left, out, also)
            out.open("if many >= most:")
            out.line("return -WRITINGS_FULL")
            out.close()
            padded = [*texts, *["0"] * (layout.width - len(texts))]
            out.line(f"many = added(WB, many, {equation.left.kind}, {', '.join(padded)})")
            out.depth = depth
        out.close()
    out.close()
    out.line("kept = 1")
    out.line(f"e = st[WRITTEN_ROOM] - {width}")
    out.open("for w in range(1, many):")
    out.line(f"b = w * {width}")
    if not closed:
        out.open("if not fits(n, WB, b):")
        out.line("continue")
        out.close()
    out.open(f"for c in range({width}):")
    out.line("WB[e + c] = WB[b + c]")
    out.close()
    out.open("if not normal(n, WB, e):")
    out.line("return -ENDLESS")
    out.close()
    out.line("same = WB[e] == KI[x]")
    for kind in _kinds(program):
        out.open(f"if same and KI[x] == {kind.number}:")
        for c in range(len(kind.columns)):
            out.line(f"same = same and WB[e + {c + 1}] == F[x * {layout.width} + {c}]")
        out.close()
    out.open("if same:")
    out.open(f"for c in range({width}):")
    out.line(f"WB[kept * {width} + c] = WB[b + c]")
    out.close()
    out.line("kept += 1")
    out.close(2)
    out.line("return kept")
    out.close()


def _placed(shape: Shape, out: Lines) -> None:
    """Write `placed`: the item that a writing stands for, -1 where it is none; below that, what is full."""
    layout, hashed = shape.layout, shape.hashed
    program, width = layout.program, layout.width + 1
    columns = [f"v{c}" for c in range(layout.width)]
    tables = "HK, TAB" if hashed else "key, TAB"
    _function(out, f"placed(n, symbols, st, kind, {', '.join(columns)}, F, KI, WB, PL, BN, {tables})")
    out.line(f"b = st[WRITTEN_ROOM] - {width}")
    out.line("first = kind")
    out.line("WB[b] = kind")
    for c, name in enumerate(columns, start=1):
        out.line(f"WB[b + {c}] = {name}")
    out.open("if not normal(n, WB, b):")
    out.line("return -ENDLESS")
    out.close()
    out.line("z = -1")
    out.open("if fits(n, WB, b):")
    out.line("kind = WB[b]")
    out.line("other = 0")
    for kind in _kinds(program):
        out.open(f"if kind == {kind.number}:")
        values = [f"WB[b + {c}]" for c in range(1, len(kind.columns) + 1)]
        for c in range(len(kind.columns) + 1, width):
            out.line(f"WB[b + {c}] = 0")
        if hashed:
            out.line(f"z = {shape.item_at(shape.item_key(kind.number, values))}")
        else:
            out.line(f"other = {shape.item_place(kind.number, values)}")
            out.line("z = TAB[other]")
        out.close()
    out.open("if z <= 0:")
    out.line("z = st[ITEMS] + 1")
    out.open("if z >= st[ITEM_ROOM]:")
    out.line("return -ITEMS_FULL")
    out.close()
    if hashed:
        made = ", ".join(["WB[b]", *(f"WB[b + {c}]" for c in range(1, width))])
        out.open(f"if not items_enter(st, HK, TAB, PLACES, TABLE_SLOTS, {made}, z):")
        out.line("return -TABLE_FULL")
        out.close()
    else:
        out.line("TAB[other] = z")
    out.line("KI[z] = kind")
    for c in range(layout.width):
        out.line(f"F[z * {layout.width} + {c}] = WB[b + {c + 1}]")
    out.line("st[ITEMS] = z")
    out.close(2)
    if hashed:
        out.open(f"if not items_enter(st, HK, TAB, PLACES, TABLE_SLOTS, first, {', '.join(columns)}, z):")
        out.line("return -TABLE_FULL")
        out.close()
    else:
        out.line("TAB[key] = z")
    out.line("return z")
    out.close()


def _kinds(program: Program) -> list[Kind]:
    return [kind for kind in program.kinds if kind.form in program.equations]


def matched_sides(
    program: Program,
    equation: Equation,
    source: Atom,
    target: Atom,
    out: Lines,
    also: Sequence[Linear | AnyOf] = (),
) -> list[str]:
    """Match one side of an equation with the columns c0, c1 ...; return the other side's columns.

    Its tests are written, and some more if need be.
    """
    names: dict[str, str] = {}
    waiting = [(f"c{c}", term) for c, term in enumerate(source.terms)]
    equal = [t for t in equation.tests if isinstance(t, Linear) and t.relation == "=="]
    waiting += [("0", t.left) for t in equal]
    unknown: list[str] = []
    while waiting:
        before = len(waiting)
        for pair in list(waiting):
            value, term = pair
            unknown = [x for x in term.names if x != "n" and not x.startswith("'") and x not in names]
            if len(unknown) > 1:
                continue
            waiting.remove(pair)
            if unknown:
                _solve(unknown[0], value, term, names, program.symbols, out)
            else:
                out.open(f"if {value} == {term_text(term, names, program.symbols)}:")
        if len(waiting) == before:
            break
    missing = {x for t in target.terms for x in t.names if x != "n" and not x.startswith("'")} - set(names)
    if waiting or missing:
        raise NotLowerable("an equation of which one side does not determine the other")
    for test in (*equation.tests, *also):
        if test in equal:
            continue
        text = (
            linear_text(test, names, program.symbols)
            if isinstance(test, Linear)
            else any_of_text(test, names, program.symbols)
        )
        out.open(f"if {text}:")
    return [term_text(t, names, program.symbols) for t in target.terms]


def _solve(
    name: str, value: str, term: Affine, names: dict[str, str], symbols: Sequence[str], out: Lines
) -> None:
    k = term.coefficient(name)
    rest = term_text(term - variable(name) * k, names, symbols)
    text = value if rest == "0" else f"{value} - ({rest})"
    if k == -1:
        text = f"-({text})"
    elif k != 1:
        out.open(f"if ({text}) % {abs(k)} == 0:")
        text = f"({text}) // {k}"
    local = f"s{len(names)}"
    out.line(f"{local} = {text}")
    names[name] = local
