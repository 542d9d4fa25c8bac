"""A chart: items in canonical order, step instances, counts by form and by step.

`ChartData` is the result of a kernel, in whatever form the kernel keeps it: items by number, and the back-pointers
of every case. `BareChart` presents it as values.

A step instance is a step's name, its antecedents, its consequent and its links. Two cases of one step may agree
in all of these and still not be the same inference: one may have as context the antecedent on which the other
builds, or they may name different heads. They have two instances, in different derivations (`instance_names`).
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps
from itertools import chain
from typing import Any, ParamSpec, Protocol, TypeAlias, TypeVar

from schemata.language import model as m
from schemata.language.typeset import format_item, format_value, sort_key
from schemata.records import Record, ShownAsHtml, field, fields_json
from schemata.structures import Sentence
from schemata.wording import quantity

P = ParamSpec("P")
T = TypeVar("T")
HeadPlace: TypeAlias = "tuple[int | None, int]"


class ChartData(Protocol):
    """The items and back-pointers of a chart, in one form for its readers, however a kernel stores them.

    Hypotheses have the numbers below `hypothesis_count`. The row of a step instance in its case's log is:
    consequent, antecedents, then the arguments of the atoms built, by number.
    """

    @property
    def hypothesis_count(self) -> int:
        """The number of hypotheses."""

    @property
    def item_count(self) -> int:
        """The number of items, hypotheses included."""

    @property
    def listing_bytes(self) -> int:
        """The memory that listing all step instances takes."""

    @property
    def values(self) -> Sequence[tuple[m.Value, ...]]:
        """The values of every item, by number."""

    @property
    def form_of(self) -> Sequence[int]:
        """The form of every item, by number."""

    @property
    def ids(self) -> Sequence[Mapping[tuple[m.Value, ...], int]]:
        """By form: the number of an item by its values."""

    @property
    def writings(self) -> Sequence[Mapping[tuple[m.Value, ...], int]]:
        """By form with a normal form: the number of an item by each of its writings."""

    @property
    def logs(self) -> Sequence[Sequence[int]]:
        """The flat rows of back-pointers by case."""

    @property
    def edge_logs(self) -> Sequence[Sequence[int]]:
        """The logs as far as forests need them: at least one instance of each hyperedge (see `hyperedge_names`)."""

    def expand(self, item: int) -> Iterable[tuple[int, tuple[int, ...]]] | None:
        """Return the instances that derive an item as (case, row); None if they have to be found in the logs."""

    def ranks(self) -> Sequence[int] | None:
        """Return the place of every item in canonical order; None if values have to be compared for it."""

    def step_counts(self, strides: Sequence[int]) -> Sequence[int]:
        """Return the number of step instances of each case, from the lengths of their rows."""

    def form_counts(self) -> Mapping[int, int]:
        """Return the number of derived items of each form."""

    def argument(self, kind: m.Type, number: int) -> m.Value:
        """Return the argument of an atom, of a type other than position, from its number."""


class RawChart:
    """The lists that a kernel fills: items by number, their forms, and one flat log of back-pointers per case.

    The row of a step instance in its case's log is: consequent, antecedents, then the arguments of the atoms built.
    Hypotheses have the numbers below `hypothesis_count`.
    """

    __slots__ = ("arguments", "form_of", "hypothesis_count", "ids", "logs", "values", "writings")

    listing_bytes = 0  # the memory that listing all step instances takes; here they are listed already

    def __init__(self, forms: int, cases: int) -> None:
        self.values: list[tuple[m.Value, ...]] = []
        self.form_of: list[int] = []
        self.ids: list[dict[tuple[m.Value, ...], int]] = [{} for _ in range(forms)]
        self.writings: list[dict[tuple[m.Value, ...], int]] = [{} for _ in range(forms)]
        self.logs: list[list[int]] = [[] for _ in range(cases)]
        self.arguments: Mapping[tuple[m.Type, int], m.Value] = {}
        self.hypothesis_count = 0

    @classmethod
    def of(
        cls,
        values: Sequence[tuple[m.Value, ...]],
        form_of: Sequence[int],
        logs: Sequence[Sequence[int]],
        writings: Sequence[Mapping[tuple[m.Value, ...], int]],
        hypothesis_count: int,
        arguments: Mapping[tuple[m.Type, int], m.Value],
    ) -> RawChart:
        """Return a chart from its lists: see `ChartData`."""
        chart = cls(len(writings), len(logs))
        chart.values += values
        chart.form_of += form_of
        for number, (form, row) in enumerate(zip(form_of, values, strict=True)):
            chart.ids[form][row] = number
        chart.logs = [list(log) for log in logs]
        chart.writings = [dict(numbers) for numbers in writings]
        chart.hypothesis_count, chart.arguments = hypothesis_count, arguments
        return chart

    @property
    def item_count(self) -> int:
        """The number of items, hypotheses included."""
        return len(self.values)

    @property
    def edge_logs(self) -> Sequence[Sequence[int]]:
        """The rows that forests read."""
        return self.logs

    def step_counts(self, strides: Sequence[int]) -> Sequence[int]:
        """Return the number of step instances of each case."""
        return [len(log) // stride for log, stride in zip(self.logs, strides, strict=True)]

    def form_counts(self) -> Mapping[int, int]:
        """Return the number of derived items of each form."""
        return Counter(self.form_of[self.hypothesis_count :])

    def expand(self, item: int) -> None:
        """Return None: the instances that derive an item are found in the logs. Native charts may compute them."""

    def ranks(self) -> None:
        """Return None: values have to be compared. Native charts may have places by numbers in arrays."""

    def argument(self, kind: m.Type, number: int) -> m.Value:
        """Return the argument of an atom from its number."""
        return self.arguments[kind, number]


def atom_arguments(
    raw: ChartData, cases: Sequence[m.Case], logs: Sequence[Sequence[int]]
) -> dict[tuple[m.Type, int], m.Value]:
    """Return the arguments of the atoms in some logs of back-pointers, positions apart, by type and number."""
    arguments: dict[tuple[m.Type, int], m.Value] = {}
    for case, log in zip(cases, logs, strict=True):
        kinds = [kind for built in case.links for kind in built.types]
        for place, kind in enumerate(kinds, start=case.stride - len(kinds)):
            if kind != m.POSITION:
                numbers = set(log[place :: case.stride])
                arguments |= {(kind, int(x)): raw.argument(kind, int(x)) for x in numbers}
    return arguments


BuiltLink: TypeAlias = "tuple[m.Value, ...]"
"""(dependent, head); of a linkage (left, right, label); other atoms have their name and then their arguments."""


class Item(Record, ShownAsHtml, repr=False):
    """An item of a chart: its form's name and its values. Prints in canonical text."""

    form: str
    values: tuple[m.Value, ...]
    text: str = field(compare=False)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Item {self.text}>"


