"""The text of a kernel: a module with one function that takes items from the agenda, turn by turn.

In each turn the kernel makes the writings of an item and files it in the lists; then every rule looks for the
instances in which it is the latest antecedent. If an array is full, the kernel returns, the driver enlarges the
array, and the turn begins again; only the entries in lists and the items made remain of a turn broken off.

With `rows` the kernel derives nothing: it repeats the turns of a finished run and writes down the instances.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from schemata.grammars.relations import TABLES
from schemata.grouping import grouped
from schemata.kernels.kept import KernelText, Queries
from schemata.kernels.layout import KeyedLists, Layout, Quantity
from schemata.kernels.measures import Measure, Probe
from schemata.kernels.rules import Block
from schemata.kernels.runtime import MASK_BITS, MASK_SHIFT, finished
from schemata.kernels.shape import Shape, add_ask, leaving
from schemata.machine.text import Nest, filled, nested
from schemata.program.facts import asks_of, conditions_of
from schemata.program.forward import forward
from schemata.program.model import Atom, Kind, NotLowerable, Rule
from schemata.program.plan import Inquire, Plan
from schemata.program.rewriting import Rewriting
from schemata.thresholds import REFUSALS, WAYS

_REMEMBERS = 1 << 20  # numbers of what blocks remember, above those of lists
_TABLES = (
    f"st, CNT, CS, F, KI, TAB, PL, BN, LH, MK, A, {', '.join(TABLES)}, MU, WB, WR, SH, SR, FM, LOG, OFF, LF"
)
_HASHED = ", HK, JK, QK, RP, LI, LE, LN, PK, CH, SE, SN, LB"

_MADE = '''

@apart
def made(st, kind, {columns}, F, KI, {table}):
    """Enter a new item; returns its number, below 0 what is full."""
    z = st[ITEMS] + 1
    if z >= st[ITEM_ROOM]:
        return -ITEMS_FULL
    {entered}
    KI[z] = kind
    {filled}
    st[ITEMS] = z
    return z
'''

_ENDS = '''

@apart
def begin(n, symbols, {tables}):
    """Enter the hypotheses."""
    x = 0
    work = 0
    {hypotheses}
    st[STATUS] = RUNS
    return work


@apart
def finals(n, symbols, {tables}):
    """Mark the items that match a final pattern."""
    x = st[AT]
    given = st[GIVEN]
    work = 0
    while x <= st[LAST]:
        st[POOL] = st[KEPT]
        {writings}
        {by_kind}
        x += 1
    st[STATUS] = RUNS
    return work + given
'''

_NORMAL_FORMS = '''

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
            z = made(st, kind, {row}, F, KI, {place})
            if z < -1:
                return z
    {entered}
    return z
'''

_KERNEL = '''

def kernel(n, symbols, most, work, {tables}):
    """Take items from the agenda until there are no more, enough steps are found, or the slice is over."""
    x = st[AT]
    steps = 0
    for c in range(st[CASES]):
        steps += CNT[c]
    given = st[GIVEN]
    if x == 0:
        {begin_turn}
        {axioms}
        x = 1
    while x <= {last} and steps <= most and work > 0:
        {begin_turn}
        work -= 1
        {filing}
        {writings}
        {file}
        {filed}
        {by_kind}
        work += st[WORK]
        {recorded}
        x += 1
        st[AGAIN] = 0
    st[NEXT] = x + 1
    st[AT] = x
    st[STATUS] = RUNS
    return 0
'''

# Counts from before a turn stay, wherever the turn is interrupted.
_BEGIN_TURN = """
{measured}
st[NEXT] = x + 1
for c in range(st[CASES]):
    CS[c] = CNT[c]
st[POOL] = st[KEPT]
st[BEFORE] = st[LOGGED]
st[STAMP] += 1
st[MET] = 0
if st[AGAIN] == 0:
    st[MADE] = st[ITEMS]
st[WORK] = 0
st[AT] = x
st[NEXT] = 0
"""

_PART_OF_TURN = """

@apart
def part_{number}({parameters}):
    steps = 0
    work = 0
    {body}
    st[WORK] += work
    return steps
"""

_CALL = """
more = part_{number}({parameters})
if more < 0:
    return -1
