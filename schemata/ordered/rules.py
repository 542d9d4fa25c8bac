"""The text of one rule of an ordered kernel: its loops, its tests as early as possible, and the innermost work.

*fill* sets the consequent's byte and counts. *rows* writes a row of numbers, *codes* the values of the free variables
only, *expand* appends the row to a Python list. Where a kernel counts and nothing can be found twice, the tests of
the innermost loop are joined by `&` instead of branches, so that it can be vectorised.

Kernels that weigh have a table with a real number for every place. An item's weight is the sum, over the hyperedges
that derive it, of the product of the weights of the structural antecedents and of the links. Hypotheses are worth
one, even where a step derives them. A `WeightAlgebra` says what zero and one are, and how products and sums are
written:

    viterbi   product x + y, sum max(x, y)
    real      product x * y, sum x + y
    log       product x + y; the maximum first, then the sum of exp(product - maximum), then one log for each item

The zero of logarithms is not minus infinity but -1e300, since LLVM's fast-math flags are for finite numbers. A
product with it is at most about -1e300, and the maximum with the zero is the zero again. So innermost loops need not
test whether an item is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from schemata.machine.text import filled, nested, one_of
from schemata.ordered import plan as p
from schemata.program.instances import CONSEQUENT, Several, instance_text, step_numbers
from schemata.program.linear import (
    Affine,
    AnyOf,
    Asks,
    Linear,
    Provided,
    Test,
    condition_text,
    term_text,
)
from schemata.program.model import Atom, Program
from schemata.program.plan import LookUp, Move, Range, Require, column_name, depth, levels
from schemata.records import Record, field

NONE = -1e300


class Phase(Record):
    """A run over all hyperedges of an item: the text before it, and the treatment of a product.

    In the text `{x}` and `{z}` are where the phases add up, `{old}` is the item's weight before and `{y}` a product.
    """

    begin: str
    added: str


class WeightAlgebra(Record):
    """A way to add and multiply weights.

    Attributes
    ----------
    zero, one : as numbers.
    operator : of products.
    least : weights are above it where an item is there.
    phases : the sums in turn; the first is the result, or the greatest product.
    result : the sum, when all phases are over.
    is_idempotent : whether it does not matter to add a hyperedge twice.
    """

    zero: float
    one: float
    operator: str
    least: float
    phases: tuple[Phase, ...]
    result: str
    is_idempotent: bool = False


_MOST = Phase("{x} = {old}", "{x} = max({x}, {y})")
ALGEBRAS: Mapping[str, WeightAlgebra] = {
    "viterbi": WeightAlgebra(NONE, 0.0, "+", NONE / 10, (_MOST,), "{x}", is_idempotent=True),
    "real": WeightAlgebra(0.0, 1.0, "*", 0.0, (Phase("{x} = {old}", "{x} = {x} + {y}"),), "{x}"),
    "log": WeightAlgebra(
        NONE,
        0.0,
        "+",
        NONE / 10,
        (_MOST, Phase("{z} = exp({old} - {x})", "{z} = {z} + exp({y} - {x})")),
        "{x} + log({z})",
    ),
}


class Names(Record):
    """The names of variables in the text, and by kind the order of its columns in the table, the innermost last.

    `weighed` is, by the kind of a step's weights, the innermost variable of their table.
    """

    program: Program
    variables: Mapping[str, str]
    layouts: p.Layouts
    weighed: Mapping[int, int] = field(default_factory=dict)

    def with_variables(self, more: Mapping[str, str]) -> Names:
        """Return the names with further variables."""
        return Names(self.program, {**self.variables, **more}, self.layouts, self.weighed)

    def term(self, term: Affine) -> str:
        """Return a linear term."""
        return term_text(term, {p.SYMBOLS: "S", **self.variables}, self.program.symbols)

    def holds(self, terms: Iterable[Affine]) -> list[str]:
        """Return the tests that terms are at least 0."""
        return [self.test(Linear(">=", term)) for term in terms]

    def place(self, kind: int, terms: Sequence[Affine] = (), last: int = -1) -> str:
        """Return the place of an item in its kind's table; without terms that of the consequent.

        Neighbours differ in the column `last`, if it is given.
        """
        order: Sequence[int] = range(len(terms)) if kind < 0 else self.layouts[kind]
        if last >= 0 and len(order) > 1:
            order = [*(k for k in order if k != last), last]
        columns = () if kind < 0 else self.program.kinds[kind].columns
        sorts = [column.sort for column in columns] or ["position"] * len(terms)
        terms = terms or p.kind_terms(self.program, kind)
        return self.digits([(self.term(terms[k]), "S" if sorts[k] == "symbol" else "N") for k in order])

    @staticmethod
    def digits(parts: Iterable[tuple[str, str]]) -> str:
        """Return a number from its digits, each with how many values it may have."""
        text = ""
        for part, size in parts:
            whole = text if text.isidentifier() else f"({text})"
            text = f"{whole} * {size} + {part}" if text else part
        return text or "0"

    def weight(self, kind: int, terms: Sequence[Affine] = (), last: int = -1) -> str:
        """Return the entry of an item, or a link, in a table of weights."""
        if kind >= 0 and p.is_written(self.program, kind):
            return f"V[T{kind}[{self.place(kind, terms)}]]"
        layout = (self.weighed.get(kind, 1),) if kind < 0 else self.layouts[kind] or (0,)
        last = layout[-1] if last < 0 or kind in self.weighed else last
        return f"{p.view_name(kind, last)}[{self.place(kind, terms, last)}]"

    def test(self, test: Test) -> str:
        """Return a test as an expression that is 0 or False where it fails."""
        match test:
            case Linear() | AnyOf():
                return condition_text(test, {p.SYMBOLS: "S", **self.variables}, self.program.symbols)
            case Provided():
                return test.place(self.term, "S")
            case Asks():
                raise TypeError("programs with an order ask no queries")

    def loop(self, move: Range) -> str:
        """Return the head of a loop, from the least of the beginnings to the greatest of the ends."""
        low, end = self._ends(move)
        return f"for {self.variables[move.name]} in range({low}, {end}):"

    def loop_down(self, move: Range) -> list[str]:
        """Return the head of a loop from the greatest of the ends down to the least of the beginnings."""
        name, (low, end) = self.variables[move.name], self._ends(move)
        head = f"for {name}_up in range({low}, {end}):"
        return [head, f"{name} = ({low}) + ({end}) - 1 - {name}_up"]

    def _ends(self, move: Range) -> tuple[str, str]:
        """Return the least value of a range, and the bound that its values stay below."""
        lows = [one_of("max", (self.term(end.term) for end in low)) for low, _ in move.options]
        ends = [one_of("min", (self.term(end.term + 1) for end in high)) for _, high in move.options]
        return one_of("min", lows), one_of("max", ends)

    def heads(
        self, moves: Iterable[Move], inside: Mapping[int, Iterable[str]] = MappingProxyType({})
    ) -> list[str]:
        """Return the heads of tests and loops, with the text inside each of the loops, and (-1) before all."""
        lines: list[str] = []
        for k, level in enumerate(levels(moves), start=-1):
            lines += [self.loop(move) for move in level if isinstance(move, Range)]
            lines += when(self.test(move.test) for move in level if isinstance(move, Require))
            lines += inside.get(k, ())
        return lines

    def assignments(self, columns: Mapping[str, Affine]) -> list[str]:
        """Return the assignments to columns that the level determines."""
        return [f"{self.variables[x]} = {self.term(value)}" for x, value in columns.items()]


def when(tests: Iterable[str]) -> list[str]:
    """Return tests as the head of one `if`; empty without tests."""
    text = " and ".join(dict.fromkeys(tests))
    return [f"if {text}:"] if text else []


# What is done with an instance; and what stands around a rule's loops
_INSTANCE: Mapping[p.Mode, str] = {
    "fill": """
