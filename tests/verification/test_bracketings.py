"""Which words schemata over facts put together, against trees that are read off their forests, and counts of them."""

import itertools
import random

import pytest

import schemata
from schemata import verify
from schemata.cli.main import main
from schemata.errors import SchemaError, UsageError
from schemata.forest.states import finished_states
from schemata.grammars.facts import yield_functions
from schemata.learning.brackets import bracketing_of, coverage_of_brackets, read_trees
from schemata.records import replace
from schemata.structures.bracketings import (
    PROPERTIES,
    Bracketing,
    all_bracketings,
    bracketing_class,
    class_of,
    classes_around,
)
from schemata.thresholds import changed
from schemata.verification.bracketings import WordSets
from schemata.verification.grammars import decided_by_facts, every_fact, fact_cases, random_facts
from schemata.verification.progress import RUN_BUDGET, run_case

Sets = frozenset[frozenset[int]]


def families(n: int) -> set[Sets]:
    """Return the sets of sets of two words and more of which any two are apart or one in the other, with the whole."""
    words = range(1, n + 1)
    whole = frozenset(words)
    inner = [frozenset(x) for size in range(2, n) for x in itertools.combinations(words, size)]
    found = set()
    for size in range(n):
        for chosen in itertools.combinations(inner, size):
            if all(not a & b or a <= b or b <= a for a, b in itertools.combinations(chosen, 2)):
                found.add(frozenset({*chosen, whole} if n > 1 else set()))
    return found


def sets_of(one: Bracketing) -> Sets:
    return frozenset(map(frozenset, one.to_json()))


def is_continuous(one: Sets) -> bool:
    return all(max(x) - min(x) + 1 == len(x) for x in one)


def is_well_nested(one: Sets) -> bool:
    return not any(
        w < x < y < z and {w, y} <= a and {x, z} <= b
        for a, b in itertools.permutations(one, 2)
        if not a & b
        for w, x, y, z in itertools.combinations(sorted(a | b), 4)
    )


def is_binary(one: Sets) -> bool:
    """Whether there are as many constituents as a binary tree has."""
    return not one or len(one) == len(max(one, key=len)) - 1


@pytest.mark.parametrize("n", range(1, 5))
def test_bracketings_are_the_families_of_sets_of_a_tree(n: int) -> None:
    every = {sets_of(one): one for one in all_bracketings(n)}
    assert every.keys() == families(n)
    assert len(every) == len(all_bracketings(n))
    for name, test in (("continuous", is_continuous), ("well-nested", is_well_nested), ("binary", is_binary)):
        assert {one for one in every if PROPERTIES[name](every[one])} == set(filter(test, every))


def test_numbers_of_bracketings_are_known_ones() -> None:
    """Those of Schröder, of Catalan, of binary trees with labelled leaves, and of all such trees."""
    names = ("all", "binary", "continuous", "binary+continuous")
    counts = [[len(bracketing_class(name).bracketings(n)) for n in range(1, 6)] for name in names]
    assert counts == [[1, 1, 4, 26, 236], [1, 1, 3, 15, 105], [1, 1, 3, 11, 45], [1, 1, 2, 5, 14]]


def test_classes_are_named_by_their_properties() -> None:
    crossing = Bracketing.of(4, [(1, 2, 3, 4), (1, 3), (2, 4)])
    assert bracketing_class("well-nested").missing(crossing) == "well-nested"
    assert bracketing_class("fan-out-2+binary").missing(crossing) is None
    assert bracketing_class("fan-out-1").missing(crossing) == "of fan-out 1"
    assert class_of([crossing]).name == "binary"
    assert class_of([Bracketing.of(3, [(1, 2, 3)])]).name == "continuous"
    assert bracketing_class("all").missing(crossing) is None
    with pytest.raises(UsageError, match="bracketings have no class 'binry'"):
        bracketing_class("binry")


def test_what_is_no_tree_says_why() -> None:
    assert Bracketing.of(3, [(1, 2)]).fault == "no constituent has all words"
    assert Bracketing.of(3, [(1, 2, 3), (1, 2), (2, 3)]).fault == "{1 2} {2 3} overlap"
    assert Bracketing.of(1, [(1,)]).fault is None
    assert str(Bracketing.of(4, [(1, 2, 3, 4), (1, 3), (2, 4)]).tree) == "( ( 0=w1 2=w3) ( 1=w2 3=w4))"


