"""Small grammars for measuring schemata over rules and connectors: everything may hang under everything."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import schemata

__all__ = ["grammar_for"]

_RULES = """\
root A
A(*)
A(A *)
A(* A)
A(A * A)
w : A
"""
_CONTEXT_FREE = """\
start S
S -> S S | "w"
"""
_LINKS = "w: {@A-} & {@A+};\n"


def grammar_for(kind: str, folder: Path) -> Any:
    """Return a grammar of a kind in which every word is "w".

    Parameters
    ----------
    kind : "d-rules", "dependency-rules", "context-free" or "link-grammar".
    folder : where its file is written.
    """
    readers: dict[str, tuple[str, str, Callable[[Path], Any]]] = {
        "dependency-rules": ("small.deprules", _RULES, schemata.DependencyRules.read),
        "context-free": ("small.cfg", _CONTEXT_FREE, schemata.ContextFreeGrammar.read),
        "link-grammar": ("small.dict", _LINKS, schemata.LinkGrammar.read),
    }
    if kind == "d-rules":
        return schemata.DRules.all()
    name, text, read = readers[kind]
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read(path)
