"""Tables of LR automata by deduction, generalised LR over them, and a recognizer, against brute force."""

import itertools
import math
import random
import re
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

import schemata
from schemata import ContextFreeGrammar
from schemata.errors import SchemataError, UsageError
from tests.engine.test_demonstrations import Bodies, lr_table
from tests.support.charts import shipped
from tests.support.commands import Written

GLR, LR0 = shipped("glr"), shipped("lr0")
LEXICON = {"a": ["x"], "b": ["y", "x"]}
ALONE = r"\((\w) \([xy] (\w)\)\)"


def numbered(rows: Iterable[tuple[str, tuple[Any, ...]]]) -> set[tuple[Any, ...]]:
    """Return the rows of a table, its states numbered in the order in which a search from the first meets them."""
    table = list(rows)
    (first,) = (row[0] for name, row in table if name == "initial")
    states = [first]
    for state in states:
        after = sorted((x, q) for name, (p, x, q, *_) in ((n, (*r, "", "")) for n, r in table)
                       if name == "goto" and p == state)  # fmt: skip
        states += [q for _, q in after if q not in states]
    of = {state: str(number) for number, state in enumerate(states)}
    return {
        (name, of[row[0]], *row[1:-1], of[row[-1]] if name == "goto" else row[-1] if row[1:] else "")
        for name, row in table
    }


def random_rules(rng: random.Random, sizes: tuple[int, ...]) -> Bodies:
    bodies = [body for size in sizes for body in itertools.product("SAxy", repeat=size)]
    rules = [("S", body) for body in rng.sample(bodies, 3)] + [("A", body) for body in rng.sample(bodies, 2)]
    return sorted({*rules, ("S", ("x",)), ("A", ("y",))})


def test_tables_are_those_of_sets_of_dotted_rules() -> None:
    """The states, moves and reductions of the table that is made by deduction and of one made by sets are the same."""
    rng, sizes = random.Random(1), set()
    for size in ((2, 3), (1, 2), (0, 1, 2, 3)) * 5:
        rules = random_rules(rng, size)
        deduced = LR0.deduce(ContextFreeGrammar.of(rules, "S", LEXICON), GLR.definition.relations)
        ours = numbered((f.relation, f.arguments) for f in deduced.facts if f.relation != "lexical")
        truth = numbered((name, row) for name, rows in lr_table(rules).items() for row in rows)
        assert ours == truth
        sizes.add(len(truth))
        assert {f.arguments for f in deduced.facts if f.relation == "lexical"} == {
            (word, category) for word, categories in LEXICON.items() for category in categories
        }
    assert len(sizes) > 5


def trees(x: str, words: tuple[str, ...], rules: Bodies, above: frozenset[str] = frozenset()) -> list[str]:
    """Return the trees in which no constituent is above one of its category over the same words."""
    if x in above:
        return []
    found = [f"({x} {words[0]})"] if len(words) == 1 and x in LEXICON[words[0]] else []
    for parent, body in rules:
        if parent == x:
            found += [
                f"({' '.join((x, *row))})" for row in rows(body, words, rules, (len(words), above | {x}))
            ]
    return found


def rows(
    body: tuple[str, ...], words: tuple[str, ...], rules: Bodies, parent: tuple[int, frozenset[str]]
) -> Iterator[tuple[str, ...]]:
    """Yield rows of trees of a body, below a parent over so many words and what is above over as many."""
    if not body:
        yield from [()] * (not words)
        return
    for k in range(len(words) + 1):
        above = parent[1] if k == parent[0] else frozenset()
        for tree in trees(body[0], words[:k], rules, above):
            yield from ((tree, *rest) for rest in rows(body[1:], words[k:], rules, parent))


