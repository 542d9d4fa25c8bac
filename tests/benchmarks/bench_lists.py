"""What bounded lists cost, against the same rules written out by hand.

    python -m tests.benchmarks.bench_lists

The pairs derive the same number of items, and MH_4 and MG_1 the same number of steps; ratios of the best of five runs.
"""

from __future__ import annotations

from pathlib import Path

import schemata

PAIRS = [
    ("mh:k=4", str(Path(__file__).with_name("mh4-by-hand.schema")), 16),
    ("wgk:k=1", "wg1", 14),
    ("mgk:k=1", "mg1", 14),
]


def main() -> None:
    """Print a row per pair."""
    print(f"{'with lists':<12}{'by hand':<14}{'words':>6}{'steps':>10}{'steps':>10}{'ratio of seconds':>18}")
    for with_lists, by_hand, n in PAIRS:
        best = []
        for name in (with_lists, by_hand):
            schema = schemata.load(name)
            best.append(min((schema.run(["w"] * n) for _ in range(5)), key=lambda c: c.seconds))
        lists, hand = best
        assert lists.item_count == hand.item_count
        shown = Path(by_hand).stem
        ratio = lists.seconds / hand.seconds
        print(f"{with_lists:<12}{shown:<14}{n:>6}{lists.step_count:>10,}{hand.step_count:>10,}{ratio:>18.2f}")


if __name__ == "__main__":
    main()
