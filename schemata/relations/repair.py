"""Repairs: conditions that make a schema derive each structure once that it derives several times.

A repair leaves out derivations and loses no structure. Two families are tried. A *comparison* of two positions in the
antecedents of a step becomes one of its conditions. A *flag* becomes one more field of an item form; a table says for
every case which value each antecedent must have (false, true, any) and which one the consequent gets (false, true, or
that of an antecedent).

Candidates are tried on the hypergraphs of a few runs under all links, since they only leave out hyperedges: as many
derivations must be left as there are structures. A candidate that passes is written as a schema that extends the
original. It is proposed only if `check` accepts it; if `verify`, to more words than the search has seen, gives the
original's answers and finds each structure derived once; and if `relate` finds it a static filter of the original.
"""

from __future__ import annotations

import itertools
import math
import operator
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, TypeAlias

from schemata.budget import Budget
from schemata.engine.exceeded import BudgetExceeded
from schemata.engine.run import run_kernel
from schemata.errors import UsageError
from schemata.forest.forest import Edge, Forest
from schemata.forest.states import finished_states
from schemata.forest.trees import Building
from schemata.grouping import grouped
from schemata.kinds import D_RULES
from schemata.language import model as m
from schemata.language.files import read_schema_text
from schemata.language.relations import read_maps
from schemata.language.typeset import case_text, condition_text, pattern_text, term_text
from schemata.records import Record, dataclass, field, json_of, replace
from schemata.relations.answers import Answer
from schemata.relations.decide import decide
from schemata.shards import Places
from schemata.structures import Sentence, TreeClass
from schemata.thresholds import EFFORTS
from schemata.verification.answers import verify
from schemata.verification.grammars import every_link
from schemata.verification.progress import RUN_BUDGET
from schemata.verification.verdicts import Verdict
from schemata.workbench import ParsingSchema, Watcher

Means: TypeAlias = Literal["comparison", "flag"]
SUFFIX = "-once"
"""The end of the name of a repaired schema."""


_LENGTHS = (2, 3, 4, 5)  # words of the runs on which candidates are tried
_RELATIONS = {"==": operator.eq, "<=": operator.le, ">=": operator.ge, "!=": operator.ne}
_ANY = 2  # of a flag: either value; above it, the values of antecedents


class Repair(Record):
    """A schema that derives once the structures that the original derives several times.

    Parameters
    ----------
    way : the kind of change: a comparison of positions, or a flag.
    name, text : the schema; the text extends the original.
    verdict : on the class of trees.
    relation : says that it is a filter of the original.
    tried : how many candidates were tried before.
    """

    way: Means
    name: str
    text: str
    verdict: Verdict
    relation: Answer
    tried: int

    to_json = json_of(
        "way schema=name text sound=verdict.sound complete=verdict.complete each_once=verdict.each_once "
        "max_n=verdict.max_n relation=relation.kind related_to=relation.extent.max_n tried"
    )


class Repairs(Record):
    """The repairs found, and the candidates tried.

    Parameters
    ----------
    found : a repair; None if no candidate is one.
    tried : by way, the number of candidates.
    refused : how many of these passed at the lengths of the search, and were refused by the checks after it.
    left_out : the item forms that were left as they are, since their items have several writings.
    stopped : the limit that was hit ("seconds", "candidates"), or "interrupt".
    """

    found: Repair | None
    tried: Mapping[Means, int]
    refused: int
    left_out: tuple[str, ...]
    seconds: float
    stopped: str | None = None

    to_json = json_of("found tried{} refused left_out seconds:3 stopped?")


