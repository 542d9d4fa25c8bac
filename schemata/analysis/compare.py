"""Several schemata side by side: run on the same sentences under the same grammar, their figures in rows."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from schemata.analysis.figures import Figures, figures_of, total
from schemata.budget import Budget, OverBudget, within
from schemata.charts import Item
from schemata.engine.chart import Chart
from schemata.engine.exceeded import BudgetExceeded, Interrupted
from schemata.errors import Diagnostic, GrammarError, UsageError, guided
from schemata.grammars.drules import UNREAD
from schemata.grouping import grouped
from schemata.language.shipped import shipped_schemata
from schemata.records import Record, Shown, ShownAsSvg, data_frame, document, fields_json, json_of, replace
from schemata.structures import Sentence
from schemata.treebanks import BrokenSentence, read_conllu
from schemata.wording import listing, quantity, reference
from schemata.workbench import Grammars, ParsingSchema, Reference, common_grammars, schema_of

if TYPE_CHECKING:
    from schemata.analysis.complexity import Complexity

Over: TypeAlias = "str | int | Sentence | Path | Iterable[str | int | Sentence | Sequence[str]]"


class _Found(Record):
    """A sentence by name and line, and the findings about it."""

    name: str
    line: int | None
    diagnostics: tuple[Diagnostic, ...]

    to_json = json_of("sentence=name line findings=diagnostics")


class Skipped(_Found):
    """A sentence that no schema was run on, and why."""

    __slots__ = ()


class Warned(_Found):
    """A sentence that there are warnings about, such as that link-parser would split a word of it."""

    __slots__ = ()


SentenceFigures: TypeAlias = Figures | Skipped | Warned | str


class Comparison(Record, Shown, repr=False):
    """Figures of several schemata on the same sentences.

    Parameters
    ----------
    labels : the names of the schemata; ratios are to the first.
    rows : one per sentence and schema, sentence by sentence, schemata in order; or the sums over sentences of the same
        length, if single rows are not kept.
    in_total : whether tables and JSON show the sums over all sentences instead.
    skipped : sentences that were left out for all schemata.
    warned : sentences that there are warnings about.
    ended : the limit that ended the comparison before all runs were made, or None.
    costs : the costs of each schema by its rules, if asked for.
    """

    labels: tuple[str, ...]
    rows: tuple[Figures, ...]
    skipped: tuple[Skipped, ...] = ()
    warned: tuple[Warned, ...] = ()
    in_total: bool = False
    ended: str | None = None
    costs: tuple[Complexity, ...] = ()

    @classmethod
    def of(
        cls,
        schemata: Sequence[ParsingSchema],
        found: Iterable[SentenceFigures],
        in_total: bool = False,
        costs: Sequence[Complexity] = (),
    ) -> Comparison:
        """Return the comparison of schemata by the results of `measurements`, and the limit that ended it."""
        kept: dict[type, list[Any]] = {kind: [] for kind in (Figures, Skipped, Warned, str)}
        for one in found:
            kept[type(one)].append(one)
        rows, skipped, warned, ended = map(tuple, kept.values())
        first = next(iter(ended), None)
        return cls(labels_of(schemata), rows, skipped, warned, in_total, first, tuple(costs))

    @property
    def totals(self) -> tuple[Figures, ...]:
        """The sums over all sentences, one row per schema that was run at all."""
        found = {label: [row for row in self.rows if row.label == label] for label in self.labels}
        return tuple(total(rows) for rows in found.values() if rows)

    @property
    def shown(self) -> tuple[Figures, ...]:
        """The rows that tables and JSON show: the totals or all rows."""
        return self.totals if self.in_total else self.rows

    @property
    def growth(self) -> Curves:
        """The growth of items and steps with the length, by schema; notebooks show it as a plot."""
        costs = dict(zip(self.labels, self.costs, strict=False))
        return Curves(replace(one, cost=costs.get(one.label)) for one in growth_of(self.rows))

    @property
    def stopped(self) -> str | None:
        """The budget that ended the comparison, or left a figure of some run open; None if none did."""
        return self.ended or next((row.ended for row in self.rows if row.ended), None)

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as the JSON object that `schemata compare --json` prints."""
        found = fields_json(self, "rows=shown growth costs? skipped warnings?=warned stopped?")
        for cost in found.get("costs", ()):
            del cost["version"]  # the whole has one
        return document(found)

    def to_pandas(self) -> Any:
        """Return the figures of every run as a data frame: a row each, a column for every count by form and step.

        Raises
        ------
        UsageError : pandas is not installed.
        """
        plain = ({k: v for k, v in row.to_json().items() if not isinstance(v, dict)} for row in self.rows)
        return data_frame(one | row.details for one, row in zip(plain, self.rows, strict=True))

    def __repr__(self) -> str:
        sentences = sum(row.sentences for row in self.totals[:1])
        return f"<Comparison of {listing(self.labels)} on {quantity(sentences, 'sentence')}>"


