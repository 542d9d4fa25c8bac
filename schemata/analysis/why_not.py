"""Reasons why an item is not derivable: for each step that could derive it, the first missing antecedent or condition.

Over D-rules the item is looked up in the chart under all licences. If it is there, the reasons follow the
cheapest proof and end in the links that the grammar does not license. If not, or over other grammars, every
rule is read backwards from its consequent: its antecedents are looked up among the items of the chart, one after
the other, each of them found or left missing. The way that lacks least is kept, and the reasons follow its first
missing antecedent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice, permutations, product

from schemata.analysis.explain import AskedItem, find_item, shown_bindings
from schemata.analysis.figures import warnings_of
from schemata.analysis.proofs import PricedChart, priced_chart
from schemata.analysis.reasons import (
    Attempt,
    Lack,
    LackKind,
    WhyNot,
    named_position,
    side_condition,
    violation_text,
)
from schemata.charts import Instance, Item
from schemata.engine.chart import Chart
from schemata.errors import UsageError
from schemata.grouping import grouped
from schemata.language import model as m
from schemata.language.substitute import may_be_equal
from schemata.language.typeset import condition_text, pattern_text
from schemata.program.evaluation import evaluate, fill_pattern, item_pattern, truth
from schemata.program.instances import chart_writings, first_binding
from schemata.program.matching import (
    UNKNOWN,
    Goal,
    Match,
    Solution,
    holds,
    known_values,
    match_pattern,
    solve,
)
from schemata.program.rewriting import all_writings
from schemata.records import Record, dataclass, replace
from schemata.thresholds import EFFORTS
from schemata.wording import noted, quantity

DEFAULT_DEPTH = 3
DEEPEST = 100
_FOLLOWED = 2  # how deep the reasons are followed why no step does something


def why_not(chart: Chart, item: str | Item | None = None, depth: int = DEFAULT_DEPTH) -> WhyNot:
    """Return why an item is not derivable, or that it is.

    Parameters
    ----------
    chart : the chart that lacks it.
    item : the item, or its text; None for final items.
    depth : how many steps deep the reasons are followed, 1 to 100.

    Raises
    ------
    SchemaError : the text is not an item of the schema.
    UsageError : the depth is out of range.

    >>> import schemata
    >>> chart = schemata.load("collins1996").run("a b", schemata.DRules.from_pairs({(1, 2)}))
    >>> why_not(chart, "tree[1, 2, 1]").links, why_not(chart, "tree[1, 2, 2]").derivable
    (((2, 1),), True)
    """
    if depth not in range(1, DEEPEST + 1):
        raise UsageError(f"the depth of the reasons is 1 to {DEEPEST}")
    found = _answer(chart, item, depth)
    hint, unknown = (None, ()) if found.derivable else (_hint(chart), _unknown(chart))
    return replace(found, chart=chart, final=item is None, hint=hint, unknown=unknown)


def why_not_yet(chart: Chart, item: str | Item) -> WhyNot:
    """Return why no step derives an item from just the items of a chart that is still growing.

    Parameters
    ----------
    chart : the items so far, as `engine.control.Exploration.chart_of` gives them.
    item : an item that is not among them, or its text.

    Raises
    ------
    SchemaError : the text is not an item of the schema.

    >>> import schemata
    >>> from schemata.engine.control import Exploration
    >>> cyk = schemata.load("cyk")
    >>> words = schemata.Sentence.of("the cat slept")
    >>> begun = Exploration(cyk.definition, words, cyk.check_grammar("example").for_sentence(words))
    >>> why_not_yet(begun.chart_of([]), "edge[NP, 1, 2]").attempts[0].lacks[0].said
    'there is no edge[_, 1, _]'
    """
    asked = find_item(chart, item)
    goal = item_pattern(asked.form, asked.values)
    return replace(_Teller(chart, None).unreachable(goal, 2, ()), written=asked.written, chart=chart)


def takes_heads(schema: m.Schema) -> None:
    """Check that a schema can explain a tree given by its heads.

    Raises
    ------
    UsageError : it builds other structures, or is over grammars without dependencies.
    """
    of_words = schema.builds_links and schema.structure.between_words
    if not of_words or not schema.grammar.of_dependencies:
        about = "--heads is about dependency trees over D-rules or dependency rules"
        built = f"schema {schema.name} builds {schema.structure}s over {schema.grammar} grammars"
        raise UsageError(f"{about}; {built}", code="no-trees", hint="leave out --heads")


def why_unbuilt(chart: Chart, dependent: int, head: int) -> WhyNot:
    """Return why no step builds a link: for each step that builds links, the way to build this link that lacks least.

    >>> import schemata
    >>> chart = schemata.load("eisner1996").run("a b", schemata.DRules.from_pairs({(2, 0)}))
    >>> [(attempt.step, attempt.lacks[0].said) for attempt in why_unbuilt(chart, 1, 2).attempts]
    [('R-Link', 'the grammar does not license 1 (a) under 2 (b)'), ('L-Link', 'there is no span[2, 1, false, false]')]
    """

    def ways(case: m.Case) -> Iterator[list[Goal]]:
        for built in case.links:
            assert isinstance(built, m.Built)
            yield [Match(*end, m.POSITION) for end in zip((dependent, head), built.terms, strict=False)]

    return _why_no_step(chart, f"link {dependent} to {head}", ways, "no step builds such links")


def why_apart(chart: Chart, one: str, other: str) -> WhyNot:
    """Return why no step takes two items together: for each step with such antecedents, the missing
    parts.

    >>> import schemata
    >>> chart = schemata.load("eisner1996").run("a b c")
    >>> reasons = why_apart(chart, "span[0, 1, false, false]", "span[2, 3, false, false]")
    >>> reasons.lacks[0].said
    'no step has both as antecedents: where they begin and end does not fit'
    """
    items = [find_item(chart, text).number for text in (one, other)]
    forms = chart.schema.forms

    def ways(case: m.Case) -> Iterator[list[Goal]]:
        patterns = [antecedent.pattern for antecedent in case.antecedents]
        for pair in permutations(patterns, 2):
            writings = [chart_writings(chart, x) if x is not None else () for x in items]
            for values in product(*writings):
                placed = [
                    (forms[chart.raw.form_of[x]], pattern, value)
                    for x, pattern, value in zip(items, pair, values, strict=True)
                    if x is not None and forms[chart.raw.form_of[x]].name == pattern.form
                ]
                if len(placed) == len(pair):
                    yield [goal for one in placed for goal in match_pattern(*one)]

    said = "no step has both as antecedents: where they begin and end does not fit"
    return _why_no_step(chart, f"take {one} and {other} together", ways, said)


def _why_no_step(
    chart: Chart, shown: str, ways: Callable[[m.Case], Iterable[Sequence[Goal]]], none: str
) -> WhyNot:
    """Return the missing parts of steps with certain starting points, those that lack least first."""
    teller, attempts = _Teller(chart, None), []
    for case in chart.schema.cases:
        goal = m.Pattern(case.consequent.form, tuple(m.Any() for _ in case.consequent.terms))
        starts = [start for way in ways(case) for start in solve(way, {"n": chart.n}, case.types)]
        candidate = best_candidate(teller.world, case, goal, starts)
        if candidate is not None:
            attempts.append(teller.tried(candidate, _FOLLOWED, ()))
    attempts.sort(key=lambda attempt: len(attempt.lacks))
    return WhyNot(shown, lacks=() if attempts else (Lack("shape", none),), attempts=tuple(attempts))


def _unknown(chart: Chart) -> tuple[str, ...]:
    """Return the warnings about words that the grammar lacks."""
    return tuple(one.message for one in warnings_of(chart) if one.code in ("unknown-word", "unlinked-word"))


def _hint(chart: Chart) -> str | None:
    """Return a hint for a chart over a dictionary whose disjuncts have been pruned; None for any other."""
    offered = chart.grammar
    if not getattr(offered, "pruned", False):
        return None
    if all(offered.disjuncts):  # type: ignore[attr-defined]
        return "Disjuncts that are in no linkage of the sentence were left out before: --unpruned keeps them."
    seen = "The sentence has no linkage. That was seen when its disjuncts were pruned"
    return f"{seen}: --unpruned keeps them, so that more can be told."


def _answer(chart: Chart, item: str | Item | None, depth: int) -> WhyNot:
    if item is None and chart.accepted:
        item = chart.final_items[0]
    asked = None if item is None else find_item(chart, item)
    if asked is not None and asked.number is not None:
        given = asked.number < chart.raw.hypothesis_count
        return WhyNot(asked.text, derivable=True, hypothesis=given, written=asked.written)
    reason = _reason(chart, asked, depth)
    is_known = not chart.stopped or reason.hopeless or bool(reason.links)
    return reason if is_known else replace(reason, derivable=None)


def _reason(chart: Chart, asked: AskedItem | None, depth: int) -> WhyNot:
    """Return why the chart lacks an item, or all final items."""
    priced = priced_chart(chart)
    teller = _Teller(chart, priced)
    if asked is None:
        finals = priced.full.final_order if priced else ()
        if priced and finals:
            return teller.repairable(min(finals, key=priced.price), depth, first=True)
        goals = _final_goals(chart)
        reasons = [teller.unreachable(goal, depth, ()) for _, goal in goals if not teller.world.has(goal)]
        return min(reasons or [teller.not_final(*one) for one in goals], key=_lacking)
    number = priced.full.find(asked.form.name, asked.values) if priced else None
    if number is not None:
        return replace(teller.repairable(number, depth, first=True), written=asked.written)
    goal = item_pattern(asked.form, asked.values)
    return replace(teller.unreachable(goal, depth, ()), written=asked.written)


def _lacking(reason: WhyNot) -> int:
    return min((len(a.lacks) for a in reason.attempts), default=1_000)


def _final_goals(chart: Chart) -> list[tuple[m.Clause, m.Pattern]]:
    """Return the final items as far as they are determined: one for each root category or fact that they depend on."""
    found = []
    for clause in chart.schema.finals:
        asks = [c for c in clause.conditions if isinstance(c, m.HasFact) and not c.negated]
        solutions = solve(asks, {"n": chart.n}, clause.types, chart.grammar)
        bindings = [solution.binding for solution in islice(solutions, EFFORTS.why_not_rules)] or [
            {"n": chart.n}
        ]
        found += [(clause, fill_pattern(clause.pattern, binding, clause.types)) for binding in bindings]
    return found


class _Teller:
    """Builds the tree of reasons for one chart."""

    def __init__(self, chart: Chart, priced: PricedChart | None) -> None:
        self.chart = chart
        self.schema = chart.schema
        self.priced = priced
        full = priced.full if priced else chart
        self.world = World(full)

    def text(self, pattern: m.Pattern) -> str:
        return pattern_text(self.schema, pattern, ascii=True)

    # items that more licences would give

    def repairable(self, number: int, depth: int, first: bool) -> WhyNot:
        """Return the reasons for an item of the chart under all licences."""
        priced = self.priced
        assert priced is not None
        shown = priced.full.item(number)
        links = priced.links(number)
        if not depth:
            more = f"it needs {quantity(len(links), 'more link')} licensed"
            return WhyNot(str(shown), lacks=(Lack("depth", more),), links=links)
        best: dict[int, Instance] = {}
        for instance in sorted(priced.backwards.of(number), key=lambda i: (priced.total(i), i.case)):
            best.setdefault(instance.case, instance)
        told = [best[case] for case in sorted(best)] if first else list(best.values())[:1]
        attempts = [self._attempt(instance, depth) for instance in told]
        misfits: list[str] = []
        if first:
            form = priced.full.schema.forms[priced.full.raw.form_of[number]]
            goal = item_pattern(form, priced.full.raw.values[number])
            for k, case in enumerate(self.schema.cases):
                if k in best or case.consequent.form != form.name:
                    continue
                candidate = best_candidate(self.world, case, goal)
                if candidate is None:
                    misfits.append(noted(case.step, case.label))
                else:
                    attempts.append(self.tried(candidate, 1, ()))
        untold, apart = len(best) - len(told), tuple(dict.fromkeys(misfits))
        return WhyNot(str(shown), attempts=tuple(attempts), untold=untold, misfits=apart, links=links)

    def _attempt(self, instance: Instance, depth: int) -> Attempt:
        priced = self.priced
        assert priced is not None
        case = self.schema.cases[instance.case]
        short = [x for x in dict.fromkeys(instance.antecedents) if priced.price(x)]
        lacks = [Lack("item", f"{priced.full.item(x)} is not derivable") for x in short]
        for dependent, head in priced.unlicensed(instance):
            ends = [named_position(p, self.chart.sentence) for p in (dependent, head)]
            said = f"the grammar does not license {ends[0]} under {ends[1]}"
            lacks.append(Lack("licence", said, (dependent, head)))
        bindings = shown_bindings(case, first_binding(priced.full, instance))
        present = tuple(str(priced.full.item(x)) for x in instance.antecedents if x not in short)
        missing = tuple(self.repairable(x, depth - 1, first=False) for x in short)
        return Attempt(case.step, case.label, bindings, present, tuple(lacks), missing)

    # items that no licences give, and items over other grammars

    def unreachable(self, goal: m.Pattern, depth: int, above: tuple[str, ...]) -> WhyNot:
        """Return the reasons for an item that the search's items lack."""
        shown = self.text(goal)
        form = self.schema.form(goal.form)
        known = known_values(goal, {})
        bare = WhyNot(shown, hopeless=self.priced is not None)

        def lacking(kind: LackKind, said: str, misfits: tuple[str, ...] = ()) -> WhyNot:
            return replace(bare, lacks=(Lack(kind, said),), misfits=misfits)

        broken = violated(form, known, self.chart.n)
        cases = [c for c in self.schema.cases if c.consequent.form == goal.form]
        if not cases:
            return lacking(*self._no_hypothesis(goal, shown))
        if broken is not None:
            fields = {f.name: known[k] for k, f in enumerate(form.fields) if k in known} | {"n": self.chart.n}
            types = {f.name: f.type for f in form.fields}
            return lacking("where", f"{form.name} items need {violation_text(broken, types, fields)}")
        if shown in above:
            return lacking("circular", "this is what is to be derived in the first place")
        fitting = [c for c in cases if fits(self.world, c, goal)]
        misfits = tuple(dict.fromkeys(noted(c.step, c.label) for c in cases if c not in fitting))
        if not fitting:
            consequents = ", ".join(dict.fromkeys(self.text(c.consequent) for c in cases))
            return lacking("shape", f"no step has such a consequent: {consequents}", misfits)
        if not depth:
            return lacking("depth", "the reasons are not followed further")
        found = [best_candidate(self.world, case, goal) for case in fitting[: EFFORTS.why_not_rules]]
        candidates = [c for c in found if c is not None]
        if not candidates:
            if len(known) < len(form.fields):
                said = "what the steps derive from the items there are has another shape"
                return lacking("shape", said, misfits)
            return lacking("circular", "no step derives it from other items, only from itself", misfits)
        path = (*above, shown)
        told = candidates if not above else [min(candidates, key=lambda c: (self._circles(c, path), c.score))]
        attempts, untold = tuple(self.tried(c, depth, path) for c in told), len(fitting) - len(told)
        return replace(bare, attempts=attempts, untold=untold, misfits=() if above else misfits)

    def _circles(self, candidate: Candidate, path: tuple[str, ...]) -> bool:
        """Whether the first missing item of a way is one whose absence is being explained already."""
        if not candidate.missing:
            return False
        pattern = candidate.case.antecedents[min(candidate.missing)].pattern
        return self.text(fill_pattern(pattern, candidate.binding, candidate.case.types)) in path

    def not_final(self, clause: m.Clause, goal: m.Pattern) -> WhyNot:
        """Return the conditions of final items that an item fails which the chart has."""
        above, more = (m.Antecedent(clause.pattern, context=False),), (clause.types, clause.span)
        case = m.Case("", None, above, clause.pattern, clause.conditions, (), (), None, *more)
        candidate = best_candidate(self.world, case, goal)
        if candidate is None or not candidate.found:
            return WhyNot(self.text(goal))
        told = self.tried(candidate, 0, ())
        return WhyNot(told.present[0], lacks=told.lacks, derived=True)

    def tried(self, candidate: Candidate, depth: int, above: tuple[str, ...]) -> Attempt:
        """Return a search's best way as an attempt, with the reasons for its first missing antecedent."""
        case, binding = candidate.case, candidate.binding
        patterns = (case.antecedents[k].pattern for k in sorted(candidate.missing))
        goals = [fill_pattern(pattern, binding, case.types) for pattern in patterns]
        there = [self.world.has(goal) for goal in goals]
        fitting = zip(goals, there, strict=True)
        lacks = [Lack("item", f"there is no {'fitting ' * has}{self.text(goal)}") for goal, has in fitting]
        around = self.chart.sentence, self.world.chart.grammar
        for condition in candidate.failed:
            told = side_condition(condition, case.types, binding, *around, failed=True)
            said = told.said
            if told.kind == "licence" and self.priced is not None:
                said = said.replace("the grammar does not license", "no D-rules can license")
            if told.kind == "comparison" and isinstance(condition, m.Term):
                said = f"it needs {violation_text(condition, case.types, binding)}"
            lacks.append(Lack(told.kind, said))
        bindings = shown_bindings(case, dict(binding))
        present = tuple(str(self.world.chart.item(x)) for _, x in sorted(candidate.found.items()))
        missing = tuple(self.unreachable(goal, depth - 1, above) for goal in goals[:1] if not there[0])
        return Attempt(case.step, case.label, bindings, present, tuple(lacks), missing, candidate.complete)

    def _no_hypothesis(self, goal: m.Pattern, shown: str) -> tuple[LackKind, str]:
        clauses = [c for c in self.schema.hypotheses if c.pattern.form == goal.form]
        if not clauses:
            return "form", f"no step derives {goal.form} items, and no hypothesis is one"
        said = []
        for clause in clauses:
            where = ", ".join(condition_text(c, ascii=True) for c in clause.conditions)
            said.append(f"{self.text(clause.pattern)}{f' where {where}' if where else ''}")
        count = quantity(self.chart.n, "word")
        words = f"the hypotheses are {' and '.join(said)}, and the sentence has {count} (n = {self.chart.n})"
        return "hypothesis", f"there is no hypothesis {shown}: {words}"


