"""Distributions over trees for PyTorch beside those of torch-struct, batch by batch."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from tests.benchmarks.measure import Section, Setup, clocked, in_turn, over, seconds
from tests.support.tensors import potentials

ABOUT = """\
`schemata.torch.Distribution` over `eisner-split`, loaded once, and the `DependencyCRF` of torch-struct: the same scores
of sentences of {words} words in double precision, several words under the root, in one thread; processor seconds
for a whole batch. *Partition* is the log total; its gradient are the marginals. A test compares what both sides return,
and torch-struct's `LinearChainCRF` and `SentCFG` with the schemata `hmm` and `cyk`; these are not timed, since schemata
has no batches of them. Figures are of PyTorch {torch} and torch-struct {structures}."""
BATCHES = (1, 32, 256)


def measure(setup: Setup) -> Section:
    """Time both sides; without rows where one of the libraries is missing."""
    words = 10 if setup.quick else 20
    header = "what", "batch", "s here", "s in torch-struct", "here / torch-struct"
    missing = [name for name in ("torch", "torch_struct") if importlib.util.find_spec(name) is None]
    rows = [] if missing else [row for batch in BATCHES for row in _rows(setup, words, batch)]
    notes = [f"{name} is not installed" for name in missing]
    versions = {} if missing else {"torch": version("torch"), "structures": version("torch-struct")}
    about = ABOUT.format(words=words, **{"torch": "-", "structures": "-", **versions})
    return Section("Beside torch-struct", about, header, rows, notes)


def _rows(setup: Setup, words: int, batch: int) -> list[tuple[str, ...]]:
    import torch
    from torch_struct import DependencyCRF

    import schemata
    from schemata.torch import Distribution

    schema = schemata.load("eisner-split")
    torch.distributions.Distribution.set_default_validate_args(False)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    scores = torch.randn(batch, words + 1, words + 1, dtype=torch.float64)

    def ours() -> Any:
        return Distribution(schema, scores.clone().requires_grad_(), threads=1)

    def theirs() -> Any:
        return DependencyCRF(potentials(scores).requires_grad_() * 1, multiroot=True)

    works: dict[str, Callable[[Any], Any]] = {
        "partition": lambda found: found.partition,
        "partition and gradient": lambda found: found.partition.sum().backward(),
        "marginals": lambda found: found.marginals,
        "argmax": lambda found: found.argmax,
    }
    rows = []
    for what, work in works.items():
        setup.say(f"torch-struct: {what}, batch of {batch}")
        sides = (
            clocked(lambda make=make, work=work: work(make()), time.process_time) for make in (ours, theirs)
        )
        one, other = in_turn(setup.rounds, *sides)
        rows.append((what, str(batch), seconds(one.least), seconds(other.least), over(one, other)))
    return rows
