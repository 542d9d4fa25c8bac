"""The hypergraph of a chart with its weights.

The weight of a derivation is the product of the weights of its steps and of the hypotheses it uses. A step has the
weight of the links that it builds, of the rules and lexicon entries of the grammar that it asks for, and the weights
stated by the schema or the run (`StepWeights`). The root of a dependency tree is a link to 0 like any other: where no
step builds it, the final item has its weight. Instances that differ in context antecedents alone are one hyperedge.

The hypergraph is that of the forest, with a goal above the final items. A grammar with a single root doubles it: a node
is an item and whether a link to 0 has been built.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial, reduce
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsFloat, TypeAlias, TypeGuard

from schemata.charts import Instance, hyperedge_names, instance_names
from schemata.engine.loops import with_loops
from schemata.errors import Diagnostic, Location, UsageError, did_you_mean
from schemata.forest.forest import EdgeArrays, Forest
from schemata.forest.paths import OnPaths
from schemata.forest.structures import building_of, connector_charges
from schemata.forest.trees import Building, headed_edges, link_of, of_words
from schemata.grammars.drules import Licences
from schemata.grammars.relations import FREE, graph_known, relation_of
from schemata.grammars.text import GREATEST_WEIGHT
from schemata.kinds import DEPENDENCY_TREE, LINKAGE
from schemata.language import model as m
from schemata.program import evaluation
from schemata.program.instances import final_bindings, instance_bindings
from schemata.program.matching import UNKNOWN, Match, arguments, match_pattern, question, solve
from schemata.records import replace
from schemata.weights.features import StepFeatures
from schemata.weights.fold import EndlessSumError
from schemata.weights.hypergraph import Hypergraph
from schemata.weights.scores import StepScores, Weights
from schemata.weights.semiring import MIN_PLUS, VITERBI, Semiring, exponential
from schemata.weights.tensors import StepTensor
from schemata.wording import listing

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schemata.charts import BareChart, BuiltLink, Instance
    from schemata.forest.forest import Edge
    from schemata.weights.circuits import Circuit
    from schemata.weights.features import Features, StepFeature


Binding = Mapping[str, m.Value]
WeightedChoices: TypeAlias = (
    "Sequence[tuple[object, float]]"  # what tells one way from another, and its weight in log space
)
Weigh = Callable[[Binding], WeightedChoices]
WaysByKey: TypeAlias = "Mapping[object, float]"  # as WeightedChoices
_LINKS = ("link", "join")  # what steps build that has scores


class AskedRow(NamedTuple):
    """A row of a grammar's relation that a step asks for: a part of the key of a way to make the step."""

    relation: str
    row: tuple[m.Value, ...]


def asked_rows(key: object) -> Iterator[AskedRow]:
    """Yield the grammar's rows in the key of a way to make a step, each as often as the step asks for it."""
    if isinstance(key, AskedRow):
        yield key
    elif isinstance(key, tuple):
        for part in key:
            yield from asked_rows(part)


def row_weights(grammar: Any) -> Mapping[str, Mapping[tuple[m.Value, ...], float]]:
    """Return the weights in log space of the rows of a sentence grammar's relations; those of D-rules are of links.

    A word graph has weights of words: those of the pairs that follow one another.
    """
    graph = graph_known(grammar)
    found: Mapping[str, Mapping[tuple[m.Value, ...], float]]
    found = {} if isinstance(grammar, Licences) else getattr(grammar, "weights", {})
    return found if graph is None or graph.weights is None else {**found, m.NEXT_WORD: graph.weight_of_pair}


