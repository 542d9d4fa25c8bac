"""Write the golden record anew: `python -m tests.golden.make`, or for some schemata `... eisner1996:end=0`.

Only to be run when behaviour is meant to change; otherwise a difference is a mistake of the change.

`--check` compares instead and writes nothing, `--engine native` with native code. `--show eisner1996:end=0/all-3`
prints the full texts of one case, of which the record has hashes only: print it before a change and after it,
and compare the two.
"""

import argparse
import sys
import time

from tests.golden.cases import references
from tests.golden.record import compact, differences, record_of, write_record


def main() -> int:
    """Run the command; 1 where something differs."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.golden.make", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("schemata", nargs="*", metavar="SCHEMA", help="which schemata (all)")
    parser.add_argument("--engine", default="python", help="python (the default), native or auto")
    parser.add_argument("--show", metavar="SCHEMA/CASE", help="print one case in full, and write nothing")
    parser.add_argument("--check", action="store_true", help="print differences, and write nothing")
    options = parser.parse_args()
    if options.show:
        reference, _, case = options.show.partition("/")
        for name, figures in record_of(reference, options.engine, case):
            for figure, value in figures.items() if name == case else ():
                print(f"{figure}:")
                print(*(f"    {line}" for line in (value if isinstance(value, list) else [value])), sep="\n")
        return 0
    failed = False
    for reference in options.schemata or references():
        begun = time.monotonic()
        if options.check:
            for line in differences(reference, options.engine):
                failed = True
                print(line)
        else:
            write_record(
                reference, {case: compact(figures) for case, figures in record_of(reference, options.engine)}
            )
        print(f"{reference}: {time.monotonic() - begun:.1f} s", file=sys.stderr)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
