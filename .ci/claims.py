#!/usr/bin/env python3
"""Make docs/transition-claims.md: python .ci/claims.py [--output FILE].

Each claim that a paper makes of transition systems is decided by a function, and stands beside a command that shows the
same. A range says how far finitely many cases were looked at; what is read off the rules, or proved, has none.
"""
# ruff: noqa: E501

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for the schemata beside this script

from schemata.analysis.complexity import complexity
from schemata.correctness.answers import known_correctness
from schemata.display.arc_layout import links_text
from schemata.display.terminal import markdown_table
from schemata.grammars import DRules
from schemata.language.files import read_schema_text
from schemata.language.relations import read_maps
from schemata.relations.decide import decide
from schemata.relations.tabulation import tabulate
from schemata.structures import tree_class
from schemata.structures.generation import all_trees
from schemata.verification.answers import verify
from schemata.verification.systems import SystemProperties, system_properties
from schemata.workbench import ParsingSchema, load

GN13, K11 = "GN13", "KGS11"

NEW_ARC = """schema new-arc-as-printed extends planar-system(single_head = 0, no_covered_roots = 0, acyclic = 0)

# Note 4: Right-Arc applies where (j, i), the arc from j to i, is not in A.

replace step Right-Arc
  state[<*S, i>, <j, *B>, A]
  ----------------------------------------  attach j to i, (i under j) not in A
  state[<*S, i>, <j, *B>, A + (j under i)]
"""
ADJACENT = """schema swap-as-printed extends arc-standard-2004-system

# Section 3.1: "swapping the order of two adjacent nodes on the stack".

step Swap
  state[<*S, i, j>, B, A]
  -----------------------  i < j
  state[<*S, j, i>, B, A]
"""


