"""Counterexamples with their evidence: how an unsound structure is derived, how far a missing tree gets."""

from __future__ import annotations

from schemata.analysis.built_structures import derivation_of, derive_structures
from schemata.analysis.grammars_under_test import GrammarUnderTest, LinkGrammar, TreeRules
from schemata.analysis.verdict import Incomplete, Links, Piece, Unsound
from schemata.analysis.verify_runs import Offence, Subject, run_under
from schemata.engine.chart import Chart

__all__ = ["explain_incomplete", "explain_unsound", "tree_grammar_of"]

_PIECES = 10  # how many of the derivable items are kept


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
    built = {link for instance in chart.instances() for link in instance.links}
    pieces = _maximal_pieces(chart)
    built |= {link for piece in pieces for link in piece.links}
    missing = tuple(
        (d, h) for d, h in enumerate(heads, start=1) if (d, h) not in built and (h or subject.root_node)
    )
    return Incomplete(heads, grammar, chart.accepted, pieces, missing)


def _maximal_pieces(chart: Chart) -> tuple[Piece, ...]:
    """Return the items that are an antecedent of no step instance, the largest first."""
    used = {x for instance in chart.instances() for x in instance.antecedents}
    ends = [x for x in chart.derived_ids if x not in used]
    pieces = [Piece(str(chart.item(x)), _first_links(chart, x)) for x in ends]
    return tuple(sorted(pieces, key=lambda piece: -len(piece.links))[:_PIECES])


def _first_links(chart: Chart, item: int) -> Links:
    """Return the links of the smallest structure of an item's."""
    finals = frozenset((item,))
    alone = Chart(chart.schema, chart.sentence, chart.grammar, chart.raw, finals, chart.seconds)
    structures = derive_structures(alone, True, 100_000) or []
    return min((s.links for s in structures), default=())
