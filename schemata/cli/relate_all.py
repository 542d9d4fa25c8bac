"""The map of the field: what `schemata relate --all` prints or writes."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

from schemata.analysis.relations.bench import Workbench
from schemata.cli.options import print_json
from schemata.errors import UsageError

__all__ = ["run_all"]


def run_all(arguments: argparse.Namespace, bench: Workbench) -> int:
    """Decide all shipped relations; 0 if all hold, 1 if one does not, 2 and 130 as elsewhere."""
    from schemata.analysis.relations.field import field_map
    from schemata.cli.files import check_writable, write_text
    from schemata.display.field import field_dot, field_text
    from schemata.display.field_svg import field_svg
    from schemata.display.terminal import terminal_width

    if arguments.names or arguments.kind or arguments.map:
        raise UsageError("--all takes no schemata, kinds or maps")
    if arguments.json and arguments.format != "text":
        raise UsageError("--json and --format exclude each other")
    if arguments.output:
        check_writable(arguments.output)
    arrows = field_map(arguments.max_n, bench=bench, watch=_watch)
    if arguments.json:
        print_json({"max_n": arguments.max_n, "relations": [arrow.to_json() for arrow in arrows]})
    else:
        match arguments.format:
            case "dot":
                text = field_dot(arrows)
            case "svg":
                text = field_svg(arrows)
            case _:
                text = field_text(arrows, width=terminal_width()) + "\n"
        if arguments.output:
            print(f"wrote {write_text(arguments.output, text)}")
        else:
            print(text, end="")
    verdicts = [answer for arrow in arrows for answer in arrow.answers]
    if any(answer.stopped == "interrupt" for answer in verdicts):
        return 130
    if any(answer.holds is False for answer in verdicts):
        return 1
    return 2 if any(answer.holds is None for answer in verdicts) else 0


def _watch(items: Iterable[Any], total: int, description: str) -> Iterable[Any]:
    from schemata.display.terminal import progress

    return progress(items, total, description)
