"""Compact back-pointers: of every step instance only the values of the variables its consequent leaves open.

For Eisner's combination of spans that is one number (where the two spans meet), for Collins's attachments two;
a byte each on sentences of up to 253 words. Instances of one consequent stand together, so that it is noted
once. The antecedents follow from the rule, the consequent and these values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from schemata.engine.ordered.plan import SYMBOLS, RulePlan, column_name, plan_rule
from schemata.engine.ordered.shape import CodeType
from schemata.engine.ordered.tables import OrderedTables
from schemata.program.linear import Affine, variable

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Codes", "decoded", "write_codes"]

_ARRAYS: Mapping[CodeType, Any] = {"u8": np.uint8, "u16": np.uint16, "i32": np.int32}


@dataclass(frozen=True, slots=True)
class Codes:
    """The instances of one rule of an order: its plan, (consequent, number of instances) pairs, and the values."""

    plan: RulePlan
    visits: NDArray[np.int32]
    values: NDArray[Any]

    @property
    def nbytes(self) -> int:
        """The memory they take."""
        return int(self.visits.nbytes + self.values.nbytes)


def write_codes(
    tables: OrderedTables, sizes: Sequence[int], items: int, numbers: Sequence[NDArray[np.int32]]
) -> list[Codes] | None:
    """Return the compact back-pointers of a finished run, one entry a rule of its order.

    Parameters
    ----------
    tables : those of the run; None is returned where its schema has normal forms.
    sizes : how many instances each rule has.
    items : how many items the chart has.
    numbers : by kind and place, the number of the item, -1 for none.
    """
    symbols = len(tables.grammar.symbols)
    program = tables.kernel.program
    plans = [plan_rule(program, program.rules[r.rule]) for r in tables.kernel.order.rules]
    code_type = _code_type(plans, max(tables.n + 1, symbols))
    kernel = tables.kernel.codes(code_type)
    if kernel is None:
        return None
    most = [min(items, size) for size in sizes]
    starts, ends = _bounds([size * len(p.free) for size, p in zip(sizes, plans, strict=True)])
    first, _ = _bounds([2 * m for m in most])
    at, seen = starts.copy(), first.copy()
    visits: NDArray[np.int32] = np.empty(2 * sum(most), np.int32)
    values: NDArray[Any] = np.empty(int(ends.max(initial=0)) + 1, _ARRAYS[code_type])
    tables.control[:4] = 0
    kernel(*tables.arguments(), *numbers, at, ends, seen, visits, values, *tables.workspace())
    return [
        Codes(plan, visits[a:b].reshape(-1, 2).copy(), values[c:d])
        for plan, a, b, c, d in zip(
            plans, first.tolist(), seen.tolist(), starts.tolist(), ends.tolist(), strict=True
        )
    ]


def _code_type(plans: Sequence[RulePlan], most: int) -> CodeType:
    """Return what holds the values of all free variables, where those of columns are between 0 and `most`.

    A variable that is no column by itself (it may stand in `i - j` alone) can be negative, or larger.
    """
    columns_alone = all(
        any(variable(x) in atom.terms for atom in plan.antecedents) for plan in plans for x in plan.free
    )
    if not columns_alone or most >= 1 << 16:
        return "i32"
    return "u8" if most < 1 << 8 else "u16"


def _bounds(sizes: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each of several parts of an array begins, and where it ends."""
    ends = np.cumsum(sizes, dtype=np.int64)
    return ends - np.array(sizes, np.int64), ends


def decoded(
    codes: Codes,
    columns: NDArray[np.int32],
    numbers: Sequence[NDArray[np.int32]],
    tables: OrderedTables,
) -> NDArray[np.int32]:
    """Return a rule's instances as rows: consequent, antecedents, ends of links.

    Parameters
    ----------
    codes : its compact back-pointers.
    columns : the columns of every item.
    numbers : by kind and place, the number of the item.
    tables : those of the run, for what the sentence fixes.
    """
    plan = codes.plan
    consequents = np.repeat(codes.visits[:, 0], codes.visits[:, 1])
    free = codes.values.reshape(len(consequents), len(plan.free)).astype(np.int64)
    symbols = {symbol: k for k, symbol in enumerate(tables.grammar.symbols)}
    given: dict[str, Any] = {"n": tables.n, SYMBOLS: len(symbols)}
    given |= {f"'{symbol}'": k for symbol, k in symbols.items()}
    width = len(tables.kernel.program.kinds[plan.rule.consequent.kind].columns)
    given |= {column_name(k): columns[consequents, k].astype(np.int64) for k in range(width)}
    given |= {x: free[:, k] for k, x in enumerate(plan.free)}
    parts = [consequents]
    for atom in plan.antecedents:
        place: Any = 0
        for k in tables.kernel.layouts[atom.kind]:
            symbol = tables.kernel.program.kinds[atom.kind].columns[k].sort == "symbol"
            place = place * (len(symbols) if symbol else tables.n + 2) + _value(atom.terms[k], given)
        parts.append(numbers[atom.kind][np.broadcast_to(place, consequents.shape)])
    parts += [np.broadcast_to(_value(end, given), consequents.shape) for link in plan.links for end in link]
    return np.stack(parts, axis=1).astype(np.int32)


def _value(term: Affine, given: Mapping[str, Any]) -> Any:
    return term.constant + sum(k * given[x] for x, k in term.terms)
