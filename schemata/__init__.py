"""schemata: a workbench for parsing algorithms.

A parsing schema is a page of inference rules that says what a parsing algorithm derives. `load` reads one,
`ParsingSchema.run` runs it on a sentence, and the chart that comes back knows its items, its step instances,
its derivations and the trees they build.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
from schemata.structures import DependencyTree, Sentence

if TYPE_CHECKING:
    from schemata.engine.budget import Budget, BudgetExceeded, Interrupted
    from schemata.engine.chart import Chart
    from schemata.grammars import DRules
    from schemata.workbench import ParsingSchema, load

__version__ = "0.1.0"

__all__ = [
    "Budget",
    "BudgetError",
    "BudgetExceeded",
    "Chart",
    "DRules",
    "DependencyTree",
    "Diagnostic",
    "GrammarError",
    "Interrupted",
    "ParsingSchema",
    "SchemaError",
    "SchemataError",
    "Sentence",
    "StructureError",
    "TreebankError",
    "UsageError",
    "load",
]

_LAZY = {
    "Budget": "schemata.engine.budget",
    "BudgetExceeded": "schemata.engine.budget",
    "Interrupted": "schemata.engine.budget",
    "Chart": "schemata.engine.chart",
    "DRules": "schemata.grammars",
    "ParsingSchema": "schemata.workbench",
    "load": "schemata.workbench",
}


def __getattr__(name: str) -> Any:
    """Import the heavier public names on first use, so that `import schemata` stays quick."""
    if name not in _LAZY:
        raise AttributeError(f"module 'schemata' has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(_LAZY[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
