"""Tabulated transition systems against the systems themselves: the same graphs, as often as there are sequences.

Sequences are counted by `tests/oracle/transitions.py`, written without the package, and by runs of the systems.
"""

import random
import re
from pathlib import Path

import pytest

from schemata import load
from schemata.errors import UsageError
from schemata.language.files import read_schema_text
from schemata.language.relations import read_maps
from schemata.relations.decide import decide
from schemata.relations.reversal import reverse
from schemata.relations.tabulation import tabulate
from schemata.workbench import ParsingSchema
from tests.oracle.transitions import explored, initial, sequences
from tests.support.charts import shipped
from tests.support.commands import Cli, Prints

Links = tuple[tuple[int, int], ...]


def read(text: str, path: Path | None = None) -> ParsingSchema:
    definition, findings = read_schema_text(text, path=path)
    assert not findings, findings
    assert definition is not None
    return ParsingSchema(definition)


def built(schema: ParsingSchema, n: int) -> tuple[set[Links], int | float]:
    """Return the graphs that a schema builds, and the number of derivations."""
    forest = schema.run("abcdef"[:n].replace("", " ").strip()).forest()
    return {tuple(sorted(graph.links)) for graph in forest.structures(limit=10**5)}, forest.derivation_count


SYSTEMS = {
    "arc-standard-2004-system": 5, "arc-eager-system": 5, "hybrid-system": 5, "dag-arc-eager-system": 3,
    "planar-system": 3, "planar-system:single_head=1,no_covered_roots=1": 4,
}  # fmt: skip


@pytest.mark.parametrize(("reference", "most"), SYSTEMS.items())
def test_the_same_graphs_as_often_as_sequences(reference: str, most: int) -> None:
    tabulated = read(tabulate(shipped(reference).definition))
    name, _, settings = reference.partition(":")
    parameters = {x: int(v) for x, _, v in (one.partition("=") for one in settings.split(",") if one)}
    for n in range(1, most + 1):
        found = sequences(explored(name, n, parameters), initial(name, n, parameters))
        assert built(tabulated, n) == ({tuple(sorted(g)) for g in found}, sum(found.values()))


_STEPS = [
    "composed of Reduce",
    "composed of Reduce | i has a head in A",
    "composed of Left-Arc",
    "composed of Left-Arc | i has no head in A, (j under i) not in A",
    "composed of Left-Arc; Reduce",
    "composed of Left-Arc | j has a head in A; Reduce",
    "composed of Left-Arc; Shift",
    "composed of Right-Arc",
    "composed of Right-Arc | j has no head in A",
    "composed of Right-Arc; Shift",
    "composed of Right-Arc | i has a head in A; Shift",
    "composed of Right-Arc | j has no head in A or (i under j) in A; Shift",
    "composed of Unshift; Left-Arc | i has no head in A; Reduce; Shift",
    "composed of Unshift; Right-Arc | j has no head in A; Shift; Reduce",
    "state[<*S, i, k>, <j, *B>, A]\n  ---  attach i to j, i has no head in A\n"
    "  state[<*S, k>, <j, *B>, A + (i under j)]",
    "state[<*S, i, _>, <j, *B>, A]\n  ---  attach i to j, i has no head in A\n"
    "  state[<*S, i>, <j, *B>, A + (i under j)]",
]


@pytest.mark.parametrize("seed", range(15))
@pytest.mark.rotated(3)
def test_systems_of_random_steps(seed: int) -> None:
    chosen = random.Random(seed).sample(_STEPS, 4)
    steps = "\n\n".join(f"step T{k}\n  {step}" for k, step in enumerate(chosen))
    system = read(
        "schema some-system extends planar-system\n\nwithout step Reduce\nwithout step Left-Arc\n"
        f"without step Right-Arc\n\n{steps}\n"
    )
    try:
        tabulated = read(tabulate(system.definition))
    except (
        UsageError
    ) as refused:  # nodes side by side on the stack may have been linked when one was in front
        number = re.match(r"error: step T(\d) asks for more than arcs", str(refused))
        assert "Unshift" in chosen[int(number[1])]
        return
    for n in (1, 2, 3):
        assert built(tabulated, n) == built(system, n), chosen


