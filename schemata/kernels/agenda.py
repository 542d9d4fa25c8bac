"""The text of a kernel: a module with one function that takes items from the agenda, turn by turn.

Each turn: the item's writings are made, it is filed in the lists, then every rule looks for the instances in
which it is the latest antecedent. A turn either ends or leaves no trace but what is filed and what items it
made: where an array is full the kernel returns, the driver enlarges the array, and the turn begins again.

With `rows` the kernel derives nothing: it repeats the turns of a finished run and writes down the instances.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from schemata.grammars.relations import TABLES
from schemata.kernels.layout import SHIFT, WORD, Index, Layout, Quantities, Quantity
from schemata.kernels.lists import lists_of
from schemata.kernels.probe import Measure, Probe
from schemata.kernels.rewriting import emit_normal_forms
from schemata.kernels.rules import Block, emit_ask, emit_instances, leave
from schemata.kernels.runtime import WIDEST, finished
from schemata.kernels.shape import Shape
from schemata.machine.text import Lines
from schemata.program.duplicates import Duplicates
from schemata.program.facts import asks_of, conditions_of
from schemata.program.model import Atom, NotLowerable, Program, Rule
from schemata.program.queries import Query

_MANY = 80  # rules, once for each antecedent, from which on they call functions for their instances
_LARGE = 1500  # lines of blocks from which on they are put into functions of their own
_PART = 300  # lines of such a function
_TABLES = f"st, CNT, CS, F, KI, TAB, PL, BN, LH, MK, A, {', '.join(TABLES)}, MU, WB, WR, SH, SR, FM, LOG, OFF"
_HASHED = ", HK, JK, JV, QK, QV, RP, LI, LE, LN, PK, PV, SE, SN"


Queries: TypeAlias = dict[tuple[Query, tuple[int, ...], tuple[int, ...]], int]


@dataclass(frozen=True, slots=True)
class KernelText:
    """A kernel's module, and what the driver must lay out for it."""

    text: str
    source: str  # the same as it reads: with comments, names for constants, and without what all kernels call
    quantities: Quantities
    words: int  # of an instance in the table of those met in a turn
    large: bool  # compiling it takes its time
    keys: Mapping[str, int]  # words of the keys of hash tables
    queries: Queries  # tables of answers, by what is bound and what is wanted
    tables: tuple[str, ...]  # the parameters that are arrays
    probe: Probe | None = None  # measures the kernel


def emit_agenda(
    layout: Layout, hashed: bool, purpose: str, queries: Queries, measure: Measure | None = None
) -> KernelText:
    """Return the kernel of a program.

    Parameters
    ----------
    layout : the program's.
    hashed : the kind of storage.
    purpose : "count" derives items; "log" also writes step instances as it finds them; "rows" does nothing but
        write those of a finished run.
    queries : the numbers of the tables of answers, which a program's kernels share.
    measure : what the kernel measures, which only Python runs then.

    Raises
    ------
    NotLowerable : a rule has a variable that nothing bounds.
    """
    program = layout.program
    doubles = Duplicates(program)
    tables = _TABLES + (_HASHED if hashed else "")
    calls = sum(len(rule.antecedents) for rule in program.rules) > _MANY
    rows = purpose == "rows"
    shape = Shape(layout, hashed, rows, purpose == "log", calls, tables, tables_of_queries=queries)
    _blocks(shape, doubles)  # finds the indexes and the columns they carry
    shape.settle()
    if measure is not None:
        shape.probe = Probe(measure, indexes=Counter(index.kind for index in shape.indexes))
    axioms, blocks = _blocks(shape, doubles)
    given, finals = _clauses(shape, doubles)
    out = Lines()
    _made(layout, hashed, out)
    if program.equations:
        emit_normal_forms(shape, out)
    emit_instances(shape, tables, doubles.width, out)
    parts = _parts(shape, blocks, tables, out)
    if not rows:
        _begin(given, tables, out)
        _finals(shape, finals, tables, out)
    out.text += ["", ""]
    out.open(f"def kernel(n, symbols, most, work, {tables}):")
    out.line("x = st[AT]")
    out.line("steps = 0")
    out.open("for c in range(st[CASES]):")
    out.line("steps += CNT[c]")
    out.close()
    out.line("given = st[GIVEN]")
    out.open("if x == 0:")
    _begin_turn(shape, out)
    out.add(axioms)
    out.line("x = 1")
    out.close()
    last = "st[LAST]" if rows else "st[ITEMS]"
    out.open(f"while x <= {last} and steps <= most and work > 0:")
    _begin_turn(shape, out)
    out.line("work -= 1")
    _turn(shape, parts, out)
    out.line("work += st[WORK]")
    if program.equations and not rows:
        out.line("st[RECORDS] += many")
    out.line("x += 1")
    out.line("st[AGAIN] = 0")
    out.close()
    out.line("st[NEXT] = x + 1")
    out.line("st[AT] = x")
    out.line("st[STATUS] = RUNS")
    out.line("return 0")
    words = {"items": layout.width + 1, "lists": shape.list_words, "answers": max(2, shape.asked_words)}
    if lists_of(queries):
        words["pairs"] = 3
    widths = sorted({shape.entry(index).width for index in shape.indexes if index.queries})
    if max(widths, default=0) > WIDEST:
        raise NotLowerable(f"more than {WIDEST} values that one antecedent binds")
    source = "\n".join(out.text) + "\n"
    code = re.sub(r"(?m)^ *# .*\n", "", source)
    text = finished(
        code,
        doubles.width,
        calls,
        words if hashed else {},
        widths,
        shape.answer_texts(code),
    )
    names = tuple(tables.split(", "))
    large = _is_large(blocks)
    return KernelText(
        text, source, shape.quantities, doubles.width, large, words, queries, names, shape.probe
    )