@guided("schemata are a list: compare(['eisner1996', 'mh'], 'a b c')")
def compare(
    schemata: Sequence[Reference] | Reference,
    over: Over,
    grammar: Grammars = None,
    budget: Budget | None = None,
    *,
    forest: bool = True,
    tree_budget: int | None = None,
    skip: bool = False,
    max_words: int | None = None,
    formulas: bool = False,
    strict: bool = False,
) -> Comparison:
    """Run several schemata on the same sentences and return their figures.

    Parameters
    ----------
    schemata : names, paths or loaded schemata, or one of these; the first is what ratios refer to.
    over : a sentence, or a length, or several of them; a length stands for a sentence of that many words.
        A string is a sentence; in a list every string is one. A `Path` is a treebank in CoNLL-U.
    grammar : one grammar for all, or one by kind (``{"d-rules": ..., "dependency-rules": ...}``), or a word or a
        path as for `ParsingSchema.run`; all D-rules by default.
    budget : limits of each single run. A run that hits one has `stopped` set in its row, the rest goes on.
    forest : count useful items, derivations and trees too.
    tree_budget : effort that may be spent on counting trees exactly, in each single run.
    skip : leave out sentences that the grammar does not fit and list them in `skipped`, instead of raising; those
        of a treebank are left out in any case.
    max_words : leave out longer sentences of a treebank.
    formulas : deduce from the rules the cost of each schema, too.
    strict : words that the grammar does not know are an error, as for `ParsingSchema.run`.

    Raises
    ------
    SchemaError, UsageError : a schema cannot be loaded; no schemata; a length below 1; the schemata cannot
        share a grammar.
    GrammarError : the grammar does not fit a sentence.
    TreebankError : the treebank cannot be read.

    >>> found = compare(["eisner1996", "collins1996"], [2, 3])
    >>> [(row.label, row.n, row.items, row.steps) for row in found.rows]
    [('eisner1996', 2, 7, 9), ('collins1996', 2, 2, 2), ('eisner1996', 3, 15, 25), ('collins1996', 3, 7, 12)]
    """
    texts = all(isinstance(one, str) for one in (schemata, over, grammar))
    if texts and over in shipped_schemata():
        hint = f"several schemata are a list: schemata.compare([{schemata!r}, {over!r}], {grammar!r})"
        raise UsageError(f"{over!r} is a schema, not a sentence", code="usage", hint=hint)
    several = [schemata] if isinstance(schemata, str | Path | ParsingSchema) else schemata
    loaded, corpus = list(map(schema_of, several)), isinstance(over, Path)
    sentences = sentences_of(over, max_words)
    given = common_grammars(loaded, grammar, strict=strict)
    found = measurements(
        loaded, sentences, given, budget, forest=forest, tree_budget=tree_budget, skip=skip or corpus
    )
    return Comparison.of(loaded, list(found), corpus, costs_of(loaded) if formulas else ())


def costs_of(schemata: Iterable[ParsingSchema]) -> list[Complexity]:
    """Return the costs of schemata, derived from their rules."""
    from schemata.analysis.complexity import complexity

    return [complexity(schema) for schema in schemata]


