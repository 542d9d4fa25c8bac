"""The shipped exercises: accepted and wrong answers, counts and variants against brute force, limits, the command."""

import ast
import json
import math
import subprocess
import sys
import textwrap
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import schemata
from schemata.errors import SchemataError, UsageError
from schemata.exercises.formulas import read_formula
from schemata.exercises.grading import grade
from schemata.exercises.model import rules_text
from schemata.exercises.reading import check_exercise, exercise_from_text, read_exercise, shipped_exercises
from schemata.exercises.variants import variant_of
from schemata.records import replace
from tests.exercises.answers import NEXT_RIGHT, RIGHT, WRONG

NAMES = list(shipped_exercises())


def flat(value):
    return " ".join(str(value).split())


def test_twenty_are_shipped():
    assert len(NAMES) == 20
    assert sorted(NAMES) == sorted(RIGHT) == sorted(WRONG)
    assert {read_exercise(name).kind for name in NAMES} == {
        "next-item", "count", "class", "second-derivation", "mend", "write",
    }  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.rotated(4)
def test_answers_are_graded(name):
    exercise = read_exercise(name)
    assert exercise.title
    assert exercise.task in str(exercise) or flat(exercise.task) in flat(exercise)
    found = grade(exercise, RIGHT[name], seconds=200)
    assert (found.right, found.hint) == (True, ""), str(found)
    assert len(WRONG[name]) >= 2
    for answer, said in WRONG[name]:
        found = grade(exercise, answer, seconds=40)
        assert found.right is False, answer
        assert said in flat(found), answer
        assert flat(exercise.hint) in flat(found)
        assert json.loads(json.dumps(found.to_json()))["right"] is False


def test_all_next_items_are_right():
    for name, answers in NEXT_RIGHT.items():
        assert all(schemata.exercise(name, answer).right for answer in answers)


# Numbers against brute force -------------------------------------------------------------------------------


def projective_trees(n):
    """Count the head lists of n words with one root that are acyclic, and whose words below a word are an interval."""
    found = 0
    for heads in product(range(n + 1), repeat=n):
        below = {d: {d} for d in range(1, n + 1)}
        for d in range(1, n + 1):
            at, steps = d, 0
            while at and steps <= n:
                at, steps = heads[at - 1], steps + 1
                if at:
                    below[at].add(d)
            if steps > n:
                break
        else:
            whole = all(len(words) == max(words) - min(words) + 1 for words in below.values())
            found += heads.count(0) == 1 and whole
    return found


def binary_derivations(n):
    """Count the binary trees over n words with one of two steps at each inner node, by the place of the last cut."""
    return 1 if n == 1 else sum(2 * binary_derivations(k) * binary_derivations(n - k) for k in range(1, n))


def test_right_formulas_agree_with_brute_force():
    def formula(name, n):
        return read_formula(RIGHT[name], ["n"])({"n": n})

    for n in range(1, 6):
        intervals = [(i, j) for i in range(1, n + 1) for j in range(i, n + 1)]
        assert formula("06-collins-items", n) == sum(j - i + 1 for i, j in intervals if i < j)
        flags = [(False, False), (True, False), (False, True)]
        spans = [(i, j, b, c) for i, j in combinations(range(n + 1), 2) for b, c in flags if i or not b]
        assert formula("07-eisner-items", n) == len(spans)
        assert formula("08-collins-derivations", n) == binary_derivations(n)
        assert formula("09-projective-trees", n) == projective_trees(n)


def test_a_formula_that_fails_at_the_last_length_only_is_wrong():
    wrong = f"{RIGHT['06-collins-items']} + (n-1)(n-2)(n-3)(n-4)(n-5)(n-6)"
    found = schemata.exercise("06-collins-items", wrong)
    assert found.right is False
    assert "the chart of 7 words" in found.message
    right = f"{RIGHT['06-collins-items']} + (n-1)(n-2)(n-3)(n-4)(n-5)(n-6)(n-7)"
    assert schemata.exercise("06-collins-items", right).right  # beyond the lengths that are asked for


_NUMBERS = st.integers(0, 50).map(str) | st.just("n")
_FORMULAS = st.recursive(
    _NUMBERS,
    lambda inner: (
        st.tuples(inner, st.sampled_from(["+", "-", "*"]), inner).map(lambda x: f"({x[0]} {x[1]} {x[2]})")
        | st.tuples(inner, st.integers(0, 3)).map(lambda x: f"{x[0]}^{x[1]}" if not x[0].count("^") else x[0])
    ),
    max_leaves=8,
)