class StepWeights:
    """The weights of a chart's step instances, without those of links.

    A step instance is read back (`program.instances`). Where several bindings make it, with different rules say, it has
    several weights, one for each way; a sum adds them up.

    Parameters
    ----------
    chart : the chart.
    given : the weights given to the run.
    scores : the scores of links, [head, dependent], that steps may ask for.

    Attributes
    ----------
    cases : the cases whose instances weigh anything.

    Raises
    ------
    UsageError : a weight is for a step or a variable that does not exist.
    """

    def __init__(self, chart: BareChart, given: Weights, scores: NDArray[np.float64] | None = None) -> None:
        self.chart, self._scores = chart, scores
        known = {*chart.schema.step_names, *(form.name for form in chart.schema.forms)}
        for name in given.steps:
            if name not in known:
                message = f"the schema {chart.schema.name} has no step and no item form {name}"
                raise UsageError(message, code="bad-weights", hint=did_you_mean(name, known))
        self._weighs = {
            number: weighs
            for number, case in enumerate(chart.schema.cases)
            if (weighs := self._of_case(case, given))
        }
        self.cases = list(self._weighs)
        shapes = [
            (
                name,
                [antecedent.pattern.form for antecedent in case.antecedents],
                case.consequent.form,
                [built.types for built in case.links],
            )
            for name, case in zip(instance_names(chart.schema), chart.schema.cases, strict=True)
        ]
        alike = [[k for k, other in enumerate(shapes) if other == shape] for shape in shapes]
        # By case those that may make the same instances, where any of them weighs.
        self._alike = {k: some for k, some in enumerate(alike) if not self._weighs.keys().isdisjoint(some)}
        names = hyperedge_names(chart.schema)
        weighed = {names[k] for k in self._alike}
        self.cases = [k for k, name in enumerate(names) if name in weighed]
        self.in_context = self._of_contexts(names, given)
        alone = [k for k, some in self._alike.items() if len(some) == 1]
        self._reads = {
            k: read for k in alone if (read := self._read(chart.schema.cases[k], given)) is not None
        }
        self._found: dict[tuple[m.Value, ...], dict[object, float]] = {}  # by case, and values that are read

    def _of_contexts(self, names: Sequence[int], given: Weights) -> dict[int, bool]:
        """Return the cases whose instances are weighed in all contexts: instances that differ in these are one
        hyperedge.

        The value of a case is whether one instance of a hyperedge is enough. A case is left out if the hyperedge
        determines its weight, and no other case may make the hyperedge.
        """
        cases = self.chart.schema.cases
        context = {names[k] for k, case in enumerate(cases) if any(a.context for a in case.antecedents)}
        fixed = {k: self._is_fixed(cases[k], given) for k in self.cases if names[k] in context}
        return {k: is_fixed for k, is_fixed in fixed.items() if names.count(names[k]) > 1 or not is_fixed}

    def _is_fixed(self, case: m.Case, given: Weights) -> bool:
        """Whether a hyperedge, whatever its context, determines the weight of its case."""
        items = [case.consequent, *(a.pattern for a in case.antecedents if not a.context)]
        if any(self.chart.schema.form(item.form).has_normal_form for item in items):
            return False
        terms = [t for item in items for t in item.terms]
        terms += [t for built in case.links if isinstance(built, m.Built) for t in built.terms]
        known = {name for term in terms for name in _determined(term)}
        return self._weighed(case, given) <= {*known, "n"}

    def _weighed(self, case: m.Case, given: Weights) -> set[str]:
        """Return the variables on whose values the weight of a case depends."""
        wanted = {x for c in case.conditions if self._weighs_rows(c) for x in m.variables(c)}
        wanted |= set() if case.weight is None else set(m.variables(case.weight))
        if case.step in given.steps:
            wanted |= set(_parameters(given.steps[case.step]))
        return wanted

    def _read(self, case: m.Case, given: Weights) -> Mapping[str, tuple[int, int]] | None:
        """Return where the variables on which the weight depends stand as they are: item (-1 the consequent), field.

        None if one of them stands nowhere so; then a binding must be sought.
        """
        items = [*(a.pattern for a in case.antecedents), case.consequent]
        places: dict[str, tuple[int, int]] = {}
        for number, item in zip((*range(len(items) - 1), -1), items, strict=True):
            if not self.chart.schema.form(item.form).has_normal_form:
                places |= {t.name: (number, k) for k, t in enumerate(item.terms) if isinstance(t, m.Var)}
        wanted = self._weighed(case, given) - {"n"}
        return {name: places[name] for name in sorted(wanted)} if wanted <= places.keys() else None

    def of_all(self, instances: Iterable[Instance]) -> WaysByKey:
        """Return the ways to make a hyperedge from its instances in all contexts, greatest weight first."""
        ways: dict[object, float] = {}
        for instance in instances:
            ways |= self._ways(instance)
        return _greatest_first(ways)

    def _of_case(self, case: m.Case, given: Weights) -> list[Weigh]:
        items = (case.consequent, *(a.pattern for a in case.antecedents))
        words = [c for c in case.conditions if _is_next_word(c)]  # of a word graph: of these no clause speaks
        found = self._asks([c for c in case.conditions if c not in words], items)
        if case.weight is not None:
            found = [partial(self._said, case, found)]
        found += self._asks(words, items)
        if case.step in given.steps:
            found.append(_called(given.steps[case.step], case.step, {*case.types, "n"}))
        return found

    def _asks(self, conditions: Sequence[m.Condition], items: Sequence[m.Pattern]) -> list[Weigh]:
        """Return the functions that weigh the grammar's rules in conditions.

        A root category in no item of the rule is only predicted (some root must lead to the item): it has no weight
        here.
        """
        grammar, known = self.chart.grammar, set(m.variables(tuple(items)))
        return [
            partial(_asked, grammar, condition)
            for condition in conditions
            if self._weighs_rows(condition)
            if not m.asks(condition, "root") or known.issuperset(m.variables(condition))
        ]

    def _weighs_rows(self, condition: m.Condition) -> bool:
        """Whether a condition asks for rows that have weights; those of D-rules are weights of links."""
        of_rows = row_weights(self.chart.grammar)
        return isinstance(condition, m.HasFact) and question(condition)[0] in of_rows

    def of_final(self, item: int) -> WaysByKey:
        """Return the weights of a final item, greatest first: one for each choice of rules under which it matches a
        final clause.
        """
        asks = [self._asks(clause.conditions, (clause.pattern,)) for clause in self.chart.schema.finals]
        ways: dict[object, float] = {}
        for k, binding in final_bindings(self.chart, item) if any(asks) else ():
            for parts in product(*(ask(binding) for ask in asks[k])):
                ways[k, tuple(key for key, _ in parts)] = sum(weight for _, weight in parts)
        return _greatest_first(ways) or {(): 0.0}

    def _said(self, case: m.Case, asks: Sequence[Weigh], binding: Binding) -> WeightedChoices:
        """Return the weights of a case by its weight clause, one for each answer to its queries of the grammar."""
        assert case.weight is not None
        is_log, scores = case.weight.is_log, self._scores
        names = sorted(set(m.variables(case.weight)))
        found: list[tuple[object, float]] = []
        uses_asked = any(isinstance(x, m.Arithmetic) and x.operation == "asked" for x in m.nodes(case.weight))

        def shown(weight: float) -> float:
            return weight if is_log else exponential(weight)

        def score(dependent: float, head: float) -> float:
            return shown(0.0 if scores is None else float(scores[int(head), int(dependent)]))

        for parts in product(*(ask(binding) for ask in asks)) if uses_asked else [()]:
            asked = partial(shown, sum(weight for _, weight in parts))
            given: dict[str, Callable[..., float]] = {"score": score, "asked": asked}
            try:
                weight = evaluation.number(case.weight.term, binding, given)
                weight = weight if is_log else math.log(weight) if weight else -math.inf
                if math.isnan(weight) or weight == math.inf:
                    raise ValueError
            except (ArithmeticError, ValueError, IndexError):
                raise self._no_weight(case, {name: binding[name] for name in names}) from None
            found.append(((tuple(binding[name] for name in names), tuple(key for key, _ in parts)), weight))
        return found

    def _no_weight(self, case: m.Case, values: Binding) -> UsageError:
        shown = ", ".join(f"{name} = {value}" for name, value in values.items())
        message = f"what step {case.step} says is not a weight" + (f" for {shown}" if shown else "")
        place = Location(case.span.source.file, case.span.line, case.span.column)
        expected = "a finite number" if case.weight and case.weight.is_log else "a number from 0"
        return UsageError(Diagnostic("bad-weight", message, place, expected))

    def of(self, instance: Instance) -> WaysByKey:
        """Return the ways to make a step instance, with their weights in log space, greatest first."""
        return _greatest_first(self._ways(instance))

    def _ways(self, instance: Instance) -> dict[object, float]:
        """Return the weights of the ways to make a step instance, by the grammar's rows that each way uses."""
        read = self._reads.get(instance.case)
        if read is not None:
            items = (*instance.antecedents, instance.consequent)
            values = self.chart.raw.values
            known = [values[items[item]][field] for item, field in read.values()]
            key = (instance.case, *known)
            if key not in self._found:
                binding = {**dict(zip(read, known, strict=True)), "n": self.chart.n}
                self._found[key] = self._made(instance.case, [binding])
            return self._found[key]
        ways: dict[object, float] = {}
        for number in self._alike.get(instance.case, (instance.case,)):  # by other facts
            ways |= self._made(number, instance_bindings(self.chart, replace(instance, case=number)))
        return ways

    def _made(self, case: int, bindings: Iterable[Binding]) -> dict[object, float]:
        """Return the weights of the ways to make instances of a case, by the grammar's rows that each way uses."""
        weighs = self._weighs.get(case, ())
        several = (product(*(weigh(binding) for weigh in weighs)) for binding in bindings)
        return {
            tuple(key for key, _ in parts): sum(weight for _, weight in parts)
            for ways in several
            for parts in ways
        }

    def require_proportional(self) -> None:
        """Check that the weights of steps are constant factors of the grammar's, or do not depend on these.

        Raises
        ------
        UsageError : a weight clause says something else.
        """
        for number in self.cases:
            case = self.chart.schema.cases[number]
            if case.weight is not None and not _is_proportional(case.weight.term, case.weight.is_log):
                message = f"the weight of step {case.step} is not a multiple of that of the rules and facts it asks for"
                place = Location(case.span.source.file, case.span.line, case.span.column)
                expected = "asked times a factor, or log asked and a number added"
                raise UsageError(Diagnostic("not-proportional", message, place, expected))

    def require_borne(self) -> None:
        """Check that some derivation carries the weights of each weighted relation of the grammar.

        An item that is only context adds nothing to the items derived in it. So where a relation's rows are asked
        for by such items alone, no derivation has their weights.

        Raises
        ------
        UsageError : a relation has weights that no derivation would have.
        """
        schema = self.chart.schema
        forms = {clause.pattern.form for clause in schema.finals}
        while (
            more := {
                antecedent.pattern.form
                for case in schema.cases
                if case.consequent.form in forms
                for antecedent in case.antecedents
                if not antecedent.context
            }
            - forms
        ):
            forms |= more
        weights = row_weights(self.chart.grammar)
        rows = [*((c.consequent.form in forms, c.conditions) for c in schema.cases)]
        rows += [(True, clause.conditions) for clause in schema.finals]
        asked: dict[str, bool] = {}
        for bears, conditions in rows:
            for name in (question(c)[0] for c in conditions if isinstance(c, m.HasFact)):
                if any(weights.get(name, {}).values()):
                    asked[name] = asked.get(name, False) or bears
        for name, bears in asked.items():
            if not bears:
                message = (
                    f"{schema.name} derives nothing with the weights of {name}: only context asks for it"
                )
                hint = "context licenses a step and adds no weight; choose a schema whose derivations use each rule"
                raise UsageError(message, code="weights-of-context", hint=hint)

    @staticmethod
    def of_hypotheses(chart: BareChart, given: Weights) -> dict[int, float]:
        """Return the weights of hypotheses, by item."""
        found: dict[int, float] = {}
        for item in range(chart.raw.hypothesis_count):
            form = chart.schema.forms[chart.raw.form_of[item]]
            if own := _of_hypothesis(chart, item):
                found[item] = own
            if form.name in given.steps and form.name not in chart.schema.step_names:
                fields = dict(zip((f.name for f in form.fields), chart.raw.values[item], strict=True))
                weigh = _called(given.steps[form.name], form.name, {*fields, "n"})
                found[item] = found.get(item, 0.0) + weigh({**fields, "n": chart.n})[0][1]
        return found