class Decision(NamedTuple):
    """Whether a claim holds, how far it was looked at, and a witness or what was found."""

    holds: bool
    range: str
    witness: str


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim: where it stands, what it says, how to decide it, and the command that shows it."""

    source: str
    says: str
    command: str
    decide: Callable[[], Decision]


def read(text: str) -> ParsingSchema:
    """Return the schema of a text."""
    definition, findings = read_schema_text(text)
    assert definition is not None, findings
    return ParsingSchema(definition)


# How claims are decided -------------------------------------------------------------------------------------------

DIVISIBLE = {
    "arc-standard-system": 4, "arc-standard-2004-system": 4, "arc-eager-system": 4, "hybrid-system": 4,
    "easy-first-system": 4, "dag-arc-standard-system": 3, "dag-arc-eager-system": 3, "planar-system": 3,
}  # fmt: skip
RESTRICTED = [
    f"planar-system:single_head={single},no_covered_roots={covered},acyclic={acyclic}"
    for single in (0, 1) for covered in (0, 1) for acyclic in (0, 1, 2) if single + covered + acyclic
]  # fmt: skip
_known: dict[str, SystemProperties] = {}


def found(reference: str, n: int) -> SystemProperties:
    """Return what is known of a system, once."""
    return _known.setdefault(f"{reference} {n}", system_properties(reference, n))


def every() -> Iterator[SystemProperties]:
    """Yield what is known of all divisible systems, with all restrictions of the planar one."""
    for name, n in DIVISIBLE.items():
        yield found(name, n)
    for name in RESTRICTED:
        yield found(name, 3)


RANGE = "n ≤ 4; graphs with several heads, and restrictions of `planar-system`: n ≤ 3"


def divisible() -> Decision:
    """Decide that systems are compositions."""
    systems = [found(name, n) for name, n in DIVISIBLE.items()]
    shown = "; ".join(systems[3].transitions[2].composition or ())
    return Decision(
        all(s.holds("divisible") for s in systems), "all n", f"`hybrid-system`: Right-Arc = {shown}"
    )


def not_divisible() -> Decision:
    """Decide that systems are no compositions."""
    systems = [found(name, 3) for name in ("attardi-system", "swap-system")]
    names = [
        f"`{s.schema}`: " + ", ".join(t.step for t in s.transitions if not t.composition) for s in systems
    ]
    return Decision(not any(s.holds("divisible") for s in systems), "all n", "; ".join(names))


def proposition(name: str) -> Callable[[], Decision]:
    """Return what decides that a property follows from its premise."""

    def decided() -> Decision:
        cases = [one for system in every() for one in system.properties if one.name == name]
        told = [one for one in cases if one.premise is not False]
        bad = next((one.witness for one in told if not one.holds), "")
        return Decision(not bad, RANGE, bad or f"its premise holds of {len(told)} of {len(cases)} systems")

    return decided


def lengths(reference: str, n: int, what: str, bound: str, first: int = 1) -> str:
    """Return lengths beside bounds."""
    rows = [(row.n, getattr(row, what), getattr(row, bound)) for row in found(reference, n).lengths]
    return ", ".join(f"n = {k}: {length} (bound {most})" for k, length, most in rows if k >= first)


def bounded_lengths(what: str, bound: str) -> Callable[[], Decision]:
    """Return what decides that no sequence is longer than its bound, for n > 1."""

    def decided() -> Decision:
        rows = [
            row
            for system in every()
            for row in system.lengths
            if row.n > 1 and getattr(row, bound) is not None
        ]
        holds = all(getattr(row, what) <= getattr(row, bound) for row in rows)
        return Decision(
            holds,
            f"n > 1; {RANGE}",
            f"`planar-system` attains it: {lengths('planar-system', 3, what, bound, 2)}",
        )

    return decided


def easy_first() -> Decision:
    """Decide that elementary sequences of easy-first are not linear."""
    rows = found("easy-first-system", 5).lengths
    longest = [row.elementary or 0 for row in rows]
    steps = [b - a for a, b in pairwise(longest)]
    grows = all(b - a == 2 for a, b in pairwise(steps))
    linear = all(row.longest == row.n for row in rows)
    return Decision(
        grows and linear, "n ≤ 5", f"{', '.join(map(str, longest))} elementary transitions, n transitions"
    )


def two_planar_lengths() -> Decision:
    """Decide the inequality of Proposition 11."""
    rows = found("k-planar-system", 3).lengths
    holds = all((row.longest or 0) <= (row.bound or 0) for row in rows)
    return Decision(holds, "n ≤ 3", lengths("k-planar-system", 3, "longest", "bound"))


def planar_arcs() -> Decision:
    """Decide Lemma 4."""
    rows = [*found("planar-system", 4).lengths[1:]]
    shown = ", ".join(f"n = {row.n}: {row.arcs}" for row in rows)
    return Decision(all(row.arcs == 4 * row.n - 6 for row in rows), "2 ≤ n ≤ 4", f"attained: {shown}")


def two_planar_arcs() -> Decision:
    """Decide note 12."""
    rows = found("k-planar-system", 3).lengths[1:]
    shown = ", ".join(f"n = {row.n}: {row.arcs} of {8 * row.n - 12}" for row in rows)
    return Decision(all(row.arcs <= 8 * row.n - 12 for row in rows), "2 ≤ n ≤ 3", f"not attained: {shown}")


def verified(
    reference: str, wanted: str, n: int, says: tuple[bool, bool] = (True, True)
) -> Callable[[], Decision]:
    """Return what decides that a verdict on the graphs of a system is (sound, complete) as a claim says."""

    def decided() -> Decision:
        verdict = verify(reference, wanted, n)
        bad = verdict.unsound if not verdict.sound else verdict.incomplete
        links = (
            f"{'built' if not verdict.sound else 'not built'}: {links_text(bad.structure.links)}"
            if bad
            else "all of them, and no others"
        )
        return Decision((verdict.sound, verdict.complete) == says, f"n ≤ {n}", links)

    return decided


def unique_order() -> Decision:
    """Decide that the hybrid system builds each tree in one order: sequences that end with all arcs of a tree."""
    for n in range(1, 5):
        for tree in all_trees(n):
            if not tree_class("projective").contains(tree):
                continue
            forest = (
                load("hybrid-system")
                .run([f"w{k}" for k in range(1, n + 1)], DRules.from_heads(tree.heads))
                .forest()
            )
            ends = [x for x in forest.roots if len(forest.name(x).values[-1]) == n - 1]  # type: ignore[arg-type]
            if (count := sum(forest.derivation_counts[x] for x in ends)) > 1:
                return Decision(
                    False, f"n ≤ {n}", f"{count} sequences: heads {' '.join(map(str, tree.heads))}"
                )
    return Decision(True, "n ≤ 4", "")


def one_derivation() -> Decision:
    """Decide that items of the tabulation have one derivation."""
    known: dict[int, list[str]] = {}
    chart = load("arc-standard").run("a b c")
    for instance in chart.instances():
        above = ", ".join(str(chart.item(x)) for x in instance.antecedents)
        known.setdefault(instance.consequent, []).append(above)
    item, ways = next((item, ways) for item, ways in known.items() if len(ways) > 1)
    return Decision(False, "n ≤ 3", f"{chart.item(item)} from {ways[0]}, and from {ways[1]}")


def note_4() -> Decision:
    """Decide that transitions with the condition as printed end."""
    answer = system_properties(read(NEW_ARC), 2)
    witness = next((one.witness for one in answer.properties if one.name == "bounded"), "")
    return Decision(answer.holds("bounded"), "n ≤ 2", witness)


def adjacent_swaps() -> Decision:
    """Decide that swaps on the stack build all forests."""
    verdict = verify(read(ADJACENT), "single-headed+acyclic", 4)
    missed = verdict.incomplete
    return Decision(
        bool(verdict.complete), "n ≤ 4", f"not built: {links_text(missed.structure.links)}" if missed else ""
    )


def degrees() -> Decision:
    """Decide the complexities of the tabulations."""
    claimed = {"arc-standard": (5, 3), "arc-standard-hook": (4, 3), "arc-eager": (3, 2), "hybrid": (3, 2)}
    costs = {name: complexity(load(name), formulas=False, family=False) for name in claimed}
    right = all(
        (c.time.cost.degree, c.space.cost.degree) == claimed[x]
        for x, c in costs.items()
        if c.time and c.space
    )
    return Decision(
        right, "all n", ", ".join(f"`{x}` O(n^{c.time.cost.degree})" for x, c in costs.items() if c.time)
    )


def tabulations() -> Decision:
    """Decide that the tabulations follow from the systems, and prove it for every n."""
    pairs = {
        "arc-standard-2004-system": "arc-standard",
        "arc-eager-system": "arc-eager",
        "hybrid-system": "hybrid",
    }
    answers = []
    for system, shipped in pairs.items():
        new, known = read(tabulate(load(system).definition, root=True)).definition, load(shipped).definition
        for one, other in ((new, known), (known, new)):
            forms = one.forms[0].name, other.forms[0].name
            item = "i, h, j" if shipped == "arc-standard" else ""
            maps = [f"{forms[0]}[{item}] to {forms[1]}[{item}]"] if item else []
            relation = read_maps(maps, one, other, "step-refinement")
            answers.append(decide(relation, "step-refinement", 4, lift=True))
    proofs = [known_correctness(load(shipped).definition) for shipped in pairs.values()]
    proved = all(x.every_n for x in answers) and all(x and x.sound and x.complete for x in proofs)
    shown = "each is a step refinement of the other" + ", and derives the projective trees" * proved
    return Decision(all(x.holds is True for x in answers), "all n (proved)" if proved else "n ≤ 4", shown)


CLAIMS = (
    Claim(f"{GN13}, Examples 3 to 8", "arc-standard, arc-eager, easy-first, hybrid and both systems for graphs are divisible",
          "schemata system hybrid-system", divisible),
    Claim(f"{GN13}, section 3.1", "the systems of Attardi (2006) and Nivre (2009) are not divisible",
          "schemata system attardi-system", not_divisible),
    Claim(f"{GN13}, section 3.1", "Nivre (2009) builds all forests by \"swapping the order of two adjacent nodes on the stack\"",
          "schemata verify swap-as-printed.schema --class single-headed+acyclic --max-n 4", adjacent_swaps),
    Claim(f"{GN13}, note 4", "Left-Arc and Right-Arc apply where (j, i) is not in A, which rules out that an arc is added again and again",
          "schemata system new-arc-as-printed.schema --max-n 2", note_4),
    Claim(f"{GN13}, Example 6", "the hybrid system builds each tree in a unique order",
          "schemata run hybrid-system \"a b c d\" --grammar heads:0,1,4,1 --derivations 2", unique_order),
    Claim(f"{GN13}, Example 7", "its restrictions disallow a left and a right arc between the same words",
          "schemata verify dag-arc-standard-system --class one-way --max-n 3", verified("dag-arc-standard-system", "one-way", 3, (True, False))),
    Claim(f"{GN13}, Example 7", "the arc-standard system for graphs builds graphs with cycles",
          "schemata verify dag-arc-standard-system --class acyclic --max-n 3", verified("dag-arc-standard-system", "acyclic", 3, (False, False))),
    Claim(f"{GN13}, Example 8", "the arc-eager system for graphs builds graphs with cycles",
          "schemata verify dag-arc-eager-system --class acyclic --max-n 3", verified("dag-arc-eager-system", "acyclic", 3, (False, False))),
    Claim(f"{GN13}, Lemma 1", "stack and buffer stay in order", "schemata system arc-eager-system",
          proposition("stack and buffer stay in order")),
    Claim(f"{GN13}, Proposition 1", "no covered roots, if Reduce takes words with a head alone", "schemata system arc-eager-system",
          proposition("no covered roots")),
    Claim(f"{GN13}, Proposition 2", "single heads, if arcs are added to words without a head alone", "schemata system arc-eager-system",
          proposition("single-headed")),
    Claim(f"{GN13}, Proposition 3", "no cycles, if arcs are added between unconnected words alone", "schemata system arc-eager-system",
          proposition("no cycles of any direction")),
    Claim(f"{GN13}, Proposition 4", "divisible systems build planar graphs", "schemata system dag-arc-eager-system --max-n 3",
          proposition("planar")),
    Claim(f"{GN13}, Proposition 5", "a system with Shift is robust", "schemata system arc-eager-system", proposition("robust")),
    Claim(f"{GN13}, Proposition 6", "a system is bounded, if each transition adds an arc, takes a word away or makes the buffer shorter",
          "schemata system arc-eager-system", proposition("bounded")),
    Claim(f"{GN13}, Lemma 4", "a planar graph of n > 1 words has at most 4n - 6 arcs", "schemata system planar-system", planar_arcs),
    Claim(f"{GN13}, Propositions 7 and 8", "sequences are linear in n; the proof bounds them by 6n - 6, and more if the buffer may grow",
          "schemata system planar-system --max-n 3", bounded_lengths("longest", "bound")),
    Claim(f"{GN13}, Proposition 9", "elementary sequences are linear in n, if compositions have a bounded number of parts",
          "schemata system planar-system --max-n 3", bounded_lengths("elementary", "elementary_bound")),
    Claim(f"{GN13}, Example 11", "easy-first has linear sequences, and no linear bound on elementary ones",
          "schemata system easy-first-system --max-n 5", easy_first),
    Claim(f"{GN13}, section 3.3.1", "the planar system builds the planar graphs", "schemata verify planar-system --class planar --max-n 4",
          verified("planar-system", "planar", 4)),
    Claim(f"{GN13}, section 3.3.2", "with undirected acyclicity it does not build all planar graphs without directed cycles",
          "schemata verify planar-system:acyclic=2 --class planar+acyclic --max-n 3",
          verified("planar-system:acyclic=2", "planar+acyclic", 3, (True, False))),
    Claim(f"{GN13}, section 3.3.2", "with No-Covered-Roots alone it is equivalent to the arc-eager system for graphs",
          "schemata verify dag-arc-eager-system --class planar+no-covered-roots --max-n 4",
          verified("dag-arc-eager-system", "planar+no-covered-roots", 4)),
    Claim(f"{GN13}, Proposition 10", "the 2-planar system, here with single heads and without cycles, builds the 2-planar forests",
          "schemata verify k-planar-system:single_head=1,acyclic=2 --class 2-planar+single-headed+acyclic --max-n 4",
          verified("k-planar-system:single_head=1,acyclic=2", "2-planar+single-headed+acyclic", 4)),
    Claim(f"{GN13}, section 5.1.2", "with Reduce restricted to words with a head, two stacks lose graphs without covered roots",
          "schemata verify k-planar-system:single_head=1,no_covered_roots=1,acyclic=2 --class 2-planar+single-headed+acyclic+no-covered-roots --max-n 4",
          verified("k-planar-system:single_head=1,no_covered_roots=1,acyclic=2", "2-planar+single-headed+acyclic+no-covered-roots", 4, (True, False))),
    Claim(f"{GN13}, Proposition 11", "sequences of the 2-planar system are at most 2(n + 2n + 8n - 12) + 1 long",
          "schemata system k-planar-system --max-n 3", two_planar_lengths),
    Claim(f"{GN13}, note 12", "a 2-planar graph has at most 8n - 12 arcs", "schemata system k-planar-system --max-n 3", two_planar_arcs),
    Claim(f"{K11}, section 3.4", "the tabulation of arc-standard \"assigns at most one derivation to a given item\"",
          "schemata run arc-standard \"a b c\"", one_derivation),
    Claim(f"{K11}, sections 3.5, 5.4 and 6", "the tabulations take O(n^5), with the hook trick O(n^4), arc-eager and hybrid O(n^3)",
          "schemata complexity arc-eager", degrees),
    Claim(f"{K11}, sections 3 to 6", "the three deduction systems tabulate the three transition systems",
          "schemata tabulate arc-eager-system --root", tabulations),
)  # fmt: skip


def page() -> str:
    """Return the page."""
    rows, refuted = [], []
    for claim in CLAIMS:
        decision = claim.decide()
        verdict = "holds" if decision.holds else "**does not hold**"
        refuted += [] if decision.holds else [claim.source]
        cells = [claim.source, claim.says, verdict, decision.range, decision.witness, f"`{claim.command}`"]
        rows.append([cell.replace("|", "\\|") for cell in cells])
    table = markdown_table(["source", "claim", "verdict", "range", "found", "command"], rows)
    return f"""# What papers claim of transition systems