def _begin(given: Lines, tables: str, out: Lines) -> None:
    """Write `begin`, which enters the hypotheses."""
    out.text += ["", "", "@apart"]
    out.open(f"def begin(n, symbols, {tables}):")
    out.line("x = 0")
    out.line("work = 0")
    out.add(given)
    out.line("st[STATUS] = RUNS")
    out.line("return work")
    out.close()


def _finals(shape: Shape, blocks: dict[int, Lines], tables: str, out: Lines) -> None:
    """Write `finals`, which marks the items that match a final pattern."""
    out.text += ["", "", "@apart"]
    out.open(f"def finals(n, symbols, {tables}):")
    out.line("x = st[AT]")
    out.line("given = st[GIVEN]")
    out.line("work = 0")
    out.open("while x <= st[LAST]:")
    out.line("st[POOL] = st[KEPT]")
    _written(shape, out)
    _by_kind(shape, blocks, out)
    out.line("x += 1")
    out.close()
    out.line("st[STATUS] = RUNS")
    out.line("return work + given")
    out.close()


def _begin_turn(shape: Shape, out: Lines) -> None:
    """Write the beginning of a turn: what was counted until then stays, wherever the turn is interrupted."""
    if shape.probe is not None:
        shape.probe.begin_turn(out)
    out.line("st[NEXT] = x + 1")
    out.open("for c in range(st[CASES]):")
    out.line("CS[c] = CNT[c]")
    out.close()
    out.line("st[POOL] = st[KEPT]")
    out.line("st[BEFORE] = st[LOGGED]")
    out.line("st[STAMP] += 1")
    out.line("st[MET] = 0")
    out.open("if st[AGAIN] == 0:")
    out.line("st[MADE] = st[ITEMS]")
    out.close()
    out.line("st[WORK] = 0")
    out.line("st[AT] = x")
    out.line("st[NEXT] = 0")


def _blocks(shape: Shape, doubles: Duplicates) -> tuple[Lines, dict[int, list[Lines]]]:
    """Return the code of the rules without antecedents, and that of the others by the kind of the item taken."""
    program = shape.layout.program
    axioms = Lines()
    found: dict[int, list[Lines]] = {}
    facts = program.facts
    for rule in sorted(program.rules, key=lambda rule: rule.consequent.kind not in facts):
        if not rule.antecedents:
            axioms.line(_heading(rule, -1))
            axioms.add(Block(shape, rule, -1, doubles).emit(()))
        for slot, atom in enumerate(rule.antecedents):
            if atom.kind in facts and any(a.kind not in facts for a in rule.antecedents):
                continue  # facts have their turns before all other items: such an instance is found later
            fields = [f"c{k}" for k in range(len(program.kinds[atom.kind].columns))]
            body = Lines()
            body.line(_heading(rule, slot))
            body.add(Block(shape, rule, slot, doubles).emit(fields))
            found.setdefault(atom.kind, []).append(body)
    return axioms, found


def _heading(rule: Rule, slot: int) -> str:
    """Return a comment that says of which case a rule is, and which antecedent the item is."""
    notes = [f"case {rule.case}", f"as antecedent {slot + 1}" if slot >= 0 else "at the start", rule.note]
    return f"# {', '.join(note for note in notes if note)}"


def _clauses(shape: Shape, doubles: Duplicates) -> tuple[Lines, dict[int, Lines]]:
    """Return the code that enters the hypotheses, and that which marks final items, by the kind of the item."""
    program = shape.layout.program
    given, finals = Lines(), dict[int, Lines]()
    if shape.rows:
        return given, finals
    for clause in program.hypotheses:
        tests = (
            *clause.tests,
            *clause.asks,
            *conditions_of(program.kinds, clause.atom),
            *asks_of(program.kinds, clause.atom),
        )
        rule = Rule(-1, -1, (), (), clause.atom, tests, ())
        given.add(Block(shape, rule, -1, doubles, "given").emit(()))
    for clause in program.finals:
        nothing = Atom(clause.atom.kind, ())
        rule = Rule(-1, -1, (clause.atom,), (False,), nothing, (*clause.tests, *clause.asks), ())
        fields = [f"c{k}" for k in range(len(clause.atom.terms))]
        body = Block(shape, rule, 0, doubles, "final").emit(fields)
        finals.setdefault(clause.atom.kind, Lines()).add(body)
    return given, finals


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
    if shape.probe is not None:
        shape.probe.begin_filing(out)
    _written(shape, out)
    source, kind_at = _places(shape)
    if not shape.rows:
        if program.equations:
            out.line("MU[x] = many > 1")
            out.open(f"if (st[RECORDS] + many) * {width + 1} > st[RECORD_ROOM]:")
            leave(out, "RECORDS_FULL")
            out.close()
            out.open("for w in range(many):")
        out.line(f"kind = {kind_at}")
        _file(shape, source, out)
        if program.equations:
            out.close()
    if shape.probe is not None:
        shape.probe.end_filing(out)
    _by_kind(shape, blocks, out)