def _of_hypothesis(chart: BareChart, item: int) -> float:
    """Return the weight of a hypothesis by the words of a word graph that it declares adjacent."""
    graph, form = graph_known(chart.grammar), chart.schema.forms[chart.raw.form_of[item]]
    if graph is None or graph.weights is None:
        return 0.0
    weights = row_weights(chart.grammar)[m.NEXT_WORD]
    for clause in chart.schema.hypotheses if form.name not in chart.schema.step_names else ():
        asked = [c.terms for c in clause.conditions if _is_next_word(c)]
        if clause.pattern.form == form.name and asked:
            goals = [*match_pattern(form, clause.pattern, chart.raw.values[item]), *clause.conditions]
            for found in solve(goals, {"n": chart.n}, clause.types, chart.grammar):
                return sum(weights[tuple(arguments(terms, found.binding))] for terms in asked)
    return 0.0


def _is_next_word(condition: m.Condition) -> TypeGuard[m.HasFact]:
    return isinstance(condition, m.HasFact) and condition.relation == m.NEXT_WORD


def _greatest_first(ways: Mapping[object, float]) -> WaysByKey:
    return dict(sorted(ways.items(), key=lambda way: way[1], reverse=True))


def _is_proportional(term: m.WeightTerm, is_log: bool) -> bool:
    """Whether a weight is a constant times the weight of the grammar's rules, or does not depend on that."""

    def looks(part: m.WeightTerm) -> bool:
        return any(isinstance(x, m.Arithmetic) and x.operation == "asked" for x in m.nodes(part))

    if not looks(term) or (isinstance(term, m.Arithmetic) and term.operation == "asked"):
        return True
    if not isinstance(term, m.Arithmetic) or len(term.operands) != 2:
        return False
    first, second = term.operands
    either, first_alone = ("+", "-") if is_log else ("*", "/")
    if term.operation == either:
        return (_is_proportional(first, is_log) and not looks(second)) or (
            _is_proportional(second, is_log) and not looks(first)
        )
    return term.operation == first_alone and _is_proportional(first, is_log) and not looks(second)


