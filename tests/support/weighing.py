"""Structures as plain values, and what they weigh: a chart's against those of the naive reading."""

import math
import random
import warnings
from itertools import pairwise
from typing import Any

import numpy as np

from schemata import ArcScores
from schemata.engine.chart import Chart
from schemata.engine.weighing import Weighing
from schemata.engine.weighted_graph import WeightedGraph
from schemata.errors import AmbiguityWarning, UsageError
from schemata.forest.derivations import Derivation
from schemata.forest.structures import builds_nothing
from schemata.structures import DependencyTree
from schemata.structures.constituents import Alignment, Constituent, ConstituentTree
from schemata.structures.graphs import DependencyGraph
from schemata.weights.fold import EndlessSumError
from schemata.weights.scores import Weights
from tests.oracle import naive, sums
from tests.oracle.trees import is_tree

MOST = 400  # structures of a chart whose weights are compared
REFUSED = ("weights-of-context", "unknown-roots")  # what the package does not weigh, and says so
Matrix = list[list[float]]


# Structures as plain values -------------------------------------------------------------------------------------


def comparable(structure: Any) -> Any:
    """Return a structure as plain values."""
    match structure:
        case ConstituentTree(nodes):
            return tuple(map(comparable, nodes))
        case Constituent(category, spans, children):
            return category, spans, tuple(map(comparable, children))
        case Alignment(pairs):
            return frozenset(("align", *pair) for pair in pairs)
        case DependencyGraph():
            return frozenset(map(tuple, structure.to_json()))
        case DependencyTree(heads, labels):
            some = labels or [""] * len(heads)
            pairs = enumerate(zip(heads, some, strict=True), start=1)
            return heads, frozenset((d, h, label) for d, (h, label) in pairs if label)
    return frozenset(structure.atoms)


def as_listed(chart: Chart, state: Any) -> Any:
    """Return what a derivation has built as `comparable` does; None where it is not a structure."""
    structure = chart.schema.structure
    if structure == "constituent tree":
        return state if words_once(state) else None
    if structure == "dependency tree":
        links = frozenset(x[1:] if x[0] == "edge" else x for x in state)
        heads = heads_of_links(links, chart.n)
        return None if heads is None else (heads, frozenset(x for x in links if len(x) > 2))
    atoms = {x if isinstance(x[0], str) else ("edge", *x) for x in state}
    if structure != "dependency graph":
        return frozenset(atoms)
    links = {atom[1:] for atom in atoms}
    if not all(1 <= d <= chart.n and 0 <= h <= chart.n for d, h, *_ in links):
        return None
    return frozenset(links - {link[:2] for link in links if len(link) > 2})


def words_once(row: Any) -> bool:
    """Whether no word is in two constituents of a row, and what is below a constituent has words of it alone."""

    def words(spans: Any) -> list[int]:
        return [word for low, high in spans for word in range(low, high + 1)]

    covered = [word for _, spans, _ in row for word in words(spans)]
    apart = len(covered) == len(set(covered))
    inside = all({w for _, s, _ in below for w in words(s)} <= set(words(spans)) for _, spans, below in row)
    return apart and inside and all(words_once(below) for _, _, below in row)


def heads_of_links(links: Any, n: int) -> tuple[int, ...] | None:
    """Return links as heads if they are a tree; one word may be without a head if none hangs under 0."""
    heads = {link[0]: link[1] for link in links}
    inside = all(1 <= d <= n and h is not None and 0 <= h <= n for d, h in heads.items())
    if len(heads) < len(links) or not inside:
        return None
    roots = n - len(heads)
    if roots > 1 or (roots and 0 in heads.values()):
        return None
    vector = tuple(heads.get(d, 0) for d in range(1, n + 1))
    return vector if is_tree(vector) else None


# Weights --------------------------------------------------------------------------------------------------------


def weights_against(truth: naive.NaiveChart, chart: Chart) -> list[str]:
    """Return in what totals and best structures differ from those of a naive chart.

    Links have random scores, links to 0 none in one of two rounds: the other asks for the roots of items.
    """
    found: list[str] = []
    scored = chart.schema.builds_links
    for of_roots in (False, True) if scored else (False,):
        matrix = scores(chart.n, of_roots)
        arcs = ArcScores(np.array(matrix)) if scored else None
        weighing = Weighing(WeightedGraph(chart, Weights(arcs)), chart.claims)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", AmbiguityWarning)
                found += _compared(truth, chart, weighing, matrix, of_roots)
        except EndlessSumError:
            if not any(case.head_links for case in chart.schema.cases):  # their items have several heads here
                raise
        except UsageError as refusal:
            if refusal.diagnostics[0].code not in REFUSED:
                raise
    return found


def scores(n: int, of_roots: bool) -> Matrix:
    """Return the scores of links, [head][dependent], in log space."""
    rng = random.Random(n)
    return [[rng.gauss(0, 1) if h or of_roots else 0.0 for _ in range(n + 1)] for h in range(n + 1)]


