"""The final items of a native chart: the patterns of the program, matched with columns as arrays."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from schemata.engine.native.layout import layout_of
from schemata.program.linear import Affine, AnyOf, Linear
from schemata.program.model import Final
from schemata.program.normal_forms import writings

if TYPE_CHECKING:
    from schemata.engine.native.store import Store

__all__ = ["final_items"]

_LOOKUPS = 10_000  # writings of a pattern that are looked up one by one


def final_items(store: Store) -> frozenset[int]:
    """Return the numbers of the items, hypotheses included, that match a final pattern."""
    found: set[int] = set()
    for final in store.program.finals:
        form = store.program.kinds[final.atom.kind].form
        if store.program.equations.get(form):
            found |= _by_writing(store, final)
        else:
            found |= _by_columns(store, final)
    return frozenset(found)


def _constants(store: Store) -> dict[str, int]:
    return {"n": store.n, **{f"'{s}'": k for k, s in enumerate(store.symbols)}}


def _by_columns(store: Store, final: Final) -> set[int]:
    import numpy as np

    numbers = np.nonzero(store.kinds == final.atom.kind)[0]
    rows = store.columns[numbers].astype(np.int64)
    return set(
        numbers[_mask(final, [rows[:, c] for c in range(len(final.atom.terms))], _constants(store))].tolist()
    )


def _mask(final: Final, columns: list[Any], constants: Mapping[str, int]) -> Any:
    """Return which rows match."""
    import numpy as np

    names: dict[str, Any] = dict(constants)
    waiting = list(zip(final.atom.terms, columns, strict=True))
    keep = np.ones(len(columns[0]) if columns else 1, bool)
    while waiting:
        pair = next((p for p in waiting if sum(x not in names for x in p[0].names) <= 1), None)
        if pair is None:
            raise AssertionError("a final item with two unknown variables in a term")
        waiting.remove(pair)
        term, values = pair
        unknown = [x for x in term.names if x not in names]
        if not unknown:
            keep &= _value(term, names) == values
            continue
        k = term.coefficient(unknown[0])
        known = Affine.of(term.constant, ((x, c) for x, c in term.terms if x != unknown[0]))
        rest = values - _value(known, names)
        keep &= rest % k == 0
        names[unknown[0]] = rest // k
    for test in final.tests:
        keep &= _holds(test, names)
    return keep


def _value(term: Affine, names: Mapping[str, Any]) -> Any:
    return term.constant + sum(k * names[x] for x, k in term.terms)


def _holds(test: Linear | AnyOf, names: Mapping[str, Any]) -> Any:
    match test:
        case Linear(relation, left):
            value = _value(left, names)
            return value >= 0 if relation == ">=" else value == 0 if relation == "==" else value != 0
        case AnyOf(options):
            total: Any = False
            for option in options:
                every: Any = True
                for one in option:
                    every = every & _holds(one, names)
                total = total | every
            return total


def _by_writing(store: Store, final: Final) -> set[int]:
    """Match every writing of items: those that the pattern can have are looked up, if they are not too many."""
    import numpy as np

    constants = _constants(store)
    atom = final.atom
    free = list(dict.fromkeys(x for t in atom.terms for x in t.names if x not in constants))
    digits = layout_of(store.program).digits[atom.kind]
    ranges: list[range] = []
    for name in free:
        column = next((c for c, t in enumerate(atom.terms) if t.single == name), None)
        if column is None or digits[column].open:
            ranges = []
            break
        low, size = digits[column].value(store.n, len(store.symbols))
        ranges.append(range(low, low + size))
    total = 1
    for values in ranges:
        total *= len(values)
    found: set[int] = set()
    if len(ranges) == len(free) and total <= _LOOKUPS:
        for choice in itertools.product(*ranges):
            given = {**constants, **dict(zip(free, choice, strict=True))}
            if all(bool(_holds(test, given)) for test in final.tests):
                number = store.find_written(atom.kind, [t.value(given) for t in atom.terms])
                if number is not None:
                    found.add(number)
        return found
    for number in range(store.item_count):
        kind = int(store.kinds[number])
        if store.program.kinds[kind].form != store.program.kinds[atom.kind].form:
            continue
        row = tuple(store.columns[number, : len(store.program.kinds[kind].columns)].tolist())
        given_only = number < store.hypothesis_count
        shown = [(kind, row)] if given_only else writings(store.program, kind, row, store.n, store.symbols)
        for other, columns in shown:
            if other == atom.kind and bool(_mask(final, [np.array([c]) for c in columns], constants)[0]):
                found.add(number)
    return found
