"""schemata: a workbench for parsing algorithms.

A parsing schema is a page of inference rules that defines which items a parsing algorithm derives. `load` reads
one, `ParsingSchema.run` runs it on a sentence, and the chart it returns has the items, the step instances, the
derivations and the trees they build.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemata.errors import (
    BudgetError,
    Diagnostic,
    GrammarError,
    SchemaError,
    SchemataError,
    StructureError,
    TreebankError,
    UsageError,
)
from schemata.lazy_imports import lazy_names
from schemata.notebook_hooks import show_with
from schemata.structures import DependencyTree, Sentence

if TYPE_CHECKING:
    from schemata.budget import Budget, BudgetExceeded, Interrupted
    from schemata.engine.chart import Chart
    from schemata.grammars import ContextFreeGrammar, DependencyRules, DRules, LinkGrammar
    from schemata.weights.scores import ArcScores
    from schemata.weights.semiring import Semiring
    from schemata.workbench import ParsingSchema, load, relate

__version__ = "0.1.0"

__all__ = [
    "ArcScores", "Budget", "BudgetError", "BudgetExceeded", "Chart", "ContextFreeGrammar", "DRules", "DependencyRules",
    "DependencyTree", "Diagnostic", "GrammarError", "Interrupted", "LinkGrammar", "ParsingSchema",
    "SchemaError", "SchemataError", "Semiring", "Sentence", "StructureError", "TreebankError", "UsageError",
    "load", "relate",
]  # fmt: skip


def _html(value: object) -> str:
    from schemata.display.results import html_of

    return html_of(value)


def _svg(value: object) -> str:
    from schemata.display.results import svg_of

    return svg_of(value)


show_with(_html, _svg)

__getattr__, __dir__, _ = lazy_names(
    __name__,
    {
        "budget": "Budget BudgetExceeded Interrupted",
        "engine.chart": "Chart",
        "grammars": "ContextFreeGrammar DependencyRules DRules LinkGrammar",
        "weights.scores": "ArcScores",
        "weights.semiring": "Semiring",
        "workbench": "ParsingSchema load relate",
    },
)