class Instance(Record):
    """A step instance: which case of which step, its antecedents, its consequent (item numbers) and its links."""

    case: int
    antecedents: tuple[int, ...]
    consequent: int
    links: tuple[tuple[int, ...], ...]


def last_position(sentence: Sentence, grammar: object) -> int:
    """Return the position that schemata call n.

    Words stand at the positions 1..n, but those of a Link Grammar dictionary, walls included, at 0..n.
    """
    last = getattr(grammar, "last", None)
    return last if isinstance(last, int) else len(sentence)


@dataclass(slots=True)
class Account:
    """The processor seconds of a run and the answers from its chart so far; open while an answer is
    computed.
    """

    seconds: float = 0.0
    is_open: bool = False


def accounted(answer: Callable[P, T]) -> Callable[P, T]:
    """Charge the time of an answer to the run of its chart, or of the chart of a forest or a weighing (`.chart`)."""

    @wraps(answer)
    def counted(*arguments: P.args, **options: P.kwargs) -> T:
        account: Account | None = arguments[0].chart.account  # type: ignore[attr-defined]
        if account is None or account.is_open:
            return answer(*arguments, **options)
        account.is_open, started = True, time.process_time()
        try:
            return answer(*arguments, **options)
        finally:
            account.seconds += time.process_time() - started
            account.is_open = False

    return counted