@given(_FORMULAS, st.integers(1, 9))
def test_formulas_mean_what_python_means(text, n):
    expected = eval(compile(ast.parse(text.replace("^", "**"), mode="eval"), "", "eval"), {"n": n})
    assert read_formula(text, ["n"])({"n": n}) == expected


def test_formulas_that_are_none():
    for text in ("", "n +", "m", "2^(3^(4^5))", "(" * 200, "import os", "9" * 400, "n!", "C(n)", "1/0 n"):
        with pytest.raises(SchemataError):
            read_formula(text, ["n"])({"n": 3})
    assert read_formula("C(n, 2)", ["n"])({"n": 6}) == math.comb(6, 2)


@pytest.mark.parametrize(
    ("name", "answers"),
    {
        "06-collins-items": ["(n³+3n²+2n)/6 − n", "n·(n+1)×(n+2)/6-n", "0.5n(n-1)*(n+4)/3", "C(n+2, 3)–n"],
        "07-eisner-items": ["1.5n^2 + 0.5n", "3n**2/2 + n/2"],
        "10-class-collins": ["projective (3 4 0 3)", "projective: heads:3,4,0,3", "3, 4, 0, 3: projective"],
        "13-second-collins": [
            "tree[1, 2, 2], tree[1, 3, 2]",
            "tree[1,2,2] tree[1,3,2];",
            "1. tree[1, 2, 2]\n2) tree[1, 3, 2]",
        ],
    }.items(),
)
def test_a_right_answer_may_be_written_in_several_ways(name, answers):
    for answer in answers:
        assert schemata.exercise(name, answer).right, answer
    assert schemata.exercise("06-collins-items", "n¹⁰").message.endswith("n¹⁰ is 1 there")
    for text in ("5.", ".5", "1.2.3", "n²³⁴⁵"):
        with pytest.raises(SchemataError):
            read_formula(text, ["n"])({"n": 3})


@pytest.mark.parametrize("name", NAMES)
def test_the_form_of_an_answer_is_said_and_no_answer_is_given_away(name):
    exercise = read_exercise(name)
    assert f"Answer: {exercise.answer}" in flat(exercise)
    for nothing in ("", " \n\t"):
        with pytest.raises(SchemataError, match="the answer is empty") as caught:
            grade(exercise, nothing)
        assert exercise.answer in flat(caught.value)
    if exercise.kind == "class":
        example = exercise.answer.split(": ")[1]
        if example.split(";")[0] in exercise.choices:
            assert grade(exercise, example).right is False
        else:
            with pytest.raises(SchemataError, match="not among the classes"):
                grade(exercise, example)


# Derivations and next items --------------------------------------------------------------------------------


def test_every_item_that_one_step_derives_is_right_and_no_other():
    exercise = read_exercise("04-eisner-next")
    begun = {"span[0, 1, false, false]", "span[1, 2, false, false]", "span[1, 2, true, false]"}
    right = set()
    for i, j in combinations(range(3), 2):
        for b, c in product(("false", "true"), repeat=2):
            text = f"span[{i}, {j}, {b}, {c}]"
            try:
                if grade(exercise, text).right:
                    right.add(text)
            except SchemataError:
                continue
    joined = "span[0, 2, false, false]"  # at word 1, which has its head in the second span
    linked = {"span[0, 1, false, true]", "span[1, 2, false, true]"}
    assert right == {joined, *linked}
    assert not right & begun


# Variants --------------------------------------------------------------------------------------------------


def trees_of(schema, n):
    """Return the trees that a schema derives under the grammar of all links."""
    chart = schema.run(" ".join(f"w{k}" for k in range(n)))
    return {tree.heads for tree in chart.forest().trees(None)}


@pytest.mark.parametrize("name", ["15-mend-collins", "17-mend-eisner"])
def test_broken_copies_differ_from_their_original(name):
    exercise, texts = read_exercise(name), set()
    for seed in range(4):
        variant = variant_of(exercise, seed)
        texts.add(variant.schema_text)
        assert any(
            trees_of(variant.schema, n) != trees_of(exercise.original, n)
            or variant.schema.run("a " * n).accepted
            for n in range(1, 5)
        )
        assert grade(variant, variant.schema_text, seconds=100).right is False
        assert grade(variant, exercise.original.definition.source.text, seconds=100).right is True
        assert variant_of(exercise, seed).schema_text == variant.schema_text
    assert len(texts) > 1