counts[{number}] += 1
hit = 1
""",
    "rows": """
if p < e:
    {entries}
    p += {length}
""",
    "codes": """
if p + {length} <= e:
    {entries}
    p += {length}
    m += 1
""",
    "expand": "found.append(({step}, {number}, ({row},)))",
    "walk": """
y = {product}
if y > x:
    x = y
    best = {rule}
    {chosen}
""",
}

_AROUND: Mapping[p.Mode, str] = {
    "fill": "{loops}\n",
    "rows": """
p = at[{number}]
e = ends[{number}]
{loops}
at[{number}] = p
""",
    "codes": """
m = 0
z = {item}
if z >= 0:
    p = at[{number}]
    e = ends[{number}]
    {loops}
if m != 0:
    at[{number}] = p
    visits[seen[{number}]] = z
    visits[seen[{number}] + 1] = m
    seen[{number}] += 2
""",
    "expand": "{loops}\n",
    "weigh": "{loops}\n",
    "share": "{loops}\n",
    "walk": "{loops}\n",
}

# Instances that are found once: where no entry that is tested in the innermost loop is 0
_COUNTED = """
x = 0
{loop}
counts[{number}] += x
{after}
"""

_NEW = """
new = 1
{several}
"""

_FRESH = """
new = fresh(st, SH, SR, {words})
if new < 0:
    st[STATUS] = MET_FULL