class Candidate(Record):
    """A way to apply a rule: its binding, the items found for antecedents, the missing ones, the failed
    conditions.

    `complete` says whether all ways were compared.
    """

    case: m.Case
    binding: Mapping[str, m.Value]
    found: Mapping[int, int]
    missing: tuple[int, ...]
    failed: tuple[m.Condition, ...]
    score: tuple[int, int, int]
    complete: bool


class World(Record, slots=False):
    """The items that a search may use: those of a chart, by form, under all their writings."""

    chart: Chart

    @cached_property
    def _items(self) -> Mapping[str, Sequence[tuple[int, tuple[m.Value, ...]]]]:
        forms, form_of = self.chart.schema.forms, self.chart.raw.form_of
        items = (*self.chart.hypothesis_ids, *self.chart.derived_ids)
        return grouped(
            (forms[form_of[x]].name, (x, writing)) for x in items for writing in chart_writings(self.chart, x)
        )

    def candidates(
        self, pattern: m.Pattern, binding: Mapping[str, m.Value]
    ) -> Iterator[tuple[int, tuple[m.Value, ...]]]:
        """Yield the items that agree with the bound part of a pattern, each with a writing."""
        known = known_values(pattern, binding)
        for x, values in self._items.get(pattern.form, ()):
            if all(values[k] == value for k, value in known.items()):
                yield x, values

    def has(self, pattern: m.Pattern) -> bool:
        """Whether some item matches a partly bound pattern."""
        form = self.chart.schema.form(pattern.form)
        goals = (match_pattern(form, pattern, values) for _, values in self.candidates(pattern, {}))
        return any(next(solve(one, {}, {}), None) for one in goals)