def test_other_variants_can_be_done():
    count = read_exercise("05-cyk-count")
    for seed in range(8):
        sentence = variant_of(count, seed).sentence
        assert sentence.words != count.sentence.words
        assert sorted(sentence.words) == sorted(count.sentence.words)
    alike = replace(count, sentence=schemata.Sentence(("cat", "cat")))
    assert variant_of(alike, 0).sentence.words == ("cat", "cat")  # there is no other order
    for seed in range(3):
        walk = variant_of(read_exercise("02-cyk-next"), seed)
        assert walk.taken == variant_of(read_exercise("02-cyk-next"), seed).taken
        assert grade(walk, "edge[S, 1, 3]").right in (True, False)
        tree = variant_of(read_exercise("13-second-collins"), seed)
        assert tree.heads != (2, 0, 2)
        assert trees_of(tree.schema, len(tree.heads)) >= {tree.heads}
    with pytest.raises(SchemataError, match="no variants"):
        variant_of(read_exercise("10-class-collins"), 1)


@pytest.mark.parametrize(
    ("name", "answer", "message"),
    [
        ("10-class-collins", "projective; 3 4 0 x", "names several classes: projective, x"),
        ("15-mend-collins", "collins1996", "'collins1996' is no text of a schema"),
    ],
)
def test_what_is_no_answer_is_named(name, answer, message):
    with pytest.raises(UsageError, match=message):
        schemata.exercise(name, answer)


# Limits and bad answers --------------------------------------------------------------------------------------


def test_a_time_limit_leaves_the_grade_unknown():
    for name in ("12-class-wg1", "18-mend-arc-eager", "19-write-hidden"):
        found = grade(read_exercise(name), RIGHT[name], seconds=1e-6)
        assert (found.right, found.stopped) == (None, "seconds")
        assert str(found).startswith("not known: ")


def test_hidden_schemata_stay_hidden():
    for answer, _ in WRONG["19-write-hidden"]:
        found = schemata.exercise("19-write-hidden", answer)
        assert "head-final" not in str(found)
        assert "head-final" not in json.dumps(found.to_json())
    assert "attach" not in str(read_exercise("19-write-hidden"))
    cheat = 'schema mine extends eisner1996\n  title "x"\n'
    with pytest.raises(SchemataError, match="extends"):
        schemata.exercise("20-write-projective", cheat)


@settings(max_examples=60)
@given(st.text(max_size=40), st.sampled_from([name for name in NAMES if name < "15"]))
def test_no_answer_breaks_a_grade(text, name):
    try:
        assert schemata.exercise(name, text).right in (True, False)
    except SchemataError:
        return  # a text that is not an answer, refused with a message


# Files -------------------------------------------------------------------------------------------------------

BROKEN = """exercise mend
titel    A head too many
class    projectiv
same-as  cyk
max-n    x
schema
  schema collins
    grammar d-rules
  item tree[i: position, j: position]
  final tre[1, m]
"""


