"""Runs of ordered kernels with weights: totals in an algebra, and the best derivation.

A run works on the tables for sentences of one length. Tables, hypotheses and final items depend on nothing else, so
many sentences of a length share them. No back-pointers are kept: the way down the best derivation looks for the maximum
again.

Where no step links the root of a tree to 0, the final item has the weight of that link. Which word this is, the
dependents of all links tell: they are the words, less the root. So two runs with a link's dependent for its score, and
its negative, say whether all trees of a final item have one root, and which.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from ctypes import c_int64, c_void_p
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from schemata.grammars.drules import all_licences
from schemata.kernels import runtime as r
from schemata.kernels.grammar import GrammarTables
from schemata.kernels.store import OutsideTables
from schemata.language.model import OF_WORDS
from schemata.machine.compile import addresses
from schemata.ordered import plan as p
from schemata.ordered.emit import GIVEN, NUMBER, ROOM, emit_shares, emit_weighing
from schemata.ordered.rules import ALGEBRAS, NONE
from schemata.ordered.store import OrderedTables, digits, keep_tables
from schemata.program.linear import Provided
from schemata.program.plan import column_name
from schemata.program.rewriting import Rewriting
from schemata.records import Record, replace
from schemata.weights.semiring import exponential, is_weight, require_weight

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from schemata.grammars.drules import Licences
    from schemata.ordered.kernel import OrderedKernel


class NotWeighable(Exception):  # noqa: N818 - an answer: the fold over the forest takes the sentence
    """An ordered kernel does not weigh what it was asked to; the message says why."""


class WeighingKernel:
    """The kernels that weigh a program's items in its proved order, for one algebra.

    Parameters
    ----------
    kernel : the program's kernels that count.
    algebra : "viterbi", "real" or "log".

    Raises
    ------
    NotWeighable : the program has heads that no link names, or is beyond what these kernels do.
    """

    def __init__(self, kernel: OrderedKernel, algebra: str) -> None:
        if any(case.head_links for case in kernel.program.schema.cases):
            raise NotWeighable("links between the heads of antecedents, whose ends no item has")
        built = [one for case in kernel.program.schema.cases for one in case.links]
        if any(len(one.types) != 2 or one.name in OF_WORDS for one in built):
            raise NotWeighable("links with labels, or something else than links")
        self.kernel, self.name, self.algebra = kernel, algebra, ALGEBRAS[algebra]
        try:
            self.text, weigh, walk, self.views = emit_weighing(kernel.order, self.algebra)
        except ValueError as error:
            raise NotWeighable(str(error)) from error
        self.repeats = " = fresh(" in self.text
        self._arrays = {"weigh": tuple(weigh), "walk": tuple(walk)}
        self.rules = [p.turned_rule(kernel.program, rule) for rule in kernel.program.rules]
        self._functions = dict(kernel.compiler(self.text, ("weigh", "walk")))

    def require_shares(self) -> None:
        """Compile the kernel that shares out totals.

        Raises
        ------
        NotWeighable : items with a normal form, whose writings share one weight.
        """
        if "share" not in self._functions:
            try:
                text, arrays = emit_shares(self.kernel.order, self.algebra, self.views)
            except ValueError as error:
                raise NotWeighable(str(error)) from error
            self._arrays["share"] = tuple(arrays)
            self._functions |= self.kernel.compiler(text, ("share",))

    def bound(
        self, name: str, numbers: Sequence[int], arrays: Mapping[str, NDArray[Any]]
    ) -> Callable[[], int]:
        """Return one of the functions with its arguments; it is called thousands of times a second."""
        function = self._functions[name]
        given = [arrays[array] for array in self._arrays[name]]
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
    kernel : what fills them.
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
        sizes = [size * size if kind < 0 else tables.places[kind] for kind, _ in views]
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
        for (kind, last), part in parts.items():
            if kind < 0:
                first = 0 if kind == p.SCORES else 1  # no link that a step builds without a licence ends at 0
                inside = slice(size - 1), slice(first, size - 1)
                inside = inside if last else inside[::-1]
                self._scores.append(((kind, last), part, part.reshape(size, size)[inside], inside))
        self._empty = self._weights.copy()
        self._rewrites = kernel.kernel.order.strata == 1  # what is read of a run, it has written before
        measured = p.measured_columns(kernel.kernel.order)
        lanes = max((len(k.columns) - len(measured[k.number]) for k in program.kinds), default=0)
        sums = (size + len(tables.grammar.symbols)) ** lanes
        more = {"O": tables.offsets, "M": np.zeros(sums), "E": np.zeros(sums)}
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
            self.of["V"] = np.empty(sum(tables.places) + 1)
            self.of["V"][: len(tables.hypotheses) + 1] = self.kernel.algebra.one
            self.of["V"][0] = self.kernel.algebra.zero
        self.of |= {name: np.zeros(self._room, np.int64) for name in ("K", "out")}
        self.of["heads"] = np.zeros(self.n + 3, np.int64)
        self.of |= zip(("st", "SH", "SR", "WB", "cell"), tables.workspace, strict=True)
        self._share: Callable[[], int] | None = None
        numbers = self.n, len(tables.grammar.symbols)
        self._weigh = self.kernel.bound("weigh", numbers, self.of)
        self._walk = self.kernel.bound("walk", numbers, self.of)

    def fill(self, scores: NDArray[np.float64], licences: Licences) -> None:
        """Weigh all items of a sentence with scores; see `Scored`."""
        while True:
            self.enter(scores, licences)
            self.run()
            if not self.tables.enlarge():
                return
            self._bind()

    def run(self) -> None:
        """Run the kernel over what has been entered."""
        self._weigh()

    def enter(self, scores: NDArray[np.float64], licences: Licences) -> None:
        """Enter the scores of links, with the zero for those that are not licensed, and forget all items."""
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
            shown = (scores if last else scores.T)[inside]
            if self.kernel.name == "real":
                with np.errstate(over="ignore"):
                    np.exp(shown, out=given)
                if not np.isfinite(given).all():
                    raise NotWeighable("a weight that is too large for a number")
            else:
                np.maximum(shown, NONE, out=given)
            if kind == p.SCORES:
                table[self._barred[last]] = algebra.zero
        self._begin()

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
                for other, row in Rewriting.of(tables.program).writings(kind, columns, self.n):
                    tables.by_kind[other][tables.place_of(other, row)] = number

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weights of final items; of one with several writings that are final the first one's."""
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

    def shares(self, of_finals: Sequence[float]) -> NDArray[np.float64]:
        """Share out a total, after a run with logarithms: the derivatives of its logarithm by the scores of links.

        Parameters
        ----------
        of_finals : the share of each final item, which add up to 1.

        Returns
        -------
        The share of derivations that build each link, by head and dependent, (n + 1, n + 1); a link that a derivation
        builds several times counts as often. It is valid until the next call.

        Raises
        ------
        NotWeighable : the kernel has no such function.
        """
        if self._share is None:
            self.kernel.require_shares()
            tables, size = self.tables, self.n + 2
            ends = np.cumsum([*tables.places, size * size]).tolist()
            self._shares = np.zeros(ends[-1])
            begins = [0, *ends]
            for kind in range(len(tables.places)):
                self.of[f"D{kind}"] = self._shares[begins[kind] : begins[kind + 1]]
            self.of["G"] = self._shares[begins[-2] :]
            self._links = self.of["G"].reshape(size, size)[:-1, :-1]
            self._share = self.kernel.bound("share", (self.n, len(tables.grammar.symbols)), self.of)
        self._shares.fill(0.0)
        for (kind, columns), share in zip(self.finals, of_finals, strict=True):
            self.of[f"D{kind}"][self.tables.place_of(kind, columns)] += share
        if self.kernel.repeats:
            self.tables.begin_pass()
        self._share()
        if self.tables.state[r.STATUS] != 0:
            raise OutsideTables
        links: NDArray[np.float64] = self._links
        return links

    def walk(self, kind: int, columns: tuple[int, ...]) -> tuple[int, ...] | None:
        """Walk down the best derivation of an item, after a run with the maximum.

        Returns
        -------
        The head of every word, -1 where no link gives it one; None where links give a word two heads.
        """
        while True:
            row = kind, *columns
            self.of["K"][: self._width] = [*row, *[0] * (self._width - len(row))]
            heads = self.of["heads"]
            heads.fill(-1)
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
            plan = self.kernel.rules[best]
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
    """The best derivation of a sentence: its weight in log space, the head of every word, and its steps on demand."""

    weight: float
    heads: tuple[int, ...]
    choices: Callable[[], list[Choice]]