@pytest.mark.parametrize(("system", "shipped", "maps"), [
    (
        "arc-standard-2004-system",
        "arc-standard",
        ("tree[i, h, j] to span[i, h, j]", "span[i, h, j] to tree[i, h, j]"),
    ),
    ("arc-eager-system", "arc-eager", ()),
    ("hybrid-system", "hybrid", ()),
])  # fmt: skip
def test_the_shipped_tabulations_are_found_again(system: str, shipped: str, maps: tuple[str, ...]) -> None:
    found = read(tabulate(load(system).definition, root=True)).definition
    known = load(shipped).definition
    assert len(found.cases) + len(found.hypotheses) == len(known.cases) + len(known.hypotheses)
    for (one, other), given in zip(((known, found), (found, known)), maps or ("", ""), strict=True):
        related = read_maps([given] if given else [], one, other, "step-refinement")
        answer = decide(related, "step-refinement", 3)
        assert answer.holds
    for n in range(1, 6):
        words = "abcdef"[:n].replace("", " ").strip()
        assert (
            load(shipped).run(words).forest().derivation_count
            == ParsingSchema(found).run(words).forest().derivation_count
        )


def test_weights_of_transitions_are_left_out() -> None:
    step = "state[<*S>, <i, *B>, A]\n  -----------------  weight 0.5\n  state[<*S, i>, B, A]"
    system = read(f"schema weighted extends hybrid-system\n\nreplace step Shift\n  {step}\n").definition
    plain = tabulate(shipped("hybrid-system").definition, name="weighted")
    assert read(plain).definition.cases == read(tabulate(system, name="weighted")).definition.cases


def test_a_system_that_looks_deeper_into_its_stack() -> None:
    step = "state[<*S, i, j, k>, B, A]\n  -----------------  attach i to k\n  state[<*S, j, k>, B, A + (i under k)]"
    system = read(f"schema deep-system extends hybrid-system\n\nstep Deep\n  {step}\n").definition
    with pytest.raises(UsageError, match=r"step Deep looks at 3 nodes of the stack: <\*S, i, j, k>"):
        tabulate(system)


@pytest.mark.parametrize(
    "name", ["arc-standard", "arc-eager", "arc-eager-once", "hybrid", "hybrid-once", "yamada-matsumoto2003"]
)
def test_the_way_back(name: str) -> None:
    system = read(reverse(shipped(name).definition))
    for n in (1, 2, 3, 4):
        assert built(system, n) == built(shipped(name), n)


def test_there_and_back() -> None:
    assert "list of (position, flag)" in reverse(shipped("arc-eager").definition)
    for name in ("arc-standard", "hybrid"):
        again = read(tabulate(read(reverse(shipped(name).definition)).definition)).definition
        for n in (1, 2, 3, 4):
            assert built(ParsingSchema(again), n) == built(shipped(name), n)


def test_steps_that_do_not_join_items_that_touch() -> None:
    step = "span[i, k]   span[j, m]\n  -----------------------  attach m to i, k < j\n  span[i, m]"
    apart = read(f"schema apart extends hybrid\n\nreplace step ra\n  {step}\n").definition
    with pytest.raises(UsageError, match=r"step ra makes no push computation of span\[i, k\], span\[j, m\]"):
        reverse(apart)
    bounded = read(
        "schema short extends hybrid\n\nreplace item span[i: position, j: position]\n  where i < j <= i + 4\n"
    )
    with pytest.raises(UsageError, match="items of short have conditions beside the order"):
        reverse(bounded.definition)


@pytest.mark.thorough
def test_the_command(tmp_path: Path, cli: Cli, prints: Prints) -> None:
    file = str(tmp_path / "spans.schema")
    assert cli("tabulate hybrid-system --root --output", file).code == 0
    assert Path(file).read_text(encoding="utf-8").startswith("schema spans\n")
    assert cli("verify", file, "--class", "projective", "--max-n", "3").code == 0
    assert "schema spans-reversed" in prints("tabulate", file, "--back")