class BareChart:
    """Items, step instances and counts of a run; a forest is made of it.

    Items are known by number inside; `items` and `final_items` present them in canonical order: by form as
    declared, then by value.

    Attributes
    ----------
    account : the account of the time of answers; None if no times are recorded.
    """

    account: Account | None = None

    def __init__(
        self,
        schema: m.Schema,
        sentence: Sentence,
        grammar: object,
        raw: ChartData,
        finals: frozenset[int],
        seconds: float,
        stopped: str | None = None,
        engine: str = "python",
    ) -> None:
        self.schema = schema
        self.sentence = sentence
        self.grammar = grammar
        self.raw = raw
        self.final_ids = finals
        self.seconds = seconds
        self.stopped = stopped
        self.engine = engine

    @property
    def n(self) -> int:
        """The n of schemata: the number of words; over a Link Grammar dictionary the last position."""
        return last_position(self.sentence, self.grammar)

    @property
    def parameters(self) -> Mapping[str, int]:
        """The values of the schema's parameters."""
        return {p.name: p.value for p in self.schema.parameters}

    def heading(self) -> dict[str, Any]:
        """Return the first keys of JSON objects about the chart: schema, parameters, sentence."""
        return fields_json(self, "schema=schema.name parameters sentence=sentence.words")

    @property
    def accepted(self) -> bool | None:
        """True if a final item is derivable (or a hypothesis); None if a run that was stopped had derived none yet."""
        return True if self.final_ids else None if self.stopped else False

    @cached_property
    def strides(self) -> tuple[int, ...]:
        """The length of a row in each case's log."""
        return tuple(case.stride for case in self.schema.cases)

    @cached_property
    def step_count(self) -> int:
        """The number of distinct step instances."""
        return sum(self.raw.step_counts(self.strides))

    @cached_property
    def steps_by_name(self) -> Mapping[str, int]:
        """The number of step instances by step name; every declared name is a key."""
        counts = dict.fromkeys(self.schema.step_names, 0)
        for case, amount in zip(self.schema.cases, self.raw.step_counts(self.strides), strict=True):
            counts[case.step] += amount
        return counts

    @property
    def item_count(self) -> int:
        """The number of derived items: those that a step derived and that are not hypotheses."""
        return self.raw.item_count - self.raw.hypothesis_count

    @cached_property
    def derived_ids(self) -> tuple[int, ...]:
        """The numbers of the derived items in canonical order."""
        return tuple(
            sorted(range(self.raw.hypothesis_count, self.raw.item_count), key=self.ranks.__getitem__)
        )

    @cached_property
    def hypothesis_ids(self) -> tuple[int, ...]:
        """The numbers of the hypotheses in canonical order."""
        return tuple(sorted(range(self.raw.hypothesis_count), key=self.order))

    def order(self, number: int) -> tuple[int, object]:
        """Return the key of an item's place in canonical order."""
        form = self.raw.form_of[number]
        values = self.raw.values[number]
        return form, values if self._sortable[form] else tuple(map(sort_key, values))

    @cached_property
    def final_order(self) -> tuple[int, ...]:
        """The numbers of the final items in canonical order."""
        few = len(self.final_ids) < 2
        return tuple(self.final_ids if few else sorted(self.final_ids, key=self.order))

    @cached_property
    def ranks(self) -> Sequence[int]:
        """The place of every item, by number, in canonical order."""
        if (found := self.raw.ranks()) is not None:
            return found
        values = list(self.raw.values)  # decoded all at once
        by_form: list[list[int]] = [[] for _ in self.schema.forms]
        for number, form in enumerate(self.raw.form_of):
            by_form[form].append(number)
        for sortable, numbers in zip(self._sortable, by_form, strict=True):
            numbers.sort(key=values.__getitem__ if sortable else self.order)
        ranks = [0] * len(values)
        for place, number in enumerate(chain.from_iterable(by_form)):
            ranks[number] = place
        return ranks

    @cached_property
    def _sortable(self) -> tuple[bool, ...]:
        """By form: True if its values compare directly, since none is ever absent."""
        return tuple(not any(f.type.may_be_absent for f in form.fields) for form in self.schema.forms)

    def item(self, number: int) -> Item:
        """Return an item by number."""
        form = self.schema.forms[self.raw.form_of[number]]
        values = self.raw.values[number]
        return Item(form.name, values, format_item(form, values))

    def find(self, form: str, values: tuple[m.Value, ...]) -> int | None:
        """Return the number of an item, hypotheses included, or None if it is not in the chart."""
        for table, declared in zip(self.raw.ids, self.schema.forms, strict=True):
            if declared.name == form:
                return table.get(values)
        return None

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """The derived items (without hypotheses) in canonical order."""
        return tuple(self.item(x) for x in self.derived_ids)

    @cached_property
    def hypotheses(self) -> tuple[Item, ...]:
        """The hypotheses in canonical order."""
        return tuple(self.item(x) for x in self.hypothesis_ids)

    @cached_property
    def final_items(self) -> tuple[Item, ...]:
        """The final items in canonical order."""
        return tuple(map(self.item, self.final_order))

    @cached_property
    def items_by_form(self) -> Mapping[str, int]:
        """The number of derived items by form; every form that is not of hypotheses alone is a key."""
        produced = {c.consequent.form for c in self.schema.cases}
        counts = {f.name: 0 for f in self.schema.forms if f.name in produced}
        for number, amount in self.raw.form_counts().items():
            if amount:
                counts[self.schema.forms[number].name] += amount
        return counts

    def instances(self) -> Iterator[Instance]:
        """Yield every step instance, case by case."""
        for case, (log, stride) in enumerate(zip(self.raw.logs, self.strides, strict=True)):
            for row in range(0, len(log), stride):
                yield self.instance(case, log, row)

    def instance(self, case: int, log: Sequence[int], row: int = 0) -> Instance:
        """Return the step instance of a case whose row begins at a place in a log."""
        declared = self.schema.cases[case]
        first_end = row + 1 + len(declared.antecedents)
        links = declared.atoms(log[first_end : row + self.strides[case]])
        return Instance(case, tuple(log[row + 1 : first_end]), log[row], links)

    def atom(self, built: m.AnyAtom, numbers: Sequence[int]) -> tuple[Any, ...]:
        """Return an atom that a step instance builds: its name and values, terms as the language writes them.

        A link is an edge.
        """
        values = zip(self.arguments(built, numbers), built.types, strict=True)
        texts = (format_value(x, kind) if kind.kind == "term" else x for x, kind in values)
        return built.name.replace("link", "edge"), *texts

    def built_links(self, case: int, links: Iterable[tuple[int, ...]]) -> tuple[BuiltLink, ...]:
        """Return the atoms that a step instance builds, with terms in schema notation.

        Parameters
        ----------
        case : the case of the step.
        links : as in the back-pointers: positions, values by number, or the numbers of connector occurrences.

        Returns ------- See `BuiltLink`; a join that a condition forbids is left out.
        """
        found: list[BuiltLink] = []
        for built, numbers in zip(self.schema.cases[case].links, links, strict=True):
            if built.name == "join":
                found += [self.link_of(numbers)] if numbers[0] >= 0 else []
            else:
                atom = self.atom(built, numbers)
                found.append(atom[1:] if built.name == "link" and len(atom) == 3 else atom)
        return tuple(found)

    def arguments(self, built: m.AnyAtom, numbers: Iterable[int]) -> tuple[m.Value, ...]:
        """Return the arguments of an atom from their numbers in the back-pointers."""
        pairs = zip(built.types, numbers, strict=True)
        return tuple([x if kind == m.POSITION else self.raw.argument(kind, x) for kind, x in pairs])

    def link_of(self, ends: tuple[int, ...]) -> tuple[Any, ...]:
        """Return a link from the numbers of its ends: positions, or connector occurrences of a linkage."""
        if not self.schema.builds_linkages:
            return ends
        link = self.grammar.sequences.link(*ends)  # type: ignore[attr-defined]
        return link.left, link.right, link.label

    def __repr__(self) -> str:
        state = {True: "accepted", False: "not accepted", None: "not accepted so far"}[self.accepted]
        return (
            f"<Chart of {self.schema.name}, {quantity(len(self.sentence), 'word')}: "
            f"{quantity(self.item_count, 'item')}, {quantity(self.step_count, 'step')}, {state}>"
        )