def _called(function: Callable[..., float], name: str, variables: set[str]) -> Weigh:
    """Return a function of a binding that calls a user's function with the variables it names."""
    wanted = _parameters(function)
    for variable in wanted:
        if variable not in variables:
            expected = listing(sorted(variables))
            raise UsageError(f"{name} has no variable {variable}", code="bad-weights", expected=expected)

    def weigh(binding: Binding) -> WeightedChoices:
        values = {variable: binding[variable] for variable in wanted}
        weight = function(**values)
        is_weight = isinstance(weight, SupportsFloat) and float(weight) <= GREATEST_WEIGHT  # NaN is not
        if not is_weight:
            expected = f"a number of at most {GREATEST_WEIGHT:g}, or -inf"
            raise UsageError(f"the weight of {name} is {weight}", code="bad-weights", expected=expected)
        return [((name, *values.values()), float(weight))]

    return weigh


def link_scores(given: Weights, licences: Licences) -> NDArray[np.float64] | None:
    """Return the scores of links without labels, [head, dependent]; None if nothing scores them.

    These are the scores that a run was given and the weights of D-rules.
    """
    import numpy as np

    matrix = None if given.arcs is None or given.arcs.labels else given.arcs.matrix
    if not licences.weights:
        return matrix
    scores = np.zeros((licences.n + 1,) * 2) if matrix is None else np.array(matrix)
    for (dependent, head), weight in licences.weights.items():
        scores[head, dependent] += weight
    return scores


def _parameters(function: Callable[..., float]) -> Sequence[str]:
    """Return the names of the variables that a user's function takes."""
    if isinstance(function, StepScores | StepFeatures | StepTensor):
        return function.names
    return list(inspect.signature(function).parameters)


def _determined(term: m.Term | m.Splice) -> set[str]:
    """Return variables whose values follow from the value of a term; some are left out if finding them takes a
    search.
    """
    match term:
        case m.Var(name):
            return {name}
        case m.Linear(_, ((m.Var(name), _),)):
            return {name}
        case m.TupleTerm(terms):
            return set().union(*map(_determined, terms))
        case m.ListTerm(elements) if sum(isinstance(x, (m.Splice, m.Run)) for x in elements) <= 1:
            return set().union(*(_determined(x) for x in elements if not isinstance(x, m.Run)))
        case m.Splice(name):
            return {name}
    return set()


def _asked(grammar: Any, condition: m.Condition, binding: Binding) -> WeightedChoices:
    """Return the rows of the grammar's relation that a condition asks for, and their weights."""
    name, terms = question(condition)
    values = arguments(terms, binding)
    weights, found = row_weights(grammar)[name], []
    patterns = [k for k, value in enumerate(values) if value is FREE]
    for row in relation_of(grammar, name).rows(*values):
        free = iter(row)
        whole = tuple(next(free) if value is FREE else value for value in values)
        goals = [Match(whole[k], terms[k], UNKNOWN) for k in patterns]
        if any(not solution.waiting for solution in solve(goals, binding, {}, grammar)):
            found.append((AskedRow(name, whole), weights.get(whole, 0.0)))
    return found


