"""schemata: a workbench for parsing algorithms.

A parsing schema is a page of inference rules that defines which items a parsing algorithm derives. `load` reads one,
`ParsingSchema.run` runs it on a sentence, and the chart it returns has the items, the step instances, the derivations
and the trees they build:

    >>> import schemata
    >>> chart = schemata.load("eisner1996").run("the cat sat")
    >>> chart
    <Chart of eisner1996, 3 words: 15 items, 25 steps, accepted>
    >>> [tree.heads for tree in chart.forest().trees(limit=2)]
    [(0, 0, 0), (0, 0, 2)]
    >>> chart.explain("span[1, 3, true, false]")
    <Proof of span[1, 3, true, false]: 5 step instances>

`verify`, `prove`, `relate`, `compare`, `explain`, `why_not` and `profile` answer questions about schemata, as commands
do: printed, an answer is the command's text; its `to_json()` is what `--json` prints. A grammar is an
object (`DRules.all()`) or what `--grammar` takes ("heads:2,3,0", "example", a file).
"""

from __future__ import annotations

import sys

if sys.argv[:1] == ["-m"]:  # `python -m schemata` looks for its module; Ctrl-C meanwhile is not a traceback
    sys.excepthook = lambda kind, *more: (
        None if kind is KeyboardInterrupt else sys.__excepthook__(kind, *more)
    )

from typing import TYPE_CHECKING

from schemata.quick_start import lazy_names
from schemata.records import answer_with
from schemata.version import __version__ as __version__

if TYPE_CHECKING:
    from schemata.analysis.compare import compare
    from schemata.analysis.explain import NotDerivableError
    from schemata.analysis.paths import run_paths
    from schemata.analysis.profile import profile
    from schemata.budget import Budget
    from schemata.constraints.answers import satisfy
    from schemata.correctness.answers import prove
    from schemata.engine.chart import Chart
    from schemata.engine.control import Control
    from schemata.engine.exceeded import BudgetExceeded, Interrupted
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
    from schemata.from_text import grammar, schema
    from schemata.grammars import Constraints, ContextFreeGrammar, DependencyRules, DRules, Facts, LinkGrammar
    from schemata.interface import check, complexity, coverage, exercise, explain, oracle, why_not
    from schemata.learning.accuracy import accuracy
    from schemata.learning.evaluation import evaluate
    from schemata.learning.model import parse
    from schemata.learning.training import train
    from schemata.relations.discovery import relate
    from schemata.structures import DependencyTree, Sentence
    from schemata.structures.word_graphs import WordGraph
    from schemata.verification.answers import verify
    from schemata.verification.masks import compare_masks
    from schemata.verification.prefixes import next_words, verify_prefixes
    from schemata.weights.features import Features
    from schemata.weights.scores import ArcScores, Weights
    from schemata.weights.semiring import Semiring
    from schemata.weights.tensors import StepTensor
    from schemata.workbench import ParsingSchema, decoder, load

__all__ = [
    "ArcScores", "Budget", "BudgetError", "BudgetExceeded", "Chart", "Constraints", "ContextFreeGrammar",
    "Control", "DRules", "DependencyRules", "DependencyTree", "Diagnostic", "Facts", "Features", "GrammarError",
    "Interrupted", "LinkGrammar", "NotDerivableError", "ParsingSchema", "SchemaError", "SchemataError",
    "Semiring", "Sentence", "StepTensor", "StructureError", "TreebankError", "UsageError", "Weights",
    "WordGraph", "accuracy", "check", "compare", "compare_masks", "complexity", "coverage", "decoder", "evaluate",
    "exercise", "explain", "grammar", "load", "next_words", "oracle", "parse", "profile", "prove", "relate",
    "run_paths", "satisfy", "schema", "train", "verify", "verify_prefixes", "why_not",
]  # fmt: skip


answer_with(
    {
        "schemata.analysis.contents": "contents",
        "schemata.analysis.explain": "explain trace",
        "schemata.analysis.figures": "run_result",
        "schemata.analysis.profile": "profile",
        "schemata.analysis.why_not": "why_not",
        "schemata.display.saved": "saved",
        "schemata.display.shown": "data_frame html_of picture_of plain_text svg_of text_of",
        "schemata.forest.derivations": "list_derivations",
        "schemata.forest.structures": "count_structures list_structures",
        "schemata.grammars.constraint_files": "parse_constraints write_constraints",
        "schemata.grammars.constraint_networks": "facts_of",
        "schemata.grammars.rule_files": "parse_context_free parse_d_rules parse_dependency_rules",
        "schemata.engine.control": "chart_prefix_scores",
        "schemata.engine.weighing": "weighing_of",
        "schemata.relations.discovery": "relate",
        "schemata.verification.answers": "verify",
        "schemata.verification.claims": "claim_of",
    }
)

__getattr__ = lazy_names(
    __name__,
    {
        "analysis.compare": "compare",
        "analysis.explain": "NotDerivableError",
        "analysis.paths": "run_paths",
        "analysis.profile": "profile",
        "budget": "Budget",
        "correctness.answers": "prove",
        "engine.chart": "Chart",
        "engine.control": "Control",
        "engine.exceeded": "BudgetExceeded Interrupted",
        "errors": "BudgetError Diagnostic GrammarError SchemaError SchemataError StructureError TreebankError "
        "UsageError",
        "constraints.answers": "satisfy",
        "from_text": "grammar schema",
        "grammars": "Constraints ContextFreeGrammar DependencyRules DRules Facts LinkGrammar",
        "learning.accuracy": "accuracy",
        "learning.evaluation": "evaluate",
        "interface": "check complexity coverage exercise explain list load_ipython_extension oracle why_not",
        "learning.model": "parse",
        "learning.training": "train",
        "relations.discovery": "relate",
        "structures": "DependencyTree Sentence",
        "structures.word_graphs": "WordGraph",
        "verification.answers": "verify",
        "verification.masks": "compare_masks",
        "verification.prefixes": "next_words verify_prefixes",
        "weights.features": "Features",
        "weights.scores": "ArcScores Weights",
        "weights.semiring": "Semiring",
        "weights.tensors": "StepTensor",
        "workbench": "ParsingSchema decoder load",
    },
    {
        "run": "schemata.load(NAME).run(SENTENCE, GRAMMAR)",
        "parse": "schemata.load(NAME).run(SENTENCE, GRAMMAR).forest().trees()",
        "show": "schemata.load(NAME) shows its rules in notebooks; save(FILE.txt) or .tex writes them",
        **dict.fromkeys(
            ("chart", "Forest", "forest"), "schemata.load(NAME).run(SENTENCE, GRAMMAR), and its forest()"
        ),
        "Schema": "schemata.load(NAME), or the type ParsingSchema",
        "Grammar": "DRules, ContextFreeGrammar, DependencyRules, LinkGrammar or Facts",
    },
)[0]


def __dir__() -> list[str]:
    return [*__all__, "list"]  # which would hide Python's own where all names are imported