"""


class RuleWriter(Record):
    """Writes rules for consequents of one kind, whose columns have names.

    Attributes
    ----------
    repeating : the rules that may find an instance twice, and where (`program.instances.repeating_rules`).
    lanes : columns that are looped over last.
    algebra : of weights, in kernels that weigh or walk.
    """

    names: Names
    mode: p.Mode
    repeating: Mapping[int, frozenset[Several]]
    lanes: Sequence[str] = ()
    algebra: WeightAlgebra | None = None

    def text(self, rule: p.PlannedRule) -> str:
        """Return a rule."""
        if self.algebra is not None:
            return self.weighed(rule, self.algebra)
        names = self.names.with_variables({x: f"v{k}" for k, x in enumerate(rule.turned.free)})
        consequent, antecedents = rule.turned.rule.consequent, rule.turned.antecedents
        cell = self._entry(names, consequent.kind)
        entries = [self._entry(names, atom.kind, atom.terms) for atom in antecedents]
        once = self.mode == "fill" and rule.turned.rule.number not in self.repeating
        rows = levels(rule.plan.moves)
        innermost = rows.pop() if once and len(rows) > 1 else []
        lines: list[str] = []
        for row in rows:
            lines += [names.loop(move) for move in row if isinstance(move, Range)]
            lines += when(self._test(move, names, entries) for move in row if not isinstance(move, Range))
        if not once:
            lines += self._noted(rule, names, cell, entries)
        elif innermost:
            lines.append(self._counted(rule.number, innermost, names, entries, cell))
        else:
            lines += [f"{cell} |= 1", f"counts[{rule.number}] += 1"]
        around = filled(_AROUND[self.mode], loops=nested(lines), number=rule.number, item=cell)
        return f"# rule {rule.turned.rule.number}\n{around.strip()}"

    def _test(self, move: Move, names: Names, entries: Sequence[str]) -> str:
        """Return a look-up, or another test, as a condition."""
        if isinstance(move, LookUp):
            return f"{entries[move.slot]} {'!=' if self.mode == 'fill' else '>='} 0"
        assert isinstance(move, Require)
        text = names.test(move.test)
        return f"{text} != 0" if isinstance(move.test, Provided) else text

    def _counted(
        self, number: int, moves: Sequence[Move], names: Names, entries: Sequence[str], cell: str
    ) -> str:
        """Return the innermost loop, which counts the instances where no entry that is looked at is 0."""
        loop, *tests = moves
        assert isinstance(loop, Range)
        compared = [m.test for m in tests if isinstance(m, Require) and not isinstance(m.test, Provided)]
        looks = [entries[m.slot] for m in tests if isinstance(m, LookUp)]
        looks += [names.test(m.test) for m in tests if isinstance(m, Require) and m.test not in compared]
        y = "y" if looks else "1"
        moves_on = loop.name in self.lanes  # the consequent depends on it
        lines = [
            names.loop(loop),
            *when(map(names.test, compared)),
            f"y = {' & '.join(looks)}" if looks else "",
            f"x += {y}",
            f"{cell} |= {y}" if moves_on else "",
        ]
        after = "" if moves_on else nested(["if x != 0:", f"{cell} |= 1"])
        return filled(_COUNTED, loop=nested(lines), number=number, after=after)

    def sums(self) -> Mapping[str, str]:
        """Return where the phases of an algebra add up: variables, or the places of lanes in arrays."""
        if not self.lanes:
            return {"x": "x", "z": "z"}
        place = self.names.digits([(self.names.variables[x], "(N + S)") for x in self.lanes])
        return {"x": f"M[{place}]", "z": f"E[{place}]"}

    def weighed(self, rule: p.PlannedRule, algebra: WeightAlgebra, phase: int = 0) -> str:
        """Return a rule that adds up the products of its hyperedges.

        Factors that are known outside the innermost loop are looked up there, and the inside is skipped where one is
        missing. Inside, factors are not tested: a product with the zero adds nothing.
        """
        turned, loops = rule.turned, rule.loops
        names = self.names.with_variables({x: f"v{k}" for k, x in enumerate(turned.free)})
        scored = [Provided("licensed", link) for link in turned.links]
        links = [(depth(loops, atom.terms), atom) for atom in (*p.link_atoms(turned), *turned.weighed)]
        rows = levels(rule.plan.moves)
        outside, inside = list[str](), list[str]()  # factors
        lines, innermost = list[str](), 0
        for k, row in enumerate(rows, start=-1):
            innermost = len(lines)
            lines += [names.loop(move) for move in row if isinstance(move, Range)]
            factors, tests = list[str](), list[str]()
            for move in row:
                if isinstance(move, LookUp):
                    entry = self._weight(rule, names, turned.antecedents[move.slot])
                    if turned.rule.contexts[move.slot]:
                        tests.append(f"{entry} > {algebra.least!r}")
                    else:
                        factors.append(entry)
                elif isinstance(move, Require) and move.test not in scored:
                    tests.append(self._test(move, names, ()))
            lines += when(tests)
            factors += [self._weight(rule, names, atom) for level, atom in links if level == k]
            if k == len(loops) - 1:
                inside = factors
                continue
            for entry in factors:
                outside.append(f"f{len(outside)}")
                lines += [f"{outside[-1]} = {entry}", f"if {outside[-1]} > {algebra.least!r}:"]

        def product(*known: str) -> str:
            return f" {algebra.operator} ".join(known) or repr(algebra.one)

        if self.mode == "walk":
            return self._walked(rule, names, lines, product(*outside, *inside))
        if self.mode == "share":
            return self._shared(rule, names, lines, product(*outside, *inside), algebra)
        added, sums = algebra.phases[phase].added, self.sums()
        if turned.rule.number in self.repeating and phase == len(algebra.phases) - 1:
            lines += [f"y = {product(*outside, *inside)}", f"if y > {algebra.least!r}:"]
            lines += [*self._new(turned, names, hyperedges=True), filled(added, **sums, y="y")]
        elif (
            outside and loops and len(algebra.phases) == 1 and not self.lanes
        ):  # x * (a + b) for x * a + x * b
            within = nested([*lines[innermost:], filled(added, x="y", y=product(*inside))])
            lines[innermost:] = [
                f"y = {algebra.zero!r}\n{within}\n{filled(added, **sums, y=product(*outside, 'y'))}"
            ]
        else:
            lines.append(filled(added, **sums, y=product(*outside, *inside)))
        return f"# rule {turned.rule.number}\n{nested(lines)}"

    def _weight(self, rule: p.PlannedRule, names: Names, atom: Atom) -> str:
        """Return the entry of an item, or a link, in the table of weights that the innermost loop reads."""
        moved = atom.terms and self.mode == "weigh"
        last = p.last_column(atom, names.layouts, rule.inner) if moved else -1
        return names.weight(atom.kind, atom.terms, last)

    def _entry(self, names: Names, kind: int, terms: Sequence[Affine] = ()) -> str:
        """Return the entry of an item in its table; without terms that of the consequent."""
        letter = "T" if self.mode in ("fill", "weigh", "walk", "share") else "I"
        return f"{letter}{kind}[{names.place(kind, terms)}]"

    def _new(self, turned: p.TurnedRule, names: Names, hyperedges: bool = False) -> list[str]:
        """Return the test whether an instance, or a hyperedge, was met before; the text that follows is for new
        ones.
        """
        program, rule = names.program, turned.rule
        ids, atoms = [str(step_numbers(program, hyperedges)[rule.number])], list[tuple[Atom, str]]()
        for atom, context in zip(turned.antecedents, rule.contexts, strict=True):
            if not (hyperedges and context):
                entry = self._entry(names, atom.kind, atom.terms)
                numbered = entry[0] == "I" or p.is_written(program, atom.kind)
                place = names.place(atom.kind, atom.terms)
                atoms.append((atom, entry))
                ids.append(entry if numbered else f"(O[{atom.kind}] + {place} + 1)")
        ends = [names.term(end) for link in turned.links for end in link]
        where = [self._several(names, atoms, one) for one in sorted(map(sorted, self.repeating[rule.number]))]
        if not where:
            return []
        fresh = filled(_FRESH, words=", ".join(instance_text(program, [*ids, *ends])))
        several = nested([f"if {' or '.join(where)}:", fresh]) if all(where) else fresh
        return [filled(_NEW, several=several), "if new > 0:"]

    @staticmethod
    def _several(names: Names, atoms: Sequence[tuple[Atom, str]], several: Sequence[int]) -> str:
        """Return the test that atoms have several writings, as far as entries show it; empty where they do not."""
        shown = [
            entry
            for k, (atom, entry) in enumerate(atoms)
            if k in several and entry[0] == "T" and p.is_written(names.program, atom.kind)
        ]
        tests = ["many > 1"] * (CONSEQUENT in several)
        tests += [f"{' & '.join([*shown, '1'])} != 0"] * bool(shown)
        return f"({' and '.join(tests)})" if tests else ""

    def _unlike(self, turned: p.TurnedRule, names: Names) -> list[str]:
        """Return the test that the consequent is not another writing of an antecedent."""
        kinds = names.program.kinds
        form = kinds[turned.rule.consequent.kind].form
        same = [atom for atom in turned.antecedents if kinds[atom.kind].form == form]
        return when(f"{self._entry(names, atom.kind, atom.terms)} != item" for atom in same)

    def _walked(self, rule: p.PlannedRule, names: Names, lines: list[str], product: str) -> str:
        """Return the search for the best hyperedge: the best one is noted with its columns and free variables."""
        turned, program = rule.turned, names.program
        kind = turned.rule.consequent.kind
        lines += self._unlike(turned, names) if p.is_written(program, kind) else []
        chosen = [
            f"a{k} = {names.variables[column_name(k)]}" for k in range(len(program.kinds[kind].columns))
        ]
        chosen += [f"b{k} = v{k}" for k in range(len(turned.free))]
        lines.append(
            filled(_INSTANCE["walk"], product=product, rule=turned.rule.number, chosen="\n".join(chosen))
        )
        return f"# rule {turned.rule.number}\n{nested(lines)}"

    def _shared(
        self, rule: p.PlannedRule, names: Names, lines: list[str], product: str, algebra: WeightAlgebra
    ) -> str:
        """Return the text that gives a hyperedge its part of the item's share, and passes it to antecedents and
        links.
        """
        turned = rule.turned
        lines += [f"y = {product}", f"if y > {algebra.least!r}:"]
        if turned.rule.number in self.repeating:
            lines += self._new(turned, names, hyperedges=True)
        pairs = zip(turned.antecedents, turned.rule.contexts, strict=True)
        entries = [f"D{a.kind}[{names.place(a.kind, a.terms)}]" for a, context in pairs if not context]
        entries += [f"G[{names.place(atom.kind, atom.terms)}]" for atom in p.link_atoms(turned)]
        entries += [f"{p.share_name(a.kind)}[{names.place(a.kind, a.terms)}]" for a in turned.weighed]
        lines += ["y = a * exp(y - x)", *(f"{entry} = {entry} + y" for entry in entries)]
        return f"# rule {turned.rule.number}\n{nested(lines)}"

    def _noted(self, rule: p.PlannedRule, names: Names, cell: str, entries: Sequence[str]) -> list[str]:
        """Return the treatment of an instance: it is written down, unless it was met before."""
        turned, mode, program = rule.turned, self.mode, self.names.program
        written = p.is_written(program, turned.rule.consequent.kind)
        item = "item" if written or mode == "expand" else cell
        ends = [names.term(end) for link in turned.links for end in link]
        repeats, step = turned.rule.number in self.repeating, step_numbers(program)[turned.rule.number]
        lines: list[str] = []
        if mode == "rows" and not written:  # what was broken off has not derived all that its items allow
            lines += when([f"{item} >= 0"])
        if mode in ("rows", "expand") and written:
            lines += self._unlike(turned, names)
        if repeats and mode != "expand":
            lines += self._new(turned, names)
        row = [names.variables[x] for x in turned.free] if mode == "codes" else [item, *entries, *ends]
        array = "codes" if mode == "codes" else "out"
        written_down = (f"{array}[p{f' + {k}' if k else ''}] = {entry}" for k, entry in enumerate(row))
        return [
            *lines,
            filled(
                _INSTANCE[mode],
                number=rule.number,
                step=step if repeats else -1,
                row=", ".join(row),
                length=len(row),
                entries="\n".join(written_down),
            ),
        ]
