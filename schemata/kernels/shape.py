"""The shape of a kernel: its join lists and their keys, its queries, bounds of columns, treatment of instances.

The text that rules and the filing of items share stands here, too: asking queries, making items and instances.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from schemata.charts import hyperedge_names
from schemata.kernels.layout import KeyedLists, Layout, Numbering, Quantities, Quantity
from schemata.kernels.lists import ANSWERING, answer_text
from schemata.kernels.measures import Probe
from schemata.machine.text import Nest, filled, nested
from schemata.program.instances import How, repetitions, step_numbers
from schemata.program.linear import Affine, Provided, condition_text, term_text
from schemata.program.model import Atom, NotLowerable, Program, Rule
from schemata.program.plan import Agree, Require, Walk, column_name
from schemata.program.queries import Query
from schemata.program.rewriting import as_written
from schemata.records import Record, dataclass, field
from schemata.thresholds import REFUSALS, WAYS


class ListEntry(Record):
    """The entries in the lists of an index: items with some columns, items alone, or the numbers of writings.

    Attributes
    ----------
    record : whether it is the number of a writing, of which items may have several.
    carried : the columns that stand beside an item.
    """

    record: bool
    carried: tuple[int, ...]

    @property
    def width(self) -> int:
        """Numbers in an entry."""
        return 1 + len(self.carried)

    def column(self, column: int, place: str, entry: str, width: int) -> str:
        """Return a column in code: of the entry that stands at a place, of kinds of so many columns at most."""
        if column in self.carried:
            return f"A[{place} + {1 + self.carried.index(column)}]"
        if self.record:
            return f"WR[{entry} * {1 + width} + {1 + column}]"
        return f"F[{entry} * {width} + {column}]"


@dataclass(slots=True)
class Shape:
    """A kernel's layout, storage and purpose, and the indexes met so far with the columns that are read there."""

    layout: Layout
    hashed: bool
    rows: bool  # write step instances instead of deriving items
    log: bool = False  # write them while items are derived
    leaves: bool = False  # note how items are predicted
    tables: str = ""  # the parameters of functions that are tables
    probe: Probe | None = None  # measures the kernel
    indexes: dict[KeyedLists, set[int]] = field(default_factory=dict)
    tables_of_queries: dict[tuple[Query, tuple[int, ...], tuple[int, ...]], int] = field(default_factory=dict)
    _answers: dict[int, str | None] = field(default_factory=dict)
    quantities: Quantities = field(init=False)
    _contained: dict[KeyedLists, KeyedLists] = field(default_factory=dict)

    as_written: frozenset[int] = field(init=False)  # kinds with hypotheses that no table of items has
    repetitions: Mapping[int, How] = field(init=False)  # when a rule's instances are compared with those met
    steps: Sequence[int] = field(init=False)  # by rule: what tells its instances from those of other steps
    _taken: int = field(init=False)  # places of the item taken, with none

    def __post_init__(self) -> None:
        program = self.layout.program
        self.quantities = Quantities(self.layout)
        self.as_written, self.repetitions = as_written(program), repetitions(program)
        self.steps = step_numbers(program)
        self._taken = 1 + max((len(rule.antecedents) for rule in program.rules), default=0)

    def step(self, rule: Rule, slot: int) -> str:
        """Return the number of a rule's step in code, with the place of the item taken."""
        return str(self.steps[rule.number] * self._taken + slot + 1)

    # what plans are made for (`program.forward.Storage`)

    @property
    def program(self) -> Program:
        """The program."""
        return self.layout.program

    @property
    def asks_items(self) -> bool:
        """Whether an item is queried when it is filed."""
        return not self.layout.bounded

    def may_range(self, kind: int, column: int) -> bool:
        """Whether lists may be divided by a column's values."""
        digit = self.layout.digits[kind][column]
        return digit.size is not None and not digit.open

    def within(self, atom: Atom, key: Sequence[int] | None = None) -> Sequence[Affine]:
        """Return the terms that must be at least 0 for an item to have a place, or its key to have lists."""
        found: list[Affine] = []
        if not self.hashed:
            for chain in self.layout.numbering(atom.kind, key).chains:
                found += (atom.terms[chain.columns[0]] - chain.shifts[0], *chain.rises(atom.terms))
                if chain.count is not None:
                    found.append(chain.count - 1 - (atom.terms[chain.columns[-1]] - chain.shifts[-1]))
        return found

    def window(self, atom: Atom, column: int) -> Sequence[Affine]:
        """Return the terms that must be at least 0 for a column to be in its window."""
        digit, term = self.layout.digits[atom.kind][column], atom.terms[column]
        return () if digit.size is None else (term - digit.low, digit.low + digit.size - 1 - term)

    def columns(self, walk: Walk, kind: int) -> tuple[tuple[int, ...], tuple[int, ...], int | None]:
        """Return the columns that select a list of a walk, their key, and the column that divides the lists."""
        index = self.index(walk, kind)
        return index.columns, index.key, index.ranged

    def index(self, walk: Walk, kind: int) -> KeyedLists:
        """Return the index for a walk through items of a kind, and note the columns that the walk reads."""
        names = {column_name(c): f"{{{c}}}" for c in range(len(self.program.kinds[kind].columns))}
        guards = tuple(sorted(_guard_text(guard, names, self.program.symbols) for guard in walk.guards))
        ranged = None if walk.limits is None else walk.limits.column
        wanted = KeyedLists(kind, tuple(number for number, _ in walk.values), guards, ranged, walk.queries)
        found = self._contained.get(wanted, wanted)
        self.indexes.setdefault(found, set()).update(walk.read)
        return found

    def entry(self, index: KeyedLists) -> ListEntry:
        """Return the form of the entries in an index's lists."""
        kind = self.layout.program.kinds[index.kind]
        read = tuple(sorted(self.indexes[index]))
        results = tuple(value for value in read if value >= len(kind.columns))
        if kind.form in self.layout.program.equations:
            return ListEntry(True, results)
        return ListEntry(False, read if len(read) - len(results) <= WAYS.carried_columns else results)

    def table(self, query: Query, bound: Sequence[int], wanted: Sequence[int]) -> int:
        """Return the number of the table of a query's answers."""
        key = query, tuple(bound), tuple(wanted)
        number = self.tables_of_queries.setdefault(key, len(self.tables_of_queries))
        if number >= REFUSALS.query_tables:
            raise NotLowerable.of(f"more than {REFUSALS.query_tables:,} questions to the grammar")
        return number

    def query(self, table: int) -> Query:
        """Return the query whose answers a table has."""
        return list(self.tables_of_queries)[table][0]

    def answers(self, table: int) -> bool:
        """Whether the kernel itself answers a query."""
        if table not in self._answers:
            query, bound, wanted = list(self.tables_of_queries)[table]
            symbols = self.layout.program.symbols
            self._answers[table] = answer_text(table, query, bound, wanted, symbols)
        return self._answers[table] is not None

    def answer_texts(self, text: str) -> str:
        """Return the functions that answer the queries which a text asks the kernel."""
        used = sorted({int(number) for number in re.findall(r"\banswer_(\d+)\(", text)})
        return "".join(self._answers[number] or "" for number in used)

    @property
    def remembers(self) -> bool:
        """Whether blocks remember how many instances items have; not with equations, which need every writing of an
        item.
        """
        return self.hashed and not (self.rows or self.log or self.probe or self.layout.program.equations)

    def is_logged(self, case: int) -> bool:
        """Whether step instances of a case are written while items are derived; kernels that count do so at first."""
        noted = self.hashed and not (
            self.rows or self.probe or self.layout.program.schema.cases[case].predicts
        )
        return self.log or noted

    @property
    def asked_words(self) -> int:
        """The most numbers in a key of answers: the table, and the values bound."""
        return 1 + max((len(bound) for _, bound, _ in self.tables_of_queries), default=0)

    @property
    def list_words(self) -> int:
        """The greatest number of words in a key of join lists: the index, and its key."""
        return 1 + max((len(index.columns) for index in self.indexes), default=0)

    def asked(self, table: int, values: Sequence[str]) -> str:
        """Return the code that looks up the answers to a query."""
        raised = "" if self.query(table).is_lasting else " + st[EPOCH]"
        return f"asked_{len(values)}({', '.join(['st', 'QK', f'{table}{raised}', *values])})"

    def item_key(self, kind: int, values: Sequence[str]) -> str:
        """Return an item's place in a dense table, or its key in a hash table."""
        if self.hashed:
            return ", ".join([str(kind), *values, *["0"] * (self.layout.width - len(values))])
        return self.item_place(kind, values)

    def item_at(self, key: str) -> str:
        """Return the code that looks up the item table."""
        return f"items_at(HK, st[TABLE_SLOTS], {key})" if self.hashed else f"TAB[{key}]"

    def entered(self, key: str, number: str, full: str) -> str:
        """Return the code that enters an item into the item table; `full` is the code for a full table."""
        if not self.hashed:
            return f"TAB[{key}] = {number}"
        return nested([f"if not items_enter(st, HK, PLACES, TABLE_SLOTS, {key}, {number}):", full])

    def list_key(self, index: KeyedLists, values: Mapping[int, str]) -> str:
        """Return the key of a list in a hash table, the values of all its columns given."""
        number = list(self.indexes).index(index)
        key = [values[c] for c in index.columns]
        return ", ".join([str(number), *key, *["0"] * (self.list_words - 1 - len(key))])

    def settle(self) -> bool:
        """Drop each index that a ranged or a coarser index can replace, and place the others; none are added after
        that.

        Returns
        -------
        Whether any were given up, so that plans look their items up in other lists.
        """
        for ranged in [index for index in self.indexes if index.ranged is not None]:
            plain = KeyedLists(ranged.kind, ranged.columns, ranged.guards, None, ranged.queries)
            if plain in self.indexes:
                self._give_up(plain, ranged)
        for plain in [
            index for index in self.indexes if index.ranged is None and len(index.key) > WAYS.key_columns
        ]:
            coarser = [other for other in self.indexes if _is_coarser(other, plain)]
            if coarser:
                self._give_up(plain, max(coarser, key=lambda other: len(other.columns)))
        self.quantities = Quantities(self.layout, list(self.indexes))
        return bool(self._contained)

    def _give_up(self, index: KeyedLists, other: KeyedLists) -> None:
        """Replace an index by a coarser one."""
        missing = set(index.key) - set(other.columns)
        self.indexes[other] |= self.indexes.pop(index) | missing
        self._contained[index] = other

    def quantity(self, what: Quantity) -> str:
        """Return a quantity in code."""
        return self.quantities.text(what)

    def item_place(self, kind: int, values: Sequence[str]) -> str:
        """Return an item's place in the item table, or its key."""
        place = self.place(self.layout.numbering(kind), dict(enumerate(values)))
        return f"{self.quantity(Quantity('items', kind))} + {place}"

    def list_number(self, index: KeyedLists, values: Mapping[int, str]) -> str:
        """Return the number of a list, or its key, the values of all its columns given."""
        place = self.place(self.layout.numbering(index.kind, index.key), values)
        if index.ranged is not None:
            value = self.ranged_value(index, values[index.ranged])
            place = f"({place}) * {self.quantity(Quantity('values', index))} + {value}"
        return f"{self.quantity(Quantity('lists', index))} + {place}"

    def ranged_value(self, index: KeyedLists, value: str) -> str:
        """Return a value of a ranged column as a number from 0 on."""
        assert index.ranged is not None
        low = self.layout.digits[index.kind][index.ranged].low_text
        return value if low == "0" else f"({value} - {low})"

    def place(self, numbering: Numbering, values: Mapping[int, str]) -> str:
        """Return a place, the values of columns given."""
        text = "0"
        for chain in numbering.chains:
            number = f"({chain.text(values)})"
            text = (
                number if text == "0" else f"({text} * {self.quantity(Quantity('size', chain))} + {number})"
            )
        return text