class Counts(Record):
    """The figures of a run whose chart is not kept: sentence length, derived items, step instances, acceptance."""

    n: int
    items: int
    steps: int
    accepted: bool


# What tells step instances apart -----------------------------------------------------------------------------


def head_place(case: m.Case, name: str) -> HeadPlace | None:
    """Return the field that a variable of a case's `head` is read off.

    Returns ------- (structural antecedent, field), both counted from 0; (None, field) for the consequent; None if the
    variable is no whole field of any item.
    """
    wanted = m.Var(name)
    if wanted in case.consequent.terms:
        return None, case.consequent.terms.index(wanted)
    for tail, antecedent in enumerate(a for a in case.antecedents if not a.context):
        if wanted in antecedent.pattern.terms:
            return tail, antecedent.pattern.terms.index(wanted)
    return None


def building_of(case: m.Case) -> tuple[object, ...]:
    """Return a case's atoms and heads, by its structural antecedents, independent of the names of its
    variables.

    The sorts of the arguments of each atom are part of it: arguments of equal sorts have comparable numbers.
    """
    slots = [k for k, a in enumerate(case.antecedents) if not a.context]
    links = [(slots.index(x.dependent), slots.index(x.head)) for x in case.head_links]
    others = (built for built in case.links if built.name not in ("link", "join"))
    atoms = [(built.name, None if built.over is None else slots.index(built.over)) for built in others]
    sorts = tuple(tuple(kind.sort for kind in built.types) for built in case.links)
    said = (*links, *atoms), sorts, case.weight
    match case.head:
        case m.Var(name) if name != "n":
            return head_place(case, name), *said
        case m.Linear(constant, terms):
            places = ((x.name == "n" or head_place(case, x.name), factor) for x, factor in terms)
            return constant, frozenset(places), *said
    return case.head, *said


def instance_names(schema: m.Schema) -> tuple[int, ...]:
    """Return a number for every case, the same for cases that may give the same instance.

    These are cases of one step with equally many antecedents, the same ones of them context, and equal buildings.
    """
    contexts = (tuple(a.context for a in case.antecedents) for case in schema.cases)
    cases = zip(schema.cases, contexts, strict=True)
    return _numbered([(case.step, context, building_of(case)) for case, context in cases])


def hyperedge_names(schema: m.Schema) -> tuple[int, ...]:
    """Return a number for every case, the same for cases whose instances may be one hyperedge.

    Context antecedents are not part of a hyperedge. An item derived from context antecedents alone is predicted: a
    leaf, whichever of several steps predicts it.
    """
    return _numbered([(None if case.predicts else case.step, building_of(case)) for case in schema.cases])


def _numbered(keys: Sequence[object]) -> tuple[int, ...]:
    """Return a number for every key, equal ones for equal keys, in the order they appear."""
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    return tuple(numbers[key] for key in keys)
