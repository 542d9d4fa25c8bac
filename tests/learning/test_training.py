"""Parsers that learn: on grammars that a few trees determine, and on files that are broken, killed or forged."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import schemata
from schemata.budget import Budget
from schemata.engine.engines import Engines
from schemata.engine.exceeded import BudgetExceeded
from schemata.errors import Diagnostic, GrammarError, UsageError
from schemata.learning.arcs import (
    DEFAULT,
    PAD,
    SIZE,
    ArcWeights,
    hashed_sentence,
    kernels_of,
    parse_templates,
)
from schemata.learning.examples import Example, columns_of, known_words, read_examples
from schemata.learning.model import Model, Parser, _host, write_whole
from schemata.learning.training import Training, accuracy, train
from schemata.records import replace
from tests.support import ROOT
from tests.support.commands import Answer

Cli = Callable[..., Answer]
TEMPLATES = "word h, word d\ntag h, tag d\ntag h - 1, tag d + 1\nbetween tag h, tag d"


def treebank(path: Path, number: int, seed: int) -> Path:
    """Write sentences of a small language: determiners hang under the next noun, nouns under the verb."""
    draw = random.Random(seed)
    lines: list[str] = []
    for _ in range(number):
        rows: list[tuple[str, str]] = []
        nouns = 0
        for part in range(draw.randint(2, 4)):
            if part == 1:
                rows.append((draw.choice(["sees", "hears"]), "VERB"))
                continue
            if draw.random() < 0.6:
                rows.append((draw.choice(["the", "a"]), "DET"))
            rows.append((draw.choice(["dog", "cat", "man"]), "NOUN"))
            nouns += 1
        verb = next(k for k, (_, tag) in enumerate(rows, start=1) if tag == "VERB")
        for k, (form, tag) in enumerate(rows, start=1):
            head = {"VERB": 0, "DET": k + 1, "NOUN": verb}[tag]
            label = {"VERB": "root", "DET": "det", "NOUN": "nsubj" if k < verb else "obj"}[tag]
            lines.append("\t".join([str(k), form, "_", tag, "_", "_", str(head), label, "_", "_"]))
        lines.append("")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def examples(path: Path) -> list[Example]:
    return [one for one in read_examples(path, with_heads=True) if isinstance(one, Example)]


@pytest.mark.parametrize("schema", ["neutral", "eisner-satta1999"])
def test_a_small_language_is_learnt(tmp_path: Path, schema: str) -> None:
    gold, other = treebank(tmp_path / "gold", 60, 1), treebank(tmp_path / "other", 40, 2)
    seen: list[Any] = []
    model = train(gold, schema=schema, epochs=3, held_out=other, on_epoch=seen.append)
    assert [epoch.number for epoch in seen] == [1, 2, 3]
    assert (seen[-1].uas, seen[-1].las) == (1, 1)
    for name in (None, "mst", "eisner1996") if schema == "neutral" else (None,):
        found = list(Parser(model, name).trees(examples(other)))
        assert found == [(one.heads, one.labels) for one in examples(other)]


def by_hand(sentence: Any, templates: Any, head: int, dependent: int) -> Iterator[tuple[int, ...]]:
    """Yield the features of a link as tuples, told apart as templates say."""
    margin = 2
    tags = sentence.columns[1] % 32
    between = {int(t) for t in tags[margin + min(head, dependent) + 1 : margin + max(head, dependent)]}
    far = sum(abs(head - dependent) > end for end in (1, 2, 3, 4, 5, 10, 20))
    for number, template in enumerate(templates):
        shown = tuple(
            int(sentence.columns[x.column, (head if x.of_head else dependent) + margin + x.shift])
            for x in template.looks
        )
        if template.between:
            for tag in between:
                yield (number, 2, int(dependent > head), tag, *shown)
        else:
            yield (number, 0, *shown)
            yield (number, 1, far, int(dependent > head), *shown)


def test_kernels_against_features_by_hand(tmp_path: Path) -> None:
    """Scores are sums of the weights of features that a table without hashing has; what is learnt adds up there."""
    sentences = [
        hashed_sentence(columns_of(one, known_words(some).__contains__))
        for some in [examples(treebank(tmp_path / "gold", 12, 3))]
        for one in some
    ]
    templates = parse_templates(TEMPLATES).links
    weights, sums = ArcWeights(templates, np.zeros(SIZE + PAD), np.zeros(SIZE + PAD)), np.zeros(SIZE + PAD)
    table: dict[tuple[int, ...], float] = {}
    draw = np.random.default_rng(1)
    for now, sentence in enumerate(sentences, start=1):
        n = sentence.n
        scores = weights.scores(sentence)
        for head in range(n + 1):
            for dependent in range(1, n + 1):
                if head != dependent:
                    expected = sum(table.get(x, 0.0) for x in by_hand(sentence, templates, head, dependent))
                    assert scores[head, dependent] == pytest.approx(expected)
        heads, others = (np.concatenate([[0], draw.integers(0, n + 1, n)]) for _ in range(2))
        for rows in (heads, others):
            for k in range(1, n + 1):
                rows[k] = 0 if rows[k] == k else rows[k]
        weights.learn(sentence, sums, heads, others, float(now))
        for k in range(1, n + 1):
            if heads[k] != others[k]:
                for row, sign in ((heads, 1.0), (others, -1.0)):
                    for x in by_hand(sentence, templates, int(row[k]), k):
                        table[x] = table.get(x, 0.0) + sign
    assert weights.links.sum() == pytest.approx(sum(table.values()))
    assert sums.any()


def test_labels_against_features_by_hand(tmp_path: Path) -> None:
    """Scores of labels are sums over a table without hashing; weights of half the size give the same ones."""
    some = examples(treebank(tmp_path / "gold", 12, 3))
    templates, count = parse_templates(TEMPLATES).links, 5
    weights, sums = ArcWeights(templates, np.zeros(SIZE + PAD), np.zeros(SIZE + PAD)), np.zeros(SIZE + PAD)
    table: dict[tuple[int, ...], float] = {}
    draw = np.random.default_rng(2)
    for now, one in enumerate([*some, *some], start=1):
        sentence = hashed_sentence(columns_of(one, known_words(some).__contains__))
        heads = np.array((0, *(one.heads or ())))
        found = weights.label_scores(sentence, heads, count)
        read = ArcWeights(templates, weights.links, weights.labels, learning=False)
        np.testing.assert_array_equal(read.label_scores(sentence, heads, count), found)
        for word in range(1, sentence.n + 1):
            features = [*by_hand(sentence, templates, int(heads[word]), word)]
            for label in range(count):
                assert found[word, label] == sum(table.get((label, *x), 0.0) for x in features)
        gold, others = (draw.integers(0, count, sentence.n + 1) for _ in range(2))
        weights.learn_labels(sentence, sums, heads, gold, others, float(now))
        for word in range(1, sentence.n + 1):
            for x in (
                by_hand(sentence, templates, int(heads[word]), word) if gold[word] != others[word] else ()
            ):
                table[(gold[word], *x)] = table.get((gold[word], *x), 0.0) + 1
                table[(others[word], *x)] = table.get((others[word], *x), 0.0) - 1
    assert weights.labels.sum() == sum(table.values())
    assert weights.labels.any()
    assert sums.any()


@pytest.mark.parametrize("count", [PAD, PAD + 1])
def test_there_is_room_for_so_many_labels(tmp_path: Path, count: int) -> None:
    rows = "".join(f"{k}\tw\t_\tX\t_\t_\t{k - 1}\tl{k % 16}:{k}\t_\t_\n" for k in range(1, count + 1))
    (tmp_path / "gold").write_text(f"{rows}\n", "utf-8")
    if count <= PAD:
        assert len(Training([tmp_path / "gold"], longest=count).labels) == count
    else:
        with pytest.raises(UsageError, match=f"there are {count} labels: {PAD} at most"):
            Training([tmp_path / "gold"], longest=count)


def test_averages_are_means_over_all_sentences(tmp_path: Path) -> None:
    """The model's weights are the mean of the weights after each sentence."""
    training = Training([treebank(tmp_path / "gold", 8, 4)], templates=TEMPLATES, seed=3)
    total, number = np.zeros(SIZE + PAD), 0

    def watch(order: Sequence[int]) -> Iterator[int]:
        nonlocal number
        for k in order:
            total[:] += training.weights.links
            number += 1
            yield k

    training.epoch(watch)
    training.epoch(watch)
    expected = (total + training.weights.links) / (number + 1)
    np.testing.assert_allclose(training.model().links, expected, atol=1e-6)


