"""Comparisons as comma-separated values: one line per row, unknown figures empty."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from schemata.analysis.compare import Comparison, Figures

__all__ = ["comparison_csv"]

_PLAIN = (
    "label",
    "schema",
    "n",
    "sentences",
    "words",
    "accepted_sentences",
    "items",
    "useful_items",
    "steps",
    "derivations",
    "distinct_trees",
    "distinct_linkages",
    "seconds",
    "stopped",
)


def comparison_csv(
    comparison: Comparison, *, in_total: bool = False, seconds: bool = True, detail: bool = False
) -> str:
    """Return a comparison as CSV.

    Parameters
    ----------
    comparison : the comparison.
    in_total : the sums over all sentences instead of a line for each.
    seconds : include the times.
    detail : a column for every item form (``items:span``) and every step (``steps:Link``) as well.
    """
    rows = comparison.totals if in_total else comparison.rows
    left_out = {"distinct_trees", "distinct_linkages"} - {f"distinct_{row.structures}" for row in rows}
    if not rows:
        left_out.discard("distinct_trees")
    if not seconds:
        left_out.add("seconds")
    columns = [name for name in _PLAIN if name not in left_out]
    if detail:
        columns += dict.fromkeys(name for row in rows for name in _details(row))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({**row.to_json(), **_details(row)})
    return text.getvalue()


def _details(row: Figures) -> dict[str, Any]:
    return {
        **{f"items:{name}": count for name, count in row.items_by_form},
        **{f"steps:{name}": count for name, count in row.steps_by_name},
    }