def _places(shape: Shape) -> tuple[str, str]:
    """Return where the columns of a writing of the item stand, and its kind."""
    width = shape.layout.width
    if shape.layout.program.equations:
        return f"WB[w * {width + 1} + 1 + {{c}}]", f"WB[w * {width + 1}]"
    return f"F[x * {width} + {{c}}]", "KI[x]"


def _written(shape: Shape, out: Lines) -> None:
    """Write what makes the writings of the item."""
    if shape.layout.program.equations:
        out.line("many = writings(n, symbols, st, x, F, KI, WB)")
        out.open("if many < 0:")
        out.line("broken_off(st, CNT, CS, x, -many)")
        out.line("return -1")
        out.close()


def _by_kind(shape: Shape, blocks: Mapping[int, Lines], out: Lines) -> None:
    """Write the code for every writing of the item, by its kind."""
    source, kind_at = _places(shape)
    if shape.layout.program.equations:
        out.open("for w in range(many):")
    out.line(f"kind = {kind_at}")
    word = "if"
    for kind, body in blocks.items():
        if not body.text:
            continue
        out.open(f"{word} kind == {kind}:")
        _columns(shape.layout.program, kind, source, out)
        out.add(body)
        out.close()
        word = "elif"
    if shape.layout.program.equations:
        out.close()


def _columns(program: Program, kind: int, source: str, out: Lines) -> None:
    names = ", ".join(column.name for column in program.kinds[kind].columns)
    out.line(f"# {program.kinds[kind].name}: {names or 'no columns'}")
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
            key = shape.item_key(kind.number, names)
            out.open("if x > given:")
            if shape.hashed:
                out.open(f"if not items_enter(st, HK, TAB, PLACES, TABLE_SLOTS, {key}, x):")
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
    """Write the entries of an item into the lists of an index."""
    depth = out.depth
    entry = shape.entry(index)
    guards = [guard.format(*names) for guard in index.guards]
    if guards:
        out.open(f"if {' and '.join(f'({g})' for g in guards)}:")
    values = dict(enumerate(names))
    for query in index.queries:
        bound = [(place, values[value]) for place, value in query.inputs]
        answers = emit_ask(shape, query.query, bound, query.outputs, f"_{len(values)}", out)
        values |= {len(values) + k: answers[place] for k, place in enumerate(query.outputs)}
    if index.ranged is not None:
        lists, masks, count, words = (
            shape.quantity(Quantity(what, index)) for what in ("lists", "masks", "values", "words")
        )
        out.line(f"b = {shape.place(shape.layout.numbering(index.kind, index.key), values)}")
        out.line(f"q = {shape.ranged_value(index, names[index.ranged])}")
        out.line(f"k = {lists} + b * {count} + q")
        out.line(f"MK[{masks} + b * {words} + (q >> {SHIFT})] |= 1 << (q & {WORD - 1})")
    elif shape.hashed:
        out.line(f"k = new_list(st, JK, JV, {shape.list_key(index, values)})")
        out.open("if k == 0:")
        leave(out, "LISTS_FULL")
        out.close()
    else:
        out.line(f"k = {shape.list_number(index, values)}")
    item = "record" if entry.record else "x"
    if index.queries:
        row = ", ".join([item, *(values[c] for c in entry.carried)])
        out.open(f"if st[AGAIN] == 0 or there_{entry.width}(LH, A, k, {row}) == 0:")
    out.line(f"p = {'append' if index.queries else 'put'}(st, LH, A, k, {entry.width}, {item})")
    out.open("if p < 0:")
    leave(out, "ARENA_FULL")
    out.close()
    for k, c in enumerate(entry.carried, start=1):
        out.line(f"A[p + {k}] = {values[c]}")
    out.depth = depth


def _made(layout: Layout, hashed: bool, out: Lines) -> None:
    """Write `made`, which enters a new item."""
    columns = [f"v{c}" for c in range(layout.width)]
    out.text += ["", "", "@apart"]
    out.open(f"def made(st, kind, {', '.join(columns)}, F, KI, {'HK, TAB' if hashed else 'key, TAB'}):")
    out.line("z = st[ITEMS] + 1")
    out.open("if z >= st[ITEM_ROOM]:")
    out.line("return -ITEMS_FULL")
    out.close()
    if hashed:
        key = ", ".join(["kind", *columns])
        out.open(f"if not items_enter(st, HK, TAB, PLACES, TABLE_SLOTS, {key}, z):")
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
