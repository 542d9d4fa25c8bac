"""Which engine ran a sentence, and what its kernel does: the loops of a proved order, or the agenda."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from schemata.engine.chart import Chart
    from schemata.ordered.store import OrderedTables

__all__ = ["EngineProfile", "NativeRule", "engine_profile"]


@dataclass(frozen=True, slots=True)
class NativeRule:
    """A rule of an ordered kernel: a case of a step for one choice of flags, absent values and lengths.

    Attributes
    ----------
    step, note : the step's name, and the choice.
    instances : step instances found.
    around : the loops over consequents, in words, the outermost first.
    inside : the loops over what the consequent leaves open.
    looks_up : the antecedents looked up in tables.
    tests : what else is tested.
    """

    step: str
    note: str
    instances: int
    around: tuple[str, ...]
    inside: tuple[str, ...]
    looks_up: tuple[str, ...]
    tests: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the rule as JSON."""
        return {
            "step": self.step,
            "note": self.note or None,
            "instances": self.instances,
            "around": list(self.around),
            "inside": list(self.inside),
            "looks_up": list(self.looks_up),
            "tests": list(self.tests),
        }


@dataclass(frozen=True, slots=True)
class EngineProfile:
    """The engine of a run.

    Attributes
    ----------
    engine : "python" or "native".
    kernel : "ordered" or "agenda".
    about : what the kernel does, in a sentence.
    rules : of an ordered kernel, in the order in which they run within a level.
    """

    engine: str
    kernel: str
    about: str
    rules: tuple[NativeRule, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the engine as JSON."""
        return {
            "name": self.engine,
            "kernel": self.kernel,
            "about": self.about,
            "rules": [rule.to_json() for rule in self.rules],
        }


def engine_profile(chart: Chart) -> EngineProfile:
    """Return what the engine did that derived a chart.

    Instances of an ordered kernel's rules are those that the kernel counted.
    """
    if chart.engine == "python":
        return EngineProfile(
            "python", "agenda", "items are taken from an agenda one by one; partners are looked up in indexes"
        )
    from schemata.kernels.store import NativeRaw
    from schemata.ordered.store import OrderedStore

    raw = chart.raw
    assert isinstance(raw, NativeRaw)
    if not isinstance(raw.store, OrderedStore):
        return EngineProfile(
            "native",
            "agenda",
            "items are taken from an agenda one by one; partners are looked up by the same plans as below",
        )
    tables = raw.store.tables
    order = tables.kernel.order
    strata = f", in {order.strata} strata within a level" if order.strata > 1 else ""
    about = (
        f"items are completed level by level in a proved order{strata}; antecedents are looked up in tables"
    )
    return EngineProfile("native", "ordered", about, _rules(tables))


def _rules(tables: OrderedTables) -> tuple[NativeRule, ...]:
    from schemata.ordered.explain import explain_loops

    program = tables.kernel.program
    cases = program.schema.cases
    found = []
    for loops in explain_loops(tables.kernel.order):
        rule = program.rules[loops.rule]
        case = cases[rule.case]
        note = ", ".join(text for text in (case.label, rule.note) if text)
        instances = int(tables.counted[loops.number])
        found.append(
            NativeRule(case.step, note, instances, loops.around, loops.inside, loops.looks_up, loops.tests)
        )
    return tuple(found)
