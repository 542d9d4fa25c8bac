"""Networks, exact search and repair against brute force, the textbook's example, and the grammars that are shipped."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from random import Random

import pytest

import schemata
from schemata import Budget, Constraints, GrammarError, Sentence, UsageError
from schemata.constraints.answers import constraint_coverage
from schemata.constraints.checks import assignments, random_constraints, random_sentence, verify_constraints
from schemata.constraints.repair import repair
from schemata.constraints.search import find_all, find_best, find_given
from schemata.grammars.constraint_networks import HARD, Network
from schemata.grammars.constraints import Value
from schemata.treebanks import read_conllu
from tests.support import ROOT
from tests.support.commands import Cli

EXAMPLES = ROOT / "examples"
TREEBANKS = Path("/work/shared/treebanks")
TEXTBOOK = Constraints.read(EXAMPLES / "constraint-propagation.constraints")
SENTENCE = Sentence.of("die Katze jagt der Hund")


@pytest.mark.parametrize("seed", range(3))
def test_brute_force(seed: int) -> None:
    verdict = verify_constraints(max_n=3, random=12, seed=seed)
    assert verdict.holds is True, verdict.to_json()
    assert verdict.cases == 36
    assert verdict.out > 50
    assert verdict.repaired >= 30


@pytest.mark.thorough
def test_brute_force_to_five_words() -> None:
    verdict = verify_constraints(
        max_n=5, random=4, seed=5, watch=lambda cases, *_: [x for x in cases if x[0] == 5]
    )
    assert verdict.holds is True, verdict.to_json()
    assert verdict.assignments > 10_000


def test_brute_force_finds_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that forgets the pairs of words is found out, and so is propagation that takes too much out."""
    from schemata.grammars.constraint_networks import Costs

    right = Costs._pair
    monkeypatch.setattr(Costs, "_pair", lambda self, i, j: right(self, i, j) * 0)
    assert verify_constraints(max_n=3, random=8).holds is False
    monkeypatch.setattr(Costs, "_pair", lambda self, i, j: right(self, i, j) + HARD)
    assert verify_constraints(max_n=3, random=8).holds is False


def naive_arcs(network: Network) -> set[tuple[int, Value]]:
    """Values that are out, by the definition alone: evaluate all hard constraints on one word, then on pairs."""
    n, grammar = network.n, network.grammar
    hard = [one for one in grammar.constraints if one.is_hard and not one.asks_dependents]

    def violates(chosen: dict[int, Value]) -> bool:
        state = network.state()
        for word, value in chosen.items():
            state.values[word] = value
        for one in hard:
            if one.is_binary and len(chosen) == 2 and one not in network.unresolved:
                x, y = chosen
                if one.check(state, x, y) is False or one.check(state, y, x) is False:
                    return True
            elif not one.is_binary and any(one.check(state, x, -1) is False for x in chosen):
                return True
        heads = {word: value.head for word, value in chosen.items()}
        return any(heads.get(head) == word for word, head in heads.items())

    domains = {i: [*values] for i, values in enumerate(network.domains, start=1)}
    left = {i: [v for v in values if not violates({i: v})] for i, values in domains.items()}
    changed = True
    while changed:
        changed = False
        for i, j in itertools.permutations(range(1, n + 1), 2):
            kept = [v for v in left[i] if any(not violates({i: v, j: w}) for w in left[j])]
            changed |= len(kept) < len(left[i])
            left[i] = kept
    return {(i, v) for i, values in domains.items() for v in values if v not in left[i]}


@pytest.mark.parametrize("seed", range(12))
def test_propagation_by_definition(seed: int) -> None:
    rng = Random(seed)
    grammar = random_constraints(rng)
    network = Network(grammar, random_sentence(grammar, 3, rng))
    out = {(i, network.domains[i - 1][k]) for i, gone in enumerate(network.exclusions, start=1) for k in gone}
    assert out == naive_arcs(network)


def test_the_example_of_the_textbook() -> None:
    """Figure 5.5: the cat is the object, all cases agree, and only the position of the subject is marked."""
    network = Network(TEXTBOOK, SENTENCE)
    found = find_best(network)
    assert found.is_best
    assert found.best is not None
    assert (found.best.heads, found.best.labels) == ((2, 3, 0, 5, 3), ("DET", "OBJ", "ROOT", "DET", "SBJ"))
    assert [one.constraint.name for one in found.best.violations] == ["sbj-first"]
    assert found.best.weight == pytest.approx(0.8)


def test_repair_leaves_a_local_optimum() -> None:
    """From the subject-first reading with wrong agreement, through worse analyses, to the best one."""
    network = Network(TEXTBOOK, SENTENCE)
    start = (
        Value(0, "DET", 2),
        Value(0, "SBJ", 3),
        Value(0, "ROOT", 0),
        Value(0, "DET", 5),
        Value(1, "OBJ", 3),
    )
    repaired = repair(network, start=start)
    assert [x.constraint.name for x in repaired.first.violations] == ["agreement"]
    assert repaired.best.weight == pytest.approx(0.8)
    kept = [step.after.cost for step in repaired.repairs if step.kept]
    assert max(kept) > repaired.first.cost
    assert repaired.stopped is None