def test_yield_functions_make_all_that_any_make() -> None:
    """Of all texts, up to an exchange of the parts and spans that could be one."""
    found = set()
    for text in map("".join, itertools.product("01,", repeat=5)):
        for size in range(2, 6):
            pieces = text[:size].split(",")
            joined = text[:size].replace(",", "")
            apart = all(a != b for piece in pieces for a, b in itertools.pairwise(piece))
            if (
                all(pieces)
                and apart
                and joined[0] == "0"
                and len(pieces) < 3
                and {joined.count("0"), joined.count("1")} <= {1, 2}
            ):
                found.add(text[:size])
    assert {text for text in yield_functions(2, 2) if len(text) < 6} == found
    assert [len(yield_functions(2, k)) for k in (1, 2, 3)] == [1, 12, 89]
    assert yield_functions(1, 2) == ("0", "0,0")


# Shipped schemata --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "wanted", "n"),
    [
        pytest.param("lcfrs", "well-nested+binary", 3, marks=pytest.mark.thorough),
        ("glr", "continuous", 4),
        ("tag-cky", "continuous+binary", 3),
        ("tag-earley", "continuous+binary", 2),
        ("bilexical", "continuous+binary", 4),
        ("head-driven", "continuous+binary", 3),
    ],
)
def test_shipped_schemata_derive_just_their_class(name: str, wanted: str, n: int) -> None:
    found = verify(name, None, n)
    assert (found.class_name, found.sound, found.complete, found.holds) == (wanted, True, True, True)
    assert decided_by_facts(schemata.load(name).definition)


@pytest.mark.thorough
def test_categories_with_arguments_can_only_confirm_a_class() -> None:
    """Other facts may derive more; what facts over one symbol derive is derived."""
    found = verify("ccg", "binary+continuous", 3)
    assert (found.sound, found.complete, found.complete_to) == (True, True, 3)
    assert not decided_by_facts(schemata.load("ccg").definition)
    more = verify("ccg", "continuous", 3)
    assert (more.sound, more.complete, more.complete_to) == (True, None, 2)


WEAK = """schema weak
  structure constituent tree

relation lexical(form: word, category: symbol)
relation binary(parent: symbol, left: symbol, right: symbol)

item c[A: symbol, i: position, j: position]  where 0 <= i < j <= n

step Word
  --------------  lexical(j, A), builds bracket(A, j, j)
  c[A, j - 1, j]

step Pair
  c[B, i, j]   c[C, j, k]
  -----------------------  binary(A, B, C), CONDITION, builds bracket(A, i + 1, k)
  c[A, i, k]

final c[_, 0, n]
"""


def test_a_branching_to_one_side_misses_bracketings(capsys: pytest.CaptureFixture[str], tmp_path) -> None:
    path = tmp_path / "weak.schema"
    path.write_text(WEAK.replace("CONDITION", "j == i + 1"), encoding="utf-8")
    assert main(["verify", str(path), "--class", "binary+continuous", "--max-n", "3"]) == 1
    shown = capsys.readouterr().out
    assert "complete  no" in shown
    assert "whatever the facts" in shown
    picture = tmp_path / "missed.svg"
    assert (
        main(["verify", str(path), "--class", "binary+continuous", "--max-n", "3", "--svg", str(picture)])
        == 1
    )
    assert "w3" in picture.read_text(encoding="utf-8")
    found = verify(schemata.load(path), "binary+continuous", 3)
    assert (found.sound, found.complete_to) == (True, 2)
    assert sets_of(found.incomplete.structure.value) == {frozenset({1, 2}), frozenset({1, 2, 3})}


def test_a_lost_word_is_no_tree() -> None:
    text = WEAK.replace("CONDITION, builds bracket(A, i + 1, k)", "builds bracket(A, j, k)")
    found = verify(schemata.schema(text), "all", 3)
    assert found.sound is False
    assert "no tree" in found.unsound.fault
    assert found.unsound.derivation


@pytest.mark.thorough
def test_a_class_too_small_is_refuted_with_a_derivation() -> None:
    found = verify("lcfrs", "continuous+binary", 3)
    assert (found.sound, found.complete) == (False, True)
    assert found.unsound.fault == "a bracketing that is not continuous"
    assert sets_of(found.unsound.structure.value) == {frozenset({1, 2, 3}), frozenset({1, 3})}


def test_what_is_cut_short_is_unknown() -> None:
    found = verify("glr", "continuous", 3, budget=schemata.Budget(steps=5))
    assert (found.sound, found.complete, found.stopped) == (None, None, "steps")
    with pytest.raises(UsageError, match="random is about trees"):
        verify("glr", "continuous", 2, random=3)
    with pytest.raises(UsageError, match="derives semantic graphs"):
        verify("hyperedge-replacement", None, 2)