@pytest.mark.parametrize("engine", ["python", "native"])
def test_trees_of_generalised_lr_with_empty_rules_and_cycles(engine: Any) -> None:
    """Whatever the grammar, the trees are those of its derivations; Earley's algorithm agrees on cycles, too."""
    rng, earley, numbers, cyclic = random.Random(3), shipped("earley"), [], 0
    for size in ((0, 2), (0, 1, 2), (1, 2), (0, 1, 2, 3)) * 4:
        rules = random_rules(rng, size)
        grammar = ContextFreeGrammar.of(rules, "S", LEXICON)
        facts = LR0.deduce(grammar, GLR.definition.relations)
        for words in (("a",), ("b", "a"), ("b", "b", "a")):
            truth = sorted(trees("S", words, rules))
            forest, other = GLR.run(words, facts, engine=engine).forest(), earley.run(words, grammar).forest()
            assert sorted(map(str, forest.structures(None))) == truth, (rules, words)
            # Earley's trees leave out the category of a word that is all of a constituent.
            assert sorted(map(str, other.structures(None))) == sorted(
                {re.sub(ALONE, r"(\1 \2)", x) for x in truth}
            )
            assert forest.derivation_count in (len(truth), math.inf)
            cyclic += forest.derivation_count == math.inf
            numbers.append(len(truth))
    assert max(numbers) > 10
    assert 0 in numbers
    assert 2 < cyclic < len(numbers) - 10


@pytest.mark.parametrize("engine", ["python", "native"])
def test_the_recognizer_of_graham_harrison_and_ruzzo(engine: Any) -> None:
    """It accepts what has a tree; its steps are other ones than those of Earley's algorithm, its edges are the same."""
    rng, earley, ghr, answers = random.Random(5), shipped("earley"), shipped("ghr"), []
    for size in ((0, 2), (0, 1, 2), (1, 2), (0, 1, 2, 3)) * 4:
        rules = [rule for rule in random_rules(rng, size) if rng.random() < 0.8 or rule[1] == ("x",)]
        grammar = ContextFreeGrammar.of([*rules, ("A", ("y",))], "S", LEXICON)
        for words in (("a",), ("b", "a"), ("b", "b", "a")):
            chart, other = ghr.run(words, grammar, engine=engine), earley.run(words, grammar)
            assert {item for item in chart.items if item.form == "edge"} == set(other.items)
            assert chart.accepted == bool(trees("S", words, [*rules, ("A", ("y",))]))
            answers.append(chart.accepted)
    assert 10 < sum(answers) < len(answers)


def test_grammars_that_another_schema_deduces(written: Written) -> None:
    """The table is deduced by the name of a schema before that of a file of rules; what cannot be is refused."""
    rules = written("rules.cfg", 'S -> "the" N V | V\nthe : D\ncat : N\ntag VERB : V\n')
    sentence = schemata.Sentence(("the", "cat", "sleeps"), ("DET", "NOUN", "VERB"))
    (tree,) = GLR.run(sentence, f"lr0:{rules}").forest().structures()
    assert str(tree) == "(S the (N cat) (V sleeps))"
    weighed = written("weighed.cfg", "S -> V V [0.5]\nruns : V\n")
    for schema, grammar, message in (
        ("glr", str(rules), "has lr0 deduce facts"),
        ("glr", f"lcfrs:{rules}", "facts about words"),
        ("glr", f"lr0:{weighed}", "without weights"),
        ("lr0", "lr0:", "no grammar called|no such file|empty"),
        ("earley", f"lr0:{rules}", "no such file"),
    ):
        with pytest.raises(SchemataError) as refusal:
            schemata.load(schema).run(["the"], grammar)
        shown = " ".join(f"{d.message} {d.hint}" for d in refusal.value.diagnostics)
        assert re.search(message, shown), shown


def test_what_deduces_no_facts_for_a_schema_is_refused() -> None:
    relations = GLR.definition.relations
    rules = ContextFreeGrammar.of([("S", ("S", "S"))], "S", LEXICON)
    with pytest.raises(UsageError, match="no final item of cyk is a fact of one of accepting, goto"):
        shipped("cyk").deduce(rules, relations)
    with pytest.raises(UsageError, match="glr asks for facts about words"):
        GLR.deduce(rules, relations)
