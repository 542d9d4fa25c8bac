"""A program's agenda kernels: their texts and machine code, and how large their tables are."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from schemata.engine.machine.compile import checked, is_compiled, machine_code
from schemata.engine.native.layout import Layout, layout_of
from schemata.engine.native.measures import Measures
from schemata.engine.native.source import KernelText, emit_agenda
from schemata.program.model import Program

__all__ = ["AgendaKernel"]

_LENGTHS = 64  # of sentences whose measures are kept
_ENTRIES = ("kernel", "enter", "slot_of", "rehash")


class AgendaKernel:
    """A program with its agenda kernels: one for dense tables, one for hashed ones, each made when needed.

    Parameters
    ----------
    program : the lowered schema.
    checked : test every index at run time; for tests.

    Attributes
    ----------
    hashed : the kind of storage; what fits a sentence better if None.
    """

    def __init__(self, program: Program, checked: bool = False) -> None:
        self.hashed: bool | None = None
        self.program = program
        self.checked = checked
        self.layout: Layout = layout_of(program)
        self._measures: dict[tuple[int, int], Measures] = {}
        self._texts: dict[tuple[bool, bool], KernelText] = {}
        self._modules: dict[tuple[bool, bool], Mapping[str, Callable[..., int]]] = {}

    def text(self, hashed: bool, rows: bool = False) -> KernelText:
        """Return the kernel's text for a kind of storage and a purpose."""
        key = hashed, rows
        if key not in self._texts:
            self._texts[key] = emit_agenda(self.layout, hashed, rows)
        return self._texts[key]

    def module(self, hashed: bool, rows: bool = False) -> Mapping[str, Callable[..., int]]:
        """Return the compiled functions."""
        key = hashed, rows
        if key not in self._modules:
            text = self.text(hashed, rows)
            self._modules[key] = (
                checked(text.text)
                if self.checked
                else machine_code(text.text, _ENTRIES, loops=not text.large)
            )
        return self._modules[key]

    @property
    def is_compiled(self) -> bool:
        """Whether machine code is loaded or on disk."""
        hashed = not self.layout.bounded
        if (hashed, False) in self._modules:
            return True
        text = self.text(hashed)
        return is_compiled(text.text, _ENTRIES, loops=not text.large)

    def measures(self, n: int, symbols: int) -> Measures:
        """Return how large the tables of a sentence are."""
        key = n, symbols
        if key not in self._measures:
            if len(self._measures) >= _LENGTHS:
                self._measures.clear()
            self._measures[key] = Measures(self.layout, self.text, n, symbols)
        return self._measures[key]
