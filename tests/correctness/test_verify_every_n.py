"""`verify --for-every-n`: three answers with reasons, certificates, limits; from Python too."""

import json
from pathlib import Path

import pytest

import schemata
from schemata.correctness.answers import prove
from tests.support.commands import Cli, Prints, Tells

FAR = """\
schema far extends eisner1996-once
  title "Eisner's spans, but none of nine gaps is made of two"

replace step CombineSpans
  span[i, j, b, c, _]   span[j, k, not c, d, false]
  -------------------------------------------------  i != j, j != k, k - i != 9
  span[i, k, b, d, true]
"""


def test_proved(tells: Tells, tmp_path: Path) -> None:
    """All answers are yes, and the certificate is accepted again."""
    file = str(tmp_path / "proof.json")
    answer = tells("verify eisner-split --for-every-n --max-n 3 --certificate", file)
    yes = {"sound": True, "complete": True, "each_once": True, "reason": None}
    assert answer["for_every_n"] == yes
    again = tells("verify eisner-split --recheck", file)
    assert again["proved"]
    assert again["claims"] == ["sound", "complete", "each_once"]


def test_of_another_schema(cli: Cli, tmp_path: Path) -> None:
    """A certificate is bound to its schema."""
    file = str(tmp_path / "proof.json")
    assert cli("verify eisner1996 --for-every-n --max-n 3 --certificate", file).code == 0
    answer = cli("verify eisner1996:end=1 --recheck", file)
    assert answer.code == 1
    assert "refused" in answer.out


def test_refuted_by_a_longer_tree(prints: Prints, tmp_path: Path) -> None:
    """A schema that is right to eight words misses a tree of nine, which is found without trying all."""
    file = tmp_path / "far.schema"
    file.write_text(FAR)
    answer = json.loads(prints("verify", str(file), "--for-every-n", "--max-n", "4", "--json", code=1))
    assert (answer["complete"], answer["complete_to"]) == (True, 4)
    assert answer["for_every_n"]["complete"] is False
    heads = tuple(answer["for_every_n"]["trees"]["complete"])
    assert len(heads) == 9
    chart = schemata.load(file).run([f"w{k}" for k in range(1, 10)], f"heads:{','.join(map(str, heads))}")
    assert heads not in [tree.heads for tree in chart.forest().trees()]
    assert answer["for_every_n"]["sound"] is True


def test_beyond_the_method(cli: Cli) -> None:
    """What is not proved has its reason, and the exit code is that of an unknown answer."""
    answer = cli("verify nivre2003 --for-every-n --max-n 2 --json")
    assert answer.code == 2
    found = json.loads(answer.out)["for_every_n"]
    assert found["sound"] is None
    assert "lists without a bound" in found["reason"]


@pytest.mark.parametrize("name", ["collins1996", "vine"])
def test_a_limit_leaves_answers_open(name: str) -> None:
    """Without time nothing is claimed."""
    found = prove(name, budget=schemata.Budget(seconds=0.0))
    assert {*found.answers.values()} <= {None, False}
    assert found.certificate is None
    assert found.stopped == "seconds"


def test_usage(cli: Cli, tmp_path: Path) -> None:
    """Wrong uses are refused with a message."""
    assert "projective" in cli("verify eisner1996 --class planar --for-every-n --max-n 2").err
    assert "--roots one" in cli("verify eisner1996 --roots many --for-every-n --max-n 2").err
    assert cli("verify eisner1996 --certificate", str(tmp_path / "x.json")).code == 2
    broken = tmp_path / "broken.json"
    for text in ("", "{}", "[1]", '{"certificate": 1}', '{"certificate": 7}'):
        broken.write_text(text)
        answer = cli("verify eisner1996 --recheck", str(broken))
        assert answer.code == 2
        assert "certificate" in answer.err


def test_a_licence_left_out() -> None:
    """A link without its licence makes a schema unsound; that it is complete is proved all the same."""
    found = prove("arc-eager-published")
    assert found.answers == {"sound": False, "complete": True, "each_once": False}