@dataclass(slots=True)
class _RunGraph:
    """The hypergraph of a run: items in order, the hyperedges into each, and how many structures there are."""

    forest: Forest
    distinct: int
    given: list[int] = field(default_factory=list)
    edges: list[tuple[int, Sequence[Edge]]] = field(default_factory=list)

    @classmethod
    def of(cls, forest: Forest) -> _RunGraph | None:
        """Return the frame of a forest; None if it is cyclic or too large."""
        if forest.cyclic or forest.derivation_count > EFFORTS.repair_derivations:
            return None
        hypotheses = forest.chart.raw.hypothesis_count
        states = finished_states(forest, Building.of(forest.chart), None) or set()
        frame = cls(forest, len(states))
        for item in forest.order:
            if item < hypotheses:
                frame.given.append(item)
            else:
                frame.edges.append((item, forest.edges_into(item)))
        return frame

    def count(self, number: int, bad: frozenset[tuple[int, int, Edge]]) -> int:
        """Return the number of derivations without some hyperedges, each given with the frame's number and its item."""
        found = dict.fromkeys(self.given, 1)
        for item, edges in self.edges:
            kept = (edge for edge in edges if (number, item, edge) not in bad)
            found[item] = sum(math.prod(found[tail] for tail in edge.tails) for edge in kept)
        return sum(found[root] for root in self.forest.roots)

    def count_flagged(self, table: Sequence[_Row], flagged: Sequence[bool]) -> int:
        """Return the number of derivations under a table of flags; `flagged` has, by the number of a form,
        whether the form gets a flag.
        """
        form_of = self.forest.chart.raw.form_of
        found: dict[int, tuple[int, int]] = dict.fromkeys(self.given, (1, 0))
        for item, edges in self.edges:
            totals = [0, 0]
            for edge in edges:
                wanted, gives = table[edge.case]
                parts = [found[tail] for tail in edge.tails]
                ways = [
                    w if want == _ANY else (w[0], 0) if want == 0 else (0, w[1])
                    for w, want in zip(parts, wanted, strict=True)
                ]
                for value in (0, 1) if gives >= _ANY else (gives,):
                    product = 1
                    for k, way in enumerate(ways):
                        product *= way[value] if k == gives - _ANY else way[0] + way[1]
                    totals[value] += product
            found[item] = (totals[0], totals[1]) if flagged[form_of[item]] else (sum(totals), 0)
        return sum(sum(found[root]) for root in self.forest.roots)


_Row: TypeAlias = tuple[tuple[int, ...], int]
"""The entry of a table for a case: the demand on each antecedent, and the value for the consequent."""


