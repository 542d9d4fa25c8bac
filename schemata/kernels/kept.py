"""The text of a kernel as a value; and kernels for CPython and texts for LLVM, kept in the user's cache folder.

To lower a schema, to write its kernel and to compile that for CPython takes longer than a run on a short sentence. A
file has all three: the program and the text as data (`cache.values_read`), the code as `marshal` writes it. This code
is trusted, as machine code is, as far as the folder is trusted. It records its sources: the checked schema, the version
of Python, and the modules that lower and write.
"""

from __future__ import annotations

import functools
import marshal
import sys
from collections.abc import Mapping
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, TypeAlias

from schemata.cache import keep_value, kept_value, state_of
from schemata.kernels import layout
from schemata.language import bounds
from schemata.language.library import VALUES
from schemata.program import facts, linear, matching, plan, queries
from schemata.program import model as program_model
from schemata.program.model import Program
from schemata.program.queries import Query
from schemata.records import Record

if TYPE_CHECKING:
    from schemata.kernels.measures import Probe
    from schemata.language import model as m

Queries: TypeAlias = dict[tuple[Query, tuple[int, ...], tuple[int, ...]], int]


class KernelText(Record):
    """The text of a kernel's module, with the sizes and tables that the driver allocates for it."""

    text: str
    source: str  # the same as it reads: with comments, names for constants, and without what all kernels call
    quantities: layout.Quantities
    words: int  # of an instance in the table of those met in a turn
    large: bool  # compiling it takes its time
    keys: Mapping[str, int]  # words of the keys of hash tables
    queries: Queries  # tables of answers, by what is bound and what is wanted
    tables: tuple[str, ...]  # the parameters that are arrays
    leaves: bool = False  # it notes how items are predicted
    probe: Probe | None = None  # measures the kernel


_KIND, _TEXTS = "kernels", "texts"  # folders in the user's cache folder
_PACKAGE = Path(__file__).parents[1]
_ROOMS = (
    "charts.py",
    "grammars",
    "grouping.py",
    "kernels",
    "language",
    "machine",
    "program",
    "structures",
    "thresholds.py",
)
_MODULES = (
    *VALUES,
    *(module.__name__ for module in (bounds, facts, layout, linear, matching, plan, queries, program_model)),
    __name__,
)


class KeptKernel(Record):
    """A schema's program, its kernel for CPython, and that kernel compiled."""

    program: Program
    text: KernelText
    code: CodeType


def kept_kernel(schema: m.Schema) -> KeptKernel | None:
    """Return the kernel that was kept of a schema; None if it must be written."""
    found = kept_value(_KIND, schema.name, _key(schema), _MODULES, schema)
    if found is None:
        return None
    program, text, code = found
    return KeptKernel(program, text, marshal.loads(code))


def keep_kernel(schema: m.Schema, kernel: KeptKernel) -> None:
    """Keep the kernel of a schema."""
    value = kernel.program, kernel.text, marshal.dumps(kernel.code)
    keep_value(_KIND, schema.name, _key(schema), value, schema)


def kept_text(schema: m.Schema, hashed: bool, purpose: str) -> KernelText | None:
    """Return the text of a native kernel that was kept for a kind of storage; None if it must be written."""
    found = kept_value(_TEXTS, schema.name, _key(schema, hashed, purpose), _MODULES, schema)
    return found if isinstance(found, KernelText) else None


def keep_text(schema: m.Schema, hashed: bool, purpose: str, text: KernelText) -> None:
    """Keep the text of a schema's native kernel."""
    keep_value(_TEXTS, schema.name, _key(schema, hashed, purpose), text, schema)


def _key(schema: m.Schema, *more: object) -> tuple[object, ...] | None:
    """Return the cache key of a kernel; None if no kernel can be cached."""
    state = _state()
    try:
        return None if state is None else (sys.version, state, schema.source.text, repr(schema), *more)
    except RecursionError:  # it is nested more deeply than can be written
        return None


@functools.cache
def _state() -> str | None:
    return state_of([_PACKAGE / room for room in _ROOMS])