class WeightedGraph:
    """The hypergraph of a chart with its weights.

    Parameters
    ----------
    chart : a chart.
    weights : the weights given to the run, beside those of grammar and schema.
    item : the item whose derivations are weighed; the final items by default.
    loops : whether instances that give back an antecedent are hyperedges; without them, derivations are as counted.

    Attributes
    ----------
    plain : the chart as it was given.
    graph : items as nodes, a goal above the final items as the last one.
    weights : the weight of each hyperedge in log space, that of hypotheses among its tails included.
    """

    def __init__(
        self,
        chart: BareChart,
        weights: Weights | None = None,
        item: int | None = None,
        loops: bool = True,
    ) -> None:
        self.plain, self.given = chart, weights or Weights()
        self._items = chart.raw.item_count
        self.item, self._has_loops = item, loops

    @cached_property
    def chart(self) -> BareChart:
        """The chart, with the instances that give back an antecedent where they weigh anything."""
        steps = StepWeights(self.plain, self.given)
        hypotheses = StepWeights.of_hypotheses(self.plain, self.given)
        if not self._has_loops or self.builds_links or not (steps.cases or hypotheses):
            return self.plain
        return with_loops(self.plain, steps.cases, hypotheses)

    @cached_property
    def forest(self) -> Forest:
        """The forest, in which hyperedges have numbers from the beginning."""
        forest = Forest(self.chart)
        forest.arrays  # noqa: B018 - before anything else is asked
        return forest

    @cached_property
    def edges(self) -> EdgeArrays:
        """The forest's hyperedges in arrays; its roots are the items whose derivations are weighed."""
        edges = self.forest.arrays
        if self.item is None:
            return edges
        return replace(edges, graph=replace(edges.graph, roots=(self.item,)))

    # the hypergraph

    @property
    def goal(self) -> int:
        """The node above the final items."""
        return self.graph.nodes - 1

    @property
    def graph(self) -> Hypergraph:
        """The hypergraph: see the module."""
        return self.derived.graph

    @property
    def origin(self) -> NDArray[np.int64]:
        """The forest's hyperedge for each hyperedge; for one into the goal, -1 - k if it comes from the k-th final
        item.
        """
        return self.derived.origin

    @cached_property
    def derived(self) -> Derived:
        """The hypergraph, and the meaning of its nodes and hyperedges."""
        import numpy as np

        base, item = self.edges.graph, self.chart.item
        headed = isinstance(self._inner, Building) and self._inner.headed
        named, derived, tails, origin, links = self._with_heads() if headed else self._with_roots()
        finals = np.flatnonzero(np.isin(named[:, 0], base.roots) & (named[:, 2] < 0))
        nodes, ends = len(named) + 1, np.full((len(finals), tails.shape[1]), -1)
        ends[:, 0] = finals
        derived = np.concatenate([derived, np.full(len(finals), nodes - 1)])
        order = np.argsort(derived, kind="stable")
        first = np.zeros(nodes + 1, np.int64)
        np.cumsum(np.bincount(derived, minlength=nodes), out=first[1:])
        tails = np.concatenate([tails, ends])[order].astype(np.int32)
        tails[tails < 0] = nodes
        graph = Hypergraph(base.given, first, tails, (nodes - 1,), lambda x: item(int(named[x, 0])))
        places = np.array([-1 - base.roots.index(x) for x in named[finals, 0].tolist()], np.int64)
        to_heads = np.array(links, np.int64).reshape(-1, 3).T
        to_heads[0] = np.argsort(order)[to_heads[0]]
        return Derived(graph, np.concatenate([origin, places])[order], named, to_heads)

    def _with_roots(self) -> _Parts:
        """Return the forest's hypergraph; doubled for a single root."""
        import numpy as np

        base, items = self.edges.graph, self._items
        splits = bool(getattr(self.chart.grammar, "single_root", False)) and self._is_tree
        tails = np.full((len(base.tails), max(base.tails.shape[1], 1)), -1, np.int64)
        tails[:, : base.tails.shape[1]] = np.where(base.tails == items, -1, base.tails)
        derived = np.repeat(np.arange(items), np.diff(base.first))
        origin = np.arange(len(tails))
        parts = [(derived, tails, origin)]
        if splits:
            roots = np.zeros(len(tails), np.int64)
            for _, edges, ends in self.links:
                roots[edges] += ends[1] == 0
            parts = [
                (derived[keep] + items * k, tails[keep], origin[keep])
                for k in (0, 1)
                for keep in [roots == k]
            ]
            for column in range(tails.shape[1]):
                keep = (roots == 0) & (tails[:, column] >= 0)
                moved = tails[keep]
                moved[:, column] += items
                parts.append((derived[keep] + items, moved, origin[keep]))
        whole = np.arange(items * (1 + splits))
        named = np.stack([whole % items, whole // items, np.full(len(whole), -1)], 1)
        derived, tails, origin = (np.concatenate(column) for column in zip(*parts, strict=True))
        return named, derived, tails, origin, []

    def _with_heads(self) -> _Parts:
        """Return the hypergraph whose nodes know the heads that links of theirs have."""
        import numpy as np

        nodes, edges = headed_edges(self.forest, self._inner)
        order = {tag: k for k, tag in enumerate(sorted({tag for _, tag in nodes}))}
        named = np.array([(item, order[tag], tag[1]) for item, tag in nodes], np.int64)
        tails = np.full((len(edges), max(self.edges.graph.tails.shape[1], 1)), -1, np.int64)
        for number, edge in enumerate(edges):
            tails[number, : len(edge.tails)] = edge.tails
        ends = np.array([(edge.node, edge.origin) for edge in edges], np.int64).reshape(-1, 2)
        links = [(number, *link) for number, edge in enumerate(edges) for link in edge.links]
        return named, ends[:, 0], tails, ends[:, 1], links

    @cached_property
    def links(self) -> list[tuple[m.AnyAtom, NDArray[Any], NDArray[Any]]]:
        """The links that steps build, one of each step of a case together: hyperedges, and ends with labels in rows."""
        import numpy as np

        found = []
        chart = self.chart
        for number, (case, log, stride) in enumerate(
            zip(chart.schema.cases, chart.raw.edge_logs, chart.strides, strict=True)
        ):
            mine = np.flatnonzero(self.edges.case == number)
            table = np.asarray(log, np.int64).reshape(-1, stride)[self.edges.row[mine]]
            at = 1 + len(case.antecedents)
            for built in case.links:
                if built.name in _LINKS:
                    found.append((built, mine, table[:, at : at + len(built.types)].T))
                at += len(built.types)
        return found

    @cached_property
    def of_words(self) -> list[tuple[int, tuple[str, int, str]]]:
        """The hyperedges of the forest that state tags or features of words, each with its statement."""
        if not self.chart.schema.builds_tags:
            return []
        edges = ((int(edge), self.edge(int(edge))) for edge in range(len(self.edges.case)))
        return [
            (number, atom) for number, edge in edges for atom in of_words(self.chart, edge.case, edge.links)
        ]

    @property
    def builds_links(self) -> bool:
        """Whether steps build links that have scores."""
        return self.plain.schema.builds_links or self.plain.schema.builds_linkages

    @cached_property
    def is_on_paths(self) -> bool:
        """Whether structures are over paths of a word graph, of which they have the numbers of the words."""
        return self.plain.schema.structure != LINKAGE and graph_known(self.plain.grammar) is not None

    @property
    def _inner(self) -> Any:
        """The states of the built structures, those on a word graph without their paths."""
        return self.building.inner if isinstance(self.building, OnPaths) else self.building

    @property
    def _is_tree(self) -> bool:
        return self.chart.schema.builds_links and self.chart.schema.structure == DEPENDENCY_TREE

    def edge(self, edge: int) -> Edge:
        """Return a hyperedge of the forest by its number."""
        graph = self.edges.graph
        item = int(graph.first.searchsorted(edge, side="right")) - 1
        return self.forest.edges_into(item)[edge - int(graph.first[item])]

    def built(self, edge: int) -> tuple[BuiltLink, ...]:
        """Return the links that a hyperedge builds; of one into the goal the root's link to 0, if no step builds it."""
        origin = int(self.origin[edge])
        if origin >= 0:
            links = self.derived.links
            to_heads = links[1:, links[0] == edge].T.tolist()
            found = self.edge(origin)
            declared = zip(self.chart.schema.cases[found.case].links, found.links, strict=True)
            own = [link_of(self.chart, b, x) for b, x in declared if b.name in _LINKS and x[0] >= 0]
            return (*own, *map(tuple, to_heads))
        root = self.roots[edge - self.graph.edges(self.goal).start]
        return ((root, 0),) if root > 0 else ()

    # weights

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """The weight of each hyperedge in log space; the greatest one where it has several."""
        import numpy as np

        self.step_weights.require_borne()
        greatest = np.zeros(len(self.edges.case))
        for edge, several in self._steps.items():
            greatest[edge] = max(several.values())
        found = self._unasked + np.where(
            self.origin >= 0, greatest[np.maximum(self.origin, 0)] if len(greatest) else 0.0, 0.0
        )
        found[self.origin < 0] += [
            max(self._finals[k].values()) for k in self.origin[self.origin < 0].tolist()
        ]
        return found

    @cached_property
    def _unasked(self) -> NDArray[np.float64]:
        """The weight of each hyperedge apart from the ways to make it: of its links and of hypotheses in its tails."""
        import numpy as np

        own = np.zeros(len(self.edges.case))
        for built, edges, ends in self.links:
            np.add.at(own, edges, self._weights_of(built, ends))
        hypotheses, scores = StepWeights.of_hypotheses(self.chart, self.given), self._scores
        found = np.where(self.origin >= 0, own[np.maximum(self.origin, 0)] if len(own) else 0.0, 0.0)
        of_roots = [scores[0, abs(root)] if root and scores is not None else 0.0 for root in self.roots]
        found[self.origin < 0] = of_roots
        if hypotheses:
            of_node = np.zeros(self.graph.nodes + 1)
            of_node[list(hypotheses)] = list(hypotheses.values())
            found += of_node[self.graph.tails].sum(axis=1)
        edges, *to_heads = self.derived.links
        np.add.at(found, edges, self._weights_of(None, np.array(to_heads)))
        return found

    @cached_property
    def _scores(self) -> NDArray[np.float64] | None:
        """The scores of links without labels, [head, dependent]: those given, and the weights of D-rules."""
        if self.chart.schema.builds_linkages or not isinstance(self.chart.grammar, Licences):
            arcs = self.given.arcs
            return None if arcs is None or arcs.labels else arcs.matrix
        return link_scores(self.given, self.chart.grammar)

    def link_score(self, dependent: int, head: int) -> float:
        """Return the score of a link of a tree in log space, of its best label where links have labels."""
        arcs = self.given.arcs
        best = float(arcs.matrix[head, dependent].max()) if arcs is not None and arcs.labels else 0.0
        return best + (0.0 if self._scores is None else float(self._scores[head, dependent]))

    def score_of(self, link: Sequence[Any]) -> float:
        """Return the score of a link that is built, (dependent, head) or with its label; 0 beyond the sentence."""
        arcs, (dependent, head, *label) = self.given.arcs, link
        if not (1 <= dependent <= self.chart.n and 0 <= head <= self.chart.n):
            return 0.0
        own = arcs.of(dependent, head, *label) if arcs is not None and arcs.labels and label else 0.0
        return own + (0.0 if self._scores is None else float(self._scores[head, dependent]))

    @cached_property
    def _steps(self) -> dict[int, WaysByKey]:
        """By hyperedge of the forest: the weights of its rules and its step, for each way to make it."""
        import numpy as np

        weigh = self.step_weights
        useful = self.edges.graph.useful
        derived = np.repeat(np.arange(self._items), np.diff(self.edges.graph.first))
        chosen = np.isin(self.edges.case, weigh.cases) & useful[derived]
        return {edge: self._ways_of(edge) for edge in np.flatnonzero(chosen).tolist()}

    def _ways_of(self, edge: int) -> WaysByKey:
        """Return the ways to make a hyperedge of the forest, with their weights."""
        weigh, instance = self.step_weights, self._instance(edge)
        if instance.case not in weigh.in_context:
            return weigh.of(instance)
        return weigh.of_all(self._in_contexts[self._hyperedge(instance)])

    def _hyperedge(self, instance: Instance) -> tuple[Any, ...]:
        """Return the key of an instance, which instances that differ in context alone share."""
        declared = self.chart.schema.cases[instance.case].antecedents
        pairs = zip(instance.antecedents, declared, strict=True)
        tails = tuple(int(x) for x, antecedent in pairs if not antecedent.context)
        links = tuple(tuple(map(int, ends)) for ends in instance.links)
        return self._names[instance.case], int(instance.consequent), tails, links

    @cached_property
    def _names(self) -> Sequence[int]:
        return hyperedge_names(self.chart.schema)

    @cached_property
    def _in_contexts(self) -> Mapping[tuple[Any, ...], Sequence[Instance]]:
        """By hyperedge its instances; of a case that weighs the same in all contexts, one."""
        import numpy as np

        found: dict[tuple[Any, ...], dict[object, Instance]] = {}
        raw = self.chart.raw
        for case, is_fixed in self.step_weights.in_context.items():
            stride = self.chart.strides[case]
            for log in (raw.logs[case], raw.edge_logs[case]):  # the second has those that give back an item
                for row in np.asarray(log, np.int64).reshape(-1, stride).tolist():
                    instance = self.chart.instance(case, row)
                    several = found.setdefault(self._hyperedge(instance), {})
                    several.setdefault(case if is_fixed else instance, instance)
        return {key: list(several.values()) for key, several in found.items()}

    @cached_property
    def _finals(self) -> dict[int, WaysByKey]:
        """By origin of a hyperedge into the goal: the weights of the final item, for each way to be final."""
        alone: WaysByKey = {(): 0.0}
        of_final = self.step_weights.of_final if self.item is None else lambda item: alone
        return {-k: of_final(item) for k, item in enumerate(self.edges.graph.roots, start=1)}

    @cached_property
    def step_weights(self) -> StepWeights:
        """The weights of step instances beside those of links."""
        return StepWeights(self.chart, self.given, self._scores)

    def _instance(self, edge: int) -> Instance:
        """Return a step instance that a hyperedge of the forest stands for."""
        which, row = int(self.edges.case[edge]), int(self.edges.row[edge])
        stride, log = self.chart.strides[which], self.chart.raw.edge_logs[which]
        return self.chart.instance(which, [int(x) for x in log[row * stride : (row + 1) * stride]])

    def number_of(self, item: int, edge: Edge) -> int:
        """Return the number of a hyperedge into an item of the forest."""
        return int(self.edges.graph.first[item]) + self.forest.edges_into(item).index(edge)

    def feature_ways(self, model: Features, edge: int) -> list[tuple[tuple[StepFeature, ...], float]]:
        """Return the feature vectors of a hyperedge of the forest, one for each way to make it, with their scores."""
        instance, weigh = self._instance(edge), self.step_weights
        step = self.chart.schema.cases[instance.case].step
        if step not in model.templates:
            return []
        in_context = instance.case in weigh.in_context
        instances = self._in_contexts[self._hyperedge(instance)] if in_context else [instance]
        ways: dict[tuple[StepFeature, ...], float] = {}
        for one in instances:
            for binding in instance_bindings(self.chart, one):
                vector = model.vector(step, binding, self.plain.sentence)
                ways[vector] = sum(model.weights.get(feature, 0.0) for feature in vector)
        return list(ways.items())

    def tensor_ways(self, edge: int) -> dict[str, list[tuple[int, ...]]]:
        """Return, by step with a tensor of weights, the values of its variables in a hyperedge: one for each way."""
        instance, weigh = self._instance(edge), self.step_weights
        tensor = self.given.steps.get(self.chart.schema.cases[instance.case].step)
        if not isinstance(tensor, StepTensor):
            return {}
        in_context = instance.case in weigh.in_context
        instances = self._in_contexts[self._hyperedge(instance)] if in_context else [instance]
        bindings = (binding for one in instances for binding in instance_bindings(self.chart, one))
        ways = dict.fromkeys(tuple(int(b[x]) for x in tensor.names) for b in bindings)  # type: ignore[arg-type]
        return {self.chart.schema.cases[instance.case].step: list(ways)}

    def instance_weight(self, instance: Instance) -> float:
        """Return the weight of a step instance in log space: of its links, and the greatest of its ways to be made."""
        import numpy as np

        declared = zip(self.chart.schema.cases[instance.case].links, instance.links, strict=True)
        links = (self._weights_of(b, np.array([x]).T) for b, x in declared if b.name in _LINKS)
        return float(sum(map(sum, links))) + max(self.step_weights.of(instance).values(), default=0.0)

    @property
    def is_weighed(self) -> bool:
        """Whether anything has a weight."""
        given, grammar = self.given, self.chart.grammar
        said = (case.weight for case in self.chart.schema.cases if case.weight is not None)
        clauses = any(weight != m.Weight(m.Decimal(1.0), False) for weight in said)
        return bool(given.arcs or given.steps or clauses or getattr(grammar, "weights", None))

    def _weights_of(self, built: m.AnyAtom | None, ends: NDArray[Any]) -> NDArray[np.float64]:
        """Return the scores of links, given by their ends and labels in rows: as positions, or as connectors."""
        import numpy as np

        arcs, n, (one, other) = self.given.arcs, self.chart.n, ends[:2]
        joined = self.chart.schema.builds_linkages
        found = np.zeros(ends.shape[1])
        inside = (one >= 1) & (one <= n) & (other >= 0) & (other <= n)
        if self._scores is not None and not joined:
            found = np.where(inside, self._scores[np.where(inside, other, 0), np.where(inside, one, 0)], 0.0)
        if built is None or not (joined or (arcs is not None and arcs.labels)):
            return found
        several, places = np.unique(ends, axis=1, return_inverse=True)
        scores = []
        for numbers in several.T.tolist():
            score = -sum(self._charges.get(end, 0.0) for end in numbers) if joined else 0.0
            if arcs is not None and numbers[0] >= 0:
                a, b, label = link_of(self.chart, built, numbers)
                if joined:
                    score += arcs.of(b, a, label)
                elif 1 <= a <= n and 0 <= b <= n:
                    score += arcs.of(a, b, label)
            scores.append(score)
        found += np.array(scores)[places.reshape(-1)]
        return found

    @cached_property
    def _charges(self) -> Mapping[int, float]:
        """By connector occurrence the cost of the disjunct that it carries.

        Raises
        ------
        UsageError : a disjunct has a cost, but no connector to carry it: all may link any number of times.
        """
        view = self.chart.grammar.sequences  # type: ignore[attr-defined]
        charges, _ = connector_charges(view)
        borne = {(view.occurrences[k].position, view.occurrences[k].disjunct) for k in charges}
        for position, offered in enumerate(view.disjuncts):
            for number, disjunct in enumerate(offered):
                if disjunct.cost and (position, number) not in borne:
                    message = f"the disjunct {disjunct} has a cost, and no connector that links exactly once"
                    raise UsageError(message, code="unknown-cost", hint="no link can stand for its cost")
        return charges

    @cached_property
    def roots(self) -> Sequence[int]:
        """By hyperedge into the goal the root of its trees, where no step links it to 0; else 0; -1 for several roots,
        whose links to 0 have one score.

        Raises
        ------
        UsageError : trees of one final item have different roots, or build a link twice, and links to 0 have
            different scores.
        """
        import numpy as np

        from schemata.weights.roots import dependent_value, unlinked_root

        graph, n = self.graph, self.chart.n
        tails = graph.tails[graph.edges(self.goal), 0].tolist()
        if not self._is_tree or not self.chart.final_ids.issuperset(self.edges.graph.roots):
            return [0] * len(tails)
        root_of = (
            (lambda *_: None) if self.is_on_paths else unlinked_root
        )  # a path has other words than the next
        own = np.zeros((2, len(self.edges.graph.tails) + 1))  # sums of dependents, and numbers of links to 0
        for _, edges, ends in self.links:  # of links within the sentence, as native kernels do
            inside = (ends[0] >= 1) & (ends[0] <= n) & (ends[1] >= 0) & (ends[1] <= n)
            np.add.at(own[0], edges, np.where(inside, ends[0] + dependent_value(n), 0))
            np.add.at(own[1], edges, inside & (ends[1] == 0))
        sums, to_0 = np.where(self.origin >= 0, own[:, np.maximum(self.origin, 0)], 0.0)
        np.add.at(sums, self.derived.links[0], self.derived.links[1] + dependent_value(n))
        np.add.at(to_0, self.derived.links[0], self.derived.links[2] == 0)
        try:
            greatest, least = graph.fold(VITERBI, sums), graph.fold(MIN_PLUS, sums)
            roots = [0 if greatest[x] == -math.inf else root_of(greatest[x], least[x], n) for x in tails]
            linked = graph.fold(VITERBI, to_0) if None in roots else None
            if linked is not None:  # a link to 0 in every derivation leaves no word without one
                fewest = graph.fold(MIN_PLUS, to_0)
                roots = [0 if fewest[x] > 0 else root for x, root in zip(tails, roots, strict=True)]
        except EndlessSumError:  # each round of a cycle builds further links
            roots, linked = [None] * len(tails), None
        of_roots = set() if self._scores is None else set(self._scores[0, 1:].tolist())
        for root, x in zip(roots, tails, strict=True):
            some_linked = linked is None or linked[x] > 0  # so that some derivations have weighed the link
            if root is None and (len(of_roots) > 1 or (some_linked and of_roots not in (set(), {0.0}))):
                message = (
                    f"the trees of {graph.name(x)} have different roots, or build a link twice, "
                    "so the scores of their roots are not known"
                )
                hint = "give all links to 0 the same score"
                raise UsageError(message, code="unknown-roots", hint=hint)
        return [-1 if root is None else root for root in roots]

    def values(self, semiring: Semiring[Any]) -> Any:
        """Return the value of each hyperedge."""
        several = {e: w for e, w in (self._steps | self._finals).items() if len(w) > 1}
        values: Any
        if semiring.arrays is not None:
            values = semiring.arrays.of(self.weights)
        else:
            useful = self.graph.useful
            values = [semiring.zero] * len(self.weights)
            for node in useful.nonzero()[0].tolist():
                for edge in self.graph.edges(node):
                    values[edge] = semiring.of(float(self.weights[edge]), self.built(edge))
        if several:
            for edge, origin in enumerate(self.origin.tolist()):
                if origin in several:
                    rest, ways = float(self._unasked[edge]), several[origin].values()
                    built = self.built(edge)
                    values[edge] = reduce(semiring.plus, (semiring.of(rest + way, built) for way in ways))
        return values

    @cached_property
    def circuit(self) -> Circuit:
        """The hypergraph with the weights of the grammar's facts and rules as parameters.

        Raises
        ------
        UsageError : a step's weight is not a multiple of that of the rules and facts it asks for.
        """
        import numpy as np

        from schemata.weights.circuits import Circuit

        self.weights  # noqa: B018 - whether weights are borne is checked there
        self.step_weights.require_proportional()
        grammar: Any = self.chart.grammar
        sources, numbers = getattr(grammar, "sources", {}), dict[Any, int]()
        of_links: Mapping[Any, float] = grammar.weights if isinstance(grammar, Licences) else {}
        edges, constants, ways, uses = list[int](), list[float](), list[int](), list[int]()
        asking = self._steps | self._finals
        for edge, (origin, rest) in enumerate(zip(self.origin.tolist(), self._unasked.tolist(), strict=True)):
            links = (
                [link[:2] for link in self.built(edge)]
                if of_links and self.graph.useful[self._node(edge)]
                else []
            )
            linked = [(sources["licensed"][x], of_links[x]) for x in links if x in of_links]
            for key, weight in asking.get(origin, {(): 0.0}).items():
                rows = [(row.relation, row.row) for row in asked_rows(key) if row.relation in sources]
                asked = [(sources[name].get(row), grammar.weights[name].get(row, 0.0)) for name, row in rows]
                whole = rest + weight
                for source, own in (*asked, *linked):
                    if source is None:
                        continue
                    uses.append(numbers.setdefault(source, len(numbers)))
                    ways.append(len(edges))
                    whole = whole - own if own > -math.inf else 0.0
                edges.append(edge)
                constants.append(whole)
        arrays = (
            np.array(edges, np.int64),
            np.array(constants),
            np.array(ways, np.int64),
            np.array(uses, np.int64),
        )
        return Circuit(self.graph, self.goal, *arrays, tuple(numbers))

    def _node(self, edge: int) -> int:
        """Return the node that a hyperedge derives."""
        return int(self.graph.first.searchsorted(edge, side="right")) - 1

    @cached_property
    def building(self) -> Any:
        """The states of the structures that derivations build, or of derivations where steps build nothing."""
        return building_of(self.chart) or Derivations()


# The items of nodes, with what tells them apart and a guess (-1: none); the nodes that hyperedges derive, their tails
# (-1: none), the forest's hyperedges; links to heads of antecedents, as hyperedge, dependent, head.
_Parts: TypeAlias = (
    "tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], list[tuple[int, int, int]]]"
)


class Derived(NamedTuple):
    """A hypergraph with a goal, and the meaning of its nodes (except the goal) and hyperedges, as in `_Parts`."""

    graph: Hypergraph
    origin: NDArray[np.int64]
    named: NDArray[np.int64]
    links: NDArray[np.int64]


class Derivations:
    """States where steps build no links: each derivation is a structure of its own."""

    leaf = None

    def links(self, edge: Edge) -> int:
        """Return an edge's own links: none."""
        return 0

    def combine(self, edge: Edge, consequent: int, own: int, states: Any) -> object:
        """Return a state that differs from every other state."""
        return object()

    def structure(self, state: Any) -> Any:
        """Return the state."""
        return state
