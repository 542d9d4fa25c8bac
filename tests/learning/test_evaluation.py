"""Figures of parsers against counts by hand and by brute force over random trees."""

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import schemata
from schemata.errors import TreebankError, UsageError
from schemata.learning.brackets import evaluate_brackets
from schemata.learning.evaluation import Evaluation, difference
from schemata.structures.generation import random_tree
from tests.support.commands import Answer

Cli = Callable[..., Answer]


def write(path: Path, sentences: Sequence[Sequence[str]]) -> Path:
    """Write sentences of rows such as `1 a DET 2 det`: id, form, tag, head, label."""
    lines = []
    for sentence in sentences:
        for row in sentence:
            number, form, tag, head, label = row.split()
            lines.append("\t".join([number, form, "_", tag, "_", "_", head, label, "_", "_"]))
        lines.append("")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def rows_of(heads: Sequence[int], labels: Sequence[str], tags: Sequence[str] | None = None) -> list[str]:
    return [
        f"{k} w{k} {tags[k - 1] if tags else 'X'} {head} {label}"
        for k, (head, label) in enumerate(zip(heads, labels, strict=True), start=1)
    ]


LABELS = ["nsubj", "nsubj:pass", "det", "obj", "punct", "aux"]


def dominates(heads: Sequence[int], above: int, word: int) -> bool:
    while word:
        if word == above:
            return True
        word = heads[word - 1]
    return above == 0


def crossing(heads: Sequence[int], word: int) -> bool:
    """Whether a word between a dependent and its head is not below the head."""
    head = heads[word - 1]
    return not all(dominates(heads, head, k) for k in range(min(word, head) + 1, max(word, head)))


def test_random_trees_against_counts(tmp_path: Path) -> None:
    draw = random.Random(4)
    gold: list[Any] = []
    system: list[Any] = []
    for _ in range(60):
        n = draw.randint(1, 9)
        one, other = (random_tree(n, draw).heads for _ in range(2))
        other = one if draw.random() < 0.3 else other
        labels = [draw.choice(LABELS) for _ in range(n)]
        others = [x if draw.random() < 0.6 else draw.choice(LABELS) for x in labels]
        gold.append((one, labels))
        system.append((other, others))
    found = schemata.evaluate(
        write(tmp_path / "gold.conllu", [rows_of(*x) for x in gold]),
        write(tmp_path / "system.conllu", [rows_of(*x) for x in system]),
    )
    words = [
        (one[k], other[k], a[k].partition(":")[0], b[k].partition(":")[0])
        for (one, a), (other, b) in zip(gold, system, strict=True)
        for k in range(len(one))
    ]
    assert found.words == found.system_words == len(words)
    assert found.uas == pytest.approx(sum(g == s for g, s, _, _ in words) / len(words))
    assert found.las == pytest.approx(sum((g, a) == (s, b) for g, s, a, b in words) / len(words))
    content = ("nsubj", "obj")
    right = sum((g, a) == (s, b) and a in content for g, s, a, b in words)
    whole = sum(a in content for _, _, a, _ in words) + sum(b in content for _, _, _, b in words)
    assert found.clas == pytest.approx(2 * right / whole)
    pairs = list(zip(gold, system, strict=True))
    assert found.exact == pytest.approx(sum(one == other for (one, _), (other, _) in pairs) / len(gold))
    of_gold = [(g, s, k) for (g, _), (s, _) in pairs for k in range(1, len(g) + 1) if crossing(g, k)]
    of_system = [(g, s, k) for (g, _), (s, _) in pairs for k in range(1, len(g) + 1) if crossing(s, k)]
    assert (found.nonprojective.gold, found.nonprojective.system) == (len(of_gold), len(of_system))
    assert found.nonprojective.recall == pytest.approx(
        sum(g[k - 1] == s[k - 1] for g, s, k in of_gold) / len(of_gold)
    )
    share = sum(g[k - 1] == s[k - 1] for g, s, k in of_system) / len(of_system)
    assert found.nonprojective.precision == pytest.approx(share)
    for name, groups in found.groups.items():
        assert sum(group.gold for group in groups) == sum(group.system for group in groups) == len(words), (
            name
        )
        hits = sum((group.recall or 0) * group.gold for group in groups)
        assert hits == pytest.approx(sum(g == s for g, s, _, _ in words)), name
    by_length = {group.name: group.gold for group in found.groups["arc_length"]}
    assert by_length["root"] == sum(g == 0 for g, _, _, _ in words)
    for name, interval in found.intervals.items():
        assert interval.low <= getattr(found, name) <= interval.high