class Scored(Record):
    """A sentence with scores.

    Parameters
    ----------
    licences : what the grammar licenses in it.
    scores : of links, scores[head, dependent], the logarithms of their weights; shape (n + 1, n + 1).
    hypotheses : returns its hypotheses, as kinds and columns; they depend on its length alone.
    memory : bytes that tables may take.
    """

    licences: Licences
    scores: NDArray[np.float64]
    hypotheses: Callable[[], Sequence[tuple[int, tuple[int, ...]]]]
    memory: int


class Filled(NamedTuple):
    """Tables that a sentence has filled; by final item its weight, and the root that no step links to 0 (or 0)."""

    tables: WeightTables
    weights: list[float]
    roots: list[int]


class Shares(NamedTuple):
    """The logarithm of a total, and the share of its derivations that build each link, by head and dependent."""

    log_total: float
    links: NDArray[np.float64]


class Weigher:
    """Weighs sentence after sentence with the kernels of a program."""

    def __init__(self, kernel: OrderedKernel) -> None:
        self.kernel = kernel
        self._kernels: dict[str, WeighingKernel] = {}
        self._tables: dict[tuple[str, int], WeightTables] = {}
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
        """Return the best derivation of a sentence, None where it is not accepted.

        Raises
        ------
        NotWeighable, OutsideTables : as for `total`; also where the best derivation builds no tree.
        """
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
        if not is_weight(most, [float(given.scores[h, d]) for d, h in enumerate(heads, start=1)]):
            # right only where the derivation builds a link several times, which then weighs as often
            built = [link for choice in tables.choices() for link in choice.links]
            of_root = [(loose[0], 0)] if loose else []
            require_weight(most, [float(given.scores[h, d]) for d, h in (*built, *of_root)])
        return Best(most, heads, tables.choices)

    def shares(self, given: Scored) -> Shares | None:
        """Return the total of a sentence and the shares of links in it; None where it is not accepted.

        Raises
        ------
        NotWeighable, OutsideTables : as for `total`.
        """
        tables, weights, roots = self._filled("log", given)
        most = max(weights, default=-math.inf)
        if most == -math.inf:
            return None
        parts = [math.exp(weight - most) for weight in weights]
        whole = math.fsum(parts)
        of_finals = [part / whole for part in parts]
        links = tables.shares(of_finals).copy()
        if -1 in roots:  # a word without a head is the root
            links[0] += np.maximum(1.0 - links.sum(axis=0), 0.0)
        else:
            for share, root in zip(of_finals, roots, strict=True):
                links[0, root] += share
        links[0, 0] = 0.0
        return Shares(most + math.log(whole), links)

    def _filled(self, algebra: str, given: Scored) -> Filled:
        """Return the tables of a sentence, filled, and the weights of its final items.

        These include the scores of their roots; -inf where an item is not there. The way down the best derivation must
        be looked for in these tables, not in others of the same length, which know nothing of the sentence.
        """
        if given.licences.single_root:
            raise NotWeighable("trees with a single root, which items do not tell from others")
        if self._asks_categories:
            raise NotWeighable("tests of categories")
        scores, roots = given.scores, self._roots_of(given)
        tables = self.tables(algebra, given)
        tables.fill(scores, given.licences)
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
        n = given.licences.n
        found = self._tables.get((algebra, n))
        if found is None:
            if algebra not in self._kernels:
                self._kernels[algebra] = WeighingKernel(self.kernel, algebra)
            grammar = GrammarTables(self.kernel.program, n, given.licences)
            tables = OrderedTables(self.kernel, n, grammar, given.hypotheses(), given.memory)
            found = WeightTables(self._kernels[algebra], tables, given.memory)
            keep_tables(self._tables, (algebra, n), found, found.nbytes)
        return found

    def _roots_of(self, given: Scored) -> list[int] | None:
        """Return, by final item, the root of its trees where no step links it to 0, else 0, and -1 for any of them.

        None stands for zeros alone.

        Raises
        ------
        NotWeighable : trees of one final item have different roots, whose scores are not the same.
        """
        n = given.licences.n
        roots = self._roots.get(n)
        if roots is None:
            licences = all_licences(n) if self._scores_alone else given.licences
            roots = self._found_roots(replace(given, licences=licences))
            if self._scores_alone:
                self._roots[n] = roots
        if None in roots and len(set(given.scores[0, 1:].tolist())) > 1:
            raise NotWeighable("trees with different roots, of which the final item does not tell one")
        if None in roots and given.scores[0, 1:].any() and self._links_to_0(given):
            raise NotWeighable("trees whose root a step links to 0, and others, of one final item")
        if roots.count(0) == len(roots):
            return None
        return [-1 if root is None else root for root in roots]

    def _links_to_0(self, given: Scored) -> bool:
        """Whether some derivation has a link to 0, whose score it has weighed."""
        scores = np.zeros_like(given.scores)
        scores[0] = 1.0
        tables = self.tables("viterbi", given)
        tables.fill(scores, given.licences)
        return bool((tables.weights > 0.5).any())

    def _found_roots(self, given: Scored) -> list[int | None]:
        """Return the root of each final item, 0 for none; None where its trees have different ones."""
        n, sums = given.licences.n, list[list[float]]()
        tables = self.tables("viterbi", given)
        for sign in (1.0, -1.0):
            tables.fill(np.tile(sign * np.arange(n + 1.0), (n + 1, 1)), given.licences)
            sums.append((sign * tables.weights).tolist())
        found: list[int | None] = []
        for most, least in zip(*sums, strict=True):
            if abs(most) > -NONE / 10:  # not derived
                found.append(0)
            elif most != least:
                found.append(None)
            else:
                root = n * (n + 1) // 2 - round(most)
                found.append(root if 1 <= root <= n else 0)
        return found
