"""Counterexamples with their evidence: how an unsound structure is derived, how far a missing tree gets."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import TypeAlias

from schemata.analysis.built_structures import derivation_of, derive_structures
from schemata.analysis.grammars_under_test import GrammarUnderTest, LinkGrammar, TreeRules
from schemata.analysis.reasons import WhyNot
from schemata.analysis.verdict import Incomplete, Links, Piece, Unsound
from schemata.analysis.verify_runs import Offence, Subject, run_under
from schemata.analysis.why_not import why_not
from schemata.engine.chart import Chart
from schemata.errors import SchemataError

__all__ = ["explain_incomplete", "explain_unsound", "tree_grammar_of"]

_PIECES = 10  # how many of the derivable items are kept
_CANDIDATES = 600  # how many structures are paired

Link: TypeAlias = tuple[int, int]


def tree_grammar_of(subject: Subject, heads: tuple[int, ...]) -> GrammarUnderTest:
    """Return the grammar of exactly one tree, of the kind the schema runs over."""
    return LinkGrammar.of_tree(heads) if subject.kernel.schema.grammar == "d-rules" else TreeRules(heads)


def explain_unsound(subject: Subject, offence: Offence) -> Unsound:
    """Return an unsound structure with a derivation of it.

    Raises
    ------
    BudgetExceeded : the run that found it hits a limit now.
    """
    chart = run_under(subject, offence.grammar)
    structure = offence.structure
    steps = derivation_of(chart, structure, subject.root_node)
    return Unsound(offence.grammar, structure.links, structure.heads, offence.fault, steps)


def explain_incomplete(subject: Subject, heads: tuple[int, ...]) -> Incomplete:
    """Return a tree that is not derived under its own grammar, with what is derived.

    Raises
    ------
    BudgetExceeded : the run hits a limit.
    """
    grammar = tree_grammar_of(subject, heads)
    chart = run_under(subject, grammar)
    wanted = frozenset((d, h) for d, h in enumerate(heads, start=1) if h or subject.root_node)
    pieces = {x: _structures(chart, x) for x in chart.derived_ids}
    used = {x for instance in chart.instances() for x in instance.antecedents}
    ends = [Piece(str(chart.item(x)), min(pieces[x], default=())) for x in pieces if x not in used]
    ends.sort(key=lambda piece: -len(piece.links))
    built = {link for instance in chart.instances() for link in instance.links}
    built |= {link for found in pieces.values() for links in found for link in links}
    missing = tuple(sorted(wanted - built))
    return Incomplete(
        heads,
        grammar,
        chart.accepted,
        tuple(ends[:_PIECES]),
        missing,
        () if missing else _nearest(chart, pieces, wanted),
        _reasons(chart),
    )


def _structures(chart: Chart, item: int) -> list[Links]:
    """Return the sets of links that an item's derivations have built."""
    finals = frozenset((item,))
    alone = Chart(chart.schema, chart.sentence, chart.grammar, chart.raw, finals, chart.seconds)
    return sorted(s.links for s in derive_structures(alone, True, 10_000) or [])


def _nearest(chart: Chart, pieces: Mapping[int, list[Links]], wanted: frozenset[Link]) -> tuple[Piece, ...]:
    """Return two items whose structures, without a link in common, hold as much of a tree as any two do."""
    candidates: dict[Links, int] = {}
    for item, found in pieces.items():
        for links in found:
            if links and wanted.issuperset(links):
                candidates.setdefault(links, item)
    best: tuple[int, int] = (0, 0)
    chosen: tuple[Piece, ...] = ()
    for one, other in combinations(sorted(candidates)[:_CANDIDATES], 2):
        if not set(one) & set(other):
            # Of the pairs that hold as much, the most even one shows best what was not put together.
            score = len(one) + len(other), min(len(one), len(other))
            if score > best:
                best = score
                chosen = tuple(Piece(str(chart.item(candidates[k])), k) for k in (one, other))
    return chosen


def _reasons(chart: Chart) -> WhyNot | None:
    """Return why no final item is derivable; not for rules, where the search may take seconds."""
    if chart.accepted or chart.schema.grammar != "d-rules":
        return None
    try:
        return why_not(chart)
    except SchemataError:
        return None
