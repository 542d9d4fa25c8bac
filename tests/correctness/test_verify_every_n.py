"""`verify --for-every-n`: three answers with reasons, certificates, limits; from Python too."""

import json
from pathlib import Path

import pytest

import schemata
from schemata.correctness.answers import prove
from schemata.correctness.shipped import CLAIMS
from schemata.thresholds import EFFORTS
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


@pytest.mark.parametrize("name", ["earley", "eisner-lg", "arc-eager-system"])
def test_of_other_structures(tells: Tells, name: str) -> None:
    """Schemata that derive no dependency trees have no proofs, whatever class is named; the reason says so."""
    answer = tells(f"verify {name} --for-every-n --max-n 2", code=2)
    found = answer["for_every_n"]
    assert found["complete"] is found["sound"] is None
    assert (
        "profiles of words are not defined" in found["reason"] or "words are about trees" in found["reason"]
    )
    assert prove(name).reason == found["reason"]


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


@pytest.mark.parametrize(
    ("name", "along"), [("collins1996", {"complete": True}), ("vine", {"sound": True}), ("mg1", {})]
)
def test_a_limit_leaves_answers_open(name: str, along: dict[str, bool | None]) -> None:
    """Without time nothing is claimed but what follows from other schemata along relations, which takes none."""
    found = prove(name, budget=schemata.Budget(seconds=0.0))
    assert found.answers == dict.fromkeys(CLAIMS) | along
    assert {*found.along} == {claim for claim, answer in along.items() if answer}
    assert {*found.reasons} == {claim for claim, answer in found.answers.items() if answer is None}
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


SPLIT = """\
schema mine extends eisner-split
"""


@pytest.mark.parametrize("more", [[], ["--class", "projective"]])
@pytest.mark.thorough
def test_proved_without_being_asked(prints: Prints, tmp_path: Path, more: list[str]) -> None:
    """Of a schema in a file, what is soon proved is said; what is not leaves the exit code as it is."""
    file = tmp_path / "mine.schema"
    file.write_text(SPLIT)
    answer = json.loads(prints("verify", str(file), "--max-n", "3", "--json", *more))
    assert answer["for_every_n"] == {"sound": True, "complete": True, "each_once": True, "reason": None}
    said = prints("verify", str(file), "--max-n", "3", *more)
    about = "" if more else "projective trees, "
    assert f"{about}for every number of words: sound, complete, each once (proved)" in said
    file = tmp_path / "far.schema"
    file.write_text(FAR)
    found = json.loads(prints("verify", str(file), "--max-n", "4", "--json", *more))
    assert (found["for_every_n"]["sound"], found["for_every_n"]["complete"]) == (True, None)
    assert "trees" not in found["for_every_n"]
    assert "k - i" in found["for_every_n"]["reason"] or "no step surely" in found["for_every_n"]["reason"]


def test_a_brief_proof_ends(prints: Prints, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without time to prove anything, answers by runs stay, and nothing is claimed of every number of words."""
    monkeypatch.setattr(EFFORTS, "brief_proof_seconds", 0.0)
    file = tmp_path / "mine.schema"
    file.write_text(SPLIT)
    answer = json.loads(prints("verify", str(file), "--max-n", "3", "--json", "--class", "projective"))
    assert answer["complete"] is True
    assert {answer["for_every_n"][x] for x in ("sound", "complete", "each_once")} == {None}
    assert "--for-every-n" in answer["for_every_n"]["reason"]


def test_no_proof_of_another_class(prints: Prints, tmp_path: Path) -> None:
    """Proofs are about projective trees with one root: of other verdicts nothing is said."""
    file = tmp_path / "mine.schema"
    file.write_text(SPLIT)
    for more in (["--roots", "many", "--class", "projective"], ["--class", "planar", "--max-n", "2"]):
        assert "for_every_n" not in json.loads(prints("verify", str(file), "--json", "--max-n", "3", *more))
    file.write_text(SPLIT + "\nreplace final right[0, 0]\n")
    assert "for_every_n" not in json.loads(prints("verify", str(file), "--json", "--max-n", "3", code=1))


def test_shipped_proofs_without_a_class(tells: Tells) -> None:
    """The certificate of a shipped schema is named where no class is."""
    assert tells("verify eisner1996 --max-n 3")["for_every_n"]["complete"] is True


def test_ctrl_c_in_a_brief_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupted proof leaves all answers open that runs have not refuted."""
    from schemata.correctness import answers

    schema = schemata.load("eisner1996-once")
    verdict = schema.verify("projective", 3)

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(answers, "_proved", interrupted)
    found = answers.prove_briefly(schema, verdict)
    assert {*found.answers.values()} == {None}
    assert found.stopped == "interrupt"