GOLD = [
    ["1 They PRON 2 nsubj", "2 left VERB 0 root", "3 . PUNCT 2 punct"],
    ["1 a DET 2 det", "2 dog NOUN 3 nsubj:pass", "3 barks VERB 0 root"],
]


def test_a_parser_against_its_gold_trees(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.conllu", GOLD)
    found = schemata.evaluate(gold, gold)
    assert (found.uas, found.las, found.clas, found.exact, found.labelled_exact) == (1, 1, 1, 1, 1)
    assert found.nonprojective.recall is None
    assert [group.name for group in found.groups["class"]] == ["projective"]


def test_subtypes_and_punctuation(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.conllu", GOLD)
    other = [[*GOLD[0][:2], "3 . PUNCT 1 punct"], [GOLD[1][0], "2 dog NOUN 3 nsubj", GOLD[1][2]]]
    system = write(tmp_path / "system.conllu", other)
    assert schemata.evaluate(gold, system).las == pytest.approx(5 / 6)
    assert schemata.evaluate(gold, system, subtypes=True).las == pytest.approx(4 / 6)
    without = schemata.evaluate(gold, system, punctuation=False)
    assert (without.words, without.system_words, without.uas) == (5, 5, 1)


def test_words_that_are_cut_otherwise(tmp_path: Path) -> None:
    """Multiword tokens are aligned by the forms within them, other words by their characters."""
    gold = write(tmp_path / "gold.conllu", [
        ["1 Geh VERB 0 root", "2-3 zum _ _ _", "2 zu ADP 4 case", "3 dem DET 4 det", "4 Haus NOUN 1 obl"],
        ["1 can AUX 3 aux", "2 not PART 3 advmod", "3 go VERB 0 root"],
    ])  # fmt: skip
    system = write(tmp_path / "system.conllu", [
        ["1 Geh VERB 0 root", "2 zum ADP 3 case", "3 Haus NOUN 1 obl"],
        ["1 cannot AUX 2 aux", "2 go VERB 0 root"],
    ])  # fmt: skip
    found = schemata.evaluate(gold, system)
    assert (found.words, found.system_words) == (7, 5)
    assert found.uas == pytest.approx(2 * 3 / 12)  # Geh, Haus and go
    assert not any(found.groups.values())
    other = write(tmp_path / "other.conllu", [
        ["1 Geh VERB 0 root", "2-3 zum _ _ _", "2 zu ADP 4 case", "3 m DET 4 det", "4 Haus NOUN 1 obl"],
        ["1 can AUX 3 aux", "2 not PART 3 advmod", "3 go VERB 0 root"],
    ])  # fmt: skip
    assert schemata.evaluate(gold, other).uas == pytest.approx(2 * 6 / 14)  # all but dem


def test_sentences_that_are_cut_otherwise(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.conllu", GOLD)
    joined = [*GOLD[0], "4 a DET 5 det", "5 dog NOUN 6 nsubj", "6 barks VERB 2 parataxis"]
    found = schemata.evaluate(gold, write(tmp_path / "system.conllu", [joined]))
    assert (found.words, found.system_words) == (6, 6)
    assert found.uas == pytest.approx(5 / 6)


def test_broken_sentences_lose_themselves_alone(tmp_path: Path) -> None:
    """A cycle counts as wrong heads; a sentence that is missing, or has another text, as words without heads."""
    gold = write(tmp_path / "gold.conllu", [*GOLD, *GOLD])
    cyclic = ["1 They PRON 2 nsubj", "2 left VERB 1 root", "3 . PUNCT 2 punct"]
    found = schemata.evaluate(gold, write(tmp_path / "cyclic.conllu", [cyclic, GOLD[1], *GOLD]))
    assert (found.uas, len(found.faults), found.exact) == (pytest.approx(11 / 12), 1, 0.75)
    found = schemata.evaluate(gold, write(tmp_path / "missing.conllu", [GOLD[0], *GOLD]))
    assert (found.words, found.system_words, len(found.skipped)) == (12, 9, 1)
    assert not found.faults  # what is skipped is reported once
    assert found.uas == pytest.approx(2 * 9 / 21)
    other = [["1 We PRON 2 nsubj", *GOLD[0][1:]], GOLD[1], *GOLD]
    found = schemata.evaluate(gold, write(tmp_path / "other.conllu", other))
    assert (found.sentences, found.system_words, found.skipped[0].code) == (4, 9, "other-text")
    assert not found.faults
    broken = tmp_path / "broken.conllu"
    broken.write_text(
        write(tmp_path / "x.conllu", [*GOLD, *GOLD]).read_text().replace("\t_\t_\n2\tdog", "\n2\tdog", 1)
    )
    found = schemata.evaluate(gold, broken)
    assert (found.sentences, found.words, found.system_words, len(found.skipped)) == (4, 12, 9, 1)
    found = schemata.evaluate(broken, gold)
    assert (found.sentences, found.uas, len(found.skipped)) == (3, 1, 1)


def test_two_parsers(tmp_path: Path) -> None:
    draw = random.Random(1)
    trees = [random_tree(8, draw).heads for _ in range(40)]

    def parser(name: str, right: float) -> Evaluation:
        some = [one if draw.random() < right else random_tree(8, draw).heads for one in trees]
        path = write(tmp_path / name, [rows_of(heads, ["dep"] * 8) for heads in some])
        return schemata.evaluate(gold, path)

    gold = write(tmp_path / "gold.conllu", [rows_of(heads, ["dep"] * 8) for heads in trees])
    good, bad = parser("good", 0.95), parser("bad", 0.1)
    found = difference(good, bad)
    assert found.uas == pytest.approx(good.uas - bad.uas)
    assert found.p_uas < 0.01
    assert difference(bad, good).p_uas == found.p_uas
    assert difference(good, good).p_uas == 1
    with pytest.raises(UsageError, match="not evaluated on the same sentences"):
        difference(good, schemata.evaluate(*[write(tmp_path / "few", GOLD)] * 2))


def test_the_command(cli: Cli, tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.conllu", GOLD)
    answer = cli("evaluate", str(gold), str(gold), "--json")
    found = json.loads(answer.out)
    assert answer.code == 0
    assert (found["version"], found["uas"], found["las"], found["clas"], found["exact"]) == (1, 1, 1, 1, 1)
    assert found["nonprojective"]["labelled_recall"] is None
    assert {f"by_{name}" for name in ("label", "length", "arc_length", "class")} <= found.keys()
    answer = cli("evaluate", str(gold), str(gold), str(gold), "--by", "label,class", "--resamples", "10")
    assert answer.code == 0
    assert "class of the gold tree" in answer.out
    assert len(json.loads(cli("evaluate", str(gold), str(gold), str(gold), "--json").out)["differences"]) == 1
    answer = cli("evaluate", str(gold), str(gold), "--by", "lable")
    assert (answer.code, "label" in answer.err) == (2, True)
    assert cli("evaluate", str(gold), str(tmp_path / "none.conllu")).code == 2
    answer = cli("evaluate", str(gold), str(gold), "--plot", str(tmp_path / "plot.svg"))
    assert (answer.code, (tmp_path / "plot.svg").read_text()[:5]) == (0, "<?xml")


def test_brackets(tmp_path: Path, cli: Cli) -> None:
    """As EVALB counts: punctuation and empty elements left out, functions of labels cut off, doubled brackets twice."""
    gold, system = tmp_path / "gold.mrg", tmp_path / "system.mrg"
    gold.write_text(
        "(TOP (S (NP-SBJ (DT the) (NN dog)) (VP (VBD saw) (NP (NP (PRP it)))) (. .)))\n"
        "( (S (NP (NNP Mary))\n     (VP (VBZ runs) (PRT (RP away)) (NP (-NONE- *T*)))))\n"
    )
    system.write_text(
        "(TOP (S (NP (DT the) (NN dog)) (VP (VBD saw) (NP (PRP it)) (. .))))\n"
        "(S (NP (NNP Mary)) (VP (VBZ runs) (ADVP (RP away))))\n"
    )
    found = evaluate_brackets(gold, system)
    assert (found.gold, found.found, found.right) == (9, 8, 8)
    assert (found.recall, found.precision, found.f1) == pytest.approx((8 / 9, 1, 16 / 17))
    assert found.exact == 0.5
    assert json.loads(cli("evaluate", str(gold), str(system), "--brackets", "--json").out)["right"] == 8
    answer = cli("evaluate", str(gold), str(system), str(gold), "--brackets", "--format", "csv")
    assert (answer.code, answer.out.splitlines()[1:]) == (
        0, [f"{system},2,88.89,100.00,94.12,50.00", f"{gold},2,100.00,100.00,100.00,100.00"]
    )  # fmt: skip
    both = json.loads(cli("evaluate", str(gold), str(system), str(gold), "--brackets", "--json").out)
    assert [one["right"] for one in both["parsers"]] == [8, 9]
    assert "94.12" in cli("evaluate", str(gold), str(system), "--brackets").out
    assert "94.12" in str(found)
    system.write_text(
        "(TOP (DT the) (NN dog) (VBD saw) (PRP it) (. .))\n(TOP (NNP Mary) (VBZ runs) (RP away))\n"
    )
    flat = json.loads(cli("evaluate", str(gold), str(system), "--brackets", "--json").out)
    assert [flat[name] for name in ("found", "recall", "precision", "f1")] == [0, 0, None, 0]
    row = cli("evaluate", str(gold), str(system), "--brackets").out.splitlines()[-1]
    assert row.split()[1:] == ["2", "0.00", "-", "0.00", "0.00"]
    both_flat = evaluate_brackets(system, system)
    assert (both_flat.recall, both_flat.precision, both_flat.f1, both_flat.exact) == (None, None, None, 1)
    system.write_text("(S (NP (NNP John)) (VP (VBZ runs)))\n" * 2)
    with pytest.raises(UsageError, match="no two trees have the same words"):
        evaluate_brackets(gold, system)
    system.write_text("(S (NP (NNP John))")
    with pytest.raises(TreebankError, match="not closed"):
        evaluate_brackets(gold, system)
    system.write_text("(S (NN a)))")
    with pytest.raises(TreebankError, match="outside of all brackets"):
        evaluate_brackets(gold, system)


@pytest.mark.parametrize("resamples", [0, 1, 9, 99])
def test_no_difference_is_surer_than_the_number_of_samples_allows(resamples: int, tmp_path: Path) -> None:
    """A parser that is right everywhere, and one that is wrong everywhere: no sample changes that."""
    gold = write(tmp_path / "gold.conllu", [rows_of((2, 0), ["dep"] * 2)] * 3)
    wrong = write(tmp_path / "wrong.conllu", [rows_of((0, 1), ["dep"] * 2)] * 3)
    right = schemata.evaluate(gold, gold)
    found = difference(right, schemata.evaluate(gold, wrong), resamples)
    assert found.uas == 1
    assert found.p_uas == pytest.approx(min(1, 2 / (1 + resamples)))


def test_bytes_that_are_no_text_have_their_place(tmp_path: Path) -> None:
    """Also where nothing else is left to compare, or to learn from."""
    path = tmp_path / "x.conllu"
    path.write_bytes(b"1\tb\xe9\t_\tX\t_\t_\t0\troot\t_\t_\n\n")
    for work in (lambda: schemata.evaluate(path, path), lambda: schemata.train(path, tmp_path / "model")):
        with pytest.raises(UsageError) as error:
            work()
        assert f"{path}:1:4: error: byte 0xE9 is not valid UTF-8" in str(error.value)