def test_the_seed_fixes_what_is_learnt(tmp_path: Path) -> None:
    gold = treebank(tmp_path / "gold", 15, 5)
    one, same, other = (train(gold, epochs=1, seed=seed).links for seed in (1, 1, 2))
    assert (one == same).all()
    assert (one != other).any()


def test_a_model_comes_back_as_it_was(tmp_path: Path) -> None:
    gold, path = treebank(tmp_path / "gold", 10, 6), tmp_path / "m.npz"
    model = train(gold, path, epochs=1, templates=TEMPLATES)
    found = Model.read(path)
    assert (found.links == model.links).all()
    assert (found.label_weights == model.label_weights).all()
    assert (found.labels, found.words, found.templates) == (model.labels, model.words, model.templates)
    assert sorted(x.name for x in tmp_path.iterdir()) == ["gold", "m.npz"]


@pytest.mark.parametrize("wrong", [{"labels": ()}, {"links": np.inf}, {"label_weights": np.nan}])
def test_models_that_cannot_parse_are_refused(wrong: dict[str, Any], tmp_path: Path) -> None:
    gold, path = treebank(tmp_path / "gold", 5, 7), tmp_path / "m.npz"
    model = train(gold, epochs=1, templates=TEMPLATES)
    forged = {
        key: value if key == "labels" else np.full_like(model.links, value) for key, value in wrong.items()
    }
    replace(model, **forged).save(path)
    with pytest.raises(GrammarError, match="no labels, or weights"):
        Model.read(path)


