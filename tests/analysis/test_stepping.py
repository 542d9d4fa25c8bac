"""Stepping through runs: offers, back and forth, oracles; the command in a pseudo-terminal."""

import json
import os
import pty
import random
import select
import subprocess
import sys
import time

import numpy as np
import pytest

import schemata
from schemata.analysis.stepping import Stepping
from schemata.engine.control import Exploration
from schemata.structures import DependencyTree, Sentence, tree_class, trees_of_class
from schemata.structures.oracles import ORACLES, follow
from tests.support.commands import Cli


def stepping(
    name: str, words: str, grammar: str | None = None, gold: DependencyTree | None = None
) -> Stepping:
    schema, sentence = schemata.load(name).of_inputs(words)
    chosen = schema.check_grammar(grammar).for_sentence(sentence)
    return Stepping(schema, lambda: Exploration(schema.definition, sentence, chosen), gold)


@pytest.mark.parametrize(
    ("name", "grammar", "words"),
    [
        ("eisner1996", None, "a b c"),
        ("wg1", None, "a b c"),
        ("kahane1998", "heads:2,0,2", "a b c"),
        ("earley", "example", "the dog slept"),
        ("edit-distance", None, "a b ||| b"),
        ("noncrossing", None, "a b c"),
    ],
)
def test_whatever_is_chosen_the_chart_is_complete_at_the_end(
    name: str, grammar: str | None, words: str
) -> None:
    found = stepping(name, words, grammar)
    choose = random.Random(1)
    while offers := found.offers():
        found.take(choose.choice(offers).number)
    whole = schemata.load(name).run(words, grammar)
    chart = found.explored.chart_of(found.past)
    assert (chart.item_count, chart.step_count) == (whole.item_count, whole.step_count)


@pytest.mark.parametrize("name", ["eisner1996", "arc-eager-system"])
def test_a_strategy_advises_what_it_takes(name: str) -> None:
    """Its items in turn, each of which is offered first, until nothing is advised."""
    schema, sentence = schemata.load(name).of_inputs("a b c d")
    grammar = schema.check_grammar(None).for_sentence(sentence)
    weights = schemata.ArcScores(np.random.default_rng(3).normal(size=(5, 5)))
    chart = schema.run(sentence, weights=weights, control="beam 2")
    plan = [chart.item(x) for x in range(chart.raw.hypothesis_count, chart.raw.item_count)]
    found = Stepping(schema, lambda: Exploration(schema.definition, sentence, grammar), plan=plan)
    shown = []
    while found.answer("o"):
        shown.append(found.current)
    assert [*map(str, shown)] == [*map(str, plan)]
    assert found.offers()
    assert not any(one.advised for one in found.offers())


def test_the_command_marks_what_a_strategy_takes(cli: Cli) -> None:
    out = cli("step", "eisner1996", "a b", "--control", "greedy", "--take", "o", "--json").out
    state = json.loads(out)
    assert len(state["taken"]) == 1
    assert [one["advised"] for one in state["offers"]][:2] == [True, False]
    refused = cli("step", "eisner1996", "a b", "--control", "greedy", "--heads", "0,1")
    assert refused.code == 2
    assert "--heads" in refused.err


def test_back_and_forth() -> None:
    found = stepping("arc-eager-system", "a b c")
    shown = []
    while offers := found.offers():
        shown.append((found.current, [str(one.item) for one in offers], found.built()))
        found.take(offers[-1].number)
    assert not found.forward()
    for before in reversed(shown):
        assert found.back()
        assert (found.current, [str(one.item) for one in found.offers()], found.built()) == before
    assert not found.back()
    for before in shown:
        assert (found.current, [str(one.item) for one in found.offers()], found.built()) == before
        assert found.forward()
    found.back()
    found.take(found.offers()[0].number)
    assert not found.forward()  # another way was taken