class _RepairSearch:
    """The search for repairs of one schema."""

    def __init__(
        self, schema: ParsingSchema, wanted: TreeClass, max_n: int, end: float, settings: Mapping[str, Any]
    ) -> None:
        self.original, self.schema, self.wanted = schema, schema.definition, wanted
        self.max_n, self.end, self.settings = max_n, end, settings
        self.tried: dict[Means, int] = {}

    @cached_property
    def frames(self) -> list[_RunGraph]:
        """The runs on which candidates are tried, short sentences first."""
        frames = []
        for n in _LENGTHS:
            words = Sentence(tuple(f"w{k}" for k in range(1, n + 1)))
            try:
                chart = run_kernel(self.original.kernel, words, every_link(n).provide(), RUN_BUDGET)
            except BudgetExceeded:
                break
            frame = _RunGraph.of(chart.forest())
            if frame is None:
                break
            frames.append(frame)
        return frames

    def candidates(self, way: Means) -> Iterator[list[str]]:
        """Yield schemata, as texts, that leave as many derivations as there are structures.

        The first text of a candidate has all conditions that it may need, the others have fewer, the fewest first.
        """
        self.tried[way] = 0
        if self.frames:
            yield from self._by_comparison() if way == "comparison" else self._by_flag()

    def judged(self, way: Means) -> Iterator[Repair | None]:
        """Yield the result of each candidate, with as few conditions as will do; None if it is refused."""
        for texts in itertools.islice(self.candidates(way), EFFORTS.repair_refused):
            passed = (self._judge(text, way) for text in texts)
            whole = next(passed)
            yield whole and next(filter(None, passed), whole)

    def _judge(self, text: str, way: Means) -> Repair | None:
        """Return a proposal that passes: checked as it is written, verified, and related to the original."""
        original, schema = self.original, extension_of(self.schema, SUFFIX, text)
        if schema is None:
            return None
        for n in (4, self.max_n):  # most of those that fail do so soon
            settings = {**self.settings, "seconds": max(self.end - time.monotonic(), 0.1)}
            verdict = verify(ParsingSchema(schema), self.wanted, n, **settings)
            if verdict.stopped:
                raise _RepairStoppedError(verdict.stopped)
            if not verdict.each_once:
                return None
            if not verdict.holds:
                before = verify(original, self.wanted, n, **settings)
                if (verdict.sound, verdict.complete) != (before.sound, before.complete):
                    return None
        maps = forgetful_maps(self.schema, schema)
        related = read_maps(maps, self.schema, schema, "static-filter")
        answer = decide(related, "static-filter", EFFORTS.repair_related)
        return Repair(way, schema.name, text, verdict, answer, self.tried[way]) if answer.holds else None

    def _next(self, way: Means) -> None:
        """Count a candidate.

        Raises
        ------
        _StoppedError : there is no time for it, or there were too many.
        """
        self.tried[way] += 1
        if time.monotonic() > self.end:
            raise _RepairStoppedError("seconds")
        if self.tried[way] > EFFORTS.repair_candidates:
            raise _RepairStoppedError("candidates")

    # comparisons

    def _by_comparison(self) -> Iterator[list[str]]:
        """Yield schemata with conditions in one case, then in two."""
        options = [self._comparisons(case) for case in range(len(self.schema.cases))]
        for several in (1, 2):
            for cases in itertools.combinations(range(len(options)), several):
                for chosen in itertools.product(*(options[case] for case in cases)):
                    self._next("comparison")
                    if self._suffice(frozenset().union(*(edges for _, edges in chosen))):
                        added = {case: [text] for case, (text, _) in zip(cases, chosen, strict=True)}
                        yield [self._text(self.schema, added)]

    def _suffice(self, bad: frozenset[tuple[int, int, Edge]]) -> bool:
        """Whether as many derivations as structures are left without some hyperedges."""
        return all(frame.count(k, bad) == frame.distinct for k, frame in enumerate(self.frames))

    def _comparisons(self, number: int) -> list[tuple[str, frozenset[tuple[int, int, Edge]]]]:
        """Return the comparisons of a case that behave differently, each with the hyperedges that it forbids."""
        case = self.schema.cases[number]
        edges = [
            (k, item, edge)
            for k, frame in enumerate(self.frames)
            for item, into in frame.edges
            for edge in into
            if edge.case == number
        ]
        terms = []
        for slot, antecedent in enumerate(a for a in case.antecedents if not a.context):
            form = self.schema.form(antecedent.pattern.form)
            for place, term in enumerate(antecedent.pattern.terms):
                plain = form.fields[place].type == m.POSITION and not form.has_normal_form
                if plain and not isinstance(term, m.Any):
                    terms.append((slot, place, term_text(term, ascii=True)))
        found: dict[frozenset[tuple[int, int, Edge]], str] = {}
        for (s, p, one), (t, q, other) in itertools.combinations(terms, 2):
            if one == other:
                continue
            apart = []
            for k, _, edge in edges:
                values = self.frames[k].forest.chart.raw.values
                apart.append(values[edge.tails[s]][p] - values[edge.tails[t]][q])  # type: ignore[operator]
            for constant, (relation, holds) in itertools.product((0, -1, 1), _RELATIONS.items()):
                bad = frozenset(row for row, x in zip(edges, apart, strict=True) if not holds(x, constant))
                if 0 < len(bad) < len(edges):
                    shift = f" {'+' if constant > 0 else '-'} 1" if constant else ""
                    found.setdefault(bad, f"{one} {relation} {other}{shift}")
        return [(text, bad) for bad, text in found.items()]

    # flags

    def _by_flag(self) -> Iterator[list[str]]:
        """Yield schemata with a flag in one form, those with the fewest demands on antecedents first."""
        makers = [case.consequent.form for case in self.schema.cases]
        for form in sorted(set(makers), key=lambda name: (-makers.count(name), name)):
            if self.schema.form(form).has_normal_form:
                continue  # a flag would have to be the same in all writings of an item
            flagged = [other.name == form for other in self.schema.forms]
            apart = {
                k: found for k, case in enumerate(self.schema.cases) if (found := _kept_apart(case, form))
            }
            fewer = [set(some) for size in range(len(apart)) for some in itertools.combinations(apart, size)]
            for table in _tables([self._rows(case, form) for case in self.schema.cases]):
                self._next("flag")
                if all(frame.count_flagged(table, flagged) == frame.distinct for frame in self.frames):
                    yield [
                        self._flagged(form, table, {k: apart[k] for k in some}) for some in (apart, *fewer)
                    ]

    def _rows(self, case: m.Case, form: str) -> list[_Row]:
        """Return the possible rows of a table for a case."""
        mine = [a.pattern.form == form for a in case.antecedents if not a.context]
        values = (
            [0, 1, *(_ANY + k for k, own in enumerate(mine) if own)] if case.consequent.form == form else [0]
        )
        asked = itertools.product(*((_ANY, 0, 1) if own else (_ANY,) for own in mine))
        return [(row, x) for row in asked for x in values if x < _ANY or row[x - _ANY] == _ANY]

    def _flagged(self, form: str, table: Sequence[_Row], apart: Mapping[int, Sequence[str]]) -> str:
        """Return the schema with a flag in a form; `apart` has conditions that some cases get besides."""
        old, name = self.schema, _unused("f", self.schema)

        def flagged(pattern: m.Pattern, term: m.Term) -> m.Pattern:
            return m.Pattern(form, (*pattern.terms, term)) if pattern.form == form else pattern

        cases = []
        for case, (asked, gives) in zip(old.cases, table, strict=True):
            own: m.Term = m.Var(name) if gives >= _ANY else m.Lit(bool(gives))
            above: dict[int, m.Term] = {k: m.Lit(bool(x)) for k, x in enumerate(asked) if x != _ANY}
            above |= {gives - _ANY: own} if gives >= _ANY else {}
            slots = itertools.count()
            antecedents = tuple(
                replace(
                    a, pattern=flagged(a.pattern, m.Any() if a.context else above.get(next(slots), m.Any()))
                )
                for a in case.antecedents
            )
            cases.append(replace(case, antecedents=antecedents, consequent=flagged(case.consequent, own)))
        more = (m.Field(name, m.FLAG),)
        forms = (replace(x, fields=x.fields + more) if x.name == form else x for x in old.forms)
        hypotheses = (replace(c, pattern=flagged(c.pattern, m.Lit(False))) for c in old.hypotheses)
        finals = (replace(c, pattern=flagged(c.pattern, m.Any())) for c in old.finals)
        schema = replace(
            old, forms=tuple(forms), hypotheses=tuple(hypotheses), cases=tuple(cases), finals=tuple(finals)
        )
        return self._text(schema, apart)

    def _text(self, schema: m.Schema, added: Mapping[int, Sequence[str]]) -> str:
        """Return a schema as text that extends the original; `added` has further conditions of some cases."""
        old = self.schema
        parts = [extending(old, SUFFIX, "each structure once")]
        for form in schema.forms:
            if form not in old.forms:
                fields = ", ".join(f"{x.name}: {x.type}" for x in form.fields)
                parts.append(f"replace item {form.name}[{fields}]" + _where(form.where, "\n  "))
        clauses = ("hypothesis", schema.hypotheses, old.hypotheses), ("final", schema.finals, old.finals)
        for word, new, before in clauses:
            if new != before:
                told = ([c for c in clause.conditions if any(m.variables(c))] for clause in new)
                items = (pattern_text(schema, clause.pattern, ascii=True) for clause in new)
                lines = [f"{word} {x}{_where(c, '  ')}" for x, c in zip(items, told, strict=True)]
                parts.append("replace " + "\n".join(lines))
        changed = {k for k, case in enumerate(schema.cases) if case != old.cases[k]}
        for step in dict.fromkeys(schema.cases[k].step for k in sorted(changed | added.keys())):
            lines = [f"replace step {step}"]
            for number, case in enumerate(schema.cases):
                if case.step == step:
                    lines += [f"case {case.label}"] if case.label else []
                    lines.append(case_text(schema, case, added.get(number, ())))
            parts.append("\n".join(lines))
        return "\n\n".join(parts) + "\n"