def measurements(
    schemata: Sequence[ParsingSchema],
    sentences: Iterable[Sentence | Skipped],
    grammar: Grammars = None,
    budget: Budget | None = None,
    *,
    forest: bool = True,
    tree_budget: int | None = None,
    skip: bool = False,
) -> Iterator[SentenceFigures]:
    """Yield the figures of `compare` as they are found; sentences skipped before are passed on.

    Warnings about a sentence come before its figures.

    Raises
    ------
    KeyboardInterrupt : Ctrl-C during a run, after its figures so far have been yielded.
    SchemataError : as `compare`.
    """
    grammars = common_grammars(schemata, grammar)
    labels, limits = labels_of(schemata), Budget().unless(budget)
    warm: set[str] = set()
    for number, sentence in enumerate(sentences, start=1):
        if isinstance(sentence, Skipped):
            yield sentence
            continue
        name = sentence.name or f"number {number}"
        try:
            provided = [chosen.for_sentence(sentence) for chosen in grammars.values()]
        except (GrammarError, UsageError) as error:
            if not skip:
                raise
            yield Skipped(name, sentence.line, error.diagnostics)
            continue
        said = (w for given in provided for w in getattr(given, "warnings", ()))
        if warnings := tuple(w for w in said if number == 1 or w.code != UNREAD):
            yield Warned(name, sentence.line, warnings)
        del provided
        for schema, label in zip(schemata, labels, strict=True):
            run = partial(schema.run, sentence, grammars[schema.definition.grammar], budget=limits)
            row = _measure(run, limits, label, forest, tree_budget, warm=label in warm)
            warm.add(label)
            yield row
            if row.stopped == "interrupt":
                raise KeyboardInterrupt


_SHORT = 0.5  # seconds of a first run that is measured again, since much of it is preparation


def _measure(
    run: Callable[[], Chart], limits: Budget, label: str, forest: bool, tree_budget: int | None, warm: bool
) -> Figures:
    # The chart is gone when this returns: the next run shall not pay for its memory.
    started = time.perf_counter()
    try:
        chart = run()
        if not warm and time.perf_counter() - started < _SHORT:  # the first run imports, reads and compiles
            del chart
            chart = run()
    except (BudgetExceeded, Interrupted) as over:
        return figures_of(over.chart, label, forest=False)
    count = partial(figures_of, chart, label, forest=forest, tree_budget=tree_budget)
    try:
        return within(limits, started, count)
    except OverBudget as over:
        return replace(figures_of(chart, label, forest=False), uncounted=over.reason)


def sentences_of(over: Over, max_words: int | None = None) -> Iterator[Sentence | Skipped]:
    """Yield the sentences to compare on; those of a treebank that cannot be used come as `Skipped`. See `compare`.

    Raises
    ------
    UsageError : an empty sentence, a length below 1.
    TreebankError : the treebank cannot be read.
    """
    if isinstance(over, Path):
        yield from usable(enumerate(read_conllu(over), start=1), max_words)
        return
    for one in [over] if isinstance(over, str | int | Sentence) else over:
        yield sentence_of_length(one) if isinstance(one, int) else Sentence.of(one)


def usable(
    sentences: Iterable[tuple[int, Sentence | BrokenSentence]], max_words: int | None
) -> Iterator[Sentence | Skipped]:
    """Yield numbered sentences of a treebank that are not too long, all with names; the broken ones as skipped."""
    for number, found in sentences:
        if not isinstance(found, Sentence):
            yield Skipped(found.name or f"number {number}", found.line, (found.diagnostic,))
        elif max_words is None or len(found) <= max_words:
            yield found if found.name else replace(found, name=f"number {number}")


def sentence_of_length(n: int) -> Sentence:
    """Return a sentence of n words without meaning.

    Raises
    ------
    UsageError : n < 1.

    >>> sentence_of_length(3).words
    ('w1', 'w2', 'w3')
    """
    if n < 1:
        raise UsageError(f"a sentence has at least one word, not {n}")
    return Sentence(tuple(f"w{i}" for i in range(1, n + 1)))


def labels_of(schemata: Sequence[ParsingSchema]) -> tuple[str, ...]:
    """Return the labels that distinguish schemata in a comparison.

    A parameter is named where it is not at its default, or where schemata of one name differ in it; labels that are
    still the same, as when a file has the name of a shipped schema, are numbered.

    >>> from schemata.workbench import load
    >>> labels_of([load("mh"), load("eisner1996")]), labels_of([load("mh"), load("mh", k=4)])
    (('mh', 'eisner1996'), ('mh:k=3', 'mh:k=4'))
    """
    values: dict[tuple[str, str], set[int]] = {}
    for schema in schemata:
        for p in schema.definition.parameters:
            values.setdefault((schema.name, p.name), set()).add(p.value)
    labels = []
    for schema in schemata:
        name, own = schema.name, schema.definition.parameters
        told = {p.name: p.value for p in own if p.value != p.default or len(values[name, p.name]) > 1}
        labels.append(reference(name, told))
    return tuple(
        f"{label} ({labels[: k + 1].count(label)})" if labels.count(label) > 1 else label
        for k, label in enumerate(labels)
    )


