"""The exceptions that a run raises at a limit, with the partial chart."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from schemata.budget import HINTS, Budget, OverBudget, Reason, within
from schemata.errors import BudgetError, Diagnostic

if TYPE_CHECKING:
    from schemata.engine.chart import Chart


class BudgetExceeded(BudgetError):  # noqa: N818 - it says what happened, not that something is wrong
    """A run hit its budget. `chart` has the items derived until then; `reason` names the limit."""

    def __init__(self, reason: Reason, chart: Chart, message: str, hint: str | None = None) -> None:
        self.reason = reason
        self.chart = chart
        super().__init__(Diagnostic(f"budget-{reason}", message, hint=hint or HINTS[reason]))


class Interrupted(BudgetExceeded):
    """A run was interrupted by Ctrl-C. `chart` has the items derived until then."""


def stopped(budget: Budget, started: float, work: Callable[[], object]) -> Reason | None:
    """Do work within a budget (see `within`); returns the limit, or Ctrl-C, that stopped it; None if it finished."""
    try:
        within(budget, started, work)
    except KeyboardInterrupt:
        return "interrupt"
    except (OverBudget, BudgetExceeded) as over:
        return over.reason
    return None