Made by `python .ci/claims.py --output docs/transition-claims.md`; do not edit it by hand.

GN13 are Gómez-Rodríguez and Nivre (2013), KGS11 are Kuhlmann, Gómez-Rodríguez and Satta (2011).

Each claim was decided by schemata; the command shows the same. Of {len(CLAIMS)} claims {len(refuted)} do not hold as printed:
{"; ".join(dict.fromkeys(refuted))}.
The range says how many words were tried. That a claim holds there does not prove it, except for
claims read off the rules alone (*all n*) or [proved for every number of words](proofs.md) (*all n (proved)*); one that
does not hold has a witness.

`schemata system` writes each transition as a composition of Shift, Unshift, Reduce, Left-Arc and Right-Arc, or says that
there is none: a rule names finitely many words, so that all compositions can be tried. It goes through all configurations
of at most N words, and finds the greatest lengths exactly. Bounds are those that the proofs give, for n > 1.

{table}

## What is meant

- *Example 6*: the same tree is built by two sequences in which the arcs are added in different orders. `hybrid-once` is a
  tabulation that has each tree once.
- *Example 7*: only the Attach transitions are restricted. Left-Attach and then Right-Reduce gives both arcs; the claim holds
  if the Reduce transitions are restricted as well.
- *Proposition 11*: the bound uses Lemma 4, which is about more than one word. For one word it is negative. The lengths are
  linear all the same.
- *Section 3.4* of Kuhlmann et al.: each *computation* has one derivation. An item stands for several computations, as soon
  as a word has dependents on both sides.
- *Lost formulas*: the text that these verdicts are about has lost the formulas of Example 7 and of both systems at the
  end of section 3.1. They are restored from the prose around them, and *as printed* means that prose.
- *Note 4*, and the swaps of *section 3.1*: the texts are misprints or paraphrases; `planar-system` and `swap-system` follow the
  intention, and these schemata the print:

```schema
{NEW_ARC.rstrip()}
```

```schema
{ADJACENT.rstrip()}
```
"""


def main() -> int:
    """Make the page and print it, or write it to a file."""
    parser = argparse.ArgumentParser("python .ci/claims.py", description=__doc__)
    parser.add_argument("--output", type=Path, metavar="FILE", help="the file; standard output without")
    options = parser.parse_args()
    text = page()
    if options.output is None:
        sys.stdout.write(text)
    else:
        options.output.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