def violated(form: m.Form, known: Mapping[int, m.Value], n: int) -> m.Term | None:
    """Return the first condition of an item form that the values of some fields contradict."""
    fields = {f.name: known[k] for k, f in enumerate(form.fields) if k in known} | {"n": n}
    for condition in form.where:
        if truth(condition, fields) is False:
            return condition
    return None


def fits(world: World, case: m.Case, goal: m.Pattern) -> list[Solution]:
    """Return the ways in which a rule's consequent can be the requested item."""
    if case.consequent.form != goal.form:
        return []
    form = world.chart.schema.form(goal.form)
    n = world.chart.n
    if form.has_normal_form:
        known = tuple(known_values(goal, {}).values())
        writings = all_writings(form, known, n) if len(known) == len(form.fields) else ()
        ways = [match_pattern(form, case.consequent, writing) for writing in writings] or [[]]
    else:
        fields = zip(goal.terms, case.consequent.terms, form.fields, strict=True)
        ways = [[g for asked, term, field in fields for g in _known_parts(asked, term, field.type)]]
    found: list[Solution] = []
    for goals in ways:
        for solution in solve(goals, {"n": n}, case.types):
            if solution not in found and _can_be(form, case, solution.binding, goal):
                found.append(solution)
            if len(found) >= EFFORTS.why_not_matches:
                return found
    return found


