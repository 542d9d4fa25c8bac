"""Runs of ordered kernels with weights: totals in an algebra, and the best derivation.

A run works on the tables for sentences of one length. Tables, hypotheses and final items depend on nothing else, so
many sentences of a length share them. No back-pointers are kept: the way down the best derivation looks for the maximum
again.

Where no step links the root of a tree to 0, the final item has the weight of that link. The dependents of all links are
the words except the root. So two runs show whether all trees of a final item have one root, and which: the score of a
link is its dependent in one, and the negative of it in the other (`weights.roots`).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from ctypes import c_int64, c_void_p
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from schemata.grammars.drules import all_licences
from schemata.kernels import runtime as r
from schemata.kernels.grammar import GrammarTables
from schemata.kernels.store import OutsideTables
from schemata.machine.compile import addresses
from schemata.ordered import plan as p
from schemata.ordered.emit import GIVEN, NUMBER, ROOM, emit_shares, emit_weighing
from schemata.ordered.rules import ALGEBRAS, NONE
from schemata.ordered.store import OrderedTables, digits, keep_tables
from schemata.program.instances import variable_terms
from schemata.program.linear import Provided
from schemata.program.model import Atom, Program, Rule
from schemata.program.plan import column_name
from schemata.records import Record, field, replace
from schemata.weights.roots import (
    Sums,
    best_with_single_root,
    dependent_value,
    lowered,
    sums_with_single_root,
    unlinked_root,
)
from schemata.weights.semiring import exponential, is_weight, require_weight

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from schemata.grammars.drules import Licences
    from schemata.ordered.kernel import OrderedKernel
    from schemata.weights.tensors import StepTensor


class NotWeighable(Exception):  # noqa: N818 - an answer: the fold over the forest takes the sentence
    """An ordered kernel cannot compute the requested weights; the message gives the reason."""


Axes: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]


def weighed_program(program: Program, steps: Axes) -> Program:
    """Return a program whose rules have the places of their weights in the tables of steps' weights.

    Raises
    ------
    NotWeighable : a variable does not follow from an item in normal form.
    """
    kinds = {step: (p.TENSORS - number, names) for number, (step, names) in enumerate(steps)}
    rules: list[Rule] = []
    for rule in program.rules:
        kind, names = kinds.get(program.schema.cases[rule.case].step, (0, ()))
        terms = variable_terms(program, rule) if names else {}
        if not terms.keys() >= set(names):
            raise NotWeighable("steps that are weighed by variables that their items do not determine")
        weighed = (Atom(kind, tuple(terms[name] for name in names)),) if names else ()
        rules.append(replace(rule, weighed=weighed))
    return replace(program, rules=tuple(rules))


class WeighingKernel:
    """The kernels that weigh a program's items in its proved order, for one algebra.

    Parameters
    ----------
    kernel : the program's kernels that count.
    algebra : "viterbi", "real" or "log".
    steps : the steps that have weights of their own, each with the variables that index these (`StepTensor`).

    Raises
    ------
    NotWeighable : the program has heads that no link names, or these kernels cannot express it.
    """

    def __init__(self, kernel: OrderedKernel, algebra: str, steps: Axes = ()) -> None:
        if any(case.head_links for case in kernel.program.schema.cases):
            raise NotWeighable("links between the heads of antecedents, whose ends no item has")
        built = [one for case in kernel.program.schema.cases for one in case.links]
        if any(len(one.types) != 2 or one.name != "link" for one in built):
            raise NotWeighable("links with labels, or something else than links")
        self.kernel, self.name, self.algebra, self.steps = kernel, algebra, ALGEBRAS[algebra], steps
        self.order = replace(kernel.order, program=weighed_program(kernel.program, steps))
        try:
            self.text, walk, views = kernel.kept(
                self.order, ("weigh", algebra), lambda: emit_weighing(self.order, self.algebra)
            )
        except ValueError as error:
            raise NotWeighable(str(error)) from error
        self.views: p.Views = frozenset(views)
        self._turned: dict[int, p.TurnedRule] = {}
        self.repeats = " = fresh(" in self.text
        # Modules of many functions are compiled function by function, without the long one.
        modules = [self.text, walk] if "def region" in self.text else [self.text + walk]
        self._functions: dict[str, Callable[..., int]] = {}
        for module in modules:
            wanted = tuple(name for name in ("weigh", "walk") if f"def {name}(" in module)
            self._functions |= kernel.compiler(module, wanted)

    def _arrays(self, name: p.Mode) -> Iterable[str]:
        """Return the arrays that a function takes, after n and S."""
        return p.arrays_of(self.order.program, name, views=self.views)

    def rule(self, number: int) -> p.TurnedRule:
        """Return one of the program's rules, in terms of its consequent."""
        if number not in self._turned:
            program = self.kernel.program
            self._turned[number] = p.turned_rule(program, program.rules[number])
        return self._turned[number]

    def require_shares(self) -> None:
        """Compile the kernel that shares out totals.

        Raises
        ------
        NotWeighable : items with a normal form, whose writings share one weight.
        """
        if "share" not in self._functions:
            try:
                text = self.kernel.kept(
                    self.order,
                    ("share", self.name),
                    lambda: emit_shares(self.order, self.algebra, self.views),
                )
            except ValueError as error:
                raise NotWeighable(str(error)) from error
            self._functions |= self.kernel.compiler(text, ("share",))

    def bound(
        self, name: p.Mode, numbers: Sequence[int], arrays: Mapping[str, NDArray[Any]]
    ) -> Callable[[], int]:
        """Return one of the functions with its arguments; it is called thousands of times a second."""
        function = self._functions[name]
        given = [arrays[array] for array in self._arrays(name)]
        if "at_addresses" not in function.__dict__:
            return partial(function, *numbers, *given)
        at = map(c_void_p, addresses(given))
        return partial(function.__dict__["at_addresses"], *map(c_int64, numbers), *at)


