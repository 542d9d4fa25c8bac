"""Relations that hold: those of two schemata are found, those that shipped files claim are decided and mapped.

Discovery tries all kinds, with simple maps between the items. Maps come from the shipped relations between the two,
then from `guessed_maps`. Each is tried on two words first; those that survive are decided at full length. For each kind
the first map by which it holds is reported.

Guesses are made from forms alone. Fields go to fields of the same type; a field may be dropped (by filters only a
flag), merged with another of its type, or filled with a constant (a flag, an absent value). A list of positions may be
written out as the positions of the other form, and a rule with one dot is one with two whose first part is empty.

The map of the field has every relation claimed of shipped schemata, with its verdict, as a graph of schemata. It is the
executable version of GCW11, Figure 6. A claim that does not hold keeps its arrow, with the counterexample and the
relations that hold between the two schemata instead.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from schemata.errors import SchemaError, SchemataError, UsageError, guided, require_number
from schemata.kinds import D_RULES, DEPENDENCY_RULES, LINK_GRAMMAR
from schemata.language import model as m
from schemata.language.library import shipped_relations
from schemata.language.relation_model import CHAINS, INTO_FIRST, KINDS, Kind, Relation, StepKind, kind_hint
from schemata.language.relations import chain_parts, load_relation, read_maps, shipped_claims
from schemata.language.typeset import reference_of
from schemata.records import Record, json_of
from schemata.relations.answers import Answer, Answers, CheckExtent
from schemata.relations.decide import check_grammars, decide
from schemata.relations.systems import DEFAULT_BUDGET, SharedSystems
from schemata.thresholds import EFFORTS
from schemata.verification.verdicts import all_of
from schemata.workbench import Reference, Watcher, schema_of

if TYPE_CHECKING:
    import networkx as nx

    from schemata.budget import Budget


STEP_KINDS: tuple[StepKind, ...] = tuple(kind for kind in KINDS if kind not in CHAINS)  # type: ignore[misc]


def check_kind(kind: str) -> StepKind:
    """Return a kind that a relation of two schemata can be of.

    Raises
    ------
    UsageError : there is no such kind.
    """
    for known in STEP_KINDS:
        if kind == known:
            return known
    raise UsageError(
        f"there is no relation of kind {kind!r}",
        code="unknown-kind",
        expected=", ".join(STEP_KINDS),
        hint=kind_hint(kind, STEP_KINDS),
    )


def decide_claim(claim: Relation, max_n: int, *, systems: SharedSystems | None = None) -> tuple[Answer, ...]:
    """Decide the claim of a relation file.

    Returns
    -------
    The answer; for a chain one for each of its parts, that of the strongest kind that holds, or the last one
    tried where none does.

    Raises
    ------
    UsageError : the claim names no kind; see also `decide`.
    """
    if claim.kind is None:
        raise UsageError(f"the relation {claim.name} claims no kind")
    found: list[Answer] = []
    for part in chain_parts(claim):
        answer: Answer | None = None
        for relation in part:
            assert relation.kind is not None
            answer = decide(relation, check_kind(relation.kind), max_n, systems=systems, lift=True)
            if answer.holds or answer.stopped:
                break
        if answer is None:
            first, second = reference_of(claim.first), reference_of(claim.second)
            raise UsageError(
                f"items of {first} and {second} correspond in no way that is known for a part of the chain",
                code="no-correspondence",
                hint="write relation files for its parts",
            )
        found.append(answer)
    return tuple(found)


# Each holds of every pair of the kind before: a static filter is a dynamic one, and a dynamic one a step contraction.
_WEAKER: tuple[StepKind, ...] = ("static-filter", "dynamic-filter", "step-contraction")
STRENGTH: tuple[StepKind, ...] = (*_WEAKER, *CHAINS["generalisation"], "item-contraction")  # strongest first
_INJECTIVE: frozenset[StepKind] = frozenset(STEP_KINDS) - {"item-refinement", "item-contraction"}


def relate_kind(
    first: m.Schema,
    second: m.Schema,
    kind: StepKind,
    maps: Sequence[str] = (),
    max_n: int = 5,
    *,
    systems: SharedSystems | None = None,
) -> Answer:
    """Decide whether two schemata are related in one way.

    Parameters
    ----------
    first, second : the schemata.
    kind : the kind of relation.
    maps : `ITEM to ITEM where ...`; without any, those of a shipped relation between the two, read in either
        direction, else items of the same form correspond, else maps are guessed.
    max_n : the number of words, at most.
    systems : see `decide`.

    Returns
    -------
    The answer. Where no maps are known it is unknown, unless guessed maps make it yes; the notes say so.

    Raises
    ------
    SchemaError : a map has errors.
    UsageError : see `decide`.
    """
    if maps:
        return decide(read_maps(maps, first, second), kind, max_n, systems=systems, lift=True)
    check_grammars(first, second, kind)
    into_first = kind in INTO_FIRST
    claims = sorted(shipped_claims(first, second), key=lambda c: (c.kind != kind, c.reversed != into_first))
    for claim in claims:
        if claim.kind not in CHAINS and _fits(claim, kind):
            return decide(claim, kind, max_n, systems=systems, lift=True)
    try:
        relation = read_maps((), first, second, kind)
    except SchemaError as error:
        answers = discover(first, second, max_n, kinds=(kind,), systems=systems)
        reason = f"{error.diagnostics[0].message}, and none of the maps that were guessed makes it so"
        ends = reference_of(first), reference_of(second)
        extent = CheckExtent(0, rules="there is nothing to check")
        unknown = Answer(*ends, kind, None, extent, notes=(reason, "a map says how items correspond (--map)"))
        return answers[0] if answers else unknown
    return decide(relation, kind, max_n, systems=systems, lift=True)


def discover(
    first: m.Schema,
    second: m.Schema,
    max_n: int = 5,
    *,
    maps: Sequence[str] = (),
    kinds: Sequence[StepKind] = STRENGTH,
    systems: SharedSystems | None = None,
) -> list[Answer]:
    """Return how two schemata are related, as far as simple maps show it, the strongest kind first.

    Parameters
    ----------
    first, second : the schemata.
    max_n : the number of words, at most.
    maps : the only maps to try; without any, those of shipped relations and guesses.
    kinds : the kinds to try.
    systems : see `decide`.

    Returns
    -------
    One answer for each kind that holds, and those that a budget or Ctrl-C left open. A kind implied by a stronger one
    is not decided again; `implied_by` names that one.

    Raises
    ------
    SchemaError : a map has errors.
    UsageError : the schemata are over unrelated kinds of grammar, ask for missing facts, or have too many facts to try.
    """
    systems = systems or SharedSystems()
    # What no map changes is told at once.
    if first.grammar == second.grammar:
        systems.universe(first, second, 1)
    elif {first.grammar, second.grammar} != {D_RULES, DEPENDENCY_RULES}:
        check_grammars(first, second, "step-refinement")
    found: list[Answer] = []
    for kind in kinds:
        before = _WEAKER[: _WEAKER.index(kind)] if kind in _WEAKER else ()
        stronger = next((answer for answer in found if answer.holds and answer.kind in before), None)
        if stronger is not None:
            found.append(replace(stronger, kind=kind, implied_by=stronger.kind))
            continue
        tried: set[tuple[object, ...]] = set()
        for relation in [read_maps(maps, first, second)] if maps else _candidates(first, second, kind):
            key = (relation.reversed, *((x.source, x.target, x.conditions) for x in relation.maps))
            if key in tried or not _fits(relation, kind):
                continue
            tried.add(key)
            answer = _tried(relation, kind, max_n, systems)
            if answer is None:
                continue
            if answer.holds or answer.stopped:
                found.append(answer)
            if answer.stopped == "interrupt":
                return found
            if answer.holds:
                break
    return found


def answers(
    first: m.Schema,
    second: m.Schema,
    kind: str | None,
    maps: Sequence[str] = (),
    max_n: int = 5,
    *,
    systems: SharedSystems,
) -> Answers:
    """Return the answer about one kind of relation, or about all kinds, as `schemata.relate` does.

    Raises
    ------
    SchemaError, UsageError : as `relate_kind` and `discover`; or the rules have no symbols.
    """
    for name, value in (("--rule-length", systems.rule_length), ("--max-n", max_n)):
        require_number(name, value, least=1)
    if kind is None:
        found = discover(first, second, max_n, maps=maps, systems=systems)
    else:
        known = check_kind(kind)
        found = [relate_kind(first, second, known, maps, max_n, systems=systems)]
    return Answers(reference_of(first), reference_of(second), kind, found, guessed=not maps)


def relate(
    first: Reference,
    second: Reference,
    kind: str | None = None,
    *,
    maps: Sequence[str] = (),
    max_n: int = 5,
    rule_length: int = 3,
    budget: Budget | None = None,
    watch: Watcher | None = None,
) -> Answers:
    """Decide how two schemata are related, with witnesses.

    Parameters
    ----------
    first, second : the schemata, or arguments of `load`.
    kind : `step-refinement`, `item-refinement`, `static-filter`, `dynamic-filter`, `step-contraction` or
        `item-contraction`; None for all of them, and all simple maps between the items.
    maps : which items correspond, `ITEM to ITEM where CONDITIONS` or `ITEM from ITEM`; without any, as a
        shipped relation between the two says, else items of the same form.
    max_n : the number of words, at most.
    rule_length : over rules, how many symbols a rule has, at most.
    budget : limits of the decision of one length.
    watch : wraps the step instances that are checked, for a progress bar.

    Returns
    -------
    A list: with a kind, the answer to that question; without, one answer for each kind that holds, the strongest
    first. A budget that is hit leaves `holds` None.

    Raises
    ------
    SchemaError : a schema or a map has errors, or how items correspond is not known.
    UsageError : there is no such schema or kind; the schemata are over different kinds of grammar.

    References
    ----------
    GCW11, section 4.

    >>> [answer] = relate("eisner-satta1999", "eisner1996", "step-refinement", max_n=3)
    >>> answer.holds, answer.witnesses[2].ways[0].steps
    (True, ('CombineSpans',))
    >>> [answer.kind for answer in relate("generalised-eisner-satta", "collins1996", max_n=3)]
    ['static-filter', 'dynamic-filter', 'step-contraction']
    """
    one, other = schema_of(first).definition, schema_of(second).definition
    systems = SharedSystems(DEFAULT_BUDGET.unless(budget), rule_length, watch)
    return answers(one, other, kind, maps, max_n, systems=systems)


if not TYPE_CHECKING:  # where modules import each other in circles, mypy has no types of decorated functions
    relate = guided()(relate)


def _tried(relation: Relation, kind: StepKind, max_n: int, systems: SharedSystems) -> Answer | None:
    """Decide a relation, if its kind admits the question and it holds for the shortest sentences."""
    try:
        quick = decide(relation, kind, min(EFFORTS.first_words, max_n), systems=systems)
        if not quick.holds:
            return quick
        return decide(relation, kind, max_n, systems=systems, lift=True)
    except SchemataError:
        return None


def _fits(relation: Relation, kind: StepKind) -> bool:
    """Whether the maps go the way that a kind asks for; inclusions can be read either way."""
    return kind in _INJECTIVE or relation.reversed == (kind in INTO_FIRST)


def _candidates(first: m.Schema, second: m.Schema, kind: StepKind) -> Iterator[Relation]:
    """Yield relations with maps to try."""
    yield from (claim for claim in shipped_claims(first, second) if claim.kind not in CHAINS)
    into_first = kind in INTO_FIRST
    source, target, word = (second, first, "from") if into_first else (first, second, "to")
    dropped: Sequence[m.Kind] | None = () if kind in _INJECTIVE else None
    if kind in ("static-filter", "dynamic-filter"):
        dropped = ("flag",)
    for texts in itertools.chain([()], guessed_maps(source, target, dropped, word)):
        with contextlib.suppress(SchemataError):
            yield read_maps(texts, first, second, kind)


def guessed_maps(
    source: m.Schema, target: m.Schema, dropped: Sequence[m.Kind] | None, word: str
) -> Iterator[tuple[str, ...]]:
    """Yield guesses of maps from the items of one schema to those of another, the plainest first.

    Parameters
    ----------
    source, target : the schema whose items are carried, and the one to whose items.
    dropped : the kinds of fields that may be dropped; None for all.
    word : "to" or "from", the direction in which the maps are written.

    Yields
    ------
    Maps as text, one for each form that steps of the source make.
    """
    starts, ends = _made(source), _made(target)
    choices = [
        [text for end in ends for text in _guesses(start, end, dropped, word)][: EFFORTS.guesses]
        for start in starts
    ]
    yield from itertools.islice(itertools.product(*choices), EFFORTS.guesses)


def _made(schema: m.Schema) -> list[m.Form]:
    """Return the forms that steps make items of."""
    names = {case.consequent.form for case in schema.cases}
    return [form for form in schema.forms if form.name in names]


def _guesses(start: m.Form, end: m.Form, may_go: Sequence[m.Kind] | None, word: str) -> list[str]:
    """Return the maps from one form to another, those that keep names and order first."""
    found: dict[str, tuple[int, ...]] = {}
    for patterns, parts in _shapes(start):
        options = [list(_fillings(field, parts)) for field in end.fields]
        for chosen in itertools.islice(itertools.product(*options), 4 * EFFORTS.guesses):
            used = [name for _, names, _ in chosen for name in names]
            if may_go is not None and any(x.kind not in may_go for name, x in parts if name not in used):
                continue
            dropped = [name for name, _ in parts if name not in used]
            left = f"{start.name}[{', '.join(_hidden(p, dropped) for p in patterns)}]"
            right = f"{end.name}[{', '.join(text for text, _, _ in chosen)}]"
            text = f"{left} to {right}" if word == "to" else f"{right} from {left}"
            places = [next(k for k, (name, _) in enumerate(parts) if name == u) for u in used]
            penalty = (
                sum(cost for _, _, cost in chosen),
                len(dropped),
                sum(a > b for a, b in itertools.pairwise(places)),
                len(used) - len(set(used)),
            )
            found.setdefault(text, penalty)
    return sorted(found, key=lambda text: (found[text], text))


def _hidden(pattern: str, dropped: Sequence[str]) -> str:
    return "_" if pattern.rstrip("?") in dropped else pattern


def _shapes(form: m.Form) -> Iterator[tuple[list[str], list[tuple[str, m.Type]]]]:
    """Yield ways to take an item apart: a pattern for each field, and the parts with their types."""
    plain = [f"{f.name}?" if f.type.kind == "optional" else f.name for f in form.fields]
    parts = [(f.name, f.type) for f in form.fields]
    yield plain, parts
    for k, (_, kind) in enumerate(parts):
        taken = {name for name, _ in parts}
        if kind.kind == "list" and kind.arguments == (m.POSITION,):
            names = [_fresh(name, taken) for name in ("x", "y")]
            own, written = [(name, m.POSITION) for name in names], f"<{', '.join(names)}>"
        elif kind.kind == "dotted":
            names = [_fresh(name, taken) for name in ("alpha", "beta", "gamma")[: kind.dots + 1]]
            lhs = _fresh("A", taken)
            own = [(lhs, m.SYMBOL), *((name, m.SYMBOLS) for name in names)]
            written = f"{lhs}({' . '.join('*' + name for name in names)})"
        else:
            continue
        yield [*plain[:k], written, *plain[k + 1 :]], [*parts[:k], *own, *parts[k + 1 :]]


def _fresh(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "1"
    taken.add(name)
    return name


def _fillings(
    field: m.Field, parts: Sequence[tuple[str, m.Type]]
) -> Iterator[tuple[str, tuple[str, ...], int]]:
    """Yield the possible fillings of a field: the text, the parts it uses, and how far-fetched it is."""
    kind = field.type
    for name, own in parts:
        if own == kind or (kind.kind == "optional" and kind.arguments[0] == own):
            yield name, (name,), int(name != field.name)
    match kind.kind:
        case "flag":
            yield "false", (), 1
            yield "true", (), 1
        case "optional":
            yield "-", (), 1
        case "list" if kind.arguments == (m.POSITION,) and not kind.intervals:
            names = tuple(name for name, own in parts if own == m.POSITION)
            if names:
                yield f"<{', '.join(names)}>", names, 1
        case "dotted":
            lhs = [name for name, own in parts if own == m.SYMBOL][:1]
            bodies = [name for name, own in parts if own == m.SYMBOLS]
            for shape in _DOTTED.get((kind.dots, len(bodies)), ()) if lhs else ():
                yield f"{lhs[0]}({shape.format(*bodies)})", (lhs[0], *bodies), 1


# By the dots of a rule and the number of sequences to fill it with, how these may stand in it.
_DOTTED = {(2, 2): (". *{} . *{}", "*{} . *{} ."), (1, 3): ("*{} *{} . *{}", "*{} . *{} *{}")}


# The map of the field ---------------------------------------------------------------------------------------

ABBREVIATIONS: dict[str, str] = {
    "step-refinement": "sr",
    "step-contraction": "sc",
    "item-refinement": "ir",
    "item-contraction": "ic",
    "static-filter": "sf",
    "dynamic-filter": "df",
}


class Arrow(Record):
    """A claimed relation and the verdict on it.

    Attributes
    ----------
    name : the relation file.
    first, second : the schemata.
    kind : the kind that is claimed.
    reference : where it is claimed.
    answers : the decision; for a chain, of each part.
    instead : the relations between the two where the claim fails.
    """

    name: str
    first: str
    second: str
    kind: Kind
    reference: str | None
    answers: tuple[Answer, ...]
    instead: tuple[Answer, ...] = ()

    @property
    def is_chain(self) -> bool:
        """Whether the claim is of several relations, one after the other."""
        return self.kind in CHAINS

    @property
    def holds(self) -> bool | None:
        """Whether the claim holds; None if that is undecided."""
        return all_of(*(answer.holds for answer in self.answers))

    to_json = json_of(
        "relation=name from=first to=second kind holds source=reference relations=answers instead"
    )


def field_map(
    max_n: int,
    *,
    names: Sequence[str] | None = None,
    systems: SharedSystems | None = None,
    watch: Watcher | None = None,
) -> tuple[Arrow, ...]:
    """Decide every claim of the shipped relation files.

    Parameters
    ----------
    max_n : the number of words, at most; over Link Grammar fewer.
    names : the relation files; all of them if None.
    systems : kernels and systems to be shared.
    watch : wraps the claims, for a progress bar.

    Returns
    -------
    One arrow for each claim, in the order of the files. Ctrl-C ends with the arrow it falls into, whose answer
    says so.
    """
    systems = systems or SharedSystems()
    claims = [
        claim
        for name in (shipped_relations() if names is None else names)
        for claim in load_relation(name).relations
    ]
    found: list[Arrow] = []
    for claim in claims if watch is None else watch(claims, len(claims), "relations"):
        arrow = _decided(claim, max_n, systems)
        found.append(arrow)
        if any(answer.stopped == "interrupt" for answer in (*arrow.answers, *arrow.instead)):
            break
    return tuple(found)


def _decided(claim: Relation, max_n: int, systems: SharedSystems) -> Arrow:
    assert claim.kind is not None
    labels = claim.first.grammar == LINK_GRAMMAR
    most = min(max_n, EFFORTS.linkage_words) if labels else max_n
    answers = decide_claim(claim, most, systems=systems)
    instead: tuple[Answer, ...] = ()
    if any(answer.holds is False for answer in answers) and claim.kind not in CHAINS and not labels:
        instead = tuple(discover(claim.first, claim.second, most, systems=systems))
    first, second = reference_of(claim.first), reference_of(claim.second)
    return Arrow(claim.name, first, second, claim.kind, claim.reference, answers, instead)


def graph_of(arrows: Sequence[Arrow]) -> nx.MultiDiGraph[str]:
    """Return the graph: schemata as nodes, arrows as edges with `label` and `holds`; chains are left out."""
    import networkx as nx

    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    for arrow in arrows:
        if not arrow.is_chain:
            label = ABBREVIATIONS[arrow.kind]
            graph.add_edge(arrow.first, arrow.second, label=label, holds=arrow.holds, kind=arrow.kind)
    return graph


def levels_of(graph: nx.MultiDiGraph[str]) -> dict[str, int]:
    """Return how high each schema stands: generalisations lead upwards, filters and contractions downwards."""
    import networkx as nx

    upwards: nx.DiGraph[str] = nx.DiGraph()
    upwards.add_nodes_from(graph)
    for first, second, data in graph.edges(data=True):
        upwards.add_edge(*((first, second) if data["kind"] in CHAINS["generalisation"] else (second, first)))
    condensed = nx.condensation(upwards)
    height: dict[int, int] = {}
    for group in nx.topological_sort(condensed):
        height[group] = max((height[below] + 1 for below in condensed.predecessors(group)), default=0)
    # A schema that only reaches upwards stands right below what it reaches.
    for group in reversed(list(nx.topological_sort(condensed))):
        above = [height[other] for other in condensed.successors(group)]
        if above and not list(condensed.predecessors(group)):
            height[group] = min(above) - 1
    return {name: height[group] for group in condensed for name in condensed.nodes[group]["members"]}