def test_repair_turns_a_word_and_one_far_below_it_round() -> None:
    """The verb stands below the noun, by way of the determiner; the noun may stand nowhere but under the verb."""
    grammar = Constraints.from_text(
        """
labels SUBJ DET ROOT
de : DET
hond : N
slaapt : V
constraint root: X.head = 0 -> X.label = ROOT and X.cat = V
constraint label: X.label = ROOT -> X.head = 0
constraint det: X.cat = DET -> X.label = DET and X^cat = N and X.position < X.head
constraint subj: X.cat = N -> X.label = SUBJ and X^cat = V
"""
    )
    start = Value(0, "SUBJ", 2), Value(0, "DET", 3), Value(0, "DET", 0)
    repaired = repair(Network(grammar, Sentence.of("slaapt de hond")), start=start)
    assert repaired.first.hard == 2
    assert (repaired.best.heads, repaired.best.labels) == ((0, 3, 1), ("ROOT", "DET", "SUBJ"))
    assert not repaired.best.violations
    assert [len(step.changes) for step in repaired.repairs] == [2]


@pytest.mark.parametrize("steps", [0, 1, 2, 5])
def test_repair_can_be_stopped_at_any_time(steps: int) -> None:
    repaired = repair(Network(TEXTBOOK, SENTENCE), Budget(steps=steps))
    assert repaired.tried == steps
    assert repaired.stopped == "steps"
    assert len(repaired.best.heads) == 5
    assert repaired.best.cost <= repaired.first.cost


@pytest.mark.parametrize("seed", range(5))
def test_repair_from_random_trees(seed: int) -> None:
    network = Network(TEXTBOOK, Sentence.of("die Katze jagt"))
    repaired = repair(network, Budget(steps=40), seed=seed)
    least = min(network.analysis(values).cost for values in assignments(network))
    assert repaired.best.cost >= least - 1e-9
    assert all(step.after.heads.count(0) >= 1 for step in repaired.repairs)


def test_a_search_that_is_stopped_knows_less() -> None:
    network = Network(TEXTBOOK, SENTENCE)
    nodes = find_best(network).nodes
    stopped = find_best(network, Budget(steps=nodes - 1))
    assert (stopped.is_best, stopped.stopped) == (None, "steps")
    assert find_best(network, Budget(steps=nodes)).is_best is True
    assert find_all(network, 100, Budget(steps=3)).is_all is None


def test_limits_of_all_analyses() -> None:
    network = Network(TEXTBOOK, SENTENCE)
    assert [(x.count, x.is_all) for x in (find_all(network, 15), find_all(network, 16), find_all(network, 17))] == [
        (15, False), (16, True), (16, True),
    ]  # fmt: skip


def test_given_trees() -> None:
    network = Network(TEXTBOOK, SENTENCE)
    found = find_given(network, (2, 3, 0, 5, 3), ("DET", "SBJ", "ROOT", "DET", "OBJ"))
    others = [x for x in find_all(network, 100).analyses if x.labels == found.labels]
    assert found.cost == pytest.approx(min(x.cost for x in others))
    with pytest.raises(UsageError, match="no label X"):
        find_given(network, (2, 3, 0, 5, 3), ("X",) * 5)
    with pytest.raises(UsageError, match="not a tree"):
        find_given(network, (2, 1, 0, 5, 3), ("DET", "SBJ", "ROOT", "DET", "OBJ"))


def test_without_an_analysis_the_fewest_hard_violations() -> None:
    network = Network(TEXTBOOK, Sentence.of("die der"))
    found = find_best(network)
    assert network.is_refuted
    assert found.is_best
    assert found.best is not None
    assert found.best.weight == 0
    brute = [network.analysis(values) for values in assignments(network)]
    assert found.best.hard == min(x.hard for x in brute)
    assert math.isclose(found.best.cost, min(x.cost for x in brute))


def test_the_schema(cli: Cli) -> None:
    file = str(EXAMPLES / "constraint-propagation.constraints")
    answer = cli("run", "constraint-propagation", "die jagt der Hund", "--grammar", file, "--json")
    assert json.loads(answer.out)["accepted"] is True
    command = "explain", "constraint-propagation", "die jagt der Hund", 'out[1, "DET@4/2"]'
    proof = cli(*command, "--grammar", "example")
    assert "clash(1 (die)" in proof.out
    assert proof.code == 0