def extending(schema: m.Schema, suffix: str, remark: str) -> str:
    """Return the first lines of a schema that extends another, with a suffix to its name and a remark on its title."""
    name, settings = schema.name, ", ".join(f"{p.name} = {p.value}" for p in schema.parameters)
    base = f"{name}({settings})" if settings else name
    return f'schema {name}{suffix} extends {base}\n  title "{schema.title or name}; {remark}"'


def extension_of(schema: m.Schema, suffix: str, text: str) -> m.Schema | None:
    """Return the schema of a text as if it stood beside the schema that it extends; None if it has errors."""
    path = schema.source.path
    beside = None if path is None else path.with_name(f"{schema.name}{suffix}.schema")
    return read_schema_text(text, path=beside)[0]


def _where(conditions: Sequence[m.Condition], before: str) -> str:
    shown = ", ".join(condition_text(c, ascii=True) for c in conditions)
    return f"{before}where {shown}" if shown else ""


class _RepairStoppedError(Exception):
    """A limit of the search was hit."""


def _unused(name: str, schema: m.Schema) -> str:
    """Return a name like this one that no variable or field of the schema has."""
    taken = {x for case in schema.cases for x in case.types}
    taken |= {field.name for form in schema.forms for field in form.fields}
    return next(x for x in (name, *(f"{name}{k}" for k in range(1, len(taken) + 1))) if x not in taken)


