"""Measure how many trees of a CoNLL-U file per second are built and classified on one core.

Usage: python tests/benchmarks/bench_structures.py FILE.conllu [REPETITIONS]
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from time import process_time

from schemata.structures import DependencyTree, classify


def read_heads(path: Path) -> list[tuple[int, ...]]:
    """Return the heads of every sentence, empty nodes and multiword tokens left out."""
    sentences = []
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        rows = [line.split("\t") for line in block.splitlines() if line and not line.startswith("#")]
        heads = tuple(int(row[6]) for row in rows if row[0].isdigit())
        if heads:
            sentences.append(heads)
    return sentences


def main(path: str, repetitions: int = 5) -> None:
    """Print the best of several runs, and what was found."""
    sentences = read_heads(Path(path))
    building, classifying = [], []
    for _ in range(repetitions):
        start = process_time()
        trees = [DependencyTree(heads) for heads in sentences]
        built = process_time()
        found = [classify(tree) for tree in trees]
        building.append(built - start)
        classifying.append(process_time() - built)
    count = len(sentences)
    words = sum(map(len, sentences))
    print(f"{path}: {count} sentences, {words / count:.1f} words each")
    print(f"  build     {count / min(building):>9,.0f} sentences/second")
    print(f"  classify  {count / min(classifying):>9,.0f} sentences/second")
    print(f"  both      {count / (min(building) + min(classifying)):>9,.0f} sentences/second")
    for measure in ("projective", "planes", "gap_degree", "edge_degree", "well_nested", "mg_degree"):
        print(f"  {measure:<12}", dict(sorted(Counter(getattr(c, measure) for c in found).items())))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:3]))