def _compared(
    truth: naive.NaiveChart, chart: Chart, weighing: Weighing, matrix: Matrix, of_roots: bool
) -> list[str]:
    schema, n = chart.schema, chart.n
    headed = any(case.head_links for case in schema.cases)

    def score(link: Any) -> float:
        ends = link[1:3] if link[0] == "edge" else link
        if not schema.builds_links or isinstance(ends[0], str) or len(ends) != 2:
            return 0.0
        d, h = ends
        return matrix[h][d] if h is not None and 1 <= d <= n and 0 <= h <= n else 0.0

    graph = sums.weighed(truth, not schema.builds_links, lambda edge: sum(map(score, edge.links)))
    greatest = sums.greatest(graph)
    found: list[str] = []
    if not headed and not of_roots:  # derivations of no tree are left out of sums over heads
        found += _totals(weighing, sums.sums(graph), greatest)
    if greatest == "infinite":
        return found if headed else found + _refused("best", weighing.best)
    if builds_nothing(schema):
        best = weighing.best()
        ours = -math.inf if best is None else best.weight
        return found if _near(ours, greatest) else [*found, f"best: {ours}, not {greatest}"]
    if not schema.atom_names:  # constituents of items
        return found
    return found + _structures(truth, chart, weighing, graph, matrix, score if headed else None)


def _totals(weighing: Weighing, total: Any, greatest: Any) -> list[str]:
    found: list[str] = []
    if total == "infinite":
        found += _refused("the total real", lambda: weighing.total("real"))
        found += _refused("the total log", lambda: weighing.total("log"))
    elif total is not None and 1e-250 < total < 1e250:
        for name, ours, theirs in (
            ("real", weighing.total("real"), total),
            ("log", weighing.total("log"), math.log(total)),
        ):
            if not _near(ours, theirs):
                found.append(f"total {name}: {ours}, not {theirs}")
    elif total == 0.0 and (weighing.total("real"), weighing.total("log")) != (0.0, -math.inf):
        found.append(f"total: {weighing.total('real')}, not 0")
    if greatest == "infinite":
        return found + _refused("the total viterbi", lambda: weighing.total("viterbi"))
    ours = weighing.total("viterbi")
    return found if _near(ours, greatest) else [*found, f"total viterbi: {ours}, not {greatest}"]


def _refused(what: str, ask: Any) -> list[str]:
    """Return that something is no error which has no answer."""
    try:
        return [f"{what}: {ask()}, which is infinite"]
    except EndlessSumError:
        return []
    except UsageError as refusal:
        return [] if refusal.diagnostics[0].code in (*REFUSED, "too-large") else [f"{what}: {refusal}"]


def _structures(
    truth: naive.NaiveChart, chart: Chart, weighing: Weighing, graph: Any, matrix: Matrix, score: Any
) -> list[str]:
    """Return in what the weights of structures differ, and in what order they come."""
    states = sums.best(truth, graph, score)
    if states is None or len(states) > MOST:
        return []
    theirs: dict[Any, float] = {}
    for state, weight in states.items():
        structure = None if None in state else as_listed(chart, state)
        if structure is None:
            continue
        if chart.schema.structure == "dependency tree":
            ends = {(x[1:] if x[0] == "edge" else x)[:2] for x in state}
            root = next((d for d, h in enumerate(structure[0], start=1) if h == 0 and (d, 0) not in ends), 0)
            of_root = matrix[0][root] if root else 0.0
            theirs[structure] = max(weight + of_root, theirs.get(structure, -math.inf))
        else:
            theirs[structure] = max(weight, theirs.get(structure, -math.inf))
    found = weighing.k_best(len(theirs) + 1)
    if any(isinstance(one.structure, Derivation) for one in found):
        return [f"derivations in place of structures: {found[0]}"]
    ours = {comparable(one.structure): one.weight for one in found}
    problems: list[str] = []
    if ours.keys() != theirs.keys() or len(ours) != len(found):
        extra, missing = sorted(map(str, ours.keys() - theirs)), sorted(map(str, theirs.keys() - ours))
        problems.append(f"best structures: {len(found)}, too many {extra[:2]}, missing {missing[:2]}")
    else:
        wrong = [(x, ours[x], theirs[x]) for x in ours if not _near(ours[x], theirs[x])]
        problems += [f"weight of {x}: {one}, not {other}" for x, one, other in wrong[:2]]
    weights = [one.weight for one in found]
    if any(one < other - 1e-9 for one, other in pairwise(weights)):
        problems.append(f"best structures out of order: {weights}")
    best = weighing.best()
    if (best is None) != (not theirs) or (best and not _near(best.weight, max(theirs.values()))):
        problems.append(f"best: {best}, not {max(theirs.values(), default=None)}")
    elif best and not _near(theirs.get(comparable(best.structure), math.nan), best.weight):
        problems.append(f"best: {best}, which weighs {theirs.get(comparable(best.structure))}")
    return problems


def _near(one: float, other: float) -> bool:
    return one == other or math.isclose(one, other, rel_tol=1e-8, abs_tol=1e-8)
