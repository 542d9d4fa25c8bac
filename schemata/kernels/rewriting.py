"""Normal forms in kernels: the normal form of a writing, and the writings of an item.

`WB` is a workspace of rows (kind, columns); columns that a kind does not have are 0. The row behind the last writing
is where one is brought into normal form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from schemata.kernels.shape import Shape
from schemata.kernels.text import condition_text, solved_text, term_text
from schemata.machine.text import filled, nested
from schemata.program.linear import AnyOf, Linear
from schemata.program.model import Atom, Equation, Kind, NotLowerable, Program
from schemata.program.normal_forms import fitting, leads_in

_WRITINGS = '''
@apart
def fits(n, WB, b):
    """Return whether the writing at b fulfils its kind's conditions."""
    kind = WB[b]
    {fits}
    return False


@apart
def normal(n, WB, b):
    """Rewrite the writing at b until no equation applies; False where there is no end."""
    for _ in range(1000):
        kind = WB[b]
        {rewritten}
        return True
    return False


@apart
def added(WB, many, kind, {columns}):
    """Note a writing in the row after the last, unless it is there; returns the number of rows."""
    for w in range(many):
        if {in_row} == 0:
            return many
    {noted}
    return many + 1


@apart
def written(n, WB, most):
    """List all writings of the item in the first row; returns their number, less than 0 where there are more."""
    many = 1
    at = 0
    while at < many:
        b = at * {width}
        at += 1
        kind = WB[b]
        {backwards}
    kept = 1
    e = (most + 1) * {width}
    for w in range(1, many):
        b = w * {width}
        {only_fitting}
        for c in range({width}):
            WB[e + c] = WB[b + c]
        if not normal(n, WB, e):
            return -ENDLESS
        if {unlike} == 0:
            for c in range({width}):
                WB[kept * {width} + c] = WB[b + c]
            kept += 1
    return kept
'''

_IS_NORMAL = '''

def is_normal(n, WB, b):
    """Return whether the writing at b fulfils its kind's conditions, and no equation applies to it."""
    kind = WB[b]
    {refused}
    return fits(n, WB, b)
'''

_AGENDA = '''

