"""Derivations read off a native chart whose back-pointers are implicit, by expanding the items on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemata.kernels.store import final_items

if TYPE_CHECKING:
    from schemata.kernels.store import Store

__all__ = ["some_derivations"]


def some_derivations(store: Store, count: int) -> list[dict[int, int]]:
    """Return the first derivations of the first final item, each as the head of every dependent.

    Derivations are numbered: at every item, going down, the number says which of its step instances is taken.

    Parameters
    ----------
    store : a chart without cycles that expands items.
    count : how many; no more than there are.
    """
    known: dict[int, list[tuple[int, tuple[int, ...]]]] = {}
    cases = store.program.schema.cases
    top = min(final_items(store))
    found = []
    for number in range(count):
        rest, waiting = number, [top]
        heads: dict[int, int] = {}
        while waiting:
            item = waiting.pop()
            if item < store.hypothesis_count:
                continue
            if item not in known:
                known[item] = list(store.expand(item) or ())
            rest, choice = divmod(rest, len(known[item]))
            case, row = known[item][choice]
            links = 1 + len(cases[case].antecedents)
            waiting += row[1:links]
            heads.update(zip(row[links::2], row[links + 1 :: 2], strict=True))
        found.append(heads)
    return found