def test_all_mistakes_of_a_file_are_told_at_their_places():
    with pytest.raises(schemata.SchemaError) as caught:
        exercise_from_text(BROKEN, "broken.exercise")
    found = {(x.location.line, x.location.column, x.code) for x in caught.value.diagnostics}
    assert {(2, 1, "unknown-keyword"), (5, 10, "bad-number"), (1, 1, "missing-keyword")} <= found
    assert (3, 10, "unknown-class") in found
    assert any((line, column) == (10, 9) for line, column, _ in found)  # tre, in the text of the schema
    assert all(x.location.file == "broken.exercise" for x in caught.value.diagnostics)
    assert "  final tre[1, m]" in [x.source_line for x in caught.value.diagnostics]


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("title x\n", "no-kind", (1, 1)),
        ("exercise nonsense\ntitle x\n", "unknown-kind", (1, 10)),
        ("exercise next-item\ntitle x\ntask y\nschema cyk\nsentence a b\n", "grammar-needed", (4, 1)),
        ("exercise next-item\ntitle x\ntask y\nschema cxk\nsentence a b\n", "unknown-schema", (4, 8)),
        ("exercise next-item\ntitle x\ntask y\nschema collins1996\nsentence a b\ntaken tree[1, 1, 1]\n",
         "not-derivable", (6, 7)),
        ("exercise count\ntitle x\ntask y\nschema collins1996\ncount items\n", "missing-keyword", (1, 1)),
        ("exercise count\ntitle x\ntask y\nschema collins1996\ncount items\nlengths 5..2\n", "bad-range", (6, 9)),
        ("exercise second-derivation\ntitle x\ntask y\nschema collins1996\ntree 0 1\n", "one-derivation", (5, 6)),
        ("exercise second-derivation\ntitle x\ntask y\nschema collins1996\ntree 2 1\n", "error", (5, 6)),
        ("exercise write\ntitle x\ntask y\nclass all\nclass wg-1\n", "duplicate-declaration", (5, 1)),
        ("exercise write\ntitle x\ntask y\nclass all\nchoices all\n", "wrong-keyword", (5, 1)),
        ("\n\n", "empty-file", (1, 1)),
        ("exercise count\ntitle x\ntask y\nschema collins1996\nsentence a b\ncount 12\n", "unknown-value", (6, 7)),
        ("exercise count\ntitle x\ntask y\nschema collins1996\nsentence a b\ncount items\nanswer 12\n",
         "unknown-keyword", (7, 1)),
    ],
)  # fmt: skip
def test_a_mistake_is_told_at_its_place(text, code, place):
    with pytest.raises(schemata.SchemaError) as caught:
        exercise_from_text(text)
    found = [(x.code, x.location.line, x.location.column) for x in caught.value.diagnostics]
    assert (code, *place) in found


NEVER_FINAL = """
  schema never
    grammar d-rules
  hypothesis word[i]  where 1 <= i <= n
  item pair[i: position, j: position]
  step Join
    word[i]   word[i + 1]
    ---------------------
    pair[i, i + 1]
  final pair[1, 1]"""
AGAIN = """
  schema again
    grammar d-rules
  hypothesis word[i]  where 1 <= i <= n
  item pair[i: position, b: flag]
  step Begin
    word[1]
    --------------
    pair[1, false]
  step Turn
    pair[i, b]
    --------------
    pair[i, not b]
  final pair[1, _]"""
HALF_INDENTED = textwrap.indent(rules_text(read_exercise("15-mend-collins")), "  ")


def doubts_of(kind, lines):
    """Return code, keyword and severity of what a thorough check finds in an exercise without other faults."""
    text = f"exercise {kind}\ntitle x\n{lines}\ntask y\n"
    assert check_exercise(text, "x.exercise", "x")[1] == []
    _, found = check_exercise(text, "x.exercise", "x", thorough=True)
    return [(x.code, text.splitlines()[x.location.line - 1].split()[0], x.severity) for x in found]