def _tables(rows: Sequence[Sequence[_Row]]) -> Iterator[tuple[_Row, ...]]:
    """Yield the choices of a row for each case, those that ask least of antecedents first."""
    by_demands = [grouped((sum(x != _ANY for x in row[0]), row) for row in options) for options in rows]
    most = [max(options) for options in by_demands]

    def of(first: int, demands: int) -> Iterator[tuple[_Row, ...]]:
        if first == len(rows):
            yield ()
            return
        rest = sum(most[first + 1 :])
        for own, options in sorted(by_demands[first].items()):
            if own <= demands <= own + rest:
                for row in options:
                    yield from ((row, *others) for others in of(first + 1, demands - own))

    for demands in range(sum(most) + 1):
        yield from of(0, demands)


def _kept_apart(case: m.Case, form: str) -> list[str]:
    """Return conditions that keep the consequent apart from each antecedent of its form, where they can be alike.

    An instance whose consequent is one of its antecedents proves nothing and is dropped. If their flags differed, the
    two items would differ, and the instance would not be dropped.
    """
    found: dict[str, None] = {}
    for antecedent in case.antecedents:
        if antecedent.context or antecedent.pattern.form != form or case.consequent.form != form:
            continue
        pairs = [
            (x, y) for x, y in zip(antecedent.pattern.terms, case.consequent.terms, strict=True) if x != y
        ]
        plain = {
            " != ".join(sorted((x.name, y.name)))
            for x, y in pairs
            if isinstance(x, m.Var)
            and isinstance(y, m.Var)
            and m.POSITION == case.types.get(x.name) == case.types.get(y.name)
        }
        if plain:
            found[" or ".join(sorted(plain))] = None
    return list(found)


def repair(
    schema: ParsingSchema,
    class_of_trees: TreeClass,
    max_n: int | None = None,
    *,
    seed: int = 0,
    single_root: bool = True,
    jobs: int | Places = 1,
    budget: Budget | None = None,
    seconds: float | None = None,
    watch: Watcher | None = None,
) -> Repairs:
    """Look for conditions that make a schema derive each structure once.

    Parameters
    ----------
    schema : a schema over D-rules.
    class_of_trees : the class for which a repair must be as sound and as complete as the schema itself.
    max_n : the words to which a repair is verified; at least 6 (which None stands for), more than the search has seen.
    seed, single_root, jobs, budget : as for `verify`.
    seconds : how long the search may take; 60 if None.
    watch : wraps the candidates that are verified, for a progress bar.

    Returns
    -------
    The first repair by comparisons that passes; if there is none, the first by a flag.

    Raises
    ------
    UsageError : the schema is not over D-rules.
    """
    if schema.definition.grammar != D_RULES:
        raise UsageError(
            f"repairs are looked for in schemata over D-rules, and {schema.name} is over {schema.definition.grammar}",
            code="no-repair",
            expected="a schema over d-rules",
        )
    started = time.monotonic()
    end = started + (EFFORTS.repair_seconds if seconds is None else seconds)
    settings = {"seed": seed, "single_root": single_root, "jobs": jobs, "budget": budget}
    search = _RepairSearch(schema, class_of_trees, max(max_n or 0, EFFORTS.repair_words), end, settings)
    found: Repair | None = None
    refused, stopped = 0, None
    ways: tuple[Means, ...] = ("comparison", "flag")
    for way in ways:
        tries: Iterable[Repair | None] = search.judged(way)
        try:
            for found in (
                tries if watch is None else watch(tries, EFFORTS.repair_refused, f"{schema.name}, by {way}")
            ):
                if found is not None:
                    break
                refused += 1
        except _RepairStoppedError as over:
            stopped = str(over)
        except KeyboardInterrupt:
            stopped = "interrupt"
        if found is not None or stopped == "interrupt":
            break
    left_out = tuple(form.name for form in schema.definition.forms if form.has_normal_form)
    return Repairs(found, search.tried, refused, left_out, time.monotonic() - started, stopped)


def forgetful_maps(original: m.Schema, repaired: m.Schema) -> list[str]:
    """Return maps from the items of a repaired schema to those of the original: a flag more is forgotten."""
    maps = []
    for form in original.forms:
        more = len(repaired.form(form.name).fields) - len(form.fields)
        if more:
            names = [f"{x.name}?" if x.type.kind == "optional" else x.name for x in form.fields]
            target, source = ", ".join(names), ", ".join([*names, *"_" * more])
            maps.append(f"{form.name}[{target}] from {form.name}[{source}]")
    return maps
