"""Runs a schema with one engine, or with native kernels of one kind, within a small budget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from schemata import ParsingSchema
from schemata.engine.budget import Budget, BudgetExceeded
from schemata.engine.chart import Chart
from schemata.engine.choice import BackPointers
from schemata.engine.native.engine import NativeEngine
from schemata.errors import UsageError
from schemata.grammars import DRules
from schemata.program.lower import lower
from schemata.program.model import NotLowerable, Program
from schemata.structures import Sentence
from tests.oracle import naive

__all__ = [
    "KERNELS",
    "Refused",
    "TooLarge",
    "TooLong",
    "has_order",
    "is_lowerable",
    "kernels",
    "run",
    "start",
]

STEPS = 3_000  # step instances of a chart that is compared
SECONDS = 10
OVER = {
    "steps": f"more than {STEPS:,} step instances",
    "seconds": f"more than {SECONDS} s",
    "memory": "lists that grow without end",
    "interrupt": "interrupted",
}
KERNELS = {  # native kernels of one kind, compiled or with every index checked
    "agenda": ("agenda", False),
    "ordered": ("ordered", False),
    "checked-agenda": ("agenda", True),
    "checked-ordered": ("ordered", True),
}
_programs: dict[ParsingSchema, Program | NotLowerable] = {}
_engines: dict[Any, NativeEngine | NotLowerable] = {}


class TooLarge(Exception):
    """The schema derives more than is worth comparing, or has no end; the text says in a few words why."""


class TooLong(TooLarge):
    """Some engine, or the proof of an order, takes long: nothing is known then about the others."""


class Refused(Exception):
    """The engine does not run this schema; another one does."""


def run(schema: ParsingSchema, n: int, links: naive.Grammar, engine: str) -> Chart:
    """Run a schema on n words under licensed links with an engine.

    Raises
    ------
    TooLarge : the run exceeds the budget.
    Refused : the engine does not run this schema.
    """
    try:
        return start(schema, n, links, engine, Budget(steps=STEPS, seconds=SECONDS))
    except BudgetExceeded as over:
        kind = TooLong if over.reason == "seconds" else TooLarge
        raise kind(OVER[over.reason]) from None


def start(
    schema: ParsingSchema,
    n: int,
    links: naive.Grammar,
    engine: str,
    budget: Budget,
    back_pointers: BackPointers = "implicit",
) -> Chart:
    """Run a schema within a budget.

    Raises
    ------
    BudgetExceeded : the run exceeds the budget; carries the partial chart.
    Refused : the engine does not run this schema.
    """
    grammar, sentence = DRules.from_pairs(links), Sentence(("w",) * n)
    if engine not in KERNELS:
        try:
            return schema.run(sentence, grammar, budget=budget, engine=engine)
        except UsageError as refusal:
            raise Refused(str(refusal)) from None
    found = kernels(schema, engine)
    if isinstance(found, NotLowerable):
        raise Refused(str(found))
    chart = found.run(schema.kernel, sentence, grammar.for_sentence(sentence), budget, back_pointers)
    if chart is None:
        raise Refused(f"{engine} kernels do not fit")
    return chart


def kernels(schema: ParsingSchema, engine: str) -> NativeEngine | NotLowerable:
    """Return the native engine with kernels of one kind, or why there is none; what was used last is kept."""
    key = schema, engine
    if key not in _engines:
        if len(_engines) > 50:
            _engines.clear()
            _programs.clear()
        kind, checked = KERNELS[engine]
        try:
            if schema not in _programs:
                _programs[schema] = lower(schema.definition)
            program = _programs[schema]
            _engines[key] = (
                program if isinstance(program, NotLowerable) else NativeEngine(program, checked, kind)
            )
        except NotLowerable as refusal:
            _engines[key] = _programs[schema] = refusal
    return _engines[key]


def is_lowerable(schema: ParsingSchema, engines: Sequence[str]) -> bool:
    """Whether some of the engines' native kernels run a schema."""
    return any(e in KERNELS and isinstance(kernels(schema, e), NativeEngine) for e in engines)


def has_order(schema: ParsingSchema, engines: Sequence[str]) -> bool:
    """Whether an order was proved for a schema, where some of the engines need one."""
    found = [kernels(schema, e) for e in engines if e in KERNELS and KERNELS[e][0] == "ordered"]
    return any(isinstance(x, NativeEngine) and x.ordered is not None for x in found)