@pytest.mark.parametrize("system", sorted(ORACLES))
@pytest.mark.rotated(4)
def test_the_oracle_of_a_system_leads_to_the_tree(system: str) -> None:
    for tree in list(trees_of_class(tree_class("projective"), 4))[::3]:
        found = stepping(system, "a b c d", None, tree)
        while found.answer("o"):
            assert set(found.built()) <= set(tree.links)
            assert sum(bool(one.advised) for one in found.offers()) <= 1
        wanted = {link for link in tree.links if link[1]}
        if follow(system, tree).reproduced:
            assert set(found.built()) == wanted


@pytest.mark.parametrize("name", ["eisner1996", "arc-standard", "mh", "kahane1998"])
def test_the_oracle_of_a_chart_takes_what_derives_the_tree(name: str) -> None:
    tree = DependencyTree((2, 0, 2))
    found = stepping(name, "a b c", "heads:2,0,2" if name == "kahane1998" else None, tree)
    finals = 0
    while any(one.advised for one in found.offers()):
        finals += sum(bool(one.final and one.advised) for one in found.offers())
        found.answer("o")
    assert finals
    useful = schemata.load(name).run("a b c", "heads:2,0,2").forest().useful_ids
    assert len(found.past) == len({x for x in useful if x >= found.explored.raw.hypothesis_count})


def test_losses_are_shown_and_false_choices_refused(cli: Cli) -> None:
    words = ("step", "arc-eager-system", "She saw it", "--heads", "2,0,2", "--take")
    found = json.loads(cli(*words, "o,o", "--json").out)
    assert [(one["step"], one["advised"], one["loss"]) for one in found["offers"]] == [
        ("Shift", False, 1), ("Left-Arc", True, 0), ("Right-Arc", False, 1),
    ]  # fmt: skip
    assert found["taken"][-1] == "state[<1>, <2, 3>, <>]"
    for wrong in ("9", "x", "b"):
        assert cli(*words, wrong).code == 2
    assert cli("step cyk", "the dog", "--grammar", "example", "--heads", "2,0").code == 2
    assert cli("step eisner1996").code == 2


def test_the_command_in_a_pseudo_terminal() -> None:
    """Take, take back, go forth, follow the oracle to the end, ask for what is not possible, quit."""
    main, other = pty.openpty()
    words = [
        sys.executable,
        "-m", "schemata", "step", "hybrid-system", "--conllu", "example", "--width", "100",
    ]  # fmt: skip
    process = subprocess.Popen(
        words, stdin=other, stdout=other, stderr=other, close_fds=True, env={**os.environ, "TERM": "dumb"}
    )
    os.close(other)
    seen = ""

    def until(text: str) -> str:
        nonlocal seen
        begun, end = len(seen), time.monotonic() + 60
        while text not in seen[begun:] and time.monotonic() < end:
            if select.select([main], [], [], 1)[0]:
                seen += os.read(main, 65536).decode()
        assert text in seen[begun:], seen[begun:]
        return seen[begun:]

    try:
        until("q: quit > ")
        for answer, told in (
            ("", "1 taken"), ("1", "2 taken"), ("b", "1 taken"), ("f", "2 taken"), ("99", "99 is not possible here"),
            ("a", "2 taken"), ("", "3 taken"),
        ):  # fmt: skip
            os.write(main, f"{answer}\n".encode())
            assert told in until("q: quit > ")
        os.write(main, b"q\n")
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()
        os.close(main)


def test_sentences_are_split_into_inputs_by_the_schema() -> None:
    assert stepping("edit-distance", "a ||| b").explored.chart.sentence == Sentence(("a", "b"))


@pytest.mark.parametrize("name", ["itg", "cyk", "eisner-labelled"])
@pytest.mark.parametrize("command", ["step", "why-not"])
def test_which_schemata_take_heads(cli: Cli, command: str, name: str) -> None:
    """Those of other structures say so, before anything is said of the heads."""
    code, out, err = cli(command, name, "the cat sat", "--grammar", "example", "--heads", "2,0")
    assert (code, out) == (2, "")
    assert f"--heads is about dependency trees over D-rules or dependency rules; schema {name} builds" in err
