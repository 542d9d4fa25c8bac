"""Scores of links: arrays, files of NumPy, lines of text, and what is wrong with them."""

import math

import numpy as np
import pytest

import schemata
from schemata.errors import GrammarError, UsageError
from schemata.weights.scores import ArcScores, parse_weights


def test_lines_of_words_and_of_positions_mean_the_same() -> None:
    by_words = parse_weights("words the dog\nattach the to dog [0.5]\nattach dog to 0 [log 2] # root\n").arcs
    by_numbers = parse_weights("attach 1 to 2 [0.5]\nattach 2 to 0 [log 2]").arcs
    assert by_words.words == ("the", "dog")
    assert np.array_equal(by_words.matrix, by_numbers.matrix)
    assert by_words.of(dependent=1, head=2) == math.log(0.5)
    assert by_words.of(dependent=2, head=0) == 2.0
    assert by_words.of(dependent=2, head=1) == 0.0


def test_labels_have_scores_of_their_own_or_those_of_their_capitals() -> None:
    scores = parse_weights("attach 1 to 0 by S [log 1]\nattach 1 to 0 by Ss [log 2]\notherwise [0]").arcs
    assert scores.labels == ("S", "Ss")
    assert [scores.of(1, 0, label) for label in ("Sp", "Ss", "S", "O")] == [1.0, 2.0, 1.0, -math.inf]


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ("attach 1 to 2 [-0.3]", "bad-weight", 1, 15),
        ("attach 1 to 2 [log x]", "unexpected-token", 1, 15),
        ("attach 1 to 2 [log 1", "bad-weight", 1, 15),
        ("attach 1 to 2", "unexpected-token", 1, 14),
        ("attach dog to 2 [1]", "bad-position", 1, 8),
        ("words a a\nattach a to 0 [1]", "bad-position", 2, 8),
        ("words a\nattach 1 to 3 [1]", "bad-position", 2, 13),
        ("attach 1 to 2 [1]\nattach 1 to 2 [2]", "second-score", 2, 1),
        ("attach 1 to 2 [1]\nattach 2 to 1 by S [2]", "mixed-labels", 2, 1),
        ("otherwise [1]\notherwise [1]", "second-default", 2, 1),
        ("attach 1 to 2 [1]\nwords a b", "second-words", 2, 1),
        ("atach 1 to 2 [1]", "unexpected-token", 1, 1),
        ("# nothing", "no-scores", 1, 1),
    ],
)
def test_mistakes_are_shown_where_they_stand(text: str, code: str, line: int, column: int) -> None:
    with pytest.raises(GrammarError) as caught:
        parse_weights(text, "my.scores")
    found = caught.value.diagnostics[0]
    assert (found.code, found.location.line, found.location.column) == (code, line, column)


@pytest.mark.parametrize(
    "matrix",
    [
        [[0, 1]],
        [0, 1],
        [[[0], [0]], [[0], [0]]],
        [[0, math.nan], [0, 0]],
        [[0, math.inf], [0, 0]],
        [["a", 0], [0, 0]],
    ],
)
def test_arrays_of_other_shapes_and_values_are_refused(matrix: list[object]) -> None:
    with pytest.raises(UsageError):
        schemata.ArcScores(matrix)


def test_files_of_numpy_are_read_and_broken_ones_refused(tmp_path) -> None:
    matrix = np.arange(9.0).reshape(3, 3)
    np.savez(tmp_path / "a.npz", scores=matrix)
    np.save(tmp_path / "b.npy", matrix)
    np.savez(tmp_path / "c.npz", scores=np.zeros((3, 3, 2)), labels=["S", "O"])
    np.savez(tmp_path / "d.npz", scores=np.zeros((3, 3, 2)))
    np.savez(tmp_path / "e.npz", one=matrix, two=matrix)
    (tmp_path / "f.npz").write_bytes(b"not an archive")
    np.save(tmp_path / "g.npy", np.array([{}], dtype=object), allow_pickle=True)
    assert np.array_equal(ArcScores.read(tmp_path / "a.npz").matrix, matrix)
    assert np.array_equal(ArcScores.read(tmp_path / "b.npy").matrix, matrix)
    assert ArcScores.read(tmp_path / "c.npz").labels == ("S", "O")
    for name in ("d.npz", "e.npz", "f.npz", "g.npy", "missing.npz"):
        with pytest.raises(GrammarError) as caught:
            ArcScores.read(tmp_path / name)
        assert caught.value.diagnostics[0].location.file == str(tmp_path / name)


def test_scores_fit_their_sentence() -> None:
    scores = parse_weights("attach 1 to 2 [0.5]\notherwise [0]").arcs
    larger = scores.fitted(3, ("a", "b", "c"), False)
    assert larger.n == 3
    assert larger.of(dependent=3, head=1) == -math.inf
    for wrong in (ArcScores(np.zeros((2, 2))), ArcScores(np.zeros((5, 5)), words="abcd")):
        with pytest.raises(UsageError):
            wrong.fitted(3, ("a", "b", "c"), False)
    with pytest.raises(UsageError):
        ArcScores(np.zeros((4, 4, 1)), ["S"]).fitted(3, ("a", "b", "c"), False)


@pytest.mark.parametrize("engine", ["python", "native"])
def test_the_chart_of_a_run_that_a_limit_stopped_has_the_weights_of_the_run(engine) -> None:
    matrix = np.arange(16.0).reshape(4, 4)
    with pytest.raises(schemata.BudgetExceeded) as stopped:
        schemata.load("eisner1996").run(
            "a b c", engine=engine, weights=matrix, budget=schemata.Budget(steps=22)
        )
    best = stopped.value.chart.weighing_so_far.best()
    assert best.weight == sum(matrix[h, d] for d, h in enumerate(best.structure.heads, start=1))
    assert stopped.value.chart.claims() == (False, "eisner1996-once")


def test_weights_made_of_an_array() -> None:
    matrix = [[0, 1, 5], [0, 0, 2], [0, 4, 0]]
    chart = schemata.load("eisner1996").run("a b", weights=schemata.Weights(matrix))
    assert chart.best().weight == 9.0


@pytest.mark.parametrize("weight", ["x", None, math.nan, math.inf])
def test_functions_return_weights(weight) -> None:
    chart = schemata.load("eisner1996").run("a b", weights={"R-Link": lambda: weight})
    with pytest.raises(UsageError, match=r"the weight of R-Link is \w+\n  expected: a number of at most"):
        chart.best()


@pytest.mark.parametrize("scores", [[], [np.zeros((3, 3))] * 2])
def test_each_sentence_needs_weights(scores) -> None:
    with pytest.raises(UsageError, match="not as many weights as sentences"):
        list(schemata.load("eisner1996").best_trees(["a b"], scores))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("engine", ["python", "native"])
def test_real_totals_where_a_part_has_no_float(engine) -> None:
    """800 is the logarithm of no float: with -800 it makes 1, with what is forbidden nothing."""
    schema = schemata.load("eisner1996-once")
    for of_first, total in ((-800.0, 1.0), (-math.inf, 0.0), (1.0, None)):
        scores = np.array([[0, 0, 800.0], [0, 0, 0], [0, of_first, 0]])
        chart = schema.run("a b", "heads:2,0", engine=engine, weights=scores)
        if total is None:
            with pytest.raises(schemata.UsageError, match="too large"):
                chart.total("real")
        else:
            assert chart.total("real") == total
