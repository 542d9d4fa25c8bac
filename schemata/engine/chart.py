"""The chart that a run returns: its items, step instances and forest, and the answers it gives about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from schemata.charts import BareChart
from schemata.errors import UsageError, guided, no_attribute
from schemata.language.typeset import format_value
from schemata.records import ShownAsHtml, Tabular, ask

if TYPE_CHECKING:
    from schemata.analysis.contents import Contents
    from schemata.analysis.explain import Proof, Trace
    from schemata.analysis.figures import RunResult
    from schemata.analysis.reasons import WhyNot
    from schemata.budget import Budget
    from schemata.charts import BuiltLink, Item
    from schemata.engine.control import Search
    from schemata.engine.weighing import Weighing, WeightedStructure
    from schemata.forest.derivations import Derivation
    from schemata.forest.forest import Forest
    from schemata.structures.constituents import Structure
    from schemata.weights.features import Features, StepFeature
    from schemata.weights.scores import Weights
    from schemata.weights.semiring import Semiring


_ELSEWHERE = {
    "trees": "forest().trees()",
    "parses": "forest().trees()",
    "linkages": "forest().linkages()",
    "graphs": "forest().structures()",
    "derivations": "forest().derivations()",
    "derivation_count": "forest().derivation_count",
    "tree_count": "forest().count_trees()",
    **dict.fromkeys(("tree", "parse", "structure"), "forest().trees()[0]"),
    **dict.fromkeys(("structures", "heads"), "forest().structures()"),
    **dict.fromkeys(("draw", "plot", "show", "display"), "svg(), or save(FILE.svg)"),
    "print": "save(FILE.txt), or print(chart)",
    "steps": "step_count or steps_by_name",
    "accepts": "accepted",
    **dict.fromkeys(("count", "n_items"), "item_count"),
    "derivation": "forest().derivations()",
}
"""Methods of a chart whose functions stand elsewhere."""


class Chart(BareChart, ShownAsHtml, Tabular):
    """The result of running a schema on a sentence: items, counts and back-pointers as in `BareChart`, and a forest.

    Attributes
    ----------
    weights : the weights given to the run, beside those of its grammar and its schema.
    claims : returns whether the schema is known to derive each structure once (None: it is not known), and the name
        of a
        schema that does so in its place.
    search : the work of the strategy that chose the items; None if all were taken.
    """

    weights: Weights | None = None
    search: Search | None = None
    claims: Callable[[], tuple[bool | None, str | None]] | None = None

    def __getattr__(self, name: str) -> Any:
        """Refuse a name that a chart does not have; the message says where such things are."""
        no_attribute(self, name, f"it is chart.{_ELSEWHERE[name]}" if name in _ELSEWHERE else None)

    def table_rows(self) -> Iterator[dict[str, Any]]:
        """Yield the derived items in canonical order as the rows of a table.

        A row has `kind` (the item form), the fields by name (None where the kind has no such field; texts for values
        other than numbers, flags and symbols), `steps` (the step instances that derive the item), `useful` (whether a
        derivation of a final item uses it; None if a limit stopped the run before this was known) and `final`. A field
        with the name of another column has an underscore behind it.

        >>> import schemata
        >>> chart = schemata.load("cyk").run("Mary slept", "example")
        >>> for row in chart.table_rows():
        ...     print(*row.values())
        edge NP 1 1 1 True False
        edge S 1 2 1 True True
        edge VP 2 2 1 True False
        """
        forms, raw = self.schema.forms, self.raw
        drawn = [form for form in forms if form.name in self.items_by_form]
        names = list(dict.fromkeys(field.name for form in drawn for field in form.fields))
        columns = {
            name: f"{name}_" if name in ("kind", "steps", "useful", "final") else name for name in names
        }
        steps: Counter[int] = Counter()
        for log, stride in zip(raw.logs, self.strides, strict=True):
            steps.update(log[::stride])
        useful = frozenset(self.forest().order)
        for number in self.derived_ids:
            form = forms[raw.form_of[number]]
            row: dict[str, Any] = {"kind": form.name, **dict.fromkeys(columns.values())}
            for declared, value in zip(form.fields, raw.values[number], strict=True):
                is_plain = value is None or isinstance(value, int | str)
                row[columns[declared.name]] = value if is_plain else format_value(value, declared.type)
            is_useful = number in useful or (None if self.stopped else False)
            yield {**row, "steps": steps[number], "useful": is_useful, "final": number in self.final_ids}

    def forest(self) -> Forest:
        """Return the chart's derivations as a hypergraph."""
        from schemata.forest.forest import Forest

        return Forest(self)

    def picture(self, view: str | None = None, *, useful: bool = False, most: int | None = 6) -> Any:
        """Return the chart laid out for a picture (`display.chart_layout.ChartPicture`): its cells and their items.

        Parameters
        ----------
        view : "triangle", "columns" or "edges"; None: columns over dotted rules and where items have one position only;
            else the triangle.
        useful : leave out items that no derivation of a final item uses.
        most : how many items of a cell are shown, the others counted; None for all.

        Raises
        ------
        UsageError : the items of the schema have no place in the sentence; or no such view.

        >>> import schemata
        >>> picture = schemata.load("cyk").run("Mary slept", "example").picture()
        >>> [(cell.first, cell.last, len(cell.entries)) for cell in picture.cells]
        [(1, 1, 1), (2, 2, 1), (1, 2, 1)]
        """
        return ask("picture_of", self, view, useful=useful, most=most)

    def summary(self, limit: int | None = 10, tree_budget: int | None = None) -> RunResult:
        """Count derivations and distinct trees or linkages, and list the first: the result that `schemata run` prints.

        Parameters
        ----------
        limit : how many trees or linkages to list; None for all.
        tree_budget : unions of link sets that may be spent on counting them exactly; None for the default.
        """
        answer: RunResult = ask("run_result", self, limit=limit, tree_budget=tree_budget)
        return answer

    def explain(
        self, item: str | Item, depth: int | None = None, budget: Budget | None = None, best: bool = False
    ) -> Proof:
        """Return a proof of an item with the fewest step instances, or the derivation with the greatest weight.

        Parameters and errors are those of `analysis.explain.explain`.
        """
        answer: Proof = ask("explain", self, item, depth, budget, best)
        return answer

    def contents(self, item: str | Item, limit: int | None = 10) -> Contents:
        """Return the partial structures that the derivations of an item build: forests, or extended trees.

        Parameters and errors are those of `analysis.contents.contents`.
        """
        answer: Contents = ask("contents", self, item, limit)
        return answer

    def trace(self, useful: bool = False, all_instances: bool = False) -> Trace:
        """Return the numbered table of the items with their back-pointers, as `schemata.analysis.explain.trace`."""
        answer: Trace = ask("trace", self, useful, all_instances)
        return answer

    def why_not(self, item: str | Item | None = None, depth: int = 3) -> WhyNot:
        """Return why an item, or by default any final item, is not derivable, or that it is.

        Parameters and errors are those of `analysis.why_not.why_not`.
        """
        answer: WhyNot = ask("why_not", self, item, depth)
        return answer

    def to_json(self, limit: int | None = 10) -> dict[str, Any]:
        """Return the JSON object that `schemata run --json` prints, with at most `limit` trees."""
        return self.summary(limit).to_json()

    @cached_property
    def weighing(self) -> Weighing:
        """The chart's derivations with their weights, which the following are computed from.

        Raises
        ------
        UsageError : a limit stopped the run: missing derivations may weigh more. All methods below raise this, too.
        """
        answer: Weighing = ask("weighing_of", self, self.weights, self.claims)
        return answer

    @cached_property
    def weighing_so_far(self) -> Weighing:
        """The weights of a chart that a limit stopped: the best structure, the total ... of the part that was derived.

        >>> import schemata
        >>> try:
        ...     schemata.load("cyk").run("Mary slept", "example", engine="python", budget=schemata.Budget(steps=1))
        ... except schemata.BudgetExceeded as over:
        ...     print(over.chart.weighing_so_far.total("count"))
        0
        """
        answer: Weighing = ask("weighing_of", self, self.weights, self.claims, so_far=True)
        return answer

    @guided("chart.k_best(K) has the K best")
    def best(self) -> WeightedStructure | None:
        """Return the best structure; None if nothing is derived."""
        return self.weighing.best()

    def k_best(self, k: int) -> list[WeightedStructure]:
        """Return the k best distinct structures, best first, however often each is derived.

        A structure's weight is that of its best derivation, in log space.

        Raises
        ------
        UsageError : the derivations are infinitely many.

        >>> import schemata
        >>> scores = [[0, 1, 5], [0, 0, 2], [0, 4, 0]]
        >>> chart = schemata.load("eisner1996").run("a b", weights=schemata.ArcScores(scores))
        >>> [(one.structure.heads, one.weight) for one in chart.k_best(2)]
        [((2, 0), 9.0), ((0, 0), 6.0)]
        """
        return self.weighing.k_best(k)

    def total(self, semiring: str | Semiring[Any] = "log", *, distinct: bool = False) -> Any:
        """Return the sum of the weights of all derivations in a semiring.

        Parameters
        ----------
        semiring : "boolean", "count", "real", "log", "viterbi", "min-plus" (a cost is a weight's negative),
            "expectation" (of the weight), "best:5" (weights of the five best derivations), or a `Semiring`.
        distinct : sum over distinct structures instead, which are listed for it.

        Raises
        ------
        UsageError : there is no such semiring; the semiring cannot sum infinitely many derivations; there
            are too many distinct structures.

        Warns
        -----
        AmbiguityWarning : the semiring is not idempotent, and some structure is, or may be, derived more than once.
        """
        return self.weighing.total(semiring, distinct)

    def marginals(self, *, distinct: bool = False) -> dict[BuiltLink | Item, float]:
        """Return the probability of each link, (dependent, head) or (left, right, label).

        The probability of a derivation is its weight's share in the total; that of a link the sum over those that build
        it. Where a schema builds no links, items have probabilities. `distinct`, errors and warnings as for `total`.
        """
        return self.weighing.marginals(distinct)

    def sample(self, number: int = 1, seed: int = 0, *, distinct: bool = False) -> list[WeightedStructure]:
        """Return structures drawn in proportion to their weights; `distinct`, errors, warnings as for `total`.

        Parameters
        ----------
        number : how many; a structure may come more than once.
        seed : fixes the choices.

        Raises
        ------
        UsageError : as for `total`; too few of the derivations that were drawn build a structure.
        """
        return self.weighing.sample(number, seed, distinct)

    def prefix_scores(self) -> dict[Item, float]:
        """Return the prefix score of each item, in log space: the weight of the best way from the beginning to its end.

        It is the weight of the item's best derivation, and of the items that must have come before it: those that
        license it as a context, and those before its first antecedent (Kuhlmann et al. 2011, section 4.4, figure 5).

        Raises
        ------
        UsageError : links between heads are scored, or trees of a single root are wanted.
        BudgetExceeded : a limit was hit.
        """
        answer: dict[Item, float] = ask("chart_prefix_scores", self, self.weights)
        return answer

    def expected(self, features: Features | None = None) -> dict[StepFeature, float]:
        """Return how often derivations have each feature on average, in proportion to their weights.

        The gradient of a log-linear model is the features of the right derivation less these.

        Parameters
        ----------
        features : the model whose templates are looked at; by default that of the run. Where several bindings make one
            step, each has a part in proportion to its score there.

        Raises
        ------
        UsageError : there is no model, or derivations are infinitely many; `AmbiguityWarning` as for `total`.
        """
        return self.weighing.expected(self._model(features))

    def gradient(self) -> dict[Any, float]:
        r"""Return the derivatives of the log total by the logarithms of the weights of the grammar's facts and rules.

        Such a derivative is how often derivations use the fact or rule in expectation, in proportion to their weights;
        divided by the weight, it is the derivative by the weight itself.

        Returns
        -------
        By rule (`Rule`, `DRule`, the pattern of a root), entry of a lexicon ("word" or "tag", key, category), root
        ("root", category) or fact (relation, *arguments), of those relations of which some row has a weight. Of
        several D-rules that license one link, the one with the greatest weight is used.

        Raises
        ------
        UsageError : a sum or an expectation is infinite; a step's weight is not a multiple of that of the rules and
            facts it asks for;
            `AmbiguityWarning` as for `total`.

        >>> import schemata
        >>> chart = schemata.load("cyk").run("Mary slept", schemata.ContextFreeGrammar.from_text(
        ...     'S -> NP V [0.5] | V V [0.5]\nNP -> "Mary" [0.4]\nV -> "Mary" [0.6] | "slept" [0.4]'))
        >>> {str(key): round(value, 3) for key, value in chart.gradient().items() if not isinstance(key, tuple)}
        {'S -> NP V': 0.4, 'S -> V V': 0.6}
        """
        return self.weighing.gradient()

    def features_of(self, derivation: Derivation, features: Features | None = None) -> dict[StepFeature, int]:
        """Return how often a derivation of this chart has each feature: its feature vector, Phi.

        Parameters and errors are those of `expected`; `best().derivation` is a derivation.
        """
        return self.weighing.counted(self._model(features), derivation)

    def _model(self, given: Features | None) -> Features:
        model = given if given is not None or self.weights is None else self.weights.features
        if model is None:
            message = "the run has no features"
            raise UsageError(message, code="no-features", hint="give a schemata.Features as weights")
        return model

    def entropy(self, *, distinct: bool = False) -> float:
        """Return the entropy of the derivations in nats; `distinct`, errors, warnings as for `total`."""
        return self.weighing.entropy(distinct)

    def weight_of(self, structure: Structure | Sequence[int]) -> float:
        """Return the weight, in log space, of a tree (or its heads) or a linkage; -inf where it is not derived.

        Raises
        ------
        UsageError : the heads are not a tree, or there is not one for each word of the sentence; or the schema builds
            no structures of this kind.
        """
        return self.weighing.weight_of(structure)
