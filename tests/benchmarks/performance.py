"""The performance page: all figures in one run, each a ratio of sides that took turns.

    python -m tests.benchmarks.performance [--quick] [--only SECTION ...] [--output docs/performance.md]

Other systems' programs (`--peers`) and a treebank (`--treebank`) are looked for beside the repository; what
is missing is left out, with a note.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path

from tests.benchmarks import against, auto, distributions, growth, processes, weighted
from tests.benchmarks.measure import Section, Setup, description, markdown
from tests.benchmarks.peers import find_peers

SECTIONS: Mapping[str, Callable[[Setup], Section]] = {
    "c": against.measure_c,
    "weights": weighted.measure,
    "distributions": distributions.measure,
    "deduction": against.measure_deduction,
    "nltk": against.measure_nltk,
    "lists": processes.measure_lists,
    "large": growth.measure_large,
    "growth": growth.measure_growth,
    "cold": processes.measure_cold,
    "batch": growth.measure_batch,
    "memory": processes.measure_memory,
    "small": processes.measure_small,
    "auto": auto.measure_all,
}
INTRODUCTION = """\
# Performance

How fast the engines are, on one machine, in one run of

```sh
python -m tests.benchmarks.performance --output docs/performance.md
```

which took {minutes:.0f} min. Both sides of a comparison took turns, round by round, so that a slow moment of the
machine hits both sides. A cell `0.48 / 0.52` gives the ratio of the least times and the median of the ratios
round by round; single times are the least ones. Absolute times are of this machine; ratios travel better. The
grammar licenses every link (`--grammar all`), so that charts are as large as they can be.

{machine}
"""


def main(arguments: list[str] | None = None) -> None:
    """Measure, and print or write the page."""
    parser = argparse.ArgumentParser(description="Measure the engines.")
    parser.add_argument("--quick", action="store_true", help="shorter sentences and fewer rounds")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the page here; printed without")
    parser.add_argument("--peers", type=Path, metavar="FOLDER", help="the programs of other systems")
    parser.add_argument(
        "--treebank", type=Path, metavar="FILE", help="the sentences of the batch, as CoNLL-U"
    )
    parser.add_argument(
        "--earlier", default="06c15ff", metavar="REVISION", help="what small runs are compared with"
    )
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="schemata-benchmark-") as scratch:
        setup = Setup(
            chosen.quick,
            find_peers(chosen.peers),
            _treebank(chosen.treebank),
            chosen.earlier,
            Path(scratch),
            lambda what: print(what, file=sys.stderr, flush=True),
        )
        started = time.perf_counter()
        sections: list[str] = []
        for key in chosen.only or SECTIONS:
            sections.append(markdown(SECTIONS[key](setup)))
            page = _page(sections, time.perf_counter() - started)
            if chosen.output is not None:  # what is measured is kept, whatever comes after it
                chosen.output.write_text(page, encoding="utf-8")
    if chosen.output is None:
        print(page, end="")


def _page(sections: Sequence[str], seconds: float) -> str:
    head = INTRODUCTION.format(machine=description(date.today()), minutes=max(1, seconds / 60))
    return "\n\n".join([head.rstrip(), *sections]) + "\n"


def _treebank(given: Path | None) -> Path | None:
    beside = Path(__file__).parents[2].parent / "shared/treebanks/UD_English-EWT/en_ewt-ud-dev.conllu"
    found = given or beside
    return found if found.is_file() else None


if __name__ == "__main__":
    main()