def test_the_command(cli: Cli, tmp_path: Path) -> None:
    words = "constraints", "die Katze jagt der Hund", "--grammar", "constraint-propagation.constraints"
    picture = tmp_path / "network.svg"
    answer = cli(*words, "--svg", str(picture))
    assert answer.code == 0
    assert "acceptability 0.8" in answer.out
    assert "SBJ/OBJ" in picture.read_text(encoding="utf-8")
    assert cli(*words, "--why", "1 DET@3/1").code == 0
    assert cli(*words, "--why", "1 DET@2/1").code == 1
    assert cli(*words, "--why", "DET").code == 2
    for absent, hint in (
        ("2 SUBJ@1", "did you mean SBJ@"),
        ("2 SBJ@2", ""),
        ("6 SBJ@1", ""),
        ("9" * 5000 + " SBJ@1", ""),
    ):
        answer = cli(*words, "--why", absent)  # neither out nor left: no value at all
        assert answer.code == 2
        assert f"has no value {absent.split()[1]}" in answer.err
        assert hint in answer.err
    assert cli("constraints", "die Maus", *words[2:], "--why", "1 DET@2/1").code == 2
    assert cli("constraints", "die der", *words[2:]).code == 1
    assert cli("constraints", "die der", *words[2:], "--max-steps", "1").code == 2
    assert cli("constraints", "die Maus", *words[2:]).code == 1
    assert cli("constraints", "die Katze").code == 2
    assert cli("constraints", "die Katze", "--grammar", "english.cfg").code == 2
    assert cli("run", "earley", "die Katze", "--grammar", words[-1]).code == 2
    assert cli("run", "reachability", "die Katze", "--grammar", str(EXAMPLES / words[-1])).code == 2


@pytest.mark.parametrize(("name", "least"), [("english", 100), ("german", 100)])
def test_shipped_grammars(name: str, least: int) -> None:
    grammar = Constraints.read(EXAMPLES / f"{name}.constraints")
    assert len(grammar.constraints) >= least
    assert not grammar.warnings
    assert Constraints.from_text(grammar.to_text()) == grammar


@pytest.mark.parametrize(
    ("name", "text", "heads"),
    [
        ("english", "the/DET dog/NOUN chased/VERB a/DET cat/NOUN", (2, 3, 0, 5, 3)),
        ("english", "she/PRON has/AUX slept/VERB", (3, 3, 0)),
        ("english", "she/PRON is/AUX happy/ADJ ./PUNCT", (3, 3, 0, 3)),
        ("english", "they/PRON went/VERB to/ADP Paris/PROPN", (2, 0, 4, 2)),
        ("german", "die/DET Katze/NOUN schläft/VERB ./PUNCT", (2, 3, 0, 3)),
        ("german", "der/DET Hund/NOUN hat/AUX geschlafen/VERB", (2, 4, 4, 0)),
        ("german", "er/PRON wohnt/VERB in/ADP Berlin/PROPN", (2, 0, 4, 2)),
    ],
)
def test_sentences(name: str, text: str, heads: tuple[int, ...]) -> None:
    words, tags = zip(*(token.rsplit("/", 1) for token in text.split()), strict=True)
    answer = schemata.satisfy(Sentence(words, tags), Constraints.read(EXAMPLES / f"{name}.constraints"))
    assert answer.best is not None
    assert answer.best.heads == heads
    assert answer.found.is_best


def test_coverage() -> None:
    grammar = Constraints.read(EXAMPLES / "english.constraints")
    gold = Sentence(
        ("a", "dog", "slept"), ("DET", "NOUN", "VERB"), (2, 3, 0), labels=("det", "nsubj:x", "root")
    )
    odd = Sentence(("a", "dog"), ("DET", "NOUN"), (2, 0), labels=("nonsense", "root"))
    long = Sentence(("a",) * 9, ("DET",) * 9, (0, *[1] * 8), labels=("root", *["det"] * 8))
    unknown = Sentence(("a",), ("NOTHING",), (0,), labels=("root",))
    with pytest.raises(GrammarError):
        Network(grammar, unknown)
    found = constraint_coverage(grammar, [gold, odd, long, unknown], max_words=8)
    assert (found.sentences, found.analysed, found.admitted, found.as_good, found.skipped) == (2, 2, 1, 1, 1)
    assert found.violated["label nonsense"] == 1
    assert found.words == 5
    assert found.heads >= 3


@pytest.mark.skipif(not TREEBANKS.is_dir(), reason="there are no treebanks here")
def test_coverage_of_a_treebank() -> None:
    file = TREEBANKS / "UD_English-EWT" / "en_ewt-ud-dev.conllu"
    grammar = Constraints.read(EXAMPLES / "english.constraints")
    found = constraint_coverage(grammar, read_conllu(file), max_words=6, most=12, budget=Budget(steps=500))
    assert found.sentences == 12
    assert found.analysed >= 10
    assert found.admitted >= 10


@pytest.mark.parametrize("options", ["", "--repair", "--all 2", "--json"])
@pytest.mark.parametrize("text", ["Einhorn", "die Katze jagt Einhorn"])
def test_a_word_without_a_reading_has_no_analysis(text: str, options: str, cli: Cli) -> None:
    grammar = EXAMPLES / "constraint-propagation.constraints"
    said = cli(f"constraints {text} {options} --grammar", str(grammar))
    assert said.code == 1
    assert f'warning: word {len(text.split())}, "Einhorn", has no reading in the grammar' in said.err
    if options == "--json":
        found = json.loads(said.out)
        assert (found["refuted"], found["best"]) == (True, None)
    else:
        assert "no analysis was found" in said.out or "0 analyses without" in said.out