def test_damaged_models_are_refused(tmp_path: Path) -> None:
    gold, path = treebank(tmp_path / "gold", 10, 7), tmp_path / "m.npz"
    train(gold, path, epochs=1, templates=TEMPLATES)
    content = path.read_bytes()
    draw = random.Random(1)
    for _ in range(40):
        forged = bytearray(content)
        for _ in range(draw.randint(1, 4)):
            forged[draw.randrange(len(forged))] ^= 1 << draw.randrange(8)
        path.write_bytes(forged[: len(forged) if draw.random() < 0.7 else draw.randrange(len(forged))])
        try:
            found = Model.read(path)
        except GrammarError:
            continue
        path.write_bytes(content)  # what does not matter was changed, such as a date in the archive
        assert (found.links == Model.read(path).links).all()
    for odd in (b"", b"PK", b"\x93NUMPY", b"text"):
        path.write_bytes(odd)
        with pytest.raises(GrammarError, match="model"):
            Model.read(path)
    np.savez(path, a=np.array([object()]))
    with pytest.raises(GrammarError, match="model"):
        Model.read(path)
    with pytest.raises(GrammarError, match="cannot be read"):
        Model.read(tmp_path / "none.npz")


@pytest.mark.parametrize("content", [b"", b"hello", b"\x80\x04N."])
def test_other_files_are_not_models(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(GrammarError, match="the file is not a model") as refused:
        Model.read(path)
    assert "pickle" not in str(refused.value)


@pytest.mark.skipif(os.name != "posix", reason="whether a process lives is asked with a signal")
def test_what_killed_processes_left_is_removed(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    here = _host()
    mine, lost = (tmp_path / f"m.{here}.{number}.part" for number in (os.getppid(), ended.pid))
    other = tmp_path / f"mm.{here}.{ended.pid}.part"
    elsewhere = tmp_path / f"m.x{here}.{ended.pid}.part"  # of a machine that shares the folder
    for part in (mine, lost, other, elsewhere):
        part.write_bytes(b"")
    write_whole(tmp_path / "m", b"x")
    assert {path.name for path in tmp_path.iterdir()} == {"m", mine.name, other.name, elsewhere.name}


@pytest.mark.parametrize("host", ["", "a.b", "x/y", "ü.local", "*"])
def test_a_file_is_written_on_a_machine_of_any_name(
    host: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.node", lambda: host)
    write_whole(tmp_path / "m", b"x")
    assert [path.name for path in tmp_path.iterdir()] == ["m"]
    assert (tmp_path / "m").read_bytes() == b"x"


def test_a_file_is_written_where_nothing_can_be_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a folder such as /tmp others' files stay: the new file is there all the same."""
    (tmp_path / "m.1.part").write_bytes(b"")

    def refused(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("schemata.learning.model._is_written", lambda part: False)
    monkeypatch.setattr(Path, "unlink", refused)
    write_whole(tmp_path / "m", b"x")
    assert (tmp_path / "m").read_bytes() == b"x"


@pytest.mark.skipif(os.name != "posix", reason="pipes and links of files are those of POSIX")
def test_pipes_devices_and_links_stay_what_they_are(tmp_path: Path) -> None:
    """A file in place of a device such as /dev/null would break the system of whoever may write there."""
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_whole(pipe, b"trees")
        assert os.read(reader, 100) == b"trees"
    finally:
        os.close(reader)
    assert pipe.is_fifo()
    link.symlink_to(tmp_path / "model")
    write_whole(link, b"new")
    assert link.is_symlink()
    assert (tmp_path / "model").read_bytes() == b"new"
    assert sorted(x.name for x in tmp_path.iterdir()) == ["link", "model", "pipe"]
    with pytest.raises(UsageError, match="cannot be written"):
        write_whole(tmp_path, b"")  # a folder
    if Path("/dev/full").is_char_device():
        with pytest.raises(UsageError, match="No space left"):
            write_whole("/dev/full", b"trees")
        assert Path("/dev/full").is_char_device()


def test_a_model_of_another_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.npz"
    model = train(treebank(tmp_path / "gold", 5, 8), epochs=1, templates=TEMPLATES)
    with monkeypatch.context() as other:
        other.setattr("schemata.learning.model.VERSION", 99)
        model.save(path)
    with pytest.raises(GrammarError, match="version 99, this program reads version 2"):
        Model.read(path)


def test_training_that_was_ended_goes_on(tmp_path: Path) -> None:
    """Stopped after an epoch, the same command comes to the same weights as one that was not."""
    gold = treebank(tmp_path / "gold", 12, 9)
    whole = train(gold, epochs=3, templates=TEMPLATES)
    path = tmp_path / "m.npz"

    class Ended(Exception):
        pass

    calls = 0

    def watch(order: Sequence[int]) -> Iterator[int]:
        nonlocal calls
        calls += 1
        for place, k in enumerate(order):
            if calls == 3 and place == 5:
                raise Ended
            yield k

    with pytest.raises(Ended):
        train(gold, path, epochs=3, templates=TEMPLATES, watch=watch)
    assert Model.read(path).links.any()  # that of the second epoch
    seen: list[int] = []
    found = train(gold, path, epochs=3, templates=TEMPLATES, on_epoch=lambda epoch: seen.append(epoch.number))
    assert seen == [3]
    assert (found.links == whole.links).all()
    assert (Model.read(path).links == whole.links).all()
    assert sorted(x.name for x in tmp_path.iterdir()) == ["gold", "m.npz"]


@pytest.mark.thorough
def test_a_kill_leaves_a_whole_model(tmp_path: Path) -> None:
    gold, path = treebank(tmp_path / "gold", 300, 10), tmp_path / "m.npz"
    command = [sys.executable, "-m", "schemata", "train", str(gold), "-o", str(path), "--epochs", "100000"]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
    while not path.is_file():
        assert process.poll() is None
        time.sleep(0.05)
    time.sleep(0.3)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert Model.read(path).links.any()


def test_a_broken_treebank_loses_one_sentence(tmp_path: Path) -> None:
    gold = treebank(tmp_path / "gold", 10, 11)
    text = gold.read_text(encoding="utf-8").split("\n\n")
    text[4] = text[4].replace("\t0\troot", "\t77\troot")
    gold.write_text("\n\n".join(text), encoding="utf-8")
    skipped: list[Diagnostic] = []
    train(gold, epochs=1, templates=TEMPLATES, skipped=skipped)
    assert [one.code for one in skipped] == ["head-out-of-range"]
    assert len(Training([gold], templates=TEMPLATES).sentences) == 9


def test_templates_with_mistakes() -> None:
    with pytest.raises(GrammarError) as error:
        parse_templates("word h, wrod d\ntag x\n\ntag h + 9\nword h,", "some.features")
    assert [(d.location.line, d.location.column) for d in error.value.diagnostics if d.location] == [
        (1, 9), (2, 1), (4, 1), (5, 8),
    ]  # fmt: skip
    assert "word" in (error.value.diagnostics[0].hint or "")
    with pytest.raises(GrammarError, match="no templates"):
        parse_templates("# nothing")
    assert len(parse_templates(DEFAULT).links) == len(DEFAULT.strip().splitlines())
    kernels_of(parse_templates("feats h, feats d, suffix h - 2, suffix d + 2").links)


def test_what_is_refused(tmp_path: Path) -> None:
    gold = tmp_path / "gold"
    gold.write_text("1\ta\t_\tX\t_\t_\t_\t_\t_\t_\n\n", encoding="utf-8")
    with pytest.raises(UsageError, match="has a tree to learn from"):
        train(gold, epochs=1)
    with pytest.raises(UsageError, match="no schema 'none'"):
        train(treebank(gold, 3, 1), schema="none")
    with pytest.raises(UsageError, match="cannot be written"):
        train(gold, tmp_path / "no" / "m.npz", epochs=1, templates=TEMPLATES)


def test_the_commands(cli: Cli, tmp_path: Path) -> None:
    gold, model, out = treebank(tmp_path / "gold.conllu", 40, 12), tmp_path / "m.npz", tmp_path / "out.conllu"
    answer = cli("train", str(gold), "-o", str(model), "--epochs", "3", "--held-out", str(gold), "--json")
    assert answer.code == 0
    assert [epoch["number"] for epoch in json.loads(answer.out)["epochs"]] == [1, 2, 3]
    text = "# sent_id = x\n1-2\tthedog\t_\t_\t_\t_\t_\t_\t_\t_\n" + "".join(
        f"{k}\t{form}\t_\t{tag}\t_\t_\t_\t_\t_\t_\n"
        for k, (form, tag) in enumerate([("the", "DET"), ("dog", "NOUN"), ("sees", "VERB")], start=1)
    )
    (tmp_path / "text.conllu").write_text(f"{text}\n1\tx\n\n", encoding="utf-8")
    answer = cli("parse", str(model), str(tmp_path / "text.conllu"))
    assert answer.code == 2  # the second sentence lacks columns
    assert [line.split("\t")[6:8] for line in answer.out.splitlines()[2:5]] == [
        ["2", "det"], ["3", "nsubj"], ["0", "root"],
    ]  # fmt: skip
    assert cli("parse", str(model), str(gold), "-o", str(out), "--with", "eisner1996").code == 0
    assert schemata.evaluate(gold, out).las == 1
    assert cli("parse", str(gold), str(gold)).code == 2
    assert cli("train", str(gold)).code == 2


def test_a_search_that_is_broken_off_loses_one_sentence(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gold = treebank(tmp_path / "gold", 20, 1)
    model = train(gold, epochs=2)
    model.save(tmp_path / "model.npz")
    run = Engines.run
    monkeypatch.setattr(Engines, "run", lambda *given: run(*given, budget=Budget(steps=60)))
    sentences = examples(gold)
    found = list(Parser(model, "nivre2003").trees(sentences))
    short = {len(one) for one, tree in zip(sentences, found, strict=True) if isinstance(tree, tuple)}
    long = {len(one) for one, tree in zip(sentences, found, strict=True) if isinstance(tree, BudgetExceeded)}
    assert min(short) == 2
    assert max(short) < min(long)
    assert short | long == {*map(len, sentences)}
    with pytest.raises(BudgetExceeded):
        accuracy(Parser(model, "nivre2003"), sentences)
    answer = cli("parse", str(tmp_path / "model.npz"), str(gold), "--with", "nivre2003")
    assert answer.code == 2
    assert answer.err.count("the search for a tree was broken off") == sum(len(x) in long for x in sentences)
    assert answer.out.count("\n\n") == sum(len(x) in short for x in sentences)
    reported: list[Diagnostic] = []
    monkeypatch.setattr("schemata.cli.learning.report", lambda *told: reported.extend(told))
    cli("parse", str(tmp_path / "model.npz"), str(gold), "--with", "nivre2003")
    assert {one.code for one in reported} == {"budget-steps"}
