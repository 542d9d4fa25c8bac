"""`schemata run --weights`: best trees, totals, marginals, samples, as text and as JSON; what is refused."""

import json
import re
from pathlib import Path

import pytest

from tests.support.commands import Cli, Written

SCORES = "words the dog barks\nattach the to dog [log 2]\nattach dog to barks [log 1.5]\nattach barks to 0 [log 3]\n"


@pytest.fixture
def scores(written: Written) -> str:
    file = written("dog.scores", SCORES)
    return str(file)


def test_json(cli: Cli, scores: str) -> None:
    asked = "run nivre2003 --best 2 --total log --total viterbi --marginals --sample 3 --json --weights"
    ran = cli(asked, scores, "the dog barks")
    found = json.loads(ran.out)
    assert ran.code == 0
    assert ran.err == ""
    assert found["best"] == [{"weight": 6.5, "heads": [2, 3, 0]}, {"weight": 5.0, "heads": [2, 0, 0]}]
    assert found["totals"]["viterbi"] == 6.5
    assert found["totals"]["log"] > 6.5
    assert len(found["samples"]) == 3
    shares = {tuple(link): share for link, share in found["marginals"]}
    assert sum(share for (d, _), share in shares.items() if d == 1) == pytest.approx(1.0)
    assert "sums_over" not in found


def test_text(cli: Cli, scores: str) -> None:
    ran = cli("run eisner1996", "the dog barks", "--weights", scores)
    assert "best 1: weight 6.5, heads 2 3 0" in ran.out
    assert "best 2" not in ran.out
    ran = cli("run eisner1996", "the dog barks", "--weights", scores, "--marginals", "--total", "count")
    assert "best 1" not in ran.out
    assert "probability of head" in ran.out
    assert "over 16 derivations of 12 structures" in ran.err
    assert "--distinct" in ran.err


def test_sums_over_derivations_are_marked(cli: Cli, scores: str) -> None:
    sums = ("run", "eisner1996", "the dog barks", "--weights", scores, "--total", "log", "--json")
    over_derivations, over_structures = cli(*sums), cli(*sums, "--distinct")
    assert json.loads(over_derivations.out)["sums_over"] == "derivations"
    assert over_structures.err == ""
    other = cli("run nivre2003", *sums[2:])
    totals = [json.loads(ran.out)["totals"]["log"] for ran in (over_derivations, over_structures, other)]
    assert totals[0] > totals[1] == pytest.approx(totals[2])


def test_scores_of_another_sentence(cli: Cli, scores: str) -> None:
    ran = cli("run eisner1996", "a dog barks", "--weights", scores)
    assert ran.code == 2
    assert "the scores are of another sentence: the dog barks" in ran.err
    ran = cli("run cyk", "the cat slept", "--grammar", "example", "--weights", scores)
    assert ran.code == 2
    assert "builds no links" in ran.err


def test_explain_tells_weights(cli: Cli, scores: str) -> None:
    item = "span[0, 3, false, true]"
    best = cli("explain eisner1996", "the dog barks", item, "--weights", scores, "--heaviest", "--json")
    found = json.loads(best.out)
    assert found["weight"] == 6.5
    inner = cli(
        "explain eisner1996", "the dog barks", "span[0, 2, false, false]", "--weights", scores, "--heaviest"
    )
    assert "best derivation, weight 2" in inner.out
    assert sum(node["weight"] for node in found["proof"] if node["kind"] == "step") == pytest.approx(6.5)
    smallest = cli("explain eisner1996", "the dog barks", item, "--weights", scores)
    assert "smallest proof" in smallest.out
    assert "weight 3" in smallest.out
    assert "weight" not in cli("explain eisner1996", "the dog barks", item).out


def test_why_not_the_best(cli: Cli, scores: str) -> None:
    asked = ("why-not", "eisner1996", "the dog barks", "--weights", scores, "--better-than")
    other = cli(*asked, "2,0,2", "--json")
    found = json.loads(other.out)
    assert other.code == 1
    assert (found["weight"], found["best"], found["rest"]) == (2.0, {"weight": 6.5, "heads": [2, 3, 0]}, 0.0)
    assert [(link["dependent"], link["gain"]) for link in found["links"]] == [(2, 1.5), (3, 3.0)]
    assert "it wins by 4.5" in cli(*asked, "2,0,2").out
    assert cli(*asked, "2,3,0").code == 0
    crossing = cli("why-not eisner1996", "a b c d", "--better-than", "3,4,0,3")
    assert crossing.code == 1
    assert "does not derive this tree" in crossing.out