class FormDifference(Record):
    """The items of one form, or of forms that maps connect, in two charts: in the first only, the second only, both.

    Attributes
    ----------
    form : the form, or the forms of the first schema.
    only_a, only_b : items without a counterpart in the other chart.
    both : the items of the first chart that correspond to items of the second.
    form_b : under maps, the forms of the second schema.
    images : under maps, the mapped items, each with its image, derived or not.
    """

    form: str
    only_a: tuple[Item, ...]
    only_b: tuple[Item, ...]
    both: tuple[Item, ...]
    form_b: str = ""
    images: tuple[tuple[str, str], ...] = ()

    to_json = json_of("form only_a only_b both form_b? images?")


class Carried(Record):
    """The images of the items of one chart under the maps of a relation.

    Attributes
    ----------
    relation : the relation's name.
    maps : the maps, in words.
    reversed : whether items of the second chart are carried to those of the first.
    groups : the forms of the first and of the second schema that maps connect.
    images : by the text of an item, the text of its image.
    """

    relation: str
    maps: tuple[str, ...]
    reversed: bool
    groups: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    images: Mapping[str, str]

    to_json = json_of("relation maps reversed")


class ChartDifference(Record):
    """The difference of two charts.

    Parameters
    ----------
    a, b : the names of the two schemata.
    forms : the forms that both have, as the first declares them.
    forms_only_a, forms_only_b : forms without a counterpart, as ``name/fields``.
    along : the maps by which items correspond; None if only equal forms and items correspond.
    """

    a: str
    b: str
    forms: tuple[FormDifference, ...]
    forms_only_a: tuple[str, ...]
    forms_only_b: tuple[str, ...]
    along: Carried | None = None

    @property
    def same(self) -> bool:
        """Whether the charts have the same forms and items, or every item of each corresponds to one of the other."""
        apart = any(form.only_a or form.only_b for form in self.forms)
        return not (apart or self.forms_only_a or self.forms_only_b)

    to_json = json_of("a b same forms forms_only_a forms_only_b along?")


def chart_difference(
    a: Chart,
    b: Chart,
    *,
    label_a: str | None = None,
    label_b: str | None = None,
    along: Carried | None = None,
) -> ChartDifference:
    """Compare the derived items of two charts of one sentence; hypotheses are left out.

    Items are compared by their canonical text, so that ``true`` and the position 1 differ.

    Parameters
    ----------
    a, b : the charts.
    label_a, label_b : the names of the schemata; None for their names.
    along : the images of items by a relation's maps (see `relations.consequences.carried`); None if items of forms
        with
        the same name and number of fields correspond if they are the same.

    Raises
    ------
    UsageError : the charts are of sentences of different lengths.

    >>> import schemata
    >>> a, b = (schemata.load("mh", k=k).run("a b c") for k in (3, 4))
    >>> (form,) = chart_difference(a, b).forms
    >>> len(form.only_a), len(form.only_b), len(form.both)
    (0, 5, 20)
    """
    if a.n != b.n:
        raise UsageError(
            f"charts of {a.n} and of {quantity(b.n, 'word')} have nothing to compare item by item"
        )
    fields_a, fields_b = _derived_forms(a), _derived_forms(b)
    alike = [((form,), (form,)) for form, fields in fields_a.items() if fields_b.get(form) == fields]
    groups = alike if along is None else [names for names in along.groups if all(names)]
    items = [grouped((item.form, item) for item in chart.items) for chart in (a, b)]
    forms = []
    for names in groups:
        mine, theirs = (
            {str(item): item for form in own for item in of_form.get(form, ())}
            for own, of_form in zip(names, items, strict=True)
        )
        source, target = (theirs, mine) if along is not None and along.reversed else (mine, theirs)
        pairs = [(text, text if along is None else along.images.get(text)) for text in source]
        known, reached = ({pair[k] for pair in pairs if pair[1] in target} for k in (0, 1))
        met_a, met_b = (reached, known) if target is mine else (known, reached)
        only_a = tuple(item for text, item in mine.items() if text not in met_a)
        only_b = tuple(item for text, item in theirs.items() if text not in met_b)
        both = tuple(item for text, item in mine.items() if text in met_a)
        images = () if along is None else tuple((text, to) for text, to in pairs if to is not None)
        form_b = "" if along is None else ", ".join(names[1])
        forms.append(FormDifference(", ".join(names[0]), only_a, only_b, both, form_b, images))
    one, two = ({form for names in groups for form in names[side]} for side in (0, 1))
    more_a = tuple(f"{name}/{fields}" for name, fields in fields_a.items() if name not in one)
    more_b = tuple(f"{name}/{fields}" for name, fields in fields_b.items() if name not in two)
    labels = label_a or a.schema.name, label_b or b.schema.name
    return ChartDifference(*labels, tuple(forms), more_a, more_b, along)