steps += more
"""

_WRITINGS = """
many = writings(n, symbols, st, x, F, KI, WB)
if many < 0:
    broken_off(st, CNT, CS, x, -many)
    return -1
"""

_FILE = """
MU[x] = many > 1
if (st[RECORDS] + many) * {width} > st[RECORD_ROOM]:
    {leave}
for w in range(many):
    kind = {kind}
    {cases}
"""

_RECORD = """
record = st[RECORDS] + w
WR[record * {width}] = x
{columns}
if x > given:
    {entered}
"""

_REMEMBERED = """
h = new_list(st, JK, {key})
if h == 0:
    {full}
if LH[2 * h + 1] == {count}:
    p = LH[2 * h]
    {known}
else:
    LH[2 * h + 1] = 0
    {blocks}
    {noted}
"""

_KNOWN = """
CNT[{case}] += A[p + {k}]
steps += A[p + {k}]
"""

_RANGED = """
b = {place}
q = {value}
k = {lists} + b * {values} + q
MK[{masks} + b * {words} + (q >> {shift})] |= 1 << (q & {bit})
"""

_LIST = """
k = new_list(st, JK, {key})
if k == 0:
    {leave}
"""

_PUT = """
p = {put}(st, LH, A, {k}, {width}, {item})
if p < 0:
    {leave}
{carried}
"""


def emit_agenda(
    layout: Layout, hashed: bool, purpose: str, queries: Queries, measure: Measure | None = None
) -> KernelText:
    """Return the kernel of a program.

    Parameters
    ----------
    layout : the layout of the program.
    hashed : the kind of storage.
    purpose : "count" derives items, and over hash tables logs the first step instances; "log" logs all of them as it
        finds them; "rows" does nothing but write those of a finished run, "edges" those that do not predict.
    queries : the numbers of the tables of answers, which a program's kernels share.
    measure : the measurement, with which only Python runs the kernel.

    Raises
    ------
    NotLowerable : a rule has a variable that nothing bounds.
    """
    program = layout.program
    words_met = program.instance_words
    tables = _TABLES + (_HASHED if hashed else "")
    rows = purpose in ("rows", "edges")
    leaves = purpose == "count" and layout.leaf_places[0] > 0
    shape = Shape(layout, hashed, rows, purpose == "log", leaves, tables, tables_of_queries=queries)
    plans = planned(shape)
    if measure is not None:
        shape.probe = Probe(measure, indexes=Counter(index.kind for index in shape.indexes))
    frame = shape.probe.frame if shape.probe is not None else {"measured": "", "filing": "", "filed": ""}
    axioms, blocks = _blocks(shape, plans, edges=purpose == "edges")
    functions, by_kind = _in_parts(shape, blocks)
    recorded = bool(program.equations) and not rows
    writings = _WRITINGS if program.equations else ""
    kernel = filled(
        _KERNEL,
        **frame,
        tables=tables,
        begin_turn=filled(_BEGIN_TURN, **frame),
        axioms="\n".join(axioms),
        last="st[LAST]" if rows else "st[ITEMS]",
        writings=writings,
        file="" if rows else _file(shape),
        by_kind=_for_writings(shape, by_kind),
        recorded="st[RECORDS] += many" if recorded else "",
    )
    ends = "" if rows else _ends(shape, writings)
    rewriting = _normal_forms(shape) if program.equations else ""
    source = "".join([_made(shape), rewriting, *functions, ends, kernel])
    words = {"items": layout.width + 1, "lists": shape.list_words, "answers": max(2, shape.asked_words)}
    if any(map(shape.answers, range(len(queries)))):
        words["pairs"] = 3
    widths = sorted({shape.entry(index).width for index in shape.indexes if index.queries})
    if max(widths, default=0) > REFUSALS.entry_values:
        raise NotLowerable.of(f"more than {REFUSALS.entry_values} values that one antecedent binds")
    code = re.sub(r"(?m)^ *# .*\n", "", source)
    keys, answers = words if hashed else {}, shape.answer_texts(code)
    text = finished(code, words_met, keys, widths, answers)
    names = tuple(tables.split(", "))
    large = _is_large(blocks)
    return KernelText(
        text, source, shape.quantities, words_met, large, words, queries, names, leaves, shape.probe
    )


def planned(shape: Shape) -> list[Plan]:
    """Return the plans of a kernel; its shape gets the indexes, the columns they carry, and the tables of answers."""
    plans = _plans(shape)
    return _plans(shape) if shape.settle() else plans


def _plans(shape: Shape) -> list[Plan]:
    """Return the plans of all rules for all antecedents that an item may be, rules for facts first."""
    program, found = shape.program, list[Plan]()
    facts = program.facts
    for rule in sorted(program.rules, key=lambda rule: rule.consequent.kind not in facts):
        slots: Sequence[int] = range(len(rule.antecedents)) if rule.antecedents else (-1,)
        if any(atom.kind not in facts for atom in rule.antecedents):
            # facts have their turns before all other items: such an instance is found later
            slots = [slot for slot in slots if rule.antecedents[slot].kind not in facts]
        found += [forward(shape, rule, slot) for slot in slots]
    for plan in found:
        for move in plan.moves:
            if isinstance(move, Inquire):
                shape.table(move.test.query, move.bound, move.wanted)
    return found


KernelBlocks: TypeAlias = dict[int, list[str]]  # code by the kind of the item taken


def _blocks(shape: Shape, plans: Iterable[Plan], edges: bool = False) -> tuple[list[str], KernelBlocks]:
    """Return the code of rules without antecedents, and that of the others; with `edges` none of those that predict."""
    axioms: list[str] = []
    blocks: dict[int, list[Block]] = {}
    for plan in plans:
        rule = plan.rule
        if edges and shape.program.schema.cases[rule.case].predicts:
            continue
        block = Block(shape, plan)
        if not rule.antecedents:
            axioms.append(f"{_heading(rule, -1)}\n{block.text}")
        else:
            blocks.setdefault(rule.antecedents[plan.slot].kind, []).append(block)
    return axioms, {kind: _remembering(shape, row) for kind, row in blocks.items()}


def _remembering(shape: Shape, blocks: Iterable[Block]) -> list[str]:
    """Return the text of blocks; those that look at the same few columns remember how many instances they found."""
    texts: list[str] = []
    slots = max(len(rule.antecedents) for rule in shape.layout.program.rules)
    for key, alike in grouped((block.key, block) for block in blocks).items():
        named = [f"{_heading(block.rule, block.slot)}\n{block.text}" for block in alike]
        if not key:
            texts += named
            continue
        number = _REMEMBERS + alike[0].rule.number * slots + alike[0].slot
        words = [str(number), *key, *["0"] * shape.list_words][: shape.list_words]
        noted = (
            filled(_PUT, put="append", item=f"q{k}", k="h", width=1, leave=leaving("ARENA_FULL"), carried="")
            for k in range(len(alike))
        )
        texts.append(
            filled(
                _REMEMBERED,
                key=", ".join(words),
                full=leaving("LISTS_FULL"),
                count=len(alike),
                known="\n".join(filled(_KNOWN, case=block.rule.case, k=k) for k, block in enumerate(alike)),
                blocks="\n".join(f"{text}\nq{k} = found" for k, text in enumerate(named)),
                noted="\n".join(noted),
            )
        )
    return texts


def _heading(rule: Rule, slot: int) -> str:
    """Return a comment that says of which case a rule is, and which antecedent the item is."""
    notes = [f"case {rule.case}", f"as antecedent {slot + 1}" if slot >= 0 else "at the start", rule.note]
    return f"# {', '.join(note for note in notes if note)}"


def _ends(shape: Shape, writings: str) -> str:
    """Return the code that enters the hypotheses and marks final items."""
    program = shape.layout.program
    hypotheses: list[str] = []
    finals: KernelBlocks = {}
    for clause in program.hypotheses:
        conditions = (*conditions_of(program.kinds, clause.atom), *asks_of(program.kinds, clause.atom))
        rule = Rule(-1, -1, (), (), clause.atom, (*clause.tests, *clause.asks, *conditions), ())
        hypotheses.append(Block(shape, forward(shape, rule, -1), "given").text)
    for clause in program.finals:
        nothing = Atom(clause.atom.kind, ())
        rule = Rule(-1, -1, (clause.atom,), (False,), nothing, (*clause.tests, *clause.asks), ())
        finals.setdefault(clause.atom.kind, []).append(Block(shape, forward(shape, rule, 0), "final").text)
    return filled(
        _ENDS,
        tables=shape.tables,
        hypotheses="\n".join(hypotheses),
        writings=writings,
        by_kind=_for_writings(shape, finals),
    )


def _is_large(blocks: KernelBlocks) -> bool:
    return sum(_size(block) for row in blocks.values() for block in row) > WAYS.block_lines


def _size(block: str) -> int:
    return block.count("\n") + 1


def _in_parts(shape: Shape, blocks: KernelBlocks) -> tuple[list[str], KernelBlocks]:
    """Move the code of a large kernel into functions; returns them and their calls (of a small kernel, its code).

    LLVM takes more than twice as long for a function of twice the size.
    """
    if not _is_large(blocks):
        return [], blocks
    functions: list[str] = []
    calls: KernelBlocks = {}
    for kind, row in blocks.items():
        columns = [f"c{c}" for c in range(len(shape.layout.program.kinds[kind].columns))]
        parameters = ", ".join(["n", "symbols", "x", "given", *columns, shape.tables])
        waiting = list(row)
        while waiting:
            part = [waiting.pop(0)]
            while waiting and sum(map(_size, part)) + _size(waiting[0]) <= WAYS.part_lines:
                part.append(waiting.pop(0))
            names = {"number": len(functions) + 1, "parameters": parameters}
            functions.append(filled(_PART_OF_TURN, **names, body="\n".join(part)))
            calls.setdefault(kind, []).append(filled(_CALL, **names))
    return functions, calls


def _for_writings(shape: Shape, blocks: KernelBlocks) -> str:
    """Return the code for every writing of the item, by its kind."""
    cases = _cases(shape, {kind: "\n".join(row) for kind, row in blocks.items()})
    loop = ["for w in range(many):"] if shape.layout.program.equations else []
    return nested([*loop, f"kind = {_places(shape)[1]}", cases])


def _places(shape: Shape) -> tuple[str, str]:
    """Return where the columns of a writing of the item stand, and its kind."""
    width = shape.layout.width
    if shape.layout.program.equations:
        return f"WB[w * {width + 1} + 1 + {{c}}]", f"WB[w * {width + 1}]"
    return f"F[x * {width} + {{c}}]", "KI[x]"


def _cases(shape: Shape, bodies: Mapping[int, str]) -> str:
    """Return a case for each kind of the writing at hand, with its columns as c0, c1 ... in front."""
    cases: list[str] = []
    for number, body in bodies.items():
        if body:
            kind = shape.layout.program.kinds[number]
            names = ", ".join(column.name for column in kind.columns)
            columns = [f"c{c} = {_places(shape)[0].format(c=c)}" for c in range(len(kind.columns))]
            head = f"{'elif' if cases else 'if'} kind == {number}:"
            cases.append(nested([head, f"# {kind.name}: {names or 'no columns'}", *columns, body]))
    return "\n".join(cases)


def _file(shape: Shape) -> str:
    """Return the code that enters a writing into the lists; with a normal form, into the item table as well."""
    program = shape.layout.program
    bodies: dict[int, str] = {}
    for kind in program.kinds:
        names = [f"c{c}" for c in range(len(kind.columns))]
        indexes = [index for index in shape.indexes if index.kind == kind.number]
        alike = grouped(((index.guards, index.queries), index) for index in indexes)
        entries = [_entries(shape, group, names) for group in alike.values()]
        if kind.form in program.equations:
            entries.insert(0, _record(shape, kind.number, names))
        bodies[kind.number] = "\n".join(entries)
    cases, kind_of = _cases(shape, bodies), _places(shape)[1]
    if not program.equations:
        return f"kind = {kind_of}\n{cases}"
    return filled(
        _FILE, width=shape.layout.width + 1, leave=leaving("RECORDS_FULL"), kind=kind_of, cases=cases
    )


def _record(shape: Shape, kind: int, names: Sequence[str]) -> str:
    """Return the code that records a writing."""
    width = shape.layout.width + 1
    entered = shape.entered(shape.item_key(kind, names), "x", leaving("TABLE_FULL"))
    columns = "\n".join(f"WR[record * {width} + {c}] = {name}" for c, name in enumerate(names, start=1))
    return filled(_RECORD, width=width, columns=columns, entered=entered)


def _entries(shape: Shape, indexes: Sequence[KeyedLists], names: Sequence[str]) -> str:
    """Return the code that enters an item into the lists of indexes with the same guards and queries."""
    code, (first, *_) = Nest(), indexes
    guards = [guard.format(*names) for guard in first.guards]
    if guards:
        code.add(f"if {' and '.join(f'({g})' for g in guards)}:")
    values = dict(enumerate(names))
    for query in first.queries:
        bound = [(place, values[value]) for place, value in query.inputs]
        answers = add_ask(shape, query.query, bound, query.outputs, f"_{len(values)}", code)
        values |= {len(values) + k: answers[place] for k, place in enumerate(query.outputs)}
    code.add("\n".join(_entry(shape, index, values) for index in indexes))
    return str(code)


def _entry(shape: Shape, index: KeyedLists, values: Mapping[int, str]) -> str:
    """Return the code of an entry in a list, from the values of columns and of the answers to its queries."""
    code, entry = Nest(), shape.entry(index)
    if index.ranged is not None:
        sizes = {
            what: shape.quantity(Quantity(what, index)) for what in ("lists", "masks", "values", "words")
        }
        place = shape.place(shape.layout.numbering(index.kind, index.key), values)
        value = shape.ranged_value(index, values[index.ranged])
        code.add(_RANGED, **sizes, place=place, value=value, shift=MASK_SHIFT, bit=MASK_BITS - 1)
    elif shape.hashed:
        code.add(_LIST, key=shape.list_key(index, values), leave=leaving("LISTS_FULL"))
    else:
        code.add(f"k = {shape.list_number(index, values)}")
    item = "record" if entry.record else "x"
    if index.queries:
        row = ", ".join([item, *(values[c] for c in entry.carried)])
        code.add(f"if st[AGAIN] == 0 or there_{entry.width}(LH, A, k, {row}) == 0:")
    code.add(
        _PUT,
        put="append" if index.queries else "put",
        k="k",
        width=entry.width,
        item=item,
        leave=leaving("ARENA_FULL"),
        carried="\n".join(f"A[p + {k}] = {values[c]}" for k, c in enumerate(entry.carried, start=1)),
    )
    return str(code)


def _made(shape: Shape) -> str:
    """Return `made`, which enters a new item."""
    width = shape.layout.width
    columns = [f"v{c}" for c in range(width)]
    key = ", ".join(["kind", *columns]) if shape.hashed else "key"
    return filled(
        _MADE,
        columns=", ".join(columns),
        table="HK" if shape.hashed else "key, TAB",
        entered=shape.entered(key, "z", "return -TABLE_FULL"),
        filled="\n".join(f"F[z * {width} + {c}] = {name}" for c, name in enumerate(columns)),
    )


def _normal_forms(shape: Shape) -> str:
    """Return the functions of agenda kernels: those of all kernels, `writings` and `placed`.

    Raises
    ------
    NotLowerable : an equation whose one side does not determine the other.
    """
    layout, hashed = shape.layout, shape.hashed
    rewriting, width = Rewriting.of(layout.program), layout.width + 1
    columns = [f"v{c}" for c in range(layout.width)]

    def look(kind: Kind) -> Iterable[str]:
        values = [f"WB[b + {c}]" for c in range(1, len(kind.columns) + 1)]
        yield from (f"WB[b + {c}] = 0" for c in range(len(kind.columns) + 1, width))
        if hashed:
            yield f"z = {shape.item_at(shape.item_key(kind.number, values))}"
        else:
            yield f"other = {shape.item_place(kind.number, values)}"
            yield "z = TAB[other]"

    key = ", ".join(["first", *columns]) if hashed else "key"
    text = filled(
        _NORMAL_FORMS,
        columns_of_items=layout.width,
        width=width,
        columns=", ".join(columns),
        rewritable=" or ".join(f"KI[x] == {kind.number}" for kind in rewriting.kinds),
        tables="HK" if hashed else "key, TAB",
        copied="\n".join(f"WB[b + {c}] = {name}" for c, name in enumerate(columns, 1)),
        looked_up=rewriting.by_kind(look),
        row=", ".join(f"WB[b + {c}]" for c in range(1, width)),
        place="HK" if hashed else "other, TAB",
        entered=shape.entered(key, "z", "return -TABLE_FULL"),
    )
    return rewriting.text(layout.width) + text