def _guard_text(guard: Agree | Require, names: Mapping[str, str], symbols: Sequence[str]) -> str:
    """Return a test of an item alone as text, with these names of its columns."""
    if isinstance(guard, Agree):
        return f"{names[guard.value]} == {term_text(guard.term, names, symbols)}"
    assert not isinstance(guard.test, Provided)
    return condition_text(guard.test, names, symbols)


def _is_coarser(one: KeyedLists, other: KeyedLists) -> bool:
    """Whether each list of an index is a union of lists of another one, and its key as long as keys may be."""
    return (
        (one.kind, one.guards, one.queries) == (other.kind, other.guards, other.queries)
        and len(one.columns) == WAYS.key_columns
        and set(one.columns) < set(other.key)
    )


# Text that rules and the filing of items share ---------------------------------------------------------------

_ASK = """
p{tag} = {look}
if p{tag} {missing}:
    {leave}
"""

_NEW = """
{key}
z = {look}
if z == 0:
    z = {made}
    if z < -1:
        {leave}
"""

_FRESH = """
new = fresh(st, SH, SR, {words})
if new < 0:
    {leave}
"""

_LEAF = """
e = z * {size}
if LF[e] != 0 and ({differ}):
    st[MIXED] = 1
elif LF[e] == 0 or LF[e] > {step}:
    {noted}
"""