def _derived_forms(chart: Chart) -> dict[str, int]:
    """Return the forms of derived items with their numbers of fields, as declared."""
    return {form.name: len(form.fields) for form in chart.schema.forms if form.name in chart.items_by_form}


Quantity = Literal["items", "steps"]


class Growth(Record):
    """The growth of one quantity of one schema: (n, mean over the sentences of n words), by n.

    `bounds` are the points of stopped runs, which are only lower bounds; they are left out of the fit. `cost` is the
    cost by the rules, if asked for.
    """

    label: str
    quantity: Quantity
    points: tuple[tuple[int, float], ...]
    bounds: tuple[tuple[int, float], ...]
    cost: Complexity | None = None

    @property
    def degree(self) -> int | None:
        """The degree that the rules give, None if it was not determined."""
        part = None if self.cost is None else self.cost.space if self.quantity == "items" else self.cost.time
        return None if part is None else part.cost.degree

    @property
    def formula(self) -> str | None:
        """The formula that the rules give, under a grammar that licenses every link."""
        if self.cost is None:
            return None
        return self.cost.items if self.quantity == "items" else self.cost.step_instances

    @property
    def exponent(self) -> float | None:
        """The fitted exponent, or None if there are too few points."""
        return fitted_exponent(self.points)

    to_json = json_of("label quantity exponent:3 degree? formula?")


class Curves(ShownAsSvg, tuple[Growth, ...]):
    """The growth of several quantities and schemata."""


def growth_of(rows: Iterable[Figures]) -> tuple[Growth, ...]:
    """Return the growth of items and of steps of every schema, schemata in order of appearance."""
    growth = []
    names: tuple[Quantity, Quantity] = ("items", "steps")
    for label, own in grouped((row.label, (row.n, row)) for row in rows if row.n is not None).items():
        by_length = sorted(grouped(own).items())
        for name in names:
            points: list[tuple[int, float]] = []
            bounds: list[tuple[int, float]] = []
            for n, of_length in by_length:
                sentences = sum(row.sentences for row in of_length)
                mean = math.fsum(getattr(row, name) for row in of_length) / sentences
                (bounds if any(row.stopped for row in of_length) else points).append((n, mean))
            growth.append(Growth(label, name, tuple(points), tuple(bounds)))
    return tuple(growth)


def fitted_exponent(points: Sequence[tuple[int, float]]) -> float | None:
    """Return the slope of log(value) over log(n), by least squares over the longer half of the lengths.

    Short sentences say little about growth, which is why they are left out; at least three points of n >= 2
    with positive values are needed.

    >>> round(fitted_exponent([(n, 5.0 * n**3) for n in range(1, 10)]), 6)
    3.0
    >>> fitted_exponent([(2, 1.0), (3, 1.0)]) is None
    True
    """
    usable = sorted((n, value) for n, value in points if n >= 2 and value > 0)
    if len(usable) < 3:
        return None
    kept = usable[-max(3, (len(usable) + 1) // 2) :]
    from statistics import linear_regression

    xs, ys = [math.log(n) for n, _ in kept], [math.log(value) for _, value in kept]
    return linear_regression(xs, ys).slope if len(set(xs)) > 1 else None
