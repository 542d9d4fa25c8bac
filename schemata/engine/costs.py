"""The costs of a schema's runs on each engine, by the number of words, and estimates for further runs.

A cost is all the processor time that depends on the engine: to lay out a run, to derive, and the answers from its
chart, such as the number of derivations (`charts.accounted`). Costs choose an engine; no answer depends on them.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Literal

from schemata.charts import Account
from schemata.thresholds import WAYS

_Engine = Literal["python", "native"]
_GROWTH = 2  # the power of the number of words by which costs are taken to grow from a length to another
_NATIVE_LEAST, _NATIVE_SHARE = 0.001, 0.1  # guess of a native run: seconds, and part of those in Python


@dataclass(slots=True)
class RunTimes:
    """The latest runs of each engine by length, over grammars of one kind, and how many there were in Python."""

    latest: dict[_Engine, dict[int, deque[Account]]] = field(
        default_factory=lambda: {"python": {}, "native": {}}
    )
    counted: Counter[_Engine] = field(default_factory=Counter)
    in_python: Counter[int] = field(default_factory=Counter)  # runs, by length

    def note(self, engine: _Engine, n: int, account: Account) -> None:
        """Note a run of n words; its account may still grow."""
        self.latest[engine].setdefault(n, deque(maxlen=WAYS.kept_costs)).append(account)
        self.counted[engine] += 1
        if engine == "python":
            self.in_python[n] += 1

    def seconds(self, engine: _Engine, n: int) -> float | None:
        """Estimate the seconds of a run of n words from the nearest length; None if too few runs were measured."""
        lengths = self.latest[engine]
        needed = WAYS.compared_runs + (engine == "native")  # whose first run loads what others find
        if not lengths or self.counted[engine] < needed:
            return None
        near = n if n in lengths else min(lengths, key=lambda k: (abs(k - n), k))
        least = min(account.seconds for account in lengths[near])
        return float(least * (n / near) ** _GROWTH)

    def native_seconds(self, n: int, in_python: float) -> float:
        """Estimate the seconds of a native run of n words; without a measurement, from its seconds in Python."""
        known = self.seconds("native", n)
        return _NATIVE_LEAST + _NATIVE_SHARE * in_python if known is None else known

    def is_better_natively(self, n: int) -> bool | None:
        """Whether a run of n words probably takes less time natively, compilation aside; None without measurements."""
        in_python = self.seconds("python", n)
        return None if in_python is None else self.native_seconds(n, in_python) < in_python

    def lost_seconds(self, n: int) -> float:
        """Estimate the seconds that native code would have saved so far, and would save in one more run of n words."""
        lost = 0.0
        for length, runs in (self.in_python + Counter((n,))).items():
            in_python = self.seconds("python", length)
            if in_python is not None:
                lost += runs * max(0.0, in_python - self.native_seconds(length, in_python))
        return lost
