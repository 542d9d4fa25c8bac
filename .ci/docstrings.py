"""Docstrings as Markdown, for the site's page about the Python interface: an extension of griffe, which reads them."""

from __future__ import annotations

import re

import griffe


class Docstrings(griffe.Extension):
    """Makes Markdown of docstrings: sections become lists of names with their meanings, examples become code."""

    def on_object(self, *, obj: griffe.Object, **_: object) -> None:
        """Rewrite the docstring of an object that griffe has read."""
        if obj.docstring is not None:
            obj.docstring.value = markdown_of(obj.docstring.value)


def markdown_of(docstring: str) -> str:
    """Return a docstring as Markdown."""
    lines: list[str] = []
    for paragraph in docstring.split("\n\n"):
        rows = paragraph.split("\n")
        if rows[0].startswith(">>>"):
            rows = ["```python", *rows, "```"]
        elif len(rows) > 1 and re.fullmatch("-{3,}", rows[1]):
            rows = [f"**{rows[0]}**", "", *(re.sub(r"^([\w, ]+) : ", _entry, row) for row in rows[2:])]
        lines += [*rows, ""]
    return "\n".join(lines).rstrip()


def _entry(found: re.Match[str]) -> str:
    return "- " + ", ".join(f"`{name.strip()}`" for name in found[1].split(",")) + ": "
