"""The text of a kernel: a module with one function that takes items from the agenda, turn by turn.

Each turn: the item's writings are made, it is filed in the lists, then every rule looks for the instances in
which it is the latest antecedent. A turn either ends or leaves no trace but what is filed and what items it
made: where an array is full the kernel returns, the driver enlarges the array, and the turn begins again.

With `rows` the kernel derives nothing: it repeats the turns of a finished run and writes down the instances.
"""

from __future__ import annotations

from dataclasses import dataclass

from schemata.engine.lowering.model import Program
from schemata.engine.native.block import Block, Shape, digits_text
from schemata.engine.native.layout import Index, Layout
from schemata.engine.native.lines import Lines
from schemata.engine.native.overlaps import Doubles
from schemata.engine.native.rewriting import emit_normal_forms
from schemata.engine.native.runtime import finished

__all__ = ["KernelText", "emit_agenda"]

_LARGE = 1500  # lines of blocks from which on they are put into functions of their own
_PART = 300  # lines of such a function
_TABLES = "st, CNT, CS, F, KI, TAB, LH, A, LIC, CAT, CLIC, MU, WB, SH, SR, LOG, OFF"


@dataclass(frozen=True, slots=True)
class KernelText:
    """A kernel's module, and what the driver must lay out for it: its indexes with the columns of entries."""

    text: str
    indexes: tuple[tuple[Index, tuple[int, ...]], ...]
    row_width: int  # of the table of instances met in a turn


def emit_agenda(layout: Layout, hashed: bool, rows: bool) -> KernelText:
    """Return the kernel of a program.

    Raises
    ------
    NotLowerable : a rule has a variable that nothing bounds.
    """
    program = layout.program
    doubles = Doubles(program)
    shape = Shape(layout, hashed, rows)
    for _ in range(2):  # the first time finds the indexes and the columns they carry
        axioms, blocks = _blocks(shape, doubles)
    out = Lines()
    if any(not program.equations.get(kind.form) for kind in program.kinds):
        _made(layout, hashed, out)
    if program.equations:
        emit_normal_forms(layout, hashed, out)
    tables = _TABLES + (", HK, JK, JV" if hashed else "")
    parts = _parts(shape, blocks, tables, out)
    out.text += ["", ""]
    out.open(f"def kernel(n, symbols, most, work, {tables}):")
    _bases(shape, out)
    out.line("x = st[AT]")
    out.line("filed = st[FILED]")
    out.line("steps = st[STEPS]")
    out.line("given = st[GIVEN]")
    out.open("if x == 0:")
    _begin_turn(out)
    out.add(axioms)
    out.line("x = 1")
    out.close()
    last = "st[LAST]" if rows else "st[ITEMS]"
    out.open(f"while x <= {last} and steps <= most and work > 0:")
    _begin_turn(out)
    out.line("work -= 1")
    _turn(shape, parts, out)
    out.line("work += st[WORK]")
    out.line("x += 1")
    out.line("filed = 0")
    out.close()
    out.line("st[AT] = x")
    out.line("st[FILED] = 0")
    out.line("st[STEPS] = steps")
    out.line("st[STATUS] = RUNS")
    out.line("return 0")
    indexes = tuple((index, tuple(sorted(columns))) for index, columns in shape.indexes.items())
    return KernelText(finished("\n".join(out.text) + "\n"), indexes, doubles.width)


def _begin_turn(out: Lines) -> None:
    out.open("for c in range(st[CASES]):")
    out.line("CS[c] = CNT[c]")
    out.close()
    out.line("st[STAMP] += 1")
    out.line("st[MET] = 0")
    out.line("st[MADE] = st[ITEMS]")
    out.line("st[WORK] = 0")


def _blocks(shape: Shape, doubles: Doubles) -> tuple[Lines, dict[int, list[Lines]]]:
    """Return the code of the rules without antecedents, and that of the others by the kind of the item taken."""
    program = shape.layout.program
    axioms = Lines()
    found: dict[int, list[Lines]] = {}
    for rule in program.rules:
        if not rule.antecedents:
            axioms.add(Block(shape, rule, -1, doubles).emit(()))
        for slot, atom in enumerate(rule.antecedents):
            fields = [f"c{k}" for k in range(len(program.kinds[atom.kind].columns))]
            body = Block(shape, rule, slot, doubles).emit(fields)
            found.setdefault(atom.kind, []).append(body)
    return axioms, found


def _parts(shape: Shape, blocks: dict[int, list[Lines]], tables: str, out: Lines) -> dict[int, Lines]:
    """Return the code for an item of each kind; in large kernels it calls functions, which are written first.

    LLVM takes more than twice as long for a function of twice the size.
    """
    large = sum(len(block.text) for row in blocks.values() for block in row) > _LARGE
    found: dict[int, Lines] = {}
    number = 0
    for kind, row in blocks.items():
        found[kind] = body = Lines()
        waiting = list(row)
        while waiting:
            if not large:
                body.add(waiting.pop(0))
                continue
            part = Lines()
            while waiting and (not part.text or len(part.text) + len(waiting[0].text) <= _PART):
                part.add(waiting.pop(0))
            number += 1
            columns = [f"c{c}" for c in range(len(shape.layout.program.kinds[kind].columns))]
            head = ", ".join(["n", "symbols", "x", "filed", "given", *columns, tables])
            out.text += ["", "", "@apart"]
            out.open(f"def part_{number}({head}):")
            _bases(shape, out)
            out.line("steps = 0")
            out.line("work = 0")
            out.add(part)
            out.line("st[WORK] += work")
            out.line("return steps")
            out.close()
            body.line(f"more = part_{number}({head})")
            body.open("if more < 0:")
            body.line("return -1")
            body.close()
            body.line("steps += more")
    return found