def leaving(status: str) -> str:
    """Return the code that breaks off the turn with a status."""
    return f"broken_off(st, CNT, CS, x, {status})\nreturn -1"


def add_ask(
    shape: Shape, query: Query, bound: Sequence[tuple[int, str]], wanted: Sequence[int], tag: str, code: Nest
) -> Mapping[int, str]:
    """Add the code that looks up a query's answers, and the loop over them.

    Parameters
    ----------
    shape, query : the kernel, and the query.
    bound, wanted : the places that are known, with their text, and those that are asked for.
    tag : makes the locals' names new.

    Returns
    -------
    The locals with the wanted places.
    """
    table = shape.table(query, [k for k, _ in bound], wanted)
    values = [value for _, value in bound]
    if shape.answers(table):
        look = f"answer_{table}({', '.join([ANSWERING, *values])})"
        code.add(_ASK, tag=tag, look=look, missing="< 0", leave=leaving(f"-p{tag}"))
    else:
        code.add(_ASK, tag=tag, look=shape.asked(table, values), missing="== 0", leave=leaving("UNKNOWN"))
    if not wanted:
        code.add(f"if RP[p{tag}] > 0:")
        return {}
    width = len(wanted)
    size = f"RP[p{tag}]" + (f" * {width}, {width}" if width > 1 else "")
    code.add(f"for r{tag} in range(p{tag} + 1, p{tag} + 1 + {size}):")
    for k in range(width):
        code.add(f"a{tag}_{k} = RP[r{tag}{f' + {k}' if k else ''}]")
    return {place: f"a{tag}_{k}" for k, place in enumerate(wanted)}