@pytest.mark.parametrize(
    ("kind", "lines", "expected"),
    [
        ("mend", "class projective\nschema collins1996", ("not-broken", "schema", "error")),
        ("mend", "same-as collins1996\nschema collins1996", ("not-broken", "schema", "error")),
        ("mend", "same-as collins1996\nschema eisner1996", ("not-broken", "schema", "error")),
        ("mend", "class projective\nschema wg1\noriginal collins1996", None),
        ("mend", "class projective\nschema wg1\noriginal covington-lsup", ("wrong-original", "original", "error")),
        ("mend", "class projective\nonce yes\nschema collins1996", None),
        ("mend", "class projective\nonce yes\nschema eisner1996-once", ("not-broken", "schema", "error")),
        ("mend", "class projective\nschema tag-cky", ("unknown-class", "class", "error")),
        ("mend", "class wg-1\nmax-n 7\nseconds 0.1\nschema wg1", ("not-known", "schema", "warning")),
        ("write", f"same-as{NEVER_FINAL}", ("no-answer", "same-as", "error")),
        ("write", f"same-as{NEVER_FINAL}".replace("final pair[1, 1]", "final pair[1, 2]"), None),
        ("write", "class projective\nmax-n 2", ("no-difference", "class", "warning")),
        ("write", "class projective\nmax-n 3", None),
        ("write", "class all\nmax-n 3", None),
        ("class", "schema collins1996\nchoices planar, all", ("no-answer", "choices", "error")),
        ("class", "schema collins1996\nchoices planar, projective", None),
        ("class", "schema collins1996\nchoices planar, projective\nmax-n 2", ("no-difference", "choices", "error")),
        ("class", "schema collins1996\nchoices projective\nmax-n 3", None),
        ("class", "schema collins1996", None),
        ("class", f"schema\n{HALF_INDENTED}", ("no-answer", "schema", "error")),
        ("class", "schema covington2001\nchoices all, planar", ("no-answer", "choices", "error")),
        ("class", "schema wg1\nchoices planar, wg-1\nmax-n 7\nseconds 0.1", ("not-known", "choices", "warning")),
        ("count", f"count derivations\nsentence a b\nschema{AGAIN}", ("no-answer", "sentence", "error")),
        ("count", f"count items\nsentence a b\nschema{AGAIN}", None),
        ("count", f"count trees\nlengths 1..3\nschema{NEVER_FINAL}", ("no-difference", "lengths", "warning")),
        ("count", f"count items\nlengths 1..3\nschema{NEVER_FINAL}", None),
        ("count", "count trees\nlengths 10..11\nseconds 0.1\nschema collins1996", ("not-known", "lengths", "warning")),
    ],
)  # fmt: skip
def test_what_is_no_task_is_found_by_check(kind, lines, expected):
    found = doubts_of(kind, lines)
    assert found == ([] if expected is None else [expected])


def test_the_command_grades(cli, tmp_path, monkeypatch):
    assert cli("exercise", "02-cyk-next", "edge[NP, 1, 2]")[0] == 0
    code, out, _ = cli("exercise", "02-cyk-next", "edge[S, 1, 3]", "--json")
    assert code == 1
    assert json.loads(out)["right"] is False
    code, _, err = cli("exercise", "02-cyk-next", "edge[S, 1")
    assert code == 2
    assert "[ is never closed" in err
    file = tmp_path / "mine.schema"
    file.write_text(RIGHT["15-mend-collins"], encoding="utf-8")
    assert cli("exercise", "15-mend-collins", str(file))[0] == 0
    assert cli("exercise", "15-mend-collins", str(tmp_path / "none.schema"))[0] == 2
    code, out, _ = cli("exercise", "15-mend-collins", str(file), "--max-seconds", "0.0001", "--json")
    assert (code, json.loads(out)["right"], json.loads(out)["stopped"]) == (2, None, "seconds")
    assert "time was over before it was known" in json.loads(out)["message"]
    code, out, _ = cli("exercise", "15-mend-collins", str(file), "--max-seconds", "0.0001")
    assert (code, out.split(":")[0]) == (2, "not known")
    file.write_text("schema mine\n  gramar d-rules\n", encoding="utf-8")
    code, _, err = cli("exercise", "15-mend-collins", str(file))
    assert code == 2
    assert f"{file}:2:" in err
    code, out, _ = cli("exercise", "--list", "--json")
    assert [row["exercise"] for row in json.loads(out)["exercises"]] == NAMES
    assert cli("exercise", "15-mend-colins")[0] == 2
    assert cli("check", str(shipped_exercises()["15-mend-collins"]))[0] == 0


def test_the_command_reads_standard_input():
    command = [sys.executable, "-m", "schemata", "exercise", "05-cyk-count", "-"]
    assert subprocess.run(command, input=b"5\n", capture_output=True, check=False).returncode == 0
    assert subprocess.run(command, input=b"\xff", capture_output=True, check=False).returncode == 2


def test_exercises_need_neither_arrays_nor_a_prover():
    program = """
import sys
for name in ("numpy", "z3", "llvmlite", "networkx", "rich", "psutil", "portalocker", "conllu"):
    sys.modules[name] = None
import schemata
from tests.exercises.answers import RIGHT, WRONG
for name in ("02-cyk-next", "06-collins-items", "09-projective-trees", "10-class-collins", "13-second-collins",
             "15-mend-collins", "19-write-hidden"):
    print(schemata.exercise(name))
    assert schemata.exercise(name, RIGHT[name]).right, name
    print(schemata.exercise(name, WRONG[name][0][0]))
print(schemata.exercise("15-mend-collins", variant=1))
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