@pytest.mark.parametrize("name", ["lcfrs", "tag-cky", "ccg", "glr"])
def test_word_sets_are_those_of_the_trees(name: str) -> None:
    """Under small random facts, whose forests are listed whole."""
    schema, rng, met = schemata.load(name), random.Random(name), 0
    words, share = ("w1", "w2", "w3"), 0.3 if name == "glr" else 0.1
    for _ in range(12):
        whole = every_fact(schema.definition, words, 2)
        rows = sorted(whole.rows, key=str)
        few = frozenset(
            x
            for x in rows
            if x[0] in {"lexical", "start", "anchor", "initial", "accepting"} or rng.random() < share
        )
        chart = run_case(schema, replace(whole, rows=few), RUN_BUDGET)
        trees = chart.forest().structures(2000)
        listed = {
            frozenset(
                frozenset(node.covered) for top in one.nodes for node in top.walk() if len(node.covered) > 1
            )
            for one in trees
        }
        building = WordSets(chart)
        states = finished_states(chart.forest(), building, None)
        found = {sets_of(building.structure(state)) for state in states} if chart.accepted else set()
        assert listed <= found
        assert len(trees) == 2000 or found == listed
        met += len(found)
    assert met > 3


# The facts ---------------------------------------------------------------------------------------------------------


def test_few_facts_with_yield_functions_are_drawn_beyond_short_sentences() -> None:
    schema = schemata.load("lcfrs").definition

    def most(n: int) -> int:
        cases = random_facts(schema, n, 6, random.Random(1))
        return max(sum(name == "binary" for name, _ in case.rows) for case in cases)

    with changed(exhaustive_words=2, random_yields=3):
        assert most(2) > 3
        assert most(3) == 3
    with changed(exhaustive_words=2, random_yields=5):
        assert most(3) == 5


def test_what_must_be_lacking_alone_is_not_among_all_facts() -> None:
    schema = schemata.load("tag-cky").definition
    _, cases = fact_cases(schema, 2, 0)
    first, *others = cases
    assert first.is_whole
    assert not any(name == "obligatory" for name, _ in first.rows)
    assert any(name == "obligatory" for case in others for name, _ in case.rows)


SPLIT = """schema split extends lcfrs

item half[A: symbol, C: symbol, F: symbol, S: list of (position, position)]

replace step Binary
  case left
    c[B, S]
    ----------------  binary(A, B, C, F)
    half[A, C, F, S]
  case right
    half[A, C, F, S]   c[C, T]
    --------------------------  builds bracket(A, compose(F, S, T))
    c[A, compose(F, S, T)]
"""


def test_functions_that_a_step_does_not_ask_for_are_not_tried() -> None:
    schema = schemata.schema(SPLIT)
    assert not decided_by_facts(schema.definition)
    assert verify(schema, "binary", 2).complete is None
    with pytest.raises(UsageError, match="by a function that no relation of the step has"):
        schemata.relate("lcfrs", schema, max_n=2)