@apart
def writings(n, symbols, st, x, F, KI, WB):
    """List all writings of item x; returns their number, less than 0 where there is no room."""
    WB[0] = KI[x]
    for c in range({columns_of_items}):
        WB[1 + c] = F[x * {columns_of_items} + c]
    if x <= st[GIVEN] or not ({rewritable}):
        return 1
    return written(n, WB, st[WRITTEN_ROOM] // {width} - 2)


@apart
def placed(n, symbols, st, kind, {columns}, F, KI, WB, PL, BN, {tables}):
    """Return the item that a writing stands for, -1 where it is none; below that, what is full."""
    b = st[WRITTEN_ROOM] - {width}
    first = kind
    WB[b] = kind
    {copied}
    if not normal(n, WB, b):
        return -ENDLESS
    z = -1
    if fits(n, WB, b):
        kind = WB[b]
        other = 0
        {looked_up}
        if z <= 0:
            z = st[ITEMS] + 1
            if z >= st[ITEM_ROOM]:
                return -ITEMS_FULL
            {made}
            KI[z] = kind
            for c in range({columns_of_items}):
                F[z * {columns_of_items} + c] = WB[b + c + 1]
            st[ITEMS] = z
    {entered}
    return z
'''


def normal_forms_text(shape: Shape) -> str:
    """Return the functions of agenda kernels: those of all kernels, `writings` and `placed`.

    Raises
    ------
    NotLowerable : an equation whose one side does not determine the other.
    """
    layout, hashed = shape.layout, shape.hashed
    program, width = layout.program, layout.width + 1
    columns = [f"v{c}" for c in range(layout.width)]

    def look(kind: Kind) -> Iterable[str]:
        values = [f"WB[b + {c}]" for c in range(1, len(kind.columns) + 1)]
        yield from (f"WB[b + {c}] = 0" for c in range(len(kind.columns) + 1, width))
        if hashed:
            yield f"z = {shape.item_at(shape.item_key(kind.number, values))}"
        else:
            yield f"other = {shape.item_place(kind.number, values)}"
            yield "z = TAB[other]"

    def enter(key: Iterable[str], place: str) -> str:
        if not hashed:
            return f"TAB[{place}] = z"
        enters = f"items_enter(st, HK, TAB, PLACES, TABLE_SLOTS, {', '.join(key)}, z)"
        return nested([f"if not {enters}:", "return -TABLE_FULL"])

    text = filled(
        _AGENDA,
        columns_of_items=layout.width,
        width=width,
        columns=", ".join(columns),
        rewritable=" or ".join(f"KI[x] == {kind.number}" for kind in _kinds(program)),
        tables="HK, TAB" if hashed else "key, TAB",
        copied="\n".join(f"WB[b + {c}] = {name}" for c, name in enumerate(columns, 1)),
        looked_up=_by_kind(program, look),
        made=enter((f"WB[b + {c}]" for c in range(width)), "other"),
        entered=enter(("first", *columns), "key"),
    )
    return writings_text(program, layout.width) + text


def writings_text(program: Program, columns: int, asked: bool = False) -> str:
    """Return `fits`, `normal`, `added` and `written`, and `is_normal` if it is needed.

    In normal forms by what is covered, where every equation leads from what fulfils the form's conditions to what
    does, writings that do not are left out at once. Elsewhere they are among the rows until the end: one that does
    may lie behind one that does not, and where there is no end, all engines say so.

    Parameters
    ----------
    program : the schema.
    columns : of every row.

    Raises
    ------
    NotLowerable : an equation whose one side does not determine the other.
    """
    width = columns + 1
    closed = all(
        program.schema.forms[form].cover is not None and all(leads_in(program, e) for e in row)
        for form, row in program.equations.items()
    )

    def fits(kind: Kind) -> Iterable[str]:
        names = {column.name: f"WB[b + {c}]" for c, column in enumerate(kind.columns, start=1)}
        tests = [condition_text(t, names, program.symbols) for t in kind.conditions]
        return [f"return {' and '.join(tests) or 'True'}"]

    def rewritten(*last: str) -> Callable[[Kind], Iterable[str]]:
        """Return what writes the equations that apply to a kind; with what is done after the first that does."""

        def cases(kind: Kind) -> Iterable[str]:
            for equation in _equations(program, kind):
                if equation.left.kind == kind.number:
                    lines, texts = _matched(program, equation, equation.left, equation.right)
                    row = [str(equation.right.kind), *texts, *["0"] * (columns - len(texts))]
                    written = [f"WB[b + {c}] = {text}" for c, text in enumerate(row)] if not last else []
                    yield nested([*lines, *written, *(last or ("continue",))])

        return cases

    def backwards(kind: Kind) -> Iterable[str]:
        for equation in _equations(program, kind):
            if equation.right.kind == kind.number:
                also = fitting(program, equation) if closed else ()
                lines, texts = _matched(program, equation, equation.right, equation.left, also)
                row = ", ".join([str(equation.left.kind), *texts, *["0"] * (columns - len(texts))])
                full = nested(["if many >= most:", "return -WRITINGS_FULL"])
                yield nested([*lines, full, f"many = added(WB, many, {row})"])

    values = ["kind", *(f"v{c}" for c in range(columns))]
    found = filled(
        _WRITINGS,
        width=width,
        columns=", ".join(values[1:]),
        fits=_by_kind(program, fits),
        rewritten=_by_kind(program, _with_columns(rewritten())),
        in_row=" | ".join(f"(WB[w * {width} + {c}] ^ {value})" for c, value in enumerate(values)),
        noted="\n".join(f"WB[many * {width} + {c}] = {value}" for c, value in enumerate(values)),
        backwards=_by_kind(program, _with_columns(backwards)),
        only_fitting="" if closed else "if not fits(n, WB, b):\n    continue",
        unlike=" | ".join(f"(WB[e + {c}] ^ WB[{c}])" for c in range(width)),
    )
    if asked:
        found += filled(_IS_NORMAL, refused=_by_kind(program, _with_columns(rewritten("return False"))))
    return "\n\n" + found.lstrip("\n")


def _kinds(program: Program) -> list[Kind]:
    return [kind for kind in program.kinds if program.equations.get(kind.form)]


def _equations(program: Program, kind: Kind) -> Sequence[Equation]:
    return program.equations[kind.form]


def _by_kind(program: Program, body: Callable[[Kind], Iterable[str]]) -> str:
    """Return what is done with a writing, by its kind."""
    blocks = []
    for kind in _kinds(program):
        inside = "\n".join(body(kind))
        if inside:
            blocks.append(nested([f"if kind == {kind.number}:", inside]))
    return "\n".join(blocks)


def _with_columns(body: Callable[[Kind], Iterable[str]]) -> Callable[[Kind], Iterable[str]]:
    """Return the body with the columns of the writing at b as c0, c1 ... before it."""

    def both(kind: Kind) -> Iterable[str]:
        inside = list(body(kind))
        return [*(f"c{c} = WB[b + {c + 1}]" for c in range(len(kind.columns))), *inside] if inside else []

    return both


def _matched(
    program: Program, equation: Equation, source: Atom, target: Atom, also: Sequence[Linear | AnyOf] = ()
) -> tuple[list[str], list[str]]:
    """Return the lines that match one side of an equation with the columns c0, c1 ...; and the other side's columns.

    The lines hold its tests, and some more if need be.
    """
    symbols = program.symbols
    names: dict[str, str] = {}
    lines: list[str] = []
    waiting = [(f"c{c}", term) for c, term in enumerate(source.terms)]
    equal = [t for t in equation.tests if isinstance(t, Linear) and t.relation == "=="]
    waiting += [("0", t.left) for t in equal]
    while waiting:
        before = len(waiting)
        for value, term in list(waiting):
            unknown = [x for x in term.variables if x not in names]
            if len(unknown) > 1:
                continue
            waiting.remove((value, term))
            if unknown:
                test, text = solved_text(unknown[0], value, term, names, symbols)
                names[unknown[0]] = f"s{len(names)}"
                lines += [*([f"if {test}:"] if test else []), f"{names[unknown[0]]} = {text}"]
            else:
                lines.append(f"if {value} == {term_text(term, names, symbols)}:")
        if len(waiting) == before:
            break
    missing = {x for term in target.terms for x in term.variables} - set(names)
    if waiting or missing:
        raise NotLowerable.of("an equation of which one side does not determine the other")
    lines += [f"if {condition_text(t, names, symbols)}:" for t in (*equation.tests, *also) if t not in equal]
    return lines, [term_text(t, names, symbols) for t in target.terms]
