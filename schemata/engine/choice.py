"""The options of a run: its engine, and the storage of its back-pointers."""

from __future__ import annotations

from typing import Literal, get_args

__all__ = ["BACK_POINTERS", "ENGINES", "BackPointers", "EngineName"]

EngineName = Literal["auto", "python", "native"]
BackPointers = Literal["implicit", "compact", "explicit"]
ENGINES: tuple[str, ...] = get_args(EngineName)
BACK_POINTERS: tuple[str, ...] = get_args(BackPointers)