# Relations ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "steps"), [("lcfrs", {"Word", "Unary", "Binary"}), ("ccg", {">", "<", ">B", "<B"})]
)
def test_relations_are_decided_on_all_steps(
    name: str, steps: set[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Symbols as yield functions, or no terms, left steps without an instance."""
    assert main(["relate", name, name, "--kind", "static-filter", "--max-n", "2"]) == 0
    shown = capsys.readouterr().out
    for step in steps:
        assert f"{step} of {name} = {step} of {name}" in shown
    assert ("terms of at most one" in shown) is (name == "ccg")


def test_open_arguments_and_facts_that_must_be_lacking() -> None:
    """tag-earley asks adjoins(N, _) and not obligatory(N); a filter of it is found, and a step too many is not."""

    def filtered(one: object, other: object) -> bool:
        return schemata.relate(one, other, "static-filter", max_n=1).holds is True

    assert filtered("tag-earley", "tag-earley")
    loose = schemata.schema(
        "schema loose extends tag-cky\n\nreplace step No Adjunction\n"
        "  node[N, false, i, j?, k?, l]\n  ----------------------------\n  node[N, true, i, j, k, l]\n"
    )
    assert filtered(loose, "tag-cky") is not filtered("tag-cky", loose)


def test_a_relation_by_the_name_of_a_word_of_the_language_is_refused() -> None:
    """The condition with `not` ended in a traceback."""
    with pytest.raises(SchemaError, match="relation rule is a word of the language"):
        schemata.schema(
            WEAK.replace("relation binary", "relation rule").replace("CONDITION", "not rule(A, C, B)")
        )


def test_facts_that_must_be_there_and_lacking_decide_nothing() -> None:
    both = schemata.schema(WEAK.replace("CONDITION", "not binary(A, C, B)"))
    with pytest.raises(UsageError, match="conditions ask for facts of binary, and that there are none"):
        schemata.relate(both, both, max_n=1)


# Between classes -----------------------------------------------------------------------------------------------------


def stretches(one: Sets) -> int:
    """Return the most stretches of words that a set has."""
    return max((sum(word - 1 not in x for word in x) for x in one), default=1)


TESTS = {
    "": lambda one: True,
    "continuous": is_continuous,
    "fan-out-2": lambda one: stretches(one) <= 2,
    "well-nested": is_well_nested,
    "binary": is_binary,
}


def members(names: tuple[str, ...], n: int) -> frozenset[tuple[int, Sets]]:
    """Return the bracketings of up to n words that have some properties."""
    return frozenset(
        (k, one) for k in range(1, n + 1) for one in families(k) if all(TESTS[name](one) for name in names)
    )


def around(found: frozenset[tuple[int, Sets]], n: int) -> tuple[set[frozenset], frozenset]:
    """Return the greatest classes within some bracketings, and the smallest one around them, by their members."""
    spans = ("", "fan-out-2", "continuous")
    every = {members(names, n) for names in itertools.product(spans, ("", "well-nested"), ("", "binary"))}
    lower = {one for one in every if one <= found}
    return {one for one in lower if not any(one < other for other in lower)}, min(
        (one for one in every if found <= one), key=len
    )


@pytest.mark.parametrize("n", [3, 4, pytest.param(5, marks=pytest.mark.thorough)])
def test_classes_around_bracketings_are_the_greatest_and_the_smallest(n: int) -> None:
    rng = random.Random(n)
    every = [one for k in range(1, n + 1) for one in all_bracketings(k)]
    names = [tuple(x) for size in range(3) for x in itertools.combinations(list(TESTS)[1:], size)]
    for some in names:
        kept = [x for x in every if all(TESTS[name](sets_of(x)) for name in some)]
        more = rng.sample(every, min(3, len(every)))
        for found in (kept, [*kept, *more], [x for x in kept if x not in more]):
            lower, upper = classes_around(found, n)
            wanted = around(frozenset((x.n, sets_of(x)) for x in found), n)
            assert {members(tuple(name.split("+")) if name != "all" else (), n) for name in lower} == wanted[
                0
            ]
            assert members(tuple(upper.split("+")) if upper != "all" else (), n) == wanted[1]


MORE = """
step Triple
  c[B, i, j]   c[C, j, k]   c[D, k, l]
  ------------------------------------  ternary(A, B, C, D), builds bracket(A, i + 1, l)
  c[A, i, l]

final c[_, 0, n]
"""


def test_a_schema_lies_between_classes_of_bracketings(capsys: pytest.CaptureFixture[str], tmp_path) -> None:
    """With two and three branches all binary trees are derived, none with gaps, and not the flat one of four words."""
    text = WEAK.replace("CONDITION, ", "").replace("\nfinal c[_, 0, n]\n", MORE)
    relation = "relation ternary(parent: symbol, left: symbol, middle: symbol, right: symbol)\n\nitem"
    path = tmp_path / "weak.schema"
    path.write_text(text.replace("item", relation, 1), encoding="utf-8")
    found = verify(path, None, 4)
    assert (found.between.lower, found.between.upper, found.between.to) == (
        ("continuous+binary",),
        ("continuous",),
        4,
    )
    assert found.complete is False
    assert main(["verify", str(path), "--max-n", "4"]) == 1
    told = "between classes, to 4 words: all continuous+binary bracketings; nothing outside continuous"
    assert told in capsys.readouterr().out
    assert verify(path, None, 3).between.lower == ("continuous",)  # three words do not tell
    right = tmp_path / "right.schema"
    right.write_text(WEAK.replace("CONDITION", "j == i + 1").replace("weak", "right"), encoding="utf-8")
    found = verify(right, None, 3)
    assert (found.between.lower, found.between.upper) == ((), ("continuous+binary",))
    assert main(["verify", str(right), "--max-n", "3"]) == 1
    assert (
        "not all bracketings of a known class; nothing outside continuous+binary" in capsys.readouterr().out
    )


@pytest.mark.thorough
def test_what_other_facts_may_derive_is_not_said_to_be_outside() -> None:
    found = verify("ccg", None, 3).between
    assert (found.lower, found.upper) == (("continuous+binary",), None)


def test_what_is_no_tree_is_outside_all_classes() -> None:
    text = WEAK.replace("CONDITION, builds bracket(A, i + 1, k)", "builds bracket(A, j, k)")
    assert verify(schemata.schema(text), None, 3).between.upper == ()


# Treebanks -----------------------------------------------------------------------------------------------------------


def drawn(words: list[int], rng: random.Random) -> tuple[list, str]:
    """Return the sets of a random tree over some words, and its text with numbered words."""
    if len(words) == 1:
        return [], f"(w {words[0]}=x)"
    blocks: list[list[int]] = [[] for _ in range(min(len(words), rng.choice((2, 2, 2, 3))))]
    for k, word in enumerate(rng.sample(words, len(words))):
        blocks[k if k < len(blocks) else rng.randrange(len(blocks))].append(word)
    if rng.random() < 0.5:
        cuts = sorted(rng.sample(range(1, len(words)), len(blocks) - 1))
        blocks = [words[a:b] for a, b in itertools.pairwise([0, *cuts, len(words)])]
    below = [drawn(sorted(block), rng) for block in blocks]
    sets = [frozenset(word + 1 for word in words), *(one for sets, _ in below for one in sets)]
    return sets, f"(X {' '.join(text for _, text in below)})"


def test_trees_of_a_treebank_are_counted_by_class(capsys: pytest.CaptureFixture[str], tmp_path) -> None:
    rng, lines, wanted = random.Random(7), [], dict.fromkeys((*TESTS, "binary+continuous"), 0)
    for _ in range(60):
        sets, text = drawn(list(range(rng.randint(1, 6))), rng)
        lines.append(text)
        for name, test in TESTS.items():
            wanted[name] += test(frozenset(sets))
        wanted["binary+continuous"] += is_binary(frozenset(sets)) and is_continuous(frozenset(sets))
    path = tmp_path / "trees.discbracket"
    path.write_text("\n".join(lines), encoding="utf-8")
    found = coverage_of_brackets(path)
    assert found.sentences == found.classes["all"] == 60
    for name in ("continuous", "well-nested", "fan-out-2", "binary"):
        assert found.classes[name] == wanted[name], name
    assert found.classes["continuous+binary"] == wanted["binary+continuous"]
    assert 0 < wanted["continuous"] < wanted["well-nested"] < 60
    assert main(["coverage", "--brackets", str(path)]) == 0
    assert f"continuous {wanted['continuous']}" in " ".join(capsys.readouterr().out.split())


def test_words_without_numbers_stand_as_they_are_written(tmp_path) -> None:
    path = tmp_path / "trees.mrg"
    path.write_text(
        "( (S (NP (DT the) (NN 1=cat)) (VP (V sat) (-NONE- *)) (. .)) )\n(S (VP 0=what 2=saw) 1=he)"
    )
    one, other = read_trees(path, named=False)
    assert str(bracketing_of(one)) == "{1 2 3 4} {1 2}"
    assert str(bracketing_of(other)) == "{1 2 3} {1 3}"


def test_coverage_of_bracketings_says_what_it_cannot_do(capsys: pytest.CaptureFixture[str], tmp_path) -> None:
    path = tmp_path / "trees.mrg"
    path.write_text("(S (NP she) (VP sleeps))", encoding="utf-8")
    for arguments, message in (
        (["--brackets", "--schema", "lcfrs"], "verify lcfrs names the classes that it lies between"),
        (["--schema", "lcfrs"], "--brackets counts bracketed trees"),
        (["--classes"], "bracketed trees: coverage FILE --brackets"),
    ):
        assert main(["coverage", str(path), *arguments]) == 2
        assert message in capsys.readouterr().err
    path.write_text("", encoding="utf-8")
    assert main(["coverage", str(path), "--brackets"]) == 2
    assert "no tree stands in" in capsys.readouterr().err
    path.write_text("(S (VP 0=what 2=saw) 2=he)", encoding="utf-8")
    assert main(["coverage", str(path), "--brackets"]) == 2
    assert "two words of a tree have one number" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "sets"),
    [
        ("(S (VP 0=what 3=saw) 1=he (-NONE- 2=*))", "{1 2 3} {1 3}"),  # the empty element had a number
        ("(S (VP 7=what 9=saw) 8=he)", "{1 2 3} {1 3}"),
        ("(\nS\n(NP a\n) (\nVP b c))", "{1 2 3} {2 3}"),  # labels on lines of their own
    ],
)
def test_holes_in_numbers_and_ends_of_lines_make_no_other_tree(text: str, sets: str, tmp_path) -> None:
    path = tmp_path / "trees.mrg"
    path.write_text(text, encoding="utf-8")
    (one,) = read_trees(path, named=False)
    assert str(bracketing_of(one)) == sets