def _known_parts(asked: m.Term, term: m.Term, kind: m.Type) -> list[Goal]:
    """Return the value that a term of a consequent must have; some parts of a tuple or dotted rule may be unknown."""
    try:
        return [Match(evaluate(asked, {}), term, kind)]
    except LookupError:
        if not isinstance(asked, m.TupleTerm) or not isinstance(term, m.TupleTerm):
            return []
    kinds = kind.parts or (UNKNOWN,) * len(term.terms)  # those of a term's parts do not matter
    parts = zip(asked.terms, term.terms, kinds, strict=False)
    return [goal for part in parts for goal in _known_parts(*part)]


def _can_be(form: m.Form, case: m.Case, binding: Mapping[str, m.Value], goal: m.Pattern) -> bool:
    """Whether the consequent, as far as it is bound, can be the requested item (in its normal form)."""
    if form.has_normal_form:
        return True
    made = fill_pattern(case.consequent, binding, case.types)
    return all(map(may_be_equal, made.terms, goal.terms))


def best_candidate(
    world: World, case: m.Case, goal: m.Pattern, starts: Sequence[Solution] | None = None
) -> Candidate | None:
    """Return the way to apply a rule that lacks least for an item; None if the consequent cannot be the item.

    The search begins with known values of the variables: by default, all ways in which the consequent can be the item.
    """
    search = _ReasonSearch(world, case, goal, EFFORTS.why_not_bindings)
    starts = fits(world, case, goal) if starts is None else starts[: EFFORTS.why_not_matches]
    for start in starts:
        search.extend(start, {}, (), tuple(range(len(case.antecedents))))
    complete = search.looks > 0 and len(starts) < EFFORTS.why_not_matches
    return None if search.best is None else replace(search.best, complete=complete)


