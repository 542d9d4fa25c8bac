"""Writes the tables of docs/engine.md that list every threshold of the package: `python .ci/thresholds.py`."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from schemata import thresholds
from schemata.thresholds import Efforts, Refusals, Ways

PAGE = Path(__file__).parents[1] / "docs" / "engine.md"
HEADS = {Ways: "way", Efforts: "effort", Refusals: "refusal"}


def meanings(of: type) -> Iterator[tuple[str, str]]:
    """Yield the names of a class's thresholds, with the sentence below each."""
    tree = ast.parse(inspect.getsource(thresholds))
    (body,) = (node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == of.__name__)
    for field, below in zip(body[1::2], body[2::2], strict=True):
        match field, below:
            case ast.AnnAssign(target=ast.Name(name)), ast.Expr(value=ast.Constant(str(text))):
                yield name, text.rstrip(".")
            case _:
                raise TypeError(
                    f"line {field.lineno} of schemata/thresholds.py is no threshold with its meaning"
                )


def tables() -> str:
    """Return the tables."""
    parts = []
    for of, head in HEADS.items():
        rows = [f"| `{name}` | {_shown(getattr(of, name))} | {text} |" for name, text in meanings(of)]
        parts.append("\n".join([f"| {head} | value | what it counts |", "|---|---:|---|", *rows]))
    return "\n\n".join(parts)


def page() -> str:
    """Return docs/engine.md with the tables as they are now."""
    text = PAGE.read_text(encoding="utf-8")
    pattern = r"(<!-- thresholds -->\n).*?(\n<!-- end of thresholds -->)"
    return re.sub(pattern, lambda found: found[1] + tables() + found[2], text, count=1, flags=re.S)


def _shown(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) or value >= 0.001 else f"{value:g}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
