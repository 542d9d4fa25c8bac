"""The text of a kernel: a module with one function that takes items from the agenda, turn by turn.

Each turn: the item's writings are made, it is filed in the lists, then every rule looks for the instances in
which it is the latest antecedent. A turn either ends or leaves no trace but what is filed and what items it
made: where an array is full the kernel returns, the driver enlarges the array, and the turn begins again.

With `rows` the kernel derives nothing: it repeats the turns of a finished run and writes down the instances.
"""

from __future__ import annotations

from dataclasses import dataclass

from schemata.engine.native.block import Block
from schemata.engine.native.instance import emit_instances, leave
from schemata.engine.native.layout import SHIFT, WORD, Index, Layout, Quantities, Quantity
from schemata.engine.native.lines import Lines
from schemata.engine.native.rewriting import emit_normal_forms
from schemata.engine.native.runtime import finished
from schemata.engine.native.shape import Shape
from schemata.program.duplicates import Doubles
from schemata.program.model import Program

__all__ = ["KernelText", "emit_agenda"]

_MANY = 80  # rules, once for each antecedent, from which on they call functions for their instances
_LARGE = 1500  # lines of blocks from which on they are put into functions of their own
_PART = 300  # lines of such a function
_TABLES = "st, CNT, CS, F, KI, TAB, PL, BN, LH, MK, A, LIC, CAT, CLIC, MU, WB, WR, SH, SR, LOG, OFF"


@dataclass(frozen=True, slots=True)
class KernelText:
    """A kernel's module, and what the driver must lay out for it."""

    text: str
    quantities: Quantities
    words: int  # of an instance in the table of those met in a turn
    large: bool  # compiling it takes its time


def emit_agenda(layout: Layout, hashed: bool, rows: bool) -> KernelText:
    """Return the kernel of a program.

    Raises
    ------
    NotLowerable : a rule has a variable that nothing bounds.
    """
    program = layout.program
    doubles = Doubles(program)
    tables = _TABLES + (", HK, JK, JV" if hashed else "")
    calls = sum(len(rule.antecedents) for rule in program.rules) > _MANY
    shape = Shape(layout, hashed, rows, calls, tables)
    _blocks(shape, doubles)  # finds the indexes and the columns they carry
    shape.settle()
    axioms, blocks = _blocks(shape, doubles)
    out = Lines()
    if any(not program.equations.get(kind.form) for kind in program.kinds):
        _made(layout, hashed, out)
    if program.equations:
        emit_normal_forms(shape, out)
    emit_instances(shape, tables, doubles.width, out)
    parts = _parts(shape, blocks, tables, out)
    out.text += ["", ""]
    out.open(f"def kernel(n, symbols, most, work, {tables}):")
    out.line("x = st[AT]")
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
    if program.equations and not rows:
        out.line("st[RECORDS] += many")
    out.line("x += 1")
    out.line("st[AGAIN] = 0")
    out.close()
    out.line("st[AT] = x")
    out.line("st[STEPS] = steps")
    out.line("st[STATUS] = RUNS")
    out.line("return 0")
    text = finished("\n".join(out.text) + "\n", doubles.width, calls)
    return KernelText(text, shape.quantities, doubles.width, _is_large(blocks))


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


def _is_large(blocks: dict[int, list[Lines]]) -> bool:
    return sum(len(block.text) for row in blocks.values() for block in row) > _LARGE


def _parts(shape: Shape, blocks: dict[int, list[Lines]], tables: str, out: Lines) -> dict[int, Lines]:
    """Return the code for an item of each kind; in large kernels it calls functions, which are written first.

    LLVM takes more than twice as long for a function of twice the size.
    """
    large = _is_large(blocks)
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
            head = ", ".join(["n", "symbols", "x", "given", *columns, tables])
            out.text += ["", "", "@apart"]
            out.open(f"def part_{number}({head}):")
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


def _turn(shape: Shape, blocks: dict[int, Lines], out: Lines) -> None:
    program = shape.layout.program
    width = shape.layout.width
    if program.equations:
        out.line("many = writings(n, symbols, st, x, F, KI, WB)")
        out.open("if many < 0:")
        out.line("broken_off(st, CNT, CS, x, -many)")
        out.line("return -1")
        out.close()
        source, kind_at = f"WB[w * {width + 1} + 1 + {{c}}]", f"WB[w * {width + 1}]"
    else:
        source, kind_at = f"F[x * {width} + {{c}}]", "KI[x]"
    if not shape.rows:
        if program.equations:
            out.line("MU[x] = many > 1")
        if program.equations:
            out.open(f"if (st[RECORDS] + many) * {width + 1} > st[RECORD_ROOM]:")
            leave(out, "RECORDS_FULL")
            out.close()
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
    by_kind: dict[int, list[Index]] = {}
    for index in shape.indexes:
        by_kind.setdefault(index.kind, []).append(index)
    word = "if"
    for kind in program.kinds:
        entries = by_kind.get(kind.number, [])
        placed = kind.form in program.equations
        if not entries and not placed:
            continue
        out.open(f"{word} kind == {kind.number}:")
        word = "elif"
        _columns(program, kind.number, source, out)
        names = [f"c{c}" for c in range(len(kind.columns))]
        if placed:
            width = shape.layout.width + 1
            out.line("record = st[RECORDS] + w")
            out.line(f"WR[record * {width}] = x")
            for c, name in enumerate(names, start=1):
                out.line(f"WR[record * {width} + {c}] = {name}")
            key = shape.item_place(kind.number, names)
            out.open("if x > given:")
            if shape.hashed:
                out.line(f"key = {key}")
                out.open("if not enter(st, HK, TAB, key, x):")
                out.line("broken_off(st, CNT, CS, x, TABLE_FULL)")
                out.line("return -1")
                out.close()
            else:
                out.line(f"TAB[{key}] = x")
            out.close()
        for index in entries:
            _entry(shape, index, names, out)
        out.close()


def _entry(shape: Shape, index: Index, names: list[str], out: Lines) -> None:
    depth = out.depth
    entry = shape.entry(index)
    guards = [guard.format(*names) for guard in index.guards]
    if guards:
        out.open(f"if {' and '.join(f'({g})' for g in guards)}:")
    values = dict(enumerate(names))
    if index.ranged is not None:
        lists, masks, count, words = (
            shape.quantity(Quantity(what, index)) for what in ("lists", "masks", "values", "words")
        )
        out.line(f"b = {shape.place(shape.layout.numbering(index.kind, index.key), values)}")
        out.line(f"q = {shape.ranged_value(index, names[index.ranged])}")
        out.line(f"k = {lists} + b * {count} + q")
        out.line(f"MK[{masks} + b * {words} + (q >> {SHIFT})] |= 1 << (q & {WORD - 1})")
    elif shape.hashed:
        out.line(f"k = new_list(st, JK, JV, {shape.list_number(index, values)})")
        out.open("if k < 0:")
        leave(out, "LISTS_FULL")
        out.close()
    else:
        out.line(f"k = {shape.list_number(index, values)}")
    out.line(f"p = put(st, LH, A, k, {entry.width}, {'record' if entry.record else 'x'})")
    out.open("if p < 0:")
    leave(out, "ARENA_FULL")
    out.close()
    for k, c in enumerate(entry.carried, start=1):
        out.line(f"A[p + {k}] = {names[c]}")
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
