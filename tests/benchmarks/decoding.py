"""Sentences a second of decoders, and marginals beside log totals: `python -m tests.benchmarks.decoding`."""

import time
import warnings
from collections.abc import Callable

import numpy as np

import schemata
from schemata.decoding.search import ChartSearch
from schemata.errors import AmbiguityWarning

NAMES = [
    "eisner-split", "eisner-satta1999", "eisner1996", "eisner1996-once", "yamada-matsumoto2003", "collins1996",
    "arc-eager-once", "mcdonald-pereira2006", "mh:k=4",
]  # fmt: skip
WORDS, BATCH, TURNS = 20, 64, 5


def seconds(work: Callable[[], object]) -> float:
    """Return the processor seconds of the fastest of some turns."""
    work()
    best = float("inf")
    for _ in range(TURNS):
        begun = time.process_time()
        work()
        best = min(best, time.process_time() - begun)
    return best


def row(name: str, scores: np.ndarray) -> str:
    """Return microseconds a sentence for the best tree, the log total alone, and the marginals."""
    decoder = schemata.decoder(name, threads=1)
    search = ChartSearch(schemata.load(name).engines)

    def totals() -> None:
        for matrix in scores:
            search.log_total(matrix)

    works = (lambda: decoder(scores)), totals, (lambda: decoder.marginals(scores))
    best, total, marginals = (1e6 * seconds(work) / BATCH for work in works)
    return f"{name:24}{best:10.1f}{total:12.1f}{marginals:12.1f}{marginals / total:8.2f}"


def main() -> None:
    """Print a table."""
    warnings.simplefilter("ignore", AmbiguityWarning)
    scores = np.random.default_rng(0).normal(size=(BATCH, WORDS + 1, WORDS + 1))
    print(f"{WORDS} words, batches of {BATCH}, one thread; microseconds of processor time a sentence")
    print(f"{'decoder':24}{'best':>10}{'log total':>12}{'marginals':>12}{'ratio':>8}")
    for name in NAMES:
        print(row(name, scores))
    mst = schemata.decoder("mst", threads=1)
    best, marginals = (
        1e6 * seconds(work) / BATCH for work in ((lambda: mst(scores)), (lambda: mst.marginals(scores)))
    )
    print(f"{'mst':24}{best:10.1f}{'':12}{marginals:12.1f}")


if __name__ == "__main__":
    main()