class Choice(Record):
    """An item of the best derivation, and how it is derived.

    Attributes
    ----------
    kind, columns : the item.
    case : the case of the schema that derives it; None for a hypothesis.
    links : those that the case builds, (dependent, head).
    tails : its structural antecedents.
    """

    kind: int
    columns: tuple[int, ...]
    case: int | None
    links: tuple[tuple[int, int], ...] = ()
    tails: tuple[tuple[int, tuple[int, ...]], ...] = ()


class WeightTables:
    """The tables of weights for sentences of one length.

    Parameters
    ----------
    kernel : the kernel that fills them.
    tables : the places of items, with nothing derived; those of items with several writings are filled as well.
    memory : bytes that may be taken.

    Attributes
    ----------
    finals : the final items that there may be, as kinds and columns.
    of : arrays by their names in kernel text.

    Raises
    ------
    OutsideTables : the tables would not fit.
    """

    def __init__(self, kernel: WeighingKernel, tables: OrderedTables, memory: int) -> None:
        self.kernel, self.tables, self.n = kernel, tables, tables.n
        program, algebra, size = tables.program, kernel.algebra, tables.n + 2
        views = sorted(kernel.views)
        axes = {p.TENSORS - number: len(names) for number, (_, names) in enumerate(kernel.steps)}
        sizes = [tables.places[kind] if kind >= 0 else size ** axes.get(kind, 2) for kind, _ in views]
        if sum(sizes) * 16 > memory // 2:
            raise OutsideTables
        self._weights: NDArray[np.float64] = np.full(sum(sizes), algebra.zero)
        ends = np.cumsum(sizes).tolist()
        parts = {
            view: self._weights[end - places : end]
            for view, places, end in zip(views, sizes, ends, strict=True)
        }
        arrays: dict[str, Any] = {p.view_name(*view): part for view, part in parts.items()}
        for kind in p.derived_hypotheses(program):
            arrays[f"H{kind}"] = np.zeros(tables.places[kind], np.uint8)
        for kind, columns in tables.hypotheses:
            for view in (view for view in views if view[0] == kind):
                parts[view][self._place(*view, columns)] = algebra.one
            if f"H{kind}" in arrays:
                arrays[f"H{kind}"][tables.place_of(kind, columns)] = 1
        for (kind, _), part in parts.items():
            if kind < 0 and kind != p.SCORES:
                part.fill(algebra.one)  # links beyond the sentence weigh nothing
        self._scores: list[tuple[tuple[int, int], NDArray[Any], NDArray[Any], tuple[slice, slice]]] = []
        self._steps: list[
            tuple[str, NDArray[Any]]
        ] = []  # the tables of steps' weights, axes in the steps' order
        for (kind, last), part in parts.items():
            if kind <= p.TENSORS:
                whole = np.moveaxis(part.reshape((size,) * axes[kind]), -1, last)
                inside = (slice(size - 1),) * axes[kind]
                self._steps.append((kernel.steps[p.TENSORS - kind][0], whole[inside]))
            elif kind < 0:
                first = 0 if kind == p.SCORES else 1  # no link that a step builds without a licence ends at 0
                square = slice(size - 1), slice(first, size - 1)
                square = square if last else square[::-1]
                self._scores.append(((kind, last), part, part.reshape(size, size)[square], square))
        self._empty = self._weights.copy()
        self._rewrites = kernel.kernel.order.strata == 1  # what is read of a run, it has written before
        measured = p.measured_columns(kernel.kernel.order)
        lanes = max((len(k.columns) - len(measured[k.number]) for k in program.kinds), default=0)
        sums = (size + len(tables.grammar.symbols)) ** lanes
        more = {"O": tables.offsets, "M": np.zeros(sums), "E": np.zeros(sums), "Q": np.zeros(1)}
        self.of: dict[str, Any] = {**tables.grammar.arrays, **arrays, **more}
        self._written = [kind.number for kind in program.kinds if p.is_written(program, kind.number)]
        finals = (
            (f.atom.kind, tuple(c)) for f in program.finals for c in tables.columns_matching(f).tolist()
        )
        self.finals: Sequence[tuple[int, tuple[int, ...]]] = list(dict.fromkeys(finals))
        self.licences: Licences | None = None  # those that the table of licences has
        begins = {view: end - places for view, places, end in zip(views, sizes, ends, strict=True)}
        self._of_finals = np.array([self._final_place(*final, begins) for final in self.finals], np.int64)
        self._width = p.row_width(program)
        self._room = 64 * (size + 1) * self._width
        self._met = 0
        self._bind()

    @property
    def nbytes(self) -> int:
        """The memory that they take."""
        return sum(array.nbytes for array in self.of.values())

    def _place(self, kind: int, last: int, columns: Sequence[int]) -> int:
        """Return the place of an item in the table in which neighbours differ in a column."""
        layout = self.tables.kernel.layouts[kind]
        order = [*(k for k in layout if k != last), last] if len(layout) > 1 else layout
        return int(digits(order, self.tables.sizes(kind), columns))

    def _final_place(self, kind: int, columns: tuple[int, ...], begins: Mapping[tuple[int, int], int]) -> int:
        """Return where an item's weight is among all weights; with several writings, its place in its kind's table."""
        if kind in self._written:
            return int(self.tables.place_of(kind, columns))
        view = kind, self.tables.kernel.layouts[kind][-1] if columns else 0
        return begins[view] + self._place(*view, columns)

    def _bind(self) -> None:
        """Note the arrays as arguments of the kernels; those of the tables may have been laid out anew."""
        tables = self.tables
        if self._written:
            self.of |= {f"T{kind}": tables.by_kind[kind] for kind in self._written}
            self.of["V"] = np.empty(2 * (sum(tables.places) + 1))
            self.of["V"][: 2 * (len(tables.hypotheses) + 1)] = self.kernel.algebra.one
            self.of["V"][0] = self.kernel.algebra.zero
        self.of |= {name: np.zeros(self._room, np.int64) for name in ("K", "out")}
        self.of["heads"] = np.zeros(self.n + 3, np.int64)
        self.of |= zip(("st", "SH", "SR", "WB", "cell"), tables.workspace, strict=True)
        self._share: Callable[[], int] | None = None
        numbers = self.n, len(tables.grammar.symbols)
        self._weigh = self.kernel.bound("weigh", numbers, self.of)
        self._walk = self.kernel.bound("walk", numbers, self.of)

    def fill(self, scores: NDArray[np.float64], licences: Licences, steps: Mapping[str, StepTensor]) -> None:
        """Weigh all items of a sentence with scores and weights of steps; see `Scored`."""
        while True:
            self.enter(scores, licences, steps)
            self.run()
            if not self.tables.enlarge():
                return
            self._bind()

    def run(self) -> None:
        """Run the kernel over the entered values."""
        self._weigh()

    def enter(self, scores: NDArray[np.float64], licences: Licences, steps: Mapping[str, StepTensor]) -> None:
        """Enter scores, of links with the zero for those that are not licensed, and forget all items."""
        size, algebra = self.n + 1, self.kernel.algebra
        new_licences = licences is not self.licences
        if new_licences:
            self.licences = licences
            relation = licences.relations["licensed"]
            assert relation.table is not None
            row = np.frombuffer(relation.table(), np.uint8)
            dependents, heads = np.nonzero(row.reshape(size, size) == 0)
            self._barred = dependents * (size + 1) + heads, heads * (size + 1) + dependents
            if len(self.of["LIC"]) == len(row):
                np.copyto(self.of["LIC"], row)
        if new_licences or not self._rewrites:
            np.copyto(self._weights, self._empty)
        for (kind, last), table, given, inside in self._scores:
            self._enter((scores if last else scores.T)[inside], given)
            if kind == p.SCORES:
                table[self._barred[last]] = algebra.zero
        for step, table in self._steps:
            self._enter(steps[step].array, table)
        self._begin()

    def _enter(self, given: NDArray[np.float64], table: NDArray[Any]) -> None:
        """Enter weights in log space."""
        if self.kernel.name != "real":
            np.maximum(given, NONE, out=table)
            return
        with np.errstate(over="ignore"):
            np.exp(given, out=table)
        if not np.isfinite(table).all():
            raise NotWeighable("a weight that is too large for a number")

    def _begin(self) -> None:
        tables, state = self.tables, self.tables.state
        state[r.STATUS] = 0
        if self.kernel.repeats:
            tables.begin_pass()
        if not self._written:
            return
        state[NUMBER] = state[GIVEN] = len(tables.hypotheses)
        for kind in self._written:
            tables.by_kind[kind].fill(0)
        for number, (kind, columns) in enumerate(tables.hypotheses, start=1):
            if kind in self._written:
                tables.by_kind[kind][tables.place_of(kind, columns)] = 2 * number  # its own writing alone

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weights of final items; an item with several final writings has that of the first."""
        if not self._written:
            return self._weights[self._of_finals]
        found = np.empty(len(self.finals))
        seen: set[int] = set()
        for k, ((kind, _), place) in enumerate(zip(self.finals, self._of_finals.tolist(), strict=True)):
            if kind not in self._written:
                found[k] = self._weights[place]
                continue
            number = int(self.of[f"T{kind}"][place])
            found[k] = self.of["V"][0 if number in seen else number]
            seen.add(number)
        return found

    def shares(
        self, of_finals: Sequence[float]
    ) -> tuple[NDArray[np.float64], Mapping[str, NDArray[np.float64]]]:
        """Share out a total, after a run with logarithms: the derivatives of its logarithm by all weights.

        Parameters
        ----------
        of_finals : the share of each final item, which add up to 1.

        Returns ------- The share of derivations that build each link, by head and dependent, (n + 1, n + 1). By step,
        the share of derivations that apply it with each choice of values, shaped as its weights; a choice that a
        derivation makes several times counts as often. They are valid until the next call.

        Raises
        ------
        NotWeighable : the kernel has no such function.
        """
        if self._share is None:
            self.kernel.require_shares()
            tables, size = self.tables, self.n + 2
            axes = [len(names) for _, names in self.kernel.steps]
            ends = np.cumsum([*tables.places, size * size, *(size**k for k in axes)]).tolist()
            self._shares = np.zeros(ends[-1])
            begins = [0, *ends]
            for kind in range(len(tables.places)):
                self.of[f"D{kind}"] = self._shares[begins[kind] : begins[kind + 1]]
            first = len(tables.places)
            self.of["G"] = self._shares[begins[first] : ends[first]]
            self._links = self.of["G"].reshape(size, size)[:-1, :-1]
            self._of_steps: dict[str, NDArray[np.float64]] = {}
            for k, (step, names) in enumerate(self.kernel.steps):
                part = self._shares[begins[first + 1 + k] : ends[first + 1 + k]]
                self.of[p.share_name(p.TENSORS - k)] = part
                inside = (slice(size - 1),) * len(names)
                self._of_steps[step] = part.reshape((size,) * len(names))[inside]
            self._share = self.kernel.bound("share", (self.n, len(tables.grammar.symbols)), self.of)
        self._shares.fill(0.0)
        for (kind, columns), share in zip(self.finals, of_finals, strict=True):
            self.of[f"D{kind}"][self.tables.place_of(kind, columns)] += share
        if self.kernel.repeats:
            self.tables.begin_pass()
        self._share()
        if self.tables.state[r.STATUS] != 0:
            raise OutsideTables
        return self._links, self._of_steps

    def walk(self, kind: int, columns: tuple[int, ...]) -> tuple[int, ...] | None:
        """Walk down the best derivation of an item, after a run with the maximum.

        Returns
        -------
        The head of every word, -1 where no link gives it one; None if links give a word two heads.
        """
        while True:
            row = kind, *columns
            self.of["K"][: self._width] = [*row, *[0] * (self._width - len(row))]
            heads = self.of["heads"]
            heads.fill(-1)
            self.of["Q"][0] = 0.0
            self.tables.state[ROOM] = self._room
            self._start = kind, columns
            self._met = self._walk()
            if self._met >= 0:
                found = heads[1 : self.n + 1]
                linked = np.count_nonzero(found >= 0)
                return tuple(found.tolist()) if heads[-1] + 1 == linked else None
            self._room *= 8
            self.of |= {name: np.zeros(self._room, np.int64) for name in ("K", "out")}
            self._walk = self.kernel.bound("walk", (self.n, len(self.tables.grammar.symbols)), self.of)

    def choices(self) -> list[Choice]:
        """Return the derivation that was walked down last, in preorder."""
        program = self.tables.program
        given: dict[str, int] = dict(self.tables.constants)
        width, found = p.choices_width(program), list[Choice]()
        rows = self.of["out"][: self._met * width].reshape(self._met, width).tolist()
        stack = [self._start]
        for best, *row in rows:
            kind, columns = stack.pop()
            if best < 0:
                found.append(Choice(kind, columns, None))
                continue
            plan = self.kernel.rule(best)
            names = [column_name(k) for k in range(len(program.kinds[plan.rule.consequent.kind].columns))]
            here = given | dict(zip([*names, *plan.free], row, strict=False))
            tails = tuple(
                (atom.kind, tuple(term.value(here) for term in atom.terms))
                for atom, context in zip(plan.antecedents, plan.rule.contexts, strict=True)
                if not context
            )
            links = tuple((a.value(here), b.value(here)) for a, b in plan.links)
            found.append(Choice(kind, columns, plan.rule.case, links, tails))
            stack += reversed(tails)
        return found


class Best(Record):
    """The best derivation of a sentence.

    Attributes
    ----------
    weight : in log space.
    heads : the head of every word.
    choices : returns its steps.
    of_steps : the part of the weight from tensors of steps.
    """

    weight: float
    heads: tuple[int, ...]
    choices: Callable[[], list[Choice]]
    of_steps: float = 0.0


class Scored(Record):
    """A sentence with scores.

    Parameters
    ----------
    licences : the licensed links.
    scores : of links, scores[head, dependent], the logarithms of their weights; shape (n + 1, n + 1).
    hypotheses : returns its hypotheses, as kinds and columns; they depend on its length alone.
    memory : bytes that tables may take.
    steps : the weights of steps, by name; fitted to the sentence.
    """

    licences: Licences
    scores: NDArray[np.float64]
    hypotheses: Callable[[], Sequence[tuple[int, tuple[int, ...]]]]
    memory: int
    steps: Mapping[str, StepTensor] = field(default_factory=dict)

    @property
    def axes(self) -> Axes:
        """The steps that weigh, each with the variables that index its weights."""
        return tuple((step, self.steps[step].names) for step in sorted(self.steps))


class Filled(NamedTuple):
    """The tables of a sentence: the weight of each final item, and its root where no step links that to 0 (else 0)."""

    tables: WeightTables
    weights: list[float]
    roots: list[int]


class Weigher:
    """Weighs sentence after sentence with the kernels of a program."""

    def __init__(self, kernel: OrderedKernel) -> None:
        self.kernel = kernel
        self._kernels: dict[tuple[str, Axes], WeighingKernel] = {}
        self._tables: dict[tuple[str, Axes, int], WeightTables] = {}
        self._roots: dict[int, list[int | None]] = {}  # by length
        asked = [(t, r) for r in kernel.program.rules for t in r.tests if isinstance(t, Provided)]
        self._asks_categories = any(test.relation != "licensed" for test, _ in asked)
        # whether licences matter for the scores of links alone, so that all of them derive what any of them do
        self._scores_alone = all(test.arguments in rule.links for test, rule in asked)

    def twin(self) -> Weigher:
        """Return a weigher with the same kernels and tables of its own, for another thread."""
        other = Weigher(self.kernel)
        other._kernels = self._kernels
        return other

    def total(self, algebra: str, given: Scored) -> float:
        """Return the total of a sentence: "viterbi" and "log" in log space, -inf for none, "real" as a plain number.

        Raises
        ------
        NotWeighable, OutsideTables : the fold over the forest has to do it.
        """
        if given.licences.single_root:
            return self._total_with_single_root(algebra, given)
        weights = self._filled(algebra, given).weights
        if algebra == "real":
            total = sum(weights)
            if not math.isfinite(total):
                raise NotWeighable("a total that is too large for a number")
            return float(total)
        most: float = max(weights, default=-math.inf)
        if algebra == "viterbi" or most == -math.inf:
            return most
        return most + math.log(math.fsum(math.exp(w - most) for w in weights))

    def best(self, given: Scored) -> Best | None:
        """Return the best derivation of a sentence, None if it is not accepted.

        Raises
        ------
        NotWeighable, OutsideTables : as for `total`; also where the best derivation builds no tree.
        """
        if given.licences.single_root:
            return self._best_with_single_root(given)
        tables, weights, roots = self._filled("viterbi", given)
        most = max(weights, default=-math.inf)
        if most == -math.inf:
            return None
        best = weights.index(most)
        heads = tables.walk(*tables.finals[best])
        if heads is None:
            raise NotWeighable("the best derivation gives a word two heads")
        loose = [d for d, h in enumerate(heads, start=1) if h < 0]
        if len(loose) > 1 or (loose and not roots[best]):
            raise NotWeighable("words without a head, whose links to 0 the item's weight does not count")
        if loose and 0 in heads:
            raise NotWeighable(
                "a word without a head beside one that hangs under 0: the best tree is another one"
            )
        if any(h > given.licences.n for h in heads):
            raise NotWeighable("a link to a head beyond the sentence")
        heads = tuple(max(h, 0) for h in heads)
        of_steps = float(tables.of["Q"][0])
        if not is_weight(
            most, [of_steps, *(float(given.scores[h, d]) for d, h in enumerate(heads, start=1))]
        ):
            # right only where the derivation builds a link several times, which then weighs as often
            built = [link for choice in tables.choices() for link in choice.links]
            of_root = [(loose[0], 0)] if loose else []
            require_weight(most, [of_steps, *(float(given.scores[h, d]) for d, h in (*built, *of_root))])
        return Best(most, heads, tables.choices, of_steps)

    def shares(self, given: Scored) -> Sums | None:
        """Return the total of a sentence and the shares of links in it; None if it is not accepted.

        Raises
        ------
        NotWeighable, OutsideTables : as for `total`.
        """
        if given.licences.single_root:
            return self._sums_with_single_root(given)
        tables, weights, roots = self._filled("log", given)
        most = max(weights, default=-math.inf)
        if most == -math.inf:
            return None
        parts = [math.exp(weight - most) for weight in weights]
        whole = math.fsum(parts)
        of_finals = [part / whole for part in parts]
        of_links, of_steps = tables.shares(of_finals)
        links = of_links.copy()
        if -1 in roots:  # a word without a head is the root
            links[0] += np.maximum(1.0 - links.sum(axis=0), 0.0)
        else:
            for share, root in zip(of_finals, roots, strict=True):
                links[0, root] += share
        links[0, 0] = 0.0
        steps = {step: shares.copy() for step, shares in of_steps.items()}
        return Sums(most + math.log(whole), links, steps)

    # a single root

    def _of_any_root(self, given: Scored) -> Callable[[NDArray[np.float64]], Scored]:
        """Return a function from scores to the sentence with these scores in place of its own, without the
        demand for a single root.
        """
        n = given.licences.n
        shared = given.licences is all_licences(n, True)  # licences that are met again are not entered again
        licences = all_licences(n) if shared else replace(given.licences, single_root=False)
        return lambda scores: replace(given, licences=licences, scores=scores)

    def _total_with_single_root(self, algebra: str, given: Scored) -> float:
        if algebra == "viterbi":
            best = self._best_with_single_root(given)
            return -math.inf if best is None else best.weight
        lower = lowered(given.scores, bool(given.steps))
        if lower.is_certain:
            logarithm = self.total("log", self._of_any_root(given)(lower.scores)) + lower.by
            logarithm = -math.inf if logarithm < lower.least else logarithm  # trees with several roots alone
        else:
            sums = self._sums_with_single_root(given)
            logarithm = -math.inf if sums is None else sums.log_total
        total = logarithm if algebra == "log" else exponential(logarithm)
        if total == math.inf:
            raise NotWeighable("a total that is too large for a number")
        return total

    def _best_with_single_root(self, given: Scored) -> Best | None:
        of = self._of_any_root(given)

        def ask(scores: NDArray[np.float64]) -> tuple[tuple[int, ...], float] | None:
            best = self.best(of(scores))
            return None if best is None else (best.heads, best.weight)

        found = best_with_single_root(given.scores, ask, bool(given.steps))
        if found is None:
            return None
        best = self.best(of(found.scores))  # once more: its steps are looked up in the tables
        assert best is not None
        parts = [best.of_steps, *(float(given.scores[h, d]) for d, h in enumerate(best.heads, start=1))]
        lost = [found.weight, -found.weight, best.weight]  # the size of what was rounded
        is_sum = is_weight(0.0, [*parts, -found.weight, *lost, -best.weight])
        return replace(best, weight=math.fsum(parts) if is_sum else found.weight)

    def _sums_with_single_root(self, given: Scored) -> Sums | None:
        of = self._of_any_root(given)
        return sums_with_single_root(given.scores, lambda scores: self.shares(of(scores)), bool(given.steps))

    def _filled(self, algebra: str, given: Scored) -> Filled:
        """Return the tables of a sentence, filled, and the weights of its final items.

        These include the scores of their roots; -inf where an item is not there. The way down the best derivation must
        be looked for in these tables, not in others of the same length, which have no weights of the sentence.
        """
        if self._asks_categories:
            raise NotWeighable("tests of categories")
        scores, roots = given.scores, self._roots_of(given)
        tables = self.tables(algebra, given)
        tables.fill(scores, given.licences, given.steps)
        weights: list[float] = tables.weights.tolist()
        if roots is not None:
            of_roots = [float(scores[0, abs(root)]) if root else 0.0 for root in roots]
            if algebra == "real":
                of_roots = [exponential(root) for root in of_roots]
            join = operator.mul if algebra == "real" else operator.add
            weights = [join(weight, root) for weight, root in zip(weights, of_roots, strict=True)]
        least = tables.kernel.algebra.least
        if algebra != "real":
            weights = [weight if weight > least else -math.inf for weight in weights]
        return Filled(tables, weights, roots or [0] * len(weights))

    def tables(self, algebra: str, given: Scored) -> WeightTables:
        """Return the tables for sentences of this length."""
        n, key = given.licences.n, (algebra, given.axes)
        found = self._tables.get((*key, n))
        if found is None:
            if key not in self._kernels:
                self._kernels[key] = WeighingKernel(self.kernel, *key)
            grammar = GrammarTables(self.kernel.program, n, given.licences)
            tables = OrderedTables(self.kernel, n, grammar, given.hypotheses(), given.memory)
            found = WeightTables(self._kernels[key], tables, given.memory)
            keep_tables(self._tables, (*key, n), found, found.nbytes)
        return found

    def _roots_of(self, given: Scored) -> list[int] | None:
        """Return, by final item, the root of its trees where no step links it to 0, else 0; -1 for several roots, whose
        links to 0 have one score.

        None if all are 0.

        Raises
        ------
        NotWeighable : trees of one final item have different roots, or build a link twice, and links to 0 have
            different scores.
        """
        n = given.licences.n
        roots = self._roots.get(n)
        if roots is None:
            licences = all_licences(n) if self._scores_alone else given.licences
            roots = self._found_roots(replace(given, licences=licences, steps={}))
            if self._scores_alone:
                self._roots[n] = roots
        if None in roots and len(set(given.scores[0, 1:].tolist())) > 1:
            raise NotWeighable(
                "trees with different roots, or with links built twice, so that the root is not that of the item"
            )
        if None in roots and given.scores[0, 1:].any() and self._links_to_0(given):
            raise NotWeighable("trees whose root a step links to 0, and others, of one final item")
        if roots.count(0) == len(roots):
            return None
        return [-1 if root is None else root for root in roots]

    def _links_to_0(self, given: Scored) -> bool:
        """Whether some derivation has a link to 0, whose score it has weighed."""
        return bool((self._filled_links_to_0(given, 1.0) > 0.5).any())

    def _filled_links_to_0(self, given: Scored, score: float) -> NDArray[np.float64]:
        """Return the weights of final items if links to 0 have the weights given, and nothing else has a weight."""
        scores = np.zeros_like(given.scores)
        scores[0] = score
        tables = self.tables("viterbi", replace(given, steps={}))
        tables.fill(scores, given.licences, {})
        return tables.weights

    def _found_roots(self, given: Scored) -> list[int | None]:
        """Return the root of each final item, 0 for none; None if its trees have different ones."""
        n, sums = given.licences.n, list[list[float]]()
        dependents = np.arange(n + 1.0) + dependent_value(n)
        tables = self.tables("viterbi", given)
        for sign in (1.0, -1.0):
            tables.fill(np.tile(sign * dependents, (n + 1, 1)), given.licences, {})
            sums.append((sign * tables.weights).tolist())
        found: list[int | None] = []
        for most, least in zip(*sums, strict=True):
            derived = abs(most) <= -NONE / 10
            found.append(unlinked_root(most, least, n) if derived else 0)
        if None in found:  # a link to 0 in every derivation leaves no word without one
            linked = (self._filled_links_to_0(given, -1.0) < -0.5).tolist()
            found = [0 if some else root for root, some in zip(found, linked, strict=True)]
        return found


def weigher_of(kernel: OrderedKernel) -> Weigher:
    """Return the weigher of sentences in a kernel's order; it is made once."""
    if not isinstance(kernel.weigher, Weigher):
        kernel.weigher = Weigher(kernel)
    return kernel.weigher