def test_the_shipped_scores_ask_for_crossing_links(cli: Cli) -> None:
    """A projective schema and a mildly non-projective one choose different best trees of the same scores."""
    file = str(Path(__file__).parents[2] / "examples" / "hearing.scores")
    found = {}
    for name in ("eisner-satta1999", "wg1"):
        ran = cli("run", name, "A hearing is scheduled on the issue", "--weights", file, "--json")
        found[name] = json.loads(ran.out)["best"][0]
    assert found["eisner-satta1999"] == {"weight": 27.5, "heads": [2, 3, 0, 3, 4, 7, 5]}
    assert found["wg1"] == {"weight": 28.0, "heads": [2, 3, 0, 3, 2, 7, 5]}


def test_arcs_are_as_thick_as_their_marginals(cli: Cli, scores: str, tmp_path: Path) -> None:
    asked = ("run", "nivre2003", "the dog barks", "--weights", scores, "--best", "1", "--svg")
    thin, thick = tmp_path / "thin", tmp_path / "thick"
    cli(*asked, str(thin))
    ran = cli(*asked, str(thick), "--marginals")
    assert "best-1.svg" in ran.out
    widths = {
        folder.name: set(re.findall(r'stroke-width="([\d.]+)"', (folder / "best-1.svg").read_text("utf-8")))
        for folder in (thin, thick)
    }
    assert len(widths["thick"]) > len(widths["thin"])
    assert "0.8" in ran.out.partition("best 1")[2]


@pytest.mark.parametrize("name", ["eisner1996", "dvh2", "cyk", "sleator-temperley1991"])
def test_weights_are_the_same_on_every_engine(cli: Cli, scores: str, name: str) -> None:
    """With a grammar of every kind; scores are of links, which a context-free grammar has none of."""
    asked = ["--best", "2", "--total", "log", "--marginals", "--sample", "2", "--distinct", "--json"]
    if name != "cyk":
        file = Path(scores).with_name("slept.scores")
        file.write_text(
            "attach 1 to 2 [log 2]\nattach 2 to 1 [log -1]\nattach 3 to 0 [3]\n", encoding="utf-8"
        )
        asked += ["--weights", str(file)]
    one, other = (
        cli("run", name, "the dog slept", "--grammar", "example", "--engine", engine, *asked)
        for engine in ("python", "native")
    )
    assert (one.code, other.code, one.err) == (0, 0, "")
    found, same = json.loads(one.out), json.loads(other.out)
    assert found["best"]
    assert [found[key] for key in ("best", "samples")] == [same[key] for key in ("best", "samples")]
    assert found["totals"]["log"] == pytest.approx(same["totals"]["log"])
    assert [share for _, share in found["marginals"]] == pytest.approx(
        [share for _, share in same["marginals"]]
    )


@pytest.mark.parametrize("steps", ["3", "20", "24"])
def test_nothing_is_known_of_the_weights_of_a_chart_that_is_not_complete(
    cli: Cli, scores: str, steps: str
) -> None:
    """With 24 of its 25 steps the sentence is accepted, and the best tree so far may not be the best one."""
    asked = ("run", "eisner1996", "the dog barks", "--weights", scores, "--max-steps", steps)
    asked += ("--best", "1", "--total", "log", "--marginals", "--sample", "1")
    ran = cli(*asked, "--json")
    found = json.loads(ran.out)
    assert (ran.code, found["stopped"]) == (2, "steps")
    assert not {"best", "totals", "marginals", "samples"} & found.keys()
    text = cli(*asked)
    assert "totals, marginals and samples are not known" in text.err
    assert not re.search("best 1|no structure is derived|semiring", text.out)


def test_no_picture_is_that_of_the_best_tree_of_a_run_that_was_stopped(
    cli: Cli, scores: str, tmp_path: Path
) -> None:
    """Of 25 steps 24 are known, and with them some tree, which was drawn into the file named for the best one."""
    place = tmp_path / "best.svg"
    asked = ("run", "eisner1996", "the dog barks", "--svg", str(place))
    stopped = cli(*asked, "--best", "1", "--weights", scores, "--max-steps", "24")
    assert (stopped.code, place.exists()) == (2, False)
    assert "there is nothing to draw" in stopped.err
    assert cli(*asked, "--max-steps", "24").code == 2
    assert place.exists()  # some tree was asked for
    place.unlink()
    assert cli(*asked, "--best", "1", "--weights", scores).code == 0
    assert place.exists()