def new_item(shape: Shape, kind: int, columns: Sequence[str], normal: bool = False) -> str:
    """Return the code that finds item `z` in the table or enters it, with `normal` in normal form."""
    key = shape.item_key(kind, columns)
    look = shape.item_at(key if shape.hashed else "key")
    key = "" if shape.hashed else f"key = {key}"
    if shape.rows:
        return f"{key}\nz = {look}"
    padded = ", ".join([*columns, *["0"] * (shape.layout.width - len(columns))])
    table = "HK" if shape.hashed else "key, TAB"
    made = f"made(st, {kind}, {padded}, F, KI, {table})"
    if normal:
        made = f"placed(n, symbols, st, {kind}, {padded}, F, KI, WB, PL, BN, {table})"
    return filled(_NEW, key=key, look=look, made=made, leave=leaving("-z"))


def add_instance(
    shape: Shape,
    rule: Rule,
    columns: Sequence[str],
    ids: Sequence[str],
    repeated: Sequence[int],
    words: Sequence[str],
    code: Nest,
) -> None:
    """Add the code that makes the consequent `z` and a test that the instance is new; later code is nested in it.

    Parameters
    ----------
    shape, rule : the kernel, and the rule of the instance.
    columns : the columns of the consequent.
    ids : the antecedents.
    repeated : those that the consequent may be.
    words : the key of the instance within its turn; its first word has room for the consequent, which it lacks.
    """
    program, kind, how = shape.layout.program, rule.consequent.kind, shape.repetitions[rule.number]
    normal = program.kinds[kind].form in program.equations
    code.add(new_item(shape, kind, columns, normal))
    tests = [*(["z > 0"] if normal else []), *(f"z != {ids[k]}" for k in repeated)]
    if tests:
        code.add(f"if {' and '.join(tests)}:")
    if how == "never":
        return
    fresh = filled(_FRESH, words=", ".join([f"{words[0]} + z", *words[1:]]), leave=leaving("MET_FULL"))
    if how == "writings":
        several = " or ".join(f"MU[{y}]" for y in dict.fromkeys(ids))
        fresh = filled("new = 1\nif {several}:\n    {fresh}\n", several=several, fresh=fresh)
    code.add(fresh)
    code.add("if new:")


def leaf_text(shape: Shape, case: int, ids: Sequence[str], ends: Sequence[str]) -> str:
    """Return the code that notes the first predicting instance of item `z`, and whether others build something else."""
    schema = shape.layout.program.schema
    if not shape.leaves or not schema.cases[case].predicts:
        return ""
    after, size = shape.layout.leaf_places
    name = hyperedge_names(schema)[case]
    built = [*ends, *["-1"] * (after - 1 - len(ends))]
    differ = [f"(LF[e] - 1) // {len(schema.cases)} != {name}"]
    differ += [f"LF[e + {k}] != {end}" for k, end in enumerate(built, start=1)]
    step = 1 + name * len(schema.cases) + case
    row = [str(step), *built, *(f"{y} - 1" for y in ids)]
    noted = "\n".join(f"LF[e + {k}] = {value}" for k, value in enumerate(row))
    return filled(_LEAF, size=size, differ=" or ".join(differ), step=step, noted=noted)