@dataclass(slots=True)
class _ReasonSearch:
    """A depth-first search over the antecedents of a rule that keeps the best way so far."""

    world: World
    case: m.Case
    goal: m.Pattern
    looks: int
    best: Candidate | None = None

    def extend(
        self, start: Solution, found: dict[int, int], missing: tuple[int, ...], left: tuple[int, ...]
    ) -> None:
        """Extend a solution: find an item for one of the antecedents left, or leave it missing."""
        binding = start.binding
        if self.looks <= 0:
            return
        self.looks -= 1
        failed, score = self._lacks(binding, missing, last=not left)
        if self.best is not None and score >= self.best.score:
            return
        if not _can_be(self.world.chart.schema.form(self.goal.form), self.case, binding, self.goal):
            return
        if not left:
            if score[0] and not any(self._present(k, binding) for k in missing):
                self.best = Candidate(self.case, binding, found, missing, failed, score, complete=True)
            return
        patterns = {k: self.case.antecedents[k].pattern for k in left}
        slot = max(left, key=lambda k: (len(known_values(patterns[k], binding)), -k))
        rest = tuple(k for k in left if k != slot)
        form = self.world.chart.schema.form(patterns[slot].form)
        for x, values in self.world.candidates(patterns[slot], binding):
            goals = [*start.waiting, *match_pattern(form, patterns[slot], values)]
            for solution in solve(goals, binding, self.case.types):
                self.extend(solution, {**found, slot: x}, missing, rest)
            if self.looks <= 0:
                return
        self.extend(start, found, (*missing, slot), rest)

    def _present(self, slot: int, binding: Mapping[str, m.Value]) -> bool:
        """Whether the chart has an antecedent that the search took for missing, its fields all known by now."""
        pattern = self.case.antecedents[slot].pattern
        whole = len(known_values(pattern, binding)) == len(pattern.terms)
        return whole and next(self.world.candidates(pattern, binding), None) is not None

    def _lacks(
        self, binding: Mapping[str, m.Value], missing: tuple[int, ...], last: bool
    ) -> tuple[tuple[m.Condition, ...], tuple[int, int, int]]:
        """Return the failed conditions, and three counts: missing parts, those that no grammar can supply, unbound
        fields.
        """
        grammar = self.world.chart.grammar
        failed: list[m.Condition] = []
        hard = 0
        for condition in self.case.conditions:
            met = holds(condition, binding, grammar)
            if not isinstance(condition, m.HasFact):
                hard += met is False
            elif met is None and last and not missing:
                met = next(solve([condition], binding, self.case.types, grammar), None) is not None
            if met is False:
                failed.append(condition)
        unknown = 0
        schema, n = self.world.chart.schema, self.world.chart.n
        for k in missing:
            pattern = self.case.antecedents[k].pattern
            known = known_values(pattern, binding)
            unknown += len(pattern.terms) - len(known)
            hard += violated(schema.form(pattern.form), known, n) is not None
        return tuple(failed), (len(failed) + len(missing), hard, unknown)