def _bases(shape: Shape, out: Lines) -> None:
    """Write where each kind's and each index's part of a table begins."""
    layout = shape.layout
    base = "0"
    for number, digits in enumerate(layout.digits):
        out.line(f"base_{number} = {base}")
        base = f"base_{number} + {_span_text([d.size_text for d in digits])}"
    base = "0"
    for number, index in enumerate(shape.indexes):
        out.line(f"list_{number} = {base}")
        digits = tuple(layout.digits[index.kind][c] for c in index.key)
        base = f"list_{number} + {_span_text([d.size_text for d in digits])}"


def _span_text(sizes: list[str]) -> str:
    return " * ".join(sizes) or "1"


def _turn(shape: Shape, blocks: dict[int, Lines], out: Lines) -> None:
    program = shape.layout.program
    width = shape.layout.width
    if program.equations:
        out.line("many = writings(n, symbols, st, x, F, KI, WB)")
        out.open("if many < 0:")
        out.line("broken_off(st, CNT, CS, x, filed, -many)")
        out.line("return -1")
        out.close()
        source, kind_at = f"WB[w * {width + 1} + 1 + {{c}}]", f"WB[w * {width + 1}]"
    else:
        source, kind_at = f"F[x * {width} + {{c}}]", "KI[x]"
    if not shape.rows:
        if program.equations:
            out.line("MU[x] = many > 1")
        out.line("entry = 0")
        if program.equations:
            out.open("for w in range(many):")
        out.line(f"kind = {kind_at}")
        _file(shape, source, out)
        if program.equations:
            out.close()
    if program.equations:
        out.open("for w in range(many):")
    out.line(f"kind = {kind_at}")
    word = "if"
    for kind, body in blocks.items():
        if not body.text:
            continue
        out.open(f"{word} kind == {kind}:")
        _columns(program, kind, source, out)
        out.add(body)
        out.close()
        word = "elif"
    if program.equations:
        out.close()


def _columns(program: Program, kind: int, source: str, out: Lines) -> None:
    for c in range(len(program.kinds[kind].columns)):
        out.line(f"c{c} = {source.format(c=c)}")


def _file(shape: Shape, source: str, out: Lines) -> None:
    """Write the entries of a writing into the lists; with a normal form, its place in the item table as well."""
    program = shape.layout.program
    by_kind: dict[int, list[tuple[int, Index]]] = {}
    for number, index in enumerate(shape.indexes):
        by_kind.setdefault(index.kind, []).append((number, index))
    word = "if"
    for kind in program.kinds:
        entries = by_kind.get(kind.number, [])
        placed = kind.form in program.equations
        if not entries and not placed:
            continue
        out.open(f"{word} kind == {kind.number}:")
        word = "elif"
        _columns(program, kind.number, source, out)
        digits = shape.layout.digits[kind.number]
        names = [f"c{c}" for c in range(len(kind.columns))]
        if placed:
            key = digits_text(digits, names, f"base_{kind.number}")
            out.open("if x > given:")
            if shape.hashed:
                out.line(f"key = {key}")
                out.open("if not enter(st, HK, TAB, key, x):")
                out.line("broken_off(st, CNT, CS, x, filed, TABLE_FULL)")
                out.line("return -1")
                out.close()
            else:
                out.line(f"TAB[{key}] = x")
            out.close()
        for number, index in entries:
            _entry(shape, number, index, names, out)
        out.close()


def _entry(shape: Shape, number: int, index: Index, names: list[str], out: Lines) -> None:
    depth = out.depth
    carried = sorted(shape.indexes[index])
    guards = [guard.format(*names) for guard in index.guards]
    if guards:
        out.open(f"if {' and '.join(f'({g})' for g in guards)}:")
    out.line("entry += 1")
    out.open("if entry > filed:")
    digits = [shape.layout.digits[index.kind][c] for c in index.key]
    key = digits_text(digits, [names[c] for c in index.key], f"list_{number}")
    if shape.hashed:
        out.line(f"k = new_list(st, JK, JV, {key})")
        out.open("if k < 0:")
        out.line("broken_off(st, CNT, CS, x, filed, LISTS_FULL)")
        out.line("return -1")
        out.close()
    else:
        out.line(f"k = {key}")
    out.line(f"p = room(st, LH, A, k, {1 + len(carried)})")
    out.open("if p < 0:")
    out.line("broken_off(st, CNT, CS, x, filed, ARENA_FULL)")
    out.line("return -1")
    out.close()
    out.line("A[p] = x")
    for k, c in enumerate(carried, start=1):
        out.line(f"A[p + {k}] = {names[c]}")
    out.line("filed = entry")
    out.depth = depth


def _made(layout: Layout, hashed: bool, out: Lines) -> None:
    """Write `made`, which enters a new item."""
    columns = [f"v{c}" for c in range(layout.width)]
    out.text += ["", "", "@apart"]
    out.open(f"def made(st, kind, {', '.join(columns)}, key, F, KI, {'HK, TAB' if hashed else 'TAB'}):")
    out.line("z = st[ITEMS] + 1")
    out.open("if z >= st[ITEM_ROOM]:")
    out.line("return -ITEMS_FULL")
    out.close()
    if hashed:
        out.open("if not enter(st, HK, TAB, key, z):")
        out.line("return -TABLE_FULL")
        out.close()
    else:
        out.line("TAB[key] = z")
    out.line("KI[z] = kind")
    for c, name in enumerate(columns):
        out.line(f"F[z * {layout.width} + {c}] = {name}")
    out.line("st[ITEMS] = z")
    out.line("return z")
    out.close()
