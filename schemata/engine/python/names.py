"""The names that a schema's variables and item forms have in a generated kernel.

Schema text never reaches the generated code: what is not a plain word of Python, or is a word that kernels use
themselves, is renamed.
"""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Iterable, Mapping

from schemata.language import model as m

__all__ = ["Names", "form_names", "python_names"]

Names = Mapping[str, str]

# Names the generated kernels use themselves.
RESERVED = frozenset(
    [
        "n",
        "made",
        "x",
        "y",
        "z",
        "item",
        "items",
        "forms",
        "chart",
        "grammar",
        "licensed",
        "heads_of",
        "dependents_of",
        "category_pairs",
        "categories_above",
        "categories_below",
        "rules",
        "rules_of",
        "roots",
        "rows",
        "categories",
        "found",
        "range",
        "len",
        "max",
        "min",
        "sorted",
        "set",
        "kernel",
        "overflow",
        "all",
        "instance",
        "finals",
        "values",
        "written",
        "writing",
        "writings",
        "simpler",
        "reached",
        "waiting",
    ]
)


def python_names(variables: Iterable[str], taken: Iterable[str] = ()) -> dict[str, str]:
    """Return a Python name for every schema variable: the same word where that is safe.

    >>> python_names(["i", "h'", "x", "alpha", "π"])
    {'i': 'i', "h'": 'h__', 'x': 'x_', 'alpha': 'alpha', 'π': 'v'}
    """
    used = {*RESERVED, *taken}
    found: dict[str, str] = {}
    for variable in variables:
        if variable in found:
            continue
        ascii_text = unicodedata.normalize("NFKD", variable).encode("ascii", "ignore").decode()
        base = re.sub(r"\W", "_", ascii_text).lstrip("_0123456789") or "v"
        name = f"{base}_" if "_" in base else base  # the kernel's own names have inner underscores
        while name in used or keyword.iskeyword(name):
            name += "_"
        used.add(name)
        found[variable] = name
    return found


def form_names(schema: m.Schema) -> dict[str, str]:
    """Return a Python-safe name for every item form."""
    return python_names([f.name for f in schema.forms])
